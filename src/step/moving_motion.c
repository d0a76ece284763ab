// SPDX-License-Identifier: Apache-2.0
// The motion that a body's moving frame goes along with: that of all its momenta, or what pins leave of it, turning as
// a free rigid body does; or, of a body that scripts move as one rigid thing, the screw of the scripts. With it what
// every stage asks of that motion: the rigid part of velocities, and the Coriolis rotation of the rest.
#include <math.h>
#include <string.h>

#include "math/rotation.h"
#include "step/moving_impl.h"

enum { SWEEPS = 4 };

static size_t dim_of(const ThawStepper *s) { return (size_t)s->model->dim; }
static size_t bytes_of(const ThawStepper *s) { return sizeof(double) * (size_t)s->shape->nv * dim_of(s); }

// --- of all momenta --------------------------------------------------------------------------------------------------

// The rigid motion of velocities a of a body like `whole`, with levers r from its origin: as much as its hold allows.
void thaw_moving_rigid(const ThawStepper *s, const ThawPart *whole, const double *r, const double *a, double v[3],
                       double omega[3]) {
    const double *m = s->shape->mass;
    double P[3] = {0}, L[3] = {0}, rho[3], u[3], turn[3];
    ThawPart part = *whole;
    for (int32_t i = 0; i < s->shape->nv; i++) {
        thaw_moving_load(s, r, i, rho);
        thaw_moving_load(s, a, i, u);
        thaw_v3_cross(rho, u, turn);
        for (int k = 0; k < 3 && !s->scripted[i]; k++) {
            P[k] += m[i] * u[k];
            L[k] += m[i] * turn[k];
        }
    }
    thaw_part_push(&part, P, L);
    thaw_part_velocity(&part, s->model->dim, v, omega);
}

void thaw_moving_take_off(const ThawStepper *s, const double *r, const double v[3], const double omega[3], double *a) {
    double rho[3], turn[3];
    for (int32_t i = 0; i < s->shape->nv; i++) {
        thaw_moving_load(s, r, i, rho);
        thaw_v3_cross(omega, rho, turn);
        for (size_t k = 0; k < dim_of(s) && !s->scripted[i]; k++)
            a[(size_t)i * dim_of(s) + k] -= v[k] + turn[k];
    }
}

// w~ = Cayley(S) w of velocities w against a motion that turns by omega, in place. r: levers; y: scratch.
void thaw_moving_coriolis(const ThawStepper *s, const ThawPart *whole, const double *r, double h, const double omega[3],
                          double *w, double *y) {
    const double energy = thaw_moving_energy(s, w);
    double *sum = s->moving.speed, u[3], turn[3], v[3], spin[3];
    if (!(h * thaw_v3_norm(omega) > 0) || !(energy > 0))
        return;
    memcpy(y, w, bytes_of(s));
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int32_t i = 0; i < s->shape->nv; i++) {
            thaw_moving_load(s, w, i, u);
            for (size_t k = 0; k < dim_of(s); k++)
                u[k] += y[(size_t)i * dim_of(s) + k];
            thaw_v3_cross(omega, u, turn);
            for (size_t k = 0; k < dim_of(s); k++)
                sum[(size_t)i * dim_of(s) + k] = s->scripted[i] ? 0 : -h * turn[k];
        }
        thaw_moving_rigid(s, whole, r, sum, v, spin);
        thaw_moving_take_off(s, r, v, spin, sum);
        for (size_t i = 0; i < (size_t)s->shape->nv * dim_of(s); i++)
            y[i] = w[i] + sum[i];
    }
    const double share = sqrt(energy / thaw_moving_energy(s, y));
    for (size_t i = 0; i < (size_t)s->shape->nv * dim_of(s); i++)
        w[i] = share * y[i];
}

// omega' of a body free of torque, I omega' = L x omega.
void thaw_moving_gyration(const ThawPart *next, int dim, const double omega[3], double alpha[3]) {
    ThawPart part = *next;
    double none[3] = {0}, v[3], torque[3];
    thaw_v3_cross(next->L, omega, torque);
    thaw_part_push(&part, none, torque);
    thaw_part_velocity(&part, dim, v, alpha);
}

// The body as one part, from x and velocities of all its vertices in moving.w, in moving.whole; its levers in moving.r.
// Returns whether it has a rigid motion.
int thaw_moving_whole(ThawStepper *s) {
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

// What the screw has done after t.
static void follow_screw(const ThawScrew *screw, double t, ThawRigidMotion *motion) {
    double turn[3], M[9], way[3];
    for (int k = 0; k < 3; k++)
        turn[k] = t * screw->omega[k];
    thaw_rotation_exp(turn, motion->D);
    thaw_rotation_mean(turn, M);
    thaw_rotate(M, screw->v, way);
    thaw_rotate(motion->D, screw->v, motion->v);
    thaw_v3_copy(screw->at, motion->from);
    thaw_v3_add(screw->at, t, way, motion->to);
    thaw_v3_copy(screw->omega, motion->omega[0]);
    thaw_v3_copy(screw->omega, motion->omega[1]);
}

// Its motion for h, if nothing acts on it. foresees: its shape changes on the way, as moving.w says.
void thaw_moving_motion(const ThawStepper *s, double h, int foresees, ThawPart *next, ThawRigidMotion *motion) {
    ThawPart whole = s->moving.whole;
    const int dim = s->model->dim;
    if (s->moving.led) {
        *next = whole;
        follow_screw(&s->moving.screw, h, motion);
        return;
    }
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
// --- what scripts move -----------------------------------------------------------------------------------------------

static const double MOVES_AS_ONE = 1e-9; // of its size, how far off that a vertex may go
static const double LARGEST_LEAD = 1;    // rad: a step that turns it by more sees no motion

static void end_of(const ThawStepper *s, double h, int32_t i, double x[3]) {
    double w[3];
    thaw_moving_load(s, s->x, i, x);
    thaw_moving_load(s, s->w, i, w);
    thaw_v3_add(x, h, w, x);
}

// Three of the scripted vertices that span a plane, in the plane two: the first one, the farthest from that, and the
// farthest from the line of both.
static void find_corners(const ThawStepper *s, int32_t corner[3]) {
    double most[3] = {0}, a[3] = {0}, b[3] = {0}, r[3], n[3];
    corner[0] = corner[1] = corner[2] = -1;
    for (int turn = 0; turn < 3; turn++)
        for (int32_t i = 0; i < s->shape->nv; i++) {
            if (!s->scripted[i] || (turn == 0 && corner[0] >= 0))
                continue;
            thaw_moving_load(s, s->x, i, r);
            thaw_v3_sub(r, a, r);
            thaw_v3_cross(b, r, n);
            const double far = turn == 2 ? thaw_v3_norm(n) : thaw_v3_norm(r);
            if (turn > 0 && !(far > most[turn]))
                continue;
            most[turn] = far;
            corner[turn] = i;
            if (turn < 2)
                thaw_v3_copy(r, turn == 0 ? a : b);
        }
}

// Axes along the corners: columns of E. 0: they do not span what is needed.
static int find_axes(int dim, const double x[3][3], double E[9]) {
    double a[3], b[3];
    thaw_v3_sub(x[1], x[0], a);
    thaw_v3_sub(x[2], x[0], b);
    if (dim == 2)
        b[0] = -a[1], b[1] = a[0], b[2] = 0;
    const double length = thaw_v3_norm(a), share = thaw_v3_dot(a, b) / (length * length);
    thaw_v3_add(b, -share, a, b);
    const double width = thaw_v3_norm(b);
    if (!(length > 0) || !(width > 1e-6 * length))
        return 0;
    for (int k = 0; k < 3; k++) {
        E[k] = a[k] / length;
        E[k + 3] = b[k] / width;
    }
    thaw_v3_cross(E, E + 3, E + 6);
    return 1;
}

// The rotation R that takes the corners from the start of the interval to its end.
static int find_turn(const ThawStepper *s, double h, double R[9]) {
    const int dim = s->model->dim;
    int32_t corner[3];
    double x[2][3][3] = {0}, E[2][9];
    find_corners(s, corner);
    for (int k = 0; k < dim; k++) {
        if (corner[k] < 0)
            return 0;
        thaw_moving_load(s, s->x, corner[k], x[0][k]);
        end_of(s, h, corner[k], x[1][k]);
    }
    if (!find_axes(dim, x[0], E[0]) || !find_axes(dim, x[1], E[1]))
        return 0;
    for (int i = 0; i < 3; i++) // E1 E0'
        for (int j = 0; j < 3; j++)
            R[i + 3 * j] = E[1][i] * E[0][j] + E[1][i + 3] * E[0][j + 3] + E[1][i + 6] * E[0][j + 6];
    return 1;
}

// Whether all that scripts hold of the body moves as one rigid thing in the interval of h; by which screw.
int thaw_moving_screw(ThawStepper *s, double h) {
    ThawScrew *screw = &s->moving.screw;
    double R[9], turn[3], to[3] = {0}, d[3], once[3], twice[3];
    int32_t count = 0;
    memset(screw, 0, sizeof *screw);
    if (!find_turn(s, h, R))
        return 0;
    for (int32_t i = 0; i < s->shape->nv; i++)
        if (s->scripted[i]) {
            thaw_moving_load(s, s->x, i, d);
            thaw_v3_add(screw->at, 1, d, screw->at);
            end_of(s, h, i, d);
            thaw_v3_add(to, 1, d, to);
            count++;
        }
    for (int k = 0; k < 3; k++) {
        screw->at[k] /= count;
        to[k] /= count;
    }
    for (int32_t i = 0; i < s->shape->nv; i++) {
        double r[3], rho[3], end[3];
        thaw_moving_load(s, s->x, i, r);
        thaw_v3_sub(r, screw->at, r);
        thaw_rotate(R, r, rho);
        end_of(s, h, i, end);
        for (int k = 0; k < 3; k++)
            end[k] -= to[k] + rho[k];
        if (s->scripted[i] && thaw_v3_norm(end) > MOVES_AS_ONE * s->shape->diameter)
            return 0;
    }
    // Its way d is the mean of its velocities: with phi the turn,
    // h v = d - phi x d / 2 + (1 - phi/2 cot(phi/2)) / phi^2 phi x (phi x d).
    thaw_rotation_log(R, turn);
    const double phi = thaw_v3_norm(turn);
    const double share = phi > 0.05 ? (1 - phi / 2 / tan(phi / 2)) / (phi * phi) : (1 + phi * phi / 60) / 12;
    thaw_v3_sub(to, screw->at, d);
    thaw_v3_cross(turn, d, once);
    thaw_v3_cross(turn, once, twice);
    for (int k = 0; k < 3; k++) {
        screw->v[k] = (d[k] - once[k] / 2 + share * twice[k]) / h;
        screw->omega[k] = turn[k] / h;
    }
    return phi < LARGEST_LEAD;
}
