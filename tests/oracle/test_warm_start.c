// SPDX-License-Identifier: Apache-2.0
// The published rule for sheets: it judges membranes and edges, by thresholds of their own where they are given, and
// where a contact begins its quick solve may begin with what the contact's impulse does.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/world.h"
#include "thaw/thaw.h"

// A hat falls on its brim, tilted.
static ThawWorld *drop(const char *options) {
    char text[2000];
    snprintf(
        text, sizeof text,
        "{\"thaw\": 1, \"gravity\": [0, 0, -0.5], \"time\": {\"step\": 0.005}, \"rigidify\": {\"oracle\": \"paper\", "
        "\"frame_count\": 3%s}, "
        "\"materials\": {\"m\": {\"density\": 500, \"young\": 1e6, \"poisson\": 0.3, \"alpha1\": 0.01}}, \"shapes\": "
        "{\"s\": {\"mesh\": {\"sheet\": {\"revolution\": {\"profile\": [[0, 0.12], [0.08, 0.12], [0.1, 0], [0.2, "
        "0]]}}, \"size\": 0.02}, \"thickness\": 0.01, \"material\": \"m\"}}, \"bodies\": [{\"shape\": \"s\", "
        "\"method\": \"rigidify\", \"position\": [0, 0, 0.0605], \"rotation\": {\"axis\": [1, 0.3, 0], \"degrees\": "
        "15}}], \"obstacles\": [{\"plane\": {\"normal\": [0, 0, 1]}}]}",
        options);
    return make_world(text, 1);
}

// Shares of the elements that wake when it touches the floor first, and that are elastic on average from there on.
typedef struct Seen {
    double first, mean;
    int steps;
} Seen;

static Seen watch(const char *options, int steps) {
    ThawWorld *world = drop(options);
    const double count = thaw_world_element_count(world, 0);
    Seen seen = {.first = -1};
    int whole = 0; // it was wholly rigid
    for (int i = 0; i < steps; i++) {
        ThawStepStats stats;
        step_world(world, &stats);
        const double share = (double)stats.elastic_elements / count;
        whole |= share == 0;
        if (!whole || (seen.first < 0 && share == 0))
            continue;
        seen.first = seen.first < 0 ? share : seen.first;
        seen.mean += share;
        seen.steps++;
    }
    seen.mean /= seen.steps;
    print_message("%-60s first %.3f, mean %.3f\n", options, seen.first, seen.mean);
    thaw_world_free(&world);
    return seen;
}

static void a_contact_that_begins_wakes_by_what_its_impulse_does(void **state) {
    (void)state;
    const char *starts[] = {"none", "filter", "block", "cg", "exact"};
    for (int t = 2; t < 4; t++) {
        double first[5];
        for (int i = 0; i < 5; i++) {
            char options[200];
            snprintf(options, sizeof options, ", \"tau_rigid\": %g, \"tau_elastic\": %g, \"warm_start\": \"%s\"",
                     pow(10, t - 3), pow(10, t - 2), starts[i]);
            first[i] = watch(options, 70).first;
            assert_true(first[i] > 0);
        }
        // Of all, the filter is nearest to what A^-1 wakes. (Coarser, triangles of 3 cm, none is at 1e-2.)
        for (int i = 0; i < 4; i++)
            assert_true(fabs(first[1] - first[4]) <= fabs(first[i] - first[4]));
    }
}

// A soft hat without damping falls 0.14 m on its brim and comes back: how high, over how far it fell.
static double bounce(const char *method, const char *start) {
    char text[2000];
    snprintf(text, sizeof text,
             "{\"thaw\": 1, \"gravity\": [0, 0, -2], \"time\": {\"step\": 0.004, \"integrator\": \"tr-bdf2\"}, "
             "\"rigidify\": {\"oracle\": \"paper\", \"frame_count\": 3, \"tau_rigid\": 1, \"tau_elastic\": 10, "
             "\"warm_start\": \"%s\"}, \"materials\": {\"m\": {\"density\": 500, \"young\": 1e5, \"poisson\": 0.3, "
             "\"alpha1\": 0}}, \"shapes\": {\"s\": {\"mesh\": {\"sheet\": {\"revolution\": {\"profile\": [[0, 0.12], "
             "[0.08, 0.12], [0.1, 0], [0.2, 0]]}}, \"size\": 0.03}, \"thickness\": 0.01, \"material\": \"m\"}}, "
             "\"bodies\": [{\"shape\": \"s\", \"method\": \"%s\", \"position\": [0, 0, 0.2], \"rotation\": {\"axis\": "
             "[1, 0.3, 0], \"degrees\": 15}}], \"obstacles\": [{\"plane\": {\"normal\": [0, 0, 1]}}]}",
             start, method);
    ThawWorld *world = make_world(text, 1);
    double begin = NAN, low = INFINITY, top = 0;
    for (int i = 0; i < 170; i++) {
        ThawStepStats stats;
        step_world(world, &stats);
        const double height = stats.ledger.gravitational;
        begin = isnan(begin) ? height : begin;
        top = height < low ? height : fmax(top, height);
        low = fmin(low, height);
    }
    print_message("%s, %s: back up by %.3f of its fall\n", method, start, (top - low) / (begin - low));
    thaw_world_free(&world);
    return (top - low) / (begin - low);
}

// A hat that is wholly rigid when it hits the floor bounces as the elastic one does.
static void a_hat_bounces(void **state) {
    (void)state;
    const double full = bounce("full", "none");
    assert_true(full > 0.1);
    assert_true(fabs(bounce("rigidify", "filter") - full) < 0.1 * full);
    assert_true(fabs(bounce("rigidify", "none") - full) < 0.1 * full);
}

static uint64_t hash_after(const char *options, int steps) {
    ThawStepStats stats;
    ThawWorld *world = drop(options);
    stats = run_world(world, steps);
    assert_true(stats.elastic_elements < thaw_world_element_count(world, 0));
    thaw_world_free(&world);
    return stats.state_hash;
}

// Its diameter is that of the box, of 0.4, 0.4 and 0.12 m.
static void thresholds_of_bending_follow_those_of_strain_or_are_given(void **state) {
    (void)state;
    const double y = sqrt(0.16 + 0.16 + 0.0144);
    const char *strain = ", \"tau_rigid\": 0.04, \"tau_elastic\": 0.36, \"warm_start\": \"filter\"";
    char options[400];
    const uint64_t hash = hash_after(strain, 140);
    snprintf(options, sizeof options, "%s, \"bend_rigid\": %.17g, \"bend_elastic\": %.17g", strain, 0.8 / y, 2.4 / y);
    assert_true(hash_after(options, 140) == hash);
    snprintf(options, sizeof options, "%s, \"bend_elastic\": %.17g", strain, 24 / y);
    assert_true(hash_after(options, 140) != hash);
    snprintf(options, sizeof options, "%s, \"dihedral\": true", strain);
    const uint64_t angles = hash_after(options, 140);
    assert_true(angles != hash);
    snprintf(options, sizeof options, "%s, \"dihedral\": true, \"bend_rigid\": 0.8, \"bend_elastic\": 2.4", strain);
    assert_true(hash_after(options, 140) == angles);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_contact_that_begins_wakes_by_what_its_impulse_does),
        cmocka_unit_test(a_hat_bounces),
        cmocka_unit_test(thresholds_of_bending_follow_those_of_strain_or_are_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
