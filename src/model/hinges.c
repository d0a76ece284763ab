// SPDX-License-Identifier: Apache-2.0
// The hinges of a sheet as each body has them: by how much each has been folded for good (crease.c), and on which
// branch of its angle it is.
//
// An angle between two triangles is known up to whole turns. What it is beyond rest is followed (bending goes on where
// cloth folds through itself by half a turn, and by more): with theta the angle that positions give, p the fold and a
// centre c, a number of quarter turns,
//     phi = c + (theta - (theta0 + p + c) in (-pi, pi]),
// so that phi jumps half a turn away from c. Elements have theta0 + p + c, brought to (-pi, pi], and c beside each
// other. At the end of a step c goes to the quarter turn that is nearest to a phi more than 0.4 pi away from it:
// neither energy nor force changes by that, and within the next step a hinge may turn by 0.6 pi before it is lost.
//
// The state has both numbers by the mesh's own triangles, so that cuts keep them; here they are by hinge. Each body has
// a shape of its own, whose rest angles are those at present.
//
// Cost of a step: some 100 operations a hinge, of eight hinges at once, and no arc tangent but where a centre moves.
#include "model/hinges.h"

#include <math.h>
#include <string.h>

#include "math/lanes.h"
#include "math/mat3.h"
#include "model/change.h"

enum { HINGES = THAW_PLATE_HINGES, MEASURES = THAW_PLATE_MEASURES };
static const double QUARTER = M_PI / 2;

void thaw_hinges_free(ThawHinges **pointer) {
    ThawHinges *t = *pointer;
    if (!t)
        return;
    thaw_free(t->vertex);
    thaw_free(t->slot);
    thaw_free(t->sense);
    thaw_free(t->rest);
    thaw_free(t->angle);
    thaw_free(t->turns);
    thaw_free(t->middle);
    thaw_free(t->of);
    thaw_free(t->original);
    thaw_free(t);
    *pointer = NULL;
}

// --- an element's own data -------------------------------------------------------------------------------------------

double *thaw_hinges_data(const ThawShape *shape, int32_t element, int *hinges) {
    const ThawElementBlock *block = &shape->blocks[1];
    int32_t k = element + shape->hinges->first - block->first;
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
    ThawHinges *t = shape->hinges;
    const int32_t f = across[3 * (size_t)e + (size_t)i], *v = shape->cells->elements + 3 * (size_t)e;
    const int32_t *w = shape->cells->elements + 3 * (size_t)f, p = v[(i + 1) % 3], q = v[(i + 2) % 3];
    int j = 0;
    while (w[j] == p || w[j] == q)
        j++;
    const int32_t vertex[4] = {p, q, v[i], w[j]};
    const double *X = shape->X;
    memcpy(t->vertex[h], vertex, sizeof vertex);
    find_slot(shape, internal, e, i, &t->slot[h][0], &t->sense[h][0]);
    find_slot(shape, internal, f, j, &t->slot[h][1], &t->sense[h][1]);
    if (w[(j + 1) % 3] != q) // from there the edge is seen the other way
        t->sense[h][1] = (signed char)-t->sense[h][1];
    t->rest[h] = thaw_plate_angle(X + 3 * (size_t)p, X + 3 * (size_t)q, X + 3 * (size_t)v[i], X + 3 * (size_t)w[j]);
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
        const int32_t *vertex = shape->hinges->vertex[hinge];
        of[h] = 2 * hinge + (vertex[2] == a ? vertex[0] != p : vertex[1] != p);
    }
}

void thaw_hinges_set(ThawHinges *t, int32_t h, double angle, int32_t turns) {
    const double theta = t->rest[h] + angle + QUARTER * turns;
    t->angle[h] = angle;
    t->turns[h] = turns;
    t->middle[h][0] = cos(theta);
    t->middle[h][1] = sin(theta);
}

static ThawHinges *reserve(int32_t count, int32_t elements) {
    const size_t n = (size_t)count, m = (size_t)elements;
    ThawHinges *t = THAW_NEW(ThawHinges, 1);
    if (!t)
        return NULL;
    *t = (ThawHinges){.count = count,
                      .elements = elements,
                      .vertex = thaw_alloc(n, sizeof *t->vertex),
                      .slot = thaw_alloc(n, sizeof *t->slot),
                      .sense = thaw_alloc(n, sizeof *t->sense),
                      .rest = THAW_NEW(double, n),
                      .angle = THAW_NEW(double, n),
                      .turns = THAW_NEW(int32_t, n),
                      .middle = thaw_alloc(n, sizeof *t->middle),
                      .of = THAW_NEW(int32_t, HINGES * m),
                      .original = THAW_NEW(double, HINGES *m)};
    if (!t->vertex || !t->slot || !t->sense || !t->rest || !t->angle || !t->turns || !t->middle || !t->of ||
        !t->original)
        thaw_hinges_free(&t);
    return t;
}

// Two triangles that share two edges have all corners in common: neither is beyond the other, and no angle is known.
static int find_pair(const ThawShape *shape, const int32_t *across, int32_t pair[2]) {
    for (int32_t i = 0; i < 3 * shape->ne; i++)
        if (across[i] >= 0 && across[i] == across[i - i % 3 + (i + 1) % 3]) {
            pair[0] = shape->element_user[i / 3];
            pair[1] = shape->element_user[across[i]];
            return 1;
        }
    return 0;
}

ThawStatus thaw_hinges_create(ThawShape *shape, const int32_t *across, const unsigned char *wide, ThawError *error) {
    int32_t pair[2];
    const int yields = shape->yield_curvature > 0 || shape->yield_angle > 0;
    if (find_pair(shape, across, pair))
        return !yields ? THAW_OK
                       : thaw_error_set(error, THAW_ERROR_INPUT,
                                        "shape %s: triangles %d and %d share two edges; allowed in a sheet that "
                                        "yields: one",
                                        shape->name, (int)pair[0], (int)pair[1]);
    int32_t *id = THAW_NEW(int32_t, 3 * (size_t)shape->ne), *internal = THAW_NEW(int32_t, shape->points);
    const int32_t count = id ? number_hinges(shape, across, id) : 0;
    ThawHinges *t = shape->hinges = id && internal ? reserve(count, shape->ne) : NULL;
    for (int32_t v = 0; t && v < shape->nv; v++)
        internal[shape->vertex_user[v]] = v;
    for (int32_t i = 0; t && i < 3 * shape->ne; i++)
        if (across[i] > i / 3)
            make_hinge(shape, internal, across, i / 3, i % 3, id[i]);
    int32_t number = 0;
    if (t)
        t->first = shape->blocks[1].first;
    for (int block = 0; t && block < 2; block++)
        for (int32_t e = 0; e < shape->ne; e++) {
            if (wide[e] != block)
                continue;
            int hinges;
            const double *data = thaw_hinges_data(shape, number, &hinges);
            find_hinges(shape, across, id, e, hinges, t->of + HINGES * (size_t)number);
            memcpy(t->original + HINGES * (size_t)number, data + MEASURES * hinges, sizeof(double) * (size_t)hinges);
            number++;
        }
    for (int32_t h = 0; t && h < t->count; h++)
        thaw_hinges_set(t, h, 0, 0);
    thaw_free(id);
    thaw_free(internal);
    return t ? THAW_OK : thaw_error_memory(error, "the hinges of a sheet");
}

// --- the present rest angles -----------------------------------------------------------------------------------------

void thaw_hinges_write(const ThawShape *shape, int32_t element) {
    const ThawHinges *t = shape->hinges;
    int hinges;
    double *rest = thaw_hinges_data(shape, element, &hinges);
    rest += MEASURES * hinges;
    for (int h = 0; h < hinges; h++) {
        const size_t at = HINGES * (size_t)element + (size_t)h;
        if (t->of[at] < 0)
            continue;
        const double sense = t->of[at] & 1 ? -1 : 1, centre = sense * QUARTER * t->turns[t->of[at] / 2];
        rest[h] = remainder(t->original[at] + sense * t->angle[t->of[at] / 2] + centre, 2 * M_PI);
        rest[hinges + h] = centre;
    }
}

int thaw_hinges_is_bending(const ThawShape *shape, const ThawBatch *batch) {
    const int32_t k = batch->element[0] - shape->hinges->first;
    return k >= 0 && k < shape->hinges->elements;
}

void thaw_hinges_refresh(const ThawShape *shape, const ThawIntegrationSet *set) {
    for (int32_t b = 0; b < set->batch_count; b++) {
        const ThawBatch *batch = &set->batches[b];
        if (!thaw_hinges_is_bending(shape, batch))
            continue;
        for (int l = 0; l < THAW_LANES; l++) {
            int hinges;
            const int32_t k = batch->element[batch->element[l] < 0 ? 0 : l] - shape->hinges->first;
            const double *rest = thaw_hinges_data(shape, k, &hinges);
            for (int h = MEASURES * hinges; h < (MEASURES + 2) * hinges; h++)
                set->rest[batch->rest + h][l] = rest[h];
        }
    }
}

void thaw_hinges_apply(const ThawShape *shape, const double *folds, const int32_t *turns) {
    ThawHinges *t = shape->hinges;
    for (int32_t h = 0; h < t->count; h++) {
        const int32_t slot = t->slot[h][0], sense = t->sense[h][0];
        thaw_hinges_set(t, h, folds ? sense * folds[slot] : 0, sense * turns[slot]);
    }
    for (int32_t k = 0; k < t->elements; k++)
        thaw_hinges_write(shape, k);
    thaw_hinges_refresh(shape, shape->all);
}

double thaw_hinges_angle(const ThawHinges *t, int32_t h, const double *x) {
    const int32_t *v = t->vertex[h];
    const double theta =
        thaw_plate_angle(x + 3 * (size_t)v[0], x + 3 * (size_t)v[1], x + 3 * (size_t)v[2], x + 3 * (size_t)v[3]);
    const double centre = QUARTER * t->turns[h];
    return centre + remainder(theta - t->rest[h] - t->angle[h] - centre, 2 * M_PI);
}

// --- following -------------------------------------------------------------------------------------------------------

// Which of eight hinges, from the first on, have left the middle 0.8 pi of their branch: with A and B the cosine and
// sine of phi - c times what is above 0, A < cot(0.4 pi) |B|.
static ThawLaneMask leave_middle(const ThawHinges *t, int32_t first, const double *x) {
    static const double cot = 0.32491969623290632616;
    ThawLanes e[3], a[3], b[3], n1[3], n2[3], cross[3], cosine, sine;
    for (int l = 0; l < THAW_LANES; l++) {
        const int32_t h = first + l < t->count ? first + l : first;
        const double *at[4];
        for (int k = 0; k < 4; k++)
            at[k] = x + 3 * (size_t)t->vertex[h][k];
        for (int i = 0; i < 3; i++) {
            e[i][l] = at[1][i] - at[0][i];
            a[i][l] = at[2][i] - at[0][i];
            b[i][l] = at[3][i] - at[0][i];
        }
        cosine[l] = t->middle[h][0];
        sine[l] = t->middle[h][1];
    }
    thaw_lanes_cross3(e, a, n1);
    thaw_lanes_cross3(b, e, n2);
    thaw_lanes_cross3(n1, n2, cross);
    const ThawLanes dot = thaw_lanes_dot3(n1, n2);
    const ThawLanes turn = thaw_lanes_dot3(cross, e) / thaw_lanes_sqrt(thaw_lanes_dot3(e, e));
    return (ThawLaneMask)(dot * cosine + turn * sine < cot * thaw_lanes_abs(turn * cosine - dot * sine));
}

int thaw_hinges_follow(const ThawShape *shape, const double *x, int32_t *state) {
    ThawHinges *t = shape->hinges;
    int moved = 0;
    for (int32_t first = 0; first < t->count; first += THAW_LANES) {
        const ThawLaneMask left = leave_middle(t, first, x);
        if (!thaw_lanes_any(left))
            continue;
        for (int32_t h = first; h < t->count && h < first + THAW_LANES; h++) {
            const double quarters = left[h - first] ? rint(thaw_hinges_angle(t, h, x) / QUARTER) : t->turns[h];
            if (quarters == t->turns[h] || !(fabs(quarters) <= THAW_TURNS_MOST))
                continue;
            thaw_hinges_set(t, h, t->angle[h], (int32_t)quarters);
            for (int side = 0; side < 2; side++)
                state[t->slot[h][side]] = t->sense[h][side] * t->turns[h];
            moved = 1;
        }
    }
    for (int32_t k = 0; moved && k < t->elements; k++)
        thaw_hinges_write(shape, k);
    return moved;
}
