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
}

static void a_drop_ends_the_same_each_time(void **state) {
    (void)state;
    assert_true(drop_run(7).hash == drop_run(7).hash);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hundred_random_drops_stay_in_their_box),
        cmocka_unit_test(a_drop_ends_the_same_each_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
