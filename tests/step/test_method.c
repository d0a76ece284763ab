// SPDX-License-Identifier: Apache-2.0
// Tables of methods that lack something are refused with its name, and what a failing decision says is told.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "step/method.h"
#include "support/world.h"
#include "thaw/thaw.h"

#define SCENE                                                                                                          \
    "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 5}, \"materials\": {\"m\": {\"density\": 1000, "              \
    "\"young\": 1e7, \"poisson\": 0.3}}, \"shapes\": {\"box\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], "             \
    "\"max\": [0.4, 0.4, 0.4], \"cells\": [2, 2, 2]}}, \"material\": \"m\"}}, \"bodies\": [{\"shape\": "               \
    "\"box\"}, {\"shape\": \"box\", \"position\": [3, 0, 0]}]}"

typedef struct Pair {
    int count, more;
    double length;
} Pair;

static ThawStatus create_any(ThawWorld *world, ThawStepper *s, ThawError *error) {
    (void)world;
    s->data = THAW_NEW(double, 1);
    return s->data ? THAW_OK : thaw_error_memory(error, "a failing method");
}

static void free_any(ThawStepper *s) {
    thaw_free(s->data);
    s->data = NULL;
}

static ThawStatus decide_nothing(const ThawWorld *world, ThawStepper *s, ThawIncrement step, ThawError *error) {
    (void)world;
    return thaw_error_set(error, THAW_ERROR_UNSUPPORTED, "body %d of h %g has no way", (int)s->index, step.h);
}

static int after_two_steps(const void *options) {
    (void)options;
    return 2;
}

static const ThawMethodOps failing_ops = {.create = create_any, .free = free_any, .decide = decide_nothing};
static const ThawMethod failing = {.name = "failing", .summary = "never finds a way", .ops = &failing_ops};

static void assert_refused(const ThawMethodOps *ops, ThawOptionTable options, bool sleeps, const char *says) {
    const ThawMethod method = {.name = "new", .summary = "new", .ops = ops, .options = options, .sleeps = sleeps};
    ThawError error = {0};
    assert_int_equal(thaw_method_check(&method, &error), says ? THAW_ERROR_INPUT : THAW_OK);
    if (says && !strstr(error.message, says))
        fail_msg("\"%s\" does not say \"%s\"", error.message, says);
}

static void functions_that_need_others_are_named(void **state) {
    (void)state;
    static const ThawMethodOps leaks = {.create = create_any}, bare = {.decide = decide_nothing},
                               sleepy = {.create = create_any, .free = free_any, .sleep_steps = after_two_steps};
    const ThawOptionTable none = {0};
    assert_refused(&failing_ops, none, false, NULL);
    assert_refused(&leaks, none, false, "create without free");
    assert_refused(&bare, none, false, "decide without create");
    assert_refused(&sleepy, none, true, "sleep_steps without hindrance, watch and drift");
}

static void options_that_are_no_member_are_named(void **state) {
    (void)state;
    ThawOption rows[] = {
        {.name = "count", .kind = THAW_OPTION_COUNT, .offset = offsetof(Pair, count)},
        {.name = "more", .kind = THAW_OPTION_COUNT, .offset = offsetof(Pair, more)},
        {.name = "length", .offset = offsetof(Pair, length)},
    };
    const ThawOptionTable table = {rows, 3, sizeof(Pair)};
    assert_refused(&failing_ops, table, false, NULL);
    rows[0].kind = THAW_OPTION_REAL; // as where the kind was forgotten
    assert_refused(&failing_ops, table, false, "\"count\"");
    rows[0].kind = THAW_OPTION_COUNT;
    rows[2].offset = sizeof(Pair);
    assert_refused(&failing_ops, table, false, "\"length\"");
    rows[2].offset = 0;
    assert_refused(&failing_ops, table, false, "option");
}

static void a_failing_decision_is_told_in_its_own_words(void **state) {
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        ThawWorld *world = make_world_by(SCENE, "failing", threads);
        ThawError error = {0};
        assert_int_equal(thaw_world_step(world, NULL, &error), THAW_ERROR_UNSUPPORTED);
        assert_non_null(strstr(error.message, "body 0 of h 0.01 has no way"));
        thaw_world_free(&world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_that_need_others_are_named),
        cmocka_unit_test(options_that_are_no_member_are_named),
        cmocka_unit_test(a_failing_decision_is_told_in_its_own_words),
    };
    return thaw_method_register(&failing) < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
