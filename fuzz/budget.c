// SPDX-License-Identifier: Apache-2.0
// The library's allocator with a bound. As it defines all functions of src/base/memory.c, the linker leaves the
// library's alone.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "fuzz.h"

static size_t left = SIZE_MAX;
static long outstanding;

long fuzz_budget(size_t bytes) {
    left = bytes;
    return outstanding;
}

void fuzz_check(int holds, const char *promise) {
    if (holds)
        return;
    fprintf(stderr, "broken promise: %s\n", promise);
    abort();
}

void *thaw_alloc(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count ? count : 1, size ? size : 1, &bytes) || bytes > left)
        return NULL;
    const size_t rounded = (bytes + 63) / 64 * 64;
    void *memory = aligned_alloc(64, rounded);
    if (!memory)
        return NULL;
    left -= bytes;
    outstanding++;
    return memset(memory, 0, rounded);
}

void *thaw_regrow(void *old, size_t used, size_t count, size_t size) {
    void *memory = thaw_alloc(count, size);
    if (memory && used)
        memcpy(memory, old, used * size);
    if (memory)
        thaw_free(old);
    return memory;
}

void thaw_free(void *memory) {
    outstanding -= memory != NULL;
    free(memory);
}

char *thaw_strdup(const char *text) {
    char *copy = thaw_alloc(strlen(text) + 1, 1);
    return copy ? strcpy(copy, text) : NULL;
}
