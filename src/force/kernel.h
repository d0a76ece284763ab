// SPDX-License-Identifier: Apache-2.0
// What all element kernels share: gathering vertices into lanes, F = Bx for eight points at once (section 3.1 of the
// solids paper), and scattering back. `dim` and `nodes` are constants after inlining.
#ifndef THAW_FORCE_KERNEL_H
#define THAW_FORCE_KERNEL_H

#include "base/base.h"
#include "force/force.h"

// d[a-1][i] = x_a - x_0, the edge vectors from node 0.
THAW_INLINE void gather_edges(const ThawBatch *batch, int dim, int nodes, const double *x, ThawLanes d[3][3]) {
    for (int i = 0; i < dim; i++) {
        ThawLanes x0;
        for (int l = 0; l < THAW_LANES; l++)
            x0[l] = x[batch->vertex[0][l] * (int64_t)dim + i];
        for (int a = 1; a < nodes; a++) {
            ThawLanes xa;
            for (int l = 0; l < THAW_LANES; l++)
                xa[l] = x[batch->vertex[a][l] * (int64_t)dim + i];
            d[a - 1][i] = xa - x0;
        }
    }
}

// F_ij = sum_a d_a,i g_a,j, column-major. In 2D the third axis is left alone: F_33 = `normal` (1 for F, 0 for its
// rate).
THAW_INLINE void gradient_of(const ThawBatch *batch, int dim, int nodes, ThawLanes d[3][3], double normal,
                             ThawLanes F[9]) {
    if (dim == 2) {
        for (int i = 0; i < 9; i++)
            F[i] = thaw_lanes_set(0);
        F[8] = thaw_lanes_set(normal);
    }
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) {
            ThawLanes sum = d[0][i] * batch->gradient[j];
            for (int a = 1; a < nodes - 1; a++)
                sum += d[a][i] * batch->gradient[3 * a + j];
            F[i + 3 * j] = sum;
        }
}

// y_a += scale P g_a for every node; node 0 gets minus the others' sum.
THAW_INLINE void scatter_force(const ThawBatch *batch, int dim, int nodes, ThawLanes scale, const ThawLanes P[9],
                               double *y) {
    ThawLanes out[THAW_ELEMENT_NODES_MAX][3];
    for (int i = 0; i < dim; i++) {
        ThawLanes rest = thaw_lanes_set(0);
        for (int a = 1; a < nodes; a++) {
            ThawLanes sum = P[i] * batch->gradient[3 * (a - 1)];
            for (int j = 1; j < dim; j++)
                sum += P[i + 3 * j] * batch->gradient[3 * (a - 1) + j];
            out[a][i] = scale * sum;
            rest += out[a][i];
        }
        out[0][i] = -rest;
    }
    for (int l = 0; l < THAW_LANES; l++)
        for (int a = 0; a < nodes; a++)
            for (int i = 0; i < dim; i++)
                y[batch->vertex[a][l] * (int64_t)dim + i] += out[a][i][l];
}

// Entry (j, k) of the symmetric matrix that an offset is.
THAW_INLINE int stress_entry(int j, int k) { return j == k ? j : 2 + (j + k == 3 ? 2 : j + k == 1 ? 1 : 3); }

// The offset S of a batch, or its positive part; NULL: the set has none.
THAW_INLINE const ThawLanes *offset_of(const ThawIntegrationSet *set, int32_t batch, int positive) {
    return set->offset ? set->offset + (size_t)batch * THAW_OFFSET_LANES + (positive ? THAW_STRESS_SIZE : 0) : NULL;
}

// P += F S; with rates for both, too.
THAW_INLINE void add_offset_stress(const ThawLanes *S, const ThawLanes F[9], ThawLanes P[9]) {
    for (int i = 0; S && i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                P[i + 3 * j] += F[i + 3 * k] * S[stress_entry(k, j)];
}

// S:(F'F - I)/2.
THAW_INLINE ThawLanes offset_energy(const ThawLanes *S, const ThawLanes F[9]) {
    ThawLanes sum = thaw_lanes_set(0);
    for (int j = 0; S && j < 3; j++)
        for (int k = 0; k < 3; k++) {
            ThawLanes C = F[3 * j] * F[3 * k] + F[3 * j + 1] * F[3 * k + 1] + F[3 * j + 2] * F[3 * k + 2];
            sum += S[stress_entry(j, k)] * (C - (j == k ? 1.0 : 0.0)) * 0.5;
        }
    return sum;
}

// The viscous stress for a rate dF: F (eta0 tr(E') I + 2 eta1 E'), with E' = sym(F'dF) the rate of Green strain. It has
// a potential, costs energy always, and is nothing in a rigid motion, however F is stretched.
THAW_INLINE void viscous_stress(const ThawBatch *batch, const ThawLanes F[9], const ThawLanes dF[9], ThawLanes P[9]) {
    ThawLanes S[9], trace = thaw_lanes_set(0);
    for (int j = 0; j < 3; j++)
        for (int l = 0; l <= j; l++) {
            ThawLanes sum = thaw_lanes_set(0); // twice the rate
            for (int i = 0; i < 3; i++)
                sum += F[i + 3 * j] * dF[i + 3 * l] + dF[i + 3 * j] * F[i + 3 * l];
            S[j + 3 * l] = S[l + 3 * j] = batch->viscosity[1] * sum;
            if (j == l)
                trace += sum * 0.5;
        }
    for (int j = 0; j < 3; j++)
        S[4 * j] += batch->viscosity[0] * trace;
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < 3; l++)
            P[i + 3 * l] = F[i] * S[3 * l] + F[i + 3] * S[3 * l + 1] + F[i + 6] * S[3 * l + 2];
}

THAW_INLINE double sum_lanes(ThawLanes a) { return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7])); }

// Lanes that are turned inside out. Unused ones repeat used ones.
THAW_INLINE ThawLaneMask find_inverted(const ThawLanes F[9]) {
    ThawLanes J =
        F[0] * (F[4] * F[8] - F[7] * F[5]) - F[3] * (F[1] * F[8] - F[7] * F[2]) + F[6] * (F[1] * F[5] - F[4] * F[2]);
    return ~(ThawLaneMask)(J > 0);
}

// How many used ones are.
THAW_INLINE int count_inverted(const ThawBatch *batch, const ThawLanes F[9]) {
    ThawLaneMask mask = find_inverted(F);
    int inverted = 0;
    for (int l = 0; l < THAW_LANES; l++)
        inverted += batch->element[l] >= 0 && mask[l];
    return inverted;
}

// Whether any is, where its material forbids it.
THAW_INLINE int is_inverted(const ThawBatch *batch, const ThawLanes F[9]) {
    return batch->material->needs_orientation && thaw_lanes_any(find_inverted(F));
}

// --- stiffness blocks ------------------------------------------------------------------------------------------------

#define PAIR(a, b) ((a) * ((a) + 1) / 2 + (b))

// Entry (i, k) of block (a, b), a >= b, in the sink's layout.
#define ENTRY(a, b, i, k) (PAIR(a, b) * dim * dim + (i)*dim + (k))

// The blocks that material->blocks gives, from C.
static inline void contract_blocks(const ThawBatch *batch, int count, const ThawLanes C[THAW_SYM9_SIZE],
                                   ThawLanes scale, ThawLanes *K) {
    for (int b = 0; b < count; b++)
        for (int k = 0; k < 3; k++) {
            ThawLanes T[9]; // column (k) of C g_b
            for (int n = 0; n < 9; n++) {
                T[n] = thaw_lanes_set(0);
                for (int l = 0; l < 3; l++)
                    T[n] += C[THAW_SYM9(n, k + 3 * l)] * (scale * batch->gradient[3 * b + l]);
            }
            for (int a = b; a < count; a++)
                for (int i = 0; i < 3; i++) {
                    ThawLanes sum = thaw_lanes_set(0);
                    for (int j = 0; j < 3; j++)
                        sum += T[i + 3 * j] * batch->gradient[3 * a + j];
                    K[9 * PAIR(a, b) + 3 * i + k] = sum;
                }
        }
}

// Adds the viscous blocks: d(P g_a)/dv_b of the stress above is, with p_a = F g_a,
//     eta0 p_a p_b' + eta1 ((g_a . g_b) FF' + p_b p_a').
static inline void add_viscous(const ThawBatch *batch, int count, const ThawLanes F[9], ThawLanes scale, ThawLanes *K) {
    ThawLanes p[3][3], M[3][3], eta[2] = {scale * batch->viscosity[0], scale * batch->viscosity[1]};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            M[i][k] = F[i] * F[k] + F[i + 3] * F[k + 3] + F[i + 6] * F[k + 6];
        for (int a = 0; a < count; a++) {
            const ThawLanes *g = batch->gradient + 3 * a;
            p[a][i] = F[i] * g[0] + F[i + 3] * g[1] + F[i + 6] * g[2];
        }
    }
    for (int a = 0; a < count; a++)
        for (int b = 0; b <= a; b++) {
            const ThawLanes *g = batch->gradient + 3 * a, *u = batch->gradient + 3 * b;
            ThawLanes inner = eta[1] * (g[0] * u[0] + g[1] * u[1] + g[2] * u[2]);
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++)
                    K[9 * PAIR(a, b) + 3 * i + k] +=
                        eta[0] * p[a][i] * p[b][k] + inner * M[i][k] + eta[1] * p[b][i] * p[a][k];
        }
}

// From the material's blocks (3x3, nodes 1 and up) to all of the element's (dim x dim, node 0 included).
THAW_INLINE void complete_blocks(int dim, int nodes, const ThawLanes *K, ThawLanes *blocks) {
    for (int i = 0; i < dim; i++)
        for (int k = 0; k < dim; k++)
            for (int a = 1; a < nodes; a++) {
                ThawLanes sum = thaw_lanes_set(0);
                for (int b = 1; b < nodes; b++) {
                    ThawLanes entry =
                        a >= b ? K[9 * PAIR(a - 1, b - 1) + 3 * i + k] : K[9 * PAIR(b - 1, a - 1) + 3 * k + i];
                    sum += entry;
                    if (a >= b)
                        blocks[ENTRY(a, b, i, k)] = entry;
                }
                blocks[ENTRY(a, 0, i, k)] = -sum;
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

#endif
