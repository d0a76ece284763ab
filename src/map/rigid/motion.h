// SPDX-License-Identifier: Apache-2.0
// How a body that nothing holds moves as a whole: the rigid motion that is nearest by mass to velocities of its
// vertices, which has their linear and angular momentum. What pins leave of it is a part's (thaw_part_fit).
#ifndef THAW_RIGID_MOTION_H
#define THAW_RIGID_MOTION_H

#include "model/model.h"

// Where the body's centre is (m), how fast that moves (m/s) and how the body turns about it (rad/s).
typedef struct ThawMotion {
    double at[3], v[3], omega[3];
} ThawMotion;

// Of velocities v at positions x, dim doubles a vertex.
void thaw_motion_find(const ThawShape *shape, const double *x, const double *v, ThawMotion *motion);
// The motion's velocity at a point.
void thaw_motion_velocity(const ThawMotion *motion, const double at[3], double v[3]);
// v += factor times the motion's velocities at x.
void thaw_motion_add(const ThawShape *shape, const ThawMotion *motion, const double *x, double factor, double *v);

#endif
