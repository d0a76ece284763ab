// SPDX-License-Identifier: Apache-2.0
// Motion from code: the same bits as by keyframes, velocities that contact feels, sleepers that wake, closed loops.
#include "step/sample.h"
#include "support/world.h"
#include "thaw/thaw.h"

// A table that moves by keys (or stands, to be moved), with a box on it; a beam that is turned at one end; a bar on a
// frame.
#define SCENE(table, end, frame)                                                                                       \
    "{ \"thaw\": 1, \"contact\": {},"                                                                                  \
    "  \"materials\": {\"foam\": {\"young\": 2e5, \"density\": 200, \"alpha1\": 0.02}},"                               \
    "  \"shapes\": {\"cube\": {\"material\": \"foam\","                                                                \
    "    \"mesh\": {\"box\": {\"min\": [0,0,0], \"max\": [0.2,0.2,0.2], \"cells\": [2,2,2]}}},"                        \
    "    \"bar\": {\"material\": \"foam\","                                                                            \
    "    \"mesh\": {\"box\": {\"min\": [0,0,0], \"max\": [0.8,0.1,0.1], \"cells\": [8,1,1]}}}},"                       \
    "  \"obstacles\": [{\"name\": \"table\", \"box\": {\"size\": [2,2,0.2]}, \"position\": [0,0,-0.1], \"friction\": " \
    "1" table "}],"                                                                                                    \
    "  \"bodies\": ["                                                                                                  \
    "    {\"name\": \"cube\", \"shape\": \"cube\", \"position\": [-0.1,-0.1,0.0005], \"method\": \"rigidify\","        \
    "     \"friction\": 1},"                                                                                           \
    "    {\"name\": \"beam\", \"shape\": \"bar\", \"position\": [3,0,1], " end "},"                                    \
    "    {\"name\": \"hung\", \"shape\": \"bar\", \"position\": [6,0,1]}],"                                            \
    "  \"attachments\": [{\"body\": \"hung\", \"group\": \"x-min\", \"stiffness\": 2000, \"damping\": 0.02" frame      \
    "}] }"

static void must(ThawStatus status, const ThawError *error) {
    if (status != THAW_OK)
        fail_msg("%s", error->message);
}

static double mean(const ThawWorld *world, int32_t body, int axis, int velocity) {
    const int32_t n = thaw_world_vertex_count(world, body);
    double *x = THAW_NEW(double, 3 * n), sum = 0;
    (velocity ? thaw_world_get_velocities : thaw_world_get_positions)(world, body, x);
    for (int32_t i = 0; i < n; i++)
        sum += x[3 * i + axis] / n;
    thaw_free(x);
    return sum;
}

// Where keyframes go at constant speed, code that sets each next place in time goes likewise: to rounding, for both
// compute places between keys.
static void test_as_keyframes_do(void **state) {
    (void)state;
    ThawError error = {0};
    ThawWorld *keys = make_world(
        SCENE(", \"keys\": [{\"time\": 0}, {\"time\": 1, \"translation\": [0.5,0,0]}]",
              "\"scripts\": [{\"group\": \"x-min\", \"centre\": [3,0.05,1.05], \"keys\": [{\"time\": 0}, {\"time\": 1, "
              "\"rotation\": {\"axis\": [1,0,0], \"degrees\": 40}}]}]",
              ", \"keys\": [{\"time\": 0}, {\"time\": 1, \"translation\": [0,0,0.3]}]"),
        1);
    ThawWorld *code = make_world(SCENE("", "\"pins\": [\"x-min\"]", ""), 2);
    for (int i = 1; i <= 100; i++) {
        const double t = i / 100.0, half = t * 20 * M_PI / 180;
        must(thaw_world_move_obstacle(code, 0, (double[]){0.5 * t, 0, -0.1}, NULL, 0, &error), &error);
        // A pin's centre is the origin: about another one, the translation has to make up for that.
        const double c[3] = {3, 0.05, 1.05}, s = sin(2 * half), k = cos(2 * half);
        const double turned[3] = {c[0], k * c[1] - s * c[2], s * c[1] + k * c[2]};
        must(thaw_world_move_script(code, 1, 0, (double[]){0, c[1] - turned[1], c[2] - turned[2]},
                                    (double[]){cos(half), sin(half), 0, 0}, 0, &error),
             &error);
        must(thaw_world_move_attachment(code, 0, (double[]){0, 0, 0.3 * t}, NULL, 0, &error), &error);
        run_world(code, 1);
        run_world(keys, 1);
    }
    assert_true(fabs(mean(code, 0, 0, 0)) > 0.3); // the cube went along
    for (int32_t b = 0; b < 3; b++)
        if (worlds_apart(keys, code, b) > 1e-6)
            fail_msg("body %d is %g m off", (int)b, worlds_apart(keys, code, b));
    double position[3], rotation[4];
    thaw_world_get_obstacle_place(code, 0, position, rotation);
    assert_true(fabs(position[0] - 0.5) < 1e-12 && rotation[0] == 1);
    run_world(code, 30); // it stands where it was sent
    thaw_world_get_obstacle_place(code, 0, position, rotation);
    assert_true(fabs(position[0] - 0.5) < 1e-12);
    assert_true(fabs(mean(code, 0, 0, 1)) < 0.05);
    thaw_world_free(&keys);
    thaw_world_free(&code);
}

// A sleeper wakes when its table begins to move, and sleeps again; a pinned one when its pin is moved.
static void test_wakes(void **state) {
    (void)state;
    ThawError error = {0};
    ThawWorld *world = make_world(SCENE("", "\"pins\": [\"x-min\"], \"method\": \"rigidify\"", ""), 1);
    for (int i = 0; i < 4000 && !(thaw_world_is_asleep(world, 0) && thaw_world_is_asleep(world, 1)); i++)
        run_world(world, 1);
    assert_true(thaw_world_is_asleep(world, 0) && thaw_world_is_asleep(world, 1));
    must(thaw_world_move_obstacle(world, 0, (double[]){0, 0, 0.1}, NULL, 0.5, &error), &error);
    run_world(world, 2);
    assert_false(thaw_world_is_asleep(world, 0));
    assert_true(thaw_world_is_asleep(world, 1));
    run_world(world, 60);
    assert_true(fabs(mean(world, 0, 2, 0) - 0.3) < 0.01);
    must(thaw_world_move_script(world, 1, 0, (double[]){0, 0, 0.2}, NULL, 0.2, &error), &error);
    assert_false(thaw_world_is_asleep(world, 1));
    for (int i = 0; i < 4000 && !(thaw_world_is_asleep(world, 0) && thaw_world_is_asleep(world, 1)); i++)
        run_world(world, 1);
    assert_true(thaw_world_is_asleep(world, 0) && thaw_world_is_asleep(world, 1));
    thaw_world_free(&world);
}

// A loop: a table under a cube is tilted so that this is held at a place, by where it is and how fast.
static void test_closed_loop(void **state) {
    (void)state;
    ThawError error = {0};
    ThawWorld *world = make_world(SCENE("", "\"pins\": [\"all\"]", ""), 1);
    must(thaw_world_set_obstacle_friction(world, 0, 0.02, &error), &error);
    must(thaw_world_set_friction(world, 0, 0.02, &error), &error);
    for (int i = 0; i < 600; i++) {
        const double tilt = fmax(-0.2, fmin(0.2, 0.8 * (mean(world, 0, 0, 0) - 0.3) + 0.6 * mean(world, 0, 0, 1)));
        const double q[4] = {cos(tilt / 2), 0, -sin(tilt / 2), 0}; // tilt > 0 raises +x
        must(thaw_world_move_obstacle(world, 0, (double[]){0, 0, -0.1}, q, 0, &error), &error);
        run_world(world, 1);
    }
    if (fabs(mean(world, 0, 0, 0) - 0.3) > 0.08)
        fail_msg("it stands at %g m", mean(world, 0, 0, 0));
    thaw_world_free(&world);
}

// Going on from a checkpoint in the middle of a motion; refusals.
static void test_checkpoint_and_refusals(void **state) {
    (void)state;
    ThawError error = {0};
    const char *scene = SCENE("", "\"pins\": [\"x-min\"]", "");
    ThawWorld *straight = make_world(scene, 1), *resumed = make_world(scene, 1);
    run_world(straight, 10);
    must(thaw_world_move_obstacle(straight, 0, (double[]){0.2, 0, -0.1}, (double[]){0.999, 0, 0, 0.0447}, 0.5, &error),
         &error);
    must(thaw_world_move_script(straight, 1, 0, (double[]){0.1, 0, 0}, NULL, 0.4, &error), &error);
    must(thaw_world_move_attachment(straight, 0, (double[]){0.1, 0, 0}, NULL, 0.4, &error), &error);
    run_world(straight, 13);
    must(thaw_world_save(straight, "drive.h5", &error), &error);
    must(thaw_world_load(resumed, "drive.h5", &error), &error);
    for (int i = 0; i < 60; i++) {
        run_world(straight, 1);
        run_world(resumed, 1);
        assert_true(thaw_world_full_hash(straight) == thaw_world_full_hash(resumed));
    }
    remove("drive.h5");
    assert_int_equal(thaw_world_move_obstacle(straight, 1, (double[]){0, 0, 0}, NULL, 0, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "obstacle is 1; allowed: 0 to 0"));
    assert_int_equal(thaw_world_move_obstacle(straight, 0, (double[]){0, NAN, 0}, NULL, 0, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_move_obstacle(straight, 0, (double[]){0, 0, 0}, (double[]){0, 0, 0, 0}, 0, &error),
                     THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_move_script(straight, 1, 5, (double[]){0, 0, 0}, NULL, 0, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_move_script(straight, 1, 0, (double[]){0, 0, 0}, NULL, -1, &error), THAW_ERROR_INPUT);
    thaw_world_free(&straight);
    thaw_world_free(&resumed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_keyframes_do),
        cmocka_unit_test(test_wakes),
        cmocka_unit_test(test_closed_loop),
        cmocka_unit_test(test_checkpoint_and_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
