// SPDX-License-Identifier: Apache-2.0
// Contacts that a step ran into and that the search before it had not found.
//
// The search before a step looks along the velocities at its start. Within the step a vertex may go elsewhere, and
// through a wall: after an impact; when a soft body is let go; when two bodies fall together with a gap between them,
// and the lower one is stopped. So where any surface vertex ended farther from where it was expected than ASTRAY edges,
// the search is repeated along the velocities that the step ended with, from the same positions; of what it finds,
// contacts are added that would be penetrated by more than that and whose vertex (or pair of edges) had no row. Islands
// with such contacts are then solved again, and so on: a stack that lands is stopped one body after the other. Cost: a
// comparison a surface vertex; in violent steps a search, and where it finds something another solve.
#include <math.h>
#include <string.h>

#include "contact/collider.h"
#include "step/method.h"
#include "step/step.h"

static const double ASTRAY = 0.005; // edge lengths

// All between going straight on and falling freely is expected: the search allows for gravity that acts on one side and
// not on the other.
static int went_astray(const ThawWorld *world, const ThawStepper *s, int32_t body, double h) {
    const ThawContactShape *surface = world->collider->by_body[body];
    const int32_t first = s->model->bodies[body].unit_vertex;
    const double *g = s->model->options.gravity, gg = h * h * thaw_v3_dot(g, g);
    const int dim = s->model->dim;
    for (int32_t i = 0; i < surface->nv; i++) {
        const size_t at = (size_t)(first + surface->vertex[i]) * (size_t)dim;
        const double *v = s->v + at, *v1 = s->v1 + at;
        double along = 0, square = 0;
        for (int k = 0; k < dim; k++) {
            const size_t l = at + (size_t)k;
            const double more = s->moving.acts ? (s->x1[l] - s->x[l]) / h - s->moving.lead[l] : v1[k] - v[k];
            along += more * h * g[k];
            square += more * more;
        }
        if (h * sqrt(square) <= ASTRAY * surface->length[i]) // what gravity allows for makes it less
            continue;
        const double share = along <= 0 ? 0 : along >= gg ? 1 : along / gg;
        square += share * (share * gg - 2 * along);
        if (h * sqrt(fmax(0, square)) > ASTRAY * surface->length[i])
            return 1;
    }
    return 0;
}

// Contacts of one vertex with one body count as the same, whatever the face.
static int compare(const ThawContact *a, const ThawContact *b) {
    ThawContactKey p = a->key, q = b->key;
    if (p.kind != THAW_CONTACT_EDGE_EDGE && q.kind != THAW_CONTACT_EDGE_EDGE)
        p.feature[1] = q.feature[1] = 0;
    return thaw_contact_key_compare(&p, &q);
}

// The mean length of the edges at the first vertex of side 0.
static double edge_length(const ThawWorld *world, const ThawContact *c) {
    const ThawContactShape *surface = world->collider->by_body[c->key.body[0]];
    const int32_t vertex = c->vertex[0][0] - world->model->bodies[c->key.body[0]].unit_vertex;
    int32_t lo = 0, hi = surface->nv - 1;
    while (lo < hi) {
        int32_t mid = lo + (hi - lo) / 2;
        if (surface->vertex[mid] < vertex)
            lo = mid + 1;
        else
            hi = mid;
    }
    return surface->length[lo];
}

// m/s, of a coordinate, over the whole of the step.
static double chord_of(const ThawStepper *s, size_t at, double h) {
    return s->moving.acts ? (s->x1[at] - s->x[at]) / h : s->v1[at];
}

double thaw_step_gap_at_end(const ThawWorld *world, const ThawContact *c, double h) {
    double u = -thaw_v3_dot(c->frame[0], c->velocity);
    for (int side = 0; side < 2; side++)
        for (int n = 0; n < c->nodes[side]; n++) {
            const ThawStepper *s = thaw_world_mover(world, c->key.body[side]);
            for (int k = 0; k < s->model->dim && !world->state.asleep[s->index]; k++)
                u += (side ? -1 : 1) * c->weight[side][n] * c->frame[0][k] *
                     chord_of(s, (size_t)c->vertex[side][n] * (size_t)s->model->dim + (size_t)k, h);
        }
    return c->gap + h * u;
}

// Moves the contacts of `found` that were missed to its front; how many. Both are sorted.
static int32_t keep_missed(const ThawWorld *world, double h, const ThawContactSet *set, ThawContactSet *found) {
    int32_t kept = 0, at = 0;
    for (int32_t i = 0; i < found->count; i++) {
        while (at < set->count && compare(&set->contacts[at], &found->contacts[i]) < 0)
            at++;
        int known = at < set->count && compare(&set->contacts[at], &found->contacts[i]) == 0;
        if (!known &&
            thaw_step_gap_at_end(world, &found->contacts[i], h) < -ASTRAY * edge_length(world, &found->contacts[i]))
            found->contacts[kept++] = found->contacts[i];
    }
    return kept;
}

// Merges the first `count` of `more` into the set, from the back.
static ThawStatus merge(ThawContactSet *set, const ThawContact *more, int32_t count, ThawError *error) {
    if (set->count + count > set->capacity) {
        int32_t capacity = 2 * (set->count + count);
        ThawContact *contacts = thaw_regrow(set->contacts, (size_t)set->count, (size_t)capacity, sizeof *set->contacts);
        if (!contacts)
            return thaw_error_memory(error, "the contacts");
        set->contacts = contacts;
        set->capacity = capacity;
    }
    int32_t a = set->count - 1, b = count - 1;
    for (int32_t to = set->count + count - 1; b >= 0; to--)
        if (a >= 0 && thaw_contact_key_compare(&set->contacts[a].key, &more[b].key) > 0)
            set->contacts[to] = set->contacts[a--];
        else
            set->contacts[to] = more[b--];
    set->count += count;
    return THAW_OK;
}

ThawStatus thaw_step_find_missed(ThawWorld *world, ThawIncrement step, int32_t *added, int *woken, ThawError *error) {
    ThawContactSet *set = &world->state.contacts, *found = &world->missed;
    int astray = 0;
    *added = *woken = 0;
    for (int32_t i = 0; i < world->model->body_count; i++)
        world->astray[i] = 0;
    for (int32_t i = 0; i < world->awake_count; i++) {
        ThawStepper *s = &world->steppers[world->awake[i]];
        for (int32_t b = s->index; b < s->index + s->body->moved; b++) {
            world->astray[b] = s->again && went_astray(world, s, b, step.h);
            astray |= world->astray[b];
        }
        s->again = 0;
    }
    if (!astray)
        return THAW_OK;
    for (int32_t i = 0; i < world->model->body_count; i++) {
        const ThawStepper *s = &world->steppers[i];
        if (world->model->bodies[i].moved == 0)
            continue;
        const size_t dim = (size_t)s->model->dim;
        double *v = world->end_v + (size_t)s->body->first_vertex * dim;
        memcpy(v, world->state.asleep[i] ? s->v : s->v1, sizeof(double) * (size_t)s->shape->nv * dim);
        for (size_t k = 0; s->moving.acts && !world->state.asleep[i] && k < (size_t)s->shape->nv * dim; k++)
            v[k] = chord_of(s, k, step.h);
    }
    // Memory and scratch are lent.
    found->asleep = set->asleep;
    found->released = set->released;
    found->only = world->astray;
    found->centre = set->centre;
    found->memory = set->memory;
    found->memory_count = set->memory_count;
    found->scratch = set->scratch;
    ThawStatus status =
        thaw_contacts_find(world->collider, world->tasks, step.t, step.h, world->state.x, world->end_v, found, error);
    set->scratch = found->scratch;
    found->memory = NULL;
    found->memory_count = 0;
    found->scratch = NULL;
    if (status != THAW_OK)
        return status;
    found->count = keep_missed(world, step.h, set, found);
    status = thaw_sleep_disturb(world, found, step.t, step.h, woken, error);
    if (status != THAW_OK || *woken)
        return status;
    int32_t count = found->count;
    for (int32_t i = 0; i < count && status == THAW_OK; i++) {
        const ThawContact *c = &found->contacts[i];
        const double speed = (c->gap - thaw_step_gap_at_end(world, c, step.h)) / step.h;
        for (int side = 0; side < 2 && status == THAW_OK; side++) {
            ThawStepper *s = c->nodes[side] > 0 ? thaw_world_mover(world, c->key.body[side]) : NULL;
            if (s && s->data && s->method->ops->strike)
                status = s->method->ops->strike(world, s, c, side, speed);
        }
        thaw_world_mover(world, c->key.body[0])->again = 1; // and with it all of its island
    }
    if (status != THAW_OK)
        return thaw_error_memory(error, "what a step goes back to");
    if (count > 0)
        status = merge(set, found->contacts, count, error);
    *added = status == THAW_OK ? count : 0;
    return status;
}
