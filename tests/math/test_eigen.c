// SPDX-License-Identifier: Apache-2.0
// Eigenvalues of symmetric 2x2 and 3x3 matrices, and the 3x3 lane helpers.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "math/decompose.h"
#include "math/mat3.h"

static double next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-52 - 1; // in [-1, 1)
}

// The largest violation of S = Q diag(w) Q', Q'Q = I, det Q = 1 and the order of w, relative to the largest entry.
static double eigen_error(int n, const double *S, const double *w, const double *Q) {
    double worst = 0, largest = 0;
    for (int i = 0; i < n * n; i++)
        largest = fmax(largest, fabs(S[i]));
    largest = largest > 0 ? largest : 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double dot = 0, sum = 0;
            for (int k = 0; k < n; k++) {
                dot += Q[k + n * i] * Q[k + n * j];
                sum += Q[i + n * k] * (w[k] / largest) * Q[j + n * k];
            }
            worst = fmax(worst, fmax(fabs(dot - (i == j)), fabs(sum - S[i + n * j] / largest)));
        }
    double det = n == 2 ? Q[0] * Q[3] - Q[1] * Q[2]
                        : Q[0] * (Q[4] * Q[8] - Q[5] * Q[7]) - Q[3] * (Q[1] * Q[8] - Q[2] * Q[7]) +
                              Q[6] * (Q[1] * Q[5] - Q[2] * Q[4]);
    worst = fmax(worst, fabs(det - 1));
    for (int i = 0; i + 1 < n; i++)
        if (!(w[i] >= w[i + 1]))
            return INFINITY;
    return worst;
}

static double error3(const double S[9]) {
    double w[3], Q[9];
    thaw_eigen_sym3(S, w, Q);
    return eigen_error(3, S, w, Q);
}

static void symmetric(uint64_t *seed, int n, double scale, double *S) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            S[i + n * j] = S[j + n * i] = scale * next_random(seed);
}

static void random_symmetric_matrices_are_rebuilt(void **state) {
    (void)state;
    uint64_t seed = 1;
    double S[9];
    for (int n = 0; n < 50000; n++) {
        symmetric(&seed, 3, 1, S);
        assert_true(error3(S) < 1e-14);
    }
}

static void special_symmetric_matrices_are_rebuilt(void **state) {
    (void)state;
    const double three[][9] = {
        {0},
        {1, 0, 0, 0, 1, 0, 0, 0, 1},
        {1, 1, 1, 1, 1, 1, 1, 1, 1},
        {0, 1, 0, 1, 0, 0, 0, 0, 0},
        {0, 1, 1, 1, 0, 1, 1, 1, 0},
        {1, 0, 0, 0, 2, 0, 0, 0, 3},
        {-1, 1e-20, 0, 1e-20, -1, 1e-200, 0, 1e-200, -1},
        {1e308, 1e308, 0, 1e308, -1e308, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof three / sizeof *three; i++)
        assert_true(error3(three[i]) < 1e-14);
    uint64_t seed = 2;
    double S[9];
    for (int n = 0; n < 5000; n++) {
        symmetric(&seed, 3, 1e-290, S);
        assert_true(error3(S) < 1e-14);
    }
}

static void only_the_lower_triangle_is_read(void **state) {
    (void)state;
    const double full[9] = {4, 1, 2, 1, 5, 3, 2, 3, 6}, lower[9] = {4, 1, 2, NAN, 5, 3, NAN, NAN, 6};
    double w[3], Q[9], w_lower[3], Q_lower[9];
    thaw_eigen_sym3(full, w, Q);
    thaw_eigen_sym3(lower, w_lower, Q_lower);
    assert_memory_equal(w, w_lower, sizeof w);
    assert_memory_equal(Q, Q_lower, sizeof Q);
}

static double difference(const ThawLanes A[9], const ThawLanes B[9]) {
    double worst = 0;
    for (int i = 0; i < 9; i++)
        for (int l = 0; l < THAW_LANES; l++)
            worst = fmax(worst, fabs(A[i][l] - B[i][l]));
    return worst;
}

static void lane_matrices_obey_the_laws_of_algebra(void **state) {
    (void)state;
    uint64_t seed = 3;
    ThawLanes A[9], B[9], G[9], T[9], X[9], Y[9], Z[9];
    for (int i = 0; i < 9; i++)
        for (int l = 0; l < THAW_LANES; l++) {
            A[i][l] = next_random(&seed);
            B[i][l] = next_random(&seed);
        }
    // A' cof A = det A I
    ThawLanes det = thaw_lanes_det3(A);
    thaw_lanes_cofactor3(A, G);
    thaw_lanes_product3_tn(A, G, X);
    for (int i = 0; i < 9; i++)
        Y[i] = i % 4 == 0 ? det : thaw_lanes_set(0);
    assert_true(difference(X, Y) < 1e-14);
    // (A B)' = B' A', by way of each product
    thaw_lanes_product3(A, B, X);
    thaw_lanes_transpose3(X, Y);
    thaw_lanes_transpose3(A, T);
    thaw_lanes_product3_tn(B, T, Z);
    assert_true(difference(Y, Z) < 1e-15);
    thaw_lanes_product3_nt(A, A, X);
    thaw_lanes_product3(A, T, Y);
    assert_true(difference(X, Y) < 1e-15);
    // det is positive for some and negative for others, so nothing above was trivially zero
    int positive = 0;
    for (int l = 0; l < THAW_LANES; l++)
        positive += det[l] > 0;
    assert_in_range(positive, 1, THAW_LANES - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_symmetric_matrices_are_rebuilt),
        cmocka_unit_test(special_symmetric_matrices_are_rebuilt),
        cmocka_unit_test(only_the_lower_triangle_is_read),
        cmocka_unit_test(lane_matrices_obey_the_laws_of_algebra),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
