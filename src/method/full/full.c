// SPDX-License-Identifier: Apache-2.0
// The reference: every vertex moves for itself, every element is evaluated in every step.
#include "step/method.h"

static const ThawMethodOps ops = {0};

const ThawMethod thaw_method_full = {
    .name = "full",
    .summary = "every element is elastic in every step: the reference that adaptive methods are judged by",
    .page = "elastic.md",
    .takes_units = true,
    .moves_sheets = true,
    .ops = &ops,
};
