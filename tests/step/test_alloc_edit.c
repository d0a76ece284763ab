// SPDX-License-Identifier: Apache-2.0
// Worlds that change: every allocation of an edit, a snapshot, a restore and a clone made to fail once. The world stays
// as it was, and goes on with the same bits.
#include "step/sample.h"
#include "support/memory.h"
#include "support/world.h"

static const char scene[] =
    "{ \"thaw\": 1, \"contact\": {},"
    "  \"materials\": {\"foam\": {\"young\": 5e4, \"density\": 200, \"alpha1\": 0.02}},"
    "  \"shapes\": {\"cube\": {\"material\": \"foam\","
    "    \"mesh\": {\"box\": {\"min\": [0,0,0], \"max\": [0.2,0.2,0.2], \"cells\": [2,1,1]}}}},"
    "  \"obstacles\": [{\"plane\": {}}],"
    "  \"bodies\": ["
    "    {\"name\": \"a\", \"shape\": \"cube\", \"position\": [0,0,0.01], \"method\": \"rigidify\"},"
    "    {\"name\": \"b\", \"shape\": \"cube\", \"position\": [0.2,0,0.01], \"forces\": "
    "     [{\"group\": \"x-max\", \"total\": [1,0,0]}]}],"
    "  \"attachments\": [{\"body\": \"b\", \"group\": \"x-min\", \"to\": \"a\"}] }";

static ThawSnapshot *kept;
static ThawMesh *mesh;

static ThawStatus add_body(ThawWorld *world, ThawError *error) {
    ThawBodyDef def = thaw_body_def_default();
    def.name = "new";
    def.method = "rigidify";
    def.position[0] = 3;
    return thaw_world_add_body(world, &def, NULL, error);
}

static ThawStatus add_shape(ThawWorld *world, ThawError *error) {
    ThawShapeDef def = thaw_shape_def_default();
    def.mesh = mesh;
    return thaw_world_add_shape(world, &def, NULL, error);
}

static ThawStatus add_attachment(ThawWorld *world, ThawError *error) {
    ThawAttachmentDef def = thaw_attachment_def_default();
    def.other_body = 1;
    def.stiffness = 10;
    return thaw_world_add_attachment(world, &def, NULL, error);
}

static ThawStatus remove_body(ThawWorld *world, ThawError *error) {
    return thaw_world_remove_body(world, thaw_world_body_id(world, 1), error);
}

static ThawStatus set_material(ThawWorld *world, ThawError *error) {
    ThawMaterialDef def;
    thaw_world_get_material(world, 0, &def);
    def.young *= 2;
    return thaw_world_set_material(world, 0, &def, error);
}

static ThawStatus snap(ThawWorld *world, ThawError *error) {
    ThawSnapshot *snapshot = NULL;
    ThawStatus status = thaw_world_snapshot(world, &snapshot, error);
    thaw_snapshot_free(&snapshot);
    return status;
}

static ThawStatus clone(ThawWorld *world, ThawError *error) {
    ThawWorld *other = NULL;
    ThawStatus status = thaw_world_clone(world, 1, &other, error);
    thaw_world_free(&other);
    return status;
}

static ThawStatus restore(ThawWorld *world, ThawError *error) { return thaw_world_restore(world, kept, error); }

static ThawStatus restore_same(ThawWorld *world, ThawError *error) { return restore(world, error); }

static ThawStatus move(ThawWorld *world, ThawError *error) {
    return thaw_world_move_obstacle(world, 0, (double[]){0, 0, 0.01}, NULL, 0, error);
}

static void must(ThawStatus status, const ThawError *error) {
    if (status != THAW_OK)
        fail_msg("%s", error->message);
}

static void test_every_allocation(void **state) {
    (void)state;
    static const struct {
        const char *name;
        ThawStatus (*call)(ThawWorld *world, ThawError *error);
        int least;
    } calls[] = {
        {"add_body", add_body, 100},
        {"add_shape", add_shape, 100},
        {"add_attachment", add_attachment, 100},
        {"remove_body", remove_body, 50},
        {"set_material", set_material, 100},
        {"snapshot", snap, 20},
        {"clone", clone, 100},
        {"restore", restore, 100},
        {"restore the same", restore_same, 100},
        {"move", move, 0},
    };
    ThawError error = {0};
    must(thaw_mesh_box(3, (double[]){0, 0, 0}, (double[]){1, 1, 1}, (int32_t[]){1, 1, 1}, &mesh, &error), &error);
    for (int k = 0; k < COUNT(calls); k++) {
        ThawWorld *straight = make_world(scene, 1), *world = make_world(scene, 1);
        if (calls[k].call == restore) { // into a world that is made of other things now
            must(thaw_world_snapshot(world, &kept, &error), &error);
            must(thaw_world_remove_attachment(world, thaw_world_attachment_id(world, 0), &error), &error);
            must(thaw_world_remove_attachment(straight, thaw_world_attachment_id(straight, 0), &error), &error);
        }
        if (calls[k].call == restore_same) // of the things that it is made of
            must(thaw_world_snapshot(world, &kept, &error), &error);
        run_world(straight, 5);
        run_world(world, 5);
        if (calls[k].call == set_material) // it wakes all, well or not
            must(thaw_world_wake(world, -1), &error);
        const uint64_t before = thaw_world_full_hash(world);
        long n = 1;
        for (;; n++) {
            error = (ThawError){0};
            until_failure = n - 1;
            const ThawStatus status = calls[k].call(world, &error);
            const int failed = until_failure < 0;
            until_failure = -1;
            if (!failed) {
                must(status, &error);
                break;
            }
            if (status != THAW_ERROR_MEMORY || !strstr(error.message, "memory"))
                fail_msg("%s, allocation %ld: %s (%s)", calls[k].name, n, thaw_status_name(status), error.message);
            if (thaw_world_full_hash(world) != before)
                fail_msg("%s, allocation %ld: the world is another one", calls[k].name, n);
        }
        print_message("%s: %ld allocations\n", calls[k].name, n - 1);
        assert_true(n > calls[k].least);
        must(thaw_world_validate(world, &error), &error);
        must(calls[k].call(straight, &error), &error);
        run_world(straight, 20);
        run_world(world, 20);
        assert_true(thaw_world_full_hash(world) == thaw_world_full_hash(straight));
        thaw_world_free(&world);
        thaw_world_free(&straight);
        thaw_snapshot_free(&kept);
    }
    thaw_mesh_free(&mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
