// SPDX-License-Identifier: Apache-2.0
// Sheets that are held: seams draw the edges of two cloths together and hold them until they are cut, a weight hangs on
// a cloth that is glued to it, and corners are held by frames that move and let go.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/folder.h"
#include "support/world.h"

#define PATCH                                                                                                          \
    "\"patch\": {\"mesh\": {\"sheet\": {\"grid\": {\"width\": 0.4, \"height\": 0.4}}, \"size\": 0.1}, "                \
    "\"material\": \"cotton\", \"thickness\": 0.002}"

// Two patches 5 cm apart, the outer sides pinned loosely enough to meet.
static const char seam[] =
    "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.005}, \"shapes\": {" PATCH "}, \"bodies\": ["
    "{\"name\": \"left\", \"shape\": \"patch\", \"position\": [-0.225, 0, 0]}, "
    "{\"name\": \"right\", \"shape\": \"patch\", \"position\": [0.225, 0, 0]}], \"attachments\": ["
    "{\"body\": \"left\", \"group\": \"x-max\", \"to\": \"right\", \"kind\": \"distance\", \"length\": 0, "
    "\"stiffness\": 50, \"damping\": 0.05, \"contact\": false, \"release\": 1.5}]}";

static double gap_of(const ThawWorld *world, double lowest[2]) {
    double left[3 * 25], right[3 * 25], widest = 0;
    assert_int_equal(thaw_world_get_positions(world, 0, left), THAW_OK);
    assert_int_equal(thaw_world_get_positions(world, 1, right), THAW_OK);
    for (int j = 0; j < 5; j++) {
        const double *p = left + 3 * (5 * j + 4), *q = right + 3 * (5 * j);
        widest = fmax(widest, hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]));
    }
    lowest[0] = left[0], lowest[1] = right[12];
    return widest;
}

static void a_seam_closes_and_is_cut(void **state) {
    (void)state;
    ThawWorld *world = make_world(seam, 1);
    ThawStepStats stats;
    double outer[2];
    assert_true(fabs(gap_of(world, outer) - 0.05) < 1e-9);
    run_world(world, 20);
    assert_true(gap_of(world, outer) < 0.049); // closing
    stats = run_world(world, 260);
    assert_true(gap_of(world, outer) < 1e-3);
    assert_true(outer[0] > -0.425 && outer[1] < 0.425); // both have come
    (void)stats;
    thaw_world_free(&world);
}

static int has_begun(const ThawWorld *world, const ThawStepStats *stats) {
    (void)world;
    return stats->step > 3;
}

static void a_seam_has_the_same_bits_after_resume(void **state) {
    (void)state;
    assert_true(bits_across_checkpoints(seam, 60, at("seam.h5"), has_begun) > 2);
}

// A cube under a cloth that is pinned at one side, glued to the other.
static void a_weight_hangs_on_a_cloth(void **state) {
    (void)state;
    ThawWorld *world = make_world(
        "{\"thaw\": 1, \"time\": {\"step\": 0.005}, \"shapes\": {" PATCH
        ", \"cube\": {\"mesh\": {\"box\": {\"min\": [-0.05, -0.05, -0.05], \"max\": [0.05, 0.05, 0.05], \"cells\": [1, "
        "1, "
        "1]}}, \"material\": \"silicone\"}}, \"bodies\": [{\"name\": \"cloth\", \"shape\": \"patch\", \"rotation\": "
        "{\"axis\": [0, 1, 0], \"degrees\": 90}, \"pins\": [\"x-min\"]}, {\"name\": \"cube\", \"shape\": \"cube\", "
        "\"position\": [0, 0, -0.251]}], \"attachments\": [{\"body\": \"cube\", \"group\": \"z-max\", \"to\": "
        "\"cloth\"}]}",
        1);
    double before[3 * 8], after[3 * 8], sum[2] = {0, 0};
    thaw_world_get_positions(world, 1, before);
    run_world(world, 200);
    thaw_world_get_positions(world, 1, after);
    for (int v = 0; v < 8; v++)
        sum[0] += before[3 * v + 2] / 8, sum[1] += after[3 * v + 2] / 8;
    assert_true(fabs(sum[1] - sum[0]) < 0.02);
    thaw_world_free(&world);
}

// A corner rides on a frame to the side, and falls once it lets go.
static void corners_ride_on_frames_and_are_let_go(void **state) {
    (void)state;
    ThawWorld *world = make_world(
        "{\"thaw\": 1, \"time\": {\"step\": 0.005}, \"shapes\": {" PATCH "}, \"bodies\": [{\"shape\": \"patch\"}], "
        "\"attachments\": [{\"body\": \"body-0\", \"group\": \"rim\", \"keys\": [{\"time\": 0}, {\"time\": 0.5, "
        "\"translation\": [0.3, 0, 0]}], \"release\": 0.7}]}",
        1);
    double x[3 * 25];
    run_world(world, 130);
    thaw_world_get_positions(world, 0, x);
    assert_true(fabs(x[0] - 0.1) < 5e-3 && fabs(x[2]) < 5e-3);
    run_world(world, 70);
    thaw_world_get_positions(world, 0, x);
    assert_true(x[2] < -0.2);
    thaw_world_free(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seam_closes_and_is_cut),
        cmocka_unit_test(a_seam_has_the_same_bits_after_resume),
        cmocka_unit_test(a_weight_hangs_on_a_cloth),
        cmocka_unit_test(corners_ride_on_frames_and_are_let_go),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
