// SPDX-License-Identifier: Apache-2.0
// A step can be cancelled at every point at which it looks: in the search for contacts, the oracle, conjugate
// gradients, the factorisation, the contact response, Newton's iterations, halves of a step, the static solve. The
// world is then as before, byte for byte, and goes on with the same bits as one that was never cancelled.
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/folder.h"
#include "support/world.h"

// Asked so often, and says yes the time after `patience` (negative: never).
typedef struct Impatient {
    atomic_int asked;
    int patience;
} Impatient;

static int wanted(void *context) {
    Impatient *who = context;
    const int before = atomic_fetch_add(&who->asked, 1);
    return who->patience >= 0 && before >= who->patience;
}

static char *state_of(const ThawWorld *world, const char *name, size_t *size) {
    ThawError error = {0};
    if (thaw_world_save(world, at(name), &error) != THAW_OK)
        fail_msg("%s", error.message);
    FILE *file = fopen(at(name), "rb");
    assert_non_null(file);
    char *bytes = malloc(1 << 24);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 24, file);
    fclose(file);
    remove(at(name));
    return bytes;
}

// Cancels once, at the look number `patience`; 0 when the step was over before, and *stats tells of it. compare: all of
// the state, by way of the disk.
static int cancel_one(ThawWorld *world, int patience, int compare, ThawStepStats *stats) {
    Impatient who = {.patience = patience};
    ThawError error = {0};
    size_t before_size = 0, after_size;
    char *before = compare ? state_of(world, "before.h5", &before_size) : NULL;
    const int64_t step = thaw_world_step_count(world);
    const int32_t contacts = thaw_world_contact_count(world), events = thaw_world_event_count(world);
    assert_int_equal(thaw_world_set_cancel(world, &(ThawCancel){wanted, &who}), THAW_OK);
    const ThawStatus status = thaw_world_step(world, stats, &error);
    assert_int_equal(thaw_world_set_cancel(world, NULL), THAW_OK);
    if (status == THAW_OK) {
        free(before);
        return 0;
    }
    assert_int_equal(status, THAW_CANCELLED);
    assert_int_equal(error.status, THAW_CANCELLED);
    assert_non_null(strstr(error.message, "cancelled"));
    assert_int_equal(thaw_world_step_count(world), step);
    assert_int_equal(thaw_world_contact_count(world), contacts);
    assert_int_equal(thaw_world_event_count(world), events);
    char *after = compare ? state_of(world, "after.h5", &after_size) : NULL;
    if (compare) {
        assert_int_equal(before_size, after_size);
        assert_memory_equal(before, after, before_size);
    }
    free(before);
    free(after);
    return 1;
}

static int looks_of(ThawWorld *world, ThawStepStats *stats) {
    Impatient who = {.patience = -1};
    assert_int_equal(thaw_world_set_cancel(world, &(ThawCancel){wanted, &who}), THAW_OK);
    step_world(world, stats);
    assert_int_equal(thaw_world_set_cancel(world, NULL), THAW_OK);
    return who.asked;
}

// A world that is cancelled `times` in each step, at places spread over it, beside one that is not. Returns into how
// many parts a step was cut at most.
static int run_both(const char *text, int steps, int times, int threads, ThawStepStats *last) {
    ThawWorld *calm = make_world(text, 1), *other = make_world(text, threads);
    ThawStepStats a = {0}, b = {0};
    int64_t cancelled = 0, looks = 0;
    int parts = 0;
    for (int i = 0; i < steps; i++) {
        const int count = looks_of(calm, &a); // to be asked changes nothing
        parts = a.substeps > parts ? a.substeps : parts;
        looks += count;
        int over = 0;
        for (int k = 0; k < times && !over; k++) {
            over = !cancel_one(other, (int)((int64_t)count * k / times) + (k > 0 ? (i * 7 + k) % 3 : 0), i % times == k,
                               &b);
            cancelled += !over;
        }
        if (!over)
            step_world(other, &b);
        assert_int_equal(a.state_hash, b.state_hash);
        assert_memory_equal(&a.ledger, &b.ledger, sizeof a.ledger);
        assert_int_equal(a.substeps, b.substeps);
        assert_int_equal(a.inverted, b.inverted);
        assert_int_equal(a.asleep, b.asleep);
        assert_int_equal(a.woken, b.woken);
        assert_int_equal(a.settled, b.settled);
    }
    print_message("%lld looks in %d steps, cancelled %lld times\n", (long long)looks, steps, (long long)cancelled);
    assert_true(cancelled >= steps);
    *last = a;
    thaw_world_free(&calm);
    thaw_world_free(&other);
    return parts;
}

#define MATERIAL "'materials': {'m': {'density': 1000, 'young': 5e4, 'poisson': 0.4, 'alpha1': 0.01}},"
#define CUBE                                                                                                           \
    "'shapes': {'cube': {'mesh': {'box': {'min': [-0.1, -0.1, -0.1], 'max': [0.1, 0.1, 0.1], 'cells': [3, 3, 3]}},"    \
    "'material': 'm'}},"

static const char *quoted(const char *text) {
    static char copy[4096];
    snprintf(copy, sizeof copy, "%s", text);
    for (char *c = copy; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    return copy;
}

static void conjugate_gradients_look_in_every_iteration(void **state) {
    (void)state;
    const char *text = quoted("{'thaw': 1, 'time': {'step': 0.01, 'steps': 9}, 'solver': {'name': 'pcg'}," MATERIAL CUBE
                              "'bodies': [{'name': 'a', 'shape': 'cube', 'pins': ['x-min']}]}");
    ThawStepStats stats;
    assert_int_equal(run_both(text, 6, 7, 2, &stats), 1);
    ThawWorld *world = make_world(text, 1);
    const int looks = looks_of(world, &stats);
    assert_true(stats.solver_iterations > 4 && looks >= stats.solver_iterations);
    thaw_world_free(&world);
}

static void a_factorisation_looks_between_its_nodes(void **state) {
    (void)state;
    ThawStepStats stats;
    const char *text =
        quoted("{'thaw': 1, 'time': {'step': 0.01, 'steps': 9}, 'solver': {'name': 'ldl'}," MATERIAL
               "'shapes': {'bar': {'mesh': {'box': {'min': [0, 0, 0], 'max': [1, 0.2, 0.2], 'cells': [20, 4, 4]}},"
               "'material': 'm'}}, 'bodies': [{'name': 'a', 'shape': 'bar', 'pins': ['x-min']}]}");
    assert_int_equal(run_both(text, 4, 9, 2, &stats), 1);
    ThawWorld *world = make_world(text, 1);
    assert_true(looks_of(world, &stats) > 20); // one a node
    thaw_world_free(&world);
}

static const char *heap(const char *method, const char *more) {
    static char text[4096];
    snprintf(text, sizeof text,
             "{'thaw': 1, 'time': {'step': 0.01, 'steps': 9%s}," MATERIAL CUBE
             "'bodies': [{'name': 'a', 'shape': 'cube', 'position': [0, 0, 0.1], 'method': '%s'},"
             "{'name': 'b', 'shape': 'cube', 'position': [0.05, 0.02, 0.301], 'method': '%s'},"
             "{'name': 'c', 'shape': 'cube', 'position': [0.3, 0, 0.1005], 'method': '%s'}],"
             "'obstacles': [{'name': 'floor', 'plane': {}}]}",
             more, method, method, method);
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    return text;
}

static void the_contact_response_looks_in_every_sweep(void **state) {
    (void)state;
    ThawStepStats stats;
    assert_int_equal(run_both(heap("full", ""), 12, 9, 2, &stats), 1);
    assert_true(stats.contacts > 20 && stats.response_iterations > 0);
    ThawWorld *world = make_world(heap("full", ""), 1);
    for (int i = 0; i < 12; i++)
        assert_true(looks_of(world, &stats) >= stats.response_iterations);
    thaw_world_free(&world);
}

static void newton_with_contact_is_cancelled(void **state) {
    (void)state;
    ThawStepStats stats;
    assert_int_equal(run_both(heap("full", ", 'integrator': 'newton'"), 6, 7, 2, &stats), 1);
}

// One is struck and makes its step in parts, one rests, and one that slept is run into within the parts.
static void blows_are_taken_back(void **state) {
    (void)state;
    ThawStepStats stats;
    char text[2000];
    for (int m = 0; m < 2; m++) {
        snprintf(text, sizeof text,
                 "{'thaw': 1, 'time': {'step': 0.02, 'integrator': 'tr-bdf2', 'substeps': 99}, 'rigidify': {'sleep': 5,"
                 "'tolerance': 0.01}, " MATERIAL CUBE
                 "'bodies': [{'name': 'a', 'shape': 'cube', 'position': [0, 0, 0.101], 'velocity': [9, 0, -6], "
                 "'method': '%s'}, {'name': 'b', 'shape': 'cube', 'position': [2, 0, 0.1], 'method': 'rigidify'},"
                 "{'name': 'c', 'shape': 'cube', 'position': [-1, 0, 0.1], 'method': '%s'}],"
                 "'obstacles': [{'name': 'floor', 'plane': {}}]}",
                 m ? "rigidify" : "full", m ? "rigidify" : "full");
        const int parts = run_both(quoted(text), 40, 6, 2, &stats);
        print_message("in %d parts\n", parts);
        assert_true(parts > 1);
    }
}

// Parts form and dissolve, bodies come to rest, fall asleep, and are woken by one that falls on them.
static void parts_and_sleep_survive(void **state) {
    (void)state;
    ThawStepStats stats;
    const char *text = quoted(
        "{'thaw': 1, 'time': {'step': 0.01, 'steps': 300, 'substeps': 0}, 'rigidify': {'tolerance': 0.01, 'sleep': "
        "5}," MATERIAL "'shapes': {'cube': {'mesh': {'box': {'min': [-0.1, -0.1, -0.1], 'max': [0.1, 0.1, 0.1],"
        "'cells': [2, 2, 2]}}, 'material': 'm'}},"
        "'bodies': [{'name': 'a', 'shape': 'cube', 'position': [0, 0, 0.1], 'method': 'rigidify'},"
        "{'name': 'b', 'shape': 'cube', 'position': [0.02, 0, 3.6], 'method': 'rigidify'}],"
        "'obstacles': [{'name': 'floor', 'plane': {}}]}");
    ThawWorld *world = make_world(text, 1);
    int fell = 0, rose = 0, asleep = 0;
    for (int i = 0; i < 300; i++) {
        step_world(world, &stats);
        fell += stats.asleep > asleep;
        rose += stats.asleep < asleep;
        asleep = (int)stats.asleep;
    }
    thaw_world_free(&world);
    print_message("bodies fell asleep %d times and were woken %d times\n", fell, rose);
    assert_true(fell > 1 && rose > 0);
    assert_int_equal(run_both(text, 300, 5, 2, &stats), 1);
}

static void the_published_oracle_survives(void **state) {
    (void)state;
    ThawStepStats stats;
    char text[4096];
    snprintf(text, sizeof text, "%s", heap("rigidify", ""));
    char *end = strrchr(text, '}');
    snprintf(end, sizeof text - (size_t)(end - text), ", \"rigidify\": {\"oracle\": \"paper\", \"tau_rigid\": 1e-3}}");
    assert_int_equal(run_both(text, 60, 4, 2, &stats), 1);
}

// A step that only goes in halves: what was final before the second half is taken back, too.
static void halves_are_taken_back(void **state) {
    (void)state;
    ThawStepStats stats = {0};
    const char *text =
        quoted("{'thaw': 1, 'time': {'step': 0.05, 'steps': 9, 'halvings': 8, 'projection': 'never'},"
               "'materials': {'m': {'model': 'neo-hookean', 'density': 1000, 'young': 1e4, 'poisson': 0.45}}," CUBE
               "'bodies': [{'name': 'a', 'shape': 'cube', 'position': [0, 0, 0.12], 'velocity': [0, 0, -6],"
               "'method': 'rigidify'}], 'obstacles': [{'name': 'floor', 'plane': {}}]}");
    assert_true(run_both(text, 5, 9, 2, &stats) > 1);
}

#define BAR                                                                                                            \
    "'shapes': {'bar': {'mesh': {'box': {'min': [0, 0, 0], 'max': [0.2, 0.2, 0.6], 'cells': [2, 2, 4]}},"              \
    "'material': 'm'}},"

static ThawRigidifyOptions thresholds_after(const char *text, int steps) {
    ThawWorld *world = make_world(text, 1);
    ThawRigidifyOptions options;
    run_world(world, steps);
    assert_int_equal(thaw_world_get_thresholds(world, 0, &options), THAW_OK);
    thaw_world_free(&world);
    return options;
}

// The body's thresholds follow the pins that hold it: they go back, too. Two pins, one after the other, both in the
// middle between two steps.
static void a_pin_that_lets_go_holds_again(void **state) {
    (void)state;
    ThawStepStats stats;
    const char *text = quoted(
        "{'thaw': 1, 'time': {'step': 0.01, 'steps': 99}," MATERIAL BAR
        "'bodies': [{'name': 'a', 'shape': 'bar', 'method': 'rigidify', 'pins': [{'group': 'z-max', 'release': 0.345},"
        "{'group': 'z-min', 'release': 0.18}]}]}");
    const ThawRigidifyOptions held = thresholds_after(text, 10), hangs = thresholds_after(text, 30),
                              falls = thresholds_after(text, 50);
    assert_true(held.horizon != hangs.horizon && hangs.horizon != falls.horizon); // else there is nothing to see
    assert_int_equal(run_both(text, 50, 6, 2, &stats), 1);
}

// One that slept on its pins wakes because they let go.
static void a_pin_that_lets_go_of_a_sleeper_holds_again(void **state) {
    (void)state;
    ThawStepStats stats;
    const char *text =
        quoted("{'thaw': 1, 'time': {'step': 0.01, 'steps': 999}, 'rigidify': {'sleep': 5},"
               "'materials': {'m': {'density': 1000, 'young': 5e6, 'poisson': 0.3, 'alpha1': 0.005}}," BAR
               "'bodies': [{'name': 'a', 'shape': 'bar', 'method': 'rigidify',"
               "'pins': [{'group': 'z-max', 'release': 1.005}]}]}");
    ThawWorld *world = make_world(text, 1);
    stats = run_world(world, 100);
    assert_int_equal(stats.asleep, 1);
    stats = run_world(world, 10);
    assert_int_equal(stats.asleep, 0);
    thaw_world_free(&world);
    assert_int_equal(run_both(text, 110, 4, 2, &stats), 1);
}

// Keys begin and end within the run, a force has its window and a ramp.
static void scripts_and_loads_survive(void **state) {
    (void)state;
    ThawStepStats stats;
    assert_int_equal(
        run_both(
            quoted(
                "{'thaw': 1, 'time': {'step': 0.01, 'steps': 99}," MATERIAL BAR
                "'bodies': [{'name': 'a', 'shape': 'bar', 'method': 'rigidify', 'scripts': [{'group': 'z-min', 'keys': "
                "[{'time': 0.1}, {'time': 0.2, 'translation': [0.02, 0, 0]}], 'release': 0.405}]},"
                "{'name': 'b', 'shape': 'bar', 'position': [1, 0, 0], 'method': 'rigidify', 'pins': ['z-min'], "
                "'forces':"
                "[{'group': 'z-max', 'total': [0, 5, 0], 'from': 0.15, 'to': 0.3, 'ramp': 0.05}]}]}"),
            50, 6, 2, &stats),
        1);
    assert_true(stats.ledger.external_work != 0);
}

// Bodies that stand in each other are shifted apart, and go back to where they stood.
static void the_parting_of_an_overlap_is_taken_back(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        ThawStepStats stats;
        char text[4096];
        snprintf(text, sizeof text,
                 "{'thaw': 1, 'time': {'step': 0.01, 'steps': 99, 'substeps': 0}," MATERIAL CUBE
                 "'bodies': [{'name': 'a', 'shape': 'cube', 'position': [0, 0, 0.08], 'method': '%s'},"
                 "{'name': 'b', 'shape': 'cube', 'position': [0.04, 0.03, 0.24], 'method': '%s'}],"
                 "'obstacles': [{'name': 'floor', 'plane': {}}]}",
                 k ? "rigidify" : "full", k ? "rigidify" : "full");
        assert_int_equal(run_both(quoted(text), 25, 6, 2, &stats), 1);
        assert_true(stats.ledger.parting_work > 0);
    }
}

static void a_ball_that_rolls_goes_back_and_rolls_on(void **state) {
    (void)state;
    ThawStepStats stats;
    assert_int_equal(
        run_both(quoted("{'thaw': 1, 'time': {'step': 0.001, 'steps': 99, 'substeps': 0},"
                        "'materials': {'m': {'young': 2e6, 'density': 1000, 'poisson': 0.3, 'damping': 'viscous'}},"
                        "'shapes': {'ball': {'mesh': {'solid': {'sphere': {'radius': 0.1}}, 'elements': 300},"
                        "'material': 'm'}}, 'bodies': [{'name': 'a', 'shape': 'ball', 'position': [0, 0, 0.1],"
                        "'velocity': [0.1, 0, 0], 'spin': [0, 1, 0], 'method': 'rigidify'}],"
                        "'obstacles': [{'plane': {}}], 'pairs': [{'between': ['*', '*'], 'friction': 0.8}]}"),
                 81, 5, 2, &stats),
        1);
    assert_true(stats.rigid_parts > 0 && stats.ledger.kinetic > 0);
}

static void a_static_solve_is_cancelled(void **state) {
    (void)state;
    const char *text = quoted("{'thaw': 1, 'time': {'step': 0.01, 'steps': 9}, 'solver': {'name': 'pcg'}," MATERIAL CUBE
                              "'bodies': [{'name': 'a', 'shape': 'cube', 'pins': ['x-min'], 'method': 'rigidify'}]}");
    ThawWorld *calm = make_world(text, 1), *other = make_world(text, 1);
    ThawError error = {0};
    size_t sizes[2];
    run_world(calm, 3);
    run_world(other, 3);
    for (int k = 0; k < 40; k += 3) {
        Impatient who = {.patience = k};
        char *before = state_of(other, "s.h5", &sizes[0]);
        thaw_world_set_cancel(other, &(ThawCancel){wanted, &who});
        if (thaw_world_solve_static(other, NULL, &error) == THAW_OK)
            fail_msg("a static solve was over after %d looks", who.asked);
        assert_int_equal(error.status, THAW_CANCELLED);
        char *after = state_of(other, "s.h5", &sizes[1]);
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(before, after, sizes[0]);
        free(before);
        free(after);
    }
    thaw_world_set_cancel(other, NULL);
    assert_int_equal(thaw_world_solve_static(calm, NULL, &error), THAW_OK);
    assert_int_equal(thaw_world_solve_static(other, NULL, &error), THAW_OK);
    run_world(calm, 2);
    run_world(other, 2);
    assert_int_equal(thaw_world_hash(calm), thaw_world_hash(other));
    thaw_world_free(&calm);
    thaw_world_free(&other);
}

static void no_world_is_refused(void **state) {
    (void)state;
    assert_int_equal(thaw_world_set_cancel(NULL, NULL), THAW_ERROR_INPUT);
    assert_string_equal(thaw_status_name(THAW_CANCELLED), "cancelled");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conjugate_gradients_look_in_every_iteration),
        cmocka_unit_test(a_factorisation_looks_between_its_nodes),
        cmocka_unit_test(the_contact_response_looks_in_every_sweep),
        cmocka_unit_test(newton_with_contact_is_cancelled),
        cmocka_unit_test(blows_are_taken_back),
        cmocka_unit_test(parts_and_sleep_survive),
        cmocka_unit_test(the_published_oracle_survives),
        cmocka_unit_test(halves_are_taken_back),
        cmocka_unit_test(a_pin_that_lets_go_holds_again),
        cmocka_unit_test(a_pin_that_lets_go_of_a_sleeper_holds_again),
        cmocka_unit_test(scripts_and_loads_survive),
        cmocka_unit_test(the_parting_of_an_overlap_is_taken_back),
        cmocka_unit_test(a_ball_that_rolls_goes_back_and_rolls_on),
        cmocka_unit_test(a_static_solve_is_cancelled),
        cmocka_unit_test(no_world_is_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
