// SPDX-License-Identifier: Apache-2.0
// Cutting the rows for parallel work. In a Cuthill-McKee order a row reaches back about one level of the mesh, so a
// slab of at least that many rows separates what lies before it from what lies after. With every slab coupled only to
// its two neighbours, the even slabs are independent of each other and so are the odd ones: products and triangular
// solves run in two phases, write no private copies, and drop no coupling. The cuts depend on the pattern alone, hence
// so do all sums.
//
// An order with long reaches gives fewer slabs, in the end one; then everything is still right, only serial.
// Cost: two passes over the rows.
#include "sparse/sparse_impl.h"

// A phase should be worth some microseconds a task, and sixteen tasks a phase are plenty.
enum { SLAB_ROWS = 1000, SLAB_COUNT = 32 };

ThawStatus thaw_slabs_build(const ThawBlockPattern *pattern, ThawSlabs *slabs, ThawError *error) {
    int32_t n = pattern->n;
    int32_t *reach = THAW_NEW(int32_t, n + 1); // the lowest column of rows i, i + 1, ...
    slabs->start = THAW_NEW(int32_t, SLAB_COUNT + 2);
    slabs->count = 0;
    if (!reach || !slabs->start) {
        thaw_free(reach);
        thaw_slabs_clear(slabs);
        return thaw_error_memory(error, "the slabs of a matrix");
    }
    reach[n] = n;
    for (int32_t i = n - 1; i >= 0; i--) {
        int32_t lowest = pattern->col[pattern->row[i]];
        reach[i] = lowest < reach[i + 1] ? lowest : reach[i + 1];
    }
    int32_t rows = n / SLAB_COUNT > SLAB_ROWS ? n / SLAB_COUNT + 1 : SLAB_ROWS;
    int32_t begin = 0;
    while (begin < n) {
        slabs->start[slabs->count++] = begin;
        int32_t end = begin + rows < n ? begin + rows : n;
        while (end < n && reach[end] < begin)
            end++;
        // A short rest joins the last slab.
        begin = n - end < rows / 2 ? n : end;
    }
    slabs->start[slabs->count] = n;
    thaw_free(reach);
    return THAW_OK;
}

void thaw_slabs_clear(ThawSlabs *slabs) {
    thaw_free(slabs->start);
    *slabs = (ThawSlabs){0};
}
