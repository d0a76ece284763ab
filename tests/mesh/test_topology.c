// SPDX-License-Identifier: Apache-2.0
// Adjacency, neighbours, surfaces, orderings and quality of boxes whose vertices and elements have been shuffled.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "mesh/mesh.h"

static uint64_t random_number(uint64_t *seed) { // splitmix64
    uint64_t z = *seed += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static void shuffle(int32_t *a, int32_t n, uint64_t *seed) {
    for (int32_t i = 0; i < n; i++)
        a[i] = i;
    for (int32_t i = n - 1; i > 0; i--) {
        const int32_t j = (int32_t)(random_number(seed) % ((uint64_t)i + 1)), swap = a[i];
        a[i] = a[j];
        a[j] = swap;
    }
}

// A box with its vertices and elements in random order; groups are dropped.
static ThawMesh *shuffled_box(int dim, int32_t cells) {
    ThawMesh *mesh, *mixed;
    const double lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1};
    assert_int_equal(thaw_mesh_box(dim, lo, hi, (int32_t[]){cells, cells, cells}, &mesh, NULL), THAW_OK);
    mesh->group_count = 0;
    assert_int_equal(thaw_mesh_copy(mesh, &mixed, NULL), THAW_OK);
    mesh->group_count = 2 * dim;
    int32_t *vertex = THAW_NEW(int32_t, mesh->vertex_count), *element = THAW_NEW(int32_t, mesh->element_count);
    uint64_t seed = 17;
    shuffle(vertex, mesh->vertex_count, &seed);
    shuffle(element, mesh->element_count, &seed);
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        memcpy(mixed->x + dim * vertex[v], mesh->x + dim * v, (size_t)dim * sizeof(double));
    for (int32_t e = 0; e < mesh->element_count; e++)
        for (int i = 0; i < mesh->nodes; i++)
            mixed->elements[mesh->nodes * element[e] + i] = vertex[mesh->elements[mesh->nodes * e + i]];
    assert_int_equal(thaw_mesh_validate(mixed, NULL), THAW_OK);
    thaw_free(vertex);
    thaw_free(element);
    thaw_mesh_free(&mesh);
    return mixed;
}

static int is_neighbour(const ThawGraph *graph, int32_t i, int32_t j) {
    for (int32_t k = graph->offset[i]; k < graph->offset[i + 1]; k++)
        if (graph->neighbours[k] == j)
            return 1;
    return 0;
}

static void adjacency_is_symmetric_sorted_and_complete(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        const int32_t n = 5;
        ThawMesh *mesh = shuffled_box(dim, n);
        ThawGraph *graph;
        assert_int_equal(thaw_graph_create(mesh, &graph, NULL), THAW_OK);
        assert_int_equal(graph->n, mesh->vertex_count);
        // Edges of a Kuhn grid: along axes, face diagonals, body diagonals.
        const int32_t p = n + 1, edges = dim == 3 ? 3 * n * p * p + 3 * n * n * p + n * n * n : 2 * n * p + n * n;
        assert_int_equal(graph->offset[graph->n], 2 * edges);
        for (int32_t i = 0; i < graph->n; i++)
            for (int32_t k = graph->offset[i]; k < graph->offset[i + 1]; k++) {
                assert_int_not_equal(graph->neighbours[k], i);
                assert_true(k == graph->offset[i] || graph->neighbours[k] > graph->neighbours[k - 1]);
                assert_true(is_neighbour(graph, graph->neighbours[k], i));
            }
        for (int32_t e = 0; e < mesh->element_count; e++)
            for (int i = 1; i < mesh->nodes; i++)
                assert_true(is_neighbour(graph, mesh->elements[mesh->nodes * e], mesh->elements[mesh->nodes * e + i]));
        thaw_graph_free(&graph);
        thaw_mesh_free(&mesh);
    }
}

static void the_surface_of_a_box_is_closed_and_points_outward(void **state) {
    (void)state;
    const int32_t n = 4;
    ThawMesh *mesh = shuffled_box(3, n);
    ThawSurface *surface;
    assert_int_equal(thaw_mesh_surface(mesh, &surface, NULL), THAW_OK);
    assert_int_equal(surface->nodes, 3);
    assert_int_equal(surface->count, 12 * n * n);
    double sum[3] = {0, 0, 0}, volume = 0, area = 0;
    for (int32_t f = 0; f < surface->count; f++) {
        const double *a = mesh->x + 3 * surface->faces[3 * f], *b = mesh->x + 3 * surface->faces[3 * f + 1],
                     *c = mesh->x + 3 * surface->faces[3 * f + 2];
        double normal[3], out = 0, length = 0;
        for (int k = 0; k < 3; k++) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            normal[k] = ((b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i])) / 2;
            sum[k] += normal[k];
            out += normal[k] * ((a[k] + b[k] + c[k]) / 3 - 0.5);
            length += normal[k] * normal[k];
        }
        assert_true(out > 0); // the box is convex around (1/2, 1/2, 1/2)
        volume += out / 3;    // divergence theorem
        area += sqrt(length);
    }
    for (int k = 0; k < 3; k++)
        assert_true(fabs(sum[k]) < 1e-13);
    assert_true(fabs(volume - 1) < 1e-13);
    assert_true(fabs(area - 6) < 1e-13);
    thaw_surface_free(&surface);
    thaw_mesh_free(&mesh);
}

static void the_boundary_of_a_square_runs_around_it_once(void **state) {
    (void)state;
    const int32_t n = 6;
    ThawMesh *mesh = shuffled_box(2, n);
    ThawSurface *surface;
    assert_int_equal(thaw_mesh_surface(mesh, &surface, NULL), THAW_OK);
    assert_int_equal(surface->nodes, 2);
    assert_int_equal(surface->count, 4 * n);
    int32_t *next = THAW_NEW(int32_t, mesh->vertex_count);
    double area = 0;
    for (int32_t f = 0; f < surface->count; f++) {
        const int32_t a = surface->faces[2 * f], b = surface->faces[2 * f + 1];
        next[a] = b;
        area += (mesh->x[2 * a] * mesh->x[2 * b + 1] - mesh->x[2 * b] * mesh->x[2 * a + 1]) / 2;
    }
    int32_t v = surface->faces[0], steps = 0;
    do
        v = next[v];
    while (++steps < 4 * n && v != surface->faces[0]);
    assert_int_equal(steps, 4 * n);
    assert_int_equal(v, surface->faces[0]);
    assert_true(fabs(area - 1) < 1e-14);
    thaw_free(next);
    thaw_surface_free(&surface);
    thaw_mesh_free(&mesh);
}

static void elements_know_each_other_across_faces(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        ThawMesh *mesh = shuffled_box(dim, 4);
        int32_t *across, outside = 0;
        assert_int_equal(thaw_mesh_neighbours(mesh, &across, NULL), THAW_OK);
        for (int32_t e = 0; e < mesh->element_count; e++)
            for (int i = 0; i < mesh->nodes; i++) {
                const int32_t other = across[mesh->nodes * e + i];
                outside += other < 0;
                if (other < 0)
                    continue;
                int back = 0, shared = 0;
                for (int j = 0; j < mesh->nodes; j++) {
                    back += across[mesh->nodes * other + j] == e;
                    for (int k = 0; k < mesh->nodes; k++) // all corners but the one opposite the face
                        shared +=
                            k != i && mesh->elements[mesh->nodes * e + k] == mesh->elements[mesh->nodes * other + j];
                }
                assert_int_equal(back, 1);
                assert_int_equal(shared, dim);
            }
        assert_int_equal(outside, dim == 3 ? 12 * 16 : 16);
        thaw_free(across);
        thaw_mesh_free(&mesh);
    }
}

static void three_elements_on_one_face_are_refused(void **state) {
    (void)state;
    double x[12] = {0, 0, 1, 0, 0, 1, 0, -1, 1, 1, 0.5, 2};
    int32_t elements[9] = {0, 1, 2, 1, 0, 3, 0, 1, 5}, region[3] = {0}, *across = elements;
    char *name = "a";
    const ThawMesh mesh = {.dim = 2,
                           .nodes = 3,
                           .vertex_count = 6,
                           .element_count = 3,
                           .x = x,
                           .elements = elements,
                           .region = region,
                           .region_count = 1,
                           .region_names = &name};
    ThawError error;
    assert_int_equal(thaw_mesh_neighbours(&mesh, &across, &error), THAW_ERROR_INPUT);
    assert_null(across);
    assert_non_null(strstr(error.message, "elements 0, 1 and 2"));
}

static int32_t bandwidth(const ThawGraph *graph, const int32_t *order) {
    int32_t *place = THAW_NEW(int32_t, graph->n), widest = 0;
    memset(place, -1, (size_t)graph->n * sizeof *place);
    for (int32_t i = 0; i < graph->n; i++) {
        assert_in_range(order[i], 0, graph->n - 1);
        assert_int_equal(place[order[i]], -1); // a permutation
        place[order[i]] = i;
    }
    for (int32_t i = 0; i < graph->n; i++)
        for (int32_t k = graph->offset[i]; k < graph->offset[i + 1]; k++) {
            const int32_t width = abs(place[i] - place[graph->neighbours[k]]);
            widest = width > widest ? width : widest;
        }
    thaw_free(place);
    return widest;
}

static void cuthill_mckee_makes_the_band_narrow(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        const int32_t n = dim == 3 ? 8 : 25;
        ThawMesh *mesh = shuffled_box(dim, n);
        ThawGraph *graph;
        assert_int_equal(thaw_graph_create(mesh, &graph, NULL), THAW_OK);
        int32_t *order = THAW_NEW(int32_t, graph->n);
        for (int32_t i = 0; i < graph->n; i++)
            order[i] = i;
        const int32_t before = bandwidth(graph, order);
        assert_int_equal(thaw_graph_order_rcm(graph, order, NULL), THAW_OK);
        const int32_t after = bandwidth(graph, order);
        assert_true(before > graph->n / 2); // shuffled
        assert_true(after <= (dim == 3 ? 4 * (n + 1) * (n + 1) : 2 * (n + 1) + 2));
        assert_true(3 * after < 2 * before || dim == 2);
        thaw_free(order);
        thaw_graph_free(&graph);
        thaw_mesh_free(&mesh);
    }
}

static void cuthill_mckee_orders_a_path_end_to_end_and_parts_one_by_one(void **state) {
    (void)state;
    // The path 3 - 0 - 4 - 1, the lone vertex 2 and the edge 5 - 6.
    int32_t offset[8] = {0, 2, 3, 3, 4, 6, 7, 8}, neighbours[8] = {3, 4, 4, 0, 0, 1, 6, 5}, order[7];
    const ThawGraph graph = {.n = 7, .offset = offset, .neighbours = neighbours};
    assert_int_equal(thaw_graph_order_rcm(&graph, order, NULL), THAW_OK);
    assert_int_equal(bandwidth(&graph, order), 1);
    const ThawGraph nothing = {.n = 0, .offset = offset, .neighbours = neighbours};
    assert_int_equal(thaw_graph_order_rcm(&nothing, order, NULL), THAW_OK);
}

static void rows_are_sorted_by_all_their_keys_and_keep_equals_in_order(void **state) {
    (void)state;
    int32_t *rows = THAW_NEW(int32_t, 3 * 500);
    uint64_t seed = 3;
    for (int32_t i = 0; i < 500; i++) {
        rows[3 * i] = (int32_t)(random_number(&seed) % 9);
        rows[3 * i + 1] = (int32_t)(random_number(&seed) % 9);
        rows[3 * i + 2] = i;
    }
    assert_int_equal(thaw_rows_sort(2, 9, 500, &rows, NULL), THAW_OK);
    for (int32_t i = 1; i < 500; i++) {
        const int32_t *a = rows + 3 * (i - 1), *b = rows + 3 * i;
        assert_true(a[0] < b[0] || (a[0] == b[0] && (a[1] < b[1] || (a[1] == b[1] && a[2] < b[2]))));
    }
    thaw_free(rows);
}

static void quality_of_regular_elements_is_one(void **state) {
    (void)state;
    double x[12] = {1, 1, 1, -1, 1, -1, 1, -1, -1, -1, -1, 1};
    int32_t elements[4] = {0, 1, 2, 3};
    ThawMesh mesh = {.dim = 3, .nodes = 4, .vertex_count = 4, .element_count = 1, .x = x, .elements = elements};
    ThawMeshQuality q = thaw_mesh_quality(&mesh);
    assert_true(fabs(q.max_aspect - 1) < 1e-14);
    assert_true(fabs(q.min_angle - acos(1. / 3)) < 1e-14);
    assert_true(fabs(q.max_angle - acos(1. / 3)) < 1e-14);
    assert_true(fabs(q.total_volume - 8. / 3) < 1e-14);

    double y[6] = {0, 0, 1, 0, 0.5, sqrt(0.75)};
    ThawMesh triangle = {.dim = 2, .nodes = 3, .vertex_count = 3, .element_count = 1, .x = y, .elements = elements};
    q = thaw_mesh_quality(&triangle);
    assert_true(fabs(q.max_aspect - 1) < 1e-14);
    assert_true(fabs(q.min_angle - acos(0.5)) < 1e-14);
    assert_true(fabs(q.max_angle - acos(0.5)) < 1e-14);
}

static void quality_names_the_worst_element(void **state) {
    (void)state;
    ThawMesh *mesh;
    const double lo[3] = {0, 0, 0}, hi[3] = {3, 1, 1};
    assert_int_equal(thaw_mesh_box(3, lo, hi, (int32_t[]){3, 1, 1}, &mesh, NULL), THAW_OK);
    ThawMeshQuality q = thaw_mesh_quality(mesh);
    assert_true(fabs(q.min_angle - acos(-1) / 4) < 1e-14); // a Kuhn tetrahedron: 45, 60 and 90 degrees
    assert_true(fabs(q.max_angle - acos(-1) / 2) < 1e-14);
    assert_true(fabs(q.total_volume - 3) < 1e-14);
    assert_true(fabs(q.min_volume - 1. / 6) < 1e-15 && fabs(q.max_volume - 1. / 6) < 1e-15);
    mesh->x[3 * 3] = 2.001; // the low corner at x = 3: the last cell's elements 12 to 17 become thin
    q = thaw_mesh_quality(mesh);
    assert_true(q.min_volume_element >= 12 && q.max_aspect_element >= 12 && q.min_angle_element >= 12);
    assert_true(q.max_aspect > 10 && q.min_angle < 0.01);
    thaw_mesh_free(&mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adjacency_is_symmetric_sorted_and_complete),
        cmocka_unit_test(the_surface_of_a_box_is_closed_and_points_outward),
        cmocka_unit_test(the_boundary_of_a_square_runs_around_it_once),
        cmocka_unit_test(elements_know_each_other_across_faces),
        cmocka_unit_test(three_elements_on_one_face_are_refused),
        cmocka_unit_test(cuthill_mckee_makes_the_band_narrow),
        cmocka_unit_test(cuthill_mckee_orders_a_path_end_to_end_and_parts_one_by_one),
        cmocka_unit_test(rows_are_sorted_by_all_their_keys_and_keep_equals_in_order),
        cmocka_unit_test(quality_of_regular_elements_is_one),
        cmocka_unit_test(quality_names_the_worst_element),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
