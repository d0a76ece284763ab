// SPDX-License-Identifier: Apache-2.0
// Coefficients of restitution that do nothing: of one side alone, by an integrator in the world's axes, of sheets, and
// of bodies so soft that the step resolves how they rebound (step/blow.c).
#include <math.h>

#include "doctor/doctor.h"

enum { MANY_PAIRS = 1000000 }; // more are not looked at

// What is to be said of the partners of a body.
typedef struct Partners {
    int32_t given, acts; // how many with a coefficient, and with one that acts
    double parts;        // that the stiffest of them needs
} Partners;

static void look_at_pair(const ThawWorldDef *world, const ThawModel *model, int32_t a, int32_t b, Partners *p) {
    ThawTouch touch;
    if (!thaw_model_may_touch(model, a, b, &touch) || !(touch.restitution > 0))
        return;
    const double time = thaw_model_blow_time(model, a, b);
    const double parts = time > 0 ? ceil(THAW_BLOW_STEPS * world->h / time) : 0;
    p->given++;
    p->acts += parts > fmax(1, world->substeps) && thaw_scheme(world->integrator)->blows >= 0;
    p->parts = fmax(p->parts, parts);
}

static int gives(const ThawModel *model, int32_t b) {
    for (int32_t i = 0; i < model->pair_count; i++)
        if (model->pairs[i].restitution > 0 && (model->pairs[i].side[0][b] || model->pairs[i].side[1][b]))
            return 1;
    return model->bodies[b].restitution > 0;
}

// Whether a body before it had the same to be said.
static int is_copy(const ThawWorldDef *world, const ThawModel *model, int32_t b) {
    for (int32_t i = 0; i < b; i++)
        if (world->bodies[i].shape == world->bodies[b].shape &&
            model->bodies[i].restitution == model->bodies[b].restitution)
            return 1;
    return 0;
}

static void tell(ThawExam *exam, const ThawWorldDef *world, const ThawModelBody *body, const Partners *p) {
    ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_WARNING, "restitution-idle", "body %.100s", body->name);
    if (p->given == 0) {
        thaw_complaint_what(c,
                            "its restitution of %g does nothing: a pair's is the geometric mean of both, and nothing "
                            "that it may touch has one",
                            body->restitution);
        thaw_complaint_cure(c, "\"restitution\" of the other side, or of the pair in \"pairs\"");
    } else if (thaw_scheme(world->integrator)->blows < 0) {
        thaw_complaint_what(c, "its restitution does nothing by the integrator \"%s\", in the world's axes",
                            thaw_scheme(world->integrator)->name);
        thaw_complaint_cure(c, "\"integrator\": \"%s\" in \"time\"", thaw_scheme_in_frames(1)->name);
    } else if (p->parts == 0) {
        thaw_complaint_what(c, "its restitution does nothing: sheets give way by bending, which steps resolve");
        thaw_complaint_cure(c, "no restitution: how a sheet rebounds follows from its material");
    } else {
        thaw_complaint_what(c,
                            "its restitution does nothing: a blow is resolved by %g parts of a step at most, and "
                            "how it rebounds follows from its material",
                            p->parts);
        thaw_complaint_cure(c, "no restitution; or fewer \"substeps\" than %g in \"time\", if a coefficient is wanted",
                            p->parts);
    }
    thaw_complaint_value(c, p->parts, "parts");
}

void thaw_exam_rebound(ThawExam *exam, const ThawScene *scene, const ThawModel *model) {
    const ThawWorldDef *world = &scene->world;
    if (exam->status || world->contact.disabled ||
        (double)model->body_count * (model->body_count + model->obstacle_count) > MANY_PAIRS)
        return;
    for (int32_t b = 0; b < model->body_count && !exam->status; b++) {
        Partners p = {0};
        if (!gives(model, b) || is_copy(world, model, b))
            continue;
        for (int32_t i = 0; i < model->body_count; i++)
            if (i != b)
                look_at_pair(world, model, b, i, &p);
        for (int32_t o = 0; o < model->obstacle_count; o++)
            look_at_pair(world, model, b, -1 - o, &p);
        if (p.acts == 0 && (p.given > 0 || model->bodies[b].restitution > 0))
            tell(exam, world, &model->bodies[b], &p);
    }
}
