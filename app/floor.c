// SPDX-License-Identifier: Apache-2.0
// Floors of errors, and what an error means beside them: see floor.h.
#include "floor.h"

#include <math.h>
#include <string.h>

const double app_floor_shift = 1e-6;
const double app_floor_tolerances = 3;
static const double TOLERANCE = 1e-3; // of a method that has no such option

const char *const app_verdict_names[APP_VERDICTS] = {[APP_WITHIN_TOLERANCE] = "within-tolerance",
                                                     [APP_UNRESOLVED] = "unresolved",
                                                     [APP_WITHIN_STEP] = "within-step-floor",
                                                     [APP_WITHIN_SHIFT] = "within-shift-floor",
                                                     [APP_STRAYS] = "strays"};
const char *const app_verdict_texts[APP_VERDICTS] = {
    [APP_WITHIN_TOLERANCE] = "within three of its tolerances",
    [APP_UNRESOLVED] = "no more than the reference itself may be off: it takes smaller steps to tell",
    [APP_WITHIN_STEP] = "more than its tolerance, but no more than the time step alone does",
    [APP_WITHIN_SHIFT] = "more than its tolerance, but no more than chance: a start moved by a millionth does as much",
    [APP_STRAYS] = "it strays: neither its tolerance, nor the time step, nor chance is that much"};

AppVerdict app_verdict(const AppFloors *f) {
    if (f->error <= app_floor_tolerances * f->tolerance)
        return APP_WITHIN_TOLERANCE;
    if (f->error <= f->reference_error)
        return APP_UNRESOLVED;
    if (f->error <= f->step)
        return APP_WITHIN_STEP;
    return f->error <= f->shift ? APP_WITHIN_SHIFT : APP_STRAYS;
}

static double tolerance_of(const ThawScene *scene, const char *name) {
    const int index = thaw_method_index(name);
    const ThawOption *o = index < 0 ? NULL : thaw_option_of_role(&thaw_method_at(index)->options, THAW_ROLE_TOLERANCE);
    ThawOptionBuffer options;
    if (!o || !thaw_method_world_options(thaw_method_at(index), &scene->world, &options))
        return NAN;
    return thaw_option_get(o, options.bytes);
}

double app_tolerance_of(const ThawScene *scene, const char *method) {
    double least = method ? tolerance_of(scene, method) : NAN;
    for (int32_t b = 0; b < scene->world.body_count && !method; b++)
        least = fmin(least, tolerance_of(scene, scene->world.bodies[b].method));
    return isnan(least) ? TOLERANCE : least;
}

ThawStatus app_runner_create_shifted(AppLockstep *l, const char *method, double h, double share,
                                     const AppOptions *options, AppRunner *runner, ThawError *error) {
    ThawStatus status = THAW_OK;
    *runner = (AppRunner){0};
    if (app_lockstep_shift(l, share) > 0)
        status = app_runner_create(l, method, h, options, runner, error);
    app_lockstep_shift(l, 0);
    return status;
}
