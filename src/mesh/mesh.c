// SPDX-License-Identifier: Apache-2.0
// A mesh as plain data: making room for it, copying, placing and freeing it. All linear.
#include <math.h>
#include <string.h>

#include "mesh/mesh.h"

static ThawStatus create(int dim, int nodes, int32_t vertex_count, int32_t element_count, ThawMesh **mesh,
                         ThawError *error) {
    *mesh = NULL;
    ThawMesh *m = THAW_NEW(ThawMesh, 1);
    if (!m)
        return thaw_error_memory(error, "a mesh");
    m->dim = dim;
    m->nodes = nodes;
    m->vertex_count = vertex_count;
    m->element_count = element_count;
    m->x = THAW_NEW(double, (size_t)dim *(size_t)vertex_count);
    m->elements = THAW_NEW(int32_t, (size_t)m->nodes * (size_t)element_count);
    m->region = THAW_NEW(int32_t, element_count);
    if (!m->x || !m->elements || !m->region) {
        thaw_mesh_free(&m);
        return thaw_error_memory(error, "a mesh");
    }
    *mesh = m;
    return THAW_OK;
}

ThawStatus thaw_mesh_create(int dim, int32_t vertex_count, int32_t element_count, ThawMesh **mesh, ThawError *error) {
    return create(dim, dim + 1, vertex_count, element_count, mesh, error);
}

ThawStatus thaw_mesh_create_sheet(int32_t vertex_count, int32_t element_count, ThawMesh **mesh, ThawError *error) {
    return create(3, 3, vertex_count, element_count, mesh, error);
}

ThawStatus thaw_mesh_set_regions(ThawMesh *mesh, int32_t count, ThawError *error) {
    mesh->region_names = THAW_NEW(char *, count);
    if (!mesh->region_names)
        return thaw_error_memory(error, "the regions of a mesh");
    mesh->region_count = count;
    return THAW_OK;
}

ThawStatus thaw_mesh_set_groups(ThawMesh *mesh, int32_t count, ThawError *error) {
    mesh->groups = THAW_NEW(ThawMeshGroup, count);
    if (!mesh->groups)
        return thaw_error_memory(error, "the groups of a mesh");
    mesh->group_count = count;
    return THAW_OK;
}

void thaw_mesh_free(ThawMesh **mesh) {
    if (!mesh || !*mesh)
        return;
    ThawMesh *m = *mesh;
    for (int32_t r = 0; m->region_names && r < m->region_count; r++)
        thaw_free(m->region_names[r]);
    for (int32_t g = 0; m->groups && g < m->group_count; g++) {
        thaw_free(m->groups[g].name);
        thaw_free(m->groups[g].vertices);
    }
    thaw_free(m->region_names);
    thaw_free(m->groups);
    thaw_free(m->region);
    thaw_free(m->elements);
    thaw_free(m->x);
    thaw_free(m);
    *mesh = NULL;
}

static ThawStatus copy_names_and_groups(const ThawMesh *from, ThawMesh *to, ThawError *error) {
    ThawStatus status = thaw_mesh_set_regions(to, from->region_count, error);
    if (!status)
        status = thaw_mesh_set_groups(to, from->group_count, error);
    if (status)
        return status;
    for (int32_t r = 0; r < from->region_count; r++)
        if (!(to->region_names[r] = thaw_strdup(from->region_names[r])))
            return thaw_error_memory(error, "the regions of a mesh");
    for (int32_t g = 0; g < from->group_count; g++) {
        const ThawMeshGroup *group = from->groups + g;
        ThawMeshGroup *copy = to->groups + g;
        copy->name = thaw_strdup(group->name);
        copy->vertices = THAW_NEW(int32_t, group->count);
        if (!copy->name || !copy->vertices)
            return thaw_error_memory(error, "the groups of a mesh");
        copy->count = group->count;
        if (group->count)
            memcpy(copy->vertices, group->vertices, (size_t)group->count * sizeof *copy->vertices);
    }
    return THAW_OK;
}

ThawStatus thaw_mesh_copy(const ThawMesh *mesh, ThawMesh **copy, ThawError *error) {
    ThawStatus status = create(mesh->dim, mesh->nodes, mesh->vertex_count, mesh->element_count, copy, error);
    if (status)
        return status;
    ThawMesh *m = *copy;
    memcpy(m->x, mesh->x, (size_t)m->dim * (size_t)m->vertex_count * sizeof *m->x);
    memcpy(m->elements, mesh->elements, (size_t)m->nodes * (size_t)m->element_count * sizeof *m->elements);
    memcpy(m->region, mesh->region, (size_t)m->element_count * sizeof *m->region);
    status = copy_names_and_groups(mesh, m, error);
    if (status)
        thaw_mesh_free(copy);
    return status;
}

// A = R diag(scale) of the unit quaternion q, row-major.
static void placement_matrix(const double scale[3], const double q[4], double A[9]) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 9; i++)
        A[i] = R[i] * scale[i % 3];
}

static void place(int dim, const double A[9], const double t[3], const double *X, double *x) {
    for (int i = 0; i < dim; i++) {
        x[i] = t[i];
        for (int k = 0; k < dim; k++)
            x[i] += A[3 * i + k] * X[k];
    }
}

ThawStatus thaw_mesh_transform(ThawMesh *mesh, const double scale[3], const double rotation[4],
                               const double translation[3], ThawError *error) {
    const int dim = mesh->dim;
    double mirror = 1;
    for (int k = 0; k < dim; k++) {
        if (!isfinite(scale[k]) || scale[k] == 0)
            return thaw_error_set(error, THAW_ERROR_INPUT, "scale[%d] is %g; allowed are finite numbers other than 0",
                                  k, scale[k]);
        if (!isfinite(translation[k]))
            return thaw_error_set(error, THAW_ERROR_INPUT, "translation[%d] is %g; allowed are finite numbers", k,
                                  translation[k]);
        mirror = scale[k] < 0 ? -mirror : mirror;
    }
    double q[4], length = 0;
    for (int k = 0; k < 4; k++)
        length += rotation[k] * rotation[k];
    length = sqrt(length);
    if (!(fabs(length - 1) <= 1e-6))
        return thaw_error_set(error, THAW_ERROR_INPUT, "rotation has the length %g; allowed are unit quaternions",
                              length);
    if (dim == 2 && (fabs(rotation[1]) > 1e-6 || fabs(rotation[2]) > 1e-6))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "rotation is (%g, %g, %g, %g); a mesh of dim 2 turns about z only: (w, 0, 0, z)",
                              rotation[0], rotation[1], rotation[2], rotation[3]);
    for (int k = 0; k < 4; k++)
        q[k] = rotation[k] / length;

    double A[9], x[3];
    placement_matrix(scale, q, A);
    for (int32_t v = 0; v < mesh->vertex_count; v++) { // look before writing: on error nothing may have changed
        place(dim, A, translation, mesh->x + (size_t)dim * (size_t)v, x);
        for (int k = 0; k < dim; k++)
            if (!isfinite(x[k]))
                return thaw_error_set(error, THAW_ERROR_INPUT,
                                      "vertex %d would be moved out of the range of double precision", v);
    }
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        double *X = mesh->x + (size_t)dim * (size_t)v;
        place(dim, A, translation, X, x);
        memcpy(X, x, (size_t)dim * sizeof *x);
    }
    for (int32_t e = 0; mirror < 0 && e < mesh->element_count; e++)
        thaw_mesh_flip(mesh, e);
    return THAW_OK;
}
