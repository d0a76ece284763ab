// SPDX-License-Identifier: Apache-2.0
#ifndef THAW_PASSIVE_H
#define THAW_PASSIVE_H

#include "step/step.h"

// After a step of an adaptive body is final, x and v included: what it gained beyond the work done on it is taken off again.
void thaw_passive_keep(ThawStepper *stepper);

#endif
