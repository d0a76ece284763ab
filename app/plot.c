// SPDX-License-Identifier: Apache-2.0
// Plots on logarithmic axes. A line is painted pixel by pixel: how much of a pixel it covers is told by the distance of
// its centre from the line.
#include "plot.h"

#include <math.h>
#include <stdio.h>

enum { LEFT = 64, RIGHT = 12, TOP = 28, BOTTOM = 44, LETTER = 7 };
static const unsigned char INK[3] = {40, 44, 52}, GRID[3] = {224, 226, 230}, EDGE[3] = {150, 154, 160};
static const double WIDTH = 2, MARK = 3.5; // pixels: of lines, and half of a mark

typedef struct Box {
    double left, right, top, bottom;
} Box;

static Box box_of(const Plot *plot) {
    return (Box){plot->x + LEFT, plot->x + plot->width - RIGHT, plot->y + TOP, plot->y + plot->height - BOTTOM};
}

static double place_x(const Plot *plot, double x) {
    const Box box = box_of(plot);
    return box.left + (box.right - box.left) * log(x / plot->from[0]) / log(plot->to[0] / plot->from[0]);
}

static double place_y(const Plot *plot, double y) {
    const Box box = box_of(plot);
    return box.bottom - (box.bottom - box.top) * log(y / plot->from[1]) / log(plot->to[1] / plot->from[1]);
}

static void blend(Picture *picture, int x, int y, double cover, const unsigned char colour[3]) {
    if (x < 0 || y < 0 || x >= picture->width || y >= picture->height || cover <= 0)
        return;
    unsigned char *p = picture->rgb + 3 * ((size_t)y * (size_t)picture->width + (size_t)x);
    for (int k = 0; k < 3; k++)
        p[k] = (unsigned char)(p[k] + fmin(cover, 1) * (colour[k] - p[k]) + 0.5);
}

// Distance of (x, y) from the piece of line between a and b.
static double distance(const double a[2], const double b[2], double x, double y) {
    const double d[2] = {b[0] - a[0], b[1] - a[1]}, square = d[0] * d[0] + d[1] * d[1];
    double t = square > 0 ? ((x - a[0]) * d[0] + (y - a[1]) * d[1]) / square : 0;
    t = fmin(fmax(t, 0), 1);
    return hypot(x - a[0] - t * d[0], y - a[1] - t * d[1]);
}

// All within the box that is nearer to the line than half of its width.
static void stroke(Picture *picture, const Box *box, const double a[2], const double b[2], double half,
                   const unsigned char colour[3]) {
    const int left = (int)fmax(box->left, floor(fmin(a[0], b[0]) - half - 1)),
              right = (int)fmin(box->right, ceil(fmax(a[0], b[0]) + half + 1)),
              top = (int)fmax(box->top, floor(fmin(a[1], b[1]) - half - 1)),
              bottom = (int)fmin(box->bottom, ceil(fmax(a[1], b[1]) + half + 1));
    for (int y = top; y <= bottom; y++)
        for (int x = left; x <= right; x++)
            blend(picture, x, y, half + 0.5 - distance(a, b, x, y), colour);
}

static void centred(Picture *picture, double x, int y, const char *text) {
    picture_text(picture, (int)x - picture_text_width(text, 1) / 2, y, 1, text, INK);
}

void plot_frame(Picture *picture, const Plot *plot) {
    const Box box = box_of(plot);
    const int width = (int)(box.right - box.left), height = (int)(box.bottom - box.top);
    char text[32];
    for (int e = (int)lround(log10(plot->from[0])); e <= lround(log10(plot->to[0])); e++) {
        const double at = place_x(plot, pow(10, e));
        picture_fill(picture, (int)at, (int)box.top, 1, height, GRID);
        snprintf(text, sizeof text, "%g", pow(10, e));
        centred(picture, at, (int)box.bottom + LETTER, text);
    }
    for (int e = (int)lround(log10(plot->from[1])); e <= lround(log10(plot->to[1])); e++) {
        const double at = place_y(plot, pow(10, e));
        picture_fill(picture, (int)box.left, (int)at, width, 1, GRID);
        snprintf(text, sizeof text, "%g", pow(10, e));
        picture_text(picture, (int)box.left - LETTER - picture_text_width(text, 1), (int)at - LETTER / 2, 1, text, INK);
    }
    picture_fill(picture, (int)box.left, (int)box.bottom, width, 1, EDGE);
    picture_fill(picture, (int)box.left, (int)box.top, 1, height, EDGE);
    picture_text(picture, (int)box.left, plot->y + LETTER, 1, plot->title, INK);
    centred(picture, (box.left + box.right) / 2, (int)box.bottom + 3 * LETTER, plot->axes);
}

void plot_line(Picture *picture, const Plot *plot, const double *x, const double *y, int count,
               const unsigned char colour[3]) {
    const Box box = box_of(plot);
    double last[2] = {NAN, NAN};
    for (int i = 0; i < count; i++) {
        double now[2] = {NAN, NAN};
        if (x[i] > 0 && y[i] > 0 && isfinite(x[i]) && isfinite(y[i])) {
            now[0] = place_x(plot, x[i]);
            now[1] = place_y(plot, y[i]);
            if (!isnan(last[0]))
                stroke(picture, &box, last, now, WIDTH / 2, colour);
            stroke(picture, &box, now, now, MARK, colour);
        }
        last[0] = now[0];
        last[1] = now[1];
    }
}

void plot_level(Picture *picture, const Plot *plot, double y, const unsigned char colour[3]) {
    const Box box = box_of(plot);
    if (!(y >= plot->from[1] && y <= plot->to[1]))
        return;
    for (int x = (int)box.left; x < (int)box.right; x += 8)
        picture_fill(picture, x, (int)place_y(plot, y), 4, 1, colour);
}

void plot_key(Picture *picture, int x, int y, const char *name, const unsigned char colour[3]) {
    const Box all = {0, picture->width - 1.0, 0, picture->height - 1.0};
    const double from[2] = {x, y + LETTER / 2.0}, middle[2] = {x + 12.0, y + LETTER / 2.0},
                 to[2] = {x + 24.0, y + LETTER / 2.0};
    stroke(picture, &all, from, to, WIDTH / 2, colour);
    stroke(picture, &all, middle, middle, MARK, colour);
    picture_text(picture, x + 32, y, 1, name, INK);
}
