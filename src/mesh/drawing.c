// SPDX-License-Identifier: Apache-2.0
// Drawings as soups of segments. Neither the distance to an outline nor its inside needs to know how segments hang
// together, as long as they close: an even number of them ends at each point. SVG's lines are closed where they are
// read, the boundary of a set of triangles is by nature, and outlines of Triangle are checked.
//
// A flat surface is seen from above: z flat as it is; y flat, as modelling programs with y up write it, with -z up; x
// flat with z up. Asking a distance costs time in proportion to the number of segments.
#include "mesh/drawing.h"

#include <math.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "mesh/draft.h"
#include "thaw/triangles.h"

static int has_triangles(const char *path) {
    char other[4096];
    const size_t stem = strlen(path) - strlen(".poly");
    if (stem + 5 > sizeof other)
        return 0;
    memcpy(other, path, stem);
    strcpy(other + stem, ".ele");
    return access(other, F_OK) == 0;
}

int thaw_is_drawing(const char *path) {
    return thaw_ends_with(path, ".svg") || (thaw_ends_with(path, ".poly") && !has_triangles(path));
}

void thaw_drawing_free(ThawDrawing **drawing) {
    if (!drawing || !*drawing)
        return;
    for (int32_t i = 0; i < (*drawing)->part_count; i++)
        thaw_free((*drawing)->parts[i].points);
    thaw_free((*drawing)->parts);
    thaw_free(*drawing);
    *drawing = NULL;
}

// --- filling ---------------------------------------------------------------------------------------------------------

void thaw_drawing_begin(ThawDrawing *drawing, ThawText *text, int nonzero) {
    if (text->status)
        return;
    if (!drawing->part_count || drawing->parts[drawing->part_count - 1].count) {
        if (drawing->part_count == drawing->part_room) {
            const int32_t room = 2 * drawing->part_room + 8;
            ThawDrawingPart *parts =
                thaw_regrow(drawing->parts, (size_t)drawing->part_count, (size_t)room, sizeof *parts);
            if (!parts) {
                text->status = thaw_error_memory(text->error, "a drawing");
                return;
            }
            drawing->parts = parts;
            drawing->part_room = room;
        }
        drawing->parts[drawing->part_count++] = (ThawDrawingPart){0};
    }
    drawing->parts[drawing->part_count - 1].nonzero = nonzero;
}

void thaw_drawing_segment(ThawDrawing *drawing, ThawText *text, const double a[2], const double b[2]) {
    static const double FAR = 1e9; // beyond it differences drown
    if (text->status || (a[0] == b[0] && a[1] == b[1]))
        return;
    for (int k = 0; k < 2; k++)
        if (!(fabs(a[k]) <= FAR && fabs(b[k]) <= FAR)) {
            thaw_text_fail(text, "a line goes to %g; allowed are places up to %g from the origin",
                           fabs(a[k]) <= FAR ? b[k] : a[k], FAR);
            return;
        }
    if (drawing->segments >= THAW_DRAWING_MOST) {
        thaw_text_fail(text, "the drawing has more than %d segments; simplify it", THAW_DRAWING_MOST);
        return;
    }
    ThawDrawingPart *part = &drawing->parts[drawing->part_count - 1];
    if (part->count == part->room) {
        const int32_t room = 2 * part->room + 32;
        double *points = thaw_regrow(part->points, 4 * (size_t)part->count, 4 * (size_t)room, sizeof *points);
        if (!points) {
            text->status = thaw_error_memory(text->error, "a drawing");
            return;
        }
        part->points = points;
        part->room = room;
    }
    memcpy(part->points + 4 * (size_t)part->count++, (double[4]){a[0], a[1], b[0], b[1]}, 4 * sizeof(double));
    drawing->segments++;
}

// What is left when all is read: bounds, and whether anything can be enclosed, for which it takes three segments.
static ThawStatus finish(ThawDrawing *drawing, const char *name, ThawError *error) {
    int encloses = 0;
    if (drawing->part_count && !drawing->parts[drawing->part_count - 1].count)
        thaw_free(drawing->parts[--drawing->part_count].points);
    for (int k = 0; k < 2; k++) {
        drawing->lo[k] = INFINITY;
        drawing->hi[k] = -INFINITY;
    }
    for (int32_t i = 0; i < drawing->part_count; i++) {
        const ThawDrawingPart *part = &drawing->parts[i];
        encloses |= part->count >= 3;
        for (size_t k = 0; k < 4 * (size_t)part->count; k++) {
            drawing->lo[k % 2] = fmin(drawing->lo[k % 2], part->points[k]);
            drawing->hi[k % 2] = fmax(drawing->hi[k % 2], part->points[k]);
        }
    }
    if (encloses && drawing->lo[0] < drawing->hi[0] && drawing->lo[1] < drawing->hi[1])
        return THAW_OK;
    return thaw_error_set(error, THAW_ERROR_INPUT, "%s: the drawing encloses nothing; allowed: closed outlines",
                          thaw_text_path(name));
}

// --- outlines of Triangle --------------------------------------------------------------------------------------------

// Points, with how many segments end at each; then the segments. Holes are outlines inside others: their marks are not
// needed.
static void read_poly(ThawText *text, ThawDrawing *drawing) {
    thaw_text_record(text);
    const int32_t count = thaw_text_count(text, "the number of points", 3);
    const int64_t dim = thaw_text_integer(text, "the dimension", 2, 3);
    while (!thaw_text_done(text))
        thaw_text_integer(text, "the number of attributes or markers", 0, 1000);
    thaw_text_record_end(text);
    if (!text->status && (dim != 2 || count < 3))
        thaw_text_fail(text, "%d points of dimension %d; allowed: an outline of at least 3 points of dimension 2",
                       (int)count, (int)dim);
    double *x = text->status ? NULL : THAW_NEW(double, 2 * (size_t)count);
    int32_t *ends = text->status ? NULL : THAW_NEW(int32_t, count), base = 0;
    if (!text->status && (!x || !ends))
        text->status = thaw_error_memory(text->error, "an outline");
    for (int32_t i = 0; i < count && !text->status; i++) {
        thaw_text_record(text);
        const int64_t id = thaw_text_integer(text, "the id of a point", i ? base + i : 0, i ? base + i : 1);
        base = i ? base : (int32_t)id;
        for (int k = 0; k < 2; k++)
            x[2 * i + k] = thaw_text_number(text, "a coordinate of a point");
        while (!thaw_text_done(text))
            thaw_text_number(text, "an attribute of a point");
        thaw_text_record_end(text);
    }
    thaw_text_record(text);
    const int32_t sides = thaw_text_count(text, "the number of segments", 3);
    while (!thaw_text_done(text))
        thaw_text_integer(text, "the number of markers", 0, 1);
    thaw_text_record_end(text);
    thaw_drawing_begin(drawing, text, 0);
    for (int32_t i = 0; i < sides && !text->status; i++) {
        int32_t end[2];
        thaw_text_record(text);
        thaw_text_integer(text, "the id of a segment", 0, INT32_MAX);
        for (int k = 0; k < 2; k++)
            end[k] = (int32_t)(thaw_text_integer(text, "an end of a segment", base, (int64_t)base + count - 1) - base);
        while (!thaw_text_done(text))
            thaw_text_number(text, "the marker of a segment");
        thaw_text_record_end(text);
        if (text->status || end[0] == end[1])
            continue;
        thaw_drawing_segment(drawing, text, x + 2 * (size_t)end[0], x + 2 * (size_t)end[1]);
        ends[end[0]]++;
        ends[end[1]]++;
    }
    for (int32_t i = 0; i < count && !text->status; i++)
        if (ends[i] % 2)
            thaw_text_fail(text, "the outline is open: %d segment%s at point %d; allowed is an even number", ends[i],
                           ends[i] == 1 ? " ends" : "s end", i + base);
    thaw_free(x);
    thaw_free(ends);
}

// --- flat surfaces ---------------------------------------------------------------------------------------------------

static ThawStatus refuse_bent(const char *path, const double size[3], ThawError *error) {
    return thaw_error_set(error, THAW_ERROR_INPUT,
                          "%s: the surface measures %g x %g x %g; allowed in two dimensions: a flat one", path, size[0],
                          size[1], size[2]);
}

// Edges of an odd number of triangles are the outline.
static ThawStatus add_boundary(const ThawTriangleMesh *surface, int flat, ThawDrawing *drawing, ThawError *error) {
    const int u = flat == 0 ? 1 : 0, v = flat == 2 ? 1 : 2;
    const double up = flat == 1 ? -1 : 1;
    ThawText text = {.error = error, .path = "the surface"};
    int32_t *rows = NULL;
    ThawStatus status = thaw_surface_edge_rows(surface, &rows, error);
    const size_t count = 3 * (size_t)surface->triangle_count;
    if (!status)
        thaw_drawing_begin(drawing, &text, 0);
    for (size_t i = 0, end; !status && i < count; i = end) {
        for (end = i + 1; end < count && memcmp(rows + 3 * i, rows + 3 * end, 2 * sizeof *rows) == 0;)
            end++;
        const double *a = surface->x + 3 * (size_t)rows[3 * i], *b = surface->x + 3 * (size_t)rows[3 * i + 1];
        if ((end - i) % 2)
            thaw_drawing_segment(drawing, &text, (double[2]){a[u], up * a[v]}, (double[2]){b[u], up * b[v]});
        status = text.status;
    }
    thaw_free(rows);
    return status ? status : text.status;
}

int thaw_surface_flat_axis(const ThawTriangleMesh *surface, double size[3]) {
    static const double LEVEL = 1e-6; // of the largest extent
    double largest = 0;
    int flat = -1;
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (size_t i = (size_t)k; i < 3 * (size_t)surface->vertex_count; i += 3) {
            lo = fmin(lo, surface->x[i]);
            hi = fmax(hi, surface->x[i]);
        }
        largest = fmax(largest, size[k] = hi - lo);
    }
    for (int k = 0; k < 3; k++)
        flat = size[k] <= LEVEL * largest ? k : flat;
    return flat;
}

static ThawStatus read_flat(const char *path, ThawDrawing *drawing, ThawError *error) {
    ThawTriangleMesh *surface = NULL;
    double size[3];
    ThawStatus status = thaw_triangles_read(path, &surface, error);
    if (!status)
        status = thaw_triangles_weld(surface, NULL, error);
    if (!status) {
        const int flat = thaw_surface_flat_axis(surface, size);
        status = flat < 0 ? refuse_bent(path, size, error) : add_boundary(surface, flat, drawing, error);
    }
    thaw_triangles_free(&surface);
    return status;
}

// --- files -----------------------------------------------------------------------------------------------------------

typedef struct Format {
    char comment;
    ThawHeadCheck head;
    void (*read)(ThawText *text, ThawDrawing *drawing);
} Format;

static const Format svg = {0, thaw_head_svg, thaw_read_svg}, poly = {'#', thaw_head_tetgen, read_poly};

static ThawStatus read_text(ThawText *text, ThawStatus opened, const Format *format, ThawDrawing *drawing) {
    if (!opened)
        format->read(text, drawing);
    const ThawStatus status = opened ? opened : text->status;
    thaw_text_close(text);
    return status;
}

static ThawStatus conclude(ThawStatus status, const char *name, ThawDrawing **drawing, ThawError *error) {
    if (!status)
        status = finish(*drawing, name, error);
    if (status)
        thaw_drawing_free(drawing);
    return status;
}

ThawStatus thaw_drawing_read(const char *path, ThawDrawing **drawing, ThawError *error) {
    ThawStatus status;
    if (!(*drawing = THAW_NEW(ThawDrawing, 1)))
        return thaw_error_memory(error, "a drawing");
    if (thaw_is_drawing(path)) {
        const Format *format = thaw_ends_with(path, ".svg") ? &svg : &poly;
        ThawText text;
        status = thaw_text_open(path, format->comment, format->head, &text, error);
        status = read_text(&text, status, format, *drawing);
    } else {
        status = read_flat(path, *drawing, error);
    }
    return conclude(status, path, drawing, error);
}

ThawStatus thaw_drawing_parse(const void *bytes, size_t size, const char *ending, const char *name,
                              ThawDrawing **drawing, ThawError *error) {
    const Format *format = strcasecmp(ending, ".svg") == 0 ? &svg : &poly;
    ThawText text;
    if (!(*drawing = THAW_NEW(ThawDrawing, 1)))
        return thaw_error_memory(error, "a drawing");
    ThawStatus status = thaw_text_copy(bytes, size, name, format->comment, format->head, &text, error);
    return conclude(read_text(&text, status, format, *drawing), name, drawing, error);
}

int32_t thaw_solid_add_drawing(ThawSolid *solid, const ThawDrawing *drawing, double lo, double hi) {
    const int32_t all = thaw_solid_add(solid, THAW_SOLID_UNION);
    for (int32_t i = 0; all >= 0 && i < drawing->part_count; i++) {
        const ThawDrawingPart *part = &drawing->parts[i];
        const int32_t node = thaw_solid_add(solid, THAW_SOLID_PRISM);
        double *points = node < 0 ? NULL : THAW_NEW(double, 4 * (size_t)part->count);
        if (!points)
            return -1;
        memcpy(points, part->points, 4 * sizeof *points * (size_t)part->count);
        ThawSolidNode *n = &solid->nodes[node];
        n->points = points;
        n->point_count = 2 * part->count;
        n->segments = 1;
        n->nonzero = part->nonzero;
        n->value[0] = lo;
        n->value[1] = hi;
        thaw_solid_bound(solid, node);
        thaw_solid_adopt(solid, all, node);
    }
    if (all >= 0)
        thaw_solid_bound(solid, all);
    return all;
}
