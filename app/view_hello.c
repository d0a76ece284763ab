// SPDX-License-Identifier: Apache-2.0
// The header of a stream: everything about a scene that does not change from frame to frame. Indices go as base64 of
// 32-bit numbers: a third longer than the bytes, and several times shorter and faster to read than as JSON numbers.
#include "view_hello.h"

#include <math.h>
#include <string.h>

#include "colour.h"
#include "explain.h"
#include "json_text.h"
#include "scene/json.h"

char *view_base64(const void *data, size_t size) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *bytes = data;
    char *text = THAW_NEW(char, (size + 2) / 3 * 4 + 1), *to = text;
    for (size_t i = 0; text && i < size; i += 3, to += 4) {
        const size_t left = size - i;
        const uint32_t group = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? (uint32_t)bytes[i + 2] : 0);
        for (int k = 0; k < 4; k++)
            to[k] = left + 1 > (size_t)k ? letters[group >> (18 - 6 * k) & 63] : '=';
    }
    return text;
}

static json_t *encoded(const void *bytes, size_t size) {
    char *text = view_base64(bytes, size);
    json_t *json = text ? json_string_nocheck(text) : NULL;
    thaw_free(text);
    return json;
}

// Bytes of the character at `text`; 0: it is none (RFC 3629: no overlong forms, no surrogates, nothing above 10FFFF).
static size_t character(const unsigned char *text) {
    static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t size = *text < 0x80   ? 1
                        : *text < 0xC2 ? 0
                        : *text < 0xE0 ? 2
                        : *text < 0xF0 ? 3
                        : *text < 0xF5 ? 4
                                       : 0;
    uint32_t code = size < 2 ? *text : *text & (0x7Fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((text[i] & 0xC0) != 0x80) // the end of the text, too
            return 0;
        code = code << 6 | (text[i] & 0x3Fu);
    }
    return code < lowest[size] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000) ? 0 : size;
}

void view_copy_text(const char *text, char *copy, size_t room) {
    size_t used = 0;
    while (*text) {
        const size_t size = character((const unsigned char *)text), taken = size ? size : 1;
        if (used + taken >= room)
            break;
        if (size)
            memcpy(copy + used, text, size);
        else
            copy[used] = '?';
        used += taken;
        text += taken;
    }
    copy[used] = 0;
}

// Names come from scenes and files, and need not be UTF-8.
static json_t *words(const char *text) { return app_json_string(text ? text : ""); }

// An array that cannot take a value is none: so what is missing shows in the end.
static void append(json_t **array, json_t *value) {
    if (json_array_append_new(*array, value)) {
        json_decref(*array);
        *array = NULL;
    }
}

static json_t *numbers(const double *values, int64_t count) {
    json_t *array = json_array();
    for (int64_t i = 0; i < count; i++)
        append(&array, json_real(isfinite(values[i]) ? values[i] : 0));
    return array;
}

static double diameter_of(const ThawStreamMesh *mesh, const double *x, int32_t body) {
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int32_t p = mesh->first_point[body]; p < mesh->first_point[body + 1]; p++) {
            low = fmin(low, x[3 * (size_t)p + (size_t)k]);
            high = fmax(high, x[3 * (size_t)p + (size_t)k]);
        }
        square += high > low ? (high - low) * (high - low) : 0;
    }
    return sqrt(square);
}

static json_t *bodies_of(const ViewHello *hello) {
    const ThawStreamMesh *mesh = hello->mesh;
    json_t *array = json_array();
    for (int32_t b = 0; b < mesh->body_count; b++)
        append(&array,
               json_pack("{s:o, s:o, s:i, s:i, s:i, s:i, s:i, s:i, s:f}", "name", words(hello->body_names[b]), "method",
                         hello->methods && hello->methods[b] ? words(hello->methods[b]) : json_null(), "first_vertex",
                         mesh->first_vertex[b], "vertices", mesh->first_vertex[b + 1] - mesh->first_vertex[b],
                         "first_triangle", mesh->first_triangle[b], "triangles",
                         mesh->first_triangle[b + 1] - mesh->first_triangle[b], "first_element", mesh->first_element[b],
                         "elements", mesh->first_element[b + 1] - mesh->first_element[b], "diameter",
                         diameter_of(mesh, hello->x, b)));
    return array;
}

static const char *kind_of(double region) {
    static const char *const names[THAW_OBSTACLE_KIND_COUNT] = {[THAW_OBSTACLE_HALF_SPACE] = "half_space",
                                                                [THAW_OBSTACLE_SPHERE] = "sphere",
                                                                [THAW_OBSTACLE_BOX] = "box",
                                                                [THAW_OBSTACLE_CAPSULE] = "capsule",
                                                                [THAW_OBSTACLE_CYLINDER] = "cylinder",
                                                                [THAW_OBSTACLE_MESH] = "mesh"};
    return region >= 0 && region < THAW_OBSTACLE_KIND_COUNT ? names[(int)region] : "mesh";
}

// Points and triangles come obstacle by obstacle.
static json_t *obstacles_of(const ViewHello *hello) {
    const ThawFrameData *d = hello->obstacles;
    json_t *array = json_array();
    int32_t point = 0, cell = 0;
    for (int32_t o = 0; d && o < d->body_count; o++) {
        const int32_t first_point = point, first_cell = cell;
        while (point < d->point_count && d->body[point] == o)
            point++;
        while (cell < d->cell_count && d->cells[3 * (size_t)cell] < point)
            cell++;
        append(&array, json_pack("{s:o, s:s, s:b, s:i, s:i, s:i, s:i}", "name",
                                 words(hello->obstacle_names ? hello->obstacle_names[o] : ""), "kind",
                                 cell > first_cell ? kind_of(d->region[first_cell]) : "mesh", "moves",
                                 hello->obstacles_move, "first_vertex", first_point, "vertices", point - first_point,
                                 "first_triangle", first_cell, "triangles", cell - first_cell));
    }
    return array;
}

static json_t *fields_of(const ViewHello *hello) {
    json_t *array = json_array();
    for (int32_t f = 0; f < thaw_field_count(); f++) {
        const ThawField *field = thaw_field(f);
        if (!hello->has_field[f])
            continue;
        json_t *categories = field->category_count > 0 ? json_array() : json_null(), *colours = json_array();
        for (int i = 0; i < field->category_count; i++) {
            unsigned char c[3];
            colouring_category(field->categories[i], i, c);
            append(&categories, words(field->categories[i]));
            append(&colours, json_pack("[i, i, i]", c[0], c[1], c[2]));
        }
        append(&array,
               json_pack("{s:s, s:s, s:s, s:s, s:i, s:o, s:o, s:b}", "name", field->name, "label", field->label, "unit",
                         field->unit, "place", field->place == THAW_FIELD_VERTEX ? "vertex" : "element", "components",
                         field->components, "categories", field->category_count < 0 ? json_true() : categories,
                         "colours", colours, "logarithmic", field->logarithmic));
    }
    return array;
}

static json_t *mesh_of(const ViewHello *hello) {
    const ThawStreamMesh *mesh = hello->mesh;
    const ThawFrameData *d = hello->obstacles;
    const size_t word = sizeof(uint32_t);
    float *positions = NULL;
    if (d) {
        positions = THAW_NEW(float, 3 * (size_t)d->point_count);
        for (size_t i = 0; positions && i < 3 * (size_t)d->point_count; i++)
            positions[i] = (float)(d->x[i] - mesh->origin[i % 3]);
    }
    json_t *json =
        d && !positions
            ? NULL
            : json_pack("{s:o, s:o, s:o, s:o, s:o}", "triangles",
                        encoded(mesh->triangles, word * 3 * (size_t)mesh->triangle_count), "element_of_triangle",
                        encoded(mesh->element, word * (size_t)mesh->triangle_count), "tets",
                        mesh->interior ? encoded(mesh->elements, word * 4 * (size_t)mesh->element_count) : json_null(),
                        "obstacle_positions",
                        encoded(positions, positions ? sizeof(float) * 3 * (size_t)d->point_count : 0),
                        "obstacle_triangles", encoded(d ? d->cells : NULL, d ? word * 3 * (size_t)d->cell_count : 0));
    thaw_free(positions);
    return json;
}

// Half-spaces end somewhere, but where says nothing about the scene.
static void find_box(const ViewHello *hello, double box[6]) {
    for (int k = 0; k < 3; k++) {
        box[k] = INFINITY;
        box[3 + k] = -INFINITY;
        for (int32_t p = 0; p < hello->mesh->point_count; p++) {
            box[k] = fmin(box[k], hello->x[3 * (size_t)p + (size_t)k]);
            box[3 + k] = fmax(box[3 + k], hello->x[3 * (size_t)p + (size_t)k]);
        }
        const ThawFrameData *d = hello->obstacles;
        for (size_t i = 0; d && i < 3 * (size_t)d->cell_count; i++)
            if (d->region[i / 3] != THAW_OBSTACLE_HALF_SPACE) {
                box[k] = fmin(box[k], d->x[3 * (size_t)d->cells[i] + (size_t)k]);
                box[3 + k] = fmax(box[3 + k], d->x[3 * (size_t)d->cells[i] + (size_t)k]);
            }
    }
}

static json_t *or_null(json_t *json) { return json ? json : json_null(); }

char *view_hello_text(ViewHello *hello) {
    double box[6];
    if (hello->box)
        memcpy(box, hello->box, sizeof box);
    else
        find_box(hello, box);
    for (int k = 0; k < 6; k++)
        box[k] -= hello->mesh->origin[k % 3];
    json_t *views = json_array();
    for (int v = 0; v < hello->views; v++) {
        json_t *view = json_pack("{s:o}", "name", words(hello->view_names[v]));
        if (hello->series[v] && json_object_set_new(view, "series", hello->series[v])) {
            json_decref(view);
            view = NULL;
        }
        append(&views, view);
    }
    json_t *json =
        json_pack("{s:s, s:i, s:o, s:o, s:i, s:f, s:b, s:I, s:o, s:o, s:o, s:o, s:o, s:b}", "type", "hello", "version",
                  1, "scene", words(hello->scene), "title", words(hello->title), "dim", hello->dim, "h", hello->h,
                  "live", hello->live, "frames", (json_int_t)hello->frames, "times",
                  numbers(hello->times, hello->live ? 0 : hello->frames), "views", views, "bodies", bodies_of(hello),
                  "obstacles", obstacles_of(hello), "fields", fields_of(hello), "interior", hello->mesh->interior);
    json_t *rest =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "methods", or_null(hello->methods_known), "settings",
                  or_null(hello->settings), "shapes", hello->shapes ? hello->shapes : json_array(), "box",
                  json_pack("[o, o]", numbers(box, 3), numbers(box + 3, 3)), "origin", numbers(hello->mesh->origin, 3),
                  "mesh", mesh_of(hello), "report", or_null(hello->report));
    char *text = NULL;
    if (json && rest && json_object_update(json, rest) == 0)
        text = thaw_json_print(json, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(json);
    json_decref(rest);
    return text;
}

void view_send_obstacles(ThawStream *stream, const ThawFrameData *obstacles) {
    thaw_stream_points(stream, "obstacles", "obstacle", 3, obstacles->point_count, obstacles->x);
}

void view_hello_drop(ViewHello *hello) {
    json_decref(hello->settings);
    json_decref(hello->shapes);
    json_decref(hello->methods_known);
    json_decref(hello->report);
    for (int v = 0; v < VIEW_VIEWS; v++)
        json_decref(hello->series[v]);
}

json_t *view_element_json(const ThawElementReport *report, const char *body_name, int view, int32_t element) {
    json_t *json = app_report_json(report, body_name);
    json_t *place = json_pack("{s:s, s:i, s:i, s:i, s:i}", "type", "element", "view", view, "element", element, "body",
                              report->body, "body_element", report->element);
    if (json && place)
        json_object_update(json, place);
    json_decref(place);
    return json;
}
