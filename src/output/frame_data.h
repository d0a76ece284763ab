// SPDX-License-Identifier: Apache-2.0
// One frame as plain arrays: all bodies of a world in one grid. Between frames.c, which fills it, and the file formats.
#ifndef THAW_FRAME_DATA_H
#define THAW_FRAME_DATA_H

#include "base/base.h"
#include "thaw/field.h"
#include "thaw/world.h"

// Cells of a frame in space have four corners; those of triangles, which sheets have, come with the last one twice.
static inline int thaw_cell_is_sheet(int nodes, const int32_t *cell) { return nodes == 4 && cell[2] == cell[3]; }
// The elements of a body as such cells of `nodes` corners, points counted from `first`.
ThawStatus thaw_cells_gather(const ThawWorld *world, int32_t body, int nodes, int32_t first, int32_t *cells);

// The outside of a mesh: tetrahedron faces that belong to one tetrahedron only, seen anticlockwise from outside, and
// the triangles of sheets; in 2D the triangles themselves.
typedef struct ThawSkin {
    int32_t triangle_count;
    int32_t *triangles; // 3 a triangle, ids of the mesh's vertices
    int32_t *element;   // of each triangle
} ThawSkin;

// nodes: 4 (in space) or 3 (triangles) vertices an element; ids must be in range. Linear in the size of the mesh.
ThawStatus thaw_skin_build(int32_t vertex_count, int nodes, const int32_t *elements, int32_t element_count,
                           ThawSkin *skin, ThawError *error);
void thaw_skin_clear(ThawSkin *skin);

enum { THAW_FRAME_ATTACHMENT = 5 };

typedef struct ThawFrameData {
    double time; // s
    int nodes;   // vertices a cell: 4 in space; 3 in the plane, and of obstacles
    int32_t point_count, cell_count, body_count;
    int64_t step;    // -1: not known
    double *x;       // 3 a point, m; z = 0 in 2D
    int32_t *body;   // of each point
    int32_t *cells;  // nodes a cell
    double **fields; // thaw_field_count() of them, `components` doubles a point or cell; NULL: not in this frame
    double *v;       // one of them, by a shorter name: velocity, always there
    double *region;  // likewise
    int32_t obstacle_count;
    double *reaction;  // 3 an obstacle, N: its forces on all bodies; NULL without
    double *hindrance; // a body: a ThawHindrance, what keeps it from sleep; NULL without
    int32_t attachment_count, line_count;
    double *attachments; // THAW_FRAME_ATTACHMENT each: body, other body or -1, obstacle or -1 (both: a frame), force on
                         // the body (N) or at which it let go, when that was (s) or -1; NULL without
    double *lines;       // 6 each: a vertex that is held and its anchor, m; NULL without
    double *thresholds;  // 2 a body: of the strain rate squared (1/s^2) and the strain allowed; < 0: none. NULL without
} ThawFrameData;

// Room for so many points and cells, with velocity and region; all or nothing.
ThawStatus thaw_frame_data_create(int nodes, int32_t point_count, int32_t cell_count, ThawFrameData **data,
                                  ThawError *error);
void thaw_frame_data_free(ThawFrameData **data);
// Room for a field, all zero, unless it is there already.
ThawStatus thaw_frame_data_add(ThawFrameData *data, int32_t field, ThawError *error);
// Doubles that a field takes in this frame.
size_t thaw_frame_field_size(const ThawFrameData *data, int32_t field);

// Whether positions as floats would lose the shape (mesh/far.h).
int thaw_frame_is_far(const ThawFrameData *data);

// The surfaces of a world's obstacles at its present time as a frame of triangles: `body` is the obstacle, `region` its
// ThawObstacleKind. Half-spaces end as slabs around `middle`. *moves: whether any will be elsewhere at another time.
// *data is NULL where there are none; the caller frees it.
ThawStatus thaw_obstacle_frame(const ThawWorld *world, const double middle[3], double extent, ThawFrameData **data,
                               int *moves, ThawError *error);

// Springs of attachments that hold, as lines of 6 numbers; how many there may be, and doubles of scratch for it
// (lines.c).
size_t thaw_lines_room(const ThawWorld *world, size_t *scratch);
int32_t thaw_lines_gather(const ThawWorld *world, double *scratch, double *lines);
// As in a frame, THAW_FRAME_ATTACHMENT numbers each.
void thaw_attachments_gather(const ThawWorld *world, double *attachments);

// --- VTU files (vtu.c, vtu_read.c)
// ---------------------------------------------------------------------------------------

// bits: 32 or 64, of positions and velocities; positions have 64 where floats would lose the shape. scratch:
// thaw_vtu_scratch bytes.
size_t thaw_vtu_scratch(const ThawFrameData *data);
ThawStatus thaw_vtu_write(const char *path, const ThawFrameData *data, int bits, void *scratch, ThawError *error);

// Reads what thaw_vtu_write writes; any other or damaged file is THAW_ERROR_INPUT. The caller frees *data.
ThawStatus thaw_vtu_read(const char *path, ThawFrameData **data, ThawError *error);

// --- surface files (surface_files.c)
// -------------------------------------------------------------------------------------

typedef struct ThawFrameSurface {
    int32_t point_count, triangle_count, body_count;
    const int32_t *points;    // point_count ids into the frame's points, grouped by body
    const int32_t *triangles; // 3 a triangle, indices into points, grouped by body
    const int32_t *first;     // body_count + 1: where each body's triangles begin
    const char *const *names; // body_count
    int far;                  // nonzero: floats, and nine digits, are too coarse for the points
} ThawFrameSurface;

ThawStatus thaw_obj_write(const char *path, const ThawFrameData *data, const ThawFrameSurface *surface,
                          ThawError *error);
ThawStatus thaw_ply_write(const char *path, const ThawFrameData *data, const ThawFrameSurface *surface,
                          ThawError *error);

#endif
