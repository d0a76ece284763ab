// SPDX-License-Identifier: Apache-2.0
// Where the regions of a body are.
//
// Centres are placed one after the other where the way along edges to those before is longest: so limbs get theirs
// first, and every piece of a body that hangs together nowhere, and a dragon's jaws, which are near each other in
// space, are far from each other in the dragon. Then vertices belong to the centre whose ball has to grow least until
// they hang together with it inside: in compact bodies that is the nearest in space, however the mesh's diagonals lie,
// and a ball that reaches the other jaw has to hold the neck first. Centres are moved to the middle of what they have,
// a few times (Lloyd 1982, with vertices for means): regions come out about equally large. Ties go to the lower number:
// the same regions in every run. Costs (count + rounds) times a shortest-path tree, nv log nv each.
#include <math.h>
#include <string.h>

#include "map/condense/condense.h"
#include "mesh/mesh.h"

enum { ROUNDS = 8 };

// A binary heap of vertices by distance; one may be in it several times.
typedef struct Heap {
    int32_t count, room;
    struct HeapItem {
        double distance;
        int32_t vertex;
    } * item;
} Heap;

typedef struct Search {
    const ThawShape *shape;
    double *distance;   // nv, m, from the nearest centre
    int32_t *region_of; // nv
    int straight;       // distance is that of balls, not along edges
    Heap heap;
} Search;

static int before(const struct HeapItem *a, const struct HeapItem *b) {
    return a->distance < b->distance || (a->distance == b->distance && a->vertex < b->vertex);
}

static void swap(Heap *heap, int32_t a, int32_t b) {
    const struct HeapItem item = heap->item[a];
    heap->item[a] = heap->item[b];
    heap->item[b] = item;
}

static ThawStatus push(Heap *heap, double distance, int32_t vertex) {
    if (heap->count == heap->room) {
        struct HeapItem *item = thaw_regrow(heap->item, (size_t)heap->room, 2 * (size_t)heap->room + 64, sizeof *item);
        if (!item)
            return THAW_ERROR_MEMORY;
        heap->item = item;
        heap->room = 2 * heap->room + 64;
    }
    int32_t at = heap->count++;
    heap->item[at] = (struct HeapItem){distance, vertex};
    for (; at > 0 && before(&heap->item[at], &heap->item[(at - 1) / 2]); at = (at - 1) / 2)
        swap(heap, at, (at - 1) / 2);
    return THAW_OK;
}

static struct HeapItem pop(Heap *heap) {
    const struct HeapItem first = heap->item[0];
    heap->item[0] = heap->item[--heap->count];
    for (int32_t at = 0, least; 2 * at + 1 < heap->count; at = least) {
        least = 2 * at + 1;
        if (least + 1 < heap->count && before(&heap->item[least + 1], &heap->item[least]))
            least++;
        if (!before(&heap->item[least], &heap->item[at]))
            break;
        swap(heap, at, least);
    }
    return first;
}

static double between(const ThawShape *shape, const double *a, const double *b) {
    double sum = 0;
    for (int k = 0; k < shape->dim; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum);
}

static const double *place_of(const ThawShape *shape, int32_t vertex) {
    return shape->X + (size_t)vertex * (size_t)shape->dim;
}

// Of a vertex from the centre, reached from its neighbour.
static double distance_of(const Search *search, const double *point, struct HeapItem from, int32_t next) {
    const ThawShape *shape = search->shape;
    if (search->straight)
        return fmax(from.distance, between(shape, point, place_of(shape, next)));
    return from.distance + between(shape, place_of(shape, from.vertex), place_of(shape, next));
}

// Takes over what is nearer to the region's centre, a vertex and the point that it stands for, than to all before.
static ThawStatus spread(Search *search, int32_t region, int32_t centre, const double *point) {
    const ThawShape *shape = search->shape;
    search->distance[centre] = 0; // of the centre's vertex, whatever its place
    search->region_of[centre] = region;
    ThawStatus status = push(&search->heap, 0, centre);
    while (status == THAW_OK && search->heap.count > 0) {
        const struct HeapItem item = pop(&search->heap);
        if (item.distance > search->distance[item.vertex])
            continue;
        const ThawGraph *graph = shape->graph;
        for (int32_t k = graph->offset[item.vertex]; k < graph->offset[item.vertex + 1] && status == THAW_OK; k++) {
            const int32_t next = graph->neighbours[k];
            const double distance = distance_of(search, point, item, next);
            if (distance >= search->distance[next])
                continue;
            search->distance[next] = distance;
            search->region_of[next] = region;
            status = push(&search->heap, distance, next);
        }
    }
    return status;
}

static void begin(Search *search) {
    for (int32_t i = 0; i < search->shape->nv; i++) {
        search->distance[i] = INFINITY;
        search->region_of[i] = -1;
    }
}

static ThawStatus spread_all(Search *search, int32_t count, const int32_t *centre, double (*point)[3]) {
    ThawStatus status = THAW_OK;
    begin(search);
    for (int32_t r = 0; r < count && status == THAW_OK; r++)
        status = spread(search, r, centre[r], point[r]);
    return status;
}

static int32_t farthest(const Search *search) {
    int32_t best = 0;
    for (int32_t i = 1; i < search->shape->nv; i++)
        if (search->distance[i] > search->distance[best])
            best = i;
    return best;
}

static int is_of(const Search *search, int32_t region, int32_t vertex) {
    return region < 0 || search->region_of[vertex] == region;
}

// The centre of mass of a region (-1: of the body).
static void find_mean(const Search *search, int32_t region, double mean[3]) {
    const ThawShape *shape = search->shape;
    double mass = 0;
    for (int k = 0; k < 3; k++)
        mean[k] = 0;
    for (int32_t i = 0; i < shape->nv; i++) {
        for (int k = 0; k < shape->dim && is_of(search, region, i); k++)
            mean[k] += shape->mass[i] * place_of(shape, i)[k];
        mass += is_of(search, region, i) ? shape->mass[i] : 0;
    }
    for (int k = 0; k < shape->dim; k++)
        mean[k] /= mass;
}

// Its vertex that is nearest to that.
static int32_t middle(const Search *search, int32_t region, double mean[3]) {
    double least = INFINITY;
    int32_t best = 0;
    find_mean(search, region, mean);
    for (int32_t i = 0; i < search->shape->nv; i++) {
        const double far =
            is_of(search, region, i) ? between(search->shape, place_of(search->shape, i), mean) : INFINITY;
        if (far < least) {
            least = far;
            best = i;
        }
    }
    return best;
}

static ThawStatus scatter(Search *search, int32_t count, int32_t *centre, int32_t *placed) {
    begin(search);
    double point[THAW_REGIONS_MAX][3];
    const int32_t inner = middle(search, -1, point[0]); // the first centre is at an end, far from it
    ThawStatus status = spread(search, 0, inner, place_of(search->shape, inner));
    int32_t next = farthest(search);
    begin(search);
    *placed = 0;
    while (status == THAW_OK && *placed < THAW_REGIONS_MAX && (*placed < count || isinf(search->distance[next]))) {
        if (*placed > 0 && search->distance[next] == 0) // fewer vertices than regions
            break;
        centre[*placed] = next;
        for (int k = 0; k < search->shape->dim; k++)
            point[*placed][k] = place_of(search->shape, next)[k];
        status = spread(search, (*placed)++, next, place_of(search->shape, next));
        next = farthest(search);
    }
    search->straight = 1;
    if (status == THAW_OK)
        status = spread_all(search, *placed, centre, point);
    for (int round = 0, moved = 1; round < ROUNDS && moved && status == THAW_OK; round++) {
        moved = 0;
        for (int32_t r = 0; r < *placed; r++) {
            const int32_t to = middle(search, r, point[r]);
            moved |= to != centre[r];
            centre[r] = to;
        }
        if (moved)
            status = spread_all(search, *placed, centre, point);
    }
    return status;
}

ThawStatus thaw_regions_place(const ThawShape *shape, int32_t count, const int32_t *given, int32_t given_count,
                              int32_t *region_of, int32_t *centre, int32_t *placed, ThawError *error) {
    Search search = {.shape = shape, .distance = THAW_NEW(double, shape->nv), .region_of = region_of};
    ThawStatus status = search.distance ? THAW_OK : THAW_ERROR_MEMORY;
    double point[THAW_REGIONS_MAX][3];
    *placed = 0;
    if (status == THAW_OK && given_count > 0) {
        search.straight = 1;
        *placed = given_count < THAW_REGIONS_MAX ? given_count : THAW_REGIONS_MAX;
        memcpy(centre, given, sizeof *centre * (size_t)*placed);
        for (int32_t r = 0; r < *placed; r++)
            memcpy(point[r], place_of(shape, centre[r]), sizeof(double) * (size_t)shape->dim);
        status = spread_all(&search, *placed, centre, point);
        while (status == THAW_OK && *placed < THAW_REGIONS_MAX && isinf(search.distance[farthest(&search)])) {
            centre[*placed] = farthest(&search);
            status = spread(&search, *placed, centre[*placed], place_of(shape, centre[*placed]));
            ++*placed;
        }
    } else if (status == THAW_OK)
        status = scatter(&search, count, centre, placed);
    for (int32_t i = 0; i < shape->nv && status == THAW_OK; i++)
        if (region_of[i] < 0) // of more pieces than there may be regions
            region_of[i] = *placed - 1;
    thaw_free(search.heap.item);
    thaw_free(search.distance);
    return status == THAW_ERROR_MEMORY ? thaw_error_memory(error, "regions of a body") : status;
}
