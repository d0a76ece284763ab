// SPDX-License-Identifier: Apache-2.0
// A small tokenizer. Files are taken into memory whole (at most 4 GiB), so that a count written in a file can be held
// against what the file can still contain before anything is allocated for it. Numbers go through strtod_l in the "C"
// locale: correctly rounded, and independent of the locale of the program. One pass, linear. Before a file is taken in,
// its first bytes must pass the format's own check: gigabytes of something else cost one small read.
#include "mesh/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SHOWN = 300, WORD_SHOWN = 40, NUMBER_LENGTH = 400 };
static const int64_t largest_file = (int64_t)4 << 30;

const char *thaw_text_path(const char *path) {
    const size_t length = strlen(path);
    return length > PATH_SHOWN ? path + length - PATH_SHOWN : path;
}

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

int thaw_head_begins(const char *head, size_t size, const char *word) {
    size_t at = size >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (at < size && (is_blank(head[at]) || head[at] == '\n'))
        at++;
    return size - at >= strlen(word) && memcmp(head + at, word, strlen(word)) == 0;
}

ThawToken thaw_head_word(const char *head, size_t size, char comment) {
    size_t at = size >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (at < size && (is_blank(head[at]) || head[at] == '\n' || head[at] == comment)) {
        const char *line_end = head[at] == comment ? memchr(head + at, '\n', size - at) : head + at;
        at = line_end ? (size_t)(line_end - head) + 1 : size;
    }
    size_t end = at;
    while (end < size && head[end] != '\n' && !is_blank(head[end]))
        end++;
    return (ThawToken){head + at, end - at};
}

int thaw_head_is_text(const char *head, size_t size) {
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)head[i] < ' ' && head[i] != '\n' && !is_blank(head[i]))
            return 0;
    return 1;
}

static ThawStatus check_head(ThawText *text, ThawHeadCheck check, const char *head, size_t size, int64_t file_size) {
    const char *wrong = check ? check(head, size, file_size) : NULL;
    if (!wrong)
        return THAW_OK;
    return thaw_error_set(text->error, THAW_ERROR_INPUT, "%s:1: %s", thaw_text_path(text->path), wrong);
}

// The bytes are in: reading starts behind a byte order mark.
static void begin(ThawText *text, size_t size) {
    text->at = text->bytes;
    text->end = text->bytes + size;
    if (size >= 3 && memcmp(text->bytes, "\xEF\xBB\xBF", 3) == 0)
        text->at += 3;
}

static ThawStatus read_file(FILE *file, ThawHeadCheck check, ThawText *text) {
    struct stat about;
    const char *shown = thaw_text_path(text->path);
    if (fstat(fileno(file), &about) != 0)
        return thaw_error_set(text->error, THAW_ERROR_IO, "%s: %s", shown, strerror(errno));
    if (!S_ISREG(about.st_mode))
        return thaw_error_set(text->error, THAW_ERROR_IO, "%s: not a regular file", shown);
    if (about.st_size == 0)
        return thaw_error_set(text->error, THAW_ERROR_INPUT, "%s: the file is empty", shown);
    if (about.st_size > largest_file)
        return thaw_error_set(text->error, THAW_ERROR_INPUT,
                              "%s: the file has %" PRId64 " bytes; at most 4 GiB are allowed", shown,
                              (int64_t)about.st_size);
    const size_t size = (size_t)about.st_size;
    char *head = THAW_NEW(char, size < THAW_HEAD_SIZE ? size : THAW_HEAD_SIZE);
    if (!head)
        return thaw_error_memory(text->error, "the first bytes of a file");
    size_t have = fread(head, 1, size < THAW_HEAD_SIZE ? size : THAW_HEAD_SIZE, file);
    ThawStatus status = check_head(text, check, head, have, (int64_t)size);
    if (!status && !(text->bytes = THAW_NEW(char, size + 1)))
        status = thaw_error_memory(text->error, "the contents of a file");
    if (!status) {
        memcpy(text->bytes, head, have);
        have += fread(text->bytes + have, 1, size - have, file);
        if (ferror(file))
            status = thaw_error_set(text->error, THAW_ERROR_IO, "%s: %s", shown, strerror(errno));
        begin(text, have);
    }
    thaw_free(head);
    return status;
}

static ThawStatus init(ThawText *text, const char *path, char comment, ThawError *error) {
    *text = (ThawText){.error = error, .path = path, .line = 1, .token_line = 1, .comment = comment};
    text->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return text->locale ? THAW_OK : thaw_error_memory(error, "a locale");
}

ThawStatus thaw_text_open(const char *path, char comment, ThawHeadCheck check, ThawText *text, ThawError *error) {
    if ((text->status = init(text, path, comment, error)))
        return text->status;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // of a pipe it would wait for its other end
    FILE *file = fd < 0 ? NULL : fdopen(fd, "rb");
    if (!file) {
        text->status = thaw_error_set(error, THAW_ERROR_IO, "%s: %s", thaw_text_path(path), strerror(errno));
        if (fd >= 0)
            close(fd);
        return text->status;
    }
    text->status = read_file(file, check, text);
    fclose(file);
    return text->status;
}

ThawStatus thaw_text_copy(const void *bytes, size_t size, const char *name, char comment, ThawHeadCheck check,
                          ThawText *text, ThawError *error) {
    if ((text->status = init(text, name, comment, error)))
        return text->status;
    if (size == 0)
        return text->status = thaw_error_set(error, THAW_ERROR_INPUT, "%s: the file is empty", thaw_text_path(name));
    text->status = check_head(text, check, bytes, size < THAW_HEAD_SIZE ? size : THAW_HEAD_SIZE, (int64_t)size);
    if (!text->status && !(text->bytes = THAW_NEW(char, size + 1)))
        text->status = thaw_error_memory(error, "the contents of a file");
    if (!text->status) {
        memcpy(text->bytes, bytes, size);
        begin(text, size);
    }
    return text->status;
}

void thaw_text_close(ThawText *text) {
    thaw_free(text->bytes);
    if (text->locale)
        freelocale(text->locale);
    text->bytes = NULL;
    text->locale = (locale_t)0;
}

ThawStatus thaw_text_fail(ThawText *text, const char *format, ...) {
    if (text->status)
        return text->status;
    char what[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    for (char *c = what; *c; c++) // words of the file may hold what a terminal takes for a command
        *c = (unsigned char)*c < ' ' || *c == 127 ? '?' : *c;
    text->status = thaw_error_set(text->error, THAW_ERROR_INPUT, "%s:%" PRId64 ": %s", thaw_text_path(text->path),
                                  text->token_line, what);
    return text->status;
}

// --- words -----------------------------------------------------------------------------------------------------------

static void skip_blanks(ThawText *text) {
    for (; text->at < text->end; text->at++) {
        if (*text->at == '\n') {
            if (text->in_record)
                return;
            text->line++;
        } else if (text->comment && *text->at == text->comment) {
            const char *line_end = memchr(text->at, '\n', (size_t)(text->end - text->at));
            text->at = (line_end ? line_end : text->end) - 1;
        } else if (!is_blank(*text->at)) {
            return;
        }
    }
}

int thaw_text_done(ThawText *text) {
    if (text->status)
        return 1;
    skip_blanks(text);
    return text->at == text->end || *text->at == '\n';
}

// What a message shows of a word: its beginning, without anything a terminal might take for a command.
typedef struct Shown {
    char text[WORD_SHOWN + 4];
} Shown;

static Shown show(ThawToken token) {
    Shown shown;
    size_t n = token.length < WORD_SHOWN ? token.length : WORD_SHOWN;
    for (size_t i = 0; i < n; i++) {
        const char c = token.start[i];
        shown.text[i] = c < ' ' || c > '~' ? '?' : c;
    }
    strcpy(shown.text + n, token.length > n ? "..." : "");
    return shown;
}

ThawToken thaw_text_token(ThawText *text, const char *what) {
    ThawToken token = {"", 0};
    const int done = thaw_text_done(text);
    if (text->status)
        return token;
    text->token_line = text->line;
    if (done) {
        thaw_text_fail(text, "the %s ends where %s should be", text->in_record ? "line" : "file", what);
        return token;
    }
    token.start = text->at;
    while (text->at < text->end && *text->at != '\n' && !is_blank(*text->at) &&
           !(text->comment && *text->at == text->comment))
        text->at++;
    token.length = (size_t)(text->at - token.start);
    return token;
}

ThawToken thaw_text_quoted(ThawText *text, const char *what) {
    ThawToken token = thaw_text_token(text, what);
    if (text->status)
        return token;
    const char *limit = memchr(token.start, '\n', (size_t)(text->end - token.start));
    limit = limit ? limit : text->end;
    const char *close = token.start[0] == '"' ? memchr(token.start + 1, '"', (size_t)(limit - token.start - 1)) : NULL;
    if (!close) {
        thaw_text_fail(text, "%s is %s; it must stand in double quotes, on one line", what, show(token).text);
        return (ThawToken){"", 0};
    }
    text->at = close + 1;
    return (ThawToken){token.start + 1, (size_t)(close - token.start - 1)};
}

int thaw_token_is(ThawToken token, const char *word) {
    return token.length == strlen(word) && memcmp(token.start, word, token.length) == 0;
}

// --- numbers ---------------------------------------------------------------------------------------------------------

// Nonzero when the token is a whole number that fits.
static int parse_integer(ThawToken token, int64_t *value) {
    const int negative = token.length && token.start[0] == '-';
    size_t i = token.length && (token.start[0] == '-' || token.start[0] == '+');
    int64_t sum = 0;
    if (i == token.length)
        return 0;
    for (; i < token.length; i++) {
        const int digit = token.start[i] - '0';
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(sum, 10, &sum) || __builtin_add_overflow(sum, digit, &sum))
            return 0;
    }
    *value = negative ? -sum : sum;
    return 1;
}

int64_t thaw_text_integer(ThawText *text, const char *what, int64_t least, int64_t most) {
    ThawToken token = thaw_text_token(text, what);
    int64_t value = 0;
    if (text->status)
        return 0;
    if (parse_integer(token, &value) && value >= least && value <= most)
        return value;
    thaw_text_fail(text, "%s is %s; allowed are whole numbers from %" PRId64 " to %" PRId64, what, show(token).text,
                   least, most);
    return 0;
}

double thaw_text_number(ThawText *text, const char *what) {
    ThawToken token = thaw_text_token(text, what);
    if (text->status)
        return 0;
    size_t plain = 0; // strtod would also take inf, nan and hexadecimal
    while (plain < token.length && plain < NUMBER_LENGTH && memchr("0123456789+-.eE", token.start[plain], 15))
        plain++;
    char *stop = NULL;
    const double value = plain == token.length ? strtod_l(token.start, &stop, text->locale) : 0;
    if (stop == token.start + token.length && isfinite(value))
        return value;
    thaw_text_fail(text, "%s is %s; allowed are finite decimal numbers", what, show(token).text);
    return 0;
}

int32_t thaw_text_count(ThawText *text, const char *what, int words) {
    const int64_t count = thaw_text_integer(text, what, 0, INT32_MAX);
    // A word takes a character and a blank; the last one of the file may do without the blank.
    if (!text->status && count > ((int64_t)(text->end - text->at) + 1) / (2 * words))
        thaw_text_fail(text,
                       "%s is %" PRId64 "; the rest of the file is too short for that many: it seems to be cut short",
                       what, count);
    return text->status ? 0 : (int32_t)count;
}

// --- binary ----------------------------------------------------------------------------------------------------------

const char *thaw_text_raw(ThawText *text, uint64_t size, const char *what) {
    if (text->status)
        return NULL;
    text->token_line = text->line;
    if (size > (uint64_t)(text->end - text->at)) {
        thaw_text_fail(text, "the file ends inside %s", what);
        return NULL;
    }
    const char *raw = text->at;
    text->at += size;
    return raw;
}

static uint64_t raw_bits(const char *raw, int size, int swapped) {
    uint64_t bits = 0;
    for (int i = 0; i < size; i++) // the most significant byte first
        bits = bits << 8 | (unsigned char)raw[swapped ? i : size - 1 - i];
    return bits;
}

int64_t thaw_raw_integer(const char *raw, char kind, int size, int swapped) {
    const uint64_t bits = raw_bits(raw, size, swapped);
    if (kind == 'u')
        return (int64_t)bits;
    return size == 1 ? (int8_t)bits : size == 2 ? (int16_t)bits : size == 4 ? (int32_t)bits : (int64_t)bits;
}

double thaw_raw_number(const char *raw, char kind, int size, int swapped) {
    if (kind != 'f')
        return kind == 'u' ? (double)raw_bits(raw, size, swapped) : (double)thaw_raw_integer(raw, kind, size, swapped);
    const uint64_t bits = raw_bits(raw, size, swapped);
    if (size == 4) {
        const uint32_t narrow = (uint32_t)bits;
        float value;
        memcpy(&value, &narrow, sizeof value);
        return value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void thaw_text_end_line(ThawText *text) {
    const char *line_end = memchr(text->at, '\n', (size_t)(text->end - text->at));
    text->at = line_end ? line_end + 1 : text->end;
    text->line += line_end != NULL;
    text->in_record = 0;
}

// --- records ---------------------------------------------------------------------------------------------------------

void thaw_text_record(ThawText *text) {
    text->in_record = 0;
    skip_blanks(text);
    text->in_record = text->at < text->end; // at the end of the file the message should say so
}

void thaw_text_record_end(ThawText *text) {
    if (!thaw_text_done(text)) {
        ThawToken token = thaw_text_token(text, "the end of the line");
        thaw_text_fail(text, "the line goes on with %s where it should end", show(token).text);
    }
    text->in_record = 0;
}
