// SPDX-License-Identifier: Apache-2.0
// Finite rotations in space, as vectors (axis times angle) and as matrices, column-major.
#ifndef THAW_MATH_ROTATION_H
#define THAW_MATH_ROTATION_H

#include "math/vec3.h"

// R = exp [a x], by Rodrigues' formula with half angles, which lose no digits where the angle is small.
static inline void thaw_rotation_exp(const double a[3], double R[9]) {
    const double angle = thaw_v3_norm(a), half = sin(angle / 2);
    const double s = angle > 0 ? sin(angle) / angle : 1, c = angle > 0 ? 2 * half * half / (angle * angle) : 0.5;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            R[i + 3 * j] = (i == j ? 1 - c * thaw_v3_dot(a, a) : 0) + c * a[i] * a[j];
    R[1] += s * a[2], R[3] -= s * a[2];
    R[6] += s * a[1], R[2] -= s * a[1];
    R[5] += s * a[0], R[7] -= s * a[0];
}

// The vector of a rotation by less than half a turn.
static inline void thaw_rotation_log(const double R[9], double a[3]) {
    a[0] = (R[5] - R[7]) / 2, a[1] = (R[6] - R[2]) / 2, a[2] = (R[1] - R[3]) / 2;
    const double sine = thaw_v3_norm(a), angle = atan2(sine, (R[0] + R[4] + R[8] - 1) / 2);
    for (int i = 0; i < 3 && sine > 0; i++)
        a[i] *= angle / sine;
}

// The mean of the rotations by s a, 0 <= s <= 1: what carries a velocity that turns along to the way that it goes.
static inline void thaw_rotation_mean(const double a[3], double M[9]) {
    const double angle = thaw_v3_norm(a), square = angle * angle, half = sin(angle / 2);
    const double b = angle > 0 ? 2 * half * half / square : 0.5;
    const double c = angle > 0.05 ? (angle - sin(angle)) / (square * angle) : (1 - square / 20 * (1 - square / 42)) / 6;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            M[i + 3 * j] = (i == j ? 1 - c * square : 0) + c * a[i] * a[j];
    M[1] += b * a[2], M[3] -= b * a[2];
    M[6] += b * a[1], M[2] -= b * a[1];
    M[5] += b * a[0], M[7] -= b * a[0];
}

// b = R a, b = R' a; b must not be a.
static inline void thaw_rotate(const double R[9], const double a[3], double b[3]) {
    for (int i = 0; i < 3; i++)
        b[i] = R[i] * a[0] + R[i + 3] * a[1] + R[i + 6] * a[2];
}

static inline void thaw_rotate_back(const double R[9], const double a[3], double b[3]) {
    for (int i = 0; i < 3; i++)
        b[i] = thaw_v3_dot(R + 3 * i, a);
}

// C = A B; C must be neither.
static inline void thaw_rotation_product(const double A[9], const double B[9], double C[9]) {
    for (int j = 0; j < 3; j++)
        thaw_rotate(A, B + 3 * j, C + 3 * j);
}

#endif
