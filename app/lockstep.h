// SPDX-License-Identifier: Apache-2.0
// Worlds of one scene that run side by side: what `thaw compare` and `thaw tune` share.
#ifndef THAW_APP_LOCKSTEP_H
#define THAW_APP_LOCKSTEP_H

#include "thaw/thaw.h"
#include "watch.h"

// One world among them, with what its steps cost.
typedef struct AppRunner {
    const char *method;
    ThawWorld *world;
    ThawStepStats last;                 // of its last step
    int64_t steps;                      // so far
    double wall_ms, cpu_ms, contact_ms; // summed over the steps; contact: detection, rows and response
    double dofs;                        // summed
    AppWatch watch;                     // since it was made, or loaded
} AppRunner;

// What is the same for all of them.
typedef struct AppLockstep {
    const ThawScene *scene; // borrowed
    ThawBodyDef *bodies;    // the scene's; methods are put in
    double *x[2];           // room for positions of the largest body
    double *diameter;       // of each body's box at the start, m
    double *apart;          // of each body, the largest distance by the last app_lockstep_distance
    int64_t elements;       // of all bodies
    int ledger;             // nonzero: worlds that are made from now on keep theirs
} AppLockstep;

ThawStatus app_lockstep_create(const ThawScene *scene, AppLockstep *lockstep, ThawError *error);
void app_lockstep_clear(AppLockstep *lockstep);

// Worlds that are made from now on start with all bodies that are not held moved by that share of their diameter: the first
// upwards, the others along x, y, up, ... by turns, for a scene that moves as a whole is the same one. Returns how many these are.
int32_t app_lockstep_shift(AppLockstep *lockstep, double share);

// A world of the scene with every body moved by `method` (NULL: as the scene says), steps of h, and these thresholds (NULL:
// the scene's). A ledger is kept only where lockstep->ledger says so.
ThawStatus app_runner_create(AppLockstep *lockstep, const char *method, double h, const ThawRigidifyOptions *rigidify,
                             AppRunner *runner, ThawError *error);
void app_runner_clear(AppRunner *runner);
ThawStatus app_runner_step(AppRunner *runner, ThawError *error);

// Distances between the vertices of two worlds, each over the diameter of its body: the largest; the mean in *mean, which
// may be NULL.
double app_lockstep_distance(AppLockstep *lockstep, const AppRunner *a, const AppRunner *b, double *mean);

#endif
