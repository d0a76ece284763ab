// SPDX-License-Identifier: Apache-2.0
// Rest is rest: what an obstacle carries is the weight on it, whatever the step, the integrator or the form of the law;
// a stack stands; overlaps at the start are undone gently.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "contact_physics/support_touch.h"
#include "math/vec3.h"
#include "step/step.h"
#include "support/repeats.h"

#define MATERIAL "'materials': {'m': {'density': 1000, 'young': %g, 'poisson': 0.3, 'alpha1': 0.01}},"

static Touch cube_on_floor(int dim, double h, const char *integrator, const char *contact) {
    if (dim == 2)
        return touch_open(
            "{'thaw': 1, 'dimension': 2, 'time': {'step': %.17g, 'integrator': '%s'}," MATERIAL
            " 'shapes': {'cube': {'mesh': {'box': {'min': [-0.1, 0], 'max': [0.1, 0.2], 'cells': [3, 3]}}, 'material': "
            "'m'}},"
            " 'bodies': [{'shape': 'cube', 'position': [0, 0.01]}], 'obstacles': [{'plane': {}}], 'contact': {%s}}",
            h, integrator, 2e5, contact);
    return touch_open(
        "{'thaw': 1, 'time': {'step': %.17g, 'integrator': '%s'}," MATERIAL
        " 'shapes': {'cube': {'mesh': {'box': {'min': [-0.1, -0.1, 0], 'max': [0.1, 0.1, 0.2], 'cells': [3, 3, 3]}},"
        " 'material': 'm'}},"
        " 'bodies': [{'shape': 'cube', 'position': [0, 0, 0.01]}], 'obstacles': [{'plane': {}}], 'contact': {%s}}",
        h, integrator, 2e5, contact);
}

static void the_floor_carries_the_weight(void **state) {
    (void)state;
    static const char *const contacts[] = {"", "'stiffness': 'hard'", "'erp': 0.2, 'cfm': 0.01", "'friction': 'box'",
                                           "'stiffness': 1e4"};
    for (int dim = 2; dim <= 3; dim++)
        for (int i = 0; i < 5; i++)
            for (int newton = 0; newton < 2; newton++) {
                Touch t = cube_on_floor(dim, 0.01, newton ? "newton" : "semi-implicit", contacts[i]);
                touch_run(&t, 300);
                double force[3], weight = 9.81 * touch_mass(&t, 0);
                assert_int_equal(thaw_world_get_reaction(t.world, 0, force), THAW_OK);
                printf("%dD {%s} %s: reaction / weight - 1 = %.2e, across %.1e, residual %.1e\n", dim, contacts[i],
                       newton ? "newton" : "semi-implicit", force[dim - 1] / weight - 1, force[0] / weight, t.residual);
                assert_true(fabs(force[dim - 1] / weight - 1) < 1e-3);
                assert_true(fabs(force[0] / weight) < 1e-3);
                touch_close(&t);
            }
}

// The whole distribution, vertex by vertex, and not only its sum. Without friction, which remembers how the cube
// landed.
static void halving_the_step_changes_no_resting_force(void **state) {
    (void)state;
    double *first = NULL, most = 0;
    for (int i = 0; i < 3; i++) {
        Touch t = cube_on_floor(3, 0.01 / (1 << i), "semi-implicit", "");
        for (int32_t k = 0; k < t.scene->world.body_count; k++)
            ((ThawBodyDef *)t.scene->world.bodies)[k].friction = 0;
        thaw_world_free(&t.world);
        assert_int_equal(thaw_world_create(&t.scene->world, &t.world, NULL), THAW_OK);
        touch_run(&t, 400 << i);
        int32_t n = thaw_world_vertex_count(t.world, 0);
        double *f = calloc(3 * (size_t)n, sizeof *f), worst = 0;
        assert_int_equal(thaw_world_get_contact_forces(t.world, 0, f), THAW_OK);
        for (int32_t k = 0; k < 3 * n; k++) {
            most = i ? most : fmax(most, fabs(f[k]));
            worst = first ? fmax(worst, fabs(f[k] - first[k])) : 0;
        }
        if (first) {
            printf("h / %d: resting forces differ by %.2e of the largest\n", 1 << i, worst / most);
            assert_true(worst < 0.01 * most);
            free(f);
        } else {
            first = f;
        }
        touch_close(&t);
    }
    free(first);
}

// Contact forces of a body at rest, 3 doubles a vertex.
static double *forces_of(const Touch *t) {
    double *f = calloc(3 * (size_t)thaw_world_vertex_count(t->world, 0), sizeof *f);
    assert_int_equal(thaw_world_get_contact_forces(t->world, 0, f), THAW_OK);
    return f;
}

static double difference(const Touch *t, const double *f, const double *g) {
    double worst = 0, most = 0;
    for (int32_t k = 0; k < 3 * thaw_world_vertex_count(t->world, 0); k++) {
        most = fmax(most, fabs(f[k]));
        worst = fmax(worst, fabs(f[k] - g[k]));
    }
    return worst / most;
}

// Friction is as much of the landing as of the load: sticking contacts keep the forces they were locked with. So it is
// the same locked state that must stay when the step changes, normal forces and friction alike.
static void what_friction_has_locked_stays_when_the_step_is_halved(void **state) {
    (void)state;
    Touch t = cube_on_floor(3, 0.01, "semi-implicit", "");
    touch_run(&t, 400);
    double *locked = forces_of(&t), friction = 0, *f;
    for (int32_t i = 0; i < thaw_world_vertex_count(t.world, 0); i++)
        friction = fmax(friction, hypot(locked[3 * i], locked[3 * i + 1]));
    for (int i = 1; i <= 3; i++) {
        t.world->model->options.h = 0.01 / (1 << i);
        touch_run(&t, 100 << i);
        f = forces_of(&t);
        printf("h / %d: what was locked (friction up to %.3g N) differs by %.2e of the largest\n", 1 << i, friction,
               difference(&t, locked, f));
        assert_true(friction > 0.1 && difference(&t, locked, f) < 1e-4);
        free(f);
    }
    free(locked);
    touch_close(&t);
}

// Set down instead of dropped: it touches from the start, in air so thick that it does not swing.
static void a_body_that_is_set_down_gently_rests_alike_whatever_the_step(void **state) {
    (void)state;
    double *first = NULL;
    for (int i = 0; i < 3; i++) {
        Touch t = touch_open(
            "{'thaw': 1, 'time': {'step': %.17g}, 'materials': {'m': {'density': 1000, 'young': 2e5, 'poisson': 0.3,"
            " 'alpha0': 200, 'alpha1': 0.01}},"
            " 'shapes': {'cube': {'mesh': {'box': {'min': [-0.1, -0.1, 0], 'max': [0.1, 0.1, 0.2], 'cells': [3, 3, "
            "3]}},"
            " 'material': 'm'}}, 'bodies': [{'shape': 'cube'}], 'obstacles': [{'plane': {}}]}",
            0.01 / (1 << i));
        touch_run(&t, 600 << i);
        double *f = forces_of(&t);
        if (first) {
            printf("set down, h / %d: resting forces differ by %.2e of the largest\n", 1 << i,
                   difference(&t, first, f));
            assert_true(difference(&t, first, f) < 0.01);
            free(f);
        } else
            first = f;
        touch_close(&t);
    }
    free(first);
}

static void newton_comes_to_the_same_rest(void **state) {
    (void)state;
    double *x[2];
    for (int newton = 0; newton < 2; newton++) {
        Touch t = cube_on_floor(3, 0.01, newton ? "newton" : "semi-implicit", "");
        touch_run(&t, 400);
        x[newton] = touch_positions(&t, 0);
        if (newton) {
            printf("rest states differ by %.2e m\n", touch_moved(&t, 0, x[0]));
            assert_true(touch_moved(&t, 0, x[0]) < 1e-6);
        }
        touch_close(&t);
    }
    free(x[0]);
    free(x[1]);
}

static void pressures_add_up_to_the_weight(void **state) {
    (void)state;
    Touch t = cube_on_floor(3, 0.01, "semi-implicit", "");
    touch_run(&t, 300);
    int32_t n = thaw_world_vertex_count(t.world, 0), touching = 0;
    double *p = calloc((size_t)n, sizeof *p), mean = 0;
    assert_int_equal(thaw_world_get_contact_pressures(t.world, 0, p, NULL), THAW_OK);
    for (int32_t i = 0; i < n; i++)
        if (p[i] > 0) {
            touching++;
            mean += p[i];
        }
    printf("%d vertices touch at %.4g Pa on average; %.4g Pa is the weight over the face\n", touching, mean / touching,
           1000 * 9.81 * 0.2);
    assert_int_equal(touching, 16);
    assert_true(fabs(mean / touching / (1000 * 9.81 * 0.2) - 1) < 0.2);
    free(p);
    touch_close(&t);
}

static void a_landing_is_told_once_and_so_is_leaving(void **state) {
    (void)state;
    Touch t = cube_on_floor(3, 0.01, "semi-implicit", "");
    int began = 0, ended = 0;
    ThawContactEvent event[4];
    for (int i = 0; i < 200; i++) {
        touch_run(&t, 1);
        int32_t count = thaw_world_event_count(t.world);
        assert_in_range(count, 0, 1);
        assert_int_equal(thaw_world_get_events(t.world, event), THAW_OK);
        for (int k = 0; k < count; k++) {
            assert_int_equal(event[k].body[0], 0);
            assert_int_equal(event[k].body[1], -1);
            began += event[k].began;
            ended += !event[k].began;
        }
    }
    assert_int_equal(began, ended + 1);
    ThawContactPoint points[64];
    int32_t count = thaw_world_contact_count(t.world);
    assert_int_equal(count, 16);
    assert_int_equal(thaw_world_get_contacts(t.world, points), THAW_OK);
    double sum = 0;
    for (int i = 0; i < count; i++) {
        assert_true(points[i].normal[2] == 1 && !points[i].began && points[i].nodes[0] == 1 && points[i].nodes[1] == 0);
        assert_true(points[i].gap < 0 && points[i].force[2] == points[i].normal_force);
        sum += points[i].force[2];
    }
    assert_true(fabs(sum / (9.81 * touch_mass(&t, 0)) - 1) < 1e-3);
    // Thrown up, it leaves.
    int32_t n = thaw_world_vertex_count(t.world, 0);
    double *v = calloc(3 * (size_t)n, sizeof *v);
    for (int32_t i = 0; i < n; i++)
        v[3 * i + 2] = 3;
    assert_int_equal(thaw_world_set_velocities(t.world, 0, v), THAW_OK);
    assert_int_equal(thaw_world_contact_count(t.world), 0);
    free(v);
    for (int i = 0; i < 20; i++) {
        touch_run(&t, 1);
        if (thaw_world_event_count(t.world)) {
            assert_int_equal(thaw_world_get_events(t.world, event), THAW_OK);
            ended += !event[0].began;
        }
    }
    assert_int_equal(began, ended);
    touch_close(&t);
}

// Hard contacts between bodies: the search must find the same ones in every step, or they chatter for ever. And cubes
// that become rigid while they move by more in a step than such contacts are deep must not be pushed awake again.
static void stacks_of_hard_contacts_come_to_rest_and_fall_asleep(void **state) {
    (void)state;
    static const char *const methods[] = {"full", "rigidify", "rigidify"};
    for (int i = 0; i < 3; i++) {
        Touch t = touch_open("{'thaw': 1, 'time': {'step': 0.01}," MATERIAL
                             " 'shapes': {'cube': {'mesh': {'box': {'min': [-0.05, "
                             "-0.05, 0], 'max': [0.05, 0.05, 0.1], 'cells': [3, 3, 3]}},"
                             "   'material': 'm'}},"
                             " 'bodies': [{'shape': 'cube', 'position': [0, 0, 0.001], 'method': '%s'},"
                             "   {'shape': 'cube', 'position': [0.01, 0.004, 0.103], 'method': '%s',"
                             "    'rotation': {'axis': [0, 0, 1], 'degrees': 10}},"
                             "   {'shape': 'cube', 'position': [-0.005, 0, 0.205], 'method': '%s'}],"
                             " 'contact': {'stiffness': 'hard'}, %s 'obstacles': [{'plane': {}}]}",
                             1e6, methods[i], methods[i], methods[i],
                             i < 2 ? "'rigidify': {'tau_rigid': 1e-7, 'epsilon': 2e-4, 'horizon': 1}," : "");
        touch_run(&t, 150);
        double fastest = 0, v[3], deepest = 0;
        int32_t count = thaw_world_contact_count(t.world);
        ThawContactPoint *points = calloc((size_t)count + 1, sizeof *points);
        assert_int_equal(thaw_world_get_contacts(t.world, points), THAW_OK);
        for (int32_t k = 0; k < count; k++)
            deepest = fmax(deepest, -points[k].gap);
        for (int32_t b = 0; b < 3; b++) {
            touch_velocity(&t, b, v);
            fastest = fmax(fastest, thaw_v3_norm(v));
        }
        printf("%s%s: %.1e m/s, %.1e m deep, residual %.1e\n", methods[i], i == 2 ? " by default" : "", fastest,
               deepest, t.residual);
        assert_true(fastest < 1e-6);
        for (int32_t b = 0; b < 3 && i > 0; b++)
            assert_true(thaw_world_is_asleep(t.world, b));
        assert_true(deepest < 3e-4 * 0.0333);
        free(points);
        touch_close(&t);
    }
}

// Relaxation moves a body by what its contacts are said to give. Were they stiffer than that, or did those at the rim
// of friction hold what the question lets go, each move would make other forces, which wake the body: it took turns for
// ever, by steps of tens of thousands of iterations.
static void a_soft_cube_on_hard_contact_falls_asleep_about_as_early_as_on_an_automatic_one(void **state) {
    (void)state;
    static const char *const contacts[] = {"", "'stiffness': 'hard'"};
    int asleep[2];
    for (int i = 0; i < 2; i++) {
        Touch t = touch_open(
            "{'thaw': 1, 'time': {'step': 0.01}, 'materials': {'m': {'young': 2e5, 'poisson': 0.3, 'density': 1000, "
            "'alpha0': 0, 'alpha1': 0}}, 'shapes': {'cube': {'mesh': {'box': {'min': [0, 0, 0], 'max': [0.5, 0.5, "
            "0.5], 'cells': [7, 7, 7]}},"
            "   'material': 'm'}},"
            " 'bodies': [{'shape': 'cube', 'position': [0, 0, 0.1], 'method': 'rigidify'}],"
            " 'obstacles': [{'plane': {}}], 'contact': {%s}, 'pairs': [{'between': ['*', '*'], 'friction': 0.5}]}",
            contacts[i]);
        int64_t iterations = 0;
        int steps = 0;
        for (; steps < 400 && !thaw_world_is_asleep(t.world, 0); steps++) {
            touch_run(&t, 1);
            iterations += t.last.response_iterations;
        }
        printf("{%s}: asleep after %d steps, %d iterations\n", contacts[i], steps, (int)iterations);
        assert_true(thaw_world_is_asleep(t.world, 0));
        assert_true(iterations < 10000);
        asleep[i] = steps;
        // What contacts hold is not forgotten in sleep.
        const double held = t.last.ledger.contact_energy;
        touch_run(&t, 3);
        assert_true(held > 0 && fabs(t.last.ledger.contact_energy - held) <= 1e-12 * held);
        touch_close(&t);
    }
    assert_true(asleep[1] < 1.3 * asleep[0]);
}

// What is pushed off another body by half of what it falls in a step is back within the next: such heaps hopped for
// ever.
static void steel_plates_on_each_other_come_to_rest_and_fall_asleep(void **state) {
    (void)state;
    Touch t = touch_open(
        "{'thaw': 1, 'time': {'step': 0.01}, 'materials': {'m': {'young': 2e11, 'poisson': 0.3, 'density': 7800}},"
        "'shapes': {'plate': {'mesh': {'box': {'min': [-0.1, -0.1, -0.01], 'max': [0.1, 0.1, 0.01], 'cells': [8, 8, "
        "1]}}, 'material': 'm'}},"
        "'bodies': [{'shape': 'plate', 'method': 'rigidify', 'position': [0.0287, -0.0026, 0.2], 'rotation': {'axis': "
        "[0.438, 0.470, -0.570], 'degrees': 14.05}},"
        "{'shape': 'plate', 'method': 'rigidify', 'position': [0.0062, -0.0227, 0.4], 'rotation': {'axis': "
        "[-0.236, 0.779, 0.744], 'degrees': 21.36}},"
        "{'shape': 'plate', 'method': 'rigidify', 'position': [-0.0251, -0.0167, 0.6], 'rotation': {'axis': "
        "[0.656, -0.951, -0.550], 'degrees': 19.30}},"
        "{'shape': 'plate', 'method': 'rigidify', 'position': [-0.0223, 0.0014, 0.8], 'rotation': {'axis': "
        "[-0.633, -0.181, 0.466], 'degrees': 130.14}}],"
        "'obstacles': [{'plane': {}}]}");
    int32_t asleep = 0;
    int steps = 0;
    for (; steps < repeats(1000) && asleep < 4; steps++) { // one stands on its edge, and takes six seconds to lie down
        assert_int_equal(thaw_world_step(t.world, NULL, NULL), THAW_OK);
        asleep = 0;
        for (int32_t b = 0; b < 4; b++)
            asleep += thaw_world_is_asleep(t.world, b);
    }
    printf("%d of 4 plates are asleep after %d steps\n", (int)asleep, steps);
    if (repeats(1000) == 1000) // not under sanitizers, which look for other things
        assert_int_equal(asleep, 4);
    touch_close(&t);
}

static Touch overlapping(const char *contact) {
    return touch_open(
        "{'thaw': 1, 'time': {'step': 0.01}, 'gravity': [0, 0, 0]," MATERIAL
        " 'shapes': {'cube': {'mesh': {'box': {'min': [-0.1, -0.1, -0.1], 'max': [0.1, 0.1, 0.1], 'cells': [3, 3, 3]}},"
        " 'material': 'm'}},"
        " 'bodies': [{'shape': 'cube'}, {'shape': 'cube', 'position': [0.03, 0.02, 0.15]}], 'contact': {%s}}",
        1e5, contact);
}

static void bodies_that_overlap_at_the_start_part_gently(void **state) {
    (void)state;
    static const char *const contacts[] = {"", "'stiffness': 'hard'", "'edges': false"};
    for (int i = 0; i < 3; i++) {
        Touch t = overlapping(contacts[i]);
        double fastest = 0, v[3], gap = 0;
        for (int k = 0; k < 100; k++) {
            touch_run(&t, 1);
            touch_velocity(&t, 1, v);
            fastest = fmax(fastest, thaw_v3_norm(v));
        }
        gap = touch_lowest(&t, 1, 2) - touch_highest(&t, 0, 2);
        printf("{%s}: pushed apart at %.3g m/s at most, gap after 1 s %.3g m\n", contacts[i], fastest, gap);
        assert_true(fastest < 2 && gap > -1e-3);
        touch_close(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_floor_carries_the_weight),
        cmocka_unit_test(halving_the_step_changes_no_resting_force),
        cmocka_unit_test(what_friction_has_locked_stays_when_the_step_is_halved),
        cmocka_unit_test(a_body_that_is_set_down_gently_rests_alike_whatever_the_step),
        cmocka_unit_test(newton_comes_to_the_same_rest),
        cmocka_unit_test(pressures_add_up_to_the_weight),
        cmocka_unit_test(a_landing_is_told_once_and_so_is_leaving),
        cmocka_unit_test(stacks_of_hard_contacts_come_to_rest_and_fall_asleep),
        cmocka_unit_test(a_soft_cube_on_hard_contact_falls_asleep_about_as_early_as_on_an_automatic_one),
        cmocka_unit_test(steel_plates_on_each_other_come_to_rest_and_fall_asleep),
        cmocka_unit_test(bodies_that_overlap_at_the_start_part_gently),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
