// SPDX-License-Identifier: Apache-2.0
// Figure 9 of the shells paper: cantilevers become rigid in the same regions however fine they are, and thicker ones,
// which deform less, in larger ones. What is compared is the share of the time that each tenth of the length is rigid.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/world.h"
#include "thaw/thaw.h"

enum { TENTHS = 10 };

// The cantilevers of scenes/shell-cantilevers.json, let go level; by `options` of the method.
static ThawWorld *cantilever(double size, double thickness, double h, const char *options) {
    char text[1200];
    snprintf(text, sizeof text,
             "{\"thaw\": 1, \"time\": {\"step\": %g}, \"rigidify\": {%s}, \"materials\": {\"card\": {\"density\": "
             "500, \"young\": 1e9, "
             "\"poisson\": 0.3, \"alpha0\": 4, \"alpha1\": 0.002}}, \"shapes\": {\"s\": {\"mesh\": {\"sheet\": "
             "{\"grid\": {\"width\": 0.5, \"height\": 0.1}}, \"size\": %g}, \"material\": \"card\", \"thickness\": %g, "
             "\"groups\": {\"clamp\": {\"side\": {\"point\": [-0.2, 0, 0], \"normal\": [-1, 0, 0]}}}}}, \"bodies\": "
             "[{\"shape\": \"s\", \"method\": \"rigidify\", \"pins\": [\"clamp\"]}]}",
             h, options, size, thickness);
    return make_world(text, 1);
}

// Share of the time that each tenth of the length from the clamp on is in rigid parts; returns that of all.
static double watch(double size, double thickness, double h, const char *options, double rigid[TENTHS]) {
    ThawWorld *world = cantilever(size, thickness, h, options);
    const int32_t ne = thaw_world_element_count(world, 0), nv = thaw_world_vertex_count(world, 0);
    double *part = calloc((size_t)ne, sizeof *part), *x = calloc(3 * (size_t)nv, sizeof *x), all = 0,
           area[TENTHS] = {0};
    int32_t *elements = calloc(3 * (size_t)ne, sizeof *elements);
    const int steps = (int)(2.5 / h);
    for (int t = 0; t < TENTHS; t++)
        rigid[t] = 0;
    thaw_world_get_positions(world, 0, x);
    thaw_world_get_elements(world, 0, elements);
    for (int n = 0; n < steps; n++) {
        step_world(world, NULL);
        assert_int_equal(thaw_world_get_field(world, 0, thaw_field_find("part"), part), THAW_OK);
        for (int32_t e = 0; e < ne; e++) {
            double middle = 0;
            for (int a = 0; a < 3; a++)
                middle += x[3 * elements[3 * e + a]] / 3;
            const int tenth = (int)((middle + 0.25) / 0.5 * TENTHS);
            rigid[tenth] += part[e] >= 0;
            area[tenth] += 1;
            all += (part[e] >= 0) / (double)ne / steps;
        }
    }
    for (int t = 0; t < TENTHS; t++)
        rigid[t] /= area[t];
    free(part);
    free(x);
    free(elements);
    thaw_world_free(&world);
    return all;
}

static void tell(const char *what, double size, double thickness, double all, const double rigid[TENTHS]) {
    print_message("%s, size %g m, %g mm: rigid %2.0f percent, by tenths", what, size, 1000 * thickness, 100 * all);
    for (int t = 0; t < TENTHS; t++)
        print_message(" %2.0f", 100 * rigid[t]);
    print_message("\n");
}

static const struct {
    const char *name, *options;
} RULE[] = {{"default", ""}, {"published", "\"oracle\": \"paper\", \"tau_rigid\": 1e-2, \"tau_elastic\": 1e-1"}};

static void patterns_do_not_depend_on_the_mesh(void **state) {
    (void)state;
    for (int rule = 0; rule < 2; rule++) {
        double rigid[4][TENTHS], apart = 0;
        for (int fine = 0; fine < 4; fine++) {
            const double size = 0.05 / (1 << fine), all = watch(size, 1e-3, 0.005, RULE[rule].options, rigid[fine]);
            tell(RULE[rule].name, size, 1e-3, all, rigid[fine]);
        }
        for (int t = 0; t < TENTHS; t++)
            apart += fabs(rigid[2][t] - rigid[3][t]) / TENTHS;
        assert_true(apart < 0.1);
    }
}

// When a swing is over for the rule depends on a step more or less, and what is rigid from then on with it: the mean of
// some time steps tells how it goes with thickness.
static void thicker_ones_are_rigid_in_larger_regions(void **state) {
    (void)state;
    enum { RUNS = 5 };
    for (int rule = 0; rule < 2; rule++) {
        double rigid[3][TENTHS] = {{0}}, seen[TENTHS];
        for (int thick = 0; thick < 3; thick++) {
            const double t = 5e-4 * (1 << thick);
            double all = 0;
            for (int run = 0; run < RUNS; run++) {
                all += watch(0.025, t, 0.0046 + 2e-4 * run, RULE[rule].options, seen) / RUNS;
                for (int k = 0; k < TENTHS; k++)
                    rigid[thick][k] += seen[k] / RUNS;
            }
            tell(RULE[rule].name, 0.025, t, all, rigid[thick]);
        }
        for (int t = 0; t < TENTHS; t++)
            assert_true(rigid[0][t] <= rigid[1][t] + 0.05 && rigid[1][t] <= rigid[2][t] + 0.05);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_do_not_depend_on_the_mesh),
        cmocka_unit_test(thicker_ones_are_rigid_in_larger_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
