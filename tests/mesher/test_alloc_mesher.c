// SPDX-License-Identifier: Apache-2.0
// Every allocation of reading and meshing a solid is made to fail once: the error must come out, and nothing may leak
// (the address sanitizer looks after that).
#include "mesher/shapes.h"

#include "mesh/pieces.h"
#include "support/memory.h"

static const char text[] = "{\"union\":[{\"sphere\":{\"radius\":1},\"region\":\"a\"},"
                           "{\"revolution\":{\"profile\":[[1,0],[0.5,1]]},\"region\":\"b\"},"
                           "{\"sphere\":{\"radius\":0.2,\"centre\":[4.02,0,0]}},"
                           "{\"prism\":{\"points\":[[0,0],[1,0],[0,1]],\"min\":0,\"max\":1}},"
                           "{\"tube\":{\"points\":[[0,0,0],[1,0,0]],\"radii\":[0.3,0.3]}},"
                           "{\"circle\":{\"of\":{\"sphere\":{\"radius\":0.3,\"centre\":[1,0,0]}},\"count\":5}},"
                           "{\"drawing\":{\"file\":\"hook.svg\",\"min\":0,\"max\":0.5}},"
                           "{\"surface\":\"tetra.obj\"}]}";

static ThawStatus mesh_once(double grading, double size, ThawError *error) {
    ThawSolid *solid = NULL;
    ThawMesh *mesh = NULL;
    ThawMesherDef def = sized(size);
    def.elements = 200;
    def.grading = grading;
    def.smallest = 40;
    def.sharpen = grading > 1;
    def.threads = 1;
    ThawStatus status =
        thaw_solid_parse(text, strlen(text), "solid", THAW_SOURCE_DIR "/tests/scene/small", 3, &solid, error);
    if (!status)
        status = thaw_mesh_from_solid(solid, &def, &mesh, NULL, error);
    thaw_mesh_free(&mesh);
    thaw_solid_free(&solid);
    return status;
}

static void fail_each(double grading, double size, int64_t stride) {
    int64_t allocations = 0;
    for (;; allocations += stride) {
        ThawError error = {0};
        until_failure = allocations;
        ThawStatus status = mesh_once(grading, size, &error);
        const int done = until_failure >= 0;
        until_failure = -1;
        if (done) {
            assert_int_equal(status, THAW_OK);
            break;
        }
        if (status != THAW_ERROR_MEMORY)
            fail_msg("allocation %lld: %s: %s", (long long)allocations, thaw_status_name(status), error.message);
        assert_true(error.message[0]);
    }
    print_message("%lld allocations\n", (long long)allocations);
    assert_true(allocations > 50);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    fail_each(1, 0.4, 1);
    fail_each(4, 0.2, 1);
}

static void every_allocation_may_fail_while_a_count_is_met(void **state) {
    (void)state;
    fail_each(1, 0, 7); // the same again and again, so each seventh will do
}

// Two tetrahedra, one beside the other: their pieces, and where a mesh would join them.
static ThawStatus pieces_once(ThawError *error) {
    static const double x[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1.02, 0, 0, 2, 0, 0, 1.02, 1, 0, 1.02, 0, 1};
    static const int32_t corner[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    ThawTriangleMesh *surface = NULL, *part = NULL;
    ThawMesh *mesh = NULL;
    ThawMesherReport report;
    ThawMesherDef def = sized(0.2);
    def.threads = 1;
    int32_t piece[8], count;
    ThawStatus status = thaw_triangles_create(8, 8, &surface, error);
    for (int i = 0; !status && i < 24; i++) {
        surface->x[i] = x[i];
        surface->triangles[i] = corner[i % 12] + 4 * (i / 12);
    }
    if (!status)
        status = thaw_triangles_pieces(surface, piece, &count, error);
    if (!status)
        status = thaw_triangles_piece(surface, piece, 1, &part, error);
    if (!status)
        status = thaw_mesh_from_triangles(surface, &def, &mesh, &report, error);
    if (!status)
        status = thaw_mesh_find_welds(mesh, surface, piece, count, &report.welds, error);
    if (!status)
        status = thaw_mesh_keep_piece(mesh, 0, error);
    thaw_mesh_free(&mesh);
    thaw_triangles_free(&part);
    thaw_triangles_free(&surface);
    return status;
}

static void every_allocation_may_fail_while_pieces_are_found(void **state) {
    (void)state;
    for (int64_t allocations = 0;; allocations++) {
        ThawError error = {0};
        until_failure = allocations;
        ThawStatus status = pieces_once(&error);
        const int done = until_failure >= 0;
        until_failure = -1;
        if (done) {
            assert_int_equal(status, THAW_OK);
            return;
        }
        assert_int_equal(status, THAW_ERROR_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_allocation_may_fail_while_a_count_is_met),
        cmocka_unit_test(every_allocation_may_fail_while_pieces_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
