// SPDX-License-Identifier: Apache-2.0
// The dense kernels of the factorisation. A product keeps a tile of up to 16 x 9 numbers in 18 vector registers: each
// step reads two vectors of A and nine numbers of B and does 18 fused operations, so with AVX-512 the arithmetic is the
// limit and not the loads. Nine columns are three block columns of 3. Fewer registers hold 8 x 5 numbers.
//
// Every number of a result is one chain of fused operations with k ascending, so its bits do not depend on the shape of
// the tile it was computed in, nor on the processor.
//
// A build for this machine's processor has its kernels only. A portable build for x86-64 has three sets and asks the
// processor, since fused operations without the instruction are calls of a function each: twenty times slower.
#include <string.h>

#include "sparse/ldl_impl.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)
#define KERNEL(name) JOIN(name, SUFFIX)

#if defined(__AVX512F__)
#define LEVEL 2
#define SUFFIX own
#define TARGET
#include "sparse/ldl_kernel_body.h"
#elif defined(__FMA__) && defined(__AVX2__)
#define LEVEL 1
#define SUFFIX own
#define TARGET
#include "sparse/ldl_kernel_body.h"
#else
#define LEVEL 0
#define SUFFIX own
#define TARGET
#include "sparse/ldl_kernel_body.h"
#if defined(__x86_64__)
#define CHOICE 1
#undef LEVEL
#undef SUFFIX
#undef TARGET
#define LEVEL 1
#define SUFFIX avx2
#define TARGET __attribute__((target("avx2,fma")))
#include "sparse/ldl_kernel_body.h"
#undef LEVEL
#undef SUFFIX
#undef TARGET
#define LEVEL 2
#define SUFFIX avx512
#define TARGET __attribute__((target("avx512f,avx2,fma")))
#include "sparse/ldl_kernel_body.h"
#endif
#endif

const ThawLdlKernels *thaw_ldl_kernels(void) {
#ifdef CHOICE
    if (__builtin_cpu_supports("avx512f"))
        return &kernels_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &kernels_avx2;
#endif
    return &kernels_own;
}

ThawLdlLanding thaw_ldl_land(const ThawLdlKernels *kernels, const int32_t *to, int32_t row, int32_t begin, int32_t end,
                             size_t next) {
    ThawLdlLanding landing = {.first = row < begin ? begin - row : 0, .last = row + 8 > end ? end - row : 8};
    for (int32_t l = landing.first; l < landing.last; l++)
        landing.offset[l] = (size_t)(to[row + l] / 8) * next + (size_t)(to[row + l] % 8);
    if (!kernels->permutes || landing.first >= landing.last ||
        to[row + landing.last - 1] - to[row + landing.first] >= 8 * THAW_LDL_PIECES)
        return landing;
    int32_t pieces = 0, panel = -1;
    for (int32_t l = landing.first; l < landing.last; l++) {
        int32_t at = to[row + l];
        if (at / 8 != panel) {
            if (pieces == THAW_LDL_PIECES)
                return landing;
            panel = at / 8;
            landing.panel[pieces++] = (size_t)panel * next;
        }
        landing.mask[pieces - 1] |= (unsigned char)(1 << at % 8);
        landing.lane[pieces - 1][at % 8] = l;
    }
    landing.pieces = pieces;
    return landing;
}
