// SPDX-License-Identifier: Apache-2.0
// What is in a checkpoint, in two ways; the file around it (length, digest) is fuzz_envelope's. An input is a recipe
// for a file with a proper digest and odd content, which a world then loads:
//     '!', then name (bits 0-2, 5-7) and type (bits 3, 4), number of values (one byte), then a byte for every value
// or (any other first byte) a list of changes to the checkpoint of a world in contact, which then loads it, and steps:
//     name (one byte), place in the table (one byte), new value (one byte)
// Tables stand in memory (store.c), and one world serves many inputs: after each it takes the honest checkpoint again
// and has the same bits as ever, whatever it was given before.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "output/checkpoint.h"
#include "store.h"
#include "thaw/thaw.h"

enum { BUDGET = 64 << 20, RENEW = 1000 }; // RENEW: inputs that a world serves

// A body that is adaptive and lies on the floor, one that is not and lies on the first, one that has lost an element
// and hangs on that, and a sheet: every table that a checkpoint may hold but those of units.
static const char tiny[] =
    "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 1},"
    "\"materials\": {\"m\": {\"model\": \"stvk\", \"density\": 1000, \"young\": 1e5, \"poisson\": 0.3}},"
    "\"shapes\": {\"s\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1], \"cells\": [1, 1, 1]}},"
    "\"material\": \"m\"}, \"f\": {\"mesh\": {\"sheet\": {\"grid\": {\"width\": 1, \"height\": 1}}, \"size\": 1}, "
    "\"material\": \"m\", \"thickness\": 0.01}}, \"bodies\": [{\"name\": \"b\", \"shape\": \"s\", \"method\": "
    "\"rigidify\", \"rigidify\": {\"hold\": 3}}, {\"name\": \"c\", \"shape\": \"s\", \"position\": [0.1, 0, 1]}, "
    "{\"name\": \"d\", \"shape\": \"s\", \"position\": [0, 0, 5], \"changes\": [{\"at\": 0.015, \"remove\": "
    "{\"sphere\": "
    "{\"centre\": [0.25, 0.5, 0.75], \"radius\": 0.3}}}]}, {\"name\": \"e\", \"shape\": \"f\", \"position\": [0, 0, "
    "9]}], "
    "\"attachments\": [{\"body\": \"d\", \"group\": \"z-max\", \"to\": \"c\", \"kind\": \"distance\", \"at\": [0.5, "
    "0.5, "
    "2], \"stiffness\": 10}], \"obstacles\": [{\"box\": {\"size\": [4, 4, 1]},"
    "\"position\": [0, 0, -0.5]}]}";

// The names of an honest checkpoint's tables, and one that is none.
enum { MOST_NAMES = 200 };
static char names[MOST_NAMES][64];
static int name_count;
static const char path[] = "input", honest[] = "honest";
static ThawWorld *subject;
static uint64_t honest_hash;
static int served;  // inputs
static long before; // allocations when there was no world

static ThawWorld *make_world(void) {
    ThawScene *scene = NULL;
    ThawWorld *world = NULL;
    ThawError error = {0};
    ThawStatus status = thaw_scene_parse(tiny, strlen(tiny), "tiny", NULL, &scene, &error);
    if (!status) {
        scene->world.threads = 1; // the budget counts without locks
        status = thaw_world_create(&scene->world, &world, &error);
    }
    if (status)
        fprintf(stderr, "%s\n", error.message);
    fuzz_check(world != NULL, "the world of this target can be made");
    thaw_scene_free(&scene);
    return world;
}

// Numbers where the byte says so are those that hurt.
static double number_of(uint8_t byte) {
    return byte > 250 ? (double[]){1e308, -1e308, 0.0 / 0.0, 1.0 / 0.0, -0.0}[byte - 251] : byte;
}

static ThawStatus write_recipe(const uint8_t *data, size_t size) {
    ThawCheckpoint *file;
    ThawStatus status = thaw_checkpoint_create(path, &file, NULL);
    if (status)
        return status;
    char taken[MOST_NAMES] = {0};
    for (size_t at = 0; at + 2 <= size;) {
        const int which = (data[at] % 8 + data[at] / 32 * 8) % name_count;
        const char *name = names[which];
        const int type = data[at] / 8 % 4, count = data[at + 1];
        double f[256];
        int64_t i[256];
        int32_t s[256];
        at += 2;
        for (int k = 0; k < count; k++, at++) {
            const uint8_t byte = at < size ? data[at] : 0;
            f[k] = number_of(byte);
            i[k] = byte > 250 ? INT64_MIN + byte : byte;
            s[k] = byte > 250 ? INT32_MIN + byte : byte;
        }
        if (taken[which]++) // a name can be put once
            continue;
        if (type == 0)
            thaw_checkpoint_put_f64(file, name, f, count, NULL);
        else if (type == 1)
            thaw_checkpoint_put_i64(file, name, i, count, NULL);
        else if (type == 2)
            thaw_checkpoint_put_u64(file, name, (uint64_t *)i, count, NULL);
        else
            thaw_checkpoint_put_i32(file, name, s, count, NULL);
    }
    return thaw_checkpoint_commit(&file, NULL);
}

// A value of whatever type its table has, changed. Bytes are words there, so all of theirs can be reached.
static void change(StoreTable *table, const uint8_t *patch) {
    const int64_t at = table->count > 0 ? patch[1] % table->count : 0;
    const uint8_t byte = patch[2];
    if (table->count == 0)
        return;
    if (table->type == THAW_HDF_F64)
        ((double *)table->data)[at] = number_of(byte);
    else if (table->type == THAW_HDF_I64)
        ((int64_t *)table->data)[at] = byte > 250 ? INT64_MIN + byte : byte - 8;
    else if (table->type == THAW_HDF_U64)
        ((uint8_t *)table->data)[strncmp(table->name, "body/", 5) == 0 ? patch[1] % (8 * table->count) : at] = byte;
    else if (table->type == THAW_HDF_I8)
        ((uint8_t *)table->data)[at] = byte;
    else
        ((int32_t *)table->data)[at] = byte > 250 ? INT32_MIN + byte : byte - 8;
}

static void write_patched(const uint8_t *data, size_t size) {
    int count;
    store_copy(honest, path);
    StoreTable *tables = store_tables(path, &count);
    for (size_t at = 0; at + 3 <= size; at += 3)
        change(&tables[data[at] % count], data + at);
}

static void make_honest(void) {
    for (int i = 0; i < 3; i++)
        fuzz_check(thaw_world_step(subject, NULL, NULL) == THAW_OK, "the world of this target can step");
    fuzz_check(thaw_world_contact_count(subject) > 0, "there are contacts");
    fuzz_check(thaw_world_save(subject, honest, NULL) == THAW_OK, "the world of this target can be saved");
    honest_hash = thaw_world_hash(subject);
    const StoreTable *tables = store_tables(honest, &name_count);
    fuzz_check(name_count > 30 && name_count < MOST_NAMES, "a checkpoint holds tables");
    for (int i = 0; i < name_count; i++)
        strcpy(names[i], tables[i].name);
    strcpy(names[name_count++], "a/b");
}

// A world that has served for a while is given back, and nothing of it must be left.
static void renew_world(void) {
    if (subject && ++served % RENEW)
        return;
    const int first = !subject && served == 0;
    thaw_world_free(&subject);
    if (first)
        before = fuzz_budget(SIZE_MAX);
    fuzz_check(fuzz_budget(SIZE_MAX) == before, "nothing leaks");
    subject = make_world();
    if (first)
        make_honest();
}

static void finish(void) { thaw_world_free(&subject); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ThawError error = {0};
    if (!subject)
        atexit(finish);
    renew_world();
    fuzz_budget(BUDGET);
    const int recipe = size > 0 && data[0] == '!';
    if (recipe && write_recipe(data + 1, size - 1))
        return 0;
    if (!recipe)
        write_patched(data + (size > 0), size - (size > 0));
    ThawStatus status = thaw_world_load(subject, path, &error);
    fuzz_check(!status || recipe || size > 3, "a file without changes loads");
    fuzz_check(status <= 0, "loading ends with success or an error");
    fuzz_check(!status || (error.status == status && strlen(error.message) > 10), "an error has a message");
    if (!status) {
        ThawError broken = {.message = ""};
        if (thaw_world_validate(subject, &broken))
            fprintf(stderr, "%s\n", broken.message);
        fuzz_check(broken.message[0] == '\0', "what was loaded agrees with itself");
        thaw_world_step(subject, NULL, &error); // to a state that cannot go on, perhaps
    }
    status = thaw_world_load(subject, honest, &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    fuzz_check(!status && thaw_world_hash(subject) == honest_hash, "an honest file loads, whatever was there before");
    return 0;
}
