// SPDX-License-Identifier: Apache-2.0
// Condensed inertia: vertices follow quasistatically, and the mass sits on a few mean velocities. Regions of a body,
// the inertia that they have, and the map that brings it into a matrix of elements (docs/condensation.md).
#ifndef THAW_CONDENSE_H
#define THAW_CONDENSE_H

#include "map/inertia.h"

enum { THAW_REGIONS_MAX = 64, THAW_FUNCTIONALS_MAX = THAW_REGIONS_MAX + 3 };

// Const once made; a function of the shape at rest and of where the regions are, and shared by all bodies that agree in
// both. Functionals of velocities are the momenta of regions, then (dim of them, or none) first moments inside them,
//     Y_a = sum_i m_i phi_a(i) v_i,   phi_j(i) = 1 in region j,   phi_k(i) = lever_ik,
// and  M = theta diag(m) + (1 - theta) Phi'T Phi,  a number for all axes at once.
typedef struct ThawCondensed {
    ThawInertia inertia;
    int32_t regions, functionals;
    int32_t *region_of; // nv
    int32_t *centre;    // regions, a vertex each
    int32_t anchors;    // vertices spread over the body (bordered.c)
    int32_t anchor[THAW_REGIONS_MAX];
    double *lever; // nv * dim: place in the region, from its centre of mass, over its root mean square
    double *T;     // functionals^2, 1/kg
    double *W;     // functionals^2, kg: its inverse
    double *gram;  // functionals^2, kg: Phi diag(1/m) Phi'
    double theta;
    const unsigned char *idle; // functionals without inertia, which T and W have nothing of; NULL: none are
} ThawCondensed;

// Regions around vertices: of `given` ones (given_count; NULL: none are), or of up to `count` that are spread evenly,
// one in each piece at least. region_of: nv; centre: room for THAW_REGIONS_MAX. *placed: how many.
ThawStatus thaw_regions_place(const ThawShape *shape, int32_t count, const int32_t *given, int32_t given_count,
                              int32_t *region_of, int32_t *centre, int32_t *placed, ThawError *error);

// The inertia of such regions. count 0: none, the body is quasistatic as a whole.
ThawStatus thaw_condensed_create(const ThawShape *shape, int32_t count, const int32_t *given, int32_t given_count,
                                 ThawTasks *tasks, ThawCondensed **condensed, ThawError *error);
void thaw_condensed_free(ThawCondensed **condensed);

// S, the stiffness of functionals of a body that is held (a flag a vertex), at rest and as the mean over the axes.
// S: functionals^2, N/(m kg^2).
ThawStatus thaw_condensed_find_stiffness(const ThawCondensed *condensed, const unsigned char *held, ThawTasks *tasks,
                                         double *S, ThawError *error);
// Y = Phi'M a, dim numbers a functional.
void thaw_condensed_gather(const ThawCondensed *c, const double *a, double *Y);
// G += m phi phi' of a vertex.
void thaw_condensed_add_gram(const ThawCondensed *c, int32_t vertex, double *G);

// phi_a at a vertex.
static inline double thaw_condensed_phi(const ThawCondensed *c, int32_t functional, int32_t vertex) {
    if (functional < c->regions)
        return c->region_of[vertex] == functional;
    return c->lever[(size_t)vertex * (size_t)c->inertia.shape->dim + (size_t)(functional - c->regions)];
}

// The identity map with a border: unknowns are velocities of vertices that are not scripted, then a multiplier for each
// functional. The inertia must outlive it.
ThawStatus thaw_map_bordered_create(const ThawCondensed *condensed, const unsigned char *scripted, ThawMap **map,
                                    ThawError *error);
// Of a bordered map's matrix: the border for that inertia and coefficient of its mass; 0: none, and it is decoupled.
void thaw_map_bordered_fill(const ThawMap *map, const ThawCondensed *condensed, double mass, ThawBlockMatrix *A);

// The published form: velocities of dynamic nodes (nodes.c).
typedef struct ThawNodes {
    int32_t count, vertex[THAW_REGIONS_MAX];
    double beta, gamma;
    int searches; // for the share of gamma
    int led;      // something scripted moves
    ThawProjection projection;
} ThawNodes;
ThawStatus thaw_map_nodes_create(const ThawShape *shape, const unsigned char *scripted, const ThawNodes *nodes,
                                 ThawTasks *tasks, ThawMap **map, ThawError *error);
// From the next update on these nodes (a flag for each that the map was made of) are quasistatic, too: (21), no plan is
// made anew.
void thaw_map_nodes_rest(ThawMap *map, const unsigned char *idle);
// x: quasistatic vertices come to balance with the loads while nodes and scripted ones stay (line 1 of algorithm 1).
ThawStatus thaw_map_nodes_settle(ThawMap *map, double *x, const double *f_ext);

#endif
