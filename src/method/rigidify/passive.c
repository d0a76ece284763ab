// SPDX-License-Identifier: Apache-2.0
// What an adaptive body gains by its parts is taken off again.
//
// The ledger says what each step gained: energies at its end, less those at its start and the work of loads and
// contacts. Rigid parts that catch up with their shadow (oracle/answer.c), that turn about a pin under a load of the
// start of the step, or that thaw under stress may gain a little: each by an approximation of its own, which is good to
// first order and has no sign. What a body has gained so far and not yet lost again is `gained` in its state, and is
// taken off motion that moves nothing from its place:
//
//     first the shadow w, motion within parts;
//     then v_i <- V_i + s (v_i - V_i), with V the rigid motion of the whole body that is nearest by mass: P and L stay.
//
// Of a body that pins hold V is 0, also where a pin or a hinge would let it turn. Where a script moves it only the
// shadow gives. What cannot be had in this step is asked for in the next, less what that loses itself; sleep, another
// method and positions set from outside end it. A body that is elastic as a whole all step long moves as by the full
// method, whose linearised steps may gain, too.
#include "method/rigidify/passive.h"

#include <math.h>

#include "math/vec3.h"
#include "method/rigidify/rigidify.h"

static const double ROUNDING = 1e-12; // of the energies that a step's gain is the small difference of

// A rigid motion: the velocity at `centre`, and the turn about it.
typedef struct Motion {
    double centre[3], v[3], omega[3];
} Motion;

static void velocity_at(const Motion *motion, const double at[3], double v[3]) {
    double r[3];
    for (int k = 0; k < 3; k++)
        r[k] = at[k] - motion->centre[k];
    thaw_v3_cross(motion->omega, r, v);
    for (int k = 0; k < 3; k++)
        v[k] += motion->v[k];
}

static void load(const ThawStepper *s, const double *from, int32_t i, double to[3]) {
    to[2] = 0;
    for (int k = 0; k < s->model->dim; k++)
        to[k] = from[(size_t)i * (size_t)s->model->dim + (size_t)k];
}

// P of a mass at `at` has the angular momentum r x P about the centre.
static void add_momentum(const double centre[3], const double at[3], const double P[3], double sum[2][3]) {
    double r[3], turn[3];
    for (int k = 0; k < 3; k++)
        r[k] = at[k] - centre[k];
    thaw_v3_cross(r, P, turn);
    for (int k = 0; k < 3; k++) {
        sum[0][k] += P[k];
        sum[1][k] += turn[k];
    }
}

// The rigid motion nearest by mass to that of vertices and parts.
static Motion rigid_motion(const ThawStepper *s) {
    const ThawPartition *parts = thaw_rigidify(s)->partition;
    const double mass = s->shape->total_mass;
    double sum[2][3] = {{0}}, J[9] = {0}, x[3], P[3];
    Motion motion = {0};
    for (int32_t i = 0; i < s->shape->nv; i++) {
        load(s, s->x, i, x);
        for (int k = 0; k < 3; k++)
            motion.centre[k] += s->shape->mass[i] / mass * x[k];
    }
    for (int32_t i = 0; i < s->shape->nv; i++) {
        const double m = s->shape->mass[i];
        load(s, s->x, i, x);
        load(s, s->v, i, P);
        for (int k = 0; k < 3; k++)
            P[k] *= m;
        if (parts->part_of_vertex[i] < 0)
            add_momentum(motion.centre, x, P, sum);
        for (int k = 0; k < 3; k++)
            x[k] -= motion.centre[k];
        thaw_v3_add_inertia(m, x, J);
    }
    for (int32_t p = 0; p < parts->part_count; p++) {
        add_momentum(motion.centre, parts->parts[p].p, parts->parts[p].P, sum);
        for (int k = 0; k < 3; k++)
            sum[1][k] += parts->parts[p].L[k];
    }
    thaw_part_spin(s->model->dim, J, sum[1], motion.omega);
    for (int k = 0; k < 3; k++)
        motion.v[k] = sum[0][k] / mass;
    return motion;
}

// Momenta that the part would have if it moved with the body.
static void carried(const ThawPart *part, const Motion *motion, double P[3], double L[3]) {
    double J[9];
    thaw_part_turned(part, part->inertia.second, J);
    velocity_at(motion, part->p, P);
    for (int k = 0; k < 3; k++) {
        P[k] *= part->inertia.mass;
        L[k] = J[k] * motion->omega[0] + J[k + 3] * motion->omega[1] + J[k + 6] * motion->omega[2];
    }
}

// J, of what moves against the rigid motion.
static double relative_energy(const ThawStepper *s, const Motion *motion) {
    const ThawPartition *parts = thaw_rigidify(s)->partition;
    double sum = 0, x[3], v[3], V[3];
    for (int32_t i = 0; i < s->shape->nv; i++) {
        if (parts->part_of_vertex[i] >= 0)
            continue;
        load(s, s->x, i, x);
        load(s, s->v, i, v);
        velocity_at(motion, x, V);
        for (int k = 0; k < s->model->dim; k++)
            sum += s->shape->mass[i] * (v[k] - V[k]) * (v[k] - V[k]) / 2;
    }
    for (int32_t p = 0; p < parts->part_count; p++) {
        ThawPart part = parts->parts[p];
        double P[3], L[3];
        carried(&part, motion, P, L);
        for (int k = 0; k < 3; k++) {
            P[k] = part.P[k] - P[k];
            L[k] = part.L[k] - L[k];
        }
        thaw_part_push(&part, P, L);
        sum += thaw_part_kinetic(&part, s->model->dim);
    }
    return sum;
}

// What moves against the rigid motion goes on by the share s of that.
static void slow_down(ThawStepper *s, const Motion *motion, double share) {
    const size_t dim = (size_t)s->model->dim;
    ThawPartition *parts = thaw_rigidify(s)->partition;
    double x[3], V[3];
    for (int32_t i = 0; i < s->shape->nv; i++) {
        load(s, s->x, i, x);
        velocity_at(motion, x, V);
        for (size_t k = 0; k < dim && !s->scripted[i]; k++)
            s->v[(size_t)i * dim + k] = V[k] + share * (s->v[(size_t)i * dim + k] - V[k]);
    }
    for (int32_t p = 0; p < parts->part_count; p++) {
        ThawPart *part = &parts->parts[p];
        double P[3], L[3];
        carried(part, motion, P, L);
        for (int k = 0; k < 3; k++) {
            P[k] += share * (part->P[k] - P[k]);
            L[k] += share * (part->L[k] - L[k]);
        }
        thaw_part_push(part, P, L);
    }
}

// Up to `most` J of the shadow; returns how much.
static double take_from_shadow(ThawStepper *s, double most) {
    ThawOracleState *state = thaw_oracle_state(thaw_rigidify(s)->oracle);
    const double taken = fmin(most, state->energy);
    if (!(taken > 0))
        return 0;
    const double share = sqrt(1 - taken / state->energy);
    for (size_t i = 0; i < (size_t)s->shape->nv * (size_t)s->model->dim; i++)
        state->shadow[i] *= share;
    state->energy -= taken;
    return taken;
}

static int is_pinned(const ThawStepper *s) {
    for (int32_t i = 0; i < s->shape->nv; i++)
        if (s->scripted[i])
            return 1;
    return 0;
}

// The motion of the whole body that nothing is taken of.
static Motion kept_motion(const ThawStepper *s) { return is_pinned(s) ? (Motion){0} : rigid_motion(s); }

static double take_from_motion(ThawStepper *s, double most) {
    if (s->offset_moves || !(most > 0))
        return 0;
    const Motion motion = kept_motion(s);
    const double has = relative_energy(s, &motion), taken = fmin(most, has);
    if (taken > 0)
        slow_down(s, &motion, sqrt(1 - taken / has));
    return taken;
}

double thaw_passive_reserve(const ThawStepper *s) {
    const Motion motion = kept_motion(s);
    return thaw_oracle_state(thaw_rigidify(s)->oracle)->energy + (s->offset_moves ? 0 : relative_energy(s, &motion));
}

double thaw_passive_give(ThawStepper *s, double most) {
    const double taken = take_from_shadow(s, most);
    return taken + take_from_motion(s, most - taken);
}

static double ledger_gain(const ThawLedger *w) {
    return w->follow_work - w->transition_loss - w->damping_loss - w->integration_loss;
}

int thaw_passive_is_bound(const ThawStepper *s) {
    const ThawRigidifyData *a = thaw_rigidify(s);
    return s->bound || a->partition->part_count > 0 || a->transition.changed ||
           thaw_oracle_state(a->oracle)->gained > 0 || thaw_oracle_state(a->oracle)->has_reference;
}

void thaw_passive_settle(ThawStepper *s) {
    ThawOracleState *state = thaw_oracle_state(thaw_rigidify(s)->oracle);
    const int bound = thaw_passive_is_bound(s);
    double gain = ledger_gain(&s->work) - s->accounted;
    s->accounted += gain;
    thaw_rigidify(s)->transition.changed = 0; // what follows is another step
    if (!bound || (gain <= 0 && state->gained == 0))
        return;
    ThawLedger has = {0};
    thaw_ledger_add_energies(s, 0, &has);
    const double noise = ROUNDING * (has.kinetic + fabs(has.elastic) + fabs(s->work.contact_work)) + s->energy_rounding;
    if (gain > 0 && gain <= noise) // a sum of such gains would grow, as losses of noise are not given back
        gain = 0;
    state->gained = fmax(0, state->gained + gain);
    if (state->gained == 0)
        return;
    const double taken = thaw_passive_give(s, state->gained);
    state->gained = fmax(0, state->gained - taken);
    if (gain > 0)
        state->left = 0; // an answer by which energy is gained does not stand for further steps
    s->work.transition_loss += taken;
    s->accounted -= taken;
}
