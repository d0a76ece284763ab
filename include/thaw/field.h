// SPDX-License-Identifier: Apache-2.0
// What can be looked at in a world, as data: a viewer, a renderer or a file format that goes through this list needs no
// change when a method adds something to it.
#ifndef THAW_FIELD_H
#define THAW_FIELD_H

#include <stdint.h>

#include "thaw/status.h"
#include "thaw/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ThawFieldPlace { THAW_FIELD_VERTEX, THAW_FIELD_ELEMENT } ThawFieldPlace;

// Where a field says something: everywhere, where anything may touch, about bodies of an adaptive method, about their
// sheets, about sheets with strain limits.
typedef enum ThawFieldUse {
    THAW_FIELD_ALWAYS,
    THAW_FIELD_TOUCHING,
    THAW_FIELD_ADAPTIVE,
    THAW_FIELD_SHEETS,
    THAW_FIELD_LIMITED,
    THAW_FIELD_FOLDED, // about sheets that yield
    THAW_FIELD_REGIONS // about bodies whose method puts their mass on regions
} ThawFieldUse;

typedef struct ThawField {
    const char *name;  // a word, as in files and options: "von_mises"
    const char *label; // in words: "von Mises stress"
    const char *unit;  // "Pa"; "" where there is none
    ThawFieldPlace place;
    int components;     // doubles a place: 1, or 3 for vectors (in 2D the third is 0)
    int category_count; // > 0: values are indices into categories; < 0: ids of any size, -1 for none; 0: numbers
    const char *const *categories;
    int logarithmic; // nonzero: makes most sense on a logarithmic scale
    ThawFieldUse use;
} ThawField;

// What an element is doing: categories of the field "state".
typedef enum ThawElementState {
    THAW_ELEMENT_ELASTIC,
    THAW_ELEMENT_RIGID,
    THAW_ELEMENT_ASLEEP, // rigid, and the whole body at rest: nothing of it is computed
    THAW_ELEMENT_STATE_COUNT
} ThawElementState;

// Why an element is elastic: categories of the fields "reason" (why it is now) and "woken_by" (what made it so).
typedef enum ThawReason {
    THAW_REASON_NONE,   // it is rigid
    THAW_REASON_METHOD, // the body's method keeps every element elastic
    THAW_REASON_START,  // elastic since the start, or since its state was set from outside or a step had to be cut
    THAW_REASON_RATE,   // its strain changes faster than the threshold
    THAW_REASON_STRAIN, // staying rigid would suppress more strain than allowed, without a change of loads or contacts
    THAW_REASON_NEIGHBOUR, // shares a vertex with an element that had to wake
    THAW_REASON_CONTACT,   // as STRAIN, after what touches the body or presses on it has changed
    THAW_REASON_LOAD,      // as STRAIN, after forces, pins or scripts have changed
    THAW_REASON_WAIT,      // slow, but for too few steps, or too few elements with it
    THAW_REASON_LONE, // let be rigid, but no part can take it: a hinge, too few elements, a vertex that a script moves
    THAW_REASON_COUNT
} ThawReason;

int32_t thaw_field_count(void);
const ThawField *thaw_field(int32_t field);   // NULL when out of range
int32_t thaw_field_find(const char *name);    // -1: there is none of that name
const char *thaw_reason_name(ThawReason why); // "load change"; never NULL
const char *thaw_reason_text(ThawReason why); // a clause: "forces, pins or scripts on the body changed"; never NULL
const char *thaw_element_state_name(ThawElementState state); // "rigid"; never NULL

// Whether the field says something in this world, so that its frames carry it. The others may be asked for all the
// same; strain_rate can be had of any body.
int thaw_world_shows_field(const ThawWorld *world, int32_t field);

// The present values of a field over a body's vertices or elements, in the mesh's numbering: room for `components`
// doubles each. Computed when asked for; a step pays nothing. A body or field out of range is THAW_ERROR_INPUT.
ThawStatus thaw_world_get_field(const ThawWorld *world, int32_t body, int32_t field, double *values);

// --- Why is it awake? ------------------------------------------------------------------------------------------------

// All that is known about why an element is elastic or rigid, as of the end of the last step.
typedef struct ThawElementReport {
    int32_t body, element;
    ThawElementState state;
    int32_t part;             // which rigid part of its body, -1: elastic
    double rate;              // |E_dot|_F^2, 1/s^2; 0 while rigid
    double rate_threshold;    // it may become rigid when the rate stays below; NAN where the method has none
    int steps_below;          // for so many steps in a row it has; 255 stands for more, -1: not known
    int steps_needed;         // and for so many it must
    int steps_held;           // steps left for which it stays elastic in any case
    double predicted;         // strain that staying rigid would suppress, as last asked for; NAN: asleep, or not known
    double predicted_allowed; // above, it must be elastic; NAN where the method has none
    ThawReason reason;        // why it is elastic now
    ThawReason woken_by;      // what made it elastic when it last became so; of a rigid one NONE
    int64_t since_step;       // it is what it is (elastic, or rigid) since the end of this step; 0: the start
    double since_time;        // s, of that step
    double bending;           // of a sheet: the share of the rate in the last step that was bending; NAN: no sheet
} ThawElementReport;

ThawStatus thaw_world_explain(const ThawWorld *world, int32_t body, int32_t element, ThawElementReport *report,
                              ThawError *error);
// The report as one paragraph of plain English, always terminated; returns the length that it would need, as snprintf
// does.
int thaw_report_text(const ThawElementReport *report, char *text, int size);

// --- Why does it not sleep? ------------------------------------------------------------------------------------------

// What keeps a body from falling asleep in the next step: the first of these that does.
typedef enum ThawHindrance {
    THAW_HINDRANCE_NONE,      // nothing: it sleeps, or will in the next step
    THAW_HINDRANCE_METHOD,    // bodies of its method never sleep, or its options forbid it
    THAW_HINDRANCE_ELASTIC,   // some of its elements are elastic
    THAW_HINDRANCE_INSIDE,    // rigid, but forces inside were not found in balance yet
    THAW_HINDRANCE_MOVED,     // a script moves it
    THAW_HINDRANCE_FAST,      // a point of it is faster than its method allows at rest
    THAW_HINDRANCE_LOADS,     // loads, pins or scripts change in the next step
    THAW_HINDRANCE_WAIT,      // all is well, but for too few steps yet
    THAW_HINDRANCE_BALANCE,   // slow, but its velocity changes: in a second it would be elsewhere
    THAW_HINDRANCE_OBSTACLE,  // it, or what it touches, touches an obstacle that moves
    THAW_HINDRANCE_NEIGHBOUR, // something that it touches, or what that touches, does not sleep
    THAW_HINDRANCE_LOOSE,     // no pin and no obstacle holds it, and it does not stand still
    THAW_HINDRANCE_COUNT
} ThawHindrance;

const char *thaw_hindrance_name(ThawHindrance what); // "too fast"; never NULL
const char *thaw_hindrance_text(ThawHindrance what); // a clause: "a point of it is faster than rest allows"; never NULL
// Of all bodies, between two steps: room for as many as there are. Linear in bodies and contacts. Not while another
// thread calls anything of the same world.
ThawStatus thaw_world_get_hindrances(const ThawWorld *world, ThawHindrance *hindrances);

// --- What woke and what fell asleep: events of the last step ---------------------------------------------------------

typedef enum ThawSleepKind {
    THAW_SLEEP_WOKE,   // elements of the body that were rigid are elastic now
    THAW_SLEEP_FORMED, // elements that were elastic are rigid now
    THAW_SLEEP_FELL,   // the whole body fell asleep
    THAW_SLEEP_ROSE,   // a body that was asleep is not any more; its elements may still be rigid
} ThawSleepKind;

typedef struct ThawSleepEvent {
    int32_t body;
    ThawSleepKind kind;
    int32_t elements; // how many changed; for FELL and ROSE all of the body's
    ThawReason
        reason; // WOKE: why, of the elements that were not mere neighbours. ROSE: LOAD, CONTACT, NEIGHBOUR (what it
                // touches woke), or START (a call). Else NONE
} ThawSleepEvent;

// Sorted by body; none before the first step and after loading.
int32_t thaw_world_sleep_event_count(const ThawWorld *world);
ThawStatus thaw_world_get_sleep_events(const ThawWorld *world, ThawSleepEvent *events); // room for that many

#ifdef __cplusplus
}
#endif
#endif
