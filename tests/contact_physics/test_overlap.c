// SPDX-License-Identifier: Apache-2.0
// Bodies that stand in each other at the start are parted, and no body gets energy from it. An overlap is worth
// nothing, whatever the law of contact, so energy is counted without it: kinetic + elastic + gravitational + what the
// springs of contacts hold, less the work of loads and what lifting bodies apart put in (parting_work), is never more
// than at the start.
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
#include "support/repeats.h"

static double draw(uint64_t *seed) { // in [0, 1)
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}
static double between(uint64_t *seed, double lo, double hi) { return lo + (hi - lo) * draw(seed); }
static int below(uint64_t *seed, int count) { return (int)(draw(seed) * count); }

static double energy_of(const ThawLedger *l) {
    return l->kinetic + l->shadow + l->elastic + l->gravitational - l->external_work - l->parting_work;
}

static const char *const laws[] = {"'stiffness': 'hard'", "'edges': true", "'stiffness': 1e6",
                                   "'erp': 0.5, 'cfm': 1e-5", "'erp': 0.5"};
enum { LAWS = sizeof laws / sizeof *laws };

typedef struct Text {
    char s[6000];
    size_t length;
} Text;

__attribute__((format(printf, 2, 3))) static void add(Text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    t->length += (size_t)vsnprintf(t->s + t->length, sizeof t->s - t->length, format, arguments);
    va_end(arguments);
    assert_true(t->length < sizeof t->s);
}

static void add_vector(Text *t, int dim, const double *v) {
    add(t, "[%g, %g", v[0], v[1]);
    add(t, dim == 3 ? ", %g]" : "]", v[2]);
}

// Two to four boxes in each other, perhaps in the floor. Turns within a step are small: what a linearised step makes of
// large ones is not contact's.
static Touch make_tangle(uint64_t seed, int law) {
    static const char *const models[] = {"neo-hookean", "stable-neo-hookean", "corotational", "stvk"};
    Text t = {0};
    const int dim = 2 + below(&seed, 2), count = 2 + below(&seed, 3);
    double down[3] = {0}, half[2][3], height = 0.35;
    down[dim - 1] = below(&seed, 2) ? -9.81 : 0;
    for (int i = 0; i < 3; i++)
        half[0][i] = -(half[1][i] = between(&seed, 0.1, 0.3));
    add(&t, "{'thaw': 1, 'dimension': %d, 'gravity': ", dim);
    add_vector(&t, dim, down);
    add(&t, ", 'time': {'step': %g, 'integrator': '%s'}, ", between(&seed, 0.002, 0.01),
        below(&seed, 3) ? "semi-implicit" : "newton");
    add(&t, "'contact': {%s, 'friction': '%s', 'tangent': %g}, 'obstacles': [{'plane': {}}], ", laws[law],
        below(&seed, 2) ? "box" : "cone", below(&seed, 3) ? 0.5 : 0);
    add(&t, "'materials': {'m': {'model': '%s', 'young': %g, 'poisson': 0.3, 'density': %g}}, ",
        models[below(&seed, 4)], pow(10, between(&seed, 4, 7)), pow(10, between(&seed, 2, 3.5)));
    add(&t, "'shapes': {'s': {'material': 'm', 'mesh': {'box': {'min': ");
    add_vector(&t, dim, half[0]);
    add(&t, ", 'max': ");
    add_vector(&t, dim, half[1]);
    add(&t, dim == 3 ? ", 'cells': [2, 2, 2]}}}}, 'bodies': [" : ", 'cells': [3, 2]}}}}, 'bodies': [");
    for (int b = 0; b < count; b++) {
        double x[3] = {between(&seed, -0.1, 0.1), between(&seed, -0.1, 0.1), 0}, v[3];
        x[dim - 1] = height;
        height += between(&seed, 0.15, 0.35);
        for (int i = 0; i < 3; i++)
            v[i] = between(&seed, -2, 2);
        add(&t, "%s{'shape': 's', 'friction': %g, 'position': ", b ? ", " : "", 3 * draw(&seed));
        add_vector(&t, dim, x);
        add(&t, ", 'velocity': ");
        add_vector(&t, dim, v);
        add(&t, ", 'self_contact': %s, 'rotation': {%s'degrees': %g}}", below(&seed, 5) ? "false" : "true",
            dim == 3 ? "'axis': [1, 0.5, -0.3], " : "", between(&seed, 0, 360));
    }
    add(&t, "]}");
    return touch_open("%s", t.s);
}

static void bodies_in_each_other_get_no_energy_from_it(void **state) {
    (void)state;
    double worst = -INFINITY;
    for (int k = 0; k < 60; k++) {
        Touch t = make_tangle(7u + 1000003u * (uint64_t)k, k % LAWS);
        ThawLedger l;
        assert_int_equal(thaw_world_get_ledger(t.world, &l), THAW_OK);
        double start = energy_of(&l), lowest = l.gravitational, largest = 0, rise = -INFINITY,
               balance = touch_balance(&t);
        for (int i = 0; i < 60; i++) {
            touch_try(&t, 1);
            l = t.last.ledger;
            lowest = fmin(lowest, l.gravitational);
            largest = fmax(largest, l.kinetic + l.elastic + l.gravitational - lowest);
            rise = fmax(rise, energy_of(&l) - start);
        }
        worst = fmax(worst, rise / largest);
        if (rise > 0.01 * largest || t.left > 0)
            fail_msg("world %d (%s): %g J more than at the start, of %g J; %d steps not converged", k, laws[k % LAWS],
                     rise, largest, (int)t.left);
        assert_true(fabs(touch_balance(&t) - balance) < 1e-5 * largest + 1e-6);
        touch_close(&t);
    }
    printf("at most %.1g of the energy is gained\n", worst);
}

// They come out of each other, slowly or fast, and stay where they are then.
static void bodies_in_each_other_are_parted_and_stay_at_rest(void **state) {
    (void)state;
    static const char *const methods[] = {"full", "rigidify"};
    for (int k = 0; k < 2 * LAWS; k++) {
        Touch t =
            touch_open("{'thaw': 1, 'gravity': [0, 0, 0], 'time': {'step': 0.01}, 'contact': {%s}, 'materials': {'m': "
                       "{'young': 1e6, 'poisson': 0.3, 'density': 1000}}, 'shapes': {'s': {'material': 'm', 'mesh': "
                       "{'box': {'min': [-0.1, -0.1, -0.1], 'max': [0.1, 0.1, 0.1], 'cells': [2, 2, 2]}}}}, 'bodies': "
                       "[{'shape': 's', 'method': '%s'}, {'shape': 's', 'method': '%s', 'position': [0.01, 0.02, "
                       "0.12]}]}",
                       laws[k / 2], methods[k % 2], methods[k % 2]);
        touch_run(&t, 100);
        double apart = touch_lowest(&t, 1, 2) - touch_highest(&t, 0, 2);
        printf("%s, %s: %.2g m apart, %.2g J\n", laws[k / 2], methods[k % 2], apart, t.last.ledger.kinetic);
        assert_true(apart > -0.02 * 0.1);
        assert_true(t.last.ledger.kinetic + t.last.ledger.elastic < 1e-3); // pushed apart they have 2 J
        touch_close(&t);
    }
}

// 17 kPa, hard contact, friction by the box, a body that touches itself: 1.8e4 J became 1.4e5 J, 22 of 100 steps did
// not converge.
static void a_hard_tangle_of_soft_bodies_calms_down(void **state) {
    (void)state;
    static const char *const methods[] = {"full", "rigidify"};
    static const double spins[] = {4.29504, 4.2951, 4.2949, 4.2952};
    for (int k = 0; k < 2 * repeats(4); k++) {
        Touch t = touch_open(
            "{'thaw': 1, 'dimension': 2, 'time': {'step': 0.02}, 'solver': {'name': 'pcg'}, 'contact': {'stiffness': "
            "'hard', "
            "'friction': 'box', 'edges': false}, 'materials': {'m': {'model': 'corotational', 'density': 1863.32, "
            "'young': "
            "17466.33, 'poisson': 0, 'alpha1': 0.005}}, 'shapes': {'s': {'material': 'm', 'mesh': {'box': {'min': "
            "[-0.238218, -0.207051], 'max': [0.238218, 0.207051], 'cells': [5, 1]}}}}, 'obstacles': [{'plane': {}, "
            "'friction': 0.3}, {'circle': {'radius': 0.1}, 'position': [0, 0.05]}], 'bodies': [{'shape': 's', "
            "'method': "
            "'%s', 'friction': 0.5, 'position': [0.00611655, 0.466285], 'velocity': [-0.881896, -3.37638], 'spin': "
            "1.91887, "
            "'rotation': {'degrees': 324.26355}}, {'shape': 's', 'method': '%s', 'friction': 3, 'position': "
            "[-0.0410919, "
            "0.955009], 'velocity': [1.69786, -3.89085], 'spin': 0.632719, 'self_contact': true}, {'shape': 's', "
            "'method': "
            "'%s', 'friction': 0, 'position': [-0.0577201, 1.5959], 'velocity': [-0.272963, -2.58318], 'spin': "
            "%.9g}]}",
            methods[k % 2], methods[k % 2], methods[k % 2], spins[k / 2]);
        ThawLedger l;
        thaw_world_get_ledger(t.world, &l);
        double start = energy_of(&l), most = 0;
        for (int i = 0; i < 100; i++) {
            touch_try(&t, 1);
            most = fmax(most, energy_of(&t.last.ledger));
        }
        printf(
            "%s: %.4g J at the start, %.4g J at most, %.4g J at the end; %lld steps with a residual, %.2g at worst\n",
            methods[k % 2], start, most, energy_of(&t.last.ledger), (long long)t.left, t.residual);
        assert_true(t.residual < 0.1); // hard rows on bodies that are crushed flat may not converge: docs/contact.md
        assert_true(most <= 1.001 * start && energy_of(&t.last.ledger) < 0.5 * start);
        touch_close(&t);
    }
}

// A ball or a box that presses a soft block on the floor finds other faces and vertices of it as it sinks in: no bad
// start, for which the block would be shifted, through the floor.
static void what_is_pressed_on_a_floor_stays_on_it(void **state) {
    (void)state;
    static const char *const pressers[] = {"'sphere': {'radius': 0.06}, 'position': [0, 0, 0.28]",
                                           "'sphere': {'radius': 0.1}, 'position': [0, 0, 0.32]",
                                           "'box': {'size': [0.08, 0.08, 0.12]}, 'position': [0, 0, 0.28]",
                                           "'box': {'size': [0.11, 0.11, 0.12]}, 'position': [0.03, -0.05, 0.28]"};
    for (int i = 0; i < 8; i++) {
        Touch t = touch_open(
            "{'thaw': 1, 'time': {'step': 0.005}, 'materials': {'m': {'young': 1e5, 'poisson': 0.4, 'density': 1000, "
            "'alpha1': 0.01}}, 'shapes': {'c': {'mesh': {'box': {'min': [-0.1, -0.1, 0], 'max': [0.1, 0.1, 0.2], "
            "'cells': [%d, %d, %d]}}, 'material': 'm'}}, 'bodies': [{'shape': 'c', 'method': '%s'}], 'obstacles': "
            "[{'plane': {}}, {%s, 'keys': [{'time': 0.1}, {'time': 0.6, 'translation': [0, 0, -0.1]}, {'time': 0.8, "
            "'translation': [0, 0, -0.1]}, {'time': 1.2, 'translation': [0, 0, 0.1]}]}]}",
            i < 4 ? 6 : 4, i < 4 ? 6 : 4, i < 4 ? 6 : 4, i % 2 ? "rigidify" : "full", pressers[i % 4]);
        double lowest = 0, work = 0;
        for (int step = 0; step < 260; step++) {
            touch_try(&t, 1);
            lowest = fmin(lowest, touch_lowest(&t, 0, 2));
            work = fmax(work, fabs(t.last.ledger.parting_work));
        }
        printf("{%s}: %.1f mm below the floor, shifted by %.2g J\n", pressers[i % 4], -1e3 * lowest, work);
        assert_true(lowest > -0.1 * 0.2 / (i < 4 ? 6 : 4)); // of an edge
        assert_true(work < 0.1);
        touch_close(&t);
    }
}

// Two walls that are nearer to each other than the cube is wide: no shift helps, and it comes to rest there.
static void what_is_wedged_sleeps(void **state) {
    (void)state;
    Touch t = touch_open(
        "{'thaw': 1, 'gravity': [0, 0, 0], 'time': {'step': 0.01}, 'materials': {'m': {'young': 1e6, 'poisson': 0.3, "
        "'density': 1000, 'alpha1': 0.02}}, 'shapes': {'c': {'mesh': {'box': {'min': [-0.08, -0.08, -0.08], 'max': "
        "[0.08, 0.08, 0.08], 'cells': [2, 2, 2]}}, 'material': 'm'}}, 'bodies': [{'shape': 'c', 'method': 'rigidify'}],"
        "'obstacles': [{'plane': {}, 'position': [0, 0, -0.07]}, {'plane': {'normal': [0, 0, -1]}, 'position': [0, 0, "
        "0.07]}]}");
    int steps = 0;
    for (; steps < 600 && !thaw_world_is_asleep(t.world, 0); steps++)
        touch_try(&t, 1);
    printf("wedged: asleep after %d steps\n", steps);
    assert_true(thaw_world_is_asleep(t.world, 0));
    touch_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_in_each_other_get_no_energy_from_it),
        cmocka_unit_test(bodies_in_each_other_are_parted_and_stay_at_rest),
        cmocka_unit_test(what_is_pressed_on_a_floor_stays_on_it),
        cmocka_unit_test(what_is_wedged_sleeps),
        cmocka_unit_test(a_hard_tangle_of_soft_bodies_calms_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
