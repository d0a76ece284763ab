// SPDX-License-Identifier: Apache-2.0
// Checkpoints of a world: its whole State, and enough of its Model to refuse a file that belongs to another one.
// Everything else (systems, factors, hashes) is a pure function of the two and is made anew.
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "force/strain.h"
#include "output/save.h"
#include "step/adapt.h"
#include "step/attach.h"

enum { VERSION = 14, WORKS = 8 };

// What must agree between the world that saved and the one that loads, about its first body_count bodies.
static void describe(const ThawWorld *world, int32_t body_count, uint64_t out[3]) {
    const ThawModel *model = world->model;
    uint64_t hash = thaw_hash(0, &model->options.h, sizeof model->options.h);
    for (int32_t i = 0; i < model->shape_count; i++) {
        const ThawShape *shape = &model->shapes[i];
        hash = thaw_hash(hash, shape->X, sizeof *shape->X * (size_t)shape->nv * (size_t)model->dim);
        hash = thaw_hash(hash, shape->cells->elements,
                         sizeof(int32_t) * (size_t)shape->ne * (size_t)shape->cells->kind->nodes);
        hash = thaw_hash(hash, shape->mass, sizeof(double) * (size_t)shape->nv);
        hash = thaw_hash(hash, shape->cells->material, sizeof(int32_t) * (size_t)shape->ne);
    }
    for (int32_t i = 0; i < body_count; i++) {
        int64_t shape = model->bodies[i].shape - model->shapes;
        hash = thaw_hash(hash, &shape, sizeof shape);
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

// --- adaptive bodies ----------------------------------------------------------------------------------------------------

// Bytes as whole words, the last one filled up with zeros.
static ThawStatus put_bytes(ThawCheckpoint *file, const char *name, void *bytes, size_t size, ThawError *error) {
    size_t words = (size + 7) / 8;
    uint64_t *copy = THAW_NEW(uint64_t, words);
    if (!copy)
        return thaw_error_memory(error, "the checkpoint");
    memcpy(copy, bytes, size);
    ThawStatus status = thaw_checkpoint_put_u64(file, name, copy, (int64_t)words, error);
    thaw_free(copy);
    return status;
}

static ThawStatus get_bytes(ThawCheckpoint *file, const char *name, void *bytes, size_t size, ThawError *error) {
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

// One array of an adaptive body's state.
typedef struct Field {
    const char *name;
    void *bytes;
    size_t size;
    enum { RAW, FLOATS, DOUBLES } kind; // numbers are finite, all of them
} Field;

typedef ThawStatus (*Move)(ThawCheckpoint *file, const char *name, void *bytes, size_t size, ThawError *error);

// put_bytes or get_bytes, for each of them.
static ThawStatus move_fields(Move move, ThawCheckpoint *file, const ThawStepper *s, const Field *fields, int count,
                              ThawError *error) {
    ThawStatus status = THAW_OK;
    for (int i = 0; i < count && status == THAW_OK; i++) {
        char name[64];
        snprintf(name, sizeof name, "body/%d/%s", (int)s->index, fields[i].name);
        if (fields[i].size > 0)
            status = move(file, name, fields[i].bytes, fields[i].size, error);
    }
    return status;
}

static ThawStatus check_numbers(const ThawStepper *s, const Field *field, ThawError *error) {
    const size_t count = field->size / (field->kind == FLOATS ? sizeof(float) : sizeof(double));
    for (size_t i = 0; i < count && field->kind != RAW; i++) {
        double number = field->kind == FLOATS ? (double)((float *)field->bytes)[i] : ((double *)field->bytes)[i];
        if (!isfinite(number))
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "body %d (%s): number %lld of its %s is %g; allowed: finite numbers", (int)s->index,
                                  s->body->name, (long long)i, field->name, number);
    }
    return THAW_OK;
}

static ThawStatus check_fields(const ThawStepper *s, const Field *fields, int count, ThawError *error) {
    ThawStatus status = THAW_OK;
    for (int i = 0; i < count && status == THAW_OK; i++)
        status = check_numbers(s, &fields[i], error);
    return status;
}

// From `inertia` on a part is nothing but doubles: two moments, axis, p, R, P and L.
static ThawStatus check_parts(const ThawStepper *s, ThawPart *parts, int64_t count, ThawError *error) {
    enum { FIRST = offsetof(ThawPart, inertia), DOUBLE_COUNT = 2 * 13 + 3 + 3 + 9 + 3 + 3 + 6 };
    _Static_assert(FIRST % sizeof(double) == 0 && sizeof(ThawPart) == FIRST + DOUBLE_COUNT * sizeof(double),
                   "a part has other members: which of them are numbers to check?");
    ThawStatus status = THAW_OK;
    for (int64_t k = 0; k < count && status == THAW_OK; k++)
        status = check_numbers(s, &(Field){"parts", (char *)&parts[k] + FIRST, DOUBLE_COUNT * sizeof(double), DOUBLES},
                               error);
    return status;
}

enum { STORY = 3, ORACLE = 16, PARTS = 5, NUMBERS = 21 };

// What a body keeps while it sleeps, too.
static void list_story(const ThawStepper *s, Field fields[STORY]) {
    ThawHistory *history = s->history;
    size_t ne = (size_t)s->shape->ne;
    Field all[STORY] = {
        {"woken_by", history->woken_by, ne, RAW},
        {"since", history->since, sizeof *history->since * ne, RAW},
        {"told", &history->told, sizeof history->told, RAW},
    };
    memcpy(fields, all, sizeof all);
}

static void list_oracle(const ThawStepper *s, int64_t numbers[NUMBERS], Field fields[ORACLE]) {
    ThawOracleState *oracle = thaw_oracle_state(s->adaptive->oracle);
    const ThawShape *shape = s->shape;
    size_t nv = (size_t)shape->nv, ne = (size_t)shape->ne, dim = (size_t)s->model->dim;
    Field all[ORACLE] = {
        {"below", oracle->below, ne, RAW},
        {"hold", oracle->hold, ne, RAW},
        {"reason", oracle->reason, ne, RAW},
        {"rate", oracle->rate, sizeof(float) * ne, FLOATS},
        {"predicted", oracle->predicted, sizeof(float) * ne, FLOATS},
        {"strain", oracle->strain, sizeof(ThawLanes) * thaw_strain_size(shape->all), DOUBLES},
        {"reference", oracle->reference, sizeof(double) * nv * dim, DOUBLES},
        {"held", oracle->held, sizeof(double) * nv * dim * dim, DOUBLES},
        {"kept", oracle->kept, sizeof(double) * nv * dim, DOUBLES},
        {"shadow", oracle->shadow, sizeof(double) * nv * dim, DOUBLES},
        {"pull", oracle->pull, sizeof(double) * nv * dim, DOUBLES},
        {"known", oracle->known, nv, RAW},
        {"inner", oracle->inner, sizeof(double) * nv * dim, DOUBLES},
        {"loads", oracle->loads, sizeof(double) * nv * dim, DOUBLES},
        {"presses", oracle->presses, sizeof(double) * nv * dim, DOUBLES},
        {"numbers", numbers, NUMBERS * sizeof *numbers, RAW},
    };
    memcpy(fields, all, sizeof all);
}

// The parts of s->adaptive's partition, or of one that is being read: flags, counts, parts, stress and r of it are set.
static void list_parts(const ThawStepper *s, const ThawPartition *partition, Field fields[PARTS]) {
    const size_t parts = (size_t)partition->part_count, vertices = (size_t)partition->vertex_count;
    Field all[PARTS] = {
        {"flagged", partition->flagged, (size_t)s->shape->ne, RAW},
        {"script", partition->script, (size_t)s->shape->nv, RAW},
        {"parts", partition->parts, sizeof *partition->parts * parts, RAW}, // check_parts
        {"stress", partition->stress, sizeof *partition->stress * parts, DOUBLES},
        {"r", partition->r, sizeof *partition->r * vertices * (size_t)s->model->dim, DOUBLES},
    };
    memcpy(fields, all, sizeof all);
}

static ThawStatus put_adaptive(ThawCheckpoint *file, const ThawStepper *s, ThawError *error) {
    const ThawPartition *partition = s->adaptive->partition;
    const ThawOracleState *oracle = thaw_oracle_state(s->adaptive->oracle);
    int64_t numbers[NUMBERS] = {oracle->has_reference,
                                oracle->inner_is,
                                oracle->moving,
                                (int64_t)oracle->touched,
                                oracle->quiet,
                                oracle->restless,
                                oracle->since,
                                oracle->waited,
                                [11] = oracle->tries,
                                [13] = oracle->age,
                                [14] = oracle->pause,
                                [15] = oracle->followed[0],
                                [16] = oracle->followed[1],
                                [18] = oracle->left,
                                [19] = oracle->grace};
    memcpy(&numbers[8], &oracle->drift, sizeof oracle->drift);
    memcpy(&numbers[9], &oracle->margin, sizeof oracle->margin);
    memcpy(&numbers[10], &oracle->uneven, sizeof oracle->uneven);
    memcpy(&numbers[12], &oracle->reached, sizeof oracle->reached);
    memcpy(&numbers[17], &oracle->energy, sizeof oracle->energy);
    memcpy(&numbers[20], &oracle->gained, sizeof oracle->gained);
    Field fields[ORACLE], more[PARTS];
    char name[64];
    list_oracle(s, numbers, fields);
    list_parts(s, partition, more);
    ThawStatus status = move_fields(put_bytes, file, s, fields, ORACLE, error);
    if (status == THAW_OK)
        status = move_fields(put_bytes, file, s, more, PARTS, error);
    int64_t counts[2] = {partition->part_count, partition->vertex_count};
    snprintf(name, sizeof name, "body/%d/counts", (int)s->index);
    return status == THAW_OK ? thaw_checkpoint_put_i64(file, name, counts, 2, error) : status;
}

// Reads straight into the stepper; a file that fails half-way leaves the body elastic.
static ThawStatus get_adaptive(ThawCheckpoint *file, ThawStepper *s, ThawError *error) {
    ThawOracleState *oracle = thaw_oracle_state(s->adaptive->oracle);
    const ThawShape *shape = s->shape;
    size_t dim = (size_t)s->model->dim;
    int64_t numbers[NUMBERS] = {0}, counts[2] = {0};
    Field fields[ORACLE], more[PARTS];
    char name[64];
    snprintf(name, sizeof name, "body/%d/counts", (int)s->index);
    ThawStatus status = thaw_checkpoint_get_i64(file, name, counts, 2, error);
    if (status == THAW_OK && (counts[0] < 0 || counts[0] > shape->ne || counts[1] < 0 || counts[1] > shape->nv))
        status =
            thaw_error_set(error, THAW_ERROR_INPUT, "the checkpoint's rigid parts do not fit body %d", (int)s->index);
    if (status != THAW_OK)
        return status;
    ThawPartition read = {.part_count = (int32_t)counts[0],
                          .vertex_count = (int32_t)counts[1],
                          .flagged = THAW_NEW(unsigned char, shape->ne),
                          .script = THAW_NEW(unsigned char, shape->nv),
                          .parts = THAW_NEW(ThawPart, counts[0]),
                          .stress = thaw_alloc((size_t)counts[0], sizeof *read.stress),
                          .r = THAW_NEW(double, (size_t)counts[1] * dim)};
    if (!read.flagged || !read.script || !read.parts || !read.stress || !read.r)
        status = thaw_error_memory(error, "the checkpoint");
    list_oracle(s, numbers, fields);
    list_parts(s, &read, more);
    if (status == THAW_OK)
        status = move_fields(get_bytes, file, s, fields, ORACLE, error);
    if (status == THAW_OK)
        status = move_fields(get_bytes, file, s, more, PARTS, error);
    if (status == THAW_OK)
        status = check_fields(s, fields, ORACLE, error);
    if (status == THAW_OK)
        status = check_fields(s, more, PARTS, error);
    if (status == THAW_OK)
        status = check_parts(s, read.parts, read.part_count, error);
    if (status == THAW_OK && (uint64_t)numbers[2] >= THAW_ORACLE_MODES)
        status = thaw_error_set(error, THAW_ERROR_INPUT, "body %d (%s): its oracle is in mode %lld; allowed: 0 to %d",
                                (int)s->index, s->body->name, (long long)numbers[2], THAW_ORACLE_MODES - 1);
    const int counters[] = {6, 7, 11, 13, 14, 15, 16, 18, 19};
    for (size_t i = 0; i < sizeof counters / sizeof *counters && status == THAW_OK; i++) {
        int most = counters[i] == 11 ? THAW_ORACLE_PATIENCE : counters[i] == 18 ? THAW_ORACLE_STRIDE : INT32_MAX;
        if (numbers[counters[i]] < 0 || numbers[counters[i]] > most)
            status = thaw_error_set(error, THAW_ERROR_INPUT,
                                    "body %d (%s): a counter of its oracle is %lld; allowed: 0 to %d", (int)s->index,
                                    s->body->name, (long long)numbers[counters[i]], most);
    }
    const int measures[] = {8, 9, 10, 12, 17, 20}; // doubles; reached, the fourth, may be infinite
    for (size_t i = 0; i < sizeof measures / sizeof *measures && status == THAW_OK; i++) {
        double value;
        memcpy(&value, &numbers[measures[i]], sizeof value);
        const int is_energy = measures[i] == 17 || measures[i] == 20;
        if (isnan(value) || (isinf(value) && measures[i] != 12) || (is_energy && value < 0))
            status = thaw_error_set(
                error, THAW_ERROR_INPUT,
                "body %d (%s): a measure of its oracle is %g; allowed: finite numbers, and no energy below 0",
                (int)s->index, s->body->name, value);
    }
    if (status == THAW_OK) {
        oracle->has_reference = (int)numbers[0];
        oracle->inner_is = (int)numbers[1];
        oracle->moving = (int)numbers[2];
        oracle->touched = (uint64_t)numbers[3];
        oracle->quiet = (int)numbers[4];
        oracle->restless = (int)numbers[5];
        oracle->since = (int32_t)numbers[6];
        oracle->waited = (int32_t)numbers[7];
        memcpy(&oracle->drift, &numbers[8], sizeof oracle->drift);
        memcpy(&oracle->margin, &numbers[9], sizeof oracle->margin);
        memcpy(&oracle->uneven, &numbers[10], sizeof oracle->uneven);
        oracle->tries = (int32_t)numbers[11];
        oracle->age = (int32_t)numbers[13];
        oracle->pause = (int32_t)numbers[14];
        oracle->followed[0] = (int32_t)numbers[15];
        oracle->followed[1] = (int32_t)numbers[16];
        oracle->left = (int32_t)numbers[18];
        oracle->grace = (int32_t)numbers[19];
        memcpy(&oracle->reached, &numbers[12], sizeof oracle->reached);
        memcpy(&oracle->energy, &numbers[17], sizeof oracle->energy);
        memcpy(&oracle->gained, &numbers[20], sizeof oracle->gained);
        status = thaw_partition_restore(s->adaptive->partition, read.flagged, read.script, read.parts,
                                        (const double *)read.stress, read.part_count, read.r, read.vertex_count, error);
        thaw_adapt_renew(s);
    }
    thaw_free(read.flagged);
    thaw_free(read.script);
    thaw_free(read.parts);
    thaw_free(read.stress);
    thaw_free(read.r);
    return status;
}

// What a body of the method "rigidify" knows besides x and v, awake or asleep.
static ThawStatus put_body(ThawCheckpoint *file, const ThawStepper *s, ThawError *error) {
    Field story[STORY];
    if (!s->history)
        return THAW_OK;
    list_story(s, story);
    ThawStatus status = move_fields(put_bytes, file, s, story, STORY, error);
    return status == THAW_OK && s->adaptive ? put_adaptive(file, s, error) : status;
}

static ThawStatus get_body(ThawCheckpoint *file, ThawStepper *s, ThawError *error) {
    Field story[STORY];
    if (!s->history)
        return THAW_OK;
    list_story(s, story);
    ThawStatus status = move_fields(get_bytes, file, s, story, STORY, error);
    if (status == THAW_OK && s->adaptive)
        status = get_adaptive(file, s, error);
    s->history->at = -1;
    const unsigned char *reasons[] = {s->history->woken_by,
                                      s->adaptive ? thaw_oracle_state(s->adaptive->oracle)->reason : NULL};
    for (int k = 0; k < 2; k++) // names are looked up by them
        for (int32_t e = 0; status == THAW_OK && reasons[k] && e < s->shape->ne; e++)
            if (reasons[k][e] >= THAW_REASON_COUNT)
                status =
                    thaw_error_set(error, THAW_ERROR_INPUT, "the checkpoint gives element %d of body %d a reason %d",
                                   (int)e, (int)s->index, reasons[k][e]);
    return status;
}

// --- what is known of each body ------------------------------------------------------------------------------------------

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
        if (!isfinite(elastic[i]))
            status = thaw_error_set(error, THAW_ERROR_INPUT,
                                    "the checkpoint's elastic energy of body %d is %g; allowed: a finite number",
                                    (int)i, elastic[i]);
    for (int32_t i = 0; status == THAW_OK && i < count; i++) {
        asleep[i] = rows[i * BODY] != 0;
        if (rows[i * BODY + 2] < 0 || rows[i * BODY + 2] >= thaw_method_count() ||
            (asleep[i] && rows[i * BODY + 2] != THAW_METHOD_RIGIDIFY))
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
    ThawStatus status = put_bytes(file, "released", world->state.released, (size_t)count, error);
    return status == THAW_OK ? thaw_checkpoint_put_f64(file, "pull", world->state.pull,
                                                       3 * (int64_t)world->model->anchor_count, error)
                             : status;
}

// Straight into the state; a file that fails half-way leaves what it gave.
static ThawStatus get_attachments(ThawCheckpoint *file, ThawWorld *world, ThawError *error) {
    const int32_t count = world->model->attachment_count;
    if (count == 0)
        return THAW_OK;
    ThawStatus status = get_bytes(file, "released", world->state.released, (size_t)count, error);
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
    describe(world, world->model->body_count, model);
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
        status = thaw_save_contacts(file, "contacts", &state->contacts,
                                    state->contacts.count == state->contacts.memory_count, error);
    if (status == THAW_OK)
        status = thaw_save_contacts(file, "resting", &state->resting, 1, error);
    if (status == THAW_OK)
        status = put_bodies(file, world, error);
    if (status == THAW_OK)
        status = put_attachments(file, world, error);
    for (int32_t i = 0; status == THAW_OK && i < world->model->body_count; i++)
        status = put_body(file, &world->steppers[i], error);
    if (status == THAW_OK)
        return thaw_checkpoint_commit(&file, error);
    thaw_checkpoint_free(&file);
    return status;
}

// Reads into `loaded`, whose vectors have room for the whole state, what there is of the first *bodies.
static ThawStatus read_state(ThawCheckpoint *file, const ThawWorld *world, ThawState *loaded, int32_t *bodies,
                             uint64_t *hash, ThawError *error) {
    uint64_t model[3], found[3];
    double works[WORKS];
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
            "the checkpoint belongs to another world (other meshes, materials, obstacles or time step)");
    int64_t count = (int64_t)coordinates_of(world, *bodies);
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
        status = thaw_load_contacts(file, "contacts", world, *bodies, &loaded->contacts, error);
    if (status == THAW_OK)
        status = thaw_load_contacts(file, "resting", world, *bodies, &loaded->resting, error);
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

ThawStatus thaw_world_load(ThawWorld *world, const char *path, ThawError *error) {
    if (!world || !path)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_world_load: %s is NULL", world ? "path" : "world");
    size_t count = (size_t)world->model->vertex_count * (size_t)world->model->dim;
    ThawState loaded = {.x = THAW_NEW(double, count), .v = THAW_NEW(double, count), .push = THAW_NEW(double, count)};
    ThawCheckpoint *file = NULL;
    int32_t bodies = 0;
    uint64_t hash = 0;
    ThawStatus status = loaded.x && loaded.v && loaded.push ? THAW_OK : thaw_error_memory(error, "the checkpoint");
    if (status == THAW_OK)
        status = thaw_checkpoint_open(path, &file, error);
    if (status == THAW_OK)
        status = read_state(file, world, &loaded, &bodies, &hash, error);
    if (status == THAW_OK) {
        ThawState *state = &world->state;
        count = coordinates_of(world, bodies); // bodies behind those stay what they are
        memcpy(state->x, loaded.x, sizeof(double) * count);
        memcpy(state->v, loaded.v, sizeof(double) * count);
        memcpy(state->push, loaded.push, sizeof(double) * count);
        take_contacts(&loaded.contacts, &state->contacts);
        take_contacts(&loaded.resting, &state->resting);
        state->step = loaded.step;
        state->time = (double)loaded.step * world->model->options.h;
        status = get_bodies(file, world, bodies, error);
        state->ledger = loaded.ledger;
        if (status == THAW_OK)
            status = get_attachments(file, world, error);
        for (int32_t i = 0; status == THAW_OK && i < bodies; i++)
            status = get_body(file, &world->steppers[i], error);
        if (status == THAW_OK)
            status = show_contacts(world, loaded.contacts.count, loaded.resting.count, error);
        if (status == THAW_OK && bodies == world->model->body_count && thaw_world_hash(world) != hash)
            status = thaw_error_set(error, THAW_ERROR_INPUT, "%s: the state does not match its own hash", path);
    }
    thaw_checkpoint_free(&file);
    thaw_free(loaded.x);
    thaw_free(loaded.v);
    thaw_free(loaded.push);
    thaw_contact_set_clear(&loaded.contacts);
    thaw_contact_set_clear(&loaded.resting);
    return status;
}
