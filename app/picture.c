// SPDX-License-Identifier: Apache-2.0
// From samples to a file: averaging in linear light, sRGB, labels in a 5 x 7 font, PNG.
#include "picture.h"

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

#include "output/output.h"

int picture_create(int width, int height, Picture *picture) {
    *picture = (Picture){width, height, THAW_NEW(unsigned char, 3 * (size_t)width * (size_t)height)};
    return picture->rgb != NULL;
}

void picture_clear(Picture *picture) {
    thaw_free(picture->rgb);
    *picture = (Picture){0};
}

float picture_linear(int srgb) {
    float c = (float)srgb / 255;
    return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

unsigned char picture_srgb(float linear) {
    float c = linear <= 0.0031308f ? 12.92f * linear : 1.055f * powf(linear, 1 / 2.4f) - 0.055f;
    return c <= 0 ? 0 : c >= 1 ? 255 : (unsigned char)(255 * c + 0.5f);
}

void picture_place(Picture *picture, const Raster *raster, int factor, int x, int y) {
    for (int j = 0; j < raster->height / factor && y + j < picture->height; j++)
        for (int i = 0; i < raster->width / factor && x + i < picture->width; i++) {
            float sum[3] = {0};
            for (int b = 0; b < factor; b++)
                for (int a = 0; a < factor; a++) {
                    size_t at = (size_t)(j * factor + b) * (size_t)raster->width + (size_t)(i * factor + a);
                    for (int k = 0; k < 3; k++)
                        sum[k] += raster->rgb[3 * at + (size_t)k];
                }
            unsigned char *out = picture->rgb + 3 * ((size_t)(y + j) * (size_t)picture->width + (size_t)(x + i));
            for (int k = 0; k < 3; k++)
                out[k] = picture_srgb(sum[k] / (float)(factor * factor));
        }
}

void picture_fill(Picture *picture, int x, int y, int width, int height, const unsigned char colour[3]) {
    for (int j = y < 0 ? 0 : y; j < y + height && j < picture->height; j++)
        for (int i = x < 0 ? 0 : x; i < x + width && i < picture->width; i++)
            memcpy(picture->rgb + 3 * ((size_t)j * (size_t)picture->width + (size_t)i), colour, 3);
}

int picture_text_width(const char *text, int size) { return (int)strlen(text) * 6 * size; }

void picture_text(Picture *picture, int x, int y, int size, const char *text, const unsigned char colour[3]) {
    for (; *text; text++, x += 6 * size)
        for (int row = 0; row < 7; row++)
            for (int column = 0; column < 5; column++)
                if (picture_font[*text & 127][row] >> (4 - column) & 1)
                    picture_fill(picture, x + column * size, y + row * size, size, size, colour);
}

// --- colours ---------------------------------------------------------------------------------------------------------

void picture_colour(double value, float rgb[3]) {
    // From ice to embers; lightness rises to the middle and falls again, hue tells the two halves apart.
    static const unsigned char stops[][3] = {{62, 101, 156},  {82, 147, 190}, {146, 200, 214}, {233, 234, 222},
                                             {246, 190, 112}, {232, 118, 76}, {178, 42, 66}};
    enum { LAST = sizeof stops / sizeof *stops - 1 };
    double at = value > 0 ? (value < 1 ? value * LAST : LAST) : 0; // also for what is not a number
    int i = at < LAST ? (int)at : LAST - 1;
    float part = (float)(at - i);
    for (int k = 0; k < 3; k++)
        rgb[k] = (1 - part) * picture_linear(stops[i][k]) + part * picture_linear(stops[i + 1][k]);
}

void picture_colour_of(int number, float rgb[3]) {
    static const unsigned char palette[][3] = {{88, 148, 189},  {232, 147, 92},  {122, 178, 132}, {205, 104, 110},
                                               {150, 129, 187}, {222, 187, 104}, {94, 172, 172},  {186, 140, 116}};
    enum { COUNT = sizeof palette / sizeof *palette };
    for (int k = 0; k < 3; k++)
        rgb[k] = picture_linear(palette[(number % COUNT + COUNT) % COUNT][k]);
}

// --- PNG -------------------------------------------------------------------------------------------------------------

static void write_bytes(png_structp png, png_bytep bytes, png_size_t size) {
    thaw_file_write(png_get_io_ptr(png), bytes, size);
}

static void flush_nothing(png_structp png) { (void)png; }

ThawStatus picture_write(const Picture *picture, const char *path, ThawError *error) {
    ThawFile *file;
    ThawStatus status = thaw_file_create(path, &file, error);
    if (status != THAW_OK)
        return status;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        thaw_file_discard(&file);
        return thaw_error_set(error, THAW_ERROR_MEMORY,
                              "cannot write %s: the PNG library failed (out of memory, or the disk is full)", path);
    }
    png_set_write_fn(png, file, write_bytes, flush_nothing);
    png_set_IHDR(png, info, (png_uint_32)picture->width, (png_uint_32)picture->height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (int y = 0; y < picture->height; y++)
        png_write_row(png, picture->rgb + 3 * (size_t)y * (size_t)picture->width);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return thaw_file_commit(&file, error);
}
