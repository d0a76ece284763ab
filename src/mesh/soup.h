// SPDX-License-Identifier: Apache-2.0
// What the readers of surface files fill in: points, triangles, and runs of triangles that bear a name.
#ifndef THAW_MESH_SOUP_H
#define THAW_MESH_SOUP_H

#include "mesh/text.h"
#include "thaw/read.h"
#include "thaw/triangles.h"

// Triangles first .. end - 1 are called like that. The name lies in the text.
typedef struct ThawSpan {
    ThawToken name;
    int32_t first, end;
} ThawSpan;

typedef struct ThawSoup {
    ThawText *text; // for messages; must stay open until the soup is finished
    int32_t point_count, point_room;
    double *x; // 3 * point_count, m
    int32_t triangle_count, triangle_room;
    int32_t *corner;    // 3 * triangle_count ids of points
    int32_t *face;      // triangle_count: the place in the file of the polygon it is part of
    int32_t face_count; // polygons so far
    int32_t span_count, span_room;
    ThawSpan *spans;
    ThawFinding split; // polygons that were cut
    int32_t texture_count, texture_room;
    double *texture;   // 2 * texture_count: u, v of texture points
    int32_t *textured; // 3 * triangle_count ids of those, -1: none
    double *uv; // of what is finished: u, v of each corner of each triangle, 0 where one has none; NULL: none has any
} ThawSoup;

void thaw_soup_free(ThawSoup *soup);

// Failures are kept in the text's status.
void thaw_soup_point(ThawSoup *soup, const double x[3]);
void thaw_soup_triangle(ThawSoup *soup, int32_t a, int32_t b, int32_t c);
void thaw_soup_texture_point(ThawSoup *soup, const double uv[2]);
// Texture points of the last triangle's corners.
void thaw_soup_textured(ThawSoup *soup, const int32_t corner[3]);
// Corner number `place` (from 0) of the polygon at hand; kept[2] is scratch of the caller. Polygons become fans.
void thaw_soup_corner(ThawSoup *soup, int32_t place, int32_t corner, int32_t kept[2]);
// The polygon at hand, of so many corners, ends.
void thaw_soup_polygon_end(ThawSoup *soup, int32_t corners);
void thaw_soup_span(ThawSoup *soup, ThawToken name, int32_t first, int32_t end);

// Points at the same place become one: all nearer to each other than `near` of the diagonal of their box, none farther
// apart than 3.5 times that, but for chains. near 0: none.
ThawStatus thaw_soup_finish(ThawSoup *soup, double near, ThawTriangleMesh **mesh, ThawTriangleReport *report,
                            ThawError *error);

// thaw_triangles_read and thaw_mesh_read_sheet, and what thaw_soup_finish says of texture points: *uv is the caller's.
ThawStatus thaw_triangles_read_textured(const char *path, ThawTriangleMesh **mesh, double **uv, ThawError *error);
ThawStatus thaw_mesh_read_sheet_textured(const char *path, const ThawReadOptions *options, ThawMesh **mesh, double **uv,
                                         ThawError *error);

// The readers (read_*.c), and what their files begin with.
void thaw_read_obj(ThawText *text, ThawSoup *soup);
const char *thaw_head_obj(const char *head, size_t size, int64_t file_size);
void thaw_read_ply(ThawText *text, ThawSoup *soup);
const char *thaw_head_ply(const char *head, size_t size, int64_t file_size);
void thaw_read_stl(ThawText *text, ThawSoup *soup);
const char *thaw_head_stl(const char *head, size_t size, int64_t file_size);

#endif
