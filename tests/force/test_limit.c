// SPDX-License-Identifier: Apache-2.0
// Strain limits: forces are the slope of the energy and stiffness that of forces, between the limits, at them, beyond,
// for equal stretches and for triangles without area; nothing acts half way, nothing in rigid motion; projected
// stiffness is positive; tension at the limit is what the formula says.
#include "force/force.h"
#include "model/model.h"
#include "step/sample.h"

enum { NODES = 3, N = 3 * NODES };

typedef struct Limited {
    ThawShape shape;
    ThawMaterial material;
    ThawElementBlock blocks[2];
    int32_t elements[NODES], none[1];
    double X[N], weight[1], gradient[4], partial[4];
    ThawIntegrationSet *set;
} Limited;

static void create(Limited *p, double lower, double upper) {
    static const double X[N] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    *p =
        (Limited){.shape = {.dim = 3, .nv = NODES, .ne = 1, .block_count = 2, .thickness = 0.5}, .elements = {0, 1, 2}};
    p->material = (ThawMaterial){
        .ops = thaw_material_ops(THAW_MATERIAL_STVK), .alpha1 = 0.1, .young = 2, .strain_limits = {lower, upper}};
    memcpy(p->X, X, sizeof X);
    p->blocks[0] = (ThawElementBlock){.kind = thaw_element_membrane(THAW_MEMBRANE_PLANE_STRESS),
                                      .count = 1,
                                      .elements = p->elements,
                                      .material = p->none,
                                      .weight = p->weight,
                                      .gradient = p->gradient,
                                      .damping = -1};
    p->blocks[0].kind->rest(X, p->weight, p->gradient);
    p->blocks[1] = p->blocks[0];
    p->blocks[1].kind = thaw_element_limit();
    p->blocks[1].first = 1;
    p->shape.blocks = p->blocks;
    p->shape.cells = p->blocks;
    p->shape.materials = &p->material;
    assert_int_equal(thaw_integration_create(&p->shape, (int32_t[]){1}, 1, &p->set, NULL), THAW_OK);
}

// A triangle with these stretches along axes turned by `angle`, somewhere in space.
static void place(const Limited *p, double s1, double s2, double angle, double x[N]) {
    const double c = cos(angle), s = sin(angle), axis[3] = {0.6, 0, 0.8}, side[3] = {0.48, 0.8, -0.36};
    for (int v = 0; v < NODES; v++) {
        const double *X = p->X + 3 * v, a = s1 * (c * X[0] + s * X[1]), b = s2 * (c * X[1] - s * X[0]);
        for (int i = 0; i < 3; i++)
            x[3 * v + i] = a * axis[i] + b * side[i] + 0.3 * i;
    }
}

static double energy_at(const Limited *p, const double *x) {
    double partial[4];
    return thaw_force_energy(p->set, NULL, x, partial);
}

static void product(const Limited *p, const double *x, const double *u, ThawStiffness scale, double y[N],
                    double forms[2]) {
    double partial[4];
    thaw_force_product(p->set, NULL, x, u, scale, NODES, y, forms, partial);
}

static void check(const Limited *p, const double *x, double tolerance) {
    const double step = 1e-7;
    double f[N], ahead[N], behind[N], y[N], forms[2], size = 0, stiff = 0;
    assert_int_equal(thaw_force_internal(p->set, NULL, x, NODES, f, (double *)p->partial), THAW_OK);
    for (int i = 0; i < N; i++) {
        size = fmax(size, fabs(f[i]));
        assert_true(isfinite(f[i]));
    }
    assert_true(size > 1e-3);
    for (int i = 0; i < N; i++) {
        double moved[N], u[N] = {0}, slope = 0;
        u[i] = 1;
        for (int way = -1; way <= 1; way += 2) {
            memcpy(moved, x, sizeof moved);
            moved[i] += way * step;
            slope += way * energy_at(p, moved) / (2 * step);
            thaw_force_internal(p->set, NULL, moved, NODES, way > 0 ? ahead : behind, (double *)p->partial);
        }
        assert_true(fabs(slope + f[i]) < tolerance * fmax(size, 1));
        product(p, x, u, (ThawStiffness){1, 0, 0}, y, forms);
        for (int k = 0; k < N; k++)
            stiff = fmax(stiff, fabs(y[k]));
        for (int k = 0; k < N; k++)
            assert_true(fabs((behind[k] - ahead[k]) / (2 * step) - y[k]) < tolerance * stiff);
    }
}

static void slopes_are_right_before_at_and_beyond_the_limits(void **state) {
    (void)state;
    static const double stretch[] = {0.6, 0.85, 0.93, 1, 1.08, 1.1, 1.25};
    enum { COUNT = sizeof stretch / sizeof *stretch };
    Limited p;
    create(&p, 0.9, 1.1);
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < COUNT; j++) {
            double x[N];
            if (i == 3 && j == 3)
                continue;
            place(&p, stretch[i], stretch[j], 0.4 * (i + 1), x);
            check(&p, x, 1e-5);
        }
    thaw_integration_free(&p.set);
}

static void triangles_without_area_have_finite_forces_and_slopes(void **state) {
    (void)state;
    Limited p;
    create(&p, 0.9, 1.1);
    for (int i = 0; i < 4; i++) {
        static const double thin[] = {1e-3, 1e-9, 0, 0};
        double x[N], f[N], y[N], forms[2], u[N] = {0, 0, 0, 0.3, 0.2, 0.1, -0.2, 0.5, 0.4};
        place(&p, i == 3 ? 0 : 1.2, thin[i], 0.7, x);
        if (i == 0)
            check(&p, x, 1e-4);
        assert_int_equal(thaw_force_internal(p.set, NULL, x, NODES, f, p.partial), THAW_OK);
        product(&p, x, u, (ThawStiffness){1, 1, 1}, y, forms);
        for (int k = 0; k < N; k++)
            assert_true(isfinite(f[k]) && isfinite(y[k]));
        assert_true(isfinite(energy_at(&p, x)) && forms[0] >= 0 && forms[1] >= 0);
    }
    thaw_integration_free(&p.set);
}

static void nothing_acts_half_way_and_each_limit_may_be_missing(void **state) {
    (void)state;
    static const double limits[][2] = {{0.9, 1.1}, {0, 1.1}, {0.9, 0}};
    for (int k = 0; k < 3; k++) {
        double x[N];
        Limited p;
        create(&p, limits[k][0], limits[k][1]);
        place(&p, 0.951, 1.049, 0.3, x);
        assert_true(energy_at(&p, x) == 0);
        place(&p, 1.07, 1, 0.3, x);
        assert_true((energy_at(&p, x) > 0) == (limits[k][1] > 0));
        place(&p, 0.93, 1, 0.3, x);
        assert_true((energy_at(&p, x) > 0) == (limits[k][0] > 0));
        thaw_integration_free(&p.set);
    }
}

static void damping_is_none_in_rigid_motion_and_positive_otherwise(void **state) {
    (void)state;
    uint64_t seed = 4;
    double x[N], y[N], forms[2], u[N];
    Limited p;
    create(&p, 0.9, 1.1);
    place(&p, 1.09, 0.91, 0.3, x);
    for (int v = 0; v < NODES; v++) { // omega x r + v
        const double *r = x + 3 * v, w[3] = {0.3, -0.5, 0.7};
        for (int i = 0; i < 3; i++)
            u[3 * v + i] = w[(i + 1) % 3] * r[(i + 2) % 3] - w[(i + 2) % 3] * r[(i + 1) % 3] + 0.1 * i;
    }
    product(&p, x, u, (ThawStiffness){0, 1, 0}, y, forms);
    for (int k = 0; k < N; k++)
        assert_true(fabs(y[k]) < 1e-12);
    assert_true(fabs(forms[1]) < 1e-12);
    for (int run = 0; run < 50; run++) {
        for (int k = 0; k < N; k++)
            u[k] = sample_random(&seed) - 0.5;
        product(&p, x, u, (ThawStiffness){1, 0, 1}, y, forms);
        assert_true(forms[0] >= 0 && forms[1] >= 0);
    }
    thaw_integration_free(&p.set);
}

// f'(s) = E w b'(u) over an edge of the square's half: pulled along the first axis, side (0, 1) has P11 t / 2 in all.
static void tension_is_that_of_the_formula(void **state) {
    (void)state;
    double x[N], f[N];
    Limited p;
    create(&p, 0, 1.2);
    place(&p, 1.15, 1, 0, x);
    thaw_force_internal(p.set, NULL, x, NODES, f, p.partial);
    const double force = sqrt(f[3] * f[3] + f[4] * f[4] + f[5] * f[5]), slope = 2 * 0.1 * (1 / 0.25 - 1 - 1);
    assert_true(fabs(force - slope * p.weight[0]) < 1e-12);
    thaw_integration_free(&p.set);
}

// Six triangles about a vertex that is anywhere within: stretched alike, they leave it without force.
static void a_patch_that_is_stretched_evenly_is_in_balance(void **state) {
    (void)state;
    enum { POINTS = 7, TRIANGLES = 6 };
    double X[3 * POINTS] = {0.21, -0.13, 0}, x[3 * POINTS], weight[TRIANGLES], gradient[4 * TRIANGLES], f[3 * POINTS];
    double partial[8];
    int32_t elements[3 * TRIANGLES], none[TRIANGLES] = {0};
    ThawMaterial material = {.ops = thaw_material_ops(THAW_MATERIAL_STVK), .young = 2, .strain_limits = {0.9, 1.1}};
    ThawElementBlock block = {.kind = thaw_element_limit(),
                              .count = TRIANGLES,
                              .elements = elements,
                              .material = none,
                              .weight = weight,
                              .gradient = gradient,
                              .damping = -1};
    ThawShape shape = {.dim = 3,
                       .nv = POINTS,
                       .ne = TRIANGLES,
                       .block_count = 1,
                       .blocks = &block,
                       .cells = &block,
                       .materials = &material,
                       .thickness = 1};
    ThawIntegrationSet *set = NULL;
    for (int v = 1; v < POINTS; v++)
        X[3 * v] = cos(v * M_PI / 3), X[3 * v + 1] = sin(v * M_PI / 3);
    for (int e = 0; e < TRIANGLES; e++) {
        const int32_t a = 1 + e, b = 1 + (e + 1) % 6, corner[3] = {0, a < b ? a : b, a < b ? b : a};
        double at[9];
        memcpy(elements + 3 * e, corner, sizeof corner);
        for (int k = 0; k < 3; k++)
            memcpy(at + 3 * k, X + 3 * corner[k], 3 * sizeof *at);
        thaw_element_membrane(THAW_MEMBRANE_PLANE_STRESS)->rest(at, &weight[e], gradient + 4 * e);
    }
    for (int v = 0; v < POINTS; v++) {
        x[3 * v] = 1.09 * X[3 * v] + 0.02 * X[3 * v + 1];
        x[3 * v + 1] = 0.93 * X[3 * v + 1];
        x[3 * v + 2] = 0.3 * x[3 * v];
    }
    assert_int_equal(thaw_integration_create(&shape, NULL, 0, &set, NULL), THAW_OK);
    assert_int_equal(thaw_force_internal(set, NULL, x, POINTS, f, partial), THAW_OK);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(f[k]) < 1e-12 * fabs(f[3]));
    assert_true(fabs(f[3]) > 0.01);
    thaw_integration_free(&set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_right_before_at_and_beyond_the_limits),
        cmocka_unit_test(triangles_without_area_have_finite_forces_and_slopes),
        cmocka_unit_test(nothing_acts_half_way_and_each_limit_may_be_missing),
        cmocka_unit_test(damping_is_none_in_rigid_motion_and_positive_otherwise),
        cmocka_unit_test(tension_is_that_of_the_formula),
        cmocka_unit_test(a_patch_that_is_stretched_evenly_is_in_balance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
