// SPDX-License-Identifier: Apache-2.0
// Does `auto` pick the faster solver? One linearised step (after the first) of cubes and beams with each solver, one
// thread: CPU time, peak memory of a process that does nothing else, and what auto chose.
//   auto_choice [largest number of tets, default 520000]
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

typedef struct Job {
    const char *shape;
    BenchBox box;
} Job;

static void run(void *context) {
    Job *job = context;
    double start = thaw_cpu_ms();
    ThawWorld *world = bench_world(&job->box);
    double create = thaw_cpu_ms() - start, step = 1e300;
    ThawStepStats stats = bench_step(world);
    int repeats = bench_elements(&job->box) < 30000 ? 10 : 2;
    int64_t iterations = 0;
    for (int k = 0; k < repeats; k++) {
        stats = bench_step(world);
        step = bench_least(step, stats.cpu_ms);
        iterations += stats.solver_iterations;
    }
    ThawSolverKind kind = thaw_solver_plan_kind(world->steppers[0].system->plan);
    static const char *const NAMES[] = {"auto", "pcg", "cholmod", "ldl"};
    printf("%s,%lld,%lld,%s,%s,%.1f,%.2f,%.1f,%.0f\n", job->shape, (long long)bench_elements(&job->box),
           (long long)stats.dofs, NAMES[job->box.solver], NAMES[kind], create, step, (double)iterations / repeats,
           bench_peak_mb());
    thaw_world_free(&world);
}

int main(int argc, char **argv) {
    bench_settle_blas(argv);
    long long largest = argc > 1 ? atoll(argv[1]) : 520000;
    Job jobs[16];
    int count = 0;
    static const int32_t CUBES[] = {6, 9, 12, 15, 21, 32, 44}, BEAMS[] = {3, 5, 8, 12, 18, 23};
    for (size_t i = 0; i < sizeof CUBES / sizeof *CUBES; i++)
        jobs[count++] = (Job){"cube", bench_cube(CUBES[i])};
    for (size_t i = 0; i < sizeof BEAMS / sizeof *BEAMS; i++)
        jobs[count++] = (Job){"beam", bench_beam(BEAMS[i])};
    printf("shape,tets,unknowns,solver,used,create_ms,step_ms,iterations,peak_mb\n");
    for (int i = 0; i < count; i++)
        for (int solver = THAW_SOLVER_AUTO; solver <= THAW_SOLVER_LDL; solver++) {
            jobs[i].box.solver = (ThawSolverKind)solver;
            if (bench_elements(&jobs[i].box) <= largest && bench_isolated(run, &jobs[i]) != 0)
                fprintf(stderr, "auto_choice: %s of %lld tets failed\n", jobs[i].shape,
                        (long long)bench_elements(&jobs[i].box));
        }
    return 0;
}
