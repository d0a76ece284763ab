// SPDX-License-Identifier: Apache-2.0
// Our factorisation against dense elimination written here: residuals, inertia, bits, sparse right-hand sides, J A^-1
// J', on seeded random block matrices that are positive definite, quasi-definite, singular or wrong.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sparse/ldl.h"

// --- random matrices -------------------------------------------------------------------------------------------------

typedef uint64_t Seed;

static double next_random(Seed *seed) { // in (-1, 1)
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 33) / 1073741824.0 - 1.0;
}

static int32_t next_below(Seed *seed, int32_t limit) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (int32_t)((*seed >> 33) % (uint64_t)limit);
}

typedef struct Matrix {
    ThawBlockPattern *pattern;
    ThawBlockMatrix A;
    signed char *sign;
    int32_t size;
} Matrix;

// Each vertex is tied to about `degree` others, of which the nearest come first.
static ThawBlockPattern *random_pattern(int32_t n, int32_t bs, int32_t degree, Seed *seed) {
    unsigned char *tied = calloc((size_t)n * (size_t)n, 1);
    int32_t *offset = calloc((size_t)n + 1, sizeof *offset), *neighbour = calloc((size_t)n * (size_t)n + 1, 4);
    for (int32_t i = 1; i < n; i++)
        for (int32_t k = 0; k < degree; k++) {
            int32_t j = k == 0 && next_below(seed, 8) ? i - 1 : next_below(seed, i);
            tied[i * n + j] = tied[j * n + i] = 1;
        }
    for (int32_t i = 0; i < n; i++) {
        offset[i + 1] = offset[i];
        for (int32_t j = 0; j < n; j++)
            if (tied[i * n + j] && i != j)
                neighbour[offset[i + 1]++] = j;
    }
    ThawBlockPattern *pattern;
    assert_int_equal(thaw_block_pattern_create(n, 3, offset, neighbour, &pattern, NULL), THAW_OK);
    pattern->bs = bs; // the factorisation serves more sizes than patterns are made for
    free(tied);
    free(offset);
    free(neighbour);
    return pattern;
}

// A box of vertices, each tied to the 26 around it.
static ThawBlockPattern *box_pattern(int32_t nx, int32_t ny, int32_t nz) {
    int32_t n = nx * ny * nz, *offset = calloc((size_t)n + 1, sizeof *offset), *neighbour = calloc((size_t)n * 27, 4);
    for (int32_t i = 0; i < n; i++) {
        int32_t x = i % nx, y = i / nx % ny, z = i / nx / ny;
        offset[i + 1] = offset[i];
        for (int32_t k = 0; k < 27; k++) {
            int32_t u = x + k % 3 - 1, v = y + k / 3 % 3 - 1, w = z + k / 9 - 1;
            if (k != 13 && u >= 0 && u < nx && v >= 0 && v < ny && w >= 0 && w < nz)
                neighbour[offset[i + 1]++] = u + nx * (v + ny * w);
        }
    }
    ThawBlockPattern *pattern;
    assert_int_equal(thaw_block_pattern_create(n, 3, offset, neighbour, &pattern, NULL), THAW_OK);
    free(offset);
    free(neighbour);
    return pattern;
}

static double *block_at(ThawBlockMatrix *A, int32_t i, int32_t j) {
    int32_t bs = A->pattern->bs;
    return A->value + (size_t)thaw_block_find(A->pattern, i, j) * (size_t)(bs * bs);
}

// mass I + sum over edges of g g', as finite elements do it. With signs: rows and columns of negative sign are negated
// together, what couples the signs is arbitrary, so the matrix is quasi-definite.
static Matrix make_matrix(ThawBlockPattern *pattern, double mass, int mixed, Seed *seed) {
    int32_t n = pattern->n, bs = pattern->bs;
    Matrix m = {.pattern = pattern, .size = n * bs};
    m.A.pattern = pattern;
    m.A.value = calloc((size_t)pattern->row[n] * (size_t)(bs * bs) + 4, sizeof(double));
    for (int32_t i = 0; i < n; i++) {
        for (int32_t r = 0; r < bs; r++)
            block_at(&m.A, i, i)[bs * r + r] += mass * (1.0 + 0.5 * next_random(seed));
        for (int32_t e = pattern->row[i]; e < pattern->row[i + 1] - 1; e++)
            for (int32_t k = 0; k < bs; k++) {
                int32_t j = pattern->col[e];
                double g[2][8];
                for (int32_t r = 0; r < bs; r++) {
                    g[0][r] = next_random(seed);
                    g[1][r] = -g[0][r] + 0.3 * next_random(seed);
                }
                for (int32_t r = 0; r < bs; r++)
                    for (int32_t c = 0; c < bs; c++) {
                        block_at(&m.A, i, i)[bs * r + c] += g[0][r] * g[0][c];
                        block_at(&m.A, i, j)[bs * r + c] += g[0][r] * g[1][c];
                        block_at(&m.A, j, j)[bs * r + c] += g[1][r] * g[1][c];
                    }
            }
    }
    if (!mixed)
        return m;
    m.sign = calloc((size_t)m.size, 1);
    for (int32_t k = 0; k < m.size; k++)
        m.sign[k] = next_below(seed, 3) == 0 ? -1 : 1;
    for (int32_t i = 0; i < n; i++)
        for (int32_t e = pattern->row[i]; e < pattern->row[i + 1]; e++)
            for (int32_t r = 0; r < bs; r++)
                for (int32_t c = 0; c < bs; c++) {
                    int32_t j = pattern->col[e], p = m.sign[bs * i + r], q = m.sign[bs * j + c];
                    double *a = &m.A.value[(size_t)e * (size_t)(bs * bs) + (size_t)(bs * r + c)];
                    if (i == j && c > r)
                        *a = m.A.value[(size_t)e * (size_t)(bs * bs) + (size_t)(bs * c + r)];
                    if (p != q && (i != j || c < r))
                        *a = next_random(seed);
                    else if (p == q && p < 0)
                        *a = -fabs(*a) * (*a < 0 ? -1 : 1);
                }
    for (int32_t i = 0; i < n; i++) // the diagonal blocks once more, to be symmetric
        for (int32_t r = 0; r < bs; r++)
            for (int32_t c = r + 1; c < bs; c++)
                block_at(&m.A, i, i)[bs * r + c] = block_at(&m.A, i, i)[bs * c + r];
    return m;
}

static void free_matrix(Matrix *m) {
    thaw_block_pattern_free(&m->pattern);
    free(m->A.value);
    free(m->sign);
}

static double *make_dense(const Matrix *m) {
    const ThawBlockPattern *p = m->pattern;
    int32_t bs = p->bs, size = m->size;
    double *D = calloc((size_t)size * (size_t)size, sizeof *D);
    for (int32_t i = 0; i < p->n; i++)
        for (int32_t e = p->row[i]; e < p->row[i + 1]; e++)
            for (int32_t r = 0; r < bs; r++)
                for (int32_t c = 0; c < bs; c++) {
                    int32_t I = bs * i + r, J = bs * p->col[e] + c;
                    D[I * size + J] = D[J * size + I] = m->A.value[bs * bs * e + bs * r + c];
                }
    return D;
}

// Gaussian elimination with row pivoting; the answers replace the columns of B (size x count, column after column).
static void solve_dense(int32_t size, double *D, int32_t count, double *B) {
    for (int32_t k = 0; k < size; k++) {
        int32_t best = k;
        for (int32_t i = k + 1; i < size; i++)
            best = fabs(D[i * size + k]) > fabs(D[best * size + k]) ? i : best;
        for (int32_t j = 0; j < size; j++) {
            double a = D[k * size + j];
            D[k * size + j] = D[best * size + j];
            D[best * size + j] = a;
        }
        for (int32_t c = 0; c < count; c++) {
            double a = B[c * size + k];
            B[c * size + k] = B[c * size + best];
            B[c * size + best] = a;
        }
        for (int32_t i = k + 1; i < size; i++) {
            double f = D[i * size + k] / D[k * size + k];
            for (int32_t j = k; f != 0 && j < size; j++)
                D[i * size + j] -= f * D[k * size + j];
            for (int32_t c = 0; c < count; c++)
                B[c * size + i] -= f * B[c * size + k];
        }
    }
    for (int32_t c = 0; c < count; c++)
        for (int32_t i = size - 1; i >= 0; i--) {
            for (int32_t k = i + 1; k < size; k++)
                B[c * size + i] -= D[i * size + k] * B[c * size + k];
            B[c * size + i] /= D[i * size + i];
        }
}

// Negative pivots of elimination without exchanges, which is the inertia if none vanishes.
static int32_t count_negative(int32_t size, double *D) {
    int32_t negative = 0;
    for (int32_t k = 0; k < size; k++) {
        negative += D[k * size + k] < 0;
        for (int32_t i = k + 1; i < size; i++)
            for (int32_t j = k + 1; j < size; j++)
                D[i * size + j] -= D[i * size + k] / D[k * size + k] * D[k * size + j];
    }
    return negative;
}

static double largest(const double *a, size_t count) {
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(a[i]));
    return most;
}

// |b - A x| relative to |A| |x| + |b|, all in the maximum norm.
static double backward_error(const Matrix *m, const double *b, const double *x) {
    double *D = make_dense(m), worst = 0, norm = 0;
    for (int32_t i = 0; i < m->size; i++) {
        double r = b[i], sum = 0;
        for (int32_t j = 0; j < m->size; j++) {
            r -= D[i * m->size + j] * x[j];
            sum += fabs(D[i * m->size + j]);
        }
        worst = fmax(worst, fabs(r));
        norm = fmax(norm, sum);
    }
    free(D);
    return worst / (norm * largest(x, (size_t)m->size) + largest(b, (size_t)m->size) + DBL_MIN);
}

typedef struct Setup {
    ThawLdlPlan *plan;
    ThawLdl *ldl;
    double *b, *x;
} Setup;

static Setup set_up(const Matrix *m, const int32_t *order, ThawTasks *tasks, Seed *seed) {
    Setup s = {0};
    ThawError error;
    assert_int_equal(thaw_ldl_plan_create(m->pattern, order, &s.plan, &error), THAW_OK);
    assert_int_equal(thaw_ldl_create(s.plan, tasks, &s.ldl, &error), THAW_OK);
    s.b = calloc((size_t)m->size, sizeof *s.b);
    s.x = calloc((size_t)m->size, sizeof *s.x);
    for (int32_t i = 0; i < m->size; i++)
        s.b[i] = next_random(seed);
    return s;
}

static void tear_down(Setup *s) {
    thaw_ldl_free(&s->ldl);
    thaw_ldl_plan_free(&s->plan);
    free(s->b);
    free(s->x);
}

// --- tests -----------------------------------------------------------------------------------------------------------

static void the_answer_is_that_of_dense_elimination_for_every_block_size(void **state) {
    (void)state;
    Seed seed = 1;
    for (int32_t bs = 1; bs <= 8; bs++)
        for (int mixed = 0; mixed <= 1; mixed++) {
            Matrix m = make_matrix(random_pattern(60, bs, 3, &seed), 1.0, mixed, &seed);
            Setup s = set_up(&m, NULL, NULL, &seed);
            assert_int_equal(thaw_ldl_factor(s.ldl, &m.A, m.sign), THAW_OK);
            assert_int_equal(thaw_ldl_solve(s.ldl, s.b, s.x), THAW_OK);
            double *D = make_dense(&m), *y = malloc((size_t)m.size * sizeof *y);
            memcpy(y, s.b, (size_t)m.size * sizeof *y);
            solve_dense(m.size, D, 1, y);
            for (int32_t i = 0; i < m.size; i++)
                assert_true(fabs(y[i] - s.x[i]) < 1e-8 * largest(y, (size_t)m.size));
            free(D);
            free(y);
            tear_down(&s);
            free_matrix(&m);
        }
}

static void residuals_and_inertia_of_ten_thousand_random_matrices_are_right(void **state) {
    (void)state;
    Seed seed = 2;
    int outcomes[3] = {0};
    for (int32_t trial = 0; trial < 10000; trial++) {
        int32_t n = 1 + next_below(&seed, trial % 100 == 0 ? 120 : 14), bs = 1 + next_below(&seed, 4);
        int32_t degree = 1 + next_below(&seed, 4);
        // A kind in six is singular, one nearly so; a single row without an edge or a mass is zero.
        int kind = next_below(&seed, 6), mixed = kind < 2;
        double mass = kind == 5 ? 0.0 : kind == 4 ? 1e-14 : 0.1;
        Matrix m = make_matrix(random_pattern(n, bs, degree, &seed), mass, mixed, &seed);
        Setup s = set_up(&m, NULL, NULL, &seed);
        ThawStatus status = thaw_ldl_factor(s.ldl, &m.A, m.sign);
        assert_true(status == THAW_OK || status == THAW_INDEFINITE);
        assert_true((thaw_ldl_failed(s.ldl) >= 0) == (status == THAW_INDEFINITE));
        if (kind < 4)
            assert_int_equal(status, THAW_OK);
        outcomes[status]++;
        if (status == THAW_OK)
            status = thaw_ldl_solve(s.ldl, s.b, s.x);
        if (status == THAW_OK) {
            assert_true(backward_error(&m, s.b, s.x) < (mixed ? 1e-9 : 1e-13));
            double *D = make_dense(&m);
            if (kind < 4 && m.size < 60)
                assert_int_equal(count_negative(m.size, D), thaw_ldl_negative_pivots(s.ldl));
            free(D);
        } else {
            assert_true(kind >= 4);
            assert_true(thaw_ldl_failed(s.ldl) < n);
        }
        tear_down(&s);
        free_matrix(&m);
    }
    assert_true(outcomes[THAW_OK] > 6000 && outcomes[THAW_INDEFINITE] > 100);
}

static void a_bad_pivot_is_reported_with_its_block(void **state) {
    (void)state;
    Seed seed = 3;
    Matrix m = make_matrix(random_pattern(40, 3, 3, &seed), 1.0, 0, &seed);
    Setup s = set_up(&m, NULL, NULL, &seed);
    const double bad[] = {-1e3, 0.0, NAN, INFINITY, -INFINITY};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        double *a = block_at(&m.A, 17, 17), before = a[4];
        a[4] = bad[k];
        assert_int_equal(thaw_ldl_factor(s.ldl, &m.A, NULL), THAW_INDEFINITE);
        int32_t at = thaw_ldl_failed(s.ldl);
        assert_true(at >= 0 && at < 40);
        if (bad[k] == -1e3 || bad[k] == 0.0) // no earlier pivot can have been spoiled
            assert_int_equal(at, 17);
        assert_int_equal(thaw_ldl_solve(s.ldl, s.b, s.x), THAW_INDEFINITE);
        a[4] = before;
        assert_int_equal(thaw_ldl_factor(s.ldl, &m.A, NULL), THAW_OK);
        assert_int_equal(thaw_ldl_failed(s.ldl), -1);
    }
    tear_down(&s);
    free_matrix(&m);
}

static void a_saddle_point_with_a_zero_block_is_factored_in_its_own_order(void **state) {
    (void)state;
    // Springs to the ground, and a rod that keeps two of them together: its row has no diagonal.
    const int32_t offset[] = {0, 1, 2, 4}, neighbour[] = {2, 2, 0, 1}, order[] = {0, 1, 2};
    const signed char sign[] = {1, 1, -1};
    ThawBlockPattern *pattern;
    assert_int_equal(thaw_block_pattern_create(3, 3, offset, neighbour, &pattern, NULL), THAW_OK);
    pattern->bs = 1;
    double value[] = {2, 3, 1, -1, 0};
    ThawBlockMatrix A = {pattern, value};
    ThawLdlPlan *plan;
    ThawLdl *ldl;
    assert_int_equal(thaw_ldl_plan_create(pattern, order, &plan, NULL), THAW_OK);
    assert_int_equal(thaw_ldl_create(plan, NULL, &ldl, NULL), THAW_OK);
    assert_int_equal(thaw_ldl_factor(ldl, &A, sign), THAW_OK);
    assert_int_equal(thaw_ldl_negative_pivots(ldl), 1);
    double x[3] = {5, 0, 0};
    assert_int_equal(thaw_ldl_solve(ldl, x, x), THAW_OK);
    assert_true(fabs(x[0] - 1) < 1e-14 && fabs(x[1] - 1) < 1e-14 && fabs(x[2] - 3) < 1e-14);
    thaw_ldl_free(&ldl);
    thaw_ldl_plan_free(&plan);
    thaw_block_pattern_free(&pattern);
}

static void the_bits_do_not_depend_on_the_number_of_threads(void **state) {
    (void)state;
    for (int mixed = 0; mixed <= 1; mixed++) {
        double *first[3] = {0};
        for (int threads = 1; threads <= 4; threads++) {
            Seed seed = 5;
            ThawTasks *tasks;
            assert_int_equal(thaw_tasks_create(threads, &tasks, NULL), THAW_OK);
            Matrix m = make_matrix(box_pattern(13, 9, 9), 1.0, mixed, &seed);
            Setup s = set_up(&m, NULL, tasks, &seed);
            enum { ROWS = 40, MANY = 37 };
            int32_t start[ROWS + 1], col[ROWS];
            double value[9 * ROWS], *H = calloc(9 * ROWS * ROWS, sizeof *H);
            size_t size = (size_t)m.size;
            double *many = malloc(size * MANY * sizeof *many);
            for (int32_t i = 0; i <= ROWS; i++)
                start[i] = i;
            for (int32_t i = 0; i < ROWS; i++)
                col[i] = 26 * i + 3;
            for (int32_t i = 0; i < 9 * ROWS; i++)
                value[i] = next_random(&seed);
            for (size_t i = 0; i < size * MANY; i++)
                many[i] = next_random(&seed);
            ThawBlockRows J = {ROWS, 3, start, col, value};
            assert_int_equal(thaw_ldl_factor(s.ldl, &m.A, m.sign), THAW_OK);
            assert_int_equal(thaw_ldl_solve(s.ldl, s.b, s.x), THAW_OK);
            assert_int_equal(thaw_ldl_schur(s.ldl, &J, H, 3 * ROWS), THAW_OK);
            assert_int_equal(thaw_ldl_solve_many(s.ldl, MANY, many, many, size), THAW_OK);
            double *now[3] = {s.x, H, many};
            size_t length[3] = {size, 9 * ROWS * ROWS, size * MANY};
            for (int k = 0; k < 3; k++)
                if (threads == 1) {
                    first[k] = malloc(length[k] * sizeof(double));
                    memcpy(first[k], now[k], length[k] * sizeof(double));
                } else {
                    assert_memory_equal(first[k], now[k], length[k] * sizeof(double));
                }
            free(H);
            free(many);
            tear_down(&s);
            free_matrix(&m);
            thaw_tasks_free(&tasks);
        }
        for (int k = 0; k < 3; k++)
            free(first[k]);
    }
}

// The same on every processor, with and without vector and fused instructions.
static void the_bits_are_those_of_every_other_build(void **state) {
    (void)state;
    Seed seed = 6;
    uint64_t hash = 0;
    for (int mixed = 0; mixed <= 1; mixed++) {
        Matrix m = make_matrix(box_pattern(6, 5, 4), 1.0, mixed, &seed);
        // An order of the test's own: the dissection may change without changing what this test is about.
        int32_t order[120];
        for (int32_t i = 0; i < 120; i++)
            order[i] = 37 * i % 120;
        Setup s = set_up(&m, order, NULL, &seed);
        assert_int_equal(thaw_ldl_factor(s.ldl, &m.A, m.sign), THAW_OK);
        assert_int_equal(thaw_ldl_solve(s.ldl, s.b, s.x), THAW_OK);
        hash = thaw_hash(hash, s.x, (size_t)m.size * sizeof *s.x);
        tear_down(&s);
        free_matrix(&m);
    }
    print_message("hash of the answers: %016llx\n", (unsigned long long)hash);
    assert_true(hash == UINT64_C(0xcdf9042cbfd0eb0b));
}

static void a_refactorisation_has_the_bits_of_a_new_one(void **state) {
    (void)state;
    Seed seed = 7;
    Matrix m = make_matrix(box_pattern(14, 6, 6), 1.0, 0, &seed);
    Setup s = set_up(&m, NULL, NULL, &seed), t = set_up(&m, NULL, NULL, &seed);
    unsigned char *changed = calloc((size_t)m.pattern->n, 1);
    assert_int_equal(thaw_ldl_factor(s.ldl, &m.A, NULL), THAW_OK);
    for (int trial = 0; trial < 20; trial++) {
        memset(changed, 0, (size_t)m.pattern->n);
        for (int32_t k = 0; k < trial; k++) {
            int32_t i = next_below(&seed, m.pattern->n);
            changed[i] = 1;
            block_at(&m.A, i, i)[0] += 1.0 + next_random(&seed);
        }
        assert_int_equal(thaw_ldl_refactor(s.ldl, &m.A, changed), THAW_OK);
        assert_int_equal(thaw_ldl_factor(t.ldl, &m.A, NULL), THAW_OK);
        assert_int_equal(thaw_ldl_solve(s.ldl, s.b, s.x), THAW_OK);
        assert_int_equal(thaw_ldl_solve(t.ldl, s.b, t.x), THAW_OK);
        assert_memory_equal(s.x, t.x, (size_t)m.size * sizeof *s.x);
    }
    free(changed);
    tear_down(&s);
    tear_down(&t);
    free_matrix(&m);
}

static void a_halved_factor_has_seven_digits_and_the_next_one_all(void **state) {
    (void)state;
    Seed seed = 23;
    for (int32_t bs = 1; bs <= 6; bs++)
        for (int mixed = 0; mixed <= 1; mixed++) {
            Matrix m = make_matrix(random_pattern(80, bs, 3, &seed), 1.0, mixed, &seed);
            Setup s = set_up(&m, NULL, NULL, &seed), t = set_up(&m, NULL, NULL, &seed);
            assert_int_equal(thaw_ldl_factor(s.ldl, &m.A, m.sign), THAW_OK);
            assert_int_equal(thaw_ldl_solve(s.ldl, s.b, t.x), THAW_OK);
            for (int again = 0; again < 2; again++) // the second time it is halved already
                thaw_ldl_halve(s.ldl);
            assert_int_equal(thaw_ldl_solve(s.ldl, s.b, s.x), THAW_OK);
            double off = backward_error(&m, s.b, s.x);
            assert_true(off > 1e-11 && off < 2e-7);
            assert_int_equal(thaw_ldl_solve_many(s.ldl, 1, s.b, s.x, (size_t)m.size), THAW_INDEFINITE);
            assert_int_equal(thaw_ldl_factor(s.ldl, &m.A, m.sign), THAW_OK);
            assert_int_equal(thaw_ldl_solve(s.ldl, s.b, s.x), THAW_OK);
            assert_memory_equal(s.x, t.x, (size_t)m.size * sizeof *s.x);
            tear_down(&s);
            tear_down(&t);
            free_matrix(&m);
        }
}

static void a_factor_with_uneven_pivots_is_not_halved(void **state) {
    (void)state;
    Seed seed = 29;
    Matrix m = make_matrix(random_pattern(40, 3, 3, &seed), 1.0, 0, &seed);
    Setup s = set_up(&m, NULL, NULL, &seed);
    block_at(&m.A, 7, 7)[0] = 1e9;
    assert_int_equal(thaw_ldl_factor(s.ldl, &m.A, NULL), THAW_OK);
    thaw_ldl_halve(s.ldl);
    assert_int_equal(thaw_ldl_solve_many(s.ldl, 1, s.b, s.x, (size_t)m.size), THAW_OK);
    assert_true(backward_error(&m, s.b, s.x) < 1e-14);
    tear_down(&s);
    free_matrix(&m);
}

static void many_sides_are_solved_like_one(void **state) {
    (void)state;
    Seed seed = 8;
    for (int mixed = 0; mixed <= 1; mixed++)
        for (int32_t count = 0; count <= 35; count += count < 6 ? 1 : 29) {
            Matrix m = make_matrix(random_pattern(80, 2 + mixed, 3, &seed), 1.0, mixed, &seed);
            Setup s = set_up(&m, NULL, NULL, &seed);
            size_t stride = (size_t)m.size + 5;
            double *B = calloc(stride * (size_t)count + 1, sizeof *B),
                   *X = calloc(stride * (size_t)count + 1, sizeof *X);
            for (size_t i = 0; i < stride * (size_t)count; i++)
                B[i] = next_random(&seed);
            assert_int_equal(thaw_ldl_factor(s.ldl, &m.A, m.sign), THAW_OK);
            assert_int_equal(thaw_ldl_solve_many(s.ldl, count, B, X, stride), THAW_OK);
            for (int32_t c = 0; c < count; c++)
                assert_true(backward_error(&m, B + stride * (size_t)c, X + stride * (size_t)c) < 1e-11);
            free(B);
            free(X);
            tear_down(&s);
            free_matrix(&m);
        }
}

static void sparse_sides_give_the_wanted_rows(void **state) {
    (void)state;
    Seed seed = 9;
    for (int32_t trial = 0; trial < 60; trial++) {
        int mixed = trial % 2;
        Matrix m = make_matrix(random_pattern(70, 3, 2, &seed), 1.0, mixed, &seed);
        Setup s = set_up(&m, NULL, NULL, &seed);
        int32_t b_row[6], x_row[9], nb = next_below(&seed, 6), nx = next_below(&seed, 9);
        double b[18], x[27];
        memset(s.b, 0, (size_t)m.size * sizeof *s.b);
        for (int32_t i = 0; i < nb; i++) {
            b_row[i] = next_below(&seed, 70); // may come twice
            for (int r = 0; r < 3; r++)
                s.b[3 * b_row[i] + r] += b[3 * i + r] = next_random(&seed);
        }
        for (int32_t i = 0; i < nx; i++)
            x_row[i] = next_below(&seed, 70);
        assert_int_equal(thaw_ldl_factor(s.ldl, &m.A, m.sign), THAW_OK);
        assert_int_equal(thaw_ldl_solve(s.ldl, s.b, s.x), THAW_OK);
        assert_int_equal(thaw_ldl_solve_sparse(s.ldl, nb, b_row, b, nx, x_row, x), THAW_OK);
        for (int32_t i = 0; i < nx; i++)
            for (int r = 0; r < 3; r++)
                assert_true(fabs(x[3 * i + r] - s.x[3 * x_row[i] + r]) <= 1e-12 * (1 + fabs(x[3 * i + r])));
        b_row[0] = 70;
        assert_int_equal(thaw_ldl_solve_sparse(s.ldl, 1, b_row, b, 0, NULL, NULL), THAW_ERROR_INPUT);
        tear_down(&s);
        free_matrix(&m);
    }
}

static void the_response_of_contacts_is_that_of_the_dense_inverse(void **state) {
    (void)state;
    Seed seed = 10;
    for (int32_t trial = 0; trial < 36; trial++) {
        int32_t vertices = trial < 24 ? 60 : 1 + trial % 7; // few: contacts share them
        int32_t height = 1 + trial % 3, count = trial == 0 ? 0 : 1 + next_below(&seed, 30), mixed = trial % 2;
        Matrix m = make_matrix(random_pattern(60, 3, 2, &seed), 1.0, mixed, &seed);
        Setup s = set_up(&m, NULL, NULL, &seed);
        int32_t start[31] = {0}, col[31 * 4], rows = count * height;
        double value[31 * 4 * 9], *J = calloc((size_t)rows * (size_t)m.size + 1, sizeof *J);
        for (int32_t c = 0; c < count; c++) {
            start[c + 1] = start[c] + next_below(&seed, 5); // none: that contact touches another body
            for (int32_t k = start[c]; k < start[c + 1]; k++) {
                col[k] = 59 - next_below(&seed, vertices);
                for (int32_t q = 0; q < height; q++)
                    for (int32_t r = 0; r < 3; r++)
                        J[(height * c + q) * m.size + 3 * col[k] + r] += value[3 * height * k + 3 * q + r] =
                            next_random(&seed);
            }
        }
        size_t stride = (size_t)rows + 2;
        double *H = calloc(stride * (size_t)rows + 1, sizeof *H), *X = calloc((size_t)rows * (size_t)m.size + 1, 8);
        for (size_t i = 0; i < stride * (size_t)rows; i++)
            H[i] = 1.0;
        ThawBlockRows blocks = {count, height, start, col, value};
        assert_int_equal(thaw_ldl_factor(s.ldl, &m.A, m.sign), THAW_OK);
        assert_int_equal(thaw_ldl_schur(s.ldl, &blocks, H, stride), THAW_OK);
        double *D = make_dense(&m);
        memcpy(X, J, (size_t)rows * (size_t)m.size * sizeof *X);
        solve_dense(m.size, D, rows, X);
        for (int32_t p = 0; p < rows; p++)
            for (int32_t q = 0; q < rows; q++) {
                double sum = 1.0;
                for (int32_t k = 0; k < m.size; k++)
                    sum += J[p * m.size + k] * X[q * m.size + k];
                assert_true(fabs(sum - H[(size_t)p * stride + (size_t)q]) < 1e-8 * (1 + fabs(sum)));
            }
        for (int32_t p = 0; p < rows; p++)
            assert_true(H[(size_t)p * stride + (size_t)rows] == 1.0); // what lies between rows is left alone
        free(J);
        free(H);
        free(X);
        free(D);
        tear_down(&s);
        free_matrix(&m);
    }
}

// Contacts whose sides need more room than there is: they meet in turns, by themselves (touching everything) or by
// vertices.
static void contacts_beyond_the_room_for_their_sides_meet_in_turns(void **state) {
    (void)state;
    enum { CONTACTS = 300, SIZE = 3 * CONTACTS, TURNS = 4 };
    int32_t start[CONTACTS + 1], col[3 * CONTACTS];
    double *value = calloc(27 * CONTACTS, sizeof *value), *H[2];
    for (int k = 0; k < 2; k++)
        H[k] = malloc(SIZE * SIZE * sizeof *H[k]);
    for (int32_t trial = 0; trial < 4; trial++) {
        int mixed = trial & 1, shared = trial >> 1;
        for (int threads = 1; threads <= 3; threads += 2) {
            Seed seed = 12;
            ThawTasks *tasks;
            assert_int_equal(thaw_tasks_create(threads, &tasks, NULL), THAW_OK);
            Matrix m = make_matrix(box_pattern(13, 9, 9), 1.0, mixed, &seed);
            Setup s = set_up(&m, NULL, tasks, &seed);
            for (int32_t i = 0; i <= CONTACTS; i++)
                start[i] = 3 * i;
            for (int32_t i = 0; i < 3 * CONTACTS; i++)
                col[i] = shared ? 5 * next_below(&seed, 200) : next_below(&seed, 1053);
            for (int32_t i = 0; i < 27 * CONTACTS; i++)
                value[i] = next_random(&seed);
            ThawBlockRows J = {CONTACTS, 3, start, col, value};
            double *now = H[threads > 1];
            memset(now, 0, SIZE * SIZE * sizeof *now);
            assert_int_equal(thaw_ldl_factor(s.ldl, &m.A, m.sign), THAW_OK);
            size_t before = thaw_ldl_bytes(s.ldl);
            assert_int_equal(thaw_ldl_schur(s.ldl, &J, now, SIZE), THAW_OK);
            // 128 full sides or 4 MB are held, and four times sixteen a thread pass by.
            size_t most = (size_t)4 << 20, passing = (size_t)threads * 64 * (size_t)m.size * sizeof(double);
            assert_true(thaw_ldl_bytes(s.ldl) - before < most + most / 8 + passing + ((size_t)1 << 20));
            for (int32_t j = 0; j < SIZE && threads == 1; j += SIZE / TURNS + 1) {
                memset(s.b, 0, (size_t)m.size * sizeof *s.b);
                for (int32_t k = start[j / 3]; k < start[j / 3 + 1]; k++)
                    for (int32_t r = 0; r < 3; r++)
                        s.b[3 * col[k] + r] += value[9 * k + 3 * (j % 3) + r];
                assert_int_equal(thaw_ldl_solve(s.ldl, s.b, s.x), THAW_OK);
                for (int32_t i = 0; i < SIZE; i++) {
                    double sum = 0;
                    for (int32_t k = start[i / 3]; k < start[i / 3 + 1]; k++)
                        for (int32_t r = 0; r < 3; r++)
                            sum += value[9 * k + 3 * (i % 3) + r] * s.x[3 * col[k] + r];
                    assert_true(fabs(sum - now[SIZE * i + j]) < 1e-10 * (1 + fabs(sum)));
                    assert_true(now[SIZE * i + j] == now[SIZE * j + i]);
                }
            }
            tear_down(&s);
            free_matrix(&m);
            thaw_tasks_free(&tasks);
        }
        assert_memory_equal(H[0], H[1], SIZE * SIZE * sizeof *H[0]);
    }
    free(value);
    for (int k = 0; k < 2; k++)
        free(H[k]);
}

static void diagonal_blocks_of_the_inverse_are_those_of_the_dense_one(void **state) {
    (void)state;
    Seed seed = 11;
    for (int32_t bs = 1; bs <= 3; bs++) {
        Matrix m = make_matrix(random_pattern(50, bs, 2, &seed), 1.0, bs == 2, &seed);
        Setup s = set_up(&m, NULL, NULL, &seed);
        double *D = make_dense(&m), *X = calloc((size_t)m.size * (size_t)m.size, sizeof *X), blocks[9 * 20];
        int32_t row[20];
        for (int32_t i = 0; i < 20; i++)
            row[i] = next_below(&seed, 50);
        for (int32_t i = 0; i < m.size; i++)
            X[i * m.size + i] = 1.0;
        solve_dense(m.size, D, m.size, X);
        assert_int_equal(thaw_ldl_factor(s.ldl, &m.A, m.sign), THAW_OK);
        assert_int_equal(thaw_ldl_inverse_blocks(s.ldl, 20, row, blocks), THAW_OK);
        for (int32_t i = 0; i < 20; i++)
            for (int32_t k = 0; k < bs * bs; k++)
                assert_true(fabs(blocks[bs * bs * i + k] - X[(bs * row[i] + k / bs) * m.size + bs * row[i] + k % bs]) <
                            1e-9);
        free(D);
        free(X);
        tear_down(&s);
        free_matrix(&m);
    }
}

static void an_order_can_be_restricted_to_active_rows(void **state) {
    (void)state;
    Seed seed = 12;
    ThawBlockPattern *whole = box_pattern(9, 9, 9), *pattern;
    int32_t *order = malloc(729 * 4), *id = malloc(729 * 4), *restricted = malloc(729 * 4), count = 0;
    int32_t *offset = calloc(730, 4), *neighbour = malloc(729 * 26 * 4);
    assert_int_equal(thaw_order_dissect(whole, order, NULL), THAW_OK);
    for (int32_t i = 0; i < 729; i++)
        id[i] = i % 9 < 4 && i / 9 % 9 < 5 ? count++ : -1;
    thaw_order_restrict(729, order, id, restricted);
    int32_t end = 0;
    for (int32_t i = 0; i < 729; i++) {
        if (id[i] < 0)
            continue;
        offset[id[i]] = end;
        for (int32_t j = 0; j < 729; j++)
            if (id[j] >= 0 && i != j && thaw_block_find(whole, i > j ? i : j, i > j ? j : i) >= 0)
                neighbour[end++] = id[j];
        offset[id[i] + 1] = end;
    }
    assert_int_equal(thaw_block_pattern_create(count, 3, offset, neighbour, &pattern, NULL), THAW_OK);
    Matrix m = make_matrix(pattern, 1.0, 0, &seed);
    Setup s = set_up(&m, restricted, NULL, &seed), anew = set_up(&m, NULL, NULL, &seed);
    assert_int_equal(thaw_ldl_factor(s.ldl, &m.A, NULL), THAW_OK);
    assert_int_equal(thaw_ldl_solve(s.ldl, s.b, s.x), THAW_OK);
    assert_true(backward_error(&m, s.b, s.x) < 1e-13);
    assert_true(thaw_ldl_plan_cost(s.plan).flops < 2 * thaw_ldl_plan_cost(anew.plan).flops);
    tear_down(&s);
    tear_down(&anew);
    free_matrix(&m);
    thaw_block_pattern_free(&whole);
    free(order);
    free(id);
    free(restricted);
    free(offset);
    free(neighbour);
}

static void the_solver_interface_serves_it_and_auto_needs_no_other_library(void **state) {
    (void)state;
    Seed seed = 14;
    const ThawSolverKind kinds[] = {THAW_SOLVER_LDL, THAW_SOLVER_AUTO};
    const int32_t cells[4][3] = {{30, 2, 2}, {5, 5, 5}, {12, 12, 1}, {1, 1, 1}};
    for (int k = 0; k < 8; k++) {
        const int32_t *c = cells[k / 2];
        Matrix m = make_matrix(box_pattern(c[0], c[1], c[2]), 0.1, 0, &seed);
        ThawSolverPlan *plan;
        ThawSolver *solver;
        ThawError error;
        assert_int_equal(thaw_solver_plan_create(kinds[k % 2], m.pattern, &plan, &error), THAW_OK);
        assert_true(thaw_solver_plan_kind(plan) == THAW_SOLVER_LDL ||
                    (k % 2 && thaw_solver_plan_kind(plan) == THAW_SOLVER_PCG));
        assert_int_equal(thaw_solver_create(plan, NULL, &solver, &error), THAW_OK);
        double *value = thaw_solver_matrix(solver)->value, *b = calloc((size_t)m.size, 8),
               *x = calloc((size_t)m.size, 8);
        memcpy(value, m.A.value, (size_t)m.pattern->row[m.pattern->n] * 9 * sizeof *value);
        for (int32_t i = 0; i < m.size; i++)
            b[i] = next_random(&seed);
        ThawSolveInfo info;
        assert_int_equal(thaw_solver_factor(solver), THAW_OK);
        assert_int_equal(thaw_solver_solve(solver, b, x, 1e-10, &info), THAW_OK);
        assert_true(info.residual <= 1e-10 && backward_error(&m, b, x) < 1e-10);
        assert_true(thaw_solver_bytes(solver) > (size_t)m.size * sizeof *x);
        if (kinds[k % 2] == THAW_SOLVER_LDL) {
            value[0] = -1;
            assert_int_equal(thaw_solver_factor(solver), THAW_INDEFINITE);
        }
        free(b);
        free(x);
        thaw_solver_free(&solver);
        thaw_solver_plan_free(&plan);
        free_matrix(&m);
    }
}

static void wrong_arguments_are_named(void **state) {
    (void)state;
    Seed seed = 13;
    ThawBlockPattern *pattern = random_pattern(4, 3, 2, &seed);
    ThawLdlPlan *plan;
    ThawError error;
    const int32_t twice[] = {0, 1, 1, 2}, outside[] = {0, 1, 2, 4};
    assert_int_equal(thaw_ldl_plan_create(pattern, twice, &plan, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "order[2] is 1"));
    assert_int_equal(thaw_ldl_plan_create(pattern, outside, &plan, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "order[3] is 4"));
    pattern->bs = 9;
    assert_int_equal(thaw_ldl_plan_create(pattern, NULL, &plan, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "bs is 9"));
    assert_null(plan);
    thaw_ldl_plan_free(&plan);
    thaw_ldl_plan_free(NULL);
    thaw_ldl_free(NULL);
    thaw_block_pattern_free(&pattern);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_answer_is_that_of_dense_elimination_for_every_block_size),
        cmocka_unit_test(residuals_and_inertia_of_ten_thousand_random_matrices_are_right),
        cmocka_unit_test(a_bad_pivot_is_reported_with_its_block),
        cmocka_unit_test(a_saddle_point_with_a_zero_block_is_factored_in_its_own_order),
        cmocka_unit_test(the_bits_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(the_bits_are_those_of_every_other_build),
        cmocka_unit_test(a_refactorisation_has_the_bits_of_a_new_one),
        cmocka_unit_test(a_halved_factor_has_seven_digits_and_the_next_one_all),
        cmocka_unit_test(a_factor_with_uneven_pivots_is_not_halved),
        cmocka_unit_test(many_sides_are_solved_like_one),
        cmocka_unit_test(sparse_sides_give_the_wanted_rows),
        cmocka_unit_test(the_response_of_contacts_is_that_of_the_dense_inverse),
        cmocka_unit_test(contacts_beyond_the_room_for_their_sides_meet_in_turns),
        cmocka_unit_test(diagonal_blocks_of_the_inverse_are_those_of_the_dense_one),
        cmocka_unit_test(an_order_can_be_restricted_to_active_rows),
        cmocka_unit_test(the_solver_interface_serves_it_and_auto_needs_no_other_library),
        cmocka_unit_test(wrong_arguments_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
