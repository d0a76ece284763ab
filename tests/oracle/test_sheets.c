// SPDX-License-Identifier: Apache-2.0
// Rigid parts of sheets: they come to rest as the full method has them, bend where they are struck or let go, gain no
// energy, and go on to the same bits for any threads and from any checkpoint.
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

// A strip of 1 m by 0.2 m, 1 cm thick, that bends under its own weight; held by the last 5 cm of it.
static const char CANTILEVER[] =
    "{\"thaw\": 1, \"time\": {\"step\": 0.005}, \"materials\": {\"m\": {\"density\": 1000, \"young\": 5e7, "
    "\"poisson\": 0.3, \"alpha0\": 3, \"alpha1\": 0.03}}, \"shapes\": {\"s\": {\"mesh\": {\"sheet\": {\"grid\": "
    "{\"width\": 1, \"height\": 0.2}}, \"size\": 0.05}, \"thickness\": 0.01, \"material\": \"m\", \"groups\": "
    "{\"end\": {\"box\": {\"min\": [-9, -9, -9], \"max\": [-0.44, 9, 9]}}}}}, \"bodies\": [{\"shape\": \"s\", "
    "\"method\": \"rigidify\", "
    "\"pins\": [\"end\"]}]}";

// A cloth of 0.6 m by 0.8 m on two corners. At 9 s a ball strikes it.
static const char HANGING[] =
    "{\"thaw\": 1, \"time\": {\"step\": 0.005}, \"materials\": {\"m\": {\"like\": \"denim\", \"alpha0\": 6, "
    "\"alpha1\": 0.01}}, \"shapes\": "
    "{\"s\": {\"mesh\": {\"sheet\": {\"grid\": {\"width\": 0.6, \"height\": 0.8}}, \"size\": 0.07}, \"material\": "
    "\"m\", \"rotate\": {\"axis\": [1, 0, 0], \"degrees\": 90}, \"groups\": {\"a\": {\"nearest\": [-0.3, 0, 0.4]}, "
    "\"b\": {\"nearest\": [0.3, 0, 0.4]}}}}, \"bodies\": [{\"shape\": \"s\", \"method\": \"rigidify\", \"pins\": "
    "[\"a\", \"b\"], \"rotation\": "
    "{\"axis\": [1, 0, 0], \"degrees\": 20}}], \"obstacles\": [{\"sphere\": {\"radius\": 0.1}, \"position\": [0.02, "
    "-0.4, -0.1], \"keys\": [{\"time\": 9}, {\"time\": 9.5, \"translation\": [0, 0.4, 0]}, {\"time\": 10.5, "
    "\"translation\": [0, 0, 0]}]}]}";

// A cap of revolution with two creases falls on its rim, tilted, beside a ball.
static const char CAP[] =
    "{\"thaw\": 1, \"time\": {\"step\": 0.004}, \"materials\": {\"m\": {\"density\": 900, \"young\": 2e7, "
    "\"poisson\": 0.35, \"alpha0\": 0.5, \"alpha1\": 0.004}}, \"shapes\": {\"s\": {\"mesh\": {\"sheet\": "
    "{\"revolution\": "
    "{\"profile\": [[0, 0.12], [0.08, 0.12], [0.1, 0], [0.2, 0]]}}, \"size\": 0.03}, \"thickness\": 0.004, "
    "\"material\": \"m\"}}, "
    "\"bodies\": [{\"shape\": \"s\", \"method\": \"rigidify\", \"position\": [0, 0, 0.3], \"rotation\": {\"axis\": [1, "
    "0.3, 0], \"degrees\": "
    "25}}], \"obstacles\": [{\"plane\": {\"normal\": [0, 0, 1]}}, {\"sphere\": {\"radius\": 0.1}, \"position\": [0.2, "
    "0, 0.05]}]}";

typedef struct Seen {
    double off, at_end;    // of the diameter
    double risen;          // of the largest energy
    double rigid;          // of the elements, on average
    double rigid_at_end;   // of them, at the end
    int64_t mixed, asleep; // steps with parts beside elastic elements, with sleepers
    int slept, woke;       // the first step with sleepers, and the last in which one woke
} Seen;

static Seen watch(const char *text, int steps, double diameter) {
    ThawWorld *full = make_world_by(text, "full", 1), *world = make_world_by(text, "rigidify", 1);
    double least = INFINITY, largest = 0, ground = 0, count = 0;
    Seen seen = {0};
    int was_asleep = 0;
    for (int32_t b = 0; b < thaw_world_body_count(world); b++)
        count += thaw_world_element_count(world, b);
    for (int i = 0; i < steps; i++) {
        ThawStepStats stats;
        step_world(full, NULL);
        step_world(world, &stats);
        const ThawLedger *l = &stats.ledger;
        const double held = l->kinetic + l->shadow + l->elastic;
        const double energy = held + l->gravitational - l->external_work - l->contact_work - l->parting_work;
        ground = i == 0 ? l->gravitational : ground;
        largest = fmax(largest, held + fabs(l->gravitational - ground));
        least = fmin(least, energy);
        seen.risen = fmax(seen.risen, energy - least);
        seen.at_end = 0;
        for (int32_t b = 0; b < thaw_world_body_count(world); b++)
            seen.at_end = fmax(seen.at_end, worlds_apart(full, world, b) / diameter);
        seen.off = fmax(seen.off, seen.at_end);
        seen.rigid_at_end = 1 - (double)stats.elastic_elements / count;
        seen.rigid += seen.rigid_at_end / steps;
        seen.mixed += stats.rigid_parts > 0 && stats.elastic_elements > 0;
        seen.slept = seen.slept == 0 && stats.asleep > 0 ? i : seen.slept;
        seen.woke = was_asleep && stats.asleep == 0 ? i : seen.woke;
        was_asleep = stats.asleep > 0;
        seen.asleep += was_asleep;
    }
    seen.risen /= largest;
    print_message("off by %.1e, %.1e at the end; energy risen by %.1e; %.0f %% rigid, %.0f at the end; %lld steps "
                  "mixed, %lld asleep\n",
                  seen.off, seen.at_end, seen.risen, 100 * seen.rigid, 100 * seen.rigid_at_end, (long long)seen.mixed,
                  (long long)seen.asleep);
    thaw_world_free(&full);
    thaw_world_free(&world);
    return seen;
}

static void a_cantilever_comes_to_rest_where_the_full_one_does(void **state) {
    (void)state;
    const Seen seen = watch(CANTILEVER, 1600, 1.02);
    assert_true(seen.off < 1e-3 && seen.at_end < 1e-4);
    assert_true(seen.rigid > 0.4 && seen.rigid_at_end == 1 && seen.mixed > 20 && seen.asleep > 20);
    assert_true(seen.risen < 1e-6);
}

static void a_hanging_cloth_rests_and_wakes_when_it_is_struck(void **state) {
    (void)state;
    const Seen seen = watch(HANGING, 4000, 1);
    assert_true(seen.off < 1e-3 && seen.at_end < 1e-4);
    assert_true(seen.slept > 0 && seen.slept < 1800 && seen.woke > 1800 && seen.rigid_at_end == 1);
    assert_true(seen.mixed > 100 && seen.risen < 1e-6);
}

static void a_cap_with_creases_falls_and_lies(void **state) {
    (void)state;
    const Seen seen = watch(CAP, 500, 0.4);
    assert_true(seen.off < 5e-3 && seen.rigid > 0.25 && seen.rigid_at_end == 1);
    assert_true(seen.mixed > 20 && seen.risen < 1e-6);
}

static double field_mean(const ThawWorld *world, const char *name) {
    const int32_t ne = thaw_world_element_count(world, 0);
    double *values = calloc((size_t)ne, sizeof *values), sum = 0;
    assert_int_equal(thaw_world_get_field(world, 0, thaw_field_find(name), values), THAW_OK);
    for (int32_t e = 0; e < ne; e++)
        sum += values[e] / ne;
    free(values);
    return sum;
}

// A strip that begins to hang bends; one that is pulled in its plane, which a thick and soft one is by its own weight,
// stretches.
static void reports_tell_bending_from_stretching(void **state) {
    (void)state;
    const char *hung =
        "{\"thaw\": 1, \"gravity\": [9.81, 0, 0], \"time\": {\"step\": 0.005}, \"materials\": {\"m\": {\"density\": "
        "1000, "
        "\"young\": 1e5, \"poisson\": 0.3, \"alpha1\": 0.03}}, \"shapes\": {\"s\": {\"mesh\": {\"sheet\": {\"grid\": "
        "{\"width\": 1, \"height\": 0.2}}, \"size\": 0.05}, \"thickness\": 0.01, \"material\": \"m\", \"groups\": "
        "{\"end\": "
        "{\"box\": {\"min\": [-9, -9, -9], \"max\": [-0.44, 9, 9]}}}}}, \"bodies\": [{\"shape\": \"s\", \"method\": "
        "\"rigidify\", \"pins\": [\"end\"]}]}";
    for (int pulled = 0; pulled < 2; pulled++) {
        ThawElementReport report;
        ThawError error = {0};
        char text[1000];
        ThawWorld *world = make_world(pulled ? hung : CANTILEVER, 1);
        run_world(world, 20);
        assert_true(thaw_world_shows_field(world, thaw_field_find("bending")));
        const double share = field_mean(world, "bending");
        print_message("%s: %.3f of the strain rate is bending\n", pulled ? "pulled" : "bent", share);
        assert_true(pulled ? share < 0.01 : share > 0.85); // elements between pins do neither
        assert_int_equal(thaw_world_explain(world, 0, 30, &report, &error), THAW_OK);
        assert_true(report.bending >= 0 && report.bending <= 1);
        thaw_report_text(&report, text, sizeof text);
        assert_non_null(strstr(text, "% of it bending,"));
        thaw_world_free(&world);
    }
}

static int is_mixed(const ThawWorld *world, const ThawStepStats *stats) {
    (void)world;
    return stats->rigid_parts > 0 && stats->elastic_elements > 0;
}

static void bits_do_not_depend_on_threads_or_checkpoints(void **state) {
    (void)state;
    assert_true(bits_across_checkpoints(CANTILEVER, 1100, "sheets.ckpt", is_mixed) > 0);
    assert_true(bits_across_checkpoints(CAP, 500, "sheets.ckpt", is_mixed) > 0);
}

// The world of a scene without a ledger for reports, all its bodies by that method.
static ThawWorld *without_ledger(const char *text, const char *method) {
    ThawScene *scene = NULL;
    ThawWorld *world = NULL;
    ThawError error;
    assert_int_equal(thaw_scene_parse(text, strlen(text), "test", NULL, &scene, &error), THAW_OK);
    ThawBodyDef body = scene->world.bodies[0];
    ThawWorldDef def = scene->world;
    body.method = method;
    def.bodies = &body;
    def.ledger = 0;
    assert_int_equal(thaw_world_create(&def, &world, &error), THAW_OK);
    thaw_scene_free(&scene);
    return world;
}

// Until something is rigid the adaptive method does nothing but look: the bits are the full method's, whether a ledger
// is kept for reports or not, and also once it is asked for.
static void what_is_elastic_moves_as_by_the_full_method(void **state) {
    (void)state;
    const char *scenes[] = {HANGING, CAP};
    for (int k = 0; k < 2; k++) {
        ThawWorld *full = without_ledger(scenes[k], "full"), *bare = without_ledger(scenes[k], "rigidify"),
                  *kept = make_world_by(scenes[k], "rigidify", 1);
        int steps = 0;
        for (int i = 0; i < 60; i++) {
            ThawStepStats a, b, c;
            ThawLedger ledger;
            step_world(full, &a);
            step_world(bare, &b);
            step_world(kept, &c);
            assert_int_equal(b.state_hash, c.state_hash);
            if (steps == i && b.rigid_parts == 0) {
                assert_int_equal(a.state_hash, b.state_hash);
                steps++;
            }
            if (i % 7 == 3)
                assert_int_equal(thaw_world_get_ledger(bare, &ledger), THAW_OK);
        }
        print_message("scene %d: %d of 60 steps without parts\n", k, steps);
        assert_true(steps > 5);
        thaw_world_free(&full);
        thaw_world_free(&bare);
        thaw_world_free(&kept);
    }
}

// By the published rule elements join parts only where that pays: parts last for some steps unless something wakes.
static void parts_of_the_published_rule_last(void **state) {
    (void)state;
    static char text[2000];
    snprintf(text, sizeof text,
             "{\"rigidify\": {\"oracle\": \"paper\", \"frame_count\": 3, \"hold\": 0, \"tau_rigid\": "
             "1e-2, \"tau_elastic\": 1e-1}, %s",
             HANGING + 1);
    ThawWorld *world = make_world(text, 1);
    int mixed = 0, joined = 0;
    for (int i = 0; i < 600; i++) {
        ThawStepStats stats;
        step_world(world, &stats);
        if (stats.rigid_parts > 0 && stats.elastic_elements > 0 && stats.woken == 0) {
            mixed++;
            joined += stats.settled > 0;
        }
    }
    print_message("published rule: elements join parts in %d of %d steps in which none leaves them\n", joined, mixed);
    assert_true(mixed > 50 && 3 * joined < mixed);
    thaw_world_free(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cantilever_comes_to_rest_where_the_full_one_does),
        cmocka_unit_test(a_hanging_cloth_rests_and_wakes_when_it_is_struck),
        cmocka_unit_test(a_cap_with_creases_falls_and_lies),
        cmocka_unit_test(reports_tell_bending_from_stretching),
        cmocka_unit_test(bits_do_not_depend_on_threads_or_checkpoints),
        cmocka_unit_test(what_is_elastic_moves_as_by_the_full_method),
        cmocka_unit_test(parts_of_the_published_rule_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
