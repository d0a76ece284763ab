// SPDX-License-Identifier: Apache-2.0
// The page of `thaw bench rigidify`: tables in Markdown, of the rows that are there. A figure that is missing is a
// dash.
#include <math.h>
#include <string.h>

#include "bench.h"
#include "registry/scheme.h"

// A value in a cell: as text of the format, times `factor`.
static void cell(FILE *page, const Bench *bench, const char *row, const char *key, const char *format, double factor) {
    double value = factor * bench_get(bench, row, key);
    fputs(" ", page);
    if (isnan(value))
        fputs("-", page);
    else
        fprintf(page, format, value);
    fputs(" |", page);
}

static int any(const Bench *bench, const char *prefix) {
    for (size_t i = 0; i < bench->count; i++)
        if (strncmp(bench->values[i].row, prefix, strlen(prefix)) == 0)
            return 1;
    return 0;
}

static void write_scenes(const Bench *bench, FILE *page) {
    fprintf(page,
            "## Scenes (table 1)\n\n"
            "CPU ms a step; speedups of the whole run and the mean of its steps, and both without contact; "
            "errors over the\n"
            "diameter of the body. The error floor is the full method against itself with half the time step. "
            "Together: recall\n"
            "of bodies as long as they are less than a tenth of their diameter apart. Loose: with\n"
            "thresholds for so many times the strains and speeds (tau_rigid by the square). Published: by the paper's "
            "rule.\n\n"
            "| scene | elements | steps | full | adaptive | total (paper) | mean | total, nc | mean, nc | max "
            "error | floor | "
            "rigid | recall | at 3 tau | at 10 | together | precision | step over floor | tau_rigid | epsilon |\n"
            "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < bench_suite_rigidify.job_count; i++) {
        const BenchJob *job = &bench_suite_rigidify.jobs[i];
        char floor[64];
        if (job->paper == 0 || isnan(bench_get(bench, job->row, "total")))
            continue;
        snprintf(floor, sizeof floor, "floor-%s", job->scene);
        fprintf(page, "| %s |", job->row);
        cell(page, bench, job->row, "elements", "%.0f", 1);
        cell(page, bench, job->row, "steps", "%.0f", 1);
        cell(page, bench, job->row, "full_ms", "%.2f", 1);
        cell(page, bench, job->row, "adaptive_ms", "%.2f", 1);
        fprintf(page, " %.2f (%.1f) |", bench_get(bench, job->row, "total"), job->paper);
        cell(page, bench, job->row, "mean", "%.1f", 1);
        cell(page, bench, job->row, "nc_total", "%.2f", 1);
        cell(page, bench, job->row, "nc_mean", "%.1f", 1);
        cell(page, bench, job->row, "max_error", "%.2f %%", 100);
        cell(page, bench, floor, "error_floor", "%.1f %%", 100);
        cell(page, bench, job->row, "rigid", "%.0f %%", 100);
        cell(page, bench, job->row, "recall", "%.2f %%", 100);
        cell(page, bench, job->row, "recall_3", "%.2f %%", 100);
        cell(page, bench, job->row, "recall_10", "%.2f %%", 100);
        cell(page, bench, job->row, "recall_together", "%.2f %%", 100);
        cell(page, bench, job->row, "precision", "%.0f %%", 100);
        cell(page, bench, job->row, "over_floor", "%.2f", 1);
        cell(page, bench, job->row, "tau_rigid", "%.0e", 1);
        cell(page, bench, job->row, "epsilon", "%.0e", 1);
        fputc('\n', page);
    }
    fputc('\n', page);
}

static void write_cantilever(const Bench *bench, FILE *page) {
    static const char *const phases[] = {"settles", "5 N at the tip", "20 N in the middle", "release"};
    if (!any(bench, "cantilever"))
        return;
    fprintf(page, "## A settled cantilever and loads on it\n\n"
                  "Errors over its length; \"felt\" is how many steps after the load changed something was elastic.\n\n"
                  "| phase | max error | at its end | rigid at its end | felt after |\n|---|---|---|---|---|\n");
    for (int p = 0; p < 4; p++) {
        char key[4][32];
        static const char *const names[] = {"phase_error", "phase_end_error", "phase_rigid", "phase_felt"};
        for (int k = 0; k < 4; k++)
            snprintf(key[k], sizeof key[k], "%s_%d", names[k], p);
        fprintf(page, "| %s |", phases[p]);
        cell(page, bench, "cantilever", key[0], "%.1e", 1);
        cell(page, bench, "cantilever", key[1], "%.1e", 1);
        cell(page, bench, "cantilever", key[2], "%.0f %%", 100);
        cell(page, bench, "cantilever", key[3], "%.0f", 1);
        fputc('\n', page);
    }
    fprintf(page,
            "\n%.0f elements. In the last 500 steps of settling a full step takes %.0f times as long; over all %.0f "
            "steps %.2f times. "
            "Recall %.3f %%.\n\n",
            bench_get(bench, "cantilever", "elements"), bench_get(bench, "cantilever", "settled_ratio"),
            bench_get(bench, "cantilever", "steps"), bench_get(bench, "cantilever", "total"),
            100 * bench_get(bench, "cantilever", "recall"));
}

typedef struct Column {
    const char *title, *key, *format;
    double factor;
} Column;

// A line for each finished row whose name begins with `prefix`.
static void write_rows(const Bench *bench, FILE *page, const char *prefix, const char *title, const char *note,
                       const Column *columns) {
    if (!any(bench, prefix))
        return;
    fprintf(page, "## %s\n\n%s|", title, note);
    for (const Column *c = columns; c->key; c++)
        fprintf(page, " %s |", c->title);
    fputs("\n|", page);
    for (const Column *c = columns; c->key; c++)
        fputs("---|", page);
    fputc('\n', page);
    for (int i = 0; i < bench_suite_rigidify.job_count; i++) {
        const char *row = bench_suite_rigidify.jobs[i].row;
        if (strncmp(row, prefix, strlen(prefix)) != 0 || isnan(bench_get(bench, row, "total")))
            continue;
        fputc('|', page);
        for (const Column *c = columns; c->key; c++)
            cell(page, bench, row, c->key, c->format, c->factor);
        fputc('\n', page);
    }
    fputc('\n', page);
}

static void write_sweep(const Bench *bench, FILE *page, const char *prefix, const char *title) {
    static const Column columns[] = {{"tau_E", "tau_E", "%.0e", 1},
                                     {"tau_rigid", "tau_rigid", "%.0e", 1},
                                     {"epsilon", "epsilon", "%.1e", 1},
                                     {"speedup", "total", "%.2f", 1},
                                     {"max error", "max_error", "%.3f %%", 100},
                                     {"rigid", "rigid", "%.0f %%", 100},
                                     {"recall", "recall", "%.2f %%", 100},
                                     {"published: speedup", "paper_total", "%.2f", 1},
                                     {"max error", "paper_error", "%.3f %%", 100},
                                     {"rigid", "paper_rigid", "%.0f %%", 100},
                                     {"recall", "paper_recall", "%.2f %%", 100},
                                     {0}};
    write_rows(bench, page, prefix, title, "Ours, and the published oracle with the same tau_E.\n\n", columns);
}

// Rows of cantilevers: one material's number after the other, or another mesh.
static void write_cantilevers(const Bench *bench, FILE *page, const char *prefix, const char *title,
                              const char *value) {
    const Column columns[] = {{value, "value", "%g", 1},
                              {"elements", "elements", "%.0f", 1},
                              {"steps", "steps", "%.0f", 1},
                              {"speedup", "total", "%.2f", 1},
                              {"max error", "max_error", "%.3f %%", 100},
                              {"rigid", "rigid", "%.0f %%", 100},
                              {"rigid at the end", "rigid_end", "%.0f %%", 100},
                              {"recall", "recall", "%.2f %%", 100},
                              {0}};
    write_rows(bench, page, prefix, title, "", columns);
}

static void write_wheels(const Bench *bench, FILE *page) {
    static const Column columns[] = {{"tau_E", "tau_E", "%.0e", 1},
                                     {"tau_rigid", "tau_rigid", "%.0e", 1},
                                     {"epsilon", "epsilon", "%.1e", 1},
                                     {"full falls after, s", "full_falls", "%.3f", 1},
                                     {"adaptive after, s", "adaptive_falls", "%.3f", 1},
                                     {"speedup", "total", "%.2f", 1},
                                     {"max error", "max_error", "%.2f %%", 100},
                                     {"rigid", "rigid", "%.0f %%", 100},
                                     {0}};
    write_rows(bench, page, "wheels", "Rolling wheels (figure 7)", "", columns);
}

static void write_resolutions(const Bench *bench, FILE *page) {
    if (!any(bench, "resolutions"))
        return;
    fprintf(page, "## One beam in four resolutions (figure 4c)\n\n"
                  "Share of the time that tenths of the beam, from the clamp to the tip, are rigid.\n\n"
                  "| elements | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | all rigid from step |\n"
                  "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int r = 0; r < 4; r++) {
        char key[32];
        snprintf(key, sizeof key, "elements_%d", r);
        fputc('|', page);
        cell(page, bench, "resolutions", key, "%.0f", 1);
        for (int s = 0; s < 10; s++) {
            snprintf(key, sizeof key, "share_%d_%d", r, s);
            cell(page, bench, "resolutions", key, "%.0f %%", 100);
        }
        snprintf(key, sizeof key, "settled_%d", r);
        cell(page, bench, "resolutions", key, "%.0f", 1);
        fputc('\n', page);
    }
    fputc('\n', page);
}

static void write_rest(const Bench *bench, FILE *page) {
    fprintf(page, "## Rest, drops and the worst case\n\n| what | measured |\n|---|---|\n");
    if (any(bench, "mattress"))
        fprintf(page,
                "| mattress of %.0f elements: awake on its side on average in the %.2g s after the touch | low drop "
                "%.0f (before: "
                "%.0f), high drop %.0f (before: %.0f) |\n",
                bench_get(bench, "mattress", "elements"), bench_get(bench, "mattress", "window"),
                bench_get(bench, "mattress", "low_woken"), bench_get(bench, "mattress", "low_before"),
                bench_get(bench, "mattress", "high_woken"), bench_get(bench, "mattress", "high_before"));
    if (any(bench, "rest"))
        fprintf(page, "| %.0f elements at rest, CPU ms a step | full %.1f, rigid %.3f: %.2f %% |\n",
                bench_get(bench, "rest", "elements"), bench_get(bench, "rest", "full_ms"),
                bench_get(bench, "rest", "rigid_ms"), 100 * bench_get(bench, "rest", "share"));
    if (any(bench, "flight"))
        fprintf(page, "| the same in free flight, wholly rigid, never asleep | full %.1f, rigid %.3f: %.2f %% |\n",
                bench_get(bench, "flight", "full_ms"), bench_get(bench, "flight", "rigid_ms"),
                100 * bench_get(bench, "flight", "share"));
    if (any(bench, "trees"))
        fprintf(page, "| %.0f trees, one of them struck, CPU ms a step | all %.3f, that one alone %.3f: %.2f times |\n",
                bench_get(bench, "trees", "trees"), bench_get(bench, "trees", "all_ms"),
                bench_get(bench, "trees", "one_ms"), bench_get(bench, "trees", "ratio"));
    if (any(bench, "worst"))
        fprintf(page, "| a bar that is twisted without pause: adaptive over full | %.3f |\n",
                bench_get(bench, "worst", "ratio"));
    fputc('\n', page);
}

static void write_block(const Bench *bench, FILE *page) {
    static const char *const rows[][2] = {{"Thaw, full", "full"},
                                          {"Thaw, adaptive", "adaptive"},
                                          {"Bullet 3.24 without sleep", "bullet"},
                                          {"Bullet 3.24 with sleep", "bullet_sleep"}};
    if (!any(bench, "block"))
        return;
    fprintf(page,
            "## A block of 6000 tetrahedra, dropped and at rest\n\n"
            "CPU ms a step in the first second and in the third; error of the adaptive run %.1e.\n\n"
            "| | falling | resting |\n|---|---|---|\n",
            bench_get(bench, "block", "max_error"));
    for (int i = 0; i < 4; i++) {
        char key[2][40];
        snprintf(key[0], sizeof key[0], "%s_falling_ms", rows[i][1]);
        snprintf(key[1], sizeof key[1], "%s_resting_ms", rows[i][1]);
        fprintf(page, "| %s |", rows[i][0]);
        cell(page, bench, "block", key[0], "%.1f", 1);
        cell(page, bench, "block", key[1], "%.4g", 1);
        fputc('\n', page);
    }
    fputc('\n', page);
}

void bench_rigidify_page(const Bench *bench, FILE *page) {
    fprintf(page, "# Adaptive rigidification: benchmark\n\nWritten by `thaw bench rigidify`, %s. One thread%s%s.\n\n",
            thaw_build_info(), bench->chosen ? ", integrator " : "",
            bench->chosen ? thaw_scheme(bench->integrator)->name : "");
    write_scenes(bench, page);
    write_cantilever(bench, page);
    write_sweep(bench, page, "sweep-2d", "Threshold against error in 2D (figure 5)");
    write_sweep(bench, page, "sweep-3d", "Threshold against error in 3D");
    write_wheels(bench, page);
    write_cantilevers(bench, page, "validation", "The published mesh", "-");
    write_cantilevers(bench, page, "damping", "Damping (figure 4b)", "alpha1, s");
    write_cantilevers(bench, page, "stiffness", "Stiffness (figure 4d)", "E, Pa");
    write_resolutions(bench, page);
    write_rest(bench, page);
    write_block(bench, page);
}
