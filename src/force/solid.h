// SPDX-License-Identifier: Apache-2.0
// The kernels of elements that fill their space with one constant F each: linear triangles in the plane (2d) and linear
// tetrahedra (3d). element.c puts them into their tables.
#ifndef THAW_FORCE_SOLID_H
#define THAW_FORCE_SOLID_H

#include <stdint.h>

// solid.c
void thaw_solid_energy_2d(void *pass, int32_t chunk);
void thaw_solid_energy_3d(void *pass, int32_t chunk);
void thaw_solid_energy_looking_2d(void *pass, int32_t chunk);
void thaw_solid_energy_looking_3d(void *pass, int32_t chunk);
int thaw_solid_inverted_2d(const void *pass, int32_t chunk);
int thaw_solid_inverted_3d(const void *pass, int32_t chunk);
void thaw_solid_force_2d(void *pass, int32_t chunk);
void thaw_solid_force_3d(void *pass, int32_t chunk);
void thaw_solid_product_2d(void *pass, int32_t chunk);
void thaw_solid_product_3d(void *pass, int32_t chunk);
void thaw_solid_virial_2d(void *pass, int32_t chunk);
void thaw_solid_virial_3d(void *pass, int32_t chunk);
void thaw_solid_stress_2d(void *pass, int32_t chunk);
void thaw_solid_stress_3d(void *pass, int32_t chunk);
// stiffness.c
void thaw_solid_linearise_2d(void *pass, int32_t chunk);
void thaw_solid_linearise_3d(void *pass, int32_t chunk);
// strain.c
void thaw_solid_strain_2d(const void *pass, int32_t first, int32_t end);
void thaw_solid_strain_3d(const void *pass, int32_t first, int32_t end);

#endif
