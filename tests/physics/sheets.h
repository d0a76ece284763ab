// SPDX-License-Identifier: Apache-2.0
// Sheets at rest under loads: irregular meshes over a rectangle put anywhere in space, or closed around, and Newton's
// method.
#ifndef THAW_TEST_SHEETS_H
#define THAW_TEST_SHEETS_H

#include "force/force.h"
#include "model/model.h"
#include "sparse/sparse.h"
#include "step/sample.h"

typedef enum SheetFamily { SHEET_EVEN, SHEET_IN_TURNS, SHEET_AT_RANDOM } SheetFamily; // how cells are cut

// Vertex (i, j) is at (u, v) in [0, 1]^2, inner ones shifted by up to `jitter` of a cell where cells are not even.
typedef struct Sheet {
    int nx, ny;
    int round; // column nx is column 0
    int spare; // above 0: columns at multiples of 1 / spare stay straight, and their vertices in such rows in place
    ThawMesh mesh;
    double *x;
    int32_t *elements, *region;
    char *region_names[1];
    ThawMaterialDef material;
    ThawShapeDef shape;
} Sheet;

typedef void (*SheetPlace)(const void *context, double u, double v, double x[3]);

void sheet_create(Sheet *s, int nx, int ny, SheetFamily family, double jitter, SheetPlace place, const void *context);
// Closed around in u if `round`; columns at quarters stay straight, vertices at quarters of both ways where they are.
void sheet_create_shell(Sheet *s, int nx, int ny, int round, SheetFamily family, double jitter, SheetPlace place,
                        const void *context);
int sheet_vertex(const Sheet *s, int i, int j);
void sheet_free(Sheet *s);

// Of one sheet; vertices by the mesh's numbers.
typedef struct Statics {
    ThawModel *model;
    const ThawShape *shape;
    int n;
    int32_t *place; // of the mesh's vertices in x, held and load
    double *x, *load, *scratch;
    ThawBlockPattern *pattern;
    ThawSolverPlan *plan;
    ThawSolver *solver;
    unsigned char *held; // by coordinate
} Statics;

void statics_create(Statics *t, Sheet *s);
void statics_free(Statics *t);
void statics_hold(Statics *t, int vertex, int axis);
void statics_push(Statics *t, int vertex, const double force[3]); // N
// A force by area (rest), N/m^2, on all vertices.
void statics_weigh(Statics *t, const double force[3]);
// Equilibrium under `scale` times the loads from x on. Returns how many steps of Newton's method it took.
int statics_solve(Statics *t, double scale);
// u = K^-1 load at x, by coordinate of the mesh's vertices.
void statics_linear(Statics *t, double *u);
// Whether K is positive definite at x.
int statics_stable(Statics *t);

#endif
