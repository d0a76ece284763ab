// SPDX-License-Identifier: Apache-2.0
// Coulomb friction: a block on a slope slides if and only if tan(angle) > mu, does not creep below, and is slowed down
// by mu g on the flat.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "contact_physics/support_touch.h"

// A block 0.2 m long at rest on a plane at an angle (radians), with friction mu between the two.
static Touch slope3(double angle, double mu, double h, const char *integrator, const char *contact) {
    const double s = sin(angle), c = cos(angle), up = 0.05;
    return touch_open("{'thaw': 1, 'time': {'step': %.17g, 'integrator': '%s'},"
                      " 'materials': {'m': {'density': 1000, 'young': 1e6, 'poisson': 0.3, 'alpha1': 0.005}},"
                      " 'shapes': {'block': {'mesh': {'box': {'min': [-0.1, -0.1, -0.05], 'max': [0.1, 0.1, 0.05], "
                      "'cells': [2, 2, 1]}},"
                      "   'material': 'm'}},"
                      " 'bodies': [{'shape': 'block', 'position': [%.17g, 0, %.17g],"
                      "   'rotation': {'axis': [0, 1, 0], 'degrees': %.17g}}],"
                      " 'obstacles': [{'plane': {'normal': [%.17g, 0, %.17g]}}],"
                      " 'pairs': [{'between': ['*', '*'], 'friction': %.17g}], 'contact': {%s}}",
                      h, integrator, up * s, up * c, angle * 180 / M_PI, s, c, mu, contact);
}

static Touch slope2(double angle, double mu, double h, const char *integrator, const char *contact) {
    const double s = sin(angle), c = cos(angle), up = 0.05;
    return touch_open(
        "{'thaw': 1, 'dimension': 2, 'time': {'step': %.17g, 'integrator': '%s'},"
        " 'materials': {'m': {'density': 1000, 'young': 1e6, 'poisson': 0.3, 'alpha1': 0.005}},"
        " 'shapes': {'block': {'mesh': {'box': {'min': [-0.1, -0.05], 'max': [0.1, 0.05], 'cells': [4, 2]}},"
        "   'material': 'm'}},"
        " 'bodies': [{'shape': 'block', 'position': [%.17g, %.17g], 'rotation': {'degrees': %.17g}}],"
        " 'obstacles': [{'plane': {'normal': [%.17g, %.17g]}}],"
        " 'pairs': [{'between': ['*', '*'], 'friction': %.17g}], 'contact': {%s}}",
        h, integrator, up * s, up * c, -angle * 180 / M_PI, s, c, mu, contact);
}

// Metres down the slope.
static double way(const Touch *touch, double angle) {
    double x[3];
    touch_centre(touch, 0, x);
    int up = thaw_world_dim(touch->world) - 1;
    return x[0] * cos(angle) - x[up] * sin(angle);
}

static void slides_iff_steep(int dim, const char *integrator, const char *contact) {
    const double mus[] = {0.1, 0.3, 0.5, 0.8, 1.2};
    for (int i = 0; i < 5; i++)
        for (int steep = 0; steep < 2; steep++) {
            const double angle = atan(mus[i]) * (steep ? 1.02 : 0.98), g = 9.81;
            Touch t = (dim == 2 ? slope2 : slope3)(angle, mus[i], 0.01, integrator, contact);
            touch_run(&t, 100);
            double start = way(&t, angle);
            touch_run(&t, 100);
            double far = way(&t, angle) - start, a = g * (sin(angle) - mus[i] * cos(angle));
            printf("%dD %s %s mu %.1f angle x %.2f: %.3g m in the second second (free slide: %.3g), residual %.1e\n",
                   dim, integrator, contact, mus[i], steep ? 1.02 : 0.98, far, 1.5 * a, t.residual);
            if (steep)
                assert_true(far > 0.9 * 1.5 * a && far < 1.1 * 1.5 * a);
            else
                assert_true(fabs(far) < 1e-4 * 0.2);
            touch_close(&t);
        }
}

static void a_block_slides_if_and_only_if_the_slope_is_steeper_than_friction(void **state) {
    (void)state;
    slides_iff_steep(3, "semi-implicit", "");
}

static void a_block_in_the_plane_does_the_same(void **state) {
    (void)state;
    slides_iff_steep(2, "semi-implicit", "");
}

static void hard_contact_does_the_same(void **state) {
    (void)state;
    slides_iff_steep(3, "semi-implicit", "'stiffness': 'hard'");
    slides_iff_steep(2, "semi-implicit", "'stiffness': 'hard'");
}

static void newton_does_the_same(void **state) {
    (void)state;
    slides_iff_steep(2, "newton", "");
}

static void a_block_does_not_creep_for_a_minute(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        const double mu = 0.5, angle = 0.98 * atan(mu);
        Touch t = (dim == 2 ? slope2 : slope3)(angle, mu, 0.01, "semi-implicit", "");
        touch_run(&t, 100);
        double start = way(&t, angle);
        touch_run(&t, 5900);
        double crept = way(&t, angle) - start;
        printf("%dD: crept %.3g m in 59 s\n", dim, crept);
        assert_true(fabs(crept) < 1e-4 * 0.2);
        touch_close(&t);
    }
}

// A spring that forgot its stretch when it slips would make the block stutter down a slope that can hold it.
static void a_block_that_was_pushed_stops_again_on_a_slope_that_can_hold_it(void **state) {
    (void)state;
    const double shares[] = {0.5, 0.9, 0.98, 0.995};
    for (int i = 0; i < 4; i++)
        for (int dim = 2; dim <= 3; dim++) {
            const double mu = 0.5, angle = shares[i] * atan(mu), push = 0.02;
            Touch t = (dim == 2 ? slope2 : slope3)(angle, mu, 0.01, "semi-implicit", "");
            touch_run(&t, 50);
            int32_t n = thaw_world_vertex_count(t.world, 0);
            double *v = calloc((size_t)(n * dim), sizeof *v);
            for (int32_t k = 0; k < n; k++) {
                v[k * dim] = push * cos(angle);
                v[k * dim + dim - 1] = -push * sin(angle);
            }
            assert_int_equal(thaw_world_set_velocities(t.world, 0, v), THAW_OK);
            free(v);
            double start = way(&t, angle), a = 9.81 * (mu * cos(angle) - sin(angle));
            touch_run(&t, 300);
            double stop = way(&t, angle);
            touch_run(&t, 300);
            printf("%dD angle x %.3f: %.4g m (%.4g expected), then crept %.3g m in 3 s\n", dim, shares[i], stop - start,
                   push * push / 2 / a, way(&t, angle) - stop);
            assert_true(fabs(way(&t, angle) - stop) < 1e-4 * 0.2);
            touch_close(&t);
        }
}

static void friction_slows_a_block_on_the_flat_by_mu_g(void **state) {
    (void)state;
    const double mus[] = {0.1, 0.4, 0.9};
    for (int i = 0; i < 3; i++)
        for (int dim = 2; dim <= 3; dim++) {
            Touch t = (dim == 2 ? slope2 : slope3)(0, mus[i], 0.005, "semi-implicit", "");
            touch_run(&t, 100); // settles
            int32_t n = thaw_world_vertex_count(t.world, 0);
            double *v = calloc((size_t)(n * dim), sizeof *v), before[3], after[3];
            for (int32_t k = 0; k < n; k++)
                v[k * dim] = 4;
            assert_int_equal(thaw_world_set_velocities(t.world, 0, v), THAW_OK);
            free(v);
            touch_run(&t, 20);
            touch_velocity(&t, 0, before);
            touch_run(&t, 50);
            touch_velocity(&t, 0, after);
            double slowed = (before[0] - after[0]) / (50 * 0.005) / (mus[i] * 9.81);
            printf("%dD mu %.1f: slowed down by %.4f mu g\n", dim, mus[i], slowed);
            assert_true(fabs(slowed - 1) < 0.02);
            touch_close(&t);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_slides_if_and_only_if_the_slope_is_steeper_than_friction),
        cmocka_unit_test(a_block_in_the_plane_does_the_same),
        cmocka_unit_test(hard_contact_does_the_same),
        cmocka_unit_test(newton_does_the_same),
        cmocka_unit_test(a_block_that_was_pushed_stops_again_on_a_slope_that_can_hold_it),
        cmocka_unit_test(friction_slows_a_block_on_the_flat_by_mu_g),
        cmocka_unit_test(a_block_does_not_creep_for_a_minute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
