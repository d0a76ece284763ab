// SPDX-License-Identifier: Apache-2.0
// Cusick's drape test: a fabric whose weight, bending and shear were measured hangs as such fabrics do, and how deep
// follows from its bending length and its resistance to shear. More of it: test_slow_drape.c.
#include "physics/drape.h"

static void denim_as_measured_drapes_as_denim(void **state) {
    (void)state;
    const ThawMaterialDef denim = drape_denim();
    const Drape drape = drape_of(&denim, DRAPE_DENIM_THICKNESS, 6, 1);
    if (!(drape.coefficient > 0.7 && drape.coefficient < 0.9 && drape.folds > 3))
        fail_msg("drape coefficient %g, %d folds", drape.coefficient, drape.folds);
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
        cmocka_unit_test(denim_as_measured_drapes_as_denim),
        cmocka_unit_test(limp_and_slack_fabrics_hang_deeper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
