// SPDX-License-Identifier: Apache-2.0
// One scene by two methods, step by step: how fast, how far apart, was the oracle right. What `thaw compare` and
// `thaw bench` share.
#ifndef THAW_APP_VERSUS_H
#define THAW_APP_VERSUS_H

#include <stdio.h>

#include "floor.h"
#include "judge.h"

typedef struct AppVersusDef {
    const ThawScene *scene;       // borrowed
    const char *method, *against; // which is judged, and by which; method NULL: as the scene says
    AppOptions options;           // in place of the scene's
    int64_t steps;
    int converged;         // nonzero: errors are told from where the reference converges to, with steps down to h/8
    int floor;             // nonzero: also run the reference with half the time step, and from a start that is shifted
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
    // Vertex distances over the diameter of the body: of the other one; of what the time step and what a shifted start
    // do to the reference; and how far what errors are told from may be off.
    double max_error, sum_error, max_floor, max_shift, max_reference;
    double extrapolated;            // share of bodies in which what it converges to is, summed over the steps
    double ratio_sum, nc_ratio_sum; // of the steps' times
    double rigid_sum, final_rigid;  // share of the elements that are rigid
    double solver_ms;               // forces, assembly, factor, solve, contact of the other one, wall
} AppFigures;

typedef struct AppVersus {
    AppVersusDef def;
    AppLockstep lockstep;
    AppRunner reference, other, shifted;
    AppRunner cut[APP_TRUTHS]; // the reference with steps of h/2, h/4, h/8; only the first where converged is 0
    AppTruth truth;
    AppJudge judge; // elements is 0 where it does not judge
    AppFigures figures;
    double error, floor, shift; // of the last step
} AppVersus;

ThawStatus app_versus_create(const AppVersusDef *def, AppVersus *versus, ThawError *error);
void app_versus_clear(AppVersus *versus);
ThawStatus app_versus_step(AppVersus *versus, ThawError *error);
void app_versus_finish(AppVersus *versus); // after the last step

// What the error means beside the floors.
AppFloors app_versus_floors(const AppVersus *versus);

double app_total_speedup(const AppFigures *figures);
double app_nc_total_speedup(const AppFigures *figures); // without the time of contact
// A step of the other one over the least it could cost: asking every element for its strain rate, and the solver's work
// on the unknowns it has.
double app_step_over_floor(const AppVersus *versus);

// --- to go on later (versus_keep.c) ----------------------------------------------------------------------------------

// Writes all worlds and sums into def.keep, which is made where there is none; what was there goes when all is safe.
ThawStatus app_versus_save(const AppVersus *versus, ThawError *error);
// Goes on from there; *resumed says whether there was anything. What another scene or other settings left is refused.
ThawStatus app_versus_load(AppVersus *versus, int *resumed, ThawError *error);

#endif
