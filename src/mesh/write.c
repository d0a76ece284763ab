// SPDX-License-Identifier: Apache-2.0
// Which writer for which file, and the two formats that know no names: Medit's and TetGen's. There a region is a
// number: its own name where all names are numbers, else its place and 1. %.17g brings every double back. Linear.
#include "mesh/write.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mesh/text.h"
#include "thaw/triangles.h"

int32_t thaw_region_tag(const ThawMesh *mesh, int32_t region) {
    return strcmp(mesh->region_names[region], "default") == 0 ? 0 : region + 1;
}

// The number that a name is, written as the readers name it; 0 when it is none.
static int32_t number_of(const char *name) {
    char again[16];
    const long value = strtol(name, NULL, 10);
    if (value < INT32_MIN || value > INT32_MAX)
        return 0;
    snprintf(again, sizeof again, "%ld", value);
    return strcmp(again, name) == 0 ? (int32_t)value : 0;
}

static int names_are_numbers(const ThawMesh *mesh) {
    for (int32_t r = 0; r < mesh->region_count; r++)
        if (thaw_region_tag(mesh, r) && !number_of(mesh->region_names[r]))
            return 0;
    return 1;
}

// region_count numbers, or NULL.
static int32_t *number_regions(const ThawMesh *mesh, ThawError *error) {
    int32_t *tags = THAW_NEW(int32_t, mesh->region_count);
    const int numbers = tags && names_are_numbers(mesh);
    for (int32_t r = 0; tags && r < mesh->region_count; r++)
        tags[r] = numbers ? number_of(mesh->region_names[r]) : thaw_region_tag(mesh, r);
    if (!tags)
        thaw_error_memory(error, "the regions of a mesh");
    return tags;
}

static void print_coordinates(ThawFile *file, const ThawMesh *mesh, int32_t vertex) {
    for (int k = 0; k < mesh->dim; k++)
        thaw_file_print(file, " %.17g", thaw_mesh_coordinate(mesh, vertex, k));
}

static void print_corners(ThawFile *file, const ThawMesh *mesh, int32_t element) {
    for (int i = 0; i < mesh->nodes; i++)
        thaw_file_print(file, " %d", mesh->elements[(size_t)mesh->nodes * (size_t)element + (size_t)i] + 1);
}

ThawStatus thaw_write_medit(const ThawMesh *mesh, const char *path, ThawError *error) {
    ThawFile *file;
    int32_t *tags = number_regions(mesh, error);
    ThawStatus status = tags ? thaw_file_create(path, &file, error) : THAW_ERROR_MEMORY;
    if (!status) {
        thaw_file_print(file, "MeshVersionFormatted 2\nDimension %d\nVertices\n%d\n", mesh->dim, mesh->vertex_count);
        for (int32_t v = 0; v < mesh->vertex_count; v++) {
            print_coordinates(file, mesh, v);
            thaw_file_print(file, " 0\n");
        }
        thaw_file_print(file, "%s\n%d\n", mesh->dim == 3 ? "Tetrahedra" : "Triangles", mesh->element_count);
        for (int32_t e = 0; e < mesh->element_count; e++) {
            print_corners(file, mesh, e);
            thaw_file_print(file, " %d\n", tags[mesh->region[e]]);
        }
        thaw_file_print(file, "End\n");
        status = thaw_file_commit(&file, error);
    }
    thaw_free(tags);
    return status;
}

static ThawStatus write_nodes(const ThawMesh *mesh, const char *path, ThawError *error) {
    ThawFile *file;
    const ThawStatus status = thaw_file_create(path, &file, error);
    if (status)
        return status;
    thaw_file_print(file, "%d %d 0 0\n", mesh->vertex_count, mesh->dim);
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        thaw_file_print(file, "%d", v + 1);
        print_coordinates(file, mesh, v);
        thaw_file_print(file, "\n");
    }
    return thaw_file_commit(&file, error);
}

static ThawStatus write_elements(const ThawMesh *mesh, const int32_t *tags, const char *path, ThawError *error) {
    ThawFile *file;
    const ThawStatus status = thaw_file_create(path, &file, error);
    if (status)
        return status;
    thaw_file_print(file, "%d %d 1\n", mesh->element_count, mesh->nodes);
    for (int32_t e = 0; e < mesh->element_count; e++) {
        thaw_file_print(file, "%d", e + 1);
        print_corners(file, mesh, e);
        thaw_file_print(file, " %d\n", tags[mesh->region[e]]);
    }
    return thaw_file_commit(&file, error);
}

ThawStatus thaw_write_tetgen(const ThawMesh *mesh, const char *path, ThawError *error) {
    const size_t length = strlen(path), stem = (size_t)(strrchr(path, '.') - path);
    char *node = THAW_NEW(char, length + 6), *ele = THAW_NEW(char, length + 6);
    int32_t *tags = number_regions(mesh, error);
    ThawStatus status = node && ele && tags ? THAW_OK : thaw_error_memory(error, "the paths of a mesh");
    if (!status) {
        memcpy(node, path, stem);
        memcpy(ele, path, stem);
        strcpy(node + stem, ".node");
        strcpy(ele + stem, ".ele");
        status = write_nodes(mesh, node, error);
    }
    if (!status)
        status = write_elements(mesh, tags, ele, error);
    thaw_free(node);
    thaw_free(ele);
    thaw_free(tags);
    return status;
}

ThawStatus thaw_write_surface(const ThawMesh *mesh, const char *path, ThawError *error) {
    ThawTriangleMesh *surface;
    ThawStatus status = thaw_triangles_of_mesh(mesh, &surface, error);
    if (!status)
        status = thaw_triangles_write(surface, path, error);
    thaw_triangles_free(&surface);
    return status;
}

ThawStatus thaw_mesh_write(const ThawMesh *mesh, const char *path, ThawError *error) {
    static const struct {
        const char *ending;
        ThawStatus (*write)(const ThawMesh *mesh, const char *path, ThawError *error);
    } formats[] = {{".msh", thaw_write_gmsh},    {".vtu", thaw_write_vtu},     {".vtk", thaw_write_vtk},
                   {".mesh", thaw_write_medit},  {".node", thaw_write_tetgen}, {".ele", thaw_write_tetgen},
                   {".obj", thaw_write_surface}, {".ply", thaw_write_surface}, {".stl", thaw_write_surface}};
    if (!path)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_mesh_write: path may not be NULL");
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending && i < sizeof formats / sizeof *formats; i++)
        if (strcasecmp(ending, formats[i].ending) == 0) {
            const ThawStatus status = thaw_mesh_validate(mesh, error);
            return status ? status : formats[i].write(mesh, path, error);
        }
    return thaw_error_set(
        error, THAW_ERROR_INPUT,
        "%s: unknown kind of mesh file; allowed are .msh (Gmsh), .vtu, .vtk, .mesh (Medit), .node and "
        ".ele (TetGen), and for the boundary .obj, .ply and .stl",
        thaw_text_path(path));
}
