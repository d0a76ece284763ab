// SPDX-License-Identifier: Apache-2.0
// The inside of the method "rigidify": what a body has besides a stepper's vectors, and what the method's files share.
#ifndef THAW_RIGIDIFY_H
#define THAW_RIGIDIFY_H

#include "base/scratch.h"
#include "method/rigidify/history.h"
#include "oracle/oracle.h"
#include "step/method.h"

// Of a body awake.
typedef struct ThawRigidifyData {
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
    ThawScratch search; // for what it bears
} ThawRigidifyData;

// The scale of a body with what it bears, part of the state: found when the burden last changed.
typedef struct ThawBurdened {
    uint64_t neighbours;       // hash of the bodies that touch it or are attached to it, and of its island's
    uint64_t borne;            // hash of what it bears and of what holds it; 0: nothing that counts
    double omega, lever, soft; // as in ThawScale, of a body that bears something
} ThawBurdened;

// Of a body awake or asleep.
typedef struct ThawRigidifyRecord {
    ThawScale scale;        // once it was needed; a function of the model and of the pins that hold the body
    ThawScale scale_before; // the last pin that let go
    ThawBurdened burdened;
    ThawHistory *history; // part of the state
} ThawRigidifyRecord;

extern const ThawMethodOps thaw_rigidify_ops;

static inline ThawRigidifyData *thaw_rigidify(const ThawStepper *s) { return s->data; }
static inline ThawRigidifyRecord *thaw_rigidify_record(const ThawStepper *s) { return s->record; }

// Functions of the table (access.c, doubt.c).
void thaw_rigidify_settle(const ThawWorld *world, const ThawStepper *s, void *options);
void thaw_rigidify_foresee(const ThawScale *scale, double h, void *options);
int thaw_rigidify_doubt(const void *options, const ThawBuild *body, ThawOptionRemark *remarks);

// What the state says, of a body that has the method or is about to have it.
static inline const ThawRigidifyOptions *thaw_rigidify_options(const ThawWorld *world, int32_t body) {
    return thaw_state_method_options(&world->state, thaw_method_index(thaw_method_rigidify.name), body);
}

// rigidify.c: thresholds from options and scale as they are now; resume: for a state that was found with them.
void thaw_rigidify_configure(const ThawWorld *world, ThawStepper *s);
void thaw_rigidify_reconfigure(const ThawWorld *world, ThawStepper *s);

// burden.c: the scale in force, with what the body bears.
ThawScale thaw_rigidify_scale(const ThawStepper *s);
// Finds the burden anew where the body's neighbours have changed, and thresholds that fit.
ThawStatus thaw_rigidify_fit_burden(const ThawWorld *world, ThawStepper *s, ThawError *error);
// For a question: bearer is a ThawBearer.
typedef struct ThawBearer {
    const ThawWorld *world;
    const ThawStepper *s;
} ThawBearer;
ThawStatus thaw_rigidify_bear(const void *bearer, ThawBorne *borne);

// contacts.c: forces of the contacts on this body, those remembered and, of those that carried nothing, what is
// foreseen; and what the question says of them.
void thaw_rigidify_gather(const ThawWorld *world, ThawStepper *s, ThawIncrement step, ThawQuestion *q);
// N, world axes, on side 0 of an attachment's row: that of the last step, and what the spring adds as its sides now
// move (f_past: without that).
void thaw_rigidify_attachment_force(const ThawWorld *world, const ThawContact *row, double h, int past, double f[3]);
// If it strikes a rigid part, the body is elastic again, and is to be asked anew.
ThawStatus thaw_rigidify_strike(const ThawWorld *world, ThawStepper *s, const ThawContact *contact, int side,
                                double speed);

// rest.c: NONE when it is wholly rigid, found in balance inside, and slower than sleep_speed.
ThawHindrance thaw_rigidify_hindrance(const ThawStepper *s);
// At the first of the slow steps velocities are noted, for the drift.
int thaw_rigidify_watch(ThawStepper *s, int slow);
// By its velocity, and by the mean acceleration since it has been slow.
double thaw_rigidify_drift(const ThawStepper *s, int slow, double *most, int *held);

// energy.c: around positions that are moved by something other than a step, of length h. Loads, contacts and
// attachments do work on that way as on any, the rest is follow_work.
void thaw_rigidify_begin_move(ThawStepper *s);
void thaw_rigidify_end_move(const ThawWorld *world, ThawStepper *s, double h);
void thaw_rigidify_add_energies(const ThawStepper *s, ThawLedger *ledger);
// Energies of a question.
void thaw_rigidify_book_shadow(ThawStepper *s);

// explain.c
void thaw_rigidify_explain(const ThawWorld *world, const ThawStepper *s, int32_t element, ThawElementReport *report);

// state.c
int thaw_rigidify_list(const ThawStepper *s, ThawStateField *fields);
ThawStatus thaw_rigidify_expect(const ThawWorld *world, ThawStepper *s, ThawError *error);
ThawStatus thaw_rigidify_take(const ThawWorld *world, ThawStepper *s, ThawError *error);

// validate.c
ThawStatus thaw_rigidify_validate(const ThawWorld *world, const ThawStepper *s, ThawError *error);

// scale.c: the scale in the record as of the last step, unless it is known.
ThawStatus thaw_rigidify_find_scale(ThawWorld *world, ThawStepper *s, ThawError *error);
// The same for the step that begins (s->middle). changed: a pin has let go since.
ThawStatus thaw_rigidify_fit_scale(ThawWorld *world, ThawStepper *s, int *changed, ThawError *error);
// The step that began is cancelled: the scale of the last step comes back. Nonzero: that is another one.
int thaw_rigidify_restore_scale(const ThawWorld *world, ThawStepper *s);

#endif
