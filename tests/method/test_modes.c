// SPDX-License-Identifier: Apache-2.0
// A method whose bodies move by the map of tests/map/modes.h, dense rows and a matrix of its own: it runs, touches, is
// held and driven, saved, resumed and asleep by what every method is given.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "map/modes.h"
#include "step/method.h"
#include "support/world.h"
#include "thaw/thaw.h"

static const double SLOW = 1e-3; // diameters a second
static unsigned flags;           // of the maps that are made from now on
static int halves;               // in which half of the elements stands for all
static int means;                // and most of the mass moves with the mean

typedef struct Modes {
    ThawSystem *system;
    ThawIntegrationSet *set; // NULL: all elements, once
    ThawInertia inertia;
} Modes;

static void drop_system(ThawStepper *s) {
    Modes *modes = s->data;
    thaw_stepper_drop_solvers(s);
    thaw_system_free(&modes->system);
    thaw_integration_free(&modes->set);
    s->system = NULL;
}

static ThawStatus create_modes(ThawWorld *world, ThawStepper *s, ThawError *error) {
    (void)world;
    s->data = THAW_NEW(Modes, 1);
    return s->data ? THAW_OK : thaw_error_memory(error, "the modes");
}

static void free_modes(ThawStepper *s) {
    Modes *modes = s->data;
    thaw_system_free(&modes->system);
    thaw_integration_free(&modes->set);
    thaw_free(modes);
    s->data = NULL;
}

// Every other element, twice.
static ThawStatus make_half(const ThawShape *shape, ThawIntegrationSet **set, ThawError *error) {
    int32_t *elements = THAW_NEW(int32_t, shape->ne), count = 0;
    double *share = THAW_NEW(double, shape->ne);
    for (int32_t e = 0; e < shape->ne; e++) {
        share[e] = 2;
        if (e % 2 == 0)
            elements[count++] = e;
    }
    ThawStatus status = thaw_integration_create(shape, elements, count, set, error);
    if (status == THAW_OK)
        thaw_integration_set_weights(*set, shape, share);
    thaw_free(elements);
    thaw_free(share);
    return status;
}

static ThawStatus decide_modes(const ThawWorld *world, ThawStepper *s, ThawIncrement step, ThawError *error) {
    Modes *modes = s->data;
    ThawMap *map = NULL;
    (void)world, (void)step;
    s->changed = !modes->system || !thaw_system_serves(modes->system, s->shape, s->scripted);
    if (!s->changed && s->system)
        return THAW_OK;
    drop_system(s);
    ThawStatus status = modes_map_create(s->shape, s->scripted, flags, &map, error);
    if (status == THAW_OK && halves)
        status = make_half(s->shape, &modes->set, error);
    if (modes->set)
        map->set = modes->set;
    modes->inertia = mean_inertia(s->shape);
    s->inertia = means ? &modes->inertia : &s->lumped;
    if (status == THAW_OK)
        status = thaw_system_wrap(&map, s->scripted, s->model->options.solver, &modes->system, error);
    thaw_map_free(&map);
    s->system = modes->system;
    return status == THAW_OK ? thaw_stepper_fit(s, error) : status;
}

static void abandon_modes(ThawStepper *s, ThawLedger *ledger) {
    (void)ledger;
    drop_system(s);
}

static int sleep_steps_modes(const void *options) { return options ? 0 : 10; }

static double speed_of(const ThawStepper *s) {
    double most = 0;
    for (int32_t i = 0; i < s->shape->nv * s->model->dim; i++)
        most = fmax(most, fabs(s->v[i]));
    return most / s->shape->diameter;
}

static ThawHindrance hindrance_modes(const ThawStepper *s) {
    return speed_of(s) > SLOW ? THAW_HINDRANCE_FAST : THAW_HINDRANCE_NONE;
}

static int watch_modes(ThawStepper *s, int slow) {
    (void)slow;
    return speed_of(s) <= SLOW;
}

static double drift_modes(const ThawStepper *s, int slow, double *most, int *held) {
    *most = SLOW;
    *held = 0;
    return slow > 0 ? speed_of(s) : INFINITY;
}

static const ThawMethodOps ops = {.create = create_modes,
                                  .free = free_modes,
                                  .decide = decide_modes,
                                  .abandon = abandon_modes,
                                  .sleep_steps = sleep_steps_modes,
                                  .hindrance = hindrance_modes,
                                  .watch = watch_modes,
                                  .drift = drift_modes};
static const ThawMethod modes_method = {
    .name = "modes", .summary = "a few modes", .page = "", .sleeps = true, .ops = &ops};

// --- tests -----------------------------------------------------------------------------------------------------------

#define SCENE(options, body, obstacles)                                                                                \
    "{\"thaw\": 1, \"time\": {\"step\": 0.005, \"steps\": 150" options "}, \"gravity\": [0, 0, -9.81], "               \
    "\"materials\": {\"m\": {\"density\": 1000, \"young\": 2e5, \"poisson\": 0.3, \"alpha0\": 0.1, "                   \
    "\"alpha1\": 0.01}}, \"shapes\": {\"box\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.4, 0.4, 0.4], "   \
    "\"cells\": [3, 3, 3]}}, \"material\": \"m\"}}, \"bodies\": [{\"shape\": \"box\", \"method\": \"modes\", "         \
    "\"position\": [0, 0, 0.01]" body "}, {\"shape\": \"box\", \"method\": \"modes\", \"position\": "                  \
    "[0.05, 0.02, 0.43]}], \"obstacles\": [" obstacles "]}"
#define NEWTON ", \"integrator\": \"newton\""
#define EULER ", \"integrator\": \"euler\""
#define PLANE "{\"plane\": {}}"
#define FALLING SCENE("", "", PLANE)
#define HELD                                                                                                           \
    ", \"pins\": [\"z-max\"], \"scripts\": [{\"group\": \"z-min\", \"keys\": [{\"time\": 0}, {\"time\": 0.2, "         \
    "\"translation\": [0.05, 0, -0.02]}]}]"

static ThawWorld *make_with_ledger(const char *text) {
    ThawScene *scene = NULL;
    ThawWorld *world = NULL;
    ThawError error = {0};
    if (thaw_scene_parse(text, strlen(text), "scene", NULL, &scene, &error) != THAW_OK)
        fail_msg("%s", error.message);
    scene->world.ledger = 1;
    scene->world.threads = 1;
    if (thaw_world_create(&scene->world, &world, &error) != THAW_OK)
        fail_msg("%s", error.message);
    thaw_scene_free(&scene);
    return world;
}

// So many steps, in each of which the ledger closes to a share of what moves; the last one's.
static ThawStepStats run_closed(ThawWorld *world, int steps, double share, int *touched) {
    ThawStepStats stats = {0};
    ThawLedger start;
    double size = 0, open = 0;
    assert_int_equal(thaw_world_get_ledger(world, &start), THAW_OK);
    *touched = 0;
    for (int i = 0; i < steps; i++) {
        step_world(world, &stats);
        *touched |= stats.contacts > 0;
        size = fmax(size, stats.ledger.kinetic + fabs(stats.ledger.elastic));
        open = fmax(open, fabs(ledger_balance(&stats.ledger) - ledger_balance(&start)));
    }
    print_message("ledger open by %.2g of %.3g J\n", open, size);
    assert_true(size > 0 && open <= share * size);
    return stats;
}

static int is_ripe(const ThawWorld *world, const ThawStepStats *stats) { return world && stats->contacts > 0; }

static void bodies_fall_on_each_other_and_sleep_with_rows_and_without(void **state) {
    (void)state;
    ThawWorld *worlds[2];
    ThawStepStats stats[2];
    int touched;
    for (int i = 0; i < 2; i++) {
        flags = i ? MODES_WITHOUT_ROWS : 0;
        worlds[i] = make_with_ledger(FALLING);
        stats[i] = run_closed(worlds[i], 60, 1e-8, &touched);
        assert_true(touched && stats[i].dofs == 2 * 15);
    }
    assert_true(worlds_apart(worlds[0], worlds[1], 0) < 1e-5 && worlds_apart(worlds[0], worlds[1], 1) < 1e-5);
    for (int i = 0; i < 2; i++) {
        flags = i ? MODES_WITHOUT_ROWS : 0;
        for (int step = 0; step < 2000 && stats[i].asleep < 2; step++)
            step_world(worlds[i], &stats[i]);
        assert_int_equal(stats[i].asleep, 2);
        assert_int_equal(thaw_world_wake(worlds[i], 0), THAW_OK);
        assert_true(run_world(worlds[i], 1).asleep < 2);
        thaw_world_free(&worlds[i]);
    }
}

// Six unknowns in the plane: contact response takes all that the body can do at once.
static void few_unknowns_are_known_with_rows_and_without(void **state) {
    (void)state;
    static const char scene[] =
        "{\"thaw\": 1, \"dimension\": 2, \"gravity\": [0, -9.81], \"time\": {\"step\": 0.005, \"steps\": 50}, "
        "\"materials\": {\"m\": {\"density\": 500, \"young\": 1e5, \"alpha1\": 0.01}}, \"shapes\": {\"tile\": "
        "{\"mesh\": {\"box\": {\"min\": [0, 0], \"max\": [0.2, 0.2], \"cells\": [3, 3]}}, \"material\": \"m\"}}, "
        "\"bodies\": [{\"shape\": \"tile\", \"method\": \"modes\", \"position\": [0, 0.01]}, {\"shape\": \"tile\", "
        "\"method\": \"modes\", \"position\": [0.07, 0.22]}], \"obstacles\": [{\"plane\": {}}]}";
    ThawWorld *worlds[2];
    for (int i = 0; i < 2; i++) {
        int touched;
        flags = MODES_AFFINE | (i ? MODES_WITHOUT_ROWS : 0);
        worlds[i] = make_with_ledger(scene);
        assert_int_equal(run_closed(worlds[i], 40, 1e-9, &touched).dofs, 2 * 6);
        assert_true(touched);
    }
    assert_true(thaw_world_hash(worlds[0]) == thaw_world_hash(worlds[1]));
    thaw_world_free(&worlds[0]);
    thaw_world_free(&worlds[1]);
}

static void they_are_saved_and_resumed_bit_for_bit(void **state) {
    (void)state;
    flags = 0;
    assert_true(bits_across_checkpoints(FALLING, 150, "modes.ckpt", is_ripe) > 5);
    // The map of the modes knows no moving frame, and is made anew after loading.
    assert_true(bits_across_checkpoints(SCENE(EULER, "", PLANE), 150, "modes.ckpt", is_ripe) > 5);
}

static void newton_finds_the_balance_of_the_modes(void **state) {
    (void)state;
    int touched;
    for (flags = 0; flags <= MODES_WITHOUT_ROWS; flags++) {
        ThawWorld *world = make_with_ledger(SCENE(NEWTON, "", PLANE));
        run_closed(world, 50, 1e-5, &touched);
        assert_true(touched);
        thaw_world_free(&world);
    }
}

// Half of the elements with twice the weight: nearly the same motion, and the ledger closes with their energy.
static void half_of_the_elements_may_stand_for_all(void **state) {
    (void)state;
    static const char *const scenes[] = {SCENE("", "", PLANE), SCENE(NEWTON, "", PLANE)};
    for (int i = 0; i < 2; i++) {
        ThawWorld *worlds[2];
        int touched;
        flags = 0;
        for (halves = 0; halves < 2; halves++) {
            worlds[halves] = make_with_ledger(scenes[i]);
            run_closed(worlds[halves], 40, i == 0 ? 1e-9 : 1e-5, &touched);
            assert_true(touched);
        }
        halves = 0;
        const double apart = worlds_apart(worlds[0], worlds[1], 0);
        print_message("apart by %.2g m\n", apart);
        assert_true(apart > 0 && apart < 0.01);
        thaw_world_free(&worlds[0]);
        thaw_world_free(&worlds[1]);
    }
}

// An inertia that is not diagonal: the body falls as ever, swings otherwise, and the ledger closes with its energy.
static void the_inertia_need_not_be_that_of_the_vertices(void **state) {
    (void)state;
    static const char *const scenes[] = {SCENE("", HELD, PLANE), SCENE(NEWTON, HELD, PLANE)};
    for (int i = 0; i < 2; i++)
        for (int driven = 0; driven < 2; driven++) {
            ThawWorld *worlds[2];
            int touched;
            flags = driven ? MODES_BENT : 0;
            for (means = 0; means < 2; means++) {
                worlds[means] = make_with_ledger(scenes[i]);
                run_closed(worlds[means], 1, i == 0 ? 1e-9 : 1e-5, &touched);
            }
            means = 0;
            assert_true(driven || worlds_apart(worlds[0], worlds[1], 1) < 1e-12); // it falls
            for (int k = 0; k < 2; k++)
                run_closed(worlds[k], 40, i == 0 ? 1e-9 : 1e-5, &touched);
            assert_true(touched && worlds_apart(worlds[0], worlds[1], 0) > 1e-5);
            thaw_world_free(&worlds[0]);
            thaw_world_free(&worlds[1]);
        }
}

// An offset of all vertices that the unknowns could make up for changes nothing: neither motion nor ledger.
static void an_offset_within_the_modes_changes_nothing(void **state) {
    (void)state;
    static const char *const scenes[] = {SCENE("", "", PLANE), SCENE(NEWTON, "", PLANE)};
    for (int i = 0; i < 2; i++) {
        ThawWorld *worlds[2];
        ThawStepStats stats[2];
        int touched;
        for (int driven = 0; driven < 2; driven++) {
            flags = driven ? MODES_DRIVEN : 0;
            worlds[driven] = make_with_ledger(scenes[i]);
            stats[driven] = run_closed(worlds[driven], 20, 1e-5, &touched);
        }
        print_message("apart by %.2g m, works by %.2g J\n", worlds_apart(worlds[0], worlds[1], 0),
                      fabs(stats[0].ledger.external_work - stats[1].ledger.external_work));
        assert_true(worlds_apart(worlds[0], worlds[1], 0) < 1e-8 && worlds_apart(worlds[0], worlds[1], 1) < 1e-8);
        assert_true(fabs(stats[0].ledger.external_work - stats[1].ledger.external_work) < 1e-6);
        thaw_world_free(&worlds[0]);
        thaw_world_free(&worlds[1]);
    }
}

// Held at one end and moved at the other, with an offset of all other vertices that the modes cannot undo: its work is
// in the ledger, in contact, too.
static void an_offset_beyond_the_modes_does_work_that_the_ledger_knows(void **state) {
    (void)state;
    static const char *const scenes[] = {SCENE("", HELD, ""), SCENE(NEWTON, HELD, "")};
    for (int i = 0; i < 2; i++) {
        double work[2];
        for (int driven = 0; driven < 2; driven++) {
            int touched;
            flags = driven ? MODES_BENT : 0;
            ThawWorld *world = make_with_ledger(scenes[i]);
            work[driven] = run_closed(world, 40, i == 0 ? 1e-9 : 1e-5, &touched).ledger.external_work;
            assert_true(touched);
            thaw_world_free(&world);
        }
        print_message("works %.4g and %.4g J\n", work[0], work[1]);
        assert_true(fabs(work[0] - work[1]) > 1e-3 * fabs(work[0]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_fall_on_each_other_and_sleep_with_rows_and_without),
        cmocka_unit_test(few_unknowns_are_known_with_rows_and_without),
        cmocka_unit_test(they_are_saved_and_resumed_bit_for_bit),
        cmocka_unit_test(newton_finds_the_balance_of_the_modes),
        cmocka_unit_test(half_of_the_elements_may_stand_for_all),
        cmocka_unit_test(the_inertia_need_not_be_that_of_the_vertices),
        cmocka_unit_test(an_offset_within_the_modes_changes_nothing),
        cmocka_unit_test(an_offset_beyond_the_modes_does_work_that_the_ledger_knows),
    };
    return thaw_method_register(&modes_method) < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
