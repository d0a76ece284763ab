// SPDX-License-Identifier: Apache-2.0
// -Wl,--wrap leads every allocation in the library's and the test's own code here; those of other libraries go on as
// ever.
#include "support/memory.h"

#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

_Atomic int64_t until_failure = -1, allocations_made;

static int refuse(void) {
    allocations_made++;
    return until_failure >= 0 && until_failure-- == 0;
}

void *__wrap_malloc(size_t size) { return refuse() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return refuse() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *memory, size_t size) { return refuse() ? NULL : __real_realloc(memory, size); }
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    return refuse() ? NULL : __real_aligned_alloc(alignment, size);
}
