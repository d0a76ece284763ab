// SPDX-License-Identifier: Apache-2.0
// No step in a moving frame leaves a body more energy than it had and was given. Three things may make some out of
// nothing, each of them first order in the step: forces that are linearised; gravity and contact that turn a body which
// rolls or tips over a corner by the lever that the corner has at the end of the step, where it is farther out than on
// the way; and momenta that are mended. The balance of a body over the interval is
//
//     gain = K1 + E1 - K0 - E0 - sum f_ext.(x1 - x0) - W,
//
// W: what contacts have done on it. A force of contact works along the way that its point goes, but what comes through
// the air and is stopped at the end of the step is pushed only there, by a spring that gives back what it has taken. So
// W is what the springs of contacts have given, and obstacles that move; of two stages, whose impulses are not those of
// the end, it is the larger of that and of what impulses do along the way. What is gained comes off
//
//   1. motion against the body's rigid motion, which has neither momentum nor angular momentum;
//   2. the rigid motion, by the lever of impulses, of contacts and, of free bodies, of loads: first by what these had
//      beyond that of their points at the end (moving.c), then any between those of the start and of the end is as
//      good, and P stays what they have made of it. L1 <- L1 - e T, T = sum (r1 - r0) x g, 0 <= e <= 1;
//   3. of what pins hold, the rigid motion.
//
// and no more than is gained, so what rolls is not braked. (Of maps with frames, motion against the body comes off
// later, by their methods.) The book of all bodies of an island is closed after that, by the same means (balance.c).
#include <math.h>
#include <string.h>

#include "contact/collider.h"
#include "step/body.h"
#include "step/method.h"
#include "step/moving_impl.h"

static const double ROUNDING = 1e-12; // of the energies that the gain is the small difference of

static size_t dim_of(const ThawStepper *s) { return (size_t)s->model->dim; }

static size_t coordinates(const ThawStepper *s) { return (size_t)s->shape->nv * dim_of(s); }

static double kinetic_of(const ThawStepper *s, const double *v) {
    double sum = 0;
    s->inertia->ops->add_kinetic(s->inertia, NULL, v, &sum);
    return sum;
}

// --- contacts --------------------------------------------------------------------------------------------------------

// J, by how much more than its force along the way of its sides the springs of a contact have given.
static double contact_credit(const ThawWorld *world, const ThawContact *c, double h) {
    const int dim = world->model->dim;
    double way[3], work = 0;
    for (int k = 0; k < 3; k++)
        way[k] = -h * c->velocity[k];
    for (int side = 0; side < 2; side++)
        for (int n = 0; n < c->nodes[side]; n++) {
            const ThawStepper *s = thaw_world_mover(world, c->key.body[side]);
            const size_t at = (size_t)c->vertex[side][n] * (size_t)dim;
            for (size_t k = 0; k < (size_t)dim; k++)
                way[k] += (side ? -1 : 1) * c->weight[side][n] * (s->x1[at + k] - s->x[at + k]);
        }
    for (int r = 0; r < dim; r++)
        work += c->lambda[r] / h * thaw_v3_dot(c->frame[r], way);
    const double given = c->energy - thaw_contact_energy(&world->model->options.contact, c, dim, h);
    return given - work;
}

void thaw_gain_credit(ThawWorld *world, double h) {
    const ThawContactSet *set = &world->state.contacts;
    for (int32_t i = 0; i < world->awake_count; i++)
        world->steppers[world->awake[i]].moving.credit = 0;
    for (int32_t i = 0; i < set->count; i++) {
        const ThawContact *c = &set->contacts[i];
        if (c->lambda[0] == 0 && c->energy == 0)
            continue;
        const double credit = contact_credit(world, c, h);
        for (int side = 0; side < 2; side++)
            if (c->key.body[side] >= 0)
                thaw_world_mover(world, c->key.body[side])->moving.credit += credit / (c->nodes[1] > 0 ? 2 : 1);
    }
}

// --- the balance -----------------------------------------------------------------------------------------------------

static double elastic_gain(ThawStepper *s, double *size) {
    const ThawIntegrationSet *set = s->system->map->set;
    if (set->element_count == 0)
        return 0;
    if (!isfinite(s->set_energy))
        s->set_energy = thaw_force_energy(set, s->tasks, s->x, s->partial);
    if (!isfinite(s->next_set_energy))
        s->next_set_energy = thaw_force_energy(set, s->tasks, s->x1, s->partial);
    *size += fabs(s->set_energy) + fabs(s->next_set_energy);
    return s->next_set_energy - s->set_energy;
}

// What the interval has added to a body beyond the work of loads; what rounding leaves of that is in moving.noise.
static double own_gain(ThawStepper *s, double kinetic0, const double *v1) {
    const double kinetic1 = kinetic_of(s, v1);
    double size = kinetic0 + kinetic1, work = 0;
    for (size_t i = 0; i < coordinates(s); i++)
        work += s->f_ext[i] * (s->x1[i] - s->x[i]);
    const double gain = kinetic1 - kinetic0 + elastic_gain(s, &size) - work;
    s->moving.noise = ROUNDING * (size + fabs(work)) + 2 * s->energy_rounding; // of both energies
    return gain;
}

static double gain_of(ThawStepper *s, double kinetic0, const double *v1) {
    const double least = s->moving.scheme->stage_count > 1 ? 0 : -INFINITY;
    const double contact = s->moving.contact + fmax(least, s->moving.credit);
    s->moving.own = own_gain(s, kinetic0, v1);
    const double gain = s->moving.own - contact;
    return gain > s->moving.noise + ROUNDING * fabs(contact) ? gain : 0;
}

void thaw_gain_note(ThawStepper *s) { s->moving.own = s->offset_moves ? NAN : own_gain(s, kinetic_of(s, s->v), s->v1); }

// --- taking it off ---------------------------------------------------------------------------------------------------

// A body's rigid motion at the end of the interval.
typedef struct Rigid {
    ThawPart part;
    double *r; // m, levers of its vertices
    double v[3], omega[3];
} Rigid;

static void load(const ThawStepper *s, const double *from, int32_t i, double to[3]) {
    thaw_v3_load(s->model->dim, from + (size_t)i * dim_of(s), to);
}

static void find_rigid(const ThawStepper *s, const double *v1, double *r, Rigid *rigid) {
    *rigid = (Rigid){.part = {.count = s->shape->nv, .pins = s->moving.whole.pins, .hold = THAW_HOLD_FIXED}, .r = r};
    if (s->moving.whole.hold == THAW_HOLD_FIXED)
        return;
    thaw_part_form(s->shape, s->moving.vertices, s->scripted, s->x1, v1, &rigid->part, r);
    thaw_part_velocity(&rigid->part, s->model->dim, rigid->v, rigid->omega);
}

// v1 <- V + share (v1 - V), and how much energy was in v1 - V.
static double relative(ThawStepper *s, const Rigid *rigid, double share, double *v1) {
    memset(s->u, 0, sizeof *s->u * coordinates(s));
    for (int32_t i = 0; i < s->shape->nv; i++) {
        double r[3] = {0}, V[3];
        if (rigid->part.hold != THAW_HOLD_FIXED)
            load(s, rigid->r, i, r);
        thaw_v3_cross(rigid->omega, r, V);
        for (size_t k = 0, at = (size_t)i * dim_of(s); k < dim_of(s) && !s->scripted[i]; k++, at++) {
            const double w = v1[at] - (rigid->v[k] + V[k]);
            s->u[at] = w;
            v1[at] -= (1 - share) * w;
        }
    }
    return kinetic_of(s, s->u);
}

static double take_from_relative(ThawStepper *s, const Rigid *rigid, double gain, double *v1) {
    const double has = s->system->map->frame_count > 0 ? 0 : relative(s, rigid, 1, v1), taken = fmin(gain, has);
    if (taken > 0)
        relative(s, rigid, sqrt(1 - taken / has), v1);
    return taken;
}

static void turn(ThawStepper *s, const Rigid *rigid, const double v[3], const double omega[3], double *v1) {
    ThawMap *map = s->system->map;
    for (int32_t i = 0; i < s->shape->nv; i++) {
        double r[3], more[3];
        load(s, rigid->r, i, r);
        thaw_v3_cross(omega, r, more);
        for (size_t k = 0, at = (size_t)i * dim_of(s); k < dim_of(s) && !s->scripted[i]; k++, at++)
            v1[at] += v[k] + more[k];
    }
    if (map->frame_count > 0)
        map->ops->push(map, rigid->part.p, v, omega);
}

// T = sum (r1 - r0) x g of contacts and loads; from: where vertices were.
static void lever_torque(const ThawStepper *s, const ThawPart *part, const double *from, double T[3]) {
    double along[3] = {0};
    for (int k = 0; k < 3 && part->hold == THAW_HOLD_FREE; k++)
        along[k] = part->p[k] - s->moving.whole.p[k];
    memset(T, 0, 3 * sizeof *T);
    for (int32_t i = 0; i < s->shape->nv; i++) {
        double x0[3], x1[3], g[3], push[3] = {0}, more[3];
        load(s, s->f_ext, i, g);
        if (s->touching)
            load(s, s->impulse, i, push);
        load(s, from, i, x0);
        load(s, s->x1, i, x1);
        for (int k = 0; k < 3; k++) {
            g[k] = s->scripted[i] ? 0 : push[k] + (part->hold == THAW_HOLD_FREE ? s->moving.span * g[k] : 0);
            x1[k] -= x0[k] + along[k];
        }
        thaw_v3_cross(x1, g, more);
        thaw_v3_add(T, 1, more, T);
    }
}

// L1 <- L1 - e T, 0 <= e <= 1 - *used: K falls by e b - e^2 a, b = omega.T, a = T.I^-1 T / 2.
static double take_torque(ThawStepper *s, Rigid *rigid, const double T[3], double *used, double gain, double *v1) {
    const double none[3] = {0};
    double v[3], spin[3];
    ThawPart change = rigid->part;
    thaw_part_push(&change, none, T);
    thaw_part_velocity(&change, s->model->dim, v, spin);
    const double b = thaw_v3_dot(rigid->omega, change.L), a = thaw_v3_dot(change.L, spin) / 2;
    if (!(b > 0) || !(a > 0))
        return 0;
    const double root = b * b - 4 * a * gain;
    const double e = fmin(1 - *used, root > 0 ? 2 * gain / (b + sqrt(root)) : b / (2 * a));
    if (!(e > 0))
        return 0;
    *used += e;
    for (int k = 0; k < 3; k++) {
        spin[k] *= -e;
        rigid->omega[k] += spin[k];
    }
    turn(s, rigid, none, spin, v1);
    return e * (b - e * a);
}

static double take_from_levers(ThawStepper *s, Rigid *rigid, const double *x0, double gain, double *v1) {
    double T[3], taken = 0;
    if (s->moving.whole.hold == THAW_HOLD_FIXED)
        return 0;
    if (s->moving.scheme->stage_count == 1)
        taken = take_torque(s, rigid, s->moving.rolled, &s->moving.unrolled, gain, v1);
    if (!(gain - taken > 0))
        return taken;
    lever_torque(s, &rigid->part, x0, T);
    return taken + take_torque(s, rigid, T, &s->moving.levered, gain - taken, v1);
}

static double take_from_held(ThawStepper *s, const Rigid *rigid, double gain, double *v1) {
    double L[3], v[3] = {0}, spin[3];
    if (rigid->part.hold == THAW_HOLD_FREE || s->moving.whole.hold == THAW_HOLD_FIXED)
        return 0;
    ThawPart part = rigid->part;
    thaw_part_form(s->shape, s->moving.vertices, s->scripted, s->x1, v1, &part, rigid->r);
    memcpy(L, part.L, sizeof L);
    thaw_part_velocity(&part, s->model->dim, v, spin);
    const double has = thaw_v3_dot(L, spin) / 2, taken = fmin(gain, has);
    if (!(taken > 0))
        return 0;
    for (int k = 0; k < 3; k++)
        spin[k] *= sqrt(1 - taken / has) - 1;
    turn(s, rigid, v, spin, v1);
    return taken;
}

void thaw_gain_take(ThawStepper *s, double kinetic0, double *v1, double *r) {
    Rigid rigid;
    s->moving.own = NAN;
    s->moving.levered = s->moving.unrolled = 0;
    if (s->offset_moves)
        return;
    const double gain = gain_of(s, kinetic0, v1);
    double left = gain;
    if (!(gain > 0))
        return;
    find_rigid(s, v1, r, &rigid);
    left -= take_from_relative(s, &rigid, left, v1);
    if (left > 0)
        left -= take_from_levers(s, &rigid, s->x, left, v1);
    if (left > 0)
        left -= take_from_held(s, &rigid, left, v1);
    s->moving.own -= gain - left;
}

// The least that the body has at the end of the interval whatever is taken off.
static double least_kinetic(ThawStepper *s) {
    const ThawMovingFrame *f = &s->moving;
    double P[3], L[3], T[3], v[3], omega[3];
    ThawPart part;
    if (!f->acts || f->whole.hold != THAW_HOLD_FREE)
        return 0;
    thaw_moving_missing(s, s->v1, &part, v, omega, s->u);
    lever_torque(s, &part, s->x, T);
    for (int k = 0; k < 3; k++) {
        P[k] = f->whole.P[k] + f->given[0][k];
        L[k] = f->whole.L[k] + f->given[1][k];
    }
    thaw_part_push(&part, P, L);
    const double whole = thaw_part_kinetic(&part, s->model->dim);
    thaw_v3_sub(L, T, L);
    thaw_part_push(&part, P, L);
    return fmin(whole, thaw_part_kinetic(&part, s->model->dim));
}

double thaw_gain_least(ThawStepper *s, double *moving, double *size) {
    const double *v0 = s->v;
    if (s->data && s->method->ops->velocities) {
        memcpy(s->before, s->v, sizeof *s->v * coordinates(s));
        s->method->ops->velocities(s, s->before);
        v0 = s->before;
    }
    const double kinetic0 = kinetic_of(s, v0);
    double work = 0;
    for (size_t i = 0; i < coordinates(s); i++)
        work += s->f_ext[i] * (s->x1[i] - s->x[i]);
    const double kinetic1 = least_kinetic(s), gain = kinetic1 - kinetic0 + elastic_gain(s, size) - work;
    *moving += kinetic1;
    *size += kinetic0 + fabs(work);
    return gain - THAW_MANY_ROUNDINGS * s->energy_rounding;
}

// --- once the interval is final --------------------------------------------------------------------------------------

static void find_final(ThawStepper *s, Rigid *rigid) {
    memcpy(s->y, s->v, sizeof *s->y * coordinates(s));
    if (s->data && s->method->ops->velocities)
        s->method->ops->velocities(s, s->y);
    find_rigid(s, s->y, s->moving.r, rigid);
}

static int is_pinned(const ThawStepper *s) {
    for (int32_t i = 0; i < s->shape->nv; i++)
        if (s->scripted[i])
            return 1;
    return 0;
}

double thaw_gain_reserve(ThawStepper *s) {
    Rigid rigid;
    if (s->offset_moves)
        return 0;
    if (s->data && s->method->ops->reserve)
        return s->method->ops->reserve(s);
    if (s->inertia != &s->lumped || (!s->moving.acts && !is_pinned(s))) // its rigid motion is not known
        return 0;
    find_final(s, &rigid);
    return relative(s, &rigid, 1, s->v);
}

double thaw_gain_give(ThawStepper *s, double most) {
    Rigid rigid;
    if (s->data && s->method->ops->give)
        return s->method->ops->give(s, most);
    find_final(s, &rigid);
    return take_from_relative(s, &rigid, most, s->v);
}

double thaw_gain_turn(ThawStepper *s, double most) {
    Rigid rigid;
    double left = most;
    if (s->offset_moves || !s->moving.acts)
        return 0;
    find_final(s, &rigid);
    left -= take_from_levers(s, &rigid, s->moving.last, left, s->v);
    if (left > 0)
        left -= take_from_held(s, &rigid, left, s->v);
    return most - left;
}
