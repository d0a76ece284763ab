// SPDX-License-Identifier: Apache-2.0
#include "model/fold.h"

#include "math/vec3.h"
#include "model/model.h"
#include "model/plate.h"

// The height of w over the line from u to v.
static double height_over(const double *X, int32_t u, int32_t v, int32_t w) {
    double e[3], d[3], n[3];
    thaw_v3_sub(X + 3 * (size_t)v, X + 3 * (size_t)u, e);
    thaw_v3_sub(X + 3 * (size_t)w, X + 3 * (size_t)u, d);
    thaw_v3_cross(e, d, n);
    return thaw_v3_norm(n) / thaw_v3_norm(e);
}

// The squared cosine of the angle at u.
static double crossing_at(const double *X, int32_t u, int32_t v, int32_t w) {
    double a[3], b[3];
    thaw_v3_sub(X + 3 * (size_t)v, X + 3 * (size_t)u, a);
    thaw_v3_sub(X + 3 * (size_t)w, X + 3 * (size_t)u, b);
    const double dot = thaw_v3_dot(a, b);
    return dot * dot / (thaw_v3_dot(a, a) * thaw_v3_dot(b, b));
}

ThawStatus thaw_folds_create(const ThawShape *shape, const int32_t *across, ThawFold **folds, ThawError *error) {
    const ThawPlateMesh plates = {shape->X, shape->cells->elements, across};
    if (!(*folds = THAW_NEW(ThawFold, shape->ne)))
        return thaw_error_memory(error, "the hinges of a sheet");
    for (int32_t e = 0; e < shape->ne; e++) {
        ThawFold *fold = &(*folds)[e];
        int32_t patch[THAW_PLATE_ROLES];
        const double *X = shape->X;
        thaw_plate_patch(&plates, e, patch);
        for (int i = 0; i < 3; i++) {
            const int32_t p = patch[(i + 1) % 3], q = patch[(i + 2) % 3], a = patch[i], b = patch[3 + i];
            fold->far[i] = b < 0 ? a : b;
            fold->crossed[i] = crossing_at(X, a, p, q);
            if (b < 0)
                continue;
            fold->rest[i] =
                thaw_plate_angle(X + 3 * (size_t)p, X + 3 * (size_t)q, X + 3 * (size_t)a, X + 3 * (size_t)b);
            fold->scale[i] = 2 / (height_over(X, p, q, a) + height_over(X, p, q, b));
        }
    }
    return THAW_OK;
}
