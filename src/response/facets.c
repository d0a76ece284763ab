// SPDX-License-Identifier: Apache-2.0
// The law of a contact whose friction is bounded by planes, smoothed for interior.c: friction in the plane, and the box
// in space. Each tangent has two bounds, a+- = mu lambda_n -+ lambda_t >= 0, and slides away from each, w_t = s- - s+:
//     lambda_n w_n = tau,    a+ s+ = tau,    a- s- = tau,    all six > 0,
// and tau = 0 is the law. z = (w_n, s+, s-, and s+, s- of the second tangent). Without friction the first alone is
// left.
//
// Newton's equations of a pair, a ds + s da = tau - a s, give ds and so
//     dw_n + (w_n / lambda_n) dlambda_n = tau / lambda_n - w_n
//     dw_t + (q- + q+) dlambda_t + mu (q- - q+) dlambda_n = tau / a- - tau / a+ - w_t,    q = s / a.
#include <math.h>
#include <string.h>

#include "response/interior.h"

// Pairs of a contact: x and z, their number.
static int make_pairs(int d, const ThawRow *row, const double *lambda, double *x) {
    x[0] = lambda[0];
    if (row->mu == 0)
        return 1;
    for (int k = 1; k < d; k++) {
        x[2 * k - 1] = row->mu * lambda[0] - lambda[k];
        x[2 * k] = row->mu * lambda[0] + lambda[k];
    }
    return 2 * d - 1;
}

static void begin_facets(int d, const ThawRow *row, const double *w, double *z) {
    (void)row;
    z[0] = w[0];
    for (int k = 1; k < d; k++) {
        z[2 * k - 1] = w[0] + fmax(-w[k], 0.0);
        z[2 * k] = w[0] + fmax(w[k], 0.0);
    }
}

static void speed_facets(int d, const ThawRow *row, const double *z, double *w) {
    (void)row;
    w[0] = z[0];
    for (int k = 1; k < d; k++)
        w[k] = z[2 * k] - z[2 * k - 1];
}

static void linearise_facets(int d, const ThawRow *row, const double *lambda, const double *z, double tau,
                             ThawLink *link, double *toward) {
    double x[THAW_SMOOTH_SIZE];
    const int m = link->size = make_pairs(d, row, lambda, x) > 1 ? d : 1;
    for (int k = 0; k < m; k++)
        link->C[(d + 1) * k] = link->E[(d + 1) * k] = 1.0;
    link->K[0] = z[0] / x[0];
    toward[0] = tau / x[0] - z[0];
    for (int k = 1; k < m; k++) {
        double upper = z[2 * k - 1] / x[2 * k - 1], lower = z[2 * k] / x[2 * k];
        link->K[m * k] = row->mu * (lower - upper);
        link->K[(m + 1) * k] = lower + upper;
        toward[k] = tau / x[2 * k] - tau / x[2 * k - 1] - (z[2 * k] - z[2 * k - 1]);
    }
}

static void follow_facets(int d, const ThawRow *row, const double *lambda, const double *z, double tau,
                          const double *dlambda, const double *dw, double *dz) {
    double x[THAW_SMOOTH_SIZE], dx[THAW_SMOOTH_SIZE];
    const int pairs = make_pairs(d, row, lambda, x);
    make_pairs(d, row, dlambda, dx);
    dz[0] = dw[0];
    for (int k = 1; k < pairs; k++)
        dz[k] = (tau - z[k] * dx[k]) / x[k] - z[k];
}

static double way_facets(int d, const ThawRow *row, const double *lambda, const double *z, const double *dlambda,
                         const double *dz) {
    double x[THAW_SMOOTH_SIZE], dx[THAW_SMOOTH_SIZE], way = INFINITY;
    const int pairs = make_pairs(d, row, lambda, x);
    make_pairs(d, row, dlambda, dx);
    for (int k = 0; k < pairs; k++) {
        if (dx[k] < 0)
            way = fmin(way, -x[k] / dx[k]);
        if (dz[k] < 0)
            way = fmin(way, -z[k] / dz[k]);
    }
    return way;
}

static double product_facets(int d, const ThawRow *row, const double *lambda, const double *z, int *count,
                             double *least) {
    double x[THAW_SMOOTH_SIZE], sum = 0.0;
    *count = make_pairs(d, row, lambda, x);
    *least = INFINITY;
    for (int k = 0; k < *count; k++) {
        sum += x[k] * z[k];
        *least = fmin(*least, x[k] * z[k]);
    }
    return sum;
}

const ThawSmooth thaw_smooth_facets = {begin_facets,  speed_facets, linearise_facets,
                                       follow_facets, way_facets,   product_facets};
