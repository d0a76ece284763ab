// SPDX-License-Identifier: Apache-2.0
// Scripted vertices under frames. Fields have to vanish there, and nearby as fields of a held body do: not at all at
// once, but with the distance. So all fields are multiplied by D = delta / (delta + s), delta the distance to what is
// scripted. A polynomial p with p = 0 on a flat face is D (delta + s) (p / delta), of the same degree behind the D: so
// frames can do what free ones can, less what does not vanish. The published method has no word about pins.
//
// Around scripted vertices that move, w follows the closest point of them, by 1 - D: a rigid motion of the whole is D
// times a rigid motion and that.
//
// delta is that to triangles (2D: edges) all of whose vertices are scripted, and to scripted vertices, found from
// neighbour to neighbour.
#include <math.h>
#include <string.h>

#include "base/heap.h"
#include "contact/geometry.h"
#include "map/frames/frames.h"

enum { SIDES_MAX = 4 };

typedef struct Search {
    const ThawShape *shape;
    const unsigned char *scripted;
    int32_t *offset, *face; // faces of scripted vertices, by vertex: element * SIDES_MAX + side
    double *distance;
    ThawFrameHold *hold;
    ThawHeap heap;
} Search;

void thaw_frame_hold_clear(ThawFrameHold *hold) {
    thaw_free(hold->share);
    thaw_free(hold->leader);
    thaw_free(hold->lead);
    *hold = (ThawFrameHold){0};
}

static void place_of(const ThawShape *shape, int32_t vertex, double x[3]) {
    x[2] = 0;
    memcpy(x, shape->X + (size_t)vertex * (size_t)shape->dim, sizeof *x * (size_t)shape->dim);
}

// The vertices of a side of an element; whether all are scripted.
static int side_of(const Search *s, int32_t element, int side, int32_t corner[3]) {
    const ThawElementBlock *cells = s->shape->cells;
    const int32_t *vertex = cells->elements + (size_t)element * (size_t)cells->kind->nodes;
    int count = 0, all = 1;
    for (int a = 0; a < cells->kind->nodes; a++)
        if (a != side) {
            corner[count++] = vertex[a];
            all &= s->scripted[vertex[a]];
        }
    return all;
}

static ThawStatus list_faces(Search *s) {
    const ThawElementBlock *cells = s->shape->cells;
    const int nodes = cells->kind->nodes;
    int32_t corner[3];
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t e = 0; e < cells->count; e++)
            for (int side = 0; side < nodes && nodes <= SIDES_MAX; side++)
                for (int k = 0; side_of(s, e, side, corner) && k < nodes - 1; k++)
                    if (pass == 0)
                        s->offset[corner[k] + 2]++;
                    else
                        s->face[s->offset[corner[k] + 1]++] = e * SIDES_MAX + side;
        for (int32_t i = 0; pass == 0 && i < s->shape->nv; i++)
            s->offset[i + 2] += s->offset[i + 1];
        if (pass == 0 && !(s->face = THAW_NEW(int32_t, s->offset[s->shape->nv + 1])))
            return THAW_ERROR_MEMORY;
    }
    return THAW_OK;
}

// A scripted vertex, or a face of three (2D: two), is offered to a vertex; nonzero: it is closer than all before.
static int offer(Search *s, int32_t vertex, int count, const int32_t *corner) {
    double x[3], p[3][3], w[3] = {1, 0, 0}, square = 0;
    place_of(s->shape, vertex, x);
    for (int k = 0; k < count; k++)
        place_of(s->shape, corner[k], p[k]);
    if (count == 3)
        thaw_triangle_closest(p[0], p[1], p[2], x, w);
    else if (count == 2)
        thaw_segment_closest(p[0], p[1], x, w);
    for (int i = 0; i < 3; i++) {
        double at = 0;
        for (int k = 0; k < count; k++)
            at += w[k] * p[k][i];
        square += (at - x[i]) * (at - x[i]);
    }
    if (!(sqrt(square) < s->distance[vertex] * (1 - 1e-12)))
        return 0;
    s->distance[vertex] = sqrt(square);
    for (int k = 0; k < 3; k++) {
        s->hold->leader[3 * (size_t)vertex + (size_t)k] = corner[k < count ? k : 0];
        s->hold->lead[3 * (size_t)vertex + (size_t)k] = k < count ? w[k] : 0;
    }
    return 1;
}

static ThawStatus spread(Search *s) {
    const ThawGraph *graph = s->shape->graph;
    while (s->heap.count > 0) {
        const ThawHeapItem item = thaw_heap_pop(&s->heap);
        if (item.distance > s->distance[item.vertex])
            continue;
        for (int32_t k = graph->offset[item.vertex]; k < graph->offset[item.vertex + 1]; k++) {
            const int32_t next = graph->neighbours[k];
            if (s->scripted[next])
                continue;
            int closer = 0;
            const int32_t *leader = s->hold->leader + 3 * (size_t)item.vertex;
            const int whole = s->shape->dim == 3 && leader[1] != leader[0] && leader[2] != leader[0];
            closer |= offer(s, next, whole ? 3 : leader[1] != leader[0] ? 2 : 1, leader);
            for (int32_t f = s->scripted[item.vertex] ? s->offset[item.vertex] : s->offset[item.vertex + 1];
                 f < s->offset[item.vertex + 1]; f++) {
                int32_t corner[3];
                side_of(s, s->face[f] / SIDES_MAX, s->face[f] % SIDES_MAX, corner);
                closer |= offer(s, next, s->shape->dim, corner);
            }
            if (closer && thaw_heap_push(&s->heap, (ThawHeapItem){s->distance[next], next, 0}) != THAW_OK)
                return THAW_ERROR_MEMORY;
        }
    }
    return THAW_OK;
}

static ThawStatus find_closest(Search *s) {
    ThawStatus status = list_faces(s);
    for (int32_t i = 0; i < s->shape->nv && status == THAW_OK; i++) {
        s->distance[i] = INFINITY;
        for (size_t k = 0; k < 3; k++)
            s->hold->leader[3 * (size_t)i + k] = -1;
        if (!s->scripted[i])
            continue;
        offer(s, i, 1, &i);
        status = thaw_heap_push(&s->heap, (ThawHeapItem){0, i, 0});
    }
    return status == THAW_OK ? spread(s) : status;
}

ThawStatus thaw_frame_hold_create(const ThawShape *shape, const unsigned char *scripted, double size,
                                  ThawFrameHold *hold, ThawError *error) {
    *hold = (ThawFrameHold){0};
    if (!memchr(scripted, 1, (size_t)shape->nv))
        return THAW_OK;
    hold->share = THAW_NEW(double, shape->nv);
    hold->leader = THAW_NEW(int32_t, 3 * (size_t)shape->nv);
    hold->lead = THAW_NEW(double, 3 * (size_t)shape->nv);
    Search s = {shape, scripted, THAW_NEW(int32_t, (size_t)shape->nv + 2), NULL, hold->share, hold, {0}};
    ThawStatus status = hold->share && hold->leader && hold->lead && s.offset ? find_closest(&s) : THAW_ERROR_MEMORY;
    for (int32_t i = 0; i < shape->nv && status == THAW_OK; i++) {
        const double delta = hold->share[i];
        hold->share[i] = isfinite(delta) ? delta / (delta + size) : 1; // else of a piece that nothing holds
        for (size_t k = 3 * (size_t)i; k < 3 * ((size_t)i + 1); k++)
            hold->lead[k] *= 1 - hold->share[i];
    }
    thaw_free(s.offset);
    thaw_free(s.face);
    thaw_free(s.heap.item);
    if (status != THAW_OK)
        thaw_frame_hold_clear(hold);
    return status == THAW_OK ? THAW_OK : thaw_error_memory(error, "a body's frames");
}
