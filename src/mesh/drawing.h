// SPDX-License-Identifier: Apache-2.0
// Drawings: what lies inside outlines in the plane. From SVG files, outlines of Triangle (.poly), and flat triangle
// surfaces.
#ifndef THAW_MESH_DRAWING_H
#define THAW_MESH_DRAWING_H

#include "mesh/solid.h"
#include "mesh/text.h"

// The inside of closed lines: straight segments in any order.
typedef struct ThawDrawingPart {
    double *points;      // 4 a segment: its ends, (x, y) each
    int32_t count, room; // segments
    // 0: a point is inside where a ray from it crosses an odd number of lines; else by how often they run around it.
    int nonzero;
} ThawDrawingPart;

// The union of its parts.
typedef struct ThawDrawing {
    ThawDrawingPart *parts;
    int32_t part_count, part_room;
    int32_t segments; // of all parts
    int metres;       // nonzero: the file says its unit, and all is in metres
    int pixels;       // nonzero: it says none, and its coordinates are taken as pixels of 1/96 inch
    double lo[2], hi[2];
} ThawDrawing;

enum { THAW_DRAWING_MOST = 50000 }; // segments

// Whether a file of this name is always a drawing, whatever is asked for.
int thaw_is_drawing(const char *path);
// Chooses by the ending. The caller frees *drawing; on error it is NULL.
ThawStatus thaw_drawing_read(const char *path, ThawDrawing **drawing, ThawError *error);
// The same from bytes in memory: ".svg" or ".poly".
ThawStatus thaw_drawing_parse(const void *bytes, size_t size, const char *ending, const char *name,
                              ThawDrawing **drawing, ThawError *error);
void thaw_drawing_free(ThawDrawing **drawing);

// Adds it to a solid, from z = lo to hi (a flat one: without end): the id of its node, bounded; -1 without memory.
int32_t thaw_solid_add_drawing(ThawSolid *solid, const ThawDrawing *drawing, double lo, double hi);

// The axis along which a surface has no extent, the last where there are several; -1: it is not flat.
int thaw_surface_flat_axis(const ThawTriangleMesh *surface, double size[3]);

// For readers. Failures are kept in the text's status; a part without segments is none.
void thaw_drawing_begin(ThawDrawing *drawing, ThawText *text, int nonzero);
void thaw_drawing_segment(ThawDrawing *drawing, ThawText *text, const double a[2], const double b[2]);
void thaw_read_svg(ThawText *text, ThawDrawing *drawing);
const char *thaw_head_svg(const char *head, size_t size, int64_t file_size);

#endif
