// SPDX-License-Identifier: Apache-2.0
// For islands that the other solvers do not solve: an interior point method for the contact law, slow and safe.
//
// Sweeps, gradients and Newton's method decide which contacts touch, stick and slide, and wander between sets that are
// equally good where bodies have many hard contacts. An interior method decides nothing before the end: the law of each
// contact, complementarity on a cone (cone.c) or of pairs of numbers (facets.c: friction in the plane, and the box), is
// smoothed by tau so that every product which should be 0 is tau. Newton's method follows it to tau = 0, with lambda
// and z, the other factors, as unknowns, and w = (H + gamma) lambda + b. In lambda alone a step is
//     (H + gamma + K) dlambda = toward - ((H + gamma) lambda + b - w(z)),
// K and toward each contact's own: krylov.c solves it, exactly where bodies are rigid, or direct.c.
//
// The law is not convex, so a path need not lead to tau = 0. Steps that go only 0.6 of the way to the boundary and keep
// every contact's product within a tenth of the mean do nearly always: longer ones run into places where no direction
// leads on. Friction of rigid bodies that is not unique ends in the middle of what is possible.
//
// Cost: 20 to 40 steps, each one product with H and those of GMRES, of which rigid bodies need one or two.
#include <math.h>
#include <string.h>

#include "response/interior.h"

#define SHORT 0.6  // share of the way to the boundary
#define NARROW 0.1 // least product of a contact, as a share of the mean
#define RISE 1.1   // of the mean in one step, which the turn of |w_t| may cause
#define NEAR 1e-6  // share of its own block that holds a step near the iterate, at most
#define LOOSE                                                                                                          \
    0.01 // share of the springs of contacts that does: more, and they alone share a load in ever so many steps
#define NEAREST 1e-12 // least, for rounding
#define GOAL 1e-8     // of the linear equations
#define STALLED 1e-4  // two steps shorter than that: no way on
enum { STEP_WORTH = 5, PRODUCTS = 60, CUTS = 30, SIZE = THAW_SMOOTH_SIZE };

typedef struct Interior {
    ThawResponse *island;
    const ThawSmooth *law;
    double *z, *dz;         // SIZE n: beside lambda, and its change
    double *w;              // dim n: that z stands for, (H + gamma) lambda + b in the end
    double *side;           // dim n: right-hand side, negative
    double *change, *speed; // dim n: of lambda, and (H + gamma) times it
    int32_t movable;        // contacts
} Interior;

// Whether a row has a law with bounds; an attachment has none, and one that cannot be moved has no impulse.
static int is_bounded(const ThawRow *row) { return row->rho[0] > 0 && !isinf(row->mu); }

// The mean product after a share of the step, and the least of them.
static double mean_product(const Interior *in, double share, double *least) {
    const ThawResponse *island = in->island;
    const int d = island->dim;
    double sum = 0.0, count = 0.0;
    *least = INFINITY;
    for (int32_t i = 0; i < island->n; i++) {
        double lambda[3], z[SIZE], low;
        int products;
        if (!is_bounded(island->rows + i))
            continue;
        for (int k = 0; k < d; k++)
            lambda[k] = island->lambda[d * i + k] + share * in->change[d * i + k];
        for (int k = 0; k < SIZE; k++)
            z[k] = in->z[SIZE * i + k] + share * in->dz[SIZE * i + k];
        sum += in->law->product(d, island->rows + i, lambda, z, &products, &low);
        count += products;
        *least = fmin(*least, low);
    }
    return sum / count;
}

// From the best lambda so far, but well inside: every contact with an impulse and a speed of what the island has.
static ThawStatus begin(Interior *in) {
    ThawResponse *island = in->island;
    const int d = island->dim;
    size_t size = (size_t)d * (size_t)island->n, whole = SIZE * (size_t)island->n;
    in->z = island->interior;
    in->dz = in->z + whole;
    in->w = in->dz + whole;
    in->side = in->w + size;
    in->change = in->side + size;
    in->speed = in->change + size;
    memset(in->z, 0, (2 * whole + 4 * size) * sizeof(double));
    memcpy(island->lambda, island->best, size * sizeof(double));
    ThawStatus status = thaw_island_multiply(island, island->lambda, island->b, island->w);
    double energy = island->scale, mass = 0.0;
    for (int32_t i = 0; i < island->n && status == THAW_OK; i++) {
        const ThawRow *row = island->rows + i;
        for (int k = 0; k < d && row->rho[0] > 0; k++)
            energy += island->lambda[d * i + k] * island->lambda[d * i + k] / row->rho[k > 0];
        mass += row->rho[0];
        in->movable += is_bounded(row);
    }
    double typical = mass > 0 ? sqrt(energy / mass) : 0.0;
    for (int32_t i = 0; i < island->n && status == THAW_OK; i++) {
        const ThawRow *row = island->rows + i;
        double *lambda = island->lambda + d * i, w[3];
        if (!is_bounded(row))
            continue;
        memcpy(w, island->w + d * i, (size_t)d * sizeof *w);
        w[0] = fmax(w[0], typical);
        in->law->begin(d, row, w, in->z + SIZE * i);
        lambda[0] = fmax(lambda[0], row->rho[0] * typical);
        thaw_law_project(d, island->options->friction, 0.5 * row->mu, lambda);
    }
    if (status == THAW_OK)
        status = thaw_island_multiply(island, island->lambda, island->b, island->w);
    return status;
}

// The equations of a step towards tau.
static void linearise(Interior *in, double tau) {
    ThawResponse *island = in->island;
    const int d = island->dim;
    for (int32_t i = 0; i < island->n; i++) {
        ThawLink *link = island->links + i;
        double toward[3] = {0};
        *link = (ThawLink){.size = 0};
        if (island->rows[i].rho[0] == 0)
            continue;
        if (isinf(island->rows[i].mu)) { // straight to w = 0
            link->size = d;
            for (int k = 0; k < d; k++) {
                link->C[(d + 1) * k] = link->E[(d + 1) * k] = 1.0;
                in->w[d * i + k] = 0.0;
                in->side[d * i + k] = island->w[d * i + k];
            }
            continue;
        }
        in->law->speed(d, island->rows + i, in->z + SIZE * i, in->w + d * i);
        in->law->linearise(d, island->rows + i, island->lambda + d * i, in->z + SIZE * i, tau, link, toward);
        for (int k = 0; k < link->size; k++)
            in->side[d * i + k] = island->w[d * i + k] - in->w[d * i + k] - toward[k];
        for (int k = link->size; k < d; k++) // tangents without friction: whatever they are
            in->w[d * i + k] = island->w[d * i + k];
    }
}

// Takes the step as far as is good, and says how far.
static double advance(Interior *in, double tau, double mean) {
    ThawResponse *island = in->island;
    const int d = island->dim;
    double apart = 0.0, largest = 0.0, least, way = INFINITY;
    double narrow = mean_product(in, 0.0, &least) * NARROW <= least ? NARROW : 0.0;
    for (int32_t i = 0; i < island->n; i++) {
        const ThawRow *row = island->rows + i;
        const double *lambda = island->lambda + d * i, *change = in->change + d * i, *z = in->z + SIZE * i;
        double dw[3], *dz = in->dz + SIZE * i;
        if (!is_bounded(row))
            continue;
        for (int k = 0; k < d; k++) {
            double off = island->w[d * i + k] - in->w[d * i + k];
            dw[k] = in->speed[d * i + k] + off;
            apart = fmax(apart, fabs(off));
            largest = fmax(largest, fabs(island->w[d * i + k]));
        }
        in->law->follow(d, row, lambda, z, tau, change, dw, dz);
        way = fmin(way, in->law->way(d, row, lambda, z, change, dz));
    }
    double share = fmin(1.0, SHORT * way);
    for (int cut = 0; cut < CUTS; cut++) {
        double next = mean_product(in, share, &least);
        if (least >= narrow * next && (next <= RISE * mean || apart > 1e-6 * largest))
            break;
        share *= 0.8;
    }
    for (int32_t i = 0; i < SIZE * island->n; i++)
        in->z[i] += share * in->dz[i];
    for (int32_t i = 0; i < d * island->n; i++) {
        island->lambda[i] += share * in->change[i];
        island->w[i] += share * in->speed[i];
    }
    return share;
}

// Where many contacts bear a stiff body, nothing but their springs says which of them bears how much.
static double find_near(const ThawResponse *island) {
    double near = NEAR;
    for (int32_t i = 0; i < island->n; i++)
        for (int k = 0; k < 2; k++)
            if (is_bounded(island->rows + i) && !island->rows[i].hard[k])
                near = fmin(near, LOOSE * island->rows[i].gamma[k] * island->rows[i].rho[k]);
    return fmax(NEAREST, near);
}

ThawStatus thaw_interior_solve(ThawResponse *island) {
    const ThawResponseOptions *options = island->options;
    const int flat = island->dim == 2 || options->friction == THAW_FRICTION_BOX;
    Interior in = {.island = island, .law = flat ? &thaw_smooth_facets : &thaw_smooth_cone};
    // A step by elimination is judged by its number, one by products by theirs.
    int32_t steps = options->iterations / STEP_WORTH, end = island->used + 2 * options->iterations, direct = 0;
    ThawStatus status = begin(&in);
    const double near = find_near(island);
    double sigma = 0.5, share = 1.0, residual = INFINITY;
    for (int32_t step = 0; step < steps && status >= 0 && in.movable > 0 && (direct || island->used + 2 < end);
         step++) {
        memset(in.dz, 0, SIZE * (size_t)island->n * sizeof(double));
        memset(in.change, 0, (size_t)island->dim * (size_t)island->n * sizeof(double));
        double least, mean = mean_product(&in, 0.0, &least), before = share;
        linearise(&in, sigma * mean);
        direct = thaw_direct_suits(island);
        if (direct) {
            status = thaw_direct_solve(island, in.side, near, in.change);
        } else {
            int32_t left = end - island->used - 1;
            status = thaw_krylov_solve(island, in.side, near, GOAL, left < PRODUCTS ? left : PRODUCTS, in.change);
        }
        if (status >= 0)
            status = thaw_island_multiply(island, in.change, NULL, in.speed);
        if (status < 0)
            break;
        share = advance(&in, sigma * mean, mean);
        residual = thaw_island_residual(island, island->w, island->lambda);
        if (residual <= options->tolerance || !isfinite(residual) || fmax(share, before) < STALLED)
            break;
        sigma = share > 0.9 ? 0.1 : share > 0.5 ? 0.3 : share > 0.1 ? 0.7 : 1.0;
    }
    return status;
}
