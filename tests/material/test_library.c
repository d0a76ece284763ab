// SPDX-License-Identifier: Apache-2.0
// The library of materials: everything in it is valid, has a source, and is found by its name and no other.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "material/material.h"
#include "thaw/thaw.h"

static void the_library_has_what_was_promised(void **state) {
    (void)state;
    static const char *const names[] = {"natural-rubber", "silicone", "foam",   "gelatine", "liver", "muscle", "steel",
                                        "aluminium",      "wood",     "cotton", "silk",     "denim", "paper"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const ThawLibraryMaterial *material = thaw_material_library_find(names[i]);
        assert_non_null(material);
        assert_string_equal(material->def.name, names[i]);
    }
}

static void every_material_is_valid_and_says_where_it_comes_from(void **state) {
    (void)state;
    for (int i = 0; i < thaw_material_library_count(); i++) {
        const ThawLibraryMaterial *material = thaw_material_library_get(i);
        ThawError error = {0};
        if (thaw_material_validate(&material->def, &error))
            fail_msg("%s", error.message);
        assert_true(strlen(material->stands_for) > 5 && strlen(material->source) > 10);
        assert_ptr_equal(thaw_material_library_find(material->def.name), material);
        // As the doctor sees it: densities and stiffness of real things, and no locking.
        assert_true(material->def.density >= 5 && material->def.density <= 25000);
        assert_true(material->def.young >= 100 && material->def.young <= 2e12);
        assert_true(material->def.poisson <= 0.45);
    }
}

static void sheets_have_a_thickness_and_solids_have_none(void **state) {
    (void)state;
    static const char *const sheets[] = {"cotton", "silk", "denim", "paper"};
    int count = 0;
    for (int i = 0; i < thaw_material_library_count(); i++)
        count += thaw_material_library_get(i)->thickness > 0;
    assert_int_equal(count, 4);
    for (int i = 0; i < 4; i++) {
        const ThawLibraryMaterial *sheet = thaw_material_library_find(sheets[i]);
        double grammage = 1000 * sheet->thickness * sheet->def.density; // g/m^2
        assert_true(grammage > 30 && grammage < 600);
    }
}

static void what_is_not_there_is_not_found(void **state) {
    (void)state;
    assert_null(thaw_material_library_get(-1));
    assert_null(thaw_material_library_get(thaw_material_library_count()));
    assert_null(thaw_material_library_find(NULL));
    assert_null(thaw_material_library_find(""));
    assert_null(thaw_material_library_find("Silicone"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_library_has_what_was_promised),
        cmocka_unit_test(every_material_is_valid_and_says_where_it_comes_from),
        cmocka_unit_test(sheets_have_a_thickness_and_solids_have_none),
        cmocka_unit_test(what_is_not_there_is_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
