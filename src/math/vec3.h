// SPDX-License-Identifier: Apache-2.0
// Vectors in space. Plane problems run through the same code with z = 0. Sums are over x, y, z in this order, so that
// results have the same bits wherever a product is computed.
#ifndef THAW_MATH_VEC3_H
#define THAW_MATH_VEC3_H

#include <math.h>
#include <string.h>

static inline double thaw_v3_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void thaw_v3_sub(const double a[3], const double b[3], double c[3]) {
    c[0] = a[0] - b[0], c[1] = a[1] - b[1], c[2] = a[2] - b[2];
}

// c = a + s b.
static inline void thaw_v3_add(const double a[3], double s, const double b[3], double c[3]) {
    c[0] = a[0] + s * b[0], c[1] = a[1] + s * b[1], c[2] = a[2] + s * b[2];
}

static inline void thaw_v3_copy(const double a[3], double c[3]) { memcpy(c, a, 3 * sizeof *c); }

// A vector of dim coordinates; z is 0 in 2D.
static inline void thaw_v3_load(int dim, const double *from, double to[3]) {
    to[0] = from[0], to[1] = from[1], to[2] = dim == 3 ? from[2] : 0;
}

// c = a x b; c must be neither.
static inline void thaw_v3_cross(const double a[3], const double b[3], double c[3]) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// a . (b x c): six times the volume of the tetrahedron that they span.
static inline double thaw_v3_triple(const double a[3], const double b[3], const double c[3]) {
    double n[3];
    thaw_v3_cross(b, c, n);
    return thaw_v3_dot(a, n);
}

static inline double thaw_v3_norm(const double a[3]) { return sqrt(thaw_v3_dot(a, a)); }

// Scales a to unit length and returns what it was; a zero vector stays.
static inline double thaw_v3_unit(double a[3]) {
    double norm = thaw_v3_norm(a);
    for (int i = 0; norm > 0 && i < 3; i++)
        a[i] /= norm;
    return norm;
}

// y = R x and y = R' x, R row-major; y must not be x.
static inline void thaw_v3_turn(const double R[9], const double x[3], double y[3]) {
    for (int i = 0; i < 3; i++)
        y[i] = thaw_v3_dot(R + 3 * i, x);
}

static inline void thaw_v3_turn_back(const double R[9], const double x[3], double y[3]) {
    for (int i = 0; i < 3; i++)
        y[i] = R[i] * x[0] + R[i + 3] * x[1] + R[i + 6] * x[2];
}

// J += m (r'r I - r r'), the inertia of a mass m at r.
static inline void thaw_v3_add_inertia(double m, const double r[3], double J[9]) {
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            J[k + 3 * l] += m * ((k == l) * thaw_v3_dot(r, r) - r[k] * r[l]);
}

#endif
