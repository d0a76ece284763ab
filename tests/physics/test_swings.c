// SPDX-License-Identifier: Apache-2.0
// Bars that twist and bend: their frequencies against theory, and what a period at coarse steps takes of them against
// the schemes' own polynomials. And a gyroscope on a pin against the equations of a rigid body.
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

static const char *const INTEGRATORS[] = {"euler", "tr-bdf2"};
static const char *const METHODS[] = {"full", "rigidify"};

static double complex factor_of(int integrator, double z) {
    const double g = 2 - sqrt(2), d = g / 2;
    const double complex l = z * I, y1 = (1 + d * l) / (1 - d * l);
    return integrator == 0 ? 1 / (1 - l) : (y1 - (1 - g) * (1 - g)) / (g * (2 - g)) / (1 - d * l);
}

// --- bars that are clamped at an end ---------------------------------------------------------------------------------

static const double LENGTH = 1, WIDTH = 0.1, YOUNG = 1e7, POISSON = 0.3, DENSITY = 1000;

typedef struct Swing {
    double omega; // rad/s, by its passages through the middle
    double kept;  // of its amplitude, a step
} Swing;

// It bends along a diagonal, about which its mesh is alike on both sides.
static double along(const double *r) { return (r[1] + r[2]) / sqrt(2); }

// How far its free end is turned about the axis, or bent; to scale.
static double deflection(int32_t n, const double *X, const double *x, int twists) {
    double sum = 0;
    for (int32_t i = 0; i < n; i++)
        if (X[3 * i] > LENGTH * 0.999)
            sum += twists ? X[3 * i + 1] * x[3 * i + 2] - X[3 * i + 2] * x[3 * i + 1]
                          : along(x + 3 * i) - along(X + 3 * i);
    return sum;
}

// Its lowest mode of twisting (its axis is held then, for tetrahedra on one side are not those on the other), or of
// bending, a little and without damping, for so many periods.
static Swing swing(int integrator, int cells, double h, int twists, double periods, double expected) {
    const double beta = 1.87510407 / LENGTH, c = cosh(1.87510407) + cos(1.87510407),
                 s = sinh(1.87510407) + sin(1.87510407);
    ThawWorld *world = open_scene(
        "full",
        "{'thaw': 1, 'gravity': [0, 0, 0], 'time': {'step': %.17g, 'integrator': '%s'}, 'materials': {'a': {'young': "
        "%g, 'density': %g, 'poisson': %g, 'alpha0': 0, 'alpha1': 0}}, 'shapes': {'s': {'mesh': {'box': {'min': [0, "
        "%g, %g], 'max': [%g, %g, %g], 'cells': [%d, %d, %d]}}, 'material': 'a', 'groups': {'axis': {'box': {'min': "
        "[-1, -1e-6, -1e-6], 'max': [2, 1e-6, 1e-6]}}}}}, 'bodies': [{'shape': 's', 'pins': ['x-min'%s]}]}",
        h, INTEGRATORS[integrator], YOUNG, DENSITY, POISSON, -WIDTH / 2, -WIDTH / 2, LENGTH, WIDTH / 2, WIDTH / 2,
        6 * cells, cells, cells, twists ? ", 'axis'" : "");
    const int32_t n = thaw_world_vertex_count(world, 0);
    double *X = malloc(sizeof *X * 9 * (size_t)n), *x = X + 3 * n, *v = x + 3 * n, last = 0, first_pass = 0, pass = 0;
    int passes = 0;
    const double fades = cabs(factor_of(integrator, expected * h));
    thaw_world_get_positions(world, 0, X);
    for (int32_t i = 0; i < n; i++) {
        const double *r = X + 3 * i, a = beta * r[0], turn = 0.1 * sin(M_PI / 2 * r[0] / LENGTH),
                     w = 1e-3 * (cosh(a) - cos(a) - c / s * (sinh(a) - sin(a))),
                     slope = 1e-3 * beta * (sinh(a) + sin(a) - c / s * (cosh(a) - cos(a)));
        v[3 * i] = twists ? 0 : -along(r) * slope;
        v[3 * i + 1] = twists ? -turn * r[2] : w / sqrt(2);
        v[3 * i + 2] = twists ? turn * r[1] : w / sqrt(2);
    }
    assert_int_equal(thaw_world_set_velocities(world, 0, v), THAW_OK);
    const double first = measure(world, 0, 3).kinetic;
    ThawStepStats stats;
    const int steps = (int)lround((periods + 0.25) * 2 * M_PI / expected / h);
    for (int i = 0; i < steps; i++) {
        step_world(world, &stats);
        thaw_world_get_positions(world, 0, x);
        const double next = deflection(n, X, x, twists);
        if (last * next < 0) {
            pass = h * (i + last / (last - next / fades)); // between what it would be if it did not fade
            first_pass = passes++ == 0 ? pass : first_pass;
        }
        last = next;
    }
    thaw_world_get_ledger(world, &stats.ledger);
    const Swing result = {M_PI * (passes - 1) / (pass - first_pass),
                          pow((stats.ledger.kinetic + stats.ledger.elastic) / first, 0.5 / steps)};
    assert_true(passes >= 2);
    free(X);
    thaw_world_free(&world);
    return result;
}

static void bars_twist_and_bend_as_theory_says(void **state) {
    (void)state;
    for (int twists = 0; twists < 2; twists++) {
        // A square section: J = 0.1406 a^4 of I_p = a^4/6; a slender beam: I = a^4/12.
        const double torsion = M_PI / (2 * LENGTH) * sqrt(0.140577 * 6 * YOUNG / (2 * (1 + POISSON)) / DENSITY),
                     beam = 1.87510407 * 1.87510407 / (LENGTH * LENGTH) * WIDTH * sqrt(YOUNG / 12 / DENSITY),
                     theory = twists ? torsion : beam;
        double omega[2];
        for (int k = 0; k < 2; k++)
            omega[k] = swing(1, 4 << k, 2 * M_PI / theory / 48, twists, 1, theory).omega;
        const double limit = omega[1] + (omega[1] - omega[0]) / 3; // elements are linear: by the square of their size
        print_message("%s: %.3f and %.3f rad/s, extrapolated %.3f; theory %.3f\n", twists ? "twist" : "bend", omega[0],
                      omega[1], limit, theory);
        assert_true(fabs(limit / theory - 1) < 0.02);
        // At coarse steps, against the same mesh at fine ones.
        const double own = swing(1, 4, 2 * M_PI / theory / 256, twists, 2, theory).omega;
        for (int i = 0; i < 2; i++)
            for (int per = 16; per <= 64; per *= 2) {
                const double h = 2 * M_PI / own / per;
                const Swing coarse = swing(i, 4, h, twists, 4, own);
                const double lost = 1 - pow(coarse.kept, per), foreseen = 1 - pow(cabs(factor_of(i, own * h)), per),
                             slower = carg(factor_of(i, own * h)) / (own * h);
                print_message("%s, %d steps a period: lost a period %.5f, theory %.5f; frequency %.4f of it, theory "
                              "%.4f\n",
                              INTEGRATORS[i], per, lost, foreseen, coarse.omega / own, slower);
                assert_true(fabs(lost - foreseen) < 0.03 * foreseen + 1e-5);
                assert_true(fabs(coarse.omega / own - slower) < 1e-3);
            }
    }
}

// --- a gyroscope -----------------------------------------------------------------------------------------------------

typedef struct Nod {
    double way, off, size, kept; // rad of precession at most, m that its centre is off at most, m to its centre, energy
} Nod;

// A flywheel of steel on an axle that lies on a pin by its end, level and let go, for 0.8 s.
static Nod let_go(const char *method, const char *integrator, double h) {
    static const double g[3] = {0, 0, -9.81}, omega[3] = {80, 0, 0};
    ThawWorld *world = open_scene(
        method,
        "{'thaw': 1, 'time': {'step': %g, 'integrator': '%s'}, 'shapes': {'s': {'mesh': {'solid': {'union': "
        "[{'cylinder': {'from': [0, 0, 0], 'to': [0.12, 0, 0], 'radius': 0.02}}, {'cylinder': {'from': [0.07, 0, 0], "
        "'to': [0.1, 0, 0], 'radius': 0.08}}]}, 'elements': 800}, 'material': 'steel', 'groups': {'tip': {'nearest': "
        "[0, 0, 0]}}}}, 'bodies': [{'shape': 's', 'pins': ['tip']}]}",
        h, integrator);
    const int32_t n = thaw_world_vertex_count(world, 0);
    double *x = malloc(sizeof *x * 6 * (size_t)n), *v = x + 3 * n, pin[3], near = INFINITY;
    thaw_world_get_positions(world, 0, x);
    for (int32_t k = 0; k < n; k++)
        if (thaw_v3_norm(x + 3 * k) < near) {
            near = thaw_v3_norm(x + 3 * k);
            memcpy(pin, x + 3 * k, sizeof pin);
        }
    for (int32_t k = 0; k < n; k++) {
        double r[3];
        thaw_v3_sub(x + 3 * k, pin, r);
        thaw_v3_cross(omega, r, v + 3 * k);
    }
    assert_int_equal(thaw_world_set_velocities(world, 0, v), THAW_OK);
    free(x);
    const Rigid start = make_rigid(world, pin, omega, g);
    Rigid rigid = start;
    Nod nod = {.size = thaw_v3_norm(start.c)};
    for (int k = 0; k < lround(0.8 / h); k++) {
        double c[3], off[3];
        run_world(world, 1);
        for (int j = 0; j < 20; j++)
            advance_rigid(&rigid, h / 20);
        const Momenta now = measure(world, 0, 3);
        thaw_rotate(rigid.R, start.c, c);
        for (int l = 0; l < 3; l++)
            off[l] = now.c[l] - pin[l] - c[l];
        nod.off = fmax(nod.off, thaw_v3_norm(off));
        nod.way = fmax(nod.way, fabs(atan2(c[1], c[0])));
        nod.kept = (now.kinetic + now.mass * 9.81 * (now.c[2] - pin[2])) / rigid_energy(&start);
    }
    thaw_world_free(&world);
    return nod;
}

// It precesses and nods.
static void gyroscopes_precess_as_rigid_ones(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int m = 0; m < 2; m++) {
            Nod last = {0};
            for (int fine = 0; fine < 2; fine++) {
                const double h = 0.002 / (1 << fine);
                const Nod nod = let_go(METHODS[m], INTEGRATORS[i], h);
                print_message("%s, %s, h %g ms: %.3f rad of precession; centre off by %.5f m of %.3f at most, energy "
                              "kept %.5f\n",
                              INTEGRATORS[i], METHODS[m], 1e3 * h, nod.way, nod.off, nod.size, nod.kept);
                assert_true(nod.off < (i == 0 ? 0.12 : 0.03) * nod.size);
                assert_true(fabs(nod.kept - 1) < (i == 0 ? 0.05 : 0.002));
                assert_true(fine == 0 || nod.off < last.off / (i == 0 ? 1.8 : 3.3));
                last = nod;
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_twist_and_bend_as_theory_says),
        cmocka_unit_test(gyroscopes_precess_as_rigid_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
