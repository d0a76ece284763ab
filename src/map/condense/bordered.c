// SPDX-License-Identifier: Apache-2.0
// The identity map with a border. Mass on functionals Y = Phi'M v joins all vertices of a region to each other, which
// no sparse matrix wants to hold: A = E + c M Phi T Phi'M. With a multiplier for each functional, y = c T Phi'M v, it
// is the sparse
//     [ E        M Phi    ] [v]   [b]
//     [ Phi'M   -(1/c) W  ] [y] = [0],   W = T^-1,
// whose factor has the inverse of A in its upper corner: steps and contacts see A. Border rows are eliminated last;
// they cost a step a quarter to a third (docs/condensation.md#cost).
//
// No pivoting is needed. A is positive wherever a step is any good, but E need not be: a body that stands on the floor
// under its own weight would like to turn over, and only its inertia, which is in the border, resists that. So a few
// vertices that are spread over the body, the anchors, are eliminated behind the border. E without them is the
// stiffness of a body held there, which is positive; the border's pivots are then negative, and the anchors' those of
// A.
//
// As a map it is the identity: columns of G that belong to the border are zero.
#include <string.h>

#include "base/assert.h"
#include "map/condense/condense_impl.h"

typedef struct BorderedMap {
    ThawMap map;
    ThawMap *inner; // the identity; places of its blocks are the same in our pattern
    const ThawCondensed *condensed;
    int32_t *vertex_of; // inner->n
    int32_t anchor[THAW_REGIONS_MAX];
} BorderedMap;

static const ThawMapOps BORDERED;

static const BorderedMap *self_of(const ThawMap *map) {
    THAW_ASSERT(map->ops == &BORDERED, "condensed inertia goes with its own map");
    return (const BorderedMap *)map;
}

static void clear_border(const ThawMap *map, double *r) {
    const size_t dim = (size_t)map->shape->dim;
    memset(r + (size_t)(map->n - map->border.count) * dim, 0, sizeof *r * (size_t)map->border.count * dim);
}

static void apply_bordered(const ThawMap *map, const double *q, const double *w, double *v) {
    const ThawMap *inner = self_of(map)->inner;
    inner->ops->apply(inner, q, w, v);
}

static void apply_t_bordered(const ThawMap *map, const double *f, double *r) {
    const ThawMap *inner = self_of(map)->inner;
    inner->ops->apply_t(inner, f, r);
    clear_border(map, r);
}

static void project_bordered(const ThawMap *map, const double *w, const double *v, double *q) {
    const ThawMap *inner = self_of(map)->inner;
    inner->ops->project(inner, w, v, q);
    clear_border(map, q);
}

static void advance_bordered(const ThawMap *map, double h, const double *x0, const double *q, const double *v,
                             double *x1) {
    const ThawMap *inner = self_of(map)->inner;
    inner->ops->advance(inner, h, x0, q, v, x1);
}

static int rows_bordered(const ThawMap *map, int32_t vertex, int32_t *block, double (*matrix)[9]) {
    const ThawMap *inner = self_of(map)->inner;
    return inner->ops->rows(inner, vertex, block, matrix);
}

static void add_diagonal_bordered(const ThawMap *map, const double *m, double scale, ThawBlockMatrix *A) {
    const ThawMap *inner = self_of(map)->inner;
    inner->ops->add_diagonal(inner, m, scale, A);
}

// Whether a functional has something of a vertex.
static int meets(const ThawCondensed *c, int32_t functional, int32_t vertex) {
    return functional >= c->regions || c->region_of[vertex] == functional;
}

// The pattern of the inner map, with full rows of the border behind.
static ThawStatus pattern_bordered(const ThawMap *map, ThawBlockPattern **result, ThawError *error) {
    const BorderedMap *self = self_of(map);
    ThawBlockPattern *pattern = NULL;
    ThawStatus status = self->inner->ops->pattern(self->inner, &pattern, error);
    if (status != THAW_OK)
        return status;
    const int32_t free = self->inner->n, old = pattern->row[free];
    int64_t count = old;
    for (int32_t b = 0; b < map->border.count; b++) {
        for (int32_t i = 0; i < free; i++)
            count += meets(self->condensed, b, self->vertex_of[i]);
        count += b + 1;
    }
    int32_t *row = count < INT32_MAX / 9 ? THAW_NEW(int32_t, map->n + 1) : NULL;
    int32_t *col = row ? thaw_regrow(pattern->col, (size_t)old, (size_t)count, sizeof *col) : NULL;
    if (!row || !col) {
        thaw_free(row);
        thaw_block_pattern_free(&pattern);
        return thaw_error_memory(error, "the matrix pattern");
    }
    memcpy(row, pattern->row, sizeof *row * ((size_t)free + 1));
    thaw_free(pattern->row);
    pattern->row = row;
    pattern->col = col;
    pattern->n = map->n;
    for (int32_t b = 0; b < map->border.count; b++) {
        int32_t end = row[free + b];
        for (int32_t i = 0; i < free; i++)
            if (meets(self->condensed, b, self->vertex_of[i]))
                col[end++] = i;
        for (int32_t a = 0; a <= b; a++)
            col[end++] = free + a;
        row[free + b + 1] = end;
    }
    *result = pattern;
    return THAW_OK;
}

void thaw_map_bordered_fill(const ThawMap *map, const ThawCondensed *c, double mass, ThawBlockMatrix *A) {
    const BorderedMap *self = self_of(map);
    const int dim = map->shape->dim;
    const int32_t free = self->inner->n;
    for (int32_t b = 0; b < map->border.count; b++)
        for (int32_t e = A->pattern->row[free + b]; e < A->pattern->row[free + b + 1]; e++) {
            const int32_t col = A->pattern->col[e];
            double *block = A->value + (size_t)e * (size_t)(dim * dim), value = 0;
            const int idles = c->idle && (c->idle[b] || (col >= free && c->idle[col - free]));
            if (mass == 0 || idles)
                value = col == free + b ? -map->shape->total_mass : 0;
            else if (col < free)
                value = map->shape->mass[self->vertex_of[col]] * thaw_condensed_phi(c, b, self->vertex_of[col]);
            else
                value = -c->W[(size_t)b * (size_t)c->functionals + (size_t)(col - free)] / mass;
            for (int k = 0; k < dim * dim; k++)
                block[k] = k % (dim + 1) == 0 ? value : 0;
        }
}

static ThawStatus matrix_bordered(const ThawMap *map, ThawTasks *tasks, ThawCombination A, const double *x,
                                  ThawBlockMatrix *matrix, double *f, double *partial) {
    const BorderedMap *self = self_of(map);
    ThawAssembly assembly = {self->inner, matrix->value};
    ThawStatus status =
        thaw_force_linearise(map->set, tasks, x, A.element, (ThawBlockSink){self->inner->ops->add_blocks, &assembly},
                             map->shape->nv, f, partial);
    thaw_map_bordered_fill(map, self->condensed, 0, matrix);
    A.inertia->ops->add(A.inertia, map, A.mass, A.mass_damping, matrix);
    return status;
}

static void free_bordered(ThawMap *map) {
    BorderedMap *self = (BorderedMap *)map;
    thaw_map_free(&self->inner);
    thaw_free(self->vertex_of);
    thaw_free(self);
}

enum { LAWS = THAW_MAP_KEEPS_MOMENTUM | THAW_MAP_ADVANCES_LINEARLY | THAW_MAP_TURNS };

static const ThawMapOps BORDERED = {.name = "condensed",
                                    .laws = LAWS,
                                    .apply = apply_bordered,
                                    .apply_t = apply_t_bordered,
                                    .project = project_bordered,
                                    .advance = advance_bordered,
                                    .pattern = pattern_bordered,
                                    .add_diagonal = add_diagonal_bordered,
                                    .free = free_bordered,
                                    .rows = rows_bordered,
                                    .matrix = matrix_bordered};

ThawStatus thaw_map_bordered_create(const ThawCondensed *condensed, const unsigned char *scripted, ThawMap **map,
                                    ThawError *error) {
    const ThawShape *shape = condensed->inertia.shape;
    BorderedMap *self = THAW_NEW(BorderedMap, 1);
    *map = NULL;
    if (!self)
        return thaw_error_memory(error, "the map");
    self->map = (ThawMap){.ops = &BORDERED, .shape = shape, .set = shape->all, .row_blocks = 1};
    self->condensed = condensed;
    ThawStatus status = thaw_map_identity_create(shape, scripted, &self->inner, error);
    self->vertex_of = THAW_NEW(int32_t, shape->nv);
    if (status == THAW_OK && !self->vertex_of)
        status = thaw_error_memory(error, "the map");
    if (status != THAW_OK) {
        free_bordered(&self->map);
        return status;
    }
    const int32_t count = self->inner->n > 0 ? condensed->functionals : 0;
    int32_t anchors = 0;
    for (int32_t i = 0, n = 0; i < shape->nv; i++) {
        if (scripted[i])
            continue;
        for (int32_t k = 0; k < condensed->anchors; k++)
            if (condensed->anchor[k] == i)
                self->anchor[anchors++] = n;
        self->vertex_of[n++] = i;
    }
    self->map.border = (ThawBorder){count, count > 0 ? anchors : 0, self->anchor};
    self->map.n = self->inner->n + count;
    *map = &self->map;
    return THAW_OK;
}
