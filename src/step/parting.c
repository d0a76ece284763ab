// SPDX-License-Identifier: Apache-2.0
// Bodies that stand in each other, though no motion has pressed them there: a bad start, a vertex that is found behind
// another face. Springs of that depth would be energy out of nothing (a hard one of a tenth of an edge holds a hundred
// times what the elements behind it store at full strain), so contacts know what they were pressed to, and do nothing
// about the rest (response.c). The rest of the way bodies are shifted, each as it is:
// their places change, and neither speeds nor shapes, so that the energy stays what it was but for that of their
// heights, which is `parting_work`.
//
// The shifts d are those of least sum m |d|^2 with which every free overlap is undone by PUSH h at most, and no gap
// that is known is closed: projected Gauss-Seidel over the contacts in their order, a fixed number of sweeps. Bodies
// that are scripted or asleep stay; overlaps of a body, or a unit, with itself are left to the contacts. Overlaps that
// contradict each other (a body between two walls) stay. Cost: a few operations a contact, and nothing more where
// nothing overlaps.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/collider.h"
#include "model/joint.h"
#include "step/attach.h"
#include "step/method.h"

static const double LEFT = 1e-6;     // edges: half of the overlap that counts as none (row.c)
static const double ROUNDING = 1e-9; // of the diameter: shifts that are none
static const double LITTLE = 0.1;    // of the way
enum { SWEEPS = 30 };

// How far the sides are to part: > 0 for an overlap, <= 0 for how much nearer they may come.
static double way_to_go(const ThawWorld *world, const ThawContact *c, double h) {
    double gap = thaw_step_gap_at_end(world, c, h) + c->sink, free = -gap - c->holds;
    if (c->shifted && free > LEFT * c->length)
        return fmin(free - LEFT * c->length, THAW_RESPONSE_PUSH * h);
    return -fmax(0, gap);
}

// 1/kg; 0: stays.
static double ease_of(const ThawWorld *world, int32_t body) {
    if (body < 0 || world->state.asleep[body])
        return 0;
    const ThawStepper *s = &world->steppers[body];
    if (s->body->skeleton && s->body->skeleton->anchored)
        return 0;
    for (int32_t i = 0; i < s->shape->nv; i++)
        if (s->scripted[i])
            return 0;
    return thaw_attach_holds(world, body)
               ? 0
               : 1 / s->shape->total_mass; // a shift would stretch its springs without any work
}

// The index of the stepper that moves a side of a contact; < 0: an obstacle's.
static int32_t mover_of(const ThawWorld *world, const ThawContact *c, int side) {
    return c->key.body[side] < 0 ? -1 : world->model->bodies[c->key.body[side]].mover;
}

// Whether it is one of a body, or of a unit, with itself.
static int is_inner(const ThawWorld *world, const ThawContact *c) {
    return mover_of(world, c, 0) == mover_of(world, c, 1);
}

// How far the shifts found so far part the sides, m.
static double parted_by(const ThawWorld *world, const ThawContact *c) {
    double moved = 0;
    for (int side = 0; side < 2; side++)
        if (c->key.body[side] >= 0)
            moved += (side ? -1 : 1) * thaw_v3_dot(c->frame[0], world->shift[mover_of(world, c, side)].way);
    return moved;
}

static void push_apart(ThawWorld *world, ThawContact *c, double way) {
    double ease[2];
    for (int side = 0; side < 2; side++)
        ease[side] = c->key.body[side] < 0 ? 0 : world->shift[mover_of(world, c, side)].ease;
    if (ease[0] + ease[1] == 0)
        return;
    double before = c->parting, impulse = fmax(0, before + (way - parted_by(world, c)) / (ease[0] + ease[1]));
    c->parting = impulse;
    for (int side = 0; side < 2; side++)
        if (ease[side] > 0) {
            double *moved = world->shift[mover_of(world, c, side)].way;
            thaw_v3_add(moved, (side ? -1 : 1) * ease[side] * (impulse - before), c->frame[0], moved);
        }
}

static int compare_pairs(const int32_t a[2], const int32_t b[2]) {
    return a[0] != b[0] ? (a[0] < b[0] ? -1 : 1) : (a[1] > b[1]) - (a[1] < b[1]);
}

// The first contact of a pair, or of what comes after it.
static int32_t first_of(const ThawContactSet *set, const int32_t pair[2]) {
    int32_t lo = 0, hi = set->count;
    while (lo < hi) {
        int32_t mid = lo + (hi - lo) / 2;
        if (compare_pairs(set->contacts[mid].key.body, pair) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static int is_tangled(const ThawContactSet *set, const int32_t pair[2]) {
    int overlap = 0;
    for (int32_t i = first_of(set, pair);
         i < set->count && !overlap && compare_pairs(set->contacts[i].key.body, pair) == 0; i++)
        overlap = set->contacts[i].overlap > 0;
    return overlap;
}

static void mark_pair(const ThawWorld *world, ThawContact *c) {
    const int32_t body[2] = {mover_of(world, c, 0), mover_of(world, c, 1)};
    if (!c->overlap && -(c->gap + c->sink) - c->held > 2 * LEFT * c->length)
        c->overlap = -1; // found inside, where others are deep; becomes 1 once all have been looked at
    if (c->overlap && body[0] != body[1])
        c->shifted = world->shift[body[0]].ease > 0 || (body[1] >= 0 && world->shift[body[1]].ease > 0);
}

// Where two bodies are deep in each other at one point, all their contacts inside are overlaps, also those that are
// found little by little as the bodies go through each other.
void thaw_parting_mark(ThawWorld *world) {
    ThawContactSet *set = &world->state.contacts;
    int any = 0;
    for (int32_t i = 0; i < set->count; i++) {
        set->contacts[i].shifted = 0;
        any |= set->contacts[i].overlap;
    }
    if (!any)
        return;
    for (int32_t b = 0; b < world->model->body_count; b++)
        if (world->model->bodies[b].moved > 0)
            world->shift[b] = (ThawShift){.ease = ease_of(world, b)};
    for (int32_t i = 0, tangled = 0; i < set->count; i++) {
        const int32_t *body = set->contacts[i].key.body, back[2] = {body[1], body[0]};
        if (i == 0 || compare_pairs(body, set->contacts[i - 1].key.body) != 0)
            tangled = is_tangled(set, body) || (back[0] >= 0 && is_tangled(set, back));
        if (tangled)
            mark_pair(world, &set->contacts[i]);
    }
    for (int32_t i = 0; i < set->count; i++)
        set->contacts[i].overlap = abs(set->contacts[i].overlap);
}

// A body that would be shifted into something else by more than a little stays.
static void stop_contradictions(ThawWorld *world) {
    ThawContactSet *set = &world->state.contacts;
    for (int32_t i = 0; i < set->count; i++) {
        const ThawContact *c = &set->contacts[i];
        if (c->shifted || is_inner(world, c))
            continue;
        double farthest = 0;
        for (int side = 0; side < 2; side++)
            if (c->key.body[side] >= 0)
                farthest = fmax(farthest, thaw_v3_norm(world->shift[mover_of(world, c, side)].way));
        for (int side = 0; side < 2 && parted_by(world, c) < c->way - LITTLE * farthest; side++)
            if (c->key.body[side] >= 0)
                memset(world->shift[mover_of(world, c, side)].way, 0, sizeof world->shift->way);
    }
}

int thaw_parting_find(ThawWorld *world, ThawIncrement step) {
    ThawContactSet *set = &world->state.contacts;
    int overlap = 0;
    for (int32_t i = 0; i < set->count && !overlap; i++)
        overlap = set->contacts[i].shifted;
    if (!overlap)
        return 0;
    for (int32_t i = 0; i < set->count; i++) {
        set->contacts[i].parting = 0;
        set->contacts[i].way = way_to_go(world, &set->contacts[i], step.h);
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int32_t k = 0; k < set->count; k++) {
            ThawContact *c = &set->contacts[sweep % 2 ? set->count - 1 - k : k];
            if (!is_inner(world, c))
                push_apart(world, c, c->way);
        }
    stop_contradictions(world);
    return 1;
}

void thaw_parting_apply(ThawWorld *world) {
    for (int32_t i = 0; i < world->awake_count; i++) {
        ThawStepper *s = &world->steppers[world->awake[i]];
        const double *way = world->shift[s->index].way;
        const size_t dim = (size_t)s->model->dim;
        if (thaw_v3_norm(way) <= ROUNDING * s->shape->diameter) // contradictions leave that much for ever
            continue;
        s->parted = 1;
        for (int32_t v = 0; v < s->shape->nv; v++)
            for (size_t k = 0; k < dim; k++)
                s->x[(size_t)v * dim + k] += way[k];
        if (s->data && s->method->ops->shift)
            s->method->ops->shift(s, way);
        for (size_t k = 0; k < dim; k++)
            s->work.parting_work -= s->shape->total_mass * s->model->options.gravity[k] * way[k];
    }
}
