// SPDX-License-Identifier: Apache-2.0
// Newton's method with sheets (shells paper, section 3.3 and algorithm 1): every step ends at a least of the
// incremental potential Q, damping of membrane and bending included, which a linearised step misses; cloths that hang,
// fold and fall on things with friction converge without cutting the step; and so they do with rigid parts.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "force/force.h"
#include "physics/support_physics.h"
#include "step/step.h"
#include "support/world.h"

// A cloth that hangs by two corners and falls from flat; a strip that is pushed together, and buckles.
#define HANGS(integrator, h)                                                                                           \
    "{\"thaw\": 1, \"time\": {\"step\": " h ", \"integrator\": \"" integrator "\", \"projection\": \"never\","         \
    " \"newton_tolerance\": 1e-10}, \"materials\": {\"m\": {\"density\": 300, \"young\": 2e5, \"poisson\": 0.3,"       \
    " \"alpha0\": 0.2, \"alpha1\": 0.004, \"damping\": \"stiffness\"}}, \"shapes\": {\"cloth\": {\"mesh\": {"          \
    "\"sheet\": {\"grid\": {\"width\": 1, \"height\": 0.8}}, \"size\": 0.1}, \"thickness\": 0.004, \"material\":"      \
    " \"m\", \"bending_damping\": 0.05, \"groups\": {\"a\": {\"nearest\": [-0.5, 0.4, 0]}, \"b\": {\"nearest\":"       \
    " [0.5, 0.4, 0]}}}}, \"bodies\": [{\"shape\": \"cloth\", \"pins\": [\"a\", \"b\"]}]}"

// Q(v) of the step from x0, v0, and what rounding leaves of it. Of the world's only body, nothing moved by scripts.
static double potential(const ThawStepper *s, double h, const double *x0, const double *v0, const double *v) {
    const ThawShape *shape = s->shape;
    const size_t count = 3 * (size_t)shape->nv;
    double *x = malloc(count * sizeof *x), *y = malloc(count * sizeof *y), *u = malloc(count * sizeof *u), forms[2];
    double *partial = malloc(2 * (size_t)shape->all->chunk_count * sizeof *partial), Q = 0;
    assert_true(x && y && u && partial);
    memcpy(u, v, count * sizeof *u);
    for (size_t i = 0; i < count; i++)
        x[i] = x0[i] + h * v[i];
    thaw_force_product(shape->all, NULL, x0, u, (ThawStiffness){0, 1, 0}, shape->nv, y, forms, partial);
    for (size_t i = 0; i < count; i++) {
        const double m = shape->mass[i / 3], dv = v[i] - v0[i];
        Q += m * dv * dv / 2 + h / 2 * v[i] * (shape->damping_mass[i / 3] * v[i] + y[i]) - h * v[i] * s->f_ext[i];
    }
    Q += thaw_force_energy(shape->all, NULL, x, partial);
    free(x);
    free(y);
    free(u);
    free(partial);
    return Q;
}

// The largest slope of Q at the end of a step along so many random directions, over that at its start; and, of a step
// that is iterated, whether Q is least there.
static void check_step(ThawWorld *world, double h, int iterated, double *slope) {
    enum { DIRECTIONS = 12 };
    const ThawStepper *s = &world->steppers[0];
    const size_t count = 3 * (size_t)s->shape->nv;
    double *x0 = malloc(count * sizeof *x0), *v0 = malloc(count * sizeof *v0), *v = malloc(count * sizeof *v),
           *p = malloc(count * sizeof *p);
    assert_true(x0 && v0 && v && p);
    memcpy(x0, s->x, count * sizeof *x0);
    memcpy(v0, s->v, count * sizeof *v0);
    ThawStepStats stats;
    step_world(world, &stats);
    assert_int_equal(stats.substeps, 1);
    assert_int_equal(stats.projected, 0);
    const double *end = s->v;
    double largest = 0, typical = 0;
    const double least = potential(s, h, x0, v0, end);
    for (int k = 0; k < DIRECTIONS; k++) {
        double rise[3] = {0};
        for (int side = -1; side <= 1; side += 2) {
            uint64_t seed = (uint64_t)k + 1;
            for (size_t i = 0; i < count; i++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                const double r = (double)(seed >> 11) * 0x1p-53 * 2 - 1;
                p[i] = s->scripted[i / 3] ? 0 : r;
                v[i] = end[i] + side * 1e-4 * p[i];
            }
            rise[side + 1] = potential(s, h, x0, v0, v) - least;
            assert_true(!iterated || rise[side + 1] > 0);
        }
        largest = fmax(largest, fabs(rise[2] - rise[0]) / 2e-4);
        for (int side = -1; side <= 1; side += 2) {
            for (size_t i = 0; i < count; i++)
                v[i] = v0[i] + side * 1e-4 * p[i];
            rise[side + 1] = potential(s, h, x0, v0, v);
        }
        typical = fmax(typical, fabs(rise[2] - rise[0]) / 2e-4);
    }
    *slope = largest / typical;
    free(x0);
    free(v0);
    free(v);
    free(p);
}

static void newton_ends_where_the_potential_is_least(void **state) {
    (void)state;
    static const char *const texts[] = {HANGS("newton", "0.02"), HANGS("semi-implicit", "0.02")};
    double worst[2] = {0};
    for (int i = 0; i < 2; i++) {
        ThawWorld *world = make_world(texts[i], 1);
        for (int n = 0; n < 40; n++) {
            double slope = 0;
            check_step(world, 0.02, i == 0, &slope);
            worst[i] = fmax(worst[i], slope);
        }
        print_message("%s: slope of Q at the end of a step %.1e of that at its start\n", i ? "linearised" : "newton",
                      worst[i]);
        thaw_world_free(&world);
    }
    assert_true(worst[0] < 1e-6 && worst[1] > 1e-3);
}

// From a start far away, the first steps of the fall.
static void newton_converges_fast_on_a_sheet_that_folds(void **state) {
    (void)state;
    ThawWorld *world = make_world(HANGS("euler-newton", "0.02"), 1);
    ThawStepStats stats;
    int most = 0, sum = 0;
    for (int n = 0; n < 60; n++) {
        step_world(world, &stats);
        assert_int_equal(stats.substeps, 1);
        most = stats.newton_iterations > most ? stats.newton_iterations : most;
        sum += stats.newton_iterations;
    }
    print_message("%d iterations to 1e-10 at most, %.1f on the mean\n", most, sum / 60.0);
    assert_true(most <= 20 && sum <= 8 * 60);
    thaw_world_free(&world);
}

// The papers' scenes in small: tilted, bent, with friction, on edges of a box. Contacts are solved with each direction.
static void scenes_converge_with_contacts_inside_the_iteration(void **state) {
    (void)state;
    static const char *const names[] = {"hat", "cross"};
    for (int i = 0; i < 2; i++)
        for (int adaptive = 0; adaptive < 2; adaptive++) {
            char path[500];
            ThawError error;
            ThawScene *scene;
            ThawWorld *world;
            ThawStepStats stats;
            snprintf(path, sizeof path, "%s/scenes/%s.json", THAW_SOURCE_DIR, names[i]);
            if (thaw_scene_load(path, &scene, &error) != THAW_OK)
                fail_msg("%s", error.message);
            scene->world.integrator = THAW_INTEGRATOR_EULER_NEWTON;
            scene->world.threads = 1;
            ThawBodyDef body = scene->world.bodies[0];
            body.method = adaptive ? "rigidify" : "full";
            scene->world.bodies = &body;
            if (thaw_world_create(&scene->world, &world, &error) != THAW_OK)
                fail_msg("%s", error.message);
            int most = 0, cut = 0, touched = 0;
            double residual = 0;
            for (int n = 0; n < 120; n++) {
                step_world(world, &stats);
                most = stats.newton_iterations > most ? stats.newton_iterations : most;
                cut += stats.substeps > 1;
                touched += stats.contacts > 0;
                residual = fmax(residual, stats.response_residual);
            }
            print_message("%s, %s: %d iterations at most, %d steps cut, %d in contact, residual %.1e\n", names[i],
                          adaptive ? "rigidify" : "full", most, cut, touched, residual);
            assert_true(touched > 30);
            assert_true(residual <= stats.response_tolerance);
            assert_true(cut <= 2);
            thaw_world_free(&world);
            thaw_scene_free(&scene);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton_ends_where_the_potential_is_least),
        cmocka_unit_test(newton_converges_fast_on_a_sheet_that_folds),
        cmocka_unit_test(scenes_converge_with_contacts_inside_the_iteration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
