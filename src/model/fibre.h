// SPDX-License-Identifier: Apache-2.0
// What elements have of their own beside their material: fibres, and how stiff they are.
#ifndef THAW_MODEL_FIBRE_H
#define THAW_MODEL_FIBRE_H

#include "model/model.h"

// Directions of fibres, where a material has some, and factors of stiffness, where the definition gives them. The
// materials are in `data`.
ThawStatus thaw_fibres_take(const ThawShapeDef *def, const ThawShape *shape, const ThawMaterial *materials,
                            ThawElementData *data, ThawError *error);
// The block, of a shape whose cells, materials and directions are in place; none where no cell has fibres.
ThawStatus thaw_fibres_add_block(ThawShape *shape, ThawError *error);

#endif
