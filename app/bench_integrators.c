// SPDX-License-Identifier: Apache-2.0
// `thaw bench integrators`: work and precision. Six motions by every integrator with seven steps, each twice as short
// as the one before: how far off over how much CPU time, and where in a step that goes.
//
// Off from what: from the same motion by TR-BDF2, iterated, with steps an eighth of the shortest. How far that may be
// off itself is told by the same with twice that step. The error of a run is the largest distance of a vertex from
// where it should be, over the diameter of its body, the largest of all moments that are compared.
//
// Damping is that of strain rates by name, for by "auto" integrators would have limits of their own.
#include "bench_integrators.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "registry/scheme.h"

// clang-format off
const BenchMotion bench_motions[] = {
    {"cantilever", "Cantilever that vibrates",
     "{'thaw': 1, 'dimension': 2, 'gravity': [0, -0.5], 'time': {'step': 0.04},"
     " 'materials': {'m': {'young': 1e6, 'density': 1000, 'poisson': 0.3, 'alpha1': 0.002, 'damping': 'viscous'}},"
     " 'shapes': {'s': {'mesh': {'box': {'min': [0, -0.05], 'max': [1, 0.05], 'cells': [60, 6]}}, 'material': 'm'}},"
     " 'bodies': [{'shape': 's', 'pins': ['x-min']}]}",
     0.04, 60},
    {"pendulum", "Steel bar on a hinge",
     "{'thaw': 1, 'time': {'step': 0.02}, 'materials': {'m': {'young': 2e11, 'density': 7800, 'poisson': 0.3,"
     " 'alpha1': 1e-5, 'damping': 'viscous'}}, 'shapes': {'s': {'mesh': {'box': {'min': [0, -0.02, -0.02],"
     " 'max': [0.3, 0.02, 0.02], 'cells': [10, 2, 2]}}, 'material': 'm', 'groups': {'pin': {'box':"
     " {'min': [-1, -1, -0.001], 'max': [0.001, 1, 0.001]}}}}}, 'bodies': [{'shape': 's', 'pins': ['pin']}]}",
     0.02, 50},
    {"brick", "Rubber brick that tumbles in flight",
     "{'thaw': 1, 'time': {'step': 0.016}, 'materials': {'m': {'young': 1e6, 'density': 1000, 'poisson': 0.3,"
     " 'alpha1': 0.001, 'damping': 'viscous'}}, 'shapes': {'s': {'mesh': {'box': {'min': [-0.1, -0.05, -0.02],"
     " 'max': [0.1, 0.05, 0.02], 'cells': [8, 4, 2]}}, 'material': 'm'}}, 'bodies': [{'shape': 's',"
     " 'velocity': [1, 0, 3], 'spin': [0.3, 12, 0.2]}]}",
     0.016, 50},
    {"disc", "Disc of silicone that rolls down 10 degrees",
     "{'thaw': 1, 'dimension': 2, 'gravity': [1.70349, -9.66096], 'time': {'step': 0.008}, 'materials': {'m':"
     " {'young': 1e6, 'density': 1100, 'poisson': 0.4, 'alpha1': 0.0005, 'damping': 'viscous'}}, 'shapes': {'s':"
     " {'mesh': {'solid': {'sphere': {'radius': 0.03}}, 'size': 0.003}, 'material': 'm'}}, 'bodies': [{'shape': 's',"
     " 'position': [0, 0.03], 'friction': 1}], 'obstacles': [{'plane': {}, 'friction': 1}]}",
     0.008, 50},
    {"ball", "Rubber disc that falls and bounces",
     "{'thaw': 1, 'dimension': 2, 'time': {'step': 0.008}, 'materials': {'m': {'young': 1.3e6, 'density': 1030,"
     " 'poisson': 0.45, 'alpha1': 0.0002, 'damping': 'viscous'}}, 'shapes': {'s': {'mesh': {'solid': {'sphere':"
     " {'radius': 0.05}}, 'size': 0.006}, 'material': 'm'}}, 'bodies': [{'shape': 's', 'position': [0, 0.1]}],"
     " 'obstacles': [{'plane': {}}]}",
     0.008, 30},
    {"collision", "Two soft blocks that meet off their middles in flight",
     "{'thaw': 1, 'dimension': 2, 'gravity': [0, 0], 'time': {'step': 0.008}, 'materials': {'m': {'young': 5e5,"
     " 'density': 1000, 'poisson': 0.3, 'alpha1': 0.001, 'damping': 'viscous'}}, 'shapes': {'s': {'mesh': {'box':"
     " {'min': [-0.1, -0.05], 'max': [0.1, 0.05], 'cells': [14, 7]}}, 'material': 'm'}}, 'bodies': [{'shape': 's',"
     " 'velocity': [1, 0], 'spin': 3}, {'shape': 's', 'position': [0.26, 0.06], 'velocity': [-1, 0],"
     " 'rotation': {'degrees': 70}, 'spin': -2}]}",
     0.008, 30},
};
// clang-format on
const int bench_motion_count = sizeof bench_motions / sizeof *bench_motions;

#define STAGE(name, title)                                                                                             \
    { #name, title, offsetof(ThawStepStats, name##_ms) }
const BenchStage bench_stages[] = {
    STAGE(force, "forces"),   STAGE(assemble, "assembly"), STAGE(factor, "factor"),     STAGE(solve, "solves"),
    STAGE(contact, "search"), STAGE(response, "response"), STAGE(advance, "advancing"), STAGE(ledger, "energies")};
const int bench_stage_count = sizeof bench_stages / sizeof *bench_stages;

void bench_key(char key[32], int integrator, int level, const char *what) {
    snprintf(key, 32, "%s_%d_%s", thaw_scheme((ThawIntegrator)integrator)->name, level, what);
}

double bench_figure(const Bench *bench, const char *row, int integrator, int level, const char *what) {
    char key[32];
    bench_key(key, integrator, level, what);
    return bench_get(bench, row, key);
}

// --- one motion ------------------------------------------------------------------------------------------------------

typedef struct Trial {
    Bench *bench;
    const BenchMotion *motion;
    ThawScene *scene;
    AppLockstep lockstep;
    int64_t samples; // moments that are compared, h apart
    size_t size;     // coordinates of all bodies
    double *x[2];    // samples * size: where it should be, by two steps
} Trial;

// Steps an eighth of the shortest, and twice that.
static const int PARTS[2] = {8 << (BENCH_LEVELS - 1), 4 << (BENCH_LEVELS - 1)};

static size_t take_positions(const ThawWorld *world, double *x) {
    size_t at = 0;
    for (int32_t b = 0; b < thaw_world_body_count(world); b++) {
        if (x)
            thaw_world_get_positions(world, b, x + at);
        at += (size_t)thaw_world_dim(world) * (size_t)thaw_world_vertex_count(world, b);
    }
    return at;
}

// Runs for h in so many parts.
static ThawStatus run_sample(AppRunner *runner, int parts, double stages[], ThawError *error) {
    ThawStatus status = THAW_OK;
    for (int i = 0; i < parts && status == THAW_OK; i++) {
        status = app_runner_step(runner, error);
        for (int s = 0; stages && s < bench_stage_count; s++)
            stages[s] += *(const double *)((const char *)&runner->last + bench_stages[s].offset);
    }
    return status;
}

static ThawStatus open_runner(Trial *t, ThawIntegrator integrator, int parts, AppRunner *runner, ThawError *error) {
    t->scene->world.integrator = integrator;
    return app_runner_create(&t->lockstep, "full", t->motion->h / parts, NULL, runner, error);
}

// Where it should be, by the finer and the coarser of the steps.
static ThawStatus follow(Trial *t, int which, ThawError *error) {
    AppRunner runner = {0};
    ThawStatus status = open_runner(t, THAW_INTEGRATOR_TR_BDF2_NEWTON, PARTS[which], &runner, error);
    if (status == THAW_OK) {
        t->size = take_positions(runner.world, NULL);
        t->x[which] = THAW_NEW(double, (size_t)t->samples * t->size);
        status = t->x[which] ? THAW_OK : thaw_error_memory(error, "where a motion should be");
    }
    double worst = 0;
    for (int64_t k = 0; k < t->samples && status == THAW_OK; k++) {
        status = run_sample(&runner, PARTS[which], NULL, error);
        if (status == THAW_OK)
            take_positions(runner.world, t->x[which] + (size_t)k * t->size);
        if (status == THAW_OK && which > 0)
            worst = fmax(worst, app_lockstep_distance_from(&t->lockstep, t->x[0] + (size_t)k * t->size, &runner, NULL));
    }
    if (status == THAW_OK)
        bench_say("  %s: where it should be, %g ms of CPU time", t->motion->row, runner.cpu_ms);
    if (status == THAW_OK && which > 0)
        status = bench_put(t->bench, t->motion->row, "reference", worst, error);
    app_runner_clear(&runner);
    return status;
}

// A run that fails has no error, and that is its figure.
static ThawStatus try(Trial *t, int integrator, int level, ThawError *error) {
    AppRunner runner = {0};
    double worst = 0, stages[16] = {0};
    char key[32];
    ThawStatus status = open_runner(t, (ThawIntegrator)integrator, 1 << level, &runner, error);
    for (int64_t k = 0; k < t->samples && status == THAW_OK; k++) {
        status = run_sample(&runner, 1 << level, stages, error);
        if (status == THAW_OK)
            worst = fmax(worst, app_lockstep_distance_from(&t->lockstep, t->x[0] + (size_t)k * t->size, &runner, NULL));
    }
    if (status > 0) {
        bench_say("  %s, %s: %s", t->motion->row, thaw_scheme((ThawIntegrator)integrator)->name, error->message);
        worst = NAN;
        status = THAW_OK;
    }
    const struct {
        const char *what;
        double value;
    } pairs[] = {
        {"error", worst}, {"cpu_ms", runner.cpu_ms}, {"wall_ms", runner.wall_ms}, {"steps", (double)runner.steps}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs && status == THAW_OK; i++) {
        bench_key(key, integrator, level, pairs[i].what);
        status = bench_put(t->bench, t->motion->row, key, pairs[i].value, error);
    }
    for (int s = 0; s < bench_stage_count && status == THAW_OK; s++) {
        bench_key(key, integrator, level, bench_stages[s].key);
        status = bench_put(t->bench, t->motion->row, key, stages[s], error);
    }
    app_runner_clear(&runner);
    return status;
}

static ThawStatus run_motion(Bench *bench, const BenchJob *job, ThawError *error) {
    Trial t = {.bench = bench};
    for (int i = 0; i < bench_motion_count; i++)
        if (strcmp(bench_motions[i].row, job->row) == 0)
            t.motion = &bench_motions[i];
    ThawStatus status = bench_parse(bench, t.motion->scene, &t.scene, error);
    t.samples = bench_steps(bench, t.motion->steps);
    if (status == THAW_OK)
        status = app_lockstep_create(t.scene, &t.lockstep, error);
    for (int which = 0; which < 2 && status == THAW_OK; which++)
        status = follow(&t, which, error);
    for (int i = 0; i < THAW_INTEGRATOR_COUNT && status == THAW_OK; i++) {
        for (int level = 0; level < BENCH_LEVELS && status == THAW_OK; level++)
            status = try(&t, i, level, error);
        if (status == THAW_OK)
            bench_say("  %s: %s", job->row, thaw_scheme((ThawIntegrator)i)->name);
    }
    const BenchPair pairs[] = {{"elements", (double)t.lockstep.elements}, {"samples", (double)t.samples}, {NULL, 0}};
    if (status == THAW_OK)
        status = bench_put_all(bench, job->row, pairs, error);
    thaw_free(t.x[0]);
    thaw_free(t.x[1]);
    app_lockstep_clear(&t.lockstep);
    thaw_scene_free(&t.scene);
    return status;
}

static const BenchJob jobs[] = {
    {"cantilever", run_motion, NULL, 0, 0}, {"pendulum", run_motion, NULL, 0, 0}, {"brick", run_motion, NULL, 0, 0},
    {"disc", run_motion, NULL, 0, 0},       {"ball", run_motion, NULL, 0, 0},     {"collision", run_motion, NULL, 0, 0},
};

const BenchSuite bench_suite_integrators = {.name = "integrators",
                                            .summary = "integrators: error over CPU time in six motions",
                                            .jobs = jobs,
                                            .job_count = sizeof jobs / sizeof *jobs,
                                            .by_all_integrators = 1,
                                            .write_page = bench_integrators_page};
