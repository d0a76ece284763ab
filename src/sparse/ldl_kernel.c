// SPDX-License-Identifier: Apache-2.0
// The dense kernels of the factorisation. A product keeps a tile of up to 16 x 9 numbers in 18 vector registers: each step
// reads two vectors of A and nine numbers of B and does 18 fused operations, so on every processor with fused units the
// arithmetic is the limit and not the loads. Nine columns are three block columns of 3.
//
// Every number of a result is one chain of fused operations with k ascending, so its bits do not depend on the shape of the
// tile it was computed in.
#include "sparse/ldl_fma.h"
#include "sparse/ldl_impl.h"

#define INLINE static inline __attribute__((always_inline))

// Sixteen registers hold half as wide a tile.
#if defined(__AVX512F__) || defined(__aarch64__)
enum { WIDE = 9 };
#else
enum { WIDE = 3 };
#endif

INLINE ThawLanes load(const double *p) { return *(const ThawLanes *)p; }
INLINE void store(double *p, ThawLanes v) { *(ThawLanes *)p = v; }

// acc -= or += A B'; the loops over h and j are unrolled away.
INLINE void accumulate(int panels, int n, int32_t k, const double *a, size_t next, size_t step, const double *b,
                       size_t b_step, double sign, ThawLanes acc[2][THAW_LDL_GROUP]) {
    for (int32_t i = 0; i < k; i++, a += step, b += b_step) {
        ThawLanes ai[2];
        for (int h = 0; h < panels; h++)
            ai[h] = sign < 0 ? -load(a + (size_t)h * next) : load(a + (size_t)h * next);
        for (int j = 0; j < n; j++) {
            ThawLanes bj = thaw_lanes_set(b[j]);
            for (int h = 0; h < panels; h++)
                acc[h][j] = thaw_lanes_fma(ai[h], bj, acc[h][j]);
        }
    }
}

INLINE void product(int panels, int n, int32_t k, const double *a, size_t next, size_t step, const double *b,
                    size_t b_step, double *c, int rows) {
    ThawLanes acc[2][THAW_LDL_GROUP] = {{{0}}};
    accumulate(panels, n, k, a, next, step, b, b_step, 1, acc);
    for (int h = 0; h < panels; h++)
        for (int j = 0; j < n; j++)
            store(c + 8 * (h * rows + j), acc[h][j]);
}

// x_j = (c_j - sum_i a_i b_ji - sum_{i<j} x_i t_ji) t_jj, where t_jj is a reciprocal.
INLINE void reduce(int panels, int n, int32_t k, const double *a, size_t next, const double *b, const double *t,
                   double *c) {
    ThawLanes acc[2][THAW_LDL_GROUP];
    for (int h = 0; h < panels; h++)
        for (int j = 0; j < n; j++)
            acc[h][j] = load(c + (size_t)h * next + 8 * j);
    accumulate(panels, n, k, a, next, 8, b, THAW_LDL_GROUP, -1, acc);
    for (int i = 0; i < n; i++)
        for (int h = 0; h < panels; h++) {
            ThawLanes x = acc[h][i] * t[(THAW_LDL_GROUP + 1) * i];
            store(c + (size_t)h * next + 8 * i, x);
            for (int j = i + 1; j < n; j++)
                acc[h][j] = thaw_lanes_fma(-x, thaw_lanes_set(t[THAW_LDL_GROUP * i + j]), acc[h][j]);
        }
}

// One function for each size, so that sizes are constants where they matter.
#define CASES(panels, CALL)                                                                                            \
    switch (n) {                                                                                                       \
    case 1:                                                                                                            \
        CALL(panels, 1);                                                                                               \
        return;                                                                                                        \
    case 2:                                                                                                            \
        CALL(panels, 2);                                                                                               \
        return;                                                                                                        \
    case 3:                                                                                                            \
        CALL(panels, 3);                                                                                               \
        return;                                                                                                        \
    case 4:                                                                                                            \
        CALL(panels, 4);                                                                                               \
        return;                                                                                                        \
    case 5:                                                                                                            \
        CALL(panels, 5);                                                                                               \
        return;                                                                                                        \
    case 6:                                                                                                            \
        CALL(panels, 6);                                                                                               \
        return;                                                                                                        \
    case 7:                                                                                                            \
        CALL(panels, 7);                                                                                               \
        return;                                                                                                        \
    case 8:                                                                                                            \
        CALL(panels, 8);                                                                                               \
        return;                                                                                                        \
    default:                                                                                                           \
        CALL(panels, 9);                                                                                               \
    }

void thaw_ldl_product(int panels, int n, int32_t k, const double *a, size_t next, size_t step, const double *b,
                      size_t b_step, double *c) {
#define PRODUCT(panels, n) product(panels, n, k, a, next, step, b, b_step, c, n)
    if (panels == 2) {
        CASES(2, PRODUCT)
    } else {
        CASES(1, PRODUCT)
    }
}

void thaw_ldl_reduce(int panels, int n, int32_t k, const double *a, size_t next, const double *b, const double *t,
                     double *c) {
#define REDUCE(panels, n) reduce(panels, n, k, a, next, b, t, c)
    if (panels == 2) {
        CASES(2, REDUCE)
    } else {
        CASES(1, REDUCE)
    }
}
