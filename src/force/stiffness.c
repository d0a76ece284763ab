// SPDX-License-Identifier: Apache-2.0
// Forces and stiffness of solid elements in one pass: F and what the material computes on the way to P are at hand
// anyway.
//
// Block (a, b) of an element is K_ab = w sum_jl g_a,j C_(ij)(kl) g_b,l (equation 4 for one element). The material gives
// the blocks of nodes 1, 2, ..., without forming C unless it must be projected; node 0 follows from their sum, since
// rigid translations cost nothing: K_a0 = -sum_b K_ab. About 500 vector operations for eight tetrahedra.
#include "force/kernel.h"
#include "force/pass.h"
#include "force/solid.h"

// The blocks that material->blocks gives, from a C that was projected.
static void contract_projected(const ThawBatch *batch, int count, const ThawLanes F[9], ThawLanes scale, ThawLanes P[9],
                               ThawLanes *K) {
    ThawLanes C[THAW_SYM9_SIZE];
    batch->material->dpsi_dF(F, batch->c, P);
    batch->material->d2psi_dF2(F, batch->c, C);
    thaw_material_project(F, C);
    contract_blocks(batch, count, C, scale, K);
}

// Adds the blocks of the offset: g_a'S g_b times the unit matrix.
static void add_offset_blocks(const ThawBatch *batch, int count, const ThawLanes *S, ThawLanes scale, ThawLanes *K) {
    for (int a = 0; a < count; a++)
        for (int b = 0; b <= a; b++) {
            const ThawLanes *g = batch->gradient + 3 * a, *u = batch->gradient + 3 * b;
            ThawLanes form = thaw_lanes_set(0);
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < 3; k++)
                    form += g[j] * S[stress_entry(j, k)] * u[k];
            for (int i = 0; i < 3; i++)
                K[9 * PAIR(a, b) + 4 * i] += scale * form;
        }
}

THAW_INLINE void linearise_chunk(const ThawForcePass *pass, int32_t chunk, int dim, int nodes) {
    const ThawIntegrationSet *set = pass->set;
    int inverted = 0;
    for (int32_t b = set->chunk[chunk]; b < set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &set->batches[b];
        ThawLanes d[3][3], F[9], P[9], K[6 * 9], blocks[THAW_BLOCKS_MAX * 9];
        ThawLanes scale = batch->weight * (pass->scale.stiffness + pass->scale.damping * batch->alpha1);
        gather_edges(batch, dim, nodes, pass->x, d);
        gradient_of(batch, dim, nodes, d, 1, F);
        inverted |= is_inverted(batch, F);
        if (pass->scale.project)
            contract_projected(batch, nodes - 1, F, scale, P, K);
        else
            batch->material->blocks(F, batch->c, nodes - 1, batch->gradient, scale, P, K);
        if (batch->viscous && pass->scale.damping > 0)
            add_viscous(batch, nodes - 1, F, batch->weight * pass->scale.damping, K);
        if (set->offset) {
            add_offset_stress(offset_of(set, b, 0), F, P);
            add_offset_blocks(batch, nodes - 1, offset_of(set, b, pass->scale.project), scale, K);
        }
        scatter_force(batch, dim, nodes, -batch->weight, P, pass->y);
        complete_blocks(dim, nodes, K, blocks);
        pass->sink.add(pass->sink.context, b, blocks);
    }
    pass->partial[chunk] = inverted;
}

void thaw_solid_linearise_2d(void *pass, int32_t chunk) { linearise_chunk(pass, chunk, 2, 3); }
void thaw_solid_linearise_3d(void *pass, int32_t chunk) { linearise_chunk(pass, chunk, 3, 4); }
