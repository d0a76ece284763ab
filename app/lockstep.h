// SPDX-License-Identifier: Apache-2.0
// Worlds of one scene that run side by side: what `thaw compare` and `thaw tune` share.
#ifndef THAW_APP_LOCKSTEP_H
#define THAW_APP_LOCKSTEP_H

#include "registry/method.h"
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
    int32_t room;           // vertices
    double *diameter;       // of each body's box at the start, m
    double *apart;          // of each body, the largest distance by the last app_lockstep_distance
    int64_t elements;       // of all bodies
    ThawOptionDef *options; // room for the scene's rows and those of a runner
    int ledger;             // nonzero: worlds that are made from now on keep theirs
} AppLockstep;

ThawStatus app_lockstep_create(const ThawScene *scene, AppLockstep *lockstep, ThawError *error);
void app_lockstep_clear(AppLockstep *lockstep);

// Worlds that are made from now on start with all bodies that are not held moved by that share of their diameter: the
// first upwards, the others along x, y, up, ... by turns, for a scene that moves as a whole is the same one. Returns
// how many these are.
int32_t app_lockstep_shift(AppLockstep *lockstep, double share);

// Options of methods in place of the scene's; those that bodies have of their own stay.
typedef struct AppOptions {
    const ThawOptionDef *rows;
    int32_t count; // at most THAW_OPTION_ROWS
} AppOptions;
// All of a struct of that method, as rows; how many.
int32_t app_options_list(const ThawMethod *method, const void *options, ThawOptionDef *rows);

// A world of the scene with every body moved by `method` (NULL: as the scene says), steps of h, and these options
// (NULL: the scene's). A ledger is kept only where lockstep->ledger says so.
ThawStatus app_runner_create(AppLockstep *lockstep, const char *method, double h, const AppOptions *options,
                             AppRunner *runner, ThawError *error);
void app_runner_clear(AppRunner *runner);
ThawStatus app_runner_step(AppRunner *runner, ThawError *error);

// Distances between the vertices of two worlds, each over the diameter of its body: the largest; the mean in *mean,
// which may be NULL.
double app_lockstep_distance(AppLockstep *lockstep, const AppRunner *a, const AppRunner *b, double *mean);
// The same from positions of all bodies, one after the other.
double app_lockstep_distance_from(AppLockstep *lockstep, const double *x, const AppRunner *b, double *mean);

#endif
