// SPDX-License-Identifier: Apache-2.0
// Creases of a sheet that yields: where the moments of its hinges come from, and what they bear (crease.c).
#ifndef THAW_MODEL_CREASE_H
#define THAW_MODEL_CREASE_H

#include "model/hinges.h"

typedef struct ThawCreases {
    double *yield;     // N m, by hinge: the moment beyond which it is folded
    double *stiffness; // N m, of it alone
    int32_t *begin;    // hinges + 1: its places in `element`
    int32_t *element;  // bending elements: number among them, times nine, and hinge in it
    // Scratch of flow:
    double *phi;          // by hinge
    double *measure;      // 3 an element
    unsigned char *asked; // elements, flags
    double *start;        // by hinge, rad: what it was folded by before
    int32_t *present;     // by hinge: of its elements those that are asked
} ThawCreases;

// Of a sheet with its hinges; D: N m, of all triangles.
ThawStatus thaw_creases_create(ThawShape *shape, const int32_t *across, const double *D, ThawError *error);
void thaw_creases_free(ThawCreases **creases);
// Lets hinges flow at x, of those whose elements are all in the set: whether any did, and what that has dissipated, J,
// which rounding may make 0 or less.
int thaw_creases_flow(const ThawShape *shape, const ThawIntegrationSet *set, const double *x, double *state,
                      double *lost);

#endif
