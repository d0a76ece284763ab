// SPDX-License-Identifier: Apache-2.0
// The writers of mesh files (write_*.c), all given a mesh that is valid.
#ifndef THAW_MESH_WRITE_H
#define THAW_MESH_WRITE_H

#include "base/file.h"
#include "mesh/mesh.h"

ThawStatus thaw_write_gmsh(const ThawMesh *mesh, const char *path, ThawError *error);
ThawStatus thaw_write_medit(const ThawMesh *mesh, const char *path, ThawError *error);
ThawStatus thaw_write_tetgen(const ThawMesh *mesh, const char *path, ThawError *error); // .node or .ele; writes both
ThawStatus thaw_write_vtu(const ThawMesh *mesh, const char *path, ThawError *error);
ThawStatus thaw_write_vtk(const ThawMesh *mesh, const char *path, ThawError *error);
ThawStatus thaw_write_surface(const ThawMesh *mesh, const char *path, ThawError *error);

// The tag that a region gets in a file: 0 for "default", else its place and 1.
int32_t thaw_region_tag(const ThawMesh *mesh, int32_t region);

// Coordinate k of a vertex, 0 for z in 2D.
static inline double thaw_mesh_coordinate(const ThawMesh *mesh, int32_t vertex, int k) {
    return k < mesh->dim ? mesh->x[(size_t)mesh->dim * (size_t)vertex + (size_t)k] : 0;
}

#endif
