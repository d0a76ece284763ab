// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target without libFuzzer: every file of the corpus as it is, then so many seeded mutations. The same
// inputs on every machine.
//     fuzz_NAME FOLDER [MUTATIONS [SEED]]
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { MOST_FILES = 256, ROOM = 1 << 16 };

typedef struct Input {
    size_t size;
    uint8_t bytes[ROOM];
} Input;

static uint64_t draw(uint64_t *seed, uint64_t below) { // splitmix64
    uint64_t z = *seed += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return below ? (z ^ (z >> 31)) % below : 0;
}

// `piece` in place of `cut` bytes at `at`.
static void splice(Input *in, size_t at, size_t cut, const void *piece, size_t size) {
    cut = cut < in->size - at ? cut : in->size - at;
    if (in->size - cut + size > ROOM)
        return;
    memmove(in->bytes + at + size, in->bytes + at + cut, in->size - at - cut);
    memcpy(in->bytes + at, piece, size);
    in->size += size - cut;
}

static void mutate(Input *in, const Input *other, uint64_t *seed) {
    static const char *const words[] = {"0",    "-1",   "1",         "2147483647", "-2147483648", "9223372036854775807",
                                        "nan",  "\n",   "\"",        "1e308",      "1e-5",        "65",
                                        "<",    ">",    "{",         "}",          "[",           "]",
                                        "null", "true", "$EndNodes", "\f",         "#",           "4 4"};
    static const uint64_t numbers[] = {0,   1,     2,         3,          4,         10,        255,
                                       256, 65535, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX};
    static const uint8_t sizes[] = {1, 2, 4, 8};
    uint8_t piece[256];
    const size_t at = (size_t)draw(seed, in->size + 1);
    switch (draw(seed, 8)) {
    case 0: { // another byte
        const uint8_t byte = (uint8_t)draw(seed, 256);
        splice(in, at, 1, &byte, 1);
        return;
    }
    case 1: { // another digit
        const uint8_t digit = (uint8_t)('0' + draw(seed, 10));
        splice(in, at, 1, &digit, 1);
        return;
    }
    case 2:
        splice(in, at, 1 + (size_t)draw(seed, 8), "", 0);
        return;
    case 3: { // a word in place of what is left of the word there
        const char *word = words[draw(seed, sizeof words / sizeof *words)];
        size_t end = at;
        while (end < in->size && in->bytes[end] > ' ')
            end++;
        splice(in, at, draw(seed, 2) ? end - at : 0, word, strlen(word));
        return;
    }
    case 4: { // a number of bytes
        const uint64_t number = numbers[draw(seed, sizeof numbers / sizeof *numbers)];
        const size_t size = sizes[draw(seed, 4)];
        splice(in, at, size, &number, size);
        return;
    }
    case 5: { // a stretch of its own again
        const size_t from = (size_t)draw(seed, in->size + 1), rest = in->size - from;
        const size_t size = (size_t)draw(seed, (rest < sizeof piece ? rest : sizeof piece) + 1);
        memcpy(piece, in->bytes + from, size);
        splice(in, at, draw(seed, 2) ? size : 0, piece, size);
        return;
    }
    case 6: { // a stretch of another file
        const size_t from = (size_t)draw(seed, other->size + 1), rest = other->size - from;
        const size_t size = (size_t)draw(seed, (rest < sizeof piece ? rest : sizeof piece) + 1);
        splice(in, at, draw(seed, 2) ? size : 0, other->bytes + from, size);
        return;
    }
    default:
        if (draw(seed, 8) == 0)
            in->size = at;
    }
}

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int read_corpus(const char *folder, Input **inputs) {
    char *names[MOST_FILES];
    int count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir)) && count < MOST_FILES;)
        if (entry->d_name[0] != '.')
            names[count++] = strdup(entry->d_name);
    if (dir)
        closedir(dir);
    qsort(names, (size_t)count, sizeof *names, compare_names);
    for (int i = 0; i < count; i++) {
        char path[2000];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        FILE *file = fopen(path, "rb");
        inputs[i] = calloc(1, sizeof **inputs);
        fuzz_check(file && inputs[i], "the corpus can be read");
        inputs[i]->size = fread(inputs[i]->bytes, 1, ROOM / 2, file);
        fclose(file);
        free(names[i]);
    }
    return count;
}

// Inputs are handed over in memory of their exact size, so that a sanitizer sees a step over the end.
static void run(const Input *in) {
    uint8_t *exact = malloc(in->size ? in->size : 1);
    fuzz_check(exact != NULL, "memory for an input");
    memcpy(exact, in->bytes, in->size);
    LLVMFuzzerTestOneInput(exact, in->size);
    free(exact);
}

int main(int argc, char **argv) {
    static Input *inputs[MOST_FILES], work;
    if (argc < 2) {
        fprintf(stderr, "usage: %s FOLDER [MUTATIONS [SEED]]\n", argv[0]);
        return 1;
    }
    const int count = read_corpus(argv[1], inputs);
    const long mutations = argc > 2 ? atol(argv[2]) : 3000;
    uint64_t seed = argc > 3 ? (uint64_t)atoll(argv[3]) : 20240229;
    fuzz_check(count > 0, "the corpus has files");
    for (int i = 0; i < count; i++)
        run(inputs[i]);
    for (long i = 0; i < mutations; i++) {
        const Input *from = inputs[i % count];
        memcpy(work.bytes, from->bytes, from->size);
        work.size = from->size;
        for (uint64_t times = 1 + draw(&seed, 4); times > 0; times--)
            mutate(&work, inputs[draw(&seed, (uint64_t)count)], &seed);
        run(&work);
    }
    for (int i = 0; i < count; i++)
        free(inputs[i]);
    printf("%d files and %ld mutations\n", count, mutations);
    return 0;
}
