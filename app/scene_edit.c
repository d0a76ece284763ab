// SPDX-License-Identifier: Apache-2.0
// Editing a scene in place. A scanner that knows strings, comments and brackets finds where the members of an object
// begin and end; what is replaced or added is spliced into the text. It need not know more of JSON, since the text is
// known to be a valid scene.
#include "scene_edit.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"

typedef struct Text {
    const char *at, *end;
} Text;

// One member of an object, or its closing bracket (key_size 0).
typedef struct Member {
    const char *key;
    size_t key_size;
    const char *value, *value_end;
} Member;

static void skip_blanks(Text *t) {
    while (t->at < t->end) {
        if (t->at + 1 < t->end && t->at[0] == '/' && t->at[1] == '/')
            while (t->at < t->end && *t->at != '\n')
                t->at++;
        else if (t->at + 1 < t->end && t->at[0] == '/' && t->at[1] == '*') {
            const char *close = memmem(t->at + 2, (size_t)(t->end - t->at - 2), "*/", 2);
            t->at = close ? close + 2 : t->end;
        } else if (strchr(" \t\r\n\xEF\xBB\xBF", *t->at) && *t->at)
            t->at++;
        else
            return;
    }
}

static void skip_string(Text *t) {
    for (t->at++; t->at < t->end && *t->at != '"'; t->at++)
        t->at += *t->at == '\\';
    t->at += t->at < t->end;
}

static void skip_value(Text *t) {
    int depth = 0;
    do {
        skip_blanks(t);
        if (t->at >= t->end)
            return;
        char c = *t->at;
        if (c == '"') {
            skip_string(t);
            continue;
        }
        if (depth == 0 && strchr("{[", c) == NULL) { // a number or a word
            while (t->at < t->end && !strchr(" \t\r\n,]}/", *t->at))
                t->at++;
            return;
        }
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        t->at++;
    } while (depth > 0);
}

// From behind an opening bracket or a member to the next member. 0 when there is none, with t at the closing bracket.
static int next_member(Text *t, Member *m) {
    skip_blanks(t);
    if (t->at < t->end && *t->at == ',') {
        t->at++;
        skip_blanks(t);
    }
    if (t->at >= t->end || *t->at != '"')
        return 0;
    m->key = t->at + 1;
    skip_string(t);
    m->key_size = (size_t)(t->at - 1 - m->key);
    skip_blanks(t);
    t->at += t->at < t->end; // the colon
    skip_blanks(t);
    m->value = t->at;
    skip_value(t);
    m->value_end = t->at;
    return 1;
}

// The member of that name of the object that begins at `open`; *last is where the last member ends (or NULL), *close
// where the object does.
static int find_member(Text t, const char *name, Member *found, const char **last, const char **close) {
    int there = 0;
    *last = NULL;
    t.at++;
    for (Member m; next_member(&t, &m); *last = m.value_end)
        if (m.key_size == strlen(name) && memcmp(m.key, name, m.key_size) == 0) {
            *found = m;
            there = 1;
        }
    *close = t.at;
    return there;
}

// Replaces [from, to) of the text by new words.
static ThawStatus splice(char **text, const char *from, const char *to, const char *words, ThawError *error) {
    size_t before = (size_t)(from - *text), after = strlen(to), middle = strlen(words);
    char *longer = thaw_alloc(before + middle + after + 1, 1);
    if (!longer)
        return thaw_error_memory(error, "the text of a scene");
    memcpy(longer, *text, before);
    memcpy(longer + before, words, middle);
    memcpy(longer + before + middle, to, after + 1);
    thaw_free(*text);
    *text = longer;
    return THAW_OK;
}

static ThawStatus set_one(char **text, const char *name, const AppSetting *setting, ThawError *error) {
    Text whole = {*text, *text + strlen(*text)};
    Member object, member;
    const char *last, *close;
    char words[200];
    skip_blanks(&whole);
    if (whole.at >= whole.end || *whole.at != '{')
        return thaw_error_set(error, THAW_ERROR_INPUT, "the scene is not an object");
    if (!find_member(whole, name, &object, &last, &close)) {
        snprintf(words, sizeof words, "%s\n    \"%s\": {\"%s\": %.6g}", last ? "," : "", name, setting->key,
                 setting->value);
        return splice(text, last ? last : whole.at + 1, last ? last : whole.at + 1, words, error);
    }
    if (*object.value != '{')
        return thaw_error_set(error, THAW_ERROR_INPUT, "\"%s\" is not an object", name);
    whole.at = object.value;
    if (find_member(whole, setting->key, &member, &last, &close)) {
        snprintf(words, sizeof words, "%.6g", setting->value);
        return splice(text, member.value, member.value_end, words, error);
    }
    snprintf(words, sizeof words, "%s\"%s\": %.6g", last ? ", " : "", setting->key, setting->value);
    return splice(text, last ? last : object.value + 1, last ? last : object.value + 1, words, error);
}

ThawStatus app_scene_set(const char *text, size_t length, const char *name, const AppSetting *settings, int count,
                         char **edited, ThawError *error) {
    *edited = thaw_alloc(length + 1, 1);
    ThawStatus status = *edited ? THAW_OK : thaw_error_memory(error, "the text of a scene");
    if (status == THAW_OK)
        memcpy(*edited, text, length);
    for (int i = 0; i < count && status == THAW_OK; i++)
        status = set_one(edited, name, &settings[i], error);
    if (status != THAW_OK) {
        thaw_free(*edited);
        *edited = NULL;
    }
    return status;
}
