// SPDX-License-Identifier: Apache-2.0
// VTU files: the XML format of unstructured grids that ParaView, VisIt and PyVista read.
//
// The XML part only says where each array begins; the arrays follow as raw little-endian bytes, each after its length
// as a 64-bit number. Writing is then bounded by the disk. 32-bit positions are enough to look at (a tenth of a micron
// on a metre), unless they are far from the origin; 64 keep every bit.
#include <inttypes.h>
#include <string.h>

#include "output/frame_data.h"
#include "output/output.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "frames are written as they lie in memory");

enum { VTK_TRIANGLE = 5, VTK_TETRA = 10 };

size_t thaw_vtu_scratch(const ThawFrameData *data) {
    size_t points = 3 * (size_t)data->point_count, cells = 2 * (size_t)data->cell_count;
    return sizeof(double) * (points > cells ? points : cells);
}

// Corners of all cells, where triangles of sheets have three. Their ids go to `corners` (NULL: are counted only), and
// where each cell's end to `ends`, its type to `types`.
static size_t list_corners(const ThawFrameData *data, int32_t *corners, int64_t *ends, unsigned char *types) {
    size_t used = 0;
    for (size_t c = 0; c < (size_t)data->cell_count; c++) {
        const int32_t *cell = data->cells + (size_t)data->nodes * c;
        const int sheet = thaw_cell_is_sheet(data->nodes, cell), count = data->nodes - sheet;
        if (corners)
            memcpy(corners + used, cell, (size_t)count * sizeof *cell);
        used += (size_t)count;
        if (ends)
            ends[c] = (int64_t)used;
        if (types)
            types[c] = count == 4 ? VTK_TETRA : VTK_TRIANGLE;
    }
    return used;
}

// Says in XML where an array of `size` bytes lies, and moves the offset behind it.
static void announce(ThawFile *file, const char *type, const char *name, int components, uint64_t size,
                     uint64_t *offset) {
    thaw_file_print(file,
                    "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
                    "offset=\"%" PRIu64 "\"/>\n",
                    type, name, components, *offset);
    *offset += sizeof size + size;
}

static void append(ThawFile *file, const void *bytes, uint64_t size) {
    thaw_file_write(file, &size, sizeof size);
    thaw_file_write(file, bytes, size);
}

static void append_reals(ThawFile *file, const double *value, size_t count, int bits, void *scratch) {
    if (bits == 64) {
        append(file, value, count * sizeof(double));
        return;
    }
    float *narrow = scratch;
    for (size_t i = 0; i < count; i++)
        narrow[i] = (float)value[i];
    append(file, narrow, count * sizeof(float));
}

// How a field is stored: categories as bytes, other ids as whole numbers, numbers as floats, vectors like positions.
typedef struct Stored {
    const char *type;
    uint64_t size; // bytes a number
} Stored;

static Stored stored(const ThawField *field, int bits) {
    if (field->category_count)
        return field->category_count > 0 ? (Stored){"UInt8", 1} : (Stored){"Int32", 4};
    return field->components > 1 && bits == 64 ? (Stored){"Float64", 8} : (Stored){"Float32", 4};
}

static void announce_fields(ThawFile *file, const ThawFrameData *data, ThawFieldPlace place, int bits,
                            uint64_t *offset) {
    for (int32_t i = 0; i < thaw_field_count(); i++) {
        const ThawField *field = thaw_field(i);
        Stored how = stored(field, bits);
        if (data->fields[i] && field->place == place)
            announce(file, how.type, field->name, field->components, thaw_frame_field_size(data, i) * how.size, offset);
    }
}

static void append_fields(ThawFile *file, const ThawFrameData *data, ThawFieldPlace place, int bits, void *scratch) {
    for (int32_t i = 0; i < thaw_field_count(); i++) {
        const ThawField *field = thaw_field(i);
        const double *values = data->fields[i];
        Stored how = stored(field, bits);
        if (!values || field->place != place)
            continue;
        size_t count = thaw_frame_field_size(data, i);
        if (field->category_count == 0) {
            append_reals(file, values, count, 8 * (int)how.size, scratch);
            continue;
        }
        for (size_t k = 0; k < count; k++)
            if (how.size == 1)
                ((unsigned char *)scratch)[k] = (unsigned char)values[k];
            else
                ((int32_t *)scratch)[k] = (int32_t)values[k];
        append(file, scratch, count * how.size);
    }
}

static void print_field_data(ThawFile *file, const char *name, int components, int32_t count, const double *values) {
    thaw_file_print(file,
                    "      <DataArray type=\"Float64\" Name=\"%s\" NumberOfComponents=\"%d\" NumberOfTuples=\"%d\" "
                    "format=\"ascii\">",
                    name, components, (int)count);
    for (int32_t i = 0; i < components * count; i++)
        thaw_file_print(file, i ? " %.9g" : "%.9g", values[i]);
    thaw_file_print(file, "</DataArray>\n");
}

ThawStatus thaw_vtu_write(const char *path, const ThawFrameData *data, int bits, void *scratch, ThawError *error) {
    ThawFile *file;
    ThawStatus status = thaw_file_create(path, &file, error);
    if (status != THAW_OK)
        return status;
    size_t points = (size_t)data->point_count, cells = (size_t)data->cell_count;
    const int point_bits = bits == 64 || thaw_frame_is_far(data) ? 64 : 32;
    const size_t corners = list_corners(data, NULL, NULL, NULL);
    uint64_t offset = 0;

    thaw_file_print(file, "<?xml version=\"1.0\"?>\n"
                          "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
                          "header_type=\"UInt64\">\n"
                          "  <UnstructuredGrid>\n");
    thaw_file_print(file,
                    "    <FieldData>\n      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                    "format=\"ascii\">%.17g</DataArray>\n",
                    data->time);
    if (data->step >= 0)
        thaw_file_print(file,
                        "      <DataArray type=\"Int64\" Name=\"step\" NumberOfTuples=\"1\" format=\"ascii\">%" PRId64
                        "</DataArray>\n",
                        data->step);
    if (data->nodes == 4 && corners == 3 * cells) // nothing but sheets, which looks like the plane
        print_field_data(file, "dimension", 1, 1, (const double[]){3});
    if (data->obstacle_count > 0)
        print_field_data(file, "reaction", 3, data->obstacle_count, data->reaction);
    if (data->hindrance)
        print_field_data(file, "hindrance", 1, data->body_count, data->hindrance);
    if (data->thresholds)
        print_field_data(file, "thresholds", 2, data->body_count, data->thresholds);
    if (data->attachment_count > 0) {
        const double counts[2] = {data->attachment_count, data->line_count};
        print_field_data(file, "attachment_counts", 2, 1, counts);
        print_field_data(file, "attachments", THAW_FRAME_ATTACHMENT, data->attachment_count, data->attachments);
        if (data->line_count > 0)
            print_field_data(file, "attachment_lines", 6, data->line_count, data->lines);
    }
    thaw_file_print(file, "    </FieldData>\n    <Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n", points,
                    cells);
    thaw_file_print(file, "      <Points>\n");
    announce(file, point_bits == 64 ? "Float64" : "Float32", "Points", 3, 3 * points * (uint64_t)point_bits / 8,
             &offset);
    thaw_file_print(file, "      </Points>\n      <Cells>\n");
    announce(file, "Int32", "connectivity", 1, corners * 4, &offset);
    announce(file, "Int64", "offsets", 1, cells * 8, &offset);
    announce(file, "UInt8", "types", 1, cells, &offset);
    thaw_file_print(file, "      </Cells>\n      <PointData Vectors=\"velocity\">\n");
    announce(file, "Int32", "body", 1, points * 4, &offset);
    announce_fields(file, data, THAW_FIELD_VERTEX, bits, &offset);
    thaw_file_print(file, "      </PointData>\n      <CellData Scalars=\"von_mises\">\n");
    announce_fields(file, data, THAW_FIELD_ELEMENT, bits, &offset);
    thaw_file_print(file, "      </CellData>\n    </Piece>\n  </UnstructuredGrid>\n"
                          "  <AppendedData encoding=\"raw\">\n_");

    append_reals(file, data->x, 3 * points, point_bits, scratch);
    list_corners(data, scratch, NULL, NULL);
    append(file, scratch, corners * 4);
    list_corners(data, NULL, scratch, NULL);
    append(file, scratch, cells * 8);
    list_corners(data, NULL, NULL, scratch);
    append(file, scratch, cells);
    append(file, data->body, points * 4);
    append_fields(file, data, THAW_FIELD_VERTEX, bits, scratch);
    append_fields(file, data, THAW_FIELD_ELEMENT, bits, scratch);
    thaw_file_print(file, "\n  </AppendedData>\n</VTKFile>\n");
    return thaw_file_commit(&file, error);
}
