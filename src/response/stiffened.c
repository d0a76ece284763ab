// SPDX-License-Identifier: Apache-2.0
// A step of Newton's method for islands of many compliant contacts on bodies whose factor is cheap, such as sheets: by
// factors of A with the springs of contacts in it.
//
// The law of a contact, nu = Lambda(y) with y = H nu + b (compliant.c), is linear near a state:
// Lambda = t - D (y' - y).
// With S = A + J'QJ and W = J S^-1 J' the step that solves nu' = t - D (H nu' + b - y) is, for any Q,
//     g = W (t - nu + eta),   eta = -(D - Q) g,   y' = y + g,   nu' = t + eta - Q g,
// since A dv = J'(nu' - nu) and g = J dv then. Q is D's symmetric part: what is normal, sticks, or turns with slip.
// What is left is that friction follows the normal impulse, one number for each contact that slides; GMRES solves
//     (1 + (D - Q) W) eta = -(D - Q) W (t - nu)
// for it, by one solve with S a product and none with A. Where nothing slides there is nothing to solve. However
// roughly it is solved, y' and nu' belong together, and by what is left of it nu' is off the linear law, not by that
// over gamma.
//
// Springs change entries of A only where it has some: the vertices of a contact are those of one element. A contact of
// two bodies would join their matrices; each side is taken for a contact of its own, with impulses eta of its own, and
// 2 Q in its body: [k -k; -k k] <= 2 [k 0; 0 k]. As both sides then agree only as well as the equations are solved, nu'
// is taken from the linear law, and y' by a product with H.
//
// S is kept from step to step while few contacts do something else than what it has them do: those have an eta, too.
//
// State. From velocities alone every contact counts as open whose y is not inward. From a warm start, whose impulses
// know better than its velocities, the first step takes lambda - rho w, as newton.c does: what pressed in the last step
// presses, and what stuck sticks.
//
// Cost: a factorisation for most steps, and two solves and one more for each product. A cloth of 3200 triangles on a
// ball, 1900 contacts that slide: 4 to 6 products a step.
#include <math.h>
#include <string.h>

#include "response/island.h"

// Steps of Newton's method and solves in each that cloths on balls took, and products without the springs.
enum { STEPS = 9, SOLVES = 8, OTHERWISE = 600, PRODUCTS = 60 };

static const double OTHER = 0.5; // of the sum of two springs: their difference, where a contact does something else
static const double KEPT = 0.5;  // of what a factorisation is worth: so many contacts may, or else S is made anew

// The law of a contact near its state: Lambda = target - D g. Q: D's symmetric part.
typedef struct ThawSlope {
    double target[3];
    double D[9], Q[9];
} ThawSlope;

int thaw_stiffened_suits(const ThawResponse *island, double otherwise) {
    double with = 0.0, without = 0.0;
    int thin = 0;
    for (int32_t p = 0; p < island->body_count; p++) {
        const ThawResponseBody *body = island->bodies + p;
        if (island->parts[p].contacts == 0)
            continue;
        if (!body->stiffen)
            return 0;
        thin |= body->thin;
        with += STEPS * (body->stiffen_cost + SOLVES * body->apply_cost);
        without += OTHERWISE * body->apply_cost;
    }
    for (int32_t i = 0; i < island->n; i++)
        if (!(island->rows[i].gamma[0] > 0 && island->rows[i].gamma[1] > 0))
            return 0;
    return thin && with < fmin(without, otherwise);
}

// Vectors over the sides of contacts.
static size_t sides_of(const ThawResponse *island) {
    size_t sides = 0;
    for (int32_t p = 0; p < island->body_count; p++)
        sides += (size_t)island->parts[p].contacts;
    return (size_t)island->dim * sides;
}

ThawStatus thaw_stiffened_reserve(ThawResponse *island) {
    const size_t d = (size_t)island->dim, size = sides_of(island);
    size_t members = 0, entries = 0;
    for (int32_t p = 0; p < island->body_count; p++) {
        island->parts[p].first_entry = (int32_t)entries;
        members += (size_t)island->parts[p].contacts + 1;
        entries += (size_t)island->parts[p].entries;
    }
    ThawStatus status = THAW_TAKE(island, THAW_BUFFER_J, members + entries, &island->J_start);
    if (status == THAW_OK)
        status = THAW_TAKE(island, THAW_BUFFER_J_VALUE, d * d * entries, &island->J_value);
    if (status == THAW_OK)
        status = THAW_TAKE(island, THAW_BUFFER_SLOPES, island->n, &island->slopes);
    if (status == THAW_OK) // springs, g, eta, W of the basis, and the basis
        status = THAW_TAKE(island, THAW_BUFFER_SPRINGS, (d + 2 * PRODUCTS + 3) * size, &island->springs);
    if (status == THAW_OK)
        island->J_vertex = island->J_start + members;
    for (int32_t p = 0; p < island->body_count && status == THAW_OK; p++)
        thaw_part_rows(island, p);
    return status;
}

// --- the law ---------------------------------------------------------------------------------------------------------

// Tangents of a contact that presses by p[0] > 0 at the rim of the disc: friction mu nu_n along p_t, which turns with
// slip by `turn`.
static void slide(double mu, double turn, const double *p, const double *y, ThawSlope *slope) {
    const double size = hypot(p[1], p[2]), axis[2] = {p[1] / size, p[2] / size};
    for (int k = 0; k < 2; k++) {
        slope->target[k + 1] = mu * axis[k] * slope->target[0];
        slope->D[3 * (k + 1)] = mu * axis[k] * slope->D[0];
        for (int l = 0; l < 2; l++) {
            const double across = turn * ((k == l) - axis[k] * axis[l]);
            slope->D[3 * (k + 1) + l + 1] = slope->Q[3 * (k + 1) + l + 1] = across;
            slope->target[k + 1] -= across * y[l + 1];
        }
    }
}

// Row k of a contact is its spring alone.
static void spring(int d, int k, double gamma, const double *y, ThawSlope *slope) {
    slope->target[k] = -y[k] / gamma;
    slope->D[(d + 1) * k] = slope->Q[(d + 1) * k] = 1 / gamma;
}

// p: the impulse that tells what the contact does.
static void find_slope(const ThawResponse *island, const ThawRow *row, int warm, const double *y, const double *w,
                       const double *p, ThawSlope *slope) {
    const int d = island->dim;
    memset(slope, 0, sizeof *slope);
    if (row->rho[0] == 0 || (!isinf(row->mu) && p[0] <= 0))
        return;
    spring(d, 0, row->gamma[0], y, slope);
    const double radius = row->mu * p[0];
    if (isinf(row->mu)) {
        for (int k = 1; k < d; k++)
            spring(d, k, row->gamma[1], y, slope);
    } else if (d == 2 || island->options->friction == THAW_FRICTION_BOX || row->mu == 0) {
        for (int k = 1; k < d; k++) {
            const double bound = p[k] > 0 ? row->mu : -row->mu;
            if (row->mu > 0 && fabs(p[k]) <= radius) {
                spring(d, k, row->gamma[1], y, slope);
            } else {
                slope->target[k] = bound * slope->target[0];
                slope->D[d * k] = bound * slope->D[0];
            }
        }
    } else if (hypot(p[1], p[2]) <= radius) {
        spring(d, 1, row->gamma[1], y, slope);
        spring(d, 2, row->gamma[1], y, slope);
    } else if (warm) {
        slide(row->mu, 1 / (row->gamma[1] + hypot(w[1], w[2]) / radius), p, y, slope);
    } else {
        slide(row->mu, radius / (hypot(p[1], p[2]) * row->gamma[1]), p, y, slope);
    }
}

static void find_slopes(ThawResponse *island, int warm) {
    const int d = island->dim;
    for (int32_t i = 0; i < island->n; i++) {
        const ThawRow *row = island->rows + i;
        const double *w = island->w + d * i, *lambda = island->lambda + d * i;
        double y[3] = {0}, p[3] = {0};
        for (int k = 0; k < d; k++) {
            y[k] = w[k] - row->gamma[k] * lambda[k];
            p[k] = warm ? lambda[k] - row->rho[k > 0] * w[k] : -y[k] / row->gamma[k];
        }
        find_slope(island, row, warm, y, w, p, island->slopes + i);
    }
}

// --- bodies with springs ---------------------------------------------------------------------------------------------

// Where a side of a contact has its numbers.
static size_t side_of(const ThawResponse *island, const ThawRow *row, int32_t slot) {
    return (size_t)island->dim * (size_t)(island->parts[row->part[slot]].first_contact + row->place[slot]);
}

static void stiffen_part(void *context, int32_t index) {
    ThawResponse *island = context;
    ThawPart *part = island->parts + index;
    const ThawResponseBody *body = island->bodies + index;
    const int d = island->dim;
    part->status = THAW_OK;
    if (part->contacts == 0)
        return;
    double *springs = island->springs + (size_t)(d * d) * (size_t)part->first_contact;
    for (int32_t i = 0; i < part->contacts; i++) {
        const int32_t member = island->member[part->first_contact + i];
        for (int k = 0; k < d * d; k++)
            springs[d * d * i + k] = island->rows[member].slots * island->slopes[member].Q[k];
    }
    const ThawBlockRows J = {part->contacts, d, island->J_start + part->first_contact + index,
                             island->J_vertex + part->first_entry,
                             island->J_value + (size_t)(d * d) * (size_t)part->first_entry};
    part->status = body->stiffen(body->context, &J, springs);
}

static ThawStatus stiffen(ThawResponse *island) {
    if (island->body_count == 1)
        stiffen_part(island, 0);
    else
        thaw_tasks_for(island->tasks, island->body_count, stiffen_part, island);
    ThawStatus status = THAW_OK;
    for (int32_t p = 0; p < island->body_count && status == THAW_OK; p++)
        status = island->parts[p].status;
    return status;
}

// How many contacts do something else than what S has them do. Each takes about one product more; and as many solves
// as a factorisation costs.
static int32_t changed_of(const ThawResponse *island) {
    const int d = island->dim;
    int32_t changed = 0;
    for (int32_t i = 0; i < island->n; i++) {
        const ThawRow *row = island->rows + i;
        const double *kept = island->springs + (size_t)d * side_of(island, row, 0);
        double off = 0.0, all = 0.0;
        for (int k = 0; k < d * d; k++) {
            const double now = row->slots * island->slopes[i].Q[k];
            off += (now - kept[k]) * (now - kept[k]);
            all += (now + kept[k]) * (now + kept[k]);
        }
        changed += off > OTHER * OTHER * all;
    }
    return changed;
}

static double factor_worth(const ThawResponse *island) {
    double factors = 0.0, solves = 0.0;
    for (int32_t p = 0; p < island->body_count; p++)
        if (island->parts[p].contacts > 0) {
            factors += island->bodies[p].stiffen_cost;
            solves += island->bodies[p].apply_cost;
        }
    return solves > 0 ? factors / solves : 0;
}

// g = W x over sides.
static ThawStatus compliance(ThawResponse *island, const double *x, double *g) {
    const size_t bytes = sizeof(double) * sides_of(island);
    if (thaw_tasks_stopped(island->tasks))
        return THAW_CANCELLED;
    island->used++;
    memcpy(island->share, x, bytes);
    const ThawStatus status = thaw_matrix_free_apply(island, 1);
    memcpy(g, island->speed, bytes);
    return status;
}

// --- the step --------------------------------------------------------------------------------------------------------

// out += factor (D - Q) g, where every side has its own equation; Q: S's.
static void add_rest(const ThawResponse *island, double factor, const double *g, double *out) {
    const int d = island->dim;
    for (int32_t i = 0; i < island->n; i++) {
        const ThawRow *row = island->rows + i;
        const ThawSlope *slope = island->slopes + i;
        double sum[3] = {0};
        for (int32_t s = 0; s < row->slots; s++)
            for (int k = 0; k < d; k++)
                sum[k] += g[side_of(island, row, s) + (size_t)k];
        for (int32_t s = 0; s < row->slots; s++) {
            const size_t at = side_of(island, row, s);
            const double *Q = island->springs + (size_t)d * at;
            for (int k = 0; k < d; k++)
                for (int l = 0; l < d; l++)
                    out[at + (size_t)k] += factor * (slope->D[d * k + l] * sum[l] - Q[d * k + l] * g[at + (size_t)l]);
        }
    }
}

typedef struct Sides {
    ThawResponse *island;
    size_t size;
    double *images; // PRODUCTS of size: W of the basis
} Sides;

static ThawStatus multiply(void *context, int32_t step, const double *x, double *y) {
    const Sides *sides = context;
    double *image = sides->images + (size_t)step * sides->size;
    const ThawStatus status = compliance(sides->island, x, image);
    memcpy(y, x, sizeof(double) * sides->size);
    add_rest(sides->island, 1, image, y);
    return status;
}

// trial, trial_w from g and eta.
static ThawStatus end_step(ThawResponse *island, const double *g, const double *eta) {
    const int d = island->dim;
    int alone = 1;
    for (int32_t i = 0; i < island->n; i++) {
        const ThawRow *row = island->rows + i;
        const ThawSlope *slope = island->slopes + i;
        const size_t at = side_of(island, row, 0);
        double sum[3] = {0};
        alone &= row->slots == 1;
        for (int32_t s = 0; s < row->slots; s++)
            for (int k = 0; k < d; k++)
                sum[k] += g[side_of(island, row, s) + (size_t)k];
        for (int k = 0; k < d; k++) {
            double impulse = slope->target[k] + (row->slots == 1 ? eta[at + (size_t)k] : 0);
            for (int l = 0; l < d; l++)
                impulse -= (row->slots == 1 ? island->springs + (size_t)d * at : slope->D)[d * k + l] * sum[l];
            island->trial[d * i + k] = impulse;
            island->trial_w[d * i + k] =
                island->w[d * i + k] + sum[k] + row->gamma[k] * (impulse - island->lambda[d * i + k]);
        }
    }
    return alone ? THAW_OK : thaw_island_multiply(island, island->trial, island->b, island->trial_w);
}

ThawStatus thaw_stiffened_step(ThawResponse *island, int warm, double goal) {
    const int d = island->dim;
    const size_t size = sides_of(island), count = (size_t)d * size;
    double *g = island->springs + count, *eta = g + size, *images = eta + size, *basis = images + PRODUCTS * size;
    double share[THAW_GMRES_MOST];
    int32_t used = 0;
    find_slopes(island, warm);
    ThawStatus status = warm || changed_of(island) > KEPT * factor_worth(island) ? stiffen(island) : THAW_OK;
    if (status != THAW_OK)
        return status;
    for (int32_t i = 0; i < island->n; i++)
        for (int32_t s = 0; s < island->rows[i].slots; s++)
            for (int k = 0; k < d; k++)
                eta[side_of(island, island->rows + i, s) + (size_t)k] =
                    island->slopes[i].target[k] - island->lambda[d * i + k];
    status = compliance(island, eta, g);
    memset(basis, 0, size * sizeof *basis);
    add_rest(island, -1, g, basis);
    Sides sides = {island, size, images};
    const ThawGmres problem = {(int32_t)size, basis, &sides, multiply};
    if (status == THAW_OK)
        status = thaw_gmres(&problem, goal, PRODUCTS, share, &used);
    if (status != THAW_OK)
        return status;
    thaw_gmres_sum((int32_t)size, basis, share, used, eta);
    for (int32_t j = 0; j < used; j++)
        for (size_t k = 0; k < size; k++)
            g[k] += share[j] * images[(size_t)j * size + k];
    return end_step(island, g, eta);
}
