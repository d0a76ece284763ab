// SPDX-License-Identifier: Apache-2.0
// Small dense symmetric matrices, row-major and full: a few hundred rows at most.
#ifndef THAW_DENSE_H
#define THAW_DENSE_H

// A (n x n, positive definite) becomes L, A = L L', in its lower triangle. 0: a pivot is not positive, or lost in
// rounding beside what it began as.
int thaw_dense_factor(int n, double *A);
// b = L'^-1 L^-1 b.
void thaw_dense_solve(int n, const double *L, double *b);
// A becomes its inverse, symmetric to the bit; L: n * n of scratch. 0: as above, and A is as it was.
int thaw_dense_invert(int n, double *A, double *L);
// C = A B.
void thaw_dense_product(int n, const double *A, const double *B, double *C);

#endif
