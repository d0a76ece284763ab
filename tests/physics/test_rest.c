// SPDX-License-Identifier: Apache-2.0
// Rest stays rest: an unloaded body keeps the bits of its positions, and a loaded one that is damped comes to a stop.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "physics/support_physics.h"

static const char *const NAMES[] = {"semi-implicit", "Newton"};

static double fastest(const ThawWorld *world) {
    double *v = physics_velocities(world), worst = 0;
    for (size_t i = 0; i < physics_coordinates(world); i++)
        worst = fmax(worst, fabs(v[i]));
    free(v);
    return worst;
}

static void an_unloaded_body_stays_where_it_is(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int model = 0; model < THAW_MATERIAL_MODEL_COUNT; model++)
            for (int integrator = 0; integrator < 2; integrator++)
                for (int odd = 0; odd < 2; odd++) { // cells of a quarter, or of a size no double can hold
                    PhysicsScene *scene =
                        physics_box(dim, odd ? 0.7 : 1, odd ? 0.3 : 0.5, odd ? 0.3 : 0.5, odd ? 3 : 4, 2, 2);
                    scene->material.model = model;
                    scene->material.alpha1 = odd ? 0.01 : 0;
                    scene->world.integrator = integrator;
                    if (odd) { // somewhere else, and turned
                        physics_jitter(scene, 0.1, 0.2, 17);
                        scene->body.position[0] = 12.3;
                        scene->body.rotation[0] = 0.8;
                        scene->body.rotation[3] = 0.6;
                    }
                    ThawWorld *world = physics_world(scene);
                    double *before = physics_positions(world);
                    physics_run(world, 1000);
                    double *after = physics_positions(world), moved = 0;
                    for (size_t i = 0; i < physics_coordinates(world); i++)
                        moved = fmax(moved, fabs(after[i] - before[i]));
                    print_message("%dD, %s, %s, %s cells: moved by %.2g m, at %.2g m/s after 1000 steps\n", dim,
                                  thaw_material_model_name(model), NAMES[integrator], odd ? "odd" : "even", moved,
                                  fastest(world));
                    assert_true(moved < 1e-11 && fastest(world) < 1e-11);
                    free(before);
                    free(after);
                    thaw_world_free(&world);
                    physics_scene_free(&scene);
                }
}

static void a_damped_body_under_gravity_comes_to_a_stop(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int integrator = 0; integrator < 2; integrator++) {
            PhysicsScene *scene = physics_box(dim, 0.5, 0.1, 0.1, 10, 2, 2);
            scene->material.young = 1e6;
            scene->material.alpha0 = 2;
            scene->material.alpha1 = 0.02;
            scene->world.gravity[1] = -9.81;
            scene->world.integrator = integrator;
            scene->world.newton_tolerance = 1e-10;
            scene->world.solver_tolerance = 1e-10;
            physics_pin(scene, "x-min");
            ThawWorld *world = physics_world(scene);
            physics_run(world, 1500);
            double speed = fastest(world), *x = physics_positions(world);
            physics_static(world);
            double *rest = physics_positions(world), apart = physics_distance(x, rest, physics_coordinates(world));
            print_message("%dD, %s: %.2g m/s after 1500 steps, %.2g m from the static solution\n", dim,
                          NAMES[integrator], speed, apart);
            assert_true(speed < 1e-10);
            assert_true(apart < 1e-8);
            free(x);
            free(rest);
            thaw_world_free(&world);
            physics_scene_free(&scene);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unloaded_body_stays_where_it_is),
        cmocka_unit_test(a_damped_body_under_gravity_comes_to_a_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
