// SPDX-License-Identifier: Apache-2.0
// Boxes, and the closest points of segments and triangles. Plane problems run through the same code with z = 0.
#ifndef THAW_CONTACT_GEOMETRY_H
#define THAW_CONTACT_GEOMETRY_H

#include <math.h>

#include "math/vec3.h"

// The squared distance of x from the box (lo, hi), 0 inside.
static inline double thaw_box_square(const double box[6], const double x[3]) {
    double square = 0;
    for (int i = 0; i < 3; i++) {
        double d = x[i] < box[i] ? box[i] - x[i] : x[i] > box[3 + i] ? x[i] - box[3 + i] : 0;
        square += d * d;
    }
    return square;
}

static inline int thaw_box_overlap(const double a[6], const double b[6]) {
    return a[0] <= b[3] && b[0] <= a[3] && a[1] <= b[4] && b[1] <= a[4] && a[2] <= b[5] && b[2] <= a[5];
}

static inline void thaw_box_empty(double box[6]) {
    for (int i = 0; i < 3; i++)
        box[i] = INFINITY, box[3 + i] = -INFINITY;
}

static inline void thaw_box_add(double box[6], const double x[3]) {
    for (int i = 0; i < 3; i++) {
        box[i] = x[i] < box[i] ? x[i] : box[i];
        box[3 + i] = x[i] > box[3 + i] ? x[i] : box[3 + i];
    }
}

// Weights of the point of segment a b closest to x; exactly (1, 0) or (0, 1) at an end.
static inline void thaw_segment_closest(const double a[3], const double b[3], const double x[3], double w[2]) {
    double ab[3], ax[3];
    thaw_v3_sub(b, a, ab);
    thaw_v3_sub(x, a, ax);
    double along = thaw_v3_dot(ab, ax), length = thaw_v3_dot(ab, ab);
    w[1] = !(along > 0) ? 0 : along >= length ? 1 : along / length;
    w[0] = 1 - w[1];
}

// Weights of the point of triangle a b c closest to x, exactly zero for vertices that have no part in it. Which of the
// seven features is nearest follows from the signs of x's coordinates along the sides (the Voronoi regions).
static inline void thaw_triangle_closest(const double a[3], const double b[3], const double c[3], const double x[3],
                                         double w[3]) {
    double ab[3], ac[3], ax[3], s[2];
    thaw_v3_sub(b, a, ab);
    thaw_v3_sub(c, a, ac);
    thaw_v3_sub(x, a, ax);
    double bb = thaw_v3_dot(ab, ab), bc = thaw_v3_dot(ab, ac), cc = thaw_v3_dot(ac, ac);
    double xb = thaw_v3_dot(ab, ax), xc = thaw_v3_dot(ac, ax);
    double det = bb * cc - bc * bc, wb = cc * xb - bc * xc, wc = bb * xc - bc * xb, wa = det - wb - wc;
    if (det > 0 && wa > 0 && wb > 0 && wc > 0) {
        w[1] = wb / det, w[2] = wc / det, w[0] = 1 - w[1] - w[2];
        if (w[0] > 0)
            return;
    }
    // On the boundary: of the sides that x lies beyond (at least one, at most two) the nearest; a degenerate triangle
    // is tried on all sides.
    const double *corner[3] = {a, b, c};
    double best = INFINITY, outside[3] = {wc, wa, wb}; // beyond side i, i+1 when the weight opposite is <= 0
    int any = wc <= 0 || wa <= 0 || wb <= 0;
    for (int i = 0; i < 3; i++) {
        if (det > 0 && any && outside[i] > 0)
            continue;
        const double *p = corner[i], *q = corner[(i + 1) % 3];
        thaw_segment_closest(p, q, x, s);
        double d[3], square = 0;
        for (int k = 0; k < 3; k++) {
            d[k] = s[0] * p[k] + s[1] * q[k] - x[k];
            square += d[k] * d[k];
        }
        if (square < best) {
            best = square;
            w[i] = s[0], w[(i + 1) % 3] = s[1], w[(i + 2) % 3] = 0;
        }
    }
}

#endif
