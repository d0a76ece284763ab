// SPDX-License-Identifier: Apache-2.0
// The law of a single contact: unilateral normal, Coulomb friction; of an attachment (mu infinite): w = 0. With w = u +
// k_b Phi + gamma lambda (normal) and w = u + k_t drift + gamma_t lambda (tangents),
//     0 <= lambda_n _|_ w_n >= 0,    |lambda_t| <= mu lambda_n,    w_t = -s lambda_t with s >= 0, and s = 0 inside.
//
// Residual: Alart and Curnier's map (1991), lambda = P(lambda - rho w), P the projection on lambda_n >= 0 and then on
// the disc of radius mu lambda_n. The projected lambda_n sets the radius, so that a contact that opens or closes is
// seen at once.
//
// One contact with all others held: normal first (equation 14 of the solids paper, with the errata's sign), then the
// tangents jointly: the minimum of x'Dx/2 + c'x in the disc of radius mu lambda_n. Inside, -D^-1 c; on the rim,
// (D + kappa) x = -c with the kappa >= 0 that makes |x| the radius, found by Newton's method on 1/|x|, which is concave
// in kappa: from below it converges without safeguards (More and Sorensen 1983). Scaling -D^-1 c back to the rim, the
// usual shortcut, would end with slip and friction not opposite wherever D is not round.
#include <math.h>

#include "response/island.h"

static double clamp(double a, double limit) { return a > limit ? limit : a < -limit ? -limit : a; }

void thaw_law_project(int dim, ThawFriction friction, double mu, double *lambda) {
    if (isinf(mu)) // two-sided
        return;
    lambda[0] = lambda[0] > 0 ? lambda[0] : 0.0;
    double radius = mu * lambda[0];
    if (dim == 2 || friction == THAW_FRICTION_BOX) {
        for (int k = 1; k < dim; k++)
            lambda[k] = clamp(lambda[k], radius);
        return;
    }
    double size = hypot(lambda[1], lambda[2]);
    if (size > radius * (1 + 1e-14)) { // what is on the rim keeps its bits
        lambda[1] *= radius / size;
        lambda[2] *= radius / size;
    }
}

void thaw_response_residual(int dim, ThawFriction friction, double mu, const double rho[2], const double *w,
                            const double *lambda, double *r) {
    double target[3];
    for (int k = 0; k < dim; k++)
        target[k] = lambda[k] - rho[k > 0] * w[k];
    thaw_law_project(dim, friction, mu, target);
    for (int k = 0; k < dim; k++)
        r[k] = lambda[k] - target[k];
}

// The minimum of x'Dx/2 + c'x in the disc, D given by its axes.
static void solve_disc(const ThawRow *row, double radius, const double c[2], double x[2]) {
    const double *a = row->axis, *e = row->stretch;
    double p = a[0] * c[0] + a[1] * c[1], q = a[0] * c[1] - a[1] * c[0];
    double kappa = 0.0, y0 = -p / e[0], y1 = -q / e[1];
    if (y0 * y0 + y1 * y1 > radius * radius) {
        kappa = fmax(0.0, hypot(p, q) / radius - e[0]);
        for (int i = 0; i < 30; i++) {
            y0 = -p / (e[0] + kappa);
            y1 = -q / (e[1] + kappa);
            double square = y0 * y0 + y1 * y1, size = sqrt(square);
            if (size <= radius * (1 + 1e-15))
                break;
            kappa += (size / radius - 1) * square / (y0 * y0 / (e[0] + kappa) + y1 * y1 / (e[1] + kappa));
        }
        double shrink = radius / hypot(y0, y1);
        y0 *= shrink;
        y1 *= shrink;
    }
    x[0] = a[0] * y0 - a[1] * y1;
    x[1] = a[1] * y0 + a[0] * y1;
}

// lambda -= D^-1 w: D is symmetric and positive, so elimination needs no pivots.
THAW_SELDOM void solve_two_sided(int dim, const double *D, const double *w, double *lambda) {
    double A[3][4];
    for (int i = 0; i < dim; i++) {
        for (int k = 0; k < dim; k++)
            A[i][k] = D[dim * i + k];
        A[i][dim] = w[i];
    }
    for (int i = 0; i < dim; i++)
        for (int r = i + 1; r < dim; r++)
            for (int k = dim; k >= i; k--)
                A[r][k] -= A[r][i] / A[i][i] * A[i][k];
    for (int i = dim - 1; i >= 0; i--) {
        for (int k = i + 1; k < dim; k++)
            A[i][dim] -= A[i][k] * A[k][dim];
        A[i][dim] /= A[i][i];
        lambda[i] -= A[i][dim];
    }
}

void thaw_law_solve(int dim, ThawFriction friction, const ThawRow *row, const double *w, double *lambda) {
    if (row->rho[0] == 0)
        return;
    const double *D = row->D;
    if (isinf(row->mu)) {
        solve_two_sided(dim, D, w, lambda);
        return;
    }
    double normal = lambda[0] - w[0] * row->rho[0];
    normal = normal > 0 ? normal : 0.0;
    double change = normal - lambda[0], radius = row->mu * normal;
    lambda[0] = normal;
    if (radius == 0) {
        for (int k = 1; k < dim; k++)
            lambda[k] = 0.0;
    } else if (dim == 2) {
        lambda[1] = clamp(lambda[1] - (w[1] + D[2] * change) * row->rho[1], radius);
    } else if (friction == THAW_FRICTION_BOX) {
        double first = clamp(lambda[1] - (w[1] + D[3] * change) / D[4], radius);
        double second = clamp(lambda[2] - (w[2] + D[6] * change + D[7] * (first - lambda[1])) / D[8], radius);
        lambda[1] = first;
        lambda[2] = second;
    } else {
        double c[2] = {w[1] + D[3] * change - D[4] * lambda[1] - D[5] * lambda[2],
                       w[2] + D[6] * change - D[7] * lambda[1] - D[8] * lambda[2]};
        solve_disc(row, radius, c, lambda + 1);
    }
}
