// SPDX-License-Identifier: Apache-2.0
// What is remembered of contacts when shapes change: keys name vertices and faces, which have other numbers now. What
// has lost its vertex or face, or does not lie on the surface any more, is forgotten.
#include <stdlib.h>

#include "contact/collider.h"

static int32_t surface_vertex(const ThawContactShape *shape, int32_t vertex) {
    int32_t lo = 0, hi = shape->nv;
    while (lo < hi) {
        int32_t middle = lo + (hi - lo) / 2;
        if (shape->vertex[middle] < vertex)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < shape->nv && shape->vertex[lo] == vertex ? lo : -1;
}

static int follow_vertex(const ThawContactShape *to, const int32_t *map, int32_t *vertex) {
    *vertex = map[*vertex];
    return *vertex >= 0 && surface_vertex(to, *vertex) >= 0;
}

static int has_vertex(const ThawContactShape *shape, int32_t face, int32_t v) {
    for (int i = 0; i < shape->nodes; i++)
        if (shape->face[face * shape->nodes + i] == v)
            return 1;
    return 0;
}

static int follow_face(const ThawContactShape *from, const ThawContactShape *to, const int32_t *map, int32_t *face) {
    int32_t v[3];
    for (int i = 0; i < from->nodes; i++) {
        const int32_t vertex = map[from->vertex[from->face[*face * from->nodes + i]]];
        if (vertex < 0 || (v[i] = surface_vertex(to, vertex)) < 0)
            return 0;
    }
    for (int32_t k = to->around_start[v[0]]; k < to->around_start[v[0] + 1]; k++) {
        int all = 1;
        for (int i = 1; i < from->nodes; i++)
            all &= has_vertex(to, to->around[k], v[i]);
        if (all) {
            *face = to->around[k];
            return 1;
        }
    }
    return 0;
}

static int follow_edge(const ThawContactShape *to, const int32_t *map, int32_t *edge) {
    return follow_vertex(to, map, &edge[0]) && follow_vertex(to, map, &edge[1]);
}

static void turn_edge(int32_t *edge) {
    const int32_t kept = edge[0];
    edge[0] = edge[1];
    edge[1] = kept;
}

// Two edges in their new numbers ascend; but of thin things the direction of the first one against the second says how
// they lie about each other, so there both are turned or none.
static void order_edges(int thin, int32_t *edges) {
    const int turned = edges[2] > edges[3];
    if (turned)
        turn_edge(edges + 2);
    if (thin ? turned : edges[0] > edges[1])
        turn_edge(edges);
}

// One side of a key, of a body that has changed.
static int follow_side(const ThawContactShape *from, const ThawContactShape *to, const int32_t *map, int side,
                       ThawContactKey *key) {
    switch ((ThawContactKind)key->kind) {
    case THAW_CONTACT_VERTEX_OBSTACLE:
        return follow_vertex(to, map, &key->feature[0]);
    case THAW_CONTACT_VERTEX_FACE:
        return side == 0 ? follow_vertex(to, map, &key->feature[0]) : follow_face(from, to, map, &key->feature[1]);
    case THAW_CONTACT_EDGE_EDGE:
        return follow_edge(to, map, &key->feature[2 * side]);
    case THAW_CONTACT_FACE_POINT:
        return side == 0 ? follow_face(from, to, map, &key->feature[1]) : 1;
    case THAW_CONTACT_FACE_OBSTACLE:
        return key->feature[0] < from->nf && follow_face(from, to, map, &key->feature[0]);
    case THAW_CONTACT_ATTACHMENT:
    case THAW_CONTACT_LIMIT:
        break;
    }
    return 0;
}

static int compare(const void *p, const void *q) {
    return thaw_contact_key_compare(&((const ThawContactMemory *)p)->key, &((const ThawContactMemory *)q)->key);
}

void thaw_contacts_follow(ThawContactSet *set, const ThawCollider *from, const ThawCollider *to,
                          const int32_t *const *map) {
    int32_t kept = 0;
    for (int32_t i = 0; i < set->memory_count; i++) {
        ThawContactMemory memory = set->memory[i];
        int good = 1, thin = 0;
        for (int side = 0; side < 2 && good; side++) {
            const int32_t body = memory.key.body[side];
            thin |= body >= 0 && from->by_body[body]->half > 0;
            if (body >= 0 && map[body])
                good = follow_side(from->by_body[body], to->by_body[body], map[body], side, &memory.key);
        }
        if (good && memory.key.kind == THAW_CONTACT_EDGE_EDGE)
            order_edges(thin, memory.key.feature);
        if (good)
            set->memory[kept++] = memory;
    }
    set->memory_count = kept;
    if (kept > 0)
        qsort(set->memory, (size_t)kept, sizeof *set->memory, compare);
}
