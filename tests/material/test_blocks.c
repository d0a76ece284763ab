// SPDX-License-Identifier: Apache-2.0
// Stiffness blocks against the contraction of d2psi_dF2, and the stress that comes with them against dpsi_dF.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "material/material.h"

static double uniform(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

// K_ab,ik = scale sum_jl g_a,j C_(ij)(kl) g_b,l.
static double contracted(const ThawLanes *C, const ThawLanes *g, int a, int b, int i, int k, double scale, int lane) {
    double sum = 0;
    for (int j = 0; j < 3; j++)
        for (int l = 0; l < 3; l++)
            sum += g[3 * a + j][lane] * C[THAW_SYM9(i + 3 * j, k + 3 * l)][lane] * g[3 * b + l][lane];
    return scale * sum;
}

static void compare(ThawMaterialModel model, int count, uint64_t *seed) {
    const ThawMaterialOps *ops = thaw_material_ops(model);
    ThawMaterialDef def = thaw_material_def_default();
    double constants[THAW_MATERIAL_CONSTANTS];
    def.model = model;
    ops->constants(&def, constants);
    ThawLanes F[9], c[THAW_MATERIAL_CONSTANTS], g[9], C[THAW_SYM9_SIZE], P[9], want_P[9], K[6 * 9];
    for (int l = 0; l < THAW_LANES; l++) {
        for (int i = 0; i < 9; i++) {
            F[i][l] = (i % 4 == 0) + 0.8 * uniform(seed);
            g[i][l] = 4 * uniform(seed);
        }
        for (int i = 0; i < THAW_MATERIAL_CONSTANTS; i++)
            c[i][l] = constants[i];
    }
    double scale = 0.37, size = 0;
    ops->d2psi_dF2(F, c, C);
    ops->dpsi_dF(F, c, want_P);
    ops->blocks(F, c, count, g, thaw_lanes_set(scale), P, K);
    for (int l = 0; l < THAW_LANES; l++)
        for (int a = 0; a < count; a++)
            for (int b = 0; b <= a; b++)
                for (int i = 0; i < 9; i++) {
                    double want = contracted(C, g, a, b, i / 3, i % 3, scale, l);
                    double got = K[9 * (a * (a + 1) / 2 + b) + i][l];
                    size += fabs(want);
                    assert_true(fabs(got - want) <= 1e-11 * constants[1] * 16 * (1 + fabs(want) / constants[1]));
                }
    assert_true(size > 0);
    for (int l = 0; l < THAW_LANES; l++)
        for (int i = 0; i < 9; i++)
            assert_true(fabs(P[i][l] - want_P[i][l]) <= 1e-12 * (constants[1] + fabs(want_P[i][l])));
}

static void blocks_are_the_contraction_of_the_second_derivative(void **state) {
    (void)state;
    uint64_t seed = 20;
    for (int model = 0; model < THAW_MATERIAL_MODEL_COUNT; model++)
        for (int trial = 0; trial < 500; trial++)
            compare((ThawMaterialModel)model, 2 + trial % 2, &seed);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_are_the_contraction_of_the_second_derivative)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
