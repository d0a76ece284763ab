// SPDX-License-Identifier: Apache-2.0
// The pattern of a symmetric block matrix: the lower triangle of a vertex graph in compressed rows, the diagonal block
// last in its row. Half the blocks are half the memory traffic of every product, and the rows of the lower triangle are
// the columns of the upper one, so factorisations that work by columns read the same arrays.
//
// Building costs two passes over the adjacency: vertices taken in ascending order enter themselves in the rows of their
// later neighbours, so rows come out sorted. Rows may be long (a rigid part has all vertices around it).
#include "sparse/sparse.h"

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

// end: n, scratch: where the next entry of a row goes.
static void fill_rows(const int32_t *offset, const int32_t *neighbours, int32_t *end, ThawBlockPattern *pattern) {
    int32_t n = pattern->n, *row = pattern->row, *col = pattern->col, kept = 0;
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = offset[i]; k < offset[i + 1]; k++)
            row[neighbours[k] + 1] += i < neighbours[k];
    for (int32_t i = 0; i < n; i++) {
        row[i + 1] += row[i] + 1;
        end[i] = row[i];
    }
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = offset[i]; k < offset[i + 1]; k++) {
            int32_t j = neighbours[k];
            if (i < j && (end[j] == row[j] || col[end[j] - 1] != i)) // a neighbour that is listed twice is one block
                col[end[j]++] = i;
        }
        col[end[i]++] = i;
    }
    for (int32_t i = 0; i < n; i++) { // close the gaps of what was listed twice
        int32_t begin = row[i];
        row[i] = kept;
        for (int32_t k = begin; k < end[i]; k++)
            col[kept++] = col[k];
    }
    row[n] = kept;
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
            entries += i < neighbours[k];
    // Positions in col, times bs^2 = 9, are kept in 32 bits where a factorisation maps them.
    if (entries > INT32_MAX / 9)
        return thaw_error_set(error, THAW_ERROR_INPUT, "block pattern: %lld blocks; allowed: at most %d",
                              (long long)entries, INT32_MAX / 9);

    ThawBlockPattern *pattern = THAW_NEW(ThawBlockPattern, 1);
    int32_t *end = THAW_NEW(int32_t, n);
    if (pattern) {
        pattern->row = THAW_NEW(int32_t, n + 1);
        pattern->col = THAW_NEW(int32_t, entries);
    }
    if (!pattern || !end || !pattern->row || !pattern->col) {
        thaw_free(end);
        thaw_block_pattern_free(&pattern);
        return thaw_error_memory(error, "a block pattern");
    }
    pattern->n = n;
    pattern->bs = bs;
    fill_rows(offset, neighbours, end, pattern);
    thaw_free(end);
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
