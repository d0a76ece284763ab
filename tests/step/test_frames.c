// SPDX-License-Identifier: Apache-2.0
// What integrators with moving frames do with bodies that have none: scripts that drive them, units, clamped ones. And
// a step that falls back from several stages to one.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/world.h"
#include "thaw/thaw.h"

static const char *const INTEGRATORS[] = {"newton", "euler", "euler-newton", "tr-bdf2", "tr-bdf2-newton"};
enum { INTEGRATOR_COUNT = sizeof INTEGRATORS / sizeof *INTEGRATORS };

static ThawWorld *open_scene(const char *integrator, double h, const char *rest) {
    char text[2048];
    snprintf(text, sizeof text, "{'thaw': 1, 'time': {'step': %.17g, 'integrator': '%s'}, %s}", h, integrator, rest);
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    return make_world(text, 1);
}

// A bar that a script takes along by one end, from rest to 0.2 m/s at once: in the end all of it goes at that speed.
static void a_script_takes_a_body_along(void **state) {
    (void)state;
    for (int i = 0; i < INTEGRATOR_COUNT; i++) {
        ThawWorld *world = open_scene(
            INTEGRATORS[i], 0.002,
            "'gravity': [0, 0, 0], 'materials': {'a': {'young': 3e6, 'density': 1000, 'poisson': 0.4, 'alpha1': 0.01}},"
            "'shapes': {'s': {'mesh': {'box': {'min': [0, -0.05, -0.05], 'max': [0.4, 0.05, 0.05], 'cells': [6, 1, "
            "1]}}, 'material': 'a'}}, 'bodies': [{'shape': 's', 'scripts': [{'group': 'x-max', 'keys': [{'time': 0}, "
            "{'time': 2, 'translation': [0.4, 0, 0]}]}]}]");
        const ThawStepStats stats = run_world(world, 400);
        print_message("%s: kinetic %.5f J, elastic %.1e J, work of the script %.4f J\n", INTEGRATORS[i],
                      stats.ledger.kinetic, stats.ledger.elastic, stats.ledger.external_work);
        assert_true(fabs(stats.ledger.kinetic - 0.5 * 4 * 0.04) < 1e-3);
        assert_true(stats.ledger.elastic < 1e-4);
        assert_true(stats.ledger.external_work > 0.08 && stats.ledger.external_work < 0.2);
        thaw_world_free(&world);
    }
}

// Two cubes that share their unknowns fly as one alone does.
static void a_unit_flies(void **state) {
    (void)state;
    for (int i = 0; i < INTEGRATOR_COUNT; i++) {
        ThawWorld *world = open_scene(
            INTEGRATORS[i], 0.005,
            "'materials': {'a': {'young': 3e5, 'density': 1000, 'poisson': 0.4}}, 'shapes': {'c': {'mesh': {'box': "
            "{'min': [0, 0, 0], 'max': [0.1, 0.1, 0.1], 'cells': [2, 2, 2]}}, 'material': 'a'}}, 'bodies': [{'name': "
            "'a', 'shape': 'c', 'unit': 'u', 'velocity': [1, 0, 2]}, {'name': 'b', 'shape': 'c', 'unit': 'u', "
            "'position': [1, 0, 0], 'velocity': [1, 0, 2]}]");
        const ThawStepStats stats = run_world(world, 100);
        const double vz = 2 - 9.81 * 0.5, kinetic = 2 * (1 + vz * vz) / 2;
        assert_true(fabs(stats.ledger.kinetic - kinetic) < 1e-6 * kinetic);
        thaw_world_free(&world);
    }
}

// A steel rod that is thrown flat onto a floor, in steps in which it could bounce several times: one integrator after
// the other gives way, and no energy is made.
static void a_step_that_is_too_long_gives_way(void **state) {
    (void)state;
    for (int i = 1; i < INTEGRATOR_COUNT; i++) {
        ThawWorld *world = open_scene(
            INTEGRATORS[i], 0.02,
            "'materials': {'a': {'young': 2e11, 'density': 7800, 'poisson': 0.3}, 'b': {'young': 2e4, 'density': 500, "
            "'poisson': 0.3}}, 'shapes': {'rod': {'mesh': {'box': {'min': [-0.3, -0.02, -0.02], 'max': [0.3, 0.02, "
            "0.02], 'cells': [6, 1, 1]}}, 'material': 'a'}, 'pad': {'mesh': {'box': {'min': [-0.2, -0.2, 0], 'max': "
            "[0.2, 0.2, 0.1], 'cells': [3, 3, 1]}}, 'material': 'b'}}, 'bodies': [{'shape': 'rod', 'position': [0.1, "
            "0, "
            "0.4], 'velocity': [0, 0, -10], 'spin': [0, 30, 0]}, {'shape': 'pad'}], 'obstacles': [{'plane': {}}]");
        ThawStepStats stats = run_world(world, 1);
        const double first = stats.ledger.kinetic + stats.ledger.elastic + stats.ledger.gravitational;
        stats = run_world(world, 60);
        const double last = stats.ledger.kinetic + stats.ledger.elastic + stats.ledger.gravitational;
        print_message("%s: %.2f J of %.2f J are left\n", INTEGRATORS[i], last, first);
        assert_true(isfinite(last) && last < first);
        thaw_world_free(&world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_script_takes_a_body_along),
        cmocka_unit_test(a_unit_flies),
        cmocka_unit_test(a_step_that_is_too_long_gives_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
