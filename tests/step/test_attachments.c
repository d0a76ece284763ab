// SPDX-License-Identifier: Apache-2.0
// Attachments: they carry loads, keep momentum, swing as springs do, let go at a time or a force, and wake what they
// hold; for every method and integrator, with bits that neither threads nor checkpoints change.
#include "step/bars.h"
#include "support/folder.h"
#include "thaw/field.h"
#include "thaw/scene.h"

// --- carrying --------------------------------------------------------------------------------------------------------

// A finger on a box that rises by 0.2 m, with a load at its tip.
static void check_finger(const char *method, ThawIntegrator integrator, double tolerance) {
    Bars b;
    bars_create(&b, 1, 1, 2e6);
    b.def.integrator = integrator;
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
    b.bodies[0].method = method;
    b.attachments[0].obstacle = 0;
    ThawWorld *world = bars_world(&b);
    const double before = mean_of(world, 0, 2, 0);
    ThawStepStats stats = sample_steps(world, 200);
    const ThawAttachmentState held = state_of(world, 0);
    const double weight = 3 * 9.81 + 10, droop = before + 0.2 - mean_of(world, 0, 2, 0);
    assert_true(fabs(held.force[2] - weight) < tolerance * weight);
    assert_true(fabs(held.force[0]) < 0.01 * weight && held.vertices == 4);
    assert_true(droop > 0 && droop < 0.02);
    assert_true(stats.ledger.obstacle_work > 0.2 * 3 * 9.81); // it was lifted
    assert_true(held.energy > 0 && stats.ledger.contact_energy == held.energy);
    thaw_world_free(&world);
    bars_free(&b);
}

static void a_finger_glued_to_a_moving_box_carries_a_load(void **state) {
    (void)state;
    check_finger("full", THAW_INTEGRATOR_SEMI_IMPLICIT, 1e-4);
    check_finger("full", THAW_INTEGRATOR_NEWTON, 1e-4);
    check_finger("rigidify", THAW_INTEGRATOR_SEMI_IMPLICIT, 1e-2);
    check_finger("rigidify", THAW_INTEGRATOR_NEWTON, 1e-2);
}

static void glue_gives_far_less_than_what_it_holds(void **state) {
    (void)state;
    double tip[2];
    for (int pinned = 0; pinned < 2; pinned++) { // held by glue, or by a pin
        Bars b;
        bars_create(&b, 1, !pinned, 2e5);
        ThawScriptDef pin = thaw_script_def_default();
        pin.group = X_MIN;
        b.bodies[0].scripts = &pin;
        b.bodies[0].script_count = pinned;
        ThawWorld *world = bars_world(&b);
        sample_steps(world, 400);
        tip[pinned] = 0.05 - mean_of(world, 0, 2, 0);
        thaw_world_free(&world);
        bars_free(&b);
    }
    assert_true(tip[1] > 1e-3);
    assert_true(fabs(tip[0] - tip[1]) < 0.05 * tip[1]);
}

// --- springs ---------------------------------------------------------------------------------------------------------

static void two_bodies_on_a_spring_keep_their_momentum(void **state) {
    (void)state;
    for (int integrator = 0; integrator < 2; integrator++)
        for (int rigid = 0; rigid < 2; rigid++) {
            Bars b;
            bars_create(&b, 2, 1, 1e6);
            b.def.integrator = (ThawIntegrator)integrator;
            b.def.gravity[2] = 0;
            b.bodies[0].velocity[0] = 1;
            b.bodies[0].velocity[2] = 2;
            b.bodies[1].velocity[1] = -0.5;
            b.bodies[1].spin[1] = 3;
            b.bodies[1].method = rigid ? "rigidify" : "full";
            b.attachments[0].group = X_MAX;
            b.attachments[0].other_body = 1;
            b.attachments[0].stiffness = 2000;
            b.attachments[0].damping = 0.01;
            ThawWorld *world = bars_world(&b);
            double start[3], pulled = 0;
            for (int k = 0; k < 3; k++)
                start[k] = mean_of(world, 0, k, 1) + mean_of(world, 1, k, 1);
            for (int step = 0; step < 100; step++) {
                sample_steps(world, 1);
                const ThawAttachmentState held = state_of(world, 0);
                pulled = fmax(pulled, fabs(held.force[2]));
                for (int k = 0; k < 3; k++)
                    assert_true(fabs(mean_of(world, 0, k, 1) + mean_of(world, 1, k, 1) - start[k]) < 1e-12);
            }
            assert_true(pulled > 10);
            assert_true(fabs(mean_of(world, 0, 2, 1) - 2) > 0.5); // it was passed on
            thaw_world_free(&world);
            bars_free(&b);
        }
}

static void two_masses_swing_at_the_frequency_of_their_spring(void **state) {
    (void)state;
    Bars b;
    bars_create(&b, 2, 1, 1e9);
    const double k = 600, m = 3, omega = sqrt(2 * k / m), h = 0.02 / omega;
    b.def.gravity[2] = 0;
    b.def.h = h;
    b.bodies[0].velocity[0] = -0.1;
    b.bodies[1].velocity[0] = 0.1;
    b.bodies[1].position[0] = 0.4;
    b.attachments[0].group = X_MAX;
    b.attachments[0].other_body = 1;
    b.attachments[0].stiffness = k;
    ThawWorld *world = bars_world(&b);
    assert_true(fabs(state_of(world, 0).stiffness - k) < 1e-9);
    double last = 0.2, crossing[4];
    int count = 0;
    for (int step = 0; step < 2000 && count < 4; step++) {
        sample_steps(world, 1);
        const double speed = mean_of(world, 1, 0, 1) - mean_of(world, 0, 0, 1);
        if (speed * last <= 0)
            crossing[count++] = h * (step + last / (last - speed));
        last = speed;
    }
    assert_int_equal(count, 4);
    // Half a period between crossings; what the method's damping and the bars' own give change is of the order (omega
    // h)^2.
    assert_true(fabs((crossing[3] - crossing[0]) / 3 * omega / M_PI - 1) < 1e-3);
    thaw_world_free(&world);
    bars_free(&b);
}

static void the_ledger_closes_and_springs_only_lose(void **state) {
    (void)state;
    for (int integrator = 0; integrator < 2; integrator++) {
        Bars b;
        bars_create(&b, 2, 2, 5e5);
        b.def.integrator = (ThawIntegrator)integrator;
        b.def.newton_tolerance = 1e-10;
        b.attachments[0].stiffness = 800;
        b.attachments[0].keys = b.keys;
        b.attachments[0].key_count = 2;
        b.keys[1].time = 0.5;
        b.keys[1].translation[1] = 0.1;
        b.keys[1].rotation[0] = cos(0.3);
        b.keys[1].rotation[3] = sin(0.3);
        b.attachments[1].group = X_MAX;
        b.attachments[1].other_body = 1;
        b.attachments[1].stiffness = 500;
        b.attachments[1].damping = 0.02;
        b.attachments[1].release_time = 0.605;
        ThawWorld *world = bars_world(&b);
        ThawLedger l;
        assert_int_equal(thaw_world_get_ledger(world, &l), THAW_OK);
        const double start = l.kinetic + l.elastic + l.gravitational;
        double lost = 0;
        for (int step = 0; step < 80; step++) {
            sample_steps(world, 1);
            thaw_world_get_ledger(world, &l);
            const double now = l.kinetic + l.shadow + l.elastic + l.gravitational;
            const double works = l.external_work - l.damping_loss - l.integration_loss + l.contact_work -
                                 l.transition_loss + l.follow_work;
            assert_true(fabs(now - start - works) < 1e-8 * (fabs(start) + fabs(l.contact_work)));
            const double loss = l.obstacle_work - l.contact_work - l.contact_energy;
            assert_true(loss > lost - 1e-12);
            lost = loss;
        }
        assert_true(lost > 0 && l.obstacle_work != 0);
        thaw_world_free(&world);
        bars_free(&b);
    }
}

// A body that hangs on its upper edge, and another on a spring from it.
static void in_the_plane_they_hold_as_well(void **state) {
    (void)state;
    Sample s;
    ThawAttachmentDef held[2] = {thaw_attachment_def_default(), thaw_attachment_def_default()};
    sample_create(&s, 2, 4, THAW_MATERIAL_STABLE_NEO_HOOKEAN, 5);
    s.world.body_count = 2;
    s.world.contact.disabled = 1;
    s.world.gravity[0] = 0;
    s.world.gravity[1] = -9.81;
    s.bodies[1] = s.bodies[0];
    for (int i = 0; i < 2; i++) {
        s.bodies[i].script_count = s.bodies[i].force_count = 0;
        memset(s.bodies[i].velocity, 0, sizeof s.bodies[i].velocity);
        memset(s.bodies[i].spin, 0, sizeof s.bodies[i].spin);
        held[i].group = 3; // y-max
    }
    held[1].body = 1;
    held[1].other_body = 0;
    held[1].stiffness_per_area = 1e5;
    held[1].damping = 0.05;
    s.world.attachments = held;
    s.world.attachment_count = 2;
    ThawWorld *world = sample_world(&s);
    sample_steps(world, 600);
    double mass = 0, *m = THAW_NEW(double, thaw_world_vertex_count(world, 0));
    thaw_world_get_masses(world, 0, m);
    for (int32_t i = 0; i < thaw_world_vertex_count(world, 0); i++)
        mass += m[i];
    thaw_free(m);
    assert_true(fabs(state_of(world, 0).force[1] - 2 * 9.81 * mass) < 1e-3 * mass);
    assert_true(fabs(state_of(world, 1).force[1] - 9.81 * mass) < 1e-3 * mass);
    assert_true(state_of(world, 0).force[2] == 0);
    thaw_world_free(&world);
    sample_free(&s);
}

// --- letting go ------------------------------------------------------------------------------------------------------

static void a_body_falls_from_the_time_at_which_it_is_let_go(void **state) {
    (void)state;
    Bars b;
    bars_create(&b, 1, 1, 1e6);
    b.attachments[0].group = Z_MAX;
    b.attachments[0].release_time = 0.5;
    ThawWorld *world = bars_world(&b);
    sample_steps(world, 50);
    const double hung = mean_of(world, 0, 2, 0);
    assert_true(fabs(hung - 0.05) < 1e-3 && !state_of(world, 0).released);
    assert_true(fabs(state_of(world, 0).force[2] - 3 * 9.81) < 0.1);
    sample_steps(world, 50);
    const ThawAttachmentState held = state_of(world, 0);
    assert_true(held.released && held.force[2] == 0 && held.energy == 0);
    assert_true(fabs(hung - mean_of(world, 0, 2, 0) - 9.81 / 2 * 0.5 * 0.5) < 1e-2);
    thaw_world_free(&world);
    bars_free(&b);
}

static void a_body_is_let_go_after_the_step_in_which_the_force_was_too_large(void **state) {
    (void)state;
    for (int rigid = 0; rigid < 2; rigid++) {
        Bars b;
        bars_create(&b, 1, 1, 1e6);
        b.bodies[0].method = rigid ? "rigidify" : "full";
        b.force.group = Z_MIN;
        b.force.value[2] = -100;
        b.force.from = 0.5;
        b.force.ramp = 2;
        b.bodies[0].forces = &b.force;
        b.bodies[0].force_count = 1;
        b.attachments[0].group = Z_MAX;
        b.attachments[0].release_force = 3 * 9.81 + 40; // after 0.8 s of the ramp
        ThawWorld *world = bars_world(&b);
        double last = 0;
        int step = 0;
        for (; step < 200 && !state_of(world, 0).released; step++) {
            last = state_of(world, 0).force[2];
            sample_steps(world, 1);
        }
        assert_true(fabs(step * 0.01 - 1.3) < 0.03);
        assert_true(last > 3 * 9.81 + 39 && last <= 3 * 9.81 + 40);
        sample_steps(world, 50);
        assert_true(mean_of(world, 0, 2, 0) < -1);
        thaw_world_free(&world);
        bars_free(&b);
    }
}

// --- sleep -----------------------------------------------------------------------------------------------------------

// Two bars, one glued to the other, which hangs on a frame; stiff, so that they come to rest soon.
static void hang(Bars *b) {
    bars_create(b, 2, 2, 5e6);
    b->bodies[0].method = b->bodies[1].method = "rigidify";
    b->attachments[0].group = Z_MAX;
    b->attachments[1].body = 1;
    b->attachments[1].group = X_MIN;
    b->attachments[1].other_body = 0;
}

static ThawStepStats until_asleep(ThawWorld *world) {
    ThawStepStats stats = sample_steps(world, 1);
    for (int step = 0; step < 600 && stats.asleep < 2; step++)
        stats = sample_steps(world, 1);
    assert_int_equal(stats.asleep, 2);
    return stats;
}

static void bodies_held_to_each_other_rest_as_rigid_parts_and_sleep_together(void **state) {
    (void)state;
    double rest[2];
    for (int rigid = 0; rigid < 2; rigid++) {
        Bars b;
        hang(&b);
        if (!rigid)
            b.bodies[0].method = b.bodies[1].method = "full";
        ThawWorld *world = bars_world(&b);
        ThawStepStats stats = rigid ? until_asleep(world) : sample_steps(world, 400);
        if (rigid) {
            assert_int_equal(stats.rigid_parts, 2);
            stats = sample_steps(world, 20);
            assert_int_equal(stats.asleep, 2); // and stay so
            assert_true(fabs(state_of(world, 0).force[2] - 6 * 9.81) < 0.6);
            assert_true(fabs(state_of(world, 1).force[2] - 3 * 9.81) < 0.3);
        }
        rest[rigid] = mean_of(world, 1, 2, 0);
        thaw_world_free(&world);
        bars_free(&b);
    }
    assert_true(fabs(rest[0] - rest[1]) < 1e-3 * 0.3);
}

static void letting_go_wakes_what_was_held(void **state) {
    (void)state;
    for (int how = 0; how < 2; how++) { // at a time, or by a call
        Bars b;
        hang(&b);
        b.attachments[1].release_time = how == 0 ? 8.0 : INFINITY;
        ThawWorld *world = bars_world(&b);
        ThawStepStats stats = until_asleep(world);
        const double hung = mean_of(world, 1, 2, 0);
        if (how == 1)
            assert_int_equal(thaw_world_release_attachment(world, 1, NULL), THAW_OK);
        for (int step = 0; step < 900 && !state_of(world, 1).released; step++)
            stats = sample_steps(world, 1);
        stats = sample_steps(world, 30);
        assert_int_equal(stats.asleep, 0);
        assert_true(mean_of(world, 1, 2, 0) < hung - 0.3);
        assert_true(fabs(mean_of(world, 0, 2, 0) - 0.05) < 5e-3);
        thaw_world_free(&world);
        bars_free(&b);
    }
}

static void a_frame_that_moves_wakes_what_hangs_on_it_and_carries_it_along(void **state) {
    (void)state;
    Bars b;
    hang(&b);
    b.attachments[0].keys = b.keys;
    b.attachments[0].key_count = 2;
    b.keys[0].time = 8;
    b.keys[1].time = 9;
    b.keys[1].translation[1] = 0.5;
    ThawWorld *world = bars_world(&b);
    ThawStepStats stats = until_asleep(world);
    while (stats.time < 8 - 1e-9)
        stats = sample_steps(world, 1);
    assert_int_equal(stats.asleep, 2);
    stats = sample_steps(world, 1);
    assert_int_equal(stats.asleep, 0);
    sample_steps(world, 50);
    ThawHindrance why[2];
    assert_int_equal(thaw_world_get_hindrances(world, why), THAW_OK);
    assert_true(why[0] != THAW_HINDRANCE_NONE);
    stats = until_asleep(world);
    for (int32_t i = 0; i < 2; i++)
        assert_true(fabs(mean_of(world, i, 1, 0) - 0.55) < 2e-3);
    thaw_world_free(&world);
    bars_free(&b);
}

static void springs_begin_with_no_force_at_all(void **state) {
    (void)state;
    Bars b;
    bars_create(&b, 3, 3, 1e6);
    b.def.gravity[2] = 0;
    b.def.obstacles = &b.obstacle;
    b.def.obstacle_count = 1;
    b.obstacle.position[2] = -0.37;
    for (int i = 0; i < 3; i++) {
        b.bodies[i].position[1] = 0.013 * i;
        b.bodies[i].rotation[0] = cos(0.1 * i);
        b.bodies[i].rotation[2] = sin(0.1 * i);
        b.attachments[i].body = i;
    }
    b.attachments[0].other_body = 1; // the others: to an obstacle, and to a frame
    b.attachments[1].obstacle = 0;
    ThawWorld *world = bars_world(&b);
    for (int i = 0; i < 3; i++)
        assert_true(state_of(world, i).energy == 0);
    sample_steps(world, 50); // what is left is rounding of the bodies' own
    for (int i = 0; i < 3; i++)
        assert_true(state_of(world, i).energy < 1e-18 && fabs(state_of(world, i).force[0]) < 1e-7);
    thaw_world_free(&world);
    bars_free(&b);
}

// --- bits ------------------------------------------------------------------------------------------------------------

static ThawWorld *scene_world(int threads, ThawIntegrator integrator) {
    ThawScene *scene = NULL;
    ThawWorld *world = NULL;
    ThawError error = {0};
    if (thaw_scene_load(THAW_SOURCE_DIR "/tests/scene/small/attached.json", &scene, &error) != THAW_OK)
        fail_msg("%s", error.message);
    scene->world.threads = threads;
    scene->world.integrator = integrator;
    if (thaw_world_create(&scene->world, &world, &error) != THAW_OK)
        fail_msg("%s", error.message);
    thaw_scene_free(&scene);
    return world;
}

static void neither_threads_nor_a_checkpoint_change_a_bit(void **state) {
    (void)state;
    const char *path = at("attached.h5");
    for (int integrator = 0; integrator < 2; integrator++) {
        ThawWorld *world = scene_world(1, (ThawIntegrator)integrator);
        uint64_t hash[60];
        ThawError error = {0};
        for (int i = 0; i < 60; i++)
            hash[i] = sample_steps(world, 1).state_hash;
        assert_true(state_of(world, 0).released); // the scene says when
        const ThawAttachmentState held = state_of(world, 1);
        thaw_world_free(&world);
        for (int split = 10; split < 60; split += 22) {
            world = scene_world(4, (ThawIntegrator)integrator);
            assert_true(sample_steps(world, split).state_hash == hash[split - 1]);
            if (thaw_world_save(world, path, &error) != THAW_OK)
                fail_msg("%s", error.message);
            thaw_world_free(&world);
            world = scene_world(2, (ThawIntegrator)integrator);
            if (thaw_world_load(world, path, &error) != THAW_OK)
                fail_msg("%s", error.message);
            assert_int_equal(state_of(world, 0).released, split > 50);
            for (int i = split; i < 60; i++)
                assert_true(sample_steps(world, 1).state_hash == hash[i]);
            const ThawAttachmentState again = state_of(world, 1);
            assert_memory_equal(again.force, held.force, sizeof held.force);
            thaw_world_free(&world);
        }
    }
}

static int stop(void *context) { return --*(int *)context < 0; }

static void a_cancelled_step_leaves_attachments_as_they_were(void **state) {
    (void)state;
    ThawWorld *plain = scene_world(1, THAW_INTEGRATOR_SEMI_IMPLICIT);
    ThawWorld *stopped = scene_world(1, THAW_INTEGRATOR_SEMI_IMPLICIT);
    int cancelled = 0;
    for (int i = 0; i < 60; i++) {
        int left = i % 7;
        ThawCancel cancel = {stop, &left};
        ThawStepStats stats;
        thaw_world_set_cancel(stopped, &cancel);
        ThawStatus status = thaw_world_step(stopped, &stats, NULL);
        cancelled += status == THAW_CANCELLED;
        if (status == THAW_CANCELLED) {
            left = INT32_MAX;
            assert_int_equal(thaw_world_step(stopped, &stats, NULL), THAW_OK);
        }
        assert_true(sample_steps(plain, 1).state_hash == stats.state_hash);
    }
    assert_true(cancelled > 10);
    thaw_world_free(&plain);
    thaw_world_free(&stopped);
}

// --- definitions -----------------------------------------------------------------------------------------------------

static void refuse(Bars *b, const char *message) {
    ThawWorld *world = NULL;
    ThawError error = {0};
    assert_int_equal(thaw_world_create(&b->def, &world, &error), THAW_ERROR_INPUT);
    if (!strstr(error.message, message))
        fail_msg("\"%s\" does not say \"%s\"", error.message, message);
    assert_null(world);
    b->attachments[0] = thaw_attachment_def_default();
}

static void definitions_that_make_no_sense_are_refused_by_name_and_value(void **state) {
    (void)state;
    Bars b;
    bars_create(&b, 2, 1, 1e6);
    ThawAttachmentDef *a = &b.attachments[0];
    a->body = 2;
    refuse(&b, "attachments[0] (attachment): body is 2; allowed: 0 to 1");
    a->group = -1;
    refuse(&b, "group is -1; allowed: 0 to 3 (shape shape has 4 groups)");
    a->other_body = 0;
    refuse(&b, "other_body is 0; allowed: -1, or 0 to 1 and not body 0");
    a->obstacle = 0;
    refuse(&b, "obstacle is 0; allowed: -1");
    a->stiffness = -1;
    refuse(&b, "stiffness is -1 N/m; allowed: >= 0");
    a->stiffness_per_area = NAN;
    refuse(&b, "stiffness_per_area is nan N/m^3; allowed: >= 0");
    a->damping = INFINITY;
    refuse(&b, "damping is inf s; allowed: >= 0");
    a->close = -1;
    refuse(&b, "close is -1 s; allowed: >= 0");
    a->close = 1;
    refuse(&b, "close is given for springs without a length");
    a->kind = THAW_ATTACHMENT_DISTANCE;
    a->pairing = (ThawAttachmentPairing)7;
    refuse(&b, "pairing is 7; allowed: 0 (nearest), 1 (along)");
    a->other_group = 1;
    refuse(&b, "other_group is 1; allowed: -1");
    a->kind = THAW_ATTACHMENT_DISTANCE;
    a->other_body = 1;
    a->other_group = 1;
    a->pairing = THAW_ATTACHMENT_ALONG;
    refuse(&b, "pairing is along, which goes from one edge of a sheet to another");
    a->release_force = 0;
    refuse(&b, "release_force is 0 N; allowed: > 0, or INFINITY");
    a->release_time = NAN;
    refuse(&b, "release_time is nan s");
    a->key_count = 1;
    refuse(&b, "key_count is 1 with keys NULL");
    b.bodies[1].position[0] = 100;
    a->other_body = 1;
    refuse(&b, "m outside of body body, farther than 20 times the size of the element");
    b.def.attachments = NULL;
    refuse(&b, "attachment_count is 1 with attachments NULL");
    b.def.attachments = b.attachments;
    b.bodies[0].method = "rigidify";
    b.bodies[0].at_rest = 1;
    ThawScriptDef pin = thaw_script_def_default();
    b.bodies[0].scripts = &pin;
    b.bodies[0].script_count = 1;
    refuse(&b, "body 0 (body) starts at rest");
    bars_free(&b);
}

static void questions_about_what_is_not_there_are_refused(void **state) {
    (void)state;
    Bars b;
    bars_create(&b, 1, 1, 1e6);
    ThawWorld *world = bars_world(&b);
    ThawAttachmentState held;
    assert_int_equal(thaw_world_attachment_count(world), 1);
    assert_int_equal(thaw_world_attachment_count(NULL), 0);
    assert_int_equal(thaw_world_get_attachment(world, 1, &held), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_get_attachment(NULL, 0, &held), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_get_attachment(world, 0, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_release_attachment(world, -1, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_release_attachment(NULL, 0, NULL), THAW_ERROR_INPUT);
    thaw_world_free(&world);
    bars_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_finger_glued_to_a_moving_box_carries_a_load),
        cmocka_unit_test(glue_gives_far_less_than_what_it_holds),
        cmocka_unit_test(two_bodies_on_a_spring_keep_their_momentum),
        cmocka_unit_test(two_masses_swing_at_the_frequency_of_their_spring),
        cmocka_unit_test(the_ledger_closes_and_springs_only_lose),
        cmocka_unit_test(in_the_plane_they_hold_as_well),
        cmocka_unit_test(a_body_falls_from_the_time_at_which_it_is_let_go),
        cmocka_unit_test(a_body_is_let_go_after_the_step_in_which_the_force_was_too_large),
        cmocka_unit_test(bodies_held_to_each_other_rest_as_rigid_parts_and_sleep_together),
        cmocka_unit_test(letting_go_wakes_what_was_held),
        cmocka_unit_test(a_frame_that_moves_wakes_what_hangs_on_it_and_carries_it_along),
        cmocka_unit_test(springs_begin_with_no_force_at_all),
        cmocka_unit_test(neither_threads_nor_a_checkpoint_change_a_bit),
        cmocka_unit_test(a_cancelled_step_leaves_attachments_as_they_were),
        cmocka_unit_test(definitions_that_make_no_sense_are_refused_by_name_and_value),
        cmocka_unit_test(questions_about_what_is_not_there_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
