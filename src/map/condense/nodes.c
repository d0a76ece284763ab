// SPDX-License-Identifier: Apache-2.0
// CONJAC as published (Weidner, Kim, Sueda 2021, section 2): velocities of a few dynamic nodes d, all other vertices q
// in balance with them to first order,
//     v = G v_d + w,   G = [1; -K_qq^-1 K_qd] (6)(7),   w_q = -K_qq^-1 K_qs v_s,   w_d = 0,
// K at the start of the step, v_s what scripts say. The step's matrix is G'(M + D + beta h^2 K) G (11), small and
// dense; its stiffness is the Schur complement K_dd + K_dq G_q. Positions move by h v, and the vertices q by gamma
// times the Newton displacement c = K_qq^-1 f_q on top (12)(13), which is no part of v: without it they drift away from
// balance. With `searches`, gamma is halved until the energy falls, and left out below a 64th.
//
// The rows and columns of nodes are struck off K in its place with a one on the diagonal, so one plan serves any nodes
// (equation 21 with its signs). One factor a step, and 3 nodes + 1 right-hand sides in one blocked solve. A K_qq that
// is not definite is projected, element by element; the paper does not say what it does.
#include <math.h>
#include <string.h>

#include "map/condense/condense_impl.h"
#include "math/dense.h"
#include "sparse/ldl.h"

// A block of K_qd.
typedef struct Tie {
    int32_t node, block;
    double K[9]; // K_(block, node), row-major
} Tie;

typedef struct NodeMap {
    ThawMap map;
    ThawMap *inner; // the identity over all vertices that are not scripted
    ThawBlockPattern *pattern;
    ThawSolverPlan *plan;
    ThawSolver *solver;
    ThawTasks *tasks;
    ThawNodes nodes;
    int32_t *vertex_of;                   // inner->n
    int32_t *block_of;                    // nv; -1: scripted
    int32_t *node_of;                     // inner->n; -1: quasistatic
    int32_t region_of[THAW_REGIONS_MAX];  // of an unknown, the node in `nodes`
    unsigned char idle[THAW_REGIONS_MAX]; // of an unknown: its node is quasistatic, too, and it stays 0
    Tie *ties;
    int32_t tie_count;
    double *G;           // columns of inner->n * dim: nodes * dim of them, then c
    double *K;           // (nodes * dim)^2: K_dd, then G'KG
    double *M;           // likewise: G'MG
    double *L;           // its factor
    double *f, *f_ext;   // nv * dim, of the start of the step
    double *y, *partial; // scratch
    int project;         // the present K is
} NodeMap;

static const NodeMap *self_of(const ThawMap *map) { return (const NodeMap *)map; }
static size_t dim_of(const NodeMap *self) { return (size_t)self->map.shape->dim; }
static size_t stride_of(const NodeMap *self) { return (size_t)self->inner->n * dim_of(self); }
static size_t unknowns_of(const NodeMap *self) { return (size_t)self->map.n * dim_of(self); }

// -1: quasistatic, for now.
static int32_t node_at(const NodeMap *self, int32_t block) {
    const int32_t node = self->node_of[block];
    return node >= 0 && self->idle[node] ? -1 : node;
}

// --- the map ---------------------------------------------------------------------------------------------------------

static void apply_nodes(const ThawMap *map, const double *q, const double *w, double *v) {
    const NodeMap *self = self_of(map);
    const size_t dim = dim_of(self), stride = stride_of(self), n = unknowns_of(self);
    for (int32_t i = 0; i < map->shape->nv; i++)
        for (size_t k = 0; k < dim; k++) {
            double sum = w ? w[(size_t)i * dim + k] : 0;
            for (size_t c = 0; c < n && self->block_of[i] >= 0; c++)
                sum += self->G[c * stride + (size_t)self->block_of[i] * dim + k] * q[c];
            v[(size_t)i * dim + k] = sum;
        }
}

static void apply_t_nodes(const ThawMap *map, const double *f, double *r) {
    const NodeMap *self = self_of(map);
    const size_t dim = dim_of(self), stride = stride_of(self), n = unknowns_of(self);
    for (size_t c = 0; c < n; c++) {
        double sum = 0;
        for (int32_t b = 0; b < self->inner->n; b++)
            for (size_t k = 0; k < dim; k++)
                sum += self->G[c * stride + (size_t)b * dim + k] * f[(size_t)self->vertex_of[b] * dim + k];
        r[c] = sum;
    }
}

static void project_nodes(const ThawMap *map, const double *w, const double *v, double *q) {
    const NodeMap *self = self_of(map);
    const size_t dim = dim_of(self);
    for (int32_t i = 0; i < map->shape->nv; i++)
        for (size_t at = (size_t)i * dim; at < ((size_t)i + 1) * dim; at++)
            self->y[at] = map->shape->mass[i] * (v[at] - (w ? w[at] : 0));
    apply_t_nodes(map, self->y, q);
    thaw_dense_solve((int)unknowns_of(self), self->L, q);
}

static int rows_nodes(const ThawMap *map, int32_t vertex, int32_t *block, double (*matrix)[9]) {
    const NodeMap *self = self_of(map);
    const size_t dim = dim_of(self), stride = stride_of(self);
    if (self->block_of[vertex] < 0)
        return 0;
    for (int32_t a = 0; a < map->n; a++) {
        block[a] = a;
        for (size_t r = 0; r < dim; r++)
            for (size_t c = 0; c < dim; c++)
                matrix[a][r * dim + c] =
                    self->G[((size_t)a * dim + c) * stride + (size_t)self->block_of[vertex] * dim + r];
    }
    return map->n;
}

static void add_correction(const NodeMap *self, double gamma, double *x) {
    const size_t dim = dim_of(self);
    const double *c = self->G + unknowns_of(self) * stride_of(self);
    for (int32_t b = 0; b < self->inner->n; b++)
        for (size_t k = 0; k < dim; k++)
            x[(size_t)self->vertex_of[b] * dim + k] += gamma * c[(size_t)b * dim + k];
}

// Psi less the work of loads.
static double energy_of(const NodeMap *self, const double *x) {
    double sum = thaw_force_energy(self->map.set, self->tasks, x, self->partial);
    for (size_t i = 0; i < (size_t)self->map.shape->nv * dim_of(self); i++)
        sum -= self->f_ext[i] * x[i];
    return sum;
}

static const double LEAST_SHARE = 1.0 / 64;

static void advance_nodes(const ThawMap *map, double h, const double *x0, const double *q, const double *v,
                          double *x1) {
    const NodeMap *self = self_of(map);
    const size_t count = (size_t)map->shape->nv * dim_of(self);
    double gamma = self->nodes.gamma;
    (void)q;
    for (size_t i = 0; i < count; i++)
        x1[i] = x0[i] + h * v[i];
    if (!self->nodes.searches) {
        add_correction(self, gamma, x1);
        return;
    }
    const double before = energy_of(self, x1);
    for (; gamma >= LEAST_SHARE; gamma /= 2) {
        memcpy(self->y, x1, sizeof *x1 * count);
        add_correction(self, gamma, self->y);
        if (energy_of(self, self->y) <= before) {
            memcpy(x1, self->y, sizeof *x1 * count);
            return;
        }
    }
}

static ThawStatus pattern_nodes(const ThawMap *map, ThawBlockPattern **pattern, ThawError *error) {
    int32_t offset[THAW_REGIONS_MAX + 1] = {0}, neighbours[THAW_REGIONS_MAX * THAW_REGIONS_MAX], count = 0;
    for (int32_t a = 0; a < map->n; a++) {
        for (int32_t b = 0; b < map->n; b++)
            if (a != b)
                neighbours[count++] = b;
        offset[a + 1] = count;
    }
    return thaw_block_pattern_create(map->n, map->shape->dim, offset, neighbours, pattern, error);
}

// --- what follows the state ------------------------------------------------------------------------------------------

static ThawStatus assemble(NodeMap *self, const double *x) {
    const ThawShape *shape = self->map.shape;
    ThawBlockMatrix *A = thaw_solver_matrix(self->solver);
    ThawAssembly assembly = {self->inner, A->value};
    memset(A->value, 0, sizeof *A->value * (size_t)A->pattern->row[A->pattern->n] * dim_of(self) * dim_of(self));
    return thaw_force_linearise(self->map.set, self->tasks, x, (ThawStiffness){1, 0, self->project},
                                (ThawBlockSink){self->inner->ops->add_blocks, &assembly}, shape->nv, self->f,
                                self->partial);
}

// K_qd goes to the ties, K_dd to K; in their places come zeros, and on the nodes' diagonal something of K's own size.
static void strike(NodeMap *self) {
    const int dim = (int)dim_of(self);
    const size_t n = unknowns_of(self), square = (size_t)(dim * dim);
    ThawBlockMatrix *A = thaw_solver_matrix(self->solver);
    double trace = 0;
    for (int32_t i = 0; i < A->pattern->n; i++)
        trace += A->value[(size_t)(A->pattern->row[i + 1] - 1) * square] / A->pattern->n;
    self->tie_count = 0;
    memset(self->K, 0, sizeof *self->K * n * n);
    for (int32_t i = 0; i < A->pattern->n; i++)
        for (int32_t e = A->pattern->row[i]; e < A->pattern->row[i + 1]; e++) {
            const int32_t j = A->pattern->col[e], a = node_at(self, i), b = node_at(self, j);
            double *block = A->value + (size_t)e * square;
            if (a < 0 && b < 0)
                continue;
            if (a >= 0 && b >= 0) {
                for (int r = 0; r < dim; r++)
                    for (int c = 0; c < dim; c++)
                        self->K[((size_t)a * (size_t)dim + (size_t)r) * n + (size_t)(b * dim + c)] =
                            self->K[((size_t)b * (size_t)dim + (size_t)c) * n + (size_t)(a * dim + r)] =
                                block[r * dim + c];
            } else {
                Tie *tie = &self->ties[self->tie_count++];
                tie->node = a >= 0 ? a : b;
                tie->block = a >= 0 ? j : i;
                for (int r = 0; r < dim; r++)
                    for (int c = 0; c < dim; c++)
                        tie->K[r * dim + c] = a >= 0 ? block[c * dim + r] : block[r * dim + c];
            }
            for (int k = 0; k < dim * dim; k++)
                block[k] = i == j && k % (dim + 1) == 0 ? trace : 0;
        }
}

// Right-hand sides: -K_qd, and f_q.
static void fill_sides(NodeMap *self) {
    const size_t dim = dim_of(self), stride = stride_of(self), n = unknowns_of(self);
    memset(self->G, 0, sizeof *self->G * (n + 1) * stride);
    for (int32_t t = 0; t < self->tie_count; t++)
        for (size_t r = 0; r < dim; r++)
            for (size_t c = 0; c < dim; c++)
                self->G[((size_t)self->ties[t].node * dim + c) * stride + (size_t)self->ties[t].block * dim + r] =
                    -self->ties[t].K[r * dim + c];
    double *side = self->G + n * stride;
    for (int32_t b = 0; b < self->inner->n; b++)
        for (size_t k = 0; k < dim && node_at(self, b) < 0; k++) {
            const size_t at = (size_t)self->vertex_of[b] * dim + k;
            side[(size_t)b * dim + k] = self->f[at] + self->f_ext[at];
        }
}

// G'KG = K_dd + K_dq G_q, and G'MG with its factor.
static int reduce(NodeMap *self) {
    const size_t dim = dim_of(self), stride = stride_of(self), n = unknowns_of(self);
    for (int32_t t = 0; t < self->tie_count; t++)
        for (size_t c = 0; c < dim; c++)
            for (size_t col = 0; col < n; col++)
                for (size_t r = 0; r < dim; r++)
                    self->K[((size_t)self->ties[t].node * dim + c) * n + col] +=
                        self->ties[t].K[r * dim + c] * self->G[col * stride + (size_t)self->ties[t].block * dim + r];
    for (int32_t b = 0; b < self->inner->n; b++)
        for (size_t k = 0; k < dim && node_at(self, b) >= 0; k++)
            self->G[((size_t)self->node_of[b] * dim + k) * stride + (size_t)b * dim + k] = 1;
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b <= a; b++) {
            double sum = 0;
            for (int32_t i = 0; i < self->inner->n; i++)
                for (size_t at = (size_t)i * dim; at < ((size_t)i + 1) * dim; at++)
                    sum +=
                        self->map.shape->mass[self->vertex_of[i]] * self->G[a * stride + at] * self->G[b * stride + at];
            self->M[a * n + b] = self->M[b * n + a] = sum;
        }
    for (size_t a = 0; a < n; a++)
        if (self->idle[a / dim])
            self->M[a * n + a] = self->map.shape->total_mass; // it has no force, and stays 0
    memcpy(self->L, self->M, sizeof *self->L * n * n);
    return thaw_dense_factor((int)n, self->L);
}

// Columns of nodes that are not idle, and the one behind them, as many at once as follow each other.
static ThawStatus solve_columns(NodeMap *self) {
    const int32_t dim = (int32_t)dim_of(self), last = self->map.n;
    const size_t stride = stride_of(self);
    ThawStatus status = THAW_OK;
    for (int32_t a = 0, b; a <= last && status == THAW_OK; a = b + 1) {
        for (b = a; b < last && !self->idle[b]; b++) {
        }
        const int32_t count = (b - a) * dim + (b == last);
        double *G = self->G + (size_t)(a * dim) * stride;
        if (count > 0)
            status = thaw_ldl_solve_many(thaw_solver_ldl(self->solver), count, G, G, stride);
    }
    return status;
}

// K_qq with its factor, and the sides.
static ThawStatus factor_at(NodeMap *self, const double *x) {
    ThawStatus status = THAW_INDEFINITE;
    self->project = self->nodes.projection == THAW_PROJECT_ALWAYS;
    for (;; self->project = 1) {
        status = assemble(self, x);
        if (status != THAW_OK)
            return status;
        strike(self);
        status = thaw_solver_factor(self->solver);
        if (status != THAW_INDEFINITE || self->project || self->nodes.projection == THAW_PROJECT_NEVER)
            break;
    }
    if (status == THAW_OK)
        fill_sides(self);
    return status;
}

static ThawStatus update_nodes(ThawMap *map, const double *x, const double *f_ext) {
    NodeMap *self = (NodeMap *)map;
    memcpy(self->f_ext, f_ext, sizeof *f_ext * (size_t)map->shape->nv * dim_of(self));
    if (self->inner->n == 0)
        return THAW_OK;
    ThawStatus status = factor_at(self, x);
    if (status == THAW_OK)
        status = solve_columns(self);
    return status != THAW_OK ? status : reduce(self) ? THAW_OK : THAW_INDEFINITE;
}

void thaw_map_nodes_rest(ThawMap *map, const unsigned char *idle) {
    NodeMap *self = (NodeMap *)map;
    for (int32_t a = 0; a < map->n; a++)
        self->idle[a] = idle[self->region_of[a]];
}

// Of the largest extent of the body, and in how many factors at most.
static const double SETTLED = 1e-9;
enum { SETTLING = 200 };

ThawStatus thaw_map_nodes_settle(ThawMap *map, double *x, const double *f_ext) {
    NodeMap *self = (NodeMap *)map;
    const size_t count = (size_t)map->shape->nv * dim_of(self), stride = stride_of(self), n = unknowns_of(self);
    memcpy(self->f_ext, f_ext, sizeof *f_ext * count);
    double *trial = self->f_ext + count;
    for (int turn = 0; turn < SETTLING && self->inner->n > 0; turn++) {
        ThawStatus status = factor_at(self, x);
        double *c = self->G + n * stride, way = 0, share = 1;
        if (status == THAW_OK)
            status = thaw_ldl_solve_many(thaw_solver_ldl(self->solver), 1, c, c, stride);
        if (status != THAW_OK)
            return status;
        for (size_t i = 0; i < stride; i++)
            way = fmax(way, fabs(c[i]));
        const double before = energy_of(self, x);
        for (;; share /= 2) {
            memcpy(trial, x, sizeof *x * count);
            add_correction(self, share, trial);
            if (energy_of(self, trial) <= before || share * way <= SETTLED * map->shape->diameter)
                break;
        }
        memcpy(x, trial, sizeof *x * count);
        if (share * way <= SETTLED * map->shape->diameter)
            return THAW_OK;
    }
    return self->inner->n > 0 ? THAW_NOT_CONVERGED : THAW_OK;
}

// w_q = -K_qq^-1 (K w_s)_q.
static void offset_nodes(const ThawMap *map, const double *x, double h, double *w) {
    const NodeMap *self = self_of(map);
    const size_t dim = dim_of(self);
    double forms[2], *side = self->G + (unknowns_of(self) + 1) * stride_of(self);
    (void)h;
    thaw_force_product(map->set, self->tasks, x, w, (ThawStiffness){1, 0, self->project}, map->shape->nv, self->y,
                       forms, self->partial);
    for (int32_t b = 0; b < self->inner->n; b++)
        for (size_t k = 0; k < dim; k++)
            side[(size_t)b * dim + k] = node_at(self, b) >= 0 ? 0 : -self->y[(size_t)self->vertex_of[b] * dim + k];
    if (self->inner->n == 0 || thaw_solver_solve(self->solver, side, side, 0, NULL) != THAW_OK)
        return;
    for (int32_t b = 0; b < self->inner->n; b++)
        for (size_t k = 0; k < dim; k++)
            w[(size_t)self->vertex_of[b] * dim + k] = side[(size_t)b * dim + k];
}

// With alpha1, D's part is a product a column; without, all there is to do was done in update.
static ThawStatus matrix_nodes(const ThawMap *map, ThawTasks *tasks, ThawCombination A, const double *x,
                               ThawBlockMatrix *matrix, double *f, double *partial) {
    const NodeMap *self = self_of(map);
    const int dim = (int)dim_of(self);
    const size_t n = unknowns_of(self), count = (size_t)map->shape->nv * (size_t)dim;
    const int damped = (A.element.damping != 0 && map->set->has_alpha1) || A.mass_damping * map->shape->has_drag != 0;
    double forms[2], q[3 * THAW_REGIONS_MAX], r[3 * THAW_REGIONS_MAX];
    for (size_t col = 0; col < n; col++) {
        memset(r, 0, sizeof r);
        if (damped) {
            memset(q, 0, sizeof q);
            q[col] = 1;
            double *u = self->f_ext + count, *y = u + count;
            apply_nodes(map, q, NULL, u);
            thaw_force_product(map->set, tasks, x, u, (ThawStiffness){0, A.element.damping, A.element.project},
                               map->shape->nv, y, forms, partial);
            for (int32_t i = 0; i < map->shape->nv; i++)
                for (size_t at = (size_t)(i * dim); at < (size_t)((i + 1) * dim); at++)
                    y[at] += A.mass_damping * map->shape->damping_mass[i] * u[at];
            apply_t_nodes(map, y, r);
        }
        for (size_t row = col / (size_t)dim * (size_t)dim; row < n; row++) {
            const int32_t e = thaw_block_find(matrix->pattern, (int32_t)row / dim, (int32_t)col / dim);
            matrix->value[(size_t)e * (size_t)(dim * dim) + row % (size_t)dim * (size_t)dim + col % (size_t)dim] +=
                r[row] + A.mass * self->M[row * n + col] +
                A.element.stiffness * (self->K[row * n + col] + self->K[col * n + row]) / 2;
        }
    }
    memcpy(f, self->f, sizeof *f * count);
    return THAW_OK;
}

static void free_nodes(ThawMap *map) {
    NodeMap *self = (NodeMap *)map;
    thaw_solver_free(&self->solver);
    thaw_solver_plan_free(&self->plan);
    thaw_block_pattern_free(&self->pattern);
    thaw_map_free(&self->inner);
    void *all[] = {self->vertex_of, self->block_of, self->node_of, self->ties,  self->G, self->K,
                   self->M,         self->L,        self->f,       self->f_ext, self->y, self->partial};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        thaw_free(all[i]);
    thaw_free(self);
}

#define NODE_OPS                                                                                                       \
    .name = "nodes", .laws = THAW_MAP_FOLLOWS_STATE, .apply = apply_nodes, .apply_t = apply_t_nodes,                   \
    .project = project_nodes, .advance = advance_nodes, .pattern = pattern_nodes, .free = free_nodes,                  \
    .rows = rows_nodes, .matrix = matrix_nodes, .update = update_nodes
static const ThawMapOps HELD = {NODE_OPS}, LED = {NODE_OPS, .offset = offset_nodes};

// --- making it -------------------------------------------------------------------------------------------------------

static ThawStatus reserve(NodeMap *self, ThawError *error) {
    const size_t nv = (size_t)self->map.shape->nv, dim = dim_of(self), n = unknowns_of(self);
    int64_t ties = 0;
    for (int32_t i = 0; self->pattern && i < self->pattern->n; i++)
        for (int32_t e = self->pattern->row[i]; e < self->pattern->row[i + 1]; e++)
            ties += self->node_of[i] >= 0 || self->node_of[self->pattern->col[e]] >= 0;
    self->ties = THAW_NEW(Tie, ties);
    self->G = THAW_NEW(double, (n + 2) * stride_of(self));
    self->K = THAW_NEW(double, n *n);
    self->M = THAW_NEW(double, n *n);
    self->L = THAW_NEW(double, n *n);
    self->f = THAW_NEW(double, nv *dim);
    self->f_ext = THAW_NEW(double, 3 * nv * dim); // and scratch behind it
    self->y = THAW_NEW(double, nv *dim);
    self->partial = THAW_NEW(double, 2 * (size_t)thaw_integration_most_chunks(self->map.shape));
    return self->ties && self->G && self->K && self->M && self->L && self->f && self->f_ext && self->y && self->partial
               ? THAW_OK
               : thaw_error_memory(error, "the map");
}

static ThawStatus number(NodeMap *self, const unsigned char *scripted, ThawError *error) {
    const ThawShape *shape = self->map.shape;
    self->vertex_of = THAW_NEW(int32_t, shape->nv);
    self->block_of = THAW_NEW(int32_t, shape->nv);
    self->node_of = THAW_NEW(int32_t, shape->nv);
    if (!self->vertex_of || !self->block_of || !self->node_of)
        return thaw_error_memory(error, "the map");
    for (int32_t i = 0, n = 0; i < shape->nv; i++) {
        self->block_of[i] = scripted[i] ? -1 : n;
        if (scripted[i])
            continue;
        self->vertex_of[n] = i;
        self->node_of[n] = -1;
        for (int32_t k = 0; k < self->nodes.count && self->node_of[n] < 0; k++)
            if (self->nodes.vertex[k] == i)
                self->region_of[self->node_of[n] = self->map.n++] = k;
        n++;
    }
    return THAW_OK;
}

ThawStatus thaw_map_nodes_create(const ThawShape *shape, const unsigned char *scripted, const ThawNodes *nodes,
                                 ThawTasks *tasks, ThawMap **map, ThawError *error) {
    NodeMap *self = THAW_NEW(NodeMap, 1);
    *map = NULL;
    if (!self)
        return thaw_error_memory(error, "the map");
    self->map = (ThawMap){.ops = nodes->led ? &LED : &HELD, .shape = shape, .set = shape->all};
    self->nodes = *nodes;
    self->tasks = tasks;
    ThawStatus status = thaw_map_identity_create(shape, scripted, &self->inner, error);
    if (status == THAW_OK)
        status = number(self, scripted, error);
    if (status == THAW_OK && self->inner->n > 0)
        status = self->inner->ops->pattern(self->inner, &self->pattern, error);
    if (status == THAW_OK && self->inner->n > 0)
        status = thaw_solver_plan_create(THAW_SOLVER_LDL, self->pattern, &self->plan, error);
    if (status == THAW_OK && self->inner->n > 0)
        status = thaw_solver_create(self->plan, tasks, &self->solver, error);
    if (status == THAW_OK)
        status = reserve(self, error);
    if (status != THAW_OK) {
        free_nodes(&self->map);
        return status;
    }
    self->map.row_blocks = self->map.n > 0 ? self->map.n : 1;
    self->map.beyond = nodes->beta - 1;
    *map = &self->map;
    return THAW_OK;
}
