// SPDX-License-Identifier: Apache-2.0
// Checkpoints of a world: its whole State, and enough of its Model to refuse a file that belongs to another one.
// Everything else (systems, factors, hashes) is a pure function of the two and is made anew.
#include <string.h>

#include "output/checkpoint.h"
#include "step/step.h"

enum { VERSION = 2, WORKS = 5, KEY = sizeof(ThawContactKey) / sizeof(int32_t), MEMORY = 6 };

// What must agree between the world that saved and the one that loads.
static void describe(const ThawWorld *world, uint64_t out[3]) {
    const ThawModel *model = world->model;
    uint64_t hash = thaw_hash(0, &model->options.h, sizeof model->options.h);
    for (int32_t i = 0; i < model->body_count; i++) {
        const ThawShape *shape = model->bodies[i].shape;
        hash = thaw_hash(hash, shape->X, sizeof *shape->X * (size_t)shape->nv * (size_t)model->dim);
        hash = thaw_hash(hash, shape->elements, sizeof(int32_t) * (size_t)shape->ne * (size_t)shape->kind->nodes);
        hash = thaw_hash(hash, shape->mass, sizeof(double) * (size_t)shape->nv);
        hash = thaw_hash(hash, shape->material, sizeof(int32_t) * (size_t)shape->ne);
    }
    for (int32_t i = 0; i < model->material_count; i++) {
        const ThawMaterial *material = &model->materials[i];
        const double numbers[] = {material->model, material->alpha0, material->alpha1};
        hash = thaw_hash(hash, numbers, sizeof numbers);
        hash = thaw_hash(hash, material->c, sizeof material->c);
    }
    out[0] = VERSION;
    out[1] = (uint64_t)model->body_count;
    out[2] = hash;
}

static void works_of(const ThawLedger *ledger, double works[WORKS]) {
    works[0] = ledger->external_work;
    works[1] = ledger->damping_loss;
    works[2] = ledger->integration_loss;
    works[3] = ledger->contact_work;
    works[4] = ledger->transition_loss;
}

// The contacts' memory as two tables: keys, and force with anchor.
static ThawStatus put_contacts(ThawCheckpoint *file, const ThawContactSet *set, ThawError *error) {
    int64_t count = set->memory_count;
    int32_t *keys = THAW_NEW(int32_t, count * KEY);
    double *values = THAW_NEW(double, count *MEMORY);
    ThawStatus status = keys && values ? THAW_OK : thaw_error_memory(error, "the checkpoint");
    for (int64_t i = 0; status == THAW_OK && i < count; i++) {
        memcpy(keys + i * KEY, &set->memory[i].key, sizeof(ThawContactKey));
        memcpy(values + i * MEMORY, set->memory[i].force, 3 * sizeof(double));
        memcpy(values + i * MEMORY + 3, set->memory[i].anchor, 3 * sizeof(double));
    }
    if (status == THAW_OK)
        status = thaw_checkpoint_put_i32(file, "contacts/key", keys, count * KEY, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_put_f64(file, "contacts/memory", values, count * MEMORY, error);
    thaw_free(keys);
    thaw_free(values);
    return status;
}

static ThawStatus get_contacts(ThawCheckpoint *file, ThawContactSet *set, ThawError *error) {
    int64_t count = thaw_checkpoint_count(file, "contacts/key") / KEY;
    if (count < 0 || count > INT32_MAX)
        return thaw_error_set(error, THAW_ERROR_INPUT, "the checkpoint holds no table of contacts");
    int32_t *keys = THAW_NEW(int32_t, count * KEY);
    double *values = THAW_NEW(double, count *MEMORY);
    set->memory = THAW_NEW(ThawContactMemory, count);
    set->memory_count = set->memory_capacity = (int32_t)count;
    ThawStatus status = keys && values && set->memory ? THAW_OK : thaw_error_memory(error, "the checkpoint");
    if (status == THAW_OK)
        status = thaw_checkpoint_get_i32(file, "contacts/key", keys, count * KEY, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_get_f64(file, "contacts/memory", values, count * MEMORY, error);
    for (int64_t i = 0; status == THAW_OK && i < count; i++) {
        memcpy(&set->memory[i].key, keys + i * KEY, sizeof(ThawContactKey));
        memcpy(set->memory[i].force, values + i * MEMORY, 3 * sizeof(double));
        memcpy(set->memory[i].anchor, values + i * MEMORY + 3, 3 * sizeof(double));
    }
    thaw_free(keys);
    thaw_free(values);
    return status;
}

ThawStatus thaw_world_save(const ThawWorld *world, const char *path, ThawError *error) {
    if (!world || !path)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_world_save: %s is NULL", world ? "path" : "world");
    ThawCheckpoint *file = NULL;
    ThawStatus status = thaw_checkpoint_create(path, &file, error);
    if (status != THAW_OK)
        return status;
    const ThawState *state = &world->state;
    int64_t count = (int64_t)world->model->vertex_count * world->model->dim;
    double works[WORKS];
    uint64_t model[3], hash = thaw_world_hash(world);
    works_of(&state->ledger, works);
    describe(world, model);
    status = thaw_checkpoint_put_u64(file, "model", model, 3, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_put_i64(file, "step", &state->step, 1, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_put_f64(file, "x", state->x, count, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_put_f64(file, "v", state->v, count, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_put_f64(file, "push", state->push, count, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_put_f64(file, "works", works, WORKS, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_put_u64(file, "hash", &hash, 1, error);
    if (status == THAW_OK)
        status = put_contacts(file, &state->contacts, error);
    if (status == THAW_OK)
        return thaw_checkpoint_commit(&file, error);
    thaw_checkpoint_free(&file);
    return status;
}

// Reads into `loaded`, whose vectors have room for the whole state.
static ThawStatus read_state(ThawCheckpoint *file, const ThawWorld *world, ThawState *loaded, uint64_t *hash,
                             ThawError *error) {
    int64_t count = (int64_t)world->model->vertex_count * world->model->dim;
    uint64_t model[3], found[3];
    double works[WORKS];
    describe(world, model);
    ThawStatus status = thaw_checkpoint_get_u64(file, "model", found, 3, error);
    if (status == THAW_OK && memcmp(model, found, sizeof model) != 0)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "the checkpoint belongs to another world (other meshes, materials or time step)");
    if (status == THAW_OK)
        status = thaw_checkpoint_get_i64(file, "step", &loaded->step, 1, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_get_f64(file, "x", loaded->x, count, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_get_f64(file, "v", loaded->v, count, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_get_f64(file, "push", loaded->push, count, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_get_f64(file, "works", works, WORKS, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_get_u64(file, "hash", hash, 1, error);
    if (status == THAW_OK)
        status = get_contacts(file, &loaded->contacts, error);
    if (status == THAW_OK)
        loaded->ledger = (ThawLedger){.external_work = works[0],
                                      .damping_loss = works[1],
                                      .integration_loss = works[2],
                                      .contact_work = works[3],
                                      .transition_loss = works[4]};
    return status;
}

ThawStatus thaw_world_load(ThawWorld *world, const char *path, ThawError *error) {
    if (!world || !path)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_world_load: %s is NULL", world ? "path" : "world");
    size_t count = (size_t)world->model->vertex_count * (size_t)world->model->dim;
    ThawState loaded = {.x = THAW_NEW(double, count), .v = THAW_NEW(double, count), .push = THAW_NEW(double, count)};
    ThawCheckpoint *file = NULL;
    uint64_t hash = 0;
    ThawStatus status = loaded.x && loaded.v && loaded.push ? THAW_OK : thaw_error_memory(error, "the checkpoint");
    if (status == THAW_OK)
        status = thaw_checkpoint_open(path, &file, error);
    if (status == THAW_OK)
        status = read_state(file, world, &loaded, &hash, error);
    thaw_checkpoint_free(&file);
    if (status == THAW_OK) {
        ThawState *state = &world->state;
        memcpy(state->x, loaded.x, sizeof(double) * count);
        memcpy(state->v, loaded.v, sizeof(double) * count);
        memcpy(state->push, loaded.push, sizeof(double) * count);
        state->ledger = loaded.ledger;
        thaw_free(state->contacts.memory);
        state->contacts.memory = loaded.contacts.memory;
        state->contacts.memory_count = state->contacts.memory_capacity = loaded.contacts.memory_count;
        state->contacts.count = 0;
        loaded.contacts.memory = NULL;
        state->step = loaded.step;
        state->time = (double)loaded.step * world->model->options.h;
        thaw_world_refresh(world);
        if (thaw_world_hash(world) != hash)
            status = thaw_error_set(error, THAW_ERROR_INPUT, "%s: the state does not match its own hash", path);
    }
    thaw_free(loaded.x);
    thaw_free(loaded.v);
    thaw_free(loaded.push);
    thaw_free(loaded.contacts.memory);
    return status;
}
