// SPDX-License-Identifier: Apache-2.0
// The energy ledger: kinetic, elastic and gravitational energy, less the works that came in, stay what they were. Every
// integrator in every kind of load, 2D and 3D; and what the integration itself takes is of first order in h.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "physics/support_physics.h"
#include "support/world.h"

typedef enum Load { OSCILLATION, TWIST, DAMPED, WINDOW, LOAD_COUNT } Load;
static const char *const LOADS[] = {"free oscillation", "scripted twist", "damped swing", "force window"};
static const char *const INTEGRATORS[] = {"semi-implicit", "Newton"};

static PhysicsScene *make_bar(int dim, int integrator, Load load) {
    PhysicsScene *scene = physics_box(dim, 0.6, 0.2, 0.2, 6, 2, 2);
    physics_jitter(scene, 0.1, 0.2, 5);
    scene->material.young = 2e5;
    scene->world.integrator = integrator;
    scene->world.ledger = 1;
    scene->world.h = 0.005;
    physics_pin(scene, "x-min");
    if (load == OSCILLATION)
        scene->world.gravity[1] = -9.81;
    if (load == DAMPED) {
        scene->world.gravity[1] = -9.81;
        scene->material.alpha0 = 0.5;
        scene->material.alpha1 = 0.01;
    }
    if (load == TWIST) { // half a turn and a pull, then let go
        static const ThawKey KEYS[] = {{0.01, {0, 0, 0}, {1, 0, 0, 0}}, {0.12, {0.05, 0.02, 0}, {0, 1, 0, 0}}};
        static const ThawKey FLAT[] = {{0.01, {0, 0, 0}, {1, 0, 0, 0}}, {0.12, {0.05, 0.02, 0}, {0.8, 0, 0, 0.6}}};
        physics_pin(scene, "x-max");
        ThawScriptDef *script = &scene->scripts[1];
        memcpy(script->centre, (double[]){0.6, 0.1, 0.1}, sizeof script->centre);
        script->keys = dim == 3 ? KEYS : FLAT;
        script->key_count = 2;
        script->interpolation = THAW_INTERPOLATE_SMOOTH;
        script->release = 0.15;
    }
    if (load == WINDOW) {
        scene->force = (ThawForceDef){
            .group = physics_group(scene, "x-max"), .value = {5, 20, -10}, .from = 0.03, .to = 0.15, .ramp = 0.04};
        scene->body.force_count = 1;
    }
    return scene;
}

static void the_ledger_closes(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int integrator = 0; integrator < 2; integrator++)
            for (int load = 0; load < LOAD_COUNT; load++) {
                PhysicsScene *scene = make_bar(dim, integrator, load);
                ThawWorld *world = physics_world(scene);
                ThawLedger start, now;
                thaw_world_get_ledger(world, &start);
                double worst = 0, size = 0, damping = 0;
                for (int step = 0; step < 60; step++) {
                    physics_run(world, 1);
                    thaw_world_get_ledger(world, &now);
                    worst = fmax(worst, fabs(ledger_balance(&now) - ledger_balance(&start)));
                    size = fmax(size, now.kinetic + now.elastic);
                    assert_true(now.damping_loss >= damping); // damping never gives
                    damping = now.damping_loss;
                }
                print_message("%dD, %s, %s: open by %.2g of %.3g J; external %.3g, damping %.3g, integration %.3g J\n",
                              dim, INTEGRATORS[integrator], LOADS[load], worst, size, now.external_work,
                              now.damping_loss, now.integration_loss);
                assert_true(size > 1e-2 && worst < 1e-9 * size);
                assert_true((load == DAMPED) == (now.damping_loss > 0));
                assert_true((load == TWIST || load == WINDOW) == (now.external_work != 0));
                thaw_world_free(&world);
                physics_scene_free(&scene);
            }
}

// Both ends pushed together so fast that steps must be cut and stiffness projected, damped.
static void the_ledger_closes_when_the_going_is_rough(void **state) {
    (void)state;
    static const ThawKey KEYS[] = {{0, {0, 0, 0}, {1, 0, 0, 0}}, {0.1, {-0.35, 0.1, 0}, {1, 0, 0, 0}}};
    int cut = 0, projected = 0;
    for (int dim = 2; dim <= 3; dim++)
        for (int integrator = 0; integrator < 2; integrator++)
            for (int model = 0; model < THAW_MATERIAL_MODEL_COUNT; model++) {
                PhysicsScene *scene = make_bar(dim, integrator, DAMPED);
                scene->material.model = model;
                scene->material.young = 2e4;
                scene->world.h = 0.02;
                physics_pin(scene, "x-max");
                scene->scripts[1].keys = KEYS;
                scene->scripts[1].key_count = 2;
                ThawWorld *world = physics_world(scene);
                ThawLedger start;
                thaw_world_get_ledger(world, &start);
                double worst = 0, size = 0;
                int parts = 1, projections = 0;
                for (int step = 0; step < 50; step++) {
                    ThawStepStats stats;
                    ThawError error;
                    assert_int_equal(thaw_world_step(world, &stats, &error), THAW_OK);
                    worst = fmax(worst, fabs(ledger_balance(&stats.ledger) - ledger_balance(&start)));
                    size = fmax(size, stats.ledger.kinetic + stats.ledger.elastic);
                    parts = stats.substeps > parts ? stats.substeps : parts;
                    projections += stats.projected;
                }
                print_message("%dD, %s, %s: open by %.2g of %.3g J; steps cut into %d, projected %d times\n", dim,
                              INTEGRATORS[integrator], thaw_material_model_name(model), worst, size, parts,
                              projections);
                assert_true(worst < 1e-9 * size);
                cut += parts > 1;
                projected += projections;
                thaw_world_free(&world);
                physics_scene_free(&scene);
            }
    assert_true(cut > 0 && projected > 0);
}

static double loss_at(int integrator, double h) {
    PhysicsScene *scene = make_bar(3, integrator, OSCILLATION);
    scene->world.h = h;
    ThawWorld *world = physics_world(scene);
    ThawLedger now;
    physics_run(world, lround(0.2 / h));
    thaw_world_get_ledger(world, &now);
    thaw_world_free(&world);
    physics_scene_free(&scene);
    return now.integration_loss;
}

static void the_integration_s_loss_halves_with_the_step(void **state) {
    (void)state;
    for (int integrator = 0; integrator < 2; integrator++) {
        double loss[3];
        for (int i = 0; i < 3; i++)
            loss[i] = loss_at(integrator, 0.0008 / (1 << i));
        print_message("%s: integration loss %.4g, %.4g, %.4g J at h, h/2, h/4: ratios %.3f, %.3f\n",
                      INTEGRATORS[integrator], loss[0], loss[1], loss[2], loss[0] / loss[1], loss[1] / loss[2]);
        assert_true(loss[2] > 0 && fabs(loss[1] / loss[2] - 2) < 0.1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ledger_closes),
        cmocka_unit_test(the_ledger_closes_when_the_going_is_rough),
        cmocka_unit_test(the_integration_s_loss_halves_with_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
