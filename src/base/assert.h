// SPDX-License-Identifier: Apache-2.0
// THAW_ASSERT(condition, rule): what one stage promises another. It is compiled into debug builds (all with the build
// type Debug, so under sanitizers and fuzzers, too), where a promise that is broken ends the program with the rule and
// its place; elsewhere it costs nothing, and neither argument is evaluated. Never for what callers or files may get
// wrong: that is an error with a message.
#ifndef THAW_BASE_ASSERT_H
#define THAW_BASE_ASSERT_H

_Noreturn void thaw_assert_fail(const char *file, int line, const char *condition, const char *rule);

#ifdef THAW_ASSERTIONS
#define THAW_ASSERT(condition, rule) ((condition) ? (void)0 : thaw_assert_fail(__FILE__, __LINE__, #condition, (rule)))
#else
#define THAW_ASSERT(condition, rule) ((void)(0 && (condition) && (rule)))
#endif

#endif
