// SPDX-License-Identifier: Apache-2.0
// The functions of each model, one file each; others reach them through thaw_material_ops.
#ifndef THAW_MATERIAL_MODELS_H
#define THAW_MATERIAL_MODELS_H

#include "material/material.h"

extern const ThawMaterialOps thaw_material_stvk;
extern const ThawMaterialOps thaw_material_neo_hookean;
extern const ThawMaterialOps thaw_material_stable_neo_hookean;
extern const ThawMaterialOps thaw_material_corotational;

#endif
