// SPDX-License-Identifier: Apache-2.0
// Square cloths draped over a ball, full method, one thread: what a step costs, by stage and by triangle, how far it
// is iterated, and memory. 3200 triangles are what was measured with another program.
//   sheets [largest number of triangles, default 101000] [steps, default 100] [integrator] [solver]
//
// The cloth: 1 m x 1 m, 0.2 kg/m^2, 1 mm thick, E 1e5 Pa, nu 0.3, friction 0.4, dropped by 1 cm onto a ball of 0.25 m;
// h = 0.01 s. Each size on a regular grid and on one whose inner vertices are shifted at random by up to a quarter of a
// cell (bending elements of six and of twelve vertices). CPU ms a step: all steps but the first, and the last quarter,
// in which it hangs down.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

typedef struct Drape {
    int cells, steps, irregular;
    const char *integrator, *solver;
} Drape;

static void shift_vertices(const ThawMesh *mesh, double most) {
    double *x = mesh->x;
    uint32_t seed = 1;
    for (int32_t i = 0; i < mesh->vertex_count; i++)
        for (int k = 0; k < 2; k++) {
            seed = 1664525 * seed + 1013904223;
            const double *at = x + 3 * (size_t)i;
            if (at[0] * at[0] < 0.2499 && at[1] * at[1] < 0.2499)
                x[3 * (size_t)i + (size_t)k] += most * (seed / 2147483648.0 - 1);
        }
}

static ThawWorld *make_world(const Drape *drape) {
    static const char format[] =
        "{\"thaw\": 1, \"gravity\": [0, 0, -9.81], \"solver\": {\"name\": \"%s\"},"
        " \"time\": {\"step\": 0.01, \"integrator\": \"%s\"},"
        " \"materials\": {\"m\": {\"density\": 200, \"young\": 1e5, \"poisson\": 0.3, \"alpha1\": 0.002}},"
        " \"shapes\": {\"cloth\": {\"mesh\": {\"sheet\": {\"grid\": {\"width\": 1, \"height\": 1}}, \"size\": %.17g},"
        " \"thickness\": 0.001, \"material\": \"m\"}},"
        " \"bodies\": [{\"shape\": \"cloth\", \"friction\": 0.4, \"position\": [0, 0, 0.2605]}],"
        " \"obstacles\": [{\"sphere\": {\"radius\": 0.25}, \"friction\": 0.4}]}";
    char text[2000];
    ThawError error;
    ThawScene *scene = NULL;
    ThawWorld *world = NULL;
    const int length = snprintf(text, sizeof text, format, drape->solver, drape->integrator, 1.0 / drape->cells);
    ThawStatus status = thaw_scene_parse(text, (size_t)length, "drape", NULL, &scene, &error);
    if (status == THAW_OK) {
        if (drape->irregular)
            shift_vertices(scene->world.shapes[0].mesh, 0.25 / drape->cells);
        scene->world.threads = 1;
        scene->world.ledger = 0;
        status = thaw_world_create(&scene->world, &world, &error);
    }
    if (status != THAW_OK) {
        fprintf(stderr, "benchmark: %s\n", error.message);
        exit(1);
    }
    thaw_scene_free(&scene);
    return world;
}

static void run(void *context) {
    const Drape *drape = context;
    const double start = thaw_cpu_ms();
    ThawWorld *world = make_world(drape);
    const double create = thaw_cpu_ms() - start, triangles = (double)thaw_world_element_count(world, 0);
    const int last = drape->steps - drape->steps / 4;
    ThawStepStats sum = {0};
    double cpu = 0, late = 0, contacts = 0, newton = 0, iterations = 0, wall = 0;
    for (int k = 0; k < drape->steps; k++) {
        ThawStepStats stats = bench_step(world);
        cpu += k > 0 ? stats.cpu_ms / (drape->steps - 1) : 0;
        late += k >= last ? stats.cpu_ms / (drape->steps - last) : 0;
        contacts = (double)stats.contacts;
        newton += (double)stats.newton_iterations / drape->steps;
        iterations += (double)stats.solver_iterations / drape->steps;
        wall += stats.wall_ms;
        const double *from[] = {&stats.force_ms, &stats.assemble_ms, &stats.factor_ms,
                                &stats.solve_ms, &stats.contact_ms,  &stats.response_ms};
        double *to[] = {&sum.force_ms, &sum.assemble_ms, &sum.factor_ms,
                        &sum.solve_ms, &sum.contact_ms,  &sum.response_ms};
        for (int i = 0; i < 6; i++)
            *to[i] += *from[i];
    }
    // Stages are wall time: shares of it, in CPU time.
    const double share = cpu / (wall > 0 ? wall : 1);
    printf("%.0f,%s,%s,%s,%.1f,%.2f,%.2f,%.2f,%.1f,%.1f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.0f,%.1f,%.0f\n", triangles,
           drape->irregular ? "irregular" : "regular", drape->integrator, drape->solver, create, cpu, late,
           1e3 * cpu / triangles, newton, iterations, share * sum.force_ms, share * sum.assemble_ms,
           share * sum.factor_ms, share * sum.solve_ms, share * sum.contact_ms, share * sum.response_ms, contacts,
           bench_peak_mb(), 1048576 * bench_peak_mb() / triangles);
    thaw_world_free(&world);
}

int main(int argc, char **argv) {
    static const int CELLS[] = {14, 40, 100, 224};
    static const char *const INTEGRATORS[] = {"euler", "euler-newton"};
    const double largest = argc > 1 ? atof(argv[1]) : 101000;
    bench_settle_blas(argv);
    printf("triangles,mesh,integrator,solver,create_ms,cpu_ms,late_cpu_ms,us_per_triangle,newton_iterations,"
           "solver_iterations,force_ms,assemble_ms,factor_ms,solve_ms,contact_ms,response_ms,contacts,peak_mb,"
           "bytes_per_triangle\n");
    for (size_t i = 0; i < sizeof CELLS / sizeof *CELLS; i++)
        for (int irregular = 0; irregular < 2; irregular++)
            for (int k = 0; k < 2; k++) {
                Drape drape = {CELLS[i], argc > 2 ? atoi(argv[2]) : 100, irregular, INTEGRATORS[k],
                               argc > 4 ? argv[4] : "auto"};
                if (2.0 * CELLS[i] * CELLS[i] > largest || (argc > 3 && strcmp(argv[3], INTEGRATORS[k]) != 0))
                    continue;
                if (bench_isolated(run, &drape) != 0)
                    fprintf(stderr, "sheets: %d cells failed\n", CELLS[i]);
            }
    return 0;
}
