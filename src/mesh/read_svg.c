// SPDX-License-Identifier: Apache-2.0
// SVG drawings (W3C, Scalable Vector Graphics 1.1 and 2): the insides of paths, rectangles, circles, ellipses and
// polygons.
//
// Curves become straight pieces that leave them by at most FLAT of their own size: n pieces of a cubic do so by
// sqrt(3/4 m / tolerance) <= n, m being the longest second difference of its control points (G. Wang 1984). An arc's
// ends and flags give its centre as in the appendix of the standard (implementation notes, B.2.4). Every line is
// closed, as a fill closes it; one that is neither filled nor closed by itself, a dimension or a guide, is none.
// fill-rule and transform are followed, also of groups. Text, copies and pictures are refused, for they would be
// missing: programs can make paths of them.
//
// The unit is that of the drawing's width, or a pixel of 1/96 inch; y points up afterwards. Linear.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/drawing.h"
#include "mesh/xml.h"

static const double FLAT = 5e-4;
static const double INCH = 0.0254; // m
enum { DEPTH = 100, LONGEST = 60 };

// x' = m[0] x + m[2] y + m[4], y' = m[1] x + m[3] y + m[5], as SVG writes it.
typedef struct Group {
    double m[6];
    int nonzero, filled;
} Group;

typedef struct Svg {
    ThawText *text;
    ThawDrawing *drawing;
    Group stack[DEPTH];
    int depth;
    double start[2], at[2]; // of the line at hand, in its own coordinates
    int drawn;              // nonzero: the line has begun
    int32_t first;          // its first segment in the part at hand
} Svg;

// --- numbers ---------------------------------------------------------------------------------------------------------

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static void skip_blanks(ThawToken *t) {
    while (t->length && (strchr(" \t\r\n,", *t->start) && *t->start)) {
        t->start++;
        t->length--;
    }
}

// How many characters the number at the beginning takes; 0: there is none.
static size_t number_length(ThawToken t) {
    size_t i = t.length && (*t.start == '-' || *t.start == '+'), digits = 0;
    for (; i < t.length && is_digit(t.start[i]); i++)
        digits++;
    for (i += i < t.length && t.start[i] == '.'; i < t.length && is_digit(t.start[i]); i++)
        digits++;
    if (!digits)
        return 0;
    if (i + 1 < t.length && (t.start[i] | 32) == 'e') {
        size_t e = i + 1 + (t.start[i + 1] == '-' || t.start[i + 1] == '+');
        if (e < t.length && is_digit(t.start[e]))
            for (i = e; i < t.length && is_digit(t.start[i]);)
                i++;
    }
    return i;
}

// Takes the next number off; 0 and no change when there is none.
static int take_number(const Svg *s, ThawToken *t, double *value) {
    char digits[LONGEST + 1];
    skip_blanks(t);
    const size_t length = number_length(*t);
    if (!length || length > LONGEST)
        return 0;
    memcpy(digits, t->start, length);
    digits[length] = 0;
    *value = strtod_l(digits, NULL, s->text->locale);
    t->start += length;
    t->length -= length;
    return isfinite(*value);
}

static int take_numbers(const Svg *s, ThawToken *t, int count, double *values) {
    int got = 0;
    while (got < count && take_number(s, t, values + got))
        got++;
    return got;
}

// A number with a unit, or none, in pixels of 1/96 inch. Returns 0 for anything else.
static int read_length(const Svg *s, ThawToken t, double *pixels) {
    static const struct {
        const char *name;
        double pixels;
    } units[] = {{"", 1}, {"px", 1}, {"mm", 96 / 25.4}, {"cm", 96 / 2.54}, {"in", 96}, {"pt", 96 / 72.0}, {"pc", 16}};
    double number = 0;
    if (!t.start || !take_number(s, &t, &number))
        return 0;
    while (t.length && strchr(" \t\r\n", t.start[t.length - 1]))
        t.length--;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (thaw_token_is(t, units[i].name)) {
            *pixels = number * units[i].pixels;
            return 1;
        }
    return 0;
}

// A length of an attribute; `missing` when there is none.
static double length_of(Svg *s, const ThawTag *tag, const char *name, double missing) {
    const ThawToken value = thaw_tag_attribute(tag, name);
    double pixels = missing;
    if (value.start && !read_length(s, value, &pixels))
        thaw_text_fail(s->text, "%s is \"%.*s\"; allowed are numbers, with px, mm, cm, in, pt, pc or without", name,
                       (int)(value.length < 40 ? value.length : 40), value.start);
    return pixels;
}

// --- lines -----------------------------------------------------------------------------------------------------------

static void apply(const double m[6], const double x[2], double y[2]) {
    y[0] = m[0] * x[0] + m[2] * x[1] + m[4];
    y[1] = m[1] * x[0] + m[3] * x[1] + m[5];
}

static void line_to(Svg *s, const double to[2]) {
    double a[2], b[2];
    const double *m = s->stack[s->depth].m;
    apply(m, s->at, a);
    apply(m, to, b);
    if (!s->drawn && !s->text->status)
        s->first = s->drawing->parts[s->drawing->part_count - 1].count;
    thaw_drawing_segment(s->drawing, s->text, a, b);
    memcpy(s->at, to, sizeof s->at);
    s->drawn = 1;
}

// Ends the line at hand. One that is not filled encloses only what it closes by itself; else it is none.
static void close_line(Svg *s, int closed) {
    ThawDrawing *d = s->drawing;
    if (s->drawn && !closed && !s->stack[s->depth].filled && (s->at[0] != s->start[0] || s->at[1] != s->start[1])) {
        ThawDrawingPart *part = &d->parts[d->part_count - 1];
        d->segments -= part->count - s->first;
        part->count = s->first;
    } else if (s->drawn) {
        line_to(s, s->start);
    }
    s->drawn = 0;
}

static void move_to(Svg *s, const double to[2]) {
    close_line(s, 0);
    memcpy(s->at, to, sizeof s->at);
    memcpy(s->start, to, sizeof s->start);
}

// From the present point by p[0..1] and p[2..3] to p[4..5].
static void cubic_to(Svg *s, const double p[6]) {
    const double q[8] = {s->at[0], s->at[1], p[0], p[1], p[2], p[3], p[4], p[5]};
    double bend = 0, size = 0;
    for (int i = 0; i < 4; i++) {
        if (i < 2)
            bend = fmax(bend, hypot(q[2 * i] - 2 * q[2 * i + 2] + q[2 * i + 4],
                                    q[2 * i + 1] - 2 * q[2 * i + 3] + q[2 * i + 5]));
        size = fmax(size, hypot(q[2 * i] - q[0], q[2 * i + 1] - q[1]));
    }
    const double ratio = size > 0 ? bend / size : 0;
    const int pieces = ratio >= 0 && ratio < 1e6 ? (int)ceil(sqrt(0.75 * ratio / FLAT)) : 1;
    for (int i = 1; i <= pieces; i++) {
        const double t = (double)i / pieces, u = 1 - t;
        double to[2];
        for (int k = 0; k < 2; k++)
            to[k] = i == pieces
                        ? p[4 + k]
                        : u * u * u * q[k] + 3 * u * u * t * q[2 + k] + 3 * u * t * t * q[4 + k] + t * t * t * q[6 + k];
        line_to(s, to);
    }
    if (pieces < 1)
        line_to(s, p + 4);
}

static void quadratic_to(Svg *s, const double p[4]) {
    double q[6] = {0, 0, 0, 0, p[2], p[3]};
    for (int k = 0; k < 2; k++) {
        q[k] = (s->at[k] + 2 * p[k]) / 3;
        q[2 + k] = (p[2 + k] + 2 * p[k]) / 3;
    }
    cubic_to(s, q);
}

// Along an ellipse with radii r, turned by `turn`, from the angle `from` on by `by`.
static void sweep(Svg *s, const double centre[2], const double r[2], double turn, double from, double by) {
    const int pieces = isfinite(from + by) ? (int)ceil(fabs(by) / (2 * acos(1 - FLAT))) : 0;
    const double m[6] = {cos(turn), sin(turn), -sin(turn), cos(turn), centre[0], centre[1]};
    for (int i = 1; i <= pieces; i++) {
        const double a = from + by * i / pieces;
        double to[2];
        apply(m, (double[2]){r[0] * cos(a), r[1] * sin(a)}, to);
        line_to(s, to);
    }
}

// v: radii, turn in degrees, large, clockwise, end.
static void arc_to(Svg *s, const double v[7]) {
    const double turn = v[2] * M_PI / 180, c = cos(turn), n = sin(turn), *to = v + 5;
    const double h[2] = {(s->at[0] - to[0]) / 2, (s->at[1] - to[1]) / 2};
    const double x = c * h[0] + n * h[1], y = c * h[1] - n * h[0]; // half the chord, in the ellipse's own axes
    double r[2] = {fabs(v[0]), fabs(v[1])};
    if (!(r[0] > 0 && r[1] > 0) || (h[0] == 0 && h[1] == 0)) {
        line_to(s, to);
        return;
    }
    const double wide = x * x / (r[0] * r[0]) + y * y / (r[1] * r[1]); // more than 1: the radii are too small
    if (!isfinite(wide) || !isfinite(turn)) {                          // radii of nothing
        line_to(s, to);
        return;
    }
    for (int k = 0; k < 2 && wide > 1; k++)
        r[k] *= sqrt(wide);
    const double side = (v[3] != 0) == (v[4] != 0) ? -1 : 1, f = wide < 1 ? side * sqrt(1 / wide - 1) : 0;
    const double p[2] = {f * r[0] * y / r[1], -f * r[1] * x / r[0]}; // the centre, from the middle of the chord
    const double m[6] = {c, n, -n, c, (s->at[0] + to[0]) / 2, (s->at[1] + to[1]) / 2};
    double centre[2];
    apply(m, p, centre);
    const double from = atan2((y - p[1]) / r[1], (x - p[0]) / r[0]),
                 end = atan2((-y - p[1]) / r[1], (-x - p[0]) / r[0]);
    double by = end - from;
    by += v[4] != 0 && by < 0 ? 2 * M_PI : v[4] == 0 && by > 0 ? -2 * M_PI : 0;
    sweep(s, centre, r, turn, from, by);
    line_to(s, to);
}

// --- paths -----------------------------------------------------------------------------------------------------------

// A flag of an arc is one digit, and needs no blank behind it.
static int take_flag(ThawToken *t, double *flag) {
    skip_blanks(t);
    if (!t->length || (*t->start != '0' && *t->start != '1'))
        return 0;
    *flag = *t->start == '1';
    t->start++;
    t->length--;
    return 1;
}

static int take_arc(Svg *s, ThawToken *t, double v[7]) {
    return take_numbers(s, t, 3, v) == 3 && take_flag(t, v + 3) && take_flag(t, v + 4) &&
           take_numbers(s, t, 2, v + 5) == 2;
}

// One command with its numbers; `handle` is the control point that S and T mirror. Returns 0 where a number is missing.
static int draw_command(Svg *s, char command, ThawToken *t, double handle[2], char before) {
    const char kind = (char)(command & ~32);
    static const struct {
        char kind;
        int numbers;
    } table[] = {{'M', 2}, {'L', 2}, {'H', 1}, {'V', 1}, {'C', 6}, {'S', 4}, {'Q', 4}, {'T', 2}, {'A', 7}};
    double v[7] = {0}, mirror[2];
    int count = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        count = table[i].kind == kind ? table[i].numbers : count;
    if (kind == 'A' ? !take_arc(s, t, v) : take_numbers(s, t, count, v) != count)
        return 0;
    const int relative = command >= 'a';
    for (int i = 0; relative && i < count; i++)
        v[i] += kind == 'H'   ? s->at[0]
                : kind == 'V' ? s->at[1]
                : kind != 'A' ? s->at[i % 2]
                : i >= 5      ? s->at[i - 5]
                              : 0;
    const int smooth =
        (kind == 'S' && (before == 'C' || before == 'S')) || (kind == 'T' && (before == 'Q' || before == 'T'));
    for (int k = 0; k < 2; k++)
        mirror[k] = smooth ? 2 * s->at[k] - handle[k] : s->at[k];
    switch (kind) {
    case 'M':
        move_to(s, v);
        break;
    case 'L':
        line_to(s, v);
        break;
    case 'H':
        line_to(s, (double[2]){v[0], s->at[1]});
        break;
    case 'V':
        line_to(s, (double[2]){s->at[0], v[0]});
        break;
    case 'C':
        memcpy(handle, v + 2, 2 * sizeof *v);
        cubic_to(s, v);
        break;
    case 'S':
        memcpy(handle, v, 2 * sizeof *v);
        cubic_to(s, (double[6]){mirror[0], mirror[1], v[0], v[1], v[2], v[3]});
        break;
    case 'Q':
        memcpy(handle, v, 2 * sizeof *v);
        quadratic_to(s, v);
        break;
    case 'T':
        memcpy(handle, mirror, sizeof mirror);
        quadratic_to(s, (double[4]){mirror[0], mirror[1], v[0], v[1]});
        break;
    default:
        arc_to(s, v);
    }
    return 1;
}

static void draw_path(Svg *s, ThawToken data) {
    char command = 0, before = 0;
    double handle[2] = {0};
    for (skip_blanks(&data); data.length && !s->text->status; skip_blanks(&data)) {
        const char c = *data.start;
        const int named = c && strchr("MmLlHhVvCcSsQqTtAaZz", c) != NULL;
        if (named) {
            command = c;
            data.start++;
            data.length--;
        }
        const int ends = (command | 32) == 'z';
        if (ends && named) {
            close_line(s, 1);
            memcpy(s->at, s->start, sizeof s->at);
        } else if (!command || ends || (!before && (command | 32) != 'm') ||
                   !draw_command(s, command, &data, handle, before)) {
            thaw_text_fail(s->text, "a path has \"%.*s\" where %s should be",
                           (int)(data.length < 20 ? data.length : 20), data.start,
                           command && !ends ? "a number" : "a command");
        }
        before = (char)(command & ~32);
        if ((command | 32) == 'm') // further pairs are lines
            command = command == 'm' ? 'l' : 'L';
    }
    close_line(s, 0);
}

static void draw_polygon(Svg *s, ThawToken data, int closed) {
    double x[2];
    int got = 2;
    for (int first = 1; !s->text->status && (got = take_numbers(s, &data, 2, x)) == 2; first = 0)
        (first ? move_to : line_to)(s, x);
    skip_blanks(&data);
    if (got == 1 || data.length)
        thaw_text_fail(s->text, "points have \"%.*s\" where a pair of numbers should be",
                       (int)(data.length < 20 ? data.length : 20), data.start);
    close_line(s, closed);
}

static void draw_ellipse(Svg *s, double x, double y, double rx, double ry) {
    if (!(rx > 0 && ry > 0))
        return;
    move_to(s, (double[2]){x + rx, y});
    sweep(s, (double[2]){x, y}, (double[2]){rx, ry}, 0, 0, 2 * M_PI);
    close_line(s, 1);
}

static void draw_rectangle(Svg *s, const ThawTag *tag) {
    const double x = length_of(s, tag, "x", 0), y = length_of(s, tag, "y", 0), w = length_of(s, tag, "width", 0),
                 h = length_of(s, tag, "height", 0);
    double rx = length_of(s, tag, "rx", -1), ry = length_of(s, tag, "ry", -1);
    rx = fmin(w / 2, rx >= 0 ? rx : fmax(0, ry));
    ry = fmin(h / 2, ry >= 0 ? ry : fmax(0, rx));
    if (!(w > 0 && h > 0))
        return;
    const double r[2] = {rx, ry},
                 mid[4][2] = {{x + w - rx, y + ry}, {x + w - rx, y + h - ry}, {x + rx, y + h - ry}, {x + rx, y + ry}};
    move_to(s, (double[2]){x + rx, y});
    for (int i = 0; i < 4; i++) { // a side, and the corner behind it, clockwise on the screen
        const double from = (i - 1) * M_PI / 2;
        line_to(s, (double[2]){mid[i][0] + rx * round(cos(from)), mid[i][1] + ry * round(sin(from))});
        if (rx > 0 && ry > 0)
            sweep(s, mid[i], r, 0, from, M_PI / 2);
    }
    close_line(s, 1);
}

// --- groups ----------------------------------------------------------------------------------------------------------

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
static int is_between(char c) { return c == ';' || is_blank(c); }

// What a style says about a property: in an attribute of that name, or within `style`.
static ThawToken property(const ThawTag *tag, const char *name) {
    const ThawToken style = thaw_tag_attribute(tag, "style");
    const size_t length = strlen(name);
    for (size_t i = 0; style.start && i + length < style.length; i++) {
        if (i > 0 && !is_between(style.start[i - 1]))
            continue;
        if (memcmp(style.start + i, name, length) != 0)
            continue;
        ThawToken value = {style.start + i + length, style.length - i - length};
        for (; value.length && is_blank(*value.start); value.length--)
            value.start++;
        if (!value.length || *value.start != ':')
            continue;
        for (value.start++, value.length--; value.length && is_blank(*value.start); value.length--)
            value.start++;
        for (size_t k = 0; k < value.length; k++)
            if (is_between(value.start[k]))
                value.length = k;
        return value;
    }
    return thaw_tag_attribute(tag, name);
}

static void multiply(double m[6], const double by[6]) {
    double p[6];
    for (int k = 0; k < 3; k++) {
        p[2 * k] = m[0] * by[2 * k] + m[2] * by[2 * k + 1] + (k == 2 ? m[4] : 0);
        p[2 * k + 1] = m[1] * by[2 * k] + m[3] * by[2 * k + 1] + (k == 2 ? m[5] : 0);
    }
    memcpy(m, p, sizeof p);
}

static int begins(ThawToken t, const char *word) {
    return t.length >= strlen(word) && memcmp(t.start, word, strlen(word)) == 0;
}

// One function of a transform; its numbers are v[0 .. count - 1]. Returns 0 for one that is none.
static int transform_by(double m[6], ThawToken name, int count, const double v[6]) {
    const double a = v[0] * M_PI / 180, x = count > 1 ? v[1] : 0, y = count > 2 ? v[2] : 0;
    if (begins(name, "matrix") && count == 6)
        multiply(m, v);
    else if (begins(name, "translate") && (count == 1 || count == 2))
        multiply(m, (double[6]){1, 0, 0, 1, v[0], x});
    else if (begins(name, "scale") && (count == 1 || count == 2))
        multiply(m, (double[6]){v[0], 0, 0, count == 2 ? v[1] : v[0], 0, 0});
    else if (begins(name, "skewX") && count == 1)
        multiply(m, (double[6]){1, 0, tan(a), 1, 0, 0});
    else if (begins(name, "skewY") && count == 1)
        multiply(m, (double[6]){1, tan(a), 0, 1, 0, 0});
    else if (begins(name, "rotate") && (count == 1 || count == 3)) { // about (x, y)
        multiply(m, (double[6]){1, 0, 0, 1, x, y});
        multiply(m, (double[6]){cos(a), sin(a), -sin(a), cos(a), 0, 0});
        multiply(m, (double[6]){1, 0, 0, 1, -x, -y});
    } else
        return 0;
    return 1;
}

static void read_transform(Svg *s, ThawToken t, double m[6]) {
    for (skip_blanks(&t); t.length && !s->text->status; skip_blanks(&t)) {
        const char *open = memchr(t.start, '(', t.length);
        double v[6];
        ThawToken inside = {open ? open + 1 : NULL, open ? t.length - (size_t)(open + 1 - t.start) : 0};
        const int count = open ? take_numbers(s, &inside, 6, v) : 0;
        skip_blanks(&inside);
        if (!count || !inside.length || *inside.start != ')' || !transform_by(m, t, count, v))
            thaw_text_fail(s->text,
                           "a transform has \"%.*s\"; allowed are matrix, translate, scale, rotate, skewX and skewY",
                           (int)(t.length < 40 ? t.length : 40), t.start);
        else
            t = (ThawToken){inside.start + 1, inside.length - 1};
    }
}

// What a tag changes for itself and what is in it.
static Group enter(Svg *s, const ThawTag *tag) {
    Group g = s->stack[s->depth];
    const ThawToken transform = thaw_tag_attribute(tag, "transform"), rule = property(tag, "fill-rule"),
                    fill = property(tag, "fill");
    if (transform.start)
        read_transform(s, transform, g.m);
    if (rule.start)
        g.nonzero = !thaw_token_is(rule, "evenodd");
    if (fill.start)
        g.filled = !thaw_token_is(fill, "none");
    return g;
}

// --- the drawing -----------------------------------------------------------------------------------------------------

// Metres of a length like "210mm"; 0 where it says none.
static double metres_of(const Svg *s, ThawToken t) {
    double pixels = 0;
    return read_length(s, t, &pixels) && pixels > 0 ? pixels * INCH / 96 : 0;
}

// From the coordinates of the drawing to metres, y up. A viewBox is fitted into width and height.
static void read_svg_tag(Svg *s, const ThawTag *tag) {
    ThawToken box = thaw_tag_attribute(tag, "viewBox");
    double v[4], scale = INCH / 96;
    const double w = metres_of(s, thaw_tag_attribute(tag, "width")),
                 h = metres_of(s, thaw_tag_attribute(tag, "height"));
    s->drawing->pixels = !(box.start && take_numbers(s, &box, 4, v) == 4 && v[2] > 0 && v[3] > 0 && (w > 0 || h > 0));
    if (!s->drawing->pixels)
        scale = fmin(w > 0 ? w / v[2] : INFINITY, h > 0 ? h / v[3] : INFINITY);
    memcpy(s->stack[0].m, (double[6]){scale, 0, 0, -scale, 0, 0}, sizeof s->stack[0].m);
    s->drawing->metres = 1;
}

static void draw_shape(Svg *s, const ThawTag *tag) {
    s->drawn = 0;
    thaw_drawing_begin(s->drawing, s->text, s->stack[s->depth].nonzero);
    if (thaw_tag_is(tag, "path"))
        draw_path(s, thaw_tag_attribute(tag, "d"));
    else if (thaw_tag_is(tag, "rect"))
        draw_rectangle(s, tag);
    else if (thaw_tag_is(tag, "circle") || thaw_tag_is(tag, "ellipse")) {
        const double r = length_of(s, tag, "r", 0);
        draw_ellipse(s, length_of(s, tag, "cx", 0), length_of(s, tag, "cy", 0), length_of(s, tag, "rx", r),
                     length_of(s, tag, "ry", r));
    } else
        draw_polygon(s, thaw_tag_attribute(tag, "points"), thaw_tag_is(tag, "polygon"));
}

static int is_one_of(const ThawTag *tag, const char *const *names) {
    for (; *names; names++)
        if (thaw_tag_is(tag, *names))
            return 1;
    return 0;
}

const char *thaw_head_svg(const char *head, size_t size, int64_t file_size) {
    (void)file_size;
    return thaw_head_begins(head, size, "<") && thaw_head_is_text(head, size)
               ? NULL
               : "the file does not begin with a tag, as SVG does";
}

void thaw_read_svg(ThawText *text, ThawDrawing *drawing) {
    static const char *const shapes[] = {"path", "rect", "circle", "ellipse", "polygon", "polyline", NULL},
                             *const hidden[] = {"defs",     "clipPath", "mask",   "symbol", "marker", "pattern",
                                                "metadata", "style",    "script", "title",  "desc",   NULL},
                             *const foreign[] = {"text", "use", "image", "foreignObject", NULL};
    Svg s = {.text = text, .drawing = drawing, .depth = -1};
    int unseen = 0; // how deep within what is not drawn
    ThawTag tag;
    while (!text->status && thaw_xml_next(text, &tag)) {
        if (tag.closing) {
            s.depth -= !unseen && s.depth >= 0;
            unseen -= unseen > 0;
            continue;
        }
        const int first = s.depth < 0;
        const ThawToken display = property(&tag, "display");
        if (first && !thaw_tag_is(&tag, "svg"))
            thaw_text_fail(text, "a tag comes before <svg>; it must be the first");
        else if (!first && thaw_tag_is(&tag, "svg"))
            thaw_text_fail(text, "<svg> inside <svg>; allowed is one");
        if (!text->status && (unseen || is_one_of(&tag, hidden) || (display.start && thaw_token_is(display, "none")))) {
            unseen += !tag.empty;
            continue;
        }
        if (!text->status && is_one_of(&tag, foreign))
            thaw_text_fail(text,
                           "<%.*s> cannot be read; make a path of it (in Inkscape: Path, Object to Path), or remove it",
                           (int)strcspn(tag.start, " \t\r\n/>"), tag.start);
        if (!text->status && s.depth + 1 >= DEPTH)
            thaw_text_fail(text, "groups are nested deeper than %d", DEPTH);
        if (text->status)
            break;
        if (first) {
            s.stack[0] = (Group){.nonzero = 1, .filled = 1};
            s.depth = 0;
            read_svg_tag(&s, &tag);
        }
        const Group inner = enter(&s, &tag);
        s.depth += !first;
        s.stack[s.depth] = inner;
        if (is_one_of(&tag, shapes))
            draw_shape(&s, &tag);
        s.depth -= tag.empty;
    }
    if (!text->status && !drawing->metres)
        thaw_text_fail(text, "the file has no <svg>");
}
