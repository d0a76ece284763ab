// SPDX-License-Identifier: Apache-2.0
// The judge: one body's step in plain dense arithmetic, straight from the definition.
#ifndef THAW_TEST_DENSE_H
#define THAW_TEST_DENSE_H

#include "thaw/world.h"

typedef struct Dense {
    const ThawWorldDef *def;
    const ThawBodyDef *body;
    const ThawShapeDef *shape;
    const ThawMesh *mesh;
    int n;         // unknowns: dim * vertex_count, scripted ones included
    int steps;     // made so far
    double t;      // s, steps * h
    double *x, *v; // n, the mesh's numbering
    double *start; // n, placed at t = 0
    double *m;     // n, kg: the vertex's mass at each of its coordinates
} Dense;

// Everything in *def must outlive it.
Dense dense_create(const ThawWorldDef *def, int body);
void dense_free(Dense *dense);
// One step of def->h, by def->integrator. 0 if the matrix was singular or Newton did not converge.
int dense_step(Dense *dense);
// The equations of a linearised step, A v1 = b, for tests with unknowns of their own: n * n and n.
void dense_linearise(const Dense *dense, double *A, double *b);

#endif
