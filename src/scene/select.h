// SPDX-License-Identifier: Apache-2.0
// Which vertices a group's definition chooses, for the scene that checks it and the model that compiles it (select.c).
#ifndef THAW_SELECT_H
#define THAW_SELECT_H

#include "thaw/world.h"

// The slack of boxes, spheres and sides, m, on a mesh whose bounding box has this diagonal. Vertices that lie on a
// boundary but for rounding, such as those of 0.1 * 3 against 0.3, are meant.
static inline double thaw_select_slack(double diameter) { return 1e-9 * diameter; }

// Is the vertex at x (dim doubles) chosen by its place? Groups of the mesh and nearest vertices are not decided here:
// 0.
int thaw_select_chooses(const ThawGroupDef *group, int dim, double slack, const double *x);

#endif
