// SPDX-License-Identifier: Apache-2.0
// Worlds with attachments, with units and with bones: every allocation made to fail once, and steady steps that make
// none.
#include <unistd.h>

#include "step/sample.h"
#include "support/memory.h"
#include "thaw/scene.h"

typedef struct Held {
    ThawScene *scene;
    ThawWorld *world;
    uint64_t hash;
    char path[40];
} Held;

static void arm(long which) {
    allocations_made = 0;
    until_failure = which - 1;
}

static long fail_each(ThawStatus (*operation)(Held *held, ThawError *error), Held *held) {
    for (long n = 1;; n++) {
        ThawError error = {0};
        arm(n);
        ThawStatus status = operation(held, &error);
        const int failed = until_failure < 0;
        arm(0);
        if (!failed) {
            assert_int_equal(status, THAW_OK);
            return n - 1;
        }
        if (status != THAW_ERROR_MEMORY || !strstr(error.message, "memory"))
            fail_msg("allocation %ld: %s (%s)", n, thaw_status_name(status), error.message);
    }
}

static const char *const files[] = {"attached.json", "unit.json", "bones.json"};

static void begin(Held *held, const char *file) {
    char path[1000];
    ThawError error = {0};
    snprintf(path, sizeof path, THAW_SOURCE_DIR "/tests/scene/small/%s", file);
    *held = (Held){.path = "/tmp/thaw_test_held_XXXXXX"};
    if (thaw_scene_load(path, &held->scene, &error) != THAW_OK)
        fail_msg("%s", error.message);
    held->scene->world.threads = 1;
}

static ThawStatus create(Held *held, ThawError *error) {
    ThawWorld *world = NULL;
    ThawStatus status = thaw_world_create(&held->scene->world, &world, error);
    thaw_world_free(&world);
    return status;
}

static ThawStatus step(Held *held, ThawError *error) {
    ThawStatus status = thaw_world_step(held->world, NULL, error);
    if (status != THAW_OK)
        assert_true(thaw_world_hash(held->world) == held->hash);
    return status;
}

static ThawStatus save(Held *held, ThawError *error) { return thaw_world_save(held->world, held->path, error); }

static ThawStatus load(Held *held, ThawError *error) { return thaw_world_load(held->world, held->path, error); }

static void each_allocation_of_it_may_fail(const char *file) {
    Held held;
    ThawWorld *calm = NULL;
    begin(&held, file);
    assert_true(fail_each(create, &held) > 50);
    assert_int_equal(thaw_world_create(&held.scene->world, &held.world, NULL), THAW_OK);
    assert_int_equal(thaw_world_create(&held.scene->world, &calm, NULL), THAW_OK);
    for (int i = 0; i < 3; i++) {
        held.hash = thaw_world_hash(held.world);
        assert_true(fail_each(step, &held) > (i == 0 ? 10 : -1));
        sample_steps(calm, 1);
        assert_true(thaw_world_hash(held.world) == thaw_world_hash(calm));
    }
    close(mkstemp(held.path));
    fail_each(save, &held);
    fail_each(load, &held);
    assert_true(sample_steps(held.world, 20).state_hash == sample_steps(calm, 20).state_hash);
    unlink(held.path);
    thaw_world_free(&held.world);
    thaw_world_free(&calm);
    thaw_scene_free(&held.scene);
}

static void each_allocation_may_fail(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        each_allocation_of_it_may_fail(files[i]);
}

static void steady_steps_of_it_allocate_nothing(const char *file) {
    Held held;
    begin(&held, file);
    held.scene->world.contact.disabled = 1;
    for (int32_t i = 0; i < held.scene->world.body_count && strcmp(file, "bones.json") != 0; i++)
        ((ThawBodyDef *)held.scene->world.bodies)[i].method = "full";
    for (int integrator = 0; integrator < 2; integrator++) {
        held.scene->world.integrator = (ThawIntegrator)integrator;
        assert_int_equal(thaw_world_create(&held.scene->world, &held.world, NULL), THAW_OK);
        sample_steps(held.world, 5);
        arm(0);
        sample_steps(held.world, 30);
        assert_int_equal(allocations_made, 0);
        thaw_world_free(&held.world);
    }
    thaw_scene_free(&held.scene);
}

static void steady_steps_allocate_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        steady_steps_of_it_allocate_nothing(files[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_allocation_may_fail),
        cmocka_unit_test(steady_steps_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
