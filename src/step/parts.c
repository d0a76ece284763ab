// SPDX-License-Identifier: Apache-2.0
// A step in parts for those that need them.
//
// Islands that are struck make the step in parts (blow.c), by the integrator of blows, and those in which something
// rolls over facets (facet.c) by the world's; the others make it in one. Bodies that make it alike are a *party*;
// parties take turns from the start of the step to its end, and while one does the others are put aside with all that
// is remembered of their contacts: neither searched nor solved, and for the bodies of the party not there.
//
// So nothing may be missed between parties. What may touch in the step is of one: whatever the search for the whole
// step found, or holds to each other; and what is as near to a body of a struck island as anything of it could go in
// twice the step, for it may fly anywhere. And where bodies have been is noted after each part, as boxes. If boxes of
// bodies of two parties meet (and one was made in parts: the others have seen each other), the world goes back to the
// start of the step, bit for bit (keep.c), and makes it with both in one party. Cost: a box a body, and where anything
// is struck a comparison of boxes for each pair of a body that is and one that is not.
#include <math.h>
#include <string.h>

#include "base/forest.h"
#include "contact/collider.h"
#include "math/vec3.h"
#include "step/attach.h"
#include "step/keep.h"

enum { GOES_BACK = 3 }; // times in a step; then all make it in as many parts

ThawStatus thaw_parts_create(ThawWorld *world, ThawError *error) {
    const size_t count = (size_t)world->model->body_count;
    world->parts = THAW_NEW(int32_t, count);
    world->together = THAW_NEW(int32_t, count);
    world->aside = THAW_NEW(unsigned char, count);
    world->span = THAW_NEW(double, 6 * count);
    world->waiting.asleep = world->state.asleep;
    return world->parts && world->together && world->aside && world->span ? THAW_OK
                                                                          : thaw_error_memory(error, "the state");
}

void thaw_parts_free(ThawWorld *world) {
    thaw_free(world->parts);
    thaw_free(world->together);
    thaw_free(world->aside);
    thaw_free(world->span);
    thaw_contact_set_clear(&world->waiting);
}

int thaw_parts_may_be(const ThawWorld *world) {
    const ThawWorldDef *options = &world->model->options;
    return world->collider && (options->substeps > 0 || world->model->rebounds) &&
           thaw_scheme(options->integrator)->blows >= 0;
}

void thaw_parts_begin(ThawWorld *world) {
    world->went_back = 0;
    for (int32_t i = 0; i < world->model->body_count; i++)
        world->together[i] = world->model->bodies[i].mover;
}

// --- which body makes it in how many ---------------------------------------------------------------------------------

static const ThawContactBody *body_of(const ThawWorld *world, int32_t body) {
    return &world->state.contacts.scratch->bodies[body];
}

// m, as far as anything of an island may go in the step that has been searched, by its root: in world->span.
static void find_reaches(ThawWorld *world, int32_t *root) {
    const ThawContactSet *set = &world->state.contacts;
    const double h = set->scratch->h;
    for (int32_t i = 0; i < world->model->body_count; i++)
        world->span[i] = 0;
    for (int32_t i = 0; i < world->model->body_count; i++) {
        const ThawContactBody *body = body_of(world, i);
        double *reach = &world->span[thaw_forest_root(root, i)];
        *reach = fmax(*reach, 2 * (thaw_v3_norm(body->mean) + body->spread));
    }
    for (int32_t i = 0; i < set->count; i++) {
        double *reach = &world->span[thaw_forest_root(root, set->contacts[i].key.body[0])];
        *reach = fmax(*reach, 2 * h * thaw_v3_norm(set->contacts[i].velocity));
    }
}

// Joins what is near to a struck island with it.
static void join_near(ThawWorld *world, int32_t *root, const int32_t *struck) {
    find_reaches(world, root);
    for (int32_t i = 0; i < world->model->body_count; i++) {
        if (struck[i] == 0 || world->state.asleep[i])
            continue;
        const double reach = world->span[thaw_forest_root(root, i)];
        double box[6];
        for (int k = 0; k < 6; k++)
            box[k] = body_of(world, i)->swept[k] + (k < 3 ? -reach : reach);
        for (int32_t j = 0; j < world->model->body_count; j++)
            if (j != i && !world->state.asleep[j] && thaw_box_overlap(box, body_of(world, j)->swept))
                thaw_forest_join(world->together, i, j);
    }
}

// parts of a root and of its members: the most that any of them needs.
static void spread_most(ThawWorld *world, int32_t *root) {
    for (int32_t i = 0; i < world->model->body_count; i++) {
        int32_t *most = &world->parts[thaw_forest_root(root, i)];
        *most = *most > world->parts[i] ? *most : world->parts[i];
    }
    for (int32_t i = 0; i < world->model->body_count; i++)
        world->parts[i] = world->parts[thaw_forest_root(root, i)];
}

int thaw_parts_plan(ThawWorld *world) {
    const ThawContactSet *set = &world->state.contacts;
    int32_t most = 0, *root = world->together;
    for (int32_t i = 0; i < world->model->body_count; i++)
        most = most > world->parts[i] ? most : world->parts[i];
    if (most == 0)
        return 0;
    for (int32_t c = 0; c < set->count; c++)
        if (set->contacts[c].key.body[1] >= 0)
            thaw_forest_join(root, set->contacts[c].key.body[0], set->contacts[c].key.body[1]);
    thaw_attach_join(world, root);
    for (int32_t i = 0; i < world->model->body_count && world->went_back >= GOES_BACK; i++)
        thaw_forest_join(root, 0, i);
    spread_most(world, root);
    join_near(world, root, world->parts);
    spread_most(world, root);
    for (int32_t i = 0; i < world->model->body_count; i++) {
        thaw_box_empty(world->span + 6 * (size_t)i);
        if (world->state.asleep[i])
            world->parts[i] = -1; // until it is woken by a party, and is of that
    }
    for (int32_t i = 0; i < world->awake_count; i++)
        thaw_parts_see(world, world->awake[i]);
    return most;
}

// --- turns -----------------------------------------------------------------------------------------------------------

ThawStatus thaw_parts_turn(ThawWorld *world, int32_t parts, int *any, ThawError *error) {
    *any = 0;
    for (int32_t i = 0; i < world->model->body_count; i++) {
        world->aside[i] = !world->state.asleep[i] && world->parts[i] != parts;
        *any |= !world->state.asleep[i] && !world->aside[i];
    }
    if (!*any)
        return THAW_OK;
    memcpy(world->marks, world->aside, (size_t)world->model->body_count);
    ThawStatus status = thaw_contacts_move(world, &world->state.contacts, &world->waiting, error);
    for (int32_t i = 0; i < world->model->body_count; i++)
        world->marks[i] = !world->aside[i];
    if (status == THAW_OK)
        status = thaw_contacts_move(world, &world->waiting, &world->state.contacts, error);
    if (status == THAW_OK)
        thaw_world_list_awake(world);
    return status;
}

void thaw_parts_see(ThawWorld *world, int32_t body) {
    const ThawStepper *s = &world->steppers[body];
    const size_t dim = (size_t)world->model->dim;
    for (int32_t b = body; b < body + s->body->moved; b++) {
        const size_t first = (size_t)world->model->bodies[b].unit_vertex;
        double *box = world->span + 6 * (size_t)b;
        for (size_t i = first; i < first + (size_t)world->model->bodies[b].shape->nv; i++) {
            double x[3] = {0};
            memcpy(x, s->x + i * dim, sizeof *x * dim);
            thaw_box_add(box, x);
        }
    }
}

void thaw_parts_seen(ThawWorld *world, int32_t parts) {
    for (int32_t i = 0; i < world->awake_count; i++) {
        const int32_t body = world->awake[i];
        for (int32_t b = body; b < body + world->steppers[body].body->moved; b++)
            if (world->parts[b] < 0) { // it has slept until now, and its box is empty
                world->parts[b] = parts;
                thaw_parts_see(world, body);
            }
        thaw_parts_see(world, body);
    }
}

ThawStatus thaw_parts_end(ThawWorld *world, ThawError *error) {
    memset(world->aside, 0, (size_t)world->model->body_count);
    memset(world->marks, 1, (size_t)world->model->body_count);
    thaw_world_list_awake(world);
    return thaw_contacts_move(world, &world->waiting, &world->state.contacts, error);
}

void thaw_parts_forget(ThawWorld *world) {
    memset(world->aside, 0, (size_t)world->model->body_count);
    world->waiting.count = world->waiting.memory_count = 0;
    thaw_world_list_awake(world);
}

// --- what met --------------------------------------------------------------------------------------------------------

// The box of where a body has been, with what sticks out of its vertices and what contact sees beyond.
static void outer_box(const ThawWorld *world, int32_t body, double box[6]) {
    const double h = world->model->options.h, *g = world->model->options.gravity;
    const double margin = body_of(world, body)->shape->margin + h * h * thaw_v3_norm(g);
    for (int k = 0; k < 6; k++)
        box[k] = world->span[6 * (size_t)body + (size_t)k] + (k < 3 ? -margin : margin);
}

int thaw_parts_met(ThawWorld *world) {
    int met = 0;
    if (!thaw_parts_may_be(world) || !world->state.contacts.scratch || world->went_back >= GOES_BACK)
        return 0;
    for (int32_t i = 0; i < world->model->body_count; i++) {
        double box[6], other[6];
        if (world->parts[i] <= 0 || world->state.asleep[i])
            continue;
        outer_box(world, i, box);
        for (int32_t j = 0; j < world->model->body_count; j++) {
            if (world->state.asleep[j] || world->parts[j] == world->parts[i] || (world->parts[j] > 0 && j > i))
                continue;
            outer_box(world, j, other);
            if (!thaw_box_overlap(box, other))
                continue;
            thaw_forest_join(world->together, i, j);
            met = 1;
        }
    }
    world->went_back += met;
    return met;
}
