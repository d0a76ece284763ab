// SPDX-License-Identifier: Apache-2.0
// What a body of the method "rigidify" has besides a stepper's vectors.
#ifndef THAW_ADAPT_H
#define THAW_ADAPT_H

#include "oracle/oracle.h"
#include "step/history.h"
#include "step/step.h"

typedef struct ThawAdaptive {
    ThawRigidifyOptions options; // of the state, as this body goes by them
    ThawOracle *oracle;          // its state belongs to the world's
    ThawPartition *partition;    // likewise
    ThawIntegrationSet *set;     // the elastic elements
    ThawSystem *system;          // of the rigid map; the stepper's own
    ThawSystem *full;            // of the identity map, for the oracle's static solves
    unsigned char *flagged;      // ne
    unsigned char *script;       // nv, THAW_VERTEX_*
    double *f_contact;           // dim * nv, N
    double *f_past;              // dim * nv, N: without contacts that close in this step
    double *k_contact;           // dim * dim * nv, N/m
    int pressed;                 // they are not all zero
    double hard;                 // N/m: contacts that are stiffer are hard; those without a slope count as that
    double grain;                // m, the size of an element, about
    ThawAnswer answer;
    ThawTransition transition;
} ThawAdaptive;

// Everything elastic. Makes the history, too, unless there is one.
ThawStatus thaw_adaptive_create(ThawWorld *world, ThawStepper *stepper, ThawError *error);
// Takes over other options of the state.
void thaw_adapt_configure(const ThawWorld *world, ThawStepper *stepper);
// What moves inside parts stops: for a rule that knows no shadow.
void thaw_adapt_settle(ThawStepper *stepper, ThawLedger *ledger);
// The adaptive part of a body that has slept: wholly rigid, at rest.
ThawStatus thaw_adapt_wake(ThawWorld *world, ThawStepper *stepper, int loaded, ThawError *error);
void thaw_adaptive_free(ThawAdaptive **adaptive);

// Before islands are solved. First what bodies share (the full system), one body after the other; then, for any number of
// bodies at the same time: asks the oracle, forms and dissolves parts, and gives the stepper the system that fits.
ThawStatus thaw_adapt_prepare(ThawWorld *world, ThawStepper *stepper, ThawError *error);
ThawStatus thaw_adapt_body(const ThawWorld *world, ThawStepper *stepper, ThawIncrement step, ThawError *error);
// After a step that succeeded (x1, v1 known): parts move on, and strain rates are looked at.
void thaw_adapt_commit(ThawStepper *stepper, ThawIncrement step);
// What of the body alone keeps it from rest: NONE when it is wholly rigid, found in balance inside, and slower than
// sleep_speed.
ThawHindrance thaw_adapt_hindrance(const ThawStepper *stepper);
// After a step: whether it is so. slow: for so many steps before this one. At the first of them velocities are noted,
// for thaw_adapt_drift.
int thaw_adapt_watch_rest(ThawStepper *stepper, int slow);
// How far it would go in the next second by its velocity, and by the mean acceleration since it has been slow, over its
// diameter. held: pins leave it less than its freedom.
double thaw_adapt_drift(const ThawStepper *stepper, int slow, int *held);
// A step failed and x, v are what they were before it: all is elastic again, with the velocities of the parts
// and of what crept inside them. ledger: where that is booked, or NULL.
void thaw_adapt_abandon(ThawStepper *stepper, ThawLedger *ledger);
// A contact of the step that nobody had foreseen comes at `speed`, m/s, to a side of it that belongs to the body. If it strikes a rigid
// part, the body is elastic again, and is to be asked anew.
ThawStatus thaw_adapt_strike(const ThawWorld *world, ThawStepper *stepper, const ThawContact *contact, int side,
                             double speed);
// The partition and the oracle's state were restored: what was derived from the old ones goes.
void thaw_adapt_renew(ThawStepper *stepper);
// After x or v were set from outside.
void thaw_adapt_reset(ThawStepper *stepper);

#endif
