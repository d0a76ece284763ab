// SPDX-License-Identifier: Apache-2.0
// Symmetric scaling S A S after Curtis and Reid (1972; shells paper, 4.2, two-sided as the erratum has it): with
// S = diag(2^g) the exponents g make the entries of S A S as near to 1 as can be,
//     least of    sum over a_ij of (log2 |a_ij| + g_i + g_j)^2,
// a linear least-squares problem whose equations (N + E) g = -l (N the rows' numbers of entries, E the pattern, l the
// rows' sums of log2 |a_ij|) a few steps of conjugate gradients solve, as in the paper. Exponents are rounded to whole
// ones, so that scaling makes no rounding error: of logarithms, the binary exponents of entries are enough.
//
// What it does to conjugate gradients with our incomplete factor: nothing but where they stop. The factor's pivots are
// whole blocks, so that of S A S is S times that of A, and every iterate is the same to the bit; |S r| takes the place
// of |r|, in which forces and torques, of stiff and of soft elements, count alike.
//
// Cost: one pass over the matrix to take exponents, and one for each of STEPS steps.
#include <math.h>

#include "sparse/sparse_impl.h"

enum { STEPS = 12 };

// Entry (r, c) of a block at rows i, j counts: what is next to nothing beside the diagonals is rounding, or a coupling
// that hardly is one, and its logarithm would outweigh all others.
static const double LEAST = 0x1p-20;

static int counts(const ThawBlockMatrix *A, int32_t e, int32_t i, size_t r, size_t c) {
    const size_t bs = (size_t)A->pattern->bs;
    const int32_t *row = A->pattern->row, j = A->pattern->col[e];
    const double a = A->value[(size_t)e * bs * bs + bs * r + c];
    const double p = A->value[((size_t)row[i + 1] - 1) * bs * bs + (bs + 1) * r];
    const double q = A->value[((size_t)row[j + 1] - 1) * bs * bs + (bs + 1) * c];
    return a * a > LEAST * LEAST * fabs(p) * fabs(q) && isfinite(a);
}

// y = (N + E) g; and, where l is given, l and the rows' numbers of entries N.
static void multiply(const ThawBlockMatrix *A, const double *g, double *y, double *l, double *N) {
    const ThawBlockPattern *pattern = A->pattern;
    const size_t bs = (size_t)pattern->bs, size = bs * (size_t)pattern->n;
    for (size_t i = 0; i < size; i++) {
        y[i] = 0;
        if (l)
            l[i] = N[i] = 0;
    }
    for (int32_t i = 0; i < pattern->n; i++)
        for (int32_t e = pattern->row[i]; e < pattern->row[i + 1]; e++) {
            const double *a = A->value + (size_t)e * bs * bs;
            const size_t first = bs * (size_t)i, other = bs * (size_t)pattern->col[e];
            for (size_t r = 0; r < bs; r++)
                for (size_t c = 0; c < bs; c++) {
                    const size_t p = first + r, q = other + c;
                    if (!counts(A, e, i, r, c))
                        continue;
                    const double exponent = l ? ilogb(a[bs * r + c]) + 0.5 : 0;
                    y[p] += g[p] + g[q];
                    y[q] += first == other ? 0 : g[p] + g[q]; // the mirror image is stored in the diagonal's block
                    if (l) {
                        l[p] += exponent;
                        l[q] += first == other ? 0 : exponent;
                        N[p] += 1;
                        N[q] += first != other;
                    }
                }
        }
}

static double dot(size_t size, const double *a, const double *b) {
    double sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += a[i] * b[i];
    return sum;
}

// s = 2^g of every scalar row. scratch: 5 bs n.
static void find_scales(const ThawBlockMatrix *A, double *s, double *scratch) {
    const size_t size = (size_t)A->pattern->bs * (size_t)A->pattern->n;
    double *g = s, *r = scratch, *p = r + size, *q = p + size, *N = q + size, *z = N + size, before = 0;
    memset(g, 0, size * sizeof *g);
    multiply(A, g, q, r, N);
    for (size_t i = 0; i < size; i++) {
        r[i] = -r[i];
        N[i] = N[i] > 0 ? N[i] : 1;
        p[i] = 0;
    }
    const double start = dot(size, r, r);
    for (int k = 0; k < STEPS && dot(size, r, r) > 1e-8 * start; k++) {
        for (size_t i = 0; i < size; i++)
            z[i] = r[i] / (2 * N[i]);
        const double rz = dot(size, r, z), beta = k > 0 ? rz / before : 0;
        before = rz;
        for (size_t i = 0; i < size; i++)
            p[i] = z[i] + beta * p[i];
        multiply(A, p, q, NULL, NULL);
        const double curvature = dot(size, p, q), alpha = curvature > 0 ? rz / curvature : 0;
        if (!(alpha > 0))
            break;
        for (size_t i = 0; i < size; i++) {
            g[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
    }
    const int most = 300; // products of two of them and an entry stay finite
    for (size_t i = 0; i < size; i++)
        s[i] = ldexp(1, (int)fmin(most, fmax(-most, isfinite(g[i]) ? round(g[i]) : 0)));
}

void thaw_scale_matrix(const ThawBlockMatrix *A, double *s, double *scaled, double *scratch) {
    const ThawBlockPattern *pattern = A->pattern;
    const size_t bs = (size_t)pattern->bs;
    find_scales(A, s, scratch);
    for (int32_t i = 0; i < pattern->n; i++)
        for (int32_t e = pattern->row[i]; e < pattern->row[i + 1]; e++)
            for (size_t r = 0; r < bs; r++)
                for (size_t c = 0; c < bs; c++) {
                    const size_t at = (size_t)e * bs * bs + bs * r + c;
                    scaled[at] = s[bs * (size_t)i + r] * A->value[at] * s[bs * (size_t)pattern->col[e] + c];
                }
}
