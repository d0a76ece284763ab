// SPDX-License-Identifier: Apache-2.0
// Where a run converges to as its steps become small: the reference of `thaw compare --against converged`.
//
// Three runs of the reference method have steps of h/2, h/4 and h/8; d2 = x4 - x2 and d4 = x8 - x4 are what halving
// changed, twice. Where the motion is smooth, d2 = 2^p d4 for a scheme of order p, and Richardson's
//     x = x8 + d4 / (2^p - 1)
// is an order better than x8. Contacts, friction and what a body does after them are not smooth in h: a blow comes a
// part of a step sooner or later, and d2 has little to do with d4. So the ratio |d2| / |d4| is measured (over a body's
// vertices, in the mean square) and whether both point the same way; a body is extrapolated in a step only where that
// looks like order 1 or 2, and else stands where h/8 puts it. The error that is told is the last difference times what
// the series |d2|, |d4|, ... adds up to, one to four; of an extrapolated body how far it is from the one before,
// x4 + d2 / (2^p - 1), but a quarter of the last difference at least. Measured against h/64 (docs/compare.md).
#include <math.h>

#include "base/base.h"
#include "floor.h"

static const double SAME_WAY = 0.9; // cosine between d2 and d4
static const double LONGEST = 4;    // times the last difference: more is not told
static const double SPARED = 0.25;  // of the last difference: less is not told of what was extrapolated
// Ratios that are taken for orders 1 and 2: between sqrt(2) and sqrt(8), up to sqrt(32).
static const double ORDER_1 = 1.4142135623730951, ORDER_2 = 2.8284271247461903, ORDER_3 = 5.656854249492381;

ThawStatus app_truth_create(const ThawWorld *world, AppTruth *t, ThawError *error) {
    const int32_t bodies = thaw_world_body_count(world);
    const size_t dim = (size_t)thaw_world_dim(world);
    *t = (AppTruth){.first = THAW_NEW(size_t, bodies + 1)};
    for (int32_t b = 0; b < bodies && t->first; b++)
        t->first[b + 1] = t->first[b] + dim * (size_t)thaw_world_vertex_count(world, b);
    int good = t->first != NULL;
    for (int i = 0; i < APP_TRUTHS && good; i++)
        good = (t->x[i] = THAW_NEW(double, t->first[bodies])) != NULL;
    good = good && (t->best = THAW_NEW(double, t->first[bodies]));
    if (good)
        return THAW_OK;
    app_truth_clear(t);
    return thaw_error_memory(error, "the converged run");
}

void app_truth_clear(AppTruth *t) {
    for (int i = 0; i < APP_TRUTHS; i++)
        thaw_free(t->x[i]);
    thaw_free(t->best);
    thaw_free(t->first);
    *t = (AppTruth){0};
}

// 2^p by which the body converges, or 0: it does not look like any order. *tail: what further halvings would add up to,
// over the last difference.
static double ratio_of(const AppTruth *t, size_t from, size_t to, double *tail) {
    double square[2] = {0}, product = 0;
    for (size_t i = from; i < to; i++) {
        const double d2 = t->x[1][i] - t->x[0][i], d4 = t->x[2][i] - t->x[1][i];
        square[0] += d2 * d2;
        square[1] += d4 * d4;
        product += d2 * d4;
    }
    const double ratio = sqrt(square[0] / square[1]);
    *tail = ratio > 1 + 1 / LONGEST ? fmax(1, 1 / (ratio - 1)) : LONGEST;
    if (!(product > SAME_WAY * sqrt(square[0] * square[1])) || !(ratio > ORDER_1) || !(ratio < ORDER_3))
        return 0;
    return ratio < ORDER_2 ? 2 : 4;
}

// Fills in the best of a body; how far it may be off at most, m.
static double find_body(AppTruth *t, size_t dim, size_t from, size_t to) {
    double tail;
    const double ratio = ratio_of(t, from, to, &tail);
    double last = 0, between = 0;
    for (size_t i = from; i < to; i += dim) {
        double square[2] = {0};
        for (size_t k = i; k < i + dim; k++) {
            const double d2 = t->x[1][k] - t->x[0][k], d4 = t->x[2][k] - t->x[1][k];
            t->best[k] = t->x[2][k] + (ratio > 0 ? d4 / (ratio - 1) : 0);
            const double before = t->x[1][k] + (ratio > 0 ? d2 / (ratio - 1) : 0);
            square[0] += d4 * d4;
            square[1] += (t->best[k] - before) * (t->best[k] - before);
        }
        last = fmax(last, square[0]);
        between = fmax(between, square[1]);
    }
    t->extrapolated += ratio > 0;
    return ratio > 0 ? fmax(sqrt(between), SPARED * sqrt(last)) : tail * sqrt(last);
}

void app_truth_find(AppTruth *t, const AppLockstep *l, const AppRunner runs[APP_TRUTHS]) {
    const int32_t bodies = thaw_world_body_count(runs[0].world);
    const size_t dim = (size_t)thaw_world_dim(runs[0].world);
    t->error = t->extrapolated = 0;
    for (int32_t b = 0; b < bodies; b++) {
        for (int i = 0; i < APP_TRUTHS; i++)
            thaw_world_get_positions(runs[i].world, b, t->x[i] + t->first[b]);
        t->error = fmax(t->error, find_body(t, dim, t->first[b], t->first[b + 1]) / l->diameter[b]);
    }
    t->extrapolated /= bodies;
}
