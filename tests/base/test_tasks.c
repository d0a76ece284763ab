// SPDX-License-Identifier: Apache-2.0
// The thread pool: every index once, loops inside loops, very many small loops, threads that sleep between loops. Also
// run under the thread sanitizer.
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "step/sample.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { SCALE = 1 };
#else
enum { SCALE = 4 };
#endif

static ThawTasks *tasks_of(int threads) {
    ThawTasks *tasks = NULL;
    ThawError error = {0};
    if (thaw_tasks_create(threads, &tasks, &error) != THAW_OK)
        fail_msg("%s", error.message);
    return tasks;
}

typedef struct Counter {
    ThawTasks *tasks;
    atomic_int *times; // a slot an index
    int32_t inner;
} Counter;

static void count_index(void *context, int32_t i) { atomic_fetch_add(&((Counter *)context)->times[i], 1); }

static void every_index_runs_once(void **state) {
    (void)state;
    static const int32_t counts[] = {0, 1, 2, 3, 17, 1000, 100000};
    for (int threads = 1; threads <= 8; threads++) {
        ThawTasks *tasks = tasks_of(threads);
        assert_int_equal(thaw_tasks_threads(tasks), threads);
        for (int c = 0; c < COUNT(counts); c++) {
            Counter counter = {tasks, THAW_NEW(atomic_int, counts[c]), 0};
            thaw_tasks_for(tasks, counts[c], count_index, &counter);
            for (int32_t i = 0; i < counts[c]; i++)
                assert_int_equal(atomic_load(&counter.times[i]), 1);
            thaw_free(counter.times);
        }
        thaw_tasks_free(&tasks);
        assert_null(tasks);
    }
}

// Plain writes by index: what the loop wrote is visible after it, without atomics.
static void square_index(void *context, int32_t i) { ((double *)context)[i] = (double)i * i; }

static void very_many_small_loops_hand_over_correctly(void **state) {
    (void)state;
    double slots[64];
    for (int threads = 2; threads <= 8; threads += 3) {
        ThawTasks *tasks = tasks_of(threads);
        for (int loop = 0; loop < 5000 * SCALE; loop++) {
            int32_t count = 2 + loop % 63;
            memset(slots, 0xff, sizeof slots);
            thaw_tasks_for(tasks, count, square_index, slots);
            double sum = 0;
            for (int32_t i = 0; i < count; i++)
                sum += slots[i];
            assert_true(sum == (double)(count - 1) * count * (2 * count - 1) / 6);
        }
        thaw_tasks_free(&tasks);
    }
}

static void count_inside(void *context, int32_t i) {
    Counter *counter = context;
    Counter part = {counter->tasks, counter->times + i * counter->inner, 0};
    thaw_tasks_for(counter->tasks, counter->inner, count_index, &part);
}

static void loops_inside_loops_run_every_index_once(void **state) {
    (void)state;
    enum { OUTER = 40, INNER = 50 };
    for (int threads = 1; threads <= 8; threads++) {
        ThawTasks *tasks = tasks_of(threads);
        for (int round = 0; round < 20 * SCALE; round++) {
            Counter counter = {tasks, THAW_NEW(atomic_int, OUTER * INNER), INNER};
            thaw_tasks_for(tasks, OUTER, count_inside, &counter);
            for (int i = 0; i < OUTER * INNER; i++)
                assert_int_equal(atomic_load(&counter.times[i]), 1);
            thaw_free(counter.times);
        }
        thaw_tasks_free(&tasks);
    }
}

static void a_loop_wakes_threads_that_went_to_sleep(void **state) {
    (void)state;
    ThawTasks *tasks = tasks_of(4);
    double slots[100];
    for (int loop = 0; loop < 20; loop++) {
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        memset(slots, 0xff, sizeof slots);
        thaw_tasks_for(tasks, 100, square_index, slots);
        for (int i = 0; i < 100; i++)
            assert_true(slots[i] == (double)i * i);
    }
    thaw_tasks_free(&tasks);
}

static void note_order(void *context, int32_t i) {
    int32_t *order = context;
    assert_int_equal(order[0], i);
    order[0]++;
}

static void without_a_pool_indices_run_in_order(void **state) {
    (void)state;
    int32_t next = 0;
    thaw_tasks_for(NULL, 100, note_order, &next);
    assert_int_equal(next, 100);
    ThawTasks *one = tasks_of(1);
    next = 0;
    thaw_tasks_for(one, 100, note_order, &next);
    assert_int_equal(next, 100);
    thaw_tasks_for(one, -5, note_order, &next);
    assert_int_equal(next, 100);
    thaw_tasks_free(&one);
    assert_int_equal(thaw_tasks_threads(NULL), 1);
}

static void pools_come_and_go(void **state) {
    (void)state;
    double slots[10];
    for (int i = 0; i < 50 * SCALE; i++) { // freed at once, or right after a loop
        ThawTasks *tasks = tasks_of(1 + i % 8);
        if (i % 2)
            thaw_tasks_for(tasks, 10, square_index, slots);
        thaw_tasks_free(&tasks);
    }
    thaw_tasks_free(NULL);
}

static void numbers_of_threads_out_of_range_are_refused(void **state) {
    (void)state;
    ThawTasks *tasks = NULL;
    ThawError error = {0};
    assert_int_equal(thaw_tasks_create(-1, &tasks, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "-1"));
    assert_int_equal(thaw_tasks_create(1025, &tasks, &error), THAW_ERROR_INPUT);
    assert_null(tasks);
    tasks = tasks_of(0);
    assert_true(thaw_tasks_threads(tasks) >= 1);
    thaw_tasks_free(&tasks);
}

// Pinned to one processor, the caller must let the worker it waits for have it.
static void a_pool_lives_with_fewer_processors_than_threads(void **state) {
    (void)state;
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    ThawTasks *tasks = tasks_of(0);
    assert_int_equal(thaw_tasks_threads(tasks), 1);
    thaw_tasks_free(&tasks);
    tasks = tasks_of(4);
    double slots[64];
    for (int loop = 0; loop < 300 * SCALE; loop++) {
        thaw_tasks_for(tasks, 64, square_index, slots);
        assert_true(slots[63] == 63 * 63);
    }
    thaw_tasks_free(&tasks);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_index_runs_once),
        cmocka_unit_test(very_many_small_loops_hand_over_correctly),
        cmocka_unit_test(loops_inside_loops_run_every_index_once),
        cmocka_unit_test(a_loop_wakes_threads_that_went_to_sleep),
        cmocka_unit_test(without_a_pool_indices_run_in_order),
        cmocka_unit_test(pools_come_and_go),
        cmocka_unit_test(a_pool_lives_with_fewer_processors_than_threads),
        cmocka_unit_test(numbers_of_threads_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
