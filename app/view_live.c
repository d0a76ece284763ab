// SPDX-License-Identifier: Apache-2.0
// The loop of a live view: take what pages ask for, make a step when one is due, show the newest state when a page has
// room.
//
// Simulated time follows the clock at the speed that was asked for; where steps take longer, it falls behind and does
// not try to catch up. With no page open nothing runs.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reading.h"
#include "registry/method.h"
#include "scene/json.h"
#include "view_live.h"

static const double FRAME_MS = 1000.0 / 60; // pages draw no faster
static const double PATIENCE = 0.25;        // s between looks at the signal
static const double SLOWEST = 0.01, FASTEST = 100;

// --- requests --------------------------------------------------------------------------------------------------------

static void tell_settings(ViewLive *live) {
    json_t *json = view_settings(live);
    json_object_set_new(json, "type", json_string("settings"));
    char *text = thaw_json_print(json, JSON_COMPACT | JSON_REAL_PRECISION(9));
    if (text)
        serve_put(live->serve, SERVE_EVERYONE, SERVE_SETTINGS, text, strlen(text));
    free(text);
    json_decref(json);
}

static void tell(ViewLive *live, int client, ServeSlot slot, json_t *json) {
    char *text = json ? thaw_json_print(json, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    if (text)
        serve_put(live->serve, client, slot, text, strlen(text));
    free(text);
    json_decref(json);
}

static void complain(ViewLive *live, int client, const ThawError *error) {
    char message[sizeof error->message]; // what it cites may have been cut off anywhere
    view_copy_text(error->message, message, sizeof message);
    tell(live, client, SERVE_ERROR, json_pack("{s:s, s:s}", "type", "error", "message", message));
}

// A number in a range, or an error that names it.
static ThawStatus read_number(const json_t *message, const char *key, double low, double high, double *value,
                              ThawError *error) {
    const json_t *json = json_object_get(message, key);
    *value = json_number_value(json);
    if (json_is_number(json) && *value >= low && *value <= high)
        return THAW_OK;
    return thaw_error_set(error, THAW_ERROR_INPUT, "\"%s\" must be a number from %g to %g", key, low, high);
}

static ThawStatus read_index(const json_t *message, const char *key, int32_t count, int32_t *value, ThawError *error) {
    const json_t *json = json_object_get(message, key);
    const json_int_t number = json_integer_value(json);
    if (!json_is_integer(json) || number < 0 || number >= count)
        return thaw_error_set(error, THAW_ERROR_INPUT, "\"%s\" must be a whole number from 0 to %d", key, count - 1);
    *value = (int32_t)number;
    return THAW_OK;
}

static ThawStatus read_vector(const json_t *message, const char *key, double limit, double value[3], ThawError *error) {
    const json_t *json = json_object_get(message, key);
    int ok = json_is_array(json) && json_array_size(json) == 3;
    for (size_t k = 0; ok && k < 3; k++) {
        const json_t *item = json_array_get(json, k);
        value[k] = json_number_value(item);
        ok = json_is_number(item) && fabs(value[k]) <= limit;
    }
    return ok ? THAW_OK
              : thaw_error_set(error, THAW_ERROR_INPUT, "\"%s\" must be three numbers between -%g and %g", key, limit,
                               limit);
}

// A point of the page, as the world has it.
static ThawStatus read_point(const ViewLive *live, const json_t *message, const char *key, double point[3],
                             ThawError *error) {
    ThawStatus status = read_vector(message, key, 1e6, point, error);
    for (int k = 0; k < 3; k++)
        point[k] += live->shown.mesh->origin[k];
    return status;
}

// "view" may be missing where there is only one.
static ThawStatus read_view(const ViewLive *live, const json_t *message, int *view, ThawError *error) {
    int32_t number = 0;
    ThawStatus status =
        json_object_get(message, "view") ? read_index(message, "view", live->views, &number, error) : THAW_OK;
    *view = number;
    return status;
}

// New worlds need a new header.
static ThawStatus shown_anew(ViewLive *live, ThawStatus status, ThawError *error) {
    return status == THAW_OK ? view_show_hello(live, error) : status;
}

static ThawStatus refuse(ThawError *error) {
    return thaw_error_set(error, THAW_ERROR_INPUT,
                          "a step of the second view failed and the two are a step apart: reset, or show only one");
}

static ThawStatus do_play(ViewLive *live, int client, const json_t *message, ThawError *error) {
    (void)client, (void)message;
    if (live->apart)
        return refuse(error);
    live->playing = 1;
    live->single = 0;
    live->due_ms = thaw_wall_ms();
    return THAW_OK;
}

static ThawStatus do_pause(ViewLive *live, int client, const json_t *message, ThawError *error) {
    (void)client, (void)message, (void)error;
    live->playing = 0;
    return THAW_OK;
}

static ThawStatus do_step(ViewLive *live, int client, const json_t *message, ThawError *error) {
    (void)client, (void)message;
    if (live->apart)
        return refuse(error);
    live->playing = 0;
    live->single = 1;
    return THAW_OK;
}

static ThawStatus do_reset(ViewLive *live, int client, const json_t *message, ThawError *error) {
    (void)client, (void)message;
    const int32_t drops = live->drops;
    live->now.world.body_count -= drops;
    live->drops = 0;
    ThawStatus status = view_worlds_build(live, live->views, 0, error);
    if (status != THAW_OK) {
        live->now.world.body_count += drops;
        live->drops = drops;
    }
    return shown_anew(live, status, error);
}

static ThawStatus do_speed(ViewLive *live, int client, const json_t *message, ThawError *error) {
    (void)client;
    double value;
    ThawStatus status = read_number(message, "value", SLOWEST, FASTEST, &value, error);
    if (status == THAW_OK)
        live->speed = value;
    return status;
}

static ThawStatus do_field(ViewLive *live, int client, const json_t *message, ThawError *error) {
    (void)client;
    const char *name = json_string_value(json_object_get(message, "name"));
    const int32_t field = name ? thaw_field_find(name) : -1;
    if (field < 0)
        return thaw_error_set(error, THAW_ERROR_INPUT, "there is no field '%.40s'", name ? name : "");
    live->field = field;
    live->dirty = 1;
    return THAW_OK;
}

static ThawStatus do_drag(ViewLive *live, int client, const json_t *message, ThawError *error) {
    int view;
    int32_t triangle = 0;
    double bary[3], to[3];
    ThawStatus status = read_view(live, message, &view, error);
    if (status == THAW_OK)
        status = read_index(message, "triangle", live->shown.mesh->triangle_count, &triangle, error);
    if (status == THAW_OK)
        status = read_vector(message, "bary", 1, bary, error);
    if (status == THAW_OK)
        status = read_point(live, message, "to", to, error);
    if (status == THAW_OK && fabs(bary[0] + bary[1] + bary[2] - 1) > 1e-3)
        status = thaw_error_set(error, THAW_ERROR_INPUT, "\"bary\" must sum to 1");
    return status == THAW_OK ? view_drag_hold(live, client, view, triangle, bary, to, error) : status;
}

static ThawStatus do_release(ViewLive *live, int client, const json_t *message, ThawError *error) {
    (void)message, (void)error;
    if (live->drag.client == client)
        view_drag_release(live);
    return THAW_OK;
}

static ThawStatus do_pick(ViewLive *live, int client, const json_t *message, ThawError *error) {
    int view;
    int32_t triangle = -1, element = 0;
    ThawStatus status = read_view(live, message, &view, error);
    const int by_element = json_object_get(message, "element") != NULL;
    if (status == THAW_OK && by_element)
        status = read_index(message, "element", live->shown.mesh->element_count, &element, error);
    else if (status == THAW_OK)
        status = read_index(message, "triangle", live->shown.mesh->triangle_count, &triangle, error);
    if (status != THAW_OK)
        return status;
    if (!by_element)
        element = live->shown.mesh->element[triangle];
    json_t *json = view_show_element(live, view, element, error);
    if (!json)
        return THAW_ERROR_INPUT;
    json_object_set_new(json, "triangle", json_integer(triangle));
    tell(live, client, SERVE_ELEMENT, json);
    return THAW_OK;
}

static ThawStatus do_method(ViewLive *live, int client, const json_t *message, ThawError *error) {
    (void)client;
    const char *name = json_string_value(json_object_get(message, "name"));
    const int index = thaw_method_index(name);
    if (index < 0) {
        char names[200];
        thaw_method_say_names(", ", names, sizeof names);
        return thaw_error_set(error, THAW_ERROR_INPUT, "the method is '%.40s'; allowed: %s", name ? name : "", names);
    }
    ThawStatus status = view_worlds_set_method(live, thaw_method_at(index)->name, error);
    live->dirty = 1;
    return status == THAW_OK ? view_show_hello(live, error) : status;
}

static ThawStatus do_settings(ViewLive *live, int client, const json_t *message, ThawError *error) {
    (void)client;
    const json_t *values = json_object_get(message, "values");
    if (!json_is_object(values))
        return thaw_error_set(error, THAW_ERROR_INPUT, "\"values\" must be an object");
    ThawOptionDef rows[VIEW_SET];
    int32_t count;
    const char *method = json_string_value(json_object_get(message, "method"));
    ThawStatus status = view_settings_read(live, method, values, rows, &count, error);
    return status == THAW_OK ? view_worlds_set_options(live, rows, count, error) : status;
}

static ThawStatus do_drop(ViewLive *live, int client, const json_t *message, ThawError *error) {
    (void)client;
    double position[3];
    const char *shape = json_string_value(json_object_get(message, "shape"));
    ThawStatus status = read_point(live, message, "position", position, error);
    if (status == THAW_OK)
        status = view_worlds_drop(live, shape ? shape : "", position, error);
    return shown_anew(live, status, error);
}

static ThawStatus do_split(ViewLive *live, int client, const json_t *message, ThawError *error) {
    (void)client;
    const int views = json_is_true(json_object_get(message, "on")) ? 2 : 1;
    if (views == live->views)
        return THAW_OK;
    const char *before = live->method;
    if (views == 1)
        live->method = live->split_method;
    else if (view_settings_method(live))
        live->split_method = view_settings_method(live);
    ThawStatus status = view_worlds_build(live, views, 1, error);
    if (status != THAW_OK)
        live->method = before;
    return shown_anew(live, status, error);
}

static ThawStatus do_interior(ViewLive *live, int client, const json_t *message, ThawError *error) {
    (void)client;
    const int before = live->interior;
    live->interior = json_is_true(json_object_get(message, "on"));
    ThawStatus status = view_show_begin(live, error);
    if (status != THAW_OK)
        live->interior = before;
    return status;
}

static const struct {
    const char *type;
    ThawStatus (*act)(ViewLive *live, int client, const json_t *message, ThawError *error);
    int settles; // all pages are told of the settings afterwards
} requests[] = {
    {"play", do_play, 1},   {"pause", do_pause, 1},       {"step", do_step, 1},     {"reset", do_reset, 1},
    {"speed", do_speed, 1}, {"field", do_field, 1},       {"drag", do_drag, 0},     {"release", do_release, 0},
    {"pick", do_pick, 0},   {"drop", do_drop, 0},         {"method", do_method, 1}, {"settings", do_settings, 1},
    {"split", do_split, 1}, {"interior", do_interior, 1},
};

void view_live_request(ViewLive *live, int client, const json_t *message) {
    ThawError error = {0};
    if (!message) { // a page has come, and has the header
        live->dirty = 1;
        tell_settings(live);
        return;
    }
    const char *type = json_string_value(json_object_get(message, "type"));
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        if (strcmp(type, requests[i].type) == 0) {
            if (requests[i].act(live, client, message, &error) != THAW_OK)
                complain(live, client, &error);
            else if (requests[i].settles)
                tell_settings(live);
            return;
        }
    thaw_error_set(&error, THAW_ERROR_INPUT, "there is no request of the type '%.32s'", type);
    complain(live, client, &error);
}

// --- the loop --------------------------------------------------------------------------------------------------------

int view_live_gives_up(void *context) {
    ViewLive *live = context;
    return live->interrupted &&
           (atomic_load(live->interrupted) || atomic_load(&live->inbox.halts) > 0 || !serve_is_watched(live->serve));
}

void view_live_step(ViewLive *live) {
    ThawError error = {0};
    ThawStatus status = THAW_OK;
    view_drag_apply(live);
    int v = live->next < live->views ? live->next : 0; // of two, the first may have made this step already
    for (; v < live->views && status == THAW_OK; v++) {
        status = app_runner_step(&live->runners[v], &error);
        live->apart = status != THAW_OK && status != THAW_CANCELLED && v > 0;
    }
    live->next = status == THAW_CANCELLED ? v - 1 : 0;
    live->dirty = 1;
    live->single = 0;
    if (status == THAW_OK || status == THAW_CANCELLED) // what cancelled it says what comes next
        return;
    live->playing = 0;
    if (!error.message[0])
        thaw_error_set(&error, status, "the step failed: %s", thaw_status_name(status));
    if (live->apart) {
        const ThawError why = error;
        thaw_error_set(&error, status, "%.200s; the two views are a step apart now: reset, or show only one",
                       why.message);
    }
    complain(live, SERVE_EVERYONE, &error);
    tell_settings(live);
}

// s until something is to be done of its own accord.
static double idle(const ViewLive *live, int clients, int wants) {
    const double now = thaw_wall_ms();
    double wait = 1e3 * PATIENCE;
    if (clients && live->playing)
        wait = fmin(wait, live->due_ms - now);
    if (wants)
        wait = fmin(wait, live->shown_ms + FRAME_MS - now);
    return live->single ? 0 : 1e-3 * wait;
}

void view_live_run(ViewLive *live, const atomic_int *interrupted) {
    live->interrupted = interrupted;
    while (!*interrupted) {
        ThawError error = {0};
        ViewRequest request;
        int clients = serve_counts(live->serve).clients;
        const int wants = live->dirty && serve_wants_frame(live->serve);
        double wait = idle(live, clients, wants);
        while (!*interrupted && view_inbox_take(&live->inbox, wait, &request)) {
            view_live_request(live, request.client, request.message);
            json_decref(request.message);
            wait = 0;
        }
        clients = serve_counts(live->serve).clients;
        if (live->drag.body >= 0 && !serve_has_client(live->serve, live->drag.client))
            view_drag_release(live);
        const double now = thaw_wall_ms();
        // First what is there: a page that has just come must not wait for a step that may take long.
        if (live->dirty && now >= live->shown_ms + FRAME_MS && serve_wants_frame(live->serve)) {
            if (view_show_frame(live, &error) != THAW_OK)
                complain(live, SERVE_EVERYONE, &error);
            live->shown_ms = now;
        }
        if (clients && (live->single || (live->playing && now >= live->due_ms))) {
            view_live_step(live);
            live->due_ms = fmax(live->due_ms + 1e3 * live->now.world.h / live->speed, now - 1e3 * PATIENCE);
        }
    }
}

// --- opening ---------------------------------------------------------------------------------------------------------

ThawStatus view_live_open(const char *path, int threads, ViewLive *live, ThawError *error) {
    *live = (ViewLive){.split_method = "rigidify", .speed = 1, .playing = 1, .drag = {.body = -1}};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    view_copy_text(name, live->name, sizeof live->name);
    if (strrchr(live->name, '.') > live->name)
        *strrchr(live->name, '.') = 0;
    ThawStatus status = app_scene_load(path, &live->scene, error);
    if (status != THAW_OK)
        return status == THAW_ERROR_IO ? THAW_ERROR_INPUT : status;
    const ThawWorldDef *def = &live->scene->world;
    live->now = *live->scene;
    if (threads >= 0)
        live->now.world.threads = threads;
    live->bodies = THAW_NEW(ThawBodyDef, (size_t)def->body_count + VIEW_DROPS);
    if (!live->bodies)
        return thaw_error_memory(error, "bodies");
    memcpy(live->bodies, def->bodies, sizeof *live->bodies * (size_t)def->body_count);
    live->now.world.bodies = live->bodies;
    const int32_t field = thaw_field_find("state");
    live->field = field < 0 ? 0 : field;
    const char *folder = getenv("TMPDIR");
    snprintf(live->state, sizeof live->state, "%.150s/thaw-view-XXXXXX", folder && *folder ? folder : "/tmp");
    if (!mkdtemp(live->state)) {
        live->state[0] = 0;
        return thaw_error_set(error, THAW_ERROR_IO, "cannot make a folder for states in %s",
                              folder && *folder ? folder : "/tmp");
    }
    return view_worlds_build(live, 1, 0, error);
}

void view_live_clear(ViewLive *live) {
    view_drag_release(live);
    view_show_clear(live);
    view_worlds_clear(live);
    if (live->state[0])
        rmdir(live->state);
    thaw_free(live->bodies);
    thaw_scene_free(&live->scene);
}
