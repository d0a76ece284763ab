// SPDX-License-Identifier: Apache-2.0
// A fill-reducing elimination order: nested dissection (George 1973) by METIS on the graph of block rows. Ordering vertices
// and not scalars makes the graph bs times smaller and keeps the bs rows of a vertex together, which the supernodal factor
// wants anyway. The seed is fixed, so the order is a function of the pattern.
#include <metis.h>

#include "sparse/sparse_impl.h"

ThawStatus thaw_order_dissect(const ThawBlockPattern *pattern, int32_t *order, ThawError *error) {
    _Static_assert(sizeof(idx_t) == sizeof(int32_t), "METIS must be built with 32-bit indices");
    int32_t n = pattern->n, edges = 2 * (pattern->row[n] - n);
    for (int32_t i = 0; i < n; i++)
        order[i] = i;
    if (n < 3 || edges == 0)
        return THAW_OK;
    int32_t *offset = THAW_NEW(int32_t, n + 2), *neighbour = THAW_NEW(int32_t, edges), *place = THAW_NEW(int32_t, n);
    ThawStatus status = THAW_OK;
    if (!offset || !neighbour || !place) {
        status = thaw_error_memory(error, "the graph of a matrix");
    } else {
        // offset[i + 2] counts, offset[i + 1] then runs from the start of i's list to its end.
        for (int32_t i = 0; i < n; i++)
            for (int32_t e = pattern->row[i]; e < pattern->row[i + 1] - 1; e++) {
                offset[i + 2]++;
                offset[pattern->col[e] + 2]++;
            }
        for (int32_t i = 0; i < n; i++)
            offset[i + 2] += offset[i + 1];
        for (int32_t i = 0; i < n; i++)
            for (int32_t e = pattern->row[i]; e < pattern->row[i + 1] - 1; e++) {
                int32_t j = pattern->col[e];
                neighbour[offset[i + 1]++] = j;
                neighbour[offset[j + 1]++] = i;
            }
        idx_t options[METIS_NOPTIONS];
        METIS_SetDefaultOptions(options);
        options[METIS_OPTION_NUMBERING] = 0;
        options[METIS_OPTION_SEED] = 1;
        int result = METIS_NodeND(&n, offset, neighbour, NULL, options, order, place);
        if (result == METIS_ERROR_MEMORY)
            status = thaw_error_memory(error, "nested dissection");
        else if (result != METIS_OK)
            status = thaw_error_set(error, THAW_ERROR_INPUT, "METIS could not order a graph of %d vertices (code %d)",
                                    n, result);
    }
    thaw_free(offset);
    thaw_free(neighbour);
    thaw_free(place);
    return status;
}
