// SPDX-License-Identifier: Apache-2.0
// Angles of hinges go on where a sheet folds through itself: by half a turn, and by more. A crease costs what the
// square of its angle does and springs back the way it came, by both ways of bending, cut, in parts, after checkpoints.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/folder.h"
#include "support/world.h"

enum { MOST = 3000 };

// Two halves of a strip that share a line of vertices; the right one is turned over and through the left one, about the
// line, by `degrees` in a second, and then let go. What is left of the line stands still.
static const char turned[] =
    "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.005, \"integrator\": \"%s\"}, "
    "\"materials\": {\"m\": {\"density\": 300, \"young\": 1e7, \"poisson\": 0.3, \"alpha0\": %g, \"alpha1\": 0.01}}, "
    "\"shapes\": {\"s\": {\"mesh\": {\"sheet\": {\"grid\": {\"width\": 0.4, \"height\": 0.1}}, \"size\": 0.025}, "
    "\"material\": \"m\", \"thickness\": 0.001, \"bending\": \"%s\", \"groups\": {"
    "\"left\": {\"side\": {\"point\": [0.001, 0, 0], \"normal\": [-1, 0, 0]}}, "
    "\"right\": {\"side\": {\"point\": [0.001, 0, 0], \"normal\": [1, 0, 0]}}}}}, "
    "\"bodies\": [{\"name\": \"strip\", \"shape\": \"s\", \"pins\": [\"left\"], \"scripts\": [{\"group\": \"right\", "
    "\"centre\": [0, 0, 0], \"keys\": [{\"time\": 0}, "
    "{\"time\": 0.25, \"rotation\": {\"axis\": [0, -1, 0], \"degrees\": %g}}, "
    "{\"time\": 0.5, \"rotation\": {\"axis\": [0, -1, 0], \"degrees\": %g}}, "
    "{\"time\": 0.75, \"rotation\": {\"axis\": [0, -1, 0], \"degrees\": %g}}, "
    "{\"time\": 1, \"rotation\": {\"axis\": [0, -1, 0], \"degrees\": %g}}], \"release\": 1.1}]%s}]}";

static ThawWorld *make_turned(const char *integrator, double drag, const char *bending, double degrees,
                              const char *more, const char *method) {
    char text[4000];
    snprintf(text, sizeof text, turned, integrator, drag, bending, degrees / 4, degrees / 2, degrees * 3 / 4, degrees,
             more);
    return make_world_by(text, method, 1);
}

// Script keys turn the shorter way between two of them: at most 150 degrees apart here.
static void energy_is_that_of_the_whole_angle(void **state) {
    (void)state;
    static const char *const bendings[] = {"plate", "hinge"};
    for (int run = 0; run < 2; run++)
        for (int way = -1; way <= 1; way += 2) {
            ThawWorld *world = make_turned("semi-implicit", 0, bendings[run], way * 600, "", "full");
            double first = 0, most = 0;
            for (int k = 1; k <= 200; k++) {
                ThawStepStats stats;
                step_world(world, &stats);
                // Keys are linear in the angle by slerp; 600 degrees in a second.
                const double angle = 600 * M_PI / 180 * k * 0.005;
                const double unit = stats.ledger.elastic / (angle * angle);
                first = k == 1 ? unit : first;
                most = fmax(most, fabs(unit / first - 1));
            }
            print_message("%s, turned by %d degrees: energy over the square of the angle constant to %.1e\n",
                          bendings[run], way * 600, most);
            assert_true(most < 1e-6);
            thaw_world_free(&world);
        }
}

// How far the right half has been turned, rad, following it from 0.
static double angle_after(const ThawWorld *world, double before) {
    static double x[3 * MOST];
    thaw_world_get_positions(world, 0, x);
    double far[3] = {0};
    const int32_t count = thaw_world_vertex_count(world, 0);
    for (int32_t v = 0; v < count; v++)
        if (v % 17 == 9) // the column beside the line
            for (int i = 0; i < 3; i++)
                far[i] += x[3 * v + i];
    return before + remainder(atan2(far[2], far[0]) - before, 2 * M_PI);
}

static void a_strip_springs_back_the_way_it_came(void **state) {
    (void)state;
    static const struct {
        const char *integrator, *method;
        double degrees;
    } cases[] = {{"semi-implicit", "full", 300},    {"semi-implicit", "rigidify", 300}, {"newton", "full", 300},
                 {"euler", "rigidify", 300},        {"tr-bdf2", "full", 300},           {"semi-implicit", "full", -500},
                 {"semi-implicit", "rigidify", 500}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        ThawWorld *world = make_turned(cases[c].integrator, 6, "plate", cases[c].degrees, "", cases[c].method);
        double angle = 0, held = 0, start = 0, off = 0, gained = 0, before = INFINITY;
        ThawStepStats stats = {0};
        for (int k = 0; k < 1600; k++) {
            step_world(world, &stats);
            angle = angle_after(world, angle);
            start = k == 0 ? ledger_balance(&stats.ledger) : start;
            off = fmax(off, fabs(ledger_balance(&stats.ledger) - start));
            held = k == 215 ? angle : held;
            const double energy = stats.ledger.kinetic + stats.ledger.elastic;
            gained = k > 225 ? fmax(gained, energy - before) : 0;
            before = energy;
        }
        print_message("%s, %s, turned by %.0f degrees: held at %.3f rad, ends at %.4f; ledger off by %.1e J, gained "
                      "%.1e in a step, %.1e J left\n",
                      cases[c].integrator, cases[c].method, cases[c].degrees, held, angle, off, gained,
                      stats.ledger.elastic);
        assert_true(fabs(held - cases[c].degrees * M_PI / 180) < 1e-6 && fabs(angle) < 0.05);
        assert_true(stats.ledger.elastic < 1e-4 && off < 1e-7 && gained < 1e-7);
        thaw_world_free(&world);
    }
}

static int has_begun(const ThawWorld *world, const ThawStepStats *stats) {
    (void)world;
    return stats->step > 60;
}

static void bits_do_not_depend_on_threads_or_checkpoints(void **state) {
    (void)state;
    char text[4000];
    snprintf(text, sizeof text, turned, "semi-implicit", 6., "plate", 100., 200., 300., 400., "");
    assert_true(bits_across_checkpoints(text, 400, at("turns.h5"), has_begun) > 3);
}

// Cut across the crease while it is held beyond a whole turn: each half keeps its turns, with its share of the energy.
static void turns_outlive_cuts_and_each_body_has_its_own(void **state) {
    (void)state;
    ThawWorld *world = make_turned("semi-implicit", 6, "plate", 400,
                                   ", \"changes\": [{\"at\": 1.05, \"cut\": {\"side\": {\"point\": [0, 0.01, 0], "
                                   "\"normal\": [0, 1, 0]}}}]}, {\"name\": \"flat\", \"shape\": \"s\", \"position\": "
                                   "[0, 1, 0]",
                                   "full");
    ThawStepStats before = {0}, after = {0};
    for (int k = 0; k < 209; k++)
        step_world(world, &before);
    for (int k = 0; k < 3; k++)
        step_world(world, &after);
    print_message("elastic %.6g J, cut %.6g J\n", before.ledger.elastic, after.ledger.elastic);
    assert_true(after.ledger.elastic < before.ledger.elastic * (1 + 1e-9));
    assert_true(after.ledger.elastic > 0.7 * before.ledger.elastic);
    ThawError error = {0};
    if (thaw_world_validate(world, &error) != THAW_OK)
        fail_msg("%s", error.message);
    thaw_world_free(&world);
}

static void what_is_set_down_flat_has_not_turned(void **state) {
    (void)state;
    static double flat[3 * MOST], still[3 * MOST];
    ThawWorld *world = make_turned("semi-implicit", 6, "plate", 400, "", "full");
    thaw_world_get_positions(world, 0, flat);
    run_world(world, 210);
    ThawLedger before, after;
    thaw_world_get_ledger(world, &before);
    assert_int_equal(thaw_world_set_positions(world, 0, flat), THAW_OK);
    assert_int_equal(thaw_world_set_velocities(world, 0, still), THAW_OK);
    thaw_world_get_ledger(world, &after);
    assert_true(before.elastic > 0.05 && after.elastic < 1e-12);
    thaw_world_free(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_is_that_of_the_whole_angle),
        cmocka_unit_test(a_strip_springs_back_the_way_it_came),
        cmocka_unit_test(bits_do_not_depend_on_threads_or_checkpoints),
        cmocka_unit_test(turns_outlive_cuts_and_each_body_has_its_own),
        cmocka_unit_test(what_is_set_down_flat_has_not_turned),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
