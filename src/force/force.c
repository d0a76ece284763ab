// SPDX-License-Identifier: Apache-2.0
// Energy, forces, stress and matrix-free products: loops over batches that need no matrix. A product is the derivative of
// the force pass in the direction u (dP = d2psi/dF2 : dF), so it costs about two force passes and no memory.
#include <math.h>
#include <string.h>

#include "force/kernel.h"
#include "model/model.h"

// --- energy -------------------------------------------------------------------------------------------------------------

typedef struct EnergyPass {
    const ThawIntegrationSet *set;
    const double *x;
    double *partial;
} EnergyPass;

// look: whether to find out if elements are inside out that may be.
THAW_INLINE void energy_chunk(const EnergyPass *pass, int32_t chunk, int dim, int nodes, int look) {
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
        sum += batch->weight * psi;
    }
    pass->partial[chunk] = inverted ? INFINITY : sum_lanes(sum);
    if (look)
        pass->partial[set->chunk_count + chunk] = thaw_lanes_any(turned);
}

static void energy_2d(void *context, int32_t chunk) { energy_chunk(context, chunk, 2, 3, 0); }
static void energy_3d(void *context, int32_t chunk) { energy_chunk(context, chunk, 3, 4, 0); }
static void looking_2d(void *context, int32_t chunk) { energy_chunk(context, chunk, 2, 3, 1); }
static void looking_3d(void *context, int32_t chunk) { energy_chunk(context, chunk, 3, 4, 1); }

double thaw_force_energy(const ThawIntegrationSet *set, ThawTasks *tasks, const double *x, double *partial) {
    EnergyPass pass = {set, x, partial};
    thaw_tasks_for(tasks, set->chunk_count, set->dim == 2 ? energy_2d : energy_3d, &pass);
    double sum = 0;
    for (int32_t k = 0; k < set->chunk_count; k++)
        sum += partial[k];
    return sum;
}

double thaw_force_energy_inverted(const ThawIntegrationSet *set, ThawTasks *tasks, const double *x, double *partial,
                                  int64_t *inverted) {
    EnergyPass pass = {set, x, partial};
    thaw_tasks_for(tasks, set->chunk_count, set->dim == 2 ? looking_2d : looking_3d, &pass);
    double sum = 0, any = 0;
    for (int32_t k = 0; k < set->chunk_count; k++) {
        sum += partial[k];
        any += partial[set->chunk_count + k];
    }
    *inverted = any > 0 ? thaw_force_count_inverted(set, tasks, x, partial) : 0; // seldom
    return sum;
}

THAW_INLINE int inverted_in_chunk(const ThawIntegrationSet *set, const double *x, int32_t chunk, int dim, int nodes) {
    int inverted = 0;
    for (int32_t b = set->chunk[chunk]; b < set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &set->batches[b];
        ThawLanes d[3][3], F[9];
        if (batch->material->needs_orientation) // no step ends with one
            continue;
        gather_edges(batch, dim, nodes, x, d);
        gradient_of(batch, dim, nodes, d, 1, F);
        inverted += count_inverted(batch, F);
    }
    return inverted;
}

static int inverted_of(const EnergyPass *pass, int32_t chunk) {
    return pass->set->dim == 2 ? inverted_in_chunk(pass->set, pass->x, chunk, 2, 3)
                               : inverted_in_chunk(pass->set, pass->x, chunk, 3, 4);
}

static void inverted_chunk(void *context, int32_t chunk) {
    const EnergyPass *pass = context;
    pass->partial[chunk] = inverted_of(pass, chunk);
}

int64_t thaw_force_count_inverted(const ThawIntegrationSet *set, ThawTasks *tasks, const double *x, double *partial) {
    int64_t count = 0;
    EnergyPass pass = {set, x, partial};
    if (partial)
        thaw_tasks_for(tasks, set->chunk_count, inverted_chunk, &pass);
    for (int32_t k = 0; k < set->chunk_count; k++)
        count += partial ? (int64_t)partial[k] : inverted_of(&pass, k);
    return count;
}

// --- forces -------------------------------------------------------------------------------------------------------------

typedef struct ForcePass {
    const ThawIntegrationSet *set;
    const double *x;
    double *f, *partial;
} ForcePass;

THAW_INLINE void force_chunk(const ForcePass *pass, int32_t chunk, int dim, int nodes) {
    const ThawIntegrationSet *set = pass->set;
    int inverted = 0;
    for (int32_t b = set->chunk[chunk]; b < set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &set->batches[b];
        ThawLanes d[3][3], F[9], P[9];
        gather_edges(batch, dim, nodes, pass->x, d);
        gradient_of(batch, dim, nodes, d, 1, F);
        inverted |= is_inverted(batch, F);
        batch->material->dpsi_dF(F, batch->c, P);
        scatter_force(batch, dim, nodes, -batch->weight, P, pass->f);
    }
    pass->partial[chunk] = inverted;
}

static void force_2d(void *context, int32_t chunk) { force_chunk(context, chunk, 2, 3); }
static void force_3d(void *context, int32_t chunk) { force_chunk(context, chunk, 3, 4); }

ThawStatus thaw_force_internal(const ThawIntegrationSet *set, ThawTasks *tasks, const double *x, int32_t nv, double *f,
                               double *partial) {
    memset(f, 0, sizeof *f * (size_t)nv * (size_t)set->dim);
    ForcePass pass = {set, x, f, partial};
    thaw_integration_for(set, tasks, set->dim == 2 ? force_2d : force_3d, &pass);
    for (int32_t k = 0; k < set->chunk_count; k++)
        if (partial[k] != 0)
            return THAW_INVERTED;
    return THAW_OK;
}

// --- products -----------------------------------------------------------------------------------------------------------

typedef struct ProductPass {
    const ThawIntegrationSet *set;
    const double *x, *u;
    ThawStiffness scale;
    double *y, *partial;
} ProductPass;

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

THAW_INLINE void product_chunk(const ProductPass *pass, int32_t chunk, int dim, int nodes) {
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

static void product_2d(void *context, int32_t chunk) { product_chunk(context, chunk, 2, 3); }
static void product_3d(void *context, int32_t chunk) { product_chunk(context, chunk, 3, 4); }

void thaw_force_product(const ThawIntegrationSet *set, ThawTasks *tasks, const double *x, const double *u,
                        ThawStiffness scale, int32_t nv, double *y, double forms[2], double *partial) {
    memset(y, 0, sizeof *y * (size_t)nv * (size_t)set->dim);
    ProductPass pass = {set, x, u, scale, y, partial};
    thaw_integration_for(set, tasks, set->dim == 2 ? product_2d : product_3d, &pass);
    forms[0] = forms[1] = 0;
    for (int32_t k = 0; k < set->chunk_count; k++) {
        forms[0] += partial[2 * k];
        forms[1] += partial[2 * k + 1];
    }
}

// --- stress -------------------------------------------------------------------------------------------------------------

// sqrt(3/2 s:s) of sigma = P F' / J, with s its deviator.
static double von_mises_of(const ThawLanes F[9], const ThawLanes P[9], int l) {
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

// What has come of one group; its sums get it when the group changes, or at the end.
typedef struct Virial {
    int32_t group;
    ThawLanes sum[2][9];
} Virial;

static void virial_flush(Virial *virial, int32_t group, double (*sums)[2][9]) {
    for (int i = 0; i < 18 && virial->group >= 0; i++)
        sums[virial->group][i / 9][i % 9] += sum_lanes(virial->sum[i / 9][i % 9]);
    memset(virial->sum, 0, sizeof virial->sum);
    virial->group = group;
}

// tau: of the batch, times its volume. Most batches lie in one group, that of the batch before. Lanes in no group may hold anything.
THAW_INLINE void virial_add(Virial *virial, const ThawBatch *batch, const int32_t group[THAW_LANES],
                            const ThawLanes tau[9], double (*sums)[2][9]) {
    ThawLaneMask left;
    for (int l = 0; l < THAW_LANES; l++)
        left[l] = group[l] >= 0 ? -1 : 0;
    for (int first = 0; first < THAW_LANES; first++) {
        if (!left[first])
            continue;
        ThawLaneMask mine;
        for (int l = 0; l < THAW_LANES; l++)
            mine[l] = group[l] == group[first] ? -1 : 0;
        left &= ~mine;
        if (group[first] != virial->group)
            virial_flush(virial, group[first], sums);
        for (int i = 0; i < 9; i++) {
            ThawLanes part = thaw_lanes_select(mine, tau[i], thaw_lanes_set(0));
            virial->sum[0][i] += part;
            virial->sum[1][i] += batch->alpha1 * part;
        }
    }
}

THAW_INLINE void virial_of(const ThawIntegrationSet *set, int dim, int nodes, const double *x, const int32_t *group_of,
                           double (*sums)[2][9]) {
    Virial virial = {.group = -1};
    for (int32_t b = 0; b < set->batch_count; b++) {
        const ThawBatch *batch = &set->batches[b];
        ThawLanes d[3][3], F[9], P[9], tau[9];
        int32_t group[THAW_LANES], wanted = 0;
        for (int l = 0; l < THAW_LANES; l++) {
            group[l] = batch->element[l] < 0 ? -1 : group_of[batch->element[l]];
            wanted |= group[l] >= 0;
        }
        if (!wanted)
            continue;
        gather_edges(batch, dim, nodes, x, d);
        gradient_of(batch, dim, nodes, d, 1, F);
        batch->material->dpsi_dF(F, batch->c, P);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                tau[i + 3 * k] = batch->weight * (P[i] * F[k] + P[i + 3] * F[k + 3] + P[i + 6] * F[k + 6]);
        virial_add(&virial, batch, group, tau, sums);
    }
    virial_flush(&virial, -1, sums);
}

void thaw_force_virial(const ThawIntegrationSet *set, const double *x, const int32_t *group_of, double (*sums)[2][9]) {
    if (set->dim == 2)
        virial_of(set, 2, 3, x, group_of, sums);
    else
        virial_of(set, 3, 4, x, group_of, sums);
}

void thaw_force_stress(const ThawShape *shape, const double *x, double *von_mises) {
    const ThawIntegrationSet *set = shape->all;
    for (int32_t b = 0; b < set->batch_count; b++) {
        const ThawBatch *batch = &set->batches[b];
        ThawLanes d[3][3], F[9], P[9];
        gather_edges(batch, set->dim, set->nodes, x, d);
        gradient_of(batch, set->dim, set->nodes, d, 1, F);
        batch->material->dpsi_dF(F, batch->c, P);
        for (int l = 0; l < THAW_LANES; l++)
            if (batch->element[l] >= 0)
                von_mises[shape->element_user[batch->element[l]]] = von_mises_of(F, P, l);
    }
}
