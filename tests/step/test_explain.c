// SPDX-License-Identifier: Apache-2.0
// Fields by name, reports on elements, wake and sleep events: what they say is what happened, and a resumed world says
// it too.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"
#include "method/rigidify/history.h"
#include "support/world.h"
#include "thaw/thaw.h"

// Soft foam, clamped at one end; it settles within four seconds.
static const char cantilever[] =
    "{\"thaw\": 1, \"gravity\": [0, 0, -9.8], \"time\": {\"step\": 0.01},"
    "\"materials\": {\"foam\": {\"young\": 5e4, \"poisson\": 0.35, \"density\": 10, \"alpha1\": 0.1}},"
    "\"shapes\": {\"beam\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [2, 1, 1], \"cells\": [4, 2, 2]}},"
    "\"material\": \"foam\"}},"
    "\"bodies\": [{\"name\": \"beam\", \"shape\": \"beam\", \"method\": \"rigidify\", \"pins\": [\"x-min\"]},"
    "{\"name\": \"other\", \"shape\": \"beam\", \"position\": [0, 5, 0], \"pins\": [\"x-min\"]}]}";

// A block that rests on the floor until another one falls on it.
static const char stack[] =
    "{\"thaw\": 1, \"gravity\": [0, 0, -9.8], \"time\": {\"step\": 0.005},"
    "\"materials\": {\"foam\": {\"young\": 1e5, \"poisson\": 0.3, \"density\": 100, \"alpha1\": 0.1}},"
    "\"shapes\": {\"block\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [1, 1, 0.5], \"cells\": [3, 3, 2]}},"
    "\"material\": \"foam\"}},"
    "\"obstacles\": [{\"name\": \"floor\", \"plane\": {}}],"
    "\"bodies\": [{\"name\": \"lower\", \"shape\": \"block\", \"method\": \"rigidify\"},"
    "{\"name\": \"upper\", \"shape\": \"block\", \"method\": \"rigidify\", \"position\": [0, 0, 20]}]}";

static double *field_of(const ThawWorld *world, int32_t body, const char *name) {
    const ThawField *field = thaw_field(thaw_field_find(name));
    assert_non_null(field);
    int32_t count = field->place == THAW_FIELD_VERTEX ? thaw_world_vertex_count(world, body)
                                                      : thaw_world_element_count(world, body);
    double *values = calloc((size_t)count * (size_t)field->components + 1, sizeof *values);
    values[(size_t)count * (size_t)field->components] = -77; // nothing is written beyond
    assert_int_equal(thaw_world_get_field(world, body, thaw_field_find(name), values), THAW_OK);
    assert_true(values[(size_t)count * (size_t)field->components] == -77);
    return values;
}

static ThawElementReport report_of(const ThawWorld *world, int32_t body, int32_t element) {
    ThawElementReport report;
    ThawError error = {0};
    if (thaw_world_explain(world, body, element, &report, &error) != THAW_OK)
        fail_msg("%s", error.message);
    return report;
}

// How often the events of the last step tell of this, and with which reason.
static int event_of(const ThawWorld *world, int32_t body, ThawSleepKind kind, ThawSleepEvent *event) {
    int32_t count = thaw_world_sleep_event_count(world);
    ThawSleepEvent *events = calloc((size_t)count + 1, sizeof *events);
    int found = 0;
    assert_int_equal(thaw_world_get_sleep_events(world, events), THAW_OK);
    for (int32_t i = 0; i < count; i++)
        if (events[i].body == body && events[i].kind == kind) {
            *event = events[i];
            found++;
        }
    free(events);
    return found;
}

static void run_until_asleep(ThawWorld *world, int32_t body, int most) {
    ThawSleepEvent event = {0};
    int i = 0;
    for (; i < most; i++) {
        step_world(world, NULL);
        if (event_of(world, body, THAW_SLEEP_FELL, &event))
            break;
    }
    assert_true(i < most);
    assert_int_equal(event.elements, thaw_world_element_count(world, body));
    assert_int_equal(report_of(world, body, 0).state, THAW_ELEMENT_ASLEEP);
}

static void every_field_describes_itself(void **state) {
    (void)state;
    assert_true(thaw_field_count() >= 12);
    assert_null(thaw_field(-1));
    assert_null(thaw_field(thaw_field_count()));
    assert_int_equal(thaw_field_find("stress of life"), -1);
    assert_int_equal(thaw_field_find(NULL), -1);
    for (int32_t i = 0; i < thaw_field_count(); i++) {
        const ThawField *field = thaw_field(i);
        assert_true(field->name[0] && field->label[0] && field->unit);
        assert_int_equal(thaw_field_find(field->name), i); // so names are different
        assert_true(field->components == 1 || field->components == 3);
        for (int k = 0; k < field->category_count; k++)
            assert_true(field->categories[k][0]);
    }
    for (int i = 0; i < THAW_REASON_COUNT; i++)
        assert_true(thaw_reason_name((ThawReason)i)[0] && thaw_reason_text((ThawReason)i)[0]);
    assert_string_equal(thaw_reason_name(THAW_REASON_COUNT), "unknown");
    assert_string_equal(thaw_reason_text(THAW_REASON_COUNT), "unknown");
    assert_string_equal(thaw_element_state_name(THAW_ELEMENT_STATE_COUNT), "unknown");
}

static void what_is_out_of_range_is_refused_by_name(void **state) {
    (void)state;
    ThawWorld *world = make_world(cantilever, 1);
    ThawElementReport report;
    ThawError error = {0};
    double value[3];
    assert_int_equal(thaw_world_explain(NULL, 0, 0, &report, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "world is NULL"));
    assert_int_equal(thaw_world_explain(world, 0, 0, NULL, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_explain(world, 2, 0, &report, &error), THAW_ERROR_INPUT);
    assert_string_equal(error.message, "body is 2; the world has bodies 0 to 1");
    assert_int_equal(thaw_world_explain(world, -1, 0, &report, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_explain(world, 1, 96, &report, &error), THAW_ERROR_INPUT);
    assert_string_equal(error.message, "element is 96; body 1 (other) has elements 0 to 95");
    assert_int_equal(thaw_world_explain(world, 1, -1, &report, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_get_field(NULL, 0, 0, value), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_get_field(world, 0, 0, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_get_field(world, 2, 0, value), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_get_field(world, 0, -1, value), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_get_field(world, 0, thaw_field_count(), value), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_shows_field(NULL, 0), 0);
    assert_int_equal(thaw_world_shows_field(world, -1), 0);
    assert_int_equal(thaw_world_sleep_event_count(NULL), 0);
    assert_int_equal(thaw_world_get_sleep_events(NULL, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_get_sleep_events(world, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_report_text(NULL, NULL, 0), 0);
    thaw_world_free(&world);
}

static void a_full_body_says_that_its_method_keeps_it_elastic(void **state) {
    (void)state;
    ThawWorld *world = make_world(cantilever, 1);
    for (int i = 0; i < 5; i++)
        step_world(world, NULL);
    ThawElementReport report = report_of(world, 1, 7);
    char text[300];
    assert_int_equal(report.state, THAW_ELEMENT_ELASTIC);
    assert_int_equal(report.reason, THAW_REASON_METHOD);
    assert_int_equal(report.part, -1);
    thaw_report_text(&report, text, sizeof text);
    assert_string_equal(text, "Element 7 of body 1 is elastic: the body's method keeps every element elastic.");
    // Both bodies are elastic so far and move alike: their strain rates are the same, to single precision.
    double *adaptive = field_of(world, 0, "strain_rate"), *full = field_of(world, 1, "strain_rate");
    for (int32_t e = 0; e < thaw_world_element_count(world, 0); e++) {
        assert_true(full[e] > 0);
        assert_true(fabs(adaptive[e] - full[e]) < 1e-5 * full[e]);
    }
    assert_true(report_of(world, 0, 7).rate > 0);
    assert_true(thaw_world_shows_field(world, thaw_field_find("part")));
    assert_true(thaw_world_shows_field(world, thaw_field_find("contact_force")));
    free(adaptive);
    free(full);
    thaw_world_free(&world);
}

static void vectors_of_flat_worlds_have_three_components(void **state) {
    (void)state;
    ThawWorld *world = make_world(
        "{\"thaw\": 1, \"dimension\": 2, \"gravity\": [0, -9.8], \"time\": {\"step\": 0.01},"
        "\"materials\": {\"foam\": {\"young\": 5e4, \"poisson\": 0.35, \"density\": 10}},"
        "\"shapes\": {\"plate\": {\"mesh\": {\"box\": {\"min\": [0, 0], \"max\": [2, 1], \"cells\": [4, 2]}},"
        "\"material\": \"foam\"}}, \"bodies\": [{\"shape\": \"plate\", \"velocity\": [3, 2]}]}",
        1);
    double *v = field_of(world, 0, "velocity");
    for (int32_t i = 0; i < thaw_world_vertex_count(world, 0); i++)
        assert_true(v[3 * i] == 3 && v[3 * i + 1] == 2 && v[3 * i + 2] == 0);
    double *region = field_of(world, 0, "region"), *stress = field_of(world, 0, "von_mises");
    assert_true(region[0] == 0 && stress[0] >= 0);
    assert_false(thaw_world_shows_field(world, thaw_field_find("contact_force"))); // one body, nothing to touch
    assert_false(thaw_world_shows_field(world, thaw_field_find("state")));
    free(v);
    free(region);
    free(stress);
    thaw_world_free(&world);
}

static void fields_and_reports_agree(void **state) {
    (void)state;
    ThawWorld *world = make_world(cantilever, 1);
    ThawStepStats stats;
    int64_t rigid = 0;
    for (int i = 0; i < 300 && rigid < 20; i++) { // until some of it is rigid
        step_world(world, &stats);
        rigid += stats.settled - stats.woken;
    }
    assert_true(rigid >= 20);
    double *part = field_of(world, 0, "part"), *kind = field_of(world, 0, "state"), *why = field_of(world, 0, "reason"),
           *by = field_of(world, 0, "woken_by"), *since = field_of(world, 0, "awake_since"),
           *rate = field_of(world, 0, "strain_rate"), *predicted = field_of(world, 0, "predicted_strain");
    int64_t elastic = 0;
    for (int32_t e = 0; e < thaw_world_element_count(world, 0); e++) {
        ThawElementReport report = report_of(world, 0, e);
        assert_int_equal(report.element, e);
        assert_true(part[e] == report.part && kind[e] == report.state && why[e] == report.reason);
        assert_true(by[e] == report.woken_by && since[e] == report.since_time && rate[e] == report.rate);
        assert_true(isnan(report.predicted) ? predicted[e] == 0 : predicted[e] == report.predicted);
        assert_int_equal(report.state == THAW_ELEMENT_ELASTIC, report.part < 0);
        assert_int_equal(report.reason == THAW_REASON_NONE, report.part >= 0);
        assert_true(report.part < 0 || report.rate == 0);
        assert_true(report.reason != THAW_REASON_RATE || report.rate >= report.rate_threshold * (1 - 1e-6));
        assert_true(report.reason != THAW_REASON_WAIT || report.rate < report.rate_threshold * (1 + 1e-6));
        elastic += report.part < 0;
    }
    assert_int_equal(elastic + thaw_world_element_count(world, 1), stats.elastic_elements);
    assert_int_equal(thaw_world_element_count(world, 0) - elastic, rigid);
    double *all[] = {part, kind, why, by, since, rate, predicted};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    thaw_world_free(&world);
}

static void a_load_wakes_a_sleeping_body_and_says_so(void **state) {
    (void)state;
    ThawWorld *world = make_world(cantilever, 1);
    run_until_asleep(world, 0, 900);
    int32_t nv = thaw_world_vertex_count(world, 0), ne = thaw_world_element_count(world, 0);
    ThawStepStats stats;
    ThawSleepEvent event;
    char text[1000];
    ThawElementReport before = report_of(world, 0, 90);
    thaw_report_text(&before, text, sizeof text);
    assert_non_null(strstr(text, "Element 90 of body 0 is asleep with its whole body; it has been rigid since step "));
    step_world(world, &stats);
    assert_int_equal(thaw_world_sleep_event_count(world), 0); // peace
    assert_int_equal(stats.asleep, 1);
    double *f = calloc(3 * (size_t)nv, sizeof *f);
    f[3 * (nv - 1) + 2] = -5;
    assert_int_equal(thaw_world_set_forces(world, 0, f), THAW_OK);
    int64_t now = thaw_world_step_count(world);
    step_world(world, &stats);
    assert_int_equal(event_of(world, 0, THAW_SLEEP_ROSE, &event), 1);
    assert_int_equal(event.reason, THAW_REASON_LOAD);
    assert_int_equal(event_of(world, 0, THAW_SLEEP_WOKE, &event), 1);
    assert_int_equal(event.reason, THAW_REASON_LOAD);
    assert_int_equal(event.elements, stats.woken);
    assert_true(stats.woken > 0 && stats.asleep == 0);
    int by_load = 0, by_neighbour = 0;
    for (int32_t e = 0; e < ne; e++) {
        ThawElementReport report = report_of(world, 0, e);
        if (report.state != THAW_ELEMENT_ELASTIC)
            continue;
        assert_int_equal(report.since_step, now);
        assert_true(fabs(report.since_time - 0.01 * (double)now) < 1e-12);
        by_load += report.woken_by == THAW_REASON_LOAD;
        by_neighbour += report.woken_by == THAW_REASON_NEIGHBOUR;
        if (report.woken_by != THAW_REASON_LOAD)
            continue;
        thaw_report_text(&report, text, sizeof text);
        assert_non_null(strstr(text, "forces, pins or scripts on the body changed"));
    }
    assert_true(by_load > 0);
    assert_int_equal(by_load + by_neighbour, stats.woken);
    free(f);
    thaw_world_free(&world);
}

static void a_text_is_cut_to_its_room(void **state) {
    (void)state;
    ThawWorld *world = make_world(cantilever, 1);
    step_world(world, NULL);
    ThawElementReport report = report_of(world, 0, 3);
    char whole[1000], cut[20] = "xxxxxxxxxxxxxxxxxxx";
    int length = thaw_report_text(&report, whole, sizeof whole);
    assert_int_equal(length, strlen(whole));
    assert_int_equal(thaw_report_text(&report, cut, sizeof cut), length);
    assert_int_equal(strlen(cut), sizeof cut - 1);
    assert_int_equal(strncmp(whole, cut, sizeof cut - 1), 0);
    assert_int_equal(thaw_report_text(&report, NULL, 0), length);
    assert_non_null(strstr(whole, "is elastic since the start, because its strain changes faster than the threshold"));
    thaw_world_free(&world);
}

static void setting_positions_begins_anew(void **state) {
    (void)state;
    ThawWorld *world = make_world(cantilever, 1);
    run_until_asleep(world, 0, 900);
    double *x = calloc(3 * (size_t)thaw_world_vertex_count(world, 0), sizeof *x);
    assert_int_equal(thaw_world_get_positions(world, 0, x), THAW_OK);
    assert_int_equal(thaw_world_set_positions(world, 0, x), THAW_OK);
    ThawElementReport report = report_of(world, 0, 11);
    assert_int_equal(report.state, THAW_ELEMENT_ELASTIC);
    assert_int_equal(report.woken_by, THAW_REASON_START);
    assert_int_equal(report.since_step, thaw_world_step_count(world));
    free(x);
    thaw_world_free(&world);
}

static void what_falls_on_a_sleeping_body_wakes_it_as_a_contact(void **state) {
    (void)state;
    ThawWorld *world = make_world(stack, 1);
    ThawSleepEvent event = {0};
    int rested = 0, woken = 0;
    for (int i = 0; i < 1000 && !woken; i++) {
        step_world(world, NULL);
        if (event_of(world, 0, THAW_SLEEP_WOKE, &event) && rested)
            woken = 1;
        rested |= report_of(world, 0, 0).state == THAW_ELEMENT_ASLEEP;
    }
    assert_true(rested && woken);
    assert_int_equal(event.reason, THAW_REASON_CONTACT);
    int by_contact = 0;
    for (int32_t e = 0; e < thaw_world_element_count(world, 0); e++)
        by_contact += report_of(world, 0, e).woken_by == THAW_REASON_CONTACT;
    assert_true(by_contact > 0);
    double *pressure = field_of(world, 0, "contact_pressure"), *friction = field_of(world, 0, "contact_friction"),
           *force = field_of(world, 0, "contact_force"), most = 0;
    for (int32_t i = 0; i < thaw_world_vertex_count(world, 0); i++)
        most = fmax(most, pressure[i]);
    assert_true(most > 0);
    free(pressure);
    free(friction);
    free(force);
    thaw_world_free(&world);
}

static void a_call_that_wakes_a_body_is_told_as_such(void **state) {
    (void)state;
    ThawWorld *world = make_world(cantilever, 1);
    ThawSleepEvent event = {0};
    run_until_asleep(world, 0, 900);
    assert_int_equal(thaw_world_wake(world, 0), THAW_OK);
    step_world(world, NULL);
    assert_int_equal(event_of(world, 0, THAW_SLEEP_ROSE, &event), 1);
    assert_int_equal(event.reason, THAW_REASON_START);
    assert_int_equal(event_of(world, 0, THAW_SLEEP_WOKE, &event), 1);
    assert_int_equal(event.reason, THAW_REASON_START);
    assert_int_equal(event.elements, thaw_world_element_count(world, 0));
    assert_int_equal(report_of(world, 0, 5).woken_by, THAW_REASON_START);
    run_until_asleep(world, 0, 100);
    thaw_world_free(&world);
}

static void what_rests_on_a_body_rises_with_it(void **state) {
    (void)state;
    char text[2000];
    snprintf(text, sizeof text, "%s", stack);
    memcpy(strstr(text, "0, 20]"), "0,0.5]", 6);
    ThawWorld *world = make_world(text, 1);
    ThawSleepEvent event = {0};
    run_until_asleep(world, 1, 1500); // the upper one has come to rest on the lower
    assert_true(thaw_world_is_asleep(world, 0));
    int32_t nv = thaw_world_vertex_count(world, 0);
    double *f = calloc(3 * (size_t)nv, sizeof *f);
    f[0] = 1e-3; // a breath on the lower one
    assert_int_equal(thaw_world_set_forces(world, 0, f), THAW_OK);
    step_world(world, NULL);
    assert_int_equal(event_of(world, 0, THAW_SLEEP_ROSE, &event), 1);
    assert_int_equal(event.reason, THAW_REASON_LOAD);
    assert_int_equal(event_of(world, 1, THAW_SLEEP_ROSE, &event), 1);
    assert_int_equal(event.reason, THAW_REASON_NEIGHBOUR);
    free(f);
    thaw_world_free(&world);
}

static void what_starts_at_rest_is_asleep_without_an_event(void **state) {
    (void)state;
    char text[2000];
    snprintf(text, sizeof text, "%s", cantilever);
    char *method = strstr(text, "\"method\": \"rigidify\",");
    const char start[] = "\"start\": \"rest\", ";
    memmove(method + strlen(start), method, strlen(method) + 1);
    memcpy(method, start, strlen(start));
    ThawWorld *world = make_world(text, 1);
    ThawElementReport report = report_of(world, 0, 17);
    assert_int_equal(report.state, THAW_ELEMENT_ASLEEP);
    assert_int_equal(report.since_step, 0);
    assert_int_equal(report.woken_by, THAW_REASON_NONE);
    assert_true(isnan(report.predicted));
    ThawStepStats stats;
    step_world(world, &stats);
    assert_int_equal(thaw_world_sleep_event_count(world), 0);
    assert_int_equal(stats.asleep, 1);
    double *predicted = field_of(world, 0, "predicted_strain");
    assert_true(predicted[0] == 0);
    free(predicted);
    thaw_world_free(&world);
}

static void a_change_is_the_reason_for_some_steps_and_the_larger_of_two_counts(void **state) {
    (void)state;
    const ThawShape shape = {.nv = 2, .dim = 3};
    double load[6] = {0, 0, -1, 0, 0, -1}, contact[6] = {0};
    unsigned char script[2] = {0};
    ThawQuestion question = {.f_ext = load, .f_contact = contact, .script = script};
    ThawHistory *history;
    ThawEvents events = {.at = -1};
    int64_t now = 0;
    assert_int_equal(thaw_history_create(1, &now, &events, &history, NULL), THAW_OK);
    thaw_history_ask(history, &shape, &question); // gravity sets in
    for (now = 1; now < 40; now++) {
        contact[0] *= 1.001; // as an iterated solution may
        if (now == 12)
            load[5] = -2;
        if (now == 25)
            contact[0] = 5, question.contacts = 77;
        if (now == 26)
            load[5] = -3, contact[2] = 4;
        if (now == 27)
            load[5] = -30, contact[2] = 3;
        thaw_history_ask(history, &shape, &question);
        ThawReason want = now < 10   ? THAW_REASON_LOAD
                          : now < 12 ? THAW_REASON_STRAIN
                          : now < 22 ? THAW_REASON_LOAD
                          : now < 25 ? THAW_REASON_STRAIN
                          : now < 27 ? THAW_REASON_CONTACT
                          : now < 37 ? THAW_REASON_LOAD
                                     : THAW_REASON_STRAIN;
        assert_int_equal(history->asked, want);
    }
    script[1] = 1; // a pin is a load
    thaw_history_ask(history, &shape, &question);
    assert_int_equal(history->asked, THAW_REASON_LOAD);
    thaw_history_free(&history);
}

// All that is told of a body, as numbers.
static double *everything(const ThawWorld *world, size_t *count) {
    double *all = NULL;
    *count = 0;
    for (int32_t b = 0; b < thaw_world_body_count(world); b++)
        for (int32_t i = 0; i < thaw_field_count(); i++) {
            if (thaw_field(i)->use != THAW_FIELD_ADAPTIVE)
                continue;
            double *values = field_of(world, b, thaw_field(i)->name);
            size_t more = (size_t)thaw_world_element_count(world, b);
            all = realloc(all, (*count + more) * sizeof *all);
            memcpy(all + *count, values, more * sizeof *all);
            *count += more;
            free(values);
        }
    return all;
}

static void a_resumed_world_tells_the_same_story(void **state) {
    (void)state;
    char path[] = "/tmp/thaw-explain-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    ThawWorld *world = make_world(stack, 1), *other = make_world(stack, 1);
    ThawError error = {0};
    for (int k = 0; k < 6; k++) { // falling, landing, settling, asleep, and the other one comes
        for (int i = 0; i < 75; i++)
            step_world(world, NULL);
        if (thaw_world_save(world, path, &error) != THAW_OK || thaw_world_load(other, path, &error) != THAW_OK)
            fail_msg("%s", error.message);
        assert_int_equal(thaw_world_sleep_event_count(other), 0);
        for (int i = 0; i < 20; i++) {
            step_world(world, NULL);
            step_world(other, NULL);
            size_t count, count_other;
            double *told = everything(world, &count), *told_other = everything(other, &count_other);
            assert_int_equal(count, count_other);
            assert_memory_equal(told, told_other, count * sizeof *told);
            assert_int_equal(thaw_world_sleep_event_count(world), thaw_world_sleep_event_count(other));
            free(told);
            free(told_other);
        }
    }
    unlink(path);
    thaw_world_free(&world);
    thaw_world_free(&other);
}

// A block that falls, one that lies, one on a belt that stops, one on its top, one on a string of pins, one in space:
// a body that nothing hinders falls asleep in the next step, and no other. Most of what can hinder is seen on the way.
static void who_is_not_hindered_falls_asleep(void **state) {
    (void)state;
    static const char text[] =
        "{\"thaw\": 1, \"time\": {\"step\": 0.01}, \"rigidify\": {\"tolerance\": 0.01, \"sleep\": 5}, \"materials\": "
        "{\"m\": {\"young\": 5e4, \"density\": 1000, \"poisson\": 0.4, \"alpha1\": 0.01}}, \"shapes\": {\"cube\": "
        "{\"mesh\": {\"box\": {\"min\": [-0.1, -0.1, -0.1], \"max\": [0.1, 0.1, 0.1], \"cells\": [2, 2, 2]}}, "
        "\"material\": \"m\"}}, \"bodies\": ["
        "{\"name\": \"lies\", \"shape\": \"cube\", \"position\": [0, 0, 0.1], \"method\": \"rigidify\"}, "
        "{\"name\": \"falls\", \"shape\": \"cube\", \"position\": [0.02, 0, 3.6], \"method\": \"rigidify\"}, "
        "{\"name\": \"full\", \"shape\": \"cube\", \"position\": [2, 0, 0.1], \"method\": \"full\"}, "
        "{\"name\": \"leans\", \"shape\": \"cube\", \"position\": [2, 0, 0.3], \"method\": \"rigidify\"}, "
        "{\"name\": \"rides\", \"shape\": \"cube\", \"position\": [6, 0, 0.5], \"method\": \"rigidify\"}, "
        "{\"name\": \"hangs\", \"shape\": \"cube\", \"position\": [9, 0, 2], \"method\": \"rigidify\", \"pins\": "
        "[\"z-max\"], \"forces\": [{\"group\": \"z-min\", \"total\": [0, 0, -9], \"from\": 2, \"to\": 9, \"ramp\": "
        "6}]}, "
        "{\"name\": \"led\", \"shape\": \"cube\", \"position\": [12, 0, 2], \"method\": \"rigidify\", \"scripts\": "
        "[{\"group\": \"all\", \"keys\": [{\"time\": 0}, {\"time\": 1, \"translation\": [1e-6, 0, 0]}]}]}], "
        "\"obstacles\": [{\"name\": \"floor\", \"plane\": {}}, {\"name\": \"belt\", \"box\": {\"size\": [2, 2, 0.2]}, "
        "\"position\": [6, 0, 0.3], \"keys\": [{\"time\": 0}, {\"time\": 2, \"translation\": [0, 0, 1e-5]}]}]}";
    ThawWorld *world = make_world(text, 1);
    const int32_t bodies = thaw_world_body_count(world);
    ThawHindrance before[7], none = THAW_HINDRANCE_NONE;
    int seen[THAW_HINDRANCE_COUNT] = {0}, fell = 0;
    assert_int_equal(bodies, 7);
    for (int i = 0; i < 500; i++) {
        unsigned char asleep[7];
        ThawSleepEvent events[64];
        assert_int_equal(thaw_world_get_hindrances(world, before), THAW_OK);
        for (int32_t b = 0; b < bodies; b++) {
            asleep[b] = (unsigned char)thaw_world_is_asleep(world, b);
            assert_true((unsigned)before[b] < THAW_HINDRANCE_COUNT);
            assert_true(!asleep[b] || before[b] == none);
            seen[before[b]]++;
        }
        step_world(world, NULL);
        assert_true(thaw_world_sleep_event_count(world) <= 64);
        assert_int_equal(thaw_world_get_sleep_events(world, events), THAW_OK);
        for (int32_t b = 0; b < bodies; b++) {
            int falls = 0;
            for (int32_t k = 0; k < thaw_world_sleep_event_count(world); k++)
                falls |= events[k].body == b && events[k].kind == THAW_SLEEP_FELL;
            if (!asleep[b])
                assert_int_equal(falls, before[b] == none);
            fell += falls;
        }
    }
    for (int k = 0; k < THAW_HINDRANCE_COUNT; k++)
        print_message("%s: %d times\n", thaw_hindrance_name((ThawHindrance)k), seen[k]);
    assert_true(fell > 3);
    assert_true(seen[THAW_HINDRANCE_METHOD] && seen[THAW_HINDRANCE_ELASTIC] && seen[THAW_HINDRANCE_FAST] &&
                seen[THAW_HINDRANCE_WAIT] && seen[THAW_HINDRANCE_OBSTACLE] && seen[THAW_HINDRANCE_NEIGHBOUR] &&
                seen[THAW_HINDRANCE_BALANCE]);
    assert_int_equal(thaw_world_get_hindrances(NULL, before), THAW_ERROR_INPUT);
    assert_string_equal(thaw_hindrance_text((ThawHindrance)99), "unknown");
    thaw_world_free(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_describes_itself),
        cmocka_unit_test(what_is_out_of_range_is_refused_by_name),
        cmocka_unit_test(a_full_body_says_that_its_method_keeps_it_elastic),
        cmocka_unit_test(vectors_of_flat_worlds_have_three_components),
        cmocka_unit_test(fields_and_reports_agree),
        cmocka_unit_test(a_load_wakes_a_sleeping_body_and_says_so),
        cmocka_unit_test(a_text_is_cut_to_its_room),
        cmocka_unit_test(setting_positions_begins_anew),
        cmocka_unit_test(what_falls_on_a_sleeping_body_wakes_it_as_a_contact),
        cmocka_unit_test(a_call_that_wakes_a_body_is_told_as_such),
        cmocka_unit_test(what_rests_on_a_body_rises_with_it),
        cmocka_unit_test(what_starts_at_rest_is_asleep_without_an_event),
        cmocka_unit_test(a_change_is_the_reason_for_some_steps_and_the_larger_of_two_counts),
        cmocka_unit_test(a_resumed_world_tells_the_same_story),
        cmocka_unit_test(who_is_not_hindered_falls_asleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
