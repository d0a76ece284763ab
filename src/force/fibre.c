// SPDX-License-Identifier: Apache-2.0
// Fibres: what an element resists along one direction a of its rest shape, on top of its material, by the fifth
// invariant I5 = |Fa|^2, the stretch along a squared (CONJAC, section 2, after Kim, de Goes and Eberle 2019). With
// s = I5 - 1:
//     quadratic (anisotropic Saint Venant-Kirchhoff)   psi = mu/2 s^2
//     exponential (Fung)                               psi = mu/k^2 (e^(k s) - 1 - k s)
// so both have P = 2 psi' F a a' and d2psi/dF2 = 2 psi' (a a') (x) I + 4 psi'' vec(F a a') vec(F a a')', with
// psi'' = mu at rest: a fibre adds 4 mu to Young's modulus along it. A slack one resists stretching only.
//
// An element needs of a only b_n = g_n . a at its nodes n = 1, 2, ..., its rest data: with l = Fa = sum_n (x_n - x_0)
// b_n the force on n is -V 2 psi' b_n l, and block (n, m) of the stiffness V b_n b_m (2 psi' I + 4 psi'' l l'), whose
// bracket has the eigenvalues 2 psi' (across l) and 2 psi' + 4 I5 psi'' (along it): projected, each is at least 0.
// Damping is alpha1 times the part with psi'', whatever is asked of the material: it is none in rigid motion.
//
// An exponent beyond 30 goes on as the parabola that fits there. About 60 vector operations for eight elements without
// their stiffness, 300 with it.
#include "force/fibre.h"

#include <string.h>

#include "force/kernel.h"
#include "force/pass.h"
#include "math/mat3.h"
#include "model/model.h"

enum { MU, EXPONENT, SLACK };
static const double largest_exponent = 30;

void thaw_fibre_constants(const ThawMaterial *material, double thickness, double factor, double *c) {
    (void)thickness;
    c[MU] = factor * material->fibre.stiffness;
    c[EXPONENT] = material->fibre.exponent; // 0: quadratic
    c[SLACK] = material->fibre.slack;
}

// psi, 2 psi' and 4 psi'' at I5.
typedef struct Tension {
    ThawLanes psi, slope, curve;
} Tension;

static Tension tension_of(const ThawBatch *batch, ThawLanes I5) {
    const ThawLanes zero = thaw_lanes_set(0), mu = batch->c[MU];
    const ThawLaneMask grows = (ThawLaneMask)(batch->c[EXPONENT] > zero);
    const ThawLanes s = I5 - 1.0;
    Tension t = {0.5 * mu * s * s, 2.0 * mu * s, 4.0 * mu};
    if (thaw_lanes_any(grows)) {
        const ThawLanes k = thaw_lanes_select(grows, batch->c[EXPONENT], thaw_lanes_set(1)), z = k * s;
        const ThawLanes most = -thaw_lanes_max(-z, thaw_lanes_set(-largest_exponent)), over = z - most;
        const ThawLanes e = thaw_lanes_exp(most);
        t.psi = thaw_lanes_select(grows, mu / (k * k) * (e * (1.0 + over + 0.5 * over * over) - 1.0 - z), t.psi);
        t.slope = thaw_lanes_select(grows, 2.0 * mu / k * (e * (1.0 + over) - 1.0), t.slope);
        t.curve = thaw_lanes_select(grows, 4.0 * mu * e, t.curve);
    }
    const ThawLaneMask loose = (ThawLaneMask)(batch->c[SLACK] > zero) & (ThawLaneMask)(s < zero);
    t.psi = thaw_lanes_select(loose, zero, t.psi);
    t.slope = thaw_lanes_select(loose, zero, t.slope);
    t.curve = thaw_lanes_select(loose, zero, t.curve);
    return t;
}

// b of all nodes; that of node 0 is minus the others' sum.
THAW_INLINE void slopes_of(const ThawIntegrationSet *set, const ThawBatch *batch, int nodes, ThawLanes b[4]) {
    b[0] = thaw_lanes_set(0);
    for (int n = 1; n < nodes; n++) {
        b[n] = set->rest[batch->rest + n - 1];
        b[0] -= b[n];
    }
}

// l = sum_n b_n x_n, by differences to node 0.
THAW_INLINE void line_of(const ThawBatch *batch, int dim, int nodes, const ThawLanes b[4], const double *x,
                         ThawLanes l[3]) {
    ThawLanes d[3][3];
    gather_edges(batch, dim, nodes, x, d);
    for (int i = 0; i < 3; i++) {
        l[i] = thaw_lanes_set(0);
        for (int n = 1; n < nodes && i < dim; n++)
            l[i] += d[n - 1][i] * b[n];
    }
}

// y_n += b_n p.
THAW_INLINE void add_to_nodes(const ThawBatch *batch, int dim, int nodes, const ThawLanes b[4], const ThawLanes p[3],
                              double *y) {
    ThawLanes out[4][3];
    for (int n = 0; n < nodes; n++)
        for (int i = 0; i < dim; i++)
            out[n][i] = b[n] * p[i];
    for (int l = 0; l < THAW_LANES; l++)
        for (int n = 0; n < nodes; n++)
            for (int i = 0; i < dim; i++)
                y[batch->vertex[n][l] * (int64_t)dim + i] += out[n][i][l];
}

THAW_INLINE void energy_chunk(const ThawForcePass *pass, int32_t chunk, int dim, int nodes) {
    ThawLanes sum = thaw_lanes_set(0);
    for (int32_t k = pass->set->chunk[chunk]; k < pass->set->chunk[chunk + 1]; k++) {
        const ThawBatch *batch = &pass->set->batches[k];
        ThawLanes b[4], l[3];
        slopes_of(pass->set, batch, nodes, b);
        line_of(batch, dim, nodes, b, pass->x, l);
        sum += batch->weight * tension_of(batch, thaw_lanes_dot3(l, l)).psi;
    }
    pass->partial[chunk] = sum_lanes(sum);
}

THAW_INLINE void looking_chunk(const ThawForcePass *pass, int32_t chunk, int dim, int nodes) {
    energy_chunk(pass, chunk, dim, nodes);
    pass->partial[pass->set->chunk_count + chunk] = 0;
}

THAW_INLINE void force_chunk(const ThawForcePass *pass, int32_t chunk, int dim, int nodes) {
    for (int32_t k = pass->set->chunk[chunk]; k < pass->set->chunk[chunk + 1]; k++) {
        const ThawBatch *batch = &pass->set->batches[k];
        ThawLanes b[4], l[3];
        slopes_of(pass->set, batch, nodes, b);
        line_of(batch, dim, nodes, b, pass->x, l);
        const ThawLanes slope = batch->weight * tension_of(batch, thaw_lanes_dot3(l, l)).slope;
        for (int i = 0; i < dim; i++)
            l[i] *= -slope;
        add_to_nodes(batch, dim, nodes, b, l, pass->y);
    }
    pass->partial[chunk] = 0;
}

// The stiffness as `across` I + `along` l l', and the part of it that damps, `damped` l l'.
typedef struct Resistance {
    ThawLanes across, along, damped;
} Resistance;

static Resistance resistance_of(Tension t, ThawLanes I5, int project) {
    const ThawLanes zero = thaw_lanes_set(0);
    if (!project)
        return (Resistance){t.slope, t.curve, t.curve};
    const ThawLanes across = thaw_lanes_max(t.slope, zero), along = thaw_lanes_max(t.slope + t.curve * I5, zero);
    const ThawLaneMask collapsed = (ThawLaneMask)(I5 == zero);
    const ThawLanes I = thaw_lanes_select(collapsed, thaw_lanes_set(1), I5);
    return (Resistance){across, (along - across) / I, t.curve};
}

THAW_INLINE void linearise_chunk(const ThawForcePass *pass, int32_t chunk, int dim, int nodes) {
    for (int32_t k = pass->set->chunk[chunk]; k < pass->set->chunk[chunk + 1]; k++) {
        const ThawBatch *batch = &pass->set->batches[k];
        ThawLanes b[4], l[3], M[3][3], blocks[THAW_BLOCKS_MAX * 9];
        slopes_of(pass->set, batch, nodes, b);
        line_of(batch, dim, nodes, b, pass->x, l);
        const ThawLanes I5 = thaw_lanes_dot3(l, l);
        const Tension t = tension_of(batch, I5);
        const Resistance r = resistance_of(t, I5, pass->scale.project);
        const ThawLanes dyad = pass->scale.stiffness * r.along + pass->scale.damping * batch->alpha1 * r.damped;
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++) {
                M[i][j] = batch->weight * dyad * l[i] * l[j];
                if (i == j)
                    M[i][j] += batch->weight * pass->scale.stiffness * r.across;
            }
        for (int n = 0; n < nodes; n++)
            for (int m = 0; m <= n; m++) {
                const ThawLanes both = b[n] * b[m];
                for (int i = 0; i < dim; i++)
                    for (int j = 0; j < dim; j++)
                        blocks[ENTRY(n, m, i, j)] = both * M[i][j];
            }
        pass->sink.add(pass->sink.context, k, blocks);
        for (int i = 0; i < dim; i++)
            l[i] *= -batch->weight * t.slope;
        add_to_nodes(batch, dim, nodes, b, l, pass->y);
    }
    pass->partial[chunk] = 0;
}

THAW_INLINE void product_chunk(const ThawForcePass *pass, int32_t chunk, int dim, int nodes) {
    ThawLanes form = thaw_lanes_set(0), damped = thaw_lanes_set(0);
    for (int32_t k = pass->set->chunk[chunk]; k < pass->set->chunk[chunk + 1]; k++) {
        const ThawBatch *batch = &pass->set->batches[k];
        ThawLanes b[4], l[3], d[3];
        slopes_of(pass->set, batch, nodes, b);
        line_of(batch, dim, nodes, b, pass->x, l);
        line_of(batch, dim, nodes, b, pass->u, d);
        const ThawLanes I5 = thaw_lanes_dot3(l, l), rate = thaw_lanes_dot3(l, d);
        const Resistance r = resistance_of(tension_of(batch, I5), I5, pass->scale.project);
        form += batch->weight * (r.across * thaw_lanes_dot3(d, d) + r.along * rate * rate);
        damped += batch->weight * batch->alpha1 * r.damped * rate * rate;
        const ThawLanes dyad =
            rate * (pass->scale.stiffness * r.along + pass->scale.damping * batch->alpha1 * r.damped);
        for (int i = 0; i < dim; i++)
            d[i] = batch->weight * (pass->scale.stiffness * r.across * d[i] + dyad * l[i]);
        add_to_nodes(batch, dim, nodes, b, d, pass->y);
    }
    pass->partial[2 * chunk] = sum_lanes(form);
    pass->partial[2 * chunk + 1] = sum_lanes(damped);
}

// V tau = V P F' = V 2 psi' l l'. Damping is none in rigid motion.
THAW_INLINE void virial_chunk(const ThawForcePass *pass, int32_t chunk, int dim, int nodes) {
    for (int32_t k = pass->set->chunk[chunk]; pass->group_of_vertex && k < pass->set->chunk[chunk + 1]; k++) {
        const ThawBatch *batch = &pass->set->batches[k];
        ThawLanes b[4], l[3], tau[9];
        int32_t group[THAW_LANES];
        if (!thaw_groups_by_vertices(pass, batch, group))
            continue;
        slopes_of(pass->set, batch, nodes, b);
        line_of(batch, dim, nodes, b, pass->x, l);
        const ThawLanes slope = batch->weight * tension_of(batch, thaw_lanes_dot3(l, l)).slope;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                tau[i + 3 * j] = slope * l[i] * l[j];
        virial_add(pass->virial, thaw_lanes_set(0), group, tau, pass->sums);
    }
}

// --- with dim and nodes as constants ---------------------------------------------------------------------------------

void thaw_fibre_energy_2d(void *pass, int32_t chunk) { energy_chunk(pass, chunk, 2, 3); }
void thaw_fibre_energy_3d(void *pass, int32_t chunk) { energy_chunk(pass, chunk, 3, 4); }
void thaw_fibre_looking_2d(void *pass, int32_t chunk) { looking_chunk(pass, chunk, 2, 3); }
void thaw_fibre_looking_3d(void *pass, int32_t chunk) { looking_chunk(pass, chunk, 3, 4); }
void thaw_fibre_force_2d(void *pass, int32_t chunk) { force_chunk(pass, chunk, 2, 3); }
void thaw_fibre_force_3d(void *pass, int32_t chunk) { force_chunk(pass, chunk, 3, 4); }
void thaw_fibre_linearise_2d(void *pass, int32_t chunk) { linearise_chunk(pass, chunk, 2, 3); }
void thaw_fibre_linearise_3d(void *pass, int32_t chunk) { linearise_chunk(pass, chunk, 3, 4); }
void thaw_fibre_product_2d(void *pass, int32_t chunk) { product_chunk(pass, chunk, 2, 3); }
void thaw_fibre_product_3d(void *pass, int32_t chunk) { product_chunk(pass, chunk, 3, 4); }
void thaw_fibre_virial_2d(void *pass, int32_t chunk) { virial_chunk(pass, chunk, 2, 3); }
void thaw_fibre_virial_3d(void *pass, int32_t chunk) { virial_chunk(pass, chunk, 3, 4); }
