// SPDX-License-Identifier: Apache-2.0
// A frame seen by a camera.
#ifndef THAW_APP_CAMERA_H
#define THAW_APP_CAMERA_H

#include "colour.h"
#include "output/frame_data.h"
#include "raster.h"

enum { VIEW_SLOPES = 16 };

// What has to fit into the picture: the extent of all frames along the camera's axes.
typedef struct ViewBounds {
    double low[3], high[3]; // along right, up, forward
    double lowest;          // z in the world
    double floor;           // z of the highest floor that is an obstacle; -INFINITY: none
} ViewBounds;

typedef struct View {
    int flat;                           // a 2D scene, drawn from above without light
    double right[3], up[3], forward[3]; // unit
    double centre[3];                   // along right, up, forward
    double distance;                    // from the eye to the centre
    double wide, high;                  // samples to fill
    double middle;                      // sample across that the camera points at
    double focal;                       // samples for a slope of 1 (flat: for a metre)
    double reach[4][VIEW_SLOPES];       // view_fit: how far points go to the right, left, top and bottom
    double ground;                      // z
    int floats;                         // there is no floor at the ground
    double size;                        // m, of everything
    Colouring colour;
    float background[2][3]; // top and bottom, linear
    RasterShading shading;
    const ThawFrameData *obstacles; // also drawn, in grey; may be NULL
} View;

// The camera's axes, for angles in degrees: azimuth 0 looks along +y, elevation 90 from above.
void view_turn(View *view, double azimuth, double elevation);
ViewBounds view_bounds_empty(void);
// Takes a frame into the bounds.
void view_bounds_add(const View *view, const ThawFrameData *frame, ViewBounds *bounds);
// Finite obstacles count for the bounds, floors for where the ground is.
void view_bounds_add_obstacles(const View *view, const ThawFrameData *obstacles, ViewBounds *bounds);
// How high what is seen is, by how wide, about: with the shadow of its whole height.
double view_bounds_ratio(const View *view, const ViewBounds *bounds);
// Points the camera at the middle of the bounds, for a raster of that size (it may be wider: then there is room to the
// right); zoom 1 leaves a margin. Then each frame is to be fitted, and view_settle moves the camera to where all of
// them, with their shadows, are in the middle and as large as they can be.
void view_aim(View *view, const ViewBounds *bounds, int width, int height, double zoom);
void view_fit(View *view, const ThawFrameData *frame);
void view_fit_obstacles(View *view, const ThawFrameData *obstacles);
void view_settle(View *view);
// Sets seen[p], for each point of the frame, to whether it belongs to a triangle of the surface that looks at the
// camera.
ThawStatus view_seen(const View *view, const ThawFrameData *frame, unsigned char *seen, ThawError *error);
ThawStatus view_draw(const View *view, const ThawFrameData *frame, Raster *raster, ThawError *error);

#endif
