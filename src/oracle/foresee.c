// SPDX-License-Identifier: Apache-2.0
// What would the force c do that holds parts together? The displacement it would cause within a time T,
//     [M/T^2 + (1 + alpha1/T) K + K_contact] d = c,
// is the error that staying rigid leaves, and sym(F'B d) its strain.
//
// T is the horizon (a second) for loads that last: their effect builds up far beyond that of one step, about which the
// published rule asks. But an impact lasts some milliseconds, and what it does spreads at the speed of waves. So c is split:
// its mean over the recent past, a time tau of a tenth of the horizon, is judged statically, the rest by what it can do
// within tau. The two times must be the same: a force F that came a time t ago has the mean F t/tau, and what it has done
// to a mode of frequency omega, (t omega)^2 / 2 of its static effect, never exceeds the larger of the two answers.
//
// K is factored for a reference shape in the body's own frame, and anew only when the shape has changed by some percent or,
// once all is rigid, other contacts hold it. A question is one or two back-substitutions and a pass over the strains.
#include <math.h>
#include <string.h>

#include "force/force.h"
#include "math/decompose.h"
#include "oracle/oracle_impl.h"
#include "oracle/strain.h"

static const double MEMORY = 0.1;   // of the horizon: a load that has lasted so long counts as lasting
static const double RELAX_RATE = 3; // relaxation strains at most this many sqrt(tau_R) h a step

// --- the body's frame ---------------------------------------------------------------------------------------------------

double thaw_oracle_compare(const ThawOracle *oracle, const double *x, double Q[9]) {
    const ThawShape *shape = oracle->shape;
    const double *X = oracle->state.reference;
    int dim = shape->kind->dim;
    double centre[2][3] = {{0}}, H[9] = {0}, U[9], s[3], V[9], worst = 0;
    for (int32_t i = 0; i < shape->nv; i++)
        for (int k = 0; k < dim; k++) {
            centre[0][k] += shape->mass[i] * X[(size_t)i * (size_t)dim + (size_t)k];
            centre[1][k] += shape->mass[i] * x[(size_t)i * (size_t)dim + (size_t)k];
        }
    for (int k = 0; k < dim; k++) {
        centre[0][k] /= shape->total_mass;
        centre[1][k] /= shape->total_mass;
    }
    for (int32_t i = 0; i < shape->nv; i++)
        for (int k = 0; k < dim; k++)
            for (int l = 0; l < dim; l++)
                H[k + 3 * l] += shape->mass[i] * (x[(size_t)i * (size_t)dim + (size_t)k] - centre[1][k]) *
                                (X[(size_t)i * (size_t)dim + (size_t)l] - centre[0][l]);
    if (dim == 2)
        H[8] = sqrt(H[0] * H[0] + H[1] * H[1] + H[3] * H[3] + H[4] * H[4]); // keeps the plane in the plane
    thaw_svd3(H, U, s, V);
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            Q[k + 3 * l] = U[k] * V[l] + U[k + 3] * V[l + 3] + U[k + 6] * V[l + 6];
    for (int32_t i = 0; i < shape->nv; i++) {
        double square = 0;
        for (int k = 0; k < dim; k++) {
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
    int dim = shape->kind->dim;
    for (int32_t i = 0; i < shape->nv; i++) {
        double turned[3] = {0, 0, 0};
        for (int k = 0; k < dim; k++)
            for (int l = 0; l < dim; l++)
                turned[k] += (back ? Q[l + 3 * k] : Q[k + 3 * l]) * in[(size_t)i * (size_t)dim + (size_t)l];
        for (int k = 0; k < dim; k++)
            out[(size_t)i * (size_t)dim + (size_t)k] = turned[k];
    }
}

void thaw_oracle_drop_factor(ThawOracle *oracle) {
    oracle->batch_count = -1;
    thaw_solver_free(&oracle->lasting.solver);
    thaw_solver_free(&oracle->sudden.solver);
    oracle->lasting = oracle->sudden = (ThawForesight){0};
}

void thaw_oracle_take_reference(ThawOracle *oracle, const ThawQuestion *q, double Q[9]) {
    ThawOracleState *state = &oracle->state;
    size_t nv = (size_t)oracle->shape->nv, dim = (size_t)oracle->shape->kind->dim;
    if (state->has_reference)
        thaw_oracle_turn(oracle->shape, Q, 0, state->mean, state->mean);
    memcpy(state->reference, q->x, sizeof(double) * nv * dim);
    memset(state->held, 0, sizeof(double) * nv);
    if (q->k_contact)
        memcpy(state->held, q->k_contact, sizeof(double) * nv);
    state->has_reference = 1;
    state->contacts = q->contacts;
    oracle->lasting.factored = oracle->sudden.factored = 0;
    memcpy(Q, (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9 * sizeof *Q);
}

// --- solving ------------------------------------------------------------------------------------------------------------

// The factor of one horizon, for the reference shape: a function of the state alone.
static ThawStatus fit_factor(ThawOracle *oracle, ThawForesight *foresight, const ThawSystem *system, double T,
                             ThawError *error) {
    if (foresight->system == system && foresight->factored)
        return THAW_OK;
    if (foresight->system != system) {
        thaw_solver_free(&foresight->solver);
        foresight->system = NULL;
        ThawStatus status = thaw_solver_create(system->direct, oracle->tasks, &foresight->solver, error);
        if (status != THAW_OK)
            return status;
        foresight->system = system;
    }
    ThawCombination A = {1 / (T * T), 0, {1, 1 / T, 1}};
    thaw_system_assemble(system, oracle->tasks, A, oracle->state.reference, NULL, foresight->solver, oracle->f,
                         oracle->partial);
    system->map->ops->add_diagonal(system->map, oracle->state.held, 1, thaw_solver_matrix(foresight->solver));
    ThawStatus status = thaw_solver_factor(foresight->solver);
    foresight->factored = status == THAW_OK;
    return status;
}

// c: in, a force in the reference's frame; out, the displacement.
static ThawStatus displace(ThawOracle *oracle, const ThawForesight *foresight, double *c) {
    const ThawMap *map = foresight->system->map;
    map->ops->apply_t(map, c, oracle->b);
    memset(oracle->q, 0, sizeof(double) * (size_t)map->n * (size_t)oracle->shape->kind->dim);
    ThawStatus status = thaw_solver_solve(foresight->solver, oracle->b, oracle->q, 1e-6, NULL);
    if (status == THAW_OK)
        map->ops->apply(map, oracle->q, NULL, c);
    return status;
}

// state->mean follows c (in the reference's frame); u becomes c - mean. Vertices that were in no part at the last answer
// have no past: what acts on them lasts. Returns the largest |c - mean| / m, m/s^2.
static double split(ThawOracle *oracle, const double *c, double since, double *u) {
    const ThawShape *shape = oracle->shape;
    ThawOracleState *state = &oracle->state;
    size_t dim = (size_t)shape->kind->dim;
    double memory = MEMORY * oracle->options.horizon, share = since / (memory + since), largest = 0;
    for (int32_t i = 0; i < shape->nv; i++) {
        for (size_t at = (size_t)i * dim; at < ((size_t)i + 1) * dim; at++) {
            if (!state->known[i])
                state->mean[at] = c[at];
            state->mean[at] += share * (c[at] - state->mean[at]);
            u[at] = c[at] - state->mean[at];
            double rest = fabs(u[at]) / shape->mass[i];
            largest = rest > largest ? rest : largest;
        }
        state->known[i] = oracle->root[i] >= 0;
    }
    return largest;
}

// oracle->predicted: the strain of a displacement.
static void predict(ThawOracle *oracle, const ThawQuestion *q, const double *d) {
    thaw_strain_predict(oracle->shape->all, oracle->tasks, NULL, 0, q->x, d, oracle->predicted);
}

static int exceeds(const ThawOracle *oracle) {
    for (int32_t e = 0; e < oracle->shape->ne; e++)
        if (oracle->trial[e] && oracle->predicted[e] > oracle->options.epsilon)
            return 1;
    return 0;
}

// The static answer to all of c comes first: where it is harmless, so is what happens sooner, and nothing more is asked.
ThawStatus thaw_oracle_foresee(ThawOracle *oracle, const ThawQuestion *q, const double Q[9], double since,
                               ThawError *error) {
    const ThawShape *shape = oracle->shape;
    size_t count = (size_t)shape->nv * (size_t)shape->kind->dim;
    double T = oracle->options.horizon;
    ThawStatus status = fit_factor(oracle, &oracle->lasting, q->system, T, error);
    thaw_oracle_turn(shape, Q, 1, oracle->c, oracle->y);
    double sudden = split(oracle, oracle->y, since, oracle->u);
    if (status == THAW_OK)
        status = displace(oracle, &oracle->lasting, oracle->y);
    if (status != THAW_OK)
        return status;
    thaw_oracle_turn(shape, Q, 0, oracle->y, oracle->d);
    predict(oracle, q, oracle->d);
    oracle->lasts = sudden == 0 || !exceeds(oracle);
    if (oracle->lasts)
        return THAW_OK;
    status = fit_factor(oracle, &oracle->sudden, q->system, MEMORY * T, error);
    memcpy(oracle->y, oracle->state.mean, sizeof(double) * count);
    if (status == THAW_OK)
        status = displace(oracle, &oracle->lasting, oracle->y);
    if (status == THAW_OK)
        status = displace(oracle, &oracle->sudden, oracle->u);
    if (status != THAW_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        oracle->u[i] += oracle->y[i];
    thaw_oracle_turn(shape, Q, 0, oracle->y, oracle->d);
    thaw_oracle_turn(shape, Q, 0, oracle->u, oracle->u);
    predict(oracle, q, oracle->u);
    return THAW_OK;
}

// --- relaxation ---------------------------------------------------------------------------------------------------------

double thaw_oracle_relax(ThawOracle *oracle, const ThawQuestion *q, ThawPartition *partition, double largest, int steps,
                         double *x) {
    const ThawShape *shape = oracle->shape;
    int dim = shape->kind->dim;
    double gamma = fmin(fmin(1, oracle->options.relax * steps),
                        RELAX_RATE * sqrt(oracle->options.tau_rigid) * q->h * steps / largest),
           moved = 0;
    for (int32_t i = 0; i < shape->nv; i++)
        for (int k = 0; k < dim && !q->script[i]; k++) {
            double step = gamma * oracle->d[(size_t)i * (size_t)dim + (size_t)k];
            x[(size_t)i * (size_t)dim + (size_t)k] += step;
            moved = fabs(step) > moved ? fabs(step) : moved;
        }
    thaw_partition_reshape(partition, x);
    thaw_strain_compute(shape->all, oracle->tasks, NULL, 0, x, oracle->state.strain);
    oracle->state.has_inner = 0;
    return moved;
}
