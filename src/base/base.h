// SPDX-License-Identifier: Apache-2.0
// What every other folder stands on: memory, errors, hashing, tasks. No physics here.
#ifndef THAW_BASE_H
#define THAW_BASE_H

#include <stddef.h>
#include <stdint.h>

#include "thaw/status.h"

// Kernels take `dim` and the like as constants, which they are only once they are inlined into their caller.
#define THAW_INLINE static inline __attribute__((always_inline))
// What a hot function calls seldom: inlined, it would cost the others registers and their saving.
#define THAW_SELDOM static __attribute__((noinline, cold))

// --- errors (error.c)
// ---------------------------------------------------------------------------------------------------

// Writes the message into *error (may be NULL) and returns `status`, so that a caller can `return thaw_error_set(...)`.
ThawStatus thaw_error_set(ThawError *error, ThawStatus status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The message of every failed allocation: "out of memory (for WHAT)".
ThawStatus thaw_error_memory(ThawError *error, const char *what);

// --- memory (memory.c)
// --------------------------------------------------------------------------------------------------

// count * size zeroed bytes, aligned to 64; NULL when they cannot be had or the product overflows. A count of 0 is
// served as 1, so NULL always means failure.
void *thaw_alloc(size_t count, size_t size);
// A copy in new memory with room for `count` items, the first `used` of them taken from `old`, which is freed on
// success and left alone on failure (then NULL).
void *thaw_regrow(void *old, size_t used, size_t count, size_t size);
void thaw_free(void *memory);
char *thaw_strdup(const char *text);
// Whether a file's name ends like that, in upper or lower case, and is longer.
int thaw_ends_with(const char *path, const char *ending);

#define THAW_NEW(type, count) ((type *)thaw_alloc((size_t)(count), sizeof(type)))

// --- hashing (hash.c)
// ---------------------------------------------------------------------------------------------------

// A 64-bit hash of bytes, chained through `seed`; not cryptographic. Same value on every little-endian machine.
uint64_t thaw_hash(uint64_t seed, const void *bytes, size_t size);

// --- time (clock.c): for statistics only, no decision may depend on it
// ---------------------------------------------------

double thaw_wall_ms(void);
double thaw_cpu_ms(void); // of all threads of this process

// --- tasks (tasks.c)
// ----------------------------------------------------------------------------------------------------

// A pool of threads that runs loops. Which thread runs which index is left to chance, so the body of a loop may write
// only what belongs to its index; sums go into one slot an index and are added up in order afterwards. Then the bits
// do not depend on the number of threads.
typedef struct ThawTasks ThawTasks;
typedef void (*ThawTaskFn)(void *context, int32_t index);

ThawStatus thaw_tasks_create(int threads, ThawTasks **tasks, ThawError *error);
void thaw_tasks_free(ThawTasks **tasks);
int thaw_tasks_threads(const ThawTasks *tasks);
// Whether the caller has stopped the work: loops that may take long look once in a while, and return
// THAW_CANCELLED. Once it says so it says so until `stopped` is cleared. All tasks of one caller share a ThawStop.
typedef struct ThawStop {
    int (*wanted)(void *context); // NULL: it is always wanted
    void *context;
    _Atomic int stopped;
} ThawStop;
void thaw_tasks_set_stop(ThawTasks *tasks, ThawStop *stop); // borrowed; NULL: none
int thaw_tasks_stopped(const ThawTasks *tasks);             // tasks may be NULL: no
// Runs fn(context, i) for 0 <= i < count and returns when all are done. tasks NULL, or a call from inside a task: in
// order, on the caller's thread.
void thaw_tasks_for(ThawTasks *tasks, int32_t count, ThawTaskFn fn, void *context);

#endif
