// SPDX-License-Identifier: Apache-2.0
// A body's whole motions, as contact response takes them (response.h): S = B B' + rest at its contact vertices.
//
// A body with few unknowns, such as a rigid one, has S = G A^-1 G' with A = L L' of six rows: B = G L^-T, and no rest.
// A free body moves as a whole with R, its rigid motions: B = R L^-T with L L' = R'AR is their share of A^-1, whatever
// A is (Galerkin), so that what is left is >= 0. R'AR is not just mass and inertia: stress resists turning, by h^2
// times stress times volume, which under a stack is as much as inertia. A body with scripted vertices has no such
// motions. Cost: one pass over A, twice the operations of a product, and two over the vertices.
#include <math.h>
#include <string.h>

#include "map/map.h"
#include "math/lanes.h"
#include "step/body.h"

enum { MODES = THAW_MODE_COUNT };

// Lower triangle, in place; 0 if it fails.
static int factor(int n, double A[MODES][MODES]) {
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++)
            A[j][j] -= A[j][k] * A[j][k];
        if (!(A[j][j] > 0))
            return 0;
        A[j][j] = sqrt(A[j][j]);
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++)
                A[i][j] -= A[i][k] * A[j][k];
            A[i][j] /= A[j][j];
        }
    }
    return 1;
}

// row = L^-1 row.
static void forward(int n, double L[MODES][MODES], double *row) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            row[i] -= L[i][k] * row[k];
        row[i] /= L[i][i];
    }
}

static ThawMotions few_unknowns(const ThawStepper *s, int32_t count, const int32_t *vertices, double *B) {
    const ThawMap *map = s->system->map;
    const int dim = s->model->dim, n = map->n * dim;
    double L[MODES][MODES] = {{0}};
    if (n > 0) {
        const ThawBlockMatrix *A = thaw_solver_matrix(s->solver);
        for (int32_t i = 0; i < map->n; i++)
            for (int32_t e = A->pattern->row[i]; e < A->pattern->row[i + 1]; e++)
                for (int r = 0; r < dim; r++)
                    for (int c = 0; c < dim; c++)
                        L[dim * i + r][dim * A->pattern->col[e] + c] = A->value[dim * (dim * e + r) + c];
    }
    if (!factor(n, L))
        return THAW_MOTIONS_NONE;
    memset(B, 0, sizeof *B * MODES * (size_t)dim * (size_t)count);
    for (int j = 0; !map->ops->rows && j < n; j++) { // column by column
        memset(s->trial_q, 0, sizeof *s->trial_q * (size_t)n);
        s->trial_q[j] = 1;
        map->ops->apply(map, s->trial_q, NULL, s->u);
        for (int32_t v = 0; v < count; v++)
            for (int r = 0; r < dim; r++)
                B[(size_t)(dim * v + r) * MODES + (size_t)j] = s->u[(size_t)vertices[v] * (size_t)dim + (size_t)r];
    }
    for (int32_t v = 0; v < count; v++) {
        int32_t block[MODES];
        double matrix[MODES][9];
        int blocks = map->ops->rows ? map->ops->rows(map, vertices[v], block, matrix) : 0;
        for (int r = 0; r < dim; r++) {
            double *row = B + (size_t)(dim * v + r) * MODES;
            for (int b = 0; b < blocks; b++)
                for (int c = 0; c < dim; c++)
                    row[dim * block[b] + c] += matrix[b][dim * r + c];
            forward(n, L, row);
        }
    }
    return THAW_MOTIONS_ALL;
}

// dim rows: the velocity at arm r by unit motions.
static int rigid_rows(int dim, const double r[3], double row[3][MODES]) {
    memset(row, 0, sizeof(double) * 3 * MODES);
    for (int k = 0; k < dim; k++)
        row[k][k] = 1;
    if (dim == 2) {
        row[0][2] = -r[1], row[1][2] = r[0];
        return 3;
    }
    row[0][4] = r[2], row[0][5] = -r[1];
    row[1][3] = -r[2], row[1][5] = r[0];
    row[2][3] = r[1], row[2][4] = -r[0];
    return 6;
}

// The dim rows of one block of q by unit motions: R in the unknowns.
static void block_rows(int dim, const double *place, const double centre[3], ThawLanes R[3]) {
    double r[3] = {0}, row[3][MODES] = {{0}};
    if (isnan(place[0])) {
        for (int k = 0; k < (dim == 3 ? 3 : 1); k++)
            row[k][dim + k] = 1;
    } else {
        for (int k = 0; k < dim; k++)
            r[k] = place[k] - centre[k];
        rigid_rows(dim, r, row);
    }
    for (int k = 0; k < 3; k++)
        R[k] = (ThawLanes){row[k][0], row[k][1], row[k][2], row[k][3], row[k][4], row[k][5], 0, 0};
}

// L = R'AR in one pass over the lower triangle of A: sum_i R_i' (2 sum_{j<i} A_ij R_j + A_ii R_i), its symmetric part.
static void reduce_motions(int dim, const ThawBlockMatrix *A, const double *place, const double centre[3],
                           double L[MODES][MODES]) {
    ThawLanes sum[MODES] = {{0}};
    for (int32_t i = 0; i < A->pattern->n; i++) {
        ThawLanes T[3] = {{0}}, R[3];
        for (int32_t e = A->pattern->row[i]; e < A->pattern->row[i + 1]; e++) {
            const double *block = A->value + (size_t)e * (size_t)(dim * dim);
            const double share = e + 1 < A->pattern->row[i + 1] ? 2 : 1;
            block_rows(dim, place + (size_t)A->pattern->col[e] * (size_t)dim, centre, R);
            for (int r = 0; r < dim; r++)
                for (int c = 0; c < dim; c++)
                    T[r] += share * block[dim * r + c] * R[c];
        }
        for (int k = 0; k < dim; k++) // the last block was the diagonal: R is R_i
            for (int a = 0; a < MODES; a++)
                sum[a] += R[k][a] * T[k];
    }
    for (int a = 0; a < MODES; a++)
        for (int b = 0; b < MODES; b++)
            L[a][b] = (sum[a][b] + sum[b][a]) / 2;
}

ThawMotions thaw_body_modes(void *stepper, int32_t count, const int32_t *vertices, double *B) {
    ThawStepper *s = stepper;
    const ThawMap *map = s->system->map;
    const int dim = s->model->dim, n = dim == 3 ? 6 : 3;
    const int few = map->n * dim <= MODES;
    if (!few && (!map->ops->places || memchr(s->scripted, 1, (size_t)s->shape->nv)))
        return THAW_MOTIONS_NONE;
    if (!B)
        return few ? THAW_MOTIONS_ALL : THAW_MOTIONS_SOME;
    if (few)
        return few_unknowns(s, count, vertices, B);
    double centre[3] = {0}, L[MODES][MODES], row[3][MODES], *place = s->trial_q;
    for (int32_t i = 0; i < s->shape->nv; i++)
        for (int k = 0; k < dim; k++)
            centre[k] += s->x[dim * i + k] / s->shape->nv;
    map->ops->places(map, s->x, place);
    reduce_motions(dim, thaw_solver_matrix(s->solver), place, centre, L);
    if (!factor(n, L))
        return THAW_MOTIONS_NONE;
    for (int32_t v = 0; v < count; v++) {
        double r[3] = {0};
        for (int k = 0; k < dim; k++)
            r[k] = s->x[dim * vertices[v] + k] - centre[k];
        rigid_rows(dim, r, row);
        for (int k = 0; k < dim; k++) {
            forward(n, L, row[k]);
            memcpy(B + (size_t)(dim * v + k) * MODES, row[k], sizeof row[k]);
        }
    }
    return THAW_MOTIONS_SOME;
}
