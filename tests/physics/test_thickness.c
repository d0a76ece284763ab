// SPDX-License-Identifier: Apache-2.0
// Plane strain is a slice of something endless: the thickness scales masses, forces and energies, and changes no
// motion.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "physics/support_physics.h"

typedef struct Slice {
    double mass;      // kg
    double *x;        // after half a second
    ThawLedger works; // J
} Slice;

static Slice swing(double thickness, double force, int integrator) {
    PhysicsScene *scene = physics_box(2, 0.5, 0.1, 0, 10, 2, 0);
    physics_jitter(scene, 0.05, 0.2, 19);
    scene->shape.thickness = thickness;
    scene->material.alpha0 = 0.2;
    scene->material.alpha1 = 0.005;
    scene->material.young = 2e5;
    scene->world.gravity[1] = -9.81;
    scene->world.integrator = integrator;
    scene->world.ledger = 1;
    physics_pin(scene, "x-min");
    scene->force.group = physics_group(scene, "x-max");
    scene->force.value[0] = force;
    scene->force.value[1] = 2 * force;
    scene->body.force_count = 1;
    ThawWorld *world = physics_world(scene);
    physics_run(world, 50);
    Slice slice = {.x = physics_positions(world)};
    thaw_world_get_ledger(world, &slice.works);
    double *m = physics_masses(world);
    for (int32_t i = 0; i < scene->mesh->vertex_count; i++)
        slice.mass += m[i];
    free(m);
    thaw_world_free(&world);
    physics_scene_free(&scene);
    return slice;
}

static void thickness_scales_mass_and_force_but_not_motion(void **state) {
    (void)state;
    enum { COORDINATES = 2 * 11 * 3 };
    static const double THICKNESSES[] = {0.25, 0.3, 7};
    for (int integrator = 0; integrator < 2; integrator++) {
        Slice unit = swing(1, 5, integrator);
        for (int i = 0; i < 3; i++) {
            double t = THICKNESSES[i];
            Slice slice = swing(t, 5 * t, integrator);
            double apart = physics_distance(unit.x, slice.x, COORDINATES);
            double mass = slice.mass / (t * unit.mass) - 1;
            double work = slice.works.external_work / (t * unit.works.external_work) - 1;
            double loss = slice.works.damping_loss / (t * unit.works.damping_loss) - 1;
            print_message("%s, thickness %g: moved apart by %.2g m; mass, work and damping off by %.2g, %.2g, %.2g\n",
                          integrator ? "Newton" : "semi-implicit", t, apart, mass, work, loss);
            assert_true(apart < 1e-10);
            assert_true(fabs(mass) < 1e-14 && fabs(work) < 1e-9 && fabs(loss) < 1e-9);
            free(slice.x);
        }
        free(unit.x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(thickness_scales_mass_and_force_but_not_motion)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
