// SPDX-License-Identifier: Apache-2.0
// What the tests of contact are made of: a few boxes and obstacles, compiled, with positions and velocities to play
// with.
#ifndef THAW_TEST_TOUCHING_H
#define THAW_TEST_TOUCHING_H

#include "contact/collider.h"
#include "step/sample.h"

enum { TOUCHING_SHAPES = 4, TOUCHING_BODIES = 40, TOUCHING_OBSTACLES = 8 };

typedef struct Touching {
    ThawWorldDef world;
    ThawMaterialDef material;
    ThawShapeDef shapes[TOUCHING_SHAPES];
    ThawMesh *meshes[TOUCHING_SHAPES];
    ThawBodyDef bodies[TOUCHING_BODIES];
    ThawObstacleDef obstacles[TOUCHING_OBSTACLES];
    ThawPairDef pairs[4];
    ThawModel *model;
    ThawCollider *collider;
    double *x, *v;
    ThawContactSet set;
} Touching;

static inline void touching_create(Touching *s, int dim) {
    *s = (Touching){.world = thaw_world_def_default(), .material = thaw_material_def_default()};
    s->world.dim = dim;
    s->world.materials = &s->material;
    s->world.material_count = 1;
    s->world.shapes = s->shapes;
    s->world.bodies = s->bodies;
    s->world.obstacles = s->obstacles;
    s->world.pairs = s->pairs;
    for (int k = 0; k < 3; k++)
        s->world.gravity[k] = k == dim - 1 ? -9.81 : 0;
}

// A box from -size/2 to size/2, jittered by a share of its cells.
static inline int32_t touching_shape(Touching *s, const double size[3], const int32_t cells[3], double jitter,
                                     uint64_t seed) {
    int32_t i = s->world.shape_count++;
    s->meshes[i] = sample_mesh(s->world.dim, size, cells, jitter, &seed);
    for (int32_t k = 0; k < s->meshes[i]->vertex_count * s->world.dim; k++)
        s->meshes[i]->x[k] -= size[k % s->world.dim] / 2;
    s->shapes[i] = thaw_shape_def_default();
    s->shapes[i].mesh = s->meshes[i];
    return i;
}

static inline ThawBodyDef *touching_body(Touching *s, int32_t shape, double x, double y, double z) {
    ThawBodyDef *body = &s->bodies[s->world.body_count++];
    *body = thaw_body_def_default();
    body->shape = shape;
    body->position[0] = x, body->position[1] = y, body->position[2] = z;
    return body;
}

static inline ThawObstacleDef *touching_obstacle(Touching *s, ThawObstacleKind kind) {
    ThawObstacleDef *obstacle = &s->obstacles[s->world.obstacle_count++];
    *obstacle = thaw_obstacle_def_default();
    obstacle->kind = kind;
    return obstacle;
}

// Compiles, and puts every body where its definition says, moving at its velocity.
static inline void touching_compile(Touching *s) {
    ThawError error = {0};
    if (thaw_model_create(&s->world, &s->model, &error) != THAW_OK ||
        thaw_collider_create(s->model, &s->collider, &error) != THAW_OK)
        fail_msg("%s", error.message);
    int dim = s->world.dim;
    s->x = THAW_NEW(double, s->model->vertex_count *dim);
    s->v = THAW_NEW(double, s->model->vertex_count *dim);
    for (int32_t b = 0; b < s->model->body_count; b++) {
        const ThawModelBody *body = &s->model->bodies[b];
        for (int32_t i = 0; i < body->shape->nv; i++) {
            size_t at = (size_t)(body->first_vertex + i) * (size_t)dim;
            thaw_body_place(body, dim, body->shape->X + (size_t)i * (size_t)dim, s->x + at);
            memcpy(s->v + at, body->velocity, sizeof(double) * (size_t)dim);
        }
    }
}

static inline void touching_find(Touching *s, double t) {
    ThawError error = {0};
    if (thaw_contacts_find(s->collider, NULL, t, s->world.h, s->x, s->v, &s->set, &error) != THAW_OK)
        fail_msg("%s", error.message);
}

static inline void touching_remember(Touching *s, double t) {
    ThawError error = {0};
    if (thaw_contacts_remember(s->collider, t, s->world.h, s->x, &s->set, &error) != THAW_OK)
        fail_msg("%s", error.message);
}

// Moves one body.
static inline void touching_shift(Touching *s, int32_t b, double x, double y, double z) {
    const ThawModelBody *body = &s->model->bodies[b];
    const double d[3] = {x, y, z};
    for (int32_t i = 0; i < body->shape->nv * s->world.dim; i++)
        s->x[body->first_vertex * s->world.dim + i] += d[i % s->world.dim];
}

static inline void touching_free(Touching *s) {
    thaw_contact_set_clear(&s->set);
    thaw_collider_free(&s->collider);
    thaw_model_free(&s->model);
    for (int32_t i = 0; i < s->world.shape_count; i++)
        thaw_mesh_free(&s->meshes[i]);
    thaw_free(s->x);
    thaw_free(s->v);
    s->x = s->v = NULL;
}

static inline int32_t touching_count(const Touching *s, int32_t a, int32_t b, int kind) {
    int32_t count = 0;
    for (int32_t i = 0; i < s->set.count; i++) {
        const ThawContactKey *key = &s->set.contacts[i].key;
        count += key->body[0] == a && key->body[1] == b && key->kind == kind;
    }
    return count;
}

// What holds for every contact: sorted keys, weights that sum to one, an orthonormal right-handed frame, numbers.
static inline void touching_check(const Touching *s) {
    for (int32_t i = 0; i < s->set.count; i++) {
        const ThawContact *c = &s->set.contacts[i];
        if (i > 0)
            assert_true(thaw_contact_key_compare(&c[-1].key, &c->key) < 0);
        for (int side = 0; side < 2; side++) {
            double sum = 0;
            for (int k = 0; k < c->nodes[side]; k++) {
                assert_true(c->weight[side][k] > 0);
                assert_in_range(c->vertex[side][k], 0, s->model->bodies[c->key.body[side]].shape->nv - 1);
                sum += c->weight[side][k];
            }
            assert_true(side == 1 && c->key.body[1] < 0 ? c->nodes[1] == 0 : fabs(sum - 1) < 1e-12);
        }
        double cross[3];
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                assert_true(fabs(thaw_v3_dot(c->frame[a], c->frame[b]) - (a == b)) < 1e-12);
        thaw_v3_cross(c->frame[0], c->frame[1], cross);
        assert_true(thaw_v3_dot(cross, c->frame[2]) > 0.999);
        assert_true(isfinite(c->gap) && c->stiffness > 0 && c->damping >= 0 && c->friction >= 0);
    }
}

#endif
