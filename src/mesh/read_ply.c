// SPDX-License-Identifier: Apache-2.0
// Polygon files (.ply): a heading in text that describes elements and their properties, then the elements, as text or
// bytes of either order. Of vertices x, y and z are taken, of faces the list vertex_indices (or vertex_index); the rest
// is read and forgotten. Linear.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "mesh/soup.h"

enum { MOST_ELEMENTS = 32, MOST_PROPERTIES = 256 };

typedef enum Meaning { NOTHING, X, Y, Z, CORNERS } Meaning;

typedef struct Type {
    char kind; // 0: not known
    int size;
} Type;

typedef struct Property {
    Type type, count_type; // count_type.kind 0: not a list
    Meaning meaning;
} Property;

typedef struct Element {
    enum { OTHER, VERTEX, FACE } kind;
    int64_t count;
    int first, end; // its properties
} Element;

typedef struct Ply {
    ThawText *text;
    ThawSoup *soup;
    int binary;
    int element_count, property_count;
    Element elements[MOST_ELEMENTS];
    Property properties[MOST_PROPERTIES];
} Ply;

const char *thaw_head_ply(const char *head, size_t size, int64_t file_size) {
    (void)file_size;
    return size >= 4 && memcmp(head, "ply", 3) == 0 && (head[3] == '\n' || head[3] == '\r')
               ? NULL
               : "the file does not begin with a line \"ply\"";
}

// --- the heading -----------------------------------------------------------------------------------------------------

static Type read_type(ThawText *text) {
    static const struct {
        const char *name;
        Type type;
    } types[] = {{"float", {'f', 4}}, {"float32", {'f', 4}}, {"double", {'f', 8}}, {"float64", {'f', 8}},
                 {"int", {'i', 4}},   {"int32", {'i', 4}},   {"uint", {'u', 4}},   {"uint32", {'u', 4}},
                 {"short", {'i', 2}}, {"int16", {'i', 2}},   {"ushort", {'u', 2}}, {"uint16", {'u', 2}},
                 {"char", {'i', 1}},  {"int8", {'i', 1}},    {"uchar", {'u', 1}},  {"uint8", {'u', 1}}};
    const ThawToken word = thaw_text_token(text, "the type of a property");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (thaw_token_is(word, types[i].name))
            return types[i].type;
    thaw_text_fail(text,
                   "the type of a property is %.*s; allowed are char, uchar, short, ushort, int, uint, float, double",
                   (int)(word.length < 40 ? word.length : 40), word.start);
    return (Type){0, 0};
}

static void read_format(Ply *p) {
    ThawText *text = p->text;
    const ThawToken word = thaw_text_token(text, "the format");
    p->binary = !thaw_token_is(word, "ascii");
    text->swapped = thaw_token_is(word, "binary_big_endian");
    if (p->binary && !text->swapped && !thaw_token_is(word, "binary_little_endian"))
        thaw_text_fail(text, "the format is %.*s; allowed are ascii, binary_little_endian and binary_big_endian",
                       (int)(word.length < 40 ? word.length : 40), word.start);
    thaw_text_token(text, "the version");
}

static void read_element(Ply *p) {
    ThawText *text = p->text;
    const ThawToken word = thaw_text_token(text, "the name of an element");
    if (p->element_count == MOST_ELEMENTS) {
        thaw_text_fail(text, "more than %d kinds of elements", MOST_ELEMENTS);
        return;
    }
    p->elements[p->element_count++] =
        (Element){.kind = thaw_token_is(word, "vertex") ? VERTEX
                          : thaw_token_is(word, "face") ? FACE
                                                        : OTHER,
                  .count = thaw_text_integer(text, "the number of elements", 0, INT32_MAX),
                  .first = p->property_count,
                  .end = p->property_count};
}

static void read_property(Ply *p) {
    ThawText *text = p->text;
    const char *at = text->at;
    Property property = {0};
    if (p->element_count == 0 || p->property_count == MOST_PROPERTIES) {
        thaw_text_fail(text, "a property without an element, or more than %d of them", MOST_PROPERTIES);
        return;
    }
    if (thaw_token_is(thaw_text_token(text, "the type of a property"), "list"))
        property.count_type = read_type(text);
    else
        text->at = at;
    property.type = read_type(text);
    const ThawToken name = thaw_text_token(text, "the name of a property");
    Element *element = p->elements + p->element_count - 1;
    const int list = property.count_type.kind != 0;
    if (element->kind == VERTEX && !list && name.length == 1 && name.start[0] >= 'x' && name.start[0] <= 'z')
        property.meaning = X + (Meaning)(name.start[0] - 'x');
    if (element->kind == FACE && list && (thaw_token_is(name, "vertex_indices") || thaw_token_is(name, "vertex_index")))
        property.meaning = CORNERS;
    if (property.count_type.kind == 'f' && !text->status)
        thaw_text_fail(text, "a list is counted in floating-point numbers; allowed are whole ones");
    p->properties[p->property_count++] = property;
    element->end = p->property_count;
}

static void read_heading(Ply *p) {
    ThawText *text = p->text;
    thaw_text_token(text, "ply");
    for (int done = 0; !done && !text->status;) {
        thaw_text_record(text);
        const ThawToken word = thaw_text_token(text, "end_header");
        if (thaw_token_is(word, "format"))
            read_format(p);
        else if (thaw_token_is(word, "element"))
            read_element(p);
        else if (thaw_token_is(word, "property"))
            read_property(p);
        else if (thaw_token_is(word, "comment") || thaw_token_is(word, "obj_info"))
            while (!thaw_text_done(text))
                thaw_text_token(text, "a comment");
        else if (thaw_token_is(word, "end_header"))
            done = 1;
        else
            thaw_text_fail(text,
                           "the heading has a line with %.*s; allowed are format, element, property, comment, "
                           "obj_info and end_header",
                           (int)(word.length < 40 ? word.length : 40), word.start);
        thaw_text_record_end(text);
    }
    if (!text->status)
        thaw_text_end_line(text);
}

// --- the elements ----------------------------------------------------------------------------------------------------

static double read_value(Ply *p, Type type, const char *what) {
    if (!p->binary)
        return thaw_text_number(p->text, what);
    const char *raw = thaw_text_raw(p->text, (uint64_t)type.size, what);
    return raw ? thaw_raw_number(raw, type.kind, type.size, p->text->swapped) : 0;
}

static void read_list(Ply *p, const Property *property) {
    ThawText *text = p->text;
    int32_t kept[2] = {0};
    const double count = read_value(p, property->count_type, "the length of a list");
    if (!text->status && !(count >= 0 && count == floor(count) && count <= (double)(text->end - text->at)))
        thaw_text_fail(text, "the length of a list is %g; the rest of the file is too short for that", count);
    for (int32_t i = 0; !text->status && i < (int32_t)count; i++) {
        const double value = read_value(p, property->type, "an item of a list");
        if (property->meaning != CORNERS || text->status)
            continue;
        if (!(value >= 0 && value < p->soup->point_count && value == floor(value)))
            thaw_text_fail(text, "a corner of face %d is %g; allowed are ids from 0 to %d", p->soup->face_count, value,
                           p->soup->point_count - 1);
        else
            thaw_soup_corner(p->soup, i, (int32_t)value, kept);
    }
    if (property->meaning == CORNERS && !text->status)
        thaw_soup_polygon_end(p->soup, (int32_t)count);
}

static void read_item(Ply *p, const Element *element) {
    double x[3] = {0};
    for (int i = element->first; i < element->end && !p->text->status; i++) {
        const Property *property = p->properties + i;
        if (property->count_type.kind) {
            read_list(p, property);
            continue;
        }
        const double value = read_value(p, property->type, "a property");
        if (property->meaning >= X && property->meaning <= Z) {
            x[property->meaning - X] = value;
            if (!isfinite(value))
                thaw_text_fail(p->text, "vertex %d has the coordinate %g; allowed are finite numbers",
                               p->soup->point_count, value);
        }
    }
    if (element->kind == VERTEX)
        thaw_soup_point(p->soup, x);
}

void thaw_read_ply(ThawText *text, ThawSoup *soup) {
    Ply p = {.text = text, .soup = soup};
    read_heading(&p);
    for (int e = 0; e < p.element_count && !text->status; e++) {
        const Element *element = p.elements + e;
        // Every item takes a byte at least, so a count beyond the file is found before the loop gets there.
        if (element->count > (element->first == element->end ? 0 : text->end - text->at))
            thaw_text_fail(text,
                           "element %d has the count %" PRId64
                           "; the rest of the file is too short for that many: it seems to be cut short",
                           e, element->count);
        for (int64_t i = 0; i < element->count && !text->status; i++)
            read_item(&p, element);
    }
}
