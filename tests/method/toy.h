// SPDX-License-Identifier: Apache-2.0
// A third method in one file: every body is one rigid part, whatever acts on it. Nothing outside of this file knows it,
// and yet it runs, touches, sleeps, wakes, is saved, resumed, cancelled, compared, tuned, explained, shown in the page
// and changed at run time (test_toy.c, test_toy_page.c).
#ifndef THAW_TEST_TOY_H
#define THAW_TEST_TOY_H

#include <math.h>
#include <string.h>

#include "map/rigid/rigid.h"
#include "step/method.h"

// --- the method ------------------------------------------------------------------------------------------------------

typedef struct ToyOptions {
    double slow; // diameters a second
    int rest;    // steps
} ToyOptions;

static const ThawOption toy_rows[] = {
    {.name = "slow",
     .unit = "diameters/s",
     .help = "a body that is slower may sleep",
     .offset = offsetof(ToyOptions, slow),
     .range = {.lo = 0, .hi = 10, .lo_open = true},
     .value = 1e-2,
     .power = 1,
     .label = "speed of rest",
     .slider = {1e-6, 1},
     .logarithmic = true},
    {.name = "rest",
     .unit = "steps",
     .help = "how long it has to be slow",
     .kind = THAW_OPTION_COUNT,
     .offset = offsetof(ToyOptions, rest),
     .range = {.lo = 2, .hi = 255},
     .value = 10,
     .zero = "never",
     .role = THAW_ROLE_SLEEP,
     .label = "time to rest",
     .slider = {0, 255}},
};

typedef struct Toy {
    double slow;          // its option
    ThawPartition *parts; // one part, once it was formed
    ThawIntegrationSet *set;
    ThawSystem *system;
    unsigned char *flagged; // ne
    unsigned char *script;  // nv
} Toy;

static void drop_system(ThawStepper *s) {
    Toy *toy = s->data;
    thaw_stepper_drop_solvers(s);
    thaw_system_free(&toy->system);
    thaw_integration_free(&toy->set);
    s->system = NULL;
}

static void configure_toy(const ThawWorld *world, ThawStepper *s, ThawLedger *ledger) {
    (void)ledger;
    ((Toy *)s->data)->slow = ((const ToyOptions *)thaw_state_options(&world->state, s->index))->slow;
}

static ThawStatus create_toy(ThawWorld *world, ThawStepper *s, ThawError *error) {
    Toy *toy = s->data = THAW_NEW(Toy, 1);
    if (!toy || !(toy->flagged = THAW_NEW(unsigned char, s->shape->ne)) ||
        !(toy->script = THAW_NEW(unsigned char, s->shape->nv)))
        return thaw_error_memory(error, "a toy");
    configure_toy(world, s, NULL);
    return thaw_partition_create(s->shape, 1, &toy->parts, error);
}

static void free_toy(ThawStepper *s) {
    Toy *toy = s->data;
    thaw_system_free(&toy->system);
    thaw_integration_free(&toy->set);
    thaw_partition_free(&toy->parts);
    thaw_free(toy->flagged);
    thaw_free(toy->script);
    thaw_free(toy);
    s->data = NULL;
}

// Parts of all elements, or of none.
static ThawStatus partition(ThawStepper *s, int rigid, ThawError *error) {
    Toy *toy = s->data;
    ThawTransition transition = {0};
    memset(toy->flagged, rigid, (size_t)s->shape->ne);
    for (int32_t i = 0; i < s->shape->nv; i++)
        toy->script[i] = s->scripted[i] ? THAW_VERTEX_PINNED : THAW_VERTEX_FREE;
    ThawStatus status =
        thaw_partition_update(toy->parts, toy->flagged, toy->script, NULL, s->x, s->v, &transition, error);
    s->changed = transition.changed;
    s->work.transition_loss += transition.loss;
    return status;
}

static ThawStatus wake_toy(ThawWorld *world, ThawStepper *s, int loaded, ThawError *error) {
    (void)loaded;
    ThawStatus status = create_toy(world, s, error);
    return status == THAW_OK ? partition(s, 1, error) : status;
}

static ThawStatus decide_toy(const ThawWorld *world, ThawStepper *s, ThawIncrement step, ThawError *error) {
    Toy *toy = s->data;
    ThawMap *map = NULL;
    (void)world;
    thaw_loads_evaluate(s, step);
    ThawStatus status = partition(s, 1, error);
    if (status != THAW_OK || (!s->changed && s->system))
        return status;
    drop_system(s);
    status = thaw_integration_create(s->shape, toy->parts->elastic, toy->parts->elastic_count, &toy->set, error);
    if (status == THAW_OK)
        status = thaw_map_rigid_create(s->shape, toy->script, toy->parts, toy->set, &map, error);
    if (status == THAW_OK)
        status = thaw_system_wrap(&map, s->scripted, s->model->options.solver, &toy->system, error);
    thaw_map_free(&map);
    s->system = toy->system;
    return status == THAW_OK ? thaw_stepper_fit(s, error) : status;
}

static void abandon_toy(ThawStepper *s, ThawLedger *ledger) {
    (void)ledger;
    partition(s, 0, NULL);
    drop_system(s);
}

static void shift_toy(ThawStepper *s, const double way[3]) {
    for (int k = 0; k < 3; k++)
        ((Toy *)s->data)->parts->parts[0].p[k] += way[k];
}

static int32_t part_count_toy(const ThawStepper *s) { return ((const Toy *)s->data)->parts->part_count; }

static int sleep_steps_toy(const void *options) { return ((const ToyOptions *)options)->rest; }

// Diameters a second, of its fastest point, about.
static double speed_of(const ThawStepper *s) {
    double v[3], omega[3];
    thaw_part_velocity(&((const Toy *)s->data)->parts->parts[0], s->model->dim, v, omega);
    return hypot(hypot(v[0], v[1]), v[2]) / s->shape->diameter + hypot(hypot(omega[0], omega[1]), omega[2]);
}

static ThawHindrance hindrance_toy(const ThawStepper *s) {
    if (part_count_toy(s) == 0)
        return THAW_HINDRANCE_ELASTIC;
    return speed_of(s) > ((const Toy *)s->data)->slow ? THAW_HINDRANCE_FAST : THAW_HINDRANCE_NONE;
}

static int watch_toy(ThawStepper *s, int slow) {
    (void)slow;
    return hindrance_toy(s) == THAW_HINDRANCE_NONE;
}

static double drift_toy(const ThawStepper *s, int slow, double *most, int *held) {
    *most = ((const Toy *)s->data)->slow;
    *held = ((const Toy *)s->data)->parts->parts[0].hold != THAW_HOLD_FREE;
    return slow > 0 ? speed_of(s) : INFINITY;
}

static void explain_toy(const ThawWorld *world, const ThawStepper *s, int32_t element, ThawElementReport *report) {
    (void)world, (void)element;
    const int rigid = s->data && part_count_toy(s) > 0;
    report->rate = 0;
    report->state = !s->data ? THAW_ELEMENT_ASLEEP : rigid ? THAW_ELEMENT_RIGID : THAW_ELEMENT_ELASTIC;
    report->part = report->state == THAW_ELEMENT_ELASTIC ? -1 : 0;
    report->reason = report->woken_by = report->part < 0 ? THAW_REASON_START : THAW_REASON_NONE;
}

// A part is five whole numbers and 53 others.
static int list_toy(const ThawStepper *s, ThawStateField *fields) {
    ThawPartition *p = s->data ? ((Toy *)s->data)->parts : NULL;
    if (!p)
        return 0;
    const size_t part = sizeof(ThawPart);
    _Static_assert(sizeof(ThawPart) == offsetof(ThawPart, inertia) + 53 * sizeof(double), "a part has other members");
    const ThawStateField all[] = {
        {"part_count", THAW_STATE_I32, THAW_STATE_SIZE, &p->part_count, 1, 1, 0, s->shape->ne},
        {"part_vertices", THAW_STATE_I32, THAW_STATE_SIZE, &p->vertex_count, 1, 1, 0, s->shape->nv},
        {"flagged", THAW_STATE_U8, 0, p->flagged, s->shape->ne, 1, 0, 1},
        {"script", THAW_STATE_U8, 0, p->script, s->shape->nv, 1, 0, THAW_VERTEX_MOVED},
        {"part", THAW_STATE_I32, 0, p->parts, p->part_count, 5, part, INT32_MAX},
        {"motion", THAW_STATE_F64, 0, p->parts ? &p->parts->inertia : NULL, p->part_count, 53, part, 0},
        {"stress", THAW_STATE_F64, 0, p->stress, p->part_count, 18, 0, 0},
        {"r", THAW_STATE_F64, 0, p->r, p->vertex_count, s->model->dim, 0, 0},
    };
    memcpy(fields, all, sizeof all);
    return sizeof all / sizeof *all;
}

static ThawStatus expect_toy(const ThawWorld *world, ThawStepper *s, ThawError *error) {
    (void)world;
    return thaw_partition_reserve(((Toy *)s->data)->parts, error);
}

static ThawStatus take_toy(const ThawWorld *world, ThawStepper *s, ThawError *error) {
    (void)world;
    ThawPartition *p = ((Toy *)s->data)->parts;
    drop_system(s);
    return thaw_partition_restore(p, p->flagged, p->script, p->parts, (const double *)p->stress, p->part_count, p->r,
                                  p->vertex_count, error);
}

static const ThawMethodOps toy_ops = {.create = create_toy,
                                      .free = free_toy,
                                      .wake = wake_toy,
                                      .configure = configure_toy,
                                      .decide = decide_toy,
                                      .shift = shift_toy,
                                      .watch = watch_toy,
                                      .abandon = abandon_toy,
                                      .hindrance = hindrance_toy,
                                      .drift = drift_toy,
                                      .list = list_toy,
                                      .part_count = part_count_toy,
                                      .expect = expect_toy,
                                      .take = take_toy,
                                      .explain = explain_toy,
                                      .sleep_steps = sleep_steps_toy};

static const ThawMethod toy_method = {.name = "toy",
                                      .summary = "every body is one part",
                                      .page = "",
                                      .sleeps = true,
                                      .has_parts = true,
                                      .ops = &toy_ops,
                                      .options = {toy_rows, 2, sizeof(ToyOptions)}};

#endif
