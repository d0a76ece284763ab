// SPDX-License-Identifier: Apache-2.0
// Snapshots: a checkpoint in memory, and a copy of the definition, whose pieces and shapes are shared with the world's.
// To restore is to make a world of both in the place of the one there is, which goes only once the new one is whole.
#include "output/save.h"
#include "step/edit.h"
#include "thaw/live.h"

struct ThawSnapshot {
    ThawDefinition *definition;
    ThawCheckpoint *state;
    size_t size;
    uint64_t next_id;
    int threads;
};

void thaw_snapshot_free(ThawSnapshot **pointer) {
    if (!pointer || !*pointer)
        return;
    ThawSnapshot *snapshot = *pointer;
    thaw_definition_free(&snapshot->definition);
    thaw_checkpoint_free(&snapshot->state);
    thaw_free(snapshot);
    *pointer = NULL;
}

size_t thaw_snapshot_size(const ThawSnapshot *snapshot) { return snapshot ? snapshot->size : 0; }

ThawStatus thaw_world_snapshot(const ThawWorld *world, ThawSnapshot **result, ThawError *error) {
    if (!world || !result)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_world_snapshot: %s is NULL", world ? "snapshot" : "world");
    *result = NULL;
    if (world->edit)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "thaw_world_snapshot: an edit is open; allowed: outside of edits");
    ThawSnapshot *snapshot = THAW_NEW(ThawSnapshot, 1);
    if (!snapshot)
        return thaw_error_memory(error, "a snapshot");
    snapshot->next_id = world->next_id;
    snapshot->threads = world->model->options.threads;
    ThawStatus status = thaw_definition_copy(world->definition, &snapshot->definition, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_create_memory(&snapshot->state, error);
    if (status == THAW_OK)
        status = thaw_save_state(snapshot->state, world, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_seal(snapshot->state, &snapshot->size, error);
    if (status != THAW_OK)
        thaw_snapshot_free(&snapshot);
    *result = snapshot;
    return status;
}

// Where bodies start is of no interest: they have a state.
static void start_awake(ThawModel *model) {
    for (int32_t b = 0; b < model->body_count; b++)
        model->bodies[b].starts_at_rest = 0;
}

static ThawStatus fill(ThawWorld *world, ThawWorld *before, const void *context, ThawError *error) {
    const ThawSnapshot *snapshot = context;
    (void)before;
    return thaw_load_state(snapshot->state, "in memory", 1, world, error);
}

// What is no part of a world's past: its threads, and pointers of the caller's that it has now.
static void keep_own(const ThawWorld *world, ThawDefinition *definition) {
    definition->def.threads = world->definition->def.threads;
    for (int list = 0; list < THAW_LIST_COUNT; list++)
        for (int32_t i = 0; i < definition->lists[list].count; i++) {
            ThawEntry *entry = &definition->lists[list].entries[i];
            const int32_t now = thaw_definition_find(world->definition, (ThawList)list, entry->id);
            if (now >= 0)
                entry->user = world->definition->lists[list].entries[now].user;
        }
}

ThawStatus thaw_world_restore(ThawWorld *world, const ThawSnapshot *snapshot, ThawError *error) {
    if (!world || !snapshot)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_world_restore: %s is NULL", world ? "snapshot" : "world");
    if (world->edit)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "thaw_world_restore: an edit is open; allowed: outside of edits");
    if (world->model->dim != snapshot->definition->def.dim)
        return thaw_error_set(
            error, THAW_ERROR_INPUT,
            "thaw_world_restore: a snapshot of dimension %d into a world of dimension %d; allowed: the "
            "same",
            snapshot->definition->def.dim, world->model->dim);
    ThawDefinition *definition = NULL;
    ThawModel *model = NULL;
    ThawStatus status = thaw_definition_copy(snapshot->definition, &definition, error);
    if (status == THAW_OK) {
        keep_own(world, definition);
        status = thaw_definition_compile(definition, 0, NULL, NULL, &model, error);
    }
    if (status != THAW_OK) {
        thaw_definition_free(&definition);
        return status;
    }
    start_awake(model);
    if (world->next_id < snapshot->next_id)
        world->next_id = snapshot->next_id;
    return thaw_world_remake(world, model, definition, fill, snapshot, error);
}

ThawStatus thaw_snapshot_make_world(const ThawSnapshot *snapshot, int threads, ThawWorld **result, ThawError *error) {
    if (!snapshot || !result)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_snapshot_make_world: %s is NULL",
                              snapshot ? "world" : "snapshot");
    ThawWorld *world = *result = THAW_NEW(ThawWorld, 1);
    if (!world)
        return thaw_error_memory(error, "the world");
    world->next_id = snapshot->next_id;
    ThawStatus status = thaw_definition_copy(snapshot->definition, &world->definition, error);
    if (status == THAW_OK) {
        world->definition->def.threads = threads < 0 ? snapshot->threads : threads;
        status = thaw_definition_compile(world->definition, 0, NULL, NULL, &world->model, error);
    }
    if (status == THAW_OK) {
        start_awake(world->model);
        status = thaw_world_populate(world, &world->definition->def, error);
    }
    if (status == THAW_OK)
        status = thaw_load_state(snapshot->state, "in memory", 1, world, error);
    if (status != THAW_OK)
        thaw_world_free(result);
    return status;
}

ThawStatus thaw_world_clone(const ThawWorld *world, int threads, ThawWorld **clone, ThawError *error) {
    ThawSnapshot *snapshot = NULL;
    if (clone)
        *clone = NULL;
    ThawStatus status = thaw_world_snapshot(world, &snapshot, error);
    if (status == THAW_OK)
        status = thaw_snapshot_make_world(snapshot, threads, clone, error);
    thaw_snapshot_free(&snapshot);
    return status;
}
