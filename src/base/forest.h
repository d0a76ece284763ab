// SPDX-License-Identifier: Apache-2.0
// Sets that grow together (union-find): which members are connected. Each member points to its parent, a root to
// itself; paths are halved as they are walked. The lowest member is the root, whatever the order of the joins.
#ifndef THAW_BASE_FOREST_H
#define THAW_BASE_FOREST_H

#include <stdint.h>

static inline int32_t thaw_forest_root(int32_t *parent, int32_t i) {
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static inline void thaw_forest_join(int32_t *parent, int32_t a, int32_t b) {
    a = thaw_forest_root(parent, a);
    b = thaw_forest_root(parent, b);
    parent[a > b ? a : b] = a < b ? a : b;
}

#endif
