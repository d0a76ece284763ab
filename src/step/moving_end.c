// SPDX-License-Identifier: Apache-2.0
// The end of an interval in a moving frame: what its momenta, its energy and the ledger come to. Linear and angular
// momentum are exactly what loads and contacts have made of them: the rigid motion that is missing is added.
#include <math.h>
#include <string.h>

#include "math/rotation.h"
#include "step/body.h"
#include "step/method.h"
#include "step/moving_impl.h"

static size_t dim_of(const ThawStepper *s) { return (size_t)s->model->dim; }
static size_t bytes_of(const ThawStepper *s) { return sizeof(double) * (size_t)s->shape->nv * dim_of(s); }

// The rigid motion by which momenta of velocities v1 at x1 fall short of what loads and contacts have made of them,
// about part->p. r: levers, then.
void thaw_moving_missing(ThawStepper *s, const double *v1, ThawPart *part, double v[3], double omega[3], double *r) {
    const ThawMovingFrame *f = &s->moving;
    double P[3], L[3];
    *part = (ThawPart){.count = s->shape->nv, .pins = f->whole.pins};
    thaw_part_form(s->shape, f->vertices, s->scripted, s->x1, v1, part, r);
    for (int k = 0; k < 3; k++) {
        P[k] = f->whole.P[k] + f->given[0][k] - part->P[k];
        L[k] = f->whole.L[k] + f->given[1][k] - part->L[k];
    }
    thaw_part_push(part, P, L);
    thaw_part_velocity(part, s->model->dim, v, omega);
}

// The torque of forces that are strong beside inertia (a body that is squeezed) may be off by more than the body's own
// motion: then what mends it would be a blow out of nothing.
int thaw_moving_is_kicked(ThawStepper *s, ThawIncrement step) {
    const ThawMovingFrame *f = &s->moving;
    double v[3], omega[3];
    ThawPart part;
    if (!f->acts || f->whole.hold == THAW_HOLD_FIXED)
        return 0;
    thaw_moving_missing(s, s->v1, &part, v, omega, s->u);
    const double kick = (thaw_v3_dot(part.P, v) + thaw_v3_dot(part.L, omega)) / 2;
    double had = thaw_moving_energy(s, s->v) + thaw_moving_energy(s, s->v1) + fabs(f->contact), load[3] = {0};
    for (size_t i = 0; i < (size_t)s->shape->nv * dim_of(s); i++) // loads alone would give it so much
        load[i % dim_of(s)] += step.h * fabs(s->f_ext[i]);
    had += thaw_v3_dot(load, load) / (2 * s->shape->total_mass);
    return kick > THAW_LARGEST_GAIN * had;
}

// What velocities against the motion have, what loads and the frame's own forces have given on the way against it.
static double relative_change(const ThawStepper *s, double *had) {
    const ThawMovingFrame *f = &s->moving;
    const double kinetic = thaw_moving_energy(s, f->w);
    double work = 0;
    for (int32_t i = 0; i < s->shape->nv; i++) {
        double way[3], moved[3], force[3];
        thaw_moving_load(s, f->moved, i, moved);
        thaw_moving_load(s, f->f_ext, i, force);
        thaw_rotate(f->motion.D, moved, way);
        work += s->scripted[i] ? 0 : thaw_v3_dot(force, way);
    }
    *had += kinetic + fabs(work);
    return thaw_moving_energy(s, f->speed) - kinetic - work;
}

double thaw_moving_gain(ThawStepper *s, double *had) {
    const ThawMap *map = s->system->map;
    if (!isfinite(s->set_energy))
        s->set_energy = thaw_force_energy(map->set, s->tasks, s->x, s->partial);
    const double elastic =
        isfinite(s->next_set_energy) ? s->next_set_energy : thaw_force_energy(map->set, s->tasks, s->x1, s->partial);
    *had += fmax(0, s->set_energy);
    if (s->moving.led) // scripts do no work in the frame
        return relative_change(s, had) + elastic - s->set_energy - THAW_MANY_ROUNDINGS * s->energy_rounding;
    const double kinetic = thaw_moving_energy(s, s->v);
    double work = 0;
    for (size_t i = 0; i < (size_t)s->shape->nv * dim_of(s); i++)
        work += s->f_ext[i] * (s->x1[i] - s->x[i]);
    *had += kinetic + fabs(work);
    return thaw_moving_energy(s, s->v1) + elastic - kinetic - s->set_energy - work -
           THAW_MANY_ROUNDINGS * s->energy_rounding;
}

// Adds the rigid motion that is missing, or only its velocity. v1: of all vertices; r: scratch.
static void mend_momenta(ThawStepper *s, double *v1, double *r) {
    ThawMap *map = s->system->map;
    double v[3], omega[3], rho[3], turn[3];
    ThawPart part;
    if (s->moving.whole.hold == THAW_HOLD_FIXED) // in the world's axes, or held
        return;
    thaw_moving_missing(s, v1, &part, v, omega, r);
    if (!s->moving.mends)
        memset(omega, 0, sizeof omega);
    for (int32_t i = 0; i < s->shape->nv; i++) {
        thaw_moving_load(s, r, i, rho);
        thaw_v3_cross(omega, rho, turn);
        for (size_t k = 0, at = (size_t)i * dim_of(s); k < dim_of(s) && !s->scripted[i]; k++, at++)
            v1[at] += v[k] + turn[k];
    }
    if (map->frame_count > 0)
        map->ops->push(map, part.p, v, omega);
}

// The half of the Coriolis force that comes behind, on velocities against the motion; r, w and y: scratch.
static void turn_behind(ThawStepper *s, double h, double *v1, double *r, double *w, double *y) {
    const ThawMovingFrame *f = &s->moving;
    ThawPart part = {.count = s->shape->nv, .pins = f->whole.pins};
    double v[3], omega[3], rho[3], turn[3];
    if (f->led) {
        part = f->whole;
        thaw_v3_copy(f->motion.v, v);
        thaw_v3_copy(f->motion.omega[1], omega);
        for (size_t i = 0; i < (size_t)s->shape->nv * dim_of(s); i++)
            r[i] = s->x1[i] - f->motion.to[i % dim_of(s)];
    } else if (f->whole.hold == THAW_HOLD_FIXED) {
        return;
    } else {
        thaw_part_form(s->shape, f->vertices, s->scripted, s->x1, v1, &part, r);
        thaw_part_velocity(&part, s->model->dim, v, omega);
    }
    for (int turned_yet = 0; turned_yet < 2; turned_yet++) {
        for (int32_t i = 0; i < s->shape->nv; i++) {
            thaw_moving_load(s, r, i, rho);
            thaw_v3_cross(omega, rho, turn);
            for (size_t k = 0, at = (size_t)i * dim_of(s); k < dim_of(s); k++, at++)
                if (turned_yet)
                    v1[at] = s->scripted[i] || thaw_map_carries(s->system->map, i) ? v1[at] : w[at] + v[k] + turn[k];
                else
                    w[at] = s->scripted[i] ? 0 : v1[at] - (v[k] + turn[k]);
        }
        if (!turned_yet)
            thaw_moving_coriolis(s, &part, r, h, omega, w, y);
    }
}

// J, what scripted vertices take of their own change of velocity. impulse: scratch.
static double drive_work(const ThawStepper *s, const double *v1, double *impulse) {
    const size_t dim = dim_of(s);
    double forms[2], work = 0;
    int moves = 0;
    for (size_t at = 0; at < (size_t)s->shape->nv * dim; at++)
        moves |= s->scripted[at / dim] && (v1[at] != 0 || s->v[at] != 0);
    if (!moves)
        return 0;
    s->inertia->ops->change(s->inertia, 0, s->v, v1, forms, impulse);
    for (size_t at = 0; at < (size_t)s->shape->nv * dim; at++)
        work += s->scripted[at / dim] ? impulse[at] * (v1[at] + s->v[at]) / 2 : 0;
    return work;
}

// What loads, contacts and damping did; the rest of what is missing the integration took.
static void record(ThawStepper *s, ThawIncrement step, double kinetic0, const double *v1) {
    const double *gravity = s->model->options.gravity;
    double external = s->moving.driven + drive_work(s, v1, s->moving.r), friction = 0, fall = 0,
           contact = s->moving.contact + thaw_moving_rolled_work(s);
    for (int32_t i = 0; i < s->shape->nv; i++)
        for (size_t k = 0, at = (size_t)i * dim_of(s); k < dim_of(s); k++, at++) {
            const double moved = s->x1[at] - s->x[at], weight = s->shape->mass[i] * gravity[k];
            external += moved * (s->f_ext[at] - weight);
            fall += moved * weight;
            friction += step.h * s->shape->damping_mass[i] * v1[at] * v1[at];
        }
    const double elastic1 = thaw_ledger_next_elastic(s), damping = s->moving.damping + friction;
    s->work.external_work += external;
    s->work.contact_work += contact;
    s->work.damping_loss += damping;
    s->work.integration_loss +=
        kinetic0 - thaw_moving_energy(s, v1) + s->elastic - elastic1 + external + fall + contact - damping;
    s->elastic = elastic1;
}

static void turn_back(ThawStepper *s, double *all) {
    const ThawMovingFrame *f = &s->moving;
    double v[3];
    for (int k = 0; k < 3; k++)
        v[k] = (f->whole.P[k] + f->given[0][k]) / s->shape->total_mass;
    thaw_travel_turn(s, v, all);
}

void thaw_moving_commit(ThawStepper *s, ThawIncrement step) {
    ThawMovingFrame *f = &s->moving;
    ThawMap *map = s->system->map;
    double kinetic0 = 0, *all = f->along; // velocities of all vertices, those of parts by their momenta
    const int kept = thaw_ledger_is_kept(s);
    memcpy(all, s->v, bytes_of(s));
    if (map->frame_count > 0)
        map->ops->velocities(map, all);
    kinetic0 = thaw_moving_energy(s, all);
    if (map->frame_count > 0) {
        map->ops->enter(map, &f->motion, f->x, f->v);
        map->ops->commit(map, f->h, s->q);
        ThawRigidMotion motion = f->motion;
        for (int k = 0; k < 3; k++)
            motion.to[k] = f->further.at[k] + f->h * f->further.v[k];
        map->ops->leave(map, &motion);
    }
    memcpy(s->impulse, f->impulse, bytes_of(s));
    memcpy(all, s->v1, bytes_of(s));
    if (map->frame_count > 0)
        map->ops->velocities(map, all);
    if (f->scheme->stage_count > 1)
        turn_behind(s, step.h / 2, all, f->r, f->w, f->x);
    else if (f->travel.ease > 0)
        turn_back(s, all);
    mend_momenta(s, all, f->r);
    thaw_gain_take(s, kinetic0, all, f->r);
    memcpy(s->v1, all, bytes_of(s));
    if (kept)
        record(s, step, kinetic0, all);
}
