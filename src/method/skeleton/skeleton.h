// SPDX-License-Identifier: Apache-2.0
// The method of bones and what they carry (docs/bones.md).
#ifndef THAW_SKELETON_H
#define THAW_SKELETON_H

#include "map/bones/bones.h"
#include "step/method.h"

// A motor as it is now, by rate. State.
typedef struct ThawMotorNow {
    double torque, position, velocity, stiffness, damping;
    double keyed; // 1: keys of the scene lead it; 0
} ThawMotorNow;

typedef struct ThawSkeletonData {
    const ThawSkeleton *tree;
    ThawBonesState state; // coordinates and rates
    ThawMotorNow *motor;  // dof_count
    ThawSystem *system;
    ThawIntegrationSet *set; // elements of soft bodies
    ThawLinkPose *pose;      // scratch
    int32_t stale;           // 1: x and v of the bones are not yet those of the coordinates; state
    double *start_at, *start_rate, *x, *v, *number, *square;
    int64_t started; // step that start_* are of; -1: none
    double t, h;     // s, of the interval
    // At its beginning, for the ledger:
    ThawLedger work;
    double kinetic, springs, elastic;
} ThawSkeletonData;

static inline ThawSkeletonData *thaw_skeleton_data(const ThawStepper *s) { return s->data; }
static inline ThawBonesMap *thaw_skeleton_map(const ThawStepper *s) {
    return s->system ? thaw_bones_of(s->system->map) : NULL;
}

// fit.c: coordinates and rates that are nearest by mass to x and v. These become those of the bones with the next step.
void thaw_skeleton_fit(ThawStepper *s);
// x and v of what is carried, by coordinates and rates.
void thaw_skeleton_place(const ThawStepper *s, const double *at, const double *rate, double *x, double *v);
// drive.c: what joints do in the interval.
void thaw_skeleton_drive(const ThawStepper *s, ThawJointPush *drive);
void thaw_skeleton_start_motors(ThawSkeletonData *data);
// limits.c: rows of joints that are near a limit.
int32_t thaw_skeleton_limits(const ThawStepper *s, double h, ThawContact *rows);
// J, of bones and what they carry; and in springs of joints.
double thaw_skeleton_kinetic(const ThawStepper *s);
double thaw_skeleton_springs(const ThawStepper *s);

#endif
