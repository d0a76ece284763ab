// SPDX-License-Identifier: Apache-2.0
// A software rasteriser: triangles into a picture with depth, in linear light.
#ifndef THAW_APP_RASTER_H
#define THAW_APP_RASTER_H

typedef struct Raster {
    int width, height; // samples; row 0 is the top
    float *rgb;        // 3 a sample, linear
    float *nearness;   // 1 / distance along the view; 0: nothing drawn yet
} Raster;

// One corner of a triangle on its way to the screen.
typedef struct RasterCorner {
    float x, y;      // samples, from the top left corner
    float nearness;  // > 0
    float normal[3]; // need not be of length 1
    float colour[3]; // linear
} RasterCorner;

typedef struct RasterShading {
    int lit;           // 0: colours as they are
    float view[3];     // unit, from the scene to the eye
    float key[3];      // unit, towards the main light
    float fill[3];     // unit, towards the weak light that opens the shadows
    float up[3];       // unit, where the sky is
    float edge_width;  // samples; 0: no edges
    float edge_colour; // factor on the colour under an edge
} RasterShading;

// Room for a picture, or 0 when there is none.
int raster_create(int width, int height, Raster *raster);
void raster_clear(Raster *raster); // frees
// Draws where the triangle is nearer than what is there. Corners off the screen, behind the eye, not finite, and
// triangles without area are all right.
void raster_triangle(Raster *raster, const RasterCorner corner[3], const RasterShading *shading);

#endif
