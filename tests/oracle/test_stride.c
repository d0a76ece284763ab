// SPDX-License-Identifier: Apache-2.0
// A body that swings, partly elastic, is followed by strides: it is asked now and then, moves in every step, and
// neither gains nor loses by it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "method/rigidify/rigidify.h"
#include "support/repeats.h"
#include "support/world.h"
#include "thaw/thaw.h"

// 2.2 s a swing; underdamped.
static void write_beam(double push, char text[1500]) {
    snprintf(
        text, 1500,
        "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.01, \"substeps\": 0},"
        "\"rigidify\": {\"tau_rigid\": 1e-5, \"epsilon\": 3e-3, \"horizon\": 1},"
        "\"materials\": {\"foam\": {\"young\": 5e3, \"poisson\": 0.35, \"density\": 10, \"alpha1\": 0.01}},"
        "\"shapes\": {\"beam\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [3, 1, 1], \"cells\": [9, 3, "
        "3]}}, \"material\": \"foam\"}}, \"bodies\": [{\"shape\": \"beam\", \"method\": \"rigidify\", \"pins\": "
        "[\"x-min\"], \"forces\": [{\"group\": \"all\", \"acceleration\": [0, 0, %g], \"from\": 0, \"to\": 0.1}]}]}",
        push);
}

// Whether the last step was made without a question, beside elastic elements.
static int strode(const ThawWorld *world) {
    const ThawRigidifyData *a = world->steppers[0].data;
    return a->partition->part_count > 0 && a->partition->elastic_count > 0 && a->answer.followed && !a->answer.asked;
}

// The vertex that is farthest from the pins.
static size_t tip_of(const ThawShape *shape) {
    size_t tip = 0;
    for (size_t i = 1; i < (size_t)shape->nv; i++)
        tip = shape->X[3 * i] > shape->X[3 * tip] ? i : tip;
    return tip;
}

static void what_swings_beside_elastic_elements_goes_by_strides_and_keeps_its_energy(void **state) {
    (void)state;
    for (double push = 0.36; push < 0.75; push += 0.12) {
        char text[1500];
        write_beam(push, text);
        ThawWorld *full = make_world_by(text, "full", 1), *rigid = make_world(text, 1);
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, size = 0, least = INFINITY, risen = 0;
        double worst = 0;
        int strides = 0, mixed = 0;
        for (int i = 0; i < 800; i++) {
            ThawStepStats stats[2];
            step_world(full, &stats[0]);
            step_world(rigid, &stats[1]);
            const ThawPartition *parts = thaw_rigidify(&rigid->steppers[0])->partition;
            const ThawLedger *now = &stats[1].ledger;
            size = fmax(size, now->kinetic + now->elastic);
            double own = now->kinetic + now->shadow + now->elastic - now->external_work;
            least = fmin(least, own);
            risen = fmax(risen, own - least);
            strides += strode(rigid);
            mixed += parts->part_count > 0 && parts->elastic_count > 0;
            worst = fmax(worst, worlds_apart(full, rigid, 0));
            for (int k = 0; k < 2 && i >= 400; k++) {
                const ThawStepper *s = &(k == 0 ? full : rigid)->steppers[0];
                double tip = s->x[3 * tip_of(s->shape) + 2];
                low[k] = fmin(low[k], tip);
                high[k] = fmax(high[k], tip);
            }
        }
        double reach = high[0] - low[0], share = (high[1] - low[1]) / reach;
        print_message(
            "push %.2f: %d of %d steps beside elastic elements without a question; swings by %.3f of the full "
            "run, off by %.3f of it; energy risen by %.1e\n",
            push, strides, mixed, share, worst / reach, risen / size);
        assert_true(strides > mixed / 3);
        assert_true(fabs(share - 1) < 0.03 && worst < 0.06 * reach); // in every step, before: 0.06 and 0.13
        assert_true(risen < 1e-8 * size);
        thaw_world_free(&full);
        thaw_world_free(&rigid);
    }
}

static int is_within_a_stride(const ThawWorld *world, const ThawStepStats *stats) {
    (void)stats;
    return strode(world) && thaw_oracle_state(thaw_rigidify(&world->steppers[0])->oracle)->left > 0;
}

static void bits_do_not_depend_on_threads_or_on_a_checkpoint_within_a_stride(void **state) {
    (void)state;
    char text[1500];
    write_beam(0.5, text);
    assert_true(bits_across_checkpoints(text, 400, "stride.ckpt", is_within_a_stride) > 10);
}

// v + w is what it was at every vertex, in v or in w; elastic vertices have no shadow afterwards, nor parts a rigid
// share.
static void velocities_take_what_they_can_have_of_a_shadow(void **state) {
    (void)state;
    char text[1500];
    write_beam(0.5, text);
    ThawWorld *world = make_world(text, 1);
    ThawStepStats stats;
    int free_part = 0;
    for (int i = 0; i < 400 && !free_part; i++) {
        step_world(world, &stats);
        const ThawPartition *parts = thaw_rigidify(&world->steppers[0])->partition;
        for (int32_t k = 0; k < parts->part_count && parts->elastic_count > 0; k++)
            free_part |= parts->parts[k].hold == THAW_HOLD_FREE;
    }
    assert_true(free_part);
    ThawStepper *s = &world->steppers[0];
    ThawPartition *parts = thaw_rigidify(s)->partition;
    size_t nv = (size_t)s->shape->nv, count = 3 * nv;
    double *w = calloc(count, sizeof *w), *v = calloc(count, sizeof *v), *sum = calloc(count, sizeof *sum);
    double size = 0, off = 0, before = 0, after = 0;
    memcpy(v, s->v, count * sizeof *v);
    thaw_partition_velocities(parts, v);
    for (size_t i = 0; i < count; i++) {
        w[i] = parts->script[i / 3] ? 0 : sin(3. * (double)i);
        sum[i] = v[i] + w[i];
        before += s->shape->mass[i / 3] * v[i] * v[i] / 2;
    }
    double gained = thaw_partition_absorb(parts, w, v);
    thaw_partition_velocities(parts, v);
    for (size_t i = 0; i < count; i++) {
        off = fmax(off, fabs(v[i] + w[i] - sum[i]));
        size = fmax(size, fabs(sum[i]));
        after += s->shape->mass[i / 3] * v[i] * v[i] / 2;
        if (parts->part_of_vertex[i / 3] < 0)
            assert_true(w[i] == 0);
    }
    print_message("motion is off by %.1e m/s of %.2g, energy by %.1e J of %.2g\n", off, size,
                  fabs(after - before - gained), after);
    assert_true(off < 1e-12 * size && fabs(after - before - gained) < 1e-12 * after);
    double again = thaw_partition_absorb(parts, w, v);
    assert_true(fabs(again) < 1e-12 * after);
    free(w);
    free(v);
    free(sum);
    thaw_world_free(&world);
}

// A free bar, bent and let go, vibrates as it flies: what velocities take of the shadow has no net momentum.
static void what_vibrates_in_flight_keeps_its_momentum(void **state) {
    (void)state;
    const char *text =
        "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.005, \"integrator\": \"newton\", "
        "\"newton_tolerance\": 1e-10}, \"rigidify\": {\"tau_rigid\": 1e-3, \"epsilon\": 1e-2, \"horizon\": 1},"
        "\"materials\": {\"foam\": {\"young\": 2e5, \"poisson\": 0.3, \"density\": 20, \"alpha1\": 0.001}},"
        "\"shapes\": {\"bar\": {\"mesh\": {\"box\": {\"min\": [-1, -0.3, -0.2], \"max\": [1, 0.3, 0.2], \"cells\": "
        "[12, "
        "4, 3]}},\"material\": \"foam\"}},"
        "\"bodies\": [{\"shape\": \"bar\", \"velocity\": [0, 0, 1]}]}";
    ThawWorld *world = make_world_by(text, "rigidify", 1);
    const ThawShape *shape = world->steppers[0].shape;
    const double *m = shape->mass;
    double *f = calloc(3 * (size_t)shape->nv, sizeof *f), P0 = 0, worst = 0;
    int64_t followed = 0;
    ThawStepStats stats;
    assert_non_null(f);
    for (int i = 0; i < 1000; i++) {
        if (i == 5 || i == 15) { // its ends up, its middle down
            double square = 0;
            for (int32_t k = 0; k < shape->nv; k++)
                square += m[k] / shape->total_mass * shape->X[3 * k] * shape->X[3 * k];
            for (int32_t k = 0; k < shape->nv; k++)
                f[3 * shape->vertex_user[k] + 2] =
                    i == 5 ? 30 * m[k] * (shape->X[3 * k] * shape->X[3 * k] - square) : 0;
            assert_int_equal(thaw_world_set_forces(world, 0, f), THAW_OK);
        }
        step_world(world, &stats);
        double P = 0;
        memcpy(f, world->steppers[0].v, sizeof *f * 3 * (size_t)shape->nv);
        thaw_partition_velocities(thaw_rigidify(&world->steppers[0])->partition, f);
        for (int32_t k = 0; k < shape->nv; k++)
            P += m[k] * f[3 * k + 2];
        P0 = i == 0 ? P : P0;
        worst = fmax(worst, fabs(P - P0) / P0);
        followed += stats.ledger.shadow > 0;
    }
    print_message("momentum off by %.1e of it; followed in %lld of 1000 steps\n", worst, (long long)followed);
    assert_true(followed >= 20);
    assert_true(worst < 1e-11);
    free(f);
    thaw_world_free(&world);
}

// A load that would bend a beam by less than epsilon: it comes to where it belongs however few percent of the way a
// step is allowed.
static void a_small_load_is_followed_to_its_end_by_small_steps(void **state) {
    (void)state;
    double goes = 0; // the full run's tip, at rest after 15 s
    for (int fine = 0; fine < 2; fine++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": %g}, \"rigidify\": {\"relax\": 0.1},"
            "\"materials\": {\"foam\": {\"young\": 5e3, \"poisson\": 0.35, \"density\": 10, \"alpha1\": 0.05}},"
            "\"shapes\": {\"beam\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [3, 1, 1], \"cells\": [9, 3, "
            "3]}}, \"material\": \"foam\"}}, \"bodies\": [{\"shape\": \"beam\", \"method\": \"rigidify\", \"pins\": "
            "[\"x-min\"], \"forces\": [{\"group\": \"all\", \"acceleration\": [0, 0, 0.005], \"from\": %g}]}]}",
            fine ? 0.001 : 0.005, fine ? 0.0505 : 0.2525);
        ThawWorld *world = make_world(text, 1), *full = make_world_by(text, "full", 1);
        const ThawShape *shape = world->steppers[0].shape;
        size_t tip = 0;
        ThawStepStats stats;
        for (size_t i = 1; i < (size_t)shape->nv; i++)
            tip = shape->X[3 * i] > shape->X[3 * tip] ? i : tip;
        for (int i = 0; i < (fine ? 6000 : 3000); i++) {
            if (!fine)
                step_world(full, NULL);
            step_world(world, &stats);
        }
        double went = world->steppers[0].x[3 * tip + 2] - shape->X[3 * tip + 2];
        goes = fine ? goes : full->steppers[0].x[3 * tip + 2] - shape->X[3 * tip + 2];
        print_message("steps of %g ms: the tip has gone %.3g of %.3g m; asleep: %d\n", fine ? 1. : 5., went, goes,
                      (int)stats.asleep);
        assert_true(stats.asleep == 1);
        assert_true(fabs(went - goes) < 0.05 * goes);
        thaw_world_free(&world);
        thaw_world_free(&full);
    }
}

// Three vertices in a line are a hinge for the oracle as for parts: what turns about it needs no force that holds it
// together.
static void a_bar_on_a_hinge_of_three_pins_falls_as_the_full_one_does(void **state) {
    (void)state;
    const char *text =
        "{\"thaw\": 1, \"time\": {\"step\": 0.001}, \"rigidify\": {\"tolerance\": 1e-2}, \"materials\": {\"m\": "
        "{\"young\": 3e8, \"poisson\": 0.4, "
        "\"density\": 1200, \"alpha1\": 1e-4}}, \"shapes\": {\"s\": {\"mesh\": {\"box\": {\"min\": [0, -0.02, -0.03], "
        "\"max\": [0.6, 0.02, 0.03], \"cells\": [30, 2, 3]}}, \"material\": \"m\", \"groups\": {\"hinge\": {\"box\": "
        "{\"min\": [-0.001, -1, 0.029], \"max\": [0.001, 1, 0.031]}}}}}, \"bodies\": [{\"shape\": \"s\", \"pins\": "
        "[\"hinge\"]}]}";
    ThawWorld *full = make_world_by(text, "full", 1), *world = make_world_by(text, "rigidify", 1);
    double least = INFINITY, risen = 0;
    int64_t rigid = 0;
    ThawStepStats stats, other;
    for (int i = 0; i < 400; i++) { // past the lowest point
        step_world(full, &other);
        step_world(world, &stats);
        double energy = stats.ledger.kinetic + stats.ledger.shadow + stats.ledger.elastic + stats.ledger.gravitational;
        least = fmin(least, energy);
        risen = fmax(risen, energy - least);
        rigid += stats.elastic_elements == 0;
    }
    print_message("wholly rigid in %lld of 400 steps; energy risen by %.1e J, kinetic %.4g of the full run's %.4g J\n",
                  (long long)rigid, risen, stats.ledger.kinetic, other.ledger.kinetic);
    assert_true(rigid > 100);
    assert_true(risen < 1e-2);
    assert_true(fabs(stats.ledger.kinetic - other.ledger.kinetic) <
                0.2 * other.ledger.kinetic); // which loses some by its linearised steps
    thaw_world_free(&full);
    thaw_world_free(&world);
}

// The beam, and away from it a spring that is let go after 1.56 s and runs within the step into a block at rest on
// the floor.
static void write_spring(char text[3000]) {
    char beam[1500];
    write_beam(0.5, beam);
    snprintf(text, 3000,
             "%.*s, {\"shape\": \"block\", \"position\": [5, 0, 0.05], \"scripts\": ["
             "{\"group\": \"x-min\", \"keys\": [{\"time\": 0}, {\"time\": 0.5, \"translation\": [0.15, 0, 0]}]},"
             "{\"group\": \"x-max\", \"release\": 1.56, \"keys\": [{\"time\": 0},"
             " {\"time\": 0.5, \"translation\": [-0.1, 0, 0]}]}]},"
             "{\"shape\": \"block\", \"method\": \"rigidify\", \"position\": [5.42, 0, 0],"
             " \"forces\": [{\"group\": \"all\", \"acceleration\": [0, 0, -9.8]}]}],"
             "\"obstacles\": [{\"plane\": {}}]}",
             (int)strlen(beam) - 2, beam);
    const char *shapes = "\"shapes\": {", *block = "\"block\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], "
                                                   "\"max\": [0.4, 0.4, 0.4], \"cells\": [3, 3, 3]}}, "
                                                   "\"material\": \"foam\"}, ";
    char *at = strstr(text, shapes) + strlen(shapes);
    memmove(at + strlen(block), at, strlen(at) + 1);
    memcpy(at, block, strlen(block));
}

static void a_step_that_is_repeated_for_a_sleeper_follows_shadows_once(void **state) {
    (void)state;
    char text[3000];
    write_spring(text);
    ThawWorld *sleeps = make_world(text, 1), *woken = make_world(text, 1);
    ThawStepStats stats;
    int rose = 0, followed = 0;
    for (int i = 0; i < 220 && !rose; i++) {
        int slept = sleeps->state.asleep[2];
        assert_int_equal(thaw_world_wake(woken, 2), THAW_OK);
        step_world(sleeps, &stats);
        step_world(woken, &stats);
        followed = strode(sleeps);
        rose = slept && !sleeps->state.asleep[2];
        // The beam knows nothing of the others: asked twice in that step, it would have gone ahead.
        const ThawStepper *one = &sleeps->steppers[0], *other = &woken->steppers[0];
        assert_memory_equal(one->x, other->x, sizeof *one->x * 3 * (size_t)one->shape->nv);
        assert_memory_equal(one->v, other->v, sizeof *one->v * 3 * (size_t)one->shape->nv);
    }
    assert_true(rose && followed);
    thaw_world_free(&sleeps);
    thaw_world_free(&woken);
}

// Friction and contact hold a beam on a table; what hangs over its edge is pushed and swings. The contacts push the
// shadow, too: did that push count for nothing, all of the shadow would go the other way, contacts included. Where a
// vertex sticks or slips is chance, so that half of ten count. (In moving frames, where the full one swings for longer,
// half are off by less than 3.9e-3, and half the time step moves it by 4e-2.)
static void what_lies_on_something_swings_as_the_full_one_does(void **state) {
    (void)state;
    enum { PUSHES = 10 };
    double off[PUSHES];
    int64_t mixed = 0;
    const int count = repeats(PUSHES);
    for (int k = 0; k < count; k++) {
        char text[1400];
        snprintf(
            text, sizeof text,
            "{\"thaw\": 1, \"gravity\": [0, 0, -9.8], \"time\": {\"step\": 0.01, \"integrator\": \"semi-implicit\"}, "
            "\"rigidify\": {\"tau_rigid\": 3e-4, "
            "\"epsilon\": 2e-2, \"horizon\": 1}, \"materials\": {\"flesh\": {\"density\": 10, \"young\": 5e3, "
            "\"poisson\": 0.3, \"alpha1\": 0.02}}, \"shapes\": {\"beam\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], "
            "\"max\": [4, 0.5, 0.5], \"cells\": [16, 2, 2]}}, \"material\": \"flesh\"}}, \"bodies\": [{\"shape\": "
            "\"beam\", \"position\": [-2.6, -0.25, 0.001], \"forces\": [{\"group\": \"x-max\", \"acceleration\": [0, "
            "%d, "
            "20], \"from\": 1.5, \"to\": 2}]}], \"obstacles\": [{\"box\": {\"size\": [4, 4, 1]}, \"position\": [-2, 0, "
            "-0.5]}], \"pairs\": [{\"between\": [\"*\", \"*\"], \"friction\": 0.5}]}",
            22 + 4 * k);
        ThawWorld *full = make_world_by(text, "full", 1), *world = make_world_by(text, "rigidify", 1);
        double worst = 0;
        for (int i = 0; i < 800; i++) {
            ThawStepStats stats;
            step_world(full, NULL);
            step_world(world, &stats);
            worst = fmax(worst, worlds_apart(full, world, 0) / full->steppers[0].shape->diameter);
            mixed += stats.rigid_parts > 0 && stats.elastic_elements > 0;
        }
        print_message("pushed by %d m/s^2: off by %.1e\n", 22 + 4 * k, worst);
        int at = k; // in ascending order
        for (; at > 0 && off[at - 1] > worst; at--)
            off[at] = off[at - 1];
        off[at] = worst;
        thaw_world_free(&full);
        thaw_world_free(&world);
    }
    if (count < PUSHES) // under sanitizers, which look for other things
        return;
    assert_true(mixed > 300);
    print_message("half of them by less than %.1e\n", off[PUSHES / 2]);
    assert_true(off[PUSHES / 2] < 3e-3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_swings_beside_elastic_elements_goes_by_strides_and_keeps_its_energy),
        cmocka_unit_test(bits_do_not_depend_on_threads_or_on_a_checkpoint_within_a_stride),
        cmocka_unit_test(velocities_take_what_they_can_have_of_a_shadow),
        cmocka_unit_test(what_vibrates_in_flight_keeps_its_momentum),
        cmocka_unit_test(a_small_load_is_followed_to_its_end_by_small_steps),
        cmocka_unit_test(a_step_that_is_repeated_for_a_sleeper_follows_shadows_once),
        cmocka_unit_test(a_bar_on_a_hinge_of_three_pins_falls_as_the_full_one_does),
        cmocka_unit_test(what_lies_on_something_swings_as_the_full_one_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
