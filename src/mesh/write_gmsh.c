// SPDX-License-Identifier: Apache-2.0
// Gmsh .msh 4.1, ASCII. A region is a volume (surface in 2D) with a physical name; a group a point entity with a
// physical name and one point element for each of its vertices, since Gmsh knows no sets of nodes. The region "default"
// has no physical tag. Elements keep their order: a block is a run of elements of one region. Linear.
#include <math.h>
#include <string.h>

#include "mesh/write.h"

enum { TYPE_TRIANGLE = 2, TYPE_TETRAHEDRON = 4, TYPE_POINT = 15 };

static ThawStatus check_name(const char *what, const char *name, ThawError *error) {
    if (strpbrk(name, "\"\n\r"))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "the %s is called %.200s; .msh files allow neither quotes nor line ends in names", what,
                              name);
    return THAW_OK;
}

static ThawStatus check_names(const ThawMesh *mesh, ThawError *error) {
    ThawStatus status = THAW_OK;
    for (int32_t r = 0; r < mesh->region_count && !status; r++)
        status = check_name("region", mesh->region_names[r], error);
    for (int32_t g = 0; g < mesh->group_count && !status; g++)
        status = check_name("group", mesh->groups[g].name, error);
    return status;
}

static void write_names(ThawFile *file, const ThawMesh *mesh) {
    int32_t named = 0;
    for (int32_t r = 0; r < mesh->region_count; r++)
        named += thaw_region_tag(mesh, r) != 0;
    if (named + mesh->group_count == 0)
        return;
    thaw_file_print(file, "$PhysicalNames\n%d\n", named + mesh->group_count);
    for (int32_t g = 0; g < mesh->group_count; g++)
        thaw_file_print(file, "0 %d \"%s\"\n", g + 1, mesh->groups[g].name);
    for (int32_t r = 0; r < mesh->region_count; r++)
        if (thaw_region_tag(mesh, r))
            thaw_file_print(file, "%d %d \"%s\"\n", mesh->dim, thaw_region_tag(mesh, r), mesh->region_names[r]);
    thaw_file_print(file, "$EndPhysicalNames\n");
}

static void write_entities(ThawFile *file, const ThawMesh *mesh) {
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], thaw_mesh_coordinate(mesh, v, k));
            hi[k] = fmax(hi[k], thaw_mesh_coordinate(mesh, v, k));
        }
    thaw_file_print(file, "$Entities\n%d 0 %d %d\n", mesh->group_count, mesh->dim == 2 ? mesh->region_count : 0,
                    mesh->dim == 3 ? mesh->region_count : 0);
    for (int32_t g = 0; g < mesh->group_count; g++) {
        const int32_t v = mesh->groups[g].count ? mesh->groups[g].vertices[0] : 0;
        thaw_file_print(file, "%d %.17g %.17g %.17g 1 %d\n", g + 1, thaw_mesh_coordinate(mesh, v, 0),
                        thaw_mesh_coordinate(mesh, v, 1), thaw_mesh_coordinate(mesh, v, 2), g + 1);
    }
    for (int32_t r = 0; r < mesh->region_count; r++) {
        thaw_file_print(file, "%d %.17g %.17g %.17g %.17g %.17g %.17g ", r + 1, lo[0], lo[1], lo[2], hi[0], hi[1],
                        hi[2]);
        if (thaw_region_tag(mesh, r))
            thaw_file_print(file, "1 %d 0\n", thaw_region_tag(mesh, r));
        else
            thaw_file_print(file, "0 0\n");
    }
    thaw_file_print(file, "$EndEntities\n");
}

static void write_nodes(ThawFile *file, const ThawMesh *mesh) {
    thaw_file_print(file, "$Nodes\n1 %d 1 %d\n%d 1 0 %d\n", mesh->vertex_count, mesh->vertex_count, mesh->dim,
                    mesh->vertex_count);
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        thaw_file_print(file, "%d\n", v + 1);
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        thaw_file_print(file, "%.17g %.17g %.17g\n", thaw_mesh_coordinate(mesh, v, 0), thaw_mesh_coordinate(mesh, v, 1),
                        thaw_mesh_coordinate(mesh, v, 2));
    thaw_file_print(file, "$EndNodes\n");
}

// Where the run of elements of one region that begins at `first` ends.
static int32_t run_end(const ThawMesh *mesh, int32_t first) {
    int32_t end = first + 1;
    while (end < mesh->element_count && mesh->region[end] == mesh->region[first])
        end++;
    return end;
}

static void write_elements(ThawFile *file, const ThawMesh *mesh) {
    int64_t blocks = 0, count = mesh->element_count;
    for (int32_t e = 0; e < mesh->element_count; e = run_end(mesh, e))
        blocks++;
    for (int32_t g = 0; g < mesh->group_count; g++) {
        blocks += mesh->groups[g].count > 0;
        count += mesh->groups[g].count;
    }
    thaw_file_print(file, "$Elements\n%lld %lld 1 %lld\n", (long long)blocks, (long long)count, (long long)count);
    for (int32_t e = 0, end; e < mesh->element_count; e = end) {
        end = run_end(mesh, e);
        thaw_file_print(file, "%d %d %d %d\n", mesh->dim, mesh->region[e] + 1,
                        mesh->dim == 3 ? TYPE_TETRAHEDRON : TYPE_TRIANGLE, end - e);
        for (int32_t i = e; i < end; i++) {
            const int32_t *v = mesh->elements + (size_t)mesh->nodes * (size_t)i;
            if (mesh->dim == 3)
                thaw_file_print(file, "%d %d %d %d %d\n", i + 1, v[0] + 1, v[1] + 1, v[2] + 1, v[3] + 1);
            else
                thaw_file_print(file, "%d %d %d %d\n", i + 1, v[0] + 1, v[1] + 1, v[2] + 1);
        }
    }
    int64_t tag = mesh->element_count;
    for (int32_t g = 0; g < mesh->group_count; g++) {
        const ThawMeshGroup *group = mesh->groups + g;
        if (group->count)
            thaw_file_print(file, "0 %d %d %d\n", g + 1, TYPE_POINT, group->count);
        for (int32_t i = 0; i < group->count; i++)
            thaw_file_print(file, "%lld %d\n", (long long)++tag, group->vertices[i] + 1);
    }
    thaw_file_print(file, "$EndElements\n");
}

ThawStatus thaw_write_gmsh(const ThawMesh *mesh, const char *path, ThawError *error) {
    ThawFile *file;
    ThawStatus status = check_names(mesh, error);
    if (!status)
        status = thaw_file_create(path, &file, error);
    if (status)
        return status;
    thaw_file_print(file, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n");
    write_names(file, mesh);
    write_entities(file, mesh);
    write_nodes(file, mesh);
    write_elements(file, mesh);
    return thaw_file_commit(&file, error);
}
