// SPDX-License-Identifier: Apache-2.0
// Which moments of a run a sheet of pictures shows.
#ifndef THAW_APP_MOMENTS_H
#define THAW_APP_MOMENTS_H

#include "output/replay.h"

enum { MOMENTS_MOST = 32 };

// The i-th of `count` frames spread evenly over `all`; of one, the last.
int64_t moments_evenly(int64_t all, int64_t i, int64_t count);
// `count` frames in order (1 to MOMENTS_MOST, at most as many as there are), the first and the last among them, close
// where much happens. A function of the frames alone. field: of thaw_field, what the pictures show; one of categories
// or ids that changes decides itself, so that each of its spells is seen before any is seen twice. Negative: none.
ThawStatus moments_choose(const ThawReplay *replay, int32_t field, int count, int64_t *frames, ThawError *error);

#endif
