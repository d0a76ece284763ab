// SPDX-License-Identifier: Apache-2.0
// Wind on sheets, triangle by triangle. Air of the density rho that blows at u relative to a triangle of the area A and
// the normal n (that side of it which looks with the wind) pushes it along u, and across u in the plane of u and n:
//
//     F = rho/2 A |u . n| (C_D u + C_L |u| (n - (n . e) e)),    e = u / |u|.
//
// It is taken at the start of the step. So that nothing outruns the air within a step, a triangle's force is no more
// than m / (h c) of that, c = rho/2 A |u| (C_D + C_L) being its slope and m the triangle's mass: steps for which that
// matters are longer than the air needs to carry the sheet along. Linear in the triangles.
#include <stdlib.h>

#include "math/vec3.h"
#include "step/step.h"

static int ascending(const void *p, const void *q) {
    const int32_t a = *(const int32_t *)p, b = *(const int32_t *)q;
    return (a > b) - (a < b);
}

static int is_in(const ThawGroup *group, const int32_t *v) {
    for (int i = 0; i < 3; i++)
        if (!bsearch(&v[i], group->vertices, (size_t)group->count, sizeof *v, ascending))
            return 0;
    return 1;
}

void thaw_wind_add(const ThawStepper *stepper, const ThawLoad *load, double factor, double h, double *f) {
    const ThawShape *shape = stepper->shape;
    for (int32_t e = 0; e < shape->ne && factor > 0; e++) {
        const int32_t *v = shape->cells->elements + 3 * (size_t)e;
        double a[3], b[3], n[3], u[3];
        if (load->group->count < shape->nv && !is_in(load->group, v))
            continue;
        for (int k = 0; k < 3; k++)
            u[k] = factor * load->value[k];
        for (int i = 0; i < 3; i++)
            thaw_v3_add(u, -1.0 / 3, stepper->v + 3 * (size_t)v[i], u);
        thaw_v3_sub(stepper->x + 3 * (size_t)v[1], stepper->x + 3 * (size_t)v[0], a);
        thaw_v3_sub(stepper->x + 3 * (size_t)v[2], stepper->x + 3 * (size_t)v[0], b);
        thaw_v3_cross(a, b, n);
        const double area = thaw_v3_unit(n) / 2, speed = thaw_v3_norm(u), along = thaw_v3_dot(u, n);
        if (!(speed > 0))
            continue;
        const ThawMaterial *material = &shape->materials[shape->cells->material[e]];
        const double slope = load->air / 2 * area * speed * (load->drag + load->lift);
        const double mass = material->density * shape->cells->weight[e];
        const double size = load->air / 2 * area * fabs(along) * fmin(1, mass / (h * slope));
        const double side = along < 0 ? -1 : 1, cosine = fabs(along) / speed;
        for (int k = 0; k < 3; k++) {
            const double force = size * (load->drag * u[k] + load->lift * (side * speed * n[k] - cosine * u[k]));
            for (int i = 0; i < 3; i++)
                f[3 * (size_t)v[i] + (size_t)k] += force / 3;
        }
    }
}
