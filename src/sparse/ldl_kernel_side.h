// SPDX-License-Identifier: Apache-2.0
// The kernels' bodies for one right-hand side, included by ldl_kernel_body.h for factors of NUMBER: eight of them are
// read as doubles by WIDE, and all arithmetic is that of doubles. SIDE(name) gives a function its name.

TARGET static void SIDE(forward)(int32_t nc, int32_t panels, const NUMBER *value, const double *reciprocal, double *x) {
    size_t next = 8 * (size_t)nc;
    int32_t p = 0;
    for (; 8 * p < nc; p++, value += next) {
        V sum = KERNEL(load)(x + 8 * p);
        int32_t k = 0;
        for (; k < 8 * p; k++)
            sum = KERNEL(subtract_product)(WIDE(value + 8 * (size_t)k), KERNEL(set)(x[k]), sum);
        KERNEL(store)(x + 8 * p, sum);
        for (; k < nc && k < 8 * p + 8; k++) {
            const NUMBER *a = value + 8 * (size_t)k - 8 * p;
            double xk = x[k] *= reciprocal[k];
            for (int32_t i = k + 1; i < 8 * p + 8; i++)
                x[i] -= a[i] * xk;
        }
    }
    // Four panels at once: four chains of operations hide their latency.
    for (; p + 4 <= panels; p += 4, value += 4 * next) {
        V sum[4];
        for (int h = 0; h < 4; h++)
            sum[h] = KERNEL(set)(0.0);
        for (int32_t k = 0; k < nc; k++)
            for (int h = 0; h < 4; h++)
                sum[h] =
                    KERNEL(subtract_product)(WIDE(value + (size_t)h * next + 8 * (size_t)k), KERNEL(set)(x[k]), sum[h]);
        for (int h = 0; h < 4; h++)
            KERNEL(store)(x + 8 * (p + h), sum[h]);
    }
    for (; p < panels; p++, value += next) {
        V sum = KERNEL(set)(0.0);
        for (int32_t k = 0; k < nc; k++)
            sum = KERNEL(subtract_product)(WIDE(value + 8 * (size_t)k), KERNEL(set)(x[k]), sum);
        KERNEL(store)(x + 8 * p, sum);
    }
}

// sums[j] += A_j . x for n columns (8, or a constant 1) of all panels.
INLINE void SIDE(dot_columns)(int n, int32_t panels, const NUMBER *a, size_t next, const double *x, double *sums) {
    V acc[8];
    for (int j = 0; j < n; j++)
        acc[j] = KERNEL(set)(0.0);
    for (int32_t p = 0; p < panels; p++, a += next, x += 8)
        for (int j = 0; j < n; j++)
            acc[j] = KERNEL(add_product)(WIDE(a + 8 * j), KERNEL(load)(x), acc[j]);
    for (int j = 0; j < n; j++) {
        _Alignas(64) double l[8];
        KERNEL(store)(l, acc[j]);
        sums[j] = ((l[0] + l[4]) + (l[1] + l[5])) + ((l[2] + l[6]) + (l[3] + l[7]));
    }
}

TARGET static void SIDE(backward)(int32_t nc, int32_t panels, const NUMBER *value, const double *reciprocal,
                                  double *x) {
    size_t next = 8 * (size_t)nc;
    for (int32_t q = (nc - 1) / 8; q >= 0; q--) {
        int32_t n = nc - 8 * q < 8 ? nc - 8 * q : 8, below = panels - q - 1;
        double sums[8];
        const NUMBER *triangle = value + (size_t)q * next + 64 * (size_t)q, *a = triangle + next;
        if (n == 8)
            SIDE(dot_columns)(8, below, a, next, x + 8 * (q + 1), sums);
        else
            for (int32_t j = 0; j < n; j++)
                SIDE(dot_columns)(1, below, a + 8 * j, next, x + 8 * (q + 1), sums + j);
        for (int32_t j = n - 1; j >= 0; j--) {
            double xj = x[8 * q + j] - sums[j];
            for (int32_t i = 7; i > j; i--)
                xj -= triangle[8 * j + i] * x[8 * q + i];
            x[8 * q + j] = xj * reciprocal[8 * q + j];
        }
    }
}
