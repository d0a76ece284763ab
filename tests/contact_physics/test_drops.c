// SPDX-License-Identifier: Apache-2.0
// A hundred of the ten thousand random drops (bench/drops.c does all).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "contact_physics/drops.h"

static void a_hundred_random_drops_stay_in_their_box(void **state) {
    (void)state;
    double depth = 0, residual = 0;
    long long contacts = 0, steps = 0, left = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        DropResult r = drop_run(seed);
        if (r.failed)
            fail_msg("drop %d (%dD, %d bodies, %s): %s, depth %.3g edges", (int)seed, r.dim, r.bodies, r.kind, r.why,
                     r.depth);
        depth = fmax(depth, r.depth);
        residual = fmax(residual, r.residual);
        contacts += r.contacts;
        steps += r.steps;
        left += r.left;
    }
    printf("%lld steps with %lld contacts; deepest %.3g edge lengths (bound %g); a residual was left in %lld steps, "
           "%.1e at worst\n",
           steps, contacts, depth, DROP_BOUND, left, residual);
    assert_int_equal(left, 0);
}

// Box friction, hard contacts, contacts that jam or hold by friction alone: what sweeps, Newton's method and the
// interior method once left, one after the other.
static void drops_that_were_hard_to_solve_leave_no_residual(void **state) {
    (void)state;
    static const uint64_t seeds[] = {776,  798,  1292, 1328, 1951, 2523, 2806, 3361,
                                     3365, 3870, 5351, 5737, 5893, 6542, 8089, 8434};
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        DropResult r = drop_run(seeds[i]);
        if (r.failed || r.left > 0)
            fail_msg("drop %d (%s): %s, residual %.1e left in %d steps", (int)seeds[i], r.kind, r.why, r.residual,
                     r.left);
    }
}

static void a_drop_ends_the_same_each_time(void **state) {
    (void)state;
    assert_true(drop_run(7).hash == drop_run(7).hash);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hundred_random_drops_stay_in_their_box),
        cmocka_unit_test(drops_that_were_hard_to_solve_leave_no_residual),
        cmocka_unit_test(a_drop_ends_the_same_each_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
