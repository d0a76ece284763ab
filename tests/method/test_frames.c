// SPDX-License-Identifier: Apache-2.0
// Frames in whole worlds: falls and turns of free bodies, swings of held ones beside `full`, contact, scripts and what
// they let go, ledgers, checkpoints, and options that change.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "physics/motion.h"
#include "support/world.h"
#include "thaw/thaw.h"

#define BODY(young, poisson, alpha1)                                                                                   \
    "'materials': {'m': {'density': 1000, 'young': " young ", 'poisson': " poisson ", 'alpha1': " alpha1 "}}, "
#define BOX(size, cells)                                                                                               \
    "'shapes': {'box': {'mesh': {'box': {'min': [0, 0, 0], 'max': [" size "], 'cells': [" cells                        \
    "]}}, 'material': 'm'}}, "

static const char *const integrators[] = {"semi-implicit", "newton",  "euler",
                                          "euler-newton",  "tr-bdf2", "tr-bdf2-newton"};
enum { INTEGRATORS = sizeof integrators / sizeof *integrators };

// Free fall is exact, by every integrator; in moving frames angular momentum is kept.
static void bodies_fall_and_spin(void **state) {
    (void)state;
    for (int i = 0; i < INTEGRATORS; i++)
        for (int order = 0; order < 2; order++) {
            ThawWorld *world = open_scene(
                "frames",
                "{'thaw': 1, 'time': {'step': 0.005, 'integrator': '%s'}, 'gravity': [0, 0, -9.81], " BODY(
                    "4e4", "0.45", "0") BOX("0.08, 0.04, 0.04", "6, 3, 3") "'frames': {'count': 3, 'order': '%s'}, "
                                                                           "'bodies': [{'shape': 'box', 'velocity': "
                                                                           "[0.2, 0, 1], 'spin': [1, 4, 2]}]}",
                integrators[i], order ? "quadratic" : "affine");
            const Momenta start = measure(world, 0, 3);
            run_world(world, 100);
            const Momenta end = measure(world, 0, 3);
            assert_true(fabs(end.P[0] - start.P[0]) <= 1e-12 && fabs(end.P[1]) <= 1e-12);
            assert_true(fabs(end.P[2] - start.P[2] + 9.81 * 0.5 * start.mass) <= 1e-11);
            for (int k = 0; k < 3 && i >= 2; k++)
                assert_true(fabs(end.L[k] - start.L[k]) <= 1e-9 * fabs(start.L[1]));
            thaw_world_free(&world);
        }
}

#define SWING                                                                                                          \
    "{'thaw': 1, 'time': {'step': 0.01, 'integrator': 'tr-bdf2'}, 'gravity': [0, 0, -9.81], " BODY("5e6", "0.3", "0")  \
        BOX("1, 0.1, 0.1", "24, 3, 3") "'frames': {'count': %d, 'order': '%s'}, 'bodies': [{'shape': 'box', 'pins': "  \
                                       "['x-min']}]}"

// Two swings of a cantilever. Affine frames bend too hard, quadratic ones nearly as the mesh does.
static void it_swings_as_the_full_method_does(void **state) {
    (void)state;
    static const struct {
        int count;
        const char *order;
        double bound;
    } cases[] = {{4, "affine", 0.3}, {4, "quadratic", 0.06}, {8, "quadratic", 0.03}};
    enum { CASES = sizeof cases / sizeof *cases };
    ThawWorld *full = open_scene("full", SWING, 8, "affine"), *worlds[CASES];
    double most[CASES] = {0};
    for (int r = 0; r < CASES; r++)
        worlds[r] = open_scene("frames", SWING, cases[r].count, cases[r].order);
    for (int step = 0; step < 200; step++) {
        run_world(full, 1);
        for (int r = 0; r < CASES; r++) {
            run_world(worlds[r], 1);
            most[r] = fmax(most[r], worlds_apart(full, worlds[r], 0));
        }
    }
    for (int r = 0; r < CASES; r++) {
        print_message("%d %s frames: apart by %.4f of the length in two swings\n", cases[r].count, cases[r].order,
                      most[r]);
        assert_true(most[r] < cases[r].bound);
        thaw_world_free(&worlds[r]);
    }
    thaw_world_free(&full);
}

#define FALLING                                                                                                        \
    "{'thaw': 1, 'time': {'step': 0.005, 'steps': 400%s}, 'gravity': [0, 0, -9.81], " BODY("1e5", "0.4", "0.01")       \
        BOX("0.06, 0.06, 0.06", "3, 3, 3") "'frames': {'count': 4}, 'bodies': [{'shape': 'box', 'method': 'frames', "  \
                                           "'position': [0, 0, 0.03], 'rotation': {'axis': [1, 2, 0], 'degrees': "     \
                                           "20}}, {'shape': 'box', 'method': 'frames', 'position': [0.01, 0.02, "      \
                                           "0.12]}], 'obstacles': [{'plane': {}}]}"

static void boxes_fall_on_each_other_and_sleep(void **state) {
    (void)state;
    ThawWorld *world = open_scene("frames", FALLING, "");
    ThawStepStats stats = {0};
    int steps = 0;
    for (; steps < 1200 && stats.asleep < 2; steps++)
        stats = run_world(world, 1);
    print_message("asleep after %.2f s\n", 0.005 * steps);
    assert_int_equal(stats.asleep, 2);
    assert_int_equal(stats.inverted, 0);
    assert_true(measure(world, 0, 3).c[2] > 0.02 && measure(world, 1, 3).c[2] > 0.02);
    assert_int_equal(thaw_world_wake(world, 0), THAW_OK);
    assert_true(run_world(world, 1).asleep < 2);
    thaw_world_free(&world);
}

// ' stands for ".
static char *with_quotes(const char *format, const char *more) {
    static char text[4000];
    snprintf(text, sizeof text, format, more);
    for (char *c = text; *c; c++)
        if (*c == '\'')
            *c = '"';
    return text;
}

static int is_ripe(const ThawWorld *world, const ThawStepStats *stats) { return world && stats->contacts > 0; }
static int always(const ThawWorld *world, const ThawStepStats *stats) { return world && stats; }

// Led by its far end, which is let go at 0.3 s.
#define LED                                                                                                            \
    "{'thaw': 1, 'time': {'step': 0.005%s}, 'gravity': [0, 0, -9.81], " BODY("2e5", "0.4", "0.005")                    \
        BOX("0.3, 0.05, 0.05",                                                                                         \
            "8, 2, 2") "'frames': {'count': 5}, 'bodies': [{'shape': 'box', 'method': 'frames', 'pins': ['x-min'], "   \
                       "'scripts': [{'group': 'x-max', 'release': 0.3, 'keys': [{'time': 0}, {'time': 0.2, "           \
                       "'translation': [0.02, 0.1, 0.05]}]}]}], 'obstacles': [{'plane': {}, 'position': [0, 0, "       \
                       "-0.02]}]}"

static void runs_go_on_from_checkpoints_with_the_same_bits(void **state) {
    (void)state;
    static const char *const more[] = {"", ", 'integrator': 'tr-bdf2'", ", 'integrator': 'newton'"};
    for (int i = 0; i < 3; i++) {
        assert_true(bits_across_checkpoints(with_quotes(FALLING, more[i]), i ? 100 : 400, "frames.ckpt", is_ripe) > 3);
        assert_true(bits_across_checkpoints(with_quotes(LED, more[i]), 100, "frames.ckpt", always) > 3);
    }
}

// The step where the end is let go changes the fields, and with them what velocities there can be.
static void ledgers_close_with_scripts_and_contacts(void **state) {
    (void)state;
    static const char *const schemes[] = {"", ", 'integrator': 'newton'"};
    for (int i = 0; i < 2; i++) {
        ThawWorld *world = open_scene("frames", LED, schemes[i]);
        ThawLedger ledger;
        assert_int_equal(thaw_world_get_ledger(world, &ledger), THAW_OK);
        const double start = ledger_balance(&ledger);
        double open = 0, size = 0;
        for (int step = 0; step < 200; step++) {
            ThawStepStats stats = run_world(world, 1);
            open = fmax(open, fabs(ledger_balance(&stats.ledger) - start));
            size = fmax(size, stats.ledger.elastic + stats.ledger.kinetic);
        }
        print_message("ledger open by %.2g of %.2g J\n", open, size);
        assert_true(open < 1e-5 * size);
        thaw_world_free(&world);
    }
}

static int wanted(void *context) { return --*(int *)context < 0; }

static void a_cancelled_step_goes_back(void **state) {
    (void)state;
    const char *text = with_quotes(LED, "");
    ThawWorld *calm = make_world(text, 1), *other = make_world(text, 1);
    for (int k = 0; k < 80; k++) {
        int patience = k % 7;
        assert_int_equal(thaw_world_set_cancel(other, &(ThawCancel){wanted, &patience}), THAW_OK);
        const ThawStatus status = thaw_world_step(other, NULL, NULL);
        assert_int_equal(thaw_world_set_cancel(other, NULL), THAW_OK);
        if (status == THAW_CANCELLED)
            run_world(other, 1);
        run_world(calm, 1);
        assert_int_equal(thaw_world_full_hash(calm), thaw_world_full_hash(other));
    }
    thaw_world_free(&calm);
    thaw_world_free(&other);
}

// Other frames in the middle of a run: the shape stays as it is.
static void frames_may_change_while_it_runs(void **state) {
    (void)state;
    ThawWorld *full = open_scene("full", SWING, 8, "affine"), *world = open_scene("frames", SWING, 4, "quadratic");
    ThawError error = {0};
    run_world(full, 30);
    run_world(world, 30);
    const double before = worlds_apart(full, world, 0);
    assert_int_equal(thaw_world_set_option(world, -1, "frames", "count", 12, &error), THAW_OK);
    assert_true(worlds_apart(full, world, 0) == before);
    run_world(full, 60);
    run_world(world, 60);
    print_message("apart by %.3g, then %.3g\n", before, worlds_apart(full, world, 0));
    assert_true(worlds_apart(full, world, 0) < 0.05);
    assert_int_equal(thaw_world_validate(world, &error), THAW_OK);
    thaw_world_free(&full);
    thaw_world_free(&world);
}

// A mesh of few vertices has fewer frames than asked for: one has all the fields that are worth it.
static void coarse_meshes_have_few_frames(void **state) {
    (void)state;
    ThawWorld *world =
        open_scene("frames",
                   "{'thaw': 1, 'time': {'step': 0.01}, 'gravity': [0, 0, -9.81], " BODY("1e6", "0.3", "0.01")
                       BOX("10, 10, 10", "2, 2, 2") "'bodies': [{'shape': 'box'}], 'obstacles': [{'plane': {}}]}%s",
                   "");
    const ThawStepStats stats = run_world(world, 50);
    assert_int_equal(stats.dofs, 30);
    assert_true(stats.ledger.elastic > 0 && measure(world, 0, 3).c[2] > 4);
    thaw_world_free(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_fall_and_spin),
        cmocka_unit_test(it_swings_as_the_full_method_does),
        cmocka_unit_test(boxes_fall_on_each_other_and_sleep),
        cmocka_unit_test(runs_go_on_from_checkpoints_with_the_same_bits),
        cmocka_unit_test(ledgers_close_with_scripts_and_contacts),
        cmocka_unit_test(a_cancelled_step_goes_back),
        cmocka_unit_test(frames_may_change_while_it_runs),
        cmocka_unit_test(coarse_meshes_have_few_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
