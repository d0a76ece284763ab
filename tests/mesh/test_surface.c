// SPDX-License-Identifier: Apache-2.0
// Surface files: a tetrahedron in every dialect of OBJ, PLY and STL, what is mended, what is reported, what is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "thaw/triangles.h"

static ThawTriangleMesh *parse_bytes(const void *bytes, size_t size, const char *ending, ThawTriangleReport *report) {
    ThawTriangleMesh *mesh;
    ThawError error = {0};
    if (thaw_triangles_parse(bytes, size, ending, "surface", &mesh, report, &error))
        fail_msg("%s", error.message);
    assert_int_equal(thaw_triangles_validate(mesh, NULL), THAW_OK);
    return mesh;
}

static ThawTriangleMesh *parse(const char *text, const char *ending, ThawTriangleReport *report) {
    return parse_bytes(text, strlen(text), ending, report);
}

static void expect_tetrahedron(const ThawTriangleMesh *mesh, const ThawTriangleReport *report) {
    static const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int32_t triangles[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    assert_int_equal(mesh->vertex_count, 4);
    assert_int_equal(mesh->triangle_count, 4);
    assert_memory_equal(mesh->triangles, triangles, sizeof triangles);
    assert_memory_equal(mesh->x, x, sizeof x);
    assert_int_equal(report->open.count + report->crowded.count + report->turned.count, 0);
    assert_int_equal(report->degenerate.count + report->repeated.count + report->coincident.count, 0);
}

#define OBJ_POINTS "v 0 0 0\nv 1 0 0 1.0\nv 0 1 0 0.5 0.5 0.5\nv 0 0 1\n"

static void obj_ids_may_have_slashes_and_count_backwards(void **state) {
    (void)state;
    static const char *const texts[] = {
        OBJ_POINTS "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n",
        "# a comment\r\nmtllib a.mtl\r\n" OBJ_POINTS "vt 0 0\nvn 0 0 1\ns off\nf 1/1 3/1 2/1\nf 1//1 2//1 4//1\n"
        "f 2/1/1 3/1/1 4/1/1 # more\nf -2 -4 -1",
        OBJ_POINTS "f 1 \\\n3 2\nf 1 2 \\\r\n 4\nl 1 2\np 1\nf 2 3 4\n\n\nf 3 1 4",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ThawTriangleReport report;
        ThawTriangleMesh *mesh = parse(texts[i], ".obj", &report);
        expect_tetrahedron(mesh, &report);
        thaw_triangles_free(&mesh);
    }
}

static void expect_group(const ThawTriangleMesh *mesh, int at, const char *name, int count, const int32_t *triangles) {
    assert_string_equal(mesh->groups[at].name, name);
    assert_int_equal(mesh->groups[at].count, count);
    assert_memory_equal(mesh->groups[at].triangles, triangles, (size_t)count * sizeof *triangles);
}

static void obj_objects_groups_and_materials_become_groups(void **state) {
    (void)state;
    ThawTriangleReport report;
    ThawTriangleMesh *mesh = parse(OBJ_POINTS "o my thing\ng low flat\nf 1 3 2\nusemtl red\nf 1 2 4\ng side\nf 2 3 4\n"
                                              "g low\nusemtl blue paint\nf 3 1 4\ng empty\n",
                                   ".obj", &report);
    expect_tetrahedron(mesh, &report);
    assert_int_equal(mesh->group_count, 6);
    expect_group(mesh, 0, "blue paint", 1, (int32_t[]){3});
    expect_group(mesh, 1, "flat", 2, (int32_t[]){0, 1});
    expect_group(mesh, 2, "low", 3, (int32_t[]){0, 1, 3});
    expect_group(mesh, 3, "my thing", 4, (int32_t[]){0, 1, 2, 3});
    expect_group(mesh, 4, "red", 2, (int32_t[]){1, 2});
    expect_group(mesh, 5, "side", 1, (int32_t[]){2});
    thaw_triangles_free(&mesh);
}

static void polygons_become_fans_and_every_repair_is_told(void **state) {
    (void)state;
    ThawTriangleReport report;
    // A square of a polygon, beside it a face with a vertex twice, the same face again, and a point of no use.
    ThawTriangleMesh *mesh = parse("v 0 0 0\nv 9 9 9\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 1 0 0\n"
                                   "f 1 3 4 5\nf 1 1 3\nf 4 1 3\nf 6 3 4\n",
                                   ".obj", &report);
    assert_int_equal(mesh->triangle_count, 3);
    assert_int_equal(mesh->vertex_count, 5);
    assert_int_equal(report.split.count, 1);
    assert_int_equal(report.split.ids[0], 0);
    assert_int_equal(report.degenerate.count, 1);
    assert_int_equal(report.degenerate.ids[0], 1);
    assert_int_equal(report.repeated.count, 1);
    assert_int_equal(report.repeated.ids[0], 2);
    assert_int_equal(report.unused.count, 1);
    assert_int_equal(report.unused.ids[0], 1);
    assert_int_equal(report.coincident.count, 1);
    assert_int_equal(report.coincident.ids[0], 4);
    assert_int_equal(report.open.count, 5);
    assert_int_equal(report.turned.count, 1); // the last triangle runs along 3-4 as the square does
    assert_int_equal(thaw_triangles_weld(mesh, &report, NULL), THAW_OK);
    assert_int_equal(report.welded.count, 1);
    assert_int_equal(report.degenerate.count, 1); // it lay between the two points
    assert_int_equal(mesh->triangle_count, 2);
    assert_int_equal(report.open.count, 4);
    thaw_triangles_free(&mesh);
}

static void edges_of_three_triangles_are_reported(void **state) {
    (void)state;
    ThawTriangleReport report;
    ThawTriangleMesh *mesh =
        parse("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 -1 0\nf 1 2 3\nf 1 2 4\nf 2 1 5\n", ".obj", &report);
    assert_int_equal(report.crowded.count, 1);
    assert_int_equal(report.crowded.ids[0], 0);
    assert_int_equal(report.open.count, 6);
    thaw_triangles_free(&mesh);
}

#define PLY_HEAD(format)                                                                                               \
    "ply\nformat " format " 1.0\ncomment by hand\nobj_info none\nelement vertex 4\nproperty float x\n"                 \
    "property uchar red\nproperty double y\nproperty short z\nelement extra 1\nproperty list uchar float f\n"          \
    "element face 4\nproperty uchar kind\nproperty list uchar int vertex_indices\nend_header\n"

// The tetrahedron in bytes; swapped nonzero: most significant first.
static size_t ply_bytes(int swapped, char *bytes) {
    static const int32_t x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int32_t triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    size_t at =
        (size_t)sprintf(bytes, "%s", swapped ? PLY_HEAD("binary_big_endian") : PLY_HEAD("binary_little_endian"));
#define PUT(type, value)                                                                                               \
    do {                                                                                                               \
        type v_ = (type)(value);                                                                                       \
        for (size_t b_ = 0; b_ < sizeof v_; b_++)                                                                      \
            bytes[at++] = ((char *)&v_)[swapped ? sizeof v_ - 1 - b_ : b_];                                            \
    } while (0)
    for (int i = 0; i < 4; i++) {
        PUT(float, x[i][0]);
        PUT(uint8_t, 200);
        PUT(double, x[i][1]);
        PUT(int16_t, x[i][2]);
    }
    PUT(uint8_t, 2);
    PUT(float, 1.5);
    PUT(float, -1.5);
    for (int i = 0; i < 4; i++) {
        PUT(uint8_t, 7);
        PUT(uint8_t, 3);
        for (int k = 0; k < 3; k++)
            PUT(int32_t, triangles[i][k]);
    }
    return at;
}

static void ply_is_read_as_text_and_as_bytes_of_either_order(void **state) {
    (void)state;
    ThawTriangleReport report;
    ThawTriangleMesh *mesh =
        parse(PLY_HEAD("ascii") "0 1 0 0\n1 1 0 0\n0 1 1 0\n0 1 0 1\n2 1.5 -1.5\n7 3 0 2 1\n7 3 0 1 3\n7 3 1 2 3\n"
                                "7 3 2 0 3\n",
              ".ply", &report);
    expect_tetrahedron(mesh, &report);
    thaw_triangles_free(&mesh);
    for (int swapped = 0; swapped < 2; swapped++) {
        char bytes[2000];
        mesh = parse_bytes(bytes, ply_bytes(swapped, bytes), ".ply", &report);
        expect_tetrahedron(mesh, &report);
        thaw_triangles_free(&mesh);
    }
}

#define FACET(a, b, c) "facet normal nan 0 0\nouter loop\nvertex " a "\nvertex " b "\nvertex " c "\nendloop\nendfacet\n"

static void stl_corners_at_one_place_become_one_vertex(void **state) {
    (void)state;
    ThawTriangleReport report;
    ThawTriangleMesh *mesh = parse("solid left part\n" FACET("0 0 0", "0 1 0", "1 0 0")
                                       FACET("-0 0 -0.0", "1 0 0", "0 0 1") "endsolid left part\nsolid right\n" FACET(
                                           "1 0 0", "0 1 0", "0 0 1") FACET("0 1 0", "0 0 0", "0 0 1") "endsolid\n",
                                   ".stl", &report);
    assert_int_equal(mesh->vertex_count, 4);
    assert_int_equal(mesh->triangle_count, 4);
    assert_int_equal(report.welded.count, 8);
    assert_int_equal(report.welded.ids[0], 3);
    assert_int_equal(report.open.count, 0);
    assert_int_equal(mesh->group_count, 2);
    expect_group(mesh, 0, "left part", 2, (int32_t[]){0, 1});
    expect_group(mesh, 1, "right", 2, (int32_t[]){2, 3});
    thaw_triangles_free(&mesh);
}

static void stl_corners_that_differ_by_rounding_become_one_vertex(void **state) {
    (void)state;
    ThawTriangleReport report;
    ThawTriangleMesh *mesh = parse(
        "solid\n" FACET("0 0 1e-17", "-1e-17 1 0", "1 0 0") FACET("-3e-17 0 0", "1 -1e-16 0", "0 0 1")
            FACET("1 0 0", "0 0.9999999999999 0", "0 0 1") FACET("0 1.0000000000001 0", "0 0 0", "0 0 1") "endsolid\n",
        ".stl", &report);
    assert_int_equal(mesh->vertex_count, 4);
    assert_int_equal(report.welded.count, 8);
    assert_int_equal(report.open.count, 0);
    assert_true(mesh->x[2] == 1e-17); // the first of them stays
    thaw_triangles_free(&mesh);
    // Three millionths of the size are a distance.
    mesh = parse("solid\n" FACET("0 0 0", "0 1 0", "1 0 0") FACET("0 0 3e-6", "1 0 0", "0 0 1") "endsolid\n", ".stl",
                 &report);
    assert_int_equal(mesh->vertex_count, 5);
    thaw_triangles_free(&mesh);
}

// As programs write that compute a corner anew for each triangle: up to two of the last bits of single precision apart.
static void stl_corners_that_differ_in_their_last_bits_become_one_vertex(void **state) {
    (void)state;
    enum { SIDES = 40, COUNT = 4 * SIDES };
    static const int ring[4][3][2] = {{{0, 0}, {1, 0}, {0, 1}},
                                      {{0, 1}, {1, 0}, {1, 1}},
                                      {{0, 0}, {2, 0}, {1, 0}},
                                      {{0, 1}, {1, 1}, {3, 1}}}; // round the axis, and which end; 2, 3: the middles
    static unsigned char bytes[84 + 50 * COUNT] = {[80] = COUNT};
    unsigned luck = 1;
    for (int t = 0; t < COUNT; t++)
        for (int i = 0; i < 3; i++) {
            const int *corner = ring[t % 4][i], middle = corner[0] > 1;
            const double angle = 2 * M_PI * ((t / 4 + (middle ? 0 : corner[0])) % SIDES) / SIDES;
            float x[3] = {(float)(middle ? 0.1 : 54.4 * cos(angle)), (float)(middle ? 0.2 : 54.4 * sin(angle)),
                          (float)(corner[1] ? 9.3 : 0.7)};
            for (int k = 0; k < 3; k++)
                for (luck = luck * 1103515245u + 12345u; luck >> 16 & 3; luck -= 1u << 16)
                    x[k] = nextafterf(x[k], luck >> 20 & 1 ? 100 : -100);
            memcpy(bytes + 84 + 50 * t + 12 + 12 * i, x, sizeof x);
        }
    ThawTriangleReport report;
    ThawTriangleMesh *mesh = parse_bytes(bytes, sizeof bytes, ".stl", &report);
    assert_int_equal(mesh->vertex_count, 2 * SIDES + 2);
    assert_int_equal(mesh->triangle_count, COUNT);
    assert_int_equal(report.open.count + report.crowded.count + report.turned.count, 0);
    thaw_triangles_free(&mesh);
}

static void surfaces_come_back_from_files_with_their_groups(void **state) {
    (void)state;
    static const char *const files[] = {"a.obj", "a.ply", "a.stl", "a.STL"};
    char folder[] = "/tmp/thaw-surface-XXXXXX", path[200];
    assert_non_null(mkdtemp(folder));
    ThawTriangleReport report;
    ThawTriangleMesh *mesh = parse(
        OBJ_POINTS "v 0.1 0.2 0.3\nf 1 3 2\ng a\nf 1 2 4\ng a b\nf 2 3 4\ng\nf 3 1 4\nf 4 5 1\n", ".obj", &report);
    for (int i = 0; i < 4; i++) {
        ThawTriangleMesh *again = NULL;
        ThawError error = {0};
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        if (thaw_triangles_write(mesh, path, &error) || thaw_triangles_read(path, &again, &error))
            fail_msg("%s", error.message);
        assert_int_equal(again->vertex_count, mesh->vertex_count);
        assert_int_equal(again->triangle_count, mesh->triangle_count);
        if (i < 2) {
            assert_memory_equal(again->x, mesh->x, 15 * sizeof(double));
            assert_memory_equal(again->triangles, mesh->triangles, 15 * sizeof(int32_t));
        }
        if (i == 0) {
            assert_int_equal(again->group_count, 2);
            expect_group(again, 0, "a", 2, (int32_t[]){1, 2});
            expect_group(again, 1, "b", 1, (int32_t[]){2});
        }
        thaw_triangles_free(&again);
        remove(path);
    }
    thaw_triangles_free(&mesh);
    assert_int_equal(remove(folder), 0);
}

typedef struct Bad {
    const char *ending, *text;
    const char *names[2]; // what the message must contain
} Bad;

static const Bad bad[] = {
    {".obj", "", {"empty"}},
    {".obj", "hello\n", {":1:", "keyword"}},
    {".obj", "# hello\n", {"no triangles"}},
    {".obj", "v 1 2\n", {":1:", "coordinate"}},
    {".obj", "v 1 2 nan\n", {":1:", "nan"}},
    {".obj", OBJ_POINTS "f 1 2\n", {":5:", "2 corners"}},
    {".obj", OBJ_POINTS "f 1 2 5\n", {":5:", "5;"}},
    {".obj", OBJ_POINTS "f 1 2 0\n", {":5:", "0;"}},
    {".obj", OBJ_POINTS "f 1 2 -5\n", {":5:", "-5;"}},
    {".obj", OBJ_POINTS "f 1 2 x\n", {":5:", "x;"}},
    {".obj", OBJ_POINTS "f 1 2 99999999999999999999\n", {":5:", "9999"}},
    {".obj", OBJ_POINTS "f 1 1 2\n", {"all 1 triangles", "twice"}},
    {".ply", "plx\n", {":1:", "ply"}},
    {".ply", "ply\nformat odd 1.0\n", {":2:", "odd"}},
    {".ply", "ply\nformat ascii 1.0\nrubbish\n", {":3:", "rubbish"}},
    {".ply", "ply\nformat ascii 1.0\nproperty int x\n", {":3:", "without an element"}},
    {".ply", "ply\nformat ascii 1.0\nelement vertex -1\n", {":3:", "-1"}},
    {".ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty real x\n", {":4:", "real"}},
    {".ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty list float int x\nend_header\n1 1\n", {":4:", "whole"}},
    {".ply", "ply\nformat ascii 1.0\nelement vertex 9\nproperty int x\nend_header\n1\n", {"9;", "too short"}},
    {".ply", "ply\nformat ascii 1.0\nelement vertex 9\nend_header\n1 2 3 4 5 6 7 8 9\n", {"9;", "too short"}},
    {".ply",
     "ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nelement face 1\nproperty list uchar int vertex_index\n"
     "end_header\n1\n3 0 0 1\n",
     {":9:", "1;"}},
    {".ply",
     "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty double x\nend_header\nabc",
     {"ends inside"}},
    {".stl", "nonsense", {"solid", "84 bytes"}},
    {".stl", "solid a\nfacet\n", {":3:", "normal"}},
    {".stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 x\n", {":4:", "x;"}},
    {".stl", "solid a\nfacets\n", {":2:", "facets"}},
    {".stl", "solid a\nendsolid\n", {"no triangles"}},
    {".off", "OFF\n", {"surface", ".stl"}},
};

static void bad_surfaces_are_refused_with_a_place_and_a_value(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ThawTriangleMesh *mesh = (ThawTriangleMesh *)&bad;
        ThawError error = {0};
        const ThawStatus status =
            thaw_triangles_parse(bad[i].text, strlen(bad[i].text), bad[i].ending, "surface", &mesh, NULL, &error);
        if (status != THAW_ERROR_INPUT)
            fail_msg("\"%s\" was not refused", bad[i].text);
        assert_null(mesh);
        assert_int_equal(error.status, status);
        assert_memory_equal(error.message, "surface:", 8);
        for (int k = 0; k < 2 && bad[i].names[k]; k++)
            if (!strstr(error.message, bad[i].names[k]))
                fail_msg("\"%s\": the message \"%s\" lacks \"%s\"", bad[i].text, error.message, bad[i].names[k]);
    }
}

static void bad_surfaces_in_memory_are_refused_by_id(void **state) {
    (void)state;
    ThawTriangleMesh *mesh, *other;
    ThawError error;
    assert_int_equal(thaw_triangles_create(-1, 2, &mesh, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_triangles_create(3, 1, NULL, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_triangles_create(3, 1, &mesh, &error), THAW_OK);
    mesh->triangles[2] = 3;
    assert_int_equal(thaw_triangles_validate(mesh, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "triangle 0 refers to vertex 3"));
    assert_int_equal(thaw_triangles_weld(mesh, NULL, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_triangles_write(mesh, "a.obj", &error), THAW_ERROR_INPUT);
    mesh->triangles[2] = 2;
    mesh->x[4] = NAN;
    assert_int_equal(thaw_triangles_validate(mesh, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "vertex 1"));
    assert_int_equal(thaw_triangles_write(mesh, "a.off", &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_triangles_write(mesh, NULL, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_triangles_validate(NULL, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_triangles_read(NULL, &other, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_triangles_read("a.obj", NULL, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_triangles_read("/nowhere/a.obj", &other, &error), THAW_ERROR_IO);
    assert_int_equal(thaw_triangles_parse(NULL, 0, ".obj", "a", &other, NULL, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_triangles_of_mesh(NULL, &other, &error), THAW_ERROR_INPUT);
    thaw_triangles_free(&mesh);
    thaw_triangles_free(&mesh);
    thaw_triangles_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj_ids_may_have_slashes_and_count_backwards),
        cmocka_unit_test(obj_objects_groups_and_materials_become_groups),
        cmocka_unit_test(polygons_become_fans_and_every_repair_is_told),
        cmocka_unit_test(edges_of_three_triangles_are_reported),
        cmocka_unit_test(ply_is_read_as_text_and_as_bytes_of_either_order),
        cmocka_unit_test(stl_corners_at_one_place_become_one_vertex),
        cmocka_unit_test(stl_corners_that_differ_by_rounding_become_one_vertex),
        cmocka_unit_test(stl_corners_that_differ_in_their_last_bits_become_one_vertex),
        cmocka_unit_test(surfaces_come_back_from_files_with_their_groups),
        cmocka_unit_test(bad_surfaces_are_refused_with_a_place_and_a_value),
        cmocka_unit_test(bad_surfaces_in_memory_are_refused_by_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
