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
// evaluated, so that its moment is known. Rest angles at present are those of the body's hinges (model/hinges.c).
//
// Cost of a step: an arc tangent and some 100 operations a hinge.
#include "model/crease.h"

#include <math.h>
#include <string.h>

#include "math/vec3.h"

enum { HINGES = THAW_PLATE_HINGES, MEASURES = THAW_PLATE_MEASURES, SWEEPS = 1000 };
static const double close_enough = 1e-6; // moments over what is borne

void thaw_creases_free(ThawCreases **pointer) {
    ThawCreases *c = *pointer;
    if (!c)
        return;
    thaw_free(c->yield);
    thaw_free(c->stiffness);
    thaw_free(c->begin);
    thaw_free(c->element);
    thaw_free(c->phi);
    thaw_free(c->measure);
    thaw_free(c->asked);
    thaw_free(c->present);
    thaw_free(c->start);
    thaw_free(c);
    *pointer = NULL;
}

// --- compiling -------------------------------------------------------------------------------------------------------

static ThawCreases *reserve(int32_t count, int32_t elements) {
    const size_t n = (size_t)count, m = (size_t)elements;
    ThawCreases *c = THAW_NEW(ThawCreases, 1);
    if (!c)
        return NULL;
    *c = (ThawCreases){.yield = THAW_NEW(double, n),
                       .stiffness = THAW_NEW(double, n),
                       .begin = THAW_NEW(int32_t, n + 2),
                       .element = THAW_NEW(int32_t, HINGES * m),
                       .phi = THAW_NEW(double, n),
                       .measure = THAW_NEW(double, MEASURES *m),
                       .asked = THAW_NEW(unsigned char, m),
                       .present = THAW_NEW(int32_t, n),
                       .start = THAW_NEW(double, n)};
    if (!c->yield || !c->stiffness || !c->begin || !c->element || !c->phi || !c->measure || !c->asked || !c->present ||
        !c->start)
        thaw_creases_free(&c);
    return c;
}

// Elements of each hinge, and its stiffness.
static void list_elements(const ThawShape *shape) {
    const ThawHinges *t = shape->hinges;
    ThawCreases *c = shape->creases;
    for (int32_t i = 0; i < HINGES * t->elements; i++)
        if (t->of[i] >= 0)
            c->begin[t->of[i] / 2 + 2]++;
    for (int32_t h = 0; h <= t->count; h++)
        c->begin[h + 1] += c->begin[h];
    for (int32_t i = 0; i < HINGES * t->elements; i++) {
        int hinges;
        const double *B = thaw_hinges_data(shape, i / HINGES, &hinges);
        if (t->of[i] < 0)
            continue;
        c->element[c->begin[t->of[i] / 2 + 1]++] = i;
        for (int m = 0; m < MEASURES; m++)
            c->stiffness[t->of[i] / 2] += B[m * hinges + i % HINGES] * B[m * hinges + i % HINGES];
    }
}

ThawStatus thaw_creases_create(ThawShape *shape, const int32_t *across, const double *D, ThawError *error) {
    const ThawHinges *t = shape->hinges;
    ThawCreases *c = shape->creases = reserve(t->count, t->elements);
    if (!c)
        return thaw_error_memory(error, "the creases of a sheet");
    list_elements(shape);
    for (int32_t i = 0, h = 0; i < 3 * shape->ne; i++) { // as hinges are numbered
        double e[3];
        if (across[i] <= i / 3)
            continue;
        thaw_v3_sub(shape->X + 3 * (size_t)t->vertex[h][1], shape->X + 3 * (size_t)t->vertex[h][0], e);
        const double plate = thaw_v3_norm(e) * (D[i / 3] + D[across[i]]) / 2 * shape->yield_curvature;
        const double alone = c->stiffness[h] * shape->yield_angle;
        c->yield[h] = !(shape->yield_angle > 0) ? plate : !(shape->yield_curvature > 0) ? alone : fmin(plate, alone);
        h++;
    }
    return THAW_OK;
}

// --- flow ------------------------------------------------------------------------------------------------------------

// Elements of the set, the angles of their hinges beyond rest, and their measures.
static void ask(const ThawShape *shape, const ThawIntegrationSet *set, const double *x) {
    const ThawHinges *t = shape->hinges;
    ThawCreases *c = shape->creases;
    memset(c->asked, 0, (size_t)t->elements);
    memset(c->present, 0, sizeof *c->present * (size_t)t->count);
    for (int32_t b = 0; b < set->batch_count; b++)
        for (int l = 0; l < THAW_LANES && thaw_hinges_is_bending(shape, &set->batches[b]); l++)
            if (set->batches[b].element[l] >= 0)
                c->asked[set->batches[b].element[l] - t->first] = 1;
    for (int32_t i = 0; i < HINGES * t->elements; i++)
        if (c->asked[i / HINGES] && t->of[i] >= 0)
            c->present[t->of[i] / 2]++;
    for (int32_t h = 0; h < t->count; h++)
        if (c->present[h] > 0)
            c->phi[h] = thaw_hinges_angle(t, h, x);
    for (int32_t k = 0; k < t->elements; k++) {
        int hinges;
        const double *B = thaw_hinges_data(shape, k, &hinges);
        for (int m = 0; m < MEASURES && c->asked[k]; m++) {
            double sum = 0;
            for (int h = 0; h < hinges; h++) {
                const int32_t of = t->of[HINGES * (size_t)k + (size_t)h];
                sum += of < 0 ? 0 : B[m * hinges + h] * (of & 1 ? -1 : 1) * c->phi[of / 2];
            }
            c->measure[MEASURES * (size_t)k + (size_t)m] = sum;
        }
    }
}

static double moment_of(const ThawShape *shape, int32_t h) {
    const ThawHinges *t = shape->hinges;
    const ThawCreases *c = shape->creases;
    double sum = 0;
    for (int32_t i = c->begin[h]; i < c->begin[h + 1]; i++) {
        const int32_t k = c->element[i] / HINGES, place = c->element[i] % HINGES;
        int hinges;
        const double *B = thaw_hinges_data(shape, k, &hinges), *measure = c->measure + MEASURES * (size_t)k;
        double own = 0;
        for (int m = 0; m < MEASURES; m++)
            own += B[m * hinges + place] * measure[m];
        sum += t->of[c->element[i]] & 1 ? -own : own;
    }
    return sum;
}

static void fold(const ThawShape *shape, int32_t h, double turn) {
    ThawHinges *t = shape->hinges;
    ThawCreases *c = shape->creases;
    t->angle[h] += turn;
    for (int32_t i = c->begin[h]; i < c->begin[h + 1]; i++) {
        const int32_t k = c->element[i] / HINGES, place = c->element[i] % HINGES;
        int hinges;
        const double *B = thaw_hinges_data(shape, k, &hinges);
        for (int m = 0; m < MEASURES; m++)
            c->measure[MEASURES * (size_t)k + (size_t)m] -=
                (t->of[c->element[i]] & 1 ? -turn : turn) * B[m * hinges + place];
    }
}

static double energy_of(const ThawShape *shape) {
    const ThawCreases *c = shape->creases;
    double sum = 0;
    for (int32_t k = 0; k < shape->hinges->elements; k++)
        for (int m = 0; m < MEASURES && c->asked[k]; m++)
            sum += 0.5 * c->measure[MEASURES * (size_t)k + (size_t)m] * c->measure[MEASURES * (size_t)k + (size_t)m];
    return sum;
}

int thaw_creases_flow(const ThawShape *shape, const ThawIntegrationSet *set, const double *x, double *state,
                      double *lost) {
    ThawHinges *t = shape->hinges;
    ThawCreases *c = shape->creases;
    ask(shape, set, x);
    const double before = energy_of(shape);
    int flowed = 0;
    *lost = 0;
    memcpy(c->start, t->angle, sizeof *c->start * (size_t)t->count);
    for (int sweep = 0, more = 1; more && sweep < SWEEPS; sweep++) {
        more = 0;
        for (int32_t h = 0; h < t->count; h++) {
            if (c->present[h] < c->begin[h + 1] - c->begin[h] || !(c->stiffness[h] > 0))
                continue;
            const double least = c->yield[h] / c->stiffness[h], so_far = t->angle[h] - c->start[h];
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
    for (int32_t h = 0; h < t->count; h++) {
        thaw_hinges_set(t, h, t->angle[h], t->turns[h]);
        for (int side = 0; side < 2; side++)
            state[t->slot[h][side]] = t->sense[h][side] * t->angle[h];
    }
    for (int32_t k = 0; k < t->elements; k++)
        if (c->asked[k])
            thaw_hinges_write(shape, k);
    *lost = before - energy_of(shape);
    return 1;
}
