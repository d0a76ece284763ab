// SPDX-License-Identifier: Apache-2.0
// Frames in memory: making, widening by fields, freeing.
#include "output/frame_data.h"

#include "mesh/far.h"

void thaw_frame_data_free(ThawFrameData **data) {
    if (!data || !*data)
        return;
    ThawFrameData *d = *data;
    for (int32_t i = 0; d->fields && i < thaw_field_count(); i++)
        thaw_free(d->fields[i]);
    thaw_free(d->fields);
    thaw_free(d->x);
    thaw_free(d->body);
    thaw_free(d->cells);
    thaw_free(d->reaction);
    thaw_free(d->hindrance);
    thaw_free(d->thresholds);
    thaw_free(d->attachments);
    thaw_free(d->lines);
    thaw_free(d);
    *data = NULL;
}

ThawStatus thaw_frame_data_create(int nodes, int32_t point_count, int32_t cell_count, ThawFrameData **data,
                                  ThawError *error) {
    ThawFrameData *d = *data = THAW_NEW(ThawFrameData, 1);
    if (!d)
        return thaw_error_memory(error, "a frame");
    *d = (ThawFrameData){
        .nodes = nodes,
        .point_count = point_count,
        .cell_count = cell_count,
        .step = -1,
        .x = THAW_NEW(double, 3 * (size_t)point_count),
        .body = THAW_NEW(int32_t, point_count),
        .cells = THAW_NEW(int32_t, (size_t)nodes * (size_t)cell_count),
        .fields = THAW_NEW(double *, thaw_field_count()),
    };
    ThawStatus status = d->x && d->body && d->cells && d->fields ? THAW_OK : thaw_error_memory(error, "a frame");
    int32_t velocity = thaw_field_find("velocity"), region = thaw_field_find("region");
    if (status == THAW_OK)
        status = thaw_frame_data_add(d, velocity, error);
    if (status == THAW_OK)
        status = thaw_frame_data_add(d, region, error);
    if (status != THAW_OK) {
        thaw_frame_data_free(data);
        return status;
    }
    d->v = d->fields[velocity];
    d->region = d->fields[region];
    return THAW_OK;
}

ThawStatus thaw_cells_gather(const ThawWorld *world, int32_t body, int nodes, int32_t first, int32_t *cells) {
    const int32_t count = thaw_world_element_count(world, body);
    const int own = thaw_world_element_nodes(world, body);
    const ThawStatus status = thaw_world_get_elements(world, body, cells);
    for (int64_t e = (int64_t)count - 1; status == THAW_OK && e >= 0; e--) // from behind: they may become wider
        for (int i = nodes - 1; i >= 0; i--)
            cells[e * nodes + i] = cells[e * own + (i < own ? i : own - 1)] + first;
    return status;
}

size_t thaw_frame_field_size(const ThawFrameData *data, int32_t field) {
    const ThawField *f = thaw_field(field);
    return (size_t)f->components * (size_t)(f->place == THAW_FIELD_VERTEX ? data->point_count : data->cell_count);
}

ThawStatus thaw_frame_data_add(ThawFrameData *data, int32_t field, ThawError *error) {
    if (!data->fields[field])
        data->fields[field] = THAW_NEW(double, thaw_frame_field_size(data, field));
    return data->fields[field] ? THAW_OK : thaw_error_memory(error, "a field of a frame");
}

int thaw_frame_is_far(const ThawFrameData *data) {
    const ThawReach reach = thaw_reach(data->x, data->point_count, data->cells, data->nodes, data->cell_count);
    return thaw_reach_is_far(&reach);
}
