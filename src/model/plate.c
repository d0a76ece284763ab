// SPDX-License-Identifier: Apache-2.0
// Plates of triangles that agree with theory on any mesh.
//
// Morley's element takes the deflection w at corners and the mean slope across each edge; its curvature in a triangle
// of area A is
//     S = sum_i c_i m_i n_i n_i',    c_i = l_i / A,
// l_i the edge's length, n_i its outward normal, m_i how much the edge's mean slope along n_i exceeds that of the flat
// triangle. It converges, but its slopes would be unknowns of their own. Here an edge's slope is reconstructed from the
// vertices around, once for both triangles of the edge. That is Morley's energy on a part of its space, so nothing but
// rigid motion costs nothing; the mean curvature of a region follows from slopes on its rim, whatever the mesh; and if
// the reconstruction is exact for quadratic w, constant curvature is, too. These two are the patch test.
//
// Quadratic w has three curvatures, and the angles J of hinges (slope beyond minus slope on this side) are linear in
// them. With the hinge of the edge itself and the four others of its two triangles, m = sum_k r_k J_k must hold for all
// three: the solution nearest to r = (h_own / (h_own + h_other), 0, 0, 0, 0), which is exact for curvature across the
// edge, and for all three on regular meshes. Where it would be farther than `farthest` (few hinges near the rim, or
// nearly degenerate) the three are met less exactly, by Tikhonov's rule: a large r would be stiff against noise.
//
// At a free edge no moment acts across, so its slope is the one of least energy. What is left of a triangle's energy
// 1/2 A kappa'D kappa, with kappa by way of m in J, is 1/2 |B J|^2. Angles are of the bent sheet, areas, lengths and
// normals of its rest shape, developed into the plane triangle by triangle.
#include "model/plate.h"

#include <math.h>
#include <string.h>

#include "math/lanes.h"
#include "math/vec3.h"

static const double farthest = 1;     // of r
static const double nothing = 1e-10;  // of r: as good as 0
static const double singular = 1e-14; // of a matrix, over its trace

enum { AROUND = 5 }; // hinges of an edge's two triangles
// For the edge opposite corner i with ends p = i + 1 and q = i + 2: its own hinge; this triangle's other edges,
// opposite p and q; the neighbour's, opposite q and p.
static const int HINGES_OF_EDGE[3][AROUND] = {{0, 1, 2, 3, 4}, {1, 2, 0, 5, 6}, {2, 0, 1, 7, 8}};

// --- vertices --------------------------------------------------------------------------------------------------------

static int32_t corner_beyond(const ThawPlateMesh *mesh, int32_t f, int32_t u, int32_t v) {
    const int32_t *w = mesh->elements + 3 * (size_t)f;
    return w[0] != u && w[0] != v ? w[0] : w[1] != u && w[1] != v ? w[1] : w[2];
}

// Beyond the edge of f opposite its vertex w: the far corner of its neighbour there, or -1.
static int32_t vertex_beyond(const ThawPlateMesh *mesh, int32_t f, int32_t w) {
    const int32_t *v = mesh->elements + 3 * (size_t)f;
    const int i = v[0] == w ? 0 : v[1] == w ? 1 : 2;
    const int32_t g = mesh->across[3 * (size_t)f + (size_t)i];
    return g < 0 ? -1 : corner_beyond(mesh, g, v[(i + 1) % 3], v[(i + 2) % 3]);
}

void thaw_plate_patch(const ThawPlateMesh *mesh, int32_t e, int32_t patch[THAW_PLATE_ROLES]) {
    const int32_t *v = mesh->elements + 3 * (size_t)e;
    for (int i = 0; i < 3; i++) {
        const int32_t p = v[(i + 1) % 3], q = v[(i + 2) % 3], f = mesh->across[3 * (size_t)e + (size_t)i];
        patch[i] = v[i];
        patch[3 + i] = f < 0 ? -1 : corner_beyond(mesh, f, p, q);
        patch[6 + 2 * i] = f < 0 ? -1 : vertex_beyond(mesh, f, q);
        patch[7 + 2 * i] = f < 0 ? -1 : vertex_beyond(mesh, f, p);
    }
}

double thaw_plate_angle(const double *p, const double *q, const double *a, const double *b) {
    double e[3], u[3], v[3], n1[3], n2[3], cross[3];
    thaw_v3_sub(q, p, e);
    thaw_v3_sub(a, p, u);
    thaw_v3_sub(b, p, v);
    thaw_v3_cross(e, u, n1);
    thaw_v3_cross(v, e, n2);
    thaw_v3_cross(n1, n2, cross);
    return thaw_lanes_atan2(thaw_lanes_set(thaw_v3_dot(cross, e) / thaw_v3_norm(e)),
                            thaw_lanes_set(thaw_v3_dot(n1, n2)))[0];
}

// --- slopes of edges -------------------------------------------------------------------------------------------------

// Where w is in the frame of the edge from u to v: along it, and away from it.
static void along_and_away(const double *u, const double *v, const double *w, double *s, double *h) {
    double e[3], d[3];
    thaw_v3_sub(v, u, e);
    thaw_v3_sub(w, u, d);
    thaw_v3_unit(e);
    *s = thaw_v3_dot(d, e);
    thaw_v3_add(d, -*s, e, d);
    *h = thaw_v3_norm(d);
}

// Develops w beyond the edge from u to v, to its right.
static void develop(const double *X, int32_t u, int32_t v, int32_t w, const double u2[2], const double v2[2],
                    double w2[2]) {
    double s, h;
    along_and_away(X + 3 * (size_t)u, X + 3 * (size_t)v, X + 3 * (size_t)w, &s, &h);
    const double e[2] = {v2[0] - u2[0], v2[1] - u2[1]}, right[2] = {e[1], -e[0]};
    const double l = sqrt(e[0] * e[0] + e[1] * e[1]);
    for (int k = 0; k < 2; k++)
        w2[k] = u2[k] + (s * e[k] + h * right[k]) / l;
}

static double quadratic(int c, const double y[2]) {
    return c == 0 ? y[0] * y[0] / 2 : c == 1 ? y[0] * y[1] : y[1] * y[1] / 2;
}

// The slope of quadratic c away from the edge from u to v, in the triangle to w.
static double slope_away(int c, const double u[2], const double v[2], const double w[2]) {
    const double e[2] = {v[0] - u[0], v[1] - u[1]}, d[2] = {w[0] - u[0], w[1] - u[1]},
                 square = e[0] * e[0] + e[1] * e[1];
    const double t = (d[0] * e[0] + d[1] * e[1]) / square, h = fabs(d[0] * e[1] - d[1] * e[0]) / sqrt(square);
    const double fu = quadratic(c, u), fv = quadratic(c, v);
    return (quadratic(c, w) - fu - t * (fv - fu)) / h;
}

// r += C'(C C' + lambda)^-1 (target - C r) over `count` hinges, lambda as small as `farthest` allows.
static void meet(int count, double C[3][AROUND], const double target[3], double r[AROUND]) {
    double M[3][3], defect[3], trace = 0;
    for (int a = 0; a < 3; a++) {
        defect[a] = target[a];
        for (int k = 0; k < count; k++)
            defect[a] -= C[a][k] * r[k];
        for (int b = 0; b < 3; b++) {
            M[a][b] = 0;
            for (int k = 0; k < count; k++)
                M[a][b] += C[a][k] * C[b][k];
        }
        trace += M[a][a];
    }
    for (double lambda = singular * trace;; lambda *= 10) {
        double L[3][3], y[3], change[AROUND], most = 0;
        for (int a = 0; a < 3; a++)
            for (int b = 0; b <= a; b++) {
                double sum = M[a][b] + (a == b ? lambda : 0);
                for (int k = 0; k < b; k++)
                    sum -= L[a][k] * L[b][k];
                L[a][b] = a == b ? sqrt(fmax(sum, lambda)) : sum / L[b][b];
            }
        for (int a = 0; a < 3; a++) {
            y[a] = defect[a];
            for (int k = 0; k < a; k++)
                y[a] -= L[a][k] * y[k];
            y[a] /= L[a][a];
        }
        for (int a = 2; a >= 0; a--) {
            for (int k = a + 1; k < 3; k++)
                y[a] -= L[k][a] * y[k];
            y[a] /= L[a][a];
        }
        for (int k = 0; k < count; k++) {
            change[k] = C[0][k] * y[0] + C[1][k] * y[1] + C[2][k] * y[2];
            most = fmax(most, fabs(change[k]));
        }
        for (int k = 0; k < count && most <= farthest; k++)
            r[k] += fabs(change[k]) > nothing ? change[k] : 0;
        if (most <= farthest || !(lambda < 1e6 * trace))
            return;
    }
}

// r of the edge opposite corner i, as seen from this triangle.
static void reconstruct_here(const double *X, const int32_t patch[THAW_PLATE_ROLES], int i, double r[AROUND]) {
    const int32_t p = patch[(i + 1) % 3], q = patch[(i + 2) % 3], a = patch[i], b = patch[3 + i];
    const int32_t outer[4] = {patch[3 + (i + 1) % 3], patch[3 + (i + 2) % 3], patch[6 + 2 * i], patch[7 + 2 * i]};
    double s, h, h_other, p2[2], q2[2], a2[2], b2[2], C[3][AROUND], target[3], found[AROUND] = {0};
    int32_t count = 0, of[AROUND];
    const double *P = X + 3 * (size_t)p, *Q = X + 3 * (size_t)q;
    double e[3];
    thaw_v3_sub(Q, P, e);
    const double l = thaw_v3_norm(e);
    along_and_away(P, Q, X + 3 * (size_t)b, &s, &h_other);
    along_and_away(P, Q, X + 3 * (size_t)a, &s, &h);
    p2[0] = -l / 2, q2[0] = l / 2, p2[1] = q2[1] = 0;
    a2[0] = s - l / 2, a2[1] = h;
    develop(X, p, q, b, p2, q2, b2);
    // Ends of the four other edges, and the corner on this side.
    const double *ends[4][3] = {{q2, a2, p2}, {a2, p2, q2}, {p2, b2, q2}, {b2, q2, p2}};
    const int32_t vertex[4][2] = {{q, a}, {a, p}, {p, b}, {b, q}};
    for (int k = 0; k < AROUND; k++) {
        double far[2];
        if (k > 0 && outer[k - 1] < 0)
            continue;
        if (k > 0)
            develop(X, vertex[k - 1][0], vertex[k - 1][1], outer[k - 1], ends[k - 1][0], ends[k - 1][1], far);
        for (int c = 0; c < 3; c++)
            C[c][count] = k == 0 ? slope_away(c, p2, q2, a2) + slope_away(c, p2, q2, b2)
                                 : slope_away(c, ends[k - 1][0], ends[k - 1][1], ends[k - 1][2]) +
                                       slope_away(c, ends[k - 1][0], ends[k - 1][1], far);
        of[count++] = k;
    }
    for (int c = 0; c < 3; c++) // the mean slope of the edge itself is 0 about its middle
        target[c] = slope_away(c, p2, q2, a2);
    found[0] = h / (h + h_other);
    meet(count, C, target, found);
    memset(r, 0, AROUND * sizeof *r);
    for (int k = 0; k < count; k++)
        r[of[k]] = found[k];
}

// The same; both triangles of an edge get what the first of them finds, so that it has one slope.
static void reconstruct(const ThawPlateMesh *mesh, int32_t e, const int32_t patch[THAW_PLATE_ROLES], int i,
                        double r[AROUND]) {
    const int32_t f = mesh->across[3 * (size_t)e + (size_t)i], p = patch[(i + 1) % 3], q = patch[(i + 2) % 3];
    int32_t other[THAW_PLATE_ROLES];
    double its[AROUND];
    if (f >= e) {
        reconstruct_here(mesh->X, patch, i, r);
        return;
    }
    thaw_plate_patch(mesh, f, other);
    const int j = other[0] != p && other[0] != q ? 0 : other[1] != p && other[1] != q ? 1 : 2;
    const int same = other[(j + 1) % 3] == p; // its p is ours
    reconstruct_here(mesh->X, other, j, its);
    r[0] = 1 - its[0];
    r[1] = -its[same ? 4 : 3];
    r[2] = -its[same ? 3 : 4];
    r[3] = -its[same ? 2 : 1];
    r[4] = -its[same ? 1 : 2];
}

// --- energy ----------------------------------------------------------------------------------------------------------

// Where a symmetric matrix of three rows has entry (a, b).
#define AT(a, b) ((a) >= (b) ? (a) * ((a) + 1) / 2 + (b) : (b) * ((b) + 1) / 2 + (a))

// Eliminates the slopes of free edges, by the size of what is left of them; their rows become 0.
static void free_edges(const int32_t *patch, double Q[6]) {
    const double least = 1e-12 * (Q[0] + Q[2] + Q[5]);
    for (int f = 0; f < 3; f++) {
        if (patch[3 + f] >= 0)
            continue;
        const double row[3] = {Q[AT(0, f)], Q[AT(1, f)], Q[AT(2, f)]};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j <= i; j++)
                Q[AT(i, j)] = i == f || j == f ? 0
                              : row[f] > least ? Q[AT(i, j)] - row[i] * row[j] / row[f]
                                               : Q[AT(i, j)];
    }
}

// Q = LL' of a matrix that may be singular: columns without a pivot are 0.
static void factor(const double Q[6], double L[3][3]) {
    const double least = 1e-12 * (Q[0] + Q[2] + Q[5]);
    memset(L, 0, 3 * sizeof *L);
    for (int j = 0; j < 3; j++) {
        double pivot = Q[AT(j, j)];
        for (int k = 0; k < j; k++)
            pivot -= L[j][k] * L[j][k];
        if (!(pivot > least))
            continue;
        L[j][j] = sqrt(pivot);
        for (int i = j + 1; i < 3; i++) {
            double sum = Q[AT(i, j)];
            for (int k = 0; k < j; k++)
                sum -= L[i][k] * L[j][k];
            L[i][j] = sum / L[j][j];
        }
    }
}

// Of the edge opposite corner i: l n n' / sqrt(A) as (xx, yy, 2 xy).
static void edge_curvature(const double *X, const int32_t patch[THAW_PLATE_ROLES], int i, const double axis[3],
                           double k[3]) {
    const double *p = X + 3 * (size_t)patch[(i + 1) % 3], *q = X + 3 * (size_t)patch[(i + 2) % 3];
    double e[3], arm[3], normal[3], y[3];
    thaw_v3_sub(q, p, e);
    thaw_v3_sub(X + 3 * (size_t)patch[i], p, arm);
    thaw_v3_cross(e, arm, normal);
    const double l = thaw_v3_norm(e), twice = thaw_v3_unit(normal), scale = 1 / (l * sqrt(twice / 2));
    thaw_v3_cross(normal, axis, y);
    // n = e turned by a right angle, so n.x is e.y and n.y is -e.x, times l.
    const double nx = thaw_v3_dot(e, y), ny = -thaw_v3_dot(e, axis);
    k[0] = scale * nx * nx;
    k[1] = scale * ny * ny;
    k[2] = scale * 2 * nx * ny;
}

void thaw_plate_measures(const ThawPlateMesh *mesh, int32_t e, const double axis[3], const double D[6],
                         double B[THAW_PLATE_MEASURES][THAW_PLATE_HINGES]) {
    int32_t patch[THAW_PLATE_ROLES];
    double k[3][3], Q[6], L[3][3];
    thaw_plate_patch(mesh, e, patch);
    for (int i = 0; i < 3; i++)
        edge_curvature(mesh->X, patch, i, axis, k[i]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            Q[AT(i, j)] = 0;
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    Q[AT(i, j)] += k[i][a] * D[AT(a, b)] * k[j][b];
        }
    free_edges(patch, Q);
    factor(Q, L);
    memset(B, 0, THAW_PLATE_MEASURES * sizeof *B);
    for (int i = 0; i < 3; i++) {
        double r[AROUND];
        if (patch[3 + i] < 0)
            continue;
        reconstruct(mesh, e, patch, i, r);
        for (int c = 0; c < 3; c++)
            for (int h = 0; h < AROUND; h++)
                B[c][HINGES_OF_EDGE[i][h]] += L[i][c] * r[h];
    }
}
