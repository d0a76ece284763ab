// SPDX-License-Identifier: Apache-2.0
// The clamped beam that was measured with other programs: 1 x .2 x .2 m, E 5e6, nu .3, 1000 kg/m^3, dt .01, no damping,
// 60 steps, one thread. CPU ms a step (the first excluded) and the tip's deflection at t = .6 s. bench_peer_bullet, where
// Bullet is installed, prints rows of the same table.
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

static void run(int32_t cells, ThawIntegrator integrator, ThawSolverKind solver) {
    static const char *const SOLVERS[] = {"auto", "pcg", "cholmod"};
    BenchBox box = bench_beam(cells);
    box.integrator = integrator;
    box.solver = solver;
    ThawWorld *world = bench_world(&box);
    double ms = 0;
    int64_t newton = 0;
    enum { STEPS = 60 };
    for (int k = 0; k < STEPS; k++) {
        ThawStepStats stats = bench_step(world);
        ms += k > 0 ? stats.cpu_ms : 0;
        newton += stats.newton_iterations;
    }
    int32_t nv = thaw_world_vertex_count(world, 0);
    double *x = THAW_NEW(double, 3 * (size_t)nv);
    thaw_world_get_positions(world, 0, x);
    printf("thaw %s %s,%lld,%.2f,%.5f,%.1f\n", integrator == THAW_INTEGRATOR_NEWTON ? "newton" : "linearised",
           SOLVERS[thaw_solver_plan_kind(world->steppers[0].system->plan)], (long long)bench_elements(&box),
           ms / (STEPS - 1), x[3 * (size_t)nv - 1] - 0.2, (double)newton / STEPS);
    fflush(stdout);
    thaw_free(x);
    thaw_world_free(&world);
}

int main(int argc, char **argv) {
    bench_settle_blas(argv);
    printf("program,tets,cpu_ms_per_step,tip_dz,newton_iterations\n");
    for (int i = 0; i < 2; i++)
        for (int integrator = 0; integrator < 2; integrator++)
            for (int solver = THAW_SOLVER_PCG; solver <= THAW_SOLVER_CHOLMOD; solver++) {
#ifndef THAW_WITH_CHOLMOD
                if (solver == THAW_SOLVER_CHOLMOD)
                    continue;
#endif
                run(i == 0 ? 5 : 8, (ThawIntegrator)integrator, (ThawSolverKind)solver);
            }
    (void)argc;
    return 0;
}
