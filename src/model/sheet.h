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
// Adds the block of bending to a sheet whose membrane, materials and thickness are in place.
ThawStatus thaw_sheet_add_bending(ThawShape *shape, ThawError *error);
// What a sheet needs of its definition; messages name the shape.
ThawStatus thaw_sheet_check(const ThawShapeDef *def, const char *name, ThawError *error);
// What bodies that are sheets cannot have yet: once bodies, units, obstacles and attachments are compiled.
ThawStatus thaw_sheets_allow(const ThawModel *model, ThawError *error);
// An error where the method does not move sheets; `where` begins the message.
ThawStatus thaw_sheet_check_method(const char *where, const ThawMethod *method, ThawError *error);

#endif
