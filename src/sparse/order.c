// SPDX-License-Identifier: Apache-2.0
// Fill-reducing elimination orders of the graph of block rows. Ordering vertices and not scalars makes the graph bs
// times smaller and keeps the bs rows of a vertex together, which the supernodal factor needs anyway.
//
// Small systems are ordered by minimum degree (degree.c), larger ones by nested dissection (George 1973): a separator
// is eliminated after the two sides it parts, which are ordered in the same way, down to pieces of some hundred
// vertices. These are left to minimum degree, which counts their neighbours in separators too.
//
// What matters is how long the order will serve. One that serves for good deserves separators found on many levels
// (thaw_web_split); this takes twice the time of a factorisation at a thousand vertices, a quarter at ten thousand. For
// one that serves some steps, such as that of the elastic part of an adaptive body, separators are found the quick way
// (thaw_web_halve): a fifth of a factorisation, which then makes 5 percent more operations on the mean, 30 at most.
//
// Vertices with very many neighbours (rigid parts) would shorten every distance and be in every separator: they come
// last.
//
// Cost: O(edges log n). An order is a function of the pattern alone, on every machine and with any number of threads.
#include <string.h>

#include "sparse/dissect.h"
#include "sparse/ldl.h"

// Vertices up to which minimum degree is as good as dissection, or what it loses is not worth the time; pieces; from
// where on a quick order may take more time, for less memory, and from where on dissection costs so little of a
// factorisation that a quick one does not pay. Found by trying (bench/ldl_orders.c).
enum {
    SMALL = 200,
    QUICK_SMALL = THAW_ORDER_QUICK_SMALL,
    PIECE = 120,
    QUICK_PIECE = 300,
    QUICK_WELL = 3000,
    QUICK_MOST = 8000
};
// Times the mean of neighbours are very many; splits on top of each other.
enum { MANY = 4, DEEPEST = 80 };

typedef ThawStatus (*Split)(const ThawWeb *web, unsigned char *side, ThawError *error);

// A graph: neighbours of i are neighbour[offset[i] .. offset[i + 1]).
typedef struct Graph {
    int32_t n, *offset, *neighbour;
} Graph;

typedef struct Ordering {
    Graph whole;
    Split split;
    int32_t piece;   // vertices that are not split any more
    int32_t *local;  // whole's vertex -> its number in the present piece or its halo; -1: neither
    int32_t *member; // the other way
    Graph part;      // the piece, then its halo
    int32_t *order;  // of the piece
    size_t room;     // neighbours that part has memory for
    ThawError *error;
} Ordering;

// --- the graph -------------------------------------------------------------------------------------------------------

static int fill_graph(const ThawBlockPattern *pattern, Graph *graph) {
    int32_t n = graph->n = pattern->n;
    graph->offset = THAW_NEW(int32_t, n + 2);
    graph->neighbour = THAW_NEW(int32_t, 2 * (size_t)(pattern->row[n] - n));
    if (!graph->offset || !graph->neighbour)
        return 0;
    int32_t *end = graph->offset + 1; // from the start of a list to its end, while it is filled
    for (int32_t i = 0; i < n; i++) {
        end[i + 1] += pattern->row[i + 1] - 1 - pattern->row[i];
        for (int32_t e = pattern->row[i]; e < pattern->row[i + 1] - 1; e++)
            end[pattern->col[e] + 1]++;
    }
    for (int32_t i = 0; i < n; i++)
        end[i + 1] += end[i];
    for (int32_t i = 0; i < n; i++)
        for (int32_t e = pattern->row[i]; e < pattern->row[i + 1] - 1; e++) {
            int32_t j = pattern->col[e];
            graph->neighbour[end[i]++] = j;
            graph->neighbour[end[j]++] = i;
        }
    return 1;
}

static void clear_ordering(Ordering *o) {
    thaw_free(o->whole.offset);
    thaw_free(o->whole.neighbour);
    thaw_free(o->part.offset);
    thaw_free(o->part.neighbour);
    thaw_free(o->local);
    thaw_free(o->member);
    thaw_free(o->order);
}

static ThawStatus create_ordering(const ThawBlockPattern *pattern, Ordering *o, ThawError *error) {
    int32_t n = pattern->n;
    *o = (Ordering){.error = error,
                    .local = THAW_NEW(int32_t, n),
                    .member = THAW_NEW(int32_t, n),
                    .order = THAW_NEW(int32_t, n),
                    .part.offset = THAW_NEW(int32_t, n + 1)};
    if (!o->local || !o->member || !o->order || !o->part.offset || !fill_graph(pattern, &o->whole)) {
        clear_ordering(o);
        return thaw_error_memory(error, "the graph of a matrix");
    }
    memset(o->local, -1, sizeof *o->local * (size_t)n);
    return THAW_OK;
}

// --- pieces ----------------------------------------------------------------------------------------------------------

// Orders `count` vertices of the whole by minimum degree, in place. Neighbours outside, which come later, count.
static ThawStatus order_piece(Ordering *o, int32_t count, int32_t *vertex) {
    const Graph *whole = &o->whole;
    Graph *part = &o->part;
    int32_t all = count;
    size_t ends = 0;
    if (count < 3)
        return THAW_OK;
    memcpy(o->member, vertex, sizeof *vertex * (size_t)count);
    for (int32_t i = 0; i < count; i++) {
        o->local[vertex[i]] = i;
        ends += 2 * (size_t)(whole->offset[vertex[i] + 1] - whole->offset[vertex[i]]);
    }
    if (ends > o->room) {
        thaw_free(part->neighbour);
        o->room = 0;
        part->neighbour = THAW_NEW(int32_t, ends);
        if (!part->neighbour)
            return thaw_error_memory(o->error, "the graph of a matrix");
        o->room = ends;
    }
    int32_t *end = part->offset;
    *end = 0;
    for (int32_t i = 0, at = 0; i < count; i++) {
        for (int32_t e = whole->offset[vertex[i]]; e < whole->offset[vertex[i] + 1]; e++) {
            int32_t j = whole->neighbour[e];
            if (o->local[j] < 0) {
                o->local[j] = all;
                o->member[all++] = j;
            }
            part->neighbour[at++] = o->local[j];
        }
        end[i + 1] = at;
    }
    for (int32_t i = count, at = end[count]; i < all; i++) {
        int32_t v = o->member[i];
        for (int32_t e = whole->offset[v]; e < whole->offset[v + 1]; e++) {
            int32_t j = o->local[whole->neighbour[e]];
            if (j >= 0 && j < count)
                part->neighbour[at++] = j;
        }
        end[i + 1] = at;
    }
    ThawStatus status = thaw_degree_order(all, count, part->offset, part->neighbour, o->order, o->error);
    for (int32_t i = 0; i < count && status == THAW_OK; i++)
        vertex[i] = o->member[o->order[i]];
    for (int32_t i = 0; i < all; i++)
        o->local[o->member[i]] = -1;
    return status;
}

// --- halves ----------------------------------------------------------------------------------------------------------

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
static ThawStatus dissect(Ordering *o, ThawWeb **web, int32_t **id, int32_t *order, int depth) {
    ThawStatus status = THAW_OK;
    int32_t n = (*web)->n, size[3] = {0, 0, 0};
    unsigned char *side = NULL;
    int32_t *fresh = NULL, *part_id[2] = {NULL, NULL};
    ThawWeb *part[2] = {NULL, NULL};
    if (n > o->piece && depth < DEEPEST) {
        side = THAW_NEW(unsigned char, n);
        fresh = THAW_NEW(int32_t, n);
        status = side && fresh ? o->split(*web, side, o->error) : thaw_error_memory(o->error, "nested dissection");
        for (int32_t v = 0; status == THAW_OK && v < n; v++)
            size[side[v]]++;
    }
    if (status == THAW_OK && size[THAW_LEFT] && size[THAW_RIGHT]) {
        for (int32_t v = 0, k = size[THAW_LEFT] + size[THAW_RIGHT]; v < n; v++)
            if (side[v] == THAW_SEPARATOR)
                order[k++] = (*id)[v];
        for (int s = 0; s < 2 && status == THAW_OK; s++)
            status = take_part(*web, *id, side, s, fresh, &part[s], &part_id[s], o->error);
        thaw_web_free(web);
        thaw_free(*id);
        *id = NULL;
        thaw_free(side);
        thaw_free(fresh);
        for (int s = 0; s < 2 && status == THAW_OK; s++)
            status = dissect(o, &part[s], &part_id[s], order + (s ? size[THAW_LEFT] : 0), depth + 1);
        for (int s = 0; s < 2; s++) {
            thaw_web_free(&part[s]);
            thaw_free(part_id[s]);
        }
        return status;
    }
    thaw_free(side);
    thaw_free(fresh);
    memcpy(order, *id, sizeof *order * (size_t)n);
    return status == THAW_OK ? order_piece(o, n, order) : status;
}

// --- the whole -------------------------------------------------------------------------------------------------------

// The web of vertices order[0..count), its own numbers in that order. `local` is -1 before and after.
static ThawStatus create_web(const Graph *graph, int32_t count, const int32_t *order, int32_t *local, ThawWeb **web,
                             ThawError *error) {
    ThawStatus status = thaw_web_create(count, graph->offset[graph->n], web, error);
    if (status != THAW_OK)
        return status;
    ThawWeb *w = *web;
    w->total = count;
    for (int32_t i = 0; i < count; i++)
        local[order[i]] = i;
    for (int32_t i = 0, end = 0; i < count; i++) {
        w->weight[i] = 1;
        for (int32_t e = graph->offset[order[i]]; e < graph->offset[order[i] + 1]; e++)
            if (local[graph->neighbour[e]] >= 0) {
                w->edge[end] = 1;
                w->neighbour[end++] = local[graph->neighbour[e]];
            }
        w->offset[i + 1] = end;
    }
    for (int32_t i = 0; i < count; i++)
        local[order[i]] = -1;
    return THAW_OK;
}

static ThawStatus order_whole(Ordering *o, int32_t *order) {
    const Graph *whole = &o->whole;
    int32_t n = whole->n, few = 0, last = n, many = MANY * (whole->offset[n] / n) + MANY;
    for (int32_t i = 0; i < n; i++)
        if (whole->offset[i + 1] - whole->offset[i] <= many)
            order[few++] = i;
    for (int32_t i = n - 1; i >= 0; i--)
        if (whole->offset[i + 1] - whole->offset[i] > many)
            order[--last] = i;
    ThawWeb *web = NULL;
    int32_t *id = THAW_NEW(int32_t, few);
    ThawStatus status =
        id ? create_web(whole, few, order, o->local, &web, o->error) : thaw_error_memory(o->error, "nested dissection");
    if (status == THAW_OK) {
        memcpy(id, order, sizeof *id * (size_t)few);
        status = dissect(o, &web, &id, order, 0);
    }
    thaw_web_free(&web);
    thaw_free(id);
    return status;
}

ThawStatus thaw_order_degree(const ThawBlockPattern *pattern, int32_t *order, ThawError *error) {
    Graph graph;
    ThawStatus status = fill_graph(pattern, &graph)
                            ? thaw_degree_order(graph.n, graph.n, graph.offset, graph.neighbour, order, error)
                            : thaw_error_memory(error, "the graph of a matrix");
    thaw_free(graph.offset);
    thaw_free(graph.neighbour);
    return status;
}

static ThawStatus order_rows(const ThawBlockPattern *pattern, int32_t small, int32_t piece, Split split, int32_t *order,
                             ThawError *error) {
    if (pattern->n <= small)
        return thaw_order_degree(pattern, order, error);
    Ordering o;
    ThawStatus status = create_ordering(pattern, &o, error);
    if (status != THAW_OK)
        return status;
    o.piece = piece;
    o.split = split;
    status = order_whole(&o, order);
    clear_ordering(&o);
    return status;
}

ThawStatus thaw_order_dissect(const ThawBlockPattern *pattern, int32_t *order, ThawError *error) {
    return order_rows(pattern, SMALL, PIECE, thaw_web_split, order, error);
}

ThawStatus thaw_order_sketch(const ThawBlockPattern *pattern, int32_t *order, ThawError *error) {
    if (pattern->n > QUICK_MOST)
        return thaw_order_dissect(pattern, order, error);
    if (pattern->n > QUICK_WELL)
        return order_rows(pattern, SMALL, PIECE, thaw_web_halve_well, order, error);
    return order_rows(pattern, QUICK_SMALL, QUICK_PIECE, thaw_web_halve, order, error);
}

void thaw_order_restrict(int32_t n, const int32_t *order, const int32_t *new_id, int32_t *restricted) {
    int32_t kept = 0;
    for (int32_t k = 0; k < n; k++)
        if (new_id[order[k]] >= 0)
            restricted[kept++] = new_id[order[k]];
}
