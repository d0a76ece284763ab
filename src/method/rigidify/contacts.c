// SPDX-License-Identifier: Apache-2.0
// What the oracle is told of contacts: their forces on a body, remembered and foreseen; their stiffness; and which of
// them strike.
#include <math.h>
#include <string.h>

#include "math/vec3.h"
#include "method/rigidify/rigidify.h"
#include "step/keep.h"

static const double STICKS = 0.99; // of the greatest friction: below, a contact sticks
// Of the diameter: a contact that is no farther open holds its vertices, too. It is about to close or has just opened;
// if relaxation could move vertices into it stiff contacts would open and close in turns, and a heap would never come
// to rest. A contact that strikes does not hold: the blow has to act on the body.
static const double NEAR = 5e-4;

// How fast the sides of a contact move against each other, m/s. Velocities are those of the start of the whole step,
// which no other body's oracle touches.
static void relative_velocity(const ThawWorld *world, const ThawContact *contact, double u[3]) {
    int dim = world->model->dim;
    for (int k = 0; k < 3; k++)
        u[k] = k < dim ? -contact->velocity[k] : 0;
    for (int side = 0; side < 2; side++)
        for (int n = 0; n < contact->nodes[side]; n++)
            for (int k = 0; k < dim; k++)
                u[k] += (side == 0 ? 1 : -1) * contact->weight[side][n] *
                        thaw_world_mover(world, contact->key.body[side])
                            ->start_v[(size_t)contact->vertex[side][n] * (size_t)dim + (size_t)k];
}

// What a spring k, N/m, along the unit vector n adds to K, dim x dim.
static void add_spring(double k, const double *n, int dim, double K[9]) {
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++)
            K[i * dim + j] += k * n[i] * n[j];
}

// Friction at the rim of its cone, `most` (N). A contact that has only just come there still has all of k_t along both
// tangents: across, since friction turns towards where the vertex goes, and along, since the vertex may go back. The
// farther it slides in a step, the less.
static void add_rim(const ThawWorld *world, const ThawContact *contact, double h, double most, double k_t,
                    double K[9]) {
    double u[3], square = 0;
    if (!(most > 0))
        return;
    relative_velocity(world, contact, u);
    for (int r = 1; r < world->model->dim; r++) {
        double slip = thaw_v3_dot(contact->frame[r], u);
        square += slip * slip;
    }
    for (int r = 1; r < world->model->dim; r++)
        add_spring(k_t * most / (most + k_t * h * sqrt(square)), contact->frame[r], world->model->dim, K);
}

// By how much the force of a contact at rest changes with the place of what it holds (response.h), N/m: symmetric, dim
// x dim. It is the slope of the law, not a bound of it: relaxation moves vertices by it, and if a contact were stiffer
// its force would go too far by as much, so that bodies on stiff contacts would wake in turns for ever. hard: stiffness
// of contacts that have no slope.
static void rest_stiffness(const ThawWorld *world, const ThawContact *contact, double h, double hard, double K[9]) {
    const ThawContactOptions *options = &world->model->options.contact;
    const int dim = world->model->dim, cone = options->friction == THAW_FRICTION_CONE;
    double k = options->erp > 0 ? options->erp / (h * h * options->cfm) : contact->stiffness;
    k = isfinite(k) ? k : hard;
    double k_t = options->tangent > 0 ? options->tangent * k : hard;
    double most = contact->friction * contact->lambda[0];
    memset(K, 0, sizeof(double) * 9);
    add_spring(k, contact->frame[0], dim, K);
    if (cone && hypot(contact->lambda[1], contact->lambda[2]) >= STICKS * most)
        add_rim(world, contact, h, most / h, k_t, K);
    else
        for (int r = 1; r < dim; r++)
            if (fabs(contact->lambda[r]) < STICKS * most)
                add_spring(k_t, contact->frame[r], dim, K);
}

// How far a side yields, m/s for an impulse of 1 N s: by A^-1 at least as much as by the diagonal of A alone, and in a
// body that nothing holds at least as much as by its whole mass.
static double give_of(const ThawStepper *s, const ThawContact *contact, int side, double h) {
    const ThawShape *shape = s->shape;
    double give = 0;
    int held = 0;
    for (int n = 0; n < contact->nodes[side]; n++) {
        int32_t v = contact->vertex[side][n];
        double A =
            shape->mass[v] + h * (shape->damping_mass[v] + h * shape->stiffness[v] + shape->stiffness_damping[v]);
        give += s->scripted[v] ? 0 : contact->weight[side][n] * contact->weight[side][n] / A;
    }
    for (int32_t k = 0; k < s->body->script_count; k++)
        held |= s->middle < s->body->scripts[k].release;
    return held ? give : fmax(give, 1 / shape->total_mass);
}

// The force (N) along the normal by which a contact that carries nothing yet would have to stop its sides: it is known
// from nothing else before the step. And the speed (m/s) at which the sides come nearer.
static double foreseen_force(const ThawWorld *world, const ThawContact *contact, ThawIncrement step, double *speed) {
    int dim = world->model->dim;
    double u[3], S[9] = {0}, give = 0;
    relative_velocity(world, contact, u);
    for (int side = 0; side < 2; side++)
        give += contact->nodes[side] > 0
                    ? give_of(thaw_world_mover(world, contact->key.body[side]), contact, side, step.h)
                    : 0;
    *speed = 0;
    for (int k = 0; k < dim; k++) {
        S[k * dim + k] = give;
        *speed -= contact->frame[0][k] * u[k];
    }
    return thaw_response_estimate(dim, step.h, contact, u, S) / step.h;
}

static int touches_part(const ThawPartition *partition, const ThawContact *contact, int side) {
    int any = 0;
    for (int n = 0; n < contact->nodes[side]; n++)
        any |= partition->part_of_vertex[contact->vertex[side][n]] >= 0;
    return any;
}

// The speed over the size of an element is a strain rate.
static double striking_speed(const ThawRigidifyData *a) { return sqrt(a->options.tau_rigid) * a->grain; }

// Compliance of an attachment's row: its own along its axes, gamma, and what the bodies on both sides give.
static double gives(const ThawWorld *world, const ThawContact *row, double h, double gamma[3]) {
    double give = 0;
    gamma[0] = 1 / (h * (h * row->stiffness + row->damping));
    gamma[1] = gamma[2] = 1 / (h * (h * row->across[0] + row->across[1]));
    for (int i = 0; i < 2; i++)
        give += row->nodes[i] > 0 ? give_of(thaw_world_mover(world, row->key.body[i]), row, i, h) : 0;
    return give;
}

void thaw_rigidify_attachment_force(const ThawWorld *world, const ThawContact *row, double h, int past, double f[3]) {
    double u[3], gamma[3], give = gives(world, row, h, gamma);
    relative_velocity(world, row, u);
    memset(f, 0, 3 * sizeof *f);
    for (int r = 0; r < world->model->dim; r++) {
        const double speed = row->frame[r][0] * u[0] + row->frame[r][1] * u[1] + row->frame[r][2] * u[2];
        const double push = (row->lambda[r] - (past ? 0 : speed / (gamma[r] + give))) / h;
        for (int k = 0; k < 3; k++)
            f[k] += row->frame[r][k] * push;
    }
}

// What one side of an attachment's row says to the question. Its force is that of the last step and what the spring
// adds as its sides now move; what moves its stiff spring faster than the body can follow strikes.
static void gather_attachment(const ThawWorld *world, const ThawStepper *s, const ThawContact *row, int side,
                              ThawIncrement step, ThawQuestion *q) {
    ThawRigidifyData *a = thaw_rigidify(s);
    const size_t dim = (size_t)s->model->dim;
    double u[3], f[3], f_past[3], K[9] = {0}, gamma[3], give = gives(world, row, step.h, gamma), fast = 0;
    double lever =
        0; // 1, or more where an anchor lies outside of its element: no row of K is larger than is set for it
    for (int n = 0; n < row->nodes[side]; n++)
        lever += fabs(row->weight[side][n]);
    relative_velocity(world, row, u);
    thaw_rigidify_attachment_force(world, row, step.h, 0, f);
    thaw_rigidify_attachment_force(world, row, step.h, 1, f_past);
    for (size_t r = 0; r < dim; r++) {
        const double speed = row->frame[r][0] * u[0] + row->frame[r][1] * u[1] + row->frame[r][2] * u[2];
        fast += gamma[r] < give ? speed * speed : 0;
        add_spring(r == 0 ? row->stiffness : row->across[0], row->frame[r], (int)dim, K);
    }
    const int strikes = sqrt(fast) > striking_speed(a);
    q->contacts = thaw_hash(q->contacts, &row->key, sizeof row->key);
    q->hard |= row->stiffness > a->hard;
    if (touches_part(a->partition, row, side)) {
        q->on_parts = thaw_hash(thaw_hash(q->on_parts, &row->key, sizeof row->key), &strikes, sizeof strikes);
        q->struck |= strikes;
        q->hit |= strikes;
    }
    for (int n = 0; n < row->nodes[side]; n++) {
        const size_t v = (size_t)row->vertex[side][n];
        const double w = (side == 0 ? 1 : -1) * row->weight[side][n];
        for (size_t k = 0; k < dim; k++) {
            q->presses |= row->lambda[k] != 0;
            a->f_contact[v * dim + k] += w * f[k];
            a->f_past[v * dim + k] += w * f_past[k];
        }
        for (size_t k = 0; k < dim * dim; k++)
            a->k_contact[v * dim * dim + k] += fabs(row->weight[side][n]) * lever * K[k];
    }
}

// What one side of a contact says to the question. *against: the body on the other side of the contact before.
static void gather_contact(const ThawWorld *world, const ThawStepper *s, const ThawContact *contact, int side,
                           ThawIncrement step, int32_t *against, ThawQuestion *q) {
    ThawRigidifyData *a = thaw_rigidify(s);
    const size_t dim = (size_t)s->model->dim;
    const double slow = striking_speed(a);
    double push[2][3] = {{0}}, K[9], speed = 0;
    double foreseen = 0;
    if (contact->lambda[0] == 0 || world->blows) // a blow goes on from what the touch before it carries
        foreseen = fmax(0, foreseen_force(world, contact, step, &speed) - contact->lambda[0] / step.h);
    q->presses |= contact->lambda[0] > 0;
    int holds = contact->lambda[0] > 0 || (contact->gap <= NEAR * s->shape->diameter && speed <= slow);
    int closes = foreseen > 0; // a body that is hit has to be asked about now, not when its stride ends
    if (holds || closes) {
        q->contacts = thaw_hash(q->contacts, &contact->key, sizeof contact->key);
        if (contact->key.body[1 - side] != *against) // contacts of the same two bodies follow each other
            q->passing = fmax(q->passing, thaw_motion_against(world, s, contact, side, step));
        *against = contact->key.body[1 - side];
        if (touches_part(a->partition, contact, side)) {
            q->on_parts = thaw_hash(thaw_hash(q->on_parts, &contact->key, sizeof contact->key), &closes, sizeof closes);
            q->struck |= closes;
            q->hit |= closes && speed > slow;
        }
    }
    if (holds) {
        rest_stiffness(world, contact, step.h, a->hard, K);
        q->hard |= s->model->options.contact.erp == 0 && contact->stiffness > a->hard;
    }
    for (size_t r = 0; r < dim; r++)
        for (size_t k = 0; k < dim; k++) {
            push[0][k] += contact->frame[r][k] * (contact->lambda[r] / step.h + (r == 0 ? foreseen : 0));
            push[1][k] += contact->frame[r][k] * (contact->lambda[r] / step.h);
        }
    for (int n = 0; n < contact->nodes[side]; n++) {
        int32_t v = contact->vertex[side][n];
        double w = (side == 0 ? 1 : -1) * contact->weight[side][n];
        for (size_t k = 0; k < dim; k++) {
            a->f_contact[(size_t)v * dim + k] += w * push[0][k];
            a->f_past[(size_t)v * dim + k] += w * push[1][k];
        }
        for (size_t k = 0; k < dim * dim && holds; k++) // row sums: a face pushed as a whole meets all of K
            a->k_contact[(size_t)v * dim * dim + k] += contact->weight[side][n] * K[k];
    }
}

void thaw_rigidify_gather(const ThawWorld *world, ThawStepper *s, ThawIncrement step, ThawQuestion *q) {
    const ThawIsland *island = &world->islands[s->island];
    ThawRigidifyData *a = thaw_rigidify(s);
    size_t dim = (size_t)s->model->dim;
    if (a->pressed) {
        memset(a->f_contact, 0, sizeof(double) * (size_t)s->shape->nv * dim);
        memset(a->f_past, 0, sizeof(double) * (size_t)s->shape->nv * dim);
        memset(a->k_contact, 0, sizeof(double) * (size_t)s->shape->nv * dim * dim);
    }
    a->pressed = island->contact_count > 0;
    int32_t against = s->index; // none yet
    for (int32_t c = 0; c < island->contact_count; c++) {
        const ThawContact *contact = &island->set->contacts[island->contacts[c]];
        for (int side = 0; side < 2; side++) {
            if (contact->nodes[side] == 0 || thaw_world_mover(world, contact->key.body[side]) != s)
                continue;
            if (contact->two_sided)
                gather_attachment(world, s, contact, side, step, q);
            else
                gather_contact(world, s, contact, side, step, &against, q);
        }
    }
}

// By the published rule what begins within a step is felt in the next one, as forces that have begun.
ThawStatus thaw_rigidify_strike(const ThawWorld *world, ThawStepper *s, const ThawContact *contact, int side,
                                double speed) {
    const ThawRigidifyData *a = thaw_rigidify(s);
    if (a->options.oracle == THAW_ORACLE_PAPER || speed <= striking_speed(a) ||
        !touches_part(a->partition, contact, side))
        return THAW_OK;
    ThawStatus status = world->kept ? thaw_keep_state(&(ThawKeeping){world->kept, s}) : THAW_OK;
    if (status != THAW_OK)
        return status;
    thaw_method_abandon(s, &s->work);
    s->answered = 0;
    s->linearised = NULL;
    return THAW_OK;
}
