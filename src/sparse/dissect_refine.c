// SPDX-License-Identifier: Apache-2.0
// Making a separator lighter: the moves of Fiduccia and Mattheyses (1982) on vertex separators, as Ashcraft and Liu
// (1998) use them.
//
// A vertex v of the separator may move to a side if its neighbours on the other side take its place; the separator then
// loses w(v) less the weight of those neighbours, v's gain. A pass makes the best allowed move over and over, bad ones
// too, each vertex once, and in the end goes back to the best split it met: so it gets over hills a few moves wide.
// Each move costs its vertices' edges and the heaps' logarithm.
#include <string.h>

#include "sparse/dissect.h"

// Passes over one web; how far beyond the best split a pass looks; the share of the weight a side may have, in 1/20.
enum { PASSES = 4, LEAST_SEARCH = 25, MOST_SEARCH = 60, SIDE_SHARE = 13 };

void thaw_refiner_free(ThawRefiner **refiner) {
    if (!*refiner)
        return;
    for (int s = 0; s < 2; s++) {
        thaw_free((*refiner)->gain[s]);
        thaw_free((*refiner)->heap[s]);
        thaw_free((*refiner)->place[s]);
    }
    thaw_free((*refiner)->move);
    thaw_free((*refiner)->kept);
    thaw_free(*refiner);
    *refiner = NULL;
}

ThawStatus thaw_refiner_create(int32_t room, ThawRefiner **refiner, ThawError *error) {
    ThawRefiner *r = *refiner = THAW_NEW(ThawRefiner, 1);
    int complete = r != NULL;
    for (int s = 0; complete && s < 2; s++) {
        r->gain[s] = THAW_NEW(int32_t, room);
        r->heap[s] = THAW_NEW(int32_t, room);
        r->place[s] = THAW_NEW(int32_t, room);
        complete = r->gain[s] && r->heap[s] && r->place[s];
    }
    if (complete) {
        r->move = THAW_NEW(int32_t, 3 * (size_t)room);
        r->kept = THAW_NEW(unsigned char, room);
        complete = r->move && r->kept;
    }
    if (complete)
        return THAW_OK;
    thaw_refiner_free(refiner);
    return thaw_error_memory(error, "nested dissection");
}

// --- heaps of vertices -----------------------------------------------------------------------------------------------

static int before(const ThawRefiner *r, int s, int32_t u, int32_t v) {
    return r->gain[s][u] > r->gain[s][v] || (r->gain[s][u] == r->gain[s][v] && u < v);
}

// Finds v's place, which is somewhere above or below the hole at i.
static void heap_settle(ThawRefiner *r, int s, int32_t i, int32_t v) {
    int32_t *heap = r->heap[s], *place = r->place[s], count = r->count[s];
    for (int32_t up; i > 0 && before(r, s, v, heap[up = (i - 1) / 2]); i = up) {
        heap[i] = heap[up];
        place[heap[i]] = i;
    }
    for (int32_t down; (down = 2 * i + 1) < count; i = down) {
        if (down + 1 < count && before(r, s, heap[down + 1], heap[down]))
            down++;
        if (!before(r, s, heap[down], v))
            break;
        heap[i] = heap[down];
        place[heap[i]] = i;
    }
    heap[i] = v;
    place[v] = i;
}

static void heap_add(ThawRefiner *r, int s, int32_t v) { heap_settle(r, s, r->count[s]++, v); }

static void heap_remove(ThawRefiner *r, int s, int32_t v) {
    int32_t i = r->place[s][v];
    if (i < 0)
        return;
    r->place[s][v] = -1;
    int32_t last = r->heap[s][--r->count[s]];
    if (last != v)
        heap_settle(r, s, i, last);
}

static void heap_raise(ThawRefiner *r, int s, int32_t v, int32_t by) {
    r->gain[s][v] += by;
    if (r->place[s][v] >= 0)
        heap_settle(r, s, r->place[s][v], v);
}

// --- moves -----------------------------------------------------------------------------------------------------------

// v has just become part of the separator, or a pass begins.
static void enter(const ThawWeb *web, ThawRefiner *r, const unsigned char *side, int32_t v) {
    r->gain[0][v] = r->gain[1][v] = web->weight[v];
    for (int32_t e = web->offset[v]; e < web->offset[v + 1]; e++) {
        int32_t u = web->neighbour[e];
        if (side[u] != THAW_SEPARATOR)
            r->gain[side[u] == THAW_LEFT][v] -= web->weight[u]; // u is on the other side of where v would go
    }
    for (int s = 0; s < 2; s++) {
        r->place[s][v] = -1;
        if (!r->kept[v])
            heap_add(r, s, v);
    }
}

// Moves v from the separator to side `to`. `sum`: weights of the three parts. Returns the new length of the log: v,
// then the neighbours it pulled into the separator, as complements.
static int32_t move(const ThawWeb *web, ThawRefiner *r, unsigned char *side, int32_t v, int to, int32_t sum[3],
                    int32_t length) {
    heap_remove(r, 0, v);
    heap_remove(r, 1, v);
    r->kept[v] = 1;
    r->move[length++] = v;
    side[v] = (unsigned char)to;
    sum[THAW_SEPARATOR] -= web->weight[v];
    sum[to] += web->weight[v];
    for (int32_t e = web->offset[v]; e < web->offset[v + 1]; e++) {
        int32_t u = web->neighbour[e];
        if (side[u] == THAW_SEPARATOR) {
            heap_raise(r, 1 - to, u, -web->weight[v]); // u would pull v back
        } else if (side[u] == 1 - to) {
            side[u] = THAW_SEPARATOR;
            sum[1 - to] -= web->weight[u];
            sum[THAW_SEPARATOR] += web->weight[u];
            r->move[length++] = ~u;
            for (int32_t f = web->offset[u]; f < web->offset[u + 1]; f++)
                if (side[web->neighbour[f]] == THAW_SEPARATOR)
                    heap_raise(r, to, web->neighbour[f], web->weight[u]); // they need not pull u any more
            enter(web, r, side, u);
        }
    }
    return length;
}

static ThawSplitCost cost_of(const int32_t sum[3], int32_t allowed) {
    int32_t more = sum[0] > sum[1] ? sum[0] : sum[1], less = sum[0] > sum[1] ? sum[1] : sum[0];
    return (ThawSplitCost){more > allowed ? more - allowed : 0, sum[THAW_SEPARATOR], more - less};
}

int thaw_split_better(ThawSplitCost a, ThawSplitCost b) {
    if (a.excess != b.excess)
        return a.excess < b.excess;
    if (a.separator != b.separator)
        return a.separator < b.separator;
    return a.imbalance < b.imbalance;
}

// The side that the next vertex moves to: where the gain is larger, then where less is; -1: no move is allowed.
static int choose(const ThawWeb *web, ThawRefiner *r, const int32_t sum[3], int32_t allowed) {
    for (;;) {
        if (!r->count[0] && !r->count[1])
            return -1;
        int to = !r->count[0];
        if (r->count[0] && r->count[1]) {
            int32_t left = r->gain[0][r->heap[0][0]], right = r->gain[1][r->heap[1][0]];
            to = right > left || (right == left && sum[1] < sum[0]);
        }
        int32_t v = r->heap[to][0];
        // A side that is too heavy may still not grow; the lighter one may always.
        if (sum[to] + web->weight[v] <= allowed || sum[to] + web->weight[v] <= sum[1 - to])
            return to;
        heap_remove(r, to, v);
    }
}

static int pass(const ThawWeb *web, ThawRefiner *r, unsigned char *side, int32_t allowed, ThawSplitCost *best) {
    int32_t sum[3] = {0, 0, 0}, count = 0, length = 0, best_length = 0;
    r->count[0] = r->count[1] = 0;
    memset(r->kept, 0, (size_t)web->n);
    for (int32_t v = 0; v < web->n; v++) {
        sum[side[v]] += web->weight[v];
        if (side[v] == THAW_SEPARATOR) {
            enter(web, r, side, v);
            count++;
        }
    }
    ThawSplitCost first = *best = cost_of(sum, allowed);
    int32_t patience = 2 * count < LEAST_SEARCH ? LEAST_SEARCH : 2 * count > MOST_SEARCH ? MOST_SEARCH : 2 * count;
    // A vertex moves once, and is pulled at most once before and once after that: the log has room for 3 n.
    for (int32_t tried = 0, to; tried < patience && (to = choose(web, r, sum, allowed)) >= 0; tried++) {
        length = move(web, r, side, r->heap[to][0], to, sum, length);
        ThawSplitCost now = cost_of(sum, allowed);
        if (thaw_split_better(now, *best)) {
            *best = now;
            best_length = length;
            tried = -1;
        }
    }
    // Back to the best: a vertex that was pulled returns to the side it came from, which is not the mover's.
    while (length > best_length) {
        int32_t end = length, begin = end;
        while (r->move[begin - 1] < 0)
            begin--;
        int32_t v = r->move[begin - 1];
        for (int32_t i = begin; i < end; i++)
            side[~r->move[i]] = (unsigned char)(1 - side[v]);
        side[v] = THAW_SEPARATOR;
        length = begin - 1;
    }
    return thaw_split_better(*best, first);
}

ThawSplitCost thaw_separator_refine(const ThawWeb *web, ThawRefiner *refiner, unsigned char *side) {
    int32_t allowed = (int32_t)((int64_t)web->total * SIDE_SHARE / 20);
    ThawSplitCost best;
    for (int i = 0; i < PASSES && pass(web, refiner, side, allowed, &best); i++)
        ;
    return best;
}
