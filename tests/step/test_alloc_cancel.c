// SPDX-License-Identifier: Apache-2.0
// Every allocation of a step that can be cancelled made to fail once, and steps cancelled between these: nothing leaks, and the world
// goes on.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/memory.h"
#include "thaw/thaw.h"

// A block that rests and falls asleep, and one that falls onto it and wakes it.
static const char text[] =
    "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 9}, \"rigidify\": {\"tolerance\": 0.01, \"sleep\": 5},"
    "\"materials\": {\"soft\": {\"young\": 5e4, \"density\": 1000, \"poisson\": 0.4, \"alpha1\": 0.01}},"
    "\"shapes\": {\"cube\": {\"mesh\": {\"box\": {\"min\": [-0.1, -0.1, -0.1], \"max\": [0.1, 0.1, 0.1], \"cells\": "
    "[2, 2, 2]}},"
    "\"material\": \"soft\"}},"
    "\"bodies\": [{\"name\": \"low\", \"shape\": \"cube\", \"position\": [0, 0, 0.1], \"method\": \"rigidify\"},"
    "{\"name\": \"high\", \"shape\": \"cube\", \"position\": [0.02, 0, 3.6], \"method\": \"rigidify\"}],"
    "\"obstacles\": [{\"name\": \"floor\", \"plane\": {}}]}";

typedef struct Impatient {
    int asked, patience;
} Impatient;

static int wanted(void *context) {
    Impatient *who = context;
    return who->patience >= 0 && who->asked++ >= who->patience;
}

static ThawWorld *make(Impatient *who) {
    ThawScene *scene = NULL;
    ThawWorld *world = NULL;
    assert_int_equal(thaw_scene_parse(text, sizeof text - 1, "scene", NULL, &scene, NULL), THAW_OK);
    scene->world.threads = 1;
    assert_int_equal(thaw_world_create(&scene->world, &world, NULL), THAW_OK);
    thaw_scene_free(&scene);
    assert_int_equal(thaw_world_set_cancel(world, &(ThawCancel){wanted, who}), THAW_OK);
    return world;
}

// The next step, with the n-th allocation failing, for all n; cancelled in between.
static void torment(ThawWorld *world, Impatient *who, long *failures, long *cancelled) {
    ThawStatus status = THAW_ERROR_MEMORY;
    for (long n = 0; status != THAW_OK && n < 1000; n++) {
        *who = (Impatient){0, n % 2 ? (int)(n / 2) % 40 : -1};
        until_failure = n / 2;
        status = thaw_world_step(world, NULL, NULL);
        until_failure = -1;
        *failures += status == THAW_ERROR_MEMORY;
        *cancelled += status == THAW_CANCELLED;
        if (status != THAW_OK && status != THAW_ERROR_MEMORY && status != THAW_CANCELLED)
            fail_msg("status %d", status);
    }
    assert_int_equal(status, THAW_OK);
    *who = (Impatient){0, -1};
}

static void steps_that_can_be_cancelled_survive_each_failing_allocation(void **state) {
    (void)state;
    enum { STEPS = 200 };
    Impatient calm = {0, -1}, who = {0, -1};
    ThawWorld *pilot = make(&calm);
    long failures = 0, cancelled = 0;
    int fell = 0, rose = 0;
    for (int i = 0; i < STEPS; i++) {
        const int asleep = thaw_world_is_asleep(pilot, 0) + thaw_world_is_asleep(pilot, 1);
        assert_int_equal(thaw_world_step(pilot, NULL, NULL), THAW_OK);
        const int now = thaw_world_is_asleep(pilot, 0) + thaw_world_is_asleep(pilot, 1);
        fell += now > asleep;
        rose += now < asleep;
        if (now == asleep && i % 10)
            continue;
        ThawWorld *world = make(&who); // one that has come so far undisturbed
        for (int k = 0; k < i; k++)
            assert_int_equal(thaw_world_step(world, NULL, NULL), THAW_OK);
        torment(world, &who, &failures, &cancelled);
        assert_int_equal(thaw_world_step(world, NULL, NULL), THAW_OK);
        thaw_world_free(&world);
    }
    print_message("%ld failures, cancelled %ld times; asleep %d times, woken %d times\n", failures, cancelled, fell,
                  rose);
    assert_true(failures > 100 && cancelled > 20 && fell > 0 && rose > 0);
    thaw_world_free(&pilot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_that_can_be_cancelled_survive_each_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
