// SPDX-License-Identifier: Apache-2.0
// Thresholds that follow each body's own scales: the lowest mode against beam theory, the same partitions in scenes
// that are similar, and one default for a coin and a bridge.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "method/rigidify/rigidify.h"
#include "support/world.h"
#include "thaw/thaw.h"

// A bar of 8 x 0.5 x 0.4 m, by what holds it.
static ThawScale bar_scale(const char *pins) {
    char text[1000];
    snprintf(
        text, sizeof text,
        "{\"thaw\": 1, \"materials\": {\"m\": {\"young\": 1e6, \"poisson\": 0, \"density\": 100}},"
        "\"shapes\": {\"bar\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [8, 0.5, 0.4], \"cells\": [64, 4, "
        "4]}}, \"material\": \"m\", \"groups\": {\"corner\": {\"nearest\": [0, 0, 0]}}}},"
        "\"bodies\": [{\"shape\": \"bar\", \"method\": \"rigidify\"%s}]}",
        pins);
    ThawWorld *world = make_world(text, 1);
    ThawScale scale = thaw_rigidify_record(&world->steppers[0])->scale;
    thaw_world_free(&world);
    return scale;
}

static void the_lowest_mode_is_that_of_beam_theory(void **state) {
    (void)state;
    // omega = beta^2 sqrt(E I / (rho A L^4)), I / A = t^2 / 12: clamped, free, and hinged at a corner (rigid turns left
    // out).
    static const struct {
        const char *pins;
        double beta_square;
    } cases[] = {{", \"pins\": [\"x-min\"]", 3.516},
                 {"", 22.37},
                 {", \"pins\": [\"x-min\", \"x-max\"]", 22.37},
                 {", \"pins\": [\"corner\"]", 15.42}};
    for (int i = 0; i < 4; i++) {
        ThawScale scale = bar_scale(cases[i].pins);
        double theory = cases[i].beta_square * sqrt(1e6 / 100) * 0.4 / sqrt(12) / 64;
        print_message("omega %.4f rad/s, theory %.4f; lever %.2f\n", scale.omega, theory, scale.lever);
        assert_true(scale.known && scale.omega > theory && scale.omega < 1.2 * theory); // linear tetrahedra are stiff
        assert_true(scale.lever > 1);
    }
    // A clamped bar under strain e at the clamp, e (1 - x/L)-like along it, bends by about e L^2 / (2 t) and more.
    assert_true(bar_scale(cases[0].pins).lever > 8 / (2 * 0.4));
}

// A cantilever with a load, `size` times as large, `stiff` times as stiff, `dense` times as heavy; and time so that the
// physics is the same. Gravity comes out as g stiff / (dense size).
static void write_similar(double size, double stiff, double dense, char *text, size_t room) {
    double time = size * sqrt(dense / stiff), g = 9.8 * stiff / (dense * size), force = 3 * stiff * size * size;
    snprintf(text, room,
             "{\"thaw\": 1, \"gravity\": [0, 0, %.17g], \"time\": {\"step\": %.17g},"
             "\"materials\": {\"foam\": {\"young\": %.17g, \"poisson\": 0.35, \"density\": %.17g, \"alpha1\": %.17g}},"
             "\"shapes\": {\"beam\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [%.17g, %.17g, %.17g], "
             "\"cells\": [9, 3, 3]}},"
             "\"material\": \"foam\", \"groups\": {\"tip\": {\"nearest\": [%.17g, %.17g, %.17g]}}}},"
             "\"bodies\": [{\"shape\": \"beam\", \"method\": \"rigidify\", \"pins\": [\"x-min\"], \"forces\": "
             "[{\"group\": \"tip\", \"total\": [0, 0, %.17g], \"from\": %.17g}]}]}",
             -g, 0.01 * time, 5e4 * stiff, 10 * dense, 0.1 * time, 3 * size, size, size, 3 * size, size, size, -force,
             5 * time);
}

static void similar_scenes_have_the_same_partitions(void **state) {
    (void)state;
    // A hundred times as large and a thousand times as stiff, and a coin's size.
    static const double scales[][3] = {{1, 1, 1}, {100, 1000, 10}, {100, 1000, 1}, {1e-2, 1e5, 10}};
    char text[2000];
    enum { STEPS = 1000 };
    static int64_t elastic[STEPS], parts[STEPS];
    for (int k = 0; k < 4; k++) {
        write_similar(scales[k][0], scales[k][1], scales[k][2], text, sizeof text);
        ThawWorld *world = make_world(text, 1);
        ThawStepStats stats;
        int changes = 0;
        for (int i = 0; i < STEPS; i++) {
            step_world(world, &stats);
            if (k == 0)
                elastic[i] = stats.elastic_elements, parts[i] = stats.rigid_parts;
            assert_int_equal(stats.elastic_elements, elastic[i]);
            assert_int_equal(stats.rigid_parts, parts[i]);
            changes += stats.woken + stats.settled > 0;
        }
        assert_true(changes > 3);
        assert_int_equal(stats.elastic_elements, 0);
        assert_int_equal(stats.asleep, 1);
        thaw_world_free(&world);
    }
}

// The largest distance of any vertex from the full run, over `diameter`; the body must be at rest and rigid in the end.
static double settle(const char *text, int steps, double diameter, double *end) {
    ThawWorld *full = make_world(text, 1), *rigid = make_world(text, 1);
    ThawStepStats stats = {0};
    assert_int_equal(thaw_world_set_method(full, 0, "full", NULL), THAW_OK);
    int32_t nv = thaw_world_vertex_count(full, 0);
    double *x = calloc(6 * (size_t)nv, sizeof *x), worst = 0;
    assert_non_null(x);
    for (int i = 0; i < steps; i++) {
        step_world(full, &stats);
        step_world(rigid, &stats);
        thaw_world_get_positions(full, 0, x);
        thaw_world_get_positions(rigid, 0, x + 3 * nv);
        *end = 0;
        for (int32_t k = 0; k < 3 * nv; k += 3)
            *end = fmax(*end, sqrt(pow(x[k] - x[3 * nv + k], 2) + pow(x[k + 1] - x[3 * nv + k + 1], 2) +
                                   pow(x[k + 2] - x[3 * nv + k + 2], 2)) /
                                  diameter);
        worst = fmax(worst, *end);
    }
    assert_int_equal(stats.elastic_elements, 0);
    assert_int_equal(stats.asleep, 1);
    free(x);
    thaw_world_free(&full);
    thaw_world_free(&rigid);
    return worst;
}

static void a_coin_and_a_bridge_come_to_rest_with_the_same_defaults(void **state) {
    (void)state;
    double end, worst;
    worst = settle("{\"thaw\": 1, \"time\": {\"step\": 0.002},"
                   "\"materials\": {\"brass\": {\"young\": 1.1e11, \"poisson\": 0.34, \"density\": 8500, \"alpha1\": "
                   "1e-5}},\"shapes\": {\"coin\": {\"mesh\": {\"box\": {\"min\": [-0.012, -0.012, -0.001], \"max\": "
                   "[0.012, 0.012, 0.001], \"cells\": [6, 6, 1]}}, \"material\": \"brass\"}},"
                   "\"bodies\": [{\"shape\": \"coin\", \"method\": \"rigidify\", \"position\": [0, 0, 0.006], "
                   "\"velocity\": [0.1, 0, 0]}], \"obstacles\": [{\"plane\": {}}]}",
                   300, 0.034, &end);
    print_message("a coin that drops and slides: off by %.1e of its diameter at most, %.1e at rest\n", worst, end);
    assert_true(worst < 1e-3 && end < 1e-3);
    worst = settle("{\"thaw\": 1, \"time\": {\"step\": 0.02},"
                   "\"materials\": {\"concrete\": {\"young\": 3e10, \"poisson\": 0.2, \"density\": 2500, \"alpha1\": "
                   "0.05}},\"shapes\": {\"deck\": {\"mesh\": {\"box\": {\"min\": [-50, -4, -1], \"max\": [50, 4, 1], "
                   "\"cells\": [30, 3, 2]}}, \"material\": \"concrete\", \"groups\": {\"middle\": {\"nearest\": [0, 0, "
                   "1]}}}},\"bodies\": [{\"shape\": \"deck\", \"method\": \"rigidify\", \"pins\": [\"x-min\", "
                   "\"x-max\"], \"forces\": [{\"group\": \"middle\", \"total\": [0, 0, -2e6], \"from\": 15}]}]}",
                   1500, 100, &end);
    print_message("a bridge that sags and is loaded: off by %.1e of its length at most, %.1e at rest\n", worst, end);
    assert_true(worst < 1e-3 && end < 1e-4);
}

// In flight both are one part each. A contact is found before it closes: when it does, it must not hit them as rigid.
static void what_flies_as_one_part_is_awake_when_it_touches(void **state) {
    (void)state;
    const char *text =
        "{\"thaw\": 1, \"time\": {\"step\": 0.005},"
        "\"materials\": {\"soft\": {\"young\": 5e3, \"poisson\": 0.3, \"density\": 40, \"alpha1\": 0.01}},"
        "\"shapes\": {\"block\": {\"mesh\": {\"box\": {\"min\": [-0.5, -0.4, -0.3], \"max\": [0.5, 0.4, 0.3], "
        "\"cells\": [5, 4, 3]}}, \"material\": \"soft\"}},"
        "\"bodies\": [{\"shape\": \"block\", \"method\": \"rigidify\", \"position\": [0, 0, 1]}, {\"shape\": "
        "\"block\", \"method\": \"rigidify\", \"position\": [0.1, 0.1, 2.5], \"velocity\": [0, 0, -3]}],"
        "\"obstacles\": [{\"plane\": {}}]}";
    ThawWorld *full = make_world(text, 1), *rigid = make_world(text, 1);
    ThawStepStats stats = {0}, other;
    assert_int_equal(thaw_world_set_method(full, -1, "full", NULL), THAW_OK);
    int32_t nv = thaw_world_vertex_count(full, 0);
    double *x = calloc(6 * (size_t)nv, sizeof *x), worst = 0, end = 0;
    int flew = 0;
    assert_non_null(x);
    for (int i = 0; i < 120; i++) {
        step_world(full, &other);
        step_world(rigid, &stats);
        flew |= stats.elastic_elements == 0 && stats.rigid_parts == 2;
        end = 0;
        for (int32_t b = 0; b < 2; b++) {
            thaw_world_get_positions(full, b, x);
            thaw_world_get_positions(rigid, b, x + 3 * nv);
            for (int32_t k = 0; k < 3 * nv; k++)
                end = fmax(end, fabs(x[k] - x[3 * nv + k]));
        }
        worst = fmax(worst, end);
    }
    print_message("two blocks fall and bounce, off by %.1e m at most, %.1e afterwards\n", worst, end);
    assert_true(flew && other.contacts > 0);
    assert_true(worst < 5e-3 && end < 5e-4); // hit as rigid bodies they are off by 3e-2
    free(x);
    thaw_world_free(&full);
    thaw_world_free(&rigid);
}

static void thresholds_that_are_given_stay_and_others_follow_the_tolerance(void **state) {
    (void)state;
    char text[2000];
    write_similar(1, 1, 1, text, sizeof text);
    ThawWorld *world = make_world(text, 1);
    ThawRigidifyOptions options, first, second;
    assert_int_equal(thaw_world_get_thresholds(world, 0, &first), THAW_OK);
    assert_true(first.tau_rigid > 0 && first.epsilon > 0 && first.horizon > 0 && first.sleep_speed > 0);
    assert_true(first.tau_elastic == 100 * first.tau_rigid);
    assert_int_equal(thaw_world_get_rigidify(world, &options), THAW_OK);
    assert_true(options.epsilon == 0 && options.tolerance == 1e-3);
    options.tolerance = 1e-2;
    options.horizon = 3;
    assert_int_equal(thaw_world_set_rigidify(world, &options, NULL), THAW_OK);
    assert_int_equal(thaw_world_get_thresholds(world, 0, &second), THAW_OK);
    assert_true(fabs(second.epsilon / first.epsilon - 10) < 1e-12);
    assert_true(fabs(second.tau_rigid / first.tau_rigid - 100) < 1e-10);
    assert_true(second.horizon == 3);
    assert_int_equal(thaw_world_get_thresholds(world, 1, &second), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_get_thresholds(world, 0, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_set_method(world, 0, "full", NULL), THAW_OK);
    assert_int_equal(thaw_world_get_thresholds(world, 0, &second), THAW_ERROR_INPUT);
    thaw_world_free(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_mode_is_that_of_beam_theory),
        cmocka_unit_test(similar_scenes_have_the_same_partitions),
        cmocka_unit_test(a_coin_and_a_bridge_come_to_rest_with_the_same_defaults),
        cmocka_unit_test(what_flies_as_one_part_is_awake_when_it_touches),
        cmocka_unit_test(thresholds_that_are_given_stay_and_others_follow_the_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
