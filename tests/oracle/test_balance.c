// SPDX-License-Identifier: Apache-2.0
// Slow is not at rest: only what is in balance sleeps, by pins, obstacles or because nothing moves it. All else goes
// where theory says.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/vec3.h"
#include "support/world.h"
#include "thaw/thaw.h"

static const double g = 9.81;

// Of one body: mass, centre of mass and its velocity.
typedef struct Motion {
    double mass, x[3], v[3];
} Motion;

static Motion motion_of(const ThawWorld *world, int32_t body, int dim) {
    size_t nv = (size_t)thaw_world_vertex_count(world, body);
    double *m = calloc(nv * 7, sizeof *m), *x = m + nv, *v = x + 3 * nv;
    Motion sum = {0};
    assert_non_null(m);
    assert_int_equal(thaw_world_get_masses(world, body, m), THAW_OK);
    assert_int_equal(thaw_world_get_positions(world, body, x), THAW_OK);
    assert_int_equal(thaw_world_get_velocities(world, body, v), THAW_OK);
    for (size_t i = 0; i < nv; i++) {
        sum.mass += m[i];
        for (size_t k = 0; k < (size_t)dim; k++) {
            sum.x[k] += m[i] * x[i * (size_t)dim + k];
            sum.v[k] += m[i] * v[i * (size_t)dim + k];
        }
    }
    for (int k = 0; k < 3; k++) {
        sum.x[k] /= sum.mass;
        sum.v[k] /= sum.mass;
    }
    free(m);
    return sum;
}

// One step, in which no body may be asleep.
static ThawStepStats step_awake(ThawWorld *world) {
    ThawStepStats stats;
    step_world(world, &stats);
    if (stats.asleep > 0)
        fail_msg("asleep in step %lld", (long long)stats.step);
    return stats;
}

// A box of that size in two or three dimensions, and what its body and the world have besides. Gravity acts along the
// last axis.
static void write_box(char text[2000], int dim, double size, const char *material, double gravity, double h,
                      const char *body, const char *world) {
    const char *down = dim == 2 ? "[0, %g]" : "[0, 0, %g]";
    char pull[60], box[200];
    snprintf(pull, sizeof pull, down, -gravity);
    if (dim == 2)
        snprintf(box, sizeof box, "{\"min\": [0, 0], \"max\": [%g, %g], \"cells\": [3, 3]}", size, size);
    else
        snprintf(box, sizeof box, "{\"min\": [0, 0, 0], \"max\": [%g, %g, %g], \"cells\": [2, 2, 2]}", size, size,
                 size);
    snprintf(text, 2000,
             "{\"thaw\": 1, \"dimension\": %d, \"gravity\": %s, \"time\": {\"step\": %g}, \"materials\": {\"soft\": "
             "{\"young\": 1e5, \"poisson\": 0.3, \"density\": 1000, \"alpha1\": 0.01}, \"tough\": {\"young\": 5e6, "
             "\"poisson\": 0.3, \"density\": 1000, \"alpha1\": 0.002}}, \"shapes\": {\"box\": {\"mesh\": {\"box\": "
             "%s}, \"material\": \"%s\"}}, \"bodies\": [{\"shape\": \"box\", \"method\": \"rigidify\"%s}]%s}",
             dim, pull, h, box, material, body, world);
}

// --- what falls ------------------------------------------------------------------------------------------------------

// Where a body of that text, thrown up at a speed, is after so many steps, less where it ought to be: x = x0 + n h v -
// g (n h)^2 / 2.
static double strays_in_flight(const char *text, int dim, double speed, double gravity, double h, int steps,
                               int64_t *rigid) {
    ThawWorld *world = make_world(text, 1);
    double start = motion_of(world, 0, dim).x[dim - 1], worst = 0;
    for (int n = 1; n <= steps; n++) {
        *rigid += step_awake(world).elastic_elements == 0;
        double way = motion_of(world, 0, dim).x[dim - 1] - start;
        worst = fmax(worst, fabs(way - n * h * speed + gravity * h * h * n * n / 2));
    }
    thaw_world_free(&world);
    return worst;
}

static void a_steel_cube_falls_as_galilei_says_also_by_small_steps(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (double size = 0.05; size < 2; size *= 5) {
            char text[2000];
            int64_t rigid = 0;
            write_box(text, dim, size, "steel", g, 1e-4,
                      dim == 2 ? ", \"position\": [0, 0.1]" : ", \"position\": [0, 0, 0.1]",
                      ", \"obstacles\": [{\"plane\": {}}]");
            double off = strays_in_flight(text, dim, 0, g, 1e-4, 800, &rigid), way = g * 1e-8 * 800 * 800 / 2;
            print_message("%dD, %g m: off by %.1e m of %.3g, wholly rigid in %lld of 800 steps\n", dim, size, off, way,
                          (long long)rigid);
            assert_true(rigid > 600);
            assert_true(off < 1e-9 * way);
        }
}

static void a_throw_does_not_end_at_its_top(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        char text[2000], body[100];
        double h = 1e-4, speed = g * h * 400;
        int64_t rigid = 0;
        snprintf(body, sizeof body, ", \"velocity\": %s%.17g]", dim == 2 ? "[0, " : "[0, 0, ", speed);
        write_box(text, dim, 1, "steel", g, h, body, "");
        double off = strays_in_flight(text, dim, speed, g, h, 800, &rigid);
        print_message("%dD: off by %.1e m of %.3g, wholly rigid in %lld of 800 steps\n", dim, off, speed * 400 * h / 2,
                      (long long)rigid);
        assert_true(rigid > 600);
        assert_true(off < 1e-9 * speed * 400 * h);
    }
}

static void a_soft_cube_falls_on_a_small_planet(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        char text[2000];
        int64_t rigid = 0;
        write_box(text, dim, 1, "soft", g / 1000, 1e-3, "", "");
        double off = strays_in_flight(text, dim, 0, g / 1000, 1e-3, 500, &rigid);
        print_message("%dD: off by %.1e m of %.2g, wholly rigid in %lld of 500 steps\n", dim, off, g / 8000,
                      (long long)rigid);
        assert_true(rigid > 300);
        assert_true(off < 1e-9 * g / 8000);
    }
}

// --- what hangs on a hinge -------------------------------------------------------------------------------------------

#define HINGED                                                                                                         \
    "{\"thaw\": 1, \"dimension\": %d, \"time\": {\"step\": 1e-4}, \"shapes\": {\"bar\": {\"mesh\": {\"box\": {"        \
    "\"min\": %s, \"max\": %s, \"cells\": %s}}, \"material\": \"steel\", \"groups\": {\"one\": {\"nearest\": %s}, "    \
    "\"other\": {\"nearest\": %s}}}}, \"bodies\": [{\"shape\": \"bar\", \"method\": \"rigidify\", \"pins\": "          \
    "[\"one\", \"other\"]}]}"

// The angle of a rigid body that hangs on the corner at 0 and starts as it is, after some steps of h: the physical
// pendulum, by far smaller steps. Its moment of inertia is that of the vertices.
static double swing(const ThawWorld *world, int dim, double h, int steps) {
    size_t nv = (size_t)thaw_world_vertex_count(world, 0), d = (size_t)dim;
    double *m = calloc(nv * 4, sizeof *m), *x = m + nv, J = 0, c[2] = {0};
    assert_non_null(m);
    thaw_world_get_masses(world, 0, m);
    thaw_world_get_positions(world, 0, x);
    for (size_t i = 0; i < nv; i++) {
        double along = x[i * d], up = x[i * d + d - 1];
        J += m[i] * (along * along + up * up);
        c[0] += m[i] * along;
        c[1] += m[i] * up;
    }
    free(m);
    double angle = 0, speed = 0, dt = h / 20;
    for (int i = 0; i < 20 * steps; i++) { // leapfrog
        double lever = c[0] * cos(angle + dt / 2 * speed) - c[1] * sin(angle + dt / 2 * speed);
        angle += dt / 2 * speed;
        speed -= dt * g * lever / J;
        angle += dt / 2 * speed;
    }
    return angle;
}

static void a_bar_on_a_hinge_swings_down(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        char text[2000];
        int64_t rigid = 0;
        if (dim == 2)
            snprintf(text, sizeof text, HINGED, 2, "[0, 0]", "[2, 0.4]", "[10, 2]", "[0, 0]", "[0, 0]");
        else
            snprintf(text, sizeof text, HINGED, 3, "[0, 0, 0]", "[2, 0.4, 0.4]", "[10, 2, 2]", "[0, 0, 0]",
                     "[0, 0.4, 0]");
        ThawWorld *world = make_world(text, 1);
        Motion start = motion_of(world, 0, dim);
        double h = 1e-4, expected = swing(world, dim, h, 1000);
        for (int i = 0; i < 1000; i++)
            rigid += step_awake(world).elastic_elements == 0;
        Motion now = motion_of(world, 0, dim);
        double angle = atan2(now.x[dim - 1], now.x[0]) - atan2(start.x[dim - 1], start.x[0]);
        print_message("%dD: turned by %.5f rad, expected %.5f; wholly rigid in %lld of 1000 steps\n", dim, angle,
                      expected, (long long)rigid);
        assert_true(expected < -0.02 && fabs(angle - expected) < 0.02 * fabs(expected));
        thaw_world_free(&world);
    }
}

// --- what drifts, and what does not ----------------------------------------------------------------------------------

static void what_drifts_drifts_on_however_slowly(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int k = 0; k < 4; k++) {
            char text[2000], body[100];
            double diameter = 0.5 * sqrt(dim), speeds[] = {0.01, 1e-4 * diameter, 9e-5 * diameter, 1e-7 * diameter};
            int64_t rigid = 0;
            snprintf(body, sizeof body, ", \"velocity\": %s%.17g]", dim == 2 ? "[0, " : "[0, 0, ", speeds[k]);
            write_box(text, dim, 0.5, k % 2 ? "tough" : "soft", 0, 0.01, body, "");
            ThawWorld *world = make_world(text, 1);
            double x0 = motion_of(world, 0, dim).x[dim - 1], worst = 0;
            for (int n = 1; n <= 300; n++) {
                rigid += step_awake(world).elastic_elements == 0;
                Motion now = motion_of(world, 0, dim);
                double off = fabs(now.v[dim - 1] - speeds[k]);
                worst = fmax(worst, off / speeds[k]);
                assert_true(off < 1e-9 * speeds[k] + 1e-13); // which is rounding of positions, over a step
                assert_true(fabs(now.x[dim - 1] - x0 - n * 0.01 * speeds[k]) < 1e-9 * speeds[k] * 3 + 1e-14);
            }
            print_message("%dD, %.2g m/s: off by %.1e of it, wholly rigid in %lld of 300 steps\n", dim, speeds[k],
                          worst, (long long)rigid);
            assert_true(rigid > 250);
            thaw_world_free(&world);
        }
}

static void what_stands_still_where_nothing_pulls_sleeps_and_keeps_its_place(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        char text[2000];
        write_box(text, dim, 0.5, "tough", 0, 0.01, "", "");
        ThawWorld *world = make_world(text, 1), *fresh = make_world(text, 1);
        ThawStepStats stats = run_world(world, 100);
        assert_int_equal(stats.asleep, 1);
        size_t count = (size_t)dim * (size_t)thaw_world_vertex_count(world, 0);
        double *x = calloc(2 * count, sizeof *x);
        assert_non_null(x);
        thaw_world_get_positions(world, 0, x);
        thaw_world_get_positions(fresh, 0, x + count);
        assert_memory_equal(x, x + count, count * sizeof *x);
        free(x);
        thaw_world_free(&world);
        thaw_world_free(&fresh);
    }
}

// --- what does rest --------------------------------------------------------------------------------------------------

// Steps until all sleep.
static int falls_asleep(const char *text, int most) {
    ThawWorld *world = make_world(text, 1);
    ThawStepStats stats = {0};
    int steps = 0;
    while (stats.asleep < thaw_world_body_count(world) && steps++ < most)
        step_world(world, &stats);
    assert_int_equal(stats.asleep, thaw_world_body_count(world));
    thaw_world_free(&world);
    return steps;
}

static void what_rests_still_falls_asleep(void **state) {
    (void)state;
    const char *steel = ", \"obstacles\": [{\"plane\": {}}]";
    for (int dim = 2; dim <= 3; dim++) {
        char text[2000];
        const char *above = dim == 2 ? ", \"position\": [0, 0.002]" : ", \"position\": [0, 0, 0.002]";
        write_box(text, dim, 0.5, "tough", g, 0.005, above, steel);
        int tough = falls_asleep(text, 1000);
        write_box(text, dim, 0.5, "steel", g, 1e-4, "", steel);
        int small = falls_asleep(text, 1500);
        write_box(text, dim, 0.5, "soft", g, 0.01, ", \"pins\": [\"x-min\"]", "");
        int clamped = falls_asleep(text, 1000);
        const char *stacked = dim == 2 ? "}, {\"shape\": \"box\", \"method\": \"rigidify\", \"position\": [0.02, 0.501]"
                                         "}, {\"shape\": \"box\", \"method\": \"rigidify\", \"position\": [0, 1.002]"
                                       : "}, {\"shape\": \"box\", \"method\": \"rigidify\", \"position\": [0.02, 0, "
                                         "0.501]}, {\"shape\": \"box\", \"method\": \"rigidify\", \"position\": [0, "
                                         "0.02, 1.002]";
        write_box(text, dim, 0.5, "tough", g, 0.005, stacked, steel);
        int stack = falls_asleep(text, 1500);
        print_message(
            "%dD: asleep after %d steps on the floor, %d of steel by small steps, %d clamped, %d as a stack\n", dim,
            tough, small, clamped, stack);
    }
}

// Its static solution knows of no obstacle. Methods change before the first step: only adaptive bodies start at rest.
static ThawWorld *make_bar_above_sphere(double z, const char *method) {
    char text[1500];
    ThawError error = {0};
    snprintf(
        text, sizeof text,
        "{\"thaw\": 1, \"time\": {\"step\": 0.005}, \"gravity\": [0, 0, 0], \"materials\": {\"foam\": {\"young\": 5e4, "
        "\"poisson\": 0.3, \"density\": 100, \"alpha1\": 0.02}}, \"shapes\": {\"bar\": {\"mesh\": {\"box\": {\"min\": "
        "[0, 0, 0], \"max\": [1.5, 0.3, 0.3], \"cells\": [10, 2, 2]}}, \"material\": \"foam\"}}, \"bodies\": "
        "[{\"shape\": \"bar\", \"method\": \"rigidify\", \"start\": \"rest\", \"pins\": [\"x-min\"]}], \"obstacles\": "
        "[{\"sphere\": {\"radius\": 0.5}, \"position\": [1.3, 0.15, %g]}]}",
        z);
    ThawWorld *world = make_world(text, 1);
    assert_int_equal(thaw_world_set_method(world, 0, method, &error), THAW_OK);
    return world;
}

static void what_starts_at_rest_inside_of_an_obstacle_wakes_and_is_pushed_out(void **state) {
    (void)state;
    ThawWorld *clear = make_bar_above_sphere(-0.53, "rigidify");
    assert_true(thaw_world_is_asleep(clear, 0));
    thaw_world_free(&clear);
    ThawWorld *world = make_bar_above_sphere(-0.47, "rigidify"), *full = make_bar_above_sphere(-0.47, "full");
    assert_false(thaw_world_is_asleep(world, 0));
    double x[2][297];
    assert_int_equal(thaw_world_vertex_count(world, 0), 99);
    run_world(world, 400);
    run_world(full, 400);
    double deepest[2] = {0}, tip[2] = {-INFINITY, -INFINITY};
    for (int k = 0; k < 2; k++) {
        thaw_world_get_positions(k == 0 ? world : full, 0, x[k]);
        for (int i = 0; i < 99; i++) {
            double r[3] = {x[k][3 * i] - 1.3, x[k][3 * i + 1] - 0.15, x[k][3 * i + 2] + 0.47};
            deepest[k] = fmax(deepest[k], 0.5 - thaw_v3_norm(r));
            tip[k] = fmax(tip[k], x[k][3 * i + 2]);
        }
    }
    print_message("deep in it by %.4f m, full %.4f; top at %.4f m, full %.4f\n", deepest[0], deepest[1], tip[0],
                  tip[1]);
    assert_true(deepest[0] < 0.005); // 0.03 at the start
    assert_true(tip[0] > 0.31 && fabs(tip[0] - tip[1]) < 0.005);
    thaw_world_free(&world);
    thaw_world_free(&full);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_steel_cube_falls_as_galilei_says_also_by_small_steps),
        cmocka_unit_test(a_throw_does_not_end_at_its_top),
        cmocka_unit_test(a_soft_cube_falls_on_a_small_planet),
        cmocka_unit_test(a_bar_on_a_hinge_swings_down),
        cmocka_unit_test(what_drifts_drifts_on_however_slowly),
        cmocka_unit_test(what_stands_still_where_nothing_pulls_sleeps_and_keeps_its_place),
        cmocka_unit_test(what_rests_still_falls_asleep),
        cmocka_unit_test(what_starts_at_rest_inside_of_an_obstacle_wakes_and_is_pushed_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
