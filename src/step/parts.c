// SPDX-License-Identifier: Apache-2.0
// A step in parts for those that need them.
//
// Islands that are struck make the step in parts (blow.c), by the integrator of blows, and those in which something
// rolls over facets (facet.c) by the world's; the others make it in one. And where the interval leaves an island more
// energy than can be taken off (balance.c), it makes it in halves. Bodies that make the step alike are a *party*;
// parties take turns from the start of the step to its end, and while one does the others are put aside with all that
// is remembered of their contacts: neither searched nor solved, and for the bodies of the party not there. What halves
// an interval leaves its party, for as long as that: the others end the interval, and are aside while it makes its own.
//
// So nothing may be missed between parties. What may touch in the step is of one: whatever the search for the whole
// step found, or holds to each other; and what is as near to a body of a struck or lost island as anything of it could
// go in twice the step, for it may fly anywhere. And where bodies have been is noted after each interval, as boxes. If
// boxes of bodies of two parties meet (and one was made in parts: the others have seen each other), the world goes back
// to the start of the step, bit for bit (keep.c), and makes it with both in one party. Cost: a box a body, and where
// anything is in parts a comparison of boxes for each pair of a body that is and one that is not.
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
    world->pace = THAW_NEW(ThawPace, count);
    world->party = THAW_NEW(int32_t, count);
    world->together = THAW_NEW(int32_t, count);
    world->aside = THAW_NEW(unsigned char, count);
    world->span = THAW_NEW(double, 6 * count);
    world->waiting.asleep = world->state.asleep;
    return world->pace && world->party && world->together && world->aside && world->span
               ? THAW_OK
               : thaw_error_memory(error, "the state");
}

void thaw_parts_free(ThawWorld *world) {
    thaw_free(world->pace);
    thaw_free(world->party);
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

int thaw_parts_may_cut(const ThawWorld *world) {
    return world->model->options.halvings > 0 && thaw_scheme(world->model->options.integrator)->follows &&
           world->model->body_count > 1;
}

void thaw_parts_begin(ThawWorld *world) {
    world->went_back = 0;
    for (int32_t i = 0; i < world->model->body_count; i++)
        world->together[i] = world->model->bodies[i].mover;
}

void thaw_parts_begin_try(ThawWorld *world) {
    world->parties = 1;
    world->turn = world->depth = world->spans = 0;
    for (int32_t i = 0; i < world->model->body_count; i++)
        world->party[i] = world->state.asleep[i] ? -1 : 0;
}

// --- where bodies have been ------------------------------------------------------------------------------------------

static void see(ThawWorld *world, int32_t body, const double *all) {
    const ThawStepper *s = &world->steppers[body];
    const size_t dim = (size_t)world->model->dim;
    for (int32_t b = body; b < body + s->body->moved; b++) {
        const size_t first = (size_t)world->model->bodies[b].unit_vertex;
        double *box = world->span + 6 * (size_t)b;
        for (size_t i = first; i < first + (size_t)world->model->bodies[b].shape->nv; i++) {
            double x[3] = {0};
            memcpy(x, all + i * dim, sizeof *x * dim);
            thaw_box_add(box, x);
        }
    }
}

// Of all that are awake, since the step began.
static void begin_spans(ThawWorld *world) {
    for (int32_t i = 0; i < world->model->body_count; i++)
        thaw_box_empty(world->span + 6 * (size_t)i);
    for (int32_t i = 0; i < world->awake_count; i++) {
        see(world, world->awake[i], world->steppers[world->awake[i]].start_x);
        see(world, world->awake[i], world->steppers[world->awake[i]].x);
    }
    world->spans = 1;
}

// Bodies that have slept until now are of the party that has woken them.
static void name_woken(ThawWorld *world) {
    for (int32_t i = 0; i < world->awake_count; i++) {
        const int32_t body = world->awake[i];
        for (int32_t b = body; b < body + world->steppers[body].body->moved; b++)
            if (world->party[b] < 0)
                world->party[b] = world->turn;
    }
}

void thaw_parts_seen(ThawWorld *world) {
    if (!world->spans)
        return;
    name_woken(world);
    for (int32_t i = 0; i < world->awake_count; i++)
        see(world, world->awake[i], world->steppers[world->awake[i]].x);
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

static int is_there(const ThawWorld *world, int32_t body) { return !world->state.asleep[body] && !world->aside[body]; }

// Joins what is near to marked bodies with them.
static void join_near(ThawWorld *world, int32_t *root) {
    find_reaches(world, root);
    for (int32_t i = 0; i < world->model->body_count; i++) {
        if (!world->marks[i])
            continue;
        const double reach = world->span[thaw_forest_root(root, i)];
        double box[6];
        for (int k = 0; k < 6; k++)
            box[k] = body_of(world, i)->swept[k] + (k < 3 ? -reach : reach);
        for (int32_t j = 0; j < world->model->body_count; j++)
            if (j != i && is_there(world, j) && thaw_box_overlap(box, body_of(world, j)->swept))
                thaw_forest_join(root, i, j);
    }
}

static int is_plain(ThawPace pace) { return pace.parts == 1 && !pace.blow && !pace.rebounds; }

static int is_like(ThawPace a, ThawPace b) {
    return a.parts == b.parts && a.blow == b.blow && a.rebounds == b.rebounds;
}

// The pace of a root and of its members: that of the most demanding.
static void spread_pace(ThawWorld *world, int32_t *root) {
    for (int32_t i = 0; i < world->model->body_count; i++) {
        ThawPace *all = &world->pace[thaw_forest_root(root, i)];
        all->parts = all->parts > world->pace[i].parts ? all->parts : world->pace[i].parts;
        all->blow |= world->pace[i].blow;
        all->rebounds |= world->pace[i].rebounds;
    }
    for (int32_t i = 0; i < world->model->body_count; i++)
        world->pace[i] = world->pace[thaw_forest_root(root, i)];
}

// Bodies of one pace are a party; that of the plain one comes first, the others in the order of their first bodies.
static void name_parties(ThawWorld *world) {
    for (int32_t i = 0; i < world->model->body_count; i++) {
        world->party[i] = world->state.asleep[i] ? -1 : is_plain(world->pace[i]) ? 0 : world->parties;
        for (int32_t k = 0; k < i && world->party[i] > 0; k++)
            if (world->party[k] > 0 && is_like(world->pace[k], world->pace[i])) {
                world->party[i] = world->party[k];
                break;
            }
        world->parties += world->party[i] == world->parties;
    }
}

int thaw_parts_plan(ThawWorld *world) {
    const ThawContactSet *set = &world->state.contacts;
    int32_t *root = world->together;
    int any = 0;
    for (int32_t i = 0; i < world->model->body_count; i++)
        any |= !is_plain(world->pace[i]);
    if (!any)
        return 0;
    for (int32_t c = 0; c < set->count; c++)
        if (set->contacts[c].key.body[1] >= 0)
            thaw_forest_join(root, set->contacts[c].key.body[0], set->contacts[c].key.body[1]);
    thaw_attach_join(world, root);
    for (int32_t i = 0; i < world->model->body_count && world->went_back >= GOES_BACK; i++)
        thaw_forest_join(root, 0, i);
    spread_pace(world, root);
    for (int32_t i = 0; i < world->model->body_count; i++)
        world->marks[i] = !is_plain(world->pace[i]) && !world->state.asleep[i];
    join_near(world, root);
    spread_pace(world, root);
    name_parties(world);
    begin_spans(world);
    return 1;
}

// --- turns -----------------------------------------------------------------------------------------------------------

// Marked bodies go aside at the depth at hand, with their contacts.
static ThawStatus put_aside(ThawWorld *world, ThawError *error) {
    ThawStatus status = thaw_contacts_move(world, &world->state.contacts, &world->waiting, error);
    for (int32_t i = 0; i < world->model->body_count && status == THAW_OK; i++)
        if (world->marks[i])
            world->aside[i] = (unsigned char)world->depth;
    return status;
}

// Those of that depth come back.
static ThawStatus fetch(ThawWorld *world, ThawError *error) {
    for (int32_t i = 0; i < world->model->body_count; i++)
        world->marks[i] = world->aside[i] == world->depth;
    for (int32_t i = 0; i < world->model->body_count; i++)
        if (world->marks[i])
            world->aside[i] = 0;
    return thaw_contacts_move(world, &world->waiting, &world->state.contacts, error);
}

ThawStatus thaw_parts_turn(ThawWorld *world, int32_t party, int *any, ThawError *error) {
    *any = 0;
    for (int32_t i = 0; i < world->model->body_count; i++)
        *any |= !world->state.asleep[i] && world->party[i] == party;
    if (!*any)
        return THAW_OK;
    world->depth = 1;
    ThawStatus status = fetch(world, error);
    for (int32_t i = 0; i < world->model->body_count; i++)
        world->marks[i] = !world->state.asleep[i] && world->party[i] != party;
    if (status == THAW_OK)
        status = put_aside(world, error);
    world->turn = party;
    thaw_world_list_awake(world);
    return status;
}

int thaw_parts_spread_loss(ThawWorld *world) {
    int32_t *root = world->together;
    int left = 0;
    memset(world->marks, 0, (size_t)world->model->body_count);
    for (int32_t k = 0; k < world->island_count; k++)
        for (int32_t b = 0; b < world->islands[k].count; b++) {
            const ThawStepper *s = world->islands[k].bodies[b];
            thaw_forest_join(root, world->islands[k].bodies[0]->index, s->index);
            memset(world->marks + s->index, world->islands[k].lost, (size_t)s->body->moved);
        }
    for (int32_t i = 1; i < world->awake_count && world->went_back >= GOES_BACK; i++)
        thaw_forest_join(root, world->awake[0], world->awake[i]);
    if (world->state.contacts.scratch)
        join_near(world, root);
    for (int32_t i = 0; i < world->awake_count; i++)
        if (world->marks[world->awake[i]])
            world->marks[thaw_forest_root(root, world->awake[i])] = 1;
    for (int32_t k = 0; k < world->island_count; k++) {
        ThawIsland *island = &world->islands[k];
        island->lost = world->marks[thaw_forest_root(root, island->bodies[0]->index)];
        left |= !island->lost;
    }
    return left;
}

ThawStatus thaw_parts_split(ThawWorld *world, int32_t *party, ThawError *error) {
    if (!world->spans)
        begin_spans(world);
    name_woken(world);
    *party = world->parties++;
    memset(world->marks, 0, (size_t)world->model->body_count);
    for (int32_t k = 0; k < world->island_count; k++)
        for (int32_t b = 0; b < world->islands[k].count && world->islands[k].lost; b++) {
            const ThawStepper *s = world->islands[k].bodies[b];
            memset(world->marks + s->index, 1, (size_t)s->body->moved);
        }
    for (int32_t i = 0; i < world->model->body_count; i++)
        if (world->marks[i])
            world->party[i] = *party;
    world->depth++;
    ThawContactSet *set = &world->state.contacts;
    const ThawContact *rows = set->contacts + set->count; // of attachments, which stay behind the others
    ThawStatus status = put_aside(world, error);
    if (set->attached > 0)
        memmove(set->contacts + set->count, rows, sizeof *rows * (size_t)set->attached);
    thaw_world_list_awake(world);
    return status;
}

ThawStatus thaw_parts_change(ThawWorld *world, int32_t party, ThawError *error) {
    ThawStatus status = fetch(world, error);
    for (int32_t i = 0; i < world->model->body_count; i++)
        world->marks[i] = is_there(world, i) && world->party[i] != party;
    if (status == THAW_OK)
        status = put_aside(world, error);
    world->turn = party;
    thaw_world_list_awake(world);
    return status;
}

ThawStatus thaw_parts_join(ThawWorld *world, int32_t turn, ThawError *error) {
    ThawStatus status = fetch(world, error);
    world->depth--;
    world->turn = turn;
    thaw_world_list_awake(world);
    return status;
}

ThawStatus thaw_parts_end(ThawWorld *world, ThawError *error) {
    world->depth = 1;
    ThawStatus status = fetch(world, error);
    world->depth = 0;
    thaw_world_list_awake(world);
    return status;
}

void thaw_parts_forget(ThawWorld *world) {
    memset(world->aside, 0, (size_t)world->model->body_count);
    world->waiting.count = world->waiting.memory_count = 0;
    world->depth = world->turn = world->spans = 0;
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
    if (!world->spans || !world->state.contacts.scratch || world->went_back >= GOES_BACK)
        return 0;
    for (int32_t i = 0; i < world->model->body_count; i++) {
        double box[6], other[6];
        if (world->party[i] <= 0 || world->state.asleep[i])
            continue;
        outer_box(world, i, box);
        for (int32_t j = 0; j < world->model->body_count; j++) {
            if (world->state.asleep[j] || world->party[j] == world->party[i] || (world->party[j] > 0 && j > i))
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
