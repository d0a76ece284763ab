// SPDX-License-Identifier: Apache-2.0
#include "step/slow.h"

#include <math.h>
#include <string.h>

static const double BALANCE = 1e-3; // of its weight: a change of velocity below that counts as balance

// m/s, of the fastest vertex, less what it had (v0 NULL: all of it).
static double fastest(const ThawStepper *s, const double *v0) {
    const size_t dim = (size_t)s->model->dim;
    double most = 0;
    for (size_t i = 0; i < (size_t)s->shape->nv; i++) {
        double square = 0;
        for (size_t at = i * dim; at < (i + 1) * dim; at++) {
            const double v = s->v[at] - (v0 ? v0[at] : 0);
            square += v * v;
        }
        most = fmax(most, square);
    }
    return sqrt(most);
}

ThawHindrance thaw_slow_hindrance(const ThawStepper *s, const ThawSlow *slow) {
    if (s->offset_moves)
        return THAW_HINDRANCE_MOVED;
    return fastest(s, NULL) > slow->speed * s->shape->diameter ? THAW_HINDRANCE_FAST : THAW_HINDRANCE_NONE;
}

int thaw_slow_watch(const ThawStepper *s, ThawSlow *slow, int steps) {
    if (thaw_slow_hindrance(s, slow) != THAW_HINDRANCE_NONE)
        return 0;
    if (steps == 0)
        memcpy(slow->v, s->v, sizeof *s->v * (size_t)s->shape->nv * (size_t)s->model->dim);
    return 1;
}

double thaw_slow_drift(const ThawStepper *s, const ThawSlow *slow, int steps, double *most, int *held) {
    const double *g = s->model->options.gravity, weight = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    const double a = fastest(s, slow->v) / ((steps - 1) * s->model->options.h);
    *most = slow->speed;
    *held = memchr(s->scripted, 1, (size_t)s->shape->nv) != NULL;
    if (steps < 2 || (weight > 0 && a > BALANCE * weight))
        return INFINITY;
    return (fastest(s, NULL) + a / 2) / s->shape->diameter;
}
