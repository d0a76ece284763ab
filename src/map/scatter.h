// SPDX-License-Identifier: Apache-2.0
// Adding eight elements' blocks to a matrix. Their entries arrive side by side in lanes and leave entry by entry in
// memory, so an 8x8 transpose in registers turns 72 scalar additions into 9 vector ones: this is the costliest part of
// assembly.
#ifndef THAW_MAP_SCATTER_H
#define THAW_MAP_SCATTER_H

#include <stddef.h>

#include "math/transpose.h"

typedef double ThawUnalignedLanes __attribute__((vector_size(64), aligned(8)));

// value's block slot[p][l] += block p of lane l, for every pair p of nodes; below 0: dropped.
static inline void thaw_scatter_3d(const int32_t *slot, int32_t pairs, const ThawLanes *blocks, double *value) {
    for (int32_t p = 0; p < pairs; p++, slot += THAW_LANES, blocks += 9) {
        ThawLanes rows[THAW_LANES];
        thaw_transpose8(blocks, rows);
        for (int l = 0; l < THAW_LANES; l++) {
            if (slot[l] < 0)
                continue;
            double *to = value + (size_t)slot[l] * 9;
            *(ThawUnalignedLanes *)to += rows[l];
            to[8] += blocks[8][l];
        }
    }
}

static inline void thaw_scatter_2d(const int32_t *slot, int32_t pairs, const ThawLanes *blocks, double *value) {
    for (int32_t p = 0; p < pairs; p++, slot += THAW_LANES, blocks += 4)
        for (int l = 0; l < THAW_LANES; l++)
            for (int i = 0; i < 4 && slot[l] >= 0; i++)
                value[(size_t)slot[l] * 4 + (size_t)i] += blocks[i][l];
}

// to_i = from at vertex[i], for blocks of dim doubles.
static inline void thaw_pick(int dim, int32_t count, const int32_t *vertex, const double *from, double *to) {
    for (int32_t i = 0; i < count && dim == 3; i++)
        for (size_t k = 0; k < 3; k++)
            to[3 * (size_t)i + k] = from[3 * (size_t)vertex[i] + k];
    for (int32_t i = 0; i < count && dim == 2; i++)
        for (size_t k = 0; k < 2; k++)
            to[2 * (size_t)i + k] = from[2 * (size_t)vertex[i] + k];
}

// The same of v - w; w NULL: 0.
static inline void thaw_pick_difference(int dim, int32_t count, const int32_t *vertex, const double *v, const double *w,
                                        double *to) {
    thaw_pick(dim, count, vertex, v, to);
    for (int32_t i = 0; w && i < count && dim == 3; i++)
        for (size_t k = 0; k < 3; k++)
            to[3 * (size_t)i + k] -= w[3 * (size_t)vertex[i] + k];
    for (int32_t i = 0; w && i < count && dim == 2; i++)
        for (size_t k = 0; k < 2; k++)
            to[2 * (size_t)i + k] -= w[2 * (size_t)vertex[i] + k];
}

// q_k + w_k at a vertex, q NULL: it has none. Where w is 0 it is q's own bits, sign of 0 and all.
static inline double thaw_offset(const double *q, const double *w, size_t at, int k) {
    const double offset = w ? w[at + (size_t)k] : 0;
    return !q ? offset : offset == 0 ? q[k] : q[k] + offset;
}

#endif
