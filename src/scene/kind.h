// SPDX-License-Identifier: Apache-2.0
// What a JSON file is about.
#ifndef THAW_SCENE_KIND_H
#define THAW_SCENE_KIND_H

typedef enum ThawJsonKind { THAW_JSON_OTHER, THAW_JSON_SCENE, THAW_JSON_SOLID } ThawJsonKind;

// By the keys of its outermost object; OTHER also for what cannot be read.
ThawJsonKind thaw_json_kind(const char *path);

#endif
