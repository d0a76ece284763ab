// SPDX-License-Identifier: Apache-2.0
// Good scenes become the numbers they say, in SI units, with defaults for what they leave out.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "thaw/thaw.h"

static void near_number(double a, double b) { assert_true(fabs(a - b) <= 1e-12 * (1 + fabs(b))); }

static void near_vector(const double a[3], double x, double y, double z) {
    near_number(a[0], x);
    near_number(a[1], y);
    near_number(a[2], z);
}

static ThawScene *load(const char *file) {
    char path[1000];
    snprintf(path, sizeof path, THAW_SOURCE_DIR "/%s", file);
    ThawScene *scene = NULL;
    ThawError error = {0};
    if (thaw_scene_load(path, &scene, &error) != THAW_OK)
        fail_msg("%s", error.message);
    return scene;
}

static ThawStatus try_parse(const char *quoted, ThawScene **scene, ThawError *error) {
    static char text[1 << 16];
    snprintf(text, sizeof text, "%s", quoted);
    for (char *c = text; *c; c++)
        if (*c == '\'')
            *c = '"';
    return thaw_scene_parse(text, strlen(text), "test", NULL, scene, error);
}

// A scene written with ' for ".
static ThawScene *parse(const char *quoted) {
    ThawScene *scene = NULL;
    ThawError error = {0};
    if (try_parse(quoted, &scene, &error) != THAW_OK)
        fail_msg("%s", error.message);
    return scene;
}

#define SMALL                                                                                                          \
    "'materials': {'m': {}},"                                                                                          \
    "'shapes': {'s': {'mesh': {'box': {'min': [0,0,0], 'max': [1,1,1], 'cells': [1,1,1]}}, 'material': 'm'}},"         \
    "'bodies': [{'shape': 's'}]"

static void the_smallest_scene_takes_every_default(void **state) {
    (void)state;
    ThawScene *scene = parse("{'thaw': 1," SMALL "}");
    const ThawWorldDef *w = &scene->world;
    ThawWorldDef d = thaw_world_def_default();
    ThawMaterialDef m = thaw_material_def_default();
    assert_string_equal(scene->title, "");
    assert_int_equal(scene->steps, 600);
    assert_int_equal(scene->frame_every, 1);
    assert_int_equal(scene->checkpoint_every, 0);
    assert_int_equal(scene->frames, THAW_FRAMES_VTU);
    assert_int_equal(w->dim, 3);
    assert_memory_equal(w->gravity, d.gravity, sizeof d.gravity);
    assert_true(w->h == d.h && w->integrator == d.integrator && w->projection == d.projection);
    assert_true(w->newton_tolerance == d.newton_tolerance && w->newton_iterations == d.newton_iterations);
    assert_true(w->solver == d.solver && w->solver_tolerance == d.solver_tolerance && w->halvings == d.halvings);
    assert_int_equal(w->material_count, 1);
    assert_string_equal(w->materials[0].name, "m");
    assert_true(w->materials[0].young == m.young && w->materials[0].model == m.model);
    assert_int_equal(w->shape_count, 1);
    assert_int_equal(w->shapes[0].mesh->element_count, 6);
    assert_null(w->shapes[0].region_material);
    assert_int_equal(w->shapes[0].group_count, 0);
    assert_int_equal(w->body_count, 1);
    assert_string_equal(w->bodies[0].name, "body-0");
    assert_string_equal(w->bodies[0].method, "full");
    near_vector(w->bodies[0].position, 0, 0, 0);
    near_number(w->bodies[0].rotation[0], 1);
    assert_int_equal(w->bodies[0].script_count + w->bodies[0].force_count, 0);
    thaw_scene_free(&scene);
    assert_null(scene);
    thaw_scene_free(&scene);
    thaw_scene_free(NULL);
}

static void settings_and_two_materials_come_out_as_written(void **state) {
    (void)state;
    ThawScene *scene = load("tests/scene/small/two_materials.json");
    const ThawWorldDef *w = &scene->world;
    assert_string_equal(scene->title, "Stiff hub, soft arm");
    assert_int_equal(scene->steps, 30);
    assert_int_equal(scene->frame_every, 10);
    assert_int_equal(scene->checkpoint_every, 10);
    assert_int_equal(scene->frames, THAW_FRAMES_VTU | THAW_FRAMES_OBJ | THAW_FRAMES_PLY);
    near_number(w->h, 0.01);
    assert_int_equal(w->halvings, 4);
    assert_int_equal(w->substeps, 32);
    assert_int_equal(w->solver, THAW_SOLVER_PCG);
    near_number(w->solver_tolerance, 1e-9);
    near_number(w->shapes[0].smooth, 20);
    assert_int_equal(w->material_count, 2);
    const ThawMaterialDef *soft = &w->materials[0], *steel = &w->materials[1];
    assert_int_equal(soft->model, THAW_MATERIAL_STABLE_NEO_HOOKEAN);
    assert_int_equal(soft->constants, THAW_CONSTANTS_UNMODIFIED);
    near_number(soft->density, 900);
    near_number(soft->young, 2e5);
    near_number(soft->poisson, 0.4);
    near_number(soft->alpha0, 0.1);
    near_number(soft->alpha1, 0.001);
    assert_int_equal(steel->model, THAW_MATERIAL_COROTATIONAL);
    near_number(steel->young, 1e7);
    const ThawShapeDef *arm = &w->shapes[0];
    assert_int_equal(arm->material, 0);
    assert_int_equal(arm->mesh->element_count, 144);
    assert_int_equal(arm->mesh->region_count, 2);
    for (int32_t i = 0; i < 2; i++)
        assert_int_equal(arm->region_material[i], strcmp(arm->mesh->region_names[i], "hub") == 0 ? 1 : -1);
    double widest = 0;
    for (int32_t v = 0; v < arm->mesh->vertex_count; v++)
        widest = fmax(widest, arm->mesh->x[3 * v + 1]);
    near_number(widest, 0.08);
    // The group of the mesh file was appended where the pin named it.
    assert_int_equal(arm->group_count, 1);
    assert_int_equal(arm->groups[0].select, THAW_SELECT_MESH_GROUP);
    assert_string_equal(arm->groups[0].mesh_group, "wall");
    assert_int_equal(w->bodies[0].script_count, 1);
    assert_int_equal(w->bodies[0].scripts[0].key_count, 0);
    assert_true(isinf(w->bodies[0].scripts[0].release));
    thaw_scene_free(&scene);
}

static void newton_settings_and_a_pin_that_lets_go_come_out_as_written(void **state) {
    (void)state;
    ThawScene *scene = load("tests/scene/small/newton.json");
    const ThawWorldDef *w = &scene->world;
    assert_int_equal(w->integrator, THAW_INTEGRATOR_NEWTON);
    assert_int_equal(w->projection, THAW_PROJECT_ALWAYS);
    assert_int_equal(w->newton_iterations, 30);
    near_number(w->newton_tolerance, 1e-8);
    near_vector(w->gravity, 1, 0, -9.81);
    near_number(w->h, 0.02);
    assert_int_equal(w->materials[0].model, THAW_MATERIAL_NEO_HOOKEAN);
    near_number(w->materials[0].alpha1, 0);
    assert_int_equal(w->shapes[0].mesh->element_count, 240);
    assert_int_equal(w->shapes[0].groups[0].select, THAW_SELECT_BOX);
    near_vector(w->shapes[0].groups[0].a, -1, -1, -0.01);
    near_vector(w->shapes[0].groups[0].b, 1, 1, 0.01);
    near_number(w->bodies[0].scripts[0].release, 0.3);
    thaw_scene_free(&scene);
}

static void a_scene_in_the_plane_has_vectors_of_two_and_turns_about_z(void **state) {
    (void)state;
    ThawScene *scene = load("tests/scene/small/plane.json");
    const ThawWorldDef *w = &scene->world;
    const ThawBodyDef *b = &w->bodies[0];
    assert_int_equal(w->dim, 2);
    assert_int_equal(w->projection, THAW_PROJECT_NEVER);
    assert_int_equal(w->materials[0].model, THAW_MATERIAL_STVK);
    assert_int_equal(w->shapes[0].mesh->dim, 2);
    assert_int_equal(w->shapes[0].mesh->element_count, 90);
    near_number(w->shapes[0].thickness, 0.01);
    // The corner (1, 0): halved, then turned by -30 degrees.
    near_number(w->shapes[0].mesh->x[2 * 15], 0.5 * cos(M_PI / 6));
    near_number(w->shapes[0].mesh->x[2 * 15 + 1], -0.25);
    near_vector(w->gravity, 0, -9.81, 0);
    near_vector(b->position, 0, 1, 0);
    near_number(b->rotation[0], cos(M_PI / 8));
    near_vector(b->rotation + 1, 0, 0, sin(M_PI / 8));
    near_vector(b->velocity, 0.5, 0, 0);
    near_vector(b->spin, 0, 0, 2);
    assert_int_equal(b->force_count, 2);
    assert_int_equal(b->forces[0].kind, THAW_FORCE_PER_VERTEX);
    near_vector(b->forces[0].value, 0.02, 0.01, 0);
    near_number(b->forces[0].from, 0.05);
    near_number(b->forces[0].to, 0.1);
    assert_int_equal(w->shapes[0].groups[b->forces[0].group].select, THAW_SELECT_NEAREST);
    assert_int_equal(b->forces[1].kind, THAW_FORCE_ACCELERATION);
    assert_int_equal(w->shapes[0].groups[b->forces[1].group].select, THAW_SELECT_ALL);
    assert_true(isinf(b->forces[1].to));
    near_number(b->forces[1].ramp, 0.1);
    thaw_scene_free(&scene);
    scene = parse("{'thaw': 1, 'dimension': 2, 'materials': {'m': {}}, 'shapes': {'s': {'mesh': {'beam': {'length': 2,"
                  "'height': 0.5, 'size': 0.25}}, 'material': 'm'}}, 'bodies': [{'shape': 's'}]}");
    near_vector(scene->world.gravity, 0, -9.81, 0);
    assert_int_equal(scene->world.shapes[0].mesh->element_count, 2 * 8 * 2);
    thaw_scene_free(&scene);
    scene = parse("{'thaw': 1, 'materials': {}, 'shapes': {'s': {'mesh': {'beam': {'length': 2, 'width': 0.5,"
                  "'height': 0.5, 'size': 0.25}}, 'material': 'foam'}}, 'bodies': [{'shape': 's'}]}");
    assert_int_equal(scene->world.material_count, 1); // of the library
    thaw_scene_free(&scene);
}

static void two_bodies_share_one_shape(void **state) {
    (void)state;
    ThawScene *scene = load("tests/scene/small/twins.json");
    const ThawWorldDef *w = &scene->world;
    assert_int_equal(w->shape_count, 1);
    assert_int_equal(w->body_count, 2);
    assert_int_equal(w->bodies[0].shape, 0);
    assert_int_equal(w->bodies[1].shape, 0);
    assert_string_equal(w->bodies[1].name, "right");
    assert_int_equal(w->shapes[0].mesh->element_count, 6 * 2 * 2 * 6);
    near_number(w->bodies[1].rotation[0], sqrt(0.5));
    near_vector(w->bodies[1].rotation + 1, 0, sqrt(0.5), 0);
    near_vector(w->bodies[1].spin, 2, 0, 0);
    near_vector(w->bodies[1].velocity, -1, 0, 0.5);
    thaw_scene_free(&scene);
}

static void scripts_forces_and_all_kinds_of_groups_come_out_as_written(void **state) {
    (void)state;
    ThawScene *scene = load("tests/scene/small/scripted.json");
    const ThawShapeDef *bar = &scene->world.shapes[0];
    const ThawBodyDef *b = &scene->world.bodies[0];
    assert_int_equal(bar->group_count, 5); // root, middle, top; x-max and all on demand
    assert_int_equal(bar->groups[0].select, THAW_SELECT_PLANE_SIDE);
    near_vector(bar->groups[0].b, 0, -1, 0);
    assert_int_equal(bar->groups[1].select, THAW_SELECT_SPHERE);
    near_vector(bar->groups[1].a, -0.05, 0.3, 0.05);
    near_number(bar->groups[1].radius, 0.06);
    assert_int_equal(bar->groups[2].select, THAW_SELECT_MESH_GROUP);
    assert_string_equal(bar->groups[2].name, "top");
    assert_string_equal(bar->groups[2].mesh_group, "z-max");
    assert_string_equal(bar->groups[3].name, "x-max");
    assert_int_equal(bar->groups[4].select, THAW_SELECT_ALL);
    assert_int_equal(b->script_count, 2);
    assert_int_equal(b->scripts[0].group, 0);
    const ThawScriptDef *s = &b->scripts[1];
    assert_int_equal(s->group, 3);
    assert_int_equal(s->interpolation, THAW_INTERPOLATE_SMOOTH);
    near_vector(s->centre, -0.05, 0.6, 0.05);
    near_number(s->release, 0.3);
    assert_int_equal(s->key_count, 4);
    near_number(s->keys[0].rotation[0], 1);
    near_number(s->keys[1].time, 0.1);
    near_vector(s->keys[1].translation, 0, 0.02, 0);
    near_vector(s->keys[1].rotation + 1, 0, sqrt(0.5), 0);
    near_vector(s->keys[2].rotation + 1, 0, 1, 0);
    assert_int_equal(b->force_count, 3);
    assert_int_equal(b->forces[0].kind, THAW_FORCE_TOTAL);
    near_vector(b->forces[0].value, 0, 0, 5);
    near_number(b->forces[0].ramp, 0.05);
    assert_int_equal(b->forces[1].group, 4);
    assert_int_equal(b->forces[2].group, 2);
    thaw_scene_free(&scene);
}

static void long_turns_in_legs_keep_neighbouring_quaternions_near(void **state) {
    (void)state;
    ThawScene *scene = load("scenes/twist.json");
    const ThawScriptDef *s = &scene->world.bodies[0].scripts[1];
    double total = 0;
    for (int32_t k = 1; k < s->key_count; k++) {
        double dot = 0;
        for (int i = 0; i < 4; i++)
            dot += s->keys[k].rotation[i] * s->keys[k - 1].rotation[i];
        assert_true(dot > 0);
        total += 2 * acos(fmin(1, dot)) * 180 / M_PI;
    }
    assert_true(fabs(total - 540) < 1e-6);
    assert_int_equal(scene->world.shapes[0].mesh->element_count, 4500);
    thaw_scene_free(&scene);
}

static void every_published_scene_loads(void **state) {
    (void)state;
    static const char *const files[] = {"scenes/beam.json", "scenes/twist.json", "scenes/jelly.json",
                                        "scenes/tumble.json", "scenes/cantilever2d.json"};
    static const int32_t bodies[] = {1, 1, 5, 3, 1}, least_elements[] = {3840, 4500, 2000, 1000, 500};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        ThawScene *scene = load(files[i]);
        assert_int_equal(scene->world.body_count, bodies[i]);
        int32_t elements = 0;
        for (int32_t b = 0; b < scene->world.body_count; b++)
            elements += scene->world.shapes[scene->world.bodies[b].shape].mesh->element_count;
        assert_true(elements >= least_elements[i]);
        assert_true(elements < 10000);
        assert_true(strlen(scene->title) > 0);
        thaw_scene_free(&scene);
    }
}

static void comments_are_passed_over_but_not_inside_strings(void **state) {
    (void)state;
    ThawScene *scene =
        parse("// first\n{ /* a \n b */ 'thaw': /**/ 1, // last\n 'title': 'a // b /* c */ \\' d',\n" SMALL "} // end");
    assert_string_equal(scene->title, "a // b /* c */ \" d");
    thaw_scene_free(&scene);
    scene = parse("\xEF\xBB\xBF{'thaw': 1.0," SMALL "}"); // a byte order mark; 1.0 is an integer too
    thaw_scene_free(&scene);
}

static uint64_t digest(const char *quoted) {
    ThawScene *scene = parse(quoted);
    uint64_t hash = scene->digest;
    thaw_scene_free(&scene);
    return hash;
}

static void the_digest_sees_what_the_trajectory_depends_on_and_nothing_else(void **state) {
    (void)state;
#define BODY(settings, material, mesh, body)                                                                           \
    "{'thaw': 1," settings "'materials': {'m': {" material "}}, 'shapes': {'s': {'mesh': {'box': {'min': [0,0,0],"     \
    "'max': [1,1," mesh "], 'cells': [1,1,1]}}, 'material': 'm'}}, 'bodies': [{'shape': 's'" body "}]}"
    uint64_t base = digest(BODY("", "", "1", ""));
    static const char *const same[] = {
        BODY("'title': 'other',", "", "1", ""),
        BODY("'time': {'steps': 5},", "", "1", ""),
        BODY("'output': {'every': 7, 'formats': ['ply'], 'checkpoint_every': 3},", "", "1", ""),
        BODY("/* words */", "", "1.0", ""),
        BODY("", "", "1", ", 'name': 'other'"),
    };
    static const char *const other[] = {
        BODY("'time': {'step': 0.011},", "", "1", ""),
        BODY("'time': {'integrator': 'newton'},", "", "1", ""),
        BODY("'time': {'halvings': 1},", "", "1", ""),
        BODY("'time': {'newton_iterations': 7},", "", "1", ""),
        BODY("'time': {'newton_tolerance': 1e-3},", "", "1", ""),
        BODY("'time': {'projection': 'always'},", "", "1", ""),
        BODY("'solver': {'name': 'pcg'},", "", "1", ""),
        BODY("'solver': {'tolerance': 1e-3},", "", "1", ""),
        BODY("'gravity': [0,0,-9.8],", "", "1", ""),
        BODY("", "'young': 2e6", "1", ""),
        BODY("", "'constants': 'unmodified'", "1", ""),
        BODY("", "'damping': 'viscous'", "1", ""),
        BODY("", "'model': 'stvk'", "1", ""),
        BODY("", "'alpha0': 0.5", "1", ""),
        BODY("", "", "1.5", ""),
        BODY("'rigidify': {'tolerance': 0.01},", "", "1", ""),
        BODY("'rigidify': {'tau_rigid': 0.01},", "", "1", ""),
        BODY("'rigidify': {'sleep': 0},", "", "1", ""),
        BODY("'rigidify': {'split_gravity': true},", "", "1", ""),
        BODY("", "", "1", ", 'rigidify': {'tolerance': 0.01}"),
        BODY("", "", "1", ", 'rigidify': {'oracle': 'paper'}"),
        BODY("", "", "1", ", 'position': [0,0,1]"),
        BODY("", "", "1", ", 'rotation': {'axis': [0,0,1], 'degrees': 1}"),
        BODY("", "", "1", ", 'velocity': [0,0,1]"),
        BODY("", "", "1", ", 'spin': [0,0,1]"),
        BODY("", "", "1", ", 'restitution': 0.5"),
        BODY("", "", "1", ", 'joint': {'kind': 'free'}"),
        BODY("", "", "1", ", 'joint': {'kind': 'fixed'}"),
        BODY("", "", "1", ", 'joint': {'kind': 'revolute', 'anchor': [0,0,0]}"),
        BODY("", "", "1", ", 'joint': {'kind': 'revolute', 'anchor': [0,0,1]}"),
        BODY("", "", "1", ", 'joint': {'kind': 'revolute', 'anchor': [0,0,0], 'axis': [1,0,0]}"),
        BODY("", "", "1", ", 'joint': {'kind': 'revolute', 'anchor': [0,0,0], 'limits': [0, 1]}"),
        BODY("", "", "1", ", 'joint': {'kind': 'revolute', 'anchor': [0,0,0], 'stiffness': 1}"),
        BODY("", "", "1", ", 'joint': {'kind': 'revolute', 'anchor': [0,0,0], 'damping': 1}"),
        BODY("", "", "1", ", 'joint': {'kind': 'revolute', 'anchor': [0,0,0], 'rest': 1}"),
        BODY("", "", "1", ", 'joint': {'kind': 'revolute', 'anchor': [0,0,0], 'motor': {'torque': 1}}"),
        BODY("", "", "1", ", 'joint': {'kind': 'revolute', 'anchor': [0,0,0], 'motor': {'position': 1}}"),
        BODY("", "", "1", ", 'joint': {'kind': 'revolute', 'anchor': [0,0,0], 'motor': {'velocity': 1}}"),
        BODY("", "", "1", ", 'joint': {'kind': 'revolute', 'anchor': [0,0,0], 'motor': {'stiffness': 1}}"),
        BODY("", "", "1", ", 'joint': {'kind': 'revolute', 'anchor': [0,0,0], 'motor': {'damping': 1}}"),
        BODY("", "", "1",
             ", 'joint': {'kind': 'revolute', 'anchor': [0,0,0], 'motor': {'keys': [{'time': 1, "
             "'position': 1}]}}"),
        BODY("", "", "1", ", 'joint': {'kind': 'universal', 'anchor': [0,0,0], 'second': [0,1,0]}"),
        BODY("'pairs': [{'between': ['*', '*'], 'restitution': 0.5}],", "", "1", ""),
        BODY("'obstacles': [{'plane': {}, 'restitution': 0.5}],", "", "1", ""),
        BODY("", "", "1", ", 'pins': ['x-min']"),
        BODY("", "", "1", ", 'pins': ['x-max']"),
        BODY("", "", "1", ", 'pins': [{'group': 'x-max', 'release': 1}]"),
        BODY("", "", "1", ", 'scripts': [{'group': 'x-max', 'keys': [{'time': 1}]}]"),
        BODY("", "", "1", ", 'scripts': [{'group': 'x-max', 'interpolation': 'smooth', 'keys': [{'time': 1}]}]"),
        BODY("", "", "1", ", 'scripts': [{'group': 'x-max', 'keys': [{'time': 1, 'translation': [1,0,0]}]}]"),
        BODY("", "", "1", ", 'forces': [{'group': 'x-max', 'total': [0,0,1]}]"),
        BODY("", "", "1", ", 'forces': [{'group': 'x-max', 'acceleration': [0,0,1]}]"),
        BODY("", "", "1", ", 'forces': [{'group': 'x-max', 'acceleration': [0,0,1], 'ramp': 1}]"),
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_true(digest(same[i]) == base);
    uint64_t seen[sizeof other / sizeof *other];
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        seen[i] = digest(other[i]);
        assert_true(seen[i] != base);
        for (size_t j = 0; j < i; j++)
            assert_true(seen[i] != seen[j]);
    }
}

static void options_of_a_body_are_the_scene_s_but_for_those_it_gives(void **state) {
    (void)state;
    ThawScene *scene =
        parse("{'thaw': 1, 'materials': {'m': {}}, 'shapes': {'s': {'mesh': {'box': {'min': [0,0,0],"
              "'max': [1,1,1], 'cells': [1,1,1]}}, 'material': 'm'}},"
              "'bodies': [{'shape': 's'}, {'shape': 's', 'rigidify': {'tolerance': 0.5, 'sleep': 0}},"
              "{'shape': 's', 'rigidify': {}, 'name': 'many', 'repeat': {'count': [2,1,1], 'step': [2,0,0]}}],"
              "'rigidify': {'tolerance': 0.25, 'hold': 7, 'oracle': 'paper', 'split_gravity': true}}");
    const ThawWorldDef *w = &scene->world;
    assert_true(w->rigidify.tolerance == 0.25 && w->rigidify.hold == 7 && w->rigidify.sleep == 20);
    assert_true(w->rigidify.oracle == THAW_ORACLE_PAPER && w->rigidify.split_gravity == 1);
    assert_null(w->bodies[0].rigidify);
    const ThawRigidifyOptions *own = w->bodies[1].rigidify;
    assert_true(own->tolerance == 0.5 && own->sleep == 0);
    assert_true(own->hold == 7 && own->oracle == THAW_ORACLE_PAPER && own->split_gravity == 1 && own->relax == 0.1);
    for (int copy = 2; copy < 4; copy++)
        assert_memory_equal(w->bodies[copy].rigidify, &w->rigidify, sizeof w->rigidify);
    thaw_scene_free(&scene);
}

static void a_repeated_body_stands_for_a_grid_of_them(void **state) {
    (void)state;
    ThawScene *scene = load("tests/scene/small/grid.json");
    const ThawBodyDef *bodies = scene->world.bodies;
    assert_int_equal(scene->world.body_count, 7);
    assert_string_equal(bodies[0].name, "cube-0");
    assert_string_equal(bodies[5].name, "cube-5");
    assert_string_equal(bodies[6].name, "last");
    near_vector(bodies[0].position, 1, 2, 3);
    near_vector(bodies[2].position, 3, 2, 3);
    near_vector(bodies[4].position, 2, 4, 3);
    near_vector(bodies[4].scripts[0].centre, 2, 4, 3);
    assert_ptr_equal(bodies[4].scripts[0].keys, bodies[0].scripts[0].keys);
    thaw_scene_free(&scene);
}

static void null_arguments_are_refused_or_allowed_as_documented(void **state) {
    (void)state;
    ThawScene *scene = NULL;
    ThawError error;
    assert_int_equal(thaw_scene_load(NULL, &scene, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_scene_load("x", NULL, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_scene_parse(NULL, 0, "x", NULL, &scene, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_scene_parse("{}", 2, "x", NULL, NULL, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_scene_parse("{}", 2, NULL, NULL, &scene, NULL), THAW_ERROR_INPUT);
    assert_null(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smallest_scene_takes_every_default),
        cmocka_unit_test(settings_and_two_materials_come_out_as_written),
        cmocka_unit_test(newton_settings_and_a_pin_that_lets_go_come_out_as_written),
        cmocka_unit_test(a_scene_in_the_plane_has_vectors_of_two_and_turns_about_z),
        cmocka_unit_test(two_bodies_share_one_shape),
        cmocka_unit_test(scripts_forces_and_all_kinds_of_groups_come_out_as_written),
        cmocka_unit_test(long_turns_in_legs_keep_neighbouring_quaternions_near),
        cmocka_unit_test(every_published_scene_loads),
        cmocka_unit_test(comments_are_passed_over_but_not_inside_strings),
        cmocka_unit_test(the_digest_sees_what_the_trajectory_depends_on_and_nothing_else),
        cmocka_unit_test(options_of_a_body_are_the_scene_s_but_for_those_it_gives),
        cmocka_unit_test(a_repeated_body_stands_for_a_grid_of_them),
        cmocka_unit_test(null_arguments_are_refused_or_allowed_as_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
