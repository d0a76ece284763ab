// SPDX-License-Identifier: Apache-2.0
// Adaptive rigidification in the step (solids paper, algorithm 1): contact forces of the last step and the loads go to
// the oracle, its verdict to the partition, and when that has changed the body gets a new map, integration set and
// system; otherwise the ones it has are kept and only take over how the parts have turned.
#include "method/rigidify/rigidify.h"

#include <math.h>
#include <string.h>

#include "map/rigid/rigid.h"
#include "method/rigidify/passive.h"
#include "step/keep.h"

// --- life ------------------------------------------------------------------------------------------------------------

// Stiffer by far than any vertex of the body, N/m: contacts that are stiffer are hard.
static double hard_stiffness(const ThawShape *shape) {
    double modulus = 0;
    for (int32_t e = 0; e < shape->ne; e++)
        modulus = fmax(modulus, thaw_element_modulus(shape, shape->cells, e));
    return 10 * modulus * shape->gauge;
}

static ThawStatus create_record(ThawWorld *world, ThawStepper *s, ThawError *error) {
    if (!s->record && !(s->record = THAW_NEW(ThawRigidifyRecord, 1)))
        return thaw_error_memory(error, "the history of a body");
    ThawRigidifyRecord *record = s->record;
    return record->history ? THAW_OK
                           : thaw_history_create(s->shape->ne, &world->state.step, &s->events, &record->history, error);
}

static void forget_rigidify(ThawStepper *s) {
    thaw_history_free(&thaw_rigidify_record(s)->history);
    thaw_free(s->record);
    s->record = NULL;
}

static ThawRigidifyOptions options_of(const ThawWorld *world, const ThawStepper *s) {
    const ThawScale scale = thaw_rigidify_scale(s);
    return thaw_scale_options(&scale, thaw_rigidify_options(world, s->index), s->model->options.h);
}

static ThawStatus create_rigidify(ThawWorld *world, ThawStepper *s, ThawError *error) {
    const ThawShape *shape = s->shape;
    ThawStatus status = create_record(world, s, error);
    if (status == THAW_OK)
        status = thaw_rigidify_find_scale(world, s, error);
    if (status != THAW_OK)
        return status;
    ThawRigidifyData *a = THAW_NEW(ThawRigidifyData, 1);
    if (!a)
        return thaw_error_memory(error, "an adaptive body");
    s->data = a;
    s->changed = 0;
    a->pressed = s->loads_changed = 1; // since nothing is known of them yet
    a->hard = hard_stiffness(shape);
    a->grain = shape->diameter / pow(shape->ne, 1. / shape->cells->kind->dim);
    a->flagged = THAW_NEW(unsigned char, shape->ne);
    a->script = THAW_NEW(unsigned char, shape->nv);
    a->f_contact = THAW_NEW(double, (size_t)shape->nv *(size_t)s->model->dim);
    a->f_past = THAW_NEW(double, (size_t)shape->nv *(size_t)s->model->dim);
    a->k_contact = THAW_NEW(double, (size_t)shape->nv *(size_t)(s->model->dim * s->model->dim));
    if (!a->flagged || !a->script || !a->f_contact || !a->f_past || !a->k_contact)
        return thaw_error_memory(error, "an adaptive body");
    const ThawScale scale = thaw_rigidify_scale(s);
    a->options = options_of(world, s);
    status = thaw_oracle_create(shape, &a->options, &scale, s->tasks, &a->oracle, error);
    if (status == THAW_OK)
        status = thaw_partition_create(shape, a->options.smallest, &a->partition, error);
    if (status == THAW_OK) {
        thaw_oracle_forget(a->oracle, s->x);
        thaw_ledger_find_elastic(s);
    }
    return status;
}

static void free_rigidify(ThawStepper *s) {
    ThawRigidifyData *a = thaw_rigidify(s);
    thaw_system_free(&a->system);
    thaw_integration_free(&a->set);
    thaw_partition_free(&a->partition);
    thaw_oracle_free(&a->oracle);
    thaw_free(a->flagged);
    thaw_free(a->script);
    thaw_free(a->f_contact);
    thaw_free(a->f_past);
    thaw_free(a->k_contact);
    thaw_scratch_free(&a->search);
    thaw_free(a);
    s->data = NULL;
}

static void abandon_rigidify(ThawStepper *s, ThawLedger *ledger) {
    ThawRigidifyData *a = thaw_rigidify(s);
    double kept = thaw_oracle_state(a->oracle)->energy;
    memset(a->flagged, 0, (size_t)s->shape->ne);
    double *shadow = thaw_oracle_release(a->oracle, s->x);
    thaw_oracle_restart(a->oracle);
    thaw_history_abandon(thaw_rigidify_record(s)->history);
    thaw_partition_update(a->partition, a->flagged, a->script, shadow, s->x, s->v, &a->transition, NULL);
    s->changed = a->transition.changed;
    thaw_stepper_drop_solvers(s);
    thaw_system_free(&a->system);
    s->system = NULL;
    const size_t bytes = sizeof *s->x * (size_t)s->shape->nv * (size_t)s->model->dim;
    s->hash = thaw_hash(thaw_hash(0, s->x, bytes), s->v, bytes); // velocities of parts were chords
    const double elastic = s->elastic;
    thaw_ledger_find_elastic(s);
    if (ledger)
        ledger->follow_work += s->elastic - elastic - kept - a->transition.shadow;
}

void thaw_rigidify_configure(const ThawWorld *world, ThawStepper *s) {
    ThawRigidifyData *a = thaw_rigidify(s);
    a->options = options_of(world, s);
    if (a->partition->min_elements != a->options.smallest) // its parts were formed by another one
        abandon_rigidify(s, NULL);
    a->partition->min_elements = a->options.smallest;
    const ThawScale scale = thaw_rigidify_scale(s);
    thaw_oracle_set_options(a->oracle, &a->options, &scale, s->x);
}

void thaw_rigidify_reconfigure(const ThawWorld *world, ThawStepper *s) {
    ThawRigidifyData *a = thaw_rigidify(s);
    const ThawScale scale = thaw_rigidify_scale(s);
    a->options = options_of(world, s);
    thaw_oracle_resume_options(a->oracle, &a->options, &scale);
}

// The paper's rule has no shadow: motion inside parts stops.
static void configure_rigidify(const ThawWorld *world, ThawStepper *s, ThawLedger *ledger) {
    ThawRigidifyData *a = thaw_rigidify(s);
    if (thaw_rigidify_options(world, s->index)->oracle == THAW_ORACLE_PAPER) {
        if (ledger)
            ledger->transition_loss += thaw_oracle_state(a->oracle)->energy;
        thaw_oracle_release(a->oracle, s->x);
    }
    thaw_rigidify_configure(world, s);
}

static ThawStatus resume_rigidify(ThawWorld *world, ThawStepper *s, ThawError *error) {
    ThawStatus status = create_record(world, s, error);
    if (status == THAW_OK)
        status = thaw_rigidify_find_scale(world, s, error);
    if (status == THAW_OK && s->data)
        thaw_rigidify_configure(world, s);
    return status;
}

// Every element has to show anew that it may become rigid; what it did before stays known.
static void follow_rigidify(ThawStepper *s, const ThawStepper *old, const int32_t *element) {
    ThawOracleState *to = thaw_oracle_state(thaw_rigidify(s)->oracle);
    const ThawOracleState *from = thaw_oracle_state(thaw_rigidify(old)->oracle);
    ThawHistory *history = thaw_rigidify_record(s)->history;
    const ThawHistory *before = thaw_rigidify_record(old)->history;
    history->last = before->last;
    for (int32_t i = 0; i < s->shape->ne; i++) {
        const int32_t e = element[i];
        if (e < 0)
            continue;
        to->rate[i] = from->rate[e];
        to->predicted[i] = from->predicted[e];
        to->reason[i] = from->reason[e];
        history->woken_by[i] = before->woken_by[e];
        history->since[i] = before->since[e];
    }
}

static void reset_rigidify(ThawStepper *s) { thaw_oracle_forget(thaw_rigidify(s)->oracle, s->x); }

// Pinned, or moved by a script, from t to t + h.
static void mark_script(ThawStepper *s, double t, double h) {
    memset(thaw_rigidify(s)->script, THAW_VERTEX_FREE, (size_t)s->shape->nv);
    for (int32_t k = 0; k < s->body->script_count; k++) {
        const ThawScript *script = &s->body->scripts[k];
        const ThawKey *keys;
        const int32_t count = thaw_script_keys(script, &keys);
        int moves = count > 1 && t + h > keys[0].time && t < keys[count - 1].time;
        for (int32_t i = 0; i < script->group->count && s->middle < script->release; i++)
            thaw_rigidify(s)->script[script->group->vertices[i]] = moves ? THAW_VERTEX_MOVED : THAW_VERTEX_PINNED;
    }
}

// Wholly rigid, at rest.
static ThawStatus wake_rigidify(ThawWorld *world, ThawStepper *s, int loaded, ThawError *error) {
    const ThawState *state = &world->state;
    double h = s->model->options.h;
    ThawStatus status = create_rigidify(world, s, error);
    if (status != THAW_OK)
        return status;
    ThawRigidifyData *a = thaw_rigidify(s);
    s->bound = 1;
    s->middle = state->time + h / 2;
    mark_script(s, state->time, h);
    memset(a->flagged, 1, (size_t)s->shape->ne);
    thaw_oracle_rested(a->oracle, loaded);
    status = thaw_partition_update(a->partition, a->flagged, a->script, NULL, s->x, s->v, &a->transition, error);
    s->changed = a->transition.changed;
    return status;
}

static ThawStatus rest_rigidify(ThawWorld *world, ThawStepper *s, const ThawStepper *leader, ThawError *error) {
    ThawStatus status = create_record(world, s, error);
    if (status != THAW_OK)
        return status;
    if (leader)
        thaw_rigidify_record(s)->scale = thaw_rigidify_record(leader)->scale;
    thaw_history_rest(thaw_rigidify_record(s)->history);
    return THAW_OK;
}

// --- a step ----------------------------------------------------------------------------------------------------------

// Thresholds follow from the body's scale, which is another one once a pin has let go.
static ThawStatus fit_rigidify(ThawWorld *world, ThawStepper *s, ThawError *error) {
    int released = 0;
    ThawStatus status = thaw_rigidify_fit_scale(world, s, &released, error);
    if (status == THAW_OK && released && world->kept)
        status = thaw_keep_state(&(ThawKeeping){world->kept, s});
    if (status == THAW_OK && released)
        thaw_rigidify_configure(world, s);
    return status;
}

// The map, integration set and system of a partition that has changed.
static ThawStatus renew_system(ThawStepper *s, ThawError *error) {
    ThawRigidifyData *a = thaw_rigidify(s);
    ThawPartition *partition = a->partition;
    thaw_stepper_drop_solvers(s);
    thaw_system_free(&a->system);
    thaw_integration_free(&a->set);
    s->system = NULL;
    ThawMap *map = NULL;
    ThawStatus status = THAW_OK;
    if (partition->part_count > 0)
        status = thaw_integration_create(s->shape, partition->elastic, partition->packed_count, &a->set, error);
    if (status == THAW_OK)
        status =
            thaw_map_rigid_create(s->shape, partition->script, partition, a->set ? a->set : s->shape->all, &map, error);
    // Without parts the unknowns are those of the full body, whose order and plan take longer to make than all the
    // rest.
    if (status == THAW_OK)
        status = partition->part_count == 0 && map->n == a->full->map->n &&
                         thaw_system_serves(a->full, s->shape, s->scripted)
                     ? thaw_system_wrap_like(&map, a->full, &a->system, error)
                     : thaw_system_wrap(&map, s->scripted, s->model->options.solver, &a->system, error);
    if (status != THAW_OK) {
        thaw_map_free(&map);
        return status;
    }
    s->system = a->system;
    return thaw_stepper_fit(s, error);
}

static ThawStatus prepare_rigidify(ThawWorld *world, ThawStepper *s, ThawError *error) {
    ThawRigidifyData *a = thaw_rigidify(s);
    ThawStatus status = THAW_OK;
    if (!a->full || !s->system)
        status = thaw_world_full_system(world, s, &a->full, error);
    return status == THAW_OK ? thaw_system_plan_direct(a->full, error) : status;
}

// Parts for the answer, and the system that fits them.
static ThawStatus follow_answer(const ThawWorld *world, ThawStepper *s, ThawError *error) {
    ThawRigidifyData *a = thaw_rigidify(s);
    ThawStatus status = THAW_OK;
    if (world->kept && (memcmp(a->flagged, a->partition->flagged, (size_t)s->shape->ne) != 0 ||
                        memcmp(a->script, a->partition->script, (size_t)s->shape->nv) != 0))
        status = thaw_keep_state(&(ThawKeeping){world->kept, s}); // pins may change parts without a question
    if (status == THAW_OK)
        status = thaw_partition_update(a->partition, a->flagged, a->script, a->answer.shadow, s->x, s->v,
                                       &a->transition, error);
    s->changed = a->transition.changed;
    if (status == THAW_OK)
        thaw_history_record(thaw_rigidify_record(s)->history, thaw_oracle_state(a->oracle), a->partition,
                            a->transition.changed);
    if (status == THAW_OK && (a->transition.changed || (a->answer.shadow && a->partition->part_count == 0)))
        thaw_oracle_repartitioned(a->oracle, &a->answer, a->partition);
    if (status == THAW_OK && (a->transition.changed || s->system != a->system || !a->system))
        status = renew_system(s, error);
    else if (status == THAW_OK && a->answer.moved > 0)
        status = a->system->map->ops->update(a->system->map, NULL, NULL);
    return status;
}

// Of what a body has: so much more energy than can be taken off again passes for none.
static const double SMALL_GAIN = 1e-6;

// Whether an answer that moves the body puts more energy into it than can be taken off it again: stiff elements beside
// parts and the parts, which are moved one after the other, may drive each other, and parts that spin go along chords.
// work, elastic: before that motion.
static int is_astray(const ThawStepper *s, const ThawLedger *work, double elastic) {
    const double gain = s->work.follow_work - work->follow_work;
    ThawLedger has = {0};
    if (gain <= SMALL_GAIN * fabs(elastic) + s->energy_rounding) // mostly: no sum over vertices is needed
        return 0;
    thaw_ledger_add_energies(s, 0, &has);
    return gain >
           thaw_passive_reserve(s) + SMALL_GAIN * (has.kinetic + has.shadow + fabs(elastic)) + s->energy_rounding;
}

// Goes back to before that motion, with everything elastic.
static ThawStatus go_back(const ThawWorld *world, ThawStepper *s, double h, const ThawLedger *work, double elastic) {
    ThawRigidifyData *a = thaw_rigidify(s);
    ThawOracleState *state = thaw_oracle_state(a->oracle);
    ThawStatus status = world->kept ? thaw_keep_state(&(ThawKeeping){world->kept, s}) : THAW_OK;
    if (status != THAW_OK)
        return status;
    memcpy(s->x, s->x1, sizeof *s->x * (size_t)s->shape->nv * (size_t)s->model->dim);
    for (size_t i = 0; i < (size_t)s->shape->nv * (size_t)s->model->dim && a->answer.followed; i++)
        state->shadow[i] -= h * state->shadow_accel[i]; // as the shadow went on
    thaw_partition_reshape(a->partition, s->x);
    s->work = *work;
    s->elastic = elastic;
    a->answer = (ThawAnswer){0};
    s->bound = 1;
    s->moved = 0;
    const uint64_t hash = s->hash; // that of the end of the last step, to which a step that is cancelled goes back
    abandon_rigidify(s, &s->work);
    s->hash = hash;
    s->set_energy = NAN;
    s->inverted = s->set_inverted = -1;
    return THAW_OK;
}

// The answer to a question; energies of what it moves are booked.
static ThawStatus ask(const ThawWorld *world, ThawStepper *s, const ThawQuestion *question, ThawError *error) {
    ThawRigidifyData *a = thaw_rigidify(s);
    const ThawLedger work = s->work;
    const double elastic = s->elastic;
    thaw_rigidify_begin_move(s);
    ThawStatus status = thaw_oracle_ask(a->oracle, question, a->partition, s->x, a->flagged, &a->answer, error);
    s->moved = a->answer.moved > 0;
    if (s->moved)
        thaw_rigidify_end_move(world, s, question->h);
    else
        s->work = work; // nothing was moved
    if (status == THAW_OK && (s->moved || a->answer.followed) && is_astray(s, &work, elastic))
        status = go_back(world, s, question->h, &work, elastic);
    return status;
}

static ThawStatus decide_rigidify(const ThawWorld *world, ThawStepper *s, ThawIncrement step, ThawError *error) {
    ThawRigidifyData *a = thaw_rigidify(s);
    const int was_bound = thaw_passive_is_bound(s);
    double since = thaw_wall_ms(), booking = s->ms[THAW_STAGE_LEDGER];
    mark_script(s, step.t, step.h);
    thaw_loads_evaluate(s, step);
    ThawStatus status = THAW_OK;
    if (a->partition->elastic_count > 0 && a->partition->part_count > 0 && !a->set) // after loading
        status = thaw_integration_create(s->shape, a->partition->elastic, a->partition->packed_count, &a->set, error);
    if (status == THAW_OK)
        status = thaw_rigidify_fit_burden(world, s, error);
    if (status != THAW_OK)
        return status;
    int was_pressed = a->pressed;
    ThawQuestion question = {.x = s->x,
                             .v = s->v,
                             .f_ext = s->f_ext,
                             .f_contact = a->f_contact,
                             .f_past = a->f_past,
                             .k_contact = a->k_contact,
                             .script = a->script,
                             .elastic = a->partition->part_count > 0 ? a->set : s->shape->all,
                             .gravity = s->model->options.gravity,
                             .system = a->full,
                             .h = step.h};
    ThawHistory *history = thaw_rigidify_record(s)->history;
    const ThawBearer bearer = {world, s};
    if (world->islands[s->island].count > 1) {
        question.bear = thaw_rigidify_bear;
        question.bearer = &bearer;
    }
    ThawKeeping keeping = {world->kept, s};
    if (world->kept) {
        question.keep = thaw_keep_state;
        question.context = &keeping;
    }
    thaw_rigidify_gather(world, s, step, &question);
    question.same_loads = !s->loads_changed;
    question.same_presses = !was_pressed && !a->pressed;
    s->loads_changed = 0;
    thaw_history_ask(history, s->shape, &question);
    status = ask(world, s, &question, error);
    if (status == THAW_OK)
        status = follow_answer(world, s, error);
    if (!was_bound && thaw_ledger_is_needed(s)) // none was kept until now; it had no parts that could be moved
        thaw_ledger_find_elastic(s);
    if (a->answer.moved > 0) {
        s->set_energy = NAN;
        s->inverted = s->set_inverted = -1;
    }
    if (status == THAW_OK && a->answer.followed)
        s->work.follow_work += thaw_oracle_hand_over(a->oracle, a->partition, s->v);
    if (status == THAW_OK)
        thaw_rigidify_book_shadow(s);
    s->ms[THAW_STAGE_ORACLE] += thaw_wall_ms() - since - (s->ms[THAW_STAGE_LEDGER] - booking);
    return status;
}

static void commit_rigidify(ThawStepper *s, ThawIncrement step) {
    ThawRigidifyData *a = thaw_rigidify(s);
    double since = thaw_wall_ms();
    thaw_oracle_observe(a->oracle, a->partition, s->x1, step.h);
    s->ms[THAW_STAGE_ORACLE] += thaw_wall_ms() - since;
}

static void shift_rigidify(ThawStepper *s, const double way[3]) {
    ThawPartition *partition = thaw_rigidify(s)->partition;
    for (int32_t p = 0; p < partition->part_count; p++)
        for (int k = 0; k < 3; k++)
            partition->parts[p].p[k] += way[k];
}

// --- what is told of it ----------------------------------------------------------------------------------------------

static int sleep_steps_rigidify(const void *options) { return ((const ThawRigidifyOptions *)options)->sleep; }

static int32_t part_count_rigidify(const ThawStepper *s) { return thaw_rigidify(s)->partition->part_count; }

static void velocities_rigidify(const ThawStepper *s, double *v) {
    thaw_partition_velocities(thaw_rigidify(s)->partition, v);
}

static void push_rigidify(ThawStepper *s, const double at[3], const double v[3], const double omega[3]) {
    thaw_partition_push(thaw_rigidify(s)->partition, at, v, omega);
}

static int motion_rigidify(const ThawStepper *s, ThawMotion *motion) {
    const ThawPartition *parts = thaw_rigidify(s)->partition;
    if (parts->part_count != 1 || parts->elastic_count > 0)
        return 0;
    memcpy(motion->at, parts->parts[0].p, sizeof motion->at);
    thaw_part_velocity(&parts->parts[0], s->model->dim, motion->v, motion->omega);
    return 1;
}

const ThawMethodOps thaw_rigidify_ops = {
    .create = create_rigidify,
    .free = free_rigidify,
    .forget = forget_rigidify,
    .rest = rest_rigidify,
    .wake = wake_rigidify,
    .settle = thaw_rigidify_settle,
    .foresee = thaw_rigidify_foresee,
    .doubt = thaw_rigidify_doubt,
    .configure = configure_rigidify,
    .resume = resume_rigidify,
    .follow = follow_rigidify,
    .reset = reset_rigidify,
    .fit = fit_rigidify,
    .prepare = prepare_rigidify,
    .decide = decide_rigidify,
    .strike = thaw_rigidify_strike,
    .is_bound = thaw_passive_is_bound,
    .commit = commit_rigidify,
    .reserve = thaw_passive_reserve,
    .give = thaw_passive_give,
    .finish = thaw_passive_settle,
    .abandon = abandon_rigidify,
    .shift = shift_rigidify,
    .sleep_steps = sleep_steps_rigidify,
    .hindrance = thaw_rigidify_hindrance,
    .watch = thaw_rigidify_watch,
    .drift = thaw_rigidify_drift,
    .part_count = part_count_rigidify,
    .motion = motion_rigidify,
    .velocities = velocities_rigidify,
    .push = push_rigidify,
    .add_energies = thaw_rigidify_add_energies,
    .explain = thaw_rigidify_explain,
    .list = thaw_rigidify_list,
    .expect = thaw_rigidify_expect,
    .take = thaw_rigidify_take,
    .validate = thaw_rigidify_validate,
    .needs_ledger = 1,
};
