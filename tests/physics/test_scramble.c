// SPDX-License-Identifier: Apache-2.0
// Stable neo-Hookean earns its name: a body whose vertices were strewn at random, pressed into a plane, crushed almost
// to a point or turned inside out unfolds to its rest shape, by damped Newton steps with projected stiffness.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "math/vec3.h"
#include "physics/support_physics.h"

typedef enum Mess { STREWN, FLAT, CRUSHED, REVERSED, MESS_COUNT } Mess;
static const char *const MESSES[] = {"strewn at random", "pressed into a plane", "crushed almost to a point",
                                     "turned inside out"};

static double volume(const ThawMesh *mesh, const double *x, int32_t e) {
    const int32_t *v = mesh->elements + e * mesh->nodes;
    double d[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 1}};
    for (int a = 0; a < mesh->dim; a++)
        for (int k = 0; k < mesh->dim; k++)
            d[a][k] = x[v[a + 1] * mesh->dim + k] - x[v[0] * mesh->dim + k];
    return thaw_v3_triple(d[0], d[1], d[2]);
}

static void put_into_a_mess(const PhysicsScene *scene, Mess mess, uint64_t seed, double *x) {
    int dim = scene->mesh->dim;
    for (int32_t i = 0; i < scene->mesh->vertex_count; i++)
        for (int k = 0; k < dim; k++) {
            double rest = scene->mesh->x[i * dim + k], middle = scene->hi[k] / 2, *to = &x[i * dim + k];
            if (mess == STREWN)
                *to = middle + middle * physics_random(&seed);
            else if (mess == FLAT)
                *to = k == dim - 1 ? 0 : rest;
            else if (mess == CRUSHED)
                *to = middle + 5e-2 * (rest - middle) + 1e-4 * physics_random(&seed);
            else
                *to = k == 0 ? 2 * middle - rest : rest;
        }
}

static void recover(int dim, Mess mess, uint64_t seed) {
    PhysicsScene *scene = physics_box(dim, 1, 1, 1, 3, 3, 3);
    scene->material.young = 1e5;
    scene->material.poisson = 0.4;
    scene->material.alpha0 = 2;
    scene->world.integrator = THAW_INTEGRATOR_NEWTON;
    scene->world.newton_tolerance = 1e-6;
    scene->world.newton_iterations = 200;
    scene->world.solver_tolerance = 1e-8;
    scene->world.h = 0.05;
    ThawWorld *world = physics_world(scene);
    double *x = physics_positions(world), *X = scene->mesh->x;
    put_into_a_mess(scene, mess, seed, x);
    int32_t inverted = 0, inverted_at_end = 0;
    for (int32_t e = 0; e < scene->mesh->element_count; e++)
        inverted += volume(scene->mesh, x, e) <= 0;
    assert_int_equal(thaw_world_set_positions(world, 0, x), THAW_OK);
    physics_run(world, 300);
    thaw_world_get_positions(world, 0, x);
    for (int32_t e = 0; e < scene->mesh->element_count; e++)
        inverted_at_end += volume(scene->mesh, x, e) <= 0;
    double worst = 0; // over all pairs: the shape, wherever it flew
    for (int32_t i = 0; i < scene->mesh->vertex_count; i++)
        for (int32_t j = 0; j < i; j++)
            worst = fmax(worst, fabs(physics_distance(x + i * dim, x + j * dim, (size_t)dim) -
                                     physics_distance(X + i * dim, X + j * dim, (size_t)dim)));
    print_message("%dD, %s: %d of %d elements inverted or flat at first, %d at the end, distances off by %.2g m\n", dim,
                  MESSES[mess], (int)inverted, (int)scene->mesh->element_count, (int)inverted_at_end, worst);
    assert_true(inverted > 0 || mess == CRUSHED);
    assert_int_equal(inverted_at_end, 0);
    assert_true(worst < 1e-3);
    free(x);
    thaw_world_free(&world);
    physics_scene_free(&scene);
}

// In 2D most ways of strewing wind the triangles twice around some vertex. That is an equilibrium with no element
// inverted, which a body cannot leave; so the seed there is one that does not. In 3D any will do.
static void a_scrambled_body_recovers_its_rest_shape(void **state) {
    (void)state;
    for (int mess = 0; mess < MESS_COUNT; mess++) {
        recover(2, mess, 2);
        for (uint64_t seed = 1; seed <= (mess == STREWN || mess == CRUSHED ? 3 : 1); seed++)
            recover(3, mess, seed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_scrambled_body_recovers_its_rest_shape)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
