// SPDX-License-Identifier: Apache-2.0
// What scripts move as a whole is like an obstacle: grips and paddles. Motion against them does not depend on how fast
// all of it moves, nothing gains energy from being carried along, and what is held stays held.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "physics/motion.h"
#include "support/world.h"

static const char *const INTEGRATORS[] = {"semi-implicit", "newton",  "euler",
                                          "euler-newton",  "tr-bdf2", "tr-bdf2-newton"};
enum { INTEGRATOR_COUNT = sizeof INTEGRATORS / sizeof *INTEGRATORS, CUBE_VERTICES = 27 };

// Keys of a plate: it closes by 2 mm in 50 ms, waits, and then is moved by `way` in 0.6 s, all of it going by `drift` a
// second besides.
static const char *grip_keys(int side, const double way[3], const double drift[3]) {
    static char text[2][1000];
    static const double times[] = {0, 0.05, 0.1, 0.7};
    char *end = text[side];
    for (int k = 0; k < 4; k++) {
        double to[3];
        for (int i = 0; i < 3; i++)
            to[i] = times[k] * drift[i] + (k == 3 ? way[i] : 0) + (k > 0 && i == 0 ? (side ? -0.002 : 0.002) : 0);
        end += snprintf(end, 200, "%s{'time': %g, 'translation': [%.17g, %.17g, %.17g]}", k > 0 ? ", " : "", times[k],
                        to[0], to[1], to[2]);
    }
    return text[side];
}

// Two aluminium plates squeeze a silicone cube.
static ThawWorld *open_grip(const char *method, const char *integrator, double h, int substeps, double gravity,
                            const double way[3], const double drift[3]) {
    return open_scene(
        method,
        "{'thaw': 1, 'gravity': [0, 0, %g], 'time': {'step': %.17g, 'integrator': '%s', 'substeps': %d}, 'shapes': "
        "{'c': {'mesh': {'box': {'min': [-0.03, -0.03, -0.03], 'max': [0.03, 0.03, 0.03], 'cells': [2, 2, 2]}}, "
        "'material': 'silicone'}, 'f': {'mesh': {'box': {'min': [-0.01, -0.04, -0.04], 'max': [0.01, 0.04, 0.04], "
        "'cells': [1, 2, 2]}}, 'material': 'aluminium'}}, 'bodies': [{'shape': 'c', 'friction': 0.8, 'velocity': "
        "[%.17g, %.17g, %.17g]}, {'shape': 'f', 'position': [-0.0401, 0, 0], 'friction': 0.8, 'scripts': [{'group': "
        "'all', 'keys': [%s]}]}, {'shape': 'f', 'position': [0.0401, 0, 0], 'friction': 0.8, 'scripts': [{'group': "
        "'all', 'keys': [%s]}]}]}",
        gravity, h, integrator, substeps, drift[0], drift[1], drift[2], grip_keys(0, way, drift),
        grip_keys(1, way, drift));
}

// The same grip in a frame that goes by 0.5 m/s: all of it, with its parts of steps, is the same but for that.
static void a_grip_is_the_same_in_a_frame_that_moves(void **state) {
    (void)state;
    const double way[3] = {0}, still[3] = {0}, drift[3] = {0.3, -0.2, 0.4};
    for (int i = 0; i < INTEGRATOR_COUNT; i++)
        for (int cut = 0; cut < 2; cut++) {
            const double h = 0.002;
            ThawWorld *worlds[2] = {open_grip("full", INTEGRATORS[i], h, cut ? 32 : 0, 0, way, still),
                                    open_grip("full", INTEGRATORS[i], h, cut ? 32 : 0, 0, way, drift)};
            double x[2][3 * CUBE_VERTICES], most = 0;
            int parts = 0;
            for (int k = 1; k <= 80; k++) {
                const ThawStepStats a = run_world(worlds[0], 1), b = run_world(worlds[1], 1);
                assert_int_equal(a.substeps, b.substeps);
                parts += a.substeps > 1;
                for (int w = 0; w < 2; w++)
                    assert_int_equal(thaw_world_get_positions(worlds[w], 0, x[w]), THAW_OK);
                for (int n = 0; n < 3 * CUBE_VERTICES; n++)
                    most = fmax(most, fabs(x[1][n] - k * h * drift[n % 3] - x[0][n]));
            }
            print_message("%s, substeps %d: off by %.2g m, %d steps in parts\n", INTEGRATORS[i], cut ? 32 : 0, most,
                          parts);
            assert_true(most < 1e-6); // of a squeeze by 4 mm
            for (int w = 0; w < 2; w++)
                thaw_world_free(&worlds[w]);
        }
}

// Moved along the plates and across them from a standstill, by short and long steps: at the end it goes with them, they
// have long done no more work (it has 0.04 J of motion; at 0.6 m/s friction could give 15 W), and no
// short step is cut.
static void what_is_carried_along_uniformly_gets_no_energy(void **state) {
    (void)state;
    const double still[3] = {0};
    for (int m = 0; m < 2; m++)
        for (int i = 2; i < INTEGRATOR_COUNT; i++)
            for (int along = 0; along < 2; along++)
                for (int fine = 0; fine < 2; fine++) {
                    const double h = fine ? 0.002 : 0.01, way[3] = {along ? 0 : 0.36, 0, along ? 0.36 : 0};
                    ThawWorld *world = open_grip(m ? "rigidify" : "full", INTEGRATORS[i], h, 32, 0, way, still);
                    const ThawStepStats before = run_world(world, (int)lround(0.5 / h));
                    int cut = 0;
                    ThawStepStats after = before;
                    for (int k = 0; k < (int)lround(0.2 / h); k++) {
                        after = run_world(world, 1);
                        cut += after.substeps > 1;
                    }
                    const Momenta cube = measure(world, 0, 3);
                    print_message("%s, %s, %s, h %g ms: work %.2g J, speed %.6f m/s, %d steps in parts\n",
                                  m ? "rigidify" : "full", INTEGRATORS[i], along ? "along" : "across", 1e3 * h,
                                  after.ledger.contact_work - before.ledger.contact_work,
                                  cube.P[along ? 2 : 0] / cube.mass, cut);
                    assert_true(!fine || cut == 0); // without weight nothing is so small that it is no blow
                    assert_true(fabs(cube.P[along ? 2 : 0] / cube.mass - 0.6) < 1e-3);
                    assert_true(fabs(after.ledger.contact_work - before.ledger.contact_work) < 1e-3);
                    thaw_world_free(&world);
                }
}

// With its weight: 1 mm of slip at most, whatever the step.
static void a_load_is_lifted_whatever_the_step(void **state) {
    (void)state;
    static const double steps[] = {0.01, 0.005, 0.002, 0.001};
    const double way[3] = {0, 0, 0.18}, still[3] = {0};
    for (int i = 2; i < INTEGRATOR_COUNT; i += 2)
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            ThawWorld *world = open_grip("full", INTEGRATORS[i], steps[k], 32, -9.81, way, still);
            double fallen, top;
            run_world(world, (int)lround(0.1 / steps[k]));
            fallen = measure(world, 0, 3).c[2];
            run_world(world, (int)lround(0.6 / steps[k]));
            top = measure(world, 0, 3).c[2];
            print_message("%s, h %g ms: lifted by %.5f m of %.5f m\n", INTEGRATORS[i], 1e3 * steps[k], top - fallen,
                          way[2]);
            assert_true(fabs(top - fallen - way[2]) < 1e-3);
            thaw_world_free(&world);
        }
}

// m/s, of a cube that lay still, after a paddle of 1 m/s has hit it.
static double hit(const char *integrator, double h, const char *paddle) {
    char shape[200] = "", body[300] = "", obstacle[200] = "";
    const char *keys = "[{'time': 0.1}, {'time': 1.1, 'translation': [1, 0, 0]}]";
    if (strcmp(paddle, "obstacle") == 0)
        snprintf(obstacle, sizeof obstacle,
                 ", 'obstacles': [{'box': {'size': [0.02, 0.08, 0.08]}, 'position': [-0.1, 0, 0], 'keys': %s}]", keys);
    else {
        snprintf(shape, sizeof shape,
                 ", 'p': {'mesh': {'box': {'min': [-0.01, -0.04, -0.04], 'max': [0.01, 0.04, 0.04], 'cells': [2, 4, "
                 "4]}}, 'material': 'aluminium'}");
        snprintf(body, sizeof body,
                 ", {'shape': 'p', 'position': [-0.1, 0, 0], 'scripts': [{'group': '%s', 'keys': "
                 "%s}]}",
                 paddle, keys);
    }
    ThawWorld *world = open_scene(
        "full",
        "{'thaw': 1, 'gravity': [0, 0, 0], 'time': {'step': %.17g, 'integrator': '%s'}, 'shapes': {'c': {'mesh': "
        "{'box': {'min': [-0.03, -0.03, -0.03], 'max': [0.03, 0.03, 0.03], 'cells': [3, 3, 3]}}, 'material': "
        "'silicone'}%s}, 'bodies': [{'shape': 'c'}%s]%s}",
        h, integrator, shape, body, obstacle);
    run_world(world, (int)lround(0.4 / h));
    const Momenta cube = measure(world, 0, 3);
    thaw_world_free(&world);
    return cube.P[0] / cube.mass;
}

// A paddle is a body or an obstacle, moved as a whole: what it hits does not ask which.
static void a_paddle_hits_as_an_obstacle_does(void **state) {
    (void)state;
    static const double steps[] = {0.01, 0.005, 0.002};
    double first = 0;
    for (int i = 2; i < INTEGRATOR_COUNT; i += 2)
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            const double obstacle = hit(INTEGRATORS[i], steps[k], "obstacle");
            const double body = hit(INTEGRATORS[i], steps[k], "all");
            first = k == 0 ? body : first;
            print_message("%s, h %g ms: %.4f m/s by an obstacle, %.4f by a body\n", INTEGRATORS[i], 1e3 * steps[k],
                          obstacle, body);
            assert_true(obstacle > 1 && obstacle < 2);
            assert_true(fabs(body - obstacle) < 0.06); // a body has contacts of its own vertices, too
            assert_true(fabs(body - first) < 0.01);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grip_is_the_same_in_a_frame_that_moves),
        cmocka_unit_test(what_is_carried_along_uniformly_gets_no_energy),
        cmocka_unit_test(a_load_is_lifted_whatever_the_step),
        cmocka_unit_test(a_paddle_hits_as_an_obstacle_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
