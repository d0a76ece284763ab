// SPDX-License-Identifier: Apache-2.0
// Sheets: what a shape of triangles in space has besides its membrane.
#ifndef THAW_MODEL_SHEET_H
#define THAW_MODEL_SHEET_H

#include "model/model.h"

static inline int thaw_shape_is_sheet(const ThawShape *shape) { return shape->cells->kind->dim < shape->dim; }

// Vertices of a sheet (by the mesh's ids) in an order in which those that are near each other stand together.
ThawStatus thaw_sheet_order(const ThawMesh *mesh, int32_t *order, ThawError *error);
// Vertices that stand in one element of a shape with bending.
ThawStatus thaw_sheet_graph(const ThawShape *shape, ThawGraph **graph, ThawError *error);
// Adds the blocks of bending and pressure to a sheet whose membrane, materials, thickness and warp are in place.
ThawStatus thaw_sheet_add_blocks(ThawShape *shape, ThawError *error);
// How a sheet stretches whose definition leaves it open; its elements' materials are known.
ThawMembrane thaw_sheet_membrane(const ThawShapeDef *def, const ThawMaterial *materials, const int32_t *material);
// The warp of a woven sheet, and its membrane's gradients from the triangles' axes to warp and weft.
ThawStatus thaw_sheet_weave(const ThawShapeDef *def, ThawShape *shape, ThawError *error);
void thaw_sheet_turn(ThawShape *shape);
// What a sheet needs of its definition; messages name the shape.
ThawStatus thaw_sheet_check(const ThawShapeDef *def, const char *name, ThawError *error);
// Whether one of its materials has what its membrane needs, and no weave that it does not heed.
ThawStatus thaw_sheet_check_material(const ThawShape *shape, const ThawMaterial *material, int32_t index,
                                     ThawError *error);
// What bodies that are sheets cannot have yet: once bodies, units, obstacles and attachments are compiled.
ThawStatus thaw_sheets_allow(const ThawModel *model, ThawError *error);
// An error where the method does not move sheets; `where` begins the message.
ThawStatus thaw_sheet_check_method(const char *where, const ThawMethod *method, ThawError *error);

#endif
