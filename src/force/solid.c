// SPDX-License-Identifier: Apache-2.0
// Energy, forces, stress and matrix-free products of solid elements: loops over a chunk's batches that need no matrix.
// A product is the derivative of the force pass in the direction u (dP = d2psi/dF2 : dF), so it costs about two force
// passes and no memory.
#include "force/solid.h"

#include <math.h>
#include <string.h>

#include "force/kernel.h"
#include "force/pass.h"

// --- energy ----------------------------------------------------------------------------------------------------------

// look: whether to find out if elements are inside out that may be.
THAW_INLINE void energy_chunk(const ThawForcePass *pass, int32_t chunk, int dim, int nodes, int look) {
    const ThawIntegrationSet *set = pass->set;
    ThawLanes sum = thaw_lanes_set(0);
    ThawLaneMask turned = thaw_lanes_bits(0);
    int inverted = 0;
    for (int32_t b = set->chunk[chunk]; b < set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &set->batches[b];
        ThawLanes d[3][3], F[9], psi;
        gather_edges(batch, dim, nodes, pass->x, d);
        gradient_of(batch, dim, nodes, d, 1, F);
        if (is_inverted(batch, F)) {
            inverted = 1;
            break;
        }
        if (look && !batch->material->needs_orientation)
            turned |= find_inverted(F);
        batch->material->psi(F, batch->c, &psi);
        if (set->offset)
            psi += offset_energy(offset_of(set, b, 0), F);
        sum += batch->weight * psi;
    }
    pass->partial[chunk] = inverted ? INFINITY : sum_lanes(sum);
    if (look)
        pass->partial[set->chunk_count + chunk] = thaw_lanes_any(turned);
}

THAW_INLINE int inverted_chunk(const ThawForcePass *pass, int32_t chunk, int dim, int nodes) {
    const ThawIntegrationSet *set = pass->set;
    int inverted = 0;
    for (int32_t b = set->chunk[chunk]; b < set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &set->batches[b];
        ThawLanes d[3][3], F[9];
        if (batch->material->needs_orientation) // no step ends with one
            continue;
        gather_edges(batch, dim, nodes, pass->x, d);
        gradient_of(batch, dim, nodes, d, 1, F);
        inverted += count_inverted(batch, F);
    }
    return inverted;
}

// --- forces ----------------------------------------------------------------------------------------------------------

THAW_INLINE void force_chunk(const ThawForcePass *pass, int32_t chunk, int dim, int nodes) {
    const ThawIntegrationSet *set = pass->set;
    int inverted = 0;
    for (int32_t b = set->chunk[chunk]; b < set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &set->batches[b];
        ThawLanes d[3][3], F[9], P[9];
        gather_edges(batch, dim, nodes, pass->x, d);
        gradient_of(batch, dim, nodes, d, 1, F);
        inverted |= is_inverted(batch, F);
        batch->material->dpsi_dF(F, batch->c, P);
        add_offset_stress(offset_of(set, b, 0), F, P);
        scatter_force(batch, dim, nodes, -batch->weight, P, pass->y);
    }
    pass->partial[chunk] = inverted;
}

// --- products --------------------------------------------------------------------------------------------------------

// dP = C : dF with C projected.
static void projected_dP(const ThawBatch *batch, const ThawLanes F[9], const ThawLanes dF[9], ThawLanes dP[9]) {
    ThawLanes C[THAW_SYM9_SIZE];
    batch->material->d2psi_dF2(F, batch->c, C);
    thaw_material_project(F, C);
    for (int a = 0; a < 9; a++) {
        dP[a] = thaw_lanes_set(0);
        for (int b = 0; b < 9; b++)
            dP[a] += C[THAW_SYM9(a, b)] * dF[b];
    }
}

THAW_INLINE void product_chunk(const ThawForcePass *pass, int32_t chunk, int dim, int nodes) {
    const ThawIntegrationSet *set = pass->set;
    ThawLanes form = thaw_lanes_set(0), damped_form = thaw_lanes_set(0);
    for (int32_t b = set->chunk[chunk]; b < set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &set->batches[b];
        ThawLanes d[3][3], F[9], dF[9], dP[9];
        gather_edges(batch, dim, nodes, pass->x, d);
        gradient_of(batch, dim, nodes, d, 1, F);
        gather_edges(batch, dim, nodes, pass->u, d);
        gradient_of(batch, dim, nodes, d, 0, dF);
        if (pass->scale.project)
            projected_dP(batch, F, dF, dP);
        else
            batch->material->dP(F, batch->c, dF, dP);
        add_offset_stress(offset_of(set, b, pass->scale.project), dF, dP);
        ThawLanes sum = thaw_lanes_set(0);
        for (int i = 0; i < 9; i++)
            sum += dF[i] * dP[i];
        form += batch->weight * sum;
        damped_form += batch->weight * batch->alpha1 * sum;
        ThawLanes scale = pass->scale.stiffness + pass->scale.damping * batch->alpha1;
        if (batch->viscous) {
            ThawLanes viscous[9];
            viscous_stress(batch, F, dF, viscous);
            for (int i = 0; i < 9; i++) {
                damped_form += batch->weight * dF[i] * viscous[i];
                dP[i] = scale * dP[i] + pass->scale.damping * viscous[i];
            }
            scale = thaw_lanes_set(1);
        }
        scatter_force(batch, dim, nodes, batch->weight * scale, dP, pass->y);
    }
    pass->partial[2 * chunk] = sum_lanes(form);
    pass->partial[2 * chunk + 1] = sum_lanes(damped_form);
}

// --- stress ----------------------------------------------------------------------------------------------------------

// sqrt(3/2 s:s) of sigma = P F' / J, with s its deviator.
double thaw_von_mises(const ThawLanes F[9], const ThawLanes P[9], int l) {
    double sigma[3][3], J = F[0][l] * (F[4][l] * F[8][l] - F[7][l] * F[5][l]) -
                            F[3][l] * (F[1][l] * F[8][l] - F[7][l] * F[2][l]) +
                            F[6][l] * (F[1][l] * F[5][l] - F[4][l] * F[2][l]);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            sigma[i][k] = 0;
            for (int j = 0; j < 3; j++)
                sigma[i][k] += P[i + 3 * j][l] * F[k + 3 * j][l] / J;
        }
    double mean = (sigma[0][0] + sigma[1][1] + sigma[2][2]) / 3, sum = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double s = sigma[i][k] - (i == k ? mean : 0);
            sum += s * s;
        }
    return isfinite(sum) ? sqrt(1.5 * sum) : 0;
}

int thaw_groups_by_vertices(const ThawForcePass *pass, const ThawBatch *batch, int32_t group[THAW_LANES]) {
    int wanted = 0;
    for (int l = 0; l < THAW_LANES; l++) {
        group[l] = batch->element[l] < 0 ? -1 : pass->group_of_vertex[batch->vertex[0][l]];
        for (int a = 1; a < batch->kind->nodes; a++)
            group[l] = pass->group_of_vertex[batch->vertex[a][l]] == group[l] ? group[l] : -1;
        wanted |= group[l] >= 0;
    }
    return wanted;
}

void thaw_virial_flush(ThawVirial *virial, int32_t group, double (*sums)[2][9]) {
    for (int i = 0; i < 18 && virial->group >= 0; i++)
        sums[virial->group][i / 9][i % 9] += sum_lanes(virial->sum[i / 9][i % 9]);
    memset(virial->sum, 0, sizeof virial->sum);
    virial->group = group;
}

THAW_INLINE void virial_chunk(const ThawForcePass *pass, int32_t chunk, int dim, int nodes) {
    const ThawIntegrationSet *set = pass->set;
    for (int32_t b = set->chunk[chunk]; b < set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &set->batches[b];
        ThawLanes d[3][3], F[9], P[9], tau[9];
        int32_t group[THAW_LANES];
        if (!groups_of(pass, batch, group))
            continue;
        gather_edges(batch, dim, nodes, pass->x, d);
        gradient_of(batch, dim, nodes, d, 1, F);
        batch->material->dpsi_dF(F, batch->c, P);
        add_offset_stress(offset_of(set, b, 0), F, P);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                tau[i + 3 * k] = batch->weight * (P[i] * F[k] + P[i + 3] * F[k + 3] + P[i + 6] * F[k + 6]);
        virial_add(pass->virial, batch->alpha1, group, tau, pass->sums);
    }
}

THAW_INLINE void stress_chunk(const ThawForcePass *pass, int32_t chunk, int dim, int nodes) {
    const ThawIntegrationSet *set = pass->set;
    for (int32_t b = set->chunk[chunk]; b < set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &set->batches[b];
        ThawLanes d[3][3], F[9], P[9];
        gather_edges(batch, dim, nodes, pass->x, d);
        gradient_of(batch, dim, nodes, d, 1, F);
        batch->material->dpsi_dF(F, batch->c, P);
        for (int l = 0; l < THAW_LANES; l++)
            if (batch->element[l] >= 0)
                pass->von_mises[pass->element_user[batch->element[l]]] = thaw_von_mises(F, P, l);
    }
}

// --- with dim and nodes as constants ---------------------------------------------------------------------------------

void thaw_solid_energy_2d(void *pass, int32_t chunk) { energy_chunk(pass, chunk, 2, 3, 0); }
void thaw_solid_energy_3d(void *pass, int32_t chunk) { energy_chunk(pass, chunk, 3, 4, 0); }
void thaw_solid_energy_looking_2d(void *pass, int32_t chunk) { energy_chunk(pass, chunk, 2, 3, 1); }
void thaw_solid_energy_looking_3d(void *pass, int32_t chunk) { energy_chunk(pass, chunk, 3, 4, 1); }
int thaw_solid_inverted_2d(const void *pass, int32_t chunk) { return inverted_chunk(pass, chunk, 2, 3); }
int thaw_solid_inverted_3d(const void *pass, int32_t chunk) { return inverted_chunk(pass, chunk, 3, 4); }
void thaw_solid_force_2d(void *pass, int32_t chunk) { force_chunk(pass, chunk, 2, 3); }
void thaw_solid_force_3d(void *pass, int32_t chunk) { force_chunk(pass, chunk, 3, 4); }
void thaw_solid_product_2d(void *pass, int32_t chunk) { product_chunk(pass, chunk, 2, 3); }
void thaw_solid_product_3d(void *pass, int32_t chunk) { product_chunk(pass, chunk, 3, 4); }
void thaw_solid_virial_2d(void *pass, int32_t chunk) { virial_chunk(pass, chunk, 2, 3); }
void thaw_solid_virial_3d(void *pass, int32_t chunk) { virial_chunk(pass, chunk, 3, 4); }
void thaw_solid_stress_2d(void *pass, int32_t chunk) { stress_chunk(pass, chunk, 2, 3); }
void thaw_solid_stress_3d(void *pass, int32_t chunk) { stress_chunk(pass, chunk, 3, 4); }
