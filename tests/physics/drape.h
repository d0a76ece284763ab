// SPDX-License-Identifier: Apache-2.0
// Cusick's drape test: a disc of fabric of 30 cm, held between two plates of 18 cm, hangs over their rim.
#ifndef THAW_TEST_DRAPE_H
#define THAW_TEST_DRAPE_H

#include "step/sample.h"
#include "thaw/material.h"

typedef struct Drape {
    double coefficient; // how much of the ring beyond the plates is in its shadow from above
    int folds;          // of the rim: how often it is farther out than on the mean
    double speed;       // m/s, the fastest vertex at the end
} Drape;

// rings: of triangles beyond the plates; seed: how vertices are shifted, by up to a fifth of a ring. A material with a
// weave is woven. From flat until all vertices are slower than 0.2 mm/s, at most 6 s.
Drape drape_of(const ThawMaterialDef *material, double thickness, int rings, uint64_t seed);

// 150 g/m^2 with a membrane of 9600 N/m: by bending length (cube root of bending stiffness over weight), m, and by
// shear stiffness, N/m.
#define DRAPE_FABRIC_THICKNESS 3e-4
ThawMaterialDef drape_fabric(double length, double shear);

#endif
