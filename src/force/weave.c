// SPDX-License-Identifier: Apache-2.0
// Two membranes that know nothing of thickness in themselves: energies of F2 = [f1 f2], the triangle's two columns.
//
// Woven (warp along the first axis, weft along the second): quadratic in Green strain E = (F2'F2 - I)/2,
//     psi = (C11 E11^2 + C22 E22^2)/2 + C12 E11 E22 + 2 C33 E12^2,    P = F2 S, S = dpsi/dE,
// with the moduli of plane stress, C11 = E1 / (1 - nu12 nu21), C12 = nu12 E2 / (..), C22 = E2 / (..), C33 = G. Positive
// is the part of the stiffness that the moduli make, and that of S as far as S is positive.
//
// Lengths, of discrete shells (Grinspun et al. 2003, as in the shells paper's scenes): with edges l, the area A and
// their values at rest,
//     sum kl (1 - l/l0)^2 l0 + ka (1 - A/A0)^2 A0,
// an edge between two triangles half in each. Here by volume A0 t, kl and ka over t; role has a bit for each edge that
// is this triangle's alone. Positive is what springs and area have along their changes, and a tight spring across.
#include <string.h>

#include "force/kernel.h"
#include "force/sheet.h"
#include "math/mat3.h"

// Symmetric 2x2 (xx, xy, yy) -> its positive part.
void thaw_keep_positive(ThawLanes M[3]) {
    ThawLanes mean = 0.5 * (M[0] + M[2]), half = 0.5 * (M[0] - M[2]), zero = thaw_lanes_set(0);
    ThawLanes radius = thaw_lanes_sqrt(half * half + M[1] * M[1]);
    ThawLanes high = thaw_lanes_max(mean + radius, zero), low = thaw_lanes_max(mean - radius, zero);
    // M+ = (high + low)/2 I + (high - low)/2 (M - mean I) / radius
    ThawLanes ratio = thaw_lanes_select((ThawLaneMask)(radius > 0), 0.5 * (high - low) / radius, zero);
    ThawLanes centre = 0.5 * (high + low);
    M[0] = centre + ratio * half;
    M[2] = centre - ratio * half;
    M[1] = ratio * M[1];
}

// C += scale v v' over the six entries of F2.
static void add_square(const ThawLanes v[6], ThawLanes scale, ThawLanes C[THAW_SYM9_SIZE]) {
    for (int r = 0; r < 6; r++)
        for (int c = 0; c <= r; c++)
            C[THAW_SYM9(r, c)] += scale * v[r] * v[c];
}

// C += S (x) I, S symmetric (xx, xy, yy).
static void add_stress(const ThawLanes S[3], ThawLanes C[THAW_SYM9_SIZE]) {
    for (int i = 0; i < 3; i++) {
        C[THAW_SYM9(i, i)] += S[0];
        C[THAW_SYM9(3 + i, i)] += S[1];
        C[THAW_SYM9(3 + i, 3 + i)] += S[2];
    }
}

void thaw_woven(const ThawBatch *batch, const ThawLanes F[9], int project, ThawLanes *psi, ThawLanes P[9],
                ThawLanes *C) {
    const ThawLanes *c = batch->c, *f1 = F, *f2 = F + 3, one = thaw_lanes_set(1), zero = thaw_lanes_set(0);
    const ThawLanes E11 = 0.5 * (thaw_lanes_dot3(f1, f1) - one), E22 = 0.5 * (thaw_lanes_dot3(f2, f2) - one);
    const ThawLanes E12 = 0.5 * thaw_lanes_dot3(f1, f2);
    ThawLanes S[3] = {c[0] * E11 + c[1] * E22, 2 * c[3] * E12, c[1] * E11 + c[2] * E22};
    *psi = 0.5 * (c[0] * E11 * E11 + c[2] * E22 * E22) + c[1] * E11 * E22 + 2 * c[3] * E12 * E12;
    for (int i = 0; i < 3; i++) {
        P[i] = f1[i] * S[0] + f2[i] * S[1];
        P[3 + i] = f1[i] * S[1] + f2[i] * S[2];
        P[6 + i] = zero;
    }
    if (!C)
        return;
    // C11 v1 v1' + C12 (v1 v2' + v2 v1') + C22 v2 v2', v1 = (f1, 0), v2 = (0, f2), as squares.
    ThawLanes v[6];
    memset(C, 0, THAW_SYM9_SIZE * sizeof *C);
    for (int i = 0; i < 3; i++) {
        v[i] = f1[i];
        v[3 + i] = c[1] / c[0] * f2[i];
    }
    add_square(v, c[0], C);
    for (int i = 0; i < 3; i++) {
        v[i] = zero;
        v[3 + i] = f2[i];
    }
    add_square(v, c[2] - c[1] * c[1] / c[0], C);
    for (int i = 0; i < 3; i++) {
        v[i] = f2[i];
        v[3 + i] = f1[i];
    }
    add_square(v, c[3], C);
    if (project)
        thaw_keep_positive(S);
    add_stress(S, C);
}

// Adds d2J/dF2^2 of the area J = |f1 x f2|: dJ/df1 = f2 x n, dJ/df2 = n x f1, and n turns by dn = -sum g^j (n.df_j),
// g^j the dual vectors of f1 and f2.
static void add_area_turning(const ThawLanes F[9], const ThawLanes n[3], ThawLanes scale, ThawLanes C[THAW_SYM9_SIZE]) {
    const ThawLanes a = thaw_lanes_dot3(F, F), b = thaw_lanes_dot3(F, F + 3), c = thaw_lanes_dot3(F + 3, F + 3);
    const ThawLanes det = thaw_lanes_max(a * c - b * b, thaw_lanes_set(1e-280));
    for (int m = 0; m < 6; m++) {
        ThawLanes dn[3], unit[3], first[3], second[3], turn[3];
        for (int i = 0; i < 3; i++) {
            const ThawLanes dual = m < 3 ? (c * F[i] - b * F[3 + i]) / det : (a * F[3 + i] - b * F[i]) / det;
            dn[i] = -dual * n[m % 3];
            unit[i] = thaw_lanes_set(i == m % 3);
        }
        thaw_lanes_cross3(F + 3, dn, first);
        thaw_lanes_cross3(dn, F, second);
        if (m < 3)
            thaw_lanes_cross3(n, unit, turn);
        else
            thaw_lanes_cross3(unit, n, turn);
        for (int i = 0; i < 3; i++) {
            first[i] += m < 3 ? thaw_lanes_set(0) : turn[i];
            second[i] += m < 3 ? turn[i] : thaw_lanes_set(0);
            if (i >= m)
                C[THAW_SYM9(i, m)] += scale * first[i];
            if (3 + i >= m)
                C[THAW_SYM9(3 + i, m)] += scale * second[i];
        }
    }
}

void thaw_lengths(const ThawBatch *batch, const ThawLanes F[9], int project, ThawLanes *psi, ThawLanes P[9],
                  ThawLanes *C) {
    const ThawLanes *g = batch->gradient, one = thaw_lanes_set(1), zero = thaw_lanes_set(0);
    // Rest edges from node 0 are the columns of the inverse of [g1; g2].
    const ThawLanes det = g[0] * g[4] - g[1] * g[3], A0 = 0.5 / thaw_lanes_abs(det);
    const ThawLanes e1[2] = {g[4] / det, -g[3] / det}, e2[2] = {-g[1] / det, g[0] / det};
    const ThawLanes edge[3][2] = {{e2[0] - e1[0], e2[1] - e1[1]}, {e2[0], e2[1]}, {e1[0], e1[1]}};
    *psi = zero;
    memset(P, 0, 9 * sizeof *P);
    if (C)
        memset(C, 0, THAW_SYM9_SIZE * sizeof *C);
    for (int k = 0; k < 3; k++) { // the edge opposite node k
        ThawLanes share, n[3], v[6], l0 = thaw_lanes_sqrt(edge[k][0] * edge[k][0] + edge[k][1] * edge[k][1]);
        for (int l = 0; l < THAW_LANES; l++)
            share[l] = batch->role[l] >> k & 1 ? 1 : 0.5;
        for (int i = 0; i < 3; i++)
            n[i] = F[i] * edge[k][0] + F[3 + i] * edge[k][1];
        const ThawLanes l = thaw_lanes_max(thaw_lanes_sqrt(thaw_lanes_dot3(n, n)), 1e-150 * l0);
        const ThawLanes stiffness = 2 * share * batch->c[0] / (l0 * A0), pull = stiffness * (l - l0);
        *psi += 0.5 * pull * (l - l0);
        for (int i = 0; i < 3; i++)
            n[i] /= l;
        for (int m = 0; m < 6; m++)
            v[m] = edge[k][m / 3] * n[m % 3];
        for (int m = 0; m < 6; m++)
            P[m] += pull * v[m];
        if (!C)
            continue;
        const ThawLanes across = project ? thaw_lanes_max(pull, zero) / l : pull / l;
        const ThawLanes S[3] = {across * edge[k][0] * edge[k][0], across * edge[k][0] * edge[k][1],
                                across * edge[k][1] * edge[k][1]};
        add_square(v, stiffness - across, C);
        add_stress(S, C);
    }
    const ThawLanes *n = F + 6; // the normal
    ThawLanes cross[3], v[6], J, pressure;
    thaw_lanes_cross3(F, F + 3, cross);
    J = thaw_lanes_dot3(cross, n);
    pressure = 2 * batch->c[1] * (J - one);
    *psi += 0.5 * pressure * (J - one);
    thaw_lanes_cross3(F + 3, n, v);
    thaw_lanes_cross3(n, F, v + 3);
    for (int m = 0; m < 6; m++)
        P[m] += pressure * v[m];
    if (!C)
        return;
    add_square(v, 2 * batch->c[1], C);
    if (!project)
        add_area_turning(F, n, pressure, C);
}
