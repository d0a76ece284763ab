// SPDX-License-Identifier: Apache-2.0
// Reads back the VTU files that vtu.c writes, for rendering and replay.
//
// Not an XML parser: it finds the DataArray tags by name, in the part before the raw bytes, and takes type, components
// and offset from their attributes. Nothing in the file is trusted: every array must have exactly the length that the
// counts of points and cells ask for and lie inside the file, and every vertex id must be in range. Arrays that only
// colour a picture (velocity, body, region, von_mises) may be missing.
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/frame_data.h"
#include "output/output.h"

typedef struct Reader {
    const char *path;
    const char *xml; // zero-terminated before the raw part
    const char *raw; // first byte after the underscore
    size_t raw_size;
    ThawError *error;
} Reader;

static ThawStatus refuse(const Reader *r, const char *what) {
    return thaw_error_set(r->error, THAW_ERROR_INPUT, "%s is not a frame written by thaw, or is damaged: %s", r->path,
                          what);
}

// The value of NAME="..." inside the tag that starts at `tag`; NULL if the tag has none.
static const char *attribute(const char *tag, const char *name) {
    const char *end = strchr(tag, '>');
    size_t length = strlen(name);
    for (const char *at = tag; end && (at = strstr(at, name)) && at < end; at += length)
        if (at[-1] == ' ' && at[length] == '=' && at[length + 1] == '"')
            return at + length + 2;
    return NULL;
}

static int attribute_is(const char *tag, const char *name, const char *value) {
    const char *found = attribute(tag, name);
    size_t length = strlen(value);
    return found && strncmp(found, value, length) == 0 && found[length] == '"';
}

static const char *find_array(const Reader *r, const char *name) {
    const char *tag = r->xml;
    while ((tag = strstr(tag, "<DataArray"))) {
        if (attribute_is(tag, "Name", name))
            return tag;
        tag++;
    }
    return NULL;
}

// The raw bytes of an array, which must be `count` items of `size` bytes; NULL if they are not there.
static const char *array_bytes(const Reader *r, const char *tag, uint64_t count, uint64_t size) {
    const char *offset = attribute(tag, "offset");
    if (!offset)
        return NULL;
    uint64_t at = strtoull(offset, NULL, 10), length;
    if (r->raw_size < sizeof length || at > r->raw_size - sizeof length)
        return NULL;
    memcpy(&length, r->raw + at, sizeof length);
    at += sizeof length;
    return length == count * size && length <= r->raw_size - at ? r->raw + at : NULL;
}

static ThawStatus read_reals(const Reader *r, const char *name, uint64_t count, int needed, double *out) {
    const char *tag = find_array(r, name);
    if (!tag)
        return needed ? refuse(r, name) : THAW_OK;
    int wide = attribute_is(tag, "type", "Float64");
    if (!wide && !attribute_is(tag, "type", "Float32"))
        return refuse(r, name);
    const char *bytes = array_bytes(r, tag, count, wide ? 8 : 4);
    if (!bytes)
        return refuse(r, name);
    for (uint64_t i = 0; i < count; i++) {
        float narrow;
        if (wide) {
            memcpy(out + i, bytes + 8 * i, 8);
        } else {
            memcpy(&narrow, bytes + 4 * i, 4);
            out[i] = narrow;
        }
    }
    return THAW_OK;
}

static ThawStatus read_ids(const Reader *r, const char *name, uint64_t count, int needed, int32_t *out) {
    const char *tag = find_array(r, name);
    if (!tag)
        return needed ? refuse(r, name) : THAW_OK;
    const char *bytes = attribute_is(tag, "type", "Int32") ? array_bytes(r, tag, count, 4) : NULL;
    if (!bytes)
        return refuse(r, name);
    memcpy(out, bytes, count * 4);
    return THAW_OK;
}

static ThawStatus read_time(const Reader *r, double *time) {
    const char *tag = find_array(r, "TimeValue");
    const char *end = tag ? strchr(tag, '>') : NULL;
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", NULL);
    if (!c_locale)
        return thaw_error_memory(r->error, "a locale");
    *time = end ? strtod_l(end + 1, NULL, c_locale) : 0;
    freelocale(c_locale);
    return isfinite(*time) ? THAW_OK : refuse(r, "TimeValue");
}

// Tetrahedra have type 10, triangles 5; one kind a file.
static ThawStatus read_nodes(const Reader *r, uint64_t cells, int *nodes) {
    const char *tag = find_array(r, "types");
    const char *types = tag ? array_bytes(r, tag, cells, 1) : NULL;
    if (!types || (cells && types[0] != 10 && types[0] != 5))
        return refuse(r, "types");
    for (uint64_t c = 1; c < cells; c++)
        if (types[c] != types[0])
            return refuse(r, "types");
    *nodes = cells && types[0] == 5 ? 3 : 4;
    return THAW_OK;
}

static ThawStatus check_values(const Reader *r, ThawFrameData *d) {
    for (int64_t i = 0; i < (int64_t)d->nodes * d->cell_count; i++)
        if (d->cells[i] < 0 || d->cells[i] >= d->point_count)
            return refuse(r, "connectivity");
    for (int64_t i = 0; i < 3 * (int64_t)d->point_count; i++)
        if (!isfinite(d->x[i]))
            return refuse(r, "Points");
    for (int32_t p = 0; p < d->point_count; p++) {
        if (d->body[p] < 0 || d->body[p] == INT32_MAX)
            return refuse(r, "body");
        if (d->body[p] >= d->body_count)
            d->body_count = d->body[p] + 1;
    }
    return THAW_OK;
}

static ThawStatus read_content(const Reader *r, ThawFrameData **data) {
    const char *piece = strstr(r->xml, "<Piece");
    const char *point_text = piece ? attribute(piece, "NumberOfPoints") : NULL;
    const char *cell_text = piece ? attribute(piece, "NumberOfCells") : NULL;
    uint64_t points = point_text ? strtoull(point_text, NULL, 10) : UINT64_MAX;
    uint64_t cells = cell_text ? strtoull(cell_text, NULL, 10) : UINT64_MAX;
    // A point takes at least 12 bytes and a cell 13, which also keeps a wrong count from asking for all memory.
    if (points > r->raw_size / 12 || cells > r->raw_size / 13 || points > INT32_MAX || cells > INT32_MAX / 4)
        return refuse(r, "NumberOfPoints or NumberOfCells");
    int nodes = 0;
    ThawStatus status = read_nodes(r, cells, &nodes);
    if (status == THAW_OK)
        status = thaw_frame_data_create(nodes, (int32_t)points, (int32_t)cells, data, r->error);
    if (status != THAW_OK)
        return status;
    ThawFrameData *d = *data;
    if (status == THAW_OK)
        status = read_time(r, &d->time);
    if (status == THAW_OK)
        status = read_reals(r, "Points", 3 * points, 1, d->x);
    if (status == THAW_OK)
        status = read_ids(r, "connectivity", (uint64_t)nodes * cells, 1, d->cells);
    if (status == THAW_OK)
        status = read_reals(r, "velocity", 3 * points, 0, d->v);
    if (status == THAW_OK)
        status = read_ids(r, "body", points, 0, d->body);
    if (status == THAW_OK)
        status = read_ids(r, "region", cells, 0, d->region);
    if (status == THAW_OK)
        status = read_reals(r, "von_mises", cells, 0, d->von_mises);
    if (status == THAW_OK)
        status = check_values(r, d);
    return status;
}

ThawStatus thaw_vtu_read(const char *path, ThawFrameData **data, ThawError *error) {
    *data = NULL;
    char *bytes;
    size_t size;
    ThawStatus status = thaw_file_read(path, &bytes, &size, error);
    if (status != THAW_OK)
        return status;
    Reader r = {.path = path, .xml = bytes, .error = error};
    static const char mark[] = "<AppendedData encoding=\"raw\">";
    char *appended = memmem(bytes, size, mark, sizeof mark - 1);
    char *underscore = appended ? memchr(appended, '_', size - (size_t)(appended - bytes)) : NULL;
    if (!underscore || memchr(bytes, 0, (size_t)(appended - bytes)) || !strstr(bytes, "header_type=\"UInt64\"") ||
        !strstr(bytes, "byte_order=\"LittleEndian\"")) {
        status = refuse(&r, "no raw appended data");
    } else {
        *appended = 0;
        r.raw = underscore + 1;
        r.raw_size = size - (size_t)(r.raw - bytes);
        status = read_content(&r, data);
    }
    if (status != THAW_OK)
        thaw_frame_data_free(data);
    thaw_free(bytes);
    return status;
}
