// SPDX-License-Identifier: Apache-2.0
// A nonsmooth Newton method for the contact law, in turns with sweeps or gradients.
//
// The map lambda - P(lambda - rho w) (law.c) says of each contact whether it is open, sticks or slides. With these
// states fixed each contact has few unknowns d and as many equations E w = 0:
//     open    none, lambda = 0
//     sticks  lambda free,                             w = 0
//     slides  lambda = s (n + mu tau) + beta t,        w_n = 0,  w_t . t + (|w_t| / (mu s)) beta = 0
// with tau the direction of friction, t at right angles to it. The last equation turns friction with slip: friction
// stays opposite to w_t as both change. In 2D t is absent; with a box each tangent sticks or sits at its bound by
// itself. This is Alart and Curnier's Newton method (1991) with the unknowns that are bound eliminated, so that stick
// contacts leave a symmetric system and only sliding ones make it unsymmetric.
//
// krylov.c solves for d.
//
// The step is taken whole, though the residual often rises by it: contacts that changed sides are put right by the
// sweeps (or gradient steps) that follow, and only then it is judged. Shortening it by the residual instead was tried
// and stalls on towers of hard boxes. Where a step does not pay, compliant contacts go on by shorter steps of another
// kind (compliant.c); if that does not end it either, or contacts are hard, more sweeps come before the next step.
#include <math.h>
#include <string.h>

#include "response/island.h"

#define NEAR 1e-6 // share of its own block that holds a step near the iterate
#define GOOD 100  // tolerances: a warm start by which nearly all contacts know whether they touch, stick or slide
enum { PRODUCTS = 120 };

static void add_unknown(int d, ThawLink *link, const double *C, const double *E) {
    memcpy(link->C + d * link->size, C, (size_t)d * sizeof *C);
    memcpy(link->E + d * link->size, E, (size_t)d * sizeof *E);
    link->size++;
}

void thaw_newton_classify(const ThawResponse *island, const ThawRow *row, const double rho[2], const double *w,
                          double *lambda, ThawLink *link) {
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int d = island->dim;
    *link = (ThawLink){.size = 0};
    double normal = lambda[0] - rho[0] * w[0];
    if (isinf(row->mu)) { // two-sided: w = 0, whatever it takes
        for (int k = 0; k < d; k++)
            add_unknown(d, link, axes[k], axes[k]);
        return;
    }
    if (row->rho[0] == 0 || normal <= 0) {
        memset(lambda, 0, (size_t)d * sizeof *lambda);
        return;
    }
    double radius = row->mu * normal, held = lambda[0] > 0 ? lambda[0] : 0.0, y[3];
    double C[3] = {1, 0, 0}, turn[3] = {0}, stiffness = 0.0;
    int bound[3] = {0}, turns = 0;
    for (int k = 1; k < d; k++)
        y[k] = lambda[k] - rho[1] * w[k];
    if (d == 2 || island->options->friction == THAW_FRICTION_BOX) {
        for (int k = 1; k < d; k++)
            if (row->mu == 0 || fabs(y[k]) > radius) {
                bound[k] = 1;
                C[k] = y[k] > 0 ? row->mu : -row->mu;
            }
    } else {
        double size = hypot(y[1], y[2]);
        if (row->mu == 0 || size > radius) {
            bound[1] = bound[2] = 1;
            turns = row->mu > 0;
            stiffness = turns ? hypot(w[1], w[2]) / radius : 0.0;
            C[1] = turns ? row->mu * y[1] / size : 0.0;
            C[2] = turns ? row->mu * y[2] / size : 0.0;
            turn[1] = -C[2] / (turns ? row->mu : 1.0);
            turn[2] = C[1] / (turns ? row->mu : 1.0);
        }
    }
    add_unknown(d, link, C, axes[0]);
    lambda[0] = held;
    for (int k = 1; k < d; k++)
        if (bound[k])
            lambda[k] = C[k] * held;
        else
            add_unknown(d, link, axes[k], axes[k]);
    if (turns) { // its size is 2 now
        add_unknown(d, link, turn, turn);
        link->K[3] = stiffness;
    }
}

// One step from lambda, w at the cost of at most `products` with H; residual: before, and after.
static ThawStatus take_step(ThawResponse *island, int32_t products, double *residual) {
    int d = island->dim;
    size_t size = (size_t)d * (size_t)island->n;
    double *trial = island->trial, *trial_w = island->trial_w;
    memcpy(trial, island->lambda, size * sizeof *trial);
    for (int32_t i = 0; i < island->n; i++)
        thaw_newton_classify(island, island->rows + i, island->rows[i].rho, island->w + d * i, trial + d * i,
                             island->links + i);
    ThawStatus status = THAW_OK;
    if (memcmp(trial, island->lambda, size * sizeof *trial) != 0)
        status = thaw_island_multiply(island, trial, island->b, trial_w);
    else
        memcpy(trial_w, island->w, size * sizeof *trial_w);
    if (status < 0)
        return status;
    double goal = fmax(1e-2, fmin(0.1, 0.1 * island->options->tolerance / *residual));
    status = thaw_krylov_solve(island, trial_w, NEAR, goal, products - 2, trial);
    if (status < 0)
        return status;
    // A slide that turned is off the cone by second order: back to its rim.
    for (int32_t i = 0; i < island->n; i++)
        thaw_law_project(d, island->options->friction, island->rows[i].mu, trial + d * i);
    status = thaw_island_multiply(island, trial, island->b, trial_w);
    if (status < 0)
        return status;

    memcpy(island->lambda, trial, size * sizeof *trial);
    memcpy(island->w, trial_w, size * sizeof *trial);
    *residual = thaw_island_residual(island, trial_w, trial);
    return THAW_OK;
}

ThawStatus thaw_newton_begin(ThawResponse *island, double *residual) {
    ThawStatus status = thaw_island_multiply(island, island->lambda, island->b, island->w);
    *residual = thaw_island_residual(island, island->w, island->lambda);
    return status;
}

ThawStatus thaw_newton_renew(ThawResponse *island, double *residual) {
    const int d = island->dim;
    memcpy(island->lambda, island->best, (size_t)d * (size_t)island->n * sizeof(double));
    for (int32_t i = 0; i < island->n; i++)
        thaw_law_project(d, island->options->friction, island->rows[i].mu, island->lambda + d * i);
    island->best_wrong = island->best_residual = INFINITY;
    return thaw_newton_begin(island, residual);
}

static ThawStatus back_to_best(ThawResponse *island, double *residual) {
    memcpy(island->lambda, island->best, (size_t)island->dim * (size_t)island->n * sizeof(double));
    return thaw_newton_begin(island, residual);
}

ThawStatus thaw_newton_solve(ThawResponse *island, const ThawSmoother *smoother) {
    const double tolerance = island->options->tolerance;
    double residual, before = INFINITY;
    int compliant = thaw_compliant_suits(island);
    ThawStatus status = thaw_newton_begin(island, &residual);
    int32_t patience = smoother->first, steps = residual <= GOOD * tolerance ? smoother->soon : patience;
    while (status >= 0 && residual > tolerance && island->used < island->end) {
        status = smoother->run(island, steps, &residual);
        int32_t left = island->end - island->used;
        if (status < 0 || residual <= tolerance || left < 4)
            continue;
        if (island->wrong <= smoother->pays * before) {
            before = island->wrong;
            status = take_step(island, left < PRODUCTS ? left : PRODUCTS, &residual);
            steps = smoother->between;
            continue;
        }
        if (compliant)
            status = thaw_compliant_solve(island, &residual);
        compliant = 0; // once
        if (status >= 0 && residual > tolerance)
            status = back_to_best(island, &residual);
        before = INFINITY;
        patience *= 2;
        steps = patience;
    }
    return status;
}
