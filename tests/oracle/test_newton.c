// SPDX-License-Identifier: Apache-2.0
// The method "rigidify" with the integrator "newton": what holds for one linearised step holds for backward Euler
// solved to convergence. Bodies settle wholly rigid where the full run settles, in contact too; parts keep their
// momentum; the ledger closes; bits depend neither on threads nor on interruptions.
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

#define CANTILEVER(integrator)                                                                                         \
    "{\"thaw\": 1, \"gravity\": [0, 0, -9.8], \"time\": {\"step\": 0.01, \"integrator\": \"" integrator "\"},"         \
    "\"materials\": {\"foam\": {\"young\": 5e4, \"poisson\": 0.35, \"density\": 10, \"alpha1\": 0.1}},"                \
    "\"shapes\": {\"beam\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [3, 1, 1], \"cells\": [9, 3, 3]}},"     \
    "\"material\": \"foam\", \"groups\": {\"tip\": {\"nearest\": [3, 1, 1]}}}},"                                       \
    "\"bodies\": [{\"shape\": \"beam\", \"pins\": [\"x-min\"], \"forces\": [{\"group\": \"tip\", \"total\": [0, 0, "   \
    "-3],\"from\": 5}]}]}"

// Worst and last distance from the full run over the beam's length.
static void settle(const char *text, double error[2]) {
    ThawWorld *full = make_world_by(text, "full", 1), *rigid = make_world_by(text, "rigidify", 1);
    ThawStepStats stats, other;
    double start = 0, open = 0, most = 0;
    error[0] = 0;
    for (int i = 0; i < 1000; i++) {
        step_world(full, &other);
        step_world(rigid, &stats);
        error[0] = fmax(error[0], worlds_apart(full, rigid, 0) / 3);
        start = i == 0 ? ledger_balance(&stats.ledger) : start;
        open = fmax(open, fabs(ledger_balance(&stats.ledger) - start));
        most = fmax(most, fabs(stats.ledger.kinetic) + fabs(stats.ledger.elastic));
        if (i == 499) // settled, before the load
            assert_int_equal(stats.elastic_elements, 0);
        if (i == 500)
            assert_true(stats.elastic_elements > 0); // the load is felt at once
    }
    error[1] = worlds_apart(full, rigid, 0) / 3;
    print_message("off by %.2e of its length at most, %.2e at the end; ledger open by %.1e of %.1e J\n", error[0],
                  error[1], open, most);
    assert_int_equal(stats.elastic_elements, 0);
    assert_int_equal(stats.asleep, 1);
    assert_true(open < 1e-6 * most);
    thaw_world_free(&full);
    thaw_world_free(&rigid);
}

static void a_cantilever_settles_wholly_rigid_as_near_to_full_as_with_linearised_steps(void **state) {
    (void)state;
    double linear[2], newton[2];
    settle(CANTILEVER("semi-implicit"), linear);
    settle(CANTILEVER("newton"), newton);
    assert_true(newton[0] < 1e-3 && newton[1] < 2e-4);
    assert_true(newton[0] < 1.5 * linear[0] && newton[1] < 1.5 * linear[1] + 1e-5);
}

static void a_block_dropped_on_the_floor_comes_to_rest_asleep(void **state) {
    (void)state;
    const char *text =
        "{\"thaw\": 1, \"time\": {\"step\": 0.005, \"integrator\": \"newton\"},"
        "\"materials\": {\"foam\": {\"young\": 1e5, \"poisson\": 0.3, \"density\": 50, \"alpha1\": 0.05}},"
        "\"shapes\": {\"block\": {\"mesh\": {\"box\": {\"min\": [-0.5, -0.4, -0.2], \"max\": [0.5, 0.4, 0.2], "
        "\"cells\": [5, 4, 3]}},\"material\": \"foam\"}},"
        "\"bodies\": [{\"shape\": \"block\", \"position\": [0, 0, 0.25]}], \"obstacles\": [{\"plane\": {}}]}";
    ThawWorld *full = make_world_by(text, "full", 1), *rigid = make_world_by(text, "rigidify", 1);
    ThawStepStats stats, other;
    double worst = 0, start = 0, open = 0;
    int64_t asleep_at = -1;
    for (int i = 0; i < 500; i++) {
        step_world(full, &other);
        step_world(rigid, &stats);
        worst = fmax(worst, worlds_apart(full, rigid, 0));
        start = i == 0 ? ledger_balance(&stats.ledger) : start;
        open = fmax(open, fabs(ledger_balance(&stats.ledger) - start));
        if (stats.asleep && asleep_at < 0)
            asleep_at = stats.step;
    }
    print_message("off by %.2e m at most, %.2e at the end; asleep at step %lld; ledger open by %.1e J\n", worst,
                  worlds_apart(full, rigid, 0), (long long)asleep_at, open);
    assert_true(asleep_at > 0);
    assert_int_equal(stats.elastic_elements, 0);
    assert_true(worst < 1e-3 && worlds_apart(full, rigid, 0) < 1e-4);
    assert_true(open < 1e-4); // of 39 J that it falls
    thaw_world_free(&full);
    thaw_world_free(&rigid);
}

// Spins and tumbles, settles in itself and becomes one part; then two vertices are pulled for a while, without a net
// force. Damping is viscous: that by stiffness brakes a spin, of parts as of elastic bodies.
static void momentum_is_kept_in_flight_whatever_becomes_rigid_or_wakes(void **state) {
    (void)state;
    const char *text =
        "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.005, \"integrator\": \"newton\", "
        "\"newton_tolerance\": 1e-10},"
        "\"materials\": {\"foam\": {\"young\": 2e5, \"poisson\": 0.3, \"density\": 20, \"alpha1\": 0.05,"
        "\"damping\": \"viscous\"}},"
        "\"shapes\": {\"bar\": {\"mesh\": {\"box\": {\"min\": [-1, -0.3, -0.2], \"max\": [1, 0.3, 0.2], \"cells\": [8, "
        "3, 2]}},\"material\": \"foam\"}},"
        "\"bodies\": [{\"shape\": \"bar\", \"velocity\": [1, -2, 0.5], \"spin\": [0, 0, 2]}]}";
    ThawWorld *world = make_world_by(text, "rigidify", 1);
    int32_t nv = thaw_world_vertex_count(world, 0);
    double *m = calloc(4 * (size_t)nv, sizeof *m), *v = m + nv, start[3] = {0}, worst = 0, kinetic = 0, drift = 0;
    int64_t changes = 0, most = 0, rigid_at = -1;
    ThawStepStats stats;
    assert_non_null(m);
    thaw_world_get_masses(world, 0, m);
    for (int i = 0; i < 1500; i++) {
        if (i == 1300 || i == 1340) {
            memset(v, 0, sizeof *v * 3 * (size_t)nv);
            v[0] = i == 1300 ? 100 : 0; // N
            v[3 * (nv - 1)] = -v[0];
            assert_int_equal(thaw_world_set_forces(world, 0, v), THAW_OK);
        }
        step_world(world, &stats);
        double P[3] = {0};
        thaw_world_get_velocities(world, 0, v);
        for (int32_t k = 0; k < 3 * nv; k++)
            P[k % 3] += m[k / 3] * v[k];
        for (int k = 0; k < 3; k++) {
            start[k] = i == 0 ? P[k] : start[k];
            worst = fmax(worst, fabs(P[k] - start[k]) / fabs(start[1]));
        }
        changes += stats.woken + stats.settled > 0;
        most = stats.newton_iterations > most ? stats.newton_iterations : most;
        if (stats.elastic_elements == 0 && rigid_at < 0)
            rigid_at = i;
        if (i == 1000) // relaxed: its moments of inertia are final
            kinetic = stats.ledger.kinetic;
        if (i > 1000 && i < 1300)
            drift = fmax(drift, fabs(stats.ledger.kinetic / kinetic - 1));
    }
    print_message("P kept to %.1e over %lld changes; one part from step %lld on, its energy kept to %.1e; at most %lld "
                  "linearisations a step\n",
                  worst, (long long)changes, (long long)rigid_at, drift, (long long)most);
    assert_true(worst < 1e-11 && changes > 1 && rigid_at > 0 && rigid_at < 900 && drift < 1e-11);
    assert_true(most <= 6);
    free(m);
    thaw_world_free(&world);
}

// The kinetic energy of a soft cube that spins, over that at the start, after half a second; whether it is wholly
// rigid.
static double spin_cube(const char *integrator, const char *method, double *open, int *whole) {
    char text[1000];
    snprintf(text, sizeof text,
             "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.001, \"integrator\": \"%s\"},"
             "\"materials\": {\"foam\": {\"young\": 3e3, \"poisson\": 0.3, \"density\": 3, \"alpha1\": 0.05}},"
             "\"shapes\": {\"cube\": {\"mesh\": {\"box\": {\"min\": [-0.5, -0.5, -0.5], \"max\": [0.5, 0.5, 0.5], "
             "\"cells\": [3, 3, 3]}}, \"material\": \"foam\"}},"
             "\"bodies\": [{\"shape\": \"cube\", \"spin\": [0, 2, 0]}]}",
             integrator);
    ThawWorld *world = make_world_by(text, method, 1);
    ThawLedger start, now;
    thaw_world_get_ledger(world, &start);
    ThawStepStats stats = run_world(world, 500);
    thaw_world_get_ledger(world, &now);
    *open = fabs(ledger_balance(&now) - ledger_balance(&start)) / start.kinetic;
    *whole = stats.elastic_elements == 0;
    thaw_world_free(&world);
    return now.kinetic / start.kinetic;
}

// alpha1 K acts on the spin of what is under tension; on that of a part by the stress inside it.
static void a_spinning_part_is_braked_like_an_elastic_body(void **state) {
    (void)state;
    static const char *const integrators[] = {"semi-implicit", "newton"};
    for (int i = 0; i < 2; i++) {
        double open[2];
        int whole[2];
        double full = spin_cube(integrators[i], "full", &open[0], &whole[0]);
        double part = spin_cube(integrators[i], "rigidify", &open[1], &whole[1]);
        print_message("%s: %.3f of the kinetic energy is left, as a part %.3f; the ledger is open by %.1e and %.1e\n",
                      integrators[i], full, part, open[0], open[1]);
        assert_true(!whole[0] && whole[1] && full < 0.85 && fabs(part - full) < 0.5 * (1 - full));
        assert_true(open[0] < 1e-6 && open[1] < 1e-6);
    }
}

static void bits_do_not_depend_on_threads_or_on_a_checkpoint_in_between(void **state) {
    (void)state;
    const char *text = CANTILEVER("newton");
    ThawWorld *one = make_world_by(text, "rigidify", 1), *two = make_world_by(text, "rigidify", 2);
    ThawStepStats a, b;
    ThawError error = {0};
    char path[] = "/tmp/thaw-newton-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    for (int i = 0; i < 600; i++) {
        step_world(one, &a);
        step_world(two, &b);
        assert_int_equal(a.state_hash, b.state_hash);
        if (i == 60 || i == 250 || i == 510) { // partly rigid, at rest, and under load: go on in a world of its own
            if (thaw_world_save(two, path, &error) != THAW_OK)
                fail_msg("%s", error.message);
            thaw_world_free(&two);
            two = make_world_by(text, "rigidify", 1);
            if (thaw_world_load(two, path, &error) != THAW_OK)
                fail_msg("%s", error.message);
        }
    }
    remove(path);
    thaw_world_free(&one);
    thaw_world_free(&two);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cantilever_settles_wholly_rigid_as_near_to_full_as_with_linearised_steps),
        cmocka_unit_test(a_block_dropped_on_the_floor_comes_to_rest_asleep),
        cmocka_unit_test(momentum_is_kept_in_flight_whatever_becomes_rigid_or_wakes),
        cmocka_unit_test(a_spinning_part_is_braked_like_an_elastic_body),
        cmocka_unit_test(bits_do_not_depend_on_threads_or_on_a_checkpoint_in_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
