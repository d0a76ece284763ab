// SPDX-License-Identifier: Apache-2.0
// The whole mesh with its fields over time in one HDF5 file that ParaView opens (VTKHDF 2, "UnstructuredGrid" with steps).
// Elements never change, so they stand there once and every step points at the same ones; positions and fields of all steps
// follow each other, and Steps says where each begins.
#include <hdf5.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "output/clip.h"

typedef struct Hdf {
    hid_t file, root, steps;
    hsize_t frames, points, cells, nodes;
    float *scratch; // room for a field
    int failed;
} Hdf;

// Identifiers of a failed call are negative: everything after it is passed over, and the failure is told once.
static void check(Hdf *h, int64_t outcome) { h->failed |= outcome < 0; }

static void write_attribute(Hdf *h, hid_t at, const char *name, hid_t type, hsize_t count, const void *value) {
    hid_t space = count ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    check(h, H5Awrite(attribute, type, value));
    check(h, H5Aclose(attribute));
    check(h, H5Sclose(space));
}

// rows x columns (0: a plain list), chunked by `chunk` rows and compressed where chunk > 0.
static hid_t create(Hdf *h, hid_t at, const char *name, hid_t type, hsize_t rows, hsize_t columns, hsize_t chunk) {
    const hsize_t size[2] = {rows, columns}, piece[2] = {chunk, columns};
    int rank = columns ? 2 : 1;
    hid_t space = H5Screate_simple(rank, size, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    if (chunk) {
        check(h, H5Pset_chunk(how, rank, piece));
        check(h, H5Pset_shuffle(how));
        check(h, H5Pset_deflate(how, 3));
    }
    hid_t set = H5Dcreate2(at, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    check(h, set);
    check(h, H5Pclose(how));
    check(h, H5Sclose(space));
    return set;
}

static void write_whole(Hdf *h, hid_t at, const char *name, hid_t file_type, hid_t type, hsize_t rows, hsize_t columns,
                        const void *values) {
    hid_t set = create(h, at, name, file_type, rows, columns, 0);
    check(h, H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    check(h, H5Dclose(set));
}

// The frame's rows of a list that goes through all steps.
static void write_rows(Hdf *h, hid_t set, hsize_t frame, hsize_t rows, hsize_t columns, const double *values) {
    const hsize_t from[2] = {frame * rows, 0}, count[2] = {rows, columns};
    int rank = columns ? 2 : 1;
    for (hsize_t i = 0; i < rows * (columns ? columns : 1); i++)
        h->scratch[i] = (float)values[i];
    hid_t space = H5Dget_space(set), memory = H5Screate_simple(rank, count, NULL);
    check(h, H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, count, NULL));
    check(h, H5Dwrite(set, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, h->scratch));
    check(h, H5Sclose(memory));
    check(h, H5Sclose(space));
}

// first + stride f for each frame f.
static void write_offsets(Hdf *h, hid_t at, const char *name, hsize_t columns, int64_t first, int64_t stride,
                          int64_t *room) {
    for (hsize_t f = 0; f < h->frames; f++)
        room[f] = first + stride * (int64_t)f;
    write_whole(h, at, name, H5T_STD_I64LE, H5T_NATIVE_INT64, h->frames, columns, room);
}

// Columns of a field: a plain list for numbers, rows for vectors.
static hsize_t columns_of(const ThawField *field) { return field->components > 1 ? (hsize_t)field->components : 0; }

static hsize_t rows_of(const Hdf *h, const ThawField *field) {
    return field->place == THAW_FIELD_VERTEX ? h->points : h->cells;
}

static void write_steps(Hdf *h, const ThawFrameData *first, const double *time, int64_t *room) {
    const int64_t count = (int64_t)h->frames;
    write_attribute(h, h->steps, "NSteps", H5T_NATIVE_INT64, 0, &count);
    write_whole(h, h->steps, "Values", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, h->frames, 0, time);
    write_offsets(h, h->steps, "PartOffsets", 0, 0, 0, room);
    write_offsets(h, h->steps, "NumberOfParts", 0, 1, 0, room);
    write_offsets(h, h->steps, "PointOffsets", 0, 0, (int64_t)h->points, room);
    write_offsets(h, h->steps, "CellOffsets", 1, 0, 0, room);
    write_offsets(h, h->steps, "ConnectivityIdOffsets", 1, 0, 0, room);
    hid_t points = H5Gcreate2(h->steps, "PointDataOffsets", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t cells = H5Gcreate2(h->steps, "CellDataOffsets", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    write_offsets(h, points, "body", 0, 0, 0, room);
    for (int32_t i = 0; i < thaw_field_count(); i++) {
        const ThawField *field = thaw_field(i);
        if (first->fields[i])
            write_offsets(h, field->place == THAW_FIELD_VERTEX ? points : cells, field->name, 0, 0,
                          (int64_t)rows_of(h, field), room);
    }
    check(h, H5Gclose(points));
    check(h, H5Gclose(cells));
}

// Elements, and what is constant on them.
static ThawStatus write_topology(Hdf *h, const ThawFrameData *frame, hid_t point_data, ThawError *error) {
    const int64_t points = (int64_t)h->points, cells = (int64_t)h->cells, ids = cells * (int64_t)h->nodes;
    int64_t *offsets = THAW_NEW(int64_t, (size_t)cells + 1);
    unsigned char *types = THAW_NEW(unsigned char, (size_t)cells + 1);
    if (!offsets || !types) {
        thaw_free(offsets);
        thaw_free(types);
        return thaw_error_memory(error, "the elements of a VTKHDF file");
    }
    for (int64_t c = 0; c <= cells; c++)
        offsets[c] = c * (int64_t)h->nodes;
    memset(types, h->nodes == 4 ? 10 : 5, (size_t)cells);
    write_whole(h, h->root, "NumberOfPoints", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, 0, &points);
    write_whole(h, h->root, "NumberOfCells", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, 0, &cells);
    write_whole(h, h->root, "NumberOfConnectivityIds", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, 0, &ids);
    write_whole(h, h->root, "Connectivity", H5T_STD_I64LE, H5T_NATIVE_INT32, (hsize_t)ids, 0, frame->cells);
    write_whole(h, h->root, "Offsets", H5T_STD_I64LE, H5T_NATIVE_INT64, (hsize_t)cells + 1, 0, offsets);
    write_whole(h, h->root, "Types", H5T_STD_U8LE, H5T_NATIVE_UCHAR, (hsize_t)cells, 0, types);
    write_whole(h, point_data, "body", H5T_STD_I32LE, H5T_NATIVE_INT32, h->points, 0, frame->body);
    thaw_free(offsets);
    thaw_free(types);
    return THAW_OK;
}

static ThawStatus write_frame(Hdf *h, const ThawReplay *replay, hsize_t f, const ThawFrameData *first, hid_t x,
                              const hid_t *sets, double *time, ThawError *error) {
    ThawFrameData *frame;
    ThawStatus status = thaw_replay_read(replay, (int64_t)f, &frame, error);
    if (status != THAW_OK)
        return status;
    int same = frame->point_count == first->point_count && frame->cell_count == first->cell_count;
    for (int32_t i = 0; i < thaw_field_count(); i++)
        same &= sets[i] < 0 || frame->fields[i] != NULL;
    if (same) {
        *time = frame->time;
        write_rows(h, x, f, h->points, 3, frame->x);
        for (int32_t i = 0; i < thaw_field_count(); i++)
            if (sets[i] >= 0)
                write_rows(h, sets[i], f, rows_of(h, thaw_field(i)), columns_of(thaw_field(i)), frame->fields[i]);
    } else
        status = thaw_error_set(error, THAW_ERROR_INPUT,
                                "frame %" PRId64 " of %s has another mesh or fewer fields than "
                                "the first",
                                thaw_replay_number(replay, (int64_t)f), thaw_replay_path(replay));
    thaw_frame_data_free(&frame);
    return status;
}

static ThawStatus write_frames(Hdf *h, const ThawReplay *replay, const ThawFrameData *first, double *time,
                               ThawError *error) {
    hid_t *sets = THAW_NEW(hid_t, thaw_field_count());
    if (!sets)
        return thaw_error_memory(error, "the fields of a VTKHDF file");
    hid_t point_data = H5Gcreate2(h->root, "PointData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t cell_data = H5Gcreate2(h->root, "CellData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ThawStatus status = write_topology(h, first, point_data, error);
    hid_t x = create(h, h->root, "Points", H5T_IEEE_F32LE, h->frames * h->points, 3, h->points);
    for (int32_t i = 0; i < thaw_field_count(); i++) {
        const ThawField *field = thaw_field(i);
        hsize_t rows = rows_of(h, field);
        sets[i] = first->fields[i] ? create(h, field->place == THAW_FIELD_VERTEX ? point_data : cell_data, field->name,
                                            H5T_IEEE_F32LE, h->frames * rows, columns_of(field), rows)
                                   : -1;
    }
    for (hsize_t f = 0; status == THAW_OK && f < h->frames; f++)
        status = write_frame(h, replay, f, first, x, sets, &time[f], error);
    for (int32_t i = 0; i < thaw_field_count(); i++)
        if (sets[i] >= 0)
            check(h, H5Dclose(sets[i]));
    check(h, H5Dclose(x));
    check(h, H5Gclose(point_data));
    check(h, H5Gclose(cell_data));
    thaw_free(sets);
    return status;
}

static ThawStatus write_all(Hdf *h, const ThawReplay *replay, const ThawFrameData *first, ThawError *error) {
    double *time = THAW_NEW(double, (size_t)h->frames);
    int64_t *room = THAW_NEW(int64_t, (size_t)h->frames);
    h->scratch = THAW_NEW(float, 3 * (size_t)(h->points + h->cells));
    ThawStatus status = time && room && h->scratch ? THAW_OK : thaw_error_memory(error, "the steps of a VTKHDF file");
    if (status == THAW_OK) {
        static const char kind[] = "UnstructuredGrid";
        hid_t text = H5Tcopy(H5T_C_S1);
        check(h, H5Tset_size(text, sizeof kind - 1));
        check(h, H5Tset_strpad(text, H5T_STR_NULLPAD));
        write_attribute(h, h->root, "Version", H5T_NATIVE_INT64, 2, (const int64_t[]){2, 0});
        write_attribute(h, h->root, "Type", text, 0, kind);
        check(h, H5Tclose(text));
        status = write_frames(h, replay, first, time, error);
    }
    if (status == THAW_OK)
        write_steps(h, first, time, room);
    thaw_free(time);
    thaw_free(room);
    thaw_free(h->scratch);
    return status;
}

static ThawStatus write_file(const ThawReplay *replay, const ThawFrameData *first, const char *path, ThawError *error) {
    char beside[4200];
    snprintf(beside, sizeof beside, "%.4000s.tmp", path);
    Hdf h = {.file = H5Fcreate(beside, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
             .frames = (hsize_t)thaw_replay_count(replay),
             .points = (hsize_t)first->point_count,
             .cells = (hsize_t)first->cell_count,
             .nodes = (hsize_t)first->nodes};
    if (h.file < 0)
        return thaw_error_set(error, THAW_ERROR_IO, "cannot write %s", path);
    h.root = H5Gcreate2(h.file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    h.steps = H5Gcreate2(h.root, "Steps", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ThawStatus status = write_all(&h, replay, first, error);
    check(&h, H5Gclose(h.steps));
    check(&h, H5Gclose(h.root));
    check(&h, H5Fclose(h.file));
    if (status == THAW_OK && (h.failed || rename(beside, path)))
        status = thaw_error_set(error, THAW_ERROR_IO, "cannot write %s (is the disk full?)", path);
    if (status != THAW_OK)
        unlink(beside);
    return status;
}

ThawStatus thaw_export_vtkhdf(const ThawReplay *replay, const char *path, ThawError *error) {
    ThawFrameData *first;
    ThawStatus status = thaw_replay_read(replay, 0, &first, error);
    if (status != THAW_OK)
        return status;
    if (!first->point_count || !first->cell_count)
        status = thaw_error_set(error, THAW_ERROR_INPUT, "%s has no elements to export", thaw_replay_path(replay));
    H5E_BEGIN_TRY { // failures are told by us
        if (status == THAW_OK)
            status = write_file(replay, first, path, error);
    }
    H5E_END_TRY;
    thaw_frame_data_free(&first);
    return status;
}
