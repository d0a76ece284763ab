// SPDX-License-Identifier: Apache-2.0
// What tests of motion share: worlds of scenes that are put together, momenta, and rigid bodies by their own equations,
// with steps so small that they count as exact.
#ifndef THAW_TEST_MOTION_H
#define THAW_TEST_MOTION_H

#include "thaw/thaw.h"

typedef struct Momenta {
    double c[3], P[3], L[3], kinetic, mass; // L about c
} Momenta;

Momenta measure(const ThawWorld *world, int32_t body, int dim);

// The world of a scene, all bodies by that method; ' stands for ".
ThawWorld *open_scene(const char *method, const char *format, ...);

// A rigid body with the masses of a mesh, free or held at a point.
typedef struct Rigid {
    double mass, c[3];       // centre of mass, from the point that is held; 0 where it is free
    double inertia[9];       // about that point, at the start
    double R[9], L[3], g[3]; // how it has turned since, angular momentum, gravity
} Rigid;

// As the first body of a world in space is now, held at the point or free (NULL). omega: its spin; NULL: what its
// angular momentum says.
Rigid make_rigid(const ThawWorld *world, const double pin[3], const double omega[3], const double g[3]);
void rigid_omega(const Rigid *rigid, double omega[3]);
void advance_rigid(Rigid *rigid, double h); // by one step of the classical Runge-Kutta method
double rigid_energy(const Rigid *rigid);    // of motion and of height

#endif
