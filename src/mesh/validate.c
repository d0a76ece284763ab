// SPDX-License-Identifier: Apache-2.0
// Can this mesh be simulated? Each rule here guards something downstream: a repeated or unused vertex makes a singular
// mass matrix, a flat element an infinite rest-shape inverse, a duplicate element doubles stiffness unnoticed. Messages
// name the element or vertex and where it lies, so that it can be found in the program that made it.
// Linear, but for the names, which are sorted.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/mesh.h"

// Smallest volume by (longest edge)^dim. Rounding of the coordinates alone moves this ratio by about 1e-15.
static const double flat = 1e-12;

typedef struct Place {
    char text[80];
} Place;

static Place centre(const ThawMesh *mesh, int32_t element) {
    double c[3] = {0, 0, 0};
    for (int i = 0; i < mesh->nodes; i++)
        for (int k = 0; k < mesh->dim; k++)
            c[k] +=
                mesh->x[(size_t)mesh->dim * (size_t)mesh->elements[(size_t)mesh->nodes * (size_t)element + (size_t)i] +
                        (size_t)k] /
                mesh->nodes;
    Place place;
    if (mesh->dim == 2)
        snprintf(place.text, sizeof place.text, "(%g, %g)", c[0], c[1]);
    else
        snprintf(place.text, sizeof place.text, "(%g, %g, %g)", c[0], c[1], c[2]);
    return place;
}

static ThawStatus check_sizes(const ThawMesh *mesh, ThawError *error) {
    if (!mesh)
        return thaw_error_set(error, THAW_ERROR_INPUT, "the mesh may not be NULL");
    if (mesh->dim != 2 && mesh->dim != 3)
        return thaw_error_set(error, THAW_ERROR_INPUT, "dim is %d; allowed are 2 and 3", mesh->dim);
    if (mesh->nodes != mesh->dim + 1 && !thaw_mesh_is_sheet(mesh))
        return thaw_error_set(error, THAW_ERROR_INPUT, "nodes is %d; a mesh of dim %d has %d (linear elements only)",
                              mesh->nodes, mesh->dim, mesh->dim + 1);
    if (mesh->vertex_count < 1)
        return thaw_error_set(error, THAW_ERROR_INPUT, "vertex_count is %d; allowed are 1 and more",
                              mesh->vertex_count);
    if (mesh->element_count < 1)
        return thaw_error_set(error, THAW_ERROR_INPUT, "element_count is %d; allowed are 1 and more",
                              mesh->element_count);
    if (mesh->region_count < 1)
        return thaw_error_set(error, THAW_ERROR_INPUT, "region_count is %d; allowed are 1 and more",
                              mesh->region_count);
    if (mesh->group_count < 0)
        return thaw_error_set(error, THAW_ERROR_INPUT, "group_count is %d; allowed are 0 and more", mesh->group_count);
    if (!mesh->x || !mesh->elements || !mesh->region || !mesh->region_names || (mesh->group_count && !mesh->groups))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "x, elements, region, region_names and (with a group_count) groups may not be NULL");
    return THAW_OK;
}

static ThawStatus check_vertices(const ThawMesh *mesh, ThawError *error) {
    const size_t dim = (size_t)mesh->dim;
    for (size_t i = 0; i < dim * (size_t)mesh->vertex_count; i++)
        if (!isfinite(mesh->x[i]))
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "vertex %zu has the %c coordinate %g; allowed are finite numbers", i / dim,
                                  "xyz"[i % dim], mesh -> x[i]);
    return THAW_OK;
}

static ThawStatus check_indices(const ThawMesh *mesh, int32_t *culprit, ThawError *error) {
    for (int32_t e = 0; e < mesh->element_count; e++) {
        const int32_t *v = mesh->elements + (size_t)mesh->nodes * (size_t)e;
        *culprit = e;
        for (int i = 0; i < mesh->nodes; i++)
            if (v[i] < 0 || v[i] >= mesh->vertex_count)
                return thaw_error_set(error, THAW_ERROR_INPUT, "element %d refers to vertex %d; allowed are 0 to %d", e,
                                      v[i], mesh->vertex_count - 1);
        for (int i = 0; i < mesh->nodes; i++)
            for (int j = 0; j < i; j++)
                if (v[i] == v[j])
                    return thaw_error_set(error, THAW_ERROR_INPUT,
                                          "element %d at %s has vertex %d twice; its vertices must differ", e,
                                          centre(mesh, e).text, v[i]);
        if (mesh->region[e] < 0 || mesh->region[e] >= mesh->region_count)
            return thaw_error_set(error, THAW_ERROR_INPUT, "element %d is in region %d; allowed are 0 to %d", e,
                                  mesh->region[e], mesh->region_count - 1);
    }
    *culprit = -1;
    return THAW_OK;
}

static double longest_edge(const ThawMesh *mesh, int32_t element) {
    const int32_t *v = mesh->elements + (size_t)mesh->nodes * (size_t)element;
    double longest = 0;
    for (int i = 0; i < mesh->nodes; i++)
        for (int j = 0; j < i; j++) {
            double square = 0;
            for (int k = 0; k < mesh->dim; k++) {
                double d = mesh->x[(size_t)mesh->dim * (size_t)v[i] + (size_t)k] -
                           mesh->x[(size_t)mesh->dim * (size_t)v[j] + (size_t)k];
                square += d * d;
            }
            longest = square > longest ? square : longest;
        }
    return sqrt(longest);
}

ThawStatus thaw_mesh_check_shapes(const ThawMesh *mesh, int32_t *culprit, ThawError *error) {
    const int solid = mesh->nodes == 4;
    const char *measure = solid ? "volume" : "area";
    for (int32_t e = 0; e < mesh->element_count; e++) {
        const double volume = thaw_mesh_volume(mesh, e), edge = longest_edge(mesh, e);
        const double least = flat * (solid ? edge * edge * edge : edge * edge);
        if (volume > least) // also false where edges are so long or short that products leave the range of doubles
            continue;
        *culprit = e;
        if (volume < -least)
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "element %d at %s is inverted: its %s is %g; it must be positive", e,
                                  centre(mesh, e).text, measure, volume);
        return thaw_error_set(
            error, THAW_ERROR_INPUT,
            "element %d at %s is flat: its %s is %g, its longest edge %g m; allowed is more than %g of the "
            "edge's %s",
            e, centre(mesh, e).text, measure, volume, edge, flat, solid ? "cube" : "square");
    }
    *culprit = -1;
    return THAW_OK;
}

static ThawStatus check_duplicates(const ThawMesh *mesh, int32_t *culprit, ThawError *error) {
    const size_t nodes = (size_t)mesh->nodes;
    int32_t *rows;
    ThawStatus status = thaw_mesh_element_rows(mesh, &rows, error);
    if (!status)
        status = thaw_rows_sort(mesh->nodes, mesh->vertex_count, (size_t)mesh->element_count, &rows, error);
    for (size_t i = 1; !status && i < (size_t)mesh->element_count; i++) {
        const int32_t *row = rows + (nodes + 1) * i, *before = row - (nodes + 1);
        if (memcmp(row, before, nodes * sizeof *row) == 0) {
            *culprit = row[nodes];
            status =
                thaw_error_set(error, THAW_ERROR_INPUT,
                               "element %d at %s has the same vertices as element %d; an element may be given once",
                               row[nodes], centre(mesh, row[nodes]).text, before[nodes]);
        }
    }
    thaw_free(rows);
    return status;
}

static ThawStatus check_use(const ThawMesh *mesh, ThawError *error) {
    const size_t dim = (size_t)mesh->dim;
    char *used = THAW_NEW(char, mesh->vertex_count);
    if (!used)
        return thaw_error_memory(error, "checking a mesh");
    for (size_t i = 0; i < (size_t)mesh->nodes * (size_t)mesh->element_count; i++)
        used[mesh->elements[i]] = 1;
    const char *idle = memchr(used, 0, (size_t)mesh->vertex_count);
    const size_t v = idle ? (size_t)(idle - used) : 0;
    thaw_free(used);
    if (idle)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "vertex %zu at (%g, %g, %g) belongs to no element; every vertex must, or it has no mass",
                              v, mesh->x[dim * v], mesh->x[dim * v + 1], dim == 3 ? mesh->x[dim * v + 2] : 0);
    return THAW_OK;
}

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

// names is scratch and gets sorted.
static ThawStatus check_names(const char *what, const char **names, int32_t count, ThawError *error) {
    for (int32_t i = 0; i < count; i++)
        if (!names[i] || !names[i][0])
            return thaw_error_set(error, THAW_ERROR_INPUT, "%s %d has no name; each needs one", what, i);
    if (count)
        qsort(names, (size_t)count, sizeof *names, compare_names);
    for (int32_t i = 1; i < count; i++)
        if (strcmp(names[i], names[i - 1]) == 0)
            return thaw_error_set(error, THAW_ERROR_INPUT, "two %ss are called \"%.200s\"; their names must differ",
                                  what, names[i]);
    return THAW_OK;
}

static ThawStatus check_all_names(const ThawMesh *mesh, ThawError *error) {
    const char **names =
        THAW_NEW(const char *, mesh->region_count > mesh->group_count ? mesh->region_count : mesh->group_count);
    if (!names)
        return thaw_error_memory(error, "checking a mesh");
    for (int32_t r = 0; r < mesh->region_count; r++)
        names[r] = mesh->region_names[r];
    ThawStatus status = check_names("region", names, mesh->region_count, error);
    for (int32_t g = 0; g < mesh->group_count; g++)
        names[g] = mesh->groups[g].name;
    if (!status)
        status = check_names("group", names, mesh->group_count, error);
    thaw_free(names);
    return status;
}

static ThawStatus check_groups(const ThawMesh *mesh, ThawError *error) {
    for (int32_t g = 0; g < mesh->group_count; g++) {
        const ThawMeshGroup *group = mesh->groups + g;
        if (group->count < 0 || (group->count && !group->vertices))
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "group \"%.200s\" has the count %d and %s; allowed are 0 and more, with vertices",
                                  group->name, group->count, group->vertices ? "vertices" : "no vertices");
        for (int32_t i = 0; i < group->count; i++) {
            const int32_t v = group->vertices[i];
            if (v < 0 || v >= mesh->vertex_count)
                return thaw_error_set(error, THAW_ERROR_INPUT,
                                      "group \"%.200s\" refers to vertex %d; allowed are 0 to %d", group->name, v,
                                      mesh->vertex_count - 1);
            if (i && v <= group->vertices[i - 1])
                return thaw_error_set(error, THAW_ERROR_INPUT,
                                      "group \"%.200s\" has vertex %d after %d; ids must ascend, each once",
                                      group->name, v, group->vertices[i - 1]);
        }
    }
    return THAW_OK;
}

ThawStatus thaw_mesh_check(const ThawMesh *mesh, int32_t *culprit, ThawError *error) {
    *culprit = -1;
    ThawStatus status = check_sizes(mesh, error);
    if (!status)
        status = check_vertices(mesh, error);
    if (!status)
        status = check_indices(mesh, culprit, error);
    if (!status)
        status = thaw_mesh_check_shapes(mesh, culprit, error);
    if (!status)
        status = check_duplicates(mesh, culprit, error);
    if (!status)
        status = check_use(mesh, error);
    if (!status)
        status = check_all_names(mesh, error);
    if (!status)
        status = check_groups(mesh, error);
    return status;
}

ThawStatus thaw_mesh_validate(const ThawMesh *mesh, ThawError *error) {
    int32_t culprit;
    return thaw_mesh_check(mesh, &culprit, error);
}
