// SPDX-License-Identifier: Apache-2.0
// Parts of a checkpoint: contacts (what a world remembers of them, and the points of the last step that frames show),
// options of methods, and what methods know of bodies.
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

// Bytes as whole words, the last one filled up with zeros (save.c).
ThawStatus thaw_save_bytes(ThawCheckpoint *file, const char *name, const void *bytes, size_t size, ThawError *error);
ThawStatus thaw_load_bytes(ThawCheckpoint *file, const char *name, void *bytes, size_t size, ThawError *error);

// save_method.c: what the method of a body knows besides x and v, awake or asleep. Loading goes straight into the
// stepper: what is there after a failure can only be freed.
ThawStatus thaw_save_method(ThawCheckpoint *file, const ThawStepper *stepper, ThawError *error);
ThawStatus thaw_load_method(ThawCheckpoint *file, const ThawWorld *world, ThawStepper *stepper, ThawError *error);

// save_changes.c. To load is to have the shapes, the vectors' lengths and what has been taken of schedules.
ThawStatus thaw_save_changes(ThawCheckpoint *file, const ThawWorld *world, ThawError *error);
ThawStatus thaw_load_changes(ThawCheckpoint *file, ThawWorld *world, int32_t bodies, ThawError *error);

// save.c: all of a world's state into a checkpoint, and out of one, whose name `path` is for messages. trusted: it is
// this program's own, in memory, so that what it agrees with was checked before.
ThawStatus thaw_save_state(ThawCheckpoint *file, const ThawWorld *world, ThawError *error);
ThawStatus thaw_load_state(ThawCheckpoint *file, const char *path, int trusted, ThawWorld *world, ThawError *error);

// save_drives.c: motion from code, and since when h is what it is.
ThawStatus thaw_save_drives(ThawCheckpoint *file, const ThawWorld *world, ThawError *error);
ThawStatus thaw_load_drives(ThawCheckpoint *file, ThawWorld *world, ThawError *error);

#endif
