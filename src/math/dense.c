// SPDX-License-Identifier: Apache-2.0
// Cholesky's factor of small dense matrices, n^3 / 3 operations.
#include "math/dense.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double LOST = 1e-13; // of a diagonal entry: a pivot that is smaller is rounding

static double *row_of(double *A, int n, int i) { return A + (size_t)n * (size_t)i; }

int thaw_dense_factor(int n, double *A) {
    for (int i = 0; i < n; i++) {
        double *a = row_of(A, n, i);
        const double whole = a[i];
        for (int j = 0; j <= i; j++) {
            const double *b = row_of(A, n, j);
            double sum = a[j];
            for (int k = 0; k < j; k++)
                sum -= a[k] * b[k];
            if (j < i)
                a[j] = sum / b[j];
            else if (sum > LOST * whole)
                a[i] = sqrt(sum);
            else
                return 0;
        }
    }
    return 1;
}

void thaw_dense_solve(int n, const double *L, double *b) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            b[i] -= L[(size_t)n * (size_t)i + (size_t)k] * b[k];
        b[i] /= L[(size_t)n * (size_t)i + (size_t)i];
    }
    for (int i = n - 1; i >= 0; i--) {
        b[i] /= L[(size_t)n * (size_t)i + (size_t)i];
        for (int k = 0; k < i; k++)
            b[k] -= L[(size_t)n * (size_t)i + (size_t)k] * b[i];
    }
}

int thaw_dense_invert(int n, double *A, double *L) {
    memcpy(L, A, sizeof *L * (size_t)n * (size_t)n);
    if (!thaw_dense_factor(n, L))
        return 0;
    for (int i = 0; i < n; i++) {
        double *row = row_of(A, n, i);
        memset(row, 0, sizeof *row * (size_t)n);
        row[i] = 1;
        thaw_dense_solve(n, L, row);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            row_of(A, n, i)[j] = row_of(A, n, j)[i] = (row_of(A, n, i)[j] + row_of(A, n, j)[i]) / 2;
    return 1;
}

void thaw_dense_product(int n, const double *A, const double *B, double *C) {
    memset(C, 0, sizeof *C * (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                C[(size_t)n * (size_t)i + (size_t)j] +=
                    A[(size_t)n * (size_t)i + (size_t)k] * B[(size_t)n * (size_t)k + (size_t)j];
}
