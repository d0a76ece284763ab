// SPDX-License-Identifier: Apache-2.0
// Bars with fibres in scenes: helical ones twist under their weight, one way or the other; the adaptive method comes to
// the same rest; energy is accounted for, bits stay after a resume, and elements that go take their fibres along.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/folder.h"
#include "support/world.h"

// A standing bar of 15 x 15 x 50 mm.
#define BAR(fibres, rest)                                                                                              \
    "{\"thaw\": 1, \"time\": {\"step\": 0.005}, \"materials\": {\"m\": {\"young\": 1e4, \"poisson\": 0.4, "            \
    "\"alpha1\": 0.02, \"fibre\": {\"stiffness\": 2e4}}}, \"shapes\": {\"bar\": {\"mesh\": {\"box\": {\"min\": "       \
    "[-0.0075, -0.0075, 0], \"max\": [0.0075, 0.0075, 0.05], \"cells\": [3, 3, 10]}}, \"material\": \"m\", "           \
    "\"fibres\": " fibres "}}, \"bodies\": [{\"shape\": \"bar\", \"pins\": [\"z-min\"]" rest "}]}"
#define HELIX(angle) "{\"helix\": {\"axis\": [0, 0, 1], \"angle\": " angle "}}"
enum { NV = 4 * 4 * 11, TOP = 4 * 4 * 10 };

// Degrees that the top has turned by about z.
static double twist_of(const ThawWorld *world) {
    double x[3 * NV], sine = 0, cosine = 0;
    assert_int_equal(thaw_world_get_positions(world, 0, x), THAW_OK);
    for (int i = 0; i < 16; i++) {
        const double X = -0.0075 + 0.005 * (i % 4), Y = -0.0075 + 0.005 * (i / 4), *p = x + 3 * (size_t)(TOP + i);
        cosine += X * p[0] + Y * p[1];
        sine += X * p[1] - Y * p[0];
    }
    return atan2(sine, cosine) * 180 / M_PI;
}

static void helical_fibres_twist_a_bar(void **state) {
    (void)state;
    static const char *const texts[] = {BAR(HELIX("45"), ""), BAR(HELIX("-45"), ""), BAR("[0, 0, 1]", "")};
    double twist[3];
    for (int i = 0; i < 3; i++) {
        ThawWorld *world = make_world(texts[i], 1);
        const ThawStepStats first = run_world(world, 1), last = run_world(world, 400);
        twist[i] = twist_of(world);
        assert_true(fabs(ledger_balance(&last.ledger) - ledger_balance(&first.ledger)) < 1e-9 * last.ledger.elastic);
        thaw_world_free(&world);
    }
    assert_true(fabs(twist[0]) > 0.3 && fabs(twist[0]) < 20);
    assert_true(fabs(twist[0] + twist[1]) < 0.1 * fabs(twist[0])); // the mesh has a hand, too
    assert_true(fabs(twist[2]) < 0.1 * fabs(twist[0]));
}

static void the_adaptive_method_comes_to_the_same_rest(void **state) {
    (void)state;
    ThawWorld *full = make_world_by(BAR(HELIX("45"), ""), "full", 1);
    ThawWorld *adaptive = make_world_by(BAR(HELIX("45"), ""), "rigidify", 1);
    run_world(full, 800);
    const ThawStepStats stats = run_world(adaptive, 800);
    assert_true(stats.dofs == 0); // asleep
    assert_true(worlds_apart(full, adaptive, 0) < 1e-3 * 0.055);
    assert_true(fabs(twist_of(full) - twist_of(adaptive)) < 0.05 * fabs(twist_of(full)));
    thaw_world_free(&full);
    thaw_world_free(&adaptive);
}

static int has_begun(const ThawWorld *world, const ThawStepStats *stats) {
    (void)world;
    return stats->step > 3;
}

static void bits_stay_after_a_resume(void **state) {
    (void)state;
    assert_true(
        bits_across_checkpoints(BAR(HELIX("30"), ", \"method\": \"rigidify\""), 200, at("fibres.h5"), has_begun) > 2);
}

// The upper half goes at 0.5 s: what is left is a bar of half the height, fibres and all.
static void what_is_left_keeps_its_fibres(void **state) {
    (void)state;
    ThawWorld *cut = make_world(BAR(HELIX("45"), ", \"changes\": [{\"at\": 0.5, \"remove\": "
                                                 "{\"side\": {\"point\": [0, 0, 0.025], \"normal\": [0, 0, 1]}}}]"),
                                1);
    double x[3 * NV], lowest = INFINITY;
    run_world(cut, 500);
    assert_int_equal(thaw_world_get_positions(cut, 0, x), THAW_OK);
    for (int i = 0; i < 16; i++)
        lowest = fmin(lowest, x[3 * (4 * 4 * 5 + i) + 2]);
    // A column of rho, E + 4 mu at most, E at least, sags by rho g L^2 / 2E: fibres aslant are in between.
    const double sag = 0.025 - lowest, soft = 1000 * 9.81 * 0.025 * 0.025 / 2 / 1e4;
    assert_true(sag > soft / 9 && sag < 0.8 * soft);
    thaw_world_free(&cut);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(helical_fibres_twist_a_bar), cmocka_unit_test(the_adaptive_method_comes_to_the_same_rest),
        cmocka_unit_test(bits_stay_after_a_resume), cmocka_unit_test(what_is_left_keeps_its_fibres)};
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
