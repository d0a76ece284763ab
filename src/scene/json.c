// SPDX-License-Identifier: Apache-2.0
// jansson takes memory in many small pieces, and where it gets none it often reports an error of syntax, or leaves out
// a letter without a report. So room is made sure of beforehand, and all is done twice: what is the same both times is
// right. In writing jansson does not return whether a key could be added, so that is noted here.
#include "scene/json.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

enum { RESERVE = 1 << 14, MOST_RESERVE = 1 << 26, FACTOR = 8 }; // bytes; FACTOR: of memory for one of text

json_t *thaw_json_parse(const char *text, size_t length, size_t flags, json_error_t *wrong, ThawStatus *status,
                        ThawError *error) {
    const size_t wanted = length < MOST_RESERVE / FACTOR ? RESERVE + FACTOR * length : MOST_RESERVE;
    void *reserve = thaw_alloc(wanted, 1);
    *status = THAW_OK;
    *wrong = (json_error_t){0};
    if (!reserve) {
        *status = thaw_error_memory(error, "JSON");
        return NULL;
    }
    thaw_free(reserve);
    json_error_t again = {0};
    json_t *json = json_loadb(text, length, flags, wrong), *second = json_loadb(text, length, flags, &again);
    if (json && second && json_equal(json, second)) {
        json_decref(second);
        return json;
    }
    const int same = !json && !second && again.position == wrong->position && strcmp(again.text, wrong->text) == 0 &&
                     *wrong->text && json_error_code(wrong) != json_error_out_of_memory;
    *status = same ? THAW_ERROR_INPUT : thaw_error_memory(error, "JSON");
    json_decref(json);
    json_decref(second);
    return NULL;
}

typedef struct Text {
    char *bytes;
    size_t size, room;
    int failed;
} Text;

static int take(const char *bytes, size_t size, void *context) {
    Text *text = context;
    if (!text->failed && text->room - text->size <= size) {
        const size_t room = 2 * text->room + size + 256;
        char *grown = thaw_regrow(text->bytes, text->size, room, 1);
        text->failed = !grown;
        text->bytes = grown ? grown : text->bytes;
        text->room = grown ? room : text->room;
    }
    if (text->failed)
        return -1;
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = 0;
    return 0;
}

char *thaw_json_print(const json_t *json, size_t flags) {
    Text text = {0};
    if (!json || json_dump_callback(json, take, &text, flags) || text.failed) {
        thaw_free(text.bytes);
        return NULL;
    }
    return text.bytes;
}

ThawStatus thaw_json_read(const char *path, json_t **json, ThawError *error) {
    char *text = NULL;
    size_t size;
    json_error_t wrong;
    *json = NULL;
    if (access(path, F_OK))
        return THAW_OK;
    ThawStatus status = thaw_file_read(path, &text, &size, error);
    if (status == THAW_OK)
        *json = thaw_json_parse(text, size, 0, &wrong, &status, error);
    if (text && status == THAW_ERROR_INPUT)
        status = THAW_OK;
    thaw_free(text);
    return status;
}
