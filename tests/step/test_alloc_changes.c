// SPDX-License-Identifier: Apache-2.0
// Changes of shapes: every allocation made to fail once. The world stays as it was, or has changed; and then goes on
// with the same bits as one that was never short of memory. Steady steps after a change make no allocation.
#include <unistd.h>

#include "step/sample.h"
#include "support/memory.h"
#include "thaw/scene.h"

static ThawScene *scene;

static void arm(long which) {
    allocations_made = 0;
    until_failure = which - 1;
}

static ThawWorld *world_of(int32_t bodies) {
    ThawWorld *world = NULL;
    ThawError error = {0};
    ThawWorldDef def = scene->world;
    def.threads = 1;
    def.body_count = bodies;
    if (thaw_world_create(&def, &world, &error) != THAW_OK)
        fail_msg("%s", error.message);
    return world;
}

static void read_scene(void) {
    ThawError error = {0};
    if (thaw_scene_load(THAW_SOURCE_DIR "/tests/scene/small/changed.json", &scene, &error) != THAW_OK)
        fail_msg("%s", error.message);
}

static void steps(ThawWorld *world, int count) {
    ThawError error = {0};
    for (int i = 0; i < count; i++)
        if (thaw_world_step(world, NULL, &error) != THAW_OK)
            fail_msg("%s", error.message);
}

// Every allocation of a call, for a body of each method.
static void test_calls_fail_cleanly(void **state) {
    (void)state;
    read_scene();
    ThawChangeDef hole = thaw_change_def_default();
    hole.where = (ThawGroupDef){.select = THAW_SELECT_SPHERE, .a = {0.5, 0.05, 0.05}, .radius = 0.08};
    for (int32_t body = 0; body < 3; body += 2) {
        ThawWorld *straight = world_of(3), *world = world_of(3);
        steps(straight, 5);
        steps(world, 5);
        assert_int_equal(thaw_world_change(straight, body, &hole, NULL), THAW_OK);
        const uint64_t before = thaw_world_hash(world);
        long n = 1;
        for (;; n++) {
            ThawError error = {0};
            arm(n);
            const ThawStatus status = thaw_world_change(world, body, &hole, &error);
            const int failed = until_failure < 0;
            arm(0);
            if (!failed) {
                assert_int_equal(status, THAW_OK);
                break;
            }
            if (status != THAW_ERROR_MEMORY || !strstr(error.message, "memory"))
                fail_msg("allocation %ld: %s (%s)", n, thaw_status_name(status), error.message);
            assert_true(thaw_world_hash(world) == before);
        }
        print_message("body %d: %ld allocations\n", (int)body, n - 1);
        assert_true(n > 50);
        steps(straight, 20);
        steps(world, 20);
        assert_true(thaw_world_hash(world) == thaw_world_hash(straight));
        thaw_world_free(&world);
        thaw_world_free(&straight);
    }
    thaw_scene_free(&scene);
}

// A change that is due and finds no memory is told by the next step, which leaves all as it is.
static void test_due_changes_wait(void **state) {
    (void)state;
    read_scene();
    ThawWorld *straight = world_of(3);
    steps(straight, 14);
    for (long n = 1; n < 400; n += 7) {
        ThawWorld *world = world_of(3);
        ThawError error = {0};
        steps(world, 9);
        arm(n);
        ThawStatus status = thaw_world_step(world, NULL, &error);
        const int64_t made = thaw_world_step_count(world);
        arm(1);
        const uint64_t hash = thaw_world_hash(world);
        if (status == THAW_OK && thaw_world_change_count(world, -1) == 0) {
            assert_int_equal(thaw_world_step(world, NULL, &error), THAW_ERROR_MEMORY);
            assert_true(thaw_world_hash(world) == hash);
        } else if (status != THAW_OK)
            assert_int_equal(status, THAW_ERROR_MEMORY);
        arm(0);
        steps(world, 14 - (int)made);
        assert_true(thaw_world_hash(world) == thaw_world_hash(straight));
        thaw_world_free(&world);
    }
    thaw_world_free(&straight);
    thaw_scene_free(&scene);
}

static void test_steady_steps_allocate_nothing(void **state) {
    (void)state;
    read_scene();
    ThawWorld *world = world_of(1);
    steps(world, 45); // all changes have happened
    assert_int_equal(thaw_world_change_count(world, 0), 4);
    allocations_made = 0;
    steps(world, 20);
    assert_int_equal(allocations_made, 0);
    thaw_world_free(&world);
    thaw_scene_free(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls_fail_cleanly),
        cmocka_unit_test(test_due_changes_wait),
        cmocka_unit_test(test_steady_steps_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
