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
#include "support/repeats.h"
#include "support/world.h"

enum { BLOCKS = 10 };

static ThawWorld *open_blocks(const char *method, const char *bodies) {
    return open_scene(
        method,
        "{'thaw': 1, 'time': {'step': 0.005}, 'shapes': {'d': {'mesh': {'box': {'min': [-0.004, -0.012, 0], 'max': "
        "[0.004, 0.012, 0.048], 'cells': [1, 2, 4]}}, 'material': 'wood'}}, 'obstacles': [{'plane': {}}], 'bodies': "
        "[%s]}",
        bodies);
}

// Ten wooden blocks in a row, the first of which is pushed over: they come to lean on each other.
static void lean(char *end) {
    for (int i = 0; i < BLOCKS; i++)
        end += snprintf(end, 200, "%s{'shape': 'd', 'position': [%g, 0, 0]%s}", i > 0 ? ", " : "", 0.025 * i,
                        i > 0 ? ""
                              : ", 'forces': [{'group': 'all', 'acceleration': [6, 0, 0], 'from': 0.05, 'to': 0.15}]");
}

static void leaning_blocks_converge(void **state) {
    (void)state;
    char bodies[2000] = "";
    lean(bodies);
    ThawWorld *world = open_blocks("full", bodies);
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

static double draw(uint64_t *seed, double lo, double hi) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * (double)(*seed >> 11) / 9007199254740992.0;
}

// Ten blocks fall on each other at random.
static void heap_up(uint64_t seed, char *end) {
    for (int i = 0; i < BLOCKS; i++)
        end += snprintf(end, 300,
                        "%s{'shape': 'd', 'position': [%g, %g, %g], 'rotation': {'axis': [%g, %g, %g], 'degrees': %g}}",
                        i > 0 ? ", " : "", draw(&seed, -0.03, 0.03), draw(&seed, -0.03, 0.03), 0.05 + 0.05 * i,
                        draw(&seed, -1, 1), draw(&seed, -1, 1), draw(&seed, -1, 1), draw(&seed, 0, 180));
}

// Pairs of edges that lost their rows once they had pushed each other apart kept most of these piles awake.
static void jammed_piles_fall_asleep(void **state) {
    (void)state;
    const char *seeds = getenv("THAW_JAM_SEEDS"); // how many, from 101 on
    const int count = seeds ? atoi(seeds) : repeats(3);
    int awake = 0;
    for (int k = 0; k < count + 1; k++) {
        char bodies[4000] = "";
        ThawStepStats stats = {0};
        if (k == 0)
            lean(bodies);
        else
            heap_up(100 + (uint64_t)k, bodies);
        ThawWorld *world = open_blocks("rigidify", bodies);
        int steps = 0;
        for (; steps < 1200 && stats.asleep < BLOCKS; steps++)
            stats = run_world(world, 1);
        print_message("%s %d: %d of %d blocks asleep after %d steps\n", k ? "pile" : "row", k, (int)stats.asleep,
                      BLOCKS, steps);
        awake += stats.asleep < BLOCKS;
        thaw_world_free(&world);
    }
    assert_true(awake <= count / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(leaning_blocks_converge),
                                       cmocka_unit_test(jammed_piles_fall_asleep)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
