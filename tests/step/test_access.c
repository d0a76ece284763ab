// SPDX-License-Identifier: Apache-2.0
// A body whose positions or velocities are set from outside is taken note of, and only that body.
#include "step/sample.h"
#include "step/step.h"
#include "support/world.h"

static void setting_one_body_renews_what_is_kept_of_it_alone(void **state) {
    (void)state;
    Sample s;
    sample_create(&s, 3, 2, THAW_MATERIAL_STVK, 1);
    ThawBodyDef bodies[3] = {s.bodies[0], s.bodies[0], s.bodies[0]};
    s.world.bodies = bodies;
    s.world.body_count = 3;
    s.world.ledger = 1;
    ThawWorld *world = sample_world(&s), *again = sample_world(&s);
    sample_steps(world, 2);
    sample_steps(again, 2);
    uint64_t before[3];
    double x[81], v[81];
    for (int b = 0; b < 3; b++)
        before[b] = world->steppers[b].hash;
    // A mark that would be overwritten if this body were looked at.
    world->steppers[2].elastic = -7;
    thaw_world_get_positions(world, 1, x);
    thaw_world_get_velocities(world, 1, v);
    x[5] += 0.01;
    v[7] += 1;
    assert_int_equal(thaw_world_set_positions(world, 1, x), THAW_OK);
    assert_int_equal(thaw_world_set_velocities(world, 1, v), THAW_OK);
    assert_true(world->steppers[0].hash == before[0] && world->steppers[2].hash == before[2]);
    assert_true(world->steppers[1].hash != before[1]);
    assert_true(world->steppers[2].elastic == -7);
    // The same as if everything had been looked at.
    assert_int_equal(thaw_world_set_positions(again, 1, x), THAW_OK);
    assert_int_equal(thaw_world_set_velocities(again, 1, v), THAW_OK);
    thaw_world_refresh(again);
    assert_true(world->steppers[1].elastic == again->steppers[1].elastic);
    assert_true(thaw_world_hash(world) == thaw_world_hash(again));
    thaw_world_free(&world);
    thaw_world_free(&again);
    sample_free(&s);
}

static void the_solver_that_was_chosen_is_told(void **state) {
    (void)state;
    static const ThawSolverKind kinds[] = {THAW_SOLVER_PCG, THAW_SOLVER_LDL};
    Sample s;
    sample_create(&s, 3, 2, THAW_MATERIAL_STVK, 1);
    for (int i = 0; i < 2; i++) {
        s.world.solver = kinds[i];
        ThawWorld *world = sample_world(&s);
        assert_int_equal(thaw_world_solver(world, 0), kinds[i]);
        assert_int_equal(thaw_world_solver(world, 99), THAW_SOLVER_AUTO);
        thaw_world_free(&world);
    }
    s.world.solver = THAW_SOLVER_AUTO;
    ThawWorld *world = sample_world(&s);
    assert_int_not_equal(thaw_world_solver(world, 0), THAW_SOLVER_AUTO);
    assert_int_equal(thaw_world_solver(NULL, 0), THAW_SOLVER_AUTO);
    thaw_world_free(&world);
    sample_free(&s);
}

// Pressed through itself and back by keyframes, by all methods: what steps have counted by the way is what a world
// counts that was put there.
static void inverted_elements_are_counted_as_the_steps_go(void **state) {
    (void)state;
    static const char *const methods[] = {"full", "rigidify"}, *const integrators[] = {"semi-implicit", "newton"};
    for (int k = 0; k < 4; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "{\"thaw\": 1, \"dimension\": 2, \"gravity\": [0, 0], \"time\": {\"step\": 0.01, \"integrator\": "
                 "\"%s\"}, \"materials\": {\"m\": {\"model\": \"stvk\", \"density\": 1000, \"young\": 1e4, "
                 "\"poisson\": 0.3}}, \"shapes\": {\"s\": {\"mesh\": {\"box\": {\"min\": [0, 0], \"max\": [0.2, 0.2], "
                 "\"cells\": [4, 4]}}, \"material\": \"m\"}}, \"bodies\": [{\"shape\": \"s\", \"pins\": [\"x-min\"], "
                 "\"scripts\": [{\"group\": \"x-max\", \"keys\": [{\"time\": 0}, {\"time\": 0.2, \"translation\": "
                 "[-0.3, 0]}, {\"time\": 0.4, \"translation\": [0, 0]}]}]}]}",
                 integrators[k / 2]);
        ThawWorld *world = make_world_by(text, methods[k % 2], 1), *other = make_world_by(text, "full", 1);
        int64_t most = 0;
        for (int i = 0; i < 60; i++) {
            double x[50];
            ThawStepStats stats;
            step_world(world, &stats);
            assert_int_equal(thaw_world_vertex_count(world, 0), 25);
            thaw_world_get_positions(world, 0, x);
            assert_int_equal(thaw_world_set_positions(other, 0, x), THAW_OK);
            assert_int_equal(stats.inverted, thaw_world_inverted_count(other, 0));
            assert_int_equal(stats.inverted, thaw_world_inverted_count(world, 0));
            most = stats.inverted > most ? stats.inverted : most;
        }
        assert_true(most > 0);
        thaw_world_free(&world);
        thaw_world_free(&other);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setting_one_body_renews_what_is_kept_of_it_alone),
        cmocka_unit_test(inverted_elements_are_counted_as_the_steps_go),
        cmocka_unit_test(the_solver_that_was_chosen_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
