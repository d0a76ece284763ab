// SPDX-License-Identifier: Apache-2.0
// Names, defaults, and definitions that are refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "material/solids.h"

static void models_have_the_names_of_the_scene_format(void **state) {
    (void)state;
    assert_string_equal(thaw_material_model_name(THAW_MATERIAL_STVK), "stvk");
    assert_string_equal(thaw_material_model_name(THAW_MATERIAL_NEO_HOOKEAN), "neo-hookean");
    assert_string_equal(thaw_material_model_name(THAW_MATERIAL_STABLE_NEO_HOOKEAN), "stable-neo-hookean");
    assert_string_equal(thaw_material_model_name(THAW_MATERIAL_COROTATIONAL), "corotational");
    assert_null(thaw_material_model_name(THAW_MATERIAL_MODEL_COUNT));
    assert_null(thaw_material_model_name((ThawMaterialModel)-1));
    assert_null(thaw_material_ops((ThawMaterialModel)1000));
}

static void the_default_is_valid(void **state) {
    (void)state;
    ThawMaterialDef def = thaw_material_def_default();
    assert_int_equal(thaw_material_validate(&def, NULL), THAW_OK);
    assert_true(def.model == THAW_MATERIAL_STABLE_NEO_HOOKEAN && def.density == 1000 && def.young == 1e6);
    assert_true(def.poisson == 0.4 && def.alpha1 > 0);
}

// Refused, with a message that names the material and the field.
static void assert_refused(const ThawMaterialDef *def, const char *field) {
    ThawError error = {0};
    assert_int_equal(thaw_material_validate(def, &error), THAW_ERROR_INPUT);
    assert_int_equal(error.status, THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, field));
    assert_non_null(strstr(error.message, "must be"));
    assert_non_null(strstr(error.message, def->name ? def->name : "unnamed"));
    assert_int_equal(thaw_material_validate(def, NULL), THAW_ERROR_INPUT);
}

static void values_out_of_range_are_refused_by_name(void **state) {
    (void)state;
    const struct {
        const char *field;
        size_t offset;
        double bad[6];
    } fields[] = {
        {"density", offsetof(ThawMaterialDef, density), {0, -1, NAN, INFINITY, -INFINITY, -0.0}},
        {"young", offsetof(ThawMaterialDef, young), {0, -1e6, NAN, INFINITY, -INFINITY, 1.7e308}},
        {"poisson", offsetof(ThawMaterialDef, poisson), {-1, 0.5, NAN, INFINITY, -INFINITY, 3}},
        {"alpha0", offsetof(ThawMaterialDef, alpha0), {-1e-9, -1, NAN, INFINITY, -INFINITY, -5}},
        {"alpha1", offsetof(ThawMaterialDef, alpha1), {-1e-9, -1, NAN, INFINITY, -INFINITY, -5}},
    };
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
        for (int n = 0; n < 6; n++) {
            ThawMaterialDef def = thaw_material_def_default();
            memcpy((char *)&def + fields[f].offset, &fields[f].bad[n], sizeof(double));
            assert_refused(&def, fields[f].field);
            def.name = NULL;
            assert_refused(&def, fields[f].field);
        }
    ThawMaterialDef def = thaw_material_def_default();
    def.model = THAW_MATERIAL_MODEL_COUNT;
    assert_refused(&def, "model");
    def = thaw_material_def_default();
    def.constants = (ThawMaterialConstants)2;
    assert_refused(&def, "constants");
    def = thaw_material_def_default();
    def.damping = (ThawDamping)3;
    assert_refused(&def, "damping");
    ThawError error;
    assert_int_equal(thaw_material_validate(NULL, &error), THAW_ERROR_INPUT);
}

static void poisson_is_limited_where_the_rest_state_would_be_unstable(void **state) {
    (void)state;
    ThawMaterialDef def = solids_def(THAW_MATERIAL_NEO_HOOKEAN, -0.01);
    assert_refused(&def, "poisson");
    def.poisson = 0;
    assert_int_equal(thaw_material_validate(&def, NULL), THAW_OK);

    def = solids_def(THAW_MATERIAL_STABLE_NEO_HOOKEAN, 0.05);
    assert_int_equal(thaw_material_validate(&def, NULL), THAW_OK);
    def.constants = THAW_CONSTANTS_UNMODIFIED;
    assert_refused(&def, "poisson");

    // The limit is where a small volume change stops costing energy.
    ThawLanes F[9], c[THAW_MATERIAL_CONSTANTS], psi[2];
    for (int side = 0; side < 2; side++) {
        def.poisson = 1.0 / 18 + (side ? 0.01 : -0.01);
        assert_int_equal(thaw_material_validate(&def, NULL) == THAW_OK, side);
        solids_constants(&def, c);
        for (int i = 0; i < 9; i++)
            F[i] = thaw_lanes_set(i % 4 == 0 ? 1.001 : 0);
        thaw_material_ops(def.model)->psi(F, c, &psi[side]);
    }
    assert_true(psi[0][0] < 0 && psi[1][0] > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_have_the_names_of_the_scene_format),
        cmocka_unit_test(the_default_is_valid),
        cmocka_unit_test(values_out_of_range_are_refused_by_name),
        cmocka_unit_test(poisson_is_limited_where_the_rest_state_would_be_unstable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
