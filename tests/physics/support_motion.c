// SPDX-License-Identifier: Apache-2.0
#include "physics/motion.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/rotation.h"
#include "support/world.h"

typedef struct Particles {
    int32_t n;
    double *m, *x, *v; // x, v: of three numbers each, in the plane with z = 0
} Particles;

static Particles list_particles(const ThawWorld *world, int32_t body, int dim) {
    const int32_t n = thaw_world_vertex_count(world, body);
    Particles list = {n, malloc(sizeof(double) * (size_t)n), calloc((size_t)n, 3 * sizeof(double)),
                      calloc((size_t)n, 3 * sizeof(double))};
    thaw_world_get_masses(world, body, list.m);
    thaw_world_get_positions(world, body, list.x);
    thaw_world_get_velocities(world, body, list.v);
    for (int32_t i = n - 1; i >= 0 && dim == 2; i--)
        for (int k = 2; k >= 0; k--) {
            list.x[3 * i + k] = k < 2 ? list.x[2 * i + k] : 0;
            list.v[3 * i + k] = k < 2 ? list.v[2 * i + k] : 0;
        }
    return list;
}

static void free_particles(Particles *list) {
    free(list->m);
    free(list->x);
    free(list->v);
}

Momenta measure(const ThawWorld *world, int32_t body, int dim) {
    Particles list = list_particles(world, body, dim);
    Momenta sum = {0};
    for (int32_t i = 0; i < list.n; i++) {
        const double *r = list.x + 3 * i, *v = list.v + 3 * i, m = list.m[i];
        double turn[3];
        thaw_v3_cross(r, v, turn);
        sum.mass += m;
        sum.kinetic += m * thaw_v3_dot(v, v) / 2;
        for (int k = 0; k < 3; k++) {
            sum.P[k] += m * v[k];
            sum.L[k] += m * turn[k];
            sum.c[k] += m * r[k];
        }
    }
    double orbital[3];
    for (int k = 0; k < 3; k++)
        sum.c[k] /= sum.mass;
    thaw_v3_cross(sum.c, sum.P, orbital);
    for (int k = 0; k < 3; k++)
        sum.L[k] -= orbital[k];
    free_particles(&list);
    return sum;
}

ThawWorld *open_scene(const char *method, const char *format, ...) {
    char text[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    return make_world_by(text, method, 1);
}

// --- rigid bodies ----------------------------------------------------------------------------------------------------

Rigid make_rigid(const ThawWorld *world, const double pin[3], const double omega[3], const double g[3]) {
    const Momenta all = measure(world, 0, 3);
    const double *about = pin ? pin : all.c;
    Particles list = list_particles(world, 0, 3);
    Rigid rigid = {.mass = all.mass, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int32_t i = 0; i < list.n; i++) {
        double r[3], turn[3];
        thaw_v3_sub(list.x + 3 * i, about, r);
        thaw_v3_cross(r, list.v + 3 * i, turn);
        for (int k = 0; k < 3; k++) {
            rigid.c[k] += list.m[i] * r[k] / all.mass;
            rigid.L[k] += list.m[i] * turn[k];
            for (int l = 0; l < 3; l++)
                rigid.inertia[k + 3 * l] += list.m[i] * ((k == l) * thaw_v3_dot(r, r) - r[k] * r[l]);
        }
    }
    if (omega)
        thaw_rotate(rigid.inertia, omega, rigid.L);
    memcpy(rigid.g, g, sizeof rigid.g);
    free_particles(&list);
    return rigid;
}

// omega = R I^-1 R' L, by Cramer's rule.
void rigid_omega(const Rigid *rigid, double omega[3]) {
    const double *a = rigid->inertia, *b = a + 3, *c = a + 6;
    double L[3], inner[3], bc[3], ca[3], ab[3];
    thaw_rotate_back(rigid->R, rigid->L, L);
    thaw_v3_cross(b, c, bc);
    thaw_v3_cross(c, a, ca);
    thaw_v3_cross(a, b, ab);
    const double det = thaw_v3_dot(a, bc);
    inner[0] = thaw_v3_dot(L, bc) / det;
    inner[1] = thaw_v3_dot(L, ca) / det;
    inner[2] = thaw_v3_dot(L, ab) / det;
    thaw_rotate(rigid->R, inner, omega);
}

// R' = omega x R, L' = c x m g.
static void rates(const Rigid *rigid, double dR[9], double dL[3]) {
    double omega[3], c[3];
    rigid_omega(rigid, omega);
    for (int k = 0; k < 3; k++)
        thaw_v3_cross(omega, rigid->R + 3 * k, dR + 3 * k);
    thaw_rotate(rigid->R, rigid->c, c);
    thaw_v3_cross(c, rigid->g, dL);
    for (int k = 0; k < 3; k++)
        dL[k] *= rigid->mass;
}

void advance_rigid(Rigid *rigid, double h) {
    static const double at[] = {0, 0.5, 0.5, 1}, weight[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    Rigid end = *rigid;
    double dR[9] = {0}, dL[3] = {0};
    for (int stage = 0; stage < 4; stage++) {
        Rigid on = *rigid;
        for (int i = 0; i < 9; i++)
            on.R[i] += at[stage] * h * dR[i];
        for (int i = 0; i < 3; i++)
            on.L[i] += at[stage] * h * dL[i];
        rates(&on, dR, dL);
        for (int i = 0; i < 9; i++)
            end.R[i] += weight[stage] * h * dR[i];
        for (int i = 0; i < 3; i++)
            end.L[i] += weight[stage] * h * dL[i];
    }
    *rigid = end;
}

double rigid_energy(const Rigid *rigid) {
    double omega[3], c[3];
    rigid_omega(rigid, omega);
    thaw_rotate(rigid->R, rigid->c, c);
    return thaw_v3_dot(omega, rigid->L) / 2 - rigid->mass * thaw_v3_dot(rigid->g, c);
}
