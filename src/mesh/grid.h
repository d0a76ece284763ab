// SPDX-License-Identifier: Apache-2.0
// An unstructured grid in VTK's terms, between the readers of .vtu and .vtk files and the draft of a mesh. All numbers
// are doubles: ids are exact in them, and the two formats have a dozen types of numbers.
#ifndef THAW_MESH_GRID_H
#define THAW_MESH_GRID_H

#include "mesh/draft.h"
#include "mesh/text.h"

typedef enum ThawGridPlace { THAW_GRID_POINT_DATA, THAW_GRID_CELL_DATA, THAW_GRID_FIELD_DATA } ThawGridPlace;

typedef struct ThawGridArray {
    ThawGridPlace place;
    char *name;     // owned
    double *values; // point_count, cell_count, or 1; owned
} ThawGridArray;

typedef struct ThawGrid {
    uint64_t point_count, cell_count, corner_count;
    double *x;       // 3 * point_count
    double *type;    // cell_count, VTK's numbers of cell types
    double *end;     // cell_count: where in corner a cell's end
    double *corner;  // corner_count ids of points
    int array_count; // those that name regions or groups, see thaw_grid_wants
    ThawGridArray *arrays;
} ThawGrid;

// Nonzero for arrays that say something about regions or groups; only these need be added.
int thaw_grid_wants(ThawGridPlace place, const char *name);
// Takes `values` over, and frees it when it fails.
ThawStatus thaw_grid_add(ThawGrid *grid, ThawGridPlace place, const char *name, double *values, ThawError *error);
void thaw_grid_free(ThawGrid *grid);

// Everything in the grid is checked here. Messages go to the text.
ThawStatus thaw_grid_draft(const ThawGrid *grid, ThawText *text, ThawDraft *draft);

#endif
