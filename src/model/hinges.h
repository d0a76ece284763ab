// SPDX-License-Identifier: Apache-2.0
// Hinges of a sheet as a body has them: what they have been folded by, and on which branch their angles are (hinges.c).
#ifndef THAW_MODEL_HINGES_H
#define THAW_MODEL_HINGES_H

#include "model/model.h"
#include "model/plate.h"

enum { THAW_TURNS_MOST = 1000000 }; // quarter turns, either way

typedef struct ThawHinges {
    int32_t count;        // hinges
    int32_t (*vertex)[4]; // ends of the edge, corner on this side, corner beyond (as THAW_HINGE)
    int32_t (*slot)[2];   // what the state has of it, on either side: 3 * element of the base + corner, as the mesh has
    signed char (*sense)[2]; // times which its angle is that of the state there: towards the triangle's own normal
    double *rest;            // rad, of the mesh
    double *angle;           // rad, what it has been folded by since
    int32_t *turns;          // quarter turns beyond rest: the middle of the branch on which its angle is
    double (*middle)[2];     // cosine and sine of the angle there
    int32_t elements;        // bending elements; their ids begin at `first`
    int32_t first;
    int taken;        // a body has the shape
    int32_t *of;      // 9 an element: 2 * hinge, and 1 where it is seen from the other side; -1: there is none
    double *original; // 9 an element, rad: rest angles as the mesh has them
} ThawHinges;

// Of a sheet with its blocks of bending: wide (ne flags) says in which of them a triangle is. Where triangles share two
// edges there are none (NULL), which a sheet that yields must not have.
ThawStatus thaw_hinges_create(ThawShape *shape, const int32_t *across, const unsigned char *wide, ThawError *error);
void thaw_hinges_free(ThawHinges **hinges);
// Numbers of the state of a body of that base, of folds and of turns.
static inline int64_t thaw_hinges_size(const ThawShape *base) { return base->hinges ? 3 * (int64_t)base->ne : 0; }
// Brings the shape, which no other body has, to a state; folds may be NULL: none.
void thaw_hinges_apply(const ThawShape *shape, const double *folds, const int32_t *turns);
void thaw_hinges_set(ThawHinges *hinges, int32_t h, double angle, int32_t turns);
// The angle of hinge h beyond rest and fold at x, rad.
double thaw_hinges_angle(const ThawHinges *hinges, int32_t h, const double *x);
// Moves the middles of branches to where angles are at x, in the shape and in the state: whether any has moved; sets
// are to be refreshed then.
int thaw_hinges_follow(const ThawShape *shape, const double *x, int32_t *state);
// Brings a set to what the shape has by now.
void thaw_hinges_refresh(const ThawShape *shape, const ThawIntegrationSet *set);

// A bending element by its number: B, 3 by the number of hinges, with rest angles and middles behind it; and those
// written anew.
double *thaw_hinges_data(const ThawShape *shape, int32_t element, int *hinges);
void thaw_hinges_write(const ThawShape *shape, int32_t element);
int thaw_hinges_is_bending(const ThawShape *shape, const ThawBatch *batch);

#endif
