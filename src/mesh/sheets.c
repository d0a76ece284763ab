// SPDX-License-Identifier: Apache-2.0
// Triangle sheets for shells: a rectangle, a disc, and what a profile sweeps out about an axis. All of even triangles,
// all linear.
//
// The disc has rings of 6, 12, 18, ... vertices, the ball of 5, 10, ... from either pole and of as many between, each
// turned by half an edge. Between two rings, walking round both at once and always taking the edge whose middle comes
// next leaves triangles of nearly equal sides.
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "thaw/mesher.h"

static ThawStatus make_room(const char *what, int64_t vertices, int64_t triangles, ThawTriangleMesh **sheet,
                            ThawError *error) {
    if (vertices > INT32_MAX || triangles > INT32_MAX)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: more than 2147483647 vertices or triangles", what);
    return thaw_triangles_create((int32_t)vertices, (int32_t)triangles, sheet, error);
}

static void put(int32_t **triangle, int32_t a, int32_t b, int32_t c) {
    memcpy(*triangle, (int32_t[3]){a, b, c}, 3 * sizeof a);
    *triangle += 3;
}

ThawStatus thaw_triangles_grid(double width, double height, const int32_t cells[2], ThawTriangleMesh **sheet,
                               ThawError *error) {
    if (sheet)
        *sheet = NULL;
    if (!sheet || !cells)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_triangles_grid: cells and sheet may not be NULL");
    if (!(width > 0 && isfinite(width) && height > 0 && isfinite(height)))
        return thaw_error_set(error, THAW_ERROR_INPUT, "width is %g and height is %g; allowed: more than 0 m", width,
                              height);
    for (int k = 0; k < 2; k++)
        if (cells[k] < 1)
            return thaw_error_set(error, THAW_ERROR_INPUT, "cells[%d] is %d; allowed: 1 and more", k, cells[k]);
    const int32_t nx = cells[0], ny = cells[1];
    ThawStatus status = make_room("cells", ((int64_t)nx + 1) * ((int64_t)ny + 1), 2 * (int64_t)nx * ny, sheet, error);
    if (status)
        return status;
    double *x = (*sheet)->x;
    for (int32_t j = 0; j <= ny; j++)
        for (int32_t i = 0; i <= nx; i++, x += 3) {
            x[0] = width * ((double)i / nx - 0.5);
            x[1] = height * ((double)j / ny - 0.5);
        }
    int32_t *t = (*sheet)->triangles;
    for (int32_t j = 0; j < ny; j++)
        for (int32_t i = 0; i < nx; i++) {
            const int32_t a = i + (nx + 1) * j, b = a + 1, c = a + nx + 1, d = c + 1;
            if ((i + j) % 2 == 0) {
                put(&t, a, b, d);
                put(&t, a, d, c);
            } else {
                put(&t, a, b, c);
                put(&t, b, d, c);
            }
        }
    return THAW_OK;
}

// Vertices first .. first + count - 1 about an axis, turned by so many half edges; count 0: one on the axis.
typedef struct Ring {
    int32_t first, count, halves;
} Ring;

// Triangles between two rings, the first above or inside the second.
static void stitch(const Ring *a, const Ring *b, int32_t **t) {
    const int32_t n = a->count ? a->count : 1, m = b->count ? b->count : 1;
    for (int32_t i = 0, j = 0; i < a->count || j < b->count;) {
        const int32_t p = a->first + i % n, q = b->first + j % m;
        // The edge to come whose middle is nearer, in half edges as parts of a turn.
        const int64_t next_b = (2 * (int64_t)j + 1 + b->halves) * n, next_a = (2 * (int64_t)i + 1 + a->halves) * m;
        if (i == a->count || (j < b->count && next_b <= next_a))
            put(t, p, q, b->first + ++j % m);
        else
            put(t, p, q, a->first + ++i % n);
    }
}

ThawStatus thaw_triangles_disc(double radius, int32_t rings, ThawTriangleMesh **sheet, ThawError *error) {
    if (!sheet)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_triangles_disc: sheet may not be NULL");
    *sheet = NULL;
    if (!(radius > 0 && isfinite(radius)))
        return thaw_error_set(error, THAW_ERROR_INPUT, "radius is %g; allowed: more than 0 m", radius);
    if (rings < 1)
        return thaw_error_set(error, THAW_ERROR_INPUT, "rings is %d; allowed: 1 and more", rings);
    ThawStatus status =
        make_room("rings", 1 + 3 * (int64_t)rings * ((int64_t)rings + 1), 6 * (int64_t)rings * rings, sheet, error);
    if (status)
        return status;
    double *x = (*sheet)->x + 3;
    for (int32_t r = 1; r <= rings; r++)
        for (int32_t i = 0; i < 6 * r; i++, x += 3) {
            x[0] = radius * r / rings * cos(M_PI * i / (3.0 * r));
            x[1] = radius * r / rings * sin(M_PI * i / (3.0 * r));
        }
    int32_t *t = (*sheet)->triangles;
    for (int32_t r = 1; r <= rings; r++) {
        const Ring inner = {r == 1 ? 0 : 1 + 3 * (r - 1) * (r - 2), 6 * (r - 1), 0},
                   outer = {1 + 3 * r * (r - 1), 6 * r, 0};
        stitch(&inner, &outer, &t);
    }
    return THAW_OK;
}

// Ring r of the ball, from 0 (the pole above) to 3 rings (the one below).
static Ring ring_of_ball(int32_t r, int32_t rings) {
    const int32_t m = rings, end = 3 * m - r;
    const int32_t cap = 1 + 5 * (m - 1) * m / 2, above = cap + 5 * m * (r - m), all = 10 * m * m + 2;
    if (r == 0 || end == 0)
        return (Ring){r == 0 ? 0 : all - 1, 0, 0};
    if (r < m)
        return (Ring){1 + 5 * (r - 1) * r / 2, 5 * r, 0};
    if (end < m)
        return (Ring){all - 1 - 5 * end * (end + 1) / 2, 5 * end, end};
    return (Ring){above, 5 * m, r - m};
}

ThawStatus thaw_triangles_sphere(double radius, int32_t rings, ThawTriangleMesh **sheet, ThawError *error) {
    if (!sheet)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_triangles_sphere: sheet may not be NULL");
    *sheet = NULL;
    if (!(radius > 0 && isfinite(radius)))
        return thaw_error_set(error, THAW_ERROR_INPUT, "radius is %g; allowed: more than 0 m", radius);
    if (rings < 1)
        return thaw_error_set(error, THAW_ERROR_INPUT, "rings is %d; allowed: 1 and more", rings);
    ThawStatus status = make_room("rings", 10 * (int64_t)rings * rings + 2, 20 * (int64_t)rings * rings, sheet, error);
    if (status)
        return status;
    int32_t *t = (*sheet)->triangles;
    for (int32_t r = 0; r <= 3 * rings; r++) {
        const Ring ring = ring_of_ball(r, rings), above = ring_of_ball(r ? r - 1 : 0, rings);
        const double height = cos(M_PI * r / (3.0 * rings)), width = sin(M_PI * r / (3.0 * rings));
        for (int32_t i = 0; i < (ring.count ? ring.count : 1); i++) {
            double *x = (*sheet)->x + 3 * (size_t)(ring.first + i);
            const double turn = ring.count ? M_PI * (2.0 * i + ring.halves) / ring.count : 0;
            x[0] = ring.count ? radius * width * cos(turn) : 0;
            x[1] = ring.count ? radius * width * sin(turn) : 0;
            x[2] = radius * height;
        }
        if (r > 0)
            stitch(&above, &ring, &t);
    }
    return THAW_OK;
}

ThawStatus thaw_triangles_revolution(const double *profile, int32_t count, int32_t around, ThawTriangleMesh **sheet,
                                     ThawError *error) {
    if (sheet)
        *sheet = NULL;
    if (!sheet || !profile)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_triangles_revolution: profile and sheet may not be NULL");
    if (count < 2)
        return thaw_error_set(error, THAW_ERROR_INPUT, "count is %d; allowed: 2 and more points", count);
    if (around < 3)
        return thaw_error_set(error, THAW_ERROR_INPUT, "around is %d; allowed: 3 and more", around);
    int64_t vertices = 0, triangles = 0;
    for (int32_t i = 0; i < count; i++) {
        const double r = profile[2 * i], z = profile[2 * i + 1];
        if (!(r >= 0 && isfinite(r) && isfinite(z)))
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "point %d of the profile is (%g, %g); allowed: finite numbers, r of at least 0", i, r,
                                  z);
        if (i > 0 && r == 0 && profile[2 * i - 2] == 0)
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "points %d and %d of the profile are both on the axis; allowed: no piece of it there",
                                  i - 1, i);
        vertices += r == 0 ? 1 : around;
        triangles += i == 0 ? 0 : (int64_t)around * ((r > 0) + (profile[2 * i - 2] > 0));
    }
    ThawStatus status = make_room("profile", vertices, triangles, sheet, error);
    if (status)
        return status;
    double *x = (*sheet)->x;
    int32_t *t = (*sheet)->triangles;
    for (int32_t i = 0, base = 0, below = 0, n_below = 0; i < count; i++) {
        const double r = profile[2 * i];
        const int32_t n = r == 0 ? 1 : around;
        for (int32_t k = 0; k < n; k++, x += 3) {
            x[0] = r * cos(2 * M_PI * k / around);
            x[1] = r * sin(2 * M_PI * k / around);
            x[2] = profile[2 * i + 1];
        }
        for (int32_t k = 0; i > 0 && k < around; k++) {
            const int32_t a = below + k % n_below, b = below + (k + 1) % n_below;
            const int32_t c = base + k % n, d = base + (k + 1) % n;
            if (n_below > 1)
                put(&t, a, b, n > 1 ? d : c);
            if (n > 1)
                put(&t, a, d, c);
        }
        below = base;
        n_below = n;
        base += n;
    }
    return THAW_OK;
}
