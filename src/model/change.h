// SPDX-License-Identifier: Apache-2.0
// Shapes that change. A compiled shape is a function of a base shape and a list of changes, and of nothing else: the
// state has the list, from which the same shape is compiled again when a checkpoint is read. Bodies that agree in both
// share it.
//
// Vertices keep their numbers (those of the mesh). A cut appends the copies it makes, in the order of the vertices they
// are copies of, so the numbers of a list are those of every list that begins with it. Vertices that no element is left
// of stay known to the outside, without mass, where they were; inside they come behind all others and nothing looks at
// them. Elements are numbered anew: those that are left, in the mesh's order.
#ifndef THAW_CHANGE_H
#define THAW_CHANGE_H

#include "model/model.h"

// Which elements, or faces: by the place of their centres at rest; or, of elements, those with all vertices in a group.
typedef struct ThawChoice {
    int32_t select; // a ThawSelect; -1: everything
    int32_t group;  // of the base shape; -1: by place
    double a[3], b[3], radius;
} ThawChoice;

// In the state. All of it is numbers, so that lists are compared and hashed member by member.
typedef struct ThawChange {
    int32_t body;
    int32_t kind;             // a ThawChangeKind
    ThawChoice where, within; // within: of a cut, the faces along which it goes
} ThawChange;
enum { THAW_CHANGE_INTEGERS = 6, THAW_CHANGE_NUMBERS = 14 };
void thaw_change_pack(const ThawChange *change, int32_t integers[THAW_CHANGE_INTEGERS],
                      double numbers[THAW_CHANGE_NUMBERS]);
void thaw_change_unpack(const int32_t integers[THAW_CHANGE_INTEGERS], const double numbers[THAW_CHANGE_NUMBERS],
                        ThawChange *change);
uint64_t thaw_change_hash(uint64_t seed, const ThawChange *change);

// One that is to happen.
typedef struct ThawScheduled {
    double time; // s
    double wake; // s, from which on the body must be awake
    ThawChange change;
} ThawScheduled;

// Of a shape that has changed.
typedef struct ThawVariant {
    const ThawShape *base;
    ThawChange *changes; // count
    int32_t count;
    int32_t *parent;  // points: the vertex that one is a copy of; itself. In the outside's numbers
    int32_t *element; // ne: the element of the base, by the outside's numbers
    double *share;    // nv, internal: its mass as a share of that of the base's vertex
} ThawVariant;
void thaw_variant_free(ThawVariant **variant);

// Validates a definition; messages begin with `where`. What it would do is not asked.
ThawStatus thaw_change_compile(const char *where, const ThawChangeDef *def, int32_t body, const ThawShape *base,
                               ThawChange *change, ThawError *error);

// What a change of a list did. One that would leave no element (left: 0) does nothing.
typedef struct ThawEffect {
    int32_t removed; // elements
    int32_t parted;  // copies of vertices that were made
    int32_t left;    // elements
} ThawEffect;
// effects: count of them.
ThawStatus thaw_changes_foresee(const ThawShape *base, const ThawChange *changes, int32_t count, ThawEffect *effects,
                                ThawError *error);
// Whether it did what it is for; else the error says what is wrong with it.
ThawStatus thaw_change_check(const char *where, const ThawChange *change, const ThawEffect *effect, ThawError *error);
// The shape; *result is for thaw_shape_clear and thaw_free.
ThawStatus thaw_shape_vary(const ThawShape *base, const ThawChange *changes, int32_t count, ThawShape **result,
                           ThawError *error);
// Whether it is the shape of that base and list, whatever bodies they are of.
int thaw_shape_is(const ThawShape *shape, const ThawShape *base, const ThawChange *changes, int32_t count);

// The changes that a body is to undergo, checked one after the other.
ThawStatus thaw_changes_schedule(const char *where, const ThawBodyDef *def, int32_t index, double h,
                                 ThawModelBody *body, ThawError *error);

// internal[user] of a shape, `points` of them.
void thaw_shape_number(const ThawShape *shape, int32_t *internal);

#endif
