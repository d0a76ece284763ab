// SPDX-License-Identifier: Apache-2.0
// Inertia, beside the map: what resists a change of velocities. It is two forms over vertices, the mass M and its
// damping D (alpha0 M, element by element), and need not be diagonal: quasistatic vertices have no mass of their own,
// and regions or nodes have that of all they move. Right-hand side, potential, residual, guard against gains and ledger
// ask this table; weight is a load, and stays that of the shape's vertices.
//
// Vectors run over vertices, as a map's. frame_of (NULL: none): vertices that a frame carries are left out where it
// says so, since the frame has their momentum.
#ifndef THAW_INERTIA_H
#define THAW_INERTIA_H

#include "map/map.h"

typedef struct ThawInertia ThawInertia;

typedef struct ThawInertiaOps {
    const char *name;
    // r += (mass M + damping D) a, of vertices that no frame carries.
    void (*product)(const ThawInertia *inertia, const int32_t *frame_of, double mass, double damping, const double *a,
                    double *r);
    // A += G'(mass M + damping D)G.
    void (*add)(const ThawInertia *inertia, const ThawMap *map, double mass, double damping, ThawBlockMatrix *A);
    // *energy += v'Mv / 2, of vertices that no frame carries.
    void (*add_kinetic)(const ThawInertia *inertia, const int32_t *frame_of, const double *v, double *energy);
    // |v1 - v0|_M^2 and h |v1|_D^2; and where `impulse` is not NULL, it becomes M (v1 - v0) + h D v1. It may be v0.
    void (*change)(const ThawInertia *inertia, double h, const double *v0, const double *v1, double forms[2],
                   double *impulse);
    // The q whose velocities are nearest to v by M: G'M (G q + w - v) = 0.
    void (*project)(const ThawInertia *inertia, const ThawMap *map, const double *w, const double *v, double *q);
    // a: M a = f of what is not scripted, 0 elsewhere. It is there where rigid motions have the momenta that the
    // vertices' masses give them: the body may then be stepped in a moving frame, in several stages. NULL: it goes by
    // the world's axes. a may be f.
    void (*accelerate)(const ThawInertia *inertia, const unsigned char *scripted, const double *f, double *a);
} ThawInertiaOps;

// The head of every inertia; others embed it first.
struct ThawInertia {
    const ThawInertiaOps *ops;
    const ThawShape *shape;
};

// That of the shape's masses, a number a vertex.
ThawInertia thaw_inertia_lumped(const ThawShape *shape);

#endif
