// SPDX-License-Identifier: Apache-2.0
#ifndef THAW_PASSIVE_H
#define THAW_PASSIVE_H

#include "step/step.h"

// Whether the body must not make energy in this step: it has parts, had them when the step began, has gained before, or
// its oracle was ever asked. What is elastic all along moves as by the full method, gains and all.
int thaw_passive_is_bound(const ThawStepper *stepper);
// J, what it could give back at the start of a step: of the shadow, and of motion that is not rigid.
double thaw_passive_reserve(const ThawStepper *stepper);
// Takes off so much of that, at most; returns how much.
double thaw_passive_give(ThawStepper *stepper, double most);
// After a step of an adaptive body is final, x and v included: what it gained beyond the work done on it is taken off.
void thaw_passive_settle(ThawStepper *stepper);

#endif
