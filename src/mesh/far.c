// SPDX-License-Identifier: Apache-2.0
// Floats have 24 bits: at 5000 km, where maps have their coordinates, they are half a metre apart, and whatever is
// smaller loses its shape. Files then hold doubles where the format has them, and elsewhere positions from an origin of
// their own.
#include "mesh/far.h"

#include <float.h>
#include <math.h>

#include "math/vec3.h"

ThawReach thaw_reach(const double *x, int64_t point_count, const int32_t *cells, int nodes, int64_t cell_count) {
    ThawReach r = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    double square = INFINITY;
    for (int64_t i = 0; i < 3 * point_count; i++) {
        r.low[i % 3] = fmin(r.low[i % 3], x[i]);
        r.high[i % 3] = fmax(r.high[i % 3], x[i]);
        r.largest = fmax(r.largest, fabs(x[i]));
    }
    for (int64_t c = 0; c < cell_count; c++)
        for (int a = 0; a < nodes; a++)
            for (int b = 0; b < a; b++) {
                const double *p = x + 3 * (int64_t)cells[c * nodes + a], *q = x + 3 * (int64_t)cells[c * nodes + b];
                const double d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
                if (p != q) // triangles among tetrahedra have a corner twice
                    square = fmin(square, thaw_v3_dot(d, d));
            }
    r.shortest = sqrt(square);
    return r;
}

int thaw_reach_is_far(const ThawReach *reach) {
    static const double share = 1e-4; // of an edge
    return reach->largest * (double)FLT_EPSILON > share * reach->shortest;
}

void thaw_reach_origin(const ThawReach *reach, double origin[3]) {
    double extent = 0;
    for (int k = 0; k < 3; k++) {
        origin[k] = 0;
        extent = fmax(extent, reach->high[k] - reach->low[k]);
    }
    if (!thaw_reach_is_far(reach) || !(extent > 0) || !(extent < INFINITY))
        return;
    const double unit = pow(10, floor(log10(extent)));
    for (int k = 0; k < 3; k++)
        origin[k] = round((reach->low[k] + reach->high[k]) / 2 / unit) * unit;
}
