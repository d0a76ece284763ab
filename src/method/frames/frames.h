// SPDX-License-Identifier: Apache-2.0
// What the files of this method share.
#ifndef THAW_METHOD_FRAMES_H
#define THAW_METHOD_FRAMES_H

#include "map/frames/frames.h"
#include "step/method.h"

typedef enum ThawFrameOrder { THAW_FRAMES_AFFINE, THAW_FRAMES_QUADRATIC, THAW_FRAMES_ORDER_COUNT } ThawFrameOrder;

typedef struct ThawFrameOptions {
    int count;   // frames
    int order;   // ThawFrameOrder
    int weights; // ThawFrameWeights
} ThawFrameOptions;

// What bodies of one shape share, as long as one of them needs it.
typedef struct ThawSharedTree {
    int32_t users;
    int count, weights; // the options that it was made by
    ThawFrameTree *tree;
} ThawSharedTree;

// Of a body awake.
typedef struct ThawFrameData {
    ThawSharedTree *shared;
    ThawSystem *system;
    ThawFrameOptions made_by; // of the system
    // State: where the body was when its frames were last laid out, and which vertices were scripted then.
    double *y;           // dim * nv, m
    unsigned char *held; // nv
} ThawFrameData;

static inline ThawFrameData *thaw_frame_data(const ThawStepper *s) { return s->data; }

extern const ThawMethodOps thaw_frame_ops;

#endif
