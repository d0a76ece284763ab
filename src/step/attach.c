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
#include "math/vec3.h"
#include "step/method.h"

static const ThawAttachment *attachment(const ThawWorld *world, int32_t i) { return &world->model->attachments[i]; }

static const ThawAnchor *anchor(const ThawWorld *world, const ThawAttachment *a, int32_t i) {
    return &world->model->anchors[a->first + i];
}

// The same with its length at time t.
static ThawAnchor anchor_at(const ThawWorld *world, int32_t i, int32_t k, double t) {
    const ThawAttachment *a = attachment(world, i);
    ThawAnchor now = *anchor(world, a, k);
    now.length = thaw_anchor_length(a, &now, t);
    return now;
}

static size_t numbers(const ThawWorld *world) { return 3 * (size_t)world->model->anchor_count; }

ThawStatus thaw_attach_create(ThawWorld *world, ThawError *error) {
    ThawState *state = &world->state;
    state->released = THAW_NEW(unsigned char, world->model->attachment_count);
    state->pull = THAW_NEW(double, numbers(world));
    state->let_go = THAW_NEW(double, 2 * (size_t)world->model->attachment_count);
    world->start_released = THAW_NEW(unsigned char, world->model->attachment_count);
    world->start_pull = THAW_NEW(double, numbers(world));
    world->start_let_go = THAW_NEW(double, 2 * (size_t)world->model->attachment_count);
    world->expected = THAW_NEW(double, numbers(world));
    if (!state->released || !state->pull || !state->let_go || !world->start_released || !world->start_pull ||
        !world->start_let_go || !world->expected)
        return thaw_error_memory(error, "the attachments");
    for (int32_t i = 0; i < 2 * world->model->attachment_count; i++)
        state->let_go[i] = NAN;
    return THAW_OK;
}

void thaw_attach_free(ThawWorld *world) {
    thaw_free(world->state.released);
    thaw_free(world->state.pull);
    thaw_free(world->state.let_go);
    thaw_free(world->start_let_go);
    thaw_free(world->start_released);
    thaw_free(world->start_pull);
    thaw_free(world->expected);
}

// --- letting go ------------------------------------------------------------------------------------------------------

static ThawStatus wake(ThawWorld *world, const ThawAttachment *a, ThawError *error) {
    ThawStatus status = thaw_sleep_wake(world, a->body, error);
    return status == THAW_OK && a->other >= 0 ? thaw_sleep_wake(world, a->other, error) : status;
}

// The force on the region, N.
static void force_of(const ThawWorld *world, int32_t i, double force[3]) {
    const ThawAttachment *a = attachment(world, i);
    memset(force, 0, 3 * sizeof *force);
    for (int32_t k = 0; k < 3 * a->count; k++)
        force[k % 3] += world->state.pull[3 * (size_t)a->first + (size_t)k];
}

static double strength(const ThawWorld *world, int32_t i) {
    double f[3];
    force_of(world, i, f);
    return thaw_v3_norm(f);
}

// At time t. What was slow while it was held says nothing of what it does now.
static void let_go(ThawWorld *world, int32_t i, double t) {
    const ThawAttachment *a = attachment(world, i);
    world->state.let_go[2 * i] = t;
    world->state.let_go[2 * i + 1] = strength(world, i);
    world->state.released[i] = 1;
    memset(world->state.pull + 3 * (size_t)a->first, 0, sizeof(double) * 3 * (size_t)a->count);
    world->state.slow[world->model->bodies[a->body].mover] = 0;
    if (a->other >= 0)
        world->state.slow[world->model->bodies[a->other].mover] = 0;
}

ThawStatus thaw_attach_begin(ThawWorld *world, double t, double h, ThawError *error) {
    ThawState *state = &world->state;
    ThawStatus status = THAW_OK;
    memcpy(world->start_released, state->released, (size_t)world->model->attachment_count);
    memcpy(world->start_pull, state->pull, sizeof *state->pull * numbers(world));
    memcpy(world->start_let_go, state->let_go, sizeof *state->let_go * 2 * (size_t)world->model->attachment_count);
    for (int32_t i = 0; i < world->model->attachment_count && status == THAW_OK; i++) {
        const ThawAttachment *a = attachment(world, i);
        const int ends = !state->released[i] && world->middle >= a->release_time;
        if (!state->released[i] && (ends || thaw_attachment_moves(world->model, a, t, h)))
            status = wake(world, a, error);
        if (status == THAW_OK && ends)
            let_go(world, i, t);
    }
    return status;
}

void thaw_attach_end(ThawWorld *world) {
    for (int32_t i = 0; i < world->model->attachment_count; i++)
        if (!world->state.released[i] && strength(world, i) > attachment(world, i)->release_force)
            let_go(world, i, world->state.time);
}

void thaw_attach_undo(ThawWorld *world) {
    memcpy(world->state.released, world->start_released, (size_t)world->model->attachment_count);
    memcpy(world->state.pull, world->start_pull, sizeof *world->state.pull * numbers(world));
    memcpy(world->state.let_go, world->start_let_go,
           sizeof *world->state.let_go * 2 * (size_t)world->model->attachment_count);
}

void thaw_attach_follow(ThawWorld *world) {
    for (int32_t k = 0; k < world->model->anchor_count; k++)
        if (world->model->anchors[k].vertex < 0)
            memset(world->state.pull + 3 * (size_t)k, 0, 3 * sizeof(double));
}

// --- rows ------------------------------------------------------------------------------------------------------------

static int acts(const ThawWorld *world, int32_t i) {
    const int32_t body = attachment(world, i)->body;
    return !world->state.released[i] && !world->state.asleep[body] && !world->aside[body];
}

void thaw_attach_expect(ThawWorld *world, double h) {
    for (size_t k = 0; k < numbers(world); k++)
        world->expected[k] = world->state.pull[k] * h;
}

// Which of all anchors a row is of.
static size_t anchor_of(const ThawWorld *world, const ThawContact *row) {
    return (size_t)(attachment(world, row->key.feature[0])->first + row->key.feature[1]);
}

static ThawRowPass pass_of(const ThawWorld *world, int32_t i, ThawIncrement step) {
    ThawRowPass pass = {
        .model = world->model, .attachment = i, .t = step.t, .h = step.h, .x = world->state.x, .v = world->state.v};
    for (int k = 0; k < 2 && attachment(world, i)->other < 0; k++)
        thaw_attachment_place(world->model, attachment(world, i), step.t + k * step.h, &pass.place[k]);
    return pass;
}

// Rows of methods stand behind those of attachments.
static int32_t end_of_rows(const ThawContactSet *set) {
    int32_t end = set->count + set->attached;
    while (end > set->count && set->contacts[end - 1].key.kind != THAW_CONTACT_ATTACHMENT)
        end--;
    return end;
}

// The impulse of a row in world axes, N s.
static void impulse_of(const ThawContact *row, double impulse[3]) {
    for (int k = 0; k < 3; k++)
        impulse[k] =
            row->frame[0][k] * row->lambda[0] + row->frame[1][k] * row->lambda[1] + row->frame[2][k] * row->lambda[2];
}

static void expect_impulse(const ThawWorld *world, ThawContact *row) {
    const double *impulse = world->expected + 3 * anchor_of(world, row);
    for (int k = 0; k < 3; k++)
        row->lambda[k] = row->frame[k][0] * impulse[0] + row->frame[k][1] * impulse[1] + row->frame[k][2] * impulse[2];
}

static int32_t rows_of_method(const ThawWorld *world, int32_t awake, double h, ThawContact *rows) {
    const ThawStepper *s = &world->steppers[world->awake[awake]];
    return s->data && s->method->ops->rows ? s->method->ops->rows(s, h, rows) : 0;
}

ThawStatus thaw_attach_put_rows(ThawWorld *world, ThawIncrement step, ThawError *error) {
    ThawContactSet *set = &world->state.contacts;
    int32_t wanted = set->count;
    set->attached = 0;
    world->attached_at = step.t;
    for (int32_t i = 0; i < world->model->attachment_count; i++)
        wanted += acts(world, i) ? attachment(world, i)->count : 0;
    for (int32_t i = 0; i < world->awake_count; i++)
        wanted += rows_of_method(world, i, step.h, NULL);
    if (wanted > set->capacity) {
        ThawContact *contacts = thaw_regrow(set->contacts, (size_t)set->count, 2 * (size_t)wanted, sizeof *contacts);
        if (!contacts)
            return thaw_error_memory(error, "the attachments");
        set->contacts = contacts;
        set->capacity = 2 * wanted;
    }
    for (int32_t i = 0; i < world->model->attachment_count; i++) {
        const ThawAttachment *a = attachment(world, i);
        if (!acts(world, i))
            continue;
        const ThawRowPass pass = pass_of(world, i, step);
        for (int32_t e = 0; e < a->count; e++) {
            if (anchor(world, a, e)->vertex < 0)
                continue;
            ThawContact *row = &set->contacts[set->count + set->attached++];
            a->kind->row(&pass, e, row);
            expect_impulse(world, row);
        }
    }
    for (int32_t i = 0; i < world->awake_count && step.mass > 0; i++)
        set->attached += rows_of_method(world, i, step.h, set->contacts + set->count + set->attached);
    return THAW_OK;
}

ThawStatus thaw_attach_put_still_rows(ThawWorld *world, ThawIncrement step, ThawError *error) {
    ThawContactSet *set = &world->state.contacts;
    ThawStatus status = thaw_attach_put_rows(world, step, error);
    for (int32_t i = set->count; i < set->count + set->attached && status == THAW_OK; i++) {
        ThawContact *row = &set->contacts[i];
        row->damping = row->across[1] = 0;
        memset(row->velocity, 0, sizeof row->velocity);
        memset(row->ahead, 0, sizeof row->ahead);
    }
    return status;
}

void thaw_attach_rest(ThawWorld *world) {
    memcpy(world->state.pull, world->expected, sizeof *world->state.pull * numbers(world));
}

// By how much one side of a row was moved by the method of its body, as a change of the offset, m. 0: it was not.
static int moved_by(const ThawWorld *world, const ThawContact *row, int side, double e[3]) {
    const ThawStepper *s = row->nodes[side] > 0 ? thaw_world_mover(world, row->key.body[side]) : NULL;
    const size_t dim = (size_t)world->model->dim;
    memset(e, 0, 3 * sizeof *e);
    if (!s || !s->moved)
        return 0;
    for (int n = 0; n < row->nodes[side]; n++)
        for (size_t k = 0, at = (size_t)row->vertex[side][n] * dim; k < dim; k++, at++)
            e[k] += (side == 0 ? 1 : -1) * row->weight[side][n] * (s->x[at] - s->x1[at]);
    return 1;
}

// J, what the springs of a row did on a way by which its offset changed from g by e.
static double work_on(const ThawWorld *world, const ThawContact *row, const double g[3], const double e[3]) {
    const ThawElementOps *kind = attachment(world, row->key.feature[0])->kind;
    const ThawAnchor anchor = anchor_at(world, row->key.feature[0], row->key.feature[1], world->attached_at);
    return kind->row_energy(&anchor, g) - kind->row_energy(&anchor, (double[3]){g[0] + e[0], g[1] + e[1], g[2] + e[2]});
}

// The offset that a row was made for.
static void offset_of(const ThawWorld *world, const ThawContact *row, double g[3]) {
    const double along =
        row->gap + anchor_at(world, row->key.feature[0], row->key.feature[1], world->attached_at).length;
    for (int k = 0; k < 3; k++)
        g[k] = row->frame[0][k] * along + row->frame[1][k] * row->drift[0] + row->frame[2][k] * row->drift[1];
}

double thaw_attach_work_of_move(const ThawWorld *world, const ThawContact *row, int side) {
    double g[3], e[3];
    if (!moved_by(world, row, side, e))
        return 0;
    offset_of(world, row, g);
    return work_on(world, row, g, e);
}

void thaw_attach_see_moves(ThawWorld *world, ThawIncrement step) {
    const ThawContactSet *set = &world->state.contacts;
    for (int32_t i = set->count; i < end_of_rows(set); i++) {
        ThawContact *row = &set->contacts[i];
        double g[3], e[2][3];
        const int moved = moved_by(world, row, 0, e[0]) + moved_by(world, row, 1, e[1]);
        if (moved == 0)
            continue;
        if (moved == 2) { // each has booked its own way as if the other stood still
            offset_of(world, row, g);
            const double both =
                work_on(world, row, g, (double[3]){e[0][0] + e[1][0], e[0][1] + e[1][1], e[0][2] + e[1][2]});
            const double half = (both - work_on(world, row, g, e[0]) - work_on(world, row, g, e[1])) / 2;
            for (int side = 0; side < 2; side++) {
                thaw_world_mover(world, row->key.body[side])->work.contact_work += half;
                thaw_world_mover(world, row->key.body[side])->work.follow_work -= half;
            }
        }
        const ThawRowPass pass = pass_of(world, row->key.feature[0], step);
        attachment(world, row->key.feature[0])->kind->row(&pass, row->key.feature[1], row);
        expect_impulse(world, row);
    }
    for (int32_t i = 0; i < world->awake_count; i++)
        world->steppers[world->awake[i]].moved = 0;
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
            ThawStepper *s = row->nodes[side] > 0 ? thaw_world_mover(world, row->key.body[side]) : NULL;
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
    for (int32_t i = set->count; i < end_of_rows(set); i++)
        impulse_of(&set->contacts[i], world->expected + 3 * anchor_of(world, &set->contacts[i]));
}

// The ledger has the work of impulses on velocities. Where parts turn their vertices go elsewhere, and springs do what
// they do on that way: the difference is the integration's, as it is of weight.
static void book_turns(ThawWorld *world, const ThawContact *row, const double impulse[3], ThawIncrement step) {
    const size_t dim = (size_t)world->model->dim;
    for (int side = 0; side < 2; side++) {
        ThawStepper *s = row->nodes[side] > 0 ? thaw_world_mover(world, row->key.body[side]) : NULL;
        double more = 0;
        if (!s || !turns(s) || s->moving.acts) // its ledger has the way that its stages went
            continue;
        for (int n = 0; n < row->nodes[side]; n++)
            for (size_t k = 0, at = (size_t)row->vertex[side][n] * dim; k < dim && k < 3; k++, at++)
                more += (side == 0 ? 1 : -1) * row->weight[side][n] * impulse[k] *
                        ((s->x1[at] - s->x[at]) / step.h - s->v1[at]);
        s->work.contact_work += more;
        s->work.integration_loss += more;
    }
}

void thaw_attach_commit(ThawWorld *world, ThawIncrement step) {
    const ThawContactSet *set = &world->state.contacts;
    for (int32_t i = set->count; i < end_of_rows(set); i++) {
        const ThawContact *row = &set->contacts[i];
        double work = 0, impulse[3];
        if (world->islands[thaw_world_mover(world, row->key.body[0])->island].lost) // it makes the interval anew
            continue;
        impulse_of(row, impulse);
        for (int k = 0; k < 3; k++) {
            world->state.pull[3 * anchor_of(world, row) + (size_t)k] = impulse[k] / step.h;
            work += impulse[k] * row->velocity[k];
        }
        if (world->model->options.ledger)
            thaw_world_mover(world, row->key.body[0])->work.obstacle_work += work;
        book_turns(world, row, impulse, step);
    }
}

// --- what others ask -------------------------------------------------------------------------------------------------

void thaw_attach_join(const ThawWorld *world, int32_t *root) {
    for (int32_t i = 0; i < world->model->attachment_count; i++)
        if (!world->state.released[i] && attachment(world, i)->other >= 0)
            thaw_forest_join(root, attachment(world, i)->body, attachment(world, i)->other);
}

int thaw_attach_holds(const ThawWorld *world, int32_t body) {
    const ThawModelBody *bodies = world->model->bodies;
    for (int32_t i = 0; i < world->model->attachment_count; i++) {
        const ThawAttachment *a = attachment(world, i);
        if (!world->state.released[i] &&
            (bodies[a->body].mover == body || (a->other >= 0 && bodies[a->other].mover == body)))
            return 1;
    }
    return 0;
}

static double energy_of(const ThawWorld *world, int32_t i) {
    const ThawAttachment *a = attachment(world, i);
    const ThawRowPass pass = pass_of(world, i, (ThawIncrement){.t = world->state.time});
    double sum = 0, g[3];
    for (int32_t e = 0; e < a->count && !world->state.released[i]; e++) {
        if (anchor(world, a, e)->vertex < 0)
            continue;
        thaw_attachment_offset(&pass, e, g);
        const ThawAnchor now = anchor_at(world, i, e, world->state.time);
        sum += a->kind->row_energy(&now, g);
    }
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
    const ThawAttachment *a = attachment(world, i);
    *state = (ThawAttachmentState){.name = a->name,
                                   .body = a->body,
                                   .other_body = a->other >= 0 ? a->other : -1,
                                   .obstacle = a->other < 0 && a->other != THAW_ANCHOR_FRAME ? -1 - a->other : -1,
                                   .released = world->state.released[i],
                                   .released_time = world->state.let_go[2 * i],
                                   .released_force = world->state.let_go[2 * i + 1],
                                   .energy = energy_of(world, i)};
    for (int32_t k = 0; k < attachment(world, i)->count; k++) {
        const ThawAnchor *held = anchor(world, attachment(world, i), k);
        state->vertices += held->vertex >= 0;
        state->stiffness += held->vertex >= 0 ? held->stiffness : 0;
    }
    force_of(world, i, state->force);
    return THAW_OK;
}

ThawStatus thaw_world_get_attachment_lines(const ThawWorld *world, int32_t i, double *lines) {
    if (!world || !lines || i < 0 || i >= world->model->attachment_count)
        return THAW_ERROR_INPUT;
    const ThawAttachment *a = attachment(world, i);
    const ThawRowPass pass = pass_of(world, i, (ThawIncrement){.t = world->state.time});
    const size_t dim = (size_t)world->model->dim, first = (size_t)world->model->bodies[a->body].first_vertex;
    double *line = lines, g[3];
    for (int32_t e = 0; e < a->count; e++) {
        const int32_t vertex = anchor(world, a, e)->vertex;
        if (vertex < 0)
            continue;
        thaw_attachment_offset(&pass, e, g);
        for (size_t k = 0; k < 3; k++) {
            line[k] = k < dim ? world->state.x[(first + (size_t)vertex) * dim + k] : 0;
            line[3 + k] = line[k] - g[k];
        }
        line += 6;
    }
    return THAW_OK;
}

ThawStatus thaw_world_release_attachment(ThawWorld *world, int32_t i, ThawError *error) {
    if (!world || i < 0 || i >= world->model->attachment_count)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "thaw_world_release_attachment: attachment is %d; allowed: 0 to %d", (int)i,
                              world ? (int)world->model->attachment_count - 1 : -1);
    if (world->state.released[i])
        return THAW_OK;
    ThawStatus status = wake(world, attachment(world, i), error);
    if (status == THAW_OK)
        let_go(world, i, world->state.time);
    return status;
}
