// SPDX-License-Identifier: Apache-2.0
// Frames of worlds with sheets: triangles stand among tetrahedra with three corners, come back as they were, and belong
// to the surface that is drawn; a world of nothing else is not taken for one of the plane. A run goes on from its
// checkpoint with the same bits.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "output/frame_data.h"
#include "output/output.h"
#include "output/stream.h"
#include "support/folder.h"
#include "support/world.h"

#define CLOTH                                                                                                          \
    "\"cloth\": {\"mesh\": {\"sheet\": {\"grid\": {\"width\": 1, \"height\": 1}}, \"size\": 0.25}, \"material\": "     \
    "\"cotton\"}"
#define CUBE                                                                                                           \
    "\"cube\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1], \"cells\": [1, 1, 1]}}, \"material\": "   \
    "\"silicone\"}"

static const char mixed[] =
    "{\"thaw\": 1, \"time\": {\"step\": 0.005}, \"shapes\": {" CLOTH ", " CUBE "}, \"bodies\": ["
    "{\"shape\": \"cube\", \"position\": [3, 0, 0]}, {\"shape\": \"cloth\", \"pins\": [\"x-min\"]}, "
    "{\"shape\": \"cube\", \"position\": [6, 0, 0]}], "
    "\"pairs\": [{\"between\": [\"*\", \"*\"], \"enabled\": false}]}";
static const char alone[] =
    "{\"thaw\": 1, \"time\": {\"step\": 0.005}, \"shapes\": {" CLOTH "}, \"bodies\": [{\"shape\": "
    "\"cloth\", \"pins\": [\"x-min\"]}]}";

static ThawFrameData *frame_of(const char *text) {
    ThawWorld *world = make_world(text, 1);
    ThawFramesDef def = thaw_frames_def_default();
    ThawFrames *frames = NULL;
    ThawFrameData *d = NULL;
    ThawError error = {0};
    run_world(world, 3);
    def.folder = folder;
    def.formats = THAW_FRAMES_VTU | THAW_FRAMES_OBJ | THAW_FRAMES_PLY;
    if (thaw_frames_create(world, &def, &frames, &error) || thaw_frames_write(frames, world, 0, &error) ||
        thaw_vtu_read(at("frame_000000.vtu"), &d, &error))
        fail_msg("%s", error.message);
    thaw_frames_free(&frames);
    thaw_world_free(&world);
    return d;
}

static void triangles_stand_among_tetrahedra(void **state) {
    (void)state;
    ThawFrameData *d = frame_of(mixed);
    ThawSkin skin;
    ThawError error = {0};
    assert_int_equal(d->nodes, 4);
    assert_int_equal(d->cell_count, 6 + 32 + 6);
    assert_int_equal(d->point_count, 8 + 25 + 8);
    for (int32_t c = 0; c < d->cell_count; c++) {
        assert_int_equal(thaw_cell_is_sheet(4, d->cells + 4 * c), c >= 6 && c < 38);
        for (int i = 0; i < 4; i++)
            assert_int_equal(d->body[d->cells[4 * c + i]], c < 6 ? 0 : c < 38 ? 1 : 2);
    }
    assert_int_equal(thaw_skin_build(d->point_count, 4, d->cells, d->cell_count, &skin, &error), THAW_OK);
    assert_int_equal(skin.triangle_count, 12 + 32 + 12);
    for (int32_t t = 1; t < skin.triangle_count; t++)
        assert_true(skin.element[t] >= skin.element[t - 1]);
    thaw_skin_clear(&skin);
    ThawStreamMesh *mesh = NULL; // the page sees sheets from both sides
    assert_int_equal(thaw_stream_mesh_create(4, 3, d->body, d->point_count, d->cells, d->cell_count, 1, &mesh, &error),
                     THAW_OK);
    assert_int_equal(mesh->triangle_count, 12 + 64 + 12);
    assert_true(mesh->interior);
    assert_int_equal(mesh->first_triangle[2] - mesh->first_triangle[1], 64);
    thaw_stream_mesh_free(&mesh);
    thaw_frame_data_free(&d);
}

static void sheets_alone_are_in_space(void **state) {
    (void)state;
    ThawFrameData *d = frame_of(alone);
    assert_int_equal(d->nodes, 4);
    assert_int_equal(d->cell_count, 32);
    for (int32_t c = 0; c < 32; c++)
        assert_true(thaw_cell_is_sheet(4, d->cells + 4 * c));
    const int32_t stress = thaw_field_find("von_mises");
    double most = 0;
    for (int32_t c = 0; c < 32; c++)
        most = d->fields[stress][c] > most ? d->fields[stress][c] : most;
    assert_true(most > 0);
    thaw_frame_data_free(&d);
    FILE *f = fopen(at("frame_000000.obj"), "r");
    char line[200];
    int faces = 0;
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        faces += line[0] == 'f';
    fclose(f);
    assert_int_equal(faces, 32);
}

static int is_moving(const ThawWorld *world, const ThawStepStats *stats) {
    (void)world;
    return stats->step > 0;
}

static void bits_are_the_same_for_two_threads_and_after_resume(void **state) {
    (void)state;
    assert_true(bits_across_checkpoints(mixed, 30, at("sheet.h5"), is_moving) > 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_stand_among_tetrahedra),
        cmocka_unit_test(sheets_alone_are_in_space),
        cmocka_unit_test(bits_are_the_same_for_two_threads_and_after_resume),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
