// SPDX-License-Identifier: Apache-2.0
// A recorded run as a stream: for replay and for offline pages.
#ifndef THAW_APP_VIEW_RECORDED_H
#define THAW_APP_VIEW_RECORDED_H

#include "output/replay.h"
#include "view_hello.h"
#include "view_series.h"

typedef struct ViewRecorded {
    ThawReplay *replay; // borrowed
    char *scene, *title;
    ThawFrameData *first; // the frame that the mesh is of
    ThawFrameData *obstacles;
    ThawStreamMesh *mesh;
    ThawStream *stream;
    double *times; // s, of each frame
    unsigned char *has_field;
    char **names, **methods, **obstacle_names; // of bodies and obstacles; methods may be NULL
    double h;                                  // s; 0: not known
    ViewSeries series;
    int obstacles_move;
    double box[6];
} ViewRecorded;

// Reads what does not change from one frame and from the run's files. Frames whose mesh is another one are not shown.
// interior: the inside of bodies, too; in a file only if it is not too much for a page.
ThawStatus view_recorded_open(ThawReplay *replay, int64_t index, ThawStreamKind kind, int interior,
                              ViewRecorded *recorded, ThawError *error);
// Whether a frame can be read and has another mesh.
int view_recorded_differs(const ViewRecorded *recorded, int64_t index);
void view_recorded_clear(ViewRecorded *recorded);

// One frame with all its fields (field < 0) or with one. The bytes stay valid until the next call. Widens the box.
ThawStatus view_recorded_encode(ViewRecorded *recorded, int64_t index, int32_t field, const unsigned char **bytes,
                                size_t *size, ThawError *error);

// What a page can be told to show of it, as in the header.
json_t *view_recorded_settings(const ViewRecorded *recorded, int32_t field);
// A field that is worth a look.
int32_t view_recorded_field(const ViewRecorded *recorded);
// The header, for a page that starts with this field. The caller frees the text with free.
char *view_recorded_hello(const ViewRecorded *recorded, int32_t field);

#endif
