// SPDX-License-Identifier: Apache-2.0
// Wavefront .obj: a keyword a line. v gives a point, f a polygon by ids from 1, or from -1 backwards, each perhaps with
// ids of texture points (vt) and normals behind slashes (a/b/c, a//c); normals and other keywords are passed over. o, g
// (several names) and usemtl name the faces that follow. A backslash at the end of a line joins the next to it. Linear.
#include <inttypes.h>
#include <string.h>

#include "mesh/soup.h"

enum { MOST_NAMES = 16 };

// Names in force and the first triangle they hold for.
typedef struct Names {
    int count;
    ThawToken name[MOST_NAMES];
    int32_t first;
} Names;

const char *thaw_head_obj(const char *head, size_t size, int64_t file_size) {
    static const char *const keywords[] = {"v",          "vt",        "vn",     "vp",     "f",      "o",     "g",
                                           "s",          "mtllib",    "usemtl", "l",      "p",      "mg",    "bevel",
                                           "shadow_obj", "trace_obj", "lod",    "cstype", "maplib", "usemap"};
    const ThawToken word = thaw_head_word(head, size, '#');
    int known = word.length == 0;
    (void)file_size;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        known |= thaw_token_is(word, keywords[i]);
    return known && thaw_head_is_text(head, size)
               ? NULL
               : "the file does not begin with a keyword (v, o, g, ...), as OBJ files do";
}

static void end_names(ThawSoup *soup, Names *names) {
    for (int i = 0; i < names->count; i++)
        thaw_soup_span(soup, names->name[i], names->first, soup->triangle_count);
    names->count = 0;
    names->first = soup->triangle_count;
}

// The rest of the line, without blanks at its ends.
static ThawToken rest_of_line(ThawText *text) {
    ThawToken whole = {"", 0};
    while (!thaw_text_done(text)) {
        const ThawToken word = thaw_text_token(text, "a name");
        whole.start = whole.length ? whole.start : word.start;
        whole.length = (size_t)(word.start + word.length - whole.start);
    }
    return whole;
}

// The id of a texture point behind the slash at i, -1: there is none.
static int32_t read_textured(const ThawSoup *soup, ThawToken word, size_t i) {
    int64_t id = 0;
    const int negative = i + 1 < word.length && word.start[i + 1] == '-';
    for (i += 1 + (size_t)negative; i < word.length && word.start[i] >= '0' && word.start[i] <= '9' && id <= INT32_MAX;
         i++)
        id = 10 * id + (word.start[i] - '0');
    const int64_t point = negative ? soup->texture_count - id : id - 1;
    return id > 0 && point >= 0 && point < soup->texture_count ? (int32_t)point : -1;
}

// An id with its slashes; *corner is the point's, *textured that of its texture.
static void read_corner(ThawSoup *soup, int32_t *corner, int32_t *textured) {
    ThawText *text = soup->text;
    const ThawToken word = thaw_text_token(text, "a corner of a face");
    const int negative = word.length && word.start[0] == '-';
    int64_t id = 0;
    size_t i = (size_t)negative;
    while (i < word.length && word.start[i] >= '0' && word.start[i] <= '9' && id <= INT32_MAX)
        id = 10 * id + (word.start[i++] - '0');
    const int ended = i == word.length || word.start[i] == '/';
    const int64_t point = negative ? soup->point_count - id : id - 1;
    if (!text->status && (i == (size_t)negative || !ended || id == 0 || point < 0 || point >= soup->point_count))
        thaw_text_fail(text,
                       "a corner of face %d is %.*s; allowed are ids from 1 to %d, the points so far, or from -1 back",
                       soup->face_count, (int)(word.length < 40 ? word.length : 40), word.start, soup->point_count);
    *corner = text->status ? 0 : (int32_t)point;
    *textured = !text->status && i < word.length ? read_textured(soup, word, i) : -1;
}

static void read_face(ThawSoup *soup) {
    int32_t corners = 0, kept[2] = {0}, textured[3] = {-1, -1, -1};
    while (!thaw_text_done(soup->text)) {
        int32_t corner;
        read_corner(soup, &corner, &textured[corners < 2 ? corners : 2]);
        thaw_soup_corner(soup, corners, corner, kept);
        if (corners >= 2) {
            thaw_soup_textured(soup, textured);
            textured[1] = textured[2];
        }
        corners++;
    }
    thaw_soup_polygon_end(soup, corners);
}

// Line ends behind a backslash become blanks; the count of lines goes wrong there, by those lines only.
static void join_lines(ThawText *text) {
    for (char *at = text->bytes; (at = memchr(at, '\\', (size_t)(text->end - at))); at++) {
        char *next = at + 1;
        next += next < text->end && *next == '\r';
        if (next < text->end && *next == '\n')
            memset(at, ' ', (size_t)(next - at) + 1);
    }
}

void thaw_read_obj(ThawText *text, ThawSoup *soup) {
    Names object = {0}, group = {0}, material = {0};
    join_lines(text);
    while (!text->status) {
        thaw_text_record(text);
        if (thaw_text_done(text) && text->at >= text->end)
            break;
        const ThawToken word = thaw_text_token(text, "a keyword");
        if (thaw_token_is(word, "v")) {
            double x[3];
            for (int k = 0; k < 3; k++)
                x[k] = thaw_text_number(text, "a coordinate of a point");
            thaw_soup_point(soup, x);
        } else if (thaw_token_is(word, "vt")) {
            double uv[2] = {thaw_text_number(text, "a texture coordinate"), 0};
            if (!thaw_text_done(text))
                uv[1] = thaw_text_number(text, "a texture coordinate");
            thaw_soup_texture_point(soup, uv);
        } else if (thaw_token_is(word, "f")) {
            read_face(soup);
        } else if (thaw_token_is(word, "o")) {
            end_names(soup, &object);
            object.name[object.count++] = rest_of_line(text);
        } else if (thaw_token_is(word, "usemtl")) {
            end_names(soup, &material);
            material.name[material.count++] = rest_of_line(text);
        } else if (thaw_token_is(word, "g")) {
            end_names(soup, &group);
            while (!thaw_text_done(text) && group.count < MOST_NAMES)
                group.name[group.count++] = thaw_text_token(text, "a name");
        }
        if (!text->status)
            rest_of_line(text); // colours behind coordinates, keywords that say nothing about shape
        text->in_record = 0;
    }
    end_names(soup, &object);
    end_names(soup, &group);
    end_names(soup, &material);
}
