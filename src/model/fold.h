// SPDX-License-Identifier: Apache-2.0
// How much a triangle of a sheet is folded against its neighbours, by the angles of its three hinges.
//
// The curvature is that of Morley's triangle (model/plate.c) with the slope of an edge shared out by the heights of its
// two triangles: with theta the angle beyond the rest angle, H and H' those heights and n the edge's normal in the
// plane,
//     S = sum_i kappa_i n_i n_i',    kappa_i = 2 theta_i / (H_i + H'_i),
//     |S|_F^2 = sum_ij kappa_i kappa_j (n_i . n_j)^2.
// It does not depend on how fine the mesh is, nor on which energy the sheet bends by.
//
// So that one number judges both, curvature counts as a strain (shells paper, equations 17 to 20): over a length y a
// strain s moves an end by s y/2, a curvature kappa by kappa y^2/8, so kappa counts as y/4 kappa, with y the diameter.
#ifndef THAW_MODEL_FOLD_H
#define THAW_MODEL_FOLD_H

#include "base/base.h"

struct ThawShape;

// Of one triangle; corners ascend as in the block of its cells.
typedef struct ThawFold {
    int32_t far[3];  // beyond the edge opposite each corner: the far corner of the triangle there, or the corner itself
    double rest[3];  // angles, rad
    double scale[3]; // 2 / (H + H'), 1/m; 0 at a free edge
    double crossed[3]; // (n_i . n_j)^2 of 1 and 2, 2 and 0, 0 and 1
} ThawFold;

// Folds of all triangles of a shape.
ThawStatus thaw_folds_create(const struct ThawShape *shape, const int32_t *across, ThawFold **folds, ThawError *error);

#endif
