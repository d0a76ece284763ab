// SPDX-License-Identifier: Apache-2.0
// A heap: 200 soft bodies of two shapes fall into a box and come to rest. Time per step by stage, as CSV.
//
//     bench_contact_heap [BODIES [STEPS [THREADS]]]
//
// One line for each tenth of the run, means over its steps.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

enum { ACROSS = 5 };              // bodies in a layer: ACROSS * ACROSS
static const double PITCH = 0.24; // m

typedef struct Heap {
    ThawMesh *meshes[2];
    ThawMaterialDef material;
    ThawShapeDef shapes[2];
    ThawBodyDef *bodies;
    ThawObstacleDef obstacles[5];
    ThawWorldDef def;
} Heap;

static void fill(Heap *heap, int count, int threads) {
    static const double half[2][3] = {{0.08, 0.08, 0.08}, {0.1, 0.06, 0.05}};
    static const int32_t cells[2][3] = {{2, 2, 2}, {3, 2, 2}};
    *heap = (Heap){.material = thaw_material_def_default(), .def = thaw_world_def_default()};
    heap->material.density = 1000;
    heap->material.young = 2e5;
    heap->material.poisson = 0.4;
    heap->material.alpha1 = 0.01;
    heap->bodies = calloc((size_t)count, sizeof *heap->bodies);
    for (int i = 0; i < 2; i++) {
        const double lo[3] = {-half[i][0], -half[i][1], -half[i][2]};
        ThawError error;
        if (!heap->bodies || thaw_mesh_box(3, lo, half[i], cells[i], &heap->meshes[i], &error) != THAW_OK)
            exit(1);
        heap->shapes[i] = thaw_shape_def_default();
        heap->shapes[i].mesh = heap->meshes[i];
    }
    for (int i = 0; i < count; i++) {
        ThawBodyDef *body = &heap->bodies[i];
        int layer = i / (ACROSS * ACROSS), place = i % (ACROSS * ACROSS);
        *body = thaw_body_def_default();
        body->shape = i % 2;
        body->position[0] = PITCH * (place % ACROSS - (ACROSS - 1) / 2.0) + 0.02 * (layer % 2);
        body->position[1] = PITCH * (place / ACROSS - (ACROSS - 1) / 2.0) - 0.02 * (layer % 2);
        body->position[2] = 0.2 + PITCH * layer;
        double angle = 0.37 * i; // turned about an axis of its own
        body->rotation[0] = cos(angle);
        body->rotation[1] = sin(angle) * 0.6;
        body->rotation[2] = sin(angle) * 0.48;
        body->rotation[3] = sin(angle) * 0.64;
    }
    const double inside = PITCH * ACROSS / 2 + 0.08;
    for (int i = 0; i < 5; i++) {
        ThawObstacleDef *o = &heap->obstacles[i];
        *o = thaw_obstacle_def_default();
        if (i == 0)
            continue; // the floor
        o->kind = THAW_OBSTACLE_BOX;
        int axis = (i - 1) / 2;
        for (int k = 0; k < 3; k++)
            o->size[k] = k == axis ? 0.4 : k == 2 ? 8 : 2 * inside + 0.8;
        o->position[axis] = (i % 2 ? -1 : 1) * (inside + 0.2);
    }
    heap->def.threads = threads;
    heap->def.ledger = 0;
    heap->def.materials = &heap->material;
    heap->def.material_count = 1;
    heap->def.shapes = heap->shapes;
    heap->def.shape_count = 2;
    heap->def.bodies = heap->bodies;
    heap->def.body_count = count;
    heap->def.obstacles = heap->obstacles;
    heap->def.obstacle_count = 5;
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 200, steps = argc > 2 ? atoi(argv[2]) : 300,
        threads = argc > 3 ? atoi(argv[3]) : 1;
    if (count < 1 || steps < 10 || threads < 1) {
        fprintf(stderr, "usage: bench_contact_heap [BODIES [STEPS, at least 10 [THREADS]]]\n");
        return 1;
    }
    bench_settle_blas(argv);
    Heap heap;
    ThawWorld *world = NULL;
    ThawError error = {0};
    fill(&heap, count, threads);
    if (thaw_world_create(&heap.def, &world, &error) != THAW_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    printf("bodies,to_step,contacts,wall_ms,cpu_ms,force_ms,assemble_ms,factor_ms,solve_ms,contact_ms,response_ms,"
           "iterations,"
           "residual,kinetic\n");
    int part = steps / 10;
    for (int i = 0; i < 10; i++) {
        ThawStepStats sum = {0};
        for (int k = 0; k < part; k++) {
            ThawStepStats s = bench_step(world);
            sum.contacts += s.contacts;
            sum.wall_ms += s.wall_ms;
            sum.cpu_ms += s.cpu_ms;
            sum.force_ms += s.force_ms;
            sum.assemble_ms += s.assemble_ms;
            sum.factor_ms += s.factor_ms;
            sum.solve_ms += s.solve_ms;
            sum.contact_ms += s.contact_ms;
            sum.response_ms += s.response_ms;
            sum.response_iterations += s.response_iterations;
            sum.response_residual = fmax(sum.response_residual, s.response_residual);
        }
        ThawLedger ledger = {0};
        thaw_world_get_ledger(world, &ledger);
        printf("%d,%lld,%.0f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.1f,%.1e,%.3g\n", count,
               (long long)thaw_world_step_count(world), (double)sum.contacts / part, sum.wall_ms / part,
               sum.cpu_ms / part, sum.force_ms / part, sum.assemble_ms / part, sum.factor_ms / part,
               sum.solve_ms / part, sum.contact_ms / part, sum.response_ms / part,
               (double)sum.response_iterations / part, sum.response_residual, ledger.kinetic);
        fflush(stdout);
    }
    thaw_world_free(&world);
    thaw_mesh_free(&heap.meshes[0]);
    thaw_mesh_free(&heap.meshes[1]);
    free(heap.bodies);
    return 0;
}
