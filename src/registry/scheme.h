// SPDX-License-Identifier: Apache-2.0
// Integrators by name. What a step does differently for one is in its entry; no other place asks which it is.
#ifndef THAW_REGISTRY_SCHEME_H
#define THAW_REGISTRY_SCHEME_H

#include "thaw/world.h"

// One implicit solve of a step of h, over `implicit` h, for the state at `at` h. It begins at positions and velocities
// that are put together of those of the step's start and of the stage before, y = first y0 + before y1; and where
// `explicit_half` is set, of forces at the start, too. Impulses and forces of the stage count for the whole step by
// `weight`.
typedef struct ThawSchemeStage {
    double at, implicit;
    double first, before;
    int explicit_half;
    double span; // what contacts do counts for so many times the implicit part
    double weight;
} ThawSchemeStage;

typedef struct ThawScheme {
    const char *name; // as in scenes
    const char *help;
    int newton;  // iterates to convergence; else it linearises once
    int follows; // in each body's moving frame (step/moving.c)
    int stage_count;
    const ThawSchemeStage *stages;
    int order;   // of the error in h
    double cost; // of a step, about, beside one of the cheapest: a few linearisations where it converges
    // The share of its amplitude that a vibration of angular frequency omega keeps in a step of omega h = z > 0, and by
    // how much it goes on (rad).
    double (*vibrate)(double z, double *angle);
    int fallback; // the ThawIntegrator of a step that fails, or makes energy out of nothing; -1: none damps more
    int blows;    // that of steps in parts for blows that h is too long for (step/blow.c); -1: none are made
} ThawScheme;

// Steps that a blow is resolved by.
#define THAW_BLOW_STEPS 16

const ThawScheme *thaw_scheme(ThawIntegrator integrator);
// That of steps that fail, or NULL.
const ThawScheme *thaw_scheme_fallback(const ThawScheme *scheme);
// That of blows, or NULL.
const ThawScheme *thaw_scheme_of_blows(const ThawScheme *scheme);
// The cheapest in moving frames of that order at least.
const ThawScheme *thaw_scheme_in_frames(int order);
// The share of its energy that a vibration keeps while it goes on by an angle (rad), by steps of omega h = z.
double thaw_scheme_energy_kept(const ThawScheme *scheme, double z, double angle);
// Whether alpha1 damps rates of strain only.
int thaw_scheme_is_viscous(ThawIntegrator integrator, ThawDamping damping);
// The same scheme, iterated or linearised once.
ThawIntegrator thaw_scheme_twin(ThawIntegrator integrator, int newton);

#endif
