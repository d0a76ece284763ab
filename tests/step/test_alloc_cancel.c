// SPDX-License-Identifier: Apache-2.0
// Every allocation of a step that can be cancelled made to fail once, and steps cancelled between these: nothing leaks,
// and the world goes on.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/memory.h"
#include "thaw/thaw.h"

// A block that rests and falls asleep, and one that falls onto it and wakes it.
static const char falling[] =
    "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 9}, \"rigidify\": {\"tolerance\": 0.01, \"sleep\": 5},"
    "\"materials\": {\"soft\": {\"young\": 5e4, \"density\": 1000, \"poisson\": 0.4, \"alpha1\": 0.01}},"
    "\"shapes\": {\"cube\": {\"mesh\": {\"box\": {\"min\": [-0.1, -0.1, -0.1], \"max\": [0.1, 0.1, 0.1], \"cells\": "
    "[2, 2, 2]}},"
    "\"material\": \"soft\"}},"
    "\"bodies\": [{\"name\": \"low\", \"shape\": \"cube\", \"position\": [0, 0, 0.1], \"method\": \"rigidify\"},"
    "{\"name\": \"high\", \"shape\": \"cube\", \"position\": [0.02, 0, 3.6], \"method\": \"rigidify\"}],"
    "\"obstacles\": [{\"name\": \"floor\", \"plane\": {}}]}";

// A block that strikes the floor, whose step is made in parts; one that it flies against then; and one that rests.
static const char struck[] =
    "{\"thaw\": 1, \"time\": {\"step\": 0.02, \"integrator\": \"tr-bdf2\", \"substeps\": 200},"
    "\"materials\": {\"soft\": {\"young\": 5e4, \"density\": 1000, \"poisson\": 0.4, \"alpha1\": 0.001}},"
    "\"shapes\": {\"cube\": {\"mesh\": {\"box\": {\"min\": [-0.1, -0.1, -0.1], \"max\": [0.1, 0.1, 0.1], \"cells\": "
    "[1, 1, 1]}},"
    "\"material\": \"soft\"}},"
    "\"bodies\": [{\"name\": \"fast\", \"shape\": \"cube\", \"position\": [0, 0, 0.11], \"velocity\": [6, 0, -6],"
    "\"method\": \"rigidify\"},"
    "{\"name\": \"other\", \"shape\": \"cube\", \"position\": [1, 0, 0.1], \"method\": \"rigidify\"},"
    "{\"name\": \"full\", \"shape\": \"cube\", \"position\": [2, 0, 0.1], \"method\": \"full\"}],"
    "\"obstacles\": [{\"name\": \"floor\", \"plane\": {}}]}";

typedef struct Impatient {
    int asked, patience;
} Impatient;

static int wanted(void *context) {
    Impatient *who = context;
    return who->patience >= 0 && who->asked++ >= who->patience;
}

// Two blocks that fall asleep in the same step, and a full one that swings.
static const char twins[] =
    "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 9}, \"rigidify\": {\"tolerance\": 0.01, \"sleep\": 5},"
    "\"materials\": {\"soft\": {\"young\": 5e4, \"density\": 1000, \"poisson\": 0.4, \"alpha1\": 0.01}},"
    "\"shapes\": {\"cube\": {\"mesh\": {\"box\": {\"min\": [-0.1, -0.1, -0.1], \"max\": [0.1, 0.1, 0.1], \"cells\": "
    "[2, 2, 2]}},"
    "\"material\": \"soft\"}},"
    "\"bodies\": [{\"name\": \"one\", \"shape\": \"cube\", \"position\": [0, 0, 0.1], \"method\": \"rigidify\"},"
    "{\"name\": \"other\", \"shape\": \"cube\", \"position\": [1, 0, 0.1], \"method\": \"rigidify\"},"
    "{\"name\": \"full\", \"shape\": \"cube\", \"position\": [2, 0, 2], \"pins\": [\"x-min\"], \"method\": \"full\"}],"
    "\"obstacles\": [{\"name\": \"floor\", \"plane\": {}}]}";

static ThawWorld *make(const char *text, Impatient *who) {
    ThawScene *scene = NULL;
    ThawWorld *world = NULL;
    assert_int_equal(thaw_scene_parse(text, strlen(text), "scene", NULL, &scene, NULL), THAW_OK);
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
    ThawWorld *pilot = make(falling, &calm);
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
        ThawWorld *world = make(falling, &who); // one that has come so far undisturbed
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

static void steps_in_parts_survive_each_failing_allocation(void **state) {
    (void)state;
    Impatient who = {0, -1};
    ThawWorld *pilot = make(struck, &who);
    long failures = 0, cancelled = 0;
    int cut = 0;
    for (int i = 0; i < 16; i++) {
        ThawStepStats stats;
        assert_int_equal(thaw_world_step(pilot, &stats, NULL), THAW_OK);
        if (stats.substeps == 1)
            continue;
        cut++;
        ThawWorld *world = make(struck, &who);
        for (int k = 0; k < i; k++)
            assert_int_equal(thaw_world_step(world, NULL, NULL), THAW_OK);
        torment(world, &who, &failures, &cancelled);
        assert_int_equal(thaw_world_step(world, NULL, NULL), THAW_OK);
        thaw_world_free(&world);
    }
    print_message("%d steps in parts: %ld failures, cancelled %ld times\n", cut, failures, cancelled);
    assert_true(cut > 2 && failures > 50 && cancelled > 10);
    thaw_world_free(&pilot);
}

// A step that fails before it has begun leaves all as it was, the way that led there, too; one that fails later leaves
// no way.
static void what_fails_early_has_changed_nothing(void **state) {
    (void)state;
    enum { MOST = 100, ELEMENTS = 200 };
    Impatient who = {0, -1};
    ThawWorld *world = make(twins, &who);
    const int32_t rate = thaw_field_find("strain_rate"), ne = thaw_world_element_count(world, 2);
    static double before[ELEMENTS], after[ELEMENTS], none[ELEMENTS];
    int steps = 0;
    long failures = 0, early = 0;
    assert_true(rate >= 0 && ne < ELEMENTS);
    while (!thaw_world_is_asleep(world, 0) && steps++ < MOST)
        assert_int_equal(thaw_world_step(world, NULL, NULL), THAW_OK);
    assert_true(thaw_world_is_asleep(world, 0) && thaw_world_is_asleep(world, 1)); // in the same step
    thaw_world_free(&world);
    world = make(twins, &who);
    for (int i = 1; i < steps; i++)
        assert_int_equal(thaw_world_step(world, NULL, NULL), THAW_OK);
    assert_false(thaw_world_is_asleep(world, 0) || thaw_world_is_asleep(world, 1));
    assert_int_equal(thaw_world_get_field(world, 2, rate, before), THAW_OK);
    ThawStatus status = THAW_ERROR_MEMORY;
    for (long n = 0; status != THAW_OK && n < 1000; n++) {
        until_failure = n;
        status = thaw_world_step(world, NULL, NULL);
        until_failure = -1;
        if (status == THAW_OK)
            break;
        failures++;
        assert_int_equal(thaw_world_get_field(world, 2, rate, after), THAW_OK);
        const int same = memcmp(before, after, sizeof *before * (size_t)ne) == 0;
        assert_true(same || memcmp(none, after, sizeof *none * (size_t)ne) == 0);
        early += same;
    }
    assert_int_equal(status, THAW_OK);
    print_message("%ld failures in step %d, %ld of them early\n", failures, steps, early);
    assert_true(early > 2);
    thaw_world_free(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_that_can_be_cancelled_survive_each_failing_allocation),
        cmocka_unit_test(steps_in_parts_survive_each_failing_allocation),
        cmocka_unit_test(what_fails_early_has_changed_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
