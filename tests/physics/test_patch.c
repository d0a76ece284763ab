// SPDX-License-Identifier: Apache-2.0
// Whether the elements are elements. The patch test: a boundary that moves by an affine map takes the inside with it,
// on a mesh whose inner vertices were strewn about. Convergence: forces that balance a known smooth displacement
// (small, so that linear elasticity holds) give it back with an error of second order in L2 and of first order in
// energy.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "physics/support_physics.h"

// --- patch test ------------------------------------------------------------------------------------------------------

static const double AFFINE[3][3] = {{0.12, 0.07, -0.05}, {-0.04, -0.09, 0.06}, {0.08, 0.03, 0.1}};

static void displace(int dim, const double *X, double u[3]) {
    for (int i = 0; i < 3; i++) {
        u[i] = i < dim ? 0.01 * (i + 1) : 0;
        for (int j = 0; j < dim && i < dim; j++)
            u[i] += AFFINE[i][j] * X[j];
    }
}

static double worst_departure_from_affine(int dim, ThawMaterialModel model) {
    PhysicsScene *scene = physics_box(dim, 1, 0.9, 0.8, 5, 5, 4);
    physics_jitter(scene, 0.18, 0.2, 7);
    scene->material.model = model;
    double u[3];
    for (int32_t i = 0; i < scene->mesh->vertex_count; i++)
        if (physics_is_on_boundary(scene, i)) {
            displace(dim, scene->mesh->x + i * dim, u);
            physics_hold(scene, i, u);
        }
    ThawWorld *world = physics_world(scene);
    physics_static(world);
    double *x = physics_positions(world), worst = 0;
    int32_t inside = 0;
    for (int32_t i = 0; i < scene->mesh->vertex_count; i++) {
        displace(dim, scene->mesh->x + i * dim, u);
        inside += !physics_is_on_boundary(scene, i);
        for (int k = 0; k < dim; k++)
            worst = fmax(worst, fabs(x[i * dim + k] - scene->mesh->x[i * dim + k] - u[k]));
    }
    assert_true(inside >= 16);
    free(x);
    thaw_world_free(&world);
    physics_scene_free(&scene);
    return worst;
}

static void an_affine_boundary_takes_the_inside_with_it(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int model = 0; model < THAW_MATERIAL_MODEL_COUNT; model++) {
            double worst = worst_departure_from_affine(dim, model);
            print_message("patch test, %dD, %s: %.2g m\n", dim, thaw_material_model_name(model), worst);
            assert_true(worst < 1e-10);
        }
}

// --- convergence -----------------------------------------------------------------------------------------------------

static const double AMPLITUDE[3] = {1e-6, -0.6e-6, 0.8e-6};

// u_i = A_i prod sin(pi x_j): zero all around the unit box.
static double wave(int dim, const double *x, int first, int second) {
    double value = 1;
    for (int j = 0; j < dim; j++) {
        int derivatives = (j == first) + (j == second);
        value *= pow(M_PI, derivatives) * (derivatives == 0   ? sin(M_PI * x[j])
                                           : derivatives == 1 ? cos(M_PI * x[j])
                                                              : -sin(M_PI * x[j]));
    }
    return value;
}

// What must push on a unit of volume: -(mu lap u + (lambda + mu) grad div u).
static void body_force(int dim, double mu, double lambda, const double *x, double *f) {
    for (int i = 0; i < dim; i++) {
        f[i] = 0;
        for (int j = 0; j < dim; j++)
            f[i] -= mu * AMPLITUDE[i] * wave(dim, x, j, j) + (lambda + mu) * AMPLITUDE[j] * wave(dim, x, i, j);
    }
}

typedef struct Errors {
    double l2, energy; // norms, relative to those of the exact solution
} Errors;

static double density(int dim, double mu, double lambda, double G[3][3]) {
    double trace = 0, sum = 0;
    for (int i = 0; i < dim; i++) {
        trace += G[i][i];
        for (int j = 0; j < dim; j++)
            sum += (G[i][j] + G[j][i]) * (G[i][j] + G[j][i]) / 4;
    }
    return mu * sum + lambda / 2 * trace * trace;
}

// D = inverse of the edge matrix, so that a gradient is sum_a (u_a - u_0) (row a of D); by Gauss-Jordan.
static void invert(int dim, double E[3][3], double D[3][3]) {
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++)
            D[i][j] = i == j;
    for (int c = 0; c < dim; c++) {
        int pivot = c;
        for (int r = c; r < dim; r++)
            pivot = fabs(E[r][c]) > fabs(E[pivot][c]) ? r : pivot;
        for (int j = 0; j < dim; j++) {
            double e = E[c][j], d = D[c][j];
            E[c][j] = E[pivot][j], E[pivot][j] = e;
            D[c][j] = D[pivot][j], D[pivot][j] = d;
        }
        double scale = E[c][c];
        for (int j = 0; j < dim; j++)
            E[c][j] /= scale, D[c][j] /= scale;
        for (int r = 0; r < dim; r++) {
            double factor = r == c ? 0 : E[r][c];
            for (int j = 0; j < dim; j++)
                E[r][j] -= factor * E[c][j], D[r][j] -= factor * D[c][j];
        }
    }
}

// Both errors over all elements, with the symmetric rule of degree 2 (dim + 1 points).
static Errors measure(const PhysicsScene *scene, const double *x, double mu, double lambda) {
    const ThawMesh *mesh = scene->mesh;
    int dim = mesh->dim;
    double near = dim == 3 ? 0.5854101966249685 : 2.0 / 3, far = (1 - near) / dim;
    double square = 0, square_all = 0, energy = 0, energy_all = 0;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        const int32_t *v = mesh->elements + e * mesh->nodes;
        double E[3][3], D[3][3], G[3][3] = {{0}}, u[4][3];
        for (int a = 0; a <= dim; a++)
            for (int i = 0; i < dim; i++) {
                u[a][i] = x[v[a] * dim + i] - mesh->x[v[a] * dim + i];
                if (a > 0) // column a - 1
                    E[i][a - 1] = mesh->x[v[a] * dim + i] - mesh->x[v[0] * dim + i];
            }
        invert(dim, E, D);
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++)
                for (int a = 0; a < dim; a++)
                    G[i][j] += (u[a + 1][i] - u[0][i]) * D[a][j];
        for (int q = 0; q <= dim; q++) { // all elements have one volume: no weights
            double at[3] = {0, 0, 0}, approximate[3] = {0, 0, 0}, exact[3][3], error[3][3];
            for (int a = 0; a <= dim; a++)
                for (int i = 0; i < dim; i++) {
                    at[i] += (a == q ? near : far) * mesh->x[v[a] * dim + i];
                    approximate[i] += (a == q ? near : far) * u[a][i];
                }
            for (int i = 0; i < dim; i++) {
                double value = AMPLITUDE[i] * wave(dim, at, -1, -1);
                square += (approximate[i] - value) * (approximate[i] - value);
                square_all += value * value;
                for (int j = 0; j < dim; j++) {
                    exact[i][j] = AMPLITUDE[i] * wave(dim, at, j, -1);
                    error[i][j] = G[i][j] - exact[i][j];
                }
            }
            energy += density(dim, mu, lambda, error);
            energy_all += density(dim, mu, lambda, exact);
        }
    }
    return (Errors){sqrt(square / square_all), sqrt(energy / energy_all)};
}

static Errors errors_on(int dim, int cells) {
    static const char *const FACES[] = {"x-min", "x-max", "y-min", "y-max", "z-min", "z-max"};
    PhysicsScene *scene = physics_box(dim, 1, 1, 1, cells, cells, cells);
    for (int f = 0; f < 2 * dim; f++)
        physics_pin(scene, FACES[f]);
    scene->material.model = dim == 3 ? THAW_MATERIAL_STVK : THAW_MATERIAL_STABLE_NEO_HOOKEAN;
    ThawWorld *world = physics_world(scene);
    double mu = scene->material.young / (2 * (1 + scene->material.poisson));
    double lambda = 2 * mu * scene->material.poisson / (1 - 2 * scene->material.poisson);
    double *m = physics_masses(world), *f = physics_positions(world);
    for (int32_t i = 0; i < scene->mesh->vertex_count; i++) {
        body_force(dim, mu, lambda, scene->mesh->x + i * dim, f + i * dim);
        for (int k = 0; k < dim; k++)
            f[i * dim + k] *= m[i] / scene->material.density;
    }
    assert_int_equal(thaw_world_set_forces(world, 0, f), THAW_OK);
    physics_static(world);
    double *x = physics_positions(world);
    Errors errors = measure(scene, x, mu, lambda);
    free(m);
    free(f);
    free(x);
    thaw_world_free(&world);
    physics_scene_free(&scene);
    return errors;
}

static void linear_elements_converge_with_order_two_and_one(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Errors last = {0, 0};
        int finest = dim == 2 ? 64 : 16;
        for (int cells = finest / 4; cells <= finest; cells *= 2) {
            Errors now = errors_on(dim, cells);
            double l2 = log2(last.l2 / now.l2), energy = log2(last.energy / now.energy);
            print_message("%dD, %2d cells: L2 error %.3e, energy error %.3e", dim, cells, now.l2, now.energy);
            print_message(last.l2 > 0 ? ", orders %.3f and %.3f\n" : "\n", l2, energy);
            if (cells == finest) {
                assert_true(l2 > 1.85 && l2 < 2.15);
                assert_true(energy > 0.9 && energy < 1.1);
            }
            last = now;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_affine_boundary_takes_the_inside_with_it),
        cmocka_unit_test(linear_elements_converge_with_order_two_and_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
