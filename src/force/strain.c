// SPDX-License-Identifier: Apache-2.0
// Strains and strain rates of all elements, eight at a time. The rate is the difference of two strains in material axes
// (equation 17), not F'dF/dt: vertices step along chords, and only the difference is blind to that, so that a deformed
// body in rigid rotation shows zero.
//
// Every element is asked in every step, so this is the floor of an adaptive step: a gather of four vertices, 45
// products and one pass over gradients and strains, which are read and written in lanes; nothing is scattered but one
// number an element. Elements write only what is theirs, so chunks need no colours.
#include "force/strain.h"

#include "force/kernel.h"
#include "force/pass.h"
#include "force/solid.h"

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

THAW_INLINE void strain_of(const ThawBatch *batch, int dim, int nodes, const double *x, ThawLanes F[9],
                           ThawLanes E[6]) {
    ThawLanes edge[3][3];
    gather_edges(batch, dim, nodes, x, edge);
    gradient_of(batch, dim, nodes, edge, 1, F);
    packed_product(dim, F, F, E);
    for (int n = 0; n < (dim == 2 ? 3 : 6); n++)
        E[n] = 0.5 * (n < dim ? E[n] - 1 : E[n]);
}

THAW_INLINE void store(const ThawBatch *batch, ThawLanes value, double *out) {
    for (int l = 0; l < THAW_LANES; l++)
        if (batch->element[l] >= 0)
            out[batch->element[l]] = value[l];
}

// d: predict; else out: rate; else only E.
THAW_INLINE void strain_run(const ThawStrainPass *pass, int32_t first, int32_t end, int dim, int nodes) {
    int components = thaw_strain_components(dim);
    for (int32_t i = first; i < end; i++) {
        int32_t b = pass->batches ? pass->batches[i] : i;
        const ThawBatch *batch = &pass->set->batches[b];
        ThawLanes F[9], E[6];
        strain_of(batch, dim, nodes, pass->x, F, E);
        if (pass->d) {
            ThawLanes edge[3][3], dF[9];
            gather_edges(batch, dim, nodes, pass->d, edge);
            gradient_of(batch, dim, nodes, edge, 0, dF);
            packed_product(dim, F, dF, E);
            store(batch, thaw_lanes_sqrt(packed_square(dim, E)), pass->out);
            continue;
        }
        ThawLanes *kept = pass->E + (size_t)b * (size_t)components, change[6];
        for (int n = 0; n < components; n++) {
            change[n] = E[n] - kept[n];
            kept[n] = E[n];
        }
        if (pass->out)
            store(batch, packed_square(dim, change) / (pass->h * pass->h), pass->out);
    }
}

void thaw_solid_strain_2d(const void *pass, int32_t first, int32_t end) { strain_run(pass, first, end, 2, 3); }
void thaw_solid_strain_3d(const void *pass, int32_t first, int32_t end) { strain_run(pass, first, end, 3, 4); }

static const ThawElementOps *kind_of(const ThawStrainPass *pass, int32_t i) {
    return pass->set->batches[pass->batches ? pass->batches[i] : i].kind;
}

// One task: what stands together of one kind goes to its kernel at once.
static void run_strain(void *context, int32_t run) {
    const ThawStrainPass *pass = context;
    int32_t end = (run + 1) * RUN < pass->count ? (run + 1) * RUN : pass->count;
    for (int32_t first = run * RUN, next; first < end; first = next) {
        const ThawElementOps *kind = kind_of(pass, first);
        for (next = first + 1; next < end && kind_of(pass, next) == kind;)
            next++;
        if (kind->strain)
            kind->strain(pass, first, next);
    }
}

static void start(ThawStrainPass *pass, ThawTasks *tasks) {
    if (!pass->batches)
        pass->count = pass->set->batch_count;
    thaw_tasks_for(tasks, (pass->count + RUN - 1) / RUN, run_strain, pass);
}

int32_t thaw_strain_batches(const ThawIntegrationSet *set, const unsigned char *wanted, int32_t *batches) {
    int32_t count = 0;
    for (int32_t b = 0; b < set->batch_count; b++) {
        int any = 0;
        if (!set->batches[b].kind->strain)
            continue;
        for (int l = 0; l < THAW_LANES; l++)
            any |= set->batches[b].element[l] >= 0 && wanted[set->batches[b].element[l]];
        if (any)
            batches[count++] = b;
    }
    return count;
}

void thaw_strain_compute(const ThawIntegrationSet *set, ThawTasks *tasks, const int32_t *batches, int32_t count,
                         const double *x, ThawLanes *E) {
    start(&(ThawStrainPass){set, batches, count, x, NULL, 1, E, NULL, NULL}, tasks);
}

void thaw_strain_rate(const ThawIntegrationSet *set, ThawTasks *tasks, const int32_t *batches, int32_t count,
                      const double *x, double h, ThawLanes *E, double *rate) {
    thaw_strain_rate_by(NULL, set, tasks, batches, count, x, h, E, rate);
}

void thaw_strain_rate_by(const ThawStrainMeasure *measure, const ThawIntegrationSet *set, ThawTasks *tasks,
                         const int32_t *batches, int32_t count, const double *x, double h, ThawLanes *E, double *rate) {
    start(&(ThawStrainPass){set, batches, count, x, NULL, h, E, rate, measure}, tasks);
}

void thaw_strain_predict(const ThawIntegrationSet *set, ThawTasks *tasks, const int32_t *batches, int32_t count,
                         const double *x, const double *d, double *strain) {
    start(&(ThawStrainPass){set, batches, count, x, d, 1, NULL, strain, NULL}, tasks);
}
