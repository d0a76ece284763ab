// SPDX-License-Identifier: Apache-2.0
// The tables and figures of the paper on adaptive rigidification of solids, and what a user would ask beside them:
// scenes by the full and the adaptive method side by side (table 1), the error floors of the scenes, a load on a
// settled cantilever, thresholds against error (figure 5), one beam in four resolutions (figure 4c), two drops onto a
// mattress (figure 8). What rest costs, and the case in which nothing can be gained, is in bench_rest.c. Times are CPU
// times of steps alone, on one thread.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "bench.h"
#include "registry/method.h"
#include "thaw/field.h"

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

ThawStatus bench_put_figures(Bench *bench, const char *row, const AppVersus *v, ThawError *error) {
    const AppFigures *f = &v->figures;
    ThawRigidifyOptions r = v->def.scene->world.rigidify;
    thaw_world_get_thresholds(v->other.world, 0, &r);
    double n = (double)f->steps;
    const BenchPair pairs[] = {{"steps", n},
                               {"elements", (double)v->lockstep.elements},
                               {"h", v->def.scene->world.h},
                               {"tau_rigid", r.tau_rigid},
                               {"epsilon", r.epsilon},
                               {"full_ms", f->reference.cpu_ms / n},
                               {"adaptive_ms", f->other.cpu_ms / n},
                               {"full_contact_ms", f->reference.contact_ms / n},
                               {"adaptive_contact_ms", f->other.contact_ms / n},
                               {"full_wall_ms", f->reference.wall_ms / n},
                               {"adaptive_wall_ms", f->other.wall_ms / n},
                               {"full_dofs", f->reference.dofs / n},
                               {"adaptive_dofs", f->other.dofs / n},
                               {"total", app_total_speedup(f)},
                               {"mean", f->ratio_sum / n},
                               {"nc_total", app_nc_total_speedup(f)},
                               {"nc_mean", f->nc_ratio_sum / n},
                               {"max_error", f->max_error},
                               {"mean_error", f->sum_error / n},
                               {"rigid", f->rigid_sum / n},
                               {"rigid_end", f->final_rigid},
                               {"recall", app_judge_recall(&v->judge, 0)},
                               {"recall_3", app_judge_recall(&v->judge, 1)},
                               {"recall_10", app_judge_recall(&v->judge, 2)},
                               {"recall_100", app_judge_recall(&v->judge, 3)},
                               {"recall_together", app_judge_recall_together(&v->judge)},
                               {"precision", app_judge_precision(&v->judge)},
                               {"judge_tau", v->judge.least},
                               {"over_floor", app_step_over_floor(v)},
                               {NULL, 0}};
    return bench_put_all(bench, row, pairs, error);
}

// Runs a comparison to its end, saying every tenth of it how it stands; after, if any, looks at each step.
ThawStatus bench_run_versus(AppVersus *v, const char *row, BenchAfter after, void *context, ThawError *error) {
    ThawStatus status = THAW_OK;
    double saved_ms = thaw_wall_ms();
    while (status == THAW_OK && v->figures.steps < v->def.steps) {
        status = app_versus_step(v, error);
        int64_t step = v->figures.steps;
        if (status == THAW_OK && after)
            after(v, context);
        if (status == THAW_OK && v->def.keep && thaw_wall_ms() - saved_ms > 60e3) {
            status = app_versus_save(v, error);
            saved_ms = thaw_wall_ms();
        }
        if (status == THAW_OK && 10 * step / v->def.steps != 10 * (step - 1) / v->def.steps)
            bench_say("  %s: step %lld of %lld, %.2f times faster, error %.2e, %.0f %% rigid", row, (long long)step,
                      (long long)v->def.steps, app_total_speedup(&v->figures), v->figures.max_error,
                      100 * v->figures.final_rigid);
    }
    if (status == THAW_OK)
        app_versus_finish(v);
    return status;
}

// NULL: the scene's.
static AppOptions options_of(const ThawRigidifyOptions *rigidify, ThawOptionDef rows[THAW_OPTION_ROWS]) {
    return (AppOptions){rows, rigidify ? app_options_list(&thaw_method_rigidify, rigidify, rows) : 0};
}

// A scene by both methods to its end, with thresholds of its own unless NULL; `put` writes its figures. A step that
// fails ends
// it: it then has no figures, which is one, too.
static ThawStatus compare(Bench *bench, const BenchJob *job, const ThawScene *scene,
                          const ThawRigidifyOptions *rigidify, int64_t steps, BenchAfter after, void *context,
                          BenchPut put, ThawError *error) {
    AppVersus versus = {0};
    ThawOptionDef rows[THAW_OPTION_ROWS];
    AppVersusDef def = {.scene = scene,
                        .method = "rigidify",
                        .against = "full",
                        .options = options_of(rigidify, rows),
                        .steps = bench_steps(bench, least(steps, scene->steps)),
                        .tolerance = 10};
    ThawStatus status = app_versus_create(&def, &versus, error);
    if (status == THAW_OK)
        status = bench_run_versus(&versus, job->row, after, context, error);
    if (status == THAW_OK)
        status = put(bench, job->row, &versus, error);
    app_versus_clear(&versus);
    if (status > 0)
        bench_say("  %s: %s", job->row, error->message);
    return status;
}

// --- table 1 ---------------------------------------------------------------------------------------------------------

// A whole scene, with thresholds of its own unless NULL. Goes on where it was interrupted.
static ThawStatus run_whole(Bench *bench, const BenchJob *job, const ThawScene *scene,
                            const ThawRigidifyOptions *rigidify, ThawError *error) {
    AppVersus versus = {0};
    ThawOptionDef rows[THAW_OPTION_ROWS];
    char keep[4096], csv[4096], histogram[4096];
    int resumed = 0;
    ThawStatus status = THAW_OK;
    const char *tail = bench->name + strlen(bench_suite_rigidify.name); // "-euler", or nothing
    snprintf(keep, sizeof keep, "%s/%s%s", bench->out, job->row, tail);
    snprintf(csv, sizeof csv, "%s/%s%s-steps.csv", bench->out, job->row, tail);
    snprintf(histogram, sizeof histogram, "%s/%s%s-rates.csv", bench->out, job->row, tail);
    AppVersusDef def = {.scene = scene,
                        .method = "rigidify",
                        .against = "full",
                        .options = options_of(rigidify, rows),
                        .steps = bench_steps(bench, scene->steps),
                        .tolerance = 10,
                        .keep = keep,
                        .csv = fopen(csv, bench->resume ? "a+" : "w"),
                        .histogram = fopen(histogram, bench->resume ? "a+" : "w")};
    if (!def.csv || !def.histogram)
        status = thaw_error_set(error, THAW_ERROR_IO, "cannot write %s or %s", csv, histogram);
    if (status == THAW_OK)
        status = app_versus_create(&def, &versus, error);
    if (status == THAW_OK && bench->resume)
        status = app_versus_load(&versus, &resumed, error);
    if (status == THAW_OK && !resumed)
        app_judge_histogram_header(def.histogram);
    if (resumed)
        bench_say("  %s goes on after step %lld", job->row, (long long)versus.figures.steps);
    if (status == THAW_OK)
        status = bench_run_versus(&versus, job->row, NULL, NULL, error);
    if (status == THAW_OK)
        status = bench_put_figures(bench, job->row, &versus, error);
    if (def.csv)
        fclose(def.csv);
    if (def.histogram)
        fclose(def.histogram);
    app_versus_clear(&versus);
    return status;
}

// The same by thresholds that `change`, if any, makes of the scene's.
static ThawStatus run_changed(Bench *bench, const BenchJob *job,
                              void (*change)(const BenchJob *job, ThawRigidifyOptions *rigidify), ThawError *error) {
    ThawScene *scene = NULL;
    ThawStatus status = bench_load(bench, job->scene, &scene, error);
    if (status == THAW_OK) {
        ThawRigidifyOptions rigidify = scene->world.rigidify;
        if (change)
            change(job, &rigidify);
        status = run_whole(bench, job, scene, change ? &rigidify : NULL, error);
    }
    thaw_scene_free(&scene);
    return status;
}

static ThawStatus run_scene(Bench *bench, const BenchJob *job, ThawError *error) {
    return run_changed(bench, job, NULL, error);
}

// For `parameter` times the strains and the speeds.
static void loosen(const BenchJob *job, ThawRigidifyOptions *rigidify) {
    rigidify->epsilon *= job->parameter;
    rigidify->tau_rigid *= job->parameter * job->parameter;
}

static ThawStatus run_loose(Bench *bench, const BenchJob *job, ThawError *error) {
    return run_changed(bench, job, loosen, error);
}

// The published oracle, tau_E being ten times tau_R as in the paper's table.
static void publish(const BenchJob *job, ThawRigidifyOptions *rigidify) {
    (void)job;
    rigidify->oracle = THAW_ORACLE_PAPER;
    rigidify->tau_elastic = 10 * rigidify->tau_rigid;
}

static ThawStatus run_published(Bench *bench, const BenchJob *job, ThawError *error) {
    return run_changed(bench, job, publish, error);
}

// How far the full run goes astray by itself when steps are so many times as short, or its start is shifted
// (app_lockstep_shift). Needs no adaptive run, so its row stands when thresholds change.
static ThawStatus run_astray(Bench *bench, const BenchJob *job, int parts, double shift, const char *column,
                             ThawError *error) {
    ThawScene *scene = NULL;
    AppLockstep lockstep = {0};
    AppRunner full = {0}, other = {0};
    double worst = 0;
    ThawStatus status = bench_load(bench, job->scene, &scene, error);
    if (status != THAW_OK)
        return status;
    int64_t steps = bench_steps(bench, scene->steps);
    status = app_lockstep_create(scene, &lockstep, error);
    if (status == THAW_OK)
        status = app_runner_create(&lockstep, "full", scene->world.h, NULL, &full, error);
    if (status == THAW_OK) {
        app_lockstep_shift(&lockstep, shift);
        status = app_runner_create(&lockstep, "full", scene->world.h / parts, NULL, &other, error);
    }
    for (int64_t k = 1; k <= steps && status == THAW_OK; k++) {
        status = app_runner_step(&full, error);
        for (int i = 0; i < parts && status == THAW_OK; i++)
            status = app_runner_step(&other, error);
        if (status == THAW_OK)
            worst = fmax(worst, app_lockstep_distance(&lockstep, &full, &other, NULL));
        if (10 * k / steps != 10 * (k - 1) / steps)
            bench_say("  %s: step %lld of %lld, apart by %.2e", job->row, (long long)k, (long long)steps, worst);
    }
    const BenchPair pairs[] = {{"steps", (double)steps}, {column, worst}, {NULL, 0}};
    if (status == THAW_OK)
        status = bench_put_all(bench, job->row, pairs, error);
    app_runner_clear(&full);
    app_runner_clear(&other);
    app_lockstep_clear(&lockstep);
    thaw_scene_free(&scene);
    return status;
}

static ThawStatus run_floor(Bench *bench, const BenchJob *job, ThawError *error) {
    return run_astray(bench, job, 2, 0, "error_floor", error);
}

static ThawStatus run_shifted(Bench *bench, const BenchJob *job, ThawError *error) {
    return run_astray(bench, job, 1, job->parameter, "max_error", error);
}

// --- a settled cantilever, and loads on it ---------------------------------------------------------------------------

enum { PHASES = 4 };
static const int64_t PHASE_END[PHASES] = {1500, 2200, 2900, 3600}; // settling, 5 N, 20 N more, release

typedef struct Cantilever {
    double error[PHASES], end[PHASES]; // largest, and at the end of the phase, over the length
    double rigid[PHASES];              // share at the end of the phase
    int64_t felt[PHASES];              // steps from the beginning of the phase until something is elastic, -1: never
    double settled[2];                 // CPU ms in the last 500 steps of the first phase: full, adaptive
} Cantilever;

static void watch_cantilever(const AppVersus *v, void *context) {
    Cantilever *c = context;
    int64_t step = v->figures.steps - 1;
    double error = v->error * v->lockstep.diameter[0] / 4.11; // over its length
    int phase = 0;
    while (phase < PHASES - 1 && step >= PHASE_END[phase])
        phase++;
    int64_t first = phase > 0 ? PHASE_END[phase - 1] : 0;
    c->error[phase] = fmax(c->error[phase], error);
    c->end[phase] = error;
    c->rigid[phase] = v->figures.final_rigid;
    if (c->felt[phase] < 0 && v->other.last.elastic_elements > 0)
        c->felt[phase] = step - first;
    if (phase == 0 && step >= 1000) {
        c->settled[0] += v->reference.last.cpu_ms;
        c->settled[1] += v->other.last.cpu_ms;
    }
}

static ThawStatus run_cantilever(Bench *bench, const BenchJob *job, ThawError *error) {
    ThawScene *scene = NULL;
    Cantilever c = {.felt = {-1, -1, -1, -1}};
    ThawStatus status = bench_load(bench, job->scene, &scene, error);
    if (status == THAW_OK)
        status =
            compare(bench, job, scene, NULL, PHASE_END[PHASES - 1], watch_cantilever, &c, bench_put_figures, error);
    for (int p = 0; p < PHASES && status == THAW_OK; p++) {
        char key[4][32];
        static const char *const names[] = {"phase_error", "phase_end_error", "phase_rigid", "phase_felt"};
        for (int k = 0; k < 4; k++)
            snprintf(key[k], sizeof key[k], "%s_%d", names[k], p);
        const BenchPair pairs[] = {
            {key[0], c.error[p]}, {key[1], c.end[p]}, {key[2], c.rigid[p]}, {key[3], (double)c.felt[p]}, {NULL, 0}};
        status = bench_put_all(bench, job->row, pairs, error);
    }
    if (status == THAW_OK)
        status = bench_put(bench, job->row, "settled_ratio", c.settled[0] / c.settled[1], error);
    thaw_scene_free(&scene);
    return status;
}

// --- figure 5: thresholds against error ------------------------------------------------------------------------------

// tau_rigid = 0.1 tau_E as in the figure. Our own oracle has a strain in the place of tau_E: epsilon = 0.2 s
// sqrt(tau_E).
static ThawRigidifyOptions thresholds_of(const ThawScene *scene, double tau_E) {
    ThawRigidifyOptions rigidify = scene->world.rigidify;
    rigidify.tau_rigid = 0.1 * tau_E;
    rigidify.epsilon = 0.2 * sqrt(tau_E);
    rigidify.tau_elastic = tau_E;
    return rigidify;
}

// The published oracle is run beside ours with that tau_E.
static ThawStatus put_paper(Bench *bench, const char *row, const AppVersus *v, ThawError *error) {
    const BenchPair pairs[] = {{"paper_total", app_total_speedup(&v->figures)},
                               {"paper_error", v->figures.max_error},
                               {"paper_rigid", v->figures.rigid_sum / (double)v->figures.steps},
                               {"paper_recall", app_judge_recall(&v->judge, 0)},
                               {NULL, 0}};
    return bench_put_all(bench, row, pairs, error);
}

static ThawStatus run_sweep(Bench *bench, const BenchJob *job, ThawError *error) {
    ThawScene *scene = NULL;
    ThawStatus status = bench_load(bench, job->scene, &scene, error);
    for (int rule = 0; rule < THAW_ORACLE_RULE_COUNT && status == THAW_OK; rule++) {
        ThawRigidifyOptions rigidify = thresholds_of(scene, job->parameter);
        rigidify.oracle = (ThawOracleRule)rule;
        status = compare(bench, job, scene, &rigidify, 1500, NULL, NULL,
                         rule == THAW_ORACLE_PAPER ? put_paper : bench_put_figures, error);
        status = status > 0 ? THAW_OK : status;
    }
    if (status == THAW_OK)
        status = bench_put(bench, job->row, "tau_E", job->parameter, error);
    thaw_scene_free(&scene);
    return status;
}

// --- figure 7: rolling wheels ----------------------------------------------------------------------------------------

// When each wheel has fallen over: the middle of its vertices is lower than two thirds of where it began; s.
typedef struct Fall {
    double *x;
    double start[2], time[2];
} Fall;

static void watch_fall(const AppVersus *v, void *context) {
    Fall *fall = context;
    const AppRunner *runners[] = {&v->reference, &v->other};
    int32_t nv = thaw_world_vertex_count(v->other.world, 0);
    for (int k = 0; k < 2; k++) {
        double height = 0;
        if (fall->time[k] >= 0)
            continue;
        thaw_world_get_positions(runners[k]->world, 0, fall->x);
        for (int32_t i = 0; i < nv; i++)
            height += fall->x[3 * i + 2] / nv;
        if (v->figures.steps == 1)
            fall->start[k] = height;
        if (height < 2 * fall->start[k] / 3)
            fall->time[k] = thaw_world_time(runners[k]->world);
    }
}

// Thresholds as in the sweeps.
static ThawStatus run_wheels(Bench *bench, const BenchJob *job, ThawError *error) {
    ThawScene *scene = NULL;
    Fall fall = {.time = {-1, -1}};
    ThawStatus status = bench_load(bench, job->scene, &scene, error);
    if (status != THAW_OK)
        return status;
    ThawRigidifyOptions rigidify = thresholds_of(scene, job->parameter);
    fall.x = THAW_NEW(double, 3 * (size_t)scene->world.shapes[scene->world.bodies[0].shape].mesh->vertex_count);
    status = !fall.x ? thaw_error_memory(error, "a wheel")
                     : compare(bench, job, scene, &rigidify, scene->steps, watch_fall, &fall, bench_put_figures, error);
    const BenchPair pairs[] = {
        {"tau_E", job->parameter}, {"full_falls", fall.time[0]}, {"adaptive_falls", fall.time[1]}, {NULL, 0}};
    if (status == THAW_OK)
        status = bench_put_all(bench, job->row, pairs, error);
    thaw_free(fall.x);
    thaw_scene_free(&scene);
    return status;
}

// --- figures 4b and 4d: damping and stiffness ------------------------------------------------------------------------

// The cantilever with another alpha1 (rows that begin with "damping") or another E, and the scene's own thresholds.
static ThawStatus run_material(Bench *bench, const BenchJob *job, ThawError *error) {
    ThawScene *scene = NULL;
    ThawStatus status = bench_load(bench, job->scene, &scene, error);
    if (status != THAW_OK)
        return status;
    int damps = strncmp(job->row, "damping", 7) == 0;
    for (int32_t m = 0; m < scene->world.material_count; m++) {
        ThawMaterialDef *material = (ThawMaterialDef *)&scene->world.materials[m]; // the scene is ours
        *(damps ? &material->alpha1 : &material->young) = job->parameter;
    }
    status = compare(bench, job, scene, NULL, 1500, NULL, NULL, bench_put_figures, error);
    const BenchPair pairs[] = {{"value", job->parameter}, {NULL, 0}};
    if (status == THAW_OK)
        status = bench_put_all(bench, job->row, pairs, error);
    thaw_scene_free(&scene);
    return status;
}

// --- the published mesh ----------------------------------------------------------------------------------------------

// The beam of 913 vertices and 3803 tetrahedra that the published figures are of. It is not part of this project: an
// option names its folder.
static ThawStatus run_validation(Bench *bench, const BenchJob *job, ThawError *error) {
    char path[4096], text[8000];
    ThawScene *scene = NULL;
    if (!bench->validation) {
        bench_say("  %s: left out; --validation names the folder of beam913.mesh", job->row);
        return THAW_OK;
    }
    snprintf(path, sizeof path, "%s/beam913.mesh", bench->validation);
    snprintf(text, sizeof text,
             "{'thaw': 1, 'gravity': [0, 0, -9.8], 'time': {'step': 0.01, 'steps': 1500},"
             " 'materials': {'m': {'density': 10, 'young': 5e4, 'poisson': 0.35, 'alpha0': 1e-5, 'alpha1': 0.1}},"
             " 'shapes': {'beam': {'mesh': {'file': '%s'}, 'scale': 0.6, 'material': 'm', 'groups': {'clamp': {'box': "
             "{'min': [-100, -100, -100], 'max': [100, 100, -2.0559]}}}}},"
             " 'bodies': [{'shape': 'beam', 'method': 'rigidify', 'rotation': {'axis': [0, 1, 0], 'degrees': 90}, "
             "'pins': ['clamp']}]}",
             path);
    ThawStatus status = bench_parse(bench, text, &scene, error);
    if (status == THAW_OK)
        status = compare(bench, job, scene, NULL, 1500, NULL, NULL, bench_put_figures, error);
    thaw_scene_free(&scene);
    return status;
}

static ThawStatus beam_scene(const Bench *bench, const int cells[3], ThawScene **scene, ThawError *error) {
    char text[2000];
    snprintf(text, sizeof text,
             "{'thaw': 1, 'gravity': [0, 0, -9.8], 'time': {'step': 0.01, 'steps': 1500},"
             " 'materials': {'m': {'density': 10, 'young': 5e4, 'poisson': 0.35, 'alpha0': 1e-5, 'alpha1': 0.1}},"
             " 'shapes': {'beam': {'mesh': {'box': {'min': [0, -0.6, -0.6], 'max': [4.11, 0.6, 0.6], 'cells': [%d, %d, "
             "%d]}},"
             " 'material': 'm'}}, 'bodies': [{'shape': 'beam', 'method': 'rigidify', 'pins': ['x-min']}]}",
             cells[0], cells[1], cells[2]);
    return bench_parse(bench, text, scene, error);
}

// --- figure 4c: the same regions whatever the resolution -------------------------------------------------------------

enum { RESOLUTIONS = 4, SLICES = 10 };
static const int RESOLUTION[RESOLUTIONS][3] = {{10, 3, 3}, {17, 5, 5}, {24, 7, 7}, {34, 10, 10}};

// For each slice of the beam across x: the share of elements and steps that are rigid.
static ThawStatus rigid_slices(const Bench *bench, const int cells[3], double share[SLICES], int64_t *settled,
                               ThawError *error) {
    ThawScene *scene = NULL;
    AppLockstep lockstep = {0};
    AppRunner runner = {0};
    double *state = NULL, *x = NULL;
    int32_t *elements = NULL;
    int64_t rigid[SLICES] = {0}, all[SLICES] = {0};
    ThawStatus status = beam_scene(bench, cells, &scene, error);
    if (status != THAW_OK)
        return status;
    int64_t steps = bench_steps(bench, scene->steps);
    status = app_lockstep_create(scene, &lockstep, error);
    if (status == THAW_OK)
        status = app_runner_create(&lockstep, "rigidify", scene->world.h, NULL, &runner, error);
    if (status == THAW_OK) {
        int32_t ne = thaw_world_element_count(runner.world, 0), nv = thaw_world_vertex_count(runner.world, 0);
        state = THAW_NEW(double, ne);
        x = THAW_NEW(double, 3 * (size_t)nv);
        elements = THAW_NEW(int32_t, 4 * (size_t)ne);
        if (!state || !x || !elements)
            status = thaw_error_memory(error, "the slices of a beam");
        else {
            thaw_world_get_elements(runner.world, 0, elements);
            thaw_world_get_positions(runner.world, 0, x);
        }
    }
    *settled = -1;
    for (int64_t k = 0; k < steps && status == THAW_OK; k++) {
        status = app_runner_step(&runner, error);
        if (status != THAW_OK)
            break;
        if (*settled < 0 && runner.last.elastic_elements == 0)
            *settled = k;
        thaw_world_get_field(runner.world, 0, thaw_field_find("state"), state);
        for (int32_t e = 0; e < thaw_world_element_count(runner.world, 0); e++) {
            double middle = 0;
            for (int a = 0; a < 4; a++)
                middle += x[3 * (size_t)elements[4 * e + a]] / 4;
            int slice = (int)(middle / 4.11 * SLICES);
            slice = slice < 0 ? 0 : slice >= SLICES ? SLICES - 1 : slice;
            all[slice]++;
            rigid[slice] += (int)state[e] != THAW_ELEMENT_ELASTIC;
        }
    }
    for (int s = 0; s < SLICES; s++)
        share[s] = all[s] > 0 ? (double)rigid[s] / (double)all[s] : 0;
    thaw_free(state);
    thaw_free(x);
    thaw_free(elements);
    app_runner_clear(&runner);
    app_lockstep_clear(&lockstep);
    thaw_scene_free(&scene);
    return status;
}

static ThawStatus run_resolutions(Bench *bench, const BenchJob *job, ThawError *error) {
    double share[RESOLUTIONS][SLICES];
    ThawStatus status = THAW_OK;
    for (int r = 0; r < RESOLUTIONS && status == THAW_OK; r++) {
        int64_t settled = 0;
        status = rigid_slices(bench, RESOLUTION[r], share[r], &settled, error);
        for (int s = 0; s < SLICES && status == THAW_OK; s++) {
            char key[32];
            snprintf(key, sizeof key, "share_%d_%d", r, s);
            status = bench_put(bench, job->row, key, share[r][s], error);
        }
        char key[2][32];
        snprintf(key[0], sizeof key[0], "settled_%d", r);
        snprintf(key[1], sizeof key[1], "elements_%d", r);
        const BenchPair pairs[] = {{key[0], (double)settled},
                                   {key[1], 6.0 * RESOLUTION[r][0] * RESOLUTION[r][1] * RESOLUTION[r][2]},
                                   {NULL, 0}};
        if (status == THAW_OK)
            status = bench_put_all(bench, job->row, pairs, error);
        bench_say("  %s: %d of %d", job->row, r + 1, RESOLUTIONS);
    }
    return status;
}

// --- figure 8: the higher drop wakes more ----------------------------------------------------------------------------

// The largest number of elastic elements of the mattress (body 0) on either side of its middle, from the first touch of
// that side's ball on, for `window` seconds.
static ThawStatus run_mattress(Bench *bench, const BenchJob *job, ThawError *error) {
    const double window = 0.01; // later, the waves of both have come to the edges
    ThawScene *scene = NULL;
    AppLockstep lockstep = {0};
    AppRunner runner = {0};
    ThawContactPoint *points = NULL;
    double *state = NULL, *x = NULL, touched[2] = {-1, -1};
    int32_t *elements = NULL, room = 0;
    int64_t most[2] = {0, 0}, before[2] = {0, 0}, sum[2] = {0, 0}, counted[2] = {0, 0};
    ThawStatus status = bench_load(bench, job->scene, &scene, error);
    if (status != THAW_OK)
        return status;
    status = app_lockstep_create(scene, &lockstep, error);
    if (status == THAW_OK)
        status = app_runner_create(&lockstep, "rigidify", scene->world.h, NULL, &runner, error);
    int32_t ne = thaw_world_element_count(runner.world, 0), nv = thaw_world_vertex_count(runner.world, 0);
    state = THAW_NEW(double, ne);
    x = THAW_NEW(double, 3 * (size_t)nv);
    elements = THAW_NEW(int32_t, 4 * (size_t)ne);
    if (status == THAW_OK && (!state || !x || !elements))
        status = thaw_error_memory(error, "the mattress");
    if (status == THAW_OK) {
        thaw_world_get_elements(runner.world, 0, elements);
        thaw_world_get_positions(runner.world, 0, x);
    }
    int64_t steps = bench_steps(bench, scene->steps);
    for (int64_t k = 0; k < steps && status == THAW_OK; k++) {
        status = app_runner_step(&runner, error);
        int32_t count = thaw_world_contact_count(runner.world);
        if (status == THAW_OK && count > room) {
            ThawContactPoint *more = thaw_regrow(points, 0, 2 * (size_t)count, sizeof *more);
            points = more ? more : points;
            room = more ? 2 * count : room;
            status = more ? THAW_OK : thaw_error_memory(error, "the mattress");
        }
        if (status != THAW_OK)
            break;
        thaw_world_get_contacts(runner.world, points);
        int64_t elastic[2] = {0, 0};
        thaw_world_get_field(runner.world, 0, thaw_field_find("state"), state);
        for (int32_t e = 0; e < ne; e++) {
            double middle = 0;
            for (int a = 0; a < 4; a++)
                middle += x[3 * (size_t)elements[4 * e + a] + 1];
            elastic[middle > 0] += (int)state[e] == THAW_ELEMENT_ELASTIC;
        }
        for (int32_t c = 0; c < count; c++)
            for (int side = 0; side < 2; side++)
                if (points[c].body[1 - side] == 0 && points[c].body[side] > 0 && touched[points[c].body[side] - 1] < 0)
                    touched[points[c].body[side] - 1] = runner.last.time;
        for (int b = 0; b < 2; b++) {
            if (touched[b] >= 0 && runner.last.time <= touched[b] + window) {
                most[b] = elastic[b] > most[b] ? elastic[b] : most[b];
                sum[b] += elastic
                    [b]; // the oracle may be asked by strides of some steps: means do not depend on where they end
                counted[b]++;
            }
            if (touched[b] < 0)
                before[b] = elastic[b];
        }
    }
    const BenchPair pairs[] = {{"low_woken", (double)sum[0] / fmax(1, (double)counted[0])},
                               {"high_woken", (double)sum[1] / fmax(1, (double)counted[1])},
                               {"low_most", (double)most[0]},
                               {"high_most", (double)most[1]},
                               {"low_before", (double)before[0]},
                               {"high_before", (double)before[1]},
                               {"low_time", touched[0]},
                               {"high_time", touched[1]},
                               {"elements", (double)ne},
                               {"window", window},
                               {NULL, 0}};
    if (status == THAW_OK)
        status = bench_put_all(bench, job->row, pairs, error);
    thaw_free(points);
    thaw_free(state);
    thaw_free(x);
    thaw_free(elements);
    app_runner_clear(&runner);
    app_lockstep_clear(&lockstep);
    thaw_scene_free(&scene);
    return status;
}

// --- the list --------------------------------------------------------------------------------------------------------

// Rows that differ in one number, which their name ends with.
// clang-format off
#define SWEEP(dim, tau_E) {"sweep-" dim "-" #tau_E, run_sweep, "cantilever-" dim, 0, tau_E}
#define WHEELS(tau_E) {"wheels-" #tau_E, run_wheels, "wheels", 0, tau_E}
#define DAMPING(alpha1) {"damping-" #alpha1, run_material, "cantilever-3d", 0, alpha1}
#define STIFFNESS(young) {"stiffness-" #young, run_material, "cantilever-3d", 0, young}
#define LOOSE(scene, paper, factor) {"loose-" scene "-" #factor, run_loose, scene, paper, factor}
#define PUBLISHED(scene, paper) {"published-" scene, run_published, scene, paper, 0}
#define FLOOR(scene) {"floor-" scene, run_floor, scene, 0, 0}
#define SHIFTED(scene, by) {"shifted-" scene "-" #by, run_shifted, scene, 0, by}
// clang-format on

static const BenchJob jobs[] = {
    {"octopus", run_scene, "octopus", 4.3, 0},
    {"blob", run_scene, "blob", 2.1, 0},
    {"wheel", run_scene, "wheel", 11.5, 0},
    {"forest", run_scene, "forest", 8.3, 0},
    {"pachinko", run_scene, "pachinko", 11.0, 0},
    {"cantilever", run_cantilever, "cantilever-3d", 0, 0},
    SWEEP("2d", 1e-7),
    SWEEP("2d", 1e-6),
    SWEEP("2d", 1e-5),
    SWEEP("2d", 1e-4),
    SWEEP("2d", 1e-3),
    SWEEP("2d", 1e-2),
    SWEEP("2d", 1e-1),
    SWEEP("2d", 1),
    SWEEP("3d", 1e-7),
    SWEEP("3d", 1e-6),
    SWEEP("3d", 1e-5),
    SWEEP("3d", 1e-4),
    SWEEP("3d", 1e-3),
    SWEEP("3d", 1e-2),
    SWEEP("3d", 1e-1),
    SWEEP("3d", 1),
    WHEELS(1e-5),
    WHEELS(1e-4),
    WHEELS(1e-3),
    WHEELS(1e-2),
    {"validation", run_validation, NULL, 0, 0},
    DAMPING(0.005),
    DAMPING(0.02),
    DAMPING(0.1),
    DAMPING(0.5),
    STIFFNESS(1e4),
    STIFFNESS(5e4),
    STIFFNESS(2e5),
    STIFFNESS(1e6),
    {"resolutions", run_resolutions, NULL, 0, 0},
    {"mattress", run_mattress, "mattress", 0, 0},
    {"rest", bench_run_rest, NULL, 0, 0},
    {"flight", bench_run_rest, NULL, 0, 1},
    {"block", bench_run_block, NULL, 0, 0},
    {"trees", bench_run_trees, "thousand-trees", 0, 0},
    {"worst", bench_run_worst, NULL, 0, 0},
    LOOSE("octopus", 4.3, 3),
    LOOSE("wheel", 11.5, 3),
    PUBLISHED("octopus", 4.3),
    PUBLISHED("blob", 2.1),
    PUBLISHED("wheel", 11.5),
    PUBLISHED("forest", 8.3),
    PUBLISHED("pachinko", 11.0),
    FLOOR("octopus"),
    FLOOR("blob"),
    FLOOR("wheel"),
    FLOOR("forest"),
    FLOOR("pachinko"),
    SHIFTED("forest", 1e-6),
    SHIFTED("forest", 1e-4),
    SHIFTED("pachinko", 1e-8),
    SHIFTED("pachinko", 1e-6),
    SHIFTED("pachinko", 1e-4),
};

const BenchSuite bench_suite_rigidify = {.name = "rigidify",
                                         .summary = "adaptive rigidification of solids: speed, error and the oracle",
                                         .jobs = jobs,
                                         .job_count = sizeof jobs / sizeof *jobs,
                                         .write_page = bench_rigidify_page};
