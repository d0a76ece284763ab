// SPDX-License-Identifier: Apache-2.0
// thaw_world_validate: whether what the stages take for granted of each other holds. State first, then what is derived
// from it, then what methods and maps have of each body; a message begins with the one of these that is broken. One
// pass over vertices, elements and contacts, without any allocation.
#include "step/validate.h"

#include <math.h>

#include "model/attachment.h"
#include "step/method.h"

#define BROKEN(...) thaw_error_set(error, THAW_ERROR_INPUT, __VA_ARGS__)

// --- state -----------------------------------------------------------------------------------------------------------

static ThawStatus check_vector(const ThawWorld *world, const char *name, const double *a, ThawError *error) {
    const ThawModel *model = world->model;
    for (int32_t b = 0; b < model->body_count; b++) {
        const size_t dim = (size_t)model->dim, first = (size_t)model->bodies[b].first_vertex * dim;
        for (size_t i = 0; i < (size_t)model->bodies[b].shape->nv * dim; i++)
            if (!thaw_is_sound(a[first + i]))
                return BROKEN("state: %s of vertex %d of body %d (%s) is %g; allowed: -1e150 to 1e150", name,
                              (int)(i / dim), (int)b, model->bodies[b].name, a[first + i]);
    }
    return THAW_OK;
}

static ThawStatus check_ledger(const ThawLedger *l, ThawError *error) {
    const double works[] = {l->external_work,   l->damping_loss, l->integration_loss, l->contact_work,
                            l->transition_loss, l->follow_work,  l->parting_work,     l->obstacle_work};
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        if (!thaw_is_sound(works[i]))
            return BROKEN("state: work %d of the ledger is %g; allowed: -1e150 to 1e150", (int)i, works[i]);
    return THAW_OK;
}

static ThawStatus check_flags(const ThawWorld *world, int32_t body, ThawError *error) {
    const ThawState *state = &world->state;
    const char *name = world->model->bodies[body].name;
    if (state->method[body] >= thaw_method_count())
        return BROKEN("state: the method of body %d (%s) is %d; allowed: 0 to %d", (int)body, name, state->method[body],
                      thaw_method_count() - 1);
    if (state->asleep[body] != state->asleep[world->model->bodies[body].mover] ||
        state->method[body] != state->method[world->model->bodies[body].mover])
        return BROKEN("state: body %d (%s) is asleep or moved otherwise than the first of its unit", (int)body, name);
    if (state->asleep[body] > 1)
        return BROKEN("state: asleep of body %d (%s) is %d; allowed: 0 or 1", (int)body, name, state->asleep[body]);
    if (state->asleep[body] && !thaw_method_at(state->method[body])->sleeps)
        return BROKEN("state: body %d (%s) is asleep, which its method %s does not allow", (int)body, name,
                      thaw_method_at(state->method[body])->name);
    return THAW_OK;
}

static ThawStatus check_options(const ThawWorld *world, ThawError *error) {
    const ThawStateOptions *options = world->state.options;
    ThawStatus status = THAW_OK;
    for (int m = 0; m < thaw_method_count() && status == THAW_OK; m++) {
        const ThawOptionTable *table = &thaw_method_at(m)->options;
        if (table->count > 0 && options[m].common)
            status = thaw_options_check(table, "state: options of the world: ", options[m].common, error);
        for (int32_t b = 0; options[m].own && b < world->model->body_count && status == THAW_OK; b++)
            if (options[m].own[b])
                status = thaw_options_check(table, "state: options of a body: ", options[m].own[b], error);
    }
    return status;
}

static ThawStatus check_state(const ThawWorld *world, ThawError *error) {
    const ThawState *state = &world->state;
    const double h = world->model->options.h;
    if (state->step < 0 || state->time != thaw_model_time(world->model, (double)state->step))
        return BROKEN("state: the time is %g s after %lld steps of %g s", state->time, (long long)state->step, h);
    ThawStatus status = check_vector(world, "x", state->x, error);
    if (status == THAW_OK)
        status = check_vector(world, "v", state->v, error);
    if (status == THAW_OK)
        status = check_vector(world, "push", state->push, error);
    if (status == THAW_OK)
        status = check_ledger(&state->ledger, error);
    for (int32_t b = 0; b < world->model->body_count && status == THAW_OK; b++)
        status = check_flags(world, b, error);
    return status == THAW_OK ? check_options(world, error) : status;
}

// --- contacts and attachments ----------------------------------------------------------------------------------------

static int numbers_are_sound(const ThawContactMemory *m) {
    int sound = thaw_is_sound(m->depth) && (m->overlap == 0 || m->overlap == 1) && thaw_is_sound(m->energy);
    for (int k = 0; k < 3; k++)
        sound = sound && thaw_is_sound(m->force[k]) && thaw_is_sound(m->trend[k]) && thaw_is_sound(m->anchor[k]);
    return sound;
}

// asleep: of bodies that the set is of.
static ThawStatus check_contacts(const ThawWorld *world, const char *where, const ThawContactSet *set, int asleep,
                                 ThawError *error) {
    ThawStatus status = thaw_contacts_check_memory(world, world->model->body_count, where, set, error);
    if (status == THAW_OK)
        status = thaw_contacts_check_points(world, where, set, error);
    for (int32_t i = 0; i < set->memory_count && status == THAW_OK; i++) {
        const ThawContactMemory *m = &set->memory[i];
        if (!numbers_are_sound(m))
            status = BROKEN("%s: what is remembered of contact %d is no number to go on from", where, (int)i);
        for (int side = 0; side < 2 && status == THAW_OK; side++)
            if (m->key.body[side] >= 0 && world->state.asleep[m->key.body[side]] != asleep)
                status = BROKEN("%s: contact %d is of body %d, which is %s", where, (int)i, (int)m->key.body[side],
                                asleep ? "awake" : "asleep");
    }
    return status;
}

static ThawStatus check_attachments(const ThawWorld *world, ThawError *error) {
    const ThawState *state = &world->state;
    for (int32_t i = 0; i < world->model->attachment_count; i++) {
        const ThawAttachment *a = &world->model->attachments[i];
        if (state->released[i] > 1)
            return BROKEN("attachments: released of %d (%s) is %d; allowed: 0 or 1", (int)i, a->name,
                          state->released[i]);
        for (int32_t k = 3 * a->first; k < 3 * (a->first + a->count); k++)
            if (!thaw_is_sound(state->pull[k]) || (state->released[i] && state->pull[k] != 0))
                return BROKEN("attachments: a force of %d (%s), which %s, is %g N", (int)i, a->name,
                              state->released[i] ? "has let go" : "holds", state->pull[k]);
        if (!state->released[i] && a->other >= 0 && state->asleep[a->body] != state->asleep[a->other])
            return BROKEN("attachments: %d (%s) joins a body awake and one asleep", (int)i, a->name);
    }
    return THAW_OK;
}

// --- steppers --------------------------------------------------------------------------------------------------------

// The list of bodies awake, by the flags.
static ThawStatus check_awake(const ThawWorld *world, ThawError *error) {
    int32_t count = 0;
    for (int32_t b = 0; b < world->model->body_count; b++)
        if (!world->state.asleep[b] && world->model->bodies[b].moved > 0 &&
            (count >= world->awake_count || world->awake[count++] != b))
            return BROKEN("sleep: body %d is awake and not in the list of those awake", (int)b);
    return count == world->awake_count ? THAW_OK
                                       : BROKEN("sleep: %d bodies are listed as awake; by their flags %d are",
                                                (int)world->awake_count, (int)count);
}

static ThawStatus check_stepper(const ThawWorld *world, int32_t body, ThawError *error) {
    const ThawState *state = &world->state;
    const ThawStepper *s = &world->steppers[body];
    const size_t dim = (size_t)world->model->dim, first = (size_t)s->body->first_vertex * dim;
    if (s->index != body || s->method != thaw_method_at(state->method[body]))
        return BROKEN("stepper of body %d (%s): it moves body %d by the method %s, the state's is %s", (int)body,
                      s->body->name, (int)s->index, s->method->name, thaw_method_at(state->method[body])->name);
    if (s->x != state->x + first || s->v != state->v + first || s->push != state->push + first)
        return BROKEN("stepper of body %d (%s): its vectors are not the state's", (int)body, s->body->name);
    if (state->asleep[body] && (s->data || s->system || s->solver))
        return BROKEN("stepper of body %d (%s): it is asleep and has what only a body awake needs", (int)body,
                      s->body->name);
    for (size_t i = 0; state->asleep[body] && i < dim * (size_t)s->shape->nv; i++)
        if (s->v[i] != 0)
            return BROKEN("stepper of body %d (%s): it is asleep and moves at %g m/s", (int)body, s->body->name,
                          s->v[i]);
    if (!state->asleep[body] && s->method->ops->create && !s->data)
        return BROKEN("stepper of body %d (%s): it is awake and its method %s has nothing of it", (int)body,
                      s->body->name, s->method->name);
    if (s->linearised && s->linearised != s->plain && s->linearised != s->direct)
        return BROKEN("stepper of body %d (%s): the factor that is kept is of none of its solvers", (int)body,
                      s->body->name);
    for (size_t i = 0; s->impulse && !s->impulse_acts && i < dim * (size_t)s->shape->nv; i++)
        if (s->impulse[i] != 0)
            return BROKEN("stepper of body %d (%s): impulses are not cleared", (int)body, s->body->name);
    return THAW_OK;
}

static ThawStatus check_system(const ThawStepper *s, ThawError *error) {
    const ThawMap *map = s->system->map;
    if (map->shape != s->shape || s->system->shape != s->shape)
        return BROKEN("map of body %d (%s): it is of another shape", (int)s->index, s->body->name);
    if (!map->set || map->n < 0 || (map->frame_count > 0) != (map->frame_of != NULL))
        return BROKEN("map of body %d (%s): %d unknowns, %d frames, %s", (int)s->index, s->body->name, (int)map->n,
                      (int)map->frame_count, map->set ? "an integration set" : "no integration set");
    for (int32_t i = 0; map->frame_of && i < s->shape->nv; i++)
        if (map->frame_of[i] < -1 || map->frame_of[i] >= map->frame_count)
            return BROKEN("map of body %d (%s): frame %d carries vertex %d; there are %d", (int)s->index, s->body->name,
                          (int)map->frame_of[i], (int)i, (int)map->frame_count);
    return THAW_OK;
}

static ThawStatus check_method(const ThawWorld *world, const ThawStepper *s, ThawError *error) {
    const ThawMethodOps *ops = s->method->ops;
    ThawStateField fields[THAW_STATE_FIELDS];
    const int count = ops->list ? ops->list(s, fields) : 0;
    ThawStatus status = THAW_OK;
    for (int i = 0; i < count && status == THAW_OK; i++)
        status = thaw_field_check(s, &fields[i], error);
    return status == THAW_OK && ops->validate ? ops->validate(world, s, error) : status;
}

ThawStatus thaw_world_validate(const ThawWorld *world, ThawError *error) {
    if (!world)
        return BROKEN("thaw_world_validate: world is NULL");
    ThawStatus status = check_state(world, error);
    if (status == THAW_OK)
        status = check_awake(world, error);
    if (status == THAW_OK)
        status = check_contacts(world, "contacts", &world->state.contacts, 0, error);
    if (status == THAW_OK)
        status = check_contacts(world, "contacts at rest", &world->state.resting, 1, error);
    if (status == THAW_OK)
        status = check_attachments(world, error);
    if (status == THAW_OK)
        status = thaw_folds_validate(world, error);
    for (int32_t b = 0; b < world->model->body_count && status == THAW_OK; b++) {
        if (world->model->bodies[b].moved == 0)
            continue;
        status = check_stepper(world, b, error);
        if (status == THAW_OK)
            status = check_method(world, &world->steppers[b], error);
        if (status == THAW_OK && world->steppers[b].system)
            status = check_system(&world->steppers[b], error);
    }
    return status;
}
