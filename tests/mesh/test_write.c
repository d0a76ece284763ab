// SPDX-License-Identifier: Apache-2.0
// Round trips: a mesh goes through every pair of formats and comes back with every bit of its coordinates, its elements
// in order, its regions, and its groups where the formats carry them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "mesh/mesh.h"
#include "support/folder.h"
#include "thaw/triangles.h"

typedef struct Format {
    const char *file;
    int names; // nonzero: keeps names of regions, and groups
} Format;

static const Format formats[] = {{"a.msh", 1}, {"a.vtu", 1}, {"a.vtk", 1}, {"a.mesh", 0}, {"a.node", 0}};
enum { FORMATS = sizeof formats / sizeof *formats };

static char *path_of(const char *file, char path[200]) {
    snprintf(path, 200, "%s/%s", folder, file);
    return path;
}

static ThawMesh *read_back(const char *path) {
    ThawMesh *mesh;
    ThawMeshReport report;
    ThawError error = {0};
    if (thaw_mesh_read_report(path, &mesh, &report, &error))
        fail_msg("%s", error.message);
    assert_int_equal(report.reoriented.count, 0);
    assert_int_equal(report.unused.count, 0);
    assert_int_equal(report.retagged.count, 0);
    return mesh;
}

static ThawMesh *through(const ThawMesh *mesh, const char *file) {
    char path[200];
    ThawError error = {0};
    if (thaw_mesh_write(mesh, path_of(file, path), &error))
        fail_msg("%s", error.message);
    return read_back(path);
}

static char *copy_text(const char *text) {
    char *copy = thaw_strdup(text);
    assert_non_null(copy);
    return copy;
}

// Coordinates without an end in decimal, regions in no order, names that are awkward in every format.
static ThawMesh *make_mesh(int dim) {
    const double lo[3] = {-1.0 / 3, 0.1, -2e-17}, hi[3] = {1e5 / 7, 3.14159, 1.0 / 9};
    ThawMesh *mesh;
    assert_int_equal(thaw_mesh_box(dim, lo, hi, (int32_t[]){3, 2, 2}, &mesh, NULL), THAW_OK);
    thaw_free(mesh->region_names[0]);
    thaw_free(mesh->region_names);
    mesh->region_count = 3;
    mesh->region_names = THAW_NEW(char *, 3);
    mesh->region_names[0] = copy_text("hard & <fast>");
    mesh->region_names[1] = copy_text("default");
    mesh->region_names[2] = copy_text("weich 100% \xC3\xBC");
    for (int32_t e = 0; e < mesh->element_count; e++)
        mesh->region[e] = e * 7 % 5 % 3;
    return mesh;
}

static void expect_same_shape(const ThawMesh *a, const ThawMesh *b) {
    assert_int_equal(a->dim, b->dim);
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->element_count, b->element_count);
    assert_memory_equal(a->x, b->x, (size_t)a->dim * (size_t)a->vertex_count * sizeof *a->x);
    assert_memory_equal(a->elements, b->elements, (size_t)a->nodes * (size_t)a->element_count * sizeof *a->elements);
}

static void expect_same_regions(const ThawMesh *a, const ThawMesh *b, int names) {
    assert_int_equal(a->region_count, b->region_count);
    int32_t match[8]; // region of b for each of a
    memset(match, -1, sizeof match);
    for (int32_t e = 0; e < a->element_count; e++) {
        if (match[a->region[e]] < 0)
            match[a->region[e]] = b->region[e];
        assert_int_equal(match[a->region[e]], b->region[e]);
    }
    for (int32_t r = 0; names && r < a->region_count; r++)
        assert_string_equal(a->region_names[r], b->region_names[match[r]]);
}

// Every group of a is in b; what b has more is a region's.
static void expect_same_groups(const ThawMesh *a, const ThawMesh *b) {
    for (int32_t g = 0; g < a->group_count; g++) {
        int found = 0;
        for (int32_t h = 0; h < b->group_count; h++)
            if (strcmp(a->groups[g].name, b->groups[h].name) == 0) {
                assert_int_equal(a->groups[g].count, b->groups[h].count);
                assert_memory_equal(a->groups[g].vertices, b->groups[h].vertices,
                                    (size_t)a->groups[g].count * sizeof(int32_t));
                found++;
            }
        assert_int_equal(found, 1);
    }
    for (int32_t h = 0; h < b->group_count; h++) {
        int known = 0;
        for (int32_t g = 0; g < a->group_count; g++)
            known |= strcmp(a->groups[g].name, b->groups[h].name) == 0;
        for (int32_t r = 0; r < b->region_count; r++)
            known |= strcmp(b->region_names[r], b->groups[h].name) == 0;
        assert_true(known);
    }
}

static void a_mesh_comes_back_through_every_pair_of_formats(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        ThawMesh *mesh = make_mesh(dim);
        for (int i = 0; i < FORMATS; i++) {
            ThawMesh *one = through(mesh, formats[i].file);
            expect_same_shape(mesh, one);
            expect_same_regions(mesh, one, formats[i].names);
            if (formats[i].names)
                expect_same_groups(mesh, one);
            for (int j = 0; j < FORMATS; j++) {
                ThawMesh *two = through(one, formats[j].file);
                expect_same_shape(mesh, two);
                expect_same_regions(mesh, two, formats[i].names && formats[j].names);
                if (formats[i].names && formats[j].names)
                    expect_same_groups(mesh, two);
                if (!formats[i].names) // numbers as names survive everything
                    expect_same_regions(one, two, 1);
                thaw_mesh_free(&two);
            }
            thaw_mesh_free(&one);
        }
        thaw_mesh_free(&mesh);
    }
}

static void the_boundary_of_a_mesh_is_closed_in_every_surface_format(void **state) {
    (void)state;
    static const char *const files[] = {"b.obj", "b.ply", "b.stl"};
    ThawMesh *mesh = make_mesh(3);
    for (int i = 0; i < 3; i++) {
        char path[200];
        ThawError error = {0};
        ThawTriangleMesh *surface;
        ThawTriangleReport report;
        assert_int_equal(thaw_mesh_write(mesh, path_of(files[i], path), &error), THAW_OK);
        if (thaw_triangles_read_report(path, &surface, &report, &error))
            fail_msg("%s", error.message);
        assert_int_equal(surface->triangle_count,
                         4 * (3 * 2 + 3 * 2 + 2 * 2)); // two faces a direction, two triangles a cell
        assert_int_equal(report.open.count + report.crowded.count + report.turned.count, 0);
        assert_int_equal(report.welded.count > 0, i == 2);
        thaw_triangles_free(&surface);
    }
    thaw_mesh_free(&mesh);
}

static void what_a_format_cannot_hold_is_refused_by_name(void **state) {
    (void)state;
    char path[200];
    ThawError error = {0};
    ThawMesh *mesh = make_mesh(3);
    assert_int_equal(thaw_mesh_write(mesh, path_of("a.xyz", path), &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "a.xyz"));
    assert_int_equal(thaw_mesh_write(mesh, path_of("none/a.msh", path), &error), THAW_ERROR_IO);
    assert_int_equal(thaw_mesh_write(mesh, NULL, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_mesh_write(NULL, path_of("a.msh", path), &error), THAW_ERROR_INPUT);
    thaw_free(mesh->groups[0].name);
    mesh->groups[0].name = copy_text("a \"quoted\" name");
    assert_int_equal(thaw_mesh_write(mesh, path_of("a.msh", path), &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "quoted"));
    ThawMesh *again = through(mesh, "a.vtu"); // which can
    expect_same_groups(mesh, again);
    thaw_mesh_free(&again);
    again = through(mesh, "a.vtk");
    expect_same_groups(mesh, again);
    thaw_mesh_free(&again);
    thaw_free(mesh->groups[0].name);
    mesh->groups[0].name = THAW_NEW(char, 300);
    memset(mesh->groups[0].name, 'n', 299);
    assert_int_equal(thaw_mesh_write(mesh, path_of("a.vtu", path), &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "299"));
    mesh->elements[5] = -1;
    assert_int_equal(thaw_mesh_write(mesh, path_of("a.vtk", path), &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "element 1"));
    thaw_mesh_free(&mesh);
}

int main(void) {
    setlocale(LC_ALL, "");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mesh_comes_back_through_every_pair_of_formats),
        cmocka_unit_test(the_boundary_of_a_mesh_is_closed_in_every_surface_format),
        cmocka_unit_test(what_a_format_cannot_hold_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
