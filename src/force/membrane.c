// SPDX-License-Identifier: Apache-2.0
// The membrane of a sheet: triangles in space with the materials of solids.
//
// Two columns of F = [f1 f2 f3] come from the triangle (rest coordinates in its own plane), the third is along its
// normal n. Fixed thickness: f3 = n, the shells paper's F = Bx + eta n (equations 1-2). Plane stress: f3 = s n with s
// such that P e3 = 0; for isotropic materials P e3 is along n, so this is the scalar condition P33 = n.P e3 = 0, solved
// for each element by Newton's method. The energy is then the least over f3, so
//     dpsi/dF2 = P's first two columns,    d2psi/dF2^2 = C_aa - C_ab C_bb^-1 C_ba    (a: f1, f2; b: f3),
// and n's own turning needs no thought. With fixed thickness P e3 = p n and dn is at right angles to n: the first
// derivative is the same, and with dn = N dF2, N = -sum_j g^j (n.df_j), g^j the dual vectors of f1 and f2,
//     d2psi/dF2^2 = [I; N]' C [I; N] - p N'N.
// Gradients have a third axis of 0, so f3 and what stands in C for it drop out of forces and blocks.
// Woven sheets and those of lengths have energies of F2 alone (weave.c).
//
// Cost for eight: about five evaluations of dP more than a plane triangle.
#include <math.h>
#include <string.h>

#include "force/kernel.h"
#include "force/pass.h"
#include "force/sheet.h"
#include "math/mat3.h"
#include "math/vec3.h"

enum { ITERATIONS = 60 };
enum { PLANE, FIXED, WOVEN, LENGTHS };
static const double settled = 0x1p-46; // change of s, relative

void thaw_membrane_rest(const double *X, double *weight, double *gradient) {
    double a[3], b[3], n[3];
    thaw_v3_sub(X + 3, X, a);
    thaw_v3_sub(X + 6, X, b);
    thaw_v3_cross(a, b, n);
    // In the frame (a / |a|, n x a / |n||a|) the edges are (l, 0) and (c, d).
    double l = sqrt(thaw_v3_dot(a, a)), twice = sqrt(thaw_v3_dot(n, n)), c = thaw_v3_dot(a, b) / l, d = twice / l;
    *weight = twice / 2;
    gradient[0] = 1 / l;
    gradient[1] = -c / (l * d);
    gradient[2] = 0;
    gradient[3] = 1 / d;
}

// --- the normal stretch ----------------------------------------------------------------------------------------------

// F's third column is s n where the mask is set.
static void set_normal(ThawLaneMask mask, const ThawLanes n[3], ThawLanes s, ThawLanes F[9]) {
    for (int i = 0; i < 3; i++)
        F[6 + i] = thaw_lanes_select(mask, s * n[i], F[6 + i]);
}

// s with P33 = 0, from 1 on. P33 falls to its zero from both sides, so its sign is right even where its slope is not:
// steps go at most to half of s or to twice it. A lane that has settled is left alone, whatever the others do.
static void solve_plane_stress(const ThawBatch *batch, const ThawLanes n[3], ThawLanes F[9]) {
    ThawLanes s = thaw_lanes_set(1), dF[9], P[9], dP[9];
    ThawLaneMask active = thaw_lanes_bits(-1);
    memset(dF, 0, sizeof dF);
    memcpy(dF + 6, n, 3 * sizeof *n);
    for (int i = 0; i < ITERATIONS && thaw_lanes_any(active); i++) {
        batch->material->dpsi_dF(F, batch->c, P);
        batch->material->dP(F, batch->c, dF, dP);
        ThawLanes p = thaw_lanes_dot3(P + 6, n), slope = thaw_lanes_dot3(dP + 6, n), next = s - p / slope;
        ThawLaneMask wrong = ~(ThawLaneMask)(slope > 0), up = (ThawLaneMask)(p < 0);
        next = thaw_lanes_select(wrong, thaw_lanes_select(up, 2 * s, 0.5 * s), next);
        next = thaw_lanes_max(next, 0.5 * s);
        next = -thaw_lanes_max(-next, -2 * s);
        next = thaw_lanes_select((ThawLaneMask)(p == 0), s, next);
        ThawLaneMask still = active & (ThawLaneMask)(thaw_lanes_abs(next - s) > settled * s);
        s = thaw_lanes_select(active, next, s);
        set_normal(active, n, s, F);
        active = still;
    }
}

// [f1 f2 0] at x, then F with its normal n.
THAW_INLINE void deformation(const ThawBatch *batch, const double *x, int form, ThawLanes flat[9], ThawLanes n[3],
                             ThawLanes F[9]) {
    ThawLanes d[3][3];
    gather_edges(batch, 3, 3, x, d);
    gradient_of(batch, 3, 3, d, 0, flat);
    memcpy(F, flat, 9 * sizeof *F);
    thaw_lanes_cross3(F, F + 3, n);
    // A triangle without area has some normal: its forces stay finite.
    ThawLanes square = thaw_lanes_dot3(n, n), length = thaw_lanes_sqrt(square);
    ThawLaneMask none = ~(ThawLaneMask)(square > 1e-280);
    for (int i = 0; i < 3; i++)
        n[i] = thaw_lanes_select(none, thaw_lanes_set(i == 2), n[i] / length);
    set_normal(thaw_lanes_bits(-1), n, thaw_lanes_set(1), F);
    if (form == PLANE)
        solve_plane_stress(batch, n, F);
}

// psi, P and, unless NULL, C at F; the form's own part of C alone where it is projected.
THAW_INLINE void evaluate(const ThawBatch *batch, int form, int projected, const ThawLanes F[9], ThawLanes *psi,
                          ThawLanes P[9], ThawLanes *C) {
    if (form == WOVEN)
        thaw_woven(batch, F, projected, psi, P, C);
    else if (form == LENGTHS)
        thaw_lengths(batch, F, projected, psi, P, C);
    else {
        batch->material->dpsi_dF(F, batch->c, P);
        if (C)
            batch->material->d2psi_dF2(F, batch->c, C);
        else
            batch->material->psi(F, batch->c, psi);
    }
}

// --- energy and forces -----------------------------------------------------------------------------------------------

THAW_INLINE void energy_chunk(const ThawForcePass *pass, int32_t chunk, int form) {
    ThawLanes sum = thaw_lanes_set(0);
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &pass->set->batches[b];
        ThawLanes flat[9], n[3], F[9], P[9], psi;
        deformation(batch, pass->x, form, flat, n, F);
        evaluate(batch, form, 0, F, &psi, P, NULL);
        sum += batch->weight * psi;
    }
    double energy = sum_lanes(sum);
    pass->partial[chunk] = isnan(energy) ? INFINITY : energy;
}

THAW_INLINE void looking_chunk(const ThawForcePass *pass, int32_t chunk, int form) {
    energy_chunk(pass, chunk, form);
    pass->partial[pass->set->chunk_count + chunk] = 0;
}

THAW_INLINE void force_chunk(const ThawForcePass *pass, int32_t chunk, int form) {
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &pass->set->batches[b];
        ThawLanes flat[9], n[3], F[9], P[9], psi;
        deformation(batch, pass->x, form, flat, n, F);
        evaluate(batch, form, 0, F, &psi, P, NULL);
        scatter_force(batch, 3, 3, -batch->weight, P, pass->y);
    }
    pass->partial[chunk] = 0;
}

// --- the tangent -----------------------------------------------------------------------------------------------------

// C -= C_ab C_bb^-1 C_ba by eliminating f3's three components one by one; their rows become 0.
static void condense(ThawLanes C[THAW_SYM9_SIZE]) {
    for (int k = 8; k >= 6; k--) {
        ThawLanes inverse = 1.0 / C[THAW_SYM9(k, k)];
        for (int a = 0; a < k; a++) {
            ThawLanes factor = C[THAW_SYM9(k, a)] * inverse;
            for (int b = 0; b <= a; b++)
                C[THAW_SYM9(a, b)] -= factor * C[THAW_SYM9(k, b)];
        }
        for (int a = 0; a <= k; a++)
            C[THAW_SYM9(k, a)] = thaw_lanes_set(0);
    }
}

// C = [I; N]' C [I; N] - p N'N, f3's rows 0. N's column for entry (k, l) of F2 is -g^l n_k.
static void follow_normal(const ThawLanes F[9], const ThawLanes n[3], ThawLanes p, ThawLanes C[THAW_SYM9_SIZE]) {
    ThawLanes a = thaw_lanes_dot3(F, F), b = thaw_lanes_dot3(F, F + 3), c = thaw_lanes_dot3(F + 3, F + 3);
    ThawLanes det = a * c - b * b, N[6][3], CN[9][6];
    for (int m = 0; m < 6; m++)
        for (int i = 0; i < 3; i++) {
            ThawLanes dual = m < 3 ? (c * F[i] - b * F[3 + i]) / det : (a * F[3 + i] - b * F[i]) / det;
            N[m][i] = -dual * n[m % 3];
        }
    for (int r = 0; r < 9; r++) // C_(r)(b) N
        for (int m = 0; m < 6; m++) {
            CN[r][m] = thaw_lanes_set(0);
            for (int i = 0; i < 3; i++)
                CN[r][m] += C[THAW_SYM9(r, 6 + i)] * N[m][i];
        }
    for (int m = 0; m < 6; m++)
        for (int k = 0; k <= m; k++) {
            ThawLanes sum = CN[m][k] + CN[k][m] - p * thaw_lanes_dot3(N[m], N[k]);
            for (int i = 0; i < 3; i++)
                sum += N[m][i] * CN[6 + i][k];
            C[THAW_SYM9(m, k)] += sum;
        }
    for (int r = 6; r < 9; r++)
        for (int m = 0; m <= r; m++)
            C[THAW_SYM9(r, m)] = thaw_lanes_set(0);
}

// The nearest positive semi-definite C. Out of the plane it is n n' (x) M, apart from the rest; in the plane it has the
// form that the projection of solids knows.
static void project(const ThawLanes F[9], const ThawLanes n[3], ThawLanes C[THAW_SYM9_SIZE]) {
    ThawLanes M[3], positive[3];
    static const int row[] = {0, 0, 1}, column[] = {0, 1, 1};
    for (int m = 0; m < 3; m++) {
        M[m] = thaw_lanes_set(0);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                M[m] += n[i] * n[k] * C[THAW_SYM9(i + 3 * row[m], k + 3 * column[m])];
        positive[m] = M[m];
    }
    thaw_keep_positive(positive);
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int r = 0; r < 6; r++)
            for (int c = 0; c <= r; c++)
                C[THAW_SYM9(r, c)] += sign * n[r % 3] * n[c % 3] * (sign < 0 ? M : positive)[r / 3 + c / 3];
        if (sign < 0)
            thaw_material_project(F, C);
    }
}

// P and the tangent C of the sheet, f3's rows 0.
THAW_INLINE void tangent(const ThawBatch *batch, int form, int projected, const ThawLanes F[9], const ThawLanes n[3],
                         ThawLanes P[9], ThawLanes C[THAW_SYM9_SIZE]) {
    ThawLanes psi;
    evaluate(batch, form, projected, F, &psi, P, C);
    if (form == FIXED)
        follow_normal(F, n, thaw_lanes_dot3(P + 6, n), C);
    else if (form == PLANE)
        condense(C);
    if (projected && (form == PLANE || form == FIXED))
        project(F, n, C);
}

THAW_INLINE void linearise_chunk(const ThawForcePass *pass, int32_t chunk, int form) {
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &pass->set->batches[b];
        ThawLanes flat[9], n[3], F[9], P[9], C[THAW_SYM9_SIZE], K[3 * 9], blocks[6 * 9];
        ThawLanes scale = batch->weight * (pass->scale.stiffness + pass->scale.damping * batch->alpha1);
        deformation(batch, pass->x, form, flat, n, F);
        tangent(batch, form, pass->scale.project, F, n, P, C);
        contract_blocks(batch, 2, C, scale, K);
        if (batch->viscous && pass->scale.damping > 0)
            add_viscous(batch, 2, flat, batch->weight * pass->scale.damping, K);
        scatter_force(batch, 3, 3, -batch->weight, P, pass->y);
        complete_blocks(3, 3, K, blocks);
        pass->sink.add(pass->sink.context, b, blocks);
    }
    pass->partial[chunk] = 0;
}

THAW_INLINE void product_chunk(const ThawForcePass *pass, int32_t chunk, int form) {
    ThawLanes whole = thaw_lanes_set(0), damped_form = thaw_lanes_set(0);
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &pass->set->batches[b];
        ThawLanes flat[9], n[3], F[9], P[9], C[THAW_SYM9_SIZE], d[3][3], dF[9], dP[9];
        deformation(batch, pass->x, form, flat, n, F);
        tangent(batch, form, pass->scale.project, F, n, P, C);
        gather_edges(batch, 3, 3, pass->u, d);
        gradient_of(batch, 3, 3, d, 0, dF);
        ThawLanes sum = thaw_lanes_set(0), scale = pass->scale.stiffness + pass->scale.damping * batch->alpha1;
        for (int r = 0; r < 9; r++) {
            dP[r] = thaw_lanes_set(0);
            for (int c = 0; c < 9; c++)
                dP[r] += C[THAW_SYM9(r, c)] * dF[c];
            sum += dF[r] * dP[r];
            dP[r] *= scale;
        }
        whole += batch->weight * sum;
        damped_form += batch->weight * batch->alpha1 * sum;
        if (batch->viscous) {
            ThawLanes viscous[9];
            viscous_stress(batch, flat, dF, viscous);
            for (int i = 0; i < 9; i++) {
                damped_form += batch->weight * dF[i] * viscous[i];
                dP[i] += pass->scale.damping * viscous[i];
            }
        }
        scatter_force(batch, 3, 3, batch->weight, dP, pass->y);
    }
    pass->partial[2 * chunk] = sum_lanes(whole);
    pass->partial[2 * chunk + 1] = sum_lanes(damped_form);
}

// --- for looking at --------------------------------------------------------------------------------------------------

THAW_INLINE void stress_chunk(const ThawForcePass *pass, int32_t chunk, int form) {
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &pass->set->batches[b];
        ThawLanes flat[9], n[3], F[9], P[9], psi;
        deformation(batch, pass->x, form, flat, n, F);
        evaluate(batch, form, 0, F, &psi, P, NULL);
        for (int l = 0; l < THAW_LANES; l++)
            if (batch->element[l] >= 0)
                pass->von_mises[pass->element_user[batch->element[l]]] = thaw_von_mises(F, P, l);
    }
}

int thaw_sheet_inverted(const void *pass, int32_t chunk) {
    (void)pass;
    (void)chunk;
    return 0;
}

// V tau = V P F' of the triangle's two columns: what holds f3 acts on no vertex.
THAW_INLINE void virial_chunk(const ThawForcePass *pass, int32_t chunk, int form) {
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &pass->set->batches[b];
        ThawLanes flat[9], n[3], F[9], P[9], psi, tau[9];
        int32_t group[THAW_LANES];
        if (!groups_of(pass, batch, group))
            continue;
        deformation(batch, pass->x, form, flat, n, F);
        evaluate(batch, form, 0, F, &psi, P, NULL);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                tau[i + 3 * k] = batch->weight * (P[i] * F[k] + P[i + 3] * F[k + 3]);
        virial_add(pass->virial, batch->alpha1, group, tau, pass->sums);
    }
}

// --- with the form as a constant -------------------------------------------------------------------------------------

void thaw_membrane_energy_plane(void *pass, int32_t chunk) { energy_chunk(pass, chunk, PLANE); }
void thaw_membrane_energy_fixed(void *pass, int32_t chunk) { energy_chunk(pass, chunk, FIXED); }
void thaw_membrane_energy_woven(void *pass, int32_t chunk) { energy_chunk(pass, chunk, WOVEN); }
void thaw_membrane_energy_lengths(void *pass, int32_t chunk) { energy_chunk(pass, chunk, LENGTHS); }
void thaw_membrane_looking_plane(void *pass, int32_t chunk) { looking_chunk(pass, chunk, PLANE); }
void thaw_membrane_looking_fixed(void *pass, int32_t chunk) { looking_chunk(pass, chunk, FIXED); }
void thaw_membrane_looking_woven(void *pass, int32_t chunk) { looking_chunk(pass, chunk, WOVEN); }
void thaw_membrane_looking_lengths(void *pass, int32_t chunk) { looking_chunk(pass, chunk, LENGTHS); }
void thaw_membrane_force_plane(void *pass, int32_t chunk) { force_chunk(pass, chunk, PLANE); }
void thaw_membrane_force_fixed(void *pass, int32_t chunk) { force_chunk(pass, chunk, FIXED); }
void thaw_membrane_force_woven(void *pass, int32_t chunk) { force_chunk(pass, chunk, WOVEN); }
void thaw_membrane_force_lengths(void *pass, int32_t chunk) { force_chunk(pass, chunk, LENGTHS); }
void thaw_membrane_linearise_plane(void *pass, int32_t chunk) { linearise_chunk(pass, chunk, PLANE); }
void thaw_membrane_linearise_fixed(void *pass, int32_t chunk) { linearise_chunk(pass, chunk, FIXED); }
void thaw_membrane_linearise_woven(void *pass, int32_t chunk) { linearise_chunk(pass, chunk, WOVEN); }
void thaw_membrane_linearise_lengths(void *pass, int32_t chunk) { linearise_chunk(pass, chunk, LENGTHS); }
void thaw_membrane_product_plane(void *pass, int32_t chunk) { product_chunk(pass, chunk, PLANE); }
void thaw_membrane_product_fixed(void *pass, int32_t chunk) { product_chunk(pass, chunk, FIXED); }
void thaw_membrane_product_woven(void *pass, int32_t chunk) { product_chunk(pass, chunk, WOVEN); }
void thaw_membrane_product_lengths(void *pass, int32_t chunk) { product_chunk(pass, chunk, LENGTHS); }
void thaw_membrane_stress_plane(void *pass, int32_t chunk) { stress_chunk(pass, chunk, PLANE); }
void thaw_membrane_stress_fixed(void *pass, int32_t chunk) { stress_chunk(pass, chunk, FIXED); }
void thaw_membrane_stress_woven(void *pass, int32_t chunk) { stress_chunk(pass, chunk, WOVEN); }
void thaw_membrane_stress_lengths(void *pass, int32_t chunk) { stress_chunk(pass, chunk, LENGTHS); }
void thaw_membrane_virial_plane(void *pass, int32_t chunk) { virial_chunk(pass, chunk, PLANE); }
void thaw_membrane_virial_fixed(void *pass, int32_t chunk) { virial_chunk(pass, chunk, FIXED); }
void thaw_membrane_virial_woven(void *pass, int32_t chunk) { virial_chunk(pass, chunk, WOVEN); }
void thaw_membrane_virial_lengths(void *pass, int32_t chunk) { virial_chunk(pass, chunk, LENGTHS); }
