// SPDX-License-Identifier: Apache-2.0
// Element work on a cube of about 60k tetrahedra: million elements a second for each pass over the elements, every
// material, one and two threads. `assemble` is force + stiffness + scatter into block CSR, `evaluate` the same without
// scatter, `projected` with every element's stiffness made positive. Least wall time of several; the body is
// stretched and twisted a little so that no branch is lucky.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common.h"

enum { PASSES = 6, REPEATS = 20 };

static const char *const NAMES[PASSES] = {"assemble", "evaluate", "projected", "force", "product", "energy"};

static void no_sink(void *context, int32_t batch, const ThawLanes *blocks) {
    (void)batch;
    *(volatile double *)context = blocks[3][0];
}

static void deform(ThawStepper *s) {
    for (int32_t i = 0; i < s->shape->nv; i++) {
        double *x = s->x + 3 * (size_t)i, angle = 0.5 * x[0], y = x[1], z = x[2];
        x[0] *= 1.1;
        x[1] = cos(angle) * y - sin(angle) * z;
        x[2] = sin(angle) * y + cos(angle) * z;
    }
}

static void run_pass(int pass, ThawWorld *world) {
    ThawStepper *s = &world->steppers[0];
    const ThawIntegrationSet *set = s->shape->all;
    ThawCombination A = {1, 0.01, {1e-4, 0.01, pass == 2}, 0, NULL};
    double forms[2], sink;
    switch (pass) {
    case 0:
    case 2:
        thaw_system_assemble(s->system, world->tasks, A, s->x, NULL, s->solver, s->f, s->partial);
        break;
    case 1:
        thaw_force_linearise(set, world->tasks, s->x, A.element, (ThawBlockSink){no_sink, &sink}, s->shape->nv, s->f,
                             s->partial);
        break;
    case 3:
        thaw_force_internal(set, world->tasks, s->x, s->shape->nv, s->f, s->partial);
        break;
    case 4:
        thaw_force_product(set, world->tasks, s->x, s->v, A.element, s->shape->nv, s->y, forms, s->partial);
        break;
    default:
        thaw_force_energy(set, world->tasks, s->x, s->partial);
    }
}

int main(void) {
    printf("material,threads");
    for (int p = 0; p < PASSES; p++)
        printf(",%s_mtet_s", NAMES[p]);
    printf("\n");
    for (int m = 0; m < THAW_MATERIAL_MODEL_COUNT; m++)
        for (int threads = 1; threads <= 2; threads++) {
            BenchBox box = bench_cube(22);
            box.solver = THAW_SOLVER_PCG;
            box.model = (ThawMaterialModel)m;
            box.threads = threads;
            ThawWorld *world = bench_world(&box);
            bench_step(world); // makes the system
            deform(&world->steppers[0]);
            printf("%s,%d", thaw_material_model_name(box.model), threads);
            for (int p = 0; p < PASSES; p++) {
                double best = 1e300;
                for (int k = 0; k < REPEATS; k++) {
                    double start = thaw_wall_ms();
                    run_pass(p, world);
                    best = bench_least(best, thaw_wall_ms() - start);
                }
                printf(",%.1f", (double)bench_elements(&box) / best / 1e3);
            }
            printf("\n");
            fflush(stdout);
            thaw_world_free(&world);
        }
    return 0;
}
