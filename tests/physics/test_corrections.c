// SPDX-License-Identifier: Apache-2.0
// Corrections of linearised steps: they lead to what Newton's method finds, take the energy of no body, keep momenta,
// press and slide as they should, and cost one factor a step.
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

#define BAR                                                                                                            \
    "{'thaw': 1, 'time': {'step': 0.01, 'integrator': '%s', 'corrections': %d, 'newton_tolerance': 1e-9}, 'gravity': " \
    "[0, 0, -9.81], 'materials': {'m': {'density': 1000, 'young': 1e5, 'poisson': 0.45, 'alpha1': %s}}, 'shapes': {"   \
    "'box': {'mesh': {'box': {'min': [0, 0, 0], 'max': [0.4, 0.04, 0.04], 'cells': [12, 2, 2]}}, 'material': 'm'}}, "  \
    "'condense': {'regions': 5}, 'bodies': [{'shape': 'box', 'method': '%s', 'pins': ['x-min']}]}"

// A bar that falls through a quarter of a circle.
static void many_corrections_are_newtons_method(void **state) {
    (void)state;
    static const char *const methods[] = {"full", "condense"}, *const schemes[][2] = {{"semi-implicit", "newton"},
                                                                                      {"euler", "euler-newton"},
                                                                                      {"tr-bdf2", "tr-bdf2-newton"}};
    for (int m = 0; m < 2; m++)
        for (int i = 0; i < 3; i++)
            for (int damped = 0; damped < 2; damped++) {
                const char *alpha1 = damped ? "0.01" : "0";
                ThawWorld *newton = open_scene(methods[m], BAR, schemes[i][1], 0, alpha1, methods[m]);
                ThawWorld *none = open_scene(methods[m], BAR, schemes[i][0], 0, alpha1, methods[m]);
                ThawWorld *many = open_scene(methods[m], BAR, schemes[i][0], 40, alpha1, methods[m]);
                run_world(newton, 20);
                run_world(none, 20);
                run_world(many, 20);
                const double left = worlds_apart(many, newton, 0), before = worlds_apart(none, newton, 0);
                print_message("%s, %s, alpha1 %s: apart from Newton's by %.2g of what one linearisation is\n",
                              methods[m], schemes[i][0], alpha1, left / before);
                assert_true(left < 0.02 * before);
                thaw_world_free(&newton);
                thaw_world_free(&none);
                thaw_world_free(&many);
            }
}

static double energy(const ThawLedger *ledger) { return ledger->kinetic + ledger->elastic + ledger->gravitational; }

// With steps that are long for it, a bar that swings keeps more of its energy the more corrections there are; none
// makes any.
static void corrections_keep_energy(void **state) {
    (void)state;
    double kept[4];
    static const int corrections[] = {0, 2, 6, 16};
    for (int i = 0; i < 4; i++) {
        ThawWorld *world = open_scene("condense", BAR, "tr-bdf2", corrections[i], "0", "condense");
        ThawLedger ledger;
        assert_int_equal(thaw_world_get_ledger(world, &ledger), THAW_OK);
        const double start = energy(&ledger);
        double most = -INFINITY, deepest = 0;
        for (int step = 0; step < 150; step++) {
            const ThawStepStats stats = run_world(world, 1);
            most = fmax(most, energy(&stats.ledger) - start);
            deepest = fmin(deepest, stats.ledger.gravitational);
            kept[i] = energy(&stats.ledger) - start;
        }
        print_message("%d corrections: %.4g J lost of %.3g J that it falls by; at most %.2g J made\n", corrections[i],
                      -kept[i], -deepest, most);
        assert_true(most < 1e-3 * fabs(deepest));
        thaw_world_free(&world);
    }
    assert_true(kept[3] > kept[2] && kept[2] > kept[0]);
}

// Free, spinning and in contact; a rigidified one, too.
static void momenta_and_contacts_are_as_ever(void **state) {
    (void)state;
    static const char *const methods[] = {"full", "condense", "rigidify"};
#define SPINNING                                                                                                       \
    "{'thaw': 1, 'time': {'step': 0.005, 'integrator': '%s', 'corrections': 3}, 'gravity': [0, 0, 0], 'materials': {"  \
    "'m': {'density': 1000, 'young': 4e4, 'poisson': 0.45, 'alpha1': 0}}, 'shapes': {'box': {'mesh': {'box': {"        \
    "'min': [0, 0, 0], 'max': [0.08, 0.04, 0.04], 'cells': [6, 3, 3]}}, 'material': 'm'}}, 'bodies': [{'shape': "      \
    "'box', 'velocity': [0.1, 0, 0.3], 'spin': [1, 8, 2]}]}"
#define PRESSED                                                                                                        \
    "{'thaw': 1, 'time': {'step': 0.005, 'integrator': 'tr-bdf2', 'corrections': %d}, 'materials': {'m': {'density': " \
    "1000, 'young': 2e4, 'poisson': 0.4, 'alpha1': 0.01}}, 'shapes': {'box': {'mesh': {'box': {'min': [0, 0, 0], "     \
    "'max': [0.1, 0.1, 0.1], 'cells': [4, 4, 4]}}, 'material': 'm'}}, 'bodies': [{'shape': 'box', 'position': "        \
    "[0, 0, 0.01], 'rotation': {'axis': [1, 0.3, 0], 'degrees': 10}}], 'obstacles': [{'plane': {}, 'friction': 0.5}]}"
    for (int m = 0; m < 3; m++) {
        static const char *const schemes[] = {"euler", "tr-bdf2"};
        for (int i = 0; i < 2; i++) {
            ThawWorld *world = open_scene(methods[m], SPINNING, schemes[i]);
            const Momenta start = measure(world, 0, 3);
            run_world(world, 100);
            const Momenta end = measure(world, 0, 3);
            for (int k = 0; k < 3; k++) {
                assert_true(fabs(end.P[k] - start.P[k]) < 1e-12);
                assert_true(fabs(end.L[k] - start.L[k]) < 1e-9 * fabs(start.L[1]));
            }
            thaw_world_free(&world);
        }
        ThawWorld *none = open_scene(methods[m], PRESSED, 0), *some = open_scene(methods[m], PRESSED, 3);
        run_world(none, 400);
        run_world(some, 400);
        const double apart = worlds_apart(none, some, 0) / 0.1;
        print_message("%s: after a tumble at rest apart by %.2g of its size\n", methods[m], apart);
        assert_true(apart < 0.02);
        thaw_world_free(&none);
        thaw_world_free(&some);
    }
}

static int always(const ThawWorld *world, const ThawStepStats *stats) { return world && stats; }

static void runs_go_on_from_checkpoints(void **state) {
    (void)state;
    char text[2000];
    for (int m = 0; m < 2; m++) {
        snprintf(text, sizeof text, BAR, "tr-bdf2", 3, "0.001", m ? "condense" : "full");
        for (char *c = text; *c; c++)
            if (*c == '\'')
                *c = '"';
        assert_true(bits_across_checkpoints(text, 60, "corrections.ckpt", always) > 3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_corrections_are_newtons_method),
        cmocka_unit_test(corrections_keep_energy),
        cmocka_unit_test(momenta_and_contacts_are_as_ever),
        cmocka_unit_test(runs_go_on_from_checkpoints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
