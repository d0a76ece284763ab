// SPDX-License-Identifier: Apache-2.0
// A body in flight is one rigid part, followed by strides. When it is hit it has to feel that in the same step,
// whatever its thresholds: struck as a rigid body it would stop as a whole, at once.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "method/rigidify/rigidify.h"
#include "support/folder.h"
#include "support/world.h"
#include "thaw/thaw.h"

// The wheel of scenes/wheel.json by fewer elements. Steps are so short that it is near the floor steps before it
// touches it.
#define WHEEL(thresholds)                                                                                              \
    "{\"thaw\": 1, \"gravity\": [0, 0, -9.8], \"time\": {\"step\": 0.001}, \"rigidify\": {" thresholds                 \
    ", \"horizon\": 1}, \"contact\": {\"erp\": 0.2, \"cfm\": 0.1, \"friction\": \"box\", \"tolerance\": 1e-4},"        \
    "\"materials\": {\"tyre\": {\"density\": 3, \"young\": 3e3, \"poisson\": 0.3, \"alpha1\": 0.05, \"damping\": "     \
    "\"viscous\"}, \"hub\": {\"density\": 10, \"young\": 1e6, \"poisson\": 0.4, \"alpha1\": 0.01, \"damping\": "       \
    "\"viscous\"}}, \"shapes\": {\"wheel\": {\"mesh\": {\"solid\": \"" THAW_SOURCE_DIR "/scenes/shapes/wheel.json\", " \
    "\"elements\": 2000}, \"material\": \"tyre\", \"regions\": {\"hub\": \"hub\"}}},"                                  \
    "\"bodies\": [{\"shape\": \"wheel\", \"position\": [0, 0, 1.02], \"velocity\": [1, 0, 0], \"spin\": [0, 2, 0]}],"  \
    "\"obstacles\": [{\"name\": \"floor\", \"plane\": {}}]}"

static void feels_the_floor(const char *text) {
    ThawWorld *full = make_world_by(text, "full", 1), *rigid = make_world_by(text, "rigidify", 1);
    ThawStepStats stats[2];
    double worst = 0;
    int hit = -1;
    int64_t before = 0, elastic = 0;
    for (int i = 0; i < 100; i++) {
        before = hit < 0 ? elastic : before;
        step_world(full, &stats[0]);
        step_world(rigid, &stats[1]);
        elastic = hit < 0 ? stats[1].elastic_elements : elastic;
        hit = hit < 0 && stats[0].ledger.contact_work != 0 ? i : hit;
        worst = fmax(worst, worlds_apart(full, rigid, 0));
    }
    print_message("hits the floor in step %d: %lld elements elastic, %lld before; off by %.1e m at most\n", hit,
                  (long long)elastic, (long long)before, worst);
    assert_true(hit > 30 && before == 0 && elastic > 0);
    assert_true(worst < 2e-3); // struck as a rigid body, 1e-2
    thaw_world_free(&full);
    thaw_world_free(&rigid);
}

static void a_body_in_flight_feels_the_floor_in_the_step_in_which_it_hits_it(void **state) {
    (void)state;
    feels_the_floor(WHEEL("\"tau_rigid\": 1e-3, \"epsilon\": 7e-3"));
    feels_the_floor(WHEEL("\"tau_rigid\": 1e-2, \"epsilon\": 2e-2"));
}

// A plate of 1 GPa, through which waves go a hundred times in a step, hits the floor with a corner. Its strains stay
// far below epsilon, and yet the blow is another one for whoever takes it as a rigid body.
static void what_is_stiff_feels_a_blow_as_a_whole(void **state) {
    (void)state;
    static const char text[] =
        "{\"thaw\": 1, \"dimension\": 2, \"gravity\": [0, 0], \"time\": {\"step\": 0.01}, \"contact\": {\"stiffness\": "
        "\"hard\"}, \"materials\": {\"m\": {\"young\": 1e9, \"density\": 1000, \"poisson\": 0.3}}, \"shapes\": "
        "{\"plate\": "
        "{\"mesh\": {\"box\": {\"min\": [-0.5, -0.25], \"max\": [0.5, 0.25], \"cells\": [8, 4]}}, \"material\": "
        "\"m\"}}, "
        "\"bodies\": [{\"shape\": \"plate\", \"position\": [0, 0.6], \"rotation\": {\"degrees\": 20}, \"velocity\": "
        "[0, -0.5]}], \"obstacles\": [{\"plane\": {\"normal\": [0, 1]}}]}";
    ThawWorld *full = make_world_by(text, "full", 1), *rigid = make_world_by(text, "rigidify", 1);
    ThawStepStats stats[2];
    double worst = 0;
    int64_t before = -1, woken = 0;
    for (int i = 0; i < 200; i++) {
        step_world(full, &stats[0]);
        step_world(rigid, &stats[1]);
        if (woken == 0 && stats[1].woken > 0) {
            woken = stats[1].woken;
            assert_true(stats[0].ledger.contact_work != 0);
        } else if (woken == 0)
            before = stats[1].elastic_elements;
        worst = fmax(worst, worlds_apart(full, rigid, 0));
    }
    print_message("%lld elastic, then hit: %lld wake; off by %.1e m at most\n", (long long)before, (long long)woken,
                  worst);
    assert_int_equal(before, 0);
    assert_int_equal(woken, 64);
    assert_true(worst < 0.02); // hit as a rigid body 0.1
    thaw_world_free(&full);
    thaw_world_free(&rigid);
}

// A beam, held at one end, whose other end a script moves slowly: it is elastic there for ever, and answers about the
// rest of it stand for many steps. And a ball for it.
#define MOVED(gravity, height)                                                                                         \
    "{\"thaw\": 1, \"gravity\": [0, 0, " gravity "], \"time\": {\"step\": 0.002},"                                     \
    "\"rigidify\": {\"tau_rigid\": 1e-5, \"epsilon\": 5e-4, \"horizon\": 1},"                                          \
    "\"materials\": {\"stiff\": {\"young\": 4e7, \"poisson\": 0.35, \"density\": 30, \"alpha1\": 0.039},"              \
    "\"soft\": {\"young\": 1e7, \"poisson\": 0.35, \"density\": 500, \"alpha1\": 0.002}},"                             \
    "\"shapes\": {\"beam\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [6, 1, 1], \"cells\": [24, 4, 4]}}, "   \
    "\"material\": \"stiff\"},"                                                                                        \
    "\"ball\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.8, 0.8, 0.8], \"cells\": [3, 3, 3]}}, "           \
    "\"material\": \"soft\"}},"                                                                                        \
    "\"bodies\": [{\"shape\": \"beam\", \"method\": \"rigidify\", \"pins\": [\"x-min\"], \"scripts\": ["               \
    "{\"group\": \"x-max\", \"keys\": [{\"time\": 0}, {\"time\": 10, \"translation\": [0, 0.02, 0]}]}]},"              \
    "{\"shape\": \"ball\", \"position\": [1.1, 0.1, " height "], \"method\": \"full\"}]}"

// Throws the ball, body 1, at the beam: its lowest vertices get `gap` m above z = 1, coming down at `speed` m/s.
static void throw_ball(ThawWorld *world, double gap, double speed) {
    double x[192], v[192], low = INFINITY;
    int32_t count = thaw_world_vertex_count(world, 1);
    assert_int_equal(count, 64);
    thaw_world_get_positions(world, 1, x);
    for (int32_t i = 0; i < count; i++)
        low = fmin(low, x[3 * i + 2]);
    for (int32_t i = 0; i < count; i++) {
        x[3 * i + 2] += 1 + gap - low;
        v[3 * i] = v[3 * i + 1] = 0;
        v[3 * i + 2] = -speed;
    }
    assert_int_equal(thaw_world_set_positions(world, 1, x), THAW_OK);
    assert_int_equal(thaw_world_set_velocities(world, 1, v), THAW_OK);
}

// m/s, downwards, of the slowest vertex of the ball.
static double ball_falls(const ThawWorld *world) {
    double v[192], least = INFINITY;
    thaw_world_get_velocities(world, 1, v);
    for (int i = 0; i < 64; i++)
        least = fmin(least, -v[3 * i + 2]);
    return least;
}

static void a_blow_is_felt_in_its_step_also_while_an_answer_stands_for_long(void **state) {
    (void)state;
    ThawWorld *full = make_world_by(MOVED("0", "4"), "full", 1), *rigid = make_world(MOVED("0", "4"), 1);
    const ThawOracleState *oracle;
    ThawStepStats stats[2];
    int steps = 0, hit[2] = {-1, -1}, woken = 0, asked = 0;
    do { // until an answer has just been given that is to stand for long
        step_world(full, &stats[0]);
        step_world(rigid, &stats[1]);
        oracle = thaw_oracle_state(thaw_rigidify(&rigid->steppers[0])->oracle);
    } while (++steps < 200 && !(oracle->pause >= 10 && oracle->since == 0 && stats[1].elastic_elements < 1000));
    assert_true(steps < 200);
    int64_t before = stats[1].elastic_elements;
    const double speed = 2, h = 0.002;
    throw_ball(full, 3.5 * h * speed, speed);
    throw_ball(rigid, 3.5 * h * speed, speed);
    double worst = 0, away = worlds_apart(full, rigid, 0);
    for (int i = 0; i < 60; i++) {
        asked += hit[0] < 0 && oracle->since == 0 && i > 0;
        step_world(full, &stats[0]);
        step_world(rigid, &stats[1]);
        const ThawWorld *worlds[] = {full, rigid};
        for (int k = 0; k < 2; k++)
            if (hit[k] < 0 && ball_falls(worlds[k]) < 0.9 * speed)
                hit[k] = i;
        woken = hit[0] == i ? (int)stats[1].woken : woken;
        worst = fmax(worst, fmax(worlds_apart(full, rigid, 0), worlds_apart(full, rigid, 1)));
    }
    print_message(
        "thrown in step %d (%lld elements elastic, %.1e m apart), hits %d and %d steps later: %d wake; off by "
        "%.1e m at most\n",
        steps, (long long)before, away, hit[0], hit[1], woken, worst);
    assert_int_equal(asked, 0); // nothing else has ended the pause
    assert_true(hit[0] > 1 && hit[0] < 9 && hit[1] == hit[0] && woken > 0);
    assert_true(worst < 1e-3);
    thaw_world_free(&full);
    thaw_world_free(&rigid);
}

static int has_an_answer_that_stands(const ThawWorld *world, const ThawStepStats *stats) {
    const ThawOracleState *oracle = thaw_oracle_state(thaw_rigidify(&world->steppers[0])->oracle);
    return oracle->pause > 3 && oracle->since > 0 && stats->elastic_elements > 0 && stats->contacts > 0;
}

static void bits_do_not_depend_on_threads_or_on_a_checkpoint_while_an_answer_stands(void **state) {
    (void)state;
    const char *text = MOVED("-9.8", "1.01"); // the ball lies on the beam
    assert_true(bits_across_checkpoints(text, 400, at("strike.ckpt"), has_an_answer_that_stands) > 3);
}

static void a_checkpoint_with_an_energy_or_a_mode_that_cannot_be_is_refused(void **state) {
    (void)state;
    const char *text = MOVED("-9.8", "1.01"), *path = at("wrong.ckpt");
    ThawWorld *world = make_world(text, 1), *other = make_world(text, 1);
    ThawOracleState *oracle = thaw_oracle_state(thaw_rigidify(&world->steppers[0])->oracle);
    ThawError error = {0};
    for (int i = 0; i < 3; i++) {
        ThawOracleState before = *oracle;
        oracle->energy = i == 0 ? NAN : oracle->energy;
        oracle->margin = i == 1 ? INFINITY : oracle->margin;
        oracle->moving = i == 2 ? 99 : oracle->moving;
        assert_int_equal(thaw_world_save(world, path, &error), THAW_OK);
        assert_int_equal(thaw_world_load(other, path, &error), THAW_ERROR_INPUT);
        static const char *const said[] = {"of its energy is nan; allowed: 0 to 1e150", "of its margin is inf",
                                           "of its moving is 99; allowed: 0 to 4"};
        assert_non_null(strstr(error.message, said[i]));
        *oracle = before;
    }
    assert_int_equal(thaw_world_save(world, path, &error), THAW_OK);
    assert_int_equal(thaw_world_load(other, path, &error), THAW_OK);
    remove(path);
    thaw_world_free(&world);
    thaw_world_free(&other);
}

static void a_checkpoint_with_numbers_that_are_not_finite_is_refused(void **state) {
    (void)state;
    const char *text = MOVED("-9.8", "1.01"), *path = at("infinite.ckpt");
    ThawWorld *world = make_world(text, 1), *other = make_world(text, 1);
    ThawOracleState *oracle = thaw_oracle_state(thaw_rigidify(&world->steppers[0])->oracle);
    ThawPartition *partition = thaw_rigidify(&world->steppers[0])->partition;
    ThawStepStats stats;
    ThawError error = {0};
    for (int i = 0; i < 400 && partition->part_count == 0; i++)
        step_world(world, &stats);
    assert_true(partition->part_count > 0);
    struct {
        const char *name;
        double *number;
    } wrong[] = {{"its shadow_accel", oracle->shadow_accel},
                 {"its shadow", oracle->shadow},
                 {"its stress", partition->stress[0][1]},
                 {"its part_angular", partition->parts[0].L},
                 {"its r is", partition->r},
                 {"its loads", oracle->loads}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        double right = *wrong[i].number;
        *wrong[i].number = i % 2 ? INFINITY : NAN;
        assert_int_equal(thaw_world_save(world, path, &error), THAW_OK);
        assert_int_equal(thaw_world_load(other, path, &error), THAW_ERROR_INPUT);
        assert_non_null(strstr(error.message, wrong[i].name));
        *wrong[i].number = right;
    }
    assert_int_equal(thaw_world_save(world, path, &error), THAW_OK);
    assert_int_equal(thaw_world_load(other, path, &error), THAW_OK);
    assert_int_equal(thaw_world_hash(other), thaw_world_hash(world));
    remove(path);
    thaw_world_free(&world);
    thaw_world_free(&other);
}

// A ball of 0.3 to 3 GPa falls onto a floor, at 1 to 8 m/s: about ten parts of a step are a blow. At y, in m.
static ThawWorld *make_falling(const char *method, const char *integrator, double young, double speed, double y) {
    char text[1000];
    snprintf(text, sizeof text,
             "{\"thaw\": 1, \"dimension\": 2, \"gravity\": [0, -10], \"time\": {\"step\": 0.004, \"integrator\": "
             "\"%s\", \"substeps\": 32}, \"materials\": {\"m\": {\"young\": %.17g, \"density\": 1000, \"poisson\": "
             "0.3}}, \"shapes\": {\"ball\": {\"mesh\": {\"solid\": {\"sphere\": {\"radius\": 1}}, \"elements\": 60}, "
             "\"material\": \"m\"}}, \"bodies\": [{\"shape\": \"ball\", \"position\": [0, %.17g], \"velocity\": "
             "[0, %.17g]}], \"obstacles\": [{\"plane\": {\"normal\": [0, 1]}}]}",
             integrator, young, y, -speed);
    return make_world_by(text, method, 1);
}

static double lowest(const ThawWorld *world) {
    double low = INFINITY;
    for (int32_t i = 0; i < world->model->vertex_count; i++)
        low = fmin(low, world->state.x[2 * i + 1]);
    return low;
}

// One step ends with a touch, which is no blow and carries something; the next begins with it, and is the blow. That
// the contact carries something does not keep the blow from being felt: a ball that meets it as one part stops dead.
static void a_blow_is_felt_by_what_touched_in_the_step_before(void **state) {
    (void)state;
    enum { STEPS = 40 };
    uint32_t seed = 1;
    for (int i = 0; i < 12; i++) {
        double share[3];
        for (int k = 0; k < 3; k++)
            share[k] = (double)((seed = seed * 1664525u + 1013904223u) >> 8) / 16777216;
        const char *integrator = i % 3 == 2 ? "tr-bdf2" : "euler";
        const double young = 3e8 * pow(10, share[0]), speed = 1 + 7 * share[1], h = 0.004;
        ThawWorld *high = make_falling("rigidify", integrator, young, speed, 100);
        ThawStepStats stats[2] = {{0}};
        run_world(high, STEPS);
        const double y = 100 - lowest(high) - (0.05 + 0.4 * share[2]) * 10 * h * h; // gravity closes it
        thaw_world_free(&high);
        ThawWorld *world[2] = {make_falling("full", integrator, young, speed, y),
                               make_falling("rigidify", integrator, young, speed, y)};
        for (int k = 0; k < 2; k++) {
            stats[k] = run_world(world[k], STEPS);
            assert_true(stats[k].contacts > 0 && stats[k].substeps == 1 && stats[k].ledger.contact_work != 0);
        }
        const double before = stats[1].ledger.kinetic;
        const int64_t elastic = stats[1].elastic_elements;
        for (int k = 0; k < 2; k++) {
            stats[k] = run_world(world[k], 1);
            assert_true(stats[k].substeps > 4);
            stats[k] = run_world(world[k], 9);
        }
        const double kept[2] = {stats[0].ledger.kinetic / before, stats[1].ledger.kinetic / before};
        print_message(
            "%s, %.1e Pa, %.1f m/s: touches with %lld elements elastic; keeps %.3f of its energy, by full %.3f\n",
            integrator, young, speed, (long long)elastic, kept[1], kept[0]);
        assert_int_equal(elastic, 0);
        assert_true(fabs(kept[1] - kept[0]) < 0.01);
        thaw_world_free(&world[0]);
        thaw_world_free(&world[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_in_flight_feels_the_floor_in_the_step_in_which_it_hits_it),
        cmocka_unit_test(what_is_stiff_feels_a_blow_as_a_whole),
        cmocka_unit_test(a_blow_is_felt_in_its_step_also_while_an_answer_stands_for_long),
        cmocka_unit_test(a_blow_is_felt_by_what_touched_in_the_step_before),
        cmocka_unit_test(bits_do_not_depend_on_threads_or_on_a_checkpoint_while_an_answer_stands),
        cmocka_unit_test(a_checkpoint_with_an_energy_or_a_mode_that_cannot_be_is_refused),
        cmocka_unit_test(a_checkpoint_with_numbers_that_are_not_finite_is_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
