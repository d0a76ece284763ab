// SPDX-License-Identifier: Apache-2.0
// A world as a stream: what live view and the page of `thaw compare` share.
#ifndef THAW_APP_VIEW_WORLD_H
#define THAW_APP_VIEW_WORLD_H

#include "thaw/thaw.h"
#include "view_hello.h"

// What is sent of worlds of one definition, and room to gather it in.
typedef struct ViewWorld {
    ThawStreamMesh *mesh;
    double *x, *values, *packed; // room for 3 doubles a point or element
    ThawContactPoint *contacts;
    double *arrows;
    double *lines, *line_scratch; // of attachments; NULL without
    int32_t contact_room;
    double middle[3], extent; // m, where half-spaces end
    int obstacles_move;
    uint64_t topology; // of the world that the mesh is of
} ViewWorld;

enum { VIEW_ALL_FIELDS = -1, VIEW_STATS = 600 };

// extent > 0: half-spaces end there, around middle; else where it suits the world.
ThawStatus view_world_create(const ThawWorld *world, int interior, const double middle[3], double extent,
                             ViewWorld *shown, ThawError *error);
void view_world_clear(ViewWorld *shown);

// One frame: positions, a field or all of them, contacts, obstacles that move. The bytes stay valid until the stream's
// next frame.
ThawStatus view_world_encode(ViewWorld *shown, const ThawWorld *world, int32_t field, int64_t frame, const char *stats,
                             ThawStream *stream, const unsigned char **bytes, size_t *size, ThawError *error);

// The members "dofs" to "elastic" of a frame's statistics, into VIEW_STATS bytes; returns their length.
int view_world_stats(const ViewWorld *shown, const ThawWorld *world, const ThawStepStats *last, char *text);

// Completes a header with what the world tells (mesh, bodies, obstacles, fields). The caller frees the text with free;
// NULL and an error without. Takes over the JSON in *hello in any case.
char *view_world_hello(ViewWorld *shown, const ThawWorld *world, ViewHello *hello, ThawError *error);

#endif
