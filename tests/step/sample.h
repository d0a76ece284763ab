// SPDX-License-Identifier: Apache-2.0
// What the engine's tests are made of: seeded random numbers, jittered and renumbered meshes, one small world.
#ifndef THAW_TEST_SAMPLE_H
#define THAW_TEST_SAMPLE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "mesh/mesh.h"
#include "thaw/thaw.h"

#define COUNT(array) ((int32_t)(sizeof(array) / sizeof *(array)))

static inline double sample_random(uint64_t *seed) { // in [-1, 1)
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

static inline double sample_between(uint64_t *seed, double lo, double hi) {
    return lo + (hi - lo) * (0.5 + 0.5 * sample_random(seed));
}

static inline int sample_below(uint64_t *seed, int count) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((*seed >> 33) % (unsigned)count);
}

static inline void sample_quaternion(uint64_t *seed, int dim, double angle, double q[4]) {
    double axis[3] = {0, 0, 1}, length = 0, turn = angle * sample_random(seed);
    for (int i = 0; dim == 3 && i < 3; i++)
        axis[i] = sample_random(seed);
    for (int i = 0; i < 3; i++)
        length += axis[i] * axis[i];
    q[0] = cos(turn / 2);
    for (int i = 0; i < 3; i++)
        q[i + 1] = sin(turn / 2) * axis[i] / sqrt(length);
}

// A box with its vertices displaced by up to `jitter` of a cell, and two regions ("first", "second") mixed at random.
static inline ThawMesh *sample_mesh(int dim, const double hi[3], const int32_t cells[3], double jitter,
                                    uint64_t *seed) {
    ThawMesh *mesh = NULL;
    ThawError error = {0};
    if (thaw_mesh_box(dim, (double[3]){0, 0, 0}, hi, cells, &mesh, &error) != THAW_OK)
        fail_msg("%s", error.message);
    for (int32_t i = 0; i < mesh->vertex_count * dim; i++)
        mesh->x[i] += jitter * hi[i % dim] / cells[i % dim] * sample_random(seed);
    for (int32_t r = 0; r < mesh->region_count; r++)
        thaw_free(mesh->region_names[r]);
    thaw_free(mesh->region_names);
    assert_int_equal(thaw_mesh_set_regions(mesh, 2, &error), THAW_OK);
    mesh->region_names[0] = thaw_strdup("first");
    mesh->region_names[1] = thaw_strdup("second");
    for (int32_t e = 0; e < mesh->element_count; e++)
        mesh->region[e] = sample_below(seed, 2);
    return mesh;
}

static inline int sample_ascending(const void *a, const void *b) { return *(const int32_t *)a - *(const int32_t *)b; }

// Renumbers vertices (new id = to[old]) and reverses the elements; groups follow. The caller frees to.
static inline int32_t *sample_permute(ThawMesh *mesh, uint64_t *seed) {
    int32_t nv = mesh->vertex_count, ne = mesh->element_count, nodes = mesh->nodes, dim = mesh->dim;
    int32_t *to = THAW_NEW(int32_t, nv), *elements = THAW_NEW(int32_t, ne * nodes), *region = THAW_NEW(int32_t, ne);
    double *x = THAW_NEW(double, nv *dim);
    for (int32_t i = 0; i < nv; i++)
        to[i] = i;
    for (int32_t i = nv - 1; i > 0; i--) {
        int32_t k = sample_below(seed, i + 1), swap = to[i];
        to[i] = to[k], to[k] = swap;
    }
    for (int32_t i = 0; i < nv; i++)
        memcpy(x + to[i] * dim, mesh->x + i * dim, sizeof *x * (size_t)dim);
    for (int32_t e = 0; e < ne; e++) {
        region[ne - 1 - e] = mesh->region[e];
        for (int32_t a = 0; a < nodes; a++)
            elements[(ne - 1 - e) * nodes + a] = to[mesh->elements[e * nodes + a]];
    }
    memcpy(mesh->x, x, sizeof *x * (size_t)(nv * dim));
    memcpy(mesh->elements, elements, sizeof *elements * (size_t)(ne * nodes));
    memcpy(mesh->region, region, sizeof *region * (size_t)ne);
    for (int32_t g = 0; g < mesh->group_count; g++) {
        for (int32_t i = 0; i < mesh->groups[g].count; i++)
            mesh->groups[g].vertices[i] = to[mesh->groups[g].vertices[i]];
        qsort(mesh->groups[g].vertices, (size_t)mesh->groups[g].count, sizeof(int32_t), sample_ascending);
    }
    thaw_free(x);
    thaw_free(elements);
    thaw_free(region);
    return to;
}

// A definition with room for what it points to: one shape of two materials, groups for every face and "all" (the last),
// one body. Tests change what they like before they create a world or a model from it.
typedef struct Sample {
    ThawWorldDef world;
    ThawMaterialDef materials[2];
    ThawShapeDef shape;
    ThawGroupDef groups[8];
    int32_t region_material[2];
    ThawBodyDef bodies[8];
    ThawScriptDef scripts[4];
    ThawForceDef forces[4];
    ThawMesh *mesh;
} Sample;

static inline void sample_create(Sample *s, int dim, int32_t cells, ThawMaterialModel model, uint64_t seed) {
    static const char *const faces[] = {"x-min", "x-max", "y-min", "y-max", "z-min", "z-max"};
    *s = (Sample){.world = thaw_world_def_default(), .shape = thaw_shape_def_default(), .region_material = {0, 1}};
    s->mesh = sample_mesh(dim, (double[3]){1, 0.8, 0.6}, (int32_t[3]){cells, cells, cells}, 0.1, &seed);
    s->world.dim = dim;
    s->world.solver = THAW_SOLVER_PCG;
    s->world.threads = 1;
    for (int i = 0; i < 2; i++) {
        s->materials[i] = thaw_material_def_default();
        s->materials[i].young = i ? 3e5 : 1e5;
        s->materials[i].density = i ? 1500 : 1000;
        s->materials[i].alpha1 = i ? 0.002 : 0.001;
        s->materials[i].alpha0 = i ? 0.3 : 0.1;
        s->materials[i].model = model;
    }
    s->materials[1].poisson = 0.3;
    for (int g = 0; g < 2 * dim; g++)
        s->groups[g] = (ThawGroupDef){.name = faces[g], .select = THAW_SELECT_MESH_GROUP, .mesh_group = faces[g]};
    s->groups[2 * dim] = thaw_group_def_default();
    s->shape.mesh = s->mesh;
    s->shape.thickness = 0.5;
    s->shape.region_material = s->region_material;
    s->shape.groups = s->groups;
    s->shape.group_count = 2 * dim + 1;
    for (int i = 0; i < COUNT(s->bodies); i++)
        s->bodies[i] = thaw_body_def_default();
    for (int i = 0; i < COUNT(s->scripts); i++)
        s->scripts[i] = thaw_script_def_default();
    for (int i = 0; i < COUNT(s->forces); i++)
        s->forces[i] = thaw_force_def_default();
    s->bodies[0].scripts = s->scripts;
    s->bodies[0].forces = s->forces;
    s->world.materials = s->materials;
    s->world.material_count = 2;
    s->world.shapes = &s->shape;
    s->world.shape_count = 1;
    s->world.bodies = s->bodies;
    s->world.body_count = 1;
}

static inline void sample_free(Sample *s) { thaw_mesh_free(&s->mesh); }

static inline ThawWorld *sample_world(const Sample *s) {
    ThawWorld *world = NULL;
    ThawError error = {0};
    if (thaw_world_create(&s->world, &world, &error) != THAW_OK)
        fail_msg("%s", error.message);
    return world;
}

// Makes `count` steps, each of which must succeed.
static inline ThawStepStats sample_steps(ThawWorld *world, int count) {
    ThawStepStats stats = {0};
    ThawError error = {0};
    for (int i = 0; i < count; i++)
        if (thaw_world_step(world, &stats, &error) != THAW_OK)
            fail_msg("%s", error.message);
    return stats;
}

#endif
