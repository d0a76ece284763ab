// SPDX-License-Identifier: Apache-2.0
// Each body's own rhythm, and the thresholds that follow from it.
//
// The first mode is computed as a run would compute it for adaptive bodies (oracle/scale.c: a factor and a dozen solves, once for
// bodies that agree in shape and pins), so what is told is what they go by. Meshes so large that this would take seconds are told an
// estimate from size and material (world.c); of their thresholds those are known that the scene gives.
//
// Thresholds are held against the body. epsilon is a strain; a body whose parts may leave out a tenth is no longer itself.
// A swing of the first mode by that much changes strains at a tenth of omega: where tau_rigid is above the square of that, all that the
// body does in this mode counts as rest.
#include <math.h>
#include <stdio.h>

#include "doctor/doctor.h"
#include "step/step.h"

static const double WIDEST = 0.1; // strain

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

static void examine_rate(ThawExam *exam, const ThawRigidifyOptions *o, const char *body, double omega) {
    double fastest = WIDEST * omega;
    if (omega > 0 && o->tau_rigid > fastest * fastest) {
        ThawComplaint *c =
            thaw_exam_add(exam, THAW_SEVERITY_WARNING, "odd-threshold", "rigidify.tau_rigid, body %.60s", body);
        thaw_complaint_what(c,
                            "below %.3g 1/s^2 counts as rest, and swings of its first mode by a strain of %g reach "
                            "%.2g: whatever it does is frozen",
                            o->tau_rigid, WIDEST, fastest * fastest);
        thaw_complaint_cure(c, "it is a rate of strain squared; leave it out, and it follows from \"tolerance\"");
        thaw_complaint_value(c, o->tau_rigid, "1/s^2");
    }
}

// Where options stand that the world gives, or (not NULL) a body.
static void say_place(const char *option, const char *body, char *text, size_t room) {
    if (body)
        snprintf(text, room, "rigidify.%s, body %.60s", option, body);
    else
        snprintf(text, room, "rigidify.%s", option);
}

// Thresholds that the scene gives and that are beyond reason, or that its oracle does not know.
static void examine_given(ThawExam *exam, const ThawRigidifyOptions *given, const char *body) {
    const ThawOptionTable *table = &thaw_method_rigidify.options;
    const int paper = given->oracle == THAW_ORACLE_PAPER;
    char place[120];
    if (given->epsilon > WIDEST && !paper) {
        say_place("epsilon", body, place, sizeof place);
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_WARNING, "odd-threshold", "%s", place);
        thaw_complaint_what(c, "parts of a body may leave out strains of %.4g: hardly anything will be elastic",
                            given->epsilon);
        thaw_complaint_cure(c, "it is a strain, usually 1e-4 to 1e-2; leave it out, and it follows from \"tolerance\"");
        thaw_complaint_value(c, given->epsilon, "");
    }
    for (const ThawOption *o = table->rows; o < table->rows + table->count; o++) {
        const double value = thaw_option_get(o, given);
        if (!o->derived || value == 0 || thaw_option_is_read(table, o, given))
            continue;
        say_place(o->name, body, place, sizeof place);
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_HINT, "unread-threshold", "%s", place);
        thaw_complaint_what(c, "the oracle \"%s\" does not go by it", paper ? "paper" : "static");
        thaw_complaint_cure(c, paper ? "remove it; what wakes is \"tau_elastic\""
                                     : "remove it, or take the oracle \"paper\"; what wakes is \"epsilon\"");
        thaw_complaint_value(c, value, "");
    }
}

// What a body goes by whose mode was not looked for: NAN where that would tell.
static ThawRigidifyOptions options_without_scale(const ThawRigidifyOptions *given) {
    const ThawOptionTable *table = &thaw_method_rigidify.options;
    ThawRigidifyOptions o = *given;
    for (int i = 0; i < table->count; i++)
        if (table->rows[i].derived && thaw_option_get(&table->rows[i], &o) == 0)
            thaw_option_set(&table->rows[i], NAN, &o);
    if (given->tau_elastic == 0)
        o.tau_elastic = 100 * o.tau_rigid;
    return o;
}

void thaw_exam_scales(ThawExam *exam, const ThawScene *scene, const ThawModel *model) {
    const ThawRigidifyOptions *common = &scene->world.rigidify;
    ThawScale *scales = exam->status ? NULL : THAW_NEW(ThawScale, model->body_count);
    ThawTasks *tasks = NULL;
    ThawError error = {0};
    ThawStatus status = exam->status ? exam->status : thaw_tasks_create(1, &tasks, &error);
    const ThawRigidifyOptions *examined = NULL; // copies of a body share theirs
    int follows = 0;                            // a body goes by the world's
    if (!exam->status && status)
        thaw_exam_fail(exam, status, &error);
    if (!exam->status && !scales)
        thaw_exam_memory(exam, "the bodies' scales");
    for (int32_t b = 0; b < model->body_count && !exam->status; b++) {
        ThawPatient *patient = &exam->report->patients[b];
        find_scale(exam, model, b, tasks, scales);
        double omega = scales[b].known ? scales[b].omega : 0;
        patient->measured = scales[b].known;
        patient->period = omega > 0 ? 2 * M_PI / omega : NAN;
        if (model->bodies[b].method != THAW_METHOD_RIGIDIFY)
            continue;
        const ThawRigidifyOptions *own = scene->world.bodies[b].rigidify, *given = own ? own : common;
        patient->adaptive = 1;
        if (own && own != examined)
            examine_given(exam, examined = own, model->bodies[b].name);
        follows |= !own;
        patient->rigidify =
            scales[b].known ? thaw_scale_options(&scales[b], given, model->options.h) : options_without_scale(given);
        examine_rate(exam, &patient->rigidify, model->bodies[b].name, omega);
    }
    if (follows)
        examine_given(exam, common, NULL);
    thaw_tasks_free(&tasks);
    thaw_free(scales);
}
