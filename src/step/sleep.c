// SPDX-License-Identifier: Apache-2.0
// Rest costs nothing.
//
// A body that its method finds in balance inside, and that has not moved for some steps, falls asleep, together with
// everything it touches: an island sleeps as a whole or not at all (solids paper, section 5; Coevoet et al. 2020).
// Asleep it is left out of everything: no question, detection, solve, hash or loop includes it. It keeps its positions,
// and its contacts as they were; its velocity is zero, exactly. All else (partition, strains, factors, vectors of a
// step) is given back and made anew when it wakes, wholly rigid and at rest, so a thousand bodies asleep take little
// more than their positions, and a checkpoint of one is a flag.
//
// It wakes when anything could change the verdict: a load or a script that begins, changes or ends (the time is known
// beforehand); an attachment that lets go, or whose frame moves; a call that sets forces, positions, velocities, method
// or thresholds; a body awake or an obstacle in motion that comes into contact with it. Whatever rests on it or carries
// it wakes too. A body that is awake need not deform: its method decides.
//
// Cost: one comparison a body asleep and step. Falling asleep and waking are linear in the contacts at rest.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/forest.h"
#include "contact/collider.h"
#include "step/attach.h"
#include "step/keep.h"
#include "step/method.h"

void thaw_world_list_awake(ThawWorld *world) {
    world->awake_count = 0;
    for (int32_t i = 0; i < world->model->body_count; i++)
        if (!world->state.asleep[i] && !world->aside[i] && world->model->bodies[i].moved > 0)
            world->awake[world->awake_count++] = i;
}

// --- islands of bodies at rest ---------------------------------------------------------------------------------------

// island_of becomes a forest in which bodies that remember a contact with each other, are attached, or are of one unit
// have one root.
static void join(const ThawWorld *world, const ThawContactSet *set) {
    int32_t *root = world->island_of;
    for (int32_t i = 0; i < world->model->body_count; i++)
        root[i] = world->model->bodies[i].mover;
    for (int32_t c = 0; c < set->memory_count; c++) {
        const int32_t *pair = set->memory[c].key.body;
        if (pair[1] >= 0)
            thaw_forest_join(root, pair[0], pair[1]);
    }
    thaw_attach_join(world, root);
}

int thaw_obstacle_moves(const ThawModelObstacle *obstacle, double t, double h) {
    if (obstacle->frame_count > 1 && t + h > obstacle->frame_times[0] &&
        t < obstacle->frame_times[obstacle->frame_count - 1])
        return 1;
    if (obstacle->script.key_count == 0 && !obstacle->script.drive.on)
        return 0;
    ThawPlace place[2];
    thaw_obstacle_place(obstacle, t, &place[0]);
    thaw_obstacle_place(obstacle, t + h, &place[1]);
    return memcmp(&place[0], &place[1], sizeof place[0]) != 0;
}

// --- what is remembered of contacts at rest --------------------------------------------------------------------------

static int compare_memories(const void *a, const void *b) {
    return thaw_contact_key_compare(&((const ThawContactMemory *)a)->key, &((const ThawContactMemory *)b)->key);
}

static int compare_contacts(const void *a, const void *b) {
    return thaw_contact_key_compare(&((const ThawContact *)a)->key, &((const ThawContact *)b)->key);
}

static ThawStatus reserve(void **array, int32_t used, int32_t *capacity, int32_t wanted, size_t size,
                          ThawError *error) {
    if (wanted <= *capacity)
        return THAW_OK;
    void *more = thaw_regrow(*array, (size_t)used, 2 * (size_t)wanted, size);
    if (!more)
        return thaw_error_memory(error, "contacts at rest");
    *array = more;
    *capacity = 2 * wanted;
    return THAW_OK;
}

static int32_t count_marked(const ThawWorld *world, const ThawContactSet *set) {
    int32_t count = 0;
    for (int32_t i = 0; i < set->memory_count; i++)
        count += world->marks[set->memory[i].key.body[0]] != 0;
    return count;
}

// Room for what `from` remembers of marked bodies.
static ThawStatus make_room(const ThawWorld *world, const ThawContactSet *from, ThawContactSet *to, ThawError *error) {
    int32_t more = count_marked(world, from);
    ThawStatus status = reserve((void **)&to->memory, to->memory_count, &to->memory_capacity, to->memory_count + more,
                                sizeof *to->memory, error);
    return status != THAW_OK ? status
                             : reserve((void **)&to->contacts, to->count, &to->capacity, to->count + more,
                                       sizeof *to->contacts, error);
}

// Moves it; both stay sorted. The contacts themselves go along where `keep` says so, else they are dropped.
static void move_marked(const ThawWorld *world, ThawContactSet *from, ThawContactSet *to, int keep) {
    int32_t kept = 0, before = to->memory_count;
    for (int32_t i = 0; i < from->memory_count; i++)
        if (world->marks[from->memory[i].key.body[0]])
            to->memory[to->memory_count++] = from->memory[i];
        else
            from->memory[kept++] = from->memory[i];
    from->memory_count = kept;
    if (to->memory_count > before)
        qsort(to->memory, (size_t)to->memory_count, sizeof *to->memory, compare_memories);
    kept = 0, before = to->count;
    for (int32_t i = 0; i < from->count; i++)
        if (!world->marks[from->contacts[i].key.body[0]])
            from->contacts[kept++] = from->contacts[i];
        else if (keep)
            to->contacts[to->count++] = from->contacts[i];
    from->count = kept;
    if (to->count > before)
        qsort(to->contacts, (size_t)to->count, sizeof *to->contacts, compare_contacts);
}

ThawStatus thaw_contacts_move(ThawWorld *world, ThawContactSet *from, ThawContactSet *to, ThawError *error) {
    ThawStatus status = reserve((void **)&to->memory, to->memory_count, &to->memory_capacity,
                                to->memory_count + from->memory_count, sizeof *to->memory, error);
    if (status == THAW_OK)
        status = reserve((void **)&to->contacts, to->count, &to->capacity, to->count + from->count,
                         sizeof *to->contacts, error);
    if (status == THAW_OK)
        move_marked(world, from, to, 1);
    return status;
}

// --- falling asleep --------------------------------------------------------------------------------------------------

void thaw_sleep_lay(ThawWorld *world, ThawStepper *s) {
    ThawState *state = &world->state;
    size_t bytes = sizeof(double) * (size_t)s->shape->nv * (size_t)s->model->dim;
    const int kept = thaw_keep_sleeping(world, s);
    ThawLedger energies = {0};
    thaw_ledger_add_energies(s, 0, &energies);
    if (s->model->options.ledger)
        state->ledger.transition_loss += energies.kinetic + energies.shadow;
    if (s->data)
        s->parts = thaw_method_part_count(s);
    memset(s->v, 0, bytes);
    memset(s->ms, 0, sizeof s->ms);
    s->work = (ThawLedger){0};
    s->accounted = s->balanced = s->open = 0;
    s->hash = thaw_hash(thaw_hash(0, s->x, bytes), s->v, bytes);
    s->height = energies.gravitational;
    s->wake_time = thaw_loads_constant_until(s->body, state->time);
    s->newton_iterations = s->projected = s->again = 0;
    s->solver_iterations = 0;
    memset(state->asleep + s->index, 1, (size_t)s->body->moved);
    state->slow[s->index] = 0;
    if (kept)
        thaw_stepper_forget(s);
    else
        thaw_stepper_release(s);
}

ThawStatus thaw_sleep_restore(ThawWorld *world, const unsigned char *asleep, ThawError *error) {
    ThawState *state = &world->state;
    ThawStatus status = THAW_OK;
    thaw_contact_scratch_free(&state->contacts.scratch); // it knows where bodies slept
    for (int32_t i = 0; i < world->model->body_count && status == THAW_OK; i++) {
        ThawStepper *s = &world->steppers[i];
        const ThawMethodOps *ops;
        if (world->model->bodies[i].moved == 0)
            continue;
        thaw_method_bind(world, s);
        ops = s->method->ops;
        if (asleep[i]) {
            thaw_sleep_lay(world, s);
            if (!s->record && ops->rest)
                status = ops->rest(world, s, NULL, error);
        } else {
            memset(state->asleep + i, 0, (size_t)s->body->moved);
            status = thaw_stepper_reserve(s, error);
            if (status == THAW_OK)
                status = thaw_method_create(world, s, error);
        }
        if (status == THAW_OK && ops->resume)
            status = ops->resume(world, s, error);
    }
    thaw_world_list_awake(world);
    return status;
}

// Of the drift that rest allows: a body that nothing holds sleeps only if it would not go farther in a second.
static const double STILL = 1e-6;

enum { READY = 1, STANDS_STILL = 2, HELD = 4, CARRIED = 8 }; // CARRIED: by an obstacle that moves

// How far a body is on its way to sleep; why: what of the body itself keeps it from that.
static int find_readiness(const ThawWorld *world, int32_t body, double t, double h, ThawHindrance *why) {
    const ThawState *state = &world->state;
    const ThawStepper *s = &world->steppers[body];
    const ThawMethodOps *ops = s->method->ops;
    const int steps = ops->sleep_steps ? ops->sleep_steps(thaw_state_options(state, body)) : 0;
    if (steps == 0) {
        *why = THAW_HINDRANCE_METHOD;
        return 0;
    }
    const int waits = state->slow[body] < steps;
    const int loaded = thaw_loads_constant_until(s->body, t) <= t + h;
    if (waits || loaded) {
        *why = waits ? ops->hindrance(s) : THAW_HINDRANCE_NONE;
        if (*why == THAW_HINDRANCE_NONE)
            *why = loaded ? THAW_HINDRANCE_LOADS : THAW_HINDRANCE_WAIT;
        return 0;
    }
    int held;
    double most, drift = ops->drift(s, state->slow[body], &most, &held);
    *why = drift <= most ? THAW_HINDRANCE_NONE : THAW_HINDRANCE_BALANCE;
    return (drift <= most ? READY : 0) | (drift <= STILL * most ? STANDS_STILL : 0) | (held ? HELD : 0);
}

// Of a body that is ready itself, by the marks of its island.
static ThawHindrance find_common_hindrance(int root) {
    if (root & CARRIED)
        return THAW_HINDRANCE_OBSTACLE;
    if (!(root & READY))
        return THAW_HINDRANCE_NEIGHBOUR;
    return root & (HELD | STANDS_STILL) ? THAW_HINDRANCE_NONE : THAW_HINDRANCE_LOOSE;
}

// Marks the bodies of islands that are ready as a whole; how many. A group that no pin and no obstacle holds drifts on
// under the smallest force, so it has to stand still. why: body_count, what keeps those that are awake; or NULL.
static int32_t mark_ready(const ThawWorld *world, double t, double h, ThawHindrance *why) {
    const ThawContactSet *set = &world->state.contacts;
    unsigned char *marks = world->marks;
    int32_t ready = 0;
    memset(marks, 0, (size_t)world->model->body_count);
    for (int32_t i = 0; i < world->awake_count; i++) {
        int32_t body = world->awake[i];
        ThawHindrance own;
        marks[body] = (unsigned char)find_readiness(world, body, t, h, why ? &why[body] : &own);
        ready += marks[body] & READY;
    }
    if (ready == 0)
        return 0;
    join(world, set);
    for (int32_t i = 0; i < world->awake_count; i++) { // roots come before their islands
        unsigned char *root = &marks[thaw_forest_root(world->island_of, world->awake[i])],
                      mark = marks[world->awake[i]];
        *root = (unsigned char)((*root & mark & (READY | STANDS_STILL)) | ((*root | mark) & HELD));
    }
    for (int32_t c = 0; c < set->memory_count; c++) {
        const int32_t *pair = set->memory[c].key.body;
        if (pair[1] >= 0)
            continue;
        unsigned char *root = &marks[thaw_forest_root(world->island_of, pair[0])];
        if (thaw_obstacle_moves(&world->model->obstacles[-1 - pair[1]], t, h))
            *root |= CARRIED;
        else if (thaw_v3_dot(set->memory[c].force, set->memory[c].force) > 0)
            *root |= HELD;
    }
    for (int32_t i = 0; i < world->model->attachment_count; i++) {
        const ThawAttachment *a = &world->model->attachments[i];
        const int moves = thaw_attachment_moves(world->model, a, t, h);
        if (!world->state.released[i] && (a->other < 0 || moves) && !world->state.asleep[a->body])
            marks[thaw_forest_root(world->island_of, a->body)] |= moves ? CARRIED : HELD;
    }
    ready = 0;
    for (int32_t i = world->awake_count - 1; i >= 0; i--) { // and go last
        int32_t body = world->awake[i];
        ThawHindrance common = find_common_hindrance(marks[thaw_forest_root(world->island_of, body)]);
        if (why && why[body] == THAW_HINDRANCE_NONE)
            why[body] = common;
        ready += marks[body] = common == THAW_HINDRANCE_NONE;
    }
    for (int32_t i = 0; i < world->model->body_count; i++)
        marks[i] = marks[world->model->bodies[i].mover];
    return ready;
}

ThawStatus thaw_world_get_hindrances(const ThawWorld *world, ThawHindrance *hindrances) {
    if (!world || !hindrances)
        return THAW_ERROR_INPUT;
    for (int32_t i = 0; i < world->model->body_count; i++)
        hindrances[i] = THAW_HINDRANCE_NONE;
    mark_ready(world, world->state.time, world->model->options.h, hindrances);
    for (int32_t i = 0; i < world->model->body_count; i++)
        hindrances[i] = hindrances[world->model->bodies[i].mover];
    return THAW_OK;
}

ThawStatus thaw_sleep_turn(ThawWorld *world, double t, double h, ThawError *error) {
    ThawState *state = &world->state;
    for (int32_t i = 0; i < world->model->body_count; i++)
        if (state->asleep[i] && t + h > thaw_world_mover(world, i)->wake_time) {
            ThawStatus status = thaw_sleep_wake(world, i, error);
            if (status != THAW_OK)
                return status;
        }
    if (mark_ready(world, t, h, NULL) == 0)
        return THAW_OK;
    ThawStatus status = make_room(world, &state->contacts, &state->resting, error);
    if (status == THAW_OK)
        status = thaw_keep_resting(world, error);
    for (int32_t i = 0; status == THAW_OK && i < world->awake_count; i++)
        if (world->marks[world->awake[i]])
            status = thaw_keep_before_sleep(world, &world->steppers[world->awake[i]], error);
    if (status != THAW_OK)
        return status;
    move_marked(world, &state->contacts, &state->resting, 1);
    for (int32_t i = 0; i < world->model->body_count; i++)
        if (world->marks[i] && world->model->bodies[i].moved > 0) {
            thaw_events_fall(&world->steppers[i].events, state->step);
            thaw_sleep_lay(world, &world->steppers[i]);
        }
    thaw_world_list_awake(world);
    return THAW_OK;
}

// --- waking ----------------------------------------------------------------------------------------------------------

// What a body awake needs, wholly rigid and at rest. within: see wake_marked.
static ThawStatus raise(ThawWorld *world, ThawStepper *s, int within, ThawError *error) {
    size_t bytes = sizeof(double) * (size_t)s->shape->nv * (size_t)s->model->dim;
    ThawStatus status = thaw_keep_before_waking(world, s, error);
    if (status == THAW_OK)
        status = thaw_stepper_reserve(s, error);
    if (status == THAW_OK)
        status = thaw_method_wake(world, s, !within, error);
    if (status != THAW_OK) {
        thaw_stepper_release(s);
        return status;
    }
    memcpy(s->start_x, s->x, bytes);
    memcpy(s->start_v, s->v, bytes);
    s->answered = 0;
    s->linearised = NULL;
    return THAW_OK;
}

// Wakes all marked bodies. within: a step has begun, which may have to be taken back, and something touches them; else
// loads may be others.
static ThawStatus wake_marked(ThawWorld *world, int within, ThawError *error) {
    ThawState *state = &world->state;
    ThawContactSet start = {.memory = world->start_memory,
                            .memory_count = world->start_memory_count,
                            .memory_capacity = world->start_memory_capacity};
    ThawStatus status = make_room(world, &state->resting, &state->contacts, error);
    if (status == THAW_OK)
        status = thaw_keep_resting(world, error);
    int32_t first = start.memory_count;
    if (status == THAW_OK && within) {
        ThawContactSet *set = &state->contacts;
        const int32_t all = first + count_marked(world, &state->resting); // what undoing puts into the set
        status = reserve((void **)&start.memory, first, &start.memory_capacity, all, sizeof *start.memory, error);
        world->start_memory = start.memory;
        world->start_memory_capacity = start.memory_capacity;
        if (status == THAW_OK)
            status = reserve((void **)&set->memory, set->memory_count, &set->memory_capacity, all, sizeof *set->memory,
                             error);
    }
    int32_t risen = 0;
    for (; risen < world->model->body_count && status == THAW_OK; risen++)
        if (world->marks[risen] && world->model->bodies[risen].moved > 0)
            status = raise(world, &world->steppers[risen], within, error);
    if (status != THAW_OK) {
        for (int32_t i = 0; i < risen; i++)
            if (world->marks[i] && world->model->bodies[i].moved > 0)
                thaw_stepper_release(&world->steppers[i]);
        return status;
    }
    for (int32_t i = 0; within && i < state->resting.memory_count; i++)
        if (world->marks[state->resting.memory[i].key.body[0]])
            world->start_memory[world->start_memory_count++] = state->resting.memory[i];
    if (world->start_memory_count > first)
        qsort(world->start_memory, (size_t)world->start_memory_count, sizeof *world->start_memory, compare_memories);
    move_marked(world, &state->resting, &state->contacts, 0);
    for (int32_t i = 0; i < world->model->body_count; i++)
        if (world->marks[i]) {
            thaw_events_rise(&thaw_world_mover(world, i)->events, state->step, THAW_REASON_NEIGHBOUR);
            state->asleep[i] = state->slow[i] = 0;
        }
    thaw_world_list_awake(world);
    return THAW_OK;
}

enum { NEIGHBOUR = 1, TOUCHED = 2 }; // marks of bodies that are to wake

// Marks with each marked body all of its island at rest.
static void spread_marks(ThawWorld *world) {
    unsigned char *marks = world->marks;
    join(world, &world->state.resting);
    for (int32_t i = 0; i < world->model->body_count; i++)
        if (marks[i])
            marks[thaw_forest_root(world->island_of, i)] |= NEIGHBOUR;
    for (int32_t i = 0; i < world->model->body_count; i++)
        if (marks[thaw_forest_root(world->island_of, i)])
            marks[i] |= NEIGHBOUR;
}

ThawStatus thaw_sleep_wake(ThawWorld *world, int32_t body, ThawError *error) {
    if (!world->state.asleep[body])
        return THAW_OK;
    memset(world->marks, 0, (size_t)world->model->body_count);
    world->marks[body] = 1;
    spread_marks(world);
    ThawStatus status = wake_marked(world, 0, error);
    if (status == THAW_OK)
        thaw_events_rise(&thaw_world_mover(world, body)->events, world->state.step, THAW_REASON_START);
    return status;
}

ThawStatus thaw_sleep_disturb(ThawWorld *world, ThawContactSet *set, double t, double h, int *woken, ThawError *error) {
    const ThawState *state = &world->state;
    int32_t kept = 0;
    *woken = 0;
    if (world->awake_count == world->model->body_count)
        return THAW_OK;
    memset(world->marks, 0, (size_t)world->model->body_count);
    for (int32_t i = 0; i < set->count; i++) {
        const int32_t *pair = set->contacts[i].key.body;
        int still[2] = {state->asleep[pair[0]], pair[1] < 0
                                                    ? !thaw_obstacle_moves(&world->model->obstacles[-1 - pair[1]], t, h)
                                                    : state->asleep[pair[1]]};
        if (still[0] && still[1])
            continue;
        if (kept != i)
            set->contacts[kept] = set->contacts[i];
        kept++;
        for (int side = 0; side < 2; side++)
            if (pair[side] >= 0 && state->asleep[pair[side]])
                *woken = world->marks[pair[side]] = TOUCHED;
    }
    set->count = kept;
    if (!*woken)
        return THAW_OK;
    spread_marks(world);
    ThawStatus status = wake_marked(world, 1, error);
    for (int32_t i = 0; i < world->model->body_count && status == THAW_OK; i++)
        if (world->marks[i] & TOUCHED)
            thaw_events_rise(&thaw_world_mover(world, i)->events, state->step, THAW_REASON_CONTACT);
    return status;
}
