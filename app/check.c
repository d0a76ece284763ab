// SPDX-License-Identifier: Apache-2.0
// `thaw check`: asks the doctor about a scene, mesh or surface and tells what was found, worst first; --json writes the
// same for programs (docs/doctor.md).
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "json_text.h"
#include "reading.h"
#include "registry/method.h"
#include "run.h"
#include "thaw/doctor.h"

enum { JSON, QUIET };
static const AppOption options[] = {[JSON] = {"--json", "FILE"}, [QUIET] = {"--quiet", NULL}, {NULL, NULL}};

// --- in words --------------------------------------------------------------------------------------------------------

static const char *plural(int64_t count) { return count == 1 ? "" : "s"; }

static int is_kind(const ThawDoctorReport *report, const char *kind) { return strcmp(report->kind, kind) == 0; }
static int is_surface(const ThawDoctorReport *report) { return is_kind(report, "surface"); }
static int is_flat(const ThawPatient *p) { return !(p->size[2] > 0); }

// What it consists of; a solid of nothing yet.
static void print_parts(const ThawDoctorReport *report, const ThawPatient *p) {
    if (is_kind(report, "drawing"))
        printf("outlines of %" PRId32 " segments, ", p->elements);
    else if (!is_kind(report, "solid"))
        printf("%" PRId32 " %s, %" PRId32 " %s%s, ", p->vertices, p->vertices == 1 ? "vertex" : "vertices", p->elements,
               is_surface(report) ? "triangle" : "element", plural(p->elements));
}

static const ThawMethod *method_of(const ThawPatient *p) {
    const int index = thaw_method_index(p->method);
    return index >= 0 && p->option_count > 0 ? thaw_method_at(index) : NULL;
}

static int same_thresholds(const ThawPatient *a, const ThawPatient *b) {
    const ThawMethod *method = method_of(a);
    int same = method && method == method_of(b);
    for (int i = 0; same && i < a->option_count; i++)
        same = !method->options.rows[i].derived || a->options[i] == b->options[i];
    return same;
}

// As a body goes by them: given, or by the tolerance.
static void print_thresholds(const ThawPatient *p) {
    const ThawMethod *method = method_of(p);
    const ThawOptionTable *table = &method->options;
    ThawOptionBuffer values;
    int count = 0;
    thaw_options_default(table, values.bytes);
    for (int i = 0; i < table->count; i++)
        thaw_option_set(&table->rows[i], p->options[i], values.bytes);
    for (int i = 0; i < table->count; i++) {
        const ThawOption *o = &table->rows[i];
        if (!o->derived || !thaw_option_is_read(table, o, values.bytes))
            continue;
        if (count++)
            printf(", ");
        else
            printf("    %s: ", method->name);
        if (isnan(p->options[i]))
            printf("%s by its first mode", o->name);
        else
            printf("%s %.3g%s%s", o->name, p->options[i], *o->unit ? " " : "", o->unit);
    }
    if (count)
        printf("\n");
}

static void print_patients(const ThawDoctorReport *report) {
    enum { SHOWN = 20 };
    for (int32_t i = 0; i < report->patient_count && i < SHOWN; i++) {
        const ThawPatient *p = &report->patients[i];
        printf("  %s: ", p->name);
        print_parts(report, p);
        printf("%.4g x %.4g", p->size[0], p->size[1]);
        if (!is_flat(p) || is_surface(report))
            printf(" x %.4g", p->size[2]);
        printf(" m");
        if (p->unit > 0 && p->guessed)
            printf(" if it is in %s, as its size suggests", p->unit == 0.001  ? "millimetres"
                                                            : p->unit == 0.01 ? "centimetres"
                                                                              : "metres");
        if (!isnan(p->min_angle))
            printf(", angles %.3g to %.4g degrees", p->min_angle * 180 / M_PI, p->max_angle * 180 / M_PI);
        if (!isnan(p->mass))
            printf(", %.4g kg", p->mass);
        if (!isnan(p->period))
            printf(", first mode %s%.2g s", p->measured ? "" : "about ", p->period);
        if (p->held)
            printf(", %" PRId32 " vertices held", p->held);
        printf("\n");
        if (p->changes)
            printf("    %" PRId32 " change%s of its shape from t = %g s on: %" PRId32 " elements go, %" PRId32
                   " vertices are doubled\n",
                   p->changes, p->changes > 1 ? "s" : "", p->change_time, p->removed, p->copied);
        int32_t like = 0; // the first that goes by the same
        while (like < i && !same_thresholds(&report->patients[like], p))
            like++;
        if (method_of(p) && like == i)
            print_thresholds(p);
    }
    if (report->patient_count > SHOWN)
        printf("  ... and %d more\n", (int)(report->patient_count - SHOWN));
}

// What to what, how many vertices, how stiff, and when it lets go.
static void print_attachments(const ThawDoctorReport *report) {
    enum { SHOWN = 20 };
    for (int32_t i = 0; i < report->attachment_count && i < SHOWN; i++) {
        const ThawAttachmentNote *a = &report->attachments[i];
        printf("  attachment %s: %s of %s %s %s%s, %" PRId32 " %s, %s%.3g N/m", a->name, a->group, a->body,
               a->glue                            ? "glued to"
               : strcmp(a->kind, "distance") == 0 ? "at a distance from"
                                                  : "sprung to",
               a->to, a->moves ? " that moves" : "", a->vertices, a->vertices == 1 ? "vertex" : "vertices",
               a->glue ? "glue of " : "", a->stiffness);
        if (strcmp(a->kind, "distance") == 0)
            printf(", %.4g m long", a->length);
        if (a->damping > 0)
            printf(", damping %.3g s", a->damping);
        if (!a->to_frame && !a->touches)
            printf(", no contact there");
        if (isfinite(a->release_time))
            printf(", lets go at %.4g s", a->release_time);
        if (isfinite(a->release_force))
            printf(", lets go above %.4g N", a->release_force);
        printf("\n");
    }
    if (report->attachment_count > SHOWN)
        printf("  ... and %d more attachments\n", (int)(report->attachment_count - SHOWN));
}

static void print_complaint(const ThawDoctorReport *report, const ThawComplaint *c) {
    printf("\n%s: %s [%s]\n", thaw_severity_name(c->severity), c->where, c->id);
    app_print_wrapped(4, "", c->what);
    int64_t shown = c->found.count < THAW_FINDING_IDS ? c->found.count : THAW_FINDING_IDS;
    if (*c->ids_of && shown) {
        printf("    at %s", c->ids_of);
        for (int64_t i = 0; i < shown; i++)
            printf("%s %" PRId64, i ? "," : "", c->found.ids[i]);
        if (c->found.count > shown)
            printf(", ... (%" PRId64 " in all)", c->found.count);
    }
    if (c->has_place)
        printf("%snear (%.5g, %.5g, %.5g) %s", *c->ids_of && shown ? ", " : "    ", c->place[0], c->place[1],
               c->place[2], is_surface(report) ? "in the file's unit" : "m");
    if ((*c->ids_of && shown) || c->has_place)
        printf("\n");
    app_print_wrapped(4, "cure: ", c->cure);
}

// What can be done with what is no scene yet.
static void print_next(const char *program, const char *path, const ThawDoctorReport *report) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    printf("next: ");
    app_print_word(stdout, program);
    printf(" new ");
    app_print_word(stdout, path);
    const int flat = is_flat(report->patients);
    printf("%s --drop   (a scene of it%s)\n", flat && is_surface(report) ? " --dimension 2" : "",
           flat ? ", in the plane" : "");
    if (is_kind(report, "mesh"))
        return;
    char mesh[300];
    snprintf(mesh, sizeof mesh, "%.*s.msh", dot ? (int)(dot - base) : 200, base);
    printf("  or: ");
    app_print_word(stdout, program);
    printf(" mesh ");
    app_print_word(stdout, path);
    printf(" -o ");
    app_print_word(stdout, mesh);
    printf("%s   (%s that fill it)\n", flat && is_surface(report) ? " --dimension 2" : "",
           flat ? "triangles" : "tetrahedra");
}

// What `thaw new` will take the file for, unless told.
static void print_guesses(const ThawPatient *p) {
    if (p->guessed)
        printf("  the unit is a guess%s: `thaw new --unit mm`, cm, m or in, --scale S or --height METRES know better\n",
               p->unit == 1 ? " (small things are often drawn in millimetres)" : "");
    if (!is_flat(p))
        printf("  %c of the file is taken for up: `thaw new --up x`, y or z changes it\n", "xyz"[p->up]);
}

// For %g, which writes 2e+02 where %.2g is asked for 200.
static double two_digits(double x) {
    const double unit = pow(10, floor(log10(x)) - 1);
    return round(x / unit) * unit;
}

static int can_go_on(const ThawDoctorReport *report) {
    int can = !is_kind(report, "scene") && !report->errors && report->patient_count;
    for (int32_t i = 0; i < report->complaint_count; i++)
        can &= strcmp(report->complaints[i].id, "sheet") != 0 || is_flat(report->patients);
    return can;
}

static void print_report(const char *program, const char *path, const ThawDoctorReport *report) {
    printf("%s: %s", path, report->kind);
    if (is_kind(report, "scene") && report->patient_count)
        printf(" of %d bod%s", (int)report->patient_count, report->patient_count == 1 ? "y" : "ies");
    printf("\n");
    print_patients(report);
    print_attachments(report);
    if ((is_surface(report) || is_kind(report, "drawing")) && report->patient_count)
        print_guesses(report->patients);
    if (*report->regions)
        printf("  regions: %s\n", report->regions);
    if (*report->groups)
        printf("  groups: %s\n", report->groups);
    if (report->disk > 0)
        printf("  frames of a run: about %g %s\n", two_digits(report->disk / (report->disk < 1e9 ? 1e6 : 1e9)),
               report->disk < 1e9 ? "MB" : "GB");
    if (report->seconds > 0) {
        char duration[40];
        thaw_cost_duration(report->seconds, duration);
        printf("  a run: about %g %s of memory; about %s of one core%s, less at rest\n",
               two_digits(report->memory / (report->memory < 1e9 ? 1e6 : 1e9)), report->memory < 1e9 ? "MB" : "GB",
               duration, report->touching ? " without contact, and several times that where much touches" : "");
    }
    for (int32_t i = 0; i < report->complaint_count; i++)
        print_complaint(report, &report->complaints[i]);
    if (report->left_off)
        printf("\n%d more of the kinds above\n", (int)report->left_off);
    if (!report->complaint_count)
        printf("\nnothing to complain about\n");
    else
        printf("\n%d error%s, %d warning%s, %d hint%s\n", (int)report->errors, plural(report->errors),
               (int)report->warnings, plural(report->warnings), (int)report->hints, plural(report->hints));
    if (can_go_on(report))
        print_next(program, path, report);
}

// --- for programs ----------------------------------------------------------------------------------------------------

static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *vector(const double x[3]) { return json_pack("[o,o,o]", number(x[0]), number(x[1]), number(x[2])); }

// An array that cannot take a value is none: so what is missing shows in the end.
static void append(json_t **array, json_t *value) {
    if (json_array_append_new(*array, value)) {
        json_decref(*array);
        *array = NULL;
    }
}

static json_t *complaint_json(const ThawComplaint *c) {
    json_t *ids = json_array();
    for (int64_t i = 0; i < c->found.count && i < THAW_FINDING_IDS; i++)
        append(&ids, json_integer(c->found.ids[i]));
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:s, s:s, s:o, s:I, s:o}", "severity",
                     thaw_severity_name(c->severity), "id", c->id, "where", app_json_string(c->where), "what",
                     app_json_string(c->what), "cure", app_json_string(c->cure), "value", number(c->value), "unit",
                     c->unit, "ids_of", c->ids_of, "ids", ids, "count", (json_int_t)c->found.count, "place",
                     c->has_place ? vector(c->place) : json_null());
}

static json_t *thresholds_json(const ThawPatient *p) {
    const ThawMethod *method = method_of(p);
    if (!method)
        return json_null();
    json_t *json = json_object();
    for (int i = 0; i < p->option_count; i++)
        if (thaw_option_is_threshold(&method->options.rows[i]) &&
            json_object_set_new(json, method->options.rows[i].name, number(p->options[i]))) {
            json_decref(json); // no memory: the whole document is none
            return NULL;
        }
    return json;
}

static json_t *report_json(const char *path, const ThawDoctorReport *report) {
    json_t *bodies = json_array(), *findings = json_array(), *attachments = json_array();
    for (int32_t i = 0; i < report->patient_count; i++) {
        const ThawPatient *p = &report->patients[i];
        append(&bodies, json_pack("{s:o, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:s?, s:o}", "name",
                                  app_json_string(p->name), "vertices", (int)p->vertices, "elements", (int)p->elements,
                                  "size", vector(p->size), "unit", number(p->unit > 0 ? p->unit : 1), "min_angle",
                                  number(p->min_angle * 180 / M_PI), "max_angle", number(p->max_angle * 180 / M_PI),
                                  "mass", number(p->mass), "period", number(p->period), "held", (int)p->held, "method",
                                  p->method, "options", thresholds_json(p)));
    }
    for (int32_t i = 0; i < report->complaint_count; i++)
        append(&findings, complaint_json(&report->complaints[i]));
    for (int32_t i = 0; i < report->attachment_count; i++) {
        const ThawAttachmentNote *a = &report->attachments[i];
        append(&attachments,
               json_pack("{s:o, s:o, s:o, s:o, s:s, s:b, s:b, s:i, s:o, s:o, s:o, s:o, s:o}", "name",
                         app_json_string(a->name), "body", app_json_string(a->body), "group", app_json_string(a->group),
                         "to", a->to_frame ? json_null() : app_json_string(a->to), "kind", a->kind, "glue", a->glue,
                         "contact", a->touches, "vertices", (int)a->vertices, "stiffness", number(a->stiffness),
                         "length", number(a->length), "damping", number(a->damping), "release", number(a->release_time),
                         "release_force", number(a->release_force)));
    }
    return json_pack("{s:o, s:s, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o}", "file",
                     app_json_string(path), "kind", report->kind, "errors", (int)report->errors, "warnings",
                     (int)report->warnings, "hints", (int)report->hints, "left_off", (int)report->left_off,
                     "frame_bytes", number(report->disk), "memory_bytes", number(report->memory), "run_seconds",
                     number(report->seconds), "run_touches", report->touching, "regions",
                     app_json_string(report->regions), "groups", app_json_string(report->groups), "bodies", bodies,
                     "attachments", attachments, "findings", findings);
}

static int write_json(const char *file, const char *path, const ThawDoctorReport *report) {
    json_t *document = report_json(path, report);
    FILE *stream = strcmp(file, "-") == 0 ? stdout : fopen(file, "w");
    int wrong = !document || !stream || json_dumpf(document, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) ||
                fputc('\n', stream) == EOF || fflush(stream);
    int reason = errno;
    if (stream && stream != stdout && fclose(stream))
        wrong = 1;
    json_decref(document);
    if (wrong)
        app_complain("check", "cannot write %s: %s", file, strerror(reason));
    return !wrong;
}

// --- the command -----------------------------------------------------------------------------------------------------

static int run_check(int argc, char **argv) {
    AppArguments a = {.argc = argc, .argv = argv, .next = 2, .table = options};
    const char *path = NULL, *json = NULL;
    int quiet = 0;
    for (int option; (option = app_arguments_next(&a)) != APP_END;) {
        if (option == JSON) {
            json = a.value;
        } else if (option == QUIET) {
            quiet = 1;
        } else if (option == APP_OPERAND && !path) {
            path = a.value;
        } else {
            if (option == APP_OPERAND)
                app_complain("check", "one file at a time: both '%s' and '%s' were given", path, a.value);
            return APP_WRONG_INPUT;
        }
    }
    if (!path) {
        app_complain("check", "name a scene (.json), a mesh, a surface, a drawing or a solid: thaw check FILE");
        return APP_WRONG_INPUT;
    }
    ThawDoctorReport *report = NULL;
    ThawError error = {0};
    ThawStatus status = app_doctor_file(path, &report, &error);
    if (status) {
        app_complain("check", "%s", error.message);
        return app_exit_status(status);
    }
    int result = report->errors ? APP_WRONG_INPUT : APP_DONE;
    if (!quiet && !(json && strcmp(json, "-") == 0))
        print_report(argv[0], path, report);
    if (json && !write_json(json, path, report))
        result = APP_FAILED;
    thaw_doctor_report_free(&report);
    return result;
}

const AppCommand app_command_check = {
    .name = "check",
    .summary = "the doctor: what is wrong with a scene or mesh, where, and how to mend it",
    .help = "usage: thaw check FILE [--json FILE] [--quiet]\n"
            "\n"
            "FILE is a scene or solid (.json), a mesh (.msh, .mesh, .node, .vtu, ...), a surface (.obj, .ply, .stl)\n"
            "or a drawing (.svg, .poly).\n"
            "Looks at element quality, units, time step against stiffness, groups, pins, scripts, forces, bodies that\n"
            "overlap, attachments, and what a run would write. Each finding says what, where, and a cure; errors come "
            "first.\n"
            "\n"
            "  --json FILE   write the findings for programs as well; - is standard output (docs/doctor.md)\n"
            "  --quiet       print nothing; the exit status tells\n"
            "\n"
            "Exit status: 0 nothing that prevents a run, 1 errors were found, 2 the report could not be written.\n",
    .run = run_check,
};
