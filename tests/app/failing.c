// SPDX-License-Identifier: Apache-2.0
// Preloaded into the program (test_out_of_memory.c): allocation number THAW_FAIL_AT of the whole process fails, whoever
// asks for it. With THAW_FAIL_COUNT the number of all allocations is written to that file when the program ends.
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size);

static _Atomic long count;
static long fail_at = -1;
static int ready;

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("THAW_FAIL_AT");
    fail_at = text ? atol(text) : -1;
    ready = 1;
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("THAW_FAIL_COUNT");
    const long made = count;
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%ld\n", made);
        fclose(file);
    }
}

static int refuse(void) {
    const int failed = ready && count++ == fail_at;
    if (failed)
        errno = ENOMEM;
    return failed;
}

void *malloc(size_t size) { return refuse() ? NULL : __libc_malloc(size); }
void *calloc(size_t number, size_t size) { return refuse() ? NULL : __libc_calloc(number, size); }
void *realloc(void *memory, size_t size) { return refuse() ? NULL : __libc_realloc(memory, size); }
void *aligned_alloc(size_t alignment, size_t size) { return refuse() ? NULL : __libc_memalign(alignment, size); }
void *memalign(size_t alignment, size_t size) { return refuse() ? NULL : __libc_memalign(alignment, size); }
int posix_memalign(void **memory, size_t alignment, size_t size) {
    *memory = refuse() ? NULL : __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}
