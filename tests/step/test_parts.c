// SPDX-License-Identifier: Apache-2.0
// A blow is resolved by parts of the step of its island alone (step/parts.c); what is elsewhere makes its one step, to
// the same bits as if nothing had been struck. And nothing is missed between them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "step/step.h"
#include "support/folder.h"
#include "support/world.h"

#define HEAD                                                                                                           \
    "{'thaw': 1, 'dimension': 2, 'time': {'step': %s, 'integrator': 'euler', 'substeps': %s}, 'materials': {'r': "     \
    "{'young': 5e5, 'density': 1000, 'poisson': 0.4, 'alpha1': 0.0002}}, 'shapes': {'s': {'mesh': {'solid': "          \
    "{'sphere': {'radius': 0.05}}, 'elements': 60}, 'material': 'r'}, 'c': {'mesh': {'box': {'min': [-0.05, -0.05], "  \
    "'max': [0.05, 0.05], "                                                                                            \
    "'cells': [4, 4]}}, 'material': 'r'}}, 'obstacles': [{'plane': {}}%s], 'bodies': ["
#define STRUCK "{'shape': 's', 'position': [0, 0.0505], 'velocity': [0, -4]}"
#define OTHERS                                                                                                         \
    ", {'shape': 's', 'position': [1, 1], 'spin': 9}, {'shape': 'c', 'position': [2, 0.05]}, {'shape': 'c', "          \
    "'position': [2, 0.15]}"

static char text[6000];

// Appends bodies, each with the method.
static const char *add_bodies(char *end, const char *method, const char *bodies) {
    for (const char *body = bodies, *next; body; body = next) {
        next = strstr(body + 1, "{'shape'");
        const int length = next ? (int)(next - body) - 1 : (int)strlen(body) - 1;
        end += snprintf(end, 400, "{'method': '%s', %.*s", method, length, body + 1);
    }
    snprintf(end, 4, "]}");
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    return text;
}

static const char *compose(const char *method, const char *step, const char *parts, const char *walls,
                           const char *bodies) {
    return add_bodies(text + snprintf(text, sizeof text, HEAD, step, parts, walls), method, bodies);
}

static ThawWorld *make(const char *method, const char *step, const char *parts, const char *walls, const char *bodies) {
    return make_world(compose(method, step, parts, walls, bodies), 1);
}

// m, 0: the same bits.
static double apart(const ThawWorld *a, int32_t i, const ThawWorld *b, int32_t k) {
    const ThawModelBody *p = &a->model->bodies[i], *q = &b->model->bodies[k];
    double most = 0;
    assert_int_equal(p->shape->nv, q->shape->nv);
    for (int32_t j = 0; j < 2 * p->shape->nv; j++)
        most = fmax(most, fabs(a->state.x[2 * p->first_vertex + j] - b->state.x[2 * q->first_vertex + j]));
    return most;
}

// What is struck goes as if it were alone in the world, and so does all else.
static void only_what_is_struck_is_cut(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        const char *method = m ? "rigidify" : "full";
        ThawWorld *all = make(method, "0.005", "32", "", STRUCK OTHERS);
        ThawWorld *struck = make(method, "0.005", "32", "", STRUCK);
        ThawWorld *others = make(method, "0.005", "0", "", &OTHERS[2]);
        int cut = 0, went_back = 0;
        for (int i = 0; i < 60; i++) {
            const ThawStepStats a = run_world(all, 1), b = run_world(struck, 1), c = run_world(others, 1);
            assert_int_equal(a.substeps, b.substeps);
            assert_int_equal(c.substeps, 1);
            assert_true(apart(all, 0, struck, 0) == 0);
            for (int k = 0; k < 3; k++)
                assert_true(apart(all, 1 + k, others, k) == 0);
            assert_true(fabs(a.ledger.kinetic - b.ledger.kinetic - c.ledger.kinetic) < 1e-12);
            assert_true(fabs(a.ledger.contact_work - b.ledger.contact_work - c.ledger.contact_work) < 1e-12);
            assert_int_equal(a.contacts, b.contacts + c.contacts);
            cut += a.substeps > 1;
            went_back += all->went_back;
        }
        print_message("%s: %d of 60 steps in parts\n", method, cut);
        assert_true(cut > 2 && went_back == 0);
        thaw_world_free(&all);
        thaw_world_free(&struck);
        thaw_world_free(&others);
    }
}

// However small the step is beside what it sinks in by: a blow is what goes deeper.
static void what_rests_is_not_struck(void **state) {
    (void)state;
    ThawWorld *world = make("full", "0.0005", "32", "", "{'shape': 'c', 'position': [0, 0.06]}");
    int struck = 0, late = 0;
    for (int i = 0; i < 3000; i++) {
        run_world(world, 1);
        struck += world->party[0] > 0;
        late += i >= 2000 && world->party[0] > 0;
    }
    print_message("struck in %d of 3000 steps, %d of the last thousand\n", struck, late);
    assert_true(struck > 0 && late == 0);
    thaw_world_free(&world);
}

// A row of balls that hang in the air, close but not touching; the first is shot into them, along a wall.
#define SHOT                                                                                                           \
    "{'shape': 's', 'position': [0, 0.4], 'velocity': [12, -2]}, {'shape': 's', 'position': [0.13, 0.43]}, "           \
    "{'shape': 's', 'position': [0.29, 0.4]}, {'shape': 's', 'position': [0.45, 0.44]}, {'shape': 's', 'position': "   \
    "[0.6, 0.36]}, {'shape': 's', 'position': [0.6, 0.5], 'velocity': [-9, 3]}, {'shape': 'c', 'position': [0.9, "     \
    "0.05]}, {'shape': 'c', 'position': [0.9, 0.1502]}"
#define WALLS                                                                                                          \
    ", {'position': [-0.1, 0], 'plane': {'normal': [1, 0]}}, {'position': [1.05, 0], 'plane': {'normal': [-1, 0]}}"

static double deepest(const ThawWorld *world) {
    const ThawContactSet *set = &world->state.contacts;
    double most = 0;
    for (int32_t i = 0; i < set->count; i++)
        most = fmax(most, -set->contacts[i].gap);
    return most;
}

static void what_is_met_on_the_way_is_not_missed(void **state) {
    (void)state;
    ThawWorld *world = make("full", "0.02", "200", WALLS, SHOT), *fine = make("full", "0.001", "0", WALLS, SHOT);
    int went_back = 0, parties = 0;
    double most = 0, energy = NAN, coarse = 0;
    for (int i = 0; i < 100; i++) {
        const ThawStepStats stats = run_world(world, 1);
        const double now = stats.ledger.kinetic + stats.ledger.elastic + stats.ledger.gravitational;
        most = i == 0 ? now : fmax(most, now);
        energy = i == 0 ? now : energy;
        went_back += world->went_back;
        coarse = fmax(coarse, deepest(world));
        for (int k = 1; k < 8; k++)
            parties += stats.substeps > 1 && world->party[k] != world->party[k - 1];
    }
    double least = 0;
    for (int i = 0; i < 2000; i++) {
        run_world(fine, 1);
        least = fmax(least, deepest(fine));
    }
    print_message("went back %d times, %d times beside others in other parts; energy %g at most of %g J; deepest %g m, "
                  "by fine steps %g m\n",
                  went_back, parties, most, energy, coarse, least);
    assert_true(went_back > 0 && parties > 10);
    assert_true(most < energy * (1 + 1e-3));
    assert_true(coarse < 2 * least + 1e-3);
    thaw_world_free(&world);
    thaw_world_free(&fine);
}

// Bars that a load on one end carries off: torque of the load at the end of a step makes energy that cannot be taken
// off, and they make such intervals in halves (step/balance.c).
// Bars that a load on one end carries off, or turns about the other: they are made to turn farther in a step than such
// a torque lasts, and gain energy by it that cannot be taken off (step/balance.c).
#define BARS                                                                                                           \
    "{'thaw': 1, 'dimension': 2, 'time': {'step': 0.05, 'integrator': 'euler', 'substeps': 0}, 'materials': {'r': "    \
    "{'young': 1e8, 'density': 300, 'poisson': 0.4, 'alpha1': 0.0002}}, 'shapes': {'b': {'mesh': {'box': {'min': [0, " \
    "-0.02], 'max': [0.4, 0.02], 'cells': [10, 1]}}, 'material': 'r', 'groups': {'end': {'nearest': [0, 0]}, 'tip': "  \
    "{'nearest': [0.4, 0]}}}}, 'obstacles': [{'plane': {}}], 'bodies': ["
#define PULLED(more, x, y, force, from)                                                                                \
    "{'shape': 'b', 'position': [" x ", " y "], 'forces': [{'group': 'tip', 'total': [0, -" force "], 'from': " from   \
    "}]" more "}"
#define FREE_400 PULLED("", "0", "9", "400", "0.48")
#define FREE_2000 PULLED("", "200", "9", "2000", "0.48")
#define HINGED PULLED(", 'pins': ['end']", "400", "9", "400", "0.48")
#define REST "{'shape': 'b', 'position': [600, 0.02]}, {'shape': 'b', 'position': [600.01, 0.06]}"
#define ALL FREE_400 ", " FREE_2000 ", " HINGED ", " REST

static const char *compose_bars(const char *method, const char *bodies) {
    return add_bodies(text + snprintf(text, sizeof text, "%s", BARS), method, bodies);
}

// Whichever of several is cut: each goes as if it were alone in the world, bit by bit, and so do bars at rest.
static void halves_are_the_island_s_own(void **state) {
    (void)state;
    static const char *const alone[] = {FREE_400, FREE_2000, HINGED, REST};
    for (int m = 0; m < 2; m++) {
        const char *method = m ? "rigidify" : "full";
        ThawWorld *one[4], *all = make_world(compose_bars(method, ALL), 1);
        int cut[4] = {0}, together = 0;
        for (int k = 0; k < 4; k++)
            one[k] = make_world(compose_bars(method, alone[k]), 1);
        for (int i = 0; i < 60; i++) {
            int64_t most = 0;
            double kinetic = 0;
            for (int k = 0; k < 4; k++) {
                const ThawStepStats stats = run_world(one[k], 1);
                kinetic += stats.ledger.kinetic;
                most = stats.substeps > most ? stats.substeps : most;
                cut[k] += stats.substeps > 1;
            }
            const ThawStepStats stats = run_world(all, 1);
            assert_int_equal(stats.substeps, most);
            together += stats.substeps > 1;
            for (int k = 0; k < 5; k++)
                assert_true(apart(all, k, one[k < 3 ? k : 3], k == 4) == 0);
            assert_true(fabs(stats.ledger.kinetic - kinetic) <= 1e-12 * kinetic);
            assert_int_equal(all->went_back, 0);
        }
        print_message("%s: %d steps cut, alone %d, %d, %d, %d\n", method, together, cut[0], cut[1], cut[2], cut[3]);
        assert_true(cut[0] > 0 && cut[1] > 0 && cut[2] > 0 && cut[3] == 0);
        for (int k = 0; k < 4; k++)
            thaw_world_free(&one[k]);
        thaw_world_free(&all);
    }
}

// Bars that are pulled fly into each other: what one may meet is cut with it, or the step is made anew.
static void what_is_halved_misses_nothing(void **state) {
    (void)state;
    ThawWorld *world = make_world(
        compose_bars("full", PULLED("", "0", "2", "400", "0") ", " PULLED("", "0.45", "2.02", "400", "0") ", " PULLED(
                                 "", "-0.2", "1.5", "100", "0") ", " PULLED("", "0.3", "2.5", "2000", "0")),
        1);
    double depth = 0;
    int cut = 0, went_back = 0;
    for (int i = 0; i < 60; i++) {
        cut += run_world(world, 1).substeps > 1;
        went_back += world->went_back;
        depth = fmax(depth, deepest(world));
    }
    print_message("%d steps cut, went back %d times, deepest %g m\n", cut, went_back, depth);
    assert_true(cut > 2 && depth < 0.01);
    thaw_world_free(&world);
}

static int is_ripe(const ThawWorld *world, const ThawStepStats *stats) {
    return stats->substeps > 1 || world->went_back;
}

static void bits_are_the_same_for_threads_and_after_resuming(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        char path[300];
        snprintf(path, sizeof path, "%s", at("parts.ckpt"));
        const char *scene = compose(m ? "rigidify" : "full", "0.02", "200", WALLS, SHOT);
        assert_true(bits_across_checkpoints(scene, 60, path, is_ripe) > 1);
        scene = compose_bars(m ? "rigidify" : "full", ALL);
        assert_true(bits_across_checkpoints(scene, 60, path, is_ripe) > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_is_struck_is_cut),
        cmocka_unit_test(what_rests_is_not_struck),
        cmocka_unit_test(what_is_met_on_the_way_is_not_missed),
        cmocka_unit_test(halves_are_the_island_s_own),
        cmocka_unit_test(what_is_halved_misses_nothing),
        cmocka_unit_test(bits_are_the_same_for_threads_and_after_resuming),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
