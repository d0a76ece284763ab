// SPDX-License-Identifier: Apache-2.0
#include "registry/scheme.h"

#include <math.h>

// TR-BDF2 with gamma = 2 - sqrt 2, for which both stages have the same matrix (d = gamma / 2), and a = 1 / (gamma (2 -
// gamma)): the trapezoid rule over gamma h is half a step forwards, explicitly, and one of d h backwards; the second
// stage is one of d h from a y_gamma - (a - 1) y0.
#define D 0.29289321881345247560
#define A 1.20710678118654752440

static const ThawSchemeStage EULER[] = {{.at = 1, .implicit = 1, .first = 1, .span = 1, .weight = 1}};
static const ThawSchemeStage TR_BDF2[] = {
    {.at = 2 * D, .implicit = D, .first = 1, .explicit_half = 1, .span = 2, .weight = A},
    {.at = 1, .implicit = D, .first = 1 - A, .before = A, .span = 1, .weight = 1},
};

// y' = i omega y, z = omega h: what a step multiplies the amplitude by, and the angle by which it turns.

static double vibrate_euler(double z, double *angle) {
    *angle = atan(z);
    return 1 / hypot(1, z);
}

static double vibrate_tr_bdf2(double z, double *angle) {
    const double d = D * z, re = (1 - d * d) / (1 + d * d), im = 2 * d / (1 + d * d); // of the first stage
    *angle = atan2(A * im, A * re - (A - 1)) + atan(d);
    return hypot(A * re - (A - 1), A * im) / hypot(1, d);
}

static const ThawScheme SCHEMES[THAW_INTEGRATOR_COUNT] = {
    [THAW_INTEGRATOR_SEMI_IMPLICIT] = {.name = "semi-implicit",
                                       .help = "one linearised backward Euler step in the world's axes",
                                       .stage_count = 1,
                                       .stages = EULER,
                                       .order = 1,
                                       .cost = 1,
                                       .vibrate = vibrate_euler,
                                       .fallback = -1,
                                       .blows = -1},
    [THAW_INTEGRATOR_NEWTON] = {.name = "newton",
                                .help = "backward Euler in the world's axes, iterated to convergence",
                                .newton = 1,
                                .stage_count = 1,
                                .stages = EULER,
                                .order = 1,
                                .cost = 4,
                                .vibrate = vibrate_euler,
                                .fallback = -1,
                                .blows = -1},
    [THAW_INTEGRATOR_EULER] = {.name = "euler",
                               .help = "one linearised backward Euler step in each body's moving frame",
                               .follows = 1,
                               .stage_count = 1,
                               .stages = EULER,
                               .order = 1,
                               .cost = 1.4,
                               .vibrate = vibrate_euler,
                               .fallback = -1,
                               .blows = THAW_INTEGRATOR_TR_BDF2},
    [THAW_INTEGRATOR_EULER_NEWTON] = {.name = "euler-newton",
                                      .help = "backward Euler in each body's moving frame, iterated",
                                      .newton = 1,
                                      .follows = 1,
                                      .stage_count = 1,
                                      .stages = EULER,
                                      .order = 1,
                                      .cost = 5,
                                      .vibrate = vibrate_euler,
                                      .fallback = -1,
                                      .blows = THAW_INTEGRATOR_TR_BDF2_NEWTON},
    [THAW_INTEGRATOR_TR_BDF2] = {.name = "tr-bdf2",
                                 .help = "second order: two linearised stages in each body's moving frame",
                                 .follows = 1,
                                 .stage_count = 2,
                                 .stages = TR_BDF2,
                                 .order = 2,
                                 .cost = 2.6,
                                 .vibrate = vibrate_tr_bdf2,
                                 .fallback = THAW_INTEGRATOR_EULER,
                                 .blows = THAW_INTEGRATOR_TR_BDF2},
    [THAW_INTEGRATOR_TR_BDF2_NEWTON] = {.name = "tr-bdf2-newton",
                                        .help = "second order in each body's moving frame, iterated",
                                        .newton = 1,
                                        .follows = 1,
                                        .stage_count = 2,
                                        .stages = TR_BDF2,
                                        .order = 2,
                                        .cost = 9,
                                        .vibrate = vibrate_tr_bdf2,
                                        .fallback = THAW_INTEGRATOR_EULER_NEWTON,
                                        .blows = THAW_INTEGRATOR_TR_BDF2_NEWTON},
};

const ThawScheme *thaw_scheme(ThawIntegrator integrator) { return &SCHEMES[integrator]; }

const ThawScheme *thaw_scheme_fallback(const ThawScheme *scheme) {
    return scheme->fallback < 0 ? NULL : &SCHEMES[scheme->fallback];
}

const ThawScheme *thaw_scheme_of_blows(const ThawScheme *scheme) {
    return scheme->blows < 0 ? NULL : &SCHEMES[scheme->blows];
}

const ThawScheme *thaw_scheme_in_frames(int order) {
    const ThawScheme *best = NULL;
    for (const ThawScheme *s = SCHEMES; s < SCHEMES + THAW_INTEGRATOR_COUNT; s++)
        if (s->follows && s->order >= order && (!best || s->cost < best->cost))
            best = s;
    return best;
}

double thaw_scheme_energy_kept(const ThawScheme *scheme, double z, double angle) {
    double step;
    const double kept = scheme->vibrate(z, &step);
    return pow(kept, 2 * angle / step);
}

int thaw_scheme_is_viscous(ThawIntegrator integrator, ThawDamping damping) {
    return damping == THAW_DAMPING_VISCOUS || (damping == THAW_DAMPING_AUTO && thaw_scheme(integrator)->follows);
}

ThawIntegrator thaw_scheme_twin(ThawIntegrator integrator, int newton) {
    const ThawScheme *scheme = thaw_scheme(integrator);
    for (int i = 0; i < THAW_INTEGRATOR_COUNT; i++)
        if (SCHEMES[i].stages == scheme->stages && SCHEMES[i].follows == scheme->follows && SCHEMES[i].newton == newton)
            return (ThawIntegrator)i;
    return integrator;
}
