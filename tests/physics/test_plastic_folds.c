// SPDX-License-Identifier: Apache-2.0
// Sheets that yield: bent to a curvature they spring back by the one that they yield at, as theory has it; bent less
// they spring back wholly; bent to the same again they do not flow; what flows is dissipated and the ledger closes; a
// sheet that is folded by scripts keeps its fold in parts, in sleep, across cuts and checkpoints.
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
#include "thaw/field.h"

enum { MOST = 2000 };

// A strip of 1 m, 1 mm thick, soft and heavy.
static ThawWorld *make_strip(double yield, double size) {
    char text[2000];
    snprintf(
        text, sizeof text,
        "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.01}, \"materials\": {\"m\": {\"density\": 300, "
        "\"young\": 1e3, \"poisson\": 0, \"alpha1\": 0}}, \"shapes\": {\"s\": {\"mesh\": "
        "{\"sheet\": {\"grid\": {\"width\": 1, \"height\": 0.1}}, \"size\": %g}, \"material\": \"m\", "
        "\"thickness\": 0.001, \"yield_curvature\": %g}}, \"bodies\": [{\"shape\": \"s\"}]}",
        size, yield);
    return make_world(text, 1);
}

static void roll(ThawWorld *world, const double *flat, double curvature) {
    static double x[3 * MOST];
    const int32_t count = thaw_world_vertex_count(world, 0);
    for (int32_t v = 0; v < count; v++) {
        x[3 * v] = sin(curvature * flat[3 * v]) / curvature;
        x[3 * v + 1] = flat[3 * v + 1];
        x[3 * v + 2] = (1 - cos(curvature * flat[3 * v])) / curvature;
    }
    assert_int_equal(thaw_world_set_positions(world, 0, x), THAW_OK);
    memset(x, 0, sizeof x);
    assert_int_equal(thaw_world_set_velocities(world, 0, x), THAW_OK);
}

static double largest_fold(const ThawWorld *world) {
    static double values[MOST];
    double largest = 0;
    assert_int_equal(thaw_world_get_field(world, 0, thaw_field_find("fold"), values), THAW_OK);
    for (int32_t e = 0; e < thaw_world_element_count(world, 0); e++)
        largest = fmax(largest, values[e]);
    return largest;
}

// J, elastic, of the strip rolled up to a curvature, a step later.
static double energy_at(ThawWorld *world, const double *flat, double curvature) {
    ThawStepStats stats;
    roll(world, flat, curvature);
    step_world(world, &stats);
    return stats.ledger.elastic;
}

// A plate of D = E t^3 / 12 over 0.1 m^2 that yields at Y: bent to k it holds D/2 min(k, Y)^2, and k - Y is its new
// shape at rest. It is too slow to move within a step.
static void a_strip_springs_back_by_the_curvature_it_yields_at(void **state) {
    (void)state;
    static const double bent[] = {1.5, 2.5, 3.5}, yield = 2, D = 1e3 * 1e-9 / 12, area = 0.1;
    for (int run = 0; run < 6; run++) {
        static double flat[3 * MOST];
        const double size = run < 3 ? 0.025 : 0.0125, k = bent[run % 3], left = fmax(0, k - yield), unit = D / 2 * area;
        ThawWorld *world = make_strip(yield, size);
        ThawStepStats stats;
        thaw_world_get_positions(world, 0, flat);
        step_world(world, &stats);
        const double held = energy_at(world, flat, k), fold = largest_fold(world);
        const double rest = energy_at(world, flat, left > 0 ? left : 1e-3), again = energy_at(world, flat, k);
        const double more = largest_fold(world) - fold, open = energy_at(world, flat, 1e-3);
        print_message(
            "size %g m, bent to %.1f/m, yields at %.1f/m: energy %.4f of theory, bent again %.4f; %.1e at %.1f/m, flat "
            "%.4f; folds %.4f rad, then %.1e more\n",
            size, k, yield, held / (unit * pow(fmin(k, yield), 2)), again / (unit * pow(fmin(k, yield), 2)),
            rest / unit, left, left > 0 ? open / (unit * left * left) : open / unit, fold, more);
        // Where the ends take the moment away no hinge yields: cells, so less with finer ones.
        const double stiff = 6 * size * (fmax(1, k * k / (yield * yield)) - 1) + 0.02;
        assert_true(fabs(held / (unit * pow(fmin(k, yield), 2)) - 1) < stiff && rest < 2e-2 * held);
        assert_true(fabs(again / held - 1) < 0.01 && fabs(open / unit - left * left) < 4 * size * left * left + 2e-3);
        assert_true((fold > 0) == (left > 0) && more <= 1e-3 * fold);
        thaw_world_free(&world);
    }
}

// Two halves, the right one turned by scripts over the left one and let go after a second.
static const char folded[] =
    "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.01}, \"materials\": {\"m\": {\"density\": 300, "
    "\"young\": 1e7, \"poisson\": 0.3, \"alpha0\": 4, \"alpha1\": 0.01}}, \"shapes\": {\"s\": {\"mesh\": {\"sheet\": "
    "{\"grid\": {\"width\": 0.4, \"height\": 0.1}}, \"size\": 0.025}, \"material\": \"m\", \"thickness\": 0.001, "
    "\"yield_angle\": %g, \"groups\": {\"left\": {\"side\": {\"point\": [-0.03, 0, 0], \"normal\": [-1, 0, 0]}}, "
    "\"right\": {\"side\": {\"point\": [0.03, 0, 0], \"normal\": [1, 0, 0]}}}}}, \"bodies\": [{\"name\": \"paper\", "
    "\"shape\": \"s\", \"pins\": [\"left\"], \"scripts\": [{\"group\": \"right\", \"centre\": [0, 0, 0], \"keys\": "
    "[{\"time\": 0}, {\"time\": 0.5, \"rotation\": {\"axis\": [0, -1, 0], \"degrees\": 100}}], \"release\": 1}]%s}]}";

// How far the right half is turned up, rad.
static double opening(const ThawWorld *world) {
    static double x[3 * MOST];
    thaw_world_get_positions(world, 0, x);
    const double *p = x + 3 * (17 * 2 + 13), *q = p + 9;
    return atan2(q[2] - p[2], q[0] - p[0]);
}

static void paper_keeps_its_fold_by_both_methods(void **state) {
    (void)state;
    static const double yields[] = {0.2, 2};
    for (int run = 0; run < 4; run++) {
        char text[3000];
        ThawStepStats stats = {0};
        snprintf(text, sizeof text, folded, yields[run / 2], "");
        ThawWorld *world = make_world_by(text, run % 2 ? "rigidify" : "full", 1);
        double start = 0, off = 0, damped = 0, fold = 0;
        int64_t rigid = 0;
        for (int k = 0; k < 1500; k++) {
            step_world(world, &stats);
            start = k == 0 ? ledger_balance(&stats.ledger) : start;
            off = fmax(off, fabs(ledger_balance(&stats.ledger) - start));
            assert_true(stats.ledger.damping_loss >= damped - 1e-12);
            damped = stats.ledger.damping_loss;
            fold = k == 99 ? largest_fold(world) : fold;
            rigid += stats.rigid_parts > 0;
        }
        print_message("yield %.1f rad, %s: held at 1.75 rad, open at %.3f; folds %.3f, %.3f rad; ledger off %.1e J, %d "
                      "steps with parts\n",
                      yields[run / 2], run % 2 ? "rigidify" : "full", opening(world), fold, largest_fold(world), off,
                      (int)rigid);
        if (run / 2)
            assert_true(fold == 0 && fabs(opening(world)) < 0.02);
        else
            assert_true(fold > 0.1 && opening(world) > 0.5 && opening(world) < 1.7);
        assert_true(off < 1e-8 && (run % 2 == 0 || rigid > 100));
        thaw_world_free(&world);
    }
}

static int has_begun(const ThawWorld *world, const ThawStepStats *stats) {
    (void)world;
    return stats->step > 20;
}

static void bits_do_not_depend_on_threads_or_checkpoints(void **state) {
    (void)state;
    char text[3000];
    snprintf(text, sizeof text, folded, 0.2, "");
    assert_true(bits_across_checkpoints(text, 160, at("folds.h5"), has_begun) > 3);
}

static void folds_outlive_cuts_and_each_body_has_its_own(void **state) {
    (void)state;
    char text[3000];
    snprintf(text, sizeof text, folded, 0.2,
             ", \"changes\": [{\"at\": 1.2, \"cut\": {\"side\": {\"point\": [0, 0.01, 0], \"normal\": [0, 1, 0]}}}]}, "
             "{\"name\": \"flat\", \"shape\": \"s\", \"position\": [0, 1, 0]");
    ThawWorld *world = make_world(text, 1);
    run_world(world, 119);
    const double before = largest_fold(world);
    run_world(world, 2);
    const double after = largest_fold(world);
    static double flat[MOST];
    thaw_world_get_field(world, 1, thaw_field_find("fold"), flat);
    for (int32_t e = 0; e < thaw_world_element_count(world, 1); e++)
        assert_true(flat[e] == 0);
    print_message("folds %.4f, cut %.4f rad\n", before, after);
    assert_true(before > 0.1 && fabs(after - before) < 0.05 * before);
    ThawError error = {0};
    if (thaw_world_validate(world, &error) != THAW_OK)
        fail_msg("%s", error.message);
    thaw_world_free(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_strip_springs_back_by_the_curvature_it_yields_at),
        cmocka_unit_test(paper_keeps_its_fold_by_both_methods),
        cmocka_unit_test(bits_do_not_depend_on_threads_or_checkpoints),
        cmocka_unit_test(folds_outlive_cuts_and_each_body_has_its_own),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
