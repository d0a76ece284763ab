// SPDX-License-Identifier: Apache-2.0
// Integrators in the moving frame: spin, flight, swings, tops and rolling last at ordinary steps, for full and adaptive
// bodies alike, and are those of a rigid body's own equations; TR-BDF2 is of second order, has the limit that Newton's
// method has in the world's axes, and loses in vibration what its theory says.
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/rotation.h"
#include "physics/motion.h"
#include "support/world.h"
#include "thaw/thaw.h"

static const char *const INTEGRATORS[] = {"euler", "euler-newton", "tr-bdf2", "tr-bdf2-newton"};
enum { INTEGRATOR_COUNT = sizeof INTEGRATORS / sizeof *INTEGRATORS };

// --- spin and flight -------------------------------------------------------------------------------------------------

// A brick that tumbles about its middle axis, the unstable one, as it flies; from jelly to steel.
static void spin_lasts(void **state) {
    (void)state;
    static const char *const methods[] = {"full", "rigidify"};
    for (int i = 0; i < INTEGRATOR_COUNT; i++)
        for (int m = 0; m < 2; m++)
            for (int stiff = 0; stiff < 2; stiff++) {
                const double h = 0.005;
                ThawWorld *world = open_scene(
                    methods[m],
                    "{'thaw': 1, 'gravity': [0, 0, -9.81], 'time': {'step': %g, 'integrator': '%s'}, 'materials': "
                    "{'a': "
                    "{'young': %g, 'density': 1000, 'poisson': 0.3}}, 'shapes': {'s': {'mesh': {'box': {'min': [-0.1, "
                    "-0.05, -0.02], 'max': [0.1, 0.05, 0.02], 'cells': [4, 2, 1]}}, 'material': 'a'}}, 'bodies': "
                    "[{'shape': 's', 'velocity': [1, 0, 3], 'spin': [0.3, 12, 0.2]}]}",
                    h, INTEGRATORS[i], stiff ? 2e11 : 1e6);
                const Momenta first = measure(world, 0, 3);
                const int steps = 400;
                run_world(world, steps);
                const Momenta last = measure(world, 0, 3);
                double off = 0, fall[3] = {1 * steps * h, 0, 3 * steps * h - 9.81 / 2 * steps * h * steps * h},
                       away = 0;
                for (int k = 0; k < 3; k++) {
                    off += (last.L[k] - first.L[k]) * (last.L[k] - first.L[k]);
                    away = fmax(away, fabs(last.c[k] - first.c[k] - fall[k]));
                }
                const double vz = 3 - 9.81 * steps * h, spin0 = first.kinetic - first.mass * (1 + 9) / 2,
                             spin1 = last.kinetic - last.mass * (1 + vz * vz) / 2;
                print_message("%s, %s, %s: L off by %.1e, spin energy kept %.6f, flight off by %.1e m\n",
                              INTEGRATORS[i], methods[m], stiff ? "steel" : "jelly", sqrt(off) / thaw_v3_norm(first.L),
                              spin1 / spin0, away);
                assert_true(sqrt(off) < 1e-10 * thaw_v3_norm(first.L));
                assert_true(away < 1e-8);
                assert_true(spin1 < spin0 * (1 + 1e-6));
                assert_true(spin1 > spin0 * (stiff ? 0.999 : 0.95));
                thaw_world_free(&world);
            }
}

// --- rolling ---------------------------------------------------------------------------------------------------------

static double roll(const char *method, const char *integrator, double h, double young) {
    const double angle = 10 * M_PI / 180;
    ThawWorld *world =
        open_scene(method,
                   "{'thaw': 1, 'dimension': 2, 'gravity': [%.9g, %.9g], 'time': {'step': %g, 'integrator': "
                   "'%s'}, 'materials': {'a': {'young': %g, 'density': 2000, 'poisson': 0.3}}, 'shapes': "
                   "{'d': {'mesh': {'solid': {'sphere': {'radius': 0.03}}, 'size': 0.004}, 'material': "
                   "'a'}}, 'bodies': [{'shape': 'd', 'position': [0, 0.03]}], 'obstacles': [{'plane': {}}]}",
                   9.81 * sin(angle), -9.81 * cos(angle), h, integrator, young);
    const Momenta first = measure(world, 0, 2);
    run_world(world, (int)lround(1 / h));
    const double way = measure(world, 0, 2).c[0] - first.c[0];
    thaw_world_free(&world);
    return way;
}

// A disc without facets rolls 0.568 m; this one, of some fifty, less: it falls from facet to facet.
static void discs_roll(void **state) {
    (void)state;
    for (int i = 0; i < INTEGRATOR_COUNT; i++)
        for (int stiff = 0; stiff < 2; stiff++) {
            const double young = stiff ? 2e11 : 1e6;
            double way[2] = {roll("full", INTEGRATORS[i], 0.005, young),
                             roll("rigidify", INTEGRATORS[i], 0.005, young)};
            print_message("%s, %s: full %.4f m, rigidify %.4f m\n", INTEGRATORS[i], stiff ? "steel" : "silicone",
                          way[0], way[1]);
            for (int k = 0; k < 2; k++)
                assert_true(way[k] > 0.52 && way[k] < 0.575);
        }
}

// --- order and decay -------------------------------------------------------------------------------------------------

enum { STRIP_VERTICES = 2 * 13 };

// A soft strip that flies, spins and bends: positions after 0.2 s.
static void fly(const char *integrator, double h, double *x) {
    ThawWorld *world = open_scene(
        "full",
        "{'thaw': 1, 'dimension': 2, 'gravity': [0, -9.81], 'time': {'step': %.17g, 'integrator': '%s'}, 'materials': "
        "{'a': "
        "{'young': 2e5, 'density': 1000, 'poisson': 0.3, 'alpha0': 0, 'alpha1': 0}}, 'shapes': {'s': {'mesh': {'box': "
        "{'min': [0, 0], 'max': [0.6, "
        "0.05], 'cells': [12, 1]}}, 'material': 'a'}}, 'bodies': [{'shape': 's', 'spin': 6, 'forces': [{'group': "
        "'x-max', 'acceleration': [0, 6]}]}]}",
        h, integrator);
    run_world(world, (int)lround(0.2 / h));
    assert_int_equal(thaw_world_vertex_count(world, 0), STRIP_VERTICES);
    thaw_world_get_positions(world, 0, x);
    thaw_world_free(&world);
}

static double apart(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < 2 * STRIP_VERTICES; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

static void tr_bdf2_is_of_second_order(void **state) {
    (void)state;
    for (int i = 0; i < INTEGRATOR_COUNT; i++) {
        double x[3][2 * STRIP_VERTICES];
        for (int k = 0; k < 3; k++)
            fly(INTEGRATORS[i], 4e-4 / (1 << k), x[k]);
        const double order = log2(apart(x[0], x[1]) / apart(x[1], x[2]));
        print_message("%s: order %.2f, differences %.1e, %.1e\n", INTEGRATORS[i], order, apart(x[0], x[1]),
                      apart(x[1], x[2]));
        assert_true(i < 2 ? order > 0.8 : order > 1.8);
    }
}

// A soft strip that spins at 20 rad/s, stretched by a twelfth of its length, and is pushed aside at its end: positions
// after 0.1 s.
static void whirl(const char *integrator, double h, double *x) {
    ThawWorld *world = open_scene(
        "full",
        "{'thaw': 1, 'dimension': 2, 'gravity': [0, 0], 'time': {'step': %.17g, 'integrator': '%s', "
        "'newton_tolerance': 1e-9}, 'materials': {'a': {'young': 2e5, 'density': 1000, 'poisson': 0.3, 'alpha0': 0, "
        "'alpha1': 0}}, 'shapes': {'s': {'mesh': {'box': {'min': [0, 0], 'max': [0.6, 0.05], 'cells': [12, 1]}}, "
        "'material': 'a'}}, 'bodies': [{'shape': 's', 'spin': 20, 'forces': [{'group': 'x-max', 'acceleration': [0, "
        "60]}]}]}",
        h, integrator);
    run_world(world, (int)lround(0.1 / h));
    assert_int_equal(thaw_world_vertex_count(world, 0), STRIP_VERTICES);
    thaw_world_get_positions(world, 0, x);
    thaw_world_free(&world);
}

// Against backward Euler by Newton's method in the world's axes, extrapolated from three steps to h = 0 (its errors of
// first and second order fall away): a frame that moves must not change where all of it converges to.
static void frames_do_not_change_the_limit(void **state) {
    (void)state;
    enum { COUNT = 2 * STRIP_VERTICES };
    double world[3][COUNT], limit[COUNT], second[COUNT], x[COUNT];
    for (int k = 0; k < 3; k++)
        whirl("newton", 4e-5 / (1 << k), world[k]);
    for (int i = 0; i < COUNT; i++) {
        limit[i] = (8 * world[2][i] - 6 * world[1][i] + world[0][i]) / 3;
        second[i] = 2 * world[2][i] - world[1][i];
    }
    print_message("newton in the world's axes: %.1e, %.1e, %.1e m off; extrapolated once %.1e\n",
                  apart(world[0], limit), apart(world[1], limit), apart(world[2], limit), apart(second, limit));
    for (int i = 0; i < INTEGRATOR_COUNT; i++) {
        double off[3];
        for (int k = 0; k < 3; k++) {
            whirl(INTEGRATORS[i], (i < 2 ? 4e-4 : 8e-4) / (1 << k), x);
            off[k] = apart(x, limit);
        }
        print_message("%s: %.1e, %.1e, %.1e m off, order %.2f, %.2f\n", INTEGRATORS[i], off[0], off[1], off[2],
                      log2(off[0] / off[1]), log2(off[1] / off[2]));
        assert_true(log2(off[1] / off[2]) > (i < 2 ? 0.85 : 1.8));
    }
}

// The share of its amplitude that a vibration keeps in a step of z = omega h, by the scheme's own polynomial.
static double kept_by_tr_bdf2(double z) {
    const double g = 2 - sqrt(2), d = g / 2;
    const double complex l = z * I, y1 = (1 + d * l) / (1 - d * l),
                         y2 = (y1 / (g * (2 - g)) - (1 - g) * (1 - g) / (g * (2 - g))) / (1 - d * l);
    return cabs(y2);
}

// A bar that breathes along its length, its ends free: its own energy after twenty periods.
static void vibration_decays_as_theory_says(void **state) {
    (void)state;
    const double length = 1, young = 1e6, omega = M_PI / length * sqrt(young / 1000.0);
    for (int per = 20; per <= 80; per *= 2) {
        const double h = 2 * M_PI / omega / per;
        ThawWorld *world = open_scene(
            "full",
            "{'thaw': 1, 'dimension': 2, 'gravity': [0, 0], 'time': {'step': %.17g, 'integrator': 'tr-bdf2'}, "
            "'materials': "
            "{'a': {'young': %g, 'density': 1000, 'poisson': 0, 'alpha0': 0, 'alpha1': 0}}, 'shapes': {'s': {'mesh': "
            "{'box': {'min': [-0.5, -0.02], 'max': [0.5, 0.02], 'cells': [40, 2]}}, 'material': 'a'}}, 'bodies': "
            "[{'shape': 's'}]}",
            h, young);
        const int32_t n = thaw_world_vertex_count(world, 0);
        double *v = malloc(sizeof *v * 2 * (size_t)n), *x = malloc(sizeof *x * 2 * (size_t)n);
        thaw_world_get_positions(world, 0, x);
        for (int32_t i = 0; i < n; i++) {
            v[2 * i] = 1e-3 * sin(M_PI * x[2 * i] / length);
            v[2 * i + 1] = 0;
        }
        assert_int_equal(thaw_world_set_velocities(world, 0, v), THAW_OK);
        const double first = measure(world, 0, 2).kinetic;
        ThawStepStats stats = run_world(world, 20 * per);
        const double left = sqrt((stats.ledger.kinetic + stats.ledger.elastic) / first),
                     theory = pow(kept_by_tr_bdf2(omega * h), 20 * per);
        print_message("%d steps a period: amplitude %.5f after 20 periods, theory %.5f\n", per, left, theory);
        assert_true(fabs(left - theory) < 0.01);
        free(v);
        free(x);
        thaw_world_free(&world);
    }
}


// --- bits ------------------------------------------------------------------------------------------------------------

static void bits_are_the_same(void **state) {
    (void)state;
    for (int i = 0; i < INTEGRATOR_COUNT; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "{'thaw': 1, 'time': {'step': 0.005, 'integrator': '%s'}, 'materials': {'a': {'young': 1e6, "
                 "'density': 1000, "
                 "'poisson': 0.3}}, 'shapes': {'s': {'mesh': {'box': {'min': [-0.1, -0.05, -0.05], 'max': [0.1, 0.05, "
                 "0.05], "
                 "'cells': [4, 2, 2]}}, 'material': 'a'}}, 'bodies': [{'shape': 's', 'position': [0, 0, 0.3], 'spin': "
                 "[4, 1, "
                 "2]}, {'shape': 's', 'position': [0.02, 0.01, 0.5], 'velocity': [0, 0, -1]}], 'obstacles': [{'plane': "
                 "{}}]}",
                 INTEGRATORS[i]);
        for (char *c = text; *c; c++)
            *c = *c == '\'' ? '"' : *c;
        ThawWorld *a = make_world_by(text, "rigidify", 1), *b = make_world_by(text, "rigidify", 3),
                  *c = make_world_by(text, "rigidify", 1);
        const char *file = "motion_bits.ckpt";
        run_world(a, 120);
        run_world(b, 120);
        run_world(c, 70);
        ThawError error = {0};
        assert_int_equal(thaw_world_save(c, file, &error), THAW_OK);
        thaw_world_free(&c);
        c = make_world_by(text, "rigidify", 2);
        assert_int_equal(thaw_world_load(c, file, &error), THAW_OK);
        run_world(c, 50);
        assert_int_equal(thaw_world_hash(a), thaw_world_hash(b));
        assert_int_equal(thaw_world_hash(a), thaw_world_hash(c));
        remove(file);
        thaw_world_free(&a);
        thaw_world_free(&b);
        thaw_world_free(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spin_lasts),
        cmocka_unit_test(discs_roll),
        cmocka_unit_test(tr_bdf2_is_of_second_order),
        cmocka_unit_test(vibration_decays_as_theory_says),
        cmocka_unit_test(frames_do_not_change_the_limit),
        cmocka_unit_test(bits_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
