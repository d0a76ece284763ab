// SPDX-License-Identifier: Apache-2.0
// Texts for JSON, whatever bytes they hold; jansson knows which need an escape.
#include "json_text.h"

#include <stdlib.h>
#include <string.h>

#include "scene/json.h"

json_t *app_json_string(const char *text) {
    json_t *value = json_string(text);
    if (value)
        return value;
    char *plain = strdup(text);
    for (char *c = plain; c && *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    value = plain ? json_string(plain) : NULL;
    free(plain);
    return value;
}

char *app_json_quote(const char *text) {
    json_t *value = app_json_string(text);
    char *quoted = value ? thaw_json_print(value, JSON_ENCODE_ANY) : NULL;
    json_decref(value);
    return quoted;
}

void app_json_put(FILE *file, const char *text) {
    char *quoted = app_json_quote(text);
    fputs(quoted ? quoted : "\"?\"", file);
    free(quoted);
}
