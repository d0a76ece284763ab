// SPDX-License-Identifier: Apache-2.0
// Kernels of sheets: forces are the slope of the energy and products that of forces, for every material, plane stress
// and fixed thickness, bending flat, folded and nearly degenerate; rigid motion costs nothing; plane stress is soft.
#include "force/force.h"
#include "model/model.h"
#include "step/sample.h"

enum { NODES = 12, N = 3 * NODES, TRIANGLES = 4, REST = 45 };
enum { FLAT, NEAR, WIDE, SHARED }; // which bending: two roles of the last are one vertex's

// A triangle, its three neighbours, and for wide bending theirs; vertices in another order than roles.
typedef struct Patch {
    ThawShape shape;
    ThawMaterial material;
    ThawElementBlock blocks[2];
    int32_t elements[3 * TRIANGLES], none[TRIANGLES], nodes[NODES];
    int64_t role;
    double X[N], weight[TRIANGLES], gradient[4 * TRIANGLES], one, rest[REST], partial[16];
} Patch;

static void patch_create(Patch *p, ThawMaterialModel model, ThawMembrane membrane, int bends) {
    static const int32_t triangles[] = {0, 2, 5, 2, 4, 5, 0, 3, 5, 0, 1, 2};
    static const double X[] = {0,   0, 0, .4, -.9, 0, 1,   .1,  0, -.7, .8,  0, 1.2, .9,  0, .2,  .9,  0,
                               1.6, 0, 0, .7, 1.6, 0, -.6, 1.5, 0, -.9, -.1, 0, -.4, -.8, 0, 1.3, -.6, 0};
    ThawMaterialDef def = thaw_material_def_default();
    def.model = model;
    def.young = 1;
    *p = (Patch){.shape = {.dim = 3, .nv = NODES, .block_count = 1 + (bends != FLAT)}, .one = 1};
    p->material = (ThawMaterial){.model = model,
                                 .ops = thaw_material_ops(model),
                                 .alpha1 = 0.1,
                                 .young = 1,
                                 .poisson = 0.3,
                                 .weave = {.weft_young = 2, .shear = 0.2},
                                 .edge_stiffness = 0.7,
                                 .area_stiffness = 0.4};
    p->shape.thickness = 0.5;
    p->material.ops->constants(&def, p->material.c);
    memcpy(p->elements, triangles, sizeof triangles);
    memcpy(p->X, X, sizeof X);
    p->blocks[0] = (ThawElementBlock){.kind = thaw_element_membrane(membrane),
                                      .count = TRIANGLES,
                                      .elements = p->elements,
                                      .material = p->none,
                                      .weight = p->weight,
                                      .gradient = p->gradient};
    for (int e = 0; e < TRIANGLES; e++) {
        double corners[9];
        for (int a = 0; a < 3; a++)
            memcpy(corners + 3 * a, X + 3 * triangles[3 * e + a], 3 * sizeof *X);
        p->blocks[0].kind->rest(corners, &p->weight[e], p->gradient + 4 * e);
    }
    // Corners 0 2 5; beyond the edges opposite to them 4, 3, 1, and so on. Rest angles are not 0.
    static const int roles[NODES] = {0, 2, 5, 4, 3, 1, 6, 7, 8, 9, 10, 11};
    const int wide = bends >= WIDE, hinges = wide ? 9 : 3;
    uint64_t seed = 21;
    for (int r = 0; r < (wide ? NODES : 6); r++) {
        p->nodes[r] = bends == SHARED && r == 11 ? 10 : r;
        p->role |= (int64_t)(bends == SHARED && roles[r] == 11 ? 10 : roles[r]) << (4 * r);
    }
    for (int i = 0; i < 4 * hinges; i++)
        p->rest[i] = (i < 3 * hinges ? 1 : 0.3) * sample_random(&seed);
    for (int i = 4 * hinges; i < 5 * hinges; i++) // some have turned around
        p->rest[i] = i % 3 == 2 ? 2 * M_PI : 0;
    p->blocks[1] = (ThawElementBlock){.kind = thaw_element_bending(wide),
                                      .count = 1,
                                      .first = TRIANGLES,
                                      .elements = p->nodes,
                                      .material = p->none,
                                      .weight = &p->one,
                                      .gradient = p->rest,
                                      .role = &p->role,
                                      .damping = 0.2};
    p->shape.blocks = p->blocks;
    p->shape.cells = p->blocks;
    p->shape.ne = TRIANGLES + (bends != FLAT);
    p->shape.materials = &p->material;
    assert_int_equal(thaw_integration_create(&p->shape, NULL, 0, &p->shape.all, NULL), THAW_OK);
}

// Forces against energies, products against forces, in every coordinate.
static void check_slopes(Patch *p, const double *x, double tolerance) {
    const double step = 1e-6;
    double f[N], ahead[N], behind[N], y[N], forms[2], size = 0, stiff = 0;
    const ThawIntegrationSet *set = p->shape.all;
    assert_int_equal(thaw_force_internal(set, NULL, x, NODES, f, p->partial), THAW_OK);
    for (int i = 0; i < N; i++)
        size = fmax(size, fabs(f[i]));
    assert_true(size > 1e-3);
    for (int i = 0; i < N; i++) {
        double moved[N], u[N] = {0}, slope = 0;
        u[i] = 1;
        for (int side = -1; side <= 1; side += 2) {
            memcpy(moved, x, sizeof moved);
            moved[i] += side * step;
            slope += side * thaw_force_energy(set, NULL, moved, p->partial) / (2 * step);
            thaw_force_internal(set, NULL, moved, NODES, side > 0 ? ahead : behind, p->partial);
        }
        assert_true(fabs(slope + f[i]) < tolerance * size);
        thaw_force_product(set, NULL, x, u, (ThawStiffness){1, 0, 0}, NODES, y, forms, p->partial);
        for (int k = 0; k < N; k++)
            stiff = fmax(stiff, fabs(y[k]));
        for (int k = 0; k < N; k++)
            assert_true(fabs((behind[k] - ahead[k]) / (2 * step) - y[k]) < tolerance * stiff);
    }
}

static void slopes_are_right_for_every_material(void **state) {
    (void)state;
    for (int model = 0; model < THAW_MATERIAL_MODEL_COUNT; model++)
        for (int membrane = 0; membrane <= THAW_MEMBRANE_LENGTHS; membrane++) {
            uint64_t seed = 5;
            double x[N];
            Patch p;
            patch_create(&p, (ThawMaterialModel)model, (ThawMembrane)membrane, FLAT);
            for (int i = 0; i < N; i++)
                x[i] = 1.1 * p.X[i] + 0.1 * sample_random(&seed);
            check_slopes(&p, x, 1e-6);
            thaw_integration_free(&p.shape.all);
        }
}

static void slopes_of_bending_are_right_flat_folded_and_thin(void **state) {
    (void)state;
    for (int run = 0; run < 9; run++) {
        const int how = run % 3;
        uint64_t seed = 9;
        double x[N];
        Patch p;
        patch_create(&p, THAW_MATERIAL_STVK, 0, NEAR + run / 3);
        for (int i = 0; i < N; i++)
            x[i] = p.X[i] + (how == 0 ? 0 : 0.2) * sample_random(&seed);
        if (how == 1) // far over
            x[3 * 3] = 0.5, x[3 * 3 + 1] = 0.3, x[3 * 3 + 2] = 0.1;
        if (how == 2) // a far corner close to its edge
            for (int i = 0; i < 3; i++)
                x[3 + i] = 0.5 * (x[i] + x[6 + i]) - (i == 1 ? 0.02 : 0);
        check_slopes(&p, x, how == 2 ? 1e-4 : 1e-6);
        thaw_integration_free(&p.shape.all);
    }
}

// Whatever the strain, projected stiffness takes energy in every direction; in none where only rigid motion is left.
static void projected_stiffness_is_positive(void **state) {
    (void)state;
    for (int run = 0; run < 40; run++) {
        uint64_t seed = 31 + (uint64_t)run;
        double x[N], u[N], y[N], forms[2];
        Patch p;
        patch_create(&p, THAW_MATERIAL_STABLE_NEO_HOOKEAN, (ThawMembrane)(run % 4), run % 2 ? WIDE : FLAT);
        for (int i = 0; i < N; i++)
            x[i] = (0.5 + 0.05 * run) * p.X[i] + 0.2 * sample_random(&seed);
        for (int tries = 0; tries < 20; tries++) {
            for (int i = 0; i < N; i++)
                u[i] = sample_random(&seed);
            thaw_force_product(p.shape.all, NULL, x, u, (ThawStiffness){1, 0, 1}, NODES, y, forms, p.partial);
            assert_true(forms[0] > -1e-12);
        }
        thaw_integration_free(&p.shape.all);
    }
}

// Woven: stretched along warp or weft with free sides, E/2 eps^2 of either; sheared, G/2 of the angle's square.
static void warp_and_weft_have_their_moduli(void **state) {
    (void)state;
    const double eps = 1e-5, nu = 0.3, E[] = {1, 2}, G = 0.2;
    for (int how = 0; how < 3; how++) {
        double x[N], volume = 0;
        Patch p;
        patch_create(&p, THAW_MATERIAL_STVK, THAW_MEMBRANE_WOVEN, FLAT);
        for (int e = 0; e < TRIANGLES; e++) { // the warp along x
            const double *a = p.X + 3 * p.elements[3 * e], *b = p.X + 3 * p.elements[3 * e + 1],
                         *c = p.X + 3 * p.elements[3 * e + 2];
            const double det = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
            memcpy(p.gradient + 4 * e,
                   (double[]){(c[1] - a[1]) / det, -(c[0] - a[0]) / det, -(b[1] - a[1]) / det, (b[0] - a[0]) / det},
                   4 * sizeof(double));
            volume += p.weight[e];
        }
        thaw_integration_free(&p.shape.all);
        assert_int_equal(thaw_integration_create(&p.shape, NULL, 0, &p.shape.all, NULL), THAW_OK);
        for (int v = 0; v < NODES; v++) {
            const double *X = p.X + 3 * v;
            x[3 * v] = X[0] * (how == 0   ? 1 + eps
                               : how == 1 ? 1 - nu * E[1] / E[0] * eps
                                          : 1) +
                       (how == 2) * eps * X[1];
            x[3 * v + 1] = X[1] * (how == 1 ? 1 + eps : how == 0 ? 1 - nu * eps : 1);
            x[3 * v + 2] = 0;
        }
        const double theory = 0.5 * eps * eps * volume * (how == 2 ? G : E[how]);
        const double ratio = thaw_force_energy(p.shape.all, NULL, x, p.partial) / theory;
        if (!(fabs(ratio - 1) < 1e-3))
            fail_msg("way %d: energy over theory is %g", how, ratio);
        thaw_integration_free(&p.shape.all);
    }
}

static void rigid_motion_costs_nothing(void **state) {
    (void)state;
    Patch p;
    patch_create(&p, THAW_MATERIAL_STABLE_NEO_HOOKEAN, 0, WIDE);
    for (int i = 27; i < REST; i++)
        p.rest[i] = 0;
    thaw_integration_free(&p.shape.all);
    assert_int_equal(thaw_integration_create(&p.shape, NULL, 0, &p.shape.all, NULL), THAW_OK);
    double x[N], f[N];
    for (int v = 0; v < NODES; v++) { // a turn about an oblique axis
        const double *X = p.X + 3 * v;
        x[3 * v] = 3 + 0.6 * X[0] - 0.8 * X[1];
        x[3 * v + 1] = 0.8 * (0.8 * X[0] + 0.6 * X[1]);
        x[3 * v + 2] = 0.6 * (0.8 * X[0] + 0.6 * X[1]);
    }
    assert_true(fabs(thaw_force_energy(p.shape.all, NULL, x, p.partial)) < 1e-14);
    thaw_force_internal(p.shape.all, NULL, x, NODES, f, p.partial);
    for (int i = 0; i < N; i++)
        assert_true(fabs(f[i]) < 1e-13);
    thaw_integration_free(&p.shape.all);
}

// Pulled along x with free sides a sheet has the energy E/2 eps^2 of its volume; held sides: over 1 - nu^2.
static void small_strains_obey_plane_stress(void **state) {
    (void)state;
    for (int model = 0; model < THAW_MATERIAL_MODEL_COUNT; model++)
        for (int held = 0; held < 2; held++) {
            const double eps = 1e-5, nu = 0.4;
            double x[N], volume = 0;
            Patch p;
            patch_create(&p, (ThawMaterialModel)model, 0, FLAT);
            for (int i = 0; i < N; i++)
                x[i] = p.X[i] * (i % 3 == 0 ? 1 + eps : i % 3 == 1 && !held ? 1 - nu * eps : 1);
            for (int e = 0; e < TRIANGLES; e++)
                volume += p.weight[e];
            const double theory = 0.5 * eps * eps * volume / (held ? 1 - nu * nu : 1);
            assert_true(fabs(thaw_force_energy(p.shape.all, NULL, x, p.partial) / theory - 1) < 1e-3);
            thaw_integration_free(&p.shape.all);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_right_for_every_material),
        cmocka_unit_test(slopes_of_bending_are_right_flat_folded_and_thin),
        cmocka_unit_test(projected_stiffness_is_positive),
        cmocka_unit_test(warp_and_weft_have_their_moduli),
        cmocka_unit_test(rigid_motion_costs_nothing),
        cmocka_unit_test(small_strains_obey_plane_stress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
