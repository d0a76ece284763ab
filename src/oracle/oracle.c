// SPDX-License-Identifier: Apache-2.0
// The oracle of oracle.h: what is kept, how a question goes, and what is seen of a step.
//
// A question costs a force pass over the elements (constraint.c), one or two back-substitutions with a kept factor
// and a pass for the predicted strains (foresee.c). So it is put only where the answer may have changed (schedule.c).
// Rest or motion is decided here; what follows for the elements and the body is the answer's (answer.c).
#include "oracle/oracle_impl.h"

#include <math.h>
#include <string.h>

#include "force/strain.h"
#include "math/vec3.h"

// Measured on the cantilever, a drop and a spin (docs/rigidification.md).
static const double SWAY = 0.2; // of the rate that wakes: parts that deform faster are not at rest
static const double AT_ONCE =
    0.5; // of the strain that is left, if made up for in one step: such a body is not judged by its speed
static const double SOON = 0.05;         // the same for an overdamped body, which does not swing
static const double QUIET_CHANGE = 5e-4; // of what would bend the body by epsilon in its lowest mode
static const double TURN = 6;            // times the strain of the lowest mode by its own weight, for a turn of 1 rad
// A body that has just become rigid as a whole has other contact forces than before: its stiffness shared them out, now
// that of the contacts does. For the steps of its grace it may be strained by PARDON times epsilon, and is relaxed
// instead of waking, unless something hits it.
static const double PARDON = 4;
enum { GRACE = 100 };
_Static_assert(THAW_MOVING + 1 == THAW_ORACLE_MODES, "a checkpoint is checked by it");

static void adopt_options(ThawOracle *oracle, const ThawRigidifyOptions *options) {
    // An acceleration a bends the lowest mode by about a / omega^2, a strain of a / (omega^2 lever diameter).
    double soft = oracle->scale.soft * oracle->shape->diameter;
    oracle->options = *options;
    oracle->epsilon = options->epsilon;
    oracle->tau_rigid = options->tau_rigid;
    oracle->quiet_change = QUIET_CHANGE * options->epsilon * soft;
    oracle->turn = soft > 0 ? TURN / soft : 0;
}

ThawStatus thaw_oracle_create(const ThawShape *shape, const ThawRigidifyOptions *options, const ThawScale *scale,
                              ThawTasks *tasks, ThawOracle **result, ThawError *error) {
    *result = NULL;
    ThawOracle *oracle = THAW_NEW(ThawOracle, 1);
    if (!oracle)
        return thaw_error_memory(error, "the oracle");
    size_t nv = (size_t)shape->nv, ne = (size_t)shape->ne, dim = (size_t)shape->dim;
    oracle->shape = shape;
    oracle->scale = *scale;
    adopt_options(oracle, options);
    oracle->tasks = tasks;
    ThawOracleState *state = &oracle->state;
    double **vectors[] = {&oracle->f,           &oracle->y,    &oracle->c,          &oracle->d,        &oracle->u,
                          &oracle->before,      &oracle->b,    &oracle->q,          &state->reference, &state->shadow,
                          &state->shadow_accel, &state->inner, &state->quiet_force, &state->loads,     &state->presses};
    unsigned char **flags[] = {&oracle->trial, &state->below, &state->hold, &state->reason};
    int good = 1;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        good &= (*vectors[i] = THAW_NEW(double, nv *dim)) != NULL;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        good &= (*flags[i] = THAW_NEW(unsigned char, ne)) != NULL;
    oracle->predicted = THAW_NEW(double, ne);
    oracle->root = THAW_NEW(int32_t, nv);
    oracle->batches = THAW_NEW(int32_t, shape->all->batch_count);
    oracle->batch_count = -1;
    state->relax_target = INFINITY;
    state->pause = THAW_ORACLE_LEISURE;
    oracle->partial = THAW_NEW(double, 2 * (size_t)thaw_integration_most_chunks(shape));
    state->held = THAW_NEW(double, nv *dim *dim);
    state->known = THAW_NEW(unsigned char, nv);
    state->rate = THAW_NEW(float, ne);
    state->predicted = THAW_NEW(float, ne);
    state->strain = THAW_NEW(ThawLanes, thaw_strain_size(shape->all));
    if (!good || !oracle->predicted || !oracle->root || !oracle->partial || !oracle->batches || !state->held ||
        !state->known || !state->rate || !state->predicted || !state->strain) {
        thaw_oracle_free(&oracle);
        return thaw_error_memory(error, "the oracle");
    }
    *result = oracle;
    return THAW_OK;
}

void thaw_oracle_free(ThawOracle **pointer) {
    if (!pointer || !*pointer)
        return;
    ThawOracle *oracle = *pointer;
    ThawOracleState *state = &oracle->state;
    void *blocks[] = {oracle->before,     oracle->lanes, oracle->batches, oracle->f,        oracle->y,
                      oracle->c,          oracle->d,     oracle->u,       oracle->b,        oracle->q,
                      oracle->predicted,  oracle->trial, oracle->root,    oracle->partial,  oracle->components,
                      state->below,       state->hold,   state->reason,   state->strain,    state->reference,
                      state->quiet_force, state->held,   state->rate,     state->shadow,    state->known,
                      state->inner,       state->loads,  state->presses,  state->predicted, state->shadow_accel};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        thaw_free(blocks[i]);
    thaw_scratch_free(&oracle->bearing);
    thaw_oracle_drop_factor(oracle);
    thaw_free(oracle);
    *pointer = NULL;
}

ThawOracleState *thaw_oracle_state(ThawOracle *oracle) { return &oracle->state; }

// The shadow in world axes, for the body at x.
static void turn_out(const ThawOracle *oracle, const double *x, double *shadow) {
    double Q[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (oracle->state.has_reference)
        thaw_oracle_frame(oracle, x, Q);
    thaw_oracle_turn(oracle->shape, Q, 0, oracle->state.shadow, shadow);
}

void thaw_oracle_resume_options(ThawOracle *oracle, const ThawRigidifyOptions *options, const ThawScale *scale) {
    oracle->scale = *scale;
    adopt_options(oracle, options);
    thaw_oracle_drop_factor(oracle); // it depends on the horizon, and on the rule
}

void thaw_oracle_set_options(ThawOracle *oracle, const ThawRigidifyOptions *options, const ThawScale *scale,
                             const double *x) {
    thaw_oracle_resume_options(oracle, options, scale);
    turn_out(oracle, x, oracle->state.shadow);
    oracle->state.quiet = oracle->state.has_reference = oracle->state.left = 0;
}

void thaw_oracle_forget(ThawOracle *oracle, const double *x) {
    thaw_strain_compute(oracle->shape->all, oracle->tasks, NULL, 0, x, oracle->state.strain);
    memset(oracle->state.shadow, 0, thaw_oracle_shadow_bytes(oracle));
    oracle->state.energy = oracle->state.gained = 0;
    oracle->state.inner_is = THAW_INNER_UNKNOWN;
    oracle->state.quiet = oracle->state.left = 0;
    oracle->state.restless = 1;
}

double *thaw_oracle_release(ThawOracle *oracle, const double *x) {
    turn_out(oracle, x, oracle->before);
    thaw_strain_compute(oracle->shape->all, oracle->tasks, NULL, 0, x, oracle->state.strain);
    memset(oracle->state.shadow, 0, thaw_oracle_shadow_bytes(oracle));
    oracle->state.energy = 0;
    oracle->state.left = 0;
    return oracle->before;
}

void thaw_oracle_restart(ThawOracle *oracle) {
    memset(oracle->state.known, 0, (size_t)oracle->shape->nv);
    memset(oracle->state.below, 0, (size_t)oracle->shape->ne);
    oracle->state.inner_is = THAW_INNER_UNKNOWN;
    oracle->state.quiet = 0;
    oracle->batch_count = -1;
}

void thaw_oracle_rested(ThawOracle *oracle, int loaded) {
    memset(oracle->state.known, 1, (size_t)oracle->shape->nv);
    oracle->state.moving = THAW_RESTING;
    oracle->same_loads = !loaded;
}

// Static strains are made up for at the pace of the lowest mode or, where that is overdamped, of its damping, 1/s. A
// body that takes at most two steps for that has arrived before a speed can be seen, and is not judged by speed.
// (Stacks of hard cubes, which jolt each other a little and are still again within a step, would wake each other for
// ever.) Neither is an overdamped body that takes at most 20 steps (in pachinko heaps of them jolted each other and
// never came to rest), nor a body that rests already: jitter of contact forces below epsilon is no motion.
static double lingering_pace(const ThawOracle *oracle, double h) {
    double pace = thaw_oracle_pace(oracle);
    return oracle->state.moving > THAW_RESTING && pace * h < (thaw_oracle_is_overdamped(oracle) ? SOON : AT_ONCE) ? pace
                                                                                                                  : 0;
}

// The rigid element that was foreseen to strain most, and its rate in the shadow `before`, 1/s: one batch instead of
// all.
static double rate_of_first(ThawOracle *oracle, const ThawQuestion *q, const ThawPartition *partition) {
    const ThawIntegrationSet *set = oracle->shape->all;
    int32_t first = -1;
    for (int32_t e = 0; e < oracle->shape->ne; e++)
        if (partition->part_of_element[e] >= 0 &&
            (first < 0 || oracle->state.predicted[e] > oracle->state.predicted[first]))
            first = e;
    for (int32_t b = 0; b < set->batch_count && first >= 0; b++)
        for (int l = 0; l < THAW_LANES; l++)
            if (set->batches[b].element[l] == first) {
                thaw_strain_predict(set, oracle->tasks, &b, 1, q->x, oracle->before, oracle->predicted);
                return oracle->predicted[first];
            }
    return 0;
}

// Whether the static question may decide, which does not take speeds into account. From the rate at which parts (by the
// shadow) and candidates deform the lowest mode would swing on by rate / omega.
static int hardly_swings(ThawOracle *oracle, const ThawQuestion *q, const ThawPartition *partition) {
    const double swing = THAW_ORACLE_SWING * oracle->options.epsilon * oracle->scale.omega;
    const double sway = lingering_pace(oracle, q->h) > 0 ? SWAY * thaw_oracle_waking_rate(oracle) : INFINITY;
    const double most = fmin(swing, sway); // of parts
    int moves = 0;
    if (oracle->scale.omega == 0)
        return 1;
    if (thaw_oracle_candidate_rate(oracle, partition) > swing)
        return 0;
    for (size_t i = 0; i < (size_t)oracle->shape->nv * (size_t)oracle->shape->dim && !moves; i++)
        moves = oracle->before[i] != 0;
    if (!moves)
        return 1;
    if (rate_of_first(oracle, q, partition) > most)
        return 0;
    thaw_strain_predict(oracle->shape->all, oracle->tasks, NULL, 0, q->x, oracle->before, oracle->predicted);
    for (int32_t e = 0; e < oracle->shape->ne; e++)
        if (partition->part_of_element[e] >= 0 && oracle->predicted[e] > most)
            return 0;
    return 1;
}

// The static strain up to which a body is at rest: making up for it must not be so fast that elements wake. And a slow
// body at the turning point of its swing, which comes back only after many steps, is not at rest for being slow there.
static double rest_strain(const ThawOracle *oracle, double h) {
    double share =
        oracle->state.moving == THAW_RESTING || oracle->scale.omega * h >= THAW_ORACLE_SLOW ? 1 : THAW_ORACLE_SWING;
    double pace = lingering_pace(oracle, h);
    return fmin(share * oracle->options.epsilon, pace > 0 ? thaw_oracle_waking_rate(oracle) / pace : INFINITY);
}

// How many times epsilon it may be strained by now.
static double grace_of(ThawOracle *oracle, const ThawQuestion *q, int whole, int loaded, int steps) {
    int32_t *grace = &oracle->state.grace;
    *grace = !whole ? GRACE : loaded || q->hit || *grace < steps ? 0 : *grace - steps;
    return whole && *grace > 0 ? PARDON : 1;
}

// Tolerances (shares of the diameter) a second: a body that moves faster against what it touches rolls or slides.
static const double ROLLS = 10; // tolerances

// A body that rolls may be off by a tolerance in each horizon, its own time: over a second such errors add up, as steps
// of a random walk do. Of a body that rests or flies they do not: it comes back to its shape.
static void take_care(ThawOracle *oracle, const ThawQuestion *q) {
    oracle->rolls = q->passing > ROLLS * oracle->options.tolerance * oracle->shape->diameter;
    double care = oracle->rolls ? sqrt(fmin(1, oracle->options.horizon / THAW_SECOND)) : 1;
    oracle->options.epsilon = care * oracle->epsilon;
    oracle->options.tau_rigid = care * care * oracle->tau_rigid;
}

ThawStatus thaw_oracle_ask(ThawOracle *oracle, const ThawQuestion *q, ThawPartition *partition, double *x,
                           unsigned char *flagged, ThawAnswer *answer, ThawError *error) {
    const ThawShape *shape = oracle->shape;
    ThawOracleState *state = &oracle->state;
    int forming;
    *answer = (ThawAnswer){0};
    if (oracle->options.oracle == THAW_ORACLE_PAPER)
        return thaw_oracle_ask_paper(oracle, q, partition, flagged, answer, error);
    take_care(oracle, q);
    oracle->presses = q->presses;
    state->since += state->since < INT32_MAX;
    state->age += state->age < INT32_MAX;
    int32_t rigid = thaw_oracle_choose_trial(oracle, q, partition, &forming, answer);
    memcpy(flagged, oracle->trial, (size_t)shape->ne);
    if (rigid == 0 && !forming)
        return THAW_OK;           // nothing to ask: all is elastic
    if (q->system->map->n == 0) { // nothing is free, so that whatever acts does nothing
        state->quiet = rigid == shape->ne;
        state->has_reference = 0; // what is let go is asked anew
        return THAW_OK;
    }
    int due = forming || thaw_oracle_is_due(oracle, q, partition);
    int goes_on = !due && state->left > 0 && !thaw_oracle_is_overdamped(oracle);
    if (goes_on && thaw_oracle_is_resisted(oracle, q))
        due = 1, goes_on = 0;
    ThawStatus status = (due || goes_on) && q->keep ? q->keep(q->context) : THAW_OK;
    if (status != THAW_OK)
        return status;
    if (!due) {
        if (goes_on)
            thaw_oracle_go_on(oracle, q, partition, x, answer);
        else
            state->left -= state->left > 0;
        return THAW_OK;
    }
    int whole = rigid == shape->ne, steps = rigid > 0 && state->since <= THAW_ORACLE_STRIDE ? state->since : 1;
    int loaded = thaw_oracle_note_outside(oracle, q) || memcmp(q->script, partition->script, (size_t)shape->nv) != 0;
    status = thaw_oracle_constraint(oracle, q, partition, forming, error);
    if (status != THAW_OK)
        return status;
    int stale = thaw_oracle_is_stale(oracle, q, whole, oracle->Q);
    if (state->quiet && whole && !stale && !q->hit && thaw_oracle_is_as_kept(oracle, oracle->Q))
        return THAW_OK;
    answer->asked = 1;
    state->quiet = 0;
    state->pause = THAW_ORACLE_LEISURE;
    if (stale)
        thaw_oracle_take_reference(oracle, q, oracle->Q);
    thaw_oracle_turn(shape, oracle->Q, 0, state->shadow, oracle->before);
    answer->shadow = oracle->before;
    // A new load wakes at once the elements that it would bend by more than epsilon; a smaller one does not stop a
    // swing.
    double most = grace_of(oracle, q, whole, loaded, steps) * oracle->options.epsilon;
    double limit = most / oracle->options.epsilon * rest_strain(oracle, q->h), largest = INFINITY;
    int audit = state->moving < THAW_CREEPING || state->age % THAW_ORACLE_AUDIT < steps ||
                (state->moving == THAW_CREEPING && thaw_oracle_is_overdamped(oracle));
    int calm = (loaded || audit) && hardly_swings(oracle, q, partition);
    if (loaded || calm) {
        status = thaw_oracle_foresee(oracle, q, oracle->Q, error);
        largest = thaw_oracle_largest(oracle);
    }
    int rests = (calm && largest <= limit) || (loaded && largest > most);
    if (status == THAW_OK && rests)
        status = thaw_oracle_let_follow(oracle, q, most / oracle->options.epsilon, error);
    if (status == THAW_OK && rests)
        thaw_oracle_answer_rest(oracle, q, partition, steps, most, limit, x, flagged, answer);
    else if (status == THAW_OK && thaw_oracle_is_overdamped(oracle))
        status = thaw_oracle_answer_creep(oracle, q, partition, forming, steps, x, flagged, answer, error);
    else if (status == THAW_OK)
        status = thaw_oracle_answer_motion(oracle, q, partition, forming, steps, x, flagged, answer, error);
    memcpy(oracle->u, oracle->before, thaw_oracle_shadow_bytes(oracle));
    return status;
}

// Strains beside parts, and turns of parts: both may change the force that holds parts together.
static double drift_of(const ThawOracle *oracle, const ThawPartition *partition, double h) {
    int dim = oracle->shape->dim, nodes = oracle->shape->cells->kind->nodes;
    double fastest = 0, turn = 0;
    for (int32_t i = partition->elastic_count - 1; i >= 0; i--) { // those that touch a part come last
        int32_t e = partition->elastic[i];
        int beside = 0;
        for (int a = 0; a < nodes; a++)
            beside |=
                partition->part_of_vertex[oracle->shape->cells->elements[(size_t)e * (size_t)nodes + (size_t)a]] >= 0;
        if (!beside)
            break;
        fastest = oracle->predicted[e] > fastest ? oracle->predicted[e] : fastest;
    }
    for (int32_t k = 0; k < partition->part_count; k++) {
        double v[3], omega[3], spin;
        thaw_part_velocity(&partition->parts[k], dim, v, omega);
        spin = thaw_v3_norm(omega);
        turn = fmax(turn, spin * fmax(oracle->state.load_spread, spin * spin * oracle->shape->diameter));
    }
    return h * (sqrt(fastest) + oracle->turn * turn);
}

void thaw_oracle_observe(ThawOracle *oracle, const ThawPartition *partition, const double *x, double h) {
    const ThawShape *shape = oracle->shape;
    ThawOracleState *state = &oracle->state;
    if (partition->elastic_count == 0) { // strains of parts do not change
        state->drift += drift_of(oracle, partition, h);
        return;
    }
    if (oracle->batch_count < 0)
        thaw_oracle_list_batches(oracle, partition);
    ThawStrainMeasure measure;
    thaw_strain_rate_by(thaw_oracle_measure(oracle, 0, &measure), shape->all, oracle->tasks, oracle->batches,
                        oracle->batch_count, x, h, state->strain, oracle->predicted);
    for (int32_t e = 0; e < shape->ne; e++) {
        if (partition->part_of_element[e] >= 0)
            continue;
        int slow = oracle->predicted[e] < oracle->options.tau_rigid;
        state->rate[e] = (float)oracle->predicted[e];
        if (state->hold[e] > 0)
            state->hold[e]--;
        if (!slow)
            state->reason[e] = THAW_REASON_RATE;
        state->below[e] = slow ? (unsigned char)(state->below[e] < 255 ? state->below[e] + 1 : 255) : 0;
    }
    if (partition->part_count > 0)
        state->drift += drift_of(oracle, partition, h);
}
