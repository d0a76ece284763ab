// SPDX-License-Identifier: Apache-2.0
// Attachments in the step.
//
// Two bodies that are held to each other are one island, and each vertex that is held is a two-sided row of the
// island's response (response.h): the springs are solved with the contacts, through A^-1 of each body, whatever map it
// has. Rows stand behind the contacts of the state's set while a step is solved, so that only islands see them. Of the
// state there are the forces of the last step, from which the next starts and by which methods judge, and what has
// let go.
#include "step/attach.h"

#include <math.h>
#include <string.h>

#include "base/forest.h"

static const ThawAttachment *attachment(const ThawWorld *world, int32_t i) { return &world->model->attachments[i]; }

static size_t numbers(const ThawWorld *world) { return 3 * (size_t)world->model->anchor_count; }

ThawStatus thaw_attach_create(ThawWorld *world, ThawError *error) {
    ThawState *state = &world->state;
    state->released = THAW_NEW(unsigned char, world->model->attachment_count);
    state->pull = THAW_NEW(double, numbers(world));
    world->start_released = THAW_NEW(unsigned char, world->model->attachment_count);
    world->start_pull = THAW_NEW(double, numbers(world));
    world->expected = THAW_NEW(double, numbers(world));
    return state->released && state->pull && world->start_released && world->start_pull && world->expected
               ? THAW_OK
               : thaw_error_memory(error, "the attachments");
}

void thaw_attach_free(ThawWorld *world) {
    thaw_free(world->state.released);
    thaw_free(world->state.pull);
    thaw_free(world->start_released);
    thaw_free(world->start_pull);
    thaw_free(world->expected);
}

// --- letting go ------------------------------------------------------------------------------------------------------

static ThawStatus wake(ThawWorld *world, const ThawAttachment *a, ThawError *error) {
    ThawStatus status = thaw_sleep_wake(world, a->body, error);
    return status == THAW_OK && a->other >= 0 ? thaw_sleep_wake(world, a->other, error) : status;
}

// What was slow while it was held says nothing of what it does now.
static void let_go(ThawWorld *world, int32_t i) {
    const ThawAttachment *a = attachment(world, i);
    world->state.released[i] = 1;
    memset(world->state.pull + 3 * (size_t)a->first, 0, sizeof(double) * 3 * (size_t)a->count);
    world->state.slow[a->body] = 0;
    if (a->other >= 0)
        world->state.slow[a->other] = 0;
}

// The force on the region, N.
static void force_of(const ThawWorld *world, int32_t i, double force[3]) {
    const ThawAttachment *a = attachment(world, i);
    memset(force, 0, 3 * sizeof *force);
    for (int32_t k = 0; k < 3 * a->count; k++)
        force[k % 3] += world->state.pull[3 * (size_t)a->first + (size_t)k];
}

ThawStatus thaw_attach_begin(ThawWorld *world, double t, double h, ThawError *error) {
    ThawState *state = &world->state;
    ThawStatus status = THAW_OK;
    memcpy(world->start_released, state->released, (size_t)world->model->attachment_count);
    memcpy(world->start_pull, state->pull, sizeof *state->pull * numbers(world));
    for (int32_t i = 0; i < world->model->attachment_count && status == THAW_OK; i++) {
        const ThawAttachment *a = attachment(world, i);
        const int ends = !state->released[i] && world->middle >= a->release_time;
        if (!state->released[i] && (ends || thaw_attachment_moves(world->model, a, t, h)))
            status = wake(world, a, error);
        if (status == THAW_OK && ends)
            let_go(world, i);
    }
    return status;
}

void thaw_attach_end(ThawWorld *world) {
    for (int32_t i = 0; i < world->model->attachment_count; i++) {
        double f[3];
        force_of(world, i, f);
        if (!world->state.released[i] &&
            sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]) > attachment(world, i)->release_force)
            let_go(world, i);
    }
}

void thaw_attach_undo(ThawWorld *world) {
    memcpy(world->state.released, world->start_released, (size_t)world->model->attachment_count);
    memcpy(world->state.pull, world->start_pull, sizeof *world->state.pull * numbers(world));
}

// --- rows ------------------------------------------------------------------------------------------------------------

static int acts(const ThawWorld *world, int32_t i) {
    return !world->state.released[i] && !world->state.asleep[attachment(world, i)->body];
}

void thaw_attach_expect(ThawWorld *world, double h) {
    for (size_t k = 0; k < numbers(world); k++)
        world->expected[k] = world->state.pull[k] * h;
}

ThawStatus thaw_attach_put_rows(ThawWorld *world, ThawIncrement step, ThawError *error) {
    ThawContactSet *set = &world->state.contacts;
    int32_t wanted = set->count;
    set->attached = 0;
    for (int32_t i = 0; i < world->model->attachment_count; i++)
        wanted += acts(world, i) ? attachment(world, i)->count : 0;
    if (wanted > set->capacity) {
        ThawContact *contacts = thaw_regrow(set->contacts, (size_t)set->count, 2 * (size_t)wanted, sizeof *contacts);
        if (!contacts)
            return thaw_error_memory(error, "the attachments");
        set->contacts = contacts;
        set->capacity = 2 * wanted;
    }
    for (int32_t i = 0; i < world->model->attachment_count; i++) {
        const ThawAttachment *a = attachment(world, i);
        ThawRowPass pass = {.model = world->model, .attachment = i, .h = step.h, .x = world->state.x};
        if (!acts(world, i))
            continue;
        for (int k = 0; k < 2 && a->other < 0; k++)
            thaw_attachment_place(world->model, a, step.t + k * step.h, &pass.place[k]);
        for (int32_t e = 0; e < a->count; e++) {
            ThawContact *row = &set->contacts[set->count + set->attached++];
            a->kind->row(&pass, e, row);
            memcpy(row->lambda, world->expected + 3 * (size_t)(a->first + e), sizeof row->lambda);
        }
    }
    return THAW_OK;
}

// Which of all anchors a row is of.
static size_t anchor_of(const ThawWorld *world, const ThawContact *row) {
    return (size_t)(attachment(world, row->key.feature[0])->first + row->key.feature[1]);
}

// Whether frames carry vertices of it as they turn, which then do not go where their velocities lead.
static int turns(const ThawStepper *s) { return s->system->map->frame_count > 0 && s->system->map->n > 0; }

void thaw_attach_see_turns(ThawWorld *world, ThawIncrement step) {
    const ThawContactSet *set = &world->state.contacts;
    const size_t dim = (size_t)world->model->dim;
    int32_t done = -1; // rows of one body come together
    for (int32_t i = set->count; i < set->count + set->attached; i++)
        for (int side = 0; side < 2; side++) {
            ThawContact *row = &set->contacts[i];
            ThawStepper *s = row->nodes[side] > 0 ? &world->steppers[row->key.body[side]] : NULL;
            if (!s || !turns(s))
                continue;
            if (s->index != done) {
                memset(s->u, 0, sizeof *s->u * (size_t)s->shape->nv * dim);
                s->system->map->ops->chord(s->system->map, step.h, s->u);
            }
            done = s->index;
            for (int n = 0; n < row->nodes[side]; n++)
                for (size_t k = 0; k < dim; k++)
                    row->ahead[k] +=
                        (side == 0 ? 1 : -1) * row->weight[side][n] * s->u[(size_t)row->vertex[side][n] * dim + k];
        }
}

void thaw_attach_take_rows(ThawWorld *world) {
    const ThawContactSet *set = &world->state.contacts;
    for (int32_t i = set->count; i < set->count + set->attached; i++)
        memcpy(world->expected + 3 * anchor_of(world, &set->contacts[i]), set->contacts[i].lambda,
               sizeof set->contacts[i].lambda);
}

void thaw_attach_commit(ThawWorld *world, ThawIncrement step) {
    const ThawContactSet *set = &world->state.contacts;
    for (int32_t i = set->count; i < set->count + set->attached; i++) {
        const ThawContact *row = &set->contacts[i];
        double work = 0;
        for (int k = 0; k < 3; k++) {
            world->state.pull[3 * anchor_of(world, row) + (size_t)k] = row->lambda[k] / step.h;
            work += row->lambda[k] * row->velocity[k];
        }
        if (world->model->options.ledger)
            world->steppers[row->key.body[0]].work.obstacle_work += work;
    }
}

// --- what others ask -------------------------------------------------------------------------------------------------

void thaw_attach_join(const ThawWorld *world, int32_t *root) {
    for (int32_t i = 0; i < world->model->attachment_count; i++)
        if (!world->state.released[i] && attachment(world, i)->other >= 0)
            thaw_forest_join(root, attachment(world, i)->body, attachment(world, i)->other);
}

int thaw_attach_holds(const ThawWorld *world, int32_t body) {
    for (int32_t i = 0; i < world->model->attachment_count; i++)
        if (!world->state.released[i] && (attachment(world, i)->body == body || attachment(world, i)->other == body))
            return 1;
    return 0;
}

static double energy_of(const ThawWorld *world, int32_t i) {
    const ThawAttachment *a = attachment(world, i);
    ThawRowPass pass = {.model = world->model, .attachment = i, .x = world->state.x};
    double sum = 0;
    if (a->other < 0)
        thaw_attachment_place(world->model, a, world->state.time, &pass.place[0]);
    for (int32_t e = 0; e < a->count && !world->state.released[i]; e++)
        sum += a->kind->row_energy(&pass, e);
    return sum;
}

double thaw_attach_energy(const ThawWorld *world) {
    double sum = 0;
    for (int32_t i = 0; i < world->model->attachment_count; i++)
        sum += energy_of(world, i);
    return sum;
}

int32_t thaw_world_attachment_count(const ThawWorld *world) { return world ? world->model->attachment_count : 0; }

ThawStatus thaw_world_get_attachment(const ThawWorld *world, int32_t i, ThawAttachmentState *state) {
    if (!world || !state || i < 0 || i >= world->model->attachment_count)
        return THAW_ERROR_INPUT;
    *state = (ThawAttachmentState){.name = attachment(world, i)->name,
                                   .released = world->state.released[i],
                                   .vertices = attachment(world, i)->count,
                                   .energy = energy_of(world, i)};
    for (int32_t k = 0; k < state->vertices; k++)
        state->stiffness += world->model->anchors[attachment(world, i)->first + k].stiffness;
    force_of(world, i, state->force);
    return THAW_OK;
}

ThawStatus thaw_world_release_attachment(ThawWorld *world, int32_t i, ThawError *error) {
    if (!world || i < 0 || i >= world->model->attachment_count)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "thaw_world_release_attachment: attachment is %d; allowed: 0 to %d", (int)i,
                              world ? (int)world->model->attachment_count - 1 : -1);
    ThawStatus status = wake(world, attachment(world, i), error);
    if (status == THAW_OK)
        let_go(world, i);
    return status;
}
