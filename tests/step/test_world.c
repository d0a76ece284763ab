// SPDX-License-Identifier: Apache-2.0
// The world's interface: NULL and out-of-range arguments, numbering, forces from outside, failing and halved steps,
// projection, scripts that let go, static solves, checkpoints.
#include <unistd.h>

#include "step/sample.h"

static void near_number(double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g", a, b);
}

// The mean of one component over the vertices.
static double mean(const double *x, int count, int dim, int k) {
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += x[i * dim + k] / count;
    return sum;
}

// --- arguments -------------------------------------------------------------------------------------------------------

static void null_arguments_are_refused_everywhere(void **state) {
    (void)state;
    Sample s;
    sample_create(&s, 3, 1, THAW_MATERIAL_STVK, 1);
    ThawWorld *world = NULL, *none = NULL;
    ThawError error = {0};
    ThawLedger ledger;
    double room[100];
    int32_t ids[100];
    assert_int_equal(thaw_world_create(NULL, &world, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "def"));
    assert_int_equal(thaw_world_create(&s.world, NULL, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "world"));
    world = sample_world(&s);
    assert_int_equal(thaw_world_step(NULL, NULL, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_step(NULL, NULL, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_solve_static(NULL, NULL, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_dim(NULL), 0);
    assert_true(isnan(thaw_world_time(NULL)));
    assert_int_equal(thaw_world_step_count(NULL), 0);
    assert_int_equal(thaw_world_hash(NULL), 0);
    assert_int_equal(thaw_world_body_count(NULL), 0);
    assert_int_equal(thaw_world_get_ledger(NULL, &ledger), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_get_ledger(world, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_save(NULL, "x", &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_save(world, NULL, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_load(NULL, "x", &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_load(world, NULL, &error), THAW_ERROR_INPUT);
    static const int32_t bodies[] = {-1, 1, INT32_MIN, INT32_MAX, 0};
    for (int i = 0; i < COUNT(bodies); i++) {
        const ThawWorld *w = bodies[i] == 0 ? NULL : world; // the last one: a good body of no world
        ThawWorld *mutable = bodies[i] == 0 ? NULL : world;
        int32_t b = bodies[i];
        assert_null(thaw_world_body_name(w, b));
        assert_int_equal(thaw_world_vertex_count(w, b), 0);
        assert_int_equal(thaw_world_element_count(w, b), 0);
        assert_int_equal(thaw_world_get_elements(w, b, ids), THAW_ERROR_INPUT);
        assert_int_equal(thaw_world_get_regions(w, b, ids), THAW_ERROR_INPUT);
        assert_int_equal(thaw_world_get_positions(w, b, room), THAW_ERROR_INPUT);
        assert_int_equal(thaw_world_get_velocities(w, b, room), THAW_ERROR_INPUT);
        assert_int_equal(thaw_world_get_masses(w, b, room), THAW_ERROR_INPUT);
        assert_int_equal(thaw_world_get_stresses(w, b, room), THAW_ERROR_INPUT);
        assert_int_equal(thaw_world_set_positions(mutable, b, room), THAW_ERROR_INPUT);
        assert_int_equal(thaw_world_set_velocities(mutable, b, room), THAW_ERROR_INPUT);
        assert_int_equal(thaw_world_set_forces(mutable, b, room), THAW_ERROR_INPUT);
        assert_int_equal(thaw_world_set_forces(mutable, b, NULL), THAW_ERROR_INPUT);
    }
    assert_int_equal(thaw_world_get_elements(world, 0, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_get_regions(world, 0, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_get_positions(world, 0, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_get_velocities(world, 0, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_get_masses(world, 0, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_get_stresses(world, 0, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_set_positions(world, 0, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_set_velocities(world, 0, NULL), THAW_ERROR_INPUT);
    uint64_t hash = thaw_world_hash(world);
    for (int i = 0; i < 24; i++)
        room[i] = i;
    room[23] = NAN;
    assert_int_equal(thaw_world_set_positions(world, 0, room), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_set_velocities(world, 0, room), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_set_forces(world, 0, room), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_hash(world), hash);
    thaw_world_free(NULL);
    thaw_world_free(&none);
    thaw_world_free(&world);
    assert_null(world);
    sample_free(&s);
}

static void a_step_may_go_unwatched(void **state) {
    (void)state;
    Sample s;
    sample_create(&s, 3, 1, THAW_MATERIAL_STVK, 1);
    s.world.ledger = 0;
    ThawWorld *world = sample_world(&s);
    assert_int_equal(thaw_world_step(world, NULL, NULL), THAW_OK);
    ThawStepStats stats = sample_steps(world, 1);
    assert_int_equal(stats.step, 2);
    assert_true(isnan(stats.ledger.kinetic) && isnan(stats.ledger.elastic) && isnan(stats.ledger.gravitational));
    ThawLedger ledger;
    assert_int_equal(thaw_world_get_ledger(world, &ledger), THAW_OK);
    assert_true(ledger.kinetic > 0 && ledger.elastic >= 0 && ledger.external_work == 0);
    assert_non_null(strstr(thaw_build_info(), thaw_version()));
    assert_int_equal(thaw_world_solve_static(world, NULL, NULL) == THAW_OK, 0);
    thaw_world_free(&world);
    sample_free(&s);
}

static void statistics_count_what_was_solved(void **state) {
    (void)state;
    Sample s;
    sample_create(&s, 3, 2, THAW_MATERIAL_STVK, 1);
    s.world.body_count = 3;
    s.bodies[0].script_count = 1; // x-min: 9 of 27 vertices
    s.world.h = 0.004;
    ThawWorld *world = sample_world(&s);
    ThawStepStats stats = sample_steps(world, 5);
    assert_int_equal(stats.step, 5);
    near_number(stats.time, 0.02, 1e-15);
    near_number(thaw_world_time(world), 0.02, 1e-15);
    assert_int_equal(thaw_world_step_count(world), 5);
    assert_int_equal(stats.dofs, 3 * (18 + 27 + 27));
    assert_int_equal(stats.elastic_elements, 3 * 48);
    assert_int_equal(stats.newton_iterations, 1);
    assert_int_equal(stats.substeps, 1);
    assert_int_equal(stats.projected, 0);
    assert_true(stats.wall_ms > 0);
    assert_int_equal(stats.state_hash, thaw_world_hash(world));
    thaw_world_free(&world);
    sample_free(&s);
}

// --- numbering -------------------------------------------------------------------------------------------------------

static void the_meshs_own_numbers_go_in_and_come_out(void **state) {
    (void)state;
    Sample s, p;
    sample_create(&s, 3, 2, THAW_MATERIAL_STVK, 1);
    sample_create(&p, 3, 2, THAW_MATERIAL_STVK, 1);
    uint64_t seed = 8;
    int32_t *to = sample_permute(p.mesh, &seed);
    s.bodies[0].script_count = p.bodies[0].script_count = 1;
    s.world.solver_tolerance = p.world.solver_tolerance = 1e-13;
    ThawWorld *plain = sample_world(&s), *permuted = sample_world(&p);
    double in[81], out[81], m[27], mp[27], stress[48], stress_p[48];
    int32_t elements[48 * 4], regions[48];
    for (int i = 0; i < 81; i++)
        in[i] = p.mesh->x[i] + 0.001 * i;
    assert_int_equal(thaw_world_set_positions(permuted, 0, in), THAW_OK);
    thaw_world_get_positions(permuted, 0, out);
    assert_memory_equal(in, out, sizeof in);
    assert_int_equal(thaw_world_set_velocities(permuted, 0, in), THAW_OK);
    thaw_world_get_velocities(permuted, 0, out);
    assert_memory_equal(in, out, sizeof in);
    thaw_world_get_elements(permuted, 0, elements);
    assert_memory_equal(elements, p.mesh->elements, sizeof elements);
    thaw_world_get_regions(permuted, 0, regions);
    assert_memory_equal(regions, p.mesh->region, sizeof regions);
    // The same body under other numbers moves the same way.
    memset(in, 0, sizeof in);
    thaw_world_set_velocities(permuted, 0, in);
    thaw_world_set_positions(permuted, 0, p.mesh->x);
    sample_steps(plain, 5);
    sample_steps(permuted, 5);
    thaw_world_get_positions(plain, 0, in);
    thaw_world_get_positions(permuted, 0, out);
    thaw_world_get_masses(plain, 0, m);
    thaw_world_get_masses(permuted, 0, mp);
    thaw_world_get_stresses(plain, 0, stress);
    thaw_world_get_stresses(permuted, 0, stress_p);
    for (int i = 0; i < 27; i++) {
        near_number(m[i], mp[to[i]], 1e-12);
        for (int k = 0; k < 3; k++)
            near_number(in[3 * i + k], out[3 * to[i] + k], 1e-11);
    }
    for (int e = 0; e < 48; e++)
        near_number(stress[e], stress_p[47 - e], 1e-6);
    thaw_free(to);
    thaw_world_free(&plain);
    thaw_world_free(&permuted);
    sample_free(&s);
    sample_free(&p);
}

// --- forces from outside ---------------------------------------------------------------------------------------------

static void forces_set_from_outside_act_until_taken_away(void **state) {
    (void)state;
    Sample s;
    sample_create(&s, 3, 1, THAW_MATERIAL_STABLE_NEO_HOOKEAN, 1);
    memset(s.world.gravity, 0, sizeof s.world.gravity);
    s.materials[0].alpha0 = s.materials[1].alpha0 = 0;
    ThawWorld *world = sample_world(&s);
    double f[24] = {0}, v[24], m[8], momentum = 0, again = 0;
    f[3 * 5 + 1] = 7; // N along y at vertex 5
    assert_int_equal(thaw_world_set_forces(world, 0, f), THAW_OK);
    f[3 * 5 + 1] = 0; // copied: this changes nothing
    sample_steps(world, 10);
    thaw_world_get_velocities(world, 0, v);
    thaw_world_get_masses(world, 0, m);
    for (int i = 0; i < 8; i++)
        momentum += m[i] * v[3 * i + 1];
    near_number(momentum, 7 * 10 * s.world.h, 1e-7);
    assert_int_equal(thaw_world_set_forces(world, 0, NULL), THAW_OK);
    sample_steps(world, 10);
    thaw_world_get_velocities(world, 0, v);
    for (int i = 0; i < 8; i++)
        again += m[i] * v[3 * i + 1];
    near_number(again, momentum, 1e-7);
    thaw_world_free(&world);
    sample_free(&s);
}

// --- steps that fail, are halved, are projected ----------------------------------------------------------------------

static void a_failing_step_leaves_the_state_untouched(void **state) {
    (void)state;
    Sample s;
    sample_create(&s, 3, 2, THAW_MATERIAL_NEO_HOOKEAN, 1);
    s.world.halvings = 2;
    s.world.body_count = 2;
    s.bodies[1].position[0] = 5;
    s.bodies[1].name = "victim";
    ThawWorld *world = sample_world(&s);
    sample_steps(world, 3);
    double v[81], x[81], before_x[81], before_v[81], other[81];
    thaw_world_get_velocities(world, 1, v);
    for (int i = 0; i < 81; i++) // a mess that must turn elements over in any step of 2.5 ms
        v[i] = 1e4 * ((i * 7919) % 13 - 6);
    thaw_world_set_velocities(world, 1, v);
    thaw_world_get_positions(world, 1, before_x);
    thaw_world_get_velocities(world, 1, before_v);
    thaw_world_get_positions(world, 0, other);
    uint64_t hash = thaw_world_hash(world);
    ThawLedger ledger, after;
    thaw_world_get_ledger(world, &ledger);
    ThawStepStats stats = {.step = 77};
    ThawError error = {0};
    for (int again = 0; again < 2; again++) {
        assert_int_equal(thaw_world_step(world, &stats, &error), THAW_DIVERGED);
        assert_int_equal(error.status, THAW_DIVERGED);
        assert_non_null(strstr(error.message, "body 1 (victim)"));
        assert_non_null(strstr(error.message, "0.0025"));
        assert_int_equal(thaw_world_step_count(world), 3);
        assert_int_equal(thaw_world_hash(world), hash);
        assert_int_equal(stats.step, 77);
        thaw_world_get_positions(world, 1, x);
        assert_memory_equal(x, before_x, sizeof x);
        thaw_world_get_velocities(world, 1, x);
        assert_memory_equal(x, before_v, sizeof x);
        thaw_world_get_positions(world, 0, x);
        assert_memory_equal(x, other, sizeof x);
        thaw_world_get_ledger(world, &after);
        assert_memory_equal(&ledger, &after, sizeof ledger);
    }
    memset(v, 0, sizeof v); // and it goes on as if nothing had happened
    thaw_world_set_velocities(world, 1, v);
    sample_steps(world, 2);
    thaw_world_free(&world);
    sample_free(&s);
}

static void a_violent_step_is_halved_and_says_so(void **state) {
    (void)state;
    for (int newton = 0; newton < 2; newton++) {
        Sample s;
        sample_create(&s, 3, 2, THAW_MATERIAL_NEO_HOOKEAN, 1);
        s.world.integrator = newton ? THAW_INTEGRATOR_NEWTON : THAW_INTEGRATOR_SEMI_IMPLICIT;
        s.world.h = 0.02;
        s.world.halvings = 10;
        s.bodies[0].script_count = 2; // x-min is held, x-max is thrown at it
        s.scripts[1].group = 1;
        ThawKey keys[] = {{.time = 0, .rotation = {1, 0, 0, 0}},
                          {.time = 0.02, .translation = {-0.6, 0, 0}, .rotation = {1, 0, 0, 0}}};
        s.scripts[1].keys = keys;
        s.scripts[1].key_count = 2;
        ThawWorld *world = sample_world(&s);
        ThawStepStats stats = sample_steps(world, 1);
        assert_true(stats.substeps > 1 && stats.substeps <= 1024);
        assert_true(stats.newton_iterations >= stats.substeps);
        double x[81];
        thaw_world_get_positions(world, 0, x);
        for (int i = 0; i < 27; i++) // the script is followed through all parts
            if (i % 3 == 2)
                near_number(x[3 * i], s.mesh->x[3 * i] - 0.6, 1e-12);
        // works of all parts add up
        ThawLedger l = stats.ledger;
        ThawWorld *fresh = sample_world(&s);
        ThawLedger l0;
        thaw_world_get_ledger(fresh, &l0);
        double now = l.kinetic + l.elastic + l.gravitational, start = l0.kinetic + l0.elastic + l0.gravitational;
        near_number(now - (l.external_work - l.damping_loss - l.integration_loss), start,
                    (newton ? 1e-3 : 1e-5) * fabs(l.external_work));
        thaw_world_free(&fresh);
        thaw_world_free(&world);
        sample_free(&s);
    }
}

static void strong_compression_is_projected_and_says_so(void **state) {
    (void)state;
    Sample s;
    sample_create(&s, 3, 2, THAW_MATERIAL_STVK, 1);
    s.world.h = 0.01; // longer ones make energy of nothing, and are cut
    s.world.halvings = 0;
    ThawWorld *world = sample_world(&s);
    double x[81];
    for (int i = 0; i < 81; i++)
        x[i] = 0.5 * s.mesh->x[i];
    thaw_world_set_positions(world, 0, x);
    ThawStepStats stats = sample_steps(world, 1);
    assert_int_equal(stats.projected, 1);
    assert_int_equal(stats.substeps, 1);
    thaw_world_free(&world);
    // Where projection is forbidden, the step must be cut instead, or fail.
    s.world.projection = THAW_PROJECT_NEVER;
    world = sample_world(&s);
    thaw_world_set_positions(world, 0, x);
    ThawError error = {0};
    assert_int_equal(thaw_world_step(world, NULL, &error), THAW_DIVERGED);
    assert_non_null(strstr(error.message, "indefinite"));
    thaw_world_free(&world);
    s.world.halvings = 8;
    world = sample_world(&s);
    thaw_world_set_positions(world, 0, x);
    stats = sample_steps(world, 1);
    assert_true(stats.substeps > 1);
    assert_int_equal(stats.projected, 0);
    thaw_world_free(&world);
    // Always: nothing was found indefinite, so nothing is reported.
    s.world.projection = THAW_PROJECT_ALWAYS;
    s.world.halvings = 0;
    world = sample_world(&s);
    thaw_world_set_positions(world, 0, x);
    stats = sample_steps(world, 1);
    assert_int_equal(stats.projected, 0);
    thaw_world_free(&world);
    sample_free(&s);
}

// Under pressure K drives what turns, and so would damping by alpha1 K.
static void damping_takes_energy_from_what_is_pressed_and_turns(void **state) {
    (void)state;
    for (int never = 0; never < 2; never++) {
        Sample s;
        sample_create(&s, 3, 2, THAW_MATERIAL_NEO_HOOKEAN, 1);
        s.world.h = 1e-6;                                   // hardly any time to burst
        s.world.integrator = THAW_INTEGRATOR_SEMI_IMPLICIT; // in a moving frame nothing turns
        s.world.projection = never ? THAW_PROJECT_NEVER : THAW_PROJECT_WHEN_NEEDED;
        s.materials[0].alpha0 = s.materials[1].alpha0 = 0;
        ThawWorld *world = sample_world(&s);
        double x[81], v[81];
        for (int i = 0; i < 27; i++) {
            for (int k = 0; k < 3; k++)
                x[3 * i + k] = 0.9 * s.mesh->x[3 * i + k];
            v[3 * i] = -x[3 * i + 1], v[3 * i + 1] = x[3 * i], v[3 * i + 2] = 0;
        }
        thaw_world_set_positions(world, 0, x);
        thaw_world_set_velocities(world, 0, v);
        ThawStepStats stats = sample_steps(world, 1);
        assert_int_equal(stats.projected, !never);
        assert_true(never ? stats.ledger.damping_loss < 0 : stats.ledger.damping_loss >= 0);
        thaw_world_free(&world);
        sample_free(&s);
    }
}

static void a_step_that_would_multiply_the_energy_is_cut(void **state) {
    (void)state;
    Sample s;
    sample_create(&s, 3, 2, THAW_MATERIAL_STVK, 1);
    s.world.h = 0.05;
    s.world.halvings = 0;
    s.world.integrator = THAW_INTEGRATOR_SEMI_IMPLICIT; // others iterate such a step instead
    double x[81];
    for (int i = 0; i < 81; i++)
        x[i] = 0.5 * s.mesh->x[i];
    ThawWorld *world = sample_world(&s);
    thaw_world_set_positions(world, 0, x);
    ThawError error = {0};
    assert_int_equal(thaw_world_step(world, NULL, &error), THAW_DIVERGED);
    assert_non_null(strstr(error.message, "diverged"));
    thaw_world_free(&world);
    s.world.halvings = 8;
    world = sample_world(&s);
    thaw_world_set_positions(world, 0, x);
    ThawLedger ledger;
    thaw_world_get_ledger(world, &ledger);
    double before = ledger.elastic;
    ThawStepStats stats = sample_steps(world, 1);
    assert_true(stats.substeps > 1);
    assert_true(stats.ledger.elastic + stats.ledger.kinetic < 10 * before);
    thaw_world_free(&world);
    sample_free(&s);
}

// --- scripts ---------------------------------------------------------------------------------------------------------

static void a_released_group_falls(void **state) {
    (void)state;
    Sample s;
    sample_create(&s, 3, 2, THAW_MATERIAL_STVK, 1);
    s.bodies[0].script_count = 1;
    s.scripts[0].group = 6; // all
    s.scripts[0].release = 0.05;
    s.materials[0].alpha0 = s.materials[1].alpha0 = 0;
    s.world.integrator = THAW_INTEGRATOR_SEMI_IMPLICIT;
    ThawWorld *world = sample_world(&s);
    double x[81], start = mean(s.mesh->x, 27, 3, 2);
    ThawStepStats stats = sample_steps(world, 5);
    assert_int_equal(stats.dofs, 0);
    thaw_world_get_positions(world, 0, x);
    assert_memory_equal(x, s.mesh->x, sizeof x); // pins keep the bits
    stats = sample_steps(world, 1);
    assert_int_equal(stats.dofs, 81);
    sample_steps(world, 9);
    thaw_world_get_positions(world, 0, x);
    // Backward Euler's fall in n steps: g h^2 n (n + 1) / 2.
    near_number(mean(x, 27, 3, 2), start - 9.81 * 1e-4 * 55, 1e-7);
    thaw_world_free(&world);
    sample_free(&s);
}

static void a_body_that_is_scripted_as_a_whole_follows_exactly(void **state) {
    (void)state;
    for (int newton = 0; newton < 2; newton++) {
        Sample s;
        sample_create(&s, 2, 2, THAW_MATERIAL_NEO_HOOKEAN, 1);
        s.world.integrator = (ThawIntegrator)newton;
        ThawKey keys[] = {{.time = 0, .rotation = {1, 0, 0, 0}},
                          {.time = 0.1, .translation = {0.5, 0.25}, .rotation = {sqrt(0.5), 0, 0, sqrt(0.5)}}};
        s.bodies[0].script_count = 1;
        s.scripts[0].group = 4; // all
        s.scripts[0].keys = keys;
        s.scripts[0].key_count = 2;
        ThawWorld *world = sample_world(&s);
        ThawStepStats stats = sample_steps(world, 10);
        assert_int_equal(stats.dofs, 0);
        double x[18];
        thaw_world_get_positions(world, 0, x);
        for (int i = 0; i < 9; i++) {
            near_number(x[2 * i], 0.5 - s.mesh->x[2 * i + 1], 1e-13);
            near_number(x[2 * i + 1], 0.25 + s.mesh->x[2 * i], 1e-13);
        }
        near_number(stats.ledger.elastic, 0, 1e-9);
        sample_steps(world, 1);
        thaw_world_get_velocities(world, 0, x);
        for (int i = 0; i < 18; i++)
            near_number(x[i], 0, 1e-12); // it stands after the last key
        thaw_world_free(&world);
        sample_free(&s);
    }
}

// --- static solves ---------------------------------------------------------------------------------------------------

static void a_static_solve_needs_pins(void **state) {
    (void)state;
    Sample s;
    sample_create(&s, 3, 2, THAW_MATERIAL_STABLE_NEO_HOOKEAN, 1);
    ThawWorld *world = sample_world(&s);
    uint64_t hash = thaw_world_hash(world);
    ThawError error = {0};
    ThawStepStats stats = {.step = 77};
    ThawStatus status = thaw_world_solve_static(world, &stats, &error);
    assert_true(status > 0);
    assert_non_null(strstr(error.message, "pins"));
    assert_int_equal(stats.step, 77);
    assert_int_equal(thaw_world_hash(world), hash);
    sample_steps(world, 1); // it still falls
    thaw_world_free(&world);
    s.bodies[0].script_count = 1;
    world = sample_world(&s);
    if (thaw_world_solve_static(world, &stats, &error) != THAW_OK)
        fail_msg("%s", error.message);
    assert_int_equal(thaw_world_step_count(world), 0);
    double x[81], x1[81], v[81];
    thaw_world_get_positions(world, 0, x);
    thaw_world_get_velocities(world, 0, v);
    for (int i = 0; i < 81; i++)
        assert_true(v[i] == 0);
    assert_true(mean(x, 27, 3, 2) < mean(s.mesh->x, 27, 3, 2) - 1e-3);
    // Equilibrium: steps from it stay there.
    sample_steps(world, 20);
    thaw_world_get_positions(world, 0, x1);
    for (int i = 0; i < 81; i++)
        near_number(x[i], x1[i], 1e-6);
    thaw_world_free(&world);
    sample_free(&s);
}

// --- checkpoints -----------------------------------------------------------------------------------------------------

// Solvers of steps and of static solves come and go: none may be taken for one that is gone.
static void a_static_solve_does_not_mind_steps_before_it(void **state) {
    (void)state;
    for (int steps = 0; steps < 12; steps++) {
        Sample s;
        sample_create(&s, 3, 2, THAW_MATERIAL_STABLE_NEO_HOOKEAN, 1);
        s.bodies[0].script_count = 1;
        ThawWorld *world = sample_world(&s);
        ThawError error = {0};
        for (int i = 0; i < steps; i++)
            assert_int_equal(thaw_world_step(world, NULL, &error), THAW_OK);
        if (thaw_world_solve_static(world, NULL, &error) != THAW_OK)
            fail_msg("after %d steps: %s", steps, error.message);
        thaw_world_free(&world);
        sample_free(&s);
    }
}

static void a_loaded_world_continues_with_the_same_bits(void **state) {
    (void)state;
    char path[] = "/tmp/thaw_test_world_XXXXXX";
    close(mkstemp(path));
    for (int newton = 0; newton < 2; newton++) {
        Sample s;
        sample_create(&s, 3, 2, THAW_MATERIAL_STABLE_NEO_HOOKEAN, 1);
        s.world.integrator = (ThawIntegrator)newton;
        s.world.body_count = 2;
        s.bodies[1].spin[0] = 3;
        s.bodies[0].script_count = 1;
        s.scripts[0].release = 0.08; // in the part that is repeated
        ThawWorld *a = sample_world(&s), *b = sample_world(&s);
        ThawError error = {0};
        double f[81] = {1, 2, 3}, x[81], y[81];
        thaw_world_set_forces(a, 1, f);
        sample_steps(a, 5);
        assert_int_equal(thaw_world_save(a, path, &error), THAW_OK);
        sample_steps(b, 2); // whatever it did before is forgotten
        if (thaw_world_load(b, path, &error) != THAW_OK)
            fail_msg("%s", error.message);
        assert_int_equal(thaw_world_step_count(b), 5);
        assert_true(thaw_world_time(b) == thaw_world_time(a));
        assert_int_equal(thaw_world_hash(a), thaw_world_hash(b));
        for (int i = 0; i < 8; i++) {
            ThawStepStats sa = sample_steps(a, 1), sb = sample_steps(b, 1);
            assert_int_equal(sa.state_hash, sb.state_hash);
            assert_memory_equal(&sa.ledger, &sb.ledger, sizeof sa.ledger);
        }
        thaw_world_get_positions(a, 1, x);
        thaw_world_get_positions(b, 1, y);
        assert_memory_equal(x, y, sizeof x);
        thaw_world_free(&a);
        thaw_world_free(&b);
        sample_free(&s);
    }
    unlink(path);
}

static void other_step(Sample *s) { s->world.h = 0.02; }
static void other_density(Sample *s) { s->materials[0].density = 999; }
static void other_young(Sample *s) { s->materials[1].young = 2e5; }
static void other_damping(Sample *s) { s->materials[1].alpha1 = 0.5; }
static void other_model(Sample *s) { s->materials[0].model = THAW_MATERIAL_COROTATIONAL; }
static void other_mesh(Sample *s) { s->mesh->x[4] += 1e-6; }

static void a_checkpoint_serves_a_world_with_more_bodies_but_not_one_with_fewer(void **state) {
    (void)state;
    char path[] = "/tmp/thaw_test_world_XXXXXX";
    close(mkstemp(path));
    Sample s;
    ThawError error = {0};
    sample_create(&s, 3, 1, THAW_MATERIAL_STVK, 1);
    ThawWorld *one = sample_world(&s);
    s.world.body_count = 2;
    ThawWorld *two = sample_world(&s);
    sample_steps(one, 3);
    double *x = calloc(3 * (size_t)thaw_world_vertex_count(one, 0), sizeof *x);
    double *y = calloc(3 * (size_t)thaw_world_vertex_count(one, 0), sizeof *y);
    assert_int_equal(thaw_world_save(one, path, &error), THAW_OK);
    assert_int_equal(thaw_world_load(two, path, &error), THAW_OK);
    thaw_world_get_positions(one, 0, x);
    thaw_world_get_positions(two, 0, y);
    assert_memory_equal(x, y, 3 * sizeof *x * (size_t)thaw_world_vertex_count(one, 0));
    sample_steps(two, 2);
    assert_int_equal(thaw_world_save(two, path, &error), THAW_OK);
    assert_int_equal(thaw_world_load(one, path, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "another world"));
    free(x);
    free(y);
    thaw_world_free(&one);
    thaw_world_free(&two);
    sample_free(&s);
    unlink(path);
}

static void a_checkpoint_of_another_world_is_refused(void **state) {
    (void)state;
    void (*const changes[])(Sample *) = {other_step,    other_density, other_young,
                                         other_damping, other_model,   other_mesh};
    char path[] = "/tmp/thaw_test_world_XXXXXX";
    close(mkstemp(path));
    Sample s;
    sample_create(&s, 3, 1, THAW_MATERIAL_STVK, 1);
    ThawWorld *world = sample_world(&s);
    ThawError error = {0};
    sample_steps(world, 2);
    assert_int_equal(thaw_world_save(world, path, &error), THAW_OK);
    for (int i = 0; i < COUNT(changes); i++) {
        Sample t;
        sample_create(&t, 3, 1, THAW_MATERIAL_STVK, 1);
        changes[i](&t);
        ThawWorld *other = sample_world(&t);
        uint64_t hash = thaw_world_hash(other);
        if (thaw_world_load(other, path, &error) != THAW_ERROR_INPUT)
            fail_msg("change %d was not noticed", i);
        assert_non_null(strstr(error.message, "another world"));
        assert_int_equal(thaw_world_hash(other), hash);
        thaw_world_free(&other);
        sample_free(&t);
    }
    uint64_t hash = thaw_world_hash(world);
    assert_int_equal(thaw_world_load(world, "/tmp/thaw_no_such_file", &error), THAW_ERROR_IO);
    assert_int_equal(truncate(path, 100), 0);
    assert_int_equal(thaw_world_load(world, path, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_hash(world), hash);
    assert_int_equal(thaw_world_save(world, "/tmp/thaw_no_such_folder/x", &error), THAW_ERROR_IO);
    thaw_world_free(&world);
    sample_free(&s);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_arguments_are_refused_everywhere),
        cmocka_unit_test(a_step_may_go_unwatched),
        cmocka_unit_test(statistics_count_what_was_solved),
        cmocka_unit_test(the_meshs_own_numbers_go_in_and_come_out),
        cmocka_unit_test(forces_set_from_outside_act_until_taken_away),
        cmocka_unit_test(a_failing_step_leaves_the_state_untouched),
        cmocka_unit_test(a_violent_step_is_halved_and_says_so),
        cmocka_unit_test(strong_compression_is_projected_and_says_so),
        cmocka_unit_test(damping_takes_energy_from_what_is_pressed_and_turns),
        cmocka_unit_test(a_step_that_would_multiply_the_energy_is_cut),
        cmocka_unit_test(a_released_group_falls),
        cmocka_unit_test(a_body_that_is_scripted_as_a_whole_follows_exactly),
        cmocka_unit_test(a_static_solve_needs_pins),
        cmocka_unit_test(a_static_solve_does_not_mind_steps_before_it),
        cmocka_unit_test(a_loaded_world_continues_with_the_same_bits),
        cmocka_unit_test(a_checkpoint_of_another_world_is_refused),
        cmocka_unit_test(a_checkpoint_serves_a_world_with_more_bodies_but_not_one_with_fewer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
