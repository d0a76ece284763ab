// SPDX-License-Identifier: Apache-2.0
// A thousand random shapes, and a million elements: angles, validity, and time linear in size.
#include "mesher/shapes.h"

static void angles_are_bounded_on_a_thousand_random_shapes(void **state) {
    (void)state;
    double least = 180, most = 0;
    for (int seed = 1; seed <= 1000; seed++) {
        Random r = random_of(seed + 9000);
        ThawSolid *solid = random_solid(seed, 3);
        ThawMesherDef def = sized(random_between(&r, 0.05, 0.15));
        def.grading = seed % 2 ? 1 : 8;
        ThawMesherReport report;
        ThawMesh *mesh = mesh_of(solid, def, &report);
        check_mesh(mesh, 8);
        least = fmin(least, report.min_angle * DEGREES);
        most = fmax(most, report.max_angle * DEGREES);
        thaw_mesh_free(&mesh);
        thaw_solid_free(&solid);
    }
    print_message("1000 shapes: dihedral angles %.2f to %.2f degrees\n", least, most);
    assert_true(least > 10.78 && most < 164.74);
}

static void time_is_linear_up_to_a_million_elements(void **state) {
    (void)state;
    ThawSolid *solid = solid_of("{'torus':{'radius':1,'tube':0.4,'axis':[1,2,3]}}", 3);
    double rate[3];
    static const int32_t counts[3] = {20000, 150000, 1000000};
    for (int i = 0; i < 3; i++) {
        ThawMesherDef def = sized(cbrt(12 * 2 * M_PI * M_PI * 0.16 / counts[i]));
        def.threads = 1;
        ThawMesherReport report;
        const double start = thaw_cpu_ms();
        ThawMesh *mesh = mesh_of(solid, def, &report);
        const double ms = thaw_cpu_ms() - start;
        rate[i] = report.elements / ms;
        print_message("%d tetrahedra in %.0f ms of one core: %.0f thousand a second\n", report.elements, ms, rate[i]);
        if (i == 2)
            assert_true(report.elements > 900000);
        thaw_mesh_free(&mesh);
    }
    assert_true(rate[2] > rate[0] / 10); // caches and neighbours, and no more: quadratic would be a fiftieth
    thaw_solid_free(&solid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(angles_are_bounded_on_a_thousand_random_shapes),
        cmocka_unit_test(time_is_linear_up_to_a_million_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
