// SPDX-License-Identifier: Apache-2.0
// What orders of elimination are made of (order.c): graphs with weights and how one is split in two (dissect_split.c,
// dissect_refine.c), minimum degree (degree.c). Everything is integer arithmetic with a random stream of its own, so
// the order is a function of the graph on every machine.
#ifndef THAW_DISSECT_H
#define THAW_DISSECT_H

#include "base/base.h"

// Vertices with weights, edges with weights, both directions present, no loops.
typedef struct ThawWeb {
    int32_t n, total;   // total: sum of the vertices' weights
    int32_t *offset;    // n + 1
    int32_t *neighbour; // offset[n]
    int32_t *edge;      // offset[n]: how many original edges an edge stands for
    int32_t *weight;    // n: how many original vertices a vertex stands for
} ThawWeb;

ThawStatus thaw_web_create(int32_t n, int32_t ends, ThawWeb **web, ThawError *error); // ends: offset[n]
void thaw_web_free(ThawWeb **web);

enum { THAW_LEFT, THAW_RIGHT, THAW_SEPARATOR };

// Divides a web into two sides of similar weight that no edge joins, and a light separator: side[v] is one of the three
// above. Either side may come out empty when there is nothing to separate (a complete graph).
ThawStatus thaw_web_split(const ThawWeb *web, unsigned char *side, ThawError *error);
// The same at an eighth of the cost, with a separator that is somewhat heavier.
ThawStatus thaw_web_halve(const ThawWeb *web, unsigned char *side, ThawError *error);
// Twice as long, and hardly any heavier.
ThawStatus thaw_web_halve_well(const ThawWeb *web, unsigned char *side, ThawError *error);

// Scratch of thaw_separator_refine for webs of up to `room` vertices.
typedef struct ThawRefiner {
    int32_t *gain[2];  // of a separator vertex, if it moved to a side
    int32_t *heap[2];  // separator vertices, largest gain first, the lowest vertex on a tie
    int32_t *place[2]; // where they are in it, -1: nowhere
    int32_t count[2];
    int32_t *move;       // the log of a pass: vertices in the order they changed sides
    unsigned char *kept; // moved already in this pass
} ThawRefiner;

ThawStatus thaw_refiner_create(int32_t room, ThawRefiner **refiner, ThawError *error);
void thaw_refiner_free(ThawRefiner **refiner);

// How good a split is; smaller is better, member by member.
typedef struct ThawSplitCost {
    int32_t excess;    // by which the heavier side is beyond what is allowed
    int32_t separator; // weight
    int32_t imbalance; // difference of the sides' weights
} ThawSplitCost;
int thaw_split_better(ThawSplitCost a, ThawSplitCost b);

// Improves a split in place and returns what it costs.
ThawSplitCost thaw_separator_refine(const ThawWeb *web, ThawRefiner *refiner, unsigned char *side);

// --- degree.c --------------------------------------------------------------------------------------------------------

// Orders vertices [0, frozen) of a graph by minimum degree; the others stay, and only their neighbours below `frozen`
// need be listed. Neighbours of i are neighbour[offset[i] .. offset[i + 1]), both directions, no loops. Vertex order[k]
// is eliminated k-th.
ThawStatus thaw_degree_order(int32_t n, int32_t frozen, const int32_t *offset, const int32_t *neighbour, int32_t *order,
                             ThawError *error);

#endif
