// SPDX-License-Identifier: Apache-2.0
// Triangles that all look outwards, or all inwards. In files from modelling programs single faces often look the other
// way; to a winding number they are worse than holes, though what is meant is plain wherever just two triangles meet at
// an edge: they run along it in opposite directions.
//
// A forest (base/forest.h) over two members a triangle, as it is and turned: an edge joins each of its triangles'
// members with the one of the other triangle that fits it. What hangs together then falls into two sets that are each
// other's mirror image; of both, the one to which more area belongs as it is, is taken. If a triangle and its turned
// self are in one set, the sheet has one side only (Moebius) and is left alone. Which side is outside is not asked
// here: hollows may look inwards.
#include <math.h>
#include <string.h>

#include "base/forest.h"
#include "math/vec3.h"
#include "mesh/mesh.h"
#include "mesh/winding.h"

// Joins what fits across edges of two triangles; rows: two vertices in ascending order, then 3 * triangle + edge,
// sorted.
static void join_across(const ThawTriangleMesh *surface, const int32_t *rows, int32_t *parent) {
    const size_t count = 3 * (size_t)surface->triangle_count;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && memcmp(rows + 3 * i, rows + 3 * end, 2 * sizeof *rows) == 0;)
            end++;
        if (end - i != 2)
            continue;
        const int32_t one = rows[3 * i + 2], other = rows[3 * i + 5], a = 2 * (one / 3), b = 2 * (other / 3);
        const int against = surface->triangles[one] == surface->triangles[other];
        thaw_forest_join(parent, a, b + against);
        thaw_forest_join(parent, a + 1, b + 1 - against);
    }
}

static double area_of(const ThawTriangleMesh *surface, int32_t t) {
    const int32_t *v = surface->triangles + 3 * (size_t)t;
    const double *a = surface->x + 3 * (size_t)v[0], *b = surface->x + 3 * (size_t)v[1],
                 *c = surface->x + 3 * (size_t)v[2];
    double e[3], f[3], n[3];
    thaw_v3_sub(b, a, e);
    thaw_v3_sub(c, a, f);
    thaw_v3_cross(e, f, n);
    return thaw_v3_norm(n) / 2;
}

static void turn(ThawTriangleMesh *surface, int32_t t, ThawMesherFinding *turned) {
    int32_t *v = surface->triangles + 3 * (size_t)t;
    const int32_t swap = v[1];
    v[1] = v[2];
    v[2] = swap;
    for (int k = 0; k < 3 && turned->count < THAW_MESHER_PLACES; k++)
        turned->place[turned->count][k] =
            (surface->x[3 * (size_t)v[0] + (size_t)k] + surface->x[3 * (size_t)v[1] + (size_t)k] +
             surface->x[3 * (size_t)v[2] + (size_t)k]) /
            3;
    turned->count++;
}

ThawStatus thaw_surface_orient(ThawTriangleMesh *surface, ThawMesherFinding *turned, ThawError *error) {
    const int32_t n = surface->triangle_count;
    *turned = (ThawMesherFinding){0};
    if (n > INT32_MAX / 6)
        return THAW_OK; // as it is
    int32_t *rows = NULL, *parent = THAW_NEW(int32_t, 2 * (size_t)n);
    double *area = THAW_NEW(double, 2 * (size_t)n); // of the triangles that belong to a set as they are, at its root
    ThawStatus status =
        parent && area ? thaw_surface_edge_rows(surface, &rows, error) : thaw_error_memory(error, "a surface");
    if (!status) {
        for (int32_t i = 0; i < 2 * n; i++)
            parent[i] = i;
        join_across(surface, rows, parent);
        for (int32_t t = 0; t < n; t++)
            area[thaw_forest_root(parent, 2 * t)] += area_of(surface, t);
        for (int32_t t = 0; t < n; t++) {
            const int32_t here = thaw_forest_root(parent, 2 * t), mirror = thaw_forest_root(parent, 2 * t + 1);
            if (here != mirror && (area[here] < area[mirror] || (area[here] == area[mirror] && here > mirror)))
                turn(surface, t, turned);
        }
    }
    thaw_free(rows);
    thaw_free(parent);
    thaw_free(area);
    return status;
}
