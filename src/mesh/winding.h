// SPDX-License-Identifier: Apache-2.0
// Distance to a triangle surface, and which side of it a point is on.
#ifndef THAW_MESH_WINDING_H
#define THAW_MESH_WINDING_H

#include "base/base.h"
#include "thaw/mesher.h"

typedef struct ThawWinding ThawWinding;

// Nothing of *surface is kept. Vertices at the same place count as one, and triangles that look the other way than
// their neighbours are turned. An open sheet, which encloses nothing, is refused.
ThawStatus thaw_winding_create(const ThawTriangleMesh *surface, ThawWinding **winding, ThawError *error);
// Of the boundary of a mesh: closed and without cuts, which is not looked at. count >= 1 triangles of vertices x.
ThawStatus thaw_winding_create_sound(const double *x, int32_t count, const int32_t *triangles, ThawWinding **winding,
                                     ThawError *error);
void thaw_winding_free(ThawWinding **winding);

// Negative inside, where the winding number is beyond 1/2 in magnitude. No point nearer than the result's magnitude is
// on the other side.
double thaw_winding_distance(const ThawWinding *winding, const double x[3]);
// How far x is outside a closed surface where that is more than `least`, else 0; cheap for points nearer than that.
double thaw_winding_beyond(const ThawWinding *winding, const double x[3], double least);
// The triangles themselves: how many, and the corners (9 numbers) of one.
int32_t thaw_winding_count(const ThawWinding *winding);
const double *thaw_winding_triangle(const ThawWinding *winding, int32_t triangle);
// How often the surface goes round x: 1 inside a closed one, 0 outside.
double thaw_winding_number(const ThawWinding *winding, const double x[3]);
void thaw_winding_bounds(const ThawWinding *winding, double lo[3], double hi[3]);

// Does any piece of the surface enclose a volume, or are all of them sheets (enclose.c)? edges: open_count pairs of
// vertices, those of holes.
ThawStatus thaw_surface_encloses(const ThawTriangleMesh *surface, size_t open_count, const int32_t *edges,
                                 int *encloses, ThawError *error);

// What a triangle adds to the winding number at x; corner: 9 numbers.
double thaw_triangle_winding(const double x[3], const double *corner);
// Calls `visit` for each pair of triangles that cut each other and share no vertex; the surface must be valid.
typedef void (*ThawCutVisit)(void *context, int32_t a, int32_t b, const double place[3]);
ThawStatus thaw_surface_cuts(const ThawTriangleMesh *surface, ThawCutVisit visit, void *context, ThawError *error);

// Turns triangles that look the other way than their neighbours; which, by their middles (orient.c).
ThawStatus thaw_surface_orient(ThawTriangleMesh *surface, ThawMesherFinding *turned, ThawError *error);
// Rows for thaw_rows_sort, sorted: an edge's vertices in ascending order, then 3 * triangle + edge. The caller frees
// them.
ThawStatus thaw_surface_edge_rows(const ThawTriangleMesh *surface, int32_t **rows, ThawError *error);

const ThawMesherFinding *thaw_winding_turned(const ThawWinding *winding);
const ThawMesherFinding *thaw_winding_holes(const ThawWinding *winding);
const ThawMesherFinding *thaw_winding_crossings(const ThawWinding *winding);

#endif
