// SPDX-License-Identifier: Apache-2.0
// Detection of contacts in a heap: cubes turned at random on a grid so narrow that neighbours overlap a little.
// Contacts a second of thaw_contacts_find against brute force on the same data: every surface vertex against every face
// of every other body, for the nearest and its side. Brute force looks at every `stride`-th vertex only and is scaled.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"
#include "contact/collider.h"

enum { BODIES_MAX = 1000, REPEATS = 10 };

static double random_between(uint64_t *seed, double lo, double hi) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * (double)(*seed >> 11) * 0x1p-53;
}

static void check(ThawStatus status, const ThawError *error) {
    if (status == THAW_OK)
        return;
    fprintf(stderr, "%s\n", error->message);
    exit(2);
}

// How many vertices are inside another body.
static int64_t count_brute(const ThawContactScratch *scratch, int32_t bodies, int32_t stride) {
    int64_t count = 0;
    for (int32_t a = 0; a < bodies; a++)
        for (int32_t v = a % stride; v < scratch->bodies[a].shape->nv; v += stride)
            for (int32_t b = 0; b < bodies; b++) {
                const ThawContactBody *to = &scratch->bodies[b];
                const double *x = scratch->bodies[a].x + 3 * (size_t)v;
                double best = INFINITY, at[3] = {0, 0, 0}, weights[3] = {0, 0, 0}, n[3];
                int32_t face = -1;
                for (int32_t f = 0; a != b && f < to->shape->nf; f++) {
                    const int32_t *c = to->shape->face + 3 * (size_t)f;
                    double w[3], d[3];
                    thaw_triangle_closest(to->x + 3 * (size_t)c[0], to->x + 3 * (size_t)c[1], to->x + 3 * (size_t)c[2],
                                          x, w);
                    thaw_v3_copy(x, d);
                    for (int k = 0; k < 3; k++)
                        thaw_v3_add(d, -w[k], to->x + 3 * (size_t)c[k], d);
                    double square = thaw_v3_dot(d, d);
                    if (square < best) {
                        best = square, face = f;
                        memcpy(weights, w, sizeof w);
                        thaw_v3_copy(d, at);
                    }
                }
                if (face < 0)
                    continue;
                thaw_contact_normal_at(to->shape, to->x, face, weights, n);
                count += thaw_v3_dot(n, at) < 0;
            }
    return count;
}

static void run(int32_t bodies, int32_t cells, int threads) {
    static ThawBodyDef defs[BODIES_MAX];
    ThawError error = {0};
    ThawMesh *mesh = NULL;
    ThawWorldDef world = thaw_world_def_default();
    ThawMaterialDef material = thaw_material_def_default();
    ThawShapeDef shape = thaw_shape_def_default();
    ThawObstacleDef floor = thaw_obstacle_def_default();
    uint64_t seed = 1;
    check(thaw_mesh_box(3, (double[3]){-0.5, -0.5, -0.5}, (double[3]){0.5, 0.5, 0.5}, (int32_t[3]){cells, cells, cells},
                        &mesh, &error),
          &error);
    shape.mesh = mesh;
    const int32_t side = (int32_t)ceil(cbrt(bodies));
    for (int32_t i = 0; i < bodies; i++) {
        double q[4], norm = 0;
        defs[i] = thaw_body_def_default();
        for (int k = 0; k < 3; k++)
            defs[i].position[k] = 1.2 * (k == 0   ? i % side
                                         : k == 1 ? i / side % side
                                                  : i / side / side) +
                                  random_between(&seed, -0.05, 0.05) + (k == 2 ? 0.6 : 0);
        for (int k = 0; k < 4; k++)
            q[k] = random_between(&seed, -1, 1), norm += q[k] * q[k];
        for (int k = 0; k < 4; k++)
            defs[i].rotation[k] = q[k] / sqrt(norm);
    }
    world.materials = &material, world.material_count = 1;
    world.shapes = &shape, world.shape_count = 1;
    world.bodies = defs, world.body_count = bodies;
    world.obstacles = &floor, world.obstacle_count = 1;
    ThawModel *model;
    ThawCollider *collider;
    ThawTasks *tasks;
    ThawContactSet set = {0};
    check(thaw_model_create(&world, &model, &error), &error);
    check(thaw_collider_create(model, &collider, &error), &error);
    check(thaw_tasks_create(threads, &tasks, &error), &error);
    double *x = THAW_NEW(double, 3 * (size_t)model->vertex_count),
           *v = THAW_NEW(double, 3 * (size_t)model->vertex_count);
    for (int32_t b = 0; b < bodies; b++)
        for (int32_t i = 0; i < model->shapes[0].nv; i++)
            thaw_body_place(&model->bodies[b], 3, model->shapes[0].X + 3 * (size_t)i,
                            x + 3 * (size_t)(model->bodies[b].first_vertex + i));
    double ms = INFINITY;
    for (int k = 0; k < REPEATS; k++) {
        double start = threads > 1 ? thaw_wall_ms() : thaw_cpu_ms(); // alone on one thread, whoever else is running
        check(thaw_contacts_find(collider, tasks, 0, world.h, x, v, &set, &error), &error);
        ms = bench_least(ms, (threads > 1 ? thaw_wall_ms() : thaw_cpu_ms()) - start);
        check(thaw_contacts_remember(collider, 0, world.h, x, &set, &error), &error);
    }
    const int32_t stride = bodies <= 20 ? 1 : bodies <= 50 ? 5 : 50;
    double brute = thaw_cpu_ms();
    int64_t inside = count_brute(set.scratch, bodies, stride) * stride, found = 0;
    brute = (thaw_cpu_ms() - brute) * stride;
    for (int32_t i = 0; i < set.count; i++)
        found += set.contacts[i].key.kind == THAW_CONTACT_VERTEX_FACE && set.contacts[i].gap <= 0;
    printf("%d,%d,%d,%d,%d,%lld,%.3f,%.3g,%lld,%.1f,%.3g,%.0f\n", (int)bodies, (int)(bodies * collider->shapes[0].nv),
           (int)(bodies * collider->shapes[0].nf), threads, (int)set.count, (long long)found, ms, set.count / ms * 1e3,
           (long long)inside, brute, inside / brute * 1e3, found / ms / (inside / brute));
    fflush(stdout);
    thaw_contact_set_clear(&set);
    thaw_tasks_free(&tasks);
    thaw_collider_free(&collider);
    thaw_model_free(&model);
    thaw_mesh_free(&mesh);
    thaw_free(x);
    thaw_free(v);
}

int main(void) {
    printf("bodies,surface_vertices,faces,threads,contacts,vertices_inside,ms,contacts_per_s,brute_inside,brute_ms,"
           "brute_contacts_per_s,times_brute_force\n");
    run(20, 4, 1);
    run(50, 4, 1);
    run(200, 4, 1);
    run(200, 4, 2);
    run(200, 8, 1);
    return 0;
}
