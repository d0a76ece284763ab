// SPDX-License-Identifier: Apache-2.0
// The kernels of sheets in space: a membrane's triangles (membrane.c) in two forms, plane stress and fixed thickness,
// and the bending of a triangle against its neighbours (bending.c). element.c puts them into their tables.
#ifndef THAW_FORCE_SHEET_H
#define THAW_FORCE_SHEET_H

#include <stdint.h>

// membrane.c
void thaw_membrane_rest(const double *X, double *weight, double *gradient);
void thaw_membrane_energy_plane(void *pass, int32_t chunk);
void thaw_membrane_energy_fixed(void *pass, int32_t chunk);
void thaw_membrane_looking_plane(void *pass, int32_t chunk);
void thaw_membrane_looking_fixed(void *pass, int32_t chunk);
void thaw_membrane_force_plane(void *pass, int32_t chunk);
void thaw_membrane_force_fixed(void *pass, int32_t chunk);
void thaw_membrane_linearise_plane(void *pass, int32_t chunk);
void thaw_membrane_linearise_fixed(void *pass, int32_t chunk);
void thaw_membrane_product_plane(void *pass, int32_t chunk);
void thaw_membrane_product_fixed(void *pass, int32_t chunk);
void thaw_membrane_stress_plane(void *pass, int32_t chunk);
void thaw_membrane_stress_fixed(void *pass, int32_t chunk);
void thaw_membrane_strain(const void *pass, int32_t first, int32_t end);
// A sheet has no inside: none of its elements is inside out. Its rigid parts are not there yet: no sums of stress.
int thaw_sheet_inverted(const void *pass, int32_t chunk);
void thaw_sheet_virial(void *pass, int32_t chunk);
// bending.c
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
void thaw_bending_stress(void *pass, int32_t chunk);
void thaw_bending_strain(const void *pass, int32_t first, int32_t end);

#endif
