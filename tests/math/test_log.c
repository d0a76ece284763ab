// SPDX-License-Identifier: Apache-2.0
// The logarithm of eight doubles against the C library's.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "math/lanes.h"

static uint64_t next_random(uint64_t *state) {
    *state += 0x9e3779b97f4a7c15u;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// How many doubles lie between a and b.
static int64_t distance(double a, double b) {
    int64_t i, j;
    memcpy(&i, &a, sizeof i);
    memcpy(&j, &b, sizeof j);
    i = i < 0 ? INT64_MIN - i : i;
    j = j < 0 ? INT64_MIN - j : j;
    return i > j ? i - j : j - i;
}

static int64_t worst_distance(int count, double (*pick)(uint64_t random)) {
    uint64_t state = 7;
    int64_t worst = 0;
    for (int n = 0; n < count; n += THAW_LANES) {
        ThawLanes x;
        for (int i = 0; i < THAW_LANES; i++)
            x[i] = pick(next_random(&state));
        ThawLanes y = thaw_lanes_log(x);
        for (int i = 0; i < THAW_LANES; i++) {
            int64_t d = distance(y[i], log(x[i]));
            worst = d > worst ? d : worst;
        }
    }
    return worst;
}

// Every positive finite double is equally likely, subnormal ones included.
static double pick_any(uint64_t random) {
    uint64_t bits = random % 0x7ff0000000000000u;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x > 0 ? x : 1;
}

static double pick_near_one(uint64_t random) { return 0.5 + (double)(random >> 11) * 0x1p-53; }

static double pick_very_near_one(uint64_t random) { return 1 + ((double)(random >> 11) * 0x1p-53 - 0.5) * 1e-5; }

static double pick_subnormal(uint64_t random) {
    uint64_t bits = (random >> 12) | 1;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void logarithms_of_any_size_are_within_two_units_in_the_last_place(void **state) {
    (void)state;
    assert_in_range(worst_distance(1000000, pick_any), 0, 2);
    assert_in_range(worst_distance(200000, pick_subnormal), 0, 2);
}

static void logarithms_near_one_are_within_two_units_in_the_last_place(void **state) {
    (void)state;
    assert_in_range(worst_distance(1000000, pick_near_one), 0, 2);
    assert_in_range(worst_distance(1000000, pick_very_near_one), 0, 2);
}

static void special_values_have_the_usual_logarithms(void **state) {
    (void)state;
    ThawLanes y = thaw_lanes_log((ThawLanes){1, 0, -0.0, -1, -INFINITY, INFINITY, NAN, 0x1p-1074});
    assert_true(y[0] == 0);
    assert_true(y[1] == -INFINITY);
    assert_true(y[2] == -INFINITY);
    assert_true(isnan(y[3]));
    assert_true(isnan(y[4]));
    assert_true(y[5] == INFINITY);
    assert_true(isnan(y[6]));
    assert_true(fabs(y[7] - log(0x1p-1074)) < 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logarithms_of_any_size_are_within_two_units_in_the_last_place),
        cmocka_unit_test(logarithms_near_one_are_within_two_units_in_the_last_place),
        cmocka_unit_test(special_values_have_the_usual_logarithms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
