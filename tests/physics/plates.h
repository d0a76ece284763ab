// SPDX-License-Identifier: Apache-2.0
// Sheets at rest whose theory is known: strips, plates and shells, on meshes of any family.
#ifndef THAW_TEST_PLATES_H
#define THAW_TEST_PLATES_H

#include "physics/sheets.h"

// Cells along and across, and how they are cut; at random and in turns with vertices shifted by up to a quarter.
typedef struct PlateMesh {
    int nx, ny;
    SheetFamily family;
} PlateMesh;

const char *plate_family(SheetFamily family);

// The heavy elastica: EI theta'' + rho g S (L - s) cos theta = 0, theta(0) = 0, theta'(L) = 0, by Gamma = rho g S L^3 /
// EI; drop over reach of its end.
enum { ELASTICA_ROWS = 13 };
extern const struct ElasticaRow { double gamma, ratio; } ELASTICA[ELASTICA_ROWS];
// The same of a clamped strip of length 1, thickness t, for `count` ascending values of Gamma, by EI or, of a plate, by
// D.
void plate_elastica(PlateMesh mesh, double width, double t, double nu, int plate, int count, const double *gamma,
                    double *ratio);

// The plate of Sze et al. (2004), L = 10, under P end^2 = factor EI / L^2: how far its end has moved back and up.
void plate_end_shear(PlateMesh mesh, double factor, double moved[2]);

// A strip on edge, length 1, a fiftieth of its width thick: the least Gamma = rho g t L^3 / D at which it buckles
// sideways under its weight, or P L^2 / sqrt(EI GJ) by a load at its end. Within 1e-4 of itself.
double plate_buckles_by_weight(PlateMesh mesh, double width, double nu);
double plate_buckles_by_load(PlateMesh mesh, double width, double nu);

// A square plate of n by n cells on simple supports, nu 0.3, small loads: its middle's deflection over that of theory,
// under an even load (.0040624 q a^4 / D) or a force in its middle (.011601 P a^2 / D).
double plate_square(int n, SheetFamily family, int force);

// The obstacle course for shells, small loads: displacement over that of the reference. n: cells along an edge of the
// smallest part that symmetry leaves.
typedef double PlateShell(int n, SheetFamily family);
PlateShell plate_roof, plate_cylinder, plate_hemisphere;
// A cylinder with free ends between two line loads, which bends and does not stretch: the same, by theory of rings
// (diameters change by (pi/4 - 2/pi) P R^3 / EI). t: its thickness over its radius.
double plate_ring(int n, SheetFamily family, double t);

#endif
