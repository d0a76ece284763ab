// SPDX-License-Identifier: Apache-2.0
// The exponential of eight doubles against the C library's.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/lanes.h"

static void is_within_an_ulp_or_two(void **state) {
    (void)state;
    double worst = 0;
    for (int n = 0; n < 140000; n++) {
        const double x = (n % 2 ? 0.02 : 1) * (n / 100.0 - 700);
        const double y = thaw_lanes_exp(thaw_lanes_set(x))[n % THAW_LANES];
        worst = fmax(worst, fabs(y / exp(x) - 1));
    }
    assert_true(worst < 4e-16);
}

static void is_one_at_zero_and_bounded(void **state) {
    (void)state;
    assert_true(thaw_lanes_exp(thaw_lanes_set(0))[0] == 1);
    assert_true(thaw_lanes_exp(thaw_lanes_set(1e9))[0] == thaw_lanes_exp(thaw_lanes_set(700))[0]);
    assert_true(thaw_lanes_exp(thaw_lanes_set(-INFINITY))[0] > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_within_an_ulp_or_two),
                                       cmocka_unit_test(is_one_at_zero_and_bounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
