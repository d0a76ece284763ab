// SPDX-License-Identifier: Apache-2.0
// Shapes that change while the world runs.
//
// A change is no part of a step: it happens between two of them, when the first is final. So a step that fails or is
// cancelled has nothing of it to take back. All that can fail is made beside what there is (shapes, vectors, collider,
// steppers), then everything is exchanged at once.
//
// What follows: x and v of each vertex, and of copies; forces set through the API, but of removed vertices, and all of
// a vertex that parts stay with it; pins, scripts, loads and attachments by the groups and elements that are left
// (model); contacts by their vertices and faces (contact/follow.c); options and method. A body that changes is awake.
// What its method kept of velocities for itself goes into v, so momenta stay to the last bits, and it begins as after
// `create`, with what it remembers of elements. The energy that went with the elements is booked as a loss of
// transition.
#include "step/change.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/collider.h"
#include "step/attach.h"
#include "step/keep.h"
#include "step/method.h"

// One body's part in a change. Not all of these are there where it stays as it is.
typedef struct Part {
    const ThawShape *before, *after; // NULL: it stays
    ThawShape *made;                 // after, where it did not exist
    int32_t *source;                 // points of after: the vertex of before that its x and v come from
    int32_t *target;                 // nv of before: the vertex it is after, or -1
    int32_t *element;                // ne of after: the element that it was before, or -1
    ThawStepper old;
} Part;

typedef struct Plan {
    ThawWorld *world;
    Part *parts;                  // body_count
    const int32_t **targets;      // body_count, of the parts
    double *x, *v, *push, *end_v; // of the new layout, or (later) the old one
    ThawShape **variants;         // those there are, and those made
    int32_t variant_count;
    ThawCollider *collider;
    ThawChange *list;
    int32_t count;
} Plan;

// --- the state's list ------------------------------------------------------------------------------------------------

ThawStatus thaw_changes_create(ThawWorld *world, ThawError *error) {
    int any = 0;
    for (int32_t b = 0; b < world->model->body_count && !any; b++)
        any = world->model->bodies[b].change_count > 0;
    if (!any) // no step looks for what is due
        return THAW_OK;
    world->state.taken = THAW_NEW(int32_t, world->model->body_count);
    return world->state.taken ? THAW_OK : thaw_error_memory(error, "the state");
}

void thaw_changes_free(ThawWorld *world) {
    thaw_free(world->state.taken);
    thaw_free(world->state.changes);
}

uint64_t thaw_changes_hash(const ThawWorld *world) {
    uint64_t hash = 0;
    for (int32_t i = 0; i < world->state.change_count; i++)
        hash = thaw_change_hash(hash, &world->state.changes[i]);
    return hash;
}

// The changes of one body, in their order; list has room for all.
static int32_t list_of(const ThawChange *all, int32_t count, int32_t body, ThawChange *list) {
    int32_t n = 0;
    for (int32_t i = 0; i < count; i++)
        if (all[i].body == body)
            list[n++] = all[i];
    return n;
}

// --- shapes and maps -------------------------------------------------------------------------------------------------

// The shape of that list: one that is there, one that was just made, or a new one.
static ThawStatus find_shape(Plan *plan, int32_t body, const ThawChange *list, int32_t count, ThawError *error) {
    const ThawModel *model = plan->world->model;
    const ThawShape *base = model->bodies[body].base;
    Part *part = &plan->parts[body];
    if (thaw_shape_is(model->bodies[body].shape, base, list, count))
        return THAW_OK;
    part->before = model->bodies[body].shape;
    if (count == 0)
        part->after = base;
    for (int32_t i = 0; i < plan->variant_count && !part->after; i++)
        if (thaw_shape_is(plan->variants[i], base, list, count))
            part->after = plan->variants[i];
    if (part->after)
        return THAW_OK;
    ThawStatus status = thaw_shape_vary(base, list, count, &part->made, error);
    if (status == THAW_OK)
        part->after = plan->variants[plan->variant_count++] = part->made;
    return status;
}

static ThawStatus find_shapes(Plan *plan, ThawError *error) {
    const ThawModel *model = plan->world->model;
    ThawChange *own = THAW_NEW(ThawChange, plan->count);
    plan->variants = THAW_NEW(ThawShape *, (size_t)model->variant_count + (size_t)model->body_count);
    ThawStatus status = own && plan->variants ? THAW_OK : thaw_error_memory(error, "shapes that change");
    if (status == THAW_OK && model->variant_count > 0)
        memcpy(plan->variants, model->variants, sizeof(ThawShape *) * (size_t)model->variant_count);
    plan->variant_count = model->variant_count;
    for (int32_t b = 0; b < model->body_count && status == THAW_OK; b++)
        status = find_shape(plan, b, own, list_of(plan->list, plan->count, b, own), error);
    thaw_free(own);
    return status;
}

// The mesh's own element, of the base.
static int32_t base_element(const ThawShape *shape, int32_t e) {
    const int32_t user = shape->element_user[e];
    return shape->variant ? shape->variant->element[user] : user;
}

static ThawStatus map_part(Part *part, ThawError *error) {
    const ThawShape *before = part->before, *after = part->after;
    const int32_t base_count = after->variant ? after->variant->base->ne : after->ne;
    int32_t *number = THAW_NEW(int32_t, before->points), *element = THAW_NEW(int32_t, base_count);
    part->source = THAW_NEW(int32_t, after->points);
    part->target = THAW_NEW(int32_t, before->points);
    part->element = THAW_NEW(int32_t, after->ne);
    const int good = number && element && part->source && part->target && part->element;
    if (good) {
        thaw_shape_number(before, number);
        memset(part->target, -1, sizeof(int32_t) * (size_t)before->points);
        memset(element, -1, sizeof(int32_t) * (size_t)base_count);
        for (int32_t e = 0; e < before->ne; e++)
            element[base_element(before, e)] = e;
        for (int32_t e = 0; e < after->ne; e++)
            part->element[e] = element[base_element(after, e)];
        for (int32_t i = 0; i < after->points; i++) {
            int32_t user = after->vertex_user[i];
            const int is_new = user >= before->points;
            while (user >= before->points)
                user = after->variant->parent[user];
            part->source[i] = number[user];
            if (!is_new && i < after->nv)
                part->target[number[user]] = i;
        }
    }
    thaw_free(number);
    thaw_free(element);
    return good ? THAW_OK : thaw_error_memory(error, "shapes that change");
}

// --- making ----------------------------------------------------------------------------------------------------------

static void free_plan(Plan *plan, int failed) {
    for (int32_t b = 0; plan->parts && b < plan->world->model->body_count; b++) {
        Part *part = &plan->parts[b];
        thaw_free(part->source);
        thaw_free(part->target);
        thaw_free(part->element);
        if (failed && part->made) {
            thaw_shape_clear(part->made);
            thaw_free(part->made);
        }
    }
    thaw_collider_free(&plan->collider);
    thaw_free(plan->parts);
    thaw_free(plan->targets);
    thaw_free(plan->x);
    thaw_free(plan->v);
    thaw_free(plan->push);
    thaw_free(plan->end_v);
    thaw_free(plan->variants);
    thaw_free(plan->list);
}

static void exchange(void *a, void *b, size_t size) {
    char kept[sizeof(void *)];
    memcpy(kept, a, size);
    memcpy(a, b, size);
    memcpy(b, kept, size);
}

// Lays out the model with the shapes before or after, and exchanges vectors. What it does it undoes when called again.
static void lay_out(Plan *plan, int after) {
    ThawWorld *world = plan->world;
    ThawModel *model = world->model;
    for (int32_t b = 0; b < model->body_count; b++)
        if (plan->parts[b].after)
            thaw_model_give_shape(model, b, after ? plan->parts[b].after : plan->parts[b].before);
    thaw_model_lay_out(model);
    exchange(&model->variants, &plan->variants, sizeof model->variants);
    exchange(&model->variant_count, &plan->variant_count, sizeof model->variant_count);
    exchange(&world->state.x, &plan->x, sizeof plan->x);
    exchange(&world->state.v, &plan->v, sizeof plan->v);
    exchange(&world->state.push, &plan->push, sizeof plan->push);
    exchange(&world->end_v, &plan->end_v, sizeof plan->end_v);
    for (int32_t b = 0; b < model->body_count; b++)
        if (model->bodies[b].moved > 0 && (!plan->parts[b].after || !after))
            thaw_stepper_point(world, &world->steppers[b]);
}

static ThawStatus reserve(Plan *plan, ThawError *error) {
    const ThawModel *model = plan->world->model;
    int64_t points = 0;
    for (int32_t b = 0; b < model->body_count; b++)
        points += plan->parts[b].after ? plan->parts[b].after->points : model->bodies[b].shape->points;
    if (points > INT32_MAX)
        return thaw_error_set(error, THAW_ERROR_INPUT, "the world would have more than %d vertices", INT32_MAX);
    const size_t count = (size_t)points * (size_t)model->dim;
    plan->targets = THAW_NEW(const int32_t *, model->body_count);
    plan->x = THAW_NEW(double, count);
    plan->v = THAW_NEW(double, count);
    plan->push = THAW_NEW(double, count);
    if (plan->world->end_v)
        plan->end_v = THAW_NEW(double, count);
    return plan->targets && plan->x && plan->v && plan->push && (!plan->world->end_v || plan->end_v)
               ? THAW_OK
               : thaw_error_memory(error, "shapes that change");
}

// x, v and forces of a body in the new layout; plan has the old vectors. first: where the body began in them.
static void carry_body(const Plan *plan, int32_t body, size_t first) {
    const Part *part = &plan->parts[body];
    const ThawState *state = &plan->world->state;
    const ThawModelBody *b = &plan->world->model->bodies[body];
    const size_t dim = (size_t)plan->world->model->dim, to = (size_t)b->first_vertex * dim;
    double *x = state->x + to, *v = state->v + to, *push = state->push + to;
    if (!part->after) {
        const size_t bytes = sizeof(double) * dim * (size_t)b->shape->points;
        memcpy(x, plan->x + first, bytes);
        memcpy(v, plan->v + first, bytes);
        memcpy(push, plan->push + first, bytes);
        return;
    }
    for (int32_t i = 0; i < part->after->points; i++) {
        const size_t from = first + (size_t)part->source[i] * dim, at = (size_t)i * dim;
        const int kept = part->target[part->source[i]] == i;
        for (size_t k = 0; k < dim; k++) {
            x[at + k] = plan->x[from + k];
            v[at + k] = i < part->after->nv ? plan->v[from + k] : 0;
            push[at + k] = kept ? plan->push[from + k] : 0;
        }
    }
}

static void carry(const Plan *plan) {
    const ThawModel *model = plan->world->model;
    size_t first = 0;
    for (int32_t b = 0; b < model->body_count; b++) {
        const ThawShape *before = plan->parts[b].after ? plan->parts[b].before : model->bodies[b].shape;
        carry_body(plan, b, first);
        first += (size_t)before->points * (size_t)model->dim;
    }
}

static ThawStatus make_stepper(ThawWorld *world, int32_t body, Part *part, ThawError *error) {
    ThawStepper *s = &world->steppers[body];
    part->old = *s;
    memset(s, 0, sizeof *s);
    s->method = part->old.method;
    ThawStatus status = thaw_stepper_begin(world, body, error);
    if (status == THAW_OK)
        status = thaw_stepper_reserve(s, error);
    if (status == THAW_OK)
        status = thaw_method_create(world, s, error);
    return status;
}

// Everything that can fail: shapes, vectors, collider, steppers. On failure all is as it was.
static ThawStatus make(Plan *plan, ThawError *error) {
    ThawWorld *world = plan->world;
    const int32_t count = world->model->body_count;
    ThawStatus status = reserve(plan, error);
    for (int32_t b = 0; b < count && status == THAW_OK; b++)
        if (plan->parts[b].after)
            status = map_part(&plan->parts[b], error);
    if (status != THAW_OK)
        return status;
    lay_out(plan, 1);
    carry(plan);
    int32_t made = 0;
    if (world->collider)
        status = thaw_collider_create(world->model, &plan->collider, error);
    for (; made < count && status == THAW_OK; made++)
        if (plan->parts[made].after)
            status = make_stepper(world, made, &plan->parts[made], error);
    if (status == THAW_OK)
        return THAW_OK;
    for (int32_t b = 0; b < made; b++)
        if (plan->parts[b].after) {
            thaw_stepper_clear(&world->steppers[b]);
            world->steppers[b] = plan->parts[b].old;
        }
    lay_out(plan, 0);
    return status;
}

// --- exchanging ------------------------------------------------------------------------------------------------------

static double energy_of(const ThawStepper *s) {
    ThawLedger energies = {0};
    thaw_ledger_add_energies(s, 0, &energies);
    return energies.kinetic + energies.shadow + energies.elastic + energies.gravitational;
}

// Velocities that the method kept for itself, what it remembers, and what is derived from a body.
static void finish_body(ThawWorld *world, int32_t body, const Part *part, ThawLedger *ledger) {
    ThawStepper *s = &world->steppers[body], old = part->old;
    const size_t dim = (size_t)world->model->dim, bytes = sizeof(double) * dim * (size_t)s->shape->nv;
    if (old.inertia == &s->lumped) // its own, which lies in the copy now
        old.inertia = &old.lumped;
    s->events = old.events;
    thaw_method_abandon(&old, ledger);
    if (old.data && old.method->ops->follow)
        old.method->ops->follow(s, &old, part->element);
    for (int32_t i = 0; i < s->shape->nv; i++)
        memcpy(s->v + (size_t)i * dim, old.v + (size_t)part->source[i] * dim, sizeof(double) * dim);
    memcpy(s->start_x, s->x, bytes); // no motion led here
    memcpy(s->start_v, s->v, bytes);
    s->hash = thaw_hash(thaw_hash(0, s->x, bytes), s->v, bytes);
    thaw_ledger_find_elastic(s);
    s->set_energy = NAN;
    s->inverted = s->set_inverted = -1;
    world->state.slow[body] = 0;
    if (s->data && s->method->ops->reset)
        s->method->ops->reset(s);
    if (ledger)
        ledger->transition_loss += energy_of(&old) - energy_of(s);
    thaw_stepper_clear(&old);
}

// Shapes that no body has, and systems of shapes that no body has.
static void drop_unused(ThawWorld *world) {
    ThawModel *model = world->model;
    int32_t kept = 0;
    for (int32_t i = 0; i < world->system_count; i++) {
        int used = 0;
        for (int32_t b = 0; b < model->body_count && !used; b++)
            used = thaw_model_moved(model, b)->shape == world->systems[i]->shape;
        if (used || i < world->lent)
            world->systems[kept++] = world->systems[i];
        else
            thaw_system_free(&world->systems[i]);
    }
    world->system_count = kept;
    kept = 0;
    for (int32_t i = 0; i < model->variant_count; i++) {
        ThawShape *shape = model->variants[i];
        int used = 0;
        for (int32_t b = 0; b < model->body_count && !used; b++)
            used = model->bodies[b].shape == shape;
        if (used) {
            model->variants[kept++] = shape;
            continue;
        }
        thaw_shape_clear(shape);
        thaw_free(shape);
    }
    model->variant_count = kept;
}

// Nothing fails any more.
static void finish(Plan *plan) {
    ThawWorld *world = plan->world;
    ThawState *state = &world->state;
    const ThawModel *model = world->model;
    for (int32_t b = 0; b < model->body_count; b++) {
        plan->targets[b] = plan->parts[b].after ? plan->parts[b].target : NULL;
        if (plan->parts[b].after)
            thaw_folds_apply(world, b);
        if (plan->parts[b].after)
            finish_body(world, b, &plan->parts[b], thaw_ledger_of(world));
    }
    if (world->collider)
        thaw_contacts_follow(&state->contacts, world->collider, plan->collider, plan->targets);
    state->contacts.count = 0; // of another time
    world->start_memory_count = 0;
    thaw_contact_scratch_free(&state->contacts.scratch);
    thaw_contact_scratch_free(&state->resting.scratch);
    thaw_contact_set_clear(&world->missed);
    if (world->collider)
        exchange(&world->collider, &plan->collider, sizeof world->collider);
    thaw_attach_follow(world);
    thaw_kept_free(world);
    drop_unused(world);
    world->edition++;
}

// The state's list becomes plan->list.
static ThawStatus carry_out(Plan *plan, ThawError *error) {
    ThawWorld *world = plan->world;
    const int32_t count = world->model->body_count;
    plan->parts = THAW_NEW(Part, count);
    ThawStatus status = plan->parts ? find_shapes(plan, error) : thaw_error_memory(error, "shapes that change");
    int any = 0;
    for (int32_t b = 0; b < count && status == THAW_OK; b++)
        if (plan->parts[b].after) {
            any = 1;
            status = thaw_sleep_wake(world, b, error);
        }
    if (status == THAW_OK && any)
        status = make(plan, error);
    if (status == THAW_OK && any)
        finish(plan);
    if (status == THAW_OK) {
        exchange(&world->state.changes, &plan->list, sizeof plan->list);
        world->state.change_count = plan->count;
    }
    free_plan(plan, status != THAW_OK);
    return status;
}

// --- when it happens -------------------------------------------------------------------------------------------------

// How many more of a body's schedule are due.
static int32_t count_due(const ThawWorld *world, int32_t body) {
    const ThawModelBody *b = &world->model->bodies[body];
    const double now = world->state.time + 1e-6 * world->model->options.h; // k h is rounded
    int32_t due = 0;
    for (int32_t i = world->state.taken[body]; i < b->change_count && b->changes[i].time <= now; i++)
        due++;
    return due;
}

static ThawChange *extend(const ThawState *state, int32_t more, ThawError *error) {
    ThawChange *list = THAW_NEW(ThawChange, (size_t)state->change_count + (size_t)more);
    if (!list)
        thaw_error_memory(error, "shapes that change");
    else if (state->change_count > 0)
        memcpy(list, state->changes, sizeof *list * (size_t)state->change_count);
    return list;
}

ThawStatus thaw_changes_catch_up(ThawWorld *world, int *changed, ThawError *error) {
    ThawState *state = &world->state;
    int32_t due = 0;
    *changed = 0;
    if (!state->taken)
        return THAW_OK;
    for (int32_t b = 0; b < world->model->body_count; b++)
        due += world->model->bodies[b].change_count > 0 ? count_due(world, b) : 0;
    if (due == 0)
        return THAW_OK;
    Plan plan = {.world = world, .list = extend(state, due, error), .count = state->change_count};
    if (!plan.list)
        return THAW_ERROR_MEMORY;
    for (int32_t b = 0; b < world->model->body_count; b++)
        for (int32_t i = 0, n = count_due(world, b); i < n; i++)
            plan.list[plan.count++] = world->model->bodies[b].changes[state->taken[b] + i].change;
    ThawStatus status = carry_out(&plan, error);
    for (int32_t b = 0; b < world->model->body_count && status == THAW_OK; b++)
        state->taken[b] += count_due(world, b);
    *changed = status == THAW_OK;
    return status;
}

ThawStatus thaw_changes_restore(ThawWorld *world, const ThawChange *list, int32_t count, const int32_t *taken,
                                ThawError *error) {
    Plan plan = {.world = world, .list = THAW_NEW(ThawChange, count), .count = count};
    if (!plan.list)
        return thaw_error_memory(error, "shapes that change");
    if (count > 0)
        memcpy(plan.list, list, sizeof *list * (size_t)count);
    ThawStatus status = carry_out(&plan, error);
    if (status == THAW_OK && world->state.taken)
        memcpy(world->state.taken, taken, sizeof *taken * (size_t)world->model->body_count);
    return status;
}

ThawStatus thaw_world_change(ThawWorld *world, int32_t body, const ThawChangeDef *def, ThawError *error) {
    if (!world || !def || body < 0 || body >= world->model->body_count)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_world_change: %s is %s; allowed: %s",
                              !world ? "world"
                              : !def ? "def"
                                     : "body",
                              !world || !def ? "NULL" : "out of range",
                              !world || !def ? "not NULL" : "the index of a body");
    ThawState *state = &world->state;
    char where[160];
    snprintf(where, sizeof where, "body %d (%.80s): change", (int)body, world->model->bodies[body].name);
    const ThawShape *base = world->model->bodies[body].base;
    if (world->model->bodies[body].unit)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: it is of unit \"%s\"; allowed: shapes of bodies in a unit stay", where,
                              world->model->bodies[body].unit->name);
    ThawChange change;
    ThawStatus status = thaw_change_compile(where, def, body, base, &change, error);
    if (status != THAW_OK)
        return status;
    Plan plan = {.world = world, .list = extend(state, 1, error), .count = state->change_count + 1};
    ThawChange *own = THAW_NEW(ThawChange, plan.count);
    ThawEffect *effects = THAW_NEW(ThawEffect, plan.count);
    if (!plan.list || !own || !effects)
        status = thaw_error_memory(error, "shapes that change");
    if (status == THAW_OK) {
        plan.list[state->change_count] = change;
        const int32_t count = list_of(plan.list, plan.count, body, own);
        status = thaw_changes_foresee(base, own, count, effects, error);
        if (status == THAW_OK)
            status = thaw_change_check(where, &change, &effects[count - 1], error);
    }
    thaw_free(own);
    thaw_free(effects);
    if (status == THAW_OK)
        return carry_out(&plan, error);
    thaw_free(plan.list);
    return status;
}

int32_t thaw_world_change_count(const ThawWorld *world, int32_t body) {
    int32_t count = 0;
    for (int32_t i = 0; world && i < world->state.change_count; i++)
        count += body == -1 || world->state.changes[i].body == body;
    return count;
}

int32_t thaw_world_most_vertices(const ThawWorld *world, int32_t body) {
    if (!world || body < 0 || body >= world->model->body_count)
        return 0;
    const ThawModelBody *b = &world->model->bodies[body];
    const int32_t most = b->base->points + b->copies;
    return most > b->shape->points ? most : b->shape->points;
}

ThawStatus thaw_world_get_origins(const ThawWorld *world, int32_t body, int32_t *vertices, int32_t *elements) {
    if (!world || body < 0 || body >= world->model->body_count)
        return THAW_ERROR_INPUT;
    const ThawShape *shape = world->model->bodies[body].shape;
    for (int32_t i = 0; vertices && i < shape->points; i++) {
        vertices[i] = i;
        while (shape->variant && shape->variant->parent[vertices[i]] != vertices[i])
            vertices[i] = shape->variant->parent[vertices[i]];
    }
    for (int32_t e = 0; elements && e < shape->ne; e++)
        elements[e] = shape->variant ? shape->variant->element[e] : e;
    return THAW_OK;
}

uint64_t thaw_world_topology(const ThawWorld *world) { return world ? thaw_changes_hash(world) : 0; }
