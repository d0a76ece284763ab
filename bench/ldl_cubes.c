// SPDX-License-Identifier: Apache-2.0
// Our factorisation against CHOLMOD's, in one run on one thread: M + h^2 K of boxes of Kuhn tetrahedra (linear
// elasticity, E 1e6 Pa, nu 0.3, 1000 kg/m^3, h 0.01 s, nothing fixed), of a region of a tenth of their vertices
// ("active": analysis with the order of a plan that serves some steps), a factorisation after a change of the active
// tenth only ("changed"), and J A^-1 J' for contacts with the bottom face, three vertices and three rows each ("100
// contacts": in the column solve_ms). CSV on stdout; times are the least CPU time of several runs, of two threads the
// least wall time.
//   ldl_cubes [cells ...]     default: cubes of 9 15 21 32 cells an edge and beams 34x5x5 52x8x8 78x12x12 117x17x17
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "mesh/mesh.h"
#include "sparse/ldl.h"
#include "sparse/sparse_impl.h"
#ifdef THAW_WITH_CHOLMOD
#include <suitesparse/cholmod.h>
#endif

static void must(ThawStatus status, const ThawError *error) {
    if (status != THAW_OK) {
        fprintf(stderr, "ldl_cubes: %s (%s)\n", status < 0 ? error->message : "", thaw_status_name(status));
        exit(1);
    }
}

static void *need(size_t count, size_t size) {
    void *memory = thaw_alloc(count, size);
    if (!memory) {
        fprintf(stderr, "ldl_cubes: out of memory\n");
        exit(1);
    }
    return memory;
}

typedef struct Problem {
    ThawBlockPattern *pattern;
    ThawBlockMatrix matrix;
} Problem;

// The pattern of some vertices, in the order given; row[i] is vertex i's block row, or -1.
static ThawBlockPattern *restrict_graph(const ThawGraph *graph, int32_t count, const int32_t *vertex, int32_t *row) {
    int32_t *offset = need((size_t)count + 1, sizeof *offset);
    int32_t *neighbour = need((size_t)graph->offset[graph->n], sizeof *neighbour);
    ThawBlockPattern *pattern;
    ThawError error;
    for (int32_t i = 0; i < graph->n; i++)
        row[i] = -1;
    for (int32_t i = 0; i < count; i++)
        row[vertex[i]] = i;
    for (int32_t i = 0; i < count; i++) {
        offset[i + 1] = offset[i];
        for (int32_t k = graph->offset[vertex[i]]; k < graph->offset[vertex[i] + 1]; k++)
            if (row[graph->neighbours[k]] >= 0)
                neighbour[offset[i + 1]++] = row[graph->neighbours[k]];
    }
    must(thaw_block_pattern_create(count, 3, offset, neighbour, &pattern, &error), &error);
    thaw_free(offset);
    thaw_free(neighbour);
    return pattern;
}

// Vertex v of the tetrahedron: the gradient of its shape function, from the face opposite to it.
static void shape_gradient(const ThawMesh *mesh, const int32_t *v, int a, double volume, double g[3]) {
    const double *p = mesh->x + 3 * v[a], *q[3];
    for (int i = 0, k = 0; i < 4; i++)
        if (i != a)
            q[k++] = mesh->x + 3 * v[i];
    double d[3], e[3], side = 0;
    for (int k = 0; k < 3; k++) {
        d[k] = q[1][k] - q[0][k];
        e[k] = q[2][k] - q[0][k];
    }
    for (int k = 0; k < 3; k++) {
        g[k] = (d[(k + 1) % 3] * e[(k + 2) % 3] - d[(k + 2) % 3] * e[(k + 1) % 3]) / (6 * volume);
        side += g[k] * (p[k] - q[0][k]);
    }
    for (int k = 0; k < 3 && side < 0; k++)
        g[k] = -g[k];
}

static void assemble(const ThawMesh *mesh, const int32_t *row, ThawBlockMatrix *matrix) {
    const double E = 1e6, nu = 0.3, rho = 1000, h = 0.01, mu = E / (2 + 2 * nu),
                 lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
    for (int32_t t = 0; t < mesh->element_count; t++) {
        const int32_t *v = mesh->elements + 4 * (size_t)t;
        double g[4][3], volume = thaw_mesh_volume(mesh, t), scale = h * h * volume;
        for (int a = 0; a < 4; a++)
            shape_gradient(mesh, v, a, volume, g[a]);
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++) {
                int32_t i = row[v[a]], j = row[v[b]];
                if (i < 0 || j < 0 || j > i)
                    continue;
                double *A = matrix->value + 9 * (size_t)thaw_block_find(matrix->pattern, i, j);
                double dot = g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2];
                for (int k = 0; k < 9; k++)
                    A[k] += scale * (lambda * g[a][k / 3] * g[b][k % 3] + mu * g[b][k / 3] * g[a][k % 3]);
                for (int k = 0; k < 3; k++)
                    A[4 * k] += scale * mu * dot + (i == j ? rho * volume / 4 : 0);
            }
    }
}

static Problem make_problem(const ThawMesh *mesh, const ThawGraph *graph, int32_t count, const int32_t *vertex) {
    Problem p = {0};
    int32_t *row = need((size_t)graph->n, sizeof *row);
    p.pattern = restrict_graph(graph, count, vertex, row);
    p.matrix.pattern = p.pattern;
    p.matrix.value = need((size_t)p.pattern->row[count] * 9 + THAW_PAD, sizeof(double));
    assemble(mesh, row, &p.matrix);
    thaw_free(row);
    return p;
}

static void free_problem(Problem *p) {
    thaw_free(p->matrix.value);
    thaw_block_pattern_free(&p->pattern);
}

static double residual(const ThawBlockMatrix *A, const double *b, const double *x) {
    const ThawBlockPattern *p = A->pattern;
    double *r = need(3 * (size_t)p->n, sizeof *r), rr = 0, bb = 0;
    memcpy(r, b, 3 * (size_t)p->n * sizeof *r);
    for (int32_t i = 0; i < p->n; i++)
        for (int32_t e = p->row[i]; e < p->row[i + 1]; e++)
            for (int k = 0; k < 9; k++) {
                double a = A->value[9 * (size_t)e + (size_t)k];
                r[3 * i + k / 3] -= a * x[3 * p->col[e] + k % 3];
                if (p->col[e] != i)
                    r[3 * p->col[e] + k % 3] -= a * x[3 * i + k / 3];
            }
    for (int32_t i = 0; i < 3 * p->n; i++) {
        rr += r[i] * r[i];
        bb += b[i] * b[i];
    }
    thaw_free(r);
    return sqrt(rr / bb);
}

static double repeats(double spent, int run) { return run < 2 || (run < 30 && spent < 1500); }

typedef struct Row {
    const char *shape;
    int64_t tets;
    double analyse, factor, solve, mb, error, gflops;
} Row;

static void print_row(const Row *r, int32_t unknowns, const char *kind, int threads) {
    printf("%s,%lld,%d,%s,%d,%.3f,%.3f,%.3f,%.1f,%.1e,%.1f\n", r->shape, (long long)r->tets, unknowns, kind, threads,
           r->analyse, r->factor, r->solve, r->mb, r->error, r->gflops);
    fflush(stdout);
}

// Analysis from a given order (NULL: with a quick order of its own), factor, one solve.
static double measure_ldl(const Problem *p, const int32_t *order, int threads, Row *row) {
    ThawError error;
    ThawLdlPlan *plan = NULL;
    ThawLdl *ldl;
    ThawTasks *tasks;
    double (*clock)(void) = threads > 1 ? thaw_wall_ms : thaw_cpu_ms;
    size_t size = 3 * (size_t)p->pattern->n;
    int32_t *sketch = need((size_t)p->pattern->n, sizeof *sketch);
    double *b = need(size, sizeof *b), *x = need(size, sizeof *x), begin = thaw_cpu_ms();
    must(thaw_tasks_create(threads, &tasks, &error), &error);
    row->analyse = row->factor = row->solve = INFINITY;
    for (int run = 0; repeats(thaw_cpu_ms() - begin, run); run++) {
        thaw_ldl_plan_free(&plan);
        double start = thaw_cpu_ms();
        if (!order)
            must(thaw_order_sketch(p->pattern, sketch, &error), &error);
        must(thaw_ldl_plan_create(p->pattern, order ? order : sketch, &plan, &error), &error);
        row->analyse = fmin(row->analyse, thaw_cpu_ms() - start);
    }
    must(thaw_ldl_create(plan, tasks, &ldl, &error), &error);
    for (size_t i = 0; i < size; i++)
        b[i] = sin((double)i);
    begin = thaw_cpu_ms();
    for (int run = 0; repeats(thaw_cpu_ms() - begin, run); run++) {
        double start = clock();
        must(thaw_ldl_factor(ldl, &p->matrix, NULL), &error);
        row->factor = fmin(row->factor, clock() - start);
        start = clock();
        must(thaw_ldl_solve(ldl, b, x), &error);
        row->solve = fmin(row->solve, clock() - start);
    }
    row->mb = (double)(thaw_ldl_bytes(ldl) + thaw_ldl_plan_bytes(plan)) * 1e-6;
    row->error = residual(&p->matrix, b, x);
    row->gflops = thaw_ldl_plan_cost(plan).flops / row->factor * 1e-6;
    thaw_ldl_free(&ldl);
    thaw_ldl_plan_free(&plan);
    thaw_tasks_free(&tasks);
    thaw_free(sketch);
    thaw_free(b);
    thaw_free(x);
    return row->factor;
}

static int measure_cholmod(const Problem *p, Row *row) {
    ThawError error;
    ThawCholmodPlan *plan;
    ThawCholmod *cholmod;
    size_t size = 3 * (size_t)p->pattern->n;
    double start = thaw_cpu_ms();
    if (thaw_cholmod_plan_create(p->pattern, &plan, &error) != THAW_OK)
        return 0;
    row->analyse = thaw_cpu_ms() - start;
    must(thaw_cholmod_create(plan, &cholmod, &error), &error);
    double *b = need(size, sizeof *b), *x = need(size, sizeof *x), begin = thaw_cpu_ms();
    for (size_t i = 0; i < size; i++)
        b[i] = sin((double)i);
    row->factor = row->solve = INFINITY;
    for (int run = 0; repeats(thaw_cpu_ms() - begin, run); run++) {
        start = thaw_cpu_ms();
        must(thaw_cholmod_factor(cholmod, &p->matrix), &error);
        row->factor = fmin(row->factor, thaw_cpu_ms() - start);
        start = thaw_cpu_ms();
        must(thaw_cholmod_solve(cholmod, b, x), &error);
        row->solve = fmin(row->solve, thaw_cpu_ms() - start);
    }
    row->mb = (double)thaw_cholmod_bytes(cholmod) * 1e-6;
    row->error = residual(&p->matrix, b, x);
    row->gflops = NAN;
    thaw_cholmod_free(&cholmod);
    thaw_cholmod_plan_free(&plan);
    thaw_free(b);
    thaw_free(x);
    return 1;
}

static void measure_both(const char *shape, int64_t tets, const Problem *p, const int32_t *order) {
    Row row = {.shape = shape, .tets = tets};
    measure_ldl(p, order, 1, &row);
    print_row(&row, 3 * p->pattern->n, "ldl", 1);
    if (measure_cholmod(p, &row))
        print_row(&row, 3 * p->pattern->n, "cholmod", 1);
    measure_ldl(p, order, 2, &row);
    print_row(&row, 3 * p->pattern->n, "ldl", 2);
}

// --- J A^-1 J' -------------------------------------------------------------------------------------------------------

typedef struct Contacts {
    ThawBlockRows rows;
    int32_t *start, *col;
    double *value;
} Contacts;

// Contacts at random points of random triangles of the face z = 0, whose vertices are in rows of the problem.
static Contacts make_contacts(const ThawMesh *mesh, const int32_t *row, int32_t count) {
    Contacts c = {.start = need((size_t)count + 1, sizeof *c.start),
                  .col = need(3 * (size_t)count, sizeof *c.col),
                  .value = need(27 * (size_t)count, sizeof *c.value)};
    int32_t *face = need(12 * (size_t)mesh->element_count, sizeof *face), faces = 0;
    for (int32_t t = 0; t < mesh->element_count; t++) {
        int32_t low[4], n = 0;
        for (int a = 0; a < 4; a++)
            if (mesh->x[3 * mesh->elements[4 * t + a] + 2] == 0.0)
                low[n++] = row[mesh->elements[4 * t + a]];
        if (n == 3)
            memcpy(face + 3 * faces++, low, 3 * sizeof *low);
    }
    uint64_t seed = 1;
    for (int32_t k = 0; k < count; k++) {
        double weight[3], sum = 0;
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        int32_t f = (int32_t)((seed >> 33) % (uint64_t)faces);
        for (int a = 0; a < 3; a++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            sum += weight[a] = 0.01 + (double)(seed >> 40);
        }
        c.start[k + 1] = 3 * k + 3;
        for (int a = 0; a < 3; a++) {
            c.col[3 * k + a] = face[3 * f + a];
            for (int r = 0; r < 3; r++)
                c.value[9 * (3 * k + a) + 4 * r] = weight[a] / sum;
        }
    }
    thaw_free(face);
    c.rows = (ThawBlockRows){count, 3, c.start, c.col, c.value};
    return c;
}

static void free_contacts(Contacts *c) {
    thaw_free(c->start);
    thaw_free(c->col);
    thaw_free(c->value);
}

static void respond_ldl(const Problem *p, const int32_t *order, const Contacts *c, double *H, Row *row) {
    ThawError error;
    ThawLdlPlan *plan;
    ThawLdl *ldl;
    size_t size = 3 * (size_t)c->rows.count;
    must(thaw_ldl_plan_create(p->pattern, order, &plan, &error), &error);
    must(thaw_ldl_create(plan, NULL, &ldl, &error), &error);
    must(thaw_ldl_factor(ldl, &p->matrix, NULL), &error);
    row->solve = INFINITY;
    double begin = thaw_cpu_ms();
    for (int run = 0; repeats(thaw_cpu_ms() - begin, run); run++) {
        memset(H, 0, size * size * sizeof *H);
        double start = thaw_cpu_ms();
        must(thaw_ldl_schur(ldl, &c->rows, H, size), &error);
        row->solve = fmin(row->solve, thaw_cpu_ms() - start);
    }
    row->mb = (double)thaw_ldl_bytes(ldl) * 1e-6;
    thaw_ldl_free(&ldl);
    thaw_ldl_plan_free(&plan);
}

#ifdef THAW_WITH_CHOLMOD
// The usual way: solve for the columns of J', 48 at a time, and multiply by J.
static void respond_cholmod(const Problem *p, const int32_t *order, const Contacts *c, double *H, Row *row) {
    enum { AT_ONCE = 48 };
    const ThawBlockPattern *pattern = p->pattern;
    int32_t n = pattern->n, size = 3 * n, columns = 3 * c->rows.count;
    cholmod_common common;
    cholmod_start(&common);
    common.supernodal = CHOLMOD_SUPERNODAL;
    common.nmethods = 1;
    common.method[0].ordering = CHOLMOD_GIVEN;
    cholmod_sparse *A = cholmod_allocate_sparse((size_t)size, (size_t)size, 9 * (size_t)pattern->row[n], 1, 1, 1,
                                                CHOLMOD_REAL, &common);
    int32_t *start = A->p, *index = A->i, *permutation = need((size_t)size, sizeof *permutation), filled = 0;
    double *value = A->x;
    for (int32_t i = 0; i < n; i++)
        for (int32_t r = 0; r < 3; r++) {
            permutation[3 * i + r] = 3 * order[i] + r;
            for (int32_t e = pattern->row[i]; e < pattern->row[i + 1]; e++)
                for (int32_t k = 0; k < 3 && 3 * pattern->col[e] + k <= 3 * i + r; k++) {
                    index[filled] = 3 * pattern->col[e] + k;
                    value[filled++] = p->matrix.value[9 * (size_t)e + (size_t)(3 * r + k)];
                }
            start[3 * i + r + 1] = filled;
        }
    cholmod_factor *L = cholmod_analyze_p(A, permutation, NULL, 0, &common);
    cholmod_factorize(A, L, &common);
    cholmod_dense *B = cholmod_zeros((size_t)size, AT_ONCE, CHOLMOD_REAL, &common), *X = NULL, *Y = NULL, *E = NULL;
    row->solve = INFINITY;
    for (int run = 0; run < 2; run++) {
        double begin = thaw_cpu_ms();
        for (int32_t first = 0; first < columns; first += AT_ONCE) {
            int32_t wide = columns - first < AT_ONCE ? columns - first : AT_ONCE;
            memset(B->x, 0, (size_t)size * AT_ONCE * sizeof(double));
            for (int32_t j = first; j < first + wide; j++)
                for (int32_t k = c->start[j / 3]; k < c->start[j / 3 + 1]; k++)
                    for (int r = 0; r < 3; r++)
                        ((double *)B->x)[(size_t)size * (size_t)(j - first) + (size_t)(3 * c->col[k] + r)] +=
                            c->value[9 * k + 3 * (j % 3) + r];
            B->ncol = (size_t)wide;
            cholmod_solve2(CHOLMOD_A, L, B, NULL, &X, NULL, &Y, &E, &common);
            for (int32_t i = 0; i < columns; i++)
                for (int32_t j = 0; j < wide; j++) {
                    const double *x = (double *)X->x + (size_t)size * (size_t)j;
                    double sum = 0;
                    for (int32_t k = c->start[i / 3]; k < c->start[i / 3 + 1]; k++)
                        for (int r = 0; r < 3; r++)
                            sum += c->value[9 * k + 3 * (i % 3) + r] * x[3 * c->col[k] + r];
                    H[(size_t)columns * (size_t)i + (size_t)(first + j)] = sum;
                }
        }
        row->solve = fmin(row->solve, thaw_cpu_ms() - begin);
        if (row->solve > 3000)
            break;
    }
    row->mb = (double)common.memory_usage * 1e-6;
    thaw_free(permutation);
    cholmod_free_dense(&B, &common);
    cholmod_free_dense(&X, &common);
    cholmod_free_dense(&Y, &common);
    cholmod_free_dense(&E, &common);
    cholmod_free_factor(&L, &common);
    cholmod_free_sparse(&A, &common);
    cholmod_finish(&common);
}
#endif

static void measure_contacts(const char *shape, const ThawMesh *mesh, const Problem *p, const int32_t *order,
                             const int32_t *row, int32_t count) {
    Contacts c = make_contacts(mesh, row, count);
    size_t size = 9 * (size_t)count * (size_t)count;
    double *H = need(size, sizeof *H);
    char name[80];
    snprintf(name, sizeof name, "%d contacts %s", count, shape);
    Row line = {name, mesh->element_count, NAN, NAN, NAN, NAN, NAN, NAN};
    respond_ldl(p, order, &c, H, &line);
    print_row(&line, 3 * p->pattern->n, "ldl", 1);
#ifdef THAW_WITH_CHOLMOD
    double *G = need(size, sizeof *G), most = 0, off = 0;
    respond_cholmod(p, order, &c, G, &line);
    for (size_t i = 0; i < size; i++) {
        most = fmax(most, fabs(G[i]));
        off = fmax(off, fabs(G[i] - H[i]));
    }
    line.error = off / most;
    print_row(&line, 3 * p->pattern->n, "cholmod", 1);
    thaw_free(G);
#endif
    thaw_free(H);
    free_contacts(&c);
}

// Factors anew after a change of the rows with id >= 0, keeping the subtrees without them.
static void measure_changed(const char *shape, int64_t tets, const Problem *p, const int32_t *order,
                            const int32_t *id) {
    ThawError error;
    ThawLdlPlan *plan;
    ThawLdl *ldl;
    unsigned char *changed = need((size_t)p->pattern->n, 1);
    for (int32_t i = 0; i < p->pattern->n; i++)
        changed[i] = id[i] >= 0;
    char name[80];
    snprintf(name, sizeof name, "changed %s", shape);
    Row row = {name, tets, NAN, INFINITY, NAN, NAN, NAN, NAN};
    must(thaw_ldl_plan_create(p->pattern, order, &plan, &error), &error);
    must(thaw_ldl_create(plan, NULL, &ldl, &error), &error);
    must(thaw_ldl_factor(ldl, &p->matrix, NULL), &error);
    for (int run = 0; run < 3; run++) {
        double start = thaw_cpu_ms();
        must(thaw_ldl_refactor(ldl, &p->matrix, changed), &error);
        row.factor = fmin(row.factor, thaw_cpu_ms() - start);
    }
    print_row(&row, 3 * p->pattern->n, "ldl", 1);
    thaw_ldl_free(&ldl);
    thaw_ldl_plan_free(&plan);
    thaw_free(changed);
}

// --- boxes -----------------------------------------------------------------------------------------------------------

// The tenth of the vertices nearest to a corner, in the order of the mesh's rows.
static int32_t nearest_tenth(const ThawMesh *mesh, int32_t n, const int32_t *vertex, int32_t *kept) {
    double low = 0, high = 3;
    int32_t count = 0;
    for (int pass = 0; pass < 50; pass++) {
        double middle = (low + high) / 2;
        count = 0;
        for (int32_t i = 0; i < n; i++) {
            const double *x = mesh->x + 3 * vertex[i];
            if (x[0] + x[1] + x[2] < middle)
                kept[count++] = vertex[i];
        }
        if (count < n / 10)
            low = middle;
        else
            high = middle;
    }
    return count;
}

static void measure_box(const int32_t cells[3], const char *shape) {
    ThawError error;
    ThawMesh *mesh;
    ThawGraph *graph;
    double longest = fmax(cells[0], fmax(cells[1], cells[2])), low[3] = {0, 0, 0}, size[3];
    for (int k = 0; k < 3; k++)
        size[k] = cells[k] / longest;
    must(thaw_mesh_box(3, low, size, cells, &mesh, &error), &error);
    must(thaw_graph_create(mesh, &graph, &error), &error);
    int32_t n = graph->n;
    int32_t *vertex = need((size_t)n, sizeof *vertex), *order = need((size_t)n, sizeof *order);
    int32_t *kept = need((size_t)n, sizeof *kept), *id = need((size_t)n, sizeof *id);
    must(thaw_graph_order_rcm(graph, vertex, &error), &error);
    Problem whole = make_problem(mesh, graph, n, vertex);
    must(thaw_order_dissect(whole.pattern, order, &error), &error);
    measure_both(shape, mesh->element_count, &whole, order);

    for (int32_t i = 0; i < n; i++)
        id[vertex[i]] = i;
    measure_contacts(shape, mesh, &whole, order, id, 100);
    measure_contacts(shape, mesh, &whole, order, id, 1000);

    int32_t count = nearest_tenth(mesh, n, vertex, kept), k = 0;
    for (int32_t i = 0; i < n; i++)
        id[i] = k < count && vertex[i] == kept[k] ? k++ : -1;
    measure_changed(shape, mesh->element_count, &whole, order, id);
    Problem active = make_problem(mesh, graph, count, kept);
    char name[80];
    snprintf(name, sizeof name, "active %s", shape);
    measure_both(name, mesh->element_count, &active, NULL);
    // CHOLMOD's order is a lasting one: memory is compared at equal orders.
    Row row = {.shape = name, .tets = mesh->element_count};
    must(thaw_order_dissect(active.pattern, order, &error), &error);
    measure_ldl(&active, order, 1, &row);
    print_row(&row, 3 * count, "ldl lasting order", 1);
    free_problem(&active);
    free_problem(&whole);
    thaw_graph_free(&graph);
    thaw_mesh_free(&mesh);
    thaw_free(vertex);
    thaw_free(order);
    thaw_free(kept);
    thaw_free(id);
}

int main(int argc, char **argv) {
    bench_settle_blas(argv);
    const char *standard[] = {"9", "15", "21", "32", "34x5x5", "52x8x8", "78x12x12", "117x17x17"};
    int count = argc > 1 ? argc - 1 : 8;
    printf("shape,tets,unknowns,kind,threads,analyse_ms,factor_ms,solve_ms,mb,residual,gflops\n");
    for (int k = 0; k < count; k++) {
        const char *text = argc > 1 ? argv[k + 1] : standard[k];
        int32_t cells[3];
        int read = sscanf(text, "%dx%dx%d", &cells[0], &cells[1], &cells[2]);
        if (read == 1)
            cells[1] = cells[2] = cells[0];
        if ((read != 1 && read != 3) || cells[0] < 1 || cells[1] < 1 || cells[2] < 1) {
            fprintf(stderr, "ldl_cubes: cells are \"%s\"; allowed: 9, or 52x8x8\n", text);
            return 1;
        }
        measure_box(cells, read == 1 ? "cube" : "beam");
    }
    return 0;
}
