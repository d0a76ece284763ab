// SPDX-License-Identifier: Apache-2.0
#include "physics/sheets.h"

// --- meshes ----------------------------------------------------------------------------------------------------------

// Vertex (i, j); column nx is column 0 of what is round.
static int32_t vertex_at(const Sheet *s, int i, int j) {
    return s->round ? j * s->nx + i % s->nx : j * (s->nx + 1) + i;
}

static void place_vertices(Sheet *s, SheetFamily family, double jitter, uint64_t *seed, SheetPlace place,
                           const void *context) {
    for (int j = 0; j <= s->ny; j++)
        for (int i = 0; i < s->nx + !s->round; i++) {
            const double dx = jitter * sample_random(seed), dy = jitter * sample_random(seed);
            const int column = s->spare > 0 && i * s->spare % s->nx == 0,
                      row = s->spare > 0 && j * s->spare % s->ny == 0;
            const int inner = family != SHEET_EVEN && (s->round || (i > 1 && i < s->nx - 1));
            const double u = (i + (inner && !column ? dx : 0)) / s->nx;
            const double v = (j + (inner && !(row && column) && j > 0 && j < s->ny ? dy : 0)) / s->ny;
            place(context, u, v, s->x + 3 * vertex_at(s, i, j));
        }
}

static void cut_cells(Sheet *s, SheetFamily family, uint64_t *seed) {
    for (int j = 0, e = 0; j < s->ny; j++)
        for (int i = 0; i < s->nx; i++, e += 2) {
            const int32_t a = vertex_at(s, i, j), b = vertex_at(s, i + 1, j), c = vertex_at(s, i, j + 1),
                          d = vertex_at(s, i + 1, j + 1);
            const int turn = family == SHEET_EVEN       ? 1
                             : family == SHEET_IN_TURNS ? (i + j) % 2
                                                        : sample_random(seed) > 0;
            const int32_t one[] = {a, b, d, a, d, c}, two[] = {a, b, c, b, d, c};
            memcpy(s->elements + 3 * e, turn ? one : two, sizeof one);
        }
}

static void create(Sheet *s, SheetFamily family, double jitter, SheetPlace place, const void *context) {
    static char name[] = "all";
    uint64_t seed = 29 + (uint64_t)family;
    const int32_t nv = (s->nx + !s->round) * (s->ny + 1), ne = 2 * s->nx * s->ny;
    s->material = thaw_material_def_default();
    s->shape = thaw_shape_def_default();
    s->x = THAW_NEW(double, 3 * nv);
    s->elements = THAW_NEW(int32_t, 3 * ne);
    s->region = THAW_NEW(int32_t, ne);
    place_vertices(s, family, jitter, &seed, place, context);
    cut_cells(s, family, &seed);
    s->region_names[0] = name;
    s->mesh = (ThawMesh){.dim = 3,
                         .nodes = 3,
                         .vertex_count = nv,
                         .element_count = ne,
                         .x = s->x,
                         .elements = s->elements,
                         .region = s->region,
                         .region_count = 1,
                         .region_names = s->region_names};
    s->material.model = THAW_MATERIAL_STVK;
    s->shape.mesh = &s->mesh;
}

void sheet_create(Sheet *s, int nx, int ny, SheetFamily family, double jitter, SheetPlace place, const void *context) {
    *s = (Sheet){.nx = nx, .ny = ny};
    create(s, family, jitter, place, context);
}

void sheet_create_shell(Sheet *s, int nx, int ny, int round, SheetFamily family, double jitter, SheetPlace place,
                        const void *context) {
    *s = (Sheet){.nx = nx, .ny = ny, .round = round, .spare = 4};
    create(s, family, jitter, place, context);
}

int sheet_vertex(const Sheet *s, int i, int j) { return vertex_at(s, i, j); }

void sheet_free(Sheet *s) {
    thaw_free(s->x);
    thaw_free(s->elements);
    thaw_free(s->region);
}

// --- equilibrium -----------------------------------------------------------------------------------------------------

void statics_create(Statics *t, Sheet *s) {
    ThawWorldDef world = thaw_world_def_default();
    ThawBodyDef body = thaw_body_def_default();
    ThawError error = {0};
    *t = (Statics){.n = 3 * s->mesh.vertex_count};
    body.method = "full";
    s->shape.mesh = &s->mesh;
    world.materials = &s->material;
    world.shapes = &s->shape;
    world.bodies = &body;
    world.material_count = world.shape_count = world.body_count = 1;
    if (thaw_model_create(&world, &t->model, &error) != THAW_OK)
        fail_msg("%s", error.message);
    t->shape = t->model->shapes[0];
    const ThawGraph *graph = t->shape->graph;
    assert_int_equal(thaw_block_pattern_create(t->shape->nv, 3, graph->offset, graph->neighbours, &t->pattern, &error),
                     THAW_OK);
    assert_int_equal(thaw_solver_plan_create(THAW_SOLVER_LDL, t->pattern, &t->plan, &error), THAW_OK);
    assert_int_equal(thaw_solver_create(t->plan, NULL, &t->solver, &error), THAW_OK);
    t->place = THAW_NEW(int32_t, s->mesh.vertex_count);
    for (int32_t v = 0; v < t->shape->nv; v++)
        t->place[t->shape->vertex_user[v]] = v;
    t->x = THAW_NEW(double, t->n);
    t->load = THAW_NEW(double, t->n);
    t->scratch = THAW_NEW(double, 3 * t->n + 4 * t->shape->all->chunk_count);
    t->held = THAW_NEW(unsigned char, t->n);
    memcpy(t->x, t->shape->X, sizeof *t->x * (size_t)t->n);
}

void statics_free(Statics *t) {
    thaw_solver_free(&t->solver);
    thaw_solver_plan_free(&t->plan);
    thaw_block_pattern_free(&t->pattern);
    thaw_model_free(&t->model);
    thaw_free(t->place);
    thaw_free(t->x);
    thaw_free(t->load);
    thaw_free(t->scratch);
    thaw_free(t->held);
}

void statics_hold(Statics *t, int vertex, int axis) { t->held[3 * t->place[vertex] + axis] = 1; }

void statics_push(Statics *t, int vertex, const double force[3]) {
    for (int k = 0; k < 3; k++)
        t->load[3 * t->place[vertex] + k] += force[k];
}

void statics_weigh(Statics *t, const double force[3]) {
    const ThawMaterial *material = &t->shape->materials[0];
    for (int i = 0; i < t->n; i++)
        t->load[i] += force[i % 3] * t->shape->mass[i / 3] / (material->density * t->shape->thickness);
}

static void add_blocks(void *context, int32_t b, const ThawLanes *blocks) {
    const Statics *t = context;
    const ThawBatch *batch = &t->shape->all->batches[b];
    double *value = thaw_solver_matrix(t->solver)->value;
    for (int l = 0; l < THAW_LANES; l++)
        for (int c = 0, pair = 0; c < batch->kind->nodes && batch->element[l] >= 0; c++)
            for (int d = 0; d <= c; d++, pair++) {
                const int32_t i = batch->vertex[c][l], j = batch->vertex[d][l], low = i < j ? i : j;
                double *to = value + 9 * (size_t)thaw_block_find(t->pattern, i < j ? j : i, low);
                for (int k = 0; k < 9; k++)
                    to[i < j ? 3 * (k % 3) + k / 3 : k] += blocks[9 * pair + k][l];
            }
}

// Rows and columns of what is held are those of 1; `shift` times its mean is added to the diagonal.
static void hold_and_shift(const Statics *t, double shift, double *value) {
    double mean = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < t->pattern->n; i++)
            for (int32_t p = t->pattern->row[i]; p < t->pattern->row[i + 1]; p++)
                for (int k = 0; k < 9; k++) {
                    const int32_t row = 3 * i + k / 3, col = 3 * t->pattern->col[p] + k % 3;
                    double *entry = value + 9 * (size_t)p + (size_t)k;
                    if (pass == 0)
                        mean += row == col ? fabs(*entry) / t->n : 0;
                    else if (t->held[row] || t->held[col])
                        *entry = row == col;
                    else if (row == col)
                        *entry += shift * mean;
                }
}

// Factors K, f = forces and loads; whether K is positive definite.
static int factor(Statics *t, double scale, double shift, double *f) {
    double *partial = t->scratch + 3 * t->n, *value = thaw_solver_matrix(t->solver)->value;
    memset(value, 0, 9 * sizeof *value * (size_t)t->pattern->row[t->pattern->n]);
    thaw_force_linearise(t->shape->all, NULL, t->x, (ThawStiffness){1, 0, 0}, (ThawBlockSink){add_blocks, t},
                         t->shape->nv, f, partial);
    for (int i = 0; i < t->n; i++)
        f[i] = t->held[i] ? 0 : f[i] + scale * t->load[i];
    hold_and_shift(t, shift, value);
    return thaw_solver_factor(t->solver) == THAW_OK;
}

static double potential(Statics *t, double scale, const double *x) {
    double sum = thaw_force_energy(t->shape->all, NULL, x, t->scratch + 3 * t->n);
    for (int i = 0; i < t->n; i++)
        sum -= scale * t->load[i] * x[i];
    return sum;
}

int statics_solve(Statics *t, double scale) {
    double *f = t->scratch, *step = f + t->n, *moved = step + t->n, shift = 0;
    for (int iteration = 0; iteration < 1000; iteration++) {
        double slope = 0, size = 0, most = 0, now = potential(t, scale, t->x), length = 1;
        shift = shift > 1e-14 ? shift / 100 : 0;
        while (!factor(t, scale, shift, f))
            shift = fmax(1e-13, 10 * shift);
        assert_int_equal(thaw_solver_solve(t->solver, f, step, 0, NULL), THAW_OK);
        for (int i = 0; i < t->n; i++) {
            slope += f[i] * step[i];
            size = fmax(size, fabs(step[i]));
            most = fmax(most, fabs(t->x[i] - t->shape->X[i]));
        }
        if (shift == 0 && size <= 1e-8 * fmax(most, 1e-3 * t->shape->diameter))
            return iteration;
        length = fmin(1, 0.2 * t->shape->diameter / size);
        for (int tries = 0; tries < 30; tries++, length /= 2) {
            for (int i = 0; i < t->n; i++)
                moved[i] = t->x[i] + length * step[i];
            if (potential(t, scale, moved) <= now - 1e-4 * length * slope + 1e-12 * fabs(now))
                break;
        }
        memcpy(t->x, moved, sizeof *moved * (size_t)t->n);
    }
    fail_msg("no equilibrium in 1000 steps");
    return -1;
}

void statics_linear(Statics *t, double *u) {
    double *f = t->scratch, *x = f + t->n;
    assert_true(factor(t, 1, 0, f));
    for (int i = 0; i < t->n; i++)
        f[i] = t->held[i] ? 0 : t->load[i];
    assert_int_equal(thaw_solver_solve(t->solver, f, x, 0, NULL), THAW_OK);
    for (int v = 0; v < t->n / 3; v++)
        memcpy(u + 3 * v, x + 3 * t->place[v], 3 * sizeof *u);
}

int statics_stable(Statics *t) { return factor(t, 1, 0, t->scratch); }
