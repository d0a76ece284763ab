// SPDX-License-Identifier: Apache-2.0
// `thaw compare`: one scene, two methods, side by side in one run. Error always stands beside speed: how far any vertex
// of the other method strays from the reference (over the diameter of its body), how far the reference itself strays
// from one with half the time step, and whether the oracle kept elastic what the full run shows moving (versus.c,
// judge.c).
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "json_text.h"
#include "reading.h"
#include "run.h"
#include "versus.h"
#include "view_report.h"

typedef struct Comparison {
    const char *scene_path, *json, *csv, *histogram, *report_path;
    int64_t steps, threads, tolerance;
    ThawIntegrator integrator;
    int integrates; // that one, instead of the scene's
    int quiet, resume;
    AppVersusDef def;
    ThawScene *scene;
    AppVersus versus;
    ViewReport *report; // NULL: none
} Comparison;

static const char CONVERGED[] = "converged";

enum {
    OPTION_METHOD,
    OPTION_AGAINST,
    OPTION_STEPS,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_HISTOGRAM,
    OPTION_THREADS,
    OPTION_INTEGRATOR,
    OPTION_TAU,
    OPTION_TOLERANCE,
    OPTION_NO_FLOOR,
    OPTION_KEEP,
    OPTION_RESUME,
    OPTION_REPORT,
    OPTION_QUIET
};
static const AppOption options[] = {
    {"--method", "NAME"}, {"--against", "NAME"},     {"--steps", "N"},     {"--json", "FILE"},
    {"--csv", "FILE"},    {"--histogram", "FILE"},   {"--threads", "N"},   {"--integrator", "NAME"},
    {"--tau", "RATE"},    {"--tolerance", "N"},      {"--no-floor", NULL}, {"--keep", "DIR"},
    {"--resume", NULL},   {"--report", "FILE.html"}, {"--quiet", NULL},    {NULL, NULL}};

static int failed(const ThawError *error) {
    app_complain("compare", "%s", error->message);
    return app_exit_status(error->status);
}

// --- what comes out --------------------------------------------------------------------------------------------------

static void write_cost(FILE *file, const char *name, const char *method, const AppCost *cost, double steps) {
    fprintf(file,
            "  \"%s\": {\"method\": \"%s\", \"wall_ms\": %.6g, \"cpu_ms\": %.6g, \"contact_ms\": %.6g, "
            "\"mean_dofs\": %.6g},\n",
            name, method, cost->wall_ms, cost->cpu_ms, cost->contact_ms, cost->dofs / steps);
}

static const char *method_name(const Comparison *c) { return c->def.method ? c->def.method : "as the scene says"; }

// A share of nothing is none.
static void write_share(FILE *file, const char *head, int64_t part, int64_t whole) {
    if (whole > 0)
        fprintf(file, "%s%.6f", head, (double)part / (double)whole);
    else
        fprintf(file, "%snull", head);
}

static void write_warnings(const Comparison *c, FILE *file) {
    const AppRunner *both[2] = {&c->versus.reference, &c->versus.other};
    const char *names[2] = {c->def.against, method_name(c)};
    char text[400], line[480];
    int count = 0;
    fprintf(file, "  \"warnings\": [");
    for (int i = 0; i < 2; i++)
        for (int32_t place = 0; app_watch_line(&both[i]->watch, both[i]->world, &place, text);) {
            snprintf(line, sizeof line, "%.60s: %s", names[i], text);
            fputs(count++ ? ", " : "", file);
            app_json_put(file, line);
        }
    fprintf(file, "],\n");
}

// A number, or null where it was not looked for.
static void write_figure(FILE *file, const char *name, int known, double value) {
    if (known)
        fprintf(file, "  \"%s\": %.6g,\n", name, value);
    else
        fprintf(file, "  \"%s\": null,\n", name);
}

static void write_floors(const Comparison *c, FILE *file) {
    const AppFigures *f = &c->versus.figures;
    const AppFloors floors = app_versus_floors(&c->versus);
    fprintf(file, "  \"against\": \"%s\",\n  \"tolerance\": %.6g,\n", c->def.converged ? CONVERGED : c->def.against,
            floors.tolerance);
    write_figure(file, "error_floor", c->def.floor || c->def.converged, f->max_floor);
    write_figure(file, "shift_floor", c->def.floor, f->max_shift);
    write_figure(file, "reference_error", c->def.converged, f->max_reference);
    write_figure(file, "reference_extrapolated", c->def.converged, f->extrapolated / (double)f->steps);
    if (c->def.floor)
        fprintf(file, "  \"verdict\": \"%s\",\n", app_verdict_names[app_verdict(&floors)]);
    else
        fprintf(file, "  \"verdict\": null,\n");
}

static void write_json(const Comparison *c, FILE *file) {
    const AppFigures *f = &c->versus.figures;
    const AppJudge *j = &c->versus.judge;
    double steps = (double)f->steps;
    fprintf(file, "{\n  \"scene\": ");
    app_json_put(file, c->scene_path);
    fprintf(file, ",\n  \"steps\": %" PRId64 ",\n", f->steps);
    write_cost(file, "reference", c->def.against, &f->reference, steps);
    write_cost(file, "other", method_name(c), &f->other, steps);
    fprintf(file,
            "  \"total_speedup\": %.4g,\n  \"mean_speedup\": %.4g,\n  \"nc_total_speedup\": %.4g,\n"
            "  \"nc_mean_speedup\": %.4g,\n  \"max_error\": %.6g,\n  \"mean_error\": %.6g,\n",
            app_total_speedup(f), f->ratio_sum / steps, app_nc_total_speedup(f), f->nc_ratio_sum / steps, f->max_error,
            f->sum_error / steps);
    write_floors(c, file);
    fprintf(file, "  \"mean_rigid_share\": %.6g,\n  \"final_rigid_share\": %.6g,\n", f->rigid_sum / steps,
            f->final_rigid);
    write_warnings(c, file);
    if (j->elements == 0) {
        fprintf(file, "  \"oracle_recall\": null,\n  \"oracle_precision\": null\n}\n");
        return;
    }
    write_share(file, "  \"oracle_recall\": ", j->caught[0], j->needed[0]);
    write_share(file, ",\n  \"oracle_precision\": ", j->justified, j->kept);
    fprintf(file,
            ",\n  \"oracle\": {\"tau\": %.6g, \"tolerance\": %" PRId64 ", \"moving_elastic\": %" PRId64
            ", \"moving_rigid\": %" PRId64 ", \"still_elastic\": %" PRId64 ", \"still_rigid\": %" PRId64,
            j->least, j->tolerance, j->confusion[1][1], j->confusion[1][0], j->confusion[0][1], j->confusion[0][0]);
    write_share(file, ", \"recall_3_tau\": ", j->caught[1], j->needed[1]);
    write_share(file, ", \"recall_10_tau\": ", j->caught[2], j->needed[2]);
    write_share(file, ", \"recall_100_tau\": ", j->caught[3], j->needed[3]);
    write_share(file, ", \"recall_together\": ", j->together[1], j->together[0]);
    fprintf(file, ", \"moving_together\": %" PRId64 "},\n  \"step_over_floor\": %.4g\n}\n", j->together[0],
            app_step_over_floor(&c->versus));
}

static void print_share(const char *head, int64_t part, int64_t whole, const char *what, const char *none) {
    if (whole > 0)
        printf("  %-12s %.*f %% %s\n", head, part * 1000 >= 999 * whole && part < whole ? 3 : 1,
               100 * (double)part / (double)whole, what);
    else
        printf("  %-12s %s\n", head, none);
}

// Did it compute as elastic what deforms in the reference, and only that?
static void print_choice(const Comparison *c) {
    const AppJudge *j = &c->versus.judge;
    print_share("caught", j->caught[0], j->needed[0],
                "of the elements that deform in the reference were computed as elastic here",
                "no element deforms in the reference");
    char text[2][24];
    if (j->needed[1] > 0)
        printf("               (%s of those whose strain rate squared is 3 times what counts, %s at 10 times)\n",
               app_judge_text(j->caught[1], j->needed[1], text[0]),
               app_judge_text(j->caught[2], j->needed[2], text[1]));
    if (j->together[0] < j->needed[0])
        printf("               (%s of those in bodies that had not yet gone another way, a tenth of their size "
               "apart)\n",
               app_judge_text(j->together[1], j->together[0], text[0]));
    print_share("needed", j->justified, j->kept,
                "of those computed as elastic deform in the reference; the others cost time only",
                "no element was computed as elastic");
    printf("               (an element deforms where its strain rate squared is above %.3g 1/s^2, within %" PRId64
           " steps;\n"
           "               by default ten times this run's own tau_rigid: give --tau to compare thresholds)\n"
           "  overhead     a step takes %.2f times as long as asking all elements and solving for the unknowns left\n",
           j->least, j->tolerance, app_step_over_floor(&c->versus));
}

// The error, what it is measured by, and what it means.
static void print_errors(const Comparison *c) {
    const AppFigures *f = &c->versus.figures;
    const AppFloors floors = app_versus_floors(&c->versus);
    const double steps = (double)f->steps, mean = 100 * f->sum_error / steps;
    if (c->def.converged)
        printf(
            "  error        vertices are at most %.3g %% of their body's diameter from where %s converges to, %.3g %% "
            "on average\n"
            "  reference    steps down to h/8, extrapolated for %.0f %% of bodies and steps; itself off by up to "
            "%.3g %%, about\n"
            "  step floor   %s with the scene's own step is off by up to %.3g %%\n",
            100 * f->max_error, c->def.against, mean, 100 * f->extrapolated / steps, 100 * f->max_reference,
            c->def.against, 100 * f->max_floor);
    else
        printf("  error        vertices of the two are at most %.3g %% of their body's diameter apart, %.3g %% on "
               "average\n",
               100 * f->max_error, mean);
    if (c->def.floor && !c->def.converged)
        printf("  step floor   half the time step alone moves vertices of %s by up to %.3g %%\n", c->def.against,
               100 * f->max_floor);
    if (!c->def.floor)
        return;
    printf("  shift floor  a start moved by %g of the diameter moves vertices of %s by up to %.3g %%\n",
           app_floor_shift, c->def.against, 100 * f->max_shift);
    printf("  verdict      %s\n", app_verdict_texts[app_verdict(&floors)]);
}

static void print_summary(const Comparison *c) {
    const AppFigures *f = &c->versus.figures;
    const AppJudge *j = &c->versus.judge;
    double steps = (double)f->steps;
    printf("%s: %" PRId64 " steps\n\n", c->scene_path, f->steps);
    printf("  %-12s %12s %12s %12s %12s\n", "method", "CPU ms/step", "wall ms/step", "contact ms", "unknowns");
    const AppCost *both[2] = {&f->reference, &f->other};
    const char *names[2] = {c->def.against, method_name(c)};
    for (int i = 0; i < 2; i++)
        printf("  %-12s %12.3f %12.3f %12.3f %12.0f\n", names[i], both[i]->cpu_ms / steps, both[i]->wall_ms / steps,
               both[i]->contact_ms / steps, both[i]->dofs / steps);
    printf("\n  speedup      %.2f in total; without contact %.2f\n", app_total_speedup(f), app_nc_total_speedup(f));
    print_errors(c);
    printf("  rigid        %.1f %% of the elements on average, %.1f %% at the end\n", 100 * f->rigid_sum / steps,
           100 * f->final_rigid);
    if (j->elements > 0)
        print_choice(c);
}

// --- the run ---------------------------------------------------------------------------------------------------------

static int parse(int argc, char **argv, Comparison *c) {
    AppArguments arguments = {argc, argv, 2, options, NULL};
    char *end;
    for (;;) {
        switch (app_arguments_next(&arguments)) {
        case APP_END:
            if (c->resume && c->report_path) {
                app_complain("compare",
                             "--report shows all steps, and --resume makes only those that are missing; leave "
                             "one of them out");
                return APP_WRONG_INPUT;
            }
            if (c->scene_path && (c->def.keep || !c->resume))
                return APP_DONE;
            app_complain("compare", c->scene_path ? "--resume needs the folder that --keep DIR filled"
                                                  : "a scene is missing; see `thaw help compare`");
            return APP_WRONG_INPUT;
        case APP_BAD_OPTION:
            return APP_WRONG_INPUT;
        case APP_OPERAND:
            if (c->scene_path) {
                app_complain("compare", "one scene at a time, not also '%s'", arguments.value);
                return APP_WRONG_INPUT;
            }
            c->scene_path = arguments.value;
            break;
        case OPTION_METHOD:
            c->def.method = arguments.value;
            break;
        case OPTION_AGAINST:
            c->def.converged = strcmp(arguments.value, CONVERGED) == 0;
            c->def.against = c->def.converged ? "full" : arguments.value;
            break;
        case OPTION_STEPS:
            if (!app_parse_integer("compare", "--steps", arguments.value, 1, 1000000000, &c->steps))
                return APP_WRONG_INPUT;
            break;
        case OPTION_THREADS:
            if (!app_parse_integer("compare", "--threads", arguments.value, 0, 1024, &c->threads))
                return APP_WRONG_INPUT;
            break;
        case OPTION_TOLERANCE:
            if (!app_parse_integer("compare", "--tolerance", arguments.value, 0, 1000, &c->def.tolerance))
                return APP_WRONG_INPUT;
            break;
        case OPTION_INTEGRATOR:
            if (!app_parse_integrator("compare", arguments.value, &c->integrator))
                return APP_WRONG_INPUT;
            c->integrates = 1;
            break;
        case OPTION_TAU:
            c->def.tau = strtod(arguments.value, &end);
            if (*end || end == arguments.value || !(c->def.tau > 0 && c->def.tau < 1e30)) {
                app_complain("compare", "--tau takes a number greater than 0 (1/s^2), not '%s'", arguments.value);
                return APP_WRONG_INPUT;
            }
            break;
        case OPTION_JSON:
            c->json = arguments.value;
            break;
        case OPTION_CSV:
            c->csv = arguments.value;
            break;
        case OPTION_HISTOGRAM:
            c->histogram = arguments.value;
            break;
        case OPTION_KEEP:
            c->def.keep = arguments.value;
            break;
        case OPTION_NO_FLOOR:
            c->def.floor = 0;
            break;
        case OPTION_RESUME:
            c->resume = 1;
            break;
        case OPTION_REPORT:
            c->report_path = arguments.value;
            break;
        case OPTION_QUIET:
            c->quiet = 1;
            break;
        }
    }
}

static ThawStatus run(Comparison *c, ThawError *error) {
    AppVersus *v = &c->versus;
    AppProgress progress;
    double saved_ms = thaw_wall_ms();
    app_progress_begin(&progress, c->quiet, "step", v->figures.steps, c->def.steps, c->scene->world.h);
    while (v->figures.steps < c->def.steps) {
        ThawStatus status = app_versus_step(v, error);
        if (status != THAW_OK)
            return status;
        if (c->report && (status = view_report_step(c->report, error)) != THAW_OK)
            return status;
        app_progress_show(&progress, v->figures.steps);
        int due =
            v->figures.steps == c->def.steps || app_checkpoint_due(0, v->figures.steps, thaw_wall_ms() - saved_ms);
        if (c->def.keep && due) {
            if (c->report && (status = view_report_save(c->report, c->def.keep, error)) != THAW_OK)
                return status;
            if ((status = app_versus_save(v, error)) != THAW_OK)
                return status;
            saved_ms = thaw_wall_ms();
        }
    }
    app_progress_end(&progress);
    app_versus_finish(v);
    return c->report ? view_report_write(c->report, c->report_path, error) : THAW_OK;
}

// Opens a table for writing: anew, or where one is gone on with at its end.
static FILE *open_table(const Comparison *c, const char *path) {
    struct stat info;
    return !path ? NULL : fopen(path, c->resume && stat(path, &info) == 0 ? "r+" : "w");
}

static int compare_scene(Comparison *c, ThawError *error) {
    int resumed = 0;
    if (app_scene_load(c->scene_path, &c->scene, error) != THAW_OK)
        return failed(error);
    c->scene->world.threads = (int)c->threads;
    if (c->integrates)
        c->scene->world.integrator = c->integrator;
    c->def.scene = c->scene;
    c->def.steps = c->steps > 0 ? c->steps : c->scene->steps;
    c->def.csv = open_table(c, c->csv);
    c->def.histogram = open_table(c, c->histogram);
    if ((c->csv && !c->def.csv) || (c->histogram && !c->def.histogram)) {
        app_complain("compare", "cannot write %s", c->csv && !c->def.csv ? c->csv : c->histogram);
        return APP_FAILED;
    }
    if (app_versus_create(&c->def, &c->versus, error) != THAW_OK)
        return failed(error);
    if (c->report_path && view_report_create(&c->versus, c->scene_path, &c->report, error) != THAW_OK)
        return failed(error);
    if (c->resume && app_versus_load(&c->versus, &resumed, error) != THAW_OK)
        return failed(error);
    if (resumed && c->report && view_report_load(c->report, c->def.keep, error) != THAW_OK)
        return failed(error);
    if (c->def.histogram && !resumed)
        app_judge_histogram_header(c->def.histogram);
    if (resumed && !c->quiet)
        printf("goes on after step %" PRId64 "\n", c->versus.figures.steps);
    return run(c, error) == THAW_OK ? APP_DONE : failed(error);
}

static int compare(int argc, char **argv) {
    Comparison c = {.threads = 1, .def = {.method = "rigidify", .against = "full", .floor = 1, .tolerance = 10}};
    ThawError error = {0};
    int status = parse(argc, argv, &c);
    if (status != APP_DONE)
        return status;
    app_prepare_blas(argv);
    status = compare_scene(&c, &error);
    FILE *json = c.json && c.versus.figures.steps > 0 ? fopen(c.json, "w") : NULL;
    if (json)
        write_json(&c, json);
    if (c.versus.figures.steps > 0 && !c.quiet)
        print_summary(&c);
    fflush(stdout);
    if (c.versus.figures.steps > 0) {
        app_watch_complain(&c.versus.reference.watch, c.versus.reference.world, "compare", c.def.against);
        app_watch_complain(&c.versus.other.watch, c.versus.other.world, "compare", method_name(&c));
    }
    struct stat page;
    if (c.report_path && status == APP_DONE && !c.quiet && stat(c.report_path, &page) == 0)
        printf("  page         %s, %.1f MB\n", c.report_path, 1e-6 * (double)page.st_size);
    if ((c.def.csv && fclose(c.def.csv) != 0) || (c.def.histogram && fclose(c.def.histogram) != 0) ||
        (json && fclose(json) != 0) || (status == APP_DONE && c.json && !json)) {
        app_complain("compare", "cannot write %s", c.json && !json ? c.json : "all that was asked for");
        status = APP_FAILED;
    }
    view_report_free(&c.report);
    app_versus_clear(&c.versus);
    thaw_scene_free(&c.scene);
    return status;
}

const AppCommand app_command_compare = {
    "compare", "one scene by two methods: error beside speed",
    "usage: thaw compare SCENE [OPTIONS]\n\n"
    "Runs the scene by two methods side by side and says how much faster the other one is, how far it strays, and "
    "whether\n"
    "it kept elastic what moved.\n\n"
    "  --method NAME     the method that is judged (rigidify)\n"
    "  --against NAME    the reference (full); converged: what full converges to, with steps of h/2, h/4 and h/8, "
    "which\n"
    "                    costs 14 times full\n"
    "  --steps N         instead of the scene's\n"
    "  --json FILE       the figures, for programs\n"
    "  --csv FILE        times and errors of every step\n"
    "  --histogram FILE  strain rates of all, elastic and rigid elements over time, as CSV\n"
    "  --integrator NAME of both, instead of the scene's\n"
    "  --threads N       1 unless said: CPU times are compared\n"
    "  --tau RATE        an element moves where the reference's |E_dot|^2 is above, 1/s^2 (10 times tau_rigid)\n"
    "  --tolerance N     steps by which the two may be apart (10)\n"
    "  --no-floor        leave out the reference with half the time step and the one that starts moved by a "
    "millionth,\n"
    "                    which cost three times the reference; then there is no verdict\n"
    "  --keep DIR        write what it takes to go on there, about once a minute\n"
    "  --resume          go on from what is in that folder\n"
    "  --report FILE     one page that opens offline: both runs side by side, this table, and plots\n"
    "  --quiet           print nothing but warnings\n",
    compare};
