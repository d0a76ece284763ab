// SPDX-License-Identifier: Apache-2.0
// A triangle surface as the mesh of a sheet. Its groups are regions (a triangle is of the first group that has it) and,
// with the vertices of their triangles, groups; the ends of open edges are the group "rim". All linear, but for groups
// that share triangles.
#include <string.h>

#include "mesh/mesh.h"
#include "thaw/triangles.h"

static const char DEFAULT[] = "default", RIM[] = "rim";

// region[t]: 1 + the first group with the triangle, 0 where there is none; taken: how many triangles each has.
static void choose_regions(const ThawTriangleMesh *surface, int32_t *region, int32_t *taken) {
    for (int32_t g = 0; g < surface->group_count; g++)
        for (int32_t i = 0; i < surface->groups[g].count; i++) {
            const int32_t t = surface->groups[g].triangles[i];
            if (region[t])
                continue;
            region[t] = g + 1;
            taken[g + 1]++;
        }
    for (int32_t t = 0; t < surface->triangle_count; t++)
        taken[0] += region[t] == 0;
}

// Regions that have triangles, "default" first.
static ThawStatus make_regions(const ThawTriangleMesh *surface, ThawMesh *mesh, ThawError *error) {
    int32_t *number = THAW_NEW(int32_t, (size_t)surface->group_count + 1), count = 0; // triangles, then 1 + the id
    if (!number)
        return thaw_error_memory(error, "the regions of a sheet");
    choose_regions(surface, mesh->region, number);
    for (int32_t g = 0; g <= surface->group_count; g++)
        number[g] = number[g] ? ++count : 0;
    ThawStatus status = thaw_mesh_set_regions(mesh, count, error);
    for (int32_t g = 0; !status && g <= surface->group_count; g++)
        if (number[g] && !(mesh->region_names[number[g] - 1] = thaw_strdup(g ? surface->groups[g - 1].name : DEFAULT)))
            status = thaw_error_memory(error, "the regions of a sheet");
    for (int32_t t = 0; t < mesh->element_count; t++)
        mesh->region[t] = number[mesh->region[t]] - 1;
    thaw_free(number);
    return status;
}

// A group of the vertices that are marked; none where none is.
static ThawStatus add_group(ThawMesh *mesh, const char *name, const unsigned char *marked, ThawError *error) {
    ThawMeshGroup *group = &mesh->groups[mesh->group_count];
    int32_t count = 0;
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        count += marked[v];
    if (count == 0)
        return THAW_OK;
    group->name = thaw_strdup(name);
    group->vertices = THAW_NEW(int32_t, count);
    mesh->group_count++;
    if (!group->name || !group->vertices)
        return thaw_error_memory(error, "the groups of a sheet");
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        if (marked[v])
            group->vertices[group->count++] = v;
    return THAW_OK;
}

static ThawStatus make_groups(const ThawTriangleMesh *surface, ThawMesh *mesh, ThawError *error) {
    unsigned char *marked = THAW_NEW(unsigned char, mesh->vertex_count);
    int32_t *across = NULL;
    int named = 0; // whether a group of the surface is called as the rim is
    ThawStatus status = marked ? thaw_mesh_set_groups(mesh, surface->group_count + 1, error)
                               : thaw_error_memory(error, "the groups of a sheet");
    mesh->group_count = 0;
    for (int32_t g = 0; !status && g < surface->group_count; g++) {
        const ThawTriangleGroup *group = &surface->groups[g];
        memset(marked, 0, (size_t)mesh->vertex_count);
        for (int32_t i = 0; i < group->count; i++)
            for (int k = 0; k < 3; k++)
                marked[surface->triangles[3 * (size_t)group->triangles[i] + (size_t)k]] = 1;
        named |= strcmp(group->name, RIM) == 0;
        status = add_group(mesh, group->name, marked, error);
    }
    if (!status)
        status = thaw_mesh_neighbours(mesh, &across, error);
    if (!status && !named) {
        memset(marked, 0, (size_t)mesh->vertex_count);
        for (size_t i = 0; i < 3 * (size_t)mesh->element_count; i++)
            for (int k = 0; k < 2 && across[i] < 0; k++)
                marked[mesh->elements[i / 3 * 3 + (size_t)thaw_triangle_edge[i % 3][k]]] = 1;
        status = add_group(mesh, RIM, marked, error);
    }
    thaw_free(across);
    thaw_free(marked);
    return status;
}

ThawStatus thaw_mesh_of_triangles(const ThawTriangleMesh *surface, ThawMesh **sheet, ThawError *error) {
    if (!sheet)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_mesh_of_triangles: sheet may not be NULL");
    *sheet = NULL;
    ThawStatus status = thaw_triangles_validate(surface, error);
    if (!status)
        status = thaw_mesh_create_sheet(surface->vertex_count, surface->triangle_count, sheet, error);
    if (status)
        return status;
    memcpy((*sheet)->x, surface->x, 3 * (size_t)surface->vertex_count * sizeof *surface->x);
    memcpy((*sheet)->elements, surface->triangles, 3 * (size_t)surface->triangle_count * sizeof *surface->triangles);
    status = make_regions(surface, *sheet, error);
    if (!status)
        status = make_groups(surface, *sheet, error);
    if (!status)
        status = thaw_mesh_validate(*sheet, error);
    if (status)
        thaw_mesh_free(sheet);
    return status;
}
