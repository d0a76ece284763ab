// SPDX-License-Identifier: Apache-2.0
// Where nodes are: farthest point, one after the other, and a few rounds of Lloyd's, level by level. Nodes of coarser
// levels stay where they are. A level has three times the nodes of the one before.
#include "map/frames/tree.h"

#include <math.h>
#include <string.h>

#include "math/decompose.h"

enum { FACTOR = 3, ROUNDS = 4, COARSE_ROUNDS = 2 };

void thaw_frame_tree_free(ThawFrameTree **pointer) {
    if (!pointer || !*pointer)
        return;
    ThawFrameTree *tree = *pointer;
    thaw_free(tree->vertex);
    thaw_free(tree->parent);
    thaw_free(tree->parent_weight);
    thaw_free(tree->node);
    thaw_free(tree->weight);
    thaw_free(tree);
    *pointer = NULL;
}

static const double *place_of(const ThawShape *shape, int32_t vertex) {
    return shape->X + (size_t)vertex * (size_t)shape->dim;
}

static double between(const ThawShape *shape, const double *a, const double *b) {
    double sum = 0;
    for (int k = 0; k < shape->dim; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum);
}

// Moves nodes from `first` on to the vertices nearest to the centres of mass of their cells, by the table's nearest
// nodes. Returns whether any has moved.
static int centre_nodes(ThawFrameTree *tree, const ThawNearTable *table, int32_t first, int32_t end) {
    const ThawShape *shape = tree->shape;
    double sum[THAW_FRAMES_MAX][4] = {{0}}, least[THAW_FRAMES_MAX];
    int32_t best[THAW_FRAMES_MAX];
    for (int32_t i = 0; i < shape->nv; i++) {
        if (table->count[i] == 0)
            continue;
        double *s = sum[table->near[(size_t)i * THAW_NEAR_MAX].node];
        for (int k = 0; k < shape->dim; k++)
            s[k] += shape->mass[i] * place_of(shape, i)[k];
        s[3] += shape->mass[i];
    }
    for (int32_t n = 0; n < end; n++) {
        least[n] = INFINITY;
        best[n] = tree->vertex[n];
        for (int k = 0; k < shape->dim && sum[n][3] > 0; k++)
            sum[n][k] /= sum[n][3];
    }
    for (int32_t i = 0; i < shape->nv; i++) {
        if (table->count[i] == 0)
            continue;
        const int32_t n = table->near[(size_t)i * THAW_NEAR_MAX].node;
        const double far = between(shape, place_of(shape, i), sum[n]);
        if (far < least[n] * (1 - 1e-9)) { // of equally near ones the first, whatever the rounding
            least[n] = far;
            best[n] = i;
        }
    }
    int moved = 0;
    for (int32_t n = first; n < end; n++) {
        moved |= best[n] != tree->vertex[n];
        tree->vertex[n] = best[n];
    }
    return moved;
}

// The vertex farthest from all nodes; -1: all of them are at a node.
static int32_t farthest(const ThawNearTable *table) {
    double most = 0;
    int32_t best = -1;
    for (int32_t i = 0; i < table->shape->nv; i++) {
        const double d = table->count[i] > 0 ? table->near[(size_t)i * THAW_NEAR_MAX].distance : INFINITY;
        if (d > most * (1 + 1e-9)) {
            most = d;
            best = i;
        }
    }
    return best;
}

static ThawStatus place_level(ThawFrameTree *tree, ThawNearTable *table, int32_t wanted, int rounds, ThawError *error) {
    const int32_t first = tree->count;
    ThawStatus status = thaw_near_find(table, 1, tree->count, tree->vertex, error);
    while (status == THAW_OK && tree->count < wanted) {
        const int32_t next = tree->count == 0 ? 0 : farthest(table);
        if (next < 0)
            break;
        tree->vertex[tree->count] = next;
        status = thaw_near_add(table, tree->count++, next, error);
    }
    for (int round = 0; round < rounds && status == THAW_OK; round++) {
        if (!centre_nodes(tree, table, first, tree->count))
            break;
        status = thaw_near_find(table, 1, tree->count, tree->vertex, error);
    }
    return status;
}

static double mean_spacing(const ThawFrameTree *tree, int32_t count) {
    double sum = 0;
    for (int32_t a = 0; a < count; a++) {
        double least = INFINITY;
        for (int32_t b = 0; b < count; b++)
            if (b != a)
                least = fmin(least, between(tree->shape, place_of(tree->shape, tree->vertex[a]),
                                            place_of(tree->shape, tree->vertex[b])));
        sum += count > 1 ? least : tree->shape->diameter;
    }
    return sum / count;
}

// How many axes the first nodes spread along, 1 to dim: the others are narrow beside the way from node to node.
static int spread_axes(const ThawFrameTree *tree, int32_t count, double spacing) {
    const ThawShape *shape = tree->shape;
    double mean[3] = {0}, C[9] = {0}, lambda[3], Q[9];
    for (int32_t n = 0; n < count; n++)
        for (int k = 0; k < shape->dim; k++)
            mean[k] += place_of(shape, tree->vertex[n])[k] / count;
    for (int32_t n = 0; n < count; n++)
        for (int i = 0; i < shape->dim; i++)
            for (int k = 0; k < shape->dim; k++)
                C[3 * i + k] += (place_of(shape, tree->vertex[n])[i] - mean[i]) *
                                (place_of(shape, tree->vertex[n])[k] - mean[k]) / count;
    thaw_eigen_sym3(C, lambda, Q);
    int axes = 0;
    for (int k = 0; k < 3; k++)
        axes += lambda[k] > spacing * spacing / 16;
    return axes > 0 ? axes : 1;
}

// Levels from the root to `count` nodes, and how nodes follow those of the level before.
static ThawStatus grow(ThawFrameTree *tree, ThawNearTable *table, int32_t count, ThawError *error) {
    int32_t sizes[THAW_FRAME_LEVELS_MAX], levels = 0;
    for (int32_t n = count; levels<THAW_FRAME_LEVELS_MAX; n = n> FACTOR ? n / FACTOR : 1) {
        sizes[levels++] = n;
        if (n == 1)
            break;
    }
    ThawStatus status = THAW_OK;
    for (int32_t l = levels - 1; l >= 0 && status == THAW_OK; l--) {
        const int32_t before = tree->count;
        status = place_level(tree, table, sizes[l], l > 0 ? COARSE_ROUNDS : ROUNDS, error);
        if (status != THAW_OK || tree->count == before) // no more vertices
            break;
        const int level = tree->levels++;
        tree->end[level] = tree->count;
        tree->spacing[level] = mean_spacing(tree, tree->count);
        for (int32_t n = before; n < tree->count; n++)
            memset(tree->parent + (size_t)n * THAW_INFLUENCES_MAX, 0xff, sizeof(int32_t) * THAW_INFLUENCES_MAX);
        if (before == 0)
            continue;
        status = thaw_near_find(table, THAW_NEAR_MAX, before, tree->vertex, error);
        const int axes = spread_axes(tree, before, tree->spacing[level - 1]);
        for (int32_t n = before; n < tree->count && status == THAW_OK; n++)
            thaw_frame_weights(table, tree->weights, tree->vertex, axes, tree->vertex[n],
                               tree->parent + (size_t)n * THAW_INFLUENCES_MAX,
                               tree->parent_weight + (size_t)n * THAW_INFLUENCES_MAX);
    }
    return status;
}

ThawStatus thaw_frame_tree_create(const ThawShape *shape, int32_t count, ThawFrameWeights weights,
                                  ThawFrameTree **result, ThawError *error) {
    ThawNearTable table = {0};
    ThawFrameTree *tree = THAW_NEW(ThawFrameTree, 1);
    *result = NULL;
    if (!tree)
        return thaw_error_memory(error, "frames");
    tree->shape = shape;
    tree->weights = weights;
    const size_t influences = (size_t)shape->nv * THAW_INFLUENCES_MAX;
    tree->vertex = THAW_NEW(int32_t, count);
    tree->parent = THAW_NEW(int32_t, (size_t)count * THAW_INFLUENCES_MAX);
    tree->parent_weight = THAW_NEW(double, (size_t)count *THAW_INFLUENCES_MAX);
    tree->node = THAW_NEW(int32_t, influences);
    tree->weight = THAW_NEW(double, influences);
    ThawStatus status = tree->vertex && tree->parent && tree->parent_weight && tree->node && tree->weight
                            ? thaw_near_create(shape, &table, error)
                            : thaw_error_memory(error, "frames");
    if (status == THAW_OK)
        status = grow(tree, &table, count, error);
    if (status == THAW_OK)
        status = thaw_near_find(&table, THAW_NEAR_MAX, tree->count, tree->vertex, error);
    if (status == THAW_OK) {
        const int axes = spread_axes(tree, tree->count, tree->spacing[tree->levels - 1]);
        for (int32_t i = 0; i < shape->nv; i++)
            thaw_frame_weights(&table, weights, tree->vertex, axes, i, tree->node + (size_t)i * THAW_INFLUENCES_MAX,
                               tree->weight + (size_t)i * THAW_INFLUENCES_MAX);
        *result = tree;
    } else
        thaw_frame_tree_free(&tree);
    thaw_near_clear(&table);
    return status;
}
