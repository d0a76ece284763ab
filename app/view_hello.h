// SPDX-License-Identifier: Apache-2.0
// The header of a stream (docs/viewer-protocol.md) as JSON: what live view, replay and offline page share.
#ifndef THAW_APP_VIEW_HELLO_H
#define THAW_APP_VIEW_HELLO_H

#include <jansson.h>

#include "output/frame_data.h"
#include "output/stream.h"

enum { VIEW_VIEWS = 2 };

typedef struct ViewHello {
    const char *scene, *title;
    int dim, live;
    double h; // s; 0: not known
    int views;
    const char *view_names[VIEW_VIEWS];
    const ThawStreamMesh *mesh;
    const double *x;                                // 3 a point, at the start
    const char *const *body_names, *const *methods; // of each body; methods may be NULL
    const ThawFrameData *obstacles;                 // may be NULL
    const char *const *obstacle_names;              // may be NULL
    int obstacles_move;
    const unsigned char *has_field; // thaw_field_count flags
    const double *times;            // frames of them; not live
    int64_t frames;
    const double *box; // 6: low and high of what is shown; NULL: of x and finite obstacles
    // Taken over; any may be NULL:
    json_t *settings, *shapes, *methods_known, *report, *series[VIEW_VIEWS];
} ViewHello;

// The header as a JSON text, which the caller frees with free; NULL when memory ran out. Takes over the JSON in *hello
// in any case.
char *view_hello_text(ViewHello *hello);

void view_hello_drop(ViewHello *hello); // frees the JSON in it

// The answer to a pick: the keys of `thaw explain --json` and what tells where it is. NULL when memory ran out.
json_t *view_element_json(const ThawElementReport *report, const char *body_name, int view, int32_t element);

// Copies what fits into `room` bytes, and ends it between two characters; bytes that are no UTF-8 become '?'. JSON
// takes the copy for certain.
void view_copy_text(const char *text, char *copy, size_t room);

// base64 of bytes, terminated, in memory of thaw_alloc; NULL without.
char *view_base64(const void *bytes, size_t size);

// What obstacles are sent as with each frame: 3 a vertex. The frame's own points, for that is all they are.
void view_send_obstacles(ThawStream *stream, const ThawFrameData *obstacles);

#endif
