// SPDX-License-Identifier: Apache-2.0
// Many and sparse right-hand sides.
//
// A right-hand side with few nonzeros changes only what lies on the ways from them to the root of the elimination tree
// (Gilbert and Peierls 1988): the forward solve visits the nodes of that "reach" only. Backward, the wanted rows need the
// nodes on their own ways and no others.
//
// H = J A^-1 J' needs no backward solve: with A = L S L' it is Y' S Y, Y = L^-1 J'. Rows of J are sorted by where they enter the
// tree and taken sixteen scalars at a time; a batch has one reach, its Y is kept for the rows of that reach only, node after
// node. Two batches meet in the upper part of the tree, where both their Ys lie in one piece, so Y' S Y is a few long
// products. Cost: the numbers of L on the reach times the sides, and the square of the sides times the length of the common
// way; no more than memory for the Ys. Batches and pairs of batches are tasks. Where contacts share so many vertices that
// those have fewer unknowns than J has rows, the vertices' response G is computed that way, and H = C G C'.
#include <stdlib.h>
#include <string.h>

#include "sparse/ldl_impl.h"

enum { SIDES = THAW_LDL_SIDES };

// --- scratch that stays with the factor --------------------------------------------------------------------------------

static int reserve_work(ThawLdl *ldl, size_t size) {
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

// Room for `count` items in the factor's slot, which only ever grows: a steady caller allocates nothing. TAKE zeroes it.
typedef enum Slot {
    SLOT_ENTRANCE,
    SLOT_STAMPS,
    SLOT_NODES,
    SLOT_NODE,
    SLOT_BEFORE,
    SLOT_ROW,
    SLOT_START,
    SLOT_Y,
    SLOT_UNIT_START,
    SLOT_UNIT,
    SLOT_G,
    SLOT_W,
    SLOT_TOUCHED,
    SLOT_NUMBER,
    SLOT_COUNT
} Slot;
_Static_assert((int)SLOT_COUNT == (int)THAW_LDL_SLOTS, "one slot for each");

static void *lend(ThawLdl *ldl, Slot slot, size_t count, size_t size) {
    size_t bytes = (count ? count : 1) * size;
    if (ldl->slot_size[slot] < bytes) {
        void *room = thaw_alloc(bytes + bytes / 2, 1);
        if (!room)
            return NULL;
        thaw_free(ldl->slot[slot]);
        ldl->slot[slot] = room;
        ldl->slot_size[slot] = bytes + bytes / 2;
    }
    return ldl->slot[slot];
}

static void *take(ThawLdl *ldl, Slot slot, size_t count, size_t size) {
    void *room = lend(ldl, slot, count, size);
    return room ? memset(room, 0, (count ? count : 1) * size) : NULL;
}
#define LEND(ldl, slot, type, count) ((type *)lend(ldl, slot, (size_t)(count), sizeof(type)))
#define TAKE(ldl, slot, type, count) ((type *)take(ldl, slot, (size_t)(count), sizeof(type)))

// --- sixteen sides through one node ------------------------------------------------------------------------------------

// Y holds 16 doubles a scalar row; the rows of node s begin at base[s] + bs * first.
static inline double *sides_at(const ThawLdlPlan *plan, const ptrdiff_t *base, double *Y, int32_t place) {
    return Y + SIDES * (base[plan->owner[place]] + (ptrdiff_t)plan->bs * place);
}

static void add_scaled(double *to, const double *from, double scale) {
    for (int h = 0; h < SIDES; h += 8)
        *(ThawLanes *)(to + h) += *(const ThawLanes *)(from + h) * scale;
}

static void scale_row(double *row, double scale) {
    for (int h = 0; h < SIDES; h += 8)
        *(ThawLanes *)(row + h) *= scale;
}

static void forward_sides(const ThawLdl *ldl, int32_t s, const ptrdiff_t *base, double *Y) {
    const ThawLdlPlan *plan = ldl->plan;
    const ThawLdlNode *node = &plan->node[s];
    int32_t bs = plan->bs, nc = bs * node->cols, nr = bs * node->rows, panels = thaw_ldl_panels(plan, node);
    const double *a = ldl->value + node->value, *reciprocal = ldl->reciprocal + bs * node->first;
    double *own = sides_at(plan, base, Y, node->first);
    _Alignas(64) double c[8 * SIDES];
    for (int32_t p = 0; p < panels; p++, a += 8 * (size_t)nc) {
        int32_t k = 8 * p < nc ? 8 * p : nc;
        ldl->kernels->forward_sides(k, a, own, c);
        for (int32_t i = 8 * p; i < nr && i < 8 * p + 8; i++) {
            double *ci = c + SIDES * (i - 8 * p);
            for (int32_t j = k; j < i && j < nc; j++)
                add_scaled(ci, own + SIDES * (size_t)j, a[8 * (size_t)j + (size_t)(i - 8 * p)]);
            int32_t below = i / bs - node->cols;
            double *row = i < nc ? own + SIDES * (size_t)i
                                 : sides_at(plan, base, Y, plan->row[node->row + below]) + SIDES * (i % bs);
            add_scaled(row, ci, -1.0);
            if (i < nc)
                scale_row(row, reciprocal[i]);
        }
    }
}

// X: scratch for the rows of one node.
static void backward_sides(const ThawLdl *ldl, int32_t s, const ptrdiff_t *base, double *Y, double *X) {
    const ThawLdlPlan *plan = ldl->plan;
    const ThawLdlNode *node = &plan->node[s];
    int32_t bs = plan->bs, nc = bs * node->cols, panels = thaw_ldl_panels(plan, node);
    size_t next = 8 * (size_t)nc, at = SIDES * (size_t)nc, wide = SIDES * (size_t)bs;
    const double *value = ldl->value + node->value, *reciprocal = ldl->reciprocal + bs * node->first;
    double *own = sides_at(plan, base, Y, node->first);
    memcpy(X, own, at * sizeof *X);
    for (int32_t i = node->cols; i < node->rows; i++, at += wide)
        memcpy(X + at, sides_at(plan, base, Y, plan->row[node->row + i - node->cols]), wide * sizeof *X);
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

// --- all columns -------------------------------------------------------------------------------------------------------

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
    for (int32_t s = 0; s < plan->count; s++)
        forward_sides(ldl, s, scratch->base, Y);
    for (size_t k = 0; ldl->mixed && k < size; k++)
        scale_row(Y + SIDES * k, ldl->sign[k]);
    for (int32_t s = plan->count - 1; s >= 0; s--)
        backward_sides(ldl, s, scratch->base, Y, X);
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
    if (!reserve_work(ldl, room * (size_t)ldl->threads + (size_t)batches))
        return THAW_ERROR_MEMORY;
    ManyJob job = {ldl, count, b, x, stride, room, ldl->work + room * (size_t)ldl->threads};
    thaw_tasks_for(ldl->tasks, batches, solve_batch, &job);
    return thaw_ldl_check(job.sum, (size_t)batches);
}

// --- the reach ---------------------------------------------------------------------------------------------------------

static int compare_index(const void *a, const void *b) {
    int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    return (i > j) - (i < j);
}

// Adds the nodes from block row i to the root that do not carry the stamp yet; returns how many `nodes` there are then.
static int32_t climb(const ThawLdlPlan *plan, int32_t i, int32_t stamp, int32_t *stamps, int32_t *nodes,
                     int32_t count) {
    for (int32_t s = plan->owner[plan->place[i]]; s >= 0 && stamps[s] != stamp; s = plan->node[s].parent) {
        stamps[s] = stamp;
        nodes[count++] = s;
    }
    return count;
}

static ThawStatus check_rows(const ThawLdlPlan *plan, int32_t count, const int32_t *row) {
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
    if (check_rows(plan, b_count, b_row) != THAW_OK || check_rows(plan, x_count, x_row) != THAW_OK)
        return THAW_ERROR_INPUT;
    if (!reserve_index(ldl, 3 * (size_t)plan->count))
        return THAW_ERROR_MEMORY;
    int32_t *stamps = ldl->index, *up = stamps + plan->count, *down = up + plan->count;
    memset(stamps, 0, (size_t)plan->count * sizeof *stamps);
    for (int32_t i = 0; i < b_count; i++)
        nb = climb(plan, b_row[i], 1, stamps, up, nb);
    for (int32_t i = 0; i < nb; i++)
        memset(ldl->y + bs * (size_t)plan->node[up[i]].first, 0, bs * (size_t)plan->node[up[i]].cols * sizeof *ldl->y);
    for (int32_t i = 0; i < x_count; i++)
        for (int32_t s = plan->owner[plan->place[x_row[i]]]; s >= 0 && stamps[s] < 2; s = plan->node[s].parent) {
            if (stamps[s] == 0) // no part of b comes here
                memset(ldl->y + bs * (size_t)plan->node[s].first, 0, bs * (size_t)plan->node[s].cols * sizeof *ldl->y);
            stamps[s] = 2;
            down[nx++] = s;
        }
    qsort(up, (size_t)nb, sizeof *up, compare_index);
    qsort(down, (size_t)nx, sizeof *down, compare_index);
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

// --- J A^-1 J' ---------------------------------------------------------------------------------------------------------

typedef struct Response {
    ThawLdl *ldl;
    const ThawBlockRows *J;
    int32_t *row;     // block rows of J that are not empty, sorted by where they enter the tree
    int32_t rows;     // how many
    int32_t in_batch; // block rows of a batch
    int32_t batches;
    int32_t *start;  // batches + 1 offsets into node
    int32_t *node;   // the reach of each batch, ascending
    int32_t *before; // scalar rows of Y before a node, within the batch
    size_t *Y;       // batches + 1: where a batch's Y begins in the factor's work, in rows of sixteen
    double *H;       // NULL: only the diagonal blocks, into `blocks`
    size_t stride;
    double *blocks;
} Response;

typedef struct Entrance {
    int32_t place, row;
} Entrance;

static int compare_entrance(const void *a, const void *b) {
    const Entrance *p = a, *q = b;
    return p->place != q->place ? (p->place > q->place) - (p->place < q->place) : (p->row > q->row) - (p->row < q->row);
}

static int sort_rows(Response *r) {
    const ThawLdlPlan *plan = r->ldl->plan;
    Entrance *entrance = TAKE(r->ldl, SLOT_ENTRANCE, Entrance, r->J->count);
    if (!entrance)
        return 0;
    for (int32_t c = 0; c < r->J->count; c++) {
        if (r->J->start[c] == r->J->start[c + 1])
            continue;
        Entrance *e = &entrance[r->rows++];
        *e = (Entrance){plan->n, c};
        for (int32_t k = r->J->start[c]; k < r->J->start[c + 1]; k++) {
            int32_t place = plan->place[r->J->col[k]];
            e->place = place < e->place ? place : e->place;
        }
    }
    if (r->rows > 0)
        qsort(entrance, (size_t)r->rows, sizeof *entrance, compare_entrance);
    for (int32_t i = 0; i < r->rows; i++)
        r->row[i] = entrance[i].row;
    return 1;
}

// The nodes of a batch's reach into `nodes`; returns their number.
static int32_t reach_of(const Response *r, int32_t batch, int32_t stamp, int32_t *stamps, int32_t *nodes) {
    int32_t count = 0, end = (batch + 1) * r->in_batch < r->rows ? (batch + 1) * r->in_batch : r->rows;
    for (int32_t i = batch * r->in_batch; i < end; i++)
        for (int32_t k = r->J->start[r->row[i]]; k < r->J->start[r->row[i] + 1]; k++)
            count = climb(r->ldl->plan, r->J->col[k], stamp, stamps, nodes, count);
    return count;
}

static int find_reaches(Response *r) {
    const ThawLdlPlan *plan = r->ldl->plan;
    int32_t *stamps = TAKE(r->ldl, SLOT_STAMPS, int32_t, plan->count);
    int32_t *nodes = TAKE(r->ldl, SLOT_NODES, int32_t, plan->count);
    int good = stamps && nodes;
    for (int32_t b = 0; good && b < r->batches; b++) {
        int32_t count = reach_of(r, b, b + 1, stamps, nodes);
        good = count <= INT32_MAX - r->start[b];
        r->start[b + 1] = good ? r->start[b] + count : 0;
    }
    if (good) {
        r->node = TAKE(r->ldl, SLOT_NODE, int32_t, r->start[r->batches]);
        r->before = TAKE(r->ldl, SLOT_BEFORE, int32_t, r->start[r->batches]);
        good = r->node && r->before;
    }
    if (good)
        memset(stamps, 0, (size_t)plan->count * sizeof *stamps);
    for (int32_t b = 0; good && b < r->batches; b++) {
        int32_t *node = r->node + r->start[b], count = reach_of(r, b, b + 1, stamps, node), rows = 0;
        qsort(node, (size_t)count, sizeof *node, compare_index);
        for (int32_t i = 0; i < count; i++) {
            r->before[r->start[b] + i] = rows;
            rows += plan->bs * plan->node[node[i]].cols;
        }
        r->Y[b + 1] = r->Y[b] + (size_t)rows;
    }
    return good;
}

// Y = L^-1 J' of one batch.
static void forward_batch(void *context, int32_t b) {
    Response *r = context;
    ThawLdl *ldl = r->ldl;
    const ThawLdlPlan *plan = ldl->plan;
    const ThawBlockRows *J = r->J;
    int32_t bs = plan->bs, slot, end = (b + 1) * r->in_batch < r->rows ? (b + 1) * r->in_batch : r->rows;
    ThawLdlScratch *scratch = thaw_ldl_claim(ldl, &slot);
    double *Y = ldl->work + SIDES * r->Y[b];
    memset(Y, 0, SIDES * (r->Y[b + 1] - r->Y[b]) * sizeof *Y);
    for (int32_t i = r->start[b]; i < r->start[b + 1]; i++)
        scratch->base[r->node[i]] = r->before[i] - (ptrdiff_t)bs * plan->node[r->node[i]].first;
    for (int32_t i = b * r->in_batch; i < end; i++)
        for (int32_t k = J->start[r->row[i]]; k < J->start[r->row[i] + 1]; k++) {
            double *y = sides_at(plan, scratch->base, Y, plan->place[J->col[k]]) + J->height * (i - b * r->in_batch);
            const double *value = J->value + (size_t)k * (size_t)(J->height * bs);
            for (int32_t q = 0; q < J->height; q++)
                for (int32_t c = 0; c < bs; c++)
                    y[SIDES * c + q] += value[bs * q + c];
        }
    for (int32_t i = r->start[b]; i < r->start[b + 1]; i++)
        forward_sides(ldl, r->node[i], scratch->base, Y);
    thaw_ldl_release(ldl, slot);
}

// tile += Ya' S Yb over `count` rows whose signs begin at `sign` (NULL: all positive).
static void multiply_sides(const ThawLdlKernels *kernels, int32_t count, const double *Ya, const double *Yb,
                           const double *sign, double *tile) {
    _Alignas(64) double c[2 * 8 * 8];
    for (int32_t begin = 0, end; begin < count; begin = end) {
        double s = sign ? sign[begin] : 1.0;
        for (end = sign ? begin + 1 : count; end < count && sign[end] == s;)
            end++;
        for (int half = 0; half < SIDES; half += 8) {
            kernels->product(2, 8, end - begin, Ya + SIDES * (size_t)begin, 8, SIDES, Yb + SIDES * (size_t)begin + half,
                             SIDES, c);
            for (int h = 0; h < 2; h++)
                for (int j = 0; j < 8; j++)
                    for (int l = 0; l < 8; l++)
                        tile[SIDES * (8 * h + l) + half + j] += s * c[8 * (8 * h + j) + l];
        }
    }
}

// The 16 x 16 numbers of two batches: runs of nodes that follow each other in both reaches are one product.
static void meet(const Response *r, int32_t a, int32_t b, double *tile) {
    const ThawLdl *ldl = r->ldl;
    const ThawLdlPlan *plan = ldl->plan;
    int32_t i = r->start[a], j = r->start[b], i_end = r->start[a + 1], j_end = r->start[b + 1];
    memset(tile, 0, SIDES * SIDES * sizeof *tile);
    while (i < i_end && j < j_end) {
        if (r->node[i] != r->node[j]) {
            *(r->node[i] < r->node[j] ? &i : &j) += 1;
            continue;
        }
        const double *Ya = ldl->work + SIDES * (r->Y[a] + (size_t)r->before[i]);
        const double *Yb = ldl->work + SIDES * (r->Y[b] + (size_t)r->before[j]);
        int32_t count = 0, first = r->node[i];
        // Signs are by place, which jumps between nodes that do not follow each other in the tree's order.
        do
            count += plan->bs * plan->node[r->node[i]].cols;
        while (++i < i_end && ++j < j_end && r->node[i] == r->node[j] &&
               (!ldl->mixed || r->node[i] == r->node[i - 1] + 1));
        if (i == i_end)
            j++;
        multiply_sides(ldl->kernels, count, Ya, Yb, ldl->mixed ? ldl->sign + plan->bs * plan->node[first].first : NULL,
                       tile);
    }
}

static void add_tiles(void *context, int32_t a) {
    Response *r = context;
    _Alignas(64) double tile[SIDES * SIDES];
    int32_t height = r->J->height, first = a * r->in_batch;
    int32_t last = first + r->in_batch < r->rows ? first + r->in_batch : r->rows;
    for (int32_t b = r->H ? 0 : a; b <= a; b++) {
        meet(r, a, b, tile);
        int32_t begin = b * r->in_batch, end = begin + r->in_batch < r->rows ? begin + r->in_batch : r->rows;
        for (int32_t i = first; i < last; i++)
            for (int32_t j = r->H ? begin : i; j < (r->H ? end : i + 1); j++)
                for (int32_t p = 0; p < height; p++)
                    for (int32_t q = 0; q < height; q++) {
                        double value = tile[SIDES * (height * (i - first) + p) + height * (j - begin) + q];
                        size_t row = (size_t)(height * r->row[i] + p), col = (size_t)(height * r->row[j] + q);
                        if (!r->H) {
                            r->blocks[(size_t)(height * height) * (size_t)r->row[i] + (size_t)(height * p + q)] = value;
                            continue;
                        }
                        r->H[row * r->stride + col] += value;
                        if (a != b)
                            r->H[col * r->stride + row] += value;
                    }
    }
}

static ThawStatus respond(Response *r) {
    int32_t most = r->J->count / r->in_batch + 1;
    r->row = TAKE(r->ldl, SLOT_ROW, int32_t, r->J->count);
    r->start = TAKE(r->ldl, SLOT_START, int32_t, most + 1);
    r->Y = TAKE(r->ldl, SLOT_Y, size_t, most + 1);
    int good = r->row && r->start && r->Y && sort_rows(r);
    if (good) {
        r->batches = (r->rows + r->in_batch - 1) / r->in_batch;
        good = find_reaches(r) && reserve_work(r->ldl, SIDES * r->Y[r->batches]);
    }
    ThawStatus status = good ? THAW_OK : THAW_ERROR_MEMORY;
    if (good) {
        thaw_tasks_for(r->ldl->tasks, r->batches, forward_batch, r);
        thaw_tasks_for(r->ldl->tasks, r->batches, add_tiles, r);
        status = thaw_ldl_check(r->ldl->work, SIDES * r->Y[r->batches]);
    }
    return status;
}

// --- by vertices -------------------------------------------------------------------------------------------------------

// Contacts that share vertices: J = C E', E the unit columns of the `count` block rows touched, G = E'A^-1 E, H = C G C'.
typedef struct Touched {
    const ThawBlockRows *J;
    int32_t bs, count;
    int32_t *row;  // touched block rows
    int32_t *slot; // block row -> its number among them
    double *G;     // bs * count square
    double *W;     // four doubles a row of G for each block row of J
    double *H;
    size_t stride;
} Touched;

// Four scalar rows of J at once, side by side: w = (C G)' has four doubles for each row of G.
typedef double Four __attribute__((vector_size(32), may_alias));

// w of rows p .. p + 3 of block row c; lanes beyond its height are zero.
static inline __attribute__((always_inline)) void expand_row(const Touched *t, int32_t bs, int32_t c, int32_t p,
                                                             Four *w) {
    const ThawBlockRows *J = t->J;
    size_t wide = (size_t)(bs * t->count);
    memset(w, 0, wide * sizeof *w);
    for (int32_t k = J->start[c]; k < J->start[c + 1]; k++)
        for (int32_t r = 0; r < bs; r++) {
            const double *value = J->value + (size_t)k * (size_t)(J->height * bs) + (size_t)(bs * p + r);
            const double *g = t->G + wide * (size_t)(bs * t->slot[J->col[k]] + r);
            Four a = {0, 0, 0, 0};
            for (int32_t l = 0; l < 4 && p + l < J->height; l++)
                a[l] = value[bs * l];
            for (size_t i = 0; i < wide; i++)
                w[i] += a * g[i];
        }
}

// H of rows p .. p + 3 of block row c with row q of block row d.
static inline __attribute__((always_inline)) Four meet_row(const Touched *t, int32_t bs, const Four *w, int32_t d,
                                                           int32_t q) {
    const ThawBlockRows *J = t->J;
    Four sum = {0, 0, 0, 0};
    for (int32_t k = J->start[d]; k < J->start[d + 1]; k++) {
        const Four *own = w + bs * t->slot[J->col[k]];
        const double *value = J->value + (size_t)k * (size_t)(J->height * bs) + (size_t)(bs * q);
        for (int32_t r = 0; r < bs; r++)
            sum += own[r] * value[r];
    }
    return sum;
}

// The lower triangle of a block row; the mirror image belongs to no other task, and makes H symmetric to the bit.
static inline __attribute__((always_inline)) void multiply_row(const Touched *t, int32_t bs, int32_t height,
                                                               int32_t c) {
    Four *w = (Four *)(t->W + 4 * (size_t)(bs * t->count) * (size_t)c);
    for (int32_t p = 0; p < height; p += 4) {
        expand_row(t, bs, c, p, w);
        for (int32_t d = 0; d <= c; d++)
            for (int32_t q = 0; q < height; q++) {
                Four sum = meet_row(t, bs, w, d, q);
                size_t col = (size_t)(height * d + q);
                for (int32_t l = 0; l < 4 && p + l < height; l++) {
                    size_t row = (size_t)(height * c + p + l);
                    if (col > row)
                        continue;
                    t->H[row * t->stride + col] += sum[l];
                    if (col < row)
                        t->H[col * t->stride + row] += sum[l];
                }
            }
    }
}

static void multiply_rows(void *context, int32_t c) {
    const Touched *t = context;
    if (t->bs == 3 && t->J->height == 3)
        multiply_row(t, 3, 3, c);
    else
        multiply_row(t, t->bs, t->J->height, c);
}

static ThawStatus unit_response(ThawLdl *ldl, int32_t count, const int32_t *row, double *H, size_t stride,
                                double *blocks) {
    int32_t bs = ldl->plan->bs;
    int32_t *start = TAKE(ldl, SLOT_UNIT_START, int32_t, count + 1);
    double *unit = TAKE(ldl, SLOT_UNIT, double, (size_t)count *(size_t)(bs * bs));
    ThawStatus status = THAW_ERROR_MEMORY;
    if (start && unit) {
        for (int32_t i = 0; i < count; i++) {
            start[i + 1] = i + 1;
            for (int32_t q = 0; q < bs; q++)
                unit[(size_t)(bs * bs) * (size_t)i + (size_t)(bs * q + q)] = 1.0;
        }
        ThawBlockRows E = {count, bs, start, row, unit};
        Response r = {.ldl = ldl, .J = &E, .in_batch = SIDES / bs, .H = H, .stride = stride, .blocks = blocks};
        status = respond(&r);
    }
    return status;
}

static ThawStatus respond_by_vertices(ThawLdl *ldl, Touched *t) {
    size_t wide = (size_t)(t->bs * t->count);
    t->G = TAKE(ldl, SLOT_G, double, wide *wide);
    t->W = LEND(ldl, SLOT_W, double, 4 * wide * (size_t)t->J->count);
    ThawStatus status = t->G && t->W ? unit_response(ldl, t->count, t->row, t->G, wide, NULL) : THAW_ERROR_MEMORY;
    if (status == THAW_OK)
        thaw_tasks_for(ldl->tasks, t->J->count, multiply_rows, t);
    return status;
}

ThawStatus thaw_ldl_schur(ThawLdl *ldl, const ThawBlockRows *J, double *H, size_t stride) {
    const ThawLdlPlan *plan = ldl->plan;
    if (!ldl->factored)
        return THAW_INDEFINITE;
    if (J->count < 0 || J->height < 1 || J->height > SIDES ||
        check_rows(plan, J->count > 0 ? J->start[J->count] : 0, J->col) != THAW_OK)
        return THAW_ERROR_INPUT;
    if (J->count == 0)
        return THAW_OK;
    Touched t = {.J = J, .bs = plan->bs, .H = H, .stride = stride};
    t.row = TAKE(ldl, SLOT_TOUCHED, int32_t, plan->n);
    t.slot = TAKE(ldl, SLOT_NUMBER, int32_t, plan->n);
    ThawStatus status = t.row && t.slot ? THAW_OK : THAW_ERROR_MEMORY;
    if (status == THAW_OK) {
        for (int32_t k = 0; k < J->start[J->count]; k++)
            if (t.slot[J->col[k]] == 0) {
                t.row[t.count++] = J->col[k];
                t.slot[J->col[k]] = t.count; // plus one, for now
            }
        for (int32_t i = 0; i < t.count; i++)
            t.slot[t.row[i]]--;
        // The work grows with the square of the number of sides; multiplying by C takes some of the gain back.
        if (4 * (int64_t)(plan->bs * t.count) < 3 * (int64_t)(J->height * J->count)) {
            status = respond_by_vertices(ldl, &t);
        } else {
            Response r = {.ldl = ldl, .J = J, .in_batch = SIDES / J->height, .H = H, .stride = stride};
            status = respond(&r);
        }
    }
    return status;
}

ThawStatus thaw_ldl_inverse_blocks(ThawLdl *ldl, int32_t count, const int32_t *row, double *blocks) {
    if (!ldl->factored)
        return THAW_INDEFINITE;
    if (check_rows(ldl->plan, count, row) != THAW_OK)
        return THAW_ERROR_INPUT;
    return count > 0 ? unit_response(ldl, count, row, NULL, 0, blocks) : THAW_OK;
}
