// SPDX-License-Identifier: Apache-2.0
// The positive semi-definite matrix nearest to C = d2psi/dF2 (Frobenius norm): negative eigenvalues become zero.
//
// A 9x9 eigenproblem is not needed. For an isotropic energy and F = U diag(s) V', the eigenvectors of C are known up to
// a 3x3 rotation (Smith, de Goes and Kim 2019): for each pair i < j a twist and a flip,
//     vec(u_i v_j' -+ u_j v_i') / sqrt 2,   eigenvalues <e, C e> -+ <e', C e>,   e = vec(u_i v_j'), e' = vec(u_j v_i'),
// and three stretches that lie in the span of d_i = vec(u_i v_i'), found from the 3x3 matrix <d_i, C d_j>. Each
// negative eigenvalue w with unit vector e is removed by C += -w e e', so nothing is ever rotated back.
//
// First a test that costs a tenth: C + delta I, delta = 2^-44 tr C, has a Cholesky-like factor with positive pivots
// only if no eigenvalue of C is below about -delta. The shift is there because C has null vectors wherever the stress
// vanishes (infinitesimal rotations at rest), which rounding makes slightly negative; such lanes count as positive.
// Cost for eight: test about 500 operations; else two decompositions, 1200 operations and 100 for each negative
// eigenvalue.
#include "material/material.h"
#include "math/decompose.h"
#include "math/mat3.h"

static const double tolerance = 0x1p-44;

// Lanes whose C + delta I fails to be positive definite. L D L' without square roots, column after column.
static ThawLaneMask find_indefinite(const ThawLanes C[THAW_SYM9_SIZE]) {
    ThawLanes L[THAW_SYM9_SIZE], trace = thaw_lanes_set(0);
    ThawLaneMask positive = thaw_lanes_bits(-1);
    for (int i = 0; i < 9; i++)
        trace += C[THAW_SYM9(i, i)];
    for (int i = 0; i < THAW_SYM9_SIZE; i++)
        L[i] = C[i];
    for (int i = 0; i < 9; i++)
        L[THAW_SYM9(i, i)] += tolerance * trace;
#pragma GCC unroll 9
    for (int k = 0; k < 9; k++) {
        ThawLanes pivot = L[THAW_SYM9(k, k)], inverse = 1.0 / pivot;
        positive &= (ThawLaneMask)(pivot > thaw_lanes_set(0)); // false for NaN as well
#pragma GCC unroll 9
        for (int i = k + 1; i < 9; i++) {
            ThawLanes factor = L[THAW_SYM9(i, k)] * inverse;
#pragma GCC unroll 9
            for (int j = k + 1; j <= i; j++)
                L[THAW_SYM9(i, j)] -= factor * L[THAW_SYM9(j, k)];
        }
    }
    return ~positive;
}

// y = C e
static void multiply(const ThawLanes C[THAW_SYM9_SIZE], const ThawLanes e[9], ThawLanes y[9]) {
#pragma GCC unroll 9
    for (int a = 0; a < 9; a++) {
        ThawLanes sum = C[THAW_SYM9(a, 0)] * e[0];
#pragma GCC unroll 9
        for (int b = 1; b < 9; b++)
            sum += C[THAW_SYM9(a, b)] * e[b];
        y[a] = sum;
    }
}

// C += max(-w, 0) / |e|^2 e e', where w is the eigenvalue of e; returns the lanes where w is negative.
static ThawLaneMask remove_negative(ThawLanes w, double length2, const ThawLanes e[9], ThawLanes C[THAW_SYM9_SIZE]) {
    const ThawLanes zero = thaw_lanes_set(0);
    ThawLaneMask negative = (ThawLaneMask)(w < zero);
    if (!thaw_lanes_any(negative))
        return negative;
    ThawLanes lift = thaw_lanes_select(negative, -w * (1.0 / length2), zero);
#pragma GCC unroll 9
    for (int a = 0; a < 9; a++) {
        ThawLanes factor = lift * e[a];
#pragma GCC unroll 9
        for (int b = 0; b <= a; b++)
            C[THAW_SYM9(a, b)] += factor * e[b];
    }
    return negative;
}

// vec(u_i v_j')
static inline void dyad(const ThawLanes U[9], int i, const ThawLanes V[9], int j, ThawLanes e[9]) {
    for (int b = 0; b < 3; b++)
        for (int a = 0; a < 3; a++)
            e[a + 3 * b] = U[a + 3 * i] * V[b + 3 * j];
}

// Reads the eigenvalues from C, corrects D, returns the lanes that were corrected.
static ThawLaneMask project_twists_and_flips(const ThawLanes U[9], const ThawLanes V[9],
                                             const ThawLanes C[THAW_SYM9_SIZE], ThawLanes D[THAW_SYM9_SIZE]) {
    ThawLaneMask corrected = thaw_lanes_bits(0);
    for (int m = 0; m < 3; m++) {
        int i = (m + 1) % 3, j = (m + 2) % 3;
        ThawLanes e[9], mirrored[9], y[9], twist[9], flip[9];
        dyad(U, i, V, j, e);
        dyad(U, j, V, i, mirrored);
        multiply(C, e, y);
        for (int a = 0; a < 9; a++) {
            twist[a] = e[a] - mirrored[a];
            flip[a] = e[a] + mirrored[a];
        }
        corrected |= remove_negative(thaw_lanes_dot9(twist, y), 2, twist, D);
        corrected |= remove_negative(thaw_lanes_dot9(flip, y), 2, flip, D);
    }
    return corrected;
}

// Lanes whose 3x3 matrix A is positive definite: the pivots of its elimination.
static inline ThawLaneMask find_definite(const ThawLanes A[9]) {
    const ThawLanes zero = thaw_lanes_set(0);
    ThawLanes factor1 = A[1] / A[0], factor2 = A[2] / A[0];
    ThawLanes pivot1 = A[4] - factor1 * A[1], rest = A[5] - factor1 * A[2];
    ThawLanes pivot2 = A[8] - factor2 * A[2] - rest * rest / pivot1;
    return (ThawLaneMask)(A[0] > zero) & (ThawLaneMask)(pivot1 > zero) & (ThawLaneMask)(pivot2 > zero);
}

static ThawLaneMask project_stretches(const ThawLanes U[9], const ThawLanes V[9], const ThawLanes C[THAW_SYM9_SIZE],
                                      ThawLanes D[THAW_SYM9_SIZE]) {
    ThawLanes d[3][9], y[9], A[9], w[3], Q[9];
    for (int i = 0; i < 3; i++)
        dyad(U, i, V, i, d[i]);
    for (int j = 0; j < 3; j++) {
        multiply(C, d[j], y);
        for (int i = 0; i < 3; i++)
            A[i + 3 * j] = thaw_lanes_dot9(d[i], y);
    }
    ThawLaneMask definite = find_definite(A), corrected = thaw_lanes_bits(0);
    if (!thaw_lanes_any(~definite))
        return corrected;
    thaw_lanes_eigen_sym3(A, w, Q);
    for (int k = 0; k < 3; k++) {
        for (int a = 0; a < 9; a++)
            y[a] = Q[3 * k] * d[0][a] + Q[3 * k + 1] * d[1][a] + Q[3 * k + 2] * d[2][a];
        corrected |= remove_negative(thaw_lanes_select(definite, thaw_lanes_set(0), w[k]), 1, y, D);
    }
    return corrected;
}

void thaw_material_project(const ThawLanes F[9], ThawLanes C[THAW_SYM9_SIZE]) {
    ThawLaneMask indefinite = find_indefinite(C);
    if (!thaw_lanes_any(indefinite))
        return;
    ThawLanes U[9], s[3], V[9], D[THAW_SYM9_SIZE];
    thaw_lanes_svd3(F, U, s, V);
    for (int i = 0; i < THAW_SYM9_SIZE; i++)
        D[i] = C[i];
    ThawLaneMask corrected = project_twists_and_flips(U, V, C, D);
    corrected |= project_stretches(U, V, C, D);
    corrected &= indefinite;
    // Corrections of 0, made when only a neighbour needs one, may have turned -0 into 0; adding 0 does so in any case.
    for (int i = 0; i < THAW_SYM9_SIZE; i++)
        C[i] = thaw_lanes_select(corrected, D[i] + 0.0, C[i]);
}
