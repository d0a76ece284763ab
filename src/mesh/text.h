// SPDX-License-Identifier: Apache-2.0
// Reading text files word by word, with the line at hand for messages.
//
// The first error is kept and every later call does nothing and returns 0, so that a reader may take a whole line apart
// and look at `status` once. Text is read freely (line ends are blanks) or as a record: one line that must hold exactly
// what is asked of it.
#ifndef THAW_MESH_TEXT_H
#define THAW_MESH_TEXT_H

#include <locale.h>

#include "base/base.h"

typedef struct ThawText {
    ThawStatus status;     // of the first failure
    ThawError *error;      // gets its message; may be NULL
    const char *path;      // for messages; not owned
    char *bytes;           // the whole file and a zero; owned
    uint64_t unpacked;     // bytes that compressed parts have become so far
    uint64_t unpack_limit; // how many they may become; 0: as the size of the file allows
    int swapped;           // nonzero: binary numbers have the other byte order
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

// Looks at the first bytes of a file, at most THAW_HEAD_SIZE: NULL when they may be of the format at hand, else what is
// wrong with them. So rubbish of any size is refused before it is read.
enum { THAW_HEAD_SIZE = 1 << 16 };
typedef const char *(*ThawHeadCheck)(const char *head, size_t size, int64_t file_size);

// For such checks: nonzero when the first word, behind a byte order mark and blanks, begins like that; when no byte is
// foreign to text.
int thaw_head_begins(const char *head, size_t size, const char *word);
int thaw_head_is_text(const char *head, size_t size);
// The first word that is not in a comment; of length 0 when there is none.
ThawToken thaw_head_word(const char *head, size_t size, char comment);

// Reads the whole file. The text must be closed even after a failure. path must outlive it.
ThawStatus thaw_text_open(const char *path, char comment, ThawHeadCheck check, ThawText *text, ThawError *error);
// The same with a copy of bytes in memory; `name` stands for the path.
ThawStatus thaw_text_copy(const void *bytes, size_t size, const char *name, char comment, ThawHeadCheck check,
                          ThawText *text, ThawError *error);
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

// --- binary parts of a file

// The next `size` bytes, where they are; NULL after a failure or when the file ends before.
const char *thaw_text_raw(ThawText *text, uint64_t size, const char *what);
// The next number as `kind` ('i' or 'u': whole, 'f': floating) of `size` bytes. 64-bit numbers that do not fit come out
// wrong.
double thaw_raw_number(const char *raw, char kind, int size, int swapped);
int64_t thaw_raw_integer(const char *raw, char kind, int size, int swapped);
// Moves to behind the line at hand.
void thaw_text_end_line(ThawText *text);

// --- records

// The next line that is not blank becomes a record, until thaw_text_record_end, which refuses left-over words.
void thaw_text_record(ThawText *text);
void thaw_text_record_end(ThawText *text);

#endif
