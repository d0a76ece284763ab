// SPDX-License-Identifier: Apache-2.0
// A step of the world:
//
//     scripts -> contacts -> islands (islands.c) -> each island: linearise, solve, respond, iterate (island.c)
//             -> contacts that were missed (missed.c): again -> advance, remember
//
// Small islands and bodies are tasks of one loop, large ones take turns and use all threads inside; which is which
// depends on the model and state only. An island that fails, or makes energy which cannot be taken off (balance.c), is
// taken back and makes the step in halves, with contacts found anew; if that fails too, down to h / 2^halvings, the
// world is as before. A step that is too long for a blow, or for facets that a body rolls over, is made in parts
// (blow.c, facet.c).
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "math/vec3.h"
#include "step/attach.h"
#include "step/change.h"
#include "step/keep.h"
#include "step/method.h"

enum { MISSED_TURNS = 16 }; // solves of a step, at most, for contacts that come to light one after the other

static size_t bytes_of(const ThawStepper *s) { return sizeof(double) * (size_t)s->shape->nv * (size_t)s->model->dim; }

// --- loops over bodies -----------------------------------------------------------------------------------------------

typedef struct BodyLoop {
    ThawWorld *world;
    void (*fn)(ThawWorld *world, ThawStepper *s, void *context);
    void *context;
    int large; // run the large bodies, or the small ones
} BodyLoop;

static void run_body(void *context, int32_t i) {
    const BodyLoop *loop = context;
    ThawStepper *s = &loop->world->steppers[loop->world->awake[i]];
    if ((s->shape->ne >= THAW_LARGE_BODY) == loop->large)
        loop->fn(loop->world, s, loop->context);
}

// fn for every body awake, which writes to what is the body's own: small bodies at the same time, large ones one after
// the other with all threads inside.
static void for_awake(ThawWorld *world, void (*fn)(ThawWorld *world, ThawStepper *s, void *context), void *context) {
    BodyLoop loop = {world, fn, context, 0};
    thaw_tasks_for(world->awake_count > 1 ? world->tasks : NULL, world->awake_count, run_body, &loop);
    loop.large = 1;
    for (int32_t i = 0; i < world->awake_count; i++)
        run_body(&loop, i);
}

// --- the step --------------------------------------------------------------------------------------------------------

// The scripts that act in this step, and systems that fit them.
static ThawStatus mark_bodies(ThawWorld *world, ThawError *error) {
    ThawStatus status = THAW_OK;
    for (int32_t i = 0; i < world->awake_count && status == THAW_OK; i++) {
        ThawStepper *s = &world->steppers[world->awake[i]];
        if (thaw_loads_mark_scripted(s, world->middle))
            status = thaw_world_bind_system(world, s, error);
        if (status == THAW_OK)
            status = thaw_method_fit(world, s, error);
    }
    return status;
}

// Frames of the map move on. Vertices that they carry report the chords of their paths; the frames keep their momenta.
static void commit_frames(ThawStepper *s, double h) {
    ThawMap *map = s->system->map;
    const size_t dim = (size_t)s->model->dim;
    for (int32_t i = 0; map->frame_count > 0 && i < s->shape->nv; i++)
        for (size_t k = 0, at = (size_t)i * dim; k < dim && map->frame_of[i] >= 0; k++, at++)
            s->v1[at] = (s->x1[at] - s->x[at]) / h;
    if (map->frame_count > 0 && map->n > 0)
        map->ops->commit(map, h, s->q);
}

static void commit_body(ThawWorld *world, ThawStepper *s, void *context) {
    ThawIncrement step = *(const ThawIncrement *)context;
    step.newton |= s->iterated;
    if (s->moving.acts)
        thaw_moving_commit(s, step);
    else {
        if (world->scheme->follows && !thaw_ledger_is_needed(s))
            thaw_gain_note(s);
        if (thaw_ledger_is_kept(s))
            thaw_ledger_record(s, step);
        commit_frames(s, step.h);
    }
    thaw_method_commit(s, step);
    if (s->moving.acts)
        memcpy(s->moving.last, s->x, bytes_of(s));
    memcpy(s->x, s->x1, bytes_of(s));
    memcpy(s->v, s->v1, bytes_of(s));
    thaw_method_finish(s);
    s->set_energy = s->next_set_energy;
    s->set_inverted = s->next_set_inverted;
}

// Decisions of all bodies, and what the first of them that failed has said.
typedef struct Decisions {
    ThawIncrement step;
    atomic_flag lock;
    int32_t failed; // its index, -1: none
    ThawError error;
} Decisions;

static void note_failure(Decisions *all, const ThawStepper *s, const ThawError *error) {
    while (atomic_flag_test_and_set(&all->lock)) {
    }
    if (all->failed < 0 || s->index < all->failed) {
        all->failed = s->index;
        all->error = *error;
    }
    atomic_flag_clear(&all->lock);
}

static void decide_body(ThawWorld *world, ThawStepper *s, void *context) {
    Decisions *all = context;
    if (!s->data || !thaw_method_decides(s) || s->answered)
        return;
    ThawError error;
    error.message[0] = 0; // only that: it is long
    s->status = thaw_tasks_stopped(s->tasks) ? THAW_CANCELLED : thaw_method_decide(world, s, all->step, &error);
    if (s->status != THAW_OK)
        note_failure(all, s, &error);
}

// What bodies are solved with in this step; each decides once, since decisions may move it.
static ThawStatus decide_bodies(ThawWorld *world, ThawIncrement step, ThawError *error) {
    ThawStatus status = THAW_OK;
    int asks = 0; // a body that decides asks for the motions of what it touches
    for (int32_t i = 0; i < world->awake_count && world->state.contacts.count > 0; i++)
        asks |= thaw_method_decides(&world->steppers[world->awake[i]]);
    for (int32_t i = 0; i < world->awake_count && status == THAW_OK; i++) {
        ThawStepper *s = &world->steppers[world->awake[i]];
        s->status = THAW_OK;
        if (asks)
            thaw_motion_note(s);
        status = thaw_method_prepare(world, s, error);
    }
    if (status != THAW_OK)
        return status;
    Decisions all;
    all.step = step;
    atomic_flag_clear(&all.lock);
    all.failed = -1;
    all.error.message[0] = 0;
    for_awake(world, decide_body, &all);
    for (int32_t i = 0; i < world->awake_count && status == THAW_OK; i++) {
        ThawStepper *s = &world->steppers[world->awake[i]];
        status = s->status;
        s->answered = status == THAW_OK;
        if (status != THAW_OK && status != THAW_CANCELLED)
            thaw_error_set(error, status, "body %d (%s): the method %s failed: %s", (int)s->index, s->body->name,
                           s->method->name, all.error.message[0] ? all.error.message : thaw_status_name(status));
    }
    return status;
}

static int stands(const ThawWorld *world, int32_t body) {
    return world->islands[thaw_world_mover(world, body)->island].stands;
}

// Impulses of contacts between those of a stage and those of the interval.
static void scale_impulses(ThawWorld *world, double share) {
    const ThawContactSet *set = &world->state.contacts;
    for (int32_t i = 0; i < set->count + set->attached; i++)
        for (int k = 0; k < 3 && !stands(world, set->contacts[i].key.body[0]); k++) {
            set->contacts[i].lambda[k] *= share;
            set->contacts[i].trend[k] *= share;
        }
}

static void sum_impulses(ThawWorld *world, const ThawSchemeStage *stage) {
    const ThawContactSet *set = &world->state.contacts;
    for (int32_t i = 0; i < set->count + set->attached; i++)
        for (int k = 0; k < 3 && !stands(world, set->contacts[i].key.body[0]); k++) {
            ThawContact *row = &set->contacts[i];
            row->total[k] = (stage->before > 0 ? row->total[k] : 0) + stage->weight * row->lambda[k];
        }
}

// What the loops of solve_stages have in common.
typedef struct Stages {
    ThawIncrement step; // of the interval
    const ThawScheme *scheme;
    const ThawSchemeStage *stage;
} Stages;

static void begin_stage(ThawWorld *world, ThawStepper *s, void *context) {
    const Stages *stages = context;
    const ThawIncrement *step = &stages->step;
    s->status = THAW_OK;
    if (stands(world, s->index))
        return;
    if (stages->stage == stages->scheme->stages)
        thaw_moving_find(s, *step, stages->scheme);
    if (stages->scheme->stage_count > 1 || step->newton || s->linearised_h != stages->stage->implicit * step->h)
        s->linearised = NULL;
    s->status = thaw_moving_begin_stage(s, *step, stages->stage);
}

static void end_stage(ThawWorld *world, ThawStepper *s, void *context) {
    (void)context;
    if (!stands(world, s->index))
        thaw_moving_end_stage(s);
}

// The stages of the integrator, one after the other, in the bodies' moving frames.
static ThawStatus solve_stages(ThawWorld *world, ThawIncrement step, const ThawScheme *scheme, ThawError *error) {
    const ThawContactSet *set = &world->state.contacts;
    Stages stages = {step, scheme, NULL};
    ThawStatus status = THAW_OK;
    double length = 1; // of what impulses count for, over h
    for (int k = 0; k < scheme->stage_count && status == THAW_OK; k++) {
        const ThawSchemeStage *stage = &scheme->stages[k];
        ThawIncrement part = step;
        part.h = stage->implicit * step.h;
        part.span = stage->span;
        part.stage = stages.stage = stage;
        status = world->collider ? thaw_step_find_points(world, step, stage->at, error) : THAW_OK;
        for_awake(world, begin_stage, &stages);
        for (int32_t i = 0; i < world->awake_count && status == THAW_OK; i++)
            status = world->steppers[world->awake[i]].status;
        if (status != THAW_OK)
            return status;
        scale_impulses(world, stage->implicit * stage->span / length);
        length = stage->implicit * stage->span;
        thaw_islands_solve(world, part);
        for (int32_t i = 0; i < world->island_count && status == THAW_OK; i++)
            status = world->islands[i].status;
        if (status == THAW_OK) {
            thaw_moving_roll(world);
            for_awake(world, end_stage, NULL);
        }
        sum_impulses(world, stage);
    }
    for (int32_t i = 0; i < set->count + set->attached && status == THAW_OK; i++)
        if (!stands(world, set->contacts[i].key.body[0]))
            memcpy(set->contacts[i].lambda, set->contacts[i].total, sizeof set->contacts[i].lambda);
    return status;
}

// As the scheme is. Where that fails, or makes energy out of nothing, its fallback is tried, which damps more. And a
// step that is too coarse for one linearisation is iterated. If momenta are off even then, by what contacts and damping
// do between the start of the step and its end, they stay as they were solved for.
static ThawStatus solve_frames(ThawWorld *world, ThawIncrement step, const ThawScheme *scheme, ThawError *error) {
    for (int32_t i = 0; i < world->awake_count && scheme->stage_count > 1; i++)
        if (!thaw_moving_has_stages(&world->steppers[world->awake[i]]))
            scheme = thaw_scheme_fallback(scheme);
    const ThawScheme *fallback = thaw_scheme_fallback(scheme);
    ThawStatus status = solve_stages(world, step, scheme, error);
    const int anew = fallback && status == THAW_OK && (thaw_find_gains(world) | thaw_find_hops(world, step.h));
    if (anew || (fallback && status > THAW_OK))
        status = solve_stages(world, step, fallback, error);
    if (status != THAW_OK || !thaw_find_kicked(world, step) || step.newton)
        return status;
    step.newton = 1;
    for (int32_t k = 0; k < world->island_count && status == THAW_OK; k++)
        for (int32_t b = 0; b < world->islands[k].count && status == THAW_OK && !world->islands[k].stands; b++)
            status = thaw_stepper_reserve_newton(world->islands[k].bodies[b], error);
    if (status == THAW_OK)
        status = solve_stages(world, step, fallback ? fallback : scheme, error);
    if (status == THAW_OK)
        thaw_find_kicked(world, step);
    return status;
}

// Solves all islands with the contacts that are known; again: only those for which some were missed.
static ThawStatus solve_step(ThawWorld *world, ThawIncrement step, int again, ThawError *error) {
    ThawStatus status = thaw_attach_put_rows(world, step, error);
    if (status == THAW_OK)
        status = thaw_islands_form(world, error);
    if (status == THAW_OK)
        status = decide_bodies(world, step, error);
    for (int32_t i = 0; i < world->awake_count && status == THAW_OK; i++) {
        ThawStepper *s = &world->steppers[world->awake[i]];
        if (s->changed)
            s->inverted = -1;
        const int touching = world->islands[s->island].contact_count > 0;
        if (touching != s->touching) // where a frame begins depends on it
            s->linearised = NULL;
        s->touching = touching;
        if (s->touching)
            status = thaw_system_plan_direct(s->system, error);
        if (status == THAW_OK)
            status = thaw_stepper_choose_solver(s, error);
    }
    if (status != THAW_OK)
        return status;
    for (int32_t i = 0; i < world->island_count; i++) {
        ThawIsland *island = &world->islands[i];
        island->stands = again;
        for (int32_t b = 0; b < island->count && island->stands; b++)
            island->stands = !island->bodies[b]->again;
    }
    thaw_parting_mark(world);
    thaw_attach_see_moves(world, step);
    if (world->scheme->follows) {
        status = solve_frames(world, step, world->scheme, error);
    } else {
        thaw_attach_see_turns(world, step);
        thaw_islands_solve(world, step);
    }
    thaw_attach_take_rows(world);
    for (int32_t i = 0; i < world->island_count && status == THAW_OK; i++)
        status = world->islands[i].status;
    return status;
}

typedef struct Lead {
    double t, h, *v;
} Lead;

static void lead_body(ThawWorld *world, ThawStepper *s, void *context) {
    const Lead *lead = context;
    thaw_moving_lead(s, lead->t, lead->h, lead->v + (size_t)s->body->first_vertex * (size_t)world->model->dim);
}

// Velocities along which contacts are looked for.
static const double *look_along(ThawWorld *world, ThawIncrement step) {
    if (!world->scheme->follows)
        return world->state.v;
    memcpy(world->end_v, world->state.v,
           sizeof(double) * (size_t)world->model->vertex_count * (size_t)world->model->dim);
    for_awake(world, lead_body, &(Lead){step.t, step.h, world->end_v});
    return world->end_v;
}

// Contacts of the step; what is asleep and touched wakes, and then they are found anew.
static ThawStatus find_contacts(ThawWorld *world, ThawIncrement step, ThawError *error) {
    ThawState *state = &world->state;
    ThawStatus status = THAW_OK;
    const double since = thaw_wall_ms();
    int woken = world->awake_count > 0;
    for (int32_t i = 0; i < world->model->obstacle_count && !woken; i++)
        woken = thaw_obstacle_moves(&world->model->obstacles[i], step.t, step.h);
    if (!woken)
        state->contacts.count = 0;
    state->contacts.centre = world->scheme->stages[0].at;
    while (woken && status == THAW_OK) {
        status = thaw_contacts_find(world->collider, world->tasks, step.t, step.h, state->x, look_along(world, step),
                                    &state->contacts, error);
        woken = 0;
        if (status == THAW_OK)
            status = thaw_sleep_disturb(world, &state->contacts, step.t, step.h, &woken, error);
        if (status == THAW_OK && woken)
            status = mark_bodies(world, error);
    }
    world->contact_ms += thaw_wall_ms() - since;
    return status;
}

// Solves again with contacts that turn out to have been missed, until none are or a body asleep was run into.
static ThawStatus solve_missed(ThawWorld *world, ThawIncrement step, int *woken, ThawError *error) {
    ThawStatus status = THAW_OK;
    for (int32_t missed = 1, turn = 0; status == THAW_OK && missed > 0 && !*woken && turn < MISSED_TURNS; turn++) {
        const double since = thaw_wall_ms();
        status = thaw_step_find_missed(world, step, &missed, woken, error);
        world->contact_ms += thaw_wall_ms() - since;
        if (status == THAW_OK && missed > 0)
            status = solve_step(world, step, 1, error);
    }
    return status;
}

static void forget_answers(ThawWorld *world) {
    for (int32_t i = 0; i < world->awake_count; i++)
        world->steppers[world->awake[i]].answered = world->steppers[world->awake[i]].moved = 0;
}

// Finds contacts and solves, until no body asleep turns out to have been run into.
static ThawStatus try_step(ThawWorld *world, ThawIncrement step, ThawError *error) {
    ThawStatus status = THAW_OK;
    thaw_attach_expect(world, step.h);
    for (int32_t i = 0; i < world->awake_count; i++)
        world->steppers[world->awake[i]].linearised = world->steppers[world->awake[i]].factored = NULL;
    for (int woken = 1; woken && status == THAW_OK;) {
        woken = 0;
        if (world->collider && !world->found)
            status = find_contacts(world, step, error);
        world->found = 0;
        if (status == THAW_OK)
            status = solve_step(world, step, 0, error);
        if (status == THAW_OK && world->collider)
            status = solve_missed(world, step, &woken, error);
        if (status == THAW_OK && woken)
            status = mark_bodies(world, error);
    }
    return status;
}

static void go_back(ThawWorld *world, ThawStepper *s, void *context) {
    (void)world;
    (void)context;
    thaw_travel_back(s);
}

static ThawStatus step_interval(ThawWorld *world, ThawIncrement step, int halvings, ThawError *error);
static ThawStatus go_on(ThawWorld *world, ThawIncrement step, int halvings, ThawError *error);

// The interval is final.
static ThawStatus end_interval(ThawWorld *world, ThawIncrement step, ThawError *error) {
    ThawState *state = &world->state;
    for (int32_t i = 0; i < world->awake_count; i++)
        world->response_residual = fmax(world->response_residual, world->steppers[world->awake[i]].residual);
    const int overlap = thaw_parting_find(world, step);
    if (world->scheme->follows) {
        if (thaw_travel_find(world, step.h))
            for_awake(world, go_back, NULL);
        thaw_gain_credit(world, step.h);
    }
    for_awake(world, commit_body, &step);
    if (world->scheme->follows)
        thaw_balance_close(world, step.h);
    if (overlap)
        thaw_parting_apply(world);
    for (int32_t i = 0; i < world->awake_count; i++)
        thaw_clamp_body(&world->steppers[world->awake[i]], &state->contacts, step.h);
    if (world->model->options.ledger)
        thaw_ledger_add_obstacles(world);
    world->substeps++;
    thaw_parts_seen(world);
    return world->collider ? thaw_contacts_remember(world->collider, step.t, step.h, state->x, &state->contacts, error)
                           : THAW_OK;
}

// The same of all that is awake in two halves.
static ThawStatus step_halves(ThawWorld *world, ThawIncrement step, int halvings, ThawError *error) {
    for (int32_t i = 0; i < world->awake_count; i++) {
        ThawStepper *s = &world->steppers[world->awake[i]];
        thaw_method_abandon(s, &s->work);
    }
    world->found = 0;
    step.h /= 2;
    ThawStatus status = step_interval(world, step, halvings - 1, error);
    step.t += step.h;
    return status == THAW_OK ? step_interval(world, step, halvings - 1, error) : status;
}

// Islands that are lost make the interval in halves. The others end it. Where some have failed it was given up for all,
// and they make it once more, by the decisions that stand: to the same bits as without those.
static ThawStatus step_apart(ThawWorld *world, ThawIncrement step, int halvings, int failed, ThawError *error) {
    const int before = world->substeps;
    const int32_t turn = world->turn;
    int32_t party;
    if (!failed)
        thaw_attach_commit(world, step);
    ThawStatus status = thaw_parts_split(world, &party, error);
    if (status == THAW_OK)
        status = failed ? go_on(world, step, halvings, error) : end_interval(world, step, error);
    const int others = world->substeps;
    if (status == THAW_OK)
        status = thaw_parts_change(world, party, error);
    world->substeps = before;
    if (status == THAW_OK)
        status = step_halves(world, step, halvings, error);
    if (status == THAW_OK)
        status = thaw_parts_join(world, turn, error);
    world->substeps = world->substeps > others ? world->substeps : others;
    return status;
}

// Which islands have failed; any.
static int find_failed(ThawWorld *world) {
    int any = 0;
    for (int32_t k = 0; k < world->island_count; k++) {
        world->islands[k].lost = world->islands[k].status > THAW_OK;
        any |= world->islands[k].lost;
    }
    return any;
}

// An interval that has begun.
static ThawStatus go_on(ThawWorld *world, ThawIncrement step, int halvings, ThawError *error) {
    ThawStatus status = try_step(world, step, error);
    const int failed = status > THAW_OK;
    int lost = failed ? find_failed(world) : 0;
    if (status == THAW_OK && world->scheme->follows && halvings > 0)
        lost = thaw_balance_find_lost(world, step.h, halvings);
    if (status == THAW_OK && !lost) {
        thaw_attach_commit(world, step);
        return end_interval(world, step, error);
    }
    if (status < 0 || halvings == 0)
        return status;
    status = thaw_keep_all(world, error); // from here on parts of the step are final before the others
    if (status != THAW_OK)
        return status;
    return lost && thaw_parts_may_cut(world) && thaw_parts_spread_loss(world)
               ? step_apart(world, step, halvings, failed, error)
               : step_halves(world, step, halvings, error);
}

// From t to t + h; of what fails, or makes energy that cannot be taken off, in two halves, and so on.
static ThawStatus step_interval(ThawWorld *world, ThawIncrement step, int halvings, ThawError *error) {
    if (thaw_tasks_stopped(world->tasks))
        return THAW_CANCELLED;
    thaw_balance_begin(world);
    forget_answers(world);
    return go_on(world, step, halvings, error);
}

static void choose_scheme(ThawWorld *world, const ThawScheme *scheme) {
    world->scheme = scheme;
    world->state.contacts.centre = scheme->stages[0].at;
}

// From t to t + h, cut where stiff bodies meet that rebound (rebound.c). What meets within a window meets at once; and
// after twice as many cuts as the interval has windows, so does all that will meet in what is left of it.
enum { WINDOWS = 16 };

static ThawStatus step_rebounding(ThawWorld *world, ThawIncrement step, ThawError *error) {
    const double window = step.h / WINDOWS, end = step.t + step.h;
    ThawStatus status = THAW_OK;
    double left = step.h;
    for (int cuts = 0; left > 0 && status == THAW_OK; cuts++) {
        const int last = cuts >= 2 * WINDOWS;
        double until;
        step.h = left;
        status = world->found ? THAW_OK : find_contacts(world, step, error);
        if (status == THAW_OK)
            status = thaw_rebound_strike(world, left, last ? left : fmin(window, left), &until, error);
        world->found = status == THAW_OK && until > left;
        if (status != THAW_OK || (until == 0 && !last))
            continue;
        step.h = until > left || last ? left : until - window / 2;
        world->found &= step.h == left;
        status = step_interval(world, step, world->model->options.halvings, error);
        step.t = step.h == left ? end : step.t + step.h;
        left = step.h == left ? 0 : left - step.h;
    }
    return status;
}

// The bodies whose turn it is make the step by their pace: what is struck by the scheme of blows.
static ThawStatus step_party(ThawWorld *world, ThawIncrement step, ThawError *error) {
    const ThawScheme *scheme = world->scheme;
    const ThawPace pace = world->pace[world->awake[0]];
    const int rebounds = world->rebound && (pace.parts > 1 || pace.blow || pace.rebounds);
    ThawStatus status = THAW_OK;
    if (pace.blow)
        choose_scheme(world, thaw_scheme_of_blows(scheme));
    world->blows = pace.blow;
    step.h /= pace.parts;
    for (int k = 0; k < pace.parts && status == THAW_OK; k++, step.t += step.h) {
        world->parts_left = pace.blow ? pace.parts - 1 - k : 0;
        status = rebounds ? step_rebounding(world, step, error)
                          : step_interval(world, step, world->model->options.halvings, error);
    }
    world->blows = world->parts_left = 0;
    choose_scheme(world, scheme);
    return status;
}

// As one interval, or by islands in as many parts as their blows and facets need.
static ThawStatus step_whole(ThawWorld *world, ThawIncrement step, ThawError *error) {
    world->found = 0;
    choose_scheme(world, thaw_scheme(world->model->options.integrator));
    thaw_parts_begin_try(world);
    if (!thaw_parts_may_be(world))
        return step_interval(world, step, world->model->options.halvings, error);
    ThawStatus status = find_contacts(world, step, error);
    if (status != THAW_OK)
        return status;
    thaw_blow_find(world, look_along(world, step), step.h);
    thaw_facet_find(world, step.h);
    const int apart = thaw_parts_plan(world);
    world->found = 1;
    if (!apart)
        return step_interval(world, step, world->model->options.halvings, error);
    status = thaw_keep_all(world, error); // parts of the step are final before the others
    const int32_t planned = world->parties;
    int worst = 0;
    for (int32_t party = 0; party < planned && status == THAW_OK; party++) {
        int any;
        status = thaw_parts_turn(world, party, &any, error);
        if (status != THAW_OK || !any)
            continue;
        world->found &= party == 0;
        world->substeps = 0;
        status = step_party(world, step, error);
        worst = world->substeps = world->substeps > worst ? world->substeps : worst;
    }
    return status == THAW_OK ? thaw_parts_end(world, error) : status;
}

static ThawStatus begin_step(ThawWorld *world, double h, ThawError *error) {
    ThawContactSet *set = &world->state.contacts;
    world->substeps = 0;
    world->contact_ms = world->response_ms = world->response_residual = 0;
    world->response_iterations = 0;
    world->middle = thaw_step_middle(world->model, world->state.step);
    ThawStatus status = thaw_attach_begin(world, world->state.time, h, error);
    if (status == THAW_OK)
        status = thaw_sleep_turn(world, world->state.time, h, error);
    if (status != THAW_OK)
        return status;
    for (int32_t i = 0; i < world->awake_count; i++) {
        ThawStepper *s = &world->steppers[world->awake[i]];
        memcpy(s->start_x, s->x, bytes_of(s));
        memcpy(s->start_v, s->v, bytes_of(s));
        memset(s->ms, 0, sizeof s->ms);
        s->newton_iterations = s->projected = s->parted = 0;
        s->solver_iterations = 0;
        s->work = (ThawLedger){0};
        s->accounted = s->balanced = s->open = 0;
        s->bound = 0;
        s->bound = s->data && s->method->ops->is_bound && s->method->ops->is_bound(s);
    }
    if (set->memory_count > world->start_memory_capacity) {
        ThawContactMemory *memory = THAW_NEW(ThawContactMemory, 2 * (size_t)set->memory_count);
        if (!memory)
            return thaw_error_memory(error, "the contacts");
        thaw_free(world->start_memory);
        world->start_memory = memory;
        world->start_memory_capacity = 2 * set->memory_count;
    }
    world->start_memory_count = set->memory_count;
    if (set->memory_count > 0)
        memcpy(world->start_memory, set->memory, sizeof *set->memory * (size_t)set->memory_count);
    return mark_bodies(world, error);
}

static void undo_step(ThawWorld *world) {
    thaw_parts_forget(world);
    for (int32_t i = 0; i < world->awake_count; i++) {
        ThawStepper *s = &world->steppers[world->awake[i]];
        memcpy(s->x, s->start_x, bytes_of(s));
        memcpy(s->v, s->start_v, bytes_of(s));
        thaw_method_abandon(s, NULL);
    }
    thaw_attach_undo(world);
    world->state.contacts.memory_count = world->start_memory_count;
    if (world->start_memory_count > 0)
        memcpy(world->state.contacts.memory, world->start_memory,
               sizeof *world->start_memory * (size_t)world->start_memory_count);
    thaw_world_refresh(world);
}

static void add_works(ThawLedger *to, const ThawLedger *from) {
    to->external_work += from->external_work;
    to->damping_loss += from->damping_loss;
    to->integration_loss += from->integration_loss;
    to->contact_work += from->contact_work;
    to->transition_loss += from->transition_loss;
    to->follow_work += from->follow_work;
    to->parting_work += from->parting_work;
    to->obstacle_work += from->obstacle_work;
}

// Once a step, in however many parts it was made.
static void end_body(void *context, int32_t i) {
    ThawWorld *world = context;
    ThawStepper *s = &world->steppers[world->awake[i]];
    unsigned char *slow = &world->state.slow[s->index];
    // Slow steps under other loads and pins do not count under these; windows are asked at the middle of a step.
    int64_t next = world->state.step;
    int same = thaw_loads_constant_until(s->body, thaw_step_middle(world->model, next - 1)) >
                   thaw_step_middle(world->model, next) &&
               !s->changed && !s->parted;
    if (s->data && s->method->ops->watch)
        *slow = !same || !s->method->ops->watch(s, *slow) ? 0 : *slow < 255 ? *slow + 1 : 255;
    s->hash = thaw_hash(0, s->x, bytes_of(s));
    s->hash = thaw_hash(s->hash, s->v, bytes_of(s));
}

// The message of a step that failed.
static ThawStatus describe_failure(const ThawWorld *world, ThawStatus status, ThawError *error) {
    const ThawWorldDef *options = &world->model->options;
    int32_t blamed = 0;
    for (int32_t i = world->island_count - 1; i >= 0; i--)
        if (world->islands[i].status != THAW_OK)
            blamed = world->islands[i].failed;
    char cure[60] = "";
    if (!thaw_scheme(options->integrator)->newton)
        snprintf(cure, sizeof cure, ", \"integrator\": \"%s\"",
                 thaw_scheme(thaw_scheme_twin(options->integrator, 1))->name);
    if (status > 0)
        return thaw_error_set(error, THAW_DIVERGED,
                              "step %lld (t = %g s): body %d (%s) failed (%s) even with steps of %g s; try a "
                              "smaller time step%s, or more halvings",
                              (long long)world->state.step + 1, world->state.time, (int)blamed,
                              world->steppers[blamed].body->name, thaw_status_name(status),
                              options->h / (double)(1 << options->halvings), cure);
    if (error && error->status != status) // from below, where there are no messages
        thaw_error_set(error, status, "body %d (%s): %s", (int)blamed, world->steppers[blamed].body->name,
                       thaw_status_name(status));
    return status;
}

ThawStatus thaw_world_step(ThawWorld *world, ThawStepStats *stats, ThawError *error) {
    if (!world)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_world_step: world is NULL");
    if (world->edit)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "thaw_world_step: an edit is open; allowed: after thaw_world_end_edit");
    const ThawWorldDef *options = &world->model->options;
    double wall = thaw_wall_ms(), cpu = thaw_cpu_ms();
    int changed;
    ThawStatus status = thaw_changes_catch_up(world, &changed, error); // mostly the step before has done that
    const ThawIncrement step = {world->state.time,
                                options->h,
                                1,
                                thaw_scheme(options->integrator)->newton,
                                options->newton_iterations,
                                options->corrections,
                                0,
                                0,
                                NULL};
    int begun, again = 0;
    thaw_parts_begin(world);
    do {
        if (again) { // with those together that have met
            thaw_attach_undo(world);
            thaw_keep_restore(world);
        }
        if (status == THAW_OK)
            status = thaw_keep_begin(world, error);
        if (status != THAW_OK)
            return status;
        status = begin_step(world, options->h, error);
        begun = status == THAW_OK;
        if (begun) {
            thaw_keep_allow_cancel(world);
            status = step_whole(world, step, error);
        }
        again = status == THAW_OK && thaw_parts_met(world);
    } while (again);
    if (status == THAW_CANCELLED) {
        thaw_attach_undo(world);
        thaw_keep_restore(world);
        return thaw_error_set(error, status, "step %lld (t = %g s): cancelled", (long long)world->state.step + 1,
                              world->state.time);
    }
    if (!begun) {
        thaw_attach_undo(world);
        thaw_keep_restore(world);
        return status;
    }
    thaw_keep_end(world);
    if (status != THAW_OK) {
        status = describe_failure(world, status, error);
        undo_step(world);
        return status;
    }
    world->state.step++;
    world->state.time = thaw_model_time(world->model, (double)world->state.step);
    thaw_tasks_for(world->awake_count > 1 ? world->tasks : NULL, world->awake_count, end_body, world);
    for (int32_t i = 0; i < world->awake_count && options->ledger; i++)
        add_works(&world->state.ledger, &world->steppers[world->awake[i]].work);
    thaw_attach_end(world);
    thaw_folds_flow(world);
    if (stats)
        thaw_world_collect(world, wall, cpu, stats);
    // Where memory is short now, the next step tries again, and tells.
    if (thaw_changes_catch_up(world, &changed, NULL) == THAW_OK && changed && stats) {
        stats->state_hash = thaw_world_hash(world);
        if (options->ledger)
            thaw_world_get_ledger(world, &stats->ledger);
    }
    return THAW_OK;
}
