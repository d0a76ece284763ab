// SPDX-License-Identifier: Apache-2.0
// Worlds that take over the state of another one, as a live view does for a dropped body and for two views.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "thaw/thaw.h"

static ThawScene *scene;
static char path[] = "/tmp/thaw-take-over-XXXXXX";

static int set_up(void **state) {
    (void)state;
    const int handle = mkstemp(path);
    if (handle < 0)
        return -1;
    close(handle);
    ThawError error = {0};
    return thaw_scene_load(THAW_SOURCE_DIR "/tests/scene/small/rest.json", &scene, &error);
}

static int tear_down(void **state) {
    (void)state;
    thaw_scene_free(&scene);
    return unlink(path);
}

static ThawWorld *world_of(const ThawWorldDef *def) {
    ThawWorld *world = NULL;
    ThawError error = {0};
    if (thaw_world_create(def, &world, &error) != THAW_OK)
        fail_msg("%s", error.message);
    return world;
}

static void make_steps(ThawWorld *world, int count) {
    ThawError error = {0};
    for (int i = 0; i < count; i++)
        assert_int_equal(thaw_world_step(world, NULL, &error), THAW_OK);
}

static void pass(const ThawWorld *from, ThawWorld *to) {
    ThawError error = {0};
    assert_int_equal(thaw_world_save(from, path, &error), THAW_OK);
    if (thaw_world_load(to, path, &error) != THAW_OK)
        fail_msg("%s", error.message);
}

// Positions of a body, which the caller frees.
static double *positions_of(const ThawWorld *world, int32_t body) {
    double *x = calloc(3 * (size_t)thaw_world_vertex_count(world, body), sizeof *x);
    assert_int_equal(thaw_world_get_positions(world, body, x), THAW_OK);
    return x;
}

static void assert_same_body(const ThawWorld *a, const ThawWorld *b, int32_t body) {
    double *xa = positions_of(a, body), *xb = positions_of(b, body);
    assert_memory_equal(xa, xb, 3 * sizeof *xa * (size_t)thaw_world_vertex_count(a, body));
    free(xa);
    free(xb);
}

static void a_world_with_one_body_more_goes_on_with_the_same_bits(void **state) {
    (void)state;
    ThawWorldDef def = scene->world, more = def;
    ThawBodyDef *bodies = calloc((size_t)def.body_count + 1, sizeof *bodies);
    memcpy(bodies, def.bodies, sizeof *bodies * (size_t)def.body_count);
    bodies[def.body_count] = thaw_body_def_default(); // falls far away from the others
    bodies[def.body_count].name = "one more";
    bodies[def.body_count].position[0] = 100;
    more.bodies = bodies;
    more.body_count = def.body_count + 1;
    ThawWorld *first = world_of(&def), *second = world_of(&more);
    make_steps(first, 25);
    pass(first, second);
    assert_true(thaw_world_time(first) == thaw_world_time(second));
    make_steps(first, 15);
    make_steps(second, 15);
    for (int32_t b = 0; b < def.body_count; b++)
        assert_same_body(first, second, b);
    double *x = positions_of(second, def.body_count);
    const double fallen = 0.5 * 9.81 * 0.15 * 0.15;
    assert_true(x[2] < -0.5 * fallen);
    free(x);
    // The other way round there is no body to go on with.
    ThawError error = {0};
    assert_int_equal(thaw_world_save(second, path, &error), THAW_OK);
    assert_int_equal(thaw_world_load(first, path, &error), THAW_ERROR_INPUT);
    thaw_world_free(&first);
    thaw_world_free(&second);
    free(bodies);
}

static void a_state_goes_through_full_and_back_whatever_the_world_was_made_with(void **state) {
    (void)state;
    ThawError error = {0};
    ThawWorld *first = world_of(&scene->world);
    make_steps(first, 10);
    assert_int_equal(thaw_world_set_method(first, -1, "full", &error), THAW_OK);
    make_steps(first, 5);
    ThawWorld *second = world_of(&scene->world); // its bodies start asleep
    pass(first, second);
    for (int32_t b = 0; b < scene->world.body_count; b++)
        assert_string_equal(thaw_world_get_method(second, b), "full");
    make_steps(first, 5);
    make_steps(second, 5);
    assert_true(thaw_world_hash(first) == thaw_world_hash(second));
    assert_int_equal(thaw_world_set_method(second, -1, "rigidify", &error), THAW_OK);
    make_steps(second, 5);
    pass(second, first);
    make_steps(first, 5);
    make_steps(second, 5);
    assert_true(thaw_world_hash(first) == thaw_world_hash(second));
    thaw_world_free(&first);
    thaw_world_free(&second);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_with_one_body_more_goes_on_with_the_same_bits),
        cmocka_unit_test(a_state_goes_through_full_and_back_whatever_the_world_was_made_with),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
