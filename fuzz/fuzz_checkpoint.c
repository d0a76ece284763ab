// SPDX-License-Identifier: Apache-2.0
// Checkpoints, in two ways. An input that begins with "thaw checkpoint" or anything else but '!' is a file: all but the
// rarest must be refused by the digest, for what lies behind it is HDF5, which is not made for hostile files. An input that
// begins with '!' is a recipe for a file with a proper digest and odd content, which a world then loads:
//     name and type (one byte), number of values (one byte), then a byte for every value
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "output/checkpoint.h"
#include "thaw/thaw.h"

enum { BUDGET = 64 << 20 };

static const char tiny[] =
    "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 1},"
    "\"materials\": {\"m\": {\"model\": \"stvk\", \"density\": 1000, \"young\": 1e5, \"poisson\": 0.3}},"
    "\"shapes\": {\"s\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1], \"cells\": [1, 1, 1]}},"
    "\"material\": \"m\"}}, \"bodies\": [{\"name\": \"b\", \"shape\": \"s\"}]}";

static ThawWorld *make_world(void) {
    ThawScene *scene = NULL;
    ThawWorld *world = NULL;
    ThawError error = {0};
    if (thaw_scene_parse(tiny, strlen(tiny), "tiny", NULL, &scene, &error) ||
        thaw_world_create(&scene->world, &world, &error))
        fprintf(stderr, "%s\n", error.message);
    fuzz_check(world != NULL, "the world of this target can be made");
    thaw_scene_free(&scene);
    return world;
}

// The path of a file that is removed when the program ends.
static char path[100];

static void remove_file(void) { unlink(path); }

static void make_path(void) {
    const char *shared = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"; // in memory where that can be had
    snprintf(path, sizeof path, "%s/thaw-fuzz-checkpoint-%ld", shared, (long)getpid());
    atexit(remove_file);
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
    static const char *const names[8] = {"model", "step", "x", "v", "push", "works", "hash", "a/b"};
    ThawCheckpoint *file;
    ThawStatus status = thaw_checkpoint_create(path, &file, NULL);
    if (status)
        return status;
    for (size_t at = 0; at + 2 <= size;) {
        const char *name = names[data[at] % 8];
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
        if (type == 0) // a name that is put twice is refused; the file goes on
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static ThawWorld *world;
    if (!world) {
        world = make_world();
        make_path();
    }
    ThawError error = {0};
    const long before = fuzz_budget(BUDGET);
    if (size == 0 || data[0] != '!')
        write_raw(data, size);
    else if (write_recipe(data + 1, size - 1))
        return 0;
    const ThawStatus status = thaw_world_load(world, path, &error);
    fuzz_check(status <= 0, "loading ends with success or an error");
    fuzz_check(!status || (error.status == status && strlen(error.message) > 10), "an error has a message");
    fuzz_check(fuzz_budget(SIZE_MAX) == before, "nothing leaks");
    return 0;
}
