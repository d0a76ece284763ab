// SPDX-License-Identifier: Apache-2.0
// A block pulled or pressed by dead loads against the exact homogeneous solution of every material. When pulled, two
// corners (three in 3D) are held where that solution has them, so that the block cannot turn; a pressed one would turn
// all the same (dead loads), so the whole ends are held instead. With free sides the transverse stretch is where the
// scalar equation P_t(lambda, lambda_t) = 0 has its root; confined means that the sides are pushed by just P_t(lambda,
// 1). In 2D the third axis is plane strain.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "physics/support_physics.h"

// The transverse stretch at which the sides are free of stress, by bisection: P_t grows with it.
static double free_transverse(const ThawMaterialDef *material, int dim, double lambda) {
    double low = 0.6, high = 1.6;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2, stretch[3] = {lambda, middle, dim == 3 ? middle : 1}, P[3];
        physics_stress(material, stretch, P);
        if (P[1] > 0)
            high = middle;
        else
            low = middle;
    }
    return (low + high) / 2;
}

// f += P along its normal on every face of the box: each boundary simplex shares its load evenly among its vertices.
static void add_tractions(const PhysicsScene *scene, const double P[3], double *f) {
    const ThawMesh *mesh = scene->mesh;
    int dim = mesh->dim;
    for (int32_t e = 0; e < mesh->element_count; e++)
        for (int skip = 0; skip <= dim; skip++)
            for (int side = 0; side < 2 * dim; side++) {
                int axis = side / 2, on = 1;
                double plane = side % 2 ? scene->hi[axis] : scene->lo[axis];
                const double *corner[3];
                for (int a = 0, c = 0; a <= dim; a++)
                    if (a != skip) {
                        corner[c] = mesh->x + mesh->elements[e * mesh->nodes + a] * dim;
                        on &= corner[c++][axis] == plane;
                    }
                if (!on)
                    continue;
                double area, u[3] = {0}, v[3] = {0};
                for (int k = 0; k < dim; k++) {
                    u[k] = corner[1][k] - corner[0][k];
                    v[k] = dim == 3 ? corner[2][k] - corner[0][k] : 0;
                }
                if (dim == 2)
                    area = scene->shape.thickness * hypot(u[0], u[1]);
                else
                    area = sqrt(pow(u[1] * v[2] - u[2] * v[1], 2) + pow(u[2] * v[0] - u[0] * v[2], 2) +
                                pow(u[0] * v[1] - u[1] * v[0], 2)) /
                           2;
                for (int a = 0; a <= dim; a++)
                    if (a != skip)
                        f[mesh->elements[e * mesh->nodes + a] * dim + axis] +=
                            (side % 2 ? 1 : -1) * P[axis] * area / dim;
            }
}

// Corners 0, x and (3D) y; or every vertex of both ends.
static void hold_block(PhysicsScene *scene, const double stretch[3]) {
    int dim = scene->mesh->dim;
    for (int32_t i = 0; i < scene->mesh->vertex_count; i++) {
        const double *X = scene->mesh->x + i * dim;
        int off = 0; // coordinates that are not 0
        for (int k = 0; k < dim; k++)
            off += X[k] != 0;
        int corner = off == 0 || (off == 1 && (X[0] == scene->hi[0] || (dim == 3 && X[1] == scene->hi[1])));
        int end = X[0] == 0 || X[0] == scene->hi[0];
        double shift[3] = {0, 0, 0};
        for (int k = 0; k < dim; k++)
            shift[k] = (stretch[k] - 1) * X[k];
        if (stretch[0] > 1 ? corner : end)
            physics_hold(scene, i, shift);
    }
}

// The largest departure of any vertex from the homogeneous stretch, and of any stress.
static void compare_block(int dim, ThawMaterialModel model, double lambda, int confined) {
    PhysicsScene *scene = physics_box(dim, 0.4, 0.3, 0.2, 4, 3, 2);
    physics_jitter(scene, 0.1, 0.2, 11);
    scene->material.model = model;
    scene->shape.thickness = 0.25;
    double stretch[3] = {lambda, 1, 1}, P[3];
    if (!confined)
        stretch[1] = stretch[2] = free_transverse(&scene->material, dim, lambda);
    if (dim == 2)
        stretch[2] = 1;
    physics_stress(&scene->material, stretch, P);
    hold_block(scene, stretch);
    ThawWorld *world = physics_world(scene);
    double *f = calloc(physics_coordinates(world), sizeof *f);
    assert_non_null(f);
    add_tractions(scene, P, f);
    assert_int_equal(thaw_world_set_forces(world, 0, f), THAW_OK);
    physics_static(world);
    double *x = physics_positions(world), worst = 0, worst_stress = 0;
    for (int32_t i = 0; i < scene->mesh->vertex_count; i++)
        for (int k = 0; k < dim; k++)
            worst = fmax(worst, fabs(x[i * dim + k] - stretch[k] * scene->mesh->x[i * dim + k]));
    double sigma[3], J = stretch[0] * stretch[1] * stretch[2];
    for (int k = 0; k < 3; k++)
        sigma[k] = P[k] * stretch[k] / J;
    double mises = sqrt((pow(sigma[0] - sigma[1], 2) + pow(sigma[1] - sigma[2], 2) + pow(sigma[2] - sigma[0], 2)) / 2);
    double *stress = calloc((size_t)scene->mesh->element_count, sizeof *stress);
    assert_non_null(stress);
    assert_int_equal(thaw_world_get_stresses(world, 0, stress), THAW_OK);
    for (int32_t e = 0; e < scene->mesh->element_count; e++)
        worst_stress = fmax(worst_stress, fabs(stress[e] / mises - 1));
    print_message("%dD, %s, stretched by %.2f, %s (%.6f): off by %.2g m, von Mises stress %.6g Pa off by %.2g\n", dim,
                  thaw_material_model_name(model), lambda, confined ? "confined" : "free sides", stretch[1], worst,
                  mises, worst_stress);
    assert_true(worst < 1e-9 && worst_stress < 1e-7);
    free(f);
    free(x);
    free(stress);
    thaw_world_free(&world);
    physics_scene_free(&scene);
}

static void a_stretched_block_is_the_exact_solution(void **state) {
    (void)state;
    static const double STRETCHES[] = {0.9, 1.15, 1.4};
    for (int dim = 2; dim <= 3; dim++)
        for (int model = 0; model < THAW_MATERIAL_MODEL_COUNT; model++)
            for (int i = 0; i < 3; i++)
                for (int confined = 0; confined < 2; confined++)
                    compare_block(dim, model, STRETCHES[i], confined);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_stretched_block_is_the_exact_solution)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
