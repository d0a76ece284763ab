// SPDX-License-Identifier: Apache-2.0
// Ten soft cubes on each other stand for a minute.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "contact_physics/stack.h"

static void ten_soft_cubes_stand_for_a_minute(void **state) {
    (void)state;
    stand(3, "semi-implicit", 200, 5800);
}

static void ten_soft_squares_stand_for_a_minute(void **state) {
    (void)state;
    stand(2, "semi-implicit", 200, 5800);
}

static void a_stack_stands_under_newton_too(void **state) {
    (void)state;
    stand(2, "newton", 200, 300);
    stand(3, "newton", 100, 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_soft_cubes_stand_for_a_minute),
        cmocka_unit_test(ten_soft_squares_stand_for_a_minute),
        cmocka_unit_test(a_stack_stands_under_newton_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
