// SPDX-License-Identifier: Apache-2.0
// Tables that grow while a run goes on: comma-separated, one row a line, the first column the step.
//
// A table cannot be renamed into place; instead each row is handed to the system as soon as it is complete. Of a killed
// run at most the last row is torn. When the run is resumed from a checkpoint of step k, every row after k (torn or
// not) tells of a future that will be computed again, and is cut off.
#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/output.h"

struct ThawTable {
    FILE *stream;
    char *path;
    locale_t locale; // "C": numbers have a point, whatever the caller's language
};

static ThawStatus write_failed(const char *path, ThawError *error) {
    return thaw_error_set(error, THAW_ERROR_IO, "cannot write the table %s: %s", path, strerror(errno));
}

// The length of the file's part that stays: the header and the rows up to step `keep`.
static ThawStatus kept_length(const char *path, const char *columns, int64_t keep, off_t *length, ThawError *error) {
    struct stat info;
    *length = 0;
    // A pipe or device has no past to cut.
    if (keep < 0 || stat(path, &info) || !S_ISREG(info.st_mode) || info.st_size == 0)
        return THAW_OK;
    char *text;
    size_t size;
    ThawStatus status = thaw_file_read(path, &text, &size, error);
    if (status != THAW_OK)
        return status;
    size_t header = strlen(columns);
    if (size < header || memcmp(text, columns, header) != 0) {
        // Torn within the header: nothing of use was in it yet.
        if (size >= header || memcmp(text, columns, size) != 0)
            status = thaw_error_set(error, THAW_ERROR_INPUT,
                                    "%s is no table that can be continued: its first line is not the one that thaw "
                                    "writes here",
                                    path);
        thaw_free(text);
        return status;
    }
    char *row = text + header, *end;
    while ((end = memchr(row, '\n', (size_t)(text + size - row)))) {
        char *comma;
        int64_t step = strtoll(row, &comma, 10);
        if (comma == row || *comma != ',' || step > keep)
            break;
        row = end + 1;
    }
    *length = row - text;
    thaw_free(text);
    return THAW_OK;
}

ThawStatus thaw_table_open(const char *path, const char *columns, int64_t keep, ThawTable **table, ThawError *error) {
    *table = NULL;
    off_t length;
    ThawStatus status = kept_length(path, columns, keep, &length, error);
    if (status != THAW_OK)
        return status;
    ThawTable *t = THAW_NEW(ThawTable, 1);
    if (!t)
        return thaw_error_memory(error, "a table");
    t->path = thaw_strdup(path);
    t->locale = newlocale(LC_ALL_MASK, "C", NULL);
    if (!t->path || !t->locale) {
        thaw_table_close(&t, NULL);
        return thaw_error_memory(error, "a table");
    }
    t->stream = fopen(path, length ? "r+b" : "wb");
    if (!t->stream || (length && (ftruncate(fileno(t->stream), length) || fseeko(t->stream, 0, SEEK_END))) ||
        (!length && fputs(columns, t->stream) < 0) || fflush(t->stream)) {
        status = write_failed(path, error);
        thaw_table_close(&t, NULL);
        return status;
    }
    *table = t;
    return THAW_OK;
}

ThawStatus thaw_table_print(ThawTable *table, ThawError *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    locale_t caller = uselocale(table->locale);
    int printed = vfprintf(table->stream, format, arguments);
    uselocale(caller);
    va_end(arguments);
    if (printed < 0 || (strchr(format, '\n') && fflush(table->stream)))
        return write_failed(table->path, error);
    return THAW_OK;
}

ThawStatus thaw_table_sync(ThawTable *table, ThawError *error) {
    // A pipe or a device has nothing to wait for.
    if (fsync(fileno(table->stream)) && errno != EINVAL && errno != ENOTSUP && errno != EROFS)
        return write_failed(table->path, error);
    return THAW_OK;
}

ThawStatus thaw_table_close(ThawTable **table, ThawError *error) {
    if (!table || !*table)
        return THAW_OK;
    ThawTable *t = *table;
    ThawStatus status = THAW_OK;
    if (t->stream && fclose(t->stream))
        status = write_failed(t->path, error);
    if (t->locale)
        freelocale(t->locale);
    thaw_free(t->path);
    thaw_free(t);
    *table = NULL;
    return status;
}
