// SPDX-License-Identifier: Apache-2.0
// The solvers against a dense Cholesky factor written here, on random matrices put together from small positive
// semi-definite ones, as finite elements do it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sparse/sparse_impl.h"

// --- random matrices -------------------------------------------------------------------------------------------------

static double next_random(uint64_t *seed) { // in (-1, 1)
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 33) / 1073741824.0 - 1.0;
}

// A graph of `components` equal paths of n / components vertices, each vertex tied to about `degree` of the `reach`
// vertices before it.
static ThawBlockPattern *random_pattern(int32_t n, int32_t bs, int32_t components, int32_t reach, int32_t degree,
                                        uint64_t seed) {
    int32_t *edge = calloc((size_t)n * (size_t)degree * 2, sizeof *edge), edges = 0, part = n / components;
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < degree; k++) {
            int32_t j = k == 0 ? i - 1 : i - 1 - (int32_t)(fabs(next_random(&seed)) * reach);
            if (j >= 0 && j / part == i / part) {
                edge[2 * edges] = i;
                edge[2 * edges++ + 1] = j;
            }
        }
    int32_t *offset = calloc((size_t)n + 2, sizeof *offset),
            *neighbour = calloc((size_t)edges * 2 + 1, sizeof *neighbour);
    for (int32_t e = 0; e < 2 * edges; e++)
        offset[edge[e] + 2]++;
    for (int32_t i = 0; i < n; i++)
        offset[i + 2] += offset[i + 1];
    for (int32_t e = 0; e < 2 * edges; e++)
        neighbour[offset[edge[e] + 1]++] = edge[e ^ 1];
    ThawBlockPattern *pattern;
    ThawError error;
    assert_int_equal(thaw_block_pattern_create(n, bs, offset, neighbour, &pattern, &error), THAW_OK);
    free(edge);
    free(offset);
    free(neighbour);
    return pattern;
}

static double *block_at(ThawBlockMatrix *A, int32_t i, int32_t j) {
    int32_t at = thaw_block_find(A->pattern, i, j), bs = A->pattern->bs;
    assert_true(at >= 0);
    return A->value + (size_t)at * (size_t)(bs * bs);
}

// mass I + sum over edges of g g', g random on the edge's two vertices, bs of them an edge.
static void fill_random(ThawBlockMatrix *A, double mass, uint64_t seed) {
    const ThawBlockPattern *pattern = A->pattern;
    int32_t bs = pattern->bs;
    memset(A->value, 0, (size_t)pattern->row[pattern->n] * (size_t)(bs * bs) * sizeof(double));
    for (int32_t i = 0; i < pattern->n; i++) {
        for (int32_t r = 0; r < bs; r++)
            block_at(A, i, i)[bs * r + r] += mass;
        for (int32_t e = pattern->row[i]; e < pattern->row[i + 1] - 1; e++)
            for (int32_t k = 0; k < bs; k++) {
                int32_t j = pattern->col[e];
                double g[2][3];
                for (int32_t r = 0; r < bs; r++) {
                    g[0][r] = next_random(&seed);
                    g[1][r] = -g[0][r] + 0.3 * next_random(&seed);
                }
                for (int32_t r = 0; r < bs; r++)
                    for (int32_t c = 0; c < bs; c++) {
                        block_at(A, i, i)[bs * r + c] += g[0][r] * g[0][c];
                        block_at(A, i, j)[bs * r + c] += g[0][r] * g[1][c];
                        block_at(A, j, j)[bs * r + c] += g[1][r] * g[1][c];
                    }
            }
    }
}

static double *make_dense(const ThawBlockMatrix *A) {
    const ThawBlockPattern *pattern = A->pattern;
    int32_t bs = pattern->bs, size = bs * pattern->n;
    double *D = calloc((size_t)size * (size_t)size, sizeof *D);
    for (int32_t i = 0; i < pattern->n; i++)
        for (int32_t e = pattern->row[i]; e < pattern->row[i + 1]; e++)
            for (int32_t r = 0; r < bs; r++)
                for (int32_t c = 0; c < bs; c++) {
                    int32_t I = bs * i + r, J = bs * pattern->col[e] + c;
                    D[I * size + J] = D[J * size + I] = A->value[bs * bs * e + bs * r + c];
                }
    return D;
}

static void solve_dense(int32_t size, double *D, const double *b, double *x) {
    for (int32_t i = 0; i < size; i++)
        for (int32_t j = 0; j <= i; j++) {
            double s = D[i * size + j];
            for (int32_t k = 0; k < j; k++)
                s -= D[i * size + k] * D[j * size + k];
            assert_true(i > j || s > 0.0);
            D[i * size + j] = i > j ? s / D[j * size + j] : sqrt(s);
        }
    for (int32_t i = 0; i < size; i++) {
        x[i] = b[i];
        for (int32_t k = 0; k < i; k++)
            x[i] -= D[i * size + k] * x[k];
        x[i] /= D[i * size + i];
    }
    for (int32_t i = size - 1; i >= 0; i--) {
        for (int32_t k = i + 1; k < size; k++)
            x[i] -= D[k * size + i] * x[k];
        x[i] /= D[i * size + i];
    }
}

// --- a plan and its solver -------------------------------------------------------------------------------------------

typedef struct Setup {
    ThawBlockPattern *pattern;
    ThawSolverPlan *plan;
    ThawSolver *solver;
    ThawBlockMatrix *A;
    int32_t size;
    double *b, *x;
} Setup;

static int has_cholmod(void) {
    ThawBlockPattern *pattern = random_pattern(1, 2, 1, 1, 1, 1);
    ThawSolverPlan *plan;
    ThawError error;
    ThawStatus status = thaw_solver_plan_create(THAW_SOLVER_CHOLMOD, pattern, &plan, &error);
    assert_true(status == THAW_OK || (status == THAW_ERROR_UNSUPPORTED && strstr(error.message, "THAW_WITH_CHOLMOD")));
    thaw_solver_plan_free(&plan);
    thaw_block_pattern_free(&pattern);
    return status == THAW_OK;
}

static Setup set_up(ThawSolverKind kind, ThawBlockPattern *pattern, ThawTasks *tasks, double mass) {
    Setup s = {.pattern = pattern, .size = pattern->n * pattern->bs};
    ThawError error;
    assert_int_equal(thaw_solver_plan_create(kind, pattern, &s.plan, &error), THAW_OK);
    assert_int_equal(thaw_solver_create(s.plan, tasks, &s.solver, &error), THAW_OK);
    s.A = thaw_solver_matrix(s.solver);
    fill_random(s.A, mass, 7);
    s.b = calloc((size_t)s.size, sizeof *s.b);
    s.x = calloc((size_t)s.size, sizeof *s.x);
    uint64_t seed = 3;
    for (int32_t i = 0; i < s.size; i++)
        s.b[i] = next_random(&seed);
    return s;
}

static void tear_down(Setup *s) {
    thaw_solver_free(&s->solver);
    thaw_solver_plan_free(&s->plan);
    thaw_block_pattern_free(&s->pattern);
    free(s->b);
    free(s->x);
    assert_null(s->solver);
}

static const struct {
    int32_t n, bs, components, reach, degree;
} SHAPES[] = {{1, 2, 1, 1, 1},   {1, 3, 1, 1, 1},   {2, 3, 1, 1, 1},   {7, 2, 1, 7, 6},   {60, 2, 3, 12, 4},
              {60, 3, 4, 15, 5}, {90, 3, 1, 90, 6}, {100, 2, 1, 8, 3}, {40, 3, 40, 1, 1}, {120, 3, 2, 20, 4}};
enum { SHAPE_COUNT = sizeof SHAPES / sizeof *SHAPES };

static ThawBlockPattern *shape_pattern(int k) {
    return random_pattern(SHAPES[k].n, SHAPES[k].bs, SHAPES[k].components, SHAPES[k].reach, SHAPES[k].degree,
                          11 + (uint64_t)k);
}

// --- tests -----------------------------------------------------------------------------------------------------------

static void the_product_is_that_of_the_dense_matrix(void **state) {
    (void)state;
    for (int k = 0; k < SHAPE_COUNT; k++) {
        Setup s = set_up(THAW_SOLVER_PCG, shape_pattern(k), NULL, 0.1);
        double *D = make_dense(s.A);
        thaw_solver_multiply(s.solver, s.b, s.x);
        for (int32_t i = 0; i < s.size; i++) {
            double expected = 0.0;
            for (int32_t j = 0; j < s.size; j++)
                expected += D[i * s.size + j] * s.b[j];
            assert_true(fabs(s.x[i] - expected) < 1e-13 * s.size);
        }
        free(D);
        tear_down(&s);
    }
}

static void check_answers(ThawSolverKind kind) {
    for (int k = 0; k < SHAPE_COUNT; k++) {
        Setup s = set_up(kind, shape_pattern(k), NULL, 0.1);
        assert_int_equal(thaw_solver_plan_kind(s.plan), kind);
        // Twice with other values: the second factor must not remember the first.
        for (int round = 0; round < 2; round++) {
            fill_random(s.A, 0.1 + round, 5 + (uint64_t)round);
            double *D = make_dense(s.A), *expected = calloc((size_t)s.size, sizeof *expected);
            solve_dense(s.size, D, s.b, expected);
            ThawSolveInfo info;
            assert_int_equal(thaw_solver_factor(s.solver), THAW_OK);
            assert_int_equal(thaw_solver_solve(s.solver, s.b, s.x, 1e-12, &info), THAW_OK);
            assert_true(info.residual <= 1e-11);
            assert_true(kind == THAW_SOLVER_PCG || kind == THAW_SOLVER_PCG_SCALED || info.iterations == 0);
            for (int32_t i = 0; i < s.size; i++)
                assert_true(fabs(s.x[i] - expected[i]) < 1e-9);
            free(D);
            free(expected);
        }
        assert_true(thaw_solver_bytes(s.solver) > 0);
        tear_down(&s);
    }
}

static void conjugate_gradients_agree_with_the_dense_factor(void **state) {
    (void)state;
    check_answers(THAW_SOLVER_PCG);
    check_answers(THAW_SOLVER_PCG_SCALED);
}

static void cholmod_agrees_with_the_dense_factor(void **state) {
    (void)state;
    if (!has_cholmod())
        skip();
    check_answers(THAW_SOLVER_CHOLMOD);
}

static void auto_solves_too_and_has_decided(void **state) {
    (void)state;
    Setup s = set_up(THAW_SOLVER_AUTO, shape_pattern(5), NULL, 0.1);
    assert_int_not_equal(thaw_solver_plan_kind(s.plan), THAW_SOLVER_AUTO);
    assert_int_equal(thaw_solver_factor(s.solver), THAW_OK);
    assert_int_equal(thaw_solver_solve(s.solver, s.b, s.x, 1e-10, NULL), THAW_OK);
    tear_down(&s);
}

static void a_large_matrix_is_solved_the_same_by_both(void **state) {
    (void)state;
    for (int32_t bs = 2; bs <= 3; bs++) {
        Setup s = set_up(THAW_SOLVER_PCG, random_pattern(6000, bs, 1, 300, 6, 4), NULL, 0.01);
        assert_int_equal(thaw_solver_factor(s.solver), THAW_OK);
        ThawSolveInfo info;
        assert_int_equal(thaw_solver_solve(s.solver, s.b, s.x, 1e-10, &info), THAW_OK);
        assert_true(info.iterations > 0 && info.iterations < 200);
        // The residual as reported is the true one.
        double *y = calloc((size_t)s.size, sizeof *y), rr = 0.0, bb = 0.0;
        thaw_solver_multiply(s.solver, s.x, y);
        for (int32_t i = 0; i < s.size; i++) {
            rr += (s.b[i] - y[i]) * (s.b[i] - y[i]);
            bb += s.b[i] * s.b[i];
        }
        assert_true(fabs(sqrt(rr / bb) - info.residual) < 1e-13);
        assert_true(info.residual <= 1e-10);
        if (has_cholmod()) {
            Setup d = set_up(THAW_SOLVER_CHOLMOD, random_pattern(6000, bs, 1, 300, 6, 4), NULL, 0.01);
            assert_int_equal(thaw_solver_factor(d.solver), THAW_OK);
            assert_int_equal(thaw_solver_solve(d.solver, d.b, d.x, 1e-10, &info), THAW_OK);
            for (int32_t i = 0; i < s.size; i++)
                assert_true(fabs(s.x[i] - d.x[i]) < 1e-6);
            tear_down(&d);
        }
        free(y);
        tear_down(&s);
    }
}

static void the_bits_do_not_depend_on_the_number_of_threads(void **state) {
    (void)state;
    // Short reaches: many slabs and two wings. One long one: one slab.
    const int32_t reach[] = {40, 700, 7000};
    for (int k = 0; k < 3; k++)
        for (int32_t bs = 2; bs <= 3; bs++) {
            double *x1 = NULL, *y1 = NULL;
            size_t bytes = 0;
            for (int threads = 1; threads <= 4; threads++) {
                ThawTasks *tasks;
                assert_int_equal(thaw_tasks_create(threads, &tasks, NULL), THAW_OK);
                Setup s = set_up(THAW_SOLVER_PCG, random_pattern(7000, bs, 1, reach[k], 5, 4), tasks, 0.1);
                assert_int_equal(thaw_solver_factor(s.solver), THAW_OK);
                assert_int_equal(thaw_solver_solve(s.solver, s.b, s.x, 1e-4, NULL), THAW_OK);
                bytes = (size_t)s.size * sizeof(double);
                double *y = malloc(bytes);
                thaw_solver_multiply(s.solver, s.b, y);
                if (threads == 1) {
                    x1 = malloc(bytes);
                    y1 = malloc(bytes);
                    memcpy(x1, s.x, bytes);
                    memcpy(y1, y, bytes);
                }
                assert_memory_equal(s.x, x1, bytes);
                assert_memory_equal(y, y1, bytes);
                free(y);
                tear_down(&s);
                thaw_tasks_free(&tasks);
            }
            free(x1);
            free(y1);
        }
}

static void solvers_of_one_plan_do_not_disturb_each_other(void **state) {
    (void)state;
    ThawSolverKind kinds[] = {THAW_SOLVER_PCG, has_cholmod() ? THAW_SOLVER_CHOLMOD : THAW_SOLVER_PCG};
    for (int k = 0; k < 2; k++) {
        Setup s = set_up(kinds[k], shape_pattern(9), NULL, 0.1);
        ThawSolver *other;
        assert_int_equal(thaw_solver_create(s.plan, NULL, &other, NULL), THAW_OK);
        fill_random(thaw_solver_matrix(other), 5.0, 99);
        double *first = calloc((size_t)s.size, sizeof *first), *unused = calloc((size_t)s.size, sizeof *unused);
        assert_int_equal(thaw_solver_factor(s.solver), THAW_OK);
        assert_int_equal(thaw_solver_solve(s.solver, s.b, first, 1e-10, NULL), THAW_OK);
        assert_int_equal(thaw_solver_factor(other), THAW_OK);
        assert_int_equal(thaw_solver_solve(other, s.b, unused, 1e-10, NULL), THAW_OK);
        assert_int_equal(thaw_solver_solve(s.solver, s.b, s.x, 1e-10, NULL), THAW_OK);
        assert_memory_equal(first, s.x, (size_t)s.size * sizeof(double));
        free(first);
        free(unused);
        thaw_solver_free(&other);
        tear_down(&s);
    }
}

static void a_first_guess_that_is_right_takes_no_iteration(void **state) {
    (void)state;
    Setup s = set_up(THAW_SOLVER_PCG, shape_pattern(9), NULL, 0.1);
    ThawSolveInfo info;
    assert_int_equal(thaw_solver_factor(s.solver), THAW_OK);
    assert_int_equal(thaw_solver_solve(s.solver, s.b, s.x, 1e-12, &info), THAW_OK);
    assert_true(info.iterations > 0);
    double *again = malloc((size_t)s.size * sizeof(double));
    memcpy(again, s.x, (size_t)s.size * sizeof(double));
    assert_int_equal(thaw_solver_solve(s.solver, s.b, again, 1e-10, &info), THAW_OK);
    assert_int_equal(info.iterations, 0);
    assert_memory_equal(again, s.x, (size_t)s.size * sizeof(double));
    free(again);
    tear_down(&s);
}

static void a_useless_first_guess_does_no_harm(void **state) {
    (void)state;
    Setup s = set_up(THAW_SOLVER_PCG, shape_pattern(9), NULL, 0.1);
    ThawSolveInfo cold, wild;
    assert_int_equal(thaw_solver_factor(s.solver), THAW_OK);
    assert_int_equal(thaw_solver_solve(s.solver, s.b, s.x, 1e-10, &cold), THAW_OK);
    const double guesses[] = {1e200, NAN, -INFINITY, 1e8};
    for (int k = 0; k < 4; k++) {
        for (int32_t i = 0; i < s.size; i++)
            s.x[i] = guesses[k];
        assert_int_equal(thaw_solver_solve(s.solver, s.b, s.x, 1e-10, &wild), THAW_OK);
        assert_int_equal(wild.iterations, cold.iterations);
    }
    tear_down(&s);
}

static double energy_of(ThawSolver *solver, const double *x, double *scratch, int32_t size) { // x'Ax
    double sum = 0;
    thaw_solver_multiply(solver, x, scratch);
    for (int32_t i = 0; i < size; i++)
        sum += x[i] * scratch[i];
    return sum;
}

static void what_need_only_settle_ends_once_the_energy_of_the_error_is_small(void **state) {
    (void)state;
    for (int k = 0; k < SHAPE_COUNT; k++) {
        Setup s = set_up(THAW_SOLVER_PCG, shape_pattern(k), NULL, 0.01);
        ThawSolveInfo exact, info;
        double *x = calloc((size_t)s.size, sizeof(double)), *scratch = calloc((size_t)s.size, sizeof(double));
        assert_int_equal(thaw_solver_factor(s.solver), THAW_OK);
        assert_int_equal(thaw_solver_solve(s.solver, s.b, s.x, 1e-12, &exact), THAW_OK);
        assert_int_equal(thaw_solver_settle(s.solver, s.b, x, 0.03, &info), THAW_OK);
        assert_true(info.iterations <= exact.iterations && info.residual < 1);
        for (int32_t i = 0; i < s.size; i++)
            x[i] -= s.x[i];
        // r'M^-1 r is not r'A^-1 r, but of its size
        assert_true(energy_of(s.solver, x, scratch, s.size) <= 0.1 * 0.1 * energy_of(s.solver, s.x, scratch, s.size));
        memcpy(x, s.x, (size_t)s.size * sizeof(double));
        assert_int_equal(thaw_solver_settle(s.solver, s.b, x, 0.03, &info), THAW_OK);
        assert_int_equal(info.iterations, 0);
        for (int32_t i = 0; i < s.size; i++) {
            x[i] = NAN;
            s.b[i] = 0;
        }
        assert_int_equal(thaw_solver_settle(s.solver, s.b, x, 0.03, &info), THAW_OK);
        for (int32_t i = 0; i < s.size; i++)
            assert_true(x[i] == 0.0);
        free(x);
        free(scratch);
        tear_down(&s);
    }
}

static void a_zero_right_hand_side_gives_zero(void **state) {
    (void)state;
    ThawSolverKind kinds[] = {THAW_SOLVER_PCG, has_cholmod() ? THAW_SOLVER_CHOLMOD : THAW_SOLVER_PCG};
    for (int k = 0; k < 2; k++) {
        Setup s = set_up(kinds[k], shape_pattern(5), NULL, 0.1);
        ThawSolveInfo info;
        assert_int_equal(thaw_solver_factor(s.solver), THAW_OK);
        for (int32_t i = 0; i < s.size; i++) {
            s.x[i] = 1.0;
            s.b[i] = 0.0;
        }
        assert_int_equal(thaw_solver_solve(s.solver, s.b, s.x, 1e-10, &info), THAW_OK);
        assert_int_equal(info.iterations, 0);
        assert_true(info.residual == 0.0);
        for (int32_t i = 0; i < s.size; i++)
            assert_true(s.x[i] == 0.0);
        tear_down(&s);
    }
}

static void the_tightest_tolerance_ends_at_rounding(void **state) {
    (void)state;
    Setup s = set_up(THAW_SOLVER_PCG, shape_pattern(9), NULL, 1e-3);
    ThawSolveInfo info;
    assert_int_equal(thaw_solver_factor(s.solver), THAW_OK);
    assert_int_equal(thaw_solver_solve(s.solver, s.b, s.x, 0.0, &info), THAW_OK);
    assert_true(info.residual < 1e-11);
    tear_down(&s);
}

// Each kind of failure, for each kind of solver: some step must say so with a status > 0, and nothing may crash.
static ThawStatus factor_and_solve(Setup *s) {
    ThawStatus status = thaw_solver_factor(s->solver);
    return status == THAW_OK ? thaw_solver_solve(s->solver, s->b, s->x, 1e-8, NULL) : status;
}

static void indefinite_and_singular_matrices_are_told(void **state) {
    (void)state;
    ThawSolverKind kinds[] = {THAW_SOLVER_PCG, has_cholmod() ? THAW_SOLVER_CHOLMOD : THAW_SOLVER_PCG};
    for (int k = 0; k < 2; k++) {
        Setup s = set_up(kinds[k], shape_pattern(9), NULL, 0.1);
        int32_t bs = s.pattern->bs, n = s.pattern->n;
        // A negative diagonal entry.
        block_at(s.A, n / 2, n / 2)[0] = -1.0;
        assert_int_equal(thaw_solver_factor(s.solver), THAW_INDEFINITE);
        // A vertex without any stiffness.
        fill_random(s.A, 0.1, 7);
        for (int32_t i = 0; i < n; i++)
            for (int32_t j = 0; j <= i; j++)
                if ((i == 5 || j == 5) && thaw_block_find(s.pattern, i, j) >= 0)
                    memset(block_at(s.A, i, j), 0, (size_t)(bs * bs) * sizeof(double));
        assert_int_equal(thaw_solver_factor(s.solver), THAW_INDEFINITE);
        // Positive diagonal, negative elsewhere: A - 3 (x x' on one edge's blocks).
        fill_random(s.A, 0.1, 7);
        int32_t i = n - 1, j = s.pattern->col[s.pattern->row[i]];
        for (int32_t r = 0; r < bs; r++)
            block_at(s.A, i, j)[bs * r + r] += 100.0;
        assert_int_equal(factor_and_solve(&s), THAW_INDEFINITE);
        // Not a number.
        fill_random(s.A, 0.1, 7);
        block_at(s.A, i, j)[0] = NAN;
        assert_true(factor_and_solve(&s) > 0);
        // And the solver has not suffered.
        fill_random(s.A, 0.1, 7);
        assert_int_equal(factor_and_solve(&s), THAW_OK);
        s.b[0] = NAN;
        assert_int_equal(factor_and_solve(&s), THAW_NOT_CONVERGED);
        s.b[0] = INFINITY;
        assert_int_equal(factor_and_solve(&s), THAW_NOT_CONVERGED);
        tear_down(&s);
    }
}

// A chain of springs, fixed nowhere: A maps translations to zero. A load with a resultant has no answer, one without
// has.
static void a_floating_chain_is_solved_for_balanced_loads_only(void **state) {
    (void)state;
    Setup s = set_up(THAW_SOLVER_PCG, random_pattern(50, 3, 1, 1, 1, 1), NULL, 0.0);
    memset(s.A->value, 0, (size_t)s.pattern->row[50] * 9 * sizeof(double));
    for (int32_t i = 1; i < 50; i++)
        for (int r = 0; r < 3; r++) {
            block_at(s.A, i, i)[4 * r] += 1.0;
            block_at(s.A, i - 1, i - 1)[4 * r] += 1.0;
            block_at(s.A, i, i - 1)[4 * r] -= 1.0;
        }
    for (int32_t i = 0; i < s.size; i++)
        s.b[i] = 1.0;
    assert_true(factor_and_solve(&s) > 0);
    memset(s.b, 0, (size_t)s.size * sizeof(double));
    memset(s.x, 0, (size_t)s.size * sizeof(double));
    s.b[0] = 1.0;
    s.b[s.size - 3] = -1.0;
    assert_int_equal(factor_and_solve(&s), THAW_OK);
    assert_true(fabs((s.x[0] - s.x[s.size - 3]) - 49.0) < 1e-5);
    tear_down(&s);
}

// Kershaw's ring of four (1978): positive definite, eigenvalues 3 +- 2 sqrt 2, yet its incomplete factor has a negative
// pivot. The shift must rescue it.
static void a_broken_incomplete_factor_is_rescued(void **state) {
    (void)state;
    const int32_t offset[] = {0, 2, 4, 6, 8}, neighbour[] = {1, 3, 0, 2, 1, 3, 0, 2};
    ThawBlockPattern *pattern;
    assert_int_equal(thaw_block_pattern_create(4, 3, offset, neighbour, &pattern, NULL), THAW_OK);
    Setup s = set_up(THAW_SOLVER_PCG, pattern, NULL, 0.0);
    memset(s.A->value, 0, (size_t)pattern->row[4] * 9 * sizeof(double));
    for (int r = 0; r < 3; r++)
        for (int32_t i = 0; i < 4; i++) {
            block_at(s.A, i, i)[4 * r] = 3.0;
            if (i > 0)
                block_at(s.A, i, i - 1)[4 * r] = -2.0;
            if (i == 3)
                block_at(s.A, i, 0)[4 * r] = 2.0;
        }
    ThawSolveInfo info;
    assert_int_equal(thaw_solver_factor(s.solver), THAW_OK);
    assert_true(s.solver->ic.shift > 0.0 && isfinite(s.solver->ic.shift));
    assert_int_equal(thaw_solver_solve(s.solver, s.b, s.x, 1e-10, &info), THAW_OK);
    assert_true(info.residual <= 1e-10);
    tear_down(&s);
}

// A matrix whose rows are of very different sizes, and its answer.
static void scale_badly(Setup *s, uint64_t seed) {
    const ThawBlockPattern *pattern = s->pattern;
    ThawBlockMatrix *A = thaw_solver_matrix(s->solver);
    const size_t bs = (size_t)pattern->bs;
    double *d = calloc(bs * (size_t)pattern->n, sizeof *d);
    for (size_t i = 0; i < bs * (size_t)pattern->n; i++)
        d[i] = exp2(round(12 * next_random(&seed)));
    for (int32_t i = 0; i < pattern->n; i++)
        for (int32_t e = pattern->row[i]; e < pattern->row[i + 1]; e++)
            for (size_t k = 0; k < bs * bs; k++)
                A->value[(size_t)e * bs * bs + k] *=
                    d[bs * (size_t)i + k / bs] * d[bs * (size_t)pattern->col[e] + k % bs];
    free(d);
}

// Entries of S A S are near 1, where those of A differ by factors of 2^48; and the iterates are those of A to the bit:
// only where they stop is another matter.
static void scaling_evens_the_entries_out_and_changes_no_iterate(void **state) {
    (void)state;
    enum { GOALS = 24 };
    Setup s[2];
    double *x[2][GOALS], spread[2] = {0};
    int32_t iterations[2][GOALS], equal = 0;
    for (int k = 0; k < 2; k++) {
        s[k] = set_up(k ? THAW_SOLVER_PCG_SCALED : THAW_SOLVER_PCG, random_pattern(400, 3, 1, 20, 5, 4), NULL, 0.01);
        scale_badly(&s[k], 5);
        assert_int_equal(thaw_solver_factor(s[k].solver), THAW_OK);
        const double *value = k ? s[1].solver->scaled : s[0].solver->matrix.value;
        double low = INFINITY, high = 0;
        for (int32_t i = 0; i < s[k].pattern->n; i++) {
            const double *a = value + 9 * ((size_t)s[k].pattern->row[i + 1] - 1);
            low = fmin(low, fmin(a[0], fmin(a[4], a[8])));
            high = fmax(high, fmax(a[0], fmax(a[4], a[8])));
        }
        spread[k] = high / low;
        for (int g = 0; g < GOALS; g++) {
            ThawSolveInfo info;
            x[k][g] = calloc((size_t)s[k].size, sizeof(double));
            assert_int_equal(thaw_solver_solve(s[k].solver, s[k].b, x[k][g], pow(0.3, g + 1), &info), THAW_OK);
            iterations[k][g] = info.iterations;
        }
    }
    for (int a = 0; a < GOALS; a++)
        for (int b = 0; b < GOALS; b++)
            if (iterations[0][a] == iterations[1][b] && iterations[0][a] > 0) {
                assert_memory_equal(x[0][a], x[1][b], (size_t)s[0].size * sizeof(double));
                equal++;
            }
    print_message("diagonals differ by %.1e, scaled by %.1e; %d answers after as many iterations\n", spread[0],
                  spread[1], (int)equal);
    assert_true(spread[0] > 1e9 && spread[1] < 1e3);
    assert_true(equal > 5);
    for (int k = 0; k < 2; k++) {
        for (int g = 0; g < GOALS; g++)
            free(x[k][g]);
        tear_down(&s[k]);
    }
}

static void wrong_arguments_are_named(void **state) {
    (void)state;
    ThawBlockPattern *pattern = shape_pattern(3);
    ThawSolverPlan *plan;
    ThawError error;
    assert_int_equal(thaw_solver_plan_create((ThawSolverKind)17, pattern, &plan, &error), THAW_ERROR_INPUT);
    assert_null(plan);
    assert_non_null(strstr(error.message, "17"));
    thaw_solver_plan_free(NULL);
    thaw_solver_plan_free(&plan);
    thaw_solver_free(NULL);
    thaw_block_pattern_free(&pattern);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_product_is_that_of_the_dense_matrix),
        cmocka_unit_test(conjugate_gradients_agree_with_the_dense_factor),
        cmocka_unit_test(cholmod_agrees_with_the_dense_factor),
        cmocka_unit_test(auto_solves_too_and_has_decided),
        cmocka_unit_test(a_large_matrix_is_solved_the_same_by_both),
        cmocka_unit_test(the_bits_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(solvers_of_one_plan_do_not_disturb_each_other),
        cmocka_unit_test(a_first_guess_that_is_right_takes_no_iteration),
        cmocka_unit_test(a_useless_first_guess_does_no_harm),
        cmocka_unit_test(what_need_only_settle_ends_once_the_energy_of_the_error_is_small),
        cmocka_unit_test(a_zero_right_hand_side_gives_zero),
        cmocka_unit_test(the_tightest_tolerance_ends_at_rounding),
        cmocka_unit_test(indefinite_and_singular_matrices_are_told),
        cmocka_unit_test(a_floating_chain_is_solved_for_balanced_loads_only),
        cmocka_unit_test(a_broken_incomplete_factor_is_rescued),
        cmocka_unit_test(scaling_evens_the_entries_out_and_changes_no_iterate),
        cmocka_unit_test(wrong_arguments_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
