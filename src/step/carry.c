// SPDX-License-Identifier: Apache-2.0
// The state of one world into another that was made of a changed definition: what both have, by ids. Indices move, but
// keep their order, so what is sorted stays sorted. What is new stands where it starts. Everything goes over that a
// checkpoint would store (output/save.c), so all that stays goes on with the same bits.
#include <string.h>

#include "model/hinges.h"
#include "step/attach.h"
#include "step/change.h"
#include "step/edit.h"
#include "step/method.h"

typedef struct Carry {
    ThawWorld *to;
    ThawWorld *from;
    int32_t *body;   // of the new world's bodies: which they were; -1: they are new
    int32_t *now[2]; // of the old world's bodies and obstacles: which they are now; -1: they are gone
    int anew;        // methods begin anew
} Carry;

static ThawStatus map_ids(Carry *c, ThawError *error) {
    const ThawDefinition *to = c->to->definition, *from = c->from->definition;
    static const ThawList lists[2] = {THAW_LIST_BODIES, THAW_LIST_OBSTACLES};
    c->body = THAW_NEW(int32_t, to->def.body_count);
    c->now[0] = THAW_NEW(int32_t, from->def.body_count);
    c->now[1] = THAW_NEW(int32_t, from->def.obstacle_count);
    if (!c->body || !c->now[0] || !c->now[1])
        return thaw_error_memory(error, "an edit");
    for (int32_t b = 0; b < to->def.body_count; b++)
        c->body[b] = thaw_definition_find(from, THAW_LIST_BODIES, to->lists[THAW_LIST_BODIES].entries[b].id);
    for (int k = 0; k < 2; k++)
        for (int32_t i = 0; i < from->lists[lists[k]].count; i++)
            c->now[k][i] = thaw_definition_find(to, lists[k], from->lists[lists[k]].entries[i].id);
    return THAW_OK;
}

// --- shapes that have changed, places, options -----------------------------------------------------------------------

static ThawStatus carry_changes(const Carry *c, ThawError *error) {
    const ThawState *from = &c->from->state;
    const int32_t bodies = c->to->model->body_count;
    if (from->change_count == 0 && !from->taken)
        return THAW_OK;
    ThawChange *list = THAW_NEW(ThawChange, from->change_count);
    int32_t *taken = THAW_NEW(int32_t, bodies), count = 0;
    ThawStatus status = list && taken ? THAW_OK : thaw_error_memory(error, "an edit");
    for (int32_t i = 0; i < from->change_count && status == THAW_OK; i++) {
        list[count] = from->changes[i];
        list[count].body = c->now[0][from->changes[i].body];
        count += list[count].body >= 0;
    }
    for (int32_t b = 0; b < bodies && status == THAW_OK; b++)
        taken[b] = c->body[b] >= 0 && from->taken ? from->taken[c->body[b]] : 0;
    if (status == THAW_OK)
        status = thaw_changes_restore(c->to, list, count, taken, error);
    thaw_free(list);
    thaw_free(taken);
    return status;
}

static void carry_places(const Carry *c) {
    const size_t dim = (size_t)c->to->model->dim;
    for (int32_t b = 0; b < c->to->model->body_count; b++) {
        if (c->body[b] < 0)
            continue;
        const ThawModelBody *to = &c->to->model->bodies[b], *from = &c->from->model->bodies[c->body[b]];
        const size_t bytes = sizeof(double) * dim * (size_t)to->shape->points;
        memcpy(c->to->state.x + dim * (size_t)to->first_vertex, c->from->state.x + dim * (size_t)from->first_vertex,
               bytes);
        memcpy(c->to->state.v + dim * (size_t)to->first_vertex, c->from->state.v + dim * (size_t)from->first_vertex,
               bytes);
        memcpy(c->to->state.push + dim * (size_t)to->first_vertex,
               c->from->state.push + dim * (size_t)from->first_vertex, bytes);
        const size_t hinges = (size_t)thaw_hinges_size(to->base);
        if (c->to->state.folds[b])
            memcpy(c->to->state.folds[b], c->from->state.folds[c->body[b]], sizeof(double) * hinges);
        if (c->to->state.turns[b])
            memcpy(c->to->state.turns[b], c->from->state.turns[c->body[b]], sizeof(int32_t) * hinges);
        thaw_folds_apply(c->to, b);
    }
}

static ThawStatus carry_options(const Carry *c, ThawError *error) {
    ThawState *to = &c->to->state;
    const ThawState *from = &c->from->state;
    for (int m = 0; m < thaw_method_count(); m++) {
        const size_t size = thaw_method_at(m)->options.size;
        if (thaw_method_at(m)->options.count == 0)
            continue;
        memcpy(to->options[m].common, from->options[m].common, size);
        for (int32_t b = 0; b < c->to->model->body_count; b++) {
            const void *own = c->body[b] >= 0 ? from->options[m].own[c->body[b]] : NULL;
            void *copy = own ? thaw_alloc(1, size) : NULL;
            if (own && !copy)
                return thaw_error_memory(error, "options");
            if (own)
                memcpy(copy, own, size);
            if (c->body[b] >= 0)
                thaw_state_give_own(to, m, b, copy);
        }
    }
    return THAW_OK;
}

// Motion from code; that of obstacles is there already.
static void carry_drives(const Carry *c) {
    const ThawModel *to = c->to->model, *from = c->from->model;
    for (int32_t b = 0; b < to->body_count; b++)
        for (int32_t k = 0; c->body[b] >= 0 && k < to->bodies[b].script_count; k++)
            thaw_model_drive_script(c->to->model, b, k, &from->bodies[c->body[b]].scripts[k].drive);
    for (int32_t i = 0; i < to->attachment_count; i++) {
        const int32_t before = thaw_definition_find(c->from->definition, THAW_LIST_ATTACHMENTS,
                                                    c->to->definition->lists[THAW_LIST_ATTACHMENTS].entries[i].id);
        if (before >= 0)
            to->attachments[i].frame.script.drive = from->attachments[before].frame.script.drive;
    }
}

// --- contacts and attachments ----------------------------------------------------------------------------------------

static int map_key(const Carry *c, ThawContactKey *key) {
    for (int side = 0; side < 2; side++) {
        const int32_t which = key->body[side], now = which >= 0 ? c->now[0][which] : c->now[1][-1 - which];
        if (now < 0)
            return 0;
        key->body[side] = which >= 0 ? now : -1 - now;
    }
    return 1;
}

// What is remembered, and (shown) the points of the last step.
static ThawStatus carry_contacts(const Carry *c, const ThawContactSet *from, ThawContactSet *to, int32_t *shown,
                                 ThawError *error) {
    to->memory = THAW_NEW(ThawContactMemory, from->memory_count);
    to->contacts = THAW_NEW(ThawContact, from->count);
    *shown = 0;
    if (!to->memory || !to->contacts)
        return thaw_error_memory(error, "the contacts");
    to->memory_capacity = from->memory_count;
    to->capacity = from->count;
    for (int32_t i = 0; i < from->memory_count; i++) {
        to->memory[to->memory_count] = from->memory[i];
        to->memory_count += map_key(c, &to->memory[to->memory_count].key);
    }
    for (int32_t i = 0; i < from->count; i++) {
        to->contacts[*shown] = from->contacts[i];
        *shown += map_key(c, &to->contacts[*shown].key);
    }
    return THAW_OK;
}

static void carry_attachments(const Carry *c) {
    const ThawDefinition *to = c->to->definition, *from = c->from->definition;
    for (int32_t i = 0; i < to->def.attachment_count; i++) {
        const int32_t before =
            thaw_definition_find(from, THAW_LIST_ATTACHMENTS, to->lists[THAW_LIST_ATTACHMENTS].entries[i].id);
        if (before < 0)
            continue;
        const ThawAttachment *a = &c->to->model->attachments[i], *was = &c->from->model->attachments[before];
        c->to->state.released[i] = c->from->state.released[before];
        memcpy(c->to->state.let_go + 2 * i, c->from->state.let_go + 2 * before, 2 * sizeof(double));
        memcpy(c->to->state.pull + 3 * (size_t)a->first, c->from->state.pull + 3 * (size_t)was->first,
               3 * sizeof(double) * (size_t)a->count);
    }
}

// --- bodies ----------------------------------------------------------------------------------------------------------

// Fields of one kind: numbers, or (sizes, or not) arrays.
static void copy_fields(const ThawStepper *from, const ThawStepper *to, unsigned mask, unsigned flags) {
    ThawStateField a[THAW_STATE_FIELDS], b[THAW_STATE_FIELDS];
    const int count = from->method->ops->list(from, a);
    to->method->ops->list(to, b);
    for (int i = 0; i < count; i++)
        for (int64_t row = 0; (a[i].flags & mask) == flags && row < a[i].rows; row++)
            memcpy(thaw_field_row(&b[i], row), thaw_field_row(&a[i], row), thaw_field_row_bytes(&a[i]));
}

// What the method knows of a body, as a checkpoint would give it back (output/save_method.c).
static ThawStatus carry_method(ThawWorld *world, const ThawStepper *from, ThawStepper *to, ThawError *error) {
    const ThawMethodOps *ops = to->method->ops;
    to->events = from->events;
    if (!ops->list)
        return THAW_OK;
    ThawStatus status = THAW_OK;
    copy_fields(from, to, THAW_STATE_NUMBER | THAW_STATE_SIZE, THAW_STATE_SIZE);
    if (to->data && ops->expect)
        status = ops->expect(world, to, error);
    if (status != THAW_OK)
        return status;
    copy_fields(from, to, THAW_STATE_NUMBER | THAW_STATE_SIZE, 0);
    copy_fields(from, to, THAW_STATE_NUMBER, THAW_STATE_NUMBER);
    return to->data && ops->take ? ops->take(world, to, error) : THAW_OK;
}

static ThawStatus carry_bodies(const Carry *c, ThawError *error) {
    ThawState *to = &c->to->state;
    const ThawState *from = &c->from->state;
    const ThawModel *model = c->to->model;
    unsigned char *asleep = THAW_NEW(unsigned char, model->body_count);
    if (!asleep)
        return thaw_error_memory(error, "an edit");
    for (int32_t b = 0; b < model->body_count; b++) {
        asleep[b] = c->body[b] >= 0 ? from->asleep[c->body[b]] : to->asleep[b];
        if (c->body[b] >= 0)
            to->method[b] = from->method[c->body[b]];
    }
    ThawStatus status = thaw_sleep_restore(c->to, asleep, error);
    thaw_free(asleep);
    if (status != THAW_OK)
        return status;
    thaw_world_refresh(c->to);
    for (int32_t b = 0; b < model->body_count && status == THAW_OK; b++) {
        if (c->body[b] < 0)
            continue;
        ThawStepper *s = &c->to->steppers[b];
        const ThawStepper *was = &c->from->steppers[c->body[b]];
        to->slow[b] = from->slow[c->body[b]];
        s->parts = was->parts;
        if (model->bodies[b].moved == 0)
            continue;
        const int same = model->bodies[b].base == c->from->model->bodies[c->body[b]].base || model->bodies[b].unit ||
                         model->bodies[b].base->hinges;
        if (same && !c->anew)
            s->elastic = was->elastic;
        if (!c->anew && same)
            status = carry_method(c->to, was, s, error);
    }
    return status;
}

// --- all of it -------------------------------------------------------------------------------------------------------

static double energy_of(const ThawWorld *world) {
    ThawLedger l;
    thaw_world_get_ledger(world, &l);
    return l.kinetic + l.shadow + l.elastic + l.gravitational;
}

// Events tell what began and ended since the step before.
static ThawStatus remember_start(ThawWorld *world, ThawError *error) {
    const ThawContactSet *set = &world->state.contacts;
    world->start_memory = THAW_NEW(ThawContactMemory, set->memory_count);
    if (!world->start_memory)
        return thaw_error_memory(error, "the contacts");
    if (set->memory_count > 0)
        memcpy(world->start_memory, set->memory, sizeof *set->memory * (size_t)set->memory_count);
    world->start_memory_count = world->start_memory_capacity = set->memory_count;
    return THAW_OK;
}

ThawStatus thaw_carry(ThawWorld *world, ThawWorld *before, const void *context, ThawError *error) {
    Carry c = {.to = world, .from = before, .anew = *(const int *)context};
    int32_t shown[2] = {0, 0};
    ThawStatus status = map_ids(&c, error);
    if (status == THAW_OK)
        status = carry_changes(&c, error);
    if (status == THAW_OK)
        status = carry_options(&c, error);
    if (status == THAW_OK) {
        carry_drives(&c);
        carry_places(&c);
        status = carry_contacts(&c, &before->state.contacts, &world->state.contacts, &shown[0], error);
    }
    if (status == THAW_OK)
        status = carry_contacts(&c, &before->state.resting, &world->state.resting, &shown[1], error);
    if (status == THAW_OK)
        status = carry_bodies(&c, error);
    if (status == THAW_OK)
        status = remember_start(world, error);
    if (status == THAW_OK) {
        carry_attachments(&c);
        world->state.contacts.count = shown[0];
        world->state.resting.count = shown[1];
        world->state.ledger = before->state.ledger;
        if (world->model->options.ledger) // what came, went or is another now was put in from outside
            world->state.ledger.external_work += energy_of(world) - energy_of(before);
    }
    thaw_free(c.body);
    thaw_free(c.now[0]);
    thaw_free(c.now[1]);
    return status;
}
