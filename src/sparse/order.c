// SPDX-License-Identifier: Apache-2.0
// A fill-reducing elimination order: nested dissection (George 1973) of the graph of block rows. Ordering vertices and not
// scalars makes the graph bs times smaller and keeps the bs rows of a vertex together, which the supernodal factor wants
// anyway.
//
// A separator (dissect_split.c) is eliminated after the two sides it parts, which are ordered in the same way, down to pieces
// of some hundred vertices. Within a piece the vertex with the fewest neighbours goes next (minimum degree, Tinney and Walker
// 1967), neighbours outside the piece, all of them in separators, counted too (Pellegrini, Roman and Amestoy 2000). A piece is
// so small that bit sets are the quickest way to know its elimination graph: exact degrees, no bookkeeping.
//
// Cost: O(edges log n). The order is a function of the pattern alone, on every machine and with any number of threads.
#include <string.h>

#include "sparse/dissect.h"
#include "sparse/ldl.h"

enum { PIECE = 120, MOST_HALO = 1000, DEEPEST = 80 };

typedef struct Dissection {
    const ThawWeb *whole;
    int32_t *order; // of the whole, filled from below
    int32_t *local; // whole's vertex -> its number in the present piece or its halo; -1: neither
    int32_t *member;
    uint64_t *bits; // piece and halo: rows of the elimination graph
    size_t bits_room;
    ThawError *error;
} Dissection;

// --- pieces ------------------------------------------------------------------------------------------------------------

static int32_t degree_of(const uint64_t *row, size_t words) {
    int32_t degree = 0;
    for (size_t w = 0; w < words; w++)
        degree += __builtin_popcountll(row[w]);
    return degree;
}

// Eliminates vertex v of the elimination graph: its neighbours become neighbours of each other. Only members' rows matter.
static void eliminate(uint64_t *bits, size_t words, int32_t count, int32_t v, int32_t *degree) {
    uint64_t *gone = bits + (size_t)v * words;
    for (size_t w = 0; w < words; w++)
        for (uint64_t rest = gone[w]; rest; rest &= rest - 1) {
            int32_t u = (int32_t)(64 * w) + __builtin_ctzll(rest);
            if (u >= count)
                return;
            uint64_t *row = bits + (size_t)u * words;
            for (size_t k = 0; k < words; k++)
                row[k] |= gone[k];
            row[u / 64] &= ~(UINT64_C(1) << u % 64);
            row[v / 64] &= ~(UINT64_C(1) << v % 64);
            degree[u] = degree_of(row, words);
        }
}

// Orders `count` vertices of the whole into order[0..count), by minimum degree.
static ThawStatus order_piece(Dissection *d, int32_t count, const int32_t *vertex, int32_t *order) {
    const ThawWeb *web = d->whole;
    int32_t all = count;
    memcpy(d->member, vertex, sizeof *vertex * (size_t)count);
    for (int32_t i = 0; i < count; i++)
        d->local[vertex[i]] = i;
    for (int32_t i = 0; i < count; i++)
        for (int32_t e = web->offset[vertex[i]]; e < web->offset[vertex[i] + 1] && all < count + MOST_HALO; e++)
            if (d->local[web->neighbour[e]] < 0) {
                d->local[web->neighbour[e]] = all;
                d->member[all++] = web->neighbour[e];
            }
    size_t words = (size_t)(all + 63) / 64, need = words * (size_t)count;
    if (need > d->bits_room) {
        thaw_free(d->bits);
        d->bits_room = 0;
        d->bits = THAW_NEW(uint64_t, need);
        if (!d->bits)
            return thaw_error_memory(d->error, "nested dissection");
        d->bits_room = need;
    }
    int32_t *degree = THAW_NEW(int32_t, count);
    if (!degree)
        return thaw_error_memory(d->error, "nested dissection");
    memset(d->bits, 0, sizeof *d->bits * need);
    for (int32_t i = 0; i < count; i++) {
        uint64_t *row = d->bits + (size_t)i * words;
        for (int32_t e = web->offset[vertex[i]]; e < web->offset[vertex[i] + 1]; e++) {
            int32_t j = d->local[web->neighbour[e]];
            if (j >= 0)
                row[j / 64] |= UINT64_C(1) << j % 64;
        }
        degree[i] = degree_of(row, words);
    }
    for (int32_t k = 0; k < count; k++) {
        int32_t best = 0;
        for (int32_t i = 1; i < count; i++)
            if (degree[i] < degree[best])
                best = i;
        order[k] = vertex[best];
        eliminate(d->bits, words, count, best, degree);
        degree[best] = INT32_MAX;
    }
    for (int32_t i = 0; i < all; i++)
        d->local[d->member[i]] = -1;
    thaw_free(degree);
    return THAW_OK;
}

// --- halves ------------------------------------------------------------------------------------------------------------

// The part of a web on one side; id and part_id translate vertices to those of the whole. `fresh`: web->n, scratch.
static ThawStatus take_part(const ThawWeb *web, const int32_t *id, const unsigned char *side, int which, int32_t *fresh,
                            ThawWeb **part, int32_t **part_id, ThawError *error) {
    int32_t n = 0, ends = 0;
    for (int32_t v = 0; v < web->n; v++)
        if (side[v] == which) {
            fresh[v] = n++;
            ends += web->offset[v + 1] - web->offset[v];
        }
    *part_id = THAW_NEW(int32_t, n);
    if (!*part_id)
        return thaw_error_memory(error, "nested dissection");
    ThawStatus status = thaw_web_create(n, ends, part, error);
    if (status != THAW_OK)
        return status;
    ThawWeb *p = *part;
    p->total = n;
    for (int32_t v = 0, i = 0, end = 0; v < web->n; v++) {
        if (side[v] != which)
            continue;
        (*part_id)[i] = id[v];
        p->weight[i] = 1;
        for (int32_t e = web->offset[v]; e < web->offset[v + 1]; e++)
            if (side[web->neighbour[e]] == which) {
                p->neighbour[end] = fresh[web->neighbour[e]];
                p->edge[end++] = 1;
            }
        p->offset[++i] = end;
    }
    return THAW_OK;
}

// Orders the vertices of *web, id of the whole, into order[0..n). Frees *web and *id as soon as they are not needed.
static ThawStatus dissect(Dissection *d, ThawWeb **web, int32_t **id, int32_t *order, int depth) {
    ThawStatus status = THAW_OK;
    int32_t n = (*web)->n, size[3] = {0, 0, 0};
    unsigned char *side = NULL;
    int32_t *fresh = NULL, *part_id[2] = {NULL, NULL};
    ThawWeb *part[2] = {NULL, NULL};
    if (n > PIECE && depth < DEEPEST) {
        side = THAW_NEW(unsigned char, n);
        fresh = THAW_NEW(int32_t, n);
        status =
            side && fresh ? thaw_web_split(*web, side, d->error) : thaw_error_memory(d->error, "nested dissection");
        for (int32_t v = 0; status == THAW_OK && v < n; v++)
            size[side[v]]++;
    }
    if (status == THAW_OK && size[THAW_LEFT] && size[THAW_RIGHT]) {
        for (int32_t v = 0, k = size[THAW_LEFT] + size[THAW_RIGHT]; v < n; v++)
            if (side[v] == THAW_SEPARATOR)
                order[k++] = (*id)[v];
        for (int s = 0; s < 2 && status == THAW_OK; s++)
            status = take_part(*web, *id, side, s, fresh, &part[s], &part_id[s], d->error);
        thaw_web_free(web);
        thaw_free(*id);
        *id = NULL;
        thaw_free(side);
        thaw_free(fresh);
        for (int s = 0; s < 2 && status == THAW_OK; s++)
            status = dissect(d, &part[s], &part_id[s], order + (s ? size[THAW_LEFT] : 0), depth + 1);
        for (int s = 0; s < 2; s++) {
            thaw_web_free(&part[s]);
            thaw_free(part_id[s]);
        }
        return status;
    }
    thaw_free(side);
    thaw_free(fresh);
    if (status == THAW_OK && n <= 8 * PIECE)
        status = order_piece(d, n, *id, order);
    else if (status == THAW_OK) // nothing to gain from so dense a graph
        memcpy(order, *id, sizeof *order * (size_t)n);
    return status;
}

static ThawStatus create_web(const ThawBlockPattern *pattern, ThawWeb **web, ThawError *error) {
    int32_t n = pattern->n;
    ThawStatus status = thaw_web_create(n, 2 * (pattern->row[n] - n), web, error);
    int32_t *end = THAW_NEW(int32_t, n);
    if (status == THAW_OK && !end)
        status = thaw_error_memory(error, "the graph of a matrix");
    if (status == THAW_OK) {
        ThawWeb *w = *web;
        w->total = n;
        for (int32_t i = 0; i < n; i++)
            for (int32_t e = pattern->row[i]; e < pattern->row[i + 1] - 1; e++) {
                w->offset[i + 1]++;
                w->offset[pattern->col[e] + 1]++;
            }
        for (int32_t i = 0; i < n; i++) {
            end[i] = w->offset[i];
            w->offset[i + 1] += w->offset[i];
            w->weight[i] = 1;
        }
        for (int32_t i = 0; i < n; i++)
            for (int32_t e = pattern->row[i]; e < pattern->row[i + 1] - 1; e++) {
                int32_t j = pattern->col[e];
                w->neighbour[end[i]++] = j;
                w->neighbour[end[j]++] = i;
            }
        for (int32_t e = 0; e < w->offset[n]; e++)
            w->edge[e] = 1;
    }
    thaw_free(end);
    return status;
}

ThawStatus thaw_order_dissect(const ThawBlockPattern *pattern, int32_t *order, ThawError *error) {
    int32_t n = pattern->n;
    for (int32_t i = 0; i < n; i++)
        order[i] = i;
    if (n < 3 || pattern->row[n] == n)
        return THAW_OK;
    ThawWeb *whole = NULL, *web = NULL;
    Dissection d = {.order = order, .error = error, .local = THAW_NEW(int32_t, n), .member = THAW_NEW(int32_t, n)};
    int32_t *id = THAW_NEW(int32_t, n);
    ThawStatus status =
        id && d.local && d.member ? create_web(pattern, &whole, error) : thaw_error_memory(error, "nested dissection");
    if (status == THAW_OK)
        status = create_web(pattern, &web, error); // dissect consumes its own
    if (status == THAW_OK) {
        d.whole = whole;
        for (int32_t i = 0; i < n; i++) {
            id[i] = i;
            d.local[i] = -1;
        }
        status = dissect(&d, &web, &id, order, 0);
    }
    thaw_web_free(&whole);
    thaw_web_free(&web);
    thaw_free(id);
    thaw_free(d.local);
    thaw_free(d.member);
    thaw_free(d.bits);
    return status;
}
