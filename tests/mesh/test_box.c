// SPDX-License-Identifier: Apache-2.0
// Boxes: their sizes, volumes, faces and numbering; copies and placements of them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "mesh/mesh.h"

static ThawMesh *box(int dim, const double hi[3], int32_t a, int32_t b, int32_t c) {
    ThawMesh *mesh;
    const double lo[3] = {-1, 0, 2};
    const int32_t cells[3] = {a, b, c};
    assert_int_equal(thaw_mesh_box(dim, lo, hi, cells, &mesh, NULL), THAW_OK);
    assert_int_equal(thaw_mesh_validate(mesh, NULL), THAW_OK);
    return mesh;
}

static double total_volume(const ThawMesh *mesh) {
    double sum = 0;
    for (int32_t e = 0; e < mesh->element_count; e++)
        sum += thaw_mesh_volume(mesh, e);
    return sum;
}

static void a_box_has_six_equal_tetrahedra_a_cell(void **state) {
    (void)state;
    ThawMesh *mesh = box(3, (double[]){1, 3, 6}, 2, 3, 4);
    assert_int_equal(mesh->vertex_count, 3 * 4 * 5);
    assert_int_equal(mesh->element_count, 6 * 2 * 3 * 4);
    assert_int_equal(mesh->region_count, 1);
    assert_string_equal(mesh->region_names[0], "default");
    for (int32_t e = 0; e < mesh->element_count; e++)
        assert_true(fabs(thaw_mesh_volume(mesh, e) - 1. / 6) < 1e-14);
    assert_true(fabs(total_volume(mesh) - 24) < 1e-12);
    thaw_mesh_free(&mesh);
    assert_null(mesh);
}

static void a_plane_box_has_two_equal_triangles_a_cell(void **state) {
    (void)state;
    ThawMesh *mesh = box(2, (double[]){1, 3, -7}, 4, 6, -1); // the third axis is not looked at
    assert_int_equal(mesh->vertex_count, 5 * 7);
    assert_int_equal(mesh->element_count, 48);
    assert_int_equal(mesh->group_count, 4);
    for (int32_t e = 0; e < mesh->element_count; e++)
        assert_true(fabs(thaw_mesh_volume(mesh, e) - 0.125) < 1e-15);
    thaw_mesh_free(&mesh);
}

static void vertices_are_numbered_along_x_then_y_then_z(void **state) {
    (void)state;
    ThawMesh *mesh = box(3, (double[]){0, 0.3, 2.7}, 3, 2, 7);
    for (int32_t k = 0; k <= 7; k++)
        for (int32_t j = 0; j <= 2; j++)
            for (int32_t i = 0; i <= 3; i++) {
                const double *x = mesh->x + 3 * (i + 4 * (j + 3 * k));
                assert_true(fabs(x[0] - (-1 + i / 3.)) < 1e-15);
                assert_true(fabs(x[1] - 0.15 * j) < 1e-15);
                assert_true(fabs(x[2] - (2 + 0.1 * k)) < 1e-15);
            }
    const double *last = mesh->x + 3 * (mesh->vertex_count - 1);
    assert_true(last[0] == 0 && last[1] == 0.3 && last[2] == 2.7); // exactly
    thaw_mesh_free(&mesh);
}

static void faces_of_a_box_are_groups(void **state) {
    (void)state;
    static const char *const names[6] = {"x-min", "x-max", "y-min", "y-max", "z-min", "z-max"};
    static const double at[6] = {-1, 1, 0, 3, 2, 6};
    static const int32_t sizes[6] = {20, 20, 15, 15, 12, 12};
    ThawMesh *mesh = box(3, (double[]){1, 3, 6}, 2, 3, 4);
    assert_int_equal(mesh->group_count, 6);
    for (int g = 0; g < 6; g++) {
        assert_string_equal(mesh->groups[g].name, names[g]);
        assert_int_equal(mesh->groups[g].count, sizes[g]);
        for (int32_t i = 0; i < mesh->groups[g].count; i++)
            assert_true(mesh->x[3 * mesh->groups[g].vertices[i] + g / 2] == at[g]);
    }
    thaw_mesh_free(&mesh);
}

static void bad_boxes_are_refused_by_name(void **state) {
    (void)state;
    static const struct {
        int dim;
        double lo[3], hi[3];
        int32_t cells[3];
        const char *names;
    } bad[] = {
        {4, {0}, {1, 1, 1}, {1, 1, 1}, "dim is 4"},
        {3, {0}, {1, 1, 0}, {1, 1, 1}, "hi[2] is 0"},
        {3, {0, 2, 0}, {1, 1, 1}, {1, 1, 1}, "lo[1] is 2"},
        {3, {NAN, 0, 0}, {1, 1, 1}, {1, 1, 1}, "lo[0] is nan"},
        {3, {0}, {1, INFINITY, 1}, {1, 1, 1}, "hi[1] is inf"},
        {3, {-1e308, 0, 0}, {1e308, 1, 1}, {1, 1, 1}, "lo[0]"},
        {3, {0}, {1, 1, 1}, {1, 0, 1}, "cells[1] is 0"},
        {2, {0}, {1, 1, 1}, {-5, 1, 1}, "cells[0] is -5"},
        {3, {0}, {1, 1, 1}, {2000, 2000, 2000}, "2000, 2000, 2000"},
        {3, {0}, {1, 1, 1}, {INT32_MAX, INT32_MAX, INT32_MAX}, "2147483647"},
        {2, {0}, {1, 1, 1}, {INT32_MAX, 1, 1}, "2147483647"},
        {3, {0}, {1, 1, 1e-13}, {1, 1, 1}, "flat"},
        {2, {1, 0}, {1 + 1e-15, 1}, {100, 1}, "element"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ThawMesh *mesh;
        ThawError error;
        assert_int_equal(thaw_mesh_box(bad[i].dim, bad[i].lo, bad[i].hi, bad[i].cells, &mesh, &error),
                         THAW_ERROR_INPUT);
        assert_null(mesh);
        if (!strstr(error.message, bad[i].names))
            fail_msg("\"%s\" lacks \"%s\"", error.message, bad[i].names);
    }
    const double x[3] = {1, 1, 1};
    const int32_t cells[3] = {1, 1, 1};
    ThawMesh *mesh;
    assert_int_equal(thaw_mesh_box(3, NULL, x, cells, &mesh, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_mesh_box(3, x, NULL, cells, &mesh, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_mesh_box(3, x, x, NULL, &mesh, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_mesh_box(3, x, x, cells, NULL, NULL), THAW_ERROR_INPUT);
}

static void a_copy_is_equal_and_shares_nothing(void **state) {
    (void)state;
    ThawMesh *mesh = box(3, (double[]){1, 3, 6}, 2, 1, 1), *copy;
    assert_int_equal(thaw_mesh_copy(mesh, &copy, NULL), THAW_OK);
    assert_memory_equal(copy->x, mesh->x, 3 * (size_t)mesh->vertex_count * sizeof(double));
    const int32_t first = mesh->groups[1].vertices[0];
    thaw_mesh_free(&mesh);
    assert_int_equal(thaw_mesh_validate(copy, NULL), THAW_OK);
    assert_string_equal(copy->groups[1].name, "x-max");
    assert_int_equal(copy->groups[1].vertices[0], first);
    thaw_mesh_free(&copy);
}

static void a_placed_mesh_is_scaled_then_turned_then_moved(void **state) {
    (void)state;
    ThawMesh *mesh = box(3, (double[]){1, 3, 6}, 1, 1, 1);
    const double half = sqrt(0.5), turn[4] = {half, 0, 0, half}; // a quarter about z: x to y, y to -x
    assert_int_equal(thaw_mesh_transform(mesh, (double[]){2, 3, 4}, turn, (double[]){10, 20, 30}, NULL), THAW_OK);
    assert_true(fabs(mesh->x[0] - 10) < 1e-14); // (-1, 0, 2) -> (-2, 0, 8) -> (0, -2, 8) -> (10, 18, 38)
    assert_true(fabs(mesh->x[1] - 18) < 1e-14);
    assert_true(fabs(mesh->x[2] - 38) < 1e-14);
    assert_true(fabs(total_volume(mesh) - 24 * 24) < 1e-9);
    thaw_mesh_free(&mesh);
}

static void a_mirrored_mesh_is_oriented_again(void **state) {
    (void)state;
    static const double still[4] = {1, 0, 0, 0}, zero[3] = {0, 0, 0};
    for (int dim = 2; dim <= 3; dim++)
        for (int k = 0; k < 3; k++) {
            ThawMesh *mesh = box(dim, (double[]){1, 3, 6}, 2, 2, 2);
            double scale[3] = {1, 1, 1};
            scale[k] = -1;
            assert_int_equal(thaw_mesh_transform(mesh, scale, still, zero, NULL), THAW_OK);
            assert_int_equal(thaw_mesh_validate(mesh, NULL), THAW_OK);
            thaw_mesh_free(&mesh);
        }
}

static void a_plane_mesh_turns_about_z_only(void **state) {
    (void)state;
    static const double one[3] = {1, 1, 1}, zero[3] = {0, 0, 0};
    ThawMesh *mesh = box(2, (double[]){1, 3, 0}, 1, 1, 1);
    ThawError error;
    assert_int_equal(thaw_mesh_transform(mesh, one, (double[]){0, 1, 0, 0}, zero, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_mesh_transform(mesh, one, (double[]){0, 0, 0, 1}, zero, &error), THAW_OK); // half a turn
    assert_true(mesh->x[0] == 1 && fabs(mesh->x[1]) == 0);
    thaw_mesh_free(&mesh);
}

static void bad_placements_are_refused_and_change_nothing(void **state) {
    (void)state;
    static const double one[3] = {1, 1, 1}, zero[3] = {0, 0, 0}, still[4] = {1, 0, 0, 0};
    ThawMesh *mesh = box(3, (double[]){1, 3, 6}, 1, 1, 1), *copy;
    ThawError error;
    assert_int_equal(thaw_mesh_copy(mesh, &copy, NULL), THAW_OK);
    assert_int_equal(thaw_mesh_transform(mesh, (double[]){1, 0, 1}, still, zero, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "scale[1] is 0"));
    assert_int_equal(thaw_mesh_transform(mesh, (double[]){1, 1, NAN}, still, zero, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_mesh_transform(mesh, one, (double[]){2, 0, 0, 0}, zero, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "length 2"));
    assert_int_equal(thaw_mesh_transform(mesh, one, (double[]){NAN, 0, 0, 0}, zero, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_mesh_transform(mesh, one, still, (double[]){0, 0, INFINITY}, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_mesh_transform(mesh, (double[]){1e308, 1e308, 1e308}, still, zero, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "vertex"));
    assert_memory_equal(copy->x, mesh->x, 3 * (size_t)mesh->vertex_count * sizeof(double));
    thaw_mesh_free(&mesh);
    thaw_mesh_free(&copy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_has_six_equal_tetrahedra_a_cell),
        cmocka_unit_test(a_plane_box_has_two_equal_triangles_a_cell),
        cmocka_unit_test(vertices_are_numbered_along_x_then_y_then_z),
        cmocka_unit_test(faces_of_a_box_are_groups),
        cmocka_unit_test(bad_boxes_are_refused_by_name),
        cmocka_unit_test(a_copy_is_equal_and_shares_nothing),
        cmocka_unit_test(a_placed_mesh_is_scaled_then_turned_then_moved),
        cmocka_unit_test(a_mirrored_mesh_is_oriented_again),
        cmocka_unit_test(a_plane_mesh_turns_about_z_only),
        cmocka_unit_test(bad_placements_are_refused_and_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
