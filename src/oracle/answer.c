// SPDX-License-Identifier: Apache-2.0
// The three answers. At rest, by the static question: elements that would be strained by more than epsilon wake, the
// others are relaxed. In motion, by the shadow (foresee.c): elements that would be strained too fast wake, the others
// follow it. A body that swings follows for a stride of steps that begins, an overdamped one for a stride that has
// ended. Each answer judges all elements, and moves the body by what was foreseen.
#include <math.h>
#include <string.h>

#include "force/strain.h"
#include "oracle/oracle_impl.h"

static const double RELAX_FLOOR = 0.02; // of epsilon: relaxation stops there
static const double RELAX_RATE = 3;     // relaxation strains at most this many sqrt(tau_R) h a step
static const double PROGRESS = 0.7;     // of the strain at which relaxation got stuck: below that it goes on
static const double CALM = 0.1;         // of the rate that wakes: a body that is slower drifts
static const double CREEP = 1; // of the rate that wakes: a slower body in which nothing wakes is followed by strides
static const double SLOW_CREEP = 2; // the same for a slow body, also while elements wake
// Shares of the limit beyond which an element wakes together with others; the second in a body that swings, where
// elements that would wake within a quarter of a swing had better wake at once. It is not lower, since 0.5^2 of the
// rate that wakes is about where elements become candidates: elements that only creep would wake and freeze in turns.
static const double FOLLOW = 0.7, SWING_FOLLOW = 0.5;
static const double POOR =
    0.3; // of the elements: if fewer are rigid none stays so, as questions cost more than they save
// Steps in a stride of a body that creeps. Strides of an overdamped one, which does not swing, are a share of its own
// time, between these two numbers of steps.
enum { STRIDE = 3, LONG_STRIDE = 6 };
static const double REACH = 0.25;
// After PATIENCE halvings of its way a wholly rigid body is not relaxed further; an answer without progress counts as
// FAILURE of them.
enum { PATIENCE = THAW_ORACLE_PATIENCE, FAILURE = 4 };

// --- what wakes ------------------------------------------------------------------------------------------------------

double thaw_oracle_largest(const ThawOracle *oracle) {
    double largest = 0;
    for (int32_t e = 0; e < oracle->shape->ne; e++)
        if (oracle->trial[e] && oracle->predicted[e] > largest)
            largest = oracle->predicted[e];
    return largest;
}

// The fastest of the elements that are about to become rigid, 1/s.
double thaw_oracle_candidate_rate(const ThawOracle *oracle, const ThawPartition *partition) {
    float fastest = 0;
    for (int32_t e = 0; e < oracle->shape->ne; e++)
        if (oracle->trial[e] && partition->part_of_element[e] < 0 && oracle->state.rate[e] > fastest)
            fastest = oracle->state.rate[e];
    return sqrt((double)fastest);
}

// Wakes the elements that share a vertex with a woken one: such a vertex is elastic now.
static void dilate(ThawOracle *oracle, unsigned char *flagged, int32_t *woken) {
    const ThawShape *shape = oracle->shape;
    int nodes = shape->cells->kind->nodes;
    unsigned char *touched = (unsigned char *)oracle->b;
    memset(touched, 0, (size_t)shape->nv);
    for (int32_t e = 0; e < shape->ne; e++)
        for (int a = 0; a < nodes && oracle->trial[e] && !flagged[e]; a++)
            touched[shape->cells->elements[(size_t)e * (size_t)nodes + (size_t)a]] = 1;
    for (int32_t e = 0; e < shape->ne; e++)
        for (int a = 0; a < nodes && flagged[e]; a++)
            if (touched[shape->cells->elements[(size_t)e * (size_t)nodes + (size_t)a]]) {
                flagged[e] = 0;
                oracle->state.reason[e] = THAW_REASON_NEIGHBOUR;
                oracle->state.below[e] = 0;
                oracle->state.hold[e] = (unsigned char)oracle->options.hold;
                ++*woken;
            }
}

// How far a wave comes in a step, m.
static double reach_of(const ThawShape *shape, double h) {
    double fastest = 0; // m^2/s^2
    for (int32_t e = 0; e < shape->ne; e++) {
        const ThawMaterial *material = &shape->materials[shape->cells->material[e]];
        fastest = fmax(fastest, thaw_element_modulus(shape, shape->cells, e) / material->density);
    }
    return h * sqrt(fastest);
}

// Elements near a contact that closes so fast that it would count as strain wake, as far as a wave comes in this step.
// A contact on a part meets all of the part's mass, so the blow is another one than that which was foreseen as
// harmless; and the speed and spin that a blow takes do not show in strains, which are small in a stiff body. felt: the
// strain or rate that is foreseen of those elements at least.
static void feel_blow(ThawOracle *oracle, const ThawQuestion *q, double felt) {
    const ThawShape *shape = oracle->shape;
    const size_t dim = (size_t)shape->dim, nv = (size_t)shape->nv, nodes = (size_t)shape->cells->kind->nodes;
    const double reach = reach_of(shape, q->h);
    unsigned char *near = (unsigned char *)oracle->b; // scratch of at least nv bytes
    memset(near, reach >= shape->diameter, nv);
    for (size_t i = 0; i < nv && reach < shape->diameter; i++) {
        if (memcmp(q->f_contact + i * dim, q->f_past + i * dim, sizeof(double) * dim) == 0)
            continue;
        for (size_t j = 0; j < nv; j++) {
            double square = 0;
            for (size_t k = 0; k < dim && !near[j]; k++)
                square += (q->x[i * dim + k] - q->x[j * dim + k]) * (q->x[i * dim + k] - q->x[j * dim + k]);
            near[j] |= square <= reach * reach;
        }
    }
    for (size_t e = 0; e < (size_t)shape->ne; e++)
        for (size_t a = 0; a < nodes; a++)
            if (near[shape->cells->elements[e * nodes + a]])
                oracle->predicted[e] = fmax(oracle->predicted[e], felt);
}

// Elements must be elastic where what was foreseen exceeds the limit.
void thaw_oracle_judge(ThawOracle *oracle, const ThawQuestion *q, const ThawPartition *partition, double limit,
                       double told, unsigned char *flagged, ThawAnswer *answer) {
    ThawOracleState *state = &oracle->state;
    int wakes = 0, paper = oracle->options.oracle == THAW_ORACLE_PAPER;
    const double felt = nextafter(limit, INFINITY);
    if (q->hit && !paper)
        feel_blow(oracle, q, felt);
    for (int32_t e = 0; e < oracle->shape->ne && !wakes; e++)
        wakes = partition->part_of_element[e] >= 0 && oracle->predicted[e] > limit;
    if (wakes) // elements that would wake soon wake with them: a new partition is costly
        limit *= paper || !thaw_oracle_is_overdamped(oracle) ? SWING_FOLLOW : FOLLOW;
    for (int32_t e = 0; e < oracle->shape->ne; e++) {
        state->predicted[e] = (float)(oracle->predicted[e] * told);
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
            state->hold[e] = (unsigned char)(oracle->predicted[e] == felt ? 0 : oracle->options.hold);
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
    // Rates of elements that wake count from here on.
    if (memcmp(flagged, partition->flagged, (size_t)oracle->shape->ne) != 0 ||
        memcmp(q->script, partition->script, (size_t)oracle->shape->nv) != 0)
        thaw_strain_compute(oracle->shape->all, oracle->tasks, NULL, 0, q->x, state->strain);
}

// --- at rest ---------------------------------------------------------------------------------------------------------

// The batches of the set of all elements that hold elastic ones.
void thaw_oracle_list_batches(ThawOracle *oracle, const ThawPartition *partition) {
    for (int32_t e = 0; e < oracle->shape->ne; e++)
        oracle->trial[e] = partition->part_of_element[e] < 0;
    oracle->batch_count = thaw_strain_batches(oracle->shape->all, oracle->trial, oracle->batches);
}

// The way on which elastic elements came to x shows no rate.
static void disregard(ThawOracle *oracle, const ThawPartition *partition, const double *x) {
    if (oracle->batch_count < 0)
        thaw_oracle_list_batches(oracle, partition);
    thaw_strain_compute(oracle->shape->all, oracle->tasks, oracle->batches, oracle->batch_count, x,
                        oracle->state.strain);
}

// A wholly rigid body whose strain does not fall by half of what the last relaxation was to take off (relax_target) is
// moved a sixteenth as far the next time: bodies that touch it relax as well, and both together may go too far for
// ever. Where that does not help either the body creeps: contacts slide, or slow modes yield, as it is moved. Since it
// is within epsilon it is then left where it is until much less of the strain is left. Each success takes back a fourth
// of a failure, since jitter succeeds half of the time.
static int is_stuck(ThawOracleState *state, double largest, int whole) {
    int better = largest < state->relax_target;
    if (!whole || isinf(state->relax_target) || (better && state->tries == PATIENCE))
        state->tries = 0;
    else if (better)
        state->tries -= state->tries > 0;
    else if (state->tries < PATIENCE) {
        state->tries = state->tries + FAILURE < PATIENCE ? state->tries + FAILURE : PATIENCE;
        state->relax_target = PROGRESS * largest; // counts only while it is stuck
    }
    if (!whole)
        state->relax_target = INFINITY;
    return state->tries == PATIENCE;
}

// For how many steps an answer stands while elements beside the parts move: until the largest strain, which went from
// `was` to `now` in the last steps, may have come a share of its way to the limit of rest.
static int32_t pause_of(double was, double now, int steps, double limit) {
    double left = THAW_ORACLE_DRIFT * (limit - now) * steps, change = fabs(now - was);
    return left >= THAW_ORACLE_STRIDE * change   ? THAW_ORACLE_STRIDE
           : left > THAW_ORACLE_LEISURE * change ? (int32_t)(left / change)
                                                 : THAW_ORACLE_LEISURE;
}

// Loads that strain by less than epsilon are followed quasistatically; a new load wakes at once the elements that it
// would deform more. limit: of the strain of a body at rest.
void thaw_oracle_answer_rest(ThawOracle *oracle, const ThawQuestion *q, ThawPartition *partition, int steps,
                             double most, double limit, double *x, unsigned char *flagged, ThawAnswer *answer) {
    const ThawRigidifyOptions *options = &oracle->options;
    ThawOracleState *state = &oracle->state;
    int32_t ne = oracle->shape->ne;
    thaw_oracle_judge(oracle, q, partition, most, 1, flagged, answer);
    int stuck = is_stuck(state, answer->largest, answer->rigid == ne);
    if (state->moving == THAW_SLOWING && answer->woken == 0)
        state->pause = pause_of(options->epsilon - state->margin, answer->largest, steps, limit);
    state->margin = options->epsilon - answer->largest;
    state->restless = answer->woken > 0 || (answer->largest > RELAX_FLOOR * options->epsilon && !stuck);
    double share = answer->woken == 0 && state->restless ? fmin(1, options->relax * steps) / (1 << state->tries) : 0;
    if (share > 0) {
        double rate = RELAX_RATE * sqrt(options->tau_rigid) * q->h * steps / answer->largest;
        // Beyond that share of the way the body would gain energy out of nothing: a body that is pressed by a blow is
        // not at rest.
        share = fmin(share, fmin(rate, thaw_oracle_outer_share(oracle)));
    }
    if (share > 0) {
        answer->moved = thaw_oracle_move(oracle, q, partition, share, x);
        if (answer->rigid == ne)
            state->relax_target = (1 - share / 2) * answer->largest;
        thaw_partition_find_stress(partition, oracle->f);
        disregard(oracle, partition, x);
    }
    state->moving = answer->rigid < ne ? THAW_SLOWING : THAW_RESTING;
    state->quiet = answer->rigid == ne && !state->restless;
    if (state->quiet)
        thaw_oracle_turn(oracle->shape, oracle->Q, 1, oracle->c, state->quiet_force);
    if (answer->woken > 0) // by a load: they take their shadow along, the others wait for the next question
        return;
    answer->dropped = thaw_partition_shadow_energy(partition, oracle->before);
    memset(state->shadow, 0, thaw_oracle_shadow_bytes(oracle));
    memset(oracle->before, 0, thaw_oracle_shadow_bytes(oracle));
}

// --- in motion -------------------------------------------------------------------------------------------------------

// A step for which the last answer stands: the body goes on with its shadow.
void thaw_oracle_go_on(ThawOracle *oracle, const ThawQuestion *q, ThawPartition *partition, double *x,
                       ThawAnswer *answer) {
    thaw_oracle_frame(oracle, q->x, oracle->Q);
    thaw_oracle_glide(oracle, oracle->Q, q->h);
    answer->moved = thaw_oracle_move(oracle, q, partition, 1, x);
    answer->followed = 1;
    oracle->state.left--;
}

// A stride goes on with one acceleration, also past the turning point of a swing, where the body would be strained by
// more than its motion holds. So a stride takes at most 3 rad of the lowest mode, as the body has it alone: bodies that
// rest on this one stand still meanwhile.
static int longest_stride(const ThawOracle *oracle, double h) {
    double reach = thaw_oracle_is_overdamped(oracle) ? INFINITY : 3 / (oracle->scale.alone * h);
    return reach >= THAW_ORACLE_STRIDE ? THAW_ORACLE_STRIDE : reach > 1 ? (int)reach : 1;
}

// For how many steps an answer stands, by how fast the body was at the last one.
static int stride_of(const ThawOracle *oracle, const ThawQuestion *q, const ThawPartition *partition) {
    int moving = oracle->state.moving;
    if ((moving != THAW_CREEPING && moving != THAW_DRIFTING) || (oracle->rolls && !thaw_oracle_is_overdamped(oracle)))
        return 1;
    const int longest = longest_stride(oracle, q->h);
    if (moving == THAW_DRIFTING && partition->elastic_count == 0)
        return longest;
    double reach = thaw_oracle_is_overdamped(oracle) ? REACH / (thaw_oracle_pace(oracle) * q->h) : 0;
    int stride = reach >= LONG_STRIDE ? LONG_STRIDE : reach > STRIDE ? (int)reach : STRIDE;
    return stride < longest ? stride : longest;
}

// How often the body is asked from now on; fastest: of its elements, as a share of the rate that wakes.
static int pace_mode(const ThawOracle *oracle, const ThawQuestion *q, double fastest) {
    double creep = thaw_oracle_pace(oracle) * q->h < THAW_ORACLE_SLOW ? SLOW_CREEP : CREEP;
    return fastest <= CALM ? THAW_DRIFTING : fastest <= creep ? THAW_CREEPING : THAW_MOVING;
}

// Parts that follow their shadow are strained by little in a step: their stress is found anew once in some steps.
static void renew_stress(const ThawOracle *oracle, ThawPartition *partition, int steps) {
    if (oracle->state.age % THAW_ORACLE_AUDIT < steps)
        thaw_partition_find_stress(partition, oracle->f);
}

// A blow acts in the step that comes, and strains elements that wake for it there, not before: only forces that have
// acted up to now move the shadow.
static ThawStatus without_blow(ThawOracle *oracle, const ThawQuestion *q, const ThawPartition *partition,
                               ThawAnswer *answer, ThawError *error) {
    ThawQuestion past = *q;
    past.f_contact = q->f_past;
    answer->past = 1;
    return thaw_oracle_constraint(oracle, &past, partition, 0, error);
}

// An overdamped body follows its forces: at the end of a stride it is moved by what the stride would have moved it, and
// elements that strain too fast wake. (Moved at the beginning of strides it would lag behind its forces by a stride:
// the wheel had a quarter more elastic elements and four times the error.)
ThawStatus thaw_oracle_answer_creep(ThawOracle *oracle, const ThawQuestion *q, ThawPartition *partition, int forming,
                                    int steps, double *x, unsigned char *flagged, ThawAnswer *answer,
                                    ThawError *error) {
    ThawOracleState *state = &oracle->state;
    const int since = steps;
    int stride = stride_of(oracle, q, partition);
    steps = steps < stride ? steps : stride;
    // A blow acts in the step that comes: the steps before are made up for without it, by the shadow's speed for as
    // long as that lasts.
    int past = q->struck ? (int)fmin(steps - 1, REACH / (thaw_oracle_pace(oracle) * q->h)) : 0;
    if (q->struck)
        steps = stride = 1;
    double limit = thaw_oracle_waking_rate(oracle) * q->h, fastest = 0;
    ThawStatus status = THAW_OK;
    if (forming) { // what the candidates would do as parts
        status = thaw_oracle_follow(oracle, q, oracle->Q, stride, error);
        if (status == THAW_OK) {
            fastest = fmax(thaw_oracle_largest(oracle) / limit,
                           thaw_oracle_candidate_rate(oracle, partition) / thaw_oracle_waking_rate(oracle));
            thaw_oracle_judge(oracle, q, partition, limit, oracle->options.epsilon / limit, flagged, answer);
        }
        // But up to now candidates have moved by themselves: forces on them do not move the shadow.
        if (status == THAW_OK)
            status = thaw_oracle_constraint(oracle, q, partition, 0, error);
    }
    if (status == THAW_OK)
        status = thaw_oracle_catch_up(oracle, q, oracle->Q, steps, stride, error);
    if (status != THAW_OK)
        return status;
    limit *= steps;
    if (!forming)
        thaw_oracle_judge(oracle, q, partition, limit, oracle->options.epsilon / limit, flagged, answer);
    double now = thaw_oracle_largest(oracle), share = fmin(1, limit / now), crept = past * q->h;
    for (size_t i = 0; crept > 0 && i < (size_t)oracle->shape->nv * (size_t)oracle->shape->dim; i++)
        oracle->d[i] = share * oracle->d[i] + crept * oracle->before[i];
    // What was foreseen strains elements that wake in the step that comes; what they and the others lag behind by now,
    // forces make up for.
    if (answer->woken > 0)
        thaw_oracle_turn(oracle->shape, oracle->Q, 1, oracle->before, state->shadow);
    else if (partition->part_count > 0 && oracle->options.relax > 0) {
        answer->moved = thaw_oracle_move(oracle, q, partition, crept > 0 ? 1 : share, x);
        renew_stress(oracle, partition, since);
        disregard(oracle, partition, x);
    }
    state->moving = pace_mode(oracle, q, fmax(fastest, now / limit));
    state->left = stride_of(oracle, q, partition) - 1;
    state->margin = oracle->options.epsilon;
    state->restless = 1;
    return THAW_OK;
}

// The acceleration of the shadow in the stride that comes, and which elements wake for it or may not become rigid.
// Returns the fastest rate of strain as a share of the rate that wakes.
static double foresee_motion(ThawOracle *oracle, const ThawQuestion *q, const ThawPartition *partition, int forming,
                             int stride, unsigned char *flagged, ThawAnswer *answer, ThawStatus *status,
                             ThawError *error) {
    double limit = thaw_oracle_waking_rate(oracle) * q->h, fastest = 0;
    *status = thaw_oracle_follow(oracle, q, oracle->Q, stride, error);
    if (*status != THAW_OK)
        return 0;
    thaw_oracle_judge(oracle, q, partition, limit, oracle->options.epsilon / limit, flagged, answer);
    fastest = thaw_oracle_largest(oracle) / limit;
    if (!forming)
        return fastest;
    // That was about candidates as parts. But up to now they have moved by themselves: forces on them do not move the
    // shadow.
    fastest = fmax(fastest, thaw_oracle_candidate_rate(oracle, partition) / thaw_oracle_waking_rate(oracle));
    *status = thaw_oracle_constraint(oracle, q, partition, 0, error);
    if (*status == THAW_OK)
        *status = thaw_oracle_follow(oracle, q, oracle->Q, stride, error);
    return fmax(fastest, thaw_oracle_largest(oracle) / limit);
}

// Elements that would strain faster than the threshold in the next step, or stride, wake; else the body follows its
// shadow.
ThawStatus thaw_oracle_answer_motion(ThawOracle *oracle, const ThawQuestion *q, ThawPartition *partition, int forming,
                                     int steps, double *x, unsigned char *flagged, ThawAnswer *answer,
                                     ThawError *error) {
    ThawOracleState *state = &oracle->state;
    int stride = q->struck ? 1 : stride_of(oracle, q, partition),
        moves = partition->part_count > 0 && oracle->options.relax > 0;
    ThawStatus status;
    double fastest = foresee_motion(oracle, q, partition, forming, stride, flagged, answer, &status, error);
    if (status != THAW_OK)
        return status;
    if (q->struck && answer->woken > 0) {
        status = without_blow(oracle, q, partition, answer, error);
        if (status == THAW_OK)
            status = thaw_oracle_follow(oracle, q, oracle->Q, stride, error);
        if (status != THAW_OK)
            return status;
    }
    thaw_oracle_glide(oracle, oracle->Q, q->h);
    answer->followed = 1;
    if (moves) {
        answer->moved = thaw_oracle_move(oracle, q, partition, 1, x);
        renew_stress(oracle, partition, steps);
    }
    state->moving = pace_mode(oracle, q, fastest);
    // New parts have another acceleration: they are asked about in the next step.
    state->left = moves && !forming && answer->woken == 0 && state->moving < THAW_MOVING ? stride - 1 : 0;
    state->margin = oracle->options.epsilon;
    state->restless = 1;
    return THAW_OK;
}
