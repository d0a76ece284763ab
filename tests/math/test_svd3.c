// SPDX-License-Identifier: Apache-2.0
// The 3x3 singular value decomposition: what it promises, for every kind of matrix.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "math/decompose.h"

static double next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-52 - 1; // in [-1, 1)
}

static double determinant(const double A[9]) {
    return A[0] * (A[4] * A[8] - A[5] * A[7]) - A[3] * (A[1] * A[8] - A[2] * A[7]) + A[6] * (A[1] * A[5] - A[2] * A[4]);
}

static double rotation_error(const double Q[9]) {
    double worst = fabs(determinant(Q) - 1);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double dot = Q[3 * i] * Q[3 * j] + Q[3 * i + 1] * Q[3 * j + 1] + Q[3 * i + 2] * Q[3 * j + 2];
            worst = fmax(worst, fabs(dot - (i == j)));
        }
    return worst;
}

// The largest violation of any promise, relative to the largest entry of F.
static double svd_error(const double F[9]) {
    double U[9], s[3], V[9], largest = 0;
    thaw_svd3(F, U, s, V);
    for (int i = 0; i < 9; i++)
        largest = fmax(largest, fabs(F[i]));
    double worst = fmax(rotation_error(U), rotation_error(V));
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += U[i + 3 * k] * (largest > 0 ? s[k] / largest : s[k]) * V[j + 3 * k];
            worst = fmax(worst, fabs(sum - (largest > 0 ? F[i + 3 * j] / largest : 0)));
        }
    if (!(s[0] >= s[1] && s[1] >= 0 && s[1] * (1 + 1e-14) >= fabs(s[2])))
        return INFINITY;
    return worst == worst ? worst : INFINITY;
}

static void rank_one(uint64_t *seed, double F[9]) {
    double a[3], b[3];
    for (int i = 0; i < 3; i++)
        a[i] = next_random(seed), b[i] = next_random(seed);
    for (int i = 0; i < 9; i++)
        F[i] = a[i % 3] * b[i / 3];
}

static void random_matrices_are_rebuilt_from_rotations(void **state) {
    (void)state;
    uint64_t seed = 1;
    double worst = 0, F[9];
    for (int n = 0; n < 100000; n++) {
        for (int i = 0; i < 9; i++)
            F[i] = next_random(&seed);
        worst = fmax(worst, svd_error(F));
    }
    assert_true(worst < 1e-14);
}

static void matrices_near_a_rotation_have_values_near_one(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (int n = 0; n < 20000; n++) {
        double F[9], U[9], s[3], V[9];
        for (int i = 0; i < 9; i++)
            F[i] = (i % 4 == 0) + 1e-9 * next_random(&seed);
        assert_true(svd_error(F) < 1e-14);
        thaw_svd3(F, U, s, V);
        assert_true(fabs(s[0] - 1) < 1e-8 && fabs(s[2] - 1) < 1e-8);
    }
}

static void singular_matrices_still_give_rotations(void **state) {
    (void)state;
    uint64_t seed = 3;
    double F[9], G[9];
    for (int n = 0; n < 20000; n++) {
        rank_one(&seed, F);
        assert_true(svd_error(F) < 1e-14);
        rank_one(&seed, G);
        for (int i = 0; i < 9; i++)
            F[i] += G[i];
        assert_true(svd_error(F) < 1e-14);
        for (int i = 0; i < 9; i++)
            F[i] = i == n % 9 ? next_random(&seed) : 0;
        assert_true(svd_error(F) < 1e-14);
    }
}

static void zero_gives_the_identity(void **state) {
    (void)state;
    double F[9] = {0}, U[9], s[3], V[9];
    thaw_svd3(F, U, s, V);
    for (int i = 0; i < 9; i++)
        assert_true(U[i] == (i % 4 == 0) && V[i] == (i % 4 == 0));
    assert_true(s[0] == 0 && s[1] == 0 && s[2] == 0);
}

static void the_identity_is_exact(void **state) {
    (void)state;
    const double F[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double U[9], s[3], V[9];
    thaw_svd3(F, U, s, V);
    assert_memory_equal(U, F, sizeof F);
    assert_memory_equal(V, F, sizeof F);
    assert_true(s[0] == 1 && s[1] == 1 && s[2] == 1);
}

static void huge_tiny_and_graded_matrices_are_served(void **state) {
    (void)state;
    const double sizes[] = {3e307, 1e160, 1e-160, 1e-300, 1e-310, 4.9e-322};
    uint64_t seed = 4;
    double F[9];
    for (int n = 0; n < 3000; n++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            for (int i = 0; i < 9; i++)
                F[i] = sizes[k] * (i == n % 9 ? 1 : next_random(&seed));
            // Singular values of subnormal size are themselves rounded to the smallest double.
            assert_true(svd_error(F) < (sizes[k] < 1e-305 ? 1e-14 + 2 * 0x1p-1074 / sizes[k] : 1e-14));
        }
    for (int n = 0; n < 20000; n++) {
        for (int i = 0; i < 9; i++)
            F[i] = next_random(&seed) * pow(10, 200 * next_random(&seed));
        assert_true(svd_error(F) < 1e-14);
        for (int i = 0; i < 9; i++)
            F[i] = next_random(&seed) * pow(10, 20 * next_random(&seed));
        assert_true(svd_error(F) < 1e-14);
    }
}

static void repeated_values_are_served(void **state) {
    (void)state;
    uint64_t seed = 5;
    const double values[][3] = {{2, 2, 2}, {2, 2, 1}, {2, 1, 1}, {2, 1, -1}, {1, 1, -1}, {1, 1, 0}, {1, 1e-9, 1e-9}};
    for (int n = 0; n < 2000; n++)
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            double A[9], F[9], U[9], V[9], s[3];
            for (int i = 0; i < 9; i++)
                A[i] = next_random(&seed);
            thaw_svd3(A, U, s, V);
            for (int i = 0; i < 9; i++) {
                F[i] = 0;
                for (int m = 0; m < 3; m++)
                    F[i] += U[i % 3 + 3 * m] * values[k][m] * V[i / 3 + 3 * m];
            }
            assert_true(svd_error(F) < 1e-14);
            thaw_svd3(F, U, s, V);
            for (int m = 0; m < 3; m++)
                assert_true(fabs(s[m] - values[k][m]) < 1e-14);
        }
}

static void the_last_value_carries_the_sign_of_the_determinant(void **state) {
    (void)state;
    uint64_t seed = 6;
    for (int n = 0; n < 20000; n++) {
        double F[9], U[9], V[9], s[3];
        for (int i = 0; i < 9; i++)
            F[i] = next_random(&seed);
        double det = determinant(F);
        thaw_svd3(F, U, s, V);
        assert_true(fabs(s[0] * s[1] * s[2] - det) < 1e-14);
        if (fabs(det) > 1e-10)
            assert_true((s[2] < 0) == (det < 0));
    }
}

static void small_values_keep_their_digits(void **state) {
    (void)state;
    // det = 1e-12 exactly representable structure: columns of very different length
    const double F[9] = {1, 1, 0, 1e-9, -1e-9, 0, 0, 0, 1e-12};
    double U[9], V[9], s[3];
    thaw_svd3(F, U, s, V);
    assert_true(fabs(s[0] / sqrt(2) - 1) < 1e-15);
    assert_true(fabs(s[1] / (1e-9 * sqrt(2)) - 1) < 1e-15);
    assert_true(fabs(s[2] / -1e-12 - 1) < 1e-15);
}

static void a_lane_does_not_see_its_neighbours(void **state) {
    (void)state;
    uint64_t seed = 8;
    for (int n = 0; n < 2000; n++) {
        ThawLanes F[9], U[9], s[3], V[9];
        for (int i = 0; i < 9; i++)
            for (int l = 0; l < THAW_LANES; l++)
                F[i][l] = l == 0 ? (i % 4 == 0) : l == 1 ? 0 : l == 2 ? NAN : next_random(&seed);
        thaw_lanes_svd3(F, U, s, V);
        for (int l = 0; l < THAW_LANES; l++) {
            double F1[9], U1[9], s1[3], V1[9];
            if (l == 2)
                continue;
            for (int i = 0; i < 9; i++)
                F1[i] = F[i][l];
            thaw_svd3(F1, U1, s1, V1);
            for (int i = 0; i < 9; i++)
                assert_true(U1[i] == U[i][l] && V1[i] == V[i][l]);
            for (int i = 0; i < 3; i++)
                assert_true(s1[i] == s[i][l]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices_are_rebuilt_from_rotations),
        cmocka_unit_test(matrices_near_a_rotation_have_values_near_one),
        cmocka_unit_test(singular_matrices_still_give_rotations),
        cmocka_unit_test(zero_gives_the_identity),
        cmocka_unit_test(the_identity_is_exact),
        cmocka_unit_test(huge_tiny_and_graded_matrices_are_served),
        cmocka_unit_test(repeated_values_are_served),
        cmocka_unit_test(the_last_value_carries_the_sign_of_the_determinant),
        cmocka_unit_test(small_values_keep_their_digits),
        cmocka_unit_test(a_lane_does_not_see_its_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
