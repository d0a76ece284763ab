// SPDX-License-Identifier: Apache-2.0
#include "physics/sheets.h"

// --- meshes ----------------------------------------------------------------------------------------------------------

void sheet_create(Sheet *s, int nx, int ny, SheetFamily family, double jitter, SheetPlace place, const void *context) {
    static char name[] = "all";
    uint64_t seed = 29 + (uint64_t)family;
    *s = (Sheet){.nx = nx, .ny = ny, .material = thaw_material_def_default(), .shape = thaw_shape_def_default()};
    const int32_t nv = (nx + 1) * (ny + 1), ne = 2 * nx * ny;
    s->x = THAW_NEW(double, 3 * nv);
    s->elements = THAW_NEW(int32_t, 3 * ne);
    s->region = THAW_NEW(int32_t, ne);
    for (int j = 0; j <= ny; j++)
        for (int i = 0; i <= nx; i++) {
            const double dx = jitter * sample_random(&seed), dy = jitter * sample_random(&seed);
            const int inner = family != SHEET_EVEN && i > 1 && i < nx - 1;
            const double u = (i + (inner ? dx : 0)) / nx, v = (j + (inner && j > 0 && j < ny ? dy : 0)) / ny;
            place(context, u, v, s->x + 3 * (j * (nx + 1) + i));
        }
    for (int j = 0, e = 0; j < ny; j++)
        for (int i = 0; i < nx; i++, e += 2) {
            const int32_t a = j * (nx + 1) + i, b = a + 1, c = a + nx + 1, d = c + 1;
            const int turn = family == SHEET_EVEN       ? 1
                             : family == SHEET_IN_TURNS ? (i + j) % 2
                                                        : sample_random(&seed) > 0;
            const int32_t one[] = {a, b, d, a, d, c}, two[] = {a, b, c, b, d, c};
            memcpy(s->elements + 3 * e, turn ? one : two, sizeof one);
        }
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
    t->shape = &t->model->shapes[0];
    for (int b = 0; b < t->shape->block_count; b++) {
        const ThawElementBlock *block = &t->shape->blocks[b];
        for (int32_t e = 0; e < block->count; e++) {
            const int32_t *node = block->elements + block->kind->nodes * (size_t)e;
            const int wide = 3 * (node[block->kind->nodes - 1] - node[0]) + 3;
            t->band = wide > t->band ? wide : t->band;
        }
    }
    t->place = THAW_NEW(int32_t, s->mesh.vertex_count);
    for (int32_t v = 0; v < t->shape->nv; v++)
        t->place[t->shape->vertex_user[v]] = v;
    t->x = THAW_NEW(double, t->n);
    t->load = THAW_NEW(double, t->n);
    t->scratch = THAW_NEW(double, 3 * t->n + 4 * t->shape->all->chunk_count);
    t->A = THAW_NEW(double, (size_t)t->n *(size_t)t->band);
    t->held = THAW_NEW(unsigned char, t->n);
    memcpy(t->x, t->shape->X, sizeof *t->x * (size_t)t->n);
}

void statics_free(Statics *t) {
    thaw_model_free(&t->model);
    thaw_free(t->place);
    thaw_free(t->x);
    thaw_free(t->load);
    thaw_free(t->scratch);
    thaw_free(t->A);
    thaw_free(t->held);
}

void statics_hold(Statics *t, int vertex, int axis) { t->held[3 * t->place[vertex] + axis] = 1; }

void statics_weigh(Statics *t, const double force[3]) {
    const ThawMaterial *material = &t->shape->materials[0];
    for (int i = 0; i < t->n; i++)
        t->load[i] += force[i % 3] * t->shape->mass[i / 3] / (material->density * t->shape->thickness);
}

// Row i of the lower band starts at column i - band + 1.
static double *entry(const Statics *t, int i, int j) {
    return t->A + (size_t)i * (size_t)t->band + (size_t)(j - i + t->band - 1);
}

static void add_blocks(void *context, int32_t b, const ThawLanes *blocks) {
    const Statics *t = context;
    const ThawBatch *batch = &t->shape->all->batches[b];
    for (int l = 0; l < THAW_LANES; l++)
        for (int c = 0, pair = 0; c < batch->kind->nodes && batch->element[l] >= 0; c++)
            for (int d = 0; d <= c; d++, pair++)
                for (int k = 0; k < 9; k++) {
                    const int i = 3 * batch->vertex[c][l] + k / 3, j = 3 * batch->vertex[d][l] + k % 3;
                    if (i >= j)
                        *entry(t, i, j) += blocks[9 * pair + k][l];
                }
}

// A = LDL' in place (D on the diagonal), f = forces and loads; returns how many pivots are negative.
static int factor(Statics *t, double scale, int project, double *f) {
    double *partial = t->scratch + 3 * t->n;
    int negative = 0;
    memset(t->A, 0, sizeof *t->A * (size_t)t->n * (size_t)t->band);
    thaw_force_linearise(t->shape->all, NULL, t->x, (ThawStiffness){1, 0, project}, (ThawBlockSink){add_blocks, t},
                         t->shape->nv, f, partial);
    for (int i = 0; i < t->n; i++)
        f[i] = t->held[i] ? 0 : f[i] + scale * t->load[i];
    for (int i = 0; i < t->n; i++) {
        const int first = i >= t->band ? i - t->band + 1 : 0;
        double *row = entry(t, i, 0), pivot;
        for (int j = first; j < i; j++) {
            const int from = j >= t->band && j - t->band + 1 > first ? j - t->band + 1 : first;
            const double *other = entry(t, j, 0);
            double sum = t->held[i] || t->held[j] ? 0 : row[j];
            for (int k = from; k < j; k++)
                sum -= row[k] * other[k];
            row[j] = sum; // D_j L_ij
        }
        pivot = t->held[i] ? 1 : row[i];
        for (int j = first; j < i; j++) {
            const double scaled = row[j];
            row[j] = scaled / *entry(t, j, j);
            pivot -= scaled * row[j];
        }
        row[i] = pivot;
        negative += pivot < 0;
    }
    return negative;
}

static void back(const Statics *t, double *f) {
    for (int i = 0; i < t->n; i++)
        for (int k = i >= t->band ? i - t->band + 1 : 0; k < i; k++)
            f[i] -= *entry(t, i, k) * f[k];
    for (int i = 0; i < t->n; i++)
        f[i] /= *entry(t, i, i);
    for (int i = t->n - 1; i >= 0; i--)
        for (int k = i >= t->band ? i - t->band + 1 : 0; k < i; k++)
            f[k] -= *entry(t, i, k) * f[i];
}

static double potential(Statics *t, double scale, const double *x) {
    double sum = thaw_force_energy(t->shape->all, NULL, x, t->scratch + 3 * t->n);
    for (int i = 0; i < t->n; i++)
        sum -= scale * t->load[i] * x[i];
    return sum;
}

int statics_solve(Statics *t, double scale) {
    double *f = t->scratch, *step = f + t->n, *moved = step + t->n;
    for (int iteration = 0; iteration < 400; iteration++) {
        double slope = 0, size = 0, most = 0, now = potential(t, scale, t->x), length = 1;
        for (int project = 0; project < 2; project++) {
            const int negative = factor(t, scale, project, f);
            memcpy(step, f, sizeof *f * (size_t)t->n);
            if (negative == 0)
                break;
        }
        back(t, step);
        for (int i = 0; i < t->n; i++) {
            slope += f[i] * step[i];
            size = fmax(size, fabs(step[i]));
            most = fmax(most, fabs(t->x[i] - t->shape->X[i]));
        }
        if (size <= 1e-8 * fmax(most, 1e-3 * t->shape->diameter))
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
    fail_msg("no equilibrium in 400 steps");
    return -1;
}

void statics_linear(Statics *t, double *u) {
    double *f = t->scratch;
    factor(t, 1, 0, f);
    for (int i = 0; i < t->n; i++)
        f[i] = t->held[i] ? 0 : t->load[i];
    back(t, f);
    for (int v = 0; v < t->n / 3; v++)
        memcpy(u + 3 * v, f + 3 * t->place[v], 3 * sizeof *u);
}

int statics_negative(Statics *t) { return factor(t, 1, 0, t->scratch); }
