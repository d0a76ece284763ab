// SPDX-License-Identifier: Apache-2.0
// Reading text files word by word, with the line at hand for messages.
//
// The first error is kept and every later call does nothing and returns 0, so that a reader may take a whole line apart
// and look at `status` once. Text is read freely (line ends are blanks) or as a record: one line that must hold exactly what
// is asked of it.
#ifndef THAW_MESH_TEXT_H
#define THAW_MESH_TEXT_H

#include <locale.h>

#include "base/base.h"

typedef struct ThawText {
    ThawStatus status; // of the first failure
    ThawError *error;  // gets its message; may be NULL
    const char *path;  // for messages; not owned
    char *bytes;       // the whole file and a zero; owned
    const char *at, *end;
    int64_t line;       // of `at`, from 1
    int64_t token_line; // of the word read last
    char comment;       // from here to the end of the line is skipped; 0: no comments
    int in_record;      // nonzero: line ends are not skipped
    locale_t locale;    // "C": a decimal point is a point whatever the program's locale says
} ThawText;

typedef struct ThawToken {
    const char *start; // not terminated
    size_t length;     // 0: there is none
} ThawToken;

// Reads the whole file. The text must be closed even after a failure. path must outlive it.
ThawStatus thaw_text_open(const char *path, char comment, ThawText *text, ThawError *error);
void thaw_text_close(ThawText *text);

// "PATH:LINE: ...", the line being that of the word read last. Returns the status now in force.
ThawStatus thaw_text_fail(ThawText *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The end of the path, short enough for a message.
const char *thaw_text_path(const char *path);

// Nonzero at the end of the file, or of the record, or after a failure.
int thaw_text_done(ThawText *text);

// The next word. `what` says in messages what was expected.
ThawToken thaw_text_token(ThawText *text, const char *what);
// The next word inside double quotes, blanks and all, on one line; without the quotes.
ThawToken thaw_text_quoted(ThawText *text, const char *what);
int thaw_token_is(ThawToken token, const char *word);

int64_t thaw_text_integer(ThawText *text, const char *what, int64_t least, int64_t most);
double thaw_text_number(ThawText *text, const char *what); // finite
// A number of things of which each takes at least `words` words of the rest of the file.
int32_t thaw_text_count(ThawText *text, const char *what, int words);

// The next line that is not blank becomes a record, until thaw_text_record_end, which refuses left-over words.
void thaw_text_record(ThawText *text);
void thaw_text_record_end(ThawText *text);

#endif
