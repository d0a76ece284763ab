// SPDX-License-Identifier: Apache-2.0
// Drape coefficients of the library's fabrics on two meshes of either fineness, and by bending length and shear
// stiffness.
// Figures: docs/shells-results.md.
#include "physics/drape.h"

// Of the same fabric, percent, where it was measured (docs/materials.md).
static double measured(const char *name) {
    static const struct {
        const char *name;
        double coefficient;
    } all[] = {{"cotton", 82.9}, {"wool", 49.8}, {"polyester", 50.7}, {"faille", 28.3}};
    for (size_t i = 0; i < COUNT(all); i++)
        if (strcmp(all[i].name, name) == 0)
            return all[i].coefficient;
    return NAN;
}

static void the_library(void **state) {
    (void)state;
    for (int i = 0; i < thaw_material_library_count(); i++) {
        const ThawLibraryMaterial *fabric = thaw_material_library_get(i);
        for (int run = 0; run < 4 && fabric->thickness > 0; run++) {
            const int rings = run < 2 ? 6 : 12;
            const Drape drape = drape_of(&fabric->def, fabric->thickness, rings, 1 + (uint64_t)(run % 2));
            const double off = 100 * drape.coefficient - measured(fabric->def.name);
            print_message("%-9s %2d rings, mesh %d: %.1f percent, %d folds; off by %.1f\n", fabric->def.name, rings,
                          1 + run % 2, 100 * drape.coefficient, drape.folds, off);
            assert_true(drape.coefficient > 0 && drape.coefficient < 1 && drape.speed < 0.01);
            if (rings == 12) // too stiff by what friction and coarse folds do; never far too limp
                assert_false(off < -10 || off > 20);
        }
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
        cmocka_unit_test(by_bending_length_and_shear),
        cmocka_unit_test(the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
