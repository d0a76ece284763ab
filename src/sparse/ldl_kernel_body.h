// SPDX-License-Identifier: Apache-2.0
// The kernels' bodies, compiled by ldl_kernel.c once for each kind of processor. LEVEL 2: AVX-512, 1: AVX2 with FMA, 0:
// any. TARGET makes a function that kind's, KERNEL(name) gives it its name.
//
// V is eight doubles. Fused operations are written out as such: rounding once is fixed by IEEE 754, so an instruction
// and the C library's function give the same bits, and nothing depends on what the compiler would contract.

#define INLINE TARGET static inline __attribute__((always_inline))
#define V KERNEL(V)

#if LEVEL == 2
typedef __m512d V;
INLINE V KERNEL(load)(const double *p) { return _mm512_load_pd(p); }
INLINE V KERNEL(load_loose)(const double *p) { return _mm512_loadu_pd(p); }
INLINE V KERNEL(widen)(const float *p) { return _mm512_cvtps_pd(_mm256_load_ps(p)); }
INLINE void KERNEL(store)(double *p, V v) { _mm512_store_pd(p, v); }
INLINE void KERNEL(store_loose)(double *p, V v) { _mm512_storeu_pd(p, v); }
INLINE V KERNEL(set)(double a) { return _mm512_set1_pd(a); }
INLINE V KERNEL(multiply)(V a, V b) { return _mm512_mul_pd(a, b); }
INLINE V KERNEL(add_product)(V a, V b, V c) { return _mm512_fmadd_pd(a, b, c); }       // a b + c
INLINE V KERNEL(subtract_product)(V a, V b, V c) { return _mm512_fnmadd_pd(a, b, c); } // c - a b
#elif LEVEL == 1
typedef struct V {
    __m256d h[2];
} V;
#define EACH(expression)                                                                                               \
    (V) {                                                                                                              \
        { expression(0), expression(1) }                                                                               \
    }
INLINE V KERNEL(load)(const double *p) { return (V){{_mm256_load_pd(p), _mm256_load_pd(p + 4)}}; }
INLINE V KERNEL(load_loose)(const double *p) { return (V){{_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}}; }
INLINE V KERNEL(widen)(const float *p) {
    return (V){{_mm256_cvtps_pd(_mm_load_ps(p)), _mm256_cvtps_pd(_mm_load_ps(p + 4))}};
}
INLINE void KERNEL(store)(double *p, V v) {
    _mm256_store_pd(p, v.h[0]);
    _mm256_store_pd(p + 4, v.h[1]);
}
INLINE void KERNEL(store_loose)(double *p, V v) {
    _mm256_storeu_pd(p, v.h[0]);
    _mm256_storeu_pd(p + 4, v.h[1]);
}
INLINE V KERNEL(set)(double a) { return (V){{_mm256_set1_pd(a), _mm256_set1_pd(a)}}; }
INLINE V KERNEL(multiply)(V a, V b) { return (V){{_mm256_mul_pd(a.h[0], b.h[0]), _mm256_mul_pd(a.h[1], b.h[1])}}; }
INLINE V KERNEL(add_product)(V a, V b, V c) {
    return (V){{_mm256_fmadd_pd(a.h[0], b.h[0], c.h[0]), _mm256_fmadd_pd(a.h[1], b.h[1], c.h[1])}};
}
INLINE V KERNEL(subtract_product)(V a, V b, V c) {
    return (V){{_mm256_fnmadd_pd(a.h[0], b.h[0], c.h[0]), _mm256_fnmadd_pd(a.h[1], b.h[1], c.h[1])}};
}
#undef EACH
#else
typedef struct V {
    double l[8];
} V;
INLINE V KERNEL(load)(const double *p) { return *(const V *)p; }
INLINE V KERNEL(load_loose)(const double *p) { return *(const V *)p; }
INLINE V KERNEL(widen)(const float *p) {
    V v;
    for (int i = 0; i < 8; i++)
        v.l[i] = p[i];
    return v;
}
INLINE void KERNEL(store)(double *p, V v) { memcpy(p, &v, sizeof v); }
INLINE void KERNEL(store_loose)(double *p, V v) { memcpy(p, &v, sizeof v); }
INLINE V KERNEL(set)(double a) { return (V){{a, a, a, a, a, a, a, a}}; }
INLINE V KERNEL(multiply)(V a, V b) {
    for (int i = 0; i < 8; i++)
        a.l[i] *= b.l[i];
    return a;
}
INLINE V KERNEL(add_product)(V a, V b, V c) {
    for (int i = 0; i < 8; i++)
        c.l[i] = __builtin_fma(a.l[i], b.l[i], c.l[i]);
    return c;
}
INLINE V KERNEL(subtract_product)(V a, V b, V c) {
    for (int i = 0; i < 8; i++)
        c.l[i] = __builtin_fma(-a.l[i], b.l[i], c.l[i]);
    return c;
}
#endif

// --- tiles -----------------------------------------------------------------------------------------------------------

// Panels, columns, and rows and vectors of sides that are worked on at once: as many as there are registers for.
#if LEVEL == 2
#define PANELS 2
#define COLUMNS 9
#define SIDE_ROWS 8
#define SIDE_LANES 2
#else
#define PANELS 1
#define COLUMNS 5
#define SIDE_ROWS 5
#define SIDE_LANES 1
#endif

INLINE void KERNEL(multiply_tile)(int panels, int n, int32_t k, const double *a, size_t next, size_t step,
                                  const double *b, size_t b_step, double *c) {
    V acc[PANELS][COLUMNS];
    for (int h = 0; h < panels; h++)
        for (int j = 0; j < n; j++)
            acc[h][j] = KERNEL(set)(0.0);
    for (int32_t i = 0; i < k; i++, a += step, b += b_step) {
        V ai[PANELS];
        for (int h = 0; h < panels; h++)
            ai[h] = KERNEL(load)(a + (size_t)h * next);
        for (int j = 0; j < n; j++) {
            V bj = KERNEL(set)(b[j]);
            for (int h = 0; h < panels; h++)
                acc[h][j] = KERNEL(add_product)(ai[h], bj, acc[h][j]);
        }
    }
    for (int h = 0; h < panels; h++)
        for (int j = 0; j < n; j++)
            KERNEL(store)(c + 8 * (h * n + j), acc[h][j]);
}

INLINE void KERNEL(reduce_tile)(int panels, int n, int32_t k, const double *a, size_t next, const double *b,
                                const double *t, double *c) {
    V acc[PANELS][COLUMNS];
    for (int h = 0; h < panels; h++)
        for (int j = 0; j < n; j++)
            acc[h][j] = KERNEL(load)(c + (size_t)h * next + 8 * j);
    for (int32_t i = 0; i < k; i++, a += 8, b += THAW_LDL_GROUP) {
        V ai[PANELS];
        for (int h = 0; h < panels; h++)
            ai[h] = KERNEL(load)(a + (size_t)h * next);
        for (int j = 0; j < n; j++) {
            V bj = KERNEL(set)(b[j]);
            for (int h = 0; h < panels; h++)
                acc[h][j] = KERNEL(subtract_product)(ai[h], bj, acc[h][j]);
        }
    }
    if (!t) {
        for (int h = 0; h < panels; h++)
            for (int j = 0; j < n; j++)
                KERNEL(store)(c + (size_t)h * next + 8 * j, acc[h][j]);
        return;
    }
    for (int i = 0; i < n; i++)
        for (int h = 0; h < panels; h++) {
            V x = KERNEL(multiply)(acc[h][i], KERNEL(set)(t[(THAW_LDL_GROUP + 1) * i]));
            KERNEL(store)(c + (size_t)h * next + 8 * i, x);
            for (int j = i + 1; j < n; j++)
                acc[h][j] = KERNEL(subtract_product)(x, KERNEL(set)(t[THAW_LDL_GROUP * i + j]), acc[h][j]);
        }
}

// One function body for each size, so that sizes are constants where they matter.
#if LEVEL == 2
#define CASES(panels, CALL)                                                                                            \
    switch (n) {                                                                                                       \
    case 1:                                                                                                            \
        CALL(panels, 1);                                                                                               \
        break;                                                                                                         \
    case 2:                                                                                                            \
        CALL(panels, 2);                                                                                               \
        break;                                                                                                         \
    case 3:                                                                                                            \
        CALL(panels, 3);                                                                                               \
        break;                                                                                                         \
    case 4:                                                                                                            \
        CALL(panels, 4);                                                                                               \
        break;                                                                                                         \
    case 5:                                                                                                            \
        CALL(panels, 5);                                                                                               \
        break;                                                                                                         \
    case 6:                                                                                                            \
        CALL(panels, 6);                                                                                               \
        break;                                                                                                         \
    case 7:                                                                                                            \
        CALL(panels, 7);                                                                                               \
        break;                                                                                                         \
    case 8:                                                                                                            \
        CALL(panels, 8);                                                                                               \
        break;                                                                                                         \
    default:                                                                                                           \
        CALL(panels, 9);                                                                                               \
    }
#else
#define CASES(panels, CALL)                                                                                            \
    switch (n) {                                                                                                       \
    case 1:                                                                                                            \
        CALL(panels, 1);                                                                                               \
        break;                                                                                                         \
    case 2:                                                                                                            \
        CALL(panels, 2);                                                                                               \
        break;                                                                                                         \
    case 3:                                                                                                            \
        CALL(panels, 3);                                                                                               \
        break;                                                                                                         \
    case 4:                                                                                                            \
        CALL(panels, 4);                                                                                               \
        break;                                                                                                         \
    default:                                                                                                           \
        CALL(panels, 5);                                                                                               \
    }
#endif

TARGET static void KERNEL(product)(int panels, int columns, int32_t k, const double *a, size_t next, size_t step,
                                   const double *b, size_t b_step, double *c) {
#define PRODUCT(panels, n) KERNEL(multiply_tile)(panels, n, k, a, next, step, b, b_step, c)
#if LEVEL == 2
    int n = columns;
    if (panels == 2) {
        CASES(2, PRODUCT)
    } else {
        CASES(1, PRODUCT)
    }
#else
    for (int h = 0; h < panels; h++, a += next)
        for (int first = 0; first < columns; first += COLUMNS) {
            int n = columns - first < COLUMNS ? columns - first : COLUMNS;
            CASES(1, PRODUCT)
            b += n;
            c += 8 * n;
            if (first + n == columns)
                b -= columns;
        }
#endif
#undef PRODUCT
}

TARGET static void KERNEL(reduce)(int panels, int columns, int32_t k, const double *a, size_t next, const double *b,
                                  const double *t, double *c) {
#define REDUCE(panels, n) KERNEL(reduce_tile)(panels, n, k, a, next, b, t, c)
#if LEVEL == 2
    int n = columns;
    if (panels == 2) {
        CASES(2, REDUCE)
    } else {
        CASES(1, REDUCE)
    }
#else
    // The second half of the columns needs the first one's results, as if they stood to the left.
    for (int h = 0; h < panels; h++, a += next, c += next) {
        int n = columns < COLUMNS ? columns : COLUMNS;
        CASES(1, REDUCE)
        for (int j = COLUMNS; j < columns; j++) {
            V x = KERNEL(load)(c + 8 * j);
            for (int32_t i = 0; i < k; i++)
                x = KERNEL(subtract_product)(KERNEL(load)(a + 8 * (size_t)i),
                                             KERNEL(set)(b[THAW_LDL_GROUP * (size_t)i + (size_t)j]), x);
            for (int i = 0; t && i < j; i++)
                x = KERNEL(subtract_product)(KERNEL(load)(c + 8 * i), KERNEL(set)(t[THAW_LDL_GROUP * i + j]), x);
            if (t)
                x = KERNEL(multiply)(x, KERNEL(set)(t[(THAW_LDL_GROUP + 1) * j]));
            KERNEL(store)(c + 8 * j, x);
        }
    }
#endif
#undef REDUCE
}

// --- packing and scattering ------------------------------------------------------------------------------------------

// Nine rows lie in at most two panels: copied as two vectors a column, of which the next ones overwrite the surplus.
// The last column is copied number by number, so as not to read beyond the node.
TARGET static void KERNEL(pack)(const double *value, size_t next, int32_t row, int n, int32_t k, const double *sign,
                                double *b) {
    const double *low = value + row, *high = value + next;
    int split = 8 - row < n ? 8 - row : n, both = n > split;
    for (int32_t i = 0; i + 1 < k; i++) {
        V s = KERNEL(set)(sign ? sign[i] : 1.0);
        KERNEL(store_loose)
        (b + THAW_LDL_GROUP * (size_t)i, KERNEL(multiply)(KERNEL(load_loose)(low + 8 * (size_t)i), s));
        if (both)
            KERNEL(store_loose)
        (b + THAW_LDL_GROUP * (size_t)i + split, KERNEL(multiply)(KERNEL(load)(high + 8 * (size_t)i), s));
    }
    for (int j = 0; j < n && k > 0; j++) {
        const double *from = (j < split ? low + j : high + (j - split)) + 8 * (size_t)(k - 1);
        b[THAW_LDL_GROUP * (size_t)(k - 1) + (size_t)j] = sign ? *from * sign[k - 1] : *from;
    }
}

TARGET static void KERNEL(subtract)(int n, const ThawLdlLanding *landing, const double *c, double *target) {
#if LEVEL == 2
    for (int p = 0; p < landing->pieces; p++) {
        double *to = target + landing->panel[p];
        __m512i lane = _mm512_loadu_si512(landing->lane[p]);
        for (int j = 0; j < n; j++) {
            V old = KERNEL(load)(to + 8 * j), moved = _mm512_permutexvar_pd(lane, KERNEL(load)(c + 8 * j));
            KERNEL(store)(to + 8 * j, _mm512_mask_sub_pd(old, landing->mask[p], old, moved));
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

// --- one right-hand side ---------------------------------------------------------------------------------------------

// With a factor as it was made, and with one that thaw_ldl_halve has rounded.
#define NUMBER double
#define WIDE(p) KERNEL(load)(p)
#define SIDE(name) KERNEL(name)
#include "sparse/ldl_kernel_side.h"
#undef NUMBER
#undef WIDE
#undef SIDE
#define NUMBER float
#define WIDE(p) KERNEL(widen)(p)
#define SIDE(name) KERNEL(half_##name)
#include "sparse/ldl_kernel_side.h"
#undef NUMBER
#undef WIDE
#undef SIDE

// --- sixteen right-hand sides ----------------------------------------------------------------------------------------

INLINE void KERNEL(forward_tile)(int rows, int32_t k, const double *a, const double *y, double *c) {
    V acc[SIDE_ROWS][SIDE_LANES];
    for (int r = 0; r < rows; r++)
        for (int h = 0; h < SIDE_LANES; h++)
            acc[r][h] = KERNEL(set)(0.0);
    for (int32_t i = 0; i < k; i++, a += 8, y += THAW_LDL_SIDES)
        for (int r = 0; r < rows; r++)
            for (int h = 0; h < SIDE_LANES; h++)
                acc[r][h] = KERNEL(add_product)(KERNEL(set)(a[r]), KERNEL(load)(y + 8 * h), acc[r][h]);
    for (int r = 0; r < rows; r++)
        for (int h = 0; h < SIDE_LANES; h++)
            KERNEL(store)(c + THAW_LDL_SIDES * r + 8 * h, acc[r][h]);
}

TARGET static void KERNEL(forward_sides)(int32_t k, const double *a, const double *y, double *c) {
    for (int side = 0; side < THAW_LDL_SIDES; side += 8 * SIDE_LANES) {
        KERNEL(forward_tile)(SIDE_ROWS, k, a, y + side, c + side);
        if (SIDE_ROWS < 8)
            KERNEL(forward_tile)(8 - SIDE_ROWS, k, a + SIDE_ROWS, y + side, c + THAW_LDL_SIDES * SIDE_ROWS + side);
    }
}

INLINE void KERNEL(backward_tile)(int cols, int32_t panels, const double *a, size_t next, const double *x, double *c) {
    V acc[SIDE_ROWS][SIDE_LANES];
    for (int j = 0; j < cols; j++)
        for (int h = 0; h < SIDE_LANES; h++)
            acc[j][h] = KERNEL(set)(0.0);
    for (int32_t p = 0; p < panels; p++, a += next)
        for (int r = 0; r < 8; r++, x += THAW_LDL_SIDES)
            for (int j = 0; j < cols; j++)
                for (int h = 0; h < SIDE_LANES; h++)
                    acc[j][h] = KERNEL(add_product)(KERNEL(set)(a[8 * j + r]), KERNEL(load)(x + 8 * h), acc[j][h]);
    for (int j = 0; j < cols; j++)
        for (int h = 0; h < SIDE_LANES; h++)
            KERNEL(store)(c + THAW_LDL_SIDES * j + 8 * h, acc[j][h]);
}

TARGET static void KERNEL(backward_sides)(int32_t panels, const double *a, size_t next, const double *x, double *c) {
    for (int side = 0; side < THAW_LDL_SIDES; side += 8 * SIDE_LANES) {
        KERNEL(backward_tile)(SIDE_ROWS, panels, a, next, x + side, c + side);
        if (SIDE_ROWS < 8)
            KERNEL(backward_tile)
        (8 - SIDE_ROWS, panels, a + 8 * SIDE_ROWS, next, x + side, c + THAW_LDL_SIDES * SIDE_ROWS + side);
    }
}

static const ThawLdlKernels KERNEL(kernels) = {
    .permutes = LEVEL == 2,
    .product = KERNEL(product),
    .reduce = KERNEL(reduce),
    .pack = KERNEL(pack),
    .subtract = KERNEL(subtract),
    .forward = KERNEL(forward),
    .backward = KERNEL(backward),
    .half_forward = KERNEL(half_forward),
    .half_backward = KERNEL(half_backward),
    .forward_sides = KERNEL(forward_sides),
    .backward_sides = KERNEL(backward_sides),
};

#undef INLINE
#undef V
#undef CASES
#undef PANELS
#undef COLUMNS
#undef SIDE_ROWS
#undef SIDE_LANES
