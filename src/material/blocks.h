// SPDX-License-Identifier: Apache-2.0
// Stiffness blocks without the 9x9 matrix. Where C = d2psi/dF2 is a multiple of the identity plus a few dyads vec(M)
// vec(M)' plus a multiple of d2J/dF2, the block of two shape function gradients is
//     K_ab = a (g_a.g_b) I + sum_m s_m (M_m g_a)(M_m g_b)' + k [F (g_a x g_b)]x'
// at about half the cost of forming C and contracting it. Blocks (a, b), a >= b, of `count` gradients are stored
// row-major at K[9 (a (a+1)/2 + b)].
#ifndef THAW_MATERIAL_BLOCKS_H
#define THAW_MATERIAL_BLOCKS_H

#include "base/base.h"
#include "material/material.h"
#include "math/mat3.h"

#define THAW_BLOCK(a, b) (9 * ((a) * ((a) + 1) / 2 + (b)))

// u = M g.
THAW_INLINE void thaw_block_turn(const ThawLanes M[9], const ThawLanes g[3], ThawLanes u[3]) {
    for (int i = 0; i < 3; i++)
        u[i] = M[i] * g[0] + M[i + 3] * g[1] + M[i + 6] * g[2];
}

// The sum above, with `dyads` matrices M; F NULL: no volume term. `count` and `dyads` are constants after inlining.
THAW_INLINE void thaw_block_sum(int count, const ThawLanes *g, ThawLanes a, int dyads, const ThawLanes *s,
                                const ThawLanes *const *M, ThawLanes k, const ThawLanes *F, ThawLanes *K) {
    ThawLanes u[4][3][3], su[4][3][3]; // [dyad][gradient][axis]
    for (int m = 0; m < dyads; m++)
        for (int n = 0; n < count; n++) {
            thaw_block_turn(M[m], g + 3 * n, u[m][n]);
            for (int i = 0; i < 3; i++)
                su[m][n][i] = s[m] * u[m][n][i];
        }
    for (int p = 0; p < count; p++)
        for (int q = 0; q <= p; q++) {
            ThawLanes *B = K + THAW_BLOCK(p, q);
            ThawLanes diagonal = a * thaw_lanes_dot3(g + 3 * p, g + 3 * q), normal[3], turned[3];
            int skew = F && p != q; // g_p x g_p = 0
            if (skew) {
                thaw_lanes_cross3(g + 3 * p, g + 3 * q, normal);
                thaw_block_turn(F, normal, turned);
                for (int i = 0; i < 3; i++)
                    turned[i] *= k;
            }
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    if (p == q && j > i)
                        continue;
                    ThawLanes entry = su[0][p][i] * u[0][q][j];
                    for (int m = 1; m < dyads; m++)
                        entry += su[m][p][i] * u[m][q][j];
                    if (i == j)
                        entry += diagonal;
                    else if (skew) // entry (i, j) of the transposed cross product matrix
                        entry = (j - i + 3) % 3 == 1 ? entry + turned[3 - i - j] : entry - turned[3 - i - j];
                    B[3 * i + j] = entry;
                    if (p == q)
                        B[3 * j + i] = entry;
                }
        }
}

#endif
