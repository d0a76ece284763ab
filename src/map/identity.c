// SPDX-License-Identifier: Apache-2.0
// The identity map: full elastic dynamics, against which every adaptive method is measured. G selects the vertices that
// are not scripted, in their order; w is the velocity of the scripted ones. G'AG is A without the scripted rows and
// columns, so element blocks go straight to their places, found once when the map is made.
#include <string.h>

#include "map/map.h"
#include "map/scatter.h"

typedef struct IdentityMap {
    ThawMap map;
    int32_t *block_of;  // nv: block of q, -1 if scripted
    int32_t *vertex_of; // n: its vertex
    int32_t *slot;      // batch * pairs * lanes: position of block (a, b) in the pattern, -1 if dropped
    int32_t pairs;      // blocks an element, of the kind with most
} IdentityMap;

static const IdentityMap *self_of(const ThawMap *map) { return (const IdentityMap *)map; }

static void apply_identity(const ThawMap *map, const double *q, const double *w, double *v) {
    const IdentityMap *self = self_of(map);
    int dim = map->shape->dim;
    for (int32_t i = 0; i < map->shape->nv; i++) {
        int32_t block = self->block_of[i];
        for (int k = 0; k < dim; k++)
            v[(size_t)i * dim + k] = thaw_offset(block >= 0 ? q + (size_t)block * dim : NULL, w, (size_t)i * dim, k);
    }
}

static void apply_t_identity(const ThawMap *map, const double *f, double *r) {
    thaw_pick(map->shape->dim, map->n, self_of(map)->vertex_of, f, r);
}

static void project_identity(const ThawMap *map, const double *w, const double *v, double *q) {
    thaw_pick_difference(map->shape->dim, map->n, self_of(map)->vertex_of, v, w, q);
}

static void advance_identity(const ThawMap *map, double h, const double *x0, const double *q, const double *v,
                             double *x1) {
    (void)q;
    size_t count = (size_t)map->shape->nv * (size_t)map->shape->dim;
    for (size_t i = 0; i < count; i++)
        x1[i] = x0[i] + h * v[i];
}

static ThawStatus pattern_identity(const ThawMap *map, ThawBlockPattern **pattern, ThawError *error) {
    const IdentityMap *self = self_of(map);
    const ThawShape *shape = map->shape;
    int32_t *row = THAW_NEW(int32_t, map->n + 1), *adjacent = THAW_NEW(int32_t, shape->graph->offset[shape->nv]);
    ThawStatus status = row && adjacent ? THAW_OK : thaw_error_memory(error, "the matrix pattern");
    for (int32_t i = 0; status == THAW_OK && i < map->n; i++) {
        int32_t v = self->vertex_of[i];
        row[i + 1] = row[i];
        for (int32_t k = shape->graph->offset[v]; k < shape->graph->offset[v + 1]; k++)
            if (self->block_of[shape->graph->neighbours[k]] >= 0)
                adjacent[row[i + 1]++] = self->block_of[shape->graph->neighbours[k]];
    }
    if (status == THAW_OK)
        status = thaw_block_pattern_create(map->n, shape->dim, row, adjacent, pattern, error);
    thaw_free(row);
    thaw_free(adjacent);
    return status;
}

static int rows_identity(const ThawMap *map, int32_t vertex, int32_t *block, double (*matrix)[9]) {
    int dim = map->shape->dim;
    block[0] = self_of(map)->block_of[vertex];
    for (int i = 0; i < dim * dim; i++)
        matrix[0][i] = i % (dim + 1) == 0;
    return block[0] >= 0;
}

static void add_diagonal_identity(const ThawMap *map, const double *m, double scale, ThawBlockMatrix *A) {
    const IdentityMap *self = self_of(map);
    int dim = map->shape->dim;
    for (int32_t i = 0; i < map->n; i++) {
        double *block = A->value + (size_t)(A->pattern->row[i + 1] - 1) * dim * dim;
        for (int k = 0; k < dim; k++)
            block[k * dim + k] += scale * m[self->vertex_of[i]];
    }
}

static void add_blocks_3d(void *context, int32_t batch, const ThawLanes *blocks) {
    const ThawAssembly *assembly = context;
    const IdentityMap *self = self_of(assembly->map);
    thaw_scatter_3d(self->slot + (size_t)batch * self->pairs * THAW_LANES,
                    thaw_batch_pairs(&self->map.set->batches[batch]), blocks, assembly->value);
}

static void add_blocks_2d(void *context, int32_t batch, const ThawLanes *blocks) {
    const ThawAssembly *assembly = context;
    const IdentityMap *self = self_of(assembly->map);
    thaw_scatter_2d(self->slot + (size_t)batch * self->pairs * THAW_LANES,
                    thaw_batch_pairs(&self->map.set->batches[batch]), blocks, assembly->value);
}

static void free_identity(ThawMap *map) {
    IdentityMap *self = (IdentityMap *)map;
    thaw_free(self->block_of);
    thaw_free(self->vertex_of);
    thaw_free(self->slot);
    thaw_free(self);
}

enum { LAWS = THAW_MAP_KEEPS_MOMENTUM | THAW_MAP_ADVANCES_LINEARLY | THAW_MAP_CAN_BE_FULL | THAW_MAP_TURNS };

#define IDENTITY_OPS(blocks)                                                                                           \
    {                                                                                                                  \
        .name = "full", .laws = LAWS, .apply = apply_identity, .apply_t = apply_t_identity,                            \
        .project = project_identity, .advance = advance_identity, .pattern = pattern_identity,                         \
        .add_diagonal = add_diagonal_identity, .add_blocks = blocks, .free = free_identity, .rows = rows_identity,     \
        .places = apply_t_identity                                                                                     \
    }

static const ThawMapOps IDENTITY_2D = IDENTITY_OPS(add_blocks_2d);
static const ThawMapOps IDENTITY_3D = IDENTITY_OPS(add_blocks_3d);

// Where each element block goes. A batch's unused lanes carry weight 0 and go nowhere.
static ThawStatus find_slots(IdentityMap *self, ThawError *error) {
    const ThawIntegrationSet *set = self->map.set;
    if (self->map.n == 0) // everything is scripted: nothing will ever be assembled
        return THAW_OK;
    ThawBlockPattern *pattern = NULL;
    ThawStatus status = pattern_identity(&self->map, &pattern, error);
    if (status != THAW_OK)
        return status;
    self->slot = THAW_NEW(int32_t, (size_t)set->batch_count * (size_t)self->pairs * THAW_LANES);
    if (!self->slot)
        status = thaw_error_memory(error, "the scatter table");
    for (int32_t b = 0; status == THAW_OK && b < set->batch_count; b++) {
        const ThawBatch *batch = &set->batches[b];
        int32_t *slot = self->slot + (size_t)b * (size_t)self->pairs * THAW_LANES;
        for (int a = 0; a < batch->kind->nodes; a++)
            for (int c = 0; c <= a; c++)
                for (int l = 0; l < THAW_LANES; l++) {
                    int32_t i = self->block_of[batch->vertex[a][l]], j = self->block_of[batch->vertex[c][l]];
                    *slot++ = batch->element[l] < 0 || i < 0 || j < 0 ? -1 : thaw_block_find(pattern, i, j);
                }
    }
    thaw_block_pattern_free(&pattern);
    return status;
}

ThawStatus thaw_map_identity_create(const ThawShape *shape, const unsigned char *scripted, ThawMap **map,
                                    ThawError *error) {
    *map = NULL;
    IdentityMap *self = THAW_NEW(IdentityMap, 1);
    if (!self)
        return thaw_error_memory(error, "the map");
    self->map = (ThawMap){.ops = shape->dim == 2 ? &IDENTITY_2D : &IDENTITY_3D, .shape = shape, .set = shape->all};
    self->map.row_blocks = 1;
    self->pairs = shape->all->nodes * (shape->all->nodes + 1) / 2;
    self->block_of = THAW_NEW(int32_t, shape->nv);
    self->vertex_of = THAW_NEW(int32_t, shape->nv);
    ThawStatus status = self->block_of && self->vertex_of ? THAW_OK : thaw_error_memory(error, "the map");
    if (status == THAW_OK) {
        for (int32_t i = 0; i < shape->nv; i++) {
            self->block_of[i] = scripted[i] ? -1 : self->map.n;
            if (!scripted[i])
                self->vertex_of[self->map.n++] = i;
        }
        status = find_slots(self, error);
    }
    if (status != THAW_OK) {
        free_identity(&self->map);
        return status;
    }
    *map = &self->map;
    return THAW_OK;
}
