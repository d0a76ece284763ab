// SPDX-License-Identifier: Apache-2.0
// Lines and marks on two logarithmic axes, as a part of a picture.
#ifndef THAW_APP_PLOT_H
#define THAW_APP_PLOT_H

#include "picture.h"

typedef struct Plot {
    const char *title, *axes;
    int x, y, width, height; // of the whole, in pixels
    double from[2], to[2];   // of both axes, > 0; whole decades
} Plot;

// Frame, decades and their numbers.
void plot_frame(Picture *picture, const Plot *plot);
// `count` points joined by a line; those that are not numbers above 0 break it, those outside are cut off at the frame.
void plot_line(Picture *picture, const Plot *plot, const double *x, const double *y, int count,
               const unsigned char colour[3]);
// A level across the plot, dashed.
void plot_level(Picture *picture, const Plot *plot, double y, const unsigned char colour[3]);
// A short piece of line with its mark, and its name: for a legend.
void plot_key(Picture *picture, int x, int y, const char *name, const unsigned char colour[3]);

#endif
