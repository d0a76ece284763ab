// SPDX-License-Identifier: Apache-2.0
// Which nodes are nearest to each vertex: Dijkstra's shortest paths from all nodes at once, each vertex keeping the few
// nearest of them. A length counts by how soft the body is there: 1 where it is stiffest, E_max / E elsewhere (the
// compliance distance of Faure et al. 2011), so that weights fall off where it gives way.
//
// Paths along edges are longer than the way itself, and rough: in tetrahedra by up to a quarter, as diagonals lie. So a
// distance is that in space for as long as the path is not longer than it by more than that, and the path's by the same
// measure beyond: max(|X - c|, path / ROUGH). That is as smooth as the body is where nothing is in the way.
#include <math.h>

#include "base/heap.h"
#include "map/frames/tree.h"

static const double ROUGH = 1.3;

static double between(const ThawShape *shape, int32_t a, int32_t b) {
    const size_t dim = (size_t)shape->dim;
    double sum = 0;
    for (size_t k = 0; k < dim; k++) {
        const double d = shape->X[(size_t)a * dim + k] - shape->X[(size_t)b * dim + k];
        sum += d * d;
    }
    return sqrt(sum);
}

ThawStatus thaw_near_create(const ThawShape *shape, ThawNearTable *table, ThawError *error) {
    *table = (ThawNearTable){.shape = shape};
    double *modulus = THAW_NEW(double, shape->nv);
    table->length = THAW_NEW(double, shape->graph->offset[shape->nv]);
    table->count = THAW_NEW(int32_t, shape->nv);
    table->near = THAW_NEW(ThawNear, (size_t)shape->nv * THAW_NEAR_MAX);
    if (!modulus || !table->length || !table->count || !table->near) {
        thaw_free(modulus);
        thaw_near_clear(table);
        return thaw_error_memory(error, "distances from frames");
    }
    const ThawElementBlock *cells = shape->cells;
    double stiffest = 0;
    for (int32_t e = 0; e < cells->count; e++) {
        const double E = thaw_element_modulus(shape, cells, e);
        stiffest = fmax(stiffest, E);
        for (int a = 0; a < cells->kind->nodes; a++) {
            double *here = &modulus[cells->elements[(size_t)e * (size_t)cells->kind->nodes + (size_t)a]];
            *here = fmax(*here, E);
        }
    }
    for (int32_t i = 0; i < shape->nv; i++)
        for (int32_t k = shape->graph->offset[i]; k < shape->graph->offset[i + 1]; k++) {
            const double here = modulus[i], there = modulus[shape->graph->neighbours[k]], least = fmin(here, there);
            table->length[k] = between(shape, i, shape->graph->neighbours[k]) * (least > 0 ? stiffest / least : 1);
        }
    thaw_free(modulus);
    return THAW_OK;
}

void thaw_near_clear(ThawNearTable *table) {
    thaw_free(table->length);
    thaw_free(table->count);
    thaw_free(table->near);
    *table = (ThawNearTable){0};
}

// Whether a path of that length is among the vertex' shortest; then it is there now.
static int offer(ThawNearTable *table, int32_t vertex, int32_t node, double distance) {
    ThawNear *near = table->near + (size_t)vertex * THAW_NEAR_MAX;
    int32_t count = table->count[vertex], at = 0;
    if (count == table->most && near[count - 1].distance <= distance)
        return 0;
    while (at < count && near[at].node != node)
        at++;
    if (at < count && near[at].distance <= distance)
        return 0;
    if (at == count) {
        if (count < table->most)
            table->count[vertex] = ++count;
        at = count - 1;
    }
    for (; at > 0 && near[at - 1].distance > distance; at--)
        near[at] = near[at - 1];
    near[at] = (ThawNear){distance, node};
    return 1;
}

static int stands(const ThawNearTable *table, ThawHeapItem item) {
    const ThawNear *near = table->near + (size_t)item.vertex * THAW_NEAR_MAX;
    for (int32_t i = 0; i < table->count[item.vertex]; i++)
        if (near[i].node == item.source)
            return near[i].distance == item.distance;
    return 0;
}

static ThawStatus spread(ThawNearTable *table, ThawHeap *heap) {
    const ThawGraph *graph = table->shape->graph;
    while (heap->count > 0) {
        const ThawHeapItem item = thaw_heap_pop(heap);
        if (!stands(table, item))
            continue;
        for (int32_t k = graph->offset[item.vertex]; k < graph->offset[item.vertex + 1]; k++) {
            const int32_t next = graph->neighbours[k];
            const double distance = item.distance + table->length[k];
            if (!offer(table, next, item.source, distance))
                continue;
            if (thaw_heap_push(heap, (ThawHeapItem){distance, next, item.source}) != THAW_OK)
                return THAW_ERROR_MEMORY;
        }
    }
    return THAW_OK;
}

ThawStatus thaw_near_add(ThawNearTable *table, int32_t node, int32_t vertex, ThawError *error) {
    ThawHeap heap = {0};
    offer(table, vertex, node, 0);
    ThawStatus status = thaw_heap_push(&heap, (ThawHeapItem){0, vertex, node});
    if (status == THAW_OK)
        status = spread(table, &heap);
    thaw_free(heap.item);
    return status == THAW_OK ? THAW_OK : thaw_error_memory(error, "distances from frames");
}

// Distances become those of the way itself; the order goes by them.
static void straighten(ThawNearTable *table, const int32_t *vertex) {
    for (int32_t i = 0; i < table->shape->nv; i++) {
        ThawNear *near = table->near + (size_t)i * THAW_NEAR_MAX;
        for (int32_t k = 0; k < table->count[i]; k++) {
            ThawNear one = near[k];
            one.distance = fmax(between(table->shape, i, vertex[one.node]), one.distance / ROUGH);
            int32_t at = k;
            for (; at > 0 && (near[at - 1].distance > one.distance ||
                              (near[at - 1].distance == one.distance && near[at - 1].node > one.node));
                 at--)
                near[at] = near[at - 1];
            near[at] = one;
        }
    }
}

ThawStatus thaw_near_find(ThawNearTable *table, int most, int32_t count, const int32_t *vertex, ThawError *error) {
    ThawHeap heap = {0};
    ThawStatus status = THAW_OK;
    table->most = most;
    for (int32_t i = 0; i < table->shape->nv; i++)
        table->count[i] = 0;
    for (int32_t n = 0; n < count && status == THAW_OK; n++) {
        offer(table, vertex[n], n, 0);
        status = thaw_heap_push(&heap, (ThawHeapItem){0, vertex[n], n});
    }
    if (status == THAW_OK)
        status = spread(table, &heap);
    thaw_free(heap.item);
    if (status != THAW_OK)
        return thaw_error_memory(error, "distances from frames");
    if (most > 1)
        straighten(table, vertex);
    return THAW_OK;
}
