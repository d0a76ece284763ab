// SPDX-License-Identifier: Apache-2.0
#include "base/scratch.h"

#include <string.h>

enum { ALIGNMENT = 64 };

// Of one array, up to where the next one may begin; 0: more than there can be.
static size_t bytes_of(const ThawRoom *room) {
    size_t bytes;
    if (__builtin_mul_overflow(room->count ? room->count : 1, room->size, &bytes) || bytes > SIZE_MAX / 4)
        return 0;
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

int thaw_scratch_reserve(ThawScratch *scratch, const ThawRoom *rooms, size_t count) {
    size_t sum = 0, at = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t bytes = bytes_of(&rooms[i]);
        if (bytes == 0 || __builtin_add_overflow(sum, bytes, &sum))
            return 0;
    }
    if (sum > scratch->capacity) {
        // Half as much again: what grows slowly is not allocated each time.
        char *block = sum <= SIZE_MAX / 2 ? thaw_alloc(sum + sum / 2, 1) : NULL;
        if (!block)
            return 0;
        thaw_free(scratch->block);
        *scratch = (ThawScratch){block, sum + sum / 2};
    } else
        memset(scratch->block, 0, sum);
    for (size_t i = 0; i < count; i++) {
        const char *array = scratch->block + at;
        memcpy(rooms[i].pointer, &array, sizeof array); // a pointer of any type
        at += bytes_of(&rooms[i]);
    }
    return 1;
}

void thaw_scratch_free(ThawScratch *scratch) {
    thaw_free(scratch->block);
    *scratch = (ThawScratch){0};
}
