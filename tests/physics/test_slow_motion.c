// SPDX-License-Identifier: Apache-2.0
// Rolling and rebound by every integrator over steps from 0.2 to 10 ms: the tables of docs/motion.md. Each beside the
// same mesh by steps so small that it counts as converged, since facets and contact take their part, too.
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

// --- rolling ---------------------------------------------------------------------------------------------------------

static const char *const METHODS[] = {"full", "rigidify"};
static const char *const MATERIALS[] = {"steel", "silicone"};
static const char *const INTEGRATORS[] = {"semi-implicit", "euler", "tr-bdf2"};
enum { METHOD_COUNT = 2, MATERIAL_COUNT = 2, INTEGRATOR_COUNT = 3 };

static const double TIME = 0.5; // s

// m: how far a disc or ball of 3 cm gets from rest down a slope.
static double roll(int dim, const char *method, const char *integrator, double h, const char *material, int degrees) {
    const double angle = degrees * M_PI / 180, down = -9.81 * cos(angle), along = 9.81 * sin(angle);
    ThawWorld *world = open_scene(
        method,
        "{'thaw': 1, 'dimension': %d, 'gravity': [%.9g, %.9g, %.9g], 'time': {'step': %g, 'integrator': '%s'}, "
        "'shapes': {'s': {'mesh': {'solid': {'sphere': {'radius': 0.03}}, 'size': %g, 'grading': 8}, 'material': "
        "'%s'}}, 'bodies': [{'shape': 's', 'position': [0, %s], 'friction': 1}], 'obstacles': [{'plane': {}, "
        "'friction': 1}]}",
        dim, along, dim == 2 ? down : 0, dim == 2 ? 0 : down, h, integrator, dim == 2 ? 0.0025 : 0.008, material,
        dim == 2 ? "0.03" : "0, 0.03");
    const double first = measure(world, 0, dim).c[0];
    run_world(world, (int)lround(TIME / h));
    const double way = measure(world, 0, dim).c[0] - first;
    thaw_world_free(&world);
    return way;
}

// Of the way, for a step: how far integrators in moving frames may be off. Facets knock between two steps; balls here
// have coarser ones than discs.
static double room_of(int dim, double h) { return 0.02 + (dim == 2 ? 3 : 4) * h; }

// One row a method and an integrator: shares of what the same mesh rolls by steps of `fine`.
static void roll_down(int dim, const char *material, int degrees, const double *steps, int count, double fine) {
    const double smooth = 9.81 * sin(degrees * M_PI / 180) / (dim == 2 ? 1.5 : 1.4) * TIME * TIME / 2,
                 converged = roll(dim, "full", "tr-bdf2", fine, material, degrees);
    double worst = 0;
    printf("%s of %s, %d degrees: smooth %.4f m, by steps of %g ms %.4f m\n", dim == 2 ? "disc" : "ball", material,
           degrees, smooth, 1e3 * fine, converged);
    for (int m = 0; m < METHOD_COUNT; m++)
        for (int i = 0; i < INTEGRATOR_COUNT; i++) {
            if (i == 0 && m > 0) // what it loses full bodies show
                continue;
            printf("| %s | %s |", METHODS[m], INTEGRATORS[i]);
            for (int k = 0; k < count; k++) {
                const double share = roll(dim, METHODS[m], INTEGRATORS[i], steps[k], material, degrees) / converged;
                printf(" %.3f |", share);
                fflush(stdout);
                if (i == 0) // in the world's axes the integrator brakes
                    assert_true(steps[k] < 0.004 || share < 0.7);
                else
                    worst = fmax(worst, fabs(share - 1) / room_of(dim, steps[k]));
            }
            printf("\n");
        }
    printf("off by %.2f of what may be\n", worst);
    assert_true(worst < 1);
}

static void discs_roll_at_any_step(void **state) {
    (void)state;
    static const double steps[] = {0.01, 0.005, 0.001, 0.0002};
    for (int i = 0; i < MATERIAL_COUNT; i++) {
        roll_down(2, MATERIALS[i], 3, steps, 3, 0.000125);
        roll_down(2, MATERIALS[i], 10, steps, 4, 0.000125);
        roll_down(2, MATERIALS[i], 30, steps, 3, 0.000125);
    }
}

static void balls_roll_at_any_step(void **state) {
    (void)state;
    static const double steps[] = {0.01, 0.005}, fine = 0.000625;
    for (int i = 0; i < MATERIAL_COUNT; i++) {
        roll_down(3, MATERIALS[i], 3, steps, 2, fine);
        roll_down(3, MATERIALS[i], 10, steps, 2, fine);
        roll_down(3, MATERIALS[i], 30, steps, 2, fine);
    }
}

// --- rebound ---------------------------------------------------------------------------------------------------------

// m: how high a rubber ball that falls from 1 m rises again. It starts just above the ground, with the speed of that
// fall; how high it goes its speed tells 40 ms later.
static double rebound(const char *integrator, double h) {
    ThawWorld *world = open_scene(
        "full",
        "{'thaw': 1, 'time': {'step': %g, 'integrator': '%s'}, 'materials': {'r': {'young': 1.3e6, 'density': 1030, "
        "'poisson': 0.45, 'alpha1': 0.0002}}, 'shapes': {'s': {'mesh': {'solid': {'sphere': {'radius': 0.05}}, "
        "'elements': 2000}, 'material': 'r'}}, 'bodies': [{'shape': 's', 'position': [0, 0, 0.0525], 'velocity': [0, "
        "0, %.9g]}], 'obstacles': [{'plane': {}}]}",
        h, integrator, -sqrt(2 * 9.81 * 0.9975));
    run_world(world, (int)lround(0.04 / h));
    const Momenta now = measure(world, 0, 3);
    const double speed = now.P[2] / now.mass, height = now.c[2] - 0.05 + speed * fabs(speed) / (2 * 9.81);
    thaw_world_free(&world);
    return height;
}

static void rubber_rebounds(void **state) {
    (void)state;
    static const char *const names[] = {"semi-implicit", "newton",  "euler",
                                        "euler-newton",  "tr-bdf2", "tr-bdf2-newton"};
    static const double steps[] = {0.01, 0.005, 0.002, 0.001, 0.0002};
    enum { STEP_COUNT = sizeof steps / sizeof *steps };
    const double converged = rebound("tr-bdf2", 2.5e-5);
    printf("a ball of rubber that falls from 1 m: by steps of 0.025 ms it rises %.4f m\n", converged);
    for (int i = 0; i < 6; i++) {
        double height[STEP_COUNT];
        printf("| %s |", names[i]);
        for (int k = 0; k < STEP_COUNT; k++) {
            height[k] = rebound(names[i], steps[k]);
            printf(" %.3f |", height[k]);
            fflush(stdout);
        }
        printf("\n");
        for (int k = 0; k < STEP_COUNT; k++)
            assert_true(height[k] < 1.01 * converged);
        if (i < 4) {
            assert_true(height[4] > 0.7 * converged);
            continue;
        }
        static const double least[] = {0.2, 0.6, 0.87, 0.95, 0.99};
        for (int k = 0; k < STEP_COUNT; k++)
            assert_true(height[k] > least[k] * converged);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_roll_at_any_step),
        cmocka_unit_test(rubber_rebounds),
        cmocka_unit_test(discs_roll_at_any_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
