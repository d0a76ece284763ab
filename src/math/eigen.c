// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and eigenvectors of symmetric 2x2 and 3x3 matrices.
//
// Cyclic Jacobi (Golub and Van Loan, 8.5): plane rotations S <- J' S J until what is off the diagonal is below the
// rounding of the largest entry. A 2x2 matrix is diagonal after one rotation, which is its closed form. Closed forms
// for 3x3 lose half the digits of close eigenvalues; Jacobi does not, and three to five sweeps are cheap.
// Cost: a sweep is 3 rotations of about 50 operations, two roots and a division for eight matrices.
#include "math/decompose.h"
#include "math/jacobi.h"

// Entries are scaled to about 1: an off-diagonal below 2^-54 cannot change a diagonal by more than its rounding.
static const double negligible2 = 0x1p-108;

// S holds the lower triangle by columns, S[i + 3 j] with i >= j; r is the index that is neither p nor q; p < q.
static inline ThawLaneMask annihilate(int p, int q, ThawLanes S[9], ThawLanes Q[9]) {
    int r = 3 - p - q;
    ThawLanes *S_pq = S + q + 3 * p, *S_pp = S + 4 * p, *S_qq = S + 4 * q, c, s;
    ThawLanes *S_rp = S + (r > p ? r + 3 * p : p + 3 * r), *S_rq = S + (r > q ? r + 3 * q : q + 3 * r);
    ThawLanes alpha = *S_pp, beta = *S_qq, gamma = *S_pq;
    ThawLaneMask skew = (ThawLaneMask)(gamma * gamma > thaw_lanes_set(negligible2));
    if (!thaw_lanes_any(skew))
        return skew;
    thaw_jacobi_rotation(alpha, beta, gamma, skew, &c, &s);
    ThawLanes shift = (2.0 * (c * s)) * gamma;
    *S_pp = (c * c) * alpha - shift + (s * s) * beta;
    *S_qq = (s * s) * alpha + shift + (c * c) * beta;
    *S_pq = thaw_lanes_select(skew, thaw_lanes_set(0), gamma);
    thaw_jacobi_turn(c, s, 1, S_rp, S_rq);
    thaw_jacobi_turn(c, s, 3, Q + 3 * p, Q + 3 * q);
    return skew;
}

static inline void sort_pair(int p, int q, ThawLanes w[3], ThawLanes Q[9]) {
    ThawLaneMask greater = (ThawLaneMask)(w[q] > w[p]);
    ThawLanes first = w[p];
    w[p] = thaw_lanes_select(greater, w[q], first);
    w[q] = thaw_lanes_select(greater, first, w[q]);
    thaw_jacobi_exchange(greater, 3, Q + 3 * p, Q + 3 * q);
}

void thaw_lanes_eigen_sym3(const ThawLanes S[9], ThawLanes w[3], ThawLanes Q[9]) {
    const ThawLanes zero = thaw_lanes_set(0), one = thaw_lanes_set(1);
    ThawLanes A[9], largest = zero, scale, unscale;
    for (int j = 0; j < 3; j++)
        for (int i = j; i < 3; i++)
            largest = thaw_lanes_max(largest, thaw_lanes_abs(S[i + 3 * j]));
    thaw_jacobi_scale(largest, &scale, &unscale);
    for (int i = 0; i < 9; i++) {
        A[i] = S[i] * scale;
        Q[i] = i % 4 == 0 ? one : zero;
    }
    for (int sweep = 0; sweep < THAW_JACOBI_SWEEPS; sweep++) {
        ThawLaneMask turned = annihilate(0, 1, A, Q);
        turned |= annihilate(0, 2, A, Q);
        turned |= annihilate(1, 2, A, Q);
        if (!thaw_lanes_any(turned))
            break;
    }
    for (int i = 0; i < 3; i++)
        w[i] = A[4 * i] * unscale;
    sort_pair(0, 1, w, Q);
    sort_pair(0, 2, w, Q);
    sort_pair(1, 2, w, Q);
}

void thaw_eigen_sym3(const double S[9], double w[3], double Q[9]) {
    ThawLanes S8[9], w8[3], Q8[9];
    for (int i = 0; i < 9; i++)
        S8[i] = thaw_lanes_set(S[i]);
    thaw_lanes_eigen_sym3(S8, w8, Q8);
    for (int i = 0; i < 9; i++)
        Q[i] = Q8[i][0];
    for (int i = 0; i < 3; i++)
        w[i] = w8[i][0];
}
