// SPDX-License-Identifier: Apache-2.0
// `thaw tune`: thresholds of an adaptive method for an error budget: those options of its table that have a power.
//
// One number is looked for, a scale f of the scene's own thresholds, those that are read there: the tolerance and
// strains allowed are multiplied by f, strain rates squared by f^2 (their powers), so that all stand for the same
// speeds. The full method runs once and its positions are kept (in single precision, at as many steps as memory
// allows), and once more from a start that is shifted by a thousandth of the budget: where that alone goes further
// astray than the budget, errors are a matter of chance, and it is said. Each trial runs against them and is given up
// as soon as it strays further than the budget, or its step fails. From f = 1 the scale is multiplied or divided by
// sqrt(10) until the budget is between two trials, then that gap is halved a few times (in the logarithm). Of the
// trials that kept the budget over all steps, the one with the fewest unknowns on average is chosen: not the one that a
// clock found fastest, so the same scene is always tuned the same.
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "base/base.h"
#include "base/file.h"
#include "floor.h"
#include "reading.h"
#include "registry/method.h"
#include "scene_edit.h"

enum { TRIALS = 24, UPWARDS = 6, DOWNWARDS = 8, HALVINGS = 3 };
static const size_t MEMORY = (size_t)512 << 20; // bytes of positions to keep
static const double SHIFT = 1e-3;               // of the budget

enum { KNOBS = 8 }; // what is turned, at most

typedef struct Trial {
    double scale;
    double values[KNOBS];
    int kept;             // the budget, over all steps
    int failed;           // a step did
    double error;         // the largest until it was given up
    double speedup, dofs; // CPU time of the full run over its own; unknowns on average
    int64_t steps;        // how many it made
    double width;         // the largest of an option in force over its widest; above 1 the method is of no use
} Trial;

typedef struct Tune {
    const char *scene_path, *out;
    double budget;
    int64_t steps, threads;
    int dry, quiet;
    ThawScene *scene;
    const char *asked;       // the method that is tuned; NULL: the scene's
    const ThawMethod *tuned; // and its options in the scene
    ThawOptionBuffer given;
    const char *method; // that moves all bodies; NULL: as the scene says
    AppLockstep lockstep;
    ThawOptionDef *own; // rows of bodies that have options of their own, in the present trial
    // The full run:
    float *x;         // positions of all bodies, kept step after kept step
    size_t width;     // floats a kept step
    int64_t stride;   // every so many steps
    double full_ms;   // CPU
    double full_dofs; // on average
    int64_t astray;   // the step from which on a shifted full run is further away than the budget; 0: none is
    const ThawOption *knobs[KNOBS];
    int knob_count;
    Trial trials[TRIALS];
    int count;
    char end[100]; // why nothing looser was tried; empty: the budget
} Tune;

// --- knobs -----------------------------------------------------------------------------------------------------------

// Three digits: what is written is what was tried.
static double rounded(double value) {
    char text[32];
    snprintf(text, sizeof text, "%.3g", value);
    return strtod(text, NULL);
}

static int has_knobs(const ThawMethod *method) {
    for (int i = 0; i < method->options.count; i++)
        if (method->options.rows[i].power != 0)
            return 1;
    return 0;
}

// The one that is asked for; else the only one of the scene's bodies that has thresholds; else, where none has, the
// first of all. Bodies keep their methods if one of them has it.
static ThawStatus choose_method(Tune *t, ThawError *error) {
    const ThawWorldDef *def = &t->scene->world;
    int index = -1, used = 0;
    if (t->asked) {
        ThawStatus status = thaw_method_find("--method", t->asked, &index, error);
        if (status == THAW_OK && !has_knobs(thaw_method_at(index)))
            status = thaw_error_set(error, THAW_ERROR_INPUT, "--method: \"%s\" has no thresholds to tune", t->asked);
        if (status != THAW_OK)
            return status;
    }
    for (int32_t b = 0; b < def->body_count; b++) {
        const int m = thaw_method_index(def->bodies[b].method);
        if (m < 0 || !has_knobs(thaw_method_at(m)) || (t->asked && m != index))
            continue;
        if (used && m != index)
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "bodies are moved by \"%s\" and by \"%s\": say which is tuned, --method NAME",
                                  thaw_method_at(index)->name, thaw_method_at(m)->name);
        index = m;
        used = 1;
    }
    for (int m = 0; m < thaw_method_count() && index < 0; m++)
        if (has_knobs(thaw_method_at(m)))
            index = m;
    t->tuned = thaw_method_at(index);
    t->method = used ? NULL : t->tuned->name;
    thaw_method_world_options(t->tuned, def, &t->given);
    return THAW_OK;
}

// Each threshold that the scene gives and the method reads; and what those follow that the scene leaves out.
static void choose_knobs(Tune *t) {
    const ThawOptionTable *table = &t->tuned->options;
    const ThawOption *tolerance = NULL;
    int left_out = 0;
    t->knob_count = 0;
    for (const ThawOption *o = table->rows; o < table->rows + table->count; o++) {
        if (o->power == 0 || !thaw_option_is_read(table, o, t->given.bytes))
            continue;
        if (!o->derived && tolerance && t->knob_count < KNOBS - 1)
            t->knobs[t->knob_count++] = o; // one that nothing follows
        else if (!o->derived)
            tolerance = o;
        else if (thaw_option_get(o, t->given.bytes) == 0)
            left_out = 1;
        else if (t->knob_count < KNOBS - 1)
            t->knobs[t->knob_count++] = o;
    }
    if (tolerance && (left_out || t->knob_count == 0))
        t->knobs[t->knob_count++] = tolerance;
}

static double given_of(const Tune *t, int knob) { return thaw_option_get(t->knobs[knob], t->given.bytes); }

static double turned(const Tune *t, int knob, double scale, double value) {
    const ThawOption *o = t->knobs[knob];
    const double wanted = rounded(value * pow(scale, o->power));
    if (o->kind == THAW_OPTION_COUNT)
        return fmax(o->range.lo, fmin(o->range.hi, round(wanted)));
    return fmin(o->range.hi, wanted);
}

// Rows for the knobs of a body with options of its own: turned where they are those of the world, for then it did not
// give them. How many; 0: it has none of its own.
static int32_t turn_body(const Tune *t, double scale, const ThawScene *scene, int32_t b, ThawOptionDef *rows) {
    ThawOptionBuffer own;
    int32_t count = 0;
    if (!thaw_method_body_options(t->tuned, &scene->world, &scene->world.bodies[b], &own))
        return 0;
    for (int i = 0; i < t->knob_count; i++) {
        const double value = thaw_option_get(t->knobs[i], own.bytes);
        rows[count++] = (ThawOptionDef){t->tuned->name, t->knobs[i]->name,
                                        value == given_of(t, i) ? turned(t, i, scale, value) : value};
    }
    return count;
}

// "tau_rigid 1e-07, epsilon 0.0002"
static void describe(const Tune *t, const Trial *trial, char *text, size_t room) {
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < t->knob_count && used < room; i++)
        used +=
            (size_t)snprintf(text + used, room - used, "%s%s %.3g", i ? ", " : "", t->knobs[i]->name, trial->values[i]);
}

// The worlds of trials go by t->own where the scene's bodies have options of their own: rows of the scene, and knobs.
static ThawStatus turn_bodies(Tune *t, double scale, ThawError *error) {
    const ThawWorldDef *def = &t->scene->world;
    size_t room = 0;
    for (int32_t b = 0; b < def->body_count; b++)
        room += (size_t)def->bodies[b].option_count + KNOBS;
    if (!t->own && !(t->own = THAW_NEW(ThawOptionDef, room)))
        return thaw_error_memory(error, "options of bodies");
    ThawOptionDef *rows = t->own;
    for (int32_t b = 0; b < def->body_count; b++) {
        const ThawBodyDef *body = &def->bodies[b];
        for (int32_t i = 0; i < body->option_count; i++)
            rows[i] = body->options[i];
        t->lockstep.bodies[b].options = rows;
        t->lockstep.bodies[b].option_count =
            body->option_count + turn_body(t, scale, t->scene, b, rows + body->option_count);
        rows += t->lockstep.bodies[b].option_count;
    }
    return THAW_OK;
}

// --- the full run ----------------------------------------------------------------------------------------------------

static int is_kept(const Tune *t, int64_t step) { return step % t->stride == 0 || step == t->steps; }
static size_t place_of(const Tune *t, int64_t step) {
    return t->width * (size_t)((step + t->stride - 1) / t->stride - 1);
}

static ThawStatus run_full(Tune *t, ThawError *error) {
    AppRunner full = {0};
    ThawStatus status = app_runner_create(&t->lockstep, "full", t->scene->world.h, NULL, &full, error);
    size_t dim = (size_t)t->scene->world.dim;
    for (int32_t b = 0; status == THAW_OK && b < thaw_world_body_count(full.world); b++)
        t->width += dim * (size_t)thaw_world_most_vertices(full.world, b);
    t->stride = 1;
    while (t->width * sizeof(float) * (size_t)(t->steps / t->stride + 1) > MEMORY && t->stride < t->steps)
        t->stride++;
    if (status == THAW_OK && !(t->x = THAW_NEW(float, t->width *(size_t)(t->steps / t->stride + 1))))
        status = thaw_error_memory(error, "the full run's positions");
    for (int64_t step = 1; step <= t->steps && status == THAW_OK; step++) {
        status = app_runner_step(&full, error);
        float *to = t->x + place_of(t, step);
        for (int32_t b = 0; status == THAW_OK && is_kept(t, step) && b < thaw_world_body_count(full.world); b++) {
            size_t count = dim * (size_t)thaw_world_vertex_count(full.world, b);
            thaw_world_get_positions(full.world, b, t->lockstep.x[0]);
            for (size_t i = 0; i < count; i++)
                *to++ = (float)t->lockstep.x[0][i];
        }
    }
    t->full_ms = full.cpu_ms;
    t->full_dofs = full.dofs / (double)t->steps;
    app_runner_clear(&full);
    return status;
}

// --- a trial ---------------------------------------------------------------------------------------------------------

// As in `thaw compare`: the largest distance between vertices, each over the diameter of its body.
static double stray(Tune *t, const AppRunner *runner, int64_t step) {
    const float *from = t->x + place_of(t, step);
    size_t dim = (size_t)t->scene->world.dim;
    double worst = 0;
    for (int32_t b = 0; b < thaw_world_body_count(runner->world); b++) {
        int32_t vertices = thaw_world_vertex_count(runner->world, b);
        thaw_world_get_positions(runner->world, b, t->lockstep.x[0]);
        for (int32_t i = 0; i < vertices; i++) {
            double square = 0;
            for (size_t k = 0; k < dim; k++) {
                double d = t->lockstep.x[0][(size_t)i * dim + k] - (double)*from++;
                square += d * d;
            }
            worst = fmax(worst, sqrt(square) / t->lockstep.diameter[b]);
        }
    }
    return worst;
}

// The full run from a start that is hardly another one.
static ThawStatus run_shifted(Tune *t, ThawError *error) {
    AppRunner shifted = {0};
    ThawStatus status =
        app_runner_create_shifted(&t->lockstep, "full", t->scene->world.h, SHIFT * t->budget, NULL, &shifted, error);
    for (int64_t step = 1; shifted.world && step <= t->steps && status == THAW_OK && !t->astray; step++) {
        status = app_runner_step(&shifted, error);
        if (status == THAW_OK && is_kept(t, step) && stray(t, &shifted, step) > t->budget)
            t->astray = step;
    }
    app_runner_clear(&shifted);
    return status;
}

static void print_trial(const Tune *t, const Trial *trial) {
    if (t->quiet)
        return;
    printf("  %5d  %9.3g  ", t->count, trial->scale);
    for (int i = 0; i < t->knob_count; i++)
        printf("%11.3g  ", trial->values[i]);
    if (trial->failed)
        printf("%10s  failed at step %" PRId64 "\n", "-", trial->steps);
    else if (trial->kept)
        printf("%8.4f %%  %8.2f  %9.0f\n", 100 * trial->error, trial->speedup, trial->dofs);
    else
        printf("%8.4f %%  given up at step %" PRId64 "\n", 100 * trial->error, trial->steps);
    fflush(stdout);
}

// How near any option of a body comes to its widest.
static double width_of(const Tune *t, const AppRunner *runner) {
    const ThawOptionTable *table = &t->tuned->options;
    double largest = 0, value;
    for (int32_t b = 0; runner->world && b < t->scene->world.body_count; b++)
        for (int i = 0; i < table->count && strcmp(thaw_world_get_method(runner->world, b), t->tuned->name) == 0; i++)
            if (table->rows[i].widest > 0 &&
                thaw_world_get_option_in_force(runner->world, b, table->rows[i].name, &value) == THAW_OK)
                largest = fmax(largest, value / table->rows[i].widest);
    return largest;
}

static ThawStatus try_scale(Tune *t, double scale, Trial **result, ThawError *error) {
    Trial *trial = *result = &t->trials[t->count++];
    AppRunner runner = {0};
    ThawOptionDef rows[KNOBS];
    *trial = (Trial){.scale = scale};
    for (int i = 0; i < t->knob_count; i++) {
        trial->values[i] = turned(t, i, scale, given_of(t, i));
        rows[i] = (ThawOptionDef){t->tuned->name, t->knobs[i]->name, trial->values[i]};
    }
    ThawStatus status = turn_bodies(t, scale, error);
    if (status == THAW_OK)
        status = app_runner_create(&t->lockstep, t->method, t->scene->world.h, &(AppOptions){rows, t->knob_count},
                                   &runner, error);
    trial->width = width_of(t, &runner);
    for (int64_t step = 1; step <= t->steps && status == THAW_OK && trial->error <= t->budget; step++) {
        status = app_runner_step(&runner, error);
        if (status == THAW_OK && is_kept(t, step))
            trial->error = fmax(trial->error, stray(t, &runner, step));
        trial->steps = step;
    }
    trial->failed = status > 0; // an outcome like any other: these thresholds will not do
    if (trial->failed)
        status = THAW_OK, trial->error = INFINITY;
    trial->kept = trial->error <= t->budget;
    trial->speedup = t->full_ms / fmax(1e-6, runner.cpu_ms);
    trial->dofs = runner.dofs / (double)trial->steps;
    app_runner_clear(&runner);
    if (status == THAW_OK)
        print_trial(t, trial);
    return status;
}

// --- the search ------------------------------------------------------------------------------------------------------

static ThawStatus search(Tune *t, ThawError *error) {
    const double factor = sqrt(10);
    double good = 0, bad = INFINITY; // scales
    Trial *trial, *before = NULL;
    ThawStatus status = try_scale(t, 1, &trial, error);
    for (int i = 0; i < UPWARDS && status == THAW_OK && trial->kept; i++) {
        good = trial->scale;
        if (trial->width * factor > 1)
            snprintf(t->end, sizeof t->end, "with them the method is of no use (`thaw check` would warn)");
        else if (before && trial->dofs > 0.98 * before->dofs)
            snprintf(t->end, sizeof t->end, "the last change made no difference, so the budget is not what limits");
        if (*t->end)
            return THAW_OK;
        before = trial;
        status = try_scale(t, good * factor, &trial, error);
    }
    for (int i = 0; i < DOWNWARDS && status == THAW_OK && !trial->kept && good == 0; i++) {
        bad = trial->scale;
        status = try_scale(t, bad / factor, &trial, error);
    }
    if (status != THAW_OK || (good == 0 && !trial->kept))
        return status;
    if (trial->kept)
        good = trial->scale;
    else
        bad = trial->scale;
    if (!isfinite(bad))
        snprintf(t->end, sizeof t->end, "these are %.4g times the scene's", good);
    for (int i = 0; i < HALVINGS && status == THAW_OK && isfinite(bad); i++) {
        status = try_scale(t, sqrt(good * bad), &trial, error);
        if (trial->kept)
            good = trial->scale;
        else
            bad = trial->scale;
    }
    return status;
}

static const Trial *best_of(const Tune *t) {
    const Trial *best = NULL;
    for (const Trial *trial = t->trials; trial < t->trials + t->count; trial++)
        if (trial->kept && (!best || trial->dofs < best->dofs))
            best = trial;
    return best;
}

// --- the scene -------------------------------------------------------------------------------------------------------

// Bodies with options of their own go by what was tried; one that gives the very value of the scene would not.
static ThawStatus check_bodies(const Tune *t, const Trial *best, const ThawScene *written, ThawError *error) {
    for (int32_t b = 0; b < written->world.body_count; b++) {
        const ThawBodyDef *body = &written->world.bodies[b];
        ThawOptionDef tried[KNOBS];
        ThawOptionBuffer own;
        if (turn_body(t, best->scale, t->scene, b, tried) == 0 ||
            !thaw_method_body_options(t->tuned, &written->world, body, &own))
            continue;
        for (int i = 0; i < t->knob_count; i++)
            if (tried[i].value != thaw_option_get(t->knobs[i], own.bytes))
                return thaw_error_set(
                    error, THAW_ERROR_INPUT,
                    "%s: body %d (%s) gives \"%s\" the value that the scene gives it; leave it out there",
                    t->scene_path, (int)b, body->name, t->knobs[i]->name);
    }
    return THAW_OK;
}

// The scene's text with the thresholds of a trial in it, checked.
static ThawStatus edit_scene(const Tune *t, const Trial *best, char **edited, ThawError *error) {
    AppSetting settings[KNOBS];
    ThawOptionBuffer written;
    char said[160];
    for (int i = 0; i < t->knob_count; i++)
        settings[i] = (AppSetting){t->knobs[i]->name, best->values[i]};
    describe(t, best, said, sizeof said);
    const char *out = t->out ? t->out : t->scene_path;
    char *text = NULL, *copy = thaw_strdup(out);
    size_t size = 0;
    ThawScene *check = NULL;
    ThawStatus status = copy ? thaw_file_read(t->scene_path, &text, &size, error) : thaw_error_memory(error, "a path");
    if (status == THAW_OK)
        status = app_scene_set(text, size, t->tuned->name, settings, t->knob_count, edited, error);
    if (status == THAW_OK) // meshes are looked up beside the new file
        status = app_scene_parse(*edited, strlen(*edited), out, dirname(copy), &check, error);
    if (status == THAW_OK)
        thaw_method_world_options(t->tuned, &check->world, &written);
    for (int i = 0; i < t->knob_count && status == THAW_OK; i++)
        if (thaw_option_get(t->knobs[i], written.bytes) != settings[i].value)
            status =
                thaw_error_set(error, THAW_ERROR_INPUT, "cannot put the thresholds into %s; write %s into its \"%s\"",
                               t->scene_path, said, t->tuned->name);
    if (status == THAW_OK)
        status = check_bodies(t, best, check, error);
    thaw_scene_free(&check);
    thaw_free(copy);
    thaw_free(text);
    return status;
}

static ThawStatus write_scene(const Tune *t, const Trial *best, ThawError *error) {
    char *edited = NULL;
    ThawFile *file = NULL;
    ThawStatus status = edit_scene(t, best, &edited, error);
    if (status == THAW_OK)
        status = thaw_file_create(t->out ? t->out : t->scene_path, &file, error);
    if (status == THAW_OK) {
        thaw_file_write(file, edited, strlen(edited));
        status = thaw_file_commit(&file, error);
    }
    thaw_free(edited);
    return status;
}

// Whether thresholds can be put into the scene, before trials take their time.
static ThawStatus try_writing(const Tune *t, ThawError *error) {
    Trial trial = {.scale = 0.5};
    char *edited = NULL;
    for (int i = 0; i < t->knob_count; i++)
        trial.values[i] = turned(t, i, trial.scale, given_of(t, i));
    ThawStatus status = edit_scene(t, &trial, &edited, error);
    thaw_free(edited);
    return status;
}

// --- the command -----------------------------------------------------------------------------------------------------

enum { ERROR, OUTPUT, OUTPUT_LONG, METHOD, STEPS, THREADS, DRY, QUIET };
static const AppOption options[] = {
    [ERROR] = {"--error", "P%"},     [OUTPUT] = {"-o", "FILE"},   [OUTPUT_LONG] = {"--output", "FILE"},
    [METHOD] = {"--method", "NAME"}, [STEPS] = {"--steps", "N"},  [THREADS] = {"--threads", "N"},
    [DRY] = {"--dry-run", NULL},     [QUIET] = {"--quiet", NULL}, {NULL, NULL}};

static int parse_budget(const char *text, double *budget) {
    char *end;
    double value = strtod(text, &end);
    int percent = *end == '%';
    value *= percent ? 0.01 : 1;
    if (end == text || end[percent] || !(value >= 1e-5 && value <= 0.5)) {
        app_complain("tune", "--error is '%s'; allowed: a share of a body's diameter from 0.001%% to 50%%, as in 0.5%%",
                     text);
        return 0;
    }
    *budget = value;
    return 1;
}

static int parse(Tune *t, int argc, char **argv) {
    AppArguments a = {.argc = argc, .argv = argv, .next = 2, .table = options};
    int ok = 1;
    for (int option; ok && (option = app_arguments_next(&a)) != APP_END;) {
        switch (option) {
        case ERROR:
            ok = parse_budget(a.value, &t->budget);
            break;
        case OUTPUT:
        case OUTPUT_LONG:
            t->out = a.value;
            break;
        case METHOD:
            t->asked = a.value;
            break;
        case STEPS:
            ok = app_parse_integer("tune", "--steps", a.value, 1, 1000000000, &t->steps);
            break;
        case THREADS:
            ok = app_parse_integer("tune", "--threads", a.value, 0, 1024, &t->threads);
            break;
        case DRY:
            t->dry = 1;
            break;
        case QUIET:
            t->quiet = 1;
            break;
        case APP_OPERAND:
            ok = !t->scene_path;
            if (!ok)
                app_complain("tune", "one scene at a time, not also '%s'", a.value);
            t->scene_path = a.value;
            break;
        default:
            ok = 0;
        }
    }
    if (ok && (!t->scene_path || !(t->budget > 0))) {
        app_complain("tune", t->scene_path ? "say how large the error may be: --error 0.5%%"
                                           : "a scene is missing; see `thaw help tune`");
        return 0;
    }
    return ok;
}

// What the full runs were like, and the head of the table of trials.
static void print_full(const Tune *t) {
    if (t->astray)
        printf("%s: chaotic: with its free bodies moved by %g of their diameter at the start, the full run itself "
               "strays by "
               "more than %g %% from step %" PRId64
               " on; what thresholds do beyond that step is chance. Judge by fewer "
               "steps (--steps %" PRId64 "), or allow more\n\n",
               t->scene_path, SHIFT * t->budget, 100 * t->budget, t->astray, t->astray > 1 ? t->astray - 1 : 1);
    printf("%s: %" PRId64 " steps, full: %.3g s of CPU time, %.0f unknowns\n\n  %5s  %9s  ", t->scene_path, t->steps,
           1e-3 * t->full_ms, t->full_dofs, "trial", "scale");
    for (int i = 0; i < t->knob_count; i++)
        printf("%11s  ", t->knobs[i]->name);
    printf("%10s  %8s  %9s\n", "error", "speedup", "unknowns");
}

static ThawStatus tune(Tune *t, ThawError *error) {
    ThawStatus status = app_scene_load(t->scene_path, &t->scene, error);
    if (status != THAW_OK)
        return status;
    ThawWorldDef *def = &t->scene->world;
    def->threads = (int)t->threads;
    if (t->steps == 0)
        t->steps = t->scene->steps;
    status = choose_method(t, error);
    if (status != THAW_OK)
        return status;
    choose_knobs(t);
    status = app_lockstep_create(t->scene, &t->lockstep, error);
    if (status == THAW_OK)
        status = run_full(t, error);
    if (status == THAW_OK)
        status = run_shifted(t, error);
    if (status == THAW_OK && !t->quiet)
        print_full(t);
    if (status == THAW_OK)
        status = t->dry ? THAW_OK : try_writing(t, error);
    if (status == THAW_OK)
        status = search(t, error);
    const Trial *best = best_of(t);
    const Trial *last = &t->trials[t->count > 0 ? t->count - 1 : 0];
    char said[160] = "", how[60] = "lets a step fail";
    if (!last->failed)
        snprintf(how, sizeof how, "strays by %.3g %%", 100 * last->error);
    if (t->count > 0)
        describe(t, best ? best : last, said, sizeof said);
    if (status == THAW_OK && !best)
        return thaw_error_set(error, THAW_NOT_CONVERGED,
                              t->astray
                                  ? "no thresholds keep the error within %g %%: even %s %s. The scene is chaotic: from "
                                    "step %" PRId64 " on a shift of the start by %g of the diameter does as much"
                                  : "no thresholds keep the error within %g %%: even %s %s. A scene whose full runs "
                                    "already differ that much with half the time step (`thaw compare` says so: error "
                                    "floor) needs a larger budget or a smaller step",
                              100 * t->budget, said, how, t->astray, SHIFT * t->budget);
    if (status == THAW_OK && !t->dry)
        status = write_scene(t, best, error);
    if (status == THAW_OK && !t->quiet) {
        printf("\nchosen: %s: %.4f %% error in %" PRId64 " steps (%.4g %% allowed), %.2f times "
               "as fast as full%s\n",
               said, 100 * best->error, t->steps, 100 * t->budget, best->speedup,
               best->speedup < 1 ? ": it does not pay here, too much deforms all the time" : "");
        if (*t->end)
            printf("looser ones were not tried: %s\n", t->end);
        if (t->steps < t->scene->steps)
            printf("judged by the first %" PRId64 " of the scene's %" PRId64 " steps\n", t->steps, t->scene->steps);
        if (!t->dry)
            printf("written to %s\n", t->out ? t->out : t->scene_path);
        if (t->method)
            printf("no body of the scene has that method: run it with --method %s, or set it there\n", t->method);
    }
    return status;
}

static int command_tune(int argc, char **argv) {
    Tune *t = THAW_NEW(Tune, 1);
    ThawError error = {0};
    if (!t) {
        app_complain("tune", "out of memory");
        return APP_FAILED;
    }
    t->threads = 1;
    int ok = parse(t, argc, argv);
    ThawStatus status = THAW_ERROR_INPUT;
    if (ok) {
        app_prepare_blas(argv);
        status = tune(t, &error);
        if (status != THAW_OK)
            app_complain("tune", "%s", error.message);
    }
    app_lockstep_clear(&t->lockstep);
    thaw_scene_free(&t->scene);
    thaw_free(t->own);
    thaw_free(t->x);
    thaw_free(t);
    return app_exit_status(status);
}

static const char help[] =
    "usage: thaw tune SCENE --error P% [OPTIONS]\n"
    "\n"
    "Finds the thresholds of an adaptive method with which the scene runs fastest and no vertex strays from the full\n"
    "run by more than P percent of its body's diameter, and writes them into the scene (the rest of the file stays as\n"
    "it is, comments included). What a body says for itself of its method's options stays.\n"
    "\n"
    "  --error P%    the budget, 0.001% to 50%\n"
    "  --method NAME whose thresholds, where bodies have several adaptive methods (the scene's, or rigidify)\n"
    "  -o FILE       writes to FILE instead, beside the scene's meshes\n"
    "  --steps N     judges by so many steps instead of the scene's\n"
    "  --threads N   1 unless said: CPU times are compared\n"
    "  --dry-run     writes nothing\n"
    "  --quiet       prints nothing but errors\n"
    "\n"
    "Exit status: 0 done; 1 the input is wrong; 2 no thresholds keep the budget, or a run failed.\n";

const AppCommand app_command_tune = {"tune", "thresholds for an error budget", help, command_tune};
