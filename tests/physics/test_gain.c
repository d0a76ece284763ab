// SPDX-License-Identifier: Apache-2.0
// No energy out of nothing: bodies that fall and are dragged, that lean on each other and creep, that roll over coarse
// facets, and that follow the motion inside their parts. Each of them gained before it was looked for.
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

typedef struct Balance {
    double rise; // of all energies, springs of contacts among them, less the work of loads: as a share of the largest
    double kept; // kinetic energy at the end, as a share of that after the first step
    double momentum; // by which the first body's momentum is off, as a share of the largest sum of its impulses
} Balance;

static Balance run_balance(ThawWorld *world, int steps, double h, const double *g) {
    double lowest[2] = {0}, largest = 0, ground = NAN, first = NAN, off = 0, acting = 0;
    Balance balance = {0};
    const int dim = g ? 3 : 2;
    Momenta before = measure(world, 0, dim);
    double *f = calloc(3 * (size_t)thaw_world_vertex_count(world, 0), sizeof *f);
    for (int i = 0; i < steps; i++) {
        const ThawLedger l = run_world(world, 1).ledger;
        const double own = l.follow_work - l.integration_loss - l.damping_loss - l.transition_loss;
        const double value[2] = {own, own + l.contact_work + l.contact_energy - l.obstacle_work};
        const double held = l.kinetic + l.shadow + l.elastic;
        ground = isnan(ground) ? l.gravitational : ground;
        first = isnan(first) ? l.kinetic : first;
        largest = fmax(largest, held + fabs(l.gravitational - ground));
        for (int k = 0; k < 2; k++)
            lowest[k] = fmin(lowest[k], value[k]);
        balance.rise = fmax(balance.rise, fmin(value[0] - lowest[0], value[1] - lowest[1]));
        balance.kept = l.kinetic / first;
        const Momenta now = measure(world, 0, dim);
        thaw_world_get_contact_forces(world, 0, f);
        for (int k = 0; k < dim && g; k++) {
            double impulse = h * now.mass * g[k];
            for (int32_t v = 0; v < thaw_world_vertex_count(world, 0); v++)
                impulse += h * f[dim * v + k];
            off = fmax(off, fabs(now.P[k] - before.P[k] - impulse));
            acting = fmax(acting, fabs(now.P[k]) + fabs(impulse));
        }
        before = now;
    }
    balance.rise /= largest;
    balance.momentum = acting > 0 ? off / acting : 0;
    free(f);
    thaw_world_free(&world);
    return balance;
}

static const char *const METHODS[] = {"full", "rigidify"};
static const char *const INTEGRATORS[] = {"euler", "euler-newton"};

static void what_is_dragged_gains_nothing(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++)
        for (int i = 0; i < 2; i++) {
            const Balance b = run_balance(
                open_scene(METHODS[m],
                           "{'thaw': 1, 'gravity': [0, 0, -10], 'time': {'step': 0.05, 'integrator': '%s'}, "
                           "'materials': {'m': {'young': 1e6, 'poisson': 0.3, 'density': 1000, 'alpha0': 30}}, "
                           "'shapes': {'s': {'mesh': {'box': {'min': [0, 0, 0], 'max': [1, 1, 1], 'cells': [2, 2, 2]}},"
                           "'material': 'm'}}, 'bodies': [{'shape': 's'}]}",
                           INTEGRATORS[i]),
                60, 0.05, NULL);
            print_message("%s, %s: energy rises by %.1e\n", METHODS[m], INTEGRATORS[i], b.rise);
            assert_true(b.rise < 1e-9);
        }
}

// A box whose damping takes ninety steps to relax leans on a pinned one under ten times the weight of the earth:
// contact stopped its turning in the world's axes, and momenta in its own gave it back.
static void what_creeps_and_leans_shakes_no_more(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        const Balance b = run_balance(
            open_scene(METHODS[m],
                       "{'thaw': 1, 'dimension': 2, 'gravity': [0, -100], 'time': {'step': 0.007743, 'integrator': "
                       "'euler'}, 'materials': {'a': {'model': 'corotational', 'density': 1736, 'young': 762800, "
                       "'poisson': 0.3455, 'alpha1': 0.6911}, 'b': {'density': 2272, 'young': 563000, 'poisson': "
                       "0.1823}}, 'shapes': {'a': {'mesh': {'box': {'min': [-0.007596, -0.00524], 'max': [0.007596, "
                       "0.00524], 'cells': [3, 2]}}, 'material': 'a'}, 'b': {'mesh': {'box': {'min': [-0.01012, "
                       "-0.006398], 'max': [0.01012, 0.006398], 'cells': [3, 2]}}, 'material': 'b', 'groups': {'root': "
                       "{'side': {'point': [-0.01012, 0], 'normal': [-1, 0]}}}}}, 'bodies': [{'shape': 'a', "
                       "'position': [-0.01473, 0.008851], 'rotation': {'degrees': 38.97}, 'friction': 0.8823}, "
                       "{'shape': 'b', 'position': [0.004615, 0.006398], 'pins': ['root'], 'friction': 0.1915}], "
                       "'obstacles': [{'plane': {'normal': [0, 1]}, 'friction': 0.2265}], 'contact': {'friction': "
                       "'box', 'stiffness': 'hard', 'tangent': 0}}"),
            60, 0, NULL);
        print_message("%s: energy rises by %.1e\n", METHODS[m], b.rise);
        assert_true(b.rise < 1e-6);
    }
}

// By 0.25 rad a step it got 31 percent faster. By small steps (0.5 ms, second order) it keeps 0.41 of its energy.
static void what_rolls_over_coarse_facets_gains_nothing(void **state) {
    (void)state;
    const double g[3] = {0, 0, -9.81};
    for (int m = 0; m < 2; m++)
        for (int fast = 0; fast < 2; fast++) {
            const Balance b = run_balance(
                open_scene(METHODS[m],
                           "{'thaw': 1, 'gravity': [0, 0, -9.81], 'time': {'step': 0.005, 'integrator': 'euler', "
                           "'substeps': 0}, "
                           "'shapes': {'s': {'mesh': {'solid': {'sphere': {'radius': 0.03}}, 'elements': 400}, "
                           "'material': 'silicone'}}, 'bodies': [{'shape': 's', 'position': [0, 0, 0.03], 'velocity': "
                           "[%g, 0, 0], 'spin': [0, %g, 0], 'friction': 1}], 'obstacles': [{'plane': {}, 'friction': "
                           "1}]}",
                           fast ? 3.0 : 1.5, fast ? 100.0 : 50.0),
                260, 0.005, g);
            print_message("%s, %.2f rad a step: energy rises by %.1e, kinetic kept %.2f, momentum off by %.1e\n",
                          METHODS[m], fast ? 0.5 : 0.25, b.rise, b.kept, b.momentum);
            assert_true(b.rise < 1e-6);
            assert_true(b.momentum < 1e-9);
            assert_true(b.kept < 1 && (fast || b.kept > 0.4));
        }
}

// A stiff bar that spins fast and slides off a floor followed its forces to where they put energy into it.
static void answers_put_no_energy_into_a_body(void **state) {
    (void)state;
    const Balance b = run_balance(
        open_scene("rigidify",
                   "{'thaw': 1, 'dimension': 2, 'gravity': [1.63497605, -9.67279449], 'time': {'step': 0.00764811964, "
                   "'integrator': 'euler'}, 'materials': {'m': {'model': 'stable-neo-hookean', 'density': 276.406693, "
                   "'young': 275856947, 'poisson': "
                   "0.229236345, 'alpha0': 0, 'alpha1': 0}}, 'shapes': {'s': {'mesh': {'box': {'min': [-23.9973318, "
                   "-3.57091171], 'max': "
                   "[23.9973318, 3.57091171], 'cells': [7, 1]}}, 'material': 'm'}}, 'bodies': [{'shape': 's', "
                   "'position': [-4.60672665, 44.29523], 'rotation': {'degrees': 90}, 'spin': 4.16298388, 'friction': "
                   "0.647308954}], 'obstacles': [{'plane': {'normal': [0, 1]}, 'friction': 0, 'keys': [{'time': "
                   "0.299307048, 'translation': [0, 0]}, {'time': 0.655590037, 'translation': [-5.23731435, 0]}], "
                   "'interpolation': 'linear'}], 'contact': {'edges': true, 'tangent': 0.1}}"),
        60, 0, NULL);
    print_message("energy rises by %.1e\n", b.rise);
    assert_true(b.rise < 1e-6);
}

// A dress whose waist is turned by scripts lags behind, is twisted and buckles: the step in which it does is iterated.
static void what_scripts_twist_gains_nothing(void **state) {
    (void)state;
    const Balance b = run_balance(
        open_scene(
            "full",
            "{'thaw': 1, 'time': {'step': 0.005}, 'materials': {'m': {'model': 'corotational', 'density': 470, "
            "'young': "
            "1e6, 'poisson': 0.24, 'alpha0': 0.5, 'alpha1': 1.6e-3}}, 'shapes': {'s': {'mesh': {'sheet': "
            "{'revolution': "
            "{'profile': [[0.55, 0.45], [0.3, 0.85], [0.19, 1.05], [0.15, 1.18], [0.17, 1.33], [0.16, 1.4]]}}, 'size': "
            "0.06}, 'material': 'm', 'thickness': 0.003, 'bending_damping': 0.01, 'groups': {'waist': {'box': {'min': "
            "[-0.25, -0.25, 1.32], 'max': [0.25, 0.25, 1.5]}}}}}, 'bodies': [{'shape': 's', 'scripts': [{'group': "
            "'waist', 'interpolation': 'smooth', 'centre': [0, 0, 0.9], 'keys': [{'time': 0.4}, {'time': 1, "
            "'rotation': "
            "{'axis': [0, 0, 1], 'degrees': 100}}]}], 'forces': [{'group': 'all', 'wind': [0, 0, 0]}]}]}",
            ""),
        112, 0.005, (const double[]){0, 0, -9.81});
    print_message("energy rises by %.1e\n", b.rise);
    assert_true(b.rise < 0.01);
}

// A cloth that hangs flat is pressed in its plane by hooks that move apart from each other's pace, and buckles.
static void what_scripts_press_gains_nothing(void **state) {
    (void)state;
    const Balance b = run_balance(
        open_scene(
            "full",
            "{'thaw': 1, 'time': {'step': 0.005}, 'shapes': {'s': {'mesh': {'sheet': {'grid': {'width': 0.6, "
            "'height': 0.4}}, 'size': 0.04}, 'material': 'cotton', 'rotate': {'axis': [1, 0, 0], 'degrees': 90}, "
            "'groups': {'a': {'nearest': [-0.3, 0, 0.2]}, 'b': {'nearest': [0, 0, 0.2]}, 'c': {'nearest': [0.3, "
            "0, 0.2]}}}}, 'bodies': [{'shape': 's', 'pins': ['a'], 'scripts': [{'group': 'b', 'interpolation': "
            "'smooth', 'keys': [{'time': 0.2}, {'time': 1.2, 'translation': [-0.1, 0, 0]}]}, {'group': 'c', "
            "'interpolation': 'smooth', 'keys': [{'time': 0.2}, {'time': 1.2, 'translation': [-0.2, 0, 0]}]}], "
            "'forces': [{'group': 'all', 'wind': [0, 0, 0]}]}]}",
            ""),
        100, 0.005, (const double[]){0, 0, -9.81});
    print_message("energy rises by %.1e\n", b.rise);
    assert_true(b.rise < 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_dragged_gains_nothing),
        cmocka_unit_test(what_creeps_and_leans_shakes_no_more),
        cmocka_unit_test(what_rolls_over_coarse_facets_gains_nothing),
        cmocka_unit_test(answers_put_no_energy_into_a_body),
        cmocka_unit_test(what_scripts_twist_gains_nothing),
        cmocka_unit_test(what_scripts_press_gains_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
