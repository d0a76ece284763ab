// SPDX-License-Identifier: Apache-2.0
// y = A x from the lower triangle. A block (i, j) is read once and used twice, for y_i and for y_j: the product runs at
// memory speed, so this halves its time. Rows scatter into their own slab and the one before, so the even slabs run at
// once, then the odd ones (slabs.c); the order of all additions is fixed by the pattern.
//
// Blocks of 2 and 3 use the same code with a constant size. Vectors are packed to four doubles a row: a store of one
// row never overlaps the next row's load, which would stall.
#include "sparse/sparse_impl.h"

void thaw_vector_pack(int32_t n, int bs, const double *from, double *packed) {
    for (int32_t i = 0; i < n; i++)
        for (int k = 0; k < THAW_STRIDE; k++)
            packed[THAW_STRIDE * (size_t)i + k] = k < bs ? from[bs * (size_t)i + k] : 0.0;
}

void thaw_vector_unpack(int32_t n, int bs, const double *packed, double *to) {
    for (int32_t i = 0; i < n; i++)
        for (int k = 0; k < bs; k++)
            to[bs * (size_t)i + k] = packed[THAW_STRIDE * (size_t)i + k];
}

THAW_INLINE double multiply_rows(int bs, const ThawBlockMatrix *matrix, int32_t first, int32_t last, const double *x,
                                 double *y) {
    const int32_t *row = matrix->pattern->row, *col = matrix->pattern->col;
    ThawV4 share = {0, 0, 0, 0};
    for (int32_t i = first; i < last; i++) {
        const double *a = matrix->value + (size_t)row[i] * bs * bs;
        const double *xi = x + THAW_STRIDE * (size_t)i;
        ThawV4 sum[3] = {{0}}, own[3] = {{0}}, xi_spread[3];
        for (int k = 0; k < bs; k++)
            xi_spread[k] = thaw_v4_spread(bs, xi[k]);
        for (int32_t e = row[i]; e < row[i + 1] - 1; e++, a += bs * bs) {
            size_t j = THAW_STRIDE * (size_t)col[e];
            ThawV4 xj = thaw_v4_load(x + j), yj = thaw_v4_load(y + j);
            for (int k = 0; k < bs; k++) {
                ThawV4 ak = thaw_v4_load(a + bs * k);
                sum[k] += ak * xj;
                yj += ak * xi_spread[k];
            }
            thaw_v4_store(y + j, yj);
        }
        ThawV4 xi_all = thaw_v4_load(xi);
        for (int k = 0; k < bs; k++)
            own[k] = thaw_v4_load(a + bs * k) * xi_all;
        ThawV4 off = thaw_v4_sums(sum[0], sum[1], sum[2]);
        ThawV4 diagonal = thaw_v4_sums(own[0], own[1], own[2]);
        double *yi = y + THAW_STRIDE * (size_t)i;
        thaw_v4_store(yi, thaw_v4_load(yi) + (off + diagonal));
        // x'Ax = sum_i x_i' (2 sum_{j<i} A_ij x_j + A_ii x_i)
        share += xi_all * (off + off + diagonal);
    }
    return thaw_v4_sum(share);
}

double thaw_block_multiply_rows(const ThawBlockMatrix *matrix, int32_t first, int32_t last, const double *x,
                                double *y) {
    return matrix->pattern->bs == 3 ? multiply_rows(3, matrix, first, last, x, y)
                                    : multiply_rows(2, matrix, first, last, x, y);
}

typedef struct Product {
    ThawSolver *solver;
    const double *x;
    double *y;
} Product;

static void multiply_even(void *context, int32_t index) {
    Product *product = context;
    const ThawSlabs *slabs = &product->solver->plan->slabs;
    int32_t s = 2 * index, first, last;
    thaw_slabs_opening(slabs, s, &first, &last);
    memset(product->y + THAW_STRIDE * (size_t)first, 0, THAW_STRIDE * (size_t)(last - first) * sizeof(double));
    thaw_block_multiply_rows(&product->solver->matrix, slabs->start[s], slabs->start[s + 1], product->x, product->y);
}

static void multiply_odd(void *context, int32_t index) {
    Product *product = context;
    const ThawSlabs *slabs = &product->solver->plan->slabs;
    int32_t s = 2 * index + 1;
    thaw_block_multiply_rows(&product->solver->matrix, slabs->start[s], slabs->start[s + 1], product->x, product->y);
}

void thaw_solver_multiply_packed(ThawSolver *solver, const double *x, double *y) {
    Product product = {solver, x, y};
    const ThawSlabs *slabs = &solver->plan->slabs;
    thaw_tasks_for(solver->tasks, thaw_slabs_phase(slabs, 0), multiply_even, &product);
    thaw_tasks_for(solver->tasks, thaw_slabs_phase(slabs, 1), multiply_odd, &product);
}

void thaw_solver_multiply(ThawSolver *solver, const double *x, double *y) {
    const ThawBlockPattern *pattern = solver->plan->pattern;
    thaw_vector_pack(pattern->n, pattern->bs, x, solver->p);
    thaw_solver_multiply_packed(solver, solver->p, solver->q);
    thaw_vector_unpack(pattern->n, pattern->bs, solver->q, y);
}
