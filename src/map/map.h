// SPDX-License-Identifier: Apache-2.0
// The kinematic map v = G q + w: all vertex velocities from a step's few unknowns q, plus an offset w: what scripted
// vertices do, and what others do with them or by themselves, whatever q is. Every adaptive method is a map; what the
// step needs of one is this table. A map is const once built and may be shared by bodies, unless it follows the state:
// then it is one body's. w belongs to the body and the step.
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
    THAW_MAP_FOLLOWS_STATE = 8,     // G depends on x or forces: `update` is called before each linearisation at x0
    THAW_MAP_TURNS = 16, // its fields, turned, are its fields, or frames enter: a step may be made in axes that turn
};

struct ThawInertia;

// The coefficients of A = mass M + mass_damping D_m + sum_e (stiffness + damping alpha1_e) K_e, with D_m = alpha0 M.
typedef struct ThawCombination {
    double mass, mass_damping;
    ThawStiffness element;
    double stress; // in the place of `stiffness` for elements that the map has made rigid (its add_stress)
    const struct ThawInertia *inertia; // M and D_m; NULL: lumped
} ThawCombination;

// A rigid motion that a step follows (step/moving.h): the body turns by D (column-major) about `from`, which comes to
// `to`; v, and omega before and after.
typedef struct ThawRigidMotion {
    double from[3], to[3], D[9];
    double v[3], omega[2][3];
} ThawRigidMotion;

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
    // G'AG in three parts: its pattern, the mass-like diagonal G' diag(scale * m) G (m: one double a vertex), and a
    // sink for element blocks. `assembly` is the sink's context and must live as long as the sink is used. A map with
    // `matrix` (below) needs the pattern only.
    ThawStatus (*pattern)(const ThawMap *map, ThawBlockPattern **pattern, ThawError *error);
    void (*add_diagonal)(const ThawMap *map, const double *m, double scale, ThawBlockMatrix *A);
    void (*add_blocks)(void *assembly, int32_t batch, const ThawLanes *blocks);
    void (*free)(ThawMap *map);
    // After the last add_blocks: adds what had to wait for an order of its own. NULL: nothing ever does.
    void (*finish)(void *assembly);
    // Adds what elements outside of the set have of G'KG through their stress; NULL: nothing.
    void (*add_stress)(const ThawMap *map, ThawStiffness scale, ThawBlockMatrix *A);
    // The rows of G of one vertex: how many blocks of q it depends on (0 to row_blocks, for which the caller has room),
    // which, and dim x dim matrices (row-major). NULL: contact response does with apply and apply_t alone.
    int (*rows)(const ThawMap *map, int32_t vertex, int32_t *block, double (*matrix)[9]);
    // What a motion of the whole body is in q, where nothing is scripted: place (n blocks) gets the point whose
    // velocity a block of q is, or NAN where it is an angular velocity (2D: the block's first number). NULL: that
    // cannot be said so.
    void (*places)(const ThawMap *map, const double *x, double *place);
    // In the place of sink and diagonal: *matrix += G'A(x)G as the map comes by it (a Schur complement, a product with
    // dense rows), and f = f(x). A.inertia is there; partial as for thaw_force_linearise.
    ThawStatus (*matrix)(const ThawMap *map, ThawTasks *tasks, ThawCombination A, const double *x,
                         ThawBlockMatrix *matrix, double *f, double *partial);
    // w of a step from x for h, at all vertices, from that of scripted ones. NULL: others have none.
    void (*offset)(const ThawMap *map, const double *x, double h, double *w);
    // Takes over what it depends on: x and external forces at the start of a step (THAW_MAP_FOLLOWS_STATE), or how its
    // frames are now, after they were changed from outside (then neither is looked at). No allocation.
    ThawStatus (*update)(ThawMap *map, const double *x, const double *f_ext);

    // Frames that carry vertices along (frame_of below). A map without frames has none of these functions.
    // r += the frames' own momenta, in the place of G'M v0 of their vertices.
    void (*momentum)(const ThawMap *map, double *r);
    // v of vertices that are carried, by the frames' own momenta.
    void (*velocities)(const ThawMap *map, double *v);
    // w += h/2 (omega x (omega x rho) + alpha x rho) at vertices that are carried: chords of their paths, so that
    // elements beside a turning frame see where it will be. For stiffness and damping forces only: no part of G'M (Gq +
    // w).
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
    // The frames go along with a motion of the whole body. Against it they move by the displacements of their vertices
    // (x less where the motion leads), and their momenta are those of velocities w.
    void (*enter)(ThawMap *map, const ThawRigidMotion *motion, const double *x, const double *w);
    // Back to before `enter`; or, where a motion is given: on from there, with momenta of that motion added to those
    // that they have.
    void (*leave)(ThawMap *map, const ThawRigidMotion *kept);
    // Momenta of a motion of the whole body (v at `at`, omega) are added.
    void (*push)(ThawMap *map, const double at[3], const double v[3], const double omega[3]);
} ThawMapOps;

// The head of every map; methods embed it first.
struct ThawMap {
    const ThawMapOps *ops;
    const ThawShape *shape;
    const ThawIntegrationSet *set; // what is to be evaluated with this map; not owned
    int32_t n;                     // blocks of q
    double beyond;                 // a linearised step takes its stiffness by h^2 (1 + beyond)
    ThawBorder border;             // the last of them: multipliers of its matrix, whose columns of G are 0
    int32_t row_blocks;            // that a vertex depends on, at most; 0 without `rows`
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

#endif
