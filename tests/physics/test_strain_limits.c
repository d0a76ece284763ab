// SPDX-License-Identifier: Apache-2.0
// Strain limits in worlds: a cloth that would be stretched ten times by its weight hangs within its limit, whatever the
// step; pins stay where they are to the bit; a spinning cloth keeps its momenta; parts sleep under tension at the
// limit; a cloth drawn over a ball stays outside; energy is none gained; bits do not depend on threads or checkpoints.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/folder.h"
#include "support/repeats.h"
#include "support/world.h"
#include "thaw/field.h"

enum { MOST = 4000 };
static const char limits[] = ", \"strain_limits\": [0.9, 1.1]";

static double largest_stretch(const ThawWorld *world) {
    double values[MOST], largest = 0;
    assert_true(thaw_world_element_count(world, 0) <= MOST);
    assert_int_equal(thaw_world_get_field(world, 0, thaw_field_find("stretch"), values), THAW_OK);
    for (int32_t e = 0; e < thaw_world_element_count(world, 0); e++)
        largest = fmax(largest, values[e]);
    return largest;
}

// A cloth of 1 m, 3 kg, that hangs by two corners.
static void write_hanging(double h, const char *integrator, const char *own, char text[2000]) {
    snprintf(
        text, 2000,
        "{\"thaw\": 1, \"time\": {\"step\": %g, \"integrator\": \"%s\"}, \"materials\": {\"m\": {\"density\": 300, "
        "\"young\": 2000, \"poisson\": 0.3, \"alpha1\": 0.002%s}}, \"shapes\": {\"c\": {\"mesh\": {\"sheet\": "
        "{\"grid\": {\"width\": 1, \"height\": 1}}, \"size\": 0.1}, \"material\": \"m\", \"thickness\": 0.01, "
        "\"groups\": {\"a\": {\"nearest\": [-0.5, 0.5, 0]}, \"b\": {\"nearest\": [0.5, 0.5, 0]}}}}, \"bodies\": "
        "[{\"shape\": \"c\", \"pins\": [\"a\", \"b\"]}]}",
        h, integrator, own);
}

static void a_heavy_cloth_hangs_within_its_limit_whatever_the_step(void **state) {
    (void)state;
    static const char *const integrators[] = {"semi-implicit", "newton", "euler", "tr-bdf2"};
    char text[2000];
    write_hanging(0.01, "euler", "", text);
    ThawWorld *free_cloth = make_world(text, 1);
    run_world(free_cloth, 300);
    const double without = largest_stretch(free_cloth);
    assert_true(without > 5);
    thaw_world_free(&free_cloth);
    for (int i = 0; i < repeats(4); i++)
        for (double h = 0.02; h > 0.004; h /= 2) {
            double before[3 * 400], after[3 * 400], most = 0, start = 0, off = 0;
            ThawStepStats stats = {0};
            write_hanging(h, integrators[i], limits, text);
            ThawWorld *world = make_world(text, 1);
            thaw_world_get_positions(world, 0, before);
            for (int k = 0; k < (int)(4 / h); k++) {
                step_world(world, &stats);
                start = k == 0 ? ledger_balance(&stats.ledger) : start;
                off = fmax(off, fabs(ledger_balance(&stats.ledger) - start));
                most = fmax(most, largest_stretch(world));
            }
            thaw_world_get_positions(world, 0, after);
            print_message("%s, h %g s: at most %.4f, in the end %.4f (without a limit %.1f); ledger off %.1e J\n",
                          integrators[i], h, most, largest_stretch(world), without, off);
            assert_true(largest_stretch(world) < 1.1 && most < 1.125 && off < 1e-5);
            const int32_t count = thaw_world_vertex_count(world, 0);
            int still = 0;
            for (int32_t v = 0; v < count; v++)
                still += memcmp(before + 3 * v, after + 3 * v, 3 * sizeof *before) == 0;
            assert_int_equal(still, 2);
            thaw_world_free(&world);
        }
}

// In sleep at the limit, and the same shape as by the full method.
static void parts_form_and_sleep_at_the_limit(void **state) {
    (void)state;
    char text[2000];
    ThawStepStats stats = {0};
    write_hanging(0.01, "euler", ", \"alpha0\": 2, \"strain_limits\": [0.9, 1.1]", text);
    ThawWorld *full = make_world_by(text, "full", 1), *world = make_world_by(text, "rigidify", 1);
    double most = 0;
    int64_t rigid = 0;
    for (int k = 0; k < 2000; k++) {
        ThawStepStats of_full;
        step_world(full, &of_full);
        step_world(world, &stats);
        most = fmax(most, largest_stretch(world));
        rigid += stats.rigid_parts > 0;
    }
    print_message("rigid parts in %d of 2000 steps, asleep %d, stretch at most %.4f, apart %.2e m\n", (int)rigid,
                  (int)stats.asleep, most, worlds_apart(full, world, 0));
    assert_true(most < 1.125 && rigid > 200 && worlds_apart(full, world, 0) < 0.01);
    thaw_world_free(&full);
    thaw_world_free(&world);
}

// Momentum and angular momentum about the origin, of a body whose vertices have the masses of a regular grid's.
static void momenta_of(const ThawWorld *world, double p[6]) {
    static double x[3 * MOST], v[3 * MOST], m[MOST];
    const int32_t count = thaw_world_vertex_count(world, 0);
    thaw_world_get_positions(world, 0, x);
    thaw_world_get_velocities(world, 0, v);
    thaw_world_get_masses(world, 0, m);
    memset(p, 0, 6 * sizeof *p);
    for (int32_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            p[k] += m[i] * v[3 * i + k];
            p[3 + k] += m[i] * (x[3 * i + a] * v[3 * i + b] - x[3 * i + b] * v[3 * i + a]);
        }
}

static void a_spinning_cloth_keeps_its_momenta_within_the_limit(void **state) {
    (void)state;
    static const char text[] =
        "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.002}, \"materials\": {\"m\": {\"density\": 300, "
        "\"young\": 2000, \"poisson\": 0.3, \"alpha1\": 0.002, \"strain_limits\": [0.9, 1.1]}}, \"shapes\": {\"c\": "
        "{\"mesh\": {\"sheet\": {\"grid\": {\"width\": 1, \"height\": 1}}, \"size\": 0.1}, \"material\": \"m\", "
        "\"thickness\": 0.01}}, \"bodies\": [{\"shape\": \"c\", \"velocity\": [1, 0.5, 0], \"spin\": [1, 0, 15]}]}";
    double before[6], after[6];
    ThawWorld *world = make_world(text, 1);
    ThawStepStats stats = {0};
    momenta_of(world, before);
    step_world(world, &stats);
    const double energy = ledger_balance(&stats.ledger);
    double most = 0;
    for (int k = 0; k < 500; k++) {
        step_world(world, &stats);
        most = fmax(most, largest_stretch(world));
    }
    momenta_of(world, after);
    print_message("stretch at most %.4f, ", most);
    assert_true(most > 1.06 && most < 1.11);
    for (int k = 0; k < 6; k++) {
        const double size = k < 3 ? 3.4 : 7.5; // m |v|, I |omega|
        print_message("%.1e ", (after[k] - before[k]) / size);
        assert_true(fabs(after[k] - before[k]) < 1e-9 * size);
    }
    print_message("\n");
    assert_true(fabs(ledger_balance(&stats.ledger) - energy) < 1e-6);
    thaw_world_free(&world);
}

static const char on_a_ball[] =
    "{\"thaw\": 1, \"time\": {\"step\": 0.01}, \"materials\": {\"m\": {\"density\": 300, \"young\": 3000, "
    "\"poisson\": 0.3, \"alpha1\": 0.002, \"strain_limits\": [0.9, 1.1]}}, \"shapes\": {\"c\": {\"mesh\": {\"sheet\": "
    "{\"grid\": {\"width\": 1, \"height\": 1}}, \"size\": 0.08}, \"material\": \"m\", \"thickness\": 0.01}}, "
    "\"bodies\": [{\"shape\": \"c\", \"position\": [0.03, 0.01, 0.4]}], \"obstacles\": [{\"sphere\": {\"radius\": "
    "0.25}, \"position\": [0, 0, 0]}]}";

static void a_heavy_cloth_on_a_ball_stays_outside(void **state) {
    (void)state;
    static double x[3 * MOST];
    double most = 0, least = 1;
    ThawWorld *world = make_world(on_a_ball, 1);
    ThawStepStats stats = {0};
    for (int k = 0; k < 60; k++) {
        step_world(world, &stats);
        most = fmax(most, largest_stretch(world));
        thaw_world_get_positions(world, 0, x);
        for (int32_t v = 0; v < thaw_world_vertex_count(world, 0); v++)
            least = fmin(least, hypot(hypot(x[3 * v], x[3 * v + 1]), x[3 * v + 2]));
    }
    print_message("stretch at most %.4f, nearest %.4f of 0.25 + 0.005 m\n", most, least);
    assert_true(most < 1.125 && least > 0.25);
    thaw_world_free(&world);
}

static int has_begun(const ThawWorld *world, const ThawStepStats *stats) {
    (void)world;
    return stats->step > 15;
}

static void bits_do_not_depend_on_threads_or_checkpoints(void **state) {
    (void)state;
    assert_true(bits_across_checkpoints(on_a_ball, 60, at("limits.h5"), has_begun) > 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heavy_cloth_hangs_within_its_limit_whatever_the_step),
        cmocka_unit_test(parts_form_and_sleep_at_the_limit),
        cmocka_unit_test(a_spinning_cloth_keeps_its_momenta_within_the_limit),
        cmocka_unit_test(a_heavy_cloth_on_a_ball_stays_outside),
        cmocka_unit_test(bits_do_not_depend_on_threads_or_checkpoints),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
