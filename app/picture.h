// SPDX-License-Identifier: Apache-2.0
// A picture of 8-bit colours: labels and PNG files.
#ifndef THAW_APP_PICTURE_H
#define THAW_APP_PICTURE_H

#include "raster.h"
#include "thaw/status.h"

typedef struct Picture {
    int width, height;
    unsigned char *rgb; // 3 a pixel, sRGB, row 0 on top
} Picture;

extern const unsigned char picture_font[128][7];

int picture_create(int width, int height, Picture *picture); // 0 when there is no room
void picture_clear(Picture *picture);                        // frees

// Averages blocks of factor x factor samples into pixels, with the raster's corner at (x, y).
void picture_place(Picture *picture, const Raster *raster, int factor, int x, int y);

// Letters of `size` pixels a dot; (x, y) is the top left corner of the first.
void picture_text(Picture *picture, int x, int y, int size, const char *text, const unsigned char colour[3]);
int picture_text_width(const char *text, int size);
void picture_fill(Picture *picture, int x, int y, int width, int height, const unsigned char colour[3]);

// The colour of a value in [0, 1], cold to warm, in linear light.
void picture_colour(double value, float rgb[3]);
// A colour of its own for each number, in linear light.
void picture_colour_of(int number, float rgb[3]);
float picture_linear(int srgb);           // 0..255 to linear light
unsigned char picture_srgb(float linear); // and back

// Written under a temporary name and renamed.
ThawStatus picture_write(const Picture *picture, const char *path, ThawError *error);

#endif
