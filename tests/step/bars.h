// SPDX-License-Identifier: Apache-2.0
// Bars that are attached to each other, to an obstacle or to frames.
#ifndef THAW_TEST_BARS_H
#define THAW_TEST_BARS_H

#include "step/sample.h"

enum { X_MIN, X_MAX, Z_MIN, Z_MAX, GROUPS };

// Up to three bars of one shape, 0.3 x 0.1 x 0.1 m, one obstacle and four attachments.
typedef struct Bars {
    ThawMesh *mesh;
    ThawMaterialDef material;
    ThawGroupDef groups[GROUPS];
    ThawShapeDef shape;
    ThawBodyDef bodies[3];
    ThawForceDef force;
    ThawObstacleDef obstacle;
    ThawAttachmentDef attachments[4];
    ThawKey keys[3];
    ThawWorldDef def;
} Bars;

static inline void bars_create(Bars *b, int32_t bodies, int32_t attachments, double young) {
    static const char *const faces[GROUPS] = {"x-min", "x-max", "z-min", "z-max"};
    ThawError error = {0};
    memset(b, 0, sizeof *b);
    if (thaw_mesh_box(3, (double[3]){0, 0, 0}, (double[3]){0.3, 0.1, 0.1}, (int32_t[3]){3, 1, 1}, &b->mesh, &error) !=
        THAW_OK)
        fail_msg("%s", error.message);
    b->material = thaw_material_def_default();
    b->material.young = young;
    b->material.density = 1000;
    b->material.alpha1 = 0.005;
    for (int g = 0; g < GROUPS; g++)
        b->groups[g] = (ThawGroupDef){.name = faces[g], .select = THAW_SELECT_MESH_GROUP, .mesh_group = faces[g]};
    b->shape = thaw_shape_def_default();
    b->shape.mesh = b->mesh;
    b->shape.groups = b->groups;
    b->shape.group_count = GROUPS;
    for (int i = 0; i < 3; i++) {
        b->bodies[i] = thaw_body_def_default();
        b->bodies[i].position[0] = 0.3 * i;
        b->keys[i].rotation[0] = 1;
    }
    for (int i = 0; i < 4; i++)
        b->attachments[i] = thaw_attachment_def_default();
    b->force = thaw_force_def_default();
    b->obstacle = thaw_obstacle_def_default();
    b->def = thaw_world_def_default();
    b->def.materials = &b->material;
    b->def.material_count = 1;
    b->def.shapes = &b->shape;
    b->def.shape_count = 1;
    b->def.bodies = b->bodies;
    b->def.body_count = bodies;
    b->def.attachments = b->attachments;
    b->def.attachment_count = attachments;
    b->def.threads = 1;
    b->def.contact.disabled = 1;
}

static inline void bars_free(Bars *b) { thaw_mesh_free(&b->mesh); }

static inline ThawWorld *bars_world(const Bars *b) {
    ThawWorld *world = NULL;
    ThawError error = {0};
    if (thaw_world_create(&b->def, &world, &error) != THAW_OK)
        fail_msg("%s", error.message);
    return world;
}

// The mean of a component of positions or velocities over all vertices, by mass (3 kg a bar).
static inline double mean_of(const ThawWorld *world, int32_t body, int component, int velocity) {
    const int32_t nv = thaw_world_vertex_count(world, body);
    double *x = THAW_NEW(double, 3 * nv), *mass = THAW_NEW(double, nv), sum = 0, all = 0;
    assert_int_equal(velocity ? thaw_world_get_velocities(world, body, x) : thaw_world_get_positions(world, body, x),
                     THAW_OK);
    assert_int_equal(thaw_world_get_masses(world, body, mass), THAW_OK);
    for (int32_t i = 0; i < nv; i++) {
        sum += mass[i] * x[3 * i + component];
        all += mass[i];
    }
    thaw_free(x);
    thaw_free(mass);
    return sum / all;
}

static inline ThawAttachmentState state_of(const ThawWorld *world, int32_t i) {
    ThawAttachmentState state;
    assert_int_equal(thaw_world_get_attachment(world, i, &state), THAW_OK);
    return state;
}

#endif
