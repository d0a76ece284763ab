// SPDX-License-Identifier: Apache-2.0
// Checks of a world's state, for thaw_world_validate and for files. `where` begins the message of an error.
#ifndef THAW_STEP_VALIDATE_H
#define THAW_STEP_VALIDATE_H

#include "step/step.h"

// The memory of a set: keys ascend, and fit the surfaces of the first `bodies` bodies and of the obstacles.
ThawStatus thaw_contacts_check_memory(const ThawWorld *world, int32_t bodies, const char *where,
                                      const ThawContactSet *set, ThawError *error);
// Its points: each is one that is remembered. The memory has been checked.
ThawStatus thaw_contacts_check_points(const ThawWorld *world, const char *where, const ThawContactSet *set,
                                      ThawError *error);

#endif
