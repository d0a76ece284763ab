// SPDX-License-Identifier: Apache-2.0
// Every allocation of starting at rest, waking and changing method made to fail once: the call says so, leaks nothing,
// and works when it is tried again; a step that failed has left the state as it was. Questions at rest make none.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/memory.h"
#include "thaw/thaw.h"

static const char text[] =
    "{\"thaw\": 1, \"materials\": {\"soft\": {\"young\": 1e5, \"density\": 500, \"alpha1\": 0.02}}, \"shapes\": "
    "{\"bar\": "
    "{\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.4, 0.1, 0.1], \"cells\": [4, 1, 1]}}, \"material\": "
    "\"soft\"}},"
    "\"bodies\": [{\"shape\": \"bar\", \"method\": \"rigidify\", \"start\": \"rest\", \"pins\": [\"x-min\"], "
    "\"forces\": "
    "[{\"group\": \"x-max\", \"total\": [0, 2, 0], \"from\": 0.1}]}, {\"shape\": \"bar\", \"position\": [0, 0.2, 0], "
    "\"method\": \"rigidify\", \"start\": \"rest\", \"pins\": [\"x-min\"]}]}";

static ThawWorld *make(long failing, ThawStatus *status) {
    ThawScene *scene = NULL;
    ThawWorld *world = NULL;
    assert_int_equal(thaw_scene_parse(text, sizeof text - 1, "scene", NULL, &scene, NULL), THAW_OK);
    until_failure = failing;
    *status = thaw_world_create(&scene->world, &world, NULL);
    if (failing < 0 || until_failure >= 0)
        assert_int_equal(*status, THAW_OK);
    until_failure = -1;
    thaw_scene_free(&scene);
    return world;
}

static void starting_at_rest_survives_each_failing_allocation(void **state) {
    (void)state;
    ThawStatus status = THAW_ERROR_MEMORY;
    long n = 0;
    for (; status == THAW_ERROR_MEMORY; n++) {
        ThawWorld *world = make(n, &status);
        assert_true((world != NULL) == (status == THAW_OK));
        thaw_world_free(&world);
    }
    assert_int_equal(status, THAW_OK);
    assert_true(n > 100);
    print_message("%ld allocations\n", n);
}

static void a_step_that_wakes_a_body_can_be_tried_again(void **state) {
    (void)state;
    ThawStatus status;
    ThawWorld *world = make(-1, &status), *calm = make(-1, &status);
    for (int i = 0; i < 9; i++) {
        assert_int_equal(thaw_world_step(world, NULL, NULL), THAW_OK);
        assert_int_equal(thaw_world_step(calm, NULL, NULL), THAW_OK);
    }
    uint64_t hash = thaw_world_hash(world);
    long n = 0, failures = 0;
    for (int done = 0; done < 3;) { // nothing, then the wake
        ThawError error = {0};
        until_failure = n++;
        status = thaw_world_step(world, NULL, &error);
        int failed = until_failure < 0;
        until_failure = -1;
        if (!failed || status == THAW_OK) {
            assert_int_equal(status, THAW_OK);
            assert_int_equal(thaw_world_step(calm, NULL, NULL), THAW_OK);
            hash = thaw_world_hash(world);
            done++;
            n = 0;
            continue;
        }
        failures++;
        assert_int_equal(status, THAW_ERROR_MEMORY);
        assert_non_null(strstr(error.message, "memory"));
        assert_int_equal(thaw_world_hash(world), hash);
    }
    print_message("%ld failures\n", failures);
    assert_true(failures > 20);
    assert_false(thaw_world_is_asleep(world, 0));
    assert_true(thaw_world_is_asleep(world, 1));
    thaw_world_free(&world);
    thaw_world_free(&calm);
}

static void changing_the_method_survives_each_failing_allocation(void **state) {
    (void)state;
    ThawStatus status;
    ThawWorld *world = make(-1, &status);
    for (int to_full = 1; to_full >= 0; to_full--) {
        status = THAW_ERROR_MEMORY;
        for (long n = 0; status == THAW_ERROR_MEMORY; n++) {
            until_failure = n;
            status = thaw_world_set_method(world, -1, to_full ? "full" : "rigidify", NULL);
            until_failure = -1;
            assert_int_equal(thaw_world_step(world, NULL, NULL), THAW_OK);
        }
        assert_int_equal(status, THAW_OK);
    }
    assert_string_equal(thaw_world_get_method(world, 1), "rigidify");
    thaw_world_free(&world);
}

static void changing_options_of_a_body_survives_each_failing_allocation(void **state) {
    (void)state;
    ThawStatus status;
    ThawWorld *world = make(-1, &status);
    ThawRigidifyOptions options, now;
    assert_int_equal(thaw_world_get_rigidify(world, &options), THAW_OK);
    options.hold++;
    long n = 0;
    for (status = THAW_ERROR_MEMORY; status == THAW_ERROR_MEMORY; n++) {
        assert_int_equal(thaw_world_get_body_rigidify(world, 1, &now), THAW_OK);
        assert_int_equal(now.hold, options.hold - 1);
        until_failure = n;
        status = thaw_world_set_body_rigidify(world, 1, &options, NULL);
        until_failure = -1;
    }
    assert_int_equal(status, THAW_OK);
    assert_true(n > 1);
    assert_int_equal(thaw_world_get_body_rigidify(world, 1, &now), THAW_OK);
    assert_int_equal(now.hold, options.hold);
    assert_int_equal(thaw_world_step(world, NULL, NULL), THAW_OK);
    thaw_world_free(&world);
}

// Bodies that bear others, pressed and glued, under loads that change slowly: asked in many steps, never asleep.
static const char stack[] =
    "{\"thaw\": 1, \"time\": {\"step\": 0.005}, \"rigidify\": {\"sleep\": 0}, \"materials\": {\"soft\": "
    "{\"young\": 1e6}}, \"shapes\": {\"cube\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.1, 0.1, 0.1], "
    "\"cells\": [2, 2, 2]}}, \"material\": \"soft\"}}, \"bodies\": [{\"name\": \"low\", \"shape\": \"cube\", "
    "\"method\": \"rigidify\"}, {\"shape\": \"cube\", \"position\": [0, 0, 0.10001], \"method\": \"rigidify\"}, "
    "{\"name\": \"glued\", \"shape\": \"cube\", \"position\": [0, 0, 0.20002], \"method\": \"rigidify\", "
    "\"forces\": [{\"group\": \"all\", \"total\": [0.5, 0, -1], \"from\": 1, \"ramp\": 8}]}, {\"name\": \"top\", "
    "\"shape\": \"cube\", \"position\": [0, 0, 0.30003], \"method\": \"rigidify\"}], \"obstacles\": [{\"plane\": {}}], "
    "\"attachments\": [{\"body\": \"top\", \"group\": \"z-min\", \"to\": \"glued\"}]}";

static void questions_about_bodies_at_rest_allocate_nothing(void **state) {
    (void)state;
    for (int integrator = 0; integrator < THAW_INTEGRATOR_COUNT; integrator++) {
        ThawScene *scene = NULL;
        ThawWorld *world = NULL;
        ThawStepStats stats;
        int rigid = 0;
        assert_int_equal(thaw_scene_parse(stack, sizeof stack - 1, "stack", NULL, &scene, NULL), THAW_OK);
        scene->world.integrator = (ThawIntegrator)integrator;
        assert_int_equal(thaw_world_create(&scene->world, &world, NULL), THAW_OK);
        for (int i = 0; i < 1000; i++) {
            const int64_t before = allocations_made;
            assert_int_equal(thaw_world_step(world, &stats, NULL), THAW_OK);
            assert_true(rigid <= 20 || allocations_made == before);
            rigid = stats.elastic_elements == 0 ? rigid + 1 : 0;
        }
        assert_true(rigid > 800 && stats.asleep == 0);
        thaw_world_free(&world);
        thaw_scene_free(&scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starting_at_rest_survives_each_failing_allocation),
        cmocka_unit_test(a_step_that_wakes_a_body_can_be_tried_again),
        cmocka_unit_test(changing_the_method_survives_each_failing_allocation),
        cmocka_unit_test(changing_options_of_a_body_survives_each_failing_allocation),
        cmocka_unit_test(questions_about_bodies_at_rest_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
