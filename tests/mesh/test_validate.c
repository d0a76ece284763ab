// SPDX-License-Identifier: Apache-2.0
// Each rule of thaw_mesh_validate, broken once in an otherwise good box.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "mesh/mesh.h"

static ThawMesh *box(int dim) {
    ThawMesh *mesh;
    const double lo[3] = {0, 0, 0}, hi[3] = {2, 2, 2};
    const int32_t cells[3] = {2, 2, 2};
    assert_int_equal(thaw_mesh_box(dim, lo, hi, cells, &mesh, NULL), THAW_OK);
    return mesh;
}

// Checks the refusal and its message; the caller then mends the mesh.
static void expect(const ThawMesh *mesh, const char *names) {
    ThawError error = {0};
    assert_int_equal(thaw_mesh_validate(mesh, &error), THAW_ERROR_INPUT);
    assert_int_equal(error.status, THAW_ERROR_INPUT);
    if (!strstr(error.message, names))
        fail_msg("\"%s\" lacks \"%s\"", error.message, names);
    assert_int_equal(thaw_mesh_validate(mesh, NULL), THAW_ERROR_INPUT);
}

// Breaks one number of the mesh, expects the refusal, and mends it.
#define BROKEN(place, value, names)                                                                                    \
    do {                                                                                                               \
        __typeof__(place) good = (place);                                                                              \
        (place) = (value);                                                                                             \
        expect(mesh, names);                                                                                           \
        (place) = good;                                                                                                \
    } while (0)

static void sizes_out_of_range_are_refused(void **state) {
    (void)state;
    ThawMesh *mesh = box(3);
    expect(NULL, "NULL");
    BROKEN(mesh->dim, 4, "dim is 4");
    BROKEN(mesh->nodes, 10, "nodes is 10");
    BROKEN(mesh->vertex_count, 0, "vertex_count is 0");
    BROKEN(mesh->element_count, -1, "element_count is -1");
    BROKEN(mesh->region_count, 0, "region_count is 0");
    BROKEN(mesh->group_count, -2, "group_count is -2");
    BROKEN(mesh->x, NULL, "NULL");
    BROKEN(mesh->elements, NULL, "NULL");
    BROKEN(mesh->region, NULL, "NULL");
    BROKEN(mesh->region_names, NULL, "NULL");
    BROKEN(mesh->groups, NULL, "NULL");
    assert_int_equal(thaw_mesh_validate(mesh, NULL), THAW_OK);
    thaw_mesh_free(&mesh);
}

static void bad_vertices_and_elements_are_named(void **state) {
    (void)state;
    ThawMesh *mesh = box(3);
    BROKEN(mesh->x[3 * 5 + 1], NAN, "vertex 5 has the y coordinate");
    BROKEN(mesh->x[3 * 5 + 2], -INFINITY, "vertex 5 has the z coordinate -inf");
    BROKEN(mesh->elements[4 * 7 + 2], 27, "element 7 refers to vertex 27; allowed are 0 to 26");
    BROKEN(mesh->elements[4 * 7 + 2], -1, "element 7 refers to vertex -1");
    BROKEN(mesh->elements[4 * 7 + 2], mesh->elements[4 * 7], "element 7 at (");
    BROKEN(mesh->region[47], 1, "element 47 is in region 1");
    BROKEN(mesh->region[47], -1, "element 47 is in region -1");
    BROKEN(mesh->x[3 * 13 + 0], 5, "is inverted");
    BROKEN(mesh->x[3 * 13 + 2], 1e300, "element"); // products overflow
    int32_t *element = mesh->elements + 4 * 40;
    int32_t good[4];
    memcpy(good, element, sizeof good);
    const int32_t twin[4] = {mesh->elements[1], mesh->elements[2], mesh->elements[0], mesh->elements[3]};
    memcpy(element, twin, sizeof good); // an even permutation of element 0
    expect(mesh, "element 40 at (0.75, 0.5, 0.25) has the same vertices as element 0");
    memcpy(element, good, sizeof good);
    assert_int_equal(thaw_mesh_validate(mesh, NULL), THAW_OK);
    thaw_mesh_free(&mesh);
}

static void flat_elements_are_refused_at_any_scale(void **state) {
    (void)state;
    static const double still[4] = {1, 0, 0, 0}, zero[3] = {0, 0, 0};
    for (int dim = 2; dim <= 3; dim++)
        for (double size = 1e-30; size < 1e31; size *= 1e10) {
            ThawMesh *mesh = box(dim);
            assert_int_equal(thaw_mesh_transform(mesh, (double[]){size, size, size}, still, zero, NULL), THAW_OK);
            assert_int_equal(thaw_mesh_validate(mesh, NULL), THAW_OK);
            const size_t d = (size_t)dim;
            memcpy(mesh->x + d * (size_t)mesh->elements[0], mesh->x + d * (size_t)mesh->elements[1],
                   d * sizeof(double));
            expect(mesh, "element 0 at (");
            thaw_mesh_free(&mesh);
        }
}

static void a_vertex_without_an_element_is_refused(void **state) {
    (void)state;
    ThawMesh *mesh = box(2);
    mesh->element_count -= 2; // the last cell: its far corner is now alone
    expect(mesh, "vertex 8 at (2, 2, 0) belongs to no element");
    thaw_mesh_free(&mesh);
}

static void bad_names_and_groups_are_refused(void **state) {
    (void)state;
    ThawMesh *mesh = box(2);
    char empty[1] = "", same[6] = "x-max";
    BROKEN(mesh->region_names[0], NULL, "region 0 has no name");
    BROKEN(mesh->region_names[0], empty, "region 0 has no name");
    BROKEN(mesh->groups[2].name, NULL, "group 2 has no name");
    BROKEN(mesh->groups[2].name, same, "two groups are called \"x-max\"");
    BROKEN(mesh->groups[1].count, -1, "group \"x-max\" has the count -1");
    BROKEN(mesh->groups[1].vertices, NULL, "group \"x-max\" has the count 3 and no vertices");
    BROKEN(mesh->groups[1].vertices[2], 9, "group \"x-max\" refers to vertex 9");
    BROKEN(mesh->groups[1].vertices[0], -3, "group \"x-max\" refers to vertex -3");
    BROKEN(mesh->groups[1].vertices[1], 2, "group \"x-max\" has vertex 2 after 2");
    assert_int_equal(thaw_mesh_validate(mesh, NULL), THAW_OK);
    thaw_mesh_free(&mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_out_of_range_are_refused),
        cmocka_unit_test(bad_vertices_and_elements_are_named),
        cmocka_unit_test(flat_elements_are_refused_at_any_scale),
        cmocka_unit_test(a_vertex_without_an_element_is_refused),
        cmocka_unit_test(bad_names_and_groups_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
