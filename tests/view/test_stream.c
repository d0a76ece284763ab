// SPDX-License-Identifier: Apache-2.0
// Frames for the page, read back: every number is what it was, as exactly as the section says.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "output/stream.h"
#include "view/decode.h"

enum { SIDE = 3, POINTS = SIDE * SIDE * SIDE, CELLS = (SIDE - 1) * (SIDE - 1) * (SIDE - 1), TETS = 5 * CELLS };

// Two cubes of 2 x 2 x 2 cells, each cell five tetrahedra: each has one point inside.
static int32_t elements[2 * TETS * 4], body[2 * POINTS];
static double x[2 * POINTS * 3];

static void build_cubes(double second) {
    static const int five[5][4] = {{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 1, 4, 7}, {6, 2, 7, 4}, {1, 2, 4, 7}};
    int32_t *to = elements;
    for (int b = 0; b < 2; b++) {
        for (int p = 0; p < POINTS; p++) {
            body[b * POINTS + p] = b;
            x[3 * (b * POINTS + p)] = p % SIDE + b * second;
            x[3 * (b * POINTS + p) + 1] = p / SIDE % SIDE;
            x[3 * (b * POINTS + p) + 2] = p / SIDE / SIDE;
        }
        for (int c = 0; c < CELLS; c++) {
            const int i = c % 2, j = c / 2 % 2, k = c / 4;
            for (int t = 0; t < 5; t++)
                for (int n = 0; n < 4; n++) {
                    int corner = five[t][n];
                    if ((i + j + k) % 2)
                        corner ^= 1; // mirrored, so that faces match
                    *to++ = b * POINTS + i + (corner & 1) + SIDE * (j + (corner >> 1 & 1)) +
                            SIDE * SIDE * (k + (corner >> 2));
                }
        }
    }
}

static ThawStreamMesh *mesh_of(int interior) {
    ThawStreamMesh *mesh = NULL;
    ThawError error = {0};
    assert_int_equal(thaw_stream_mesh_create(4, 2, body, 2 * POINTS, elements, 2 * TETS, interior, &mesh, &error),
                     THAW_OK);
    return mesh;
}

static void the_mesh_holds_the_surface_or_everything(void **state) {
    (void)state;
    build_cubes(5);
    ThawStreamMesh *mesh = mesh_of(0);
    assert_int_equal(mesh->vertex_count, 2 * (POINTS - 1));
    assert_int_equal(mesh->triangle_count, 2 * 6 * 4 * 2);
    assert_int_equal(mesh->first_vertex[1], POINTS - 1);
    assert_int_equal(mesh->first_element[1], TETS);
    assert_int_equal(mesh->first_triangle[1], 48);
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        assert_in_range(mesh->triangles[i], 0, mesh->vertex_count - 1);
        assert_int_equal(body[mesh->points[mesh->triangles[i]]], i >= 3 * 48);
    }
    thaw_stream_mesh_free(&mesh);
    mesh = mesh_of(1);
    assert_int_equal(mesh->vertex_count, 2 * POINTS);
    thaw_stream_mesh_free(&mesh);
}

static ThawStream *stream_of(const ThawStreamMesh *mesh, ThawStreamKind kind) {
    ThawStream *stream = NULL;
    assert_int_equal(thaw_stream_create(mesh, kind, 1, &stream, NULL), THAW_OK);
    return stream;
}

static Frame end(ThawStream *stream, int64_t number) {
    const unsigned char *bytes;
    size_t size;
    ThawError error = {0};
    assert_int_equal(thaw_stream_end(stream, number, 2 * number, 0.5, "\"dofs\": 3", &bytes, &size, &error), THAW_OK);
    return read_frame(bytes, size);
}

static void positions_come_back_within_half_a_step_of_their_lattice(void **state) {
    (void)state;
    build_cubes(5);
    ThawStreamMesh *mesh = mesh_of(0);
    ThawStream *stream = stream_of(mesh, THAW_STREAM_LIVE);
    thaw_stream_begin(stream);
    thaw_stream_positions(stream, x);
    Frame frame = end(stream, 7);
    assert_int_equal(integer_of(frame.header, "frame"), 7);
    assert_int_equal(integer_of(frame.header, "step"), 14);
    assert_int_equal(integer_of(frame.header, "view"), 1);
    assert_int_equal(integer_of(json_object_get(frame.header, "stats"), "dofs"), 3);
    int count;
    double *back = read_section(&frame, "positions", NULL, &count);
    assert_int_equal(count, mesh->vertex_count);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            assert_true(fabs(back[3 * i + k] - x[3 * mesh->points[i] + k]) <= 0.51 * 7 / 65535);
    free(back);
    json_decref(frame.header);
    thaw_stream_free(&stream);
    thaw_stream_mesh_free(&mesh);
}

static void a_body_that_is_small_in_a_wide_world_keeps_its_shape(void **state) {
    (void)state;
    build_cubes(1e5);
    ThawStreamMesh *mesh = mesh_of(0);
    ThawStream *stream = stream_of(mesh, THAW_STREAM_LIVE);
    thaw_stream_begin(stream);
    thaw_stream_positions(stream, x);
    Frame frame = end(stream, 0);
    int count;
    double *back = read_section(&frame, "positions", NULL, &count);
    assert_string_equal(json_string_value(json_object_get(section_of(&frame, "positions"), "type")), "f32");
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            assert_true(fabs(back[3 * i + k] - x[3 * mesh->points[i] + k]) < 0.01);
    free(back);
    json_decref(frame.header);
    thaw_stream_free(&stream);
    thaw_stream_mesh_free(&mesh);
}

static void a_file_holds_differences_and_gives_every_frame_back(void **state) {
    (void)state;
    build_cubes(5);
    ThawStreamMesh *mesh = mesh_of(0);
    ThawStream *stream = stream_of(mesh, THAW_STREAM_FILE);
    uint32_t *q = calloc(3 * 2 * POINTS, sizeof *q);
    int differences = 0;
    for (int f = 0; f < 60; f++) { // falls, and leaves the box again and again
        build_cubes(5);
        for (int p = 0; p < 2 * POINTS; p++)
            x[3 * p + 2] -= 0.01 * f * f;
        thaw_stream_begin(stream);
        thaw_stream_positions(stream, x);
        Frame frame = end(stream, f);
        const json_t *s = section_of(&frame, "positions");
        differences += json_is_true(json_object_get(s, "delta"));
        int count;
        double *back = read_section(&frame, "positions", q, &count);
        const json_t *low = json_object_get(s, "low"), *high = json_object_get(s, "high");
        for (int i = 0; i < count; i++)
            for (int k = 0; k < 3; k++) {
                const double step = (json_number_value(json_array_get(high, (size_t)k)) -
                                     json_number_value(json_array_get(low, (size_t)k))) /
                                    65535;
                assert_true(fabs(back[3 * i + k] - x[3 * mesh->points[i] + k]) <= 0.51 * step + 1e-7);
            }
        free(back);
        json_decref(frame.header);
    }
    assert_true(differences > 45);
    free(q);
    thaw_stream_free(&stream);
    thaw_stream_mesh_free(&mesh);
}

static void fields_of_every_kind_come_back(void **state) {
    (void)state;
    static const char *const names[] = {"elastic", "rigid"};
    const ThawField fields[] = {
        {.name = "category", .place = THAW_FIELD_ELEMENT, .components = 1, .category_count = 2, .categories = names},
        {.name = "id", .place = THAW_FIELD_ELEMENT, .components = 1, .category_count = -1},
        {.name = "rate", .place = THAW_FIELD_ELEMENT, .components = 1, .logarithmic = 1},
        {.name = "vector", .place = THAW_FIELD_VERTEX, .components = 3}};
    build_cubes(5);
    double values[3 * 2 * TETS];
    for (int kind = THAW_STREAM_LIVE; kind <= THAW_STREAM_FILE; kind++)
        for (int interior = 0; interior < 2; interior++) {
            ThawStreamMesh *mesh = mesh_of(interior);
            ThawStream *stream = stream_of(mesh, (ThawStreamKind)kind);
            for (int f = 0; f < 4; f++) {
                const ThawField *field = &fields[f];
                const int vertices = field->place == THAW_FIELD_VERTEX, places = vertices ? 2 * POINTS : 2 * TETS;
                for (int i = 0; i < places * field->components; i++)
                    values[i] = f == 0   ? i % 2
                                : f == 1 ? i % 7 == 0 ? -1 : 100 * i
                                : f == 2 ? i % 5 == 0 ? 0 : pow(10, -4 + i % 6)
                                         : sin(i);
                thaw_stream_begin(stream);
                thaw_stream_field(stream, field, values);
                Frame frame = end(stream, f);
                int count;
                double *back = read_section(&frame, field->name, NULL, &count);
                assert_int_equal(count, vertices   ? mesh->vertex_count
                                        : interior ? mesh->element_count
                                                   : mesh->triangle_count);
                for (int i = 0; i < count; i++)
                    for (int k = 0; k < field->components; k++) {
                        const int item = vertices ? mesh->points[i] : interior ? i : mesh->element[i];
                        const double expected = values[item * field->components + k],
                                     got = back[i * field->components + k];
                        if (field->category_count)
                            assert_true(got == expected);
                        else if (field->logarithmic)
                            assert_true(expected == 0 ? got == 0 : fabs(log10(got / expected)) < 0.03);
                        else
                            assert_true(fabs(got - expected) < 0.01);
                    }
                free(back);
                json_decref(frame.header);
            }
            thaw_stream_free(&stream);
            thaw_stream_mesh_free(&mesh);
        }
}

static void what_is_not_finite_does_not_spoil_the_rest(void **state) {
    (void)state;
    build_cubes(5);
    ThawStreamMesh *mesh = mesh_of(0);
    ThawStream *stream = stream_of(mesh, THAW_STREAM_LIVE);
    x[0] = NAN;
    x[4] = INFINITY;
    thaw_stream_begin(stream);
    thaw_stream_positions(stream, x);
    Frame frame = end(stream, 0);
    int count;
    double *back = read_section(&frame, "positions", NULL, &count);
    for (int i = 2; i < count; i++)
        assert_true(fabs(back[3 * i] - x[3 * mesh->points[i]]) < 1e-3);
    free(back);
    json_decref(frame.header);
    thaw_stream_free(&stream);
    thaw_stream_mesh_free(&mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mesh_holds_the_surface_or_everything),
        cmocka_unit_test(positions_come_back_within_half_a_step_of_their_lattice),
        cmocka_unit_test(a_body_that_is_small_in_a_wide_world_keeps_its_shape),
        cmocka_unit_test(a_file_holds_differences_and_gives_every_frame_back),
        cmocka_unit_test(fields_of_every_kind_come_back),
        cmocka_unit_test(what_is_not_finite_does_not_spoil_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
