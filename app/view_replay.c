// SPDX-License-Identifier: Apache-2.0
// The loop of a replay: the page keeps the time line and asks for frames, each is read when it is wanted, and of many
// requests only the newest counts. All pages see the same moment.
#include "view_replay.h"

#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "scene/json.h"

static void tell(ViewReplay *r, int client, ServeSlot slot, json_t *json) {
    char *text = json ? thaw_json_print(json, JSON_COMPACT) : NULL;
    if (text)
        serve_put(r->serve, client, slot, text, strlen(text));
    free(text);
    json_decref(json);
}

static void complain(ViewReplay *r, int client, const ThawError *error) {
    char message[sizeof error->message];
    view_copy_text(error->message, message, sizeof message);
    tell(r, client, SERVE_ERROR, json_pack("{s:s, s:s}", "type", "error", "message", message));
}

ThawStatus view_replay_open(const char *path, ViewReplay *r, ThawError *error) {
    *r = (ViewReplay){.dirty = 1};
    ThawStatus status = thaw_replay_open(path, &r->replay, error);
    if (status == THAW_OK)
        status = view_recorded_open(r->replay, 0, THAW_STREAM_LIVE, 0, &r->recorded, error);
    if (status != THAW_OK)
        return status;
    r->field = view_recorded_field(&r->recorded);
    return THAW_OK;
}

void view_replay_clear(ViewReplay *r) {
    view_recorded_clear(&r->recorded);
    thaw_replay_free(&r->replay);
}

ThawStatus view_replay_hello(ViewReplay *r, ThawError *error) {
    char *text = view_recorded_hello(&r->recorded, r->field);
    ThawStatus status = text && serve_put(r->serve, SERVE_EVERYONE, SERVE_HELLO, text, strlen(text))
                            ? THAW_OK
                            : thaw_error_memory(error, "the header for the page");
    free(text);
    r->dirty = 1;
    return status;
}

// Also where the frame that is to be shown has another mesh.
static ThawStatus set_interior(ViewReplay *r, int on, ThawError *error) {
    ViewRecorded other;
    ThawStatus status = view_recorded_open(r->replay, r->frame, THAW_STREAM_LIVE, on, &other, error);
    if (status != THAW_OK)
        return status;
    view_recorded_clear(&r->recorded);
    r->recorded = other;
    return view_replay_hello(r, error);
}

// An element by its own number or by that of a triangle of the surface.
static ThawStatus pick(ViewReplay *r, int client, const json_t *message, ThawError *error) {
    const ThawStreamMesh *mesh = r->recorded.mesh;
    const json_t *by_element = json_object_get(message, "element"), *by_triangle = json_object_get(message, "triangle");
    const json_t *value = by_element ? by_element : by_triangle;
    const json_int_t number = json_integer_value(value),
                     count = by_element ? mesh->element_count : mesh->triangle_count;
    if (!json_is_integer(value) || number < 0 || number >= count)
        return thaw_error_set(error, THAW_ERROR_INPUT, "\"%s\" must be a whole number from 0 to %lld",
                              by_element ? "element" : "triangle", (long long)count - 1);
    const int32_t element = by_element ? (int32_t)number : mesh->element[number];
    ThawFrameData *frame = NULL;
    ThawElementReport report;
    int32_t body = 0;
    while (mesh->first_element[body + 1] <= element)
        body++;
    ThawStatus status = thaw_replay_read(r->replay, r->frame, &frame, error);
    if (status == THAW_OK)
        status = app_report_from_frame(frame, body, element - mesh->first_element[body], &report, error);
    thaw_frame_data_free(&frame);
    if (status != THAW_OK)
        return status;
    json_t *json = view_element_json(&report, r->recorded.names[body], 0, element);
    json_object_set_new(json, "triangle", json_integer(by_element ? -1 : number));
    tell(r, client, SERVE_ELEMENT, json);
    return THAW_OK;
}

static ThawStatus act(ViewReplay *r, int client, const json_t *message, ThawError *error) {
    const char *type = json_string_value(json_object_get(message, "type"));
    const json_t *value = NULL;
    if (strcmp(type, "seek") == 0) {
        value = json_object_get(message, "frame");
        const json_int_t frame = json_integer_value(value);
        if (!json_is_integer(value) || frame < 0 || frame >= thaw_replay_count(r->replay))
            return thaw_error_set(error, THAW_ERROR_INPUT, "\"frame\" must be a whole number from 0 to %lld",
                                  (long long)thaw_replay_count(r->replay) - 1);
        r->frame = frame;
    } else if (strcmp(type, "field") == 0) {
        const char *name = json_string_value(json_object_get(message, "name"));
        const int32_t field = name ? thaw_field_find(name) : -1;
        if (field < 0 || !r->recorded.has_field[field])
            return thaw_error_set(error, THAW_ERROR_INPUT, "these frames hold no field '%.40s'", name ? name : "");
        r->field = field;
        json_t *settings = view_recorded_settings(&r->recorded, r->field);
        json_object_set_new(settings, "type", json_string("settings"));
        tell(r, SERVE_EVERYONE, SERVE_SETTINGS, settings);
    } else if (strcmp(type, "pick") == 0) {
        return pick(r, client, message, error);
    } else if (strcmp(type, "interior") == 0) {
        return set_interior(r, json_is_true(json_object_get(message, "on")), error);
    } else {
        return thaw_error_set(error, THAW_ERROR_INPUT, "a replay cannot '%.32s'", type);
    }
    r->dirty = 1;
    return THAW_OK;
}

void view_replay_run(ViewReplay *r, const atomic_int *interrupted) {
    while (!*interrupted) {
        ViewRequest request;
        ThawError error = {0};
        double wait = r->dirty && serve_wants_frame(r->serve) ? 0 : 0.25;
        while (!*interrupted && view_inbox_take(&r->inbox, wait, &request)) {
            if (!request.message)
                r->dirty = 1;
            else if (act(r, request.client, request.message, &error) != THAW_OK)
                complain(r, request.client, &error);
            json_decref(request.message);
            wait = 0;
        }
        if (!r->dirty || !serve_wants_frame(r->serve))
            continue;
        const unsigned char *bytes;
        size_t size;
        r->dirty = 0;
        if (view_recorded_differs(&r->recorded, r->frame) &&
            set_interior(r, r->recorded.mesh->interior, &error) != THAW_OK)
            complain(r, SERVE_EVERYONE, &error);
        else if (view_recorded_encode(&r->recorded, r->frame, r->field, &bytes, &size, &error) != THAW_OK)
            complain(r, SERVE_EVERYONE, &error);
        else
            serve_put(r->serve, SERVE_EVERYONE, SERVE_FRAME, bytes, size);
    }
}
