// SPDX-License-Identifier: Apache-2.0
// Looking into a world from outside: sizes, and copies in the mesh's own numbering.
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "force/force.h"
#include "model/change.h"
#include "model/joint.h"
#include "model/sheet.h"
#include "step/method.h"

static const ThawModelBody *body_at(const ThawWorld *world, int32_t body) {
    return world && body >= 0 && body < world->model->body_count ? &world->model->bodies[body] : NULL;
}

// Its part of a vector of the state.
static double *part_of(const ThawWorld *world, const ThawModelBody *b, double *vector) {
    return vector + (size_t)b->first_vertex * (size_t)world->model->dim;
}

int thaw_world_dim(const ThawWorld *world) { return world ? world->model->dim : 0; }
double thaw_world_time(const ThawWorld *world) { return world ? world->state.time : NAN; }
int64_t thaw_world_step_count(const ThawWorld *world) { return world ? world->state.step : 0; }
int32_t thaw_world_body_count(const ThawWorld *world) { return world ? world->model->body_count : 0; }

const char *thaw_world_body_name(const ThawWorld *world, int32_t body) {
    const ThawModelBody *b = body_at(world, body);
    return b ? b->name : NULL;
}

int32_t thaw_world_vertex_count(const ThawWorld *world, int32_t body) {
    const ThawModelBody *b = body_at(world, body);
    return b ? b->shape->points : 0;
}

int32_t thaw_world_element_count(const ThawWorld *world, int32_t body) {
    const ThawModelBody *b = body_at(world, body);
    return b ? b->shape->ne : 0;
}

int thaw_world_element_nodes(const ThawWorld *world, int32_t body) {
    const ThawModelBody *b = body_at(world, body);
    return b ? b->shape->cells->kind->nodes : 0;
}

ThawStatus thaw_world_get_elements(const ThawWorld *world, int32_t body, int32_t *elements) {
    const ThawModelBody *b = body_at(world, body);
    if (!b || !elements)
        return THAW_ERROR_INPUT;
    memcpy(elements, b->shape->elements_user,
           sizeof *elements * (size_t)b->shape->ne * (size_t)b->shape->cells->kind->nodes);
    return THAW_OK;
}

ThawStatus thaw_world_get_regions(const ThawWorld *world, int32_t body, int32_t *regions) {
    const ThawModelBody *b = body_at(world, body);
    if (!b || !regions)
        return THAW_ERROR_INPUT;
    memcpy(regions, b->shape->region, sizeof *regions * (size_t)b->shape->ne);
    return THAW_OK;
}

// out[user] = in[internal], `width` doubles a vertex.
static ThawStatus copy_out(const ThawShape *shape, const double *in, int width, double *out) {
    for (int32_t i = 0; i < shape->points; i++)
        memcpy(out + (size_t)shape->vertex_user[i] * (size_t)width, in + (size_t)i * (size_t)width,
               sizeof *out * (size_t)width);
    return THAW_OK;
}

static ThawStatus copy_in(const ThawShape *shape, const double *in, double *out) {
    size_t dim = (size_t)shape->dim;
    for (size_t i = 0; i < (size_t)shape->points * dim; i++)
        if (!isfinite(in[i]))
            return THAW_ERROR_INPUT;
    for (int32_t i = 0; i < shape->nv; i++) // removed vertices stay where they are
        memcpy(out + (size_t)i * dim, in + (size_t)shape->vertex_user[i] * dim, sizeof *out * dim);
    return THAW_OK;
}

ThawStatus thaw_world_get_positions(const ThawWorld *world, int32_t body, double *x) {
    const ThawModelBody *b = body_at(world, body);
    return b && x ? copy_out(b->shape, part_of(world, b, world->state.x), b->shape->dim, x) : THAW_ERROR_INPUT;
}

ThawStatus thaw_world_get_velocities(const ThawWorld *world, int32_t body, double *v) {
    const ThawModelBody *b = body_at(world, body);
    return b && v ? copy_out(b->shape, part_of(world, b, world->state.v), b->shape->dim, v) : THAW_ERROR_INPUT;
}

ThawStatus thaw_world_get_masses(const ThawWorld *world, int32_t body, double *m) {
    const ThawModelBody *b = body_at(world, body);
    return b && m ? copy_out(b->shape, b->shape->mass, 1, m) : THAW_ERROR_INPUT;
}

// Sets x or v of a body. Parts would move it otherwise, so it is elastic from here on.
static ThawStatus set_from_outside(ThawWorld *world, int32_t body, const double *from, int positions) {
    const ThawModelBody *b = body_at(world, body);
    if (!b || !from)
        return THAW_ERROR_INPUT;
    for (size_t i = 0; i < (size_t)b->shape->points * (size_t)b->shape->dim; i++)
        if (!isfinite(from[i]))
            return THAW_ERROR_INPUT;
    ThawStatus status = thaw_sleep_wake(world, body, NULL);
    if (status != THAW_OK)
        return status;
    thaw_method_abandon(thaw_world_mover(world, body), NULL);
    copy_in(b->shape, from, part_of(world, b, positions ? world->state.x : world->state.v));
    if (positions)
        thaw_folds_begin(world, body);
    thaw_world_refresh_body(world, b->mover);
    return THAW_OK;
}

ThawStatus thaw_world_set_positions(ThawWorld *world, int32_t body, const double *x) {
    return set_from_outside(world, body, x, 1);
}

ThawStatus thaw_world_set_velocities(ThawWorld *world, int32_t body, const double *v) {
    return set_from_outside(world, body, v, 0);
}

ThawStatus thaw_world_set_forces(ThawWorld *world, int32_t body, const double *f) {
    const ThawModelBody *b = body_at(world, body);
    if (!b)
        return THAW_ERROR_INPUT;
    double *push = part_of(world, b, world->state.push);
    size_t dim = (size_t)b->shape->dim;
    int same = 1;
    for (int32_t i = 0; i < b->shape->nv && same; i++)
        for (size_t k = 0; k < dim; k++)
            same &= push[(size_t)i * dim + k] == (f ? f[(size_t)b->shape->vertex_user[i] * dim + k] : 0);
    if (same)
        return THAW_OK;
    int slept = world->state.asleep[body];
    ThawStatus status = thaw_sleep_wake(world, body, NULL);
    if (status == THAW_OK && slept)
        thaw_events_rise(&thaw_world_mover(world, body)->events, world->state.step, THAW_REASON_LOAD);
    if (status == THAW_OK && f)
        status = copy_in(b->shape, f, push);
    else if (status == THAW_OK)
        memset(push, 0, sizeof *push * (size_t)b->shape->nv * dim);
    thaw_world_mover(world, body)->loads_until = -INFINITY;
    if (status == THAW_OK)
        world->state.slow[b->mover] = 0;
    return status;
}

// --- changing how bodies are moved -----------------------------------------------------------------------------------

// Whether the stepper of body i moves a body; -1: whether it moves any.
static int moves(const ThawWorld *world, int32_t i, int32_t body) {
    return body < 0 ? world->model->bodies[i].moved > 0 : world->model->bodies[body].mover == i;
}

ThawStatus thaw_world_wake(ThawWorld *world, int32_t body) {
    if (!world || body < -1 || body >= world->model->body_count)
        return THAW_ERROR_INPUT;
    ThawStatus status = THAW_OK;
    for (int32_t i = 0; i < world->model->body_count && status == THAW_OK; i++)
        if (moves(world, i, body)) {
            status = thaw_sleep_wake(world, i, NULL);
            if (status == THAW_OK)
                thaw_method_abandon(&world->steppers[i], thaw_ledger_of(world));
            world->state.slow[i] = 0;
        }
    return status;
}

int thaw_world_is_asleep(const ThawWorld *world, int32_t body) {
    return body_at(world, body) && world->state.asleep[body];
}

// Elements that are evaluated in each step: as the check of the step has found them, where it has.
static int64_t count_evaluated(const ThawStepper *s, const ThawIntegrationSet *set) {
    return s->system && s->set_inverted >= 0 ? s->set_inverted
                                             : thaw_force_count_inverted(set, s->tasks, s->x, s->partial);
}

// Strains of rigid parts stay: theirs are counted when the parts are other ones.
int64_t thaw_stepper_count_inverted(const ThawWorld *world, ThawStepper *s) {
    const int asleep = world->state.asleep[s->index];
    const int carried = !asleep && s->system && s->system->map->frame_count > 0;
    if (!asleep && !carried)
        return count_evaluated(s, s->shape->all);
    int64_t elastic = carried ? count_evaluated(s, s->system->map->set) : 0;
    if (s->inverted < 0)
        s->inverted = thaw_force_count_inverted(s->shape->all, NULL, s->x, NULL) - elastic;
    return s->inverted + elastic;
}

int64_t thaw_world_inverted_count(ThawWorld *world, int32_t body) {
    const ThawModelBody *b = body_at(world, body);
    if (!b)
        return 0;
    return b->unit ? thaw_force_count_inverted(b->shape->all, NULL, part_of(world, b, world->state.x), NULL)
                   : thaw_stepper_count_inverted(world, &world->steppers[body]);
}

const char *thaw_world_get_method(const ThawWorld *world, int32_t body) {
    return body_at(world, body) ? thaw_method_at(world->state.method[body])->name : NULL;
}

static ThawStatus change_method(ThawWorld *world, int32_t body, int method, ThawError *error) {
    ThawStepper *s = &world->steppers[body];
    if (world->state.method[body] == (unsigned char)method)
        return THAW_OK;
    ThawStatus status = thaw_sleep_wake(world, body, error);
    if (status != THAW_OK)
        return status;
    thaw_method_abandon(s, thaw_ledger_of(world)); // velocities of parts
    s->marked_until = -1;
    memset(world->state.method + body, method, (size_t)s->body->moved);
    world->state.slow[body] = 0;
    thaw_method_bind(world, s);
    s->system = NULL;
    status = thaw_method_create(world, s, error);
    if (status != THAW_OK) { // it goes on as it can
        memset(world->state.method + body, THAW_METHOD_REFERENCE, (size_t)s->body->moved);
        thaw_method_bind(world, s);
    }
    return status;
}

ThawStatus thaw_world_set_method(ThawWorld *world, int32_t body, const char *name, ThawError *error) {
    int method = THAW_METHOD_REFERENCE;
    if (!world || body < -1 || body >= world->model->body_count)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_world_set_method: body is %d; allowed: -1 (all) to %d",
                              (int)body, world ? (int)world->model->body_count - 1 : -1);
    ThawStatus status = thaw_method_find("thaw_world_set_method", name, &method, error);
    for (int32_t i = 0; i < world->model->body_count && status == THAW_OK; i++)
        if (moves(world, i, body) && world->model->bodies[i].unit) {
            char where[200];
            snprintf(where, sizeof where, "thaw_world_set_method: unit \"%.80s\"", world->model->bodies[i].unit->name);
            status = thaw_method_check_unit(where, thaw_method_at(method), error);
        } else if (moves(world, i, body) && thaw_shape_is_sheet(world->model->bodies[i].shape))
            status = thaw_sheet_check_method("thaw_world_set_method", thaw_method_at(method), error);
    for (int32_t i = 0; i < world->model->body_count && status == THAW_OK; i++)
        if (moves(world, i, body))
            status = thaw_joints_check_method("thaw_world_set_method", thaw_model_moved(world->model, i),
                                              thaw_method_at(method), error);
    for (int32_t i = 0; i < world->model->body_count && status == THAW_OK; i++)
        if (moves(world, i, body))
            status = change_method(world, i, method, error);
    return status;
}

ThawStatus thaw_world_get_stresses(const ThawWorld *world, int32_t body, double *von_mises) {
    const ThawModelBody *b = body_at(world, body);
    if (!b || !von_mises)
        return THAW_ERROR_INPUT;
    thaw_force_stress(b->shape, part_of(world, b, world->state.x), von_mises);
    return THAW_OK;
}

ThawSolverKind thaw_world_solver(const ThawWorld *world, int32_t body) {
    const ThawStepper *s = body_at(world, body) ? thaw_world_mover(world, body) : NULL;
    return s && s->system && s->system->plan ? thaw_solver_plan_kind(s->system->plan) : THAW_SOLVER_AUTO;
}

ThawStatus thaw_world_get_ledger(const ThawWorld *world, ThawLedger *ledger) {
    if (!world || !ledger)
        return THAW_ERROR_INPUT;
    *ledger = world->state.ledger;
    ledger->contact_energy = thaw_ledger_contact_energy(world);
    ledger->kinetic = ledger->shadow = ledger->elastic = ledger->gravitational = 0;
    for (int32_t i = 0; i < world->model->body_count; i++) {
        ThawStepper *s = &world->steppers[i]; // its energy is a cache
        if (world->model->bodies[i].moved == 0)
            continue;
        if (!thaw_ledger_is_kept(s)) // it was not kept
            s->elastic = thaw_force_energy(s->shape->all, s->tasks, s->x, s->partial);
        thaw_ledger_add_energies(s, world->state.asleep[i], ledger);
    }
    return THAW_OK;
}

#ifndef THAW_VERSION
#define THAW_VERSION "unknown"
#endif

const char *thaw_version(void) { return THAW_VERSION; }

const char *thaw_build_info(void) {
    return "thaw " THAW_VERSION ", "
#if defined(__clang__)
           "clang " __clang_version__
#else
           "gcc " __VERSION__
#endif
#if defined(__AVX512F__)
           ", AVX-512"
#elif defined(__AVX2__)
           ", AVX2"
#endif
#ifdef THAW_WITH_CHOLMOD
           ", with CHOLMOD (this binary is under the GPL, version 3 or later, as a whole)"
#else
           ", without CHOLMOD (Apache-2.0)"
#endif
        ;
}
