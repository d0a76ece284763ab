// SPDX-License-Identifier: Apache-2.0
// The arrays of a VTU file, wherever and however they are stored: for meshes (read_vtu.c) and for frames (output/).
#ifndef THAW_MESH_VTU_H
#define THAW_MESH_VTU_H

#include "mesh/text.h"

typedef enum ThawVtuPlace {
    THAW_VTU_POINTS,
    THAW_VTU_CELLS,
    THAW_VTU_POINT_DATA,
    THAW_VTU_CELL_DATA,
    THAW_VTU_FIELD_DATA,
    THAW_VTU_PLACE_COUNT
} ThawVtuPlace;

typedef enum ThawVtuFormat { THAW_VTU_ASCII, THAW_VTU_BINARY, THAW_VTU_APPENDED } ThawVtuFormat;

typedef struct ThawVtuArray {
    ThawVtuPlace place;
    ThawVtuFormat format;
    char name[200];      // cut to this
    char kind;           // 'i', 'u', 'f', or 0: something else
    int size;            // bytes a number
    int64_t components;  // numbers a tuple
    uint64_t offset;     // THAW_VTU_APPENDED
    const char *content; // the others: between content and content_end of the text
    const char *content_end;
    int64_t line;
} ThawVtuArray;

typedef struct ThawVtu {
    ThawText *text; // borrowed
    uint64_t point_count, cell_count;
    int header_size;     // 4 or 8 bytes: of lengths in front of binary data
    int compressed;      // nonzero: zlib
    int appended_base64; // nonzero: the appended data are text
    const char *appended, *appended_end;
    int array_count, array_room;
    ThawVtuArray *arrays;
} ThawVtu;

// Finds the arrays of a file of one piece. Messages go to the text, which must stay open. Free it in any case.
ThawStatus thaw_vtu_open(ThawText *text, ThawVtu *vtu);
void thaw_vtu_free(ThawVtu *vtu);

// NULL when there is none; name NULL: the first at that place.
const ThawVtuArray *thaw_vtu_find(const ThawVtu *vtu, ThawVtuPlace place, const char *name);

// The numbers of an array, which must be exactly `count`. The caller frees *values.
ThawStatus thaw_vtu_numbers(const ThawVtu *vtu, const ThawVtuArray *array, uint64_t count, double **values);

#endif
