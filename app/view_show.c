// SPDX-License-Identifier: Apache-2.0
// What pages see of a live simulation: the header for its worlds, and frames of their present state. A frame is made
// only when some page has room for it, so a simulation that no page shows pays nothing, and one with slow pages
// little.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "registry/method.h"
#include "view_live.h"

static void clear(ViewWorld *shown, ThawStream *streams[VIEW_VIEWS]) {
    for (int v = 0; v < VIEW_VIEWS; v++)
        thaw_stream_free(&streams[v]);
    view_world_clear(shown);
}

void view_show_clear(ViewLive *live) { clear(&live->shown, live->streams); }

ThawStatus view_show_create(const ViewLive *live, const ThawWorld *world, int views, ViewWorld *shown,
                            ThawStream *streams[VIEW_VIEWS], ThawError *error) {
    memset(streams, 0, VIEW_VIEWS * sizeof *streams);
    ThawStatus status = view_world_create(world, live->interior, live->shown.middle, live->shown.extent, shown, error);
    for (int v = 0; v < views && status == THAW_OK; v++)
        status = thaw_stream_create(shown->mesh, THAW_STREAM_LIVE, v, &streams[v], error);
    if (status != THAW_OK)
        clear(shown, streams);
    return status;
}

void view_show_set(ViewLive *live, const ViewWorld *shown, ThawStream *const streams[VIEW_VIEWS]) {
    view_show_clear(live);
    live->shown = *shown;
    memcpy(live->streams, streams, sizeof live->streams);
    live->dirty = 1;
}

ThawStatus view_show_begin(ViewLive *live, ThawError *error) {
    ViewWorld shown;
    ThawStream *streams[VIEW_VIEWS];
    ThawStatus status = view_show_create(live, live->runners[0].world, live->views, &shown, streams, error);
    if (status != THAW_OK)
        return status;
    view_show_set(live, &shown, streams);
    return view_show_hello(live, error);
}

ThawStatus view_show_hello(ViewLive *live, ThawError *error) {
    const AppRunner *last = &live->runners[live->views - 1];
    json_t *shapes = json_array(), *methods = json_array();
    for (int m = 0; m < thaw_method_count(); m++)
        json_array_append_new(methods, json_string(thaw_method_at(m)->name));
    for (int32_t s = 0; s < live->now.world.shape_count; s++)
        json_array_append_new(shapes, json_string(live->now.world.shapes[s].name));
    ViewHello hello = {.scene = live->name,
                       .title = live->scene->title,
                       .live = 1,
                       .h = live->now.world.h,
                       .views = live->views,
                       .view_names = {live->views > 1 ? "full"
                                      : last->method  ? last->method
                                                      : live->name,
                                      last->method},
                       .settings = view_settings(live),
                       .shapes = shapes,
                       .methods_known = methods};
    char *text = view_world_hello(&live->shown, last->world, &hello, error);
    if (!text)
        return error->status;
    const int put = serve_put(live->serve, SERVE_EVERYONE, SERVE_HELLO, text, strlen(text));
    free(text);
    return put ? THAW_OK : thaw_error_memory(error, "the header for the page");
}

ThawStatus view_show_frame(ViewLive *live, ThawError *error) {
    const uint64_t topology = thaw_world_topology(live->runners[0].world);
    ThawStatus status = THAW_OK;
    for (int v = 1; v < live->views; v++)
        if (thaw_world_topology(live->runners[v].world) != topology) // it is a step behind
            return THAW_OK;
    if (topology != live->shown.topology) { // shapes have changed: another mesh
        view_drag_release(live);
        status = view_show_begin(live, error);
    }
    live->frame++;
    for (int v = 0; v < live->views && status == THAW_OK; v++) {
        const AppRunner *runner = &live->runners[v];
        const unsigned char *bytes;
        size_t size;
        char stats[VIEW_STATS];
        const int used = view_world_stats(&live->shown, runner->world, &runner->last, stats);
        if (v == 1 && runner->cpu_ms > 0)
            snprintf(stats + used, sizeof stats - (size_t)used, ", \"speedup\": %.4g, \"error\": %.4g",
                     live->runners[0].cpu_ms / runner->cpu_ms,
                     fmin(1e9, app_lockstep_distance(&live->lockstep, &live->runners[0], runner, NULL)));
        status = view_world_encode(&live->shown, runner->world, live->field, live->frame, stats, live->streams[v],
                                   &bytes, &size, error);
        if (status == THAW_OK && !serve_put(live->serve, SERVE_EVERYONE, (ServeSlot)(SERVE_FRAME + v), bytes, size))
            status = thaw_error_memory(error, "a frame to be shown");
    }
    live->dirty = 0;
    return status;
}

json_t *view_show_element(ViewLive *live, int view, int32_t element, ThawError *error) {
    const ThawStreamMesh *mesh = live->shown.mesh;
    const ThawWorld *world = live->runners[view].world;
    ThawElementReport report;
    int32_t body = 0;
    while (mesh->first_element[body + 1] <= element)
        body++;
    if (thaw_world_explain(world, body, element - mesh->first_element[body], &report, error) != THAW_OK)
        return NULL;
    json_t *json = view_element_json(&report, thaw_world_body_name(world, body), view, element);
    if (!json)
        thaw_error_memory(error, "an answer");
    return json;
}
