// SPDX-License-Identifier: Apache-2.0
// The bending of a sheet: a triangle against its up to three neighbours, six nodes.
//
// Roles 0 1 2 are the triangle's corners, 3 + i is the far corner of the neighbour across the edge opposite corner i
// (or corner i again where there is none). With the angles theta_i of its three hinges, from rest angles of the mesh,
//     energy = 1/2 phi' Q phi,    phi_i = theta_i - theta0_i in (-pi, pi],
// and which plate this is, or which hinges, is in Q alone (where a block of it is made): six numbers, then theta0.
//
// An angle (shells paper, equation 3) with e = x1 - x0 along the edge, a = x2 - x0 and b = x3 - x0 to the far corners:
//     n1 = e x a, n2 = b x e,    theta = atan2((n1 x n2).e / |e|, n1.n2),
//     dtheta/da = g2 = -|e| n1 / |n1|^2,  dtheta/db = g3 = -|e| n2 / |n2|^2,  dtheta/de = -t1 g2 - t2 g3,
//     t1 = a.e / |e|^2, t2 = b.e / |e|^2,
// and the second derivative is what these change by. Projected, the stiffness is sum Q_ij grad_i grad_j' alone, which
// is positive; what is left out is proportional to the moments. Damping is alpha times that same part, always: it costs
// energy, and nothing in rigid motion.
#include <math.h>
#include <string.h>

#include "force/kernel.h"
#include "force/pass.h"
#include "force/sheet.h"
#include "math/mat3.h"

static const double pi = 3.14159265358979323846;
static const double least_height = 1e-10; // of a triangle over its edge's length, for derivatives

// Nodes of hinge i by role: ends of the edge, own corner, the neighbour's.
static const int HINGE[3][4] = {{1, 2, 0, 3}, {2, 0, 1, 4}, {0, 1, 2, 5}};

// One hinge and the gradient of its angle by (e, a, b).
typedef struct Hinge {
    ThawLanes e[3], a[3], b[3], n1[3], n2[3];
    ThawLanes length, square; // |e|, |e|^2
    ThawLanes q1, q2;         // |n|^2, kept away from 0
    ThawLanes t1, t2;
    ThawLanes g[3][3];
} Hinge;

static void gather_roles(const ThawBatch *batch, const double *x, ThawLanes out[6][3]) {
    for (int r = 0; r < 6; r++)
        for (int i = 0; i < 3; i++)
            for (int l = 0; l < THAW_LANES; l++)
                out[r][i][l] = x[3 * (int64_t)batch->vertex[thaw_element_role(batch->role[l], r)][l] + i];
}

static void scatter_roles(const ThawBatch *batch, ThawLanes out[6][3], double *y) {
    for (int l = 0; l < THAW_LANES; l++)
        for (int r = 0; r < 6; r++)
            for (int i = 0; i < 3; i++)
                y[3 * (int64_t)batch->vertex[thaw_element_role(batch->role[l], r)][l] + i] += out[r][i][l];
}

static void edges_of(int hinge, ThawLanes x[6][3], ThawLanes e[3], ThawLanes a[3], ThawLanes b[3]) {
    const int *node = HINGE[hinge];
    for (int i = 0; i < 3; i++) {
        e[i] = x[node[1]][i] - x[node[0]][i];
        a[i] = x[node[2]][i] - x[node[0]][i];
        b[i] = x[node[3]][i] - x[node[0]][i];
    }
}

static void make_hinge(int hinge, ThawLanes x[6][3], Hinge *h) {
    edges_of(hinge, x, h->e, h->a, h->b);
    thaw_lanes_cross3(h->e, h->a, h->n1);
    thaw_lanes_cross3(h->b, h->e, h->n2);
    h->square = thaw_lanes_max(thaw_lanes_dot3(h->e, h->e), thaw_lanes_set(1e-200));
    h->length = thaw_lanes_sqrt(h->square);
    ThawLanes least = least_height * least_height * h->square * h->square;
    h->q1 = thaw_lanes_max(thaw_lanes_dot3(h->n1, h->n1), least);
    h->q2 = thaw_lanes_max(thaw_lanes_dot3(h->n2, h->n2), least);
    h->t1 = thaw_lanes_dot3(h->a, h->e) / h->square;
    h->t2 = thaw_lanes_dot3(h->b, h->e) / h->square;
    for (int i = 0; i < 3; i++) {
        h->g[1][i] = -h->length / h->q1 * h->n1[i];
        h->g[2][i] = -h->length / h->q2 * h->n2[i];
        h->g[0][i] = -h->t1 * h->g[1][i] - h->t2 * h->g[2][i];
    }
}

// theta - theta0, in (-pi, pi].
static ThawLanes angle_of(const Hinge *h, ThawLanes theta0) {
    ThawLanes cross[3], phi;
    thaw_lanes_cross3(h->n1, h->n2, cross);
    ThawLanes sine = thaw_lanes_dot3(cross, h->e) / h->length, cosine = thaw_lanes_dot3(h->n1, h->n2);
    for (int l = 0; l < THAW_LANES; l++) {
        phi[l] = atan2(sine[l], cosine[l]) - theta0[l];
        phi[l] += phi[l] > pi ? -2 * pi : phi[l] <= -pi ? 2 * pi : 0;
    }
    return phi;
}

// What the gradient changes by in the direction d of (e, a, b).
static void change_of(const Hinge *h, ThawLanes d[3][3], ThawLanes dg[3][3]) {
    ThawLanes m[3], dn1[3], dn2[3];
    thaw_lanes_cross3(d[0], h->a, dn1);
    thaw_lanes_cross3(h->e, d[1], m);
    for (int i = 0; i < 3; i++)
        dn1[i] += m[i];
    thaw_lanes_cross3(d[2], h->e, dn2);
    thaw_lanes_cross3(h->b, d[0], m);
    for (int i = 0; i < 3; i++)
        dn2[i] += m[i];
    ThawLanes along = thaw_lanes_dot3(h->e, d[0]), dlength = along / h->length;
    ThawLanes dq1 = 2 * thaw_lanes_dot3(h->n1, dn1), dq2 = 2 * thaw_lanes_dot3(h->n2, dn2);
    ThawLanes dt1 = (thaw_lanes_dot3(d[1], h->e) + thaw_lanes_dot3(h->a, d[0]) - 2 * h->t1 * along) / h->square;
    ThawLanes dt2 = (thaw_lanes_dot3(d[2], h->e) + thaw_lanes_dot3(h->b, d[0]) - 2 * h->t2 * along) / h->square;
    for (int i = 0; i < 3; i++) {
        dg[1][i] = -(dlength * h->n1[i] + h->length * (dn1[i] - h->n1[i] * dq1 / h->q1)) / h->q1;
        dg[2][i] = -(dlength * h->n2[i] + h->length * (dn2[i] - h->n2[i] * dq2 / h->q2)) / h->q2;
        dg[0][i] = -dt1 * h->g[1][i] - h->t1 * dg[1][i] - dt2 * h->g[2][i] - h->t2 * dg[2][i];
    }
}

// From (e, a, b) to the six roles, times scale: x0 gets minus their sum.
static void add_to_roles(int hinge, ThawLanes scale, ThawLanes g[3][3], ThawLanes out[6][3]) {
    const int *node = HINGE[hinge];
    for (int i = 0; i < 3; i++) {
        out[node[1]][i] += scale * g[0][i];
        out[node[2]][i] += scale * g[1][i];
        out[node[3]][i] += scale * g[2][i];
        out[node[0]][i] -= scale * (g[0][i] + g[1][i] + g[2][i]);
    }
}

static ThawLanes Q_of(const ThawBatch *batch, int i, int j) {
    return batch->gradient[i >= j ? PAIR(i, j) : PAIR(j, i)];
}

// Angles and moments Q phi at x; unused lanes have weight 0.
static void bend(const ThawBatch *batch, ThawLanes x[6][3], Hinge h[3], ThawLanes phi[3], ThawLanes moment[3]) {
    for (int i = 0; i < 3; i++) {
        make_hinge(i, x, &h[i]);
        phi[i] = angle_of(&h[i], batch->gradient[6 + i]);
    }
    for (int i = 0; i < 3; i++)
        moment[i] =
            batch->weight * (Q_of(batch, i, 0) * phi[0] + Q_of(batch, i, 1) * phi[1] + Q_of(batch, i, 2) * phi[2]);
}

void thaw_bending_energy(void *context, int32_t chunk) {
    const ThawForcePass *pass = context;
    ThawLanes sum = thaw_lanes_set(0);
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++) {
        ThawLanes x[6][3], phi[3], moment[3];
        Hinge h[3];
        gather_roles(&pass->set->batches[b], pass->x, x);
        bend(&pass->set->batches[b], x, h, phi, moment);
        sum += 0.5 * thaw_lanes_dot3(phi, moment);
    }
    pass->partial[chunk] = sum_lanes(sum);
}

void thaw_bending_looking(void *context, int32_t chunk) {
    const ThawForcePass *pass = context;
    thaw_bending_energy(context, chunk);
    pass->partial[pass->set->chunk_count + chunk] = 0;
}

static void add_force(const ThawBatch *batch, Hinge h[3], const ThawLanes moment[3], double *y) {
    ThawLanes out[6][3];
    memset(out, 0, sizeof out);
    for (int i = 0; i < 3; i++)
        add_to_roles(i, -moment[i], h[i].g, out);
    scatter_roles(batch, out, y);
}

void thaw_bending_force(void *context, int32_t chunk) {
    const ThawForcePass *pass = context;
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &pass->set->batches[b];
        ThawLanes x[6][3], phi[3], moment[3];
        Hinge h[3];
        gather_roles(batch, pass->x, x);
        bend(batch, x, h, phi, moment);
        add_force(batch, h, moment, pass->y);
    }
    pass->partial[chunk] = 0;
}

// --- stiffness -------------------------------------------------------------------------------------------------------

// K[r][i], by role and axis, in the direction d of one node's axis: Q's part times `full`, the moments' times `bent`.
static void column_of(const ThawBatch *batch, const Hinge h[3], ThawLanes gradient[3][6][3], const ThawLanes moment[3],
                      ThawLanes full, ThawLanes bent, int exact, ThawLanes d[6][3], ThawLanes K[6][3]) {
    ThawLanes rate[3];
    memset(K, 0, 6 * sizeof *K);
    for (int i = 0; i < 3; i++) {
        rate[i] = thaw_lanes_set(0);
        for (int r = 0; r < 6; r++)
            rate[i] += thaw_lanes_dot3(gradient[i][r], d[r]);
    }
    for (int i = 0; i < 3; i++) {
        ThawLanes turn = full * batch->weight *
                         (Q_of(batch, i, 0) * rate[0] + Q_of(batch, i, 1) * rate[1] + Q_of(batch, i, 2) * rate[2]);
        for (int r = 0; r < 6; r++)
            for (int k = 0; k < 3; k++)
                K[r][k] += turn * gradient[i][r][k];
        if (!exact)
            continue;
        ThawLanes change[3][3], dg[3][3];
        edges_of(i, d, change[0], change[1], change[2]);
        change_of(&h[i], change, dg);
        add_to_roles(i, bent * moment[i], dg, K);
    }
}

// Gradients of the three angles by role.
static void spread(Hinge h[3], ThawLanes gradient[3][6][3]) {
    memset(gradient, 0, 3 * sizeof *gradient);
    for (int i = 0; i < 3; i++)
        add_to_roles(i, thaw_lanes_set(1), h[i].g, gradient[i]);
}

// Column (s, k) of the element, by role -> its blocks, by node: those at or below the diagonal.
static void store_column(const ThawBatch *batch, int s, int k, ThawLanes K[6][3], ThawLanes *blocks) {
    enum { dim = 3 };
    for (int l = 0; l < THAW_LANES; l++) {
        const int c = thaw_element_role(batch->role[l], s);
        for (int r = 0; r < 6; r++) {
            const int a = thaw_element_role(batch->role[l], r);
            for (int i = 0; i < 3 && a >= c; i++)
                blocks[ENTRY(a, c, i, k)][l] = K[r][i][l];
        }
    }
}

void thaw_bending_linearise(void *context, int32_t chunk) {
    const ThawForcePass *pass = context;
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &pass->set->batches[b];
        ThawLanes x[6][3], phi[3], moment[3], gradient[3][6][3], d[6][3], K[6][3], blocks[THAW_BLOCKS_MAX * 9];
        ThawLanes full = pass->scale.stiffness + pass->scale.damping * batch->alpha1;
        Hinge h[3];
        gather_roles(batch, pass->x, x);
        bend(batch, x, h, phi, moment);
        add_force(batch, h, moment, pass->y);
        spread(h, gradient);
        memset(d, 0, sizeof d);
        for (int s = 0; s < 6; s++)
            for (int k = 0; k < 3; k++) {
                d[s][k] = thaw_lanes_set(1);
                column_of(batch, h, gradient, moment, full, thaw_lanes_set(pass->scale.stiffness), !pass->scale.project,
                          d, K);
                d[s][k] = thaw_lanes_set(0);
                store_column(batch, s, k, K, blocks);
            }
        pass->sink.add(pass->sink.context, b, blocks);
    }
    pass->partial[chunk] = 0;
}

void thaw_bending_product(void *context, int32_t chunk) {
    const ThawForcePass *pass = context;
    ThawLanes form = thaw_lanes_set(0), damped_form = thaw_lanes_set(0), one = thaw_lanes_set(1);
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &pass->set->batches[b];
        ThawLanes x[6][3], u[6][3], phi[3], moment[3], gradient[3][6][3], K[6][3], D[6][3];
        Hinge h[3];
        gather_roles(batch, pass->x, x);
        gather_roles(batch, pass->u, u);
        bend(batch, x, h, phi, moment);
        spread(h, gradient);
        column_of(batch, h, gradient, moment, one, one, !pass->scale.project, u, K);
        column_of(batch, h, gradient, moment, batch->alpha1, one, 0, u, D);
        for (int r = 0; r < 6; r++) {
            form += thaw_lanes_dot3(u[r], K[r]);
            damped_form += thaw_lanes_dot3(u[r], D[r]);
            for (int i = 0; i < 3; i++)
                K[r][i] = pass->scale.stiffness * K[r][i] + pass->scale.damping * D[r][i];
        }
        scatter_roles(batch, K, pass->y);
    }
    pass->partial[2 * chunk] = sum_lanes(form);
    pass->partial[2 * chunk + 1] = sum_lanes(damped_form);
}

// --- what others ask of every kind -----------------------------------------------------------------------------------

// Stress is shown of the membrane alone.
void thaw_bending_stress(void *pass, int32_t chunk) {
    (void)pass;
    (void)chunk;
}

// No strain of its own: a field of strains has one value a triangle, the membrane's.
void thaw_bending_strain(const void *pass, int32_t first, int32_t end) {
    (void)pass;
    (void)first;
    (void)end;
}
