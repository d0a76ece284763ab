// SPDX-License-Identifier: Apache-2.0
// The energy ledger: where every joule went. For backward Euler the change of kinetic energy is exactly
//     dT = v1'M dv - 1/2 dv'M dv,
//     M dv = h (f_used + f_ext) - h (alpha0 M + D(x0)) v1 + J'lambda + reactions of scripted vertices,
// with f_used = f(x0) - h K(x0) v1 (semi-implicit) or f(x1) (Newton). Term by term: external work, contact's work, damping
// loss, and what the integration itself takes: 1/2 dv'M dv, plus the difference between -dPsi and the work of f_used. The
// sum closes up to the residual of the linear or Newton solve. Costs one matrix-free product and one energy pass.
//
// A Newton step's forces act on rigid parts by dx1/dq: their work is that of end velocities dx1/dq q, not of v1.
//
// Vertices of rigid parts count with the velocities of their part in its orientation at the start of the step, which is what
// G sees; the part's own turn changes neither its energy nor its momentum (map/rigid/part.c).
#include <math.h>
#include <string.h>

#include "contact/collider.h"
#include "step/adapt.h"
#include "step/attach.h"
#include "step/body.h"

// Of x1. Parts carry their strain along: only the map's elements have another energy.
static double next_energy(const ThawStepper *s) {
    const ThawIntegrationSet *set = s->system->map->set;
    if (isfinite(s->next_elastic))
        return s->next_elastic;
    if (s->adaptive && s->adaptive->partition->elastic_count == 0)
        return s->elastic;
    if (!s->adaptive || !isfinite(s->next_set_energy))
        return thaw_force_energy(s->shape->all, s->tasks, s->x1, s->partial);
    double before = isfinite(s->set_energy) ? s->set_energy : thaw_force_energy(set, s->tasks, s->x, s->partial);
    return s->elastic + (s->next_set_energy - before);
}

int thaw_ledger_is_kept(const ThawStepper *s) { return s->adaptive || s->model->options.ledger; }

ThawLedger *thaw_ledger_of(ThawWorld *world) { return world->model->options.ledger ? &world->state.ledger : NULL; }

void thaw_ledger_record(ThawStepper *s, ThawIncrement step) {
    double since = thaw_wall_ms();
    const ThawMap *map = s->system->map;
    const ThawPartition *parts = s->adaptive ? s->adaptive->partition : NULL;
    int dim = s->model->dim;
    size_t bytes = sizeof(double) * (size_t)s->shape->nv * (size_t)dim;
    double h = step.h;
    const double *v0 = s->v;
    if (parts && parts->part_count > 0) {
        memcpy(s->before, s->v, bytes);
        thaw_partition_velocities(parts, s->before);
        v0 = s->before;
    }
    thaw_body_resist(s, step);
    double form = s->forms[1];
    ThawStiffness scale = {step.newton ? 0 : h * h, h, s->project};

    memcpy(s->u, s->v1, bytes);
    if (parts && parts->part_count > 0 && step.newton)
        thaw_map_rigid_end_velocity(map, h, s->q, s->u);
    double external = 0, contact = 0, friction = 0, inertia = 0, work = 0, implicit = 0, fall = 0;
    for (int32_t i = 0; i < s->shape->nv; i++)
        for (int k = 0; k < dim; k++) {
            size_t at = (size_t)i * (size_t)dim + (size_t)k;
            double m = s->shape->mass[i], v1 = s->v1[at], dv = v1 - v0[at], weight = m * s->model->options.gravity[k];
            double drag = h * s->shape->damping_mass[i] * v1;
            work += h * s->u[at] * s->f[at];
            implicit += v1 * s->y[at]; // of stiffness and its damping
            friction += drag * v1;
            inertia += m * dv * dv;
            contact += v1 * s->impulse[at];
            external += h * s->u[at] * (s->f_ext[at] - weight);
            fall += weight * (s->x1[at] - s->x[at] - h * s->u[at]); // 0 but for parts that turn about a pin
            if (s->scripted[i]) // the reaction's impulse times the prescribed velocity
                external += v1 * (m * dv + drag + s->y[at] - h * (s->f[at] + s->f_ext[at]) - s->impulse[at]);
        }
    if (parts && parts->part_count > 0 && map->n > 0) {
        implicit += thaw_map_rigid_stress_form(map, scale, s->q);
        form += thaw_map_rigid_stress_form(map, (ThawStiffness){0, 1, s->project}, s->q);
    }
    double damping = step.newton ? implicit : h * form;
    double elastic1 = next_energy(s);
    s->work.external_work += external;
    s->work.contact_work += contact;
    s->work.damping_loss += damping + friction;
    s->work.integration_loss += inertia / 2 + (s->elastic - elastic1 - work + implicit - damping) + fall;
    s->elastic = elastic1;
    s->ms[THAW_STAGE_LEDGER] += thaw_wall_ms() - since;
}

// J
static double height_of(const ThawStepper *s) {
    int dim = s->model->dim;
    double sum = 0;
    for (int32_t i = 0; i < s->shape->nv; i++)
        for (int k = 0; k < dim; k++)
            sum -= s->shape->mass[i] * s->model->options.gravity[k] * s->x[(size_t)i * (size_t)dim + (size_t)k];
    return sum;
}

// J, of the parts: one that is reshaped keeps its momenta, and so has another energy.
static double motion_of_parts(const ThawStepper *s) {
    const ThawPartition *parts = s->adaptive ? s->adaptive->partition : NULL;
    double sum = 0;
    for (int32_t k = 0; parts && k < parts->part_count; k++)
        sum += thaw_part_kinetic(&parts->parts[k], s->model->dim);
    return sum;
}

void thaw_ledger_find_elastic(ThawStepper *s) {
    if (thaw_ledger_is_kept(s))
        s->elastic = thaw_force_energy(s->shape->all, s->tasks, s->x, s->partial);
}

// Whatever the oracle moves, also between two questions, has another elastic energy at once: a balance that is some
// steps old would show the work of loads in one step and what it went into in another. Positions before it are kept
// in x1, which nobody needs until the step.
void thaw_ledger_move(ThawStepper *s, const double *f_contact, int begin) {
    size_t dim = (size_t)s->model->dim, count = (size_t)s->shape->nv * dim;
    if (begin) {
        memcpy(s->x1, s->x, sizeof *s->x1 * count);
        s->work.follow_work -= s->elastic + motion_of_parts(s);
        return;
    }
    double weight = 0, loads = 0, contacts = 0, since = thaw_wall_ms();
    thaw_ledger_find_elastic(s);
    for (size_t i = 0; i < count; i++) {
        double d = s->x[i] - s->x1[i], w = s->shape->mass[i / dim] * s->model->options.gravity[i % dim];
        weight += d * w;
        loads += d * (s->f_ext[i] - w);
        contacts += d * f_contact[i];
    }
    s->work.external_work += loads;
    s->work.contact_work += contacts;
    s->work.follow_work += s->elastic + motion_of_parts(s) - weight - loads - contacts;
    s->ms[THAW_STAGE_LEDGER] += thaw_wall_ms() - since;
}

void thaw_ledger_add_energies(const ThawStepper *s, int asleep, ThawLedger *ledger) {
    int dim = s->model->dim;
    const ThawPartition *parts = s->adaptive ? s->adaptive->partition : NULL;
    ledger->elastic += s->elastic;
    ledger->gravitational += asleep ? s->height : height_of(s);
    if (asleep)
        return;
    ledger->shadow += s->adaptive ? thaw_oracle_state(s->adaptive->oracle)->energy : 0;
    for (int32_t i = 0; i < s->shape->nv; i++)
        for (int k = 0; k < dim && !(parts && parts->part_of_vertex[i] >= 0); k++) {
            double v = s->v[(size_t)i * (size_t)dim + (size_t)k];
            ledger->kinetic += s->shape->mass[i] * v * v / 2;
        }
    ledger->kinetic += motion_of_parts(s);
}

void thaw_ledger_add_obstacles(ThawWorld *world) {
    const ThawContactSet *set = &world->state.contacts;
    for (int32_t i = 0; i < set->count; i++) {
        const ThawContact *c = &set->contacts[i];
        double work = 0;
        for (int k = 0; k < world->model->dim && c->key.body[1] < 0; k++)
            work += c->lambda[k] * thaw_v3_dot(c->frame[k], c->velocity);
        world->steppers[c->key.body[0]].work.obstacle_work += work;
    }
}

double thaw_ledger_contact_energy(const ThawWorld *world) {
    const ThawContactSet *sets[2] = {&world->state.contacts, &world->state.resting};
    double sum = 0;
    for (int s = 0; s < 2; s++)
        for (int32_t i = 0; i < sets[s]->memory_count; i++)
            sum += sets[s]->memory[i].energy;
    return sum + thaw_attach_energy(world);
}
