// SPDX-License-Identifier: Apache-2.0
// Is a mesh so far from the origin that numbers lose its shape (far.c)?
#ifndef THAW_MESH_FAR_H
#define THAW_MESH_FAR_H

#include "base/base.h"

typedef struct ThawReach {
    double largest;         // coordinate, m
    double shortest;        // edge of an element, m; infinite without elements
    double low[3], high[3]; // of all points
} ThawReach;

// x: 3 coordinates a point; cells: `nodes` points each.
ThawReach thaw_reach(const double *x, int64_t point_count, const int32_t *cells, int nodes, int64_t cell_count);

// Whether floats are too coarse there: their spacing at the largest coordinate exceeds 1e-4 of the shortest edge.
int thaw_reach_is_far(const ThawReach *reach);
// A point near the middle, with few digits, from which floats are counted then; zeros where they need not.
void thaw_reach_origin(const ThawReach *reach, double origin[3]);

#endif
