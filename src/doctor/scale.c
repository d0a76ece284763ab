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

// Thresholds that the scene gives and that are beyond reason, or that its oracle does not know.
static void examine_given(ThawExam *exam, const ThawRigidifyOptions *given) {
    const int paper = given->oracle == THAW_ORACLE_PAPER;
    if (given->epsilon > WIDEST && !paper) {
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_WARNING, "odd-threshold", "rigidify.epsilon");
        thaw_complaint_what(c, "parts of a body may leave out strains of %.4g: hardly anything will be elastic",
                            given->epsilon);
        thaw_complaint_cure(c, "it is a strain, usually 1e-4 to 1e-2; leave it out, and it follows from \"tolerance\"");
        thaw_complaint_value(c, given->epsilon, "");
    }
    const struct {
        const char *name;
        double value;
        int unread;
    } all[] = {{"epsilon", given->epsilon, paper},
               {"horizon", given->horizon, paper},
               {"tau_elastic", given->tau_elastic, !paper}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!all[i].unread || all[i].value == 0)
            continue;
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_HINT, "unread-threshold", "rigidify.%s", all[i].name);
        thaw_complaint_what(c, "the oracle \"%s\" does not go by it", paper ? "paper" : "static");
        thaw_complaint_cure(c, paper ? "remove it; what wakes is \"tau_elastic\""
                                     : "remove it, or take the oracle \"paper\"; what wakes is \"epsilon\"");
        thaw_complaint_value(c, all[i].value, "");
    }
}

// What a body goes by whose mode was not looked for: NAN where that would tell.
static ThawRigidifyOptions options_without_scale(const ThawRigidifyOptions *given) {
    ThawRigidifyOptions o = *given;
    double *all[] = {&o.tau_rigid, &o.epsilon, &o.horizon, &o.sleep_speed};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = *all[i] == 0 ? NAN : *all[i];
    o.tau_elastic = o.tau_elastic == 0 ? 100 * o.tau_rigid : o.tau_elastic;
    return o;
}

void thaw_exam_scales(ThawExam *exam, const ThawScene *scene, const ThawModel *model) {
    const ThawRigidifyOptions *given = &scene->world.rigidify;
    ThawScale *scales = exam->status ? NULL : THAW_NEW(ThawScale, model->body_count);
    ThawTasks *tasks = NULL;
    ThawError error = {0};
    ThawStatus status = exam->status ? exam->status : thaw_tasks_create(1, &tasks, &error);
    int adaptive = 0;
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
        adaptive = patient->adaptive = 1;
        patient->rigidify =
            scales[b].known ? thaw_scale_options(&scales[b], given, model->options.h) : options_without_scale(given);
        examine_rate(exam, &patient->rigidify, model->bodies[b].name, omega);
    }
    if (adaptive)
        examine_given(exam, given);
    thaw_tasks_free(&tasks);
    thaw_free(scales);
}
