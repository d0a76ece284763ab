// SPDX-License-Identifier: Apache-2.0
// One interface, two methods: conjugate gradients with an incomplete factor (pcg.c, ic0.c), of the matrix as it is or
// scaled (scale.c), and a supernodal factor, ours (ldl_*.c) or CHOLMOD's (cholmod.c). A plan is what follows from the
// pattern, a solver holds the numbers of one matrix.
#include <math.h>

#include "sparse/sparse_impl.h"

// --- plan ------------------------------------------------------------------------------------------------------------

// Nanoseconds, one thread, of one factor and one solve to 1e-8 without a first guess; fitted to boxes of 50 to 200k
// tetrahedra from cubes to slender beams and sheets (bench/solver_cubes.c), E 1e6 to 1e8. Both costs follow from the
// mean reach w of a row, which in a Cuthill-McKee order is the size of a cross-section:
//   supernodal factor   n (300 + (75 w + 0.2 w^2) (bs/3)^3), within 1.6 either way
//   one iteration       6.4 a block of 3x3; about 3 for each of the n / w levels that news has to travel
// The iterations' number varies by three either way with the material, which a pattern does not know.
ThawSolverKind thaw_solver_choose(const ThawBlockPattern *pattern) {
    // Beyond this the analysis alone takes seconds, the factor gigabytes.
    const int32_t most_rows = 200000;
    if (pattern->n > most_rows)
        return THAW_SOLVER_PCG;
    // A rigid body or two: an iteration costs what a factor does, and needs a first guess.
    const int32_t few_rows = 8;
    if (pattern->n <= few_rows)
        return THAW_SOLVER_LDL;
    double n = pattern->n, blocks = pattern->row[pattern->n], bs = pattern->bs / 3.0, reach = 0.0;
    for (int32_t i = 0; i < pattern->n; i++)
        reach += i - pattern->col[pattern->row[i]];
    double w = reach / n;
    double direct = n * (300.0 + (75.0 * w + 0.2 * w * w) * bs * bs * bs);
    double iterative = blocks * bs * bs * (35.0 + 6.4 * 3.0 * n / (w + 1.0));
    return direct < iterative ? THAW_SOLVER_LDL : THAW_SOLVER_PCG;
}

static ThawStatus dissect_ldl(const ThawBlockPattern *pattern, ThawLdlPlan **plan, ThawError *error) {
    return thaw_ldl_plan_create(pattern, NULL, plan, error);
}

typedef ThawStatus (*Orderer)(const ThawBlockPattern *pattern, int32_t *order, ThawError *error);

static ThawStatus plan_ordered(Orderer orderer, const ThawBlockPattern *pattern, ThawLdlPlan **plan, ThawError *error) {
    int32_t *order = THAW_NEW(int32_t, pattern->n);
    ThawStatus status = order ? orderer(pattern, order, error) : thaw_error_memory(error, "a solver plan");
    if (status == THAW_OK)
        status = thaw_ldl_plan_create(pattern, order, plan, error);
    thaw_free(order);
    return status;
}

// What a factor is used for: itself, and the response of some fifty contacts, whose sides go up their ways to the root
// and meet there. A product of two sides runs nearly as fast as the factorisation, the ways ten times as fast.
static double worth_of(const ThawLdlPlan *plan) {
    ThawLdlCost cost = thaw_ldl_plan_cost(plan);
    return cost.flops + 2e4 * cost.reach + 30 * cost.way;
}

// One that serves some steps. Minimum degree takes a tenth of the time of a sketch; it makes up to twice the operations
// for compact bodies, but half for bodies with arms, which no single separator parts well. So it comes first, and does
// wherever it makes few operations for its rows: bs^3 n^2 are what a corner of a cube takes. Else the better of the
// two. Plans that last are dissected: minimum degree has a third fewer operations for bodies with arms, but ways twice
// as long.
static ThawStatus sketch_ldl(const ThawBlockPattern *pattern, ThawLdlPlan **plan, ThawError *error) {
    const double n = pattern->n, few = 1.5 * n * n * pattern->bs * pattern->bs * pattern->bs;
    ThawStatus status = plan_ordered(thaw_order_degree, pattern, plan, error);
    if (status != THAW_OK || pattern->n <= THAW_ORDER_QUICK_SMALL || thaw_ldl_plan_cost(*plan).flops <= few)
        return status;
    ThawLdlPlan *other = NULL;
    status = plan_ordered(thaw_order_sketch, pattern, &other, error);
    if (status == THAW_OK && worth_of(other) < worth_of(*plan)) {
        ThawLdlPlan *worse = *plan;
        *plan = other;
        other = worse;
    }
    thaw_ldl_plan_free(&other);
    return status;
}

typedef ThawStatus (*LdlPlanner)(const ThawBlockPattern *pattern, ThawLdlPlan **plan, ThawError *error);

static ThawStatus create_plan(ThawSolverKind kind, LdlPlanner plan_ldl, const ThawBlockPattern *pattern,
                              ThawSolverPlan **result, ThawError *error) {
    *result = NULL;
    if ((unsigned)kind > THAW_SOLVER_PCG_SCALED)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "solver is %d; allowed: auto (%d), pcg (%d), cholmod (%d), ldl (%d), pcg-scaled (%d)",
                              kind, THAW_SOLVER_AUTO, THAW_SOLVER_PCG, THAW_SOLVER_CHOLMOD, THAW_SOLVER_LDL,
                              THAW_SOLVER_PCG_SCALED);
    ThawSolverPlan *plan = THAW_NEW(ThawSolverPlan, 1);
    if (!plan)
        return thaw_error_memory(error, "a solver plan");
    plan->scaled = kind == THAW_SOLVER_PCG_SCALED;
    plan->kind = plan->scaled ? THAW_SOLVER_PCG : kind == THAW_SOLVER_AUTO ? thaw_solver_choose(pattern) : kind;
    plan->pattern = pattern;
    ThawStatus status = thaw_slabs_build(pattern, &plan->slabs, error);
    if (status == THAW_OK && plan->kind == THAW_SOLVER_PCG)
        status = thaw_ic_plan_build(pattern, &plan->ic, error);
    if (status == THAW_OK && plan->kind == THAW_SOLVER_CHOLMOD)
        status = thaw_cholmod_plan_create(pattern, &plan->cholmod, error);
    if (status == THAW_OK && plan->kind == THAW_SOLVER_LDL)
        status = plan_ldl(pattern, &plan->ldl, error);
    if (status != THAW_OK)
        thaw_solver_plan_free(&plan);
    *result = plan;
    return status;
}

ThawStatus thaw_solver_plan_create(ThawSolverKind kind, const ThawBlockPattern *pattern, ThawSolverPlan **plan,
                                   ThawError *error) {
    return create_plan(kind, dissect_ldl, pattern, plan, error);
}

ThawStatus thaw_solver_plan_sketch(ThawSolverKind kind, const ThawBlockPattern *pattern, ThawSolverPlan **plan,
                                   ThawError *error) {
    return create_plan(kind, sketch_ldl, pattern, plan, error);
}

// The order of E is that of its own pattern: rows that meet all others would make one separator of everything.
static ThawStatus order_bordered(const ThawBlockPattern *pattern, ThawBorder border, int32_t *order, ThawError *error) {
    ThawBlockPattern inner = *pattern;
    inner.n = pattern->n - border.count;
    unsigned char *last = THAW_NEW(unsigned char, inner.n);
    if (!last)
        return thaw_error_memory(error, "a solver plan");
    for (int32_t k = 0; k < border.anchors; k++)
        last[border.anchor[k]] = 1;
    ThawStatus status = thaw_order_dissect(&inner, order, error);
    int32_t count = 0;
    for (int32_t i = 0; i < inner.n; i++)
        if (!last[order[i]])
            order[count++] = order[i];
    for (int32_t i = inner.n; i < pattern->n; i++)
        order[count++] = i;
    for (int32_t i = 0; i < inner.n; i++)
        if (last[i])
            order[count++] = i;
    thaw_free(last);
    return status;
}

ThawStatus thaw_solver_plan_bordered(const ThawBlockPattern *pattern, ThawBorder border, ThawSolverPlan **result,
                                     ThawError *error) {
    *result = NULL;
    ThawSolverPlan *plan = THAW_NEW(ThawSolverPlan, 1);
    int32_t *order = THAW_NEW(int32_t, pattern->n);
    if (plan)
        plan->signs = THAW_NEW(signed char, (size_t)pattern->n *(size_t)pattern->bs);
    ThawStatus status = plan && order && plan->signs ? THAW_OK : thaw_error_memory(error, "a solver plan");
    if (status == THAW_OK) {
        const size_t before = (size_t)(pattern->n - border.count) * (size_t)pattern->bs;
        plan->kind = THAW_SOLVER_LDL;
        plan->pattern = pattern;
        memset(plan->signs, 1, before);
        memset(plan->signs + before, -1, (size_t)border.count * (size_t)pattern->bs);
        status = thaw_slabs_build(pattern, &plan->slabs, error);
    }
    if (status == THAW_OK)
        status = order_bordered(pattern, border, order, error);
    if (status == THAW_OK)
        status = thaw_ldl_plan_create(pattern, order, &plan->ldl, error);
    thaw_free(order);
    if (status != THAW_OK)
        thaw_solver_plan_free(&plan);
    *result = plan;
    return status;
}

void thaw_solver_plan_free(ThawSolverPlan **pointer) {
    if (!pointer || !*pointer)
        return;
    ThawSolverPlan *plan = *pointer;
    thaw_slabs_clear(&plan->slabs);
    thaw_ic_plan_clear(&plan->ic);
    thaw_cholmod_plan_free(&plan->cholmod);
    thaw_ldl_plan_free(&plan->ldl);
    thaw_free(plan->signs);
    thaw_free(plan);
    *pointer = NULL;
}

ThawSolverKind thaw_solver_plan_kind(const ThawSolverPlan *plan) {
    return plan->scaled ? THAW_SOLVER_PCG_SCALED : plan->kind;
}

// Nanoseconds, one thread: a factor makes 14 operations each, a solve with it reads a number in 0.8; an iteration takes
// 13 a block of 3x3. Shadows of the wheel, the forest's trees and pachinko's pills took 14 to 17 iterations to a
// percent, the octopus' 5.
double thaw_solver_plan_patience(const ThawSolverPlan *plan) {
    if (!plan->ldl)
        return INFINITY;
    ThawLdlCost cost = thaw_ldl_plan_cost(plan->ldl);
    double bs = plan->pattern->bs / 3.0, iterative = 14 * 13 * bs * bs * plan->pattern->row[plan->pattern->n];
    double once = 0.8 * (double)cost.numbers;
    return once < iterative ? cost.flops / 14 / (iterative - once) : INFINITY;
}

// --- solver ----------------------------------------------------------------------------------------------------------

static size_t matrix_size(const ThawSolverPlan *plan) {
    const ThawBlockPattern *pattern = plan->pattern;
    return (size_t)pattern->row[pattern->n] * (size_t)(pattern->bs * pattern->bs) + THAW_PAD;
}

ThawStatus thaw_solver_create(const ThawSolverPlan *plan, ThawTasks *tasks, ThawSolver **result, ThawError *error) {
    *result = NULL;
    ThawSolver *solver = THAW_NEW(ThawSolver, 1);
    if (!solver)
        return thaw_error_memory(error, "a solver");
    int iterative = plan->kind == THAW_SOLVER_PCG;
    size_t packed = THAW_STRIDE * (size_t)plan->pattern->n;
    solver->plan = plan;
    solver->tasks = tasks;
    solver->matrix.pattern = plan->pattern;
    solver->matrix.value = THAW_NEW(double, matrix_size(plan));
    solver->p = THAW_NEW(double, packed);
    solver->q = THAW_NEW(double, packed);
    solver->sum = THAW_NEW(double, plan->slabs.count);
    int good = solver->matrix.value && solver->p && solver->q && solver->sum;
    if (iterative) {
        solver->x = THAW_NEW(double, packed);
        solver->r = THAW_NEW(double, packed);
        solver->z = THAW_NEW(double, packed);
        good = good && solver->x && solver->r && solver->z;
    }
    if (plan->scaled) {
        const size_t unknowns = (size_t)plan->pattern->n * (size_t)plan->pattern->bs;
        solver->scale = THAW_NEW(double, unknowns);
        solver->scaled = THAW_NEW(double, matrix_size(plan));
        solver->side = THAW_NEW(double, 5 * unknowns);
        good = good && solver->scale && solver->scaled && solver->side;
    }
    ThawStatus status = good ? THAW_OK : thaw_error_memory(error, "a solver");
    if (status == THAW_OK && iterative)
        status = thaw_ic_create(plan, &solver->ic, error);
    if (status == THAW_OK && plan->cholmod)
        status = thaw_cholmod_create(plan->cholmod, &solver->cholmod, error);
    if (status == THAW_OK && plan->ldl)
        status = thaw_ldl_create(plan->ldl, tasks, &solver->ldl, error);
    if (status != THAW_OK)
        thaw_solver_free(&solver);
    *result = solver;
    return status;
}

void thaw_solver_free(ThawSolver **pointer) {
    if (!pointer || !*pointer)
        return;
    ThawSolver *solver = *pointer;
    thaw_free(solver->matrix.value);
    thaw_free(solver->x);
    thaw_free(solver->r);
    thaw_free(solver->z);
    thaw_free(solver->p);
    thaw_free(solver->q);
    thaw_free(solver->sum);
    thaw_free(solver->scale);
    thaw_free(solver->scaled);
    thaw_free(solver->side);
    thaw_ic_clear(&solver->ic);
    thaw_cholmod_free(&solver->cholmod);
    thaw_ldl_free(&solver->ldl);
    thaw_free(solver);
    *pointer = NULL;
}

ThawBlockMatrix *thaw_solver_matrix(ThawSolver *solver) { return &solver->matrix; }

// The scaled matrix takes the place of the matrix, and back.
static void swap_matrices(ThawSolver *solver) {
    double *value = solver->matrix.value;
    solver->matrix.value = solver->scaled;
    solver->scaled = value;
}

static ThawStatus factor_scaled(ThawSolver *solver) {
    thaw_scale_matrix(&solver->matrix, solver->scale, solver->scaled, solver->side);
    swap_matrices(solver);
    ThawStatus status = thaw_ic_factor(solver);
    swap_matrices(solver);
    return status;
}

// S A S (S^-1 x) = S b.
static ThawStatus solve_scaled(ThawSolver *solver, const double *b, double *x, double goal, int settle,
                               ThawSolveInfo *info) {
    const size_t unknowns = (size_t)solver->plan->pattern->n * (size_t)solver->plan->pattern->bs;
    double *Sb = solver->side, *y = Sb + unknowns;
    for (size_t i = 0; i < unknowns; i++) {
        Sb[i] = solver->scale[i] * b[i];
        y[i] = x[i] / solver->scale[i];
    }
    swap_matrices(solver);
    ThawStatus status = (settle ? thaw_pcg_settle : thaw_pcg_solve)(solver, Sb, y, goal, info);
    swap_matrices(solver);
    for (size_t i = 0; i < unknowns; i++)
        x[i] = solver->scale[i] * y[i];
    return status;
}

ThawStatus thaw_solver_factor(ThawSolver *solver) {
    if (solver->plan->scaled)
        return factor_scaled(solver);
    if (solver->ldl)
        return thaw_ldl_factor(solver->ldl, &solver->matrix, solver->plan->signs);
    return solver->cholmod ? thaw_cholmod_factor(solver->cholmod, &solver->matrix) : thaw_ic_factor(solver);
}

void thaw_solver_halve(ThawSolver *solver) {
    if (solver->ldl)
        thaw_ldl_halve(solver->ldl);
}

// A factor's answer is exact up to rounding, so the residual is only reported, where it is asked for.
static ThawStatus solve_directly(ThawSolver *solver, const double *b, double *x, ThawSolveInfo *info) {
    const ThawBlockPattern *pattern = solver->plan->pattern;
    int bs = pattern->bs;
    ThawStatus status = solver->ldl ? thaw_ldl_solve(solver->ldl, b, x) : thaw_cholmod_solve(solver->cholmod, b, x);
    if (status != THAW_OK || (!info && solver->ldl)) // which has looked whether its answer is finite
        return status;
    thaw_vector_pack(pattern->n, bs, x, solver->p);
    thaw_solver_multiply_packed(solver, solver->p, solver->q);
    double rr = 0.0, bb = 0.0;
    for (int32_t i = 0; i < pattern->n; i++)
        for (int k = 0; k < bs; k++) {
            double bk = b[(size_t)bs * (size_t)i + (size_t)k];
            double rk = bk - solver->q[THAW_STRIDE * (size_t)i + (size_t)k];
            rr += rk * rk;
            bb += bk * bk;
        }
    if (info)
        *info = (ThawSolveInfo){0, bb > 0.0 ? sqrt(rr / bb) : 0.0};
    return isfinite(rr) ? THAW_OK : THAW_NOT_CONVERGED;
}

ThawStatus thaw_solver_solve(ThawSolver *solver, const double *b, double *x, double tolerance, ThawSolveInfo *info) {
    if (solver->plan->scaled)
        return solve_scaled(solver, b, x, tolerance, 0, info);
    return solver->plan->kind == THAW_SOLVER_PCG ? thaw_pcg_solve(solver, b, x, tolerance, info)
                                                 : solve_directly(solver, b, x, info);
}

ThawStatus thaw_solver_settle(ThawSolver *solver, const double *b, double *x, double share, ThawSolveInfo *info) {
    if (solver->plan->scaled)
        return solve_scaled(solver, b, x, share, 1, info);
    return solver->plan->kind == THAW_SOLVER_PCG ? thaw_pcg_settle(solver, b, x, share, info)
                                                 : solve_directly(solver, b, x, info);
}

size_t thaw_solver_bytes(const ThawSolver *solver) {
    const ThawSolverPlan *plan = solver->plan;
    size_t packed = THAW_STRIDE * (size_t)plan->pattern->n * sizeof(double);
    size_t bytes = matrix_size(plan) * sizeof(double) + 2 * packed;
    if (plan->scaled)
        bytes += (matrix_size(plan) + 6 * (size_t)plan->pattern->n * (size_t)plan->pattern->bs) * sizeof(double);
    if (solver->ldl)
        return bytes + thaw_ldl_bytes(solver->ldl);
    return bytes + (solver->cholmod ? thaw_cholmod_bytes(solver->cholmod) : 3 * packed + thaw_ic_bytes(plan));
}

ThawLdl *thaw_solver_ldl(ThawSolver *solver) { return solver->plan->kind == THAW_SOLVER_LDL ? solver->ldl : NULL; }
