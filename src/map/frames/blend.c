// SPDX-License-Identifier: Apache-2.0
// Contraction to the active nodes (5), by recursion: psi of an active node is itself, that of another is the sum of its
// parents' by its weights, coarse to fine; a vertex' is the sum of its nodes'. Sum 1 and linear precision go along.
#include <string.h>

#include "map/frames/tree.h"

void thaw_blend_clear(ThawBlend *blend) {
    thaw_free(blend->node);
    thaw_free(blend->offset);
    thaw_free(blend->frame);
    thaw_free(blend->weight);
    *blend = (ThawBlend){0};
}

// psi: count rows of blend->frames numbers.
static void contract_nodes(const ThawFrameTree *tree, const unsigned char *active, ThawBlend *blend, double *psi) {
    const size_t frames = (size_t)blend->frames;
    for (int32_t n = 0, next = 0; n < tree->count; n++) {
        double *row = psi + (size_t)n * frames;
        if (n == 0 || !active || active[n]) {
            blend->node[next] = n;
            row[next++] = 1;
            continue;
        }
        for (size_t k = (size_t)n * THAW_INFLUENCES_MAX; k < ((size_t)n + 1) * THAW_INFLUENCES_MAX; k++)
            for (size_t j = 0; tree->parent[k] >= 0 && j < frames; j++)
                row[j] += tree->parent_weight[k] * psi[(size_t)tree->parent[k] * frames + j];
    }
}

// The weights of a vertex into row; how many there are.
static int32_t contract_vertex(const ThawFrameTree *tree, int32_t frames, const double *psi, int32_t vertex,
                               double *row) {
    int32_t count = 0;
    memset(row, 0, sizeof *row * (size_t)frames);
    for (size_t k = (size_t)vertex * THAW_INFLUENCES_MAX; k < ((size_t)vertex + 1) * THAW_INFLUENCES_MAX; k++)
        for (int32_t j = 0; tree->node[k] >= 0 && j < frames; j++)
            row[j] += tree->weight[k] * psi[(size_t)tree->node[k] * (size_t)frames + (size_t)j];
    for (int32_t j = 0; j < frames; j++)
        count += row[j] != 0;
    return count;
}

ThawStatus thaw_blend_create(const ThawFrameTree *tree, const unsigned char *active, ThawBlend *blend,
                             ThawError *error) {
    const int32_t nv = tree->shape->nv;
    *blend = (ThawBlend){0};
    for (int32_t n = 0; n < tree->count; n++)
        blend->frames += n == 0 || !active || active[n];
    double *psi = THAW_NEW(double, (size_t)tree->count *(size_t)blend->frames), *row = THAW_NEW(double, blend->frames);
    blend->node = THAW_NEW(int32_t, blend->frames);
    blend->offset = THAW_NEW(int32_t, nv + 1);
    ThawStatus status =
        psi && row && blend->node && blend->offset ? THAW_OK : thaw_error_memory(error, "a body's frames");
    if (status == THAW_OK) {
        contract_nodes(tree, active, blend, psi);
        for (int32_t i = 0; i < nv; i++) {
            const int32_t count = contract_vertex(tree, blend->frames, psi, i, row);
            blend->offset[i + 1] = blend->offset[i] + count;
            blend->most = count > blend->most ? count : blend->most;
        }
        blend->frame = THAW_NEW(int32_t, blend->offset[nv]);
        blend->weight = THAW_NEW(double, blend->offset[nv]);
        if (!blend->frame || !blend->weight)
            status = thaw_error_memory(error, "a body's frames");
    }
    for (int32_t i = 0; i < nv && status == THAW_OK; i++) {
        int32_t at = blend->offset[i];
        contract_vertex(tree, blend->frames, psi, i, row);
        for (int32_t j = 0; j < blend->frames; j++)
            if (row[j] != 0) {
                blend->frame[at] = j;
                blend->weight[at++] = row[j];
            }
    }
    if (status != THAW_OK)
        thaw_blend_clear(blend);
    thaw_free(psi);
    thaw_free(row);
    return status;
}
