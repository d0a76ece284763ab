// SPDX-License-Identifier: Apache-2.0
// Fibres: forces are the slope of the energy and products that of forces, in the plane and in space, quadratic,
// exponential and slack; projected stiffness is never negative; rigid motion costs nothing and is not damped; they add
// what theory says; a stiffness by element scales all there is.
#include "force/force.h"
#include "map/map.h"
#include "model/model.h"
#include "step/sample.h"

enum { MOST = 3 * 64 };

typedef struct Block {
    ThawMesh *mesh;
    ThawMaterialDef def;
    ThawMaterial material;
    ThawShape shape;
    double *partial;
} Block;

// A skewed box with fibres aslant.
static void block_create(Block *b, int dim, ThawFibre fibre, const double *stiffness) {
    uint64_t seed = 3;
    *b = (Block){.def = thaw_material_def_default()};
    b->mesh = sample_mesh(dim, (double[]){1, 1.2, 0.9}, (int32_t[]){2, 2, 2}, 0.2, &seed);
    b->def.fibre = fibre;
    b->def.young = 1;
    b->def.alpha1 = 0.1;
    b->material = (ThawMaterial){.ops = thaw_material_ops(b->def.model),
                                 .model = b->def.model,
                                 .density = 1,
                                 .young = 1,
                                 .modulus = 1 + 4 * fibre.stiffness,
                                 .poisson = b->def.poisson,
                                 .alpha1 = b->def.alpha1,
                                 .fibre = fibre};
    b->material.ops->constants(&b->def, b->material.c);
    ThawShapeDef def = thaw_shape_def_default();
    def.mesh = b->mesh;
    def.stiffness = stiffness;
    memcpy(def.fibre, (double[]){0.3, 2, 0.5}, sizeof def.fibre);
    ThawError error = {0};
    if (thaw_shape_compile(&def, dim, &b->material, 1, &b->shape, &error) != THAW_OK)
        fail_msg("%s", error.message);
    assert_true(b->shape.nv * dim <= MOST);
    b->partial = THAW_NEW(double, 2 * b->shape.all->chunk_count);
}

static void block_free(Block *b) {
    thaw_free(b->partial);
    thaw_shape_clear(&b->shape);
    thaw_mesh_free(&b->mesh);
}

static void deform(const Block *b, double size, double *x) {
    uint64_t seed = 5;
    for (int i = 0; i < b->shape.nv * b->shape.dim; i++)
        x[i] = 1.1 * b->shape.X[i] + size * sample_random(&seed);
}

static const ThawFibre kinds[] = {{0.7, 0, 0}, {0.7, 2, 0}, {0.7, 0, 1}, {0.3, 3, 1}, {0.5, 1, 0}};

static void slopes_are_right(void **state) {
    (void)state;
    for (size_t run = 0; run < 2 * sizeof kinds / sizeof *kinds; run++) {
        const double step = 1e-6;
        double x[MOST], f[MOST], ahead[MOST], behind[MOST], y[MOST], forms[2], size = 0;
        Block b;
        block_create(&b, run % 2 ? 2 : 3, kinds[run / 2], NULL);
        const int n = b.shape.nv * b.shape.dim;
        const ThawIntegrationSet *set = b.shape.all;
        deform(&b, 0.05, x);
        assert_int_equal(thaw_force_internal(set, NULL, x, b.shape.nv, f, b.partial), THAW_OK);
        for (int i = 0; i < n; i++)
            size = fmax(size, fabs(f[i]));
        for (int i = 0; i < n; i++) {
            double moved[MOST], u[MOST] = {0}, slope = 0;
            u[i] = 1;
            for (int side = -1; side <= 1; side += 2) {
                memcpy(moved, x, sizeof moved);
                moved[i] += side * step;
                slope += side * thaw_force_energy(set, NULL, moved, b.partial) / (2 * step);
                thaw_force_internal(set, NULL, moved, b.shape.nv, side > 0 ? ahead : behind, b.partial);
            }
            assert_true(fabs(slope + f[i]) < 1e-7 * size);
            thaw_force_product(set, NULL, x, u, (ThawStiffness){1, 0, 0}, b.shape.nv, y, forms, b.partial);
            for (int k = 0; k < n; k++)
                assert_true(fabs((behind[k] - ahead[k]) / (2 * step) - y[k]) < 1e-6 * size);
        }
        block_free(&b);
    }
}

// z = A u, of the lower triangle.
static void multiply(const ThawBlockMatrix *A, const double *u, double *z) {
    const ThawBlockPattern *pattern = A->pattern;
    const int bs = pattern->bs;
    memset(z, 0, sizeof *z * (size_t)(pattern->n * bs));
    for (int32_t i = 0; i < pattern->n; i++)
        for (int32_t at = pattern->row[i]; at < pattern->row[i + 1]; at++)
            for (int k = 0; k < bs * bs; k++) {
                const int32_t row = i * bs + k / bs, column = pattern->col[at] * bs + k % bs;
                const double entry = A->value[(size_t)at * (size_t)(bs * bs) + (size_t)k];
                z[row] += entry * u[column];
                if (pattern->col[at] != i)
                    z[column] += entry * u[row];
            }
}

// The assembled matrix does what products do, projected or not, and costs energy when projected.
static void blocks_are_the_products(void **state) {
    (void)state;
    for (int run = 0; run < 8; run++) {
        const int dim = run % 2 ? 2 : 3;
        const ThawStiffness scale = {1, 0.3, run / 2 % 2};
        double x[MOST], f[MOST], u[MOST], y[MOST], z[MOST], forms[2];
        uint64_t seed = 8;
        Block b;
        block_create(&b, dim, kinds[run / 4], NULL);
        const int n = b.shape.nv * dim;
        deform(&b, 0.2, x);
        for (int i = 0; i < n; i++)
            u[i] = sample_random(&seed);
        thaw_force_product(b.shape.all, NULL, x, u, scale, b.shape.nv, y, forms, b.partial);
        ThawMap *map = NULL;
        ThawBlockPattern *pattern = NULL;
        unsigned char *scripted = THAW_NEW(unsigned char, b.shape.nv);
        assert_int_equal(thaw_map_identity_create(&b.shape, scripted, &map, NULL), THAW_OK);
        assert_int_equal(map->ops->pattern(map, &pattern, NULL), THAW_OK);
        ThawBlockMatrix A = {pattern, THAW_NEW(double, (size_t)pattern->row[pattern->n] * (size_t)(dim * dim))};
        ThawAssembly assembly = {map, A.value};
        thaw_force_linearise(b.shape.all, NULL, x, scale, (ThawBlockSink){map->ops->add_blocks, &assembly}, b.shape.nv,
                             f, b.partial);
        multiply(&A, u, z);
        double size = 0, apart = 0, form = 0;
        for (int i = 0; i < n; i++) {
            size = fmax(size, fabs(y[i]));
            apart = fmax(apart, fabs(y[i] - z[i]));
            form += u[i] * z[i];
        }
        assert_true(apart < 1e-13 * size);
        assert_true(!scale.project || form >= 0);
        thaw_free(A.value);
        thaw_block_pattern_free(&pattern);
        thaw_map_free(&map);
        thaw_free(scripted);
        block_free(&b);
    }
}

static void rigid_motion_costs_nothing_and_is_not_damped(void **state) {
    (void)state;
    double x[MOST], turned[MOST], u[MOST], y[MOST], forms[2];
    Block b;
    block_create(&b, 3, kinds[1], NULL);
    deform(&b, 0.05, x);
    const double c = cos(1.2), s = sin(1.2);
    for (int32_t i = 0; i < b.shape.nv; i++) {
        const double *p = x + 3 * (size_t)i;
        memcpy(turned + 3 * (size_t)i, (double[]){c * p[0] - s * p[1] + 4, s * p[0] + c * p[1], p[2] - 2},
               3 * sizeof *x);
        memcpy(u + 3 * (size_t)i, (double[]){-p[1] + 1, p[0], 0.5}, 3 * sizeof *x);
    }
    const double before = thaw_force_energy(b.shape.all, NULL, x, b.partial);
    assert_true(before > 0.01);
    assert_true(fabs(thaw_force_energy(b.shape.all, NULL, turned, b.partial) - before) < 1e-12 * before);
    // Of the fibres alone: the rest of the body is damped by alpha1 K here.
    ThawElementBlock *fibres = &b.shape.blocks[1];
    ThawIntegrationSet *set = NULL;
    int32_t *list = THAW_NEW(int32_t, fibres->count);
    for (int32_t e = 0; e < fibres->count; e++)
        list[e] = fibres->first + e;
    assert_int_equal(thaw_integration_create(&b.shape, list, fibres->count, &set, NULL), THAW_OK);
    thaw_force_product(set, NULL, x, u, (ThawStiffness){0, 1, 0}, b.shape.nv, y, forms, b.partial);
    assert_true(fabs(forms[1]) < 1e-13);
    for (int i = 0; i < 3 * b.shape.nv; i++)
        assert_true(fabs(y[i]) < 1e-13);
    thaw_integration_free(&set);
    thaw_free(list);
    block_free(&b);
}

// psi'' along them is 4 mu; slack ones have none below their length.
static void they_add_four_times_their_stiffness(void **state) {
    (void)state;
    for (size_t run = 0; run < sizeof kinds / sizeof *kinds; run++) {
        double x[MOST], energy[2][2];
        Block with, without;
        block_create(&with, 3, kinds[run], NULL);
        block_create(&without, 3, (ThawFibre){0}, NULL);
        assert_int_equal(without.shape.block_count, 1);
        const double length = sqrt(0.3 * 0.3 + 4 + 0.25), a[3] = {0.3 / length, 2 / length, 0.5 / length};
        const double size = 1e-4;
        double volume = 0;
        for (int32_t e = 0; e < with.shape.ne; e++)
            volume += with.shape.cells->weight[e];
        for (int side = 0; side < 2; side++) {
            for (int32_t i = 0; i < with.shape.nv; i++) {
                const double *X = with.shape.X + 3 * (size_t)i;
                const double along = a[0] * X[0] + a[1] * X[1] + a[2] * X[2];
                for (int k = 0; k < 3; k++)
                    x[3 * i + k] = X[k] + (side ? -size : size) * along * a[k];
            }
            energy[side][0] = thaw_force_energy(with.shape.all, NULL, x, with.partial);
            energy[side][1] = thaw_force_energy(without.shape.all, NULL, x, without.partial);
        }
        const double due = volume * 4 * kinds[run].stiffness * size * size / 2;
        assert_true(fabs((energy[0][0] - energy[0][1]) / due - 1) < 1e-3);
        assert_true(fabs((energy[1][0] - energy[1][1]) / due - (kinds[run].slack ? 0 : 1)) < 1e-3);
        block_free(&with);
        block_free(&without);
    }
}

static void stiffness_by_element_scales_all(void **state) {
    (void)state;
    double twice[64], x[MOST];
    for (int i = 0; i < 64; i++)
        twice[i] = 2;
    Block once, stiff;
    block_create(&once, 3, kinds[1], NULL);
    assert_true(once.mesh->element_count <= 64);
    block_create(&stiff, 3, kinds[1], twice);
    deform(&once, 0.05, x);
    const double a = thaw_force_energy(once.shape.all, NULL, x, once.partial);
    const double b = thaw_force_energy(stiff.shape.all, NULL, x, stiff.partial);
    assert_true(fabs(b / a - 2) < 1e-14);
    block_free(&once);
    block_free(&stiff);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(slopes_are_right), cmocka_unit_test(blocks_are_the_products),
                                       cmocka_unit_test(rigid_motion_costs_nothing_and_is_not_damped),
                                       cmocka_unit_test(they_add_four_times_their_stiffness),
                                       cmocka_unit_test(stiffness_by_element_scales_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
