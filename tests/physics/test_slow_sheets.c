// SPDX-License-Identifier: Apache-2.0
// Strips and plates against theory as meshes are refined: the heavy elastica, wide and narrow strips at nu .3, a plate
// under end shear, thin strips and rings, strips on edge that buckle. Figures: docs/shells-results.md.
#include "physics/plates.h"

static void strips_hang_as_the_heavy_elastica(void **state) {
    (void)state;
    double gamma[ELASTICA_ROWS], ratio[ELASTICA_ROWS];
    for (int i = 0; i < ELASTICA_ROWS; i++)
        gamma[i] = ELASTICA[i].gamma;
    for (int level = 0; level < 4; level++)
        for (int family = SHEET_EVEN; family <= SHEET_AT_RANDOM; family++) {
            const PlateMesh mesh = {12 << level, 2 << level, (SheetFamily)family};
            plate_elastica(mesh, 1.0 / 6, 1e-3, 0, 0, ELASTICA_ROWS, gamma, ratio);
            for (int i = 0; i < ELASTICA_ROWS; i++) {
                const double off = ratio[i] / ELASTICA[i].ratio - 1;
                print_message("elastica %3d x %2d %-9s Gamma %5g: %.5f, off by %+.3f percent\n", mesh.nx, mesh.ny,
                              plate_family(mesh.family), gamma[i], ratio[i], 100 * off);
                if (level > 1 || (level == 1 && gamma[i] <= 20))
                    assert_true(fabs(off) < 0.01);
            }
        }
}

// Narrow is what bends crosswise as beams do: width^2 times the curvature is small against the thickness.
static void wide_strips_obey_plates_and_narrow_ones_beams(void **state) {
    (void)state;
    const double gamma[] = {1, 5, 20}, nu = 0.3;
    const int row[] = {1, 4, 8};
    for (int wide = 0; wide < 2; wide++)
        for (int level = 0; level < 3 - wide; level++) {
            double ratio[COUNT(gamma)];
            const PlateMesh mesh = {wide ? 12 << level : 50 << level, wide ? 24 << level : 1 << level, SHEET_AT_RANDOM};
            plate_elastica(mesh, wide ? 4 : 0.02, wide ? 1e-3 : 5e-3, nu, wide, COUNT(gamma), gamma, ratio);
            for (int i = 0; i < (int)COUNT(gamma); i++)
                print_message("nu %g, %s, %3d x %2d, Gamma %g: %.5f, off by %+.2f percent\n", nu,
                              wide ? "wide by D" : "narrow by EI", mesh.nx, mesh.ny, gamma[i], ratio[i],
                              100 * (ratio[i] / ELASTICA[row[i]].ratio - 1));
        }
}

// Bending stiffness falls with the cube of the thickness, that of the membrane with its first power: where triangles
// cannot bend without stretching, thin sheets are stiff. On even meshes edges lie along the fold.
static void how_stiff_thin_sheets_are(void **state) {
    (void)state;
    const double gamma = 5;
    for (int level = 0; level < 3; level++)
        for (int family = SHEET_EVEN; family <= SHEET_AT_RANDOM; family++)
            for (double t = 1e-2; t > 5e-5; t /= 10) {
                const PlateMesh mesh = {24 << level, 4 << level, (SheetFamily)family};
                double ratio;
                plate_elastica(mesh, 1.0 / 6, t, 0, 0, 1, &gamma, &ratio);
                print_message("thin strip %2d x %2d %-9s t / L %g: off by %+.3f percent\n", mesh.nx, mesh.ny,
                              plate_family(mesh.family), t, 100 * (ratio / 0.58572 - 1));
                assert_true(level < 2 || fabs(ratio / 0.58572 - 1) < 0.01);
            }
    for (int n = 8; n <= 64; n *= 2)
        for (int family = SHEET_EVEN; family <= SHEET_AT_RANDOM; family++)
            for (double t = 1e-1; t > 5e-5; t /= 10) {
                const double ratio = plate_ring(n, (SheetFamily)family, t);
                print_message("ring %2d %-9s t / R %g: off by %+.2f percent\n", n, plate_family((SheetFamily)family), t,
                              100 * (ratio - 1));
                assert_true(n < 16 || family == SHEET_EVEN || t < 5e-3 || fabs(ratio - 1) < 0.02);
            }
}

static void square_plates_give_as_much_as_theory(void **state) {
    (void)state;
    for (int n = 8; n <= 64; n *= 2)
        for (int family = SHEET_EVEN; family <= SHEET_AT_RANDOM; family++) {
            const double even = plate_square(n, (SheetFamily)family, 0) - 1;
            const double force = plate_square(n, (SheetFamily)family, 1) - 1;
            print_message("square plate %2d %-9s: off by %+.2f percent, under a force %+.2f\n", n,
                          plate_family((SheetFamily)family), 100 * even, 100 * force);
            assert_true(n < 64 || (fabs(even) < 1e-3 && fabs(force) < 5e-3));
        }
}

static void a_plate_bends_far_under_end_shear(void **state) {
    (void)state;
    static const double theory[][2] = {{1.604, 4.933}, {3.286, 6.698}};
    for (int level = 0; level < 4; level++)
        for (int family = SHEET_EVEN; family <= SHEET_AT_RANDOM; family++)
            for (int i = 0; i < 2; i++) {
                const PlateMesh mesh = {20 << level, 2 << level, (SheetFamily)family};
                double moved[2];
                plate_end_shear(mesh, 2 * (i + 1), moved);
                print_message("end shear %3d x %2d %-9s P %d EI/L^2: back %.4f (%+.2f percent), up %.4f (%+.2f)\n",
                              mesh.nx, mesh.ny, plate_family(mesh.family), 2 * (i + 1), moved[0],
                              100 * (moved[0] / theory[i][0] - 1), moved[1], 100 * (moved[1] / theory[i][1] - 1));
                for (int k = 0; k < 2 && level > 0; k++)
                    assert_true(fabs(moved[k] / theory[i][k] - 1) < 0.01);
            }
}

// A clamp keeps the section from warping, for about a third of the width: wider strips hold more.
static void strips_on_edge_buckle(void **state) {
    (void)state;
    for (int narrow = 0; narrow < 3; narrow++)
        for (int level = 0; level < 3; level++)
            for (int family = SHEET_EVEN; family <= SHEET_AT_RANDOM; family++)
                for (int i = 0; i < 2; i++) {
                    const double nu = i ? 0.35 : 0.3, limit = 12.854 * (1 - nu * nu) * sqrt(2 / (1 + nu));
                    const double width = 0.05 / (1 << narrow);
                    const PlateMesh mesh = {(40 << level) << narrow, 2 << level, (SheetFamily)family};
                    const double weight = plate_buckles_by_weight(mesh, width, nu) / limit - 1;
                    const double load = plate_buckles_by_load(mesh, width, nu) / 4.0126 - 1;
                    print_message("on edge 1 / %d, %3d x %2d %-9s nu %g: by weight %+.2f percent, by load %+.2f\n",
                                  20 << narrow, mesh.nx, mesh.ny, plate_family(mesh.family), nu, 100 * weight,
                                  100 * load);
                    if (level == 2 && narrow > 0)
                        assert_true(fabs(weight) < 0.03 && fabs(load) < 0.03);
                }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strips_hang_as_the_heavy_elastica),
        cmocka_unit_test(wide_strips_obey_plates_and_narrow_ones_beams),
        cmocka_unit_test(how_stiff_thin_sheets_are),
        cmocka_unit_test(square_plates_give_as_much_as_theory),
        cmocka_unit_test(a_plate_bends_far_under_end_shear),
        cmocka_unit_test(strips_on_edge_buckle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
