// SPDX-License-Identifier: Apache-2.0
// Judges an adaptive method in one scene by four runs: (a) full, (b) the method with its default thresholds, (c) full
// with half the step, (d) full from a start shifted by 1e-6 of each body's size. (c) and (d) tell what cannot be asked
// for: where full is that far from itself, the adaptive method may be, too. The rules, in this order:
//
//   sleep     A body that sleeps in (b) must not move in (a), as long as it sleeps there and for a second at most, by
//             more than its tolerance, nor by more than (c) or (d) differ from (a) on that way; unless it would not
//             move in (b) either if nothing could sleep there.
//   momentum  Of all bodies that nothing holds or loads and that are awake, together: dP = h (weight + contact forces
//             - alpha0 P), each step. Where nothing at all acts from outside, P stays what it was at the start,
//             asleep or not. To 1e-6 of all that moves and acts, or to twice what (a) keeps.
//   energy    kinetic + shadow + elastic + gravitational - work of loads and of parting what overlaps must not rise
//             above an earlier value by a larger share of the largest energy so far than 1.01 times that in (a), plus
//             1e-6: neither less the work of contacts (whose law is the same for all), nor with the energy of their
//             springs and less the work of obstacles that move. (One of them may: work is booked by stages.)
//   error     The largest vertex distance from (a) at any time is at most three tolerances, or that of (c) or (d).
//             Where it is not, full with a sixteenth of the step tells which of (a) and (b) is nearer to the truth.
//   failure   Where full runs, it runs.
#include "world_judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "floor.h"
#include "registry/method.h"
#include "registry/scheme.h"
#include "thaw/doctor.h"

const char *const world_end_names[WORLD_END_COUNT] = {"judged",   "refused", "full-failed", "floor-failed",
                                                      "too-dear", "failed",  "crashed",     "hung"};
const char *const world_rule_names[WORLD_RULES] = {"sleep", "momentum", "energy", "error", "failure"};

static const double SECONDS = 1;     // that a sleeper is looked at
static const double MOMENTUM = 1e-6; // what counts as kept,
static const double TIMES = 2;       // or so many times what full loses: stiff systems are solved to no better
static const double ENERGY = 1e-6;
static const double ENERGY_TIMES = 1.01; // what full gains is not the same twice
static const double MOST_WORK = 40;      // a step: what full takes that long for cannot be judged in useful time
static const char TOO_DEAR[] = "too dear";

unsigned world_broken(const WorldVerdict *v) {
    if (v->end == WORLD_FAILED || v->end == WORLD_CRASHED || v->end == WORLD_HUNG)
        return WORLD_FAILURE;
    if (v->end != WORLD_JUDGED)
        return 0;
    const AppFloors floors = {
        .error = v->error, .tolerance = v->tolerance, .step = v->floor_half, .shift = v->floor_shift};
    return (v->wrong_sleep ? WORLD_SLEEP : 0u) |
           (v->momentum <= fmax(MOMENTUM, TIMES * v->momentum_full) ? 0u : WORLD_MOMENTUM) |
           (v->energy <= ENERGY_TIMES * v->energy_full + ENERGY ? 0u : WORLD_ENERGY) |
           (app_verdict(&floors) != APP_STRAYS ? 0u : WORLD_ERROR);
}

int world_is_excused(const WorldVerdict *v) { return v->full_fine > 0 && v->error_fine <= v->full_fine; }

// One run, written down.
typedef struct Tape {
    double *x;                                // (steps + 1) * size: positions of all bodies, frame by frame
    unsigned char *asleep;                    // (steps + 1) * bodies
    double cpu_ms, wall_ms, ledger_ms, rigid; // cpu_ms: without the ledger
    double work;                              // linearisations, and twenty sweeps of contacts for one
    double momentum, energy;                  // worst so far
    // What these two need from step to step:
    double *before;                    // bodies * 3: momentum of each body, kg m/s
    double start[3], most;             // of all, and the largest sum of m |v| so far
    double lowest[2], largest, ground; // energies, J: lowest so far by both ways, largest, and that of weight at first
} Tape;

typedef struct Trial {
    const ThawScene *scene;
    AppLockstep lockstep;
    int32_t bodies;
    int64_t steps;
    size_t dim, size; // size: doubles in a frame
    size_t *first;    // bodies + 1: where each body begins in a frame
    double **mass;    // bodies: of vertices, kg
    double *scratch;  // size
    double *weight;   // bodies: kg
    double least;     // kg m/s: momentum below is rounding
    int closed;       // nothing acts from outside
    Tape tape[6];     // TAPES
    int has_awake;    // the tape of the method without sleep is there
} Trial;

enum { FULL, OTHER, HALF, SHIFTED, FINE, AWAKE, TAPES };
enum { FINE_CUTS = 16 };

// --- momentum --------------------------------------------------------------------------------------------------------

static void measure(Trial *t, const ThawWorld *world, int32_t body, double p[3], double *moving) {
    size_t n = (t->first[body + 1] - t->first[body]) / t->dim;
    thaw_world_get_velocities(world, body, t->scratch);
    p[0] = p[1] = p[2] = 0;
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t k = 0; k < t->dim; k++) {
            double v = t->scratch[i * t->dim + k];
            p[k] += t->mass[body][i] * v;
            square += v * v;
        }
        *moving += t->mass[body][i] * sqrt(square);
    }
}

// Whether nothing but weight and contacts acts on the body between t0 and t1.
static int is_free(const ThawBodyDef *body, double t0, double t1) {
    for (int32_t i = 0; i < body->script_count; i++)
        if (!(body->scripts[i].release < t0))
            return 0;
    for (int32_t i = 0; i < body->force_count; i++)
        if (t1 >= body->forces[i].from && t0 <= body->forces[i].to)
            return 0;
    return 1;
}

static double drag_of(const Trial *t, int32_t body) {
    const ThawWorldDef *def = &t->scene->world;
    return def->materials[def->shapes[def->bodies[body].shape].material].alpha0;
}

static void watch_momentum(Trial *t, Tape *tape, const ThawWorld *world, const ThawStepStats *stats, int64_t step) {
    const ThawWorldDef *def = &t->scene->world;
    const ThawScheme *scheme = thaw_scheme(def->integrator);
    const int one_stage = scheme->stage_count == 1 && (def->substeps == 0 || !thaw_scheme_of_blows(scheme));
    double h = def->h, t1 = stats->time, total[3] = {0}, off[3] = {0}, moving = 0, acting = 0;
    for (int32_t b = 0; b < t->bodies; b++) {
        double p[3], part = 0, *old = &tape->before[3 * b];
        measure(t, world, b, p, &part);
        moving += part;
        const unsigned char *now = &tape->asleep[(size_t)step * (size_t)t->bodies];
        int counts = is_free(&def->bodies[b], t1 - 2 * h, t1 + h) && !now[b] && !now[b - t->bodies] &&
                     (one_stage || drag_of(t, b) == 0); // else drag is that of velocities in between
        if (counts) {
            size_t n = (t->first[b + 1] - t->first[b]) / t->dim;
            thaw_world_get_contact_forces(world, b, t->scratch);
            for (size_t k = 0; k < t->dim; k++) {
                double force = t->weight[b] * def->gravity[k];
                acting += h * fabs(force);
                for (size_t i = 0; i < n; i++) {
                    force += t->scratch[i * t->dim + k];
                    acting += h * fabs(t->scratch[i * t->dim + k]);
                }
                off[k] += p[k] * (1 + h * drag_of(t, b)) - old[k] - h * force;
            }
            acting += part;
        }
        for (int k = 0; k < 3; k++) {
            old[k] = p[k];
            total[k] += p[k];
        }
    }
    tape->most = fmax(tape->most, fmax(moving, t->least));
    acting += t->least;
    if (t->closed && tape->most > 0)
        tape->momentum = fmax(
            tape->momentum,
            hypot(hypot(total[0] - tape->start[0], total[1] - tape->start[1]), total[2] - tape->start[2]) / tape->most);
    // Of a step that was cut the contact forces are those of its last part only.
    if (!t->closed && acting > 0 && stats->substeps == 1)
        tape->momentum = fmax(tape->momentum, hypot(hypot(off[0], off[1]), off[2]) / acting);
}

// --- energy ----------------------------------------------------------------------------------------------------------

// Energies come with a rounding error of some 1e-15 of the terms that they are sums of: of the modulus times the
// volume, and of the weight times the height. A millionth of what is returned here, the least that counts, is that.
static double smallest_energy(const Trial *t) {
    const ThawWorldDef *def = &t->scene->world;
    const double *g = def->gravity;
    double sum = 0;
    for (int32_t b = 0; b < t->bodies; b++) {
        const ThawMaterialDef *material = &def->materials[def->shapes[def->bodies[b].shape].material];
        sum += t->weight[b] *
               (hypot(hypot(g[0], g[1]), g[2]) * t->lockstep.diameter[b] + material->young / material->density);
    }
    return 1e-9 * sum;
}

static void watch_energy(const Trial *t, Tape *tape, const ThawLedger *l, int64_t step) {
    const double held = l->kinetic + l->shadow + l->elastic,
                 own = held + l->gravitational - l->external_work - l->parting_work;
    const double value[2] = {own - l->contact_work, own + l->contact_energy - l->obstacle_work};
    if (step == 0) {
        tape->ground = l->gravitational;
        tape->lowest[0] = value[0];
        tape->lowest[1] = value[1];
        tape->largest = smallest_energy(t);
    }
    tape->largest = fmax(tape->largest, held + fabs(l->gravitational - tape->ground));
    double rise = INFINITY;
    for (int k = 0; k < 2; k++) {
        tape->lowest[k] = fmin(tape->lowest[k], value[k]);
        rise = fmin(rise, isfinite(value[k]) ? value[k] - tape->lowest[k] : INFINITY);
    }
    if (tape->largest > 0 || !isfinite(rise))
        tape->energy = fmax(tape->energy, isfinite(rise) ? rise / tape->largest : INFINITY);
}

// --- runs ------------------------------------------------------------------------------------------------------------

static int write_down(Trial *t, Tape *tape, const ThawWorld *world, int64_t step) {
    double *x = tape->x + (size_t)step * t->size;
    int good = 1;
    for (int32_t b = 0; b < t->bodies; b++) {
        thaw_world_get_positions(world, b, x + t->first[b]);
        tape->asleep[(size_t)step * (size_t)t->bodies + (size_t)b] = (unsigned char)thaw_world_is_asleep(world, b);
    }
    for (size_t i = 0; i < t->size; i++)
        good &= isfinite(x[i]);
    return good;
}

static void begin_watch(Trial *t, Tape *tape, const ThawWorld *world) {
    ThawLedger ledger;
    for (int32_t b = 0; b < t->bodies; b++) {
        measure(t, world, b, &tape->before[3 * b], &tape->most);
        for (int k = 0; k < 3; k++)
            tape->start[k] += tape->before[3 * b + k];
    }
    if (thaw_world_get_ledger(world, &ledger) == THAW_OK)
        watch_energy(t, tape, &ledger, 0);
}

static const ThawOption *option_of(const char *method, ThawOptionRole role) {
    const int index = thaw_method_index(method);
    return index < 0 ? NULL : thaw_option_of_role(&thaw_method_at(index)->options, role);
}

// The option with which bodies of the method never sleep; without a name where there is none.
static ThawOptionDef sleepless(const char *method) {
    const ThawOption *o = option_of(method, THAW_ROLE_SLEEP);
    return (ThawOptionDef){method, o ? o->name : NULL, 0};
}

// cuts: steps of the run for each of the scene. Positions that are no numbers are an error like any other.
static ThawStatus run(Trial *t, int which, const char *method, int cuts, ThawError *error) {
    Tape *tape = &t->tape[which];
    AppRunner runner = {0};
    int watched = which == FULL || which == OTHER;
    t->lockstep.ledger = watched;
    const ThawOptionDef awake = sleepless(method);
    const AppOptions options = {&awake, which == AWAKE && awake.name};
    const double h = t->scene->world.h / cuts;
    ThawStatus status = which == SHIFTED
                            ? app_runner_create_shifted(&t->lockstep, method, h, app_floor_shift, NULL, &runner, error)
                            : app_runner_create(&t->lockstep, method, h, &options, &runner, error);
    if (status == THAW_OK && !runner.world) // all bodies are held: nothing can be moved
        status = app_runner_create(&t->lockstep, method, h, &options, &runner, error);
    if (status == THAW_OK) {
        write_down(t, tape, runner.world, 0);
        if (watched)
            begin_watch(t, tape, runner.world);
    }
    for (int64_t step = 1; step <= t->steps && status == THAW_OK; step++) {
        for (int i = 0; i < cuts && status == THAW_OK; i++)
            status = app_runner_step(&runner, error);
        if (status == THAW_OK && !write_down(t, tape, runner.world, step))
            status =
                thaw_error_set(error, THAW_NOT_CONVERGED, "positions are no numbers after step %lld", (long long)step);
        if (status != THAW_OK || !watched)
            continue;
        watch_momentum(t, tape, runner.world, &runner.last, step);
        watch_energy(t, tape, &runner.last.ledger, step);
        // The ledger is for the judge: its share of the time is not the method's.
        tape->wall_ms += runner.last.wall_ms;
        tape->ledger_ms += runner.last.ledger_ms;
        tape->work += runner.last.newton_iterations + runner.last.response_iterations / 20.0;
        if (which == FULL && tape->work > MOST_WORK * (double)t->steps)
            status = thaw_error_set(error, THAW_NOT_CONVERGED,
                                    "%s: step %lld and those before took %.3g linearisations and sweeps", TOO_DEAR,
                                    (long long)step, tape->work);
        tape->rigid += 1 - (double)runner.last.elastic_elements / (double)t->lockstep.elements;
    }
    // Clocks of CPU time may tick a hundred times a second only: their sum over the run is what they are good for.
    if (tape->wall_ms > 0)
        tape->cpu_ms = runner.cpu_ms * fmax(0, 1 - tape->ledger_ms / tape->wall_ms);
    app_runner_clear(&runner);
    return status;
}

static ThawStatus trial_create(Trial *t, const ThawScene *scene, ThawError *error) {
    const ThawWorldDef *def = &scene->world;
    ThawWorld *world = NULL;
    *t = (Trial){.scene = scene, .bodies = def->body_count, .steps = scene->steps, .dim = (size_t)def->dim};
    ThawStatus status = app_lockstep_create(scene, &t->lockstep, error);
    if (status == THAW_OK)
        status = thaw_world_create(def, &world, error);
    if (status != THAW_OK)
        return status;
    size_t bodies = (size_t)t->bodies, frames = (size_t)t->steps + 1;
    int good = (t->first = THAW_NEW(size_t, bodies + 1)) && (t->mass = THAW_NEW(double *, bodies)) &&
               (t->weight = THAW_NEW(double, bodies));
    t->closed = def->obstacle_count == 0 && hypot(hypot(def->gravity[0], def->gravity[1]), def->gravity[2]) == 0;
    for (int32_t b = 0; b < t->bodies && good; b++) {
        size_t n = (size_t)thaw_world_most_vertices(world, b);
        t->first[b + 1] = t->first[b] + n * t->dim;
        if ((good = (t->mass[b] = THAW_NEW(double, n)) != NULL)) {
            thaw_world_get_masses(world, b, t->mass[b]);
            for (size_t i = 0; i < n; i++)
                t->weight[b] += t->mass[b][i];
        }
        t->closed &= def->bodies[b].script_count == 0 && def->bodies[b].force_count == 0 && drag_of(t, b) == 0;
    }
    for (int32_t b = 0; b < t->bodies && good; b++) // a billionth of its diameter a step
        t->least += t->weight[b] * 1e-9 * t->lockstep.diameter[b] / def->h;
    t->size = good ? t->first[bodies] : 0;
    good = good && (t->scratch = THAW_NEW(double, t->size));
    for (int i = 0; i < TAPES && good; i++) {
        Tape *tape = &t->tape[i];
        good = (tape->x = THAW_NEW(double, frames * t->size)) &&
               (tape->asleep = THAW_NEW(unsigned char, frames *bodies)) &&
               (tape->before = THAW_NEW(double, 3 * bodies));
    }
    thaw_world_free(&world);
    return good ? THAW_OK : thaw_error_memory(error, "the runs of a world");
}

static void trial_clear(Trial *t) {
    for (int32_t b = 0; b < t->bodies && t->mass; b++)
        thaw_free(t->mass[b]);
    for (int i = 0; i < TAPES; i++) {
        thaw_free(t->tape[i].x);
        thaw_free(t->tape[i].asleep);
        thaw_free(t->tape[i].before);
    }
    thaw_free(t->first);
    thaw_free(t->mass);
    thaw_free(t->weight);
    thaw_free(t->scratch);
    app_lockstep_clear(&t->lockstep);
}

// --- verdicts --------------------------------------------------------------------------------------------------------

// The largest distance of a body's vertices between two tapes, each from where it was at frame s (s < 0: as they
// are), over its diameter. b NULL: the way of `a` itself.
static double apart(const Trial *t, const Tape *a, const Tape *b, int32_t body, int64_t s, int64_t e, double *sum) {
    double worst = 0;
    for (size_t i = t->first[body]; i < t->first[body + 1]; i += t->dim) {
        double square = 0;
        for (size_t k = i; k < i + t->dim; k++) {
            double d = a->x[(size_t)e * t->size + k] - (b ? b->x[(size_t)e * t->size + k] : 0);
            if (s >= 0)
                d -= a->x[(size_t)s * t->size + k] - (b ? b->x[(size_t)s * t->size + k] : 0);
            square += d * d;
        }
        worst = fmax(worst, square);
        if (sum)
            *sum += sqrt(square) / t->lockstep.diameter[body];
    }
    return sqrt(worst) / t->lockstep.diameter[body];
}

static double error_between(const Trial *t, int a, int b, double *mean) {
    double worst = 0, sum = 0;
    for (int64_t step = 0; step <= t->steps; step++)
        for (int32_t body = 0; body < t->bodies; body++)
            worst = fmax(worst, apart(t, &t->tape[a], &t->tape[b], body, -1, step, &sum));
    *mean = sum / ((double)(t->steps + 1) * (double)(t->size / t->dim));
    return worst;
}

// What a body does in the full run from frame s on, while it sleeps in the other one; looked at 40 times on that way.
static void look_at_sleeper(const Trial *t, int32_t body, int64_t s, WorldVerdict *v, int *wrong) {
    const Tape *full = &t->tape[FULL];
    int64_t end = s, last = s + (int64_t)(SECONDS / t->scene->world.h);
    while (end < t->steps && end < last && t->tape[OTHER].asleep[(size_t)(end + 1) * (size_t)t->bodies + (size_t)body])
        end++;
    double moved = 0, limit = v->tolerance;
    int64_t stride = (end - s) / 40 > 1 ? (end - s) / 40 : 1;
    for (int64_t e = end; e > s; e -= stride) {
        moved = fmax(moved, apart(t, full, NULL, body, s, e, NULL));
        limit = fmax(limit, fmax(apart(t, full, &t->tape[HALF], body, s, e, NULL),
                                 apart(t, full, &t->tape[SHIFTED], body, s, e, NULL)));
    }
    // Where it would stay if it were awake it rests, wherever full has got to by then: that is a matter of error.
    double kept = t->has_awake ? 0 : moved;
    for (int64_t e = end; e > s && t->has_awake; e -= stride)
        kept = fmax(kept, apart(t, &t->tape[AWAKE], NULL, body, s, e, NULL));
    *wrong |= moved > limit && kept > v->tolerance;
    if (moved / limit > v->slept_through) {
        v->slept_through = moved / limit;
        v->sleep_limit = limit;
    }
}

static void judge_sleep(const Trial *t, WorldVerdict *v) {
    const unsigned char *asleep = t->tape[OTHER].asleep;
    int64_t every = t->steps / 50 > 1 ? t->steps / 50 : 1, count = 0;
    for (int32_t b = 0; b < t->bodies; b++) {
        int wrong = 0, before = 0;
        for (int64_t s = 0; s <= t->steps; s++) {
            int now = asleep[(size_t)s * (size_t)t->bodies + (size_t)b];
            count += now;
            if (now && (!before || s % every == 0))
                look_at_sleeper(t, b, s, v, &wrong);
            before = now;
        }
        v->wrong_sleep += wrong;
    }
    v->asleep = (double)count / ((double)(t->steps + 1) * t->bodies);
}

static void judge(const Trial *t, WorldVerdict *v) {
    double mean;
    v->momentum = t->tape[OTHER].momentum;
    v->momentum_full = t->tape[FULL].momentum;
    v->energy = t->tape[OTHER].energy;
    v->energy_full = t->tape[FULL].energy;
    v->cpu = t->tape[OTHER].cpu_ms;
    v->cpu_full = t->tape[FULL].cpu_ms;
    v->rigid = t->tape[OTHER].rigid / (double)t->steps;
    v->floor_shift = error_between(t, FULL, SHIFTED, &mean);
    judge_sleep(t, v);
}

// Where the method is far from full, which of the two is nearer to the truth? Full with much smaller steps tells, if it
// runs at all.
static void consult_fine(Trial *t, WorldVerdict *v) {
    double mean;
    ThawError error;
    v->floor_half = error_between(t, FULL, HALF, &mean);
    v->error = error_between(t, FULL, OTHER, &v->mean_error);
    if (v->error <= fmax(app_floor_tolerances * v->tolerance, v->floor_half) ||
        run(t, FINE, "full", FINE_CUTS, &error) != THAW_OK)
        return;
    v->error_fine = error_between(t, FINE, OTHER, &mean);
    v->full_fine = error_between(t, FINE, FULL, &mean);
}

// What `thaw check` calls an error.
static ThawStatus consult(const ThawScene *scene, ThawError *error) {
    ThawDoctorReport *report = NULL;
    ThawStatus status = thaw_doctor_scene(scene, &report, error);
    if (status == THAW_OK && report->errors > 0)
        status =
            thaw_error_set(error, THAW_ERROR_INPUT, "%s: %s", report->complaints[0].id, report->complaints[0].where);
    thaw_doctor_report_free(&report);
    return status;
}

static WorldEnd run_all(Trial *t, const char *method, WorldVerdict *v, ThawError *error) {
    v->elements = (int)t->lockstep.elements;
    if (run(t, FULL, "full", 1, error) != THAW_OK)
        return strncmp(error->message, TOO_DEAR, sizeof TOO_DEAR - 1) == 0 ? WORLD_DEAR : WORLD_FULL_FAILED;
    if (run(t, HALF, "full", 2, error) != THAW_OK)
        return WORLD_FLOOR_FAILED;
    if (run(t, OTHER, method, 1, error) != THAW_OK)
        return WORLD_FAILED;
    consult_fine(t, v);
    if (memchr(t->tape[OTHER].asleep, 1, ((size_t)t->steps + 1) * (size_t)t->bodies))
        t->has_awake = run(t, AWAKE, method, 1, error) == THAW_OK;
    if (run(t, SHIFTED, "full", 1, error) != THAW_OK)
        return WORLD_FLOOR_FAILED;
    return WORLD_JUDGED;
}

void world_judge(const char *text, const char *method, WorldVerdict *v) {
    ThawScene *scene = NULL;
    ThawError error = {0};
    Trial t = {0};
    int64_t seed = v->seed;
    *v = (WorldVerdict){.seed = seed, .end = WORLD_REFUSED};
    if (thaw_scene_parse(text, strlen(text), "world", NULL, &scene, &error) == THAW_OK) {
        scene->world.threads = 1;
        v->dim = scene->world.dim;
        v->bodies = scene->world.body_count;
        v->steps = (int)scene->steps;
        v->h = scene->world.h;
        v->tolerance = app_tolerance_of(scene, method);
        if (consult(scene, &error) == THAW_OK && trial_create(&t, scene, &error) == THAW_OK)
            v->end = (int)run_all(&t, method, v, &error);
        if (v->end == WORLD_JUDGED)
            judge(&t, v);
    }
    if (v->end != WORLD_JUDGED)
        snprintf(v->what, sizeof v->what, "%.150s", error.message);
    for (char *c = v->what; *c; c++) // it goes into a table
        *c = *c == ',' || *c == '|' || *c == '\n' ? ';' : *c;
    trial_clear(&t);
    thaw_scene_free(&scene);
}
