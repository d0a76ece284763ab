// SPDX-License-Identifier: Apache-2.0
// Every energy of a sheet beside its derivatives: all membranes with plates and with hinges, from curved rest shapes,
// flat, wrinkled, folded over, and with triangles that are nearly lines.
#include "physics/sheets.h"

enum { CELLS = 3, N = 3 * (CELLS + 1) * (CELLS + 1) };
typedef enum How { FLAT, WRINKLED, FOLDED, THIN, HOWS } How;
static const char *const HOW[HOWS] = {"flat", "wrinkled", "folded", "thin"};

// A piece of a saddle.
static void place_saddle(const void *context, double u, double v, double x[3]) {
    (void)context;
    x[0] = u, x[1] = v, x[2] = 0.3 * u * v - 0.2 * u * u;
}

static void put(const ThawShape *shape, How how, double *x) {
    uint64_t seed = 13;
    for (int i = 0; i < N; i += 3) {
        const double *X = shape->X + i;
        for (int k = 0; k < 3; k++)
            x[i + k] = X[k] + (how == WRINKLED ? 0.06 : 0.01) * sample_random(&seed);
        if (how == FLAT)
            x[i + 2] = 0;
        if (how == FOLDED && X[0] > 0.5) { // what is beyond the middle lies above the rest, short of touching it
            const double beyond = x[i] - 0.5, angle = 2.9;
            x[i] = 0.5 + cos(angle) * beyond;
            x[i + 2] += sin(angle) * beyond;
        }
    }
    if (how == THIN) { // a corner next to the middle of the edge opposite to it
        const int32_t *v = shape->cells->elements + 3 * (shape->ne / 2);
        for (int k = 0; k < 3; k++)
            x[3 * v[0] + k] = (x[3 * v[1] + k] + x[3 * v[2] + k]) / 2 + (k == 2 ? 2e-3 : 1e-3);
    }
}

static void check_slopes(const ThawShape *shape, const double *x, double step, double allowed, const char *what) {
    double moved[N], f[N], ahead[N], behind[N], y[N], forms[2], partial[64], size = 0;
    thaw_force_internal(shape->all, NULL, x, shape->nv, f, partial);
    for (int i = 0; i < N; i++)
        size = fmax(size, fabs(f[i]));
    assert_true(isfinite(size) && size > 0);
    for (int i = 0; i < N; i++) {
        double slope = 0, stiff = 0, off = 0, u[N] = {0};
        u[i] = 1;
        for (int side = -1; side <= 1; side += 2) {
            memcpy(moved, x, sizeof moved);
            moved[i] += side * step;
            slope += side * thaw_force_energy(shape->all, NULL, moved, partial) / (2 * step);
            thaw_force_internal(shape->all, NULL, moved, shape->nv, side > 0 ? ahead : behind, partial);
        }
        if (!(fabs(slope + f[i]) < allowed * size))
            fail_msg("%s: force %g, slope %g at %d", what, f[i], -slope, i);
        thaw_force_product(shape->all, NULL, x, u, (ThawStiffness){1, 0, 0}, shape->nv, y, forms, partial);
        for (int k = 0; k < N; k++) {
            stiff = fmax(stiff, fabs(y[k]));
            off = fmax(off, fabs((behind[k] - ahead[k]) / (2 * step) - y[k]));
        }
        if (!(off < allowed * stiff))
            fail_msg("%s: stiffness is off by %g of %g at %d", what, off, stiff, i);
    }
}

static void forces_and_stiffness_are_slopes(void **state) {
    (void)state;
    for (int run = 0; run < 2 * (THAW_MEMBRANE_LENGTHS + 1); run++) {
        Sheet s;
        Statics t;
        char what[80];
        double x[N];
        sheet_create(&s, CELLS, CELLS, SHEET_AT_RANDOM, 0.2, place_saddle, NULL);
        s.shape.membrane = (ThawMembrane)(run / 2);
        s.shape.bending = run % 2 ? THAW_BENDING_HINGE : THAW_BENDING_PLATE;
        s.shape.thickness = 0.1; // so that bending weighs as much as the membrane
        s.material.young = 1000;
        s.material.poisson = 0.3;
        s.material.model = THAW_MATERIAL_STABLE_NEO_HOOKEAN;
        s.material.edge_stiffness = 30;
        s.material.area_stiffness = 20;
        if (s.shape.membrane == THAW_MEMBRANE_WOVEN)
            s.material.weave = (ThawWeave){.weft_young = 700, .shear = 50, .bending = {0.1, 0.05, 0.02}};
        statics_create(&t, &s);
        for (int how = 0; how < HOWS; how++) {
            put(t.shape, (How)how, x);
            snprintf(what, sizeof what, "membrane %d, %s, %s", (int)s.shape.membrane, run % 2 ? "hinges" : "plate",
                     HOW[how]);
            check_slopes(t.shape, x, how == THIN ? 1e-8 : 1e-6, how == THIN ? 1e-4 : 2e-6, what);
        }
        statics_free(&t);
        sheet_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(forces_and_stiffness_are_slopes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
