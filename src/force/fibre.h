// SPDX-License-Identifier: Apache-2.0
// The kernels of fibres in solid elements (fibre.c), in the plane and in space. element.c puts them into their tables.
#ifndef THAW_FORCE_FIBRE_H
#define THAW_FORCE_FIBRE_H

#include <stdint.h>

struct ThawMaterial;

void thaw_fibre_constants(const struct ThawMaterial *material, double thickness, double factor, double *c);
void thaw_fibre_energy_2d(void *pass, int32_t chunk);
void thaw_fibre_energy_3d(void *pass, int32_t chunk);
void thaw_fibre_looking_2d(void *pass, int32_t chunk);
void thaw_fibre_looking_3d(void *pass, int32_t chunk);
void thaw_fibre_force_2d(void *pass, int32_t chunk);
void thaw_fibre_force_3d(void *pass, int32_t chunk);
void thaw_fibre_linearise_2d(void *pass, int32_t chunk);
void thaw_fibre_linearise_3d(void *pass, int32_t chunk);
void thaw_fibre_product_2d(void *pass, int32_t chunk);
void thaw_fibre_product_3d(void *pass, int32_t chunk);
void thaw_fibre_virial_2d(void *pass, int32_t chunk);
void thaw_fibre_virial_3d(void *pass, int32_t chunk);

#endif
