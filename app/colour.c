// SPDX-License-Identifier: Apache-2.0
// From the values of a field to colours and a legend. Numbers run from cold to warm, elements' averaged into their
// vertices so that colours run smoothly; categories and ids have a colour each, element by element. Everything follows
// from the list of fields: a new one needs nothing here.
#include "colour.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "base/base.h"
#include "math/vec3.h"

enum { DECADES = 6 }; // of a logarithmic scale

static const unsigned char plain[3] = {203, 196, 184}, warm[3] = {232, 118, 76}, calm[3] = {138, 170, 196};

static const ThawField *field_of(const Colouring *c) { return c->field >= 0 ? thaw_field(c->field) : NULL; }

static int by_number(const Colouring *c) { return c->field >= 0 && thaw_field(c->field)->category_count == 0; }

// --- choosing --------------------------------------------------------------------------------------------------------

int colouring_parse(const char *command, const char *option, const char *name, Colouring *c) {
    enum { MORE = 2, ROOM = 64 };
    const char *names[ROOM] = {"body", "none"};
    char list[600] = "body, none";
    *c = (Colouring){.field = COLOUR_BODY, .wanted = 1};
    if (strcmp(name, "body") == 0)
        return 1;
    c->field = COLOUR_NONE;
    if (strcmp(name, "none") == 0)
        return 1;
    c->field = thaw_field_find(name);
    if (c->field >= 0)
        return 1;
    int count = MORE;
    for (int32_t i = 0; i < thaw_field_count() && count < ROOM; i++) {
        names[count++] = thaw_field(i)->name;
        size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, ", %s", thaw_field(i)->name);
    }
    const char *near = app_suggest(name, names, count);
    app_complain(command, "%s is '%s'%s%s%s; allowed: %s", option, name, near ? " (did you mean " : "",
                 near ? near : "", near ? "?)" : "", list);
    return 0;
}

static ThawStatus refuse(const Colouring *c, const ThawFrameData *frame, ThawError *error) {
    char list[600] = "body, none";
    for (int32_t i = 0; i < thaw_field_count(); i++) {
        size_t length = strlen(list);
        if (frame->fields[i])
            snprintf(list + length, sizeof list - length, ", %s", thaw_field(i)->name);
    }
    const ThawField *field = field_of(c);
    return thaw_error_set(
        error, THAW_ERROR_INPUT, "the frames hold no '%s'%s; they hold %s", field->name,
        field->use == THAW_FIELD_ADAPTIVE   ? ", which only runs with an adaptive method write"
        : field->use == THAW_FIELD_SHEETS   ? ", which only runs with sheets of an adaptive method write"
        : field->use == THAW_FIELD_LIMITED  ? ", which only runs with strain limits write"
        : field->use == THAW_FIELD_FOLDED   ? ", which only runs with sheets that yield write"
        : field->use == THAW_FIELD_REGIONS  ? ", which only runs with a method write that puts mass on regions"
        : field->use == THAW_FIELD_TOUCHING ? ", which only runs where something can touch write"
                                            : "",
        list);
}

// --- the range -------------------------------------------------------------------------------------------------------

static double value_at(const ThawField *field, const double *values, size_t i) {
    const double *v = values + i * (size_t)field->components;
    return field->components == 1 ? v[0] : thaw_v3_norm(v);
}

// The numbers as they are drawn: a value for each point, elements' averaged.
static ThawStatus average(const ThawField *field, const ThawFrameData *f, const double *values, double *value,
                          ThawError *error) {
    if (field->place == THAW_FIELD_VERTEX) {
        for (int64_t p = 0; p < f->point_count; p++)
            value[p] = value_at(field, values, (size_t)p);
        return THAW_OK;
    }
    int32_t *count = THAW_NEW(int32_t, f->point_count);
    if (!count)
        return thaw_error_memory(error, "colours");
    for (int64_t p = 0; p < f->point_count; p++)
        value[p] = 0;
    for (int64_t e = 0; e < f->cell_count; e++)
        for (int i = 0; i < f->nodes - thaw_cell_is_sheet(f->nodes, f->cells + f->nodes * e); i++) {
            int32_t p = f->cells[f->nodes * e + i];
            value[p] += value_at(field, values, (size_t)e);
            count[p]++;
        }
    for (int64_t p = 0; p < f->point_count; p++)
        value[p] /= count[p] ? count[p] : 1;
    thaw_free(count);
    return THAW_OK;
}

static ThawStatus look_numbers(Colouring *c, const ThawField *field, const ThawFrameData *f, const unsigned char *seen,
                               ThawError *error) {
    double *value = THAW_NEW(double, f->point_count);
    ThawStatus status =
        value ? average(field, f, f->fields[c->field], value, error) : thaw_error_memory(error, "colours");
    c->frames++;
    for (int64_t p = 0; status == THAW_OK && p < f->point_count; p++) {
        if ((seen && !seen[p]) || !(value[p] > 0) || !isfinite(value[p]))
            continue;
        const int bin = (int)floor(8 * (log2(value[p]) + 64));
        c->count[bin < 0 ? 0 : bin < COLOUR_BINS ? bin : COLOUR_BINS - 1]++;
        c->most = fmax(c->most, value[p]);
    }
    thaw_free(value);
    return status;
}

// A few points at a clamped corner, or the instant of an impact, would take the whole scale: it leaves out the highest
// two percent of the values above zero that are seen in any frame, but of many frames no more than 12 percent of one,
// so that an impact in a long film is not left out. To within a bin.
static double warmest(const Colouring *c) {
    int64_t all = 0, below = 0;
    for (int i = 0; i < COLOUR_BINS; i++)
        all += c->count[i];
    const double kept = 1 - fmin(0.02, 0.12 / (double)c->frames);
    for (int i = 0; i < COLOUR_BINS; i++)
        if ((double)(below += c->count[i]) >= kept * (double)all)
            return fmin(c->most, exp2((i + 1) / 8.0 - 64));
    return c->most;
}

ThawStatus colouring_look(Colouring *c, const ThawFrameData *frame, const unsigned char *seen, ThawError *error) {
    const ThawField *field = field_of(c);
    if (!field)
        return THAW_OK;
    const double *values = frame->fields[c->field];
    if (!values && c->wanted)
        return refuse(c, frame, error);
    if (!values) {
        c->field = COLOUR_NONE;
        return THAW_OK;
    }
    size_t count = thaw_frame_field_size(frame, c->field) / (size_t)field->components;
    if (field->category_count == 0)
        return look_numbers(c, field, frame, seen, error);
    for (size_t i = 0; i < count; i++)
        c->used |= 1u << (field->category_count > 0 ? (int)values[i] & 31 : values[i] >= 0);
    return THAW_OK;
}

// The smallest round number that is not below: quarters of it are round, too.
static double round_up(double value) {
    static const double steps[] = {1, 1.2, 1.6, 2, 2.4, 3.2, 4, 5, 6, 8, 10};
    if (!(value > 0))
        return 0;
    double power = pow(10, floor(log10(value)));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i] * power >= value * (1 - 1e-9))
            return steps[i] * power;
    return 10 * power;
}

void colouring_settle(Colouring *c) {
    const ThawField *field = field_of(c);
    if (!field || !(c->most > 0))
        return;
    c->high = field->logarithmic ? pow(10, ceil(log10(c->most) - 1e-9)) : round_up(warmest(c));
    c->low = field->logarithmic ? c->high * pow(10, -DECADES) : 0;
}

// --- colours ---------------------------------------------------------------------------------------------------------

// Where a value is between low and high.
static double share_of(const Colouring *c, double value) {
    if (!(c->high > 0))
        return 0;
    if (c->low > 0)
        return value > 0 ? fmin(1, fmax(0, log10(value / c->low) / log10(c->high / c->low))) : NAN;
    return fmin(1, fmax(0, value / c->high));
}

ThawStatus colouring_points(const Colouring *c, const ThawFrameData *f, double *value, ThawError *error) {
    const ThawField *field = field_of(c);
    const double *values = field ? f->fields[c->field] : NULL;
    if (!values || !by_number(c))
        return THAW_OK;
    ThawStatus status = average(field, f, values, value, error);
    for (int64_t p = 0; status == THAW_OK && p < f->point_count; p++)
        value[p] = share_of(c, value[p]);
    return status;
}

static void paint(const unsigned char srgb[3], float rgb[3]) {
    for (int k = 0; k < 3; k++)
        rgb[k] = picture_linear(srgb[k]);
}

// What is deforming is warm and what rests is cool; other categories as they come.
static void category_colour(const char *name, int index, float rgb[3]) {
    static const struct {
        const char *name;
        unsigned char srgb[3];
    } known[] = {{"elastic", {232, 118, 76}}, {"rigid", {138, 170, 196}}, {"asleep", {84, 104, 132}},
                 {"none", {138, 170, 196}},   {"rate", {232, 118, 76}},   {"load change", {188, 60, 78}},
                 {"contact", {150, 94, 168}}, {"strain", {214, 160, 60}}, {"neighbour", {236, 206, 130}},
                 {"wait", {120, 176, 130}},   {"start", {196, 190, 178}}, {"lone", {64, 140, 140}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0) {
            paint(known[i].srgb, rgb);
            return;
        }
    picture_colour_of(index, rgb);
}

void colouring_category(const char *name, int index, unsigned char srgb[3]) {
    float rgb[3];
    category_colour(name, index, rgb);
    for (int k = 0; k < 3; k++)
        srgb[k] = picture_srgb(rgb[k]);
}

// Oklab (B. Ottosson 2020) keeps lightness the same around the hue circle; linear light comes out.
static void oklch(double lightness, double chroma, double hue, float rgb[3]) {
    double a = chroma * cos(hue), b = chroma * sin(hue);
    double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    double s = pow(lightness - 0.0894841775 * a - 1.291485548 * b, 3);
    rgb[0] = (float)fmax(0, fmin(1, 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s));
    rgb[1] = (float)fmax(0, fmin(1, -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s));
    rgb[2] = (float)fmax(0, fmin(1, -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s));
}

// As in the page (viewer/src/colours.ts): steps of the golden section along the hues that are not warm, so that what
// has no id, in warm, stands out. Ids are counted in each body; neighbours shall not share a colour because both are
// number 0.
static void id_colour(int id, int body, float rgb[3]) {
    static const double lightness[3] = {0.66, 0.74, 0.58};
    int n = (int)((id + 37LL * body) % 511);
    double turn = fmod(0.28 + n * 0.6180339887, 1);
    if (id < 0)
        paint(warm, rgb);
    else
        oklch(lightness[n % 3], 0.115, (135 + 240 * turn) * acos(-1) / 180, rgb);
}

void colouring_corner(const Colouring *c, const ThawFrameData *f, int32_t cell, int32_t point, double value,
                      float rgb[3]) {
    const ThawField *field = field_of(c);
    const double *values = field ? f->fields[c->field] : NULL;
    if (c->field == COLOUR_BODY)
        picture_colour_of(f->body[point], rgb);
    else if (!values)
        paint(plain, rgb);
    else if (field->category_count == 0) {
        if (isnan(value))
            paint(calm, rgb);
        else
            picture_colour(value, rgb);
    } else {
        int id = (int)values[field->place == THAW_FIELD_VERTEX ? point : cell];
        if (field->category_count > 0)
            category_colour(field->categories[id], id, rgb);
        else if (c->used & 1)
            id_colour(id, f->body[point], rgb);
        else
            picture_colour_of(id, rgb);
    }
}

// --- the legend ------------------------------------------------------------------------------------------------------

enum { LETTERS = 14 }; // across

int colouring_legend_width(const Colouring *c, int size) {
    const ThawField *field = field_of(c);
    int shown = field && (field->category_count == 0  ? c->high > 0
                          : field->category_count > 0 ? c->used != 0
                                                      : (c->used & 1) != 0);
    return shown ? LETTERS * 6 * size : 0;
}

// A text in lines of words; returns y below it.
static int print_lines(Picture *picture, int x, int y, int size, const char *text, const unsigned char ink[3]) {
    char line[LETTERS + 1];
    while (*text) {
        size_t length = strlen(text), end = length < LETTERS ? length : LETTERS - 1;
        while (end < length && end > 0 && text[end] != ' ')
            end--;
        if (end == 0)
            end = length < LETTERS ? length : LETTERS - 1;
        snprintf(line, sizeof line, "%.*s", (int)end, text);
        picture_text(picture, x, y, size, line, ink);
        y += 10 * size;
        text += end;
        text += *text == ' ';
    }
    return y;
}

static void to_bytes(const float rgb[3], unsigned char srgb[3]) {
    for (int k = 0; k < 3; k++)
        srgb[k] = picture_srgb(rgb[k]);
}

static void swatch(Picture *picture, int x, int y, int size, const float rgb[3], const char *name,
                   const unsigned char ink[3]) {
    unsigned char colour[3];
    to_bytes(rgb, colour);
    picture_fill(picture, x, y, 7 * size, 7 * size, colour);
    picture_text(picture, x + 10 * size, y, size, name, ink);
}

static void draw_keys(const Colouring *c, const ThawField *field, Picture *picture, int x, int y, int size,
                      const unsigned char ink[3]) {
    float rgb[3];
    for (int i = 0; i < field->category_count; i++)
        if (c->used >> i & 1) {
            category_colour(field->categories[i], i, rgb);
            swatch(picture, x, y, size, rgb, field->categories[i], ink);
            y += 11 * size;
        }
    if (field->category_count > 0)
        return;
    id_colour(-1, 0, rgb);
    swatch(picture, x, y, size, rgb, "elastic", ink);
    for (int i = 3; i >= 0 && c->used & 2; i--) { // a fan of swatches, the last one's text is that of all
        id_colour(i, 0, rgb);
        swatch(picture, x + 3 * i * size, y + 11 * size, size, rgb, i == 3 ? "rigid" : "", ink);
    }
}

static void draw_bar(const Colouring *c, Picture *picture, int x, int top, int bottom, int size, double unit,
                     const unsigned char ink[3]) {
    int bar = 7 * size, ticks = c->low > 0 ? DECADES : 4;
    for (int j = top; j < bottom; j++) {
        float rgb[3];
        unsigned char line[3];
        picture_colour((double)(bottom - 1 - j) / (bottom - 1 - top), rgb);
        to_bytes(rgb, line);
        picture_fill(picture, x, j, bar, 1, line);
    }
    for (int i = 0; i <= ticks; i++) {
        char text[32];
        int at = bottom - 1 - i * (bottom - 1 - top) / ticks;
        double value = c->low > 0 ? c->low * pow(10, i) : c->high / unit * i / ticks;
        int cut = i == ticks && c->most > c->high * (1 + 1e-9);
        snprintf(text, sizeof text, c->low > 0 ? "%.0e%s" : "%.3g%s", value, cut ? "+" : "");
        picture_fill(picture, x + bar, at, 2 * size, size > 1 ? size / 2 : 1, ink);
        picture_text(picture, x + bar + 4 * size, at - 3 * size, size, text, ink);
    }
}

void colouring_legend(const Colouring *c, Picture *picture, int x, int y, int height, int size,
                      const unsigned char ink[3]) {
    static const struct {
        double scale;
        const char *name;
    } pascals[] = {{1e9, "GPa"}, {1e6, "MPa"}, {1e3, "kPa"}, {1, "Pa"}};
    const ThawField *field = field_of(c);
    if (!colouring_legend_width(c, size))
        return;
    int top = print_lines(picture, x, y, size, field->label, ink), i = 3;
    if (field->category_count != 0) {
        draw_keys(c, field, picture, x, top + 4 * size, size, ink);
        return;
    }
    int stress = strcmp(field->unit, "Pa") == 0;
    for (i = 0; stress && i < 3 && c->high < pascals[i].scale;)
        i++;
    top = print_lines(picture, x, top, size, stress ? pascals[i].name : field->unit, ink);
    const double unit = stress ? pascals[i].scale : 1;
    draw_bar(c, picture, x, top + 4 * size, y + height - 4 * size, size, unit, ink);
    if (c->most > c->high * (1 + 1e-9)) { // what the warmest colour stands for as well
        char text[32];
        snprintf(text, sizeof text, c->most / unit < 1000 ? "+ up to %.3g" : "+ up to %.0f", c->most / unit);
        print_lines(picture, x, y + height + 4 * size, size, text, ink);
    }
}
