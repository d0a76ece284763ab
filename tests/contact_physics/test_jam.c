// SPDX-License-Identifier: Apache-2.0
// Stiff bodies that jam: many contacts share the load of each, and nothing but their springs, a ten millionth of the
// body's own compliance, says how. The response must find that out all the same.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "physics/motion.h"
#include "support/world.h"

enum { BLOCKS = 10 };

// Ten wooden blocks in a row, the first of which is pushed over: they come to lean on each other.
static void leaning_blocks_converge(void **state) {
    (void)state;
    char bodies[2000] = "", *end = bodies;
    for (int i = 0; i < BLOCKS; i++)
        end += snprintf(end, 200, "%s{'shape': 'd', 'position': [%g, 0, 0]%s}", i > 0 ? ", " : "", 0.025 * i,
                        i > 0 ? ""
                              : ", 'forces': [{'group': 'all', 'acceleration': [6, 0, 0], 'from': 0.05, 'to': 0.15}]");
    ThawWorld *world = open_scene(
        "full",
        "{'thaw': 1, 'time': {'step': 0.005}, 'shapes': {'d': {'mesh': {'box': {'min': [-0.004, -0.012, 0], 'max': "
        "[0.004, 0.012, 0.048], 'cells': [1, 2, 4]}}, 'material': 'wood'}}, 'obstacles': [{'plane': {}}], 'bodies': "
        "[%s]}",
        bodies);
    run_world(world, 115);
    int left = 0, contacts = 0;
    for (int i = 0; i < 20; i++) {
        const ThawStepStats stats = run_world(world, 1);
        left += stats.response_residual > stats.response_tolerance;
        contacts = stats.contacts > contacts ? (int)stats.contacts : contacts;
    }
    print_message("%d contacts; %d of 20 steps above the tolerance\n", contacts, left);
    assert_true(contacts > 134); // more than elimination took before it saw which are joined
    assert_true(left <= 2);
    thaw_world_free(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(leaning_blocks_converge)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
