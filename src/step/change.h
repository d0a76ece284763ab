// SPDX-License-Identifier: Apache-2.0
// Changes of shapes in the state (model/change.h): which have happened, and what of a world follows them (change.c).
#ifndef THAW_STEP_CHANGE_H
#define THAW_STEP_CHANGE_H

#include "model/change.h"
#include "step/step.h"

ThawStatus thaw_changes_create(ThawWorld *world, ThawError *error);
void thaw_changes_free(ThawWorld *world);
// Those that are due by the state's time. *changed: there were some. On failure everything is as before, and they are
// still due.
ThawStatus thaw_changes_catch_up(ThawWorld *world, int *changed, ThawError *error);
// The list of a checkpoint (count changes, and of each body how many of its schedule are among them) becomes that of
// the state; x and v come next. On failure everything is as before, but for bodies that were asleep.
ThawStatus thaw_changes_restore(ThawWorld *world, const ThawChange *list, int32_t count, const int32_t *taken,
                                ThawError *error);
// Of the list; 0: nothing has changed.
uint64_t thaw_changes_hash(const ThawWorld *world);

#endif
