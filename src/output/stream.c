// SPDX-License-Identifier: Apache-2.0
// Frames for the web page: the surface's positions and a field or two in as few bytes as a picture needs.
//
// A number becomes 16 bits between the least and the greatest of its kind, fields on a logarithmic scale the logarithm;
// in files logarithms and vectors become 8 bits (as many colours as one can tell apart), but numbers 16, for a scale of
// colours ends far below the greatest of them; categories and ids stay whole numbers. A body that is
// small against the range would be seen to jitter on that lattice, so its positions are sent as 32-bit floats.
//
// In files a section holds the differences to the frame before (nearly all zero for what rests), sorted into planes of
// low and high bytes, which deflate then packs. That needs the same range in both; a value outside it widens the range
// to twice what is needed, and that frame stands by itself. Cost: a pass over what is sent, and no allocation once the
// buffers have grown.
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mesh/far.h"
#include "output/frame_data.h"
#include "output/stream.h"

enum { SECTIONS = 64, COMPONENTS = 6, MAGIC = 0x46574854, LONGEST_NAME = 64 };
static const double DECADES = 9; // of a logarithmic scale

// --- the mesh --------------------------------------------------------------------------------------------------------

void thaw_stream_mesh_free(ThawStreamMesh **pointer) {
    ThawStreamMesh *mesh = pointer ? *pointer : NULL;
    if (!mesh)
        return;
    int32_t *arrays[] = {mesh->points,      mesh->triangles,     mesh->element,      mesh->elements,
                         mesh->first_point, mesh->first_element, mesh->first_vertex, mesh->first_triangle};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        thaw_free(arrays[i]);
    thaw_free(mesh);
    *pointer = NULL;
}

// first[b] .. first[b + 1] - 1 are those of body b, where items come in the order of their bodies.
static void count_off(int32_t *first, int32_t body_count, const int32_t *body, const int32_t *point_of, int stride,
                      int32_t count) {
    for (int32_t i = 0; i < count; i++)
        first[body[point_of ? point_of[(size_t)i * (size_t)stride] : i] + 1]++;
    for (int32_t b = 0; b < body_count; b++)
        first[b + 1] += first[b];
}

static ThawStatus number_vertices(ThawStreamMesh *mesh, ThawError *error) {
    int32_t *vertex = THAW_NEW(int32_t, mesh->point_count); // 1 + its number, 0: not sent
    mesh->points = THAW_NEW(int32_t, mesh->point_count);
    if (!vertex || !mesh->points) {
        thaw_free(vertex);
        return thaw_error_memory(error, "the mesh that is shown");
    }
    const size_t corners = 3 * (size_t)mesh->triangle_count;
    for (size_t i = 0; i < corners; i++)
        vertex[mesh->triangles[i]] = 1;
    for (int32_t p = 0; p < mesh->point_count; p++)
        if (mesh->interior || vertex[p]) {
            mesh->points[mesh->vertex_count] = p;
            vertex[p] = ++mesh->vertex_count;
        }
    for (size_t i = 0; i < corners; i++)
        mesh->triangles[i] = vertex[mesh->triangles[i]] - 1;
    thaw_free(vertex);
    return THAW_OK;
}

// Sheets are seen from both sides: behind each triangle of theirs comes the same one turned round.
static ThawStatus show_both_sides(const ThawStreamMesh *mesh, const int32_t *elements, ThawSkin *skin,
                                  ThawError *error) {
    size_t count = (size_t)skin->triangle_count;
    for (int32_t t = 0; t < skin->triangle_count; t++)
        count += (size_t)thaw_cell_is_sheet(mesh->nodes, elements + (size_t)mesh->nodes * (size_t)skin->element[t]);
    if (count == (size_t)skin->triangle_count)
        return THAW_OK;
    ThawSkin both = {.triangles = THAW_NEW(int32_t, 3 * count), .element = THAW_NEW(int32_t, count)};
    if (!both.triangles || !both.element) {
        thaw_skin_clear(&both);
        return thaw_error_memory(error, "the mesh that is shown");
    }
    for (int32_t t = 0; t < skin->triangle_count; t++) {
        const int32_t e = skin->element[t], *v = skin->triangles + 3 * (size_t)t;
        const int sides = 1 + thaw_cell_is_sheet(mesh->nodes, elements + (size_t)mesh->nodes * (size_t)e);
        for (int side = 0; side < sides; side++) {
            memcpy(both.triangles + 3 * (size_t)both.triangle_count, (int32_t[]){v[0], v[1 + side], v[2 - side]},
                   3 * sizeof *v);
            both.element[both.triangle_count++] = e;
        }
    }
    thaw_skin_clear(skin);
    *skin = both;
    return THAW_OK;
}

static int has_solids(int nodes, const int32_t *elements, int32_t element_count) {
    for (int32_t e = 0; e < element_count && nodes == 4; e++)
        if (!thaw_cell_is_sheet(nodes, elements + 4 * (size_t)e))
            return 1;
    return 0;
}

static ThawStatus build_mesh(ThawStreamMesh *mesh, const int32_t *body, const int32_t *elements, ThawError *error) {
    ThawSkin skin;
    ThawStatus status = thaw_skin_build(mesh->point_count, mesh->nodes, elements, mesh->element_count, &skin, error);
    if (status == THAW_OK)
        status = show_both_sides(mesh, elements, &skin, error);
    if (status != THAW_OK) {
        thaw_skin_clear(&skin);
        return status;
    }
    mesh->triangles = skin.triangles;
    mesh->element = skin.element;
    mesh->triangle_count = skin.triangle_count;
    const size_t bodies = (size_t)mesh->body_count + 1, corners = (size_t)mesh->nodes * (size_t)mesh->element_count;
    mesh->elements = THAW_NEW(int32_t, corners);
    mesh->first_point = THAW_NEW(int32_t, bodies);
    mesh->first_element = THAW_NEW(int32_t, bodies);
    mesh->first_vertex = THAW_NEW(int32_t, bodies);
    mesh->first_triangle = THAW_NEW(int32_t, bodies);
    if (!mesh->elements || !mesh->first_point || !mesh->first_element || !mesh->first_vertex || !mesh->first_triangle)
        return thaw_error_memory(error, "the mesh that is shown");
    memcpy(mesh->elements, elements, sizeof *elements * corners);
    count_off(mesh->first_triangle, mesh->body_count, body, mesh->triangles, 3, mesh->triangle_count);
    status = number_vertices(mesh, error);
    if (status != THAW_OK)
        return status;
    count_off(mesh->first_point, mesh->body_count, body, NULL, 1, mesh->point_count);
    count_off(mesh->first_element, mesh->body_count, body, elements, mesh->nodes, mesh->element_count);
    count_off(mesh->first_vertex, mesh->body_count, body, mesh->points, 1, mesh->vertex_count);
    return THAW_OK;
}

ThawStatus thaw_stream_mesh_create(int nodes, int32_t body_count, const int32_t *body, int32_t point_count,
                                   const int32_t *elements, int32_t element_count, int interior, ThawStreamMesh **mesh,
                                   ThawError *error) {
    *mesh = THAW_NEW(ThawStreamMesh, 1);
    if (!*mesh)
        return thaw_error_memory(error, "the mesh that is shown");
    **mesh = (ThawStreamMesh){.nodes = nodes,
                              .interior = interior && has_solids(nodes, elements, element_count),
                              .body_count = body_count,
                              .point_count = point_count,
                              .element_count = element_count};
    ThawStatus status = build_mesh(*mesh, body, elements, error);
    if (status != THAW_OK)
        thaw_stream_mesh_free(mesh);
    return status;
}

void thaw_stream_mesh_settle(ThawStreamMesh *mesh, const double *x) {
    const ThawReach reach = thaw_reach(x, mesh->point_count, mesh->elements, mesh->nodes, mesh->element_count);
    thaw_reach_origin(&reach, mesh->origin);
}

// --- the frame being made --------------------------------------------------------------------------------------------

typedef struct Buffer {
    unsigned char *bytes;
    size_t size, room;
} Buffer;

typedef enum NumberType { TYPE_U8, TYPE_U16, TYPE_F32 } NumberType;
static const char *const type_names[] = {"u8", "u16", "f32"};
static const size_t type_sizes[] = {1, 2, 4};

// What a file's next frame needs of a section of this one.
typedef struct Memory {
    char name[LONGEST_NAME];
    NumberType type;
    int known; // `last` holds the frame before
    size_t count;
    double low[COMPONENTS], high[COMPONENTS];
    uint16_t *last; // count numbers
} Memory;

// A section before it is written.
typedef struct Section {
    const char *name, *place;
    const double *values; // components an item
    const int32_t *items; // which of the values' items are sent, NULL: all in order
    const double *origin; // of the first three components; NULL: they are no point
    int32_t count;
    int components, whole, logarithmic;
    NumberType type;
    double low[COMPONENTS], high[COMPONENTS];
} Section;

struct ThawStream {
    const ThawStreamMesh *mesh;
    ThawStreamKind kind;
    int view;
    Buffer text, payload, frame; // JSON of the sections; the sections; everything
    Memory memory[SECTIONS];
    int memory_count;
    ThawStatus status;
};

ThawStatus thaw_stream_create(const ThawStreamMesh *mesh, ThawStreamKind kind, int view, ThawStream **stream,
                              ThawError *error) {
    *stream = THAW_NEW(ThawStream, 1);
    if (!*stream)
        return thaw_error_memory(error, "a stream of frames");
    **stream = (ThawStream){.mesh = mesh, .kind = kind, .view = view};
    return THAW_OK;
}

void thaw_stream_free(ThawStream **stream) {
    if (!stream || !*stream)
        return;
    for (int i = 0; i < (*stream)->memory_count; i++)
        thaw_free((*stream)->memory[i].last);
    thaw_free((*stream)->text.bytes);
    thaw_free((*stream)->payload.bytes);
    thaw_free((*stream)->frame.bytes);
    thaw_free(*stream);
    *stream = NULL;
}

// Room for `more` bytes at the end, which count as used; NULL (and the stream has failed) without.
static unsigned char *extend(ThawStream *stream, Buffer *buffer, size_t more) {
    if (stream->status != THAW_OK)
        return NULL;
    if (buffer->size + more > buffer->room) {
        const size_t room = buffer->size + more + buffer->room / 2 + 256;
        unsigned char *grown = thaw_regrow(buffer->bytes, buffer->size, room, 1);
        if (!grown) {
            stream->status = THAW_ERROR_MEMORY;
            return NULL;
        }
        buffer->bytes = grown;
        buffer->room = room;
    }
    buffer->size += more;
    return buffer->bytes + buffer->size - more;
}

__attribute__((format(printf, 2, 3))) static void say(ThawStream *stream, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= (int)sizeof text) {
        stream->status = THAW_ERROR_INPUT;
        return;
    }
    unsigned char *to = extend(stream, &stream->text, (size_t)length);
    if (to)
        memcpy(to, text, (size_t)length);
}

static void say_numbers(ThawStream *stream, const char *name, const double *numbers, int count) {
    say(stream, ", \"%s\": [", name);
    for (int i = 0; i < count; i++)
        say(stream, "%s%.9g", i ? ", " : "", numbers[i]);
    say(stream, "]");
}

// --- ranges ----------------------------------------------------------------------------------------------------------

static double value_of(const Section *s, int32_t item, int component) {
    const size_t i = (size_t)(s->items ? s->items[item] : item);
    double value = s->values[i * (size_t)s->components + (size_t)component];
    if (s->origin && component < 3)
        value -= s->origin[component];
    if (!s->logarithmic)
        return isfinite(value) ? value : 0;
    return value > 0 && isfinite(value) ? log10(value) : -INFINITY;
}

static void find_range(Section *s) {
    for (int k = 0; k < s->components; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int32_t i = 0; i < s->count; i++) {
            const double value = value_of(s, i, k);
            low = value < low && value > -INFINITY ? value : low;
            high = value > high ? value : high;
        }
        if (!(low <= high))
            low = high = 0;
        s->low[k] = s->logarithmic ? fmax(low, high - DECADES) : low;
        s->high[k] = high;
    }
}

// The memory of a section in a file; NULL where the section must stand by itself (and none can be kept).
static Memory *remember(ThawStream *stream, const Section *s) {
    const size_t count = (size_t)s->count * (size_t)s->components;
    Memory *memory = NULL;
    for (int i = 0; i < stream->memory_count && !memory; i++)
        if (strcmp(stream->memory[i].name, s->name) == 0)
            memory = &stream->memory[i];
    if (memory && memory->count == count && memory->type == s->type)
        return memory;
    if (!memory && (stream->memory_count == SECTIONS || strlen(s->name) >= LONGEST_NAME))
        return NULL;
    uint16_t *last = THAW_NEW(uint16_t, count);
    if (!last) {
        stream->status = THAW_ERROR_MEMORY;
        return NULL;
    }
    if (!memory)
        memory = &stream->memory[stream->memory_count++];
    thaw_free(memory->last);
    *memory = (Memory){.type = s->type, .count = count, .last = last};
    memcpy(memory->name, s->name, strlen(s->name) + 1);
    return memory;
}

// Takes over the range of the frame before, or widens it, and then the frame stands by itself.
static void settle_range(Memory *memory, Section *s) {
    int fits = memory->known;
    for (int k = 0; k < s->components; k++)
        fits &= s->low[k] >= memory->low[k] && s->high[k] <= memory->high[k];
    for (int k = 0; k < s->components && !fits; k++) {
        const double low = memory->known ? fmin(s->low[k], memory->low[k]) : s->low[k];
        const double high = memory->known ? fmax(s->high[k], memory->high[k]) : s->high[k];
        const double slack = memory->known ? (high - low) / 2 : 0;
        memory->low[k] = memory->known && s->low[k] < memory->low[k] ? low - slack : low;
        memory->high[k] = memory->known && s->high[k] > memory->high[k] ? high + slack : high;
    }
    memory->known = fits;
    memcpy(s->low, memory->low, sizeof s->low);
    memcpy(s->high, memory->high, sizeof s->high);
}

// --- sections --------------------------------------------------------------------------------------------------------

static uint16_t quantise(const Section *s, int32_t item, int component) {
    const double most = s->type == TYPE_U8 ? 255 : 65535;
    const double value = value_of(s, item, component);
    if (s->whole) // the highest stands for "none", and for ids that do not fit
        return (uint16_t)(value >= 0 && value < most ? value : most);
    const double width = s->high[component] - s->low[component];
    const double q = width > 0 ? (value - s->low[component]) / width * most : 0;
    if (s->logarithmic && value > -INFINITY) // 0 stands for zero
        return (uint16_t)fmin(fmax(q, 1), most);
    return (uint16_t)fmin(fmax(q + 0.5, 0), most);
}

static void write_plain(const Section *s, unsigned char *to) {
    for (int32_t i = 0; i < s->count; i++)
        for (int k = 0; k < s->components; k++, to += type_sizes[s->type]) {
            if (s->type == TYPE_F32) {
                const float value = (float)value_of(s, i, k);
                memcpy(to, &value, sizeof value);
                continue;
            }
            const uint16_t q = quantise(s, i, k);
            to[0] = (unsigned char)q;
            if (s->type == TYPE_U16)
                to[1] = (unsigned char)(q >> 8);
        }
}

// Byte planes of the differences, component by component.
static void write_difference(const Section *s, Memory *memory, unsigned char *to) {
    const int wide = s->type == TYPE_U16;
    for (int k = 0; k < s->components; k++)
        for (int32_t i = 0; i < s->count; i++) {
            uint16_t *last = &memory->last[(size_t)k * (size_t)s->count + (size_t)i];
            const uint16_t q = quantise(s, i, k), d = (uint16_t)(q - *last);
            unsigned char *plane = to + (size_t)k * (size_t)s->count * type_sizes[s->type] + (size_t)i;
            plane[0] = (unsigned char)d;
            if (wide)
                plane[s->count] = (unsigned char)(d >> 8);
            *last = q;
        }
}

static void write_section(ThawStream *stream, Section *s) {
    Memory *memory = stream->kind == THAW_STREAM_FILE && s->type != TYPE_F32 ? remember(stream, s) : NULL;
    if (s->type != TYPE_F32 && !s->whole)
        find_range(s);
    if (memory && !s->whole)
        settle_range(memory, s);
    // A frame that stands by itself is a difference to zeros: the same bytes, the same reader.
    if (memory && !memory->known)
        memset(memory->last, 0, sizeof *memory->last * memory->count);
    const size_t offset = stream->payload.size;
    const size_t bytes = type_sizes[s->type] * (size_t)s->components * (size_t)s->count;
    unsigned char *to = extend(stream, &stream->payload, (bytes + 3) / 4 * 4);
    if (!to)
        return;
    if (memory)
        write_difference(s, memory, to);
    else
        write_plain(s, to);
    memset(to + bytes, 0, (bytes + 3) / 4 * 4 - bytes);
    say(stream,
        "%s{\"name\": \"%s\", \"place\": \"%s\", \"type\": \"%s\", \"components\": %d, \"count\": %" PRId32
        ", \"offset\": %zu",
        stream->text.size ? ", " : "", s->name, s->place, type_names[s->type], s->components, s->count, offset);
    if (s->type != TYPE_F32 && !s->whole) {
        say_numbers(stream, "low", s->low, s->components);
        say_numbers(stream, "high", s->high, s->components);
        say(stream, ", \"log\": %s", s->logarithmic ? "true" : "false");
    }
    say(stream, ", \"planes\": %s, \"delta\": %s}", memory ? "true" : "false",
        memory && memory->known ? "true" : "false");
    if (memory)
        memory->known = 1;
}

void thaw_stream_begin(ThawStream *stream) {
    stream->status = THAW_OK;
    stream->text.size = stream->payload.size = stream->frame.size = 0;
}

// The least diameter of a body's box.
static double smallest_body(const ThawStreamMesh *mesh, const double *x) {
    double smallest = INFINITY;
    for (int32_t b = 0; b < mesh->body_count; b++) {
        double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, square = 0;
        for (int32_t i = mesh->first_vertex[b]; i < mesh->first_vertex[b + 1]; i++)
            for (int k = 0; k < 3; k++) {
                const double value = x[3 * (size_t)mesh->points[i] + (size_t)k];
                low[k] = fmin(low[k], value);
                high[k] = fmax(high[k], value);
            }
        for (int k = 0; k < 3; k++)
            square += (high[k] - low[k]) * (high[k] - low[k]);
        if (square < INFINITY)
            smallest = fmin(smallest, sqrt(square));
    }
    return smallest;
}

void thaw_stream_positions(ThawStream *stream, const double *x) {
    enum { FINEST = 4000 }; // lattice steps across the smallest body below which one would see them
    const ThawStreamMesh *mesh = stream->mesh;
    Section s = {.name = "positions",
                 .place = "vertex",
                 .values = x,
                 .items = mesh->points,
                 .origin = mesh->origin,
                 .count = mesh->vertex_count,
                 .components = 3,
                 .type = TYPE_U16};
    find_range(&s);
    double step = 0;
    for (int k = 0; k < 3; k++)
        step = fmax(step, (s.high[k] - s.low[k]) / 65535);
    if (step * FINEST > smallest_body(mesh, x))
        s.type = TYPE_F32;
    write_section(stream, &s);
}

void thaw_stream_field(ThawStream *stream, const ThawField *field, const double *values) {
    const ThawStreamMesh *mesh = stream->mesh;
    const int on_elements = field->place == THAW_FIELD_ELEMENT;
    const int by_triangle = on_elements && !mesh->interior;
    const int logarithmic = field->logarithmic && field->components == 1 && field->category_count == 0;
    const int coarse = stream->kind == THAW_STREAM_FILE && (logarithmic || field->components > 1);
    Section s = {.name = field->name,
                 .place = by_triangle   ? "triangle"
                          : on_elements ? "element"
                                        : "vertex",
                 .values = values,
                 .items = by_triangle   ? mesh->element
                          : on_elements ? NULL
                                        : mesh->points,
                 .count = by_triangle   ? mesh->triangle_count
                          : on_elements ? mesh->element_count
                                        : mesh->vertex_count,
                 .components = field->components,
                 .whole = field->category_count != 0,
                 .logarithmic = logarithmic,
                 .type = field->category_count > 0 || (field->category_count == 0 && coarse) ? TYPE_U8 : TYPE_U16};
    write_section(stream, &s);
}

void thaw_stream_points(ThawStream *stream, const char *name, const char *place, int components, int32_t count,
                        const double *values) {
    Section s = {.name = name,
                 .place = place,
                 .values = values,
                 .count = count,
                 .components = components,
                 .origin = stream->mesh->origin,
                 .type = TYPE_F32};
    write_section(stream, &s);
}

ThawStatus thaw_stream_end(ThawStream *stream, int64_t frame, int64_t step, double time, const char *stats,
                           const unsigned char **bytes, size_t *size, ThawError *error) {
    enum { HEAD = 300 };
    const size_t room = HEAD + strlen(stats) + stream->text.size + 4; // 4: padding
    const uint32_t magic = MAGIC;
    unsigned char *to = extend(stream, &stream->frame, 8 + room + stream->payload.size);
    if (!to)
        return thaw_error_set(error, stream->status, "%s",
                              stream->status == THAW_ERROR_MEMORY ? "out of memory (for a frame to be shown)"
                                                                  : "a frame's header is too long");
    char *json = (char *)to + 8;
    int used =
        snprintf(json, room,
                 "{\"frame\": %" PRId64 ", \"view\": %d, \"step\": %" PRId64
                 ", \"time\": %.9g, \"compressed\": false, \"bytes\": %zu, \"stats\": {%s}, \"sections\": [%.*s]}",
                 frame, stream->view, step, time, stream->payload.size, stats, (int)stream->text.size,
                 (const char *)(stream->text.bytes ? stream->text.bytes : to));
    while (used % 4)
        json[used++] = ' ';
    const uint32_t length = (uint32_t)used;
    memcpy(to, &magic, 4);
    memcpy(to + 4, &length, 4);
    if (stream->payload.size)
        memcpy(json + used, stream->payload.bytes, stream->payload.size);
    *bytes = to;
    *size = 8 + (size_t)used + stream->payload.size;
    return THAW_OK;
}
