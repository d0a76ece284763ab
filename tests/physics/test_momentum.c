// SPDX-License-Identifier: Apache-2.0
// What a free body keeps.
//
// Linear momentum: inner forces cancel in pairs, so both integrators change it by the outer forces only, to the
// solver's tolerance. In free fall v_n = v_0 + n h g and x_n = x_0 + n h v_0 + h^2 g n (n + 1) / 2: the parabola plus g
// t h / 2.
//
// Angular momentum: backward Euler takes the forces at the end of the step, where they have no torque about x1; hence
// sum x1 cross m (v1 - v0) = 0 exactly, but about x0 the body loses h^2 sum v1 cross f, so L drifts by O(h) over a
// fixed time. The semi-implicit step has sum x0 cross m (v1 - v0) = h^2 sum f(x0) cross v1: exact from a stress-free
// start, and a drift of O(h) after it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/vec3.h"
#include "physics/support_physics.h"
#include "support/world.h"

static const char *const NAMES[] = {"semi-implicit", "Newton"};

static PhysicsScene *make_flyer(int dim, int integrator) {
    PhysicsScene *scene = physics_box(dim, 0.4, 0.3, 0.2, 4, 3, 2);
    physics_jitter(scene, 0.1, 0.2, 3);
    scene->material.young = 1e5;
    scene->world.integrator = integrator;
    scene->body.position[0] = 2;
    scene->body.velocity[0] = 1.5;
    scene->body.velocity[1] = -0.5;
    return scene;
}

static void a_free_fall_is_the_scheme_s_parabola(void **state) {
    (void)state;
    enum { STEPS = 100 };
    for (int dim = 2; dim <= 3; dim++)
        for (int integrator = 0; integrator < 2; integrator++) {
            PhysicsScene *scene = make_flyer(dim, integrator);
            const double g[3] = {0.3, -9.81, dim == 3 ? 2 : 0};
            memcpy(scene->world.gravity, g, sizeof g);
            ThawWorld *world = physics_world(scene);
            double *start = physics_positions(world), p0[3], p1[3], L[3], h = scene->world.h, t = STEPS * h;
            physics_momentum(world, p0, L);
            physics_run(world, STEPS);
            physics_momentum(world, p1, L);
            double *x = physics_positions(world), *m = physics_masses(world), mass = 0, worst = 0, ahead = 0;
            for (int32_t i = 0; i < scene->mesh->vertex_count; i++) {
                mass += m[i];
                for (int k = 0; k < dim; k++) {
                    double parabola = start[i * dim + k] + t * scene->body.velocity[k] + g[k] * t * t / 2;
                    worst = fmax(worst, fabs(x[i * dim + k] - parabola - g[k] * t * h / 2));
                    ahead = fmax(ahead, fabs(x[i * dim + k] - parabola));
                }
            }
            double impulse = 0;
            for (int k = 0; k < dim; k++)
                impulse = fmax(impulse, fabs(p1[k] - p0[k] - mass * g[k] * t));
            print_message("free fall, %dD, %s: %.2g m off the scheme's parabola (%.3g m off the true one), momentum "
                          "off by %.2g of %.3g kg m/s\n",
                          dim, NAMES[integrator], worst, ahead, impulse, thaw_v3_norm(p1));
            assert_true(worst < 1e-10);                         // a hundred solves to 1e-12
            assert_true(fabs(ahead - 9.81 * t * h / 2) < 1e-9); // first order, with this very constant
            assert_true(impulse < 1e-10 * thaw_v3_norm(p1));
            free(start);
            free(x);
            free(m);
            thaw_world_free(&world);
            physics_scene_free(&scene);
        }
}

typedef struct Drift {
    double linear, angular, torque; // relative: total, total, worst of any step about its end
    double first;                   // relative change of L in the first step
    double energy;                  // what the ledger does not explain, over the start energy
    double loss;                    // energy lost, over the start energy
} Drift;

static Drift spin(int dim, int integrator, double h, double time) {
    PhysicsScene *scene = make_flyer(dim, integrator);
    scene->world.h = h;
    scene->world.ledger = 1;
    scene->body.spin[0] = dim == 3 ? 2 : 0;
    scene->body.spin[1] = dim == 3 ? -3 : 0;
    scene->body.spin[2] = 5;
    ThawWorld *world = physics_world(scene);
    double p0[3], L0[3], p[3], L[3], before[3], *v0 = physics_velocities(world), *m = physics_masses(world);
    ThawLedger start, now;
    thaw_world_get_ledger(world, &start);
    physics_momentum(world, p0, L0);
    memcpy(before, L0, sizeof L0);
    Drift drift = {0};
    for (int step = 0; step < lround(time / h); step++) {
        thaw_world_get_velocities(world, 0, v0);
        physics_run(world, 1);
        physics_momentum(world, p, L);
        double *x = physics_positions(world), *v = physics_velocities(world), turn[3] = {0, 0, 0};
        for (int32_t i = 0; i < scene->mesh->vertex_count; i++) {
            double r[3] = {0, 0, 0}, dv[3] = {0, 0, 0};
            for (int k = 0; k < dim; k++) {
                r[k] = x[i * dim + k];
                dv[k] = m[i] * (v[i * dim + k] - v0[i * dim + k]);
            }
            for (int k = 0; k < 3; k++)
                turn[k] += r[(k + 1) % 3] * dv[(k + 2) % 3] - r[(k + 2) % 3] * dv[(k + 1) % 3];
        }
        drift.torque = fmax(drift.torque, thaw_v3_norm(turn) / thaw_v3_norm(L0));
        if (step == 0)
            drift.first = physics_distance(L, before, 3) / thaw_v3_norm(L0);
        free(x);
        free(v);
    }
    thaw_world_get_ledger(world, &now);
    drift.linear = physics_distance(p, p0, 3) / thaw_v3_norm(p0);
    drift.angular = physics_distance(L, L0, 3) / thaw_v3_norm(L0);
    drift.energy = (ledger_balance(&now) - ledger_balance(&start)) / start.kinetic;
    drift.loss = now.integration_loss / start.kinetic;
    assert_true(now.damping_loss == 0 && now.external_work == 0);
    free(v0);
    free(m);
    thaw_world_free(&world);
    physics_scene_free(&scene);
    return drift;
}

static void a_free_spin_keeps_what_its_integrator_can_keep(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int integrator = 0; integrator < 2; integrator++) {
            Drift coarse = spin(dim, integrator, 0.002, 0.4), fine = spin(dim, integrator, 0.001, 0.4);
            double ratio = coarse.angular / fine.angular;
            print_message(
                "free spin, %dD, %s: linear momentum off by %.2g, angular by %.3g at h and %.3g at h/2 (ratio "
                "%.2f), torque about the end %.2g, first step %.2g; energy lost %.3g, unexplained %.2g\n",
                dim, NAMES[integrator], fine.linear, coarse.angular, fine.angular, ratio, fine.torque, fine.first,
                fine.loss, fine.energy);
            assert_true(coarse.linear < 1e-11 && fine.linear < 1e-11);
            assert_true(coarse.angular < 0.1 && ratio > 1.8 && ratio < 2.2);
            assert_true(fine.loss > 0 && fine.loss < 0.1 && fabs(fine.energy) < 1e-9);
            if (integrator == THAW_INTEGRATOR_NEWTON)
                assert_true(fine.torque < 1e-10);
            else
                assert_true(fine.first < 1e-12);
        }
}

// The angular momentum that is left after `time`, over that at the start.
static double spin_left(double alpha1, ThawDamping damping, double time) {
    PhysicsScene *scene = make_flyer(3, 0);
    scene->world.h = 1e-3;
    scene->material.alpha1 = alpha1;
    scene->material.damping = damping;
    scene->body.spin[2] = 10;
    scene->body.velocity[0] = scene->body.velocity[1] = 0; // so that L is that of the spin
    ThawWorld *world = physics_world(scene);
    double p[3], L0[3], L[3];
    physics_momentum(world, p, L0);
    physics_run(world, (int)lround(time / scene->world.h));
    physics_momentum(world, p, L);
    thaw_world_free(&world);
    physics_scene_free(&scene);
    return thaw_v3_norm(L) / thaw_v3_norm(L0);
}

// alpha1 K acts on a turning body through its tension: centripetal forces m omega^2 r turned by omega, so that
// d omega/dt = -alpha1 omega^3 whatever the step. Rates of strain have no part in it.
static void viscous_damping_leaves_a_spin_alone_and_that_by_stiffness_does_not(void **state) {
    (void)state;
    double free = spin_left(0, THAW_DAMPING_STIFFNESS, 0.2), slowed = spin_left(0.01, THAW_DAMPING_STIFFNESS, 0.2);
    double viscous = spin_left(0.01, THAW_DAMPING_VISCOUS, 0.2);
    print_message("a spin of 10 rad/s after 0.2 s: %.4f without damping, %.4f by stiffness, %.4f viscous\n", free,
                  slowed, viscous);
    assert_true(fabs(slowed - 1 / sqrt(1 + 2 * (0.01 + 1e-3) * 100 * 0.2)) < 0.02);
    assert_true(free > 0.97 && fabs(free - viscous) < 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_fall_is_the_scheme_s_parabola),
        cmocka_unit_test(a_free_spin_keeps_what_its_integrator_can_keep),
        cmocka_unit_test(viscous_damping_leaves_a_spin_alone_and_that_by_stiffness_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
