// SPDX-License-Identifier: Apache-2.0
// What the other solvers leave: an interior point method for the contact law, slow and sure.
//
// Sweeps, gradients and Newton's method decide who touches, sticks and slides, and wander between sets that are equally
// good where rigid bodies have many hard contacts. An interior method decides nothing before the end. With De Saxce's
// change of variables (De Saxce and Feng 1998) the law of a contact with friction mu is complementarity on a cone,
//     x = (mu lambda_n, lambda_t)    z = (w_n / mu + |w_t|, w_t)    x, z in Q = {y_0 >= |y_t|},   x . z = 0,
// and z is inside Q exactly where w_n > 0. (Without friction: x = lambda_n, z = w_n, Q the numbers >= 0.) Jordan's product
// on Q smooths it: x o z = tau e, tau -> 0, is a law with one finite force for every velocity. Newton's method follows it,
// lambda and w both as unknowns, linearised at Nesterov and Todd's point (1997): W^2 x = z with
//     W^2 = sqrt(det z / det x) (2 s s' - J),   s ~ z / sqrt(det z) + J x / sqrt(det x),   det y = y_0^2 - |y_t|^2,
//     W^2 dx + dz = tau x^-1 - z,    x^-1 = J x / det x,    J = diag(1, -1, -1),
// and w = (H + gamma) lambda + b. dz = N dw, N the derivative of z, has |w_t|' in it: without that term every step solves a
// convex problem (the friction term held, Acary et al. 2011), but steps are many. In lambda alone the step is
//     (H + gamma + N^-1 W^2 dx/dlambda) dlambda = N^-1 (tau x^-1 - z) - ((H + gamma) lambda + b - w),
// each contact's own block and H: krylov.c solves it, exactly where bodies are rigid.
//
// The law is not convex, so a path need not lead to tau = 0. Steps that go only 0.6 of the way to the boundary and keep
// every contact's product within a tenth of the mean do nearly always: longer ones run into places where no direction
// leads on. Friction of rigid bodies that is not unique ends in the middle of what is possible.
//
// Cost: 20 to 40 steps, each one product with H and those of GMRES, of which rigid bodies need one or two. Friction's box
// in space is no such cone, and is left as it was.
#include <math.h>
#include <string.h>

#include "response/island.h"

#define SHORT 0.6    // share of the way to the boundary
#define NARROW 0.1   // least product of a contact, as a share of the mean
#define RISE 1.1     // of the mean in one step, which the turn of |w_t| may cause
#define NEAR 1e-6    // share of its own block that holds a step near the iterate
#define GOAL 1e-8    // of the linear equations
#define STALLED 1e-4 // two steps shorter than that: no way on
enum { STEP_WORTH = 5, PRODUCTS = 60, CUTS = 30 };

typedef struct Interior {
    ThawResponse *island;
    double *w;              // dim n: goes with lambda, w_n > 0 always, (H + gamma) lambda + b in the end
    double *side;           // dim n: right-hand side, negative
    double *change, *speed; // dim n: of lambda, and (H + gamma) times it
    int32_t cones;
} Interior;

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

static double product(const Cone *cone) {
    double sum = 0.0;
    for (int k = 0; k < cone->size; k++)
        sum += cone->x[k] * cone->z[k];
    return sum;
}

// y_n = mu (y_0 - direction . y_t), the rest as it is: N^-1.
static void from_cone(const Cone *cone, const double *w, const double *y, double *out) {
    double along = 0.0;
    for (int k = 1; k < cone->size; k++) {
        along += cone->slip > 0 ? w[k] / cone->slip * y[k] : 0.0;
        out[k] = y[k];
    }
    out[0] = cone->mu * (y[0] - along);
}

static void linearise(const Interior *in, int32_t i, double tau) {
    const ThawResponse *island = in->island;
    const int d = island->dim;
    const ThawRow *row = island->rows + i;
    const double *w = in->w + d * i, *now = island->w + d * i;
    double *side = in->side + d * i;
    ThawLink *link = island->links + i;
    *link = (ThawLink){.size = 0};
    if (row->rho[0] == 0)
        return;
    Cone cone = make_cone(d, row, island->lambda + d * i, w);
    const int m = link->size = cone.size;
    double root_x = sqrt(cone.det_x), root_z = sqrt(cone.det_z), s[3], toward[3], image[3];
    double norm = sqrt(2 * (1 + product(&cone) / (root_x * root_z)));
    for (int k = 0; k < m; k++) {
        double sign = k ? -1.0 : 1.0;
        link->C[(d + 1) * k] = link->E[(d + 1) * k] = 1.0;
        s[k] = (cone.z[k] / root_z + sign * cone.x[k] / root_x) / norm;
        toward[k] = tau * sign * cone.x[k] / cone.det_x - cone.z[k];
    }
    for (int c = 0; c < m; c++) {
        double column[3];
        for (int r = 0; r < m; r++)
            column[r] = root_z / root_x * (2 * s[r] * s[c] - (r == c ? (r ? -1.0 : 1.0) : 0.0)) * (c ? 1.0 : cone.mu);
        from_cone(&cone, w, column, image);
        for (int r = 0; r < m; r++)
            link->K[m * r + c] = image[r];
    }
    from_cone(&cone, w, toward, image);
    for (int k = 0; k < m; k++)
        side[k] = now[k] - w[k] - image[k];
}

// How far lambda and w may go along the step before one leaves its cone.
static double way_out(const Interior *in) {
    const ThawResponse *island = in->island;
    const int d = island->dim;
    double way = INFINITY;
    for (int32_t i = 0; i < island->n; i++) {
        const ThawRow *row = island->rows + i;
        const double *w = in->w + d * i, *change = in->change + d * i;
        if (row->rho[0] == 0)
            continue;
        Cone cone = make_cone(d, row, island->lambda + d * i, w);
        double dw = in->speed[d * i] + island->w[d * i] - w[0];
        if (dw < 0)
            way = fmin(way, -w[0] / dw);
        // The first root of det(x + way dx) = a way^2 + 2 b way + det x.
        double dx = cone.mu * change[0], a = dx * dx, b = cone.x[0] * dx;
        for (int k = 1; k < cone.size; k++) {
            a -= change[k] * change[k];
            b -= cone.x[k] * change[k];
        }
        if (dx < 0)
            way = fmin(way, -cone.x[0] / dx);
        double square = b * b - a * cone.det_x;
        if (square < 0)
            continue;
        double q = -(b + copysign(sqrt(square), b));
        if (a != 0 && q / a > 0)
            way = fmin(way, q / a);
        if (q > 0)
            way = fmin(way, cone.det_x / q);
    }
    return way;
}

// The mean product after a share of the step, and the least of them by sqrt(det x det z), which is tau on the path.
static double mean_product(const Interior *in, double share, double *least) {
    const ThawResponse *island = in->island;
    const int d = island->dim;
    double sum = 0.0;
    *least = INFINITY;
    for (int32_t i = 0; i < island->n; i++) {
        double lambda[3] = {0}, w[3] = {0};
        if (island->rows[i].rho[0] == 0)
            continue;
        for (int k = 0; k < d; k++) {
            int32_t at = d * i + k;
            lambda[k] = island->lambda[at] + share * in->change[at];
            w[k] = in->w[at] + share * (in->speed[at] + island->w[at] - in->w[at]);
        }
        Cone cone = make_cone(d, island->rows + i, lambda, w);
        sum += product(&cone);
        *least = fmin(*least, sqrt(fmax(cone.det_x, 0.0) * fmax(cone.det_z, 0.0)));
    }
    return sum / in->cones;
}

// From the best lambda so far, but well inside: every contact with an impulse and a speed of what the island has.
static ThawStatus begin(Interior *in) {
    ThawResponse *island = in->island;
    const int d = island->dim;
    size_t size = (size_t)d * (size_t)island->n;
    in->w = island->interior;
    in->side = in->w + size;
    in->change = in->side + size;
    in->speed = in->change + size;
    memset(in->w, 0, THAW_INTERIOR_VECTORS * size * sizeof(double));
    memcpy(island->lambda, island->best, size * sizeof(double));
    ThawStatus status = thaw_island_multiply(island, island->lambda, island->b, island->w);
    double energy = island->scale, mass = 0.0;
    for (int32_t i = 0; i < island->n && status == THAW_OK; i++) {
        const ThawRow *row = island->rows + i;
        for (int k = 0; k < d && row->rho[0] > 0; k++)
            energy += island->lambda[d * i + k] * island->lambda[d * i + k] / row->rho[k > 0];
        mass += row->rho[0];
        in->cones += row->rho[0] > 0;
    }
    double typical = mass > 0 ? sqrt(energy / mass) : 0.0;
    for (int32_t i = 0; i < island->n && status == THAW_OK; i++) {
        const ThawRow *row = island->rows + i;
        double *lambda = island->lambda + d * i, *w = in->w + d * i;
        if (row->rho[0] == 0)
            continue;
        memcpy(w, island->w + d * i, (size_t)d * sizeof *w);
        w[0] = fmax(w[0], typical);
        lambda[0] = fmax(lambda[0], row->rho[0] * typical);
        thaw_law_project(d, THAW_FRICTION_CONE, 0.5 * row->mu, lambda);
    }
    if (status == THAW_OK)
        status = thaw_island_multiply(island, island->lambda, island->b, island->w);
    return status;
}

// Takes the step as far as is good, and says how far.
static double advance(Interior *in, double mean) {
    ThawResponse *island = in->island;
    const int d = island->dim;
    double apart = 0.0, largest = 0.0, least, share = fmin(1.0, SHORT * way_out(in));
    double narrow = mean_product(in, 0.0, &least) * NARROW <= least ? NARROW : 0.0;
    for (int32_t i = 0; i < d * island->n; i++) {
        apart = fmax(apart, fabs(island->w[i] - in->w[i]));
        largest = fmax(largest, fabs(island->w[i]));
    }
    for (int cut = 0; cut < CUTS; cut++) {
        double next = mean_product(in, share, &least);
        if (least >= narrow * next && (next <= RISE * mean || apart > 1e-6 * largest))
            break;
        share *= 0.8;
    }
    for (int32_t i = 0; i < d * island->n; i++) {
        in->w[i] += share * (in->speed[i] + island->w[i] - in->w[i]);
        island->lambda[i] += share * in->change[i];
        island->w[i] += share * in->speed[i];
    }
    for (int32_t i = 0; i < island->n; i++) // tangents without friction: whatever they are
        for (int k = 1; k < d && island->rows[i].mu == 0; k++)
            in->w[d * i + k] = island->w[d * i + k];
    return share;
}

ThawStatus thaw_interior_solve(ThawResponse *island) {
    const ThawResponseOptions *options = island->options;
    Interior in = {.island = island};
    if (island->dim == 3 && options->friction == THAW_FRICTION_BOX)
        return THAW_OK;
    // A step by elimination is judged by its number, one by products by theirs.
    int32_t steps = options->iterations / STEP_WORTH, end = island->used + 2 * options->iterations, direct = 0;
    ThawStatus status = begin(&in);
    double sigma = 0.5, share = 1.0, residual = INFINITY;
    for (int32_t step = 0; step < steps && status >= 0 && in.cones > 0 && (direct || island->used + 2 < end); step++) {
        double least, mean = mean_product(&in, 0.0, &least), before = share;
        for (int32_t i = 0; i < island->n; i++)
            linearise(&in, i, sigma * mean);
        memset(in.change, 0, (size_t)island->dim * (size_t)island->n * sizeof(double));
        direct = thaw_direct_suits(island);
        if (direct) {
            status = thaw_direct_solve(island, in.side, NEAR, in.change);
        } else {
            int32_t left = end - island->used - 1;
            status = thaw_krylov_solve(island, in.side, NEAR, GOAL, left < PRODUCTS ? left : PRODUCTS, in.change);
        }
        if (status >= 0)
            status = thaw_island_multiply(island, in.change, NULL, in.speed);
        if (status < 0)
            break;
        share = advance(&in, mean);
        residual = thaw_island_residual(island, island->w, island->lambda);
        if (residual <= options->tolerance || !isfinite(residual) || fmax(share, before) < STALLED)
            break;
        sigma = share > 0.9 ? 0.1 : share > 0.5 ? 0.3 : share > 0.1 ? 0.7 : 1.0;
    }
    return status;
}
