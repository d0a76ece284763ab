// SPDX-License-Identifier: Apache-2.0
// Saint Venant-Kirchhoff: linear elasticity in the Green strain E = (F'F - I)/2,
//     psi = mu E:E + lambda/2 tr(E)^2,     P = F S,  S = 2 mu E + lambda tr(E) I,
//     d2psi / dF_ij dF_kl = delta_ik S_jl + mu ((F F')_ik delta_jl + F_il F_kj) + lambda F_ij F_kl
// (Sifakis and Barbic 2012, 3.3). Cheap and exact for small strains under large rotations, but it softens under
// compression and is crushed through zero volume; meant for comparisons. Cost of d2psi_dF2: about 250 operations for
// eight.
#include "material/blocks.h"
#include "material/models.h"
#include "math/mat3.h"

static void constants(const ThawMaterialDef *def, double c[THAW_MATERIAL_CONSTANTS]) {
    thaw_material_lame(def, &c[0], &c[1]);
    c[2] = 0;
}

// E; symmetric, all nine entries.
static inline void strain(const ThawLanes F[9], ThawLanes E[9]) {
    thaw_lanes_product3_tn(F, F, E);
    for (int i = 0; i < 9; i++)
        E[i] = 0.5 * (i % 4 == 0 ? E[i] - 1.0 : E[i]);
}

// 2 mu E + lambda tr(E) I, in place.
static inline void stress_of_strain(const ThawLanes c[THAW_MATERIAL_CONSTANTS], ThawLanes E[9]) {
    ThawLanes pressure = c[1] * (E[0] + E[4] + E[8]), two_mu = 2.0 * c[0];
    for (int i = 0; i < 9; i++)
        E[i] = i % 4 == 0 ? two_mu * E[i] + pressure : two_mu * E[i];
}

static void psi_stvk(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS], ThawLanes *psi) {
    ThawLanes E[9];
    strain(F, E);
    ThawLanes trace = E[0] + E[4] + E[8];
    *psi = c[0] * thaw_lanes_dot9(E, E) + 0.5 * c[1] * trace * trace;
}

static void dpsi_stvk_dF(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS], ThawLanes P[9]) {
    ThawLanes S[9];
    strain(F, S);
    stress_of_strain(c, S);
    thaw_lanes_product3(F, S, P);
}

static void d2psi_stvk_dF2(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS],
                           ThawLanes C[THAW_SYM9_SIZE]) {
    ThawLanes S[9], B[9], muF[9], lambdaF[9];
    strain(F, S);
    stress_of_strain(c, S);
    thaw_lanes_product3_nt(F, F, B);
    for (int i = 0; i < 9; i++) {
        B[i] *= c[0];
        muF[i] = c[0] * F[i];
        lambdaF[i] = c[1] * F[i];
    }
#pragma GCC unroll 9
    for (int a = 0; a < 9; a++) {
#pragma GCC unroll 9
        for (int b = 0; b <= a; b++) {
            int i = a % 3, j = a / 3, k = b % 3, l = b / 3;
            ThawLanes entry = lambdaF[a] * F[b] + muF[i + 3 * l] * F[k + 3 * j];
            if (i == k)
                entry += S[j + 3 * l];
            if (j == l)
                entry += B[i + 3 * k];
            C[THAW_SYM9(a, b)] = entry;
        }
    }
}

// K_ab = (g_a.S g_b) I + mu (g_a.g_b) F F' + lambda u_a u_b' + mu u_b u_a',  u_a = F g_a.
THAW_INLINE void sum_blocks(int count, const ThawLanes *g, const ThawLanes S[9], const ThawLanes F[9], ThawLanes mu,
                            ThawLanes lambda, ThawLanes *K) {
    ThawLanes B[9], u[3][3], Sg[3][3];
    thaw_lanes_product3_nt(F, F, B);
    for (int a = 0; a < count; a++) {
        thaw_block_turn(F, g + 3 * a, u[a]);
        thaw_block_turn(S, g + 3 * a, Sg[a]);
    }
    for (int a = 0; a < count; a++)
        for (int b = 0; b <= a; b++) {
            ThawLanes stress = thaw_lanes_dot3(g + 3 * a, Sg[b]), near = mu * thaw_lanes_dot3(g + 3 * a, g + 3 * b);
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++) {
                    ThawLanes entry = near * B[i + 3 * k] + lambda * u[a][i] * u[b][k] + mu * u[b][i] * u[a][k];
                    K[THAW_BLOCK(a, b) + 3 * i + k] = i == k ? entry + stress : entry;
                }
        }
}

static void blocks_stvk(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS], int count, const ThawLanes *g,
                        ThawLanes scale, ThawLanes P[9], ThawLanes *K) {
    ThawLanes S[9], mu = scale * c[0], lambda = scale * c[1];
    strain(F, S);
    stress_of_strain(c, S);
    thaw_lanes_product3(F, S, P);
    for (int i = 0; i < 9; i++)
        S[i] *= scale;
    if (count == 3)
        sum_blocks(3, g, S, F, mu, lambda, K);
    else
        sum_blocks(2, g, S, F, mu, lambda, K);
}

static void dP_stvk(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS], const ThawLanes dF[9],
                    ThawLanes dP[9]) {
    // dP = dF S + F dS,  dE = (F'dF + dF'F)/2
    ThawLanes S[9], T[9], dS[9], A[9];
    strain(F, S);
    stress_of_strain(c, S);
    thaw_lanes_product3_tn(F, dF, T);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            dS[i + 3 * j] = 0.5 * (T[i + 3 * j] + T[j + 3 * i]);
    stress_of_strain(c, dS);
    thaw_lanes_product3(dF, S, A);
    thaw_lanes_product3(F, dS, dP);
    for (int i = 0; i < 9; i++)
        dP[i] += A[i];
}

const ThawMaterialOps thaw_material_stvk = {
    .name = "stvk",
    .constants = constants,
    .psi = psi_stvk,
    .dpsi_dF = dpsi_stvk_dF,
    .d2psi_dF2 = d2psi_stvk_dF2,
    .blocks = blocks_stvk,
    .dP = dP_stvk,
};
