// SPDX-License-Identifier: Apache-2.0
// H = J A^-1 J', the response of contacts to each other.
//
// It needs no backward solve: with A = L S L' it is Y' S Y, Y = L^-1 J'. Rows of J are sorted by where they enter the
// tree and taken sixteen scalars at a time; such a batch has one reach, and its Y the rows of that reach only, node
// after node. Two batches meet in the upper part of the tree, where both their Ys lie in one piece, so Y' S Y is a few
// long products.
//
// All Ys together can be larger than L. So there is room for the Ys of some batches, as many as fit: these are held,
// each later batch passes by (up to four a thread at a time), meets them, and is forgotten; then the next ones are
// held. A batch that passes by is solved for once more, which costs less than it seems: contacts enough to fill the
// room several times have most of their work in meeting. Each pair meets once, and what it finds does not depend on
// which one was held: same bits for any room, and for any threads.
//
// Cost: the numbers of L on the reach times the sides, (k + 1) / 2 times if all Ys need k times the room, and the
// square of the sides times the length of the common way. Where contacts share so many vertices that those have fewer
// unknowns than J has rows, the vertices' response G is computed that way, and H = C G C'.
#include <stdlib.h>
#include <string.h>

#include "sparse/ldl_impl.h"

enum { SIDES = THAW_LDL_SIDES, SETS = THAW_LDL_SETS };
// Room for Y and G, in rows of sixteen doubles: as much as DENSE full right-hand sides, at least LEAST.
enum { DENSE = 128, LEAST = 32768 };

// --- scratch that stays with the factor ------------------------------------------------------------------------------

// Room for `count` items in the factor's slot, which only ever grows: a steady caller allocates nothing. TAKE zeroes
// it.
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
        void *room = thaw_alloc(bytes + bytes / 8, 1);
        if (!room)
            return NULL;
        thaw_free(ldl->slot[slot]);
        ldl->slot[slot] = room;
        ldl->slot_size[slot] = bytes + bytes / 8;
    }
    return ldl->slot[slot];
}

static void *take(ThawLdl *ldl, Slot slot, size_t count, size_t size) {
    void *room = lend(ldl, slot, count, size);
    return room ? memset(room, 0, (count ? count : 1) * size) : NULL;
}
#define LEND(ldl, slot, type, count) ((type *)lend(ldl, slot, (size_t)(count), sizeof(type)))
#define TAKE(ldl, slot, type, count) ((type *)take(ldl, slot, (size_t)(count), sizeof(type)))

// --- J A^-1 J' -------------------------------------------------------------------------------------------------------

typedef struct Response Response;
// Does with the 16 x 16 numbers of batches a and b <= a what the result needs.
typedef void (*Keep)(const Response *r, int32_t a, int32_t b, const double *tile);

struct Response {
    ThawLdl *ldl;
    const ThawBlockRows *J;
    int32_t *row;     // block rows of J that are not empty, sorted by where they enter the tree
    int32_t rows;     // how many
    int32_t in_batch; // block rows of a batch
    int32_t batches;
    int32_t together;   // batches of a task: they share what is read from memory
    int32_t *start;     // batches + 1 offsets into node
    int32_t *node;      // the reach of each batch, ascending
    int32_t *before;    // scalar rows of Y before a node, within the batch
    size_t *Y;          // batches + 1: rows of sixteen before a batch, if all Ys were held
    size_t room;        // how many may be held
    size_t longest;     // Y of a batch
    int32_t begin, end; // batches held
    double *held;       // their Ys
    double *passing;    // SETS * longest rows a thread
    Keep keep;
    double *H; // as `keep` knows it
    size_t stride;
};

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
            count = thaw_ldl_climb(r->ldl->plan, r->J->col[k], stamp, stamps, nodes, count);
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
        thaw_ldl_sort_nodes(count, node);
        for (int32_t i = 0; i < count; i++) {
            r->before[r->start[b] + i] = rows;
            rows += plan->bs * plan->node[node[i]].cols;
        }
        r->Y[b + 1] = r->Y[b] + (size_t)rows;
        r->longest = r->longest > (size_t)rows ? r->longest : (size_t)rows;
    }
    return good;
}

static inline int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

// J' of batch b into its Y, zero but there.
static void enter(const Response *r, int32_t b, const ThawLdlSides *set) {
    const ThawLdlPlan *plan = r->ldl->plan;
    const ThawBlockRows *J = r->J;
    int32_t bs = plan->bs, first = b * r->in_batch, end = least(first + r->in_batch, r->rows);
    memset(set->Y, 0, SIDES * (r->Y[b + 1] - r->Y[b]) * sizeof *set->Y);
    for (int32_t i = first; i < end; i++)
        for (int32_t k = J->start[r->row[i]]; k < J->start[r->row[i] + 1]; k++) {
            double *y = thaw_ldl_sides_at(plan, set, plan->place[J->col[k]]) + J->height * (i - first);
            const double *value = J->value + (size_t)k * (size_t)(J->height * bs);
            for (int32_t q = 0; q < J->height; q++)
                for (int32_t c = 0; c < bs; c++)
                    y[SIDES * c + q] += value[bs * q + c];
        }
}

// Y = L^-1 J' of batches [first, last), at most SETS, one after the other.
static void forward_batches(const Response *r, int32_t first, int32_t last, ptrdiff_t *base, double *Y) {
    const ThawLdl *ldl = r->ldl;
    const ThawLdlPlan *plan = ldl->plan;
    ThawLdlSides set[SETS], here[SETS];
    int32_t at[SETS], sets = last - first;
    for (int32_t h = 0; h < sets; h++, base += plan->count) {
        int32_t b = first + h;
        for (int32_t i = at[h] = r->start[b]; i < r->start[b + 1]; i++)
            base[r->node[i]] = r->before[i] - (ptrdiff_t)plan->bs * plan->node[r->node[i]].first;
        set[h] = (ThawLdlSides){base, Y + SIDES * (r->Y[b] - r->Y[first])};
        enter(r, b, &set[h]);
    }
    for (;;) {
        int32_t s = plan->count;
        int count = 0;
        for (int32_t h = 0; h < sets; h++)
            if (at[h] < r->start[first + h + 1])
                s = least(s, r->node[at[h]]);
        if (s == plan->count)
            return;
        for (int32_t h = 0; h < sets; h++)
            if (at[h] < r->start[first + h + 1] && r->node[at[h]] == s) {
                here[count++] = set[h];
                at[h]++;
            }
        thaw_ldl_forward_sides(ldl, s, count, here);
    }
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
static void meet(const Response *r, int32_t a, const double *Y_a, int32_t b, const double *Y_b, double *tile) {
    const ThawLdl *ldl = r->ldl;
    const ThawLdlPlan *plan = ldl->plan;
    int32_t i = r->start[a], j = r->start[b], i_end = r->start[a + 1], j_end = r->start[b + 1];
    memset(tile, 0, SIDES * SIDES * sizeof *tile);
    while (i < i_end && j < j_end) {
        if (r->node[i] != r->node[j]) {
            *(r->node[i] < r->node[j] ? &i : &j) += 1;
            continue;
        }
        const double *Ya = Y_a + SIDES * (size_t)r->before[i], *Yb = Y_b + SIDES * (size_t)r->before[j];
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

THAW_INLINE void add_tile(const Response *r, int32_t height, int32_t a, int32_t b, const double *tile) {
    const int32_t in_batch = r->in_batch;
    const int32_t *row = r->row + a * in_batch, *col = r->row + b * in_batch;
    int32_t rows = least(in_batch, r->rows - a * in_batch), cols = least(in_batch, r->rows - b * in_batch);
    for (int32_t i = 0; i < rows; i++)
        for (int32_t j = 0; j < cols; j++)
            for (int32_t p = 0; p < height; p++)
                for (int32_t q = 0; q < height; q++) {
                    double value = tile[SIDES * (height * i + p) + height * j + q];
                    size_t at = (size_t)(height * row[i] + p), to = (size_t)(height * col[j] + q);
                    r->H[at * r->stride + to] += value;
                    if (a != b)
                        r->H[to * r->stride + at] += value;
                }
}

// H += the tile and its mirror image.
static void add_full(const Response *r, int32_t a, int32_t b, const double *tile) {
    if (r->J->height == 3)
        add_tile(r, 3, a, b, tile);
    else
        add_tile(r, r->J->height, a, b, tile);
}

// Where row i of a lower triangle begins.
static inline size_t triangle(size_t i) { return i * (i + 1) / 2; }

// The lower triangle, row after row, whichever of the two has the lower number.
static void set_lower(const Response *r, int32_t a, int32_t b, const double *tile) {
    int32_t height = r->J->height, in_batch = r->in_batch;
    const int32_t *row = r->row + a * in_batch, *col = r->row + b * in_batch;
    int32_t rows = least(in_batch, r->rows - a * in_batch), cols = least(in_batch, r->rows - b * in_batch);
    for (int32_t i = 0; i < rows; i++)
        for (int32_t j = 0; j < cols; j++)
            for (int32_t p = 0; p < height; p++)
                for (int32_t q = 0; q < height; q++) {
                    size_t at = (size_t)(height * row[i] + p), to = (size_t)(height * col[j] + q);
                    r->H[at > to ? triangle(at) + to : triangle(to) + at] =
                        tile[SIDES * (height * i + p) + height * j + q];
                }
}

// Diagonal blocks one after the other; only for a == b.
static void set_diagonal(const Response *r, int32_t a, int32_t b, const double *tile) {
    int32_t height = r->J->height, in_batch = r->in_batch;
    for (int32_t i = 0; i < least(in_batch, r->rows - b * in_batch); i++)
        for (int32_t p = 0; p < height; p++)
            for (int32_t q = 0; q < height; q++)
                r->H[(size_t)(height * height) * (size_t)r->row[a * in_batch + i] + (size_t)(height * p + q)] =
                    tile[SIDES * (height * i + p) + height * i + q];
}

// Batches [first, last), whose Ys are given, meet the held ones up to themselves.
static void meet_all(const Response *r, int32_t first, int32_t last, const double *Y) {
    _Alignas(64) double tile[SIDES * SIDES];
    for (int32_t b = r->keep == set_diagonal ? first : r->begin; b < last && b < r->end; b++)
        for (int32_t a = b > first ? b : first; a < (r->keep == set_diagonal ? b + 1 : last); a++) {
            meet(r, a, Y + SIDES * (r->Y[a] - r->Y[first]), b, r->held + SIDES * (r->Y[b] - r->Y[r->begin]), tile);
            r->keep(r, a, b, tile);
        }
}

// The threads should have some tasks each.
static int32_t choose_together(const Response *r) {
    int32_t share = r->batches / (4 * r->ldl->threads);
    return r->ldl->threads == 1 || share > SETS ? SETS : share > 1 ? share : 1;
}

static int32_t tasks_of(const Response *r, int32_t batches) { return (batches + r->together - 1) / r->together; }

static void hold(void *context, int32_t task) {
    const Response *r = context;
    int32_t slot, first = r->begin + r->together * task;
    if (thaw_tasks_stopped(r->ldl->tasks))
        return;
    ThawLdlScratch *scratch = thaw_ldl_claim(r->ldl, &slot);
    forward_batches(r, first, least(first + r->together, r->end), scratch->base,
                    r->held + SIDES * (r->Y[first] - r->Y[r->begin]));
    thaw_ldl_release(r->ldl, slot);
}

static void meet_held(void *context, int32_t task) {
    const Response *r = context;
    int32_t first = r->begin + r->together * task;
    if (thaw_tasks_stopped(r->ldl->tasks))
        return;
    meet_all(r, first, least(first + r->together, r->end), r->held + SIDES * (r->Y[first] - r->Y[r->begin]));
}

static void pass(void *context, int32_t task) {
    const Response *r = context;
    int32_t slot, first = r->end + r->together * task, last = least(first + r->together, r->batches);
    if (thaw_tasks_stopped(r->ldl->tasks))
        return;
    ThawLdlScratch *scratch = thaw_ldl_claim(r->ldl, &slot);
    double *Y = r->passing + SIDES * SETS * r->longest * (size_t)slot;
    forward_batches(r, first, last, scratch->base, Y);
    meet_all(r, first, last, Y);
    thaw_ldl_release(r->ldl, slot);
}

// How far the batches from `begin` on fill the room; one always fits.
static int32_t fill_room(const Response *r, int32_t begin) {
    int32_t end = begin + 1;
    while (end < r->batches && r->Y[end + 1] - r->Y[begin] <= r->room)
        end++;
    return end;
}

static int reserve_sides(Response *r) {
    size_t most = 0, passing = 0;
    for (int32_t begin = 0, end; begin < r->batches; begin = end) {
        end = fill_room(r, begin);
        most = r->Y[end] - r->Y[begin] > most ? r->Y[end] - r->Y[begin] : most;
        if (end < r->batches && r->keep != set_diagonal)
            passing = SETS * r->longest * (size_t)r->ldl->threads;
    }
    if (!thaw_ldl_reserve(r->ldl, SIDES * (most + passing)))
        return 0;
    r->held = r->ldl->work;
    r->passing = r->held + SIDES * most;
    return 1;
}

static ThawStatus respond(Response *r) {
    int32_t most = r->J->count / r->in_batch + 1;
    r->row = TAKE(r->ldl, SLOT_ROW, int32_t, r->J->count);
    r->start = TAKE(r->ldl, SLOT_START, int32_t, most + 1);
    r->Y = TAKE(r->ldl, SLOT_Y, size_t, most + 1);
    int good = r->row && r->start && r->Y && sort_rows(r);
    if (good) {
        r->batches = (r->rows + r->in_batch - 1) / r->in_batch;
        r->together = choose_together(r);
        good = find_reaches(r) && reserve_sides(r);
    }
    ThawStatus status = good ? THAW_OK : THAW_ERROR_MEMORY;
    for (r->begin = 0; status == THAW_OK && r->begin < r->batches; r->begin = r->end) {
        r->end = fill_room(r, r->begin);
        thaw_tasks_for(r->ldl->tasks, tasks_of(r, r->end - r->begin), hold, r);
        thaw_tasks_for(r->ldl->tasks, tasks_of(r, r->end - r->begin), meet_held, r);
        if (r->keep != set_diagonal)
            thaw_tasks_for(r->ldl->tasks, tasks_of(r, r->batches - r->end), pass, r);
        if (thaw_tasks_stopped(r->ldl->tasks))
            return THAW_CANCELLED;
        status = thaw_ldl_check(r->held, SIDES * (r->Y[r->end] - r->Y[r->begin]));
    }
    return status;
}

// --- by vertices -----------------------------------------------------------------------------------------------------

// Contacts that share vertices: J = C E', E the unit columns of the `count` block rows touched, G = E'A^-1 E, H = C G
// C'.
typedef struct Touched {
    const ThawBlockRows *J;
    int32_t bs, count;
    int32_t *row;  // touched block rows
    int32_t *slot; // block row -> its number among them
    double *G;     // lower triangle, bs * count rows
    double *W;     // four doubles a row of G for each thread
    ThawLdl *ldl;
    double *H;
    size_t stride;
} Touched;

// Four scalar rows of J at once, side by side: w = (C G)' has four doubles for each row of G.
typedef double Four __attribute__((vector_size(32), may_alias));

// w of rows p .. p + 3 of block row c; lanes beyond its height are zero.
THAW_INLINE void expand_row(const Touched *t, int32_t bs, int32_t c, int32_t p, Four *w) {
    const ThawBlockRows *J = t->J;
    size_t wide = (size_t)(bs * t->count);
    memset(w, 0, wide * sizeof *w);
    for (int32_t k = J->start[c]; k < J->start[c + 1]; k++)
        for (int32_t r = 0; r < bs; r++) {
            const double *value = J->value + (size_t)k * (size_t)(J->height * bs) + (size_t)(bs * p + r);
            size_t row = (size_t)(bs * t->slot[J->col[k]] + r), i = 0;
            const double *g = t->G + triangle(row);
            Four a = {0, 0, 0, 0};
            for (int32_t l = 0; l < 4 && p + l < J->height; l++)
                a[l] = value[bs * l];
            for (; i <= row; i++)
                w[i] += a * g[i];
            g += row;
            for (; i < wide; i++)
                w[i] += a * *(g += i);
        }
}

// H of rows p .. p + 3 of block row c with row q of block row d.
THAW_INLINE Four meet_row(const Touched *t, int32_t bs, const Four *w, int32_t d, int32_t q) {
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
THAW_INLINE void multiply_row(const Touched *t, int32_t bs, int32_t height, int32_t c, Four *w) {
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
    int32_t slot;
    thaw_ldl_claim(t->ldl, &slot);
    Four *w = (Four *)(t->W + 4 * (size_t)(t->bs * t->count) * (size_t)slot);
    if (t->bs == 3 && t->J->height == 3)
        multiply_row(t, 3, 3, c, w);
    else
        multiply_row(t, t->bs, t->J->height, c, w);
    thaw_ldl_release(t->ldl, slot);
}

// Rows of sixteen doubles that may be held.
static size_t room_of(const ThawLdlPlan *plan) {
    size_t room = DENSE / SIDES * (size_t)plan->n * (size_t)plan->bs;
    return room > LEAST ? room : LEAST;
}

// E'A^-1 E of unit columns E, kept as `keep` does.
static ThawStatus unit_response(ThawLdl *ldl, int32_t count, const int32_t *row, size_t room, Keep keep, double *G) {
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
        Response r = {.ldl = ldl, .J = &E, .in_batch = SIDES / bs, .room = room, .keep = keep, .H = G};
        status = respond(&r);
    }
    return status;
}

static ThawStatus respond_by_vertices(Touched *t, size_t room) {
    size_t wide = (size_t)(t->bs * t->count);
    t->G = LEND(t->ldl, SLOT_G, double, triangle(wide));
    t->W = LEND(t->ldl, SLOT_W, double, 4 * wide * (size_t)t->ldl->threads);
    ThawStatus status =
        t->G && t->W ? unit_response(t->ldl, t->count, t->row, room, set_lower, t->G) : THAW_ERROR_MEMORY;
    if (status == THAW_OK)
        thaw_tasks_for(t->ldl->tasks, t->J->count, multiply_rows, t);
    return status;
}

ThawStatus thaw_ldl_schur(ThawLdl *ldl, const ThawBlockRows *J, double *H, size_t stride) {
    const ThawLdlPlan *plan = ldl->plan;
    if (!ldl->factored)
        return THAW_INDEFINITE;
    if (J->count < 0 || J->height < 1 || J->height > SIDES ||
        thaw_ldl_check_rows(plan, J->count > 0 ? J->start[J->count] : 0, J->col) != THAW_OK)
        return THAW_ERROR_INPUT;
    if (J->count == 0)
        return THAW_OK;
    Touched t = {.ldl = ldl, .J = J, .bs = plan->bs, .H = H, .stride = stride};
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
        size_t wide = (size_t)(plan->bs * t.count), room = room_of(plan), of_G = triangle(wide) / SIDES;
        // The work grows with the square of the number of sides; multiplying by C takes some of the gain back.
        if (4 * wide < 3 * (size_t)J->height * (size_t)J->count && 8 * of_G <= 7 * room) {
            status = respond_by_vertices(&t, room - of_G);
        } else {
            Response r = {.ldl = ldl,
                          .J = J,
                          .in_batch = SIDES / J->height,
                          .room = room,
                          .keep = add_full,
                          .H = H,
                          .stride = stride};
            status = respond(&r);
        }
    }
    return status;
}

ThawStatus thaw_ldl_inverse_blocks(ThawLdl *ldl, int32_t count, const int32_t *row, double *blocks) {
    if (!ldl->factored)
        return THAW_INDEFINITE;
    if (thaw_ldl_check_rows(ldl->plan, count, row) != THAW_OK)
        return THAW_ERROR_INPUT;
    return count > 0 ? unit_response(ldl, count, row, room_of(ldl->plan), set_diagonal, blocks) : THAW_OK;
}
