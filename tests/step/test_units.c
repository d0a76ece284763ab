// SPDX-License-Identifier: Apache-2.0
// Units: bodies that are moved together by one stepper. The reference moves every vertex for itself, so bodies of a
// unit go where they would go alone, whatever touches, holds, pulls or drives them, and whoever looks at them sees the
// same bodies. (What methods make of a unit: method/test_limb.c.)
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/folder.h"
#include "support/world.h"
#include "thaw/field.h"

// Four bodies: one alone, a unit of two, one alone. In the world's axes, where units stay (docs/motion.md).
#define SCENE(unit, time, a, b, c, d, more)                                                                            \
    "{\"thaw\": 1, \"time\": {\"step\": 0.005, \"steps\": 60" time "}, \"solver\": {\"tolerance\": 1e-13}, "           \
    "\"contact\": {\"tolerance\": 1e-10}, "                                                                            \
    "\"materials\": {\"stiff\": {\"density\": 1800, \"young\": 1e6, \"poisson\": 0.3, \"alpha1\": 0.001}, "            \
    "\"soft\": {\"density\": 1000, \"young\": 1e5, \"poisson\": 0.4, \"alpha1\": 0.01}}, \"shapes\": {"                \
    "\"bone\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.4, 0.1, 0.1], \"cells\": [4, 1, 1]}}, "           \
    "\"material\": \"stiff\"}, \"muscle\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.2, 0.1, 0.1], "       \
    "\"cells\": [3, 2, 2]}}, \"material\": \"soft\"}}, \"bodies\": ["                                                  \
    "{\"name\": \"first\", \"shape\": \"muscle\", \"position\": [-0.4, 0, 0.3]" a "}, "                                \
    "{\"name\": \"bone\", \"shape\": \"bone\", " unit "\"position\": [0, 0, 0.3], \"rotation\": {\"axis\": "           \
    "[0, 1, 0], \"degrees\": 5}" b "}, "                                                                               \
    "{\"name\": \"muscle\", \"shape\": \"muscle\", " unit "\"position\": [0.1, 0, 0.41]" c "}, "                       \
    "{\"name\": \"last\", \"shape\": \"bone\", \"position\": [0.05, 0.02, 0.6]" d "}]" more "}"
#define ARM "\"unit\": \"arm\", "
#define ONCE ", \"integrator\": \"semi-implicit\""
#define NEWTON ", \"integrator\": \"newton\", \"newton_tolerance\": 1e-11"
#define FLOOR ", \"obstacles\": [{\"plane\": {}, \"friction\": 0.8, \"position\": [0, 0, 0.25]}]"
#define SPUN ", \"spin\": [1, -2, 0.5], \"velocity\": [0.2, 0, 0.1]"
#define DRIVEN                                                                                                         \
    ", \"pins\": [{\"group\": \"x-min\", \"release\": 0.15}], \"forces\": [{\"group\": \"x-max\", \"total\": "         \
    "[0, 3, 0]}]"
#define MOVED                                                                                                          \
    ", \"scripts\": [{\"group\": \"x-max\", \"keys\": [{\"time\": 0}, {\"time\": 0.2, \"translation\": [0.03, 0, "     \
    "0.02]}]}]"
#define GLUE                                                                                                           \
    ", \"attachments\": [{\"body\": \"muscle\", \"group\": \"z-min\", \"to\": \"bone\"}, {\"body\": "                  \
    "\"bone\", \"group\": \"x-min\", \"to\": \"first\", \"stiffness\": 300}]"
#define CUT ", \"changes\": [{\"at\": 0.05, \"remove\": {\"box\": {\"min\": [0.1, -1, -1], \"max\": [1, 1, 1]}}}]"

typedef struct Pair {
    ThawWorld *joined, *apart;
} Pair;

static Pair make_pair(const char *joined, const char *apart) {
    return (Pair){make_world(joined, 1), make_world(apart, 2)};
}

static void free_pair(Pair *pair) {
    thaw_world_free(&pair->joined);
    thaw_world_free(&pair->apart);
}

static double most_apart(const Pair *pair) {
    double most = 0;
    for (int32_t b = 0; b < thaw_world_body_count(pair->apart); b++)
        most = fmax(most, worlds_apart(pair->joined, pair->apart, b));
    return most;
}

// Steps of both; how far they are apart in the end, m. *closed: by how much the ledger of the unit's world is open.
static double run_pair(Pair *pair, int steps, double *closed) {
    ThawStepStats stats[2] = {{0}};
    ThawLedger start;
    assert_int_equal(thaw_world_get_ledger(pair->joined, &start), THAW_OK);
    for (int i = 0; i < steps; i++) {
        step_world(pair->joined, &stats[0]);
        step_world(pair->apart, &stats[1]);
        assert_int_equal(stats[0].dofs, stats[1].dofs);
        assert_int_equal(stats[0].elastic_elements, stats[1].elastic_elements);
        assert_int_equal(stats[0].inverted, stats[1].inverted);
    }
    ThawLedger end = stats[0].ledger;
    *closed = fabs(ledger_balance(&end) - ledger_balance(&start)) / (fabs(end.kinetic) + fabs(end.elastic));
    return most_apart(pair);
}

// --- motion ----------------------------------------------------------------------------------------------------------

static void bodies_of_a_unit_move_as_they_would_alone(void **state) {
    (void)state;
    static const struct {
        const char *what, *joined, *apart;
        double most; // m
    } cases[] = {
#define BOTH(what, most, ...) {what, SCENE(ARM, __VA_ARGS__), SCENE("", __VA_ARGS__), most}
        BOTH("free flight", 1e-12, ONCE, SPUN, SPUN, "", SPUN, ""),
        BOTH("free flight, newton", 1e-12, NEWTON, SPUN, SPUN, "", SPUN, ""),
        BOTH("pins, scripts, forces", 1e-12, ONCE, "", DRIVEN, MOVED, "", ""),
        BOTH("pins, scripts, forces, newton", 1e-12, NEWTON, "", DRIVEN, MOVED, "", ""),
        BOTH("contact with each other and with others", 1e-10, ONCE, "", "", "", "", FLOOR),
        BOTH("contact, newton", 1e-10, NEWTON, "", "", "", "", FLOOR),
        // A step whose matrix is not definite is projected, of all bodies that it is of: so this one is not.
        BOTH("attachments", 1e-12, ONCE ", \"projection\": \"never\"", SPUN, "", "", "", GLUE),
        BOTH("a neighbour that loses elements", 1e-12, ONCE, CUT, SPUN, "", "", ""),
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Pair pair = make_pair(cases[i].joined, cases[i].apart);
        double closed, apart = run_pair(&pair, 40, &closed);
        print_message("%s: apart by %.2g m, ledger open by %.2g\n", cases[i].what, apart, closed);
        assert_true(apart <= cases[i].most);
        free_pair(&pair);
    }
}

static void momentum_of(const ThawWorld *world, double p[3], double L[3]) {
    memset(p, 0, 3 * sizeof *p);
    memset(L, 0, 3 * sizeof *L);
    for (int32_t b = 0; b < thaw_world_body_count(world); b++) {
        const size_t nv = (size_t)thaw_world_vertex_count(world, b);
        double *x = calloc(7 * nv, sizeof *x), *v = x + 3 * nv, *m = v + 3 * nv;
        assert_non_null(x);
        assert_int_equal(thaw_world_get_positions(world, b, x), THAW_OK);
        assert_int_equal(thaw_world_get_velocities(world, b, v), THAW_OK);
        assert_int_equal(thaw_world_get_masses(world, b, m), THAW_OK);
        for (size_t i = 0; i < nv; i++)
            for (size_t k = 0; k < 3; k++) {
                const size_t a = (k + 1) % 3, c = (k + 2) % 3;
                p[k] += m[i] * v[3 * i + k];
                L[k] += m[i] * (x[3 * i + a] * v[3 * i + c] - x[3 * i + c] * v[3 * i + a]);
            }
        free(x);
    }
}

// A muscle that is thrown at its own bone: what touches inside a unit pushes itself nowhere, and turns itself no more
// than two bodies do.
static void momentum_is_kept_by_contact_within_a_unit(void **state) {
    (void)state;
    static const char *const scenes[] = {
        SCENE(ARM, ONCE, "", "", ", \"velocity\": [0, 0, -1]", "", ", \"gravity\": [0, 0, 0]"),
        SCENE("", ONCE, "", "", ", \"velocity\": [0, 0, -1]", "", ", \"gravity\": [0, 0, 0]")};
    double p[2][2][3], L[2][2][3];
    int within[2] = {0, 0};
    for (int w = 0; w < 2; w++) {
        ThawWorld *world = make_world(scenes[w], 1);
        momentum_of(world, p[w][0], L[w][0]);
        for (int i = 0; i < 60; i++) {
            ThawContactPoint points[100];
            run_world(world, 1);
            assert_true(thaw_world_contact_count(world) <= 100);
            assert_int_equal(thaw_world_get_contacts(world, points), THAW_OK);
            for (int32_t c = 0; c < thaw_world_contact_count(world); c++)
                within[w] += points[c].body[0] + points[c].body[1] == 3 && points[c].normal_force > 0;
        }
        momentum_of(world, p[w][1], L[w][1]);
        thaw_world_free(&world);
    }
    print_message("%d points touch within; p off by %.2g\n", within[0], fabs(p[0][1][2] - p[0][0][2]));
    assert_true(within[0] > 20 && within[0] == within[1]);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(p[0][1][k] - p[0][0][k]) < 1e-11 && fabs(L[0][1][k] - L[1][1][k]) < 1e-9);
}

static void contact_within_a_unit_can_be_left_out(void **state) {
    (void)state;
    ThawWorld *world = make_world(SCENE(ARM, ONCE, "", "", ", \"velocity\": [0, 0, -1]", "",
                                        ", \"gravity\": [0, 0, 0], \"pairs\": [{\"between\": [\"bone\", \"muscle\"], "
                                        "\"enabled\": false}]"),
                                  1);
    for (int i = 0; i < 30; i++)
        assert_int_equal(run_world(world, 1).contacts, 0);
    thaw_world_free(&world);
}

// --- looking ---------------------------------------------------------------------------------------------------------

static void assert_near(const double *a, const double *b, size_t count, double most) {
    double scale = 0;
    for (size_t i = 0; i < count; i++)
        scale = fmax(scale, fabs(b[i]));
    for (size_t i = 0; i < count; i++)
        assert_true(fabs(a[i] - b[i]) <= most * scale);
}

static void whoever_looks_sees_the_same_bodies(void **state) {
    (void)state;
    Pair pair = make_pair(SCENE(ARM, ONCE, "", "", "", "", FLOOR), SCENE("", ONCE, "", "", "", "", FLOOR));
    const ThawWorld *worlds[] = {pair.joined, pair.apart};
    double closed, *values[2] = {calloc(4000, sizeof(double)), calloc(4000, sizeof(double))};
    int32_t *ids[2] = {calloc(4000, sizeof(int32_t)), calloc(4000, sizeof(int32_t))};
    run_pair(&pair, 40, &closed);
    assert_int_equal(thaw_world_contact_count(pair.joined), thaw_world_contact_count(pair.apart));
    for (int32_t b = 0; b < 4; b++) {
        const size_t nv = (size_t)thaw_world_vertex_count(pair.joined, b);
        const int32_t ne = thaw_world_element_count(pair.joined, b);
        assert_string_equal(thaw_world_body_name(pair.joined, b), thaw_world_body_name(pair.apart, b));
        assert_int_equal(nv, thaw_world_vertex_count(pair.apart, b));
        assert_int_equal(ne, thaw_world_element_count(pair.apart, b));
        assert_string_equal(thaw_world_get_method(pair.joined, b), "full");
        for (int w = 0; w < 2; w++)
            assert_int_equal(thaw_world_get_elements(worlds[w], b, ids[w]), THAW_OK);
        assert_memory_equal(ids[0], ids[1], sizeof(int32_t) * 4 * (size_t)ne);
        for (int w = 0; w < 2; w++)
            assert_int_equal(thaw_world_get_masses(worlds[w], b, values[w]), THAW_OK);
        assert_memory_equal(values[0], values[1], sizeof(double) * nv);
        for (int32_t f = 0; f < thaw_field_count(); f++) {
            const ThawField *field = thaw_field(f);
            const size_t count = field->place == THAW_FIELD_VERTEX ? nv : (size_t)ne;
            for (int w = 0; w < 2; w++)
                assert_int_equal(thaw_world_get_field(worlds[w], b, f, values[w]), THAW_OK);
            assert_near(values[0], values[1], count * (size_t)field->components, 1e-3);
        }
        for (int32_t e = 0; e < ne; e += 7) {
            ThawElementReport report;
            assert_int_equal(thaw_world_explain(pair.joined, b, e, &report, NULL), THAW_OK);
            assert_int_equal(report.body, b);
            assert_int_equal(report.element, e);
        }
    }
    ThawContactPoint points[2][100];
    for (int w = 0; w < 2; w++)
        assert_int_equal(thaw_world_get_contacts(worlds[w], points[w]), THAW_OK);
    for (int32_t c = 0; c < thaw_world_contact_count(pair.joined); c++) {
        assert_memory_equal(points[0][c].body, points[1][c].body, sizeof points[0][c].body);
        for (int s = 0; s < 2; s++)
            for (int k = 0; k < points[0][c].nodes[s]; k++)
                assert_int_equal(points[0][c].vertex[s][k], points[1][c].vertex[s][k]);
    }
    for (int w = 0; w < 2; w++) {
        free(values[w]);
        free(ids[w]);
    }
    free_pair(&pair);
}

static void a_body_of_a_unit_can_be_pushed_and_set(void **state) {
    (void)state;
    Pair pair = make_pair(SCENE(ARM, ONCE, "", "", "", "", ""), SCENE("", ONCE, "", "", "", "", ""));
    ThawWorld *worlds[] = {pair.joined, pair.apart};
    const int32_t nv = thaw_world_vertex_count(pair.joined, 2);
    double *f = calloc(3 * (size_t)nv, sizeof *f), closed;
    for (int32_t i = 0; i < 3 * nv; i++)
        f[i] = 0.1 * sin(i);
    for (int w = 0; w < 2; w++) {
        assert_int_equal(thaw_world_set_forces(worlds[w], 2, f), THAW_OK);
        assert_int_equal(thaw_world_set_velocities(worlds[w], 2, f), THAW_OK);
    }
    assert_true(run_pair(&pair, 20, &closed) < 1e-11);
    for (int w = 0; w < 2; w++) {
        assert_int_equal(thaw_world_get_positions(worlds[w], 2, f), THAW_OK);
        f[0] += 0.01;
        assert_int_equal(thaw_world_set_positions(worlds[w], 2, f), THAW_OK);
        assert_int_equal(thaw_world_set_forces(worlds[w], 2, NULL), THAW_OK);
    }
    assert_true(run_pair(&pair, 20, &closed) < 1e-10);
    free(f);
    free_pair(&pair);
}

// --- state -----------------------------------------------------------------------------------------------------------

static int any_time(const ThawWorld *world, const ThawStepStats *stats) { return world && stats; }

static void units_are_saved_and_resumed_bit_for_bit(void **state) {
    (void)state;
    assert_true(bits_across_checkpoints(SCENE(ARM, ONCE, SPUN, "", "", "", FLOOR GLUE), 60, at("unit.h5"), any_time) >
                5);
    assert_true(bits_across_checkpoints(SCENE(ARM, ", \"integrator\": \"tr-bdf2\"", SPUN, "", "", "", FLOOR), 60,
                                        at("unit.h5"), any_time) > 5);
}

static void a_checkpoint_of_other_units_is_refused(void **state) {
    (void)state;
    Pair pair = make_pair(SCENE(ARM, ONCE, "", "", "", "", ""), SCENE("", ONCE, "", "", "", "", ""));
    ThawError error = {0};
    assert_int_equal(thaw_world_save(pair.joined, at("unit.h5"), &error), THAW_OK);
    assert_int_equal(thaw_world_load(pair.apart, at("unit.h5"), &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "units"));
    assert_int_equal(thaw_world_save(pair.apart, at("unit.h5"), &error), THAW_OK);
    assert_int_equal(thaw_world_load(pair.joined, at("unit.h5"), &error), THAW_ERROR_INPUT);
    remove(at("unit.h5"));
    free_pair(&pair);
}

static void static_solves_take_units(void **state) {
    (void)state;
#define PINNED ", \"pins\": [\"x-min\"]"
    Pair pair = make_pair(SCENE(ARM, ONCE, PINNED, PINNED, PINNED, PINNED, ""),
                          SCENE("", ONCE, PINNED, PINNED, PINNED, PINNED, ""));
    ThawError error = {0};
    assert_int_equal(thaw_world_solve_static(pair.joined, NULL, &error), THAW_OK);
    assert_int_equal(thaw_world_solve_static(pair.apart, NULL, &error), THAW_OK);
    assert_true(most_apart(&pair) < 1e-9);
    free_pair(&pair);
    pair = make_pair(SCENE(ARM, ONCE, PINNED, PINNED, "", PINNED, GLUE),
                     SCENE("", ONCE, PINNED, PINNED, "", PINNED, GLUE));
    assert_int_equal(thaw_world_solve_static(pair.joined, NULL, &error), THAW_OK);
    assert_int_equal(thaw_world_solve_static(pair.apart, NULL, &error), THAW_OK);
    print_message("apart by %.2g m\n", most_apart(&pair));
    assert_true(most_apart(&pair) < 1e-8);
    free_pair(&pair);
}

// --- definitions -----------------------------------------------------------------------------------------------------

static void assert_refused(const char *text, const char *message) {
    ThawScene *scene = NULL;
    ThawWorld *world = NULL;
    ThawError error = {0};
    ThawStatus status = thaw_scene_parse(text, strlen(text), "scene", NULL, &scene, &error);
    if (status == THAW_OK)
        status = thaw_world_create(&scene->world, &world, &error);
    assert_int_equal(status, THAW_ERROR_INPUT);
    if (!strstr(error.message, message))
        fail_msg("%s, and not: %s", error.message, message);
    thaw_scene_free(&scene);
}

static void units_that_make_no_sense_are_refused(void **state) {
    (void)state;
#define METHOD(name) ", \"method\": \"" name "\""
    assert_refused(
        SCENE(ARM, ONCE, "", "", "", ", \"unit\": \"hand\"}, {\"name\": \"x\", \"shape\": \"bone\", \"unit\": \"arm\"",
              ""),
        "body 4 (x): unit is \"arm\", whose last body was 2 (muscle); allowed: bodies of a unit follow each");
    assert_refused(SCENE(ARM, ONCE, "", METHOD("rigidify"), METHOD("rigidify"), "", ""),
                   "body 1 (bone): unit \"arm\": the method \"rigidify\" moves each body by itself");
    assert_refused(SCENE(ARM, ONCE, "", "", ", \"rigidify\": {\"sleep\": 0}", "", ""),
                   "body 2 (muscle): unit \"arm\": it has options of its own; allowed: of the unit's first body only");
    assert_refused(SCENE(ARM, ONCE, "", "", CUT, "", ""),
                   "body 2 (muscle): unit \"arm\": its shape changes; allowed: shapes of bodies in a unit stay");
    assert_refused(SCENE("\"unit\": \"\", ", "", "", "", "", "", ""), "unit");
    assert_refused(SCENE("\"unit\": 3, ", "", "", "", "", "", ""), "unit");
    ThawWorld *world = make_world(SCENE(ARM, ONCE, "", ", \"rigidify\": {\"sleep\": 0}", "", "", ""), 1);
    const ThawChangeDef change = {.kind = THAW_CHANGE_REMOVE, .group = -1, .where = {.select = THAW_SELECT_ALL}};
    ThawError error = {0};
    assert_int_equal(thaw_world_change(world, 2, &change, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "body 2 (muscle): change: it is of unit \"arm\""));
    assert_int_equal(thaw_world_set_method(world, 1, "rigidify", &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "unit \"arm\": the method \"rigidify\" moves each body by itself"));
    assert_int_equal(thaw_world_set_method(world, -1, "rigidify", &error), THAW_ERROR_INPUT);
    assert_string_equal(thaw_world_get_method(world, 0), "full"); // nothing has changed
    assert_int_equal(thaw_world_set_method(world, 3, "rigidify", &error), THAW_OK);
    double value;
    assert_int_equal(thaw_world_set_option(world, 2, "rigidify", "sleep", 30, &error), THAW_OK); // of the unit
    for (int32_t b = 0; b < 4; b++) {
        assert_int_equal(thaw_world_get_option(world, b, "rigidify", "sleep", &value), THAW_OK);
        assert_true((value == 30) == (b == 1 || b == 2));
    }
    thaw_world_free(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_of_a_unit_move_as_they_would_alone),
        cmocka_unit_test(momentum_is_kept_by_contact_within_a_unit),
        cmocka_unit_test(contact_within_a_unit_can_be_left_out),
        cmocka_unit_test(whoever_looks_sees_the_same_bodies),
        cmocka_unit_test(a_body_of_a_unit_can_be_pushed_and_set),
        cmocka_unit_test(units_are_saved_and_resumed_bit_for_bit),
        cmocka_unit_test(a_checkpoint_of_other_units_is_refused),
        cmocka_unit_test(static_solves_take_units),
        cmocka_unit_test(units_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
