// SPDX-License-Identifier: Apache-2.0
// At rest inertia is of no account: condensed bodies end where the static solve of the full method does, whatever they
// are made of, by regions as by the published nodes. Coarse forms of the scenes hetero, aniso and armadillo.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "physics/motion.h"
#include "support/world.h"
#include "thaw/thaw.h"

#define HEAD                                                                                                           \
    "{'thaw': 1, 'time': {'step': 0.01, 'integrator': '%s'}, 'gravity': [0, 0, -9.81], 'condense': {'sleep': 0, "      \
    "'regions': 3%s}, 'materials': {'m': {'density': 1000, 'young': 1e4, 'poisson': 0.4, 'alpha1': 0.02%s}}, "

#define BAR                                                                                                            \
    HEAD "'shapes': {'bar': {'mesh': {'box': {'min': [0, 0, 0], 'max': [0.018, 0.018, 0.054], 'cells': [3, 3, 9]}}, "  \
         "'material': 'm', %s}}, 'bodies': [{'shape': 'bar', 'pins': ['z-min']}]}"

typedef struct Form {
    const char *integrator, *options;
} Form;

static const Form forms[] = {{"semi-implicit", ""},
                             {"tr-bdf2", ""},
                             {"tr-bdf2", ", 'adapt': 'energy'"},
                             {"semi-implicit", ", 'form': 'published', 'gamma': 1, 'search': true"},
                             {"semi-implicit", ", 'form': 'published', 'gamma': 1, 'search': true, 'adapt': 'rate'"}};
enum { FORMS = sizeof forms / sizeof *forms };

static void layers_and_fibres(void **state) {
    (void)state;
    static const struct {
        const char *name, *material, *shape;
    } cases[] = {
        {"layers", "", "'stiffness': {'from': [0, 0, 0], 'to': [0, 0, 0.054], 'factors': [5, 5, 1, 1, 5, 5, 1, 1, 5]}"},
        {"across", ", 'fibre': {'stiffness': 2e4}", "'fibres': [1, 0, 0]"},
        {"upright", ", 'fibre': {'stiffness': 2e4}", "'fibres': [0, 0, 1]"},
        {"diagonal", ", 'fibre': {'stiffness': 2e4}", "'fibres': [1, 0, 1]"},
        {"helical", ", 'fibre': {'stiffness': 2e4}",
         "'fibres': {'helix': {'axis': [0, 0, 1], 'point': [0.009, 0.009, 0], 'angle': 45}}"},
        {"Fung", ", 'fibre': {'stiffness': 1e4, 'exponent': 2}", "'fibres': [1, 0, 1]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ThawWorld *full = open_scene("full", BAR, "semi-implicit", "", cases[i].material, cases[i].shape);
        ThawError error = {0};
        ThawStepStats stats;
        if (thaw_world_solve_static(full, &stats, &error) != THAW_OK)
            fail_msg("%s", error.message);
        double worst = 0;
        for (int f = 0; f < FORMS; f++) {
            ThawWorld *world =
                open_scene("condense", BAR, forms[f].integrator, forms[f].options, cases[i].material, cases[i].shape);
            run_world(world, 400);
            worst = fmax(worst, worlds_apart(full, world, 0) / 0.054);
            thaw_world_free(&world);
        }
        print_message("%s: at rest apart by %.2g of the height at most\n", cases[i].name, worst);
        assert_true(worst < 1e-6);
        thaw_world_free(&full);
    }
}

// Two limbs are drawn one after the other; after each pull it is where it was.
#define BEAST                                                                                                          \
    "{'thaw': 1, 'time': {'step': 0.01, 'integrator': '%s'}, 'gravity': [0, 0, -9.81], 'condense': {'sleep': 0, "      \
    "'regions': 5%s}, 'materials': {'m': {'density': 1000, 'young': 6e4, 'poisson': 0.49, 'alpha1': 0.02}}, "          \
    "'shapes': {'beast': {'mesh': {'solid': '" THAW_SOURCE_DIR                                                         \
    "/scenes/shapes/armadillo.json', 'elements': 900}, 'scale': 0.012, "                                               \
    "'material': 'm', 'groups': {'core': {'sphere': {'centre': [0, 0, 0.053], 'radius': 0.012}}, 'hand': {'sphere': "  \
    "{'centre': [0.0168, 0.0444, 0.084], 'radius': 0.008}}, 'tail': {'sphere': {'centre': [-0.034, 0.002, 0.016], "    \
    "'radius': 0.01}}}}}, 'bodies': [{'shape': 'beast', 'pins': ['core'], 'forces': [{'group': 'hand', 'total': "      \
    "[0, 0.25, 0.25], 'ramp': 0.3, 'from': 1, 'to': 1.6}, {'group': 'tail', 'total': [0, 0.12, 0.15], 'ramp': 0.3, "   \
    "'from': 3.5, 'to': 4.1}]}]}"

static void a_beast_after_each_pull(void **state) {
    (void)state;
    ThawError error = {0};
    ThawStepStats stats;
    ThawWorld *full = open_scene("full", BEAST, "semi-implicit", "");
    if (thaw_world_solve_static(full, &stats, &error) != THAW_OK)
        fail_msg("%s", error.message);
    for (int f = 1; f < FORMS; f++) {
        ThawWorld *world = open_scene("condense", BEAST, forms[f].integrator, forms[f].options);
        run_world(world, 158);
        const double drawn = worlds_apart(full, world, 0) / 0.12;
        run_world(world, 190);
        const double first = worlds_apart(full, world, 0) / 0.12;
        run_world(world, 60);
        const double again = worlds_apart(full, world, 0) / 0.12;
        run_world(world, 192);
        const double second = worlds_apart(full, world, 0) / 0.12;
        print_message("%s%s: drawn by %.2g and %.2g of its size, then at rest apart by %.2g and %.2g\n",
                      forms[f].integrator, forms[f].options, drawn, again, first, second);
        assert_true(drawn > 0.02 && again > 0.02);
        assert_true(first < 1e-6 && second < 1e-6);
        thaw_world_free(&world);
    }
    thaw_world_free(&full);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_and_fibres),
        cmocka_unit_test(a_beast_after_each_pull),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
