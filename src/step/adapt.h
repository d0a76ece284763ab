// SPDX-License-Identifier: Apache-2.0
// What a body of the method "rigidify" has besides a stepper's vectors.
#ifndef THAW_ADAPT_H
#define THAW_ADAPT_H

#include "oracle/oracle.h"
#include "step/history.h"
#include "step/step.h"

typedef struct ThawAdaptive {
    ThawOracle *oracle;       // its state belongs to the world's
    ThawPartition *partition; // likewise
    ThawIntegrationSet *set;  // the elastic elements
    ThawSystem *system;       // of the rigid map; the stepper's own
    const ThawSystem *full;   // of the identity map, for the oracle's static solves
    unsigned char *flagged;   // ne
    unsigned char *script;    // nv, THAW_VERTEX_*
    double *f_contact;        // dim * nv, N
    double *k_contact;        // nv, N/m
    ThawAnswer answer;
    ThawTransition transition;
} ThawAdaptive;

ThawStatus thaw_adaptive_create(ThawStepper *stepper, ThawError *error);
void thaw_adaptive_free(ThawAdaptive **adaptive);

// Before islands are solved: asks the oracle, forms and dissolves parts, and gives the stepper the system that fits.
ThawStatus thaw_adapt_body(ThawWorld *world, ThawStepper *stepper, ThawIncrement step, ThawError *error);
// After a step that succeeded (x1, v1 known): parts move on, and strain rates are looked at.
void thaw_adapt_commit(ThawStepper *stepper, ThawIncrement step);
// A step failed and x, v are what they were before it: all is elastic again, with the velocities of the parts.
void thaw_adapt_abandon(ThawStepper *stepper);
// Wholly rigid, and known to stay so until something changes.
int thaw_adapt_asleep(const ThawStepper *stepper);
// The partition and the oracle's state were restored: what was derived from the old ones goes.
void thaw_adapt_renew(ThawStepper *stepper);
// After x or v were set from outside.
void thaw_adapt_reset(ThawStepper *stepper);

#endif
