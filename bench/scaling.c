// SPDX-License-Identifier: Apache-2.0
// How step time and memory grow with the mesh: cubes of 1k to 1M tetrahedra, solver auto, on one and two threads. One
// process a size.
//   scaling [largest number of tets, default 1100000]
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

static void run(void *context) {
    BenchBox *box = context;
    double start = thaw_wall_ms();
    ThawWorld *world = bench_world(box);
    double create = thaw_wall_ms() - start;
    ThawStepStats stats = bench_step(world);
    double cpu = 1e300, wall = 1e300;
    for (int k = 0; k < (bench_elements(box) < 100000 ? 10 : 2); k++) {
        stats = bench_step(world);
        cpu = bench_least(cpu, stats.cpu_ms);
        wall = bench_least(wall, stats.wall_ms);
    }
    double tets = (double)bench_elements(box);
    printf("%.0f,%lld,%d,%.1f,%.2f,%.2f,%.3f,%lld,%.0f,%.0f,%016llx\n", tets, (long long)stats.dofs, box->threads,
           create, wall, cpu, 1e3 * cpu / tets, (long long)stats.solver_iterations, bench_peak_mb(),
           1048576 * bench_peak_mb() / tets, (unsigned long long)stats.state_hash);
    thaw_world_free(&world);
}

int main(int argc, char **argv) {
    bench_settle_blas(argv);
    long long largest = argc > 1 ? atoll(argv[1]) : 1100000;
    static const int32_t CELLS[] = {6, 9, 15, 21, 32, 44, 56};
    printf("tets,unknowns,threads,create_ms,step_wall_ms,step_cpu_ms,us_per_tet,iterations,peak_mb,bytes_per_tet,state_"
           "hash\n");
    for (size_t i = 0; i < sizeof CELLS / sizeof *CELLS; i++)
        for (int threads = 1; threads <= 2; threads++) {
            BenchBox box = bench_cube(CELLS[i]);
            box.threads = threads;
            if (bench_elements(&box) <= largest && bench_isolated(run, &box) != 0)
                fprintf(stderr, "scaling: %lld tets failed\n", (long long)bench_elements(&box));
        }
    return 0;
}
