// SPDX-License-Identifier: Apache-2.0
// Clocks, for statistics only: nothing that is computed may depend on them.
#include <time.h>

#include "base/base.h"

static double clock_ms(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

double thaw_wall_ms(void) { return clock_ms(CLOCK_MONOTONIC); }

double thaw_cpu_ms(void) { return clock_ms(CLOCK_PROCESS_CPUTIME_ID); }
