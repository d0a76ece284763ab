// SPDX-License-Identifier: Apache-2.0
// When a body without parts is at rest, for methods that let such bodies sleep: by its fastest vertex, and by the mean
// acceleration since it has been slow. At the turning point of a swing a body is slow and far from balance.
#ifndef THAW_SLOW_H
#define THAW_SLOW_H

#include "step/step.h"

typedef struct ThawSlow {
    double speed; // diameters a second, below which it is slow: an option
    double *v;    // dim * nv, m/s: velocities at the first of the slow steps; state
} ThawSlow;

ThawHindrance thaw_slow_hindrance(const ThawStepper *s, const ThawSlow *slow);
// After a step, the `steps`-th slow one before it: whether this one is.
int thaw_slow_watch(const ThawStepper *s, ThawSlow *slow, int steps);
// How far it would go in the next second, over its diameter; *most: how far it may; *held: whether scripts hold any of
// it.
double thaw_slow_drift(const ThawStepper *s, const ThawSlow *slow, int steps, double *most, int *held);

#endif
