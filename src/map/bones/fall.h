// SPDX-License-Identifier: Apache-2.0
// How a skeleton moves for a step if nothing touches it and nothing soft hangs on it: collocation at two points, for
// rates and joint coordinates,
//     H(at) rate' = J'F - J'(M J' rate) + joints,    way' = dexp^-1(rate),
// by Gauss's points where no joint has a damper or a motor (fourth order, time-reversible: energy does not drift), and
// Radau's where one has (third order, and what is damped faster than the step is gone at its end). The nonlinear
// equations are solved to rounding by Newton's method with the matrix of the start, in which dampers and springs of
// joints are; a step that turns too far, or does not converge, is made in parts.
#ifndef THAW_FALL_H
#define THAW_FALL_H

#include "map/bones/tree.h"

// What joints do, by rate: torque + pull - stiffness * number - damping * rate.
typedef struct ThawJointPush {
    double *torque;    // N m or N, of motors, with what their dampers aim at
    double *pull[2];   // at the start and the end of the step: stiffness times where springs and motors aim at
    double *stiffness; // of springs and motors together
    double *damping;   // of dampers and motors together
    double *lost;      // the part of dampers in it
    double *spring[2]; // the part of springs: stiffness, and rest
    int acts;          // 0: all of stiffness and damping is 0; 2: something damps, or a motor aims somewhere; 1
} ThawJointPush;

typedef struct ThawFall {
    const ThawSkeleton *tree;
    ThawJointPush drive;
    int loose;               // as if joints did nothing
    ThawLinkLoad *load;      // by link
    ThawLinkPose *pose;      // scratch
    double *at, *rate;       // where it comes to
    double *joint;           // by rate: N m s or N s, of dampers (lost)
    double *motor;           // and of motors
    double (*P)[3], (*L)[3]; // by bone, of free ones: momenta at the end of what hangs on them, about its centre
    double (*centre)[3];     // and where that is
    double *space;           // of all numbers here
    // Scratch:
    double *K[2], *Z[2], *Q[2], *dz[2], *r[2], *H[2], *matrix, *number, *change;
    double *at0, *rate0, *stage_at;
    int *pivot;
    ThawWhole *whole; // by bone
} ThawFall;

ThawStatus thaw_fall_create(const ThawSkeleton *tree, ThawFall *fall, ThawError *error);
void thaw_fall_clear(ThawFall *fall);
// From at, rate for h; drive and load are filled in. THAW_DIVERGED, or THAW_OK.
ThawStatus thaw_fall_go(ThawFall *fall, double h, const double *at, const double *rate);
// r += what joints do at these numbers and rates, a share of the step after its start; motor, lost: parts of it, or
// NULL.
void thaw_joint_push_add(const ThawSkeleton *tree, const ThawJointPush *drive, double share, const double *number,
                         const double *rate, double *r, double *motor, double *lost);

#endif
