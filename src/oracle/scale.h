// SPDX-License-Identifier: Apache-2.0
// A body's own scales: what is slow for it, and how far it bends for a strain.
#ifndef THAW_SCALE_H
#define THAW_SCALE_H

#include "reduced/reduced.h"

// s. A body's own time does not say for how long its motion is watched: a drift, or small errors that add up while a
// body rolls, are judged by what has come of them after a second, or after the body's own time where that is longer.
static const double THAW_SECOND = 1;

typedef struct ThawScale {
    int known;
    int32_t released; // scripts of the body that no longer held it then
    double omega;     // rad/s, of its lowest elastic mode with the pins that hold it; 0: nothing of it is free
    double lever;     // in that mode: the largest displacement over the diameter, divided by the mean strain
    double alpha1;    // s, the largest of its materials
    double alone;     // rad/s, omega without a burden
    double soft;      // 1/s^2: a force of this acceleration a diameter, times its own mass, strains that mode by 1
} ThawScale;

// What a body bears beside itself: masses that go along with its vertices, and springs by which they stand still.
typedef struct ThawBurden {
    const double *mass; // nv, kg
    const double *hold; // nv, N/m
} ThawBurden;

// From the rest shape and the pins of a system of the identity map, whose direct plan is there. burden: NULL for none.
// gravity: m/s^2, its size.
ThawStatus thaw_scale_find(const ThawSystem *system, const ThawBurden *burden, double gravity, ThawTasks *tasks,
                           ThawScale *scale, ThawError *error);

// body_scale.c: scripts that have let go by t. They never take hold again, so their number tells which.
int32_t thaw_body_count_released(const ThawModelBody *body, double t);
// Whether two bodies are held in the same way at t, for certain.
int thaw_bodies_alike(const ThawModelBody *a, const ThawModelBody *b, double t);
// The scale of a body, from the rest shape and the pins that hold it at t; by one of the systems, if it serves.
ThawStatus thaw_body_find_scale(const ThawModel *model, const ThawModelBody *body, double t, ThawSystem *const *systems,
                                int32_t system_count, ThawTasks *tasks, ThawScale *scale, ThawError *error);

// Options with every number that was left open filled in for a body of that scale (docs/rigidification.md). h: s, the
// step.
ThawRigidifyOptions thaw_scale_options(const ThawScale *scale, const ThawRigidifyOptions *options, double h);

#endif
