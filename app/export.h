// SPDX-License-Identifier: Apache-2.0
// Parts of `thaw export` that live in files of their own.
#ifndef THAW_APP_EXPORT_H
#define THAW_APP_EXPORT_H

#include "output/replay.h"

// The page that opens offline (export_html.c).
ThawStatus app_export_html(ThawReplay *replay, const char *path, ThawError *error);

#endif
