// SPDX-License-Identifier: Apache-2.0
// Forces and element stiffness in one pass: F and the material's constants are in registers anyway.
//
// Block (a, b) of an element is K_ab = w sum_jl g_a,j C_(ij)(kl) g_b,l (equation 4 for one element). With T_b = C g_b
// (27 numbers) formed once for each b, a block costs 27 products; node 0 follows from the sum of the others, since rigid
// translations cost nothing: K_a0 = -sum_b K_ab. About 750 vector operations for eight tetrahedra.
#include <string.h>

#include "force/kernel.h"

typedef struct StiffnessPass {
    const ThawIntegrationSet *set;
    const double *x;
    ThawStiffness scale;
    ThawBlockSink sink;
    double *f, *partial;
} StiffnessPass;

#define PAIR(a, b) ((a) * ((a) + 1) / 2 + (b))

// Entry (i, k) of block (a, b), a >= b, in the sink's layout.
#define ENTRY(a, b, i, k) (PAIR(a, b) * dim * dim + (i)*dim + (k))

THAW_INLINE void element_blocks(const ThawBatch *batch, int dim, int nodes, const ThawLanes C[THAW_SYM9_SIZE],
                                ThawLanes scale, ThawLanes *blocks) {
    const ThawLanes *g = batch->gradient;
    for (int b = 1; b < nodes; b++) {
        ThawLanes gb[3];
        for (int l = 0; l < dim; l++)
            gb[l] = scale * g[3 * (b - 1) + l];
        for (int k = 0; k < dim; k++) {
            ThawLanes T[3][3]; // T[i][j] = sum_l C_(ij)(kl) g_b,l
            for (int i = 0; i < dim; i++)
                for (int j = 0; j < dim; j++) {
                    T[i][j] = C[THAW_SYM9(i + 3 * j, k)] * gb[0];
                    for (int l = 1; l < dim; l++)
                        T[i][j] += C[THAW_SYM9(i + 3 * j, k + 3 * l)] * gb[l];
                }
            for (int a = b; a < nodes; a++)
                for (int i = a == b ? k : 0; i < dim; i++) {
                    ThawLanes sum = T[i][0] * g[3 * (a - 1)];
                    for (int j = 1; j < dim; j++)
                        sum += T[i][j] * g[3 * (a - 1) + j];
                    blocks[ENTRY(a, b, i, k)] = sum;
                    if (a == b)
                        blocks[ENTRY(a, b, k, i)] = sum;
                }
        }
    }
    // Column 0, then the corner.
    for (int i = 0; i < dim; i++)
        for (int k = 0; k < dim; k++) {
            for (int a = 1; a < nodes; a++) {
                ThawLanes sum = thaw_lanes_set(0);
                for (int b = 1; b < nodes; b++)
                    sum += a >= b ? blocks[ENTRY(a, b, i, k)] : blocks[ENTRY(b, a, k, i)];
                blocks[ENTRY(a, 0, i, k)] = -sum;
            }
        }
    for (int i = 0; i < dim; i++)
        for (int k = 0; k <= i; k++) {
            ThawLanes sum = thaw_lanes_set(0);
            for (int a = 1; a < nodes; a++)
                sum += blocks[ENTRY(a, 0, i, k)];
            blocks[ENTRY(0, 0, i, k)] = -sum;
            blocks[ENTRY(0, 0, k, i)] = -sum;
        }
}

THAW_INLINE void stiffness_chunk(const StiffnessPass *pass, int32_t chunk, int dim, int nodes) {
    const ThawIntegrationSet *set = pass->set;
    int inverted = 0;
    for (int32_t b = set->chunk[chunk]; b < set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &set->batches[b];
        ThawLanes d[3][3], F[9], P[9], C[THAW_SYM9_SIZE], blocks[THAW_BLOCKS_MAX * 9];
        gather_edges(batch, dim, nodes, pass->x, d);
        gradient_of(batch, dim, nodes, d, 1, F);
        inverted |= is_inverted(batch, F);
        batch->material->dpsi_dF(F, batch->c, P);
        scatter_force(batch, dim, nodes, -batch->weight, P, pass->f);
        batch->material->d2psi_dF2(F, batch->c, C);
        if (pass->scale.project)
            thaw_material_project(F, C);
        element_blocks(batch, dim, nodes, C,
                       batch->weight * (pass->scale.stiffness + pass->scale.damping * batch->alpha1), blocks);
        pass->sink.add(pass->sink.context, b, blocks);
    }
    pass->partial[chunk] = inverted;
}

static void stiffness_2d(void *context, int32_t chunk) { stiffness_chunk(context, chunk, 2, 3); }
static void stiffness_3d(void *context, int32_t chunk) { stiffness_chunk(context, chunk, 3, 4); }

ThawStatus thaw_force_linearise(const ThawIntegrationSet *set, ThawTasks *tasks, const double *x, ThawStiffness scale,
                                ThawBlockSink sink, int32_t nv, double *f, double *partial) {
    memset(f, 0, sizeof *f * (size_t)nv * (size_t)set->dim);
    StiffnessPass pass = {set, x, scale, sink, f, partial};
    thaw_integration_for(set, tasks, set->dim == 2 ? stiffness_2d : stiffness_3d, &pass);
    for (int32_t k = 0; k < set->chunk_count; k++)
        if (partial[k] != 0)
            return THAW_INVERTED;
    return THAW_OK;
}
