// SPDX-License-Identifier: Apache-2.0
// Rows of `thaw bench rigidify` about rest: what a large body costs while it rests or flies as one rigid part, a
// thousand trees of which one is struck, a block that is dropped and comes to rest beside Bullet's (where that
// benchmark was built), and the opposite, a bar that never rests.
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "bench.h"

extern char **environ;

// 55,566 tetrahedra, held and at rest under gravity, or spinning in flight: a step of the full method against one with
// all of them rigid. At rest it falls asleep; in flight it cannot.
ThawStatus bench_run_rest(Bench *bench, const BenchJob *job, ThawError *error) {
    static const char held[] = "{'thaw': 1, 'gravity': [0, 0, -9.8], 'time': {'step': 0.01},"
                               " 'materials': {'m': {'density': 1000, 'young': 1e6, 'poisson': 0.35, 'alpha1': 0.01}},"
                               " 'shapes': {'block': {'mesh': {'box': {'min': [0, 0, 0], 'max': [1, 1, 1], 'cells': "
                               "[21, 21, 21]}}, 'material': 'm'}},"
                               " 'bodies': [{'shape': 'block', 'method': 'rigidify', 'pins': ['z-min']}]}";
    static const char flying[] =
        "{'thaw': 1, 'gravity': [0, 0, -9.8], 'time': {'step': 0.01},"
        " 'materials': {'m': {'density': 1000, 'young': 1e6, 'poisson': 0.35, 'alpha1': 0.01}},"
        " 'shapes': {'block': {'mesh': {'box': {'min': [0, 0, 0], 'max': [1, 1, 1], 'cells': [21, 21, 21]}}, "
        "'material': 'm'}},"
        " 'bodies': [{'shape': 'block', 'method': 'rigidify', 'velocity': [1, 0, 10]}]}";
    ThawScene *scene = NULL;
    AppLockstep lockstep = {0};
    AppRunner full = {0}, rigid = {0};
    enum { FULL_STEPS = 5, RIGID_STEPS = 200, SETTLE = 200 };
    int flies = job->parameter != 0;
    ThawStatus status = bench_parse(bench, flies ? flying : held, &scene, error);
    if (status == THAW_OK)
        status = app_lockstep_create(scene, &lockstep, error);
    if (status == THAW_OK)
        status = app_runner_create(&lockstep, "full", scene->world.h, NULL, &full, error);
    if (status == THAW_OK)
        status = app_runner_create(&lockstep, "rigidify", scene->world.h, NULL, &rigid, error);
    if (status == THAW_OK && !flies)
        status = thaw_world_solve_static(full.world, NULL, error);
    if (status == THAW_OK && !flies)
        status = thaw_world_solve_static(rigid.world, NULL, error);
    if (status == THAW_OK)
        status = app_runner_step(&full, error); // the first makes plans
    for (int k = 0; k < SETTLE && status == THAW_OK; k++) {
        status = app_runner_step(&rigid, error);
        if (rigid.last.elastic_elements == 0 && k > 40)
            break;
    }
    int64_t elastic = rigid.last.elastic_elements;
    full.cpu_ms = rigid.cpu_ms = 0;
    for (int k = 0; k < FULL_STEPS && status == THAW_OK; k++)
        status = app_runner_step(&full, error);
    for (int k = 0; k < RIGID_STEPS && status == THAW_OK; k++)
        status = app_runner_step(&rigid, error);
    const BenchPair pairs[] = {{"elements", (double)lockstep.elements},
                               {"elastic", (double)elastic},
                               {"full_ms", full.cpu_ms / FULL_STEPS},
                               {"rigid_ms", rigid.cpu_ms / RIGID_STEPS},
                               {"share", rigid.cpu_ms / RIGID_STEPS / (full.cpu_ms / FULL_STEPS)},
                               {NULL, 0}};
    if (status == THAW_OK)
        status = bench_put_all(bench, job->row, pairs, error);
    app_runner_clear(&full);
    app_runner_clear(&rigid);
    app_lockstep_clear(&lockstep);
    thaw_scene_free(&scene);
    return status;
}

// A bar whose ends are turned to and fro without pause: nothing can become rigid, and asking must not cost much.
ThawStatus bench_run_worst(Bench *bench, const BenchJob *job, ThawError *error) {
    char text[4096];
    int at =
        snprintf(text, sizeof text,
                 "{'thaw': 1, 'gravity': [0, 0, -9.8], 'time': {'step': 0.01},"
                 " 'materials': {'m': {'density': 1000, 'young': 1e6, 'poisson': 0.4, 'alpha1': 0.005}},"
                 " 'shapes': {'bar': {'mesh': {'box': {'min': [0, 0, 0], 'max': [1, 0.2, 0.2], 'cells': [34, 5, 5]}},"
                 " 'material': 'm'}}, 'bodies': [{'shape': 'bar', 'method': 'rigidify', 'pins': ['x-min'], 'scripts':"
                 " [{'group': 'x-max', 'centre': [1, 0.1, 0.1], 'keys': [{'time': 0}");
    for (int k = 1; k <= 16; k++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       ", {'time': %g, 'rotation': {'axis': [1, 0, 0], 'degrees': %d}}", 0.5 * k - 0.25,
                       k % 2 ? 60 : -60);
    snprintf(text + at, sizeof text - (size_t)at, "]}]}]}");
    ThawScene *scene = NULL;
    AppVersus versus = {0};
    ThawStatus status = bench_parse(bench, text, &scene, error);
    AppVersusDef def = {
        .scene = scene, .method = "rigidify", .against = "full", .steps = bench_steps(bench, 750), .tolerance = 10};
    if (status == THAW_OK)
        status = app_versus_create(&def, &versus, error);
    if (status == THAW_OK)
        status = bench_run_versus(&versus, job->row, NULL, NULL, error);
    if (status == THAW_OK)
        status = bench_put_figures(bench, job->row, &versus, error);
    if (status == THAW_OK)
        status =
            bench_put(bench, job->row, "ratio", versus.figures.other.cpu_ms / versus.figures.reference.cpu_ms, error);
    app_versus_clear(&versus);
    thaw_scene_free(&scene);
    return status;
}

// A thousand trees with one struck, against that one alone (the first bodies of the scene are the trees, the last the
// bat).
ThawStatus bench_run_trees(Bench *bench, const BenchJob *job, ThawError *error) {
    ThawScene *scene = NULL;
    ThawStatus status = bench_load(bench, job->scene, &scene, error);
    if (status != THAW_OK)
        return status;
    const ThawBodyDef *all = scene->world.bodies;
    int32_t count = scene->world.body_count, struck = -1;
    int64_t steps = bench_steps(bench, scene->steps);
    double ms[2] = {0, 0}, elastic[2] = {0, 0};
    for (int32_t i = 0; i < count; i++)
        if (strcmp(all[i].name, "tree-0") == 0)
            struck = i;
    ThawBodyDef *two = THAW_NEW(ThawBodyDef, 2);
    if (!two || struck < 0)
        status = thaw_error_set(error, THAW_ERROR_INPUT, "%s: no body tree-0, which is to be struck", job->scene);
    for (int alone = 0; alone < 2 && status == THAW_OK; alone++) {
        AppLockstep lockstep = {0};
        AppRunner runner = {0};
        if (alone) {
            two[0] = all[struck];
            two[1] = all[count - 1];
            scene->world.bodies = two;
            scene->world.body_count = 2;
        }
        status = app_lockstep_create(scene, &lockstep, error);
        if (status == THAW_OK)
            status = app_runner_create(&lockstep, NULL, scene->world.h, NULL, &runner, error);
        for (int64_t k = 0; k < steps && status == THAW_OK; k++) {
            status = app_runner_step(&runner, error);
            elastic[alone] += (double)runner.last.elastic_elements;
        }
        ms[alone] = runner.cpu_ms;
        bench_say("  %s: %s %.1f ms of CPU time", job->row, alone ? "one tree" : "all trees", runner.cpu_ms);
        app_runner_clear(&runner);
        app_lockstep_clear(&lockstep);
    }
    scene->world.bodies = all;
    scene->world.body_count = count;
    const BenchPair pairs[] = {{"trees", count - 1.0},
                               {"steps", (double)steps},
                               {"all_ms", ms[0] / (double)steps},
                               {"one_ms", ms[1] / (double)steps},
                               {"elastic_all", elastic[0] / (double)steps},
                               {"elastic_one", elastic[1] / (double)steps},
                               {"ratio", ms[0] / ms[1]},
                               {NULL, 0}};
    if (status == THAW_OK)
        status = bench_put_all(bench, job->row, pairs, error);
    thaw_free(two);
    thaw_scene_free(&scene);
    return status;
}

// --- a block dropped and resting, beside Bullet ----------------------------------------------------------------------

typedef struct Drop {
    double falling[2], resting[2]; // CPU ms a step in the first second and in the third: full, adaptive
} Drop;

static void watch_drop(const AppVersus *v, void *context) {
    Drop *drop = context;
    int64_t step = v->figures.steps;
    double ms[2] = {v->reference.last.cpu_ms / 100, v->other.last.cpu_ms / 100};
    for (int i = 0; i < 2; i++) {
        drop->falling[i] += step > 1 && step <= 101 ? ms[i] : 0;
        drop->resting[i] += step > 200 ? ms[i] : 0;
    }
}

// What `path block` writes, without a shell, which would read more into a path than a path. NULL where it does not
// start.
static FILE *start_peer(const char *path, pid_t *pid) {
    const char *const command[] = {path, "block", NULL};
    int ends[2];
    posix_spawn_file_actions_t actions;
    if (pipe2(ends, O_CLOEXEC))
        return NULL;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    const int failed = posix_spawn(pid, path, &actions, NULL, (char *const *)(uintptr_t)command, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *output = failed ? NULL : fdopen(ends[0], "r");
    if (!output)
        close(ends[0]);
    if (!output && !failed)
        waitpid(*pid, NULL, 0);
    return output;
}

// The rows of bench_peer_bullet, which lies beside this program where Bullet was found when it was built.
static ThawStatus run_bullet(Bench *bench, const char *row, ThawError *error) {
    static const char *const names[] = {"without sleep,", "with sleep,"};
    static const char *const keys[2][2] = {{"bullet_falling_ms", "bullet_resting_ms"},
                                           {"bullet_sleep_falling_ms", "bullet_sleep_resting_ms"}};
    char path[4200], line[200];
    pid_t pid;
    const char *slash = strrchr(bench->program, '/');
    snprintf(path, sizeof path, "%.*sbench/bench_peer_bullet", slash ? (int)(slash + 1 - bench->program) : 0,
             bench->program);
    FILE *pipe = start_peer(path, &pid);
    ThawStatus status = THAW_OK;
    while (pipe && status == THAW_OK && fgets(line, sizeof line, pipe))
        for (int i = 0; i < 2; i++) {
            const char *found = strstr(line, names[i]);
            double falling, resting;
            if (!found || sscanf(found + strlen(names[i]), "%*d,%lf,%lf", &falling, &resting) != 2)
                continue;
            const BenchPair pairs[] = {{keys[i][0], falling}, {keys[i][1], resting}, {NULL, 0}};
            status = bench_put_all(bench, row, pairs, error);
        }
    if (pipe) {
        fclose(pipe); // a peer that still writes ends
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    return status;
}

ThawStatus bench_run_block(Bench *bench, const BenchJob *job, ThawError *error) {
    static const char text[] =
        "{'thaw': 1, 'gravity': [0, 0, -9.81], 'time': {'step': 0.01},"
        " 'materials': {'m': {'density': 1000, 'young': 5e6, 'poisson': 0.3, 'alpha1': 0.005}},"
        " 'shapes': {'block': {'mesh': {'box': {'min': [0, 0, 0.2], 'max': [1, 1, 1.2], 'cells': [10, 10, 10]}},"
        " 'material': 'm'}}, 'bodies': [{'shape': 'block', 'method': 'rigidify'}], 'obstacles': [{'plane': {}}]}";
    ThawScene *scene = NULL;
    AppVersus versus = {0};
    Drop drop = {0};
    ThawStatus status = bench_parse(bench, text, &scene, error);
    AppVersusDef def = {.scene = scene, .method = "rigidify", .against = "full", .steps = 300, .tolerance = 10};
    if (status == THAW_OK)
        status = app_versus_create(&def, &versus, error);
    if (status == THAW_OK)
        status = bench_run_versus(&versus, job->row, watch_drop, &drop, error);
    if (status == THAW_OK)
        status = bench_put_figures(bench, job->row, &versus, error);
    const BenchPair pairs[] = {{"full_falling_ms", drop.falling[0]},
                               {"full_resting_ms", drop.resting[0]},
                               {"adaptive_falling_ms", drop.falling[1]},
                               {"adaptive_resting_ms", drop.resting[1]},
                               {NULL, 0}};
    if (status == THAW_OK)
        status = bench_put_all(bench, job->row, pairs, error);
    if (status == THAW_OK)
        status = run_bullet(bench, job->row, error);
    app_versus_clear(&versus);
    thaw_scene_free(&scene);
    return status;
}
