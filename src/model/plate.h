// SPDX-License-Identifier: Apache-2.0
// The bending of a triangle of a sheet as three measures of curvature, linear in the angles of hinges about it.
#ifndef THAW_MODEL_PLATE_H
#define THAW_MODEL_PLATE_H

#include <stdint.h>

// Roles of vertices about a triangle: its corners 0 1 2; across the edge opposite corner i the neighbour's far corner
// 3 + i; across that neighbour's other two edges 6 + 2 i and 7 + 2 i.
enum { THAW_PLATE_ROLES = 12, THAW_PLATE_NEAR_ROLES = 6, THAW_PLATE_HINGES = 9, THAW_PLATE_MEASURES = 3 };

// A hinge by role: ends of the edge, corner of the triangle on this side, and of the one beyond; all turn the same way
// about the triangle's normal. The triangle's own three, then two of each neighbour.
static const int THAW_HINGE[THAW_PLATE_HINGES][4] = {{1, 2, 0, 3}, {2, 0, 1, 4},  {0, 1, 2, 5},
                                                     {1, 3, 2, 6}, {3, 2, 1, 7},  {2, 4, 0, 8},
                                                     {4, 0, 2, 9}, {0, 5, 1, 10}, {5, 1, 0, 11}};

// Triangles in space.
typedef struct ThawPlateMesh {
    const double *X;         // 3 a vertex
    const int32_t *elements; // 3 a triangle
    const int32_t *across;   // 3 a triangle: its neighbour across the edge opposite each corner, or -1
} ThawPlateMesh;

// Vertices by role; -1 where there is no triangle.
void thaw_plate_patch(const ThawPlateMesh *mesh, int32_t e, int32_t patch[THAW_PLATE_ROLES]);

// The three measures of triangle e, B[measure][hinge]: half their square is the energy of a plate whose energy by area
// is kappa'D kappa / 2, kappa = (xx, yy, 2 xy), axis: x in its plane; D: 11 21 22 31 32 33.
void thaw_plate_measures(const ThawPlateMesh *mesh, int32_t e, const double axis[3], const double D[6],
                         double B[THAW_PLATE_MEASURES][THAW_PLATE_HINGES]);

// The angle of a hinge as force/bending.c sees it: edge from p to q, corners a and b.
double thaw_plate_angle(const double *p, const double *q, const double *a, const double *b);

#endif
