// SPDX-License-Identifier: Apache-2.0
// Each body's own rhythm, and the thresholds that follow from it.
//
// The first mode is computed as a run would compute it for adaptive bodies (oracle/scale.c: a factor and a dozen
// solves, once for bodies that agree in shape and pins), so the report has the values in force. For meshes so large
// that this would take seconds it has an estimate from size and material (world.c), and of the thresholds those that
// the scene gives.
//
// Options of a method are examined by its table: those that the choices of others leave unread are reported; values out
// of proportion, to the body or at all, are found by the method itself.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "doctor/doctor.h"
#include "oracle/scale.h"
#include "step/method.h"

static void find_scale(ThawExam *exam, const ThawModel *model, int32_t b, ThawTasks *tasks, ThawScale *scales) {
    const ThawModelBody *body = &model->bodies[b];
    ThawError error = {0};
    for (int32_t i = 0; i < b; i++)
        if (scales[i].known && thaw_bodies_alike(&model->bodies[i], body, model->options.h / 2)) {
            scales[b] = scales[i];
            return;
        }
    if (body->shape->ne > THAW_MODE_ELEMENTS)
        return;
    ThawStatus status = thaw_body_find_scale(model, body, model->options.h / 2, NULL, 0, tasks, &scales[b], &error);
    if (status < 0)
        thaw_exam_fail(exam, status, &error);
}

// Where an option stands that the world gives, or (not NULL) a body.
static void say_place(const ThawMethod *method, const char *option, const char *body, char text[160]) {
    if (body)
        snprintf(text, 160, "%s.%s, body %.60s", method->name, option, body);
    else
        snprintf(text, 160, "%s.%s", method->name, option);
}

// What the method finds odd; build as in step/method.h.
static void tell_doubts(ThawExam *exam, const ThawMethod *method, const void *options, const ThawBuild *build,
                        const char *body) {
    ThawOptionRemark remarks[THAW_REMARKS];
    const int count = method->ops->doubt ? method->ops->doubt(options, build, remarks) : 0;
    for (int i = 0; i < count; i++) {
        const ThawOption *o = thaw_option_find(&method->options, remarks[i].option);
        char place[160];
        say_place(method, remarks[i].option, body, place);
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_WARNING, "odd-threshold", "%s", place);
        thaw_complaint_what(c, "%s", remarks[i].what);
        thaw_complaint_cure(c, "%s", remarks[i].cure);
        thaw_complaint_value(c, thaw_option_get(o, options), o->unit);
    }
}

// What is read in its place, where there is such a thing: another threshold that the present choice reads only.
static const char *instead_of(const ThawOptionTable *table, const ThawOption *unread, const void *options) {
    for (const ThawOption *o = table->rows; o < table->rows + table->count; o++)
        if (o->only_with && strcmp(o->only_with, unread->only_with) == 0 && o->derived && o->power > 0 &&
            thaw_option_is_read(table, o, options))
            return o->name;
    return NULL;
}

// Options that the scene gives and that are beyond reason, or that are not read.
static void examine_given(ThawExam *exam, const ThawMethod *method, const void *given, const char *body) {
    const ThawOptionTable *table = &method->options;
    tell_doubts(exam, method, given, NULL, body);
    for (const ThawOption *o = table->rows; o < table->rows + table->count; o++) {
        const double value = thaw_option_get(o, given);
        if (!o->derived || value == 0 || thaw_option_is_read(table, o, given))
            continue;
        const ThawOption *with = thaw_option_find(table, o->only_with);
        const char *now = with->names[(int)thaw_option_get(with, given)], *other = instead_of(table, o, given);
        char place[160];
        say_place(method, o->name, body, place);
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_HINT, "unread-threshold", "%s", place);
        thaw_complaint_what(c, "the %s \"%s\" does not go by it%s%s", with->name, now, other ? ", but by " : "",
                            other ? other : "");
        thaw_complaint_cure(c, "remove it, or take the %s \"%s\"", with->name, with->names[o->only_choice]);
        thaw_complaint_value(c, value, "");
    }
}

static double sag_of(const ThawModel *model, const ThawModelBody *body, const ThawScale *scale) {
    const double *g = model->options.gravity, weight = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    return scale->soft > 0 ? weight / (scale->soft * body->shape->diameter) : 0;
}

static double spin_of(const ThawModelBody *body) {
    const double *w = body->spin;
    return sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
}

// Whether auto would choose conjugate gradients. (Where memory is short, nothing is said.)
static int is_iterative(const ThawModel *model, const ThawModelBody *body) {
    const ThawGraph *graph = body->shape->graph;
    ThawBlockPattern *pattern = NULL;
    if (model->options.solver != THAW_SOLVER_AUTO ||
        thaw_block_pattern_create(body->shape->nv, model->dim, graph->offset, graph->neighbours, &pattern, NULL) !=
            THAW_OK)
        return 0;
    const int iterative = thaw_solver_choose(pattern) == THAW_SOLVER_PCG;
    thaw_block_pattern_free(&pattern);
    return iterative;
}

// The options of a body as it goes by them, as numbers.
static void tell_options(ThawExam *exam, const ThawMethod *method, const ThawScale *scale, const ThawModel *model,
                         void *options, const ThawModelBody *body, ThawPatient *patient) {
    if (method->ops->foresee)
        method->ops->foresee(scale->known ? scale : NULL, model->options.h, options);
    patient->option_count = method->options.count;
    thaw_options_list(&method->options, options, patient->options);
    if (!scale->known || scale->omega > 0)
        tell_doubts(exam, method, options,
                    &(ThawBuild){scale->known ? scale->omega : 0, sag_of(model, body, scale), spin_of(body),
                                 model->options.h, is_iterative(model, body)},
                    body->name);
}

double thaw_patient_option(const ThawPatient *patient, const char *name) {
    const int index = patient ? thaw_method_index(patient->method) : -1;
    const ThawOption *o = index >= 0 && name ? thaw_option_find(&thaw_method_at(index)->options, name) : NULL;
    const ptrdiff_t row = o ? o - thaw_method_at(index)->options.rows : -1;
    return row >= 0 && row < patient->option_count ? patient->options[row] : NAN;
}

// Options of a body that goes by another method.
static void examine_idle(ThawExam *exam, const ThawMethod *method, const char *goes_by, const char *body) {
    ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_HINT, "unread-options", "%s, body %.60s", method->name, body);
    thaw_complaint_what(c, "its method is \"%s\", which does not go by them", goes_by);
    thaw_complaint_cure(c, "write \"method\": \"%s\" into the body, or remove them", method->name);
}

// Options of bodies, and those of the world once for each method that a body of it goes by.
static void examine_options(ThawExam *exam, const ThawScene *scene, const ThawModel *model, const ThawScale *scales) {
    const ThawWorldDef *world = &scene->world;
    for (int m = 0; m < thaw_method_count(); m++) {
        const ThawMethod *method = thaw_method_at(m);
        ThawOptionBuffer options, before; // before: of a body that was examined; copies of a body share theirs
        int follows = 0, seen = 0;
        for (int32_t b = 0; b < model->body_count && method->options.count > 0 && !exam->status; b++) {
            const bool own = thaw_method_body_options(method, world, &world->bodies[b], &options);
            if (model->bodies[b].method != m) {
                if (own && !(seen && memcmp(options.bytes, before.bytes, method->options.size) == 0))
                    examine_idle(exam, method, thaw_method_at(model->bodies[b].method)->name, model->bodies[b].name);
                follows |= !own; // --method and the page may make it go by them
                before = own ? options : before;
                seen |= own;
                continue;
            }
            follows |= !own;
            if (own && !(seen && memcmp(options.bytes, before.bytes, method->options.size) == 0)) {
                examine_given(exam, method, options.bytes, model->bodies[b].name);
                before = options;
                seen = 1;
            }
            tell_options(exam, method, &scales[b], model, options.bytes, &model->bodies[b], &exam->report->patients[b]);
        }
        if (follows && thaw_method_world_options(method, world, &options))
            examine_given(exam, method, options.bytes, NULL);
    }
}

void thaw_exam_scales(ThawExam *exam, const ThawScene *scene, const ThawModel *model) {
    ThawScale *scales = exam->status ? NULL : THAW_NEW(ThawScale, model->body_count);
    ThawTasks *tasks = NULL;
    ThawError error = {0};
    ThawStatus status = exam->status ? exam->status : thaw_tasks_create(1, &tasks, &error);
    if (!exam->status && status)
        thaw_exam_fail(exam, status, &error);
    if (!exam->status && !scales)
        thaw_exam_memory(exam, "the bodies' scales");
    for (int32_t b = 0; b < model->body_count && !exam->status; b++) {
        ThawPatient *patient = &exam->report->patients[b];
        find_scale(exam, model, b, tasks, scales);
        patient->measured = scales[b].known;
        patient->period = scales[b].known && scales[b].omega > 0 ? 2 * M_PI / scales[b].omega : NAN;
        patient->method = thaw_method_at(model->bodies[b].method)->name;
    }
    if (!exam->status)
        examine_options(exam, scene, model, scales);
    thaw_tasks_free(&tasks);
    thaw_free(scales);
}
