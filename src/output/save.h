// SPDX-License-Identifier: Apache-2.0
// Contacts in a checkpoint: what a world remembers of them, and the points of the last step that frames show.
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

#endif
