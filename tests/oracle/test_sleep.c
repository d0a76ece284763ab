// SPDX-License-Identifier: Apache-2.0
// Rest costs nothing and is left at once: bodies fall asleep with all that they touch, wake for whatever could change
// the verdict and for nothing else, and bits do not tell whether a run was interrupted in between.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/world.h"
#include "thaw/thaw.h"

static int32_t sleepers(const ThawWorld *world) {
    int32_t count = 0;
    for (int32_t i = 0; i < thaw_world_body_count(world); i++)
        count += thaw_world_is_asleep(world, i);
    return count;
}

static void settle(ThawWorld *world, int most) {
    int steps = 0;
    while (sleepers(world) < thaw_world_body_count(world) && steps++ < most)
        run_world(world, 1);
    assert_int_equal(sleepers(world), thaw_world_body_count(world));
}

#define CUBES                                                                                                          \
    "\"materials\": {\"rubber\": {\"density\": 1000, \"young\": 2e6, \"poisson\": 0.4, \"alpha1\": 0.02}},"            \
    "\"contact\": {\"iterations\": 2000},"                                                                             \
    "\"shapes\": {\"cube\": {\"mesh\": {\"box\": {\"min\": [-0.05, -0.05, 0], \"max\": [0.05, 0.05, 0.1], "            \
    "\"cells\": [2, 2, 2]}}, \"material\": \"rubber\"}},"
#define STACK                                                                                                          \
    "\"bodies\": [{\"shape\": \"cube\", \"method\": \"rigidify\"},"                                                    \
    "{\"shape\": \"cube\", \"method\": \"rigidify\", \"position\": [0.006, 0, 0.101]},"                                \
    "{\"shape\": \"cube\", \"method\": \"rigidify\", \"position\": [0, 0.005, 0.202]}"

static const char stack[] = "{\"thaw\": 1, " CUBES STACK "], \"obstacles\": [{\"name\": \"floor\", \"plane\": {}}]}";

// Wholly rigid and held by pins it has no unknowns, and nothing to solve for: it bears what lies on it all the same.
static void what_has_no_unknowns_bears_what_falls_on_it(void **state) {
    (void)state;
    const char *held[] = {"{\"shape\": \"cube\", \"method\": \"rigidify\", \"start\": \"rest\", \"pins\": [\"z-min\"]}",
                          "{\"shape\": \"cube\", \"pins\": [\"all\"]}"};
    for (int k = 0; k < 2; k++) {
        char text[2000];
        double x[81], lowest = 1;
        int64_t fewest = INT64_MAX;
        snprintf(text, sizeof text,
                 "{\"thaw\": 1, " CUBES "\"bodies\": [%s,"
                 "{\"shape\": \"cube\", \"method\": \"rigidify\", \"position\": [0.006, 0, 0.1005]}]}",
                 held[k]);
        ThawWorld *world = make_world(text, 1);
        for (int i = 0; i < 300; i++) {
            ThawStepStats stats = run_world(world, 1);
            if (thaw_world_contact_count(world) > 0 && stats.asleep == 0 && stats.dofs < fewest)
                fewest = stats.dofs;
        }
        thaw_world_get_positions(world, 1, x);
        for (int i = 0; i < 27; i++)
            lowest = fmin(lowest, x[3 * i + 2]);
        print_message("at most %.1e m deep, with %lld unknowns at least\n", 0.1 - lowest, (long long)fewest);
        assert_true(lowest > 0.098 && lowest < 0.101);
        assert_true(fewest <= 6); // those of the one that lies on it, as one part
        thaw_world_free(&world);
    }
}

// With nothing free whatever acts on it does nothing: it rests, and what lies on it may.
static void what_pins_hold_wholly_sleeps_with_what_lies_on_it(void **state) {
    (void)state;
    ThawWorld *world =
        make_world("{\"thaw\": 1, " CUBES "\"bodies\": [{\"shape\": \"cube\", \"method\": \"rigidify\", \"pins\": "
                   "[{\"group\": \"all\", \"release\": 6}]}, {\"shape\": \"cube\", \"method\": "
                   "\"rigidify\", \"position\": [0.006, 0, 0.1005]}]}",
                   1);
    settle(world, 500);
    double x[81];
    run_world(world, 700 - (int)thaw_world_step_count(world)); // and falls with it once it is let go
    thaw_world_get_positions(world, 1, x);
    print_message("a second after the pins let go at %.3f m\n", x[2]);
    assert_int_equal(sleepers(world), 0);
    assert_true(x[2] < -3);
    thaw_world_free(&world);
}

static void a_stack_falls_asleep_as_one_and_stays_so_for_a_minute(void **state) {
    (void)state;
    ThawWorld *world = make_world(stack, 1);
    settle(world, 1000);
    double before[81], after[81];
    thaw_world_get_positions(world, 2, before);
    int32_t contacts = thaw_world_contact_count(world);
    double force[3];
    assert_int_equal(thaw_world_get_reaction(world, 0, force), THAW_OK);
    ThawStepStats stats = run_world(world, 6000);
    thaw_world_get_positions(world, 2, after);
    print_message("the floor carries %.4f N of %.4f N; a step of the sleeping stack takes %.4f ms\n", force[2],
                  3 * 9.81, stats.cpu_ms);
    assert_int_equal(sleepers(world), 3);
    assert_memory_equal(before, after, sizeof before);
    assert_true(contacts > 0 && thaw_world_contact_count(world) == contacts);
    assert_true(fabs(force[2] - 3 * 9.81) < 0.01);
    assert_true(stats.reaction[2] == force[2]);
    thaw_world_free(&world);
}

static void a_touched_stack_wakes_and_goes_back_to_sleep(void **state) {
    (void)state;
    ThawWorld *world = make_world(stack, 1);
    settle(world, 1000);
    double f[81] = {0};
    f[80] = -5e-4; // a breath: nothing deforms for it
    assert_int_equal(thaw_world_set_forces(world, 2, f), THAW_OK);
    assert_int_equal(sleepers(world), 0);
    ThawStepStats stats = run_world(world, 3);
    assert_int_equal(stats.elastic_elements, 0);
    settle(world, 400);
    assert_int_equal(thaw_world_set_forces(world, 2, f), THAW_OK); // the same again is no change
    assert_int_equal(sleepers(world), 3);
    double v[81] = {0};
    for (int i = 0; i < 27; i++)
        v[3 * i] = 0.4;
    assert_int_equal(thaw_world_set_velocities(world, 2, v), THAW_OK);
    assert_int_equal(sleepers(world), 0);
    run_world(world, 20);
    thaw_world_free(&world);
}

static void what_falls_onto_sleepers_or_is_pushed_into_them_wakes_them(void **state) {
    (void)state;
    const char *falling =
        "{\"thaw\": 1, " CUBES STACK ", {\"shape\": \"cube\", \"method\": \"rigidify\", \"position\": [0, 0, 60]}],"
        "\"obstacles\": [{\"plane\": {}}]}";
    ThawWorld *world = make_world(falling, 1);
    int64_t slept = -1, woken = -1;
    for (int i = 0; i < 400 && woken < 0; i++) {
        ThawStepStats stats = run_world(world, 1);
        if (sleepers(world) == 3 && slept < 0)
            slept = stats.step;
        if (slept > 0 && sleepers(world) == 0)
            woken = stats.step;
    }
    print_message("three sleep from step %lld on, hit in step %lld\n", (long long)slept, (long long)woken);
    assert_true(slept > 0 && woken > slept);
    thaw_world_free(&world);
    const char *pushed = "{\"thaw\": 1, " CUBES STACK
                         "], \"obstacles\": [{\"plane\": {}}, {\"box\": {\"size\": [0.1, 1, 0.05]}, \"position\": "
                         "[-0.2, 0, 0.05], \"keys\": [{\"time\": 6}, {\"time\": 7, \"translation\": [0.3, 0, 0]}]}]}";
    world = make_world(pushed, 1);
    settle(world, 590);
    run_world(world, 720 - (int)thaw_world_step_count(world));
    double x[81];
    thaw_world_get_positions(world, 0, x);
    assert_true(x[0] > 0.05);
    thaw_world_free(&world);
}

// A long slab asleep, held from below, struck near its end: what is awake 2 and 50 steps after the touch.
static void strike(double speed, int32_t awake[2]) {
    char text[1500];
    snprintf(
        text, sizeof text,
        "{\"thaw\": 1, \"time\": {\"step\": 0.001}, \"gravity\": [0, 0, -5],"
        "\"materials\": {\"foam\": {\"density\": 10, \"young\": 1e3, \"poisson\": 0.4, \"alpha1\": 0.01}},"
        "\"rigidify\": {\"tau_rigid\": 1e-4, \"epsilon\": 1e-3, \"horizon\": 1},"
        "\"shapes\": {\"slab\": {\"mesh\": {\"box\": {\"min\": [-3, -0.5, -0.5], \"max\": [3, 0.5, 0], \"cells\": [24, "
        "4, "
        "2]}}, \"material\": \"foam\"}, \"cube\": {\"mesh\": {\"box\": {\"min\": [-0.2, -0.2, 0], \"max\": [0.2, 0.2, "
        "0.4], \"cells\": [1, 1, 1]}}, \"material\": \"foam\"}},"
        "\"bodies\": [{\"shape\": \"slab\", \"method\": \"rigidify\", \"start\": \"rest\", \"pins\": [\"z-min\"]},"
        "{\"shape\": \"cube\", \"method\": \"full\", \"position\": [-2.5, 0, 0.01], \"velocity\": [0, 0, %g]}]}",
        -speed);
    ThawWorld *world = make_world(text, 1);
    int32_t ne = thaw_world_element_count(world, 0);
    double *told = calloc((size_t)ne, sizeof *told);
    for (int i = 0; i < 200 && thaw_world_is_asleep(world, 0); i++)
        run_world(world, 1);
    assert_false(thaw_world_is_asleep(world, 0));
    for (int k = 0; k < 2; k++) {
        run_world(world, k == 0 ? 1 : 48);
        assert_int_equal(thaw_world_get_field(world, 0, thaw_field_find("state"), told), THAW_OK);
        awake[k] = 0;
        for (int32_t e = 0; e < ne; e++)
            awake[k] += (int)told[e] == THAW_ELEMENT_ELASTIC;
    }
    print_message("struck at %g m/s: %d of %d awake at once, %d after fifty steps\n", speed, awake[0], ne, awake[1]);
    assert_true(awake[0] > 0 && awake[0] < ne / 3 && awake[1] >= awake[0] && awake[1] < ne);
    free(told);
    thaw_world_free(&world);
}

static void a_sleeper_that_is_struck_wakes_where_the_wave_has_come_and_more_the_harder_it_is_struck(void **state) {
    (void)state;
    int32_t soft[2], hard[2];
    strike(0.1, soft);
    strike(8, hard);
    assert_true(hard[1] > soft[1]);
}

static void bits_depend_neither_on_threads_nor_on_a_checkpoint_while_some_sleep(void **state) {
    (void)state;
    const char *text =
        "{\"thaw\": 1, " CUBES STACK ", {\"shape\": \"cube\", \"method\": \"rigidify\", \"position\": [0.02, 0, 62]}],"
        "\"obstacles\": [{\"plane\": {}}]}";
    ThawWorld *one = make_world(text, 1), *two = make_world(text, 2);
    ThawError error = {0};
    char path[] = "/tmp/thaw-sleep-XXXXXX";
    close(mkstemp(path));
    int slept = 0;
    for (int i = 0; i < 450; i++) {
        ThawStepStats a = run_world(one, 1), b = run_world(two, 1);
        assert_int_equal(a.state_hash, b.state_hash);
        assert_int_equal(a.contacts, b.contacts);
        slept += sleepers(one) == 3;
        if (i % 90 == 80) {
            if (thaw_world_save(two, path, &error) != THAW_OK)
                fail_msg("%s", error.message);
            thaw_world_free(&two);
            two = make_world(text, 1);
            if (thaw_world_load(two, path, &error) != THAW_OK)
                fail_msg("%s", error.message);
        }
    }
    assert_true(slept > 20);
    unlink(path);
    thaw_world_free(&one);
    thaw_world_free(&two);
}

#define BAR(more)                                                                                                      \
    "{\"thaw\": 1, \"time\": {\"step\": 0.01},"                                                                        \
    "\"materials\": {\"foam\": {\"young\": 5e4, \"poisson\": 0.35, \"density\": 10, \"alpha1\": 0.1}},"                \
    "\"shapes\": {\"bar\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [3, 1, 1], \"cells\": [6, 2, 2]}},"      \
    "\"material\": \"foam\"}}, \"bodies\": [" more "]}"

static void who_starts_at_rest_is_where_the_static_solution_is_and_stays_there(void **state) {
    (void)state;
    ThawWorld *rest =
        make_world(BAR("{\"shape\": \"bar\", \"method\": \"rigidify\", \"start\": \"rest\", \"pins\": [\"x-min\"], "
                       "\"repeat\": {\"count\": [1, 10, 1], \"step\": [0, 4, 0]}}"),
                   1);
    ThawWorld *other = make_world(BAR("{\"shape\": \"bar\", \"pins\": [\"x-min\"]}"), 1);
    assert_int_equal(thaw_world_solve_static(other, NULL, NULL), THAW_OK);
    double x[189], y[189];
    assert_int_equal(sleepers(rest), 10);
    thaw_world_get_positions(other, 0, y);
    thaw_world_get_positions(rest, 9, x);
    for (int i = 0; i < 189; i++)
        assert_true(fabs(x[i] - (i % 3 == 1 ? 36 : 0) - y[i]) < 1e-12);
    run_world(rest, 50);
    assert_int_equal(sleepers(rest), 10);
    // Woken by force, it finds itself in balance.
    assert_int_equal(thaw_world_wake(rest, 9), THAW_OK);
    ThawStepStats stats = run_world(rest, 100);
    thaw_world_get_positions(rest, 9, y);
    double off = 0;
    for (int i = 0; i < 189; i++)
        off = fmax(off, fabs(x[i] - y[i]));
    print_message("off by %.1e m after a hundred steps awake; kinetic energy %.1e J\n", off, stats.ledger.kinetic);
    assert_true(off < 1e-5);
    thaw_world_free(&rest);
    thaw_world_free(&other);
}

static void a_body_that_nothing_holds_cannot_start_at_rest(void **state) {
    (void)state;
    const char *text = BAR("{\"shape\": \"bar\", \"method\": \"rigidify\", \"start\": \"rest\"}");
    ThawScene *scene = NULL;
    ThawWorld *world = NULL;
    ThawError error = {0};
    assert_int_equal(thaw_scene_parse(text, strlen(text), "scene", NULL, &scene, &error), THAW_OK);
    assert_int_not_equal(thaw_world_create(&scene->world, &world, &error), THAW_OK);
    assert_null(world);
    assert_non_null(strstr(error.message, "pins"));
    thaw_scene_free(&scene);
}

static void methods_and_thresholds_change_at_run_time(void **state) {
    (void)state;
    ThawWorld *world = make_world(BAR("{\"shape\": \"bar\", \"pins\": [\"x-min\"], \"method\": \"rigidify\"}"), 1);
    ThawError error = {0};
    ThawRigidifyOptions options;
    settle(world, 1200);
    assert_string_equal(thaw_world_get_method(world, 0), "rigidify");
    assert_int_equal(thaw_world_set_method(world, 0, "full", &error), THAW_OK);
    ThawStepStats stats = run_world(world, 5);
    assert_int_equal(stats.elastic_elements, thaw_world_element_count(world, 0));
    assert_int_equal(thaw_world_set_method(world, -1, "rigidify", &error), THAW_OK);
    settle(world, 200);
    assert_int_equal(thaw_world_get_rigidify(world, &options), THAW_OK);
    options.sleep = 0;
    assert_int_equal(thaw_world_set_rigidify(world, &options, &error), THAW_OK);
    stats = run_world(world, 100);
    assert_int_equal(stats.elastic_elements, 0);
    assert_int_equal(sleepers(world), 0);
    options.epsilon = -1;
    assert_int_equal(thaw_world_set_rigidify(world, &options, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "epsilon is -1"));
    assert_int_equal(thaw_world_set_method(world, 0, "magic", &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "magic"));
    assert_int_equal(thaw_world_set_method(world, 7, "full", &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_wake(world, -2), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_wake(NULL, 0), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_is_asleep(NULL, 0), 0);
    assert_null(thaw_world_get_method(world, 7));
    thaw_world_free(&world);
}

static void a_turning_part_keeps_what_a_change_of_method_gives_it(void **state) {
    (void)state;
    ThawWorld *world = make_world_by(BAR("{\"shape\": \"bar\", \"velocity\": [1, 0, 2], \"spin\": [0.2, 0, 0.4], "
                                         "\"method\": \"rigidify\"}"),
                                     NULL, 1);
    ThawStepStats stats = run_world(world, 300);
    assert_int_equal(stats.elastic_elements, 0);
    double before[2][189], m[63], P[2][3] = {{0}};
    thaw_world_get_masses(world, 0, m);
    for (int k = 0; k < 2; k++) {
        if (k == 1)
            assert_int_equal(thaw_world_wake(world, 0), THAW_OK); // parts dissolve into velocities
        thaw_world_get_velocities(world, 0, before[k]);
        for (int i = 0; i < 63; i++)
            for (int d = 0; d < 3; d++)
                P[k][d] += m[i] * before[k][3 * i + d];
    }
    for (int d = 0; d < 3; d++) // chords before, velocities after: the sum is the same
        assert_true(fabs(P[0][d] - P[1][d]) < 1e-9 * fabs(P[1][2]));
    thaw_world_free(&world);
}

// --- loads that come when everything sleeps --------------------------------------------------------------------------

static uint64_t next(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}
static double between(uint64_t *seed, double a, double b) {
    return a + (b - a) * (double)(next(seed) % 100000) / 100000;
}

// A clamped block of random size and stiffness, loaded at a random place and time after it has settled.
static void race_random_load(uint64_t seed, int loud) {
    char text[1500];
    double L = between(&seed, 1, 4), E = pow(10, between(&seed, 4, 5.5)), damping = between(&seed, 0.05, 0.15);
    double at[3] = {between(&seed, 0.3, 1) * L, between(&seed, 0, 1), between(&seed, 0, 1)};
    double size = pow(10, between(&seed, -0.5, 1)) * E / 5e4, from = between(&seed, 5, 7);
    double way[3] = {between(&seed, -1, 1), between(&seed, -1, 1), between(&seed, -1, 1)};
    snprintf(text, sizeof text,
             "{\"thaw\": 1, \"time\": {\"step\": 0.01}, \"materials\": {\"foam\": {\"young\": %g, \"poisson\": 0.35, "
             "\"density\": 10, \"alpha1\": %g}}, \"shapes\": {\"bar\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], "
             "\"max\": [%g, 1, 1], \"cells\": [6, 2, 2]}}, \"material\": \"foam\", \"groups\": {\"here\": "
             "{\"nearest\": [%g, %g, %g]}}}}, \"bodies\": [{\"shape\": \"bar\", \"pins\": [\"x-min\"], \"forces\": "
             "[{\"group\": \"here\", \"total\": [%g, %g, %g], \"from\": %g}]}]}",
             E, damping, L, at[0], at[1], at[2], size * way[0], size * way[1], size * way[2], from);
    ThawWorld *full = make_world_by(text, "full", 1), *rigid = make_world_by(text, "rigidify", 1);
    int32_t nv = thaw_world_vertex_count(full, 0);
    double x[2][189], start[189], worst = 0, end = 0, moved = 0;
    assert_int_equal(nv, 63);
    int steps = (int)(from / 0.01);
    for (int i = 0; i < steps + 200; i++) {
        run_world(full, 1);
        run_world(rigid, 1);
        thaw_world_get_positions(full, 0, x[0]);
        thaw_world_get_positions(rigid, 0, x[1]);
        if (i == steps - 2)
            memcpy(start, x[0], sizeof start);
        end = 0;
        for (int k = 0; k < 189; k++) {
            end = fmax(end, fabs(x[0][k] - x[1][k]));
            moved = i >= steps ? fmax(moved, fabs(x[0][k] - start[k])) : 0;
        }
        worst = fmax(worst, end);
    }
    if (loud)
        print_message("E %.0f, load %.2f N at %.2f s moves it by %.1e m; off by %.1e at most, %.1e at the end\n", E,
                      size, from, moved, worst, end);
    // Of its length; a load that moves less than that may be followed quasistatically.
    if (worst > 2e-3 * L || end > 5e-4 * L)
        fail_msg("seed gives off by %g m at most, %g at the end, of %g; the load moves it by %g", worst, end, L, moved);
    thaw_world_free(&full);
    thaw_world_free(&rigid);
}

static void a_load_at_a_random_time_and_place_is_never_missed(void **state) {
    (void)state;
    const char *many = getenv("THAW_RANDOM_LOADS");
    int count = many ? atoi(many) : 20;
    for (int i = 0; i < count; i++)
        race_random_load(1000u + (uint64_t)i, i < 5 || many != NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_no_unknowns_bears_what_falls_on_it),
        cmocka_unit_test(what_pins_hold_wholly_sleeps_with_what_lies_on_it),
        cmocka_unit_test(a_stack_falls_asleep_as_one_and_stays_so_for_a_minute),
        cmocka_unit_test(a_touched_stack_wakes_and_goes_back_to_sleep),
        cmocka_unit_test(what_falls_onto_sleepers_or_is_pushed_into_them_wakes_them),
        cmocka_unit_test(a_sleeper_that_is_struck_wakes_where_the_wave_has_come_and_more_the_harder_it_is_struck),
        cmocka_unit_test(bits_depend_neither_on_threads_nor_on_a_checkpoint_while_some_sleep),
        cmocka_unit_test(who_starts_at_rest_is_where_the_static_solution_is_and_stays_there),
        cmocka_unit_test(a_body_that_nothing_holds_cannot_start_at_rest),
        cmocka_unit_test(methods_and_thresholds_change_at_run_time),
        cmocka_unit_test(a_turning_part_keeps_what_a_change_of_method_gives_it),
        cmocka_unit_test(a_load_at_a_random_time_and_place_is_never_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
