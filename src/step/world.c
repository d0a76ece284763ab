// SPDX-License-Identifier: Apache-2.0
// The world: making it, stepping it, freeing it. A step runs body by body. Small bodies are tasks of one loop, large ones
// take turns and use all threads inside; which is which depends on the model only. A body whose step fails is taken back
// to its start and tries in halves; if that fails too, all bodies go back and the world is as before.
#include <float.h>
#include <math.h>
#include <string.h>

#include "step/step.h"

enum { LARGE_BODY = 10000 }; // elements from which a body's own loops are worth sharing out

// --- systems ------------------------------------------------------------------------------------------------------------

// Room for the unknowns of a stepper's system.
static ThawStatus fit_stepper(ThawStepper *s, ThawError *error) {
    size_t n = (size_t)s->system->map->n * (size_t)s->model->dim;
    double **vectors[] = {&s->b, &s->q, &s->p, &s->trial_q};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        thaw_free(*vectors[i]);
        if (!(*vectors[i] = THAW_NEW(double, n)))
            return thaw_error_memory(error, "a body's unknowns");
    }
    thaw_free(s->damping);
    s->damping = NULL;
    thaw_solver_free(&s->solver);
    if (!s->system->plan)
        return THAW_OK;
    if (s->model->options.integrator == THAW_INTEGRATOR_NEWTON && s->system->map->set->has_alpha1) {
        const ThawBlockPattern *pattern = s->system->pattern;
        size_t blocks = (size_t)pattern->row[pattern->n];
        if (!(s->damping = THAW_NEW(double, blocks *(size_t)(pattern->bs * pattern->bs))))
            return thaw_error_memory(error, "a body's damping matrix");
    }
    return thaw_solver_create(s->system->plan, s->tasks, &s->solver, error);
}

// Finds or makes the system for the stepper's scripted vertices. Not a steady step: it may allocate.
static ThawStatus bind_system(ThawWorld *world, ThawStepper *s, ThawError *error) {
    s->system = NULL;
    for (int32_t i = 0; i < world->system_count && !s->system; i++)
        if (thaw_system_serves(world->systems[i], s->shape, s->scripted))
            s->system = world->systems[i];
    ThawStatus status = THAW_OK;
    if (!s->system) {
        ThawSystem **systems =
            thaw_regrow(world->systems, (size_t)world->system_count, (size_t)world->system_count + 1, sizeof *systems);
        if (!systems)
            return thaw_error_memory(error, "the reduced systems");
        world->systems = systems;
        status = thaw_system_create(s->shape, s->scripted, world->model->options.solver, &systems[world->system_count],
                                    error);
        if (status == THAW_OK)
            s->system = systems[world->system_count++];
    }
    if (status == THAW_OK)
        status = fit_stepper(s, error);
    if (status != THAW_OK)
        s->system = NULL; // half made: make it anew next time
    return status;
}

// --- making and freeing -------------------------------------------------------------------------------------------------

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
        double turn[3] = {w[1] * r[2] - w[2] * r[1], w[2] * r[0] - w[0] * r[2], w[0] * r[1] - w[1] * r[0]};
        for (int k = 0; k < dim; k++)
            v[(size_t)i * dim + k] = body->velocity[k] + turn[k];
    }
}

// Energy densities are differences of terms as large as the Lame constants; and the deformation gradient F = sum x_a g_a
// is off by eps |x| sum |g_a|, which gives node b a force of w (2 mu + lambda) |g_b| times that.
static void estimate_rounding(ThawStepper *s) {
    const ThawShape *shape = s->shape;
    int dim = shape->kind->dim, nodes = shape->kind->nodes;
    for (int32_t p = 0; p < shape->ne * shape->kind->points; p++) {
        int32_t e = p / shape->kind->points;
        const double *c = shape->materials[shape->material[e]].c;
        const double *gradient = shape->gradient + (size_t)p * (size_t)((nodes - 1) * dim);
        double modulus = DBL_EPSILON * shape->weight[p] * (2 * fabs(c[0]) + fabs(c[1]));
        double square[THAW_ELEMENT_NODES_MAX] = {0}, sum = 0;
        for (int k = 0; k < dim; k++) {
            double first = 0; // of node 0
            for (int a = 1; a < nodes; a++) {
                double g = gradient[(a - 1) * dim + k];
                first -= g;
                square[a] += g * g;
            }
            square[0] += first * first;
        }
        for (int a = 0; a < nodes; a++)
            sum += sqrt(square[a]);
        for (int a = 0; a < nodes; a++)
            s->force_rounding[shape->elements[(size_t)e * nodes + a]] += modulus * sqrt(square[a]) * sum;
        s->energy_rounding += modulus;
    }
}

static ThawStatus create_stepper(ThawWorld *world, int32_t index, ThawError *error) {
    const ThawModelBody *body = &world->model->bodies[index];
    const ThawShape *shape = body->shape;
    ThawStepper *s = &world->steppers[index];
    size_t count = (size_t)shape->nv * (size_t)world->model->dim,
           first = (size_t)body->first_vertex * (size_t)world->model->dim;
    s->model = world->model;
    s->body = body;
    s->shape = shape;
    s->tasks = shape->ne >= LARGE_BODY ? world->tasks : NULL;
    s->x = world->state.x + first;
    s->v = world->state.v + first;
    s->push = world->state.push + first;
    s->scripted = THAW_NEW(unsigned char, shape->nv);
    s->partial = THAW_NEW(double, 2 * (size_t)shape->all->chunk_count);
    s->force_rounding = THAW_NEW(double, shape->nv);
    if (!s->scripted || !s->partial || !s->force_rounding)
        return thaw_error_memory(error, "a body's step");
    double **vectors[] = {&s->start_x, &s->start_v, &s->w, &s->f, &s->f_ext, &s->v1,
                          &s->x1,      &s->y,       &s->u, &s->d, &s->dp};
    int newton = world->model->options.integrator == THAW_INTEGRATOR_NEWTON;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors - (newton ? 0 : 2); i++)
        if (!(*vectors[i] = THAW_NEW(double, count)))
            return thaw_error_memory(error, "a body's step");
    start_body(body, world->model->dim, s->x, s->v);
    estimate_rounding(s);
    return THAW_OK;
}

static void clear_stepper(ThawStepper *s) {
    double *vectors[] = {s->start_x, s->start_v, s->w, s->f, s->f_ext, s->v1,      s->x1,      s->y,      s->u,
                         s->d,       s->dp,      s->b, s->q, s->p,     s->trial_q, s->damping, s->partial};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        thaw_free(vectors[i]);
    thaw_free(s->scripted);
    thaw_free(s->force_rounding);
    thaw_solver_free(&s->solver);
}

static void refresh_body(void *context, int32_t i) {
    ThawStepper *s = &((ThawWorld *)context)->steppers[i];
    s->hash = thaw_hash(0, s->x, sizeof *s->x * (size_t)s->shape->nv * (size_t)s->model->dim);
    s->hash = thaw_hash(s->hash, s->v, sizeof *s->v * (size_t)s->shape->nv * (size_t)s->model->dim);
    if (s->model->options.ledger)
        s->elastic = thaw_force_energy(s->shape->all, s->tasks, s->x, s->partial);
}

void thaw_world_refresh(ThawWorld *world) {
    for (int32_t i = 0; i < world->model->body_count; i++)
        refresh_body(world, i);
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
    ThawStatus status = thaw_model_create(def, &world->model, error);
    if (status == THAW_OK)
        status = thaw_tasks_create(def->threads, &world->tasks, error);
    if (status == THAW_OK) {
        size_t count = (size_t)world->model->vertex_count * (size_t)def->dim;
        world->state.x = THAW_NEW(double, count);
        world->state.v = THAW_NEW(double, count);
        world->state.push = THAW_NEW(double, count);
        world->steppers = THAW_NEW(ThawStepper, def->body_count);
        if (!world->state.x || !world->state.v || !world->state.push || !world->steppers)
            status = thaw_error_memory(error, "the state");
    }
    for (int32_t i = 0; status == THAW_OK && i < def->body_count; i++)
        status = create_stepper(world, i, error);
    for (int32_t i = 0; status == THAW_OK && i < def->body_count; i++) {
        thaw_loads_mark_scripted(&world->steppers[i], def->h / 2);
        status = bind_system(world, &world->steppers[i], error);
    }
    if (status == THAW_OK)
        thaw_world_refresh(world);
    else
        thaw_world_free(&world);
    *result = world;
    return status;
}

void thaw_world_free(ThawWorld **pointer) {
    if (!pointer || !*pointer)
        return;
    ThawWorld *world = *pointer;
    for (int32_t i = 0; world->steppers && i < world->model->body_count; i++)
        clear_stepper(&world->steppers[i]);
    for (int32_t i = 0; i < world->system_count; i++)
        thaw_system_free(&world->systems[i]);
    thaw_free(world->systems);
    thaw_free(world->steppers);
    thaw_free(world->state.x);
    thaw_free(world->state.v);
    thaw_free(world->state.push);
    thaw_tasks_free(&world->tasks);
    thaw_model_free(&world->model);
    thaw_free(world);
    *pointer = NULL;
}

// --- stepping -----------------------------------------------------------------------------------------------------------

static size_t bytes_of(const ThawStepper *s) { return sizeof(double) * (size_t)s->shape->nv * (size_t)s->model->dim; }

// From t to t + h, in two halves if it will not go in one, and so on down to h / 2^halvings.
static ThawStatus step_interval(ThawStepper *s, ThawIncrement step, int halvings) {
    ThawStatus status = thaw_step_solve(s, step);
    if (status == THAW_OK) {
        if (s->model->options.ledger)
            thaw_ledger_record(s, step);
        memcpy(s->x, s->x1, bytes_of(s));
        memcpy(s->v, s->v1, bytes_of(s));
        s->substeps++;
        return THAW_OK;
    }
    if (status < 0 || halvings == 0)
        return status;
    step.h /= 2;
    status = step_interval(s, step, halvings - 1);
    step.t += step.h;
    return status == THAW_OK ? step_interval(s, step, halvings - 1) : status;
}

static void begin_step(ThawStepper *s) {
    memcpy(s->start_x, s->x, bytes_of(s));
    memcpy(s->start_v, s->v, bytes_of(s));
    memset(s->ms, 0, sizeof s->ms);
    s->newton_iterations = s->projected = s->substeps = 0;
    s->solver_iterations = 0;
    s->work = (ThawLedger){0};
}

static void undo_step(ThawStepper *s) {
    memcpy(s->x, s->start_x, bytes_of(s));
    memcpy(s->v, s->start_v, bytes_of(s));
}

typedef struct StepLoop {
    ThawWorld *world;
    ThawIncrement step;
    int large; // run the large bodies, or the small ones
} StepLoop;

static void step_body(void *context, int32_t i) {
    const StepLoop *loop = context;
    ThawStepper *s = &loop->world->steppers[i];
    if ((s->shape->ne >= LARGE_BODY) != loop->large)
        return;
    begin_step(s);
    s->status = step_interval(s, loop->step, s->model->options.halvings);
    if (s->status == THAW_OK) {
        s->hash = thaw_hash(0, s->x, bytes_of(s));
        s->hash = thaw_hash(s->hash, s->v, bytes_of(s));
    }
}

static void run_bodies(StepLoop loop) {
    int32_t count = loop.world->model->body_count;
    thaw_tasks_for(loop.world->tasks, count, step_body, &loop);
    loop.large = 1;
    for (int32_t i = 0; i < count; i++)
        step_body(&loop, i);
}

static void add_works(ThawLedger *to, const ThawLedger *from) {
    to->external_work += from->external_work;
    to->damping_loss += from->damping_loss;
    to->integration_loss += from->integration_loss;
    to->contact_work += from->contact_work;
    to->transition_loss += from->transition_loss;
}

static void collect_stats(ThawWorld *world, double wall, double cpu, ThawStepStats *stats) {
    *stats = (ThawStepStats){.step = world->state.step, .time = world->state.time};
    double *ms[THAW_STAGE_COUNT] = {&stats->force_ms, &stats->assemble_ms, &stats->factor_ms,
                                    &stats->solve_ms, &stats->advance_ms,  &stats->ledger_ms};
    for (int32_t i = 0; i < world->model->body_count; i++) {
        const ThawStepper *s = &world->steppers[i];
        for (int k = 0; k < THAW_STAGE_COUNT; k++)
            *ms[k] += s->ms[k];
        stats->dofs += (int64_t)s->system->map->n * world->model->dim;
        stats->elastic_elements += s->system->map->set->element_count;
        stats->solver_iterations += s->solver_iterations;
        stats->projected += s->projected;
        if (s->newton_iterations > stats->newton_iterations)
            stats->newton_iterations = s->newton_iterations;
        if (s->substeps > stats->substeps)
            stats->substeps = s->substeps;
    }
    if (world->model->options.ledger)
        thaw_world_get_ledger(world, &stats->ledger);
    else
        stats->ledger = (ThawLedger){.kinetic = NAN, .elastic = NAN, .gravitational = NAN};
    stats->state_hash = thaw_world_hash(world);
    stats->wall_ms = thaw_wall_ms() - wall;
    stats->cpu_ms = thaw_cpu_ms() - cpu;
}

static ThawStatus prepare_scripts(ThawWorld *world, double middle, ThawError *error) {
    for (int32_t i = 0; i < world->model->body_count; i++) {
        ThawStepper *s = &world->steppers[i];
        ThawStatus status = thaw_loads_mark_scripted(s, middle) ? bind_system(world, s, error) : THAW_OK;
        if (status != THAW_OK)
            return status;
    }
    return THAW_OK;
}

ThawStatus thaw_world_step(ThawWorld *world, ThawStepStats *stats, ThawError *error) {
    if (!world)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_world_step: world is NULL");
    const ThawWorldDef *options = &world->model->options;
    double wall = thaw_wall_ms(), cpu = thaw_cpu_ms();
    ThawStatus status = prepare_scripts(world, world->state.time + options->h / 2, error);
    if (status != THAW_OK)
        return status;
    ThawIncrement step = {world->state.time, options->h, 1, options->integrator == THAW_INTEGRATOR_NEWTON,
                          options->newton_iterations};
    run_bodies((StepLoop){world, step, 0});
    for (int32_t i = 0; i < world->model->body_count && status == THAW_OK; i++) {
        const ThawStepper *s = &world->steppers[i];
        if (s->status < 0) // no matter of step size
            status = thaw_error_set(error, s->status, "step %lld (t = %g s): body %d (%s): %s",
                                    (long long)world->state.step + 1, world->state.time, (int)i, s->body->name,
                                    thaw_status_name(s->status));
        else if (s->status > 0)
            status =
                thaw_error_set(error, THAW_DIVERGED,
                               "step %lld (t = %g s): body %d (%s) failed (%s) even with steps of %g s; try a smaller "
                               "time step, or more halvings",
                               (long long)world->state.step + 1, world->state.time, (int)i, s->body->name,
                               thaw_status_name(s->status), options->h / (double)(1 << options->halvings));
    }
    if (status != THAW_OK) {
        for (int32_t i = 0; i < world->model->body_count; i++)
            undo_step(&world->steppers[i]);
        thaw_world_refresh(world);
        return status;
    }
    world->state.step++;
    world->state.time = (double)world->state.step * options->h;
    for (int32_t i = 0; i < world->model->body_count; i++)
        add_works(&world->state.ledger, &world->steppers[i].work);
    if (stats)
        collect_stats(world, wall, cpu, stats);
    return THAW_OK;
}

ThawStatus thaw_world_solve_static(ThawWorld *world, ThawStepStats *stats, ThawError *error) {
    if (!world)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_world_solve_static: world is NULL");
    double wall = thaw_wall_ms(), cpu = thaw_cpu_ms();
    ThawStatus status = prepare_scripts(world, world->state.time, error);
    if (status != THAW_OK)
        return status;
    enum { ITERATIONS = 500 };
    ThawIncrement step = {world->state.time, 1, 0, 1, ITERATIONS};
    for (int32_t i = 0; i < world->model->body_count; i++)
        begin_step(&world->steppers[i]);
    for (int32_t i = 0; i < world->model->body_count && status == THAW_OK; i++) {
        ThawStepper *s = &world->steppers[i];
        status = thaw_step_solve(s, step);
        if (status != THAW_OK) {
            thaw_error_set(error, status, "static solve: body %d (%s): %s%s", (int)i, s->body->name,
                           thaw_status_name(status),
                           status == THAW_INDEFINITE ? "; a static solve needs enough pins to hold the body" : "");
            break;
        }
        memcpy(s->x, s->x1, bytes_of(s));
        memset(s->v, 0, bytes_of(s));
        s->substeps = 1;
    }
    for (int32_t i = 0; i < world->model->body_count && status != THAW_OK; i++)
        undo_step(&world->steppers[i]);
    thaw_world_refresh(world);
    if (status == THAW_OK) {
        world->state.ledger = (ThawLedger){0};
        if (stats)
            collect_stats(world, wall, cpu, stats);
    }
    return status;
}
