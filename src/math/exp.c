// SPDX-License-Identifier: Apache-2.0
// The exponential of eight doubles, of additions and multiplications only, so that it has the same bits everywhere
// (log.c says why).
//
// x = k log 2 + r with k the nearest whole number, so |r| <= 0.3466; log 2 is split so that k times its upper part is
// exact. The Taylor series of e^r is kept up to r^13/13!: what is left is 5e-18 of it. Beyond +-700 the result is that
// of the bound. About 40 operations for eight values.
#include "math/lanes.h"

ThawLanes thaw_lanes_exp(ThawLanes x) {
    const double log2_upper = 0x1.62e42fee00000p-1, log2_lower = 0x1.a39ef35793c76p-33;
    const double to_whole = 0x1.8p52; // added and taken off again, it leaves the nearest whole number
    x = thaw_lanes_max(x, thaw_lanes_set(-700));
    x = -thaw_lanes_max(-x, thaw_lanes_set(-700));
    ThawLanes k = (x * 0x1.71547652b82fep0 + to_whole) - to_whole;
    ThawLanes r = (x - k * log2_upper) - k * log2_lower, r2 = r * r, r4 = r2 * r2;
    // (e^r - 1 - r) / r^2 = sum of r^n / (n + 2)! for n = 0 .. 11, in pairs.
    ThawLanes p01 = 1.0 / 2 + 1.0 / 6 * r, p23 = 1.0 / 24 + 1.0 / 120 * r, p45 = 1.0 / 720 + 1.0 / 5040 * r;
    ThawLanes p67 = 1.0 / 40320 + 1.0 / 362880 * r, p89 = 1.0 / 3628800 + 1.0 / 39916800 * r;
    ThawLanes pab = 1.0 / 479001600 + 1.0 / 6227020800 * r;
    ThawLanes p = (p01 + r2 * p23) + r4 * ((p45 + r2 * p67) + r4 * (p89 + r2 * pab));
    ThawLanes power = 1.0 + (r + r2 * p);
    ThawLaneMask exponent = __builtin_convertvector(k, ThawLaneMask) + 1023;
    return power * (ThawLanes)(exponent << 52);
}
