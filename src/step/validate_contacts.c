// SPDX-License-Identifier: Apache-2.0
// Whether contacts that are remembered belong to a world: wherever contacts are walked through, bodies, vertices, faces
// and walls of their keys are looked up without a check. Linear in the contacts.
#include "contact/collider.h"
#include "step/validate.h"

// How many vertices and faces, or walls, the features of a side are counted in.
typedef struct Extent {
    int32_t vertices, faces, edges;
} Extent;

static Extent extent_of(const ThawWorld *world, int32_t id) {
    const ThawModel *model = world->model;
    if (id >= 0) {
        const ThawShape *shape = model->bodies[id].shape;
        return (Extent){shape->nv, world->collider->by_body[id]->nf, world->collider->by_body[id]->ne};
    }
    const ThawModelObstacle *o = &model->obstacles[-1 - id];
    const ThawContactShape *shape = &world->collider->obstacle_shapes[-1 - id];
    const int32_t walls = o->kind == THAW_OBSTACLE_BOX ? 2 * model->dim : o->kind == THAW_OBSTACLE_CYLINDER ? 4 : 0;
    return o->kind == THAW_OBSTACLE_MESH ? (Extent){o->vertex_count, shape->nf, shape->ne}
                                         : (Extent){shape->nv, walls, shape->ne};
}

static int within(int32_t value, int32_t low, int32_t count) { return value >= low && value < count; }

static int features_fit(const ThawWorld *world, const ThawContactKey *key) {
    const Extent a = extent_of(world, key->body[0]), b = extent_of(world, key->body[1]);
    const int32_t *f = key->feature;
    switch (key->kind) {
    case THAW_CONTACT_VERTEX_OBSTACLE:
        return key->body[1] < 0 && within(f[0], 0, a.vertices) && within(f[1], -1, b.faces);
    case THAW_CONTACT_VERTEX_FACE:
        return key->body[1] >= 0 && within(f[0], 0, a.vertices) && within(f[1], 0, b.faces);
    case THAW_CONTACT_EDGE_EDGE:
        return within(f[0], 0, a.vertices) && within(f[1], 0, a.vertices) && within(f[2], 0, b.vertices) &&
               within(f[3], 0, b.vertices);
    case THAW_CONTACT_FACE_POINT:
        return key->body[1] < 0 && within(f[0], 0, b.vertices) && within(f[1], 0, a.faces);
    case THAW_CONTACT_FACE_OBSTACLE:
        return key->body[1] < 0 && within(f[0], 0, a.faces + a.edges);
    default:
        return 0;
    }
}

static ThawStatus check_key(const ThawWorld *world, int32_t bodies, const char *where, int64_t at,
                            const ThawContactKey *key, ThawError *error) {
    const int32_t obstacles = world->model->obstacle_count;
    if (!world->collider)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: there are contacts, but nothing can touch", where);
    if (!within(key->body[0], 0, bodies) || !within(key->body[1], -obstacles, bodies))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: contact %lld is between %d and %d; allowed: bodies 0 to %d, and "
                              "obstacles -1 to %d on the second side",
                              where, (long long)at, (int)key->body[0], (int)key->body[1], (int)bodies - 1,
                              (int)-obstacles);
    if (!features_fit(world, key))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: contact %lld of kind %d at %d, %d, %d, %d does not fit the surfaces "
                              "of %d and %d",
                              where, (long long)at, (int)key->kind, (int)key->feature[0], (int)key->feature[1],
                              (int)key->feature[2], (int)key->feature[3], (int)key->body[0], (int)key->body[1]);
    return THAW_OK;
}

ThawStatus thaw_contacts_check_memory(const ThawWorld *world, int32_t bodies, const char *where,
                                      const ThawContactSet *set, ThawError *error) {
    ThawStatus status = THAW_OK;
    for (int32_t i = 0; status == THAW_OK && i < set->memory_count; i++) {
        status = check_key(world, bodies, where, i, &set->memory[i].key, error);
        if (status == THAW_OK && i > 0 && thaw_contact_key_compare(&set->memory[i - 1].key, &set->memory[i].key) > 0)
            status = thaw_error_set(error, THAW_ERROR_INPUT, "%s: contact %d comes after %d; keys ascend", where,
                                    (int)i - 1, (int)i);
    }
    return status;
}

static int sides_fit(const ThawWorld *world, const ThawContact *c) {
    int fit = 1;
    for (int s = 0; s < 2; s++) {
        const int on_body = c->key.body[s] >= 0;
        const ThawModelBody *body = on_body ? &world->model->bodies[c->key.body[s]] : NULL;
        fit = fit && within(c->nodes[s], on_body, on_body ? 5 : 1);
        for (int k = 0; fit && k < c->nodes[s]; k++)
            fit = body && within(c->vertex[s][k] - body->unit_vertex, 0, body->shape->nv);
    }
    return fit;
}

// Each point is one that is remembered; the memory has been checked.
ThawStatus thaw_contacts_check_points(const ThawWorld *world, const char *where, const ThawContactSet *set,
                                      ThawError *error) {
    for (int32_t i = 0, m = 0; i < set->count; i++, m++) {
        const ThawContact *c = &set->contacts[i];
        while (m < set->memory_count && thaw_contact_key_compare(&set->memory[m].key, &c->key) != 0)
            m++;
        if (m == set->memory_count)
            return thaw_error_set(error, THAW_ERROR_INPUT, "%s: point %d, between %d and %d, is not among the contacts",
                                  where, (int)i, (int)c->key.body[0], (int)c->key.body[1]);
        if (!sides_fit(world, c))
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "%s: point %d has %d and %d vertices, which do not fit %d and %d", where, (int)i,
                                  (int)c->nodes[0], (int)c->nodes[1], (int)c->key.body[0], (int)c->key.body[1]);
    }
    return THAW_OK;
}
