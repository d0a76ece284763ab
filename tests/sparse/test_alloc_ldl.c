// SPDX-License-Identifier: Apache-2.0
// Every allocation of the factorisation is made to fail once: the error must come out, the next try must succeed, and
// nothing may leak (the address sanitizer looks after that).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sparse/ldl.h"
#include "support/memory.h"

enum { N = 40 };

// A chain with a few loops; the Laplacian plus one.
static ThawBlockPattern *make_pattern(void) {
    int32_t offset[N + 1] = {0}, neighbour[4 * N], end = 0;
    for (int32_t i = 0; i < N; i++) {
        const int32_t to[] = {i - 1, i + 1, i - 7, i + 7};
        for (int k = 0; k < 4; k++)
            if (to[k] >= 0 && to[k] < N)
                neighbour[end++] = to[k];
        offset[i + 1] = end;
    }
    ThawBlockPattern *pattern;
    assert_int_equal(thaw_block_pattern_create(N, 3, offset, neighbour, &pattern, NULL), THAW_OK);
    return pattern;
}

static ThawStatus all_solves(ThawLdl *ldl, ThawBlockMatrix *A) {
    double b[3 * N * 5] = {1}, H[36 * 36] = {0}, blocks[9 * N], x[3];
    int32_t start[13], col[12], row[] = {3, 17};
    double value[9 * 12];
    for (int32_t i = 0; i <= 12; i++)
        start[i] = i;
    for (int32_t i = 0; i < 12; i++)
        col[i] = 2 * i;
    for (int32_t i = 0; i < 9 * 12; i++)
        value[i] = i % 4 == 0;
    ThawBlockRows J = {12, 3, start, col, value}, few = {12, 3, start, (int32_t[12]){0}, value};
    ThawStatus status = thaw_ldl_factor(ldl, A, NULL);
    if (status == THAW_OK)
        status = thaw_ldl_solve(ldl, b, b);
    if (status == THAW_OK)
        status = thaw_ldl_solve_many(ldl, 5, b, b, 3 * N);
    if (status == THAW_OK)
        status = thaw_ldl_solve_sparse(ldl, 1, row, b, 1, row + 1, x);
    if (status == THAW_OK)
        status = thaw_ldl_inverse_blocks(ldl, 2, row, blocks);
    if (status == THAW_OK)
        status = thaw_ldl_schur(ldl, &J, H, 36);
    if (status == THAW_OK)
        status = thaw_ldl_schur(ldl, &few, H, 36);
    return status;
}

static ThawStatus whole_life(const ThawBlockPattern *pattern, ThawBlockMatrix *A, ThawError *error) {
    ThawLdlPlan *plan = NULL;
    ThawLdl *ldl = NULL;
    ThawStatus status = thaw_ldl_plan_create(pattern, NULL, &plan, error);
    assert_true((plan == NULL) == (status != THAW_OK));
    if (status == THAW_OK) {
        status = thaw_ldl_create(plan, NULL, &ldl, error);
        assert_true((ldl == NULL) == (status != THAW_OK));
    }
    if (status == THAW_OK) {
        status = all_solves(ldl, A);
        if (status != THAW_OK) // a failed solve leaves the factor as good as new
            assert_int_equal(all_solves(ldl, A), THAW_OK);
    }
    thaw_ldl_free(&ldl);
    thaw_ldl_plan_free(&plan);
    return status;
}

static void every_failed_allocation_is_reported_and_nothing_leaks(void **state) {
    (void)state;
    ThawBlockPattern *pattern = make_pattern();
    ThawBlockMatrix A = {pattern, calloc(9 * (size_t)pattern->row[N] + 4, sizeof(double))};
    for (int32_t i = 0; i < N; i++)
        for (int32_t e = pattern->row[i]; e < pattern->row[i + 1]; e++)
            for (int k = 0; k < 3; k++)
                A.value[9 * e + 4 * k] = pattern->col[e] == i ? 5 : -1;
    ThawStatus status = THAW_ERROR_MEMORY;
    int failures = 0;
    for (; status != THAW_OK; failures++) {
        ThawError error = {0};
        until_failure = failures;
        status = whole_life(pattern, &A, &error);
        if (until_failure >= 0)
            assert_int_equal(status, THAW_OK);
        else
            assert_int_equal(status, THAW_ERROR_MEMORY);
        until_failure = -1;
        assert_true(failures < 1000);
    }
    assert_true(failures > 50);
    free(A.value);
    thaw_block_pattern_free(&pattern);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_failed_allocation_is_reported_and_nothing_leaks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
