// SPDX-License-Identifier: Apache-2.0
// What theory says of the schemes, asked of whole steps: how a vibration decays in a hundred thousand steps and what
// else changes meanwhile (nothing), what is left of vibrations that are far faster than the step, and that the order is
// there with rigid parts as well.
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
#include "physics/fixed.h"
#include "physics/motion.h"
#include "registry/scheme.h"
#include "support/repeats.h"
#include "support/world.h"

static int is_second_order(int integrator) { return thaw_scheme((ThawIntegrator)integrator)->stage_count == 2; }
static const char *name_of(int integrator) { return thaw_scheme((ThawIntegrator)integrator)->name; }

// What a vibration without damping becomes in a step of z = omega h, by the scheme's own polynomials.
static double complex factor_of(int integrator, double z) {
    const double g = 2 - sqrt(2), d = g / 2;
    const double complex l = z * I, y1 = (1 + d * l) / (1 - d * l);
    if (!is_second_order(integrator))
        return 1 / (1 - l);
    return (y1 - (1 - g) * (1 - g)) / (g * (2 - g)) / (1 - d * l);
}

// --- one vibration ---------------------------------------------------------------------------------------------------

enum { VERTICES = 9 * 2, COUNT = 2 * VERTICES };
static const double YOUNG = 1e8; // Pa

// A strip in the plane that nothing holds or damps.
static ThawWorld *open_strip(int integrator, double h) {
    ThawWorld *world = open_scene(
        "full",
        "{'thaw': 1, 'dimension': 2, 'gravity': [0, 0], 'time': {'step': %.17g, 'integrator': '%s', "
        "'newton_tolerance': 1e-10}, 'materials': {'a': {'young': %g, 'density': 1000, 'poisson': 0.3, 'alpha0': 0, "
        "'alpha1': 0}}, 'shapes': {'s': {'mesh': {'box': {'min': [-0.5, -0.1], 'max': [0.5, 0.1], 'cells': [8, 1]}}, "
        "'material': 'a'}}, 'bodies': [{'shape': 's'}]}",
        h, name_of(integrator), YOUNG);
    assert_int_equal(thaw_world_vertex_count(world, 0), VERTICES);
    return world;
}

// Its lowest mode and nothing else: displacement and velocity both, small enough for the elastic law to be linear.
typedef struct Mode {
    double omega; // rad/s
    double mass[VERTICES], X[COUNT], u[COUNT], v[COUNT];
} Mode;

static double square_of(const Mode *mode, const double *a) {
    double sum = 0;
    for (int i = 0; i < COUNT; i++)
        sum += mode->mass[i / 2] * a[i] * a[i];
    return sum;
}

// A small motion as a whole, which has no frequency.
static void take_rigid_out(const Mode *mode, double *a) {
    double mass = 0, inertia = 0, P[2] = {0}, L = 0;
    for (int i = 0; i < VERTICES; i++) {
        const double m = mode->mass[i], *X = mode->X + 2 * i; // whose centre is 0
        mass += m;
        inertia += m * (X[0] * X[0] + X[1] * X[1]);
        L += m * (X[0] * a[2 * i + 1] - X[1] * a[2 * i]);
        P[0] += m * a[2 * i];
        P[1] += m * a[2 * i + 1];
    }
    for (int i = 0; i < VERTICES; i++) {
        a[2 * i] -= P[0] / mass - L / inertia * mode->X[2 * i + 1];
        a[2 * i + 1] -= P[1] / mass + L / inertia * mode->X[2 * i];
    }
}

// Backward Euler leaves of any motion that which is slowest.
// size: m, of displacements, in the mean square.
static Mode find_mode(double size) {
    enum { SETTLE = 40 };
    Mode mode;
    ThawWorld *world = open_strip(THAW_INTEGRATOR_EULER, 0.002);
    thaw_world_get_positions(world, 0, mode.X);
    thaw_world_get_masses(world, 0, mode.mass);
    for (int i = 0; i < VERTICES; i++) {
        mode.v[2 * i] = 0;
        mode.v[2 * i + 1] = 0.3 * cos(2 * M_PI * mode.X[2 * i]);
    }
    assert_int_equal(thaw_world_set_velocities(world, 0, mode.v), THAW_OK);
    run_world(world, SETTLE);
    thaw_world_get_positions(world, 0, mode.u);
    thaw_world_get_velocities(world, 0, mode.v);
    thaw_world_free(&world);
    for (int i = 0; i < COUNT; i++)
        mode.u[i] -= mode.X[i];
    take_rigid_out(&mode, mode.u);
    take_rigid_out(&mode, mode.v);
    const double scale = size / sqrt(square_of(&mode, mode.u) / 200); // of 200 kg
    for (int i = 0; i < COUNT; i++) {
        mode.u[i] *= scale;
        mode.v[i] *= scale;
    }
    // Its frequency by Rayleigh's quotient of a state that is only displaced.
    double x[COUNT], none[COUNT] = {0};
    ThawLedger ledger;
    world = open_strip(THAW_INTEGRATOR_EULER, 1);
    for (int i = 0; i < COUNT; i++)
        x[i] = mode.X[i] + mode.u[i];
    assert_int_equal(thaw_world_set_positions(world, 0, x), THAW_OK);
    assert_int_equal(thaw_world_set_velocities(world, 0, none), THAW_OK);
    thaw_world_get_ledger(world, &ledger);
    mode.omega = sqrt(2 * ledger.elastic / square_of(&mode, mode.u));
    thaw_world_free(&world);
    return mode;
}

static ThawWorld *start_mode(const Mode *mode, int integrator, double h, double spin) {
    ThawWorld *world = open_strip(integrator, h);
    double x[COUNT], v[COUNT];
    for (int i = 0; i < COUNT; i++) {
        x[i] = mode->X[i] + mode->u[i];
        v[i] = mode->v[i];
    }
    for (int i = 0; i < VERTICES; i++) {
        v[2 * i] -= spin * x[2 * i + 1];
        v[2 * i + 1] += spin * x[2 * i];
    }
    assert_int_equal(thaw_world_set_positions(world, 0, x), THAW_OK);
    assert_int_equal(thaw_world_set_velocities(world, 0, v), THAW_OK);
    return world;
}

// Of displacement and velocity together, in the norm that is kept where energy is: sqrt(kg) m/s.
static double state_of(const ThawWorld *world, const Mode *mode) {
    double u[COUNT], v[COUNT];
    thaw_world_get_positions(world, 0, u);
    thaw_world_get_velocities(world, 0, v);
    for (int i = 0; i < COUNT; i++)
        u[i] -= mode->X[i];
    take_rigid_out(mode, u);
    take_rigid_out(mode, v);
    return sqrt(mode->omega * mode->omega * square_of(mode, u) + square_of(mode, v));
}

static double energy_of(const ThawWorld *world) {
    ThawLedger ledger;
    thaw_world_get_ledger(world, &ledger);
    return ledger.kinetic + ledger.elastic;
}

// A hundred thousand steps. First order keeps so long only what is a thousand times slower than a step.
static void a_vibration_decays_by_theory_and_nothing_else_changes(void **state) {
    (void)state;
    const int steps = repeats(100000);
    const Mode mode = find_mode(1e-5);
    const double size = sqrt(square_of(&mode, mode.v) + mode.omega * mode.omega * square_of(&mode, mode.u));
    for (int i = 0; i < THAW_INTEGRATOR_COUNT; i++) {
        const double z = is_second_order(i) ? 2 * M_PI / 64 : 1e-3;
        ThawWorld *world = start_mode(&mode, i, z / mode.omega, 0);
        const double first = state_of(world, &mode);
        run_world(world, steps);
        const double kept = state_of(world, &mode) / first, theory = pow(cabs(factor_of(i, z)), steps);
        const Momenta now = measure(world, 0, 2);
        const double P = hypot(now.P[0], now.P[1]) / (sqrt(now.mass) * size),
                     L = fabs(now.L[2]) / (sqrt(now.mass) * size), away = hypot(now.c[0], now.c[1]);
        print_message("%s, omega h %.4f: amplitude %.5f, by theory %.5f; P %.1e, L %.1e of what vibrates; centre off "
                      "by %.1e m\n",
                      name_of(i), z, kept, theory, P, L, away);
        assert_true(fabs(kept - theory) < 1e-4 * theory);
        assert_true(P < 1e-7 && away < 1e-8);
        assert_true(L < (thaw_scheme((ThawIntegrator)i)->follows ? 1e-7 : 0.02)); // in the world's axes it is not kept
        thaw_world_free(&world);
    }
}

// The same as it spins, in moving frames: angular momentum for as long.
static void a_spin_lasts_as_long(void **state) {
    (void)state;
    const int steps = repeats(100000);
    const Mode mode = find_mode(1e-5);
    for (int i = THAW_INTEGRATOR_EULER; i < THAW_INTEGRATOR_COUNT; i++) {
        const double h = 2 * M_PI / 64 / mode.omega, spin = 10;
        ThawWorld *world = start_mode(&mode, i, h, spin);
        const Momenta first = measure(world, 0, 2);
        const double energy = energy_of(world);
        run_world(world, steps);
        const Momenta last = measure(world, 0, 2);
        const double L = last.L[2] / first.L[2] - 1, kept = energy_of(world) / energy - 1,
                     away = hypot(last.c[0] - first.c[0], last.c[1] - first.c[1]);
        const double breathes =
            pow(1e3 * spin * spin / 8 / YOUNG, 2) * YOUNG * 0.2 / energy; // stretched by it, at most
        print_message("%s: %.0f turns; L off by %.1e, energy by %.1e (%.1e of it may die), centre by %.1e m\n",
                      name_of(i), steps * h * spin / (2 * M_PI), L, kept, breathes, away);
        assert_true(fabs(L) < 1e-8 && away < 1e-8 && kept < 1e-8 && kept > -breathes);
        thaw_world_free(&world);
    }
}

// --- vibrations faster than the step ---------------------------------------------------------------------------------

static void stiff_vibrations_die_as_theory_says(void **state) {
    (void)state;
    static const int at[] = {1, 2, 10};
    // By TR-BDF2 the first stage begins with a step forwards, to some h omega times as far.
    const Mode mode = find_mode(1e-7);
    for (int i = 0; i < THAW_INTEGRATOR_COUNT; i++)
        for (double z = 10; z < 2000; z *= 10) {
            ThawWorld *world = start_mode(&mode, i, z / mode.omega, 0);
            const double first = state_of(world, &mode);
            print_message("%s, omega h %g: after 1, 2, 10 steps", name_of(i), z);
            for (int k = 0, step = 0; k < 3; k++) {
                run_world(world, at[k] - step);
                step = at[k];
                const double left = state_of(world, &mode) / first, theory = pow(cabs(factor_of(i, z)), step);
                print_message(" %.2g (%.2g)", left, theory);
                assert_true(fabs(left - theory) < 0.03 * theory + 1e-8); // the positions are rounded
            }
            print_message("\n");
            thaw_world_free(&world);
        }
}

// A block of steel whose vertices all move at random: every mode at once, omega h from 300 on.
static void a_scrambled_block_of_steel_calms_down(void **state) {
    (void)state;
    for (int i = 0; i < THAW_INTEGRATOR_COUNT; i++) {
        const double h = 0.005, slowest = M_PI / 0.2 * sqrt(2e11 / 7850); // of its length, the longest of all its modes
        ThawWorld *world = open_scene(
            "full",
            "{'thaw': 1, 'gravity': [0, 0, 0], 'time': {'step': %g, 'integrator': '%s'}, 'shapes': {'s': {'mesh': "
            "{'box': {'min': [0, 0, 0], 'max': [0.2, 0.1, 0.05], 'cells': [4, 2, 1]}}, 'material': 'steel'}}, "
            "'bodies': [{'shape': 's'}]}",
            h, name_of(i));
        const int32_t n = thaw_world_vertex_count(world, 0);
        double *v = malloc(sizeof *v * 3 * (size_t)n);
        uint32_t seed = 1;
        for (int32_t k = 0; k < 3 * n; k++) {
            seed = seed * 1664525u + 1013904223u;
            v[k] = 1e-3 * ((double)(seed >> 8) / (1 << 23) - 1);
        }
        assert_int_equal(thaw_world_set_velocities(world, 0, v), THAW_OK);
        const Rigid rigid = make_rigid(world, NULL, NULL, (double[3]){0});
        const Momenta start = measure(world, 0, 3);
        const double whole = rigid_energy(&rigid) + thaw_v3_dot(start.P, start.P) / (2 * start.mass),
                     first = energy_of(world) - whole;
        double left[3];
        for (int k = 0; k < 3; k++) {
            run_world(world, 1);
            left[k] = (energy_of(world) - whole) / first;
        }
        print_message("%s: of its energy beside rigid motion are left %.1e, %.1e, %.1e\n", name_of(i), left[0], left[1],
                      left[2]);
        const double factor = cabs(factor_of(i, slowest * h));
        assert_true(left[0] < 2 * factor * factor && left[1] < left[0] && left[2] < fmax(left[1], 1e-12));
        free(v);
        thaw_world_free(&world);
    }
}

// --- order, with rigid parts -----------------------------------------------------------------------------------------

enum { STRIP_VERTICES = 2 * 19 };

// A soft strip that flies, spins and bends, its middle third rigid: positions after 0.2 s.
static void fly(const char *method, int integrator, double h, double *x) {
    ThawWorld *world = open_scene(
        method,
        "{'thaw': 1, 'dimension': 2, 'gravity': [0, -9.81], 'time': {'step': %.17g, 'integrator': '%s', "
        "'newton_tolerance': 1e-10}, 'materials': {'a': {'young': 2e5, 'density': 1000, 'poisson': 0.3, 'alpha0': 0, "
        "'alpha1': 0}}, 'shapes': {'s': {'mesh': {'box': {'min': [0, 0], 'max': [0.9, 0.05], 'cells': [18, 1]}}, "
        "'material': 'a', 'groups': {'stiff': {'box': {'min': [0.29, -1], 'max': [0.61, 1]}}}}}, 'bodies': [{'shape': "
        "'s', 'spin': 6, 'forces': [{'group': 'x-max', 'acceleration': [0, 20]}]}]}",
        h, name_of(integrator));
    const ThawStepStats stats = run_world(world, (int)lround(0.2 / h));
    assert_int_equal(thaw_world_vertex_count(world, 0), STRIP_VERTICES);
    if (strcmp(method, "fixed") == 0)
        assert_true(stats.rigid_parts == 1 && stats.elastic_elements == 2 * 12);
    thaw_world_get_positions(world, 0, x);
    thaw_world_free(&world);
}

static double apart(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < 2 * STRIP_VERTICES; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

static void order_is_kept_with_rigid_parts(void **state) {
    (void)state;
    static const char *const methods[] = {"full", "fixed"};
    for (int m = 0; m < 2; m++) {
        double limit[THAW_INTEGRATOR_COUNT][2 * STRIP_VERTICES];
        for (int i = 0; i < THAW_INTEGRATOR_COUNT; i++) {
            double x[3][2 * STRIP_VERTICES];
            const int power = is_second_order(i) ? 4 : 2;
            for (int k = 0; k < 3; k++)
                fly(methods[m], i, 4e-4 / (1 << k), x[k]);
            for (int k = 0; k < 2 * STRIP_VERTICES; k++)
                limit[i][k] = x[2][k] + (x[2][k] - x[1][k]) / (power - 1);
            const double order = log2(apart(x[0], x[1]) / apart(x[1], x[2]));
            print_message("%s, %s: order %.2f, differences %.1e, %.1e\n", methods[m], name_of(i), order,
                          apart(x[0], x[1]), apart(x[1], x[2]));
            assert_true(is_second_order(i) ? order > 1.8 : order > 0.8);
        }
        for (int i = 0; i < THAW_INTEGRATOR_COUNT; i++) {
            const double off = apart(limit[i], limit[THAW_INTEGRATOR_TR_BDF2_NEWTON]);
            print_message("%s, %s: its limit is off by %.1e m\n", methods[m], name_of(i), off);
            assert_true(off < 3e-3);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vibration_decays_by_theory_and_nothing_else_changes),
        cmocka_unit_test(a_spin_lasts_as_long),
        cmocka_unit_test(stiff_vibrations_die_as_theory_says),
        cmocka_unit_test(a_scrambled_block_of_steel_calms_down),
        cmocka_unit_test(order_is_kept_with_rigid_parts),
    };
    return thaw_method_register(&fixed_method) < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
