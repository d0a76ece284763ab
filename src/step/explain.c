// SPDX-License-Identifier: Apache-2.0
// Why an element is awake: what the body's method knows of it, put into words.
#include "step/explain.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "force/strain.h"
#include "model/sheet.h"
#include "step/method.h"

void thaw_body_explain(const ThawWorld *world, int32_t body, int32_t e, ThawElementReport *report) {
    const ThawStepper *s = thaw_world_mover(world, body);
    const ThawModelBody *b = &world->model->bodies[body];
    *report = (ThawElementReport){.body = body,
                                  .element = b->shape->element_user[e],
                                  .part = -1,
                                  .rate = NAN,
                                  .rate_threshold = NAN,
                                  .predicted = NAN,
                                  .predicted_allowed = NAN,
                                  .reason = THAW_REASON_METHOD,
                                  .woken_by = THAW_REASON_METHOD,
                                  .bending = NAN};
    if (s->method->ops->explain)
        s->method->ops->explain(world, s, b->unit_element + e, report);
}

ThawStatus thaw_world_explain(const ThawWorld *world, int32_t body, int32_t element, ThawElementReport *report,
                              ThawError *error) {
    if (!world || !report)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_world_explain: %s is NULL", world ? "report" : "world");
    if (body < 0 || body >= world->model->body_count)
        return thaw_error_set(error, THAW_ERROR_INPUT, "body is %d; the world has bodies 0 to %d", (int)body,
                              (int)world->model->body_count - 1);
    const ThawModelBody *b = &world->model->bodies[body];
    if (element < 0 || element >= b->shape->ne)
        return thaw_error_set(error, THAW_ERROR_INPUT, "element is %d; body %d (%s) has elements 0 to %d", (int)element,
                              (int)body, b->name, (int)b->shape->ne - 1);
    int32_t e = 0;
    while (b->shape->element_user[e] != element)
        e++;
    thaw_body_explain(world, body, e, report);
    if (!thaw_shape_is_sheet(b->shape))
        return THAW_OK;
    double *bending = THAW_NEW(double, b->shape->ne);
    ThawStatus status = bending ? thaw_body_bending(world, body, bending) : THAW_ERROR_MEMORY;
    report->bending = status == THAW_OK ? bending[element] : NAN;
    thaw_free(bending);
    return status == THAW_OK ? status : thaw_error_memory(error, "a report");
}

// --- bending ---------------------------------------------------------------------------------------------------------

ThawStatus thaw_body_bending(const ThawWorld *world, int32_t body, double *values) {
    static const double still = 1e-20; // 1/s^2: below, rounding
    const ThawStepper *s = thaw_world_mover(world, body);
    const ThawShape *shape = world->model->bodies[body].shape;
    const ThawStrainMeasure membrane = {.bend = 0, .bending = THAW_STRAIN_CURVATURE};
    const size_t ne = (size_t)shape->ne;
    memset(values, 0, sizeof *values * ne);
    if (!thaw_shape_is_sheet(shape) || world->state.asleep[body])
        return THAW_OK;
    ThawLanes *E = THAW_NEW(ThawLanes, thaw_strain_size(shape->all));
    double *rate = THAW_NEW(double, 2 * ne);
    for (int both = 0; both < 2 && E && rate; both++) {
        thaw_strain_compute(shape->all, s->tasks, NULL, 0, s->start_x, E);
        thaw_strain_rate_by(both ? NULL : &membrane, shape->all, s->tasks, NULL, 0, s->x, s->model->options.h, E,
                            rate + (both ? ne : 0));
    }
    for (size_t e = 0; e < ne && E && rate; e++)
        values[shape->element_user[e]] = rate[ne + e] > still ? fmax(0, 1 - rate[e] / rate[ne + e]) : 0;
    ThawStatus status = E && rate ? THAW_OK : THAW_ERROR_MEMORY;
    thaw_free(rate);
    thaw_free(E);
    return status;
}

// --- in words --------------------------------------------------------------------------------------------------------

typedef struct Words {
    char *text;
    int size, length; // length: what all of it would need
} Words;

__attribute__((format(printf, 2, 3))) static void say(Words *words, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int room = words->size - words->length;
    words->length +=
        vsnprintf(room > 0 ? words->text + words->length : NULL, room > 0 ? (size_t)room : 0, format, arguments);
    va_end(arguments);
}

static void say_rate(Words *words, const ThawElementReport *r) {
    if (!isfinite(r->rate_threshold))
        return;
    say(words, " Its strain rate |E_dot|^2 is %.3g 1/s^2, %s the threshold %.3g 1/s^2", r->rate,
        r->rate < r->rate_threshold ? "below" : "not below", r->rate_threshold);
    if (isfinite(r->bending))
        say(words, ", %.0f %% of it bending,", 100 * r->bending);
    if (r->rate < r->rate_threshold && r->steps_below >= 0 && r->steps_below < 255)
        say(words, " for %d steps (%d are asked for)", r->steps_below, r->steps_needed);
    say(words, ".");
}

static void say_predicted(Words *words, const ThawElementReport *r) {
    if (isfinite(r->predicted_allowed) && isfinite(r->predicted))
        say(words, " Being rigid suppresses a strain of %.3g, %s the %.3g allowed, as last foreseen.", r->predicted,
            r->predicted > r->predicted_allowed ? "more than" : "within", r->predicted_allowed);
}

int thaw_report_text(const ThawElementReport *r, char *text, int size) {
    Words words = {text, text ? size : 0, 0};
    if (!r)
        return 0;
    if (words.size > 0)
        text[0] = 0;
    say(&words, "Element %d of body %d is %s", (int)r->element, (int)r->body, thaw_element_state_name(r->state));
    if (r->reason == THAW_REASON_METHOD) {
        say(&words, ": %s.", thaw_reason_text(r->reason));
        return words.length;
    }
    if (r->state == THAW_ELEMENT_ASLEEP)
        say(&words, " with its whole body; it has been rigid");
    if (r->since_step > 0)
        say(&words, " since step %lld (t = %.6g s)", (long long)r->since_step, r->since_time);
    else
        say(&words, " since the start");
    if (r->state != THAW_ELEMENT_ELASTIC) {
        say(&words, ", in part %d.", (int)r->part);
        say_predicted(&words, r);
        return words.length;
    }
    say(&words, ", because %s.", thaw_reason_text(r->reason));
    if (r->woken_by != r->reason && r->woken_by != THAW_REASON_START)
        say(&words, " It became elastic because %s.", thaw_reason_text(r->woken_by));
    say_rate(&words, r);
    if (r->steps_held > 0)
        say(&words, " It stays elastic for %d more steps in any case.", r->steps_held);
    if (r->reason != THAW_REASON_RATE)
        say_predicted(&words, r);
    return words.length;
}
