// SPDX-License-Identifier: Apache-2.0
// Coordinates and rates from places and velocities of vertices, by least squares with the masses: Gauss's method, which
// needs nothing of a joint but its Jacobian.
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/vec3.h"
#include "method/skeleton/skeleton.h"

enum { SWEEPS = 60 };
static const double EXACT = 1e-14; // rad, or diameters

void thaw_skeleton_place(const ThawStepper *s, const double *at, const double *rate, double *x, double *v) {
    const ThawSkeletonData *data = thaw_skeleton_data(s);
    thaw_tree_pose(data->tree, at, rate, data->pose);
    thaw_bones_place(data->tree, s->shape->nv, data->pose, x);
    if (v)
        thaw_bones_velocities(data->tree, s->shape->nv, data->pose, v);
}

// H^-1 J'M a, of velocities or ways a.
static int nearest(const ThawStepper *s, const double *a, double *rate) {
    ThawSkeletonData *data = thaw_skeleton_data(s);
    const size_t n = (size_t)data->tree->dof_count;
    memset(data->square, 0, sizeof(double) * n * n);
    thaw_tree_add_inertia(data->tree, data->pose, data->tree->mass, 1, data->square);
    thaw_bones_gather(data->tree, s->shape->nv, data->pose, s->shape->mass, a, rate);
    if (!thaw_dense_factor((int)n, data->square))
        return 0;
    thaw_dense_solve((int)n, data->square, rate);
    return 1;
}

void thaw_skeleton_fit(ThawStepper *s) {
    ThawSkeletonData *data = thaw_skeleton_data(s);
    const ThawSkeleton *tree = data->tree;
    const size_t count = (size_t)s->shape->nv * (size_t)tree->dim;
    for (int sweep = 0; sweep < SWEEPS && tree->dof_count > 0; sweep++) {
        double most = 0;
        memcpy(data->x, s->x, sizeof *s->x * count);
        thaw_skeleton_place(s, data->state.at, NULL, data->x, NULL);
        for (size_t i = 0; i < count; i++)
            data->x[i] = s->x[i] - data->x[i];
        if (!nearest(s, data->x, data->number))
            break;
        for (int32_t d = 0; d < tree->dof_count; d++)
            most = fmax(most, fabs(data->number[d]));
        for (int32_t d = 0; d < tree->dof_count && most > 1; d++) // no turn is followed further at a time
            data->number[d] /= most;
        if (!(most > EXACT) || !isfinite(most))
            break;
        thaw_tree_move(tree, data->state.at, data->number, data->state.at);
    }
    thaw_tree_pose(tree, data->state.at, NULL, data->pose);
    if (tree->dof_count > 0)
        nearest(s, s->v, data->state.rate);
    data->stale = 1;
}

double thaw_skeleton_kinetic(const ThawStepper *s) {
    const ThawSkeletonData *data = thaw_skeleton_data(s);
    thaw_tree_pose(data->tree, data->state.at, data->state.rate, data->pose);
    return thaw_tree_kinetic(data->tree, data->pose);
}
