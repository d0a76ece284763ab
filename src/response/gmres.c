// SPDX-License-Identifier: Apache-2.0
// GMRES (Saad and Schultz 1986) for a matrix that is only multiplied with.
#include <math.h>
#include <string.h>

#include "response/island.h"

static double dot(int32_t n, const double *a, const double *b) {
    enum { WIDTH = 32 }; // sums that do not wait for each other
    double sum[WIDTH] = {0};
    int32_t i = 0;
    for (; i + WIDTH <= n; i += WIDTH)
        for (int k = 0; k < WIDTH; k++)
            sum[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        sum[i % WIDTH] += a[i] * b[i];
    for (int half = WIDTH / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++)
            sum[k] += sum[k + half];
    return sum[0];
}

ThawStatus thaw_gmres(const ThawGmres *problem, double goal, int32_t products, double *share, int32_t *used) {
    const int32_t n = problem->size, steps = products < THAW_GMRES_MOST ? products : THAW_GMRES_MOST;
    double h[THAW_GMRES_MOST + 1][THAW_GMRES_MOST], g[THAW_GMRES_MOST + 1] = {0}, cosine[THAW_GMRES_MOST],
                                                                        sine[THAW_GMRES_MOST];
    double *basis = problem->basis, start = sqrt(dot(n, basis, basis));
    *used = 0;
    g[0] = start;
    for (int32_t i = 0; i < n && start > 0; i++)
        basis[i] /= start;
    for (int32_t j = 0; j < steps && start > 0; j++) {
        double *next = basis + (size_t)(j + 1) * (size_t)n;
        ThawStatus status = problem->multiply(problem->context, j, basis + (size_t)j * (size_t)n, next);
        if (status < 0)
            return status;
        double before = sqrt(dot(n, next, next));
        for (int32_t i = 0; i <= j; i++)
            h[i][j] = 0.0;
        double size = before, last = INFINITY;
        // Again where much cancelled: small eigenvalues need a basis that is orthogonal to rounding.
        for (int again = 0; again < 2 && size < 0.5 * last; again++) {
            last = size;
            for (int32_t i = 0; i <= j; i++) {
                const double *old = basis + (size_t)i * (size_t)n;
                double part = dot(n, next, old);
                h[i][j] += part;
                for (int32_t k = 0; k < n; k++)
                    next[k] -= part * old[k];
            }
            size = sqrt(dot(n, next, next));
        }
        h[j + 1][j] = size;
        for (int32_t k = 0; k < n && size > 0; k++)
            next[k] /= size;
        for (int32_t i = 0; i < j; i++) {
            double upper = h[i][j], lower = h[i + 1][j];
            h[i][j] = cosine[i] * upper + sine[i] * lower;
            h[i + 1][j] = cosine[i] * lower - sine[i] * upper;
        }
        double r = hypot(h[j][j], h[j + 1][j]);
        if (r <= 1e-12 * before) // nothing new: the range of a singular matrix is exhausted
            break;
        cosine[j] = h[j][j] / r;
        sine[j] = h[j + 1][j] / r;
        h[j][j] = r;
        g[j + 1] = -sine[j] * g[j];
        g[j] *= cosine[j];
        *used = j + 1;
        if (fabs(g[j + 1]) <= goal * start || size <= 1e-13 * before)
            break;
    }
    for (int32_t i = *used - 1; i >= 0; i--) {
        share[i] = g[i];
        for (int32_t k = i + 1; k < *used; k++)
            share[i] -= h[i][k] * share[k];
        share[i] /= h[i][i];
    }
    return THAW_OK;
}

void thaw_gmres_sum(int32_t n, const double *vectors, const double *share, int32_t used, double *sum) {
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (int32_t i = 0; i < used; i++)
        for (int32_t k = 0; k < n; k++)
            sum[k] += share[i] * vectors[(size_t)i * (size_t)n + (size_t)k];
}
