// SPDX-License-Identifier: Apache-2.0
// For tests that run the same lines again and again with other numbers (random shapes, seeds).
#ifndef THAW_TEST_REPEATS_H
#define THAW_TEST_REPEATS_H

// n; under sanitizers and valgrind, which are slow and look at the lines and not at the statistics, an eighth of it,
// but one at least. All n run in the builds without them, which `make check` tests as well.
static inline int repeats(int n) {
#ifdef THAW_INSTRUMENTED
    return n < 8 ? 1 : n / 8;
#else
    return n;
#endif
}

#endif
