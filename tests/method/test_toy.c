// SPDX-License-Identifier: Apache-2.0
// The toy method (toy.h) as part of the library: steps, sleep, checkpoints, cancelled steps, comparison, explanation.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/world.h"
#include "thaw/thaw.h"
#include "toy.h"
#include "versus.h"

#define SCENE                                                                                                          \
    "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 150, \"integrator\": \"semi-implicit\"}, \"gravity\": [0, "   \
    "0, -9.81], \"materials\": {\"m\": "                                                                               \
    "{\"density\": 1000, \"young\": 1e7, \"poisson\": 0.3, \"alpha1\": 0.01}}, \"shapes\": {\"box\": {\"mesh\": "      \
    "{\"box\": {\"min\": [0, 0, 0], \"max\": [0.4, 0.4, 0.4], \"cells\": [2, 2, 2]}}, \"material\": \"m\"}}, "         \
    "\"bodies\": [{\"shape\": \"box\", \"method\": \"toy\", \"position\": [0, 0, 0.05]}, {\"shape\": \"box\", "        \
    "\"method\": \"toy\", \"position\": [0.05, 0.02, 0.55]}], \"obstacles\": [{\"plane\": {}}]}"

static int is_ripe(const ThawWorld *world, const ThawStepStats *stats) { return world && stats->contacts > 0; }

static void it_falls_touches_sleeps_and_is_woken(void **state) {
    (void)state;
    ThawWorld *world = make_world(SCENE, 2), *full = make_world_by(SCENE, "full", 1);
    ThawStepStats stats = run_world(world, 5);
    assert_true(stats.rigid_parts == 2 && stats.elastic_elements == 0 && stats.dofs == 12);
    for (int i = 0; i < 500 && stats.asleep < 2; i++)
        step_world(world, &stats);
    assert_true(stats.asleep == 2 && stats.rigid_parts == 2 && thaw_world_sleep_event_count(world) == 2);
    run_world(full, (int)stats.step);
    assert_true(worlds_apart(world, full, 0) < 0.01 && worlds_apart(world, full, 1) < 0.01);
    assert_int_equal(thaw_world_wake(world, 0), THAW_OK);
    assert_int_equal(run_world(world, 1).asleep, 0);
    thaw_world_free(&world);
    thaw_world_free(&full);
}

static void it_is_saved_and_resumed_bit_for_bit_awake_and_asleep(void **state) {
    (void)state;
    assert_true(bits_across_checkpoints(SCENE, 400, "toy.ckpt", is_ripe) > 20);
}

static int wanted(void *context) { return --*(int *)context < 0; }

static void a_cancelled_step_goes_back(void **state) {
    (void)state;
    ThawWorld *calm = make_world(SCENE, 1), *other = make_world(SCENE, 1);
    for (int i = 0; i < 60; i++) {
        int patience = i % 5;
        assert_int_equal(thaw_world_set_cancel(other, &(ThawCancel){wanted, &patience}), THAW_OK);
        const ThawStatus status = thaw_world_step(other, NULL, NULL);
        assert_int_equal(thaw_world_set_cancel(other, NULL), THAW_OK);
        if (status == THAW_CANCELLED)
            run_world(other, 1);
        run_world(calm, 1);
        assert_int_equal(thaw_world_full_hash(calm), thaw_world_full_hash(other));
    }
    thaw_world_free(&calm);
    thaw_world_free(&other);
}

static void it_is_compared_with_the_reference(void **state) {
    (void)state;
    ThawScene *scene;
    ThawError error = {0};
    AppVersus versus = {0};
    assert_int_equal(thaw_scene_parse(SCENE, strlen(SCENE), "scene", NULL, &scene, &error), THAW_OK);
    const AppVersusDef def = {.scene = scene, .against = "full", .steps = 50};
    assert_int_equal(app_versus_create(&def, &versus, &error), THAW_OK);
    for (int i = 0; i < 50; i++)
        assert_int_equal(app_versus_step(&versus, &error), THAW_OK);
    app_versus_finish(&versus);
    assert_true(versus.figures.max_error > 0 && versus.figures.max_error < 0.05);
    assert_true(versus.figures.rigid_sum == 50 && versus.figures.other.dofs < versus.figures.reference.dofs);
    app_versus_clear(&versus);
    thaw_scene_free(&scene);
}

static ThawStatus create_idle(ThawWorld *world, ThawStepper *s, ThawError *error) {
    (void)world;
    s->data = THAW_NEW(double, 1);
    return s->data ? THAW_OK : thaw_error_memory(error, "an idle method");
}

static void free_idle(ThawStepper *s) {
    thaw_free(s->data);
    s->data = NULL;
}

static const ThawMethodOps idle_ops = {.create = create_idle, .free = free_idle};
static const ThawMethod idle_method = {.name = "idle", .summary = "has data and decides nothing", .ops = &idle_ops};

static void a_method_that_decides_nothing_moves_bodies_as_the_reference_does(void **state) {
    (void)state;
    ThawWorld *idle = make_world_by(SCENE, "idle", 2), *full = make_world_by(SCENE, "full", 1);
    for (int i = 0; i < 40; i++) {
        run_world(idle, 1);
        run_world(full, 1);
        assert_int_equal(thaw_world_hash(idle), thaw_world_hash(full));
    }
    thaw_world_free(&idle);
    thaw_world_free(&full);
}

static void it_is_explained_and_changed_at_run_time(void **state) {
    (void)state;
    static const char *const names[] = {"full", "toy", "rigidify", "toy", "full"};
    ThawWorld *world = make_world(SCENE, 1);
    ThawElementReport report;
    char text[500];
    run_world(world, 3);
    assert_int_equal(thaw_world_explain(world, 0, 7, &report, NULL), THAW_OK);
    assert_int_equal(report.state, THAW_ELEMENT_RIGID);
    thaw_report_text(&report, text, sizeof text);
    assert_non_null(strstr(text, "Element 7 of body 0 is rigid since the start, in part 0."));
    assert_true(thaw_world_shows_field(world, thaw_field_find("part")));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(thaw_world_set_method(world, 1, names[i], NULL), THAW_OK);
        assert_string_equal(thaw_world_get_method(world, 1), names[i]);
        run_world(world, 10);
    }
    thaw_world_free(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_falls_touches_sleeps_and_is_woken),
        cmocka_unit_test(it_is_saved_and_resumed_bit_for_bit_awake_and_asleep),
        cmocka_unit_test(a_cancelled_step_goes_back),
        cmocka_unit_test(it_is_compared_with_the_reference),
        cmocka_unit_test(it_is_explained_and_changed_at_run_time),
        cmocka_unit_test(a_method_that_decides_nothing_moves_bodies_as_the_reference_does),
    };
    return thaw_method_register(&toy_method) < 0 || thaw_method_register(&idle_method) < 0
               ? 1
               : cmocka_run_group_tests(tests, NULL, NULL);
}
