// SPDX-License-Identifier: Apache-2.0
// Cusick's drape test: a fabric whose weight, bending and shear were measured hangs as such fabrics do, and how deep
// follows from its bending length and its resistance to shear. More of it: test_slow_drape.c.
#include "physics/drape.h"

// Fabrics of the library: within ten points of what was measured of the same fabric (cotton 82.9, wool 49.8 percent),
// or within the range of its name.
static void fabrics_drape_as_those_that_were_measured(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double least, most;
    } cases[] = {{"cotton", 0.729, 0.929}, {"wool", 0.398, 0.598}, {"denim", 0.7, 0.9}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const ThawLibraryMaterial *fabric = thaw_material_library_find(cases[i].name);
        const Drape drape = drape_of(&fabric->def, fabric->thickness, 6, 1);
        if (!(drape.coefficient > cases[i].least && drape.coefficient < cases[i].most && drape.folds > 3))
            fail_msg("%s: drape coefficient %g, %d folds", cases[i].name, drape.coefficient, drape.folds);
    }
}

static void limp_and_slack_fabrics_hang_deeper(void **state) {
    (void)state;
    double coefficient[3];
    for (int k = 0; k < 3; k++) {
        const ThawMaterialDef fabric = drape_fabric(k == 0 ? 0.03 : 0.019, k < 2 ? 3800 : 60);
        coefficient[k] = drape_of(&fabric, DRAPE_FABRIC_THICKNESS, 6, 1).coefficient;
    }
    if (!(coefficient[0] > coefficient[1] + 0.03 && coefficient[1] > coefficient[2] + 0.03))
        fail_msg("drape coefficients %g, limper %g, and slacker %g", coefficient[0], coefficient[1], coefficient[2]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fabrics_drape_as_those_that_were_measured),
        cmocka_unit_test(limp_and_slack_fabrics_hang_deeper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
