// SPDX-License-Identifier: Apache-2.0
// Points of a fine surface ride on a coarse mesh: each is a fixed weighted mean of the corners of one tetrahedron, the
// one that holds it in the first frame. A point just outside takes the tetrahedron that it is least outside of, and is
// extrapolated; linear elements move it exactly as the continuum around it moves.
//
// Candidates come from a grid of cells about as large as a tetrahedron, so that a point looks at a few dozen; outside
// the mesh the search widens ring by ring until a ring had any, and looks one ring further, since the nearest may be
// there.
#include <math.h>
#include <string.h>

#include "output/clip.h"

typedef struct Grid {
    double low[3], size; // m; cells are cubes
    int32_t count[3];
    int32_t *first; // cells + 1
    int32_t *items;
} Grid;

static void box_of(const ThawFrameData *frame, int32_t e, double low[3], double high[3]) {
    for (int k = 0; k < 3; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
    }
    for (int a = 0; a < 4; a++)
        for (int k = 0; k < 3; k++) {
            double x = frame->x[3 * (int64_t)frame->cells[4 * (int64_t)e + a] + k];
            low[k] = fmin(low[k], x);
            high[k] = fmax(high[k], x);
        }
}

static int32_t cell_of(const Grid *grid, int k, double x) {
    double at = floor((x - grid->low[k]) / grid->size);
    return at < 0 ? 0 : at >= grid->count[k] ? grid->count[k] - 1 : (int32_t)at;
}

// Puts each tetrahedron into the cells that its box touches: counts first (fill = 0), then places.
static void sow(const ThawFrameData *frame, Grid *grid, int fill) {
    for (int32_t e = 0; e < frame->cell_count; e++) {
        double low[3], high[3];
        int32_t from[3], to[3];
        box_of(frame, e, low, high);
        for (int k = 0; k < 3; k++) {
            from[k] = cell_of(grid, k, low[k]);
            to[k] = cell_of(grid, k, high[k]);
        }
        for (int32_t i = from[0]; i <= to[0]; i++)
            for (int32_t j = from[1]; j <= to[1]; j++)
                for (int32_t l = from[2]; l <= to[2]; l++) {
                    int64_t cell = ((int64_t)i * grid->count[1] + j) * grid->count[2] + l;
                    if (fill)
                        grid->items[grid->first[cell]++] = e;
                    else
                        grid->first[cell + 1]++;
                }
    }
}

static ThawStatus grid_build(const ThawFrameData *frame, Grid *grid, ThawError *error) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, size = 0, volume = 1;
    for (int32_t e = 0; e < frame->cell_count; e++) {
        double a[3], b[3];
        box_of(frame, e, a, b);
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], a[k]);
            high[k] = fmax(high[k], b[k]);
            size += (b[k] - a[k]) / (3 * (double)frame->cell_count);
        }
    }
    for (int k = 0; k < 3; k++)
        volume *= high[k] - low[k] + size;
    // A thin body in a large box must not ask for more cells than a few an element.
    grid->size = fmax(size, cbrt(volume / (4 * (double)frame->cell_count + 64)));
    int64_t cells = 1;
    for (int k = 0; k < 3; k++) {
        grid->low[k] = low[k];
        grid->count[k] = (int32_t)fmin(1024, floor((high[k] - low[k]) / grid->size) + 1);
        cells *= grid->count[k];
    }
    grid->first = THAW_NEW(int32_t, cells + 1);
    if (!grid->first)
        return thaw_error_memory(error, "a grid of elements");
    sow(frame, grid, 0);
    for (int64_t c = 0; c < cells; c++)
        grid->first[c + 1] += grid->first[c];
    grid->items = THAW_NEW(int32_t, (size_t)grid->first[cells] + 1);
    if (!grid->items)
        return thaw_error_memory(error, "a grid of elements");
    sow(frame, grid, 1);
    memmove(grid->first + 1, grid->first, sizeof *grid->first * (size_t)cells); // places moved on by one cell
    grid->first[0] = 0;
    return THAW_OK;
}

// Barycentric coordinates of x; the least of them says how far outside it is. -INFINITY for a flat tetrahedron.
static double locate(const ThawFrameData *frame, int32_t e, const double x[3], double w[4]) {
    const int32_t *cell = frame->cells + 4 * (int64_t)e;
    const double *o = frame->x + 3 * (int64_t)cell[0];
    double a[3][3], r[3];
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++)
            a[i][k] = frame->x[3 * (int64_t)cell[i + 1] + k] - o[k];
        r[k] = x[k] - o[k];
    }
    double c[3][3]; // c[i] = a[i+1] x a[i+2]
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            c[i][k] = a[(i + 1) % 3][(k + 1) % 3] * a[(i + 2) % 3][(k + 2) % 3] -
                      a[(i + 1) % 3][(k + 2) % 3] * a[(i + 2) % 3][(k + 1) % 3];
    double volume = a[0][0] * c[0][0] + a[0][1] * c[0][1] + a[0][2] * c[0][2];
    if (volume == 0)
        return -INFINITY;
    w[0] = 1;
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        w[i + 1] = (r[0] * c[i][0] + r[1] * c[i][1] + r[2] * c[i][2]) / volume;
        w[0] -= w[i + 1];
        least = fmin(least, w[i + 1]);
    }
    return fmin(least, w[0]);
}

// The best element for x among the cells at distance `ring` from its own.
static void search_ring(const ThawFrameData *frame, const Grid *grid, const int32_t at[3], int32_t ring,
                        const double x[3], int32_t *best, double *inside, double w[4]) {
    for (int32_t i = at[0] - ring; i <= at[0] + ring; i++)
        for (int32_t j = at[1] - ring; j <= at[1] + ring; j++)
            for (int32_t l = at[2] - ring; l <= at[2] + ring; l++) {
                int edge = i == at[0] - ring || i == at[0] + ring || j == at[1] - ring || j == at[1] + ring ||
                           l == at[2] - ring || l == at[2] + ring;
                if (!edge || i < 0 || j < 0 || l < 0 || i >= grid->count[0] || j >= grid->count[1] ||
                    l >= grid->count[2])
                    continue;
                int64_t cell = ((int64_t)i * grid->count[1] + j) * grid->count[2] + l;
                for (int32_t n = grid->first[cell]; n < grid->first[cell + 1]; n++) {
                    double trial[4];
                    double least = locate(frame, grid->items[n], x, trial);
                    if (least > *inside) {
                        *inside = least;
                        *best = grid->items[n];
                        memcpy(w, trial, sizeof trial);
                    }
                }
            }
}

ThawStatus thaw_bind_points(const ThawFrameData *frame, int32_t count, const double *x, int32_t *anchor, double *weight,
                            ThawError *error) {
    if (frame->nodes != 4 || !frame->cell_count)
        return thaw_error_set(error, THAW_ERROR_INPUT, "a surface can ride on tetrahedra only; these frames have none");
    Grid grid = {0};
    ThawStatus status = grid_build(frame, &grid, error);
    for (int32_t p = 0; status == THAW_OK && p < count; p++) {
        int32_t at[3], best = -1, rings = 0, last = -1;
        double inside = -INFINITY, w[4] = {0};
        for (int k = 0; k < 3; k++) {
            at[k] = cell_of(&grid, k, x[3 * (int64_t)p + k]);
            rings = grid.count[k] > rings ? grid.count[k] : rings;
        }
        for (int32_t ring = 0; ring <= rings && (best < 0 || (inside < 0 && ring <= last)); ring++) {
            int none = best < 0;
            search_ring(frame, &grid, at, ring, x + 3 * (int64_t)p, &best, &inside, w);
            if (none && best >= 0)
                last = ring + 1;
        }
        if (best < 0)
            status = thaw_error_set(error, THAW_ERROR_INPUT, "every tetrahedron of the first frame is flat");
        for (int a = 0; status == THAW_OK && a < 4; a++) {
            anchor[4 * (int64_t)p + a] = frame->cells[4 * (int64_t)best + a];
            weight[4 * (int64_t)p + a] = w[a];
        }
    }
    thaw_free(grid.first);
    thaw_free(grid.items);
    return status;
}
