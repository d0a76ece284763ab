// SPDX-License-Identifier: Apache-2.0
// The energy ledger: where every joule went. For backward Euler the change of kinetic energy is exactly
//     dT = v1'M dv - 1/2 dv'M dv,
//     M dv = h (f_used + f_ext) - h (alpha0 M + D(x0)) v1 + J'lambda + reactions of scripted vertices,
// with f_used = f(x0) - h K(x0) v1 (semi-implicit) or f(x1) (Newton). Term by term: external work, contact's work,
// damping loss, and what the integration itself takes: 1/2 dv'M dv, plus the difference between -dPsi and the work of
// f_used. The sum closes up to the residual of the linear or Newton solve. Costs one matrix-free product and one energy
// pass.
//
// A Newton step's forces act on rigid parts by dx1/dq: their work is that of end velocities dx1/dq q, not of v1.
//
// Vertices of rigid parts count with the velocities of their part in its orientation at the start of the step, which is
// what G sees; the part's own turn changes neither its energy nor its momentum (map/rigid/part.c).
#include <math.h>
#include <string.h>

#include "contact/collider.h"
#include "step/attach.h"
#include "step/body.h"
#include "step/method.h"

// Of x1. Frames carry strain along: only the map's elements have another energy.
double thaw_ledger_next_elastic(const ThawStepper *s) {
    const ThawIntegrationSet *set = s->system->map->set;
    if (isfinite(s->next_elastic))
        return s->next_elastic;
    if (set->element_count == 0)
        return s->elastic;
    if (!isfinite(s->next_set_energy) && !set->weighted)
        return thaw_force_energy(s->shape->all, s->tasks, s->x1, s->partial);
    double before = isfinite(s->set_energy) ? s->set_energy : thaw_force_energy(set, s->tasks, s->x, s->partial);
    double after =
        isfinite(s->next_set_energy) ? s->next_set_energy : thaw_force_energy(set, s->tasks, s->x1, s->partial);
    return s->elastic + (after - before);
}

int thaw_ledger_is_needed(const ThawStepper *s) {
    const ThawMethodOps *ops = s->method->ops;
    return s->data && ops->needs_ledger && (!ops->is_bound || ops->is_bound(s));
}

int thaw_ledger_is_kept(const ThawStepper *s) { return s->model->options.ledger || thaw_ledger_is_needed(s); }

ThawLedger *thaw_ledger_of(ThawWorld *world) { return world->model->options.ledger ? &world->state.ledger : NULL; }

// Works of a step, J, by sums over all coordinates.
typedef struct Works {
    double external, contact, work, implicit, fall; // implicit: of stiffness and its damping
} Works;

// A loop for each dimension, and with or without reactions: every step runs it over all vertices.
THAW_INLINE Works sum_works(const ThawStepper *s, double h, size_t dim, int moves) {
    Works sum = {0, 0, 0, 0, 0};
    for (int32_t i = 0; i < s->shape->nv; i++)
        for (size_t k = 0; k < dim; k++) {
            const size_t at = (size_t)i * dim + k;
            const double v1 = s->v1[at], weight = s->shape->mass[i] * s->model->options.gravity[k];
            sum.work += h * s->u[at] * s->f[at];
            sum.implicit += v1 * s->y[at];
            sum.contact += v1 * s->impulse[at];
            // 0 but for parts that turn about a pin, and where maps correct positions:
            const double beyond = s->x1[at] - s->x[at] - h * s->u[at];
            sum.external += (h * s->u[at] + beyond) * (s->f_ext[at] - weight);
            sum.fall += s->f_ext[at] * beyond;
            if (moves) // the reaction's impulse times the prescribed velocity
                sum.external += s->w[at] * (s->before[at] + s->y[at] - h * (s->f[at] + s->f_ext[at]) - s->impulse[at]);
        }
    return sum;
}

static Works find_works(const ThawStepper *s, double h) {
    if (s->model->dim == 2)
        return s->offset_moves ? sum_works(s, h, 2, 1) : sum_works(s, h, 2, 0);
    return s->offset_moves ? sum_works(s, h, 3, 1) : sum_works(s, h, 3, 0);
}

void thaw_ledger_record(ThawStepper *s, ThawIncrement step) {
    double since = thaw_wall_ms();
    const ThawMap *map = s->system->map;
    size_t bytes = sizeof(double) * (size_t)s->shape->nv * (size_t)s->model->dim;
    double h = step.h;
    const double *v0 = s->v;
    double forms[2]; // of the change of velocity by mass, and of drag
    if (map->frame_count > 0) {
        memcpy(s->before, s->v, bytes);
        map->ops->velocities(map, s->before);
        v0 = s->before;
    }
    thaw_body_resist(s, step);
    double form = s->forms[1];
    ThawStiffness scale = {step.newton ? 0 : h * h, h, s->project};

    memcpy(s->u, s->v1, bytes);
    if (map->frame_count > 0 && step.newton)
        map->ops->end_velocity(map, h, s->q, s->u);
    s->inertia->ops->change(s->inertia, h, v0, s->v1, forms, s->offset_moves ? s->before : NULL);
    Works sum = find_works(s, h);
    if (map->frame_count > 0 && map->n > 0) {
        sum.implicit += map->ops->stress_form(map, scale, s->q);
        form += map->ops->stress_form(map, (ThawStiffness){0, 1, s->project}, s->q);
    }
    double damping = step.newton ? sum.implicit : h * form;
    double elastic1 = thaw_ledger_next_elastic(s);
    s->work.external_work += sum.external;
    s->work.contact_work += sum.contact;
    s->work.damping_loss += damping + forms[1];
    s->work.integration_loss += forms[0] / 2 + (s->elastic - elastic1 - sum.work + sum.implicit - damping) + sum.fall;
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

void thaw_ledger_find_elastic(ThawStepper *s) {
    if (thaw_ledger_is_kept(s))
        s->elastic = thaw_force_energy(s->shape->all, s->tasks, s->x, s->partial);
}

void thaw_ledger_add_kinetic(const ThawStepper *s, const int32_t *frame_of, ThawLedger *ledger) {
    s->inertia->ops->add_kinetic(s->inertia, frame_of, s->v, &ledger->kinetic);
}

void thaw_ledger_add_energies(const ThawStepper *s, int asleep, ThawLedger *ledger) {
    ledger->elastic += s->elastic;
    ledger->gravitational += asleep ? s->height : height_of(s);
    if (asleep)
        return;
    if (s->data && s->method->ops->add_energies)
        s->method->ops->add_energies(s, ledger);
    else
        thaw_ledger_add_kinetic(s, NULL, ledger);
}

void thaw_ledger_add_obstacles(ThawWorld *world) {
    const ThawContactSet *set = &world->state.contacts;
    for (int32_t i = 0; i < set->count; i++) {
        const ThawContact *c = &set->contacts[i];
        double work = 0;
        for (int k = 0; k < world->model->dim && c->key.body[1] < 0; k++)
            work += c->lambda[k] * thaw_v3_dot(c->frame[k], c->velocity);
        thaw_world_mover(world, c->key.body[0])->work.obstacle_work += work;
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
