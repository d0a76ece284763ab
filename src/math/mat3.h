// SPDX-License-Identifier: Apache-2.0
// 3x3 matrices and 3-vectors in lanes. Matrices are column-major: A[i + 3 j] = A_ij, so A + 3 j is column j.
#ifndef THAW_MAT3_H
#define THAW_MAT3_H

#include "math/lanes.h"

static inline ThawLanes thaw_lanes_dot3(const ThawLanes a[3], const ThawLanes b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// c = a x b; c must be neither a nor b.
static inline void thaw_lanes_cross3(const ThawLanes a[3], const ThawLanes b[3], ThawLanes c[3]) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// A : B, the sum of the products of the entries.
static inline ThawLanes thaw_lanes_dot9(const ThawLanes A[9], const ThawLanes B[9]) {
    return thaw_lanes_dot3(A, B) + thaw_lanes_dot3(A + 3, B + 3) + thaw_lanes_dot3(A + 6, B + 6);
}

// G = d(det A)/dA: column j is the cross product of the other two.
static inline void thaw_lanes_cofactor3(const ThawLanes A[9], ThawLanes G[9]) {
    thaw_lanes_cross3(A + 3, A + 6, G);
    thaw_lanes_cross3(A + 6, A, G + 3);
    thaw_lanes_cross3(A, A + 3, G + 6);
}

static inline ThawLanes thaw_lanes_det3(const ThawLanes A[9]) {
    ThawLanes g[3];
    thaw_lanes_cross3(A + 3, A + 6, g);
    return thaw_lanes_dot3(A, g);
}

static inline void thaw_lanes_transpose3(const ThawLanes A[9], ThawLanes T[9]) {
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            T[j + 3 * i] = A[i + 3 * j];
}

// C = A B; C must be neither A nor B.
static inline void thaw_lanes_product3(const ThawLanes A[9], const ThawLanes B[9], ThawLanes C[9]) {
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            C[i + 3 * j] = A[i] * B[3 * j] + A[i + 3] * B[3 * j + 1] + A[i + 6] * B[3 * j + 2];
}

// C = A B'; C must be neither A nor B.
static inline void thaw_lanes_product3_nt(const ThawLanes A[9], const ThawLanes B[9], ThawLanes C[9]) {
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            C[i + 3 * j] = A[i] * B[j] + A[i + 3] * B[j + 3] + A[i + 6] * B[j + 6];
}

// C = A' B; C must be neither A nor B.
static inline void thaw_lanes_product3_tn(const ThawLanes A[9], const ThawLanes B[9], ThawLanes C[9]) {
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            C[i + 3 * j] = thaw_lanes_dot3(A + 3 * i, B + 3 * j);
}

#endif
