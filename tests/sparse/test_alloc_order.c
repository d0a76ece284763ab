// SPDX-License-Identifier: Apache-2.0
// Every allocation of the orders of elimination is made to fail once.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sparse/ldl.h"
#include "support/memory.h"

static void an_order_without_memory_says_so(void **state) {
    (void)state;
    enum { SIDE = 24, N = SIDE * SIDE };
    int32_t offset[N + 1] = {0}, neighbour[4 * N], order[N], end = 0;
    for (int32_t i = 0; i < N; i++) {
        const int32_t near[4] = {i % SIDE ? i - 1 : -1, i % SIDE < SIDE - 1 ? i + 1 : -1, i - SIDE,
                                 i + SIDE < N ? i + SIDE : -1};
        for (int k = 0; k < 4; k++)
            if (near[k] >= 0)
                neighbour[end++] = near[k];
        offset[i + 1] = end;
    }
    ThawBlockPattern *pattern;
    assert_int_equal(thaw_block_pattern_create(N, 3, offset, neighbour, &pattern, NULL), THAW_OK);
    ThawStatus (*method[])(const ThawBlockPattern *, int32_t *, ThawError *) = {thaw_order_dissect, thaw_order_sketch,
                                                                                thaw_order_degree};
    for (int k = 0; k < 3; k++) {
        int64_t failures = 0;
        for (ThawStatus status = THAW_ERROR_MEMORY; status != THAW_OK; failures++) {
            ThawError error = {0};
            until_failure = failures;
            status = method[k](pattern, order, &error);
            until_failure = -1;
            assert_true(status == THAW_OK || status == THAW_ERROR_MEMORY);
            if (status != THAW_OK)
                assert_non_null(strstr(error.message, "memory"));
        }
        print_message("%d allocations\n", (int)failures);
        assert_true(failures > (k == 0 ? 50 : k == 1 ? 20 : 3));
    }
    thaw_block_pattern_free(&pattern);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_order_without_memory_says_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
