// SPDX-License-Identifier: Apache-2.0
// Texts for JSON. Names of files may be no UTF-8, which JSON cannot hold: then each byte beyond ASCII becomes '?'.
#ifndef THAW_APP_JSON_TEXT_H
#define THAW_APP_JSON_TEXT_H

#include <jansson.h>
#include <stdio.h>

json_t *app_json_string(const char *text); // NULL without memory
// In quotes, for free(); NULL without memory.
char *app_json_quote(const char *text);
void app_json_put(FILE *file, const char *text);

#endif
