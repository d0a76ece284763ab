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

#if defined(__AVX512F__)
#define WIDE_REGISTERS 1
#else
#define WIDE_REGISTERS 0
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

// --- sixteen right-hand sides ------------------------------------------------------------------------------------------

// As many rows (or columns) of L and vectors of sides as there are registers for.
#if WIDE_REGISTERS
enum { SIDE_ROWS = 8, SIDE_LANES = 2 };
#else
enum { SIDE_ROWS = 4, SIDE_LANES = 1 };
#endif

void thaw_ldl_sides_forward(int32_t k, const double *a, const double *y, double *c) {
    for (int row = 0; row < 8; row += SIDE_ROWS)
        for (int side = 0; side < THAW_LDL_SIDES; side += 8 * SIDE_LANES) {
            ThawLanes acc[SIDE_ROWS][SIDE_LANES] = {{{0}}};
            for (int32_t i = 0; i < k; i++)
                for (int r = 0; r < SIDE_ROWS; r++)
                    for (int h = 0; h < SIDE_LANES; h++)
                        acc[r][h] =
                            thaw_lanes_fma(thaw_lanes_set(a[8 * (size_t)i + (size_t)(row + r)]),
                                           load(y + THAW_LDL_SIDES * (size_t)i + (size_t)(side + 8 * h)), acc[r][h]);
            for (int r = 0; r < SIDE_ROWS; r++)
                for (int h = 0; h < SIDE_LANES; h++)
                    store(c + THAW_LDL_SIDES * (row + r) + side + 8 * h, acc[r][h]);
        }
}

void thaw_ldl_sides_backward(int32_t panels, const double *a, size_t next, const double *x, double *c) {
    for (int col = 0; col < 8; col += SIDE_ROWS)
        for (int side = 0; side < THAW_LDL_SIDES; side += 8 * SIDE_LANES) {
            ThawLanes acc[SIDE_ROWS][SIDE_LANES] = {{{0}}};
            const double *ap = a + 8 * col, *xp = x + side;
            for (int32_t p = 0; p < panels; p++, ap += next)
                for (int r = 0; r < 8; r++, xp += THAW_LDL_SIDES)
                    for (int j = 0; j < SIDE_ROWS; j++)
                        for (int h = 0; h < SIDE_LANES; h++)
                            acc[j][h] = thaw_lanes_fma(thaw_lanes_set(ap[8 * j + r]), load(xp + 8 * h), acc[j][h]);
            for (int j = 0; j < SIDE_ROWS; j++)
                for (int h = 0; h < SIDE_LANES; h++)
                    store(c + THAW_LDL_SIDES * (col + j) + side + 8 * h, acc[j][h]);
        }
}

// --- packing and scattering --------------------------------------------------------------------------------------------

typedef double Loose __attribute__((vector_size(64), aligned(8), may_alias));

// Nine rows lie in at most two panels: copied as two vectors a column, of which the next ones overwrite the surplus. The
// last column is copied number by number, so as not to read beyond the node.
void thaw_ldl_pack(const double *value, size_t next, int32_t row, int n, int32_t k, const double *sign, double *b) {
    const double *low = value + row, *high = value + next;
    int split = 8 - row < n ? 8 - row : n, both = n > split;
    for (int32_t i = 0; i + 1 < k; i++) {
        ThawLanes l = *(const Loose *)(low + 8 * (size_t)i);
        if (sign)
            l *= sign[i];
        *(Loose *)(b + THAW_LDL_GROUP * (size_t)i) = l;
        if (both) {
            ThawLanes h = load(high + 8 * (size_t)i);
            if (sign)
                h *= sign[i];
            *(Loose *)(b + THAW_LDL_GROUP * (size_t)i + split) = h;
        }
    }
    for (int j = 0; j < n && k > 0; j++) {
        const double *from = (j < split ? low + j : high + (j - split)) + 8 * (size_t)(k - 1);
        b[THAW_LDL_GROUP * (size_t)(k - 1) + (size_t)j] = sign ? *from * sign[k - 1] : *from;
    }
}

ThawLdlLanding thaw_ldl_land(const int32_t *to, int32_t row, int32_t begin, int32_t end, size_t next) {
    ThawLdlLanding landing = {.first = row < begin ? begin - row : 0, .last = row + 8 > end ? end - row : 8};
    for (int32_t l = landing.first; l < landing.last; l++)
        landing.offset[l] = (size_t)(to[row + l] / 8) * next + (size_t)(to[row + l] % 8);
#if defined(__AVX512F__)
    if (landing.first >= landing.last || to[row + landing.last - 1] - to[row + landing.first] >= 8 * THAW_LDL_PIECES)
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
#endif
    return landing;
}

void thaw_ldl_subtract(int n, const ThawLdlLanding *landing, const double *c, double *target) {
#if defined(__AVX512F__)
    for (int p = 0; p < landing->pieces; p++) {
        double *to = target + landing->panel[p];
        __m512i lane = _mm512_loadu_si512(landing->lane[p]);
        for (int j = 0; j < n; j++) {
            __m512d old = _mm512_load_pd(to + 8 * j);
            __m512d moved = _mm512_permutexvar_pd(lane, _mm512_load_pd(c + 8 * j));
            _mm512_store_pd(to + 8 * j, _mm512_mask_sub_pd(old, landing->mask[p], old, moved));
        }
    }
    if (landing->pieces)
        return;
#endif
    for (int32_t l = landing->first; l < landing->last; l++) {
        double *to = target + landing->offset[l];
        for (int j = 0; j < n; j++)
            to[8 * j] -= c[8 * j + l];
    }
}
