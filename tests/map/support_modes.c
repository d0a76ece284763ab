// SPDX-License-Identifier: Apache-2.0
#include "map/modes.h"

#include <math.h>
#include <string.h>

#include "step/sample.h"

enum { MOST = 5 }; // modes: three dimensions and two

// --- the map ---------------------------------------------------------------------------------------------------------

typedef struct ModesMap {
    ThawMap map;
    ThawMapOps ops;
    double *z; // nv * n
    unsigned char *scripted;
    int bent;
    double *column, *push; // scratch over vertices
} ModesMap;

static double *modes_of(const ThawMap *map, int32_t vertex) {
    return ((const ModesMap *)map)->z + (size_t)vertex * (size_t)map->n;
}

static void apply_modes(const ThawMap *map, const double *q, const double *w, double *v) {
    const int dim = map->shape->dim;
    for (int32_t i = 0; i < map->shape->nv; i++)
        for (int k = 0; k < dim; k++) {
            double sum = 0;
            for (int32_t c = 0; c < map->n; c++)
                sum += modes_of(map, i)[c] * q[c * dim + k];
            v[i * dim + k] = w ? sum + w[i * dim + k] : sum;
        }
}

static void apply_t_modes(const ThawMap *map, const double *f, double *r) {
    const int dim = map->shape->dim;
    memset(r, 0, sizeof *r * (size_t)(map->n * dim));
    for (int32_t i = 0; i < map->shape->nv; i++)
        for (int32_t c = 0; c < map->n; c++)
            for (int k = 0; k < dim; k++)
                r[c * dim + k] += modes_of(map, i)[c] * f[i * dim + k];
}

// One small system for all axes: sum m z z' q = sum m z (v - w).
static void project_modes(const ThawMap *map, const double *w, const double *v, double *q) {
    const int dim = map->shape->dim;
    const int32_t n = map->n;
    double A[MOST][MOST] = {{0}};
    memset(q, 0, sizeof *q * (size_t)(n * dim));
    for (int32_t i = 0; i < map->shape->nv; i++)
        for (int32_t a = 0; a < n; a++) {
            const double *z = modes_of(map, i), m = map->shape->mass[i];
            for (int32_t b = 0; b < n; b++)
                A[a][b] += m * z[a] * z[b];
            for (int k = 0; k < dim; k++)
                q[a * dim + k] += m * z[a] * (v[i * dim + k] - (w ? w[i * dim + k] : 0));
        }
    for (int32_t a = 0; a < n; a++) // Gauss and Jordan
        for (int32_t b = 0; b < n; b++) {
            const double factor = b == a ? 0 : A[b][a] / A[a][a];
            for (int32_t c = 0; c < n; c++)
                A[b][c] -= factor * A[a][c];
            for (int k = 0; k < dim; k++)
                q[b * dim + k] -= factor * q[a * dim + k];
        }
    for (int32_t a = 0; a < n; a++)
        for (int k = 0; k < dim; k++)
            q[a * dim + k] /= A[a][a];
}

static void advance_modes(const ThawMap *map, double h, const double *x0, const double *q, const double *v,
                          double *x1) {
    (void)q;
    for (int32_t i = 0; i < map->shape->nv * map->shape->dim; i++)
        x1[i] = x0[i] + h * v[i];
}

static ThawStatus pattern_modes(const ThawMap *map, ThawBlockPattern **pattern, ThawError *error) {
    int32_t offset[MOST + 1] = {0}, neighbours[MOST * MOST], count = 0;
    for (int32_t a = 0; a < map->n; a++) {
        for (int32_t b = 0; b < map->n; b++)
            if (a != b)
                neighbours[count++] = b;
        offset[a + 1] = count;
    }
    return thaw_block_pattern_create(map->n, map->shape->dim, offset, neighbours, pattern, error);
}

static ThawStatus matrix_modes(const ThawMap *map, ThawTasks *tasks, ThawCombination A, const double *x,
                               ThawBlockMatrix *matrix, double *f, double *partial) {
    const ModesMap *self = (const ModesMap *)map;
    const int dim = map->shape->dim, size = map->n * dim;
    double q[3 * MOST], r[3 * MOST], forms[2];
    for (int j = 0; j < size; j++) {
        memset(q, 0, sizeof q);
        q[j] = 1;
        apply_modes(map, q, NULL, self->column);
        thaw_force_product(map->set, tasks, x, self->column, A.element, map->shape->nv, self->push, forms, partial);
        A.inertia->ops->product(A.inertia, NULL, A.mass, A.mass_damping, self->column, self->push);
        apply_t_modes(map, self->push, r);
        for (int32_t a = j / dim; a < map->n; a++) {
            double *block = matrix->value + thaw_block_find(matrix->pattern, a, j / dim) * (int64_t)(dim * dim);
            for (int k = 0; k < dim; k++)
                block[k * dim + j % dim] += r[a * dim + k];
        }
    }
    return thaw_force_internal(map->set, tasks, x, map->shape->nv, f, partial);
}

static int rows_modes(const ThawMap *map, int32_t vertex, int32_t *block, double (*matrix)[9]) {
    const int dim = map->shape->dim;
    if (((const ModesMap *)map)->scripted[vertex])
        return 0;
    for (int32_t c = 0; c < map->n; c++) {
        block[c] = c;
        for (int i = 0; i < dim * dim; i++)
            matrix[c][i] = i % (dim + 1) == 0 ? modes_of(map, vertex)[c] : 0;
    }
    return map->n;
}

static void offset_modes(const ThawMap *map, const double *x, double h, double *w) {
    const int dim = map->shape->dim;
    (void)h;
    for (int32_t i = 0; i < map->shape->nv; i++) {
        const double *at = x + i * dim, r[3] = {at[0], at[1], dim == 3 ? at[2] : 0};
        const double *omega = MODES_MOTION + 3;
        for (int k = 0; k < dim && !((const ModesMap *)map)->scripted[i]; k++) {
            const double turn = omega[(k + 1) % 3] * r[(k + 2) % 3] - omega[(k + 2) % 3] * r[(k + 1) % 3];
            w[i * dim + k] = MODES_MOTION[k] + turn + (((const ModesMap *)map)->bent && k == 1 ? 3 * r[0] * r[0] : 0);
        }
    }
}

static ThawStatus update_modes(ThawMap *map, const double *x, const double *f_ext) {
    const ModesMap *self = (const ModesMap *)map;
    const ThawShape *shape = map->shape;
    const int dim = shape->dim;
    double centre[3] = {0};
    uint64_t seed = 7;
    (void)f_ext;
    for (int32_t i = 0; i < shape->nv; i++)
        for (int k = 0; k < dim; k++)
            centre[k] += shape->mass[i] * x[i * dim + k] / shape->total_mass;
    for (int32_t i = 0; i < shape->nv; i++) {
        double *z = modes_of(map, i);
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        z[0] = !self->scripted[i];
        for (int k = 0; k < dim; k++)
            z[1 + k] = z[0] * (x[i * dim + k] - centre[k]);
        if (map->n > 1 + dim)
            z[1 + dim] = z[0] * 0.1 * shape->diameter * ((double)(seed >> 11) * 0x1p-52 - 1);
    }
    return THAW_OK;
}

static void free_modes(ThawMap *map) {
    ModesMap *self = (ModesMap *)map;
    thaw_free(self->z);
    thaw_free(self->scripted);
    thaw_free(self->column);
    thaw_free(self->push);
    thaw_free(self);
}

ThawStatus modes_map_create(const ThawShape *shape, const unsigned char *scripted, unsigned flags, ThawMap **map,
                            ThawError *error) {
    ModesMap *self = THAW_NEW(ModesMap, 1);
    *map = NULL;
    if (!self)
        return thaw_error_memory(error, "the map");
    self->ops = (ThawMapOps){.name = flags & MODES_WITHOUT_ROWS ? "modes without rows" : "modes",
                             .laws = THAW_MAP_KEEPS_MOMENTUM | THAW_MAP_ADVANCES_LINEARLY | THAW_MAP_FOLLOWS_STATE,
                             .apply = apply_modes,
                             .apply_t = apply_t_modes,
                             .project = project_modes,
                             .advance = advance_modes,
                             .pattern = pattern_modes,
                             .matrix = matrix_modes,
                             .rows = flags & MODES_WITHOUT_ROWS ? NULL : rows_modes,
                             .offset = flags & (MODES_DRIVEN | MODES_BENT) ? offset_modes : NULL,
                             .update = update_modes,
                             .free = free_modes};
    self->map = (ThawMap){.ops = &self->ops, .shape = shape, .set = shape->all, .n = shape->dim + 2};
    self->map.n -= (flags & MODES_AFFINE) != 0;
    self->bent = (flags & MODES_BENT) != 0;
    self->map.row_blocks = flags & MODES_WITHOUT_ROWS ? 0 : self->map.n;
    self->z = THAW_NEW(double, shape->nv * self->map.n);
    self->scripted = THAW_NEW(unsigned char, shape->nv);
    self->column = THAW_NEW(double, shape->nv * shape->dim);
    self->push = THAW_NEW(double, shape->nv * shape->dim);
    if (!self->z || !self->scripted || !self->column || !self->push) {
        free_modes(&self->map);
        return thaw_error_memory(error, "the map");
    }
    memcpy(self->scripted, scripted, (size_t)shape->nv);
    *map = &self->map;
    return update_modes(*map, shape->X, NULL);
}

// --- the inertia -----------------------------------------------------------------------------------------------------

static const double SHARED = 0.9;

static void mean_of(const ThawShape *shape, const double *a, double mean[3]) {
    memset(mean, 0, 3 * sizeof *mean);
    for (int32_t i = 0; i < shape->nv * shape->dim; i++)
        mean[i % shape->dim] += shape->mass[i / shape->dim] * a[i] / shape->total_mass;
}

static void product_mean(const ThawInertia *inertia, const int32_t *frame_of, double mass, double damping,
                         const double *a, double *r) {
    const ThawShape *shape = inertia->shape;
    const ThawInertia lumped = thaw_inertia_lumped(shape);
    double mean[3];
    assert_null(frame_of); // of maps without frames
    mean_of(shape, a, mean);
    lumped.ops->product(&lumped, NULL, (1 - SHARED) * mass, damping, a, r);
    for (int32_t i = 0; i < shape->nv * shape->dim; i++)
        r[i] += SHARED * mass * shape->mass[i / shape->dim] * mean[i % shape->dim];
}

static void add_mean(const ThawInertia *inertia, const ThawMap *map, double mass, double damping, ThawBlockMatrix *A) {
    (void)inertia, (void)map, (void)mass, (void)damping, (void)A;
    fail_msg("%s", "of maps with a matrix of their own");
}

static double shared_form(const ThawShape *shape, const double mean[3]) {
    return SHARED * shape->total_mass * (mean[0] * mean[0] + mean[1] * mean[1] + mean[2] * mean[2]);
}

static void add_kinetic_mean(const ThawInertia *inertia, const int32_t *frame_of, const double *v, double *energy) {
    const ThawInertia lumped = thaw_inertia_lumped(inertia->shape);
    double mean[3], own = 0;
    mean_of(inertia->shape, v, mean);
    lumped.ops->add_kinetic(&lumped, frame_of, v, &own);
    *energy += (1 - SHARED) * own + shared_form(inertia->shape, mean) / 2;
}

static void change_mean(const ThawInertia *inertia, double h, const double *v0, const double *v1, double forms[2],
                        double *impulse) {
    const ThawShape *shape = inertia->shape;
    double mean[3], after[3];
    mean_of(shape, v0, mean);
    mean_of(shape, v1, after);
    for (int k = 0; k < 3; k++)
        mean[k] = after[k] - mean[k];
    forms[0] = shared_form(shape, mean);
    forms[1] = 0;
    for (int32_t i = 0; i < shape->nv * shape->dim; i++) {
        const double m = shape->mass[i / shape->dim], dv = v1[i] - v0[i];
        const double drag = h * shape->damping_mass[i / shape->dim] * v1[i];
        forms[0] += (1 - SHARED) * m * dv * dv;
        forms[1] += drag * v1[i];
        if (impulse)
            impulse[i] = m * ((1 - SHARED) * dv + SHARED * mean[i % shape->dim]) + drag;
    }
}

// G'MG by its columns, and Gauss and Jordan.
static void project_mean(const ThawInertia *inertia, const ThawMap *map, const double *w, const double *v, double *q) {
    const size_t nx = (size_t)(map->shape->nv * map->shape->dim), nq = (size_t)(map->n * map->shape->dim);
    double A[3 * MOST][3 * MOST + 1], *a = THAW_NEW(double, 2 * nx), *r = a + nx;
    for (size_t j = 0; j <= nq; j++) {
        memset(q, 0, sizeof *q * nq);
        if (j < nq)
            q[j] = 1;
        map->ops->apply(map, q, NULL, a);
        for (size_t i = 0; j == nq && i < nx; i++)
            a[i] = v[i] - (w ? w[i] : 0);
        memset(r, 0, sizeof *r * nx);
        product_mean(inertia, NULL, 1, 0, a, r);
        map->ops->apply_t(map, r, q);
        for (size_t i = 0; i < nq; i++)
            A[i][j] = q[i];
    }
    for (size_t k = 0; k < nq; k++)
        for (size_t i = 0; i < nq; i++) {
            const double factor = i == k ? 0 : A[i][k] / A[k][k];
            for (size_t j = k; j <= nq; j++)
                A[i][j] -= factor * A[k][j];
        }
    for (size_t k = 0; k < nq; k++)
        q[k] = A[k][nq] / A[k][k];
    thaw_free(a);
}

static const ThawInertiaOps MEAN = {.name = "mean",
                                    .product = product_mean,
                                    .add = add_mean,
                                    .add_kinetic = add_kinetic_mean,
                                    .change = change_mean,
                                    .project = project_mean};

ThawInertia mean_inertia(const ThawShape *shape) { return (ThawInertia){&MEAN, shape}; }
