// SPDX-License-Identifier: Apache-2.0
// Reads VTU files back as frames, for rendering and replay: those that vtu.c writes, and any other of one kind of
// element.
//
// mesh/vtu.c finds and decodes the arrays and sees to it that each has the length that the counts of points and cells
// ask for; here values are checked: every vertex id must be in range, and so must categories. An array with the name of
// a field is that field; any of them may be missing.
#include <math.h>

#include "mesh/draft.h"
#include "mesh/vtu.h"
#include "output/frame_data.h"

static ThawStatus read_reals(const ThawVtu *vtu, ThawVtuPlace place, const char *name, uint64_t count, int needed,
                             double *out) {
    const ThawVtuArray *array = thaw_vtu_find(vtu, place, name);
    double *values;
    if (!array)
        return needed ? thaw_text_fail(vtu->text, "no array \"%s\"", name ? name : "Points") : THAW_OK;
    const ThawStatus status = thaw_vtu_numbers(vtu, array, count, &values);
    for (uint64_t i = 0; !status && i < count; i++)
        out[i] = values[i];
    thaw_free(values);
    return status;
}

static ThawStatus read_ids(const ThawVtu *vtu, ThawVtuPlace place, const char *name, uint64_t count, int32_t below,
                           int needed, int32_t *out) {
    const ThawVtuArray *array = thaw_vtu_find(vtu, place, name);
    double *values;
    if (!array)
        return needed ? thaw_text_fail(vtu->text, "no array \"%s\"", name ? name : "Points") : THAW_OK;
    ThawStatus status = thaw_vtu_numbers(vtu, array, count, &values);
    for (uint64_t i = 0; !status && i < count; i++) {
        if (!(values[i] >= 0 && values[i] < below && values[i] == floor(values[i])))
            status = thaw_text_fail(vtu->text, "the array \"%s\" holds %g; allowed are whole numbers from 0 to %d",
                                    name, values[i], below - 1);
        else
            out[i] = (int32_t)values[i];
    }
    thaw_free(values);
    return status;
}

// Values of a field must be what the field allows.
static ThawStatus check_field(const ThawVtu *vtu, const ThawField *field, const double *values, size_t count) {
    const double low = field->category_count < 0 ? -1 : 0,
                 high = field->category_count < 0 ? INT32_MAX : field->category_count - 1;
    for (size_t i = 0; field->category_count != 0 && i < count; i++)
        if (!(values[i] >= low && values[i] <= high && values[i] == floor(values[i])))
            return thaw_text_fail(vtu->text, "the array \"%s\" holds %g; allowed are whole numbers from %g to %g",
                                  field->name, values[i], low, high);
    return THAW_OK;
}

static ThawStatus read_fields(const ThawVtu *vtu, ThawFrameData *d, ThawError *error) {
    ThawStatus status = THAW_OK;
    for (int32_t i = 0; i < thaw_field_count() && !status; i++) {
        const ThawField *field = thaw_field(i);
        const ThawVtuPlace place = field->place == THAW_FIELD_VERTEX ? THAW_VTU_POINT_DATA : THAW_VTU_CELL_DATA;
        const size_t count = thaw_frame_field_size(d, i);
        if (!thaw_vtu_find(vtu, place, field->name))
            continue;
        status = thaw_frame_data_add(d, i, error);
        if (!status)
            status = read_reals(vtu, place, field->name, count, 1, d->fields[i]);
        if (!status)
            status = check_field(vtu, field, d->fields[i], count);
    }
    return status;
}

// Numbers of each body, where the frame has them.
static ThawStatus read_by_body(const ThawVtu *vtu, const char *name, int components, const ThawFrameData *d,
                               double **values, ThawError *error) {
    const uint64_t count = (uint64_t)components * (uint64_t)d->body_count;
    if (count == 0 || !thaw_vtu_find(vtu, THAW_VTU_FIELD_DATA, name))
        return THAW_OK;
    *values = THAW_NEW(double, count);
    return *values ? read_reals(vtu, THAW_VTU_FIELD_DATA, name, count, 1, *values)
                   : thaw_error_memory(error, "a frame");
}

// Attachments must name bodies that there are; what is left of them out of the frame is not shown.
static ThawStatus check_attachments(const ThawVtu *vtu, const ThawFrameData *d) {
    for (int32_t i = 0; i < d->attachment_count; i++) {
        const double *a = d->attachments + THAW_FRAME_ATTACHMENT * (size_t)i;
        if (!(a[0] >= 0 && a[0] < d->body_count && a[1] >= -1 && a[1] < d->body_count && a[2] >= -1 &&
              a[2] < INT32_MAX))
            return thaw_text_fail(vtu->text, "attachment %d is of body %g, %g and obstacle %g", (int)i, a[0], a[1],
                                  a[2]);
    }
    for (int64_t i = 0; i < 6 * (int64_t)d->line_count; i++)
        if (!isfinite(d->lines[i]))
            return thaw_text_fail(vtu->text, "line %lld of the attachments has the coordinate %g", (long long)(i / 6),
                                  d->lines[i]);
    return THAW_OK;
}

static ThawStatus read_attachments(const ThawVtu *vtu, size_t size, ThawFrameData *d, ThawError *error) {
    double counts[2] = {0, 0};
    ThawStatus status = read_reals(vtu, THAW_VTU_FIELD_DATA, "attachment_counts", 2, 0, counts);
    if (status || !(counts[0] > 0))
        return status;
    // Each number takes a byte at least.
    if (!(counts[0] <= (double)size && counts[1] >= 0 && counts[1] <= (double)size && counts[0] < INT32_MAX &&
          counts[1] < INT32_MAX))
        return thaw_text_fail(vtu->text, "more attachments than the file can hold");
    d->attachment_count = (int32_t)counts[0];
    d->line_count = (int32_t)counts[1];
    d->attachments = THAW_NEW(double, THAW_FRAME_ATTACHMENT *(size_t)d->attachment_count);
    d->lines = THAW_NEW(double, 6 * (size_t)d->line_count);
    if (!d->attachments || !d->lines)
        return thaw_error_memory(error, "a frame");
    status = read_reals(vtu, THAW_VTU_FIELD_DATA, "attachments", THAW_FRAME_ATTACHMENT * (uint64_t)d->attachment_count,
                        1, d->attachments);
    if (!status && d->line_count > 0)
        status = read_reals(vtu, THAW_VTU_FIELD_DATA, "attachment_lines", 6 * (uint64_t)d->line_count, 1, d->lines);
    return status ? status : check_attachments(vtu, d);
}

// What the frame tells about the whole world.
static ThawStatus read_world(const ThawVtu *vtu, ThawFrameData *d, ThawError *error) {
    double step = -1;
    ThawStatus status = read_reals(vtu, THAW_VTU_FIELD_DATA, "TimeValue", 1, 0, &d->time);
    if (!status)
        status = read_reals(vtu, THAW_VTU_FIELD_DATA, "step", 1, 0, &step);
    d->step = step >= 0 && step < 9e15 ? (int64_t)step : -1;
    if (!status)
        status = read_by_body(vtu, "thresholds", 2, d, &d->thresholds, error);
    if (!status)
        status = read_by_body(vtu, "hindrance", 1, d, &d->hindrance, error);
    return status;
}

// Tetrahedra have type 10, triangles 5; among tetrahedra, or in a frame that says that it is of three dimensions, these
// are of sheets. *sheet: for each cell whether it is such a triangle, for thaw_free.
static ThawStatus read_nodes(const ThawVtu *vtu, int *nodes, unsigned char **sheet, ThawError *error) {
    const ThawVtuArray *array = thaw_vtu_find(vtu, THAW_VTU_CELLS, "types");
    double *types, dimension = 0;
    int solids = 0;
    if (!array)
        return thaw_text_fail(vtu->text, "no array \"types\"");
    ThawStatus status = thaw_vtu_numbers(vtu, array, vtu->cell_count, &types);
    if (!status)
        status = read_reals(vtu, THAW_VTU_FIELD_DATA, "dimension", 1, 0, &dimension);
    if (!status && !(*sheet = THAW_NEW(unsigned char, vtu->cell_count)))
        status = thaw_error_memory(error, "a frame");
    for (uint64_t c = 0; !status && c < vtu->cell_count; c++) {
        solids += types[c] == 10;
        (*sheet)[c] = types[c] == 5;
        if (types[c] != 5 && types[c] != 10)
            status =
                thaw_text_fail(vtu->text, "cell %llu has the type %g; allowed are tetrahedra (10) or triangles (5)",
                               (unsigned long long)c, types[c]);
    }
    *nodes = !status && vtu->cell_count && !solids && dimension != 3 ? 3 : 4;
    thaw_free(types);
    return status;
}

// Corners as the file has them, then those of triangles among four with the last one twice.
static ThawStatus read_cells(const ThawVtu *vtu, const unsigned char *sheet, ThawFrameData *d) {
    uint64_t corners = 0;
    for (uint64_t c = 0; c < vtu->cell_count; c++)
        corners += 4 - sheet[c];
    const ThawStatus status = read_ids(vtu, THAW_VTU_CELLS, "connectivity", corners, d->point_count, 1, d->cells);
    for (uint64_t c = vtu->cell_count; !status && d->nodes == 4 && c-- > 0;) { // from behind: some become wider
        corners -= 4 - sheet[c];
        memmove(d->cells + 4 * c, d->cells + corners, sizeof *d->cells * (4 - (size_t)sheet[c]));
        if (sheet[c])
            d->cells[4 * c + 3] = d->cells[4 * c + 2];
    }
    return status;
}

static ThawStatus read_arrays(const ThawVtu *vtu, const unsigned char *sheet, ThawFrameData *d, ThawError *error) {
    const uint64_t points = vtu->point_count;
    ThawStatus status = read_reals(vtu, THAW_VTU_POINTS, NULL, 3 * points, 1, d->x);
    if (!status)
        status = read_cells(vtu, sheet, d);
    if (!status)
        status = read_ids(vtu, THAW_VTU_POINT_DATA, "body", points, d->point_count, 0, d->body); // each has a point
    if (!status)
        status = read_fields(vtu, d, error);
    for (int64_t i = 0; !status && i < 3 * (int64_t)d->point_count; i++)
        if (!isfinite(d->x[i]))
            status = thaw_text_fail(vtu->text, "point %lld has the coordinate %g", (long long)(i / 3), d->x[i]);
    for (int32_t p = 0; !status && p < d->point_count; p++)
        if (d->body[p] >= d->body_count)
            d->body_count = d->body[p] + 1;
    return status ? status : read_world(vtu, d, error);
}

static ThawStatus read_content(const ThawVtu *vtu, size_t size, ThawFrameData **data, ThawError *error) {
    int nodes = 0;
    // A compressed byte becomes at most 1032, which keeps a wrong count from asking for all memory.
    if (vtu->point_count > INT32_MAX || vtu->cell_count > INT32_MAX / 4 || vtu->point_count / 1032 > size ||
        vtu->cell_count / 1032 > size)
        return thaw_text_fail(vtu->text, "more points or cells than the file can hold");
    unsigned char *sheet = NULL;
    ThawStatus status = read_nodes(vtu, &nodes, &sheet, error);
    if (!status)
        status = thaw_frame_data_create(nodes, (int32_t)vtu->point_count, (int32_t)vtu->cell_count, data, error);
    if (!status)
        status = read_arrays(vtu, sheet, *data, error);
    thaw_free(sheet);
    return status ? status : read_attachments(vtu, size, *data, error);
}

ThawStatus thaw_vtu_read(const char *path, ThawFrameData **data, ThawError *error) {
    ThawText text;
    ThawVtu vtu = {0};
    ThawError found = {0};
    *data = NULL;
    ThawStatus status = thaw_text_open(path, 0, thaw_head_vtu, &text, &found);
    if (!status)
        status = thaw_vtu_open(&text, &vtu);
    if (!status)
        status = read_content(&vtu, (size_t)(text.end - text.bytes), data, &found);
    thaw_vtu_free(&vtu);
    thaw_text_close(&text);
    if (!status)
        return status;
    thaw_frame_data_free(data);
    return thaw_error_set(error, status, "%.700s%s", found.message,
                          status == THAW_ERROR_INPUT ? " (not a frame written by thaw, or damaged)" : "");
}
