// SPDX-License-Identifier: Apache-2.0
// Random solids, by seed, and what every mesh of a solid must be like.
#ifndef THAW_TESTS_MESHER_SHAPES_H
#define THAW_TESTS_MESHER_SHAPES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mesh/mesh.h"
#include "support/repeats.h"
#include "thaw/mesher.h"

#define DEGREES (180 / M_PI)

typedef struct Random {
    uint64_t state;
} Random;

static inline double random_between(Random *r, double lo, double hi) {
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return lo + (hi - lo) * (double)(r->state >> 11) * 0x1p-53;
}

static inline Random random_of(int seed) {
    Random r = {(uint64_t)seed * UINT64_C(0x9E3779B97F4A7C15) + 88172645463325252u};
    for (int i = 0; i < 5; i++)
        random_between(&r, 0, 1);
    return r;
}

// ' stands for ".
static inline ThawSolid *solid_of(const char *text, int dim) {
    char json[8000];
    ThawSolid *solid = NULL;
    ThawError error = {0};
    snprintf(json, sizeof json, "%s", text);
    for (char *c = json; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    if (thaw_solid_parse(json, strlen(json), "solid", NULL, dim, &solid, &error))
        fail_msg("%s\n%s", error.message, json);
    return solid;
}

static inline const char *point(Random *r, double reach, int dim, char text[80]) {
    const double x[3] = {random_between(r, -reach, reach), random_between(r, -reach, reach),
                         random_between(r, -reach, reach)};
    if (dim == 2)
        snprintf(text, 80, "[%.6f,%.6f]", x[0], x[1]);
    else
        snprintf(text, 80, "[%.6f,%.6f,%.6f]", x[0], x[1], x[2]);
    return text;
}

// A smooth blend of spheres, capsules and ellipsoids, or a torus, in any pose. About a metre in size.
static inline ThawSolid *random_solid(int seed, int dim) {
    Random r = random_of(seed);
    char text[6000] = "", a[80], b[80];
    size_t n = 0;
    const int parts = 2 + (int)random_between(&r, 0, 4);
    n += (size_t)snprintf(text + n, sizeof text - n, "{'smooth_union':{'radius':%.4f,'of':[",
                          random_between(&r, 0.15, 0.4));
    for (int i = 0; i < parts; i++) {
        const int kind = (int)random_between(&r, 0, dim == 2 ? 3 : 4);
        n += (size_t)snprintf(text + n, sizeof text - n, i ? "," : "");
        if (kind == 0)
            n += (size_t)snprintf(text + n, sizeof text - n, "{'sphere':{'radius':%.4f,'centre':%s}}",
                                  random_between(&r, 0.25, 0.6), point(&r, 0.5, dim, a));
        else if (kind == 1)
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "{'capsule':{'from':%s,'to':%s,'radius':%.4f,'end_radius':%.4f}}",
                                  point(&r, 0.3, dim, a), point(&r, 1, dim, b), random_between(&r, 0.2, 0.4),
                                  random_between(&r, 0.2, 0.4));
        else if (kind == 2 && dim == 3)
            n += (size_t)snprintf(
                text + n, sizeof text - n,
                "{'ellipsoid':{'radii':[%.4f,%.4f,%.4f]},'rotate':{'axis':%s,'degrees':%.3f},'translate':%s}",
                random_between(&r, 0.25, 0.7), random_between(&r, 0.25, 0.7), random_between(&r, 0.25, 0.7),
                point(&r, 1, dim, a), random_between(&r, 0, 360), point(&r, 0.4, dim, b));
        else if (kind == 2)
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "{'ellipsoid':{'radii':[%.4f,%.4f]},'rotate':{'degrees':%.3f},'translate':%s}",
                                  random_between(&r, 0.25, 0.7), random_between(&r, 0.25, 0.7),
                                  random_between(&r, 0, 360), point(&r, 0.4, dim, b));
        else
            n += (size_t)snprintf(text + n, sizeof text - n, "{'torus':{'radius':%.4f,'tube':%.4f,'axis':%s}}",
                                  random_between(&r, 0.5, 0.9), random_between(&r, 0.2, 0.3), point(&r, 1, dim, a));
    }
    snprintf(text + n, sizeof text - n, "]}}");
    return solid_of(text, dim);
}

static inline ThawMesh *mesh_of(const ThawSolid *solid, ThawMesherDef def, ThawMesherReport *report) {
    ThawMesh *mesh = NULL;
    ThawError error = {0};
    if (thaw_mesh_from_solid(solid, &def, &mesh, report, &error))
        fail_msg("%s", error.message);
    return mesh;
}

static inline ThawMesherDef sized(double size) {
    ThawMesherDef def = thaw_mesher_def_default();
    def.size = size;
    return def;
}

// Valid; its surface closed; what hangs together by faces has a few elements at least.
static inline void check_mesh(const ThawMesh *mesh, int32_t smallest) {
    ThawError error = {0};
    if (thaw_mesh_validate(mesh, &error))
        fail_msg("%s", error.message);
    ThawSurface *surface = NULL;
    assert_int_equal(thaw_mesh_surface(mesh, &surface, &error), THAW_OK);
    // Closed: over all faces, each edge (in 2D each end) is run through as often one way as the other.
    int64_t *balance = calloc((size_t)mesh->vertex_count, sizeof *balance);
    for (int32_t f = 0; f < surface->count; f++)
        for (int i = 0; i < surface->nodes; i++) {
            const int32_t a = surface->faces[surface->nodes * f + i];
            const int32_t b = surface->faces[surface->nodes * f + (i + 1) % surface->nodes];
            if (surface->nodes == 2)
                balance[a] += i ? -1 : 1;
            else { // a weight that belongs to the edge, added at one of its ends
                const uint64_t key = (uint64_t)(a < b ? a : b) * 2654435761u ^ (uint64_t)(a < b ? b : a) * 40503u;
                balance[a < b ? a : b] += (a < b ? 1 : -1) * (int64_t)(key % 1000003 + 1);
            }
        }
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        assert_int_equal(balance[v], 0);
    free(balance);
    thaw_surface_free(&surface);
    int32_t *across = NULL, *queue = calloc((size_t)mesh->element_count, sizeof *queue), used = 0;
    char *seen = calloc((size_t)mesh->element_count, 1);
    assert_int_equal(thaw_mesh_neighbours(mesh, &across, &error), THAW_OK);
    for (int32_t seed = 0; seed < mesh->element_count; seed++) {
        if (seen[seed])
            continue;
        const int32_t begin = used;
        seen[seed] = 1;
        queue[used++] = seed;
        for (int32_t i = begin; i < used; i++)
            for (int k = 0; k < mesh->nodes; k++) {
                const int32_t other = across[mesh->nodes * queue[i] + k];
                if (other >= 0 && !seen[other]) {
                    seen[other] = 1;
                    queue[used++] = other;
                }
            }
        assert_true(used - begin >= smallest || used - begin == mesh->element_count);
    }
    thaw_free(across);
    free(queue);
    free(seen);
}

#endif
