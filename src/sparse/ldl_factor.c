// SPDX-License-Identifier: Apache-2.0
// The numeric factorisation A = L S L', S = diag(+-1) known beforehand (Vanderbei 1995: a quasi-definite matrix has
// such a factor in any order). Left-looking by supernodes (Ng and Peyton 1993): a node collects its blocks of A,
// subtracts the products L_d S_d L_d' of the nodes d below it that have rows among its columns, and is then factored as
// a dense matrix. Nothing but L is stored, no update matrices wait on a stack.
//
// Dense part, by blocks of 72 columns: the triangle of the block in groups of 9, then the rows below, 16 at a time,
// each computed once and completely from everything to its left while it lies in the first-level cache.
//
// In parallel: subtrees are tasks; above them each node is cut into tiles and its rows into runs. Cuts depend on the
// pattern, and every number is one chain of operations whose order the cuts do not touch, so the bits are the same for
// any number of threads, and for a refactorisation that keeps untouched subtrees.
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "sparse/ldl_impl.h"

enum { GROUP = THAW_LDL_GROUP, BLOCK = THAW_LDL_BLOCK };

// --- memory ----------------------------------------------------------------------------------------------------------

// Doubles of the widest node's widest block of columns, packed, and what packing writes beyond its end.
static size_t packed_size(const ThawLdlPlan *plan) {
    int32_t wide = plan->most_cols < BLOCK ? plan->most_cols : BLOCK;
    return (size_t)((wide + GROUP - 1) / GROUP * GROUP) * (size_t)plan->most_cols + 8;
}

ThawStatus thaw_ldl_create(const ThawLdlPlan *plan, ThawTasks *tasks, ThawLdl **result, ThawError *error) {
    *result = NULL;
    ThawLdl *ldl = THAW_NEW(ThawLdl, 1);
    if (!ldl)
        return thaw_error_memory(error, "a factor");
    size_t size = (size_t)plan->n * (size_t)plan->bs, b = packed_size(plan);
    ldl->plan = plan;
    ldl->kernels = thaw_ldl_kernels();
    ldl->tasks = tasks;
    ldl->failed = -1;
    ldl->threads = thaw_tasks_threads(tasks);
    ldl->value = THAW_NEW(double, plan->cost.numbers);
    ldl->reciprocal = THAW_NEW(double, size);
    ldl->sign = THAW_NEW(double, size);
    ldl->task_failed = THAW_NEW(int32_t, plan->task_count + 1);
    ldl->skip = THAW_NEW(unsigned char, plan->count);
    ldl->scratch = THAW_NEW(ThawLdlScratch, ldl->threads);
    ldl->claimed = THAW_NEW(_Atomic(int32_t), ldl->threads);
    ldl->y = THAW_NEW(double, size);
    int good = ldl->value && ldl->reciprocal && ldl->sign && ldl->task_failed && ldl->skip && ldl->scratch &&
               ldl->claimed && ldl->y;
    for (int32_t t = 0; good && t < ldl->threads; t++) {
        ThawLdlScratch *s = &ldl->scratch[t];
        s->map = THAW_NEW(int32_t, plan->n);
        s->to = THAW_NEW(int32_t, plan->most_rows);
        s->b = THAW_NEW(double, b);
        s->x = THAW_NEW(double, plan->most_rows);
        s->t = THAW_NEW(double, THAW_LDL_GROUPS *GROUP *GROUP);
        s->base = THAW_NEW(ptrdiff_t, THAW_LDL_SETS * (size_t)plan->count);
        good = s->base && s->map && s->to && s->b && s->x && s->t;
    }
    if (!good) {
        thaw_ldl_free(&ldl);
        return thaw_error_memory(error, "a factor");
    }
    *result = ldl;
    return THAW_OK;
}

void thaw_ldl_free(ThawLdl **pointer) {
    if (!pointer || !*pointer)
        return;
    ThawLdl *ldl = *pointer;
    for (int32_t t = 0; ldl->scratch && t < ldl->threads; t++) {
        ThawLdlScratch *s = &ldl->scratch[t];
        thaw_free(s->map);
        thaw_free(s->to);
        thaw_free(s->b);
        thaw_free(s->x);
        thaw_free(s->base);
        thaw_free(s->t);
    }
    thaw_free(ldl->value);
    thaw_free(ldl->reciprocal);
    thaw_free(ldl->sign);
    thaw_free(ldl->task_failed);
    thaw_free(ldl->skip);
    thaw_free(ldl->scratch);
    thaw_free(ldl->claimed);
    thaw_free(ldl->y);
    thaw_free(ldl->work);
    thaw_free(ldl->index);
    for (int i = 0; i < THAW_LDL_SLOTS; i++)
        thaw_free(ldl->slot[i]);
    thaw_free(ldl);
    *pointer = NULL;
}

ThawLdlCost thaw_ldl_cost(const ThawLdl *ldl) { return ldl->plan->cost; }

size_t thaw_ldl_bytes(const ThawLdl *ldl) {
    const ThawLdlPlan *plan = ldl->plan;
    size_t size = (size_t)plan->n * (size_t)plan->bs, rows = (size_t)plan->most_rows;
    size_t scratch = sizeof(ThawLdlScratch) + (size_t)plan->n * sizeof(int32_t) +
                     THAW_LDL_SETS * (size_t)plan->count * sizeof(ptrdiff_t) +
                     rows * (sizeof(int32_t) + sizeof(double)) + packed_size(plan) * sizeof(double);
    size_t kept = 0;
    for (int i = 0; i < THAW_LDL_SLOTS; i++)
        kept += ldl->slot_size[i];
    return sizeof *ldl + kept + ((size_t)plan->cost.numbers + 3 * size) * sizeof(double) +
           (size_t)(plan->task_count + 1) * sizeof(int32_t) + (size_t)plan->count + (size_t)ldl->threads * scratch +
           ldl->work_size * sizeof *ldl->work + ldl->index_size * sizeof *ldl->index;
}

// Some scratch that no other thread uses; there is one for each.
ThawLdlScratch *thaw_ldl_claim(ThawLdl *ldl, int32_t *slot) {
    for (*slot = 0;; *slot = (*slot + 1) % ldl->threads)
        if (!atomic_exchange(&ldl->claimed[*slot], 1))
            return &ldl->scratch[*slot];
}

void thaw_ldl_release(ThawLdl *ldl, int32_t slot) { atomic_store(&ldl->claimed[slot], 0); }

// --- a node's blocks of A --------------------------------------------------------------------------------------------

static void collect(const ThawLdl *ldl, const ThawBlockMatrix *matrix, int32_t s, double *value) {
    const ThawLdlPlan *plan = ldl->plan;
    int32_t bs = plan->bs, nc = bs * plan->node[s].cols;
    memset(value, 0, (plan->node[s + 1].value - plan->node[s].value) * sizeof *value);
    for (int32_t e = plan->node[s].entry; e < plan->node[s + 1].entry; e++) {
        ThawLdlEntry entry = plan->entry[e];
        int flip = entry.source < 0;
        const double *block = matrix->value + (size_t)(flip ? ~entry.source : entry.source) * (size_t)(bs * bs);
        for (int32_t r = 0; r < bs; r++) {
            int32_t row = bs * entry.row + r;
            double *to = value + 8 * ((size_t)(row / 8) * (size_t)nc + (size_t)(bs * entry.col)) + row % 8;
            for (int32_t c = 0; c < bs; c++)
                to[8 * c] = flip ? block[bs * c + r] : block[bs * r + c];
        }
    }
}

// --- updates from below ----------------------------------------------------------------------------------------------

// The part of a node that one call computes, in local block rows and columns.
typedef struct Tile {
    int32_t row_begin, row_end, col_begin, col_end;
} Tile;

// Rows [begin, end) of a node, columns [0, k), as the second factor of a product: groups of nine rows, each k x 9,
// times the signs. `stride` doubles from one group to the next.
static void pack(const ThawLdlKernels *kernels, const double *value, int32_t nc, int32_t begin, int32_t end, int32_t k,
                 const double *sign, size_t stride, double *b) {
    for (int32_t row = begin; row < end; row += GROUP, b += stride)
        kernels->pack(value + 8 * (size_t)(row / 8) * (size_t)nc, 8 * (size_t)nc, row % 8,
                      end - row < GROUP ? end - row : GROUP, k, sign, b);
}

static const int32_t *find_row(const int32_t *row, const int32_t *end, const int32_t *map, int32_t local) {
    while (row < end) {
        const int32_t *middle = row + (end - row) / 2;
        if (map[*middle] < local)
            row = middle + 1;
        else
            end = middle;
    }
    return row;
}

static void apply_update(ThawLdl *ldl, ThawLdlUpdate update, const ThawLdlNode *node, const int32_t *map, Tile tile,
                         ThawLdlScratch *scratch) {
    const ThawLdlPlan *plan = ldl->plan;
    const ThawLdlNode *from = &plan->node[update.from];
    const int32_t *below = plan->row + from->row - from->cols; // by local row
    int32_t bs = plan->bs, k = bs * from->cols, nc = bs * node->cols;
    int32_t begin = update.begin, end = update.end, row_begin = begin, row_end = from->rows;
    if (tile.row_begin > 0 || tile.row_end < node->rows || tile.col_begin > 0 || tile.col_end < node->cols) {
        begin = (int32_t)(find_row(below + begin, below + end, map, tile.col_begin) - below);
        end = (int32_t)(find_row(below + begin, below + end, map, tile.col_end) - below);
        row_begin = (int32_t)(find_row(below + begin, below + row_end, map, tile.row_begin) - below);
        row_end = (int32_t)(find_row(below + row_begin, below + row_end, map, tile.row_end) - below);
    }
    if (begin == end || row_begin == row_end)
        return;
    const double *value = ldl->value + from->value;
    double *target = ldl->value + node->value;
    for (int32_t i = row_begin; i < row_end; i++)
        for (int32_t r = 0; r < bs; r++)
            scratch->to[bs * i + r] = bs * map[below[i]] + r;
    const double *sign = ldl->mixed ? ldl->sign + bs * from->first : NULL;
    int32_t first = bs * row_begin, last = bs * row_end;
    size_t next = 8 * (size_t)k, stride = (size_t)GROUP * (size_t)k;
    for (int32_t col = bs * begin; col < bs * end; col += BLOCK) {
        int32_t wide = bs * end - col < BLOCK ? bs * end - col : BLOCK;
        pack(ldl->kernels, value, k, col, col + wide, k, sign, stride, scratch->b);
        // Columns of a group that are neighbours in the target too are subtracted in one go.
        int32_t to[BLOCK], run[BLOCK];
        for (int32_t j = 0, at = col / bs, in = col % bs; j < wide; j++) {
            to[j] = bs * map[below[at]] + in;
            if (++in == bs) {
                at++;
                in = 0;
            }
        }
        for (int32_t j = wide - 1; j >= 0; j--)
            run[j] = j + 1 < wide && (j + 1) % GROUP != 0 && to[j + 1] == to[j] + 1 ? run[j + 1] + 1 : 1;
        int32_t start = first > col ? first : col;
        for (int32_t row = start / 8 * 8; row < last; row += 16) {
            int panels = row + 8 < last ? 2 : 1;
            ThawLdlLanding landing[2];
            for (int h = 0; h < panels; h++)
                landing[h] = thaw_ldl_land(ldl->kernels, scratch->to, row + 8 * h, start, last, 8 * (size_t)nc);
            for (int32_t g = 0; g < wide && col + g < row + 8 * panels; g += GROUP) {
                _Alignas(64) double c[2 * 8 * GROUP];
                int n = wide - g < GROUP ? wide - g : GROUP;
                ldl->kernels->product(panels, n, k, value + (size_t)(row / 8) * next, next, 8,
                                      scratch->b + (size_t)(g / GROUP) * stride, GROUP, c);
                for (int j = 0; j < n; j += run[g + j])
                    for (int h = 0; h < panels; h++)
                        ldl->kernels->subtract(run[g + j], &landing[h], c + 8 * (h * n + j),
                                               target + 8 * (size_t)to[g + j]);
            }
        }
    }
}

// Then the factor is void, and a thread that notices may leave its part as it is.
static int is_stopped(const ThawLdl *ldl) { return thaw_tasks_stopped(ldl->tasks); }

typedef struct NodeJob {
    ThawLdl *ldl;
    const ThawLdlNode *node;
    const int32_t *map;
    int32_t s, first_row; // first_row: the panel below the block's triangle
    int32_t tiles;        // down a column of tiles
    int32_t block, wide;  // columns of the dense part at work
    double *b;            // its packed columns
    const double *t;      // its triangles
} NodeJob;

// Tiles of a node that is worked on by all threads, in blocks; multiples of kernel sizes for blocks of 3.
enum { TILE_ROWS = 96, TILE_COLS = 24, RUN_PANELS = 6 };

static void update_tile(void *context, int32_t index) {
    NodeJob *job = context;
    const ThawLdlPlan *plan = job->ldl->plan;
    int32_t row = index % job->tiles * TILE_ROWS, col = index / job->tiles * TILE_COLS, slot;
    Tile tile = {row, row + TILE_ROWS, col, col + TILE_COLS};
    if (tile.row_end <= tile.col_begin)
        return;
    ThawLdlScratch *scratch = thaw_ldl_claim(job->ldl, &slot);
    for (int32_t u = job->node->update; u < plan->node[job->s + 1].update && !is_stopped(job->ldl); u++)
        apply_update(job->ldl, plan->update[u], job->node, job->map, tile, scratch);
    thaw_ldl_release(job->ldl, slot);
}

// --- dense factorisation ---------------------------------------------------------------------------------------------

// The triangle of columns [at, at + n), whose numbers have been reduced by all columns to the left: into t as
// the kernel "reduce" reads it. Returns the first bad pivot, or n.
static int factor_triangle(ThawLdl *ldl, const double *value, int32_t nc, int32_t at, int n, size_t place,
                           const double *diagonal, double *t) {
    double l[GROUP][GROUP], s[GROUP];
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            l[i][j] = value[8 * ((size_t)((at + i) / 8) * (size_t)nc + (size_t)(at + j)) + (size_t)((at + i) % 8)];
    for (int j = 0; j < n; j++) {
        s[j] = ldl->mixed ? ldl->sign[place + (size_t)j] : 1.0;
        double pivot = l[j][j] * s[j];
        if (!(pivot > DBL_EPSILON * fabs(diagonal[j])) || !(pivot > DBL_MIN) || !isfinite(pivot))
            return j;
        double root = sqrt(pivot), reciprocal = 1.0 / root;
        ldl->reciprocal[place + (size_t)j] = reciprocal;
        t[(GROUP + 1) * j] = reciprocal * s[j];
        l[j][j] = root;
        for (int i = j + 1; i < n; i++) {
            l[i][j] *= reciprocal * s[j];
            t[GROUP * j + i] = l[i][j] * s[j];
        }
        for (int i = j + 1; i < n; i++)
            for (int k = j + 1; k <= i; k++)
                l[i][k] = __builtin_fma(-l[i][j], t[GROUP * j + k], l[i][k]);
    }
    return n;
}

// Rows of `count` panels from `panel` on, in the block's columns.
static void reduce_panels(const NodeJob *job, int32_t panel, int32_t count) {
    int32_t nc = job->ldl->plan->bs * job->node->cols;
    size_t next = 8 * (size_t)nc, stride = (size_t)GROUP * (size_t)(job->block + job->wide);
    double *value = job->ldl->value + job->node->value;
    for (int32_t p = panel; p < panel + count; p += 2) {
        int panels = p + 1 < panel + count ? 2 : 1;
        double *a = value + (size_t)p * next;
        for (int32_t g = 0; g < job->wide; g += GROUP) {
            int n = job->wide - g < GROUP ? job->wide - g : GROUP;
            job->ldl->kernels->reduce(panels, n, job->block + g, a, next, job->b + (size_t)(g / GROUP) * stride,
                                      job->t + (size_t)(g / GROUP) * GROUP * GROUP, a + 8 * (size_t)(job->block + g));
        }
    }
}

static void reduce_run(void *context, int32_t index) {
    const NodeJob *job = context;
    int32_t end = thaw_ldl_panels(job->ldl->plan, job->node), panel = job->first_row + index * RUN_PANELS;
    reduce_panels(job, panel, end - panel < RUN_PANELS ? end - panel : RUN_PANELS);
}

// Columns [from, to) of the group that begins at column g of the block.
static void pack_columns(const NodeJob *job, int32_t g, int32_t from, int32_t to, double *b) {
    const ThawLdl *ldl = job->ldl;
    int32_t nc = ldl->plan->bs * job->node->cols, at = job->block + g;
    int n = job->wide - g < GROUP ? job->wide - g : GROUP;
    const double *sign = ldl->mixed ? ldl->sign + ldl->plan->bs * job->node->first + from : NULL;
    pack(ldl->kernels, ldl->value + job->node->value + 8 * (size_t)from, nc, at, at + n, to - from, sign, 0,
         b + (size_t)GROUP * (size_t)from);
}

static void pack_group(void *context, int32_t index) {
    NodeJob *job = context;
    size_t stride = (size_t)GROUP * (size_t)(job->block + job->wide);
    pack_columns(job, GROUP * index, 0, job->block, job->b + (size_t)index * stride);
}

// Subtracts everything to the left of the block from two panels of its own rows.
static void reduce_own(void *context, int32_t index) {
    const NodeJob *job = context;
    int32_t nc = job->ldl->plan->bs * job->node->cols, p = job->block / 8 + 2 * index;
    int panels = job->first_row - p < 2 ? 1 : 2;
    size_t next = 8 * (size_t)nc, stride = (size_t)GROUP * (size_t)(job->block + job->wide);
    double *a = job->ldl->value + job->node->value + (size_t)p * next;
    for (int32_t g = 0; g < job->wide && job->block + g < 8 * (p + panels); g += GROUP)
        job->ldl->kernels->reduce(panels, job->wide - g < GROUP ? job->wide - g : GROUP, job->block, a, next,
                                  job->b + (size_t)(g / GROUP) * stride, NULL, a + 8 * (size_t)(job->block + g));
}

// The triangle of a block of columns, from what lies within the block. Returns the first bad column, or -1.
static int32_t factor_block(NodeJob *job, const double *diagonal, double *t) {
    ThawLdl *ldl = job->ldl;
    int32_t nc = ldl->plan->bs * job->node->cols, block = job->block, stop = job->first_row;
    size_t next = 8 * (size_t)nc, stride = (size_t)GROUP * (size_t)(block + job->wide);
    double *value = ldl->value + job->node->value;
    for (int32_t g = 0; g < job->wide; g += GROUP) {
        int32_t at = block + g, panel = at / 8;
        int n = job->wide - g < GROUP ? job->wide - g : GROUP, panels = stop - panel < 2 ? stop - panel : 2;
        double *b = job->b + (size_t)(g / GROUP) * stride, *tg = t + (size_t)(g / GROUP) * GROUP * GROUP;
        pack_columns(job, g, block, at, b);
        b += (size_t)GROUP * (size_t)block;
        // The first two panels hold the triangle; nine rows never touch a third.
        double *a = value + (size_t)panel * next;
        ldl->kernels->reduce(panels, n, g, a + 8 * (size_t)block, next, b, NULL, a + 8 * (size_t)at);
        int good =
            factor_triangle(ldl, value, nc, at, n, (size_t)(ldl->plan->bs * job->node->first + at), diagonal + at, tg);
        if (good < n)
            return at + good;
        ldl->kernels->reduce(panels, n, 0, a, next, b, tg, a + 8 * (size_t)at);
        for (int32_t p = panel + panels; p < stop; p += 2) {
            a = value + (size_t)p * next;
            ldl->kernels->reduce(stop - p < 2 ? 1 : 2, n, g, a + 8 * (size_t)block, next, b, tg, a + 8 * (size_t)at);
        }
    }
    return -1;
}

// The node's rectangle, all updates subtracted. Returns the local column of the first bad pivot, or -1.
static int32_t factor_dense(NodeJob *job, const double *diagonal, ThawLdlScratch *scratch, ThawTasks *tasks) {
    const ThawLdlPlan *plan = job->ldl->plan;
    int32_t nc = plan->bs * job->node->cols, end = thaw_ldl_panels(plan, job->node);
    double *value = job->ldl->value + job->node->value;
    job->b = scratch->b;
    job->t = scratch->t;
    for (job->block = 0; job->block < nc && !is_stopped(job->ldl); job->block += BLOCK) {
        job->wide = nc - job->block < BLOCK ? nc - job->block : BLOCK;
        job->first_row = (job->block + job->wide + 7) / 8;
        if (job->block > 0) {
            thaw_tasks_for(tasks, (job->wide + GROUP - 1) / GROUP, pack_group, job);
            thaw_tasks_for(tasks, (job->first_row - job->block / 8 + 1) / 2, reduce_own, job);
        }
        int32_t bad = factor_block(job, diagonal, scratch->t);
        if (bad >= 0)
            return bad;
        if (tasks)
            thaw_tasks_for(tasks, (end - job->first_row + RUN_PANELS - 1) / RUN_PANELS, reduce_run, job);
        else
            reduce_panels(job, job->first_row, end - job->first_row);
    }
    // What lies above the diagonal was computed along with the rest; solves read it as zero.
    for (int32_t p = 0; 8 * p < nc; p++) {
        double *panel = value + 8 * (size_t)p * (size_t)nc;
        int32_t k = 8 * p;
        for (; k < nc && k < 8 * p + 8; k++)
            for (int32_t l = 0; l < k - 8 * p; l++)
                panel[8 * k + l] = 0.0;
        memset(panel + 8 * (size_t)k, 0, 8 * (size_t)(nc - k) * sizeof *panel);
    }
    return -1;
}

// --- nodes, subtrees, the tree ---------------------------------------------------------------------------------------

// tasks: NULL inside a task. Returns the place of the first bad scalar pivot, or -1.
static int32_t factor_node(ThawLdl *ldl, const ThawBlockMatrix *matrix, int32_t s, ThawTasks *tasks, int in_tiles) {
    const ThawLdlPlan *plan = ldl->plan;
    const ThawLdlNode *node = &plan->node[s];
    int32_t bs = plan->bs, nc = bs * node->cols, slot;
    ThawLdlScratch *scratch = thaw_ldl_claim(ldl, &slot);
    double *value = ldl->value + node->value;
    collect(ldl, matrix, s, value);
    for (int32_t k = 0; k < nc; k++) // the reciprocals' place is free until the pivots come
        ldl->reciprocal[bs * node->first + k] = value[8 * ((size_t)(k / 8) * (size_t)nc + (size_t)k) + (size_t)(k % 8)];
    for (int32_t k = 0; k < node->cols; k++)
        scratch->map[node->first + k] = k;
    for (int32_t k = node->cols; k < node->rows; k++)
        scratch->map[plan->row[node->row + k - node->cols]] = k;
    NodeJob job = {.ldl = ldl, .node = node, .map = scratch->map, .s = s};
    if (in_tiles) {
        job.tiles = (node->rows + TILE_ROWS - 1) / TILE_ROWS;
        thaw_ldl_release(ldl, slot); // its map stays as it is: only this function writes maps
        thaw_tasks_for(tasks, job.tiles * ((node->cols + TILE_COLS - 1) / TILE_COLS), update_tile, &job);
        scratch = NULL;
    } else {
        Tile all = {0, node->rows, 0, node->cols};
        for (int32_t u = node->update; u < plan->node[s + 1].update; u++)
            apply_update(ldl, plan->update[u], node, scratch->map, all, scratch);
    }
    if (!scratch)
        scratch = thaw_ldl_claim(ldl, &slot);
    int32_t bad = factor_dense(&job, ldl->reciprocal + bs * node->first, scratch, in_tiles ? tasks : NULL);
    thaw_ldl_release(ldl, slot);
    return bad < 0 ? -1 : bs * node->first + bad;
}

typedef struct TreeJob {
    ThawLdl *ldl;
    const ThawBlockMatrix *matrix;
} TreeJob;

static void factor_subtrees(void *context, int32_t index) {
    TreeJob *job = context;
    const ThawLdlPlan *plan = job->ldl->plan;
    int32_t *failed = &job->ldl->task_failed[index];
    *failed = -1;
    for (int32_t s = plan->task[2 * index]; s <= plan->task[2 * index + 1] && *failed < 0 && !is_stopped(job->ldl); s++)
        if (!job->ldl->skip[s])
            *failed = factor_node(job->ldl, job->matrix, s, NULL, 0);
}

static ThawStatus factor_tree(ThawLdl *ldl, const ThawBlockMatrix *matrix) {
    const ThawLdlPlan *plan = ldl->plan;
    TreeJob job = {ldl, matrix};
    ldl->factored = ldl->halved = 0;
    ldl->failed = -1;
    thaw_tasks_for(ldl->tasks, plan->task_count, factor_subtrees, &job);
    for (int32_t t = 0; t < plan->task_count && ldl->failed < 0; t++)
        ldl->failed = ldl->task_failed[t];
    for (int32_t i = 0; i < plan->top_count && ldl->failed < 0 && !is_stopped(ldl); i++)
        if (!ldl->skip[plan->top[i]])
            ldl->failed = factor_node(ldl, matrix, plan->top[i], ldl->tasks, plan->node[plan->top[i]].tiled);
    if (is_stopped(ldl))
        return THAW_CANCELLED;
    ldl->factored = ldl->failed < 0;
    return ldl->factored ? THAW_OK : THAW_INDEFINITE;
}

ThawStatus thaw_ldl_factor(ThawLdl *ldl, const ThawBlockMatrix *matrix, const signed char *signs) {
    const ThawLdlPlan *plan = ldl->plan;
    size_t bs = (size_t)plan->bs;
    ldl->mixed = 0;
    for (int32_t k = 0; signs && k < plan->n; k++)
        for (size_t r = 0; r < bs; r++) {
            int negative = signs[bs * (size_t)plan->order[k] + r] < 0;
            ldl->sign[bs * (size_t)k + r] = negative ? -1.0 : 1.0;
            ldl->mixed |= negative;
        }
    memset(ldl->skip, 0, (size_t)plan->count);
    return factor_tree(ldl, matrix);
}

ThawStatus thaw_ldl_refactor(ThawLdl *ldl, const ThawBlockMatrix *matrix, const unsigned char *changed) {
    const ThawLdlPlan *plan = ldl->plan;
    memset(ldl->skip, ldl->factored, (size_t)plan->count);
    for (int32_t i = 0; i < plan->n; i++)
        if (changed[i])
            for (int32_t s = plan->owner[plan->place[i]]; s >= 0 && ldl->skip[s]; s = plan->node[s].parent)
                ldl->skip[s] = 0;
    return factor_tree(ldl, matrix);
}

int32_t thaw_ldl_failed(const ThawLdl *ldl) {
    return ldl->failed < 0 ? -1 : ldl->plan->order[ldl->failed / ldl->plan->bs];
}

int32_t thaw_ldl_negative_pivots(const ThawLdl *ldl) {
    int32_t negative = 0;
    for (int32_t k = 0; ldl->mixed && k < ldl->plan->n * ldl->plan->bs; k++)
        negative += ldl->sign[k] < 0;
    return negative;
}
