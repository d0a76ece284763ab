// SPDX-License-Identifier: Apache-2.0
// Adaptive condensation: regions that rest lose their inertia, a limb that is let go has it back before it moves, and
// nothing jumps; the published metric; corrections of linearised steps.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "map/condense/condense.h"
#include "math/decompose.h"
#include "method/condense/condense.h"
#include "physics/motion.h"
#include "step/step.h"
#include "support/repeats.h"
#include "support/world.h"
#include "thaw/thaw.h"

// A cross whose four arms are drawn at one end in turn would be dearer: a bar held in the middle has two arms.
#define ARMS                                                                                                           \
    "{'thaw': 1, 'time': {'step': 0.005, 'integrator': '%s'}, 'gravity': [0, 0, -9.81], 'materials': {'m': {"          \
    "'density': 1000, 'young': 6e4, 'poisson': 0.45, 'alpha1': %s}}, 'shapes': {'box': {'mesh': {'box': {"             \
    "'min': [0, 0, 0], 'max': [0.2, 0.02, 0.02], 'cells': [20, 2, 2]}}, 'material': 'm', 'groups': {"                  \
    "'middle': {'box': {'min': [0.095, 0, 0], 'max': [0.105, 0.02, 0.02]}}}}}, 'condense': {'regions': %s, "           \
    "'sleep': 0%s}, 'bodies': [{'shape': 'box', 'pins': ['middle'], 'scripts': [{'group': 'x-max', "                   \
    "'release': 2, 'keys': [{'time': 1}, {'time': 1.5, 'translation': [0, 0.03, 0.01]}]}]}]}"

typedef struct Course {
    int switches, after; // in all, and in the two seconds after it was let go
    double awake;        // regions, in the mean
    double kept, end;    // J, 50 ms after it was let go, and at the end
    double jump;         // m, the longest way of a vertex in a step in which the last regions fell back
    double apart;        // m, from the full method at the end
    double loss;         // J, booked
} Course;

static double energy(const ThawLedger *ledger) { return ledger->kinetic + ledger->elastic + ledger->gravitational; }

static double farthest(const double *a, const double *b, int32_t nv) {
    double most = 0;
    for (int32_t i = 0; i < nv; i++) {
        double square = 0;
        for (int k = 0; k < 3; k++)
            square += (a[3 * i + k] - b[3 * i + k]) * (a[3 * i + k] - b[3 * i + k]);
        most = fmax(most, square);
    }
    return sqrt(most);
}

static Course follow(const char *integrator, const char *alpha1, const char *options, int steps,
                     const ThawWorld *like) {
    Course course = {0};
    ThawWorld *world = open_scene("condense", ARMS, integrator, alpha1, "4", options);
    const ThawStepper *s = &world->steppers[0];
    const size_t bytes = sizeof(double) * 3 * (size_t)s->shape->nv;
    double *before = malloc(bytes);
    int32_t switches = 0;
    for (int step = 0; step < steps; step++) {
        memcpy(before, s->x, bytes);
        const ThawStepStats stats = run_world(world, 1);
        const ThawCondenseData *data = s->data;
        int awake = 0;
        for (int j = 0; j < 4; j++)
            awake += !data->idle[j];
        course.awake += (double)awake / steps;
        if (data->switches != switches && awake == 0)
            course.jump = fmax(course.jump, farthest(before, s->x, s->shape->nv));
        course.after += step >= 400 && step < 800 ? data->switches - switches : 0;
        if (step == 410)
            course.kept = energy(&stats.ledger);
        course.end = energy(&stats.ledger);
        course.loss = stats.ledger.transition_loss;
        switches = data->switches;
    }
    course.switches = switches;
    course.apart = like ? worlds_apart(world, like, 0) : 0;
    free(before);
    thaw_world_free(&world);
    return course;
}

// An arm is drawn slowly and let go: what is quasistatic until then swings as if it had never slept.
static void what_is_let_go_swings(void **state) {
    (void)state;
    static const char *const integrators[] = {"euler", "tr-bdf2"};
    for (int i = 0; i < repeats(2); i++) {
        ThawWorld *full = open_scene("full", ARMS, integrators[i], "0.02", "4", "");
        run_world(full, 1600);
        const Course always = follow(integrators[i], "0.02", "", 1600, full);
        const Course adaptive = follow(integrators[i], "0.02", ", 'adapt': 'energy'", 1600, full);
        const Course published = follow(integrators[i], "0.02", ", 'adapt': 'rate', 'rate': 0.1", 1600, full);
        const Course swings = follow(integrators[i], "0.002", "", 412, NULL);
        const Course wakes = follow(integrators[i], "0.002", ", 'adapt': 'energy'", 412, NULL);
        const Course late = follow(integrators[i], "0.002", ", 'adapt': 'rate', 'rate': 0.1", 412, NULL);
        const double kept = swings.kept - always.end;
        print_message(
            "%s: energy 50 ms after the release %.3g J; adaptive %.4f of it, %d switches, %d in 2 s, %.2f of 4 regions "
            "awake, jump %.2g m; published metric %.4f, %d, %.2f, %.2g m\n",
            integrators[i], kept, (wakes.kept - always.end) / kept, adaptive.switches, adaptive.after, adaptive.awake,
            adaptive.jump, (late.kept - always.end) / kept, published.switches, published.awake, published.jump);
        print_message("  at rest apart from full by %.2g, %.2g, %.2g of the length; booked %.2g, %.2g J\n",
                      always.apart / 0.2, adaptive.apart / 0.2, published.apart / 0.2, adaptive.loss, published.loss);
        assert_true(fabs(wakes.kept - always.end - kept) < 0.05 * kept);
        assert_true(adaptive.switches > 4 && adaptive.after < 50);
        assert_true(adaptive.awake < 3);
        assert_true(adaptive.jump < 1e-3 * 0.2);
        assert_true(always.apart < 1e-6 * 0.2 && adaptive.apart < 1e-6 * 0.2 && published.apart < 1e-6 * 0.2);
        assert_true(adaptive.loss >= 0 && adaptive.loss < 0.05 * kept);
        thaw_world_free(&full);
    }
}

static int always(const ThawWorld *world, const ThawStepStats *stats) { return world && stats; }

static const char *filled(const char *integrator, const char *options) {
    static char text[4000];
    snprintf(text, sizeof text, ARMS, integrator, "0.02", "4", options);
    for (char *c = text; *c; c++)
        if (*c == '\'')
            *c = '"';
    return text;
}

static void runs_go_on_from_checkpoints(void **state) {
    (void)state;
    assert_true(bits_across_checkpoints(filled("tr-bdf2", ", 'adapt': 'energy'"), 500, "adapt.ckpt", always) > 3);
    assert_true(bits_across_checkpoints(filled("euler", ", 'adapt': 'rate'"), 500, "adapt.ckpt", always) > 3);
}

// The published form: all of its nodes at rest are a body that is quasistatic, and the end is the full method's.
static void nodes_rest_and_wake(void **state) {
    (void)state;
    ThawWorld *full = open_scene("full", ARMS, "semi-implicit", "0.02", "4", "");
    run_world(full, 1600);
    const char *const rates[] = {"0.02", "0.1"};
    for (int i = 0; i < repeats(2); i++) {
        char options[200];
        snprintf(options, sizeof options,
                 ", 'form': 'published', 'gamma': 1, 'search': true, 'adapt': 'rate', 'rate': %s", rates[i]);
        const Course course = follow("semi-implicit", "0.02", options, 1600, full);
        print_message("nodes, above %s/s: %d switches, %.2f of 4 awake, at rest apart by %.2g of the length\n",
                      rates[i], course.switches, course.awake, course.apart / 0.2);
        assert_true(course.switches > 4 && course.awake > 0.01 && course.awake < 3);
        assert_true(course.apart < 1e-6 * 0.2);
    }
    thaw_world_free(&full);
    assert_true(bits_across_checkpoints(filled("semi-implicit", ", 'form': 'published', 'adapt': 'rate'"), 450,
                                        "adapt.ckpt", always) > 3);
}

// Line 1 of algorithm 1: without nodes it is the static solve, and with some they stay where they were.
static void the_published_form_may_begin_in_balance(void **state) {
    (void)state;
    ThawError error = {0};
    ThawStepStats stats;
    ThawWorld *full = open_scene("full", ARMS, "semi-implicit", "0.02", "4", "");
    assert_int_equal(thaw_world_solve_static(full, &stats, &error), THAW_OK);
    ThawWorld *none = open_scene("condense", ARMS, "semi-implicit", "0.02", "0",
                                 ", 'form': 'published', 'settle': true, 'gamma': 1, 'search': true");
    ThawLedger ledger;
    assert_int_equal(thaw_world_get_ledger(none, &ledger), THAW_OK);
    const double start = ledger_balance(&ledger);
    stats = run_world(none, 1);
    print_message(
        "settled without nodes: apart from the static solve by %.2g of the length; booked %.3g J, ledger open "
        "by %.2g J\n",
        worlds_apart(full, none, 0) / 0.2, stats.ledger.transition_loss, fabs(ledger_balance(&stats.ledger) - start));
    assert_true(worlds_apart(full, none, 0) < 1e-8 * 0.2);
    assert_true(stats.ledger.transition_loss > 0);
    assert_true(fabs(ledger_balance(&stats.ledger) - start) < 1e-6 * stats.ledger.elastic);
    thaw_world_free(&full);
    thaw_world_free(&none);
}

// Nothing holds it: without its regions it could not fall or turn.
static void free_bodies_keep_all_regions(void **state) {
    (void)state;
#define FREE                                                                                                           \
    "{'thaw': 1, 'time': {'step': 0.01}, 'materials': {'m': {'density': 1000, 'young': 1e5, 'poisson': 0.4}}, "        \
    "'shapes': {'box': {'mesh': {'box': {'min': [0, 0, 0], 'max': [0.1, 0.1, 0.2], 'cells': [2, 2, 4]}}, 'material': " \
    "'m'}}, 'condense': {'regions': 3%s}, 'bodies': [{'shape': 'box', 'spin': [1, 2, 0]}]}"
    ThawWorld *worlds[2] = {open_scene("condense", FREE, ""), open_scene("condense", FREE, ", 'adapt': 'energy'")};
    for (int k = 0; k < 2; k++)
        run_world(worlds[k], 30);
    assert_true(worlds_apart(worlds[0], worlds[1], 0) == 0);
    thaw_world_free(&worlds[0]);
    thaw_world_free(&worlds[1]);
}

// --- the published metric --------------------------------------------------------------------------------------------

// Against differences of S = sqrt(F'F), and where F is inside out against R'(F_dot - R_dot S) by differences of R.
static void stretch_rates_are_those_of_differences(void **state) {
    (void)state;
    const double F[9] = {1.1, 0.2, -0.1, 0.3, 0.9, 0.15, 0.05, -0.2, 1.2};
    const double Fdot[9] = {0.4, -1, 0.3, 0.2, 0.7, -0.5, -0.6, 0.1, 0.9};
    for (int inverted = 0; inverted < 2; inverted++) {
        double S[2][9], mean = 0;
        const double h = 1e-5;
        double F0[9];
        for (int k = 0; k < 9; k++)
            F0[k] = k < 3 && inverted ? -F[k] : F[k];
        for (int side = 0; side < 2; side++) {
            double A[9], U[9], sigma[3], V[9];
            for (int k = 0; k < 9; k++)
                A[k] = F0[k] + (side ? h : -h) * Fdot[k];
            thaw_svd3(A, U, sigma, V);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    S[side][i + 3 * j] = 0;
                    for (int k = 0; k < 3; k++)
                        S[side][i + 3 * j] += V[i + 3 * k] * sigma[k] * V[j + 3 * k];
                }
        }
        for (int k = 0; k < 9; k++)
            mean += fabs(S[1][k] - S[0][k]) / (2 * h) / 9;
        const double rate = thaw_stretch_rate(F0, Fdot, 3);
        assert_true(rate > 0.1 && fabs(rate - mean) < 1e-7 * mean);
    }
    const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, turn[9] = {0, 2, 0, -2, 0, 0, 0, 0, 0};
    assert_true(thaw_stretch_rate(one, turn, 3) < 1e-15); // what turns does not stretch
    const double pull[9] = {1};
    assert_true(fabs(thaw_stretch_rate(one, pull, 3) - 1.0 / 9) < 1e-15);
    assert_true(fabs(thaw_stretch_rate(one, pull, 2) - 1.0 / 4) < 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stretch_rates_are_those_of_differences),
        cmocka_unit_test(what_is_let_go_swings),
        cmocka_unit_test(runs_go_on_from_checkpoints),
        cmocka_unit_test(nodes_rest_and_wake),
        cmocka_unit_test(the_published_form_may_begin_in_balance),
        cmocka_unit_test(free_bodies_keep_all_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
