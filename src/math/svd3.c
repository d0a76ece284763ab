// SPDX-License-Identifier: Apache-2.0
// The singular value decomposition of a 3x3 matrix with proper rotations: F = U diag(s) V', det U = det V = 1.
//
// One-sided Jacobi (Hestenes 1958): rotations from the right make the columns of A = F V orthogonal. Then s is their
// lengths and U their directions. Working on F and never on F'F keeps small singular values: forming F'F would lose
// those below 1e-8 of the largest. The third column of U is the cross product of the first two and s[2] is measured
// along it, which yields the rotation variant (sign in s[2]: Irving, Teran and Fedkiw 2004) without looking at
// determinants.
//
// Directions of vanishing length are free: F = 0 gives U = V = I, and rank 1 takes any perpendicular.
// Cost: 3 to 6 sweeps of 3 rotations, each about 75 operations, two roots and a division for eight matrices.
#include "math/decompose.h"
#include "math/jacobi.h"
#include "math/mat3.h"

// Columns are orthogonal when |<p, q>| <= 2^-51 |p| |q|, twice what the rounding of the dot product leaves. Products
// below 1e-140 of the largest entry are left alone, as their squares would lose digits; columns shorter than 1e-120
// count as zero, so that what was left alone is still nothing beside them.
static const double orthogonal2 = 0x1p-102, negligible2 = 1e-280, zero_column2 = 1e-240;

// One rotation of columns p and q of A and V; returns the lanes that needed it.
static inline ThawLaneMask orthogonalise(ThawLanes *A_p, ThawLanes *A_q, ThawLanes *V_p, ThawLanes *V_q) {
    ThawLanes alpha = thaw_lanes_dot3(A_p, A_p), beta = thaw_lanes_dot3(A_q, A_q), gamma = thaw_lanes_dot3(A_p, A_q);
    ThawLanes bound = thaw_lanes_max(orthogonal2 * alpha * beta, thaw_lanes_set(negligible2)), c, s;
    ThawLaneMask skew = (ThawLaneMask)(gamma * gamma > bound);
    if (!thaw_lanes_any(skew))
        return skew;
    thaw_jacobi_rotation(alpha, beta, gamma, skew, &c, &s);
    thaw_jacobi_turn(c, s, 3, A_p, A_q);
    thaw_jacobi_turn(c, s, 3, V_p, V_q);
    return skew;
}

static inline void sort_columns(ThawLanes *A_p, ThawLanes *A_q, ThawLanes *V_p, ThawLanes *V_q) {
    ThawLaneMask longer = (ThawLaneMask)(thaw_lanes_dot3(A_q, A_q) > thaw_lanes_dot3(A_p, A_p));
    thaw_jacobi_exchange(longer, 3, A_p, A_q);
    thaw_jacobi_exchange(longer, 3, V_p, V_q);
}

// A unit vector perpendicular to the unit vector u: its cross product with the x axis, or the z axis times it if u is
// near x.
static void find_perpendicular(const ThawLanes u[3], ThawLanes w[3]) {
    const ThawLanes zero = thaw_lanes_set(0);
    ThawLaneMask near_x = (ThawLaneMask)(u[0] * u[0] > thaw_lanes_set(0.5));
    ThawLanes other = thaw_lanes_select(near_x, u[0], u[2]);
    ThawLanes scale = 1.0 / thaw_lanes_sqrt(u[1] * u[1] + other * other);
    w[0] = thaw_lanes_select(near_x, -u[1] * scale, zero);
    w[1] = other * scale;
    w[2] = thaw_lanes_select(near_x, zero, -u[1] * scale);
}

void thaw_lanes_svd3(const ThawLanes F[9], ThawLanes U[9], ThawLanes s[3], ThawLanes V[9]) {
    const ThawLanes zero = thaw_lanes_set(0), one = thaw_lanes_set(1), zero2 = thaw_lanes_set(zero_column2);
    ThawLanes A[9], W[9], largest = zero, scale, unscale;
    for (int i = 0; i < 9; i++)
        largest = thaw_lanes_max(largest, thaw_lanes_abs(F[i]));
    thaw_jacobi_scale(largest, &scale, &unscale);
    for (int i = 0; i < 9; i++) {
        A[i] = F[i] * scale;
        W[i] = i % 4 == 0 ? one : zero;
    }
    for (int sweep = 0; sweep < THAW_JACOBI_SWEEPS; sweep++) {
        ThawLaneMask turned = orthogonalise(A, A + 3, W, W + 3);
        turned |= orthogonalise(A, A + 6, W, W + 6);
        turned |= orthogonalise(A + 3, A + 6, W + 3, W + 6);
        if (!thaw_lanes_any(turned))
            break;
    }
    sort_columns(A, A + 3, W, W + 3);
    sort_columns(A, A + 6, W, W + 6);
    sort_columns(A + 3, A + 6, W + 3, W + 6);

    ThawLanes length2[2] = {thaw_lanes_dot3(A, A), thaw_lanes_dot3(A + 3, A + 3)};
    for (int j = 0; j < 2; j++) {
        ThawLanes length = thaw_lanes_sqrt(length2[j]), inverse = one / length;
        for (int i = 0; i < 3; i++)
            U[i + 3 * j] = A[i + 3 * j] * inverse;
        s[j] = length * unscale;
    }
    ThawLaneMask no_first = (ThawLaneMask)(length2[0] <= zero2), no_second = (ThawLaneMask)(length2[1] <= zero2);
    if (thaw_lanes_any(no_second)) {
        ThawLanes free[3];
        for (int i = 0; i < 3; i++)
            U[i] = thaw_lanes_select(no_first, i == 0 ? one : zero, U[i]);
        find_perpendicular(U, free);
        for (int i = 0; i < 3; i++)
            U[3 + i] = thaw_lanes_select(no_second, free[i], U[3 + i]);
    }
    thaw_lanes_cross3(U, U + 3, U + 6);
    s[1] = thaw_lanes_select(no_second, zero, s[1]);
    s[2] = thaw_lanes_select(no_second, zero, thaw_lanes_dot3(U + 6, A + 6) * unscale);
    for (int i = 0; i < 9; i++)
        V[i] = W[i];
}

void thaw_svd3(const double F[9], double U[9], double s[3], double V[9]) {
    ThawLanes F8[9], U8[9], s8[3], V8[9];
    for (int i = 0; i < 9; i++)
        F8[i] = thaw_lanes_set(F[i]);
    thaw_lanes_svd3(F8, U8, s8, V8);
    for (int i = 0; i < 9; i++) {
        U[i] = U8[i][0];
        V[i] = V8[i][0];
    }
    for (int i = 0; i < 3; i++)
        s[i] = s8[i][0];
}
