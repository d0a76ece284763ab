// SPDX-License-Identifier: Apache-2.0
// A pool of threads for loops. One loop runs at a time; the caller takes part in it. Indices are claimed from an atomic
// counter, so uneven work balances itself; determinism comes from what the bodies of loops write, not from which thread
// runs them. Idle threads spin for some microseconds, because the next loop of a step is usually that near, and sleep
// after that. The caller spins likewise until the others are done, and then gives up its processor at each look: where
// there are more threads than processors, the one it waits for may need it.
//
// The hand-over: `ticket` packs the loop's number (high half) and the next index to claim (low half). It is closed (an
// index beyond any count) while the next loop is being described. What a thread reads of the description counts only if
// its claim then succeeds, which proves that the ticket, and so the loop, is still the one it looked at.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/base.h"

enum { SPIN = 4000 };
#define CLOSED UINT64_C(0x7fffffff)

struct ThawTasks {
    int threads; // the caller included
    pthread_t *workers;
    int started; // workers running
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    atomic_int sleepers;
    atomic_int quit;
    atomic_uint_fast64_t ticket; // loop number << 32 | next index
    atomic_int finished;         // indices of this loop done
    atomic_int busy;             // a loop is running: a loop inside it runs in order
    _Atomic(ThawTaskFn) fn;      // the loop's description
    _Atomic(void *) context;
    _Atomic int32_t count;
    ThawStop *stop;
};

static inline void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static uint32_t loop_number(const ThawTasks *tasks) { return (uint32_t)(atomic_load(&tasks->ticket) >> 32); }

// Runs indices of loop number `number` until none is left to claim.
static void work_on(ThawTasks *tasks, uint32_t number) {
    for (;;) {
        uint64_t ticket = atomic_load(&tasks->ticket);
        if ((uint32_t)(ticket >> 32) != number)
            return;
        ThawTaskFn fn = atomic_load_explicit(&tasks->fn, memory_order_relaxed);
        void *context = atomic_load_explicit(&tasks->context, memory_order_relaxed);
        int32_t index = (int32_t)(uint32_t)ticket;
        if (index >= atomic_load_explicit(&tasks->count, memory_order_relaxed))
            return;
        if (!atomic_compare_exchange_weak(&tasks->ticket, &ticket, ticket + 1))
            continue;
        fn(context, index);
        atomic_fetch_add(&tasks->finished, 1);
    }
}

static void *worker_main(void *argument) {
    ThawTasks *tasks = argument;
    uint32_t seen = 0;
    for (;;) {
        int spin = 0;
        while (loop_number(tasks) == seen && !atomic_load(&tasks->quit) && spin++ < SPIN)
            pause_briefly();
        if (loop_number(tasks) == seen && !atomic_load(&tasks->quit)) {
            pthread_mutex_lock(&tasks->mutex);
            atomic_fetch_add(&tasks->sleepers, 1);
            while (loop_number(tasks) == seen && !atomic_load(&tasks->quit))
                pthread_cond_wait(&tasks->wake, &tasks->mutex);
            atomic_fetch_sub(&tasks->sleepers, 1);
            pthread_mutex_unlock(&tasks->mutex);
        }
        if (atomic_load(&tasks->quit))
            return NULL;
        seen = loop_number(tasks);
        work_on(tasks, seen);
    }
}

// Processors that this process may use, which may be fewer than the machine has (taskset, containers).
static int processors(void) {
    cpu_set_t allowed;
    long count = sched_getaffinity(0, sizeof allowed, &allowed) ? sysconf(_SC_NPROCESSORS_ONLN) : CPU_COUNT(&allowed);
    return count < 1 ? 1 : count > 1024 ? 1024 : (int)count;
}

ThawStatus thaw_tasks_create(int threads, ThawTasks **result, ThawError *error) {
    *result = NULL;
    if (threads < 0 || threads > 1024)
        return thaw_error_set(error, THAW_ERROR_INPUT, "threads is %d; allowed: 0 (one per processor) to 1024",
                              threads);
    if (threads == 0)
        threads = processors();
    ThawTasks *tasks = THAW_NEW(ThawTasks, 1);
    if (!tasks)
        return thaw_error_memory(error, "the thread pool");
    tasks->threads = threads;
    tasks->workers = THAW_NEW(pthread_t, threads);
    if (!tasks->workers) {
        thaw_free(tasks);
        return thaw_error_memory(error, "the thread pool");
    }
    pthread_mutex_init(&tasks->mutex, NULL);
    pthread_cond_init(&tasks->wake, NULL);
    for (; tasks->started < threads - 1; tasks->started++)
        if (pthread_create(&tasks->workers[tasks->started], NULL, worker_main, tasks) != 0) {
            int made = tasks->started;
            thaw_tasks_free(&tasks);
            return thaw_error_set(error, THAW_ERROR_MEMORY, "only %d of %d threads could be started", made + 1,
                                  threads);
        }
    *result = tasks;
    return THAW_OK;
}

void thaw_tasks_free(ThawTasks **pointer) {
    if (!pointer || !*pointer)
        return;
    ThawTasks *tasks = *pointer;
    pthread_mutex_lock(&tasks->mutex);
    atomic_store(&tasks->quit, 1);
    pthread_cond_broadcast(&tasks->wake);
    pthread_mutex_unlock(&tasks->mutex);
    for (int i = 0; i < tasks->started; i++)
        pthread_join(tasks->workers[i], NULL);
    pthread_cond_destroy(&tasks->wake);
    pthread_mutex_destroy(&tasks->mutex);
    thaw_free(tasks->workers);
    thaw_free(tasks);
    *pointer = NULL;
}

void thaw_tasks_set_stop(ThawTasks *tasks, ThawStop *stop) { tasks->stop = stop; }

int thaw_tasks_stopped(const ThawTasks *tasks) {
    ThawStop *stop = tasks ? tasks->stop : NULL;
    if (!stop || !stop->wanted)
        return 0;
    if (!atomic_load_explicit(&stop->stopped, memory_order_relaxed) && stop->wanted(stop->context))
        atomic_store_explicit(&stop->stopped, 1, memory_order_relaxed);
    return atomic_load_explicit(&stop->stopped, memory_order_relaxed);
}

int thaw_tasks_threads(const ThawTasks *tasks) { return tasks ? tasks->threads : 1; }

void thaw_tasks_for(ThawTasks *tasks, int32_t count, ThawTaskFn fn, void *context) {
    if (!tasks || tasks->threads == 1 || count <= 1 || atomic_exchange(&tasks->busy, 1)) {
        for (int32_t i = 0; i < count; i++)
            fn(context, i);
        return;
    }
    uint32_t number = loop_number(tasks) + 1;
    atomic_store(&tasks->ticket, (uint64_t)(number - 1) << 32 | CLOSED);
    atomic_store_explicit(&tasks->fn, fn, memory_order_relaxed);
    atomic_store_explicit(&tasks->context, context, memory_order_relaxed);
    atomic_store_explicit(&tasks->count, count, memory_order_relaxed);
    atomic_store(&tasks->finished, 0);
    atomic_store(&tasks->ticket, (uint64_t)number << 32);
    if (atomic_load(&tasks->sleepers) > 0) {
        pthread_mutex_lock(&tasks->mutex);
        pthread_cond_broadcast(&tasks->wake);
        pthread_mutex_unlock(&tasks->mutex);
    }
    work_on(tasks, number);
    for (int spin = 0; atomic_load(&tasks->finished) < count; spin++)
        if (spin < SPIN)
            pause_briefly();
        else
            sched_yield();
    atomic_store(&tasks->busy, 0);
}
