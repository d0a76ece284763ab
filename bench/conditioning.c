// SPDX-License-Identifier: Apache-2.0
// Condition numbers of steps' matrices and what they cost conjugate gradients (shells paper, 4.2 and figure 8): of all
// vertices and with rigid parts; as they are, with blocks of the diagonal made 1, and scaled after Curtis and Reid;
// iterations with nothing, with the incomplete factor, and with a factor of G'A_pG, A_p = M + (h^2 + h alpha1) L the
// oracle's Laplacian. CPU ms. Two problems: a cross of cloth whose ends are drawn apart, and a wheel of two materials.
//   conditioning [steps of the cross, default 120] [steps of the wheel, default 200]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "sparse/sparse_impl.h"

static void must(ThawStatus status, const char *what) {
    if (status == THAW_OK)
        return;
    fprintf(stderr, "conditioning: %s\n", what);
    exit(1);
}

// A matrix, ready to multiply with and to solve with.
typedef struct System {
    const ThawSystem *system;
    ThawSolver *iterative, *direct, *mapped;
    size_t size;
    double *s, *r, *z, *p, *q, *x, *b; // s: scales
} System;

static double dot(size_t size, const double *a, const double *b) {
    double sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += a[i] * b[i];
    return sum;
}

// The largest eigenvalue of S A S, or of its inverse, by powers.
static double largest(const System *m, int inverse) {
    double *u = m->r, *v = m->z, value = 0;
    for (size_t i = 0; i < m->size; i++)
        u[i] = sin(1.0 + (double)i * 0.7);
    for (int k = 0; k < 150; k++) {
        const double norm = sqrt(dot(m->size, u, u));
        for (size_t i = 0; i < m->size; i++)
            u[i] = u[i] / norm * (inverse ? 1 / m->s[i] : m->s[i]);
        if (inverse)
            must(thaw_solver_solve(m->direct, u, v, 0, NULL), "inverse");
        else
            thaw_solver_multiply(m->iterative, u, v);
        double next = 0;
        for (size_t i = 0; i < m->size; i++) {
            u[i] = v[i] * (inverse ? 1 / m->s[i] : m->s[i]);
            next += u[i] * u[i];
        }
        value = sqrt(next);
    }
    return value;
}

static double condition(const System *m) { return largest(m, 0) * largest(m, 1); }

// Iterations of S A S to |S r| = goal |S b|, preconditioned by `factor` (s is 1 then) or not at all.
static int iterate(const System *m, ThawSolver *factor, double goal) {
    double rz = 0, start = 0;
    memset(m->x, 0, m->size * sizeof *m->x);
    memset(m->p, 0, m->size * sizeof *m->p);
    for (size_t i = 0; i < m->size; i++)
        m->r[i] = m->s[i] * m->b[i];
    start = dot(m->size, m->r, m->r);
    for (int k = 0; k < 20000; k++) {
        if (dot(m->size, m->r, m->r) <= goal * goal * start)
            return k;
        if (factor)
            must(thaw_solver_solve(factor, m->r, m->z, 0, NULL), "preconditioner");
        else
            memcpy(m->z, m->r, m->size * sizeof *m->z);
        const double old = rz;
        rz = dot(m->size, m->r, m->z);
        for (size_t i = 0; i < m->size; i++)
            m->p[i] = m->z[i] + (k ? rz / old : 0) * m->p[i];
        for (size_t i = 0; i < m->size; i++)
            m->z[i] = m->s[i] * m->p[i];
        thaw_solver_multiply(m->iterative, m->z, m->q);
        for (size_t i = 0; i < m->size; i++)
            m->q[i] *= m->s[i];
        const double alpha = rz / dot(m->size, m->p, m->q);
        for (size_t i = 0; i < m->size; i++) {
            m->x[i] += alpha * m->p[i];
            m->r[i] -= alpha * m->q[i];
        }
    }
    return -1;
}

// G'A_pG into the matrix of `mapped`.
static void put_laplacian(const ThawShape *shape, const ThawMap *map, double h, ThawSolver *mapped) {
    ThawBlockMatrix *A = thaw_solver_matrix(mapped);
    ThawAssembly assembly = {map, A->value};
    const int dim = 3;
    memset(A->value, 0, sizeof(double) * (size_t)A->pattern->row[A->pattern->n] * (size_t)(dim * dim));
    for (int32_t batch = 0; batch < map->set->batch_count; batch++) {
        const ThawBatch *b = &map->set->batches[batch];
        ThawLanes blocks[THAW_BLOCKS_MAX * 9], grad[THAW_ELEMENT_NODES_MAX][3], scale;
        const int nodes = b->kind->nodes;
        memset(blocks, 0, sizeof blocks);
        if (b->kind != shape->cells->kind)
            continue;
        for (int k = 0; k < dim; k++) {
            grad[0][k] = thaw_lanes_set(0);
            for (int a = 1; a < nodes; a++) {
                grad[a][k] = b->gradient[(a - 1) * 3 + k];
                grad[0][k] -= grad[a][k];
            }
        }
        for (int l = 0; l < THAW_LANES; l++) {
            const ThawMaterial *m = b->element[l] < 0 ? NULL : &shape->materials[shape->cells->material[b->element[l]]];
            scale[l] = m ? m->young * (h * h + h * m->alpha1) : 0;
        }
        for (int a = 0, block = 0; a < nodes; a++)
            for (int c = 0; c <= a; c++, block++)
                for (int k = 0; k < dim; k++)
                    blocks[(block * dim + k) * dim + k] =
                        scale * b->weight *
                        (grad[a][0] * grad[c][0] + grad[a][1] * grad[c][1] + grad[a][2] * grad[c][2]);
        map->ops->add_blocks(&assembly, batch, blocks);
    }
    if (map->ops->finish)
        map->ops->finish(&assembly);
    const ThawInertia inertia = thaw_inertia_lumped(shape);
    inertia.ops->add(&inertia, map, 1, h, A);
}

static void block_scales(const System *m) {
    const ThawBlockMatrix *A = thaw_solver_matrix(m->iterative);
    for (size_t i = 0; i < m->size; i++) {
        const size_t bs = (size_t)A->pattern->bs, row = i / bs;
        const double *a = A->value + ((size_t)A->pattern->row[row + 1] - 1) * bs * bs;
        m->s[i] = 1 / sqrt(a[(bs + 1) * (i % bs)]);
    }
}

static double timed_factor(ThawSolver *solver, const char *what) {
    double least = INFINITY;
    for (int k = 0; k < 5; k++) {
        const double since = thaw_cpu_ms();
        must(thaw_solver_factor(solver), what);
        least = bench_least(least, thaw_cpu_ms() - since);
    }
    return least;
}

static double timed_solve(const System *m, ThawSolver *solver, double goal, int32_t *iterations) {
    double least = INFINITY;
    for (int k = 0; k < 5; k++) {
        ThawSolveInfo info = {0};
        memset(m->x, 0, m->size * sizeof *m->x);
        const double since = thaw_cpu_ms();
        must(thaw_solver_solve(solver, m->b, m->x, goal, &info), "solve");
        least = bench_least(least, thaw_cpu_ms() - since);
        *iterations = info.iterations;
    }
    return least;
}

static void measure(const char *name, const ThawWorld *world, int64_t step) {
    const ThawStepper *s = &world->steppers[0];
    const ThawSystem *system = s->system;
    const double goal = 1e-4;
    ThawSolverPlan *plan[3];
    ThawSolver *solver[3], *mapped;
    ThawError error;
    static const ThawSolverKind kinds[] = {THAW_SOLVER_PCG, THAW_SOLVER_PCG_SCALED, THAW_SOLVER_LDL};
    if (!system || system->map->n == 0)
        return;
    const ThawBlockMatrix *A = thaw_solver_matrix(s->solver);
    const size_t values = (size_t)A->pattern->row[A->pattern->n] * (size_t)(A->pattern->bs * A->pattern->bs);
    for (int k = 0; k < 3; k++) {
        must(thaw_solver_plan_create(kinds[k], system->pattern, &plan[k], &error), "plan");
        must(thaw_solver_create(plan[k], NULL, &solver[k], &error), "solver");
        memcpy(thaw_solver_matrix(solver[k])->value, A->value, values * sizeof(double));
    }
    must(thaw_solver_create(plan[2], NULL, &mapped, &error), "solver");
    System m = {system, solver[0], solver[2], mapped, (size_t)system->map->n * (size_t)A->pattern->bs, NULL, NULL, NULL,
                NULL,   NULL,      NULL,      NULL};
    double **vectors[] = {&m.s, &m.r, &m.z, &m.p, &m.q, &m.x, &m.b};
    for (int k = 0; k < 7; k++)
        *vectors[k] = THAW_NEW(double, m.size);
    memcpy(m.b, s->b, m.size * sizeof *m.b);
    const double ldl = timed_factor(solver[2], "LDL"), ic = timed_factor(solver[0], "incomplete factor"),
                 scaled = timed_factor(solver[1], "scaled incomplete factor");
    put_laplacian(s->shape, system->map, world->model->options.h, mapped);
    const double map_factor = timed_factor(mapped, "mapped preconditioner");
    double kappa[3];
    int plain[3];
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < m.size; i++)
            m.s[i] = k == 2 ? solver[1]->scale[i] : 1;
        if (k == 1)
            block_scales(&m);
        kappa[k] = condition(&m);
        plain[k] = iterate(&m, NULL, goal);
    }
    for (size_t i = 0; i < m.size; i++)
        m.s[i] = 1;
    int32_t its[3];
    const double ic_solve = timed_solve(&m, solver[0], goal, &its[0]),
                 scaled_solve = timed_solve(&m, solver[1], goal, &its[1]),
                 ldl_solve = timed_solve(&m, solver[2], 0, &its[2]);
    double since = thaw_cpu_ms();
    const int map_its = iterate(&m, mapped, goal);
    const double map_solve = thaw_cpu_ms() - since;
    printf("%s,%s,%lld,%d,%d,%.2e,%.2e,%.2e,%d,%d,%d,%d,%d,%d,%.2f,%.2f,%.2f,%.2f\n", name, s->method->name,
           (long long)step, (int)system->map->n, (int)system->map->frame_count, kappa[0], kappa[1], kappa[2], plain[0],
           plain[1], plain[2], its[0], its[1], map_its, ic + ic_solve, scaled + scaled_solve, map_factor + map_solve,
           ldl + ldl_solve);
    fflush(stdout);
    for (int k = 0; k < 7; k++)
        thaw_free(*vectors[k]);
    thaw_solver_free(&mapped);
    for (int k = 0; k < 3; k++) {
        thaw_solver_free(&solver[k]);
        thaw_solver_plan_free(&plan[k]);
    }
}

static void run(const char *name, const char *path, const char *text, const char *method, int steps) {
    ThawError error;
    ThawScene *scene = NULL;
    ThawWorld *world = NULL;
    ThawStatus status = path ? thaw_scene_load(path, &scene, &error)
                             : thaw_scene_parse(text, strlen(text), name, THAW_SOURCE_DIR "/scenes", &scene, &error);
    if (status != THAW_OK) {
        fprintf(stderr, "conditioning: %s\n", error.message);
        exit(1);
    }
    ThawBodyDef body = scene->world.bodies[0];
    body.method = method;
    scene->world.bodies = &body;
    scene->world.body_count = 1;
    scene->world.threads = 1;
    scene->world.ledger = 0;
    scene->world.projection = THAW_PROJECT_ALWAYS; // so that all of them are positive
    must(thaw_world_create(&scene->world, &world, &error), error.message);
    for (int k = 1; k <= steps; k++) {
        bench_step(world);
        if (k % (steps / 4) == 0)
            measure(name, world, k);
    }
    thaw_world_free(&world);
    thaw_scene_free(&scene);
}

static const char CROSS[] =
    "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.01},"
    " \"materials\": {\"felt\": {\"density\": 200, \"young\": 2e5, \"poisson\": 0.3, \"alpha1\": 0.01}},"
    " \"shapes\": {\"cross\": {\"mesh\": {\"sheet\": {\"drawing\": \"cross.svg\"}, \"size\": 0.03}, \"material\":"
    " \"felt\", \"thickness\": 0.003, \"groups\": {\"left\": {\"box\": {\"min\": [-9, -9, -9], \"max\": [0.05, 9, 9]}},"
    " \"right\": {\"box\": {\"min\": [1.15, -9, -9], \"max\": [9, 9, 9]}}}}},"
    " \"bodies\": [{\"shape\": \"cross\", \"pins\": [\"left\"], \"scripts\": [{\"group\": \"right\", \"keys\":"
    " [{\"time\": 0}, {\"time\": 0.5, \"translation\": [0.4, 0, 0]}]}]}],"
    " \"rigidify\": {\"tolerance\": 1e-2}}";

int main(int argc, char **argv) {
    static const char *const methods[] = {"full", "rigidify"};
    bench_settle_blas(argv);
    printf("problem,method,step,rows,parts,condition,jacobi,curtis_reid,cg,cg_jacobi,cg_curtis_reid,ic0,ic0_scaled,"
           "mapped,ic0_ms,ic0_scaled_ms,mapped_ms,ldl_ms\n");
    for (int i = 0; i < 2; i++)
        run("cross", NULL, CROSS, methods[i], argc > 1 ? atoi(argv[1]) : 120);
    for (int i = 0; i < 2; i++)
        run("wheel", THAW_SOURCE_DIR "/scenes/wheel.json", NULL, methods[i], argc > 2 ? atoi(argv[2]) : 200);
    return 0;
}
