// SPDX-License-Identifier: Apache-2.0
// Going back to the start of a step, bit for bit.
//
// A step changes positions and velocities of bodies awake, of which it has copies anyway (start_x, start_v); contacts
// and what is remembered of them; which bodies sleep; and the state of methods, by their lists of fields. Arrays of
// these are large, but in most steps most of them stay as they are, so they are copied when the first of them is about
// to change: a question that is asked anew solves a system, beside which a copy is little. A body that falls
// asleep gives up all it has; as long as it might have to go back, it is put aside here. What was derived (systems,
// factors, loads) is thrown away and made again, as after a checkpoint was read: it is a function of the state.
#include "step/keep.h"

#include <math.h>
#include <string.h>

#include "contact/collider.h"

// Fields of a method's state that are copied together: numbers, at the start of the step; arrays that a body asleep
// has, too; and the others.
typedef enum Group { NUMBERS, RECORD, ARRAYS, GROUPS } Group;

typedef struct Copy {
    int64_t of;  // number of the step that this is of
    char *bytes; // one field after the other
    size_t room;
} Copy;

typedef struct ThawKeptBody {
    int64_t taken;   // number of the step that this is of
    int awake;       // at the start of the step
    int sleeps_soon; // about to fall asleep in this step: `x` and `v` are valid
    int put_aside;   // asleep since the step has begun: `was` is valid, too
    ThawStepper was; // what it was
    double *v;       // its velocities
    double *x;       // positions of one that has fallen asleep or woken: to wake rounds them
    double *last_x;  // start_x of the step before, in turns with the present one
    double elastic;  // J
    uint64_t hash;   // of the stepper: to abandon parts makes it anew
    ThawEvents events;
    Copy state[GROUPS]; // the method's
} ThawKeptBody;

typedef struct ThawKept {
    int64_t number; // of the step that is under way
    int active;     // there is one
    int resting_is; // `resting` is of it
    ThawKeptBody *bodies;
    unsigned char *asleep, *slow; // body_count
    ThawLedger ledger;
    ThawContactSet contacts, resting;
    ThawContactSet before; // its memory: what the last step began with
} ThawKept;

// --- state of methods ------------------------------------------------------------------------------------------------

static Group group_of(const ThawStateField *field) {
    return field->flags & THAW_STATE_NUMBER ? NUMBERS : field->flags & THAW_STATE_ASLEEP ? RECORD : ARRAYS;
}

static int list_fields(const ThawStepper *s, ThawStateField *fields) {
    return s->method->ops->list ? s->method->ops->list(s, fields) : 0;
}

// Each begins where any type may.
static size_t room_of(const ThawStateField *field) {
    return (thaw_field_row_bytes(field) * (size_t)field->rows + 63) / 64 * 64;
}

static ThawStatus copy_state(const ThawStepper *s, Group group, int64_t number, Copy *copy) {
    ThawStateField fields[THAW_STATE_FIELDS];
    const int count = list_fields(s, fields);
    size_t needed = 0;
    for (int i = 0; i < count; i++)
        needed += group_of(&fields[i]) == group ? room_of(&fields[i]) : 0;
    if (needed > copy->room) {
        char *more = thaw_alloc(needed + needed / 4, 1);
        if (!more)
            return THAW_ERROR_MEMORY;
        thaw_free(copy->bytes);
        copy->bytes = more;
        copy->room = needed + needed / 4;
    }
    char *to = copy->bytes;
    for (int i = 0; i < count; i++)
        if (group_of(&fields[i]) == group) {
            thaw_field_gather(&fields[i], to);
            to += room_of(&fields[i]);
        }
    copy->of = number;
    return THAW_OK;
}

// sizes: only what says how long others are, which comes first.
static void put_back(const ThawStepper *s, Group group, const Copy *copy, int sizes) {
    ThawStateField fields[THAW_STATE_FIELDS];
    const int count = list_fields(s, fields);
    const char *from = copy->bytes;
    for (int i = 0; i < count; i++)
        if (group_of(&fields[i]) == group && (!sizes || fields[i].flags & THAW_STATE_SIZE)) {
            thaw_field_scatter(&fields[i], from);
            from += room_of(&fields[i]);
        }
}

// --- contacts --------------------------------------------------------------------------------------------------------

static int grow(void **array, int32_t *capacity, int32_t count, size_t size) {
    if (count <= *capacity)
        return 1;
    void *more = thaw_alloc(2 * (size_t)count, size);
    if (!more)
        return 0;
    thaw_free(*array);
    *array = more;
    *capacity = 2 * count;
    return 1;
}

// Both arrays; going back it never has to grow.
static int copy_contacts(const ThawContactSet *from, ThawContactSet *to) {
    if (!grow((void **)&to->memory, &to->memory_capacity, from->memory_count, sizeof *to->memory) ||
        !grow((void **)&to->contacts, &to->capacity, from->count, sizeof *to->contacts))
        return 0;
    if (from->memory_count > 0)
        memcpy(to->memory, from->memory, sizeof *to->memory * (size_t)from->memory_count);
    if (from->count > 0)
        memcpy(to->contacts, from->contacts, sizeof *to->contacts * (size_t)from->count);
    to->memory_count = from->memory_count;
    to->count = from->count;
    return 1;
}

ThawStatus thaw_keep_resting(ThawWorld *world, ThawError *error) {
    ThawKept *kept = world->kept;
    if (!kept || !kept->active || kept->resting_is)
        return THAW_OK;
    kept->resting_is = 1;
    return copy_contacts(&world->state.resting, &kept->resting) ? THAW_OK : thaw_error_memory(error, "the contacts");
}

// --- the start -------------------------------------------------------------------------------------------------------

ThawStatus thaw_world_set_cancel(ThawWorld *world, const ThawCancel *cancel) {
    if (!world)
        return THAW_ERROR_INPUT;
    world->cancel = cancel ? *cancel : (ThawCancel){0};
    return THAW_OK;
}

static ThawStatus create(ThawWorld *world, ThawError *error) {
    const size_t count = (size_t)world->model->body_count;
    ThawKept *kept = THAW_NEW(ThawKept, 1);
    if (!kept)
        return thaw_error_memory(error, "what a step goes back to");
    world->kept = kept;
    kept->bodies = THAW_NEW(ThawKeptBody, count);
    kept->asleep = THAW_NEW(unsigned char, count);
    kept->slow = THAW_NEW(unsigned char, count);
    if (kept->bodies && kept->asleep && kept->slow)
        return THAW_OK;
    thaw_kept_free(world);
    return thaw_error_memory(error, "what a step goes back to");
}

void thaw_kept_free(ThawWorld *world) {
    ThawKept *kept = world->kept;
    for (int32_t i = 0; kept && kept->bodies && i < world->model->body_count; i++) {
        thaw_free(kept->bodies[i].v);
        thaw_free(kept->bodies[i].x);
        thaw_free(kept->bodies[i].last_x);
        for (int g = 0; g < GROUPS; g++)
            thaw_free(kept->bodies[i].state[g].bytes);
    }
    if (kept) {
        thaw_contact_set_clear(&kept->contacts);
        thaw_contact_set_clear(&kept->resting);
        thaw_contact_set_clear(&kept->before);
        thaw_free(kept->bodies);
        thaw_free(kept->asleep);
        thaw_free(kept->slow);
    }
    thaw_free(kept);
    world->kept = NULL;
}

static void exchange(double **a, double **b) {
    double *kept = *a;
    *a = *b;
    *b = kept;
}

static ThawStatus begin_body(ThawKept *kept, ThawStepper *s, ThawError *error) {
    ThawKeptBody *body = &kept->bodies[s->index];
    if (!body->last_x && !(body->last_x = THAW_NEW(double, (size_t)s->shape->nv *(size_t)s->model->dim)))
        return thaw_error_memory(error, "what a step goes back to");
    body->taken = kept->number;
    body->awake = 1;
    body->sleeps_soon = body->put_aside = 0;
    body->elastic = s->elastic;
    body->hash = s->hash;
    body->events = s->events;
    return copy_state(s, NUMBERS, kept->number, &body->state[NUMBERS]) == THAW_OK
               ? THAW_OK
               : thaw_error_memory(error, "what a step goes back to");
}

ThawStatus thaw_keep_begin(ThawWorld *world, ThawError *error) {
    const ThawState *state = &world->state;
    ThawStatus status = THAW_OK;
    if (!world->cancel.wanted && !(world->collider && (thaw_parts_may_be(world) || thaw_parts_may_cut(world)))) {
        thaw_kept_free(world);
        return THAW_OK;
    }
    if (!world->kept)
        status = create(world, error);
    if (status != THAW_OK)
        return status;
    ThawKept *kept = world->kept;
    const ThawContactSet before = {.memory = world->start_memory, .memory_count = world->start_memory_count};
    kept->number++;
    kept->resting_is = 0;
    kept->ledger = state->ledger;
    memcpy(kept->asleep, state->asleep, (size_t)world->model->body_count);
    memcpy(kept->slow, state->slow, (size_t)world->model->body_count);
    if (!copy_contacts(&state->contacts, &kept->contacts) || !copy_contacts(&before, &kept->before))
        return thaw_error_memory(error, "the contacts");
    for (int32_t i = 0; i < world->awake_count && status == THAW_OK; i++)
        status = begin_body(kept, &world->steppers[world->awake[i]], error);
    if (status != THAW_OK)
        return status;
    for (int32_t i = 0; i < world->awake_count; i++) { // nothing fails any more
        ThawStepper *s = &world->steppers[world->awake[i]];
        const size_t bytes = sizeof(double) * (size_t)s->shape->nv * (size_t)s->model->dim;
        exchange(&s->start_x, &kept->bodies[s->index].last_x);
        memcpy(s->start_x, s->x, bytes);
        memcpy(s->start_v, s->v, bytes);
    }
    kept->active = 1;
    return THAW_OK;
}

void thaw_keep_allow_cancel(ThawWorld *world) {
    if (!world->kept || !world->kept->active)
        return;
    world->stop.context = world->cancel.context;
    world->stop.stopped = 0;
    world->stop.wanted = world->cancel.wanted;
}

// --- before a change -------------------------------------------------------------------------------------------------

static ThawStatus keep_record(ThawKept *kept, const ThawStepper *s) {
    Copy *record = &kept->bodies[s->index].state[RECORD];
    return record->of == kept->number ? THAW_OK : copy_state(s, RECORD, kept->number, record);
}

ThawStatus thaw_keep_state(void *context) {
    const ThawKeeping *keeping = context;
    ThawKept *kept = keeping->kept;
    const ThawStepper *s = keeping->stepper;
    ThawKeptBody *body = &kept->bodies[s->index];
    if (!kept->active || !s->data)
        return THAW_OK;
    ThawStatus status = keep_record(kept, s);
    // What has woken in this step goes back to sleep, and had no arrays.
    if (status != THAW_OK || body->state[ARRAYS].of == kept->number || body->taken != kept->number || !body->awake ||
        body->put_aside)
        return status;
    return copy_state(s, ARRAYS, kept->number, &body->state[ARRAYS]);
}

ThawStatus thaw_keep_all(ThawWorld *world, ThawError *error) {
    ThawStatus status = THAW_OK;
    for (int32_t i = 0; world->kept && i < world->awake_count && status == THAW_OK; i++)
        status = thaw_keep_state(&(ThawKeeping){world->kept, &world->steppers[world->awake[i]]});
    return status == THAW_OK ? status : thaw_error_memory(error, "what a step goes back to");
}

// A copy of the body's positions.
static ThawStatus keep_place(ThawKeptBody *body, const ThawStepper *s, ThawError *error) {
    const size_t count = (size_t)s->shape->nv * (size_t)s->model->dim;
    if (!body->x && !(body->x = THAW_NEW(double, count)))
        return thaw_error_memory(error, "what a step goes back to");
    memcpy(body->x, s->x, sizeof *body->x * count);
    return THAW_OK;
}

ThawStatus thaw_keep_before_waking(ThawWorld *world, const ThawStepper *s, ThawError *error) {
    ThawKept *kept = world->kept;
    if (!kept || !kept->active)
        return THAW_OK;
    ThawKeptBody *body = &kept->bodies[s->index];
    if (keep_record(kept, s) != THAW_OK)
        return thaw_error_memory(error, "what a step goes back to");
    if (body->taken == kept->number) // it fell asleep in this very step
        return THAW_OK;
    if (keep_place(body, s, error) != THAW_OK)
        return THAW_ERROR_MEMORY;
    if (copy_state(s, NUMBERS, kept->number, &body->state[NUMBERS]) != THAW_OK)
        return thaw_error_memory(error, "what a step goes back to");
    body->taken = kept->number;
    body->awake = body->sleeps_soon = body->put_aside = 0;
    body->elastic = s->elastic;
    body->hash = s->hash;
    body->events = s->events;
    return THAW_OK;
}

ThawStatus thaw_keep_before_sleep(ThawWorld *world, const ThawStepper *s, ThawError *error) {
    ThawKept *kept = world->kept;
    if (!kept || !kept->active)
        return THAW_OK;
    ThawKeptBody *body = &kept->bodies[s->index];
    const size_t count = (size_t)s->shape->nv * (size_t)s->model->dim;
    if (body->taken != kept->number || !body->awake) // it was woken in this very step, and goes back to sleep
        return THAW_OK;
    if (!body->v && !(body->v = THAW_NEW(double, count)))
        return thaw_error_memory(error, "what a step goes back to");
    ThawStatus status = keep_place(body, s, error);
    if (status != THAW_OK)
        return status;
    memcpy(body->v, s->v, sizeof *body->v * count);
    body->sleeps_soon = 1;
    return THAW_OK;
}

int thaw_keep_sleeping(const ThawWorld *world, const ThawStepper *s) {
    const ThawKept *kept = world->kept;
    if (!kept || !kept->active)
        return 0;
    ThawKeptBody *body = &kept->bodies[s->index];
    if (body->taken != kept->number || !body->sleeps_soon)
        return 0;
    body->sleeps_soon = 0;
    body->put_aside = 1;
    body->was = *s;
    return 1;
}

// --- the end ---------------------------------------------------------------------------------------------------------

void thaw_keep_end(ThawWorld *world) {
    ThawKept *kept = world->kept;
    world->stop.wanted = NULL;
    if (!kept || !kept->active)
        return;
    kept->active = 0;
    for (int32_t i = 0; i < world->model->body_count; i++) {
        ThawKeptBody *body = &kept->bodies[i];
        if (body->taken != kept->number || !body->put_aside)
            continue;
        thaw_stepper_release(&body->was);
        body->put_aside = 0;
    }
}

static void restore_state(const ThawWorld *world, const ThawKeptBody *body, ThawStepper *s) {
    const ThawMethodOps *ops = s->method->ops;
    const int64_t number = world->kept->number;
    const int whole = body->awake && s->data, arrays = whole && body->state[ARRAYS].of == number;
    if (arrays)
        put_back(s, ARRAYS, &body->state[ARRAYS], 1);
    if (whole && ops->expect)
        ops->expect(world, s, NULL);
    if (arrays)
        put_back(s, ARRAYS, &body->state[ARRAYS], 0);
    if (body->state[RECORD].of == number)
        put_back(s, RECORD, &body->state[RECORD], 0);
    put_back(s, NUMBERS, &body->state[NUMBERS], 0);
    s->events = body->events;
    if (whole && ops->take)
        ops->take(world, s, NULL); // they were there before, so they fit
}

static void restore_body(const ThawWorld *world, ThawKeptBody *body, ThawStepper *s) {
    const size_t bytes = sizeof(double) * (size_t)s->shape->nv * (size_t)s->model->dim;
    if (body->put_aside) {
        thaw_stepper_release(s);
        *s = body->was;
        memcpy(s->x, body->x, bytes);
        memcpy(s->v, body->v, bytes);
        body->put_aside = 0;
    } else if (body->awake) {
        memcpy(s->x, s->start_x, bytes);
        memcpy(s->v, s->start_v, bytes);
    } else {
        thaw_stepper_release(s);
        memcpy(s->x, body->x, bytes);
        memset(s->v, 0, bytes);    // it slept
        s->work = (ThawLedger){0}; // as thaw_sleep_lay left it
        s->accounted = s->balanced = s->open = 0;
        memset(s->ms, 0, sizeof s->ms);
        s->newton_iterations = s->projected = 0;
        s->solver_iterations = 0;
    }
    if (body->awake)
        exchange(&s->start_x, &body->last_x);
    restore_state(world, body, s);
    thaw_stepper_drop_solvers(s); // which may be half made
    s->elastic = body->elastic;
    s->hash = body->hash;
    s->set_energy = NAN;
    s->inverted = s->set_inverted = -1;
    s->marked_until = -1;
    s->loads_until = -INFINITY;
    s->again = 0;
}

void thaw_keep_restore(ThawWorld *world) {
    ThawKept *kept = world->kept;
    ThawState *state = &world->state;
    world->stop.wanted = NULL;
    if (!kept || !kept->active)
        return;
    kept->active = 0;
    for (int32_t i = 0; i < world->model->body_count; i++)
        if (kept->bodies[i].taken == kept->number)
            restore_body(world, &kept->bodies[i], &world->steppers[i]);
    state->ledger = kept->ledger;
    memcpy(state->asleep, kept->asleep, (size_t)world->model->body_count);
    memcpy(state->slow, kept->slow, (size_t)world->model->body_count);
    copy_contacts(&kept->contacts, &state->contacts);
    if (kept->resting_is)
        copy_contacts(&kept->resting, &state->resting);
    ThawContactSet before = {.memory = world->start_memory, .memory_capacity = world->start_memory_capacity};
    copy_contacts(&kept->before, &before);
    world->start_memory = before.memory;
    world->start_memory_count = before.memory_count;
    world->start_memory_capacity = before.memory_capacity;
    thaw_contact_scratch_free(&state->contacts.scratch); // it knows where bodies slept
    thaw_parts_forget(world);
}
