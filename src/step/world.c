// SPDX-License-Identifier: Apache-2.0
// The world: making it and freeing it, and the systems that its bodies share.
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/vec3.h"
#include "step/attach.h"
#include "step/body.h"
#include "step/change.h"
#include "step/edit.h"
#include "step/keep.h"
#include "step/method.h"

// --- systems ---------------------------------------------------------------------------------------------------------

void thaw_stepper_drop_solvers(ThawStepper *s) {
    thaw_solver_free(&s->plain);
    thaw_solver_free(&s->direct);
    thaw_solver_free(&s->stiff);
    s->solver = NULL;
    s->linearised = NULL;
}

ThawStatus thaw_stepper_choose_solver(ThawStepper *s, ThawError *error) {
    if (!s->system->plan)
        return THAW_OK;
    ThawSolver **solver = s->touching && s->system->direct != s->system->plan ? &s->direct : &s->plain;
    ThawStatus status = THAW_OK;
    if (!*solver)
        status = thaw_solver_create(s->touching ? s->system->direct : s->system->plan, s->tasks, solver, error);
    s->solver = *solver;
    return status;
}

#define NEWTON_VECTORS(s) &(s)->v0, &(s)->chord, &(s)->d, &(s)->dp

// Room for the unknowns of a stepper's system.
ThawStatus thaw_stepper_fit(ThawStepper *s, ThawError *error) {
    size_t n = (size_t)s->system->map->n * (size_t)s->model->dim;
    double **vectors[] = {&s->b, &s->q, &s->p, &s->trial_q, &s->r};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        thaw_free(*vectors[i]);
        if (!(*vectors[i] = THAW_NEW(double, n)))
            return thaw_error_memory(error, "a body's unknowns");
    }
    thaw_free(s->damping);
    s->damping = NULL;
    s->set_energy = NAN;
    s->set_inverted = -1;
    thaw_stepper_drop_solvers(s);
    const int newton = thaw_scheme(s->model->options.integrator)->newton;
    ThawStatus status = THAW_OK;
    if (newton || s->model->options.corrections > 0)
        status = thaw_stepper_reserve_newton(s, error);
    return status == THAW_OK && !newton && s->model->options.corrections > 0 ? thaw_secants_reserve(s, error) : status;
}

ThawStatus thaw_stepper_reserve_newton(ThawStepper *s, ThawError *error) {
    double **vectors[] = {NEWTON_VECTORS(s)};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (!*vectors[i] && !(*vectors[i] = THAW_NEW(double, (size_t)s->shape->nv *(size_t)s->model->dim)))
            return thaw_error_memory(error, "a body's step");
    if (s->damping || !s->system->plan || !s->shape->all->has_alpha1) // of parts, too
        return THAW_OK;
    const ThawBlockPattern *pattern = s->system->pattern;
    size_t blocks = (size_t)pattern->row[pattern->n];
    s->damping = THAW_NEW(double, blocks *(size_t)(pattern->bs * pattern->bs));
    return s->damping ? THAW_OK : thaw_error_memory(error, "a body's damping matrix");
}

ThawStatus thaw_world_full_system(ThawWorld *world, ThawStepper *s, ThawSystem **result, ThawError *error) {
    for (int32_t i = 0; i < world->system_count; i++)
        if (thaw_system_serves(world->systems[i], s->shape, s->scripted)) {
            *result = world->systems[i];
            return THAW_OK;
        }
    ThawSystem **systems =
        thaw_regrow(world->systems, (size_t)world->system_count, (size_t)world->system_count + 1, sizeof *systems);
    if (!systems)
        return thaw_error_memory(error, "the reduced systems");
    world->systems = systems;
    ThawStatus status =
        thaw_system_create(s->shape, s->scripted, world->model->options.solver, &systems[world->system_count], error);
    if (status == THAW_OK)
        *result = systems[world->system_count++];
    return status;
}

ThawStatus thaw_world_bind_system(ThawWorld *world, ThawStepper *s, ThawError *error) {
    s->system = NULL;
    if (thaw_method_decides(s)) // made when the method has decided
        return THAW_OK;
    ThawStatus status = thaw_world_full_system(world, s, &s->system, error);
    if (status == THAW_OK)
        status = thaw_stepper_fit(s, error);
    if (status != THAW_OK)
        s->system = NULL; // half made: make it anew next time
    return status;
}

// --- making and freeing ----------------------------------------------------------------------------------------------

static void start_body(const ThawModelBody *body, int dim, double *x, double *v) {
    const ThawShape *shape = body->shape;
    double centre[3] = {0, 0, 0};
    for (int32_t i = 0; i < shape->nv; i++) {
        thaw_body_place(body, dim, shape->X + (size_t)i * dim, x + (size_t)i * dim);
        for (int k = 0; k < dim; k++)
            centre[k] += shape->mass[i] * x[(size_t)i * dim + k] / shape->total_mass;
    }
    for (int32_t i = 0; i < shape->nv; i++) {
        double r[3] = {0, 0, 0};
        const double *w = body->spin;
        for (int k = 0; k < dim; k++)
            r[k] = x[(size_t)i * dim + k] - centre[k];
        double turn[3];
        thaw_v3_cross(w, r, turn);
        for (int k = 0; k < dim; k++)
            v[(size_t)i * dim + k] = body->velocity[k] + turn[k];
    }
}

#define STEP_VECTORS(s)                                                                                                \
    &(s)->start_x, &(s)->start_v, &(s)->w, &(s)->f, &(s)->f_ext, &(s)->v1, &(s)->x1, &(s)->y, &(s)->u, &(s)->before,   \
        &(s)->impulse

ThawStatus thaw_stepper_reserve(ThawStepper *s, ThawError *error) {
    double **vectors[] = {STEP_VECTORS(s)};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (!*vectors[i] && !(*vectors[i] = THAW_NEW(double, (size_t)s->shape->nv *(size_t)s->model->dim)))
            return thaw_error_memory(error, "a body's step");
    return thaw_scheme(s->model->options.integrator)->follows ? thaw_moving_reserve(s, error) : THAW_OK;
}

typedef enum Fate { GIVEN_BACK, SOMEBODY_ELSES } Fate;

// Leaves a stepper with nothing that only a body awake has.
static void empty(ThawStepper *s, Fate fate) {
    double **vectors[] = {STEP_VECTORS(s), NEWTON_VECTORS(s), THAW_MOVING_VECTORS(&s->moving), &s->moving.still};
    double **unknowns[] = {&s->b, &s->q, &s->p, &s->trial_q, &s->r, &s->damping, &s->secants.all};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors + sizeof unknowns / sizeof *unknowns; i++) {
        size_t first = sizeof vectors / sizeof *vectors;
        double **vector = i < first ? vectors[i] : unknowns[i - first];
        if (fate == GIVEN_BACK)
            thaw_free(*vector);
        *vector = NULL;
    }
    if (fate == GIVEN_BACK) {
        thaw_stepper_drop_solvers(s);
        thaw_compliance_scratch_clear(&s->reach);
        if (s->data)
            s->method->ops->free(s);
    }
    if (fate == GIVEN_BACK)
        thaw_free(s->moving.vertices);
    s->moving.vertices = NULL;
    s->solver = s->plain = s->direct = s->stiff = NULL;
    s->linearised = NULL;
    s->reach = (ThawComplianceScratch){0};
    s->data = NULL;
    s->inertia = &s->lumped;
    s->loads_until = -INFINITY;
    s->impulse_acts = 0;
    s->system = NULL;
}

void thaw_stepper_release(ThawStepper *s) { empty(s, GIVEN_BACK); }

void thaw_stepper_forget(ThawStepper *s) { empty(s, SOMEBODY_ELSES); }

void thaw_stepper_point(const ThawWorld *world, ThawStepper *s) {
    const size_t first = (size_t)s->body->first_vertex * (size_t)world->model->dim;
    s->x = world->state.x + first;
    s->v = world->state.v + first;
    s->push = world->state.push + first;
}

ThawStatus thaw_stepper_begin(ThawWorld *world, int32_t index, ThawError *error) {
    const ThawModelBody *body = thaw_model_moved(world->model, index);
    const ThawShape *shape = body->shape;
    ThawStepper *s = &world->steppers[index];
    s->index = index;
    s->model = world->model;
    s->body = body;
    s->shape = shape;
    s->lumped = thaw_inertia_lumped(shape);
    s->inertia = &s->lumped;
    s->tasks = shape->ne >= THAW_LARGE_BODY ? world->tasks : world->alone;
    thaw_stepper_point(world, s);
    s->scripted = THAW_NEW(unsigned char, shape->nv);
    s->partial = THAW_NEW(double, 2 * (size_t)thaw_integration_most_chunks(shape));
    if (!s->scripted || !s->partial)
        return thaw_error_memory(error, "a body's step");
    s->marked_until = -1;
    s->loads_until = -INFINITY;
    s->events.at = -1;
    thaw_method_bind(world, s);
    // Energy densities are differences of terms as large as the Lame constants.
    for (int32_t e = 0; e < shape->ne * shape->cells->kind->points; e++) {
        const double *c = shape->materials[shape->cells->material[e / shape->cells->kind->points]].c;
        s->energy_rounding += DBL_EPSILON * shape->cells->weight[e] * (2 * fabs(c[0]) + fabs(c[1]));
    }
    return THAW_OK;
}

static ThawStatus create_stepper(ThawWorld *world, int32_t index, ThawError *error) {
    const ThawModelBody *body = &world->model->bodies[index];
    const size_t first = (size_t)body->first_vertex * (size_t)world->model->dim;
    world->state.method[index] = (unsigned char)body->method;
    start_body(body, world->model->dim, world->state.x + first, world->state.v + first);
    return body->moved > 0 ? thaw_stepper_begin(world, index, error) : THAW_OK;
}

void thaw_stepper_clear(ThawStepper *s) {
    thaw_stepper_release(s);
    thaw_free(s->partial);
    thaw_free(s->scripted);
    if (s->record)
        s->method->ops->forget(s);
}

void thaw_world_refresh_body(ThawWorld *world, int32_t body) {
    ThawStepper *s = &world->steppers[body];
    size_t bytes = sizeof *s->x * (size_t)s->shape->nv * (size_t)s->model->dim;
    world->state.contacts.count = 0; // of another time
    world->start_memory_count = 0;
    memcpy(s->start_x, s->x, bytes); // no motion led here
    s->hash = thaw_hash(thaw_hash(0, s->x, bytes), s->v, bytes);
    thaw_ledger_find_elastic(s);
    s->marked_until = -1;
    s->set_energy = NAN;
    s->inverted = s->set_inverted = -1;
    world->state.slow[body] = 0;
    if (s->data && s->method->ops->reset)
        s->method->ops->reset(s);
}

void thaw_world_refresh(ThawWorld *world) {
    for (int32_t i = 0; i < world->model->body_count; i++)
        world->steppers[i].inverted = world->steppers[i].set_inverted = -1;
    for (int32_t i = 0; i < world->awake_count; i++)
        thaw_world_refresh_body(world, world->awake[i]);
}

static ThawStatus create_tasks(ThawWorld *world, ThawError *error) {
    ThawStatus status = THAW_OK;
    if (!world->tasks)
        status = thaw_tasks_create(world->model->options.threads, &world->tasks, error);
    if (status == THAW_OK && !world->alone)
        status = thaw_tasks_create(1, &world->alone, error);
    if (status == THAW_OK) {
        thaw_tasks_set_stop(world->tasks, &world->stop);
        thaw_tasks_set_stop(world->alone, &world->stop);
    }
    return status;
}

// Vectors of the state and lists over bodies.
static ThawStatus create_vectors(ThawWorld *world, ThawError *error) {
    const size_t count = (size_t)world->model->vertex_count * (size_t)world->model->dim;
    const int32_t bodies = world->model->body_count;
    world->state.x = THAW_NEW(double, count);
    world->state.v = THAW_NEW(double, count);
    world->state.push = THAW_NEW(double, count);
    world->steppers = THAW_NEW(ThawStepper, bodies);
    world->islands = THAW_NEW(ThawIsland, bodies);
    world->members = THAW_NEW(ThawStepper *, bodies);
    world->views = THAW_NEW(ThawResponseBody, bodies);
    world->island_of = THAW_NEW(int32_t, bodies);
    world->awake = THAW_NEW(int32_t, bodies);
    world->marks = THAW_NEW(unsigned char, bodies);
    world->state.asleep = THAW_NEW(unsigned char, bodies);
    world->state.slow = THAW_NEW(unsigned char, bodies);
    world->state.method = THAW_NEW(unsigned char, bodies);
    return world->state.x && world->state.v && world->state.push && world->steppers && world->islands &&
                   world->members && world->views && world->island_of && world->awake && world->marks &&
                   world->state.asleep && world->state.slow && world->state.method
               ? THAW_OK
               : thaw_error_memory(error, "the state");
}

static ThawStatus create_collider(ThawWorld *world, ThawError *error) {
    const ThawModel *model = world->model;
    const int32_t bodies = model->body_count;
    if (model->options.contact.disabled ||
        (model->obstacle_count == 0 && bodies < 2 && !(bodies == 1 && model->bodies[0].self_contact)))
        return THAW_OK; // nothing can touch
    ThawStatus status = thaw_collider_create(model, &world->collider, error);
    if (status != THAW_OK)
        return status;
    world->end_v = THAW_NEW(double, (size_t)model->vertex_count *(size_t)model->dim);
    world->astray = THAW_NEW(unsigned char, bodies);
    world->shift = THAW_NEW(ThawShift, bodies);
    return world->end_v && world->astray && world->shift ? THAW_OK : thaw_error_memory(error, "the state");
}

ThawStatus thaw_world_populate(ThawWorld *world, const ThawWorldDef *def, ThawError *error) {
    ThawStatus status = create_tasks(world, error);
    if (status == THAW_OK)
        status = create_vectors(world, error);
    if (status == THAW_OK)
        status = thaw_state_create_options(&world->state, def, error);
    if (status == THAW_OK)
        status = thaw_attach_create(world, error);
    if (status == THAW_OK)
        status = thaw_folds_create_state(world, error);
    if (status == THAW_OK)
        status = thaw_changes_create(world, error);
    if (status == THAW_OK)
        status = thaw_parts_create(world, error);
    if (status == THAW_OK)
        status = thaw_rebound_create(world, error);
    world->state.contacts.hidden = world->missed.hidden = world->aside;
    world->state.contacts.asleep = world->state.asleep;
    world->state.contacts.released = world->state.released;
    if (status == THAW_OK)
        status = create_collider(world, error);
    for (int32_t i = 0; status == THAW_OK && i < def->body_count; i++)
        status = create_stepper(world, i, error);
    if (status == THAW_OK)
        status = thaw_static_start(world, error);
    if (status == THAW_OK)
        thaw_world_list_awake(world);
    for (int32_t i = 0; status == THAW_OK && i < world->awake_count; i++) {
        ThawStepper *s = &world->steppers[world->awake[i]];
        status = thaw_stepper_reserve(s, error);
        if (status == THAW_OK) // there is data of one that was to start at rest, and did not rest there
            status = thaw_method_create(world, s, error);
        if (status == THAW_OK && thaw_loads_mark_scripted(s, thaw_step_middle(world->model, world->state.step)))
            status = thaw_world_bind_system(world, s, error);
    }
    if (status == THAW_OK)
        thaw_world_refresh(world);
    return status;
}

ThawStatus thaw_world_create(const ThawWorldDef *def, ThawWorld **result, ThawError *error) {
    if (!result)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_world_create: world is NULL");
    *result = NULL;
    if (!def)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_world_create: def is NULL");
    ThawWorld *world = THAW_NEW(ThawWorld, 1);
    if (!world)
        return thaw_error_memory(error, "the world");
    world->next_id = 1;
    ThawStatus status = THAW_OK;
    for (int i = 0; i < thaw_method_count() && status == THAW_OK; i++)
        status = thaw_method_check(thaw_method_at(i), error);
    if (status == THAW_OK)
        status = thaw_model_create(def, &world->model, error);
    if (status == THAW_OK)
        status = thaw_definition_create(def, world->model, &world->next_id, &world->definition, error);
    if (status == THAW_OK)
        status = thaw_world_populate(world, def, error);
    if (status != THAW_OK)
        thaw_world_free(&world);
    *result = world;
    return status;
}

void thaw_world_clear(ThawWorld *world) {
    if (world->kept)
        thaw_keep_end(world);
    thaw_kept_free(world);
    for (int32_t i = 0; world->steppers && i < world->model->body_count; i++)
        thaw_stepper_clear(&world->steppers[i]);
    for (int32_t i = 0; i < world->system_count; i++)
        thaw_system_free(&world->systems[i]);
    for (int32_t i = 0; world->islands && i < world->model->body_count; i++)
        thaw_response_free(&world->islands[i].response);
    thaw_contact_set_clear(&world->state.contacts);
    thaw_contact_set_clear(&world->state.resting);
    thaw_contact_set_clear(&world->missed);
    thaw_free(world->end_v);
    thaw_free(world->astray);
    thaw_free(world->shift);
    thaw_collider_free(&world->collider);
    thaw_free(world->start_memory);
    thaw_free(world->islands);
    thaw_free(world->members);
    thaw_free(world->views);
    thaw_free(world->island_of);
    thaw_free(world->contact_order);
    thaw_free(world->systems);
    thaw_free(world->steppers);
    thaw_free(world->state.x);
    thaw_free(world->state.v);
    thaw_free(world->state.push);
    thaw_free(world->state.asleep);
    thaw_free(world->state.slow);
    thaw_free(world->state.method);
    thaw_attach_free(world);
    thaw_folds_free_state(world);
    thaw_changes_free(world);
    thaw_parts_free(world);
    thaw_rebound_free(world);
    thaw_state_free_options(&world->state, world->model ? world->model->body_count : 0);
    thaw_free(world->awake);
    thaw_free(world->marks);
    thaw_tasks_free(&world->tasks);
    thaw_tasks_free(&world->alone);
    thaw_model_free(&world->model);
}

void thaw_world_free(ThawWorld **pointer) {
    if (!pointer || !*pointer)
        return;
    ThawWorld *world = *pointer;
    thaw_edit_free(world);
    thaw_world_clear(world);
    thaw_definition_free(&world->definition);
    thaw_free(world);
    *pointer = NULL;
}
