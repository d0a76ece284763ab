// SPDX-License-Identifier: Apache-2.0
// The scenes of the paper on adaptive rigidification of discrete shells (its table 1), by the full and the adaptive
// method side by side: with default thresholds, with a tolerance of a percent, and by the published rule with its
// contact filter and the paper's thresholds for the scene. Resolutions, materials and steps are the paper's, meshes
// and motions our own (scenes/shells/), so times are not the paper's: what is beside its figures is the factor, which
// it gives without contact. Errors stand beside how far the full method goes astray with half the step, and from a
// start shifted by a millionth.
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "bench.h"
#include "registry/method.h"

// The paper's thresholds for a scene; of bending 1/(m s), or rad/s.
typedef struct Published {
    const char *scene;
    double tau[2], bend[2];
    int dihedral;
} Published;

#define FOLDER "shells/" // of the scenes
#define ROOTS(a, b)                                                                                                    \
    { 4 * (a), 4 * (b) } // 4 sqrt(tau)
static const Published published[] = {
    {"dancer", {1e-2, 1e-1}, {20, 200}, 0},
    {"spheres", {7e-2, 7e-1}, {0.5, 2}, 0},
    {"tablecloth", {5e-3, 5e-2}, ROOTS(0.0707107, 0.2236068), 0},
    {"sleeve-horizontal", {2e-3, 2e-2}, ROOTS(0.0447214, 0.1414214), 1},
    {"hat", {1e-3, 1e-2}, ROOTS(0.0316228, 0.1), 1},
    {"sleeve-vertical", {5e-2, 1e-1}, {5, 7}, 0},
    {"rotating-sphere", {5, 50}, {5, 50}, 0},
};
enum { SCENES = sizeof published / sizeof *published };

static const Published *published_of(const char *scene) {
    const Published *p = published;
    while (strcmp(p->scene, scene + strlen(FOLDER)) != 0)
        p++;
    return p;
}

enum { DEFAULT, LOOSE, BY_PAPER, RULES }; // floors come with the first
static ThawStatus run_shell(Bench *bench, const BenchJob *job, ThawError *error) {
    ThawScene *scene = NULL;
    AppVersus versus = {0};
    ThawOptionDef rows[THAW_OPTION_ROWS];
    ThawStatus status = bench_load(bench, job->scene, &scene, error);
    if (status != THAW_OK)
        return status;
    const Published *p = published_of(job->scene);
    const int rule = (int)job->parameter;
    ThawRigidifyOptions rigidify = scene->world.rigidify;
    if (rule == LOOSE)
        rigidify.tolerance = 1e-2;
    if (rule == BY_PAPER) {
        rigidify.oracle = THAW_ORACLE_PAPER;
        rigidify.warm_start = THAW_WARM_FILTER;
        rigidify.frame_count = 3;
        rigidify.hold = 0; // what wakes serves those steps again, and no more
        rigidify.tau_rigid = p->tau[0];
        rigidify.tau_elastic = p->tau[1];
        rigidify.bend_rigid = p->bend[0];
        rigidify.bend_elastic = p->bend[1];
        rigidify.dihedral = p->dihedral;
    }
    AppVersusDef def = {
        .scene = scene,
        .method = "rigidify",
        .against = "full",
        .options = {rows, rule != DEFAULT ? app_options_list(&thaw_method_rigidify, &rigidify, rows) : 0},
        .steps = bench_steps(bench, scene->steps),
        .floor = rule == DEFAULT,
        .tolerance = 10};
    status = app_versus_create(&def, &versus, error);
    if (status == THAW_OK)
        status = bench_run_versus(&versus, job->row, NULL, NULL, error);
    if (status == THAW_OK)
        status = bench_put_figures(bench, job->row, &versus, error);
    const BenchPair floors[] = {{"paper", job->paper},
                                {"step_floor", versus.figures.max_floor},
                                {"shift_floor", versus.figures.max_shift},
                                {NULL, 0}};
    if (status == THAW_OK)
        status = bench_put_all(bench, job->row, floors, error);
    app_versus_clear(&versus);
    thaw_scene_free(&scene);
    return status;
}

#define SHELL(name, factor)                                                                                            \
    {name, run_shell, FOLDER name, factor, DEFAULT}, {name "-loose", run_shell, FOLDER name, factor, LOOSE}, {         \
        name "-published", run_shell, FOLDER name, factor, BY_PAPER                                                    \
    }
static const BenchJob jobs[] = {SHELL("dancer", 3.38),
                                SHELL("spheres", 3.07),
                                SHELL("tablecloth", 5.04),
                                SHELL("sleeve-horizontal", 13.31),
                                SHELL("hat", 1.42),
                                SHELL("sleeve-vertical", 6.03),
                                SHELL("rotating-sphere", 2.19)};
enum { JOBS = sizeof jobs / sizeof *jobs };
_Static_assert(JOBS == RULES * SCENES, "one by each rule");

static void cell(FILE *page, const Bench *bench, const char *row, const char *key, const char *format, double factor) {
    const double value = factor * bench_get(bench, row, key);
    fputs(" ", page);
    if (isnan(value))
        fputs("-", page);
    else
        fprintf(page, format, value);
    fputs(" |", page);
}

static void write_page(const Bench *bench, FILE *page) {
    fprintf(page,
            "# Shells\n\n"
            "CPU ms a step; how many times faster, with contact and without (nc, beside the paper's figure); "
            "errors over the diameter of\nthe body, largest and mean; beside them how far the full method is "
            "from itself with half the step, and from a start\nshifted by a millionth of the diameter. Loose: with a "
            "tolerance of 1e-2.\n"
            "Published: by the paper's rule and thresholds. Our own "
            "meshes and motions.\n\n"
            "| scene | elements | steps | full | adaptive | total | nc (paper) | max error | mean | half the step | "
            "shifted | rigid | recall |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < JOBS; i++) {
        const char *row = jobs[i].row;
        if (isnan(bench_get(bench, row, "total")))
            continue;
        fprintf(page, "| %s |", row);
        cell(page, bench, row, "elements", "%.0f", 1);
        cell(page, bench, row, "steps", "%.0f", 1);
        cell(page, bench, row, "full_ms", "%.2f", 1);
        cell(page, bench, row, "adaptive_ms", "%.2f", 1);
        cell(page, bench, row, "total", "%.2f", 1);
        fprintf(page, " %.2f (%.2f) |", bench_get(bench, row, "nc_total"), jobs[i].paper);
        cell(page, bench, row, "max_error", "%.2f %%", 100);
        cell(page, bench, row, "mean_error", "%.2f %%", 100);
        cell(page, bench, jobs[i - i % RULES].row, "step_floor", "%.1f %%", 100);
        cell(page, bench, jobs[i - i % RULES].row, "shift_floor", "%.2f %%", 100);
        cell(page, bench, row, "rigid", "%.0f %%", 100);
        cell(page, bench, row, "recall", "%.2f %%", 100);
        fputc('\n', page);
    }
}

const BenchSuite bench_suite_shells = {
    "shells", "scenes of the paper on discrete shells, full and adaptive", jobs, JOBS, 0, write_page};
