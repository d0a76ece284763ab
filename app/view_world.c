// SPDX-License-Identifier: Apache-2.0
// A world as a stream. Everything is read through the public interface, body by body, into arrays that run over all
// bodies; fields come from the library's list, so a new one appears in the page without a change here.
#include "view_world.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void view_world_clear(ViewWorld *shown) {
    thaw_stream_mesh_free(&shown->mesh);
    thaw_free(shown->x);
    thaw_free(shown->values);
    thaw_free(shown->packed);
    thaw_free(shown->contacts);
    thaw_free(shown->lines);
    thaw_free(shown->line_scratch);
    thaw_free(shown->arrows);
    *shown = (ViewWorld){0};
}

// --- gathering -------------------------------------------------------------------------------------------------------

static void gather_positions(ViewWorld *shown, const ThawWorld *world) {
    const int dim = thaw_world_dim(world);
    for (int32_t b = 0; b < shown->mesh->body_count; b++) {
        const int32_t first = shown->mesh->first_point[b], count = shown->mesh->first_point[b + 1] - first;
        thaw_world_get_positions(world, b, shown->packed);
        for (int32_t i = 0; i < count; i++)
            for (int k = 0; k < 3; k++)
                shown->x[3 * (size_t)(first + i) + (size_t)k] =
                    k < dim ? shown->packed[(size_t)i * (size_t)dim + (size_t)k] : 0;
    }
}

static void gather_field(ViewWorld *shown, const ThawWorld *world, int32_t index) {
    const ThawField *field = thaw_field(index);
    const int32_t *first = field->place == THAW_FIELD_VERTEX ? shown->mesh->first_point : shown->mesh->first_element;
    for (int32_t b = 0; b < shown->mesh->body_count; b++)
        thaw_world_get_field(world, b, index, shown->values + (size_t)first[b] * (size_t)field->components);
}

// Points and forces of the contacts that carry something; how many.
static int32_t gather_contacts(ViewWorld *shown, const ThawWorld *world) {
    const int32_t count = thaw_world_contact_count(world);
    if (count > shown->contact_room) {
        ThawContactPoint *contacts = THAW_NEW(ThawContactPoint, 2 * (size_t)count);
        double *arrows = THAW_NEW(double, 12 * (size_t)count);
        if (!contacts || !arrows) { // shown without, rather than not at all
            thaw_free(contacts);
            thaw_free(arrows);
            return 0;
        }
        thaw_free(shown->contacts);
        thaw_free(shown->arrows);
        shown->contacts = contacts;
        shown->arrows = arrows;
        shown->contact_room = 2 * count;
    }
    int32_t used = 0;
    if (count == 0 || thaw_world_get_contacts(world, shown->contacts) != THAW_OK)
        return 0;
    for (int32_t i = 0; i < count; i++) {
        const ThawContactPoint *c = &shown->contacts[i];
        if (!(c->normal_force > 0))
            continue;
        double *arrow = shown->arrows + 6 * (size_t)used++;
        memcpy(arrow, c->point, 3 * sizeof(double));
        memcpy(arrow + 3, c->force, 3 * sizeof(double));
    }
    return used;
}

// --- the mesh and the header -----------------------------------------------------------------------------------------

static ThawStatus build_mesh(ViewWorld *shown, const ThawWorld *world, int interior, ThawError *error) {
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
    shown->x = THAW_NEW(double, 3 * (size_t)points);
    shown->values = THAW_NEW(double, room);
    shown->packed = THAW_NEW(double, room);
    ThawStatus status =
        body && ids && shown->x && shown->values && shown->packed ? THAW_OK : thaw_error_memory(error, "what is shown");
    int32_t point = 0, element = 0;
    for (int32_t b = 0; b < bodies && status == THAW_OK; b++) {
        const int32_t count = thaw_world_vertex_count(world, b);
        thaw_cells_gather(world, b, nodes, point, ids + (size_t)nodes * (size_t)element);
        for (int32_t i = 0; i < count; i++)
            body[point + i] = b;
        point += count;
        element += thaw_world_element_count(world, b);
    }
    if (status == THAW_OK)
        status = thaw_stream_mesh_create(nodes, bodies, body, (int32_t)points, ids, (int32_t)elements, interior,
                                         &shown->mesh, error);
    thaw_free(body);
    thaw_free(ids);
    return status;
}

// Half-spaces end three times as far as the bodies are wide.
static void settle_extent(ViewWorld *shown) {
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int32_t p = 0; p < shown->mesh->point_count; p++) {
            low = fmin(low, shown->x[3 * (size_t)p + (size_t)k]);
            high = fmax(high, shown->x[3 * (size_t)p + (size_t)k]);
        }
        shown->middle[k] = (low + high) / 2;
        square += (high - low) * (high - low);
    }
    shown->extent = square > 0 ? 3 * sqrt(square) : 1;
}

ThawStatus view_world_create(const ThawWorld *world, int interior, const double middle[3], double extent,
                             ViewWorld *shown, ThawError *error) {
    *shown = (ViewWorld){.extent = extent, .topology = thaw_world_topology(world)};
    ThawStatus status = build_mesh(shown, world, interior, error);
    if (status != THAW_OK) {
        view_world_clear(shown);
        return status;
    }
    size_t scratch = 0, lines = thaw_lines_room(world, &scratch);
    if (lines > 0) {
        shown->lines = THAW_NEW(double, 6 * lines);
        shown->line_scratch = THAW_NEW(double, scratch);
        if (!shown->lines || !shown->line_scratch) {
            view_world_clear(shown);
            return thaw_error_memory(error, "what is shown");
        }
    }
    gather_positions(shown, world);
    thaw_stream_mesh_settle(shown->mesh, shown->x);
    if (extent > 0)
        memcpy(shown->middle, middle, sizeof shown->middle);
    else
        settle_extent(shown);
    return THAW_OK;
}

static char *complete(ViewWorld *shown, const ThawWorld *world, const ThawFrameData *around, const char **names,
                      const char **methods, const char **obstacle_names, unsigned char *fields, ViewHello *hello) {
    for (int32_t b = 0; b < shown->mesh->body_count; b++) {
        names[b] = thaw_world_body_name(world, b);
        methods[b] = thaw_world_get_method(world, b);
    }
    for (int32_t o = 0; o < thaw_world_obstacle_count(world); o++)
        obstacle_names[o] = thaw_world_obstacle_name(world, o);
    memset(fields, 1, (size_t)thaw_field_count());
    gather_positions(shown, world);
    hello->dim = thaw_world_dim(world);
    hello->mesh = shown->mesh;
    hello->x = shown->x;
    hello->body_names = names;
    hello->methods = methods;
    hello->obstacles = around;
    hello->obstacle_names = obstacle_names;
    hello->obstacles_move = shown->obstacles_move;
    hello->has_field = fields;
    return view_hello_text(hello);
}

char *view_world_hello(ViewWorld *shown, const ThawWorld *world, ViewHello *hello, ThawError *error) {
    const int32_t bodies = shown->mesh->body_count;
    ThawFrameData *around = NULL;
    const char **names = THAW_NEW(const char *, bodies), **methods = THAW_NEW(const char *, bodies),
               **obstacle_names = THAW_NEW(const char *, thaw_world_obstacle_count(world));
    unsigned char *fields = THAW_NEW(unsigned char, thaw_field_count());
    ThawStatus status =
        names && methods && obstacle_names && fields ? THAW_OK : thaw_error_memory(error, "what is shown");
    if (status == THAW_OK)
        status = thaw_obstacle_frame(world, shown->middle, shown->extent, &around, &shown->obstacles_move, error);
    char *text = NULL;
    if (status != THAW_OK) {
        view_hello_drop(hello);
    } else {
        text = complete(shown, world, around, names, methods, obstacle_names, fields, hello);
        if (!text)
            thaw_error_memory(error, "the header for the page");
    }
    thaw_frame_data_free(&around);
    thaw_free(names);
    thaw_free(methods);
    thaw_free(obstacle_names);
    thaw_free(fields);
    return text;
}

// --- frames ----------------------------------------------------------------------------------------------------------

int view_world_stats(const ViewWorld *shown, const ThawWorld *world, const ThawStepStats *last, char *text) {
    ThawLedger ledger = {0};
    if (last->step == 0) // nothing has been counted yet
        return snprintf(text, VIEW_STATS, "\"elements\": %" PRId32, shown->mesh->element_count);
    thaw_world_get_ledger(world, &ledger);
    return snprintf(
        text, VIEW_STATS,
        "\"dofs\": %" PRId64 ", \"elements\": %" PRId32 ", \"elastic_elements\": %" PRId64 ", \"rigid_parts\": %" PRId64
        ", \"contacts\": %" PRId64 ", \"cpu_ms\": %.4g, \"wall_ms\": %.4g, \"kinetic\": %.6g, \"elastic\": %.6g",
        last->dofs, shown->mesh->element_count, last->elastic_elements, last->rigid_parts, last->contacts, last->cpu_ms,
        last->wall_ms, isfinite(ledger.kinetic) ? ledger.kinetic : 0, isfinite(ledger.elastic) ? ledger.elastic : 0);
}

ThawStatus view_world_encode(ViewWorld *shown, const ThawWorld *world, int32_t field, int64_t frame, const char *stats,
                             ThawStream *stream, const unsigned char **bytes, size_t *size, ThawError *error) {
    thaw_stream_begin(stream);
    gather_positions(shown, world);
    thaw_stream_positions(stream, shown->x);
    for (int32_t f = 0; f < thaw_field_count(); f++)
        if (field == VIEW_ALL_FIELDS || f == field) {
            gather_field(shown, world, f);
            thaw_stream_field(stream, thaw_field(f), shown->values);
        }
    const int32_t contacts = gather_contacts(shown, world);
    thaw_stream_points(stream, "contacts", "contact", 6, contacts, shown->arrows);
    if (shown->lines)
        thaw_stream_points(stream, "attachments", "attachment", 3,
                           2 * thaw_lines_gather(world, shown->line_scratch, shown->lines), shown->lines);
    if (shown->obstacles_move) {
        ThawFrameData *around = NULL;
        int moves;
        ThawStatus status = thaw_obstacle_frame(world, shown->middle, shown->extent, &around, &moves, error);
        if (status != THAW_OK)
            return status;
        view_send_obstacles(stream, around);
        thaw_frame_data_free(&around);
    }
    return thaw_stream_end(stream, frame, thaw_world_step_count(world), thaw_world_time(world), stats, bytes, size,
                           error);
}
