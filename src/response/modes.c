// SPDX-License-Identifier: Apache-2.0
// Whole motions of bodies: what joins the far ends of an island.
//
// A body's compliance is S = B B' + rest (response.h): a few whole motions, six in space, and what deforms it. In
// contact rows B_i = R_i sum_a w_a B_a, and H = sum over bodies of B B' + rest. Two uses:
//
// Rigid bodies have no rest. Then neither S nor a square over their contacts is ever formed: a body keeps y = B'
// lambda, its motion, and a contact reads B_i y and adds B_i' change, as rigid body engines do. A sweep costs 12 dim
// flops a contact.
//
// Newton's equations (newton.c) are (E H C + K) d = -E w. Without the rest beyond each contact's own block they are
// Gamma + U V', Gamma block diagonal, U = E B, V = C' B, and by Woodbury's formula
//     (Gamma + U V')^-1 = Gamma^-1 - Gamma^-1 U (1 + V' Gamma^-1 U)^-1 V' Gamma^-1,
// where the matrix in the middle has one 6 x 6 block a body and one for each pair that touches. It is factored
// sparsely, bodies in the order of least degree, without pivots between bodies (its symmetric part is the identity and
// more). As a preconditioner it is exact for rigid bodies, and leaves to GMRES what is elastic: nothing far reaching.
//
// Cost: sum over bodies of (neighbours at elimination)^2 * 432 flops a factorisation, little beside one product with H.
// Where the factor would have more than BLOCKS_MAX blocks, contacts are preconditioned one by one: slower, not wrong.
#include <math.h>
#include <string.h>

#include "response/island.h"

enum { MODES = THAW_MODE_COUNT, LANES = THAW_MODE_LANES, BLOCK = MODES * LANES, BLOCKS_MAX = 100000 };

// --- B ---------------------------------------------------------------------------------------------------------------

// To ask a body what its motions are worth costs nothing. Those of a rigid body are its compliance, and are computed at
// once; those of an elastic one cost some products with A, and are computed when Newton's method or the matrix-free
// form needs them.
static void call_modes(void *context, int32_t index) {
    ThawResponse *island = context;
    ThawPart *part = island->parts + index;
    const ThawResponseBody *body = island->bodies + index;
    const int32_t *vertex = island->vertex + part->first_vertex;
    double *B = island->vertex_modes + (size_t)part->first_vertex * (size_t)(island->dim * MODES);
    if (!island->complete)
        part->motions = body->modes && part->vertices > 0 ? body->modes(body->context, part->vertices, vertex, NULL)
                                                          : THAW_MOTIONS_NONE;
    if (part->motions == (island->complete ? THAW_MOTIONS_SOME : THAW_MOTIONS_ALL))
        part->motions = body->modes(body->context, part->vertices, vertex, B);
}

static void make_row_modes(ThawResponse *island, const ThawRow *row, int32_t slot) {
    const int d = island->dim;
    const ThawPart *part = island->parts + row->part[slot];
    const double *vertex = island->vertex_modes + (size_t)part->first_vertex * (size_t)(d * MODES);
    double *B = thaw_row_modes(island, row, slot), mean[3][MODES] = {{0}};
    memset(B, 0, (size_t)(d * LANES) * sizeof *B);
    for (int32_t a = 0; a < row->nodes[slot] && part->motions != THAW_MOTIONS_NONE; a++)
        for (int c = 0; c < d; c++)
            for (int k = 0; k < MODES; k++)
                mean[c][k] += row->weight[slot][a] * vertex[(d * row->local[slot][a] + c) * MODES + k];
    for (int r = 0; r < d; r++)
        for (int c = 0; c < d; c++)
            for (int k = 0; k < MODES; k++)
                B[LANES * r + k] += row->R[d * r + c] * mean[c][k];
}

// Rows of bodies without modes are zeroed in both passes.
static void ask_bodies(ThawResponse *island, ThawMotions kind) {
    thaw_tasks_for(island->body_count > 1 ? island->tasks : NULL, island->body_count, call_modes, island);
    for (int32_t i = 0; i < island->n; i++)
        for (int32_t s = 0; s < island->rows[i].slots; s++) {
            ThawMotions motions = island->parts[island->rows[i].part[s]].motions;
            if (motions == kind || motions == THAW_MOTIONS_NONE)
                make_row_modes(island, island->rows + i, s);
        }
}

ThawStatus thaw_modes_prepare(ThawResponse *island) {
    size_t members = 0, vertices = 0;
    for (int32_t p = 0; p < island->body_count; p++) {
        members += (size_t)island->parts[p].contacts;
        vertices += (size_t)island->parts[p].vertices;
    }
    size_t d = (size_t)island->dim;
    ThawStatus status = THAW_TAKE(island, THAW_BUFFER_VERTEX_MODES, d * MODES * vertices, &island->vertex_modes);
    if (status == THAW_OK)
        status = THAW_TAKE(island, THAW_BUFFER_MODES, d * LANES * members, &island->modes);
    if (status == THAW_OK)
        status = THAW_TAKE(island, THAW_BUFFER_MOTION, 2 * LANES * (size_t)island->body_count, &island->motion);
    if (status < 0)
        return status;
    island->motion_scratch = island->motion + LANES * (size_t)island->body_count;
    island->complete = 0;
    ask_bodies(island, THAW_MOTIONS_ALL);
    return THAW_OK;
}

void thaw_modes_complete(ThawResponse *island) {
    if (island->complete)
        return;
    island->complete = 1;
    ask_bodies(island, THAW_MOTIONS_SOME);
}

void thaw_modes_own_block(const ThawResponse *island, const ThawRow *row, int32_t slot, double *D) {
    const int d = island->dim;
    const double *B = thaw_row_modes(island, row, slot);
    for (int r = 0; r < d; r++)
        for (int c = 0; c < d; c++)
            for (int k = 0; k < MODES; k++)
                D[d * r + c] += B[LANES * r + k] * B[LANES * c + k];
}

void thaw_modes_gather(const ThawResponse *island, int32_t part, const double *B, double *speed) {
    const double *y = island->motion + (size_t)LANES * (size_t)part;
    for (int r = 0; r < island->dim; r++) {
        double sum = 0.0;
        for (int k = 0; k < MODES; k++)
            sum += B[LANES * r + k] * y[k];
        speed[r] = sum;
    }
}

void thaw_modes_scatter(ThawResponse *island, int32_t part, const double *B, const double *lambda) {
    double *y = island->motion + (size_t)LANES * (size_t)part;
    for (int r = 0; r < island->dim; r++)
        for (int k = 0; k < MODES; k++)
            y[k] += B[LANES * r + k] * lambda[r];
}

void thaw_modes_multiply(ThawResponse *island, int32_t p) {
    const size_t d = (size_t)island->dim;
    const ThawPart *part = island->parts + p;
    memset(island->motion + (size_t)LANES * (size_t)p, 0, LANES * sizeof(double));
    for (size_t at = (size_t)part->first_contact; at < (size_t)(part->first_contact + part->contacts); at++)
        thaw_modes_scatter(island, p, island->modes + d * LANES * at, island->share + d * at);
    for (size_t at = (size_t)part->first_contact; at < (size_t)(part->first_contact + part->contacts); at++)
        thaw_modes_gather(island, p, island->modes + d * LANES * at, island->speed + d * at);
}

// --- the order of elimination ----------------------------------------------------------------------------------------

// Sorted lists of neighbours in one pool; a list that grows moves to the end.
typedef struct Lists {
    ThawResponse *island;
    int32_t *start, *count, *pool;
    size_t used, room;
} Lists;

static ThawStatus make_room(Lists *lists, size_t more) {
    if (lists->used + more <= lists->room)
        return THAW_OK;
    size_t room = 2 * (lists->used + more);
    int32_t *pool;
    ThawStatus status = thaw_buffer_grow(lists->island, THAW_BUFFER_POOL, lists->used, room, sizeof *pool, &pool);
    if (status == THAW_OK) {
        lists->pool = pool;
        lists->room = room;
    }
    return status;
}

// list(i) = list(i) and list(p) together, less i and p.
static ThawStatus merge_lists(Lists *lists, int32_t i, int32_t p) {
    size_t most = (size_t)(lists->count[i] + lists->count[p]);
    ThawStatus status = make_room(lists, most);
    if (status < 0)
        return status;
    const int32_t *a = lists->pool + lists->start[i], *b = lists->pool + lists->start[p];
    const int32_t *a_end = a + lists->count[i], *b_end = b + lists->count[p];
    int32_t *to = lists->pool + lists->used, count = 0;
    while (a < a_end || b < b_end) {
        int32_t next = b == b_end || (a < a_end && *a <= *b) ? *a : *b;
        a += a < a_end && *a == next;
        b += b < b_end && *b == next;
        if (next != i && next != p)
            to[count++] = next;
    }
    lists->start[i] = (int32_t)lists->used;
    lists->count[i] = count;
    lists->used += (size_t)count;
    return THAW_OK;
}

static void insert_sorted(int32_t *list, int32_t *count, int32_t value) {
    int32_t at = *count;
    while (at > 0 && list[at - 1] > value)
        at--;
    if (at > 0 && list[at - 1] == value)
        return;
    memmove(list + at + 1, list + at, (size_t)(*count - at) * sizeof *list);
    list[at] = value;
    ++*count;
}

// Which bodies touch which. A body has no more neighbours than contacts.
static ThawStatus list_neighbours(Lists *lists) {
    ThawResponse *island = lists->island;
    size_t most = 0;
    for (int32_t p = 0; p < island->body_count; p++) {
        lists->start[p] = (int32_t)most;
        lists->count[p] = 0;
        most += (size_t)island->parts[p].contacts;
    }
    lists->used = 0; // nothing of an earlier island is to be kept
    ThawStatus status = make_room(lists, most + 1);
    lists->used = most;
    for (int32_t i = 0; i < island->n && status == THAW_OK; i++) {
        const ThawRow *row = island->rows + i;
        if (row->slots < 2 || island->parts[row->part[0]].motions == THAW_MOTIONS_NONE ||
            island->parts[row->part[1]].motions == THAW_MOTIONS_NONE)
            continue;
        for (int s = 0; s < 2; s++)
            insert_sorted(lists->pool + lists->start[row->part[s]], lists->count + row->part[s], row->part[1 - s]);
    }
    return status;
}

ThawStatus thaw_modes_plan(ThawResponse *island) {
    int32_t n = island->body_count, *memory;
    ThawStatus status = THAW_TAKE(island, THAW_BUFFER_ORDER, 5 * (size_t)n, &memory);
    if (status < 0)
        return status;
    island->order = memory;
    island->rank = memory + n;
    island->seat = memory + 2 * n;
    Lists lists = {.island = island, .start = memory + 3 * n, .count = memory + 4 * n};
    lists.room = island->buffer[THAW_BUFFER_POOL].bytes / sizeof *lists.pool;
    lists.pool = island->buffer[THAW_BUFFER_POOL].data;
    status = list_neighbours(&lists);
    for (int32_t p = 0; p < n; p++)
        island->rank[p] = -1;
    size_t blocks = 0;
    for (int32_t k = 0; k < n && status == THAW_OK; k++) {
        int32_t best = -1;
        for (int32_t p = 0; p < n; p++)
            if (island->rank[p] < 0 && (best < 0 || lists.count[p] < lists.count[best]))
                best = p;
        island->order[k] = best;
        island->rank[best] = k;
        blocks += (size_t)lists.count[best];
        for (int32_t j = 0; j < lists.count[best] && status == THAW_OK && blocks <= BLOCKS_MAX; j++)
            status = merge_lists(&lists, lists.pool[lists.start[best] + j], best);
    }
    if (status < 0)
        return status;
    island->later_start = lists.start;
    island->later_count = lists.count;
    island->later = lists.pool;
    island->whole = blocks <= BLOCKS_MAX;
    if (!island->whole)
        memset(lists.count, 0, (size_t)n * sizeof *lists.count);
    // Later neighbours in the order of elimination, and where the blocks of each body are.
    int32_t seat = 0;
    for (int32_t k = 0; k < n; k++) {
        int32_t p = island->order[k], *later = lists.pool + lists.start[p];
        island->seat[p] = seat;
        seat += lists.count[p];
        for (int32_t i = 1; i < lists.count[p]; i++)
            for (int32_t j = i; j > 0 && island->rank[later[j - 1]] > island->rank[later[j]]; j--) {
                int32_t swap = later[j];
                later[j] = later[j - 1];
                later[j - 1] = swap;
            }
    }
    size_t count = (size_t)n + 2 * (size_t)seat;
    status = THAW_TAKE(island, THAW_BUFFER_COARSE, BLOCK * count, &island->pivot);
    island->upper = island->pivot + BLOCK * (size_t)n;
    island->lower = island->upper + BLOCK * (size_t)seat;
    return status;
}

// --- the factor ------------------------------------------------------------------------------------------------------

// Z -= X Y.
static inline void subtract_product(const double *restrict X, const double *restrict Y, double *restrict Z) {
    for (int r = 0; r < MODES; r++)
        for (int k = 0; k < MODES; k++)
            for (int c = 0; c < LANES; c++)
                Z[LANES * r + c] -= X[LANES * r + k] * Y[LANES * k + c];
}

// In place, rows exchanged where needed. A pivot that vanishes is taken for 1: the preconditioner only.
static void invert(double *A) {
    double M[MODES][2 * MODES];
    for (int r = 0; r < MODES; r++)
        for (int c = 0; c < MODES; c++) {
            M[r][c] = A[LANES * r + c];
            M[r][MODES + c] = r == c;
        }
    for (int k = 0; k < MODES; k++) {
        int pivot = k;
        for (int r = k + 1; r < MODES; r++)
            if (fabs(M[r][k]) > fabs(M[pivot][k]))
                pivot = r;
        for (int c = 0; c < 2 * MODES; c++) {
            double swap = M[k][c];
            M[k][c] = M[pivot][c];
            M[pivot][c] = swap;
        }
        double scale = fabs(M[k][k]) > 0 ? 1 / M[k][k] : 1.0;
        for (int c = 0; c < 2 * MODES; c++)
            M[k][c] *= scale;
        for (int r = 0; r < MODES; r++) {
            double factor = r == k ? 0.0 : M[r][k];
            for (int c = 0; c < 2 * MODES; c++)
                M[r][c] -= factor * M[k][c];
        }
    }
    for (int r = 0; r < MODES; r++)
        for (int c = 0; c < MODES; c++)
            A[LANES * r + c] = M[r][MODES + c];
}

void thaw_modes_begin(ThawResponse *island) {
    int32_t n = island->body_count, last = island->order[n - 1];
    size_t count = (size_t)n + 2 * (size_t)(island->seat[last] + island->later_count[last]);
    memset(island->pivot, 0, BLOCK * count * sizeof(double));
    for (int32_t p = 0; p < n; p++)
        for (int k = 0; k < MODES; k++)
            island->pivot[(size_t)p * BLOCK + (size_t)(LANES + 1) * (size_t)k] = 1.0;
}

static double *block_of(ThawResponse *island, int32_t p, int32_t q) {
    if (p == q)
        return island->pivot + (size_t)p * BLOCK;
    int32_t first = island->rank[p] < island->rank[q] ? p : q, other = p + q - first;
    const int32_t *later = island->later + island->later_start[first];
    for (int32_t k = 0; k < island->later_count[first]; k++)
        if (later[k] == other)
            return (first == p ? island->upper : island->lower) + (size_t)(island->seat[first] + k) * BLOCK;
    return NULL;
}

// Block (s, t) of a row gets B_s' Q B_t.
void thaw_modes_add(ThawResponse *island, const ThawRow *row, const double *Q) {
    const int d = island->dim;
    for (int32_t t = 0; t < row->slots; t++) {
        const double *Bt = thaw_row_modes(island, row, t);
        double QB[3 * LANES] = {0};
        for (int r = 0; r < d; r++)
            for (int c = 0; c < d; c++)
                for (int k = 0; k < LANES; k++)
                    QB[LANES * r + k] += Q[d * r + c] * Bt[LANES * c + k];
        for (int32_t s = 0; s < row->slots; s++) {
            const double *Bs = thaw_row_modes(island, row, s);
            double *to = block_of(island, row->part[s], row->part[t]);
            for (int r = 0; r < d && to; r++)
                for (int j = 0; j < MODES; j++)
                    for (int k = 0; k < LANES; k++)
                        to[LANES * j + k] += Bs[LANES * r + j] * QB[LANES * r + k];
        }
    }
}

void thaw_modes_factor(ThawResponse *island) {
    for (int32_t k = 0; k < island->body_count; k++) {
        int32_t p = island->order[k], count = island->later_count[p], seat = island->seat[p];
        const int32_t *later = island->later + island->later_start[p];
        invert(island->pivot + (size_t)p * BLOCK);
        for (int32_t i = 0; i < count; i++) { // L = A pivot^-1
            double *L = island->lower + (size_t)(seat + i) * BLOCK, product[BLOCK] = {0};
            subtract_product(L, island->pivot + (size_t)p * BLOCK, product);
            for (int c = 0; c < BLOCK; c++)
                L[c] = -product[c];
        }
        for (int32_t i = 0; i < count; i++) {
            int32_t row = later[i], at = 0;
            const int32_t *columns = island->later + island->later_start[row];
            const double *U = island->upper + (size_t)seat * BLOCK, *L = island->lower + (size_t)seat * BLOCK;
            subtract_product(L + (size_t)i * BLOCK, U + (size_t)i * BLOCK, island->pivot + (size_t)row * BLOCK);
            for (int32_t j = i + 1; j < count; j++) { // both lists are in the order of elimination
                while (columns[at] != later[j])
                    at++;
                size_t to = (size_t)(island->seat[row] + at) * BLOCK;
                subtract_product(L + (size_t)i * BLOCK, U + (size_t)j * BLOCK, island->upper + to);
                subtract_product(L + (size_t)j * BLOCK, U + (size_t)i * BLOCK, island->lower + to);
            }
        }
    }
}

static inline void subtract_image(const double *A, const double *x, double *y) {
    for (int r = 0; r < MODES; r++) {
        double sum = 0.0;
        for (int c = 0; c < MODES; c++)
            sum += A[LANES * r + c] * x[c];
        y[r] -= sum;
    }
}

void thaw_modes_solve(ThawResponse *island, double *y) {
    for (int32_t k = 0; k < island->body_count; k++) {
        int32_t p = island->order[k];
        for (int32_t i = 0; i < island->later_count[p]; i++)
            subtract_image(island->lower + (size_t)(island->seat[p] + i) * BLOCK, y + (size_t)LANES * (size_t)p,
                           y + (size_t)LANES * (size_t)island->later[island->later_start[p] + i]);
    }
    for (int32_t k = island->body_count - 1; k >= 0; k--) {
        int32_t p = island->order[k];
        double *own = y + (size_t)LANES * (size_t)p, x[LANES] = {0};
        for (int32_t i = 0; i < island->later_count[p]; i++)
            subtract_image(island->upper + (size_t)(island->seat[p] + i) * BLOCK,
                           y + (size_t)LANES * (size_t)island->later[island->later_start[p] + i], own);
        subtract_image(island->pivot + (size_t)p * BLOCK, own, x);
        for (int c = 0; c < MODES; c++)
            own[c] = -x[c];
    }
}
