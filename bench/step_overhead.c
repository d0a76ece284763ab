// SPDX-License-Identifier: Apache-2.0
// How far a whole step is from the bare factorisation: one linearised step of a cube with CHOLMOD (forces, stiffness,
// assembly, factor, solve, advance, hash; no ledger, no output), over CHOLMOD's own factor + solve of the same matrix
// with the same kind of order, called directly, in turns in one run. Least CPU time of several, one thread.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "sparse/sparse_impl.h"

#ifdef THAW_WITH_CHOLMOD
#include <suitesparse/cholmod.h>

typedef struct Bare {
    cholmod_common common;
    cholmod_sparse *A; // lower triangle
    cholmod_factor *L;
    cholmod_dense *b;
} Bare;

// The stepper's matrix in compressed columns, as a user of CHOLMOD would hand it over, and its analysis.
static void start_bare(Bare *bare, const ThawBlockMatrix *matrix) {
    const ThawBlockPattern *p = matrix->pattern;
    ThawError error;
    int bs = p->bs, size = p->n * bs;
    cholmod_start(&bare->common);
    bare->common.supernodal = CHOLMOD_SUPERNODAL;
    bare->common.print = 0;
    size_t entries = 0;
    for (int32_t i = 0; i < p->n; i++)
        entries += (size_t)(p->row[i + 1] - p->row[i] - 1) * (size_t)(bs * bs) + (size_t)(bs * (bs + 1) / 2);
    // A row of the lower triangle is a column of the upper one.
    bare->A = cholmod_allocate_sparse((size_t)size, (size_t)size, entries, 1, 1, 1, CHOLMOD_REAL, &bare->common);
    int *column = bare->A->p, *row = bare->A->i, at = 0;
    double *value = bare->A->x;
    for (int32_t i = 0; i < p->n; i++)
        for (int r = 0; r < bs; r++) {
            column[i * bs + r] = at;
            for (int32_t k = p->row[i]; k < p->row[i + 1]; k++)
                for (int c = 0; c < bs && p->col[k] * bs + c <= i * bs + r; c++) {
                    row[at] = p->col[k] * bs + c;
                    value[at++] = matrix->value[(size_t)k * (size_t)(bs * bs) + (size_t)(r * bs + c)];
                }
        }
    column[size] = at;
    int32_t *order = THAW_NEW(int32_t, p->n), *given = THAW_NEW(int32_t, size);
    if (thaw_order_dissect(p, order, &error) != THAW_OK)
        exit(1);
    for (int32_t k = 0; k < size; k++)
        given[k] = order[k / bs] * bs + k % bs;
    bare->common.nmethods = 1;
    bare->common.method[0].ordering = CHOLMOD_GIVEN;
    bare->L = cholmod_analyze_p(bare->A, given, NULL, 0, &bare->common);
    bare->b = cholmod_ones((size_t)size, 1, CHOLMOD_REAL, &bare->common);
    thaw_free(order);
    thaw_free(given);
}

static double run_bare(Bare *bare) {
    double start = thaw_cpu_ms();
    cholmod_factorize(bare->A, bare->L, &bare->common);
    cholmod_dense *x = cholmod_solve(CHOLMOD_A, bare->L, bare->b, &bare->common);
    double ms = thaw_cpu_ms() - start;
    cholmod_free_dense(&x, &bare->common);
    return ms;
}

int main(int argc, char **argv) {
    bench_settle_blas(argv);
    static const int32_t CELLS[] = {9, 15, 21}, REPEATS[] = {60, 25, 8};
    printf("tets,unknowns,step_ms,assemble_ms,factor_ms,solve_ms,bare_ms,step_over_bare\n");
    for (int i = 0; i < 3; i++) {
        BenchBox box = bench_cube(CELLS[i]);
        box.solver = THAW_SOLVER_CHOLMOD;
        ThawWorld *world = bench_world(&box);
        ThawStepStats stats = bench_step(world);
        Bare bare;
        start_bare(&bare, thaw_solver_matrix(world->steppers[0].solver));
        run_bare(&bare);
        double step = 1e300, bare_ms = 1e300, assemble = 1e300, factor = 1e300, solve = 1e300;
        for (int k = 0; k < REPEATS[i]; k++) {
            stats = bench_step(world);
            step = bench_least(step, stats.cpu_ms);
            assemble = bench_least(assemble, stats.assemble_ms);
            factor = bench_least(factor, stats.factor_ms);
            solve = bench_least(solve, stats.solve_ms);
            bare_ms = bench_least(bare_ms, run_bare(&bare));
        }
        printf("%lld,%lld,%.2f,%.2f,%.2f,%.2f,%.2f,%.3f\n", (long long)bench_elements(&box), (long long)stats.dofs,
               step, assemble, factor, solve, bare_ms, step / bare_ms);
        fflush(stdout);
        cholmod_free_dense(&bare.b, &bare.common);
        cholmod_free_factor(&bare.L, &bare.common);
        cholmod_free_sparse(&bare.A, &bare.common);
        cholmod_finish(&bare.common);
        thaw_world_free(&world);
    }
    (void)argc;
    return 0;
}
#else
int main(void) {
    printf("this build has no CHOLMOD: nothing to compare with\n");
    return 0;
}
#endif
