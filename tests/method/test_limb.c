// SPDX-License-Identifier: Apache-2.0
// A muscle on a bone: two bodies of one unit whose vertices depend on common unknowns (limb.h). They are solved as
// dense algebra of the same equations says, fall, touch, sleep and wake as one, and are saved, resumed, cancelled and
// looked at as two.
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "method/limb.h"
#include "step/dense.h"
#include "support/folder.h"
#include "support/world.h"
#include "thaw/thaw.h"

// A bone with a muscle at its end, and another such limb that comes down on it.
#define LIMB(name, place, muscle, motion)                                                                              \
    "{\"name\": \"bone " name "\", \"unit\": \"" name "\", \"method\": \"limb\", \"shape\": \"bone\", \"position\": "  \
    "[0, 0, " place "]" motion "}, {\"name\": \"muscle " name "\", \"unit\": \"" name "\", \"method\": \"limb\", "     \
    "\"shape\": \"muscle\", \"position\": [0.4, 0, " muscle "]" motion "}"
#define SCENE(gravity, bodies, obstacles)                                                                              \
    "{\"thaw\": 1, \"time\": {\"step\": 0.005, \"steps\": 100, \"projection\": \"never\"}, \"gravity\": " gravity ", " \
    "\"solver\": {\"tolerance\": 1e-13}, \"materials\": {\"bone\": {\"density\": 1800, \"young\": 1e7, "               \
    "\"poisson\": 0.3}, \"flesh\": {\"density\": 1000, \"young\": 1e5, \"poisson\": 0.4, \"alpha0\": 0.5, "            \
    "\"alpha1\": 0.02}}, \"shapes\": {\"bone\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.4, 0.1, 0.1], "  \
    "\"cells\": [4, 1, 1]}}, \"material\": \"bone\"}, \"muscle\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": " \
    "[0.2, 0.1, 0.1], \"cells\": [3, 2, 2]}}, \"material\": \"flesh\", \"groups\": {\"root\": {\"box\": {\"min\": "    \
    "[-1, -1, -1], \"max\": [0.01, 1, 1]}}}}}, \"bodies\": [" bodies "]" obstacles "}"
#define SPUN ", \"spin\": [0.5, 1, -2]"
#define DOWN "[0, 0, -9.81]"
#define FLOOR                                                                                                          \
    ", \"obstacles\": [{\"plane\": {}}], \"pairs\": [{\"between\": [\"bone a\", \"muscle a\"], \"enabled\": false}]"
#define FALLING SCENE(DOWN, LIMB("a", "0.02", "0.02", ""), FLOOR)
#define STACK SCENE(DOWN, LIMB("a", "0.02", "0.02", "") ", " LIMB("b", "0.15", "0.15", ""), FLOOR)

enum { BONE = 20, MUSCLE = 36, ROOT = 9, FREE = MUSCLE - ROOT, NV = BONE + MUSCLE, UNKNOWNS = 3 * (2 + FREE) };

static ThawScene *parse(const char *text) {
    ThawScene *scene = NULL;
    ThawError error = {0};
    if (thaw_scene_parse(text, strlen(text), "scene", NULL, &scene, &error) != THAW_OK)
        fail_msg("%s", error.message);
    return scene;
}

// --- the reference ---------------------------------------------------------------------------------------------------

// One step of the same motion in plain arithmetic: G'A G q = G'b with A and b of each body by itself, in the meshes'
// own numbering.
typedef struct Reference {
    Dense body[2];
    int carried[NV], unknown[NV]; // of the bone's vertices, then the muscle's
} Reference;

static void begin_reference(const ThawWorldDef *def, Reference *r) {
    int unknown = 6;
    for (int b = 0; b < 2; b++)
        r->body[b] = dense_create(def, b);
    for (int i = 0; i < NV; i++) {
        r->carried[i] = i < BONE || r->body[1].mesh->x[3 * (i - BONE)] <= 0.01;
        r->unknown[i] = r->carried[i] ? 0 : unknown;
        unknown += r->carried[i] ? 0 : 3;
    }
    assert_int_equal(unknown, UNKNOWNS);
}

static double *of_vertex(const Reference *r, int i, int velocity) {
    const Dense *d = &r->body[i >= BONE];
    return (velocity ? d->v : d->x) + 3 * (i >= BONE ? i - BONE : i);
}

// G, 3 NV by UNKNOWNS, of levers about c.
static void fill_map(const Reference *r, const double c[3], double *G) {
    memset(G, 0, sizeof *G * 3 * NV * UNKNOWNS);
    for (int i = 0; i < NV; i++)
        for (int k = 0; k < 3; k++) {
            double *row = G + (3 * i + k) * UNKNOWNS;
            const int next = (k + 1) % 3, last = (k + 2) % 3;
            row[r->unknown[i] + k] = 1;
            if (r->carried[i]) { // (omega x r)_k = omega_next r_last - omega_last r_next
                row[3 + next] = of_vertex(r, i, 0)[last] - c[last];
                row[3 + last] = -(of_vertex(r, i, 0)[next] - c[next]);
            }
        }
}

static void eliminate(double *A, double *b, int n) {
    for (int c = 0; c < n; c++)
        for (int i = 0; i < n; i++) { // the matrix is definite
            const double factor = i == c ? 0 : A[i * n + c] / A[c * n + c];
            for (int j = c; j < n && factor != 0; j++)
                A[i * n + j] -= factor * A[c * n + j];
            b[i] -= factor * b[c];
        }
    for (int i = 0; i < n; i++)
        b[i] /= A[i * n + i];
}

// omega x r, turned by omega for h: by the exponential series.
static void turn_by_series(const double omega[3], double h, const double r[3], double y[3]) {
    double term[3] = {r[0], r[1], r[2]};
    memcpy(y, r, 3 * sizeof *y);
    for (int n = 1; n < 30; n++) {
        const double a[3] = {term[0], term[1], term[2]};
        for (int k = 0; k < 3; k++) {
            term[k] = h / n * (omega[(k + 1) % 3] * a[(k + 2) % 3] - omega[(k + 2) % 3] * a[(k + 1) % 3]);
            y[k] += term[k];
        }
    }
}

static void step_reference(Reference *r) {
    const int n = UNKNOWNS, m = 3 * NV;
    double *A = calloc((size_t)(m * m + m + m * n + m * n + n * n + n), sizeof *A), *b = A + m * m, *G = b + m;
    double *AG = G + m * n, *H = AG + m * n, *q = H + n * n, c[3] = {0}, mass = 0, h = r->body[0].def->h;
    assert_non_null(A);
    for (int i = 0; i < NV; i++) {
        const double own = i < BONE ? r->body[0].m[3 * i] : r->body[1].m[3 * (i - BONE)];
        mass += r->carried[i] ? own : 0;
        for (int k = 0; k < 3 && r->carried[i]; k++)
            c[k] += own * of_vertex(r, i, 0)[k];
    }
    for (int k = 0; k < 3; k++)
        c[k] /= mass;
    for (int d = 0, first = 0; d < 2; first += r->body[d++].n) {
        const int own = r->body[d].n;
        double *block = calloc((size_t)(own * own), sizeof *block);
        assert_non_null(block);
        dense_linearise(&r->body[d], block, b + first);
        for (int i = 0; i < own; i++)
            memcpy(A + (first + i) * m + first, block + i * own, sizeof *A * (size_t)own);
        free(block);
    }
    fill_map(r, c, G);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < n && A[i * m + j] != 0; k++)
                AG[i * n + k] += A[i * m + j] * G[j * n + k];
    for (int i = 0; i < m; i++)
        for (int k = 0; k < n; k++) {
            if (G[i * n + k] == 0)
                continue;
            q[k] += G[i * n + k] * b[i];
            for (int l = 0; l < n; l++)
                H[k * n + l] += G[i * n + k] * AG[i * n + l];
        }
    eliminate(H, q, n);
    for (int i = 0; i < NV; i++) {
        double *x = of_vertex(r, i, 0), *v = of_vertex(r, i, 1), lever[3], turned[3];
        for (int k = 0; k < 3; k++)
            lever[k] = x[k] - c[k];
        turn_by_series(q + 3, h, lever, turned);
        for (int k = 0; k < 3; k++) {
            const int next = (k + 1) % 3, last = (k + 2) % 3;
            v[k] = q[r->unknown[i] + k];
            v[k] += r->carried[i] ? q[3 + next] * turned[last] - q[3 + last] * turned[next] : 0;
            x[k] = r->carried[i] ? c[k] + h * q[k] + turned[k] : x[k] + h * v[k];
        }
    }
    for (int d = 0; d < 2; d++) {
        r->body[d].steps++;
        r->body[d].t = r->body[d].steps * h;
    }
    free(A);
}

static void two_bodies_are_solved_by_one_set_of_unknowns(void **state) {
    (void)state;
    ThawScene *scene = parse(SCENE(DOWN, LIMB("a", "0.5", "0.5", SPUN), ""));
    ThawWorld *world = NULL;
    ThawError error = {0};
    ThawStepStats stats = {0};
    Reference reference;
    double x[3 * MUSCLE], worst = 0, way = 0;
    scene->world.integrator = THAW_INTEGRATOR_SEMI_IMPLICIT; // the reference is
    if (thaw_world_create(&scene->world, &world, &error) != THAW_OK)
        fail_msg("%s", error.message);
    begin_reference(&scene->world, &reference);
    for (int i = 0; i < 25; i++) {
        step_world(world, &stats);
        assert_int_equal(stats.dofs, UNKNOWNS);
        step_reference(&reference);
        for (int b = 0; b < 2; b++) {
            assert_int_equal(thaw_world_get_positions(world, b, x), THAW_OK);
            for (int k = 0; k < 3 * (b ? MUSCLE : BONE); k++) {
                worst = fmax(worst, fabs(x[k] - reference.body[b].x[k]));
                way = fmax(way, fabs(x[k] - reference.body[b].start[k]));
            }
        }
    }
    print_message("apart by %.2g m on a way of %.2g m\n", worst, way);
    assert_true(worst < 1e-11 && way > 0.05);
    for (int b = 0; b < 2; b++)
        dense_free(&reference.body[b]);
    thaw_world_free(&world);
    thaw_scene_free(&scene);
}

// --- motion ----------------------------------------------------------------------------------------------------------

// How much the roots of the muscle have moved against the bone, m.
static double torn_by(const ThawWorld *world) {
    double x[3 * (BONE + MUSCLE)], start[3 * (BONE + MUSCLE)], worst = 0;
    ThawWorld *fresh = make_world(FALLING, 1);
    for (int b = 0; b < 2; b++) {
        assert_int_equal(thaw_world_get_positions(world, b, x + b * 3 * BONE), THAW_OK);
        assert_int_equal(thaw_world_get_positions(fresh, b, start + b * 3 * BONE), THAW_OK);
    }
    for (int i = BONE; i < NV; i++)
        for (int j = 0; j < BONE && start[3 * i] <= 0.401; j++) {
            double before = 0, after = 0;
            for (int k = 0; k < 3; k++) {
                before += (start[3 * i + k] - start[3 * j + k]) * (start[3 * i + k] - start[3 * j + k]);
                after += (x[3 * i + k] - x[3 * j + k]) * (x[3 * i + k] - x[3 * j + k]);
            }
            worst = fmax(worst, fabs(sqrt(before) - sqrt(after)));
        }
    thaw_world_free(&fresh);
    return worst;
}

static void momenta_of(const ThawWorld *world, double p[6]) {
    double x[3 * MUSCLE], v[3 * MUSCLE], m[MUSCLE];
    memset(p, 0, 6 * sizeof *p);
    for (int b = 0; b < 2; b++) {
        assert_int_equal(thaw_world_get_positions(world, b, x), THAW_OK);
        assert_int_equal(thaw_world_get_velocities(world, b, v), THAW_OK);
        assert_int_equal(thaw_world_get_masses(world, b, m), THAW_OK);
        for (int i = 0; i < (b ? MUSCLE : BONE); i++) {
            double turn[3];
            thaw_v3_cross(x + 3 * i, v + 3 * i, turn);
            thaw_v3_add(p, m[i], v + 3 * i, p);
            thaw_v3_add(p + 3, m[i], turn, p + 3);
        }
    }
}

// Thrown without weight, its muscle swinging: momentum stays to rounding, and so does that of turning but for what
// linearised steps lose of it.
static void momentum_is_kept(void **state) {
    (void)state;
    ThawScene *scene = parse(SCENE("[0, 0, 0]", LIMB("a", "0.5", "0.5", ", \"spin\": [0, 2, 0]"), ""));
    ThawMaterialDef materials[2] = {scene->world.materials[0], scene->world.materials[1]};
    ThawWorld *world = NULL;
    double p[2][6];
    materials[0].alpha0 = materials[1].alpha0 = 0;
    scene->world.materials = materials;
    assert_int_equal(thaw_world_create(&scene->world, &world, NULL), THAW_OK);
    momenta_of(world, p[0]);
    run_world(world, 60);
    momenta_of(world, p[1]);
    print_message("p off by %.2g of %.2g, L by %.2g of %.2g\n", fabs(p[1][0] - p[0][0]) + fabs(p[1][2] - p[0][2]),
                  fabs(p[0][2]), fabs(p[1][4] - p[0][4]), fabs(p[0][4]));
    for (int k = 0; k < 3; k++)
        assert_true(fabs(p[1][k] - p[0][k]) < 1e-11);
    assert_true(fabs(p[1][4] - p[0][4]) < 0.02 * fabs(p[0][4]));
    thaw_world_free(&world);
    thaw_scene_free(&scene);
}

static void it_falls_lies_and_sleeps_as_one(void **state) {
    (void)state;
    ThawScene *scene = parse(STACK);
    ThawWorld *world = NULL;
    ThawLedger start;
    ThawStepStats stats = {0};
    double open = 0, size = 0;
    int between = 0, fell = 0;
    scene->world.ledger = 1;
    assert_int_equal(thaw_world_create(&scene->world, &world, NULL), THAW_OK);
    assert_int_equal(thaw_world_get_ledger(world, &start), THAW_OK);
    for (int i = 0; i < 3000 && stats.asleep < 4; i++) {
        ThawContactPoint points[200];
        step_world(world, &stats);
        size = fmax(size, stats.ledger.kinetic + stats.ledger.elastic);
        open = fmax(open, fabs(ledger_balance(&stats.ledger) - ledger_balance(&start)));
        assert_true(stats.asleep == 0 || stats.asleep == 4); // one island, two units
        assert_true(thaw_world_contact_count(world) <= 200);
        assert_int_equal(thaw_world_get_contacts(world, points), THAW_OK);
        for (int32_t c = 0; c < thaw_world_contact_count(world); c++)
            between += points[c].body[0] / 2 != points[c].body[1] / 2 && points[c].body[1] >= 0;
    }
    print_message("asleep after %.2g s, ledger open by %.2g of %.2g J, torn by %.2g m\n", stats.time, open, size,
                  torn_by(world));
    assert_int_equal(stats.asleep, 4);
    assert_true(between > 0 && open < 1e-8 * size && torn_by(world) < 1e-9);
    ThawSleepEvent events[16];
    assert_in_range(thaw_world_sleep_event_count(world), 4, 16);
    assert_int_equal(thaw_world_get_sleep_events(world, events), THAW_OK);
    for (int32_t e = 0; e < thaw_world_sleep_event_count(world); e++) {
        fell += events[e].kind == THAW_SLEEP_FELL;
        assert_int_equal(events[e].body, e);
        assert_int_equal(events[e].elements, thaw_world_element_count(world, e));
    }
    assert_int_equal(fell, 4);
    assert_int_equal(thaw_world_wake(world, 3), THAW_OK); // a muscle: its bone wakes with it, and what it lies on
    for (int32_t b = 0; b < 4; b++)
        assert_false(thaw_world_is_asleep(world, b));
    run_world(world, 5);
    assert_int_equal(thaw_world_validate(world, NULL), THAW_OK);
    thaw_world_free(&world);
    thaw_scene_free(&scene);
}

// What hits the muscle wakes the bone.
static void a_blow_wakes_all_of_it(void **state) {
    (void)state;
    ThawWorld *world = make_world(SCENE(DOWN,
                                        LIMB("a", "0.02", "0.02", "") ", {\"name\": \"stone\", \"shape\": \"muscle\", "
                                                                      "\"position\": [0.42, 0, 6]}",
                                        FLOOR),
                                  1);
    ThawStepStats stats = {0};
    int slept = 0, woken = -1;
    for (int i = 0; i < 400 && woken < 0; i++) {
        step_world(world, &stats);
        assert_int_equal(thaw_world_is_asleep(world, 0), thaw_world_is_asleep(world, 1));
        slept |= thaw_world_is_asleep(world, 1);
        if (slept && !thaw_world_is_asleep(world, 1))
            woken = i;
    }
    ThawSleepEvent events[16];
    assert_true(slept && woken > 0);
    assert_in_range(thaw_world_sleep_event_count(world), 2, 16);
    assert_int_equal(thaw_world_get_sleep_events(world, events), THAW_OK);
    for (int e = 0; e < 2; e++) {
        assert_int_equal(events[e].body, e);
        assert_int_equal(events[e].kind, THAW_SLEEP_ROSE);
        assert_int_equal(events[e].reason, THAW_REASON_CONTACT);
    }
    thaw_world_free(&world);
}

// The static solution is that of all elements, so both bodies are held.
static void it_may_start_at_rest(void **state) {
    (void)state;
    ThawWorld *world =
        make_world(SCENE(DOWN, LIMB("a", "0.5", "0.5", ", \"start\": \"rest\", \"pins\": [\"x-min\"]"), FLOOR), 1);
    for (int i = 0; i < 5; i++)
        assert_int_equal(run_world(world, 1).asleep, 2);
    double x[3 * MUSCLE], lowest = 1;
    assert_int_equal(thaw_world_get_positions(world, 1, x), THAW_OK);
    for (int i = 0; i < MUSCLE; i++)
        lowest = fmin(lowest, x[3 * i + 2]);
    assert_true(lowest < 0.499); // it hangs
    thaw_world_free(&world);
}

// --- state and what is told ------------------------------------------------------------------------------------------

static int is_ripe(const ThawWorld *world, const ThawStepStats *stats) { return world && stats->contacts > 0; }

static void it_is_saved_and_resumed_bit_for_bit(void **state) {
    (void)state;
    assert_true(bits_across_checkpoints(STACK, 120, at("limb.h5"), is_ripe) > 5);
    assert_true(bits_across_checkpoints(FALLING, 400, at("limb.h5"), is_ripe) > 5); // asleep, too
}

typedef struct Impatient {
    atomic_int asked;
    int patience;
} Impatient;

static int wanted(void *context) {
    Impatient *who = context;
    return atomic_fetch_add(&who->asked, 1) >= who->patience;
}

static void a_step_that_is_cancelled_leaves_no_trace(void **state) {
    (void)state;
    ThawWorld *worlds[2] = {make_world(STACK, 1), make_world(STACK, 1)};
    int cancelled = 0;
    for (int i = 0; i < 150; i++) {
        Impatient who = {.patience = i % 7};
        const uint64_t before = thaw_world_full_hash(worlds[0]);
        assert_int_equal(thaw_world_set_cancel(worlds[0], &(ThawCancel){wanted, &who}), THAW_OK);
        ThawStatus status = thaw_world_step(worlds[0], NULL, NULL);
        assert_int_equal(thaw_world_set_cancel(worlds[0], NULL), THAW_OK);
        if (status == THAW_CANCELLED) {
            cancelled++;
            assert_true(thaw_world_full_hash(worlds[0]) == before);
            run_world(worlds[0], 1);
        }
        run_world(worlds[1], 1);
        assert_true(thaw_world_full_hash(worlds[0]) == thaw_world_full_hash(worlds[1]));
    }
    assert_true(cancelled > 50);
    for (int i = 0; i < 2; i++)
        thaw_world_free(&worlds[i]);
}

static void its_bodies_are_told_apart(void **state) {
    (void)state;
    ThawWorld *world = make_world(STACK, 1);
    run_world(world, 3);
    for (int32_t b = 0; b < 4; b++)
        for (int32_t e = 0; e < thaw_world_element_count(world, b); e += 5) {
            ThawElementReport report;
            assert_int_equal(thaw_world_explain(world, b, e, &report, NULL), THAW_OK);
            assert_int_equal(report.body, b);
            assert_int_equal(report.element, e);
            assert_int_equal(report.state, b % 2 ? THAW_ELEMENT_ELASTIC : THAW_ELEMENT_RIGID);
        }
    assert_string_equal(thaw_world_body_name(world, 3), "muscle b");
    assert_string_equal(thaw_world_get_method(world, 3), "limb");
    assert_int_equal(thaw_world_set_method(world, 3, "full", NULL), THAW_OK); // of the unit
    assert_string_equal(thaw_world_get_method(world, 2), "full");
    assert_string_equal(thaw_world_get_method(world, 1), "limb");
    ThawStepStats stats = run_world(world, 1);
    assert_int_equal(stats.dofs, UNKNOWNS + 3 * NV);
    assert_int_equal(thaw_world_set_method(world, 2, "limb", NULL), THAW_OK);
    assert_int_equal(run_world(world, 1).dofs, 2 * UNKNOWNS);
    thaw_world_free(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_bodies_are_solved_by_one_set_of_unknowns),
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(it_falls_lies_and_sleeps_as_one),
        cmocka_unit_test(a_blow_wakes_all_of_it),
        cmocka_unit_test(it_may_start_at_rest),
        cmocka_unit_test(it_is_saved_and_resumed_bit_for_bit),
        cmocka_unit_test(a_step_that_is_cancelled_leaves_no_trace),
        cmocka_unit_test(its_bodies_are_told_apart),
    };
    return thaw_method_register(&limb_method) < 0 ? 1 : cmocka_run_group_tests(tests, make_folder, drop_folder);
}
