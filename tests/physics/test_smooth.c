// SPDX-License-Identifier: Apache-2.0
// What is smooth in contact rolls as theory says, though its mesh has facets; docs/contact.md#smooth-surfaces.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "contact/collider.h"
#include "physics/motion.h"
#include "step/step.h"
#include "support/folder.h"
#include "support/world.h"

// m, how far it rolls in `time` from rest, and how far a rigid disc or ball with its mesh's mass and moment of inertia
// would. size: m, of edges.
static double roll(int dim, const char *method, const char *integrator, double h, const char *material, double size,
                   int degrees, double time, int smooth, double *theory) {
    const double radius = 0.03, slope = degrees * M_PI / 180, g = 9.81;
    ThawWorld *world =
        open_scene(method,
                   "{'thaw': 1, 'dimension': %d, 'gravity': [%.12g, %s%.12g], 'time': {'step': %g, 'integrator': '%s'},"
                   "'materials': {'nodamp': {'young': 1e6, 'density': 1100, 'poisson': 0.45}, 'mid': {'young': 1e8, "
                   "'density': 1100, 'poisson': 0.45}}, 'shapes': {'s': {'mesh': {'solid': {'sphere': {'radius': %g}}, "
                   "'size': %g}, 'material': '%s', "
                   "'smooth': %d}}, 'bodies': [{'shape': 's', 'position': [0, %s%g], 'friction': 1}], 'obstacles': "
                   "[{'plane': {}, 'friction': 1}]}",
                   dim, g * sin(slope), dim == 3 ? "0, " : "", -g * cos(slope), h, integrator, radius, size, material,
                   smooth, dim == 3 ? "0, " : "", radius);
    const Momenta start = measure(world, 0, dim);
    double inertia = 0;
    const ThawStepper *body = &world->steppers[0];
    for (int32_t i = 0; i < body->shape->nv; i++) { // about y in space, z in the plane
        const double dx = body->x[i * dim] - start.c[0], dz = body->x[i * dim + dim - 1] - start.c[dim - 1];
        inertia += body->shape->mass[i] * (dx * dx + dz * dz);
    }
    *theory = g * sin(slope) / (1 + inertia / (start.mass * radius * radius)) * time * time / 2;
    run_world(world, (int)lround(time / h));
    const double way = measure(world, 0, dim).c[0] - start.c[0];
    thaw_world_free(&world);
    return way;
}

// Steel, at 10 degrees; with facets the same mesh is farther off.
static void what_is_smooth_rolls_as_theory_says(void **state) {
    (void)state;
    static const struct {
        int dim;
        const char *method, *integrator;
        double h, size, facets, room; // facets: by how much they are off, at least
    } cases[] = {
        {2, "full", "euler", 0.001, 0.0025, 0.01, 0.005},     {2, "full", "tr-bdf2", 0.001, 0.0025, 0.015, 0.01},
        {2, "rigidify", "euler", 0.001, 0.0025, 0.01, 0.005}, {2, "rigidify", "tr-bdf2", 0.001, 0.0025, 0.01, 0.01},
        {2, "full", "euler", 0.001, 0.006, 0.03, 0.01},       {3, "full", "euler", 0.002, 0.008, 0.05, 0.01},
        {3, "rigidify", "euler", 0.002, 0.008, 0.05, 0.01},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double theory, ways[2];
        for (int s = 0; s < 2; s++)
            ways[s] = roll(cases[i].dim, cases[i].method, cases[i].integrator, cases[i].h, "steel", cases[i].size, 10,
                           0.5, 60 * s, &theory);
        printf("%dD, %s, %s, edges %g mm, h %g ms: facets %.4f, smooth %.4f of %.4f m\n", cases[i].dim, cases[i].method,
               cases[i].integrator, 1e3 * cases[i].size, 1e3 * cases[i].h, ways[0] / theory, ways[1] / theory, theory);
        assert_true(fabs(ways[1] / theory - 1) < cases[i].room);
        assert_true(fabs(ways[0] / theory - 1) > cases[i].facets);
    }
}

// What spins on the ground without friction, or rolls, keeps its energy as its facets go by.
static void what_turns_on_the_ground_keeps_its_energy(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int rolls = 0; rolls < 2; rolls++) {
            ThawWorld *world = open_scene(
                "full",
                "{'thaw': 1, 'dimension': %d, 'time': {'step': 0.001, 'integrator': 'euler'}, 'shapes': {'s': {'mesh': "
                "{'solid': {'sphere': {'radius': 0.05}}, 'elements': %d}, 'material': 'steel', 'smooth': 60}}, "
                "'bodies': [{'shape': 's', 'position': [0, %s0.05], 'spin': %s, 'velocity': [%s, 0%s], 'friction': "
                "%d}], 'obstacles': [{'plane': {}, 'friction': %d}]}",
                dim, dim == 3 ? 600 : 100, dim == 3 ? "0, " : "", dim == 3 ? "[0, 10, 0]" : "-10", rolls ? "0.5" : "0",
                dim == 3 ? ", 0" : "", rolls, rolls);
            const ThawStepStats first = run_world(world, 1);
            double least = INFINITY, most = -INFINITY;
            for (int i = 0; i < 500; i++) {
                const ThawLedger l = run_world(world, 1).ledger;
                const double energy = l.kinetic + l.elastic + l.gravitational + l.contact_energy;
                least = fmin(least, energy);
                most = fmax(most, energy);
            }
            const double start = first.ledger.kinetic + first.ledger.gravitational;
            printf("%dD, %s: energy off by %.1e to %.1e of that of motion\n", dim, rolls ? "rolls" : "spins",
                   (least - start) / first.ledger.kinetic, (most - start) / first.ledger.kinetic);
            assert_true(least - start > -0.04 * first.ledger.kinetic);
            assert_true(most - start < 0.01 * first.ledger.kinetic);
            thaw_world_free(&world);
        }
}

// Edges bent by more than the angle stay as they are: boxes rest on boxes, and fall asleep.
static void boxes_stay_boxes(void **state) {
    (void)state;
    ThawWorld *world = open_scene(
        "rigidify",
        "{'thaw': 1, 'time': {'step': 0.005, 'integrator': 'tr-bdf2'}, 'shapes': {'c': {'mesh': {'box': {'min': "
        "[-0.05, -0.05, -0.05], 'max': [0.05, 0.05, 0.05], 'cells': [3, 3, 3]}}, 'material': 'silicone', 'smooth': "
        "40}}, 'bodies': [{'shape': 'c', 'position': [0, 0, 0.0505]}, {'shape': 'c', 'position': [0.01, 0, 0.151]}], "
        "'obstacles': [{'plane': {}}]}");
    const ThawContactShape *shape = world->collider->by_body[0];
    for (int32_t f = 0; f < shape->nf; f++)
        assert_true(shape->curved[f] == 0);
    assert_int_equal(run_world(world, 2000).asleep, 2);
    thaw_world_free(&world);
}

// Two that meet, off centre and between vertices, part at the distance of their radii.
static void balls_touch_each_other_as_balls(void **state) {
    (void)state;
    double off[2] = {0, 0};
    for (int smooth = 0; smooth < 2; smooth++)
        for (int i = 0; i < 6; i++) {
            ThawWorld *world = open_scene(
                "full",
                "{'thaw': 1, 'dimension': 2, 'gravity': [0, 0], 'time': {'step': 0.0005, 'integrator': 'euler'}, "
                "'shapes': {'s': {'mesh': {'solid': {'sphere': {'radius': 0.05}}, 'elements': 100}, 'material': "
                "'steel', 'smooth': %d}}, 'bodies': [{'shape': 's', 'position': [0, 0], 'rotation': {'degrees': %d}, "
                "'velocity': [1, 0], 'friction': 0}, {'shape': 's', 'position': [0.11, 0.02], 'rotation': {'degrees': "
                "%d}, 'friction': 0}]}",
                60 * smooth, 7 * i, 11 * i);
            double least = INFINITY;
            for (int k = 0; k < 60; k++) {
                run_world(world, 1);
                const Momenta a = measure(world, 0, 2), b = measure(world, 1, 2);
                least = fmin(least, hypot(a.c[0] - b.c[0], a.c[1] - b.c[1]));
            }
            off[smooth] = fmax(off[smooth], fabs(least / 0.1 - 1));
            thaw_world_free(&world);
        }
    printf("nearest off two radii by %.1e at most, with facets %.1e\n", off[1], off[0]);
    assert_true(off[1] < 2e-3 && off[0] > 5e-3);
}

static int is_ripe(const ThawWorld *world, const ThawStepStats *stats) { return world && stats->contacts > 0; }

static void bits_are_the_same_for_threads_and_after_resuming(void **state) {
    (void)state;
    char text[] = "{'thaw': 1, 'time': {'step': 0.005, 'integrator': 'tr-bdf2'}, 'shapes': {'s': {'mesh': {'solid': "
                  "{'sphere': {'radius': 0.05}}, 'elements': 300}, 'material': 'silicone', 'smooth': 60}}, 'bodies': "
                  "[{'shape': 's', 'position': [0, 0, 0.06], 'spin': [0, 9, 0]}, {'shape': 's', 'position': [0.02, 0, "
                  "0.17]}], 'obstacles': [{'plane': {}}]}";
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    assert_true(bits_across_checkpoints(text, 60, at("smooth.ckpt"), is_ripe) > 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_smooth_rolls_as_theory_says),
        cmocka_unit_test(what_turns_on_the_ground_keeps_its_energy),
        cmocka_unit_test(boxes_stay_boxes),
        cmocka_unit_test(balls_touch_each_other_as_balls),
        cmocka_unit_test(bits_are_the_same_for_threads_and_after_resuming),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
