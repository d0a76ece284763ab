// SPDX-License-Identifier: Apache-2.0
// Which points lie at the same place. Exactly: an open hash table of the first point of each place, at most half full;
// the sign of zero does not count. Nearly: files written as text, or by programs that turn what they write, have one
// corner at 0 and at 1e-17. Two points that are near share a cell of one of eight grids at least, each shifted against
// the others by half a cell along some of the axes, if half a cell is what counts as near: eight times the exact answer
// for the corners of their cells, joined. Expected linear time, and the answers depend on the points' order alone.
#include <math.h>
#include <string.h>

#include "base/forest.h"
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

ThawStatus thaw_points_near(int dim, int32_t count, const double *x, double near, int32_t *first, ThawError *error) {
    const size_t size = (size_t)dim * (size_t)count;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, square = 0;
    for (size_t i = 0; i < size; i++) {
        lo[i % (size_t)dim] = fmin(lo[i % (size_t)dim], x[i]);
        hi[i % (size_t)dim] = fmax(hi[i % (size_t)dim], x[i]);
    }
    for (int k = 0; k < dim && count > 0; k++)
        square += (hi[k] - lo[k]) * (hi[k] - lo[k]);
    const double cell = 2 * near * sqrt(square);
    ThawStatus status = thaw_points_first(dim, count, x, first, error);
    if (status || !(cell > 0) || !isfinite(cell))
        return status;
    double *corner = THAW_NEW(double, size);
    int32_t *same = THAW_NEW(int32_t, count);
    if (!corner || !same)
        status = thaw_error_memory(error, "finding points at the same place");
    for (int grid = 0; grid < 1 << dim && !status; grid++) {
        for (size_t i = 0; i < size; i++) {
            const size_t k = i % (size_t)dim;
            corner[i] = floor((x[i] - lo[k]) / cell + (grid >> k & 1) * 0.5);
        }
        status = thaw_points_first(dim, count, corner, same, error);
        for (int32_t i = 0; i < count && !status; i++)
            thaw_forest_join(first, i, same[i]);
    }
    for (int32_t i = 0; i < count; i++)
        first[i] = thaw_forest_root(first, i);
    thaw_free(corner);
    thaw_free(same);
    return status;
}
