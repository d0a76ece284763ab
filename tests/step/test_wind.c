// SPDX-License-Identifier: Apache-2.0
// Wind on sheets: a flat one falls at the speed at which air carries it, and edge on as if there were none; it takes on
// the wind's speed, also where that would be passed within a step; the ledger closes, bits last; and wind on solids is
// refused.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/folder.h"
#include "support/world.h"

static ThawWorld *sheet_in(const char *wind, double degrees, double gravity, double step) {
    char text[1000];
    snprintf(
        text, sizeof text,
        "{\"thaw\": 1, \"gravity\": [0, 0, %g], \"time\": {\"step\": %g}, \"materials\": {\"film\": {\"density\": "
        "500, \"young\": 1e7}}, \"shapes\": {\"s\": {\"mesh\": {\"sheet\": {\"grid\": {\"width\": 0.4, \"height\": "
        "0.4}}, \"size\": 0.1}, \"material\": \"film\", \"thickness\": 3e-4}}, \"bodies\": [{\"shape\": \"s\", "
        "\"rotation\": {\"axis\": [0, 1, 0], \"degrees\": %g}, \"forces\": [{\"group\": \"all\", \"wind\": %s}]}]}",
        gravity, step, degrees, wind);
    return make_world(text, 1);
}

static void mean_velocity(const ThawWorld *world, double mean[3]) {
    double v[3 * 25];
    assert_int_equal(thaw_world_vertex_count(world, 0), 25);
    assert_int_equal(thaw_world_get_velocities(world, 0, v), THAW_OK);
    for (int k = 0; k < 3; k++) {
        mean[k] = 0;
        for (int i = 0; i < 25; i++)
            mean[k] += v[3 * i + k] / 25;
    }
}

static void a_sheet_falls_as_air_lets_it(void **state) {
    (void)state;
    double v[3];
    ThawWorld *flat = sheet_in("[0, 0, 0]", 0, -9.81, 0.005), *edge_on = sheet_in("[0, 0, 0]", 90, -9.81, 0.005);
    run_world(flat, 400);
    mean_velocity(flat, v);
    const double carried = sqrt(2 * 500 * 3e-4 * 9.81 / 1.2); // weight = rho/2 v^2
    assert_true(fabs(v[2] / carried + 1) < 0.02);
    assert_true(fabs(v[0]) < 1e-6 && fabs(v[1]) < 1e-6);
    run_world(edge_on, 100);
    mean_velocity(edge_on, v);
    assert_true(fabs(v[2] / (9.81 * 0.5) + 1) < 1e-6);
    thaw_world_free(&flat);
    thaw_world_free(&edge_on);
}

// 200 m/s at steps of 0.05 s: by the force at rest alone it would be at 800 m/s after one of them.
static void wind_is_not_outrun(void **state) {
    (void)state;
    ThawWorld *world = sheet_in("[0, 0, 200]", 0, 0, 0.05);
    double v[3], before = 0;
    for (int n = 0; n < 200; n++) {
        run_world(world, 1);
        mean_velocity(world, v);
        assert_true(v[2] > before && v[2] < 200);
        before = v[2];
    }
    assert_true(before > 150);
    thaw_world_free(&world);
}

// What stands aslant is pushed across the wind, too, to the side that looks with it.
static void lift_acts_across_the_wind(void **state) {
    (void)state;
    double v[3];
    ThawWorld *world = sheet_in("[3, 0, 0]", 30, 0, 0.005);
    run_world(world, 4);
    mean_velocity(world, v); // its normal with the wind is (1/2, 0, sqrt(3)/2)
    assert_true(v[0] > 0 && v[2] > 0 && fabs(v[1]) < 1e-9);
    assert_true(fabs(v[2] / v[0] - (0.8660254 - 0) / (1 + 0.5 - 0.5)) < 0.05); // C_D = C_L: 1 + n_x - n_x along
    thaw_world_free(&world);
}

static int has_begun(const ThawWorld *world, const ThawStepStats *stats) {
    (void)world;
    return stats->step > 3;
}

static const char flag[] =
    "{\"thaw\": 1, \"time\": {\"step\": 0.005}, \"shapes\": {\"s\": {\"mesh\": {\"sheet\": {\"grid\": {\"width\": 0.6, "
    "\"height\": 0.4}}, \"size\": 0.1}, \"material\": \"silk\"}}, \"bodies\": [{\"shape\": \"s\", \"pins\": "
    "[\"x-min\"], "
    "\"forces\": [{\"group\": \"all\", \"wind\": [5, 2, 1], \"ramp\": 0.1, \"to\": 0.3}]}]}";

static void bits_last_and_the_ledger_closes(void **state) {
    (void)state;
    assert_true(bits_across_checkpoints(flag, 50, at("wind.h5"), has_begun) > 2);
    ThawWorld *world = make_world(flag, 1);
    ThawStepStats stats = run_world(world, 1);
    const double start = ledger_balance(&stats.ledger);
    double most = 0;
    for (int n = 0; n < 60; n++) {
        stats = run_world(world, 1);
        most = fmax(most, fabs(ledger_balance(&stats.ledger) - start));
    }
    assert_true(stats.ledger.external_work > 0);
    assert_true(most < 1e-9 + 1e-6 * stats.ledger.external_work);
    thaw_world_free(&world);
}

// What air does to a sheet at rest is steady: a curtain falls asleep in it, costs nothing then, and wakes when it
// blows.
static void a_curtain_at_rest_sleeps_until_wind_blows(void **state) {
    (void)state;
    static const char text[] =
        "{\"thaw\": 1, \"time\": {\"step\": 0.01}, \"materials\": {\"m\": {\"like\": \"cotton\", \"young\": 3e6, "
        "\"alpha0\": 4}}, \"shapes\": {\"s\": {\"mesh\": {\"sheet\": {\"grid\": {\"width\": 0.6, \"height\": 0.5}}, "
        "\"size\": 0.1}, \"rotate\": {\"axis\": [1, 0, 0], \"degrees\": 90}, \"material\": \"m\"}}, \"bodies\": "
        "[{\"shape\": \"s\", \"pins\": [\"y-max\"], \"method\": \"rigidify\", \"forces\": [{\"group\": \"all\", "
        "\"wind\": [0, 0, 0]}, {\"group\": \"all\", \"wind\": [0, 1, 0], \"to\": 0.3}, {\"group\": \"all\", "
        "\"wind\": [0, 2, 0], \"from\": 11.995}]}]}";
    ThawWorld *world = make_world(text, 1);
    ThawStepStats stats = run_world(world, 1198);
    assert_int_equal(stats.asleep, 1);
    assert_int_equal(stats.elastic_elements, 0);
    stats = run_world(world, 10);
    assert_int_equal(stats.asleep, 0);
    double v[3 * 60], sum = 0;
    const int32_t nv = thaw_world_vertex_count(world, 0);
    assert_true(nv <= 60);
    assert_int_equal(thaw_world_get_velocities(world, 0, v), THAW_OK);
    for (int32_t i = 0; i < nv; i++)
        sum += v[3 * i + 1];
    assert_true(sum > 0);
    thaw_world_free(&world);
}

static void wind_on_solids_is_refused(void **state) {
    (void)state;
    static const char text[] = "{\"thaw\": 1, \"shapes\": {\"s\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": "
                               "[1, 1, 1], \"cells\": [1, 1, "
                               "1]}}, \"material\": \"foam\"}}, \"bodies\": [{\"shape\": \"s\", \"forces\": "
                               "[{\"group\": \"all\", \"wind\": [1, 0, "
                               "0]}]}]}";
    ThawScene *scene = NULL;
    ThawError error = {0};
    assert_int_equal(thaw_scene_parse(text, sizeof text - 1, "s", NULL, &scene, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "bodies[0].forces[0].wind: wind on a solid"));
    thaw_scene_free(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sheet_falls_as_air_lets_it),
        cmocka_unit_test(wind_is_not_outrun),
        cmocka_unit_test(lift_acts_across_the_wind),
        cmocka_unit_test(bits_last_and_the_ledger_closes),
        cmocka_unit_test(a_curtain_at_rest_sleeps_until_wind_blows),
        cmocka_unit_test(wind_on_solids_is_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
