// SPDX-License-Identifier: Apache-2.0
// `thaw explain`: why an element of a run is elastic or rigid, out of the run's frames.
//
// Each frame says of every element what it is, since when, and what woke it. So its past is a chain: the frame before
// the last change tells of the one before, and so on; a handful of frames is read, found by bisection, however long the
// run. What came and went between two frames is not seen.
#include "explain.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "base/base.h"
#include "output/replay.h"
#include "scene/kind.h"

typedef struct Explain {
    const char *input, *body_name;
    int64_t element, step; // -1: not given
    int json, quiet;
    ThawReplay *replay;
    int32_t body;
    int64_t elements, elastic; // of the body, in the first frame that was read
    double speed;              // m/s, of its fastest vertex
    int hindrance;             // a ThawHindrance; -1: the frames do not tell
    double *attachments;       // of that frame, or NULL
    int32_t attachment_count;
} Explain;

enum { ELEMENT, STEP, BODY, JSON, QUIET };
static const AppOption options[] = {
    [ELEMENT] = {"--element", "N"}, [STEP] = {"--step", "K"},    [BODY] = {"--body", "NAME"},
    [JSON] = {"--json", NULL},      [QUIET] = {"--quiet", NULL}, {NULL, NULL}};

enum { EPISODES = 12 }; // of the past that are told

// --- out of a frame --------------------------------------------------------------------------------------------------

static double field_at(const ThawFrameData *frame, const char *name, int64_t cell, double otherwise) {
    const double *values = frame->fields[thaw_field_find(name)];
    return values ? values[cell] : otherwise;
}

// The cells of a body follow each other; *first is -1 where it has none.
static int64_t cells_of(const ThawFrameData *frame, int32_t body, int64_t *first) {
    int64_t count = 0;
    *first = -1;
    for (int64_t c = 0; c < frame->cell_count; c++)
        if (frame->body[frame->cells[frame->nodes * c]] == body) {
            *first = *first < 0 ? c : *first;
            count++;
        }
    return count;
}

ThawStatus app_report_from_frame(const ThawFrameData *frame, int32_t body, int32_t element, ThawElementReport *r,
                                 ThawError *error) {
    int64_t first;
    const int64_t count = cells_of(frame, body, &first);
    if (body < 0 || body >= frame->body_count || count == 0)
        return thaw_error_set(error, THAW_ERROR_INPUT, "body is %d; the frames have bodies 0 to %d", (int)body,
                              (int)frame->body_count - 1);
    if (element < 0 || element >= count)
        return thaw_error_set(error, THAW_ERROR_INPUT, "element is %d; the body has elements 0 to %lld", (int)element,
                              (long long)count - 1);
    int64_t cell = first + element;
    double h = frame->step > 0 ? frame->time / (double)frame->step : 0;
    *r = (ThawElementReport){
        .body = body,
        .element = element,
        .state = (ThawElementState)field_at(frame, "state", cell, THAW_ELEMENT_ELASTIC),
        .part = (int32_t)field_at(frame, "part", cell, -1),
        .rate = field_at(frame, "strain_rate", cell, NAN),
        .rate_threshold = frame->thresholds ? frame->thresholds[2 * (int64_t)body] : NAN,
        .steps_below = -1,
        .steps_held = -1,
        .predicted = field_at(frame, "predicted_strain", cell, NAN),
        .predicted_allowed = frame->thresholds ? frame->thresholds[2 * (int64_t)body + 1] : NAN,
        .reason = (ThawReason)field_at(frame, "reason", cell, THAW_REASON_METHOD),
        .woken_by = (ThawReason)field_at(frame, "woken_by", cell, THAW_REASON_METHOD),
        .since_time = field_at(frame, "awake_since", cell, 0),
        .bending = field_at(frame, "bending", cell, NAN),
    };
    r->rate_threshold = r->rate_threshold >= 0 ? r->rate_threshold : NAN;
    r->predicted_allowed = r->predicted_allowed >= 0 ? r->predicted_allowed : NAN;
    r->since_step = h > 0 ? llround(r->since_time / h) : 0;
    r->since_time = h * (double)r->since_step; // frames hold single precision
    return THAW_OK;
}

static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }
static json_t *count_of(int value) { return value >= 0 ? json_integer(value) : json_null(); }

json_t *app_report_json(const ThawElementReport *r, const char *body_name) {
    char text[1000];
    thaw_report_text(r, text, sizeof text);
    int rigid = r->state != THAW_ELEMENT_ELASTIC;
    return json_pack("{s:i, s:s?, s:i, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:s, s:s, s:I, s:f, s:s}",
                     "body", (int)r->body, "body_name", body_name, "element", (int)r->element, "state",
                     thaw_element_state_name(r->state), "part", rigid ? json_integer(r->part) : json_null(), "rate",
                     number(r->rate), "rate_threshold", number(r->rate_threshold), "bending", number(r->bending),
                     "steps_below", count_of(r->steps_below), "steps_held", count_of(r->steps_held), "predicted",
                     number(r->predicted), "predicted_allowed", number(r->predicted_allowed), "reason",
                     thaw_reason_name(r->reason), "reason_text", thaw_reason_text(r->reason), "woken_by",
                     thaw_reason_name(r->woken_by), "since_step", (json_int_t)r->since_step, "since_time",
                     r->since_time, "text", text);
}

// --- which frame -----------------------------------------------------------------------------------------------------

// The last frame at or before a step (-1: the last of all), the index-th of the run; *frame is NULL when it has none so
// early.
static ThawStatus read_at(const Explain *e, int64_t step, int64_t *index, ThawFrameData **frame, ThawError *error) {
    int64_t low = -1, high = thaw_replay_count(e->replay); // frame low is at or before the step, frame high is after it
    *frame = NULL;
    if (step < 0)
        low = high - 1;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        ThawStatus status = thaw_replay_read(e->replay, middle, frame, error);
        if (status == THAW_OK && (*frame)->step < 0)
            status = thaw_error_set(error, THAW_ERROR_INPUT, "frame %" PRId64 " does not say of which step it is",
                                    thaw_replay_number(e->replay, middle));
        int early = status == THAW_OK && (*frame)->step <= step;
        thaw_frame_data_free(frame);
        if (status != THAW_OK)
            return status;
        if (early)
            low = middle;
        else
            high = middle;
    }
    *index = low;
    return low >= 0 ? thaw_replay_read(e->replay, low, frame, error) : THAW_OK;
}

// A step of which the run knows nothing: as far behind its last frame as another one would be, or farther.
static ThawStatus check_step(const Explain *e, ThawError *error) {
    const int64_t count = thaw_replay_count(e->replay);
    int64_t last[2] = {0, -1}; // the steps of the last frame and of the one before
    for (int i = 0; i < 2 && i < count && e->step >= 0; i++) {
        ThawFrameData *frame = NULL;
        ThawStatus status = thaw_replay_read(e->replay, count - 1 - i, &frame, error);
        if (status != THAW_OK)
            return status;
        last[i] = frame->step;
        thaw_frame_data_free(&frame);
    }
    const int64_t every = last[1] >= 0 ? last[0] - last[1] : 1;
    if (e->step < 0 || count == 0 || last[0] < 0 || e->step < last[0] + every)
        return THAW_OK;
    return thaw_error_set(error, THAW_ERROR_INPUT,
                          "--step is %" PRId64 "; the last frame of the run is of step %" PRId64, e->step, last[0]);
}

static ThawStatus find_body(Explain *e, const ThawFrameData *frame, ThawError *error) {
    if (!e->body_name && frame->body_count == 1)
        return THAW_OK;
    char list[500] = "";
    for (int32_t b = 0; b < frame->body_count; b++) {
        const char *name = thaw_replay_body_name(e->replay, b);
        size_t length = strlen(list);
        if (e->body_name && strcmp(name, e->body_name) == 0) {
            e->body = b;
            return THAW_OK;
        }
        snprintf(list + length, sizeof list - length, "%s%s", b ? ", " : "", name);
    }
    if (!e->body_name)
        return thaw_error_set(error, THAW_ERROR_INPUT, "the run has %d bodies; say which: --body NAME, of %s",
                              (int)frame->body_count, list);
    return thaw_error_set(error, THAW_ERROR_INPUT, "--body is '%s'; allowed: %s", e->body_name, list);
}

// --- telling ---------------------------------------------------------------------------------------------------------

typedef struct Told {
    int64_t step;   // of the frame
    double time;    // s
    int64_t asleep; // the first frame of this sleep that has it asleep: its step; -1: it is awake
    ThawElementReport report;
    double stretch, fold; // of a sheet with strain limits, and of one that yields, rad; NAN: it is none
} Told;

// Frames have fields of a kind for all bodies, where any has it: 0 of those that have not.
static void note_sheet(const ThawFrameData *frame, const Explain *e, Told *told) {
    int64_t first;
    cells_of(frame, e->body, &first);
    told->stretch = field_at(frame, "stretch", first + e->element, NAN);
    told->fold = field_at(frame, "fold", first + e->element, NAN);
}

// Since when an element sleeps that does in frame `index`. A body may wake wholly rigid and fall asleep again, all of
// it one episode: so frame by frame, back in time.
static ThawStatus find_sleep(const Explain *e, int64_t index, Told *told, ThawError *error) {
    ThawStatus status = THAW_OK;
    int asleep = told->report.state == THAW_ELEMENT_ASLEEP;
    told->asleep = asleep ? told->step : -1;
    while (asleep && --index >= 0 && status == THAW_OK) {
        ThawFrameData *frame = NULL;
        ThawElementReport report = {0};
        status = thaw_replay_read(e->replay, index, &frame, error);
        if (status == THAW_OK)
            status = app_report_from_frame(frame, e->body, (int32_t)e->element, &report, error);
        asleep = status == THAW_OK && report.state == THAW_ELEMENT_ASLEEP && frame->step > told->report.since_step;
        if (asleep)
            told->asleep = frame->step;
        thaw_frame_data_free(&frame);
    }
    return status;
}

// Why a body is awake of which a part is rigid.
static void note_body(Explain *e, const ThawFrameData *frame) {
    int64_t first;
    e->elements = cells_of(frame, e->body, &first);
    e->hindrance =
        frame->hindrance && frame->hindrance[e->body] >= 0 && frame->hindrance[e->body] < THAW_HINDRANCE_COUNT
            ? (int)frame->hindrance[e->body]
            : -1;
    for (int64_t c = first; c < first + e->elements; c++)
        e->elastic += field_at(frame, "state", c, THAW_ELEMENT_ELASTIC) == THAW_ELEMENT_ELASTIC;
    for (int64_t i = 0; i < frame->point_count; i++)
        if (frame->body[i] == e->body)
            e->speed = fmax(e->speed, hypot(hypot(frame->v[3 * i], frame->v[3 * i + 1]), frame->v[3 * i + 2]));
}

// What holds the body, of that frame.
static ThawStatus note_attachments(Explain *e, const ThawFrameData *frame, ThawError *error) {
    const size_t size = THAW_FRAME_ATTACHMENT * (size_t)frame->attachment_count;
    e->attachment_count = frame->attachment_count;
    if (size == 0)
        return THAW_OK;
    if (!(e->attachments = THAW_NEW(double, size)))
        return thaw_error_memory(error, "the report");
    memcpy(e->attachments, frame->attachments, sizeof *e->attachments * size);
    return THAW_OK;
}

// What it is at the step asked for, then what it was before, back in time. Returns how many episodes were found.
static ThawStatus tell(Explain *e, Told told[EPISODES], int *count, ThawError *error) {
    ThawStatus status = THAW_OK;
    int64_t step = e->step, index;
    for (*count = 0; *count < EPISODES && status == THAW_OK; ++*count) {
        ThawFrameData *frame;
        status = read_at(e, step, &index, &frame, error);
        if (status != THAW_OK || !frame)
            break;
        Told *now = &told[*count];
        if (*count == 0)
            status = find_body(e, frame, error);
        if (status == THAW_OK && e->element < 0) {
            int64_t first;
            status = thaw_error_set(error, THAW_ERROR_INPUT, "say which element: --element N, from 0 to %" PRId64,
                                    cells_of(frame, e->body, &first) - 1);
        }
        if (status == THAW_OK)
            status = app_report_from_frame(frame, e->body, (int32_t)e->element, &now->report, error);
        if (status == THAW_OK)
            note_sheet(frame, e, now);
        if (status == THAW_OK && *count == 0) {
            note_body(e, frame);
            status = note_attachments(e, frame, error);
        }
        now->step = frame->step;
        now->time = frame->time;
        thaw_frame_data_free(&frame);
        if (status == THAW_OK)
            status = find_sleep(e, index, now, error);
        if (status != THAW_OK || now->report.since_step <= 0) {
            *count += status == THAW_OK;
            break;
        }
        // At the end of that step it was still otherwise; a frame that far back may tell.
        step = now->report.since_step < now->step ? now->report.since_step : now->step - 1;
    }
    if (status == THAW_OK && *count == 0)
        status = thaw_error_set(error, THAW_ERROR_INPUT, "--step is %" PRId64 "; the first frame is of a later step",
                                e->step);
    return status;
}

// Of the i-th attachment, if it is of the body: NULL else. What is on its other side goes into `other`.
static const double *attachment_of(Explain *e, int32_t i, char other[200]) {
    const double *a = e->attachments + THAW_FRAME_ATTACHMENT * (size_t)i;
    const int32_t far = (int32_t)(a[0] == e->body ? a[1] : a[0]);
    if (a[0] != e->body && a[1] != e->body)
        return NULL;
    if (far >= 0)
        snprintf(other, 200, "body %s", thaw_replay_body_name(e->replay, far));
    else if (a[2] >= 0)
        snprintf(other, 200, "obstacle %s", thaw_replay_obstacle_name(e->replay, (int32_t)a[2]));
    else
        snprintf(other, 200, "a frame");
    return a;
}

static void print_attachments(Explain *e) {
    char other[200];
    for (int32_t i = 0; i < e->attachment_count; i++) {
        const double *a = attachment_of(e, i, other);
        if (a && a[4] < 0)
            printf("Attachment %s holds its body to %s, by %.4g N.\n", thaw_replay_attachment_name(e->replay, i), other,
                   a[3]);
        else if (a)
            printf("Attachment %s held its body to %s, and let go at t = %.6g s (%.4g N).\n",
                   thaw_replay_attachment_name(e->replay, i), other, a[4], a[3]);
    }
}

static json_t *attachments_json(Explain *e) {
    json_t *list = json_array();
    char other[200];
    for (int32_t i = 0; i < e->attachment_count && list; i++) {
        const double *a = attachment_of(e, i, other);
        if (a && json_array_append_new(list, json_pack("{s:s, s:s, s:f, s:o}", "name",
                                                       thaw_replay_attachment_name(e->replay, i), "to", other, "force",
                                                       a[3], "released", a[4] < 0 ? json_null() : json_real(a[4])))) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

static void print_words(Explain *e, const Told *told, int count) {
    char text[1000];
    thaw_report_text(&told[0].report, text, sizeof text);
    printf("%s, after step %lld (t = %.6g s):\n%s\n", thaw_replay_body_name(e->replay, e->body),
           (long long)told[0].step, told[0].time, text);
    if (told[0].stretch > 0)
        printf("It is stretched to %.4g of its length at rest, where that is most.\n", told[0].stretch);
    if (told[0].fold > 0)
        printf("Its edges have been folded for good, by %.3g rad at most.\n", told[0].fold);
    if (told[0].asleep >= 0)
        printf("It was asleep by step %" PRId64 ", in the first frame that shows it.\n", told[0].asleep);
    if (told[0].report.state == THAW_ELEMENT_RIGID && e->elastic > 0)
        printf("Its body is awake: %" PRId64 " of its %" PRId64 " elements are elastic.\n", e->elastic, e->elements);
    else if (told[0].report.state == THAW_ELEMENT_RIGID)
        printf(
            "Its body is wholly rigid, and awake: its fastest vertex moves at %.3g m/s. %s%s%s%s"
            "It sleeps when for some steps it and all that it touches have been slow (`thaw check SCENE` tells how "
            "slow, `thaw help METHOD` for how many steps) and in balance, so that by speed and mean acceleration they "
            "would not go far in the next second either; and when a pin or an obstacle holds them, or they stand "
            "still.\n",
            e->speed, e->hindrance < 0 ? "" : "What keeps it from sleep: ",
            e->hindrance < 0 ? "" : thaw_hindrance_text((ThawHindrance)e->hindrance),
            e->hindrance == THAW_HINDRANCE_NONE ? " any more" : "", e->hindrance < 0 ? "" : ". ");
    print_attachments(e);
    if (count > 1)
        printf("Before that, as far as the frames show:\n");
    for (int i = 1; i < count; i++) {
        const ThawElementReport *r = &told[i].report, *later = &told[i - 1].report;
        int elastic = r->state == THAW_ELEMENT_ELASTIC;
        if (elastic == (later->state == THAW_ELEMENT_ELASTIC))
            printf("  %s for a while before step %lld, between two frames\n", elastic ? "rigid" : "elastic",
                   (long long)later->since_step);
        printf("  %s from step %lld (t = %.6g s)", elastic ? "elastic" : "rigid", (long long)r->since_step,
               r->since_time);
        if (told[i].asleep >= 0)
            printf(", asleep by step %" PRId64, told[i].asleep);
        if (elastic && r->since_step > 0)
            printf(", woken by: %s", thaw_reason_name(r->woken_by));
        printf("\n");
    }
}

static ThawStatus print_json(Explain *e, const Told *told, int count, ThawError *error) {
    json_t *whole = app_report_json(&told[0].report, thaw_replay_body_name(e->replay, e->body));
    json_t *past = json_array();
    int bad =
        !whole || !past || json_object_set_new(whole, "step", json_integer(told[0].step)) ||
        json_object_set_new(whole, "time", json_real(told[0].time)) ||
        json_object_set_new(whole, "asleep_step", told[0].asleep >= 0 ? json_integer(told[0].asleep) : json_null()) ||
        json_object_set_new(whole, "attachments", attachments_json(e)) ||
        json_object_set_new(whole, "body_elements", json_integer(e->elements)) ||
        json_object_set_new(whole, "body_elastic", json_integer(e->elastic)) ||
        json_object_set_new(whole, "body_speed", json_real(e->speed)) ||
        json_object_set_new(whole, "body_hindrance",
                            e->hindrance < 0 ? json_null()
                                             : json_string(thaw_hindrance_name((ThawHindrance)e->hindrance)));
    for (int i = 1; i < count && !bad; i++)
        bad = json_array_append_new(past, app_report_json(&told[i].report, NULL)) != 0;
    bad =
        bad || json_object_set(whole, "before", past) || json_dumpf(whole, stdout, JSON_INDENT(2)) || printf("\n") < 0;
    json_decref(past);
    json_decref(whole);
    return bad ? thaw_error_memory(error, "the report") : THAW_OK;
}

static int parse(Explain *e, int argc, char **argv) {
    AppArguments a = {.argc = argc, .argv = argv, .next = 2, .table = options};
    int ok = 1;
    for (int option; ok && (option = app_arguments_next(&a)) != APP_END;) {
        switch (option) {
        case ELEMENT:
            ok = app_parse_integer("explain", "--element", a.value, 0, INT32_MAX, &e->element);
            break;
        case STEP:
            ok = app_parse_integer("explain", "--step", a.value, 0, INT64_C(1000000000000), &e->step);
            break;
        case BODY:
            e->body_name = a.value;
            break;
        case JSON:
            e->json = 1;
            break;
        case QUIET:
            e->quiet = 1;
            break;
        case APP_OPERAND:
            ok = !e->input;
            if (!ok)
                app_complain("explain", "one run at a time: both '%s' and '%s' were given", e->input, a.value);
            e->input = a.value;
            break;
        default:
            ok = 0;
        }
    }
    if (ok && !e->input) {
        app_complain("explain", "name the folder of a run; see `thaw help explain`");
        return 0;
    }
    if (ok && thaw_json_kind(e->input) == THAW_JSON_SCENE) {
        app_complain("explain", "%s is a scene; allowed: the folder of a run, which `thaw run` makes of it", e->input);
        return 0;
    }
    return ok;
}

static int command_explain(int argc, char **argv) {
    Explain e = {.element = -1, .step = -1};
    if (!parse(&e, argc, argv))
        return APP_WRONG_INPUT;
    ThawError error = {0};
    Told *told = THAW_NEW(Told, EPISODES);
    int count = 0;
    ThawStatus status = told ? thaw_replay_open(e.input, &e.replay, &error) : thaw_error_memory(&error, "the report");
    if (status == THAW_OK)
        status = check_step(&e, &error);
    if (status == THAW_OK)
        status = tell(&e, told, &count, &error);
    if (status == THAW_OK && e.json)
        status = print_json(&e, told, count, &error);
    else if (status == THAW_OK && e.quiet)
        printf("%s\n", thaw_element_state_name(told[0].report.state));
    else if (status == THAW_OK)
        print_words(&e, told, count);
    else
        app_complain("explain", "%s", error.message);
    thaw_replay_free(&e.replay);
    thaw_free(e.attachments);
    thaw_free(told);
    return app_exit_status(status);
}

static const char help[] =
    "usage: thaw explain DIR --element N [OPTIONS]\n"
    "\n"
    "Says of an element of a run what it is (elastic, rigid, asleep), since when, and why, from the run's frames.\n"
    "\n"
    "  --element N   number of the element in its body's mesh, from 0\n"
    "  --body NAME   of which body; needed where there are several\n"
    "  --step K      after this step, or the last frame before it (default: the last frame)\n"
    "  --json        for programs\n"
    "  --quiet       in one word: elastic, rigid or asleep\n"
    "\n"
    "Exit status: 0 done; 1 the input is wrong.\n";

const AppCommand app_command_explain = {"explain", "why an element is elastic or rigid", help, command_explain};
