// SPDX-License-Identifier: Apache-2.0
// Boxes on a regular grid. Every cell is cut the same way (Kuhn 1960): one simplex for each order in which a path from
// the cell's lowest to its highest corner can take the axes. Neighbouring cells then agree on the diagonals of their
// common face, so the mesh conforms. Six tetrahedra of equal volume in 3D, two triangles in 2D. Linear.
#include <math.h>

#include "mesh/mesh.h"

// The axes in the order the path takes them. An odd order gives a negative simplex, mended by swapping its last two
// corners.
static const int8_t path_3d[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
static const int8_t path_2d[2][2] = {{0, 1}, {1, 0}};

typedef struct Grid {
    int dim;
    int32_t cells[3];  // 0 along an axis that does not exist
    int32_t stride[3]; // from a vertex to the next along an axis
} Grid;

static ThawStatus check_box(int dim, const double lo[3], const double hi[3], const int32_t cells[3], ThawError *error) {
    if (dim != 2 && dim != 3)
        return thaw_error_set(error, THAW_ERROR_INPUT, "dim is %d; allowed are 2 and 3", dim);
    int64_t vertices = 1, elements = dim == 3 ? 6 : 2;
    for (int k = 0; k < dim; k++) {
        if (!isfinite(lo[k]) || !isfinite(hi[k]) || !isfinite(hi[k] - lo[k]) || !(lo[k] < hi[k]))
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "lo[%d] is %g and hi[%d] is %g; allowed are finite numbers, lo below hi", k, lo[k], k,
                                  hi[k]);
        if (cells[k] < 1)
            return thaw_error_set(error, THAW_ERROR_INPUT, "cells[%d] is %d; allowed are 1 and more", k, cells[k]);
        // Each factor is below 2^31 and the products are kept so: no overflow of 64 bits.
        vertices *= (int64_t)cells[k] + 1;
        elements *= cells[k];
        if (vertices > INT32_MAX || elements > INT32_MAX)
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "cells is (%d, %d, %d): more than 2147483647 vertices or elements", cells[0],
                                  cells[1], dim == 3 ? cells[2] : 1);
    }
    return THAW_OK;
}

static void fill_vertices(const Grid *grid, const double lo[3], const double hi[3], double *x) {
    const int32_t *n = grid->cells;
    for (int32_t k = 0; k <= n[2]; k++)
        for (int32_t j = 0; j <= n[1]; j++)
            for (int32_t i = 0; i <= n[0]; i++) {
                const int32_t at[3] = {i, j, k};
                for (int a = 0; a < grid->dim; a++) // the last one exactly at hi, whatever the rounding
                    *x++ = at[a] == n[a] ? hi[a] : lo[a] + (hi[a] - lo[a]) * ((double)at[a] / n[a]);
            }
}

static void fill_elements(const Grid *grid, int32_t *element) {
    const int dim = grid->dim;
    const int32_t *n = grid->cells, *stride = grid->stride;
    for (int32_t k = 0; k < (dim == 3 ? n[2] : 1); k++)
        for (int32_t j = 0; j < n[1]; j++)
            for (int32_t i = 0; i < n[0]; i++)
                for (int p = 0; p < (dim == 3 ? 6 : 2); p++, element += dim + 1) {
                    const int8_t *path = dim == 3 ? path_3d[p] : path_2d[p];
                    element[0] = i * stride[0] + j * stride[1] + k * stride[2];
                    for (int a = 0; a < dim; a++)
                        element[a + 1] = element[a] + stride[path[a]];
                    if (p >= dim * (dim - 1) / 2) { // the odd half of the orders
                        int32_t last = element[dim];
                        element[dim] = element[dim - 1];
                        element[dim - 1] = last;
                    }
                }
}

static ThawStatus fill_face(const Grid *grid, int axis, int upper, ThawMeshGroup *group, ThawError *error) {
    static const char *const names[3][2] = {{"x-min", "x-max"}, {"y-min", "y-max"}, {"z-min", "z-max"}};
    int32_t lo[3] = {0, 0, 0}, hi[3] = {grid->cells[0], grid->cells[1], grid->cells[2]}; // both included
    lo[axis] = hi[axis] = upper ? grid->cells[axis] : 0;
    group->name = thaw_strdup(names[axis][upper]);
    group->vertices = THAW_NEW(int32_t, (int64_t)(hi[0] - lo[0] + 1) * (hi[1] - lo[1] + 1) * (hi[2] - lo[2] + 1));
    if (!group->name || !group->vertices)
        return thaw_error_memory(error, "the groups of a box");
    for (int32_t k = lo[2]; k <= hi[2]; k++)
        for (int32_t j = lo[1]; j <= hi[1]; j++)
            for (int32_t i = lo[0]; i <= hi[0]; i++)
                group->vertices[group->count++] = i * grid->stride[0] + j * grid->stride[1] + k * grid->stride[2];
    return THAW_OK;
}

static ThawStatus fill_box(const Grid *grid, const double lo[3], const double hi[3], ThawMesh *mesh, ThawError *error) {
    fill_vertices(grid, lo, hi, mesh->x);
    fill_elements(grid, mesh->elements);
    ThawStatus status = thaw_mesh_set_regions(mesh, 1, error);
    if (!status && !(mesh->region_names[0] = thaw_strdup("default")))
        status = thaw_error_memory(error, "the region of a box");
    if (!status)
        status = thaw_mesh_set_groups(mesh, 2 * grid->dim, error);
    for (int g = 0; !status && g < 2 * grid->dim; g++)
        status = fill_face(grid, g / 2, g % 2, mesh->groups + g, error);
    int32_t culprit;
    return status ? status : thaw_mesh_check_shapes(mesh, &culprit, error); // a box may be too flat for its numbers
}

ThawStatus thaw_mesh_box(int dim, const double lo[3], const double hi[3], const int32_t cells[3], ThawMesh **mesh,
                         ThawError *error) {
    if (mesh)
        *mesh = NULL;
    if (!lo || !hi || !cells || !mesh)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_mesh_box: lo, hi, cells and mesh may not be NULL");
    ThawStatus status = check_box(dim, lo, hi, cells, error);
    if (status)
        return status;
    Grid grid = {.dim = dim, .cells = {cells[0], cells[1], dim == 3 ? cells[2] : 0}};
    grid.stride[0] = 1;
    grid.stride[1] = cells[0] + 1;
    grid.stride[2] = dim == 3 ? (cells[0] + 1) * (cells[1] + 1) : 0;
    const int64_t vertices = (int64_t)(cells[0] + 1) * (cells[1] + 1) * (grid.cells[2] + 1);
    const int64_t boxes = (int64_t)cells[0] * cells[1] * (dim == 3 ? cells[2] : 1);
    status = thaw_mesh_create(dim, (int32_t)vertices, (int32_t)(boxes * (dim == 3 ? 6 : 2)), mesh, error);
    if (status)
        return status;
    status = fill_box(&grid, lo, hi, *mesh, error);
    if (status)
        thaw_mesh_free(mesh);
    return status;
}
