// SPDX-License-Identifier: Apache-2.0
// What the entries of integrators say of themselves, against their own stages.
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "registry/scheme.h"

static void assert_close(double a, double b, double tolerance) { assert_true(fabs(a - b) <= tolerance); }

// A step of y' = i omega y, z = omega h, by the stages: what y = 1 becomes.
static double complex step_by_stages(const ThawScheme *scheme, double z) {
    const double complex start = 1;
    double complex y = start;
    for (const ThawSchemeStage *s = scheme->stages; s < scheme->stages + scheme->stage_count; s++) {
        double complex begin = s->first * start + s->before * y;
        if (s->explicit_half)
            begin += s->implicit * I * z * start;
        y = begin / (1 - s->implicit * I * z);
    }
    return y;
}

static void a_vibration_keeps_what_the_stages_leave_of_it(void **state) {
    (void)state;
    for (int i = 0; i < THAW_INTEGRATOR_COUNT; i++)
        for (double z = 1e-3; z < 1e3; z *= 1.7) {
            const ThawScheme *scheme = thaw_scheme((ThawIntegrator)i);
            double angle;
            const double kept = scheme->vibrate(z, &angle);
            const double complex y = step_by_stages(scheme, z);
            assert_close(kept, cabs(y), 1e-14);
            assert_true(cabs(kept * cexp(I * angle) - y) < 1e-14);
        }
}

static void the_order_is_that_of_the_error(void **state) {
    (void)state;
    for (int i = 0; i < THAW_INTEGRATOR_COUNT; i++) {
        const ThawScheme *scheme = thaw_scheme((ThawIntegrator)i);
        const double z = 1e-2, coarse = cabs(step_by_stages(scheme, z) - cexp(I * z)),
                     fine = cabs(step_by_stages(scheme, z / 2) - cexp(I * z / 2));
        assert_close(log2(coarse / fine), scheme->order + 1, 0.02);
        assert_true(scheme->cost >= 1);
    }
}

static void the_energy_that_is_kept_is_that_of_all_steps_of_a_period(void **state) {
    (void)state;
    for (int i = 0; i < THAW_INTEGRATOR_COUNT; i++) {
        const ThawScheme *scheme = thaw_scheme((ThawIntegrator)i);
        double angle, z = 0.3, kept = scheme->vibrate(z, &angle);
        assert_close(thaw_scheme_energy_kept(scheme, z, 7 * angle), pow(kept, 14), 1e-14);
    }
    double angle; // docs/motion.md: the loss of amplitude in 16 steps that make up a period
    assert_close(1 - pow(thaw_scheme_in_frames(2)->vibrate(2 * M_PI / 16, &angle), 16), 1.363e-3, 5e-7);
}

static void what_a_step_falls_back_to_is_of_the_same_kind_and_damps_more(void **state) {
    (void)state;
    int any = 0;
    for (int i = 0; i < THAW_INTEGRATOR_COUNT; i++) {
        const ThawScheme *scheme = thaw_scheme((ThawIntegrator)i), *fallback = thaw_scheme_fallback(scheme);
        double angle;
        any += fallback != NULL;
        if (!fallback)
            continue;
        assert_int_equal(fallback->newton, scheme->newton);
        assert_int_equal(fallback->follows, scheme->follows);
        assert_null(thaw_scheme_fallback(fallback));
        for (double z = 0.1; z < 100; z *= 2)
            assert_true(fallback->vibrate(z, &angle) < scheme->vibrate(z, &angle));
    }
    assert_true(any > 0);
}

static void the_cheapest_in_frames_has_the_order_asked_for(void **state) {
    (void)state;
    for (int order = 1; order <= 2; order++) {
        const ThawScheme *best = thaw_scheme_in_frames(order);
        assert_true(best->follows && best->order >= order);
        for (int i = 0; i < THAW_INTEGRATOR_COUNT; i++) {
            const ThawScheme *other = thaw_scheme((ThawIntegrator)i);
            assert_true(!other->follows || other->order < order || other->cost >= best->cost);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vibration_keeps_what_the_stages_leave_of_it),
        cmocka_unit_test(the_order_is_that_of_the_error),
        cmocka_unit_test(the_energy_that_is_kept_is_that_of_all_steps_of_a_period),
        cmocka_unit_test(what_a_step_falls_back_to_is_of_the_same_kind_and_damps_more),
        cmocka_unit_test(the_cheapest_in_frames_has_the_order_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
