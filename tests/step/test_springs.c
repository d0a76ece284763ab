// SPDX-License-Identifier: Apache-2.0
// Attachments beyond holding: springs of a length have the right forces and stiffness; glued bodies make no energy, be
// they rigid in parts or in each other; static solves know them; and what they do can be asked for.
#include "contact/contact.h"
#include "model/attachment.h"
#include "step/bars.h"
#include "step/step.h"
#include "support/folder.h"
#include "thaw/scene.h"

// --- kernels ---------------------------------------------------------------------------------------------------------

// A vertex at a distance from a point: its force and stiffness as the row has them, in world axes.
static void row_at(ThawModel *model, const ThawElementOps *kind, double g[3], double f[3], double K[3][3]) {
    const ThawRowPass pass = {.model = model,
                              .h = 0.01,
                              .x = g,
                              .place = {{{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0}}, {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0}}}};
    ThawContact row;
    kind->row(&pass, 0, &row);
    for (int i = 0; i < 3; i++) {
        f[i] = -row.stiffness * row.gap * row.frame[0][i] - row.across[0] * row.drift[0] * row.frame[1][i] -
               row.across[0] * row.drift[1] * row.frame[2][i];
        for (int k = 0; k < 3; k++)
            K[i][k] = row.stiffness * row.frame[0][i] * row.frame[0][k] +
                      row.across[0] * (row.frame[1][i] * row.frame[1][k] + row.frame[2][i] * row.frame[2][k]);
    }
}

static void forces_and_stiffness_are_those_of_the_energy(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++)
        for (int seed = 0; seed < 40; seed++) {
            const ThawElementOps *ops = thaw_attachment_kinds[kind];
            ThawAttachment a = {.kind = ops, .other = THAW_ANCHOR_FRAME, .count = 1};
            ThawAnchor anchor = {.stiffness = 300, .length = kind ? 0.2 + 0.01 * seed : 0};
            ThawModelBody body = {0};
            ThawModel model = {.dim = 3,
                               .bodies = &body,
                               .body_count = 1,
                               .attachments = &a,
                               .attachment_count = 1,
                               .anchors = &anchor};
            double g[3] = {0.3 * sin(seed + 1.0), 0.2 * cos(3.0 * seed), 0.25 * sin(2.0 * seed + 0.5)}, f[3], K[3][3];
            const double l = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), e = 1e-5 * l;
            const int pressed = kind == 1 && l < anchor.length;
            row_at(&model, ops, g, f, K);
            double size = 0, crooked = 0;
            for (int i = 0; i < 3; i++) {
                double more[3] = {g[0], g[1], g[2]}, less[3] = {g[0], g[1], g[2]}, f1[3], f0[3], unused[3][3];
                more[i] += e;
                less[i] -= e;
                const double slope = (ops->row_energy(&anchor, more) - ops->row_energy(&anchor, less)) / (2 * e);
                assert_true(fabs(f[i] + slope) < 1e-7 * anchor.stiffness * l);
                row_at(&model, ops, more, f1, unused);
                row_at(&model, ops, less, f0, unused);
                for (int k = 0; k < 3; k++) {
                    const double exact = -(f1[k] - f0[k]) / (2 * e), n = g[i] * g[k] / (l * l);
                    // Pressed: k n n' alone is left of it.
                    const double wanted = pressed ? anchor.stiffness * n : exact;
                    assert_true(fabs(K[i][k] - wanted) < 1e-5 * anchor.stiffness);
                    size = fmax(size, fabs(K[i][k]));
                    crooked = fmax(crooked, fabs(K[i][k] - K[k][i]));
                }
            }
            assert_true(size > 0.1 * anchor.stiffness && crooked < 1e-12 * anchor.stiffness);
        }
}

// --- springs of a length ---------------------------------------------------------------------------------------------

static void strings_keep_momentum_between_bodies(void **state) {
    (void)state;
    for (int rigid = 0; rigid < 2; rigid++) {
        Bars b;
        bars_create(&b, 2, 1, 1e6);
        b.def.gravity[2] = 0;
        b.bodies[0].velocity[2] = 2;
        b.bodies[1].spin[1] = 3;
        b.bodies[1].position[0] = 0.8;
        b.bodies[0].method = b.bodies[1].method = rigid ? "rigidify" : "full";
        b.attachments[0].kind = THAW_ATTACHMENT_DISTANCE;
        b.attachments[0].group = X_MAX;
        b.attachments[0].other_body = 1;
        b.attachments[0].stiffness = 2000;
        ThawWorld *world = bars_world(&b);
        assert_true(state_of(world, 0).energy < 1e-20);
        double pulled = 0;
        for (int step = 0; step < 150; step++) {
            sample_steps(world, 1);
            pulled = fmax(pulled, state_of(world, 0).energy);
            assert_true(fabs(mean_of(world, 0, 0, 1) + mean_of(world, 1, 0, 1)) < 1e-11);
            assert_true(fabs(mean_of(world, 0, 2, 1) + mean_of(world, 1, 2, 1) - 2) < 1e-11);
        }
        assert_true(pulled > 1e-3);
        thaw_world_free(&world);
        bars_free(&b);
    }
}

// A bar on a string swings at its length, and only loses energy.
static void a_pendulum_keeps_its_length_and_loses_energy_only(void **state) {
    (void)state;
    for (int rigid = 0; rigid < 2; rigid++) {
        Bars b;
        const double at[3] = {0.15 + 0.6, 0.05, 0.1 + 0.8};
        bars_create(&b, 1, 1, 5e6);
        b.def.h = 0.002;
        b.bodies[0].method = rigid ? "rigidify" : "full";
        b.attachments[0].kind = THAW_ATTACHMENT_DISTANCE;
        b.attachments[0].group = Z_MAX;
        b.attachments[0].at = at;
        b.attachments[0].stiffness = 2e5;
        ThawWorld *world = bars_world(&b);
        ThawLedger l;
        double lines[6 * 8], start[8], least = INFINITY, farthest = 0;
        assert_int_equal(state_of(world, 0).vertices, 8);
        thaw_world_get_attachment_lines(world, 0, lines);
        for (int i = 0; i < 8; i++) {
            for (int k = 0; k < 3; k++)
                assert_true(fabs(lines[6 * i + 3 + k] - at[k]) < 1e-12);
            start[i] = hypot(hypot(lines[6 * i] - at[0], lines[6 * i + 1] - at[1]), lines[6 * i + 2] - at[2]);
        }
        for (int step = 0; step < 800; step++) {
            sample_steps(world, 1);
            thaw_world_get_ledger(world, &l);
            const double all = l.kinetic + l.shadow + l.elastic + l.gravitational + l.contact_energy;
            assert_true(all < least + 1e-4);
            least = fmin(least, all);
            farthest = fmax(farthest, mean_of(world, 0, 0, 0));
            thaw_world_get_attachment_lines(world, 0, lines);
            for (int i = 0; i < 8; i++)
                assert_true(
                    fabs(hypot(hypot(lines[6 * i] - at[0], lines[6 * i + 1] - at[1]), lines[6 * i + 2] - at[2]) -
                         start[i]) < 0.02 * start[i]);
        }
        assert_true(farthest > 0.75); // through its lowest point
        thaw_world_free(&world);
        bars_free(&b);
    }
}

static void a_length_may_be_given(void **state) {
    (void)state;
    Bars b;
    const double at[3] = {0.15, 0.05, 1.1};
    bars_create(&b, 1, 1, 1e7);
    b.attachments[0].kind = THAW_ATTACHMENT_DISTANCE;
    b.attachments[0].group = Z_MAX;
    b.attachments[0].at = at;
    b.attachments[0].length = 0.5; // a metre apart: it is pulled up, and hangs there
    b.attachments[0].stiffness = 2000;
    b.attachments[0].damping = 0.2;
    ThawWorld *world = bars_world(&b);
    sample_steps(world, 1000);
    const double hangs = at[2] - 0.05 - mean_of(world, 0, 2, 0);
    assert_true(hangs > 0.5 && hangs < 0.5 + 2 * 3 * 9.81 / 2000);
    assert_true(fabs(state_of(world, 0).force[2] - 3 * 9.81) < 0.05);
    thaw_world_free(&world);
    bars_free(&b);
}

// --- energy ----------------------------------------------------------------------------------------------------------

// What springs hold and lose never comes from nothing: neither where parts are moved by their method, nor where they
// turn. The whole may gain what the method owes for some steps (method/rigidify/passive.c), far less than the warning's
// bound.
static void check_ledger(ThawWorld *world, int steps, double tolerance, double *rigid) {
    double lost = -1e-12, least = INFINITY, largest = 0, height = 0;
    ThawLedger l, first;
    thaw_world_get_ledger(world, &first);
    for (int step = 0; step < steps; step++) {
        const ThawStepStats stats = sample_steps(world, 1);
        *rigid += stats.rigid_parts > 0;
        thaw_world_get_ledger(world, &l);
        const double loss = l.obstacle_work - l.contact_work - l.contact_energy;
        const double all = l.kinetic + l.shadow + l.elastic + l.gravitational + l.contact_energy - l.external_work -
                           l.obstacle_work - l.parting_work;
        height = fmax(height, fabs(l.gravitational - first.gravitational));
        largest = fmax(largest, l.kinetic + l.elastic + l.contact_energy + height);
        if (loss < lost - 1e-9 * largest)
            fail_msg("step %d: springs gain %g J of %g J", step, lost - loss, largest);
        lost = fmax(lost, loss);
        if (all > least + tolerance * largest)
            fail_msg("step %d: %g J out of nothing, of %g J", step, all - least, largest);
        least = fmin(least, all);
    }
}

static void a_glued_bar_makes_no_energy_as_parts_of_it_become_rigid(void **state) {
    (void)state;
    for (int bodies = 1; bodies <= 2; bodies++)
        for (int integrator = 0; integrator < 2; integrator++) {
            Bars b;
            double rigid = 0;
            bars_create(&b, bodies, bodies, 2e6);
            b.def.h = 0.002;
            b.def.integrator = (ThawIntegrator)integrator;
            b.material.alpha1 = 0.001;
            b.bodies[0].method = b.bodies[1].method = "rigidify";
            b.attachments[1].body = 1;
            b.attachments[1].other_body = 0;
            ThawWorld *world = bars_world(&b);
            check_ledger(world, 1000, 2e-3, &rigid);
            assert_true(rigid > 200);
            thaw_world_free(&world);
            bars_free(&b);
        }
}

static void glued_bodies_in_each_other_make_no_energy_and_touch_when_let_go(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        const int rigid = i % 2;
        Bars b;
        double parts = 0;
        bars_create(&b, 2, 2, 1e6);
        b.def.h = 0.005;
        b.def.integrator = i < 2 ? THAW_INTEGRATOR_SEMI_IMPLICIT : THAW_INTEGRATOR_EULER;
        b.def.contact.disabled = 0;
        b.bodies[1].position[0] = 0.27; // 3 cm in
        b.bodies[0].method = b.bodies[1].method = rigid ? "rigidify" : "full";
        b.attachments[1].body = 1;
        b.attachments[1].other_body = 0;
        b.attachments[1].release_time = 1;
        ThawWorld *world = bars_world(&b);
        check_ledger(world, 199, rigid ? 2e-3 : 1e-9, &parts);
        assert_int_equal(thaw_world_contact_count(world), 0);
        assert_true(fabs(state_of(world, 1).force[2] - 3 * 9.81) < 15); // it still swings
        sample_steps(world, 2);
        assert_true(state_of(world, 1).released);
        assert_true(thaw_world_contact_count(world) > 0);
        thaw_world_free(&world);
        b.attachments[1].contact = THAW_ATTACHMENT_CONTACT_ON;
        world = bars_world(&b);
        sample_steps(world, 1);
        assert_true(thaw_world_contact_count(world) > 0);
        thaw_world_free(&world);
        bars_free(&b);
    }
}

// --- static solves ---------------------------------------------------------------------------------------------------

static void a_static_solve_hangs_bodies_on_their_attachments(void **state) {
    (void)state;
    for (int rigid = 0; rigid < 2; rigid++) {
        Bars b;
        const double at[3] = {0.75, 0.05, -0.2};
        bars_create(&b, 3, 3, 5e5);
        b.bodies[2].position[0] = 0.6;
        b.bodies[2].position[2] = -0.6;
        b.bodies[0].method = b.bodies[1].method = rigid ? "rigidify" : "full";
        b.attachments[1].body = 1;
        b.attachments[1].other_body = 0;
        b.attachments[2].body = 2;
        b.attachments[2].group = Z_MAX;
        b.attachments[2].kind = THAW_ATTACHMENT_DISTANCE;
        b.attachments[2].at = at;
        b.attachments[2].stiffness = 5000;
        b.attachments[2].damping = 0.1;
        ThawWorld *world = bars_world(&b);
        ThawError error = {0};
        ThawStepStats stats;
        if (thaw_world_solve_static(world, &stats, &error) != THAW_OK)
            fail_msg("%s", error.message);
        const double weights[3] = {6 * 9.81, 3 * 9.81, 3 * 9.81};
        for (int i = 0; i < 3; i++)
            assert_true(fabs(state_of(world, i).force[2] - weights[i]) < 1e-3 * weights[i]);
        const double tip = mean_of(world, 1, 2, 0);
        assert_true(tip < 0.04);
        stats = sample_steps(world, 50); // it is at rest there
        assert_true(stats.ledger.kinetic < 1e-8 && fabs(mean_of(world, 1, 2, 0) - tip) < 1e-5);
        thaw_world_free(&world);
        bars_free(&b);
    }
}

static void what_nothing_holds_has_no_static_solution_and_stays_where_it_was(void **state) {
    (void)state;
    Bars b;
    bars_create(&b, 2, 1, 5e5);
    b.attachments[0].other_body = 1; // both fall
    ThawWorld *world = bars_world(&b);
    ThawError error = {0};
    const uint64_t before = thaw_world_hash(world);
    assert_true(thaw_world_solve_static(world, NULL, &error) > THAW_OK);
    assert_non_null(strstr(error.message, "pins and attachments must hold it"));
    assert_true(thaw_world_hash(world) == before);
    thaw_world_free(&world);
    bars_free(&b);
}

// --- bits ------------------------------------------------------------------------------------------------------------

static ThawWorld *gripper(int threads) {
    ThawScene *scene = NULL;
    ThawWorld *world = NULL;
    ThawError error = {0};
    if (thaw_scene_load(THAW_SOURCE_DIR "/tests/scene/small/gripper.json", &scene, &error) != THAW_OK)
        fail_msg("%s", error.message);
    scene->world.threads = threads;
    if (thaw_world_create(&scene->world, &world, &error) != THAW_OK)
        fail_msg("%s", error.message);
    thaw_scene_free(&scene);
    return world;
}

static void neither_threads_nor_a_checkpoint_change_a_bit_of_the_gripper(void **state) {
    (void)state;
    uint64_t hash[60];
    ThawError error = {0};
    ThawWorld *world = gripper(1);
    for (int i = 0; i < 60; i++)
        hash[i] = sample_steps(world, 1).state_hash;
    const ThawAttachmentState end = state_of(world, 2);
    assert_true(end.released);
    thaw_world_free(&world);
    for (int split = 7; split < 60; split += 23) {
        world = gripper(4);
        assert_true(sample_steps(world, split).state_hash == hash[split - 1]);
        if (thaw_world_save(world, at("gripper.h5"), &error) != THAW_OK)
            fail_msg("%s", error.message);
        thaw_world_free(&world);
        world = gripper(2);
        if (thaw_world_load(world, at("gripper.h5"), &error) != THAW_OK)
            fail_msg("%s", error.message);
        for (int i = split; i < 60; i++)
            assert_true(sample_steps(world, 1).state_hash == hash[i]);
        const ThawAttachmentState again = state_of(world, 2);
        assert_true(again.released_time == end.released_time && again.released_force == end.released_force);
        thaw_world_free(&world);
    }
}

// --- what is told ----------------------------------------------------------------------------------------------------

static void what_let_go_tells_when_and_at_which_force(void **state) {
    (void)state;
    Bars b;
    bars_create(&b, 1, 2, 1e6);
    b.attachments[0].group = Z_MAX;
    b.attachments[0].release_time = 0.3;
    b.attachments[1].stiffness = 10;
    ThawWorld *world = bars_world(&b);
    ThawAttachmentState a = state_of(world, 0);
    assert_true(!a.released && isnan(a.released_time) && isnan(a.released_force));
    assert_true(a.body == 0 && a.other_body == -1 && a.obstacle == -1);
    sample_steps(world, 40);
    a = state_of(world, 0);
    assert_true(a.released && fabs(a.released_time - 0.3) < 0.011 && fabs(a.released_force - 3 * 9.81) < 1);
    const uint64_t hash = thaw_world_hash(world);
    assert_int_equal(thaw_world_release_attachment(world, 0, NULL), THAW_OK); // again: nothing happens
    assert_true(thaw_world_hash(world) == hash && state_of(world, 0).released_force == a.released_force);
    double lines[6 * 8];
    assert_int_equal(thaw_world_get_attachment_lines(world, 1, lines), THAW_OK);
    assert_int_equal(thaw_world_get_attachment_lines(world, 2, lines), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_get_attachment_lines(world, 1, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_get_attachment_lines(NULL, 1, lines), THAW_ERROR_INPUT);
    thaw_world_free(&world);
    bars_free(&b);
}

static void refuse(Bars *b, const char *message) {
    ThawWorld *world = NULL;
    ThawError error = {0};
    assert_int_equal(thaw_world_create(&b->def, &world, &error), THAW_ERROR_INPUT);
    if (!strstr(error.message, message))
        fail_msg("\"%s\" does not say \"%s\"", error.message, message);
    b->attachments[0] = thaw_attachment_def_default();
    b->attachments[0].kind = THAW_ATTACHMENT_DISTANCE;
}

static void springs_of_a_length_that_make_no_sense_are_refused(void **state) {
    (void)state;
    Bars b;
    const double wrong[3] = {0, NAN, 0}, corner[3] = {0, 0, 0};
    bars_create(&b, 2, 1, 1e6);
    b.def.source = "some.json";
    ThawAttachmentDef *a = &b.attachments[0];
    a->kind = (ThawAttachmentKind)2;
    refuse(&b, "some.json: attachments[0] (attachment): kind is 2; allowed: 0 (point), 1 (distance)");
    refuse(&b, "needs a point, and at is NULL");
    a->at = wrong;
    refuse(&b, "at[1] is nan m");
    a->at = corner;
    refuse(&b, "a vertex of the region lies on its anchor");
    a->length = INFINITY;
    refuse(&b, "length is inf m");
    a->contact = (ThawAttachmentContact)3;
    refuse(&b, "contact is 3; allowed: 0 (auto), 1 (on), 2 (off)");
    bars_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_and_stiffness_are_those_of_the_energy),
        cmocka_unit_test(strings_keep_momentum_between_bodies),
        cmocka_unit_test(a_pendulum_keeps_its_length_and_loses_energy_only),
        cmocka_unit_test(a_length_may_be_given),
        cmocka_unit_test(a_glued_bar_makes_no_energy_as_parts_of_it_become_rigid),
        cmocka_unit_test(glued_bodies_in_each_other_make_no_energy_and_touch_when_let_go),
        cmocka_unit_test(a_static_solve_hangs_bodies_on_their_attachments),
        cmocka_unit_test(what_nothing_holds_has_no_static_solution_and_stays_where_it_was),
        cmocka_unit_test(neither_threads_nor_a_checkpoint_change_a_bit_of_the_gripper),
        cmocka_unit_test(what_let_go_tells_when_and_at_which_force),
        cmocka_unit_test(springs_of_a_length_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
