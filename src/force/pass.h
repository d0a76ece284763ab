// SPDX-License-Identifier: Apache-2.0
// What the kernels of a kind of element (model/element.h) are handed: one pass over an integration set. Each kernel
// reads and writes what its line there says; the rest is not set.
#ifndef THAW_FORCE_PASS_H
#define THAW_FORCE_PASS_H

#include "force/force.h"

// What has come of one group of elements; its sums get it when the group changes, or at the end.
typedef struct ThawVirial {
    int32_t group;
    ThawLanes sum[2][9];
} ThawVirial;

typedef struct ThawForcePass {
    const ThawIntegrationSet *set;
    const double *x, *u;     // positions; the direction of a product
    ThawStiffness scale;     // of products and stiffness
    ThawBlockSink sink;      // of stiffness
    double *y;               // forces, or the product; chunks of one colour at a time
    double *partial;         // by chunk
    const int32_t *group_of; // by element; below 0: none
    ThawVirial *virial;
    double (*sums)[2][9];        // by group
    const int32_t *element_user; // by element
    double *von_mises;           // by the mesh's own element
} ThawForcePass;

// A pass for strains (strain.h).
typedef struct ThawStrainPass {
    const ThawIntegrationSet *set;
    const int32_t *batches; // count of them, or NULL: all
    int32_t count;
    const double *x, *d; // positions; a displacement, or NULL
    double h;
    ThawLanes *E;
    double *out; // by element, or NULL
} ThawStrainPass;

// solid.c: sqrt(3/2 s:s) of the Cauchy stress P F'/J in lane l, with s its deviator, Pa.
double thaw_von_mises(const ThawLanes F[9], const ThawLanes P[9], int l);
// solid.c: what is left of a group, to its sums; the next is `group`.
void thaw_virial_flush(ThawVirial *virial, int32_t group, double (*sums)[2][9]);

#endif
