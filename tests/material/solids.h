// SPDX-License-Identifier: Apache-2.0
// Deformation gradients of every kind for the tests of this folder. Kinds with random entries differ from lane to lane.
#ifndef THAW_TEST_SOLIDS_H
#define THAW_TEST_SOLIDS_H

#include <math.h>

#include "material/material.h"
#include "math/decompose.h"
#include "math/mat3.h"

enum { KIND_RANDOM, KIND_INVERTED, KIND_RANK2, KIND_RANK1, KIND_RANK0, KIND_NEAR_REST, KIND_STRETCHED, KIND_COUNT };

static inline double solids_random(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1; // in [-1, 1)
}

static inline void solids_rotation(uint64_t *seed, ThawLanes R[9]) {
    ThawLanes A[9], s[3], V[9];
    for (int i = 0; i < 9; i++)
        for (int l = 0; l < THAW_LANES; l++)
            A[i][l] = solids_random(seed);
    thaw_lanes_svd3(A, R, s, V);
}

// Stretches of the kind between two random rotations. Those of an invertible kind stay away from 0.
static inline void solids_deformation(int kind, uint64_t *seed, ThawLanes F[9]) {
    static const double middle[KIND_COUNT][3] = {
        [KIND_RANDOM] = {1, 1, 1},    [KIND_INVERTED] = {1.1, 1, -0.7}, [KIND_RANK2] = {1, 1, 0},
        [KIND_RANK1] = {1, 0, 0},     [KIND_RANK0] = {0, 0, 0},         [KIND_NEAR_REST] = {1, 1, 1},
        [KIND_STRETCHED] = {4, 3, 3},
    };
    static const double spread[KIND_COUNT] = {[KIND_RANDOM] = 0.6, [KIND_INVERTED] = 0.1,   [KIND_RANK2] = 0.4,
                                              [KIND_RANK1] = 0.4,  [KIND_NEAR_REST] = 1e-3, [KIND_STRETCHED] = 2};
    ThawLanes U[9], V[9], A[9];
    solids_rotation(seed, U);
    solids_rotation(seed, V);
    for (int j = 0; j < 3; j++) {
        ThawLanes s;
        for (int l = 0; l < THAW_LANES; l++)
            s[l] = middle[kind][j] == 0 ? 0 : middle[kind][j] + spread[kind] * solids_random(seed);
        for (int i = 0; i < 3; i++)
            A[i + 3 * j] = U[i + 3 * j] * s;
    }
    thaw_lanes_product3_nt(A, V, F);
}

// A unit-sized material: E = 1, so that absolute tolerances mean something.
static inline ThawMaterialDef solids_def(ThawMaterialModel model, double poisson) {
    ThawMaterialDef def = thaw_material_def_default();
    def.model = model;
    def.young = 1;
    def.poisson = poisson;
    return def;
}

static inline void solids_constants(const ThawMaterialDef *def, ThawLanes c[THAW_MATERIAL_CONSTANTS]) {
    double c1[THAW_MATERIAL_CONSTANTS];
    thaw_material_ops(def->model)->constants(def, c1);
    for (int i = 0; i < THAW_MATERIAL_CONSTANTS; i++)
        c[i] = thaw_lanes_set(c1[i]);
}

static inline double solids_largest(int count, const ThawLanes *values) {
    double largest = 0;
    for (int i = 0; i < count; i++)
        for (int l = 0; l < THAW_LANES; l++)
            largest = isfinite(values[i][l]) ? fmax(largest, fabs(values[i][l])) : INFINITY;
    return largest;
}

#endif
