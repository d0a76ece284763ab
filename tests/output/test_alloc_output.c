// SPDX-License-Identifier: Apache-2.0
// Every allocation of frames, statistics and checkpoints is made to fail once: the error must come out, and nothing may
// leak (the address sanitizer looks after that).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "output/checkpoint.h"
#include "output/frame_data.h"
#include "output/output.h"
#include "support/memory.h"

static char folder[64], path[128];

static const char *in_folder(const char *name) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static ThawStatus write_frames(const ThawWorld *world, ThawError *error) {
    ThawFramesDef def = thaw_frames_def_default();
    def.folder = folder;
    def.formats = THAW_FRAMES_VTU | THAW_FRAMES_OBJ | THAW_FRAMES_PLY;
    ThawFrames *frames;
    ThawStatus status = thaw_frames_create(world, &def, &frames, error);
    if (status == THAW_OK)
        status = thaw_frames_write(frames, world, 0, error);
    if (status == THAW_OK)
        status = thaw_frames_sync(frames, error);
    if (status == THAW_OK)
        status = thaw_frames_keep(frames, 0, NULL, error);
    unlink(in_folder("frames.pvd")); // the index is then made from the frame
    if (status == THAW_OK)
        status = thaw_frames_keep(frames, 0, NULL, error);
    thaw_frames_free(&frames);
    return status;
}

static ThawStatus read_frame(const ThawWorld *world, ThawError *error) {
    (void)world;
    ThawFrameData *data;
    ThawSkin skin;
    ThawStatus status = thaw_vtu_read(in_folder("frame_000000.vtu"), &data, error);
    if (status == THAW_OK)
        status = thaw_skin_build(data->point_count, data->nodes, data->cells, data->cell_count, &skin, error);
    if (status == THAW_OK)
        thaw_skin_clear(&skin);
    thaw_frame_data_free(&data);
    return status;
}

static ThawStatus write_stats(const ThawWorld *world, ThawError *error) {
    (void)world;
    ThawTable *stats;
    ThawStepStats row = {.step = 1};
    ThawStatus status = thaw_stats_open(in_folder("stats.csv"), -1, NULL, &stats, error);
    if (status == THAW_OK)
        status = thaw_stats_write(stats, NULL, &row, error);
    thaw_table_close(&stats, NULL);
    if (status == THAW_OK)
        status = thaw_stats_open(in_folder("stats.csv"), 1, NULL, &stats, error);
    thaw_table_close(&stats, NULL);
    return status;
}

static ThawStatus write_histogram(const ThawWorld *world, ThawError *error) {
    ThawTable *table;
    ThawStatus status = thaw_histogram_open(in_folder("rates.csv"), -1, &table, error);
    if (status == THAW_OK)
        status = thaw_histogram_write(table, world, error);
    thaw_table_close(&table, NULL);
    return status;
}

static ThawStatus save_and_load(const ThawWorld *world, ThawError *error) {
    (void)world;
    double x[3] = {1, 2, 3};
    ThawCheckpoint *c;
    ThawStatus status = thaw_checkpoint_create(in_folder("c.h5"), &c, error);
    if (status != THAW_OK)
        return status;
    status = thaw_checkpoint_put_f64(c, "x", x, 3, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_commit(&c, error);
    thaw_checkpoint_free(&c);
    if (status == THAW_OK)
        status = thaw_checkpoint_open(in_folder("c.h5"), &c, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_get_f64(c, "x", x, 3, error);
    thaw_checkpoint_free(&c);
    return status;
}

static ThawWorld *make_world(int dim) {
    ThawMesh *mesh;
    ThawError error = {0};
    assert_int_equal(thaw_mesh_box(dim, (double[]){0, 0, 0}, (double[]){1, 1, 1}, (int32_t[]){1, 1, 1}, &mesh, &error),
                     THAW_OK);
    ThawMaterialDef material = thaw_material_def_default();
    ThawShapeDef shape = thaw_shape_def_default();
    shape.mesh = mesh;
    shape.name = "box";
    ThawBodyDef bodies[2] = {thaw_body_def_default(), thaw_body_def_default()};
    bodies[0].name = "box";
    bodies[1].name = "adaptive";
    bodies[1].method = "rigidify";
    bodies[1].position[0] = 3;
    ThawWorldDef def = thaw_world_def_default();
    def.dim = dim;
    def.materials = &material;
    def.shapes = &shape;
    def.bodies = bodies;
    def.body_count = 2;
    def.material_count = def.shape_count = 1;
    ThawWorld *world;
    if (thaw_world_create(&def, &world, &error) != THAW_OK)
        fail_msg("%s", error.message);
    thaw_mesh_free(&mesh);
    return world;
}

static void every_failed_allocation_is_reported_and_nothing_leaks(void **state) {
    (void)state;
    static ThawStatus (*const work[])(const ThawWorld *, ThawError *) = {write_frames, read_frame, write_stats,
                                                                         write_histogram, save_and_load};
    strcpy(folder, "/tmp/thaw-alloc-XXXXXX");
    assert_non_null(mkdtemp(folder));
    for (int dim = 2; dim <= 3; dim++) {
        ThawWorld *world = make_world(dim);
        for (size_t i = 0; i < sizeof work / sizeof *work; i++) {
            ThawStatus status = THAW_ERROR_MEMORY;
            int failures = 0;
            while (status != THAW_OK) {
                ThawError error = {0};
                until_failure = failures;
                status = work[i](world, &error);
                until_failure = -1;
                failures++;
                if (status != THAW_OK) {
                    assert_int_equal(status, THAW_ERROR_MEMORY);
                    assert_non_null(strstr(error.message, "memory"));
                }
                assert_true(failures < 1000);
            }
            assert_true(failures > 3);
        }
        thaw_world_free(&world);
    }
    static const char *const left[] = {
        "frame_000000.vtu", "frame_000000.obj", "frame_000000.ply", "frames.pvd", "stats.csv", "rates.csv", "c.h5"};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        assert_int_equal(unlink(in_folder(left[i])), 0);
    assert_int_equal(rmdir(folder), 0); // no temporary file is left either
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_failed_allocation_is_reported_and_nothing_leaks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
