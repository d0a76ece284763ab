// SPDX-License-Identifier: Apache-2.0
// Triangles are filled by their three edge functions over the bounding box, with normals and colours interpolated
// perspectively (by 1/depth) and shaded at every sample: a warm key light with a soft terminator, a hemisphere of cool
// sky and warm ground, a small highlight. Anti-aliasing is left to the caller: draw larger and average. Cost:
// about ten nanoseconds a covered sample.
#include <math.h>
#include <stddef.h>

#include "base/base.h"
#include "raster.h"

int raster_create(int width, int height, Raster *raster) {
    size_t samples = (size_t)width * (size_t)height;
    *raster = (Raster){width, height, THAW_NEW(float, 3 * samples), THAW_NEW(float, samples)};
    if (raster->rgb && raster->nearness)
        return 1;
    raster_clear(raster);
    return 0;
}

void raster_clear(Raster *raster) {
    thaw_free(raster->rgb);
    thaw_free(raster->nearness);
    *raster = (Raster){0};
}

static float dot3(const float a[3], const float b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Bright light rolls off softly from three quarters on, instead of being cut at white.
static float roll_off(float c) { return c <= 0.75f ? c : 0.75f + 0.25f * (1 - expf((0.75f - c) / 0.25f)); }

static void shade(const float normal[3], const float colour[3], const RasterShading *s, float out[3]) {
    if (!s->lit) {
        for (int k = 0; k < 3; k++)
            out[k] = colour[k];
        return;
    }
    static const float key_light[3] = {1.62f, 1.52f, 1.38f}, sky[3] = {0.36f, 0.42f, 0.52f},
                       ground[3] = {0.28f, 0.25f, 0.22f}, fill_light[3] = {0.40f, 0.42f, 0.46f},
                       rim_light[3] = {0.10f, 0.13f, 0.17f};
    float length = sqrtf(dot3(normal, normal));
    float facing = dot3(normal, s->view) < 0 ? -1 : 1; // both sides are lit
    float n[3], half[3], scale = length > 0 ? facing / length : 0;
    for (int k = 0; k < 3; k++) {
        n[k] = scale * normal[k];
        half[k] = s->key[k] + s->view[k];
    }
    // Light wraps a little around the edge between day and night, as on soft material.
    float wrap = (dot3(n, s->key) + 0.2f) / 1.2f, diffuse = wrap > 0 ? wrap * wrap * 0.55f + wrap * 0.45f : 0;
    float fill = dot3(n, s->fill);
    fill = fill > 0 ? fill : 0;
    float height = 0.5f + 0.5f * dot3(n, s->up);
    float gloss = dot3(n, half) / sqrtf(dot3(half, half) + 1e-12f);
    gloss = gloss > 0 ? gloss * gloss : 0; // to the 32nd power by squaring
    gloss *= gloss, gloss *= gloss, gloss *= gloss, gloss *= gloss;
    float rim = 1 - fabsf(dot3(n, s->view));
    rim *= rim * rim;
    for (int k = 0; k < 3; k++)
        out[k] = roll_off(colour[k] * (0.6f * diffuse * key_light[k] + fill * fill_light[k] + height * sky[k] +
                                       (1 - height) * ground[k]) +
                          0.10f * gloss * diffuse + rim * rim_light[k]);
}

void raster_triangle(Raster *raster, const RasterCorner c[3], const RasterShading *shading) {
    float left = INFINITY, right = -INFINITY, top = INFINITY, bottom = -INFINITY;
    for (int i = 0; i < 3; i++) {
        // Also false for what is not a number. Coordinates beyond a million samples have no precision left.
        if (!(fabsf(c[i].x) < 1e6f && fabsf(c[i].y) < 1e6f && c[i].nearness > 0 && c[i].nearness < INFINITY))
            return;
        left = fminf(left, c[i].x);
        right = fmaxf(right, c[i].x);
        top = fminf(top, c[i].y);
        bottom = fmaxf(bottom, c[i].y);
    }
    // Twice the signed area; opposite to corner i runs edge i.
    double area = (double)(c[1].x - c[0].x) * (c[2].y - c[0].y) - (double)(c[2].x - c[0].x) * (c[1].y - c[0].y);
    if (fabs(area) < 1e-9)
        return;
    int x0 = (int)fmaxf(0, floorf(left)), x1 = (int)fminf((float)raster->width - 1, ceilf(right));
    int y0 = (int)fmaxf(0, floorf(top)), y1 = (int)fminf((float)raster->height - 1, ceilf(bottom));
    double dx[3], dy[3], start[3]; // barycentric weight i at (x, y) is start + dx x + dy y
    float distance[3];             // samples from edge i for a weight of 1
    for (int i = 0; i < 3; i++) {
        const RasterCorner *a = &c[(i + 1) % 3], *b = &c[(i + 2) % 3];
        dx[i] = -(double)(b->y - a->y) / area;
        dy[i] = (double)(b->x - a->x) / area;
        start[i] = -dx[i] * a->x - dy[i] * a->y;
        distance[i] = (float)(fabs(area) / (hypot(b->x - a->x, b->y - a->y) + 1e-12));
    }
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++) {
            double w[3];
            for (int i = 0; i < 3; i++)
                w[i] = start[i] + dx[i] * (x + 0.5) + dy[i] * (y + 0.5);
            // A little beyond the edge, so that rounding leaves no holes between neighbours.
            if (w[0] < -1e-9 || w[1] < -1e-9 || w[2] < -1e-9)
                continue;
            float p[3], nearness = 0; // perspective weights
            for (int i = 0; i < 3; i++)
                nearness += p[i] = (float)w[i] * c[i].nearness;
            size_t at = (size_t)y * (size_t)raster->width + (size_t)x;
            if (nearness <= raster->nearness[at])
                continue;
            raster->nearness[at] = nearness;
            float normal[3] = {0}, colour[3] = {0};
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++) {
                    normal[k] += p[i] * c[i].normal[k];
                    colour[k] += p[i] / nearness * c[i].colour[k];
                }
            float *out = raster->rgb + 3 * at;
            shade(normal, colour, shading, out);
            if (shading->edge_width > 0) {
                float nearest = INFINITY;
                for (int i = 0; i < 3; i++)
                    nearest = fminf(nearest, (float)w[i] * distance[i]);
                if (nearest < shading->edge_width)
                    for (int k = 0; k < 3; k++)
                        out[k] *= shading->edge_colour;
            }
        }
}
