// SPDX-License-Identifier: Apache-2.0
// `thaw compare`: one scene, two methods, side by side in one run. Error always stands beside speed: how far any vertex of
// the other method strays from the reference (over the diameter of its body), and how far the reference itself strays from
// one with half the time step, which is what a different step size alone does (the error floor).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "base/base.h"

typedef struct Contestant {
    const char *method;
    ThawWorld *world;
    double wall_ms, cpu_ms, contact_ms; // summed over the steps
    double dofs;                        // summed
    double step_ms, step_contact_ms;    // of the last step
} Contestant;

typedef struct Comparison {
    const char *scene_path, *method, *against, *json, *csv;
    int64_t steps;
    int quiet, floor;
    ThawScene *scene;
    ThawBodyDef *bodies; // the scene's, with the method put in
    Contestant reference, other, half;
    double *x[2];     // positions of the largest body
    double *diameter; // of each body at the start, m
    int64_t elements; // of all bodies
    // Over all steps:
    double max_error, sum_error, max_floor;
    double ratio_sum, nc_ratio_sum; // of the steps' times
    double rigid_share_sum, final_rigid_share;
    int64_t done;
} Comparison;

enum {
    OPTION_METHOD,
    OPTION_AGAINST,
    OPTION_STEPS,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_THREADS,
    OPTION_NO_FLOOR,
    OPTION_QUIET
};
static const AppOption options[] = {{"--method", "NAME"}, {"--against", "NAME"}, {"--steps", "N"},
                                    {"--json", "FILE"},   {"--csv", "FILE"},     {"--threads", "N"},
                                    {"--no-floor", NULL}, {"--quiet", NULL},     {NULL, NULL}};

static int failed(const ThawError *error) {
    app_complain("compare", "%s", error->message);
    return app_exit_status(error->status);
}

static ThawStatus create(Comparison *c, Contestant *contestant, const char *method, double h, ThawError *error) {
    ThawWorldDef def = c->scene->world;
    for (int32_t i = 0; i < def.body_count; i++)
        c->bodies[i].method = method;
    def.bodies = c->bodies;
    def.h = h;
    def.ledger = 0;
    contestant->method = method;
    return thaw_world_create(&def, &contestant->world, error);
}

static ThawStatus advance(Contestant *contestant, ThawStepStats *stats, ThawError *error) {
    ThawStatus status = thaw_world_step(contestant->world, stats, error);
    if (status != THAW_OK)
        return status;
    contestant->step_ms = stats->cpu_ms;
    contestant->step_contact_ms = stats->contact_ms + stats->response_ms;
    contestant->wall_ms += stats->wall_ms;
    contestant->cpu_ms += stats->cpu_ms;
    contestant->contact_ms += contestant->step_contact_ms;
    contestant->dofs += (double)stats->dofs;
    return THAW_OK;
}

// The largest distance between vertices of the two worlds, each over the diameter of its body; *sum over all, *count.
static double distance(Comparison *c, const ThawWorld *a, const ThawWorld *b, double *sum, int64_t *count) {
    int dim = thaw_world_dim(a);
    double worst = 0;
    for (int32_t body = 0; body < thaw_world_body_count(a); body++) {
        thaw_world_get_positions(a, body, c->x[0]);
        thaw_world_get_positions(b, body, c->x[1]);
        for (int32_t i = 0; i < thaw_world_vertex_count(a, body); i++) {
            double square = 0;
            for (int k = 0; k < dim; k++) {
                double d = c->x[0][(size_t)i * (size_t)dim + (size_t)k] - c->x[1][(size_t)i * (size_t)dim + (size_t)k];
                square += d * d;
            }
            double error = sqrt(square) / c->diameter[body];
            worst = fmax(worst, error);
            *sum += error;
        }
        *count += thaw_world_vertex_count(a, body);
    }
    return worst;
}

static ThawStatus prepare(Comparison *c, ThawError *error) {
    const ThawWorldDef *def = &c->scene->world;
    c->bodies = THAW_NEW(ThawBodyDef, def->body_count);
    c->diameter = THAW_NEW(double, def->body_count);
    int32_t largest = 0;
    for (int32_t i = 0; i < def->body_count; i++) {
        const ThawMesh *mesh = def->shapes[def->bodies[i].shape].mesh;
        largest = mesh->vertex_count > largest ? mesh->vertex_count : largest;
        c->elements += mesh->element_count;
    }
    for (int k = 0; k < 2; k++)
        c->x[k] = THAW_NEW(double, 3 * (size_t)largest);
    if (!c->bodies || !c->diameter || !c->x[0] || !c->x[1])
        return thaw_error_memory(error, "the comparison");
    memcpy(c->bodies, def->bodies, sizeof *c->bodies * (size_t)def->body_count);
    for (int32_t i = 0; i < def->body_count; i++) {
        const ThawMesh *mesh = def->shapes[def->bodies[i].shape].mesh;
        double square = 0;
        for (int k = 0; k < mesh->dim; k++) {
            double lo = INFINITY, hi = -INFINITY;
            for (int32_t v = 0; v < mesh->vertex_count; v++) {
                lo = fmin(lo, mesh->x[(size_t)v * (size_t)mesh->dim + (size_t)k]);
                hi = fmax(hi, mesh->x[(size_t)v * (size_t)mesh->dim + (size_t)k]);
            }
            square += (hi - lo) * (hi - lo);
        }
        c->diameter[i] = sqrt(square);
    }
    ThawStatus status = create(c, &c->reference, c->against, def->h, error);
    if (status == THAW_OK)
        status = create(c, &c->other, c->method, def->h, error);
    if (status == THAW_OK && c->floor)
        status = create(c, &c->half, c->against, def->h / 2, error);
    return status;
}

static ThawStatus run(Comparison *c, FILE *csv, ThawError *error) {
    ThawStepStats reference, other, half;
    if (csv)
        fprintf(csv, "step,time,reference_ms,other_ms,max_error,error_floor,reference_dofs,other_dofs,elastic_elements,"
                     "rigid_parts,contacts\n");
    for (int64_t k = 0; k < c->steps; k++) {
        ThawStatus status = advance(&c->reference, &reference, error);
        if (status == THAW_OK)
            status = advance(&c->other, &other, error);
        for (int i = 0; i < 2 && status == THAW_OK && c->floor; i++)
            status = advance(&c->half, &half, error);
        if (status != THAW_OK)
            return status;
        double sum = 0, ignored = 0, floor = 0;
        int64_t count = 0, ignored_count = 0;
        double worst = distance(c, c->reference.world, c->other.world, &sum, &count);
        if (c->floor)
            floor = distance(c, c->reference.world, c->half.world, &ignored, &ignored_count);
        double share = 1 - (double)other.elastic_elements / (double)c->elements;
        c->max_error = fmax(c->max_error, worst);
        c->sum_error += sum / (double)count;
        c->max_floor = fmax(c->max_floor, floor);
        c->ratio_sum += c->reference.step_ms / c->other.step_ms;
        c->nc_ratio_sum += (c->reference.step_ms - c->reference.step_contact_ms) /
                           fmax(1e-6, c->other.step_ms - c->other.step_contact_ms);
        c->rigid_share_sum += share;
        c->final_rigid_share = share;
        c->done = k + 1;
        if (csv)
            fprintf(csv, "%lld,%.9g,%.4f,%.4f,%.6e,%.6e,%lld,%lld,%lld,%lld,%lld\n", (long long)other.step, other.time,
                    c->reference.step_ms, c->other.step_ms, worst, floor, (long long)reference.dofs,
                    (long long)other.dofs, (long long)other.elastic_elements, (long long)other.rigid_parts,
                    (long long)other.contacts);
    }
    return THAW_OK;
}

static void write_contestant(FILE *file, const char *name, const Contestant *contestant, double steps) {
    fprintf(file,
            "  \"%s\": {\"method\": \"%s\", \"wall_ms\": %.3f, \"cpu_ms\": %.3f, \"contact_ms\": %.3f, \"mean_dofs\": "
            "%.1f},\n",
            name, contestant->method, contestant->wall_ms, contestant->cpu_ms, contestant->contact_ms,
            contestant->dofs / steps);
}

// A JSON text: quotes and what may not stand inside them.
static void write_text(FILE *file, const char *text) {
    fputc('"', file);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else if ((unsigned char)*text < 32)
            fprintf(file, "\\u%04x", *text);
        else
            fputc(*text, file);
    fputc('"', file);
}

static void write_json(const Comparison *c, FILE *file) {
    double steps = (double)c->done;
    double nc_reference = c->reference.cpu_ms - c->reference.contact_ms,
           nc_other = c->other.cpu_ms - c->other.contact_ms;
    fprintf(file, "{\n  \"scene\": ");
    write_text(file, c->scene_path);
    fprintf(file, ",\n  \"steps\": %lld,\n", (long long)c->done);
    write_contestant(file, "reference", &c->reference, steps);
    write_contestant(file, "other", &c->other, steps);
    fprintf(file,
            "  \"total_speedup\": %.4g,\n  \"mean_speedup\": %.4g,\n  \"nc_total_speedup\": %.4g,\n"
            "  \"nc_mean_speedup\": %.4g,\n  \"max_error\": %.6g,\n  \"mean_error\": %.6g,\n",
            c->reference.cpu_ms / c->other.cpu_ms, c->ratio_sum / steps, nc_reference / nc_other,
            c->nc_ratio_sum / steps, c->max_error, c->sum_error / steps);
    if (c->floor)
        fprintf(file, "  \"error_floor\": %.6g,\n", c->max_floor);
    else
        fprintf(file, "  \"error_floor\": null,\n");
    fprintf(file, "  \"mean_rigid_share\": %.6g,\n  \"final_rigid_share\": %.6g\n}\n", c->rigid_share_sum / steps,
            c->final_rigid_share);
}

static void print_summary(const Comparison *c) {
    double steps = (double)c->done;
    printf("%s: %lld steps\n\n", c->scene_path, (long long)c->done);
    printf("  %-12s %12s %12s %12s %12s\n", "method", "CPU ms/step", "wall ms/step", "contact ms", "unknowns");
    const Contestant *both[2] = {&c->reference, &c->other};
    for (int i = 0; i < 2; i++)
        printf("  %-12s %12.3f %12.3f %12.3f %12.0f\n", both[i]->method, both[i]->cpu_ms / steps,
               both[i]->wall_ms / steps, both[i]->contact_ms / steps, both[i]->dofs / steps);
    printf("\n  speedup      %.2f in total, %.2f mean of the steps\n", c->reference.cpu_ms / c->other.cpu_ms,
           c->ratio_sum / steps);
    printf("  error        %.3e at most, %.3e mean (vertex distance over its body's diameter)\n", c->max_error,
           c->sum_error / steps);
    if (c->floor)
        printf("  error floor  %.3e (%s against itself with half the time step)\n", c->max_floor, c->against);
    printf("  rigid        %.1f %% of the elements on average, %.1f %% at the end\n", 100 * c->rigid_share_sum / steps,
           100 * c->final_rigid_share);
}

static int parse(int argc, char **argv, Comparison *c, int64_t *threads) {
    AppArguments arguments = {argc, argv, 2, options, NULL};
    for (;;) {
        switch (app_arguments_next(&arguments)) {
        case APP_END:
            return c->scene_path
                       ? APP_DONE
                       : (app_complain("compare", "a scene is missing; see `thaw help compare`"), APP_WRONG_INPUT);
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
            c->method = arguments.value;
            break;
        case OPTION_AGAINST:
            c->against = arguments.value;
            break;
        case OPTION_STEPS:
            if (!app_parse_integer("compare", "--steps", arguments.value, 1, 1000000000, &c->steps))
                return APP_WRONG_INPUT;
            break;
        case OPTION_THREADS:
            if (!app_parse_integer("compare", "--threads", arguments.value, 0, 1024, threads))
                return APP_WRONG_INPUT;
            break;
        case OPTION_JSON:
            c->json = arguments.value;
            break;
        case OPTION_CSV:
            c->csv = arguments.value;
            break;
        case OPTION_NO_FLOOR:
            c->floor = 0;
            break;
        case OPTION_QUIET:
            c->quiet = 1;
            break;
        }
    }
}

static void clear(Comparison *c) {
    thaw_world_free(&c->reference.world);
    thaw_world_free(&c->other.world);
    thaw_world_free(&c->half.world);
    thaw_free(c->bodies);
    thaw_free(c->diameter);
    thaw_free(c->x[0]);
    thaw_free(c->x[1]);
    thaw_scene_free(&c->scene);
}

static int compare(int argc, char **argv) {
    Comparison c = {.method = "rigidify", .against = "full", .floor = 1};
    ThawError error = {0};
    int64_t threads = 1;
    int status = parse(argc, argv, &c, &threads);
    if (status != APP_DONE)
        return status;
    app_prepare_blas(argv);
    if (thaw_scene_load(c.scene_path, &c.scene, &error) != THAW_OK)
        return failed(&error);
    c.scene->world.threads = (int)threads;
    if (c.steps == 0)
        c.steps = c.scene->steps;
    FILE *csv = c.csv ? fopen(c.csv, "w") : NULL, *json = c.json ? fopen(c.json, "w") : NULL;
    if ((c.csv && !csv) || (c.json && !json)) {
        app_complain("compare", "cannot write %s", c.csv && !csv ? c.csv : c.json);
        status = APP_FAILED;
    }
    if (status == APP_DONE && prepare(&c, &error) != THAW_OK)
        status = failed(&error);
    if (status == APP_DONE && run(&c, csv, &error) != THAW_OK)
        status = failed(&error);
    if (c.done > 0 && json)
        write_json(&c, json);
    if (c.done > 0 && !c.quiet)
        print_summary(&c);
    if ((csv && fclose(csv) != 0) || (json && fclose(json) != 0)) {
        app_complain("compare", "cannot write %s or %s", c.csv ? c.csv : "-", c.json ? c.json : "-");
        status = APP_FAILED;
    }
    clear(&c);
    return status;
}

const AppCommand app_command_compare = {
    "compare", "one scene by two methods: error beside speed",
    "usage: thaw compare SCENE [OPTIONS]\n\n"
    "Runs the scene by two methods side by side and says how much faster the other one is and how far it strays.\n\n"
    "  --method NAME   the method that is judged (rigidify)\n"
    "  --against NAME  the reference (full)\n"
    "  --steps N       instead of the scene's\n"
    "  --json FILE     the figures, for programs\n"
    "  --csv FILE      times and errors of every step\n"
    "  --threads N     1 unless said: CPU times are compared\n"
    "  --no-floor      leave out the reference with half the time step, which costs twice the reference\n"
    "  --quiet         print nothing\n",
    compare};
