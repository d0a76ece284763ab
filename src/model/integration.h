// SPDX-License-Identifier: Apache-2.0
// The integration set: which elements a step evaluates, packed for the kernels that do it.
#ifndef THAW_INTEGRATION_H
#define THAW_INTEGRATION_H

#include "base/base.h"
#include "material/material.h"
#include "math/lanes.h"
#include "model/element.h"

struct ThawShape;

// Eight integration points of one kind of element with one material model. Unused lanes repeat the first element with
// weight 0.
typedef struct ThawBatch {
    ThawLanes gradient[THAW_ELEMENT_GRADIENTS_MAX];     // [node - 1][axis], axes beyond the element's are 0, 1/m
    ThawLanes weight;                                   // m^3 (2D: area times thickness)
    ThawLanes c[THAW_ELEMENT_CONSTANTS_MAX];            // of the material model, or the kind's own
    ThawLanes alpha1;                                   // s, 0 where damping is viscous
    ThawLanes viscosity[2];                             // Pa s, for the trace of strain rates and for all of them
    int32_t vertex[THAW_ELEMENT_NODES_MAX][THAW_LANES]; // ascending in each element: block (a, b), a >= b, is lower
    int32_t element[THAW_LANES];                        // ids in the shape, -1 in unused lanes
    int64_t role[THAW_LANES];                           // thaw_element_role, of kinds that have them
    int64_t rest;                                       // of kinds with a rest_size: where their data start
    const ThawElementOps *kind;
    const ThawMaterialOps *material;
    int viscous; // some lane is
} ThawBatch;

// Blocks (a, b), a >= b, that an element of it has.
static inline int32_t thaw_batch_pairs(const ThawBatch *batch) {
    return batch->kind->nodes * (batch->kind->nodes + 1) / 2;
}

// Batches are grouped into chunks (one task each, of one kind of element), chunks into colours: two chunks of one
// colour share no vertex, so they may scatter at the same time, and the order of additions at each vertex is (colour,
// chunk, batch) whatever the threads do.
typedef struct ThawIntegrationSet {
    int dim;   // of space
    int nodes; // of the kind with most of them
    int32_t element_count;
    int32_t cell_count; // of the mesh's own elements among them
    int32_t batch_count;
    ThawBatch *batches; // batch_count, chunk by chunk
    ThawLanes *rest;    // rest_count: rest data of kinds that have some
    int64_t rest_count;
    int32_t chunk_count;
    int32_t *chunk; // chunk_count + 1 offsets into batches
    int32_t colour_count;
    int32_t *colour;              // colour_count + 1 offsets into chunks
    int needs_orientation;        // some material's energy is infinite for inverted elements
    int has_alpha1;               // some element has stiffness damping
    int may_drive;                // of some it is alpha1 K, which need not be definite
    const struct ThawFold *folds; // of a sheet: the shape's, by element (model/fold.h); else NULL
    double bend;                  // m: as what strain a curvature counts
    int weighted;                 // weights are not the elements' own, or there are offsets
    // A stress of each point on top of its material's, frozen in the material's frame: second Piola-Kirchhoff, Pa.
    // Batch b has THAW_OFFSET_LANES of them, S and then its positive part; NULL: none.
    ThawLanes *offset;
} ThawIntegrationSet;
enum { THAW_STRESS_SIZE = 6, THAW_OFFSET_LANES = 2 * THAW_STRESS_SIZE }; // xx, yy, zz, xy, yz, zx

// Packs the given elements of a shape (NULL: all of them). Linear time.
ThawStatus thaw_integration_create(const struct ThawShape *shape, const int32_t *elements, int32_t count,
                                   ThawIntegrationSet **set, ThawError *error);
void thaw_integration_free(ThawIntegrationSet **set);

// Few elements may stand for all. share: by element of the shape, times which it counts; NULL: all once.
void thaw_integration_set_weights(ThawIntegrationSet *set, const struct ThawShape *shape, const double *share);
// What they leave out, so that forces balance as before: S by element of the shape, THAW_STRESS_SIZE each; NULL:
// nothing. Energy S:(F'F - I)/2, stress F S: it turns with the element, and pushes and twists nothing as a whole.
// Allocates the first time only.
ThawStatus thaw_integration_set_offset(ThawIntegrationSet *set, const double *S, ThawError *error);
// No set of a shape's elements has more chunks: a part of them may be cut finer than all are.
int32_t thaw_integration_most_chunks(const struct ThawShape *shape);

static inline const ThawElementOps *thaw_integration_kind(const ThawIntegrationSet *set, int32_t chunk) {
    return set->batches[set->chunk[chunk]].kind;
}

// Runs fn(context, chunk) over all chunks, colour after colour.
void thaw_integration_for(const ThawIntegrationSet *set, ThawTasks *tasks, ThawTaskFn fn, void *context);

#endif
