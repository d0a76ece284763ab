// SPDX-License-Identifier: Apache-2.0
// Strips, plates and shells at rest against theory on irregular meshes, each on one that is just fine enough; as meshes
// are refined: test_slow_sheets.c, app/test_slow_shells.c. Patch tests of membrane and bending.
#include "physics/plates.h"

static void strips_hang_as_the_heavy_elastica(void **state) {
    (void)state;
    double gamma[ELASTICA_ROWS], ratio[ELASTICA_ROWS];
    for (int i = 0; i < ELASTICA_ROWS; i++)
        gamma[i] = ELASTICA[i].gamma;
    for (int family = SHEET_IN_TURNS; family <= SHEET_AT_RANDOM; family++) {
        plate_elastica((PlateMesh){48, 6, (SheetFamily)family}, 1.0 / 6, 1e-3, 0, 0, ELASTICA_ROWS, gamma, ratio);
        for (int i = 0; i < ELASTICA_ROWS; i++)
            if (!(fabs(ratio[i] / ELASTICA[i].ratio - 1) < 0.01))
                fail_msg("%s, Gamma %g: drop over reach is %g, not %g", plate_family((SheetFamily)family), gamma[i],
                         ratio[i], ELASTICA[i].ratio);
    }
}

static void a_square_plate_gives_as_much_as_theory(void **state) {
    (void)state;
    for (int family = SHEET_IN_TURNS; family <= SHEET_AT_RANDOM; family++) {
        const double even = plate_square(24, (SheetFamily)family, 0), force = plate_square(24, (SheetFamily)family, 1);
        if (!(fabs(even - 1) < 0.005 && fabs(force - 1) < 0.025))
            fail_msg("%s: gives %g of theory under an even load, %g under a force", plate_family((SheetFamily)family),
                     even, force);
    }
}

static void a_plate_bends_far_under_end_shear(void **state) {
    (void)state;
    static const double theory[][2] = {{1.604, 4.933}, {3.286, 6.698}};
    for (int i = 0; i < 2; i++) {
        double moved[2];
        plate_end_shear((PlateMesh){20, 2, SHEET_AT_RANDOM}, 2 * (i + 1), moved);
        for (int k = 0; k < 2; k++)
            if (!(fabs(moved[k] / theory[i][k] - 1) < 0.01))
                fail_msg("P %d EI/L^2: the end has moved %g %s, not %g", 2 * (i + 1), moved[k], k ? "up" : "back",
                         theory[i][k]);
    }
}

// At a fortieth of its length in width, a strip holds two percent more than the narrowest.
static void a_strip_on_edge_buckles_where_a_ribbon_does(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        const double nu = i ? 0.35 : 0.3, limit = i ? 13.73 : 14.51;
        const double weight = plate_buckles_by_weight((PlateMesh){160, 4, SHEET_IN_TURNS}, 0.025, nu) / limit;
        const double load = plate_buckles_by_load((PlateMesh){160, 4, SHEET_IN_TURNS}, 0.025, nu) / 4.0126;
        if (!(fabs(weight - 1) < 0.03 && fabs(load - 1) < 0.03))
            fail_msg("nu %g: buckles at %g of theory by its weight, %g by a load at its end", nu, weight, load);
    }
}

static void shells_bend_as_theirs(void **state) {
    (void)state;
    const struct {
        const char *name;
        PlateShell *shell;
        double within;
    } course[] = {
        {"roof", plate_roof, 0.06}, {"cylinder", plate_cylinder, 0.15}, {"hemisphere", plate_hemisphere, 0.02}};
    for (size_t k = 0; k < COUNT(course); k++) {
        const double ratio = course[k].shell(16, SHEET_IN_TURNS);
        if (!(fabs(ratio - 1) < course[k].within))
            fail_msg("%s: moves %g of theory", course[k].name, ratio);
    }
    // What bends without stretching does not lock, unless it is far thinner than fabrics are.
    const double ring = plate_ring(16, SHEET_AT_RANDOM, 1e-2);
    if (!(fabs(ring - 1) < 0.01))
        fail_msg("ring: moves %g of theory", ring);
}

// --- patch tests -----------------------------------------------------------------------------------------------------

typedef struct Field {
    double F[3][2], kappa[3]; // x = F X + n (kappa_0 X^2 + kappa_1 Y^2 + 2 kappa_2 X Y)/2
} Field;

static void place_oblique(const void *context, double u, double v, double x[3]) {
    (void)context;
    x[0] = 0.8 * 1.2 * u, x[1] = 0.9 * v, x[2] = 0.6 * 1.2 * u;
}

// The rim, or two rows of vertices along it, stand where the field has them: so do all others.
static void check_patch(SheetFamily family, ThawMaterialModel model, const Field *field, int rows, double allowed) {
    Sheet s;
    Statics t;
    sheet_create(&s, 12, 9, family, 0.25, place_oblique, NULL);
    s.material.model = model;
    s.material.poisson = 0.3;
    s.shape.thickness = 0.02;
    statics_create(&t, &s);
    double *exact = THAW_NEW(double, 3 * s.mesh.vertex_count), most = 0;
    for (int j = 0; j <= s.ny; j++)
        for (int i = 0; i <= s.nx; i++) {
            const int v = sheet_vertex(&s, i, j);
            const double *X = s.x + 3 * v, a = X[0] / 0.8, b = X[1], *k = field->kappa;
            const double w = (k[0] * a * a + k[1] * b * b + 2 * k[2] * a * b) / 2;
            const double in[3] = {field->F[0][0] * a + field->F[0][1] * b, field->F[1][0] * a + field->F[1][1] * b,
                                  field->F[2][0] * a + field->F[2][1] * b + w};
            double *x = exact + 3 * v; // out of the frame (along u, along v, normal)
            x[0] = 0.8 * in[0] - 0.6 * in[2], x[1] = in[1], x[2] = 0.6 * in[0] + 0.8 * in[2];
            if (i < rows || j < rows || i > s.nx - rows || j > s.ny - rows)
                for (int axis = 0; axis < 3; axis++) {
                    statics_hold(&t, v, axis);
                    t.x[3 * t.place[v] + axis] = x[axis];
                }
        }
    statics_solve(&t, 0);
    for (int i = 0; i < 3 * s.mesh.vertex_count; i++)
        most = fmax(most, fabs(t.x[3 * t.place[i / 3] + i % 3] - exact[i]));
    if (!(most < allowed))
        fail_msg("%s, %s: off by %g m", plate_family(family), thaw_material_model_name(model), most);
    thaw_free(exact);
    statics_free(&t);
    sheet_free(&s);
}

static void an_affine_rim_takes_the_inside_with_it(void **state) {
    (void)state;
    const Field field = {.F = {{1.12, 0.07}, {-0.04, 1.09}, {0.2, -0.1}}};
    for (int family = SHEET_EVEN; family <= SHEET_AT_RANDOM; family++)
        for (int model = 0; model < THAW_MATERIAL_MODEL_COUNT; model++)
            check_patch((SheetFamily)family, (ThawMaterialModel)model, &field, 1, 1e-9);
}

// So small that the sheet stays what it is in its plane.
static void a_bent_rim_bends_the_inside(void **state) {
    (void)state;
    static const double kappa[][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {.3, -.8, .5}};
    for (int family = SHEET_EVEN; family <= SHEET_AT_RANDOM; family++)
        for (size_t k = 0; k < COUNT(kappa); k++) {
            Field field = {.F = {{1, 0}, {0, 1}, {0, 0}}};
            for (int i = 0; i < 3; i++)
                field.kappa[i] = 1e-6 * kappa[k][i];
            check_patch((SheetFamily)family, THAW_MATERIAL_STVK, &field, 3, 1e-11);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strips_hang_as_the_heavy_elastica),
        cmocka_unit_test(a_square_plate_gives_as_much_as_theory),
        cmocka_unit_test(a_plate_bends_far_under_end_shear),
        cmocka_unit_test(a_strip_on_edge_buckles_where_a_ribbon_does),
        cmocka_unit_test(shells_bend_as_theirs),
        cmocka_unit_test(an_affine_rim_takes_the_inside_with_it),
        cmocka_unit_test(a_bent_rim_bends_the_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
