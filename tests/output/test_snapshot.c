// SPDX-License-Identifier: Apache-2.0
// Snapshots: the same bits from there on as without, in the same world, one that has changed since, and clones, which
// are used from other threads at the same time.
#include <pthread.h>

#include "step/sample.h"
#include "support/world.h"
#include "thaw/thaw.h"

static const char scene[] =
    "{ \"thaw\": 1, \"contact\": {},"
    "  \"materials\": {\"foam\": {\"young\": 5e4, \"density\": 200, \"alpha1\": 0.02}},"
    "  \"shapes\": {\"cube\": {\"material\": \"foam\","
    "    \"mesh\": {\"box\": {\"min\": [0,0,0], \"max\": [0.2,0.2,0.2], \"cells\": [2,2,2]}}},"
    "    \"bar\": {\"material\": \"foam\","
    "    \"mesh\": {\"box\": {\"min\": [0,0,0], \"max\": [0.8,0.1,0.1], \"cells\": [8,1,1]}}}},"
    "  \"obstacles\": [{\"plane\": {}}],"
    "  \"bodies\": ["
    "    {\"name\": \"a\", \"shape\": \"cube\", \"position\": [0,0,0.01], \"method\": \"rigidify\"},"
    "    {\"name\": \"b\", \"shape\": \"cube\", \"position\": [0.02,0,0.25], \"method\": \"rigidify\"},"
    "    {\"name\": \"c\", \"shape\": \"bar\", \"position\": [0,0.5,0.6], \"pins\": [\"x-min\"], "
    "     \"method\": \"rigidify\"},"
    "    {\"name\": \"d\", \"shape\": \"bar\", \"position\": [0.8,0.5,0.6]}],"
    "  \"attachments\": [{\"body\": \"d\", \"group\": \"x-min\", \"to\": \"c\"}] }";

static void must(ThawStatus status, const ThawError *error) {
    if (status != THAW_OK)
        fail_msg("%s", error->message);
}

static void same_run(ThawWorld *a, ThawWorld *b, int steps) {
    assert_true(thaw_world_full_hash(a) == thaw_world_full_hash(b));
    for (int i = 0; i < steps; i++) {
        run_world(a, 1);
        run_world(b, 1);
        assert_true(thaw_world_full_hash(a) == thaw_world_full_hash(b));
    }
}

static void test_back_and_on(void **state) {
    (void)state;
    ThawError error = {0};
    const int stages[] = {0, 11, 60, 300, 900};
    for (int k = 0; k < COUNT(stages); k++) {
        ThawWorld *straight = make_world(scene, 1), *world = make_world(scene, 1), *clone = NULL;
        ThawSnapshot *snapshot = NULL;
        run_world(straight, stages[k]);
        run_world(world, stages[k]);
        must(thaw_world_snapshot(world, &snapshot, &error), &error);
        assert_true(thaw_snapshot_size(snapshot) > 1000);
        must(thaw_snapshot_make_world(snapshot, 2, &clone, &error), &error);
        same_run(straight, clone, 25);
        run_world(world, 40); // elsewhere,
        must(thaw_world_wake(world, -1), &error);
        must(thaw_world_restore(world, snapshot, &error), &error); // and back
        must(thaw_world_validate(world, &error), &error);
        run_world(world, 25);
        same_run(straight, world, 25);
        thaw_world_free(&straight);
        thaw_world_free(&world);
        thaw_snapshot_free(&snapshot); // the clone needs nothing of either
        run_world(clone, 25);
        thaw_world_free(&clone);
    }
}

static void test_across_edits(void **state) {
    (void)state;
    ThawError error = {0};
    ThawWorld *straight = make_world(scene, 1), *world = make_world(scene, 1);
    ThawSnapshot *snapshot = NULL;
    run_world(straight, 30);
    run_world(world, 30);
    const ThawId a = thaw_world_body_id(world, 0);
    must(thaw_world_snapshot(world, &snapshot, &error), &error);
    must(thaw_world_remove_body(world, a, &error), &error);
    ThawBodyDef def = thaw_body_def_default();
    def.position[0] = 3;
    ThawId added = 0, other = 0;
    must(thaw_world_add_body(world, &def, &added, &error), &error);
    must(thaw_world_set_gravity(world, (double[]){1, 0, -3}, &error), &error);
    must(thaw_world_set_h(world, 0.004, &error), &error);
    run_world(world, 20);
    must(thaw_world_restore(world, snapshot, &error), &error);
    must(thaw_world_validate(world, &error), &error);
    assert_int_equal(thaw_world_body_index(world, a), 0);
    assert_int_equal(thaw_world_body_index(world, added), -1);
    same_run(straight, world, 60);
    must(thaw_world_add_body(world, &def, &other, &error), &error);
    assert_true(other != added); // whatever comes back
    thaw_snapshot_free(&snapshot);
    must(thaw_world_snapshot(world, &snapshot, &error), &error); // of a world that has changed
    ThawWorld *clone = NULL;
    must(thaw_snapshot_make_world(snapshot, -1, &clone, &error), &error);
    assert_int_equal(thaw_world_body_index(clone, other), 4);
    same_run(world, clone, 30);
    ThawWorld *fresh = make_world(scene, 1); // and of another world, made from the same scene
    must(thaw_world_restore(fresh, snapshot, &error), &error);
    run_world(fresh, 30);
    same_run(world, fresh, 10);
    thaw_world_free(&fresh);
    thaw_world_free(&clone);
    thaw_snapshot_free(&snapshot);
    thaw_world_free(&straight);
    thaw_world_free(&world);
}

// The caller's pointers are not of the past; those of what comes back are.
static void test_users_stay(void **state) {
    (void)state;
    for (int edited = 0; edited < 2; edited++) {
        ThawError error = {0};
        ThawWorld *world = make_world(scene, 1);
        ThawSnapshot *snapshot = NULL;
        const ThawId a = thaw_world_body_id(world, 0), b = thaw_world_body_id(world, 1);
        int old = 0, now = 0;
        thaw_world_set_user(world, a, &old);
        thaw_world_set_user(world, b, &old);
        must(thaw_world_snapshot(world, &snapshot, &error), &error);
        if (edited)
            must(thaw_world_remove_body(world, a, &error), &error);
        thaw_world_set_user(world, b, &now);
        must(thaw_world_restore(world, snapshot, &error), &error);
        assert_ptr_equal(thaw_world_user(world, a), &old);
        assert_ptr_equal(thaw_world_user(world, b), &now);
        thaw_snapshot_free(&snapshot);
        thaw_world_free(&world);
    }
}

static void test_shapes_that_change(void **state) {
    (void)state;
    ThawError error = {0};
    ThawWorld *straight = make_world(scene, 1), *world = make_world(scene, 1);
    ThawSnapshot *snapshot = NULL;
    ThawChangeDef cut = thaw_change_def_default();
    cut.kind = THAW_CHANGE_CUT;
    cut.where = (ThawGroupDef){.select = THAW_SELECT_PLANE_SIDE, .a = {0.4, 0, 0}, .b = {1, 0, 0}};
    must(thaw_world_change(world, 2, &cut, &error), &error);
    must(thaw_world_change(straight, 2, &cut, &error), &error);
    run_world(world, 20);
    run_world(straight, 20);
    must(thaw_world_snapshot(world, &snapshot, &error), &error);
    ThawBodyDef def = thaw_body_def_default();
    def.position[0] = 30;
    ThawId id;
    must(thaw_world_add_body(world, &def, &id, &error), &error); // the cut stays
    must(thaw_world_validate(world, &error), &error);
    run_world(world, 5);
    must(thaw_world_remove_body(world, id, &error), &error);
    run_world(straight, 5);
    same_run(straight, world, 10);
    must(thaw_world_change(world, 3, &cut, &error), &error);
    must(thaw_world_restore(world, snapshot, &error), &error);
    run_world(world, 15);
    same_run(straight, world, 10);
    thaw_snapshot_free(&snapshot);
    thaw_world_free(&straight);
    thaw_world_free(&world);
}

static void *run_fifty(void *context) {
    ThawWorld *world = context;
    ThawError error = {0};
    for (int i = 0; i < 50; i++)
        if (thaw_world_step(world, NULL, &error) != THAW_OK)
            return world;
    return NULL;
}

// Worlds that share shapes, in threads of their own; some are freed while others run.
static void test_threads(void **state) {
    (void)state;
    ThawError error = {0};
    ThawWorld *world = make_world(scene, 1), *clones[4];
    pthread_t threads[4];
    run_world(world, 10);
    for (int i = 0; i < 4; i++)
        must(thaw_world_clone(world, 1, &clones[i], &error), &error);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_fifty, clones[i]), 0);
    ThawBodyDef def = thaw_body_def_default();
    def.position[0] = 30;
    must(thaw_world_add_body(world, &def, NULL, &error), &error);
    thaw_world_free(&world);
    for (int i = 0; i < 4; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
        assert_true(thaw_world_full_hash(clones[i]) == thaw_world_full_hash(clones[0]));
        if (i > 0)
            thaw_world_free(&clones[i]);
    }
    thaw_world_free(&clones[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_back_and_on), cmocka_unit_test(test_across_edits),
        cmocka_unit_test(test_users_stay),  cmocka_unit_test(test_shapes_that_change),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
