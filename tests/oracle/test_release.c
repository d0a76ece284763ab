// SPDX-License-Identifier: Apache-2.0
// A pin that lets go: the body falls at once, whatever it was about to do, and is judged as the free body that it is.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/world.h"
#include "thaw/thaw.h"

static const double g = 9.81, h = 0.005;

// A bar, with what its body has besides.
static void write_bar(char text[1500], int dim, const char *pins) {
    const char *box = dim == 2 ? "{\"min\": [0, 0], \"max\": [0.2, 0.6], \"cells\": [2, 6]}"
                               : "{\"min\": [0, 0, 0], \"max\": [0.2, 0.2, 0.6], \"cells\": [2, 2, 4]}";
    snprintf(text, 1500,
             "{\"thaw\": 1, \"dimension\": %d, \"time\": {\"step\": %g}, \"materials\": {\"rubber\": {\"young\": 5e6, "
             "\"poisson\": 0.3, \"density\": 1000, \"alpha1\": 0.005}}, \"shapes\": {\"bar\": {\"mesh\": {\"box\": "
             "%s}, \"material\": \"rubber\"}}, \"bodies\": [{\"shape\": \"bar\", \"method\": \"rigidify\"%s}]}",
             dim, h, box, pins);
}

// It hangs on its upper end until then, s.
static void write_released(char text[1500], int dim, double release) {
    char pins[100];
    snprintf(pins, sizeof pins, ", \"pins\": [{\"group\": \"%s\", \"release\": %.17g}]", dim == 2 ? "y-max" : "z-max",
             release);
    write_bar(text, dim, pins);
}

static double height(const ThawWorld *world, int dim) {
    size_t nv = (size_t)thaw_world_vertex_count(world, 0), d = (size_t)dim;
    double *m = calloc(4 * nv, sizeof *m), *x = m + nv, sum = 0, mass = 0;
    assert_non_null(m);
    assert_int_equal(thaw_world_get_masses(world, 0, m), THAW_OK);
    assert_int_equal(thaw_world_get_positions(world, 0, x), THAW_OK);
    for (size_t i = 0; i < nv; i++) {
        sum += m[i] * x[i * d + d - 1];
        mass += m[i];
    }
    free(m);
    return sum / mass;
}

// Lets go after `step` steps. How far the fall strays from g h^2 n (n + 1) / 2, as a share of its whole way of `after`
// steps.
static double strays(int dim, int step, int after, int *slept) {
    char text[1500];
    ThawStepStats stats = {0};
    write_released(text, dim, step * h);
    ThawWorld *world = make_world(text, 1);
    for (int i = 0; i < step; i++)
        step_world(world, &stats);
    double start = height(world, dim), worst = 0;
    *slept = stats.asleep == 1;
    for (int n = 1; n <= after; n++) {
        step_world(world, &stats);
        assert_int_equal(stats.asleep, 0);
        worst = fmax(worst, fabs(height(world, dim) - start + g * h * h * n * n / 2));
    }
    thaw_world_free(&world);
    return worst / (g * h * h * after * after / 2);
}

static void what_is_let_go_falls_at_once(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        int slept;
        double off = strays(dim, 60, 60, &slept);
        print_message("%dD, after 0.3 s: asleep %d; off by %.1e of the way\n", dim, slept, off);
        assert_true(off < 1e-4);
    }
}

static void what_is_let_go_as_it_falls_asleep_falls_down_instead(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        char text[1500];
        ThawStepStats stats = {0};
        int sleeps = 0, slept = 0;
        double worst = 0;
        write_released(text, dim, 1e6);
        ThawWorld *world = make_world(text, 1);
        while (stats.asleep == 0 && sleeps++ < 1000)
            step_world(world, &stats);
        assert_int_equal(stats.asleep, 1);
        thaw_world_free(&world);
        for (int i = -14; i <= 10; i++) {
            int asleep;
            double off = strays(dim, sleeps + i, 30, &asleep);
            worst = fmax(worst, off);
            slept += asleep;
        }
        print_message("%dD: would sleep after %d steps, and did before %d of 25 releases; off by %.1e at most\n", dim,
                      sleeps, slept, worst);
        assert_true(slept > 5 && slept < 20);
        assert_true(worst < 1e-4);
    }
}

static ThawRigidifyOptions thresholds(const ThawWorld *world) {
    ThawRigidifyOptions options;
    assert_int_equal(thaw_world_get_thresholds(world, 0, &options), THAW_OK);
    return options;
}

static int alike(const ThawRigidifyOptions *a, const ThawRigidifyOptions *b) {
    return a->epsilon == b->epsilon && a->tau_rigid == b->tau_rigid && a->tau_elastic == b->tau_elastic &&
           a->horizon == b->horizon && a->sleep_speed == b->sleep_speed;
}

static void thresholds_after_a_release_are_those_of_the_free_body(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        char text[3][1500];
        ThawRigidifyOptions known[3], now;
        write_bar(text[0], dim, "");
        write_bar(text[1], dim, dim == 2 ? ", \"pins\": [\"y-max\"]" : ", \"pins\": [\"z-max\"]");
        write_bar(text[2], dim, dim == 2 ? ", \"pins\": [\"y-max\", \"y-min\"]" : ", \"pins\": [\"z-max\", \"z-min\"]");
        for (int k = 0; k < 3; k++) {
            ThawWorld *world = make_world(text[k], 1);
            known[k] = thresholds(world);
            thaw_world_free(&world);
        }
        assert_false(alike(&known[0], &known[1]) || alike(&known[1], &known[2])); // else there is nothing to see
        char let_go[1500];
        write_bar(let_go, dim,
                  dim == 2 ? ", \"pins\": [{\"group\": \"y-max\", \"release\": 0.2}, {\"group\": \"y-min\", "
                             "\"release\": 0.1}]"
                           : ", \"pins\": [{\"group\": \"z-max\", \"release\": 0.2}, {\"group\": \"z-min\", "
                             "\"release\": 0.1}]");
        ThawWorld *world = make_world(let_go, 1);
        for (int i = 1; i <= 60; i++) {
            step_world(world, NULL);
            now = thresholds(world);
            assert_true(alike(&now, &known[i > 40 ? 0 : i > 20 ? 1 : 2]));
        }
        thaw_world_free(&world);
    }
}

static int is_near_a_release(const ThawWorld *world, const ThawStepStats *stats) {
    (void)world;
    return stats->step % 3 == 0;
}

static void bits_do_not_depend_on_checkpoints_around_a_release(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int i = 0; i < 3; i++) { // other steps between
            char text[1500];
            write_released(text, dim, 0.3 + i * h);
            assert_true(bits_across_checkpoints(text, 120, "release.ckpt", is_near_a_release) > 10);
        }
}

// A release in the middle of a step: whether it is of this one or of the next, both runs must agree in, although
// multiples of 0.01 are rounded. One run goes on from a checkpoint just before or just after.
static void a_release_at_half_a_step_is_of_the_same_step_for_who_resumes(void **state) {
    (void)state;
    static const double releases[] = {1.165, 1.175, 1.145, 0.285, 0.575};
    for (int i = 0; i < 5; i++)
        for (int from = -1; from <= 2; from++) {
            char text[1500];
            ThawError error = {0};
            ThawStepStats a = {0}, b = {0};
            write_released(text, 2, releases[i]);
            char *step = strstr(text, "\"step\": 0.005");
            assert_non_null(step);
            memcpy(step, "\"step\": 0.01 ", 13);
            const int saved = (int)(releases[i] * 100) + from;
            ThawWorld *one = make_world(text, 1), *two = make_world(text, 1);
            run_world(one, saved);
            run_world(two, saved);
            assert_int_equal(thaw_world_save(two, "half.ckpt", &error), THAW_OK);
            thaw_world_free(&two);
            two = make_world(text, 1);
            assert_int_equal(thaw_world_load(two, "half.ckpt", &error), THAW_OK);
            remove("half.ckpt");
            for (int k = 0; k < 10; k++) {
                step_world(one, &a);
                step_world(two, &b);
                assert_int_equal(a.state_hash, b.state_hash);
                assert_true(memcmp(&a.ledger, &b.ledger, sizeof a.ledger) == 0);
                ThawRigidifyOptions options[2] = {thresholds(one), thresholds(two)};
                assert_true(alike(&options[0], &options[1]));
            }
            assert_true(a.ledger.kinetic > 0); // it has been let go
            thaw_world_free(&one);
            thaw_world_free(&two);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_let_go_falls_at_once),
        cmocka_unit_test(what_is_let_go_as_it_falls_asleep_falls_down_instead),
        cmocka_unit_test(thresholds_after_a_release_are_those_of_the_free_body),
        cmocka_unit_test(bits_do_not_depend_on_checkpoints_around_a_release),
        cmocka_unit_test(a_release_at_half_a_step_is_of_the_same_step_for_who_resumes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
