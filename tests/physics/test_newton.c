// SPDX-License-Identifier: Apache-2.0
// How the integrators converge: Newton's iteration quadratically in each step, both integrators with first order in h
// and to each other, and the same trajectory whichever solver is underneath.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "physics/support_physics.h"

static PhysicsScene *make_arm(double alpha0, double alpha1) {
    PhysicsScene *scene = physics_box(3, 0.5, 0.1, 0.1, 10, 2, 2);
    physics_jitter(scene, 0.05, 0.2, 13);
    scene->material.young = 1e5;
    scene->material.alpha0 = alpha0;
    scene->material.alpha1 = alpha1;
    scene->world.gravity[2] = -9.81;
    physics_pin(scene, "x-min");
    return scene;
}

static int has_cholmod(void) {
    PhysicsScene *scene = make_arm(0, 0);
    ThawWorldDef def = scene->world;
    ThawBodyDef body = thaw_body_def_default();
    def.solver = THAW_SOLVER_CHOLMOD;
    def.materials = &scene->material;
    def.shapes = &scene->shape;
    def.bodies = &body;
    def.material_count = def.shape_count = def.body_count = 1;
    scene->shape.groups = scene->groups;
    ThawWorld *world = NULL;
    ThawError error;
    ThawStatus status = thaw_world_create(&def, &world, &error);
    thaw_world_free(&world);
    physics_scene_free(&scene);
    assert_true(status == THAW_OK || status == THAW_ERROR_UNSUPPORTED);
    return status == THAW_OK;
}

// --- Newton ----------------------------------------------------------------------------------------------------------

// Velocities after one long step from rest, with as many iterations as the tolerance asks for.
static double *step_to(const PhysicsScene *scene, double tolerance, int *iterations) {
    PhysicsScene *copy = malloc(sizeof *copy);
    assert_non_null(copy);
    *copy = *scene;
    copy->world.newton_tolerance = tolerance;
    ThawWorld *world = physics_world(copy);
    ThawStepStats stats;
    ThawError error;
    assert_int_equal(thaw_world_step(world, &stats, &error), THAW_OK);
    assert_int_equal(stats.substeps, 1);
    *iterations = stats.newton_iterations;
    double *v = physics_velocities(world);
    thaw_world_free(&world);
    free(copy);
    return v;
}

// Checks e1 < constant e0^power wherever e0 is near the solution and not yet at rounding.
static void check_iterations(ThawSolverKind solver, int damped, double constant, double power) {
    static const double ALPHA1[] = {0, 0.01};
    PhysicsScene *scene = make_arm(damped, ALPHA1[damped]);
    scene->world.integrator = THAW_INTEGRATOR_NEWTON;
    scene->world.h = 0.1;
    scene->world.solver = solver;
    size_t count = 3 * (size_t)scene->mesh->vertex_count;
    int last = 0, iterations, quick = 0;
    double *exact = step_to(scene, 1e-14, &iterations), error[64] = {0}, size = 0;
    for (size_t i = 0; i < count; i++)
        size += exact[i] * exact[i];
    print_message("Newton over %s, %s: errors", solver == THAW_SOLVER_PCG ? "PCG" : "CHOLMOD",
                  damped ? "damped" : "undamped");
    for (double tolerance = 0.5; tolerance > 1e-14; tolerance /= 3) {
        double *v = step_to(scene, tolerance, &iterations);
        assert_in_range(iterations, 1, 63);
        if (iterations > last) { // one more iteration than the last time
            error[iterations] = physics_distance(v, exact, count) / sqrt(size);
            print_message(" %.1e (%d)", error[iterations], iterations);
            double e0 = error[iterations - 1], e1 = error[iterations];
            if (e0 > 1e-7 && e0 < 1e-2) {
                assert_true(e1 < constant * pow(e0, power));
                quick++;
            }
            last = iterations;
        }
        free(v);
    }
    print_message("\n");
    assert_true(quick >= 1);
    free(exact);
    physics_scene_free(&scene);
}

// Conjugate gradients solve each direction only as well as it can be used, which costs a little of the order.
static void newton_converges_quadratically(void **state) {
    (void)state;
    for (int damped = 0; damped < 2; damped++) {
        check_iterations(THAW_SOLVER_PCG, damped, 10, 1.5);
        if (has_cholmod())
            check_iterations(THAW_SOLVER_CHOLMOD, damped, 300, 2);
    }
}

// --- far starts ------------------------------------------------------------------------------------------------------

// A bar twisted by `degrees` at rest, starting from x (its rest shape if NULL).
static double *twist(ThawMaterialModel model, int degrees, const double *x) {
    PhysicsScene *scene = physics_box(3, 1, 0.25, 0.25, 12, 3, 3);
    scene->material.model = model;
    physics_pin(scene, "x-min");
    physics_pin(scene, "x-max");
    double half = degrees * M_PI / 360;
    ThawKey key = {.rotation = {cos(half), sin(half), 0, 0}};
    ThawScriptDef *script = &scene->scripts[1];
    script->centre[1] = script->centre[2] = 0.125;
    script->keys = &key;
    script->key_count = 1;
    ThawWorld *world = physics_world(scene);
    if (x)
        assert_int_equal(thaw_world_set_positions(world, 0, x), THAW_OK);
    physics_static(world);
    double *result = physics_positions(world);
    thaw_world_free(&world);
    physics_scene_free(&scene);
    return result;
}

static void a_static_solve_finds_its_way_from_far(void **state) {
    (void)state;
    enum { VERTICES = 13 * 4 * 4, FAR = 150, STAGE = 30 };
    static const ThawMaterialModel MODELS[] = {THAW_MATERIAL_STABLE_NEO_HOOKEAN, THAW_MATERIAL_COROTATIONAL};
    for (int i = 0; i < 2; i++) {
        double *at_once = twist(MODELS[i], FAR, NULL), *staged = NULL;
        for (int degrees = STAGE; degrees <= FAR; degrees += STAGE) {
            double *next = twist(MODELS[i], degrees, staged);
            free(staged);
            staged = next;
        }
        double apart = physics_distance(at_once, staged, 3 * VERTICES);
        print_message("%s, twisted by %d degrees at once and in stages: %.2g m apart\n",
                      thaw_material_model_name(MODELS[i]), FAR, apart);
        assert_true(apart < 1e-8);
        free(at_once);
        free(staged);
    }
}

// --- the step size ---------------------------------------------------------------------------------------------------

static double *swing(ThawIntegrator integrator, ThawSolverKind solver, double h, double time, double tolerance) {
    PhysicsScene *scene = make_arm(0.1, 0.002);
    scene->world.integrator = integrator;
    scene->world.h = h;
    scene->world.solver = solver;
    scene->world.solver_tolerance = tolerance;
    ThawWorld *world = physics_world(scene);
    physics_run(world, lround(time / h));
    double *x = physics_positions(world);
    thaw_world_free(&world);
    physics_scene_free(&scene);
    return x;
}

static void halving_the_step_halves_the_error_and_the_integrators_meet(void **state) {
    (void)state;
    enum { LEVELS = 5, VERTICES = 11 * 3 * 3 };
    static const char *const NAMES[] = {"semi-implicit", "Newton"};
    double *x[2][LEVELS];
    for (int integrator = 0; integrator < 2; integrator++) {
        double change[LEVELS] = {0};
        for (int i = 0; i < LEVELS; i++) {
            x[integrator][i] = swing(integrator, THAW_SOLVER_AUTO, 0.004 / (1 << i), 0.12, 1e-12);
            if (i > 0)
                change[i] = physics_distance(x[integrator][i], x[integrator][i - 1], 3 * VERTICES);
        }
        print_message("%s: changes from h to h/2 of %.3g, %.3g, %.3g, %.3g: ratios %.3f, %.3f, %.3f\n",
                      NAMES[integrator], change[1], change[2], change[3], change[4], change[1] / change[2],
                      change[2] / change[3], change[3] / change[4]);
        assert_true(fabs(change[3] / change[4] - 2) < 0.15);
    }
    double apart[LEVELS];
    for (int i = 0; i < LEVELS; i++) {
        apart[i] = physics_distance(x[0][i], x[1][i], 3 * VERTICES);
        print_message("h = %g: integrators apart by %.3g\n", 0.004 / (1 << i), apart[i]);
        free(x[0][i]);
        free(x[1][i]);
    }
    assert_true(apart[LEVELS - 1] < 0.6 * apart[LEVELS - 2] && apart[LEVELS - 2] < 0.6 * apart[LEVELS - 3]);
}

// --- solvers ---------------------------------------------------------------------------------------------------------

static void iterative_and_direct_solvers_agree(void **state) {
    (void)state;
    enum { VERTICES = 11 * 3 * 3 };
    if (!has_cholmod()) {
        print_message("skipped: this build has no CHOLMOD\n");
        skip();
    }
    for (int integrator = 0; integrator < 2; integrator++) {
        double *direct = swing(integrator, THAW_SOLVER_CHOLMOD, 0.01, 0.5, 1e-12);
        for (double tolerance = 1e-6; tolerance > 1e-13; tolerance /= 1e3) {
            double *iterated = swing(integrator, THAW_SOLVER_PCG, 0.01, 0.5, tolerance);
            double apart = physics_distance(direct, iterated, 3 * VERTICES);
            print_message("%s: PCG to %.0e and CHOLMOD are %.2g m apart after 50 steps\n",
                          integrator ? "Newton" : "semi-implicit", tolerance, apart);
            assert_true(apart < 100 * fmax(tolerance, 1e-12));
            free(iterated);
        }
        free(direct);
    }
}

// Bodies that are alike but for their places, side by side on many threads: whatever they share must be fit for it.
static void alike_bodies_move_alike_on_many_threads(void **state) {
    (void)state;
    enum { BODIES = 12, COORDINATES = 3 * 9 * 5 * 5 };
    static const ThawSolverKind SOLVERS[] = {THAW_SOLVER_PCG, THAW_SOLVER_CHOLMOD};
    for (int i = 0; i < 1 + has_cholmod(); i++) {
        PhysicsScene *scene = physics_box(3, 1, 0.5, 0.5, 8, 4, 4);
        scene->material.young = 1e5;
        scene->world.gravity[2] = -9.81;
        physics_pin(scene, "x-min");
        scene->shape.groups = scene->groups;
        scene->body.scripts = scene->scripts;
        ThawBodyDef bodies[BODIES];
        for (int k = 0; k < BODIES; k++) {
            bodies[k] = scene->body;
            bodies[k].position[1] = 2 * k;
        }
        ThawWorldDef def = scene->world;
        def.solver = SOLVERS[i];
        def.threads = 4;
        def.materials = &scene->material;
        def.shapes = &scene->shape;
        def.bodies = bodies;
        def.material_count = def.shape_count = 1;
        def.body_count = BODIES;
        double x[COORDINATES], worst = 0;
        for (int run = 0; run < 3; run++) {
            ThawWorld *world = NULL;
            ThawError error;
            assert_int_equal(thaw_world_create(&def, &world, &error), THAW_OK);
            physics_run(world, 20);
            double *first = physics_positions(world);
            for (int k = 1; k < BODIES; k++) {
                assert_int_equal(thaw_world_get_positions(world, k, x), THAW_OK);
                for (int c = 0; c < COORDINATES; c++)
                    worst = fmax(worst, fabs(x[c] - (c % 3 == 1 ? 2 * k : 0) - first[c]));
            }
            free(first);
            thaw_world_free(&world);
        }
        print_message("%s: %d bodies on 4 threads apart by %.2g m\n", i ? "CHOLMOD" : "PCG", BODIES, worst);
        assert_true(worst < 1e-9);
        physics_scene_free(&scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton_converges_quadratically),
        cmocka_unit_test(a_static_solve_finds_its_way_from_far),
        cmocka_unit_test(halving_the_step_halves_the_error_and_the_integrators_meet),
        cmocka_unit_test(iterative_and_direct_solvers_agree),
        cmocka_unit_test(alike_bodies_move_alike_on_many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
