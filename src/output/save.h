// SPDX-License-Identifier: Apache-2.0
// Parts of a checkpoint: contacts (what a world remembers of them, and the points of the last step that frames show),
// and options of methods.
#ifndef THAW_SAVE_H
#define THAW_SAVE_H

#include "output/checkpoint.h"
#include "step/step.h"

// `whole`: the points belong to the memory entry by entry, or are of another time and left out.
ThawStatus thaw_save_contacts(ThawCheckpoint *file, const char *group, const ThawContactSet *set, int whole,
                              ThawError *error);
// Into a set that is zeroed, which the caller clears in any case. Keys may name the first `bodies` of the world and its
// obstacles; whatever does not fit the world is refused, for the step looks things up by it.
ThawStatus thaw_load_contacts(ThawCheckpoint *file, const char *group, const ThawWorld *world, int32_t bodies,
                              ThawContactSet *set, ThawError *error);

// save_options.c. For which methods a body has options of its own: a bit each.
int32_t thaw_save_own_options(const ThawState *state, int32_t body);
ThawStatus thaw_save_options(ThawCheckpoint *file, const ThawState *state, int32_t body_count, ThawError *error);
// Of the world and of its first body_count bodies; bits: those of the file, one each `stride` numbers.
ThawStatus thaw_load_options(ThawCheckpoint *file, ThawState *state, const int32_t *bits, int stride,
                             int32_t body_count, ThawError *error);

#endif
