// SPDX-License-Identifier: Apache-2.0
// What it costs to renew the system of an adaptive body, and what its order of elimination is worth: the elastic region
// is 1, 3, 10 or 30 percent of the vertices of a cube, at a corner or as a ball inside, alone or with the rest of the
// cube as a rigid part (two blocks that every vertex of the boundary is coupled with). By minimum degree ("degree";
// "amd": SuiteSparse's, where the build has it), as a plan for some steps ("sketch"), as one that lasts ("dissect"),
// and as the restriction of the whole cube's order ("restricted"). CSV on stdout; least CPU time of several runs in ms.
// The last column is what comes before the factor over the factor: pattern, order and analysis.
//   ldl_orders [cells ...]     default: 9 15 21
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

enum { REPEATS = 9 };

static void must(ThawStatus status) {
    if (status != THAW_OK) {
        fprintf(stderr, "ldl_orders: %s\n", thaw_status_name(status));
        exit(1);
    }
}

static void *need(size_t count, size_t size) {
    void *memory = thaw_alloc(count, size);
    if (!memory) {
        fprintf(stderr, "ldl_orders: out of memory\n");
        exit(1);
    }
    return memory;
}

typedef struct Region {
    char name[80];
    int64_t tets;
    int32_t n, *offset, *neighbour; // the graph
    ThawBlockPattern *pattern;
    double pattern_ms;
} Region;

// Vertices with id >= 0, `count` of them, and a rigid part of the others if `parts` is 2 (blocks).
static Region make_region(const ThawGraph *graph, const int32_t *id, int32_t count, int32_t parts) {
    Region r = {.n = count + parts,
                .offset = need((size_t)(count + parts) + 1, sizeof(int32_t)),
                .neighbour = need((size_t)graph->offset[graph->n] + 4 * (size_t)count + 4, sizeof(int32_t))};
    unsigned char *boundary = need((size_t)count, 1);
    int32_t *vertex = need((size_t)count, sizeof *vertex), end = 0;
    for (int32_t i = 0; i < graph->n; i++)
        if (id[i] >= 0)
            vertex[id[i]] = i;
    for (int32_t i = 0; i < count; i++) {
        for (int32_t k = graph->offset[vertex[i]]; k < graph->offset[vertex[i] + 1]; k++) {
            int32_t j = id[graph->neighbours[k]];
            boundary[i] |= j < 0;
            if (j >= 0)
                r.neighbour[end++] = j;
        }
        for (int32_t b = 0; b < parts && boundary[i]; b++)
            r.neighbour[end++] = count + b;
        r.offset[i + 1] = end;
    }
    for (int32_t b = 0; b < parts; b++) {
        for (int32_t i = 0; i < count; i++)
            if (boundary[i])
                r.neighbour[end++] = i;
        for (int32_t c = 0; c < parts; c++)
            if (c != b)
                r.neighbour[end++] = count + c;
        r.offset[count + b + 1] = end;
    }
    r.pattern_ms = INFINITY;
    for (int run = 0; run < REPEATS; run++) {
        thaw_block_pattern_free(&r.pattern);
        double start = thaw_cpu_ms();
        must(thaw_block_pattern_create(r.n, 3, r.offset, r.neighbour, &r.pattern, NULL));
        r.pattern_ms = fmin(r.pattern_ms, thaw_cpu_ms() - start);
    }
    thaw_free(boundary);
    thaw_free(vertex);
    return r;
}

static void free_region(Region *r) {
    thaw_free(r->offset);
    thaw_free(r->neighbour);
    thaw_block_pattern_free(&r->pattern);
}

// A diagonally dominant matrix: the numbers do not matter here.
static void measure_order(const Region *r, const char *method, double order_ms, const int32_t *order) {
    const ThawBlockPattern *p = r->pattern;
    ThawBlockMatrix A = {p, need(9 * (size_t)p->row[p->n] + THAW_PAD, sizeof(double))};
    for (int32_t i = 0; i < p->n; i++)
        for (int32_t e = p->row[i]; e < p->row[i + 1]; e++)
            for (int k = 0; k < 3; k++)
                A.value[9 * (size_t)e + 4 * (size_t)k] = p->col[e] == i ? 1.0 + r->offset[i + 1] - r->offset[i] : -1.0;
    ThawLdlPlan *plan = NULL;
    ThawLdl *ldl;
    double analyse = INFINITY, factor = INFINITY;
    for (int run = 0; run < REPEATS; run++) {
        thaw_ldl_plan_free(&plan);
        double start = thaw_cpu_ms();
        must(thaw_ldl_plan_create(p, order, &plan, NULL));
        analyse = fmin(analyse, thaw_cpu_ms() - start);
    }
    must(thaw_ldl_create(plan, NULL, &ldl, NULL));
    for (int run = 0; run < REPEATS; run++) {
        double start = thaw_cpu_ms();
        must(thaw_ldl_factor(ldl, &A, NULL));
        factor = fmin(factor, thaw_cpu_ms() - start);
    }
    printf("%s,%lld,%d,%s,%.3f,%.3f,%.3f,%.3f,%.2f,%.2f,%.2f\n", r->name, (long long)r->tets, r->n, method,
           r->pattern_ms, order_ms, analyse, factor, 1e-6 * thaw_ldl_plan_cost(plan).flops,
           1e-6 * (double)(thaw_ldl_bytes(ldl) + thaw_ldl_plan_bytes(plan)),
           (r->pattern_ms + order_ms + analyse) / factor);
    fflush(stdout);
    thaw_ldl_free(&ldl);
    thaw_ldl_plan_free(&plan);
    thaw_free(A.value);
}

typedef ThawStatus (*Order)(const ThawBlockPattern *pattern, int32_t *order, ThawError *error);

static void measure_method(const Region *r, const char *name, Order method, int32_t *order) {
    double least = INFINITY;
    for (int run = 0; run < REPEATS; run++) {
        double start = thaw_cpu_ms();
        must(method(r->pattern, order, NULL));
        least = fmin(least, thaw_cpu_ms() - start);
    }
    measure_order(r, name, least, order);
}

#ifdef THAW_WITH_CHOLMOD
static void measure_amd(const Region *r, int32_t *order) {
    cholmod_common common;
    cholmod_start(&common);
    const ThawBlockPattern *p = r->pattern;
    cholmod_sparse upper = {.nrow = (size_t)p->n,
                            .ncol = (size_t)p->n,
                            .nzmax = (size_t)p->row[p->n],
                            .p = p->row,
                            .i = p->col,
                            .stype = 1,
                            .itype = CHOLMOD_INT,
                            .xtype = CHOLMOD_PATTERN,
                            .sorted = 1,
                            .packed = 1};
    double least = INFINITY;
    for (int run = 0; run < REPEATS; run++) {
        double start = thaw_cpu_ms();
        cholmod_amd(&upper, NULL, 0, order, &common);
        least = fmin(least, thaw_cpu_ms() - start);
    }
    cholmod_finish(&common);
    measure_order(r, "amd", least, order);
}
#endif

// The share of the vertices nearest to the corner, or to a point inside.
static int32_t choose_region(const ThawMesh *mesh, int32_t n, double share, int inside, int32_t *id) {
    double low = 0, high = 4;
    int32_t count = 0;
    for (int pass = 0; pass < 50; pass++) {
        double middle = (low + high) / 2;
        count = 0;
        for (int32_t i = 0; i < n; i++) {
            const double *x = mesh->x + 3 * i;
            double far = inside ? hypot(hypot(x[0] - 0.4, x[1] - 0.6), x[2] - 0.3) : x[0] + x[1] + x[2];
            id[i] = far < middle ? count++ : -1;
        }
        if (count < share * n)
            low = middle;
        else
            high = middle;
    }
    return count;
}

static void measure_cube(int32_t cells) {
    const double low[3] = {0, 0, 0}, size[3] = {1, 1, 1}, share[] = {0.01, 0.03, 0.1, 0.3};
    ThawMesh *mesh;
    ThawGraph *graph;
    must(thaw_mesh_box(3, low, size, (int32_t[]){cells, cells, cells}, &mesh, NULL));
    must(thaw_graph_create(mesh, &graph, NULL));
    int32_t n = graph->n, *id = need((size_t)n, sizeof *id), *whole = need((size_t)n, sizeof *whole);
    int32_t *order = need((size_t)n + 2, sizeof *order);
    for (int32_t i = 0; i < n; i++)
        id[i] = i;
    Region all = make_region(graph, id, n, 0);
    must(thaw_order_dissect(all.pattern, whole, NULL));
    free_region(&all);
    for (int k = 0; k < 16; k++) {
        int inside = k / 4 % 2, parts = k / 8 * 2;
        int32_t count = choose_region(mesh, n, share[k % 4], inside, id);
        if (count < 20)
            continue;
        Region r = make_region(graph, id, count, parts);
        r.tets = mesh->element_count;
        snprintf(r.name, sizeof r.name, "%s %g%%%s", inside ? "ball" : "corner", 100 * share[k % 4],
                 parts ? " and part" : "");
        measure_method(&r, "degree", thaw_order_degree, order);
#ifdef THAW_WITH_CHOLMOD
        measure_amd(&r, order);
#endif
        measure_method(&r, "sketch", thaw_order_sketch, order);
        measure_method(&r, "dissect", thaw_order_dissect, order);
        thaw_order_restrict(n, whole, id, order);
        for (int32_t b = 0; b < parts; b++)
            order[count + b] = count + b;
        measure_order(&r, "restricted", 0, order);
        free_region(&r);
    }
    thaw_graph_free(&graph);
    thaw_mesh_free(&mesh);
    thaw_free(id);
    thaw_free(whole);
    thaw_free(order);
}

int main(int argc, char **argv) {
    bench_settle_blas(argv);
    printf("region,tets,rows,order,pattern_ms,order_ms,analyse_ms,factor_ms,mflop,mb,before_over_factor\n");
    for (int k = 1; k < argc; k++) {
        int cells = atoi(argv[k]);
        if (cells < 2 || cells > 60) {
            fprintf(stderr, "ldl_orders: cells are \"%s\"; allowed: 2 to 60\n", argv[k]);
            return 1;
        }
        measure_cube(cells);
    }
    for (int32_t cells = 9; argc == 1 && cells <= 21; cells += 6)
        measure_cube(cells);
    return 0;
}
