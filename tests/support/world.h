// SPDX-License-Identifier: Apache-2.0
// The world of a scene that a test has as a text, and its steps; what fails there fails the test.
#ifndef THAW_TEST_WORLD_H
#define THAW_TEST_WORLD_H

#include "thaw/thaw.h"

ThawWorld *make_world(const char *text, int threads);
void step_world(ThawWorld *world, ThawStepStats *stats);

#endif
