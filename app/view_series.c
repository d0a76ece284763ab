// SPDX-License-Identifier: Apache-2.0
// The table of steps that `thaw run` leaves beside its frames, for the page. Columns are found by their names, so a
// table of another version gives what it has. One pass over the text; a page gets at most SHOWN rows, however long the
// run was.
#include "view_series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum { SHOWN = 2000, STEP = 0 };

static const char *const columns[] = {"step",     "time",   "dofs",    "elastic_elements", "rigid_parts",
                                      "contacts", "cpu_ms", "wall_ms", "kinetic",          "elastic"};
enum { COLUMNS = sizeof columns / sizeof *columns };

// place[i]: which of our columns the table's i-th is, -1: none. Returns how many the table has.
static int read_names(const char *line, size_t length, int place[64]) {
    int count = 0;
    for (const char *at = line, *end = line + length; at <= end && count < 64; count++) {
        const size_t size = strcspn(at, ",\n\r");
        place[count] = -1;
        for (int c = 0; c < COLUMNS; c++)
            if (strlen(columns[c]) == size && strncmp(at, columns[c], size) == 0)
                place[count] = c;
        at += size + 1;
    }
    return count;
}

// Whether the line is a whole row of numbers. The last column of a table (the hash) need not be one.
static int read_row(char *at, int count, const int place[64], double *row) {
    for (int i = 0; i < count; i++) {
        char *end;
        const double value = strtod(at, &end);
        if (place[i] >= 0 && end == at)
            return 0;
        if (place[i] >= 0)
            row[place[i]] = value;
        at += strcspn(at, ",\n");
        if (*at != (i + 1 < count ? ',' : '\n'))
            return 0;
        at++;
    }
    return 1;
}

ThawStatus view_series_read(const char *folder, ViewSeries *series, ThawError *error) {
    char path[4200], *text = NULL;
    int place[64];
    size_t size, lines = 0;
    *series = (ViewSeries){0};
    snprintf(path, sizeof path, "%.4000s/steps.csv", folder);
    const ThawStatus status = thaw_file_read(path, &text, &size, error);
    if (status != THAW_OK) // a folder without it is one as well
        return status == THAW_ERROR_MEMORY ? status : THAW_OK;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    const int count = read_names(text, strcspn(text, "\n"), place);
    series->values = THAW_NEW(double, COLUMNS *(lines + 1));
    char *at = series->values ? strchr(text, '\n') : NULL;
    for (double *row = series->values; at && *++at; row += COLUMNS) {
        for (int c = 0; c < COLUMNS; c++)
            row[c] = NAN;
        if (!read_row(at, count, place, row) || !isfinite(row[STEP]) ||
            (series->rows > 0 && row[STEP] <= row[STEP - COLUMNS]))
            break;
        series->rows++;
        at = strchr(at, '\n');
    }
    thaw_free(text);
    return series->values ? THAW_OK : thaw_error_memory(error, "the numbers of the steps");
}

void view_series_clear(ViewSeries *series) {
    thaw_free(series->values);
    *series = (ViewSeries){0};
}

json_t *view_series_json(const ViewSeries *series) {
    const int64_t every = (series->rows + SHOWN - 1) / SHOWN;
    json_t *json = json_object();
    int failed = !json;
    for (int c = STEP + 1; c < COLUMNS; c++) {
        json_t *array = json_array();
        for (int64_t i = 0; i < series->rows; i += every) {
            const double value = series->values[COLUMNS * i + c];
            failed |= json_array_append_new(array, isfinite(value) ? json_real(value) : json_null());
        }
        failed |= json_object_set_new(json, columns[c], array);
    }
    if (failed)
        json_decref(json);
    return failed ? NULL : json;
}

void view_series_stats(const ViewSeries *series, int64_t step, char *text, size_t room) {
    int64_t low = 0, high = series->rows; // the first row that is not before the step
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (series->values[COLUMNS * middle + STEP] < (double)step)
            low = middle + 1;
        else
            high = middle;
    }
    const double *row = series->values + COLUMNS * low;
    if (low == series->rows || row[STEP] != (double)step)
        return;
    for (int c = STEP + 2; c < COLUMNS; c++) { // the time is the frame's own
        const size_t used = strlen(text);
        if (isfinite(row[c]))
            snprintf(text + used, room - used, ", \"%s\": %.9g", columns[c], row[c]);
    }
}
