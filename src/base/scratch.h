// SPDX-License-Identifier: Apache-2.0
// Arrays that a computation needs each time anew, in one block that is kept: once it is large enough nothing is
// allocated any more.
#ifndef THAW_BASE_SCRATCH_H
#define THAW_BASE_SCRATCH_H

#include "base/base.h"

typedef struct ThawScratch {
    char *block;
    size_t capacity; // bytes
} ThawScratch;

// An array that is asked for: the address of the pointer that will point to it, and its size.
typedef struct ThawRoom {
    void *pointer;
    size_t count, size;
} ThawRoom;

#define THAW_ROOM(pointer, count)                                                                                      \
    { &(pointer), (size_t)(count), sizeof *(pointer) }

// Sets the pointers to zeroed arrays, each aligned to 64 bytes and good until the next call. 0: there is no memory;
// then the scratch and the pointers are as before.
int thaw_scratch_reserve(ThawScratch *scratch, const ThawRoom *rooms, size_t count);
void thaw_scratch_free(ThawScratch *scratch);

#endif
