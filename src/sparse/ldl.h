// SPDX-License-Identifier: Apache-2.0
// Our own direct solver: a supernodal block factorisation A = L S L' with static signs S, of symmetric matrices that
// are positive definite (S = I) or quasi-definite. docs/factorisation.md tells how it works and how fast it is.
#ifndef THAW_LDL_H
#define THAW_LDL_H

#include "sparse/sparse.h"

// What follows from the pattern and an order: elimination tree, supernodes, their rows, which supernodes update which.
// Const, shared.
typedef struct ThawLdlPlan ThawLdlPlan;
// The numbers of one factor, and scratch.
typedef struct ThawLdl ThawLdl;

typedef struct ThawLdlCost {
    int32_t nodes;   // supernodes
    int64_t numbers; // doubles in L, padding included
    double flops;    // of one factorisation
    double way;      // numbers of L from a block row to its root, on the mean: what a sparse right-hand side meets
    double reach;    // and the scalar rows on it
} ThawLdlCost;

// order: block row order[k] is eliminated k-th, a permutation; NULL: thaw_order_dissect's. The pattern must outlive the
// plan. Block sizes of 1 to 8 are served, whatever thaw_block_pattern_create allows; six unknowns are two blocks of 3.
ThawStatus thaw_ldl_plan_create(const ThawBlockPattern *pattern, const int32_t *order, ThawLdlPlan **plan,
                                ThawError *error);
void thaw_ldl_plan_free(ThawLdlPlan **plan);
ThawLdlCost thaw_ldl_plan_cost(const ThawLdlPlan *plan);
size_t thaw_ldl_plan_bytes(const ThawLdlPlan *plan);

// Fill-reducing orders of a pattern's rows: row order[k] is eliminated k-th.
ThawStatus thaw_order_dissect(const ThawBlockPattern *pattern, int32_t *order, ThawError *error); // one that lasts
// One that serves some factorisations only: costs a fifth of one, where dissection may cost twice of one.
// Up to so many rows it is minimum degree's.
enum { THAW_ORDER_QUICK_SMALL = 450 };
ThawStatus thaw_order_sketch(const ThawBlockPattern *pattern, int32_t *order, ThawError *error);
// Minimum degree, which both of them use for small systems.
ThawStatus thaw_order_degree(const ThawBlockPattern *pattern, int32_t *order, ThawError *error);
// The order of a subset of the rows, taken from an order of all `n` without ordering anew: new_id[i] is row i's number
// in the subset, or -1. `restricted` gets one entry for each row of the subset. Twice the operations of an order of its
// own.
void thaw_order_restrict(int32_t n, const int32_t *order, const int32_t *new_id, int32_t *restricted);

// The plan must outlive the factor. tasks may be NULL; it never changes a bit.
ThawStatus thaw_ldl_create(const ThawLdlPlan *plan, ThawTasks *tasks, ThawLdl **ldl, ThawError *error);
void thaw_ldl_free(ThawLdl **ldl);
size_t thaw_ldl_bytes(const ThawLdl *ldl);
ThawLdlCost thaw_ldl_cost(const ThawLdl *ldl); // of its plan

// Factors the present values. signs: 1 or -1 for each scalar row, the expected sign of its pivot; NULL: all positive.
// THAW_INDEFINITE when a pivot has the other sign, is lost in rounding or is not finite: see thaw_ldl_failed. Then only
// another factorisation may follow.
ThawStatus thaw_ldl_factor(ThawLdl *ldl, const ThawBlockMatrix *matrix, const signed char *signs);
// The same when only blocks (i, j) with changed[i] and changed[j] differ from the last successful factorisation:
// subtrees without changes are kept. Same bits as factoring anew, same signs as last time.
ThawStatus thaw_ldl_refactor(ThawLdl *ldl, const ThawBlockMatrix *matrix, const unsigned char *changed);
// The block row whose pivot failed, the first in the order of elimination; -1 if none did.
int32_t thaw_ldl_failed(const ThawLdl *ldl);
// Rounds L to single precision, in its place, unless pivots differ by more than seven digits: thaw_ldl_solve then reads
// half as many bytes, and its errors are as if A were known to 6e-8. Every other use finds no factor until there is a
// new one.
void thaw_ldl_halve(ThawLdl *ldl);
// How many pivots are negative (the signs say so too, once the factorisation succeeded).
int32_t thaw_ldl_negative_pivots(const ThawLdl *ldl);

// All solves return THAW_NOT_CONVERGED when an answer is not finite. They use the factor's scratch: one call at a time.

// x = A^-1 b; x may be b.
ThawStatus thaw_ldl_solve(ThawLdl *ldl, const double *b, double *x);
// The same for `count` columns; column c begins at b + c * stride, x + c * stride. x may be b.
ThawStatus thaw_ldl_solve_many(ThawLdl *ldl, int32_t count, const double *b, double *x, size_t stride);
// Block rows x_row[0..x_count) of A^-1 b, where b is zero but in block rows b_row[0..b_count). Costs the numbers of L
// on the ways from those rows to the root.
ThawStatus thaw_ldl_solve_sparse(ThawLdl *ldl, int32_t b_count, const int32_t *b_row, const double *b, int32_t x_count,
                                 const int32_t *x_row, double *x);
// Diagonal blocks of A^-1, bs*bs doubles (row-major) for each of row[0..count).
ThawStatus thaw_ldl_inverse_blocks(ThawLdl *ldl, int32_t count, const int32_t *row, double *blocks);

// A matrix of few block columns a row, such as contact Jacobians: row c has blocks [offset[c], offset[c + 1]).
typedef struct ThawBlockRows {
    int32_t count;        // block rows
    int32_t height;       // scalar rows of a block: 3 with friction, 1 without
    const int32_t *start; // count + 1 offsets
    const int32_t *col;   // block columns; a column may come twice, its blocks add up
    const double *value;  // height * bs doubles (row-major) a block
} ThawBlockRows;

// Such rows once more, where they all lie on a few block columns, the ports: J = C E', E the ports' unit columns.
typedef struct ThawPorts {
    int32_t count;  // 0: there are none
    int32_t room;   // for entries of C
    int32_t *start; // rows of C, as above
    int32_t *port;  // below count
    double *value;
} ThawPorts;

// H += J A^-1 J'; H is dense and full, count * height square with rows `stride` apart.
ThawStatus thaw_ldl_schur(ThawLdl *ldl, const ThawBlockRows *J, double *H, size_t stride);

#endif
