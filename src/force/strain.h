// SPDX-License-Identifier: Apache-2.0
// Green strain E = (F'F - I) / 2 of elements and how fast it changes (solids paper, section 3.4).
//
// Elements of sheets also bend: the curvatures of their hinges count as strain (model/fold.h, force/fold.c), and `rate`
// and `strain` below are of both together.
//
// Strains are kept in the lanes of an integration set that holds every element (shape->all): batch after batch, in 3D
// xx yy zz yz xz xy, in 2D xx yy xy. That layout never changes, so it may be kept from step to step and saved.
#ifndef THAW_STRAIN_H
#define THAW_STRAIN_H

#include "model/integration.h"

// How the bending of a sheet counts.
typedef enum ThawStrainBending {
    THAW_STRAIN_CURVATURE, // the curvature of the triangle, to the sum of squares
    THAW_STRAIN_EDGES,     // as published: the largest curvature of its edges, if that is larger than the membrane's
    THAW_STRAIN_ANGLES     // the same by angles, times `bend`
} ThawStrainBending;
typedef struct ThawStrainMeasure {
    double bend; // m: a curvature times this is a strain; 1/rad of angles
    ThawStrainBending bending;
} ThawStrainMeasure;

static inline int thaw_strain_components(int dim) { return dim == 2 ? 3 : 6; }
// ThawLanes that a set's strains take.
static inline size_t thaw_strain_size(const ThawIntegrationSet *set) {
    return (size_t)set->batch_count * (size_t)thaw_strain_components(set->dim);
}

// The batches that hold at least one element with wanted[element] != 0, ascending; returns how many. Those are enough
// to ask for the strains of these elements.
int32_t thaw_strain_batches(const ThawIntegrationSet *set, const unsigned char *wanted, int32_t *batches);

// E at x. batches: `count` of them, or NULL for all; the others keep their E.
void thaw_strain_compute(const ThawIntegrationSet *set, ThawTasks *tasks, const int32_t *batches, int32_t count,
                         const double *x, ThawLanes *E);
// rate[element] = |(E(x) - E) / h|_F^2 (equation 17), 1/s^2, then E = E(x). Zero where the motion was rigid, however
// far.
// measure: NULL for the set's own, a quarter of the diameter times the curvature of triangles.
void thaw_strain_rate(const ThawIntegrationSet *set, ThawTasks *tasks, const int32_t *batches, int32_t count,
                      const double *x, double h, ThawLanes *E, double *rate);
void thaw_strain_rate_by(const ThawStrainMeasure *measure, const ThawIntegrationSet *set, ThawTasks *tasks,
                         const int32_t *batches, int32_t count, const double *x, double h, ThawLanes *E, double *rate);
// strain[element] = |sym(F(x)' B d)|_F: what a small displacement d adds to the strain.
void thaw_strain_predict(const ThawIntegrationSet *set, ThawTasks *tasks, const int32_t *batches, int32_t count,
                         const double *x, const double *d, double *strain);

#endif
