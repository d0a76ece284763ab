// SPDX-License-Identifier: Apache-2.0
// What a body has gained is taken off motion that carries no momentum, to the joule; and swings, falls and thaws gain
// nothing.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/vec3.h"
#include "method/rigidify/passive.h"
#include "method/rigidify/rigidify.h"
#include "support/world.h"
#include "thaw/thaw.h"

// A bar that flies, spins and vibrates, with elastic elements and parts.
static ThawWorld *flying_bar(void) {
    const char *text =
        "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.005},"
        "\"rigidify\": {\"tau_rigid\": 1e-3, \"epsilon\": 1e-2, \"horizon\": 1},"
        "\"materials\": {\"foam\": {\"young\": 2e5, \"poisson\": 0.3, \"density\": 20, \"alpha1\": 0.003}},"
        "\"shapes\": {\"bar\": {\"mesh\": {\"box\": {\"min\": [-1, -0.3, -0.2], \"max\": [1, 0.3, 0.2],"
        "\"cells\": [12, 4, 3]}}, \"material\": \"foam\"}},"
        "\"bodies\": [{\"shape\": \"bar\", \"method\": \"rigidify\", \"velocity\": [0, 0, 1], "
        "\"forces\": [{\"group\": \"x-max\", \"acceleration\": [0, 20, 60], \"from\": 0, \"to\": 0.1}]}]}";
    ThawWorld *world = make_world(text, 1);
    ThawStepStats stats = {0};
    for (int i = 0; i < 400; i++) {
        stats = run_world(world, 1);
        const ThawPartition *parts = thaw_rigidify(&world->steppers[0])->partition;
        if (stats.ledger.shadow > 0 && parts->part_count > 0 && parts->elastic_count > 0)
            return world;
    }
    fail_msg("never partly rigid in motion");
    return NULL;
}

// Momenta of vertices and parts, and their kinetic energy.
static void measure(const ThawStepper *s, double P[3], double L[3], double *energy) {
    const ThawPartition *parts = thaw_rigidify(s)->partition;
    ThawLedger ledger = {0};
    memset(P, 0, 3 * sizeof *P);
    memset(L, 0, 3 * sizeof *L);
    for (int32_t i = 0; i < s->shape->nv; i++) {
        double p[3], turn[3];
        for (int k = 0; k < 3; k++)
            p[k] = parts->part_of_vertex[i] < 0 ? s->shape->mass[i] * s->v[3 * i + k] : 0;
        thaw_v3_cross(s->x + (size_t)3 * (size_t)i, p, turn);
        for (int k = 0; k < 3; k++) {
            P[k] += p[k];
            L[k] += turn[k];
        }
    }
    for (int32_t m = 0; m < parts->part_count; m++) {
        double turn[3];
        thaw_v3_cross(parts->parts[m].p, parts->parts[m].P, turn);
        for (int k = 0; k < 3; k++) {
            P[k] += parts->parts[m].P[k];
            L[k] += turn[k] + parts->parts[m].L[k];
        }
    }
    thaw_ledger_add_energies(s, 0, &ledger);
    *energy = ledger.kinetic + ledger.shadow;
}

static void what_was_gained_is_taken_off_without_momentum(void **state) {
    (void)state;
    const double shares[] = {0.3, 2, 100}; // of the shadow's energy: it has that, elastic vertices have it, nothing has
    for (int i = 0; i < 3; i++) {
        ThawWorld *world = flying_bar();
        ThawStepper *s = &world->steppers[0];
        ThawOracleState *oracle = thaw_oracle_state(thaw_rigidify(s)->oracle);
        double P[2][3], L[2][3], energy[2], off = 0, size = 0;
        const double gain = shares[i] * oracle->energy, loss = s->work.transition_loss;
        assert_true(oracle->energy > 0 && oracle->gained == 0);
        measure(s, P[0], L[0], &energy[0]);
        s->work.follow_work += gain;
        thaw_passive_settle(s);
        measure(s, P[1], L[1], &energy[1]);
        const double taken = energy[0] - energy[1];
        for (int k = 0; k < 3; k++) {
            off = fmax(off, fmax(fabs(P[1][k] - P[0][k]), fabs(L[1][k] - L[0][k])));
            size = fmax(size, fmax(fabs(P[0][k]), fabs(L[0][k])));
        }
        print_message("gained %.3g J: taken %.3g, owed %.3g; momenta off by %.1e of %.2g\n", gain, taken,
                      oracle->gained, off, size);
        assert_true(off < 1e-12 * size);
        assert_true(fabs(taken + oracle->gained - gain) < 1e-9 * energy[0]);
        assert_true(fabs(s->work.transition_loss - loss - taken) < 1e-9 * energy[0]);
        assert_true(i == 2 ? oracle->gained > 0 : oracle->gained < 1e-12 * energy[0]);
        thaw_world_free(&world);
    }
}

// Value of what is held, less all work done on it, over a run: how far it rises above its lowest, as a share of the
// largest energy. By two books, of which the better counts: by the work of contacts on bodies, and by what obstacles do
// and the springs of contacts hold.
static double rise_of(ThawWorld *world, int steps) {
    double lowest[2] = {INFINITY, INFINITY}, largest = 0, rise = 0, ground = NAN;
    for (int i = 0; i < steps; i++) {
        ThawLedger l = run_world(world, 1).ledger;
        const double held = l.kinetic + l.shadow + l.elastic;
        const double own = held + l.gravitational - l.external_work - l.parting_work;
        const double value[2] = {own - l.contact_work, own + l.contact_energy - l.obstacle_work};
        double least = INFINITY;
        for (int k = 0; k < 2; k++) {
            lowest[k] = fmin(lowest[k], value[k]);
            least = fmin(least, value[k] - lowest[k]);
        }
        ground = isnan(ground) ? l.gravitational : ground;
        largest = fmax(largest, held + fabs(l.gravitational - ground));
        rise = fmax(rise, least);
    }
    thaw_world_free(&world);
    return rise / largest;
}

// Each of them gained energy when nothing was taken: by 5e-3, 7e-5 and 3e-3 of what it had.
static void what_swings_thaws_or_rests_on_something_gains_nothing(void **state) {
    (void)state;
    static const char *const scenes[] = {
        // a large box that is set down at long steps, slides, and breathes on the floor as one part
        "{\"thaw\": 1, \"gravity\": [4.40332543, 0, -8.76623209], \"time\": {\"step\": 0.0118255756%s},"
        "\"materials\": {\"m\": {\"density\": 4829.66943, \"young\": 2.57696084e9, \"poisson\": 0.381128396, "
        "\"alpha0\": 0.0280993405}}, \"shapes\": {\"s\": {\"mesh\": {\"box\": {\"min\": [-24.4132654, -18.7552129, "
        "-19.817902], \"max\": [24.4132654, 18.7552129, 19.817902], \"cells\": [3, 2, 2]}}, \"material\": \"m\"}},"
        "\"bodies\": [{\"shape\": \"s\", \"method\": \"rigidify\", \"position\": [8.99601124, 3.62340712, 19.8241258],"
        "\"friction\": 0.948837477}], \"obstacles\": [{\"plane\": {}, \"friction\": 0.912084157}],"
        "\"contact\": {\"tangent\": 0}}",
        // one that swings from a pin onto the floor, wholly rigid
        "{\"thaw\": 1, \"time\": {\"step\": 0.007%s}, \"materials\": {\"cork\": {\"young\": 3e7, \"poisson\": 0.1, "
        "\"density\": 200}}, \"shapes\": {\"box\": {\"mesh\": {\"box\": {\"min\": [-0.5, -0.5, -0.5], \"max\": [0.5, "
        "0.5, 0.5], \"cells\": [3, 3, 3]}}, \"material\": \"cork\", \"groups\": {\"corner\": {\"nearest\": [-0.5, 0, "
        "0.5]}}}}, \"bodies\": [{\"shape\": \"box\", \"method\": \"rigidify\", \"position\": [0, 0, 0.8], "
        "\"rotation\": "
        "{\"axis\": [0, 1, 0], \"degrees\": 40}, \"pins\": [\"corner\"]}],"
        "\"obstacles\": [{\"plane\": {}, \"friction\": 0.5}]}",
        // a hard ball that rolls off a soft bar, spins, and thaws as it hits the floor: one linearisation inflates it
        "{\"thaw\": 1, \"dimension\": 2, \"gravity\": [17.4902366, -98.4585782], \"time\": {\"step\": "
        "0.000216200165%s},"
        "\"materials\": {\"m0\": {\"density\": 2247.92446, \"young\": 623125.075, \"poisson\": 0.152300615, "
        "\"alpha1\": "
        "0.180507475}, \"m1\": {\"density\": 746.868266, \"young\": 101818523, \"poisson\": 0.31727081, \"alpha1\": "
        "0.00113395999, \"damping\": \"viscous\"}}, \"shapes\": {\"s0\": {\"mesh\": {\"box\": {\"min\": "
        "[-0.00813743797, "
        "-0.00139157946], \"max\": [0.00813743797, 0.00139157946], \"cells\": [12, 2]}}, \"material\": \"m0\"}, "
        "\"s1\": "
        "{\"mesh\": {\"solid\": {\"sphere\": {\"radius\": 0.00807357795}}, \"elements\": 33}, \"material\": \"m1\"}},"
        "\"bodies\": [{\"shape\": \"s0\", \"method\": \"rigidify\", \"position\": [5.17365898e-05, 0.00139157946], "
        "\"forces\": [{\"group\": \"all\", \"total\": [-1.20329809, 3.6734408], \"from\": 0.0508439434, \"ramp\": "
        "0.00710849072}], \"friction\": 0.587323392}, {\"shape\": \"s1\", \"method\": \"rigidify\", \"position\": "
        "[-0.00186385706, 0.0118426562], \"rotation\": {\"degrees\": -7.50969926}, \"velocity\": [-0.0612545885, "
        "-0.0642947132], \"friction\": 0.626890891}], \"obstacles\": [{\"plane\": {\"normal\": [0, 1]}, \"friction\": "
        "0.651975823}]}"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        for (int k = 0; k < 2; k++) {
            char text[3000];
            const char *at = strstr(scenes[i], "%s");
            snprintf(text, sizeof text, "%.*s%s%s", (int)(at - scenes[i]), scenes[i],
                     k ? "" : ", \"integrator\": \"semi-implicit\"", at + 2);
            const double rise = rise_of(make_world(text, 1), 300);
            print_message("scene %d, %s: energy rises by %.1e\n", (int)i, k ? "euler" : "semi-implicit", rise);
            // What is struck in moving frames is not looked at more closely than that yet (docs/motion.md).
            assert_true(rise < (k && i == 2 ? 3e-5 : 1e-6));
        }
    }
}

// A stiff beam that swings by little: what rounding makes of its elastic energy is no gain. It stopped dead when it
// counted.
static void rounding_is_no_gain(void **state) {
    (void)state;
    const char *text =
        "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 5e-4}, \"rigidify\": {\"tau_rigid\": 1e-14, "
        "\"epsilon\": 1e-9}, \"materials\": {\"steel\": {\"model\": \"neo-hookean\", \"young\": 2e11, \"poisson\": "
        "0.3, "
        "\"density\": 7800}}, \"shapes\": {\"beam\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [2, 0.1, 0.1], "
        "\"cells\": [20, 2, 2]}}, \"material\": \"steel\"}}, \"bodies\": [{\"shape\": \"beam\", \"pins\": [\"x-min\"], "
        "\"forces\": [{\"group\": \"x-max\", \"acceleration\": [0, 0, 0.02], \"from\": 0, \"to\": 0.05}]}]}";
    ThawWorld *full = make_world_by(text, "full", 1), *rigid = make_world_by(text, "rigidify", 1);
    double largest[2] = {0};
    for (int i = 0; i < 200; i++) {
        ThawStepStats stats[2] = {run_world(full, 1), run_world(rigid, 1)};
        for (int k = 0; k < 2 && i >= 110; k++)
            largest[k] = fmax(largest[k], stats[k].ledger.kinetic + stats[k].ledger.shadow);
    }
    print_message("kinetic energy from step 110 on: %.3g J, by full %.3g J\n", largest[1], largest[0]);
    assert_true(largest[1] > 0.5 * largest[0]);
    thaw_world_free(&full);
    thaw_world_free(&rigid);
}

// The ledger is a report: whether it is asked for changes no bit, and without it no work is booked.
static void bits_do_not_depend_on_the_ledger(void **state) {
    (void)state;
    ThawWorld *world[2];
    for (int k = 0; k < 2; k++) {
        ThawScene *scene = NULL;
        ThawError error = {0};
        if (thaw_scene_load(THAW_SOURCE_DIR "/scenes/stack.json", &scene, &error) != THAW_OK)
            fail_msg("%s", error.message);
        scene->world.ledger = k;
        for (int32_t i = 0; i < scene->world.body_count; i++)
            assert_non_null(scene->world.bodies[i].method);
        assert_int_equal(thaw_world_create(&scene->world, &world[k], &error), THAW_OK);
        assert_int_equal(thaw_world_set_method(world[k], -1, "rigidify", &error), THAW_OK);
        thaw_scene_free(&scene);
    }
    for (int i = 0; i < 150; i++) {
        assert_int_equal(run_world(world[0], 1).state_hash, run_world(world[1], 1).state_hash);
        if (i == 70)
            for (int k = 0; k < 2; k++)
                assert_int_equal(thaw_world_wake(world[k], -1), THAW_OK);
    }
    ThawLedger ledger;
    assert_int_equal(thaw_world_get_ledger(world[0], &ledger), THAW_OK);
    assert_true(ledger.follow_work == 0 && ledger.transition_loss == 0 && ledger.contact_work == 0);
    thaw_world_free(&world[0]);
    thaw_world_free(&world[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_gained_is_taken_off_without_momentum),
        cmocka_unit_test(what_swings_thaws_or_rests_on_something_gains_nothing),
        cmocka_unit_test(rounding_is_no_gain),
        cmocka_unit_test(bits_do_not_depend_on_the_ledger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
