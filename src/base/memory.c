// SPDX-License-Identifier: Apache-2.0
// All memory of the library comes from here: zeroed, so that no result can depend on what was there before, and aligned
// to a cache line, so that eight lanes load at once.
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum { ALIGNMENT = 64 };

// Zero but for the first `kept` bytes, which the caller fills.
static void *alloc(size_t count, size_t size, size_t kept) {
    size_t bytes;
    if (__builtin_mul_overflow(count ? count : 1, size ? size : 1, &bytes) || bytes > SIZE_MAX - ALIGNMENT)
        return NULL;
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    unsigned char *memory = aligned_alloc(ALIGNMENT, bytes);
    if (memory)
        memset(memory + kept, 0, bytes - kept);
    return memory;
}

void *thaw_alloc(size_t count, size_t size) { return alloc(count, size, 0); }

void *thaw_regrow(void *old, size_t used, size_t count, size_t size) {
    void *memory = alloc(count, size, used * size);
    if (!memory)
        return NULL;
    if (used)
        memcpy(memory, old, used * size);
    thaw_free(old);
    return memory;
}

void thaw_free(void *memory) { free(memory); }

char *thaw_strdup(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = thaw_alloc(size, 1);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}
