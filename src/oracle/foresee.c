// SPDX-License-Identifier: Apache-2.0
// What the force c that holds parts together would do to the body.
//
// At rest: the displacement it would cause within the horizon T (a second),
//     [M/T^2 + (1 + alpha1/T) K + K_contact] d = c,
// is the error that staying rigid leaves, and sym(F'B d) its strain. Loads that last build up far more than what one
// step shows, about which the published rule asks.
//
// In motion that would wake a whole body for an impact of some milliseconds. But a body about which a question is asked
// in every step has to be judged for the next step only. The error e of the body's motion (what it would be, less what
// it is) obeys, to first order,
//     M e'' + D e' + (K + K_contact) e = c
// over the whole body, since c is what the parts' motion lacks in Newton's equation, and elastic vertices lack nothing.
// So a shadow velocity w is kept, one step of backward Euler at a time,
//     (M + h D + h^2 (K + K_contact)) w1 = M w0 + h c,
// and the body is moved by d = h w1, so that e is zero again. Where w strains faster than the threshold, the element
// wakes: when the wave has come there, and not before. Elements that become rigid leave their own last motion to w. The
// share of w that velocities can have (that of elastic vertices, and the rigid motion of a part) goes over to them
// after each step, so that w is motion within parts. Where w is slow one solve, by the theta rule, is enough for a
// stride of some steps: w has the same acceleration in each, and the body moves in each, so that elements beside parts
// see them move.
//
// K is that of a reference shape in the body's own frame, taken anew only when the shape has changed by some percent or
// other vertices are in contact. A question at rest is a back-substitution with a complete factor (the matrix is nearly
// singular) in single precision, which leaves five digits of the strains; one in motion a few conjugate gradients from
// the shadow of the step before (mass and damping make it well conditioned), or a factor, too, where a reference serves
// many of them; then a pass over the strains.
#include <math.h>
#include <string.h>

#include "force/force.h"
#include "force/strain.h"
#include "map/rigid/motion.h"
#include "math/decompose.h"
#include "oracle/oracle_impl.h"

static const double IDENTITY[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
static const double NEXT_ERROR = 0.003; // of the next step's displacement, in the norm of energy

// --- the body's frame ------------------------------------------------------------------------------------------------

// Sums about the first vertex: no digits are lost where a body is far from the origin.
static void find_frame(const ThawOracle *oracle, const double *x, double Q[9], double centre[2][3]) {
    const ThawShape *shape = oracle->shape;
    const double *X = oracle->state.reference;
    const int dim = shape->dim;
    double H[9] = {0}, U[9], s[3], V[9];
    memset(centre, 0, 2 * sizeof *centre);
    for (int32_t i = 0; i < shape->nv; i++) {
        const size_t at = (size_t)i * (size_t)dim;
        const double m = shape->mass[i] / shape->total_mass;
        for (int k = 0; k < dim; k++) {
            double A = X[at + (size_t)k] - X[k], a = m * (x[at + (size_t)k] - x[k]);
            centre[0][k] += m * A;
            centre[1][k] += a;
            for (int l = 0; l < dim; l++)
                H[k + 3 * l] += a * (X[at + (size_t)l] - X[l]);
        }
    }
    for (int k = 0; k < dim; k++)
        for (int l = 0; l < dim; l++)
            H[k + 3 * l] -= centre[1][k] * centre[0][l];
    if (dim == 2)
        H[8] = sqrt(H[0] * H[0] + H[1] * H[1] + H[3] * H[3] + H[4] * H[4]); // keeps the plane in the plane
    thaw_svd3(H, U, s, V);
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            Q[k + 3 * l] = U[k] * V[l] + U[k + 3] * V[l + 3] + U[k + 6] * V[l + 6];
    for (int k = 0; k < dim; k++) {
        centre[0][k] += X[k];
        centre[1][k] += x[k];
    }
}

void thaw_oracle_frame(const ThawOracle *oracle, const double *x, double Q[9]) {
    double centre[2][3];
    find_frame(oracle, x, Q, centre);
}

double thaw_oracle_compare(const ThawOracle *oracle, const double *x, double Q[9]) {
    const ThawShape *shape = oracle->shape;
    const double *X = oracle->state.reference;
    const int dim = shape->dim;
    double centre[2][3], worst = 0;
    find_frame(oracle, x, Q, centre);
    for (int32_t i = 0; i < shape->nv; i++) {
        double square = 0;
        for (int k = 0; k < dim && oracle->root[i] >= 0; k++) {
            double turned = 0;
            for (int l = 0; l < dim; l++)
                turned += Q[k + 3 * l] * (X[(size_t)i * (size_t)dim + (size_t)l] - centre[0][l]);
            double off = x[(size_t)i * (size_t)dim + (size_t)k] - centre[1][k] - turned;
            square += off * off;
        }
        worst = square > worst ? square : worst;
    }
    return sqrt(worst);
}

void thaw_oracle_turn(const ThawShape *shape, const double Q[9], int back, const double *in, double *out) {
    const int dim = shape->dim;
    if (memcmp(Q, IDENTITY, sizeof IDENTITY) == 0) {
        if (in != out)
            memcpy(out, in, sizeof *out * (size_t)shape->nv * (size_t)dim);
        return;
    }
    for (int32_t i = 0; i < shape->nv; i++) {
        double turned[3] = {0, 0, 0};
        for (int k = 0; k < dim; k++)
            for (int l = 0; l < dim; l++)
                turned[k] += (back ? Q[l + 3 * k] : Q[k + 3 * l]) * in[(size_t)i * (size_t)dim + (size_t)l];
        for (int k = 0; k < dim; k++)
            out[(size_t)i * (size_t)dim + (size_t)k] = turned[k];
    }
}

void thaw_oracle_take_reference(ThawOracle *oracle, const ThawQuestion *q, double Q[9]) {
    ThawOracleState *state = &oracle->state;
    size_t nv = (size_t)oracle->shape->nv, dim = (size_t)oracle->shape->dim;
    if (state->has_reference)
        thaw_oracle_turn(oracle->shape, Q, 0, state->shadow, state->shadow);
    memcpy(state->reference, q->x, sizeof(double) * nv * dim);
    memset(state->held, 0, sizeof(double) * nv * dim * dim);
    if (q->k_contact)
        memcpy(state->held, q->k_contact, sizeof(double) * nv * dim * dim);
    state->has_reference = 1;
    state->age = 0;
    state->followed[1] = state->followed[0];
    state->followed[0] = 0;
    oracle->lasting.factored = oracle->next.factored = oracle->stride.factored = 0;
    memcpy(Q, IDENTITY, sizeof IDENTITY);
}

// --- solving ---------------------------------------------------------------------------------------------------------

static void add_contacts(const ThawOracle *oracle, const ThawMap *map, ThawBlockMatrix *A) {
    size_t square = (size_t)(A->pattern->bs * A->pattern->bs);
    for (int32_t i = 0; i < oracle->shape->nv; i++) {
        int32_t block[1]; // the oracle's map is the identity
        double matrix[1][9];
        if (map->ops->rows(map, i, block, matrix) == 0)
            continue;
        double *to = A->value + (size_t)(A->pattern->row[block[0] + 1] - 1) * square;
        for (size_t k = 0; k < square; k++)
            to[k] += oracle->state.held[(size_t)i * square + k];
    }
}

static void drop_solver(ThawForesight *foresight) {
    thaw_solver_free(&foresight->solver);
    thaw_solver_plan_free(&foresight->plan);
    *foresight = (ThawForesight){0};
}

static ThawStatus make_solver(ThawOracle *oracle, ThawForesight *foresight, const ThawSystem *system, int direct,
                              ThawError *error) {
    ThawStatus status = THAW_OK;
    drop_solver(foresight);
    if (!direct)
        status = thaw_solver_plan_create(THAW_SOLVER_PCG, system->pattern, &foresight->plan, error);
    if (status == THAW_OK)
        status =
            thaw_solver_create(direct ? system->direct : foresight->plan, oracle->tasks, &foresight->solver, error);
    if (status == THAW_OK)
        foresight->system = system;
    foresight->direct = direct;
    return status;
}

// The matrix at rest is nearly singular: it always gets a complete factor. That of the shadow gets one where this
// reference or the last one served as many questions as it takes to pay for the factor.
static int wants_factor(const ThawOracle *oracle, const ThawForesight *foresight, const ThawSystem *system) {
    const int32_t *followed = oracle->state.followed;
    return foresight == &oracle->lasting ||
           (followed[0] > followed[1] ? followed[0] : followed[1]) >= thaw_solver_plan_patience(system->direct);
}

void thaw_oracle_drop_factor(ThawOracle *oracle) {
    oracle->batch_count = -1;
    drop_solver(&oracle->lasting);
    drop_solver(&oracle->next);
    drop_solver(&oracle->stride);
}

// The factor of one horizon, for the reference shape: a function of the state alone.
static ThawStatus fit_factor(ThawOracle *oracle, ThawForesight *foresight, const ThawSystem *system, double T,
                             ThawError *error) {
    int direct = wants_factor(oracle, foresight, system);
    if (foresight->system == system && foresight->direct == direct && foresight->factored && foresight->T == T)
        return THAW_OK;
    ThawStatus status = foresight->system == system && foresight->direct == direct
                            ? THAW_OK
                            : make_solver(oracle, foresight, system, direct, error);
    if (status != THAW_OK)
        return status;
    ThawCombination A = {1 / (T * T), 0, {1, 1 / T, 1}, 0, NULL};
    thaw_system_assemble(system, oracle->tasks, A, oracle->state.reference, NULL, foresight->solver, oracle->f,
                         oracle->partial);
    add_contacts(oracle, system->map, thaw_solver_matrix(foresight->solver));
    status = thaw_solver_factor(foresight->solver);
    thaw_solver_halve(foresight->solver);
    foresight->factored = status == THAW_OK;
    foresight->T = T;
    return status;
}

// c: in, a force in the reference's frame; out, the displacement. oracle->q: a first guess, for the next step alone.
static ThawStatus displace(ThawOracle *oracle, const ThawForesight *foresight, double *c) {
    const ThawMap *map = foresight->system->map;
    int32_t *followed = oracle->state.followed;
    *followed += foresight != &oracle->lasting && *followed < INT32_MAX;
    map->ops->apply_t(map, c, oracle->b);
    ThawStatus status = thaw_solver_settle(foresight->solver, oracle->b, oracle->q, NEXT_ERROR, NULL);
    if (status == THAW_OK || status == THAW_NOT_CONVERGED) // the best there is
        map->ops->apply(map, oracle->q, NULL, c);
    return status == THAW_NOT_CONVERGED ? THAW_OK : status;
}

ThawStatus thaw_oracle_displace(ThawOracle *oracle, double *c) { return displace(oracle, &oracle->lasting, c); }

// d and predicted of a displacement y in the reference's frame.
static void predict(ThawOracle *oracle, const ThawQuestion *q, const double Q[9]) {
    thaw_oracle_turn(oracle->shape, Q, 0, oracle->y, oracle->d);
    thaw_strain_predict(oracle->shape->all, oracle->tasks, NULL, 0, q->x, oracle->d, oracle->predicted);
}

ThawStatus thaw_oracle_foresee(ThawOracle *oracle, const ThawQuestion *q, const double Q[9], ThawError *error) {
    ThawStatus status = fit_factor(oracle, &oracle->lasting, q->system, oracle->options.horizon, error);
    thaw_oracle_turn(oracle->shape, Q, 1, oracle->c, oracle->y);
    if (status == THAW_OK)
        status = displace(oracle, &oracle->lasting, oracle->y);
    if (status == THAW_OK)
        predict(oracle, q, Q);
    return status;
}

// A stride of n steps is to lose as little energy as n steps would. Backward Euler damps a mode like an alpha1 greater
// by its step; so the stride is solved by the theta rule with theta = (n + 1) / (2 n), whose (2 theta - 1) n h is h:
// the velocity u = w0 + theta (w1 - w0) comes from a step of backward Euler over theta n h. The ways h w of n steps
// with the same acceleration, each with the velocity at its end, come to n h u. At least 2/3, so that stiff modes die
// out. theta n:
static double span_of(int n) { return fmax((n + 1) / 2., 2 * n / 3.); }

// Takes the rigid motion off a field of velocities u in the reference's frame.
static void cancel_net(const ThawOracle *oracle, double *u) {
    ThawMotion net;
    thaw_motion_find(oracle->shape, oracle->state.reference, u, &net);
    thaw_motion_add(oracle->shape, &net, oracle->state.reference, -1, u);
}

static int is_scripted(const ThawShape *shape, const unsigned char *script) {
    for (int32_t i = 0; i < shape->nv; i++)
        if (script[i])
            return 1;
    return 0;
}

// Whether contacts hold the shadow. Contacts that are still open do not, however near: the shadow would hang on them.
static int is_held(const ThawOracle *oracle) {
    size_t dim = (size_t)oracle->shape->dim;
    for (size_t i = 0; oracle->presses && i < (size_t)oracle->shape->nv * dim * dim; i++)
        if (oracle->state.held[i] != 0)
            return 1;
    return 0;
}

// The acceleration of the shadow within a stride, from u; h u, in the reference's frame, is left in y.
static ThawStatus find_pull(ThawOracle *oracle, const ThawQuestion *q, const double Q[9], int stride,
                            ThawError *error) {
    const ThawShape *shape = oracle->shape;
    const double *w = oracle->state.shadow;
    double *y = oracle->y, T = q->h * span_of(stride);
    size_t dim = (size_t)shape->dim, count = (size_t)shape->nv * dim;
    ThawForesight *next = stride > 1 ? &oracle->stride : &oracle->next;
    // In a body that nothing holds c has no net force and no net torque. Neither may the acceleration have any, though
    // iterations leave some, nor the shadow, though contacts that have opened since gave it some: the body would fly on
    // by that.
    int loose = !is_scripted(shape, q->script) && !is_held(oracle);
    if (loose)
        cancel_net(oracle, oracle->state.shadow);
    ThawStatus status = fit_factor(oracle, next, q->system, T, error);
    thaw_oracle_turn(shape, Q, 1, oracle->c, y);
    for (size_t i = 0; i < count; i++) {
        y[i] += shape->mass[i / dim] / T * w[i];
        oracle->f[i] = T * w[i];
    }
    if (status == THAW_OK)
        q->system->map->ops->apply_t(q->system->map, oracle->f,
                                     oracle->q); // free vertices of it: as if nothing changed
    if (status == THAW_OK)
        status = displace(oracle, next, y);
    for (size_t i = 0; i < count && status == THAW_OK; i++) {
        oracle->state.shadow_accel[i] = (y[i] / T - w[i]) / T;
        y[i] *= q->h / T;
    }
    if (status == THAW_OK && loose)
        cancel_net(oracle, oracle->state.shadow_accel);
    return status;
}

ThawStatus thaw_oracle_follow(ThawOracle *oracle, const ThawQuestion *q, const double Q[9], int stride,
                              ThawError *error) {
    ThawStatus status = find_pull(oracle, q, Q, stride, error);
    if (status == THAW_OK)
        predict(oracle, q, Q);
    return status;
}

// Where the stride ends early, w is interpolated.
ThawStatus thaw_oracle_catch_up(ThawOracle *oracle, const ThawQuestion *q, const double Q[9], int steps, int stride,
                                ThawError *error) {
    double *w = oracle->state.shadow, t = steps * q->h;
    ThawStatus status = find_pull(oracle, q, Q, stride, error);
    if (status != THAW_OK)
        return status;
    for (size_t i = 0; i < (size_t)oracle->shape->nv * (size_t)oracle->shape->dim; i++) {
        oracle->y[i] = t * (w[i] + span_of(steps) * q->h * oracle->state.shadow_accel[i]);
        w[i] += t * oracle->state.shadow_accel[i];
    }
    predict(oracle, q, Q);
    return THAW_OK;
}

void thaw_oracle_glide(ThawOracle *oracle, const double Q[9], double h) {
    double *w = oracle->state.shadow;
    for (size_t i = 0; i < (size_t)oracle->shape->nv * (size_t)oracle->shape->dim; i++) {
        w[i] += h * oracle->state.shadow_accel[i];
        oracle->y[i] = h * w[i];
    }
    thaw_oracle_turn(oracle->shape, Q, 0, oracle->y, oracle->d);
}

// The shadow has gone on since the question, and parts have changed: what they took from it or left to it (the
// difference between the answer's shadow and u) is added. Where there was no question (the published rule, or nothing
// free) there is no shadow. A vertex that has left its part begins without one, unless velocities are about to take it
// over: of an acceleration without net force no share may get lost.
void thaw_oracle_repartitioned(ThawOracle *oracle, const ThawAnswer *answer, const ThawPartition *partition) {
    const ThawShape *shape = oracle->shape;
    ThawOracleState *state = &oracle->state;
    size_t dim = (size_t)shape->dim, count = (size_t)shape->nv * dim;
    for (size_t i = 0; i < count; i++)
        oracle->y[i] = answer->shadow ? answer->shadow[i] - oracle->u[i] : 0;
    thaw_oracle_turn(shape, oracle->Q, 1, oracle->y, oracle->y);
    for (int32_t i = 0; i < shape->nv; i++) {
        int was = state->known[i];
        state->known[i] = partition->part_of_vertex[i] >= 0;
        for (size_t at = (size_t)i * dim; at < ((size_t)i + 1) * dim; at++)
            if (state->known[i] || answer->followed)
                state->shadow[at] += oracle->y[at];
            else if (was || partition->part_count == 0)
                state->shadow[at] = 0;
    }
    state->inner_is = THAW_INNER_UNKNOWN;
    oracle->batch_count = -1;
}

// Where contacts hold the shadow they have pushed it, and it has momentum. Velocities take none of that, since the
// contact impulses of the step itself change their momentum. The shadow keeps it: without it the points in contact
// would move.
double thaw_oracle_hand_over(ThawOracle *oracle, ThawPartition *partition, double *v) {
    double *w = oracle->state.shadow;
    const int is_free = !is_scripted(oracle->shape, partition->script), keeps = is_free && is_held(oracle);
    ThawMotion net = {{0}, {0}, {0}};
    if (is_free) {
        thaw_motion_find(oracle->shape, oracle->state.reference, w, &net);
        thaw_motion_add(oracle->shape, &net, oracle->state.reference, -1, w);
    }
    thaw_oracle_turn(oracle->shape, oracle->Q, 0, w, oracle->y);
    double gained = thaw_partition_absorb(partition, oracle->y, v);
    thaw_oracle_turn(oracle->shape, oracle->Q, 1, oracle->y, w);
    if (keeps)
        thaw_motion_add(oracle->shape, &net, oracle->state.reference, 1, w);
    return gained;
}

double thaw_oracle_shadow_energy(ThawOracle *oracle, const ThawPartition *partition) {
    thaw_oracle_turn(oracle->shape, oracle->Q, 0, oracle->state.shadow, oracle->y);
    return thaw_partition_shadow_energy(partition, oracle->y);
}

// --- relaxation ------------------------------------------------------------------------------------------------------

double thaw_oracle_move(ThawOracle *oracle, const ThawQuestion *q, ThawPartition *partition, double share, double *x) {
    const ThawShape *shape = oracle->shape;
    int dim = shape->dim;
    double moved = 0;
    for (int32_t i = 0; i < shape->nv; i++)
        for (int k = 0; k < dim && !q->script[i]; k++) {
            double step = share * oracle->d[(size_t)i * (size_t)dim + (size_t)k];
            x[(size_t)i * (size_t)dim + (size_t)k] += step;
            moved = fabs(step) > moved ? fabs(step) : moved;
        }
    thaw_partition_reshape(partition, x);
    oracle->state.inner_is = THAW_INNER_UNKNOWN;
    return moved;
}
