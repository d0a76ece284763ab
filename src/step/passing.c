// SPDX-License-Identifier: Apache-2.0
// Points of smooth surfaces that pass by. What rolls touches with one point after the other (contact/smooth.c): the one
// that is deepest at the end of a stage is none of the others'. With a point of another time the body would roll over a
// bump, and hop. So for each stage all rows that roll get the point of its end, from the same places and along the same
// velocities, and keep what they have found so far: impulses and drift are turned into the new frame. What comes to
// light beside them waits for the next step, and what is gone keeps its point. Cost: a search a stage of an integrator
// that has several, where anything smooth touches.
#include <string.h>

#include "contact/collider.h"
#include "math/vec3.h"
#include "step/step.h"

// From one frame to the other.
static void turn_frame(const double from[3][3], const double to[3][3], double a[3]) {
    double world[3] = {0};
    for (int k = 0; k < 3; k++)
        thaw_v3_add(world, a[k], from[k], world);
    for (int k = 0; k < 3; k++)
        a[k] = thaw_v3_dot(to[k], world);
}

static void take_point(ThawContact *row, const ThawContact *found) {
    double drift[3] = {0, row->drift[0], row->drift[1]};
    turn_frame(row->frame, found->frame, row->lambda);
    turn_frame(row->frame, found->frame, row->total);
    turn_frame(row->frame, found->frame, row->trend);
    turn_frame(row->frame, found->frame, drift);
    memcpy(row->drift, drift + 1, sizeof row->drift);
    memcpy(row->frame, found->frame, sizeof row->frame);
    memcpy(row->nodes, found->nodes, sizeof row->nodes);
    memcpy(row->vertex, found->vertex, sizeof row->vertex);
    memcpy(row->weight, found->weight, sizeof row->weight);
    thaw_v3_copy(found->point, row->point);
    thaw_v3_copy(found->velocity, row->velocity);
    row->gap = found->gap;
}

// The bodies of rows that roll; returns whether there are any.
static int mark_rolling(ThawWorld *world) {
    const ThawContactSet *set = &world->state.contacts;
    int any = 0;
    memset(world->astray, 0, (size_t)world->model->body_count);
    for (int32_t i = 0; i < set->count; i++)
        if (set->contacts[i].rolls)
            any = world->astray[set->contacts[i].key.body[0]] = 1;
    return any;
}

ThawStatus thaw_step_find_points(ThawWorld *world, ThawIncrement step, double at, ThawError *error) {
    ThawContactSet *set = &world->state.contacts, *found = &world->missed;
    const size_t dim = (size_t)world->model->dim;
    if (set->centre == at || !mark_rolling(world))
        return THAW_OK;
    memcpy(world->end_v, world->state.v, sizeof *world->end_v * (size_t)world->model->vertex_count * dim);
    for (int32_t i = 0; i < world->awake_count; i++) { // as at first
        const ThawStepper *s = &world->steppers[world->awake[i]];
        memcpy(world->end_v + (size_t)s->body->first_vertex * dim, s->moving.lead,
               sizeof *world->end_v * (size_t)s->shape->nv * dim);
    }
    found->asleep = set->asleep;
    found->released = set->released;
    found->only = world->astray;
    found->centre = set->centre = at;
    found->memory = set->memory; // memory and scratch are lent
    found->memory_count = set->memory_count;
    found->scratch = set->scratch;
    const ThawStatus status =
        thaw_contacts_find(world->collider, world->tasks, step.t, step.h, world->state.x, world->end_v, found, error);
    set->scratch = found->scratch;
    found->memory = NULL;
    found->memory_count = 0;
    found->scratch = NULL;
    for (int32_t i = 0, k = 0; status == THAW_OK && i < set->count; i++) {
        ThawContact *row = &set->contacts[i];
        while (k < found->count && thaw_contact_key_compare(&found->contacts[k].key, &row->key) < 0)
            k++;
        if (row->rolls && k < found->count && thaw_contact_key_compare(&found->contacts[k].key, &row->key) == 0)
            take_point(row, &found->contacts[k]);
    }
    return status;
}
