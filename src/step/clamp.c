// SPDX-License-Identifier: Apache-2.0
// Strain limits by clamped principal stretches, as the shells paper has them (section 4.3, after Wang et al. 2010); the
// default is an energy (force/limit.c). Once a step is solved, with F2 = U S V' of a triangle and S* the stretches
// within their limits, its corners go to where F2 is U S* V',
//     dx_a = A (x_a - c) + omega n x (x_a - c),    A = U (S*/S - 1) U',
// c its centre of mass and omega the turn about its normal n by which sum m (x - c) x dx is 0. Corners that are
// scripted, in a rigid part, or pushed by a contact stay: c is the middle of those then, and nothing turns. From
// triangle to triangle in their order, forth and back, until no stretch is off by more than `close_enough` of its
// limit's way, or SWEEPS times. What a vertex has been moved by is added to its velocity over h.
//
// Triangles inside rigid parts are not asked. What energy changes by is taken for damping. Momentum stays; of a body
// that nothing holds, angular momentum, too, by one turn of the whole body: its vertices have other levers now. What is
// near a contact and not yet in it may be moved into it, and is pushed out in the next step.
//
// Cost: some 60 operations a triangle where none is beyond its limits; else as much a triangle and sweep.
#include <math.h>
#include <string.h>

#include "map/map.h"
#include "math/dense.h"
#include "math/vec3.h"
#include "step/body.h"
#include "step/step.h"

enum { SWEEPS = 100 };
static const double close_enough = 0.01; // of what a limit lies off 1
static const double small = 1e-8;        // a triangle squeezed to a line has no direction to be opened in

typedef struct Triangle {
    double *x[3];
    const double *mass[3];
    double free[3]; // 0: it stays
    double F[2][3]; // columns
    double limit[2];
} Triangle;

static void find_gradient(const ThawShape *shape, int32_t e, Triangle *t) {
    const double *gradient = shape->cells->gradient + 4 * (size_t)e;
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 3; i++)
            t->F[j][i] = (t->x[1][i] - t->x[0][i]) * gradient[j] + (t->x[2][i] - t->x[0][i]) * gradient[2 + j];
}

static void gather(const ThawShape *shape, int32_t e, double *x, const double *is_free, Triangle *t) {
    const double *limits = shape->materials[shape->cells->material[e]].strain_limits;
    for (int a = 0; a < 3; a++) {
        const size_t v = (size_t)shape->cells->elements[3 * (size_t)e + (size_t)a];
        t->x[a] = x + 3 * v;
        t->mass[a] = shape->mass + v;
        t->free[a] = is_free ? is_free[v] : 1;
    }
    t->limit[0] = limits[0];
    t->limit[1] = limits[1] > 0 ? limits[1] : INFINITY;
    find_gradient(shape, e, t);
}

// Stretches, the larger first, and their directions in space, not of unit length: F2 v.
static void stretches_of(const Triangle *t, double s[2], double u[2][3]) {
    const double a = thaw_v3_dot(t->F[0], t->F[0]), b = thaw_v3_dot(t->F[0], t->F[1]),
                 c = thaw_v3_dot(t->F[1], t->F[1]);
    const double half = 0.5 * (a - c), r = sqrt(half * half + b * b);
    double v[2] = {half < 0 ? b : half + r, half < 0 ? r - half : b};
    const double length = sqrt(v[0] * v[0] + v[1] * v[1]);
    v[0] = length > 0 ? v[0] / length : 1;
    v[1] = length > 0 ? v[1] / length : 0;
    for (int i = 0; i < 3; i++) {
        u[0][i] = t->F[0][i] * v[0] + t->F[1][i] * v[1];
        u[1][i] = t->F[1][i] * v[0] - t->F[0][i] * v[1];
    }
    s[0] = thaw_v3_norm(u[0]);
    s[1] = thaw_v3_norm(u[1]);
}

// How far a stretch is beyond its limits, as a share of their way from 1; 0: it is within.
static double excess_of(const Triangle *t, double s) {
    return fmax(0, s > t->limit[1] ? (s - t->limit[1]) / (t->limit[1] - 1) : (t->limit[0] - s) / (1 - t->limit[0]));
}

static double excess_at(const Triangle *t, double s[2], double u[2][3]) {
    stretches_of(t, s, u);
    return fmax(excess_of(t, s[0]), excess_of(t, s[1]));
}

// About what the corners move, and whether it may turn: the centre of mass, or the middle of those that stay.
static int find_centre(const Triangle *t, double c[3]) {
    double total = 0, weight[3];
    int held = 0;
    for (int a = 0; a < 3; a++)
        held += t->free[a] == 0;
    memset(c, 0, 3 * sizeof *c);
    for (int a = 0; a < 3; a++) {
        weight[a] = held ? t->free[a] == 0 : *t->mass[a];
        total += weight[a];
    }
    for (int a = 0; a < 3; a++)
        thaw_v3_add(c, weight[a] / total, t->x[a], c);
    return held == 0;
}

// Moves the corners of one triangle.
static void clamp(Triangle *t, const double s[2], double u[2][3]) {
    double c[3], r[3][3], d[3][3], n[3], twist = 0, inertia = 0;
    const int turns = find_centre(t, c);
    thaw_v3_cross(t->F[0], t->F[1], n);
    thaw_v3_unit(n);
    for (int a = 0; a < 3; a++) {
        double cross[3];
        thaw_v3_sub(t->x[a], c, r[a]);
        memset(d[a], 0, sizeof d[a]);
        for (int k = 0; k < 2; k++)
            if (s[k] > small) {
                const double goal = fmin(fmax(s[k], t->limit[0]), t->limit[1]);
                thaw_v3_add(d[a], (goal / s[k] - 1) * thaw_v3_dot(u[k], r[a]) / (s[k] * s[k]), u[k], d[a]);
            }
        thaw_v3_cross(r[a], d[a], cross);
        twist += *t->mass[a] * thaw_v3_dot(n, cross);
        inertia += *t->mass[a] * thaw_v3_dot(r[a], r[a]);
    }
    for (int a = 0; a < 3; a++) {
        double across[3];
        thaw_v3_cross(n, r[a], across);
        if (turns && inertia > 0)
            thaw_v3_add(d[a], -twist / inertia, across, d[a]);
        thaw_v3_add(t->x[a], t->free[a], d[a], t->x[a]);
    }
}

// --- a body ----------------------------------------------------------------------------------------------------------

// The triangle in lane i of a set, -1: none.
static int32_t element_at(const ThawStepper *s, const ThawIntegrationSet *set, int32_t i) {
    const ThawBatch *batch = &set->batches[i / THAW_LANES];
    return batch->kind == s->shape->cells->kind ? batch->element[i % THAW_LANES] : -1;
}

// Whether a triangle of the set is beyond its limits.
static int is_beyond(const ThawStepper *s, const ThawIntegrationSet *set) {
    for (int32_t i = 0; i < THAW_LANES * set->batch_count; i++) {
        const int32_t e = element_at(s, set, i);
        Triangle t;
        double stretch[2], u[2][3];
        if (e < 0)
            continue;
        gather(s->shape, e, s->x, NULL, &t);
        if (excess_at(&t, stretch, u) > close_enough)
            return 1;
    }
    return 0;
}

// By vertex, 1: nothing holds it. What stands in a triangle that is not of the set is in a rigid part.
static void find_free(const ThawStepper *s, const ThawIntegrationSet *set, const ThawContactSet *contacts,
                      double *is_free) {
    memset(is_free, 0, sizeof *is_free * (size_t)s->shape->nv);
    for (int32_t i = 0; i < 3 * s->shape->ne; i++)
        is_free[s->shape->cells->elements[i]] -= 1;
    for (int32_t i = 0; i < THAW_LANES * set->batch_count; i++) {
        const int32_t e = element_at(s, set, i);
        for (int a = 0; a < 3 && e >= 0; a++)
            is_free[s->shape->cells->elements[3 * (size_t)e + (size_t)a]] += 1;
    }
    for (int32_t v = 0; v < s->shape->nv; v++)
        is_free[v] = is_free[v] == 0 && !s->scripted[v];
    for (int32_t i = 0; i < contacts->count; i++)
        for (int side = 0; side < 2; side++) {
            const ThawContact *c = &contacts->contacts[i];
            const int holds = c->key.body[side] == s->index && c->lambda[0] > 0;
            for (int k = 0; holds && k < c->nodes[side]; k++)
                is_free[c->vertex[side][k]] = 0;
        }
}

// How far the worst was beyond.
static double clamp_once(const ThawStepper *s, const ThawIntegrationSet *set, const double *is_free, int back) {
    const int32_t count = THAW_LANES * set->batch_count;
    double most = 0;
    for (int32_t k = 0; k < count; k++) {
        const int32_t e = element_at(s, set, back ? count - 1 - k : k);
        Triangle t;
        double stretch[2], u[2][3];
        if (e < 0)
            continue;
        gather(s->shape, e, s->x, is_free, &t);
        const double excess = excess_at(&t, stretch, u);
        if (!(excess > 0) || t.free[0] + t.free[1] + t.free[2] == 0)
            continue;
        clamp(&t, stretch, u);
        most = fmax(most, excess);
    }
    return most;
}

static int is_alone(const ThawStepper *s, const double *is_free) {
    for (int32_t v = 0; v < s->shape->nv; v++)
        if (is_free[v] == 0)
            return 0;
    return 1;
}

// J, of the body as it is.
static double energy_of(const ThawStepper *s, const ThawIntegrationSet *set) {
    double sum = thaw_force_energy(set, s->tasks, s->x, s->partial);
    for (int32_t v = 0; v < s->shape->nv; v++) {
        const double *x = s->x + 3 * (size_t)v, *u = s->v + 3 * (size_t)v;
        sum += s->shape->mass[v] * (0.5 * thaw_v3_dot(u, u) - thaw_v3_dot(s->model->options.gravity, x));
    }
    return sum;
}

// Angular momentum of the body about the origin, and its moments of inertia about its centre of mass.
static void turning_of(const ThawStepper *s, double L[3], double centre[3], double inertia[9]) {
    memset(L, 0, 3 * sizeof *L);
    memset(centre, 0, 3 * sizeof *centre);
    memset(inertia, 0, 9 * sizeof *inertia);
    for (int32_t v = 0; v < s->shape->nv; v++) {
        double cross[3];
        thaw_v3_cross(s->x + 3 * (size_t)v, s->v + 3 * (size_t)v, cross);
        thaw_v3_add(L, s->shape->mass[v], cross, L);
        thaw_v3_add(centre, s->shape->mass[v] / s->shape->total_mass, s->x + 3 * (size_t)v, centre);
    }
    for (int32_t v = 0; v < s->shape->nv; v++) {
        double r[3];
        thaw_v3_sub(s->x + 3 * (size_t)v, centre, r);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                inertia[3 * i + k] += s->shape->mass[v] * ((i == k) * thaw_v3_dot(r, r) - r[i] * r[k]);
    }
}

// Gives the body the angular momentum L by a turn of the whole.
static void turn_back(ThawStepper *s, const double L[3]) {
    double now[3], centre[3], inverse[9], scratch[9], missing[3], omega[3];
    turning_of(s, now, centre, inverse);
    thaw_v3_sub(L, now, missing);
    if (!thaw_dense_invert(3, inverse, scratch))
        return; // all of it on a line
    for (int i = 0; i < 3; i++)
        omega[i] = thaw_v3_dot(inverse + 3 * i, missing);
    for (int32_t v = 0; v < s->shape->nv; v++) {
        double r[3], turn[3];
        thaw_v3_sub(s->x + 3 * (size_t)v, centre, r);
        thaw_v3_cross(omega, r, turn);
        thaw_v3_add(s->v + 3 * (size_t)v, 1, turn, s->v + 3 * (size_t)v);
    }
}

void thaw_clamp_body(ThawStepper *s, const ThawContactSet *contacts, double h) {
    const ThawIntegrationSet *set = s->system->map->set;
    if (!s->shape->clamped || set->element_count == 0 || !is_beyond(s, set))
        return;
    double *start = s->u, *is_free = s->y, L[3], centre[3], inertia[9];
    const int keeps = thaw_ledger_is_kept(s);
    const double elastic = keeps ? thaw_force_energy(set, s->tasks, s->x, s->partial) : 0;
    const double before = keeps ? energy_of(s, set) : 0;
    memcpy(start, s->x, 3 * sizeof *start * (size_t)s->shape->nv);
    find_free(s, set, contacts, is_free);
    turning_of(s, L, centre, inertia);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        if (clamp_once(s, set, is_free, sweep % 2) <= close_enough)
            break;
    for (int32_t i = 0; i < 3 * s->shape->nv; i++)
        s->v[i] += (s->x[i] - start[i]) / h;
    if (is_alone(s, is_free))
        turn_back(s, L);
    s->set_energy = NAN;
    if (!keeps)
        return;
    s->elastic += thaw_force_energy(set, s->tasks, s->x, s->partial) - elastic;
    s->work.damping_loss += before - energy_of(s, set);
}
