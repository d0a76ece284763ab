// SPDX-License-Identifier: Apache-2.0
// The clamped beam that was measured with other programs: 1 x .2 x .2 m, E 5e6, nu .3, 1000 kg/m^3, dt .01, no damping,
// 60 steps, one thread. CPU ms a step (the first excluded) and the tip's deflection at t = .6 s. Then a block of 6000
// tetrahedra that is dropped by .2 m onto a floor and comes to rest: CPU ms in its first second and in its third.
// bench_peer_bullet, where Bullet is installed, prints rows of the same tables.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void run_block(const char *method) {
    static const char text[] =
        "{\"thaw\": 1, \"gravity\": [0, 0, -9.81], \"time\": {\"step\": 0.01},"
        " \"materials\": {\"m\": {\"density\": 1000, \"young\": 5e6, \"poisson\": 0.3, \"alpha1\": 0.005}},"
        " \"shapes\": {\"block\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0.2], \"max\": [1, 1, 1.2], \"cells\": [10, "
        "10, 10]}},"
        " \"material\": \"m\"}}, \"bodies\": [{\"shape\": \"block\"}], \"obstacles\": [{\"plane\": {}}]}";
    ThawError error;
    ThawScene *scene = NULL;
    ThawWorld *world = NULL;
    if (thaw_scene_parse(text, sizeof text - 1, "block", NULL, &scene, &error) != THAW_OK) {
        fprintf(stderr, "benchmark: %s\n", error.message);
        exit(1);
    }
    ThawBodyDef body = scene->world.bodies[0];
    body.method = method;
    scene->world.bodies = &body;
    scene->world.threads = 1;
    scene->world.ledger = 0;
    if (thaw_world_create(&scene->world, &world, &error) != THAW_OK) {
        fprintf(stderr, "benchmark: %s\n", error.message);
        exit(1);
    }
    enum { STEPS = 300 };
    double first = 0, last = 0;
    for (int k = 0; k < STEPS; k++) {
        ThawStepStats stats = bench_step(world);
        first += k > 0 && k <= 100 ? stats.cpu_ms / 100 : 0;
        last += k >= STEPS - 100 ? stats.cpu_ms / 100 : 0;
    }
    int32_t nv = thaw_world_vertex_count(world, 0);
    double *x = THAW_NEW(double, 3 * (size_t)nv);
    thaw_world_get_positions(world, 0, x);
    printf("thaw %s,%d,%.3f,%.4f,%.4f\n", method, (int)thaw_world_element_count(world, 0), first, last,
           x[3 * (size_t)nv - 1]);
    fflush(stdout);
    thaw_free(x);
    thaw_world_free(&world);
    thaw_scene_free(&scene);
}

int main(int argc, char **argv) {
    bench_settle_blas(argv);
    if (argc > 1 && strcmp(argv[1], "block") == 0) {
        printf("program,tets,cpu_ms_falling,cpu_ms_resting,corner_z\n");
        run_block("full");
        run_block("rigidify");
        return 0;
    }
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
    printf("program,tets,cpu_ms_falling,cpu_ms_resting,corner_z\n");
    run_block("full");
    run_block("rigidify");
    return 0;
}
