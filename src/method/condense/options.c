// SPDX-License-Identifier: Apache-2.0
// Condensation in the registry: its name and its options (docs/condensation.md).
#include <math.h>

#include "method/condense/condense.h"

static const char *const places[] = {
    [THAW_CONDENSE_EVEN] = "even", [THAW_CONDENSE_GROUP] = "group", [THAW_CONDENSE_PLACE_COUNT] = NULL};

static const char *const forms[] = {
    [THAW_CONDENSE_REGIONS] = "regions", [THAW_CONDENSE_PUBLISHED] = "published", [THAW_CONDENSE_FORM_COUNT] = NULL};

static const ThawOption rows[] = {
    {.name = "form",
     .unit = "",
     .help =
         "what has inertia: mean motions of regions, or single vertices as published, dynamic nodes in the middle of "
         "the regions",
     .kind = THAW_OPTION_CHOICE,
     .offset = offsetof(ThawCondenseOptions, form),
     .names = forms,
     .value = THAW_CONDENSE_REGIONS},
    {.name = "regions",
     .unit = "",
     .help = "on the mean motions of so many regions the mass sits; fewer where the mesh is too coarse for them",
     .kind = THAW_OPTION_COUNT,
     .offset = offsetof(ThawCondenseOptions, regions),
     .range = {.lo = 1, .hi = THAW_REGIONS_MAX},
     .value = 8,
     .zero = "none: a body that pins hold is quasistatic",
     .label = "regions of mass",
     .slider = {1, THAW_REGIONS_MAX}},
    {.name = "place",
     .unit = "",
     .help = "where regions are: spread evenly, or around the vertices of a group named regions of the shape",
     .kind = THAW_OPTION_CHOICE,
     .offset = offsetof(ThawCondenseOptions, place),
     .names = places,
     .value = THAW_CONDENSE_EVEN},
    {.name = "beta",
     .unit = "",
     .help = "what the stiffness of a step is multiplied by; from 0.5 on it is stable where the body is linear",
     .offset = offsetof(ThawCondenseOptions, beta),
     .range = {.lo = 0, .hi = 100, .lo_open = true},
     .value = 0.5,
     .only_with = "form",
     .only_choice = THAW_CONDENSE_PUBLISHED},
    {.name = "gamma",
     .unit = "",
     .help = "the share of the way to balance that quasistatic vertices go in each step",
     .offset = offsetof(ThawCondenseOptions, gamma),
     .range = {.lo = 0, .hi = 2, .hi_open = true},
     .value = 1.0 / 3,
     .only_with = "form",
     .only_choice = THAW_CONDENSE_PUBLISHED},
    {.name = "search",
     .unit = "",
     .help = "gamma is halved until the energy falls",
     .kind = THAW_OPTION_FLAG,
     .offset = offsetof(ThawCondenseOptions, search),
     .only_with = "form",
     .only_choice = THAW_CONDENSE_PUBLISHED},
    {.name = "sleep",
     .unit = "steps",
     .help = "how long a body rests before it falls asleep with all that it touches; 0: never",
     .kind = THAW_OPTION_COUNT,
     .offset = offsetof(ThawCondenseOptions, sleep),
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
     .offset = offsetof(ThawCondenseOptions, sleep_speed),
     .range = {.lo = 0, .hi = INFINITY, .lo_open = true},
     .value = 1e-3,
     .power = 1,
     .label = "speed of rest",
     .slider = {1e-7, 1},
     .logarithmic = true},
};

const ThawMethod thaw_method_condense = {
    .name = "condense",
    .summary = "vertices follow quasistatically; the mass sits on the mean motions of a few regions",
    .page = "condensation.md",
    .sleeps = true,
    .ops = &thaw_condense_ops,
    .options = {rows, sizeof rows / sizeof *rows, sizeof(ThawCondenseOptions)},
};
