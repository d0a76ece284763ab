// SPDX-License-Identifier: Apache-2.0
// How fast the solvers are: one implicit step's matrix A = M + h^2 K of a unit cube of Kuhn tetrahedra, linear
// elasticity (E 1e6 Pa, nu 0.3, 1000 kg/m^3), h 0.01 s, no vertex fixed, vertices in reverse Cuthill-McKee order. Cubes
// have the worst fill of all shapes. CSV on stdout; times are the least CPU time of several runs on one thread.
//
//   solver_cubes [tolerance [young [cells ...]]]        default 1e-8, 1e6 and 9 15 21 32 cells an edge
//
// Cells may be given as 52x8x8: then the longest edge is one metre. The row "auto" tells what that kind decides for.
//
// Measure CHOLMOD with OPENBLAS_CORETYPE (Haswell, SkylakeX, Zen), OPENBLAS_NUM_THREADS=1 and OMP_THREAD_LIMIT=1 set.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mesh/mesh.h"
#include "sparse/sparse.h"

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void must(ThawStatus status, const ThawError *error) {
    if (status < 0) {
        fprintf(stderr, "solver_cubes: %s\n", error->message);
        exit(1);
    }
}

typedef struct Cube {
    ThawMesh *mesh;
    ThawBlockPattern *pattern;
    int32_t *place; // vertex -> block row
} Cube;

static Cube make_cube(const int32_t cells[3]) {
    ThawError error;
    Cube cube = {0};
    ThawGraph *graph;
    double lo[3] = {0, 0, 0}, hi[3], longest = fmax(cells[0], fmax(cells[1], cells[2]));
    for (int k = 0; k < 3; k++)
        hi[k] = cells[k] / longest;
    must(thaw_mesh_box(3, lo, hi, cells, &cube.mesh, &error), &error);
    must(thaw_graph_create(cube.mesh, &graph, &error), &error);
    int32_t n = graph->n;
    int32_t *order = THAW_NEW(int32_t, n), *offset = THAW_NEW(int32_t, n + 1);
    int32_t *neighbour = THAW_NEW(int32_t, graph->offset[n]);
    cube.place = THAW_NEW(int32_t, n);
    if (!order || !offset || !neighbour || !cube.place)
        exit(1);
    must(thaw_graph_order_rcm(graph, order, &error), &error);
    for (int32_t i = 0; i < n; i++)
        cube.place[order[i]] = i;
    for (int32_t i = 0; i < n; i++) {
        offset[i + 1] = offset[i];
        for (int32_t k = graph->offset[order[i]]; k < graph->offset[order[i] + 1]; k++)
            neighbour[offset[i + 1]++] = cube.place[graph->neighbours[k]];
    }
    must(thaw_block_pattern_create(n, 3, offset, neighbour, &cube.pattern, &error), &error);
    thaw_free(order);
    thaw_free(offset);
    thaw_free(neighbour);
    thaw_graph_free(&graph);
    return cube;
}

static void free_cube(Cube *cube) {
    thaw_mesh_free(&cube->mesh);
    thaw_block_pattern_free(&cube->pattern);
    thaw_free(cube->place);
}

// g[a] = gradient of the shape function of vertex a: the rows of the inverse edge matrix, and minus their sum.
static void gradients(const ThawMesh *mesh, int32_t element, double g[4][3]) {
    const int32_t *v = mesh->elements + 4 * (size_t)element;
    double d[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            d[i][k] = mesh->x[3 * v[i + 1] + k] - mesh->x[3 * v[0] + k];
    double six = 6.0 * thaw_mesh_volume(mesh, element);
    for (int k = 0; k < 3; k++)
        g[0][k] = 0.0;
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++) {
            const double *p = d[(a + 1) % 3], *q = d[(a + 2) % 3];
            g[a + 1][k] = (p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3]) / six;
            g[0][k] -= g[a + 1][k];
        }
}

// Blocks of M + h^2 K; K_ab = V (lambda g_a g_b' + mu g_b g_a' + mu g_a.g_b I), masses lumped.
static void assemble(const Cube *cube, double E, ThawBlockMatrix *matrix) {
    const double nu = 0.3, rho = 1000.0, h = 0.01;
    const double mu = E / (2 + 2 * nu), lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
    const ThawBlockPattern *pattern = cube->pattern;
    memset(matrix->value, 0, (size_t)pattern->row[pattern->n] * 9 * sizeof(double));
    for (int32_t e = 0; e < cube->mesh->element_count; e++) {
        double g[4][3], volume = thaw_mesh_volume(cube->mesh, e);
        gradients(cube->mesh, e, g);
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++) {
                int32_t i = cube->place[cube->mesh->elements[4 * e + a]],
                        j = cube->place[cube->mesh->elements[4 * e + b]];
                if (j > i)
                    continue;
                double *A = matrix->value + 9 * (size_t)thaw_block_find(pattern, i, j);
                double dot = g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2];
                for (int r = 0; r < 3; r++)
                    for (int c = 0; c < 3; c++)
                        A[3 * r + c] += h * h * volume * (lambda * g[a][r] * g[b][c] + mu * g[b][r] * g[a][c]);
                for (int r = 0; r < 3; r++)
                    A[4 * r] += h * h * volume * mu * dot + (i == j ? rho * volume / 4 : 0.0);
            }
    }
}

static void measure(const Cube *cube, ThawSolverKind kind, const char *name, double tolerance, double young) {
    ThawError error;
    ThawSolverPlan *plan;
    ThawSolver *solver;
    int32_t size = 3 * cube->pattern->n;
    double *b = THAW_NEW(double, size), *x = THAW_NEW(double, size);
    if (!b || !x)
        exit(1);
    uint64_t seed = 1;
    for (int32_t i = 0; i < size; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        b[i] = (double)(seed >> 33) / 2147483648.0 - 1.0;
    }
    double start = now_ms();
    ThawStatus status = thaw_solver_plan_create(kind, cube->pattern, &plan, &error);
    double analyse = now_ms() - start, factor = INFINITY, solve = INFINITY, product = INFINITY;
    if (status == THAW_ERROR_UNSUPPORTED) {
        thaw_free(b);
        thaw_free(x);
        return;
    }
    must(status, &error);
    must(thaw_solver_create(plan, NULL, &solver, &error), &error);
    assemble(cube, young, thaw_solver_matrix(solver));
    ThawSolveInfo info = {0};
    double spent = now_ms();
    for (int run = 0; run < 20 && (run < 2 || now_ms() - spent < 3000.0); run++) {
        start = now_ms();
        status = thaw_solver_factor(solver);
        factor = fmin(factor, now_ms() - start);
        memset(x, 0, (size_t)size * sizeof *x);
        start = now_ms();
        if (status == THAW_OK)
            status = thaw_solver_solve(solver, b, x, tolerance, &info);
        solve = fmin(solve, now_ms() - start);
        start = now_ms();
        thaw_solver_multiply(solver, b, x);
        product = fmin(product, now_ms() - start);
        if (status != THAW_OK) {
            fprintf(stderr, "solver_cubes: %s ended %s\n", name, thaw_status_name(status));
            exit(1);
        }
    }
    printf("%d,%d,%s,%.3f,%.3f,%.3f,%d,%.1f,%.1e,%.3f\n", cube->mesh->element_count, size, name, analyse, factor, solve,
           info.iterations, (double)thaw_solver_bytes(solver) * 1e-6, info.residual, product);
    fflush(stdout);
    thaw_solver_free(&solver);
    thaw_solver_plan_free(&plan);
    thaw_free(b);
    thaw_free(x);
}

int main(int argc, char **argv) {
    double tolerance = argc > 1 ? atof(argv[1]) : 1e-8, young = argc > 2 ? atof(argv[2]) : 1e6;
    const char *standard[] = {"9", "15", "21", "32"};
    int count = argc > 3 ? argc - 3 : 4;
    printf("tets,unknowns,kind,analyse_ms,factor_ms,solve_ms,iterations,mb,residual,multiply_ms\n");
    for (int k = 0; k < count; k++) {
        const char *text = argc > 3 ? argv[k + 3] : standard[k];
        int32_t cells[3];
        int read = sscanf(text, "%dx%dx%d", &cells[0], &cells[1], &cells[2]);
        if (read == 1)
            cells[1] = cells[2] = cells[0];
        if ((read != 1 && read != 3) || cells[0] < 1 || cells[1] < 1 || cells[2] < 1) {
            fprintf(stderr, "solver_cubes: cells are \"%s\"; allowed: 9, or 52x8x8\n", text);
            return 1;
        }
        Cube cube = make_cube(cells);
        measure(&cube, THAW_SOLVER_PCG, "pcg", tolerance, young);
        measure(&cube, THAW_SOLVER_CHOLMOD, "cholmod", tolerance, young);
        measure(&cube, THAW_SOLVER_LDL, "ldl", tolerance, young);
        ThawSolverPlan *plan;
        ThawError error;
        must(thaw_solver_plan_create(THAW_SOLVER_AUTO, cube.pattern, &plan, &error), &error);
        printf("%d,%d,auto=%s,,,,,,,\n", cube.mesh->element_count, 3 * cube.pattern->n,
               thaw_solver_plan_kind(plan) == THAW_SOLVER_PCG ? "pcg" : "ldl");
        thaw_solver_plan_free(&plan);
        free_cube(&cube);
    }
    return 0;
}
