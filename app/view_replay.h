// SPDX-License-Identifier: Apache-2.0
// `thaw view --replay DIR`: frames of a run, as pages ask for them.
#ifndef THAW_APP_VIEW_REPLAY_H
#define THAW_APP_VIEW_REPLAY_H

#include "serve.h"
#include "view_inbox.h"
#include "view_recorded.h"

typedef struct ViewReplay {
    ThawReplay *replay;
    ViewRecorded recorded;
    int32_t field;
    int64_t frame; // that is shown
    int dirty;
    Serve *serve;
    ViewInbox inbox;
} ViewReplay;

ThawStatus view_replay_open(const char *path, ViewReplay *replay, ThawError *error);
ThawStatus view_replay_hello(ViewReplay *replay, ThawError *error);
void view_replay_run(ViewReplay *replay, const atomic_int *interrupted);
void view_replay_clear(ViewReplay *replay);

#endif
