// SPDX-License-Identifier: Apache-2.0
// What the files of this method share.
#ifndef THAW_METHOD_FRAMES_H
#define THAW_METHOD_FRAMES_H

#include "map/frames/frames.h"
#include "step/method.h"
#include "step/slow.h"

typedef enum ThawFrameOrder { THAW_FRAMES_AFFINE, THAW_FRAMES_QUADRATIC, THAW_FRAMES_ORDER_COUNT } ThawFrameOrder;

typedef enum ThawFrameEvaluate { THAW_FRAMES_FEW, THAW_FRAMES_ALL, THAW_FRAMES_EVALUATE_COUNT } ThawFrameEvaluate;

typedef struct ThawFrameOptions {
    int count;          // frames
    int order;          // ThawFrameOrder
    int weights;        // ThawFrameWeights
    int evaluate;       // ThawFrameEvaluate
    int elements;       // of a frame, where few are evaluated
    int sleep;          // steps
    double sleep_speed; // diameters a second
} ThawFrameOptions;

// What bodies of one shape share, as long as one of them needs it.
typedef struct ThawSharedTree {
    int32_t users;
    int count, weights; // the options that it was made by
    ThawFrameTree *tree;
} ThawSharedTree;

// Likewise: few elements for all, where nothing moves but the same vertices.
typedef struct ThawSharedSet {
    int32_t users;
    const ThawFrameTree *tree;
    int order, elements;     // the options that it was made by
    unsigned char *held;     // nv
    ThawIntegrationSet *set; // NULL: all of them
} ThawSharedSet;

// Of a body awake.
typedef struct ThawFrameData {
    ThawSharedTree *shared;
    ThawSystem *system;
    ThawSharedSet *few;       // NULL: all elements
    ThawFrameOptions made_by; // of the system
    // State: where the body was when its frames were last laid out, and which vertices were scripted then.
    double *y;           // dim * nv, m
    unsigned char *held; // nv
    ThawSlow slow;
} ThawFrameData;

static inline ThawFrameData *thaw_frame_data(const ThawStepper *s) { return s->data; }

extern const ThawMethodOps thaw_frame_ops;

#endif
