// SPDX-License-Identifier: Apache-2.0
// Contacts in a checkpoint, four tables a set: keys and memory (state: what the next step starts from), sides and points
// (what forces and pressures in frames are computed from until the next step, and for as long as a body sleeps).
//
// Bodies, vertices, faces and walls of a key are looked up without a question wherever contacts are walked through: here
// is the one place where they come from outside, so here each is checked against the world that is to take them. The cost
// is linear in the contacts.
#include <stdio.h>
#include <string.h>

#include "contact/collider.h"
#include "output/save.h"

enum {
    KEY = sizeof(ThawContactKey) / sizeof(int32_t),
    MEMORY = 12, // force, anchor, trend, depth, overlap, energy
    SIDES = 16,  // key, nodes, vertices, is_new
    POINT = 20,  // weights, point, frame, gap, friction
};

typedef struct Tables {
    char name[4][48]; // key, memory, sides, points
    int32_t *keys, *sides;
    double *memory, *points;
} Tables;

static Tables name_tables(const char *group) {
    static const char *const parts[4] = {"key", "memory", "sides", "points"};
    Tables t = {0};
    for (int i = 0; i < 4; i++)
        snprintf(t.name[i], sizeof t.name[i], "%s/%s", group, parts[i]);
    return t;
}

static ThawStatus create_tables(int64_t memories, int64_t points, Tables *t, ThawError *error) {
    t->keys = THAW_NEW(int32_t, (size_t)memories * KEY);
    t->memory = THAW_NEW(double, (size_t)memories *MEMORY);
    t->sides = THAW_NEW(int32_t, (size_t)points * SIDES);
    t->points = THAW_NEW(double, (size_t)points *POINT);
    return t->keys && t->memory && t->sides && t->points ? THAW_OK : thaw_error_memory(error, "the checkpoint");
}

static void clear_tables(Tables *t) {
    thaw_free(t->keys);
    thaw_free(t->memory);
    thaw_free(t->sides);
    thaw_free(t->points);
}

// A side of a contact has three vertices at most; attachments are not among those that are saved.
static void pack(const ThawContact *c, int32_t *sides, double *point) {
    memcpy(sides, &c->key, sizeof c->key);
    memcpy(sides + 7, c->nodes, sizeof c->nodes);
    sides[15] = c->is_new;
    for (int side = 0; side < 2; side++) {
        memcpy(sides + 9 + 3 * side, c->vertex[side], 3 * sizeof *c->vertex[side]);
        memcpy(point + 3 * side, c->weight[side], 3 * sizeof *c->weight[side]);
    }
    memcpy(point + 6, c->point, sizeof c->point);
    memcpy(point + 9, c->frame, sizeof c->frame);
    point[18] = c->gap;
    point[19] = c->friction;
}

static void unpack(const int32_t *sides, const double *point, ThawContact *c) {
    memcpy(&c->key, sides, sizeof c->key);
    memcpy(c->nodes, sides + 7, sizeof c->nodes);
    c->is_new = sides[15] != 0;
    for (int side = 0; side < 2; side++) {
        memcpy(c->vertex[side], sides + 9 + 3 * side, 3 * sizeof *c->vertex[side]);
        memcpy(c->weight[side], point + 3 * side, 3 * sizeof *c->weight[side]);
    }
    memcpy(c->point, point + 6, sizeof c->point);
    memcpy(c->frame, point + 9, sizeof c->frame);
    c->gap = point[18];
    c->friction = point[19];
}

ThawStatus thaw_save_contacts(ThawCheckpoint *file, const char *group, const ThawContactSet *set, int whole,
                              ThawError *error) {
    const int64_t memories = set->memory_count, points = whole ? set->count : 0;
    Tables t = name_tables(group);
    ThawStatus status = create_tables(memories, points, &t, error);
    for (int64_t i = 0; status == THAW_OK && i < memories; i++) {
        memcpy(t.keys + i * KEY, &set->memory[i].key, sizeof(ThawContactKey));
        memcpy(t.memory + i * MEMORY, set->memory[i].force, 3 * sizeof(double));
        memcpy(t.memory + i * MEMORY + 3, set->memory[i].anchor, 3 * sizeof(double));
        memcpy(t.memory + i * MEMORY + 6, set->memory[i].trend, 3 * sizeof(double));
        t.memory[i * MEMORY + 9] = set->memory[i].depth;
        t.memory[i * MEMORY + 10] = set->memory[i].overlap;
        t.memory[i * MEMORY + 11] = set->memory[i].energy;
    }
    for (int64_t i = 0; status == THAW_OK && i < points; i++)
        pack(&set->contacts[i], t.sides + i * SIDES, t.points + i * POINT);
    if (status == THAW_OK)
        status = thaw_checkpoint_put_i32(file, t.name[0], t.keys, memories * KEY, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_put_f64(file, t.name[1], t.memory, memories * MEMORY, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_put_i32(file, t.name[2], t.sides, points * SIDES, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_put_f64(file, t.name[3], t.points, points * POINT, error);
    clear_tables(&t);
    return status;
}

// --- checks --------------------------------------------------------------------------------------------------------------

// How many vertices and faces, or walls, the features of a side are counted in.
typedef struct Extent {
    int32_t vertices, faces;
} Extent;

static Extent extent_of(const ThawWorld *world, int32_t id) {
    const ThawModel *model = world->model;
    if (id >= 0) {
        const ThawShape *shape = model->bodies[id].shape;
        return (Extent){shape->nv, world->collider->shapes[shape - model->shapes].nf};
    }
    const ThawModelObstacle *o = &model->obstacles[-1 - id];
    const ThawContactShape *shape = &world->collider->obstacle_shapes[-1 - id];
    const int32_t walls = o->kind == THAW_OBSTACLE_BOX ? 2 * model->dim : o->kind == THAW_OBSTACLE_CYLINDER ? 4 : 0;
    return o->kind == THAW_OBSTACLE_MESH ? (Extent){o->vertex_count, shape->nf} : (Extent){shape->nv, walls};
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
    default:
        return 0;
    }
}

static ThawStatus check_key(const ThawWorld *world, int32_t bodies, const char *table, int64_t at,
                            const ThawContactKey *key, ThawError *error) {
    const int32_t obstacles = world->model->obstacle_count;
    if (!world->collider)
        return thaw_error_set(error, THAW_ERROR_INPUT, "the checkpoint's %s: there are contacts, but nothing can touch",
                              table);
    if (!within(key->body[0], 0, bodies) || !within(key->body[1], -obstacles, bodies))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "the checkpoint's %s: contact %lld is between %d and %d; allowed: bodies 0 to %d, and "
                              "obstacles -1 to %d on the second side",
                              table, (long long)at, (int)key->body[0], (int)key->body[1], (int)bodies - 1,
                              (int)-obstacles);
    if (!features_fit(world, key))
        return thaw_error_set(
            error, THAW_ERROR_INPUT,
            "the checkpoint's %s: contact %lld of kind %d at %d, %d, %d, %d does not fit the surfaces "
            "of %d and %d",
            table, (long long)at, (int)key->kind, (int)key->feature[0], (int)key->feature[1], (int)key->feature[2],
            (int)key->feature[3], (int)key->body[0], (int)key->body[1]);
    return THAW_OK;
}

static ThawStatus check_memory(const ThawWorld *world, int32_t bodies, const char *table, const ThawContactSet *set,
                               ThawError *error) {
    ThawStatus status = THAW_OK;
    for (int32_t i = 0; status == THAW_OK && i < set->memory_count; i++) {
        status = check_key(world, bodies, table, i, &set->memory[i].key, error);
        if (status == THAW_OK && i > 0 && thaw_contact_key_compare(&set->memory[i - 1].key, &set->memory[i].key) > 0)
            status =
                thaw_error_set(error, THAW_ERROR_INPUT, "the checkpoint's %s: contact %d comes after %d; keys ascend",
                               table, (int)i - 1, (int)i);
    }
    return status;
}

static int sides_fit(const ThawWorld *world, const ThawContact *c) {
    int fit = 1;
    for (int s = 0; s < 2; s++) {
        const int on_body = c->key.body[s] >= 0;
        const int32_t nv = on_body ? world->model->bodies[c->key.body[s]].shape->nv : 0;
        fit = fit && within(c->nodes[s], on_body, on_body ? 4 : 1);
        for (int k = 0; fit && k < c->nodes[s]; k++)
            fit = within(c->vertex[s][k], 0, nv);
    }
    return fit;
}

// Each point is one that is remembered; the memory has been checked.
static ThawStatus check_points(const ThawWorld *world, const char *table, const ThawContactSet *set, ThawError *error) {
    for (int32_t i = 0, m = 0; i < set->count; i++, m++) {
        const ThawContact *c = &set->contacts[i];
        while (m < set->memory_count && thaw_contact_key_compare(&set->memory[m].key, &c->key) != 0)
            m++;
        if (m == set->memory_count)
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "the checkpoint's %s: point %d, between %d and %d, is not among the contacts", table,
                                  (int)i, (int)c->key.body[0], (int)c->key.body[1]);
        if (!sides_fit(world, c))
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "the checkpoint's %s: point %d has %d and %d vertices, which do not fit %d and %d",
                                  table, (int)i, (int)c->nodes[0], (int)c->nodes[1], (int)c->key.body[0],
                                  (int)c->key.body[1]);
    }
    return THAW_OK;
}

ThawStatus thaw_load_contacts(ThawCheckpoint *file, const char *group, const ThawWorld *world, int32_t bodies,
                              ThawContactSet *set, ThawError *error) {
    Tables t = name_tables(group);
    const int64_t keys = thaw_checkpoint_count(file, t.name[0]), sides = thaw_checkpoint_count(file, t.name[2]);
    const int64_t memories = keys / KEY, points = sides / SIDES;
    if (keys < 0 || sides < 0 || memories > INT32_MAX || points > memories)
        return thaw_error_set(
            error, THAW_ERROR_INPUT,
            "the checkpoint's %s: %lld keys and %lld points; allowed: tables of both, and no more points than keys",
            group, (long long)memories, (long long)points);
    ThawStatus status = create_tables(memories, points, &t, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_get_i32(file, t.name[0], t.keys, memories * KEY, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_get_f64(file, t.name[1], t.memory, memories * MEMORY, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_get_i32(file, t.name[2], t.sides, points * SIDES, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_get_f64(file, t.name[3], t.points, points * POINT, error);
    if (status == THAW_OK) {
        set->memory = THAW_NEW(ThawContactMemory, memories);
        set->contacts = THAW_NEW(ThawContact, points);
        status = set->memory && set->contacts ? THAW_OK : thaw_error_memory(error, "the checkpoint");
    }
    if (status == THAW_OK) {
        set->memory_count = set->memory_capacity = (int32_t)memories;
        set->count = set->capacity = (int32_t)points;
        for (int64_t i = 0; i < memories; i++) {
            memcpy(&set->memory[i].key, t.keys + i * KEY, sizeof(ThawContactKey));
            memcpy(set->memory[i].force, t.memory + i * MEMORY, 3 * sizeof(double));
            memcpy(set->memory[i].anchor, t.memory + i * MEMORY + 3, 3 * sizeof(double));
            memcpy(set->memory[i].trend, t.memory + i * MEMORY + 6, 3 * sizeof(double));
            set->memory[i].depth = t.memory[i * MEMORY + 9];
            set->memory[i].overlap = t.memory[i * MEMORY + 10];
            set->memory[i].energy = t.memory[i * MEMORY + 11];
        }
        for (int64_t i = 0; i < points; i++)
            unpack(t.sides + i * SIDES, t.points + i * POINT, &set->contacts[i]);
        status = check_memory(world, bodies, t.name[0], set, error);
    }
    if (status == THAW_OK)
        status = check_points(world, t.name[2], set, error);
    clear_tables(&t);
    return status;
}
