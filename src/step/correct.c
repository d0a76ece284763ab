// SPDX-License-Identifier: Apache-2.0
// Corrections: a linearised step is followed by a few more solves with the factor that it has left, each with a line
// search on the incremental potential of body.c. A factor costs several times what a solve, a force and an energy do,
// so what linearising loses of a lively body's energy comes back for little; all stages of a step share one factor.
//
// By the old matrix alone (A^-1 times the residual) that converges slowly where stiffness turns along with the body, in
// what is nearly incompressible above all. So what the solves before have shown of the curvature is put on top: limited
// memory BFGS (Nocedal 1980) with A^-1 in the middle, as Liu, Bouaziz and Kavan have it with a matrix of the rest shape
// (2017). In contact the response solves with A^-1 itself, and directions stay with that.
#include <math.h>
#include <string.h>

#include "step/body.h"

static size_t unknowns(const ThawStepper *s) { return (size_t)s->system->map->n * (size_t)s->model->dim; }

static double dot(const double *a, const double *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

ThawStatus thaw_secants_reserve(ThawStepper *s, ThawError *error) {
    ThawSecants *secants = &s->secants;
    thaw_free(secants->all);
    const int wanted = s->model->options.corrections;
    secants->room = wanted < THAW_SECANTS ? wanted : THAW_SECANTS;
    secants->count = 0;
    secants->all = THAW_NEW(double, 2 * (size_t)secants->room * unknowns(s));
    return secants->all ? THAW_OK : thaw_error_memory(error, "a body's corrections");
}

// The pair that comes k-th of those that are kept, the oldest first.
static double *way(const ThawStepper *s, int k) {
    const ThawSecants *secants = &s->secants;
    const int from = secants->count > secants->room ? secants->count : 0;
    return secants->all + 2 * (size_t)((from + k) % secants->room) * unknowns(s);
}

static int kept(const ThawSecants *secants) { return secants->count < secants->room ? secants->count : secants->room; }

void thaw_secants_begin(ThawStepper *s) { s->secants.count = s->secants.open = 0; }

void thaw_secants_open(ThawStepper *s) {
    ThawSecants *secants = &s->secants;
    if (secants->room == 0)
        return;
    const size_t n = unknowns(s);
    double *ds = secants->all + 2 * (size_t)(secants->count % secants->room) * n;
    memcpy(ds, s->q, sizeof *ds * n);
    memcpy(ds + n, s->b, sizeof *ds * n);
    secants->open = 1;
}

void thaw_secants_close(ThawStepper *s) {
    ThawSecants *secants = &s->secants;
    if (!secants->open)
        return;
    const size_t n = unknowns(s);
    const int slot = secants->count % secants->room;
    double *ds = secants->all + 2 * (size_t)slot * n, *dy = ds + n;
    for (size_t i = 0; i < n; i++) {
        ds[i] = s->q[i] - ds[i];
        dy[i] -= s->b[i];
    }
    const double curvature = dot(ds, dy, n);
    secants->open = 0;
    if (curvature > 1e-10 * sqrt(dot(ds, ds, n) * dot(dy, dy, n))) { // else the potential is not convex there
        secants->rho[slot] = 1 / curvature;
        secants->count++;
    }
}

ThawStatus thaw_body_correct(ThawStepper *s, int alone) {
    const ThawSecants *secants = &s->secants;
    const size_t n = unknowns(s);
    const int count = alone ? kept(secants) : 0;
    double alpha[THAW_SECANTS], *b = s->trial_q; // it is free between searches
    memcpy(b, s->b, sizeof *b * n);
    for (int k = count - 1; k >= 0; k--) {
        const double *ds = way(s, k), *dy = ds + n;
        alpha[k] = secants->rho[(ds - secants->all) / (ptrdiff_t)(2 * n)] * dot(ds, b, n);
        for (size_t i = 0; i < n; i++)
            b[i] -= alpha[k] * dy[i];
    }
    ThawStatus status = thaw_body_solve_again(s, b, s->p);
    for (int k = 0; k < count; k++) {
        const double *ds = way(s, k), *dy = ds + n;
        const double beta = secants->rho[(ds - secants->all) / (ptrdiff_t)(2 * n)] * dot(dy, s->p, n);
        for (size_t i = 0; i < n; i++)
            s->p[i] += (alpha[k] - beta) * ds[i];
    }
    return status;
}
