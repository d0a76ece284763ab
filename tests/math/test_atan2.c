// SPDX-License-Identifier: Apache-2.0
// The angle of eight vectors against the C library's.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "math/lanes.h"
#include "step/sample.h"

static double angle_of(double y, double x) { return thaw_lanes_atan2(thaw_lanes_set(y), thaw_lanes_set(x))[3]; }

// In units of the last place of the larger of the two.
static double off(double a, double b) { return fabs(a - b) / (fmax(fabs(a), 0x1p-1000) * 0x1p-52); }

static void angles_are_within_two_units_in_the_last_place(void **state) {
    (void)state;
    uint64_t seed = 5;
    double worst = 0;
    for (int n = 0; n < 100000; n++) {
        ThawLanes x, y;
        for (int l = 0; l < THAW_LANES; l++) {
            x[l] = ldexp(sample_random(&seed), (int)(60 * sample_random(&seed)));
            y[l] = ldexp(sample_random(&seed), (int)(60 * sample_random(&seed)));
        }
        const ThawLanes angle = thaw_lanes_atan2(y, x);
        for (int l = 0; l < THAW_LANES; l++)
            worst = fmax(worst, off(atan2(y[l], x[l]), angle[l]));
    }
    assert_true(worst <= 2);
}

static void angles_near_the_seams_are_right(void **state) {
    (void)state;
    const double slopes[] = {0, 1e-300, 1e-9, 0x1.a827999fcef32p-2, 0x1.a827999fcef33p-2, 1, 0x1.0000000000001p0};
    double worst = 0;
    for (int i = 0; i < 7; i++)
        for (int turned = 0; turned < 8; turned++) {
            double y = turned & 1 ? 3 : 3 * slopes[i], x = turned & 1 ? 3 * slopes[i] : 3;
            y = turned & 2 ? -y : y;
            x = turned & 4 ? -x : x;
            worst = fmax(worst, off(atan2(y, x), angle_of(y, x)));
            assert_int_equal(signbit(atan2(y, x)), signbit(angle_of(y, x)));
        }
    assert_true(worst <= 2);
}

static void special_values_have_the_usual_angles(void **state) {
    (void)state;
    assert_true(angle_of(0, 0) == 0 && angle_of(0, 1) == 0 && angle_of(0, -1) == 0x1.921fb54442d18p+1);
    assert_true(angle_of(-0.0, -0.0) == -0x1.921fb54442d18p+1);
    assert_true(angle_of(1, 0) == 0x1.921fb54442d18p+0 && angle_of(-1, 0) == -0x1.921fb54442d18p+0);
    assert_true(angle_of(1, 1) == 0x1.921fb54442d18p-1);
    assert_true(isnan(angle_of(NAN, 1)) && isnan(angle_of(1, NAN)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(angles_are_within_two_units_in_the_last_place),
        cmocka_unit_test(angles_near_the_seams_are_right),
        cmocka_unit_test(special_values_have_the_usual_angles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
