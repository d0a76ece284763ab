// SPDX-License-Identifier: Apache-2.0
// Looking into a world from outside: sizes, and copies in the mesh's own numbering.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "force/force.h"
#include "model/change.h"
#include "step/method.h"

static const ThawStepper *body_at(const ThawWorld *world, int32_t body) {
    return world && body >= 0 && body < world->model->body_count ? &world->steppers[body] : NULL;
}

int thaw_world_dim(const ThawWorld *world) { return world ? world->model->dim : 0; }
double thaw_world_time(const ThawWorld *world) { return world ? world->state.time : NAN; }
int64_t thaw_world_step_count(const ThawWorld *world) { return world ? world->state.step : 0; }
int32_t thaw_world_body_count(const ThawWorld *world) { return world ? world->model->body_count : 0; }

const char *thaw_world_body_name(const ThawWorld *world, int32_t body) {
    const ThawStepper *s = body_at(world, body);
    return s ? s->body->name : NULL;
}

int32_t thaw_world_vertex_count(const ThawWorld *world, int32_t body) {
    const ThawStepper *s = body_at(world, body);
    return s ? s->shape->points : 0;
}

int32_t thaw_world_element_count(const ThawWorld *world, int32_t body) {
    const ThawStepper *s = body_at(world, body);
    return s ? s->shape->ne : 0;
}

ThawStatus thaw_world_get_elements(const ThawWorld *world, int32_t body, int32_t *elements) {
    const ThawStepper *s = body_at(world, body);
    if (!s || !elements)
        return THAW_ERROR_INPUT;
    memcpy(elements, s->shape->elements_user,
           sizeof *elements * (size_t)s->shape->ne * (size_t)s->shape->cells->kind->nodes);
    return THAW_OK;
}

ThawStatus thaw_world_get_regions(const ThawWorld *world, int32_t body, int32_t *regions) {
    const ThawStepper *s = body_at(world, body);
    if (!s || !regions)
        return THAW_ERROR_INPUT;
    memcpy(regions, s->shape->region, sizeof *regions * (size_t)s->shape->ne);
    return THAW_OK;
}

// out[user] = in[internal], `width` doubles a vertex.
static ThawStatus copy_out(const ThawStepper *s, const double *in, int width, double *out) {
    for (int32_t i = 0; i < s->shape->points; i++)
        memcpy(out + (size_t)s->shape->vertex_user[i] * (size_t)width, in + (size_t)i * (size_t)width,
               sizeof *out * (size_t)width);
    return THAW_OK;
}

static ThawStatus copy_in(const ThawStepper *s, const double *in, double *out) {
    size_t dim = (size_t)s->model->dim;
    for (size_t i = 0; i < (size_t)s->shape->points * dim; i++)
        if (!isfinite(in[i]))
            return THAW_ERROR_INPUT;
    for (int32_t i = 0; i < s->shape->nv; i++) // removed vertices stay where they are
        memcpy(out + (size_t)i * dim, in + (size_t)s->shape->vertex_user[i] * dim, sizeof *out * dim);
    return THAW_OK;
}

ThawStatus thaw_world_get_positions(const ThawWorld *world, int32_t body, double *x) {
    const ThawStepper *s = body_at(world, body);
    return s && x ? copy_out(s, s->x, s->model->dim, x) : THAW_ERROR_INPUT;
}

ThawStatus thaw_world_get_velocities(const ThawWorld *world, int32_t body, double *v) {
    const ThawStepper *s = body_at(world, body);
    return s && v ? copy_out(s, s->v, s->model->dim, v) : THAW_ERROR_INPUT;
}

ThawStatus thaw_world_get_masses(const ThawWorld *world, int32_t body, double *m) {
    const ThawStepper *s = body_at(world, body);
    return s && m ? copy_out(s, s->shape->mass, 1, m) : THAW_ERROR_INPUT;
}

// Sets x or v of a body. Parts would move it otherwise, so it is elastic from here on.
static ThawStatus set_from_outside(ThawWorld *world, int32_t body, const double *from, int positions) {
    const ThawStepper *s = body_at(world, body);
    if (!s || !from)
        return THAW_ERROR_INPUT;
    for (size_t i = 0; i < (size_t)s->shape->points * (size_t)s->model->dim; i++)
        if (!isfinite(from[i]))
            return THAW_ERROR_INPUT;
    ThawStatus status = thaw_sleep_wake(world, body, NULL);
    if (status != THAW_OK)
        return status;
    thaw_method_abandon(&world->steppers[body], NULL);
    copy_in(s, from, positions ? s->x : s->v);
    thaw_world_refresh_body(world, body);
    return THAW_OK;
}

ThawStatus thaw_world_set_positions(ThawWorld *world, int32_t body, const double *x) {
    return set_from_outside(world, body, x, 1);
}

ThawStatus thaw_world_set_velocities(ThawWorld *world, int32_t body, const double *v) {
    return set_from_outside(world, body, v, 0);
}

ThawStatus thaw_world_set_forces(ThawWorld *world, int32_t body, const double *f) {
    const ThawStepper *s = body_at(world, body);
    if (!s)
        return THAW_ERROR_INPUT;
    double *push = world->state.push + (size_t)s->body->first_vertex * (size_t)s->model->dim;
    size_t dim = (size_t)s->model->dim;
    int same = 1;
    for (int32_t i = 0; i < s->shape->nv && same; i++)
        for (size_t k = 0; k < dim; k++)
            same &= push[(size_t)i * dim + k] == (f ? f[(size_t)s->shape->vertex_user[i] * dim + k] : 0);
    if (same)
        return THAW_OK;
    int slept = world->state.asleep[body];
    ThawStatus status = thaw_sleep_wake(world, body, NULL);
    if (status == THAW_OK && slept)
        thaw_events_rise(&world->steppers[body].events, world->state.step, THAW_REASON_LOAD);
    if (status == THAW_OK && f)
        status = copy_in(s, f, push);
    else if (status == THAW_OK)
        memset(push, 0, sizeof *push * (size_t)s->shape->nv * dim);
    world->steppers[body].loads_until = -INFINITY;
    if (status == THAW_OK)
        world->state.slow[body] = 0;
    return status;
}

// --- changing how bodies are moved -----------------------------------------------------------------------------------

ThawStatus thaw_world_wake(ThawWorld *world, int32_t body) {
    if (!world || body < -1 || body >= world->model->body_count)
        return THAW_ERROR_INPUT;
    ThawStatus status = THAW_OK;
    for (int32_t i = 0; i < world->model->body_count && status == THAW_OK; i++)
        if (body == -1 || body == i) {
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
int64_t thaw_world_inverted_count(ThawWorld *world, int32_t body) {
    if (!body_at(world, body))
        return 0;
    ThawStepper *s = &world->steppers[body];
    const int asleep = world->state.asleep[body];
    const int carried = !asleep && s->system && s->system->map->frame_count > 0;
    if (!asleep && !carried)
        return count_evaluated(s, s->shape->all);
    int64_t elastic = carried ? count_evaluated(s, s->system->map->set) : 0;
    if (s->inverted < 0)
        s->inverted = thaw_force_count_inverted(s->shape->all, NULL, s->x, NULL) - elastic;
    return s->inverted + elastic;
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
    world->state.method[body] = (unsigned char)method;
    world->state.slow[body] = 0;
    thaw_method_bind(world, s);
    s->system = NULL;
    status = thaw_method_create(world, s, error);
    if (status != THAW_OK) { // it goes on as it can
        world->state.method[body] = THAW_METHOD_REFERENCE;
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
        if (body == -1 || body == i)
            status = change_method(world, i, method, error);
    return status;
}

ThawStatus thaw_world_get_stresses(const ThawWorld *world, int32_t body, double *von_mises) {
    const ThawStepper *s = body_at(world, body);
    if (!s || !von_mises)
        return THAW_ERROR_INPUT;
    thaw_force_stress(s->shape, s->x, von_mises);
    return THAW_OK;
}

ThawSolverKind thaw_world_solver(const ThawWorld *world, int32_t body) {
    const ThawStepper *s = body_at(world, body);
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
        if (!thaw_ledger_is_kept(s))          // it was not kept
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
