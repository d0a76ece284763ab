// SPDX-License-Identifier: Apache-2.0
// THAW_ASSERT ends debug builds with the rule that was broken, and costs nothing elsewhere.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/assert.h"

static int evaluated;

static int note(int value) {
    evaluated++;
    return value;
}

static void what_holds_goes_on(void **state) {
    (void)state;
    evaluated = 0;
    THAW_ASSERT(note(1), "one is one");
#ifdef THAW_ASSERTIONS
    assert_int_equal(evaluated, 1);
#else
    THAW_ASSERT(note(0), "nothing is evaluated");
    assert_int_equal(evaluated, 0);
#endif
}

// The failure itself, in a process of its own.
static void what_does_not_hold_names_rule_and_place(void **state) {
    (void)state;
    int ends[2], status = 0;
    char message[300] = "";
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], 2);
        thaw_assert_fail("src/some/file.c", 12, "a == b", "both sides agree");
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t got = 1; got > 0 && length < sizeof message - 1; length += (size_t)(got > 0 ? got : 0))
        got = read(ends[0], message + length, sizeof message - 1 - length);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_non_null(strstr(message, "src/some/file.c:12: broken: both sides agree (a == b)"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_holds_goes_on),
        cmocka_unit_test(what_does_not_hold_names_rule_and_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
