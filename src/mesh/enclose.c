// SPDX-License-Identifier: Apache-2.0
// Whether a surface is a sheet or a solid. A body with holes can be closed and filled; a sheet, such as a piece of
// cloth or of ground, encloses no volume that it could stand for. Each piece of the surface is judged by two sums over
// its triangles, of area vectors a_i and middles c_i:
//     A = sum a_i                 what is missing to close it: zero for a closed piece, the hole's area for a flat one
//     V = sum (c_i - b) . a_i / 3   the volume once it is closed by a fan from b, the middle of its open edges
// A sheet is much opening for little volume: V / |A|^(3/2) is 0 when it is flat or its bumps and hollows balance, 0.38
// for half a ball, 1 for an open cube, and grows without end as holes get small. Linear but for the joins of pieces.
#include <math.h>

#include "base/forest.h"
#include "math/vec3.h"
#include "mesh/winding.h"

static const double SHEET = 0.15; // V / |A|^(3/2): a bowl 0.4 times as deep as its radius

typedef struct Piece {
    double area[3];     // m^2
    double middle[3];   // m, of its open edges
    double open_length; // m
    double volume;      // m^3
} Piece;

static void add_edges(const ThawTriangleMesh *surface, size_t open_count, const int32_t *edges, int32_t *parent,
                      Piece *pieces) {
    for (size_t i = 0; i < open_count; i++) {
        const double *a = surface->x + 3 * (size_t)edges[2 * i], *b = surface->x + 3 * (size_t)edges[2 * i + 1];
        Piece *piece = &pieces[thaw_forest_root(parent, edges[2 * i])];
        const double length =
            sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) + (b[2] - a[2]) * (b[2] - a[2]));
        piece->open_length += length;
        for (int k = 0; k < 3; k++)
            piece->middle[k] += length * (a[k] + b[k]) / 2;
    }
    for (int32_t v = 0; v < surface->vertex_count; v++)
        for (int k = 0; k < 3 && pieces[v].open_length > 0; k++)
            pieces[v].middle[k] /= pieces[v].open_length;
}

static void add_triangles(const ThawTriangleMesh *surface, int32_t *parent, Piece *pieces) {
    for (int32_t t = 0; t < surface->triangle_count; t++) {
        const int32_t *v = surface->triangles + 3 * (size_t)t;
        const double *a = surface->x + 3 * (size_t)v[0], *b = surface->x + 3 * (size_t)v[1],
                     *c = surface->x + 3 * (size_t)v[2];
        Piece *piece = &pieces[thaw_forest_root(parent, v[0])];
        for (int k = 0; k < 3; k++) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            const double area = ((b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i])) / 2;
            piece->area[k] += area;
            piece->volume += area * ((a[k] + b[k] + c[k]) / 3 - piece->middle[k]) / 3;
        }
    }
}

ThawStatus thaw_surface_encloses(const ThawTriangleMesh *surface, size_t open_count, const int32_t *edges,
                                 int *encloses, ThawError *error) {
    int32_t *parent = THAW_NEW(int32_t, surface->vertex_count);
    Piece *pieces = THAW_NEW(Piece, surface->vertex_count); // used at the roots only
    ThawStatus status = parent && pieces ? THAW_OK : thaw_error_memory(error, "the pieces of a surface");
    *encloses = 0;
    if (!status) {
        for (int32_t v = 0; v < surface->vertex_count; v++)
            parent[v] = v;
        for (int32_t t = 0; t < surface->triangle_count; t++)
            for (int k = 1; k < 3; k++)
                thaw_forest_join(parent, surface->triangles[3 * (size_t)t],
                                 surface->triangles[3 * (size_t)t + (size_t)k]);
        add_edges(surface, open_count, edges, parent, pieces);
        add_triangles(surface, parent, pieces);
    }
    for (int32_t v = 0; !status && v < surface->vertex_count && !*encloses; v++) {
        const Piece *p = &pieces[v];
        const double opening = thaw_v3_norm(p->area);
        *encloses = fabs(p->volume) > SHEET * opening * sqrt(opening);
    }
    thaw_free(parent);
    thaw_free(pieces);
    return status;
}
