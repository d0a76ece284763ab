// SPDX-License-Identifier: Apache-2.0
// Whether a question is worth its cost: only where the answer may have changed, since loads or contacts are others,
// elements beside parts have strained, parts have turned, candidates wait, or the last answer left something to do. And
// since a new partition costs more than a step of waiting candidates become rigid in groups. All of that is decided
// from the state alone, by passes over vertices or elements.
#include <math.h>
#include <string.h>

#include "oracle/oracle_impl.h"

// Shares of the diameter by which the shape may differ from the reference before K is factored anew. More while the
// body swings, where K decides how fast the body moves and not where to.
static const double SHAPE_DRIFT = 0.01, SWING_DRIFT = 0.03;
static const double OTHERS = 0.3; // of the vertices in contact: if more are others, a new reference is taken
// Of the force on a vertex: a change of loads or contacts that calls for a question.
static const double LOAD_CHANGE = 0.02;
// Of the elements: if fewer may be rigid none becomes so, as questions would cost more than they save.
static const double WORTH = 0.5;
static const double HARD_WORTH = 0.6; // where a contact is hard: stacks with more elastic than that chatter for ever
// Candidates become rigid once the steps that they were evaluated in vain for, summed over them, cost as much as a new
// partition does (two questions and a system): GATHER times the elastic elements plus RENEWAL times all. SWING_RENEWAL
// is for a body that swings, whose elements are slow for a while only. (Whoever waits until waiting has cost as much as
// not to wait never pays more than twice what he would have paid who knew what comes.)
static const double GATHER = 0.5, RENEWAL = 0.2, SWING_RENEWAL = 0.02;
// Steps after which a new reference is taken for many other contacts, or for one.
enum { RENEW = 10, LONG_RENEW = 100 };

static int force_changed(const ThawOracle *oracle, const double *was, const double *now) {
    const ThawShape *shape = oracle->shape;
    size_t dim = (size_t)shape->dim;
    for (int32_t i = 0; i < shape->nv; i++) {
        double change = 0, size = 0, quiet = oracle->quiet_change * shape->mass[i];
        for (size_t at = (size_t)i * dim; at < ((size_t)i + 1) * dim; at++) {
            change += (now[at] - was[at]) * (now[at] - was[at]);
            size += was[at] * was[at];
        }
        if (change > LOAD_CHANGE * LOAD_CHANGE * size + quiet * quiet)
            return 1;
    }
    return 0;
}

// Steps until the next question: the closer to epsilon, the fewer.
static int leisure_of(const ThawOracle *oracle) {
    return oracle->state.margin > 0.75 * oracle->options.epsilon ? THAW_ORACLE_STRIDE : THAW_ORACLE_LEISURE;
}

int thaw_oracle_is_due(const ThawOracle *oracle, const ThawQuestion *q, const ThawPartition *partition) {
    const ThawOracleState *state = &oracle->state;
    if (state->moving > THAW_SLOWING && state->left == 0)
        return 1;
    if (state->moving > THAW_RESTING && !state->has_reference) // the shadow is in world axes: before the body turns
        return 1;
    if (state->moving >= THAW_CREEPING || (state->moving > THAW_RESTING && partition->elastic_count > 0))
        return (state->moving == THAW_SLOWING && state->since >= state->pause) ||
               (state->moving > THAW_SLOWING ? state->touched != q->on_parts : q->struck) ||
               (!q->same_loads && force_changed(oracle, state->loads, q->f_ext)) ||
               memcmp(q->script, partition->script, (size_t)oracle->shape->nv) != 0;
    if (state->restless && state->since >= leisure_of(oracle))
        return 1;
    if (partition->elastic_count == 0 && !state->quiet && !state->restless) // wholly rigid since the last answer
        return 1;
    return state->drift > THAW_ORACLE_DRIFT * state->margin || state->touched != q->on_parts ||
           memcmp(q->script, partition->script, (size_t)oracle->shape->nv) != 0 ||
           (!q->same_loads && force_changed(oracle, state->loads, q->f_ext)) ||
           (!q->same_presses && force_changed(oracle, state->presses, q->f_contact));
}

// Whether contacts, as they press now, resist the next step of the stride by more than the energy of the shadow: the
// stride was foreseen with other contacts, and a body that went on would be moved into what it touches without any
// force.
int thaw_oracle_is_resisted(ThawOracle *oracle, const ThawQuestion *q) {
    const ThawOracleState *state = &oracle->state;
    size_t dim = (size_t)oracle->shape->dim, count = (size_t)oracle->shape->nv * dim;
    double work = 0, energy = 0;
    if (q->contacts == 0)
        return 0;
    for (size_t i = 0; i < count; i++) {
        oracle->y[i] = state->shadow[i] + q->h * state->shadow_accel[i];
        energy += oracle->shape->mass[i / dim] * oracle->y[i] * oracle->y[i] / 2;
    }
    thaw_oracle_frame(oracle, q->x, oracle->Q);
    thaw_oracle_turn(oracle->shape, oracle->Q, 0, oracle->y, oracle->d);
    for (size_t i = 0; i < count; i++)
        work += q->h * oracle->d[i] * q->f_contact[i];
    return -work > energy;
}

// Keeps what acts now for the next time; whether loads are others.
int thaw_oracle_note_outside(ThawOracle *oracle, const ThawQuestion *q) {
    ThawOracleState *state = &oracle->state;
    size_t dim = (size_t)oracle->shape->dim, count = (size_t)oracle->shape->nv * dim;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    int pinned = 0, changed = !oracle->same_loads && force_changed(oracle, state->loads, q->f_ext);
    oracle->same_loads = 0;
    if (changed)
        state->relax_target = INFINITY;
    for (size_t i = 0; i < count; i++) {
        state->loads[i] = q->f_ext[i];
        state->presses[i] = q->f_contact[i];
        double a = (q->f_ext[i] + q->f_contact[i]) / oracle->shape->mass[i / dim];
        low[i % dim] = a < low[i % dim] ? a : low[i % dim];
        high[i % dim] = a > high[i % dim] ? a : high[i % dim];
        pinned |= q->script[i / dim];
    }
    state->load_spread = 0;
    for (size_t k = 0; k < dim; k++) // forces on pinned vertices count as if they pushed the body there
        state->load_spread = fmax(state->load_spread, pinned ? fmax(high[k], -low[k]) : high[k] - low[k]);
    state->touched = q->on_parts;
    state->drift = 0;
    state->since = state->left = 0;
    return changed;
}

// How far vertices of components may be from the reference, m.
static double drift_limit(const ThawOracle *oracle) {
    int swings = oracle->state.moving >= THAW_CREEPING && !thaw_oracle_is_overdamped(oracle);
    return (swings ? SWING_DRIFT : SHAPE_DRIFT) * oracle->shape->diameter;
}

// Whether so many other vertices of components are in contact than when the reference was taken that a new one pays.
// (Elastic vertices are not foreseen, they respond by themselves.) For a wholly rigid body that comes to rest one
// vertex is enough: if the reference does not hold it there, the force of its contact wakes the body, and relaxation
// moves it into what it touches (in pachinko bodies relaxed and woke in turns for ever).
static int contacts_changed(const ThawOracle *oracle, const ThawQuestion *q, int whole) {
    const ThawOracleState *state = &oracle->state;
    int dim = oracle->shape->dim, held = 0, others = 0, settles = whole && state->moving < THAW_CREEPING;
    for (int32_t i = 0; i < oracle->shape->nv && q->k_contact && (state->age >= RENEW || settles); i++) {
        double was = 0, now = 0;
        for (int k = 0; k < dim; k++) {
            size_t at = (size_t)i * (size_t)(dim * dim) + (size_t)(k * (dim + 1));
            was += state->held[at];
            now += q->k_contact[at];
        }
        held += was > 0 || now > 0;
        others += oracle->root[i] >= 0 && (was > 0) != (now > 0);
    }
    return others > OTHERS * held || (others > 0 && (settles || state->age >= LONG_RENEW));
}

int thaw_oracle_is_stale(const ThawOracle *oracle, const ThawQuestion *q, int whole, double Q[9]) {
    memcpy(Q, (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9 * sizeof *Q);
    return !oracle->state.has_reference || thaw_oracle_compare(oracle, q->x, Q) > drift_limit(oracle) ||
           contacts_changed(oracle, q, whole);
}

// Trial elements: rigid ones, and candidates once enough of them have come together. How many are rigid, and whether
// candidates are among them.
int thaw_oracle_has_waited(ThawOracle *oracle, int32_t candidates, int32_t elastic) {
    ThawOracleState *state = &oracle->state;
    const double renewal = thaw_oracle_is_overdamped(oracle) ? RENEWAL : SWING_RENEWAL;
    state->waited = candidates > 0 ? (int32_t)fmin(INT32_MAX, (double)state->waited + candidates) : 0;
    return candidates > 0 && (candidates == elastic || state->waited >= GATHER * elastic + renewal * oracle->shape->ne);
}

int32_t thaw_oracle_choose_trial(ThawOracle *oracle, const ThawQuestion *q, const ThawPartition *partition,
                                 int *forming, ThawAnswer *answer) {
    const ThawShape *shape = oracle->shape;
    ThawOracleState *state = &oracle->state;
    int32_t rigid = shape->ne - partition->elastic_count;
    *forming = 0;
    if (rigid == shape->ne) {
        memset(oracle->trial, 1, (size_t)shape->ne);
        return rigid;
    }
    int32_t n = 0, elastic = shape->ne - rigid;
    for (int32_t e = 0; e < shape->ne; e++) {
        int is_rigid = partition->part_of_element[e] >= 0;
        int candidate = !is_rigid & (state->below[e] >= oracle->options.frame_count) & (state->hold[e] == 0);
        oracle->trial[e] = (unsigned char)(is_rigid + 2 * candidate);
        n += candidate;
    }
    answer->candidates = n;
    *forming = thaw_oracle_has_waited(oracle, n, elastic) && rigid + n >= (q->hard ? HARD_WORTH : WORTH) * shape->ne;
    unsigned char most = *forming ? 2 : 1;
    for (int32_t e = 0; e < shape->ne; e++)
        oracle->trial[e] = oracle->trial[e] > 0 && oracle->trial[e] <= most;
    if (*forming)
        state->waited = 0;
    return rigid;
}

// A wholly rigid body that was quiet, and whose c has hardly changed, is quiet: that c was harmless by a factor of
// fifty, so it still is with a tenth of its usual size on top.
int thaw_oracle_is_as_kept(ThawOracle *oracle, const double Q[9]) {
    const ThawShape *shape = oracle->shape;
    size_t dim = (size_t)shape->dim;
    const double *kept = oracle->state.quiet_force;
    double square = 0;
    thaw_oracle_turn(shape, Q, 1, oracle->c, oracle->y);
    for (size_t i = 0; i < (size_t)shape->nv * dim; i++)
        square += kept[i] * kept[i] / shape->mass[i / dim];
    double usual = sqrt(square / shape->total_mass);
    for (size_t i = 0; i < (size_t)shape->nv * dim; i++)
        if (fabs(oracle->y[i] - kept[i]) >= (oracle->quiet_change + 0.1 * usual) * shape->mass[i / dim])
            return 0;
    return 1;
}
