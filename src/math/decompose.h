// SPDX-License-Identifier: Apache-2.0
// Singular values and eigenvalues of small matrices, by Jacobi rotations. Matrices are column-major.
// The one-matrix functions run the eight-lane ones and give the same bits.
#ifndef THAW_DECOMPOSE_H
#define THAW_DECOMPOSE_H

#include "math/lanes.h"

// F = U diag(s) V' with proper rotations U and V (det = +1), s[0] >= s[1] >= |s[2]|, and the sign of det F in s[2].
// Every finite F is served, singular, huge and tiny ones included; U and V are then still rotations,
// and values below 1e-120 of the largest may be given as 0.
void thaw_svd3(const double F[9], double U[9], double s[3], double V[9]);
void thaw_lanes_svd3(const ThawLanes F[9], ThawLanes U[9], ThawLanes s[3], ThawLanes V[9]);

// S = Q diag(w) Q' of a symmetric S (its lower triangle is read) with a proper rotation Q; w[0] >= w[1] >= w[2].
void thaw_eigen_sym3(const double S[9], double w[3], double Q[9]);
void thaw_lanes_eigen_sym3(const ThawLanes S[9], ThawLanes w[3], ThawLanes Q[9]);

#endif
