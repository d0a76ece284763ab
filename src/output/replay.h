// SPDX-License-Identifier: Apache-2.0
// The frames of a finished or running run, to be looked at again: for pictures, exports, replay and explanations.
#ifndef THAW_REPLAY_H
#define THAW_REPLAY_H

#include "output/frame_data.h"

typedef struct ThawReplay ThawReplay;

// A run's folder, or a single .vtu file. A folder without frames is THAW_ERROR_INPUT. The caller frees *replay.
ThawStatus thaw_replay_open(const char *path, ThawReplay **replay, ThawError *error);
void thaw_replay_free(ThawReplay **replay);

int64_t thaw_replay_count(const ThawReplay *replay);
int64_t thaw_replay_number(const ThawReplay *replay, int64_t index); // as in the file's name; ascending
const char *thaw_replay_path(const ThawReplay *replay);

// The index of the frame with this number, -1 without.
int64_t thaw_replay_find(const ThawReplay *replay, int64_t number);

// The name of a body, obstacle or attachment as run.json tells it; "body_N" and so on where it tells nothing. Valid
// until the next call.
const char *thaw_replay_body_name(ThawReplay *replay, int32_t body);
const char *thaw_replay_obstacle_name(ThawReplay *replay, int32_t obstacle);
const char *thaw_replay_attachment_name(ThawReplay *replay, int32_t attachment);

// The caller frees *frame. Obstacles: *frame is NULL where nothing stands around.
ThawStatus thaw_replay_read(const ThawReplay *replay, int64_t index, ThawFrameData **frame, ThawError *error);
ThawStatus thaw_replay_read_obstacles(const ThawReplay *replay, int64_t index, ThawFrameData **frame, ThawError *error);

#endif
