// SPDX-License-Identifier: Apache-2.0
// What a body bears moves along with it.
//
// The static question holds vertices in contact by the stiffness of their contacts, as if the other bodies stood still.
// Obstacles do, and so do bodies that stand on them. But bodies that only this one holds up, or that are glued to it
// alone, resist no push: they pass it on. So each such group of bodies moves as one rigid body with its mass, by q:
//     A d - U q = c,    S q - U'd = 0,    U = K_c G,    S = G'K_c G + M_g/T^2
// with A the matrix of the static question, K_c that part of the contacts' stiffness that holds the body to the groups,
// and G their rigid motions at the body's vertices. What is left once d is eliminated, (S - U'A^-1 U) q = U'A^-1 c, has
// six unknowns a group (three in 2D): conjugate gradients with S as preconditioner, a back-substitution for each step.
// It is worth that only where U'A^-1 c, the force that the contacts would have taken, could strain the body.
//
// By this displacement elements are judged. Relaxation goes by the one without groups: it moves this body alone, within
// a few steps, in which the others do stand still. If it were moved as far as they will follow in time it would jolt
// them, and all would wake again and again.
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "force/strain.h"
#include "oracle/oracle_impl.h"

enum { MOST = 6, STEPS = 12 };       // unknowns a group; steps of conjugate gradients at most
static const double ACCURACY = 0.01; // of what is asked, in the norm of energy

typedef struct Bearing {
    ThawOracle *oracle;
    ThawBorne borne;
    int dim, size;           // unknowns a group
    double *centre, *factor; // of each group: 3, of its vertices, m; MOST * MOST, of S
    double *r, *p, *s, *z;   // of each group: MOST
    double *y, *u;           // over vertices: the displacement, and scratch
    double *strain;          // ne
} Bearing;

// The motion of a group by its unknowns, translations and then turns in radians by the body's diameter, at a vertex.
static void columns_of(const Bearing *b, int32_t i, double G[3][MOST]) {
    const int dim = b->dim;
    const double D = b->oracle->shape->diameter;
    const double *centre = b->centre + 3 * (size_t)b->borne.group[i];
    double r[3] = {0};
    memset(G, 0, sizeof(double) * 3 * MOST);
    for (int k = 0; k < dim; k++) {
        r[k] = (b->oracle->state.reference[(size_t)i * (size_t)dim + (size_t)k] - centre[k]) / D;
        G[k][k] = 1;
    }
    if (dim == 2) {
        G[0][2] = -r[1];
        G[1][2] = r[0];
        return;
    }
    for (int k = 0; k < 3; k++) { // about axis k
        G[(k + 1) % 3][3 + k] = -r[(k + 2) % 3];
        G[(k + 2) % 3][3 + k] = r[(k + 1) % 3];
    }
}

// K_c G of a vertex.
static void spring_of(const Bearing *b, int32_t i, const double G[3][MOST], double U[3][MOST]) {
    const size_t dim = (size_t)b->dim;
    const double *K = b->oracle->state.held + (size_t)i * dim * dim;
    for (size_t k = 0; k < dim; k++)
        for (int c = 0; c < b->size; c++) {
            U[k][c] = 0;
            for (size_t l = 0; l < dim; l++)
                U[k][c] += b->borne.share[i] * K[k * dim + l] * G[l][c];
        }
}

// out = U'y over groups, where y is over vertices; or out = U y over vertices, where y is over groups.
static void apply(const Bearing *b, int transposed, const double *y, double *out) {
    const size_t dim = (size_t)b->dim, nv = (size_t)b->oracle->shape->nv;
    memset(out, 0, sizeof *out * (transposed ? MOST * (size_t)b->borne.count : nv * dim));
    for (size_t i = 0; i < nv; i++) {
        double G[3][MOST], U[3][MOST];
        if (b->borne.group[i] < 0)
            continue;
        columns_of(b, (int32_t)i, G);
        spring_of(b, (int32_t)i, G, U);
        const size_t at = MOST * (size_t)b->borne.group[i];
        for (size_t k = 0; k < dim; k++)
            for (size_t c = 0; c < (size_t)b->size; c++)
                if (transposed)
                    out[at + c] += U[k][c] * y[i * dim + k];
                else
                    out[i * dim + k] += U[k][c] * y[at + c];
    }
}

// S of each group, L L' of which takes its place.
static void find_matrices(Bearing *b) {
    const double T = b->oracle->options.horizon;
    const size_t n = (size_t)b->size;
    for (int32_t i = 0; i < b->oracle->shape->nv; i++) {
        double G[3][MOST], U[3][MOST];
        if (b->borne.group[i] < 0)
            continue;
        double *S = b->factor + MOST * MOST * (size_t)b->borne.group[i];
        columns_of(b, i, G);
        spring_of(b, i, G, U);
        for (size_t r = 0; r < n; r++)
            for (size_t c = 0; c < n; c++)
                for (int k = 0; k < b->dim; k++)
                    S[r * MOST + c] += G[k][r] * U[k][c];
    }
    for (int32_t g = 0; g < b->borne.count; g++) {
        double *S = b->factor + MOST * MOST * (size_t)g;
        for (size_t r = 0; r < n; r++)
            S[r * MOST + r] += b->borne.mass[g] / (T * T);
        for (size_t r = 0; r < n; r++)
            for (size_t c = 0; c <= r; c++) {
                double sum = S[r * MOST + c];
                for (size_t k = 0; k < c; k++)
                    sum -= S[r * MOST + k] * S[c * MOST + k];
                S[r * MOST + c] = r == c ? sqrt(fmax(sum, 1e-12 * S[r * MOST + r])) : sum / S[c * MOST + c];
            }
    }
}

// out = S^-1 y.
static void solve_groups(const Bearing *b, const double *y, double *out) {
    const int n = b->size;
    for (int32_t g = 0; g < b->borne.count; g++) {
        const double *L = b->factor + MOST * MOST * (size_t)g;
        double *to = out + MOST * (size_t)g;
        memcpy(to, y + MOST * (size_t)g, sizeof *to * MOST);
        for (int r = 0; r < n; r++) {
            for (int k = 0; k < r; k++)
                to[r] -= L[r * MOST + k] * to[k];
            to[r] /= L[r * MOST + r];
        }
        for (int r = n - 1; r >= 0; r--) {
            for (int k = r + 1; k < n; k++)
                to[r] -= L[k * MOST + r] * to[k];
            to[r] /= L[r * MOST + r];
        }
    }
}

// out = S y.
static void multiply_groups(const Bearing *b, const double *y, double *out) {
    const int n = b->size;
    for (int32_t g = 0; g < b->borne.count; g++) {
        const double *L = b->factor + MOST * MOST * (size_t)g;
        const double *from = y + MOST * (size_t)g;
        double *to = out + MOST * (size_t)g, half[MOST] = {0};
        for (int r = 0; r < n; r++)
            for (int k = r; k < n; k++)
                half[r] += L[k * MOST + r] * from[k];
        for (int r = 0; r < MOST; r++) {
            to[r] = 0;
            for (int k = 0; k <= r && r < n; k++)
                to[r] += L[r * MOST + k] * half[k];
        }
    }
}

static double inner(const Bearing *b, const double *a, const double *c) {
    double sum = 0;
    for (size_t i = 0; i < MOST * (size_t)b->borne.count; i++)
        sum += a[i] * c[i];
    return sum;
}

// The mean place of each group's vertices.
static void find_centres(Bearing *b) {
    const size_t dim = (size_t)b->dim;
    for (int32_t g = 0; g < b->borne.count; g++) {
        int32_t n = 0;
        double *centre = b->centre + 3 * (size_t)g;
        for (int32_t i = 0; i < b->oracle->shape->nv; i++) {
            if (b->borne.group[i] != g)
                continue;
            n++;
            for (size_t k = 0; k < dim; k++)
                centre[k] += b->oracle->state.reference[(size_t)i * dim + k];
        }
        for (size_t k = 0; k < dim && n > 0; k++)
            centre[k] /= n;
    }
}

// Whether the force r on the groups, which the contacts would have taken, could strain the body by as much as counts.
static int could_strain(const Bearing *b) {
    const ThawOracle *oracle = b->oracle;
    const double least = THAW_ORACLE_SWING * oracle->options.epsilon * oracle->scale.soft * oracle->shape->diameter *
                         oracle->shape->total_mass;
    for (int32_t g = 0; g < b->borne.count; g++) {
        double square = 0;
        for (int c = 0; c < b->size; c++)
            square += b->r[MOST * (size_t)g + (size_t)c] * b->r[MOST * (size_t)g + (size_t)c];
        if (square > least * least)
            return 1;
    }
    return 0;
}

// b->y, the displacement with the groups at rest, becomes the one with them. r: U'y.
static ThawStatus iterate(Bearing *b) {
    const size_t groups = MOST * (size_t)b->borne.count;
    const size_t count = (size_t)b->oracle->shape->nv * (size_t)b->dim;
    solve_groups(b, b->r, b->z);
    memcpy(b->p, b->z, sizeof *b->p * groups);
    double rho = inner(b, b->r, b->z), gained = 0;
    for (int step = 0; step < STEPS && rho > 0; step++) {
        apply(b, 0, b->p, b->u);
        ThawStatus status = thaw_oracle_displace(b->oracle, b->u); // A^-1 U p
        if (status != THAW_OK)
            return status;
        multiply_groups(b, b->p, b->s);
        apply(b, 1, b->u, b->z);
        for (size_t i = 0; i < groups; i++)
            b->s[i] -= b->z[i];
        const double curvature = inner(b, b->p, b->s);
        if (!(curvature > 0)) // by rounding
            break;
        const double alpha = rho / curvature;
        for (size_t i = 0; i < count; i++)
            b->y[i] += alpha * b->u[i];
        for (size_t i = 0; i < groups; i++)
            b->r[i] -= alpha * b->s[i];
        gained += alpha * rho;
        if (alpha * rho < ACCURACY * ACCURACY * gained)
            break;
        solve_groups(b, b->r, b->z);
        const double next = inner(b, b->r, b->z);
        for (size_t i = 0; i < groups; i++)
            b->p[i] = b->z[i] + next / rho * b->p[i];
        rho = next;
    }
    return THAW_OK;
}

// Strain from the groups' motion alone does not depend on how contacts share out forces, and has no leeway.
static void judge(const Bearing *b, const ThawQuestion *q, double leeway) {
    ThawOracle *oracle = b->oracle;
    const ThawShape *shape = oracle->shape;
    thaw_oracle_turn(shape, oracle->Q, 0, b->y, b->u);
    thaw_strain_predict(shape->all, oracle->tasks, NULL, 0, q->x, b->u, oracle->predicted);
    for (size_t i = 0; i < (size_t)shape->nv * (size_t)b->dim; i++)
        b->u[i] -= oracle->d[i];
    thaw_strain_predict(shape->all, oracle->tasks, NULL, 0, q->x, b->u, b->strain);
    for (int32_t e = 0; e < shape->ne; e++)
        oracle->predicted[e] = fmax(oracle->predicted[e], leeway * b->strain[e]);
}

static int reserve(Bearing *b) {
    const ThawShape *shape = b->oracle->shape;
    const size_t groups = (size_t)b->borne.count, count = (size_t)shape->nv * (size_t)b->dim;
    const ThawRoom rooms[] = {THAW_ROOM(b->centre, 3 * groups), THAW_ROOM(b->factor, MOST * MOST * groups),
                              THAW_ROOM(b->r, MOST * groups),   THAW_ROOM(b->p, MOST * groups),
                              THAW_ROOM(b->s, MOST * groups),   THAW_ROOM(b->z, MOST * groups),
                              THAW_ROOM(b->y, count),           THAW_ROOM(b->u, count),
                              THAW_ROOM(b->strain, shape->ne)};
    return thaw_scratch_reserve(&b->oracle->bearing, rooms, sizeof rooms / sizeof *rooms);
}

ThawStatus thaw_oracle_let_follow(ThawOracle *oracle, const ThawQuestion *q, double leeway, ThawError *error) {
    const int dim = oracle->shape->dim;
    Bearing b = {.oracle = oracle, .dim = dim, .size = 3 * (dim - 1)};
    if (!q->bear)
        return THAW_OK;
    ThawStatus status = q->bear(q->bearer, &b.borne);
    if (status == THAW_OK && b.borne.count == 0)
        return THAW_OK;
    if (status != THAW_OK || !reserve(&b))
        return thaw_error_memory(error, "what a body bears");
    memcpy(b.y, oracle->y, thaw_oracle_shadow_bytes(oracle));
    find_centres(&b);
    apply(&b, 1, b.y, b.r);
    if (!could_strain(&b))
        return THAW_OK;
    find_matrices(&b);
    status = iterate(&b);
    if (status == THAW_OK)
        judge(&b, q, leeway);
    return status;
}
