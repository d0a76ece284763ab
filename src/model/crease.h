// SPDX-License-Identifier: Apache-2.0
// Hinges of a sheet that yields: where their moments come from, and what they have been folded to (crease.c).
#ifndef THAW_MODEL_CREASE_H
#define THAW_MODEL_CREASE_H

#include "model/model.h"
#include "model/plate.h"

typedef struct ThawCreases {
    int32_t count;        // hinges
    int32_t (*vertex)[4]; // ends of the edge, corner on this side, corner beyond (as THAW_HINGE)
    int32_t (*slot)[2];   // what the state has of it, on either side: 3 * element of the base + corner, as the mesh has
    signed char (*sense)[2]; // times which its angle is that of the state there: towards the triangle's own normal
    double *rest;            // rad, of the mesh
    double *angle;           // rad, what it has been folded by since
    double *yield;           // N m, the moment beyond which it is
    double *stiffness;       // N m, of it alone
    int32_t *begin;          // count + 1: its places in `element`
    int32_t *element;        // bending elements: number among them, times nine, and hinge in it
    int32_t elements;        // bending elements; their ids begin at `first`
    int32_t first;
    int taken;        // a body has the shape
    int32_t *of;      // 9 an element: 2 * hinge, and 1 where it is seen from the other side; -1: there is none
    double *original; // 9 an element, rad: rest angles as the mesh has them
    // Scratch of flow:
    double *phi;          // count
    double *measure;      // 3 an element
    unsigned char *asked; // elements, flags
    double *start;        // count, rad: `angle` before
    int32_t *present;     // count: of its elements those that are asked
} ThawCreases;

// Of a sheet with its blocks of bending: wide (ne flags) says in which of them a triangle is; D: N m, of all triangles.
ThawStatus thaw_creases_create(ThawShape *shape, const int32_t *across, const unsigned char *wide, const double *D,
                               ThawError *error);
void thaw_creases_free(ThawCreases **creases);
// Numbers of the state of a body of that base.
static inline int64_t thaw_creases_size(const ThawShape *base) { return base->creases ? 3 * (int64_t)base->ne : 0; }
// Brings the shape, which no other body has, to a state.
void thaw_creases_apply(const ThawShape *shape, const double *state);
// Brings a set to what the shape has by now.
void thaw_creases_refresh(const ThawShape *shape, const ThawIntegrationSet *set);
// Lets hinges flow at x, of those whose elements are all in the set: whether any did, and what that has dissipated, J,
// which rounding may make 0 or less.
int thaw_creases_flow(const ThawShape *shape, const ThawIntegrationSet *set, const double *x, double *state,
                      double *lost);

#endif
