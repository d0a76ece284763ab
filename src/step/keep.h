// SPDX-License-Identifier: Apache-2.0
// What a step that is cancelled, or made anew with other bodies in parts (parts.c), goes back to. Only kept where that
// may be; without, all of these return at once.
#ifndef THAW_KEEP_H
#define THAW_KEEP_H

#include "step/method.h"

// Before a step changes anything; ends with thaw_keep_end or thaw_keep_restore. Where it fails, nothing has changed.
ThawStatus thaw_keep_begin(ThawWorld *world, ThawError *error);
// From here on the step can be cancelled.
void thaw_keep_allow_cancel(ThawWorld *world);
// The step is final, or failed: no way back is needed.
void thaw_keep_end(ThawWorld *world);
// The world is what it was; nothing happens where nothing was kept.
void thaw_keep_restore(ThawWorld *world);
void thaw_kept_free(ThawWorld *world);

// Before the first change of: contacts at rest; a body that is about to fall asleep; one that wakes.
ThawStatus thaw_keep_resting(ThawWorld *world, ThawError *error);
ThawStatus thaw_keep_before_sleep(ThawWorld *world, const ThawStepper *stepper, ThawError *error);
ThawStatus thaw_keep_before_waking(ThawWorld *world, const ThawStepper *stepper, ThawError *error);
// It falls asleep (thaw_keep_before_sleep was called for it): whether all that it gives up is kept from now on.
int thaw_keep_sleeping(const ThawWorld *world, const ThawStepper *stepper);

// Before the first change of arrays of a method's state, from any thread; context: a ThawKeeping.
typedef struct ThawKeeping {
    struct ThawKept *kept;
    const ThawStepper *stepper;
} ThawKeeping;
ThawStatus thaw_keep_state(void *context);
// The same for all bodies awake.
ThawStatus thaw_keep_all(ThawWorld *world, ThawError *error);

#endif
