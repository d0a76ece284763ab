// SPDX-License-Identifier: Apache-2.0
#ifndef THAW_MESH_H
#define THAW_MESH_H

#include <stddef.h>
#include <stdint.h>

#include "thaw/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// A named set of vertices of a mesh.
typedef struct ThawMeshGroup {
    char *name;
    int32_t count;
    int32_t *vertices; // count ids, ascending, each once
} ThawMeshGroup;

// Tetrahedra (dim 3), triangles in the plane (dim 2), or triangles in space (dim 3, nodes 3: a sheet), in metres. Plain
// data: a caller may fill one by hand.
typedef struct ThawMesh {
    int dim;   // 2 or 3
    int nodes; // vertices per element: dim + 1 (linear elements), or 3 of a sheet
    int32_t vertex_count;
    int32_t element_count;
    double *x;            // dim * vertex_count, vertex by vertex
    int32_t *elements;    // nodes * element_count, positively oriented
    int32_t *region;      // element_count indices into region_names
    int32_t region_count; // at least 1
    char **region_names;  // region_count names, unique
    int32_t group_count;
    ThawMeshGroup *groups; // group_count named vertex sets
} ThawMesh;

// Things of one kind that reading a file came across: how many, and the first few of them.
enum { THAW_FINDING_IDS = 8 };
typedef struct ThawFinding {
    int64_t count;
    int64_t ids[THAW_FINDING_IDS]; // min(count, THAW_FINDING_IDS) of them, from 0
} ThawFinding;

// What reading a mesh has mended or left as it is, beyond what it refuses (elements that are flat, repeat a vertex,
// refer to none, are given twice, or crowd round one face).
typedef struct ThawMeshReport {
    ThawFinding reoriented; // inverted elements, turned round: ids of elements
    ThawFinding retagged;   // elements given again under another tag, taken once: places among the file's
    ThawFinding unused;     // points of the file in no element, left out: their places in the file
    ThawFinding coincident; // vertices exactly where a vertex of lower id is, left apart: ids of vertices
} ThawMeshReport;

// Reads a mesh, choosing the format by the file's ending: .msh (Gmsh 2.2 or 4.1), .mesh and .meshb (Medit), .node/.ele
// (TetGen and Triangle; either name finds both, and a .face beside them; .poly adds its segments), .vtk (legacy) and
// .vtu (VTK). Inverted elements are re-oriented; *reoriented (may be NULL) counts them. The caller frees *mesh with
// thaw_mesh_free. On error *mesh is NULL.
ThawStatus thaw_mesh_read(const char *path, ThawMesh **mesh, int32_t *reoriented, ThawError *error);

// The same, and tells what was mended. report may be NULL.
ThawStatus thaw_mesh_read_report(const char *path, ThawMesh **mesh, ThawMeshReport *report, ThawError *error);

// The same from bytes in memory; `ending` says what they are (".msh", ".vtu", ...; not .node, .ele or .poly, which need
// each other), and `name` stands for the file in messages.
ThawStatus thaw_mesh_parse(const void *bytes, size_t size, const char *ending, const char *name, ThawMesh **mesh,
                           ThawMeshReport *report, ThawError *error);

// Writes a mesh that thaw_mesh_validate accepts. .msh (Gmsh 4.1, ASCII), .vtu and .vtk keep regions and groups by name;
// .mesh (Medit) and .node (TetGen, with its .ele) keep regions by number; .obj, .ply and .stl get the boundary (in 2D
// all triangles). Coordinates keep every bit, but for .stl, which has 32. The file is whole or not there.
ThawStatus thaw_mesh_write(const ThawMesh *mesh, const char *path, ThawError *error);

// A box of cells[0] x cells[1] (x cells[2]) grid cells spanning [lo, hi], six Kuhn tetrahedra (two triangles) a cell.
// Vertex (i,j,k) has the id i + (cells[0]+1) * (j + (cells[1]+1) * k). Faces are groups: x-min, x-max, y-min, ...
// z-max.
ThawStatus thaw_mesh_box(int dim, const double lo[3], const double hi[3], const int32_t cells[3], ThawMesh **mesh,
                         ThawError *error);

// Refuses a mesh that cannot be simulated (bad index, non-finite coordinate, zero or negative volume, unused vertex,
// ...), naming the culprit's id and place.
ThawStatus thaw_mesh_validate(const ThawMesh *mesh, ThawError *error);

// Frees a mesh made by this library and sets *mesh to NULL. NULL and a pointer to NULL are allowed.
void thaw_mesh_free(ThawMesh **mesh);

#ifdef __cplusplus
}
#endif
#endif
