// SPDX-License-Identifier: Apache-2.0
// Strains and strain rates, eight elements at a time. The rate is the difference of two strains in material axes (equation
// 17), not F'dF/dt: vertices step along chords, and only the difference is blind to that, so that a deformed body in rigid
// rotation shows zero.
//
// Every elastic element is asked in every step, so this is the floor of an adaptive step: a gather of four vertices, 45
// products, and one pass over gradients and strains. Strains are kept by element, because elements change sides while they
// live; transposes in registers take them to lanes and back. Elements write only what is theirs, so there are no colours.
#include "oracle/strain.h"

#include <string.h>

#include "force/kernel.h"
#include "math/transpose.h"

typedef struct StrainPass {
    const ThawIntegrationSet *set;
    const double *x, *d;
    double h;
    double *strain, *out;
} StrainPass;

enum { RUN = 128 }; // batches a task

// The symmetric part of A'B, packed.
THAW_INLINE void packed_product(int dim, const ThawLanes A[9], const ThawLanes B[9], ThawLanes S[6]) {
    static const int8_t row[2][6] = {{0, 1, 0}, {0, 1, 2, 1, 0, 0}}, column[2][6] = {{0, 1, 1}, {0, 1, 2, 2, 2, 1}};
    for (int n = 0; n < (dim == 2 ? 3 : 6); n++) {
        int i = row[dim - 2][n], j = column[dim - 2][n];
        S[n] = thaw_lanes_set(0);
        for (int k = 0; k < dim; k++)
            S[n] += A[k + 3 * i] * B[k + 3 * j];
        if (A == B || i == j)
            continue;
        for (int k = 0; k < dim; k++)
            S[n] += A[k + 3 * j] * B[k + 3 * i];
        S[n] = 0.5 * S[n];
    }
}

// The squared Frobenius norm of a packed matrix.
THAW_INLINE ThawLanes packed_square(int dim, const ThawLanes S[6]) {
    ThawLanes diagonal = S[0] * S[0] + S[1] * S[1];
    if (dim == 2)
        return diagonal + 2 * (S[2] * S[2]);
    return diagonal + S[2] * S[2] + 2 * (S[3] * S[3] + S[4] * S[4] + S[5] * S[5]);
}

THAW_INLINE void store(const ThawBatch *batch, ThawLanes value, double *out) {
    for (int l = 0; l < THAW_LANES; l++)
        if (batch->element[l] >= 0)
            out[batch->element[l]] = value[l];
}

typedef double Four __attribute__((vector_size(32), aligned(8)));
typedef double Two __attribute__((vector_size(16), aligned(8)));

// E of eight elements to their places; change = E less what was there. Unused lanes find what they bring.
THAW_INLINE void exchange_3d(const ThawBatch *batch, const ThawLanes E[6], double *strain, ThawLanes change[6]) {
    ThawLanes columns[8] = {E[0], E[1], E[2], E[3], E[4], E[5]}, rows[8], old[8];
    thaw_transpose8(columns, rows);
    for (int l = 0; l < THAW_LANES; l++) {
        old[l] = rows[l];
        if (batch->element[l] < 0)
            continue;
        double *to = strain + (size_t)batch->element[l] * 6;
        Four first = *(Four *)to;
        Two second = *(Two *)(to + 4);
        old[l] = (ThawLanes){first[0], first[1], first[2], first[3], second[0], second[1], 0, 0};
        *(Four *)to = (Four){rows[l][0], rows[l][1], rows[l][2], rows[l][3]};
        *(Two *)(to + 4) = (Two){rows[l][4], rows[l][5]};
    }
    thaw_transpose8(old, columns);
    for (int n = 0; n < 6; n++)
        change[n] = E[n] - columns[n];
}

THAW_INLINE void exchange_2d(const ThawBatch *batch, const ThawLanes E[6], double *strain, ThawLanes change[6]) {
    for (int n = 0; n < 3; n++) {
        change[n] = thaw_lanes_set(0);
        for (int l = 0; l < THAW_LANES; l++)
            if (batch->element[l] >= 0) {
                double *to = strain + (size_t)batch->element[l] * 3 + n;
                change[n][l] = E[n][l] - *to;
                *to = E[n][l];
            }
    }
}

// d: predict; else exchange strains, and out: rates.
THAW_INLINE void strain_run(const StrainPass *pass, int32_t run, int dim, int nodes) {
    int32_t batches = pass->set->batch_count, end = (run + 1) * RUN < batches ? (run + 1) * RUN : batches;
    for (int32_t b = run * RUN; b < end; b++) {
        const ThawBatch *batch = &pass->set->batches[b];
        ThawLanes edge[3][3], F[9], dF[9], E[6], change[6];
        gather_edges(batch, dim, nodes, pass->x, edge);
        gradient_of(batch, dim, nodes, edge, 1, F);
        if (pass->d) {
            gather_edges(batch, dim, nodes, pass->d, edge);
            gradient_of(batch, dim, nodes, edge, 0, dF);
            packed_product(dim, F, dF, E);
            store(batch, thaw_lanes_sqrt(packed_square(dim, E)), pass->out);
            continue;
        }
        packed_product(dim, F, F, E);
        for (int n = 0; n < thaw_strain_size(dim); n++)
            E[n] = 0.5 * (n < dim ? E[n] - 1 : E[n]);
        if (dim == 2)
            exchange_2d(batch, E, pass->strain, change);
        else
            exchange_3d(batch, E, pass->strain, change);
        if (pass->out)
            store(batch, packed_square(dim, change) / (pass->h * pass->h), pass->out);
    }
}

static void run_2d(void *context, int32_t run) { strain_run(context, run, 2, 3); }
static void run_3d(void *context, int32_t run) { strain_run(context, run, 3, 4); }

static void start(StrainPass pass, ThawTasks *tasks) {
    thaw_tasks_for(tasks, (pass.set->batch_count + RUN - 1) / RUN, pass.set->dim == 2 ? run_2d : run_3d, &pass);
}

void thaw_strain_listed(const ThawIntegrationSet *set, ThawTasks *tasks, const double *x, double h, double *strain,
                        double *rate) {
    start((StrainPass){set, x, NULL, h, strain, rate}, tasks);
}

void thaw_strain_all(const ThawShape *shape, ThawTasks *tasks, const double *x, double *strain) {
    thaw_strain_listed(shape->all, tasks, x, 1, strain, NULL);
}

void thaw_strain_rates(const ThawShape *shape, ThawTasks *tasks, const double *x, double h, double *strain,
                       double *rate) {
    thaw_strain_listed(shape->all, tasks, x, h, strain, rate);
}

void thaw_strain_predict(const ThawIntegrationSet *set, ThawTasks *tasks, const double *x, const double *d,
                         double *predicted) {
    start((StrainPass){set, x, d, 1, NULL, predicted}, tasks);
}
