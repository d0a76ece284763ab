// SPDX-License-Identifier: Apache-2.0
// What the files of the factorisation share.
//
// A supernode ("node") is a run of consecutive block columns with the same rows below. Its part of L is one dense
// rectangle, kept in panels of eight scalar rows: L(8 p + l, k) is at value[(p * nc + k) * 8 + l]. A column of a panel
// is one vector, so the kernels read the factor as it lies and nothing is ever packed for the rows' side of a product.
#ifndef THAW_LDL_IMPL_H
#define THAW_LDL_IMPL_H

#include "math/lanes.h"
#include "sparse/ldl.h"

// One supernode. Local rows count its own columns first, then the rows below in ascending order.
typedef struct ThawLdlNode {
    int32_t first;   // first block column, in the order of elimination
    int32_t cols;    // block columns
    int32_t rows;    // block rows, own columns included
    int32_t parent;  // node, or -1
    int32_t row;     // where its rows below begin in the plan's row
    int32_t entry;   // where its blocks of A begin in the plan's entry
    int32_t update;  // where its updates begin in the plan's update
    int32_t tiled;   // worth being worked on by all threads
    int32_t deepest; // first node of its subtree
    size_t value;    // where its panels begin in the factor
} ThawLdlNode;

// Local rows [begin, end) of node `from` are columns of the node it updates.
typedef struct ThawLdlUpdate {
    int32_t from, begin, end;
} ThawLdlUpdate;

// A block of A and its local place.
typedef struct ThawLdlEntry {
    int32_t source; // position in the matrix's pattern; its complement (~) if it is there transposed
    int32_t row, col;
} ThawLdlEntry;

struct ThawLdlPlan {
    const ThawBlockPattern *pattern;
    int32_t n, bs, count; // count: nodes
    int32_t *order;       // n: block row order[k] is the k-th
    int32_t *place;       // n: its inverse
    int32_t *owner;       // n: the node of the k-th column
    ThawLdlNode *node;    // count + 1, in postorder; the last one holds the ends
    int32_t *row;         // rows below, as places
    ThawLdlUpdate *update;
    ThawLdlEntry *entry;
    int32_t *task;      // task_count + 1: nodes task[2 t] .. task[2 t + 1] are whole subtrees, done at once
    int32_t task_count; // fixed by the pattern
    int32_t *top;       // top_count nodes above all tasks, in order; each is worked on by all threads
    int32_t top_count;
    int32_t most_cols, most_rows; // of any node, scalars, rows rounded up to panels
    ThawLdlCost cost;
};

// Column groups of the dense kernels, and how many of them a block of columns has.
enum { THAW_LDL_GROUP = 9, THAW_LDL_GROUPS = 4, THAW_LDL_BLOCK = THAW_LDL_GROUP * THAW_LDL_GROUPS };
// Right-hand sides that are worked on together.
enum { THAW_LDL_SIDES = 16 };
// Sets of that many which pass a node together.
enum { THAW_LDL_SETS = 4 };

// What one thread needs.
typedef struct ThawLdlScratch {
    int32_t *map;    // n: place -> local block row of the node being computed
    int32_t *to;     // most_rows: where a scalar row of the updating node lands in the updated one
    double *b;       // THAW_LDL_BLOCK * most_cols: the packed columns' side of products
    double *t;       // a triangle of 9 x 9 for each group of a block of columns
    double *x;       // most_rows: local part of a right-hand side
    ptrdiff_t *base; // THAW_LDL_SETS * count: where the sides of a node's columns are, a set after the other
} ThawLdlScratch;

typedef struct ThawLdlKernels ThawLdlKernels;

enum { THAW_LDL_SLOTS = 14 };

struct ThawLdl {
    const ThawLdlPlan *plan;
    const ThawLdlKernels *kernels;
    ThawTasks *tasks;
    double *value;        // L; once it is halved as many floats, in the first half of it
    double *reciprocal;   // 1 / L_kk, by place
    double *sign;         // 1 or -1 by place; only meaningful if `mixed`
    int mixed;            // some sign is negative
    int factored;         // the numbers are those of a finished factorisation
    int halved;           // they were, and are floats now
    int32_t failed;       // place of the first bad scalar pivot, or -1
    int32_t *task_failed; // one a task
    unsigned char *skip;  // count: nodes that a refactorisation keeps
    int32_t threads;
    ThawLdlScratch *scratch;   // one a thread
    _Atomic(int32_t) *claimed; // which of them are in use
    double *y;                 // n * bs: a right-hand side by place
    double *work;              // grows with the needs of solves with many sides
    size_t work_size;
    int32_t *index; // the same for indices
    size_t index_size;
    void *slot[THAW_LDL_SLOTS]; // scratch of ldl_schur.c, kept from call to call
    size_t slot_size[THAW_LDL_SLOTS];
};

ThawLdlScratch *thaw_ldl_claim(ThawLdl *ldl, int32_t *slot);
void thaw_ldl_release(ThawLdl *ldl, int32_t slot);

static inline int32_t thaw_ldl_panels(const ThawLdlPlan *plan, const ThawLdlNode *node) {
    return (plan->bs * node->rows + 7) / 8;
}

// Forward and backward through one node, y by place; `local` is scratch of most_rows (ldl_solve.c).
void thaw_ldl_forward(const ThawLdl *ldl, int32_t s, double *y, double *local);
void thaw_ldl_backward(const ThawLdl *ldl, int32_t s, double *y, double *local);
ThawStatus thaw_ldl_check(const double *x, size_t count); // THAW_NOT_CONVERGED unless all are finite

// --- ldl_sides.c -----------------------------------------------------------------------------------------------------

// A set of sixteen sides: Y holds 16 doubles a scalar row; the rows of node s begin at row base[s] + bs * first.
typedef struct ThawLdlSides {
    const ptrdiff_t *base;
    double *Y;
} ThawLdlSides;

static inline double *thaw_ldl_sides_at(const ThawLdlPlan *plan, const ThawLdlSides *set, int32_t place) {
    return set->Y + THAW_LDL_SIDES * (set->base[plan->owner[place]] + (ptrdiff_t)plan->bs * place);
}

// Forward through one node.
void thaw_ldl_forward_sides(const ThawLdl *ldl, int32_t s, int sets, const ThawLdlSides *set);
// Makes work hold `size` doubles, old ones lost; false without memory.
int thaw_ldl_reserve(ThawLdl *ldl, size_t size);
// Adds the nodes from block row i to the root that do not carry the stamp yet; returns how many `nodes` there are then.
int32_t thaw_ldl_climb(const ThawLdlPlan *plan, int32_t i, int32_t stamp, int32_t *stamps, int32_t *nodes,
                       int32_t count);
void thaw_ldl_sort_nodes(int32_t count, int32_t *nodes);
ThawStatus thaw_ldl_check_rows(const ThawLdlPlan *plan, int32_t count, const int32_t *row); // all of the plan

// --- ldl_kernel.c ----------------------------------------------------------------------------------------------------

// Where eight rows of a source land in a target's panels. Up to three panels are reached by a permutation each.
enum { THAW_LDL_PIECES = 3 };
typedef struct ThawLdlLanding {
    int32_t pieces;                      // 0: row by row
    unsigned char mask[THAW_LDL_PIECES]; // lanes that change
    size_t panel[THAW_LDL_PIECES];       // offset of the target's panel
    int64_t lane[THAW_LDL_PIECES][8];    // the source lane of each target lane
    int32_t first, last;                 // source lanes that count
    size_t offset[8];                    // of each row
} ThawLdlLanding;

// The dense kernels. Panels of A are `next` doubles apart. All arrays but b are aligned to 64 bytes.
struct ThawLdlKernels {
    int permutes; // subtract can use a landing's pieces
    // c = A B', where A has 8 * panels rows (1 or 2 panels, columns `step` doubles apart) and B has n <= 9 rows, packed
    // so that B(j, i) = b[i * b_step + j]. c: panels * n vectors.
    void (*product)(int panels, int n, int32_t k, const double *a, size_t next, size_t step, const double *b,
                    size_t b_step, double *c);
    // X = (C - A B') T^-1, in place of the panels C: T is lower triangular with the reciprocals of its diagonal in its
    // place, T(j, i) = t[9 i + j]; B as above, b_step 9. t NULL: only C - A B'.
    void (*reduce)(int panels, int n, int32_t k, const double *a, size_t next, const double *b, const double *t,
                   double *c);
    // b[9 i + j] = L(row + j, i) (times sign[i], if not NULL) for n <= 9 rows and i < k; `value` is the panel with the
    // first row at its line `row`. Writes up to 7 doubles beyond the end.
    void (*pack)(const double *value, size_t next, int32_t row, int n, int32_t k, const double *sign, double *b);
    // target -= c for n columns of one panel each.
    void (*subtract)(int n, const ThawLdlLanding *landing, const double *c, double *target);
    // One right-hand side through a node of nc columns: x holds its local rows. Forward, those below are zero before
    // and what has to be added to them after; backward, they are known.
    void (*forward)(int32_t nc, int32_t panels, const double *value, const double *reciprocal, double *x);
    void (*backward)(int32_t nc, int32_t panels, const double *value, const double *reciprocal, double *x);
    // The same with a factor that was halved.
    void (*half_forward)(int32_t nc, int32_t panels, const float *value, const double *reciprocal, double *x);
    void (*half_backward)(int32_t nc, int32_t panels, const float *value, const double *reciprocal, double *x);
    // c = A Y: eight rows of L (one panel), k columns, by sixteen sides; Y has 16 doubles a row, c 8 x 16.
    void (*forward_sides)(int32_t k, const double *a, const double *y, double *c);
    // c = A' X: eight columns of L, beginning at `a` in the first of some panels, X their rows; c is 8 x 16.
    void (*backward_sides)(int32_t panels, const double *a, size_t next, const double *x, double *c);
};

const ThawLdlKernels *thaw_ldl_kernels(void); // for this processor
// For source rows row, ..., row + 7, of which those in [begin, end) count; row i lands in row to[i], ascending.
ThawLdlLanding thaw_ldl_land(const ThawLdlKernels *kernels, const int32_t *to, int32_t row, int32_t begin, int32_t end,
                             size_t next);

#endif
