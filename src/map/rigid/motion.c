// SPDX-License-Identifier: Apache-2.0
#include "map/rigid/motion.h"

#include "map/rigid/partition.h"
#include "math/vec3.h"

void thaw_motion_find(const ThawShape *shape, const double *x, const double *v, ThawMotion *motion) {
    const size_t dim = (size_t)shape->dim;
    double L[3] = {0}, J[9] = {0};
    *motion = (ThawMotion){{0}, {0}, {0}};
    for (size_t i = 0; i < (size_t)shape->nv * dim; i++) {
        motion->at[i % dim] += shape->mass[i / dim] / shape->total_mass * x[i];
        motion->v[i % dim] += shape->mass[i / dim] / shape->total_mass * v[i];
    }
    for (size_t i = 0; i < (size_t)shape->nv; i++) {
        double r[3] = {0}, p[3] = {0}, moment[3];
        for (size_t k = 0; k < dim; k++) {
            r[k] = x[i * dim + k] - motion->at[k];
            p[k] = shape->mass[i] * v[i * dim + k];
        }
        thaw_v3_cross(r, p, moment);
        for (int k = 0; k < 3; k++)
            L[k] += moment[k];
        thaw_v3_add_inertia(shape->mass[i], r, J);
    }
    thaw_part_spin((int)dim, J, L, motion->omega);
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
