// SPDX-License-Identifier: Apache-2.0
// What pages see of a live simulation: the header for its worlds, and frames of their present state. A frame is made only
// when some page has room for it, so a simulation that nobody looks at pays nothing, and one with slow pages little.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view_live.h"

void view_show_clear(ViewLive *live) {
    for (int v = 0; v < VIEW_VIEWS; v++)
        thaw_stream_free(&live->streams[v]);
    thaw_stream_mesh_free(&live->mesh);
    thaw_free(live->x);
    thaw_free(live->values);
    thaw_free(live->packed);
    thaw_free(live->contacts);
    thaw_free(live->arrows);
    live->x = live->values = live->packed = live->arrows = NULL;
    live->contacts = NULL;
    live->contact_room = 0;
}

// --- gathering -----------------------------------------------------------------------------------------------------------

static void gather_positions(ViewLive *live, const ThawWorld *world) {
    const int dim = thaw_world_dim(world);
    for (int32_t b = 0; b < live->mesh->body_count; b++) {
        const int32_t first = live->mesh->first_point[b], count = live->mesh->first_point[b + 1] - first;
        thaw_world_get_positions(world, b, live->packed);
        for (int32_t i = 0; i < count; i++)
            for (int k = 0; k < 3; k++)
                live->x[3 * (size_t)(first + i) + (size_t)k] =
                    k < dim ? live->packed[(size_t)i * (size_t)dim + (size_t)k] : 0;
    }
}

static void gather_field(ViewLive *live, const ThawWorld *world, int32_t index) {
    const ThawField *field = thaw_field(index);
    const int32_t *first = field->place == THAW_FIELD_VERTEX ? live->mesh->first_point : live->mesh->first_element;
    for (int32_t b = 0; b < live->mesh->body_count; b++)
        thaw_world_get_field(world, b, index, live->values + (size_t)first[b] * (size_t)field->components);
}

// Points and forces of the contacts that carry something; how many.
static int32_t gather_contacts(ViewLive *live, const ThawWorld *world) {
    const int32_t count = thaw_world_contact_count(world);
    if (count > live->contact_room) {
        ThawContactPoint *contacts = THAW_NEW(ThawContactPoint, 2 * (size_t)count);
        double *arrows = THAW_NEW(double, 12 * (size_t)count);
        if (!contacts || !arrows) { // shown without, rather than not at all
            thaw_free(contacts);
            thaw_free(arrows);
            return 0;
        }
        thaw_free(live->contacts);
        thaw_free(live->arrows);
        live->contacts = contacts;
        live->arrows = arrows;
        live->contact_room = 2 * count;
    }
    int32_t used = 0;
    if (count == 0 || thaw_world_get_contacts(world, live->contacts) != THAW_OK)
        return 0;
    for (int32_t i = 0; i < count; i++) {
        const ThawContactPoint *c = &live->contacts[i];
        if (!(c->normal_force > 0))
            continue;
        double *arrow = live->arrows + 6 * (size_t)used++;
        memcpy(arrow, c->point, 3 * sizeof(double));
        memcpy(arrow + 3, c->force, 3 * sizeof(double));
    }
    return used;
}

// --- the header ----------------------------------------------------------------------------------------------------------

static ThawStatus build_mesh(ViewLive *live, ThawError *error) {
    const ThawWorld *world = live->runners[0].world;
    const int nodes = thaw_world_dim(world) + 1;
    const int32_t bodies = thaw_world_body_count(world);
    int64_t points = 0, elements = 0;
    for (int32_t b = 0; b < bodies; b++) {
        points += thaw_world_vertex_count(world, b);
        elements += thaw_world_element_count(world, b);
    }
    if (points > INT32_MAX / 8 || elements > INT32_MAX / 8)
        return thaw_error_set(error, THAW_ERROR_UNSUPPORTED, "the scene is too large to be shown live");
    int32_t *body = THAW_NEW(int32_t, points), *ids = THAW_NEW(int32_t, (size_t)nodes * (size_t)elements);
    const size_t room = 3 * (size_t)(points > elements ? points : elements);
    live->x = THAW_NEW(double, 3 * (size_t)points);
    live->values = THAW_NEW(double, room);
    live->packed = THAW_NEW(double, room);
    ThawStatus status =
        body && ids && live->x && live->values && live->packed ? THAW_OK : thaw_error_memory(error, "what is shown");
    int32_t point = 0, element = 0;
    for (int32_t b = 0; b < bodies && status == THAW_OK; b++) {
        const int32_t count = thaw_world_vertex_count(world, b);
        int32_t *to = ids + (size_t)nodes * (size_t)element;
        thaw_world_get_elements(world, b, to);
        for (size_t i = 0; i < (size_t)nodes * (size_t)thaw_world_element_count(world, b); i++)
            to[i] += point;
        for (int32_t i = 0; i < count; i++)
            body[point + i] = b;
        point += count;
        element += thaw_world_element_count(world, b);
    }
    if (status == THAW_OK)
        status = thaw_stream_mesh_create(nodes, bodies, body, (int32_t)points, ids, (int32_t)elements, live->interior,
                                         &live->mesh, error);
    for (int v = 0; v < live->views && status == THAW_OK; v++)
        status = thaw_stream_create(live->mesh, THAW_STREAM_LIVE, v, &live->streams[v], error);
    thaw_free(body);
    thaw_free(ids);
    return status;
}

// Half-spaces end three times as far as the bodies are wide.
static void settle_extent(ViewLive *live) {
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int32_t p = 0; p < live->mesh->point_count; p++) {
            low = fmin(low, live->x[3 * (size_t)p + (size_t)k]);
            high = fmax(high, live->x[3 * (size_t)p + (size_t)k]);
        }
        live->middle[k] = (low + high) / 2;
        square += (high - low) * (high - low);
    }
    live->extent = square > 0 ? 3 * sqrt(square) : 1;
}

ThawStatus view_show_begin(ViewLive *live, ThawError *error) {
    view_show_clear(live);
    ThawStatus status = build_mesh(live, error);
    if (status != THAW_OK)
        return status;
    gather_positions(live, live->runners[0].world);
    if (!(live->extent > 0))
        settle_extent(live);
    live->dirty = 1;
    return view_show_hello(live, error);
}

ThawStatus view_show_hello(ViewLive *live, ThawError *error) {
    const ThawWorld *world = live->runners[0].world;
    const int32_t bodies = thaw_world_body_count(world), obstacles = thaw_world_obstacle_count(world);
    ThawFrameData *around = NULL;
    const char **names = THAW_NEW(const char *, bodies), **methods = THAW_NEW(const char *, bodies),
               **obstacle_names = THAW_NEW(const char *, obstacles);
    unsigned char *fields = THAW_NEW(unsigned char, thaw_field_count());
    ThawStatus status =
        names && methods && obstacle_names && fields ? THAW_OK : thaw_error_memory(error, "what is shown");
    if (status == THAW_OK)
        status = thaw_obstacle_frame(world, live->middle, live->extent, &around, &live->obstacles_move, error);
    if (status == THAW_OK) {
        const AppRunner *runner = &live->runners[live->views - 1];
        for (int32_t b = 0; b < bodies; b++) {
            names[b] = thaw_world_body_name(world, b);
            methods[b] = runner->method ? runner->method : live->now.world.bodies[b].method;
        }
        for (int32_t o = 0; o < obstacles; o++)
            obstacle_names[o] = thaw_world_obstacle_name(world, o);
        memset(fields, 1, (size_t)thaw_field_count());
        json_t *shapes = json_array();
        for (int32_t s = 0; s < live->now.world.shape_count; s++)
            json_array_append_new(shapes, json_string(live->now.world.shapes[s].name));
        gather_positions(live, live->runners[0].world);
        ViewHello hello = {.scene = live->name,
                           .title = live->scene->title,
                           .dim = thaw_world_dim(world),
                           .live = 1,
                           .h = live->now.world.h,
                           .views = live->views,
                           .view_names = {live->views > 1  ? "full"
                                          : runner->method ? runner->method
                                                           : live->name,
                                          runner->method},
                           .mesh = live->mesh,
                           .x = live->x,
                           .body_names = names,
                           .methods = methods,
                           .obstacles = around,
                           .obstacle_names = obstacle_names,
                           .obstacles_move = live->obstacles_move,
                           .has_field = fields,
                           .settings = view_settings(live),
                           .shapes = shapes,
                           .methods_known = json_pack("[s, s]", "full", "rigidify")};
        char *text = view_hello_text(&hello);
        if (!text || !serve_put(live->serve, SERVE_EVERYONE, SERVE_HELLO, text, strlen(text)))
            status = thaw_error_memory(error, "the header for the page");
        free(text);
    }
    thaw_frame_data_free(&around);
    thaw_free(names);
    thaw_free(methods);
    thaw_free(obstacle_names);
    thaw_free(fields);
    return status;
}

// --- frames --------------------------------------------------------------------------------------------------------------

static void write_stats(ViewLive *live, int view, double distance, char *text, size_t size) {
    const AppRunner *runner = &live->runners[view];
    const ThawStepStats *s = &runner->last;
    ThawLedger ledger = {0};
    thaw_world_get_ledger(runner->world, &ledger);
    int used = snprintf(
        text, size,
        "\"dofs\": %" PRId64 ", \"elements\": %" PRId32 ", \"elastic_elements\": %" PRId64 ", \"rigid_parts\": %" PRId64
        ", \"contacts\": %" PRId64 ", \"cpu_ms\": %.4g, \"wall_ms\": %.4g, \"kinetic\": %.6g, \"elastic\": %.6g",
        s->dofs, live->mesh->element_count, s->elastic_elements, s->rigid_parts, s->contacts, s->cpu_ms, s->wall_ms,
        isfinite(ledger.kinetic) ? ledger.kinetic : 0, isfinite(ledger.elastic) ? ledger.elastic : 0);
    if (view == 1 && runner->cpu_ms > 0)
        snprintf(text + used, size - (size_t)used, ", \"speedup\": %.4g, \"error\": %.4g",
                 live->runners[0].cpu_ms / runner->cpu_ms, isfinite(distance) ? distance : 1e9);
}

static ThawStatus encode(ViewLive *live, int view, const unsigned char **bytes, size_t *size, ThawError *error) {
    const ThawWorld *world = live->runners[view].world;
    ThawStream *stream = live->streams[view];
    char stats[600];
    double distance =
        view == 1 ? app_lockstep_distance(&live->lockstep, &live->runners[0], &live->runners[1], NULL) : 0;
    write_stats(live, view, distance, stats, sizeof stats);
    thaw_stream_begin(stream);
    gather_positions(live, world);
    thaw_stream_positions(stream, live->x);
    gather_field(live, world, live->field);
    thaw_stream_field(stream, thaw_field(live->field), live->values);
    const int32_t contacts = gather_contacts(live, world);
    thaw_stream_numbers(stream, "contacts", "contact", 6, contacts, live->arrows);
    if (live->obstacles_move) {
        ThawFrameData *around = NULL;
        int moves;
        ThawStatus status = thaw_obstacle_frame(world, live->middle, live->extent, &around, &moves, error);
        if (status != THAW_OK)
            return status;
        view_send_obstacles(stream, around);
        thaw_frame_data_free(&around);
    }
    return thaw_stream_end(stream, live->frame, thaw_world_step_count(world), thaw_world_time(world), stats, bytes,
                           size, error);
}

ThawStatus view_show_frame(ViewLive *live, ThawError *error) {
    ThawStatus status = THAW_OK;
    live->frame++;
    for (int v = 0; v < live->views && status == THAW_OK; v++) {
        const unsigned char *bytes;
        size_t size;
        status = encode(live, v, &bytes, &size, error);
        if (status == THAW_OK && !serve_put(live->serve, SERVE_EVERYONE, (ServeSlot)(SERVE_FRAME + v), bytes, size))
            status = thaw_error_memory(error, "a frame to be shown");
    }
    live->dirty = 0;
    return status;
}

// --- one element ---------------------------------------------------------------------------------------------------------

static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *view_show_element(ViewLive *live, int view, int32_t element, ThawError *error) {
    const ThawStreamMesh *mesh = live->mesh;
    const ThawWorld *world = live->runners[view].world;
    int32_t body = 0;
    while (mesh->first_element[body + 1] <= element)
        body++;
    ThawElementReport r;
    char text[1500];
    if (thaw_world_explain(world, body, element - mesh->first_element[body], &r, error) != THAW_OK)
        return NULL;
    thaw_report_text(&r, text, sizeof text);
    json_t *json = json_pack(
        "{s:s, s:i, s:i, s:i, s:s?, s:i, s:s, s:i, s:s, s:s, s:o, s:o, s:i, s:i, s:i, s:o, s:o, s:I, s:o, s:s}", "type",
        "element", "view", view, "element", element, "body", body, "body_name", thaw_world_body_name(world, body),
        "body_element", r.element, "state", thaw_element_state_name(r.state), "part", r.part, "reason",
        thaw_reason_name(r.reason), "woken_by", thaw_reason_name(r.woken_by), "rate", number(r.rate), "rate_threshold",
        number(r.rate_threshold), "steps_below", r.steps_below, "steps_needed", r.steps_needed, "steps_held",
        r.steps_held, "predicted", number(r.predicted), "predicted_allowed", number(r.predicted_allowed), "since_step",
        (json_int_t)r.since_step, "since_time", number(r.since_time), "text", text);
    if (!json)
        thaw_error_memory(error, "an answer");
    return json;
}
