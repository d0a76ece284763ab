// SPDX-License-Identifier: Apache-2.0
// Frames in the registry: name and options (docs/frames.md).
#include <math.h>

#include "method/frames/frames.h"

static const char *const orders[] = {
    [THAW_FRAMES_AFFINE] = "affine", [THAW_FRAMES_QUADRATIC] = "quadratic", [THAW_FRAMES_ORDER_COUNT] = NULL};
static const char *const weights[] = {
    [THAW_FRAME_KERNEL] = "kernel", [THAW_FRAME_RATIO] = "ratio", [THAW_FRAME_WEIGHTS_COUNT] = NULL};

static const char *const evaluates[] = {
    [THAW_FRAMES_FEW] = "few", [THAW_FRAMES_ALL] = "all", [THAW_FRAMES_EVALUATE_COUNT] = NULL};

static const ThawOption rows[] = {
    {.name = "count",
     .unit = "",
     .help = "how many frames a body has; fewer where its mesh has less than four vertices for each of their fields",
     .kind = THAW_OPTION_COUNT,
     .offset = offsetof(ThawFrameOptions, count),
     .range = {.lo = 1, .hi = THAW_FRAMES_MAX},
     .value = 8,
     .label = "frames",
     .slider = {1, THAW_FRAMES_MAX}},
    {.name = "order",
     .unit = "",
     .help = "the fields of a frame: affine ones, 12 unknowns (6 in the plane), are stiff in bending unless Poisson's "
             "ratio is small; quadratic ones, 30 unknowns (12), bend freely",
     .kind = THAW_OPTION_CHOICE,
     .offset = offsetof(ThawFrameOptions, order),
     .names = orders,
     .value = THAW_FRAMES_QUADRATIC},
    {.name = "weights",
     .unit = "",
     .help = "how vertices hang on frames: by a kernel that keeps linear fields exact, or by ratios of distances as "
             "published",
     .kind = THAW_OPTION_CHOICE,
     .offset = offsetof(ThawFrameOptions, weights),
     .names = weights,
     .value = THAW_FRAME_KERNEL},
    {.name = "evaluate",
     .unit = "",
     .help = "which elements a step evaluates: a few with weights that stand for all of them, or all",
     .kind = THAW_OPTION_CHOICE,
     .offset = offsetof(ThawFrameOptions, evaluate),
     .names = evaluates,
     .value = THAW_FRAMES_FEW},
    {.name = "elements",
     .unit = "",
     .help = "how many elements stand for those of a frame, at most",
     .kind = THAW_OPTION_COUNT,
     .offset = offsetof(ThawFrameOptions, elements),
     .range = {.lo = 4, .hi = 200},
     .value = 32,
     .only_with = "evaluate",
     .only_choice = THAW_FRAMES_FEW},
    {.name = "sleep",
     .unit = "steps",
     .help = "how long a body rests before it falls asleep with all that it touches; 0: never",
     .kind = THAW_OPTION_COUNT,
     .offset = offsetof(ThawFrameOptions, sleep),
     .range = {.lo = 2, .hi = 255},
     .value = 20,
     .zero = "never",
     .role = THAW_ROLE_SLEEP,
     .label = "time to rest",
     .slider = {0, 255}},
    {.name = "sleep_speed",
     .unit = "diameters/s",
     .help =
         "at rest is what would move by no more than this share of its diameter in the next second, by its velocity "
         "and mean acceleration",
     .offset = offsetof(ThawFrameOptions, sleep_speed),
     .range = {.lo = 0, .hi = INFINITY, .lo_open = true},
     .value = 1e-3,
     .power = 1,
     .label = "speed of rest",
     .slider = {1e-7, 1},
     .logarithmic = true},
};

const ThawMethod thaw_method_frames = {
    .name = "frames",
    .summary = "bodies move by blended fields of a few frames",
    .page = "frames.md",
    .sleeps = true,
    .ops = &thaw_frame_ops,
    .options = {rows, sizeof rows / sizeof *rows, sizeof(ThawFrameOptions)},
};
