// SPDX-License-Identifier: Apache-2.0
// The bending of a sheet: a triangle with its up to three neighbours (near, six nodes), or with those neighbours' other
// neighbours as well (wide, twelve).
//
// With the angles theta_h of the three or nine hinges between them (roles of vertices: model/plate.h), from rest angles
// of the mesh,
//     energy = 1/2 |B phi|^2,    phi_h = theta_h - theta0_h in (c_h - pi, c_h + pi],
// c_h the middle of the branch that the hinge is on (model/hinges.c; the element has theta0_h + c_h and c_h),
// and which plate this is, or which hinges, is in B alone (model/plate.c, model/sheet.c): its three rows are three
// measures of curvature, scaled so that their squares are energies. A hinge that is not there has a column of 0.
//
// Angles and their slopes are those of force/hinge.h; the second derivative is what the slopes change by. Projected,
// the stiffness is that of the three measures alone, B'B of the gradients, which is positive; what is left out is
// proportional to the moments. Damping is alpha times that same part, always: it costs energy, and nothing in rigid
// motion.
//
// Cost for eight triangles, wide: some 4000 vector operations of forces and stiffness together, as many scalar ones
// that put them in place.
#include <math.h>
#include <string.h>

#include "force/hinge.h"
#include "force/kernel.h"
#include "force/pass.h"
#include "force/sheet.h"
#include "math/mat3.h"
#include "model/plate.h"

enum {
    ROLES = THAW_PLATE_ROLES,
    HINGES = THAW_PLATE_HINGES,
    MEASURES = THAW_PLATE_MEASURES,
    PAIRS = ROLES * (ROLES + 1) / 2
};

// How much of the above a kind has.
typedef struct Form {
    int roles, hinges;
} Form;
#define NEAR ((Form){6, 3})
#define WIDE ((Form){ROLES, HINGES})

static void edges_of(int hinge, ThawLanes x[ROLES][3], ThawLanes e[3], ThawLanes a[3], ThawLanes b[3]) {
    const int *node = THAW_HINGE[hinge];
    for (int i = 0; i < 3; i++) {
        e[i] = x[node[1]][i] - x[node[0]][i];
        a[i] = x[node[2]][i] - x[node[0]][i];
        b[i] = x[node[3]][i] - x[node[0]][i];
    }
}

// What the gradient changes by in the direction d of (e, a, b).
static void change_of(const ThawHinge *h, ThawLanes d[3][3], ThawLanes dg[3][3]) {
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

// --- in and out ------------------------------------------------------------------------------------------------------

THAW_INLINE void gather_roles(const ThawBatch *batch, Form form, const double *x, ThawLanes out[ROLES][3]) {
    for (int r = 0; r < form.roles; r++)
        for (int i = 0; i < 3; i++)
            for (int l = 0; l < THAW_LANES; l++)
                out[r][i][l] = x[3 * (int64_t)batch->vertex[thaw_element_role(batch->role[l], r)][l] + i];
}

THAW_INLINE void scatter_roles(const ThawBatch *batch, Form form, ThawLanes out[ROLES][3], double *y) {
    for (int l = 0; l < THAW_LANES; l++)
        for (int r = 0; r < form.roles; r++)
            for (int i = 0; i < 3; i++)
                y[3 * (int64_t)batch->vertex[thaw_element_role(batch->role[l], r)][l] + i] += out[r][i][l];
}

// From (e, a, b) of a hinge to the roles, times scale: x0 gets minus their sum.
static void add_to_roles(int hinge, ThawLanes scale, ThawLanes g[3][3], ThawLanes out[ROLES][3]) {
    const int *node = THAW_HINGE[hinge];
    for (int i = 0; i < 3; i++) {
        out[node[1]][i] += scale * g[0][i];
        out[node[2]][i] += scale * g[1][i];
        out[node[3]][i] += scale * g[2][i];
        out[node[0]][i] -= scale * (g[0][i] + g[1][i] + g[2][i]);
    }
}

// --- curvature -------------------------------------------------------------------------------------------------------

// A triangle bent: its hinges, the measures B phi times weight, and the moments of the hinges, B' times those.
typedef struct Bend {
    const ThawLanes *B; // [measure][hinge]
    ThawHinge hinge[HINGES];
    ThawLanes phi[HINGES], measure[MEASURES], moment[HINGES];
} Bend;

// Unused lanes have weight 0.
THAW_INLINE void bend(const ThawForcePass *pass, const ThawBatch *batch, Form form, ThawLanes x[ROLES][3], Bend *bend) {
    bend->B = pass->set->rest + batch->rest;
    const ThawLanes *middle = bend->B + MEASURES * form.hinges, *centre = middle + form.hinges;
    for (int h = 0; h < form.hinges; h++) {
        edges_of(h, x, bend->hinge[h].e, bend->hinge[h].a, bend->hinge[h].b);
        thaw_hinge_make(&bend->hinge[h]);
        bend->phi[h] = centre[h] + thaw_hinge_angle(&bend->hinge[h], middle[h]);
        bend->moment[h] = thaw_lanes_set(0);
    }
    for (int c = 0; c < MEASURES; c++) {
        ThawLanes sum = thaw_lanes_set(0);
        for (int h = 0; h < form.hinges; h++)
            sum += bend->B[c * form.hinges + h] * bend->phi[h];
        bend->measure[c] = batch->weight * sum;
        for (int h = 0; h < form.hinges; h++)
            bend->moment[h] += bend->B[c * form.hinges + h] * bend->measure[c];
    }
}

THAW_INLINE void energy_chunk(const ThawForcePass *pass, int32_t chunk, Form form) {
    ThawLanes sum = thaw_lanes_set(0);
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++) {
        ThawLanes x[ROLES][3];
        Bend bent;
        gather_roles(&pass->set->batches[b], form, pass->x, x);
        bend(pass, &pass->set->batches[b], form, x, &bent);
        for (int h = 0; h < form.hinges; h++)
            sum += 0.5 * bent.moment[h] * bent.phi[h];
    }
    pass->partial[chunk] = sum_lanes(sum);
}

THAW_INLINE void looking_chunk(const ThawForcePass *pass, int32_t chunk, Form form) {
    energy_chunk(pass, chunk, form);
    pass->partial[pass->set->chunk_count + chunk] = 0;
}

THAW_INLINE void add_force(const ThawBatch *batch, Form form, Bend *bent, double *y) {
    ThawLanes out[ROLES][3];
    memset(out, 0, sizeof out);
    for (int h = 0; h < form.hinges; h++)
        add_to_roles(h, -bent->moment[h], bent->hinge[h].g, out);
    scatter_roles(batch, form, out, y);
}

THAW_INLINE void force_chunk(const ThawForcePass *pass, int32_t chunk, Form form) {
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &pass->set->batches[b];
        ThawLanes x[ROLES][3];
        Bend bent;
        gather_roles(batch, form, pass->x, x);
        bend(pass, batch, form, x, &bent);
        add_force(batch, form, &bent, pass->y);
    }
    pass->partial[chunk] = 0;
}

// --- stiffness -------------------------------------------------------------------------------------------------------

// Gradients of the three measures (without weight) by role.
THAW_INLINE void measure_gradients(Form form, Bend *bent, ThawLanes gradient[MEASURES][ROLES][3]) {
    memset(gradient, 0, MEASURES * sizeof *gradient);
    for (int c = 0; c < MEASURES; c++)
        for (int h = 0; h < form.hinges; h++)
            add_to_roles(h, bent->B[c * form.hinges + h], bent->hinge[h].g, gradient[c]);
}

// Blocks K[PAIR(r, s)][3 i + k], r >= s, by role.
THAW_INLINE void add_measures(Form form, ThawLanes scale, ThawLanes gradient[MEASURES][ROLES][3], ThawLanes K[][9]) {
    for (int r = 0; r < form.roles; r++)
        for (int i = 0; i < 3; i++) {
            ThawLanes g[MEASURES];
            for (int c = 0; c < MEASURES; c++)
                g[c] = scale * gradient[c][r][i];
            for (int s = 0; s <= r; s++)
                for (int k = 0; k < 3; k++)
                    K[PAIR(r, s)][3 * i + k] +=
                        g[0] * gradient[0][s][k] + g[1] * gradient[1][s][k] + g[2] * gradient[2][s][k];
        }
}

// Adds moment times the second derivative of a hinge's angle.
static void add_geometric(int hinge, const ThawHinge *h, ThawLanes moment, ThawLanes K[][9]) {
    const int *node = THAW_HINGE[hinge];
    ThawLanes d[3][3], dg[3][3];
    memset(d, 0, sizeof d);
    for (int u = 0; u < 4; u++) // the node that moves: x0 moves e, a and b the other way
        for (int k = 0; k < 3; k++) {
            for (int v = 0; v < 3; v++)
                d[v][k] = thaw_lanes_set(u == 0 ? -1 : v == u - 1);
            change_of(h, d, dg);
            for (int v = 0; v < 3; v++)
                d[v][k] = thaw_lanes_set(0);
            for (int w = 0; w < 4; w++)
                for (int i = 0; i < 3 && node[w] >= node[u]; i++) {
                    ThawLanes entry = w == 0 ? -(dg[0][i] + dg[1][i] + dg[2][i]) : dg[w - 1][i];
                    K[PAIR(node[w], node[u])][3 * i + k] += moment * entry;
                }
        }
}

// Blocks by role -> by node, at or below the diagonal. Two roles may be played by one vertex.
THAW_INLINE void place_blocks(const ThawBatch *batch, Form form, ThawLanes K[][9], ThawLanes *blocks) {
    enum { dim = 3 };
    memset(blocks, 0, sizeof *blocks * 9 * (size_t)(form.roles * (form.roles + 1) / 2));
    for (int l = 0; l < THAW_LANES; l++)
        for (int r = 0; r < form.roles; r++)
            for (int s = 0; s <= r; s++) {
                const int a = thaw_element_role(batch->role[l], r), b = thaw_element_role(batch->role[l], s);
                const ThawLanes *from = K[PAIR(r, s)];
                for (int i = 0; i < 3; i++)
                    for (int k = 0; k < 3; k++) {
                        if (a >= b)
                            blocks[ENTRY(a, b, i, k)][l] += from[3 * i + k][l];
                        if (a < b || (a == b && r != s))
                            blocks[ENTRY(b, a, k, i)][l] += from[3 * i + k][l];
                    }
            }
}

THAW_INLINE void linearise_chunk(const ThawForcePass *pass, int32_t chunk, Form form) {
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &pass->set->batches[b];
        ThawLanes x[ROLES][3], gradient[MEASURES][ROLES][3], K[PAIRS][9], blocks[THAW_BLOCKS_MAX * 9];
        ThawLanes full = batch->weight * (pass->scale.stiffness + pass->scale.damping * batch->alpha1);
        Bend bent;
        gather_roles(batch, form, pass->x, x);
        bend(pass, batch, form, x, &bent);
        add_force(batch, form, &bent, pass->y);
        measure_gradients(form, &bent, gradient);
        memset(K, 0, sizeof *K * (size_t)(form.roles * (form.roles + 1) / 2));
        add_measures(form, full, gradient, K);
        for (int h = 0; h < form.hinges && !pass->scale.project; h++)
            add_geometric(h, &bent.hinge[h], pass->scale.stiffness * bent.moment[h], K);
        place_blocks(batch, form, K, blocks);
        pass->sink.add(pass->sink.context, b, blocks);
    }
    pass->partial[chunk] = 0;
}

THAW_INLINE void product_chunk(const ThawForcePass *pass, int32_t chunk, Form form) {
    ThawLanes form_sum = thaw_lanes_set(0), damped_sum = thaw_lanes_set(0);
    for (int32_t b = pass->set->chunk[chunk]; b < pass->set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &pass->set->batches[b];
        ThawLanes x[ROLES][3], u[ROLES][3], out[ROLES][3], gradient[MEASURES][ROLES][3];
        ThawLanes full = pass->scale.stiffness + pass->scale.damping * batch->alpha1;
        Bend bent;
        gather_roles(batch, form, pass->x, x);
        gather_roles(batch, form, pass->u, u);
        bend(pass, batch, form, x, &bent);
        measure_gradients(form, &bent, gradient);
        memset(out, 0, sizeof out);
        for (int c = 0; c < MEASURES; c++) {
            ThawLanes rate = thaw_lanes_set(0);
            for (int r = 0; r < form.roles; r++)
                rate += thaw_lanes_dot3(gradient[c][r], u[r]);
            form_sum += batch->weight * rate * rate;
            damped_sum += batch->weight * batch->alpha1 * rate * rate;
            for (int r = 0; r < form.roles; r++)
                for (int i = 0; i < 3; i++)
                    out[r][i] += full * batch->weight * rate * gradient[c][r][i];
        }
        for (int h = 0; h < form.hinges && !pass->scale.project; h++) {
            ThawLanes d[3][3], dg[3][3];
            edges_of(h, u, d[0], d[1], d[2]);
            change_of(&bent.hinge[h], d, dg);
            for (int v = 0; v < 3; v++)
                form_sum += bent.moment[h] * thaw_lanes_dot3(d[v], dg[v]);
            add_to_roles(h, pass->scale.stiffness * bent.moment[h], dg, out);
        }
        scatter_roles(batch, form, out, pass->y);
    }
    pass->partial[2 * chunk] = sum_lanes(form_sum);
    pass->partial[2 * chunk + 1] = sum_lanes(damped_sum);
}

// --- what others ask of every kind -----------------------------------------------------------------------------------

// Stress is shown of the membrane alone.
void thaw_bending_stress(void *pass, int32_t chunk) {
    (void)pass;
    (void)chunk;
}

// V tau of forces f at vertices is -sum f x'. Damping is that of the measures alone, which no turning changes.
THAW_INLINE void virial_chunk(const ThawForcePass *pass, int32_t chunk, Form form) {
    for (int32_t b = pass->set->chunk[chunk]; pass->group_of_vertex && b < pass->set->chunk[chunk + 1]; b++) {
        const ThawBatch *batch = &pass->set->batches[b];
        ThawLanes x[ROLES][3], out[ROLES][3], tau[9];
        int32_t group[THAW_LANES];
        Bend bent;
        if (!thaw_groups_by_vertices(pass, batch, group))
            continue;
        gather_roles(batch, form, pass->x, x);
        bend(pass, batch, form, x, &bent);
        memset(out, 0, sizeof out);
        for (int h = 0; h < form.hinges; h++)
            add_to_roles(h, bent.moment[h], bent.hinge[h].g, out);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) {
                tau[i + 3 * k] = thaw_lanes_set(0);
                for (int r = 0; r < form.roles; r++)
                    tau[i + 3 * k] += out[r][i] * (x[r][k] - x[0][k]);
            }
        virial_add(pass->virial, thaw_lanes_set(0), group, tau, pass->sums);
    }
}

// --- with the form as a constant -------------------------------------------------------------------------------------

void thaw_bending_energy_near(void *pass, int32_t chunk) { energy_chunk(pass, chunk, NEAR); }
void thaw_bending_energy_wide(void *pass, int32_t chunk) { energy_chunk(pass, chunk, WIDE); }
void thaw_bending_looking_near(void *pass, int32_t chunk) { looking_chunk(pass, chunk, NEAR); }
void thaw_bending_looking_wide(void *pass, int32_t chunk) { looking_chunk(pass, chunk, WIDE); }
void thaw_bending_force_near(void *pass, int32_t chunk) { force_chunk(pass, chunk, NEAR); }
void thaw_bending_force_wide(void *pass, int32_t chunk) { force_chunk(pass, chunk, WIDE); }
void thaw_bending_linearise_near(void *pass, int32_t chunk) { linearise_chunk(pass, chunk, NEAR); }
void thaw_bending_linearise_wide(void *pass, int32_t chunk) { linearise_chunk(pass, chunk, WIDE); }
void thaw_bending_product_near(void *pass, int32_t chunk) { product_chunk(pass, chunk, NEAR); }
void thaw_bending_product_wide(void *pass, int32_t chunk) { product_chunk(pass, chunk, WIDE); }
void thaw_bending_virial_near(void *pass, int32_t chunk) { virial_chunk(pass, chunk, NEAR); }
void thaw_bending_virial_wide(void *pass, int32_t chunk) { virial_chunk(pass, chunk, WIDE); }
