// SPDX-License-Identifier: Apache-2.0
// The law of a contact with Coulomb's cone, smoothed for interior.c. With De Saxce's change of variables (De Saxce and
// Feng 1998) it is complementarity on a cone,
//     x = (mu lambda_n, lambda_t)    z = (w_n / mu + |w_t|, w_t)    x, z in Q = {y_0 >= |y_t|},   x . z = 0,
// and z is inside Q exactly where w_n > 0. (Without friction: x = lambda_n, z = w_n, Q the numbers >= 0.) Jordan's
// product on Q smooths it: x o z = tau e is a law with one finite force for every velocity. It is linearised at
// Nesterov and Todd's point (1997): W^2 x = z with
//     W^2 = sqrt(det z / det x) (2 s s' - J),   s ~ z / sqrt(det z) + J x / sqrt(det x),   det y = y_0^2 - |y_t|^2,
//     W^2 dx + dz = tau x^-1 - z,    x^-1 = J x / det x,    J = diag(1, -1, -1).
// dz = N dw, N the derivative of z, has |w_t|' in it: without that term every step solves a convex problem (the
// friction term held, Acary et al. 2011), but steps are many. N^-1 from the left makes it K dlambda + dw = toward.
//
// What interior.c keeps beside lambda is w.
#include <math.h>
#include <string.h>

#include "response/interior.h"

// A contact on its cone.
typedef struct Cone {
    int size;  // 1 without friction
    double mu; // x_0 / lambda_n
    double x[3], z[3];
    double det_x, det_z;
    double slip; // |w_t|
} Cone;

static Cone make_cone(int d, const ThawRow *row, const double *lambda, const double *w) {
    Cone cone = {.size = row->mu > 0 ? d : 1, .mu = row->mu > 0 ? row->mu : 1.0};
    double tail = 0.0;
    for (int k = 1; k < cone.size; k++) {
        cone.x[k] = lambda[k];
        cone.z[k] = w[k];
        tail = hypot(tail, lambda[k]);
        cone.slip = hypot(cone.slip, w[k]);
    }
    double rise = w[0] / cone.mu;
    cone.x[0] = cone.mu * lambda[0];
    cone.z[0] = rise + cone.slip;
    cone.det_x = (cone.x[0] - tail) * (cone.x[0] + tail);
    cone.det_z = rise * (rise + 2 * cone.slip); // = z_0^2 - slip^2, without the difference
    return cone;
}

static double dot(const Cone *cone) {
    double sum = 0.0;
    for (int k = 0; k < cone->size; k++)
        sum += cone->x[k] * cone->z[k];
    return sum;
}

// y_n = mu (y_0 - direction . y_t), the rest as it is: N^-1.
static void from_cone(const Cone *cone, const double *y, double *out) {
    double along = 0.0;
    for (int k = 1; k < cone->size && k < 3; k++) { // size is 3 at most
        along += cone->slip > 0 ? cone->z[k] / cone->slip * y[k] : 0.0;
        out[k] = y[k];
    }
    out[0] = cone->mu * (y[0] - along);
}

static void begin_cone(int d, const ThawRow *row, const double *w, double *z) {
    (void)row;
    memcpy(z, w, (size_t)d * sizeof *z);
}

static void speed_cone(int d, const ThawRow *row, const double *z, double *w) {
    (void)row;
    memcpy(w, z, (size_t)d * sizeof *w);
}

static void linearise_cone(int d, const ThawRow *row, const double *lambda, const double *w, double tau, ThawLink *link,
                           double *toward) {
    Cone cone = make_cone(d, row, lambda, w);
    const int m = link->size = cone.size;
    double root_x = sqrt(cone.det_x), root_z = sqrt(cone.det_z), s[3], way[3], image[3];
    double norm = sqrt(2 * (1 + dot(&cone) / (root_x * root_z)));
    for (int k = 0; k < m; k++) {
        double sign = k ? -1.0 : 1.0;
        link->C[(d + 1) * k] = link->E[(d + 1) * k] = 1.0;
        s[k] = (cone.z[k] / root_z + sign * cone.x[k] / root_x) / norm;
        way[k] = tau * sign * cone.x[k] / cone.det_x - cone.z[k];
    }
    for (int c = 0; c < m; c++) {
        double column[3];
        for (int r = 0; r < m; r++)
            column[r] = root_z / root_x * (2 * s[r] * s[c] - (r == c ? (r ? -1.0 : 1.0) : 0.0)) * (c ? 1.0 : cone.mu);
        from_cone(&cone, column, image);
        for (int r = 0; r < m; r++)
            link->K[m * r + c] = image[r];
    }
    from_cone(&cone, way, toward);
}

static void follow_cone(int d, const ThawRow *row, const double *lambda, const double *w, double tau,
                        const double *dlambda, const double *dw, double *dz) {
    (void)row, (void)lambda, (void)w, (void)tau, (void)dlambda;
    memcpy(dz, dw, (size_t)d * sizeof *dz);
}

static double way_cone(int d, const ThawRow *row, const double *lambda, const double *w, const double *dlambda,
                       const double *dw) {
    Cone cone = make_cone(d, row, lambda, w);
    double way = dw[0] < 0 ? -w[0] / dw[0] : INFINITY;
    // The first root of det(x + way dx) = a way^2 + 2 b way + det x.
    double dx = cone.mu * dlambda[0], a = dx * dx, b = cone.x[0] * dx;
    for (int k = 1; k < cone.size; k++) {
        a -= dlambda[k] * dlambda[k];
        b -= cone.x[k] * dlambda[k];
    }
    if (dx < 0)
        way = fmin(way, -cone.x[0] / dx);
    double square = b * b - a * cone.det_x;
    if (square < 0)
        return way;
    double q = -(b + copysign(sqrt(square), b));
    if (a != 0 && q / a > 0)
        way = fmin(way, q / a);
    return q > 0 ? fmin(way, cone.det_x / q) : way;
}

static double product_cone(int d, const ThawRow *row, const double *lambda, const double *w, int *count,
                           double *least) {
    Cone cone = make_cone(d, row, lambda, w);
    *count = 1;
    *least = sqrt(fmax(cone.det_x, 0.0) * fmax(cone.det_z, 0.0)); // tau on the path
    return dot(&cone);
}

const ThawSmooth thaw_smooth_cone = {begin_cone, speed_cone, linearise_cone, follow_cone, way_cone, product_cone};
