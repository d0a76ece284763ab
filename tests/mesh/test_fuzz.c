// SPDX-License-Identifier: Apache-2.0
// Ten thousand damaged files. Whatever they say, reading ends with a mesh that is valid or with a message, and (with
// the sanitizers on) without touching memory that is not ours.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "thaw/mesh.h"

#define DATA THAW_SOURCE_DIR "/tests/mesh/data/"

enum { ROUNDS = 10000, LARGEST = 4096 };

static uint64_t random_number(uint64_t *seed) { // splitmix64
    uint64_t z = *seed += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static size_t below(uint64_t *seed, size_t n) { return n ? (size_t)(random_number(seed) % n) : 0; }

static size_t read_bytes(const char *name, char bytes[LARGEST]) {
    char path[1000];
    snprintf(path, sizeof path, "%s%s", DATA, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, LARGEST, file);
    fclose(file);
    assert_in_range(size, 1, LARGEST / 2);
    return size;
}

static void write_bytes(const char *path, const char *bytes, size_t size) {
    remove(path); // some file systems write an overwritten file to the disk at once
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

// One of: another byte, a digit, a byte taken out, a stretch doubled, a word that means trouble, the end cut off.
static size_t mutate(char *bytes, size_t size, uint64_t *seed) {
    static const char *const trouble[] = {"-1",   "0",         "1e308", "-1e308",   "2147483647", "9223372036854775807",
                                          "nan",  "$EndNodes", "\"",    "\n",       "#",          "-2147483648",
                                          "1e-5", "15",        "4",     "Vertices", "1 1 1 1",    "65"};
    const size_t at = below(seed, size);
    switch (below(seed, 6)) {
    case 0:
        bytes[at] = (char)random_number(seed);
        return size;
    case 1:
        bytes[at] = (char)('0' + below(seed, 10));
        return size;
    case 2:
        memmove(bytes + at, bytes + at + 1, size - at - 1);
        return size - 1;
    case 3: {
        const size_t length = below(seed, 40) % (size - at), room = LARGEST - size;
        if (length > room)
            return size;
        memmove(bytes + at + length, bytes + at, size - at);
        return size + length;
    }
    case 4: {
        const char *word = trouble[below(seed, sizeof trouble / sizeof *trouble)];
        const size_t length = strlen(word);
        if (length > LARGEST - size)
            return size;
        size_t end = at; // in place of what is left of the word there
        while (end < size && bytes[end] > ' ')
            end++;
        memmove(bytes + at + length, bytes + end, size - end);
        memcpy(bytes + at, word, length);
        return size - (end - at) + length;
    }
    default:
        return below(seed, 8) ? size : at;
    }
}

static void damaged_files_never_crash_and_what_is_read_is_valid(void **state) {
    (void)state;
    static const char *const names[] = {"two-tets-22.msh", "two-tets-41.msh", "square-22.msh", "two-tets.mesh",
                                        "square.mesh",     "two-tets.node",   "two-tets.ele",  "square.node"};
    char folder[] = "/tmp/thaw-fuzz-XXXXXX", path[300], bytes[LARGEST];
    uint64_t seed = 20240229;
    int good = 0;
    assert_non_null(mkdtemp(folder));
    for (int round = 0; round < ROUNDS; round++) {
        const char *name = names[round % 8];
        if (round % 8 >= 5) { // the other file of the pair stays whole
            const char *other = round % 8 == 5 ? "two-tets.ele" : round % 8 == 6 ? "two-tets.node" : "square.ele";
            snprintf(path, sizeof path, "%s/%s", folder, other);
            write_bytes(path, bytes, read_bytes(other, bytes));
        }
        size_t size = read_bytes(name, bytes);
        for (size_t times = 1 + below(&seed, 4); times > 0 && size > 1; times--)
            size = mutate(bytes, size, &seed);
        snprintf(path, sizeof path, "%s/%s", folder, name);
        write_bytes(path, bytes, size);
        ThawMesh *mesh;
        ThawError error = {0};
        const ThawStatus status = thaw_mesh_read(path, &mesh, NULL, &error);
        if (status == THAW_OK) {
            assert_int_equal(thaw_mesh_validate(mesh, NULL), THAW_OK);
            thaw_mesh_free(&mesh);
            good++;
        } else {
            assert_int_equal(status, THAW_ERROR_INPUT);
            assert_null(mesh);
            assert_memory_equal(error.message, folder, strlen(folder)); // it names the file
        }
    }
    assert_true(good > ROUNDS / 20 && good < ROUNDS * 19 / 20); // both ends are really tried
    for (int i = 0; i < 8; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    snprintf(path, sizeof path, "%s/square.ele", folder);
    remove(path);
    assert_int_equal(remove(folder), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_files_never_crash_and_what_is_read_is_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
