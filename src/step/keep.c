// SPDX-License-Identifier: Apache-2.0
// Going back to the start of a step, bit for bit.
//
// A step changes positions and velocities of bodies awake, of which it has copies anyway (start_x, start_v); contacts
// and what is remembered of them; who sleeps; and of adaptive bodies the oracle's memory, the parts and their history.
// The last are large, but in most steps most of them stay as they are, so they are copied when the first of them is
// about to change: a question that is asked anew solves a system, beside which a copy is little. A body that falls
// asleep gives up all it has; as long as it might have to go back, it is put aside here. What was derived (systems,
// factors, loads) is thrown away and made again, as after a checkpoint was read: it is a function of the state.
#include "step/keep.h"

#include <math.h>
#include <string.h>

#include "contact/collider.h"
#include "force/strain.h"

// An array of the state.
typedef struct Span {
    void *bytes;
    size_t size;
} Span;
enum { STORY = 2, ORACLE = 15, PARTS = 5 };

typedef struct ThawKeptBody {
    int64_t taken;    // number of the step that this is of
    int64_t story_of; // the same, of `story`
    int64_t parts_of; // the same, of `parts`
    int awake;        // at the start of the step
    int tired;        // about to fall asleep in this step: `x` and `v` are valid
    int fallen;       // asleep since the step has begun: `gone` is valid, too
    ThawStepper gone; // what it was
    double *v;        // its velocities
    double *x;        // positions of one that has fallen asleep or woken: to wake rounds them
    double *last_x;   // start_x of the step before, in turns with the present one
    double elastic;   // J
    ThawScale scale;
    ThawOracleState oracle; // without what it points to
    ThawHistory history;    // likewise
    int32_t part_count, vertex_count;
    char *story, *parts; // arrays, one after the other
    size_t story_size, parts_size;
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

// --- arrays --------------------------------------------------------------------------------------------------------------

static void list_story(const ThawStepper *s, Span spans[STORY]) {
    spans[0] = (Span){s->history->woken_by, (size_t)s->shape->ne};
    spans[1] = (Span){s->history->since, sizeof *s->history->since * (size_t)s->shape->ne};
}

static void list_oracle(const ThawStepper *s, Span spans[ORACLE]) {
    const ThawOracleState *o = thaw_oracle_state(s->adaptive->oracle);
    const size_t nv = (size_t)s->shape->nv, ne = (size_t)s->shape->ne, dim = (size_t)s->model->dim;
    const size_t vector = sizeof(double) * nv * dim;
    const Span all[ORACLE] = {
        {o->below, ne},
        {o->hold, ne},
        {o->reason, ne},
        {o->rate, sizeof *o->rate * ne},
        {o->predicted, sizeof *o->predicted * ne},
        {o->strain, sizeof *o->strain * thaw_strain_size(s->shape->all)},
        {o->reference, vector},
        {o->held, vector * dim},
        {o->shadow, vector},
        {o->pull, vector},
        {o->known, nv},
        {o->inner, vector},
        {o->loads, vector},
        {o->presses, vector},
        {o->kept, vector},
    };
    memcpy(spans, all, sizeof all);
}

// In the order in which thaw_partition_restore wants them back.
static void list_parts(const ThawStepper *s, Span spans[PARTS]) {
    const ThawPartition *p = s->adaptive->partition;
    spans[0] = (Span){p->flagged, (size_t)s->shape->ne};
    spans[1] = (Span){p->script, (size_t)s->shape->nv};
    spans[2] = (Span){p->parts, sizeof *p->parts * (size_t)p->part_count};
    spans[3] = (Span){p->stress, sizeof *p->stress * (size_t)p->part_count};
    spans[4] = (Span){p->r, sizeof *p->r * (size_t)p->vertex_count * (size_t)s->model->dim};
}

// Each begins where any type may.
static size_t room_of(size_t size) { return (size + 63) / 64 * 64; }

static ThawStatus copy_out(const Span *spans, int count, char **memory, size_t *size) {
    size_t needed = 0;
    for (int i = 0; i < count; i++)
        needed += room_of(spans[i].size);
    if (needed > *size || !*memory) {
        char *more = thaw_alloc(needed + needed / 4, 1);
        if (!more)
            return THAW_ERROR_MEMORY;
        thaw_free(*memory);
        *memory = more;
        *size = needed + needed / 4;
    }
    char *to = *memory;
    for (int i = 0; i < count; to += room_of(spans[i++].size))
        if (spans[i].size > 0)
            memcpy(to, spans[i].bytes, spans[i].size);
    return THAW_OK;
}

static const char *copy_back(const char *from, const Span *spans, int count) {
    for (int i = 0; i < count; from += room_of(spans[i++].size))
        if (spans[i].size > 0)
            memcpy(spans[i].bytes, from, spans[i].size);
    return from;
}

// --- contacts ------------------------------------------------------------------------------------------------------------

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

// --- the start -----------------------------------------------------------------------------------------------------------

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
        thaw_free(kept->bodies[i].story);
        thaw_free(kept->bodies[i].parts);
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
    body->tired = body->fallen = 0;
    body->elastic = s->elastic;
    body->scale = s->scale;
    if (s->adaptive)
        body->oracle = *thaw_oracle_state(s->adaptive->oracle);
    if (s->history)
        body->history = *s->history;
    return THAW_OK;
}

ThawStatus thaw_keep_begin(ThawWorld *world, ThawError *error) {
    const ThawState *state = &world->state;
    ThawStatus status = THAW_OK;
    if (!world->cancel.wanted) {
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

void thaw_keep_listen(ThawWorld *world) {
    if (!world->kept || !world->kept->active)
        return;
    world->stop.context = world->cancel.context;
    world->stop.stopped = 0;
    world->stop.wanted = world->cancel.wanted;
}

// --- before a change -----------------------------------------------------------------------------------------------------

static ThawStatus keep_story(ThawKept *kept, const ThawStepper *s) {
    ThawKeptBody *body = &kept->bodies[s->index];
    Span spans[STORY];
    if (body->story_of == kept->number || !s->history)
        return THAW_OK;
    list_story(s, spans);
    ThawStatus status = copy_out(spans, STORY, &body->story, &body->story_size);
    if (status == THAW_OK)
        body->story_of = kept->number;
    return status;
}

ThawStatus thaw_keep_parts(void *context) {
    const ThawKeeping *keeping = context;
    ThawKept *kept = keeping->kept;
    const ThawStepper *s = keeping->stepper;
    ThawKeptBody *body = &kept->bodies[s->index];
    if (!kept->active || !s->adaptive)
        return THAW_OK;
    ThawStatus status = keep_story(kept, s);
    // What has woken in this step goes back to sleep, and had no parts.
    if (status != THAW_OK || body->parts_of == kept->number || body->taken != kept->number || !body->awake ||
        body->fallen)
        return status;
    Span spans[ORACLE + PARTS];
    list_oracle(s, spans);
    list_parts(s, spans + ORACLE);
    status = copy_out(spans, ORACLE + PARTS, &body->parts, &body->parts_size);
    body->part_count = s->adaptive->partition->part_count;
    body->vertex_count = s->adaptive->partition->vertex_count;
    if (status == THAW_OK)
        body->parts_of = kept->number;
    return status;
}

ThawStatus thaw_keep_all(ThawWorld *world, ThawError *error) {
    ThawStatus status = THAW_OK;
    for (int32_t i = 0; world->kept && i < world->awake_count && status == THAW_OK; i++)
        status = thaw_keep_parts(&(ThawKeeping){world->kept, &world->steppers[world->awake[i]]});
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

ThawStatus thaw_keep_rise(ThawWorld *world, const ThawStepper *s, ThawError *error) {
    ThawKept *kept = world->kept;
    if (!kept || !kept->active)
        return THAW_OK;
    ThawKeptBody *body = &kept->bodies[s->index];
    if (keep_story(kept, s) != THAW_OK)
        return thaw_error_memory(error, "what a step goes back to");
    if (body->taken == kept->number) // it fell asleep in this very step
        return THAW_OK;
    if (keep_place(body, s, error) != THAW_OK)
        return THAW_ERROR_MEMORY;
    body->taken = kept->number;
    body->awake = body->tired = body->fallen = 0;
    body->elastic = s->elastic;
    if (s->history)
        body->history = *s->history;
    return THAW_OK;
}

ThawStatus thaw_keep_tired(ThawWorld *world, const ThawStepper *s, ThawError *error) {
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
    body->tired = 1;
    return THAW_OK;
}

int thaw_keep_fall(const ThawWorld *world, const ThawStepper *s) {
    const ThawKept *kept = world->kept;
    if (!kept || !kept->active)
        return 0;
    ThawKeptBody *body = &kept->bodies[s->index];
    if (body->taken != kept->number || !body->tired)
        return 0;
    body->tired = 0;
    body->fallen = 1;
    body->gone = *s;
    return 1;
}

// --- the end -------------------------------------------------------------------------------------------------------------

void thaw_keep_end(ThawWorld *world) {
    ThawKept *kept = world->kept;
    world->stop.wanted = NULL;
    if (!kept || !kept->active)
        return;
    kept->active = 0;
    for (int32_t i = 0; i < world->model->body_count; i++) {
        ThawKeptBody *body = &kept->bodies[i];
        if (body->taken != kept->number || !body->fallen)
            continue;
        thaw_stepper_release(&body->gone);
        body->fallen = 0;
    }
}

static void restore_parts(const ThawKeptBody *body, ThawStepper *s) {
    Span spans[ORACLE + PARTS];
    const char *at[PARTS];
    const size_t dim = (size_t)s->model->dim;
    list_oracle(s, spans);
    const char *from = copy_back(body->parts, spans, ORACLE);
    const size_t sizes[PARTS] = {(size_t)s->shape->ne, (size_t)s->shape->nv,
                                 sizeof(ThawPart) * (size_t)body->part_count,
                                 sizeof *s->adaptive->partition->stress * (size_t)body->part_count,
                                 sizeof(double) * (size_t)body->vertex_count * dim};
    for (int i = 0; i < PARTS; from += room_of(sizes[i++]))
        at[i] = from;
    // There were so many parts before, so there is room; and they fitted.
    thaw_partition_restore(s->adaptive->partition, (const unsigned char *)at[0], (const unsigned char *)at[1],
                           (const ThawPart *)at[2], (const double *)at[3], body->part_count, (const double *)at[4],
                           body->vertex_count, NULL);
}

static void restore_body(const ThawWorld *world, ThawKeptBody *body, ThawStepper *s) {
    const ThawKept *kept = world->kept;
    const size_t bytes = sizeof(double) * (size_t)s->shape->nv * (size_t)s->model->dim;
    if (body->fallen) {
        thaw_stepper_release(s);
        *s = body->gone;
        memcpy(s->x, body->x, bytes);
        memcpy(s->v, body->v, bytes);
        body->fallen = 0;
    } else if (body->awake) {
        memcpy(s->x, s->start_x, bytes);
        memcpy(s->v, s->start_v, bytes);
    } else {
        thaw_stepper_release(s);
        memcpy(s->x, body->x, bytes);
        memset(s->v, 0, bytes);    // it slept
        s->work = (ThawLedger){0}; // as thaw_sleep_lay left it
        s->accounted = 0;
        memset(s->ms, 0, sizeof s->ms);
        s->newton_iterations = s->projected = 0;
        s->solver_iterations = 0;
    }
    if (body->awake)
        exchange(&s->start_x, &body->last_x);
    if (body->awake && s->adaptive) {
        if (s->scale.released != body->scale.released) {
            s->scale = body->scale;
            thaw_adapt_configure(world, s);
        }
        if (body->parts_of == kept->number)
            restore_parts(body, s);
        *thaw_oracle_state(s->adaptive->oracle) = body->oracle;
        thaw_adapt_renew(s);
    }
    if (s->history) {
        Span spans[STORY];
        list_story(s, spans);
        if (body->story_of == kept->number)
            copy_back(body->story, spans, STORY);
        *s->history = body->history;
    }
    thaw_stepper_drop_solvers(s); // which may be half made
    s->elastic = body->elastic;
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
    thaw_world_list_awake(world);
}
