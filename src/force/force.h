// SPDX-License-Identifier: Apache-2.0
// Positions and velocities -> elastic energy, forces, stiffness, and matrix-free products, over an integration set.
// All vectors have dim doubles a vertex in the shape's numbering. Stiffness here is K = d2 Psi / dx2, positive where
// the papers' K (equation 4) is negative.
#ifndef THAW_FORCE_H
#define THAW_FORCE_H

#include "model/integration.h"

enum { THAW_BLOCKS_MAX = THAW_ELEMENT_NODES_MAX * (THAW_ELEMENT_NODES_MAX + 1) / 2 };

// Takes the stiffness of one batch: block (a, b), a >= b, entry (i, k) of lane l is
// blocks[((a (a+1) / 2 + b) dim + i) dim + k][l]. Batches of chunks with one colour may arrive at the same time.
typedef struct ThawBlockSink {
    void (*add)(void *context, int32_t batch, const ThawLanes *blocks);
    void *context;
} ThawBlockSink;

// How element stiffness enters a matrix or product: (stiffness + damping * alpha1_e) K_e, projected to positive
// semi-definite or as it is; where damping is viscous, stiffness K_e + damping D_e.
typedef struct ThawStiffness {
    double stiffness, damping;
    int project;
} ThawStiffness;

// The elastic energy Psi(x), J; INFINITY where an element is inverted that must not be.
// partial: chunk_count doubles of scratch.
double thaw_force_energy(const ThawIntegrationSet *set, ThawTasks *tasks, const double *x, double *partial);

// The same, and how many elements are inside out, at little more cost where none is. partial: 2 * chunk_count doubles.
double thaw_force_energy_inverted(const ThawIntegrationSet *set, ThawTasks *tasks, const double *x, double *partial,
                                  int64_t *inverted);

// How many elements are inside out, det F <= 0, of materials that allow it. partial: as above, or NULL, and then tasks
// too.
int64_t thaw_force_count_inverted(const ThawIntegrationSet *set, ThawTasks *tasks, const double *x, double *partial);

// f = -dPsi/dx (equation 3). THAW_INVERTED where there is no energy; f is then useless.
ThawStatus thaw_force_internal(const ThawIntegrationSet *set, ThawTasks *tasks, const double *x, int32_t nv, double *f,
                               double *partial);

// The same, and every element's stiffness blocks into the sink (equation 4): one pass over the elements.
ThawStatus thaw_force_linearise(const ThawIntegrationSet *set, ThawTasks *tasks, const double *x, ThawStiffness scale,
                                ThawBlockSink sink, int32_t nv, double *f, double *partial);

// y = sum (stiffness + damping alpha1_e) K_e(x) u without a matrix; forms[0] = sum u'K_e u, forms[1] = sum alpha1_e
// u'K_e u. partial: 2 * chunk_count doubles of scratch.
void thaw_force_product(const ThawIntegrationSet *set, ThawTasks *tasks, const double *x, const double *u,
                        ThawStiffness scale, int32_t nv, double *y, double forms[2], double *partial);

// Adds V tau, tau = P F' the Kirchhoff stress, and alpha1 V tau (column-major, J and J s) of every element to the sums
// of its group; group_of (by element of the mesh): below 0, it has none. Bending and fibres are in the group that all
// their vertices are in, group_of_vertex; NULL: in none.
void thaw_force_virial(const ThawIntegrationSet *set, const double *x, const int32_t *group_of,
                       const int32_t *group_of_vertex, double (*sums)[2][9]);

// von Mises equivalent of the Cauchy stress in every element of a shape (its last integration point), by the mesh's
// own element ids. Pa.
void thaw_force_stress(const struct ThawShape *shape, const double *x, double *von_mises);

#endif
