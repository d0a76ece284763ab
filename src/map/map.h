// SPDX-License-Identifier: Apache-2.0
// The kinematic map v = G q + w: all vertex velocities from a step's few unknowns q, plus an offset w (what scripted
// vertices do). Every adaptive method is a map; what the step needs of one is this table. A map is const once built and may
// be shared by bodies; w belongs to the body and the step.
//
// Vectors over vertices have dim doubles each in the shape's numbering; q has n blocks of dim doubles.
#ifndef THAW_MAP_H
#define THAW_MAP_H

#include "force/force.h"
#include "model/model.h"
#include "sparse/sparse.h"

typedef struct ThawMap ThawMap;

// Which laws a map's space allows; the contract tests hold each map to those it declares.
enum {
    THAW_MAP_KEEPS_MOMENTUM = 1,    // project keeps linear and angular momentum (where nothing is scripted)
    THAW_MAP_ADVANCES_LINEARLY = 2, // advance agrees with x + h (G q + w) to O(h^2)
    THAW_MAP_CAN_BE_FULL = 4,       // asked to keep everything elastic, it reproduces the reference bit for bit
};

typedef struct ThawMapOps {
    const char *name;
    unsigned laws;
    // v = G q + w; w NULL: v = G q.
    void (*apply)(const ThawMap *map, const double *q, const double *w, double *v);
    // r = G' f.
    void (*apply_t)(const ThawMap *map, const double *f, double *r);
    // The q whose velocities are nearest to v, weighted by mass: G'M (G q + w - v) = 0.
    void (*project)(const ThawMap *map, const double *w, const double *v, double *q);
    // x1: where positions x0 are after moving with v = G q + w for h.
    void (*advance)(const ThawMap *map, double h, const double *x0, const double *q, const double *v, double *x1);
    // G'AG in three parts: its pattern, the mass-like diagonal G' diag(scale * m) G (m: one double a vertex), and a sink
    // for element blocks. `assembly` is the sink's context and must live as long as the sink is used.
    ThawStatus (*pattern)(const ThawMap *map, ThawBlockPattern **pattern, ThawError *error);
    void (*add_diagonal)(const ThawMap *map, const double *m, double scale, ThawBlockMatrix *A);
    void (*add_blocks)(void *assembly, int32_t batch, const ThawLanes *blocks);
    void (*free)(ThawMap *map);
} ThawMapOps;

// The head of every map; methods embed it first.
struct ThawMap {
    const ThawMapOps *ops;
    const ThawShape *shape;
    const ThawIntegrationSet *set; // what is to be evaluated with this map; not owned
    int32_t n;                     // blocks of q
};

typedef struct ThawAssembly {
    const ThawMap *map;
    double *value; // of the reduced matrix
} ThawAssembly;

void thaw_map_free(ThawMap **map);

// identity.c: the reference. q are the velocities of the vertices that are not scripted (scripted: nv flags).
ThawStatus thaw_map_identity_create(const ThawShape *shape, const unsigned char *scripted, ThawMap **map,
                                    ThawError *error);

#endif
