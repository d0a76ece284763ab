// SPDX-License-Identifier: Apache-2.0
// Minimum degree: next is eliminated the variable with the fewest neighbours in the graph as elimination has left it
// (Tinney and Walker 1967). The best order of small systems, and of the pieces that nested dissection (order.c) ends
// with.
//
// That graph is never formed. It is a quotient graph (George and Liu 1981): an eliminated vertex stays as an element,
// the clique of its neighbours, known by its list of variables; a variable knows its elements and those original
// neighbours that no element tells of. A new element absorbs the elements it was made of, so lists only get shorter, in
// place. On top of that (Amestoy, Davis and Duff 1996):
//   degree        not counted but bounded from above: |A_i| + |L_p| + sum over elements e of |L_e \ L_p|, whose terms
//   are
//                 found for all variables of the new element L_p at once
//   absorption    an element within L_p tells nothing new and goes
//   alike         variables with the same elements and neighbours stay alike: they are merged, and are eliminated
//   together
//   at once       a variable without anything beyond L_p is eliminated along with p
// Vertices that are never eliminated (the halo of a piece, Pellegrini, Roman and Amestoy 2000) have elements and count
// in degrees. Vertices with very many neighbours, such as rigid parts, come last and are not looked at: they would be
// in every list.
//
// Cost: about that of a few passes over the edges. A function of the graph alone.
#include <string.h>

#include "sparse/dissect.h"

// Vertices and elements share their numbers: an element has that of the vertex it comes from.
typedef struct Quotient {
    int32_t n, frozen;                  // those from `frozen` on are never eliminated
    int32_t left;                       // vertices that are not eliminated yet
    int32_t *list;                      // a variable's elements, then its variables; an element's variables
    size_t end, room;                   // of list
    int32_t *start, *length, *elements; // of lists; how many of a variable's entries are elements
    int32_t *weight;                    // vertices that a variable stands for; 0: none (any more); negated while in L_p
    int32_t *degree;                    // of a variable, a bound; of an element, the weight of its variables
    int32_t *mark, tag;                 // of an element e: 0 if absorbed, tag + |L_e \ L_p| while p is eliminated
    int32_t *next, *before, *head;      // lists of variables of equal degree, and then of equal hash
    int32_t *bucket;                    // heads of the latter
    int32_t *into;                      // the variable it was merged into, at first itself; -1: too many neighbours
    int32_t least;                      // no variable has a lower degree
} Quotient;

// --- variables by degree ---------------------------------------------------------------------------------------------

static void link_degree(Quotient *q, int32_t i) {
    int32_t d = q->degree[i], first = q->head[d];
    q->next[i] = first;
    q->before[i] = -1;
    if (first >= 0)
        q->before[first] = i;
    q->head[d] = i;
    if (d < q->least)
        q->least = d;
}

static void unlink_degree(Quotient *q, int32_t i) {
    if (q->next[i] >= 0)
        q->before[q->next[i]] = q->before[i];
    if (q->before[i] >= 0)
        q->next[q->before[i]] = q->next[i];
    else
        q->head[q->degree[i]] = q->next[i];
}

// --- one elimination -------------------------------------------------------------------------------------------------

static int32_t gather_list(Quotient *q, const int32_t *from, int32_t count) {
    int32_t sum = 0;
    for (int32_t k = 0; k < count; k++) {
        int32_t i = from[k], weight = q->weight[i];
        if (weight <= 0)
            continue;
        sum += weight;
        q->weight[i] = -weight;
        q->list[q->end++] = i;
        if (i < q->frozen)
            unlink_degree(q, i);
    }
    return sum;
}

// Makes p the element of all its neighbours, which absorbs p's elements. There is room for n variables.
static void make_element(Quotient *q, int32_t p) {
    const int32_t *own = q->list + q->start[p];
    int32_t sum = 0;
    size_t first = q->end;
    q->weight[p] = -q->weight[p];
    for (int32_t k = 0; k < q->elements[p]; k++) {
        int32_t e = own[k];
        if (q->mark[e] != 0)
            sum += gather_list(q, q->list + q->start[e], q->length[e]);
        q->mark[e] = 0;
    }
    sum += gather_list(q, own + q->elements[p], q->length[p] - q->elements[p]);
    q->start[p] = (int32_t)first;
    q->length[p] = (int32_t)(q->end - first);
    q->degree[p] = sum;
    q->mark[p] = 1;
}

// mark[e] - tag = |L_e \ L_p| for every element e that shares a variable with p.
static void weigh_differences(Quotient *q, const int32_t *member, int32_t count) {
    for (int32_t k = 0; k < count; k++) {
        int32_t weight = -q->weight[member[k]];
        const int32_t *own = q->list + q->start[member[k]];
        for (int32_t m = 0; m < q->elements[member[k]]; m++) {
            int32_t mark = q->mark[own[m]];
            if (mark != 0)
                q->mark[own[m]] = (mark >= q->tag ? mark : q->degree[own[m]] + q->tag) - weight;
        }
    }
}

// Takes out of i's lists what p tells already, puts p in, and bounds the degree. Returns the hash of the lists; -1: i
// has nothing but p.
static int32_t renew_variable(Quotient *q, int32_t p, int32_t i) {
    int32_t *own = q->list + q->start[i], kept = 0, elements = q->elements[i], length = q->length[i], degree = 0;
    uint32_t hash = 0;
    for (int32_t k = 0; k < elements; k++) {
        int32_t e = own[k], mark = q->mark[e];
        if (mark == 0)
            continue;
        if (mark == q->tag) { // all of it is in p
            q->mark[e] = 0;
            continue;
        }
        degree += mark - q->tag;
        hash += (uint32_t)e;
        own[kept++] = e;
    }
    q->elements[i] = kept + 1;
    for (int32_t k = elements; k < length; k++) {
        int32_t j = own[k];
        if (q->weight[j] <= 0)
            continue;
        degree += q->weight[j];
        hash += (uint32_t)j;
        own[kept++] = j;
    }
    // At least one entry has gone: the way by which p reached i.
    own[kept] = own[q->elements[i] - 1];
    own[q->elements[i] - 1] = p;
    q->length[i] = kept + 1;
    if (degree < q->degree[i])
        q->degree[i] = degree;
    return kept == 0 ? -1 : (int32_t)(hash % (uint32_t)q->n);
}

// Merges variables with the same lists; all of a bucket have the same hash.
static void merge_alike(Quotient *q, int32_t first) {
    for (int32_t i = first; i >= 0 && q->next[i] >= 0; i = q->next[i]) {
        const int32_t *own = q->list + q->start[i];
        int32_t length = q->length[i];
        q->tag++;
        for (int32_t k = 0; k < length; k++) // what is marked is not absorbed; nothing more is asked of it from here on
            q->mark[own[k]] = q->tag;
        for (int32_t last = i, j = q->next[i]; j >= 0; j = q->next[j]) {
            const int32_t *other = q->list + q->start[j];
            int alike =
                q->length[j] == length && q->elements[j] == q->elements[i] && (i < q->frozen) == (j < q->frozen);
            for (int32_t k = 0; alike && k < length; k++)
                alike = q->mark[other[k]] == q->tag;
            if (alike) {
                q->weight[i] += q->weight[j];
                q->weight[j] = 0;
                q->into[j] = i;
                q->next[last] = q->next[j];
            } else {
                last = j;
            }
        }
    }
}

static void eliminate(Quotient *q, int32_t p) {
    if (q->tag > INT32_MAX - 4 * (q->n + 1)) {
        for (int32_t e = 0; e < q->n; e++)
            q->mark[e] = q->mark[e] != 0;
        q->tag = 1;
    }
    q->tag++;
    unlink_degree(q, p);
    make_element(q, p);
    int32_t *member = q->list + q->start[p], count = q->length[p], kept = 0;
    weigh_differences(q, member, count);
    for (int32_t k = 0; k < count; k++) {
        int32_t i = member[k], hash = renew_variable(q, p, i);
        if (hash < 0 && i < q->frozen) {
            q->into[i] = p;
            q->degree[p] += q->weight[i];
            q->weight[p] += q->weight[i];
            q->weight[i] = 0;
            continue;
        }
        hash = hash < 0 ? 0 : hash;
        q->before[i] = hash;
        q->next[i] = q->bucket[hash];
        q->bucket[hash] = i;
    }
    q->left += q->weight[p];
    q->tag += q->n;
    for (int32_t k = 0; k < count; k++) {
        int32_t i = member[k], hash = q->before[i];
        if (q->weight[i] == 0 || q->bucket[hash] < 0)
            continue;
        merge_alike(q, q->bucket[hash]);
        q->bucket[hash] = -1;
    }
    for (int32_t k = 0; k < count; k++) {
        int32_t i = member[k], weight = q->weight[i] = -q->weight[i];
        if (weight == 0)
            continue;
        member[kept++] = i;
        int32_t degree = q->degree[i] + q->degree[p] - weight, most = q->left - weight;
        q->degree[i] = degree < most ? degree : most;
        if (i < q->frozen)
            link_degree(q, i);
    }
    q->length[p] = kept;
    q->end = (size_t)(member - q->list) + (size_t)kept;
    q->weight[p] = 0;
}

// --- all -------------------------------------------------------------------------------------------------------------

static int fill_quotient(Quotient *q, const int32_t *offset, const int32_t *neighbour, int32_t *memory) {
    int32_t n = q->n, **arrays[] = {&q->start, &q->length, &q->elements, &q->weight, &q->degree, &q->mark,
                                    &q->next,  &q->before, &q->head,     &q->bucket, &q->into};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        *arrays[k] = memory + k * (size_t)n;
    q->room = (size_t)offset[n] + (size_t)offset[n] / 2 + 2 * (size_t)n;
    q->list = THAW_NEW(int32_t, q->room);
    if (!q->list)
        return 0;
    int64_t many = 16; // neighbours: 10 sqrt(n), as others have found good
    while (many * many < 100 * (int64_t)n)
        many++;
    q->tag = 1;
    for (int32_t i = 0; i < n; i++) {
        q->head[i] = q->bucket[i] = -1;
        q->weight[i] = offset[i + 1] - offset[i] <= many;
        q->into[i] = q->weight[i] ? i : -1;
        q->left += q->weight[i];
    }
    for (int32_t i = 0; i < n; i++) {
        q->start[i] = (int32_t)q->end;
        for (int32_t e = offset[i]; e < offset[i + 1]; e++)
            if (q->weight[neighbour[e]])
                q->list[q->end++] = neighbour[e];
        q->length[i] = q->degree[i] = (int32_t)q->end - q->start[i];
    }
    for (int32_t i = q->frozen - 1; i >= 0; i--) // of equals, the lowest number first
        if (q->weight[i])
            link_degree(q, i);
    return 1;
}

// Pivots in their order, each with those merged into it, by number; in the end those with very many neighbours.
static void list_order(Quotient *q, const int32_t *pivot, int32_t pivots, int32_t *order) {
    int32_t *first = q->head, *next = q->next, count = 0;
    memset(first, -1, sizeof *first * (size_t)q->n);
    for (int32_t i = q->frozen - 1; i >= 0; i--) {
        int32_t root = i;
        while (q->into[root] >= 0 && q->into[root] != root)
            root = q->into[root];
        next[i] = first[root];
        first[root] = i;
    }
    for (int32_t k = 0; k < pivots; k++)
        for (int32_t i = first[pivot[k]]; i >= 0; i = next[i])
            order[count++] = i;
    for (int32_t i = 0; i < q->frozen; i++)
        if (q->into[i] < 0)
            order[count++] = i;
}

ThawStatus thaw_degree_order(int32_t n, int32_t frozen, const int32_t *offset, const int32_t *neighbour, int32_t *order,
                             ThawError *error) {
    enum { ARRAYS = 11 };
    Quotient q = {.n = n, .frozen = frozen};
    int32_t *memory = THAW_NEW(int32_t, (ARRAYS + 1) * (size_t)n), count = 0;
    int32_t *pivot = memory ? memory + ARRAYS * (size_t)n : NULL;
    int good = memory && fill_quotient(&q, offset, neighbour, memory);
    while (good) {
        while (q.least < n && q.head[q.least] < 0)
            q.least++;
        if (q.least == n)
            break;
        if (q.end + (size_t)q.left > q.room) {
            int32_t *list = thaw_regrow(q.list, q.end, 2 * q.room, sizeof *list);
            if (!(good = list != NULL))
                break;
            q.list = list;
            q.room *= 2;
        }
        eliminate(&q, pivot[count++] = q.head[q.least]);
    }
    if (good)
        list_order(&q, pivot, count, order);
    thaw_free(q.list);
    thaw_free(memory);
    return good ? THAW_OK : thaw_error_memory(error, "minimum degree");
}
