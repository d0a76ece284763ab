// SPDX-License-Identifier: Apache-2.0
// Assembly for the map of bones. Elements with free nodes only go the identity map's way. Of the others a node that is
// carried has the rows J of its chain of joints: block K_ab gives J_a'K_ab where b is free, J_a'K_ab J_b where neither
// is.
//
// Threads: chunks of one colour share no vertex, so they meet in no block with a free vertex; what both nodes are
// carried of is put aside, each in a place of its own, and added in order at the end.
#include <string.h>

#include "map/bones/bones.h"
#include "map/scatter.h"
#include "math/rotation.h"

static int is_loose(const ThawBonesMap *self, int32_t vertex) {
    return self->tree->link_of[vertex] == THAW_CARRIED_BY_NONE;
}

// --- pattern ---------------------------------------------------------------------------------------------------------

// Flags the blocks of a link's joints.
static void mark_chain(const ThawBonesMap *self, int32_t link, unsigned char *marked) {
    const ThawSkeleton *tree = self->tree;
    for (int32_t l = link; l >= 0; l = tree->links[l].parent)
        for (int k = 0; k < (tree->links[l].kind == THAW_LINK_BALL ? 3 : 1); k++)
            marked[(tree->links[l].dof + k) / tree->dim] = 1;
}

// Joint blocks that a free vertex is beside, by flags; how many.
static int32_t joints_beside(const ThawBonesMap *self, int32_t vertex, unsigned char *marked) {
    const ThawGraph *graph = self->map.shape->graph;
    int32_t count = 0;
    memset(marked, 0, (size_t)self->joint_blocks);
    for (int32_t k = graph->offset[vertex]; k < graph->offset[vertex + 1]; k++)
        if (!is_loose(self, graph->neighbours[k]))
            mark_chain(self, self->tree->link_of[graph->neighbours[k]], marked);
    for (int32_t b = 0; b < self->joint_blocks; b++)
        count += marked[b];
    return count;
}

ThawStatus thaw_bones_pattern(const ThawMap *map, ThawBlockPattern **pattern, ThawError *error) {
    const ThawBonesMap *self = thaw_bones_of(map);
    const ThawGraph *graph = map->shape->graph;
    const int32_t F = self->free_blocks, B = self->joint_blocks;
    unsigned char *marked = THAW_NEW(unsigned char, (size_t)(F + 1) * (size_t)B + 1);
    int32_t *offset = THAW_NEW(int32_t, map->n + 1), *adjacent = NULL;
    ThawStatus status = marked && offset ? THAW_OK : thaw_error_memory(error, "the matrix pattern");
    size_t total = (size_t)B * (size_t)B;
    for (int32_t i = 0; i < F && status == THAW_OK; i++) {
        const int32_t v = self->vertex_of[i];
        total += 2 * (size_t)joints_beside(self, v, marked + (size_t)i * (size_t)B);
        total += (size_t)(graph->offset[v + 1] - graph->offset[v]);
    }
    if (status == THAW_OK && !(adjacent = THAW_NEW(int32_t, total)))
        status = thaw_error_memory(error, "the matrix pattern");
    int32_t at = 0;
    for (int32_t i = 0; i < F && status == THAW_OK; i++) {
        const int32_t v = self->vertex_of[i];
        for (int32_t k = graph->offset[v]; k < graph->offset[v + 1]; k++)
            if (self->block_of[graph->neighbours[k]] >= 0)
                adjacent[at++] = self->block_of[graph->neighbours[k]];
        for (int32_t b = 0; b < B; b++)
            if (marked[(size_t)i * (size_t)B + (size_t)b])
                adjacent[at++] = F + b;
        offset[i + 1] = at;
    }
    for (int32_t b = 0; b < B && status == THAW_OK; b++) {
        for (int32_t i = 0; i < F; i++)
            if (marked[(size_t)i * (size_t)B + (size_t)b])
                adjacent[at++] = i;
        for (int32_t c = 0; c < B; c++)
            if (c != b)
                adjacent[at++] = F + c;
        offset[F + b + 1] = at;
    }
    if (status == THAW_OK)
        status = thaw_block_pattern_create(map->n, map->shape->dim, offset, adjacent, pattern, error);
    thaw_free(marked);
    thaw_free(offset);
    thaw_free(adjacent);
    return status;
}

ThawStatus thaw_bones_find_slots(ThawBonesMap *self, ThawError *error) {
    const ThawIntegrationSet *set = self->map.set;
    if (self->map.n == 0)
        return THAW_OK;
    ThawBlockPattern *pattern = NULL;
    ThawStatus status = thaw_bones_pattern(&self->map, &pattern, error);
    self->pattern = pattern;
    if (status != THAW_OK)
        return status;
    self->pairs = set->nodes * (set->nodes + 1) / 2;
    self->slot = THAW_NEW(int32_t, (size_t)set->batch_count * (size_t)self->pairs * THAW_LANES);
    self->touches = THAW_NEW(unsigned char, set->batch_count);
    if (!self->slot || !self->touches)
        return thaw_error_memory(error, "the scatter table");
    for (int32_t b = 0; b < set->batch_count; b++) {
        const ThawBatch *batch = &set->batches[b];
        int32_t *slot = self->slot + (size_t)b * (size_t)self->pairs * THAW_LANES;
        for (int a = 0; a < batch->kind->nodes; a++)
            for (int c = 0; c <= a; c++)
                for (int l = 0; l < THAW_LANES; l++) {
                    const int32_t i = batch->vertex[a][l], j = batch->vertex[c][l];
                    const int loose[2] = {is_loose(self, i), is_loose(self, j)};
                    *slot = -1;
                    if (batch->element[l] >= 0 && (!loose[0] || !loose[1]))
                        self->touches[b] = 1;
                    if (batch->element[l] >= 0 && self->block_of[i] >= 0 && self->block_of[j] >= 0)
                        *slot = thaw_block_find(pattern, self->block_of[i], self->block_of[j]);
                    else if (batch->element[l] >= 0 && !loose[0] && !loose[1])
                        *slot = -2 - self->aside_count++;
                    slot++;
                }
    }
    self->aside = THAW_NEW(double, 9 * (size_t)self->aside_count);
    self->aside_vertex = thaw_alloc((size_t)self->aside_count, sizeof *self->aside_vertex);
    return self->aside && self->aside_vertex ? THAW_OK : thaw_error_memory(error, "the scatter table");
}

// --- blocks ----------------------------------------------------------------------------------------------------------

static int columns_of(const ThawBonesMap *self, int32_t vertex, ThawColumn *columns) {
    const int32_t l = self->tree->link_of[vertex];
    double at[3];
    if (l < 0)
        return 0;
    thaw_rotate(self->pose[l].R, self->tree->lever + 3 * (size_t)vertex, at);
    thaw_v3_add(self->pose[l].p, 1, at, at);
    return thaw_tree_columns(self->tree, self->pose, l, at, columns);
}

// J_i'K of a carried node i and a free one j: K is dim x dim, rows of i.
static void add_mixed(const ThawBonesMap *self, int32_t i, int32_t j, const double *K, double *value) {
    const int dim = self->tree->dim;
    ThawColumn columns[THAW_COLUMNS_MAX];
    const int count = self->block_of[j] < 0 ? 0 : columns_of(self, i, columns);
    for (int c = 0; c < count; c++) {
        const int32_t d = columns[c].dof;
        double *block = value + (size_t)thaw_block_find(self->pattern, self->free_blocks + d / dim, self->block_of[j]) *
                                    (size_t)(dim * dim);
        for (int k = 0; k < dim; k++)
            for (int m = 0; m < dim; m++)
                block[dim * (d % dim) + k] += columns[c].v[m] * K[dim * m + k];
    }
}

void thaw_bones_add_blocks(void *context, int32_t batch, const ThawLanes *blocks) {
    const ThawAssembly *assembly = context;
    const ThawBonesMap *self = thaw_bones_of(assembly->map);
    const ThawBatch *elements = &self->map.set->batches[batch];
    const int dim = self->tree->dim, size = dim * dim, nodes = elements->kind->nodes;
    const int32_t *slot = self->slot + (size_t)batch * (size_t)self->pairs * THAW_LANES;
    (dim == 2 ? thaw_scatter_2d : thaw_scatter_3d)(slot, thaw_batch_pairs(elements), blocks, assembly->value);
    for (int a = 0, pair = 0; a < nodes && self->touches[batch]; a++)
        for (int b = 0; b <= a; b++, pair++)
            for (int l = 0; l < THAW_LANES; l++) {
                const int32_t i = elements->vertex[a][l], j = elements->vertex[b][l];
                const int loose[2] = {is_loose(self, i), is_loose(self, j)};
                const int32_t place = slot[pair * THAW_LANES + l];
                double K[9];
                if (elements->element[l] < 0 || (loose[0] && loose[1]))
                    continue;
                for (int r = 0; r < dim; r++)
                    for (int c = 0; c < dim; c++)
                        K[loose[0] ? dim * c + r : dim * r + c] =
                            blocks[(size_t)pair * (size_t)size + (size_t)(dim * r + c)][l];
                if (place <= -2) {
                    memcpy(self->aside + 9 * (size_t)(-2 - place), K, sizeof *K * (size_t)size);
                    self->aside_vertex[-2 - place][0] = i;
                    self->aside_vertex[-2 - place][1] = j;
                } else if (loose[0]) {
                    add_mixed(self, j, i, K, assembly->value);
                } else {
                    add_mixed(self, i, j, K, assembly->value);
                }
            }
}

// Adds to the entry of two rates; above the diagonal of blocks nothing is stored.
static void add_pair(const ThawBonesMap *self, int32_t d, int32_t e, double sum, double *value) {
    const int32_t dim = self->tree->dim, i = d / dim, j = e / dim;
    if (i < j)
        return;
    const int32_t at = thaw_block_find(self->pattern, self->free_blocks + i, self->free_blocks + j);
    value[(size_t)at * (size_t)(dim * dim) + (size_t)(dim * (d % dim) + e % dim)] += sum;
}

void thaw_bones_finish(void *context) {
    const ThawAssembly *assembly = context;
    ThawBonesMap *self = thaw_bones_of(assembly->map);
    const int dim = self->tree->dim;
    ThawColumn a[THAW_COLUMNS_MAX], b[THAW_COLUMNS_MAX];
    for (int32_t k = 0; k < self->aside_count; k++) {
        double *K = self->aside + 9 * (size_t)k;
        const int32_t i = self->aside_vertex[k][0], j = self->aside_vertex[k][1];
        const int rows = columns_of(self, i, a), columns = columns_of(self, j, b);
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < columns; c++) {
                double sum = 0;
                for (int m = 0; m < dim; m++)
                    for (int n = 0; n < dim; n++)
                        sum += a[r].v[m] * K[dim * m + n] * b[c].v[n];
                add_pair(self, a[r].dof, b[c].dof, sum, assembly->value);
                if (i != j)
                    add_pair(self, b[c].dof, a[r].dof, sum, assembly->value);
            }
    }
}

// --- mass ------------------------------------------------------------------------------------------------------------

// Moments by link of weights m.
static const ThawLinkMass *weigh(const ThawBonesMap *self, const double *m) {
    const ThawSkeleton *tree = self->tree;
    if (m == self->map.shape->mass)
        return tree->mass;
    memset(self->mass, 0, sizeof *self->mass * (size_t)tree->link_count);
    for (int32_t i = 0; i < self->map.shape->nv; i++) {
        const double *r = tree->lever + 3 * (size_t)i;
        ThawLinkMass *to = tree->link_of[i] < 0 ? NULL : &self->mass[tree->link_of[i]];
        if (!to)
            continue;
        to->mass += m[i];
        thaw_v3_add(to->first, m[i], r, to->first);
        thaw_v3_add_inertia(m[i], r, to->second);
    }
    return self->mass;
}

// With the masses come Z of joints and the ones of idle unknowns.
void thaw_bones_add_diagonal(const ThawMap *map, const double *m, double scale, ThawBlockMatrix *A) {
    const ThawBonesMap *self = thaw_bones_of(map);
    const ThawSkeleton *tree = self->tree;
    const size_t n = (size_t)tree->dof_count, dim = (size_t)tree->dim;
    for (int32_t i = 0; i < self->free_blocks; i++) {
        double *block = A->value + (size_t)(A->pattern->row[i + 1] - 1) * dim * dim;
        for (size_t k = 0; k < dim; k++)
            block[k * dim + k] += scale * m[self->vertex_of[i]];
    }
    double *H = self->square;
    memset(H, 0, sizeof *H * n * n);
    thaw_tree_add_inertia(tree, self->pose, weigh(self, m), scale, H);
    for (size_t d = 0; d < n; d++) {
        H[d * n + d] += m == map->shape->mass ? scale * self->impedance[d] : 0;
        for (size_t e = 0; e < n; e++)
            add_pair(self, (int32_t)d, (int32_t)e, H[d * n + e], A->value);
    }
    for (size_t d = n; d < (size_t)self->joint_blocks * dim; d++) {
        double *block = A->value + (size_t)(A->pattern->row[map->n] - 1) * dim * dim;
        block[(d % dim) * (dim + 1)] = 1;
    }
}
