// SPDX-License-Identifier: Apache-2.0
// The kernels of sheets in space: a membrane's triangles (membrane.c) in four forms, plane stress, fixed thickness,
// woven and by lengths, the bending of a triangle against its neighbours (bending.c), and the pressure inside a closed
// sheet (pressure.c). element.c puts them into their tables.
#ifndef THAW_FORCE_SHEET_H
#define THAW_FORCE_SHEET_H

#include <stdint.h>

#include "model/integration.h"

// membrane.c
void thaw_membrane_rest(const double *X, double *weight, double *gradient);
void thaw_membrane_energy_plane(void *pass, int32_t chunk);
void thaw_membrane_energy_fixed(void *pass, int32_t chunk);
void thaw_membrane_energy_woven(void *pass, int32_t chunk);
void thaw_membrane_energy_lengths(void *pass, int32_t chunk);
void thaw_membrane_looking_plane(void *pass, int32_t chunk);
void thaw_membrane_looking_fixed(void *pass, int32_t chunk);
void thaw_membrane_looking_woven(void *pass, int32_t chunk);
void thaw_membrane_looking_lengths(void *pass, int32_t chunk);
void thaw_membrane_force_plane(void *pass, int32_t chunk);
void thaw_membrane_force_fixed(void *pass, int32_t chunk);
void thaw_membrane_force_woven(void *pass, int32_t chunk);
void thaw_membrane_force_lengths(void *pass, int32_t chunk);
void thaw_membrane_linearise_plane(void *pass, int32_t chunk);
void thaw_membrane_linearise_fixed(void *pass, int32_t chunk);
void thaw_membrane_linearise_woven(void *pass, int32_t chunk);
void thaw_membrane_linearise_lengths(void *pass, int32_t chunk);
void thaw_membrane_product_plane(void *pass, int32_t chunk);
void thaw_membrane_product_fixed(void *pass, int32_t chunk);
void thaw_membrane_product_woven(void *pass, int32_t chunk);
void thaw_membrane_product_lengths(void *pass, int32_t chunk);
void thaw_membrane_stress_plane(void *pass, int32_t chunk);
void thaw_membrane_stress_fixed(void *pass, int32_t chunk);
void thaw_membrane_stress_woven(void *pass, int32_t chunk);
void thaw_membrane_stress_lengths(void *pass, int32_t chunk);
void thaw_membrane_virial_plane(void *pass, int32_t chunk);
void thaw_membrane_virial_fixed(void *pass, int32_t chunk);
void thaw_membrane_virial_woven(void *pass, int32_t chunk);
void thaw_membrane_virial_lengths(void *pass, int32_t chunk);
// fold.c: of the triangle and of its three hinges
void thaw_sheet_strain(const void *pass, int32_t first, int32_t end);
// A sheet has no inside: none of its elements is inside out.
int thaw_sheet_inverted(const void *pass, int32_t chunk);
// Pressure on the triangles of rigid parts is evaluated as it is on others: no stress of parts.
void thaw_pressure_virial(void *pass, int32_t chunk);
// weave.c: psi, P and, unless NULL, C of F's first two columns, rows of the third 0; the third is the normal.
// Projected: a positive semi-definite part of C.
void thaw_woven(const ThawBatch *batch, const ThawLanes F[9], int project, ThawLanes *psi, ThawLanes P[9],
                ThawLanes *C);
void thaw_lengths(const ThawBatch *batch, const ThawLanes F[9], int project, ThawLanes *psi, ThawLanes P[9],
                  ThawLanes *C);
// Symmetric 2x2 (xx, xy, yy) -> its positive part.
void thaw_keep_positive(ThawLanes M[3]);
// pressure.c
void thaw_pressure_energy(void *pass, int32_t chunk);
void thaw_pressure_looking(void *pass, int32_t chunk);
void thaw_pressure_force(void *pass, int32_t chunk);
void thaw_pressure_linearise(void *pass, int32_t chunk);
void thaw_pressure_product(void *pass, int32_t chunk);
// bending.c; of pressure, too: no stress and no strain
void thaw_bending_energy_near(void *pass, int32_t chunk);
void thaw_bending_energy_wide(void *pass, int32_t chunk);
void thaw_bending_looking_near(void *pass, int32_t chunk);
void thaw_bending_looking_wide(void *pass, int32_t chunk);
void thaw_bending_force_near(void *pass, int32_t chunk);
void thaw_bending_force_wide(void *pass, int32_t chunk);
void thaw_bending_linearise_near(void *pass, int32_t chunk);
void thaw_bending_linearise_wide(void *pass, int32_t chunk);
void thaw_bending_product_near(void *pass, int32_t chunk);
void thaw_bending_product_wide(void *pass, int32_t chunk);
void thaw_bending_virial_near(void *pass, int32_t chunk);
void thaw_bending_virial_wide(void *pass, int32_t chunk);
void thaw_bending_stress(void *pass, int32_t chunk);

// limit.c
void thaw_limit_constants(const struct ThawMaterial *material, double thickness, double factor, double *c);
void thaw_limit_energy(void *pass, int32_t chunk);
void thaw_limit_looking(void *pass, int32_t chunk);
void thaw_limit_force(void *pass, int32_t chunk);
void thaw_limit_linearise(void *pass, int32_t chunk);
void thaw_limit_product(void *pass, int32_t chunk);
void thaw_limit_virial(void *pass, int32_t chunk);

#endif
