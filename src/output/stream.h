// SPDX-License-Identifier: Apache-2.0
// Frames for the web page (docs/viewer-protocol.md): what is sent of a mesh, and one view's frames as bytes.
#ifndef THAW_STREAM_H
#define THAW_STREAM_H

#include "base/base.h"
#include "thaw/field.h"

// What is sent of all bodies together. "Points" and "elements" are counted over all bodies; "vertices" are the points
// that are sent: those of the surface, or all of them (interior).
typedef struct ThawStreamMesh {
    int nodes;    // vertices an element: 4 (of sheets the last one twice) or 3
    int interior; // nonzero: all points are sent, and values of all elements
    int32_t body_count, point_count, element_count, vertex_count, triangle_count;
    int32_t *points;    // vertex_count: which point each vertex is; ascending
    int32_t *triangles; // 3 a triangle, vertices, anticlockwise from outside; of sheets from both sides
    int32_t *element;   // of each triangle
    int32_t *elements;  // nodes an element, points
    // Where each body's begin, body_count + 1 each:
    int32_t *first_point, *first_element, *first_vertex, *first_triangle;
    double origin[3]; // m: where the page's zero is; zeros unless the bodies are far from it (mesh/far.h)
} ThawStreamMesh;

// Bodies' points and elements must follow each other in order. body: of each point. Nothing is kept of the arguments.
ThawStatus thaw_stream_mesh_create(int nodes, int32_t body_count, const int32_t *body, int32_t point_count,
                                   const int32_t *elements, int32_t element_count, int interior, ThawStreamMesh **mesh,
                                   ThawError *error);
void thaw_stream_mesh_free(ThawStreamMesh **mesh);
// Settles the origin, for points as they are at the start.
void thaw_stream_mesh_settle(ThawStreamMesh *mesh, const double *x);

typedef enum ThawStreamKind {
    THAW_STREAM_LIVE, // each frame by itself, as fine as its own range allows
    THAW_STREAM_FILE, // each frame as what has changed since the one before, in bytes that compress well
} ThawStreamKind;

// The frames of one view. The mesh is borrowed and must outlive it.
typedef struct ThawStream ThawStream;
ThawStatus thaw_stream_create(const ThawStreamMesh *mesh, ThawStreamKind kind, int view, ThawStream **stream,
                              ThawError *error);
void thaw_stream_free(ThawStream **stream);

// One frame: begin, then what it shows, then end. The first failure is kept and returned by end.
void thaw_stream_begin(ThawStream *stream);
void thaw_stream_positions(ThawStream *stream, const double *x);                          // 3 a point, m
void thaw_stream_field(ThawStream *stream, const ThawField *field, const double *values); // of all points or elements
// Points, and (components > 3) what belongs to them: an arrow, say.
void thaw_stream_points(ThawStream *stream, const char *name, const char *place, int components, int32_t count,
                        const double *values);
// stats: the members of a JSON object, "\"dofs\": 12, ...", or "". The bytes stay valid until the next begin.
ThawStatus thaw_stream_end(ThawStream *stream, int64_t frame, int64_t step, double time, const char *stats,
                           const unsigned char **bytes, size_t *size, ThawError *error);

#endif
