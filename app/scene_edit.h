// SPDX-License-Identifier: Apache-2.0
// Changes numbers in the text of a scene and nothing else: comments, order and layout stay as their author left them.
#ifndef THAW_APP_SCENE_EDIT_H
#define THAW_APP_SCENE_EDIT_H

#include <stddef.h>

#include "thaw/status.h"

typedef struct AppSetting {
    const char *key;
    double value;
} AppSetting;

// A copy of the text in which the top-level object `name` has these settings; it is added where there is none. The text
// must be a scene that loads. The caller frees *edited with thaw_free; it is terminated.
ThawStatus app_scene_set(const char *text, size_t length, const char *name, const AppSetting *settings, int count,
                         char **edited, ThawError *error);

#endif
