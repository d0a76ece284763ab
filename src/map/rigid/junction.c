// SPDX-License-Identifier: Apache-2.0
// Assembly for the rigid map (solids paper, equations 10 and 11), straight from the blocks of elastic elements.
//
// Those that touch no part go the identity map's way. Of the others ("junctions") a node has the factor I (elastic
// vertex, v of a part) and the lever B = -rho^x (omega; for a spin its one column axis x rho), so each element block
// H_ab gives up to four: H, H B_b, B_a'H, B_a'H B_b. These are computed for eight elements at once, then summed,
// element by element, to the few blocks that its unknowns have before they go to the matrix.
//
// Threads: chunks of one colour share no vertex, so they meet in no block that has an elastic vertex in its row or
// column; but they may meet in blocks of parts alone. Those are summed by chunk, aside, and added in the order of
// chunks at the end.
//
// The pattern is the mesh's graph with the vertices of each part drawn together: an edge between two of what is left
// belongs to an elastic element. G'MG of a part takes its moments and no loop over its vertices.
#include <string.h>

#include "map/rigid/rigid.h"
#include "map/scatter.h"
#include "math/vec3.h"

enum { LOCAL_MAX = 2 * THAW_ELEMENT_NODES_MAX, LOCAL_PAIRS = LOCAL_MAX * (LOCAL_MAX + 1) / 2 };

#define PAIR(a, b) ((a) * ((a) + 1) / 2 + (b))

// --- pattern ---------------------------------------------------------------------------------------------------------

// The blocks that a part's row (part >= 0) or an elastic vertex's row is coupled with, each once, without the part's
// own: every mesh edge between two unknowns is an edge of an elastic element. Returns how many; adjacent NULL: only
// counts. mark: n, the last row that met a block.
static int32_t neighbours_of(const ThawRigidMap *self, int32_t part, int32_t vertex, int32_t row, int32_t *mark,
                             int32_t *adjacent) {
    const ThawGraph *graph = self->map.shape->graph;
    const ThawPartition *partition = self->partition;
    const int32_t *begin = part < 0 ? &vertex : partition->vertices + partition->parts[part].first;
    const int32_t *end = begin + (part < 0 ? 1 : partition->parts[part].count);
    int32_t count = 0;
    for (const int32_t *i = begin; i < end; i++) {
        if (self->scripted[*i])
            continue;
        for (int32_t k = graph->offset[*i]; k < graph->offset[*i + 1]; k++) {
            int32_t j = graph->neighbours[k], other = partition->part_of_vertex[j];
            if (self->scripted[j] || (part >= 0 && other == part))
                continue;
            int32_t block = other >= 0 ? self->part_block[other] : self->block_of[j];
            int blocks = other >= 0 ? thaw_hold_blocks(partition->parts[other].hold) : 1;
            for (int b = 0; b < blocks; b++, block++) {
                if (mark[block] == row)
                    continue;
                mark[block] = row;
                if (adjacent)
                    adjacent[count] = block;
                count++;
            }
        }
    }
    return count;
}

// Rows of the block graph; adjacent NULL: only offsets are found.
static void fill_rows(const ThawRigidMap *self, int32_t *mark, int32_t *offset, int32_t *adjacent) {
    memset(mark, -1, sizeof *mark * (size_t)self->map.n);
    for (int32_t i = 0; i < self->elastic; i++)
        offset[i + 1] =
            offset[i] + neighbours_of(self, -1, self->vertex_of[i], i, mark, adjacent ? adjacent + offset[i] : NULL);
    for (int32_t k = 0; k < self->partition->part_count; k++) {
        int blocks = thaw_hold_blocks(self->partition->parts[k].hold);
        int32_t first = self->part_block[k];
        for (int b = 0; b < blocks; b++) {
            int32_t row = first + b, at = offset[row];
            for (int c = 0; c < blocks; c++) {
                if (c == b)
                    continue;
                if (adjacent)
                    adjacent[at] = first + c;
                at++;
            }
            offset[row + 1] = at + neighbours_of(self, k, -1, row, mark, adjacent ? adjacent + at : NULL);
        }
    }
}

ThawStatus thaw_rigid_pattern(const ThawMap *map, ThawBlockPattern **pattern, ThawError *error) {
    const ThawRigidMap *self = (const ThawRigidMap *)map;
    int32_t *mark = THAW_NEW(int32_t, map->n), *offset = THAW_NEW(int32_t, map->n + 1), *adjacent = NULL;
    ThawStatus status = THAW_ERROR_MEMORY;
    if (mark && offset) {
        fill_rows(self, mark, offset, NULL);
        adjacent = THAW_NEW(int32_t, offset[map->n]);
        if (adjacent) {
            fill_rows(self, mark, offset, adjacent);
            status = thaw_block_pattern_create(map->n, map->shape->dim, offset, adjacent, pattern, error);
        }
    }
    if (status == THAW_ERROR_MEMORY)
        thaw_error_memory(error, "the matrix pattern");
    thaw_free(mark);
    thaw_free(offset);
    thaw_free(adjacent);
    return status;
}

// --- mass ------------------------------------------------------------------------------------------------------------

// G' diag(scale m) G of one part from its moments, into its diagonal blocks; (omega, v) is the first moment's cross
// product.
void thaw_rigid_add_moments(const ThawRigidMap *self, int32_t k, const ThawMoments *moments, double scale,
                            ThawBlockMatrix *A) {
    const ThawPart *part = &self->partition->parts[k];
    int dim = self->map.shape->dim, size = dim * dim;
    int32_t row = self->part_block[k];
    double s[3], J[9];
    if (part->hold == THAW_HOLD_FREE) {
        double *block = A->value + (size_t)(A->pattern->row[row + 1] - 1) * (size_t)size;
        for (int i = 0; i < dim; i++)
            block[i * dim + i] += scale * moments->mass;
        row++;
        block = A->value + (size_t)(A->pattern->row[row + 1] - 2) * (size_t)size;
        thaw_part_rotate(part, 3, moments->first, s);
        for (int i = 0; i < 3; i++)
            s[i] *= scale;
        if (dim == 2) {
            block[0] -= s[1], block[1] += s[0];
        } else {
            block[1] -= s[2], block[3] += s[2];
            block[6] -= s[1], block[2] += s[1];
            block[5] -= s[0], block[7] += s[0];
        }
    }
    double *block = A->value + (size_t)(A->pattern->row[row + 1] - 1) * (size_t)size;
    if (dim == 2) {
        block[0] += scale * moments->second[8];
        block[3] = 1;
    } else if (part->hold == THAW_HOLD_AXIS) {
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 3; i++)
                block[0] += scale * part->axis[i] * moments->second[i + 3 * j] * part->axis[j];
        block[4] = block[8] = 1;
    } else {
        thaw_part_turned(part, moments->second, J);
        for (int i = 0; i < 9; i++)
            block[i] += scale * J[i];
    }
}

void thaw_rigid_add_diagonal(const ThawMap *map, const double *m, double scale, ThawBlockMatrix *A) {
    const ThawRigidMap *self = (const ThawRigidMap *)map;
    const ThawPartition *partition = self->partition;
    int dim = map->shape->dim;
    for (int32_t i = 0; i < self->elastic; i++) {
        double *block = A->value + (size_t)(A->pattern->row[i + 1] - 1) * dim * dim;
        for (int k = 0; k < dim; k++)
            block[k * dim + k] += scale * m[self->vertex_of[i]];
    }
    for (int32_t k = 0; k < partition->part_count; k++) {
        const ThawPart *part = &partition->parts[k];
        ThawMoments other;
        const ThawMoments *moments = m == map->shape->mass           ? &part->inertia
                                     : m == map->shape->damping_mass ? &part->damping
                                                                     : &other;
        if (self->part_block[k] < 0)
            continue;
        if (moments == &other)
            thaw_part_moments(dim, part->count, partition->vertices + part->first, m,
                              partition->r + (size_t)part->first * (size_t)dim, &other);
        thaw_rigid_add_moments(self, k, moments, scale, A);
    }
}

// --- junctions -------------------------------------------------------------------------------------------------------

// The factor B of a vertex of a part, row-major: columns are the velocities by the unknowns of its last block.
THAW_INLINE void lever_of(const ThawRigidMap *self, int dim, int32_t vertex, double *B) {
    int32_t k = self->partition->part_of_vertex[vertex];
    const double *rho = self->rho + (size_t)vertex * (size_t)dim;
    for (int i = 0; i < dim * dim; i++)
        B[i] = 0;
    if (k < 0)
        return;
    const ThawPart *part = &self->partition->parts[k];
    if (dim == 2) {
        B[0] = -rho[1], B[2] = rho[0];
    } else if (part->hold == THAW_HOLD_AXIS) {
        double t[3];
        thaw_v3_cross(part->axis, rho, t);
        B[0] = t[0], B[3] = t[1], B[6] = t[2];
    } else {
        B[1] = rho[2], B[2] = -rho[1];
        B[3] = -rho[2], B[5] = rho[0];
        B[6] = rho[1], B[7] = -rho[0];
    }
}

// X[0 .. 3] = H, H B_b, B_a'H, B_a'H B_b for eight elements.
THAW_INLINE void reduce_block(int dim, const ThawLanes *H, const ThawLanes *Ba, const ThawLanes *Bb, ThawLanes *X) {
    int size = dim * dim;
    for (int i = 0; i < size; i++)
        X[i] = H[i];
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) {
            ThawLanes right = H[i * dim] * Bb[j], left = Ba[i] * H[j];
            for (int k = 1; k < dim; k++) {
                right += H[i * dim + k] * Bb[k * dim + j];
                left += Ba[k * dim + i] * H[k * dim + j];
            }
            X[size + i * dim + j] = right;
            X[2 * size + i * dim + j] = left;
        }
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) {
            ThawLanes both = Ba[i] * X[size + j];
            for (int k = 1; k < dim; k++)
                both += Ba[k * dim + i] * X[size + k * dim + j];
            X[3 * size + i * dim + j] = both;
        }
}

// S += block X of one lane, or its transpose.
THAW_INLINE void add_lane(int size, const ThawLanes *X, int lane, double *S) {
    for (int i = 0; i < size; i++)
        S[i] += X[i][lane];
}

THAW_INLINE void add_lane_t(int dim, const ThawLanes *X, int lane, double *S) {
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++)
            S[j * dim + i] += X[i * dim + j][lane];
}

// One element's blocks, from X[pair][factor of a][factor of b], to the matrix.
THAW_INLINE void add_junction(const ThawRigidMap *self, int dim, int nodes, const ThawJunction *junction,
                              const ThawLanes *X, double *value) {
    int size = dim * dim, pairs = PAIR(junction->count, 0);
    double S[LOCAL_PAIRS * 9];
    memset(S, 0, sizeof *S * (size_t)(pairs * size));
    for (int a = 0; a < nodes; a++)
        for (int b = 0; b <= a; b++)
            for (int n = 0; n < 4; n++, X += size) {
                int i = junction->local[a][n / 2], j = junction->local[b][n % 2];
                if (i < 0 || j < 0 || (a == b && i < j))
                    continue;
                if (i >= j)
                    add_lane(size, X, junction->lane, S + PAIR(i, j) * size);
                if (i < j || (i == j && a != b)) // H_ba = H_ab'
                    add_lane_t(dim, X, junction->lane, S + PAIR(j, i) * size);
            }
    const int32_t *slot = self->junction_slot + junction->slot;
    for (int p = 0; p < pairs; p++) {
        double *to =
            slot[p] >= 0 ? value + (size_t)slot[p] * (size_t)size : self->aside + (size_t)~slot[p] * (size_t)size;
        for (int i = 0; i < size; i++)
            to[i] += S[p * size + i];
    }
}

THAW_INLINE void add_junctions(const ThawRigidMap *self, int dim, int nodes, int32_t batch, const ThawLanes *blocks,
                               double *value) {
    enum { NODES = THAW_ELEMENT_NODES_MAX };
    int size = dim * dim;
    const ThawBatch *elements = &self->map.set->batches[batch];
    ThawLanes B[NODES * 9], X[THAW_BLOCKS_MAX * 4 * 9];
    for (int a = 0; a < nodes; a++)
        for (int l = 0; l < THAW_LANES; l++) {
            double lever[9];
            lever_of(self, dim, elements->vertex[a][l], lever);
            for (int i = 0; i < size; i++)
                B[a * size + i][l] = lever[i];
        }
    for (int a = 0; a < nodes; a++)
        for (int b = 0; b <= a; b++)
            reduce_block(dim, blocks + PAIR(a, b) * size, B + a * size, B + b * size, X + PAIR(a, b) * 4 * size);
    for (int32_t k = self->junction_start[batch]; k < self->junction_start[batch + 1]; k++)
        add_junction(self, dim, nodes, &self->junctions[k], X, value);
}

void thaw_rigid_add_blocks_3d(void *context, int32_t batch, const ThawLanes *blocks) {
    const ThawAssembly *assembly = context;
    const ThawRigidMap *self = (const ThawRigidMap *)assembly->map;
    const ThawBatch *elements = &self->map.set->batches[batch];
    thaw_scatter_3d(self->slot + (size_t)batch * self->pairs * THAW_LANES, thaw_batch_pairs(elements), blocks,
                    assembly->value);
    if (self->junction_start[batch] < self->junction_start[batch + 1])
        add_junctions(self, 3, elements->kind->nodes, batch, blocks, assembly->value);
}

void thaw_rigid_add_blocks_2d(void *context, int32_t batch, const ThawLanes *blocks) {
    const ThawAssembly *assembly = context;
    const ThawRigidMap *self = (const ThawRigidMap *)assembly->map;
    const ThawBatch *elements = &self->map.set->batches[batch];
    thaw_scatter_2d(self->slot + (size_t)batch * self->pairs * THAW_LANES, thaw_batch_pairs(elements), blocks,
                    assembly->value);
    if (self->junction_start[batch] < self->junction_start[batch + 1])
        add_junctions(self, 2, elements->kind->nodes, batch, blocks, assembly->value);
}

void thaw_rigid_finish(void *context) {
    const ThawAssembly *assembly = context;
    const ThawRigidMap *self = (const ThawRigidMap *)assembly->map;
    size_t size = (size_t)(self->map.shape->dim * self->map.shape->dim);
    for (int32_t k = 0; k < self->aside_count; k++)
        for (size_t i = 0; i < size; i++) {
            assembly->value[(size_t)self->aside_entry[k] * size + i] += self->aside[(size_t)k * size + i];
            self->aside[(size_t)k * size + i] = 0;
        }
}

// --- tables ----------------------------------------------------------------------------------------------------------

// thaw_block_find for many short rows: counting has no branch to mispredict. The entry is known to exist.
static inline int32_t find_entry(const ThawBlockPattern *pattern, int32_t i, int32_t j) {
    int32_t begin = pattern->row[i], count = pattern->row[i + 1] - begin, below = 0;
    if (count > 32)
        return thaw_block_find(pattern, i, j);
    for (int32_t k = 0; k < count; k++)
        below += pattern->col[begin + k] < j;
    return begin + below;
}

// Whether a lane holds an element with a lever at any node.
static int is_junction(const ThawRigidMap *self, const ThawBatch *batch, int lane) {
    int touches = 0;
    for (int a = 0; a < batch->kind->nodes; a++) {
        int32_t vertex = batch->vertex[a][lane], part = self->partition->part_of_vertex[vertex];
        touches |= part >= 0 && self->part_block[part] >= 0 && !self->scripted[vertex];
    }
    return touches && batch->element[lane] >= 0;
}

// The blocks of an element's nodes, each once and ascending; a node's factors are told which is theirs. Fixed parts and
// scripted vertices have no block.
static void describe(const ThawRigidMap *self, const ThawBatch *batch, int lane, ThawJunction *junction,
                     int32_t local[LOCAL_MAX]) {
    const ThawPartition *partition = self->partition;
    int32_t block[THAW_ELEMENT_NODES_MAX][2];
    *junction = (ThawJunction){.lane = (int8_t)lane};
    for (int a = 0; a < batch->kind->nodes; a++) {
        int32_t vertex = batch->vertex[a][lane], part = partition->part_of_vertex[vertex];
        int blocks = part < 0 || self->scripted[vertex] ? 0 : thaw_hold_blocks(partition->parts[part].hold);
        block[a][0] = blocks == 0 ? self->block_of[vertex] : blocks == 2 ? self->part_block[part] : -1;
        block[a][1] = blocks == 0 ? -1 : self->part_block[part] + blocks - 1;
        for (int n = 0; n < 2; n++) {
            int k = junction->count;
            for (int i = 0; i < junction->count && k >= 0; i++)
                k = local[i] == block[a][n] ? -1 : k;
            if (k < 0 || block[a][n] < 0)
                continue;
            for (; k > 0 && local[k - 1] > block[a][n]; k--)
                local[k] = local[k - 1];
            local[k] = block[a][n];
            junction->count++;
        }
    }
    for (int a = 0; a < batch->kind->nodes; a++)
        for (int n = 0; n < 2; n++) {
            int8_t k = (int8_t)(block[a][n] < 0 ? -1 : 0);
            while (k >= 0 && local[k] != block[a][n])
                k++;
            junction->local[a][n] = k;
        }
}

// Lists the junctions and gives them room in junction_slot.
static ThawStatus list_junctions(ThawRigidMap *self, ThawError *error) {
    const ThawIntegrationSet *set = self->map.set;
    int32_t local[LOCAL_MAX], count = 0;
    ThawJunction junction;
    self->junction_start = THAW_NEW(int32_t, set->batch_count + 1);
    if (!self->junction_start)
        return thaw_error_memory(error, "the scatter table");
    for (int32_t b = 0; b < set->batch_count; b++) {
        for (int l = 0; l < THAW_LANES; l++)
            count += is_junction(self, &set->batches[b], l);
        self->junction_start[b + 1] = count;
    }
    self->junctions = THAW_NEW(ThawJunction, count);
    if (!self->junctions)
        return thaw_error_memory(error, "the scatter table");
    int32_t at = 0, slots = 0;
    for (int32_t b = 0; b < set->batch_count; b++)
        for (int l = 0; l < THAW_LANES && self->junction_start[b] < self->junction_start[b + 1]; l++)
            if (is_junction(self, &set->batches[b], l)) {
                describe(self, &set->batches[b], l, &junction, local);
                junction.slot = slots;
                slots += PAIR(junction.count, 0);
                self->junctions[at++] = junction;
            }
    self->junction_slot = THAW_NEW(int32_t, slots);
    return self->junction_slot ? THAW_OK : thaw_error_memory(error, "the scatter table");
}

// A place aside for an entry that other chunks may add to as well; the same for all additions of this chunk. place: by
// entry, the last one it got; `first`: the first of this chunk. Returns ~place.
static int32_t put_aside(ThawRigidMap *self, int32_t entry, int32_t first, int32_t *capacity, int32_t *place) {
    if (place[entry] < first) {
        if (self->aside_count == *capacity) {
            int32_t room = 2 * *capacity + 16;
            int32_t *grown = thaw_regrow(self->aside_entry, (size_t)*capacity, (size_t)room, sizeof *grown);
            if (!grown)
                return 0;
            self->aside_entry = grown;
            *capacity = room;
        }
        place[entry] = self->aside_count;
        self->aside_entry[self->aside_count++] = entry;
    }
    return ~place[entry];
}

// Where the blocks of junctions go.
static ThawStatus place_junctions(ThawRigidMap *self, const ThawBlockPattern *pattern, ThawError *error) {
    const ThawIntegrationSet *set = self->map.set;
    int32_t capacity = 0, *place = THAW_NEW(int32_t, pattern->row[pattern->n]);
    if (!place)
        return thaw_error_memory(error, "the scatter table");
    memset(place, -1, sizeof *place * (size_t)pattern->row[pattern->n]);
    ThawStatus status = THAW_OK;
    for (int32_t chunk = 0; chunk < set->chunk_count; chunk++) {
        int32_t first = self->aside_count;
        for (int32_t b = set->chunk[chunk]; b < set->chunk[chunk + 1]; b++)
            for (int32_t k = self->junction_start[b]; k < self->junction_start[b + 1]; k++) {
                ThawJunction *junction = &self->junctions[k], copy;
                int32_t local[LOCAL_MAX], *slot = self->junction_slot + junction->slot;
                describe(self, &set->batches[b], junction->lane, &copy, local);
                for (int i = 0; i < junction->count; i++)
                    for (int j = 0; j <= i; j++, slot++) {
                        *slot = find_entry(pattern, local[i], local[j]);
                        if (local[j] >= self->elastic && (*slot = put_aside(self, *slot, first, &capacity, place)) == 0)
                            status = thaw_error_memory(error, "the scatter table");
                    }
            }
    }
    thaw_free(place);
    self->aside = THAW_NEW(double, (size_t)self->aside_count *(size_t)(pattern->bs * pattern->bs));
    if (!self->aside)
        status = thaw_error_memory(error, "the scatter table");
    return status;
}

// Where the blocks of all other elements go, as in the identity map.
static ThawStatus place_elastic(ThawRigidMap *self, const ThawBlockPattern *pattern, ThawError *error) {
    const ThawIntegrationSet *set = self->map.set;
    self->slot = THAW_NEW(int32_t, (size_t)set->batch_count * (size_t)self->pairs * THAW_LANES);
    if (!self->slot)
        return thaw_error_memory(error, "the scatter table");
    for (int32_t b = 0; b < set->batch_count; b++) {
        const ThawBatch *batch = &set->batches[b];
        int32_t *slot = self->slot + (size_t)b * (size_t)self->pairs * THAW_LANES;
        int skip[THAW_LANES];
        for (int l = 0; l < THAW_LANES; l++)
            skip[l] = batch->element[l] < 0;
        for (int32_t k = self->junction_start[b]; k < self->junction_start[b + 1]; k++)
            skip[self->junctions[k].lane] = 1;
        for (int a = 0; a < batch->kind->nodes; a++)
            for (int c = 0; c <= a; c++)
                for (int l = 0; l < THAW_LANES; l++) {
                    int32_t i = self->block_of[batch->vertex[a][l]], j = self->block_of[batch->vertex[c][l]];
                    *slot++ = skip[l] || i < 0 || j < 0 ? -1 : find_entry(pattern, i, j);
                }
    }
    return THAW_OK;
}

ThawStatus thaw_rigid_find_slots(ThawRigidMap *self, ThawError *error) {
    if (self->map.n == 0) // nothing will ever be assembled
        return THAW_OK;
    ThawBlockPattern *pattern = NULL;
    ThawStatus status = thaw_rigid_pattern(&self->map, &pattern, error);
    if (status == THAW_OK)
        status = list_junctions(self, error);
    if (status == THAW_OK)
        status = place_junctions(self, pattern, error);
    if (status == THAW_OK)
        status = place_elastic(self, pattern, error);
    thaw_block_pattern_free(&pattern);
    return status;
}
