// SPDX-License-Identifier: Apache-2.0
// The beam that other programs were run on: 1 x 0.2 x 0.2 m, clamped at x = 0, 34 x 5 x 5 cells of Kuhn tetrahedra, E
// 5e6, nu 0.3, 1000 kg/m^3, 9.81 m/s^2. CalculiX and FEniCSx agree on the static tip to the digits below, for a large
// deflection (Saint Venant-Kirchhoff) and for linear elasticity; Stark, VegaFEM and Bullet were run for 0.6 s with
// steps of 0.01 s. The tip is the vertex (1, 0.2, 0.2).
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "physics/support_physics.h"

static PhysicsScene *make_beam(ThawMaterialModel model) {
    PhysicsScene *scene = physics_box(3, 1, 0.2, 0.2, 34, 5, 5);
    scene->material.model = model;
    scene->material.young = 5e6;
    scene->world.gravity[2] = -9.81;
    scene->world.solver_tolerance = 1e-10;
    physics_pin(scene, "x-min");
    return scene;
}

static double tip(const PhysicsScene *scene, const ThawWorld *world) {
    return physics_coordinate(world, physics_nearest(scene, 1, 0.2, 0.2), 2) - 0.2;
}

static double static_tip(ThawMaterialModel model, double scale) {
    PhysicsScene *scene = make_beam(model);
    scene->world.gravity[2] *= scale;
    ThawWorld *world = physics_world(scene);
    physics_static(world);
    double z = tip(scene, world) / scale;
    thaw_world_free(&world);
    physics_scene_free(&scene);
    return z;
}

static void the_static_tip_is_that_of_calculix_and_fenicsx(void **state) {
    (void)state;
    double z = static_tip(THAW_MATERIAL_STVK, 1);
    print_message("static tip, Saint Venant-Kirchhoff: %.9f m (peers: -0.0656403)\n", z);
    assert_true(fabs(z - -0.0656403) <= 0.5e-7);
}

static void under_a_small_load_every_material_is_linear(void **state) {
    (void)state;
    for (int model = 0; model < THAW_MATERIAL_MODEL_COUNT; model++) {
        double z = static_tip(model, 1e-6);
        print_message("small-load tip, %s: %.9f m (peers: -0.0655143)\n", thaw_material_model_name(model), z);
        assert_true(fabs(z - -0.0655143) <= 1.0e-7); // half a digit, and 1e-6 of nonlinearity
    }
}

static void the_swinging_tip_is_where_peers_find_it(void **state) {
    (void)state;
    static const double PEERS[] = {-0.09563, -0.09548, -0.09566}; // Stark, VegaFEM, Bullet
    static const char *const NAMES[] = {"semi-implicit", "Newton"};
    for (int integrator = 0; integrator < 2; integrator++) {
        PhysicsScene *scene = make_beam(THAW_MATERIAL_STVK);
        scene->world.integrator = integrator;
        scene->world.newton_tolerance = 1e-8;
        ThawWorld *world = physics_world(scene);
        physics_run(world, 60);
        double z = tip(scene, world);
        print_message("tip at 0.6 s, %s: %.6f m (peers: -0.09563, -0.09548, -0.09566)\n", NAMES[integrator], z);
        for (int i = 0; i < 3; i++)
            assert_true(fabs(z / PEERS[i] - 1) < 0.005);
        thaw_world_free(&world);
        physics_scene_free(&scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_static_tip_is_that_of_calculix_and_fenicsx),
        cmocka_unit_test(under_a_small_load_every_material_is_linear),
        cmocka_unit_test(the_swinging_tip_is_where_peers_find_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
