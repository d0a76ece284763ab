// SPDX-License-Identifier: Apache-2.0
// Symmetric block matrices and the solvers for them. No physics here.
#ifndef THAW_SPARSE_H
#define THAW_SPARSE_H

#include "base/base.h"
#include "thaw/world.h" // ThawSolverKind

// The lower triangle, diagonal included, of a symmetric matrix of n x n blocks of size bs x bs. Const once made;
// shared.
typedef struct ThawBlockPattern {
    int32_t n;    // block rows
    int32_t bs;   // 2 or 3
    int32_t *row; // n + 1 offsets into col
    int32_t *col; // block columns, ascending in each row; the last of row i is i
} ThawBlockPattern;

typedef struct ThawBlockMatrix {
    const ThawBlockPattern *pattern; // not owned
    double *value;                   // bs*bs doubles (row-major) for each entry of col
} ThawBlockMatrix;

// The pattern of an undirected graph: adjacency of vertex i is neighbours[offset[i] .. offset[i+1]) (any order, both
// directions present, self not needed).
ThawStatus thaw_block_pattern_create(int32_t n, int32_t bs, const int32_t *offset, const int32_t *neighbours,
                                     ThawBlockPattern **pattern, ThawError *error);
void thaw_block_pattern_free(ThawBlockPattern **pattern);
// The position in col (and so in value / bs^2) of block (i, j), j <= i; -1 if it is not in the pattern.
int32_t thaw_block_find(const ThawBlockPattern *pattern, int32_t i, int32_t j);

// What can be computed from the pattern alone (orderings, symbolic factors, partitions); const once made, and shared by
// all bodies with that pattern.
typedef struct ThawSolverPlan ThawSolverPlan;
// The numbers: values, factors, scratch, for one body.
typedef struct ThawSolver ThawSolver;

typedef struct ThawSolveInfo {
    int32_t iterations; // 0 for a direct solve
    double residual;    // |b - A x| / |b| as the solver knows it
} ThawSolveInfo;

// AUTO is resolved here by a fixed cost model of the pattern. THAW_ERROR_UNSUPPORTED names what the build lacks.
// The pattern must outlive the plan, the plan its solvers.
ThawStatus thaw_solver_plan_create(ThawSolverKind kind, const ThawBlockPattern *pattern, ThawSolverPlan **plan,
                                   ThawError *error);
// The same for a plan that serves some steps only: takes up to ten times less, its factor 5 percent more on the mean.
ThawStatus thaw_solver_plan_sketch(ThawSolverKind kind, const ThawBlockPattern *pattern, ThawSolverPlan **plan,
                                   ThawError *error);
// The last block rows of a matrix [E B'; B -W]: W is positive definite and so is E + B' W^-1 B, and of E what is left
// when a few of its rows, the anchors, are struck off.
typedef struct ThawBorder {
    int32_t count; // of W; 0: there is no border
    int32_t anchors;
    const int32_t *anchor; // block rows of E
} ThawBorder;
// The same for such a matrix: our own factor, first E without its anchors, then the border, then the anchors. All
// pivots have their signs then, though E alone may be indefinite.
ThawStatus thaw_solver_plan_bordered(const ThawBlockPattern *pattern, ThawBorder border, ThawSolverPlan **plan,
                                     ThawError *error);
void thaw_solver_plan_free(ThawSolverPlan **plan);
// What auto takes for it.
ThawSolverKind thaw_solver_choose(const ThawBlockPattern *pattern);
ThawSolverKind thaw_solver_plan_kind(const ThawSolverPlan *plan);
// For how many solves of some 14 iterations (thaw_solver_settle) a factor of this plan, halved, has to serve before it
// is cheaper than conjugate gradients; INFINITY where it never is, or is not our own.
double thaw_solver_plan_patience(const ThawSolverPlan *plan);

ThawStatus thaw_solver_create(const ThawSolverPlan *plan, ThawTasks *tasks, ThawSolver **solver, ThawError *error);
void thaw_solver_free(ThawSolver **solver);
// The matrix to be filled by the caller before thaw_solver_factor. The solver owns its values and does not change them.
ThawBlockMatrix *thaw_solver_matrix(ThawSolver *solver);
// Prepares for solves with the present values. THAW_INDEFINITE when a pivot fails.
ThawStatus thaw_solver_factor(ThawSolver *solver);
// A factor of our own is kept to seven digits, where they are enough (ldl.h), for half the time of a solve; others stay
// as they are.
void thaw_solver_halve(ThawSolver *solver);
// A x = b. x holds the first guess of an iterative solve and the answer afterwards. THAW_INDEFINITE when a direction of
// negative curvature is met, THAW_NOT_CONVERGED at the iteration limit. No allocation of ours after the first call.
// info may be NULL, which saves a direct solve the product that its residual takes.
ThawStatus thaw_solver_solve(ThawSolver *solver, const double *b, double *x, double tolerance, ThawSolveInfo *info);
// The same, where an error of about `share` of the answer in the norm of energy will do.
ThawStatus thaw_solver_settle(ThawSolver *solver, const double *b, double *x, double share, ThawSolveInfo *info);
size_t thaw_solver_bytes(const ThawSolver *solver); // memory held, factor included

// The direct factor inside a solver of kind THAW_SOLVER_LDL, for sparse right-hand sides; NULL for other kinds.
struct ThawLdl *thaw_solver_ldl(ThawSolver *solver);

// y = A x. Parallel, same bits for any number of threads.
void thaw_solver_multiply(ThawSolver *solver, const double *x, double *y);

#endif
