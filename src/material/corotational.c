// SPDX-License-Identifier: Apache-2.0
// Corotational elasticity: linear elasticity in the stretch left after taking the rotation R of F out,
//     psi = mu |F - R|^2 + lambda/2 tr(R'F - I)^2 = mu sum (s_i - 1)^2 + lambda/2 (sum s_i - 3)^2
//     P   = 2 mu (F - R) + lambda t R,          t = tr(R'F) - 3
//     d2psi/dF2 = 2 mu I + lambda vec(R) vec(R)' + (lambda t - 2 mu) dR/dF
// with F = U diag(s) V', R = U V' a proper rotation even when F is inverted (McAdams et al. 2011; Sifakis and Barbic
// 2012, 3.4). R turns in three ways only (Smith, de Goes and Kim 2019, the twist modes):
//     dR/dF = sum over pairs i < j of 2/(s_i + s_j) T T',   T = vec(u_i v_j' - u_j v_i') / sqrt 2.
// Where s_i + s_j -> 0 (lines, points, and inversions with two equal stretches) R jumps and its slope is infinite: the
// sum is kept above smallest_sum, so that degenerate F stay finite.
// Cost of d2psi_dF2: a singular value decomposition and about 500 operations for eight.
#include <stddef.h>

#include "material/blocks.h"
#include "material/models.h"
#include "math/decompose.h"
#include "math/mat3.h"

static const double smallest_sum = 1e-6;

static void constants(const ThawMaterialDef *def, double c[THAW_MATERIAL_CONSTANTS]) {
    thaw_material_lame(def, &c[0], &c[1]);
    c[2] = 0;
}

static void psi_corotational(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS], ThawLanes *psi) {
    ThawLanes U[9], s[3], V[9];
    thaw_lanes_svd3(F, U, s, V);
    for (int i = 0; i < 3; i++)
        s[i] -= 1.0;
    ThawLanes t = s[0] + s[1] + s[2];
    *psi = c[0] * thaw_lanes_dot3(s, s) + 0.5 * c[1] * t * t;
}

static void dpsi_corotational_dF(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS], ThawLanes P[9]) {
    ThawLanes U[9], s[3], V[9], R[9];
    thaw_lanes_svd3(F, U, s, V);
    thaw_lanes_product3_nt(U, V, R);
    ThawLanes two_mu = 2.0 * c[0], pressure = c[1] * ((s[0] - 1.0) + (s[1] - 1.0) + (s[2] - 1.0));
    for (int i = 0; i < 9; i++)
        P[i] = two_mu * (F[i] - R[i]) + pressure * R[i];
}

// R, lambda t, and what is needed of dR/dF = sum over m of weight[m] T[m] T[m]', times the factor lambda t - 2 mu of
// the energy.
static inline ThawLanes find_twists(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS], ThawLanes R[9],
                                    ThawLanes T[3][9], ThawLanes weight[3]) {
    ThawLanes U[9], s[3], V[9];
    thaw_lanes_svd3(F, U, s, V);
    thaw_lanes_product3_nt(U, V, R);
    ThawLanes pressure = c[1] * ((s[0] - 1.0) + (s[1] - 1.0) + (s[2] - 1.0)), factor = pressure - 2.0 * c[0];
    for (int m = 0; m < 3; m++) {
        int i = (m + 1) % 3, j = (m + 2) % 3;
        // T without its 1/sqrt 2, whose square cancels the 2 of 2/(s_i + s_j)
        weight[m] = factor / thaw_lanes_max(s[i] + s[j], thaw_lanes_set(smallest_sum));
        for (int b = 0; b < 3; b++)
            for (int a = 0; a < 3; a++)
                T[m][a + 3 * b] = U[a + 3 * i] * V[b + 3 * j] - U[a + 3 * j] * V[b + 3 * i];
    }
    return pressure;
}

static void d2psi_corotational_dF2(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS],
                                   ThawLanes C[THAW_SYM9_SIZE]) {
    ThawLanes R[9], T[3][9], weight[3];
    find_twists(F, c, R, T, weight);
    for (int a = 0; a < 9; a++) {
        ThawLanes r = c[1] * R[a], t0 = weight[0] * T[0][a], t1 = weight[1] * T[1][a], t2 = weight[2] * T[2][a];
        for (int b = 0; b <= a; b++)
            C[THAW_SYM9(a, b)] = r * R[b] + t0 * T[0][b] + t1 * T[1][b] + t2 * T[2][b];
        C[THAW_SYM9(a, a)] += 2.0 * c[0];
    }
}

static void blocks_corotational(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS], int count,
                                const ThawLanes *g, ThawLanes scale, ThawLanes P[9], ThawLanes *K) {
    ThawLanes R[9], T[3][9], s[4], two_mu = 2.0 * c[0], a = scale * two_mu;
    ThawLanes pressure = find_twists(F, c, R, T, s + 1);
    for (int i = 0; i < 9; i++)
        P[i] = two_mu * (F[i] - R[i]) + pressure * R[i];
    const ThawLanes *const M[4] = {R, T[0], T[1], T[2]};
    s[0] = c[1];
    for (int m = 0; m < 4; m++)
        s[m] *= scale;
    if (count == 3)
        thaw_block_sum(3, g, a, 4, s, M, a, NULL, K);
    else
        thaw_block_sum(2, g, a, 4, s, M, a, NULL, K);
}

static void dP_corotational(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS], const ThawLanes dF[9],
                            ThawLanes dP[9]) {
    ThawLanes R[9], T[3][9], weight[3];
    find_twists(F, c, R, T, weight);
    ThawLanes two_mu = 2.0 * c[0], r = c[1] * thaw_lanes_dot9(R, dF);
    for (int m = 0; m < 3; m++)
        weight[m] *= thaw_lanes_dot9(T[m], dF);
    for (int i = 0; i < 9; i++)
        dP[i] = two_mu * dF[i] + r * R[i] + weight[0] * T[0][i] + weight[1] * T[1][i] + weight[2] * T[2][i];
}

const ThawMaterialOps thaw_material_corotational = {
    .name = "corotational",
    .constants = constants,
    .psi = psi_corotational,
    .dpsi_dF = dpsi_corotational_dF,
    .d2psi_dF2 = d2psi_corotational_dF2,
    .blocks = blocks_corotational,
    .dP = dP_corotational,
};
