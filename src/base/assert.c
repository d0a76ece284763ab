// SPDX-License-Identifier: Apache-2.0
#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

void thaw_assert_fail(const char *file, int line, const char *condition, const char *rule) {
    fprintf(stderr, "%s:%d: broken: %s (%s)\n", file, line, rule, condition);
    abort();
}
