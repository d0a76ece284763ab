// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients with the incomplete factor (ic0.c), from the caller's first guess.
//
// Vector work is hung on the loops that product and triangular solves need anyway. One iteration is five loops of
// tasks:
//   even slabs   p = z + beta p, then the even rows of q = A p   (the slabs an even row reads are its own to prepare)
//   odd slabs    the odd rows of q, p'q
//   slabs        x += alpha p, r -= alpha q, |r|^2
//   two wings    z = forward(r); then, alone, the middle: forward and backward
//   two wings    z = backward(z), r'z
// Sums have one slot a slab and are added in order, so the bits do not depend on the threads.
//
// The recursive residual decides when to stop; then b - A x is computed, and the iteration goes on from it should it be
// above the goal. When that no longer helps, rounding has been reached: |r| below a few eps |A| |x| counts as solved.
//
// Where the effect of an answer counts, and not the forces to a given share, the iteration stops sooner
// (thaw_pcg_settle): where stiff and soft meet, |r| is that of the stiff part, whose displacements hardly matter. r'z =
// r'M^-1 r stands for r'A^-1 r, the energy of the error; x'b is that of the answer.
#include <float.h>
#include <math.h>

#include "sparse/sparse_impl.h"

typedef struct Iteration {
    ThawSolver *solver;
    const double *b; // not packed
    double alpha, beta;
    double rz[THAW_WINGS]; // shares of r'z
    double share;          // of the answer's energy norm: an error that is small enough; 0: |r| decides
} Iteration;

static double add_sums(const double *sum, int32_t count) {
    double total = 0.0;
    for (int32_t s = 0; s < count; s++)
        total += sum[s];
    return total;
}

static double dot_rows(int32_t first, int32_t last, const double *a, const double *b) {
    ThawV4 even = {0, 0, 0, 0}, odd = {0, 0, 0, 0};
    int32_t i = first;
    for (; i + 1 < last; i += 2) {
        size_t k = THAW_STRIDE * (size_t)i;
        even += thaw_v4_load(a + k) * thaw_v4_load(b + k);
        odd += thaw_v4_load(a + k + THAW_STRIDE) * thaw_v4_load(b + k + THAW_STRIDE);
    }
    if (i < last)
        even += thaw_v4_load(a + THAW_STRIDE * (size_t)i) * thaw_v4_load(b + THAW_STRIDE * (size_t)i);
    return thaw_v4_sum(even + odd);
}

// --- the loops ----------------------------------------------------------------------------------------------------

static void multiply_slab(ThawSolver *solver, int32_t slab) {
    const int32_t *start = solver->plan->slabs.start + slab;
    solver->sum[slab] = thaw_block_multiply_rows(&solver->matrix, start[0], start[1], solver->p, solver->q);
}

static void direct_even(void *context, int32_t index) {
    Iteration *it = context;
    ThawSolver *solver = it->solver;
    int32_t first, last;
    thaw_slabs_opening(&solver->plan->slabs, 2 * index, &first, &last);
    double *p = solver->p, *q = solver->q, beta = it->beta;
    const double *z = solver->z;
    for (size_t k = THAW_STRIDE * (size_t)first; k < THAW_STRIDE * (size_t)last; k++) {
        p[k] = z[k] + beta * p[k];
        q[k] = 0.0;
    }
    multiply_slab(solver, 2 * index);
}

static void direct_odd(void *context, int32_t index) { multiply_slab(((Iteration *)context)->solver, 2 * index + 1); }

static void update_all(void *context, int32_t slab) {
    Iteration *it = context;
    ThawSolver *solver = it->solver;
    const int32_t *start = solver->plan->slabs.start + slab;
    ThawV4 alpha = {it->alpha, it->alpha, it->alpha, it->alpha}, square = {0, 0, 0, 0};
    for (size_t k = THAW_STRIDE * (size_t)start[0]; k < THAW_STRIDE * (size_t)start[1]; k += THAW_STRIDE) {
        thaw_v4_store(solver->x + k, thaw_v4_load(solver->x + k) + alpha * thaw_v4_load(solver->p + k));
        ThawV4 r = thaw_v4_load(solver->r + k) - alpha * thaw_v4_load(solver->q + k);
        thaw_v4_store(solver->r + k, r);
        square += r * r;
    }
    solver->sum[slab] = thaw_v4_sum(square);
}

static void forward_wing(void *context, int32_t wing) {
    ThawSolver *solver = ((Iteration *)context)->solver;
    thaw_ic_forward(solver, wing, solver->r, solver->q, solver->z);
}

static void backward_wing(void *context, int32_t wing) {
    Iteration *it = context;
    ThawSolver *solver = it->solver;
    ThawWing rows = solver->plan->ic.wing[wing];
    int32_t first = rows.step > 0 ? rows.first : rows.first + 1 - rows.count;
    thaw_ic_backward(solver, wing, solver->z);
    it->rz[wing] = dot_rows(first, first + rows.count, solver->r, solver->z);
}

// z = M^-1 r; r'z.
static double precondition(Iteration *it) {
    thaw_tasks_for(it->solver->tasks, 2, forward_wing, it);
    forward_wing(it, THAW_MIDDLE);
    backward_wing(it, THAW_MIDDLE);
    thaw_tasks_for(it->solver->tasks, 2, backward_wing, it);
    return add_sums(it->rz, THAW_WINGS);
}

// --- start and end ---------------------------------------------------------------------------------------------------

// r = b - q
static void subtract_slab(void *context, int32_t slab) {
    Iteration *it = context;
    ThawSolver *solver = it->solver;
    const int32_t *start = solver->plan->slabs.start + slab;
    int bs = solver->plan->pattern->bs;
    for (int32_t i = start[0]; i < start[1]; i++)
        for (int k = 0; k < bs; k++) {
            size_t at = THAW_STRIDE * (size_t)i + (size_t)k;
            solver->r[at] = it->b[(size_t)bs * (size_t)i + (size_t)k] - solver->q[at];
        }
    solver->sum[slab] = dot_rows(start[0], start[1], solver->r, solver->r);
}

// r = b - A x; |r|^2.
static double true_residual(Iteration *it) {
    ThawSolver *solver = it->solver;
    thaw_solver_multiply_packed(solver, solver->x, solver->q);
    thaw_tasks_for(solver->tasks, solver->plan->slabs.count, subtract_slab, it);
    return add_sums(solver->sum, solver->plan->slabs.count);
}

// x = 0, r = b; |b|^2.
static double start_from_zero(Iteration *it) {
    ThawSolver *solver = it->solver;
    size_t bytes = THAW_STRIDE * (size_t)solver->plan->pattern->n * sizeof(double);
    memset(solver->x, 0, bytes);
    memset(solver->q, 0, bytes);
    thaw_tasks_for(solver->tasks, solver->plan->slabs.count, subtract_slab, it);
    return add_sums(solver->sum, solver->plan->slabs.count);
}

// The square of what rounding leaves of a residual: a few eps |A| |x|. The largest entry of a positive definite matrix
// is on its diagonal.
static double rounding_square(const ThawSolver *solver) {
    const ThawBlockPattern *pattern = solver->plan->pattern;
    int bs = pattern->bs;
    double largest = 0.0;
    for (int32_t i = 0; i < pattern->n; i++) {
        const double *a = solver->matrix.value + (size_t)(pattern->row[i + 1] - 1) * (size_t)(bs * bs);
        for (int k = 0; k < bs; k++)
            largest = fmax(largest, a[bs * k + k]);
    }
    double eps = 16.0 * DBL_EPSILON * largest;
    return eps * eps * dot_rows(0, pattern->n, solver->x, solver->x);
}

// x'b
static double work_of(const Iteration *it) {
    const ThawSolver *solver = it->solver;
    int bs = solver->plan->pattern->bs;
    double sum = 0.0;
    for (int32_t i = 0; i < solver->plan->pattern->n; i++)
        for (int k = 0; k < bs; k++)
            sum += solver->x[THAW_STRIDE * (size_t)i + (size_t)k] * it->b[(size_t)bs * (size_t)i + (size_t)k];
    return sum;
}

// Iterates until the recursive |r|^2 is at most `goal`, or the error as small as `share` says. r holds b - A x on
// entry.
static ThawStatus iterate(Iteration *it, double goal, int32_t limit, int32_t *iterations) {
    ThawSolver *solver = it->solver;
    ThawTasks *tasks = solver->tasks;
    const ThawSlabs *slabs = &solver->plan->slabs;
    int32_t even = thaw_slabs_phase(slabs, 0), odd = thaw_slabs_phase(slabs, 1);
    double rz = 0.0;
    it->alpha = 0.0; // the first update changes nothing
    for (;;) {
        thaw_tasks_for(tasks, slabs->count, update_all, it);
        double rr = add_sums(solver->sum, solver->plan->slabs.count);
        if (!isfinite(rr))
            return THAW_NOT_CONVERGED;
        if (rr <= goal)
            return THAW_OK;
        if (thaw_tasks_stopped(tasks))
            return THAW_CANCELLED;
        if (*iterations >= limit)
            return THAW_NOT_CONVERGED;
        double old = rz;
        rz = precondition(it);
        if (it->share > 0.0 && rz <= it->share * it->share * work_of(it))
            return THAW_OK;
        it->beta = old > 0.0 ? rz / old : 0.0;
        thaw_tasks_for(tasks, even, direct_even, it);
        thaw_tasks_for(tasks, odd, direct_odd, it);
        double curvature = add_sums(solver->sum, slabs->count);
        if (!isfinite(rz) || !isfinite(curvature))
            return THAW_NOT_CONVERGED;
        if (curvature <= 0.0)
            return THAW_INDEFINITE;
        it->alpha = rz / curvature;
        ++*iterations;
    }
}

// Slender, soft bodies need thousands; beyond this it is not going to end.
static int32_t limit_of(const ThawBlockPattern *pattern) {
    return 2000 + (int32_t)(20.0 * sqrt((double)pattern->n * pattern->bs));
}

// x = the caller's guess, or 0 where that is better; |b - A x|^2. x is 0, r is b on entry.
static double start_from_guess(Iteration *it, const double *x, double bb) {
    const ThawBlockPattern *pattern = it->solver->plan->pattern;
    thaw_vector_pack(pattern->n, pattern->bs, x, it->solver->x);
    double rr = true_residual(it);
    return rr <= bb ? rr : start_from_zero(it);
}

// What is known at the end: info, and x unless it is worthless.
static void finish(const Iteration *it, ThawStatus status, int32_t iterations, double rr, double bb, double *x,
                   ThawSolveInfo *info) {
    const ThawBlockPattern *pattern = it->solver->plan->pattern;
    if (info)
        *info = (ThawSolveInfo){iterations, bb > 0.0 ? sqrt(rr / bb) : 0.0};
    if (status == THAW_OK || (status == THAW_NOT_CONVERGED && isfinite(rr) && isfinite(bb)))
        thaw_vector_unpack(pattern->n, pattern->bs, it->solver->x, x);
}

ThawStatus thaw_pcg_settle(ThawSolver *solver, const double *b, double *x, double share, ThawSolveInfo *info) {
    const ThawBlockPattern *pattern = solver->plan->pattern;
    Iteration it = {.solver = solver, .b = b, .share = share};
    int32_t iterations = 0;
    double bb = start_from_zero(&it), rr = bb;
    ThawStatus status = isfinite(bb) ? THAW_OK : THAW_NOT_CONVERGED;
    if (status == THAW_OK && bb > 0.0) {
        start_from_guess(&it, x, bb);
        memset(solver->p, 0, THAW_STRIDE * (size_t)pattern->n * sizeof(double));
        status = iterate(&it, DBL_EPSILON * DBL_EPSILON * bb, limit_of(pattern), &iterations);
        rr = add_sums(solver->sum, solver->plan->slabs.count);
    }
    finish(&it, status, iterations, rr, bb, x, info);
    return status;
}

ThawStatus thaw_pcg_solve(ThawSolver *solver, const double *b, double *x, double tolerance, ThawSolveInfo *info) {
    const ThawBlockPattern *pattern = solver->plan->pattern;
    Iteration it = {.solver = solver, .b = b};
    int32_t iterations = 0;
    double bb = start_from_zero(&it), rr = bb, last = INFINITY;
    ThawStatus status = isfinite(bb) ? THAW_OK : THAW_NOT_CONVERGED;
    if (status == THAW_OK && bb > 0.0) {
        rr = start_from_guess(&it, x, bb);
        // Below eps |b| the recursive residual goes on shrinking, but means nothing.
        double relative = fmax(tolerance, DBL_EPSILON), goal = relative * relative * bb;
        while (status == THAW_OK && rr > goal) {
            if (rr > 0.25 * last) {
                status = rr <= rounding_square(solver) ? THAW_OK : THAW_NOT_CONVERGED;
                break;
            }
            last = rr;
            memset(solver->p, 0, THAW_STRIDE * (size_t)pattern->n * sizeof(double));
            status = iterate(&it, goal, limit_of(pattern), &iterations);
            rr = true_residual(&it);
        }
    }
    finish(&it, status, iterations, rr, bb, x, info);
    return status;
}
