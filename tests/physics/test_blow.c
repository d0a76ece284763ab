// SPDX-License-Identifier: Apache-2.0
// Blows that a step is too long for are resolved by parts of it (time.substeps); docs/motion.md.
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

// A rubber ball just above the ground, with the speed of a fall from 1 m.
static ThawWorld *open_ball(const char *method, double h, int substeps) {
    return open_scene(
        method,
        "{'thaw': 1, 'time': {'step': %g, 'integrator': 'tr-bdf2', 'substeps': %d}, 'materials': {'r': {'young': "
        "1.3e6, 'density': 1030, 'poisson': 0.45, 'alpha1': 0.0002}}, 'shapes': {'s': {'mesh': {'solid': {'sphere': "
        "{'radius': 0.05}}, 'elements': 2000}, 'material': 'r'}}, 'bodies': [{'shape': 's', 'position': [0, 0, "
        "0.0525], 'velocity': [0, 0, %.9g]}], 'obstacles': [{'plane': {}}]}",
        h, substeps, -sqrt(2 * 9.81 * 0.9975));
}

// m: how high it rises again, by its speed 40 ms later.
static double rebound(const char *method, double h, int substeps) {
    ThawWorld *world = open_ball(method, h, substeps);
    run_world(world, (int)lround(0.04 / h));
    const Momenta now = measure(world, 0, 3);
    const double speed = now.P[2] / now.mass, height = now.c[2] - 0.05 + speed * fabs(speed) / (2 * 9.81);
    thaw_world_free(&world);
    return height;
}

static void rubber_rebounds_at_coarse_steps(void **state) {
    (void)state;
    static const double steps[] = {0.01, 0.005, 0.002, 0.001};
    const double converged = rebound("full", 0.0001, 0);
    for (int m = 0; m < 2; m++)
        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
            const double height = rebound(m ? "rigidify" : "full", steps[i], 32);
            printf("%s, h %g ms: %.4f m of %.4f m\n", m ? "rigidify" : "full", 1e3 * steps[i], height, converged);
            assert_true(fabs(height / converged - 1) < 0.05);
        }
}

// What bounces comes to rest, is no longer cut in parts then, and never has more energy than it began with.
static void it_comes_to_rest(void **state) {
    (void)state;
    ThawWorld *world = open_ball("full", 0.005, 32);
    ThawStepStats stats;
    ThawError error;
    double first = NAN, most = -INFINITY;
    int last = 0, cut = 0;
    for (int i = 0; i < 2400; i++) {
        assert_int_equal(thaw_world_step(world, &stats, &error), THAW_OK);
        const double energy = stats.ledger.kinetic + stats.ledger.elastic + stats.ledger.gravitational;
        if (i == 0)
            first = energy;
        most = fmax(most, energy);
        cut += stats.substeps > 1;
        last = stats.substeps > 1 ? i : last;
    }
    printf("energy %g J at most %g J; %d of 2400 steps in parts, the last is %d\n", first, most, cut, last);
    assert_true(most < first + 1e-3 * fabs(first));
    assert_true(cut > 4 && last < 2000);
    thaw_world_free(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rubber_rebounds_at_coarse_steps),
        cmocka_unit_test(it_comes_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
