// SPDX-License-Identifier: Apache-2.0
// Stable neo-Hookean (Smith, de Goes and Kim 2018): finite for every F, inverted ones included,
//     psi = mu/2 (Ic - 3) + lambda/2 (J - alpha)^2 - mu/2 log(Ic + 1) + const,  alpha = 1 + mu/lambda - mu/(4 lambda),
// with Ic = F:F, J = det F, G = dJ/dF. alpha makes the rest state stress-free. As lambda alpha = lambda + 3/4 mu, it is
//     psi = mu/2 (Ic - 3) + lambda/2 (J - 1)^2 - 3/4 mu (J - 1) - mu/2 log((Ic + 1)/4)
//     P   = a F + k G,                   a = mu (1 - 1/(Ic + 1)),   k = lambda (J - 1) - 3/4 mu
//     d2psi/dF2 = a I + 2 mu/(Ic + 1)^2 vec(F) vec(F)' + lambda vec(G) vec(G)' + k d2J/dF2,
// where psi and P vanish exactly at F = I and nothing is divided by lambda.
//
// At rest d2psi/dF2 acts as 3/4 mu (dF + dF') + (lambda - 5/8 mu) tr(dF) I: linear elasticity with mu_L = 3/4 mu and
// lambda_L = lambda - 5/8 mu. Matched constants invert that: mu = 4/3 mu_L, lambda = lambda_L + 5/6 mu_L, which is
// positive for every poisson in (-1, 1/2), as lambda_L > -2/3 mu_L. Unmodified ones put mu_L and lambda_L in place of
// mu and lambda.
//
// Cost of d2psi_dF2, the hottest loop of a full elastic step: about 240 operations and a division for eight.
#include "material/blocks.h"
#include "material/models.h"
#include "material/volume.h"

// c = mu, lambda, 3/4 mu of the energy above.
static void constants(const ThawMaterialDef *def, double c[THAW_MATERIAL_CONSTANTS]) {
    double mu, lambda;
    thaw_material_lame(def, &mu, &lambda);
    if (def->constants == THAW_CONSTANTS_MATCHED) {
        lambda += 5.0 / 6 * mu;
        mu *= 4.0 / 3;
    }
    c[0] = mu;
    c[1] = lambda;
    c[2] = 0.75 * mu;
}

static void psi_stable_neo_hookean(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS], ThawLanes *psi) {
    ThawLanes Ic = thaw_lanes_dot9(F, F), v = thaw_lanes_det3(F) - 1.0;
    *psi = 0.5 * c[0] * ((Ic - 3.0) - thaw_lanes_log(0.25 * (Ic + 1.0))) + (0.5 * c[1] * v - c[2]) * v;
}

static void dpsi_stable_neo_hookean_dF(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS],
                                       ThawLanes P[9]) {
    ThawLanes G[9];
    thaw_lanes_cofactor3(F, G);
    ThawLanes a = c[0] - c[0] / (thaw_lanes_dot9(F, F) + 1.0), k = c[1] * (thaw_lanes_dot3(F, G) - 1.0) - c[2];
    for (int i = 0; i < 9; i++)
        P[i] = a * F[i] + k * G[i];
}

static void d2psi_stable_neo_hookean_dF2(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS],
                                         ThawLanes C[THAW_SYM9_SIZE]) {
    ThawLanes G[9];
    thaw_lanes_cofactor3(F, G);
    ThawLanes inverse = 1.0 / (thaw_lanes_dot9(F, F) + 1.0), log_slope = c[0] * inverse;
    ThawLanes a = c[0] - log_slope, f = 2.0 * log_slope * inverse, k = c[1] * (thaw_lanes_dot3(F, G) - 1.0) - c[2];
#pragma GCC unroll 9
    for (int i = 0; i < 9; i++) {
        ThawLanes fF = f * F[i], gG = c[1] * G[i];
#pragma GCC unroll 9
        for (int j = 0; j <= i; j++)
            C[THAW_SYM9(i, j)] = fF * F[j] + gG * G[j];
    }
    thaw_volume_add_hessian(F, a, k, C);
}

static void blocks_stable_neo_hookean(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS], int count,
                                      const ThawLanes *g, ThawLanes scale, ThawLanes P[9], ThawLanes *K) {
    ThawLanes G[9];
    thaw_lanes_cofactor3(F, G);
    ThawLanes inverse = 1.0 / (thaw_lanes_dot9(F, F) + 1.0), log_slope = c[0] * inverse;
    ThawLanes a = c[0] - log_slope, k = c[1] * (thaw_lanes_dot3(F, G) - 1.0) - c[2];
    for (int i = 0; i < 9; i++)
        P[i] = a * F[i] + k * G[i];
    ThawLanes s[2] = {scale * (2.0 * log_slope * inverse), scale * c[1]};
    const ThawLanes *const M[2] = {F, G};
    a *= scale;
    k *= scale;
    if (count == 3)
        thaw_block_sum(3, g, a, 2, s, M, k, F, K);
    else
        thaw_block_sum(2, g, a, 2, s, M, k, F, K);
}

static void dP_stable_neo_hookean(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS],
                                  const ThawLanes dF[9], ThawLanes dP[9]) {
    ThawLanes G[9], dG[9];
    thaw_lanes_cofactor3(F, G);
    thaw_volume_cofactor_change(F, dF, dG);
    ThawLanes inverse = 1.0 / (thaw_lanes_dot9(F, F) + 1.0), log_slope = c[0] * inverse;
    ThawLanes a = c[0] - log_slope, k = c[1] * (thaw_lanes_dot3(F, G) - 1.0) - c[2];
    ThawLanes f = 2.0 * log_slope * inverse * thaw_lanes_dot9(F, dF), g = c[1] * thaw_lanes_dot9(G, dF);
    for (int i = 0; i < 9; i++)
        dP[i] = a * dF[i] + f * F[i] + g * G[i] + k * dG[i];
}

const ThawMaterialOps thaw_material_stable_neo_hookean = {
    .name = "stable-neo-hookean",
    .constants = constants,
    .psi = psi_stable_neo_hookean,
    .dpsi_dF = dpsi_stable_neo_hookean_dF,
    .d2psi_dF2 = d2psi_stable_neo_hookean_dF2,
    .blocks = blocks_stable_neo_hookean,
    .dP = dP_stable_neo_hookean,
};
