// SPDX-License-Identifier: Apache-2.0
// A run's folder as a stream. The mesh comes from the first frame, names and times from the run's own files where they
// are there (run.json, frames.pvd, steps.csv), and every field that frames hold is offered by its name.
#include "view_recorded.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "scene/json.h"
#include "view_page.h"

static void free_texts(char **texts, int32_t count) {
    for (int32_t i = 0; texts && i < count; i++)
        thaw_free(texts[i]);
    thaw_free(texts);
}

void view_recorded_clear(ViewRecorded *r) {
    thaw_stream_free(&r->stream);
    thaw_stream_mesh_free(&r->mesh);
    free_texts(r->names, r->first ? r->first->body_count : 0);
    free_texts(r->methods, r->first ? r->first->body_count : 0);
    free_texts(r->obstacle_names, r->obstacles ? r->obstacles->body_count : 0);
    thaw_frame_data_free(&r->first);
    thaw_frame_data_free(&r->obstacles);
    view_series_clear(&r->series);
    thaw_free(r->scene);
    thaw_free(r->title);
    thaw_free(r->times);
    thaw_free(r->has_field);
    *r = (ViewRecorded){0};
}

// Last part of the path.
static char *name_of_folder(const char *folder) {
    char part[256], name[256];
    size_t end = strlen(folder);
    while (end > 1 && folder[end - 1] == '/')
        end--;
    size_t start = end;
    while (start > 0 && folder[start - 1] != '/')
        start--;
    snprintf(part, sizeof part, "%.*s", (int)(end - start < sizeof part ? end - start : sizeof part - 1),
             folder + start);
    view_copy_text(part, name, sizeof name);
    return thaw_strdup(name);
}

// What the run says about itself. Files of other programs say nothing: no time step, no methods.
static ThawStatus read_record(ViewRecorded *r, ThawError *error) {
    char path[4200];
    snprintf(path, sizeof path, "%.4000s/run.json", thaw_replay_path(r->replay));
    json_t *json = NULL;
    ThawStatus status = thaw_json_read(path, &json, error);
    const char *title = json_string_value(json_object_get(json, "title"));
    const json_t *methods = json_object_get(json, "methods");
    const double h = json_number_value(json_object_get(json, "h"));
    const int32_t bodies = r->first->body_count;
    r->h = isfinite(h) && h > 0 ? h : 0;
    r->scene = name_of_folder(thaw_replay_path(r->replay));
    r->title = thaw_strdup(title ? title : r->scene ? r->scene : "");
    r->names = THAW_NEW(char *, bodies);
    if (status == THAW_OK && json_array_size(methods) == (size_t)bodies)
        status = (r->methods = THAW_NEW(char *, bodies)) ? THAW_OK : thaw_error_memory(error, "methods of bodies");
    if (status == THAW_OK && (!r->scene || !r->title || !r->names))
        status = thaw_error_memory(error, "names of bodies");
    for (int32_t b = 0; b < bodies && status == THAW_OK; b++) {
        const char *name = thaw_replay_body_name(r->replay, b); // gone with the next call
        const char *method = json_string_value(json_array_get(methods, (size_t)b));
        r->names[b] = thaw_strdup(name ? name : "");
        if (r->methods)
            r->methods[b] = thaw_strdup(method ? method : "");
        if (!r->names[b] || (r->methods && !r->methods[b]))
            status = thaw_error_memory(error, "names of bodies");
    }
    json_decref(json);
    return status;
}

// A frame that cannot be read is as long after the one before as that was; what is wrong with it is said when it is
// shown.
static double time_of(const ViewRecorded *r, int64_t index) {
    ThawFrameData *frame = NULL;
    double time = r->first->time;
    if (index > 0 && thaw_replay_read(r->replay, index, &frame, NULL) == THAW_OK)
        time = frame->time;
    else if (index > 0)
        time = 2 * r->times[index - 1] - r->times[index > 1 ? index - 2 : 0];
    thaw_frame_data_free(&frame);
    return time;
}

// Out of frames.pvd; a frame that is not listed there is asked itself, which takes longer.
static ThawStatus read_times(ViewRecorded *r, ThawError *error) {
    const int64_t count = thaw_replay_count(r->replay);
    char path[4200], *text = NULL;
    size_t size;
    r->times = THAW_NEW(double, count);
    if (!r->times)
        return thaw_error_memory(error, "times of frames");
    for (int64_t i = 0; i < count; i++)
        r->times[i] = NAN;
    snprintf(path, sizeof path, "%.4000s/frames.pvd", thaw_replay_path(r->replay));
    if (thaw_file_read(path, &text, &size, NULL) == THAW_OK)
        for (char *at = text; (at = strstr(at, "<DataSet timestep=\""));) {
            const double time = strtod(at + strlen("<DataSet timestep=\""), &at);
            const char *end = strchr(at, '>'), *name = strstr(at, "file=\"frame_");
            const int64_t index =
                end && name && name < end ? thaw_replay_find(r->replay, strtoll(name + 12, NULL, 10)) : -1;
            if (index >= 0)
                r->times[index] = time;
        }
    thaw_free(text);
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(r->times[i]))
            r->times[i] = time_of(r, i);
    return THAW_OK;
}

// Files of other programs may name bodies in any order; they are then shown as one.
static void settle_bodies(ThawFrameData *d) {
    int ordered = d->body_count >= 1 && d->body_count <= d->point_count;
    for (int32_t p = 1; p < d->point_count && ordered; p++)
        ordered = d->body[p] >= d->body[p - 1];
    for (int32_t c = 1; c < d->cell_count && ordered; c++)
        ordered =
            d->body[d->cells[(size_t)c * (size_t)d->nodes]] >= d->body[d->cells[(size_t)(c - 1) * (size_t)d->nodes]];
    if (ordered)
        return;
    memset(d->body, 0, sizeof *d->body * (size_t)d->point_count);
    d->body_count = 1;
}

static ThawStatus read_obstacles(ViewRecorded *r, ThawError *error) {
    const int64_t last = thaw_replay_count(r->replay) - 1;
    ThawStatus status = thaw_replay_read_obstacles(r->replay, 0, &r->obstacles, error);
    for (int64_t i = last; status == THAW_OK && r->obstacles && i > 0 && !r->obstacles_move; i /= 2) {
        ThawFrameData *other = NULL;
        status = thaw_replay_read_obstacles(r->replay, i, &other, error);
        if (status == THAW_OK && other && other->point_count == r->obstacles->point_count)
            r->obstacles_move = memcmp(other->x, r->obstacles->x, 3 * sizeof(double) * (size_t)other->point_count) != 0;
        thaw_frame_data_free(&other);
    }
    if (status == THAW_OK && r->obstacles && r->obstacles->nodes != 3)
        return thaw_error_set(error, THAW_ERROR_INPUT, "the obstacles of %s are no triangles",
                              thaw_replay_path(r->replay));
    const int32_t count = status == THAW_OK && r->obstacles ? r->obstacles->body_count : 0;
    if (count > 0 && !(r->obstacle_names = THAW_NEW(char *, count)))
        return thaw_error_memory(error, "names of obstacles");
    for (int32_t o = 0; o < count; o++)
        if (!(r->obstacle_names[o] = thaw_strdup(thaw_replay_obstacle_name(r->replay, o))))
            return thaw_error_memory(error, "names of obstacles");
    return status;
}

ThawStatus view_recorded_open(ThawReplay *replay, int64_t index, ThawStreamKind kind, int interior, ViewRecorded *r,
                              ThawError *error) {
    *r = (ViewRecorded){.replay = replay, .box = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY}};
    ThawStatus status = thaw_replay_read(replay, index, &r->first, error);
    if (status != THAW_OK)
        return status;
    settle_bodies(r->first);
    if (kind == THAW_STREAM_FILE)
        interior =
            interior && view_page_holds_inside(thaw_replay_count(replay), r->first->point_count, r->first->cell_count);
    r->has_field = THAW_NEW(unsigned char, thaw_field_count());
    if (!r->has_field)
        status = thaw_error_memory(error, "fields");
    for (int32_t f = 0; status == THAW_OK && f < thaw_field_count(); f++)
        r->has_field[f] = r->first->fields[f] != NULL;
    if (status == THAW_OK)
        status = read_record(r, error);
    if (status == THAW_OK)
        status = read_times(r, error);
    if (status == THAW_OK)
        status = view_series_read(thaw_replay_path(replay), &r->series, error);
    if (status == THAW_OK)
        status = read_obstacles(r, error);
    if (status == THAW_OK)
        status = thaw_stream_mesh_create(r->first->nodes, r->first->body_count, r->first->body, r->first->point_count,
                                         r->first->cells, r->first->cell_count, interior, &r->mesh, error);
    if (status == THAW_OK) {
        thaw_stream_mesh_settle(r->mesh, r->first->x);
        status = thaw_stream_create(r->mesh, kind, 0, &r->stream, error);
    }
    if (status != THAW_OK)
        view_recorded_clear(r);
    return status;
}

// --- frames ----------------------------------------------------------------------------------------------------------

static ThawStatus send_contacts(ViewRecorded *r, const ThawFrameData *d, ThawError *error) {
    const int32_t field = thaw_field_find("contact_force");
    const double *f = field >= 0 ? d->fields[field] : NULL;
    int32_t count = 0;
    double *arrows = f ? THAW_NEW(double, 6 * (size_t)d->point_count) : NULL;
    if (f && !arrows)
        return thaw_error_memory(error, "contacts");
    for (size_t p = 0; f && p < (size_t)d->point_count; p++)
        if (f[3 * p] != 0 || f[3 * p + 1] != 0 || f[3 * p + 2] != 0) {
            memcpy(arrows + 6 * (size_t)count, d->x + 3 * p, 3 * sizeof(double));
            memcpy(arrows + 6 * (size_t)count++ + 3, f + 3 * p, 3 * sizeof(double));
        }
    thaw_stream_points(r->stream, "contacts", "contact", 6, count, arrows);
    thaw_free(arrows);
    return THAW_OK;
}

static ThawStatus send_frame(ViewRecorded *r, int64_t index, int32_t field, const ThawFrameData *d,
                             const unsigned char **bytes, size_t *size, ThawError *error) {
    ThawStatus status = THAW_OK;
    char stats[512];
    thaw_stream_begin(r->stream);
    thaw_stream_positions(r->stream, d->x);
    for (int32_t f = 0; f < thaw_field_count(); f++)
        if ((field < 0 ? r->has_field[f] : f == field) && d->fields[f])
            thaw_stream_field(r->stream, thaw_field(f), d->fields[f]);
    status = send_contacts(r, d, error);
    if (d->attachment_count > 0)
        thaw_stream_points(r->stream, "attachments", "attachment", 3, 2 * d->line_count, d->lines);
    if (status == THAW_OK && r->obstacles_move) {
        ThawFrameData *around = NULL;
        status = thaw_replay_read_obstacles(r->replay, index, &around, error);
        if (status == THAW_OK && around && around->point_count == r->obstacles->point_count)
            view_send_obstacles(r->stream, around);
        thaw_frame_data_free(&around);
    }
    snprintf(stats, sizeof stats, "\"elements\": %d", (int)d->cell_count);
    view_series_stats(&r->series, d->step, stats, sizeof stats);
    return status == THAW_OK ? thaw_stream_end(r->stream, index, d->step, d->time, stats, bytes, size, error) : status;
}

static int has_mesh(const ViewRecorded *r, const ThawFrameData *d) {
    const ThawFrameData *first = r->first;
    return d->nodes == first->nodes && d->point_count == first->point_count && d->cell_count == first->cell_count &&
           memcmp(d->cells, first->cells, sizeof *d->cells * (size_t)d->nodes * (size_t)d->cell_count) == 0;
}

int view_recorded_differs(const ViewRecorded *r, int64_t index) {
    ThawFrameData *d = NULL;
    const int differs = thaw_replay_read(r->replay, index, &d, NULL) == THAW_OK && !has_mesh(r, d);
    thaw_frame_data_free(&d);
    return differs;
}

ThawStatus view_recorded_encode(ViewRecorded *r, int64_t index, int32_t field, const unsigned char **bytes,
                                size_t *size, ThawError *error) {
    ThawFrameData *d = NULL;
    ThawStatus status = thaw_replay_read(r->replay, index, &d, error);
    if (status == THAW_OK && !has_mesh(r, d))
        status = thaw_error_set(error, THAW_ERROR_INPUT,
                                "frame %lld of %s has another mesh than the first (a body was cut, or the run is "
                                "another; %d points and %d elements, not %d and %d)",
                                (long long)thaw_replay_number(r->replay, index), thaw_replay_path(r->replay),
                                d->point_count, d->cell_count, r->first->point_count, r->first->cell_count);
    if (status == THAW_OK) {
        r->times[index] = d->time;
        for (int32_t i = 0; i < r->mesh->vertex_count; i++)
            for (int k = 0; k < 3; k++) {
                const double value = d->x[3 * (size_t)r->mesh->points[i] + (size_t)k];
                r->box[k] = fmin(r->box[k], value);
                r->box[3 + k] = fmax(r->box[3 + k], value);
            }
        status = send_frame(r, index, field, d, bytes, size, error);
    }
    thaw_frame_data_free(&d);
    return status;
}

int32_t view_recorded_field(const ViewRecorded *r) {
    static const char *const wanted[] = {"state", "velocity"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const int32_t field = thaw_field_find(wanted[i]);
        if (field >= 0 && r->has_field[field])
            return field;
    }
    return 0;
}

// The name all bodies share, or "mixed"; "" where the run does not tell.
static const char *method_of(const ViewRecorded *r) {
    for (int32_t b = 1; r->methods && b < r->first->body_count; b++)
        if (strcmp(r->methods[b], r->methods[0]) != 0)
            return "mixed";
    return r->methods ? r->methods[0] : "";
}

json_t *view_recorded_settings(const ViewRecorded *r, int32_t field) {
    return json_pack("{s:b, s:f, s:b, s:b, s:s, s:s, s:[]}", "playing", 0, "speed", 1.0, "split", 0, "interior",
                     r->mesh->interior, "method", method_of(r), "field", thaw_field(field)->name, "thresholds");
}

char *view_recorded_hello(const ViewRecorded *r, int32_t field) {
    ViewHello hello = {.scene = r->scene,
                       .title = r->title,
                       .dim = r->first->nodes - 1,
                       .h = r->h,
                       .views = 1,
                       .view_names = {r->scene},
                       .mesh = r->mesh,
                       .x = r->first->x,
                       .body_names = (const char *const *)r->names,
                       .methods = (const char *const *)r->methods,
                       .obstacles = r->obstacles,
                       .obstacle_names = (const char *const *)r->obstacle_names,
                       .obstacles_move = r->obstacles_move,
                       .has_field = r->has_field,
                       .times = r->times,
                       .frames = thaw_replay_count(r->replay),
                       .box = isfinite(r->box[0]) ? r->box : NULL,
                       .methods_known = json_array(),
                       .settings = view_recorded_settings(r, field)};
    if (!hello.settings || !hello.methods_known ||
        (r->series.rows > 0 && !(hello.series[0] = view_series_json(&r->series)))) {
        view_hello_drop(&hello);
        return NULL;
    }
    return view_hello_text(&hello);
}
