// SPDX-License-Identifier: Apache-2.0
// What a message about a scene says: the file, the way to the value inside the JSON (written as one would in
// JavaScript), the value, and what is allowed there; for a misspelt name, the nearest that exists. Everything is cut to
// fixed buffers: a message is for people, and a file may be hostile.
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/read.h"

enum { SHOWN_NAMES = 32, NAME_ROOM = 64 };

// A text that grows in a fixed buffer and is cut where that is full.
typedef struct Line {
    size_t used;
    char text[480];
} Line;

static void append(Line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(Line *line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(line->text + line->used, sizeof line->text - line->used, format, arguments);
    va_end(arguments);
    size_t room = sizeof line->text - 1 - line->used;
    line->used += wanted < 0 ? 0 : (size_t)wanted < room ? (size_t)wanted : room;
}

static bool is_plain(const char *key) {
    for (const char *c = key; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-')
            return false;
    return *key && strlen(key) < NAME_ROOM;
}

// The value as JSON, cut to what fits a message.
static void append_value(Line *line, const json_t *value) {
    char *dump =
        value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(12)) : NULL;
    append(line, "%.60s%s", dump ? dump : "?", dump && strlen(dump) > 60 ? "..." : "");
    free(dump);
}

static void append_text(Line *line, const char *text) {
    json_t *value = json_string(text);
    append_value(line, value);
    json_decref(value);
}

static void append_path(Line *line, const ThawPlace *place) {
    if (!place->up)
        return;
    append_path(line, place->up);
    if (!place->key)
        append(line, "[%zu]", place->index);
    else if (is_plain(place->key))
        append(line, "%s%s", line->used ? "." : "", place->key);
    else {
        append(line, "[");
        append_text(line, place->key);
        append(line, "]");
    }
}

void thaw_place_fail(const ThawPlace *place, ThawStatus status, const char *format, ...) {
    ThawSceneReader *reader = place->reader;
    if (reader->status)
        return;
    char message[sizeof reader->error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    Line path = {0};
    append_path(&path, place);
    reader->status =
        thaw_error_set(reader->error, status, "%s: %s%s%s", reader->name, path.text, path.used ? ": " : "", message);
}

bool thaw_scene_note_error(ThawSceneReader *reader) {
    ThawSceneErrors *all = reader->all;
    if (!all || reader->status != THAW_ERROR_INPUT || all->count == THAW_SCENE_ERRORS)
        return false;
    all->list[all->count++] = *reader->error;
    reader->status = THAW_OK;
    return true;
}

void thaw_place_refuse(const ThawPlace *place, const char *what, const char *allowed) {
    if (place->reader->status)
        return;
    Line value = {0};
    append_value(&value, place->value);
    thaw_place_fail(place, THAW_ERROR_INPUT, "%s (value %s); allowed: %s", what, value.text, allowed);
}

static char fold(char c) { return c == '-' || c == ' ' ? '_' : (char)tolower((unsigned char)c); }

// How many letters must be changed, inserted, dropped or swapped with their neighbour to turn a into b (the restricted
// edit distance); case and the kind of dash do not count. Both shorter than NAME_ROOM.
static int distance(const char *a, const char *b) {
    int rows[3][NAME_ROOM], m = (int)strlen(a), n = (int)strlen(b);
    int *before = rows[0], *last = rows[1], *row = rows[2];
    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 1; i <= m; i++) {
        int *spare = before;
        before = last;
        last = row;
        row = spare;
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            bool same = fold(a[i - 1]) == fold(b[j - 1]);
            int best = last[j - 1] + !same;
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]))
                best = before[j - 2] + 1 < best ? before[j - 2] + 1 : best;
            row[j] = best;
        }
    }
    return row[n];
}

// Whether the text, of three characters or more, stands somewhere in the name: "eps", or "rubber" for "natural-rubber".
static bool is_part(const char *text, const char *name) {
    size_t length = strlen(text), same = 0;
    for (; *name && same < length; name++) {
        same = 0;
        while (same < length && fold(text[same]) == fold(name[same]))
            same++;
    }
    return length >= 3 && same == length;
}

// Whether both begin with the same three letters or more, half of the text at least: "pinned" for "pins".
static bool begins_alike(const char *text, const char *name) {
    size_t same = 0;
    while (text[same] && fold(text[same]) == fold(name[same]))
        same++;
    return same >= 3 && 2 * same >= strlen(text);
}

// The name that `text` was most likely meant to be: the nearest, else the first of which it is a part or that begins
// like it; NULL when there is none.
static const char *nearest(const char *text, const char *const *names, size_t count) {
    size_t length = strlen(text);
    const char *best = NULL;
    int limit = length < 3 ? 1 : (int)((length + 2) / 3), least = limit + 1;
    for (size_t i = 0; i < count && length < NAME_ROOM; i++) {
        if (!*names[i] || strlen(names[i]) >= NAME_ROOM)
            continue;
        int d = distance(text, names[i]);
        if (d < least && d < (int)strlen(names[i])) {
            least = d;
            best = names[i];
        }
    }
    for (size_t i = 0; i < count && !best; i++)
        best = is_part(text, names[i]) ? names[i] : NULL;
    for (size_t i = 0; i < count && !best; i++)
        best = begins_alike(text, names[i]) ? names[i] : NULL;
    return best;
}

void thaw_place_refuse_name(const ThawPlace *place, const char *what, const char *text, const char *const *names,
                            size_t count) {
    if (place->reader->status)
        return;
    Line given = {0}, known = {0}, advice = {0};
    append_text(&given, text);
    size_t shown = 0;
    for (size_t i = 0; i < count; i++)
        if (*names[i] && shown++ < SHOWN_NAMES)
            append(&known, "%s%.*s", shown > 1 ? ", " : "", NAME_ROOM, names[i]);
    if (shown > SHOWN_NAMES)
        append(&known, ", ... (%zu in all)", shown);
    const char *guess = nearest(text, names, count);
    if (guess)
        append(&advice, "; did you mean \"%s\"?", guess);
    thaw_place_fail(place, THAW_ERROR_INPUT, "%s (value %s); allowed: %s%s", what, given.text,
                    shown ? known.text : "none, there are none", advice.text);
}
