// SPDX-License-Identifier: Apache-2.0
// The matrix-free form: neither S nor H is formed; H lambda is one apply() for each body, J' before and J after it.
//
// Projected gradients with Barzilai and Borwein's step length (1988): lambda <- P(lambda - alpha rho w), each contact
// scaled by its own rho, and alpha = s'(1/rho)s / s'Hs of the last step s. Such steps settle which contacts touch,
// stick and slide, at one product each; Newton's method (newton.c) then settles how much. With P the contact law's own
// projection (radius mu lambda_n of the moment, as in law.c), both have the solutions of the assembled form and no
// others.
//
// rho needs each contact's own block of H. Asking for all of them would cost as much as assembling, so bodies give
// blocks of some vertices in the place of others (response.h). Whole motions (modes.c) are known at every contact; only
// the rest is taken from elsewhere. That a contact has several vertices is bounded by Cauchy and Schwarz: (sum w_a
// x_a)^2 <= (sum |w_a|) (sum |w_a| x_a^2).
#include <math.h>
#include <string.h>

#include "response/island.h"

// A part's blocks at its contact vertices, less what whole motions account for.
static void call_blocks(void *context, int32_t index) {
    ThawResponse *island = context;
    ThawPart *part = island->parts + index;
    const ThawResponseBody *body = island->bodies + index;
    const size_t d = (size_t)island->dim, first = (size_t)part->first_vertex;
    part->status = THAW_OK;
    if (part->vertices == 0 || part->motions == THAW_MOTIONS_ALL)
        return;
    int32_t *from = island->from + first;
    part->status = body->blocks(body->context, part->vertices, island->vertex + first, from, island->S + d * d * first);
    for (int32_t k = 0; k < part->vertices && part->motions == THAW_MOTIONS_SOME; k++) {
        const double *B = island->vertex_modes + (first + (size_t)from[k]) * d * THAW_MODE_COUNT;
        double *block = island->S + d * d * (first + (size_t)k);
        for (size_t r = 0; r < d; r++)
            for (size_t c = 0; c < d; c++)
                for (size_t m = 0; m < THAW_MODE_COUNT; m++)
                    block[d * r + c] -= B[r * THAW_MODE_COUNT + m] * B[c * THAW_MODE_COUNT + m];
    }
}

static void estimate_block(const ThawResponse *island, ThawRow *row) {
    int d = island->dim;
    memset(row->D, 0, sizeof row->D);
    for (int32_t s = 0; s < row->slots; s++) {
        const ThawPart *part = island->parts + row->part[s];
        double M[9] = {0}, total = 0.0;
        thaw_modes_own_block(island, row, s, row->D);
        if (part->motions == THAW_MOTIONS_ALL)
            continue;
        for (int32_t a = 0; a < row->nodes[s]; a++) {
            const double *block = island->S + (size_t)(d * d) * (size_t)(part->first_vertex + row->local[s][a]);
            double weight = fabs(row->weight[s][a]);
            total += weight;
            for (int r = 0; r < d; r++)
                for (int c = 0; c < d; c++)
                    M[d * r + c] += 0.5 * weight * (block[d * r + c] + block[d * c + r]);
        }
        for (int r = 0; r < d; r++)
            for (int c = 0; c < d; c++)
                for (int k = 0; k < d; k++)
                    for (int l = 0; l < d; l++)
                        row->D[d * r + c] += total * row->R[d * r + k] * M[d * k + l] * row->R[d * c + l];
    }
}

ThawStatus thaw_matrix_free_prepare(ThawResponse *island) {
    size_t d = (size_t)island->dim, vertices = 0, all = 0;
    thaw_modes_complete(island);
    ThawStatus status = THAW_TAKE(island, THAW_BUFFER_H, island->body_count + 1, &island->field);
    for (int32_t p = 0; p < island->body_count && status == THAW_OK; p++) {
        vertices += (size_t)island->parts[p].vertices;
        island->field[p] = all;
        all += d * (size_t)island->bodies[p].nv;
    }
    if (status == THAW_OK)
        status = THAW_TAKE(island, THAW_BUFFER_S, d * d * vertices, &island->S);
    if (status == THAW_OK)
        status = THAW_TAKE(island, THAW_BUFFER_FROM, vertices, &island->from);
    if (status == THAW_OK)
        status = THAW_TAKE(island, THAW_BUFFER_FIELDS, 2 * all, &island->impulse);
    if (status < 0)
        return status;
    island->dv = island->impulse + all;
    memset(island->impulse, 0, all * sizeof *island->impulse);
    if (island->body_count == 1)
        call_blocks(island, 0);
    else
        thaw_tasks_for(island->tasks, island->body_count, call_blocks, island);
    for (int32_t p = 0; p < island->body_count; p++)
        if (island->parts[p].status < 0)
            return island->parts[p].status;
    for (int32_t i = 0; i < island->n; i++)
        estimate_block(island, island->rows + i);
    return THAW_OK;
}

// --- products --------------------------------------------------------------------------------------------------------

// A part's impulses from its share of lambda, its dv, and the speeds of its contacts. Impulses are 0 elsewhere, always.
static void apply_to(ThawResponse *island, int32_t index, int stiff) {
    ThawPart *part = island->parts + index;
    const ThawResponseBody *body = island->bodies + index;
    int d = island->dim;
    part->status = THAW_OK;
    if (part->contacts == 0)
        return;
    if (part->motions == THAW_MOTIONS_ALL && !stiff) {
        thaw_modes_multiply(island, index);
        return;
    }
    const int32_t *member = island->member + part->first_contact, *vertex = island->vertex + part->first_vertex;
    double *impulse = island->impulse + island->field[index], *dv = island->dv + island->field[index];
    for (int32_t k = 0; k < part->vertices; k++)
        memset(impulse + d * vertex[k], 0, (size_t)d * sizeof *impulse);
    for (int32_t i = 0; i < part->contacts; i++) {
        const ThawRow *row = island->rows + member[i];
        int s = row->slots == 2 && row->part[1] == index;
        const double *lambda = island->share + (size_t)d * (size_t)(part->first_contact + i);
        for (int c = 0; c < d; c++) {
            double sum = 0.0;
            for (int r = 0; r < d; r++)
                sum += row->R[d * r + c] * lambda[r];
            for (int32_t k = 0; k < row->nodes[s]; k++)
                impulse[d * row->vertex[s][k] + c] += row->weight[s][k] * sum;
        }
    }
    part->status = (stiff ? body->apply_stiff : body->apply)(body->context, impulse, dv);
    for (int32_t i = 0; i < part->contacts; i++) {
        const ThawRow *row = island->rows + member[i];
        int s = row->slots == 2 && row->part[1] == index;
        double v[3] = {0}, *speed = island->speed + (size_t)d * (size_t)(part->first_contact + i);
        for (int32_t k = 0; k < row->nodes[s]; k++)
            for (int c = 0; c < d; c++)
                v[c] += row->weight[s][k] * dv[d * row->vertex[s][k] + c];
        for (int r = 0; r < d; r++) {
            speed[r] = 0.0;
            for (int c = 0; c < d; c++)
                speed[r] += row->R[d * r + c] * v[c];
        }
    }
}

static void apply_part(void *context, int32_t index) { apply_to(context, index, 0); }
static void apply_stiff(void *context, int32_t index) { apply_to(context, index, 1); }

ThawStatus thaw_matrix_free_apply(ThawResponse *island, int stiff) {
    if (island->body_count == 1)
        apply_to(island, 0, stiff);
    else
        thaw_tasks_for(island->tasks, island->body_count, stiff ? apply_stiff : apply_part, island);
    for (int32_t p = 0; p < island->body_count; p++)
        if (island->parts[p].status < 0)
            return island->parts[p].status;
    return THAW_OK;
}

ThawStatus thaw_matrix_free_multiply(ThawResponse *island, const double *lambda) {
    int d = island->dim;
    for (int32_t i = 0; i < island->n; i++) {
        const ThawRow *row = island->rows + i;
        for (int32_t s = 0; s < row->slots; s++) {
            size_t at = (size_t)d * (size_t)(island->parts[row->part[s]].first_contact + row->place[s]);
            memcpy(island->share + at, lambda + d * i, (size_t)d * sizeof *lambda);
        }
    }
    return thaw_matrix_free_apply(island, 0);
}

// --- projected gradients ---------------------------------------------------------------------------------------------

// One step; *alpha: the length to use, and then the next one's. The first step, whose length is a guess, is cut to the
// minimum along its way.
static ThawStatus step_gradient(ThawResponse *island, double *alpha, double *residual) {
    int d = island->dim, first = *alpha == 0;
    double *trial = island->trial, *trial_w = island->trial_w;
    for (int32_t i = 0; i < island->n; i++) {
        const ThawRow *row = island->rows + i;
        for (int k = 0; k < d; k++)
            trial[d * i + k] =
                island->lambda[d * i + k] - (first ? 1 : *alpha) * row->rho[k > 0] * island->w[d * i + k];
        if (row->rho[0] == 0)
            memset(trial + d * i, 0, (size_t)d * sizeof *trial);
        thaw_law_project(d, island->options->friction, row->mu, trial + d * i);
    }
    ThawStatus status = thaw_island_multiply(island, trial, island->b, trial_w);
    if (status < 0)
        return status;
    double length = 0.0, curvature = 0.0, slope = 0.0;
    for (int32_t i = 0; i < island->n; i++) {
        const ThawRow *row = island->rows + i;
        for (int k = 0; k < d && row->rho[0] > 0; k++) {
            size_t at = (size_t)(d * i + k);
            double s = trial[at] - island->lambda[at];
            length += s * s / row->rho[k > 0];
            curvature += s * (trial_w[at] - island->w[at]);
            slope -= s * island->w[at];
        }
    }
    double share = first && slope > 0 && slope < curvature ? slope / curvature : 1.0;
    for (size_t k = 0; k < (size_t)d * (size_t)island->n; k++) {
        island->lambda[k] += share * (trial[k] - island->lambda[k]);
        island->w[k] += share * (trial_w[k] - island->w[k]);
    }
    *alpha = curvature > 1e-14 * length ? fmin(length / curvature, 1e3) : 1.0;
    *residual = thaw_island_residual(island, island->w, island->lambda);
    return THAW_OK;
}

static ThawStatus run_gradients(ThawResponse *island, int32_t steps, double *residual) {
    double alpha = 0.0;
    ThawStatus status = THAW_OK;
    for (int32_t k = 0;
         k < steps && status >= 0 && *residual > island->options->tolerance && island->used < island->end; k++)
        status = step_gradient(island, &alpha, residual);
    return status;
}

const ThawSmoother thaw_gradients = {run_gradients, .first = 12, .soon = 12, .between = 6, .pays = 0.25};
