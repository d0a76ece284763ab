// SPDX-License-Identifier: Apache-2.0
// What every material owes to physics: no energy or stress at rest, linear elasticity close to it, the same energy
// however the body or the observer is turned.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "material/solids.h"

static const double poissons[] = {-0.95, -0.5, -0.1, 0, 0.02, 0.1, 0.3, 0.45, 0.499};
enum { POISSONS = sizeof poissons / sizeof *poissons };

static void rest(ThawLanes F[9]) {
    for (int i = 0; i < 9; i++)
        F[i] = thaw_lanes_set(i % 4 == 0);
}

// The largest difference of C at rest from the tensor of linear elasticity, relative to its largest entry.
static double departure_from_linear(const ThawMaterialDef *def) {
    ThawLanes F[9], c[THAW_MATERIAL_CONSTANTS], C[THAW_SYM9_SIZE];
    rest(F);
    solids_constants(def, c);
    thaw_material_ops(def->model)->d2psi_dF2(F, c, C);
    double mu = def->young / (2 * (1 + def->poisson));
    double lambda = def->young * def->poisson / ((1 + def->poisson) * (1 - 2 * def->poisson));
    double worst = 0;
    for (int a = 0; a < 9; a++)
        for (int b = 0; b < 9; b++) {
            int i = a % 3, j = a / 3, k = b % 3, l = b / 3;
            double linear = mu * ((i == k) * (j == l) + (i == l) * (j == k)) + lambda * (i == j) * (k == l);
            worst = fmax(worst, fabs(C[THAW_SYM9(a, b)][0] - linear));
        }
    return worst / (fabs(lambda) + 2 * mu);
}

static void rest_has_neither_energy_nor_stress(void **state) {
    (void)state;
    ThawLanes F[9], c[THAW_MATERIAL_CONSTANTS], psi, P[9];
    rest(F);
    for (int model = 0; model < THAW_MATERIAL_MODEL_COUNT; model++)
        for (int constants = 0; constants < 2; constants++)
            for (int n = 0; n < POISSONS; n++) {
                ThawMaterialDef def = solids_def(model, poissons[n]);
                def.young = 1e6;
                def.constants = constants;
                if (thaw_material_validate(&def, NULL) != THAW_OK)
                    continue;
                solids_constants(&def, c);
                thaw_material_ops(model)->psi(F, c, &psi);
                thaw_material_ops(model)->dpsi_dF(F, c, P);
                assert_true(solids_largest(1, &psi) == 0);
                assert_true(solids_largest(9, P) == 0);
            }
}

static void small_strains_obey_young_and_poisson(void **state) {
    (void)state;
    int tried[THAW_MATERIAL_MODEL_COUNT] = {0};
    for (int model = 0; model < THAW_MATERIAL_MODEL_COUNT; model++)
        for (int n = 0; n < POISSONS; n++) {
            ThawMaterialDef def = solids_def(model, poissons[n]);
            if (thaw_material_validate(&def, NULL) != THAW_OK)
                continue;
            tried[model]++;
            assert_true(departure_from_linear(&def) < 1e-14);
        }
    assert_int_equal(tried[THAW_MATERIAL_STABLE_NEO_HOOKEAN], POISSONS);
    assert_int_equal(tried[THAW_MATERIAL_STVK], POISSONS);
    assert_int_equal(tried[THAW_MATERIAL_COROTATIONAL], POISSONS);
    assert_int_equal(tried[THAW_MATERIAL_NEO_HOOKEAN], POISSONS - 3);
}

static void unmodified_constants_are_softer_than_young_says(void **state) {
    (void)state;
    ThawMaterialDef def = solids_def(THAW_MATERIAL_STABLE_NEO_HOOKEAN, 0.3);
    def.constants = THAW_CONSTANTS_UNMODIFIED;
    assert_true(departure_from_linear(&def) > 0.05);
    ThawLanes F[9], c[THAW_MATERIAL_CONSTANTS], C[THAW_SYM9_SIZE];
    rest(F);
    solids_constants(&def, c);
    thaw_material_ops(def.model)->d2psi_dF2(F, c, C);
    double mu = 1 / 2.6, lambda = 0.3 / (1.3 * 0.4);
    assert_true(fabs(C[THAW_SYM9(1, 3)][0] - 0.75 * mu) < 1e-15);
    assert_true(fabs(C[THAW_SYM9(0, 4)][0] - (lambda - 0.625 * mu)) < 1e-15);
}

static void stable_neo_hookean_agrees_with_its_published_form(void **state) {
    (void)state;
    ThawMaterialDef def = solids_def(THAW_MATERIAL_STABLE_NEO_HOOKEAN, 0.35);
    def.constants = THAW_CONSTANTS_UNMODIFIED;
    double mu = 1 / 2.7, lambda = 0.35 / (1.35 * 0.3), alpha = 1 + mu / lambda - mu / (4 * lambda);
    uint64_t seed = 3;
    ThawLanes F[9], c[THAW_MATERIAL_CONSTANTS], psi;
    solids_constants(&def, c);
    double constant = lambda / 2 * (1 - alpha) * (1 - alpha) - mu / 2 * log(4);
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        solids_deformation(kind, &seed, F);
        thaw_material_ops(def.model)->psi(F, c, &psi);
        ThawLanes Ic = thaw_lanes_dot9(F, F), J = thaw_lanes_det3(F);
        for (int l = 0; l < THAW_LANES; l++) {
            double published =
                mu / 2 * (Ic[l] - 3) + lambda / 2 * (J[l] - alpha) * (J[l] - alpha) - mu / 2 * log(Ic[l] + 1);
            assert_true(fabs(psi[l] - (published - constant)) < 1e-13 * (1 + fabs(published)));
        }
    }
}

static void energy_does_not_change_when_body_or_observer_turns(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (int model = 0; model < THAW_MATERIAL_MODEL_COUNT; model++)
        for (int kind = 0; kind < KIND_COUNT; kind++) {
            const ThawMaterialOps *ops = thaw_material_ops(model);
            if (ops->needs_orientation && kind >= KIND_INVERTED && kind <= KIND_RANK0)
                continue;
            ThawMaterialDef def = solids_def(model, 0.3);
            ThawLanes F[9], R[9], RF[9], FR[9], c[THAW_MATERIAL_CONSTANTS], psi, psi_RF, psi_FR;
            solids_constants(&def, c);
            solids_deformation(kind, &seed, F);
            solids_rotation(&seed, R);
            thaw_lanes_product3(R, F, RF);
            thaw_lanes_product3(F, R, FR);
            ops->psi(F, c, &psi);
            ops->psi(RF, c, &psi_RF);
            ops->psi(FR, c, &psi_FR);
            ThawLanes error[2] = {psi_RF - psi, psi_FR - psi};
            assert_true(solids_largest(2, error) < 1e-13 * (1 + solids_largest(1, &psi)));
            assert_true(solids_largest(1, &psi) > 0);
        }
}

static void a_turned_body_at_rest_has_no_stress(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int model = 0; model < THAW_MATERIAL_MODEL_COUNT; model++) {
        ThawMaterialDef def = solids_def(model, 0.3);
        ThawLanes R[9], c[THAW_MATERIAL_CONSTANTS], P[9];
        solids_constants(&def, c);
        solids_rotation(&seed, R);
        thaw_material_ops(model)->dpsi_dF(R, c, P);
        assert_true(solids_largest(9, P) < 1e-14);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_has_neither_energy_nor_stress),
        cmocka_unit_test(small_strains_obey_young_and_poisson),
        cmocka_unit_test(unmodified_constants_are_softer_than_young_says),
        cmocka_unit_test(stable_neo_hookean_agrees_with_its_published_form),
        cmocka_unit_test(energy_does_not_change_when_body_or_observer_turns),
        cmocka_unit_test(a_turned_body_at_rest_has_no_stress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
