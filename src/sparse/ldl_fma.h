// SPDX-License-Identifier: Apache-2.0
// Fused multiply-add on lanes. Rounding once is fixed by IEEE 754, so the instruction and the C library's function give the
// same bits; nothing is left to the compiler's choice of contracting. GCC 12 does not turn the loop into the vector
// instruction, hence the intrinsics.
#ifndef THAW_LDL_FMA_H
#define THAW_LDL_FMA_H

#include "math/lanes.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// a b + c
static inline __attribute__((always_inline)) ThawLanes thaw_lanes_fma(ThawLanes a, ThawLanes b, ThawLanes c) {
#if defined(__AVX512F__)
    return (ThawLanes)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#else
    ThawLanes r;
#if defined(__FMA__)
    for (int i = 0; i < 2; i++)
        ((__m256d *)&r)[i] = _mm256_fmadd_pd(((__m256d *)&a)[i], ((__m256d *)&b)[i], ((__m256d *)&c)[i]);
#elif defined(__aarch64__)
    for (int i = 0; i < 4; i++)
        ((float64x2_t *)&r)[i] = vfmaq_f64(((float64x2_t *)&c)[i], ((float64x2_t *)&a)[i], ((float64x2_t *)&b)[i]);
#else
    for (int i = 0; i < THAW_LANES; i++)
        r[i] = __builtin_fma(a[i], b[i], c[i]);
#endif
    return r;
#endif
}

#endif
