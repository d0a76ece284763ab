// SPDX-License-Identifier: Apache-2.0
// All contacts of a step. Surfaces are gathered with the way each vertex is going (h v + h^2 g), boxes of where bodies
// may be are sorted along an axis and swept, and what overlaps becomes tasks: one body against one other or one
// obstacle, for one kind of contact. Each task writes into a slot of its own; tasks are sorted as keys are, so the
// slots one after another are the sorted contacts, whichever thread ran them. Edges and corners come second, because
// they step back where vertices have contacts already.
//
// Cost: a pass over all surface vertices; a refit of the hierarchies of bodies near others; O(log n) for each vertex in
// another body's box. Bodies far from everything cost the first pass only.
//
// Contact of a body with itself is one more task, (a, a), of bodies that ask for it.
#include <stdlib.h>

#include "contact/collider.h"
#include "model/attachment.h"

void thaw_contact_set_clear(ThawContactSet *set) {
    thaw_contact_scratch_free(&set->scratch);
    thaw_free(set->contacts);
    thaw_free(set->memory);
    *set = (ThawContactSet){0};
}

// --- where everything is --------------------------------------------------------------------------------------------

static void bound_body(ThawContactBody *body) {
    const int32_t nv = body->shape->nv;
    double sum[3] = {0, 0, 0}, spread = 0;
    double box[6], swept[6], low[THAW_SLABS], high[THAW_SLABS]; // the body's own would be written for each vertex
    body->fitted = 0;
    thaw_box_empty(box);
    thaw_box_empty(swept);
    for (int i = 0; i < THAW_SLABS; i++)
        low[i] = INFINITY, high[i] = -INFINITY;
    for (int32_t v = 0; v < nv; v++) {
        const double *x = body->x + 3 * (size_t)v, *d = body->d + 3 * (size_t)v;
        double end[3], p[THAW_SLABS];
        thaw_slab_project(x, p);
        for (int i = 0; i < THAW_SLABS; i++) {
            low[i] = p[i] < low[i] ? p[i] : low[i];
            high[i] = p[i] > high[i] ? p[i] : high[i];
        }
        thaw_v3_add(x, THAW_CONTACT_REACH, d, end);
        thaw_box_add(box, x);
        thaw_box_add(swept, end);
        thaw_v3_add(sum, 1, d, sum);
    }
    for (int i = 0; i < THAW_SLABS; i++) {
        const double more = body->shape->half > 0 ? body->shape->half * thaw_slab_length(i) : 0;
        body->slab[i][0] = low[i] - more;
        body->slab[i][1] = high[i] + more;
    }
    for (int k = 0; k < 3; k++) {
        body->mean[k] = nv ? sum[k] / nv : 0;
        body->box[k] = box[k] - body->shape->margin;
        body->box[3 + k] = box[3 + k] + body->shape->margin;
        body->swept[k] = fmin(swept[k] - body->shape->margin, body->box[k]);
        body->swept[3 + k] = fmax(swept[3 + k] + body->shape->margin, body->box[3 + k]);
    }
    for (int32_t v = 0; v < nv; v++) {
        double off[3];
        thaw_v3_sub(body->d + 3 * (size_t)v, body->mean, off);
        spread = fmax(spread, thaw_v3_dot(off, off));
    }
    body->spread = sqrt(spread);
}

static void gather_body(void *context, int32_t index) {
    ThawContactScratch *scratch = context;
    const ThawModel *model = scratch->collider->model;
    ThawContactBody *body = &scratch->bodies[index];
    const int dim = model->dim;
    const size_t first = (size_t)model->bodies[index].first_vertex;
    const double h = scratch->h, *g = model->options.gravity;
    const int still = scratch->asleep && scratch->asleep[index] && scratch->v;
    double farthest = 0;
    if (still && body->still == h)
        return;
    body->still = still ? h : 0;
    for (int32_t v = 0; v < body->shape->nv; v++) {
        size_t at = (first + (size_t)body->shape->vertex[v]) * (size_t)dim;
        double *x = body->x + 3 * (size_t)v, *d = body->d + 3 * (size_t)v, square = 0;
        for (int k = 0; k < dim; k++) {
            square += (scratch->x[at + k] - x[k]) * (scratch->x[at + k] - x[k]);
            x[k] = scratch->x[at + k];
            d[k] = scratch->v ? h * (scratch->v[at + k] + (body->fixed[v] ? 0 : h * g[k])) : 0;
        }
        farthest = square > farthest ? square : farthest;
    }
    body->odometer += sqrt(farthest);
    bound_body(body);
}

static void gather_obstacle(void *context, int32_t index) {
    ThawContactScratch *scratch = context;
    const ThawCollider *collider = scratch->collider;
    const ThawModelObstacle *o = &collider->model->obstacles[index];
    ThawContactBody *body = &scratch->obstacles[index];
    ThawPlace *place = scratch->places[index];
    if (scratch->placed[index])
        return;
    memcpy(body->d, body->x, sizeof *body->x * 3 * (size_t)body->shape->nv); // where it was
    thaw_obstacle_place(o, scratch->t, &place[0]);
    thaw_obstacle_place(o, scratch->t + scratch->h, &place[1]);
    thaw_obstacle_positions(collider, index, scratch->t, &place[0], body->x);
    double farthest = 0;
    for (int32_t v = 0; v < body->shape->nv; v++) {
        double way[3];
        thaw_v3_sub(body->x + 3 * (size_t)v, body->d + 3 * (size_t)v, way);
        farthest = fmax(farthest, thaw_v3_dot(way, way));
    }
    body->odometer += sqrt(farthest);
    thaw_obstacle_positions(collider, index, scratch->t + scratch->h, &place[1], body->d);
    for (size_t i = 0; i < 3 * (size_t)body->shape->nv; i++)
        body->d[i] -= body->x[i];
    bound_body(body);
    scratch->placed[index] = o->script.key_count == 0 && !o->script.drive.on && o->frame_count == 0;
}

static void fit_body(void *context, int32_t index) {
    ThawContactScratch *scratch = context;
    const int32_t bodies = scratch->collider->model->body_count;
    ThawContactBody *body = index < bodies ? &scratch->bodies[index] : &scratch->obstacles[index - bodies];
    if (body->fitted < 0)
        thaw_contact_tree_refit(body->shape, body->x, body->boxes), body->fitted = 1;
}

// --- what may touch --------------------------------------------------------------------------------------------------

static ThawStatus add_item(ThawContactScratch *scratch, ThawContactItem item, ThawError *error) {
    if (scratch->item_count == scratch->item_capacity) {
        size_t used = (size_t)scratch->item_capacity, room = used < 16 ? 16 : 2 * used;
        ThawContactItem *items = room < INT32_MAX ? THAW_NEW(ThawContactItem, room) : NULL;
        ThawContactSlot *slots = items ? THAW_NEW(ThawContactSlot, room) : NULL;
        ThawContactSlot *spare = slots ? THAW_NEW(ThawContactSlot, room) : NULL;
        if (!spare) {
            thaw_free(slots);
            thaw_free(items);
            return thaw_error_memory(error, "the search for contacts");
        }
        if (used) {
            memcpy(items, scratch->items, sizeof *items * used);
            memcpy(slots, scratch->slots, sizeof *slots * used);
        }
        thaw_free(scratch->items);
        thaw_free(scratch->slots);
        thaw_free(scratch->spare);
        scratch->items = items;
        scratch->slots = slots;
        scratch->spare = spare;
        scratch->item_capacity = (int32_t)room;
    }
    scratch->items[scratch->item_count++] = item;
    return THAW_OK;
}

static void want_fit(ThawContactBody *body) {
    if (!body->fitted)
        body->fitted = -1; // done by a task of its own
}

// Whether two bodies can meet in this step, by their slabs and how they move relative to each other.
static int slabs_meet(const ThawContactBody *a, const ThawContactBody *b, double fall) {
    double relative[3];
    thaw_v3_sub(a->mean, b->mean, relative);
    double travel = THAW_CONTACT_REACH * (thaw_v3_norm(relative) + a->spread + b->spread) + fall + a->shape->margin +
                    b->shape->margin;
    for (int i = 0; i < THAW_SLABS; i++) {
        double room = travel * thaw_slab_length(i);
        if (a->slab[i][0] > b->slab[i][1] + room || b->slab[i][0] > a->slab[i][1] + room)
            return 0;
    }
    return 1;
}

static int is_hidden(const ThawContactScratch *scratch, int32_t body) {
    return scratch->hidden && scratch->hidden[body];
}

static ThawStatus add_bodies(ThawContactScratch *scratch, int32_t a, int32_t b, ThawError *error) {
    const ThawModel *model = scratch->collider->model;
    ThawTouch touch;
    if (is_hidden(scratch, a) || is_hidden(scratch, b))
        return THAW_OK;
    if (scratch->asleep && scratch->asleep[a] && scratch->asleep[b])
        return THAW_OK;
    if (!slabs_meet(&scratch->bodies[a], &scratch->bodies[b], scratch->fall) ||
        !thaw_model_may_touch(model, a, b, &touch))
        return THAW_OK;
    want_fit(&scratch->bodies[a]);
    want_fit(&scratch->bodies[b]);
    ThawStatus status = add_item(scratch, (ThawContactItem){a, b, THAW_CONTACT_VERTEX_FACE, touch}, error);
    if (status == THAW_OK)
        status = add_item(scratch, (ThawContactItem){b, a, THAW_CONTACT_VERTEX_FACE, touch}, error);
    if (status == THAW_OK && model->options.contact.edges && model->dim == 3)
        status = add_item(scratch, (ThawContactItem){a, b, THAW_CONTACT_EDGE_EDGE, touch}, error);
    return status;
}

static ThawStatus add_self(ThawContactScratch *scratch, int32_t a, ThawError *error) {
    if (is_hidden(scratch, a) || (scratch->asleep && scratch->asleep[a]))
        return THAW_OK;
    const ThawTouch touch = {.friction = scratch->collider->model->bodies[a].friction};
    want_fit(&scratch->bodies[a]);
    return add_item(scratch, (ThawContactItem){a, a, THAW_CONTACT_VERTEX_FACE, touch}, error);
}

// Whether a body may reach a half-space: by the corners of its box, and the way the obstacle sees them go.
static int reaches_half_space(const ThawPlace place[2], int up, const double box[6]) {
    for (int corner = 0; corner < 8; corner++) {
        double phi[2], x[3], arm[3], local[3];
        for (int k = 0; k < 3; k++)
            x[k] = box[corner >> k & 1 ? 3 + k : k];
        for (int i = 0; i < 2; i++) {
            thaw_v3_sub(x, place[i].p, arm);
            thaw_v3_turn_back(place[i].R, arm, local);
            phi[i] = local[up];
        }
        if (phi[0] <= 0 || phi[0] + THAW_CONTACT_REACH * (phi[1] - phi[0]) <= 0)
            return 1;
    }
    return 0;
}

static ThawStatus add_obstacle(ThawContactScratch *scratch, int32_t a, int32_t o, ThawError *error) {
    const ThawModel *model = scratch->collider->model;
    const ThawObstacleKind kind = model->obstacles[o].kind;
    ThawContactBody *body = &scratch->bodies[a], *obstacle = &scratch->obstacles[o];
    ThawTouch touch;
    if (is_hidden(scratch, a) || (scratch->asleep && scratch->asleep[a] && scratch->placed[o]))
        return THAW_OK;
    int reaches = kind == THAW_OBSTACLE_HALF_SPACE ? reaches_half_space(scratch->places[o], model->dim - 1, body->swept)
                                                   : thaw_box_overlap(body->swept, obstacle->swept);
    if (!reaches || !thaw_model_may_touch(model, a, -1 - o, &touch))
        return THAW_OK;
    ThawStatus status = add_item(scratch, (ThawContactItem){a, -1 - o, THAW_CONTACT_VERTEX_OBSTACLE, touch}, error);
    if (status == THAW_OK && body->shape->half > 0 && kind != THAW_OBSTACLE_HALF_SPACE && kind != THAW_OBSTACLE_MESH)
        return add_item(scratch, (ThawContactItem){a, -1 - o, THAW_CONTACT_FACE_OBSTACLE, touch}, error);
    if (status != THAW_OK || obstacle->shape->nv == 0)
        return status;
    want_fit(body);
    want_fit(obstacle);
    if (obstacle->shape->ne > 0 && model->options.contact.edges)
        status = add_item(scratch, (ThawContactItem){a, -1 - o, THAW_CONTACT_EDGE_EDGE, touch}, error);
    if (status == THAW_OK)
        status = add_item(scratch, (ThawContactItem){a, -1 - o, THAW_CONTACT_FACE_POINT, touch}, error);
    return status;
}

// The axis along which the bodies' boxes lie farthest apart from each other.
static int widest_axis(const ThawContactScratch *scratch) {
    double mean[3] = {0, 0, 0}, variance[3] = {0, 0, 0};
    const int32_t n = scratch->collider->model->body_count;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < n; i++)
            for (int k = 0; k < 3; k++) {
                double centre = (scratch->bodies[i].swept[k] + scratch->bodies[i].swept[3 + k]) / 2;
                if (pass == 0)
                    mean[k] += centre / n;
                else
                    variance[k] += (centre - mean[k]) * (centre - mean[k]);
            }
    return variance[1] > variance[0] ? (variance[2] > variance[1] ? 2 : 1) : (variance[2] > variance[0] ? 2 : 0);
}

// Whether body p comes before q along the axis.
static int precedes(const ThawContactBody *bodies, int axis, int32_t p, int32_t q) {
    const double x = bodies[p].swept[axis], y = bodies[q].swept[axis];
    return x < y || (x == y && p < q);
}

static void exchange(int32_t *a, int32_t *b) {
    const int32_t kept = *a;
    *a = *b;
    *b = kept;
}

// Lets the body at `root` sink to its place in a heap whose last is on top.
static void sink(const ThawContactBody *bodies, int axis, int32_t *heap, int32_t root, int32_t count) {
    for (int32_t child = 2 * root + 1; child < count; root = child, child = 2 * root + 1) {
        child += child + 1 < count && precedes(bodies, axis, heap[child], heap[child + 1]);
        if (!precedes(bodies, axis, heap[root], heap[child]))
            return;
        exchange(&heap[root], &heap[child]);
    }
}

// In place, n log n whatever the order was.
static void sort_by_heap(const ThawContactBody *bodies, int axis, int32_t *order, int32_t count) {
    for (int32_t i = count / 2 - 1; i >= 0; i--)
        sink(bodies, axis, order, i, count);
    for (int32_t i = count - 1; i > 0; i--) {
        exchange(&order[0], &order[i]);
        sink(bodies, axis, order, 0, i);
    }
}

// By insertion, for the order hardly changes from step to step; where it does, as at first, in n log n. The order is
// the same, for no two bodies are equal in it.
static void sort_bodies(const ThawContactBody *bodies, int axis, int32_t *order, int32_t count) {
    int64_t moves = 0;
    for (int32_t i = 1; i < count; i++) {
        int32_t body = order[i], k = i;
        for (; k > 0 && precedes(bodies, axis, body, order[k - 1]); k--)
            order[k] = order[k - 1];
        order[k] = body;
        moves += i - k;
        if (moves > 32 * (int64_t)count) {
            sort_by_heap(bodies, axis, order, count);
            return;
        }
    }
}

static ThawStatus plan(ThawContactScratch *scratch, ThawError *error) {
    const ThawModel *model = scratch->collider->model;
    const int axis = widest_axis(scratch);
    const ThawContactBody *bodies = scratch->bodies;
    int32_t *order = scratch->order;
    ThawStatus status = THAW_OK;
    scratch->item_count = 0;
    sort_bodies(bodies, axis, order, model->body_count);
    for (int32_t i = 0; i < model->body_count; i++) {
        const ThawContactBody *a = &bodies[order[i]];
        if (status == THAW_OK && model->bodies[order[i]].self_contact)
            status = add_self(scratch, order[i], error);
        for (int32_t k = i + 1; k < model->body_count && bodies[order[k]].swept[axis] <= a->swept[3 + axis]; k++)
            if (status == THAW_OK && thaw_box_overlap(a->swept, bodies[order[k]].swept))
                status = add_bodies(scratch, order[i] < order[k] ? order[i] : order[k],
                                    order[i] < order[k] ? order[k] : order[i], error);
        for (int32_t o = 0; status == THAW_OK && o < model->obstacle_count; o++)
            status = add_obstacle(scratch, order[i], o, error);
    }
    if (scratch->item_count > 0)
        qsort(scratch->items, (size_t)scratch->item_count, sizeof *scratch->items, thaw_contact_item_compare);
    thaw_contact_match_slots(scratch);
    return status;
}

// --- the search -----------------------------------------------------------------------------------------------------

static const ThawContactSlot *slot_of(const ThawContactScratch *scratch, int32_t a, int32_t b, ThawContactKind kind) {
    ThawContactItem wanted = {.a = a, .b = b, .kind = kind};
    const ThawContactItem *item =
        bsearch(&wanted, scratch->items, (size_t)scratch->item_count, sizeof wanted, thaw_contact_item_compare);
    return item ? &scratch->slots[item - scratch->items] : NULL;
}

static int is_asked_for(const ThawContactScratch *scratch, const ThawContactItem *item) {
    return !scratch->only || scratch->only[item->a] || (item->b >= 0 && scratch->only[item->b]);
}

static void find_vertices(void *context, int32_t index) {
    ThawContactScratch *scratch = context;
    const ThawContactItem *item = &scratch->items[index];
    ThawContactSlot *slot = &scratch->slots[index];
    slot->count = slot->failed = 0;
    if (thaw_tasks_stopped(scratch->tasks) || !is_asked_for(scratch, item))
        return;
    const ThawContactBody *b = thaw_contact_body(scratch, item->b);
    if (item->a == item->b)
        thaw_contact_find_self(scratch, item, slot);
    else if (item->kind == THAW_CONTACT_VERTEX_FACE && b->shape->half > 0)
        thaw_contact_find_on_sheet(scratch, item, slot);
    else if (item->kind == THAW_CONTACT_FACE_OBSTACLE)
        thaw_contact_find_on_convex(scratch, item, slot);
    else if (item->kind == THAW_CONTACT_VERTEX_FACE ||
             (item->kind == THAW_CONTACT_VERTEX_OBSTACLE &&
              scratch->collider->model->obstacles[-1 - item->b].kind == THAW_OBSTACLE_MESH))
        thaw_contact_find_on_surface(scratch, item, slot);
    else if (item->kind == THAW_CONTACT_VERTEX_OBSTACLE)
        thaw_contact_find_on_obstacle(scratch, item, slot);
}

static void find_rest(void *context, int32_t index) {
    ThawContactScratch *scratch = context;
    const ThawContactItem *item = &scratch->items[index];
    ThawContactSlot *slot = &scratch->slots[index];
    if ((item->kind != THAW_CONTACT_EDGE_EDGE && item->kind != THAW_CONTACT_FACE_POINT) ||
        thaw_tasks_stopped(scratch->tasks) || !is_asked_for(scratch, item))
        return;
    const ThawContactSlot *near =
        slot_of(scratch, item->a, item->b, item->b < 0 ? THAW_CONTACT_VERTEX_OBSTACLE : THAW_CONTACT_VERTEX_FACE);
    const ThawContactSlot *far = item->b < 0 ? NULL : slot_of(scratch, item->b, item->a, THAW_CONTACT_VERTEX_FACE);
    const int sheet = scratch->bodies[item->a].shape->half > 0;
    if (item->kind == THAW_CONTACT_FACE_POINT)
        sheet ? thaw_contact_find_on_sheet(scratch, item, slot) : thaw_contact_find_points(scratch, item, near, slot);
    else if (sheet || thaw_contact_body(scratch, item->b)->shape->half > 0)
        thaw_contact_find_thin_edges(scratch, item, near, far, slot);
    else
        thaw_contact_find_edges(scratch, item, near, far, slot);
}

static ThawStatus merge(const ThawContactScratch *scratch, ThawContactSet *set, ThawError *error) {
    size_t total = 0;
    for (int32_t i = 0; i < scratch->item_count; i++) {
        if (scratch->slots[i].failed)
            return thaw_error_memory(error, "the contacts");
        total += (size_t)scratch->slots[i].count;
    }
    if (total > INT32_MAX)
        return thaw_error_set(error, THAW_ERROR_MEMORY, "%zu contacts; allowed: at most %d", total, INT32_MAX);
    if (total > (size_t)set->capacity) {
        size_t room = total + total / 2 < INT32_MAX ? total + total / 2 : INT32_MAX;
        ThawContact *more = THAW_NEW(ThawContact, room);
        if (!more)
            return thaw_error_memory(error, "the contacts");
        thaw_free(set->contacts);
        set->contacts = more;
        set->capacity = (int32_t)room;
    }
    for (int32_t i = 0; i < scratch->item_count; i++) {
        const ThawContactSlot *slot = &scratch->slots[i];
        if (slot->count)
            memcpy(set->contacts + set->count, slot->contacts, sizeof *slot->contacts * (size_t)slot->count);
        set->count += slot->count;
    }
    return THAW_OK;
}

// What is glued to each other is held apart and together by that: contact there would only fight it.
static void drop_glued(const ThawModel *model, ThawContactSet *set) {
    int32_t kept = 0;
    for (int32_t i = 0; i < set->count; i++) {
        const ThawContact *c = &set->contacts[i];
        int glued = 0;
        for (int side = 0; side < 2 && !glued; side++)
            glued = c->nodes[side] > 0 && thaw_attachments_glue(model, set->released, c->key.body[side],
                                                                c->key.body[!side], c->vertex[side], c->nodes[side]);
        if (!glued)
            set->contacts[kept++] = set->contacts[i];
    }
    set->count = kept;
}

ThawStatus thaw_contacts_find(const ThawCollider *collider, ThawTasks *tasks, double t, double h, const double *x,
                              const double *v, ThawContactSet *set, ThawError *error) {
    const ThawModel *model = collider->model;
    set->count = 0;
    if (model->options.contact.disabled)
        return THAW_OK;
    if (!set->scratch && !(set->scratch = thaw_contact_scratch_create(collider)))
        return thaw_error_memory(error, "the search for contacts");
    ThawContactScratch *scratch = set->scratch;
    scratch->tasks = tasks;
    scratch->t = t;
    scratch->h = h;
    scratch->x = x;
    scratch->v = v;
    scratch->centre = set->centre > 0 ? set->centre : 1;
    scratch->fall = v ? h * h * thaw_v3_norm(model->options.gravity) : 0;
    scratch->asleep = set->asleep;
    scratch->hidden = set->hidden;
    scratch->only = set->only;
    scratch->memory = set->memory;
    scratch->memory_count = set->memory_count;
    thaw_tasks_for(tasks, model->body_count, gather_body, scratch);
    thaw_tasks_for(tasks, model->obstacle_count, gather_obstacle, scratch);
    ThawStatus status = plan(scratch, error);
    if (status != THAW_OK)
        return status;
    thaw_tasks_for(tasks, model->body_count + model->obstacle_count, fit_body, scratch);
    thaw_tasks_for(tasks, scratch->item_count, find_vertices, scratch);
    thaw_tasks_for(tasks, scratch->item_count, find_rest, scratch);
    if (thaw_tasks_stopped(tasks))
        return THAW_CANCELLED;
    status = merge(scratch, set, error);
    if (status == THAW_OK && model->first_glued)
        drop_glued(model, set);
    return status;
}

// --- bad starts -----------------------------------------------------------------------------------------------------

static int compare_overlaps(const void *p, const void *q) {
    const ThawOverlap *a = p, *b = q;
    if (a->body[0] != b->body[0])
        return a->body[0] < b->body[0] ? -1 : 1;
    return (a->body[1] > b->body[1]) - (a->body[1] < b->body[1]);
}

ThawStatus thaw_contacts_overlaps(const ThawCollider *collider, ThawTasks *tasks, double t, const double *x,
                                  ThawOverlap **overlaps, int32_t *count, ThawError *error) {
    ThawContactSet set = {0};
    *overlaps = NULL;
    *count = 0;
    ThawStatus status = thaw_contacts_find(collider, tasks, t, 0, x, NULL, &set, error);
    if (status == THAW_OK && !(*overlaps = THAW_NEW(ThawOverlap, set.count)))
        status = thaw_error_memory(error, "the overlaps");
    int32_t used = 0;
    for (int32_t i = 0; status == THAW_OK && i < set.count; i++) {
        const ThawContact *c = &set.contacts[i];
        // Touching is no overlap: rounding apart, and a millionth of the body.
        if (-c->gap <= 1e-6 * collider->model->bodies[c->key.body[0]].shape->diameter)
            continue;
        int turn = c->key.body[1] >= 0 && c->key.body[1] < c->key.body[0];
        (*overlaps)[used++] =
            (ThawOverlap){.body = {c->key.body[turn], c->key.body[!turn]}, .depth = -c->gap, .points = 1};
    }
    if (used)
        qsort(*overlaps, (size_t)used, sizeof **overlaps, compare_overlaps);
    for (int32_t i = 0; i < used; i++) { // one of each pair
        ThawOverlap *to = &(*overlaps)[*count > 0 ? *count - 1 : 0], *from = &(*overlaps)[i];
        if (*count > 0 && compare_overlaps(to, from) == 0) {
            to->depth = fmax(to->depth, from->depth);
            to->points++;
        } else
            (*overlaps)[(*count)++] = *from;
    }
    thaw_contact_set_clear(&set);
    return status;
}
