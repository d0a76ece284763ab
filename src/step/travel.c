// SPDX-License-Identifier: Apache-2.0
// The way that forces take a body in an interval of one stage.
//
// Backward Euler goes on with the speed of the end: forces that act all along the interval take a body twice as far as
// they would, h^2 a instead of h^2 a/2, so what begins to roll, slide or fall is ahead by half a step for ever. What
// touches nothing begins where it belongs (moving.c). What touches must not: its contacts are solved for places at the
// end, and with half of their way they would ring. But once impulses g are known, the rigid motion by which a body is
// ahead is known as well,
//
//     d = -h/2 sum g/m,    theta = -h/2 I^-1 sum r x g,
//
// and it goes back by as much of that as its contacts allow: by what is nearest, by mass, to d and theta of all bodies
// and moves no two sides against each other at the mean of their contacts by force (across the normal where they
// stick). Mean speeds of contacts that last are none, so this takes nothing from rolling, sliding and falling, and all
// from landing, leaning and rest. Shapes and velocities turn along and are what they were; so forces of contact do no
// work on the way back but friction, which has done too much. Then energy that weight gives a body is what it has from
// falling.
//
// That is for what is borne by smooth surfaces alone, or by nothing: what stands on corners and edges would push them
// to and fro as their load shifts. Where a contact that presses would move by more than a little against that mean, or
// one that does not would be closed, the island stays as it is, too. So do bodies that are held or attached. Projected
// Gauss-Seidel over pairs, a fixed number of sweeps; cost: a few sums over vertices and contacts of what touches and
// accelerates.
#include <math.h>
#include <string.h>

#include "contact/collider.h"
#include "map/rigid/partition.h"
#include "math/rotation.h"
#include "step/attach.h"
#include "step/step.h"

enum { SWEEPS = 10 };
static const double NONE = 1e-9;    // of the diameter: that is rest
static const double LITTLE = 0.1;   // of the way: contacts give by so much
static const double STICKS = 0.999; // of the friction that there may be
static const double BORNE = 1e-6;   // of all impulses on the body

static int lies_open(const ThawContact *c) { return !(c->lambda[0] > 0); }

static int sticks(const ThawContact *c) {
    return c->friction > 0 && hypot(c->lambda[1], c->lambda[2]) < STICKS * c->friction * c->lambda[0];
}

static ThawTravel *travel_of(const ThawWorld *world, int32_t body) {
    return body < 0 || world->state.asleep[body] ? NULL : &thaw_world_mover(world, body)->moving.travel;
}

// By how much impulses have taken it too far; 0: it stays.
static int find_body(ThawWorld *world, ThawStepper *s, double h) {
    ThawMovingFrame *f = &s->moving;
    ThawTravel *travel = &f->travel;
    const int dim = s->model->dim;
    const double mass = s->shape->total_mass;
    double r[3], J[9] = {0};
    memset(travel, 0, sizeof *travel);
    if (!f->acts || !f->mends || f->scheme->stage_count > 1 || !s->touching || f->whole.hold != THAW_HOLD_FREE ||
        thaw_attach_holds(world, s->index))
        return 0;
    for (int32_t i = 0; i < s->shape->nv; i++) {
        thaw_v3_load(dim, s->x1 + (size_t)i * (size_t)dim, r);
        thaw_v3_add(travel->at, s->shape->mass[i] / mass, r, travel->at);
    }
    for (int32_t i = 0; i < s->shape->nv; i++) {
        thaw_v3_load(dim, s->x1 + (size_t)i * (size_t)dim, r);
        thaw_v3_sub(r, travel->at, r);
        thaw_v3_add_inertia(s->shape->mass[i], r, J);
    }
    for (int k = dim == 2 ? 2 : 0; k < 3; k++) {
        const double unit[3] = {k == 0, k == 1, k == 2};
        thaw_part_spin(dim, J, unit, travel->inverse + 3 * k);
    }
    thaw_rotate(travel->inverse, f->given[1], travel->turn);
    for (int k = 0; k < 3; k++) {
        travel->way[k] = -h / 2 * f->given[0][k] / mass;
        travel->turn[k] *= -h / 2;
    }
    const double goes = thaw_v3_norm(travel->way) + s->shape->diameter * thaw_v3_norm(travel->turn);
    if (!isfinite(goes)) {
        memset(travel, 0, sizeof *travel);
        return 0;
    }
    travel->ease = 1 / mass;
    return goes > NONE * s->shape->diameter;
}

// --- contacts --------------------------------------------------------------------------------------------------------

// Where it is at the end, by side 0.
static void find_point(const ThawWorld *world, const ThawContact *c, double p[3]) {
    const ThawStepper *s = thaw_world_mover(world, c->key.body[0]);
    const int dim = world->model->dim;
    memset(p, 0, 3 * sizeof *p);
    for (int n = 0; n < c->nodes[0]; n++) {
        double x[3];
        thaw_v3_load(dim, s->x1 + (size_t)c->vertex[0][n] * (size_t)dim, x);
        thaw_v3_add(p, c->weight[0][n], x, p);
    }
}

// How far a body goes back at p, and the lever of that.
static void way_at(const ThawTravel *travel, const double p[3], double r[3], double way[3]) {
    double spin[3];
    thaw_v3_sub(p, travel->at, r);
    thaw_v3_cross(travel->turn, r, spin);
    thaw_v3_add(travel->way, 1, spin, way);
}

// How far its sides go back against each other where they may not; reach: how far they go at most.
static void parts_by(const ThawWorld *world, const ThawContact *c, double d[3], double *reach) {
    double p[3];
    find_point(world, c, p);
    memset(d, 0, 3 * sizeof *d);
    *reach = 0;
    for (int side = 0; side < 2; side++) {
        const ThawTravel *travel = travel_of(world, c->key.body[side]);
        double r[3], way[3];
        if (!travel)
            continue;
        way_at(travel, p, r, way);
        thaw_v3_add(d, side ? -1 : 1, way, d);
        *reach = fmax(*reach, thaw_v3_norm(travel->way) + thaw_v3_norm(travel->turn) * thaw_v3_norm(r));
    }
}

// --- pairs -----------------------------------------------------------------------------------------------------------

// The mean of a pair's contacts by force: d = sum w P (way + turn x r) of a body is A way + B turn.
typedef struct Mean {
    double A[9], B[2][9]; // column-major
} Mean;

static void add_mean(const ThawWorld *world, const ThawContact *c, double w, Mean *mean) {
    const double *n = c->frame[0];
    double P[9], p[3];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            P[i + 3 * j] = w * (sticks(c) ? i == j : n[i] * n[j]);
            mean->A[i + 3 * j] += P[i + 3 * j];
        }
    find_point(world, c, p);
    for (int side = 0; side < 2; side++) {
        const ThawTravel *travel = travel_of(world, c->key.body[side]);
        for (int j = 0; j < 3 && travel; j++) {
            double unit[3] = {j == 0, j == 1, j == 2}, r[3], spin[3], column[3];
            thaw_v3_sub(p, travel->at, r);
            thaw_v3_cross(unit, r, spin);
            thaw_rotate(P, spin, column);
            thaw_v3_add(mean->B[side] + 3 * j, 1, column, mean->B[side] + 3 * j);
        }
    }
}

// x of (K + a little) x = b, K symmetric and >= 0.
static void solve(double K[9], const double b[3], double x[3]) {
    const double little = 1e-9 * (K[0] + K[4] + K[8]);
    double rows[3][3];
    for (int k = 0; k < 3; k++)
        K[4 * k] += little;
    for (int k = 0; k < 3; k++)
        thaw_v3_cross(K + 3 * ((k + 1) % 3), K + 3 * ((k + 2) % 3), rows[k]);
    const double det = thaw_v3_dot(K, rows[0]);
    for (int k = 0; k < 3; k++)
        x[k] = det > 0 ? thaw_v3_dot(rows[k], b) / det : 0;
}

static void hold_together(ThawTravel *const sides[2], const Mean *mean) {
    double K[9] = {0}, d[3] = {0}, push[3];
    for (int side = 0; side < 2; side++) {
        const ThawTravel *travel = sides[side];
        double way[3], more[3];
        if (!travel)
            continue;
        thaw_rotate(mean->A, travel->way, way);
        thaw_rotate(mean->B[side], travel->turn, more);
        thaw_v3_add(way, 1, more, way);
        thaw_v3_add(d, side ? 1 : -1, way, d); // what is missing
        for (int j = 0; j < 3; j++) {
            const double unit[3] = {j == 0, j == 1, j == 2};
            double moment[3], spin[3], column[3];
            thaw_rotate_back(mean->A, unit, moment);
            thaw_rotate(mean->A, moment, column);
            thaw_v3_add(K + 3 * j, travel->ease, column, K + 3 * j);
            thaw_rotate_back(mean->B[side], unit, moment);
            thaw_rotate(travel->inverse, moment, spin);
            thaw_rotate(mean->B[side], spin, column);
            thaw_v3_add(K + 3 * j, travel->ease > 0, column, K + 3 * j);
        }
    }
    solve(K, d, push);
    for (int side = 0; side < 2; side++) {
        ThawTravel *travel = sides[side];
        double way[3], moment[3], turn[3];
        if (!travel || travel->ease == 0)
            continue;
        thaw_rotate_back(mean->A, push, way);
        thaw_rotate_back(mean->B[side], push, moment);
        thaw_rotate(travel->inverse, moment, turn);
        thaw_v3_add(travel->way, (side ? -1 : 1) * travel->ease, way, travel->way);
        thaw_v3_add(travel->turn, side ? -1 : 1, turn, travel->turn);
    }
}

// All contacts of the pair whose first one that is; returns the next pair's.
static int32_t hold_pair(const ThawWorld *world, int32_t first) {
    const ThawContactSet *set = &world->state.contacts;
    const int32_t *body = set->contacts[first].key.body;
    ThawTravel *const sides[2] = {travel_of(world, body[0]), travel_of(world, body[1])};
    Mean mean = {0};
    double force = 0;
    int32_t next = first;
    for (; next < set->count && memcmp(set->contacts[next].key.body, body, 2 * sizeof *body) == 0; next++)
        force += fmax(0, set->contacts[next].lambda[0]);
    if (!(force > 0) || sides[0] == sides[1] ||
        ((!sides[0] || sides[0]->ease == 0) && (!sides[1] || sides[1]->ease == 0)))
        return next;
    for (int32_t i = first; i < next; i++)
        if (!lies_open(&set->contacts[i]))
            add_mean(world, &set->contacts[i], set->contacts[i].lambda[0] / force, &mean);
    hold_together(sides, &mean);
    return next;
}

// --- the interval ----------------------------------------------------------------------------------------------------

static int moves_contact(const ThawWorld *world, const ThawContact *c, double h) {
    double d[3], reach;
    parts_by(world, c, d, &reach);
    const double along = thaw_v3_dot(c->frame[0], d);
    if (!(reach > 0))
        return 0;
    if (!c->rolls && c->lambda[0] > BORNE * thaw_v3_norm(thaw_world_mover(world, c->key.body[0])->moving.given[0]))
        return 1;
    if (lies_open(c))
        return along < 0 && thaw_step_gap_at_end(world, c, h) + c->sink + along < -LITTLE * reach;
    return (sticks(c) ? thaw_v3_norm(d) : fabs(along)) > LITTLE * reach;
}

static void stay(ThawWorld *world, int32_t island) {
    for (int32_t b = 0; b < world->islands[island].count; b++)
        memset(&world->islands[island].bodies[b]->moving.travel, 0, sizeof(ThawTravel));
}

int thaw_travel_find(ThawWorld *world, double h) {
    const ThawContactSet *set = &world->state.contacts;
    int any = 0;
    for (int32_t i = 0; i < world->awake_count; i++)
        any |= find_body(world, &world->steppers[world->awake[i]], h);
    if (!any)
        return 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int32_t first = 0; first < set->count;)
            first = hold_pair(world, first);
    for (int32_t i = 0; i < set->count; i++)
        if (!world->state.asleep[set->contacts[i].key.body[0]] && moves_contact(world, &set->contacts[i], h))
            stay(world, thaw_world_mover(world, set->contacts[i].key.body[0])->island);
    return 1;
}

// --- a body ----------------------------------------------------------------------------------------------------------

// Positions at the end go back; what contacts do along that is added.
void thaw_travel_back(ThawStepper *s) {
    const ThawTravel *travel = &s->moving.travel;
    const size_t dim = (size_t)s->model->dim;
    double D[9], to[3];
    if (travel->ease == 0)
        return;
    s->next_elastic = s->next_set_energy = NAN; // the same but for rounding
    thaw_rotation_exp(travel->turn, D);
    thaw_v3_add(travel->at, 1, travel->way, to);
    for (int32_t i = 0; i < s->shape->nv; i++) {
        double r[3], x[3];
        thaw_v3_load((int)dim, s->x1 + (size_t)i * dim, x);
        thaw_v3_sub(x, travel->at, x);
        thaw_rotate(D, x, r);
        for (size_t k = 0, at = (size_t)i * dim; k < dim; k++, at++) {
            const double x1 = to[k] + r[k];
            s->moving.contact += s->impulse[at] / s->moving.span * (x1 - s->x1[at]);
            s->x1[at] = x1;
        }
    }
}

// Velocities all of vertices turn along, and with them the map's frames; v: of the centre.
void thaw_travel_turn(ThawStepper *s, const double v[3], double *all) {
    const ThawTravel *travel = &s->moving.travel;
    ThawMap *map = s->system->map;
    const size_t dim = (size_t)s->model->dim;
    ThawRigidMotion motion = {.D = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    if (travel->ease == 0)
        return;
    thaw_rotation_exp(travel->turn, motion.D);
    thaw_v3_copy(travel->at, motion.from);
    thaw_v3_add(travel->at, 1, travel->way, motion.to);
    for (int32_t i = 0; i < s->shape->nv; i++) {
        double u[3], w[3];
        thaw_v3_load((int)dim, all + (size_t)i * dim, u);
        thaw_v3_sub(u, v, u);
        thaw_rotate(motion.D, u, w);
        for (size_t k = 0; k < dim; k++)
            all[(size_t)i * dim + k] = v[k] + w[k];
    }
    if (map->frame_count > 0) {
        const ThawRigidMotion none = {.to = {motion.to[0], motion.to[1], motion.to[2]},
                                      .D = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        map->ops->enter(map, &motion, s->x1, all);
        map->ops->leave(map, &none);
    }
}
