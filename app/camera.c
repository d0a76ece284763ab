// SPDX-License-Identifier: Apache-2.0
// From a frame to a picture of it: surface, normals, colours, camera, ground with a soft shadow.
//
// Normals are smooth where the surface is (triangles at a corner within 35 degrees are averaged, less so up to 60) and
// keep creases. The shadow is the surface drawn along the light onto the ground, into a small picture that is blurred
// three times by a box, which is nearly a Gaussian. The ground is otherwise the background itself, with faint lines
// that fade away, so pictures side by side join without a seam. Half-spaces that are tilted are drawn as the ground is,
// with lines and a shadow of their own, on a grey that fades away. Cost: linear in triangles and samples, and in such
// half-spaces.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "camera.h"
#include "math/vec3.h"
#include "picture.h"

static const double slope = 0.26;                // half the height of the picture, at distance 1
static const double smooth = 0.82, crease = 0.5; // cosines of 35 and 60 degrees

// --- camera ----------------------------------------------------------------------------------------------------------

void view_turn(View *view, double azimuth, double elevation) {
    double a = azimuth * M_PI / 180, e = elevation * M_PI / 180;
    if (view->flat)
        a = 0, e = M_PI / 2;
    const double right[3] = {cos(a), sin(a), 0};
    const double forward[3] = {-sin(a) * cos(e), cos(a) * cos(e), -sin(e)};
    const double up[3] = {-sin(a) * sin(e), cos(a) * sin(e), cos(e)};
    memcpy(view->right, right, sizeof right);
    memcpy(view->forward, forward, sizeof forward);
    memcpy(view->up, up, sizeof up);
    // The main light comes from the upper left behind the viewer.
    double key[3] = {0, 0, 1.35};
    for (int k = 0; k < 3; k++)
        key[k] += -0.5 * right[k] - (k < 2 ? 0.45 * forward[k] : 0);
    double fill[3];
    for (int k = 0; k < 3; k++)
        fill[k] = 0.8 * right[k] - 0.6 * forward[k];
    thaw_v3_unit(key);
    thaw_v3_unit(fill);
    for (int k = 0; k < 3; k++) {
        view->shading.view[k] = (float)-forward[k];
        view->shading.key[k] = (float)key[k];
        view->shading.fill[k] = (float)fill[k];
        view->shading.up[k] = k == 2;
    }
    view->shading.lit = !view->flat;
}

static void to_camera(const View *view, const double x[3], double out[3]) {
    out[0] = thaw_v3_dot(view->right, x);
    out[1] = thaw_v3_dot(view->up, x);
    out[2] = thaw_v3_dot(view->forward, x);
}

ViewBounds view_bounds_empty(void) {
    return (ViewBounds){.low = {INFINITY, INFINITY, INFINITY},
                        .high = {-INFINITY, -INFINITY, -INFINITY},
                        .lowest = INFINITY,
                        .floor = -INFINITY};
}

void view_bounds_add(const View *view, const ThawFrameData *frame, ViewBounds *bounds) {
    for (int64_t p = 0; p < frame->point_count; p++) {
        double c[3];
        to_camera(view, frame->x + 3 * p, c);
        for (int k = 0; k < 3; k++) {
            bounds->low[k] = fmin(bounds->low[k], c[k]);
            bounds->high[k] = fmax(bounds->high[k], c[k]);
        }
        bounds->lowest = fmin(bounds->lowest, frame->x[3 * p + 2]);
    }
}

// A level half-space is the ground itself: z of its upper side, or -INFINITY for other triangles. Slabs are boxes,
// whose points come in eights.
static double level_of(const ThawFrameData *o, int64_t triangle) {
    const int32_t *t = o->cells + 3 * triangle;
    double low = INFINITY, high = -INFINITY;
    if (o->region[triangle] != THAW_OBSTACLE_HALF_SPACE)
        return -INFINITY;
    int32_t first = t[0], last = t[0];
    while (first > 0 && o->body[first - 1] == o->body[t[0]])
        first--;
    while (last + 1 < o->point_count && o->body[last + 1] == o->body[t[0]])
        last++;
    double wide = 0;
    for (int64_t p = first; p <= last; p++) {
        low = fmin(low, o->x[3 * p + 2]);
        high = fmax(high, o->x[3 * p + 2]);
        wide = fmax(wide, fabs(o->x[3 * p] - o->x[3 * (int64_t)first]));
    }
    return high - low < 0.0201 * wide ? high : -INFINITY;
}

void view_bounds_add_obstacles(const View *view, const ThawFrameData *obstacles, ViewBounds *bounds) {
    for (int64_t t = 0; t < obstacles->cell_count; t++) {
        if (!view->flat)
            bounds->floor = fmax(bounds->floor, level_of(obstacles, t));
        for (int i = 0; i < 3 && obstacles->region[t] != THAW_OBSTACLE_HALF_SPACE; i++) {
            double c[3];
            to_camera(view, obstacles->x + 3 * (int64_t)obstacles->cells[3 * t + i], c);
            for (int k = 0; k < 3; k++) {
                bounds->low[k] = fmin(bounds->low[k], c[k]);
                bounds->high[k] = fmax(bounds->high[k], c[k]);
            }
        }
    }
}

double view_bounds_ratio(const View *view, const ViewBounds *bounds) {
    const float *key = view->shading.key;
    const double drift = view->flat ? 0 : fabs(view->right[0] * key[0] + view->right[1] * key[1]) / key[2];
    const double high = bounds->high[1] - bounds->low[1];
    return high / (bounds->high[0] - bounds->low[0] + drift * high);
}

void view_aim(View *view, const ViewBounds *bounds, int width, int height, double zoom) {
    double half[3];
    view->size = 0;
    for (int k = 0; k < 3; k++) {
        int any = bounds->low[k] <= bounds->high[k];
        half[k] = any ? (bounds->high[k] - bounds->low[k]) / 2 : 1;
        view->centre[k] = any ? (bounds->high[k] + bounds->low[k]) / 2 : 0;
        view->size = fmax(view->size, 2 * half[k]);
    }
    if (!(view->size > 0))
        view->size = 1;
    view->middle = 0.5 * width;
    view->wide = 0.88 * zoom * width;
    view->high = 0.82 * zoom * height;
    view->floats = !isfinite(bounds->floor);
    view->ground = isfinite(bounds->floor) ? bounds->floor : bounds->lowest - 0.012 * view->size;
    double least = 1e-3 * view->size;
    if (view->flat) {
        view->distance = 1;
        view->focal = fmin(view->wide / fmax(2 * half[0], least), view->high / fmax(2 * half[1], least));
        view->centre[1] -= 0.03 * height / view->focal; // a little higher, for the time is written below
        return;
    }
    view->focal = height / (2 * slope);
    view->distance = 0.05 * view->size;
    for (int i = 0; i < 4 * VIEW_SLOPES; i++)
        view->reach[i / VIEW_SLOPES][i % VIEW_SLOPES] = -INFINITY;
}

// A camera at (cx, cy), d before the centre, sees a point (a, b, c) at a slope of (a - cx) / (d + c) to the right. It
// is within s to both sides if  cx + s d >= a - s c  and  -cx + s d >= -a - s c:  of all points only the largest of the
// right-hand sides count. Both equal make the smallest d, and leave what is seen in the middle. The height may ask for
// a larger d, and so for a smaller s: the sides are kept for VIEW_SLOPES parts of the largest slopes.
static void fit_point(View *view, const double x[3]) {
    double c[3];
    to_camera(view, x, c);
    for (int k = 0; k < 3; k++)
        c[k] -= view->centre[k];
    for (int k = 0; k < 2; k++) {
        const double slope_most = (k ? view->high : view->wide) / (2 * view->focal);
        for (int i = 0; i < VIEW_SLOPES; i++) {
            const double s = slope_most * (i + 1) / VIEW_SLOPES;
            view->reach[2 * k][i] = fmax(view->reach[2 * k][i], c[k] - s * c[2]);
            view->reach[2 * k + 1][i] = fmax(view->reach[2 * k + 1][i], -c[k] - s * c[2]);
        }
    }
    view->distance = fmax(view->distance, 0.05 * view->size - c[2]); // nothing is behind the camera
}

// A point and its shadow.
static void fit_lit(View *view, const double x[3]) {
    const float *key = view->shading.key;
    const double above = x[2] - view->ground;
    fit_point(view, x);
    if (above > 0)
        fit_point(view, (double[3]){x[0] - above * key[0] / key[2], x[1] - above * key[1] / key[2], view->ground});
}

void view_fit(View *view, const ThawFrameData *frame) {
    for (int64_t p = 0; !view->flat && p < frame->point_count; p++)
        fit_lit(view, frame->x + 3 * p);
}

void view_fit_obstacles(View *view, const ThawFrameData *obstacles) {
    for (int64_t i = 0; !view->flat && i < 3 * (int64_t)obstacles->cell_count; i++)
        if (obstacles->region[i / 3] != THAW_OBSTACLE_HALF_SPACE)
            fit_lit(view, obstacles->x + 3 * (int64_t)obstacles->cells[i]);
}

void view_settle(View *view) {
    if (view->flat || !isfinite(view->reach[0][0]))
        return;
    for (int k = 0; k < 2; k++) {
        const double s = (k ? view->high : view->wide) / (2 * view->focal);
        view->distance = fmax(
            view->distance, (view->reach[2 * k][VIEW_SLOPES - 1] + view->reach[2 * k + 1][VIEW_SLOPES - 1]) / (2 * s));
    }
    for (int k = 0; k < 2; k++) {
        const double step = (k ? view->high : view->wide) / (2 * view->focal * VIEW_SLOPES);
        const double *more = view->reach[2 * k], *less = view->reach[2 * k + 1];
        // The slope within which all is, from this distance: between two of them what does not fit falls nearly evenly.
        double over = INFINITY, middle = 0;
        for (int i = 0; i < VIEW_SLOPES && over > 0; i++) {
            const double before = over, last = middle;
            over = more[i] + less[i] - 2 * view->distance * step * (i + 1);
            middle = (more[i] - less[i]) / 2;
            if (over <= 0 && i > 0)
                middle += (last - middle) * over / (over - before);
        }
        view->centre[k] += middle;
    }
}

static void project(const View *view, const Raster *raster, const double x[3], RasterCorner *corner) {
    double c[3];
    to_camera(view, x, c);
    double depth = view->flat ? 1 : c[2] - view->centre[2] + view->distance;
    corner->x = (float)(view->middle + view->focal * (c[0] - view->centre[0]) / depth);
    corner->y = (float)(0.5 * raster->height - view->focal * (c[1] - view->centre[1]) / depth);
    corner->nearness = depth > 0 ? (float)(1 / depth) : 0;
}

// --- surface ---------------------------------------------------------------------------------------------------------

typedef struct Surface {
    ThawSkin skin;
    double *area;    // 3 a triangle: normal times twice the area
    int32_t *first;  // point_count + 1: where a point's corners begin in `around`
    int32_t *around; // triangles around each point
    double *value;   // of each point, 0 to 1, when the colour is by value
} Surface;

static void surface_clear(Surface *s) {
    thaw_skin_clear(&s->skin);
    thaw_free(s->area);
    thaw_free(s->first);
    thaw_free(s->around);
    thaw_free(s->value);
}

static ThawStatus surface_build(const View *view, const ThawFrameData *f, Surface *s, ThawError *error) {
    *s = (Surface){0};
    ThawStatus status = thaw_skin_build(f->point_count, f->nodes, f->cells, f->cell_count, &s->skin, error);
    if (status != THAW_OK)
        return status;
    int64_t corners = 3 * (int64_t)s->skin.triangle_count;
    s->area = THAW_NEW(double, corners);
    s->first = THAW_NEW(int32_t, (size_t)f->point_count + 2);
    s->around = THAW_NEW(int32_t, corners);
    s->value = THAW_NEW(double, f->point_count);
    if (!s->area || !s->first || !s->around || !s->value)
        return thaw_error_memory(error, "the surface of a picture");
    for (int64_t t = 0; t < s->skin.triangle_count; t++) {
        const int32_t *v = s->skin.triangles + 3 * t;
        const double *a = f->x + 3 * (int64_t)v[0], *b = f->x + 3 * (int64_t)v[1], *c = f->x + 3 * (int64_t)v[2];
        for (int k = 0; k < 3; k++) {
            int l = (k + 1) % 3, m = (k + 2) % 3;
            s->area[3 * t + k] = (b[l] - a[l]) * (c[m] - a[m]) - (b[m] - a[m]) * (c[l] - a[l]);
        }
    }
    // Counting sort of the corners by their point; one place ahead while filling.
    for (int64_t i = 0; i < corners; i++)
        s->first[s->skin.triangles[i] + 2]++;
    for (int64_t p = 0; p < f->point_count; p++)
        s->first[p + 2] += s->first[p + 1];
    for (int64_t i = 0; i < corners; i++)
        s->around[s->first[s->skin.triangles[i] + 1]++] = (int32_t)(i / 3);
    return colouring_points(&view->colour, f, s->value, error);
}

// The average over the triangles around a corner that are not behind a crease. Those at angles between smooth and
// crease count in part: on a coarse mesh of a round body neighbours are on either side of any sharp bound, which shows
// as teeth.
static void corner_normal(const Surface *s, int64_t triangle, int32_t point, float normal[3]) {
    const double *own = s->area + 3 * triangle;
    double sum[3] = {own[0], own[1], own[2]}, length = thaw_v3_norm(own);
    for (int32_t i = s->first[point]; i < s->first[point + 1]; i++) {
        const double *other = s->area + 3 * (int64_t)s->around[i];
        const double cosine = thaw_v3_dot(own, other) / (length * thaw_v3_norm(other));
        if (s->around[i] != triangle && cosine > crease) // also false without an area
            for (int k = 0; k < 3; k++)
                sum[k] += fmin(1, (cosine - crease) / (smooth - crease)) * other[k];
    }
    thaw_v3_unit(sum);
    for (int k = 0; k < 3; k++)
        normal[k] = (float)sum[k];
}

static void draw_surface(const View *view, const ThawFrameData *f, const Surface *s, Raster *raster) {
    for (int64_t t = 0; t < s->skin.triangle_count; t++) {
        RasterCorner corner[3];
        for (int i = 0; i < 3; i++) {
            int32_t p = s->skin.triangles[3 * t + i];
            project(view, raster, f->x + 3 * (int64_t)p, &corner[i]);
            corner_normal(s, t, p, corner[i].normal);
            colouring_corner(&view->colour, f, s->skin.element[t], p, s->value[p], corner[i].colour);
        }
        raster_triangle(raster, corner, &view->shading);
    }
}

// In the plane a half-space fills all of the picture below its surface, behind everything else; frames hold only a slab
// of it, as four corners against the clock from the lower left. Lighter than other obstacles, for text is written on
// it.
static void draw_half_plane(const View *view, const double *slab, const RasterShading *shading, Raster *raster) {
    const double length = hypot(slab[3] - slab[0], slab[4] - slab[1]);
    const double along[2] = {(slab[3] - slab[0]) / length, (slab[4] - slab[1]) / length},
                 out[2] = {-along[1], along[0]};
    const double reach = (raster->width + raster->height) / view->focal; // m: nothing in the picture is farther away
    // A surface farther away than that, on either side, is moved to there and still not seen.
    const double above = (view->centre[0] - slab[9]) * out[0] + (view->centre[1] - slab[10]) * out[1];
    const double level = -fmax(-reach, fmin(reach, above));
    RasterCorner corner[4] = {0};
    for (int i = 0; i < 4; i++) {
        const double side = i == 1 || i == 2 ? reach : -reach, height = i < 2 ? level - 2 * reach : level;
        double x[3] = {0};
        for (int k = 0; k < 2; k++)
            x[k] = view->centre[k] + side * along[k] + height * out[k];
        project(view, raster, x, &corner[i]);
        corner[i].nearness *= 0.5f;
        for (int k = 0; k < 3; k++)
            corner[i].colour[k] = picture_linear((int[]){182, 187, 192}[k]);
    }
    raster_triangle(raster, (RasterCorner[]){corner[0], corner[1], corner[2]}, shading);
    raster_triangle(raster, (RasterCorner[]){corner[0], corner[2], corner[3]}, shading);
}

// In a neutral grey, and no half-spaces, which are drawn as the ground is.
static void draw_obstacles(const View *view, const ThawFrameData *f, const Surface *s, Raster *raster) {
    RasterShading shading = view->shading;
    shading.edge_width = 0;
    for (int64_t t = 0; t < s->skin.triangle_count; t++) {
        RasterCorner corner[3];
        if (!view->flat && f->region[t] == THAW_OBSTACLE_HALF_SPACE)
            continue;
        if (view->flat && f->region[t] == THAW_OBSTACLE_HALF_SPACE && f->cells[3 * t] + 3 < f->point_count) {
            draw_half_plane(view, f->x + 3 * (int64_t)f->cells[3 * t], &shading, raster);
            continue;
        }
        for (int i = 0; i < 3; i++) {
            int32_t p = s->skin.triangles[3 * t + i];
            project(view, raster, f->x + 3 * (int64_t)p, &corner[i]);
            corner_normal(s, t, p, corner[i].normal);
            for (int k = 0; k < 3; k++)
                corner[i].colour[k] = picture_linear((int[]){158, 163, 168}[k]);
        }
        raster_triangle(raster, corner, &shading);
    }
}

// --- ground ----------------------------------------------------------------------------------------------------------

enum { SHADOW = 384 }; // samples across

// The ground, or the surface of a half-space.
typedef struct Plane {
    double axis[2][3], normal[3]; // unit
    double level;                 // m, of all its points along the normal
} Plane;

typedef struct Shadow {
    Raster map;             // red: how much of the light is taken
    double x0, y0, spacing; // coordinates along the plane's axes of the first sample's corner, m a sample
} Shadow;

// A box blur along rows or columns, by running sums.
static void blur(float *map, float *line, int radius, int stride, int across) {
    for (int row = 0; row < SHADOW; row++) {
        float *m = map + 3 * (size_t)row * (size_t)across;
        float sum = 0;
        for (int i = 0; i < SHADOW; i++)
            line[i] = m[3 * (size_t)i * (size_t)stride];
        for (int i = -radius; i < SHADOW; i++) {
            if (i + radius < SHADOW)
                sum += line[i + radius];
            if (i - radius - 1 >= 0)
                sum -= line[i - radius - 1];
            if (i >= 0)
                m[3 * (size_t)i * (size_t)stride] = sum / (float)(2 * radius + 1);
        }
    }
}

static Plane ground_of(const View *view) { return (Plane){{{1, 0, 0}, {0, 1, 0}}, {0, 0, 1}, view->ground}; }

// How much of the light falls along a direction.
static double key_along(const View *view, const double a[3]) {
    const float *key = view->shading.key;
    return key[0] * a[0] + key[1] * a[1] + key[2] * a[2];
}

// Along the light.
static void to_plane(const View *view, const Plane *plane, const double x[3], double out[2]) {
    for (int k = 0; k < 2; k++)
        out[k] = thaw_v3_dot(plane->axis[k], x) - (thaw_v3_dot(plane->normal, x) - plane->level) *
                                                      key_along(view, plane->axis[k]) / key_along(view, plane->normal);
}

// Something that throws a shadow.
typedef struct Thing {
    const ThawFrameData *frame;
    const Surface *surface;
    int around; // obstacles: half-spaces throw none
} Thing;

static int throws_shadow(const Thing *thing, int64_t triangle) {
    return !thing->around || thing->frame->region[thing->surface->skin.element[triangle]] != THAW_OBSTACLE_HALF_SPACE;
}

static ThawStatus shadow_build(const View *view, const Plane *plane, const Thing *things, int count, Shadow *shadow,
                               ThawError *error) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, at[2];
    for (const Thing *thing = things; thing < things + count; thing++)
        for (int64_t i = 0; i < 3 * (int64_t)thing->surface->skin.triangle_count; i++) {
            if (!throws_shadow(thing, i / 3))
                continue;
            to_plane(view, plane, thing->frame->x + 3 * (int64_t)thing->surface->skin.triangles[i], at);
            for (int k = 0; k < 2; k++) {
                low[k] = fmin(low[k], at[k]);
                high[k] = fmax(high[k], at[k]);
            }
        }
    double softness = 0.04 * view->size, margin = 4 * softness;
    double extent = low[0] <= high[0] ? fmax(high[0] - low[0], high[1] - low[1]) + 2 * margin : 1;
    shadow->spacing = extent / SHADOW;
    shadow->x0 = low[0] - margin;
    shadow->y0 = low[1] - margin;
    float *line = THAW_NEW(float, SHADOW);
    if (!raster_create(SHADOW, SHADOW, &shadow->map) || !line) {
        thaw_free(line);
        raster_clear(&shadow->map);
        return thaw_error_memory(error, "a shadow");
    }
    RasterShading plain = {0};
    for (const Thing *thing = things; thing < things + count; thing++)
        for (int64_t t = 0; t < thing->surface->skin.triangle_count; t++) {
            RasterCorner corner[3] = {0};
            if (!throws_shadow(thing, t))
                continue;
            for (int i = 0; i < 3; i++) {
                to_plane(view, plane, thing->frame->x + 3 * (int64_t)thing->surface->skin.triangles[3 * t + i], at);
                corner[i] = (RasterCorner){.x = (float)((at[0] - shadow->x0) / shadow->spacing),
                                           .y = (float)((at[1] - shadow->y0) / shadow->spacing),
                                           .nearness = 1,
                                           .colour = {1, 1, 1}};
            }
            raster_triangle(&shadow->map, corner, &plain);
        }
    int radius = 1 + (int)(softness / shadow->spacing);
    for (int pass = 0; pass < 3; pass++) {
        blur(shadow->map.rgb, line, radius, 1, SHADOW);
        blur(shadow->map.rgb, line, radius, SHADOW, 1);
    }
    thaw_free(line);
    return THAW_OK;
}

static float shadow_at(const Shadow *s, double x, double y) {
    double u = (x - s->x0) / s->spacing - 0.5, v = (y - s->y0) / s->spacing - 0.5;
    if (!(u >= 0 && v >= 0 && u < SHADOW - 1 && v < SHADOW - 1))
        return 0;
    int i = (int)u, j = (int)v;
    float a = (float)(u - i), b = (float)(v - j);
    const float *m = s->map.rgb + 3 * ((size_t)j * SHADOW + (size_t)i);
    return (1 - b) * ((1 - a) * m[0] + a * m[3]) + b * ((1 - a) * m[3 * SHADOW] + a * m[3 * SHADOW + 3]);
}

// How much of a thin line a point is on: lines every `pitch` metres, `width` metres wide.
static double on_line(double x, double pitch, double width) {
    double off = fabs(x - pitch * round(x / pitch));
    return off < width ? 1 - off / width : 0;
}

// What a ray through a sample meets of a plane.
typedef struct Spot {
    double far;       // along the view; 0: it does not meet the plane from its upper side
    double off;       // from the middle of what is seen, over its size
    float dark, line; // shadow, and faint lines
} Spot;

// From where rays start, and the middle of what is seen.
typedef struct Eye {
    double at[3], middle[3];
    double pitch; // m, of lines: 0.1, 1, 10 m ..., and halves, quarters or eighths of it
} Eye;

static Eye eye_of(const View *view) {
    Eye eye = {.pitch = pow(10, floor(log10(view->size)))};
    eye.pitch *= view->size / eye.pitch > 4 ? 0.5 : view->size / eye.pitch > 2 ? 0.25 : 0.125;
    for (int k = 0; k < 3; k++) {
        eye.middle[k] =
            view->right[k] * view->centre[0] + view->up[k] * view->centre[1] + view->forward[k] * view->centre[2];
        eye.at[k] = eye.middle[k] - view->distance * view->forward[k];
    }
    return eye;
}

static Spot look_at_plane(const View *view, const Eye *eye, const Plane *plane, const Shadow *shadow,
                          const Raster *raster, int x, int y) {
    double ray[3], at[3], a = (x + 0.5 - view->middle) / view->focal,
                          b = (0.5 * raster->height - y - 0.5) / view->focal;
    for (int k = 0; k < 3; k++)
        ray[k] = view->forward[k] + a * view->right[k] + b * view->up[k];
    const double down = thaw_v3_dot(plane->normal, ray), height = thaw_v3_dot(plane->normal, eye->at) - plane->level;
    if (!(down < -1e-6 && height > 0))
        return (Spot){0};
    const double t = -height / down;
    for (int k = 0; k < 3; k++)
        at[k] = eye->at[k] + t * ray[k];
    const double u = thaw_v3_dot(plane->axis[0], at), v = thaw_v3_dot(plane->axis[1], at);
    double far = hypot(u - thaw_v3_dot(plane->axis[0], eye->middle), v - thaw_v3_dot(plane->axis[1], eye->middle)) /
                 (0.95 * view->size);
    double fade = far < 1 ? (1 - far * far) * (1 - far * far) : 0;
    double width = 0.8 * t * 3 / view->focal; // about a pixel, of three samples
    // Nothing of the ground reaches the sides, so that pictures join.
    double side = fmin(1, 8 * fmin(x, raster->width - x) / raster->width);
    return (Spot){.far = t,
                  .off = far,
                  .dark = shadow->map.rgb ? (float)(side * side * (3 - 2 * side)) * shadow_at(shadow, u, v) : 0,
                  .line =
                      (float)(0.10 * side * fade * fmax(on_line(u, eye->pitch, width), on_line(v, eye->pitch, width)))};
}

// Whether triangle t is the first of a half-space that is not the ground. Slabs are boxes of eight points.
static int is_tilted(const ThawFrameData *o, int64_t t) {
    const int64_t first = o->cells[3 * t];
    return o->region[t] == THAW_OBSTACLE_HALF_SPACE && first + 8 <= o->point_count &&
           (t == 0 || o->body[first] != o->body[o->cells[3 * (t - 1)]]) && !isfinite(level_of(o, t));
}

static int any_tilted(const ThawFrameData *o) {
    int any = 0;
    for (int64_t t = 0; o && t < o->cell_count && !any; t++)
        any = is_tilted(o, t);
    return any;
}

static const float shade[3] = {0.56f, 0.50f, 0.42f}; // a shadow is lit by the sky

static void draw_background(const View *view, const Shadow *shadow, Raster *raster) {
    const Eye eye = eye_of(view);
    const Plane ground = ground_of(view);
    const int none = view->flat || (view->floats && any_tilted(view->obstacles)); // what is tilted is there instead
    for (int y = 0; y < raster->height; y++)
        for (int x = 0; x < raster->width; x++) {
            size_t at = (size_t)y * (size_t)raster->width + (size_t)x;
            if (raster->nearness[at] > 0)
                continue;
            float part = ((float)y + 0.5f) / (float)raster->height;
            Spot spot = none ? (Spot){0} : look_at_plane(view, &eye, &ground, shadow, raster, x, y);
            for (int k = 0; k < 3; k++)
                raster->rgb[3 * at + (size_t)k] = (1 - shade[k] * spot.dark - spot.line) *
                                                  ((1 - part) * view->background[0][k] + part * view->background[1][k]);
        }
}

// --- tilted half-spaces ----------------------------------------------------------------------------------------------

enum { TILTED = 32 }; // that are drawn; more make no readable picture
static const double GRAZING =
    0.15; // light that falls at a lower angle throws no shadow that could be told from the dark

// The upper side of a slab: the last four of its points.
static Plane plane_of(const double *slab) {
    Plane plane;
    for (int k = 0; k < 3; k++) {
        plane.axis[0][k] = slab[15 + k] - slab[12 + k];
        plane.axis[1][k] = slab[18 + k] - slab[12 + k];
    }
    thaw_v3_unit(plane.axis[0]);
    thaw_v3_unit(plane.axis[1]);
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        plane.normal[k] = plane.axis[0][l] * plane.axis[1][m] - plane.axis[0][m] * plane.axis[1][l];
    }
    plane.level = thaw_v3_dot(plane.normal, slab + 12);
    return plane;
}

// Over all that is farther away; it fades into what is there. From behind it is not seen, as the ground is not.
static void draw_plane(const View *view, const Plane *plane, const Shadow *shadow, Raster *raster) {
    const Eye eye = eye_of(view);
    const double lit = 0.62 + 0.38 * fmax(0, key_along(view, plane->normal));
    for (int y = 0; y < raster->height; y++)
        for (int x = 0; x < raster->width; x++) {
            size_t at = (size_t)y * (size_t)raster->width + (size_t)x;
            const Spot spot = look_at_plane(view, &eye, plane, shadow, raster, x, y);
            const float over = (float)fmin(1, fmax(0, (2 - spot.off) / 0.8));
            if (!(spot.far > 0) || raster->nearness[at] * spot.far > 1 - 1e-4 || !(over > 0))
                continue;
            for (int k = 0; k < 3; k++) {
                float *rgb = &raster->rgb[3 * at + (size_t)k];
                const float grey = (float)lit * picture_linear((int[]){196, 201, 207}[k]);
                *rgb = (1 - over) * *rgb + over * (1 - shade[k] * spot.dark - spot.line) * grey;
            }
            if (over == 1)
                raster->nearness[at] = (float)(1 / spot.far);
        }
}

static ThawStatus draw_tilted(const View *view, const Thing *things, int count, Raster *raster, ThawError *error) {
    const ThawFrameData *o = view->obstacles;
    ThawStatus status = THAW_OK;
    int drawn = 0;
    for (int64_t t = 0; t < o->cell_count && drawn < TILTED && status == THAW_OK; t++) {
        if (!is_tilted(o, t))
            continue;
        const Plane plane = plane_of(o->x + 3 * (int64_t)o->cells[3 * t]);
        Shadow shadow = {0};
        if (key_along(view, plane.normal) > GRAZING)
            status = shadow_build(view, &plane, things, count, &shadow, error);
        if (status == THAW_OK)
            draw_plane(view, &plane, &shadow, raster);
        raster_clear(&shadow.map);
        drawn++;
    }
    return status;
}

ThawStatus view_seen(const View *view, const ThawFrameData *frame, unsigned char *seen, ThawError *error) {
    ThawSkin skin;
    ThawStatus status =
        thaw_skin_build(frame->point_count, frame->nodes, frame->cells, frame->cell_count, &skin, error);
    if (status != THAW_OK)
        return status;
    memset(seen, 0, (size_t)frame->point_count);
    for (int64_t t = 0; t < skin.triangle_count; t++) {
        const int32_t *corner = skin.triangles + 3 * t;
        const double *x[3] = {frame->x + 3 * (size_t)corner[0], frame->x + 3 * (size_t)corner[1],
                              frame->x + 3 * (size_t)corner[2]};
        double towards = 0; // normal times forward
        for (int k = 0; k < 3; k++) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            towards += view->forward[k] *
                       ((x[1][i] - x[0][i]) * (x[2][j] - x[0][j]) - (x[1][j] - x[0][j]) * (x[2][i] - x[0][i]));
        }
        for (int i = 0; (view->flat || towards < 0) && i < 3; i++)
            seen[corner[i]] = 1;
    }
    thaw_skin_clear(&skin);
    return THAW_OK;
}

// --- attachments ----------------------------------------------------------------------------------------------------

// A corner that lies on the screen where another does, so many samples away, and as near.
static RasterCorner beside(const RasterCorner *corner, double x, double y) {
    RasterCorner other = *corner;
    other.x += (float)x;
    other.y += (float)y;
    return other;
}

static void draw_quad(const RasterCorner c[4], const RasterShading *shading, Raster *raster) {
    raster_triangle(raster, (RasterCorner[]){c[0], c[1], c[2]}, shading);
    raster_triangle(raster, (RasterCorner[]){c[0], c[2], c[3]}, shading);
}

// A square on each end of a spring, and a line between them: a little nearer than what they lie on.
static void draw_lines(const View *view, const ThawFrameData *f, Raster *raster) {
    const double size = fmax(1.5, 0.004 * fmin(raster->width, raster->height));
    RasterShading plain = view->shading;
    plain.lit = 0;
    plain.edge_width = 0;
    for (int32_t i = 0; i < f->line_count; i++) {
        RasterCorner end[2] = {0};
        for (int k = 0; k < 2; k++) {
            project(view, raster, f->lines + 6 * (size_t)i + 3 * k, &end[k]);
            end[k].nearness *= 1.01f;
            for (int c = 0; c < 3; c++)
                end[k].colour[c] = picture_linear((int[]){199, 52, 158}[c]);
        }
        if (!(end[0].nearness > 0 && end[1].nearness > 0))
            continue;
        for (int k = 0; k < 2; k++)
            draw_quad((RasterCorner[]){beside(&end[k], -size, -size), beside(&end[k], size, -size),
                                       beside(&end[k], size, size), beside(&end[k], -size, size)},
                      &plain, raster);
        const double dx = end[1].x - end[0].x, dy = end[1].y - end[0].y, length = hypot(dx, dy);
        const double x = -0.4 * size * dy / length, y = 0.4 * size * dx / length;
        if (length > 0)
            draw_quad((RasterCorner[]){beside(&end[0], x, y), beside(&end[0], -x, -y), beside(&end[1], -x, -y),
                                       beside(&end[1], x, y)},
                      &plain, raster);
    }
}

ThawStatus view_draw(const View *view, const ThawFrameData *frame, Raster *raster, ThawError *error) {
    Surface surface, around = {0};
    Shadow shadow = {0};
    memset(raster->nearness, 0, sizeof(float) * (size_t)raster->width * (size_t)raster->height);
    ThawStatus status = surface_build(view, frame, &surface, error);
    if (status == THAW_OK && view->obstacles)
        status = surface_build(view, view->obstacles, &around, error);
    const Thing things[] = {{frame, &surface, 0}, {view->obstacles, &around, 1}};
    const Plane ground = ground_of(view);
    if (status == THAW_OK && !view->flat)
        status = shadow_build(view, &ground, things, view->obstacles ? 2 : 1, &shadow, error);
    if (status == THAW_OK) {
        draw_surface(view, frame, &surface, raster);
        if (view->obstacles)
            draw_obstacles(view, view->obstacles, &around, raster);
        draw_lines(view, frame, raster);
        draw_background(view, &shadow, raster);
    }
    if (status == THAW_OK && view->obstacles && !view->flat)
        status = draw_tilted(view, things, 2, raster, error);
    raster_clear(&shadow.map);
    surface_clear(&around);
    surface_clear(&surface);
    return status;
}
