// SPDX-License-Identifier: Apache-2.0
// Contacts in a checkpoint, four tables a set: keys and memory (state: what the next step starts from), sides and
// points (what forces and pressures in frames are computed from until the next step, and for as long as a body sleeps).
//
// Bodies, vertices, faces and walls of a key are looked up without a question wherever contacts are walked through:
// here is the one place where they come from outside, so here each is checked against the world that is to take them
// (step/validate.h).
#include <stdio.h>
#include <string.h>

#include "output/save.h"
#include "step/validate.h"

enum {
    KEY = sizeof(ThawContactKey) / sizeof(int32_t),
    MEMORY = 12, // force, anchor, trend, depth, overlap, energy
    NODES = sizeof((ThawContact){0}.vertex[0]) / sizeof(int32_t),
    SIDES = KEY + 2 + 2 * NODES + 1,       // key, nodes, vertices, is_new
    POINT = 2 * NODES + 3 + 3 * 3 + 1 + 1, // weights, point, frame, gap, friction
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

static void pack(const ThawContact *c, int32_t *sides, double *point) {
    memcpy(sides, &c->key, sizeof c->key);
    memcpy(sides + KEY, c->nodes, sizeof c->nodes);
    memcpy(sides + KEY + 2, c->vertex, sizeof c->vertex);
    sides[SIDES - 1] = c->is_new;
    memcpy(point, c->weight, sizeof c->weight);
    point += 2 * NODES;
    memcpy(point, c->point, sizeof c->point);
    memcpy(point + 3, c->frame, sizeof c->frame);
    point[12] = c->gap;
    point[13] = c->friction;
}

static void unpack(const int32_t *sides, const double *point, ThawContact *c) {
    memcpy(&c->key, sides, sizeof c->key);
    memcpy(c->nodes, sides + KEY, sizeof c->nodes);
    memcpy(c->vertex, sides + KEY + 2, sizeof c->vertex);
    c->is_new = sides[SIDES - 1] != 0;
    memcpy(c->weight, point, sizeof c->weight);
    point += 2 * NODES;
    memcpy(c->point, point, sizeof c->point);
    memcpy(c->frame, point + 3, sizeof c->frame);
    c->gap = point[12];
    c->friction = point[13];
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

static ThawStatus check_set(const ThawWorld *world, int32_t bodies, const Tables *t, const ThawContactSet *set,
                            ThawError *error) {
    char where[80];
    snprintf(where, sizeof where, "the checkpoint's %s", t->name[0]);
    ThawStatus status = thaw_contacts_check_memory(world, bodies, where, set, error);
    snprintf(where, sizeof where, "the checkpoint's %s", t->name[2]);
    return status == THAW_OK ? thaw_contacts_check_points(world, where, set, error) : status;
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
        status = check_set(world, bodies, &t, set, error);
    }
    clear_tables(&t);
    return status;
}
