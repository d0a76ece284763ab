// SPDX-License-Identifier: Apache-2.0
// One scene by two methods, step by step: how fast, how far apart, was the oracle right. What `thaw compare` and
// `thaw bench` share.
#ifndef THAW_APP_VERSUS_H
#define THAW_APP_VERSUS_H

#include <stdio.h>

#include "judge.h"
#include "lockstep.h"

typedef struct AppVersusDef {
    const ThawScene *scene;              // borrowed
    const char *method, *against;        // which is judged, and by which; method NULL: as the scene says
    const ThawRigidifyOptions *rigidify; // NULL: the scene's
    int64_t steps;
    int floor;             // nonzero: also run the reference with half the time step
    double tau;            // of the judge; 0: as the method says; < 0: do not judge
    int64_t tolerance;     // of the judge, steps
    const char *keep;      // a folder for what it takes to go on later, only with the scene's thresholds; NULL: none
    FILE *csv, *histogram; // a line for each step; may be NULL
} AppVersusDef;

// What one of them cost, summed over the steps.
typedef struct AppCost {
    double wall_ms, cpu_ms;
    double contact_ms; // detection, rows and response, not the shared factor; CPU time
    double dofs;
} AppCost;

// Sums and extremes over the steps so far: plain numbers, kept as they are.
typedef struct AppFigures {
    int64_t steps;
    AppCost reference, other;
    double max_error, sum_error, max_floor; // vertex distance over the diameter of its body
    double ratio_sum, nc_ratio_sum;         // of the steps' times
    double rigid_sum, final_rigid;          // share of the elements that are rigid
    double solver_ms;                       // forces, assembly, factor, solve, contact of the other one, wall
} AppFigures;

typedef struct AppVersus {
    AppVersusDef def;
    AppLockstep lockstep;
    AppRunner reference, other, half;
    AppJudge judge; // elements is 0 where it does not judge
    AppFigures figures;
    double error, floor; // of the last step
} AppVersus;

ThawStatus app_versus_create(const AppVersusDef *def, AppVersus *versus, ThawError *error);
void app_versus_clear(AppVersus *versus);
ThawStatus app_versus_step(AppVersus *versus, ThawError *error);
void app_versus_finish(AppVersus *versus); // after the last step

double app_total_speedup(const AppFigures *figures);
double app_nc_total_speedup(const AppFigures *figures); // without the time of contact
// A step of the other one over the least it could cost: asking every element for its strain rate, and the solver's work on
// the unknowns it has.
double app_step_over_floor(const AppVersus *versus);

// --- to go on later (versus_keep.c) --------------------------------------------------------------------------------------

// Writes all worlds and sums into def.keep, which is made where there is none; what was there goes when all is safe.
ThawStatus app_versus_save(const AppVersus *versus, ThawError *error);
// Goes on from there; *resumed says whether there was anything. What another scene or other settings left is refused.
ThawStatus app_versus_load(AppVersus *versus, int *resumed, ThawError *error);

#endif
