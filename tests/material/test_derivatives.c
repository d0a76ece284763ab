// SPDX-License-Identifier: Apache-2.0
// P, C and dP of every model against differences of what they are derivatives of, for every kind of deformation.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "material/solids.h"

enum { REPEATS = 20 };
static const double step = 1e-5; // central differences: step^2 and 1e-16 / step are both about 1e-10

static int has_energy(const ThawMaterialOps *ops, int kind) {
    int inverted = kind == KIND_INVERTED || kind == KIND_RANK2 || kind == KIND_RANK1 || kind == KIND_RANK0;
    return !(ops->needs_orientation && inverted);
}

// On lines and points the rotation of F is not unique and corotational forces jump.
static int has_derivatives(ThawMaterialModel model, int kind) {
    return has_energy(thaw_material_ops(model), kind) &&
           !(model == THAW_MATERIAL_COROTATIONAL && (kind == KIND_RANK1 || kind == KIND_RANK0));
}

typedef void (*Check)(const ThawMaterialOps *ops, const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS],
                      uint64_t *seed);

static void check_all(Check check, int (*wanted)(ThawMaterialModel model, int kind)) {
    uint64_t seed = 1;
    for (int model = 0; model < THAW_MATERIAL_MODEL_COUNT; model++)
        for (int kind = 0; kind < KIND_COUNT; kind++)
            for (int n = 0; n < REPEATS && wanted(model, kind); n++) {
                ThawMaterialDef def = solids_def(model, 0.05 + 0.4 * n / REPEATS);
                ThawLanes F[9], c[THAW_MATERIAL_CONSTANTS];
                solids_deformation(kind, &seed, F);
                solids_constants(&def, c);
                check(thaw_material_ops(model), F, c, &seed);
            }
}

static void check_first(const ThawMaterialOps *ops, const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS],
                        uint64_t *seed) {
    (void)seed;
    ThawLanes P[9], C[THAW_SYM9_SIZE], X[9], above, below, error;
    ops->dpsi_dF(F, c, P);
    ops->d2psi_dF2(F, c, C);
    double scale = 1 + solids_largest(THAW_SYM9_SIZE, C);
    memcpy(X, F, sizeof X);
    for (int i = 0; i < 9; i++) {
        X[i] = F[i] + step;
        ops->psi(X, c, &above);
        X[i] = F[i] - step;
        ops->psi(X, c, &below);
        X[i] = F[i];
        error = (above - below) / (2 * step) - P[i];
        assert_true(solids_largest(1, &error) < 1e-7 * scale);
    }
}

static void check_second(const ThawMaterialOps *ops, const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS],
                         uint64_t *seed) {
    (void)seed;
    ThawLanes C[THAW_SYM9_SIZE], X[9], above[9], below[9], error;
    ops->d2psi_dF2(F, c, C);
    double scale = 1 + solids_largest(THAW_SYM9_SIZE, C);
    // A stable neo-Hookean point (F = 0) has no stiffness at all, everything else has.
    assert_true(solids_largest(9, F) == 0 || solids_largest(THAW_SYM9_SIZE, C) > 0.1);
    memcpy(X, F, sizeof X);
    for (int j = 0; j < 9; j++) {
        X[j] = F[j] + step;
        ops->dpsi_dF(X, c, above);
        X[j] = F[j] - step;
        ops->dpsi_dF(X, c, below);
        X[j] = F[j];
        // Every i, not only i <= j: the differences are those of an asymmetric matrix if P is no gradient.
        for (int i = 0; i < 9; i++) {
            error = (above[i] - below[i]) / (2 * step) - C[THAW_SYM9(i, j)];
            assert_true(solids_largest(1, &error) < 1e-7 * scale);
        }
    }
}

static void check_directional(const ThawMaterialOps *ops, const ThawLanes F[9],
                              const ThawLanes c[THAW_MATERIAL_CONSTANTS], uint64_t *seed) {
    ThawLanes C[THAW_SYM9_SIZE], dF[9], dP[9];
    for (int i = 0; i < 9; i++)
        for (int l = 0; l < THAW_LANES; l++)
            dF[i][l] = solids_random(seed);
    ops->d2psi_dF2(F, c, C);
    ops->dP(F, c, dF, dP);
    double scale = solids_largest(THAW_SYM9_SIZE, C);
    assert_true(solids_largest(9, F) == 0 || solids_largest(9, dP) > 0.01);
    for (int i = 0; i < 9; i++) {
        ThawLanes error = -dP[i];
        for (int j = 0; j < 9; j++)
            error += C[THAW_SYM9(i, j)] * dF[j];
        assert_true(solids_largest(1, &error) <= 1e-13 * scale);
    }
}

static void check_finite(const ThawMaterialOps *ops, const ThawLanes F[9], const ThawLanes c[THAW_MATERIAL_CONSTANTS],
                         uint64_t *seed) {
    (void)seed;
    ThawLanes psi, P[9], C[THAW_SYM9_SIZE], dP[9];
    ops->psi(F, c, &psi);
    ops->dpsi_dF(F, c, P);
    ops->d2psi_dF2(F, c, C);
    ops->dP(F, c, F, dP);
    assert_true(isfinite(solids_largest(1, &psi)));
    assert_true(isfinite(solids_largest(9, P)));
    assert_true(isfinite(solids_largest(THAW_SYM9_SIZE, C)));
    assert_true(isfinite(solids_largest(9, dP)));
}

static int model_has_energy(ThawMaterialModel model, int kind) { return has_energy(thaw_material_ops(model), kind); }

static void stress_is_the_derivative_of_energy(void **state) {
    (void)state;
    check_all(check_first, has_derivatives);
}

static void stiffness_is_the_derivative_of_stress(void **state) {
    (void)state;
    check_all(check_second, has_derivatives);
}

static void directional_derivative_is_stiffness_times_direction(void **state) {
    (void)state;
    check_all(check_directional, model_has_energy);
}

static void degenerate_and_inverted_deformations_stay_finite(void **state) {
    (void)state;
    check_all(check_finite, model_has_energy);
}

static void neo_hookean_energy_is_infinite_without_volume(void **state) {
    (void)state;
    const int kinds[] = {KIND_INVERTED, KIND_RANK0};
    uint64_t seed = 2;
    ThawMaterialDef def = solids_def(THAW_MATERIAL_NEO_HOOKEAN, 0.3);
    ThawLanes F[9], c[THAW_MATERIAL_CONSTANTS], psi;
    solids_constants(&def, c);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        solids_deformation(kinds[k], &seed, F);
        thaw_material_ops(THAW_MATERIAL_NEO_HOOKEAN)->psi(F, c, &psi);
        for (int l = 0; l < THAW_LANES; l++)
            assert_true(psi[l] == INFINITY);
    }
    assert_true(thaw_material_ops(THAW_MATERIAL_NEO_HOOKEAN)->needs_orientation);
}

static void corotational_stress_is_bounded_next_to_its_jumps(void **state) {
    (void)state;
    ThawMaterialDef def = solids_def(THAW_MATERIAL_COROTATIONAL, 0.3);
    ThawLanes F[9], c[THAW_MATERIAL_CONSTANTS], C[THAW_SYM9_SIZE];
    solids_constants(&def, c);
    for (int i = 0; i < 9; i++)
        F[i] = thaw_lanes_set(i == 0 ? 2 : i == 4 ? 1 : i == 8 ? -1 : 0);
    F[8] += (ThawLanes){0, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15, -1e-12, -1e-3};
    thaw_material_ops(THAW_MATERIAL_COROTATIONAL)->d2psi_dF2(F, c, C);
    assert_true(solids_largest(THAW_SYM9_SIZE, C) < 1e7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stress_is_the_derivative_of_energy),
        cmocka_unit_test(stiffness_is_the_derivative_of_stress),
        cmocka_unit_test(directional_derivative_is_stiffness_times_direction),
        cmocka_unit_test(degenerate_and_inverted_deformations_stay_finite),
        cmocka_unit_test(neo_hookean_energy_is_infinite_without_volume),
        cmocka_unit_test(corotational_stress_is_bounded_next_to_its_jumps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
