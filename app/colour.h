// SPDX-License-Identifier: Apache-2.0
// What pictures are coloured by: a field of the frames, the bodies, or nothing.
#ifndef THAW_APP_COLOUR_H
#define THAW_APP_COLOUR_H

#include "output/frame_data.h"
#include "picture.h"

enum { COLOUR_NONE = -1, COLOUR_BODY = -2, COLOUR_BINS = 8 * 128 };

typedef struct Colouring {
    int32_t field;              // of thaw_field, or COLOUR_*
    int wanted;                 // asked for: its absence is an error
    double low, high;           // values of the coldest and the warmest colour; low > 0 on a logarithmic scale
    int64_t frames;             // that were looked at
    double most;                // the largest value that was looked at; above high where the scale is cut off
    int64_t count[COLOUR_BINS]; // how many values lie in each eighth of a power of two, from 2^-64 on
    uint32_t used;              // categories that some frame shows, a bit each; of ids bit 0: none, bit 1: any
} Colouring;

// 0 after a complaint when there is no such field.
int colouring_parse(const char *command, const char *option, const char *name, Colouring *colouring);
// Takes a frame into the range. seen: nonzero for each point that counts for it; NULL: all do. A field that was asked
// for and is not there is THAW_ERROR_INPUT.
ThawStatus colouring_look(Colouring *colouring, const ThawFrameData *frame, const unsigned char *seen,
                          ThawError *error);
// When all frames were looked at: round numbers.
void colouring_settle(Colouring *colouring);

// For fields of numbers, where in the range each point is: 0 to 1, NAN where there is nothing to show.
ThawStatus colouring_points(const Colouring *colouring, const ThawFrameData *frame, double *value, ThawError *error);
// The colour of a corner, in linear light. value: of its point, from colouring_points.
void colouring_corner(const Colouring *colouring, const ThawFrameData *frame, int32_t cell, int32_t point, double value,
                      float rgb[3]);

// The colour of a category, as bytes: the page shows the same.
void colouring_category(const char *name, int index, unsigned char srgb[3]);

// The legend, with letters of `size` pixels a dot; (x, y) is its top left corner. Width 0: there is none to draw.
int colouring_legend_width(const Colouring *colouring, int size);
void colouring_legend(const Colouring *colouring, Picture *picture, int x, int y, int height, int size,
                      const unsigned char ink[3]);

#endif
