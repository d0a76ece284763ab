// SPDX-License-Identifier: Apache-2.0
// Forces are the slope of the energy, products the slope of the forces, blocks the same matrix as products; rigid
// motions cost nothing; stress is what a pulled bar has; an inverted element is reported where its material forbids it.
#include "force/force.h"
#include "model/model.h"
#include "step/sample.h"

typedef struct Body {
    Sample sample;
    ThawModel *model;
    const ThawShape *shape;
    const ThawIntegrationSet *set;
    int n;             // dim * nv
    double *x;         // n, deformed
    double *partial;   // scratch
    double *a, *b, *c; // n each
} Body;

static void body_create_damped(Body *body, int dim, int32_t cells, ThawMaterialModel model, ThawDamping damping,
                               double strain, uint64_t seed) {
    ThawError error = {0};
    sample_create(&body->sample, dim, cells, model, seed);
    for (int i = 0; i < 2; i++)
        body->sample.materials[i].damping = damping;
    if (thaw_model_create(&body->sample.world, &body->model, &error) != THAW_OK)
        fail_msg("%s", error.message);
    body->shape = body->model->shapes[0];
    body->set = body->shape->all;
    body->n = dim * body->shape->nv;
    body->x = THAW_NEW(double, 4 * body->n);
    body->a = body->x + body->n;
    body->b = body->a + body->n;
    body->c = body->b + body->n;
    body->partial = THAW_NEW(double, 2 * body->set->chunk_count);
    for (int i = 0; i < body->n; i++)
        body->x[i] = body->shape->X[i] + strain / cells * sample_random(&seed);
}

static void body_create(Body *body, int dim, int32_t cells, ThawMaterialModel model, double strain, uint64_t seed) {
    body_create_damped(body, dim, cells, model, THAW_DAMPING_STIFFNESS, strain, seed);
}

static void body_free(Body *body) {
    thaw_free(body->x);
    thaw_free(body->partial);
    thaw_model_free(&body->model);
    sample_free(&body->sample);
}

static double energy(const Body *body, const double *x) { return thaw_force_energy(body->set, NULL, x, body->partial); }

static ThawStatus force(const Body *body, const double *x, double *f) {
    return thaw_force_internal(body->set, NULL, x, body->shape->nv, f, body->partial);
}

static void product(const Body *body, const double *u, ThawStiffness scale, double *y, double forms[2]) {
    thaw_force_product(body->set, NULL, body->x, u, scale, body->shape->nv, y, forms, body->partial);
}

static double size_of(int n, const double *a) {
    double size = 0;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(a[i]));
    return size;
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void for_all_damped(void (*check)(Body *body, uint64_t *seed), ThawDamping damping, double strain) {
    for (int model = 0; model < THAW_MATERIAL_MODEL_COUNT; model++)
        for (int dim = 2; dim <= 3; dim++) {
            Body body;
            uint64_t seed = (uint64_t)(7 + model + 10 * dim);
            body_create_damped(&body, dim, 2, (ThawMaterialModel)model, damping, strain, seed);
            check(&body, &seed);
            body_free(&body);
        }
}

static void for_all_materials(void (*check)(Body *body, uint64_t *seed), double strain) {
    for_all_damped(check, THAW_DAMPING_STIFFNESS, strain);
}

// --- derivatives -----------------------------------------------------------------------------------------------------

static void check_force(Body *body, uint64_t *seed) {
    (void)seed;
    const double e = 1e-5;
    assert_int_equal(force(body, body->x, body->a), THAW_OK);
    double size = size_of(body->n, body->a);
    assert_true(size > 1);
    for (int i = 0; i < body->n; i++) {
        double x = body->x[i], values[4];
        for (int k = 0; k < 4; k++) {
            body->x[i] = x + e * (k < 2 ? k - 2 : k - 1);
            values[k] = energy(body, body->x);
        }
        body->x[i] = x;
        double slope = (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * e);
        if (!(fabs(slope + body->a[i]) <= 1e-7 * size))
            fail_msg("coordinate %d: force %g, slope of the energy %g", i, body->a[i], slope);
    }
}

static void forces_are_minus_the_slope_of_the_energy(void **state) {
    (void)state;
    for_all_materials(check_force, 0.1);
}

static void check_product(Body *body, uint64_t *seed) {
    const double e = 1e-5;
    double forms[2], *u = THAW_NEW(double, 2 * body->n), *x = u + body->n;
    for (int i = 0; i < body->n; i++)
        u[i] = sample_random(seed);
    for (int i = 0; i < body->n; i++)
        x[i] = body->x[i] + e * u[i];
    force(body, x, body->a);
    for (int i = 0; i < body->n; i++)
        x[i] = body->x[i] - e * u[i];
    force(body, x, body->b);
    product(body, u, (ThawStiffness){1, 0, 0}, body->c, forms);
    double size = size_of(body->n, body->c);
    assert_true(size > 1);
    for (int i = 0; i < body->n; i++)
        assert_true(fabs((body->b[i] - body->a[i]) / (2 * e) - body->c[i]) <= 1e-7 * size);
    assert_true(fabs(forms[0] - dot(body->n, u, body->c)) <= 1e-12 * fabs(forms[0]));
    // damping alone: alpha1 element by element, and the second form
    product(body, u, (ThawStiffness){0, 1, 0}, body->b, forms);
    assert_true(fabs(forms[1] - dot(body->n, u, body->b)) <= 1e-12 * fabs(forms[1]));
    product(body, u, (ThawStiffness){3, 2, 0}, body->a, forms);
    for (int i = 0; i < body->n; i++)
        assert_true(fabs(3 * body->c[i] + 2 * body->b[i] - body->a[i]) <= 1e-12 * size_of(body->n, body->a));
    thaw_free(u);
}

static void products_are_the_slope_of_forces(void **state) {
    (void)state;
    for_all_materials(check_product, 0.1);
}

static void a_projected_product_is_positive_where_the_true_one_is_not(void **state) {
    (void)state;
    int indefinite = 0;
    for (int model = 0; model < THAW_MATERIAL_MODEL_COUNT; model++)
        for (int dim = 2; dim <= 3; dim++) {
            Body body;
            uint64_t seed = (uint64_t)(3 + model);
            body_create(&body, dim, 2, (ThawMaterialModel)model, 0, seed);
            for (int i = 0; i < body.n; i++) // squeezed to half, unevenly
                body.x[i] *= 0.5 + 0.1 * sample_random(&seed);
            double *u = THAW_NEW(double, body.n);
            double forms[2], lowest = INFINITY;
            for (int trial = 0; trial < 300; trial++) {
                for (int i = 0; i < body.n; i++)
                    u[i] = sample_random(&seed);
                product(&body, u, (ThawStiffness){1, 0, 1}, body.a, forms);
                assert_true(forms[0] >= -1e-12 * size_of(body.n, body.a));
                lowest = fmin(lowest, forms[0]);
                product(&body, u, (ThawStiffness){1, 0, 0}, body.a, forms);
                indefinite += forms[0] < 0;
            }
            assert_true(lowest > 0 || model == THAW_MATERIAL_STVK);
            thaw_free(u);
            body_free(&body);
        }
    assert_true(indefinite > 0);
}

// --- blocks ----------------------------------------------------------------------------------------------------------

typedef struct DenseSink {
    const Body *body;
    double *A; // n * n
} DenseSink;

static void add_dense(void *context, int32_t b, const ThawLanes *blocks) {
    DenseSink *sink = context;
    const ThawBatch *batch = &sink->body->set->batches[b];
    int dim = sink->body->set->dim, n = sink->body->n;
    for (int l = 0; l < THAW_LANES; l++)
        for (int a = 0; a < sink->body->set->nodes && batch->element[l] >= 0; a++)
            for (int c = 0; c <= a; c++)
                for (int i = 0; i < dim; i++)
                    for (int k = 0; k < dim; k++) {
                        double entry = blocks[((a * (a + 1) / 2 + c) * dim + i) * dim + k][l];
                        int row = batch->vertex[a][l] * dim + i, column = batch->vertex[c][l] * dim + k;
                        sink->A[row * n + column] += entry;
                        if (a != c)
                            sink->A[column * n + row] += entry;
                    }
}

static void check_blocks(Body *body, uint64_t *seed) {
    (void)seed;
    int n = body->n;
    for (int project = 0; project < 2; project++) {
        double *A = THAW_NEW(double, n *n), *u = THAW_NEW(double, n), forms[2];
        ThawStiffness scale = {2, 5, project};
        DenseSink sink = {body, A};
        force(body, body->x, body->b);
        assert_int_equal(thaw_force_linearise(body->set, NULL, body->x, scale, (ThawBlockSink){add_dense, &sink},
                                              body->shape->nv, body->a, body->partial),
                         THAW_OK);
        for (int i = 0; i < n; i++)
            assert_true(fabs(body->a[i] - body->b[i]) <= 1e-13 * size_of(n, body->a));
        double size = size_of(n * n, A);
        for (int j = 0; j < n; j++) {
            u[j] = 1;
            product(body, u, scale, body->c, forms);
            u[j] = 0;
            for (int i = 0; i < n; i++) {
                assert_true(fabs(A[i * n + j] - body->c[i]) <= 1e-12 * size);
                assert_true(fabs(A[i * n + j] - A[j * n + i]) <= 1e-13 * size);
            }
        }
        thaw_free(A);
        thaw_free(u);
    }
}

static void blocks_are_the_matrix_of_products(void **state) {
    (void)state;
    for_all_materials(check_blocks, 0.1);
}

// --- viscous damping -------------------------------------------------------------------------------------------------

static void viscous_blocks_are_the_matrix_of_products(void **state) {
    (void)state;
    for_all_damped(check_blocks, THAW_DAMPING_VISCOUS, 0.3);
    for_all_damped(check_product, THAW_DAMPING_VISCOUS, 0.1);
}

// u = t + omega x at x.
static void move_rigidly(const Body *body, double *u) {
    int dim = body->set->dim;
    for (int i = 0; i < body->shape->nv; i++) {
        const double *x = body->x + i * dim, omega[3] = {dim == 3 ? 1 : 0, dim == 3 ? -2 : 0, 3};
        double r[3] = {x[0], x[1], dim == 3 ? x[2] : 0};
        for (int k = 0; k < dim; k++)
            u[i * dim + k] = 0.5 - k + omega[(k + 1) % 3] * r[(k + 2) % 3] - omega[(k + 2) % 3] * r[(k + 1) % 3];
    }
}

static void viscous_damping_costs_nothing_in_a_rigid_motion_and_energy_in_any_other(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Body body;
        double forms[2], still = 0;
        for (int damping = THAW_DAMPING_STIFFNESS; damping <= THAW_DAMPING_VISCOUS; damping++) {
            uint64_t seed = 3;
            body_create_damped(&body, dim, 2, THAW_MATERIAL_STABLE_NEO_HOOKEAN, (ThawDamping)damping, 0.5, 3);
            double *u = THAW_NEW(double, body.n);
            for (int i = 0; i < body.n; i++)
                u[i] = sample_random(&seed);
            product(&body, u, (ThawStiffness){0, 1, 0}, body.a, forms);
            double size = size_of(body.n, body.a);
            assert_true(size > 0 && (damping == THAW_DAMPING_STIFFNESS || forms[1] > 0));
            move_rigidly(&body, u);
            product(&body, u, (ThawStiffness){0, 1, 0}, body.a, forms);
            still = size_of(body.n, body.a) / size;
            assert_true(damping == THAW_DAMPING_STIFFNESS ? still > 1e-3 : still < 1e-12);
            thaw_free(u);
            body_free(&body);
        }
    }
}

// Of small strains, whatever the energy.
static void viscous_damping_is_that_of_stiffness_at_rest(void **state) {
    (void)state;
    for (int model = 0; model < THAW_MATERIAL_MODEL_COUNT; model++)
        for (int dim = 2; dim <= 3; dim++) {
            Body one, other;
            uint64_t seed = 5;
            double forms[2][2];
            body_create_damped(&one, dim, 2, (ThawMaterialModel)model, THAW_DAMPING_STIFFNESS, 0, 5);
            body_create_damped(&other, dim, 2, (ThawMaterialModel)model, THAW_DAMPING_VISCOUS, 0, 5);
            double *u = THAW_NEW(double, one.n);
            for (int i = 0; i < one.n; i++)
                u[i] = sample_random(&seed);
            product(&one, u, (ThawStiffness){0, 1, 0}, one.a, forms[0]);
            product(&other, u, (ThawStiffness){0, 1, 0}, other.a, forms[1]);
            for (int i = 0; i < one.n; i++)
                assert_true(fabs(one.a[i] - other.a[i]) <= 1e-12 * size_of(one.n, one.a));
            assert_true(fabs(forms[0][1] - forms[1][1]) <= 1e-12 * forms[0][1]);
            thaw_free(u);
            body_free(&one);
            body_free(&other);
        }
}

// --- rigid motion, stress, inversion ---------------------------------------------------------------------------------

static void check_rigid(Body *body, uint64_t *seed) {
    int dim = body->set->dim;
    double c = 0.6, s = 0.8;
    (void)seed;
    for (int i = 0; i < body->shape->nv; i++) { // about z, then about x, then moved
        double X[3] = {0}, y[3];
        memcpy(X, body->shape->X + i * dim, sizeof *X * (size_t)dim);
        y[0] = c * X[0] - s * X[1];
        y[1] = s * X[0] + c * X[1];
        y[2] = X[2];
        if (dim == 3) {
            double turned[3] = {y[0], s * y[1] - c * y[2], c * y[1] + s * y[2]};
            memcpy(y, turned, sizeof y);
        }
        for (int k = 0; k < dim; k++)
            body->x[i * dim + k] = y[k] + 3 - k;
    }
    assert_int_equal(force(body, body->x, body->a), THAW_OK);
    assert_true(size_of(body->n, body->a) <= 1e-9 * 1e5); // of forces that unit strain would make
    assert_true(fabs(energy(body, body->x)) <= 1e-9);
    double stresses[1000];
    thaw_force_stress(body->shape, body->x, stresses);
    assert_true(size_of(body->shape->ne, stresses) <= 1e-9 * 1e5);
    memcpy(body->x, body->shape->X, sizeof(double) * (size_t)body->n);
    force(body, body->x, body->a);
    assert_true(size_of(body->n, body->a) <= 1e-10 * 1e5);
}

static void rigid_motions_give_no_force(void **state) {
    (void)state;
    for_all_materials(check_rigid, 0);
}

static void forces_add_up_to_nothing_and_turn_nothing(void **state) {
    (void)state;
    Body body;
    body_create(&body, 3, 2, THAW_MATERIAL_STABLE_NEO_HOOKEAN, 0.3, 5);
    force(&body, body.x, body.a);
    double total[3] = {0}, torque[3] = {0}, size = size_of(body.n, body.a);
    for (int i = 0; i < body.shape->nv; i++) {
        const double *x = body.x + 3 * i, *f = body.a + 3 * i;
        for (int k = 0; k < 3; k++) {
            total[k] += f[k];
            torque[k] += x[(k + 1) % 3] * f[(k + 2) % 3] - x[(k + 2) % 3] * f[(k + 1) % 3];
        }
    }
    assert_true(size_of(3, total) <= 1e-12 * size && size_of(3, torque) <= 1e-12 * size);
    body_free(&body);
}

// F = diag(a, b, b) everywhere. Cauchy stress from the definitions of the energies; von Mises is |s1 - s2|.
static double uniaxial_von_mises(const ThawMaterialDef *m, double a, double b) {
    double mu = m->young / (2 * (1 + m->poisson)), s1, s2;
    double lambda = m->young * m->poisson / ((1 + m->poisson) * (1 - 2 * m->poisson)), J = a * b * b;
    if (m->model == THAW_MATERIAL_STVK) {
        double E1 = (a * a - 1) / 2, E2 = (b * b - 1) / 2, tr = E1 + 2 * E2;
        s1 = a * a * (2 * mu * E1 + lambda * tr) / J;
        s2 = b * b * (2 * mu * E2 + lambda * tr) / J;
    } else if (m->model == THAW_MATERIAL_NEO_HOOKEAN) {
        s1 = (mu * (a * a - 1) + lambda * log(J)) / J;
        s2 = (mu * (b * b - 1) + lambda * log(J)) / J;
    } else if (m->model == THAW_MATERIAL_STABLE_NEO_HOOKEAN) {
        double muh = 4 * mu / 3, factor = muh * (1 - 1 / (a * a + 2 * b * b + 1));
        s1 = factor * a * a / J;
        s2 = factor * b * b / J;
    } else {
        s1 = a * (2 * mu * (a - 1) + lambda * (a + 2 * b - 3)) / J;
        s2 = b * (2 * mu * (b - 1) + lambda * (a + 2 * b - 3)) / J;
    }
    return fabs(s1 - s2);
}

static void a_uniaxial_stretch_has_the_von_mises_stress_of_its_material(void **state) {
    (void)state;
    for (int model = 0; model < THAW_MATERIAL_MODEL_COUNT; model++) {
        Body body;
        body_create(&body, 3, 2, (ThawMaterialModel)model, 0, 4);
        for (int i = 0; i < body.n; i++)
            body.x[i] = body.shape->X[i] * (i % 3 == 0 ? 1.3 : 0.9);
        double stresses[48];
        assert_int_equal(body.shape->ne, 48);
        thaw_force_stress(body.shape, body.x, stresses);
        for (int e = 0; e < 48; e++) {
            double expected = uniaxial_von_mises(&body.sample.materials[body.sample.mesh->region[e]], 1.3, 0.9);
            assert_true(fabs(stresses[e] - expected) <= 1e-10 * expected);
        }
        body_free(&body);
    }
}

static void ignore_blocks(void *context, int32_t batch, const ThawLanes *blocks) {
    (void)context, (void)batch, (void)blocks;
}

static void an_inverted_element_is_reported_where_it_has_no_energy(void **state) {
    (void)state;
    for (int model = 0; model < THAW_MATERIAL_MODEL_COUNT; model++)
        for (int dim = 2; dim <= 3; dim++) {
            Body body;
            body_create(&body, dim, 1, (ThawMaterialModel)model, 0, 4);
            for (int i = 0; i < body.n; i += dim)
                body.x[i] = -body.x[i]; // a mirror image
            int forbidden = model == THAW_MATERIAL_NEO_HOOKEAN;
            ThawStatus expected = forbidden ? THAW_INVERTED : THAW_OK;
            assert_int_equal(body.set->needs_orientation, forbidden);
            assert_int_equal(force(&body, body.x, body.a), expected);
            assert_int_equal(thaw_force_linearise(body.set, NULL, body.x, (ThawStiffness){1, 0, 0},
                                                  (ThawBlockSink){ignore_blocks, NULL}, body.shape->nv, body.a,
                                                  body.partial),
                             expected);
            assert_int_equal(isinf(energy(&body, body.x)) != 0, forbidden);
            body_free(&body);
        }
}

// Random displacements turn some elements inside out, or none; counted by the way as by themselves.
static void inverted_elements_are_counted_with_the_energy(void **state) {
    (void)state;
    int some = 0, none = 0;
    for (int model = 0; model < THAW_MATERIAL_MODEL_COUNT; model++)
        for (int dim = 2; dim <= 3; dim++)
            for (int k = 0; k < 4; k++) {
                Body body;
                body_create(&body, dim, 3, (ThawMaterialModel)model, k == 0 ? 0.01 : 0.4 * k, (uint64_t)(7 * k + 1));
                int64_t inverted = -1;
                double with = thaw_force_energy_inverted(body.set, NULL, body.x, body.partial, &inverted);
                assert_true(with == energy(&body, body.x));
                if (isfinite(with))
                    assert_int_equal(inverted, thaw_force_count_inverted(body.set, NULL, body.x, body.partial));
                some += isfinite(with) && inverted > 0;
                none += isfinite(with) && inverted == 0;
                body_free(&body);
            }
    assert_true(some > 4 && none > 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_minus_the_slope_of_the_energy),
        cmocka_unit_test(products_are_the_slope_of_forces),
        cmocka_unit_test(a_projected_product_is_positive_where_the_true_one_is_not),
        cmocka_unit_test(blocks_are_the_matrix_of_products),
        cmocka_unit_test(viscous_blocks_are_the_matrix_of_products),
        cmocka_unit_test(viscous_damping_costs_nothing_in_a_rigid_motion_and_energy_in_any_other),
        cmocka_unit_test(viscous_damping_is_that_of_stiffness_at_rest),
        cmocka_unit_test(rigid_motions_give_no_force),
        cmocka_unit_test(forces_add_up_to_nothing_and_turn_nothing),
        cmocka_unit_test(a_uniaxial_stretch_has_the_von_mises_stress_of_its_material),
        cmocka_unit_test(inverted_elements_are_counted_with_the_energy),
        cmocka_unit_test(an_inverted_element_is_reported_where_it_has_no_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
