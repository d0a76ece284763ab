// SPDX-License-Identifier: Apache-2.0
// The moving frame. Backward Euler goes along straight chords, x1 = x0 + h v1, and what turns is stretched by them:
// spin, rolling and flight die, the faster the stiffer the body. So the step follows a rigid motion by a finite
// rotation first, and only what is left is solved for, in axes that have gone along.
//
// 1. The motion is that of all momenta: v = P/m, omega = I^-1 L about the centre of mass, or what pins leave of it; it
//    turns as a free rigid body does, L kept (map/rigid/part.c).  x^ = to + D (x0 - from), v^ = v + omega1 x (x^ - to).
// 2. Velocities against it, w0 = v0 - v - omega x r0, turn with it; the Coriolis force turns them once more. As a
//    rotation that keeps their energy: w~ = Cayley(S) w0, S = -2 h Pi [omega x] Pi, by fixed-point sweeps. Pi takes
//    rigid motion out.
// 3. The step of body.c, with x^, w~ in the place of x0, v0, solves for u = v1 - v^:
//        A(x^) u = M w~ + h (f(x^) + f_ext - M (omega x (omega x r) + omega' x r)) + J'lambda,   x1 = x^ + h u.
//    The centrifugal force stretches a body that spins as it should, and has no torque together with the other.
// 4. Linear and angular momentum of v^ + u are off by what a linearised torque is; the rigid motion that is missing is
//    added:
//        P1 = P + sum g,  L1 = L + sum r1 x g,  g = h f_ext + J'lambda.
//
// Schemes of several stages (registry/scheme.h) do this for each: the motion is followed from the start of the interval
// to the end of the stage, and what the stage begins with (x^ plus a way against the motion, and velocities) is put
// together of the start and of the stage before, in axes of the start.
//
// What scripts hold wholly goes by the world's axes: it has no unknowns, but ways and velocities at each stage, for
// what touches it. Where scripts move what they hold as one rigid thing, the motion is theirs: a screw, whose point is
// not free, so that each mass bears -omega x V, too; what is held stands still in the frame.
//
// The motion itself is found in moving_motion.c; momenta, energies and the ledger of the interval are in moving_end.c.
//
// Parts of a map (rigid ones) go along with their body's frame, and have places and momenta against it.
#include "step/moving.h"

#include <math.h>
#include <string.h>

#include "math/rotation.h"
#include "step/body.h"
#include "step/method.h"
#include "step/moving_impl.h"

static size_t dim_of(const ThawStepper *s) { return (size_t)s->model->dim; }
static size_t bytes_of(const ThawStepper *s) { return sizeof(double) * (size_t)s->shape->nv * dim_of(s); }

ThawStatus thaw_moving_reserve(ThawStepper *s, ThawError *error) {
    double **vectors[] = {THAW_MOVING_VECTORS(&s->moving)};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (!*vectors[i] && !(*vectors[i] = THAW_NEW(double, (size_t)s->shape->nv *dim_of(s))))
            return thaw_error_memory(error, "a body's moving frame");
    for (int32_t k = 0; k < s->body->script_count && !s->moving.still; k++)
        if (thaw_script_moves(&s->body->scripts[k]) &&
            !(s->moving.still = THAW_NEW(double, (size_t)s->shape->nv *dim_of(s))))
            return thaw_error_memory(error, "a body's moving frame");
    if (s->moving.vertices)
        return THAW_OK;
    s->moving.vertices = THAW_NEW(int32_t, s->shape->nv);
    if (!s->moving.vertices)
        return thaw_error_memory(error, "a body's moving frame");
    for (int32_t i = 0; i < s->shape->nv; i++)
        s->moving.vertices[i] = i;
    return THAW_OK;
}
// --- the interval ----------------------------------------------------------------------------------------------------

// Whether scripts, or other bodies that it is one unit with, leave a body no frame of its own.
static int is_bound(const ThawStepper *s) {
    for (int32_t k = 0; k < s->body->script_count; k++)
        if (thaw_script_moves(&s->body->scripts[k]) && s->middle < s->body->scripts[k].release)
            return 1;
    return s->body->moved > 1;
}

int thaw_moving_has_stages(const ThawStepper *s) {
    const ThawMapOps *ops = s->system->map->ops;
    return (ops->laws & THAW_MAP_TURNS) && !ops->offset && s->inertia->ops->accelerate;
}

// The body's own frame, or that of what scripts move of it. 0: it has none.
static int find_own(ThawStepper *s, double h) {
    ThawMovingFrame *f = &s->moving;
    f->led = 0;
    if (!thaw_moving_has_stages(s) || s->body->moved > 1 || s->system->map->n == 0)
        return 0;
    if (!s->offset_moves)
        return !is_bound(s) && thaw_moving_whole(s);
    f->led = f->still && thaw_moving_screw(s, h);
    return f->led;
}

// How the frame goes at the start: the velocity of the point that levers are from, and that of the turn.
static void rates_at_start(const ThawStepper *s, double v[3], double omega[3]) {
    const ThawMovingFrame *f = &s->moving;
    if (f->led) {
        thaw_v3_copy(f->screw.v, v);
        thaw_v3_copy(f->screw.omega, omega);
    } else
        thaw_part_velocity(&f->whole, s->model->dim, v, omega);
}

void thaw_moving_find(ThawStepper *s, ThawIncrement step, const ThawScheme *scheme) {
    ThawMovingFrame *f = &s->moving;
    const ThawMap *map = s->system->map;
    const int one_stage = scheme->stage_count == 1;
    double v[3], omega[3], spin[3], r[3];
    f->acts = 0;
    f->scheme = scheme;
    if (step.mass == 0 || (map->n == 0 && one_stage))
        return;
    thaw_loads_evaluate(s, step);
    memcpy(f->w, s->v, bytes_of(s));
    if (map->frame_count > 0)
        map->ops->velocities(map, f->w);
    if (!find_own(s, step.h) || f->led) { // in the world's axes, or those of scripts
        f->whole = (ThawPart){.hold = THAW_HOLD_FIXED, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        for (size_t i = 0; i < (size_t)s->shape->nv * dim_of(s); i++)
            f->r[i] = s->x[i] - (f->led ? f->screw.at[i % dim_of(s)] : 0);
    }
    if (one_stage && f->whole.hold == THAW_HOLD_FIXED && !f->led) // the step as it is
        return;
    rates_at_start(s, v, omega);
    for (int32_t i = 0; i < s->shape->nv; i++) {
        thaw_moving_load(s, f->r, i, r);
        thaw_v3_cross(omega, r, spin);
        for (size_t k = 0, at = (size_t)i * dim_of(s); k < dim_of(s); k++, at++)
            f->w[at] = !s->scripted[i] ? f->w[at] - (v[k] + spin[k]) : f->led ? 0 : s->w[at];
    }
    // In front of the step; of second order it is with one half of it behind, which contacts of a single stage are
    // spared.
    thaw_moving_coriolis(s, &f->whole, f->r, one_stage ? step.h : step.h / 2, omega, f->w, f->x);
    memset(f->given, 0, sizeof f->given);
    f->damping = f->driven = f->contact = 0;
    f->acts = f->mends = 1;
    f->span = step.h;
}

// Maps and inertia have no say here: methods may make them later in the step, and a resumed world has none yet.
void thaw_moving_lead(ThawStepper *s, double t, double h, double *v) {
    ThawRigidMotion motion;
    ThawPart next;
    memcpy(v, s->v, bytes_of(s));
    thaw_loads_lead(s, t, h, v);
    memcpy(s->moving.lead, v, bytes_of(s));
    memcpy(s->moving.w, s->v, bytes_of(s));
    if (is_bound(s) || !thaw_moving_whole(s))
        return;
    thaw_moving_motion(s, h, 0, &next, &motion);
    for (int32_t i = 0; i < s->shape->nv; i++) {
        double r[3], rho[3], spin[3];
        thaw_moving_load(s, s->moving.r, i, r);
        thaw_rotate(motion.D, r, rho);
        thaw_v3_cross(motion.omega[0], r, spin);
        for (size_t k = 0; k < dim_of(s) && !s->scripted[i]; k++)
            v[(size_t)i * dim_of(s) + k] += (rho[k] - r[k]) / h - spin[k];
    }
    memcpy(s->moving.lead, v, bytes_of(s));
}

// --- stages ----------------------------------------------------------------------------------------------------------

// Backward Euler goes on with the speed of the end, and falls h^2 g/2 too far in each step. A body that touches nothing
// goes on with the mean of that at the start and that at the end: so loads do as much work on it as it gains.
static void fall_exactly(ThawStepper *s, double h) {
    double force[3] = {0}, drag = 0;
    for (int32_t i = 0; i < s->shape->nv; i++) {
        drag += s->shape->damping_mass[i];
        for (size_t k = 0; k < dim_of(s); k++)
            force[k] += s->f_ext[(size_t)i * dim_of(s) + k];
    }
    for (size_t k = 0; k < dim_of(s); k++)
        s->moving.motion.to[k] -=
            h * h / 2 * (force[k] - drag * s->moving.motion.v[k]) / (s->shape->total_mass + h * drag);
}

static void add_given(ThawMovingFrame *f, const double r[3], const double g[3]) {
    double turn[3];
    thaw_v3_cross(r, g, turn);
    for (int k = 0; k < 3; k++) {
        f->given[0][k] += g[k];
        f->given[1][k] += turn[k];
    }
}

// The explicit half of a stage, in axes of the start: moving.moved and moving.speed become those after h of it.
static ThawStatus go_ahead(ThawStepper *s, double h, double weight) {
    ThawMovingFrame *f = &s->moving;
    const ThawIntegrationSet *set = s->system->map->set;
    double forms[2], alpha[3] = {0}, v[3], omega[3], drawn[3] = {0};
    rates_at_start(s, v, omega);
    if (f->led)
        thaw_v3_cross(omega, v, drawn);
    else
        thaw_moving_gyration(&f->whole, s->model->dim, omega, alpha);
    ThawStatus status = thaw_force_internal(set, s->tasks, s->x, s->shape->nv, s->f, s->partial);
    if (status != THAW_OK)
        return status;
    memset(s->y, 0, bytes_of(s));
    if (set->has_alpha1)
        thaw_force_product(set, s->tasks, s->x, f->w, (ThawStiffness){0, 1, 0}, s->shape->nv, s->y, forms, s->partial);
    for (int32_t i = 0; i < s->shape->nv; i++) { // u: forces, then what they accelerate
        const double drag = s->shape->damping_mass[i];
        double r[3], spin[3];
        thaw_moving_load(s, f->r, i, r);
        thaw_v3_cross(omega, r, spin);
        for (size_t k = 0, at = (size_t)i * dim_of(s); k < dim_of(s); k++, at++)
            s->u[at] = s->f[at] + s->f_ext[at] - s->y[at] - drag * (v[k] + spin[k] + f->w[at]);
    }
    s->inertia->ops->accelerate(s->inertia, s->scripted, s->u, s->u);
    for (int32_t i = 0; i < s->shape->nv; i++) {
        const double drag = s->shape->damping_mass[i];
        double r[3], spin[3], a[3], g[3] = {0, 0, 0};
        thaw_moving_load(s, f->r, i, r);
        thaw_v3_cross(omega, r, spin);
        thaw_moving_inertia(omega, alpha, r, a);
        thaw_v3_sub(a, drawn, a);
        for (size_t k = 0, at = (size_t)i * dim_of(s); k < dim_of(s) && !s->scripted[i]; k++, at++) {
            g[k] = weight * h * (s->f_ext[at] - drag * (v[k] + spin[k] + f->w[at]));
            f->moved[at] = h * f->w[at];
            f->speed[at] = f->w[at] + h * (s->u[at] + a[k]);
        }
        for (size_t k = 0, at = (size_t)i * dim_of(s); k < dim_of(s) && s->scripted[i]; k++, at++) {
            f->moved[at] = f->led ? 0 : h * s->w[at];
            f->speed[at] = f->led ? 0 : s->w[at];
            f->driven += weight * h * (f->led ? v[k] + spin[k] : s->w[at]) * (s->y[at] - s->f[at] - s->f_ext[at]);
        }
        add_given(f, r, g);
    }
    memset(f->shift, 0, sizeof f->shift);
    memset(f->turn, 0, sizeof f->turn);
    thaw_moving_rigid(s, &f->whole, f->r, f->speed, f->shift[1], f->turn[1]);
    thaw_moving_take_off(s, f->r, f->shift[1], f->turn[1], f->speed);
    return THAW_OK;
}

// Where the stage begins, from its way and velocities in axes of the start; scripts lead for `before` seconds until
// then. Forces of inertia are those of where it is likely to end, with all of the body's spin there.
static void place_vertices(ThawStepper *s) {
    ThawMovingFrame *f = &s->moving;
    const ThawRigidMotion *motion = &f->motion;
    const double before = (f->stage->at / f->stage->implicit - 1) * f->h;
    double rate[3], drawn[3] = {0};
    if (f->led) // what the frame's point is drawn with
        thaw_v3_cross(motion->omega[1], motion->v, drawn);
    thaw_rotate(f->predicted, f->turn[1], rate);
    thaw_v3_sub(rate, f->extra, rate);
    for (int32_t i = 0; i < s->shape->nv; i++) {
        const double m = s->shape->mass[i], drag = s->shape->damping_mass[i];
        double r[3], w[3], d[3], rho[3], u[3], way[3], spin[3], more[3], a[3];
        const int held = s->scripted[i] && !f->led;
        thaw_moving_load(s, f->r, i, r);
        thaw_moving_load(s, f->moved, i, d);
        thaw_moving_load(s, f->speed, i, w);
        thaw_rotate(motion->D, r, rho);
        thaw_rotate(motion->D, d, way);
        thaw_rotate(motion->D, w, u);
        for (int k = 0; k < 3; k++)
            rho[k] += way[k];
        thaw_v3_cross(motion->omega[1], rho, spin);
        thaw_v3_cross(rate, rho, more);
        thaw_v3_add(rho, f->h, u, way);
        thaw_moving_inertia(f->inertia[0], f->inertia[1], way, a);
        thaw_v3_sub(a, drawn, a);
        for (size_t k = 0, at = (size_t)i * dim_of(s); k < dim_of(s); k++, at++) {
            f->x[at] = held ? s->x[at] + before * s->w[at] : motion->to[k] + rho[k];
            f->along[at] = held ? 0 : motion->v[k] + spin[k];
            f->v[at] = held ? s->w[at] : u[k] + f->shift[1][k] + more[k];
            f->f_ext[at] = s->f_ext[at] + m * a[k] - drag * f->along[at];
        }
    }
}

// The motion, and what the body as a whole has gone and turned against it.
static void go_further(ThawMovingFrame *f) {
    double turn[3], R[9];
    memcpy(f->predicted, f->motion.D, sizeof f->predicted);
    memcpy(f->base, f->motion.to, sizeof f->base);
    thaw_rotate(f->predicted, f->turn[0], turn);
    thaw_rotation_exp(turn, R);
    thaw_rotation_product(R, f->predicted, f->motion.D);
    thaw_v3_add(f->base, 1, f->shift[0], f->motion.to);
}

// What loads will have done to its angular momentum after h, by their torque at the start.
static void add_torque(const ThawStepper *s, double h, ThawPart *part) {
    double L[3];
    memcpy(L, part->L, sizeof L);
    for (int32_t i = 0; i < s->shape->nv; i++) {
        double r[3], g[3], turn[3];
        thaw_moving_load(s, s->moving.r, i, r);
        thaw_moving_load(s, s->f_ext, i, g);
        thaw_v3_cross(r, g, turn);
        for (int k = 0; k < 3 && !s->scripted[i]; k++)
            L[k] += h * turn[k];
    }
    thaw_part_push(part, part->P, L);
}

ThawStatus thaw_moving_begin_stage(ThawStepper *s, ThawIncrement step, const ThawSchemeStage *stage) {
    ThawMovingFrame *f = &s->moving;
    const size_t count = (size_t)s->shape->nv * dim_of(s);
    double v[3];
    ThawPart next;
    if (!f->acts)
        return THAW_OK;
    f->stage = stage;
    f->h = stage->implicit * step.h;
    thaw_moving_motion(s, stage->at * step.h, 1, &next, &f->motion);
    if (stage->at == stage->implicit && !s->touching && f->whole.hold == THAW_HOLD_FREE)
        fall_exactly(s, step.h);
    ThawStatus status = THAW_OK;
    if (stage->explicit_half)
        status = go_ahead(s, (stage->at - stage->implicit) * step.h, stage->weight);
    else
        for (size_t i = 0; i < count; i++) {
            f->moved[i] = stage->before > 0 ? stage->before * f->moved[i] : 0;
            f->speed[i] = stage->first * f->w[i] + (stage->before > 0 ? stage->before * f->speed[i] : 0);
        }
    for (int k = 0; k < 6 && !stage->explicit_half; k++) {
        (&f->shift[0][0])[k] *= stage->before > 0 ? stage->before : 0;
        (&f->turn[0][0])[k] *= stage->before > 0 ? stage->before : 0;
    }
    go_further(f);
    memcpy(f->begun, f->motion.D, sizeof f->begun);
    memset(f->rolled, 0, sizeof f->rolled);
    if (!s->touching && !f->led) // else contacts may bear it
        add_torque(s, stage->at * step.h, &next);
    if (f->led) {
        thaw_v3_copy(f->screw.omega, f->inertia[0]);
        memset(f->inertia[1], 0, sizeof f->inertia[1]);
    } else {
        thaw_part_velocity(&next, s->model->dim, v, f->inertia[0]);
        thaw_moving_gyration(&next, s->model->dim, f->inertia[0], f->inertia[1]);
    }
    memset(f->extra, 0, sizeof f->extra);
    place_vertices(s);
    return status;
}

static void go_out(ThawStepper *s) {
    ThawMovingFrame *f = &s->moving;
    s->x = f->outer_x;
    s->v = f->outer_v;
    s->f_ext = f->outer_f;
    s->set_energy = f->outer_energy;
    f->inside = 0;
    if (f->led) {
        s->w = f->outer_w;
        s->offset_moves = 1;
    }
    if (s->system->map->frame_count > 0)
        s->system->map->ops->leave(s->system->map, NULL);
}

void thaw_moving_enter(ThawStepper *s) {
    ThawMovingFrame *f = &s->moving;
    if (!f->acts || f->inside)
        return;
    f->outer_x = s->x;
    f->outer_v = s->v;
    f->outer_f = s->f_ext;
    f->outer_energy = s->set_energy;
    s->x = f->x;
    s->v = f->v;
    s->f_ext = f->f_ext;
    if (f->led) { // what holds the body is at rest there
        f->outer_w = s->w;
        s->w = f->still;
        s->offset_moves = 0;
    }
    if (f->stage->at != f->stage->implicit) // it is not only turned
        s->set_energy = NAN;
    f->inside = 1;
    if (s->system->map->frame_count > 0)
        s->system->map->ops->enter(s->system->map, &f->motion, f->x, f->v);
}

// What damping of stiffness took, while all of it is seen from the frame.
static double damping_loss(ThawStepper *s, ThawIncrement step) {
    const ThawMap *map = s->system->map;
    thaw_body_resist(s, step);
    double form = s->forms[1];
    if (map->frame_count > 0)
        form += map->ops->stress_form(map, (ThawStiffness){0, 1, s->project}, s->q);
    return step.h * form;
}

// What scripts do against stiffness, damping, loads and contacts, while that is seen from the frame; y:
// thaw_body_resist's.
static double drive_work(const ThawStepper *s, ThawIncrement step) {
    const ThawMovingFrame *f = &s->moving;
    const double *w = f->led ? f->along : s->w;
    double sum = 0;
    for (size_t i = 0; i < (size_t)s->shape->nv * dim_of(s); i++)
        if (s->scripted[i / dim_of(s)])
            sum += w[i] * (s->y[i] - step.h * (s->f[i] + f->outer_f[i]) - s->impulse[i]);
    return sum;
}

// The rigid motion that the stage's own velocities have, against the frame; about the centre of where it begins, or
// what holds the body. Where it is in the world's axes, none.
static void find_further(ThawStepper *s) {
    ThawMovingFrame *f = &s->moving;
    memset(&f->further, 0, sizeof f->further);
    memcpy(f->further.at, f->motion.to, sizeof f->further.at);
    if (f->whole.hold == THAW_HOLD_FIXED)
        return;
    ThawPart part = {.count = s->shape->nv, .pins = f->whole.pins};
    thaw_part_form(s->shape, f->vertices, s->scripted, f->x, s->v1, &part, s->u);
    thaw_part_velocity(&part, s->model->dim, f->further.v, f->further.omega);
    memcpy(f->further.at, part.p, sizeof part.p);
}

// What is left of a vertex' velocity against the frame without that motion.
static void split(const ThawStepper *s, int32_t i, double z[3]) {
    const ThawMovingFrame *f = &s->moving;
    double rho[3], u[3], turn[3];
    thaw_moving_load(s, f->x, i, rho);
    thaw_moving_load(s, s->v1, i, u);
    thaw_v3_sub(rho, f->further.at, rho);
    if (dim_of(s) == 2)
        rho[2] = 0;
    thaw_v3_cross(f->further.omega, rho, turn);
    for (int k = 0; k < 3; k++)
        z[k] = u[k] - (f->further.v[k] + turn[k]);
}

// Of its place at the end, from the centre that has gone along.
static void lever(const ThawStepper *s, int32_t i, double r[3]) {
    const ThawMovingFrame *f = &s->moving;
    thaw_moving_load(s, s->x1, i, r);
    for (size_t k = 0; k < dim_of(s); k++)
        r[k] -= f->further.at[k] + f->h * f->further.v[k];
}

double thaw_moving_turns(ThawStepper *s) {
    if (!s->moving.inside)
        return 0;
    find_further(s);
    return s->moving.h * thaw_v3_norm(s->moving.further.omega);
}

void thaw_moving_reframe(ThawStepper *s) {
    ThawMovingFrame *f = &s->moving;
    double turn[3], R[9], D[9];
    go_out(s);
    for (int k = 0; k < 3; k++) {
        turn[k] = f->h * f->further.omega[k];
        f->extra[k] += f->further.omega[k];
        f->motion.omega[1][k] += f->further.omega[k];
    }
    memcpy(f->inertia[0], f->motion.omega[1], sizeof f->inertia[0]);
    thaw_rotation_exp(turn, R);
    thaw_rotation_product(R, f->motion.D, D);
    memcpy(f->motion.D, D, sizeof D);
    place_vertices(s);
}

void thaw_moving_turn(ThawStepper *s) {
    ThawMovingFrame *f = &s->moving;
    double R[9], turn[3];
    find_further(s);
    for (int k = 0; k < 3; k++)
        turn[k] = f->h * f->further.omega[k];
    thaw_rotation_exp(turn, R);
    for (int32_t i = 0; i < s->shape->nv; i++) {
        double rho[3], z[3], r[3];
        if (s->scripted[i] || thaw_map_carries(s->system->map, i))
            continue;
        split(s, i, z);
        thaw_moving_load(s, f->x, i, rho);
        for (int k = 0; k < 3; k++)
            rho[k] += f->h * z[k] - f->further.at[k];
        thaw_rotate(R, rho, r);
        for (size_t k = 0, at = (size_t)i * dim_of(s); k < dim_of(s); k++, at++)
            s->x1[at] = f->further.at[k] + f->h * f->further.v[k] + r[k];
    }
}

// How the body is turned at the end of the stage; what its own velocities turn it by is in moving.turned.
static void turn_further(ThawStepper *s, double end[9]) {
    ThawMovingFrame *f = &s->moving;
    double turn[3];
    for (int k = 0; k < 3; k++)
        turn[k] = f->h * f->further.omega[k];
    thaw_rotation_exp(turn, f->turned);
    thaw_rotation_product(f->turned, f->motion.D, end);
}

// Of a vertex in the world, from what the stage has found in the frame; z: what of that is no rigid motion.
static void end_velocity(const ThawStepper *s, int32_t i, double v[3], double z[3]) {
    const ThawMovingFrame *f = &s->moving;
    double r[3], u[3], spin[3], more[3];
    split(s, i, z);
    thaw_rotate(f->turned, z, u);
    lever(s, i, r);
    thaw_v3_cross(f->motion.omega[1], r, spin);
    thaw_v3_cross(f->further.omega, r, more);
    for (int k = 0; k < 3; k++)
        v[k] = f->motion.v[k] + f->further.v[k] + spin[k] + more[k] + u[k];
}

void thaw_moving_leave(ThawStepper *s, ThawIncrement step) {
    ThawMovingFrame *f = &s->moving;
    if (!f->inside)
        return;
    step.newton |= s->iterated;
    f->loss = f->drive = 0;
    if (thaw_ledger_is_kept(s) && s->status == THAW_OK) {
        f->loss = damping_loss(s, step);
        f->drive = s->offset_moves || f->led ? drive_work(s, step) : 0;
    }
    find_further(s);
    go_out(s);
    turn_further(s, f->end);
    for (int32_t i = 0; i < s->shape->nv; i++) {
        double z[3], v[3], w[3];
        for (size_t k = 0, at = (size_t)i * dim_of(s); k < dim_of(s) && s->scripted[i] && f->led; k++, at++) {
            s->v1[at] = s->w[at];
            s->x1[at] = f->stage->at < 1 ? s->x1[at] : s->x[at] + f->span * s->w[at];
        }
        if (s->scripted[i])
            continue;
        end_velocity(s, i, v, z);
        thaw_rotate_back(f->motion.D, z, w);
        for (size_t k = 0, at = (size_t)i * dim_of(s); k < dim_of(s); k++, at++) {
            s->v1[at] = v[k];
            f->speed[at] = w[k];
        }
    }
}

// Of contacts since the stage before: what they have given since then, along the way gone since then, by which their
// springs are compressed; h v1 is not that where bodies turn. Impulses of a stage before counted for that stage alone.
static double contact_work(ThawStepper *s) {
    ThawMovingFrame *f = &s->moving;
    const ThawSchemeStage *stage = f->stage, *first = f->scheme->stages;
    const int later = stage->before > 0;
    double sum = 0;
    for (size_t i = 0; i < (size_t)s->shape->nv * dim_of(s); i++) {
        const double given =
            later ? stage->weight * s->impulse[i] + (1 - 1 / first->weight) * f->impulse[i] : s->impulse[i];
        sum += given * (s->x1[i] - (later ? f->last[i] : s->x[i]));
        f->last[i] = s->x1[i];
    }
    return sum / (f->span * (later ? 1 - first->at : stage->at));
}

static void lever_at_start(const ThawStepper *s, const ThawContact *row, int side, double r[3]) {
    memset(r, 0, 3 * sizeof *r);
    for (int n = 0; n < row->nodes[side]; n++) {
        double at[3];
        thaw_moving_load(s, s->moving.r, row->vertex[side][n], at);
        thaw_v3_add(r, row->weight[side][n], at, r);
    }
}

static ThawStepper *moved_by(ThawWorld *world, const ThawContact *row, int side) {
    ThawStepper *s = row->nodes[side] > 0 ? thaw_world_mover(world, row->key.body[side]) : NULL;
    return s && s->moving.acts ? s : NULL;
}

// The lever by which the force of a contact of something smooth acts, less that of its point at the end: it is where it
// touches if the body goes as it was expected to. What contact turns it by beyond that takes the point away from there,
// and another one takes its place. acting: likewise, less the mean of its point: work of the force is that of its point
// and of this.
static void force_lever(const ThawStepper *s, const ThawContact *row, int side, double more[3], double acting[3]) {
    const ThawMovingFrame *f = &s->moving;
    const size_t dim = dim_of(s);
    double begun[3] = {0}, r0[3], r1[3] = {0}, own[3];
    lever_at_start(s, row, side, r0);
    for (int n = 0; n < row->nodes[side]; n++)
        for (size_t k = 0, at = (size_t)row->vertex[side][n] * dim; k < dim; k++, at++) {
            begun[k] += row->weight[side][n] * (f->x[at] - f->further.at[k]);
            r1[k] += row->weight[side][n] * (s->x1[at] - (f->further.at[k] + f->h * f->further.v[k]));
        }
    thaw_rotate_back(f->motion.D, begun, own);
    thaw_rotate(f->begun, own, more);
    for (int k = 0; k < 3; k++) {
        acting[k] = more[k] - (r0[k] + r1[k]) / 2;
        more[k] -= r1[k];
    }
}

void thaw_moving_roll(ThawWorld *world) {
    const ThawContactSet *set = &world->state.contacts;
    for (int32_t i = 0; i < world->awake_count; i++) {
        ThawMovingFrame *f = &world->steppers[world->awake[i]].moving;
        memset(f->rolled, 0, sizeof f->rolled);
        memset(f->acting, 0, sizeof f->acting);
    }
    for (int32_t c = 0; c < set->count; c++) {
        const ThawContact *row = &set->contacts[c];
        double push[3] = {0};
        for (int r = 0; r < world->model->dim && row->rolls; r++)
            thaw_v3_add(push, row->lambda[r], row->frame[r], push);
        for (int side = 0; side < 2 && thaw_v3_norm(push) > 0; side++) {
            ThawStepper *s = moved_by(world, row, side);
            double more[3], acting[3], turn[3];
            if (!s)
                continue;
            force_lever(s, row, side, more, acting);
            thaw_v3_cross(more, push, turn);
            thaw_v3_add(s->moving.rolled, side ? -1 : 1, turn, s->moving.rolled);
            thaw_v3_cross(acting, push, turn);
            thaw_v3_add(s->moving.acting, side ? -1 : 1, turn, s->moving.acting);
        }
    }
}

// What loads, drag and contacts of the stage have given, velocities at its end being v1.
static void add_stage(ThawStepper *s, const double *f_ext, const double *v1) {
    const double weight = s->moving.stage->weight, h = s->moving.h;
    for (int32_t i = 0; i < s->shape->nv; i++) {
        double r[3], g[3] = {0, 0, 0};
        lever(s, i, r);
        for (size_t k = 0, at = (size_t)i * dim_of(s); k < dim_of(s) && !s->scripted[i]; k++, at++)
            g[k] = weight * (h * (f_ext[at] - s->shape->damping_mass[i] * v1[at]) + s->impulse[at]);
        add_given(&s->moving, r, g);
    }
    thaw_v3_add(s->moving.given[1], weight, s->moving.rolled, s->moving.given[1]);
}

void thaw_moving_end_stage(ThawStepper *s) {
    ThawMovingFrame *f = &s->moving;
    double R[9], way[3];
    if (!f->acts)
        return;
    for (int i = 0; i < 3; i++) // how the body has turned against the motion
        for (int j = 0; j < 3; j++)
            R[i + 3 * j] =
                f->end[i] * f->predicted[j] + f->end[i + 3] * f->predicted[j + 3] + f->end[i + 6] * f->predicted[j + 6];
    thaw_rotation_log(R, way);
    thaw_rotate_back(f->predicted, way, f->turn[0]);
    double rate[3];
    thaw_v3_add(f->extra, 1, f->further.omega, rate);
    thaw_rotate_back(f->predicted, rate, f->turn[1]);
    memcpy(f->shift[1], f->further.v, sizeof f->shift[1]);
    thaw_v3_add(f->motion.to, f->h, f->further.v, way);
    thaw_v3_sub(way, f->base, f->shift[0]);
    const double weight = f->stage->weight;
    f->damping += weight * f->loss;
    f->contact += contact_work(s);
    f->driven += weight * f->drive;
    add_stage(s, s->f_ext, s->v1);
    for (int32_t i = 0; i < s->shape->nv; i++) {
        double r[3], r0[3], d[3];
        lever(s, i, r);
        thaw_moving_load(s, f->r, i, r0);
        thaw_rotate_back(f->end, r, d);
        for (size_t k = 0, at = (size_t)i * dim_of(s); k < dim_of(s); k++, at++) {
            f->moved[at] = d[k] - r0[k];
            f->impulse[at] = (f->stage->before > 0 ? f->impulse[at] : 0) + weight * s->impulse[at];
        }
    }
}

// rad: less than that no frame is changed for. A turn by so much stretches chords by 5e-9.
static const double SMALL_CHORD = 1e-4;
// Of what moves: a solve that leaves more to mend has seen the body in the wrong axes.
static const double SMALL_KICK = 1e-4;

// What acts against damping and stress of a body that turns against its frame turns along in the body, and not in the
// linearised forces: the contact response stops a spin by a torque that is not there, and mending gives it back. (Of
// what pins hold strong loads change the torque by more with each frame.)
int thaw_moving_is_crooked(ThawStepper *s) {
    ThawMovingFrame *f = &s->moving;
    double *v1 = s->y, end[9], given[2][3], v[3], omega[3];
    ThawPart part;
    if (!f->inside || !s->touching || f->whole.hold != THAW_HOLD_FREE || f->stage->at < 1)
        return 0;
    find_further(s);
    if (!(f->h * thaw_v3_norm(f->further.omega) > SMALL_CHORD))
        return 0;
    turn_further(s, end);
    for (int32_t i = 0; i < s->shape->nv; i++) {
        double z[3];
        if (!s->scripted[i])
            end_velocity(s, i, v, z);
        for (size_t k = 0; k < dim_of(s); k++)
            v1[(size_t)i * dim_of(s) + k] = s->scripted[i] ? s->w[(size_t)i * dim_of(s) + k] : v[k];
    }
    memcpy(given, f->given, sizeof given);
    add_stage(s, f->outer_f, v1);
    thaw_moving_missing(s, v1, &part, v, omega, s->u);
    memcpy(f->given, given, sizeof given);
    const double kick = (thaw_v3_dot(part.P, v) + thaw_v3_dot(part.L, omega)) / 2;
    return kick > SMALL_KICK * (thaw_moving_energy(s, f->outer_v) + thaw_moving_energy(s, v1));
}

// --- contact ---------------------------------------------------------------------------------------------------------

// u: by how much vertices go beyond their velocities at the end, m/s over h.
static void find_ahead(ThawStepper *s, double h, double *u) {
    const ThawMap *map = s->system->map;
    const ThawMovingFrame *f = &s->moving;
    memset(u, 0, bytes_of(s));
    thaw_moving_enter(s);
    if (map->frame_count > 0 && map->n > 0)
        map->ops->chord(map, h, u);
    if (!f->inside)
        return;
    for (size_t i = 0; i < (size_t)s->shape->nv * dim_of(s); i++)
        u[i] += (f->x[i] - f->outer_x[i]) / h - f->along[i];
    go_out(s);
}

void thaw_moving_see_ahead(ThawIsland *island, ThawIncrement step) {
    const size_t dim = (size_t)island->bodies[0]->model->dim;
    const double more = step.stage->at / step.stage->implicit - 1; // what obstacles go in the rest of the stage
    for (int32_t i = 0; i < island->count && island->contact_count > 0; i++)
        find_ahead(island->bodies[i], step.h, island->bodies[i]->u);
    for (int32_t c = 0; c < island->contact_count; c++) {
        ThawContact *row = &island->set->contacts[island->contacts[c]];
        for (int k = 0; k < 3; k++)
            row->ahead[k] = -more * row->velocity[k];
        for (int side = 0; side < 2; side++)
            for (int n = 0; n < row->nodes[side]; n++) {
                const double *u =
                    thaw_world_mover(island->world, row->key.body[side])->u + (size_t)row->vertex[side][n] * dim;
                for (size_t k = 0; k < dim; k++)
                    row->ahead[k] += (side == 0 ? 1 : -1) * row->weight[side][n] * u[k];
            }
        const double across = thaw_v3_dot(row->frame[0], row->ahead);
        for (int k = 0; k < 3 && row->rolls; k++)
            row->ahead[k] = across * row->frame[0][k];
    }
}
