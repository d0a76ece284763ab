// SPDX-License-Identifier: Apache-2.0
// Options of bodies: what a body has of its own moves it as if the whole world had it, and is part of the state.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"
#include "support/folder.h"
#include "support/world.h"

// Two bars that bend under their weight and come to rest, far from each other.
#define SCENE(rigidify, left, right)                                                                                   \
    "{\"thaw\": 1, \"rigidify\": {" rigidify "}, \"time\": {\"step\": 0.01},"                                          \
    "\"materials\": {\"soft\": {\"young\": 2e5, \"density\": 1000, \"alpha1\": 0.02}},"                                \
    "\"shapes\": {\"bar\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.4, 0.1, 0.1], \"cells\": [8, 2, "     \
    "2]}},"                                                                                                            \
    "\"material\": \"soft\"}}, \"bodies\": ["                                                                          \
    "{\"name\": \"left\", \"shape\": \"bar\", \"method\": \"rigidify\", \"pins\": [\"x-min\"]" left "},"               \
    "{\"name\": \"right\", \"shape\": \"bar\", \"method\": \"rigidify\", \"position\": [0, 1, 0], \"pins\": "          \
    "[\"x-min\"]" right "}]}"
#define TIGHT "\"tolerance\": 1e-4"
#define LOOSE "\"tolerance\": 1e-2"
#define OWN(options) ", \"rigidify\": {" options "}"

enum { VERTICES = 9 * 3 * 3, STEPS = 300 };

static void positions(const ThawWorld *world, int32_t body, double x[3 * VERTICES]) {
    assert_int_equal(thaw_world_vertex_count(world, body), VERTICES);
    assert_int_equal(thaw_world_get_positions(world, body, x), THAW_OK);
}

static int same_body(const ThawWorld *a, const ThawWorld *b, int32_t body) {
    double x[2][3 * VERTICES];
    positions(a, body, x[0]);
    positions(b, body, x[1]);
    return memcmp(x[0], x[1], sizeof x[0]) == 0;
}

// Steps until the body sleeps.
static int steps_to_sleep(ThawWorld *world, int32_t body) {
    int steps = 0;
    while (!thaw_world_is_asleep(world, body) && steps < 2000) {
        run_world(world, 1);
        steps++;
    }
    return steps;
}

static double tolerance_of(const ThawWorld *world, int32_t body) {
    ThawRigidifyOptions options = {0};
    assert_int_equal(thaw_world_get_body_rigidify(world, body, &options), THAW_OK);
    return options.tolerance;
}

static void a_body_with_its_own_tolerance_moves_as_in_a_world_of_that_tolerance(void **state) {
    (void)state;
    ThawWorld *mixed = make_world(SCENE(TIGHT, "", OWN(LOOSE)), 1);
    ThawWorld *tight = make_world(SCENE(TIGHT, "", ""), 1), *loose = make_world(SCENE(LOOSE, "", ""), 1);
    int apart = 0;
    for (int i = 0; i < STEPS; i++) {
        run_world(mixed, 1);
        run_world(tight, 1);
        run_world(loose, 1);
        assert_true(same_body(mixed, tight, 0) && same_body(mixed, loose, 1));
        apart += !same_body(tight, loose, 0);
    }
    if (apart < 20)
        fail_msg("they differ in %d steps only", apart);
    ThawRigidifyOptions a, b;
    assert_int_equal(thaw_world_get_thresholds(mixed, 0, &a), THAW_OK);
    assert_int_equal(thaw_world_get_thresholds(mixed, 1, &b), THAW_OK);
    assert_true(b.epsilon > 99 * a.epsilon && b.sleep_speed > 99 * a.sleep_speed);
    const int first = steps_to_sleep(mixed, 1), second = steps_to_sleep(mixed, 0);
    assert_true(second > 0 && first + second < 2000);
    thaw_world_free(&mixed);
    thaw_world_free(&tight);
    thaw_world_free(&loose);
}

static int is_ripe(const ThawWorld *world, const ThawStepStats *stats) {
    return stats->rigid_parts > 0 || thaw_world_step_count(world) % 20 == 0;
}

static void a_run_with_options_of_bodies_has_the_same_bits_after_every_checkpoint(void **state) {
    (void)state;
    const int saved = bits_across_checkpoints(SCENE(TIGHT, OWN("\"hold\": 3, \"sleep\": 0"), OWN(LOOSE)), STEPS,
                                              at("options.h5"), is_ripe);
    assert_true(saved > 10);
}

// Options are state: a world that was made otherwise has them after loading.
static void a_checkpoint_brings_options_of_bodies_along(void **state) {
    (void)state;
    ThawWorld *one = make_world(SCENE(TIGHT, "", OWN(LOOSE)), 1), *two = make_world(SCENE("", OWN(LOOSE), ""), 1);
    ThawRigidifyOptions options;
    run_world(one, STEPS);
    assert_int_equal(thaw_world_save(one, at("one.h5"), NULL), THAW_OK);
    assert_int_equal(thaw_world_load(two, at("one.h5"), NULL), THAW_OK);
    assert_int_equal(thaw_world_get_rigidify(two, &options), THAW_OK);
    assert_true(options.tolerance == 1e-4 && tolerance_of(two, 0) == 1e-4 && tolerance_of(two, 1) == 1e-2);
    for (int i = 0; i < STEPS; i++) {
        run_world(one, 1);
        run_world(two, 1);
        assert_true(thaw_world_hash(one) == thaw_world_hash(two));
    }
    thaw_world_free(&one);
    thaw_world_free(&two);
}

static double option(const ThawWorld *world, int32_t body, const char *name) {
    double value = -1;
    assert_int_equal(thaw_world_get_option(world, body, "rigidify", name, &value), THAW_OK);
    return value;
}

// By names, in definitions and at run time: the same as by the struct.
static void options_are_set_and_told_by_name(void **state) {
    (void)state;
    ThawWorld *world = make_world(SCENE(TIGHT, "", OWN(LOOSE)), 1), *other = make_world(SCENE(LOOSE, "", ""), 1);
    ThawError error = {0};
    double value;
    assert_true(option(world, -1, "tolerance") == 1e-4 && option(world, 1, "tolerance") == 1e-2);
    assert_int_equal(thaw_world_get_option_in_force(world, 0, "epsilon", &value), THAW_OK);
    assert_true(option(world, 0, "epsilon") == 0 && value > 0);
    assert_int_equal(thaw_world_set_option(world, -1, "rigidify", "hold", 7, &error), THAW_OK);
    assert_true(option(world, 0, "hold") == 7 && option(world, 1, "hold") == 7);
    assert_true(option(world, 1, "tolerance") == 1e-2); // the rest stays its own
    const ThawOptionDef rows[] = {{"rigidify", "tolerance", 1e-2}, {"rigidify", "hold", option(other, 0, "hold")}};
    assert_int_equal(thaw_world_set_options(world, 0, rows, 2, &error), THAW_OK);
    assert_true(option(world, -1, "tolerance") == 1e-4 && option(world, 0, "tolerance") == 1e-2);
    run_world(world, 100);
    run_world(other, 100);
    assert_true(same_body(world, other, 0));
    assert_int_equal(thaw_world_clear_options(world, -1, "rigidify", &error), THAW_OK);
    assert_true(option(world, 0, "tolerance") == 1e-4 && option(world, 1, "tolerance") == 1e-4);
    // All or none, and an error says what is wrong.
    const ThawOptionDef bad[] = {{"rigidify", "tolerance", 1e-3}, {"rigidify", "hold", -1}};
    assert_int_equal(thaw_world_set_options(world, 0, bad, 2, &error), THAW_ERROR_INPUT);
    assert_true(strstr(error.message, "hold is -1") && option(world, 0, "tolerance") == 1e-4);
    assert_int_equal(thaw_world_set_option(world, 0, "rigid", "hold", 1, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "\"rigid\""));
    assert_int_equal(thaw_world_set_option(world, 0, "full", "hold", 1, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_set_option(world, 2, "rigidify", "hold", 1, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_set_option(NULL, 0, "rigidify", "hold", 1, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_set_options(world, 0, NULL, 1, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_clear_options(world, 0, NULL, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_get_option(world, 0, "rigidify", "none", &value), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_get_option_in_force(world, -1, "hold", &value), THAW_ERROR_INPUT);
    thaw_world_free(&world);
    thaw_world_free(&other);
}

static void a_body_s_option_may_be_left_to_follow_where_the_world_gives_it(void **state) {
    (void)state;
    ThawWorld *world = make_world(SCENE("\"epsilon\": 1e-3", OWN("\"epsilon\": \"auto\""), ""), 1);
    assert_true(option(world, 0, "epsilon") == 0 && option(world, 1, "epsilon") == 1e-3);
    thaw_world_free(&world);
}

static void options_of_a_body_change_while_it_runs(void **state) {
    (void)state;
    ThawWorld *world = make_world(SCENE(TIGHT, "", ""), 1), *loose = make_world(SCENE(LOOSE, "", ""), 1);
    ThawRigidifyOptions options;
    ThawError error = {0};
    assert_int_equal(thaw_world_get_rigidify(loose, &options), THAW_OK);
    assert_int_equal(thaw_world_set_body_rigidify(world, 1, &options, &error), THAW_OK);
    assert_true(tolerance_of(world, 0) == 1e-4 && tolerance_of(world, 1) == 1e-2);
    run_world(world, STEPS);
    run_world(loose, STEPS);
    assert_true(same_body(world, loose, 1) && !same_body(world, loose, 0));
    // A change wakes the body that it concerns, and no other.
    while (!thaw_world_is_asleep(world, 0) || !thaw_world_is_asleep(world, 1))
        run_world(world, 1);
    assert_int_equal(thaw_world_set_body_rigidify(world, 1, NULL, &error), THAW_OK);
    assert_true(thaw_world_is_asleep(world, 0) && !thaw_world_is_asleep(world, 1));
    assert_true(tolerance_of(world, 1) == 1e-4);
    // What is set for the world is so for all.
    assert_int_equal(thaw_world_set_body_rigidify(world, 0, &options, &error), THAW_OK);
    options.tolerance = 0.5;
    assert_int_equal(thaw_world_set_rigidify(world, &options, &error), THAW_OK);
    assert_true(tolerance_of(world, 0) == 0.5 && tolerance_of(world, 1) == 0.5);
    thaw_world_free(&world);
    thaw_world_free(&loose);
}

// A body keeps its options while another method moves it, and one never sleeps that is told so.
static void options_outlive_other_methods_and_say_whether_a_body_sleeps(void **state) {
    (void)state;
    ThawWorld *world = make_world(SCENE("", OWN("\"sleep\": 0"), ""), 1);
    assert_int_equal(thaw_world_set_method(world, 0, "full", NULL), THAW_OK);
    run_world(world, 5);
    assert_int_equal(thaw_world_set_method(world, 0, "rigidify", NULL), THAW_OK);
    ThawRigidifyOptions options;
    assert_int_equal(thaw_world_get_body_rigidify(world, 0, &options), THAW_OK);
    assert_int_equal(options.sleep, 0);
    assert_true(steps_to_sleep(world, 1) < 2000);
    assert_false(thaw_world_is_asleep(world, 0));
    assert_int_equal(run_world(world, 100).asleep, 1);
    thaw_world_free(&world);
}

static void what_is_wrong_is_refused_by_name_and_changes_nothing(void **state) {
    (void)state;
    ThawWorld *world = make_world(SCENE(TIGHT, "", OWN(LOOSE)), 1);
    ThawRigidifyOptions options;
    ThawError error = {0};
    assert_int_equal(thaw_world_get_rigidify(world, &options), THAW_OK);
    options.sleep = 1;
    assert_int_equal(thaw_world_set_body_rigidify(world, 1, &options, &error), THAW_ERROR_INPUT);
    assert_string_equal(error.message, "body 1 (right): rigidify: sleep is 1; allowed: 0 (never), or 2 to 255");
    assert_true(tolerance_of(world, 1) == 1e-2);
    options.sleep = 2;
    assert_int_equal(thaw_world_set_body_rigidify(world, 2, &options, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "body is 2; allowed: 0 to 1"));
    assert_int_equal(thaw_world_set_body_rigidify(world, -1, &options, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_set_body_rigidify(NULL, 0, &options, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_get_body_rigidify(NULL, 0, &options), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_get_body_rigidify(world, 2, &options), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_get_body_rigidify(world, 0, NULL), THAW_ERROR_INPUT);
    thaw_world_free(&world);
}

// Parts are formed anew by another `smallest`: what is saved after that can be read.
static void other_sizes_of_parts_can_be_saved_at_once(void **state) {
    (void)state;
    ThawWorld *world = make_world(SCENE(LOOSE, "", ""), 1), *other = make_world(SCENE(LOOSE, "", ""), 1);
    ThawRigidifyOptions options;
    ThawError error = {0};
    ThawStepStats stats = {0};
    char path[] = "/tmp/thaw-options-XXXXXX";
    close(mkstemp(path));
    for (int i = 0; i < 300 && stats.rigid_parts == 0; i++)
        stats = run_world(world, 1);
    assert_true(stats.rigid_parts > 0);
    assert_int_equal(thaw_world_get_body_rigidify(world, 0, &options), THAW_OK);
    options.smallest = 100000;
    assert_int_equal(thaw_world_set_body_rigidify(world, 0, &options, &error), THAW_OK);
    for (int i = 0; i < 3; i++) {
        if (thaw_world_save(world, path, &error) != THAW_OK || thaw_world_load(other, path, &error) != THAW_OK)
            fail_msg("%s", error.message);
        assert_int_equal(run_world(world, 1).state_hash, run_world(other, 1).state_hash);
    }
    unlink(path);
    thaw_world_free(&world);
    thaw_world_free(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_sizes_of_parts_can_be_saved_at_once),
        cmocka_unit_test(a_body_with_its_own_tolerance_moves_as_in_a_world_of_that_tolerance),
        cmocka_unit_test(a_run_with_options_of_bodies_has_the_same_bits_after_every_checkpoint),
        cmocka_unit_test(a_checkpoint_brings_options_of_bodies_along),
        cmocka_unit_test(options_are_set_and_told_by_name),
        cmocka_unit_test(a_body_s_option_may_be_left_to_follow_where_the_world_gives_it),
        cmocka_unit_test(options_of_a_body_change_while_it_runs),
        cmocka_unit_test(options_outlive_other_methods_and_say_whether_a_body_sleeps),
        cmocka_unit_test(what_is_wrong_is_refused_by_name_and_changes_nothing),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
