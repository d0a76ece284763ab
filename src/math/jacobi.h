// SPDX-License-Identifier: Apache-2.0
// What the Jacobi iterations of this folder share.
#ifndef THAW_JACOBI_H
#define THAW_JACOBI_H

#include "math/lanes.h"

// A lane is rotated only while its iteration has not converged, so the others keep their bits whatever their neighbours
// need. 3x3 matrices take 3 to 6 sweeps; the limit is there for NaN and for cases unknown.
enum { THAW_JACOBI_SWEEPS = 24 };

// A power of two that brings a largest entry (>= 0) close to 1, and its reciprocal: scaling is exact and squares
// neither overflow nor vanish. Subnormal entries end between 2^-52 and 1.
static inline void thaw_jacobi_scale(ThawLanes largest, ThawLanes *scale, ThawLanes *unscale) {
    ThawLaneMask field = ((ThawLaneMask)largest >> 52) & 0x7ff; // biased exponent
    ThawLaneMask down = 2045 - field;
    ThawLaneMask one = thaw_lanes_bits(1), low = (ThawLaneMask)(down < one);
    down = (low & one) | (~low & down);
    *scale = (ThawLanes)(down << 52);
    *unscale = (ThawLanes)((2046 - down) << 52);
}

// The rotation (p, q) -> (c p - s q, s p + c q) that makes gamma = <p, q> vanish, given alpha = <p, p>, beta = <q, q>,
// by the angle of at most 45 degrees; the identity where the mask is not set. With d = beta - alpha and
// h = |d| + sqrt(d^2 + 4 gamma^2), (c, s) is (h, +-2 gamma) normalised: no cancellation, one division.
static inline void thaw_jacobi_rotation(ThawLanes alpha, ThawLanes beta, ThawLanes gamma, ThawLaneMask mask,
                                        ThawLanes *c, ThawLanes *s) {
    const ThawLanes zero = thaw_lanes_set(0), one = thaw_lanes_set(1);
    ThawLanes d = beta - alpha, g = gamma + gamma, g2 = g * g;
    ThawLanes h = thaw_lanes_abs(d) + thaw_lanes_sqrt(d * d + g2);
    ThawLanes n = one / thaw_lanes_sqrt(h * h + g2);
    *c = thaw_lanes_select(mask, h * n, one);
    *s = thaw_lanes_select(mask, thaw_lanes_select((ThawLaneMask)(d < zero), -g, g) * n, zero);
}

// Applies it to `count` pairs.
static inline void thaw_jacobi_turn(ThawLanes c, ThawLanes s, int count, ThawLanes *p, ThawLanes *q) {
    for (int i = 0; i < count; i++) {
        ThawLanes turned = c * p[i] - s * q[i];
        q[i] = s * p[i] + c * q[i];
        p[i] = turned;
    }
}

// Exchanges columns p and q by a quarter turn, (p, q) -> (q, -p), where the mask is set: the determinant stays.
static inline void thaw_jacobi_exchange(ThawLaneMask mask, int count, ThawLanes *p, ThawLanes *q) {
    for (int i = 0; i < count; i++) {
        ThawLanes first = p[i];
        p[i] = thaw_lanes_select(mask, q[i], first);
        q[i] = thaw_lanes_select(mask, -first, q[i]);
    }
}

#endif
