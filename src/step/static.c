// SPDX-License-Identifier: Apache-2.0
// Static equilibrium: the implicit step without mass, damping or history, iterated to convergence (body.c, h = 1), body
// by body; contact plays no part. Bodies that are to start at rest begin there, asleep. Bodies that agree in shape,
// rotation, pins and loads share one solve and differ by a translation only, so a thousand trees start as quickly as
// one.
//
// Attachments: a body that nothing else holds has a singular K, and A^-1 is what its springs are solved through. So
// bodies that are attached take steps of 1 s from rest, mass and all, until they stay where they are: each minimises
// energy plus |x - x0|_M^2 / 2, which shortens the way that is left of a mode by 1 / (1 + omega^2), omega in rad/s.
#include <math.h>
#include <string.h>

#include "base/forest.h"
#include "contact/contact.h"
#include "step/attach.h"
#include "step/keep.h"
#include "step/method.h"

static const double STAYS = 1e-7; // of the diameter: a step that moves a body by less is the last
enum { ITERATIONS = 500, STEPS = 300 };

static size_t bytes_of(const ThawStepper *s) { return sizeof(double) * (size_t)s->shape->nv * (size_t)s->model->dim; }

// A method's inertia may need a map of its own; equilibrium has none, and what leads there is as good by the vertices'.
static const ThawInertia *lay_inertia_aside(ThawStepper *s) {
    const ThawInertia *inertia = s->inertia;
    s->inertia = &s->lumped;
    return inertia;
}

// Without rigid parts: all of the body deforms.
static ThawStatus prepare(ThawWorld *world, ThawStepper *s, int attached, ThawError *error) {
    s->marked_until = -1;
    s->touching = attached;
    thaw_stepper_drop_solvers(s);
    thaw_loads_mark_scripted(s, world->state.time);
    ThawStatus status = thaw_world_full_system(world, s, &s->system, error);
    if (status == THAW_OK && attached)
        status = thaw_system_plan_direct(s->system, error);
    if (status == THAW_OK)
        status = thaw_stepper_fit(s, error);
    return status == THAW_OK ? thaw_stepper_choose_solver(s, error) : status;
}

// x1: where a body that is awake balances its loads at the present time.
static ThawStatus balance(ThawWorld *world, ThawStepper *s, ThawError *error) {
    ThawIncrement step = {world->state.time, 1, 0, 1, ITERATIONS, 0, 1, 0, NULL};
    ThawContactSet none = {0};
    ThawIsland island = {.world = world, .bodies = &s, .count = 1, .set = &none, .tasks = world->tasks};
    ThawStatus status = prepare(world, s, 0, error);
    if (status == THAW_OK) {
        status = thaw_island_solve(&island, step);
        if (status != THAW_OK)
            thaw_error_set(error, status, "static solve: body %d (%s): %s%s", (int)s->index, s->body->name,
                           thaw_status_name(status),
                           status == THAW_INDEFINITE ? "; a static solve needs enough pins to hold the body" : "");
    }
    s->marked_until = -1;
    if (thaw_method_decides(s) || status != THAW_OK) // else it goes on with this system
        s->system = NULL;
    return status;
}

// --- attached bodies ---------------------------------------------------------------------------------------------

// How far the step led a body, as a share of its diameter.
static double way_of(const ThawStepper *s) {
    double farthest = 0;
    for (size_t i = 0; i < bytes_of(s) / sizeof *s->x; i++)
        farthest = fmax(farthest, fabs(s->x1[i] - s->x[i]));
    return farthest / s->shape->diameter;
}

// The rows of an island, as indices into the world's.
static void gather_rows(const ThawWorld *world, const int32_t *root, int32_t of, int32_t *rows, ThawIsland *island) {
    const ThawContactSet *set = &world->state.contacts;
    island->contacts = rows;
    island->contact_count = 0;
    for (int32_t i = set->count; i < set->count + set->attached; i++)
        if (root[set->contacts[i].key.body[0]] == of)
            rows[island->contact_count++] = i;
}

static ThawStatus settle(ThawWorld *world, const int32_t *root, int32_t of, int32_t *rows, ThawIsland *island,
                         ThawError *error) {
    const ThawIncrement step = {world->state.time, 1, 1, 1, ITERATIONS, 0, 1, 0, NULL};
    double way = INFINITY;
    ThawStatus status = THAW_OK;
    for (int turn = 0; turn < STEPS && way > STAYS && status == THAW_OK; turn++) {
        status = thaw_attach_put_still_rows(world, step, error);
        if (status != THAW_OK)
            return status;
        gather_rows(world, root, of, rows, island);
        for (int32_t i = 0; i < island->count; i++)
            memset(island->bodies[i]->v, 0, bytes_of(island->bodies[i]));
        status = thaw_island_solve(island, step);
        way = 0;
        for (int32_t i = 0; i < island->count && status == THAW_OK; i++) {
            way = fmax(way, way_of(island->bodies[i]));
            memcpy(island->bodies[i]->x, island->bodies[i]->x1, bytes_of(island->bodies[i]));
        }
        thaw_attach_take_rows(world);
    }
    if (status == THAW_OK && !(way <= STAYS))
        status = THAW_NOT_CONVERGED;
    if (status > THAW_OK)
        thaw_error_set(error, status,
                       "static solve: body %d (%s): %s; pins and attachments must hold it against its loads",
                       (int)island->failed, world->steppers[island->failed].body->name, thaw_status_name(status));
    return status;
}

// x: where the bodies that are attached to each other, `of` the lowest of them, balance.
static ThawStatus balance_attached(ThawWorld *world, const int32_t *root, int32_t of, int32_t *rows, ThawError *error) {
    ThawIsland island = {.world = world,
                         .bodies = world->members,
                         .views = world->views,
                         .set = &world->state.contacts,
                         .tasks = world->tasks,
                         .failed = of};
    ThawStatus status = thaw_response_create(&island.response, error);
    for (int32_t i = of; i < world->model->body_count && status == THAW_OK; i++)
        if (root[i] == of && world->model->bodies[i].moved > 0) {
            ThawStepper *s = &world->steppers[i];
            island.bodies[island.count++] = s;
            memcpy(s->start_x, s->x, bytes_of(s));
            memcpy(s->start_v, s->v, bytes_of(s));
            status = prepare(world, s, 1, error);
        }
    if (status == THAW_OK)
        status = settle(world, root, of, rows, &island, error);
    for (int32_t i = 0; i < island.count; i++) {
        ThawStepper *s = island.bodies[i];
        memcpy(s->x1, s->x, bytes_of(s));
        memcpy(s->x, s->start_x, bytes_of(s));
        memcpy(s->v, s->start_v, bytes_of(s));
        s->marked_until = -1;
        if (thaw_method_decides(s) || status != THAW_OK)
            s->system = NULL;
    }
    thaw_response_free(&island.response);
    return status;
}

// x1 of every body, from rest.
static ThawStatus balance_all(ThawWorld *world, ThawError *error) {
    const int32_t count = world->model->body_count;
    int32_t *root = THAW_NEW(int32_t, count), *rows = THAW_NEW(int32_t, world->model->anchor_count);
    const ThawInertia **inertia = THAW_NEW(const ThawInertia *, count);
    ThawStatus status = root && rows && inertia ? THAW_OK : thaw_error_memory(error, "the static solve");
    for (int32_t i = 0; i < count && inertia; i++)
        inertia[i] = lay_inertia_aside(&world->steppers[i]);
    for (int32_t i = 0; i < count && status == THAW_OK; i++)
        root[i] = world->model->bodies[i].mover;
    if (status == THAW_OK)
        thaw_attach_join(world, root);
    for (int32_t i = 0; i < count && status == THAW_OK; i++)
        root[i] = thaw_forest_root(root, i);
    if (status == THAW_OK)
        thaw_attach_expect(world, 1);
    for (int32_t i = 0; i < count && status == THAW_OK; i++) {
        ThawStepper *s = &world->steppers[i];
        if (world->model->bodies[i].moved == 0)
            continue;
        memset(s->ms, 0, sizeof s->ms);
        s->newton_iterations = s->projected = 0;
        s->solver_iterations = 0;
        if (!thaw_attach_holds(world, i))
            status = balance(world, s, error);
        else if (root[i] == i)
            status = balance_attached(world, root, i, rows, error);
    }
    world->state.contacts.attached = 0;
    for (int32_t i = 0; i < count && inertia; i++)
        world->steppers[i].inertia = inertia[i];
    thaw_free(inertia);
    thaw_free(root);
    thaw_free(rows);
    return status;
}

ThawStatus thaw_world_solve_static(ThawWorld *world, ThawStepStats *stats, ThawError *error) {
    if (!world)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_world_solve_static: world is NULL");
    if (world->edit)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "thaw_world_solve_static: an edit is open; allowed: outside of edits");
    for (int32_t i = 0; i < world->model->body_count; i++)
        if (thaw_model_moved(world->model, i)->skeleton)
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "static solve: body %d (%s) belongs to a skeleton; allowed: worlds without bones, "
                                  "which come to rest by their dampers only",
                                  (int)i, world->model->bodies[i].name);
    double wall = thaw_wall_ms(), cpu = thaw_cpu_ms();
    ThawStatus status = thaw_keep_begin(world, error);
    for (int32_t i = 0; i < world->model->body_count && status == THAW_OK; i++)
        status = thaw_sleep_wake(world, i, error);
    if (status == THAW_OK)
        thaw_keep_allow_cancel(world);
    if (status == THAW_OK)
        status = balance_all(world, error);
    if (status == THAW_CANCELLED) {
        thaw_keep_restore(world);
        return thaw_error_set(error, status, "the static solve was cancelled");
    }
    thaw_keep_end(world);
    if (status != THAW_OK)
        return status;
    for (int32_t i = 0; i < world->model->body_count; i++) {
        ThawStepper *s = &world->steppers[i];
        if (world->model->bodies[i].moved == 0)
            continue;
        thaw_method_abandon(s, NULL);
        memcpy(s->x, s->x1, bytes_of(s));
        memset(s->v, 0, bytes_of(s));
    }
    thaw_attach_rest(world);
    world->substeps = 1;
    thaw_world_refresh(world);
    world->state.ledger = (ThawLedger){0};
    if (stats)
        thaw_world_collect(world, wall, cpu, stats);
    return THAW_OK;
}

// --- starting at rest ------------------------------------------------------------------------------------------------

// Whether two bodies that start at rest have static solutions that are equal but for a translation.
static int are_alike(const ThawModelBody *a, const ThawModelBody *b, double t) {
    if (a->shape != b->shape || a->script_count != b->script_count || a->load_count != b->load_count ||
        memcmp(a->rotation, b->rotation, sizeof a->rotation) != 0)
        return 0;
    for (int32_t i = 0; i < a->script_count; i++)
        if (a->scripts[i].group != b->scripts[i].group || a->scripts[i].key_count > 0 || b->scripts[i].key_count > 0 ||
            a->scripts[i].drive.on || b->scripts[i].drive.on ||
            (t < a->scripts[i].release) != (t < b->scripts[i].release))
            return 0;
    for (int32_t i = 0; i < a->load_count; i++)
        if (a->loads[i].group != b->loads[i].group || a->loads[i].kind != b->loads[i].kind ||
            thaw_load_factor(&a->loads[i], t) != thaw_load_factor(&b->loads[i], t) ||
            memcmp(a->loads[i].value, b->loads[i].value, sizeof a->loads[i].value) != 0)
            return 0;
    return 1;
}

static void follow(const ThawStepper *leader, ThawStepper *s) {
    int dim = s->model->dim;
    for (size_t i = 0; i < (size_t)s->shape->nv * (size_t)dim; i++)
        s->x[i] = leader->x[i] + (s->body->position[i % (size_t)dim] - leader->body->position[i % (size_t)dim]);
    s->elastic = leader->elastic;
    s->parts = leader->parts;
}

static ThawStatus lead(ThawWorld *world, ThawStepper *s, ThawError *error) {
    ThawStatus status = thaw_stepper_reserve(s, error);
    const ThawInertia *inertia = lay_inertia_aside(s);
    if (status == THAW_OK)
        status = balance(world, s, error);
    s->inertia = inertia;
    if (status != THAW_OK)
        return status;
    memcpy(s->x, s->x1, bytes_of(s));
    memset(s->v, 0, bytes_of(s));
    s->elastic = thaw_force_energy(s->shape->all, s->tasks, s->x, s->partial);
    return thaw_method_wake(world, s, 1, error); // to count its parts
}

// Static solutions leave contact out: a body that its solution moves into something does not rest there.
static ThawStatus wake_overlapping(ThawWorld *world, ThawError *error) {
    int any = 0;
    for (int32_t i = 0; i < world->model->body_count; i++)
        any |= world->state.asleep[i];
    if (!any || !world->collider)
        return THAW_OK;
    ThawOverlap *overlaps = NULL;
    int32_t count = 0;
    thaw_world_list_awake(world);
    ThawStatus status = thaw_contacts_overlaps(world->collider, world->tasks, world->state.time, world->state.x,
                                               &overlaps, &count, error);
    for (int32_t i = 0; i < count && status == THAW_OK; i++)
        for (int side = 0; side < 2 && status == THAW_OK; side++)
            if (overlaps[i].body[side] >= 0)
                status = thaw_sleep_wake(world, overlaps[i].body[side], error);
    thaw_free(overlaps);
    return status;
}

ThawStatus thaw_static_start(ThawWorld *world, ThawError *error) {
    const ThawModel *model = world->model;
    for (int32_t i = 0; i < model->body_count; i++) {
        ThawStepper *s = &world->steppers[i], *leader = NULL;
        if (!model->bodies[i].starts_at_rest || model->bodies[i].moved == 0)
            continue;
        for (int32_t k = 0; k < i && !leader; k++)
            if (model->bodies[k].starts_at_rest && model->bodies[k].moved > 0 &&
                are_alike(world->steppers[k].body, s->body, world->state.time))
                leader = &world->steppers[k];
        ThawStatus status = THAW_OK;
        if (leader)
            follow(leader, s);
        else
            status = lead(world, s, error);
        if (status == THAW_OK && s->method->ops->rest)
            status = s->method->ops->rest(world, s, leader, error);
        if (status != THAW_OK)
            return status;
        memset(s->v, 0, bytes_of(s));
        thaw_sleep_lay(world, s);
    }
    return wake_overlapping(world, error);
}
