// SPDX-License-Identifier: Apache-2.0
// A map of tests alone: the velocity is an affine field of the present positions, and one random field a direction on
// top,
//     v_i = z_i0 q_0 + ... + z_in q_n + w_i,   z_i = (1, x_i - centre, random number of the vertex), 0 where it is
//     scripted.
// All rows of G are dense, its matrix is its own, it follows the state, and it may have an offset at every vertex.
#ifndef THAW_TEST_MODES_H
#define THAW_TEST_MODES_H

#include "map/inertia.h"

enum {
    MODES_WITHOUT_ROWS = 1, // contact response has apply and apply_t alone
    MODES_DRIVEN = 2,       // w is a rigid motion, at all vertices
    MODES_BENT = 4,         // w is a bend on top of that, which no modes can make up for
    MODES_AFFINE = 8,       // without the random field: in the plane that is six unknowns
};
static const double MODES_MOTION[6] = {0.1, -0.2, 0.15, 0.2, 0.3, -0.25}; // w of one that is driven: m/s, rad/s about 0

// Follows the state once it was updated; until then x is that of rest.
ThawStatus modes_map_create(const ThawShape *shape, const unsigned char *scripted, unsigned flags, ThawMap **map,
                            ThawError *error);

// An inertia of tests alone, not diagonal: nine tenths of the mass move with the mean velocity of the body, the rest
// stays with the vertices. M = 0.9 m m'/sum m + 0.1 diag(m), and D as ever.
ThawInertia mean_inertia(const ThawShape *shape);

#endif
