// SPDX-License-Identifier: Apache-2.0
// JSON that is parsed, or was not parsed because memory ran out (json.c).
#ifndef THAW_SCENE_JSON_H
#define THAW_SCENE_JSON_H

#include <jansson.h>

#include "base/base.h"

// NULL with THAW_ERROR_INPUT and *wrong, where the text is no JSON; NULL with THAW_ERROR_MEMORY and a message. flags:
// jansson's.
json_t *thaw_json_parse(const char *text, size_t length, size_t flags, json_error_t *wrong, ThawStatus *status,
                        ThawError *error);

// In thaw_alloc's memory; NULL without (or for NULL).
char *thaw_json_print(const json_t *json, size_t flags);

// A file that may tell something: *json is NULL where there is none, or no JSON in it. What is no plain file is
// refused.
ThawStatus thaw_json_read(const char *path, json_t **json, ThawError *error);

#endif
