// SPDX-License-Identifier: Apache-2.0
// The pattern of a symmetric block matrix: the lower triangle of a vertex graph in compressed rows, the diagonal block last
// in its row. Half the blocks are half the memory traffic of every product, and the rows of the lower triangle are the
// columns of the upper one, so factorisations that want columns read the same arrays.
//
// Building costs one pass over the adjacency and a sort of each (short) row.
#include <stdlib.h>

#include "sparse/sparse.h"

static int compare_columns(const void *a, const void *b) {
    int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    return (i > j) - (i < j);
}

static ThawStatus check_graph(int32_t n, int32_t bs, const int32_t *offset, const int32_t *neighbours,
                              ThawError *error) {
    if (n < 1)
        return thaw_error_set(error, THAW_ERROR_INPUT, "block pattern: n is %d; allowed: 1 or more", n);
    if (bs != 2 && bs != 3)
        return thaw_error_set(error, THAW_ERROR_INPUT, "block pattern: bs is %d; allowed: 2 or 3", bs);
    for (int32_t i = 0; i < n; i++) {
        if (offset[i + 1] < offset[i])
            return thaw_error_set(error, THAW_ERROR_INPUT, "block pattern: offset[%d] is %d, below offset[%d] = %d",
                                  i + 1, offset[i + 1], i, offset[i]);
        for (int32_t k = offset[i]; k < offset[i + 1]; k++)
            if (neighbours[k] < 0 || neighbours[k] >= n)
                return thaw_error_set(error, THAW_ERROR_INPUT,
                                      "block pattern: vertex %d has the neighbour %d; allowed: 0 to %d", i,
                                      neighbours[k], n - 1);
    }
    return THAW_OK;
}

ThawStatus thaw_block_pattern_create(int32_t n, int32_t bs, const int32_t *offset, const int32_t *neighbours,
                                     ThawBlockPattern **result, ThawError *error) {
    *result = NULL;
    ThawStatus status = check_graph(n, bs, offset, neighbours, error);
    if (status < 0)
        return status;
    int64_t entries = n;
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = offset[i]; k < offset[i + 1]; k++)
            entries += neighbours[k] < i;
    // Positions in col, times bs^2 = 9, are kept in 32 bits where a factorisation maps them.
    if (entries > INT32_MAX / 9)
        return thaw_error_set(error, THAW_ERROR_INPUT, "block pattern: %lld blocks; allowed: at most %d",
                              (long long)entries, INT32_MAX / 9);

    ThawBlockPattern *pattern = THAW_NEW(ThawBlockPattern, 1);
    if (pattern) {
        pattern->row = THAW_NEW(int32_t, n + 1);
        pattern->col = THAW_NEW(int32_t, entries);
    }
    if (!pattern || !pattern->row || !pattern->col) {
        thaw_block_pattern_free(&pattern);
        return thaw_error_memory(error, "a block pattern");
    }
    pattern->n = n;
    pattern->bs = bs;
    int32_t end = 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t begin = end;
        for (int32_t k = offset[i]; k < offset[i + 1]; k++)
            if (neighbours[k] < i)
                pattern->col[end++] = neighbours[k];
        if (end - begin > 1)
            qsort(pattern->col + begin, (size_t)(end - begin), sizeof *pattern->col, compare_columns);
        // A neighbour that is listed twice is one block.
        int32_t kept = begin;
        for (int32_t k = begin; k < end; k++)
            if (k == begin || pattern->col[k] != pattern->col[kept - 1])
                pattern->col[kept++] = pattern->col[k];
        pattern->col[kept++] = i;
        pattern->row[i + 1] = end = kept;
    }
    *result = pattern;
    return THAW_OK;
}

void thaw_block_pattern_free(ThawBlockPattern **pattern) {
    if (!pattern || !*pattern)
        return;
    thaw_free((*pattern)->row);
    thaw_free((*pattern)->col);
    thaw_free(*pattern);
    *pattern = NULL;
}

int32_t thaw_block_find(const ThawBlockPattern *pattern, int32_t i, int32_t j) {
    int32_t low = pattern->row[i], high = pattern->row[i + 1] - 1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (pattern->col[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return pattern->col[low] == j ? low : -1;
}
