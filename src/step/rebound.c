// SPDX-License-Identifier: Apache-2.0
// Blows with a coefficient of restitution: of bodies so stiff that no step resolves how they rebound (blow.c), where
// a scene gives one. Such a step is cut where they arrive (step.c), and there bodies change their rigid motions in no
// time; what moves against these stays. In rounds, all contacts that are near taking part:
//
//   compression   impulses lambda >= 0 with Coulomb's friction on the contacts that approach, until none does
//   expansion     Poisson: each normal impulse once more, e times; friction on them so that the least energy is left
//
// and again while any approach: so a row of balls passes a blow on. No round gains energy. With u the speeds of
// contacts, H what impulses do to them, work is lambda.(u0 + u1)/2 and u1 = u0 + H lambda. Compression ends with
// lambda.u1 <= 0 (complementarity, and friction against the sliding), so its work, lambda.u1 - lambda'H lambda/2, is
// -lambda'H lambda/2 at most. In the expansion e lambda, friction included, would be allowed, and does e lambda.u1 +
// e^2 lambda'H lambda/2; so that which leaves the least energy does no more, and together they take (1 - e^2)
// lambda'H lambda/2 at least. With other coefficients at other contacts there is no such proof: there, and where
// rounding has its say, the expansion is cut short where it would gain.
//
// Below the speed that rest can be off by in a step (blow.c) blows are inelastic, so that what bounces comes to rest.
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "contact/collider.h"
#include "math/vec3.h"
#include "step/method.h"

enum { ROUNDS = 100, SWEEPS = 2000 };
static const double EXACT = 1e-12;   // of the fastest approach: impulses that change speeds by less are found
static const double NO_SPEED = 1e-9; // of it, too: what approaches slower has been dealt with

typedef struct Body {
    ThawPart whole;        // as it was before the blow
    double v[3], omega[3]; // as it moves by now
    double P[3], L[3];     // what it has been given
    int seen, moves;
} Body;

typedef struct Row {
    const ThawContact *contact;
    Body *body[2];                     // NULL: an obstacle, or what is held
    double arm[2][3];                  // m
    double dv[2][3][3], turn[2][3][3]; // what a unit of impulse along each axis does to either side
    double D[3][3];                    // what it does to the row's own speeds
    double rest[3];                    // m/s, of the row's speeds what no body here moves
    double u[3][3];                    // m/s, its speeds as the round begins, after compression and at the end
    double lambda[3], total[3];        // N s: of the phase, and of all
    double radius;                     // N s, of friction, while normals are given
    double e, slow;                    // of the round; m/s: an approach at which it is 0
    int near, struck;                  // part of the blow, of the round
} Row;

struct ThawRebound {
    Body *bodies; // by body
    Row *rows;
    int32_t count, capacity;
};

ThawStatus thaw_rebound_create(ThawWorld *world, ThawError *error) {
    if (!world->model->rebounds)
        return THAW_OK;
    world->rebound = THAW_NEW(ThawRebound, 1);
    if (!world->rebound || !(world->rebound->bodies = THAW_NEW(Body, world->model->body_count)))
        return thaw_error_memory(error, "the state");
    return THAW_OK;
}

void thaw_rebound_free(ThawWorld *world) {
    if (!world->rebound)
        return;
    thaw_free(world->rebound->bodies);
    thaw_free(world->rebound->rows);
    thaw_free(world->rebound);
}

// --- bodies and rows -------------------------------------------------------------------------------------------------

static int is_driven(const ThawStepper *s) {
    for (int32_t k = 0; k < s->body->script_count; k++)
        if (thaw_script_moves(&s->body->scripts[k]) && s->middle < s->body->scripts[k].release)
            return 1;
    return 0;
}

// The body's rigid motion, momenta of rigid parts included. (Maps have no say: a resumed world has none yet.)
static void see_body(ThawStepper *s, Body *body) {
    const ThawMethodOps *ops = s->method->ops;
    *body = (Body){.seen = 1};
    if (!s->inertia->ops->accelerate || s->body->moved > 1 || is_driven(s))
        return;
    memcpy(s->y, s->v, sizeof *s->v * (size_t)s->shape->nv * (size_t)s->model->dim);
    if (s->data && ops->velocities)
        ops->velocities(s, s->y);
    body->whole = (ThawPart){.count = s->shape->nv};
    for (int32_t i = 0; i < s->shape->nv; i++)
        body->whole.pins += s->scripted[i] != 0;
    thaw_part_form(s->shape, s->moving.vertices, s->scripted, s->x, s->y, &body->whole, s->u);
    thaw_part_velocity(&body->whole, s->model->dim, body->v, body->omega);
    body->moves = body->whole.hold != THAW_HOLD_FIXED && isfinite(thaw_v3_norm(body->omega));
}

// Where a side is, and how fast by velocities v of the body's vertices.
static void look_at_side(const ThawWorld *world, const ThawContact *c, int side, double x[3], double v[3]) {
    const ThawStepper *s = thaw_world_mover(world, c->key.body[side]);
    const size_t dim = (size_t)world->model->dim;
    for (int k = 0; k < 3; k++)
        x[k] = v[k] = 0;
    for (int n = 0; n < c->nodes[side]; n++)
        for (size_t k = 0; k < dim; k++) {
            const size_t at = (size_t)c->vertex[side][n] * dim + k;
            x[k] += c->weight[side][n] * s->x[at];
            v[k] += c->weight[side][n] * s->v[at];
        }
}

static void fill_side(const ThawWorld *world, Row *row, int side) {
    const ThawContact *c = row->contact;
    const int dim = world->model->dim;
    const double sign = side ? -1 : 1;
    double x[3], v[3], L[3];
    if (c->key.body[side] < 0) {
        for (int k = 0; k < dim; k++)
            row->rest[k] -= thaw_v3_dot(c->frame[k], c->velocity);
        return;
    }
    ThawStepper *s = thaw_world_mover(world, c->key.body[side]);
    Body *body = &world->rebound->bodies[s->index];
    if (!body->seen)
        see_body(s, body);
    look_at_side(world, c, side, x, v);
    if (!body->moves) {
        for (int k = 0; k < dim; k++)
            row->rest[k] += sign * thaw_v3_dot(c->frame[k], v);
        return;
    }
    row->body[side] = body;
    thaw_v3_sub(x, body->whole.p, row->arm[side]);
    for (int k = 0; k < dim; k++) {
        ThawPart part = body->whole;
        double g[3];
        for (int i = 0; i < 3; i++)
            g[i] = sign * c->frame[k][i];
        thaw_v3_cross(row->arm[side], g, L);
        thaw_part_push(&part, g, L);
        thaw_part_velocity(&part, dim, row->dv[side][k], row->turn[side][k]);
    }
    for (int k = 0; k < dim; k++)
        for (int i = 0; i < dim; i++) {
            thaw_v3_cross(row->turn[side][k], row->arm[side], v);
            thaw_v3_add(v, 1, row->dv[side][k], v);
            row->D[i][k] += sign * thaw_v3_dot(c->frame[i], v);
        }
}

// The contacts that a step of h does not resolve, as rows. Nothing but memory can fail.
static ThawStatus see_contacts(ThawWorld *world, ThawError *error) {
    ThawRebound *r = world->rebound;
    const ThawContactSet *set = &world->state.contacts;
    const double h = world->model->options.h;
    if (set->count > r->capacity) {
        Row *rows = THAW_NEW(Row, 2 * (size_t)set->count);
        if (!rows)
            return thaw_error_memory(error, "the contacts");
        thaw_free(r->rows);
        r->rows = rows;
        r->capacity = 2 * set->count;
    }
    r->count = 0;
    for (int32_t i = 0; i < world->awake_count; i++)
        r->bodies[world->awake[i]].seen = 0;
    for (int32_t i = 0; i < set->count; i++) {
        const ThawContact *c = &set->contacts[i];
        if (c->key.body[0] == c->key.body[1] || !thaw_blow_is_unresolved(world, c, h))
            continue;
        Row *row = &r->rows[r->count];
        *row = (Row){.contact = c, .slow = thaw_blow_slow(world, c, h)};
        fill_side(world, row, 0);
        fill_side(world, row, 1);
        r->count += row->D[0][0] > 0;
    }
    return THAW_OK;
}

static double speed_of(const Row *row, int k) {
    const double *n = row->contact->frame[k];
    double u = row->rest[k], v[3];
    for (int side = 0; side < 2; side++)
        if (row->body[side]) {
            thaw_v3_cross(row->body[side]->omega, row->arm[side], v);
            thaw_v3_add(v, 1, row->body[side]->v, v);
            u += (side ? -1 : 1) * thaw_v3_dot(n, v);
        }
    return u;
}

static void push(const Row *row, int k, double lambda) {
    for (int side = 0; side < 2; side++)
        if (row->body[side]) {
            thaw_v3_add(row->body[side]->v, lambda, row->dv[side][k], row->body[side]->v);
            thaw_v3_add(row->body[side]->omega, lambda, row->turn[side][k], row->body[side]->omega);
        }
}

// --- a round ---------------------------------------------------------------------------------------------------------

// The sliding of a row against friction of that radius; returns by how much it changes a speed.
static double rub(int dim, Row *row, double radius) {
    double wanted[3], size = 0, most = 0, stiff = 0;
    for (int k = 1; k < dim; k++)
        stiff += row->D[k][k];
    for (int k = 1; k < dim; k++) {
        wanted[k] = row->lambda[k] - (stiff > 0 ? speed_of(row, k) / stiff : 0);
        size += wanted[k] * wanted[k];
    }
    const double share = size > radius * radius ? radius / sqrt(size) : 1;
    for (int k = 1; k < dim; k++) {
        const double change = share * wanted[k] - row->lambda[k];
        push(row, k, change);
        row->lambda[k] += change;
        most = fmax(most, fabs(change) * stiff);
    }
    return most;
}

static void compress(ThawRebound *r, int dim, double fastest) {
    double change = INFINITY;
    for (int sweep = 0; sweep < SWEEPS && change > EXACT * fastest; sweep++) {
        change = 0;
        for (int32_t i = 0; i < r->count; i++) {
            Row *row = &r->rows[i];
            if (!row->struck)
                continue;
            const double more = fmax(-row->lambda[0], -speed_of(row, 0) / row->D[0][0]);
            push(row, 0, more);
            row->lambda[0] += more;
            change = fmax(change, fabs(more) * row->D[0][0]);
            change = fmax(change, rub(dim, row, row->contact->friction * row->lambda[0]));
        }
    }
}

// Normal impulses are given: e times those of the compression.
static void expand(ThawRebound *r, int dim, double fastest) {
    for (int32_t i = 0; i < r->count; i++) {
        Row *row = &r->rows[i];
        if (!row->struck)
            continue;
        row->lambda[0] *= row->e;
        row->lambda[1] = row->lambda[2] = 0;
        row->radius = row->contact->friction * row->lambda[0];
        push(row, 0, row->lambda[0]);
    }
    double change = INFINITY;
    for (int sweep = 0; sweep < SWEEPS && change > EXACT * fastest; sweep++) {
        change = 0;
        for (int32_t i = 0; i < r->count; i++)
            if (r->rows[i].struck && r->rows[i].radius > 0)
                change = fmax(change, rub(dim, &r->rows[i], r->rows[i].radius));
    }
}

// Speeds of the rows of the round.
static void see_speeds(ThawRebound *r, int dim, int when) {
    for (int32_t i = 0; i < r->count; i++)
        for (int k = 0; k < dim && r->rows[i].struck; k++)
            r->rows[i].u[when][k] = speed_of(&r->rows[i], k);
}

// J, sum lambda.u.
static double power(const ThawRebound *r, int dim, int when) {
    double sum = 0;
    for (int32_t i = 0; i < r->count; i++)
        for (int k = 0; k < dim && r->rows[i].struck; k++)
            sum += r->rows[i].lambda[k] * r->rows[i].u[when][k];
    return sum;
}

// The share s of an expansion, whose work is s a + s^2 b, that does no more than compression has taken.
static double allowed_share(double taken, double a, double b) {
    if (a + b <= taken)
        return 1;
    const double root = a * a + 4 * b * taken;
    return b > 0 && root > 0 ? fmax(0, fmin(1, (sqrt(root) - a) / (2 * b))) : 0;
}

static void note(ThawRebound *r, double share) {
    for (int32_t i = 0; i < r->count; i++)
        for (int k = 0; k < 3 && r->rows[i].struck; k++) {
            Row *row = &r->rows[i];
            row->total[k] += share * row->lambda[k];
            if (share < 1)
                push(row, k, (share - 1) * row->lambda[k]);
        }
}

static void hit(ThawRebound *r, int dim, double fastest) {
    for (int32_t i = 0; i < r->count; i++)
        memset(r->rows[i].lambda, 0, sizeof r->rows[i].lambda);
    see_speeds(r, dim, 0);
    compress(r, dim, fastest);
    see_speeds(r, dim, 1);
    const double taken = -(power(r, dim, 0) + power(r, dim, 1)) / 2;
    note(r, 1);
    expand(r, dim, fastest);
    see_speeds(r, dim, 2);
    const double a = power(r, dim, 1), b = (power(r, dim, 2) - a) / 2;
    const double share = allowed_share(fmax(0, taken), a, b);
    note(r, share);
    THAW_ASSERT(share * (a + share * b) <= taken + 1e-9 * (fabs(taken) + fabs(a) + fabs(b)), "no blow gains energy");
}

static int of_one_pair(const Row *a, const Row *b) {
    return a->contact->key.body[0] == b->contact->key.body[0] && a->contact->key.body[1] == b->contact->key.body[1];
}

// Which rows approach, or all; and the coefficients of their pairs: one for all contacts of a pair, which are
// neighbours. Returns whether any does.
static int mark_struck(ThawRebound *r, double least, int last) {
    int any = 0;
    for (int32_t first = 0, next; first < r->count; first = next) {
        int fast = 0;
        for (next = first; next < r->count && of_one_pair(&r->rows[first], &r->rows[next]); next++) {
            Row *row = &r->rows[next];
            const double u = row->near ? speed_of(row, 0) : 0;
            row->struck = row->near && (last || u < -least);
            any |= u < -least;
            fast |= u < -row->slow;
        }
        for (int32_t i = first; i < next; i++)
            r->rows[i].e = fast && !last ? r->rows[i].contact->restitution : 0;
    }
    return any;
}

// --- the blow --------------------------------------------------------------------------------------------------------

static void give(ThawWorld *world, int32_t index) {
    const Body *body = &world->rebound->bodies[index];
    ThawStepper *s = &world->steppers[index];
    const size_t dim = (size_t)world->model->dim;
    ThawPart part = body->whole;
    double v[3], omega[3], r[3], turn[3], P[3], L[3];
    thaw_part_velocity(&part, (int)dim, v, omega);
    for (int k = 0; k < 3; k++) {
        P[k] = part.P[k] + body->P[k];
        L[k] = part.L[k] + body->L[k];
        v[k] = body->v[k] - v[k];
        omega[k] = body->omega[k] - omega[k];
    }
    const double kinetic = thaw_part_kinetic(&part, (int)dim);
    thaw_part_push(&part, P, L);
    s->work.contact_work += thaw_part_kinetic(&part, (int)dim) - kinetic;
    for (int32_t i = 0; i < s->shape->nv; i++) {
        thaw_v3_load((int)dim, s->x + (size_t)i * dim, r);
        thaw_v3_sub(r, part.p, r);
        thaw_v3_cross(omega, r, turn);
        for (size_t k = 0; k < dim && !s->scripted[i]; k++)
            s->v[(size_t)i * dim + k] += v[k] + turn[k];
    }
    if (s->data && s->method->ops->push)
        s->method->ops->push(s, part.p, v, omega);
    s->linearised = NULL;
}

static void give_all(ThawWorld *world) {
    ThawRebound *r = world->rebound;
    const int dim = world->model->dim;
    for (int32_t i = 0; i < r->count; i++) {
        const Row *row = &r->rows[i];
        const ThawContact *c = row->contact;
        double g[3] = {0}, L[3];
        for (int k = 0; k < dim; k++)
            thaw_v3_add(g, row->total[k], c->frame[k], g);
        for (int side = 0; side < 2; side++)
            if (row->body[side]) {
                thaw_v3_cross(row->arm[side], g, L);
                thaw_v3_add(row->body[side]->P, side ? -1 : 1, g, row->body[side]->P);
                thaw_v3_add(row->body[side]->L, side ? -1 : 1, L, row->body[side]->L);
            }
        if (c->key.body[1] < 0)
            thaw_world_mover(world, c->key.body[0])->work.obstacle_work += thaw_v3_dot(g, c->velocity);
    }
    for (int32_t i = 0; i < world->awake_count; i++)
        if (r->bodies[world->awake[i]].seen && r->bodies[world->awake[i]].moves)
            give(world, world->awake[i]);
}

// s, until the sides of a row that approaches fast enough to rebound meet.
static double arrival_of(const ThawWorld *world, const Row *row, double h) {
    const double u = speed_of(row, 0);
    if (!(row->contact->restitution > 0) || !(u < -row->slow))
        return INFINITY;
    return fmax(0, row->contact->gap) / (h * thaw_v3_norm(world->model->options.gravity) - u);
}

ThawStatus thaw_rebound_strike(ThawWorld *world, double h, double window, double *until, ThawError *error) {
    ThawRebound *r = world->rebound;
    double fastest = 0;
    *until = INFINITY;
    ThawStatus status = see_contacts(world, error);
    for (int32_t i = 0; i < r->count && status == THAW_OK; i++) {
        const double arrival = arrival_of(world, &r->rows[i], h);
        *until = fmin(*until, arrival);
        if (arrival <= window)
            fastest = fmax(fastest, -speed_of(&r->rows[i], 0));
    }
    if (status != THAW_OK || *until > window)
        return status;
    *until = 0;
    for (int32_t i = 0; i < r->count; i++)
        r->rows[i].near = r->rows[i].contact->gap <= window * fastest;
    for (int round = 1; mark_struck(r, NO_SPEED * fastest, round == ROUNDS) && round <= ROUNDS; round++)
        hit(r, world->model->dim, fastest);
    give_all(world);
    return THAW_OK;
}
