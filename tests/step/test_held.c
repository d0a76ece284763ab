// SPDX-License-Identifier: Apache-2.0
// Attachments by every integrator, with rigid parts on both sides: whatever holds a body wakes it as it moves, whatever
// pulls at one end wakes the other, momentum passes through, loads are carried, and it lets go at its force.
#include "registry/scheme.h"
#include "step/bars.h"

static void need(int is_so, const char *what, int integrator, int which) {
    if (!is_so)
        fail_msg("%s (%s, case %d)", what, thaw_scheme((ThawIntegrator)integrator)->name, which);
}

// --- sleep -----------------------------------------------------------------------------------------------------------

static void until_asleep(ThawWorld *world, int bodies, double from, int integrator, int which) {
    ThawStepStats stats = sample_steps(world, 1);
    for (int step = 0; step < 1500 && (stats.asleep < bodies || stats.time < from - 1e-9); step++)
        stats = sample_steps(world, 1);
    need(stats.asleep == bodies, "they do not come to rest", integrator, which);
}

enum { FRAME, OBSTACLE, BODY, HOLDERS };

// Bar 0 hangs on a frame, on an obstacle, or on bar 1, which hangs on a frame: by glue, or by springs. What it hangs on
// stands still until 10 s, and goes 0.5 m aside in the next second.
static void check_holder(int holder, int sprung, int integrator) {
    Bars b;
    const int bodies = holder == BODY ? 2 : 1, which = 10 * holder + sprung;
    bars_create(&b, bodies, bodies, 5e6);
    b.def.integrator = (ThawIntegrator)integrator;
    b.def.obstacles = &b.obstacle;
    b.def.obstacle_count = 1;
    b.keys[0].time = 10;
    b.keys[1].time = 11;
    b.keys[1].translation[1] = 0.5;
    for (int i = 0; i < bodies; i++) {
        b.bodies[i].method = "rigidify";
        b.attachments[i].body = i;
        b.attachments[i].group = Z_MAX;
        b.attachments[i].stiffness = sprung ? 2e4 : 0;
        b.attachments[i].damping = 0.02;
    }
    b.attachments[bodies - 1].keys = b.keys;
    b.attachments[bodies - 1].key_count = 2;
    if (holder == OBSTACLE) {
        b.obstacle.keys = b.keys;
        b.obstacle.key_count = 2;
        b.obstacle.kind = THAW_OBSTACLE_SPHERE;
        b.obstacle.size[0] = 0.1;
        b.attachments[0].keys = NULL;
        b.attachments[0].key_count = 0;
        b.attachments[0].obstacle = 0;
    } else if (holder == BODY) {
        b.bodies[1].position[0] = 0.2; // over one end of bar 0
        b.bodies[1].position[2] = 0.1;
        b.attachments[0].group = X_MAX;
        b.attachments[0].other_body = 1;
    }
    ThawWorld *world = bars_world(&b);
    until_asleep(world, bodies, 10, integrator, which);
    const double stood = mean_of(world, 0, 1, 0);
    ThawStepStats stats = sample_steps(world, 1);
    need(stats.asleep == 0, "what it hangs on moves, and it sleeps on", integrator, which);
    until_asleep(world, bodies, 11, integrator, which);
    need(fabs(mean_of(world, 0, 1, 0) - stood - 0.5) < 2e-3, "it was not carried along", integrator, which);
    thaw_world_free(&world);
    bars_free(&b);
}

static void whatever_holds_a_body_wakes_it_and_carries_it_along(void **state) {
    (void)state;
    for (int integrator = 0; integrator < THAW_INTEGRATOR_COUNT; integrator++)
        for (int holder = 0; holder < HOLDERS; holder++)
            for (int sprung = 0; sprung < 2; sprung++)
                check_holder(holder, sprung, integrator);
}

enum { LOAD, FORCES, VELOCITIES, CALL, STROKE, METHOD, PULLS };

// Bar 1 hangs on bar 0, which hangs on a frame. Something happens to one of them while both sleep.
static void check_pull(int pull, int at, int integrator) {
    Bars b;
    const int which = 10 * pull + at, bodies = pull == STROKE ? 3 : 2;
    ThawScriptDef pin = thaw_script_def_default();
    bars_create(&b, bodies, 2, 5e6);
    b.def.integrator = (ThawIntegrator)integrator;
    for (int i = 0; i < 3; i++)
        b.bodies[i].method = "rigidify";
    b.attachments[0].group = Z_MAX;
    b.attachments[1].body = 1;
    b.attachments[1].group = X_MIN;
    b.attachments[1].other_body = 0;
    if (pull == LOAD) {
        b.force.group = X_MAX;
        b.force.value[2] = -20;
        b.force.from = 10;
        b.bodies[at].forces = &b.force;
        b.bodies[at].force_count = 1;
    } else if (pull == STROKE) { // bar 2 is let go above it
        b.def.contact.disabled = 0;
        b.bodies[2].position[0] = 0.35 * at;
        b.bodies[2].position[2] = 0.3;
        pin.group = X_MIN;
        pin.release = 10;
        b.bodies[2].scripts = &pin;
        b.bodies[2].script_count = 1;
    }
    ThawWorld *world = bars_world(&b);
    const int32_t n = 3 * thaw_world_vertex_count(world, at);
    double *given = THAW_NEW(double, n);
    until_asleep(world, bodies, 10, integrator, which);
    for (int32_t i = 2; i < n; i += 3)
        given[i] = pull == FORCES ? -1 : -0.1;
    ThawStatus status = pull == FORCES       ? thaw_world_set_forces(world, at, given)
                        : pull == VELOCITIES ? thaw_world_set_velocities(world, at, given)
                        : pull == CALL       ? thaw_world_wake(world, at)
                        : pull == METHOD     ? thaw_world_set_method(world, at, "full", NULL)
                                             : THAW_OK;
    assert_int_equal(status, THAW_OK);
    int woken = 0;
    for (int step = 0; step < (pull == STROKE ? 40 : 1); step++) {
        sample_steps(world, 1);
        const int sleep[2] = {thaw_world_is_asleep(world, 0), thaw_world_is_asleep(world, 1)};
        need(sleep[0] == sleep[1], "one woke without the other", integrator, which);
        woken |= !sleep[0];
    }
    need(woken, "neither woke", integrator, which);
    thaw_free(given);
    thaw_world_free(&world);
    bars_free(&b);
}

static void whatever_pulls_at_one_end_wakes_the_other(void **state) {
    (void)state;
    for (int integrator = 0; integrator < THAW_INTEGRATOR_COUNT; integrator++)
        for (int pull = 0; pull < PULLS; pull++)
            for (int at = 0; at < 2; at++)
                check_pull(pull, at, integrator);
}

// --- momentum --------------------------------------------------------------------------------------------------------

// Of angular momentum, that two bars lose in 3 s while they turn about each other by some 2 rad/s: each turns in its
// own frame, and what they do together goes by chords. Measured: 0.003. In the world's axes steps brake all that turns.
static const double SPIN_LOST = 0.01;

// Of bars 0 and 1 about the origin, by vertices.
static void momenta_of(const ThawWorld *world, double P[3], double L[3]) {
    memset(P, 0, 3 * sizeof *P);
    memset(L, 0, 3 * sizeof *L);
    for (int32_t body = 0; body < 2; body++) {
        const int32_t nv = thaw_world_vertex_count(world, body);
        double *x = THAW_NEW(double, 3 * nv), *v = THAW_NEW(double, 3 * nv), *m = THAW_NEW(double, nv);
        assert_int_equal(thaw_world_get_positions(world, body, x), THAW_OK);
        assert_int_equal(thaw_world_get_velocities(world, body, v), THAW_OK);
        assert_int_equal(thaw_world_get_masses(world, body, m), THAW_OK);
        for (int32_t i = 0; i < nv; i++)
            for (int k = 0; k < 3; k++) {
                const int j = (k + 1) % 3, l = (k + 2) % 3;
                P[k] += m[i] * v[3 * i + k];
                L[k] += m[i] * (x[3 * i + j] * v[3 * i + l] - x[3 * i + l] * v[3 * i + j]);
            }
        thaw_free(x);
        thaw_free(v);
        thaw_free(m);
    }
}

static void momentum_passes_between_rigid_parts_and_stays(void **state) {
    (void)state;
    for (int integrator = 0; integrator < THAW_INTEGRATOR_COUNT; integrator++)
        for (int glued = 0; glued < 2; glued++) {
            Bars b;
            bars_create(&b, 2, 1, 1e7);
            b.def.integrator = (ThawIntegrator)integrator;
            b.def.gravity[2] = 0;
            b.bodies[0].velocity[0] = 0.3;
            b.bodies[0].velocity[2] = 0.3;
            b.bodies[1].velocity[1] = -0.15;
            b.bodies[0].method = b.bodies[1].method = "rigidify";
            b.attachments[0].group = X_MAX;
            b.attachments[0].other_body = 1;
            b.attachments[0].stiffness = glued ? 0 : 2000;
            b.attachments[0].damping = 0.01;
            ThawWorld *world = bars_world(&b);
            double P0[3], L0[3], P[3], L[3], parts = 0, largest = 0;
            momenta_of(world, P0, L0);
            for (int step = 0; step < 300; step++) {
                parts += (double)sample_steps(world, 1).rigid_parts;
                momenta_of(world, P, L);
                for (int k = 0; k < 3; k++) {
                    need(fabs(P[k] - P0[k]) < 1e-11, "momentum is lost", integrator, glued);
                    largest = fmax(largest, fabs(L[k] - L0[k]));
                }
            }
            if (thaw_scheme((ThawIntegrator)integrator)->follows)
                need(largest < SPIN_LOST * sqrt(L0[0] * L0[0] + L0[1] * L0[1] + L0[2] * L0[2]), "spin is lost",
                     integrator, glued);
            need(parts > 100, "nothing became rigid", integrator, glued);
            thaw_world_free(&world);
            bars_free(&b);
        }
}

// --- loads -----------------------------------------------------------------------------------------------------------

// A soft finger on a box that rises by 0.2 m in half a second, with 10 N at its tip.
static void a_finger_on_a_moving_box_carries_its_load(void **state) {
    (void)state;
    double droop[2 * THAW_INTEGRATOR_COUNT];
    for (int run = 0; run < 2 * THAW_INTEGRATOR_COUNT; run++) {
        Bars b;
        bars_create(&b, 1, 1, 2e6);
        b.def.integrator = (ThawIntegrator)(run / 2);
        b.def.obstacles = &b.obstacle;
        b.def.obstacle_count = 1;
        b.obstacle.kind = THAW_OBSTACLE_BOX;
        for (int k = 0; k < 3; k++)
            b.obstacle.size[k] = 0.2;
        b.obstacle.position[0] = -0.1;
        b.obstacle.keys = b.keys;
        b.obstacle.key_count = 2;
        b.obstacle.interpolation = THAW_INTERPOLATE_SMOOTH;
        b.keys[1].time = 0.5;
        b.keys[1].translation[2] = 0.2;
        b.force.group = X_MAX;
        b.force.value[2] = -10;
        b.bodies[0].forces = &b.force;
        b.bodies[0].force_count = 1;
        b.bodies[0].method = run % 2 ? "rigidify" : "full";
        b.attachments[0].obstacle = 0;
        ThawWorld *world = bars_world(&b);
        const double before = mean_of(world, 0, 2, 0), weight = 3 * 9.81 + 10;
        sample_steps(world, 400);
        const ThawAttachmentState held = state_of(world, 0);
        need(fabs(held.force[2] - weight) < (run % 2 ? 1e-2 : 1e-3) * weight, "it does not bear the load", run / 2,
             run % 2);
        droop[run] = before + 0.2 - mean_of(world, 0, 2, 0);
        need(fabs(droop[run] - droop[0]) < 2e-2 * droop[0], "it droops by something else", run / 2, run % 2);
        thaw_world_free(&world);
        bars_free(&b);
    }
    assert_true(droop[0] > 1e-3 && droop[0] < 2e-2);
}

// The pull on a hanging bar rises by 50 N a second, and 40 N more than its weight are too much.
static void a_body_is_let_go_at_its_force(void **state) {
    (void)state;
    for (int run = 0; run < 2 * THAW_INTEGRATOR_COUNT; run++) {
        Bars b;
        bars_create(&b, 1, 1, 1e6);
        b.def.integrator = (ThawIntegrator)(run / 2);
        b.bodies[0].method = run % 2 ? "rigidify" : "full";
        b.force.group = Z_MIN;
        b.force.value[2] = -100;
        b.force.from = 1;
        b.force.ramp = 2;
        b.bodies[0].forces = &b.force;
        b.bodies[0].force_count = 1;
        b.attachments[0].group = Z_MAX;
        b.attachments[0].release_force = 3 * 9.81 + 40;
        ThawWorld *world = bars_world(&b);
        int step = 0;
        for (; step < 300 && !state_of(world, 0).released; step++)
            sample_steps(world, 1);
        const ThawAttachmentState held = state_of(world, 0);
        need(fabs(step * 0.01 - 1.8) < 0.03, "not when the force is reached", run / 2, run % 2);
        need(held.released_force > 3 * 9.81 + 40 && held.released_force < 3 * 9.81 + 41.5, "not at its force", run / 2,
             run % 2);
        sample_steps(world, 50);
        need(mean_of(world, 0, 2, 0) < -1, "it does not fall", run / 2, run % 2);
        thaw_world_free(&world);
        bars_free(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_holds_a_body_wakes_it_and_carries_it_along),
        cmocka_unit_test(whatever_pulls_at_one_end_wakes_the_other),
        cmocka_unit_test(momentum_passes_between_rigid_parts_and_stays),
        cmocka_unit_test(a_finger_on_a_moving_box_carries_its_load),
        cmocka_unit_test(a_body_is_let_go_at_its_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
