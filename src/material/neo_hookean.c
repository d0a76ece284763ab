// SPDX-License-Identifier: Apache-2.0
// Compressible neo-Hookean with a logarithmic barrier against inversion (Bonet and Wood 2008):
//     psi = mu/2 (Ic - 3) - mu log J + lambda/2 log^2 J,          Ic = F:F, J = det F, G = dJ/dF
//     P   = mu F + k G / J,                                      k = lambda log J - mu
//     d2psi/dF2 = mu I + (lambda - k)/J^2 vec(G) vec(G)' + k/J d2J/dF2.
// Where J <= 0, psi is +inf and the derivatives are NaN in some entries: the caller asks psi (needs_orientation) first.
// Linearises to young and poisson. Cost of d2psi_dF2: about 200 operations, a logarithm and a division for eight.
#include "material/blocks.h"
#include "material/models.h"
#include "material/volume.h"

static void constants(const ThawMaterialDef *def, double c[THAW_MATERIAL_CONSTANTS]) {
    thaw_material_lame(def, &c[0], &c[1]);
    c[2] = 0;
}

static void psi_neo_hookean(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS], ThawLanes *psi) {
    ThawLanes J = thaw_lanes_det3(F), log_J = thaw_lanes_log(J);
    ThawLanes energy = 0.5 * c[0] * (thaw_lanes_dot9(F, F) - 3.0) - (c[0] - 0.5 * c[1] * log_J) * log_J;
    *psi = thaw_lanes_select((ThawLaneMask)(J <= thaw_lanes_set(0)), thaw_lanes_set(__builtin_inf()), energy);
}

static void dpsi_neo_hookean_dF(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS], ThawLanes P[9]) {
    ThawLanes G[9];
    thaw_lanes_cofactor3(F, G);
    ThawLanes J = thaw_lanes_dot3(F, G), k = (c[1] * thaw_lanes_log(J) - c[0]) / J;
    for (int i = 0; i < 9; i++)
        P[i] = c[0] * F[i] + k * G[i];
}

static void d2psi_neo_hookean_dF2(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS],
                                  ThawLanes C[THAW_SYM9_SIZE]) {
    ThawLanes G[9];
    thaw_lanes_cofactor3(F, G);
    ThawLanes J = thaw_lanes_dot3(F, G), inverse = 1.0 / J, k = c[1] * thaw_lanes_log(J) - c[0];
    ThawLanes g = (c[1] - k) * inverse * inverse;
#pragma GCC unroll 9
    for (int a = 0; a < 9; a++) {
        ThawLanes gG = g * G[a];
#pragma GCC unroll 9
        for (int b = 0; b <= a; b++)
            C[THAW_SYM9(a, b)] = gG * G[b];
    }
    thaw_volume_add_hessian(F, c[0], k * inverse, C);
}

static void blocks_neo_hookean(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS], int count,
                               const ThawLanes *g, ThawLanes scale, ThawLanes P[9], ThawLanes *K) {
    ThawLanes G[9];
    thaw_lanes_cofactor3(F, G);
    ThawLanes J = thaw_lanes_dot3(F, G), inverse = 1.0 / J, k = c[1] * thaw_lanes_log(J) - c[0];
    ThawLanes s[1] = {scale * ((c[1] - k) * inverse * inverse)}, a = scale * c[0];
    const ThawLanes *const M[1] = {G};
    k *= inverse;
    for (int i = 0; i < 9; i++)
        P[i] = c[0] * F[i] + k * G[i];
    k *= scale;
    if (count == 3)
        thaw_block_sum(3, g, a, 1, s, M, k, F, K);
    else
        thaw_block_sum(2, g, a, 1, s, M, k, F, K);
}

static void dP_neo_hookean(const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS], const ThawLanes dF[9],
                           ThawLanes dP[9]) {
    ThawLanes G[9], dG[9];
    thaw_lanes_cofactor3(F, G);
    thaw_volume_cofactor_change(F, dF, dG);
    ThawLanes J = thaw_lanes_dot3(F, G), inverse = 1.0 / J, k = c[1] * thaw_lanes_log(J) - c[0];
    ThawLanes g = (c[1] - k) * inverse * inverse * thaw_lanes_dot9(G, dF);
    k *= inverse;
    for (int i = 0; i < 9; i++)
        dP[i] = c[0] * dF[i] + g * G[i] + k * dG[i];
}

const ThawMaterialOps thaw_material_neo_hookean = {
    .name = "neo-hookean",
    .needs_orientation = 1,
    .constants = constants,
    .psi = psi_neo_hookean,
    .dpsi_dF = dpsi_neo_hookean_dF,
    .d2psi_dF2 = d2psi_neo_hookean_dF2,
    .blocks = blocks_neo_hookean,
    .dP = dP_neo_hookean,
};
