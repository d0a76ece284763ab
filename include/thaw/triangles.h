// SPDX-License-Identifier: Apache-2.0
// Triangle surfaces in space: what modelling programs and scanners save, and what meshers fill.
#ifndef THAW_TRIANGLES_H
#define THAW_TRIANGLES_H

#include <stddef.h>
#include <stdint.h>

#include "thaw/mesh.h"
#include "thaw/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// A named set of triangles: an object, group or material of an OBJ file.
typedef struct ThawTriangleGroup {
    char *name;
    int32_t count;
    int32_t *triangles; // count ids, ascending, each once
} ThawTriangleGroup;

// Plain data: a caller may fill one by hand.
typedef struct ThawTriangleMesh {
    int32_t vertex_count, triangle_count;
    double *x;          // 3 * vertex_count, m
    int32_t *triangles; // 3 * triangle_count vertex ids, anticlockwise seen from outside
    int32_t group_count;
    ThawTriangleGroup *groups; // group_count named sets; may be NULL when there are none
} ThawTriangleMesh;

// What reading a surface has mended, and what may trouble a mesher. An edge is told by a triangle that has it.
typedef struct ThawTriangleReport {
    ThawFinding welded;     // vertices made one with another (by STL and thaw_triangles_weld): places in the file
    ThawFinding unused;     // points in no triangle, left out: places in the file
    ThawFinding degenerate; // triangles with a vertex twice, left out: places in the file
    ThawFinding repeated;   // triangles on the same three vertices as one before, left out: places in the file
    ThawFinding split;      // polygons of more than three corners, cut into triangles: places in the file
    ThawFinding coincident; // vertices exactly where one of lower id is, left apart: ids
    ThawFinding open;       // edges of one triangle: ids of triangles. The surface is closed when there are none
    ThawFinding crowded;    // edges of three or more triangles: ids of the first of them
    ThawFinding turned;     // edges whose two triangles disagree about outside: ids of the first of them
} ThawTriangleReport;

// Room for a surface of the given sizes, zeroed, without groups. The caller frees *mesh with thaw_triangles_free.
ThawStatus thaw_triangles_create(int32_t vertex_count, int32_t triangle_count, ThawTriangleMesh **mesh,
                                 ThawError *error);
// NULL and a pointer to NULL are allowed.
void thaw_triangles_free(ThawTriangleMesh **mesh);

// Reads .obj, .ply (ASCII or binary) or .stl (ASCII or binary). On error *mesh is NULL. report may be NULL. Corners of
// .stl become one as by thaw_triangles_weld, but within 4e-7, a few of the last bits that single precision has.
ThawStatus thaw_triangles_read(const char *path, ThawTriangleMesh **mesh, ThawError *error);
ThawStatus thaw_triangles_read_report(const char *path, ThawTriangleMesh **mesh, ThawTriangleReport *report,
                                      ThawError *error);
// The same from bytes in memory; `ending` says what they are (".obj", ...), `name` stands for the file in messages.
ThawStatus thaw_triangles_parse(const void *bytes, size_t size, const char *ending, const char *name,
                                ThawTriangleMesh **mesh, ThawTriangleReport *report, ThawError *error);

// Writes .obj (groups as g), .ply or .stl (both binary). .obj and .ply keep every bit, .stl has 32 a coordinate.
ThawStatus thaw_triangles_write(const ThawTriangleMesh *mesh, const char *path, ThawError *error);

// Makes vertices at the same place one: all that are nearer to each other than 1e-9 of the diagonal of their box, none
// that are farther apart than 3.5e-9 of it (but for chains: what is one with the same vertex is one). Drops what
// becomes degenerate or repeated, and counts it in *report (may be NULL), whose edges are then those of the welded
// surface. On error the surface is unchanged.
ThawStatus thaw_triangles_weld(ThawTriangleMesh *mesh, ThawTriangleReport *report, ThawError *error);

// Refuses a surface with an index out of range, a coordinate that is not finite, or a bad group, naming it.
ThawStatus thaw_triangles_validate(const ThawTriangleMesh *mesh, ThawError *error);

// The boundary of a mesh, outward; in 2D its triangles, with z = 0. The caller frees *surface.
ThawStatus thaw_triangles_of_mesh(const ThawMesh *mesh, ThawTriangleMesh **surface, ThawError *error);

// The triangles as they are, as the mesh of a sheet (docs/shells.md). Groups become regions (a triangle is of the first
// that has it, or of "default") and groups of vertices; the vertices on open edges are the group "rim". A surface with
// an edge of three triangles is refused. The caller frees *sheet with thaw_mesh_free.
ThawStatus thaw_mesh_of_triangles(const ThawTriangleMesh *surface, ThawMesh **sheet, ThawError *error);

#ifdef __cplusplus
}
#endif
#endif
