// SPDX-License-Identifier: Apache-2.0
// Numbering vertices so that neighbours get close numbers: reverse Cuthill-McKee. A breadth-first search from a vertex
// at the far end of the graph, neighbours taken by ascending degree, the result reversed (Cuthill and McKee 1969,
// George 1971). The far end is found by George and Liu (1979): search from somewhere, restart from the lowest degree on
// the last level, while the levels grow in number; a few rounds are allowed, so the time stays linear.
//
// Sorting neighbours by degree costs nothing extra: vertices are put into order of degree by counting, and each, in
// that order, appends itself to the lists of its neighbours.
#include <string.h>

#include "mesh/mesh.h"

enum { ROUNDS = 8 }; // searches for the far end, at most, a component

typedef struct Search {
    int32_t n;
    const int32_t *offset;
    int32_t *by_degree; // n vertices, ascending degree, then ascending id
    int32_t *neighbour; // offset[n]: as in the graph, but by ascending degree
    int32_t *mark;      // n: the number of the last search that met this vertex
    int32_t *queue;     // n
} Search;

static int32_t degree(const Search *s, int32_t v) { return s->offset[v + 1] - s->offset[v]; }

static ThawStatus create_search(const ThawGraph *graph, Search *s, ThawError *error) {
    const int32_t n = graph->n;
    *s = (Search){.n = n, .offset = graph->offset};
    s->by_degree = THAW_NEW(int32_t, n);
    s->neighbour = THAW_NEW(int32_t, graph->offset[n]);
    s->mark = THAW_NEW(int32_t, n);
    s->queue = THAW_NEW(int32_t, n);
    int32_t *next = THAW_NEW(int32_t, (size_t)n + 1); // degrees are below n
    if (!s->by_degree || !s->neighbour || !s->mark || !s->queue || !next) {
        thaw_free(next);
        return thaw_error_memory(error, "ordering a graph");
    }
    for (int32_t v = 0; v < n; v++)
        next[degree(s, v) + 1]++;
    for (int32_t d = 0; d < n; d++)
        next[d + 1] += next[d];
    for (int32_t v = 0; v < n; v++)
        s->by_degree[next[degree(s, v)]++] = v;
    memcpy(next, s->offset, (size_t)n * sizeof *next);
    for (int32_t i = 0; i < n; i++) {
        const int32_t v = s->by_degree[i];
        for (int32_t k = s->offset[v]; k < s->offset[v + 1]; k++)
            s->neighbour[next[graph->neighbours[k]]++] = v;
    }
    thaw_free(next);
    return THAW_OK;
}

static void free_search(Search *s) {
    thaw_free(s->by_degree);
    thaw_free(s->neighbour);
    thaw_free(s->mark);
    thaw_free(s->queue);
}

// Breadth-first from `root` into queue. Vertices met get `mark`, a value none of them has yet.
// Returns how many were met; *levels is the number of levels, *last where the last of them begins.
static int32_t search_from(Search *s, int32_t root, int32_t mark, int32_t *queue, int32_t *levels, int32_t *last) {
    int32_t count = 0, level_end = 0;
    queue[count++] = root;
    s->mark[root] = mark;
    *levels = 0;
    for (int32_t i = 0; i < count; i++) {
        if (i == level_end) {
            level_end = count;
            *last = i;
            ++*levels;
        }
        for (int32_t k = s->offset[queue[i]]; k < s->offset[queue[i] + 1]; k++) {
            const int32_t v = s->neighbour[k];
            if (s->mark[v] != mark) {
                s->mark[v] = mark;
                queue[count++] = v;
            }
        }
    }
    return count;
}

// A vertex nearly as far from another one as any pair in its component is. Uses the marks 1 to ROUNDS.
static int32_t find_far_end(Search *s, int32_t root) {
    int32_t most = 0;
    for (int32_t round = 1; round <= ROUNDS; round++) {
        int32_t levels, last;
        const int32_t count = search_from(s, root, round, s->queue, &levels, &last);
        if (levels <= most)
            break;
        most = levels;
        int32_t best = s->queue[last];
        for (int32_t i = last + 1; i < count; i++)
            if (degree(s, s->queue[i]) < degree(s, best))
                best = s->queue[i];
        root = best;
    }
    return root;
}

ThawStatus thaw_graph_order_rcm(const ThawGraph *graph, int32_t *order, ThawError *error) {
    Search s;
    ThawStatus status = create_search(graph, &s, error);
    int32_t done = 0, levels, last;
    for (int32_t i = 0; !status && i < graph->n; i++) // the first one left of a component has its lowest degree
        if (s.mark[s.by_degree[i]] <= ROUNDS)
            done += search_from(&s, find_far_end(&s, s.by_degree[i]), ROUNDS + 1, order + done, &levels, &last);
    for (int32_t i = 0; !status && i < graph->n / 2; i++) {
        const int32_t swap = order[i];
        order[i] = order[graph->n - 1 - i];
        order[graph->n - 1 - i] = swap;
    }
    free_search(&s);
    return status;
}
