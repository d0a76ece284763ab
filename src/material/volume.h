// SPDX-License-Identifier: Apache-2.0
// The derivatives of the volume ratio J = det F beyond the first, and what energies of Ic = F:F and J share.
// dJ/dF = G, the cofactor matrix with columns f1 x f2, f2 x f0, f0 x f1, so d2J/dF2 consists of cross product matrices:
//     [    0    -[f2]x   [f1]x ]
//     [  [f2]x     0    -[f0]x ]
//     [ -[f1]x   [f0]x     0   ]
#ifndef THAW_MATERIAL_VOLUME_H
#define THAW_MATERIAL_VOLUME_H

#include "material/material.h"
#include "math/mat3.h"

// Adds [v]x to the block (block_row, block_column) of C, block_row > block_column.
static inline void thaw_volume_add_cross(int block_row, int block_column, const ThawLanes v[3], ThawLanes *C) {
    int r = 3 * block_row, c = 3 * block_column;
    C[THAW_SYM9(r + 1, c)] += v[2];
    C[THAW_SYM9(r + 2, c)] -= v[1];
    C[THAW_SYM9(r, c + 1)] -= v[2];
    C[THAW_SYM9(r + 2, c + 1)] += v[0];
    C[THAW_SYM9(r, c + 2)] += v[1];
    C[THAW_SYM9(r + 1, c + 2)] -= v[0];
}

// C += a I + k d2J/dF2.
static inline void thaw_volume_add_hessian(const ThawLanes F[9], ThawLanes a, ThawLanes k,
                                           ThawLanes C[THAW_SYM9_SIZE]) {
    ThawLanes kf0[3], minus_kf1[3], kf2[3];
    for (int i = 0; i < 3; i++) {
        kf0[i] = k * F[i];
        minus_kf1[i] = -k * F[3 + i];
        kf2[i] = k * F[6 + i];
    }
    thaw_volume_add_cross(1, 0, kf2, C);
    thaw_volume_add_cross(2, 0, minus_kf1, C);
    thaw_volume_add_cross(2, 1, kf0, C);
    for (int i = 0; i < 9; i++)
        C[THAW_SYM9(i, i)] += a;
}

// dG, the change of the cofactor matrix with F in the direction dF.
static inline void thaw_volume_cofactor_change(const ThawLanes F[9], const ThawLanes dF[9], ThawLanes dG[9]) {
    for (int j = 0; j < 3; j++) {
        int next = 3 * ((j + 1) % 3), last = 3 * ((j + 2) % 3);
        ThawLanes left[3], right[3];
        thaw_lanes_cross3(dF + next, F + last, left);
        thaw_lanes_cross3(F + next, dF + last, right);
        for (int i = 0; i < 3; i++)
            dG[i + 3 * j] = left[i] + right[i];
    }
}

#endif
