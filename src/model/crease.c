// SPDX-License-Identifier: Apache-2.0
// Plastic folds: hinges whose rest angles move once their moment is beyond what they bear.
//
// With the bending energy E(phi) of a sheet, quadratic in the angles phi_h = theta_h - theta0_h - p_h beyond what has
// been folded, p, the moment of a hinge is m_h = dE/dphi_h over all elements that know it. It bears |m_h| <= Y_h; after
// each step, at the places it has ended with, p goes to the least of
//     E(theta - theta0 - p) + sum_h Y_h |p_h - p_h(before)|,
// perfect plasticity with its own flow rule, by going from hinge to hinge (coordinate descent; both terms are convex,
// so it ends there): what each has folded in the step goes to its own least, S(dp_h + m_h/K_hh), S the shrinking of a
// number by Y_h/K_hh towards 0. The sum never grows, so E loses at least sum_h Y_h |dp_h|: energy is never gained, and
// what it loses is what has been dissipated.
//
// A plate whose moment by length is M across an edge of length l has m = l M there, on any mesh: Y = l D kappa_Y is
// that of a plate that yields at the curvature kappa_Y (a sheet bent to kappa springs back by kappa_Y). A yield angle
// is that of a hinge folded alone, Y = K_hh phi_Y.
//
// A hinge whose four vertices are in one rigid part neither turns nor flows; of every other one all elements are
// evaluated, so that its moment is known. Each body has a shape of its own here, whose rest angles are those at
// present.
//
// Cost of a step: an arc tangent and some 100 operations a hinge.
#include "model/crease.h"

#include <math.h>
#include <string.h>

#include "math/vec3.h"
#include "model/change.h"

enum { HINGES = THAW_PLATE_HINGES, MEASURES = THAW_PLATE_MEASURES, SWEEPS = 1000 };
static const double close_enough = 1e-6; // moments over what is borne

void thaw_creases_free(ThawCreases **pointer) {
    ThawCreases *c = *pointer;
    if (!c)
        return;
    thaw_free(c->vertex);
    thaw_free(c->slot);
    thaw_free(c->sense);
    thaw_free(c->rest);
    thaw_free(c->angle);
    thaw_free(c->yield);
    thaw_free(c->stiffness);
    thaw_free(c->begin);
    thaw_free(c->element);
    thaw_free(c->of);
    thaw_free(c->original);
    thaw_free(c->phi);
    thaw_free(c->measure);
    thaw_free(c->asked);
    thaw_free(c->present);
    thaw_free(c->start);
    thaw_free(c);
    *pointer = NULL;
}

// --- an element's own data -------------------------------------------------------------------------------------------

// A bending element by its number: B, 3 by the number of hinges, with the rest angles behind it.
static double *data_of(const ThawShape *shape, int32_t element, int *hinges) {
    const ThawElementBlock *block = &shape->blocks[1];
    int32_t k = element + shape->creases->first - block->first;
    if (k >= block->count) {
        k -= block->count;
        block++;
    }
    *hinges = block->kind->nodes == THAW_PLATE_ROLES ? HINGES : 3;
    return block->gradient + (size_t)block->kind->rest_size * (size_t)k;
}

// --- compiling -------------------------------------------------------------------------------------------------------

static int32_t corner_with(const int32_t *triangle, int32_t vertex) {
    return triangle[0] == vertex ? 0 : triangle[1] == vertex ? 1 : 2;
}

// Numbers hinges: by triangle and corner opposite, -1 at free edges.
static int32_t number_hinges(const ThawShape *shape, const int32_t *across, int32_t *id) {
    int32_t count = 0;
    for (int32_t i = 0; i < 3 * shape->ne; i++) {
        const int32_t e = i / 3, f = across[i];
        int j = 0;
        while (f >= 0 && f < e && across[3 * (size_t)f + (size_t)j] != e)
            j++;
        id[i] = f < 0 ? -1 : f < e ? id[3 * (size_t)f + (size_t)j] : count++;
    }
    return count;
}

// Where the state has a hinge, seen from corner i of triangle e, and with which sign.
static void find_slot(const ThawShape *shape, const int32_t *internal, int32_t e, int i, int32_t *slot,
                      signed char *sense) {
    const int32_t user = shape->element_user[e], *sorted = shape->cells->elements + 3 * (size_t)e;
    const int32_t *own = shape->elements_user + 3 * (size_t)user;
    int32_t k = 0;
    while (internal[own[k]] != sorted[i])
        k++;
    *slot = 3 * (shape->variant ? shape->variant->element[user] : user) + k;
    *sense = internal[own[(k + 1) % 3]] == sorted[(i + 1) % 3] ? 1 : -1;
}

// Vertices, slots and rest angles of hinge h, of which this is the first side.
static void make_hinge(const ThawShape *shape, const int32_t *internal, const int32_t *across, int32_t e, int i,
                       int32_t h) {
    ThawCreases *c = shape->creases;
    const int32_t f = across[3 * (size_t)e + (size_t)i], *v = shape->cells->elements + 3 * (size_t)e;
    const int32_t *w = shape->cells->elements + 3 * (size_t)f, p = v[(i + 1) % 3], q = v[(i + 2) % 3];
    int j = 0;
    while (w[j] == p || w[j] == q)
        j++;
    const int32_t vertex[4] = {p, q, v[i], w[j]};
    const double *X = shape->X;
    memcpy(c->vertex[h], vertex, sizeof vertex);
    find_slot(shape, internal, e, i, &c->slot[h][0], &c->sense[h][0]);
    find_slot(shape, internal, f, j, &c->slot[h][1], &c->sense[h][1]);
    if (w[(j + 1) % 3] != q) // from there the edge is seen the other way
        c->sense[h][1] = (signed char)-c->sense[h][1];
    c->rest[h] = thaw_plate_angle(X + 3 * (size_t)p, X + 3 * (size_t)q, X + 3 * (size_t)v[i], X + 3 * (size_t)w[j]);
}

// Which hinges a bending element of triangle e has.
static void find_hinges(const ThawShape *shape, const int32_t *across, const int32_t *id, int32_t e, int hinges,
                        int32_t *of) {
    const ThawPlateMesh plates = {shape->X, shape->cells->elements, across};
    int32_t patch[THAW_PLATE_ROLES];
    thaw_plate_patch(&plates, e, patch);
    for (int h = 0; h < HINGES; h++) {
        const int32_t t = h < 3 ? e : across[3 * (size_t)e + (size_t)((h - 3) / 2)];
        const int32_t p = patch[THAW_HINGE[h][0]], a = patch[THAW_HINGE[h][2]];
        of[h] = -1;
        if (h >= hinges || t < 0 || patch[THAW_HINGE[h][3]] < 0)
            continue;
        const int32_t hinge = id[3 * (size_t)t + (size_t)corner_with(shape->cells->elements + 3 * (size_t)t, a)];
        const int32_t *vertex = shape->creases->vertex[hinge];
        of[h] = 2 * hinge + (vertex[2] == a ? vertex[0] != p : vertex[1] != p);
    }
}

static ThawCreases *reserve(int32_t count, int32_t elements) {
    const size_t n = (size_t)count, m = (size_t)elements;
    ThawCreases *c = THAW_NEW(ThawCreases, 1);
    if (!c)
        return NULL;
    *c = (ThawCreases){.count = count,
                       .elements = elements,
                       .vertex = thaw_alloc(n, sizeof *c->vertex),
                       .slot = thaw_alloc(n, sizeof *c->slot),
                       .sense = thaw_alloc(n, sizeof *c->sense),
                       .rest = THAW_NEW(double, n),
                       .angle = THAW_NEW(double, n),
                       .yield = THAW_NEW(double, n),
                       .stiffness = THAW_NEW(double, n),
                       .begin = THAW_NEW(int32_t, n + 2),
                       .element = THAW_NEW(int32_t, HINGES * m),
                       .of = THAW_NEW(int32_t, HINGES * m),
                       .original = THAW_NEW(double, HINGES *m),
                       .phi = THAW_NEW(double, n),
                       .measure = THAW_NEW(double, MEASURES *m),
                       .asked = THAW_NEW(unsigned char, m),
                       .present = THAW_NEW(int32_t, n),
                       .start = THAW_NEW(double, n)};
    if (!c->vertex || !c->slot || !c->sense || !c->rest || !c->angle || !c->yield || !c->stiffness || !c->begin ||
        !c->element || !c->of || !c->original || !c->phi || !c->measure || !c->asked || !c->present || !c->start)
        thaw_creases_free(&c);
    return c;
}

// Elements of each hinge, and its stiffness.
static void list_elements(const ThawShape *shape) {
    ThawCreases *c = shape->creases;
    for (int32_t i = 0; i < HINGES * c->elements; i++)
        if (c->of[i] >= 0)
            c->begin[c->of[i] / 2 + 2]++;
    for (int32_t h = 0; h <= c->count; h++)
        c->begin[h + 1] += c->begin[h];
    for (int32_t i = 0; i < HINGES * c->elements; i++) {
        int hinges;
        const double *B = data_of(shape, i / HINGES, &hinges);
        if (c->of[i] < 0)
            continue;
        c->element[c->begin[c->of[i] / 2 + 1]++] = i;
        for (int m = 0; m < MEASURES; m++)
            c->stiffness[c->of[i] / 2] += B[m * hinges + i % HINGES] * B[m * hinges + i % HINGES];
    }
}

// Two triangles that share two edges have all corners in common: neither is beyond the other, and no angle is known.
static ThawStatus check_pairs(const ThawShape *shape, const int32_t *across, ThawError *error) {
    for (int32_t i = 0; i < 3 * shape->ne; i++)
        if (across[i] >= 0 && across[i] == across[i - i % 3 + (i + 1) % 3])
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "shape %s: triangles %d and %d share two edges; allowed in a sheet that yields: one",
                                  shape->name, (int)shape->element_user[i / 3], (int)shape->element_user[across[i]]);
    return THAW_OK;
}

ThawStatus thaw_creases_create(ThawShape *shape, const int32_t *across, const unsigned char *wide, const double *D,
                               ThawError *error) {
    if (check_pairs(shape, across, error) != THAW_OK)
        return THAW_ERROR_INPUT;
    int32_t *id = THAW_NEW(int32_t, 3 * (size_t)shape->ne), *internal = THAW_NEW(int32_t, shape->points);
    const int32_t count = id ? number_hinges(shape, across, id) : 0;
    ThawCreases *c = shape->creases = id && internal ? reserve(count, shape->ne) : NULL;
    for (int32_t v = 0; c && v < shape->nv; v++)
        internal[shape->vertex_user[v]] = v;
    for (int32_t i = 0; c && i < 3 * shape->ne; i++)
        if (across[i] > i / 3)
            make_hinge(shape, internal, across, i / 3, i % 3, id[i]);
    int32_t number = 0;
    if (c)
        c->first = shape->blocks[1].first;
    for (int block = 0; c && block < 2; block++)
        for (int32_t e = 0; e < shape->ne; e++) {
            if (wide[e] != block)
                continue;
            int hinges;
            const double *data = data_of(shape, number, &hinges);
            find_hinges(shape, across, id, e, hinges, c->of + HINGES * (size_t)number);
            memcpy(c->original + HINGES * (size_t)number, data + MEASURES * hinges, sizeof(double) * (size_t)hinges);
            number++;
        }
    if (c)
        list_elements(shape);
    for (int32_t i = 0; c && i < 3 * shape->ne; i++) {
        const int32_t h = id[i];
        double e[3];
        if (across[i] <= i / 3)
            continue;
        thaw_v3_sub(shape->X + 3 * (size_t)c->vertex[h][1], shape->X + 3 * (size_t)c->vertex[h][0], e);
        const double plate = thaw_v3_norm(e) * (D[i / 3] + D[across[i]]) / 2 * shape->yield_curvature;
        const double alone = c->stiffness[h] * shape->yield_angle;
        c->yield[h] = !(shape->yield_angle > 0) ? plate : !(shape->yield_curvature > 0) ? alone : fmin(plate, alone);
    }
    thaw_free(id);
    thaw_free(internal);
    return c ? THAW_OK : thaw_error_memory(error, "the creases of a sheet");
}

// --- the present rest angles -----------------------------------------------------------------------------------------

// Of an element, into its block.
static void write_rest(const ThawShape *shape, int32_t element) {
    const ThawCreases *c = shape->creases;
    int hinges;
    double *rest = data_of(shape, element, &hinges);
    rest += MEASURES * hinges;
    for (int h = 0; h < hinges; h++) {
        const size_t at = HINGES * (size_t)element + (size_t)h;
        if (c->of[at] >= 0)
            rest[h] = c->original[at] + (c->of[at] & 1 ? -1 : 1) * c->angle[c->of[at] / 2];
    }
}

static int is_bending(const ThawShape *shape, const ThawBatch *batch) {
    const int32_t k = batch->element[0] - shape->creases->first;
    return k >= 0 && k < shape->creases->elements;
}

void thaw_creases_refresh(const ThawShape *shape, const ThawIntegrationSet *set) {
    for (int32_t b = 0; b < set->batch_count; b++) {
        const ThawBatch *batch = &set->batches[b];
        if (!is_bending(shape, batch))
            continue;
        for (int l = 0; l < THAW_LANES; l++) {
            int hinges;
            const int32_t k = batch->element[batch->element[l] < 0 ? 0 : l] - shape->creases->first;
            const double *rest = data_of(shape, k, &hinges);
            for (int h = MEASURES * hinges; h < (MEASURES + 1) * hinges; h++)
                set->rest[batch->rest + h][l] = rest[h];
        }
    }
}

void thaw_creases_apply(const ThawShape *shape, const double *state) {
    ThawCreases *c = shape->creases;
    for (int32_t h = 0; h < c->count; h++)
        c->angle[h] = c->sense[h][0] * state[c->slot[h][0]];
    for (int32_t k = 0; k < c->elements; k++)
        write_rest(shape, k);
    thaw_creases_refresh(shape, shape->all);
}

// --- flow ------------------------------------------------------------------------------------------------------------

// Elements of the set, the angles of their hinges beyond rest, and their measures.
static void ask(const ThawShape *shape, const ThawIntegrationSet *set, const double *x) {
    ThawCreases *c = shape->creases;
    memset(c->asked, 0, (size_t)c->elements);
    memset(c->present, 0, sizeof *c->present * (size_t)c->count);
    for (int32_t b = 0; b < set->batch_count; b++)
        for (int l = 0; l < THAW_LANES && is_bending(shape, &set->batches[b]); l++)
            if (set->batches[b].element[l] >= 0)
                c->asked[set->batches[b].element[l] - c->first] = 1;
    for (int32_t i = 0; i < HINGES * c->elements; i++)
        if (c->asked[i / HINGES] && c->of[i] >= 0)
            c->present[c->of[i] / 2]++;
    for (int32_t h = 0; h < c->count; h++) {
        const double *at[4];
        if (c->present[h] == 0)
            continue;
        for (int k = 0; k < 4; k++)
            at[k] = x + 3 * (size_t)c->vertex[h][k];
        c->phi[h] = remainder(thaw_plate_angle(at[0], at[1], at[2], at[3]) - c->rest[h] - c->angle[h], 2 * M_PI);
    }
    for (int32_t k = 0; k < c->elements; k++) {
        int hinges;
        const double *B = data_of(shape, k, &hinges);
        for (int m = 0; m < MEASURES && c->asked[k]; m++) {
            double sum = 0;
            for (int h = 0; h < hinges; h++) {
                const int32_t of = c->of[HINGES * (size_t)k + (size_t)h];
                sum += of < 0 ? 0 : B[m * hinges + h] * (of & 1 ? -1 : 1) * c->phi[of / 2];
            }
            c->measure[MEASURES * (size_t)k + (size_t)m] = sum;
        }
    }
}

static double moment_of(const ThawShape *shape, int32_t h) {
    const ThawCreases *c = shape->creases;
    double sum = 0;
    for (int32_t i = c->begin[h]; i < c->begin[h + 1]; i++) {
        const int32_t k = c->element[i] / HINGES, place = c->element[i] % HINGES;
        int hinges;
        const double *B = data_of(shape, k, &hinges), *measure = c->measure + MEASURES * (size_t)k;
        double own = 0;
        for (int m = 0; m < MEASURES; m++)
            own += B[m * hinges + place] * measure[m];
        sum += c->of[c->element[i]] & 1 ? -own : own;
    }
    return sum;
}

static void fold(const ThawShape *shape, int32_t h, double turn) {
    ThawCreases *c = shape->creases;
    c->angle[h] += turn;
    for (int32_t i = c->begin[h]; i < c->begin[h + 1]; i++) {
        const int32_t k = c->element[i] / HINGES, place = c->element[i] % HINGES;
        int hinges;
        const double *B = data_of(shape, k, &hinges);
        for (int m = 0; m < MEASURES; m++)
            c->measure[MEASURES * (size_t)k + (size_t)m] -=
                (c->of[c->element[i]] & 1 ? -turn : turn) * B[m * hinges + place];
    }
}

static double energy_of(const ThawCreases *c) {
    double sum = 0;
    for (int32_t k = 0; k < c->elements; k++)
        for (int m = 0; m < MEASURES && c->asked[k]; m++)
            sum += 0.5 * c->measure[MEASURES * (size_t)k + (size_t)m] * c->measure[MEASURES * (size_t)k + (size_t)m];
    return sum;
}

int thaw_creases_flow(const ThawShape *shape, const ThawIntegrationSet *set, const double *x, double *state,
                      double *lost) {
    ThawCreases *c = shape->creases;
    ask(shape, set, x);
    const double before = energy_of(c);
    int flowed = 0;
    *lost = 0;
    memcpy(c->start, c->angle, sizeof *c->start * (size_t)c->count);
    for (int sweep = 0, more = 1; more && sweep < SWEEPS; sweep++) {
        more = 0;
        for (int32_t h = 0; h < c->count; h++) {
            if (c->present[h] < c->begin[h + 1] - c->begin[h] || !(c->stiffness[h] > 0))
                continue;
            const double least = c->yield[h] / c->stiffness[h], so_far = c->angle[h] - c->start[h];
            const double all = so_far + moment_of(shape, h) / c->stiffness[h];
            const double turn = copysign(fmax(0, fabs(all) - least), all) - so_far;
            if (!(fabs(turn) > close_enough * least))
                continue;
            fold(shape, h, turn);
            more = flowed = 1;
        }
    }
    if (!flowed)
        return 0;
    for (int32_t h = 0; h < c->count; h++)
        for (int side = 0; side < 2; side++)
            state[c->slot[h][side]] = c->sense[h][side] * c->angle[h];
    for (int32_t k = 0; k < c->elements; k++)
        if (c->asked[k])
            write_rest(shape, k);
    *lost = before - energy_of(c);
    return 1;
}
