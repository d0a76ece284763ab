// SPDX-License-Identifier: Apache-2.0
#include "map/rigid/motion.h"

#include "map/rigid/partition.h"
#include "math/vec3.h"

// With the dimension known: steps in contact run it over all vertices.
THAW_INLINE void find(const ThawShape *shape, const double *x, const double *v, size_t dim, ThawMotion *motion) {
    double L[3] = {0}, J[9] = {0}, at[3] = {0}, mean[3] = {0};
    for (size_t i = 0; i < (size_t)shape->nv; i++) {
        const double share = shape->mass[i] / shape->total_mass;
        for (size_t k = 0; k < dim; k++) {
            at[k] += share * x[i * dim + k];
            mean[k] += share * v[i * dim + k];
        }
    }
    for (size_t i = 0; i < (size_t)shape->nv; i++) {
        double r[3] = {0}, p[3] = {0}, moment[3];
        for (size_t k = 0; k < dim; k++) {
            r[k] = x[i * dim + k] - at[k];
            p[k] = shape->mass[i] * v[i * dim + k];
        }
        thaw_v3_cross(r, p, moment);
        for (int k = 0; k < 3; k++)
            L[k] += moment[k];
        thaw_v3_add_inertia(shape->mass[i], r, J);
    }
    *motion = (ThawMotion){{at[0], at[1], at[2]}, {mean[0], mean[1], mean[2]}, {0}};
    thaw_part_spin((int)dim, J, L, motion->omega);
}

void thaw_motion_find(const ThawShape *shape, const double *x, const double *v, ThawMotion *motion) {
    if (shape->dim == 2)
        find(shape, x, v, 2, motion);
    else
        find(shape, x, v, 3, motion);
}

void thaw_motion_velocity(const ThawMotion *motion, const double at[3], double v[3]) {
    double r[3], turn[3];
    thaw_v3_sub(at, motion->at, r);
    thaw_v3_cross(motion->omega, r, turn);
    for (int k = 0; k < 3; k++)
        v[k] = motion->v[k] + turn[k];
}

void thaw_motion_add(const ThawShape *shape, const ThawMotion *motion, const double *x, double factor, double *v) {
    const size_t dim = (size_t)shape->dim;
    for (size_t i = 0; i < (size_t)shape->nv; i++) {
        double at[3], u[3];
        thaw_v3_load((int)dim, x + i * dim, at);
        thaw_motion_velocity(motion, at, u);
        for (size_t k = 0; k < dim; k++)
            v[i * dim + k] += factor * u[k];
    }
}
