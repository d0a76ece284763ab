// SPDX-License-Identifier: Apache-2.0
// Looking at the contacts of the last step from outside: points, forces, pressures, reactions, and which bodies began
// to touch.
//
// Contacts stay in the set until the next step finds new ones, and the memory that the step left has, entry by entry,
// their forces in world axes; the memory that it started from is kept to go back to, and tells what is new. Whatever
// else changes the state drops the contacts (thaw_world_refresh), so that the two always belong together. Everything is
// computed when it is asked for; a step pays nothing.
#include <math.h>
#include <string.h>

#include "contact/collider.h"
#include "step/step.h"

// The contacts of the last step, and those of bodies asleep, as one sorted list: a walk through both. There are none of
// the former unless a step was the last thing to happen, here or before the checkpoint that was loaded.
typedef struct Walk {
    const ThawContactSet *sets[2];
    int32_t next[2], memory[2];
    const ThawContact *contact;
    const ThawContactMemory *remembered;
} Walk;

static Walk walk_contacts(const ThawWorld *world) {
    return (Walk){.sets = {&world->state.contacts, &world->state.resting}};
}

static int walk_on(Walk *w) {
    int has[2];
    for (int i = 0; i < 2; i++)
        has[i] = w->next[i] < w->sets[i]->count && (i == 1 || w->sets[0]->count == w->sets[0]->memory_count);
    if (!has[0] && !has[1])
        return 0;
    int from = !has[0] || (has[1] && thaw_contact_key_compare(&w->sets[1]->contacts[w->next[1]].key,
                                                              &w->sets[0]->contacts[w->next[0]].key) < 0);
    w->contact = &w->sets[from]->contacts[w->next[from]++];
    while (thaw_contact_key_compare(&w->sets[from]->memory[w->memory[from]].key, &w->contact->key) < 0)
        w->memory[from]++;
    w->remembered = &w->sets[from]->memory[w->memory[from]];
    return 1;
}

// --- one point -------------------------------------------------------------------------------------------------------

static double normal_force(const ThawContact *c, const ThawContactMemory *m) {
    return fmax(0, thaw_v3_dot(c->frame[0], m->force));
}

static double friction_force(const ThawContact *c, const ThawContactMemory *m) {
    return hypot(thaw_v3_dot(c->frame[1], m->force), thaw_v3_dot(c->frame[2], m->force));
}

static int presses(const ThawContactMemory *m) { return m->force[0] != 0 || m->force[1] != 0 || m->force[2] != 0; }

// The mesh's own number of a vertex that a contact of the body has.
static int32_t user_vertex(const ThawWorld *world, int32_t body, int32_t vertex) {
    const ThawModelBody *b = &world->model->bodies[body];
    return b->shape->vertex_user[vertex - b->unit_vertex];
}

static void describe(const ThawWorld *world, const ThawContact *c, const ThawContactMemory *m, ThawContactPoint *p) {
    *p = (ThawContactPoint){.gap = c->gap,
                            .normal_force = normal_force(c, m),
                            .friction = friction_force(c, m),
                            .began = c->is_new && !world->state.asleep[c->key.body[0]]};
    p->sliding = p->normal_force > 0 && p->friction >= 0.999 * c->friction * p->normal_force;
    thaw_v3_copy(c->point, p->point);
    thaw_v3_copy(c->frame[0], p->normal);
    thaw_v3_copy(m->force, p->force);
    for (int s = 0; s < 2; s++) {
        p->body[s] = c->key.body[s];
        p->nodes[s] = c->nodes[s];
        for (int k = 0; k < c->nodes[s]; k++) {
            p->vertex[s][k] = user_vertex(world, p->body[s], c->vertex[s][k]);
            p->weight[s][k] = c->weight[s][k];
        }
    }
}

int32_t thaw_world_contact_count(const ThawWorld *world) {
    if (!world)
        return 0;
    const ThawContactSet *set = &world->state.contacts;
    return (set->count == set->memory_count ? set->count : 0) + world->state.resting.count;
}

ThawStatus thaw_world_get_contacts(const ThawWorld *world, ThawContactPoint *points) {
    if (!world || !points)
        return THAW_ERROR_INPUT;
    int32_t i = 0;
    for (Walk w = walk_contacts(world); walk_on(&w);)
        describe(world, w.contact, w.remembered, &points[i++]);
    return THAW_OK;
}

// --- events ----------------------------------------------------------------------------------------------------------

typedef struct Memory {
    const ThawContactMemory *entries;
    int32_t count;
} Memory;

static int32_t lower_bound(Memory memory, int32_t a, int32_t b) {
    const ThawContactKey first = {{a, b}, INT32_MIN, {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN}};
    int32_t lo = 0, hi = memory.count;
    while (lo < hi) {
        int32_t mid = lo + (hi - lo) / 2;
        if (thaw_contact_key_compare(&memory.entries[mid].key, &first) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

// Whether a contact with side 0 on a and side 1 on b carries anything.
static int side_presses(Memory memory, int32_t a, int32_t b) {
    for (int32_t i = lower_bound(memory, a, b);
         i < memory.count && memory.entries[i].key.body[0] == a && memory.entries[i].key.body[1] == b; i++)
        if (presses(&memory.entries[i]))
            return 1;
    return 0;
}

static int pair_presses(Memory memory, int32_t a, int32_t b) {
    return side_presses(memory, a, b) || (b >= 0 && side_presses(memory, b, a));
}

// Pairs that press in `in` and not in `out`, each once; written where there is room. How many.
static int32_t list_changes(Memory in, Memory out, int began, ThawContactEvent *events) {
    int32_t count = 0;
    for (int32_t i = 0; i < in.count; i++) {
        int32_t a = in.entries[i].key.body[0], b = in.entries[i].key.body[1];
        int first = i == 0 || in.entries[i - 1].key.body[0] != a || in.entries[i - 1].key.body[1] != b;
        if (!first || !side_presses(in, a, b) || (b >= 0 && b < a && side_presses(in, b, a)) || pair_presses(out, a, b))
            continue;
        if (events)
            events[count] = (ThawContactEvent){{b >= 0 && b < a ? b : a, b >= 0 && b < a ? a : b}, began};
        count++;
    }
    return count;
}

static int32_t list_events(const ThawWorld *world, ThawContactEvent *events) {
    const ThawContactSet *set = &world->state.contacts;
    if (set->count != set->memory_count)
        return 0;
    Memory now = {set->memory, set->memory_count}, before = {world->start_memory, world->start_memory_count};
    int32_t began = list_changes(now, before, 1, events);
    return began + list_changes(before, now, 0, events ? events + began : NULL);
}

int32_t thaw_world_event_count(const ThawWorld *world) { return world ? list_events(world, NULL) : 0; }

ThawStatus thaw_world_get_events(const ThawWorld *world, ThawContactEvent *events) {
    if (!world || !events)
        return THAW_ERROR_INPUT;
    list_events(world, events);
    return THAW_OK;
}

// --- forces ----------------------------------------------------------------------------------------------------------

ThawStatus thaw_world_get_contact_forces(const ThawWorld *world, int32_t body, double *f) {
    if (!world || !f || body < 0 || body >= world->model->body_count)
        return THAW_ERROR_INPUT;
    const ThawShape *shape = world->model->bodies[body].shape;
    const size_t dim = (size_t)world->model->dim;
    memset(f, 0, sizeof *f * dim * (size_t)shape->points);
    for (Walk w = walk_contacts(world); walk_on(&w);) {
        const ThawContact *c = w.contact;
        for (int s = 0; s < 2; s++)
            for (int k = 0; c->key.body[s] == body && k < c->nodes[s]; k++)
                for (size_t d = 0; d < dim; d++)
                    f[dim * (size_t)user_vertex(world, body, c->vertex[s][k]) + d] +=
                        (s ? -1 : 1) * c->weight[s][k] * w.remembered->force[d];
    }
    return THAW_OK;
}

// The area of the surface around a vertex as seen along a direction: a third (2D: half) of each face there, where it
// looks that way; m^2. A vertex on the edge of a block has faces that take no part in what it lies on.
static double vertex_area(const ThawWorld *world, int32_t body, int32_t vertex, const double n[3]) {
    const ThawModelBody *b = &world->model->bodies[body];
    const ThawContactShape *surface = world->collider->by_body[body];
    const int dim = world->model->dim;
    const double *X = world->state.x + (size_t)b->first_vertex * (size_t)dim;
    double seen = 0, whole = 0;
    int32_t lo = 0, hi = surface->nv - 1;
    while (lo < hi) {
        int32_t mid = lo + (hi - lo) / 2;
        if (surface->vertex[mid] < vertex)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (int32_t i = surface->around_start[lo]; i < surface->around_start[lo + 1]; i++) {
        const int32_t *face = surface->face + (size_t)surface->nodes * (size_t)surface->around[i];
        double x[3][3] = {{0}}, one[3], two[3] = {0, 0, -2 * b->shape->thickness}, area[3];
        for (int k = 0; k < surface->nodes; k++)
            memcpy(x[k], X + (size_t)surface->vertex[face[k]] * (size_t)dim, sizeof(double) * (size_t)dim);
        thaw_v3_sub(x[1], x[0], one);
        if (dim == 3)
            thaw_v3_sub(x[2], x[0], two);
        thaw_v3_cross(one, two, area);
        seen += fmax(0, thaw_v3_dot(area, n)) / (2 * dim);
        whole += thaw_v3_norm(area) / (2 * dim);
    }
    return seen > 0.01 * whole ? seen : whole;
}

ThawStatus thaw_world_get_contact_pressures(const ThawWorld *world, int32_t body, double *pressure, double *friction) {
    if (!world || body < 0 || body >= world->model->body_count)
        return THAW_ERROR_INPUT;
    const ThawModelBody *b = &world->model->bodies[body];
    if (pressure)
        memset(pressure, 0, sizeof *pressure * (size_t)b->shape->points);
    if (friction)
        memset(friction, 0, sizeof *friction * (size_t)b->shape->points);
    for (Walk w = walk_contacts(world); walk_on(&w);) {
        const ThawContact *c = w.contact;
        const ThawContactMemory *m = w.remembered;
        const double *n = c->frame[0], towards[2][3] = {{-n[0], -n[1], -n[2]}, {n[0], n[1], n[2]}};
        for (int side = 0; side < 2; side++)
            for (int k = 0; c->key.body[side] == body && presses(m) && k < c->nodes[side]; k++) {
                int32_t at = user_vertex(world, body, c->vertex[side][k]);
                if (c->weight[side][k] < 0) // the vertex behind a smooth surface has no area
                    continue;
                double share =
                    c->weight[side][k] / vertex_area(world, body, c->vertex[side][k] - b->unit_vertex, towards[side]);
                if (pressure)
                    pressure[at] += share * normal_force(c, m);
                if (friction)
                    friction[at] += share * friction_force(c, m);
            }
    }
    return THAW_OK;
}

// --- obstacles -------------------------------------------------------------------------------------------------------

int32_t thaw_world_obstacle_count(const ThawWorld *world) { return world ? world->model->obstacle_count : 0; }

const char *thaw_world_obstacle_name(const ThawWorld *world, int32_t obstacle) {
    return world && obstacle >= 0 && obstacle < world->model->obstacle_count ? world->model->obstacles[obstacle].name
                                                                             : NULL;
}

ThawStatus thaw_world_get_reaction(const ThawWorld *world, int32_t obstacle, double force[3]) {
    if (!world || !force || obstacle < 0 || obstacle >= world->model->obstacle_count)
        return THAW_ERROR_INPUT;
    memset(force, 0, 3 * sizeof *force);
    const ThawContactSet *sets[] = {&world->state.contacts, &world->state.resting};
    for (int s = sets[0]->count == sets[0]->memory_count ? 0 : 1; s < 2; s++)
        for (int32_t i = 0; i < sets[s]->memory_count; i++)
            if (sets[s]->memory[i].key.body[1] == -1 - obstacle)
                thaw_v3_add(force, 1, sets[s]->memory[i].force, force);
    return THAW_OK;
}
