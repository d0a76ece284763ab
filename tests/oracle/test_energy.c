// SPDX-License-Identifier: Apache-2.0
// No change of parts makes energy: what a part does not take of its vertices' motion its shadow keeps, and gives back.
// First random partitions of a body that spins and deforms, against projections of the test's own; then whole scenes by
// their ledgers.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "map/parts.h"
#include "math/vec3.h"
#include "support/world.h"
#include "thaw/thaw.h"

// --- one change of parts ---------------------------------------------------------------------------------------------

enum { FIELDS = 6 };

// The rigid motions of a part without pins at its vertices, orthonormal by mass: so many fields of dim numbers a
// vertex.
static int rigid_fields(const Parts *p, const ThawPart *part, double *fields) {
    int dim = p->dim, count = dim == 2 ? 3 : 6, size = part->count * dim;
    const int32_t *vertices = p->partition->vertices + part->first;
    for (int f = 0; f < count; f++) {
        double *field = fields + f * size, norm = 0;
        for (int32_t k = 0; k < part->count; k++) {
            double rho[3] = {0, 0, 0}, axis[3] = {0, 0, 0}, turn[3];
            for (int i = 0; i < dim; i++)
                rho[i] = p->x[vertices[k] * dim + i] - p->x[vertices[0] * dim + i];
            axis[f < dim || dim == 2 ? 2 : f - dim] = 1;
            thaw_v3_cross(axis, rho, turn);
            for (int i = 0; i < dim; i++)
                field[k * dim + i] = f < dim ? i == f : turn[i];
        }
        for (int g = 0; g < 2 * f; g++) { // twice, for the digits
            const double *other = fields + (g % f) * size;
            double dot = 0;
            for (int i = 0; i < size; i++)
                dot += p->shape->mass[vertices[i / dim]] * field[i] * other[i];
            for (int i = 0; i < size; i++)
                field[i] -= dot * other[i];
        }
        for (int i = 0; i < size; i++)
            norm += p->shape->mass[vertices[i / dim]] * field[i] * field[i];
        for (int i = 0; i < size; i++)
            field[i] /= sqrt(norm);
    }
    return count;
}

// What counts of a shadow: at vertices of parts, less the rigid motion nearest to it. Returns its energy, J.
static double inner_of(const Parts *p, const double *shadow, double *inner) {
    int dim = p->dim;
    double *fields = THAW_NEW(double, FIELDS * p->nx), energy = 0;
    memset(inner, 0, sizeof *inner * (size_t)p->nx);
    for (int32_t k = 0; k < p->partition->part_count; k++) {
        const ThawPart *part = &p->partition->parts[k];
        const int32_t *vertices = p->partition->vertices + part->first;
        int count = rigid_fields(p, part, fields), size = part->count * dim;
        for (int i = 0; i < size; i++)
            inner[vertices[i / dim] * dim + i % dim] = shadow[vertices[i / dim] * dim + i % dim];
        for (int f = 0; f < count; f++) {
            double dot = 0;
            for (int i = 0; i < size; i++)
                dot += p->shape->mass[vertices[i / dim]] * fields[f * size + i] *
                       shadow[vertices[i / dim] * dim + i % dim];
            for (int i = 0; i < size; i++)
                inner[vertices[i / dim] * dim + i % dim] -= dot * fields[f * size + i];
        }
    }
    for (int k = 0; k < p->nx; k++)
        energy += p->shape->mass[k / dim] * inner[k] * inner[k] / 2;
    thaw_free(fields);
    return energy;
}

static double most_apart(const double *a, const double *b, int count) {
    double worst = 0;
    for (int k = 0; k < count; k++)
        worst = fmax(worst, fabs(a[k] - b[k]));
    return worst;
}

// Time goes on: parts turn, elastic vertices move, and the shadow follows, dragging elastic vertices and pushing parts.
static void go_on(Parts *p, double *shadow) {
    for (int32_t k = 0; k < p->partition->part_count; k++) {
        double v[3], omega[3];
        ThawPart *part = &p->partition->parts[k];
        thaw_part_velocity(part, p->dim, v, omega);
        thaw_part_advance(part, p->dim, 0.02, v, omega, part, NULL);
    }
    for (int k = 0; k < p->nx; k++) {
        p->x[k] += 0.02 * p->v[k];
        p->v[k] += 0.1 * sample_random(&p->seed);
        shadow[k] += 0.1 * sample_random(&p->seed) + (k % 2 == 0 ? 0.05 : -0.08);
    }
    parts_place(p->partition, p->x);
    thaw_partition_velocities(p->partition, p->v);
}

// Some at random, some by a few elements at a time: parts form, grow, merge, split, shrink and dissolve.
static void choose_flags(Parts *p) {
    int kind = sample_below(&p->seed, 3);
    if (kind == 0)
        parts_flag(p, sample_below(&p->seed, 101));
    for (int i = 0; i < 4 && kind > 0; i++)
        p->flagged[sample_below(&p->seed, p->shape->ne)] = kind == 1;
}

// v and what counts of the shadow are, together, what they were at every vertex. What does not count (drag) is no
// motion that a transition makes: it is taken off before and after.
static void no_change_of_parts_changes_motion_momentum_or_energy(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Parts p;
        int formed = 0, dissolved = 0, changes = 0;
        double worst[3] = {0, 0, 0};
        parts_create(&p, dim, 4, 1, 21);
        double *shadow = THAW_NEW(double, p.nx), *inner = THAW_NEW(double, p.nx), *V = THAW_NEW(double, p.nx),
               *drag = THAW_NEW(double, p.nx);
        for (int k = 0; k < p.nx; k++) // it flies, spins and deforms
            p.v[k] += 3 + (k % dim == 0 ? -2 * p.x[k + 1] : k % dim == 1 ? 2 * p.x[k - 1] : 0);
        for (int i = 0; i < 300; i++) {
            double before[7], after[7], kept[2], whole;
            choose_flags(&p);
            kept[0] = inner_of(&p, shadow, inner);
            for (int k = 0; k < p.nx; k++) {
                drag[k] = shadow[k] - inner[k];
                V[k] = p.v[k] + inner[k];
            }
            parts_momenta(&p, p.v, before);
            whole = before[6] + kept[0];
            assert_true(fabs(kept[0] - thaw_partition_shadow_energy(p.partition, shadow)) <= 1e-12 * whole);
            assert_int_equal(
                thaw_partition_update(p.partition, p.flagged, p.script, shadow, p.x, p.v, &p.transition, NULL),
                THAW_OK);
            for (int k = 0; k < p.nx; k++)
                shadow[k] -= drag[k];
            kept[1] = inner_of(&p, shadow, inner);
            parts_momenta(&p, p.v, after);
            for (int k = 0; k < p.nx; k++) {
                worst[0] = fmax(worst[0], fabs(p.v[k] + inner[k] - V[k]));
                shadow[k] += drag[k];
            }
            worst[1] = fmax(worst[1], most_apart(before, after, 6) / (20 * p.shape->total_mass));
            worst[2] = fmax(worst[2], fabs(after[6] + kept[1] - whole) / whole);
            assert_true(p.transition.loss == 0);
            assert_true(fabs(kept[1] - kept[0] - p.transition.shadow) <= 1e-12 * whole);
            formed += p.transition.formed;
            dissolved += p.transition.dissolved;
            changes += p.transition.changed;
            go_on(&p, shadow);
        }
        print_message("%dD: %d changes, %d parts formed and %d dissolved: velocities off by %.1e m/s, momenta by %.1e, "
                      "energy by %.1e of itself\n",
                      dim, changes, formed, dissolved, worst[0], worst[1], worst[2]);
        assert_true(changes > 100 && formed > 200 && dissolved > 200);
        assert_true(worst[0] <= 1e-12 && worst[1] <= 1e-12 && worst[2] <= 1e-12);
        thaw_free(shadow);
        thaw_free(inner);
        thaw_free(V);
        thaw_free(drag);
        parts_free(&p);
    }
}

// --- scenes ----------------------------------------------------------------------------------------------------------

// Every step's loss by transitions is none or positive, the shadow's energy counted, and the ledger closes. Following
// and relaxing are no transition: forces do work there. But what they put in and take out is no gain on the whole: less
// the work of loads, the energy does not rise above what it was by more than a share `gain` of its size.
static void watch(const char *name, ThawWorld *world, int steps, double gain) {
    ThawLedger start, was;
    double size = 0, open = 0, least = 0, shadow = 0, up = 0, down = 0, lowest = INFINITY, risen = 0;
    int64_t changes = 0;
    thaw_world_get_ledger(world, &start);
    was = start;
    for (int i = 0; i < steps; i++) {
        ThawStepStats stats = run_world(world, 1);
        const ThawLedger *now = &stats.ledger;
        size = fmax(size, now->kinetic + now->elastic);
        open = fmax(open, fabs(ledger_balance(now) - ledger_balance(&start)));
        least = fmin(least, now->transition_loss - was.transition_loss);
        shadow = fmax(shadow, now->shadow);
        double own = now->kinetic + now->shadow + now->elastic + now->gravitational + now->contact_energy -
                     now->external_work -
                     now->parting_work; // the octopus starts in its bowl, by 0.3 m, and is lifted out of it
        lowest = fmin(lowest, own);
        risen = fmax(risen, own - lowest);
        changes += stats.woken > 0 || stats.settled > 0;
        assert_true(now->shadow >= 0);
        *(now->follow_work > was.follow_work ? &up : &down) += now->follow_work - was.follow_work;
        was = *now;
    }
    print_message("%s: %lld steps with changes; transitions lose %.1e of %.3g J, at least %.1e in a step; shadow up to "
                  "%.1e; following %.1e and %.1e; risen by %.1e; open by %.1e\n",
                  name, (long long)changes, was.transition_loss / size, size, least / size, shadow / size, up / size,
                  down / size, risen / size, open / size);
    assert_true(changes > 5 && shadow > 0);
    assert_true(least >= -1e-12 * size);
    assert_true(risen <= gain * size);
    assert_true(open < 1e-6 * size); // by the tolerance of the solver
    thaw_world_free(&world);
}

static void watch_scene(const char *name, int steps, double gain) {
    char path[1000];
    ThawScene *scene = NULL;
    ThawWorld *world = NULL;
    ThawError error = {0};
    snprintf(path, sizeof path, "%s/scenes/%s.json", THAW_SOURCE_DIR, name);
    if (thaw_scene_load(path, &scene, &error) != THAW_OK || thaw_world_create(&scene->world, &world, &error) != THAW_OK)
        fail_msg("%s: %s", name, error.message);
    watch(name, world, steps, gain);
    thaw_scene_free(&scene);
}

static void an_octopus_that_drops_gains_nothing_by_transitions(void **state) {
    (void)state;
    watch_scene("octopus", 450, 1e-6);
}

static void a_wheel_that_rolls_gains_nothing_by_transitions(void **state) {
    (void)state;
    watch_scene("wheel", 300, 1e-6);
}

static void a_wheel_that_falls_over_gains_nothing_by_transitions(void **state) {
    (void)state;
    watch_scene("wheels", 700, 1e-6);
}

// 2.2 s a swing; loaded while it is nearly rigid, and after it.
static void a_beam_that_swings_gains_nothing_by_transitions(void **state) {
    (void)state;
    static const char beam[] =
        "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.01},"
        "\"rigidify\": {\"tau_rigid\": 1e-5, \"epsilon\": 3e-3, \"horizon\": 1},"
        "\"materials\": {\"foam\": {\"young\": 5e3, \"poisson\": 0.35, \"density\": 10, \"alpha1\": 0.01}},"
        "\"shapes\": {\"beam\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [3, 1, 1], \"cells\": [9, 3, 3]}},"
        "\"material\": \"foam\"}}, \"bodies\": [{\"shape\": \"beam\", \"method\": \"rigidify\", \"pins\": [\"x-min\"], "
        "\"forces\": [{\"group\": \"all\", \"acceleration\": [0, 0, 0.5], \"from\": 0, \"to\": 0.1},"
        "{\"group\": \"x-max\", \"total\": [0, 0.2, 0], \"from\": 3, \"to\": 5}]}]}";
    watch("beam", make_world(beam, 1), 800, 1e-6);
}

// It becomes rigid in the middle of the blow, compressed: what that stress would do to its turning must not drive it.
static void a_stiff_box_that_froze_in_a_blow_does_not_spin_up(void **state) {
    (void)state;
    static const char box[] =
        "{\"thaw\": 1, \"time\": {\"step\": 0.002}, \"shapes\": {\"b\": {\"mesh\": {\"box\": {\"min\": [-0.05, -0.03, "
        "-0.02],"
        "\"max\": [0.05, 0.03, 0.02], \"cells\": [5, 3, 2]}}, \"material\": \"steel\"}}, \"bodies\": [{\"shape\": "
        "\"b\","
        "\"position\": [0, 0, 0.2], \"method\": \"rigidify\", \"rotation\": {\"axis\": [0.9417154046806644, "
        "-1.3965781047011498, -0.6797144480784211], \"degrees\": 101.80395541897737}}],"
        "\"obstacles\": [{\"plane\": {}, \"friction\": 0.5}]}";
    ThawWorld *world = make_world(box, 1);
    ThawLedger start;
    thaw_world_get_ledger(world, &start);
    double most = 0, energy = start.kinetic + start.elastic + start.gravitational;
    ThawStepStats stats = {0};
    for (int i = 0; i < 750; i++) {
        stats = run_world(world, 1);
        most =
            fmax(most, stats.ledger.kinetic + stats.ledger.shadow + stats.ledger.elastic + stats.ledger.gravitational);
    }
    print_message("it begins with %.3g J, has at most %.3g and ends with %.3g\n", energy, most,
                  stats.ledger.kinetic + stats.ledger.gravitational);
    assert_true(most <= 1.001 * energy);
    assert_int_equal(stats.asleep, 1);
    thaw_world_free(&world);
}

// Total energy only falls, from one step to the next: balls of steel that drop and roll. (An oracle that took small
// turns for none made 0.18 J.) In moving frames a step takes off what it gains over the whole of its contacts' ways,
// and two millionths of what the balls have come and go.
static void steel_that_rolls_gains_nothing(void **state) {
    (void)state;
    static const char *const integrators[] = {"semi-implicit", "euler"};
    for (int k = 0; k < 2; k++) {
        char balls[1000];
        snprintf(balls, sizeof balls,
                 "{\"thaw\": 1, \"time\": {\"step\": 0.0005, \"integrator\": \"%s\"}, \"shapes\": {\"ball\": "
                 "{\"mesh\": {\"solid\": {\"sphere\": {\"radius\": 0.018}}, \"elements\": 150}, \"material\": "
                 "\"steel\"}}, \"bodies\": [{\"shape\": \"ball\", \"method\": \"rigidify\", \"position\": [0, 0, "
                 "0.05], \"velocity\": [0.5, 0.1, 0]}, {\"shape\": \"ball\", \"method\": \"rigidify\", \"position\": "
                 "[0.03, 0.01, 0.1], \"velocity\": [-0.2, 0.1, 0]}], \"obstacles\": [{\"plane\": {}}]}",
                 integrators[k]);
        ThawWorld *world = make_world(balls, 1);
        double last = INFINITY, rise = 0;
        for (int i = 0; i < 1500; i++) {
            ThawLedger l = run_world(world, 1).ledger;
            double energy = l.kinetic + l.shadow + l.elastic + l.gravitational;
            rise = fmax(rise, energy - last);
            last = energy;
        }
        print_message("%s: energy rises by %.2g J in a step at most\n", integrators[k], rise);
        assert_true(rise < (k == 0 ? 1e-9 : 1e-6));
        thaw_world_free(&world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steel_that_rolls_gains_nothing),
        cmocka_unit_test(no_change_of_parts_changes_motion_momentum_or_energy),
        cmocka_unit_test(a_beam_that_swings_gains_nothing_by_transitions),
        cmocka_unit_test(an_octopus_that_drops_gains_nothing_by_transitions),
        cmocka_unit_test(a_wheel_that_rolls_gains_nothing_by_transitions),
        cmocka_unit_test(a_wheel_that_falls_over_gains_nothing_by_transitions),
        cmocka_unit_test(a_stiff_box_that_froze_in_a_blow_does_not_spin_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
