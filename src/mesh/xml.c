// SPDX-License-Identifier: Apache-2.0
// Tags and their attributes, as they come. Not an XML parser: nothing is checked for nesting, entities are left as they
// are written, and what looks like a tag inside CDATA is taken for one. Linear.
#include "mesh/xml.h"

#include <string.h>

static void count_lines(ThawText *text, const char *from, const char *to) {
    while ((from = memchr(from, '\n', (size_t)(to - from)))) {
        text->line++;
        from++;
    }
}

// The '>' that ends the tag, which is none inside quotes; NULL when there is none.
static const char *end_of_tag(const char *at, const char *end) {
    for (; at < end && *at != '>'; at++)
        if ((*at == '"' || *at == '\'') && !(at = memchr(at + 1, *at, (size_t)(end - at - 1))))
            return NULL;
    return at < end ? at : NULL;
}

int thaw_xml_next(ThawText *text, ThawTag *tag) {
    const char *at = text->at;
    while ((at = memchr(at, '<', (size_t)(text->end - at)))) {
        const size_t left = (size_t)(text->end - at);
        const int comment = left >= 4 && memcmp(at, "<!--", 4) == 0,
                  declaration = left > 1 && (at[1] == '!' || at[1] == '?');
        const char *end = comment       ? memmem(at, left, "-->", 3)
                          : declaration ? memchr(at, '>', left)
                                        : end_of_tag(at + 1, text->end);
        if (!end)
            break;
        end += comment ? 2 : 0;
        if (!declaration) {
            count_lines(text, text->at, at);
            text->token_line = text->line;
            count_lines(text, at, end);
            text->at = end + 1;
            tag->closing = at[1] == '/';
            tag->start = at + 1 + tag->closing;
            tag->empty = end[-1] == '/';
            tag->end = end;
            return 1;
        }
        at = end;
    }
    text->at = text->end;
    return 0;
}

static int is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

int thaw_tag_is(const ThawTag *tag, const char *name) {
    const size_t length = strlen(name);
    return (size_t)(tag->end - tag->start) >= length && memcmp(tag->start, name, length) == 0 &&
           (tag->start[length] == '>' || tag->start[length] == '/' || is_space(tag->start[length]));
}

ThawToken thaw_tag_attribute(const ThawTag *tag, const char *name) {
    const size_t length = strlen(name);
    const char *at = tag->start;
    while (at < tag->end) {
        while (at < tag->end && !is_space(*at))
            at++; // the tag's name, or what is left of something odd
        while (at < tag->end && is_space(*at))
            at++;
        const char *word = at;
        while (at < tag->end && *at != '=' && !is_space(*at))
            at++;
        const char *word_end = at;
        while (at < tag->end && is_space(*at))
            at++;
        if (at >= tag->end || *at != '=')
            continue;
        at++;
        while (at < tag->end && is_space(*at))
            at++;
        if (at >= tag->end || (*at != '"' && *at != '\''))
            continue;
        const char *close = memchr(at + 1, *at, (size_t)(tag->end - at - 1));
        if (!close)
            break;
        if ((size_t)(word_end - word) == length && memcmp(word, name, length) == 0)
            return (ThawToken){at + 1, (size_t)(close - at - 1)};
        at = close + 1;
        at -= at < tag->end && !is_space(*at); // names need no blank in front of them here
    }
    return (ThawToken){NULL, 0};
}
