// SPDX-License-Identifier: Apache-2.0
// Attachments as they are shown: what each holds and bears, and its springs as lines from vertices to anchors. Of a
// large region some of the springs stand for all.
#include <math.h>
#include <string.h>

#include "output/frame_data.h"

enum { SHOWN = 200 }; // of one attachment

static int32_t stride_of(int32_t vertices) { return (vertices + SHOWN - 1) / SHOWN; }

size_t thaw_lines_room(const ThawWorld *world, size_t *scratch) {
    size_t lines = 0;
    ThawAttachmentState a;
    *scratch = 0;
    for (int32_t i = 0; i < thaw_world_attachment_count(world); i++) {
        if (thaw_world_get_attachment(world, i, &a) != THAW_OK || a.vertices == 0)
            continue;
        lines += (size_t)((a.vertices + stride_of(a.vertices) - 1) / stride_of(a.vertices));
        *scratch = *scratch > 6 * (size_t)a.vertices ? *scratch : 6 * (size_t)a.vertices;
    }
    return lines;
}

int32_t thaw_lines_gather(const ThawWorld *world, double *scratch, double *lines) {
    int32_t count = 0;
    ThawAttachmentState a;
    for (int32_t i = 0; i < thaw_world_attachment_count(world); i++) {
        if (thaw_world_get_attachment(world, i, &a) != THAW_OK || a.released ||
            thaw_world_get_attachment_lines(world, i, scratch) != THAW_OK)
            continue;
        for (int32_t k = 0; k < a.vertices; k += stride_of(a.vertices))
            memcpy(lines + 6 * (size_t)count++, scratch + 6 * (size_t)k, 6 * sizeof *lines);
    }
    return count;
}

void thaw_attachments_gather(const ThawWorld *world, double *attachments) {
    ThawAttachmentState a;
    for (int32_t i = 0; i < thaw_world_attachment_count(world); i++) {
        if (thaw_world_get_attachment(world, i, &a) != THAW_OK)
            continue;
        const double row[THAW_FRAME_ATTACHMENT] = {a.body, a.other_body >= 0 ? a.other_body : -1, a.obstacle,
                                                   a.released ? a.released_force
                                                              : hypot(hypot(a.force[0], a.force[1]), a.force[2]),
                                                   a.released ? a.released_time : -1};
        memcpy(attachments + THAW_FRAME_ATTACHMENT * (size_t)i, row, sizeof row);
    }
}
