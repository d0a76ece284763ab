// SPDX-License-Identifier: Apache-2.0
// Lumped inertia: M and D are diagonal. The sums are inlined twice, with the dimension known, since every step runs
// them over all vertices.
#include "map/inertia.h"

#define BY_DIMENSION(sum, dim, ...) ((dim) == 2 ? sum(__VA_ARGS__, 2) : sum(__VA_ARGS__, 3))

static inline int left_out(const int32_t *frame_of, int32_t vertex) { return frame_of && frame_of[vertex] >= 0; }

static inline void add_product(const ThawShape *shape, const int32_t *frame_of, double mass, double damping,
                               const double *restrict a, double *restrict r, size_t dim) {
    for (int32_t i = 0; i < shape->nv; i++) {
        if (left_out(frame_of, i))
            continue;
        const double m = mass * shape->mass[i] + damping * shape->damping_mass[i];
        for (size_t k = 0; k < dim; k++)
            r[(size_t)i * dim + k] += m * a[(size_t)i * dim + k];
    }
}

static void product_lumped(const ThawInertia *inertia, const int32_t *frame_of, double mass, double damping,
                           const double *a, double *r) {
    BY_DIMENSION(add_product, inertia->shape->dim, inertia->shape, frame_of, mass, damping, a, r);
}

static void add_lumped(const ThawInertia *inertia, const ThawMap *map, double mass, double damping,
                       ThawBlockMatrix *A) {
    map->ops->add_diagonal(map, inertia->shape->mass, mass, A);
    if (inertia->shape->has_drag)
        map->ops->add_diagonal(map, inertia->shape->damping_mass, damping, A);
}

static inline double kinetic(const ThawShape *shape, const int32_t *frame_of, const double *v, double sum, size_t dim) {
    for (int32_t i = 0; i < shape->nv; i++) {
        if (left_out(frame_of, i))
            continue;
        for (size_t k = 0; k < dim; k++)
            sum += shape->mass[i] * v[(size_t)i * dim + k] * v[(size_t)i * dim + k] / 2;
    }
    return sum;
}

static void add_kinetic_lumped(const ThawInertia *inertia, const int32_t *frame_of, const double *v, double *energy) {
    *energy = BY_DIMENSION(kinetic, inertia->shape->dim, inertia->shape, frame_of, v, *energy);
}

static inline void change(const ThawShape *shape, double h, const double *v0, const double *v1, double forms[2],
                          double *impulse, size_t dim) {
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

static void change_lumped(const ThawInertia *inertia, double h, const double *v0, const double *v1, double forms[2],
                          double *impulse) {
    BY_DIMENSION(change, inertia->shape->dim, inertia->shape, h, v0, v1, forms, impulse);
}

static void project_lumped(const ThawInertia *inertia, const ThawMap *map, const double *w, const double *v,
                           double *q) {
    (void)inertia; // maps project by the shape's masses
    map->ops->project(map, w, v, q);
}

static void accelerate_lumped(const ThawInertia *inertia, const unsigned char *scripted, const double *f, double *a) {
    const size_t dim = (size_t)inertia->shape->dim;
    for (int32_t i = 0; i < inertia->shape->nv; i++)
        for (size_t at = (size_t)i * dim; at < ((size_t)i + 1) * dim; at++)
            a[at] = scripted[i] ? 0 : f[at] / inertia->shape->mass[i];
}

static const ThawInertiaOps LUMPED = {.name = "lumped",
                                      .product = product_lumped,
                                      .add = add_lumped,
                                      .add_kinetic = add_kinetic_lumped,
                                      .change = change_lumped,
                                      .project = project_lumped,
                                      .accelerate = accelerate_lumped};

ThawInertia thaw_inertia_lumped(const ThawShape *shape) { return (ThawInertia){&LUMPED, shape}; }
