// SPDX-License-Identifier: Apache-2.0
// Sheets at rest under loads: irregular meshes over a rectangle put anywhere in space, and Newton's method with a
// banded factor.
#ifndef THAW_TEST_SHEETS_H
#define THAW_TEST_SHEETS_H

#include "force/force.h"
#include "model/model.h"
#include "step/sample.h"

typedef enum SheetFamily { SHEET_EVEN, SHEET_IN_TURNS, SHEET_AT_RANDOM } SheetFamily; // how cells are cut

// Vertex (i, j) is at (u, v) in [0, 1]^2, inner ones shifted by up to `jitter` of a cell where cells are not even.
typedef struct Sheet {
    int nx, ny;
    ThawMesh mesh;
    double *x;
    int32_t *elements, *region;
    char *region_names[1];
    ThawMaterialDef material;
    ThawShapeDef shape;
} Sheet;

typedef void (*SheetPlace)(const void *context, double u, double v, double x[3]);

void sheet_create(Sheet *s, int nx, int ny, SheetFamily family, double jitter, SheetPlace place, const void *context);
void sheet_free(Sheet *s);

// Of one sheet; vertices by the mesh's numbers.
typedef struct Statics {
    ThawModel *model;
    const ThawShape *shape;
    int n, band;
    int32_t *place; // of the mesh's vertices in x, held and load
    double *x, *load, *scratch, *A;
    unsigned char *held; // by coordinate
} Statics;

void statics_create(Statics *t, Sheet *s);
void statics_free(Statics *t);
void statics_hold(Statics *t, int vertex, int axis);
// A force by area (rest), N/m^2, on all vertices.
void statics_weigh(Statics *t, const double force[3]);
// Equilibrium under `scale` times the loads from x on. Returns how many steps of Newton's method it took.
int statics_solve(Statics *t, double scale);
// u = K^-1 load at x, by coordinate of the mesh's vertices.
void statics_linear(Statics *t, double *u);
// How many negative pivots K has at x: 0 where the equilibrium is stable.
int statics_negative(Statics *t);

#endif
