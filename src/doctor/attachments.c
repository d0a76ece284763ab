// SPDX-License-Identifier: Apache-2.0
// Attachments: what holds what, and those that do nothing or fight something: the same one twice, a region that pins
// hold anyway, times beyond the run, bodies that are attached and stand in each other. Linear in the anchors; pairs of
// attachments of one body are compared.
#include "doctor/doctor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/contact.h"
#include "model/attachment.h"

typedef struct Attached {
    ThawExam *exam;
    const ThawScene *scene;
    const ThawModel *model;
    double duration; // s, of the run
} Attached;

static const char *name_of(const ThawModel *model, int32_t other) {
    return other >= 0                   ? model->bodies[other].name
           : other == THAW_ANCHOR_FRAME ? "a frame"
                                        : model->obstacles[-1 - other].name;
}

static ThawComplaint *complain(const Attached *d, int32_t i, ThawSeverity severity, const char *id) {
    return thaw_exam_add(d->exam, severity, id, "attachments[%d] (%.80s)", (int)i, d->model->attachments[i].name);
}

static void list(const Attached *d) {
    const ThawModel *model = d->model;
    ThawDoctorReport *report = d->exam->report;
    report->attachments = THAW_NEW(ThawAttachmentNote, model->attachment_count);
    if (!report->attachments) {
        thaw_exam_memory(d->exam, "the doctor's report");
        return;
    }
    report->attachment_count = model->attachment_count;
    for (int32_t i = 0; i < model->attachment_count; i++) {
        const ThawAttachment *a = &model->attachments[i];
        const ThawAttachmentDef *def = &d->scene->world.attachments[i];
        ThawAttachmentNote *note = &report->attachments[i];
        *note = (ThawAttachmentNote){.kind = a->kind->name,
                                     .glue = def->kind == THAW_ATTACHMENT_POINT && !(def->stiffness > 0) &&
                                             !(def->stiffness_per_area > 0),
                                     .to_frame = a->other == THAW_ANCHOR_FRAME,
                                     .moves = a->other == THAW_ANCHOR_FRAME && def->key_count > 1,
                                     .touches = !a->glued,
                                     .vertices = a->count,
                                     .length = a->count > 0 ? model->anchors[a->first].length : 0,
                                     .damping = a->damping,
                                     .release_time = a->release_time,
                                     .release_force = a->release_force};
        for (int32_t k = 0; k < a->count; k++)
            note->stiffness += model->anchors[a->first + k].stiffness;
        snprintf(note->name, sizeof note->name, "%s", a->name);
        snprintf(note->body, sizeof note->body, "%s", model->bodies[a->body].name);
        snprintf(note->group, sizeof note->group, "%s", model->bodies[a->body].shape->groups[def->group].name);
        snprintf(note->to, sizeof note->to, "%s", name_of(model, a->other));
    }
}

// --- of no use -------------------------------------------------------------------------------------------------------

static int same_anchors(const ThawModel *model, const ThawAttachment *a, const ThawAttachment *b) {
    const ThawAnchor *p = model->anchors + a->first, *q = model->anchors + b->first;
    if (a->body != b->body || a->other != b->other || a->kind != b->kind || a->count != b->count)
        return 0;
    for (int32_t i = 0; i < a->count; i++)
        if (p[i].vertex != q[i].vertex || p[i].nodes != q[i].nodes ||
            memcmp(p[i].other, q[i].other, sizeof p[i].other) != 0 ||
            memcmp(p[i].weight, q[i].weight, sizeof p[i].weight) != 0)
            return 0;
    return 1;
}

static void examine_twice(const Attached *d, int32_t i) {
    const ThawAttachment *a = &d->model->attachments[i];
    for (int32_t k = 0; k < i; k++) {
        const ThawAttachment *b = &d->model->attachments[k];
        if (!same_anchors(d->model, a, b) ||
            (a->other == THAW_ANCHOR_FRAME &&
             d->scene->world.attachments[i].key_count + d->scene->world.attachments[k].key_count > 0))
            continue;
        ThawComplaint *c = complain(d, i, THAW_SEVERITY_WARNING, "attached-twice");
        thaw_complaint_what(c,
                            "it holds the same %d vertices of %.60s to %.60s as attachments[%d] (%.60s): their springs "
                            "add up, and one that lets go leaves the other",
                            (int)a->count, d->model->bodies[a->body].name, name_of(d->model, a->other), (int)k,
                            b->name);
        thaw_complaint_cure(c, "remove one of them; if it should be stiffer, give one of them that \"stiffness\"");
        thaw_complaint_value(c, a->count, "vertices");
        return;
    }
}

// Whether pins or scripts hold a vertex for as long as that, s.
static int is_pinned(const ThawModelBody *body, int32_t vertex, double until) {
    for (int32_t s = 0; s < body->script_count; s++) {
        const ThawGroup *group = body->scripts[s].group;
        for (int32_t i = 0; i < group->count && body->scripts[s].release >= until; i++)
            if (group->vertices[i] == vertex)
                return 1;
    }
    return 0;
}

static void examine_pinned(const Attached *d, int32_t i) {
    const ThawAttachment *a = &d->model->attachments[i];
    const double until = fmin(a->release_time, d->duration);
    for (int32_t k = 0; k < a->count; k++) {
        const ThawAnchor *anchor = &d->model->anchors[a->first + k];
        if (!is_pinned(&d->model->bodies[a->body], anchor->vertex, until))
            return;
        for (int n = 0; n < anchor->nodes; n++)
            if (!is_pinned(&d->model->bodies[a->other], anchor->other[n], until))
                return;
    }
    ThawComplaint *c = complain(d, i, THAW_SEVERITY_WARNING, "attached-pins");
    thaw_complaint_what(c, "pins or scripts hold all %d vertices of its region%s as long as it lasts: it does nothing",
                        (int)a->count, a->other >= 0 ? ", and all that they are held to," : "");
    thaw_complaint_cure(c, "remove it, or take its group out of the \"pins\" and \"scripts\" of %.60s",
                        d->model->bodies[a->body].name);
    thaw_complaint_value(c, a->count, "vertices");
}

static void examine_release(const Attached *d, int32_t i) {
    const ThawAttachment *a = &d->model->attachments[i];
    if (!isfinite(a->release_time) || a->release_time < d->duration)
        return;
    ThawComplaint *c = complain(d, i, THAW_SEVERITY_HINT, "never-released");
    thaw_complaint_what(c, "it lets go at %.6g s, but the run ends at %.6g s", a->release_time, d->duration);
    thaw_complaint_cure(c, "raise time.steps to more than %.0f", ceil(a->release_time / d->scene->world.h));
    thaw_complaint_value(c, a->release_time, "s");
}

// --- against contact -------------------------------------------------------------------------------------------------

int thaw_exam_is_attached(const ThawModel *model, int32_t body, int32_t other) {
    for (int32_t i = 0; i < model->attachment_count; i++) {
        const ThawAttachment *a = &model->attachments[i];
        if ((a->body == body && a->other == other) || (a->body == other && a->other == body))
            return i + 1;
    }
    return 0;
}

void thaw_exam_attached_overlap(ThawExam *exam, const ThawModel *model, const ThawOverlap *overlap) {
    const int32_t i = thaw_exam_is_attached(model, overlap->body[0], overlap->body[1]) - 1;
    const char *one = model->bodies[overlap->body[0]].name, *other = name_of(model, overlap->body[1]);
    ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_WARNING, "attached-overlap", "%.60s and %.60s", one, other);
    thaw_complaint_what(c,
                        "they are attached (attachments[%d], %.60s) and stand in each other, %.3g m deep, where %s: "
                        "contact pushes them apart while the attachment holds them together",
                        (int)i, model->attachments[i].name, overlap->depth,
                        model->attachments[i].glued ? "its region does not reach" : "they may touch");
    thaw_complaint_cure(c,
                        "\"pairs\": [{\"between\": [\"%.60s\", \"%.60s\"], \"enabled\": false}], \"contact\": false "
                        "where the region is what overlaps, or place them apart",
                        one, other);
    thaw_complaint_value(c, overlap->depth, "m");
}

void thaw_exam_attachments(ThawExam *exam, const ThawScene *scene, const ThawModel *model) {
    const Attached d = {exam, scene, model, (double)scene->steps * scene->world.h};
    if (exam->status || model->attachment_count == 0)
        return;
    list(&d);
    for (int32_t i = 0; i < model->attachment_count && !exam->status; i++) {
        examine_twice(&d, i);
        examine_pinned(&d, i);
        examine_release(&d, i);
    }
}
