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
// Parts of a map (rigid ones) go along with their body's frame, and have places and momenta against it.
#include "step/moving.h"

#include <math.h>
#include <string.h>

#include "math/vec3.h"
#include "step/body.h"
#include "step/method.h"

enum { SWEEPS = 4 };

static size_t dim_of(const ThawStepper *s) { return (size_t)s->model->dim; }
static size_t bytes_of(const ThawStepper *s) { return sizeof(double) * (size_t)s->shape->nv * dim_of(s); }

ThawStatus thaw_moving_reserve(ThawStepper *s, ThawError *error) {
    double **vectors[] = {THAW_MOVING_VECTORS(&s->moving)};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (!*vectors[i] && !(*vectors[i] = THAW_NEW(double, (size_t)s->shape->nv *dim_of(s))))
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

// --- finding it ------------------------------------------------------------------------------------------------------

static void load(const ThawStepper *s, const double *from, int32_t i, double to[3]) {
    to[2] = 0;
    for (size_t k = 0; k < dim_of(s); k++)
        to[k] = from[(size_t)i * dim_of(s) + k];
}

// Takes the rigid motion off velocities a of a body like `part`, with levers r from its origin: as much as its hold
// allows.
static void take_rigid_off(const ThawStepper *s, const ThawPart *whole, const double *r, double *a) {
    const double *m = s->shape->mass;
    double P[3] = {0}, L[3] = {0}, v[3], omega[3], rho[3], u[3], turn[3];
    ThawPart part = *whole;
    for (int32_t i = 0; i < s->shape->nv; i++) {
        load(s, r, i, rho);
        load(s, a, i, u);
        thaw_v3_cross(rho, u, turn);
        for (int k = 0; k < 3 && !s->scripted[i]; k++) {
            P[k] += m[i] * u[k];
            L[k] += m[i] * turn[k];
        }
    }
    thaw_part_push(&part, P, L);
    thaw_part_velocity(&part, s->model->dim, v, omega);
    for (int32_t i = 0; i < s->shape->nv; i++) {
        load(s, r, i, rho);
        thaw_v3_cross(omega, rho, turn);
        for (size_t k = 0; k < dim_of(s) && !s->scripted[i]; k++)
            a[(size_t)i * dim_of(s) + k] -= v[k] + turn[k];
    }
}

static double energy_of(const ThawStepper *s, const double *v) {
    double sum = 0;
    for (int32_t i = 0; i < s->shape->nv; i++)
        for (size_t k = 0; k < dim_of(s); k++)
            sum += s->shape->mass[i] * v[(size_t)i * dim_of(s) + k] * v[(size_t)i * dim_of(s) + k] / 2;
    return sum;
}

// w~ = Cayley(S) w of velocities w against a motion that turns by omega, in place. r: levers; y: scratch.
static void turn_by_coriolis(const ThawStepper *s, const ThawPart *whole, const double *r, double h,
                             const double omega[3], double *w, double *y) {
    const double energy = energy_of(s, w);
    double *sum = s->moving.speed, u[3], turn[3];
    if (!(h * thaw_v3_norm(omega) > 0) || !(energy > 0))
        return;
    memcpy(y, w, bytes_of(s));
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int32_t i = 0; i < s->shape->nv; i++) {
            load(s, w, i, u);
            for (size_t k = 0; k < dim_of(s); k++)
                u[k] += y[(size_t)i * dim_of(s) + k];
            thaw_v3_cross(omega, u, turn);
            for (size_t k = 0; k < dim_of(s); k++)
                sum[(size_t)i * dim_of(s) + k] = s->scripted[i] ? 0 : -h * turn[k];
        }
        take_rigid_off(s, whole, r, sum);
        for (size_t i = 0; i < (size_t)s->shape->nv * dim_of(s); i++)
            y[i] = w[i] + sum[i];
    }
    const double share = sqrt(energy / energy_of(s, y));
    for (size_t i = 0; i < (size_t)s->shape->nv * dim_of(s); i++)
        w[i] = share * y[i];
}

// omega' of a body free of torque, I omega' = L x omega.
static void find_gyration(const ThawPart *next, int dim, const double omega[3], double alpha[3]) {
    ThawPart part = *next;
    double none[3] = {0}, v[3], torque[3];
    thaw_v3_cross(next->L, omega, torque);
    thaw_part_push(&part, none, torque);
    thaw_part_velocity(&part, dim, v, alpha);
}

static void turned(const double D[9], const double a[3], double b[3]) {
    for (int i = 0; i < 3; i++)
        b[i] = D[i] * a[0] + D[i + 3] * a[1] + D[i + 6] * a[2];
}

static void turned_back(const double D[9], const double a[3], double b[3]) {
    for (int i = 0; i < 3; i++)
        b[i] = thaw_v3_dot(D + 3 * i, a);
}

// Forces of inertia on a unit mass at rho in axes that turn by omega and omega'.
static void inertia_at(const double omega[3], const double alpha[3], const double rho[3], double a[3]) {
    double spin[3], inward[3], change[3];
    thaw_v3_cross(omega, rho, spin);
    thaw_v3_cross(omega, spin, inward);
    thaw_v3_cross(alpha, rho, change);
    for (int k = 0; k < 3; k++)
        a[k] = -(inward[k] + change[k]);
}

// The body as one part, from x and velocities of all its vertices in moving.w, in moving.whole; its levers in moving.r.
// Returns whether it has a rigid motion.
static int find_whole(ThawStepper *s) {
    ThawMovingFrame *f = &s->moving;
    double v[3], omega[3];
    f->whole = (ThawPart){.count = s->shape->nv};
    for (int32_t i = 0; i < s->shape->nv; i++)
        f->whole.pins += s->scripted[i] != 0;
    thaw_part_form(s->shape, f->vertices, s->scripted, s->x, f->w, &f->whole, f->r);
    thaw_part_velocity(&f->whole, s->model->dim, v, omega);
    return isfinite(thaw_v3_norm(omega));
}

// Of its second moment: more is no small change of shape in a step.
static const double LARGEST_CHANGE = 0.3;

// The second moment of the body when it has gone on by h with its velocities against the motion; r: scratch.
static void foresee_inertia(const ThawStepper *s, double h, ThawPart *part, double *r) {
    const ThawMovingFrame *f = &s->moving;
    double change = 0, size = 0;
    ThawMoments moments;
    for (size_t i = 0; i < (size_t)s->shape->nv * dim_of(s); i++)
        r[i] = f->r[i] + h * f->w[i];
    thaw_part_moments(s->model->dim, s->shape->nv, f->vertices, s->shape->mass, r, &moments);
    for (int k = 0; k < 9; k++) {
        change = fmax(change, fabs(moments.second[k] - part->inertia.second[k]));
        size = fmax(size, fabs(part->inertia.second[k]));
    }
    if (change <= LARGEST_CHANGE * size)
        memcpy(part->inertia.second, moments.second, sizeof moments.second);
}

// Its motion for h, if nothing acts on it. foresees: its shape changes on the way, as moving.w says.
static void find_motion(const ThawStepper *s, double h, int foresees, ThawPart *next, ThawRigidMotion *motion) {
    ThawPart whole = s->moving.whole;
    const int dim = s->model->dim;
    if (foresees && whole.hold != THAW_HOLD_FIXED)
        foresee_inertia(s, h / 2, &whole, s->moving.f_ext);
    thaw_part_velocity(&whole, dim, motion->v, motion->omega[0]);
    thaw_part_advance(&whole, dim, h, motion->v, motion->omega[0], next, NULL);
    if (foresees && whole.hold != THAW_HOLD_FIXED) {
        next->inertia = s->moving.whole.inertia;
        foresee_inertia(s, h, next, s->moving.f_ext);
    }
    thaw_part_velocity(next, dim, motion->v, motion->omega[1]);
    thaw_part_velocity(&s->moving.whole, dim, motion->v, motion->omega[0]);
    memcpy(motion->from, whole.p, sizeof motion->from);
    memcpy(motion->to, next->p, sizeof motion->to);
    memcpy(motion->D, next->R, sizeof motion->D);
}

static int is_scripted(const ThawStepper *s) {
    for (int32_t i = 0; i < s->shape->nv; i++)
        if (s->scripted[i])
            return 1;
    return 0;
}

void thaw_moving_find(ThawStepper *s, ThawIncrement step) {
    ThawMovingFrame *f = &s->moving;
    const ThawMap *map = s->system->map;
    const int one_stage = thaw_scheme(s->model->options.integrator)->stage_count == 1;
    double v[3], omega[3], spin[3], r[3];
    f->acts = 0;
    if (step.mass == 0 || map->n == 0)
        return;
    thaw_loads_evaluate(s, step);
    memcpy(f->w, s->v, bytes_of(s));
    if (map->frame_count > 0)
        map->ops->velocities(map, f->w);
    const int unfit = (map->frame_count > 0 && !map->ops->enter) || map->ops->offset;
    if (unfit || s->offset_moves || !find_whole(s)) { // in the world's axes
        f->whole = (ThawPart){.hold = THAW_HOLD_FIXED, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        memcpy(f->r, s->x, bytes_of(s));
    }
    if (one_stage && f->whole.hold == THAW_HOLD_FIXED) // the step as it is
        return;
    thaw_part_velocity(&f->whole, s->model->dim, v, omega);
    for (int32_t i = 0; i < s->shape->nv; i++) {
        load(s, f->r, i, r);
        thaw_v3_cross(omega, r, spin);
        for (size_t k = 0, at = (size_t)i * dim_of(s); k < dim_of(s); k++, at++)
            f->w[at] = s->scripted[i] ? s->w[at] : f->w[at] - (v[k] + spin[k]);
    }
    // In front of the step; of second order it is with one half of it behind, which contacts of a single stage are
    // spared.
    turn_by_coriolis(s, &f->whole, f->r, one_stage ? step.h : step.h / 2, omega, f->w, f->x);
    memset(f->given, 0, sizeof f->given);
    f->damping = f->driven = f->contact = 0;
    f->acts = 1;
}

void thaw_moving_lead(ThawStepper *s, double h, double *v) {
    ThawRigidMotion motion;
    ThawPart next;
    memcpy(v, s->v, bytes_of(s));
    memcpy(s->moving.w, s->v, bytes_of(s));
    if (is_scripted(s) || !find_whole(s))
        return;
    find_motion(s, h, 0, &next, &motion);
    for (int32_t i = 0; i < s->shape->nv; i++) {
        double r[3], rho[3], spin[3];
        load(s, s->moving.r, i, r);
        turned(motion.D, r, rho);
        thaw_v3_cross(motion.omega[0], r, spin);
        for (size_t k = 0; k < dim_of(s) && !s->scripted[i]; k++)
            v[(size_t)i * dim_of(s) + k] += (rho[k] - r[k]) / h - spin[k];
    }
}

// --- stages ----------------------------------------------------------------------------------------------------------

// Backward Euler falls h^2/2 too far in each step. A body that touches nothing falls as it should.
static void fall_exactly(ThawStepper *s, double h) {
    for (size_t i = 0; i < (size_t)s->shape->nv * dim_of(s); i++)
        s->moving.motion.to[i % dim_of(s)] -= h * h / 2 * s->f_ext[i] / s->shape->total_mass;
}

static void add_given(ThawMovingFrame *f, const double r[3], const double g[3]) {
    double turn[3];
    thaw_v3_cross(r, g, turn);
    for (int k = 0; k < 3; k++) {
        f->given[0][k] += g[k];
        f->given[1][k] += turn[k];
    }
}

// The mean of velocities, where nothing holds the body: what does not turn with it.
static void find_mean(const ThawStepper *s, const double *v, double mean[3]) {
    memset(mean, 0, 3 * sizeof *mean);
    for (size_t i = 0; s->moving.whole.hold == THAW_HOLD_FREE && i < (size_t)s->shape->nv * dim_of(s); i++)
        mean[i % dim_of(s)] += s->shape->mass[i / dim_of(s)] / s->shape->total_mass * v[i];
}

// The explicit half of a stage, in axes of the start: moving.moved and moving.speed become those after h of it.
static ThawStatus go_ahead(ThawStepper *s, double h, double weight) {
    ThawMovingFrame *f = &s->moving;
    const ThawIntegrationSet *set = s->system->map->set;
    double forms[2], alpha[3], v[3], omega[3];
    thaw_part_velocity(&f->whole, s->model->dim, v, omega);
    find_gyration(&f->whole, s->model->dim, omega, alpha);
    ThawStatus status = thaw_force_internal(set, s->tasks, s->x, s->shape->nv, s->f, s->partial);
    if (status != THAW_OK)
        return status;
    memset(s->y, 0, bytes_of(s));
    if (set->has_alpha1)
        thaw_force_product(set, s->tasks, s->x, f->w, (ThawStiffness){0, 1, 0}, s->shape->nv, s->y, forms, s->partial);
    for (int32_t i = 0; i < s->shape->nv; i++) {
        const double m = s->shape->mass[i], drag = s->shape->damping_mass[i];
        double r[3], spin[3], a[3], g[3] = {0, 0, 0};
        load(s, f->r, i, r);
        thaw_v3_cross(omega, r, spin);
        inertia_at(omega, alpha, r, a);
        for (size_t k = 0, at = (size_t)i * dim_of(s); k < dim_of(s) && !s->scripted[i]; k++, at++) {
            g[k] = weight * h * (s->f_ext[at] - drag * (v[k] + spin[k] + f->w[at]));
            f->moved[at] = h * f->w[at];
            f->speed[at] =
                f->w[at] + h * ((s->f[at] + s->f_ext[at] - s->y[at] - drag * (v[k] + spin[k] + f->w[at])) / m + a[k]);
        }
        for (size_t k = 0, at = (size_t)i * dim_of(s); k < dim_of(s) && s->scripted[i]; k++, at++) {
            f->moved[at] = h * s->w[at];
            f->speed[at] = s->w[at];
            f->driven += weight * h * s->w[at] * (s->y[at] - s->f[at] - s->f_ext[at]);
        }
        add_given(f, r, g);
    }
    memset(f->shift, 0, sizeof f->shift);
    find_mean(s, f->speed, f->shift[1]);
    for (size_t i = 0; i < (size_t)s->shape->nv * dim_of(s); i++)
        f->speed[i] -= f->shift[1][i % dim_of(s)];
    return THAW_OK;
}

// Where the stage begins, from its way and velocities in axes of the start; scripts lead for `before` seconds until
// then. Forces of inertia are those of where it is likely to end, with all of the body's spin there, omega.
static void place_vertices(ThawStepper *s, double before, const double omega[3], const double alpha[3]) {
    ThawMovingFrame *f = &s->moving;
    const ThawRigidMotion *motion = &f->motion;
    for (int32_t i = 0; i < s->shape->nv; i++) {
        const double m = s->shape->mass[i], drag = s->shape->damping_mass[i];
        double r[3], w[3], d[3], rho[3], u[3], way[3], spin[3], a[3];
        const int held = s->scripted[i];
        load(s, f->r, i, r);
        load(s, f->moved, i, d);
        load(s, f->speed, i, w);
        turned(motion->D, r, rho);
        turned(motion->D, d, way);
        turned(motion->D, w, u);
        for (int k = 0; k < 3; k++)
            rho[k] += way[k];
        thaw_v3_cross(motion->omega[1], rho, spin);
        thaw_v3_add(rho, f->h, u, way);
        inertia_at(omega, alpha, way, a);
        for (size_t k = 0, at = (size_t)i * dim_of(s); k < dim_of(s); k++, at++) {
            f->x[at] = held ? s->x[at] + before * s->w[at] : motion->to[k] + rho[k];
            f->along[at] = held ? 0 : motion->v[k] + spin[k];
            f->v[at] = held ? s->w[at] : u[k] + f->shift[1][k];
            f->f_ext[at] = s->f_ext[at] + m * a[k] - drag * f->along[at];
        }
    }
}

// What loads will have done to its angular momentum after h, by their torque at the start.
static void add_torque(const ThawStepper *s, double h, ThawPart *part) {
    double L[3];
    memcpy(L, part->L, sizeof L);
    for (int32_t i = 0; i < s->shape->nv; i++) {
        double r[3], g[3], turn[3];
        load(s, s->moving.r, i, r);
        load(s, s->f_ext, i, g);
        thaw_v3_cross(r, g, turn);
        for (int k = 0; k < 3 && !s->scripted[i]; k++)
            L[k] += h * turn[k];
    }
    thaw_part_push(part, part->P, L);
}

ThawStatus thaw_moving_begin_stage(ThawStepper *s, ThawIncrement step, const ThawSchemeStage *stage) {
    ThawMovingFrame *f = &s->moving;
    const size_t count = (size_t)s->shape->nv * dim_of(s);
    double v[3], omega[3], alpha[3];
    ThawPart next;
    if (!f->acts)
        return THAW_OK;
    f->stage = stage;
    f->h = stage->implicit * step.h;
    find_motion(s, stage->at * step.h, 1, &next, &f->motion);
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
    for (int k = 0; k < 3; k++) {
        if (!stage->explicit_half) {
            f->shift[0][k] = stage->before > 0 ? stage->before * f->shift[0][k] : 0;
            f->shift[1][k] = stage->before > 0 ? stage->before * f->shift[1][k] : 0;
        }
        f->base[k] = f->motion.to[k];
        f->motion.to[k] += f->shift[0][k];
    }
    add_torque(s, stage->at * step.h, &next);
    thaw_part_velocity(&next, s->model->dim, v, omega);
    find_gyration(&next, s->model->dim, omega, alpha);
    place_vertices(s, (stage->at - stage->implicit) * step.h, omega, alpha);
    return status;
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
    if (f->stage->at != f->stage->implicit) // it is not only turned
        s->set_energy = NAN;
    f->inside = 1;
    if (s->system->map->frame_count > 0)
        s->system->map->ops->enter(s->system->map, &f->motion, f->x, f->v);
}

static void go_out(ThawStepper *s) {
    ThawMovingFrame *f = &s->moving;
    s->x = f->outer_x;
    s->v = f->outer_v;
    s->f_ext = f->outer_f;
    s->set_energy = f->outer_energy;
    f->inside = 0;
    if (s->system->map->frame_count > 0)
        s->system->map->ops->leave(s->system->map, 0);
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
    double sum = 0;
    for (size_t i = 0; i < (size_t)s->shape->nv * dim_of(s); i++)
        if (s->scripted[i / dim_of(s)])
            sum += s->w[i] * (s->y[i] - step.h * (s->f[i] + s->f_ext[i]) - s->impulse[i]);
    return sum;
}

void thaw_moving_leave(ThawStepper *s, ThawIncrement step) {
    ThawMovingFrame *f = &s->moving;
    if (!f->inside)
        return;
    step.newton |= s->iterated;
    f->loss = f->drive = 0;
    if (thaw_ledger_is_kept(s) && s->status == THAW_OK) {
        f->loss = damping_loss(s, step);
        f->drive = s->offset_moves ? drive_work(s, step) : 0;
    }
    go_out(s);
    for (size_t i = 0; i < (size_t)s->shape->nv * dim_of(s); i++)
        s->v1[i] += f->along[i];
}

// The centre of x1, or what holds the body.
static void find_centre(const ThawStepper *s, double centre[3]) {
    memcpy(centre, s->moving.whole.p, sizeof s->moving.whole.p);
    if (s->moving.whole.hold != THAW_HOLD_FREE)
        return;
    memset(centre, 0, 3 * sizeof *centre);
    for (size_t i = 0; i < (size_t)s->shape->nv * dim_of(s); i++)
        centre[i % dim_of(s)] += s->shape->mass[i / dim_of(s)] / s->shape->total_mass * s->x1[i];
}

void thaw_moving_end_stage(ThawStepper *s) {
    ThawMovingFrame *f = &s->moving;
    double centre[3];
    if (!f->acts)
        return;
    const double weight = f->stage->weight;
    find_centre(s, centre);
    for (size_t i = 0; i < (size_t)s->shape->nv * dim_of(s); i++)
        s->y[i] = s->v1[i] - f->along[i];
    find_mean(s, s->y, f->shift[1]);
    for (int k = 0; k < 3; k++)
        f->shift[0][k] = f->whole.hold == THAW_HOLD_FREE ? centre[k] - f->base[k] : 0;
    f->damping += weight * f->loss;
    for (size_t i = 0; i < (size_t)s->shape->nv * dim_of(s); i++)
        f->contact += weight * s->impulse[i] * s->v1[i];
    f->driven += weight * f->drive;
    for (int32_t i = 0; i < s->shape->nv; i++) {
        double r[3], g[3] = {0, 0, 0}, r0[3], way[3], u[3], w[3], d[3];
        load(s, s->x1, i, r);
        load(s, f->r, i, r0);
        for (size_t k = 0, at = (size_t)i * dim_of(s); k < dim_of(s) && !s->scripted[i]; k++, at++)
            g[k] = weight * f->h * (s->f_ext[at] - s->shape->damping_mass[i] * s->v1[at]) + weight * s->impulse[at];
        for (int k = 0; k < 3; k++) {
            way[k] = r[k] - f->base[k] - f->shift[0][k];
            r[k] -= centre[k];
            u[k] = 0;
        }
        add_given(f, r, g);
        for (size_t k = 0, at = (size_t)i * dim_of(s); k < dim_of(s); k++, at++)
            u[k] = s->y[at] - f->shift[1][k];
        if (dim_of(s) == 2)
            way[2] = 0;
        turned_back(f->motion.D, way, d);
        turned_back(f->motion.D, u, w);
        for (size_t k = 0, at = (size_t)i * dim_of(s); k < dim_of(s); k++, at++) {
            f->moved[at] = d[k] - r0[k];
            f->speed[at] = w[k];
            f->impulse[at] = (f->stage->before > 0 ? f->impulse[at] : 0) + weight * s->impulse[at];
        }
    }
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

void thaw_moving_see_ahead(ThawWorld *world, ThawIncrement step, const ThawSchemeStage *stage) {
    const ThawContactSet *set = &world->state.contacts;
    const size_t dim = (size_t)world->model->dim;
    const double more = stage->at / stage->implicit - 1; // what obstacles go in the rest of the stage
    for (int32_t i = 0; i < world->awake_count; i++)
        if (world->steppers[world->awake[i]].touching)
            find_ahead(&world->steppers[world->awake[i]], stage->implicit * step.h, world->steppers[world->awake[i]].u);
    for (int32_t i = 0; i < set->count + set->attached; i++) {
        ThawContact *row = &set->contacts[i];
        for (int k = 0; k < 3; k++)
            row->ahead[k] = -more * row->velocity[k];
        for (int side = 0; side < 2; side++)
            for (int n = 0; n < row->nodes[side]; n++) {
                const double *u = thaw_world_mover(world, row->key.body[side])->u + (size_t)row->vertex[side][n] * dim;
                for (size_t k = 0; k < dim; k++)
                    row->ahead[k] += (side == 0 ? 1 : -1) * row->weight[side][n] * u[k];
            }
    }
}

// --- the end ---------------------------------------------------------------------------------------------------------

// Adds the rigid motion by which momenta are what loads and contacts have made of them. v1: of all vertices; r:
// scratch.
static void mend_momenta(ThawStepper *s, double *v1, double *r) {
    ThawMap *map = s->system->map;
    const ThawMovingFrame *f = &s->moving;
    ThawPart part = {.count = s->shape->nv, .pins = f->whole.pins};
    double P[3], L[3], v[3], omega[3], rho[3], turn[3];
    thaw_part_form(s->shape, f->vertices, s->scripted, s->x1, v1, &part, r);
    for (int k = 0; k < 3; k++) {
        P[k] = f->whole.P[k] + f->given[0][k] - part.P[k];
        L[k] = f->whole.L[k] + f->given[1][k] - part.L[k];
    }
    thaw_part_push(&part, P, L);
    thaw_part_velocity(&part, s->model->dim, v, omega);
    for (int32_t i = 0; i < s->shape->nv; i++) {
        load(s, r, i, rho);
        thaw_v3_cross(omega, rho, turn);
        for (size_t k = 0, at = (size_t)i * dim_of(s); k < dim_of(s) && !s->scripted[i]; k++, at++)
            v1[at] += v[k] + turn[k];
    }
    if (map->frame_count > 0)
        map->ops->push(map, part.p, v, omega);
}

// The half of the Coriolis force that comes behind, on velocities against the motion; r, w and y: scratch.
static void turn_behind(ThawStepper *s, double h, double *v1, double *r, double *w, double *y) {
    ThawPart part = {.count = s->shape->nv, .pins = s->moving.whole.pins};
    double v[3], omega[3], rho[3], turn[3];
    if (s->moving.whole.hold == THAW_HOLD_FIXED)
        return;
    thaw_part_form(s->shape, s->moving.vertices, s->scripted, s->x1, v1, &part, r);
    thaw_part_velocity(&part, s->model->dim, v, omega);
    for (int turned_yet = 0; turned_yet < 2; turned_yet++) {
        for (int32_t i = 0; i < s->shape->nv; i++) {
            load(s, r, i, rho);
            thaw_v3_cross(omega, rho, turn);
            for (size_t k = 0, at = (size_t)i * dim_of(s); k < dim_of(s); k++, at++)
                if (turned_yet)
                    v1[at] = s->scripted[i] || thaw_map_carries(s->system->map, i) ? v1[at] : w[at] + v[k] + turn[k];
                else
                    w[at] = s->scripted[i] ? 0 : v1[at] - (v[k] + turn[k]);
        }
        if (!turned_yet)
            turn_by_coriolis(s, &part, r, h, omega, w, y);
    }
}

// What loads, contacts and damping did; the rest of what is missing the integration took.
static void record(ThawStepper *s, ThawIncrement step, double kinetic0, const double *v1) {
    const double *gravity = s->model->options.gravity;
    double external = s->moving.driven, contact = s->moving.contact, friction = 0, fall = 0;
    for (int32_t i = 0; i < s->shape->nv; i++)
        for (size_t k = 0, at = (size_t)i * dim_of(s); k < dim_of(s); k++, at++) {
            if (s->scripted[i]) // its own change of speed
                external += s->shape->mass[i] * (v1[at] * v1[at] - s->v[at] * s->v[at]) / 2;
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
        kinetic0 - energy_of(s, v1) + s->elastic - elastic1 + external + fall + contact - damping;
    s->elastic = elastic1;
}

void thaw_moving_commit(ThawStepper *s, ThawIncrement step) {
    ThawMovingFrame *f = &s->moving;
    ThawMap *map = s->system->map;
    double kinetic0 = 0, *all = f->along; // velocities of all vertices, those of parts by their momenta
    const int kept = thaw_ledger_is_kept(s);
    if (kept) {
        memcpy(all, s->v, bytes_of(s));
        if (map->frame_count > 0)
            map->ops->velocities(map, all);
        kinetic0 = energy_of(s, all);
    }
    if (map->frame_count > 0) {
        map->ops->enter(map, &f->motion, f->x, f->v);
        map->ops->commit(map, f->h, s->q);
        map->ops->leave(map, 1);
    }
    memcpy(s->impulse, f->impulse, bytes_of(s));
    memcpy(all, s->v1, bytes_of(s));
    if (map->frame_count > 0)
        map->ops->velocities(map, all);
    if (thaw_scheme(s->model->options.integrator)->stage_count > 1)
        turn_behind(s, step.h / 2, all, f->r, f->w, f->x);
    mend_momenta(s, all, f->r);
    memcpy(s->v1, all, bytes_of(s));
    if (kept)
        record(s, step, kinetic0, all);
}
