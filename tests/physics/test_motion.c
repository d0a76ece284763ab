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

// A disc without facets rolls 0.568 m; this one, of some fifty, less: it falls from facet to facet. By steps of 0.1 and
// 0.2 ms, of both orders, it is 0.536 m (silicone), and 0.495 to 0.507 m (steel).
static void discs_roll(void **state) {
    (void)state;
    for (int i = 0; i < INTEGRATOR_COUNT; i++)
        for (int stiff = 0; stiff < 2; stiff++) {
            const double young = stiff ? 2e11 : 1e6;
            double way[2] = {roll("full", INTEGRATORS[i], 0.005, young),
                             roll("rigidify", INTEGRATORS[i], 0.005, young)};
            print_message("%s, %s: full %.4f m, rigidify %.4f m\n", INTEGRATORS[i], stiff ? "steel" : "silicone",
                          way[0], way[1]);
            const double converged = stiff ? 0.501 : 0.536;
            for (int k = 0; k < 2; k++)
                assert_true(fabs(way[k] / converged - 1) < 0.065);
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

// What a vibration becomes in a step of z = omega h, by the scheme's own polynomial.
static double complex factor_of_tr_bdf2(double z) {
    const double g = 2 - sqrt(2), d = g / 2;
    const double complex l = z * I, y1 = (1 + d * l) / (1 - d * l);
    return (y1 / (g * (2 - g)) - (1 - g) * (1 - g) / (g * (2 - g))) / (1 - d * l);
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
                     theory = pow(cabs(factor_of_tr_bdf2(omega * h)), 20 * per);
        print_message("%d steps a period: amplitude %.5f after 20 periods, theory %.5f\n", per, left, theory);
        assert_true(fabs(left - theory) < 0.01);
        free(v);
        free(x);
        thaw_world_free(&world);
    }
}

// A cantilever that swings in its first mode, a little: its frequency is that of theory, and both what it keeps of its
// amplitude and its frequency by coarser steps are those of the scheme's own polynomial.
static double cantilever(double h, int periods, double omega, double *kept) {
    const double length = 1, beta = 1.87510407, c = cosh(beta) + cos(beta), s = sinh(beta) + sin(beta);
    ThawWorld *world = open_scene(
        "full",
        "{'thaw': 1, 'dimension': 2, 'gravity': [0, 0], 'time': {'step': %.17g, 'integrator': 'tr-bdf2'}, "
        "'materials': {'a': {'young': 1e6, 'density': 1000, 'poisson': 0, 'alpha0': 0, 'alpha1': 0}}, 'shapes': {'s': "
        "{'mesh': {'box': {'min': [0, -0.05], 'max': [1, 0.05], 'cells': [80, 10]}}, 'material': 'a'}}, 'bodies': "
        "[{'shape': 's', 'pins': ['x-min']}]}",
        h);
    const int32_t n = thaw_world_vertex_count(world, 0);
    double *x = malloc(sizeof *x * 2 * (size_t)n), *v = malloc(sizeof *v * 2 * (size_t)n), last = 0, crossing = 0;
    thaw_world_get_positions(world, 0, x);
    for (int32_t i = 0; i < n; i++) { // planes stay planes: they turn by the slope
        const double b = beta / length, a = b * x[2 * i];
        v[2 * i] = -1e-3 * x[2 * i + 1] * b * (sinh(a) + sin(a) - c / s * (cosh(a) - cos(a)));
        v[2 * i + 1] = 1e-3 * (cosh(a) - cos(a) - c / s * (sinh(a) - sin(a)));
    }
    assert_int_equal(thaw_world_set_velocities(world, 0, v), THAW_OK);
    const double first = measure(world, 0, 2).kinetic, centre = measure(world, 0, 2).c[1];
    ThawStepStats stats;
    const int steps = (int)lround((periods + 0.25) * 2 * M_PI / omega / h);
    for (int i = 0; i < steps; i++) {
        step_world(world, &stats);
        const double next = measure(world, 0, 2).c[1] - centre;
        if (last < 0 && next >= 0) // upwards through the middle
            crossing = h * (i + last / (last - next));
        last = next;
    }
    *kept = pow((stats.ledger.kinetic + stats.ledger.elastic) / first, 0.5 / steps);
    free(x);
    free(v);
    thaw_world_free(&world);
    return 2 * M_PI * periods / crossing;
}

static void cantilevers_swing_as_theory_says(void **state) {
    (void)state;
    const double beam = 1.87510407 * 1.87510407 * sqrt(1e6 * 0.1 * 0.1 / 12 / 1000);
    double kept;
    const double omega = cantilever(2 * M_PI / beam / 128, 2, beam, &kept);
    print_message("first frequency %.4f rad/s, of a slender beam %.4f\n", omega, beam);
    assert_true(fabs(omega / beam - 1) < 0.03);
    for (int per = 16; per <= 64; per *= 2) {
        const double h = 2 * M_PI / omega / per, coarse = cantilever(h, 4, omega, &kept), lost = 1 - pow(kept, per),
                     theory = 1 - pow(cabs(factor_of_tr_bdf2(omega * h)), per),
                     slower = carg(factor_of_tr_bdf2(omega * h)) / (omega * h);
        print_message("%d steps a period: lost a period %.6f, theory %.6f; frequency %.5f of it, theory %.5f\n", per,
                      lost, theory, coarse / omega, slower);
        assert_true(fabs(lost - theory) < 0.03 * theory);
        assert_true(fabs(coarse / omega - slower) < 3e-4);
    }
}

// --- swings and tops -------------------------------------------------------------------------------------------------

static double agm(double a, double b) {
    for (int i = 0; i < 8; i++) {
        const double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return a;
}

static ThawWorld *hang_bar(int dim, const char *method, const char *integrator, double h, const char *pins) {
    return open_scene(
        method,
        "{'thaw': 1, 'dimension': %d, 'time': {'step': %.17g, 'integrator': '%s'}, 'shapes': {'s': {'mesh': {'box': "
        "{'min': [0, %s], 'max': [0.3, %s], 'cells': [10, %s]}}, 'material': 'steel', 'groups': {'pin': %s}}}, "
        "'bodies': [{'shape': 's', 'pins': ['pin']}]}",
        dim, h, integrator, dim == 2 ? "-0.02" : "-0.02, -0.02", dim == 2 ? "0.02" : "0.02, 0.02",
        dim == 2 ? "2" : "2, 2", pins);
}

// A steel bar let go level, on a pin in the plane or a hinge in space: its period against the integral of the
// pendulum's equation, and what it has of its energy after a second.
static void pendulums_keep_time_and_energy(void **state) {
    (void)state;
    static const char *const methods[] = {"full", "rigidify"}, *const names[] = {"euler", "tr-bdf2"};
    for (int dim = 2; dim <= 3; dim++)
        for (int i = 0; i < 2; i++)
            for (int m = 0; m < 2; m++) {
                const double h = 0.008;
                const int down = dim - 1, steps = 190;
                ThawWorld *world = hang_bar(dim, methods[m], names[i], h,
                                            dim == 2 ? "{'nearest': [0, 0]}"
                                                     : "{'box': {'min': [-1, -1, -0.001], 'max': [0.001, 1, 0.001]}}");
                const int32_t n = thaw_world_vertex_count(world, 0);
                double *x = malloc(sizeof *x * (size_t)(n * dim)), *mass = malloc(sizeof *mass * (size_t)n),
                       inertia = 0;
                thaw_world_get_positions(world, 0, x);
                thaw_world_get_masses(world, 0, mass);
                for (int32_t k = 0; k < n; k++)
                    inertia += mass[k] * (x[k * dim] * x[k * dim] + x[k * dim + down] * x[k * dim + down]);
                const Momenta first = measure(world, 0, dim);
                const double arm = hypot(first.c[0], first.c[down]), start = atan2(first.c[0], -first.c[down]),
                             turn = first.mass * 9.81 * arm, had = turn * (1 - cos(start)),
                             period = 2 * M_PI * sqrt(inertia / turn) / agm(1, cos(start / 2));
                double crossings[8] = {0}, last = start, kept = 0;
                int count = 0;
                for (int k = 0; k < steps; k++) {
                    ThawStepStats stats;
                    step_world(world, &stats);
                    const Momenta now = measure(world, 0, dim);
                    const double angle = atan2(now.c[0], -now.c[down]);
                    if (angle * last < 0 && count < 8)
                        crossings[count++] = h * (k + last / (last - angle));
                    last = angle;
                    if (k + 1 == 125)
                        kept = (now.kinetic + now.mass * 9.81 * (now.c[down] + arm)) / had;
                }
                assert_true(count >= 3);
                print_message("%dD, %s, %s: quarter %.4f of theory, period %.4f; energy kept in 1 s %.4f\n", dim,
                              names[i], methods[m], crossings[0] / (period / 4), (crossings[2] - crossings[0]) / period,
                              kept);
                assert_true(fabs(crossings[0] / (period / 4) - 1) < (i == 0 ? 0.01 : 0.0005));
                assert_true(fabs((crossings[2] - crossings[0]) / period - 1) < (i == 0 ? 0.05 : 0.0005));
                assert_true(kept > (i == 0 ? 0.73 : 0.999) && kept < 1.0005);
                free(x);
                free(mass);
                thaw_world_free(&world);
            }
}

// By their own equations, n steps of h.
static Rigid follow(Rigid rigid, double h, int n) {
    for (int i = 0; i < 20 * n; i++)
        advance_rigid(&rigid, h / 20);
    return rigid;
}

// The same bar on a point, a corner of it: as it falls, it turns about itself.
static void bars_on_a_point_swing_as_rigid_ones(void **state) {
    (void)state;
    static const char *const methods[] = {"full", "rigidify"}, *const names[] = {"euler", "tr-bdf2"};
    static const double pin[3] = {0, -0.02, -0.02}, g[3] = {0, 0, -9.81}, none[3] = {0};
    double before = 0;
    for (int i = 0; i < 2; i++)
        for (int m = 0; m < 2; m++)
            for (int fine = 0; fine < 2; fine++) {
                const double h = 0.008 / (1 << fine);
                const int steps = 63 << fine;
                ThawWorld *world = hang_bar(3, methods[m], names[i], h, "{'nearest': [0, -0.02, -0.02]}");
                const Rigid start = make_rigid(world, pin, none, g), end = follow(start, h, steps);
                run_world(world, steps);
                const Momenta now = measure(world, 0, 3);
                double c[3], off[3];
                const double lowest = now.mass * 9.81 * thaw_v3_norm(start.c);
                thaw_rotate(end.R, start.c, c);
                for (int k = 0; k < 3; k++)
                    off[k] = now.c[k] - pin[k] - c[k];
                const double kept =
                    (now.kinetic + now.mass * 9.81 * (now.c[2] - pin[2]) + lowest) / (rigid_energy(&start) + lowest);
                print_message("%s, %s, h %g ms: centre %.5f m off after 0.5 s, energy kept %.5f\n", names[i],
                              methods[m], 1e3 * h, thaw_v3_norm(off), kept);
                assert_true(kept > (i == 0 ? 0.84 : 0.985) && kept < 1.0005);
                assert_true(thaw_v3_norm(off) < (i == 0 ? 0.025 : 0.002));
                assert_true(fine == 0 || thaw_v3_norm(off) < before / (i == 0 ? 1.8 : 3.3));
                before = thaw_v3_norm(off);
                thaw_world_free(&world);
            }
}

// A wing nut: about its middle axis a body turns over again and again. Times at which it does.
enum { FLIPS = 4 };

static int flips_between(double a, double b, double t, double h, double *times, int count) {
    if (a * b < 0 && count < FLIPS)
        times[count++] = t + h * a / (a - b);
    return count;
}

static void wing_nuts_turn_over_in_time(void **state) {
    (void)state;
    static const char *const methods[] = {"full", "rigidify"};
    static const double g[3] = {0};
    for (int i = 0; i < INTEGRATOR_COUNT; i += 2)
        for (int m = 0; m < 2; m++) {
            const double h = 0.005;
            ThawWorld *world = open_scene(
                methods[m],
                "{'thaw': 1, 'gravity': [0, 0, 0], 'time': {'step': %g, 'integrator': '%s'}, 'shapes': {'s': {'mesh': "
                "{'box': {'min': [-0.1, -0.05, -0.02], 'max': [0.1, 0.05, 0.02], 'cells': [4, 2, 1]}}, 'material': "
                "'steel'}}, 'bodies': [{'shape': 's', 'spin': [0.3, 12, 0.2]}]}",
                h, INTEGRATORS[i]);
            const int32_t n = thaw_world_vertex_count(world, 0);
            double *x = malloc(sizeof *x * 3 * (size_t)n), theory[FLIPS] = {0}, times[FLIPS] = {0}, way[3], on[3];
            thaw_world_get_positions(world, 0, x);
            int32_t from = 0, to = 0;
            for (int32_t k = 0; k < n; k++) { // ends of the middle axis
                from = x[3 * k + 1] - fabs(x[3 * k]) < x[3 * from + 1] - fabs(x[3 * from]) ? k : from;
                to = x[3 * k + 1] - fabs(x[3 * k]) > x[3 * to + 1] - fabs(x[3 * to]) ? k : to;
            }
            thaw_v3_sub(x + 3 * to, x + 3 * from, way);
            Rigid rigid = make_rigid(world, NULL, NULL, g);
            double L[3], last = thaw_v3_dot(way, rigid.L);
            memcpy(L, rigid.L, sizeof L);
            int foreseen = 0, count = 0;
            for (int k = 0; k < 20000 && foreseen < FLIPS; k++) {
                advance_rigid(&rigid, 2.5e-4);
                thaw_rotate(rigid.R, way, on);
                foreseen = flips_between(last, thaw_v3_dot(on, L), k * 2.5e-4, 2.5e-4, theory, foreseen);
                last = thaw_v3_dot(on, L);
            }
            assert_int_equal(foreseen, FLIPS);
            last = thaw_v3_dot(way, L);
            for (int k = 0; k < 1000 && count < FLIPS; k++) {
                ThawStepStats stats;
                step_world(world, &stats);
                thaw_world_get_positions(world, 0, x);
                thaw_v3_sub(x + 3 * to, x + 3 * from, on);
                count = flips_between(last, thaw_v3_dot(on, L), k * h, h, times, count);
                last = thaw_v3_dot(on, L);
            }
            print_message("%s, %s: turns over after", INTEGRATORS[i], methods[m]);
            for (int k = 0; k < FLIPS; k++)
                print_message(" %.4f (%.4f)", times[k], theory[k]);
            print_message(" s\n");
            for (int k = 0; k < FLIPS; k++)
                assert_true(fabs(times[k] / theory[k] - 1) < 0.001);
            free(x);
            thaw_world_free(&world);
        }
}

// A cube that stands on the middle of a face, tilted by 30 degrees, and spins about its axis: it precesses.
static void tops_precess_as_rigid_ones(void **state) {
    (void)state;
    static const char *const methods[] = {"full", "rigidify"}, *const names[] = {"euler", "tr-bdf2"};
    for (int i = 0; i < 2; i++)
        for (int m = 0; m < 2; m++) {
            const double h = 0.001, spin = 100, tilt = M_PI / 6, g[3] = {0, 0, -9.81}, pin[3] = {0};
            const int steps = 500;
            ThawWorld *world = open_scene(
                methods[m],
                "{'thaw': 1, 'time': {'step': %g, 'integrator': '%s'}, 'shapes': {'s': {'mesh': {'box': {'min': "
                "[-0.05, -0.05, 0], 'max': [0.05, 0.05, 0.1], 'cells': [4, 4, 4]}}, 'material': 'steel', 'groups': "
                "{'tip': {'nearest': [0, 0, 0]}}}}, 'bodies': [{'shape': 's', 'rotation': {'axis': [0, 1, 0], "
                "'degrees': 30}, 'pins': ['tip']}]}",
                h, names[i]);
            const int32_t n = thaw_world_vertex_count(world, 0);
            double *x = malloc(sizeof *x * 3 * (size_t)n), *v = malloc(sizeof *v * 3 * (size_t)n);
            const double axis[3] = {sin(tilt), 0, cos(tilt)};
            Rigid rigid = make_rigid(world, pin, axis, g);
            const double about = thaw_v3_dot(rigid.L, axis),
                         rate = rigid.mass * 9.81 * thaw_v3_norm(rigid.c) / (about * spin);
            const double omega[3] = {spin * axis[0], 0, spin * axis[2] + rate};
            thaw_world_get_positions(world, 0, x);
            for (int32_t k = 0; k < n; k++)
                thaw_v3_cross(omega, x + 3 * k, v + 3 * k);
            assert_int_equal(thaw_world_set_velocities(world, 0, v), THAW_OK);
            const Rigid start = make_rigid(world, pin, omega, g), end = follow(start, h, steps);
            run_world(world, steps);
            const Momenta now = measure(world, 0, 3);
            double L[3];
            thaw_v3_cross(now.c, now.P, L);
            thaw_v3_add(L, 1, now.L, L);
            const double angle0 = atan2(start.L[1], start.L[0]), angle = atan2(L[1], L[0]) - angle0,
                         theory = atan2(end.L[1], end.L[0]) - angle0, tilted = L[2] / thaw_v3_norm(L),
                         foreseen = end.L[2] / thaw_v3_norm(end.L),
                         kept = (now.kinetic + now.mass * 9.81 * now.c[2]) / rigid_energy(&start);
            print_message("%s, %s: %.4f rad in 0.5 s, rigid %.4f, fast top %.4f; cosine of L's tilt %.5f, rigid %.5f; "
                          "energy kept %.5f\n",
                          names[i], methods[m], angle, theory, rate * steps * h, tilted, foreseen, kept);
            assert_true(fabs(theory / (rate * steps * h) - 1) < 0.05);
            assert_true(fabs(angle / theory - 1) < (i == 0 ? 0.003 : 0.0003));
            assert_true(fabs(tilted - foreseen) < (i == 0 ? 0.002 : 0.0002));
            assert_true(fabs(kept - 1) < (i == 0 ? 0.005 : 0.0005));
            free(x);
            free(v);
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
        cmocka_unit_test(cantilevers_swing_as_theory_says),
        cmocka_unit_test(pendulums_keep_time_and_energy),
        cmocka_unit_test(bars_on_a_point_swing_as_rigid_ones),
        cmocka_unit_test(wing_nuts_turn_over_in_time),
        cmocka_unit_test(tops_precess_as_rigid_ones),
        cmocka_unit_test(bits_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
