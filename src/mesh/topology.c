// SPDX-License-Identifier: Apache-2.0
// Adjacency. Vertices that share an element (the pattern of the stiffness matrix), elements that share a face,
// and faces that belong to one element only: the surface.
//
// Faces are matched by sorting: each is written as a row of its vertex ids in ascending order, rows are sorted, and
// equal faces are then neighbours. One counting pass brings rows with the same first vertex together; as only a few
// elements meet at a vertex, insertion does the rest. Where many meet, there is one counting pass for every column.
// Lists of neighbours are sorted by the old trick that transposing a sparse pattern twice sorts its rows, and a
// symmetric one needs it once. No hashing, so no bad luck: every function here is linear in the size of the mesh.
#include <string.h>

#include "mesh/mesh.h"

const int8_t thaw_tet_face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
const int8_t thaw_triangle_edge[3][2] = {{1, 2}, {2, 0}, {0, 1}};

// --- vertices --------------------------------------------------------------------------------------------------------

// Turns counts, kept one place to the right (count of i in offset[i + 1]), into offsets. Returns the total.
static int64_t sum_offsets(int64_t *offset, int32_t n) {
    for (int32_t i = 0; i < n; i++)
        offset[i + 1] += offset[i];
    return offset[n];
}

// The elements around each vertex: around[offset[v] .. offset[v+1]), ascending.
static ThawStatus elements_around(const ThawMesh *mesh, int64_t **offset, int32_t **around, ThawError *error) {
    const size_t total = (size_t)mesh->nodes * (size_t)mesh->element_count;
    *offset = THAW_NEW(int64_t, (size_t)mesh->vertex_count + 2);
    *around = THAW_NEW(int32_t, total);
    if (!*offset || !*around)
        return thaw_error_memory(error, "the adjacency of a mesh");
    int64_t *end = *offset + 1; // end[v] starts as the beginning of v's list and is its end when all are filled in
    for (size_t i = 0; i < total; i++)
        end[mesh->elements[i] + 1]++;
    sum_offsets(end, mesh->vertex_count);
    for (size_t i = 0; i < total; i++)
        (*around)[end[mesh->elements[i]]++] = (int32_t)(i / (size_t)mesh->nodes);
    return THAW_OK;
}

// Appends the neighbours of v to `out` (NULL: only counts them), each once, in the order they are met.
static int32_t gather_neighbours(const ThawMesh *mesh, const int64_t *offset, const int32_t *around, int32_t v,
                                 int32_t *seen, int32_t *out) {
    int32_t count = 0;
    for (int64_t a = offset[v]; a < offset[v + 1]; a++) {
        const int32_t *corner = mesh->elements + (size_t)mesh->nodes * (size_t)around[a];
        for (int i = 0; i < mesh->nodes; i++)
            if (corner[i] != v && seen[corner[i]] != v) {
                seen[corner[i]] = v;
                if (out)
                    out[count] = corner[i];
                count++;
            }
    }
    return count;
}

static ThawStatus fill_graph(const ThawMesh *mesh, const int64_t *offset, const int32_t *around, ThawGraph *graph,
                             ThawError *error) {
    const int32_t n = graph->n;
    int32_t *seen = THAW_NEW(int32_t, n); // the last vertex that has met this one
    graph->offset = THAW_NEW(int32_t, (size_t)n + 1);
    if (!seen || !graph->offset) {
        thaw_free(seen);
        return thaw_error_memory(error, "the adjacency of a mesh");
    }
    int64_t total = 0;
    memset(seen, -1, (size_t)n * sizeof *seen);
    for (int32_t v = 0; v < n && total <= INT32_MAX; v++) {
        total += gather_neighbours(mesh, offset, around, v, seen, NULL);
        graph->offset[v + 1] = (int32_t)total;
    }
    if (total > INT32_MAX) {
        thaw_free(seen);
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "the mesh has more than 2147483647 pairs of neighbouring vertices");
    }
    int32_t *met = THAW_NEW(int32_t, total), *next = THAW_NEW(int32_t, n);
    graph->neighbours = THAW_NEW(int32_t, total);
    if (met && next && graph->neighbours) {
        memset(seen, -1, (size_t)n * sizeof *seen);
        for (int32_t v = 0; v < n; v++)
            gather_neighbours(mesh, offset, around, v, seen, met + graph->offset[v]);
        memcpy(next, graph->offset, (size_t)n * sizeof *next);
        for (int32_t v = 0; v < n; v++) // the transpose: v ascends, so it does in every list
            for (int32_t k = graph->offset[v]; k < graph->offset[v + 1]; k++)
                graph->neighbours[next[met[k]]++] = v;
    }
    const int failed = !met || !next || !graph->neighbours;
    thaw_free(next);
    thaw_free(met);
    thaw_free(seen);
    return failed ? thaw_error_memory(error, "the adjacency of a mesh") : THAW_OK;
}

ThawStatus thaw_graph_create(const ThawMesh *mesh, ThawGraph **graph, ThawError *error) {
    int64_t *offset = NULL;
    int32_t *around = NULL;
    *graph = THAW_NEW(ThawGraph, 1);
    if (!*graph)
        return thaw_error_memory(error, "the adjacency of a mesh");
    (*graph)->n = mesh->vertex_count;
    ThawStatus status = elements_around(mesh, &offset, &around, error);
    if (!status)
        status = fill_graph(mesh, offset, around, *graph, error);
    thaw_free(offset);
    thaw_free(around);
    if (status)
        thaw_graph_free(graph);
    return status;
}

void thaw_graph_free(ThawGraph **graph) {
    if (!graph || !*graph)
        return;
    thaw_free((*graph)->offset);
    thaw_free((*graph)->neighbours);
    thaw_free(*graph);
    *graph = NULL;
}

// --- rows ------------------------------------------------------------------------------------------------------------

enum { FEW = 128 }; // rows with the same first key that are sorted where they stand

static void copy_row(size_t stride, const int32_t *from, int32_t *to) {
    for (size_t k = 0; k < stride; k++)
        to[k] = from[k];
}

// One counting pass: rows by one of their columns, those with the same key in their order. next[key] becomes the end of
// its rows.
static void sort_column(size_t stride, size_t column, int32_t n, size_t count, const int32_t *from, int32_t *to,
                        size_t *next) {
    memset(next, 0, ((size_t)n + 1) * sizeof *next);
    for (size_t i = 0; i < count; i++)
        next[from[stride * i + column] + 1]++;
    for (int32_t key = 0; key < n; key++)
        next[key + 1] += next[key];
    for (size_t i = 0; i < count; i++)
        copy_row(stride, from + stride * i, to + stride * next[from[stride * i + column]]++);
}

static int is_above(const int32_t *a, const int32_t *b, size_t width) {
    size_t k = 1;
    while (k + 1 < width && a[k] == b[k])
        k++;
    return a[k] > b[k];
}

// By insertion, after the first column; stable.
static void sort_few_rows(size_t width, size_t count, int32_t *rows) {
    const size_t stride = width + 1;
    int32_t row[8];
    for (size_t i = 1; i < count; i++) {
        int32_t *slot = rows + stride * i;
        copy_row(stride, slot, row);
        for (; slot > rows && is_above(slot - stride, row, width); slot -= stride)
            copy_row(stride, slot - stride, slot);
        copy_row(stride, row, slot);
    }
}

ThawStatus thaw_rows_sort(int width, int32_t n, size_t count, int32_t **rows, ThawError *error) {
    const size_t stride = (size_t)width + 1;
    int32_t *other = THAW_NEW(int32_t, stride * count);
    size_t *next = THAW_NEW(size_t, (size_t)n + 1), most = 0;
    if (!other || !next) {
        thaw_free(other);
        thaw_free(next);
        return thaw_error_memory(error, "sorting the faces of a mesh");
    }
    for (size_t i = 0; i < count; i++) {
        const size_t met = ++next[(*rows)[stride * i]];
        most = met > most ? met : most;
    }
    for (int column = most > FEW ? width - 1 : 0; column >= 0; column--) {
        sort_column(stride, (size_t)column, n, count, *rows, other, next);
        int32_t *swap = *rows;
        *rows = other;
        other = swap;
    }
    for (int32_t key = 0; most <= FEW && width > 1 && key < n; key++) {
        const size_t start = key ? next[key - 1] : 0, few = next[key] - start;
        if (width == 3) // faces of tetrahedra: most of the work there is
            sort_few_rows(3, few, *rows + stride * start);
        else
            sort_few_rows((size_t)width, few, *rows + stride * start);
    }
    thaw_free(other);
    thaw_free(next);
    return THAW_OK;
}

static void sort_few(int32_t *a, int count) {
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && a[j] < a[j - 1]; j--) {
            int32_t swap = a[j];
            a[j] = a[j - 1];
            a[j - 1] = swap;
        }
}

ThawStatus thaw_mesh_element_rows(const ThawMesh *mesh, int32_t **rows, ThawError *error) {
    const size_t nodes = (size_t)mesh->nodes;
    *rows = THAW_NEW(int32_t, (nodes + 1) * (size_t)mesh->element_count);
    if (!*rows)
        return thaw_error_memory(error, "sorting the elements of a mesh");
    for (int32_t e = 0; e < mesh->element_count; e++) {
        int32_t *row = *rows + (nodes + 1) * (size_t)e;
        memcpy(row, mesh->elements + nodes * (size_t)e, nodes * sizeof *row);
        sort_few(row, mesh->nodes);
        row[nodes] = e;
    }
    return THAW_OK;
}

// --- faces -----------------------------------------------------------------------------------------------------------

static void face_corners(const ThawMesh *mesh, int32_t element, int face, int32_t *corners) {
    const int32_t *v = mesh->elements + (size_t)mesh->nodes * (size_t)element;
    for (int k = 0; k < mesh->nodes - 1; k++)
        corners[k] = v[mesh->nodes == 4 ? thaw_tet_face[face][k] : thaw_triangle_edge[face][k]];
}

// All faces of all elements, equal ones next to each other: nodes - 1 vertex ids and nodes * element + face a row.
static ThawStatus sorted_faces(const ThawMesh *mesh, int32_t **rows, ThawError *error) {
    const size_t stride = (size_t)mesh->nodes, total = (size_t)mesh->nodes * (size_t)mesh->element_count;
    *rows = NULL;
    if (total > INT32_MAX)
        return thaw_error_set(error, THAW_ERROR_INPUT, "the mesh has %zu element faces; at most 2147483647 are allowed",
                              total);
    *rows = THAW_NEW(int32_t, stride * total);
    if (!*rows)
        return thaw_error_memory(error, "the faces of a mesh");
    int32_t *row = *rows;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        const int32_t *v = mesh->elements + (size_t)mesh->nodes * (size_t)e;
        int32_t sorted[4] = {0};
        memcpy(sorted, v, (size_t)mesh->nodes * sizeof *v);
        sort_few(sorted, mesh->nodes);
        for (int face = 0; face < mesh->nodes; face++, row += stride) { // all but the vertex opposite
            int skip = 0;
            while (sorted[skip] != v[face])
                skip++;
            for (int k = 0; k < mesh->nodes - 1; k++)
                row[k] = sorted[k + (k >= skip)];
            row[stride - 1] = mesh->nodes * e + face;
        }
    }
    return thaw_rows_sort(mesh->nodes - 1, mesh->vertex_count, total, rows, error);
}

// How many rows from `first` on are the same face.
static size_t run_length(const int32_t *rows, size_t first, size_t count, size_t width) {
    size_t end = first + 1;
    while (end < count && memcmp(rows + (width + 1) * first, rows + (width + 1) * end, width * sizeof *rows) == 0)
        end++;
    return end - first;
}

ThawStatus thaw_mesh_neighbours(const ThawMesh *mesh, int32_t **across, ThawError *error) {
    const size_t width = (size_t)mesh->nodes - 1, stride = width + 1,
                 total = (size_t)mesh->nodes * (size_t)mesh->element_count;
    int32_t *rows, *result = NULL;
    *across = NULL;
    ThawStatus status = sorted_faces(mesh, &rows, error);
    if (!status && !(result = THAW_NEW(int32_t, total)))
        status = thaw_error_memory(error, "the neighbours of elements");
    for (size_t i = 0, run; !status && i < total; i += run) {
        const int32_t *face = rows + stride * i;
        run = run_length(rows, i, total, width);
        const int32_t one = face[width], other = run > 1 ? face[stride + width] : -1;
        result[one] = run > 1 ? other / mesh->nodes : -1;
        if (run > 1)
            result[other] = one / mesh->nodes;
        if (run > 2)
            status = thaw_error_set(error, THAW_ERROR_INPUT,
                                    "elements %d, %d and %d share one face (vertices %d, %d%s); at most two may",
                                    one / mesh->nodes, other / mesh->nodes, face[2 * stride + width] / mesh->nodes,
                                    face[0], face[1], width == 3 ? " and another" : "");
    }
    thaw_free(rows);
    if (status)
        thaw_free(result);
    else
        *across = result;
    return status;
}

static ThawStatus fill_surface(const ThawMesh *mesh, const int32_t *rows, ThawSurface *surface, ThawError *error) {
    const size_t width = (size_t)mesh->nodes - 1, total = (size_t)mesh->nodes * (size_t)mesh->element_count;
    char *outer = THAW_NEW(char, total); // by nodes * element + face
    if (!outer)
        return thaw_error_memory(error, "the surface of a mesh");
    for (size_t i = 0, run; i < total; i += run) {
        run = run_length(rows, i, total, width);
        if (run == 1) {
            outer[rows[(width + 1) * i + width]] = 1;
            surface->count++;
        }
    }
    surface->faces = THAW_NEW(int32_t, width * (size_t)surface->count);
    surface->element = THAW_NEW(int32_t, surface->count);
    if (surface->faces && surface->element)
        for (size_t i = 0, at = 0; i < total; i++)
            if (outer[i]) {
                surface->element[at] = (int32_t)(i / (size_t)mesh->nodes);
                face_corners(mesh, surface->element[at], (int)(i % (size_t)mesh->nodes), surface->faces + width * at);
                at++;
            }
    thaw_free(outer);
    return surface->faces && surface->element ? THAW_OK : thaw_error_memory(error, "the surface of a mesh");
}

// All triangles of a sheet, as they are.
static ThawStatus take_all(const ThawMesh *mesh, ThawSurface *surface, ThawError *error) {
    surface->count = mesh->element_count;
    surface->faces = THAW_NEW(int32_t, 3 * (size_t)surface->count);
    surface->element = THAW_NEW(int32_t, surface->count);
    if (!surface->faces || !surface->element)
        return thaw_error_memory(error, "the surface of a mesh");
    memcpy(surface->faces, mesh->elements, 3 * (size_t)surface->count * sizeof *surface->faces);
    for (int32_t e = 0; e < surface->count; e++)
        surface->element[e] = e;
    return THAW_OK;
}

ThawStatus thaw_mesh_surface(const ThawMesh *mesh, ThawSurface **surface, ThawError *error) {
    int32_t *rows = NULL;
    *surface = THAW_NEW(ThawSurface, 1);
    if (!*surface)
        return thaw_error_memory(error, "the surface of a mesh");
    (*surface)->nodes = mesh->dim;
    const int sheet = thaw_mesh_is_sheet(mesh);
    ThawStatus status = sheet ? take_all(mesh, *surface, error) : sorted_faces(mesh, &rows, error);
    if (!status && !sheet)
        status = fill_surface(mesh, rows, *surface, error);
    thaw_free(rows);
    if (status)
        thaw_surface_free(surface);
    return status;
}

void thaw_surface_free(ThawSurface **surface) {
    if (!surface || !*surface)
        return;
    thaw_free((*surface)->faces);
    thaw_free((*surface)->element);
    thaw_free(*surface);
    *surface = NULL;
}
