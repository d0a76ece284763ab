// SPDX-License-Identifier: Apache-2.0
// The oracle of oracle.h: when to ask, and what follows from the answer.
//
// A question costs a force pass over the elastic elements (constraint.c), one or two back-substitutions with a kept factor
// and a pass for the predicted strains (foresee.c). So it is put only where the answer may have changed: something from
// outside is another one, elements beside parts have strained, parts have turned, candidates wait, or the last answer left
// something to do. And a new partition costs more than a step of waiting: candidates become rigid in groups. All of that is
// decided from the state alone.
#include "oracle/oracle_impl.h"

#include <math.h>
#include <string.h>

#include "oracle/strain.h"

// Measured on the cantilever, a drop and a spin (docs/rigidification.md).
// Of the diameter, of what is asked about: then K is factored anew; and while it swings, where K decides how fast and not where to.
static const double SHAPE_DRIFT = 0.01, SWING_DRIFT = 0.03;
static const double RELAX_FLOOR = 0.02;  // of epsilon: relaxation stops there
static const double RELAX_RATE = 3;      // relaxation strains at most this many sqrt(tau_R) h a step
static const double WAKE = 5;            // tau_R: an element that would strain so fast wakes, half the paper's tau_E
static const double CALM = 0.1;          // of the rate that wakes: a body that is slower drifts
static const double CREEP = 1;           // of it: a body that is slower, in which nobody wakes, is followed by strides
static const double SLOW_CREEP = 2;      // the same, of a slow body: also while elements wake
static const double SLOW = 0.04;         // rad a step: a body is slow whose lowest mode is slower
static const double SWING = 0.3;         // of epsilon: what would swing farther from the speed it has is not at rest
static const double SWAY = 0.2;          // of the rate that wakes: parts that deform faster are not at rest
static const double AT_ONCE = 0.5;       // of what is left, made up in a step: such a body is not judged by speed
static const double SOON = 0.05;         // the same of who is overdamped, and so does not swing on
static const double OTHERS = 0.3;        // of the vertices in contact: so many others make another reference
static const double PROGRESS = 0.7;      // of the strain at which relaxing got stuck: less, and it goes on
static const double QUIET_CHANGE = 5e-4; // of what would bend the body by epsilon in its lowest mode
static const double LOAD_CHANGE =
    0.02;                         // of the force on a vertex: a change of loads or contacts that calls for a question
static const double DRIFT = 0.25; // of what was left to epsilon: may happen beside parts between two questions
static const double TURN = 6;     // times what its own weight would strain the lowest mode by, turned by a rad
// Of the limit: wakes where others do; and in a body that swings. What has its turn in a quarter of a swing is to wake at once; but 0.5^2 of
// what wakes is about where elements become candidates, and what only creeps would come and go.
static const double FOLLOW = 0.7, SWING_FOLLOW = 0.5;
// Of the elements: fewer do not begin to be rigid, as asking would cost more than it saves; fewer do not stay so.
static const double WORTH = 0.5, POOR = 0.3;
static const double HARD_WORTH = 0.6; // where a contact is hard: stacks with more elastic than that chatter for ever
// Candidates become rigid once the steps for which they have been worked on in vain, all together, are as many as a new
// partition costs, two questions and a system: so much of the elastic elements and of all. Those of a body that swings are slow for
// a while only.
static const double GATHER = 0.5, RENEWAL = 0.2, SWING_RENEWAL = 0.02;
// state->moving: at rest by the static question, wholly rigid or not yet; or with a shadow that is followed by long strides (by
// short ones unless wholly rigid), by short ones, in every step.
enum { RESTING, SLOWING, DRIFTING, CREEPING, MOVING };
_Static_assert(MOVING + 1 == THAW_ORACLE_MODES, "a checkpoint is checked by it");
// Steps at once by which the shadow of a body that creeps is followed; and of one that is overdamped, and so does not swing, as long a
// share of its time, between these two.
enum { STRIDE = 3, LONG_STRIDE = 6 };
static const double REACH = 0.25;
// Steps between answers that only relax, and where strains are far below epsilon.
enum { LEISURE = 3, LONG_LEISURE = THAW_ORACLE_STRIDE };
// Halvings of its way after which a wholly rigid body need not be relaxed further, and those that an answer without progress costs.
enum { PATIENCE = THAW_ORACLE_PATIENCE, FAILURE = 4 };
// Steps after which many other contacts, or one, make another reference.
enum { RENEW = 10, LONG_RENEW = 100 };
enum { AUDIT = 10 }; // steps between looks whether a swing is over, and at the stress in parts that move

static void adopt_options(ThawOracle *oracle, const ThawRigidifyOptions *options) {
    // An acceleration a bends the lowest mode by about a / omega^2, a strain of a / (omega^2 lever diameter).
    double soft = oracle->scale.omega * oracle->scale.omega * oracle->scale.lever * oracle->shape->diameter;
    oracle->options = *options;
    oracle->quiet_change = QUIET_CHANGE * options->epsilon * soft;
    oracle->turn = soft > 0 ? TURN / soft : 0;
}

ThawStatus thaw_oracle_create(const ThawShape *shape, const ThawRigidifyOptions *options, const ThawScale *scale,
                              ThawTasks *tasks, ThawOracle **result, ThawError *error) {
    *result = NULL;
    ThawOracle *oracle = THAW_NEW(ThawOracle, 1);
    if (!oracle)
        return thaw_error_memory(error, "the oracle");
    size_t nv = (size_t)shape->nv, ne = (size_t)shape->ne, dim = (size_t)shape->kind->dim;
    oracle->shape = shape;
    oracle->scale = *scale;
    adopt_options(oracle, options);
    oracle->tasks = tasks;
    ThawOracleState *state = &oracle->state;
    double **vectors[] = {&oracle->f,      &oracle->y,    &oracle->c,   &oracle->d,        &oracle->u,
                          &oracle->before, &oracle->b,    &oracle->q,   &state->reference, &state->shadow,
                          &state->pull,    &state->inner, &state->kept, &state->loads,     &state->presses};
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
    state->reached = INFINITY;
    state->pause = LEISURE;
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
    void *blocks[] = {oracle->before,    oracle->lanes, oracle->batches, oracle->f,        oracle->y,
                      oracle->c,         oracle->d,     oracle->u,       oracle->b,        oracle->q,
                      oracle->predicted, oracle->trial, oracle->root,    oracle->partial,  oracle->components,
                      state->below,      state->hold,   state->reason,   state->strain,    state->reference,
                      state->kept,       state->held,   state->rate,     state->shadow,    state->known,
                      state->inner,      state->loads,  state->presses,  state->predicted, state->pull};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        thaw_free(blocks[i]);
    thaw_oracle_drop_factor(oracle);
    thaw_free(oracle);
    *pointer = NULL;
}

ThawOracleState *thaw_oracle_state(ThawOracle *oracle) { return &oracle->state; }

static size_t shadow_bytes(const ThawOracle *oracle) {
    return sizeof(double) * (size_t)oracle->shape->nv * (size_t)oracle->shape->kind->dim;
}

// The shadow in world axes, for the body at x.
static void turn_out(const ThawOracle *oracle, const double *x, double *shadow) {
    double Q[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (oracle->state.has_reference)
        thaw_oracle_frame(oracle, x, Q);
    thaw_oracle_turn(oracle->shape, Q, 0, oracle->state.shadow, shadow);
}

void thaw_oracle_set_options(ThawOracle *oracle, const ThawRigidifyOptions *options, const double *x) {
    adopt_options(oracle, options);
    turn_out(oracle, x, oracle->state.shadow);
    oracle->state.quiet = oracle->state.has_reference = oracle->state.left = 0;
    thaw_oracle_drop_factor(oracle); // it depends on the horizon, and on the rule
}

void thaw_oracle_forget(ThawOracle *oracle, const double *x) {
    thaw_strain_compute(oracle->shape->all, oracle->tasks, NULL, 0, x, oracle->state.strain);
    memset(oracle->state.shadow, 0, shadow_bytes(oracle));
    oracle->state.energy = 0;
    oracle->state.has_inner = oracle->state.quiet = oracle->state.left = 0;
    oracle->state.restless = 1;
}

double *thaw_oracle_release(ThawOracle *oracle, const double *x) {
    turn_out(oracle, x, oracle->before);
    thaw_strain_compute(oracle->shape->all, oracle->tasks, NULL, 0, x, oracle->state.strain);
    memset(oracle->state.shadow, 0, shadow_bytes(oracle));
    oracle->state.energy = 0;
    oracle->state.left = 0;
    return oracle->before;
}

void thaw_oracle_restart(ThawOracle *oracle) {
    memset(oracle->state.known, 0, (size_t)oracle->shape->nv);
    memset(oracle->state.below, 0, (size_t)oracle->shape->ne);
    oracle->state.has_inner = oracle->state.quiet = 0;
    oracle->batch_count = -1;
}

void thaw_oracle_rested(ThawOracle *oracle, int loaded) {
    memset(oracle->state.known, 1, (size_t)oracle->shape->nv);
    oracle->state.moving = RESTING;
    oracle->same_loads = !loaded;
}

// At which strains that are left are made up, 1/s: of the lowest mode or, where that is overdamped, of its damping.
static double pace_of(const ThawOracle *oracle) {
    return thaw_oracle_is_overdamped(oracle) ? 1 / oracle->scale.alpha1 : oracle->scale.omega;
}

// --- is it worth asking? --------------------------------------------------------------------------------------------------

static int force_changed(const ThawOracle *oracle, const double *was, const double *now) {
    const ThawShape *shape = oracle->shape;
    size_t dim = (size_t)shape->kind->dim;
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

// The closer to epsilon, the sooner.
static int leisure_of(const ThawOracle *oracle) {
    return oracle->state.margin > 0.75 * oracle->options.epsilon ? LONG_LEISURE : LEISURE;
}

static int is_due(const ThawOracle *oracle, const ThawQuestion *q, const ThawPartition *partition) {
    const ThawOracleState *state = &oracle->state;
    if (state->moving > SLOWING && state->left == 0)
        return 1;
    if (state->moving > RESTING && !state->has_reference) // the shadow is in world axes: before the body turns
        return 1;
    if (state->moving >= CREEPING || (state->moving > RESTING && partition->elastic_count > 0))
        return (state->moving == SLOWING && state->since >= state->pause) ||
               (state->moving > SLOWING ? state->touched != q->on_parts : q->struck) ||
               (!q->same_loads && force_changed(oracle, state->loads, q->f_ext)) ||
               memcmp(q->script, partition->script, (size_t)oracle->shape->nv) != 0;
    if (state->restless && state->since >= leisure_of(oracle))
        return 1;
    if (partition->elastic_count == 0 && !state->quiet && !state->restless) // wholly rigid since the last answer
        return 1;
    return state->drift > DRIFT * state->margin || state->touched != q->on_parts ||
           memcmp(q->script, partition->script, (size_t)oracle->shape->nv) != 0 ||
           (!q->same_loads && force_changed(oracle, state->loads, q->f_ext)) ||
           (!q->same_presses && force_changed(oracle, state->presses, q->f_contact));
}

// Keeps what acts now for the next time; whether loads are others.
static int note_outside(ThawOracle *oracle, const ThawQuestion *q) {
    ThawOracleState *state = &oracle->state;
    size_t dim = (size_t)oracle->shape->kind->dim, count = (size_t)oracle->shape->nv * dim;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    int pinned = 0, changed = !oracle->same_loads && force_changed(oracle, state->loads, q->f_ext);
    oracle->same_loads = 0;
    if (changed)
        state->reached = INFINITY;
    for (size_t i = 0; i < count; i++) {
        state->loads[i] = q->f_ext[i];
        state->presses[i] = q->f_contact[i];
        double a = (q->f_ext[i] + q->f_contact[i]) / oracle->shape->mass[i / dim];
        low[i % dim] = a < low[i % dim] ? a : low[i % dim];
        high[i % dim] = a > high[i % dim] ? a : high[i % dim];
        pinned |= q->script[i / dim];
    }
    state->uneven = 0;
    for (size_t k = 0; k < dim; k++) // what pins hold up bears on the body as if it were pushed there
        state->uneven = fmax(state->uneven, pinned ? fmax(high[k], -low[k]) : high[k] - low[k]);
    state->touched = q->on_parts;
    state->drift = 0;
    state->since = state->left = 0;
    return changed;
}

// How far what is asked about may have got from the reference, m.
static double drift_limit(const ThawOracle *oracle) {
    int swings = oracle->state.moving >= CREEPING && !thaw_oracle_is_overdamped(oracle);
    return (swings ? SWING_DRIFT : SHAPE_DRIFT) * oracle->shape->diameter;
}

// Whether so many other vertices of what is asked about are in contact than when the reference was taken that it pays to take
// another; no force is asked of the others, which respond themselves. One is enough for a wholly rigid body that comes to rest: a
// vertex that nothing seems to hold wakes it for the force that holds it, and relaxation would move it into what holds it (pachinko
// relaxed and woke in turns for ever).
static int contacts_changed(const ThawOracle *oracle, const ThawQuestion *q, int whole) {
    const ThawOracleState *state = &oracle->state;
    int dim = oracle->shape->kind->dim, held = 0, others = 0, settles = whole && state->moving < CREEPING;
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

// Trial elements: rigid ones, and candidates once enough of them have come together. How many are rigid, and whether
// candidates are among them.
static int32_t choose_trial(ThawOracle *oracle, const ThawQuestion *q, const ThawPartition *partition, int *forming,
                            ThawAnswer *answer) {
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
    state->waited = n > 0 ? (int32_t)fmin(INT32_MAX, (double)state->waited + n) : 0;
    *forming = n > 0 &&
               (n == elastic ||
                state->waited >=
                    GATHER * elastic + (thaw_oracle_is_overdamped(oracle) ? RENEWAL : SWING_RENEWAL) * shape->ne) &&
               rigid + n >= (q->hard ? HARD_WORTH : WORTH) * shape->ne;
    unsigned char most = *forming ? 2 : 1;
    for (int32_t e = 0; e < shape->ne; e++)
        oracle->trial[e] = oracle->trial[e] > 0 && oracle->trial[e] <= most;
    if (*forming)
        state->waited = 0;
    return rigid;
}

// --- the answer -----------------------------------------------------------------------------------------------------------

// Wakes what shares a vertex with a woken element: its vertices are elastic now.
static void dilate(ThawOracle *oracle, unsigned char *flagged, int32_t *woken) {
    const ThawShape *shape = oracle->shape;
    int nodes = shape->kind->nodes;
    unsigned char *touched = (unsigned char *)oracle->b;
    memset(touched, 0, (size_t)shape->nv);
    for (int32_t e = 0; e < shape->ne; e++)
        for (int a = 0; a < nodes && oracle->trial[e] && !flagged[e]; a++)
            touched[shape->elements[(size_t)e * (size_t)nodes + (size_t)a]] = 1;
    for (int32_t e = 0; e < shape->ne; e++)
        for (int a = 0; a < nodes && flagged[e]; a++)
            if (touched[shape->elements[(size_t)e * (size_t)nodes + (size_t)a]]) {
                flagged[e] = 0;
                oracle->state.reason[e] = THAW_REASON_NEIGHBOUR;
                oracle->state.below[e] = 0;
                oracle->state.hold[e] = (unsigned char)oracle->options.hold;
                ++*woken;
            }
}

// A wholly rigid body that was quiet, and whose c is about what it was, is quiet: that c was harmless by a factor of fifty,
// so a tenth of its usual size more is, too.
static int is_as_kept(ThawOracle *oracle, const double Q[9]) {
    const ThawShape *shape = oracle->shape;
    size_t dim = (size_t)shape->kind->dim;
    const double *kept = oracle->state.kept;
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

// Who must be elastic: whatever was foreseen to exceed the limit.
static void judge(ThawOracle *oracle, const ThawQuestion *q, const ThawPartition *partition, double limit,
                  unsigned char *flagged, ThawAnswer *answer) {
    ThawOracleState *state = &oracle->state;
    int wakes = 0, paper = oracle->options.oracle == THAW_ORACLE_PAPER;
    double scale = paper ? 1 : oracle->options.epsilon / limit; // what is told is relative to epsilon
    for (int32_t e = 0; e < oracle->shape->ne && !wakes; e++)
        wakes = partition->part_of_element[e] >= 0 && oracle->predicted[e] > limit;
    if (wakes) // who is about to follow wakes with them: a new partition is dear
        limit *= paper || !thaw_oracle_is_overdamped(oracle) ? SWING_FOLLOW : FOLLOW;
    for (int32_t e = 0; e < oracle->shape->ne; e++) {
        state->predicted[e] = (float)(oracle->predicted[e] * scale);
        if (!oracle->trial[e])
            continue;
        int rigid = partition->part_of_element[e] >= 0;
        if (oracle->predicted[e] <= limit) {
            answer->largest = oracle->predicted[e] > answer->largest ? oracle->predicted[e] : answer->largest;
            continue;
        }
        flagged[e] = 0;
        state->below[e] = 0;
        state->reason[e] = THAW_REASON_STRAIN;
        if (rigid) {
            answer->woken++;
            state->hold[e] = (unsigned char)oracle->options.hold;
        } else
            answer->vetoed++;
    }
    if (answer->woken > 0)
        dilate(oracle, flagged, &answer->woken);
    for (int32_t e = 0; e < oracle->shape->ne; e++)
        answer->rigid += flagged[e];
    int poor = !paper && answer->rigid < POOR * oracle->shape->ne;
    for (int32_t e = 0; e < oracle->shape->ne && poor; e++)
        if (flagged[e]) {
            flagged[e] = 0;
            state->reason[e] = THAW_REASON_LONE;
            answer->woken += partition->part_of_element[e] >= 0;
        }
    // Whoever wakes is to see his rate from here on.
    if (memcmp(flagged, partition->flagged, (size_t)oracle->shape->ne) != 0 ||
        memcmp(q->script, partition->script, (size_t)oracle->shape->nv) != 0)
        thaw_strain_compute(oracle->shape->all, oracle->tasks, NULL, 0, q->x, state->strain);
}

// The published rule: every step, no schedule, no relaxation.
static ThawStatus ask_paper(ThawOracle *oracle, const ThawQuestion *q, const ThawPartition *partition,
                            unsigned char *flagged, ThawAnswer *answer, ThawError *error) {
    ThawOracleState *state = &oracle->state;
    for (int32_t e = 0; e < oracle->shape->ne; e++) {
        int rigid = partition->part_of_element[e] >= 0;
        int candidate = !rigid && state->below[e] >= oracle->options.frame_count && state->hold[e] == 0;
        oracle->trial[e] = (unsigned char)(rigid || candidate);
        answer->candidates += candidate;
    }
    memcpy(flagged, oracle->trial, (size_t)oracle->shape->ne);
    if ((partition->part_count == 0 && answer->candidates == 0) || q->system->map->n == 0)
        return THAW_OK;
    ThawStatus status = thaw_oracle_quick_solve(oracle, q, error);
    if (status != THAW_OK)
        return status;
    answer->asked = 1;
    judge(oracle, q, partition, oracle->options.tau_elastic, flagged, answer);
    state->quiet = answer->rigid == oracle->shape->ne;
    return THAW_OK;
}

static double largest_of(const ThawOracle *oracle) {
    double largest = 0;
    for (int32_t e = 0; e < oracle->shape->ne; e++)
        if (oracle->trial[e] && oracle->predicted[e] > largest)
            largest = oracle->predicted[e];
    return largest;
}

// The batches of the set of all elements that hold elastic ones.
static void list_batches(ThawOracle *oracle, const ThawPartition *partition) {
    for (int32_t e = 0; e < oracle->shape->ne; e++)
        oracle->trial[e] = partition->part_of_element[e] < 0;
    oracle->batch_count = thaw_strain_batches(oracle->shape->all, oracle->trial, oracle->batches);
}

// No rate is to be seen in how elastic elements have come to x.
static void disregard(ThawOracle *oracle, const ThawPartition *partition, const double *x) {
    if (oracle->batch_count < 0)
        list_batches(oracle, partition);
    thaw_strain_compute(oracle->shape->all, oracle->tasks, oracle->batches, oracle->batch_count, x,
                        oracle->state.strain);
}

// A wholly rigid body that relaxation does not bring nearer to balance, not by half of what the way it was moved promised
// (state->reached), is moved a sixteenth as far the next time: what touches it relaxes, too, and both at once may go too far for ever. Where
// that does not help either it creeps: contacts slide, or slow modes give way, as it is moved. It is within epsilon, and is left
// where it is until much less of the strain is left. Each success takes back a fourth of a failure: jitter succeeds half of the time.
static int is_stuck(ThawOracleState *state, double largest, int whole) {
    int better = largest < state->reached;
    if (!whole || isinf(state->reached) || (better && state->tries == PATIENCE))
        state->tries = 0;
    else if (better)
        state->tries -= state->tries > 0;
    else if (state->tries < PATIENCE) {
        state->tries = state->tries + FAILURE < PATIENCE ? state->tries + FAILURE : PATIENCE;
        state->reached = PROGRESS * largest; // counts only where it is stuck now
    }
    if (!whole)
        state->reached = INFINITY;
    return state->tries == PATIENCE;
}

// For how many steps an answer stands while elements beside the parts move: until the largest strain, which has come from `was`
// to `now` in the last ones, may have gone a share of its way to the limit beyond which it is no rest.
static int32_t pause_of(double was, double now, int steps, double limit) {
    double left = DRIFT * (limit - now) * steps, change = fabs(now - was);
    return left >= LONG_LEISURE * change ? LONG_LEISURE : left > LEISURE * change ? (int32_t)(left / change) : LEISURE;
}

// Loads under epsilon are followed quasistatically; new ones wake at once whom they would deform more. limit: of the strain of a body
// at rest.
static void answer_rest(ThawOracle *oracle, const ThawQuestion *q, ThawPartition *partition, int steps, double limit,
                        double *x, unsigned char *flagged, ThawAnswer *answer) {
    const ThawRigidifyOptions *options = &oracle->options;
    ThawOracleState *state = &oracle->state;
    int32_t ne = oracle->shape->ne;
    judge(oracle, q, partition, options->epsilon, flagged, answer);
    int stuck = is_stuck(state, answer->largest, answer->rigid == ne);
    if (state->moving == SLOWING && answer->woken == 0)
        state->pause = pause_of(options->epsilon - state->margin, answer->largest, steps, limit);
    state->margin = options->epsilon - answer->largest;
    state->restless = answer->woken > 0 || (answer->largest > RELAX_FLOOR * options->epsilon && !stuck);
    if (answer->woken == 0 && state->restless && options->relax > 0) {
        double rate = RELAX_RATE * sqrt(options->tau_rigid) * q->h * steps / answer->largest;
        double share = fmin(fmin(1, options->relax * steps) / (1 << state->tries), rate);
        answer->moved = thaw_oracle_move(oracle, q, partition, share, x);
        if (answer->rigid == ne)
            state->reached = (1 - share / 2) * answer->largest;
        thaw_partition_find_stress(partition, oracle->f);
        disregard(oracle, partition, x);
    }
    state->moving = answer->rigid < ne ? SLOWING : RESTING;
    state->quiet = answer->rigid == ne && !state->restless;
    if (state->quiet)
        thaw_oracle_turn(oracle->shape, oracle->Q, 1, oracle->c, state->kept);
    if (answer->woken > 0) // a load has: they take their shadow along, the others wait for the next question
        return;
    answer->dropped = thaw_partition_shadow_energy(partition, oracle->before);
    memset(state->shadow, 0, shadow_bytes(oracle));
    memset(oracle->before, 0, shadow_bytes(oracle));
}

// The strain rate that wakes, 1/s.
static double waking_rate(const ThawOracle *oracle) { return sqrt(WAKE * oracle->options.tau_rigid); }

// The fastest of the elements that are about to become rigid, 1/s.
static double candidate_rate(const ThawOracle *oracle, const ThawPartition *partition) {
    float fastest = 0;
    for (int32_t e = 0; e < oracle->shape->ne; e++)
        if (oracle->trial[e] && partition->part_of_element[e] < 0 && oracle->state.rate[e] > fastest)
            fastest = oracle->state.rate[e];
    return sqrt((double)fastest);
}

// A step for which the last answer stands: the body goes on with its shadow.
static void go_on(ThawOracle *oracle, const ThawQuestion *q, ThawPartition *partition, double *x, ThawAnswer *answer) {
    thaw_oracle_frame(oracle, q->x, oracle->Q);
    thaw_oracle_glide(oracle, oracle->Q, q->h);
    answer->moved = thaw_oracle_move(oracle, q, partition, 1, x);
    answer->followed = 1;
    oracle->state.left--;
}

// For how many steps an answer stands, as fast as the body was at the last one.
static int stride_of(const ThawOracle *oracle, const ThawQuestion *q, const ThawPartition *partition) {
    int moving = oracle->state.moving;
    if (moving != CREEPING && moving != DRIFTING)
        return 1;
    if (moving == DRIFTING && partition->elastic_count == 0)
        return LONG_LEISURE;
    double reach = thaw_oracle_is_overdamped(oracle) ? REACH / (pace_of(oracle) * q->h) : 0;
    return reach >= LONG_STRIDE ? LONG_STRIDE : reach > STRIDE ? (int)reach : STRIDE;
}

// How fast the body is from now on, by the fastest as a share of the rate that wakes.
static int pace_mode(const ThawOracle *oracle, const ThawQuestion *q, double fastest) {
    double creep = pace_of(oracle) * q->h < SLOW ? SLOW_CREEP : CREEP;
    return fastest <= CALM ? DRIFTING : fastest <= creep ? CREEPING : MOVING;
}

// Parts that follow are strained by little in a step: their stress is found anew every some steps.
static void renew_stress(const ThawOracle *oracle, ThawPartition *partition, int steps) {
    if (oracle->state.age % AUDIT < steps)
        thaw_partition_find_stress(partition, oracle->f);
}

// What is overdamped goes after the forces: at the end of a stride it makes up for it, and who is strained too fast wakes. (By strides
// to come it would lag behind them by all that K looks ahead. The wheel had a quarter more elements elastic and four times the error.)
static ThawStatus answer_creep(ThawOracle *oracle, const ThawQuestion *q, ThawPartition *partition, int forming,
                               int steps, double *x, unsigned char *flagged, ThawAnswer *answer, ThawError *error) {
    ThawOracleState *state = &oracle->state;
    int stride = stride_of(oracle, q, partition);
    steps = steps < stride ? steps : stride;
    // A blow acts in the step that comes: the steps before it were made without.
    int past = q->struck ? steps - 1 : 0;
    if (q->struck)
        steps = stride = 1;
    double limit = waking_rate(oracle) * q->h, fastest = 0;
    ThawStatus status = THAW_OK;
    if (forming) { // what the candidates would do as parts
        status = thaw_oracle_follow(oracle, q, oracle->Q, stride, error);
        if (status == THAW_OK) {
            fastest = fmax(largest_of(oracle) / limit, candidate_rate(oracle, partition) / waking_rate(oracle));
            judge(oracle, q, partition, limit, flagged, answer);
        }
        // But up to now they have gone their own way: what acts on them is no part of the shadow's.
        if (status == THAW_OK)
            status = thaw_oracle_constraint(oracle, q, partition, 0, error);
    }
    if (status == THAW_OK)
        status = thaw_oracle_catch_up(oracle, q, oracle->Q, steps, stride, error);
    if (status != THAW_OK)
        return status;
    limit *= steps;
    if (!forming)
        judge(oracle, q, partition, limit, flagged, answer);
    double now = largest_of(oracle), share = fmin(1, limit / now), crept = past * q->h;
    // Who wakes feels in the step that comes what was foreseen; up to now he has crept.
    if (answer->woken > 0)
        share = 0, crept += steps * q->h;
    for (size_t i = 0; crept > 0 && i < (size_t)oracle->shape->nv * (size_t)oracle->shape->kind->dim; i++)
        oracle->d[i] = share * oracle->d[i] + crept * oracle->before[i];
    if (partition->part_count > 0 && oracle->options.relax > 0) {
        answer->moved = thaw_oracle_move(oracle, q, partition, crept > 0 ? 1 : share, x);
        renew_stress(oracle, partition, steps);
        if (answer->woken > 0)
            thaw_strain_compute(oracle->shape->all, oracle->tasks, NULL, 0, x, state->strain);
        else
            disregard(oracle, partition, x);
    }
    state->moving = pace_mode(oracle, q, fmax(fastest, now / limit));
    state->left = stride_of(oracle, q, partition) - 1;
    state->margin = oracle->options.epsilon;
    state->restless = 1;
    return THAW_OK;
}

// The pull on the shadow in the stride that comes, and who wakes for it or may not become rigid. Returns how fast the fastest is, as
// a share of the rate that wakes.
static double foresee_motion(ThawOracle *oracle, const ThawQuestion *q, const ThawPartition *partition, int forming,
                             int stride, unsigned char *flagged, ThawAnswer *answer, ThawStatus *status,
                             ThawError *error) {
    double limit = waking_rate(oracle) * q->h, fastest = 0;
    *status = thaw_oracle_follow(oracle, q, oracle->Q, stride, error);
    if (*status != THAW_OK)
        return 0;
    judge(oracle, q, partition, limit, flagged, answer);
    fastest = largest_of(oracle) / limit;
    if (!forming)
        return fastest;
    // So much for what candidates would do as parts. But up to now they have gone their own way: what acts on them is no part of the
    // shadow's.
    fastest = fmax(fastest, candidate_rate(oracle, partition) / waking_rate(oracle));
    *status = thaw_oracle_constraint(oracle, q, partition, 0, error);
    if (*status == THAW_OK)
        *status = thaw_oracle_follow(oracle, q, oracle->Q, stride, error);
    return fmax(fastest, largest_of(oracle) / limit);
}

// Who would strain faster than the threshold in the next step, or stride, wakes; below, the body follows the shadow.
static ThawStatus answer_motion(ThawOracle *oracle, const ThawQuestion *q, ThawPartition *partition, int forming,
                                int steps, double *x, unsigned char *flagged, ThawAnswer *answer, ThawError *error) {
    ThawOracleState *state = &oracle->state;
    int stride = q->struck ? 1 : stride_of(oracle, q, partition),
        moves = partition->part_count > 0 && oracle->options.relax > 0;
    ThawStatus status;
    double fastest = foresee_motion(oracle, q, partition, forming, stride, flagged, answer, &status, error);
    if (status != THAW_OK)
        return status;
    thaw_oracle_glide(oracle, oracle->Q, q->h);
    answer->followed = 1;
    // Who wakes feels in the step that comes what was foreseen; up to now he has crept.
    for (size_t i = 0; answer->woken > 0 && i < (size_t)oracle->shape->nv * (size_t)oracle->shape->kind->dim; i++)
        oracle->d[i] = q->h * oracle->before[i];
    if (moves) {
        answer->moved = thaw_oracle_move(oracle, q, partition, 1, x);
        renew_stress(oracle, partition, steps);
    }
    state->moving = pace_mode(oracle, q, fastest);
    // Other parts are pulled otherwise: they are asked in the next step.
    state->left = moves && !forming && answer->woken == 0 && state->moving < MOVING ? stride - 1 : 0;
    state->margin = oracle->options.epsilon;
    state->restless = 1;
    return THAW_OK;
}

// Static strains are made up at the pace of the lowest mode or, where that is overdamped, of its damping, 1/s. Who takes no more
// than two steps for that is there before anybody sees how fast: only others are judged by speed. (Stacks of hard cubes, which jolt
// each other by little and are still within a step, would wake each other for ever.) Nor are those who are overdamped, do not swing
// on, and are there within 20 steps: heaps of them, too, jolt each other (pachinko never came to rest).
// Nor is who rests already: jitter of contact forces below epsilon is no motion.
static double lingering_pace(const ThawOracle *oracle, double h) {
    double pace = pace_of(oracle);
    return oracle->state.moving > RESTING && pace * h < (thaw_oracle_is_overdamped(oracle) ? SOON : AT_ONCE) ? pace : 0;
}

// Whether the static question may decide: it knows nothing of speed. From the rate at which parts deform (the shadow's) and
// candidates do, the lowest mode would swing on by rate / omega.
static int hardly_swings(ThawOracle *oracle, const ThawQuestion *q, const ThawPartition *partition) {
    double parts = 0, candidates = candidate_rate(oracle, partition);
    int moves = 0;
    for (size_t i = 0; i < (size_t)oracle->shape->nv * (size_t)oracle->shape->kind->dim && !moves; i++)
        moves = oracle->before[i] != 0;
    if (moves)
        thaw_strain_predict(oracle->shape->all, oracle->tasks, NULL, 0, q->x, oracle->before, oracle->predicted);
    for (int32_t e = 0; e < oracle->shape->ne && moves; e++)
        if (partition->part_of_element[e] >= 0 && oracle->predicted[e] > parts)
            parts = oracle->predicted[e];
    double sway = lingering_pace(oracle, q->h) > 0 ? SWAY * waking_rate(oracle) : INFINITY;
    return oracle->scale.omega == 0 ||
           (fmax(parts, candidates) <= SWING * oracle->options.epsilon * oracle->scale.omega && parts <= sway);
}

// The static strain up to which a body is at rest: what is left of it must not be made up so fast that it would wake. And a slow
// body seen at its turning point would be back only after many steps: it is not at rest for being slow.
static double rest_strain(const ThawOracle *oracle, double h) {
    double share = oracle->state.moving == RESTING || oracle->scale.omega * h >= SLOW ? 1 : SWING;
    double pace = lingering_pace(oracle, h);
    return fmin(share * oracle->options.epsilon, pace > 0 ? waking_rate(oracle) / pace : INFINITY);
}

ThawStatus thaw_oracle_ask(ThawOracle *oracle, const ThawQuestion *q, ThawPartition *partition, double *x,
                           unsigned char *flagged, ThawAnswer *answer, ThawError *error) {
    const ThawShape *shape = oracle->shape;
    ThawOracleState *state = &oracle->state;
    int forming;
    *answer = (ThawAnswer){0};
    if (oracle->options.oracle == THAW_ORACLE_PAPER)
        return ask_paper(oracle, q, partition, flagged, answer, error);
    state->since += state->since < INT32_MAX;
    state->age += state->age < INT32_MAX;
    int32_t rigid = choose_trial(oracle, q, partition, &forming, answer);
    memcpy(flagged, oracle->trial, (size_t)shape->ne);
    if ((rigid == 0 && !forming) || q->system->map->n == 0)
        return THAW_OK; // nothing to ask: all is elastic, or nothing is free
    if (!forming && !is_due(oracle, q, partition)) {
        if (state->left > 0 && !thaw_oracle_is_overdamped(oracle))
            go_on(oracle, q, partition, x, answer);
        else
            state->left -= state->left > 0;
        return THAW_OK;
    }
    int whole = rigid == shape->ne, steps = rigid > 0 && state->since <= LONG_LEISURE ? state->since : 1;
    int loaded = note_outside(oracle, q) || memcmp(q->script, partition->script, (size_t)shape->nv) != 0;
    ThawStatus status = thaw_oracle_constraint(oracle, q, partition, forming, error);
    if (status != THAW_OK)
        return status;
    memcpy(oracle->Q, (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, sizeof oracle->Q);
    int stale = !state->has_reference || thaw_oracle_compare(oracle, q->x, oracle->Q) > drift_limit(oracle) ||
                contacts_changed(oracle, q, whole);
    if (state->quiet && whole && !stale && is_as_kept(oracle, oracle->Q))
        return THAW_OK;
    answer->asked = 1;
    state->quiet = 0;
    state->pause = LEISURE;
    if (stale)
        thaw_oracle_take_reference(oracle, q, oracle->Q);
    thaw_oracle_turn(shape, oracle->Q, 0, state->shadow, oracle->before);
    answer->shadow = oracle->before;
    // A new load wakes at once whom it would bend by more than epsilon; below that it does not stop what swings.
    double limit = rest_strain(oracle, q->h), largest = INFINITY;
    int audit = state->moving < CREEPING || state->age % AUDIT < steps ||
                (state->moving == CREEPING && thaw_oracle_is_overdamped(oracle));
    int calm = (loaded || audit) && hardly_swings(oracle, q, partition);
    if (loaded || calm) {
        status = thaw_oracle_foresee(oracle, q, oracle->Q, error);
        largest = largest_of(oracle);
    }
    int rests = (calm && largest <= limit) || (loaded && largest > oracle->options.epsilon);
    if (status == THAW_OK && rests)
        answer_rest(oracle, q, partition, steps, limit, x, flagged, answer);
    else if (status == THAW_OK && thaw_oracle_is_overdamped(oracle))
        status = answer_creep(oracle, q, partition, forming, steps, x, flagged, answer, error);
    else if (status == THAW_OK)
        status = answer_motion(oracle, q, partition, forming, steps, x, flagged, answer, error);
    memcpy(oracle->u, oracle->before, shadow_bytes(oracle));
    return status;
}

// Strains beside parts, and their turns: what may change the force that holds them together.
static double drift_of(const ThawOracle *oracle, const ThawPartition *partition, double h) {
    int dim = oracle->shape->kind->dim, nodes = oracle->shape->kind->nodes;
    double fastest = 0, turn = 0;
    for (int32_t i = partition->elastic_count - 1; i >= 0; i--) { // those that touch a part come last
        int32_t e = partition->elastic[i];
        int beside = 0;
        for (int a = 0; a < nodes; a++)
            beside |= partition->part_of_vertex[oracle->shape->elements[(size_t)e * (size_t)nodes + (size_t)a]] >= 0;
        if (!beside)
            break;
        fastest = oracle->predicted[e] > fastest ? oracle->predicted[e] : fastest;
    }
    for (int32_t k = 0; k < partition->part_count; k++) {
        double v[3], omega[3], spin;
        thaw_part_velocity(&partition->parts[k], dim, v, omega);
        spin = sqrt(omega[0] * omega[0] + omega[1] * omega[1] + omega[2] * omega[2]);
        turn = fmax(turn, spin * fmax(oracle->state.uneven, spin * spin * oracle->shape->diameter));
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
        list_batches(oracle, partition);
    thaw_strain_rate(shape->all, oracle->tasks, oracle->batches, oracle->batch_count, x, h, state->strain,
                     oracle->predicted);
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
