// SPDX-License-Identifier: Apache-2.0
// Eight doubles that are computed with at once. The width belongs to the type and not to the processor, and no
// operation is contracted (-ffp-contract=off), so the same source gives the same bits with AVX-512, AVX2, NEON or none
// of them. No lane ever looks at another one: what stands beside a value in a batch cannot change its result.
#ifndef THAW_LANES_H
#define THAW_LANES_H

#include <stdint.h>

enum { THAW_LANES = 8 };

typedef double ThawLanes __attribute__((vector_size(64)));
typedef int64_t ThawLaneMask __attribute__((vector_size(64))); // 0 or -1 a lane, as comparisons give

static inline ThawLanes thaw_lanes_set(double a) { return (ThawLanes){a, a, a, a, a, a, a, a}; }

// The same integer (or bit pattern) in every lane.
static inline ThawLaneMask thaw_lanes_bits(int64_t a) { return (ThawLaneMask){a, a, a, a, a, a, a, a}; }

// yes where the mask is set, no elsewhere.
static inline ThawLanes thaw_lanes_select(ThawLaneMask mask, ThawLanes yes, ThawLanes no) {
    return (ThawLanes)((mask & (ThawLaneMask)yes) | (~mask & (ThawLaneMask)no));
}

static inline ThawLanes thaw_lanes_abs(ThawLanes a) {
    return (ThawLanes)((ThawLaneMask)a & thaw_lanes_bits(INT64_MAX));
}

// b where either is not a number.
static inline ThawLanes thaw_lanes_max(ThawLanes a, ThawLanes b) {
    return thaw_lanes_select((ThawLaneMask)(a > b), a, b);
}

// Both compilers turn this into one instruction where there is one; IEEE 754 fixes its bits everywhere.
static inline ThawLanes thaw_lanes_sqrt(ThawLanes a) {
    ThawLanes root;
    for (int i = 0; i < THAW_LANES; i++)
        root[i] = __builtin_sqrt(a[i]);
    return root;
}

// Nonzero when some lane of the mask is set. Only to skip work that would change nothing.
static inline int thaw_lanes_any(ThawLaneMask mask) {
    return (mask[0] | mask[1] | mask[2] | mask[3] | mask[4] | mask[5] | mask[6] | mask[7]) != 0;
}

// Natural logarithm within about 1 ulp, the same bits on every machine (log.c). log 0 = -inf, log x = NaN for x < 0.
ThawLanes thaw_lanes_log(ThawLanes x);

// The exponential within about 1 ulp, the same bits on every machine (exp.c); beyond +-700 that of the bound.
ThawLanes thaw_lanes_exp(ThawLanes x);

// The angle of (x, y) in [-pi, pi] within about 1 ulp, the same bits on every machine (atan2.c). Of (0, 0) it is 0 or
// pi, by the sign of x, as in C.
ThawLanes thaw_lanes_atan2(ThawLanes y, ThawLanes x);

#endif
