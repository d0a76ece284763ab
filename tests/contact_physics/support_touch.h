// SPDX-License-Identifier: Apache-2.0
// What the tests of contact's physics share: worlds from a few lines of JSON, run with an eye on the response's
// residual. Everything here asserts: a test that cannot set itself up has failed.
#ifndef THAW_TEST_TOUCH_H
#define THAW_TEST_TOUCH_H

#include <stdint.h>

#include "thaw/thaw.h"

typedef struct Touch {
    ThawScene *scene;
    ThawWorld *world;
    ThawStepStats last; // of the last step
    double residual;    // the worst of all steps
    int64_t left;       // steps whose residual was above the tolerance
} Touch;

// A world from a scene file as text, with printf's conversions. Floor, materials and the like are written as the format
// of scene files says; apostrophes stand for quotation marks.
Touch touch_open(const char *format, ...) __attribute__((format(printf, 1, 2)));
void touch_close(Touch *touch);
// Steps; every one must succeed and leave a residual below the tolerance of the scene.
void touch_run(Touch *touch, int64_t steps);
// The same, where a residual may be left.
void touch_try(Touch *touch, int64_t steps);

// Mass-weighted means of a body: centre, velocity, and its spin about the centre.
void touch_centre(const Touch *touch, int32_t body, double x[3]);
void touch_velocity(const Touch *touch, int32_t body, double v[3]);
void touch_spin(const Touch *touch, int32_t body, double spin[3]);
double touch_mass(const Touch *touch, int32_t body);
// The least and largest coordinate along an axis.
double touch_lowest(const Touch *touch, int32_t body, int axis);
double touch_highest(const Touch *touch, int32_t body, int axis);
// The farthest that any vertex of the body is from where `from` (a copy made by touch_positions) has it.
double *touch_positions(const Touch *touch, int32_t body);
double touch_moved(const Touch *touch, int32_t body, const double *from);
// What stays the same if the ledger closes.
double touch_balance(const Touch *touch);

#endif
