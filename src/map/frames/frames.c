// SPDX-License-Identifier: Apache-2.0
// The map of frames (frames.h). G = S (x) I: a row of S has the products of weights and monomials of one vertex.
//
// Columns may depend on each other: with linear precision sum_j phi_j (y - c_j) is constant, so a free body in its rest
// shape has dim affine columns too many, quadratic frames more. The Gram matrix S'MS, needed anyway, tells by Cholesky:
// columns that Cholesky's pivots find in the span of those before are left out, constants and linear ones coming first.
//
// G'AG is added element by element: with S of its vertices (4 rows), T = S'H and then T S, block by block; frames have
// their columns one after the other, so a run of blocks in the matrix is a run of columns. One thread: that order is
// fixed, and with an integration set of a few elements a frame there is not much of it.
#include "map/frames/frames.h"

#include <math.h>
#include <string.h>

#include "map/inertia.h"
#include "map/scatter.h"
#include "math/dense.h"

static const double DEPENDS = 1e-10; // of a column's square: what is left of it beside those before

typedef struct FramesMap {
    ThawMap map;
    ThawMapOps ops;
    const ThawFrameTree *tree;
    int order, monomials;
    ThawBlend blend;
    ThawFrameHold hold;
    double *y;             // dim * nv
    double *centre, *size; // of frames, dim and 1 each
    int32_t *block;        // frames * monomials: of q, or -1
    int32_t *first;        // frames + 1: where a frame's blocks begin
    double *gram, *factor; // n * n: S'MS; and its Cholesky factor, in the order in which columns were chosen
    int32_t *pivot;        // n: which is the next in that order
    double *drag;          // n * n, of the damping masses; NULL: there is none
    int32_t *slot;         // n * frames: where a frame's first block lies in a row of the matrix, -1: nowhere
    double *spread;        // frames * monomials * dim: q with its gaps
    int32_t columns;       // that an element has, at most
    double *S, *T;         // of an element: columns * nodes; columns * nodes * dim * dim
    int32_t *column;       // columns: blocks of q
    int32_t *run;          // 2 * frames: those of an element, and where their columns begin
    unsigned char *marks;  // frames flags, 0
} FramesMap;

static inline FramesMap *self_of(const ThawMap *map) { return (FramesMap *)map; }

// Monomials of r: 1, r_i, r_i r_k.
THAW_INLINE void monomials(const double *r, int dim, int order, double *m) {
    int at = 0;
    m[at++] = 1;
    for (int i = 0; i < dim; i++)
        m[at++] = r[i];
    for (int i = 0; order == 2 && i < dim; i++)
        for (int k = i; k < dim; k++)
            m[at++] = r[i] * r[k];
}

static inline int monomial_count(int dim, int order) { return order == 2 ? (dim + 1) * (dim + 2) / 2 : dim + 1; }

// Those of a vertex in a frame, times its weight and D.
THAW_INLINE void fields_of(const FramesMap *self, int32_t vertex, int32_t at, int dim, int order, double *m) {
    const int32_t frame = self->blend.frame[at];
    const double *y = self->y + (size_t)vertex * (size_t)dim, *c = self->centre + (size_t)frame * (size_t)dim;
    const double scale = 1 / self->size[frame];
    double r[3], weight = self->blend.weight[at];
    if (self->hold.share)
        weight *= self->hold.share[vertex];
    for (int k = 0; k < dim; k++)
        r[k] = (y[k] - c[k]) * scale;
    monomials(r, dim, order, m);
    for (int k = 0; k < monomial_count(dim, order); k++)
        m[k] *= weight;
}

// --- products --------------------------------------------------------------------------------------------------------

THAW_INLINE void apply(const FramesMap *self, const double *w, double *v, int dim, int order) {
    const int count = monomial_count(dim, order);
    double m[THAW_MONOMIALS_MAX];
    for (int32_t i = 0; i < self->map.shape->nv; i++) {
        double sum[3] = {0};
        for (int32_t at = self->blend.offset[i]; at < self->blend.offset[i + 1]; at++) {
            const double *q = self->spread + (size_t)self->blend.frame[at] * (size_t)(count * dim);
            fields_of(self, i, at, dim, order, m);
            for (int c = 0; c < count; c++)
                for (int k = 0; k < dim; k++)
                    sum[k] += m[c] * q[c * dim + k];
        }
        for (size_t k = 0; k < (size_t)dim; k++)
            v[(size_t)i * (size_t)dim + k] = w ? sum[k] + w[(size_t)i * (size_t)dim + k] : sum[k];
    }
}

static void apply_frames(const ThawMap *map, const double *q, const double *w, double *v) {
    const FramesMap *self = self_of(map);
    const int dim = map->shape->dim;
    for (int32_t c = 0; c < self->blend.frames * self->monomials; c++)
        for (int k = 0; k < dim; k++)
            self->spread[c * dim + k] = self->block[c] < 0 ? 0 : q[self->block[c] * dim + k];
    if (dim == 3)
        self->order == 2 ? apply(self, w, v, 3, 2) : apply(self, w, v, 3, 1);
    else
        self->order == 2 ? apply(self, w, v, 2, 2) : apply(self, w, v, 2, 1);
}

THAW_INLINE void apply_t(const FramesMap *self, const double *f, int dim, int order) {
    const int count = monomial_count(dim, order);
    double m[THAW_MONOMIALS_MAX];
    memset(self->spread, 0, sizeof *self->spread * (size_t)(self->blend.frames * count * dim));
    for (int32_t i = 0; i < self->map.shape->nv; i++) {
        const double *fi = f + (size_t)i * (size_t)dim;
        for (int32_t at = self->blend.offset[i]; at < self->blend.offset[i + 1]; at++) {
            double *r = self->spread + (size_t)self->blend.frame[at] * (size_t)(count * dim);
            fields_of(self, i, at, dim, order, m);
            for (int c = 0; c < count; c++)
                for (int k = 0; k < dim; k++)
                    r[c * dim + k] += m[c] * fi[k];
        }
    }
}

static void apply_t_frames(const ThawMap *map, const double *f, double *r) {
    const FramesMap *self = self_of(map);
    const int dim = map->shape->dim;
    if (dim == 3)
        self->order == 2 ? apply_t(self, f, 3, 2) : apply_t(self, f, 3, 1);
    else
        self->order == 2 ? apply_t(self, f, 2, 2) : apply_t(self, f, 2, 1);
    for (int32_t c = 0; c < self->blend.frames * self->monomials; c++)
        for (int k = 0; k < dim && self->block[c] >= 0; k++)
            r[self->block[c] * dim + k] = self->spread[c * dim + k];
}

// One system for all axes, S'MS q = S'M(v - w), and a refinement of it.
static void project_frames(const ThawMap *map, const double *w, const double *v, double *q) {
    const FramesMap *self = self_of(map);
    const int32_t n = map->n, dim = map->shape->dim, size = map->shape->nv * dim;
    double *weighted = self->spread + (size_t)(self->blend.frames * self->monomials * dim); // size
    double *b = weighted + size, *solution = b + (size_t)n * (size_t)dim, *residual = solution + n;
    for (int32_t i = 0; i < size; i++)
        weighted[i] = map->shape->mass[i / dim] * (v[i] - (w ? w[i] : 0));
    apply_t_frames(map, weighted, b);
    for (int32_t k = 0; k < dim; k++) {
        for (int32_t i = 0; i < n; i++)
            solution[i] = b[self->pivot[i] * dim + k];
        thaw_dense_solve(n, self->factor, solution);
        for (int32_t i = 0; i < n; i++) {
            residual[i] = b[self->pivot[i] * dim + k];
            for (int32_t j = 0; j < n; j++)
                residual[i] -= self->gram[(size_t)self->pivot[i] * (size_t)n + (size_t)self->pivot[j]] * solution[j];
        }
        thaw_dense_solve(n, self->factor, residual);
        for (int32_t i = 0; i < n; i++)
            q[self->pivot[i] * dim + k] = solution[i] + residual[i];
    }
}

static void advance_frames(const ThawMap *map, double h, const double *x0, const double *q, const double *v,
                           double *x1) {
    (void)q;
    for (int32_t i = 0; i < map->shape->nv * map->shape->dim; i++)
        x1[i] = x0[i] + h * v[i];
}

static int rows_frames(const ThawMap *map, int32_t vertex, int32_t *block, double (*matrix)[9]) {
    const FramesMap *self = self_of(map);
    const int dim = map->shape->dim;
    double m[THAW_MONOMIALS_MAX];
    int count = 0;
    if (self->hold.share && self->hold.share[vertex] == 0)
        return 0;
    for (int32_t at = self->blend.offset[vertex]; at < self->blend.offset[vertex + 1]; at++) {
        fields_of(self, vertex, at, dim, self->order, m);
        for (int c = 0; c < self->monomials; c++) {
            const int32_t b = self->block[self->blend.frame[at] * self->monomials + c];
            if (b < 0)
                continue;
            block[count] = b;
            for (int i = 0; i < dim * dim; i++)
                matrix[count][i] = i % (dim + 1) == 0 ? m[c] : 0;
            count++;
        }
    }
    return count;
}

static void offset_frames(const ThawMap *map, const double *x, double h, double *w) {
    const ThawFrameHold *hold = &self_of(map)->hold;
    const size_t dim = (size_t)map->shape->dim;
    (void)x, (void)h;
    for (size_t i = 0; i < (size_t)map->shape->nv; i++) {
        if (hold->share[i] == 0)
            continue;
        for (size_t k = 0; k < dim; k++) {
            w[i * dim + k] = 0;
            for (size_t a = 3 * i; a < 3 * i + 3; a++)
                if (hold->lead[a] != 0)
                    w[i * dim + k] += hold->lead[a] * w[(size_t)hold->leader[a] * dim + k];
        }
    }
}

// --- the matrix ------------------------------------------------------------------------------------------------------

// Frames of an element's vertices, ascending; marks: frames flags, zero before and after.
static int32_t frames_of(const ThawBlend *blend, const int32_t *vertex, int nodes, unsigned char *marks,
                         int32_t *frames) {
    int32_t count = 0;
    for (int a = 0; a < nodes; a++)
        for (int32_t at = blend->offset[vertex[a]]; at < blend->offset[vertex[a] + 1]; at++) {
            const int32_t frame = blend->frame[at];
            if (marks[frame])
                continue;
            marks[frame] = 1;
            int32_t k = count++;
            for (; k > 0 && frames[k - 1] > frame; k--)
                frames[k] = frames[k - 1];
            frames[k] = frame;
        }
    for (int32_t k = 0; k < count; k++)
        marks[frames[k]] = 0;
    return count;
}

// Which frames meet in an element: flags, frames * frames. And the most columns of one.
static void find_meetings(FramesMap *self, unsigned char *meets, unsigned char *marks, int32_t *frames) {
    const ThawShape *shape = self->map.shape;
    const int32_t count = self->blend.frames;
    for (int32_t b = 0; b < shape->block_count; b++) {
        const ThawElementBlock *block = &shape->blocks[b];
        for (int32_t e = 0; e < block->count; e++) {
            const int32_t met = frames_of(&self->blend, block->elements + (size_t)e * (size_t)block->kind->nodes,
                                          block->kind->nodes, marks, frames);
            int32_t columns = 0;
            for (int32_t i = 0; i < met; i++) {
                columns += self->first[frames[i] + 1] - self->first[frames[i]];
                for (int32_t k = 0; k < met; k++)
                    meets[(size_t)frames[i] * (size_t)count + (size_t)frames[k]] = 1;
            }
            self->columns = columns > self->columns ? columns : self->columns;
        }
    }
}

static ThawStatus pattern_frames(const ThawMap *map, ThawBlockPattern **pattern, ThawError *error) {
    FramesMap *self = self_of(map);
    const int32_t frames = self->blend.frames, n = map->n;
    const size_t square = (size_t)frames * (size_t)frames;
    unsigned char *meets = THAW_NEW(unsigned char, square + (size_t)frames);
    int32_t *list = THAW_NEW(int32_t, frames), *offset = THAW_NEW(int32_t, n + 1), *neighbours = NULL;
    ThawStatus status = meets && list && offset ? THAW_OK : thaw_error_memory(error, "the pattern of frames");
    if (status == THAW_OK) {
        find_meetings(self, meets, meets + square, list);
        for (int32_t pass = 0; pass < 2 && status == THAW_OK; pass++) {
            int32_t at = 0;
            for (int32_t j = 0; j < frames; j++)
                for (int32_t a = self->first[j]; a < self->first[j + 1]; a++) {
                    for (int32_t k = 0; k < frames; k++)
                        for (int32_t b = self->first[k]; b < self->first[k + 1]; b++)
                            if (b != a && (j == k || meets[(size_t)j * (size_t)frames + (size_t)k])) {
                                if (pass == 1)
                                    neighbours[at] = b;
                                at++;
                            }
                    offset[a + 1] = at;
                }
            if (pass == 0 && !(neighbours = THAW_NEW(int32_t, at)))
                status = thaw_error_memory(error, "the pattern of frames");
        }
    }
    if (status == THAW_OK)
        status = thaw_block_pattern_create(n, map->shape->dim, offset, neighbours, pattern, error);
    thaw_free(meets);
    thaw_free(list);
    thaw_free(offset);
    thaw_free(neighbours);
    return status;
}

typedef struct Assembly {
    FramesMap *self;
    double *value;
} Assembly;

// S of an element: its columns, as runs of frames. How many runs; *columns.
static int32_t element_rows(FramesMap *self, const int32_t *vertex, int nodes, int32_t *columns) {
    const int dim = self->map.shape->dim;
    int32_t *frames = self->run, *begin = self->run + self->blend.frames;
    const int32_t runs = frames_of(&self->blend, vertex, nodes, self->marks, frames);
    double m[THAW_MONOMIALS_MAX];
    *columns = 0;
    for (int32_t k = 0; k < runs; k++) {
        begin[k] = *columns;
        for (int32_t b = self->first[frames[k]]; b < self->first[frames[k] + 1]; b++)
            self->column[(*columns)++] = b;
    }
    memset(self->S, 0, sizeof *self->S * (size_t)(*columns * nodes));
    for (int a = 0; a < nodes; a++)
        for (int32_t at = self->blend.offset[vertex[a]], k = 0; at < self->blend.offset[vertex[a] + 1]; at++) {
            while (frames[k] != self->blend.frame[at])
                k++;
            fields_of(self, vertex[a], at, dim, self->order, m);
            for (int32_t c = 0, to = begin[k]; c < self->monomials; c++)
                if (self->block[frames[k] * self->monomials + c] >= 0)
                    self->S[(size_t)to++ * (size_t)nodes + (size_t)a] = m[c];
        }
    return runs;
}

// Block (a, b) of nodes, entry (i, k), of one lane.
THAW_INLINE double entry_of(const ThawLanes *blocks, int lane, int a, int b, int i, int k, int dim) {
    return a >= b ? blocks[((a * (a + 1) / 2 + b) * dim + i) * dim + k][lane]
                  : blocks[((b * (b + 1) / 2 + a) * dim + k) * dim + i][lane];
}

// value += S'HS.
THAW_INLINE void add_element(Assembly *assembly, const int32_t *vertex, int nodes, const ThawLanes *blocks, int lane,
                             int dim) {
    FramesMap *self = assembly->self;
    const size_t entries = (size_t)(dim * dim);
    int32_t columns;
    const int32_t runs = element_rows(self, vertex, nodes, &columns);
    double H[THAW_ELEMENT_NODES_MAX * THAW_ELEMENT_NODES_MAX * 9]; // [node][node][entry]
    for (int a = 0; a < nodes; a++)
        for (int b = 0; b < nodes; b++)
            for (int i = 0; i < dim; i++)
                for (int k = 0; k < dim; k++)
                    H[(size_t)(a * nodes + b) * entries + (size_t)(i * dim + k)] =
                        entry_of(blocks, lane, a, b, i, k, dim);
    const size_t width = (size_t)nodes * entries;
    for (int32_t c = 0; c < columns; c++) {
        double *T = self->T + (size_t)c * width;
        const double *s = self->S + (size_t)c * (size_t)nodes;
        for (size_t k = 0; k < width; k++)
            T[k] = s[0] * H[k];
        for (size_t a = 1; a < (size_t)nodes; a++)
            for (size_t k = 0; k < width; k++)
                T[k] += s[a] * H[a * width + k];
    }
    const int32_t *frames = self->run, *begin = self->run + self->blend.frames;
    for (int32_t c = 0; c < columns; c++) {
        const double *T = self->T + (size_t)c * width;
        const int32_t row = self->column[c];
        for (int32_t k = 0; k < runs && begin[k] <= c; k++) {
            const int32_t end = k + 1 < runs ? begin[k + 1] : columns, last = end <= c ? end : c + 1;
            if (begin[k] == end)
                continue;
            double *to = assembly->value +
                         (size_t)self->slot[(size_t)row * (size_t)self->blend.frames + (size_t)frames[k]] * entries;
            for (int32_t d = begin[k]; d < last; d++, to += entries) {
                const double *s = self->S + (size_t)d * (size_t)nodes;
                if (dim == 3) {
                    ThawUnalignedLanes sum = *(ThawUnalignedLanes *)to;
                    double corner = to[8];
                    for (size_t a = 0; a < (size_t)nodes; a++) {
                        sum += *(const ThawUnalignedLanes *)(T + 9 * a) * s[a];
                        corner += T[9 * a + 8] * s[a];
                    }
                    *(ThawUnalignedLanes *)to = sum;
                    to[8] = corner;
                } else
                    for (size_t a = 0; a < (size_t)nodes; a++)
                        for (size_t i = 0; i < entries; i++)
                            to[i] += T[entries * a + i] * s[a];
            }
        }
    }
}

static void add_batch(void *context, int32_t batch, const ThawLanes *blocks) {
    Assembly *assembly = context;
    const ThawBatch *b = &assembly->self->map.set->batches[batch];
    int32_t vertex[THAW_ELEMENT_NODES_MAX];
    for (int lane = 0; lane < THAW_LANES; lane++) {
        if (b->element[lane] < 0)
            continue;
        for (int a = 0; a < b->kind->nodes; a++)
            vertex[a] = b->vertex[a][lane];
        if (assembly->self->map.shape->dim == 3 && b->kind->nodes == 4)
            add_element(assembly, vertex, 4, blocks, lane, 3);
        else if (assembly->self->map.shape->dim == 3)
            add_element(assembly, vertex, b->kind->nodes, blocks, lane, 3);
        else
            add_element(assembly, vertex, b->kind->nodes, blocks, lane, 2);
    }
}

static ThawStatus matrix_frames(const ThawMap *map, ThawTasks *tasks, ThawCombination A, const double *x,
                                ThawBlockMatrix *matrix, double *f, double *partial) {
    Assembly assembly = {self_of(map), matrix->value};
    (void)tasks; // blocks of frames are shared by elements far from each other: one after the other
    ThawStatus status = thaw_force_linearise(map->set, NULL, x, A.element, (ThawBlockSink){add_batch, &assembly},
                                             map->shape->nv, f, partial);
    A.inertia->ops->add(A.inertia, map, A.mass, A.mass_damping, matrix);
    return status;
}

// Into a full matrix n * n: S' diag(m) S. The columns of vertices stand in S, one vertex after the other.
static void find_gram(const FramesMap *self, const double *m, const int32_t *block, int32_t n, double *gram) {
    const int dim = self->map.shape->dim;
    double fields[THAW_MONOMIALS_MAX], *z = self->S;
    int32_t *at = self->column;
    memset(gram, 0, sizeof *gram * (size_t)n * (size_t)n);
    for (int32_t i = 0; i < self->map.shape->nv; i++) {
        int32_t count = 0;
        for (int32_t k = self->blend.offset[i]; k < self->blend.offset[i + 1]; k++) {
            fields_of(self, i, k, dim, self->order, fields);
            for (int c = 0; c < self->monomials; c++) {
                const int32_t b = block[self->blend.frame[k] * self->monomials + c];
                if (b < 0)
                    continue;
                at[count] = b;
                z[count++] = fields[c];
            }
        }
        for (int32_t a = 0; a < count; a++)
            for (int32_t b = 0; b < count; b++)
                gram[(size_t)at[a] * (size_t)n + (size_t)at[b]] += m[i] * z[a] * z[b];
    }
}

static void add_diagonal_frames(const ThawMap *map, const double *m, double scale, ThawBlockMatrix *A) {
    const FramesMap *self = self_of(map);
    const int dim = map->shape->dim;
    const double *gram = m == map->shape->mass ? self->gram : self->drag;
    for (int32_t i = 0; i < map->n; i++)
        for (int32_t k = A->pattern->row[i]; k < A->pattern->row[i + 1]; k++)
            for (int a = 0; a < dim; a++)
                A->value[(size_t)k * (size_t)(dim * dim) + (size_t)(a * dim + a)] +=
                    scale * gram[(size_t)i * (size_t)map->n + (size_t)A->pattern->col[k]];
}

// --- making one ------------------------------------------------------------------------------------------------------

static void free_frames(ThawMap *map) {
    FramesMap *self = self_of(map);
    thaw_blend_clear(&self->blend);
    thaw_frame_hold_clear(&self->hold);
    void *all[] = {self->y,      self->centre, self->size,  self->block,  self->first, self->gram,
                   self->factor, self->drag,   self->slot,  self->spread, self->S,     self->T,
                   self->column, self->run,    self->marks, self->pivot};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        thaw_free(all[i]);
    thaw_free(self);
}

// Frames are measured by the squares of their weights: fields are large where these are.
static void measure_frames(FramesMap *self) {
    const ThawShape *shape = self->map.shape;
    const size_t dim = (size_t)shape->dim;
    const ThawBlend *blend = &self->blend;
    double *sum = self->spread;
    memset(sum, 0, sizeof *sum * (size_t)blend->frames);
    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < shape->nv; i++)
            for (int32_t at = blend->offset[i]; at < blend->offset[i + 1]; at++) {
                const size_t frame = (size_t)blend->frame[at];
                const double share = shape->mass[i] * blend->weight[at] * blend->weight[at];
                double *c = self->centre + frame * dim, square = 0;
                for (size_t k = 0; k < dim; k++) {
                    const double y = self->y[(size_t)i * dim + k];
                    if (pass == 0)
                        c[k] += share * y;
                    else
                        square += (y - c[k] / sum[frame]) * (y - c[k] / sum[frame]);
                }
                if (pass == 0)
                    sum[frame] += share;
                else
                    self->size[frame] += share * square;
            }
    for (size_t j = 0; j < (size_t)blend->frames; j++) {
        for (size_t k = 0; k < dim && sum[j] > 0; k++)
            self->centre[j * dim + k] /= sum[j];
        self->size[j] = sum[j] > 0 && self->size[j] > 0 ? sqrt(self->size[j] / sum[j]) : shape->diameter;
    }
}

// Numbers the columns that do not depend on those before, low degrees first; the others get -1. gram: of all columns.
static ThawStatus choose_columns(FramesMap *self, ThawError *error) {
    const int32_t all = self->blend.frames * self->monomials;
    int32_t *order = THAW_NEW(int32_t, 2 * (size_t)all), *kept = order ? order + all : NULL, count = 0;
    double *gram = THAW_NEW(double, (size_t)all *(size_t)all), *L = THAW_NEW(double, (size_t)all *(size_t)all);
    if (!order || !gram || !L) {
        thaw_free(order);
        thaw_free(gram);
        thaw_free(L);
        return thaw_error_memory(error, "the columns of frames");
    }
    for (int32_t c = 0; c < all; c++)
        self->block[c] = c;
    find_gram(self, self->map.shape->mass, self->block, all, gram);
    for (int32_t c = 0, at = 0; c < self->monomials; c++)
        for (int32_t j = 0; j < self->blend.frames; j++)
            order[at++] = j * self->monomials + c;
    for (int32_t i = 0; i < all; i++) {
        const int32_t c = order[i];
        double *row = L + (size_t)count * (size_t)all, rest = gram[(size_t)c * (size_t)(all + 1)];
        for (int32_t j = 0; j < count; j++) {
            double sum = gram[(size_t)c * (size_t)all + (size_t)kept[j]];
            for (int32_t k = 0; k < j; k++)
                sum -= row[k] * L[(size_t)j * (size_t)all + (size_t)k];
            row[j] = sum / L[(size_t)j * (size_t)(all + 1)];
            rest -= row[j] * row[j];
        }
        self->block[c] = -1;
        if (!(rest > DEPENDS * gram[(size_t)c * (size_t)(all + 1)]))
            continue;
        row[count] = sqrt(rest);
        kept[count++] = c;
        self->block[c] = 0;
    }
    for (int32_t j = 0, n = 0; j < self->blend.frames; j++) {
        self->first[j] = n;
        for (int32_t c = j * self->monomials; c < (j + 1) * self->monomials; c++)
            self->block[c] = self->block[c] < 0 ? -1 : n++;
        self->first[j + 1] = n;
    }
    self->map.n = count;
    self->pivot = THAW_NEW(int32_t, count);
    self->factor = THAW_NEW(double, (size_t)count *(size_t)count);
    for (int32_t i = 0; i < count && self->pivot && self->factor; i++) {
        self->pivot[i] = self->block[kept[i]];
        memcpy(self->factor + (size_t)i * (size_t)count, L + (size_t)i * (size_t)all, sizeof *L * ((size_t)i + 1));
    }
    thaw_free(order);
    thaw_free(gram);
    thaw_free(L);
    return self->pivot && self->factor ? THAW_OK : thaw_error_memory(error, "the columns of frames");
}

static ThawStatus find_slots(FramesMap *self, ThawError *error) {
    const int32_t frames = self->blend.frames;
    ThawBlockPattern *pattern = NULL;
    ThawStatus status = self->map.n > 0 ? pattern_frames(&self->map, &pattern, error) : THAW_OK;
    if (status != THAW_OK)
        return status;
    self->slot = THAW_NEW(int32_t, (size_t)self->map.n * (size_t)frames);
    for (int32_t i = 0; i < self->map.n && self->slot; i++)
        for (int32_t j = 0; j < frames; j++)
            self->slot[(size_t)i * (size_t)frames + (size_t)j] =
                self->first[j] <= i && self->first[j] < self->first[j + 1] ? thaw_block_find(pattern, i, self->first[j])
                                                                           : -1;
    thaw_block_pattern_free(&pattern);
    return self->slot ? THAW_OK : thaw_error_memory(error, "the pattern of frames");
}

// Gram matrices.
static ThawStatus weigh(FramesMap *self, ThawError *error) {
    const ThawShape *shape = self->map.shape;
    const size_t n = (size_t)self->map.n;
    self->gram = THAW_NEW(double, n *n);
    self->drag = shape->has_drag ? THAW_NEW(double, n *n) : NULL;
    if (!self->gram || (shape->has_drag && !self->drag))
        return thaw_error_memory(error, "the masses of frames");
    find_gram(self, shape->mass, self->block, self->map.n, self->gram);
    if (self->drag)
        find_gram(self, shape->damping_mass, self->block, self->map.n, self->drag);
    return THAW_OK;
}

// What has a size known before columns are chosen.
static ThawStatus reserve(FramesMap *self, const ThawFrameMapDef *def, ThawError *error) {
    const ThawShape *shape = self->map.shape;
    const size_t frames = (size_t)self->blend.frames, all = frames * (size_t)self->monomials;
    const size_t dim = (size_t)shape->dim, size = dim * (size_t)shape->nv;
    self->y = THAW_NEW(double, size);
    self->centre = THAW_NEW(double, frames *dim);
    self->size = THAW_NEW(double, frames);
    self->block = THAW_NEW(int32_t, all);
    self->first = THAW_NEW(int32_t, frames + 1);
    self->spread = THAW_NEW(double, 2 * all * dim + size + 2 * all); // and what project works on
    self->S = THAW_NEW(double, all *THAW_ELEMENT_NODES_MAX);
    self->column = THAW_NEW(int32_t, all);
    self->run = THAW_NEW(int32_t, 2 * frames);
    self->marks = THAW_NEW(unsigned char, frames);
    if (!self->y || !self->centre || !self->size || !self->block || !self->first || !self->spread || !self->S ||
        !self->column || !self->run || !self->marks)
        return thaw_error_memory(error, "a body's frames");
    memcpy(self->y, def->y, sizeof *self->y * size);
    return THAW_OK;
}

enum { LAWS = THAW_MAP_KEEPS_MOMENTUM | THAW_MAP_ADVANCES_LINEARLY | THAW_MAP_TURNS };

static ThawStatus build(FramesMap *self, const ThawFrameMapDef *def, ThawError *error) {
    const ThawFrameTree *tree = def->tree;
    ThawStatus status = thaw_blend_create(tree, def->active, &self->blend, error);
    if (status == THAW_OK)
        status =
            thaw_frame_hold_create(tree->shape, def->scripted, tree->spacing[tree->levels - 1], &self->hold, error);
    if (status == THAW_OK)
        status = reserve(self, def, error);
    if (status != THAW_OK)
        return status;
    measure_frames(self);
    status = choose_columns(self, error);
    if (status == THAW_OK)
        status = weigh(self, error);
    if (status == THAW_OK)
        status = find_slots(self, error);
    const size_t width = (size_t)(tree->shape->dim * tree->shape->dim) * THAW_ELEMENT_NODES_MAX;
    if (status == THAW_OK && !(self->T = THAW_NEW(double, (size_t)self->columns *width)))
        status = thaw_error_memory(error, "a body's frames");
    self->map.row_blocks = self->blend.most * self->monomials;
    if (def->led && self->hold.share)
        self->ops.offset = offset_frames;
    return status;
}

ThawStatus thaw_map_frames_create(const ThawFrameMapDef *def, ThawMap **map, ThawError *error) {
    const ThawShape *shape = def->tree->shape;
    FramesMap *self = THAW_NEW(FramesMap, 1);
    *map = NULL;
    if (!self)
        return thaw_error_memory(error, "the map");
    self->ops = (ThawMapOps){.name = "frames",
                             .laws = LAWS,
                             .apply = apply_frames,
                             .apply_t = apply_t_frames,
                             .project = project_frames,
                             .advance = advance_frames,
                             .pattern = pattern_frames,
                             .add_diagonal = add_diagonal_frames,
                             .matrix = matrix_frames,
                             .rows = rows_frames,
                             .free = free_frames};
    self->map = (ThawMap){.ops = &self->ops, .shape = shape, .set = def->set};
    self->tree = def->tree;
    self->order = def->order;
    self->monomials = monomial_count(shape->dim, def->order);
    ThawStatus status = build(self, def, error);
    if (status != THAW_OK) {
        free_frames(&self->map);
        return status;
    }
    *map = &self->map;
    return THAW_OK;
}
