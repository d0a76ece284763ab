// SPDX-License-Identifier: Apache-2.0
// What cannot be asked of a method: to be nearer to the reference than the reference is to itself, with another time
// step or from a start that is hardly another one. What `thaw compare`, `thaw tune` and `thaw bench worlds` share.
#ifndef THAW_APP_FLOOR_H
#define THAW_APP_FLOOR_H

#include "lockstep.h"

extern const double app_floor_shift;      // of a body's diameter: how far a start is moved
extern const double app_floor_tolerances; // so many of its tolerances a method may be off

// Distances over the diameter of a body.
typedef struct AppFloors {
    double error;           // of the method that is judged
    double tolerance;       // what it takes for nothing
    double step;            // what the time step does to the reference
    double shift;           // what a start moved by app_floor_shift does to it
    double reference_error; // how far the reference itself may be off, about; 0: it is what it is
} AppFloors;

typedef enum AppVerdict {
    APP_WITHIN_TOLERANCE,
    APP_UNRESOLVED,   // no more than the reference itself may be off
    APP_WITHIN_STEP,  // no more than the time step does
    APP_WITHIN_SHIFT, // no more than chance does
    APP_STRAYS,
    APP_VERDICTS
} AppVerdict;
AppVerdict app_verdict(const AppFloors *floors);
extern const char *const app_verdict_names[APP_VERDICTS]; // for programs: "within-tolerance"
extern const char *const app_verdict_texts[APP_VERDICTS]; // a sentence

// What a method takes for nothing, over the diameter; method NULL: that of the scene's bodies with the least.
double app_tolerance_of(const ThawScene *scene, const char *method);

// As app_runner_create, of a start in which all bodies that are not held are moved by that share of their diameter.
// *runner has no world where all are held.
ThawStatus app_runner_create_shifted(AppLockstep *lockstep, const char *method, double h, double share,
                                     const AppOptions *options, AppRunner *runner, ThawError *error);

// --- a reference to trust (truth.c) ----------------------------------------------------------------------------------

enum { APP_TRUTHS = 3 }; // runs with steps of h/2, h/4 and h/8

typedef struct AppTruth {
    double *x[APP_TRUTHS]; // positions of all bodies after the last step, in each of the runs
    double *best;          // where they converge to
    size_t *first;         // bodies + 1: where each body begins
    double error;          // of the last step: how far `best` may be off, about, over the diameter
    double extrapolated;   // of the last step: the share of bodies in which `best` is
} AppTruth;

ThawStatus app_truth_create(const ThawWorld *world, AppTruth *truth, ThawError *error);
void app_truth_clear(AppTruth *truth);
// From the runs, which have just made the same step of the scene.
void app_truth_find(AppTruth *truth, const AppLockstep *lockstep, const AppRunner runs[APP_TRUTHS]);

#endif
