// SPDX-License-Identifier: Apache-2.0
// Scenes that use materials of the library, declared or not.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "thaw/thaw.h"

static const char BOX[] = "'mesh': {'box': {'min': [0,0,0], 'max': [1,1,1], 'cells': [1,1,1]}}";

// Parses with ' for " and BOX for @.
static ThawScene *parse(const char *pattern) {
    char text[4000];
    size_t n = 0;
    for (const char *c = pattern; *c; c++)
        if (*c == '@')
            n += (size_t)snprintf(text + n, sizeof text - n, "%s", BOX);
        else
            text[n++] = *c;
    text[n] = '\0';
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    ThawScene *scene = NULL;
    ThawError error = {0};
    if (thaw_scene_parse(text, n, "s", NULL, &scene, &error))
        fail_msg("%s", error.message);
    return scene;
}

static void a_shape_may_name_a_material_without_declaring_it(void **state) {
    (void)state;
    ThawScene *scene = parse("{'thaw': 1, 'shapes': {'a': {@, 'material': 'silicone'}, 'b': {@, 'material': 'steel'},"
                             " 'c': {@, 'material': 'silicone'}}, 'bodies': [{'shape': 'a'}]}");
    assert_int_equal(scene->world.material_count, 2); // each once
    assert_int_equal(scene->world.shapes[0].material, 0);
    assert_int_equal(scene->world.shapes[1].material, 1);
    assert_int_equal(scene->world.shapes[2].material, 0);
    assert_memory_equal(&scene->world.materials[1], &thaw_material_library_find("steel")->def, sizeof(ThawMaterialDef));
    thaw_scene_free(&scene);
}

static void a_declared_material_goes_before_the_library(void **state) {
    (void)state;
    ThawScene *scene = parse("{'thaw': 1, 'materials': {'steel': {'like': 'steel', 'young': 7}}, "
                             "'shapes': {'a': {@, 'material': 'steel'}}, 'bodies': [{'shape': 'a'}]}");
    assert_int_equal(scene->world.material_count, 1);
    assert_true(scene->world.materials[0].young == 7);
    assert_true(scene->world.materials[0].density == thaw_material_library_find("steel")->def.density);
    assert_string_equal(scene->world.materials[0].name, "steel");
    thaw_scene_free(&scene);
}

static void like_sets_every_value_and_each_can_be_changed(void **state) {
    (void)state;
    ThawScene *scene = parse("{'thaw': 1, 'materials': {'m': {'alpha1': 0, 'like': 'cotton'}, 'n': {'like': 'wood', "
                             "'model': 'stvk', 'density': 1, 'poisson': 0.1, 'alpha0': 3}}, "
                             "'shapes': {'a': {@, 'material': 'm'}}, 'bodies': [{'shape': 'a'}]}");
    const ThawMaterialDef *m = &scene->world.materials[0], *n = &scene->world.materials[1];
    const ThawMaterialDef *cotton = &thaw_material_library_find("cotton")->def;
    assert_string_equal(m->name, "m");
    assert_true(m->young == cotton->young && m->alpha0 == cotton->alpha0 && m->alpha1 == 0);
    assert_int_equal(m->model, cotton->model);
    assert_int_equal(n->model, THAW_MATERIAL_STVK);
    assert_true(n->density == 1 && n->poisson == 0.1 && n->alpha0 == 3);
    assert_true(n->young == thaw_material_library_find("wood")->def.young);
    thaw_scene_free(&scene);
}

static void naming_the_library_is_the_same_as_writing_its_values(void **state) {
    (void)state;
    const ThawMaterialDef *foam = &thaw_material_library_find("foam")->def;
    char text[1000];
    snprintf(text, sizeof text,
             "{'thaw': 1, 'materials': {'x': {'model': '%s', 'density': %.17g, 'young': %.17g, 'poisson': %.17g, "
             "'alpha0': %.17g, 'alpha1': %.17g}}, 'shapes': {'a': {@, 'material': 'x'}}, 'bodies': [{'shape': 'a'}]}",
             thaw_material_model_name(foam->model), foam->density, foam->young, foam->poisson, foam->alpha0,
             foam->alpha1);
    ThawScene *written = parse(text);
    ThawScene *named = parse("{'thaw': 1, 'shapes': {'a': {@, 'material': 'foam'}}, 'bodies': [{'shape': 'a'}]}");
    assert_true(written->digest == named->digest);
    thaw_scene_free(&written);
    thaw_scene_free(&named);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shape_may_name_a_material_without_declaring_it),
        cmocka_unit_test(a_declared_material_goes_before_the_library),
        cmocka_unit_test(like_sets_every_value_and_each_can_be_changed),
        cmocka_unit_test(naming_the_library_is_the_same_as_writing_its_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
