// SPDX-License-Identifier: Apache-2.0
// The angle between two triangles (shells paper, equation 3), for eight hinges at once. With e = x1 - x0 along the
// edge, a = x2 - x0 and b = x3 - x0 to the far corners:
//     n1 = e x a, n2 = b x e,    theta = atan2((n1 x n2).e / |e|, n1.n2),
//     dtheta/da = g2 = -|e| n1 / |n1|^2,  dtheta/db = g3 = -|e| n2 / |n2|^2,  dtheta/de = -t1 g2 - t2 g3,
//     t1 = a.e / |e|^2, t2 = b.e / |e|^2.
#ifndef THAW_FORCE_HINGE_H
#define THAW_FORCE_HINGE_H

#include "base/base.h"
#include "math/lanes.h"
#include "math/mat3.h"

// One hinge and the gradient of its angle by (e, a, b).
typedef struct ThawHinge {
    ThawLanes e[3], a[3], b[3], n1[3], n2[3];
    ThawLanes length, square; // |e|, |e|^2
    ThawLanes q1, q2;         // |n|^2, kept away from 0
    ThawLanes t1, t2;
    ThawLanes g[3][3];
} ThawHinge;

// From its e, a and b. Triangles that are lower than 1e-10 of the edge count as that high in the gradient.
THAW_INLINE void thaw_hinge_make(ThawHinge *h) {
    const double least_height = 1e-10;
    thaw_lanes_cross3(h->e, h->a, h->n1);
    thaw_lanes_cross3(h->b, h->e, h->n2);
    h->square = thaw_lanes_max(thaw_lanes_dot3(h->e, h->e), thaw_lanes_set(1e-200));
    h->length = thaw_lanes_sqrt(h->square);
    ThawLanes least = least_height * least_height * h->square * h->square;
    h->q1 = thaw_lanes_max(thaw_lanes_dot3(h->n1, h->n1), least);
    h->q2 = thaw_lanes_max(thaw_lanes_dot3(h->n2, h->n2), least);
    h->t1 = thaw_lanes_dot3(h->a, h->e) / h->square;
    h->t2 = thaw_lanes_dot3(h->b, h->e) / h->square;
    for (int i = 0; i < 3; i++) {
        h->g[1][i] = -h->length / h->q1 * h->n1[i];
        h->g[2][i] = -h->length / h->q2 * h->n2[i];
        h->g[0][i] = -h->t1 * h->g[1][i] - h->t2 * h->g[2][i];
    }
}

// An angle that is off by at most one turn, brought to (-pi, pi].
THAW_INLINE ThawLanes thaw_hinge_unwrap(ThawLanes phi) {
    const double pi = 3.14159265358979323846;
    phi -= thaw_lanes_select((ThawLaneMask)(phi > pi), thaw_lanes_set(2 * pi), thaw_lanes_set(0));
    return phi + thaw_lanes_select((ThawLaneMask)(phi <= -pi), thaw_lanes_set(2 * pi), thaw_lanes_set(0));
}

// theta - theta0, in (-pi, pi].
THAW_INLINE ThawLanes thaw_hinge_angle(const ThawHinge *h, ThawLanes theta0) {
    ThawLanes cross[3];
    thaw_lanes_cross3(h->n1, h->n2, cross);
    return thaw_hinge_unwrap(thaw_lanes_atan2(thaw_lanes_dot3(cross, h->e) / h->length, thaw_lanes_dot3(h->n1, h->n2)) -
                             theta0);
}

#endif
