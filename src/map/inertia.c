// SPDX-License-Identifier: Apache-2.0
// Lumped inertia: M and D are diagonal.
#include "map/inertia.h"

static inline int left_out(const int32_t *frame_of, int32_t vertex) { return frame_of && frame_of[vertex] >= 0; }

static void product_lumped(const ThawInertia *inertia, const int32_t *frame_of, double mass, double damping,
                           const double *a, double *r) {
    const ThawShape *shape = inertia->shape;
    const size_t dim = (size_t)shape->dim;
    for (int32_t i = 0; i < shape->nv; i++) {
        if (left_out(frame_of, i))
            continue;
        const double m = mass * shape->mass[i] + damping * shape->damping_mass[i];
        for (size_t k = 0; k < dim; k++)
            r[(size_t)i * dim + k] += m * a[(size_t)i * dim + k];
    }
}

static void add_lumped(const ThawInertia *inertia, const ThawMap *map, double mass, double damping,
                       ThawBlockMatrix *A) {
    map->ops->add_diagonal(map, inertia->shape->mass, mass, A);
    map->ops->add_diagonal(map, inertia->shape->damping_mass, damping, A);
}

static void add_kinetic_lumped(const ThawInertia *inertia, const int32_t *frame_of, const double *v, double *energy) {
    const ThawShape *shape = inertia->shape;
    const size_t dim = (size_t)shape->dim;
    double sum = *energy;
    for (int32_t i = 0; i < shape->nv; i++)
        for (size_t k = 0; k < dim && !left_out(frame_of, i); k++)
            sum += shape->mass[i] * v[(size_t)i * dim + k] * v[(size_t)i * dim + k] / 2;
    *energy = sum;
}

static void change_lumped(const ThawInertia *inertia, double h, const double *v0, const double *v1, double forms[2],
                          double *impulse) {
    const ThawShape *shape = inertia->shape;
    const size_t dim = (size_t)shape->dim;
    double change = 0, loss = 0;
    for (int32_t i = 0; i < shape->nv; i++) {
        const double m = shape->mass[i], d = h * shape->damping_mass[i];
        for (size_t k = 0; k < dim; k++) {
            const size_t at = (size_t)i * dim + k;
            const double dv = v1[at] - v0[at], drag = d * v1[at];
            change += m * dv * dv;
            loss += drag * v1[at];
            if (impulse)
                impulse[at] = m * dv + drag;
        }
    }
    forms[0] = change;
    forms[1] = loss;
}

static void project_lumped(const ThawInertia *inertia, const ThawMap *map, const double *w, const double *v,
                           double *q) {
    (void)inertia; // maps project by the shape's masses
    map->ops->project(map, w, v, q);
}

static const ThawInertiaOps LUMPED = {.name = "lumped",
                                      .product = product_lumped,
                                      .add = add_lumped,
                                      .add_kinetic = add_kinetic_lumped,
                                      .change = change_lumped,
                                      .project = project_lumped};

ThawInertia thaw_inertia_lumped(const ThawShape *shape) { return (ThawInertia){&LUMPED, shape}; }
