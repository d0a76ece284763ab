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
    // After the last add_blocks: adds what had to wait for an order of its own. NULL: nothing ever does.
    void (*finish)(void *assembly);
    // Adds what elements outside of the set have of G'KG through their stress; NULL: nothing.
    void (*add_stress)(const ThawMap *map, ThawStiffness scale, ThawBlockMatrix *A);
    // The rows of G of one vertex: how many blocks of q it depends on (0 to 2), which, and dim x dim matrices (row-major).
    int (*rows)(const ThawMap *map, int32_t vertex, int32_t block[2], double matrix[2][9]);
    // What a motion of the whole body is in q, where nothing is scripted: place (n blocks) gets the point whose velocity a
    // block of q is, or NAN where it is an angular velocity (2D: the block's first number).
    void (*places)(const ThawMap *map, const double *x, double *place);

    // Frames that carry vertices along (frame_of below). A map without frames has none of these functions.
    // Takes over how the frames are now, after they were changed from outside. No allocation.
    void (*update)(ThawMap *map);
    // r += the frames' own momenta, in the place of G'M v0 of their vertices.
    void (*momentum)(const ThawMap *map, double *r);
    // v of vertices that are carried, by the frames' own momenta.
    void (*velocities)(const ThawMap *map, double *v);
    // w += h/2 (omega x (omega x rho) + alpha x rho) at vertices that are carried: chords of their paths, so that elements
    // beside a turning frame see where it will be. For stiffness and damping forces only: no part of G'M (Gq + w).
    void (*chord)(const ThawMap *map, double h, double *w);
    // What a Newton step needs, whose forces act where frames will be: with G1 = d(x1)/dq / h at q, whose levers have
    // turned, r += scale (G1 - G)' f, and v += (G1 - G) q.
    void (*end_force)(const ThawMap *map, double h, const double *q, double scale, const double *f, double *r);
    void (*end_velocity)(const ThawMap *map, double h, const double *q, double *v);
    // What add_stress adds, by q from both sides; and over vertices: u += that times a, for any velocities a.
    double (*stress_form)(const ThawMap *map, ThawStiffness scale, const double *q);
    void (*stress_product)(const ThawMap *map, ThawStiffness scale, const double *a, double *u);
    // The step is final: the frames move on with q for h, momentum and all, and the map with them. No allocation.
    void (*commit)(ThawMap *map, double h, const double *q);
} ThawMapOps;

// The head of every map; methods embed it first.
struct ThawMap {
    const ThawMapOps *ops;
    const ThawShape *shape;
    const ThawIntegrationSet *set; // what is to be evaluated with this map; not owned
    int32_t n;                     // blocks of q
    const unsigned char *idle; // n * dim flags: this unknown only fills its block; its column of G is 0, its diagonal
                               // entry in G'AG is 1 and its value 0. NULL: there is none
    int32_t frame_count;       // frames that carry vertices; 0: none, and the table has no functions for them
    const int32_t *frame_of;   // nv: which of them carries the vertex, -1: none. NULL without frames
};

// Whether a vertex moves with a frame of the map, which then has its momentum.
static inline int thaw_map_carries(const ThawMap *map, int32_t vertex) {
    return map->frame_of && map->frame_of[vertex] >= 0;
}

typedef struct ThawAssembly {
    const ThawMap *map;
    double *value; // of the reduced matrix
} ThawAssembly;

void thaw_map_free(ThawMap **map);

// identity.c: the reference. q are the velocities of the vertices that are not scripted (scripted: nv flags).
ThawStatus thaw_map_identity_create(const ThawShape *shape, const unsigned char *scripted, ThawMap **map,
                                    ThawError *error);

// rigid.c: elastic vertices (first, in their order) and rigid parts (solids paper, section 3.2). scripted: the partition's
// script flags will do. set: the partition's elastic elements, or shape->all when it has no part. The partition and the set
// must outlive the map; the map is good while the partition's topology stands, and belongs to one body.
struct ThawPartition;
ThawStatus thaw_map_rigid_create(const ThawShape *shape, const unsigned char *scripted, struct ThawPartition *partition,
                                 const ThawIntegrationSet *set, ThawMap **map, ThawError *error);

#endif
