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
    int blows; // the ThawIntegrator of steps in parts for blows that h is too long for (step/blow.c); -1: none are made
    int stage_count;
    const ThawSchemeStage *stages;
} ThawScheme;

// Steps that a blow is resolved by.
#define THAW_BLOW_STEPS 16

const ThawScheme *thaw_scheme(ThawIntegrator integrator);
// That of blows, or NULL.
const ThawScheme *thaw_scheme_of_blows(const ThawScheme *scheme);
// Whether alpha1 damps rates of strain only.
int thaw_scheme_is_viscous(ThawIntegrator integrator, ThawDamping damping);
// When impulses of its stages act, in the mean, as a share of the step.
double thaw_scheme_centre(const ThawScheme *scheme);
// The same scheme, iterated or linearised once.
ThawIntegrator thaw_scheme_twin(ThawIntegrator integrator, int newton);

#endif
