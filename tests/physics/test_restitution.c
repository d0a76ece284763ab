// SPDX-License-Identifier: Apache-2.0
// Coefficients of restitution (step/rebound.c): of bodies too stiff for a step to resolve how they rebound.
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

#define HEAD                                                                                                           \
    "{'thaw': 1, 'dimension': %d, 'time': {'step': %g, 'integrator': '%s'}, 'gravity': %s, 'materials': {'m': "        \
    "{'young': 2e11, 'density': 7850, 'poisson': 0.3}}, 'shapes': {'ball': {'mesh': {'solid': {'sphere': {'radius': "  \
    "0.05}}, 'elements': %d}, 'smooth': 60, 'material': 'm'}, 'box': {'mesh': {'box': {'min': [-0.05, -0.05, -0.05], " \
    "'max': [0.05, "                                                                                                   \
    "0.05, 0.05], 'cells': [2, 2, 2]}}, 'material': 'm'}}, "

// m: how high a steel ball rises again that has been let go 1 m above the ground.
static double rebound(const char *method, const char *integrator, double h, double e) {
    ThawWorld *world = open_scene(
        method,
        HEAD "'bodies': [{'shape': 'ball', 'position': [0, 0, 1.05]}], 'obstacles': [{'plane': {}}], 'pairs': "
             "[{'between': ['*', '*'], 'restitution': %g}]}",
        3, h, integrator, "[0, 0, -9.81]", 400, e);
    ThawStepStats stats;
    ThawError error;
    const double fall = sqrt(2 / 9.81);
    double first = NAN;
    for (int i = 0; i < (int)lround(1.2 * fall / h); i++) {
        assert_int_equal(thaw_world_step(world, &stats, &error), THAW_OK);
        first = i == 0 ? ledger_balance(&stats.ledger) : first;
        assert_true(fabs(ledger_balance(&stats.ledger) - first) < 1e-6);
    }
    const Momenta now = measure(world, 0, 3);
    const double speed = now.P[2] / now.mass;
    const double height = now.c[2] - 0.05 + speed * fabs(speed) / (2 * 9.81);
    thaw_world_free(&world);
    return height;
}

static void a_ball_rises_to_the_square_of_its_coefficient(void **state) {
    (void)state;
    static const double steps[] = {0.005, 0.001}, e[] = {0.9, 0.7, 0.5};
    for (int m = 0; m < 4; m++)
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 3; k++) {
                const double height = rebound(m & 1 ? "rigidify" : "full", m & 2 ? "tr-bdf2" : "euler", steps[i], e[k]);
                printf("%s, %s, h %g ms, e %g: %.4f m of %.4f m\n", m & 1 ? "rigidify" : "full",
                       m & 2 ? "tr-bdf2" : "euler", 1e3 * steps[i], e[k], height, e[k] * e[k]);
                assert_true(fabs(height / (e[k] * e[k]) - 1) < 0.005);
            }
}

// J, of motion and height, what elements and contacts hold included.
static double energy_of(const ThawStepStats *stats) {
    return stats->ledger.kinetic + stats->ledger.elastic + stats->ledger.gravitational + stats->ledger.contact_energy;
}

// Over the most energy that was there: by steps of one stage and of two, whose energy swings by a little.
static double worst_gain[2];

// Steps it; no step leaves it more energy than it has had, but for what facets that roll gain without any blow.
// Returns how much is left.
static double run_down(ThawWorld *world, int steps, int stages, ThawStepStats *stats) {
    ThawError error;
    double least = NAN, first = NAN, size = 0;
    for (int i = 0; i < steps; i++) {
        assert_int_equal(thaw_world_step(world, stats, &error), THAW_OK);
        const double energy = energy_of(stats);
        size = fmax(size, stats->ledger.kinetic + fabs(energy));
        least = i == 0 ? energy : least;
        first = i == 0 ? ledger_balance(&stats->ledger) : first;
        worst_gain[stages - 1] = fmax(worst_gain[stages - 1], (energy - least) / size);
        assert_true(energy <= least + (stages == 1 ? 1e-4 : 3e-3) * size);
        assert_true(fabs(ledger_balance(&stats->ledger) - first) < 1e-6 * size);
        least = fmin(least, energy);
    }
    return least;
}

// What bounces comes to rest; a ball of facets rolls on for a while.
static void it_comes_to_rest(void **state) {
    (void)state;
    static const char *const shapes[] = {"ball", "box"};
    for (int m = 0; m < 4; m++) {
        ThawWorld *world = open_scene(m & 1 ? "rigidify" : "full",
                                      HEAD "'bodies': [{'shape': '%s', 'position': [0, 0, 0.3], 'rotation': {'axis': "
                                           "[1, 2, 0], 'degrees': 35}, 'restitution': 0.8}], 'obstacles': [{'plane': "
                                           "{}, 'restitution': 0.8}]}",
                                      3, 0.004, "euler", "[0, 0, -9.81]", 200, shapes[m / 2]);
        ThawStepStats stats;
        run_down(world, 2000, 1, &stats);
        printf("%s, %s: %g J after 8 s\n", m & 1 ? "rigidify" : "full", shapes[m / 2], stats.ledger.kinetic);
        assert_true(stats.ledger.kinetic < 1e-6 || m / 2 == 0); // a ball may roll on
        for (int i = 0; i < 50 && m / 2 == 1; i++) {            // it is no longer cut
            stats = run_world(world, 1);
            assert_int_equal(stats.substeps, 1);
        }
        thaw_world_free(&world);
    }
}

// m/s, of each of five blocks in a row of which the first has 1 m/s. They weigh the same, and no corners meet.
static void strike_row(const char *method, double h, double gap, double e, double v[5]) {
    char bodies[2000], *end = bodies;
    for (int i = 0; i < 5; i++)
        end += sprintf(end, "%s{'shape': '%s', 'position': [%.9g, 0], 'velocity': [%d, 0]}", i ? ", " : "",
                       i % 2 ? "high" : "box", (0.09 + gap) * i - (i == 0 ? 0.01 : 0), i == 0);
    ThawWorld *world =
        open_scene(method,
                   "{'thaw': 1, 'dimension': 2, 'time': {'step': %g, 'integrator': 'euler'}, 'gravity': [0, 0], "
                   "'materials': {'m': {'young': 2e11, 'density': 7850, 'poisson': 0.3}}, 'shapes': {'box': {'mesh': "
                   "{'box': {'min': [-0.05, -0.05], 'max': [0.05, 0.05], 'cells': [2, 2]}}, 'material': 'm'}, "
                   "'high': {'mesh': {'box': {'min': [-0.04, -0.0625], 'max': [0.04, 0.0625], 'cells': [2, 2]}}, "
                   "'material': 'm'}}, 'bodies': [%s], 'pairs': [{'between': ['*', '*'], 'restitution': %g}]}",
                   h, bodies, e);
    run_world(world, (int)lround(0.06 / h));
    for (int i = 0; i < 5; i++) {
        const Momenta now = measure(world, i, 2);
        v[i] = now.P[0] / now.mass;
    }
    thaw_world_free(&world);
}

// As by one blow after the other: all of the motion goes on to the last, and ((1 + e)/2)^4 of it.
static void a_row_passes_a_blow_on(void **state) {
    (void)state;
    static const double gaps[] = {1e-6, 1e-3}, steps[] = {0.005, 0.001};
    for (int m = 0; m < 2; m++)
        for (int i = 0; i < 2; i++)
            for (int g = 0; g < 2; g++) {
                double v[5];
                strike_row(m ? "rigidify" : "full", steps[i], gaps[g], 1, v);
                printf("h %g ms, gaps of %g mm, e 1: %.6f %.6f %.6f %.6f %.6f m/s\n", 1e3 * steps[i], 1e3 * gaps[g],
                       v[0], v[1], v[2], v[3], v[4]);
                for (int k = 0; k < 5; k++)
                    assert_true(fabs(v[k] - (k == 4)) < 1e-6);
                strike_row(m ? "rigidify" : "full", steps[i], gaps[g], 0.8, v);
                printf("e 0.8: %.6f %.6f %.6f %.6f %.6f m/s\n", v[0], v[1], v[2], v[3], v[4]);
                assert_true(fabs(v[0] + v[1] + v[2] + v[3] + v[4] - 1) < 1e-6);
                assert_true(fabs(v[4] - pow(0.9, 4)) < 1e-6);
            }
}

// A disc that comes down aslant without spin: friction gives it (1 + e) mu v_n along the ground where it slides, and
// where that is more than enough it rolls.
static void friction_acts_as_long_as_the_blow(void **state) {
    (void)state;
    static const double along[] = {4, 0.5}, e = 0.6, mu = 0.2;
    for (int i = 0; i < 2; i++) {
        ThawWorld *world = open_scene(
            "full",
            "{'thaw': 1, 'dimension': 2, 'time': {'step': 0.002, 'integrator': 'euler'}, 'gravity': [0, 0], "
            "'materials': {'m': {'young': 2e11, 'density': 7850, 'poisson': 0.3}}, 'shapes': {'s': {'mesh': {'solid': "
            "{'sphere': {'radius': 0.05}}, 'elements': 400}, 'smooth': 60, 'material': 'm'}}, 'bodies': [{'shape': "
            "'s', 'position': [0, 0.06], 'velocity': [%g, -2], 'friction': 0.2}], 'obstacles': [{'plane': {}, "
            "'friction': 0.2}], 'pairs': [{'between': ['*', '*'], 'restitution': %g}]}",
            along[i], e);
        ThawStepStats stats;
        run_down(world, 20, 1, &stats);
        const Momenta now = measure(world, 0, 2);
        const double v = now.P[0] / now.mass, k = (now.kinetic - now.mass * (v * v + 1.44) / 2), L = fabs(now.L[2]);
        const double omega = 2 * k / L, share = L / omega / (now.mass * 0.05 * 0.05);
        const double slides = along[i] - (1 + e) * mu * 2, rolls = along[i] / (1 + share);
        printf("at %g m/s: %.5f m/s of %.5f m/s, up %.5f of 1.2 m/s\n", along[i], v, fmax(slides, rolls),
               now.P[1] / now.mass);
        assert_true(fabs(v / fmax(slides, rolls) - 1) < 0.005);
        assert_true(fabs(now.P[1] / now.mass / 1.2 - 1) < 0.005);
        thaw_world_free(&world);
    }
}

static uint64_t seed;

static double draw(double least, double most) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return least + (most - least) * (double)(seed >> 11) / 9007199254740992.0;
}

// Bodies of steel thrown into a tray, some on a pin: no step gains energy.
static void nothing_gains_energy(void **state) {
    (void)state;
    int cut = 0;
    for (int run = 0; run < 60; run++) {
        const int dim = 2 + run % 2, count = 2 + run / 2 % 3;
        const double h = pow(10, draw(-3.3, -2));
        char bodies[4000], *end = bodies;
        seed += (uint64_t)run;
        for (int i = 0; i < count; i++) {
            double n[7];
            for (int k = 0; k < 7; k++)
                n[k] = draw(-1, 1);
            end += sprintf(end,
                           "%s{'shape': '%s', 'friction': %g, 'restitution': %g, 'rotation': {%s'degrees': %g}, "
                           "'position': [%g, %g%s",
                           i ? ", " : "", i % 2 ? "ball" : "box", draw(0, 1), run % 5 ? draw(0, 1) : 1,
                           dim == 3 ? "'axis': [1, 2, 3], " : "", 180 * n[0], 0.1 * n[1],
                           dim == 2 ? 0.3 + 0.2 * i : 0.1 * n[2], dim == 2 ? "" : ", ");
            if (dim == 3)
                end += sprintf(end, "%g], 'velocity': [%g, %g, %g], 'spin': [%g, %g, %g]}", 0.3 + 0.2 * i, n[1], n[2],
                               2 * n[3], 20 * n[4], 20 * n[5], 20 * n[6]);
            else
                end += sprintf(end, "], 'velocity': [%g, %g], 'spin': %g}", n[1], 2 * n[2], 20 * n[4]);
        }
        ThawWorld *world = open_scene(
            run % 4 < 2 ? "full" : "rigidify",
            "{'thaw': 1, 'dimension': %d, 'time': {'step': %.6g, 'integrator': '%s'}, 'materials': {'m': {'young': "
            "2e11, 'density': 7850, 'poisson': 0.3}}, 'shapes': {'ball': {'mesh': {'solid': {'sphere': {'radius': "
            "0.05}}, 'elements': 60}, 'material': 'm'}, 'box': {'mesh': {'box': {'min': [-0.05, -0.04%s], 'max': "
            "[0.05, 0.04%s], 'cells': [2, 2%s]}}, 'material': 'm'}}, 'bodies': [%s], 'obstacles': [{'plane': {}, "
            "'restitution': 1}, {'plane': {'normal': [1, 0%s]}, 'position': [-0.3, 0%s], 'restitution': 1}, {'plane': "
            "{'normal': [-1, 0.3%s]}, 'position': [0.3, 0%s], 'restitution': 1}]}",
            dim, h, run % 3 == 2 ? "tr-bdf2" : "euler", dim == 3 ? ", -0.03" : "", dim == 3 ? ", 0.03" : "",
            dim == 3 ? ", 2" : "", bodies, dim == 3 ? ", 0" : "", dim == 3 ? ", 0" : "", dim == 3 ? ", 0" : "",
            dim == 3 ? ", 0" : "");
        ThawStepStats stats;
        for (int i = 0; i < 5; i++) {
            run_down(world, 50, 1 + (run % 3 == 2), &stats);
            cut += stats.substeps > 1;
        }
        thaw_world_free(&world);
    }
    printf("gained at most %.2g, by two stages %.2g, of what there was\n", worst_gain[0], worst_gain[1]);
    assert_true(cut > 0);
}

// A wall that comes at a speed throws off with (1 + e) of it what stands still.
static void a_moving_wall_throws(void **state) {
    (void)state;
    ThawWorld *world =
        open_scene("rigidify",
                   HEAD "'bodies': [{'shape': 'box', 'position': [0, 0, 0], 'restitution': 0.5}], 'obstacles': "
                        "[{'plane': {'normal': [1, 0, 0]}, 'position': [-0.07, 0, 0], 'keys': [{'time': 0}, {'time': "
                        "1, 'translation': [3, 0, 0]}], 'restitution': 0.5}]}",
                   3, 0.005, "euler", "[0, 0, 0]", 60);
    const ThawStepStats stats = run_world(world, 6);
    const Momenta now = measure(world, 0, 3);
    printf("%.6f of 4.5 m/s, %.6f J of the wall\n", now.P[0] / now.mass, stats.ledger.obstacle_work);
    assert_true(fabs(now.P[0] / now.mass / 4.5 - 1) < 1e-6);
    assert_true(fabs(stats.ledger.obstacle_work / (now.mass * 4.5 * 3) - 1) < 1e-6);
    assert_true(fabs(stats.ledger.contact_work / now.kinetic - 1) < 1e-6);
    thaw_world_free(&world);
}

// A bar that hangs on a pin swings against a wall, and back with e of its speed.
static void what_is_pinned_rebounds(void **state) {
    (void)state;
    ThawWorld *world = open_scene(
        "full", "{'thaw': 1, 'dimension': 2, 'time': {'step': 0.002, 'integrator': 'tr-bdf2'}, 'gravity': [0, 0], "
                "'materials': {'m': {'young': 2e11, 'density': 7850, 'poisson': 0.3}}, 'shapes': {'bar': {'mesh': "
                "{'box': {'min': [0, -0.3], 'max': [0.02, 0], 'cells': [1, 10]}}, 'material': 'm', 'groups': {'top': "
                "{'box': {'min': [-1e-6, -1e-6], 'max': [1e-6, 1]}}}}}, 'bodies': [{'shape': 'bar', 'pins': ['top'], "
                "'friction': 0, "
                "'spin': 5, 'velocity': [0.75, 0], 'restitution': 0.7}], 'obstacles': [{'plane': {'normal': [-1, 0]}, "
                "'position': [0.1, 0], "
                "'restitution': 0.7}]}");
    ThawStepStats stats = run_world(world, 2);
    const double before = stats.ledger.kinetic;
    stats = run_world(world, 60);
    printf("%.6f of 0.49 of its energy\n", stats.ledger.kinetic / before);
    assert_true(fabs(stats.ledger.kinetic / before / 0.49 - 1) < 0.01);
    thaw_world_free(&world);
}

// A soft body rebounds by itself, with or without a coefficient to the same bits; and so does what has none.
static void only_what_is_stiff_is_asked(void **state) {
    (void)state;
    static const char *const young[] = {"1e6", "2e11"}, *const given[] = {"0", "0.9"};
    for (int k = 0; k < 2; k++) {
        uint64_t hash[2];
        for (int i = 0; i < 2; i++) {
            ThawWorld *world = open_scene(
                "full",
                "{'thaw': 1, 'time': {'step': 0.005, 'integrator': 'euler'}, 'materials': {'m': {'young': %s, "
                "'density': 1000, 'poisson': 0.4}}, 'shapes': {'s': {'mesh': {'solid': {'sphere': {'radius': 0.05}}, "
                "'elements': 200}, 'material': 'm'}}, 'bodies': [{'shape': 's', 'position': [0, 0, 0.1], "
                "'restitution': %s}], 'obstacles': [{'plane': {}, 'restitution': 0.9}]}",
                young[k], given[i]);
            hash[i] = run_world(world, 60).state_hash;
            thaw_world_free(&world);
        }
        assert_int_equal(hash[0] == hash[1], k == 0);
    }
}

static int is_early(const ThawWorld *world, const ThawStepStats *stats) {
    (void)world;
    return stats->step < 100;
}

static void bits_do_not_depend_on_threads_or_resuming(void **state) {
    (void)state;
    char text[3000];
    snprintf(text, sizeof text,
             HEAD "'bodies': [{'shape': 'box', 'position': [0, 0, 0.2], 'spin': [3, 1, 0], 'restitution': 0.8, "
                  "'method': 'rigidify'}, {'shape': 'ball', 'position': [0.02, 0, 0.4], 'restitution': 0.9}], "
                  "'obstacles': [{'plane': {}, 'restitution': 0.7}]}",
             3, 0.005, "euler", "[0, 0, -9.81]", 60);
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    assert_true(bits_across_checkpoints(text, 150, "test_restitution.h5", is_early) > 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_rises_to_the_square_of_its_coefficient),
        cmocka_unit_test(it_comes_to_rest),
        cmocka_unit_test(a_row_passes_a_blow_on),
        cmocka_unit_test(friction_acts_as_long_as_the_blow),
        cmocka_unit_test(nothing_gains_energy),
        cmocka_unit_test(a_moving_wall_throws),
        cmocka_unit_test(what_is_pinned_rebounds),
        cmocka_unit_test(only_what_is_stiff_is_asked),
        cmocka_unit_test(bits_do_not_depend_on_threads_or_resuming),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
