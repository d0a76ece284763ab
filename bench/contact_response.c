// SPDX-License-Identifier: Apache-2.0
// How fast contact impulses are found, in both forms: an elastic plate (E 1e5 Pa, nu 0.3, 1000 kg/m^3, cells of 0.1 m,
// two layers, h 0.01 s) that hits a floor with all vertices of its underside while it slides, one edge lifting: some
// contacts open, some stick, some slide. Our own factorisation gives A^-1; its factor is not counted. From no warm
// start, to 1e-6.
//
//   contact_response [side ...]            vertices along an edge of the plate, default 3 5 7 10 14 22 32 45 71 100
//
// CSV on stdout: the least CPU time of several runs on one thread; `model` is the form that the cost model takes,
// `apply_ms` one solve with A, `compliance_ms` that of all contact vertices. Assembled up to 1100 contacts only.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/mesh.h"
#include "response/response.h"
#include "sparse/ldl.h"

static void must(ThawStatus status, const ThawError *error) {
    if (status < 0) {
        fprintf(stderr, "contact_response: %s\n", error->message);
        exit(1);
    }
}

static void *room(size_t count, size_t size) {
    void *memory = thaw_alloc(count, size);
    if (!memory)
        exit(1);
    return memory;
}

typedef struct Plate {
    ThawMesh *mesh;
    ThawBlockPattern *pattern;
    ThawBlockMatrix matrix;
    ThawLdlPlan *plan;
    ThawLdl *ldl;
    double *v;
} Plate;

// Blocks of M + h^2 K; K_ab = V (lambda g_a g_b' + mu g_b g_a' + mu g_a.g_b I), masses lumped.
static void assemble(Plate *plate) {
    const double E = 1e5, nu = 0.3, rho = 1000, h = 0.01;
    const double mu = E / (2 + 2 * nu), lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
    for (int32_t e = 0; e < plate->mesh->element_count; e++) {
        const int32_t *v = plate->mesh->elements + 4 * (size_t)e;
        double d[3][3], g[4][3] = {{0}}, volume = thaw_mesh_volume(plate->mesh, e);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                d[i][k] = plate->mesh->x[3 * v[i + 1] + k] - plate->mesh->x[3 * v[0] + k];
        for (int a = 0; a < 3; a++)
            for (int k = 0; k < 3; k++) {
                const double *p = d[(a + 1) % 3], *q = d[(a + 2) % 3];
                g[a + 1][k] = (p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3]) / (6 * volume);
                g[0][k] -= g[a + 1][k];
            }
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++) {
                if (v[b] > v[a])
                    continue;
                double *A = plate->matrix.value + 9 * (size_t)thaw_block_find(plate->pattern, v[a], v[b]);
                double dot = g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2];
                for (int r = 0; r < 3; r++)
                    for (int c = 0; c < 3; c++)
                        A[3 * r + c] += h * h * volume * (lambda * g[a][r] * g[b][c] + mu * g[b][r] * g[a][c]);
                for (int r = 0; r < 3; r++)
                    A[4 * r] += h * h * volume * mu * dot + (a == b ? rho * volume / 4 : 0.0);
            }
    }
}

static Plate make_plate(int32_t side) {
    ThawError error;
    ThawGraph *graph;
    Plate plate = {0};
    double lo[3] = {0}, hi[3] = {0.1 * (side - 1), 0.1 * (side - 1), 0.2};
    int32_t cells[3] = {side - 1, side - 1, 2};
    must(thaw_mesh_box(3, lo, hi, cells, &plate.mesh, &error), &error);
    must(thaw_graph_create(plate.mesh, &graph, &error), &error);
    must(thaw_block_pattern_create(graph->n, 3, graph->offset, graph->neighbours, &plate.pattern, &error), &error);
    thaw_graph_free(&graph);
    plate.matrix.pattern = plate.pattern;
    plate.matrix.value = room((size_t)plate.pattern->row[plate.pattern->n] * 9, sizeof(double));
    assemble(&plate);
    must(thaw_ldl_plan_create(plate.pattern, NULL, &plate.plan, &error), &error);
    must(thaw_ldl_create(plate.plan, NULL, &plate.ldl, &error), &error);
    if (thaw_ldl_factor(plate.ldl, &plate.matrix, NULL) != THAW_OK)
        exit(1);
    plate.v = room((size_t)plate.pattern->n * 3, sizeof(double));
    for (int32_t i = 0; i < plate.pattern->n; i++) {
        double share = plate.mesh->x[3 * i] / hi[0], across = plate.mesh->x[3 * i + 1] / hi[1];
        plate.v[3 * i] = 0.3 * across * across; // one edge rests, the other slides
        plate.v[3 * i + 2] = -0.5 + 0.6 * share;
    }
    return plate;
}

static void free_plate(Plate *plate) {
    thaw_ldl_free(&plate->ldl);
    thaw_ldl_plan_free(&plate->plan);
    thaw_block_pattern_free(&plate->pattern);
    thaw_mesh_free(&plate->mesh);
    thaw_free(plate->matrix.value);
    thaw_free(plate->v);
}

static ThawStatus apply(void *context, const double *impulse, double *dv) {
    return thaw_ldl_solve(((Plate *)context)->ldl, impulse, dv);
}

static ThawStatus compliance(void *context, const ThawBlockRows *J, ThawPorts *ports, double *H) {
    (void)ports;
    memset(H, 0, 9 * (size_t)J->count * (size_t)J->count * sizeof *H);
    return thaw_ldl_schur(((Plate *)context)->ldl, J, H, 3 * (size_t)J->count);
}

// Of sixteen vertices, spread evenly.
static ThawStatus blocks(void *context, int32_t count, const int32_t *vertices, int32_t *from, double *S) {
    int32_t row[16], rows = 0, apart = (count + 15) / 16;
    for (int32_t k = 0; k < count; k += apart)
        row[rows++] = vertices[k];
    ThawStatus status = thaw_ldl_inverse_blocks(((Plate *)context)->ldl, rows, row, S);
    for (int32_t k = count - 1; k >= 0 && status == THAW_OK; k--) {
        from[k] = k / apart * apart;
        memmove(S + 9 * (size_t)k, S + 9 * (size_t)(k / apart), 9 * sizeof *S);
    }
    return status;
}

static ThawContact *make_contacts(const Plate *plate, int32_t *count) {
    ThawContact *contacts = room((size_t)plate->pattern->n, sizeof *contacts);
    *count = 0;
    for (int32_t i = 0; i < plate->pattern->n; i++)
        if (plate->mesh->x[3 * i + 2] == 0)
            contacts[(*count)++] = (ThawContact){.key = {.body = {0, -1}, .feature = {i, -1}},
                                                 .nodes = {1, 0},
                                                 .vertex = {{i}},
                                                 .weight = {{1}},
                                                 .frame = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}},
                                                 .friction = 0.4,
                                                 .stiffness = 1e5};
    return contacts;
}

static void measure(int32_t side) {
    Plate plate = make_plate(side);
    ThawLdlCost cost = thaw_ldl_plan_cost(plate.plan);
    int32_t count;
    ThawContact *contacts = make_contacts(&plate, &count), *work = room((size_t)count, sizeof *work);
    int32_t *index = room((size_t)count, sizeof *index), *vertices = room((size_t)count, sizeof *vertices);
    int32_t *start = room((size_t)count + 1, sizeof *start);
    double *frames = room(9 * (size_t)count, sizeof *frames);
    for (int32_t i = 0; i < count; i++) {
        index[i] = i;
        vertices[i] = contacts[i].vertex[0][0];
        start[i + 1] = i + 1;
        memcpy(frames + 9 * i, contacts[i].frame, sizeof contacts[i].frame);
    }
    const ThawBlockRows J = {count, 3, start, vertices, frames};
    ThawResponseBody body = {.context = &plate,
                             .compliance = compliance,
                             .blocks = blocks,
                             .apply = apply,
                             .v = plate.v,
                             .nv = plate.pattern->n,
                             .apply_cost = 4.0 * (double)cost.numbers,
                             .compliance_cost = 0.4 * cost.way,
                             .pair_cost = 4 * cost.reach};
    ThawResponseCounts counts = {count, count};
    int model = thaw_response_form(3, &body, &counts, 1), assembles = count <= 1100;
    double apply_ms = INFINITY, compliance_ms = assembles ? INFINITY : NAN;
    size_t size = 3 * (size_t)count;
    double *S = assembles ? room(size * size, sizeof *S) : NULL, *dv = room(3 * (size_t)body.nv, sizeof *dv);
    for (int run = 0; run < 3; run++) {
        double since = thaw_cpu_ms();
        apply(&plate, plate.v, dv);
        apply_ms = fmin(apply_ms, thaw_cpu_ms() - since);
        since = thaw_cpu_ms();
        if (assembles)
            compliance(&plate, &J, S);
        compliance_ms = assembles ? fmin(compliance_ms, thaw_cpu_ms() - since) : NAN;
    }
    for (int form = assembles ? 1 : 2; form <= 2; form++) {
        ThawError error;
        ThawResponse *response;
        ThawResponseInfo info = {0};
        ThawResponseOptions options = {.dim = 3, .h = 0.01, .tolerance = 1e-6, .iterations = 1000, .form = form};
        double least = INFINITY;
        must(thaw_response_create(&response, &error), &error);
        for (int run = 0; run < (count > 3000 ? 1 : 3); run++) {
            memcpy(work, contacts, (size_t)count * sizeof *work);
            double since = thaw_cpu_ms();
            must(thaw_response_solve(response, &options, NULL, &body, 1, work, index, count, &info, &error), &error);
            least = fmin(least, thaw_cpu_ms() - since);
        }
        int32_t open = 0, slide = 0;
        for (int32_t i = 0; i < count; i++) {
            open += work[i].lambda[0] == 0;
            slide += work[i].lambda[0] > 0 && hypot(work[i].lambda[1], work[i].lambda[2]) > 0.3999 * work[i].lambda[0];
        }
        printf("%d,%d,%s,%s,%.3f,%d,%.2e,%.4f,%.3f,%d,%d,%d\n", count, 3 * body.nv,
               form == 1 ? "assembled" : "matrix-free", model == 1 ? "assembled" : "matrix-free", least,
               info.iterations, info.residual, apply_ms, compliance_ms, open, count - open - slide, slide);
        fflush(stdout);
        thaw_response_free(&response);
    }
    thaw_free(S);
    thaw_free(dv);
    thaw_free(contacts);
    thaw_free(work);
    thaw_free(index);
    thaw_free(vertices);
    thaw_free(start);
    thaw_free(frames);
    free_plate(&plate);
}

int main(int argc, char **argv) {
    static const int32_t sides[] = {3, 5, 7, 10, 14, 22, 32, 45, 71, 100};
    printf("contacts,unknowns,form,model,ms,iterations,residual,apply_ms,compliance_ms,open,stick,slide\n");
    for (int i = 1; i < argc; i++)
        measure(atoi(argv[i]));
    for (size_t i = 0; i < sizeof sides / sizeof *sides && argc == 1; i++)
        measure(sides[i]);
    return 0;
}
