// SPDX-License-Identifier: Apache-2.0
// Condensed inertia against what it says it is: the matrix behind its border, momenta of affine motions, static fields
// by dense algebra, accelerations, and regions that are even and in one piece.
#include "force/force.h"
#include "map/condense/condense.h"
#include "math/dense.h"
#include "reduced/reduced.h"
#include "step/sample.h"

// A jittered box of uneven materials, and its regions.
typedef struct Body {
    Sample sample;
    ThawModel *model;
    const ThawShape *shape;
    ThawCondensed *condensed;
    int nx, dim;
    uint64_t seed;
} Body;

static void body_create(Body *b, int dim, int regions, uint64_t seed) {
    ThawError error = {0};
    *b = (Body){.seed = seed, .dim = dim};
    sample_create(&b->sample, dim, 3, THAW_MATERIAL_STABLE_NEO_HOOKEAN, seed);
    if (thaw_model_create(&b->sample.world, &b->model, &error) != THAW_OK ||
        thaw_condensed_create(b->model->shapes[0], regions, NULL, 0, NULL, &b->condensed, &error) != THAW_OK)
        fail_msg("%s", error.message);
    b->shape = b->model->shapes[0];
    b->nx = dim * b->shape->nv;
}

static void body_free(Body *b) {
    thaw_condensed_free(&b->condensed);
    thaw_model_free(&b->model);
    sample_free(&b->sample);
}

static void for_bodies(void (*check)(Body *b)) {
    for (int dim = 2; dim <= 3; dim++)
        for (int regions = 1; regions <= 5; regions += 2)
            for (uint64_t seed = 1; seed <= 3; seed++) {
                Body b;
                body_create(&b, dim, regions, seed);
                check(&b);
                body_free(&b);
            }
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

// M v of the inertia.
static void product(const Body *b, const double *v, double *r) {
    memset(r, 0, sizeof *r * (size_t)b->nx);
    b->condensed->inertia.ops->product(&b->condensed->inertia, NULL, 1, 0, v, r);
}

static void check_affine(Body *b) {
    double *v = THAW_NEW(double, 2 * b->nx), *r = v + b->nx, A[12];
    for (int i = 0; i < 12; i++)
        A[i] = sample_random(&b->seed);
    for (int i = 0; i < b->nx; i++) {
        v[i] = A[i % b->dim];
        for (int k = 0; k < b->dim; k++)
            v[i] += A[3 + 3 * (i % b->dim) + k] * b->shape->X[i / b->dim * b->dim + k];
    }
    product(b, v, r);
    double full = 0;
    for (int i = 0; i < b->nx; i++) {
        full += b->shape->mass[i / b->dim] * v[i] * v[i];
        assert_true(b->condensed->functionals == b->condensed->regions ||
                    fabs(r[i] - b->shape->mass[i / b->dim] * v[i]) <= 1e-9 * b->shape->mass[i / b->dim]);
    }
    assert_true(fabs(dot(b->nx, v, r) - full) <= 1e-10 * full);
    thaw_free(v);
}

static void affine_motions_have_the_energy_of_all_masses(void **state) {
    (void)state;
    for_bodies(check_affine);
}

// Sum M v = sum m v for all v; v'M v is no less than what the functionals have at least, and no more by much than all.
static void check_forms(Body *b) {
    double *v = THAW_NEW(double, 2 * b->nx), *r = v + b->nx;
    for (int turn = 0; turn < 5; turn++) {
        double momentum[3] = {0}, full[3] = {0}, size = 0;
        for (int i = 0; i < b->nx; i++)
            v[i] = sample_random(&b->seed);
        product(b, v, r);
        for (int i = 0; i < b->nx; i++) {
            momentum[i % b->dim] += r[i];
            full[i % b->dim] += b->shape->mass[i / b->dim] * v[i];
            size += fabs(b->shape->mass[i / b->dim] * v[i]);
        }
        for (int k = 0; k < b->dim; k++)
            assert_true(fabs(momentum[k] - full[k]) <= 1e-10 * size);
        assert_true(dot(b->nx, v, r) > 0);
    }
    thaw_free(v);
}

static void linear_momentum_is_that_of_the_masses_whatever_moves(void **state) {
    (void)state;
    for_bodies(check_forms);
}

// The bordered matrix solves E + c M Phi T Phi'M, built here densely, with some vertices scripted.
static void check_border(Body *b) {
    const ThawCombination A = {3, 0.5, {0.02, 0.1, 0}, 0, &b->condensed->inertia};
    unsigned char *scripted = THAW_NEW(unsigned char, b->shape->nv);
    for (int32_t i = 0; i < b->shape->nv; i++)
        scripted[i] = sample_below(&b->seed, 5) == 0;
    ThawError error = {0};
    ThawMap *map = NULL;
    ThawSystem *system = NULL;
    ThawSolver *solver = NULL;
    double *f = THAW_NEW(double, b->nx), *partial = THAW_NEW(double, 2 * thaw_integration_most_chunks(b->shape));
    assert_int_equal(thaw_map_bordered_create(b->condensed, scripted, &map, &error), THAW_OK);
    assert_int_equal(thaw_system_wrap(&map, scripted, THAW_SOLVER_LDL, &system, &error), THAW_OK);
    assert_int_equal(thaw_solver_create(system->plan, NULL, &solver, &error), THAW_OK);
    assert_int_equal(thaw_system_assemble(system, NULL, A, b->shape->X, NULL, solver, f, partial), THAW_OK);
    assert_int_equal(thaw_solver_factor(solver), THAW_OK);
    const int n = b->dim * system->map->n;
    double *q = THAW_NEW(double, 2 * n), *r = q + n, *v = THAW_NEW(double, 2 * b->nx), *u = v + b->nx, forms[2];
    for (int i = 0; i < b->nx; i++)
        f[i] = sample_random(&b->seed);
    system->map->ops->apply_t(system->map, f, r);
    assert_int_equal(thaw_solver_solve(solver, r, q, 0, NULL), THAW_OK);
    system->map->ops->apply(system->map, q, NULL, v);
    thaw_force_product(b->shape->all, NULL, b->shape->X, v, A.element, b->shape->nv, u, forms, partial);
    b->condensed->inertia.ops->product(&b->condensed->inertia, NULL, A.mass, A.mass_damping, v, u);
    for (int i = 0; i < b->nx; i++)
        assert_true(scripted[i / b->dim] || fabs(u[i] - f[i]) <= 1e-9);
    thaw_solver_free(&solver);
    thaw_system_free(&system);
    double *all[] = {f, partial, q, v};
    for (int i = 0; i < COUNT(all); i++)
        thaw_free(all[i]);
    thaw_free(scripted);
}

static void the_border_brings_the_inertia_into_the_matrix(void **state) {
    (void)state;
    for_bodies(check_border);
}

// T P = G^-1 P makes affine motions exact; beside them, v'M v of static fields is nearly the full v'M v, which the
// least energy of their functionals is not.
static void check_static(Body *b) {
    const int nf = b->condensed->functionals, nx = b->nx;
    double *K = THAW_NEW(double, nx *nx), *L = THAW_NEW(double, nx *nx), *v = THAW_NEW(double, 3 * nx);
    double *partial = THAW_NEW(double, 2 * thaw_integration_most_chunks(b->shape)), forms[2], most = 0;
    for (int j = 0; j < nx; j++) {
        v[j] = 1;
        thaw_force_product(b->shape->all, NULL, b->shape->X, v, (ThawStiffness){1, 0, 0}, b->shape->nv, K + j * nx,
                           forms, partial);
        v[j] = 0;
        most = fmax(most, K[j * nx + j]);
    }
    // Any mass on the functionals and hardly any elsewhere.
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < nx; j++)
            for (int a = 0; a < nf && i % b->dim == j % b->dim; a++)
                K[i * nx + j] += most / b->shape->total_mass * b->shape->mass[i / b->dim] * b->shape->mass[j / b->dim] *
                                 thaw_condensed_phi(b->condensed, a, i / b->dim) *
                                 thaw_condensed_phi(b->condensed, a, j / b->dim) / b->shape->total_mass;
    for (int i = 0; i < nx; i++)
        K[i * nx + i] += 1e-9 * most;
    memcpy(L, K, sizeof *L * (size_t)(nx * nx));
    assert_true(thaw_dense_factor(nx, L));
    double *u = v + nx, *r = v + 2 * nx, least = INFINITY, largest = 0;
    for (int a = 0; a < nf; a++) { // static fields of all functionals' forces, along the axes in turn
        for (int i = 0; i < nx; i++)
            u[i] = i % b->dim == a % b->dim
                       ? b->shape->mass[i / b->dim] * thaw_condensed_phi(b->condensed, a, i / b->dim)
                       : 0;
        thaw_dense_solve(nx, L, u);
        product(b, u, r);
        double full = 0;
        for (int i = 0; i < nx; i++)
            full += b->shape->mass[i / b->dim] * u[i] * u[i];
        least = fmin(least, dot(nx, u, r) / full);
        largest = fmax(largest, dot(nx, u, r) / full);
    }
    print_message("%dD, %d regions: energy of static fields over the full one %.4f to %.4f\n", b->dim,
                  b->condensed->regions, least, largest);
    assert_true(least > 0.85 && largest < 1.15);
    double *all[] = {K, L, v, partial};
    for (int i = 0; i < COUNT(all); i++)
        thaw_free(all[i]);
}

static void static_fields_have_about_the_energy_of_all_masses(void **state) {
    (void)state;
    for_bodies(check_static);
}

// What a uniform force a unit mass accelerates; where some vertices stay, M a = f in the sense of the fields.
static void check_accelerate(Body *b) {
    unsigned char *scripted = THAW_NEW(unsigned char, b->shape->nv);
    double *f = THAW_NEW(double, b->nx);
    for (int i = 0; i < b->nx; i++)
        f[i] = b->shape->mass[i / b->dim] * (1 + i % b->dim);
    b->condensed->inertia.ops->accelerate(&b->condensed->inertia, scripted, f, f);
    for (int i = 0; i < b->nx; i++)
        assert_true(fabs(f[i] - (1 + i % b->dim)) <= 1e-9);
    memset(scripted, 1, (size_t)b->shape->nv / 2);
    b->condensed->inertia.ops->accelerate(&b->condensed->inertia, scripted, f, f);
    for (int i = 0; i < b->nx; i++)
        assert_true(isfinite(f[i]) && (!scripted[i / b->dim] || f[i] == 0));
    memset(scripted, 1, (size_t)b->shape->nv);
    b->condensed->inertia.ops->accelerate(&b->condensed->inertia, scripted, f, f);
    for (int i = 0; i < b->nx; i++)
        assert_true(f[i] == 0);
    thaw_free(scripted);
    thaw_free(f);
}

static void a_uniform_load_accelerates_uniformly(void **state) {
    (void)state;
    for_bodies(check_accelerate);
}

static void check_regions(Body *b) {
    const ThawCondensed *c = b->condensed;
    double mass[THAW_REGIONS_MAX] = {0}, least = INFINITY, most = 0;
    for (int32_t i = 0; i < b->shape->nv; i++) {
        assert_in_range(c->region_of[i], 0, c->regions - 1);
        mass[c->region_of[i]] += b->shape->mass[i];
    }
    for (int32_t r = 0; r < c->regions; r++) {
        assert_int_equal(c->region_of[c->centre[r]], r);
        least = fmin(least, mass[r]);
        most = fmax(most, mass[r]);
    }
    assert_true(least > 0.15 * most);
}

static void regions_are_even_and_around_their_centres(void **state) {
    (void)state;
    for_bodies(check_regions);
}

static void given_centres_are_kept(void **state) {
    (void)state;
    Body b;
    ThawError error = {0};
    ThawCondensed *c = NULL;
    body_create(&b, 3, 1, 4);
    const int32_t given[] = {b.shape->nv - 1, 0, b.shape->nv / 2};
    assert_int_equal(thaw_condensed_create(b.shape, 0, given, 3, NULL, &c, &error), THAW_OK);
    assert_int_equal(c->regions, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(c->centre[i], given[i]);
    thaw_condensed_free(&c);
    assert_int_equal(thaw_condensed_create(b.shape, 0, NULL, 0, NULL, &c, &error), THAW_OK);
    assert_int_equal(c->functionals, 0); // quasistatic as a whole
    thaw_condensed_free(&c);
    body_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(affine_motions_have_the_energy_of_all_masses),
        cmocka_unit_test(linear_momentum_is_that_of_the_masses_whatever_moves),
        cmocka_unit_test(the_border_brings_the_inertia_into_the_matrix),
        cmocka_unit_test(static_fields_have_about_the_energy_of_all_masses),
        cmocka_unit_test(a_uniform_load_accelerates_uniformly),
        cmocka_unit_test(regions_are_even_and_around_their_centres),
        cmocka_unit_test(given_centres_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
