// SPDX-License-Identifier: Apache-2.0
// A clip on a scratch file: formats that take it part by part, or numbers about it first, read it in any order.
#ifndef THAW_REEL_H
#define THAW_REEL_H

#include <stdio.h>

#include "output/clip.h"

typedef struct ThawReel {
    const ThawClip *clip; // borrowed
    FILE *file;           // frame after frame, 3 floats a point
    double *time;         // s, a frame
    float *x;             // room for one frame
    double rate;          // frames a second; 25 where there is but one
} ThawReel;

ThawStatus thaw_reel_create(const ThawClip *clip, ThawReel **reel, ThawError *error);
void thaw_reel_free(ThawReel **reel);

// Points of a part in a frame, into reel->x.
ThawStatus thaw_reel_read(ThawReel *reel, int64_t frame, int32_t part, ThawError *error);

// Whether a part is at the same place in every frame.
ThawStatus thaw_reel_moves(ThawReel *reel, int32_t part, int *moves, ThawError *error);

#endif
