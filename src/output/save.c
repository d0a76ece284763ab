// SPDX-License-Identifier: Apache-2.0
// Checkpoints of a world: its whole State, and enough of its Model to refuse a file that belongs to another one.
// Everything else (systems, factors, hashes) is a pure function of the two and is made anew.
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "model/hinges.h"
#include "output/save.h"
#include "step/attach.h"
#include "step/method.h"

enum { VERSION = 20, WORKS = 8 };

// What must agree between the world that saved and the one that loads, about its first body_count bodies.
static void describe(const ThawWorld *world, int32_t body_count, uint64_t out[3]) {
    const ThawModel *model = world->model;
    uint64_t hash = thaw_hash(0, &model->options.h, sizeof model->options.h);
    for (int32_t i = 0; i < model->shape_count; i++) {
        const ThawShape *shape = model->shapes[i];
        hash = thaw_hash(hash, shape->X, sizeof *shape->X * (size_t)shape->nv * (size_t)model->dim);
        hash = thaw_hash(hash, shape->cells->elements,
                         sizeof(int32_t) * (size_t)shape->ne * (size_t)shape->cells->kind->nodes);
        hash = thaw_hash(hash, shape->mass, sizeof(double) * (size_t)shape->nv);
        hash = thaw_hash(hash, shape->cells->material, sizeof(int32_t) * (size_t)shape->ne);
    }
    for (int32_t i = 0; i < body_count; i++) {
        const int64_t shape = thaw_model_shape_index(model, model->bodies[i].base);
        hash = thaw_hash(hash, &shape, sizeof shape);
        const int32_t moved[] = {model->bodies[i].mover, model->bodies[i].moved};
        if (model->bodies[i].unit)
            hash = thaw_hash(hash, moved, sizeof moved);
    }
    for (int32_t i = 0; i < model->material_count; i++) {
        const ThawMaterial *material = &model->materials[i];
        const double numbers[] = {material->model, material->alpha0, material->alpha1};
        hash = thaw_hash(hash, numbers, sizeof numbers);
        hash = thaw_hash(hash, material->c, sizeof material->c);
        if (material->viscosity[1] > 0)
            hash = thaw_hash(hash, material->viscosity, sizeof material->viscosity);
    }
    hash = thaw_hash(hash, &model->obstacle_count, sizeof model->obstacle_count);
    for (int32_t i = 0; i < model->obstacle_count; i++) { // contacts name its faces, and where on it they began
        const ThawModelObstacle *o = &model->obstacles[i];
        const int32_t counts[] = {(int32_t)o->kind, o->vertex_count, o->face_count, o->frame_count};
        hash = thaw_hash(hash, counts, sizeof counts);
        hash = thaw_hash(hash, o->size, sizeof o->size);
        if (o->x)
            hash = thaw_hash(hash, o->x, sizeof *o->x * (size_t)o->vertex_count * (size_t)model->dim);
        if (o->faces)
            hash = thaw_hash(hash, o->faces, sizeof *o->faces * (size_t)o->face_count * (size_t)model->dim);
    }
    for (int32_t i = 0; i < model->attachment_count; i++) { // forces are by anchor
        const ThawAttachment *a = &model->attachments[i];
        const int32_t parts[] = {a->body, a->other, a->first, a->count};
        hash = thaw_hash(hash, parts, sizeof parts);
    }
    out[0] = VERSION;
    out[1] = (uint64_t)body_count;
    out[2] = hash;
}

// Coordinates of the first body_count bodies.
static size_t coordinates_of(const ThawWorld *world, int32_t body_count) {
    const ThawModel *model = world->model;
    int32_t vertices = body_count < model->body_count ? model->bodies[body_count].first_vertex : model->vertex_count;
    return (size_t)vertices * (size_t)model->dim;
}

static void works_of(const ThawLedger *ledger, double works[WORKS]) {
    works[0] = ledger->external_work;
    works[1] = ledger->damping_loss;
    works[2] = ledger->integration_loss;
    works[3] = ledger->contact_work;
    works[4] = ledger->transition_loss;
    works[5] = ledger->follow_work;
    works[6] = ledger->parting_work;
    works[7] = ledger->obstacle_work;
}

ThawStatus thaw_save_bytes(ThawCheckpoint *file, const char *name, const void *bytes, size_t size, ThawError *error) {
    size_t words = (size + 7) / 8;
    uint64_t *copy = THAW_NEW(uint64_t, words);
    if (!copy)
        return thaw_error_memory(error, "the checkpoint");
    memcpy(copy, bytes, size);
    ThawStatus status = thaw_checkpoint_put_u64(file, name, copy, (int64_t)words, error);
    thaw_free(copy);
    return status;
}

ThawStatus thaw_load_bytes(ThawCheckpoint *file, const char *name, void *bytes, size_t size, ThawError *error) {
    size_t words = (size + 7) / 8;
    uint64_t *copy = THAW_NEW(uint64_t, words);
    if (!copy)
        return thaw_error_memory(error, "the checkpoint");
    ThawStatus status = thaw_checkpoint_get_u64(file, name, copy, (int64_t)words, error);
    if (status == THAW_OK)
        memcpy(bytes, copy, size);
    thaw_free(copy);
    return status;
}

// --- what is known of each body --------------------------------------------------------------------------------------

enum { BODY = 5 };

// A row a body: asleep, slow, method, parts, which methods it has options of its own for (a bit each); and the elastic
// energies that the ledger goes on from.
static ThawStatus put_bodies(ThawCheckpoint *file, const ThawWorld *world, ThawError *error) {
    const ThawState *state = &world->state;
    int64_t count = world->model->body_count;
    int32_t *rows = THAW_NEW(int32_t, count * BODY);
    double *elastic = THAW_NEW(double, count);
    ThawStatus status = rows && elastic ? THAW_OK : thaw_error_memory(error, "the checkpoint");
    for (int64_t i = 0; status == THAW_OK && i < count; i++) {
        int32_t *row = rows + i * BODY;
        row[0] = state->asleep[i];
        row[1] = state->slow[i];
        row[2] = state->method[i];
        row[3] = world->steppers[i].parts;
        row[4] = thaw_save_own_options(state, (int32_t)i);
        elastic[i] = world->steppers[i].elastic;
    }
    if (status == THAW_OK)
        status = thaw_checkpoint_put_i32(file, "bodies", rows, count * BODY, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_put_f64(file, "elastic", elastic, count, error);
    if (status == THAW_OK)
        status = thaw_save_options(file, state, (int32_t)count, error);
    thaw_free(rows);
    thaw_free(elastic);
    return status;
}

// The first `count` bodies awake and asleep as in the file; x, v and time are in place.
static ThawStatus get_bodies(ThawCheckpoint *file, ThawWorld *world, int32_t count, ThawError *error) {
    ThawState *state = &world->state;
    int32_t *rows = THAW_NEW(int32_t, (size_t)count * BODY);
    unsigned char *asleep = THAW_NEW(unsigned char, world->model->body_count);
    double *elastic = THAW_NEW(double, count);
    ThawStatus status = rows && asleep && elastic ? THAW_OK : thaw_error_memory(error, "the checkpoint");
    if (status == THAW_OK)
        status = thaw_checkpoint_get_i32(file, "bodies", rows, (int64_t)count * BODY, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_get_f64(file, "elastic", elastic, count, error);
    if (status == THAW_OK)
        memcpy(asleep, state->asleep, (size_t)world->model->body_count);
    for (int32_t i = 0; status == THAW_OK && i < count; i++)
        if (!thaw_is_sound(elastic[i]))
            status = thaw_error_set(error, THAW_ERROR_INPUT,
                                    "the checkpoint's elastic energy of body %d is %g; allowed: -1e150 to 1e150",
                                    (int)i, elastic[i]);
    for (int32_t i = 0; status == THAW_OK && i < count; i++) {
        asleep[i] = rows[i * BODY] != 0;
        if (rows[i * BODY + 2] < 0 || rows[i * BODY + 2] >= thaw_method_count() ||
            (asleep[i] && !thaw_method_at(rows[i * BODY + 2])->sleeps) ||
            (world->model->bodies[i].unit && !thaw_method_at(rows[i * BODY + 2])->takes_units))
            status = thaw_error_set(error, THAW_ERROR_INPUT, "the checkpoint's method of body %d is %d", (int)i,
                                    (int)rows[i * BODY + 2]);
    }
    if (status == THAW_OK)
        status = thaw_load_options(file, state, rows + 4, BODY, count, error);
    for (int32_t i = 0; status == THAW_OK && i < count; i++)
        state->method[i] = (unsigned char)rows[i * BODY + 2];
    if (status == THAW_OK)
        status = thaw_sleep_restore(world, asleep, error);
    if (status == THAW_OK)
        thaw_world_refresh(world);
    for (int32_t i = 0; status == THAW_OK && i < count; i++) {
        state->slow[i] = (unsigned char)rows[i * BODY + 1];
        world->steppers[i].parts = rows[i * BODY + 3];
        world->steppers[i].elastic = elastic[i];
    }
    thaw_free(rows);
    thaw_free(asleep);
    thaw_free(elastic);
    return status;
}

// --- attachments -----------------------------------------------------------------------------------------------------

static ThawStatus put_attachments(ThawCheckpoint *file, const ThawWorld *world, ThawError *error) {
    const int32_t count = world->model->attachment_count;
    if (count == 0)
        return THAW_OK;
    ThawStatus status = thaw_save_bytes(file, "released", world->state.released, (size_t)count, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_put_f64(file, "let_go", world->state.let_go, 2 * (int64_t)count, error);
    return status == THAW_OK ? thaw_checkpoint_put_f64(file, "pull", world->state.pull,
                                                       3 * (int64_t)world->model->anchor_count, error)
                             : status;
}

// Straight into the state; a file that fails half-way leaves what it gave.
static ThawStatus get_attachments(ThawCheckpoint *file, ThawWorld *world, ThawError *error) {
    const int32_t count = world->model->attachment_count;
    if (count == 0)
        return THAW_OK;
    ThawStatus status = thaw_load_bytes(file, "released", world->state.released, (size_t)count, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_get_f64(file, "let_go", world->state.let_go, 2 * (int64_t)count, error);
    if (status == THAW_OK)
        status =
            thaw_checkpoint_get_f64(file, "pull", world->state.pull, 3 * (int64_t)world->model->anchor_count, error);
    for (int32_t i = 0; i < 3 * world->model->anchor_count && status == THAW_OK; i++)
        if (!isfinite(world->state.pull[i]))
            status = thaw_error_set(error, THAW_ERROR_INPUT,
                                    "the checkpoint's force %d of attachments is %g N; allowed: finite numbers", (int)i,
                                    world->state.pull[i]);
    for (int32_t i = 0; i < count; i++)
        world->state.released[i] = world->state.released[i] != 0;
    return status;
}

static int has_turned(const int32_t *turns, int64_t size) {
    for (int64_t i = 0; turns && i < size; i++)
        if (turns[i] != 0)
            return 1;
    return 0;
}

// Folds of sheets that yield, and turns of hinges where there are any.
static ThawStatus put_hinges(ThawCheckpoint *file, const ThawWorld *world, ThawError *error) {
    ThawStatus status = THAW_OK;
    for (int32_t b = 0; status == THAW_OK && b < world->model->body_count; b++) {
        const int64_t size = thaw_hinges_size(world->model->bodies[b].base);
        char name[40];
        snprintf(name, sizeof name, "folds/%d", (int)b);
        if (world->state.folds[b])
            status = thaw_checkpoint_put_f64(file, name, world->state.folds[b], size, error);
        snprintf(name, sizeof name, "turns/%d", (int)b);
        if (status == THAW_OK && has_turned(world->state.turns[b], size))
            status = thaw_checkpoint_put_i32(file, name, world->state.turns[b], size, error);
    }
    return status;
}

ThawStatus thaw_save_state(ThawCheckpoint *file, const ThawWorld *world, ThawError *error) {
    const ThawState *state = &world->state;
    int64_t count = (int64_t)world->model->vertex_count * world->model->dim;
    double works[WORKS];
    uint64_t model[3], hash = thaw_world_hash(world);
    works_of(&state->ledger, works);
    describe(world, world->model->body_count, model);
    ThawStatus status = thaw_checkpoint_put_u64(file, "model", model, 3, error);
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
        status = thaw_save_contacts(file, "contacts", &state->contacts,
                                    state->contacts.count == state->contacts.memory_count, error);
    if (status == THAW_OK)
        status = thaw_save_contacts(file, "resting", &state->resting, 1, error);
    if (status == THAW_OK)
        status = thaw_save_changes(file, world, error);
    if (status == THAW_OK)
        status = put_hinges(file, world, error);
    if (status == THAW_OK)
        status = put_bodies(file, world, error);
    if (status == THAW_OK)
        status = put_attachments(file, world, error);
    if (status == THAW_OK)
        status = thaw_save_drives(file, world, error);
    for (int32_t i = 0; status == THAW_OK && i < world->model->body_count; i++)
        status = world->model->bodies[i].moved > 0 ? thaw_save_method(file, &world->steppers[i], error) : THAW_OK;
    return status;
}

ThawStatus thaw_world_save(const ThawWorld *world, const char *path, ThawError *error) {
    if (!world || !path)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_world_save: %s is NULL", world ? "path" : "world");
    ThawCheckpoint *file = NULL;
    ThawStatus status = thaw_checkpoint_create(path, &file, error);
    if (status != THAW_OK)
        return status;
    status = thaw_save_state(file, world, error);
    if (status == THAW_OK)
        return thaw_checkpoint_commit(&file, error);
    thaw_checkpoint_free(&file);
    return status;
}

static ThawStatus read_folds(ThawCheckpoint *file, int32_t body, int64_t size, ThawState *loaded, ThawError *error) {
    char name[40];
    snprintf(name, sizeof name, "folds/%d", (int)body);
    if (!(loaded->folds[body] = THAW_NEW(double, size)))
        return thaw_error_memory(error, "the checkpoint");
    ThawStatus status = thaw_checkpoint_get_f64(file, name, loaded->folds[body], size, error);
    for (int64_t i = 0; i < size && status == THAW_OK; i++)
        if (!(fabs(loaded->folds[body][i]) <= 1e6))
            status =
                thaw_error_set(error, THAW_ERROR_INPUT, "the checkpoint's folds of body %d are no angles", (int)body);
    return status;
}

static ThawStatus read_turns(ThawCheckpoint *file, int32_t body, int64_t size, ThawState *loaded, ThawError *error) {
    char name[40];
    snprintf(name, sizeof name, "turns/%d", (int)body);
    if (!(loaded->turns[body] = THAW_NEW(int32_t, size)))
        return thaw_error_memory(error, "the checkpoint");
    ThawStatus status = thaw_checkpoint_count(file, name) < 0
                            ? THAW_OK
                            : thaw_checkpoint_get_i32(file, name, loaded->turns[body], size, error);
    for (int64_t i = 0; i < size && status == THAW_OK; i++)
        if (loaded->turns[body][i] < -THAW_TURNS_MOST || loaded->turns[body][i] > THAW_TURNS_MOST)
            status = thaw_error_set(error, THAW_ERROR_INPUT,
                                    "the checkpoint's turn %d of body %d is %d; allowed: %d to %d quarter turns",
                                    (int)i, (int)body, (int)loaded->turns[body][i], -THAW_TURNS_MOST, THAW_TURNS_MOST);
    return status;
}

static ThawStatus read_hinges(ThawCheckpoint *file, const ThawWorld *world, ThawState *loaded, int32_t bodies,
                              ThawError *error) {
    loaded->folds = thaw_alloc((size_t)bodies, sizeof *loaded->folds);
    loaded->turns = thaw_alloc((size_t)bodies, sizeof *loaded->turns);
    ThawStatus status = loaded->folds && loaded->turns ? THAW_OK : thaw_error_memory(error, "the checkpoint");
    for (int32_t b = 0; status == THAW_OK && b < bodies; b++) {
        const int64_t size = thaw_hinges_size(world->model->bodies[b].base);
        if (world->state.folds[b])
            status = read_folds(file, b, size, loaded, error);
        if (status == THAW_OK && world->state.turns[b])
            status = read_turns(file, b, size, loaded, error);
    }
    return status;
}

// Before anything is made of shapes, which may be others by now: these get what is loaded, or what there was.
static void take_hinges(ThawWorld *world, ThawState *loaded, int32_t bodies, int good) {
    for (int32_t b = 0; b < bodies; b++) {
        const size_t size = (size_t)thaw_hinges_size(world->model->bodies[b].base);
        if (good && loaded->folds[b])
            memcpy(world->state.folds[b], loaded->folds[b], sizeof(double) * size);
        if (good && loaded->turns[b])
            memcpy(world->state.turns[b], loaded->turns[b], sizeof(int32_t) * size);
        thaw_folds_apply(world, b);
        if (loaded->folds)
            thaw_free(loaded->folds[b]);
        if (loaded->turns)
            thaw_free(loaded->turns[b]);
    }
    thaw_free(loaded->folds);
    thaw_free(loaded->turns);
}

// Whether the file belongs to this world, or to its first *bodies.
static ThawStatus read_model(ThawCheckpoint *file, const ThawWorld *world, int32_t *bodies, ThawError *error) {
    uint64_t model[3], found[3];
    ThawStatus status = thaw_checkpoint_get_u64(file, "model", found, 3, error);
    if (status != THAW_OK)
        return status;
    if (found[0] != VERSION)
        return thaw_error_set(error, THAW_ERROR_INPUT, "the checkpoint is of version %llu; this program reads %d",
                              (unsigned long long)found[0], VERSION);
    *bodies = found[1] < (uint64_t)world->model->body_count ? (int32_t)found[1] : world->model->body_count;
    describe(world, *bodies, model);
    if (memcmp(model, found, sizeof model) != 0)
        return thaw_error_set(
            error, THAW_ERROR_INPUT,
            "the checkpoint belongs to another world (other meshes, materials, obstacles, units or time step)");
    return THAW_OK;
}

// Reads into `loaded`, whose vectors have room for the whole state, what there is of the first `bodies`.
static ThawStatus read_state(ThawCheckpoint *file, const ThawWorld *world, ThawState *loaded, int32_t bodies,
                             uint64_t *hash, ThawError *error) {
    double works[WORKS];
    int64_t count = (int64_t)coordinates_of(world, bodies);
    const size_t room = (size_t)world->model->vertex_count * (size_t)world->model->dim;
    ThawStatus status = THAW_OK;
    loaded->x = THAW_NEW(double, room);
    loaded->v = THAW_NEW(double, room);
    loaded->push = THAW_NEW(double, room);
    if (!loaded->x || !loaded->v || !loaded->push)
        status = thaw_error_memory(error, "the checkpoint");
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
        status = thaw_load_contacts(file, "contacts", world, bodies, &loaded->contacts, error);
    if (status == THAW_OK)
        status = thaw_load_contacts(file, "resting", world, bodies, &loaded->resting, error);
    if (status == THAW_OK)
        loaded->ledger = (ThawLedger){.external_work = works[0],
                                      .damping_loss = works[1],
                                      .integration_loss = works[2],
                                      .contact_work = works[3],
                                      .transition_loss = works[4],
                                      .follow_work = works[5],
                                      .parting_work = works[6],
                                      .obstacle_work = works[7]};
    return status;
}

// The memory now, the points when all else is in place: until then they count as of another time.
static void take_contacts(ThawContactSet *from, ThawContactSet *to) {
    thaw_free(to->memory);
    thaw_free(to->contacts);
    to->memory = from->memory;
    to->memory_count = to->memory_capacity = from->memory_count;
    to->contacts = from->contacts;
    to->capacity = from->count;
    to->count = 0;
    from->memory = NULL;
    from->contacts = NULL;
}

// The points of the last step are there again, and nothing has begun or ended since.
static ThawStatus show_contacts(ThawWorld *world, int32_t awake, int32_t resting, ThawError *error) {
    ThawContactSet *set = &world->state.contacts;
    ThawContactMemory *memory = THAW_NEW(ThawContactMemory, set->memory_count);
    if (!memory)
        return thaw_error_memory(error, "the contacts");
    if (set->memory_count > 0)
        memcpy(memory, set->memory, sizeof *memory * (size_t)set->memory_count);
    thaw_free(world->start_memory);
    world->start_memory = memory;
    world->start_memory_count = world->start_memory_capacity = set->memory_count;
    set->count = awake;
    world->state.resting.count = resting;
    return THAW_OK;
}

// A file that fails half-way leaves the body with a method that begins anew, or with the reference.
static ThawStatus get_method(ThawCheckpoint *file, ThawWorld *world, ThawStepper *s, ThawError *error) {
    const ThawMethodOps *ops = s->method->ops;
    ThawStatus status = thaw_load_method(file, world, s, error), renewed = THAW_OK;
    if (status == THAW_OK)
        return THAW_OK;
    thaw_method_leave(s);
    if (world->state.asleep[s->index])
        renewed = ops->rest ? ops->rest(world, s, NULL, NULL) : THAW_OK;
    else
        renewed = thaw_method_create(world, s, NULL);
    if (renewed != THAW_OK) {
        memset(world->state.method + s->index, THAW_METHOD_REFERENCE, (size_t)s->body->moved);
        thaw_method_bind(world, s);
    }
    return status;
}

ThawStatus thaw_load_state(ThawCheckpoint *file, const char *path, int trusted, ThawWorld *world, ThawError *error) {
    ThawState loaded = {0};
    int32_t bodies = 0;
    uint64_t hash = 0;
    ThawStatus status = read_model(file, world, &bodies, error);
    if (status == THAW_OK)
        status = thaw_load_changes(file, world, bodies, error);
    if (status == THAW_OK)
        status = read_hinges(file, world, &loaded, bodies, error);
    if (status == THAW_OK)
        status = read_state(file, world, &loaded, bodies, &hash, error);
    if (status == THAW_OK)
        status = thaw_load_drives(file, world, error);
    take_hinges(world, &loaded, bodies, status == THAW_OK);
    if (status == THAW_OK) {
        ThawState *state = &world->state;
        const size_t count = coordinates_of(world, bodies); // bodies behind those stay what they are
        memcpy(state->x, loaded.x, sizeof(double) * count);
        memcpy(state->v, loaded.v, sizeof(double) * count);
        memcpy(state->push, loaded.push, sizeof(double) * count);
        take_contacts(&loaded.contacts, &state->contacts);
        take_contacts(&loaded.resting, &state->resting);
        state->step = loaded.step;
        state->time = thaw_model_time(world->model, (double)loaded.step);
        status = get_bodies(file, world, bodies, error);
        state->ledger = loaded.ledger;
        if (status == THAW_OK)
            status = get_attachments(file, world, error);
        for (int32_t i = 0; status == THAW_OK && i < bodies; i++)
            status = world->model->bodies[i].moved > 0 ? get_method(file, world, &world->steppers[i], error) : THAW_OK;
        if (status == THAW_OK)
            status = show_contacts(world, loaded.contacts.count, loaded.resting.count, error);
        if (status == THAW_OK && bodies == world->model->body_count && thaw_world_hash(world) != hash)
            status = thaw_error_set(error, THAW_ERROR_INPUT, "%s: the state does not match its own hash", path);
        if (status == THAW_OK && !trusted)
            status = thaw_world_validate(world, error);
    }
    thaw_free(loaded.x);
    thaw_free(loaded.v);
    thaw_free(loaded.push);
    thaw_contact_set_clear(&loaded.contacts);
    thaw_contact_set_clear(&loaded.resting);
    return status;
}

ThawStatus thaw_world_load(ThawWorld *world, const char *path, ThawError *error) {
    if (!world || !path)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_world_load: %s is NULL", world ? "path" : "world");
    if (world->edit)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_world_load: an edit is open; allowed: outside of edits");
    ThawCheckpoint *file = NULL;
    ThawStatus status = thaw_checkpoint_open(path, &file, error);
    if (status == THAW_OK) {
        world->edition++; // a file that fails half-way may have moved what views look at
        status = thaw_load_state(file, path, 0, world, error);
    }
    thaw_checkpoint_free(&file);
    return status;
}
