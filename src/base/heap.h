// SPDX-License-Identifier: Apache-2.0
// A binary heap of vertices by distance, for shortest paths; one may be in it several times. Ties go to the lower
// vertex, then to the lower source, so that the order of what comes out is the same in every run.
#ifndef THAW_HEAP_H
#define THAW_HEAP_H

#include "base/base.h"

typedef struct ThawHeapItem {
    double distance;
    int32_t vertex, source;
} ThawHeapItem;

typedef struct ThawHeap {
    int32_t count, room;
    ThawHeapItem *item;
} ThawHeap;

static inline int thaw_heap_before(const ThawHeapItem *a, const ThawHeapItem *b) {
    if (a->distance != b->distance)
        return a->distance < b->distance;
    return a->vertex < b->vertex || (a->vertex == b->vertex && a->source < b->source);
}

static inline ThawStatus thaw_heap_push(ThawHeap *heap, ThawHeapItem item) {
    if (heap->count == heap->room) {
        ThawHeapItem *more = thaw_regrow(heap->item, (size_t)heap->room, 2 * (size_t)heap->room + 64, sizeof *more);
        if (!more)
            return THAW_ERROR_MEMORY;
        heap->item = more;
        heap->room = 2 * heap->room + 64;
    }
    int32_t at = heap->count++;
    for (; at > 0 && thaw_heap_before(&item, &heap->item[(at - 1) / 2]); at = (at - 1) / 2)
        heap->item[at] = heap->item[(at - 1) / 2];
    heap->item[at] = item;
    return THAW_OK;
}

static inline ThawHeapItem thaw_heap_pop(ThawHeap *heap) {
    const ThawHeapItem first = heap->item[0], last = heap->item[--heap->count];
    int32_t at = 0;
    for (int32_t least; 2 * at + 1 < heap->count; at = least) {
        least = 2 * at + 1;
        if (least + 1 < heap->count && thaw_heap_before(&heap->item[least + 1], &heap->item[least]))
            least++;
        if (!thaw_heap_before(&heap->item[least], &last))
            break;
        heap->item[at] = heap->item[least];
    }
    heap->item[at] = last;
    return first;
}

#endif
