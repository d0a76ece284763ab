// SPDX-License-Identifier: Apache-2.0
// Few elements that stand for all of a body under frames, each with a weight (cubature: An, Kim, James 2008; weights by
// non-negative least squares, Lawson and Hanson 1974).
//
// Elements are told apart by regions, those of the frame that moves them most. In a region weights w are wanted with
//     sum_e w_e a'K_e b = a'K_region b
// for pairs (a, b) of displacements of the frames, K at rest. These are of two kinds: *smooth* ones, the softest
// motions that the frames have, which are most of what a body does and count most; and *rough* ones, random
// combinations of all fields, so that no motion of frames is left without stiffness. That is tried in the end, by the
// largest eigenvalue of K~^-1 K: where any motion is softer than SOFTEST of what it was, all elements are taken.
//
// Elements are those of the mesh with their own materials, so what they say turns with the body and is exact for any
// deformation that is even.
#include "method/frames/cubature.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "reduced/reduced.h"

enum {
    SMOOTH = 16,      // softest motions
    CROSSED = 6,      // of them, that are paired with rough ones
    ROUGH = 64,       // random combinations
    CANDIDATES = 256, // elements that are tried in a region, at most
    ROUNDS = 6,       // of subspace iteration
    POWERS = 30       // of power iteration
};
static const double SHIFT = 1e-9;      // of the largest stiffness over mass: what holds a body that nothing holds
static const double RIGID = 1e3;       // times the shift: stiffness over mass below which a motion is rigid
static const double ROUGH_WORTH = 0.3; // beside the softest motion
static const double SOFTEST = 0.1;     // of the stiffness by all elements

typedef struct Training {
    const ThawFrameTree *tree;
    const ThawShape *shape;
    ThawSystem *frames; // of the frames, all elements
    int smooth, fields; // how many of them there are; smooth ones first
    double *field;      // fields * nx
    double *worth;      // fields: what they count as, over the root of their energy in all of the body
    int32_t *region_of; // ne
    int32_t *place;     // ne: among the candidates of its region, or -1
    int32_t *first;     // regions + 1: where candidates begin
    int32_t *element;   // of candidates
    int32_t rows;       // pairs
    double *A;          // a column of rows for each candidate
    double *b;          // rows for each region
} Training;

static size_t size_of(const ThawShape *shape) { return (size_t)shape->nv * (size_t)shape->dim; }

static double dot(size_t count, const double *a, const double *b) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static double by_mass(const ThawShape *shape, const double *a, const double *b) {
    double sum = 0;
    for (size_t i = 0; i < size_of(shape); i++)
        sum += shape->mass[i / (size_t)shape->dim] * a[i] * b[i];
    return sum;
}

static double random_of(uint64_t *seed) { // in [-1, 1)
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

// --- displacements ---------------------------------------------------------------------------------------------------

// A system's factor of K + shift M at rest.
typedef struct Factor {
    const ThawSystem *system;
    ThawSolver *solver;
    double *f, *partial; // scratch: over vertices; and as forces need it
    double *q, *r;       // over unknowns
} Factor;

static void factor_free(Factor *factor) {
    thaw_solver_free(&factor->solver);
    thaw_free(factor->f);
    thaw_free(factor->partial);
    thaw_free(factor->q);
    thaw_free(factor->r);
}

static ThawStatus factor_create(const ThawSystem *system, double shift, ThawTasks *tasks, Factor *factor,
                                ThawError *error) {
    const ThawShape *shape = system->shape;
    const size_t n = (size_t)system->map->n * (size_t)shape->dim;
    *factor = (Factor){.system = system};
    factor->f = THAW_NEW(double, size_of(shape));
    factor->partial = THAW_NEW(double, 2 * (size_t)thaw_integration_most_chunks(shape));
    factor->q = THAW_NEW(double, n);
    factor->r = THAW_NEW(double, n);
    if (!factor->f || !factor->partial || !factor->q || !factor->r)
        return thaw_error_memory(error, "the elements of frames");
    ThawStatus status = thaw_solver_create(system->plan, tasks, &factor->solver, error);
    if (status == THAW_OK)
        status = thaw_system_assemble(system, tasks, (ThawCombination){shift, 0, {1, 0, 1}, 0, NULL}, shape->X, NULL,
                                      factor->solver, factor->f, factor->partial);
    return status == THAW_OK ? thaw_solver_factor(factor->solver) : status;
}

// to = G (G'AG)^-1 G'M v
static ThawStatus relax(Factor *factor, const double *v, double *to) {
    const ThawShape *shape = factor->system->shape;
    const ThawMap *map = factor->system->map;
    for (size_t i = 0; i < size_of(shape); i++)
        factor->f[i] = shape->mass[i / (size_t)shape->dim] * v[i];
    map->ops->apply_t(map, factor->f, factor->r);
    memset(factor->q, 0, sizeof *factor->q * (size_t)map->n * (size_t)shape->dim);
    ThawStatus status = thaw_solver_solve(factor->solver, factor->r, factor->q, 0, NULL);
    map->ops->apply(map, factor->q, NULL, to);
    return status;
}

// Makes the fields orthonormal by mass, one after the other; those that vanish become 0.
static void orthonormalise(const ThawShape *shape, int count, double *fields) {
    const size_t nx = size_of(shape);
    for (int a = 0; a < count; a++) {
        double *u = fields + (size_t)a * nx;
        const double before = sqrt(by_mass(shape, u, u));
        for (int b = 0; b < a; b++) {
            const double share = by_mass(shape, u, fields + (size_t)b * nx);
            for (size_t i = 0; i < nx; i++)
                u[i] -= share * fields[(size_t)b * nx + i];
        }
        const double after = sqrt(by_mass(shape, u, u));
        for (size_t i = 0; i < nx; i++)
            u[i] *= after > 1e-8 * before ? 1 / after : 0;
    }
}

static double stiffest(const ThawShape *shape) {
    double most = 0;
    for (int32_t i = 0; i < shape->nv; i++)
        most = fmax(most, shape->stiffness[i] / shape->mass[i]);
    return most;
}

// 2 times the elastic energy of a small displacement, and K u.
static double form_of(const Factor *factor, const double *u, double *Ku) {
    double forms[2];
    thaw_force_product(factor->system->shape->all, NULL, factor->system->shape->X, u, (ThawStiffness){1, 0, 1},
                       factor->system->shape->nv, Ku, forms, factor->partial);
    return forms[0];
}

// The softest motions of the frames by subspace iteration, from random ones; rigid ones are taken out.
static ThawStatus find_smooth(Training *t, Factor *factor, double shift, uint64_t *seed) {
    const ThawShape *shape = t->shape;
    const size_t nx = size_of(shape);
    const ThawMap *map = t->frames->map;
    ThawStatus status = THAW_OK;
    const int wanted = SMOOTH < map->n * shape->dim ? SMOOTH : map->n * shape->dim;
    for (int a = 0; a < wanted; a++) {
        for (int32_t i = 0; i < map->n * shape->dim; i++)
            factor->q[i] = random_of(seed);
        map->ops->apply(map, factor->q, NULL, t->field + (size_t)a * nx);
    }
    double *to = t->field + (SMOOTH + ROUGH - 1) * nx; // not filled yet
    for (int round = 0; round < ROUNDS && status == THAW_OK; round++) {
        for (int a = 0; a < wanted && status == THAW_OK; a++) {
            status = relax(factor, t->field + (size_t)a * nx, to);
            memcpy(t->field + (size_t)a * nx, to, sizeof *to * nx);
        }
        orthonormalise(shape, wanted, t->field);
    }
    t->smooth = 0;
    for (int a = 0; a < wanted && status == THAW_OK; a++) {
        const double *u = t->field + (size_t)a * nx;
        const double energy = form_of(factor, u, to), mass = by_mass(shape, u, u);
        if (energy > RIGID * shift * mass)
            memmove(t->field + (size_t)t->smooth++ * nx, u, sizeof *u * nx);
    }
    return status;
}

// Random combinations of all fields, each unknown with the same energy.
static void find_rough(Training *t, const Factor *factor, uint64_t *seed) {
    const ThawMap *map = t->frames->map;
    const size_t nx = size_of(t->shape), dim = (size_t)t->shape->dim;
    const ThawBlockMatrix *A = thaw_solver_matrix(factor->solver);
    for (int a = t->smooth; a < t->fields; a++) {
        for (int32_t i = 0; i < map->n; i++)
            for (size_t k = 0; k < dim; k++) {
                const double *block = A->value + (size_t)(A->pattern->row[i + 1] - 1) * dim * dim;
                factor->q[(size_t)i * dim + k] = random_of(seed) / sqrt(block[k * dim + k]);
            }
        map->ops->apply(map, factor->q, NULL, t->field + (size_t)a * nx);
    }
}

// --- regions and candidates ------------------------------------------------------------------------------------------

// The frame that moves an element most.
static int32_t main_frame(const ThawFrameTree *tree, const int32_t *vertex, int nodes) {
    int32_t node[THAW_ELEMENT_NODES_MAX * THAW_INFLUENCES_MAX], count = 0, best = 0;
    double sum[THAW_ELEMENT_NODES_MAX * THAW_INFLUENCES_MAX];
    for (int a = 0; a < nodes; a++)
        for (size_t k = (size_t)vertex[a] * THAW_INFLUENCES_MAX; k < ((size_t)vertex[a] + 1) * THAW_INFLUENCES_MAX;
             k++) {
            int32_t at = 0;
            if (tree->node[k] < 0)
                continue;
            while (at < count && node[at] != tree->node[k])
                at++;
            if (at == count) {
                node[count] = tree->node[k];
                sum[count++] = 0;
            }
            sum[at] += tree->weight[k];
        }
    for (int32_t i = 1; i < count; i++)
        if (sum[i] > sum[best] || (sum[i] == sum[best] && node[i] < node[best]))
            best = i;
    return node[best];
}

static ThawStatus choose_candidates(Training *t, ThawError *error) {
    const ThawElementBlock *cells = t->shape->cells;
    const int32_t regions = t->tree->count;
    int32_t total[THAW_FRAMES_MAX] = {0}, met[THAW_FRAMES_MAX] = {0};
    t->region_of = THAW_NEW(int32_t, cells->count);
    t->place = THAW_NEW(int32_t, cells->count);
    t->first = THAW_NEW(int32_t, regions + 1);
    if (!t->region_of || !t->place || !t->first)
        return thaw_error_memory(error, "the elements of frames");
    for (int32_t e = 0; e < cells->count; e++) {
        t->region_of[e] =
            main_frame(t->tree, cells->elements + (size_t)e * (size_t)cells->kind->nodes, cells->kind->nodes);
        total[t->region_of[e]]++;
    }
    for (int32_t r = 0; r < regions; r++)
        t->first[r + 1] = t->first[r] + (total[r] < CANDIDATES ? total[r] : CANDIDATES);
    t->element = THAW_NEW(int32_t, t->first[regions]);
    if (!t->element)
        return thaw_error_memory(error, "the elements of frames");
    for (int32_t e = 0; e < cells->count; e++) { // evenly over the region: elements are in the order of space
        const int32_t r = t->region_of[e], room = t->first[r + 1] - t->first[r], k = met[r]++;
        const int64_t before = (int64_t)k * room / total[r], after = ((int64_t)k + 1) * room / total[r];
        t->place[e] = after > before ? (int32_t)before : -1;
        if (after > before)
            t->element[t->first[r] + (int32_t)before] = e;
    }
    return THAW_OK;
}

// --- rows ------------------------------------------------------------------------------------------------------------

static int32_t row_count(const Training *t) {
    const int crossed = t->smooth < CROSSED ? t->smooth : CROSSED, rough = t->fields - t->smooth;
    return t->smooth * (t->smooth + 1) / 2 + crossed * rough + rough;
}

// Rows of one element by its displacements U (size * fields) and K_e U: += into to.
static void add_rows(const Training *t, size_t size, const double *U, const double *KU, double *to) {
    const size_t F = (size_t)t->fields;
    const int crossed = t->smooth < CROSSED ? t->smooth : CROSSED;
    for (int a = 0; a < t->smooth; a++)
        for (int b = 0; b <= a; b++) {
            double sum = 0;
            for (size_t i = 0; i < size; i++)
                sum += U[i * F + (size_t)a] * KU[i * F + (size_t)b];
            *to++ += sum;
        }
    for (int a = 0; a < crossed; a++, to += t->fields - t->smooth)
        for (size_t i = 0; i < size; i++)
            for (int b = t->smooth; b < t->fields; b++)
                to[b - t->smooth] += KU[i * F + (size_t)a] * U[i * F + (size_t)b];
    for (size_t i = 0; i < size; i++)
        for (int b = t->smooth; b < t->fields; b++)
            to[b - t->smooth] += KU[i * F + (size_t)b] * U[i * F + (size_t)b];
}

// Each row counts by what its two fields are worth, and is divided by their energies in the whole body.
static void scale_rows(const Training *t, double *row) {
    const int crossed = t->smooth < CROSSED ? t->smooth : CROSSED;
    for (int a = 0; a < t->smooth; a++)
        for (int b = 0; b <= a; b++)
            *row++ *= t->worth[a] * t->worth[b];
    for (int a = 0; a < crossed; a++)
        for (int b = t->smooth; b < t->fields; b++)
            *row++ *= t->worth[a] * t->worth[b];
    for (int b = t->smooth; b < t->fields; b++)
        *row++ *= t->worth[b] * t->worth[b];
}

typedef struct RowPass {
    Training *t;
    double *U, *KU; // size * fields each
} RowPass;

// U of an element's vertices, one field beside the other; K_e U.
static void element_fields(RowPass *pass, const double *fields, const int32_t *vertex, int nodes,
                           const ThawLanes *blocks, int lane) {
    const size_t dim = (size_t)pass->t->shape->dim, F = (size_t)pass->t->fields, nx = size_of(pass->t->shape);
    const size_t size = (size_t)nodes * dim;
    for (size_t f = 0; f < F; f++)
        for (size_t a = 0; a < (size_t)nodes; a++)
            for (size_t k = 0; k < dim; k++)
                pass->U[(a * dim + k) * F + f] = fields[f * nx + (size_t)vertex[a] * dim + k];
    memset(pass->KU, 0, sizeof(double) * size * F);
    for (size_t a = 0; a < (size_t)nodes; a++)
        for (size_t b = 0; b <= a; b++)
            for (size_t i = 0; i < dim; i++)
                for (size_t k = 0; k < dim; k++) {
                    const double entry = blocks[((a * (a + 1) / 2 + b) * dim + i) * dim + k][lane];
                    double *to = pass->KU + (a * dim + i) * F, *mirrored = pass->KU + (b * dim + k) * F;
                    const double *from = pass->U + (b * dim + k) * F, *other = pass->U + (a * dim + i) * F;
                    for (size_t f = 0; f < F; f++)
                        to[f] += entry * from[f];
                    for (size_t f = 0; a != b && f < F; f++)
                        mirrored[f] += entry * other[f];
                }
}

static void take_batch(void *context, int32_t batch, const ThawLanes *blocks) {
    RowPass *pass = context;
    Training *t = pass->t;
    const ThawBatch *b = &t->shape->all->batches[batch];
    const int nodes = b->kind->nodes;
    const size_t size = (size_t)(nodes * t->shape->dim);
    for (int lane = 0; lane < THAW_LANES; lane++) {
        const int32_t e = b->element[lane];
        int32_t vertex[THAW_ELEMENT_NODES_MAX];
        if (e < 0)
            continue;
        for (int a = 0; a < nodes; a++)
            vertex[a] = b->vertex[a][lane];
        element_fields(pass, t->field, vertex, nodes, blocks, lane);
        add_rows(t, size, pass->U, pass->KU, t->b + (size_t)t->region_of[e] * (size_t)t->rows);
        if (t->place[e] >= 0)
            add_rows(t, size, pass->U, pass->KU,
                     t->A + (size_t)(t->first[t->region_of[e]] + t->place[e]) * (size_t)t->rows);
    }
}

static ThawStatus fill_rows(Training *t, const Factor *factor, ThawError *error) {
    const ThawShape *shape = t->shape;
    const int32_t regions = t->tree->count, candidates = t->first[regions];
    const size_t room = (size_t)(shape->cells->kind->nodes * shape->dim) * (size_t)t->fields;
    t->rows = row_count(t);
    t->A = THAW_NEW(double, (size_t)candidates *(size_t)t->rows);
    t->b = THAW_NEW(double, (size_t)regions *(size_t)t->rows);
    t->worth = THAW_NEW(double, t->fields);
    RowPass pass = {t, THAW_NEW(double, room), THAW_NEW(double, room)};
    ThawStatus status =
        t->A && t->b && t->worth && pass.U && pass.KU ? THAW_OK : thaw_error_memory(error, "the elements of frames");
    double softest = INFINITY;
    for (int a = 0; a < t->fields && status == THAW_OK; a++) {
        const double *u = t->field + (size_t)a * size_of(shape);
        const double energy = form_of(factor, u, factor->f), lambda = energy / by_mass(shape, u, u);
        if (a < t->smooth)
            softest = fmin(softest, lambda);
        t->worth[a] = (a < t->smooth ? sqrt(sqrt(softest / lambda)) : ROUGH_WORTH) / sqrt(energy);
    }
    if (status == THAW_OK)
        status = thaw_force_linearise(shape->all, NULL, shape->X, (ThawStiffness){1, 0, 1},
                                      (ThawBlockSink){take_batch, &pass}, shape->nv, factor->f, factor->partial);
    for (int32_t c = 0; c < candidates && status == THAW_OK; c++)
        scale_rows(t, t->A + (size_t)c * (size_t)t->rows);
    for (int32_t r = 0; r < regions && status == THAW_OK; r++)
        scale_rows(t, t->b + (size_t)r * (size_t)t->rows);
    thaw_free(pass.U);
    thaw_free(pass.KU);
    return status;
}

// --- non-negative least squares --------------------------------------------------------------------------------------

typedef struct Least {
    int n;                // columns
    double *N, *d;        // A'A, A'b
    double *w, *trial;    // n
    double *L;            // n * n, scratch
    int *list;            // n: those that are not 0
    unsigned char *taken; // n
} Least;

static ThawStatus least_reserve(Least *s, int n, ThawError *error) {
    const size_t square = (size_t)n * (size_t)n;
    s->N = THAW_NEW(double, 2 * square + 3 * (size_t)n);
    s->list = THAW_NEW(int, n);
    s->taken = THAW_NEW(unsigned char, n);
    if (!s->N || !s->list || !s->taken)
        return thaw_error_memory(error, "the elements of frames");
    s->L = s->N + square;
    s->d = s->L + square;
    s->w = s->d + n;
    s->trial = s->w + n;
    return THAW_OK;
}

static void least_free(Least *s) {
    thaw_free(s->N);
    thaw_free(s->list);
    thaw_free(s->taken);
}

// The unconstrained solution on the list.
static int solve_listed(Least *s, int count) {
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < count; k++)
            s->L[i * count + k] = s->N[s->list[i] * s->n + s->list[k]];
        s->L[i * (count + 1)] *= 1 + 1e-10;
        s->trial[i] = s->d[s->list[i]];
    }
    if (!thaw_dense_factor(count, s->L))
        return 0;
    thaw_dense_solve(count, s->L, s->trial);
    return 1;
}

// w >= 0 with at most `most` of them not 0, one after the other where the residual asks for it most.
static void find_weights(Least *s, int most) {
    int count = 0;
    memset(s->w, 0, sizeof *s->w * (size_t)s->n);
    memset(s->taken, 0, (size_t)s->n);
    for (int tries = 0; count < most && tries < 3 * most; tries++) {
        int best = -1;
        double steepest = 0;
        for (int i = 0; i < s->n; i++) {
            if (s->taken[i] || !(s->N[i * (s->n + 1)] > 0))
                continue;
            double slope = s->d[i];
            for (int k = 0; k < count; k++)
                slope -= s->N[i * s->n + s->list[k]] * s->w[s->list[k]];
            slope /= sqrt(s->N[i * (s->n + 1)]);
            if (slope > steepest) {
                steepest = slope;
                best = i;
            }
        }
        if (best < 0)
            break;
        s->taken[best] = 1; // once taken it is not tried again: no cycles
        s->list[count++] = best;
        for (;;) {
            if (!solve_listed(s, count)) {
                count--;
                break;
            }
            double step = 1;
            int out = -1;
            for (int i = 0; i < count; i++)
                if (s->trial[i] <= 0) {
                    const double now = s->w[s->list[i]], share = now / (now - s->trial[i]);
                    if (out < 0 || share < step) {
                        step = share;
                        out = i;
                    }
                }
            for (int i = 0; i < count; i++)
                s->w[s->list[i]] += step * (s->trial[i] - s->w[s->list[i]]);
            if (out < 0)
                break;
            s->w[s->list[out]] = 0;
            for (int i = out; i + 1 < count; i++)
                s->list[i] = s->list[i + 1];
            count--;
        }
    }
}

static ThawStatus solve_regions(Training *t, int most, double *share, ThawError *error) {
    ThawStatus status = THAW_OK;
    for (int32_t r = 0; r < t->tree->count && status == THAW_OK; r++) {
        const int n = t->first[r + 1] - t->first[r];
        const size_t rows = (size_t)t->rows;
        Least s = {.n = n};
        status = least_reserve(&s, n, error);
        for (int i = 0; i < n && status == THAW_OK; i++) {
            const double *a = t->A + (size_t)(t->first[r] + i) * rows;
            s.d[i] = dot(rows, a, t->b + (size_t)r * rows);
            for (int k = 0; k <= i; k++)
                s.N[i * n + k] = s.N[k * n + i] = dot(rows, a, t->A + (size_t)(t->first[r] + k) * rows);
        }
        if (status == THAW_OK)
            find_weights(&s, most);
        for (int i = 0; i < n && status == THAW_OK; i++)
            if (s.w[i] > 0)
                share[t->element[t->first[r] + i]] = s.w[i];
        least_free(&s);
    }
    return status;
}

// --- all of it -------------------------------------------------------------------------------------------------------

static void training_free(Training *t) {
    double *all[] = {t->field, t->worth, t->A, t->b};
    int32_t *lists[] = {t->region_of, t->place, t->first, t->element};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        thaw_free(all[i]);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        thaw_free(lists[i]);
    thaw_system_free(&t->frames);
}

// The least share of their stiffness that the few elements leave a motion of the frames, by power iteration on K~^-1 K.
static ThawStatus find_softest(const Training *t, const ThawFrameMapDef *def, double shift, const double *share,
                               double *softest, ThawError *error) {
    const ThawShape *shape = t->shape;
    const size_t nx = size_of(shape), n = (size_t)t->frames->map->n * (size_t)shape->dim;
    int32_t *list = THAW_NEW(int32_t, shape->cells->count), count = 0;
    double *v = THAW_NEW(double, 2 * nx), *Kv = v ? v + nx : NULL;
    ThawIntegrationSet *set = NULL;
    ThawFrameMapDef few = *def;
    ThawMap *map = NULL;
    ThawSystem *system = NULL;
    Factor factor = {0};
    for (int32_t e = 0; list && e < shape->cells->count; e++)
        if (share[e] > 0)
            list[count++] = e;
    ThawStatus status = list && v ? thaw_integration_create(shape, list, count, &set, error)
                                  : thaw_error_memory(error, "the elements of frames");
    if (status == THAW_OK)
        thaw_integration_set_weights(set, shape, share);
    few.set = set;
    if (status == THAW_OK)
        status = thaw_map_frames_create(&few, &map, error);
    if (status == THAW_OK)
        status = thaw_system_wrap(&map, def->scripted, THAW_SOLVER_LDL, &system, error);
    thaw_map_free(&map);
    if (status == THAW_OK)
        status = factor_create(system, shift, NULL, &factor, error);
    uint64_t seed = 7;
    for (size_t i = 0; i < n && status == THAW_OK; i++)
        factor.q[i] = random_of(&seed);
    *softest = 0;
    for (int round = 0; round < POWERS && status == THAW_OK; round++) {
        system->map->ops->apply(system->map, factor.q, NULL, v);
        form_of(&factor, v, Kv);
        for (size_t i = 0; i < nx; i++)
            Kv[i] += shift * shape->mass[i / (size_t)shape->dim] * v[i];
        system->map->ops->apply_t(system->map, Kv, factor.r);
        double size = 0, form = 0;
        memcpy(v, factor.q, sizeof *v * n); // as many as there is room for: n <= nx
        status = thaw_solver_solve(factor.solver, factor.r, factor.q, 0, NULL);
        form = dot(n, v, factor.r);        // v'Kv
        size = dot(n, factor.q, factor.r); // v'K K~^-1 K v
        *softest = size > 0 ? form / size : 0;
        for (size_t i = 0; i < n; i++)
            factor.q[i] /= sqrt(size);
    }
    factor_free(&factor);
    thaw_system_free(&system);
    thaw_integration_free(&set);
    thaw_free(list);
    thaw_free(v);
    return status == THAW_INDEFINITE ? THAW_OK : status;
}

static ThawStatus train(Training *t, const ThawFrameMapDef *def, int most, ThawTasks *tasks, double *share,
                        ThawError *error) {
    const double shift = SHIFT * stiffest(t->shape);
    uint64_t seed = 1;
    ThawMap *map = NULL;
    Factor factor = {0};
    ThawStatus status = thaw_map_frames_create(def, &map, error);
    if (status == THAW_OK)
        status = thaw_system_wrap(&map, def->scripted, THAW_SOLVER_LDL, &t->frames, error);
    thaw_map_free(&map);
    if (status == THAW_OK && t->frames->map->n > 0)
        status = factor_create(t->frames, shift, tasks, &factor, error);
    if (status == THAW_OK && t->frames->map->n > 0)
        status = find_smooth(t, &factor, shift, &seed);
    t->fields = t->smooth + ROUGH;
    if (status == THAW_OK && t->frames->map->n > 0) {
        if (status == THAW_OK)
            find_rough(t, &factor, &seed);
        if (status == THAW_OK)
            status = fill_rows(t, &factor, error);
        if (status == THAW_OK)
            status = solve_regions(t, most, share, error);
        double softest = 0;
        if (status == THAW_OK)
            status = find_softest(t, def, shift, share, &softest, error);
        if (status == THAW_OK && softest < SOFTEST)
            for (int32_t e = 0; e < t->shape->cells->count; e++)
                share[e] = 1;
    }
    factor_free(&factor);
    return status;
}

ThawStatus thaw_cubature_find(const ThawFrameMapDef *def, int most, ThawTasks *tasks, double *share, ThawError *error) {
    const ThawShape *shape = def->tree->shape;
    const size_t room = (size_t)(SMOOTH + ROUGH) * size_of(shape);
    Training t = {.tree = def->tree, .shape = shape};
    ThawFrameMapDef rest = *def;
    rest.y = shape->X;
    rest.set = shape->all;
    t.field = THAW_NEW(double, room);
    memset(share, 0, sizeof *share * (size_t)shape->cells->count);
    ThawStatus status = t.field ? choose_candidates(&t, error) : thaw_error_memory(error, "the elements of frames");
    if (status == THAW_OK)
        status = train(&t, &rest, most, tasks, share, error);
    training_free(&t);
    return status;
}
