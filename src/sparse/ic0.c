// SPDX-License-Identifier: Apache-2.0
// The preconditioner: an incomplete block factor A ~ (I + L) D (I + L)', L with the pattern of A and nothing else, D
// block diagonal (IC(0) of Meijerink and van der Vorst 1977, on bs x bs blocks).
//
// Elimination order: from both ends of the row order towards the middle (the twisted order of van der Vorst 1987). The
// front wing goes up, the back wing down, and the middle, which separates them, comes last. The two wings are
// independent, so factor and triangular solves use two threads and still keep every coupling. More wings would cost
// more than they give: on a cube of 108k unknowns two wings need as many iterations as one, nine slabs in red-black
// order 40 percent more.
//
// L is stored in single precision: both directions use the same numbers, so the preconditioner stays symmetric, needs
// the same number of iterations, and moves half the bytes. All arithmetic is double.
//
// Breakdown. An incomplete factor of a positive definite matrix may meet a bad pivot. Then the diagonal blocks are
// raised by a relative shift and the factor is tried again (Manteuffel 1980); the last try leaves L zero (block
// Jacobi), which fails only if a diagonal block of A is not positive definite: an indefinite verdict is always a proof.
//
// Cost: about two block products a pair of neighbouring blocks; a solve reads L twice.
#include <math.h>

#include "sparse/sparse_impl.h"

// A pivot below this part of what it is in A's own diagonal block spoils the factor.
static const double PIVOT_FLOOR = 0.01;
// A failed try costs little, too large a shift many iterations.
static const double SHIFTS[] = {0.0, .004, .016, .032, .064, .128, .256, .512, 1.0, 2.0, 4.0, INFINITY};

// --- pattern ---------------------------------------------------------------------------------------------------------

// Wings smaller than this are not worth a second thread.
enum { WING_ROWS = 1000 };

// The middle is as many rows as the pattern reaches back across it.
static ThawStatus choose_wings(const ThawBlockPattern *pattern, ThawWing wing[THAW_WINGS], ThawError *error) {
    int32_t n = pattern->n, middle = n, back = n;
    int32_t *reach = THAW_NEW(int32_t, n + 1); // the lowest column of rows i, i + 1, ...
    if (!reach)
        return thaw_error_memory(error, "the wings of an incomplete factor");
    reach[n] = n;
    for (int32_t i = n - 1; i >= 0; i--) {
        int32_t lowest = pattern->col[pattern->row[i]];
        reach[i] = lowest < reach[i + 1] ? lowest : reach[i + 1];
    }
    // Two equal ends: the back has n - back rows, the front reach[back] if the middle is to be as short as it can.
    while (back > 0 && n - back < reach[back - 1])
        back--;
    middle = reach[back] < back ? reach[back] : back;
    if (n - back < WING_ROWS || middle < WING_ROWS || back - middle > n / 3)
        middle = back = n;
    wing[THAW_FRONT] = (ThawWing){0, 1, middle};
    wing[THAW_MIDDLE] = (ThawWing){middle, 1, back - middle};
    wing[THAW_BACK] = (ThawWing){n - 1, -1, n - back};
    thaw_free(reach);
    return THAW_OK;
}

static int wing_of(const ThawIcPlan *plan, int32_t row) {
    if (row < plan->wing[THAW_FRONT].count)
        return THAW_FRONT;
    return row < plan->wing[THAW_FRONT].count + plan->wing[THAW_MIDDLE].count ? THAW_MIDDLE : THAW_BACK;
}

// Gives every off-diagonal block of A to the row that is eliminated later. With `next` NULL blocks are counted in
// segment[3 row + part + 1], else placed at next[3 row + part]++. Walking the back from its end puts the columns of
// every segment into the order of elimination.
static void distribute_blocks(const ThawBlockPattern *pattern, ThawIcPlan *plan, int32_t *next) {
    for (int w = 0; w < THAW_WINGS; w++)
        for (int32_t k = 0, i = plan->wing[w].first; k < plan->wing[w].count; k++, i += plan->wing[w].step)
            for (int32_t e = pattern->row[i]; e < pattern->row[i + 1] - 1; e++) {
                int32_t j = pattern->col[e];
                int part = wing_of(plan, j) == w ? 2 : w == THAW_BACK ? THAW_BACK : THAW_FRONT;
                int32_t to = w == THAW_BACK ? j : i, from = w == THAW_BACK ? i : j;
                if (!next) {
                    plan->segment[3 * to + part + 1]++;
                } else {
                    int32_t place = next[3 * to + part]++;
                    plan->col[place] = from;
                    plan->source[place] = w == THAW_BACK ? ~e : e;
                }
            }
}

ThawStatus thaw_ic_plan_build(const ThawBlockPattern *pattern, ThawIcPlan *plan, ThawError *error) {
    int32_t n = pattern->n, blocks = pattern->row[n] - n;
    size_t segments = 3 * (size_t)n;
    int32_t *next = THAW_NEW(int32_t, segments);
    *plan = (ThawIcPlan){.segment = THAW_NEW(int32_t, segments + 1),
                         .col = THAW_NEW(int32_t, blocks),
                         .source = THAW_NEW(int32_t, blocks)};
    if (!next || !plan->segment || !plan->col || !plan->source) {
        thaw_free(next);
        thaw_ic_plan_clear(plan);
        return thaw_error_memory(error, "the pattern of an incomplete factor");
    }
    ThawStatus status = choose_wings(pattern, plan->wing, error);
    if (status != THAW_OK) {
        thaw_free(next);
        thaw_ic_plan_clear(plan);
        return status;
    }
    distribute_blocks(pattern, plan, NULL);
    for (size_t k = 0; k < segments; k++) {
        plan->segment[k + 1] += plan->segment[k];
        next[k] = plan->segment[k];
    }
    distribute_blocks(pattern, plan, next);
    for (size_t i = 0; i < (size_t)n; i++) {
        int32_t length = plan->segment[3 * i + 3] - plan->segment[3 * i];
        plan->longest = length > plan->longest ? length : plan->longest;
    }
    thaw_free(next);
    return THAW_OK;
}

void thaw_ic_plan_clear(ThawIcPlan *plan) {
    thaw_free(plan->segment);
    thaw_free(plan->col);
    thaw_free(plan->source);
    *plan = (ThawIcPlan){0};
}

ThawStatus thaw_ic_create(const ThawSolverPlan *plan, ThawIc *ic, ThawError *error) {
    size_t n = (size_t)plan->pattern->n, bb = (size_t)(plan->pattern->bs * plan->pattern->bs);
    *ic = (ThawIc){0};
    ic->block = THAW_NEW(float, (size_t)plan->ic.segment[3 * n] * bb + THAW_PAD);
    ic->inverse = THAW_NEW(double, n *bb + THAW_PAD);
    ic->row = THAW_NEW(double, 2 * (size_t)plan->ic.longest * bb);
    ic->mark = THAW_NEW(int32_t, n);
    if (!ic->block || !ic->inverse || !ic->row || !ic->mark) {
        thaw_ic_clear(ic);
        return thaw_error_memory(error, "an incomplete factor");
    }
    for (size_t i = 0; i < n; i++)
        ic->mark[i] = -1;
    return THAW_OK;
}

void thaw_ic_clear(ThawIc *ic) {
    thaw_free(ic->block);
    thaw_free(ic->inverse);
    thaw_free(ic->row);
    thaw_free(ic->mark);
    *ic = (ThawIc){0};
}

size_t thaw_ic_bytes(const ThawSolverPlan *plan) {
    size_t n = (size_t)plan->pattern->n, bb = (size_t)(plan->pattern->bs * plan->pattern->bs);
    return (size_t)plan->ic.segment[3 * n] * bb * sizeof(float) + n * bb * sizeof(double) + n * sizeof(int32_t);
}

// --- factor ----------------------------------------------------------------------------------------------------------

// D = C diag(pivot) C' with C unit lower, from D's lower triangle. Zero unless every pivot is positive and finite.
THAW_INLINE int factor_block(int bs, const double *D, double *C, double *pivot) {
    for (int j = 0; j < bs; j++) {
        double s = D[bs * j + j];
        for (int k = 0; k < j; k++)
            s -= C[bs * j + k] * C[bs * j + k] * pivot[k];
        if (!(s > 0.0) || !isfinite(s))
            return 0;
        pivot[j] = s;
        for (int i = j + 1; i < bs; i++) {
            double t = D[bs * i + j];
            for (int k = 0; k < j; k++)
                t -= C[bs * i + k] * C[bs * j + k] * pivot[k];
            C[bs * i + j] = t / s;
        }
    }
    return 1;
}

// (C diag(pivot) C')^-1 = V' diag(pivot)^-1 V, V = C^-1
THAW_INLINE void invert_block(int bs, const double *C, const double *pivot, double *inverse) {
    double V[9] = {0}, W[9] = {0}; // W = diag(pivot)^-1 V
    for (int j = 0; j < bs; j++) {
        V[bs * j + j] = 1.0;
        for (int i = j + 1; i < bs; i++)
            for (int k = j; k < i; k++)
                V[bs * i + j] -= C[bs * i + k] * V[bs * k + j];
    }
    for (int i = 0; i < bs; i++) {
        double reciprocal = 1.0 / pivot[i];
        for (int j = 0; j <= i; j++)
            W[bs * i + j] = reciprocal * V[bs * i + j];
    }
    for (int i = 0; i < bs; i++)
        for (int j = 0; j <= i; j++) {
            double s = 0.0;
            for (int k = i; k < bs; k++)
                s += V[bs * k + i] * W[bs * k + j];
            inverse[bs * i + j] = inverse[bs * j + i] = s;
        }
}

// Rows of one wing. U is the row's scratch: U_ij = A_ij - sum_k U_ik L_jk', then L_ij = U_ij D_j^-1 and
// D_i = (1 + shift) A_ii - sum_j U_ij L_ij'. Zero when a pivot fails.
THAW_INLINE int factor_rows(int bs, ThawSolver *solver, ThawWing wing, double *U) {
    const ThawIcPlan *plan = &solver->plan->ic;
    const int32_t *row = solver->matrix.pattern->row;
    int32_t *mark = solver->ic.mark;
    const double *value = solver->matrix.value;
    float *block = solver->ic.block;
    double *inverse = solver->ic.inverse, shift = solver->ic.shift;
    size_t bb = (size_t)(bs * bs);
    int good = 1;
    for (int32_t n = 0, i = wing.first; n < wing.count && good; n++, i += wing.step) {
        int32_t begin = plan->segment[3 * i], end = plan->segment[3 * i + 3];
        const double *a = value + (size_t)(row[i + 1] - 1) * bb;
        double D[9], C[9], pivot[3], limit[3];
        good = factor_block(bs, a, C, limit);
        if (!good)
            break;
        if (isinf(shift)) {
            memset(block + (size_t)begin * bb, 0, (size_t)(end - begin) * bb * sizeof *block);
            invert_block(bs, C, limit, inverse + (size_t)i * bb);
            continue;
        }
        for (int k = 0; k < bs * bs; k++)
            D[k] = a[k] * (1.0 + shift);
        for (int32_t e = begin; e < end; e++) {
            int32_t source = plan->source[e];
            const double *from = value + (size_t)(source < 0 ? ~source : source) * bb;
            double *u = U + (size_t)(e - begin) * bb;
            mark[plan->col[e]] = e - begin;
            for (int r = 0; r < bs; r++)
                for (int c = 0; c < bs; c++)
                    u[bs * r + c] = source < 0 ? from[bs * c + r] : from[bs * r + c];
        }
        for (int32_t e = begin; e < end; e++) {
            int32_t j = plan->col[e];
            double u[9];
            memcpy(u, U + (size_t)(e - begin) * bb, bb * sizeof *u);
            for (int32_t f = plan->segment[3 * j]; f < plan->segment[3 * j + 3]; f++) {
                int32_t k = mark[plan->col[f]];
                if (k < 0)
                    continue;
                const double *uk = U + (size_t)k * bb;
                const float *l = block + (size_t)f * bb;
                for (int r = 0; r < bs; r++)
                    for (int c = 0; c < bs; c++)
                        for (int m = 0; m < bs; m++)
                            u[bs * r + c] -= uk[bs * r + m] * (double)l[bs * c + m];
            }
            memcpy(U + (size_t)(e - begin) * bb, u, bb * sizeof *u);
            const double *dj = inverse + (size_t)j * bb;
            double L[9];
            for (int r = 0; r < bs; r++)
                for (int c = 0; c < bs; c++) {
                    double s = 0.0;
                    for (int m = 0; m < bs; m++)
                        s += u[bs * r + m] * dj[bs * m + c];
                    L[bs * r + c] = s;
                    block[(size_t)e * bb + (size_t)(bs * r + c)] = (float)s;
                }
            for (int r = 0; r < bs; r++)
                for (int c = 0; c <= r; c++)
                    for (int m = 0; m < bs; m++)
                        D[bs * r + c] -= u[bs * r + m] * L[bs * c + m];
        }
        for (int32_t e = begin; e < end; e++)
            mark[plan->col[e]] = -1;
        good = factor_block(bs, D, C, pivot);
        for (int k = 0; k < bs; k++)
            good = good && pivot[k] > PIVOT_FLOOR * limit[k];
        if (good)
            invert_block(bs, C, pivot, inverse + (size_t)i * bb);
    }
    return good;
}

static void factor_wing(void *context, int32_t w) {
    ThawSolver *solver = context;
    int bs = solver->plan->pattern->bs;
    ThawWing wing = solver->plan->ic.wing[w];
    double *U = solver->ic.row + (w == THAW_BACK ? (size_t)solver->plan->ic.longest * (size_t)(bs * bs) : 0);
    solver->ic.broken[w] = !(bs == 3 ? factor_rows(3, solver, wing, U) : factor_rows(2, solver, wing, U));
}

ThawStatus thaw_ic_factor(ThawSolver *solver) {
    ThawIc *ic = &solver->ic;
    for (size_t k = 0; k < sizeof SHIFTS / sizeof *SHIFTS; k++) {
        if (thaw_tasks_stopped(solver->tasks))
            return THAW_CANCELLED;
        ic->shift = SHIFTS[k];
        thaw_tasks_for(solver->tasks, 2, factor_wing, solver);
        if (ic->broken[THAW_FRONT] || ic->broken[THAW_BACK])
            continue;
        factor_wing(solver, THAW_MIDDLE);
        if (!ic->broken[THAW_MIDDLE])
            return THAW_OK;
    }
    return THAW_INDEFINITE;
}

// --- triangular solves -----------------------------------------------------------------------------------------------

THAW_INLINE void forward_rows(int bs, const ThawSolver *solver, ThawWing wing, const double *r, double *y, double *z) {
    const ThawIcPlan *plan = &solver->plan->ic;
    for (int32_t n = 0, i = wing.first; n < wing.count; n++, i += wing.step) {
        int32_t begin = plan->segment[3 * i], end = plan->segment[3 * i + 3];
        const float *l = solver->ic.block + (size_t)begin * (size_t)(bs * bs);
        ThawV4 sum[3] = {{0}}, scaled[3] = {{0}};
        for (int32_t e = begin; e < end; e++, l += bs * bs) {
            ThawV4 yj = thaw_v4_load(y + THAW_STRIDE * (size_t)plan->col[e]);
            for (int k = 0; k < bs; k++)
                sum[k] += thaw_v4_load_float(l + bs * k) * yj;
        }
        ThawV4 yi = thaw_v4_load(r + THAW_STRIDE * (size_t)i) - thaw_v4_sums(sum[0], sum[1], sum[2]);
        thaw_v4_store(y + THAW_STRIDE * (size_t)i, yi);
        const double *d = solver->ic.inverse + (size_t)i * (size_t)(bs * bs);
        for (int k = 0; k < bs; k++)
            scaled[k] = thaw_v4_load(d + bs * k) * yi;
        thaw_v4_store(z + THAW_STRIDE * (size_t)i, thaw_v4_sums(scaled[0], scaled[1], scaled[2]));
    }
}

void thaw_ic_forward(const ThawSolver *solver, int w, const double *r, double *y, double *z) {
    if (solver->plan->pattern->bs == 3)
        forward_rows(3, solver, solver->plan->ic.wing[w], r, y, z);
    else
        forward_rows(2, solver, solver->plan->ic.wing[w], r, y, z);
}

// z_j -= L_ij' z_i for the blocks of one segment of row i.
THAW_INLINE void scatter_segment(int bs, const ThawSolver *solver, int32_t i, int part, double *z) {
    const ThawIcPlan *plan = &solver->plan->ic;
    int32_t begin = plan->segment[3 * i + part], end = plan->segment[3 * i + part + 1];
    const float *l = solver->ic.block + (size_t)begin * (size_t)(bs * bs);
    const double *zi = z + THAW_STRIDE * (size_t)i;
    ThawV4 spread[3];
    for (int k = 0; k < bs; k++)
        spread[k] = thaw_v4_spread(bs, zi[k]);
    for (int32_t e = begin; e < end; e++, l += bs * bs) {
        double *zj = z + THAW_STRIDE * (size_t)plan->col[e];
        ThawV4 sum = thaw_v4_load_float(l) * spread[0];
        for (int k = 1; k < bs; k++)
            sum += thaw_v4_load_float(l + bs * k) * spread[k];
        thaw_v4_store(zj, thaw_v4_load(zj) - sum);
    }
}

THAW_INLINE void scatter_wing(int bs, const ThawSolver *solver, int w, int part, double *z) {
    ThawWing wing = solver->plan->ic.wing[w];
    for (int32_t n = wing.count - 1; n >= 0; n--)
        scatter_segment(bs, solver, wing.first + n * wing.step, part, z);
}

// An end itself collects what the middle's rows have for it: no other slab writes there.
THAW_INLINE void backward_rows(int bs, const ThawSolver *solver, int w, double *z) {
    if (w != THAW_MIDDLE)
        scatter_wing(bs, solver, THAW_MIDDLE, w, z);
    scatter_wing(bs, solver, w, 2, z);
}

void thaw_ic_backward(const ThawSolver *solver, int w, double *z) {
    if (solver->plan->pattern->bs == 3)
        backward_rows(3, solver, w, z);
    else
        backward_rows(2, solver, w, z);
}
