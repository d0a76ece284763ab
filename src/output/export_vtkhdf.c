// SPDX-License-Identifier: Apache-2.0
// The whole mesh with its fields over time in one HDF5 file that ParaView opens (VTKHDF 2, "UnstructuredGrid" with
// steps). Elements never change, so they stand there once and every step points at the same ones; positions and fields
// of all steps follow each other, a compressed chunk a step, and Steps says where each begins.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "output/clip.h"
#include "output/hdf.h"

typedef struct Export {
    ThawHdf *hdf;
    int64_t frames, points, cells;
    int32_t x, *fields; // lists that grow; -1: not in these frames
    ThawHdfType x_type; // doubles where floats would lose the shape
    double *time;       // of each frame
    int64_t *room;      // a number a frame
    float *narrow;      // room for a field
} Export;

// Columns of a field: a plain list for numbers, rows for vectors.
static int64_t columns_of(const ThawField *field) { return field->components > 1 ? field->components : 0; }

static int64_t rows_of(const Export *e, const ThawField *field) {
    return field->place == THAW_FIELD_VERTEX ? e->points : e->cells;
}

static const char *group_of(const ThawField *field) {
    return field->place == THAW_FIELD_VERTEX ? "PointData" : "CellData";
}

static void append(Export *e, int32_t list, ThawHdfType type, const double *values, int64_t count) {
    for (int64_t i = 0; type == THAW_HDF_F32 && i < count; i++)
        e->narrow[i] = (float)values[i];
    thaw_hdf_append(e->hdf, list, type == THAW_HDF_F32 ? (const void *)e->narrow : values);
}

// first + stride f for each frame f.
static void put_offsets(Export *e, const char *name, int64_t columns, int64_t first, int64_t stride) {
    for (int64_t f = 0; f < e->frames; f++)
        e->room[f] = first + stride * f;
    thaw_hdf_put(e->hdf, name, THAW_HDF_I64, e->frames, columns, e->room);
}

static void put_steps(Export *e) {
    thaw_hdf_attribute(e->hdf, "VTKHDF/Steps", "NSteps", THAW_HDF_I64, 0, &e->frames);
    thaw_hdf_put(e->hdf, "VTKHDF/Steps/Values", THAW_HDF_F64, e->frames, 0, e->time);
    put_offsets(e, "VTKHDF/Steps/PartOffsets", 0, 0, 0);
    put_offsets(e, "VTKHDF/Steps/NumberOfParts", 0, 1, 0);
    put_offsets(e, "VTKHDF/Steps/PointOffsets", 0, 0, e->points);
    put_offsets(e, "VTKHDF/Steps/CellOffsets", 1, 0, 0);
    put_offsets(e, "VTKHDF/Steps/ConnectivityIdOffsets", 1, 0, 0);
    put_offsets(e, "VTKHDF/Steps/PointDataOffsets/body", 0, 0, 0);
    for (int32_t i = 0; i < thaw_field_count(); i++) {
        char name[200];
        snprintf(name, sizeof name, "VTKHDF/Steps/%sOffsets/%s", group_of(thaw_field(i)), thaw_field(i)->name);
        if (e->fields[i] >= 0)
            put_offsets(e, name, 0, 0, rows_of(e, thaw_field(i)));
    }
}

// Elements, and what is constant on them.
static ThawStatus put_topology(Export *e, const ThawFrameData *frame, ThawError *error) {
    int64_t *wide = THAW_NEW(int64_t, frame->nodes * e->cells + 1), ids = 0; // triangles of sheets have three corners
    unsigned char *types = THAW_NEW(unsigned char, e->cells);
    if (!wide || !types) {
        thaw_free(wide);
        thaw_free(types);
        return thaw_error_memory(error, "the elements of a VTKHDF file");
    }
    for (int64_t c = 0; c < e->cells; c++) {
        const int32_t *cell = frame->cells + frame->nodes * c;
        const int count = frame->nodes - thaw_cell_is_sheet(frame->nodes, cell);
        for (int i = 0; i < count; i++)
            wide[ids++] = cell[i];
        types[c] = count == 4 ? 10 : 5;
    }
    thaw_hdf_put(e->hdf, "VTKHDF/NumberOfPoints", THAW_HDF_I64, 1, 0, &e->points);
    thaw_hdf_put(e->hdf, "VTKHDF/NumberOfCells", THAW_HDF_I64, 1, 0, &e->cells);
    thaw_hdf_put(e->hdf, "VTKHDF/NumberOfConnectivityIds", THAW_HDF_I64, 1, 0, &ids);
    thaw_hdf_put(e->hdf, "VTKHDF/Connectivity", THAW_HDF_I64, ids, 0, wide);
    wide[0] = 0;
    for (int64_t c = 0; c < e->cells; c++)
        wide[c + 1] = wide[c] + (types[c] == 10 ? 4 : 3);
    thaw_hdf_put(e->hdf, "VTKHDF/Offsets", THAW_HDF_I64, e->cells + 1, 0, wide);
    thaw_hdf_put(e->hdf, "VTKHDF/Types", THAW_HDF_U8, e->cells, 0, types);
    thaw_hdf_put(e->hdf, "VTKHDF/PointData/body", THAW_HDF_I32, e->points, 0, frame->body);
    thaw_free(wide);
    thaw_free(types);
    return THAW_OK;
}

static ThawStatus put_frame(Export *e, const ThawReplay *replay, int64_t f, const ThawFrameData *first,
                            ThawError *error) {
    ThawFrameData *frame;
    ThawStatus status = thaw_replay_read(replay, f, &frame, error);
    if (status != THAW_OK)
        return status;
    int same = frame->point_count == first->point_count && frame->cell_count == first->cell_count;
    for (int32_t i = 0; i < thaw_field_count(); i++)
        same &= e->fields[i] < 0 || frame->fields[i] != NULL;
    if (same) {
        e->time[f] = frame->time;
        append(e, e->x, e->x_type, frame->x, 3 * e->points);
        for (int32_t i = 0; i < thaw_field_count(); i++)
            if (e->fields[i] >= 0)
                append(e, e->fields[i], THAW_HDF_F32, frame->fields[i], (int64_t)thaw_frame_field_size(frame, i));
    } else
        status = thaw_error_set(error, THAW_ERROR_INPUT,
                                "frame %" PRId64 " of %s has another mesh (a body was cut, or lost elements) or fewer "
                                "fields than the first; allowed: one mesh, or the frames themselves in ParaView",
                                thaw_replay_number(replay, f), thaw_replay_path(replay));
    thaw_frame_data_free(&frame);
    return status;
}

static void begin_lists(Export *e, const ThawFrameData *first) {
    e->x = thaw_hdf_begin_list(e->hdf, "VTKHDF/Points", e->x_type, e->points, 3, e->frames);
    for (int32_t i = 0; i < thaw_field_count(); i++) {
        const ThawField *field = thaw_field(i);
        char name[200];
        snprintf(name, sizeof name, "VTKHDF/%s/%s", group_of(field), field->name);
        e->fields[i] = first->fields[i] ? thaw_hdf_begin_list(e->hdf, name, THAW_HDF_F32, rows_of(e, field),
                                                              columns_of(field), e->frames)
                                        : -1;
    }
}

static ThawStatus write_file(const ThawReplay *replay, const ThawFrameData *first, Export *e, const char *path,
                             ThawError *error) {
    static const char kind[] = "UnstructuredGrid";
    uint64_t size, digest;
    ThawStatus status = thaw_hdf_create(path, 0, &e->hdf, error);
    if (status != THAW_OK)
        return status;
    thaw_hdf_attribute(e->hdf, "VTKHDF", "Version", THAW_HDF_I64, 2, (const int64_t[]){2, 0});
    thaw_hdf_attribute(e->hdf, "VTKHDF", "Type", THAW_HDF_TEXT, sizeof kind - 1, kind);
    status = put_topology(e, first, error);
    begin_lists(e, first);
    for (int64_t f = 0; status == THAW_OK && f < e->frames; f++)
        status = put_frame(e, replay, f, first, error);
    if (status == THAW_OK) {
        put_steps(e);
        status = thaw_hdf_finish(e->hdf, &size, &digest, error);
    }
    if (status == THAW_OK)
        return thaw_hdf_commit(&e->hdf, error);
    thaw_hdf_discard(&e->hdf);
    return status;
}

// Single precision, unless it is too coarse for where the bodies begin or end.
static ThawStatus settle_precision(const ThawReplay *replay, const ThawFrameData *first, Export *e, ThawError *error) {
    ThawFrameData *last;
    ThawStatus status = thaw_replay_read(replay, e->frames - 1, &last, error);
    if (status == THAW_OK)
        e->x_type = thaw_frame_is_far(first) || thaw_frame_is_far(last) ? THAW_HDF_F64 : THAW_HDF_F32;
    thaw_frame_data_free(&last);
    return status;
}

ThawStatus thaw_export_vtkhdf(const ThawReplay *replay, const char *path, ThawError *error) {
    ThawFrameData *first;
    ThawStatus status = thaw_replay_read(replay, 0, &first, error);
    if (status != THAW_OK)
        return status;
    if (!first->point_count || !first->cell_count)
        status = thaw_error_set(error, THAW_ERROR_INPUT, "%s has no elements to export", thaw_replay_path(replay));
    Export e = {.frames = thaw_replay_count(replay), .points = first->point_count, .cells = first->cell_count};
    if (status == THAW_OK)
        status = settle_precision(replay, first, &e, error);
    if (status == THAW_OK) {
        e.time = THAW_NEW(double, e.frames);
        e.room = THAW_NEW(int64_t, e.frames);
        e.fields = THAW_NEW(int32_t, thaw_field_count());
        size_t most = 3 * (size_t)e.points;
        for (int32_t i = 0; i < thaw_field_count(); i++)
            most = thaw_frame_field_size(first, i) > most ? thaw_frame_field_size(first, i) : most;
        e.narrow = THAW_NEW(float, most);
        if (!e.time || !e.room || !e.fields || !e.narrow)
            status = thaw_error_memory(error, "the steps of a VTKHDF file");
    }
    if (status == THAW_OK)
        status = write_file(replay, first, &e, path, error);
    thaw_free(e.time);
    thaw_free(e.room);
    thaw_free(e.fields);
    thaw_free(e.narrow);
    thaw_frame_data_free(&first);
    return status;
}
