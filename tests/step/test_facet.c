// SPDX-License-Identifier: Apache-2.0
// What rolls over facets makes its step in parts, by the world's integrator; what rests, slides, is smooth or falls
// through the air does not, to the bit.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "physics/motion.h"
#include "step/step.h"
#include "support/folder.h"
#include "support/world.h"

#define HEAD                                                                                                           \
    "{'thaw': 1, 'dimension': 2, 'gravity': [%.9g, %.9g], 'time': {'step': %.9g, 'integrator': '%s', 'substeps': "     \
    "%d}, "                                                                                                            \
    "'materials': {'m': {'young': 5e6, 'density': 1100, 'poisson': 0.33}}, 'shapes': {'s': {'mesh': {'solid': "        \
    "{'sphere': {'radius': 0.05}}, 'size': 0.006, 'grading': 8}, 'material': 'm'%s}, 'c': {'mesh': {'box': {'min': "   \
    "[-0.05, -0.05], 'max': [0.05, 0.05], 'cells': [4, 4]}}, 'material': 'm'}}, 'obstacles': [{'plane': {}, "          \
    "'friction': %g}], 'bodies': ["

static const double G = 9.81;

static ThawWorld *open_slope(const char *method, const char *integrator, double h, int substeps, double degrees,
                             double friction, const char *more, const char *bodies) {
    const double angle = degrees * M_PI / 180;
    char format[2000];
    snprintf(format, sizeof format, "%s%s]}", HEAD, bodies);
    return open_scene(method, format, G * sin(angle), -G * cos(angle), h, integrator, substeps, more, friction);
}

#define BALL "{'shape': 's', 'position': [0, 0.05], 'friction': 1}"

// m in half a second from rest; parts: of all steps.
static double roll(const char *method, const char *integrator, double h, int substeps, int *parts) {
    ThawWorld *world = open_slope(method, integrator, h, substeps, 10, 1, "", BALL);
    const double first = measure(world, 0, 2).c[0];
    *parts = 0;
    for (int i = 0; i < (int)lround(0.5 / h); i++)
        *parts += (int)run_world(world, 1).substeps;
    const double way = measure(world, 0, 2).c[0] - first;
    thaw_world_free(&world);
    return way;
}

static void what_rolls_over_facets_rolls_as_by_finer_steps(void **state) {
    (void)state;
    static const char *const methods[] = {"full", "rigidify"}, *const names[] = {"euler", "tr-bdf2"};
    int parts;
    const double fine = roll("full", "tr-bdf2", 0.00025, 0, &parts);
    for (int m = 0; m < 2; m++)
        for (int i = 0; i < 2; i++) {
            const double whole = roll(methods[m], names[i], 0.01, 0, &parts);
            assert_int_equal(parts, 50);
            const double cut = roll(methods[m], names[i], 0.01, 32, &parts);
            print_message("%s, %s: %.4f of the way, in %d parts %.4f\n", methods[m], names[i], whole / fine, parts,
                          cut / fine);
            assert_true(parts > 100 && parts <= 50 * 4);
            assert_true(fabs(cut / fine - 1) < 0.015);
        }
}

static void what_does_not_roll_over_facets_is_not_cut(void **state) {
    (void)state;
    static const struct {
        const char *what, *more, *bodies;
        double degrees, friction;
    } cases[] = {
        {"two boxes at rest", "", "{'shape': 'c', 'position': [0, 0.05]}, {'shape': 'c', 'position': [0.01, 0.15]}", 0,
         0.5},
        {"a box that slides", "", "{'shape': 'c', 'position': [0, 0.05], 'friction': 0.1}", 20, 0.1},
        {"a smooth disc that rolls", ", 'smooth': 60", BALL, 7, 1},
        {"a disc that spins in the air", "", "{'shape': 's', 'position': [0, 2], 'spin': 30}", 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t hash[2];
        for (int cut = 0; cut < 2; cut++) {
            ThawWorld *world = open_slope("full", "euler", 0.005, 32 * cut, cases[i].degrees, cases[i].friction,
                                          cases[i].more, cases[i].bodies);
            for (int k = 0; k < 60; k++) {
                const ThawStepStats stats = run_world(world, 1);
                assert_int_equal(stats.substeps, 1);
                hash[cut] = stats.state_hash;
            }
            thaw_world_free(&world);
        }
        print_message("%s: not cut\n", cases[i].what);
        assert_true(hash[0] == hash[1]);
    }
}

static int rolls(const ThawWorld *world, const ThawStepStats *stats) {
    (void)world;
    return stats->substeps > 1;
}

static void bits_are_the_same_for_threads_and_after_resuming(void **state) {
    (void)state;
    char text[] = "{'thaw': 1, 'dimension': 2, 'gravity': [2, -9.6], 'time': {'step': 0.01, 'integrator': 'euler'}, "
                  "'shapes': {'s': {'mesh': {'solid': {'sphere': {'radius': 0.05}}, 'size': 0.008, 'grading': 8}, "
                  "'material': 'steel'}}, 'bodies': [{'shape': 's', 'position': [0, 0.05], 'friction': 1}, {'shape': "
                  "'s', 'position': [0.3, 0.05], 'friction': 1, 'spin': -6, 'velocity': [0.3, 0], 'method': "
                  "'rigidify'}], 'obstacles': [{'plane': {}, 'friction': 1}]}";
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    assert_true(bits_across_checkpoints(text, 50, at("facet.ckpt"), rolls) > 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_rolls_over_facets_rolls_as_by_finer_steps),
        cmocka_unit_test(what_does_not_roll_over_facets_is_not_cut),
        cmocka_unit_test(bits_are_the_same_for_threads_and_after_resuming),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
