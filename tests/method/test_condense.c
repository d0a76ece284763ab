// SPDX-License-Identifier: Apache-2.0
// Condensation in whole worlds: at rest what `full` is, in the air and turning too, by every integrator; contact with
// friction, sleep, checkpoints, scripts, ledgers and other regions while it runs.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "physics/motion.h"
#include "support/world.h"
#include "thaw/thaw.h"

static const char *const integrators[] = {"semi-implicit", "newton",  "euler",
                                          "euler-newton",  "tr-bdf2", "tr-bdf2-newton"};
enum { INTEGRATORS = sizeof integrators / sizeof *integrators };

#define BODY(young, poisson, alpha1)                                                                                   \
    "'materials': {'m': {'density': 1000, 'young': " young ", 'poisson': " poisson ", 'alpha1': " alpha1 "}}, "
#define BOX(size, cells)                                                                                               \
    "'shapes': {'box': {'mesh': {'box': {'min': [0, 0, 0], 'max': [" size "], 'cells': [" cells                        \
    "]}}, 'material': 'm'}}, "

static ThawStepStats run(ThawWorld *world, int steps) { return run_world(world, steps); }

// --- alone -----------------------------------------------------------------------------------------------------------

// A body that falls and turns: both forms give its vertices the same accelerations.
static void bodies_fall_and_spin_as_by_the_full_method(void **state) {
    (void)state;
    for (int i = 0; i < INTEGRATORS; i++) {
        ThawWorld *worlds[2];
        for (int k = 0; k < 2; k++)
            worlds[k] =
                open_scene(k ? "condense" : "full",
                           "{'thaw': 1, 'time': {'step': 0.005, 'integrator': '%s'}, 'gravity': [0, 0, -9.81], " BODY(
                               "4e4", "0.45", "0") BOX("0.08, 0.04, 0.04", "6, 3, 3") "'bodies': [{'shape': 'box', "
                                                                                      "'velocity': [0.2, 0, 1], "
                                                                                      "'spin': [1, 4, 2]}]}",
                           integrators[i]);
        const Momenta start = measure(worlds[1], 0, 3);
        run(worlds[0], 100);
        run(worlds[1], 100);
        const Momenta end = measure(worlds[1], 0, 3);
        const double apart = worlds_apart(worlds[0], worlds[1], 0) / 0.08;
        print_message("%-15s apart %.2g of the size after a turn and a half\n", integrators[i], apart);
        assert_true(apart < 2e-4);
        assert_true(fabs(end.P[0] - start.P[0]) <= 1e-12 && fabs(end.P[1]) <= 1e-12);
        assert_true(fabs(end.P[2] - start.P[2] + 9.81 * 0.5 * start.mass) <= 1e-11);
        if (i >= 2) // in moving frames
            for (int k = 0; k < 3; k++)
                assert_true(fabs(end.L[k] - start.L[k]) <= 1e-10 * fabs(start.L[1]));
        thaw_world_free(&worlds[0]);
        thaw_world_free(&worlds[1]);
    }
}

static void a_free_fall_is_exact(void **state) {
    (void)state;
    for (int i = 0; i < INTEGRATORS; i++) {
        ThawWorld *world = open_scene(
            "condense",
            "{'thaw': 1, 'time': {'step': 0.01, 'integrator': '%s'}, 'gravity': [0, 0, -9.81], " BODY("3e3", "0.4", "0")
                BOX("0.1, 0.05, 0.2", "3, 2, 5") "'condense': {'regions': 3}, 'bodies': [{'shape': 'box'}]}",
            integrators[i]);
        ThawStepStats stats = run(world, 30);
        assert_true(fabs(stats.ledger.elastic) < 1e-12);
        const Momenta end = measure(world, 0, 3);
        assert_true(fabs(end.P[2] + 9.81 * 0.3 * end.mass) < 1e-12);
        thaw_world_free(&world);
    }
}

// A cantilever comes to rest where the full one does, to rounding of the balance, by one region as by ten, or by none.
static void at_rest_they_are_where_the_full_method_is(void **state) {
    (void)state;
#define BENT                                                                                                           \
    "{'thaw': 1, 'time': {'step': 0.02, 'integrator': '%s'}, 'gravity': [0, 0, -9.81], " BODY("2e5", "0.45", "0.05")   \
        BOX("0.3, 0.05, 0.05", "8, 2, 2") "'condense': {'regions': %d, 'sleep': 0}, "                                  \
                                          "'bodies': [{'shape': 'box', 'pins': ['x-min']}]}"
    static const int regions[] = {0, 1, 3, 10};
    for (int i = 0; i < INTEGRATORS; i++) {
        ThawWorld *full = open_scene("full", BENT, integrators[i], 8);
        run(full, 500);
        for (int r = 0; r < 4; r++) {
            ThawWorld *world = open_scene("condense", BENT, integrators[i], regions[r]);
            run(world, 500);
            const double apart = worlds_apart(full, world, 0) / 0.3;
            if (!(apart < 1e-8))
                fail_msg("%s, %d regions: %g", integrators[i], regions[r], apart);
            thaw_world_free(&world);
        }
        thaw_world_free(&full);
    }
}

// The swing of a cantilever: frequency and loss of the full one, by TR-BDF2 with little damping.
static void it_swings_as_the_full_method_does(void **state) {
    (void)state;
#define SWING                                                                                                          \
    "{'thaw': 1, 'time': {'step': 0.01, 'integrator': 'tr-bdf2'}, 'gravity': [0, 0, -9.81], " BODY("5e6", "0.4", "0")  \
        BOX("1, 0.1, 0.1", "16, 3, 3") "'condense': {'regions': %d}, 'bodies': [{'shape': 'box', 'pins': ['x-min']}]}"
    static const struct {
        int regions;
        double bound;
    } cases[] = {{1, 0.03}, {3, 0.012}, {8, 0.002}, {16, 0.002}};
    ThawWorld *full = open_scene("full", SWING, 8);
    ThawWorld *worlds[4];
    double most[4] = {0};
    for (int r = 0; r < 4; r++)
        worlds[r] = open_scene("condense", SWING, cases[r].regions);
    for (int step = 0; step < 200; step++) {
        run(full, 1);
        for (int r = 0; r < 4; r++) {
            run(worlds[r], 1);
            most[r] = fmax(most[r], worlds_apart(full, worlds[r], 0));
        }
    }
    for (int r = 0; r < 4; r++) {
        print_message("%d regions: apart by %.4f of the length in two swings\n", cases[r].regions, most[r]);
        assert_true(most[r] < cases[r].bound);
        thaw_world_free(&worlds[r]);
    }
    thaw_world_free(&full);
}

// --- what touches ----------------------------------------------------------------------------------------------------

// m, the way of a block that slides, Coulomb's v^2 / (2 mu g).
static void a_block_slides_by_coulombs_law(void **state) {
    (void)state;
    for (int cells = 3; cells <= 5; cells += 2)
        for (int i = 0; i < 2; i++) {
            char text[20];
            snprintf(text, sizeof text, "%d, %d, %d", cells, cells, cells / 2);
            ThawWorld *world = open_scene("condense",
                                          "{'thaw': 1, 'time': {'step': %g}, 'gravity': [0, 0, -9.81], " BODY(
                                              "4e5", "0.4", "0.002") "'shapes': {'box': {'mesh': {'box': {'min': [0, "
                                                                     "0, 0], 'max': [0.1, 0.1, 0.05], 'cells': [%s]}}, "
                                                                     "'material': 'm'}}, 'bodies': [{'shape': 'box', "
                                                                     "'velocity': [0.5, 0, 0], 'friction': 0.3}], "
                                                                     "'obstacles': [{'plane': {}, 'friction': 0.3}]}",
                                          i ? 0.0025 : 0.005, text);
            const double from = measure(world, 0, 3).c[0];
            run(world, i ? 160 : 80);
            const Momenta end = measure(world, 0, 3);
            const double way = end.c[0] - from, theory = 0.25 / (2 * 0.3 * 9.81);
            print_message("%d cells, step %g: slides %.5f m, theory %.5f\n", cells, i ? 0.0025 : 0.005, way, theory);
            assert_true(fabs(way - theory) < (i ? 0.03 : 0.05) * theory);
            assert_true(fabs(end.P[0]) < 1e-3 * end.mass);
            thaw_world_free(&world);
        }
}

#define FALLING                                                                                                        \
    "{'thaw': 1, 'time': {'step': 0.005, 'steps': 400%s}, 'gravity': [0, 0, -9.81], " BODY("1e5", "0.4", "0.01")       \
        BOX("0.06, 0.06, 0.06", "3, 3, 3") "'condense': {'regions': 4}, 'bodies': [{'shape': 'box', 'method': "        \
                                           "'condense', 'position': [0, 0, 0.03], 'rotation': {'axis': [1, 2, 0], "    \
                                           "'degrees': 20}}, {'shape': 'box', 'method': 'condense', 'position': "      \
                                           "[0.01, 0.02, 0.12]}], 'obstacles': [{'plane': {}}]}"

static void boxes_fall_on_each_other_and_sleep(void **state) {
    (void)state;
    ThawWorld *world = open_scene("condense", FALLING, "");
    ThawStepStats stats = {0};
    int steps = 0;
    for (; steps < 1200 && stats.asleep < 2; steps++)
        stats = run(world, 1);
    print_message("asleep after %.2f s\n", 0.005 * steps);
    assert_int_equal(stats.asleep, 2);
    assert_int_equal(stats.inverted, 0);
    assert_true(measure(world, 0, 3).c[2] > 0.02 && measure(world, 1, 3).c[2] > 0.02);
    assert_int_equal(thaw_world_wake(world, 0), THAW_OK);
    assert_true(run(world, 1).asleep < 2);
    thaw_world_free(&world);
}

// A soft cube that stands on the floor under its own weight: the dent is the full method's, to rounding.
static void what_rests_on_the_floor_is_pressed_as_by_the_full_method(void **state) {
    (void)state;
    ThawWorld *worlds[2];
    for (int k = 0; k < 2; k++) {
        worlds[k] =
            open_scene(k ? "condense" : "full",
                       "{'thaw': 1, 'time': {'step': 0.01}, 'gravity': [0, 0, -9.81], " BODY("2e4", "0.4", "0.02")
                           BOX("0.1, 0.1, 0.1", "4, 4, 4") "'condense': {'regions': 6, 'sleep': 0}, 'bodies': "
                                                           "[{'shape': 'box', 'friction': 0}], 'obstacles': "
                                                           "[{'plane': {}, 'friction': 0}]}");
        run(worlds[k], 600);
    }
    const double apart = worlds_apart(worlds[0], worlds[1], 0) / 0.1;
    print_message("at rest on the floor apart by %.2g of the size\n", apart);
    assert_true(apart < 5e-7);
    thaw_world_free(&worlds[0]);
    thaw_world_free(&worlds[1]);
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

static void runs_go_on_from_checkpoints_with_the_same_bits(void **state) {
    (void)state;
    assert_true(bits_across_checkpoints(with_quotes(FALLING, ""), 400, "condense.ckpt", is_ripe) > 5);
    assert_true(
        bits_across_checkpoints(with_quotes(FALLING, ", 'integrator': 'tr-bdf2'"), 100, "condense.ckpt", is_ripe) > 3);
    assert_true(
        bits_across_checkpoints(with_quotes(FALLING, ", 'integrator': 'newton'"), 60, "condense.ckpt", is_ripe) > 3);
}

// --- what drives it --------------------------------------------------------------------------------------------------

// The far end is led away and let go; the ledger closes to rounding where the step is in the world's axes.
static void ledgers_close_with_scripts_and_contacts(void **state) {
    (void)state;
    static const char *const schemes[] = {"semi-implicit", "newton"};
    for (int i = 0; i < 2; i++) {
        ThawWorld *world =
            open_scene("condense",
                       "{'thaw': 1, 'time': {'step': 0.005, 'integrator': '%s'}, 'gravity': [0, 0, -9.81], " BODY(
                           "2e5", "0.4", "0.005")
                           BOX("0.3, 0.05, 0.05",
                               "8, 2, 2") "'bodies': [{'shape': 'box', 'method': 'condense', 'pins': ['x-min'], "
                                          "'scripts': [{'group': 'x-max', 'release': 0.3, 'keys': [{'time': 0}, "
                                          "{'time': 0.2, 'translation': [0.02, 0.1, 0.05]}]}]}], 'obstacles': "
                                          "[{'plane': {}, 'position': [0, 0, -0.02]}]}",
                       schemes[i]);
        ThawLedger ledger;
        assert_int_equal(thaw_world_get_ledger(world, &ledger), THAW_OK);
        const double start = ledger_balance(&ledger);
        double open = 0, size = 0;
        for (int step = 0; step < 200; step++) {
            ThawStepStats stats = run(world, 1);
            open = fmax(open, fabs(ledger_balance(&stats.ledger) - start));
            size = fmax(size, stats.ledger.elastic + stats.ledger.kinetic);
        }
        print_message("%s: ledger open by %.2g of %.2g J\n", schemes[i], open, size);
        assert_true(open < 1e-5 * size);
        thaw_world_free(&world);
    }
}

// Other regions in the middle of a run: from one step to the next nothing moves but the mass.
static void regions_may_change_while_it_runs(void **state) {
    (void)state;
    ThawWorld *full = open_scene("full", SWING, 8), *world = open_scene("condense", SWING, 4);
    ThawError error = {0};
    run(full, 30);
    run(world, 30);
    assert_int_equal(thaw_world_set_option(world, -1, "condense", "regions", 12, &error), THAW_OK);
    run(full, 60);
    run(world, 60);
    assert_true(worlds_apart(full, world, 0) < 0.02);
    assert_int_equal(thaw_world_validate(world, &error), THAW_OK);
    thaw_world_free(&full);
    thaw_world_free(&world);
}

static void given_regions_need_their_group(void **state) {
    (void)state;
    ThawScene *scene = NULL;
    ThawWorld *world = NULL;
    ThawError error = {0};
    char *text = with_quotes(
        "{'thaw': 1, 'time': {'step': 0.005}, " BODY("1e5", "0.4", "0")
            BOX("1, 1, 1",
                "2, 2, 2") "'condense': {'place': 'group'}, 'bodies': [{'shape': 'box', 'method': 'condense'}]}%s",
        "");
    assert_int_equal(thaw_scene_parse(text, strlen(text), "scene", NULL, &scene, &error), THAW_OK);
    assert_int_equal(thaw_world_create(&scene->world, &world, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "has no group"));
    thaw_scene_free(&scene);
}

// --- the published form ----------------------------------------------------------------------------------------------

#define PUBLISHED(options, more)                                                                                       \
    "{'thaw': 1, 'time': {'step': 0.01, 'steps': 100, 'integrator': 'semi-implicit'}, 'gravity': [0, 0, "              \
    "-9.81], " BODY("5e4", "0.45", "0.01")                                                                             \
        BOX("0.2, 0.05, 0.05",                                                                                         \
            "8, 2, 2") "'condense': {'form': 'published', 'sleep': 0, " options                                        \
                       "}, 'bodies': [{'shape': 'box', 'method': 'condense', 'pins': ['x-min']" more "}]}"

// With any number of nodes, none too, and any gamma: a fixed point is a balance of all forces.
static void nodes_come_to_rest_where_the_full_method_does(void **state) {
    (void)state;
    static const char *const scenes[] = {PUBLISHED("'regions': 4", ""), PUBLISHED("'regions': 1", ""),
                                         PUBLISHED("'regions': 0", ""),
                                         PUBLISHED("'regions': 4, 'gamma': 1, 'search': true", ""),
                                         PUBLISHED("'regions': 6, 'beta': 1, 'gamma': 0.2", "")};
    ThawWorld *full = open_scene("full", "%s", scenes[0]);
    run(full, 1500);
    for (int i = 0; i < 5; i++) {
        ThawWorld *world = open_scene("condense", "%s", scenes[i]);
        ThawStepStats stats = run(world, 1500);
        const double apart = worlds_apart(full, world, 0) / 0.2;
        print_message("published form %d: %d unknowns, apart by %.2g of the size at rest\n", i, (int)stats.dofs, apart);
        assert_true(apart < 5e-9);
        thaw_world_free(&world);
    }
    thaw_world_free(&full);
}

// A far end that is led: all moves with it and comes to rest where the full body does.
static void nodes_follow_what_scripts_lead(void **state) {
    (void)state;
#define LED                                                                                                            \
    ", 'scripts': [{'group': 'x-max', 'keys': [{'time': 0}, {'time': 0.3, 'translation': [0.02, 0.02, 0.05], "         \
    "'rotation': {'axis': [1, 0, 0], 'degrees': 60}}]}]"
    ThawWorld *full = open_scene("full", "%s", PUBLISHED("'regions': 3", LED));
    ThawWorld *world = open_scene("condense", "%s", PUBLISHED("'regions': 3", LED));
    double most = 0;
    for (int step = 0; step < 800; step++) {
        run(full, 1);
        run(world, 1);
        most = fmax(most, worlds_apart(full, world, 0) / 0.2);
    }
    const double apart = worlds_apart(full, world, 0) / 0.2;
    print_message("led: apart by %.2g of the size on the way, %.2g in the end\n", most, apart);
    assert_true(most < 0.01 && apart < 1e-9);
    thaw_world_free(&full);
    thaw_world_free(&world);
}

static void runs_of_nodes_go_on_from_checkpoints_with_the_same_bits(void **state) {
    (void)state;
    assert_true(bits_across_checkpoints(with_quotes("%s", PUBLISHED("'regions': 3", LED)), 100, "nodes.ckpt", always) >
                5);
}

static void nodes_do_not_iterate(void **state) {
    (void)state;
    ThawScene *scene = NULL;
    ThawWorld *world = NULL;
    ThawError error = {0};
    ThawStepStats stats;
    char *text =
        with_quotes("{'thaw': 1, 'time': {'step': 0.005, 'integrator': 'newton'}, " BODY("1e5", "0.4", "0")
                        BOX("1, 1, 1", "3, 3, 3") "'condense': {'form': 'published'}, 'bodies': [{'shape': 'box', "
                                                  "'method': 'condense', 'pins': ['x-min']}]}%s",
                    "");
    assert_int_equal(thaw_scene_parse(text, strlen(text), "scene", NULL, &scene, &error), THAW_OK);
    ThawStatus status = thaw_world_create(&scene->world, &world, &error);
    if (status == THAW_OK)
        status = thaw_world_step(world, &stats, &error);
    assert_int_equal(status, THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "one linearised step"));
    thaw_world_free(&world);
    thaw_scene_free(&scene);
}

// What it cannot step is refused when the world is made, with a cure that is one.
static void nodes_that_are_too_few_are_refused(void **state) {
    (void)state;
#define NODES(regions, body, more)                                                                                     \
    "{'thaw': 1, 'time': {'step': 0.005, 'integrator': 'semi-implicit'}, " BODY("1e5", "0.4", "0")                     \
        BOX("1, 1, 1", "3, 3, 3") "'condense': {'form': 'published', 'regions': " regions                              \
                                  "}, 'bodies': [{'shape': 'box', 'method': 'condense'" body "}]" more "}%s"
    static const struct {
        const char *scene, *message;
    } cases[] = {
        {NODES("2", "", ""), "at least 3 nodes"},
        {NODES("0", "", ""), "at least 3 nodes"},
        {NODES("0", ", 'scripts': [{'group': 'x-min', 'release': 1, 'keys': [{'time': 0}]}]", ""), "at least 3 nodes"},
        {NODES("0", ", 'pins': ['x-min']", ", 'obstacles': [{'plane': {}}]"), "takes no contact"},
        {NODES("0", ", 'pins': ['x-min']", ""), NULL},
        {NODES("3", "", ", 'obstacles': [{'plane': {}}]"), NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ThawScene *scene = NULL;
        ThawWorld *world = NULL;
        ThawError error = {0};
        char *text = with_quotes(cases[i].scene, "");
        assert_int_equal(thaw_scene_parse(text, strlen(text), "scene", NULL, &scene, &error), THAW_OK);
        ThawStatus status = thaw_world_create(&scene->world, &world, &error);
        assert_int_equal(status, cases[i].message ? THAW_ERROR_INPUT : THAW_OK);
        if (cases[i].message && !strstr(error.message, cases[i].message))
            fail_msg("%s", error.message);
        thaw_world_free(&world);
        thaw_scene_free(&scene);
    }
}

// Without nodes there are no velocities: what moves is the correction. The ledger has the work of weight on it, and the
// body does not sleep before it has come to rest.
static void corrections_do_work_and_keep_a_body_awake(void **state) {
    (void)state;
#define LOAD ", 'forces': [{'group': 'x-max', 'total': [0, 0, -0.5]}]"
#define CREEPS(form, force)                                                                                            \
    "{'thaw': 1, 'time': {'step': 0.01, 'integrator': 'semi-implicit'}, 'gravity': [0, 0, -9.81], " BODY("5e4",        \
                                                                                                         "0.45", "0")  \
        BOX("0.2, 0.05, 0.05", "8, 2, 2") "'condense': {" form "'sleep': 2, 'regions': 0}, 'bodies': [{'shape': "      \
                                          "'box', 'pins': ['x-min']" force "}]}"
    ThawWorld *world = open_scene("condense", "%s", CREEPS("'form': 'published', 'gamma': 0.02, ", LOAD));
    ThawWorld *full = open_scene("full", "%s", CREEPS("", LOAD));
    ThawLedger ledger;
    assert_int_equal(thaw_world_get_ledger(world, &ledger), THAW_OK);
    const double start = ledger_balance(&ledger);
    ThawStepStats stats = {0};
    int steps = 0;
    for (; steps < 2000 && stats.asleep == 0; steps++)
        stats = run(world, 1);
    run(full, 1000);
    const double apart = worlds_apart(full, world, 0) / 0.2;
    print_message("asleep after %d steps, %.2g of the size from rest; external work %.3g J, ledger open by %.2g\n",
                  steps, apart, stats.ledger.external_work, ledger_balance(&stats.ledger) - start);
    assert_int_equal(stats.asleep, 1);
    assert_true(apart < 0.05); // a speed of 1e-3 is as far from rest as 0.01 s / 0.02 of it
    assert_true(stats.ledger.external_work > 1e-3);
    assert_true(fabs(ledger_balance(&stats.ledger) - start) < 1e-10 * stats.ledger.external_work);
    thaw_world_free(&world);
    thaw_world_free(&full);
}

// The static solve has no use for regions; and what follows it goes on with them.
static void a_static_solve_is_the_full_methods(void **state) {
    (void)state;
    ThawWorld *worlds[2];
    ThawError error = {0};
    ThawStepStats stats;
    for (int k = 0; k < 2; k++) {
        worlds[k] = open_scene(k ? "condense" : "full", BENT, "semi-implicit", 6);
        if (k)
            run(worlds[k], 3);
        assert_int_equal(thaw_world_solve_static(worlds[k], &stats, &error), THAW_OK);
        run(worlds[k], 3);
    }
    assert_true(worlds_apart(worlds[0], worlds[1], 0) < 1e-9);
    thaw_world_free(&worlds[0]);
    thaw_world_free(&worlds[1]);
}

// Fewer vertices than fields: accelerations are there all the same.
static void a_cell_of_one_region_swings(void **state) {
    (void)state;
#define CELL                                                                                                           \
    "{'thaw': 1, 'time': {'step': 0.01, 'integrator': 'tr-bdf2'}, 'gravity': [0, 0, -9.81], " BODY("1e4", "0.4", "0")  \
        BOX("0.1, 0.1, 0.1", "1, 1, 1") "'condense': {'regions': 1}, 'bodies': [{'shape': 'box', 'pins': ['x-min']}]}"
    ThawWorld *worlds[2];
    for (int k = 0; k < 2; k++) {
        worlds[k] = open_scene(k ? "condense" : "full", "%s", CELL);
    }
    double most = 0, way = 0;
    ThawWorld *start = open_scene("full", "%s", CELL);
    for (int step = 0; step < 30; step++) {
        run(worlds[0], 1);
        run(worlds[1], 1);
        most = fmax(most, worlds_apart(worlds[0], worlds[1], 0));
        way = fmax(way, worlds_apart(worlds[0], start, 0));
    }
    print_message("one cell: apart by %.3g of a swing of %.3g m\n", most / way, way);
    assert_true(most < 0.5 * way);
    thaw_world_free(&start);
    thaw_world_free(&worlds[0]);
    thaw_world_free(&worlds[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_fall_is_exact),
        cmocka_unit_test(bodies_fall_and_spin_as_by_the_full_method),
        cmocka_unit_test(at_rest_they_are_where_the_full_method_is),
        cmocka_unit_test(it_swings_as_the_full_method_does),
        cmocka_unit_test(a_block_slides_by_coulombs_law),
        cmocka_unit_test(boxes_fall_on_each_other_and_sleep),
        cmocka_unit_test(what_rests_on_the_floor_is_pressed_as_by_the_full_method),
        cmocka_unit_test(runs_go_on_from_checkpoints_with_the_same_bits),
        cmocka_unit_test(ledgers_close_with_scripts_and_contacts),
        cmocka_unit_test(regions_may_change_while_it_runs),
        cmocka_unit_test(given_regions_need_their_group),
        cmocka_unit_test(nodes_come_to_rest_where_the_full_method_does),
        cmocka_unit_test(nodes_follow_what_scripts_lead),
        cmocka_unit_test(runs_of_nodes_go_on_from_checkpoints_with_the_same_bits),
        cmocka_unit_test(nodes_do_not_iterate),
        cmocka_unit_test(nodes_that_are_too_few_are_refused),
        cmocka_unit_test(corrections_do_work_and_keep_a_body_awake),
        cmocka_unit_test(a_static_solve_is_the_full_methods),
        cmocka_unit_test(a_cell_of_one_region_swings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
