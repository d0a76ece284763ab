// SPDX-License-Identifier: Apache-2.0
// Eight doubles that are computed with at once. The width belongs to the type and not to the processor, and no
// operation is contracted (-ffp-contract=off), so the same source gives the same bits with AVX-512, AVX2, NEON or none
// of them.
#ifndef THAW_LANES_H
#define THAW_LANES_H

#include <stdint.h>

enum { THAW_LANES = 8 };

typedef double ThawLanes __attribute__((vector_size(64)));
typedef int64_t ThawLaneMask __attribute__((vector_size(64))); // 0 or -1 a lane, as comparisons give

static inline ThawLanes thaw_lanes_set(double a) {
    return (ThawLanes){a, a, a, a, a, a, a, a};
}

#endif
