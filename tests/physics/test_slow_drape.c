// SPDX-License-Identifier: Apache-2.0
// Drape coefficients of the library's fabrics, of denim as it was measured, and by bending length and shear modulus.
// Figures: docs/shells-results.md.
#include "physics/drape.h"

static void the_library(void **state) {
    (void)state;
    for (int i = 0; i < thaw_material_library_count(); i++) {
        const ThawLibraryMaterial *fabric = thaw_material_library_get(i);
        for (int run = 0; run < 3 && fabric->thickness > 0; run++) {
            const int rings = run == 2 ? 12 : 6;
            const Drape drape = drape_of(&fabric->def, fabric->thickness, rings, 1 + (uint64_t)run);
            print_message("%-6s %2d rings: %.1f percent, %d folds\n", fabric->def.name, rings, 100 * drape.coefficient,
                          drape.folds);
            assert_true(drape.coefficient > 0 && drape.coefficient < 1 && drape.speed < 0.01);
        }
    }
}

static void denim_as_measured(void **state) {
    (void)state;
    const ThawMaterialDef denim = drape_denim();
    for (int rings = 6; rings <= 12; rings += 6)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            const Drape drape = drape_of(&denim, DRAPE_DENIM_THICKNESS, rings, seed);
            print_message("denim as measured, %2d rings, seed %d: %.1f percent, %d folds\n", rings, (int)seed,
                          100 * drape.coefficient, drape.folds);
            assert_true(drape.coefficient > 0.7 && drape.coefficient < 0.9);
        }
}

static void by_bending_length_and_shear(void **state) {
    (void)state;
    const double lengths[] = {0.012, 0.015, 0.019, 0.024, 0.03}, shears[] = {30, 110, 3800};
    for (int rings = 6; rings <= 12; rings += 6)
        for (size_t i = 0; i < COUNT(lengths); i++)
            for (size_t k = 0; k < COUNT(shears); k++) {
                const ThawMaterialDef fabric = drape_fabric(lengths[i], shears[k]);
                if (rings > 6 && k != 1)
                    continue;
                const Drape drape = drape_of(&fabric, DRAPE_FABRIC_THICKNESS, rings, 1);
                print_message("bending length %.1f cm, shear %4g N/m, %2d rings: %.1f percent, %d folds\n",
                              100 * lengths[i], shears[k], rings, 100 * drape.coefficient, drape.folds);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(denim_as_measured),
        cmocka_unit_test(by_bending_length_and_shear),
        cmocka_unit_test(the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
