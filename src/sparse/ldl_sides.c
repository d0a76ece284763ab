// SPDX-License-Identifier: Apache-2.0
// Many and sparse right-hand sides.
//
// A right-hand side with few nonzeros changes only what lies on the ways from them to the root of the elimination tree
// (Gilbert and Peierls 1988): the forward solve visits the nodes of that "reach" only. Backward, the wanted rows need
// the nodes on their own ways and no others.
//
// Sixteen sides lie next to each other, so that a number of L, once loaded, meets two vectors of them. Four sets of
// sixteen may go through a node together: each panel of L then comes from memory once for all of them, which is what
// large factors wait for.
#include <stdlib.h>
#include <string.h>

#include "sparse/ldl_impl.h"

enum { SIDES = THAW_LDL_SIDES };

// --- scratch that stays with the factor ------------------------------------------------------------------------------

int thaw_ldl_reserve(ThawLdl *ldl, size_t size) {
    if (ldl->work_size >= size)
        return 1;
    thaw_free(ldl->work);
    ldl->work = THAW_NEW(double, size);
    ldl->work_size = ldl->work ? size : 0;
    return ldl->work != NULL;
}

static int reserve_index(ThawLdl *ldl, size_t size) {
    if (ldl->index_size >= size)
        return 1;
    thaw_free(ldl->index);
    ldl->index = THAW_NEW(int32_t, size);
    ldl->index_size = ldl->index ? size : 0;
    return ldl->index != NULL;
}

// --- sixteen sides through one node ----------------------------------------------------------------------------------

static void add_scaled(double *to, const double *from, double scale) {
    for (int h = 0; h < SIDES; h += 8)
        *(ThawLanes *)(to + h) += *(const ThawLanes *)(from + h) * scale;
}

static void scale_row(double *row, double scale) {
    for (int h = 0; h < SIDES; h += 8)
        *(ThawLanes *)(row + h) *= scale;
}

void thaw_ldl_forward_sides(const ThawLdl *ldl, int32_t s, int sets, const ThawLdlSides *set) {
    const ThawLdlPlan *plan = ldl->plan;
    const ThawLdlNode *node = &plan->node[s];
    int32_t bs = plan->bs, nc = bs * node->cols, nr = bs * node->rows, panels = thaw_ldl_panels(plan, node);
    const double *a = ldl->value + node->value, *reciprocal = ldl->reciprocal + bs * node->first;
    _Alignas(64) double c[8 * SIDES];
    for (int32_t p = 0; p < panels; p++, a += 8 * (size_t)nc)
        for (int h = 0; h < sets; h++) {
            double *own = thaw_ldl_sides_at(plan, &set[h], node->first);
            int32_t k = 8 * p < nc ? 8 * p : nc;
            ldl->kernels->forward_sides(k, a, own, c);
            for (int32_t i = 8 * p; i < nr && i < 8 * p + 8; i++) {
                double *ci = c + SIDES * (i - 8 * p);
                for (int32_t j = k; j < i && j < nc; j++)
                    add_scaled(ci, own + SIDES * (size_t)j, a[8 * (size_t)j + (size_t)(i - 8 * p)]);
                int32_t below = i / bs - node->cols;
                double *row = i < nc
                                  ? own + SIDES * (size_t)i
                                  : thaw_ldl_sides_at(plan, &set[h], plan->row[node->row + below]) + SIDES * (i % bs);
                add_scaled(row, ci, -1.0);
                if (i < nc)
                    scale_row(row, reciprocal[i]);
            }
        }
}

// X: scratch for the rows of one node.
static void backward_sides(const ThawLdl *ldl, int32_t s, const ThawLdlSides *set, double *X) {
    const ThawLdlPlan *plan = ldl->plan;
    const ThawLdlNode *node = &plan->node[s];
    int32_t bs = plan->bs, nc = bs * node->cols, panels = thaw_ldl_panels(plan, node);
    size_t next = 8 * (size_t)nc, at = SIDES * (size_t)nc, wide = SIDES * (size_t)bs;
    const double *value = ldl->value + node->value, *reciprocal = ldl->reciprocal + bs * node->first;
    double *own = thaw_ldl_sides_at(plan, set, node->first);
    memcpy(X, own, at * sizeof *X);
    for (int32_t i = node->cols; i < node->rows; i++, at += wide)
        memcpy(X + at, thaw_ldl_sides_at(plan, set, plan->row[node->row + i - node->cols]), wide * sizeof *X);
    memset(X + at, 0, (8 * SIDES * (size_t)panels - at) * sizeof *X);
    _Alignas(64) double c[8 * SIDES], edge[8 * 8] = {0};
    for (int32_t q = (nc - 1) / 8; q >= 0; q--) {
        int32_t n = nc - 8 * q < 8 ? nc - 8 * q : 8;
        const double *a = value + (size_t)(q + 1) * next + 64 * (size_t)q;
        if (n == 8 || q + 1 >= panels) {
            ldl->kernels->backward_sides(panels - q - 1, a, next, X + 8 * SIDES * (size_t)(q + 1), c);
        } else { // the last columns, fewer than eight
            memset(c, 0, sizeof c);
            for (int32_t p = q + 1; p < panels; p++, a += next) {
                _Alignas(64) double part[8 * SIDES];
                memcpy(edge, a, 8 * (size_t)n * sizeof *a);
                ldl->kernels->backward_sides(1, edge, 0, X + 8 * SIDES * (size_t)p, part);
                for (int32_t j = 0; j < n; j++)
                    add_scaled(c + SIDES * j, part + SIDES * j, 1.0);
            }
        }
        const double *triangle = value + (size_t)q * next + 64 * (size_t)q;
        for (int32_t j = n - 1; j >= 0; j--) {
            double *row = X + SIDES * (size_t)(8 * q + j);
            add_scaled(row, c + SIDES * j, -1.0);
            for (int32_t i = 7; i > j; i--)
                add_scaled(row, X + SIDES * (size_t)(8 * q + i), -triangle[8 * j + i]);
            scale_row(row, reciprocal[8 * q + j]);
        }
    }
    memcpy(own, X, SIDES * (size_t)nc * sizeof *X);
}

// --- all columns -----------------------------------------------------------------------------------------------------

typedef struct ManyJob {
    ThawLdl *ldl;
    int32_t count;
    const double *b;
    double *x;
    size_t stride, room; // room: doubles of scratch a thread
    double *sum;         // one a batch, finite if all answers are
} ManyJob;

static void solve_batch(void *context, int32_t batch) {
    ManyJob *job = context;
    ThawLdl *ldl = job->ldl;
    const ThawLdlPlan *plan = ldl->plan;
    int32_t bs = plan->bs, slot, n = job->count - SIDES * batch < SIDES ? job->count - SIDES * batch : SIDES;
    size_t size = (size_t)plan->n * (size_t)bs;
    ThawLdlScratch *scratch = thaw_ldl_claim(ldl, &slot);
    double *Y = ldl->work + job->room * (size_t)slot, *X = Y + SIDES * size, sum = 0;
    const double *b = job->b + SIDES * (size_t)batch * job->stride;
    double *x = job->x + SIDES * (size_t)batch * job->stride;
    memset(scratch->base, 0, (size_t)plan->count * sizeof *scratch->base);
    for (int32_t k = 0; k < plan->n; k++)
        for (int32_t r = 0; r < bs; r++)
            for (int32_t j = 0; j < SIDES; j++)
                Y[SIDES * ((size_t)bs * (size_t)k + (size_t)r) + (size_t)j] =
                    j < n ? b[(size_t)j * job->stride + (size_t)(bs * plan->order[k] + r)] : 0.0;
    ThawLdlSides set = {scratch->base, Y};
    for (int32_t s = 0; s < plan->count; s++)
        thaw_ldl_forward_sides(ldl, s, 1, &set);
    for (size_t k = 0; ldl->mixed && k < size; k++)
        scale_row(Y + SIDES * k, ldl->sign[k]);
    for (int32_t s = plan->count - 1; s >= 0; s--)
        backward_sides(ldl, s, &set, X);
    for (int32_t k = 0; k < plan->n; k++)
        for (int32_t r = 0; r < bs; r++)
            for (int32_t j = 0; j < n; j++) {
                double value = Y[SIDES * ((size_t)bs * (size_t)k + (size_t)r) + (size_t)j];
                x[(size_t)j * job->stride + (size_t)(bs * plan->order[k] + r)] = value;
                sum += value - value;
            }
    job->sum[batch] = sum;
    thaw_ldl_release(ldl, slot);
}

ThawStatus thaw_ldl_solve_many(ThawLdl *ldl, int32_t count, const double *b, double *x, size_t stride) {
    const ThawLdlPlan *plan = ldl->plan;
    // Below this, reading L for each costs less than sixteen sides at once.
    enum { FEW = 3 };
    ThawStatus status = ldl->factored ? THAW_OK : THAW_INDEFINITE;
    for (int32_t c = 0; c < count && count <= FEW && status == THAW_OK; c++)
        status = thaw_ldl_solve(ldl, b + (size_t)c * stride, x + (size_t)c * stride);
    if (count <= FEW || status != THAW_OK)
        return status;
    int32_t batches = (count + SIDES - 1) / SIDES;
    size_t room = SIDES * ((size_t)plan->n * (size_t)plan->bs + (size_t)plan->most_rows);
    if (!thaw_ldl_reserve(ldl, room * (size_t)ldl->threads + (size_t)batches))
        return THAW_ERROR_MEMORY;
    ManyJob job = {ldl, count, b, x, stride, room, ldl->work + room * (size_t)ldl->threads};
    thaw_tasks_for(ldl->tasks, batches, solve_batch, &job);
    return thaw_ldl_check(job.sum, (size_t)batches);
}

// --- the reach -------------------------------------------------------------------------------------------------------

static int compare_node(const void *a, const void *b) {
    int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    return (i > j) - (i < j);
}

void thaw_ldl_sort_nodes(int32_t count, int32_t *nodes) { qsort(nodes, (size_t)count, sizeof *nodes, compare_node); }

int32_t thaw_ldl_climb(const ThawLdlPlan *plan, int32_t i, int32_t stamp, int32_t *stamps, int32_t *nodes,
                       int32_t count) {
    for (int32_t s = plan->owner[plan->place[i]]; s >= 0 && stamps[s] != stamp; s = plan->node[s].parent) {
        stamps[s] = stamp;
        nodes[count++] = s;
    }
    return count;
}

ThawStatus thaw_ldl_check_rows(const ThawLdlPlan *plan, int32_t count, const int32_t *row) {
    for (int32_t i = 0; i < count; i++)
        if (row[i] < 0 || row[i] >= plan->n)
            return THAW_ERROR_INPUT;
    return THAW_OK;
}

ThawStatus thaw_ldl_solve_sparse(ThawLdl *ldl, int32_t b_count, const int32_t *b_row, const double *b, int32_t x_count,
                                 const int32_t *x_row, double *x) {
    const ThawLdlPlan *plan = ldl->plan;
    size_t bs = (size_t)plan->bs;
    int32_t nb = 0, nx = 0, slot;
    if (!ldl->factored)
        return THAW_INDEFINITE;
    if (thaw_ldl_check_rows(plan, b_count, b_row) != THAW_OK || thaw_ldl_check_rows(plan, x_count, x_row) != THAW_OK)
        return THAW_ERROR_INPUT;
    if (!reserve_index(ldl, 3 * (size_t)plan->count))
        return THAW_ERROR_MEMORY;
    int32_t *stamps = ldl->index, *up = stamps + plan->count, *down = up + plan->count;
    memset(stamps, 0, (size_t)plan->count * sizeof *stamps);
    for (int32_t i = 0; i < b_count; i++)
        nb = thaw_ldl_climb(plan, b_row[i], 1, stamps, up, nb);
    for (int32_t i = 0; i < nb; i++)
        memset(ldl->y + bs * (size_t)plan->node[up[i]].first, 0, bs * (size_t)plan->node[up[i]].cols * sizeof *ldl->y);
    for (int32_t i = 0; i < x_count; i++)
        for (int32_t s = plan->owner[plan->place[x_row[i]]]; s >= 0 && stamps[s] < 2; s = plan->node[s].parent) {
            if (stamps[s] == 0) // no part of b comes here
                memset(ldl->y + bs * (size_t)plan->node[s].first, 0, bs * (size_t)plan->node[s].cols * sizeof *ldl->y);
            stamps[s] = 2;
            down[nx++] = s;
        }
    thaw_ldl_sort_nodes(nb, up);
    thaw_ldl_sort_nodes(nx, down);
    for (int32_t i = 0; i < b_count; i++)
        for (size_t r = 0; r < bs; r++)
            ldl->y[bs * (size_t)plan->place[b_row[i]] + r] += b[bs * (size_t)i + r];
    ThawLdlScratch *scratch = thaw_ldl_claim(ldl, &slot);
    for (int32_t i = 0; i < nb; i++)
        thaw_ldl_forward(ldl, up[i], ldl->y, scratch->x);
    for (int32_t i = 0; i < nx && ldl->mixed; i++)
        for (size_t k = bs * (size_t)plan->node[down[i]].first, end = k + bs * (size_t)plan->node[down[i]].cols;
             k < end; k++)
            ldl->y[k] *= ldl->sign[k];
    for (int32_t i = nx - 1; i >= 0; i--)
        thaw_ldl_backward(ldl, down[i], ldl->y, scratch->x);
    thaw_ldl_release(ldl, slot);
    for (int32_t i = 0; i < x_count; i++)
        for (size_t r = 0; r < bs; r++)
            x[bs * (size_t)i + r] = ldl->y[bs * (size_t)plan->place[x_row[i]] + r];
    return thaw_ldl_check(x, bs * (size_t)x_count);
}
