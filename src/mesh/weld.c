// SPDX-License-Identifier: Apache-2.0
// Which points lie at exactly the same place. An open hash table of the first point of each place, at most half full; the
// sign of zero does not count. Expected linear time, and the answer depends on the points' order alone.
#include <string.h>

#include "mesh/mesh.h"

static int same_place(int dim, const double *a, const double *b) {
    for (int k = 0; k < dim; k++)
        if (a[k] != b[k])
            return 0;
    return 1;
}

ThawStatus thaw_points_first(int dim, int32_t count, const double *x, int32_t *first, ThawError *error) {
    size_t room = 16;
    while (room < 2 * (size_t)count)
        room *= 2;
    int32_t *slot = THAW_NEW(int32_t, room); // a point and 1; 0: free
    if (!slot)
        return thaw_error_memory(error, "finding points at the same place");
    for (int32_t i = 0; i < count; i++) {
        const double *here = x + (size_t)dim * (size_t)i;
        double key[3] = {0};
        for (int k = 0; k < dim; k++)
            key[k] = here[k] + 0.0; // -0 becomes 0
        size_t at = (size_t)thaw_hash(0, key, (size_t)dim * sizeof *key) & (room - 1);
        while (slot[at] && !same_place(dim, here, x + (size_t)dim * (size_t)(slot[at] - 1)))
            at = (at + 1) & (room - 1);
        if (!slot[at])
            slot[at] = i + 1;
        first[i] = slot[at] - 1;
    }
    thaw_free(slot);
    return THAW_OK;
}
