// SPDX-License-Identifier: Apache-2.0
// The method "rigidify" as a whole, measured against the full run beside it: bodies that settle become wholly rigid,
// near where the full run settles; loads are felt; rest costs next to nothing; bits do not depend on threads or
// interruptions.
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

typedef struct Race {
    ThawWorld *full, *rigid;
    double worst; // distance of any vertex so far, m
    ThawStepStats full_stats, stats;
} Race;

static Race start_race(const char *text) {
    return (Race){.full = make_world_by(text, "full", 1), .rigid = make_world_by(text, "rigidify", 1)};
}

static void end_race(Race *race) {
    thaw_world_free(&race->full);
    thaw_world_free(&race->rigid);
}

static double apart(const Race *race) { return worlds_apart(race->full, race->rigid, 0); }

static void run(Race *race, int steps) {
    for (int i = 0; i < steps; i++) {
        step_world(race->full, &race->full_stats);
        step_world(race->rigid, &race->stats);
        race->worst = fmax(race->worst, apart(race));
    }
}

// The height of a beam's last vertex, m.
static double tip_height(const ThawWorld *world) {
    int32_t nv = thaw_world_vertex_count(world, 0);
    double *x = calloc(3 * (size_t)nv, sizeof *x);
    assert_non_null(x);
    assert_int_equal(thaw_world_get_positions(world, 0, x), THAW_OK);
    double height = x[3 * nv - 1];
    free(x);
    return height;
}

// 3 x 1 x 1 m of soft foam, clamped at one end.
#define CANTILEVER(forces)                                                                                             \
    "{\"thaw\": 1, \"gravity\": [0, 0, -9.8], \"time\": {\"step\": 0.01},"                                             \
    "\"materials\": {\"foam\": {\"young\": 5e4, \"poisson\": 0.35, \"density\": 10, \"alpha1\": 0.1}},"                \
    "\"shapes\": {\"beam\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [3, 1, 1], \"cells\": [9, 3, 3]}},"     \
    "\"material\": \"foam\", \"groups\": {\"tip\": {\"nearest\": [3, 1, 1]}, \"middle\": {\"nearest\": [1.5, 0.5, "    \
    "1]}}}},"                                                                                                          \
    "\"bodies\": [{\"shape\": \"beam\", \"pins\": [\"x-min\"]" forces "}]}"

static void a_settled_cantilever_is_wholly_rigid_where_the_full_one_settles(void **state) {
    (void)state;
    Race race = start_race(CANTILEVER(""));
    run(&race, 700);
    print_message(
        "off by %.2e of its length at most, %.2e at the end; %lld elastic, %lld unknowns; CPU %.4f against %.4f ms\n",
        race.worst / 3, apart(&race) / 3, (long long)race.stats.elastic_elements, (long long)race.stats.dofs,
        race.stats.cpu_ms, race.full_stats.cpu_ms);
    assert_true(race.worst / 3 < 1e-3);
    assert_true(apart(&race) / 3 < 2e-4);
    assert_int_equal(race.stats.elastic_elements, 0);
    assert_int_equal(race.stats.dofs, 0);
    end_race(&race);
}

static void loads_at_the_tip_and_in_the_middle_and_their_release_are_felt(void **state) {
    (void)state;
    Race race =
        start_race(CANTILEVER(", \"forces\": [{\"group\": \"tip\", \"total\": [0, 0, -3], \"from\": 6, \"to\": 16},"
                              "{\"group\": \"middle\", \"total\": [0, 0, -10], \"from\": 11}]"));
    static const int PHASES[] = {600, 500, 500, 500};
    for (int i = 0; i < 4; i++) {
        double before = tip_height(race.full);
        run(&race, PHASES[i]);
        double moved = fabs(tip_height(race.full) - before);
        print_message("phase %d: the tip moved by %.4f m; off by %.2e at the end, %.2e so far; %lld elastic\n", i,
                      moved, apart(&race) / 3, race.worst / 3, (long long)race.stats.elastic_elements);
        assert_true(moved > 3e-3); // a load that matters
        assert_true(apart(&race) / 3 < 3e-4);
        assert_int_equal(race.stats.elastic_elements, 0);
    }
    assert_true(race.worst / 3 < 1e-3);
    end_race(&race);
}

static void a_slow_ramp_is_followed(void **state) {
    (void)state;
    Race race = start_race(
        CANTILEVER(", \"forces\": [{\"group\": \"tip\", \"total\": [0, 0, -3], \"from\": 6, \"ramp\": 10}]"));
    run(&race, 2000);
    print_message("off by %.2e of its length at most, %.2e at the end\n", race.worst / 3, apart(&race) / 3);
    assert_true(race.worst / 3 < 1e-3);
    assert_true(apart(&race) / 3 < 3e-4);
    end_race(&race);
}

// 2.2 s a swing. By a push of 0.3 m/s^2 it is mostly under all thresholds, by 0.5 parts come and go.
#define SLOW_BEAM(push, more)                                                                                          \
    "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.01},"                                                \
    "\"rigidify\": {\"tau_rigid\": 1e-5, \"epsilon\": 3e-3, \"horizon\": 1},"                                          \
    "\"materials\": {\"foam\": {\"young\": 5e3, \"poisson\": 0.35, \"density\": 10, \"alpha1\": 0.01}},"               \
    "\"shapes\": {\"beam\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [3, 1, 1], \"cells\": [9, 3, 3]}},"     \
    "\"material\": \"foam\"}}, \"bodies\": [{\"shape\": \"beam\", \"pins\": [\"x-min\"], \"forces\":"                  \
    "[{\"group\": \"all\", \"acceleration\": [0, 0, " push "], \"from\": 0, \"to\": 0.1}" more "]}]}"

typedef struct Reach {
    double low, high;
} Reach;

static Reach extend(Reach reach, double height) { return (Reach){fmin(reach.low, height), fmax(reach.high, height)}; }

typedef struct Swing {
    double reach, last; // m in the last four of eight seconds, and when it passed through the middle last, steps
    double was;
    int count; // of these passes
} Swing;

// Where the tip passes through the middle, between steps.
static void pass(Swing *swing, int step, double height) {
    if (step > 1 && swing->was * height < 0) {
        swing->last = step - height / (height - swing->was);
        swing->count++;
    }
    swing->was = height;
}

// The shadow follows it by strides, and what becomes rigid, or wakes, goes on as it went: it swings as far as the full
// one, and as fast.
static void a_slow_swing_goes_on(const char *scene, int least_rigid) {
    Race race = start_race(scene);
    Reach reach[2] = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
    Swing swing[2] = {{0}};
    int rigid = 0;
    for (int i = 0; i < 800; i++) {
        run(&race, 1);
        rigid += race.stats.elastic_elements == 0;
        for (int k = 0; k < 2; k++) {
            double height = tip_height(k == 0 ? race.full : race.rigid) - 1;
            pass(&swing[k], i, height);
            if (i >= 400)
                reach[k] = extend(reach[k], height);
        }
    }
    for (int k = 0; k < 2; k++)
        swing[k].reach = reach[k].high - reach[k].low;
    print_message(
        "the tip swings by %.4f m in the last 4 s, %.4f in the full run; passes the middle %d times, the last "
        "at step %.1f, %.1f; off by %.4f at most; wholly rigid in %d of 800 steps\n",
        swing[1].reach, swing[0].reach, swing[1].count, swing[1].last, swing[0].last, race.worst, rigid);
    assert_true(swing[0].reach > 0.013);
    assert_true(fabs(swing[1].reach / swing[0].reach - 1) < 0.1);
    assert_int_equal(swing[1].count, swing[0].count);
    assert_true(fabs(swing[1].last / swing[0].last - 1) < 0.015);
    assert_true(race.worst < swing[0].reach / 5);
    assert_true(rigid >= least_rigid);
    end_race(&race);
}

static void a_slow_swing_of_a_rigid_body_goes_on(void **state) {
    (void)state;
    a_slow_swing_goes_on(SLOW_BEAM("0.25", ""), 400);
    a_slow_swing_goes_on(SLOW_BEAM("0.3", ""), 400);
}

static void a_slow_swing_goes_on_where_parts_come_and_go(void **state) {
    (void)state;
    a_slow_swing_goes_on(SLOW_BEAM("0.33", ""), 0);
    a_slow_swing_goes_on(SLOW_BEAM("0.36", ""), 0);
    a_slow_swing_goes_on(SLOW_BEAM("0.4", ""), 0);
    a_slow_swing_goes_on(SLOW_BEAM("0.5", ""), 0);
}

// 1 mN at the tip bends it by some 2e-5 m.
static void a_small_load_does_not_stop_a_swing(void **state) {
    (void)state;
    a_slow_swing_goes_on(SLOW_BEAM("0.3", ", {\"group\": \"x-max\", \"total\": [0, 0, 1e-3], \"from\": 3}"), 0);
}

// What the caller does to a wholly rigid body in mid-swing does not stop it: it goes on at the speed it crept with, and
// the ledger knows of it. what: 0 wakes it, 1 has it asked anew.
static void disturb_in_mid_swing(int what) {
    Race race = start_race(SLOW_BEAM("0.3", ""));
    ThawRigidifyOptions options;
    double was = 0, now = 0;
    run(&race, 350);
    for (int i = 0; i < 50 && fabs(now - was) < 1e-3; i++) { // it creeps by strides of three steps
        was = tip_height(race.rigid);
        run(&race, 6);
        now = race.stats.elastic_elements == 0 ? tip_height(race.rigid) : was;
    }
    double before = ledger_balance(&race.stats.ledger);
    assert_int_equal(race.stats.elastic_elements, 0);
    assert_int_equal(thaw_world_get_rigidify(race.rigid, &options), THAW_OK);
    assert_int_equal(what == 0 ? thaw_world_wake(race.rigid, 0) : thaw_world_set_rigidify(race.rigid, &options, NULL),
                     THAW_OK);
    run(&race, 4); // asked anew it goes on by a step, and then by a stride
    double speed = (now - was) / 6, later = (tip_height(race.rigid) - now) / 4,
           after = ledger_balance(&race.stats.ledger);
    print_message("step %lld: the tip moved by %.3e m a step before and by %.3e after; the ledger by "
                  "%.2e of %.2e J\n",
                  (long long)race.stats.step, speed, later, after - before, race.stats.ledger.kinetic);
    assert_true(later / speed > 0.7 && later / speed < 1.3);
    assert_true(fabs(after - before) < 1e-6 * (race.stats.ledger.kinetic + race.stats.ledger.elastic));
    run(&race, 800 - (int)race.stats.step);
    print_message("off by %.4f m at most\n", race.worst);
    assert_true(race.worst < 0.0166 / 3); // as if nothing had been done: a third of the full swing
    end_race(&race);
}

static void a_body_woken_in_mid_swing_swings_on(void **state) {
    (void)state;
    disturb_in_mid_swing(0);
}

static void a_body_told_its_thresholds_in_mid_swing_swings_on(void **state) {
    (void)state;
    disturb_in_mid_swing(1);
}

static void a_deformed_body_spinning_in_equilibrium_becomes_one_part_and_wakes_when_poked(void **state) {
    (void)state;
    const char *text =
        "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.005},"
        "\"materials\": {\"foam\": {\"young\": 2e5, \"poisson\": 0.3, \"density\": 20, \"alpha1\": 0.05}},"
        "\"shapes\": {\"bar\": {\"mesh\": {\"box\": {\"min\": [-1, -0.3, -0.2], \"max\": [1, 0.3, 0.2], \"cells\": [8, "
        "3, 2]}},"
        "\"material\": \"foam\", \"groups\": {\"tip\": {\"nearest\": [1, 0.3, 0.2]}}}},"
        "\"bodies\": [{\"shape\": \"bar\", \"spin\": [0, 0, 2], \"forces\": [{\"group\": \"tip\", \"total\": [0, 0, "
        "40],"
        "\"from\": 6, \"to\": 6.05}]}]}";
    ThawWorld *world = make_world_by(text, "rigidify", 1);
    ThawStepStats stats;
    int64_t rigid_at = -1, woken_at = -1;
    for (int i = 0; i < 1300; i++) {
        assert_int_equal(thaw_world_step(world, &stats, NULL), THAW_OK);
        if (stats.elastic_elements == 0 && rigid_at < 0)
            rigid_at = stats.step;
        if (rigid_at > 0 && stats.time > 6 && stats.elastic_elements > 0 && woken_at < 0)
            woken_at = stats.step;
        if (rigid_at > 0 && stats.time < 5.9) // no wake-up without cause
            assert_int_equal(stats.elastic_elements, 0);
    }
    print_message("one part from step %lld on, awake at step %lld (poked after step 1200)\n", (long long)rigid_at,
                  (long long)woken_at);
    assert_true(rigid_at > 0 && rigid_at < 1000);
    assert_true(woken_at > 0 && woken_at <= 1202);
    thaw_world_free(&world);
}

static void the_ledger_closes_over_forming_waking_and_relaxing(void **state) {
    (void)state;
    ThawWorld *world = make_world_by(
        CANTILEVER(", \"forces\": [{\"group\": \"tip\", \"total\": [0, 0, -3], \"from\": 5}]"), "rigidify", 1);
    ThawStepStats stats;
    double start = 0, worst = 0, most = 0;
    for (int i = 0; i < 800; i++) {
        assert_int_equal(thaw_world_step(world, &stats, NULL), THAW_OK);
        double balance = ledger_balance(&stats.ledger);
        if (i == 0)
            start = balance;
        worst = fmax(worst, fabs(balance - start));
        most = fmax(most, fabs(stats.ledger.kinetic) + fabs(stats.ledger.elastic));
    }
    print_message("balance within %.2e J of %.2e J\n", worst, most);
    assert_true(worst < 1e-6 * most);
    thaw_world_free(&world);
}

static void set_rule(ThawWorld *world, ThawOracleRule rule) {
    ThawRigidifyOptions options;
    assert_int_equal(thaw_world_get_rigidify(world, &options), THAW_OK);
    options.oracle = rule;
    assert_int_equal(thaw_world_set_rigidify(world, &options, NULL), THAW_OK);
}

// Runs it twice, once on two threads and over checkpoints. From step `paper` on (0: never) the published rule decides
// for 140.
static void compare_bits(const char *text, int paper) {
    ThawWorld *one = make_world_by(text, "rigidify", 1), *two = make_world_by(text, "rigidify", 2), *resumed = NULL;
    ThawStepStats a, b;
    ThawError error = {0};
    char path[] = "/tmp/thaw-oracle-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    for (int i = 0; i < 600; i++) {
        if (paper > 0 && (i == paper || i == paper + 140)) {
            set_rule(one, i == paper ? THAW_ORACLE_PAPER : THAW_ORACLE_STATIC);
            set_rule(two, i == paper ? THAW_ORACLE_PAPER : THAW_ORACLE_STATIC);
        }
        assert_int_equal(thaw_world_step(one, &a, NULL), THAW_OK);
        assert_int_equal(thaw_world_step(two, &b, NULL), THAW_OK);
        assert_int_equal(a.state_hash, b.state_hash);
        if (i % 150 == 120) { // go on from a file, in a world of its own
            if (thaw_world_save(two, path, &error) != THAW_OK)
                fail_msg("%s", error.message);
            thaw_world_free(&two);
            resumed = make_world_by(text, "rigidify", 1);
            if (thaw_world_load(resumed, path, &error) != THAW_OK)
                fail_msg("%s", error.message);
            two = resumed;
        }
    }
    remove(path);
    thaw_world_free(&one);
    thaw_world_free(&two);
}

static void bits_do_not_depend_on_threads_or_on_a_checkpoint_in_between(void **state) {
    (void)state;
    compare_bits(CANTILEVER(", \"forces\": [{\"group\": \"tip\", \"total\": [0, 0, -3], \"from\": 4}]"), 0);
}

static void nor_do_they_where_the_rule_changes_in_mid_swing(void **state) {
    (void)state;
    compare_bits(SLOW_BEAM("0.5", ""), 260);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_settled_cantilever_is_wholly_rigid_where_the_full_one_settles),
        cmocka_unit_test(loads_at_the_tip_and_in_the_middle_and_their_release_are_felt),
        cmocka_unit_test(a_slow_ramp_is_followed),
        cmocka_unit_test(a_slow_swing_of_a_rigid_body_goes_on),
        cmocka_unit_test(a_slow_swing_goes_on_where_parts_come_and_go),
        cmocka_unit_test(a_small_load_does_not_stop_a_swing),
        cmocka_unit_test(a_body_woken_in_mid_swing_swings_on),
        cmocka_unit_test(a_body_told_its_thresholds_in_mid_swing_swings_on),
        cmocka_unit_test(a_deformed_body_spinning_in_equilibrium_becomes_one_part_and_wakes_when_poked),
        cmocka_unit_test(the_ledger_closes_over_forming_waking_and_relaxing),
        cmocka_unit_test(bits_do_not_depend_on_threads_or_on_a_checkpoint_in_between),
        cmocka_unit_test(nor_do_they_where_the_rule_changes_in_mid_swing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
