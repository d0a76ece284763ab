// SPDX-License-Identifier: Apache-2.0
// What the files of this folder share: how rows are cut into slabs, the packed vectors, the parts of a plan and a
// solver.
#ifndef THAW_SPARSE_IMPL_H
#define THAW_SPARSE_IMPL_H

#include <string.h>

#include "sparse/ldl.h"
#include "sparse/sparse.h"

// --- packed vectors: four doubles a block row, the unused ones zero --------------------------------------------------

// A row of a block is loaded as four doubles too; what follows the row then meets a zero. Arrays of blocks therefore
// end with THAW_PAD spare zeros.
enum { THAW_STRIDE = 4, THAW_PAD = 4 };

typedef double ThawV4 __attribute__((vector_size(32)));
typedef double ThawV4Loose __attribute__((vector_size(32), aligned(8), may_alias));
typedef float ThawF4Loose __attribute__((vector_size(16), aligned(4), may_alias));

THAW_INLINE ThawV4 thaw_v4_load(const double *p) { return *(const ThawV4Loose *)p; }
THAW_INLINE ThawV4 thaw_v4_load_float(const float *p) {
    return __builtin_convertvector(*(const ThawF4Loose *)p, ThawV4);
}
THAW_INLINE void thaw_v4_store(double *p, ThawV4 v) { *(ThawV4Loose *)p = v; }
THAW_INLINE double thaw_v4_sum(ThawV4 v) { return (v[0] + v[1]) + (v[2] + v[3]); }

// The scalar a in the lanes that a block row of size bs uses.
THAW_INLINE ThawV4 thaw_v4_spread(int bs, double a) { return bs == 3 ? (ThawV4){a, a, a, 0} : (ThawV4){a, a, 0, 0}; }

// The lane sums of up to three vectors, as one vector.
THAW_INLINE ThawV4 thaw_v4_sums(ThawV4 a, ThawV4 b, ThawV4 c) {
    ThawV4 zero = {0, 0, 0, 0};
    ThawV4 ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
    ThawV4 c0 = __builtin_shufflevector(c, zero, 0, 4, 2, 6) + __builtin_shufflevector(c, zero, 1, 5, 3, 7);
    return __builtin_shufflevector(ab, c0, 0, 1, 4, 5) + __builtin_shufflevector(ab, c0, 2, 3, 6, 7);
}

// --- slabs (slabs.c) -------------------------------------------------------------------------------------------------

// Contiguous cuts of the rows such that a row couples only to its own slab and the two next to it. Slabs of the same
// parity then share nothing and may be worked on at once; a loop over all rows is two loops of tasks, even slabs and
// odd ones.
typedef struct ThawSlabs {
    int32_t count;
    int32_t *start; // count + 1 block rows
} ThawSlabs;

ThawStatus thaw_slabs_build(const ThawBlockPattern *pattern, ThawSlabs *slabs, ThawError *error);
void thaw_slabs_clear(ThawSlabs *slabs);

// How many slabs of a parity (0 or 1) there are.
THAW_INLINE int32_t thaw_slabs_phase(const ThawSlabs *slabs, int parity) { return (slabs->count + 1 - parity) / 2; }

// The rows an even slab s prepares for all others before the even slabs multiply: its own, those of the slab before,
// and those of the slab after if no other even slab follows.
THAW_INLINE void thaw_slabs_opening(const ThawSlabs *slabs, int32_t s, int32_t *first, int32_t *last) {
    *first = slabs->start[s > 0 ? s - 1 : 0];
    *last = slabs->start[s + 2 >= slabs->count ? slabs->count : s + 1];
}

// --- plans -----------------------------------------------------------------------------------------------------------

// The pattern of the incomplete factor (ic0.c): rows are eliminated from both ends towards the middle.
enum { THAW_FRONT, THAW_BACK, THAW_MIDDLE, THAW_WINGS };

// Rows first, first + step, ... of one wing, in the order of elimination.
typedef struct ThawWing {
    int32_t first, step, count;
} ThawWing;

typedef struct ThawIcPlan {
    ThawWing wing[THAW_WINGS]; // front and back share no block; either may be empty
    int32_t *segment; // 3 n + 1: row i's blocks towards the front are [segment[3i], segment[3i+1]) and towards the
                      // back up to segment[3i+2] (middle rows only), within its own wing up to segment[3i+3]
    int32_t *col;     // block columns, each segment in the order of elimination
    int32_t *source;  // where the block is in the matrix; its complement (~) if it is there transposed
    int32_t longest;  // blocks in the longest row
} ThawIcPlan;

typedef struct ThawCholmodPlan ThawCholmodPlan; // cholmod.c

struct ThawSolverPlan {
    ThawSolverKind kind; // never AUTO, and PCG where it is scaled
    int scaled;
    const ThawBlockPattern *pattern;
    ThawSlabs slabs;
    ThawIcPlan ic;            // PCG only
    ThawCholmodPlan *cholmod; // CHOLMOD only
    ThawLdlPlan *ldl;         // LDL only
    signed char *signs;       // n * bs, of pivots, with a border; else NULL
};

// --- solvers ---------------------------------------------------------------------------------------------------------

// The incomplete factor (I + L) D (I + L)' (ic0.c).
typedef struct ThawIc {
    float *block;           // bs*bs (row-major) for each entry of the plan's col: L
    double *inverse;        // bs*bs a row: D^-1
    double *row;            // scratch: longest * bs*bs for each of the two ends
    int32_t *mark;          // scratch: n, -1 between rows
    int broken[THAW_WINGS]; // nonzero when a pivot failed
    double shift;           // what the diagonal was raised by, relatively; INFINITY: L is zero
} ThawIc;

typedef struct ThawCholmod ThawCholmod; // cholmod.c

struct ThawSolver {
    const ThawSolverPlan *plan;
    ThawTasks *tasks;
    ThawBlockMatrix matrix;
    double *x, *r, *z; // packed; PCG only
    double *p, *q;     // packed
    double *sum;       // partial sums, one a slab
    double *scale;     // scaled PCG only: bs n, S ...
    double *scaled;    // ... S A S ...
    double *side;      // ... and 5 bs n of scratch, S b and S^-1 x among it
    ThawIc ic;
    ThawCholmod *cholmod;
    ThawLdl *ldl;
};

// --- multiply.c ------------------------------------------------------------------------------------------------------

void thaw_vector_pack(int32_t n, int bs, const double *from, double *packed);
void thaw_vector_unpack(int32_t n, int bs, const double *packed, double *to);
// Adds what the stored blocks of rows first <= i < last contribute to y = A x, their mirror images above the diagonal
// included. Returns these rows' share of x'Ax. x and y are packed.
double thaw_block_multiply_rows(const ThawBlockMatrix *matrix, int32_t first, int32_t last, const double *x, double *y);
// y = A x, packed.
void thaw_solver_multiply_packed(ThawSolver *solver, const double *x, double *y);

// --- ic0.c -----------------------------------------------------------------------------------------------------------

ThawStatus thaw_ic_plan_build(const ThawBlockPattern *pattern, ThawIcPlan *plan, ThawError *error);
void thaw_ic_plan_clear(ThawIcPlan *plan);
ThawStatus thaw_ic_create(const ThawSolverPlan *plan, ThawIc *ic, ThawError *error);
void thaw_ic_clear(ThawIc *ic);
size_t thaw_ic_bytes(const ThawSolverPlan *plan);
ThawStatus thaw_ic_factor(ThawSolver *solver);
// y = (I + L)^-1 r and z = D^-1 y in the rows of a wing; the middle comes after both ends.
void thaw_ic_forward(const ThawSolver *solver, int wing, const double *r, double *y, double *z);
// z = (I + L)^-T z in the rows of a wing; the ends come after the middle.
void thaw_ic_backward(const ThawSolver *solver, int wing, double *z);

// --- pcg.c -----------------------------------------------------------------------------------------------------------

ThawStatus thaw_pcg_solve(ThawSolver *solver, const double *b, double *x, double tolerance, ThawSolveInfo *info);
ThawStatus thaw_pcg_settle(ThawSolver *solver, const double *b, double *x, double share, ThawSolveInfo *info);

// --- scale.c ---------------------------------------------------------------------------------------------------------

// s: bs n powers of 2, and scaled = S A S. scratch: 5 bs n.
void thaw_scale_matrix(const ThawBlockMatrix *A, double *s, double *scaled, double *scratch);

// --- order.c ---------------------------------------------------------------------------------------------------------

// thaw_order_dissect is declared with its users in ldl.h.

// --- cholmod.c: without THAW_WITH_CHOLMOD creating a plan fails with THAW_ERROR_UNSUPPORTED --------------------------

int thaw_cholmod_present(void); // whether the build has it
ThawStatus thaw_cholmod_plan_create(const ThawBlockPattern *pattern, ThawCholmodPlan **plan, ThawError *error);
void thaw_cholmod_plan_free(ThawCholmodPlan **plan);
ThawStatus thaw_cholmod_create(const ThawCholmodPlan *plan, ThawCholmod **cholmod, ThawError *error);
void thaw_cholmod_free(ThawCholmod **cholmod);
size_t thaw_cholmod_bytes(const ThawCholmod *cholmod);
ThawStatus thaw_cholmod_factor(ThawCholmod *cholmod, const ThawBlockMatrix *matrix);
// x = A^-1 b, both of bs*n doubles.
ThawStatus thaw_cholmod_solve(ThawCholmod *cholmod, const double *b, double *x);

#endif
