// SPDX-License-Identifier: Apache-2.0
// What a step asks of the method that moves a body: one table of functions, named by the method's entry in the registry
// (registry/method.h). A method decides, at the start of a step, which map and integration set the body is solved with;
// the reference decides nothing and leaves all of the table out. No other folder of src/ knows a method by name but
// its own, src/method/NAME.
//
// A method has two things of its own in a stepper: `data` while the body is awake, `record` awake and asleep. What of
// them the future depends on it names in a list of fields, which checkpoints store and cancelled steps go back to.
// Functions that are NULL have nothing to do; `data` is there for all but create, wake, rest, resume and list.
#ifndef THAW_STEP_METHOD_H
#define THAW_STEP_METHOD_H

#include "step/step.h"
#include "thaw/field.h"

typedef enum ThawStateType {
    THAW_STATE_U8,
    THAW_STATE_I32,
    THAW_STATE_U32,
    THAW_STATE_I64,
    THAW_STATE_U64,
    THAW_STATE_F32,
    THAW_STATE_F64,
} ThawStateType;

enum {
    THAW_STATE_ASLEEP = 1,   // a body asleep has it, too: it is in the record
    THAW_STATE_NUMBER = 2,   // one of a few numbers that change in any step; others are arrays, which seldom do
    THAW_STATE_SIZE = 4,     // arrays are as long as it says: it is listed before all of them, and read first
    THAW_STATE_INFINITE = 8, // of F64: may be infinite
    THAW_STATE_ENERGY = 16,  // of F64: not below 0
};

// An array of a body's state: `rows` times `width` numbers.
typedef struct ThawStateField {
    const char *name;
    ThawStateType type;
    unsigned flags;
    void *at;
    int64_t rows;
    int32_t width;
    size_t stride; // bytes from row to row; 0: rows follow each other
    double most;   // whole numbers may be 0 to this; 0: any. F32 and F64 are finite
} ThawStateField;
enum { THAW_STATE_FIELDS = 80 }; // room for a method's list

struct ThawScale; // oracle/scale.h

// What is wrong with the value of an option, and what to do about it.
typedef struct ThawOptionRemark {
    const char *option;
    char what[300], cure[200];
} ThawOptionRemark;
enum { THAW_REMARKS = 8 };

typedef struct ThawMethodOps {
    // --- life. A function that fails leaves what `free` and `forget` can give back.
    // Data (and the record, where it is missing) of a body awake, from x and v alone: no part of it is known to rest.
    ThawStatus (*create)(ThawWorld *world, ThawStepper *s, ThawError *error);
    void (*free)(ThawStepper *s);   // the data
    void (*forget)(ThawStepper *s); // the record
    // The body is at rest and about to be laid to sleep, from the start: its record. leader: a body like it in all that
    // counts, which was so before; or NULL.
    ThawStatus (*rest)(ThawWorld *world, ThawStepper *s, const ThawStepper *leader, ThawError *error);
    // Data of a body that has slept. loaded: what acts on it now may be new; else it is touched.
    ThawStatus (*wake)(ThawWorld *world, ThawStepper *s, int loaded, ThawError *error);
    // Options that are left to follow from others, filled in (both may be NULL: none are). As a body of the method goes
    // by them; and from a body's lowest mode alone, before there is a world: NAN where it is not known (scale NULL).
    void (*settle)(const ThawWorld *world, const ThawStepper *s, void *options);
    void (*foresee)(const struct ThawScale *scale, double h, void *options);
    // Doubtful values of options, for `thaw check`: as a scene gives them (omega 0), or in force for a body whose
    // lowest mode has omega, rad/s. Writes up to THAW_REMARKS and returns how many.
    int (*doubt)(const void *options, double omega, ThawOptionRemark *remarks);
    // Other options from now on. ledger: where a change of energy is booked, or NULL.
    void (*configure)(const ThawWorld *world, ThawStepper *s, ThawLedger *ledger);
    // After a checkpoint gave time, x, v and options; fields come next. Also of a body asleep.
    ThawStatus (*resume)(ThawWorld *world, ThawStepper *s, ThawError *error);
    // The body's shape has changed, and velocities that the method kept for itself have been given back (abandon of
    // `old`): s is as after create. element: of each element what it was in `old`, or -1. Carries over what is known of
    // elements.
    void (*follow)(ThawStepper *s, const ThawStepper *old, const int32_t *element);
    // x or v were set from outside.
    void (*reset)(ThawStepper *s);

    // --- a step, in this order
    // Scripts of the step are known (s->scripted, s->middle).
    ThawStatus (*fit)(ThawWorld *world, ThawStepper *s, ThawError *error);
    // First what bodies share, one body after the other; then, for any number of bodies at the same time: the step's
    // system (s->system, thaw_stepper_fit), from x, v, loads and contacts. It may move x and v, and books that.
    ThawStatus (*prepare)(ThawWorld *world, ThawStepper *s, ThawError *error);
    ThawStatus (*decide)(const ThawWorld *world, ThawStepper *s, ThawIncrement step, ThawError *error);
    // Rows of its own, one-sided, that its island's response solves with its contacts in a step of h from x: how many
    // there are (at most the same for the same x and v, rows NULL: they are only counted). Their kind is
    // THAW_CONTACT_LIMIT, and both sides belong to the body, or the second to nothing.
    int32_t (*rows)(const ThawStepper *s, double h, ThawContact *rows);
    // A contact of the step that was not foreseen comes at `speed`, m/s, to a side of it that belongs to the body.
    ThawStatus (*strike)(const ThawWorld *world, ThawStepper *s, const ThawContact *contact, int side, double speed);
    // Whether it must not make energy in this step; and how much it could give back, J, of motion that moves nothing
    // from its place and has no momentum. Once the step is final: gives back so much at most, unbooked; returns it.
    int (*is_bound)(const ThawStepper *s);
    double (*reserve)(const ThawStepper *s);
    double (*give)(ThawStepper *s, double most);
    // The step is final, and frames of the map have moved on: before x1 and v1 become x and v, and after.
    void (*commit)(ThawStepper *s, ThawIncrement step);
    void (*finish)(ThawStepper *s);
    // A step failed, and x and v are what they were before it: from here on as after create, with velocities that the
    // method kept for itself back in v. ledger: where that is booked, or NULL.
    void (*abandon)(ThawStepper *s, ThawLedger *ledger);
    // All of the body was shifted, m.
    void (*shift)(ThawStepper *s, const double way[3]);

    // --- sleep
    // Steps for which a body has to be slow before it may sleep; 0: never. NULL: bodies of the method never sleep.
    int (*sleep_steps)(const void *options);
    // What of the body alone keeps it from rest.
    ThawHindrance (*hindrance)(const ThawStepper *s);
    // After a step: whether it is slow. slow: for so many steps before this one.
    int (*watch)(ThawStepper *s, int slow);
    // How far it would go in the next second, over its diameter; *most: how far it may. held: pins leave it less than
    // its freedom.
    double (*drift)(const ThawStepper *s, int slow, double *most, int *held);

    // --- what is told of it
    int32_t (*part_count)(const ThawStepper *s);
    // Motion of the body as a whole, where that is known without a sum; else 0.
    int (*motion)(const ThawStepper *s, ThawMotion *motion);
    // Velocities of the vertices that it moves by momenta of its own, and a rigid motion on top of these; NULL: it has
    // none.
    void (*velocities)(const ThawStepper *s, double *v);
    void (*push)(ThawStepper *s, const double at[3], const double v[3], const double omega[3]);
    // Kinetic energy, and shadow; NULL: that of the vertices' velocities.
    void (*add_energies)(const ThawStepper *s, ThawLedger *ledger);
    // An element, by its internal number; also of a body asleep. The report has body, element and NANs. NULL: the
    // method keeps every element elastic, and its bodies have no fields of elements that are rigid.
    void (*explain)(const ThawWorld *world, const ThawStepper *s, int32_t element, ThawElementReport *report);
    // On which region the mass of an element sits, by its internal number; -1: on none. NULL: on its vertices.
    int32_t (*region)(const ThawStepper *s, int32_t element);

    // --- state
    // Up to THAW_STATE_FIELDS of them; how many. Fields of the record come first, those of the data where it is there.
    int (*list)(const ThawStepper *s, ThawStateField *fields);
    // Sizes are in place, and the other fields are about to come: makes room for them.
    ThawStatus (*expect)(const ThawWorld *world, ThawStepper *s, ThawError *error);
    // All fields are in place: checks whether they belong together, and drops what was derived from others. Neither
    // fails nor allocates where the fields were this body's before. After a failure the data is good for nothing but
    // `free`.
    ThawStatus (*take)(const ThawWorld *world, ThawStepper *s, ThawError *error);
    // Between steps: whether what it has of a body agrees with itself, with x, and with the stepper's system. NULL: it
    // has nothing beyond its fields, which are checked in any case.
    ThawStatus (*validate)(const ThawWorld *world, const ThawStepper *s, ThawError *error);
    int needs_ledger; // works of its bodies are summed in any case, while they are bound where it can tell
} ThawMethodOps;

// The functions of a step in the order of their calls: fit, prepare, decide, and once the step is final commit, finish.
// A step that is done in parts goes on with prepare; one that wakes bodies begins again with fit. Debug builds assert
// it.
typedef enum ThawMethodCall {
    THAW_CALL_NONE, // data is new
    THAW_CALL_FIT,
    THAW_CALL_PREPARE,
    THAW_CALL_DECIDE,
    THAW_CALL_COMMIT,
    THAW_CALL_FINISH,
    THAW_CALL_ABANDON,
} ThawMethodCall;

// Whether functions and options that need each other are there; asked of every method when a world is made.
ThawStatus thaw_method_check(const ThawMethod *method, ThawError *error);

// What follows asks the table, where it has the function and the body its data.
void thaw_method_bind(ThawWorld *world, ThawStepper *s); // s->method, by the state; data and record of another one go
ThawStatus thaw_method_create(ThawWorld *world, ThawStepper *s, ThawError *error); // unless there is data
ThawStatus thaw_method_wake(ThawWorld *world, ThawStepper *s, int loaded, ThawError *error);
void thaw_method_leave(ThawStepper *s); // data and record go
ThawStatus thaw_method_fit(ThawWorld *world, ThawStepper *s, ThawError *error);
ThawStatus thaw_method_prepare(ThawWorld *world, ThawStepper *s, ThawError *error);
ThawStatus thaw_method_decide(const ThawWorld *world, ThawStepper *s, ThawIncrement step, ThawError *error);
void thaw_method_commit(ThawStepper *s, ThawIncrement step);
void thaw_method_finish(ThawStepper *s);
void thaw_method_abandon(ThawStepper *s, ThawLedger *ledger);
int32_t thaw_method_part_count(const ThawStepper *s);
// Whether a body is solved with a system of its own, and not with that of the identity map.
static inline int thaw_method_decides(const ThawStepper *s) { return s->method->ops->decide != NULL; }

// Bytes of a number and of a row of a field, and where a row begins.
static inline size_t thaw_field_bytes(const ThawStateField *field) {
    static const size_t sizes[] = {1, 4, 4, 8, 8, 4, 8};
    return sizes[field->type];
}
static inline size_t thaw_field_row_bytes(const ThawStateField *field) {
    return thaw_field_bytes(field) * (size_t)field->width;
}
static inline char *thaw_field_row(const ThawStateField *field, int64_t row) {
    return (char *)field->at + (size_t)row * (field->stride ? field->stride : thaw_field_row_bytes(field));
}
// A number that a step can go on from: finite, and so are sums of squares of such numbers.
static inline int thaw_is_sound(double value) { return value >= -1e150 && value <= 1e150; }
// Whether all its numbers are allowed; the error names the first that is not.
ThawStatus thaw_field_check(const ThawStepper *s, const ThawStateField *field, ThawError *error);
// Between the field and rows that follow each other.
void thaw_field_gather(const ThawStateField *field, void *to);
void thaw_field_scatter(const ThawStateField *field, const void *from);

#endif
