// SPDX-License-Identifier: Apache-2.0
// Strain limits by clamped stretches, as the shells paper has them: near the limit by every integrator, pins to the bit
// where they were, momenta kept, the ledger closed, nothing moved that lies in parts, bits by threads and checkpoints.
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

static double largest_stretch(const ThawWorld *world) {
    static double values[MOST];
    double largest = 0;
    assert_int_equal(thaw_world_get_field(world, 0, thaw_field_find("stretch"), values), THAW_OK);
    for (int32_t e = 0; e < thaw_world_element_count(world, 0); e++)
        largest = fmax(largest, values[e]);
    return largest;
}

// The cloth of physics/test_strain_limits.
static void write_cloth(double h, const char *integrator, const char *gravity, const char *body, char text[2000]) {
    snprintf(
        text, 2000,
        "{\"thaw\": 1, \"gravity\": %s, \"time\": {\"step\": %g, \"integrator\": \"%s\"}, \"materials\": {\"m\": "
        "{\"density\": 300, \"young\": 2000, \"poisson\": 0.3, \"alpha1\": 0.002, \"strain_limits\": [0.9, 1.1]}}, "
        "\"shapes\": {\"c\": {\"mesh\": {\"sheet\": {\"grid\": {\"width\": 1, \"height\": 1}}, \"size\": 0.1}, "
        "\"material\": \"m\", \"thickness\": 0.01, \"strain_limiting\": \"clamp\", \"groups\": {\"a\": {\"nearest\": "
        "[-0.5, 0.5, 0]}, \"b\": {\"nearest\": [0.5, 0.5, 0]}}}}, \"bodies\": [{\"shape\": \"c\", %s}]}",
        gravity, h, integrator, body);
}

static void a_heavy_cloth_hangs_near_its_limit_and_pins_stay(void **state) {
    (void)state;
    static const char *const integrators[] = {"semi-implicit", "newton", "euler", "tr-bdf2"};
    for (int i = 0; i < repeats(4); i++)
        for (double h = 0.02; h > 0.004; h /= 2) {
            static double before[3 * MOST], after[3 * MOST];
            char text[2000];
            double most = 0, start = 0, off = 0;
            ThawStepStats stats = {0};
            write_cloth(h, integrators[i], "[0, 0, -9.81]", "\"pins\": [\"a\", \"b\"]", text);
            ThawWorld *world = make_world(text, 1);
            thaw_world_get_positions(world, 0, before);
            for (int k = 0; k < (int)(4 / h); k++) {
                step_world(world, &stats);
                start = k == 0 ? ledger_balance(&stats.ledger) : start;
                off = fmax(off, fabs(ledger_balance(&stats.ledger) - start));
                most = fmax(most, largest_stretch(world));
            }
            thaw_world_get_positions(world, 0, after);
            print_message("%s, h %g s: at most %.4f, in the end %.4f; ledger off %.1e J\n", integrators[i], h, most,
                          largest_stretch(world), off);
            assert_true(most < 1.15 && largest_stretch(world) < 1.125 && off < 1e-5);
            int still = 0;
            for (int32_t v = 0; v < thaw_world_vertex_count(world, 0); v++)
                still += memcmp(before + 3 * v, after + 3 * v, 3 * sizeof *before) == 0;
            assert_int_equal(still, 2);
            thaw_world_free(&world);
        }
}

static void momenta_of(const ThawWorld *world, double p[6]) {
    static double x[3 * MOST], v[3 * MOST], m[MOST];
    thaw_world_get_positions(world, 0, x);
    thaw_world_get_velocities(world, 0, v);
    thaw_world_get_masses(world, 0, m);
    memset(p, 0, 6 * sizeof *p);
    for (int32_t i = 0; i < thaw_world_vertex_count(world, 0); i++)
        for (int k = 0; k < 3; k++) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            p[k] += m[i] * v[3 * i + k];
            p[3 + k] += m[i] * (x[3 * i + a] * v[3 * i + b] - x[3 * i + b] * v[3 * i + a]);
        }
}

static void a_spinning_cloth_keeps_its_momenta(void **state) {
    (void)state;
    char text[2000];
    double before[6], after[6], most = 0;
    ThawStepStats stats = {0};
    write_cloth(0.002, "euler", "[0, 0, 0]", "\"velocity\": [1, 0.5, 0], \"spin\": [1, 0, 15]", text);
    ThawWorld *world = make_world(text, 1);
    momenta_of(world, before);
    for (int k = 0; k < 500; k++) {
        step_world(world, &stats);
        most = fmax(most, largest_stretch(world));
    }
    momenta_of(world, after);
    print_message("stretch at most %.4f, momenta off by", most);
    for (int k = 0; k < 6; k++) {
        print_message(" %.1e", after[k] - before[k]);
        assert_true(fabs(after[k] - before[k]) < 1e-9 * (k < 3 ? 3.4 : 7.5));
    }
    print_message("\n");
    assert_true(most > 1.06 && most < 1.11);
    thaw_world_free(&world);
}

// Wholly rigid by thresholds that let everything be: what is stretched to its limit keeps its shape.
static void rigid_parts_are_not_clamped(void **state) {
    (void)state;
    static double before[MOST], after[MOST];
    char text[2000];
    double most = 0;
    ThawStepStats stats = {0};
    write_cloth(0.01, "semi-implicit", "[0, 0, 0]",
                "\"spin\": [0, 0, 15], \"method\": \"rigidify\", \"rigidify\": {\"oracle\": \"paper\", "
                "\"tau_rigid\": 1e9, \"tau_elastic\": 2e9}",
                text);
    ThawWorld *world = make_world(text, 1);
    for (int k = 0; k < 100 && stats.elastic_elements + (k < 10) > 0; k++)
        step_world(world, &stats);
    assert_true(stats.rigid_parts == 1 && stats.elastic_elements == 0);
    const int field = thaw_field_find("stretch");
    assert_int_equal(thaw_world_get_field(world, 0, field, before), THAW_OK);
    for (int k = 0; k < 20; k++)
        step_world(world, &stats);
    assert_int_equal(thaw_world_get_field(world, 0, field, after), THAW_OK);
    for (int32_t e = 0; e < thaw_world_element_count(world, 0); e++) {
        most = fmax(most, after[e]);
        assert_true(fabs(after[e] - before[e]) < 1e-12);
    }
    print_message("stretched to %.3f in a rigid part\n", most);
    thaw_world_free(&world);
}

static int has_begun(const ThawWorld *world, const ThawStepStats *stats) {
    (void)world;
    return stats->step > 15;
}

static void bits_do_not_depend_on_threads_or_checkpoints(void **state) {
    (void)state;
    char text[2000];
    write_cloth(0.01, "euler", "[0, 0, -9.81]", "\"pins\": [\"a\", \"b\"]", text);
    assert_true(bits_across_checkpoints(text, 60, at("clamp.h5"), has_begun) > 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heavy_cloth_hangs_near_its_limit_and_pins_stay),
        cmocka_unit_test(a_spinning_cloth_keeps_its_momenta),
        cmocka_unit_test(rigid_parts_are_not_clamped),
        cmocka_unit_test(bits_do_not_depend_on_threads_or_checkpoints),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
