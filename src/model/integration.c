// SPDX-License-Identifier: Apache-2.0
// Packing elements into batches, chunks and colours. The kernels spend their time on gathering and scattering, so the
// packing keeps the shape's order (near in space, near in memory) inside each block of elements and material model, and
// colours whole chunks rather than elements. A chunk holds about as many elements as start within one bandwidth of the
// vertex numbering, so it touches little more than its two neighbours and two or three colours do: every further colour
// would be one more sweep through the whole matrix in memory. Within a chunk, though, the lanes of a batch are taken
// far apart: neighbours share vertices, and eight additions to one place after another would wait for each other.
// Greedy colouring over per-vertex bit masks; linear in elements.
#include "model/integration.h"

#include <math.h>
#include <string.h>

#include "math/decompose.h"
#include "model/model.h"

enum { SMALLEST_CHUNK = 192, MASK_COLOURS = 64 };

// Which elements of a block are packed: those of a list of the shape's elements, or all.
typedef struct Choice {
    const ThawShape *shape;
    const ThawElementBlock *block;
    const int32_t *elements; // NULL: all of the block
    int32_t count;
} Choice;

// Its i-th as a number in the block, or -1 where that is of another block.
static int32_t chosen(const Choice *choice, int32_t i) {
    int32_t e = choice->elements ? choice->elements[i] - choice->block->first : i;
    return e >= 0 && e < choice->block->count ? e : -1;
}

static const ThawMaterial *material_of(const Choice *choice, int32_t e) {
    return &choice->shape->materials[choice->block->material[e]];
}

static double alpha1_of(const ThawElementBlock *block, const ThawMaterial *material) {
    return block->kind->damps_itself && block->damping >= 0 ? block->damping : material->alpha1;
}

// Lane l holds elements[l * stride] while that is one of the `count`.
static void fill_batch(const Choice *choice, const int32_t *elements, int32_t count, int32_t stride, int point,
                       ThawIntegrationSet *set) {
    const ThawElementBlock *block = choice->block;
    const int nodes = block->kind->nodes, dim = block->kind->dim, size = (int)thaw_element_gradients(block->kind);
    ThawBatch *batch = &set->batches[set->batch_count++];
    batch->kind = block->kind;
    batch->rest = set->rest_count;
    set->rest_count += block->kind->rest_size;
    memset(batch->gradient, 0, sizeof batch->gradient);
    for (int l = 0; l < THAW_LANES; l++) {
        int used = l * stride < count;
        int32_t e = elements[used ? l * stride : 0];
        size_t p = (size_t)e * (size_t)block->kind->points + (size_t)point;
        const ThawMaterial *material = material_of(choice, e);
        for (int i = 0; i < size; i++) {
            ThawLanes *to =
                block->kind->rest_size ? &set->rest[batch->rest + i] : &batch->gradient[i / dim * 3 + i % dim];
            (*to)[l] = block->gradient[p * (size_t)size + (size_t)i];
        }
        const double factor = block->factor ? block->factor[e] : 1;
        double own[THAW_ELEMENT_CONSTANTS_MAX] = {0};
        if (block->kind->constants)
            block->kind->constants(material, choice->shape->thickness, factor, own);
        for (int i = 0; i < THAW_ELEMENT_CONSTANTS_MAX; i++)
            batch->c[i][l] = block->kind->constants        ? own[i]
                             : i < THAW_MATERIAL_CONSTANTS ? material->c[i] * factor
                                                           : 0;
        for (int a = 0; a < nodes; a++)
            batch->vertex[a][l] = block->elements[(size_t)e * (size_t)nodes + (size_t)a];
        batch->weight[l] = used ? block->weight[p] : 0;
        int viscous = material->viscosity[1] > 0 && !block->kind->damps_itself;
        batch->alpha1[l] = viscous ? 0 : alpha1_of(block, material);
        batch->role[l] = block->role ? block->role[e] : 0;
        for (int i = 0; i < 2; i++)
            batch->viscosity[i][l] = material->viscosity[i] * factor;
        if (viscous && block->kind->dim < block->kind->space) // plane stress: the normal rate follows
            batch->viscosity[0][l] *=
                2 * material->viscosity[1] / (material->viscosity[0] + 2 * material->viscosity[1]);
        batch->viscous |= viscous;
        batch->element[l] = used ? block->first + e : -1;
        batch->material = material->ops;
    }
}

// One chunk, of one material model: runs of SMALLEST_CHUNK elements, whose batches take every stride-th.
static void fill_chunk(const Choice *choice, const int32_t *elements, int32_t count, ThawIntegrationSet *set) {
    for (int32_t first = 0; first < count; first += SMALLEST_CHUNK) {
        int32_t run = count - first < SMALLEST_CHUNK ? count - first : SMALLEST_CHUNK;
        int32_t stride = (run + THAW_LANES - 1) / THAW_LANES;
        for (int32_t b = 0; b < stride; b++)
            for (int p = 0; p < choice->block->kind->points; p++)
                fill_batch(choice, elements + first + b, run - b, stride, p, set);
    }
    set->chunk[++set->chunk_count] = set->batch_count;
}

// Gives each chunk the lowest colour that none of its vertices has seen; beyond MASK_COLOURS (a vertex shared by very
// many chunks) every chunk gets a colour of its own. Returns the number of colours.
static int32_t colour_chunks(const ThawIntegrationSet *set, uint64_t *seen, int32_t *colour_of) {
    int32_t colours = 0, extra = MASK_COLOURS;
    for (int32_t k = 0; k < set->chunk_count; k++) {
        uint64_t taken = 0;
        const ThawBatch *begin = set->batches + set->chunk[k], *end = set->batches + set->chunk[k + 1];
        for (const ThawBatch *batch = begin; batch < end; batch++)
            for (int a = 0; a < batch->kind->nodes; a++)
                for (int l = 0; l < THAW_LANES; l++)
                    taken |= seen[batch->vertex[a][l]];
        int32_t c = taken == UINT64_MAX ? extra++ : __builtin_ctzll(~taken);
        if (c < MASK_COLOURS)
            for (const ThawBatch *batch = begin; batch < end; batch++)
                for (int a = 0; a < batch->kind->nodes; a++)
                    for (int l = 0; l < THAW_LANES; l++)
                        seen[batch->vertex[a][l]] |= UINT64_C(1) << c;
        colour_of[k] = c;
        if (c >= colours)
            colours = c + 1;
    }
    return colours;
}

// Reorders batches so that the chunks of one colour stand together, in their old order.
static ThawStatus sort_by_colour(ThawIntegrationSet *set, int32_t nv, ThawError *error) {
    ThawStatus status = THAW_OK;
    uint64_t *seen = THAW_NEW(uint64_t, nv);
    int32_t *colour_of = THAW_NEW(int32_t, set->chunk_count), *place = THAW_NEW(int32_t, set->chunk_count);
    int32_t *chunk = THAW_NEW(int32_t, set->chunk_count + 1);
    ThawBatch *batches = THAW_NEW(ThawBatch, set->batch_count);
    if (!seen || !colour_of || !place || !chunk || !batches) {
        status = thaw_error_memory(error, "the integration set");
        goto done;
    }
    set->colour_count = colour_chunks(set, seen, colour_of);
    set->colour = THAW_NEW(int32_t, set->colour_count + 1);
    if (!set->colour) {
        status = thaw_error_memory(error, "the integration set");
        goto done;
    }
    for (int32_t k = 0; k < set->chunk_count; k++)
        set->colour[colour_of[k] + 1]++;
    for (int32_t c = 0; c < set->colour_count; c++)
        set->colour[c + 1] += set->colour[c];
    int32_t at = 0;
    for (int32_t c = 0; c < set->colour_count; c++)
        for (int32_t k = 0, i = set->colour[c]; i < set->colour[c + 1]; k++)
            if (colour_of[k] == c)
                place[i++] = k;
    for (int32_t i = 0; i < set->chunk_count; i++) {
        for (int32_t b = set->chunk[place[i]]; b < set->chunk[place[i] + 1]; b++)
            batches[at++] = set->batches[b];
        chunk[i + 1] = at;
    }
    ThawBatch *old_batches = set->batches;
    int32_t *old_chunk = set->chunk;
    set->batches = batches, batches = old_batches;
    set->chunk = chunk, chunk = old_chunk;
done:
    thaw_free(seen);
    thaw_free(colour_of);
    thaw_free(place);
    thaw_free(chunk);
    thaw_free(batches);
    return status;
}

// How many elements start within the mean distance between an element's lowest and highest vertex.
static int32_t chunk_size(const Choice *choice) {
    int nodes = choice->block->kind->nodes;
    int32_t count = 0, nv = choice->shape->nv;
    double span = 0;
    for (int32_t i = 0; i < choice->count; i++) {
        const int32_t e = chosen(choice, i);
        if (e < 0)
            continue;
        const int32_t *vertex = choice->block->elements + (size_t)e * (size_t)nodes;
        span += vertex[nodes - 1] - vertex[0];
        count++;
    }
    double size = nv > 0 ? span / nv : 0; // (span / count) * (count / nv)
    int32_t runs = (int32_t)(fmin(size, count) / SMALLEST_CHUNK);
    return (runs > 0 ? runs : 1) * SMALLEST_CHUNK;
}

int32_t thaw_integration_most_chunks(const ThawShape *shape) {
    // One of each model and block may be short.
    int32_t chunks = 0;
    for (int32_t b = 0; b < shape->block_count; b++)
        chunks += shape->blocks[b].count / SMALLEST_CHUNK + THAW_MATERIAL_MODEL_COUNT;
    return chunks;
}

// Room for the batches and chunks of one more block; takes note of its materials.
static ThawStatus reserve_block(const Choice *choice, int32_t size, int32_t per_model[THAW_MATERIAL_MODEL_COUNT],
                                ThawIntegrationSet *set, ThawError *error) {
    int32_t batches = set->batch_count, chunks = set->chunk_count;
    for (int32_t i = 0; i < choice->count; i++) {
        const int32_t e = chosen(choice, i);
        if (e < 0)
            continue;
        const ThawMaterial *material = material_of(choice, e);
        per_model[material->model]++;
        set->element_count++;
        set->cell_count += choice->block == choice->shape->cells;
        set->needs_orientation |= material->ops->needs_orientation;
        const ThawElementBlock *block = choice->block;
        set->has_alpha1 |= alpha1_of(block, material) > 0;
        set->may_drive |= material->alpha1 > 0 && !(material->viscosity[1] > 0) && !block->kind->damps_itself;
    }
    for (int m = 0; m < THAW_MATERIAL_MODEL_COUNT; m++) {
        batches += (per_model[m] + THAW_LANES - 1) / THAW_LANES * choice->block->kind->points;
        chunks += (per_model[m] + size - 1) / size;
    }
    ThawBatch *more = thaw_regrow(set->batches, (size_t)set->batch_count, (size_t)batches, sizeof *more);
    if (more)
        set->batches = more;
    int32_t *offsets = thaw_regrow(set->chunk, (size_t)set->chunk_count + 1, (size_t)chunks + 1, sizeof *offsets);
    if (offsets)
        set->chunk = offsets;
    const int64_t added = (int64_t)(batches - set->batch_count) * choice->block->kind->rest_size;
    ThawLanes *rest = thaw_regrow(set->rest, (size_t)set->rest_count, (size_t)(set->rest_count + added), sizeof *rest);
    if (rest)
        set->rest = rest;
    return more && offsets && rest ? THAW_OK : thaw_error_memory(error, "the integration set");
}

static ThawStatus add_block(const Choice *choice, ThawIntegrationSet *set, ThawError *error) {
    int32_t per_model[THAW_MATERIAL_MODEL_COUNT] = {0}, size = chunk_size(choice);
    ThawStatus status = reserve_block(choice, size, per_model, set, error);
    int32_t *pending = THAW_NEW(int32_t, size);
    if (status == THAW_OK && !pending)
        status = thaw_error_memory(error, "the integration set");
    if (choice->block->kind->nodes > set->nodes)
        set->nodes = choice->block->kind->nodes;
    for (int m = 0; status == THAW_OK && m < THAW_MATERIAL_MODEL_COUNT; m++) {
        int32_t used = 0, left = per_model[m];
        for (int32_t i = 0; left > 0; i++) {
            const int32_t e = chosen(choice, i);
            if (e < 0 || (int)material_of(choice, e)->model != m)
                continue;
            pending[used++] = e;
            left--;
            if (used < size && left > 0)
                continue;
            fill_chunk(choice, pending, used, set);
            used = 0;
        }
    }
    thaw_free(pending);
    return status;
}

ThawStatus thaw_integration_create(const ThawShape *shape, const int32_t *elements, int32_t count,
                                   ThawIntegrationSet **result, ThawError *error) {
    *result = NULL;
    ThawIntegrationSet *set = THAW_NEW(ThawIntegrationSet, 1);
    if (!set)
        return thaw_error_memory(error, "the integration set");
    set->dim = shape->dim;
    set->folds = shape->folds;
    set->bend = shape->diameter / 4;
    set->chunk = THAW_NEW(int32_t, 1);
    ThawStatus status = set->chunk ? THAW_OK : thaw_error_memory(error, "the integration set");
    for (int32_t b = 0; status == THAW_OK && b < shape->block_count; b++) {
        const ThawElementBlock *block = &shape->blocks[b];
        status = add_block(&(Choice){shape, block, elements, elements ? count : block->count}, set, error);
    }
    if (status == THAW_OK)
        status = sort_by_colour(set, shape->nv, error);
    if (status != THAW_OK)
        thaw_integration_free(&set);
    *result = set;
    return status;
}

void thaw_integration_free(ThawIntegrationSet **pointer) {
    if (!pointer || !*pointer)
        return;
    ThawIntegrationSet *set = *pointer;
    thaw_free(set->batches);
    thaw_free(set->chunk);
    thaw_free(set->colour);
    thaw_free(set->offset);
    thaw_free(set->rest);
    thaw_free(set);
    *pointer = NULL;
}

void thaw_integration_set_weights(ThawIntegrationSet *set, const ThawShape *shape, const double *share) {
    set->weighted = share || set->offset;
    for (int32_t b = 0; b < set->batch_count; b++)
        for (int l = 0; l < THAW_LANES; l++) {
            const int32_t e = set->batches[b].element[l];
            const ThawElementBlock *block = shape->blocks;
            if (e < 0)
                continue;
            while (e >= block->first + block->count)
                block++;
            _Static_assert(THAW_ELEMENT_POINTS_MAX == 1, "a batch does not say which point it is");
            set->batches[b].weight[l] = (share ? share[e] : 1) * block->weight[e - block->first];
        }
}

// S is that of six numbers; its positive part: what of it resists in every direction.
static void keep_positive(const double S[THAW_STRESS_SIZE], double positive[THAW_STRESS_SIZE]) {
    const double full[9] = {S[0], S[3], S[5], S[3], S[1], S[4], S[5], S[4], S[2]};
    static const int row[] = {0, 1, 2, 0, 1, 2}, column[] = {0, 1, 2, 1, 2, 0};
    double w[3], Q[9];
    thaw_eigen_sym3(full, w, Q);
    for (int n = 0; n < THAW_STRESS_SIZE; n++) {
        positive[n] = 0;
        for (int k = 0; k < 3; k++)
            positive[n] += fmax(w[k], 0) * Q[row[n] + 3 * k] * Q[column[n] + 3 * k];
    }
}

ThawStatus thaw_integration_set_offset(ThawIntegrationSet *set, const double *S, ThawError *error) {
    if (S && !set->offset)
        set->offset = THAW_NEW(ThawLanes, (size_t)set->batch_count * THAW_OFFSET_LANES);
    if (S && !set->offset)
        return thaw_error_memory(error, "the offsets of an integration set");
    set->weighted |= S != NULL;
    for (int32_t b = 0; set->offset && b < set->batch_count; b++)
        for (int l = 0; l < THAW_LANES; l++) {
            double both[THAW_OFFSET_LANES] = {0};
            const int32_t e = set->batches[b].element[l];
            for (int n = 0; S && e >= 0 && n < THAW_STRESS_SIZE; n++)
                both[n] = S[(size_t)e * THAW_STRESS_SIZE + (size_t)n];
            keep_positive(both, both + THAW_STRESS_SIZE);
            for (int n = 0; n < THAW_OFFSET_LANES; n++)
                set->offset[(size_t)b * THAW_OFFSET_LANES + (size_t)n][l] = both[n];
        }
    return THAW_OK;
}

typedef struct ColourLoop {
    int32_t first;
    ThawTaskFn fn;
    void *context;
} ColourLoop;

static void run_chunk(void *context, int32_t i) {
    const ColourLoop *loop = context;
    loop->fn(loop->context, loop->first + i);
}

void thaw_integration_for(const ThawIntegrationSet *set, ThawTasks *tasks, ThawTaskFn fn, void *context) {
    for (int32_t c = 0; c < set->colour_count; c++) {
        ColourLoop loop = {set->colour[c], fn, context};
        thaw_tasks_for(tasks, set->colour[c + 1] - set->colour[c], run_chunk, &loop);
    }
}
