// SPDX-License-Identifier: Apache-2.0
// Bodies that fall together, with a little air between them or none, land one on the other, and not in each other: when
// the lowest is stopped, no speed of theirs has told of it, neither in the first step of a stack that is put down nor
// in the landing of one that falls fast.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contact_physics/support_touch.h"

static double draw(uint64_t *seed, double lo, double hi) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * ((double)(*seed >> 11) * 0x1p-53);
}

typedef struct Fall {
    int count;
    double young, drop, air, h; // Pa, m, m, s
    const char *law;
} Fall;

enum { MOST = 6 };
static const double SIDE = 0.1, EDGE = 0.05; // m

static Touch make_stack(const Fall *fall, const char *method) {
    char text[4000];
    int at = snprintf(text, sizeof text,
                      "{'thaw': 1, 'time': {'step': %g}, 'contact': {%s},"
                      "'materials': {'m': {'young': %g, 'poisson': 0.3, 'density': 1000}},"
                      "'shapes': {'c': {'mesh': {'box': {'min': [-0.05, -0.05, 0], 'max': [0.05, 0.05, 0.1], "
                      "'cells': [2, 2, 2]}}, 'material': 'm'}}, 'obstacles': [{'plane': {}}], 'bodies': [",
                      fall->h, fall->law, fall->young);
    for (int i = 0; i < fall->count; i++)
        at +=
            snprintf(text + at, sizeof text - (size_t)at, "%s{'shape': 'c', 'method': '%s', 'position': [%g, %g, %g]}",
                     i ? "," : "", method, 0.003 * (i % 2), 0.002 * (i % 3), fall->drop + i * (SIDE + fall->air));
    snprintf(text + at, sizeof text - (size_t)at, "]}");
    return touch_open(text);
}

// How deep neighbours, or the lowest and the floor, are in each other at most, m; the height of the highest, m.
static double depth_of(const Touch *t, int count, double *top) {
    double deepest = 0, under = 0;
    for (int b = 0; b < count; b++) {
        double x[27 * 3], lo = INFINITY, hi = -INFINITY;
        assert_int_equal(thaw_world_vertex_count(t->world, b), 27);
        assert_int_equal(thaw_world_get_positions(t->world, b, x), THAW_OK);
        for (int i = 2; i < 27 * 3; i += 3) {
            lo = fmin(lo, x[i]);
            hi = fmax(hi, x[i]);
        }
        deepest = fmax(deepest, under - lo);
        under = hi;
    }
    *top = under;
    return deepest;
}

static double energy_of(const ThawLedger *l) { return l->kinetic + l->shadow + l->elastic + l->gravitational; }

// Compliant contact gives way as the elements behind it do. So what is deeper than so many edges was not seen.
static const double SEEN = 0.03;

static void let_fall(const Fall *fall) {
    Touch full = make_stack(fall, "full"), rigid = make_stack(fall, "rigidify");
    // How high a stack bounces depends on where in a step it lands: so much full itself is off if it falls from a
    // thousandth higher.
    Fall higher = *fall;
    higher.drop *= 1.001;
    Touch near = make_stack(&higher, "full");
    double deepest = 0, apart = 0, floor = 0, top[3], least = INFINITY, gained = 0;
    const int steps = (int)((sqrt(fall->drop / 5) + 0.2) / fall->h);
    for (int i = 0; i < steps; i++) {
        touch_try(&full, 1); // hard contact of stiff bodies: rounding leaves up to 2e-5
        touch_try(&rigid, 1);
        touch_try(&near, 1);
        depth_of(&near, fall->count, &top[2]);
        deepest = fmax(deepest, depth_of(&full, fall->count, &top[0]));
        deepest = fmax(deepest, depth_of(&rigid, fall->count, &top[1]));
        apart = fmax(apart, fabs(top[1] - top[0]));
        floor = fmax(floor, fabs(top[2] - top[0]));
        const double energy = energy_of(&full.last.ledger);
        gained = fmax(gained, energy - least);
        least = fmin(least, energy);
    }
    printf("%d of %.0e Pa from %.4f m, air %.0e m, h %.0e, {%s}: %.1e edges deep, methods differ by %.1e m, gains %.1e "
           "J of %.1e\n",
           fall->count, fall->young, fall->drop, fall->air, fall->h, fall->law, deepest / EDGE, apart, gained, least);
    assert_true(deepest < SEEN * EDGE);
    assert_true(apart < fmax(0.01 * SIDE, 2 * floor));
    assert_true(gained < 1e-3 * fabs(least));
    touch_close(&full);
    touch_close(&rigid);
    touch_close(&near);
}

static void what_is_put_down_flush_stays(void **state) {
    (void)state;
    static const double airs[] = {0, 1e-9, 1e-5, 5e-4};
    for (int i = 0; i < 4; i++)
        let_fall(&(Fall){5, 1e7, 0, airs[i], 0.01, ""});
}

static void what_falls_together_lands_on_each_other(void **state) {
    (void)state;
    let_fall(&(Fall){5, 2e11, 0.001, 1e-4, 0.01, ""}); // jumped by 1.3 cm
    let_fall(&(Fall){5, 1e9, 0.5, 5e-3, 0.01, ""});    // 3 cm deep
    let_fall(&(Fall){6, 1e7, 2, 1e-3, 0.01, "'stiffness': 'hard'"});
    uint64_t seed = 17;
    for (int i = 0; i < 12; i++) {
        static const char *const laws[] = {"", "'stiffness': 'hard'", "'edges': true"};
        Fall fall = {2 + (int)draw(&seed, 0, MOST - 1), pow(10, draw(&seed, 7, 11)),    pow(10, draw(&seed, -4, 0)),
                     pow(10, draw(&seed, -6, -2)),      pow(10, draw(&seed, -3, -1.7)), laws[i % 3]};
        let_fall(&fall);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_put_down_flush_stays),
        cmocka_unit_test(what_falls_together_lands_on_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
