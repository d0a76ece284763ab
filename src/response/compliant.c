// SPDX-License-Identifier: Apache-2.0
// Newton's method for compliant contacts: gamma > 0, for tangents as well.
//
// The law then tells the impulse of a contact from its velocity alone, as a spring does: with y = H nu + b, what w is
// without gamma,
//     Lambda(y) = P(-y / gamma),    and    nu = Lambda(H nu + b)
// is the law of the whole island, nu any impulses at first. Without friction that is the gradient of a convex function
// of the velocities, nu' H nu / 2 + sum |P(-y / gamma)|^2 gamma / 2, of which a few are left where bodies are rigid,
// however many contacts share the load. Newton's direction is that of newton.c with rho = 1 / gamma: which contacts
// touch, stick and slide is decided by velocities. Taken whole it cycles; so it is followed to where the slope along
// it,
//     phi(s) = (H dnu) . (nu_s - Lambda(H nu_s + b)),    nu_s = nu + s dnu,
// vanishes: exactly the least of the convex function. With friction there is no such function, but phi is as good while
// friction turns little of it round; where it does not end, others go on (newton.c, interior.c). phi is piecewise
// linear and costs no product with H; its root is bracketed and found by the rule of Illinois.
//
// Hard contacts get 1e-3, 1e-6, then 1e-9 of their own block for gamma, and are judged without it: that finds a
// solution where there is one. Where there is none, as bodies jam, impulses grow as 1 / gamma and the law stays broken
// by as much as without them; such impulses are not taken, though their residual, relative to their own energy, is
// small.
//
// Heaps, whose contacts are many more than the freedoms of their bodies, take 10 to 20 steps of a dozen products each
// where newton.c does not converge.
#include <math.h>
#include <string.h>

#include "response/island.h"

#define NEAR 1e-9    // share of its own block that holds a step near the iterate
#define GOAL 1e-3    // of the linear equations
#define FINEST 1e-8  // that it pays to ask for
#define ROUGH 1e-2   // of those of stiffened.c, at most,
#define ENOUGH 0.1   // and so much of what is to be left in the end
#define SOFTEST 1e-3 // gamma of hard contacts, as a share of their own block: at first
#define HARDEST 1e-9 // in the end
#define HARDEN 1e-3  // a step
#define JAMMED 1e-4  // energy of a residual that is none, as a share of that of the approach
#define FLAT 1e-2    // share of the slope at the start that passes for none
enum { STEPS = 40, PRODUCTS = 60, ROOTS = 20, DIRECT_WORTH = 8 };

int thaw_compliant_suits(const ThawResponse *island) {
    for (int32_t i = 0; i < island->n; i++)
        if (island->rows[i].rho[0] > 0 && (island->rows[i].hard[0] || island->rows[i].hard[1]))
            return 0;
    return 1;
}

// Gives hard contacts that share of their own block for gamma; 0 takes it back.
static void soften(ThawResponse *island, double share) {
    for (int32_t i = 0; i < island->n; i++) {
        ThawRow *row = island->rows + i;
        for (int k = 0; k < island->dim; k++)
            if (row->hard[k > 0] && row->rho[0] > 0)
                row->gamma[k] = share / row->rho[k > 0];
    }
}

// phi after a share of the way from lambda to trial.
static double slope(const ThawResponse *island, double share) {
    const int d = island->dim;
    double sum = 0.0;
    for (int32_t i = 0; i < island->n; i++) {
        const ThawRow *row = island->rows + i;
        double nu[3], target[3], speed[3];
        if (row->rho[0] == 0)
            continue;
        for (int k = 0; k < d; k++) {
            const int32_t at = d * i + k;
            double change = island->trial[at] - island->lambda[at], w_change = island->trial_w[at] - island->w[at];
            nu[k] = island->lambda[at] + share * change;
            speed[k] = w_change - row->gamma[k] * change;
            target[k] = nu[k] - (island->w[at] + share * w_change) / row->gamma[k];
        }
        thaw_law_project(d, island->options->friction, row->mu, target);
        for (int k = 0; k < d; k++)
            sum += speed[k] * (nu[k] - target[k]);
    }
    return sum;
}

// The share of the step at which phi vanishes; 1 where it does not come to that.
static double find_share(const ThawResponse *island) {
    double low = 0.0, high = 1.0, at_low = slope(island, 0.0), at_high = slope(island, 1.0), share = 1.0;
    const double flat = FLAT * fabs(at_low);
    int last = 0;
    if (!(at_low < 0 && at_high > 0))
        return 1.0;
    for (int k = 0; k < ROOTS; k++) {
        share = (low * at_high - high * at_low) / (at_high - at_low);
        double at = slope(island, share);
        if (fabs(at) <= flat)
            break;
        if (at > 0) {
            high = share;
            at_high = at;
            at_low *= last > 0 ? 0.5 : 1.0;
            last = 1;
        } else {
            low = share;
            at_low = at;
            at_high *= last < 0 ? 0.5 : 1.0;
            last = -1;
        }
    }
    return share;
}

// Goes a share of the way.
static void go(ThawResponse *island, double share) {
    const size_t size = (size_t)island->dim * (size_t)island->n;
    for (size_t k = 0; k < size; k++) {
        island->lambda[k] += share * (island->trial[k] - island->lambda[k]);
        island->w[k] += share * (island->trial_w[k] - island->w[k]);
    }
}

// trial and trial_w: where Newton's step would end.
static ThawStatus find_step(ThawResponse *island, double goal) {
    const int d = island->dim;
    double *trial = island->trial, *trial_w = island->trial_w;
    int32_t unknowns = 0;
    memcpy(trial, island->lambda, (size_t)d * (size_t)island->n * sizeof *trial);
    for (int32_t i = 0; i < island->n; i++) {
        const ThawRow *row = island->rows + i;
        double rho[2] = {1 / row->gamma[0], 1 / row->gamma[1]};
        thaw_newton_classify(island, row, rho, island->w + d * i, trial + d * i, island->links + i);
        unknowns += island->links[i].size;
    }
    ThawStatus status = thaw_island_multiply(island, trial, island->b, trial_w);
    if (status >= 0 && thaw_direct_suits(island) && thaw_direct_cost(island, unknowns) <= DIRECT_WORTH)
        status = thaw_direct_solve(island, trial_w, NEAR, trial);
    else if (status >= 0)
        status = thaw_krylov_solve(island, trial_w, NEAR, goal, PRODUCTS, trial);
    return status != THAW_OK ? status : thaw_island_multiply(island, trial, island->b, trial_w);
}

// How well equations are solved: what is left of them comes back as impulses, over gamma.
static double find_goal(const ThawResponse *island) {
    double least = INFINITY;
    for (int32_t i = 0; i < island->n; i++)
        for (int k = 0; k < 2 && island->rows[i].rho[0] > 0; k++)
            least = fmin(least, island->rows[i].gamma[k] * island->rows[i].rho[k]);
    return fmax(FINEST, fmin(GOAL, least));
}

static ThawStatus descend(ThawResponse *island, double *residual) {
    const double tolerance = island->options->tolerance, fine = island->stiff ? 0 : find_goal(island);
    memcpy(island->lambda, island->best, (size_t)island->dim * (size_t)island->n * sizeof(double));
    ThawStatus status = thaw_newton_begin(island, residual);
    for (int k = 0; k < STEPS && status >= 0 && *residual > tolerance && island->used < island->end; k++) {
        const int warm = island->stiff && k == 0;
        if (island->stiff)
            status = thaw_stiffened_step(island, warm, fmax(FINEST, fmin(ROUGH, ENOUGH * tolerance / *residual)));
        else
            status = find_step(island, fine);
        if (status != THAW_OK) // bodies that cannot be stiffened, too
            break;
        go(island, warm ? 1 : find_share(island));
        *residual = thaw_island_residual(island, island->w, island->lambda);
        if (*residual <=
            tolerance) // what is nearly open may pull a little until here; forbidden before, it ends nowhere
            status = thaw_newton_renew(island, residual);
    }
    return status;
}

ThawStatus thaw_compliant_solve(ThawResponse *island, double *residual) {
    const size_t bytes = (size_t)island->dim * (size_t)island->n * sizeof(double);
    const double wrong = island->best_wrong, before = island->best_residual;
    if (thaw_compliant_suits(island))
        return descend(island, residual);
    double *saved = island->interior; // which is not at work
    memcpy(saved, island->best, bytes);
    ThawStatus status = THAW_OK;
    for (double soft = SOFTEST; soft > 0.5 * HARDEST && status >= 0; soft *= HARDEN) {
        soften(island, soft);
        island->best_wrong = island->best_residual = INFINITY;
        status = descend(island, residual);
    }
    soften(island, 0.0);
    if (status >= 0)
        status = thaw_newton_renew(island, residual);
    if (island->wrong > JAMMED * island->scale || island->wrong > wrong) {
        memcpy(island->best, saved, bytes);
        island->best_wrong = wrong;
        *residual = island->best_residual = before;
    }
    return status;
}
