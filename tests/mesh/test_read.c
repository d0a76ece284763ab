// SPDX-License-Identifier: Apache-2.0
// Small files of every format, all of the same two tetrahedra or of a square, and what must come out of them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <locale.h>

#include "mesh/mesh.h"

#define DATA THAW_SOURCE_DIR "/tests/mesh/data/"

static ThawMesh *read_mesh(const char *path, int32_t *reoriented) {
    ThawMesh *mesh;
    ThawError error = {0};
    ThawStatus status = thaw_mesh_read(path, &mesh, reoriented, &error);
    if (status)
        fail_msg("%s", error.message);
    assert_int_equal(thaw_mesh_validate(mesh, &error), THAW_OK);
    return mesh;
}

static const ThawMeshGroup *find_group(const ThawMesh *mesh, const char *name) {
    for (int32_t g = 0; g < mesh->group_count; g++)
        if (strcmp(mesh->groups[g].name, name) == 0)
            return mesh->groups + g;
    fail_msg("no group %s", name);
    return NULL;
}

static void expect_group(const ThawMesh *mesh, const char *name, int count, const int32_t *vertices) {
    const ThawMeshGroup *group = find_group(mesh, name);
    assert_int_equal(group->count, count);
    assert_memory_equal(group->vertices, vertices, (size_t)count * sizeof *vertices);
}

// The two tetrahedra: the stray point is gone, the second one was inverted.
static void expect_two_tets(const ThawMesh *mesh, int32_t reoriented) {
    static const double x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1};
    static const int32_t elements[8] = {0, 1, 2, 3, 0, 1, 4, 2};
    assert_int_equal(mesh->dim, 3);
    assert_int_equal(mesh->nodes, 4);
    assert_int_equal(mesh->vertex_count, 5);
    assert_int_equal(mesh->element_count, 2);
    assert_int_equal(reoriented, 1);
    assert_memory_equal(mesh->x, x, sizeof x);
    assert_memory_equal(mesh->elements, elements, sizeof elements);
    assert_int_equal(mesh->region_count, 2);
    assert_int_equal(mesh->region[0], 0);
    assert_int_equal(mesh->region[1], 1);
}

static void expect_gmsh_names(const ThawMesh *mesh, int group_count) {
    assert_string_equal(mesh->region_names[0], "soft part");
    assert_string_equal(mesh->region_names[1], "hard part");
    assert_int_equal(mesh->group_count, group_count); // the point 99 is in no element: its group has gone
    expect_group(mesh, "tip", 1, (int32_t[]){3});
    expect_group(mesh, "floor", 3, (int32_t[]){0, 1, 2});
    expect_group(mesh, "soft part", 4, (int32_t[]){0, 1, 2, 3});
    expect_group(mesh, "hard part", 4, (int32_t[]){0, 1, 2, 4});
}

static void gmsh_22_gives_regions_groups_and_mended_elements(void **state) {
    (void)state;
    int32_t reoriented;
    ThawMesh *mesh = read_mesh(DATA "two-tets-22.msh", &reoriented);
    expect_two_tets(mesh, reoriented);
    expect_gmsh_names(mesh, 4);
    thaw_mesh_free(&mesh);
}

static void gmsh_41_gives_the_same_mesh_as_22(void **state) {
    (void)state;
    int32_t reoriented;
    ThawMesh *mesh = read_mesh(DATA "two-tets-41.msh", &reoriented);
    expect_two_tets(mesh, reoriented);
    expect_gmsh_names(mesh, 5);
    expect_group(mesh, "3", 4, (int32_t[]){0, 1, 2, 4}); // the second tetrahedron has two physical tags
    thaw_mesh_free(&mesh);
}

static void a_flat_gmsh_file_becomes_a_plane_mesh_and_repeated_elements_one(void **state) {
    (void)state;
    int32_t reoriented;
    ThawMesh *mesh = read_mesh(DATA "square-22.msh", &reoriented);
    assert_int_equal(mesh->dim, 2);
    assert_int_equal(mesh->element_count, 2); // the third triangle repeats the second under another physical tag
    assert_int_equal(reoriented, 1);
    assert_int_equal(mesh->region_count, 2);
    assert_string_equal(mesh->region_names[0], "1");
    assert_string_equal(mesh->region_names[1], "2");
    expect_group(mesh, "curve-4", 2, (int32_t[]){0, 1});
    expect_group(mesh, "2", 3, (int32_t[]){0, 2, 3});
    expect_group(mesh, "3", 3, (int32_t[]){0, 2, 3});
    assert_true(thaw_mesh_volume(mesh, 0) + thaw_mesh_volume(mesh, 1) == 1);
    thaw_mesh_free(&mesh);
}

static void medit_gives_regions_and_groups_by_reference(void **state) {
    (void)state;
    int32_t reoriented;
    ThawMesh *mesh = read_mesh(DATA "two-tets.mesh", &reoriented);
    expect_two_tets(mesh, reoriented);
    assert_string_equal(mesh->region_names[0], "1");
    assert_string_equal(mesh->region_names[1], "2");
    assert_int_equal(mesh->group_count, 4);
    expect_group(mesh, "point-7", 1, (int32_t[]){3});
    expect_group(mesh, "surface-5", 3, (int32_t[]){0, 1, 2});
    expect_group(mesh, "2", 4, (int32_t[]){0, 1, 2, 4});
    thaw_mesh_free(&mesh);
}

static void medit_in_the_plane_without_references_is_one_default_region(void **state) {
    (void)state;
    int32_t reoriented;
    ThawMesh *mesh = read_mesh(DATA "square.mesh", &reoriented);
    assert_int_equal(mesh->dim, 2);
    assert_int_equal(reoriented, 1);
    assert_int_equal(mesh->region_count, 1);
    assert_string_equal(mesh->region_names[0], "default");
    assert_int_equal(mesh->group_count, 1);
    expect_group(mesh, "curve-4", 2, (int32_t[]){0, 1});
    thaw_mesh_free(&mesh);
}

static void tetgen_is_found_by_either_name(void **state) {
    (void)state;
    static const char *const paths[2] = {DATA "two-tets.node", DATA "two-tets.ele"};
    for (int i = 0; i < 2; i++) {
        int32_t reoriented;
        ThawMesh *mesh = read_mesh(paths[i], &reoriented);
        expect_two_tets(mesh, reoriented);
        assert_string_equal(mesh->region_names[0], "1");
        assert_string_equal(mesh->region_names[1], "2");
        expect_group(mesh, "marker-3", 2, (int32_t[]){1, 2});
        expect_group(mesh, "marker--1", 1, (int32_t[]){4});
        thaw_mesh_free(&mesh);
    }
}

static void triangle_files_may_count_from_zero(void **state) {
    (void)state;
    ThawMesh *mesh = read_mesh(DATA "square.ele", NULL);
    assert_int_equal(mesh->dim, 2);
    assert_int_equal(mesh->vertex_count, 4);
    assert_string_equal(mesh->region_names[0], "default");
    expect_group(mesh, "marker-1", 2, (int32_t[]){0, 1});
    thaw_mesh_free(&mesh);
}

static void null_arguments_are_refused(void **state) {
    (void)state;
    ThawMesh *mesh;
    ThawError error;
    assert_int_equal(thaw_mesh_read(NULL, &mesh, NULL, &error), THAW_ERROR_INPUT);
    assert_null(mesh);
    assert_int_equal(thaw_mesh_read(DATA "square.ele", NULL, NULL, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_mesh_read(DATA "none.ele", &mesh, NULL, NULL), THAW_ERROR_IO);
    thaw_mesh_free(NULL);
    thaw_mesh_free(&mesh);
}

int main(void) {
    setlocale(LC_ALL, ""); // numbers must be read alike wherever the tests run
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gmsh_22_gives_regions_groups_and_mended_elements),
        cmocka_unit_test(gmsh_41_gives_the_same_mesh_as_22),
        cmocka_unit_test(a_flat_gmsh_file_becomes_a_plane_mesh_and_repeated_elements_one),
        cmocka_unit_test(medit_gives_regions_and_groups_by_reference),
        cmocka_unit_test(medit_in_the_plane_without_references_is_one_default_region),
        cmocka_unit_test(tetgen_is_found_by_either_name),
        cmocka_unit_test(triangle_files_may_count_from_zero),
        cmocka_unit_test(null_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
