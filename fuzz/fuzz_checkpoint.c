// SPDX-License-Identifier: Apache-2.0
// Checkpoints, in three ways. An input that begins with "thaw checkpoint" or anything else but '!' and '?' is a file: all but the
// rarest must be refused by the digest (tests/output/test_hdf.c goes behind it). An input that begins with '!' is a
// recipe for a file with a proper digest and odd content, which a world then loads:
//     name (bits 0-2, 5-7) and type (bits 3, 4), number of values (one byte), then a byte for every value
// One that begins with '?' is a list of changes to the checkpoint of a world in contact, which then loads it, and steps:
//     name (one byte), place in the table (one byte), new value (one byte)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "output/checkpoint.h"
#include "thaw/thaw.h"

enum { BUDGET = 64 << 20 };

// A body that is adaptive and lies on the floor, and one that is not and lies on the first.
static const char tiny[] =
    "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 1},"
    "\"materials\": {\"m\": {\"model\": \"stvk\", \"density\": 1000, \"young\": 1e5, \"poisson\": 0.3}},"
    "\"shapes\": {\"s\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1], \"cells\": [1, 1, 1]}},"
    "\"material\": \"m\"}}, \"bodies\": [{\"name\": \"b\", \"shape\": \"s\", \"method\": \"rigidify\"},"
    "{\"name\": \"c\", \"shape\": \"s\", \"position\": [0.1, 0, 1]}], \"obstacles\": [{\"box\": {\"size\": [4, 4, 1]},"
    "\"position\": [0, 0, -0.5]}]}";

// The tables of an honest checkpoint, and one that is none.
enum { MOST_NAMES = 200, TABLE = 4096 };
static char names[MOST_NAMES][60];
static int name_count;

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

// Paths of files that are removed when the program ends: the input, and an honest one.
static char path[100], honest[120];

static void remove_files(void) {
    unlink(path);
    unlink(honest);
}

static void make_path(void) {
    const char *shared = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"; // in memory where that can be had
    snprintf(path, sizeof path, "%s/thaw-fuzz-checkpoint-%ld", shared, (long)getpid());
    snprintf(honest, sizeof honest, "%s-honest", path);
    atexit(remove_files);
}

static void write_raw(const uint8_t *data, size_t size) {
    FILE *file = fopen(path, "wb");
    fuzz_check(file && fwrite(data, 1, size, file) == size && fclose(file) == 0,
               "the file of this target can be written");
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
static void change(const char *name, void *table, int64_t count, int type, const uint8_t *patch) {
    const int64_t at = count > 0 ? patch[1] % count : 0;
    if (count == 0)
        return;
    if (type == 0)
        ((double *)table)[at] = number_of(patch[2]);
    else if (type == 1)
        ((int64_t *)table)[at] = patch[2] > 250 ? INT64_MIN + patch[2] : patch[2] - 8;
    else if (type == 2)
        ((uint8_t *)table)[strncmp(name, "body/", 5) == 0 ? patch[1] % (8 * count) : at] = patch[2];
    else
        ((int32_t *)table)[at] = patch[2] > 250 ? INT32_MIN + patch[2] : patch[2] - 8;
}

static ThawStatus write_patched(const uint8_t *data, size_t size) {
    static double table[TABLE];
    ThawCheckpoint *from, *to;
    fuzz_check(thaw_checkpoint_open(honest, &from, NULL) == THAW_OK, "an honest file opens");
    ThawStatus status = thaw_checkpoint_create(path, &to, NULL);
    for (int n = 0; n < name_count && !status; n++) {
        const int64_t count = thaw_checkpoint_count(from, names[n]);
        int type = 0;
        if (count < 0)
            continue;
        fuzz_check(count <= TABLE, "tables of the honest file are small");
        if (thaw_checkpoint_get_f64(from, names[n], table, count, NULL))
            type = !thaw_checkpoint_get_i64(from, names[n], (int64_t *)table, count, NULL)    ? 1
                   : !thaw_checkpoint_get_u64(from, names[n], (uint64_t *)table, count, NULL) ? 2
                                                                                              : 3;
        if (type == 3)
            fuzz_check(!thaw_checkpoint_get_i32(from, names[n], (int32_t *)table, count, NULL), "a table has a type");
        for (size_t at = 0; at + 3 <= size; at += 3)
            if (data[at] % name_count == n)
                change(names[n], table, count, type, data + at);
        if (type == 0)
            status = thaw_checkpoint_put_f64(to, names[n], table, count, NULL);
        else if (type == 1)
            status = thaw_checkpoint_put_i64(to, names[n], (int64_t *)table, count, NULL);
        else if (type == 2)
            status = thaw_checkpoint_put_u64(to, names[n], (uint64_t *)table, count, NULL);
        else
            status = thaw_checkpoint_put_i32(to, names[n], (int32_t *)table, count, NULL);
    }
    thaw_checkpoint_free(&from);
    if (!status)
        return thaw_checkpoint_commit(&to, NULL);
    thaw_checkpoint_free(&to);
    return status;
}

static void make_honest(void) {
    ThawWorld *world = make_world();
    for (int i = 0; i < 3; i++)
        fuzz_check(thaw_world_step(world, NULL, NULL) == THAW_OK, "the world of this target can step");
    fuzz_check(thaw_world_contact_count(world) > 0, "there are contacts");
    fuzz_check(thaw_world_save(world, honest, NULL) == THAW_OK, "the world of this target can be saved");
    thaw_world_free(&world);
    ThawCheckpoint *file;
    fuzz_check(thaw_checkpoint_open(honest, &file, NULL) == THAW_OK, "an honest file opens");
    while (name_count < MOST_NAMES - 1 && thaw_checkpoint_name(file, name_count, names[name_count], sizeof *names))
        name_count++;
    fuzz_check(name_count > 30, "a checkpoint holds tables");
    strcpy(names[name_count++], "a/b");
    thaw_checkpoint_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!path[0]) {
        make_path();
        make_honest();
    }
    ThawError error = {0};
    const char kind = size ? (char)data[0] : 0;
    const long before = fuzz_budget(BUDGET);
    if (kind == '?' ? write_patched(data + 1, size - 1) : kind == '!' ? write_recipe(data + 1, size - 1) : 0)
        return 0;
    if (kind != '?' && kind != '!')
        write_raw(data, size);
    ThawWorld *world = make_world();
    const ThawStatus status = thaw_world_load(world, path, &error);
    fuzz_check(!status || kind != '?' || size > 3, "a file without changes loads");
    fuzz_check(status <= 0, "loading ends with success or an error");
    fuzz_check(!status || (error.status == status && strlen(error.message) > 10), "an error has a message");
    if (!status) // to a state that cannot go on, perhaps
        thaw_world_step(world, NULL, &error);
    thaw_world_free(&world);
    fuzz_check(fuzz_budget(SIZE_MAX) == before, "nothing leaks");
    return 0;
}
