// SPDX-License-Identifier: Apache-2.0
// Which bodies a surface bounds, where a mesh joins them, and what it loses of a solid.
#include "mesher/shapes.h"

#include "mesh/pieces.h"

// Octahedra of the given centres along x and radii, those with negative radius inside out.
static ThawTriangleMesh *octahedra(int32_t count, const double (*ball)[2]) {
    static const int32_t face[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                       {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    ThawTriangleMesh *surface = NULL;
    ThawError error = {0};
    assert_int_equal(thaw_triangles_create(6 * count, 8 * count, &surface, &error), THAW_OK);
    for (int32_t b = 0; b < count; b++) {
        for (int i = 0; i < 6; i++) {
            for (int k = 0; k < 3; k++) // off the axis a little, for edges would meet edges on it
                surface->x[18 * b + 3 * i + k] = k == 0 ? ball[b][0] : 0.01 * k * b;
            surface->x[18 * b + 3 * i + i / 2] += i % 2 ? -ball[b][1] : ball[b][1];
        }
        for (int i = 0; i < 24; i++)
            surface->triangles[24 * b + i] = 6 * b + face[i / 3][i % 3];
    }
    return surface;
}

static void expect_pieces(int32_t count, const double (*ball)[2], const int32_t *wanted) {
    ThawTriangleMesh *surface = octahedra(count, ball);
    int32_t piece[80], pieces, most = 0;
    ThawError error = {0};
    assert_int_equal(thaw_triangles_pieces(surface, piece, &pieces, &error), THAW_OK);
    for (int32_t t = 0; t < 8 * count; t++) {
        assert_int_equal(piece[t], wanted[t / 8]);
        most = wanted[t / 8] > most ? wanted[t / 8] : most;
    }
    assert_int_equal(pieces, most + 1);
    ThawTriangleMesh *part = NULL;
    assert_int_equal(thaw_triangles_piece(surface, piece, 0, &part, &error), THAW_OK);
    assert_int_equal(thaw_triangles_validate(part, &error), THAW_OK);
    assert_int_equal(part->triangle_count % 8, 0);
    thaw_triangles_free(&part);
    thaw_triangles_free(&surface);
}

static void a_surface_bounds_as_many_bodies_as_a_reader_would_count(void **state) {
    (void)state;
    expect_pieces(2, (double[][2]){{0, 1}, {3, 1}}, (int32_t[]){0, 1});
    expect_pieces(2, (double[][2]){{0, 1}, {1.2, 1}}, (int32_t[]){0, 0});                // cut each other
    expect_pieces(2, (double[][2]){{0, 1}, {0, -0.5}}, (int32_t[]){0, 0});               // hollow
    expect_pieces(2, (double[][2]){{0, 1}, {0, 0.5}}, (int32_t[]){0, 0});                // filled twice
    expect_pieces(3, (double[][2]){{0, 2}, {0, -1.5}, {0, 0.5}}, (int32_t[]){0, 0, 1});  // a ball in a hollow
    expect_pieces(3, (double[][2]){{0, -2}, {0, 1.5}, {0, -0.5}}, (int32_t[]){0, 0, 1}); // the same inside out
    expect_pieces(3, (double[][2]){{0, 0.5}, {5, 1}, {0, 1}}, (int32_t[]){0, 1, 0});
}

static void bodies_nearer_than_an_element_are_told_where_they_grow_together(void **state) {
    (void)state;
    ThawTriangleMesh *boxes = NULL;
    ThawError error = {0};
    assert_int_equal(thaw_triangles_create(16, 24, &boxes, &error), THAW_OK);
    static const int32_t quad[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                       {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int32_t v = 0; v < 16; v++) {
        boxes->x[3 * v] = (v & 1) + (v >= 8 ? 1.02 : 0);
        boxes->x[3 * v + 1] = (v >> 1) & 1;
        boxes->x[3 * v + 2] = (v >> 2) & 1;
    }
    for (int32_t b = 0; b < 2; b++)
        for (int f = 0; f < 6; f++)
            for (int i = 0; i < 6; i++)
                boxes->triangles[36 * b + 6 * f + i] = 8 * b + quad[f][(int[]){0, 1, 2, 0, 2, 3}[i]];
    ThawMesherDef def = sized(0.1);
    ThawMesherReport report;
    ThawMesh *mesh = NULL;
    assert_int_equal(thaw_mesh_from_triangles(boxes, &def, &mesh, &report, &error), THAW_OK);
    assert_int_equal(report.parts, 2);
    assert_int_equal(report.pieces, 1);
    assert_true(report.welds.count > 10);
    assert_true(fabs(report.welds.place[0][0] - 1.01) < 0.1);
    thaw_mesh_free(&mesh);
    for (int32_t v = 8; v < 16; v++)
        boxes->x[3 * v] += 0.3;
    assert_int_equal(thaw_mesh_from_triangles(boxes, &def, &mesh, &report, &error), THAW_OK);
    assert_true(report.parts == 2 && report.pieces == 2 && report.welds.count == 0);
    // One of them alone, from the mesh of both.
    const int32_t all = mesh->element_count;
    assert_int_equal(thaw_mesh_keep_piece(mesh, 2, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "no piece 3; allowed: 1 to 2"));
    assert_int_equal(thaw_mesh_keep_piece(mesh, 1, &error), THAW_OK);
    assert_int_equal(thaw_mesh_validate(mesh, &error), THAW_OK);
    assert_true(mesh->element_count > 0.4 * all && mesh->element_count < 0.6 * all);
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        assert_true(mesh->x[3 * v] > 1.25);
    thaw_mesh_free(&mesh);
    thaw_triangles_free(&boxes);
}

static void what_is_thinner_than_the_elements_is_told_as_lost(void **state) {
    (void)state;
    static const char *const fin =
        "{\"union\": [{\"sphere\": {\"radius\": 0.5}}, {\"box\": {\"min\": [0, -0.5, -0.02], "
        "\"max\": [1, 0.5, 0.02]}}]}";
    ThawSolid *solid = solid_of(fin, 3);
    ThawMesherReport report;
    ThawMesh *mesh = mesh_of(solid, sized(0.15), &report);
    assert_true(report.lost.count > 0 && report.reach > 0.3);
    assert_true(report.lost.place[0][0] > 0.3);
    thaw_mesh_free(&mesh);
    mesh = mesh_of(solid, sized(0.02), &report);
    assert_int_equal(report.lost.count, 0);
    thaw_mesh_free(&mesh);
    thaw_solid_free(&solid);
    solid = solid_of("{\"sphere\": {\"radius\": 0.5}}", 3);
    for (double size = 0.05; size < 0.3; size *= 1.3) {
        mesh = mesh_of(solid, sized(size), &report);
        assert_int_equal(report.lost.count, 0);
        thaw_mesh_free(&mesh);
    }
    thaw_solid_free(&solid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_surface_bounds_as_many_bodies_as_a_reader_would_count),
        cmocka_unit_test(bodies_nearer_than_an_element_are_told_where_they_grow_together),
        cmocka_unit_test(what_is_thinner_than_the_elements_is_told_as_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
