// SPDX-License-Identifier: Apache-2.0
// Bodies that scripts move: the frame goes along with what is held (step/moving.c), so that neither spin nor stiffness
// is taken for a deformation.
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
#include "support/folder.h"
#include "support/world.h"

static const char *const INTEGRATORS[] = {"euler", "euler-newton", "tr-bdf2", "tr-bdf2-newton"};
enum { INTEGRATOR_COUNT = sizeof INTEGRATORS / sizeof *INTEGRATORS };

// Keys of a turn by `rate` rad/s about `axis`.
static const char *turn_keys(const char *axis, double rate) {
    static char text[4000];
    char *end = text + snprintf(text, sizeof text, "{'time': 0}");
    for (int k = 1; k <= 20; k++)
        end += snprintf(end, 150, ", {'time': %g, 'rotation': {'axis': %s, 'degrees': %.12g}}", 0.1 * k, axis,
                        18 / M_PI * rate * k);
    return text;
}

// A steel bar, held by its end x = 0 and swung round by 20 rad/s, about that end or about a hub 2 m away; in the
// world's axes 5 ms leave 1e5 J of false energy in it. Theory: a thin bar that is pulled by what is farther out.
static void a_bar_that_is_swung_round_is_stretched_by_that_alone(void **state) {
    (void)state;
    const double rate = 20, rho = 7800, E = 2e11, A = 9e-4, L = 0.3;
    for (int hub = 0; hub < 2; hub++) {
        const double R = 2.0 * hub; // stress = rho rate^2 ((R + L)^2 - (R + x)^2) / 2
        double theory = 0;
        for (int k = 0; k < 1000; k++) {
            const double x = (k + 0.5) * L / 1000,
                         stress = rho * rate * rate * ((R + L) * (R + L) - (R + x) * (R + x)) / 2;
            theory += A * stress * stress / (2 * E) * L / 1000;
        }
        for (int i = 0; i < INTEGRATOR_COUNT; i++)
            for (int m = 0; m < 2; m++)
                for (int fine = 0; fine < 2; fine++) {
                    ThawWorld *world = open_scene(
                        m ? "rigidify" : "full",
                        "{'thaw': 1, 'gravity': [0, 0, 0], 'time': {'step': %g, 'integrator': '%s'}, 'materials': "
                        "{'m': {'young': 2e11, 'density': 7800, 'poisson': 0, 'alpha1': 0}}, 'shapes': {'s': {'mesh': "
                        "{'box': {'min': [0, -0.015, -0.015], 'max': [0.3, 0.015, 0.015], 'cells': [12, 2, 2]}}, "
                        "'material': 'm'}}, 'bodies': [{'shape': 's', 'position': [%g, 0, 0], 'scripts': [{'group': "
                        "'x-min', 'centre': [0, 0, 0], 'keys': [%s]}]}]}",
                        fine ? 0.001 : 0.005, INTEGRATORS[i], R, turn_keys("[0, 0, 1]", rate));
                    const ThawStepStats stats = run_world(world, fine ? 800 : 160);
                    const double inertia = rho * A * (pow(R + L, 3) - pow(R, 3)) / 3,
                                 kinetic = inertia * rate * rate / 2;
                    print_message("hub %g m, %s, %s, h %g ms: elastic %.4g J (theory %.4g), kinetic %.6g of %.6g J, "
                                  "%d rigid\n",
                                  R, INTEGRATORS[i], m ? "rigidify" : "full", fine ? 1.0 : 5.0, stats.ledger.elastic,
                                  theory, stats.ledger.kinetic, kinetic, (int)stats.rigid_parts);
                    // A part keeps the shape in which it froze, still breathing from the jerk of the start.
                    assert_true(fabs(stats.ledger.elastic / theory - 1) < (m ? 0.5 : 0.05));
                    assert_true(fabs(stats.ledger.kinetic / kinetic - 1) <
                                0.01); // it has a width, and masses at vertices
                    thaw_world_free(&world);
                }
    }
}

#define STRIP                                                                                                          \
    "{'thaw': 1, 'dimension': 2, 'gravity': [0, 0], 'time': {'step': %.17g, 'integrator': '%s', 'newton_tolerance': "  \
    "1e-9}, 'materials': {'a': {'young': 2e5, 'density': 1000, 'poisson': 0.3, 'alpha0': 0, 'alpha1': 0}}, 'shapes': " \
    "{'s': {'mesh': {'box': {'min': [0, 0], 'max': [0.6, 0.05], 'cells': [12, 1]}}, 'material': 'a'}}, 'bodies': "     \
    "[{'shape': 's', 'spin': 5, 'velocity': [0, 1.5], 'scripts': [{'group': 'x-min', 'centre': [0, 0], 'keys': "       \
    "[{'time': 0}, {'time': 1, 'translation': [0.3, 0], 'rotation': {'degrees': 170}}]}]}]}"
enum { STRIP_VERTICES = 26 };

static void swing(const char *integrator, double h, double *x) {
    ThawWorld *world = open_scene("full", STRIP, h, integrator);
    run_world(world, (int)lround(0.1 / h));
    assert_int_equal(thaw_world_vertex_count(world, 0), STRIP_VERTICES);
    thaw_world_get_positions(world, 0, x);
    thaw_world_free(&world);
}

static double apart(const double *a, const double *b) {
    double most = 0;
    for (int i = 0; i < 2 * STRIP_VERTICES; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

// Against Newton's method in the world's axes, extrapolated.
static void frames_of_scripts_do_not_change_the_limit(void **state) {
    (void)state;
    enum { COUNT = 2 * STRIP_VERTICES };
    double world[3][COUNT], limit[COUNT], x[COUNT];
    for (int k = 0; k < 3; k++)
        swing("newton", 4e-5 / (1 << k), world[k]);
    for (int i = 0; i < COUNT; i++)
        limit[i] = (8 * world[2][i] - 6 * world[1][i] + world[0][i]) / 3;
    print_message("newton in the world's axes: %.1e, %.1e, %.1e m off\n", apart(world[0], limit),
                  apart(world[1], limit), apart(world[2], limit));
    for (int i = 0; i < INTEGRATOR_COUNT; i++) {
        double off[3];
        for (int k = 0; k < 3; k++) {
            swing(INTEGRATORS[i], (i < 2 ? 1e-4 : 8e-4) / (1 << k), x);
            off[k] = apart(x, limit);
        }
        print_message("%s: %.1e, %.1e, %.1e m off, order %.2f, %.2f\n", INTEGRATORS[i], off[0], off[1], off[2],
                      log2(off[0] / off[1]), log2(off[1] / off[2]));
        assert_true(log2(off[1] / off[2]) > (i < 2 ? 0.85 : 1.8));
    }
}

// A paddle of steel that a script turns strikes a rubber ball off a table; saved and resumed on the way.
static void bits_are_the_same(void **state) {
    (void)state;
    for (int i = 0; i < INTEGRATOR_COUNT; i++) {
        char text[6000];
        snprintf(
            text, sizeof text,
            "{'thaw': 1, 'time': {'step': 0.004, 'integrator': '%s'}, 'materials': {'m': {'young': 2e11, 'density': "
            "7800, 'poisson': 0.3}, 'r': {'young': 1e6, 'density': 1000, 'poisson': 0.4}}, 'shapes': {'p': {'mesh': "
            "{'box': {'min': [0, -0.01, -0.05], 'max': [0.4, 0.01, 0.05], 'cells': [8, 1, 2]}}, 'material': 'm'}, "
            "'b': {'mesh': {'solid': {'sphere': {'radius': 0.05}}, 'elements': 200}, 'material': 'r'}}, 'bodies': "
            "[{'shape': 'p', 'position': [0, 0, 0.06], 'scripts': [{'group': 'x-min', 'release': 0.3, 'keys': [%s]}]}, "
            "{'shape': 'b', 'position': [0.2, 0.25, 0.05]}], 'obstacles': [{'plane': {}}]}",
            INTEGRATORS[i], turn_keys("[0, 0, 1]", 6));
        for (char *c = text; *c; c++)
            *c = *c == '\'' ? '"' : *c;
        for (int m = 0; m < 2; m++) {
            ThawError error = {0};
            ThawWorld *a = make_world_by(text, m ? "rigidify" : "full", 1),
                      *b = make_world_by(text, m ? "rigidify" : "full", 3);
            ThawWorld *c = make_world_by(text, m ? "rigidify" : "full", 2);
            run_world(a, 90);
            run_world(b, 40);
            assert_int_equal(thaw_world_save(b, at("led.h5"), &error), THAW_OK);
            assert_int_equal(thaw_world_load(c, at("led.h5"), &error), THAW_OK);
            run_world(b, 50);
            run_world(c, 50);
            remove(at("led.h5"));
            const Momenta ball = measure(c, 1, 3);
            print_message("%s, %s: the ball goes by %.3g m/s\n", INTEGRATORS[i], m ? "rigidify" : "full",
                          hypot(ball.P[0], ball.P[1]) / ball.mass);
            assert_true(hypot(ball.P[0], ball.P[1]) > 0.5 * ball.mass);
            assert_int_equal(thaw_world_hash(a), thaw_world_hash(b));
            assert_int_equal(thaw_world_hash(a), thaw_world_hash(c));
            thaw_world_free(&a);
            thaw_world_free(&b);
            thaw_world_free(&c);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bar_that_is_swung_round_is_stretched_by_that_alone),
        cmocka_unit_test(frames_of_scripts_do_not_change_the_limit),
        cmocka_unit_test(bits_are_the_same),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
