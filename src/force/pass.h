// SPDX-License-Identifier: Apache-2.0
// What the kernels of a kind of element (model/element.h) are handed: one pass over an integration set. Each kernel
// reads and writes what its line there says; the rest is not set.
#ifndef THAW_FORCE_PASS_H
#define THAW_FORCE_PASS_H

#include "force/force.h"
#include "force/strain.h"

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
    const int32_t *group_of_vertex;
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
    double *out;                      // by element, or NULL
    const ThawStrainMeasure *measure; // or NULL, strain.h
} ThawStrainPass;

// solid.c: sqrt(3/2 s:s) of the Cauchy stress P F'/J in lane l, with s its deviator, Pa.
double thaw_von_mises(const ThawLanes F[9], const ThawLanes P[9], int l);
// solid.c: what is left of a group, to its sums; the next is `group`.
void thaw_virial_flush(ThawVirial *virial, int32_t group, double (*sums)[2][9]);

// solid.c: of elements that are not the mesh's own, the group that all their vertices are in, by lane; whether there is
// any.
int thaw_groups_by_vertices(const ThawForcePass *pass, const ThawBatch *batch, int32_t group[THAW_LANES]);

// Groups of the lanes of a batch; whether there is any.
THAW_INLINE int groups_of(const ThawForcePass *pass, const ThawBatch *batch, int32_t group[THAW_LANES]) {
    int wanted = 0;
    for (int l = 0; l < THAW_LANES; l++) {
        group[l] = batch->element[l] < 0 ? -1 : pass->group_of[batch->element[l]];
        wanted |= group[l] >= 0;
    }
    return wanted;
}

// tau: of a batch, times its volume; alpha1: where its damping is that times all of K. Most batches lie in one group,
// that of the batch before. Lanes in no group may hold anything.
THAW_INLINE void virial_add(ThawVirial *virial, ThawLanes alpha1, const int32_t group[THAW_LANES],
                            const ThawLanes tau[9], double (*sums)[2][9]) {
    ThawLaneMask left;
    for (int l = 0; l < THAW_LANES; l++)
        left[l] = group[l] >= 0 ? -1 : 0;
    for (int first = 0; first < THAW_LANES; first++) {
        if (!left[first])
            continue;
        ThawLaneMask mine;
        for (int l = 0; l < THAW_LANES; l++)
            mine[l] = group[l] == group[first] ? -1 : 0;
        left &= ~mine;
        if (group[first] != virial->group)
            thaw_virial_flush(virial, group[first], sums);
        for (int i = 0; i < 9; i++) {
            ThawLanes part = thaw_lanes_select(mine, tau[i], thaw_lanes_set(0));
            virial->sum[0][i] += part;
            virial->sum[1][i] += alpha1 * part;
        }
    }
}

#endif
