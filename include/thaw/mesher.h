// SPDX-License-Identifier: Apache-2.0
// From a shape to a mesh: solids made of signed distances, and closed triangle surfaces, become tetrahedra or triangles
// of good shape (docs/mesher.md). And triangle sheets for shells, at any resolution.
#ifndef THAW_MESHER_H
#define THAW_MESHER_H

#include <stddef.h>
#include <stdint.h>

#include "thaw/mesh.h"
#include "thaw/status.h"
#include "thaw/triangles.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- Solids: a tree of primitives and operations ---------------------------------------------------------------------

// Const once made, so that any number of threads may ask it.
typedef struct ThawSolid ThawSolid;

// Reads a solid in JSON (docs/mesher.md), comments allowed. dim 2: a flat shape, vectors of two numbers. `name` stands
// for the file in messages; surface files are looked up relative to `folder` (may be NULL). The caller frees *solid
// with thaw_solid_free; on error it is NULL. thaw_solid_load takes, for dim 2, drawings as well: .svg, .poly without
// triangles, and flat surfaces (.obj, .ply, .stl).
ThawStatus thaw_solid_parse(const char *text, size_t length, const char *name, const char *folder, int dim,
                            ThawSolid **solid, ThawError *error);
ThawStatus thaw_solid_load(const char *path, int dim, ThawSolid **solid, ThawError *error);
// A solid that is the inside of a triangle surface, as its winding number tells. Nothing of *surface is kept.
ThawStatus thaw_solid_from_triangles(const ThawTriangleMesh *surface, ThawSolid **solid, ThawError *error);
void thaw_solid_free(ThawSolid **solid);

int thaw_solid_dimension(const ThawSolid *solid); // 2 or 3
// Negative inside. Its magnitude is at most the distance to the solid's surface, m. In 2D x[2] is not looked at.
double thaw_solid_distance(const ThawSolid *solid, const double x[3]);
// A box that contains the solid.
void thaw_solid_bounds(const ThawSolid *solid, double lo[3], double hi[3]);
// The regions that parts of the solid were given by "region"; the first is "default".
int32_t thaw_solid_region_count(const ThawSolid *solid);
const char *thaw_solid_region_name(const ThawSolid *solid, int32_t region);
// The region at a point of the solid.
int32_t thaw_solid_region(const ThawSolid *solid, const double x[3]);

// --- Meshing ---------------------------------------------------------------------------------------------------------

typedef struct ThawMesherDef {
    double size;      // m, edges of the lattice at the surface; 0: by `elements`
    int32_t elements; // about so many elements, if size is 0
    double grading;   // largest cells inside by those at the surface: 1 (uniform), 2, 4, 8, ...
    int32_t smallest; // pieces of fewer elements, apart from the rest, are dropped; 0: of fewer than 8 or 0.5 percent
    int sharpen;      // nonzero: vertices near creases are moved onto them, where angles allow it
    int32_t limit;    // more elements than this are refused, as they are rather a typing error than meant
    int threads;      // >= 1; 0: one per processor. Never changes a bit of the result
} ThawMesherDef;

ThawMesherDef thaw_mesher_def_default(void); // 10000 elements, uniform, at most 2e7

enum { THAW_MESHER_PLACES = 8 };

// Something to warn of: how often, and where the first few are, m.
typedef struct ThawMesherFinding {
    int64_t count;
    double place[THAW_MESHER_PLACES][3]; // as many as count, at most THAW_MESHER_PLACES
} ThawMesherFinding;

typedef struct ThawMesherReport {
    double size; // m, that was used
    int32_t vertices, elements;
    double min_angle, max_angle; // rad: dihedral angles, in 2D angles
    double volume;               // m^3, in 2D m^2
    double deviation;            // m, from the mesh's surface to the solid's: the largest, at the middle of faces
    double reach;                // m, from the solid's surface to the mesh: the farthest of what is lost, else 0
    int32_t pieces;              // that hang together by faces
    int32_t parts;               // bodies that a triangle surface bounds; 0 for another solid
    int32_t sharpened;           // vertices moved onto creases
    int32_t trials;              // meshes made to meet the count of elements; 1 when the size was given
    int64_t evaluations;         // of the distance
    ThawMesherFinding islands;   // pieces that were dropped
    ThawMesherFinding welds;     // faces at which the mesh joins bodies that a triangle surface keeps apart
    ThawMesherFinding lost;      // walls, lips and sharp edges that the mesh does not reach by 0.4 sizes (3D)
    ThawMesherFinding turned;    // triangles of the surface that looked the other way than their neighbours
    ThawMesherFinding holes;     // boundary edges of the surface
    ThawMesherFinding crossings; // pairs of triangles that cut each other
} ThawMesherReport;

// The caller frees *mesh with thaw_mesh_free; on error it is NULL. report may be NULL. Regions are those of the solid
// that occur; groups are "surface", and for each region its vertices where there is more than one.
ThawStatus thaw_mesh_from_solid(const ThawSolid *solid, const ThawMesherDef *def, ThawMesh **mesh,
                                ThawMesherReport *report, ThawError *error);
// The inside of a triangle surface. Holes and self-intersections are reported and meshed all the same, where the
// winding number tells inside from outside.
ThawStatus thaw_mesh_from_triangles(const ThawTriangleMesh *surface, const ThawMesherDef *def, ThawMesh **mesh,
                                    ThawMesherReport *report, ThawError *error);

// --- Sheets: triangle surfaces for shells ----------------------------------------------------------------------------

// width x height m in the plane z = 0, centred, in cells[0] x cells[1] cells of two triangles with alternating
// diagonals.
ThawStatus thaw_triangles_grid(double width, double height, const int32_t cells[2], ThawTriangleMesh **sheet,
                               ThawError *error);
// A disc in the plane z = 0 about the origin, in rings of 6, 12, 18, ... triangles' edges.
ThawStatus thaw_triangles_disc(double radius, int32_t rings, ThawTriangleMesh **sheet, ThawError *error);
// A ball's surface about the origin, of 10 rings^2 + 2 vertices: an icosahedron with its edges cut in `rings`.
ThawStatus thaw_triangles_sphere(double radius, int32_t rings, ThawTriangleMesh **sheet, ThawError *error);
// The profile's points (r, z), count of them, turned about z in `around` steps; points with r = 0 are poles.
ThawStatus thaw_triangles_revolution(const double *profile, int32_t count, int32_t around, ThawTriangleMesh **sheet,
                                     ThawError *error);

#ifdef __cplusplus
}
#endif
#endif
