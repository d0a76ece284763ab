// SPDX-License-Identifier: Apache-2.0
// JSON has no comments, people's scene files do. Comments of both kinds of C are blanked before the parser sees the
// text: one space for each character, line ends kept, so that the parser's lines and columns are those of the file.
// One pass, one copy.
#include <string.h>

#include "scene/read.h"

static bool continues_character(char c) { return ((unsigned char)c & 0xC0) == 0x80; } // of UTF-8

char *thaw_scene_strip_comments(const char *text, size_t length, size_t *stripped, int *line, int *column) {
    *line = *column = 0;
    char *copy = thaw_alloc(length + 1, 1);
    if (!copy)
        return NULL;
    enum { PLAIN, STRING, TO_LINE_END, TO_STAR_SLASH } state = PLAIN;
    size_t n = 0, comment = 0; // comment: where the last one begins
    size_t i = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    for (; i < length; i++) {
        char c = text[i], next = i + 1 < length ? text[i + 1] : '\0';
        if (state == STRING) {
            copy[n++] = c;
            if (c == '\\' && i + 1 < length)
                copy[n++] = text[++i];
            else if (c == '"' || c == '\n') // an open string ends with its line: the parser complains there
                state = PLAIN;
        } else if (state == PLAIN && c == '/' && (next == '/' || next == '*')) {
            state = next == '/' ? TO_LINE_END : TO_STAR_SLASH;
            comment = i++;
            copy[n++] = ' ';
            copy[n++] = ' ';
        } else if (state == PLAIN) {
            copy[n++] = c;
            if (c == '"')
                state = STRING;
        } else if (c == '\n') {
            copy[n++] = c;
            if (state == TO_LINE_END)
                state = PLAIN;
        } else if (state == TO_STAR_SLASH && c == '*' && next == '/') {
            state = PLAIN;
            copy[n++] = ' ';
            copy[n++] = ' ';
            i++;
        } else if (!continues_character(c)) {
            copy[n++] = ' ';
        }
    }
    *stripped = n;
    if (state != TO_STAR_SLASH)
        return copy;
    thaw_free(copy);
    *line = *column = 1;
    for (i = 0; i < comment; i++) {
        *column = text[i] == '\n' ? 1 : *column + !continues_character(text[i]);
        *line += text[i] == '\n';
    }
    return NULL;
}
