// SPDX-License-Identifier: Apache-2.0
// Nodes of frames, and how a body's vertices hang on them.
//
// "Seamless adaptivity of elastic models" (Tournier, Nesme, Faure, Gilles 2014), section 5.2: nodes are placed level by
// level, each level on top of the coarser ones; a node that is not active follows the coarser nodes by their shape
// functions at its place, and so do vertices by way of their nodes (equations 3 to 5). So the motions of any set of
// active nodes are among those of any set that contains it. docs/frames.md has what is done otherwise than there.
//
// All of it follows from mesh and materials alone: a tree is const once made, and bodies of a shape share it.
#ifndef THAW_FRAMES_TREE_H
#define THAW_FRAMES_TREE_H

#include "model/model.h"

enum { THAW_FRAMES_MAX = 128, THAW_FRAME_LEVELS_MAX = 8, THAW_INFLUENCES_MAX = 8 };

typedef enum ThawFrameWeights {
    THAW_FRAME_KERNEL, // a kernel, corrected so that linear fields are exact
    THAW_FRAME_RATIO,  // the paper's ratios of distances
    THAW_FRAME_WEIGHTS_COUNT
} ThawFrameWeights;

typedef struct ThawFrameTree {
    const ThawShape *shape;
    ThawFrameWeights weights;
    int32_t count;                         // nodes, the root first, level by level
    int levels;                            // at least 1
    int32_t end[THAW_FRAME_LEVELS_MAX];    // nodes of levels 0 to l
    double spacing[THAW_FRAME_LEVELS_MAX]; // m, from node to nearest node, mean of the nodes of levels 0 to l
    int32_t *vertex;                       // count: where they are
    int32_t *parent;                       // count * THAW_INFLUENCES_MAX: coarser nodes that it follows, -1 behind them
    double *parent_weight;                 // and by how much; their sum is 1
    int32_t *node;                         // nv * THAW_INFLUENCES_MAX, likewise, of vertices
    double *weight;
} ThawFrameTree;

// Up to `count` nodes; fewer where the mesh has not so many vertices.
ThawStatus thaw_frame_tree_create(const ThawShape *shape, int32_t count, ThawFrameWeights weights, ThawFrameTree **tree,
                                  ThawError *error);
void thaw_frame_tree_free(ThawFrameTree **tree);

// The level of a node.
static inline int thaw_frame_level(const ThawFrameTree *tree, int32_t node) {
    int level = 0;
    while (node >= tree->end[level])
        level++;
    return level;
}

// Vertices on the active nodes, which are its frames: contraction (5), coarse to fine.
typedef struct ThawBlend {
    int32_t frames;
    int32_t *node;   // frames: of the tree, ascending
    int32_t *offset; // nv + 1
    int32_t *frame;  // offset[nv], ascending for each vertex
    double *weight;
    int32_t most; // of a vertex
} ThawBlend;

// active: count flags; the root counts as active. NULL: all are.
ThawStatus thaw_blend_create(const ThawFrameTree *tree, const unsigned char *active, ThawBlend *blend,
                             ThawError *error);
void thaw_blend_clear(ThawBlend *blend);

// --- what they are made of (near.c, weights.c) -----------------------------------------------------------------------

enum { THAW_NEAR_MAX = THAW_INFLUENCES_MAX + 2 };
typedef struct ThawNear {
    double distance; // m
    int32_t node;
} ThawNear;
typedef struct ThawNearTable {
    const ThawShape *shape;
    double *length; // of the graph's edges, m, as long as they count: soft parts are long
    int most;       // nearest ones that are kept for each vertex, at most THAW_NEAR_MAX
    int32_t *count; // nv
    ThawNear *near; // nv * THAW_NEAR_MAX, nearest first
} ThawNearTable;
ThawStatus thaw_near_create(const ThawShape *shape, ThawNearTable *table, ThawError *error);
void thaw_near_clear(ThawNearTable *table);
// The nearest `most` of nodes at these vertices, along edges. And one more node, where `most` is 1.
ThawStatus thaw_near_find(ThawNearTable *table, int most, int32_t count, const int32_t *vertex, ThawError *error);
ThawStatus thaw_near_add(ThawNearTable *table, int32_t node, int32_t vertex, ThawError *error);
// Shape functions at a vertex of nodes at those vertices: THAW_INFLUENCES_MAX nodes and weights. axes: how many the
// nodes spread along.
void thaw_frame_weights(const ThawNearTable *table, ThawFrameWeights kind, const int32_t *vertices, int axes,
                        int32_t vertex, int32_t *node, double *weight);

#endif
