// SPDX-License-Identifier: Apache-2.0
// What a JSON file is about, and all that is wrong with a scene.
#ifndef THAW_SCENE_KIND_H
#define THAW_SCENE_KIND_H

#include "thaw/read.h"
#include "thaw/scene.h"

typedef enum ThawJsonKind { THAW_JSON_OTHER, THAW_JSON_SCENE, THAW_JSON_SOLID } ThawJsonKind;

// By the keys of its outermost object; OTHER also for what cannot be read.
ThawJsonKind thaw_json_kind(const char *path);

enum { THAW_SCENE_ERRORS = 12 };
typedef struct ThawSceneErrors {
    int count; // at most so many are kept
    ThawError list[THAW_SCENE_ERRORS];
} ThawSceneErrors;

// thaw_scene_load_with, which tells the first error only; but parts of a scene that do not build on one that is wrong
// are read all the same: its settings one by one, each material, then each shape, then each body, then contact.
ThawStatus thaw_scene_load_all(const char *path, const ThawReadOptions *options, ThawScene **scene,
                               ThawSceneErrors *all, ThawError *error);

#endif
