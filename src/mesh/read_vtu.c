// SPDX-License-Identifier: Apache-2.0
// Meshes in VTU files: vtu.c finds and decodes the arrays, grid.c makes cells, regions and groups of them. Linear.
#include "mesh/grid.h"
#include "mesh/vtu.h"

#include <string.h>

const char *thaw_head_vtu(const char *head, size_t size, int64_t file_size) {
    (void)file_size;
    return memmem(head, size, "<VTKFile", 8) ? NULL : "the file does not begin with <VTKFile>, as VTU files do";
}

static ThawStatus read_needed(const ThawVtu *vtu, ThawVtuPlace place, const char *name, uint64_t count,
                              double **values) {
    const ThawVtuArray *array = thaw_vtu_find(vtu, place, name);
    if (array)
        return thaw_vtu_numbers(vtu, array, count, values);
    return thaw_text_fail(vtu->text, "the file has no array \"%s\"", name ? name : "Points");
}

static ThawStatus read_data(const ThawVtu *vtu, ThawGrid *grid) {
    static const struct {
        ThawVtuPlace from;
        ThawGridPlace to;
    } places[] = {{THAW_VTU_POINT_DATA, THAW_GRID_POINT_DATA},
                  {THAW_VTU_CELL_DATA, THAW_GRID_CELL_DATA},
                  {THAW_VTU_FIELD_DATA, THAW_GRID_FIELD_DATA}};
    const uint64_t count[3] = {vtu->point_count, vtu->cell_count, 1};
    for (int p = 0; p < 3; p++)
        for (int i = 0; i < vtu->array_count; i++) {
            const ThawVtuArray *array = vtu->arrays + i;
            double *values;
            if (array->place != places[p].from || array->components != 1 || !thaw_grid_wants(places[p].to, array->name))
                continue;
            ThawStatus status = thaw_vtu_numbers(vtu, array, count[p], &values);
            if (!status)
                status = thaw_grid_add(grid, places[p].to, array->name, values, vtu->text->error);
            if (status)
                return vtu->text->status = status;
        }
    return THAW_OK;
}

ThawStatus thaw_read_vtu(ThawText *text, ThawDraft *draft) {
    ThawVtu vtu;
    ThawGrid grid = {0};
    thaw_vtu_open(text, &vtu);
    grid.point_count = vtu.point_count;
    grid.cell_count = vtu.cell_count;
    if (!text->status && (vtu.point_count > INT32_MAX || vtu.cell_count > INT32_MAX))
        thaw_text_fail(text, "NumberOfPoints or NumberOfCells is more than 2147483647");
    if (!text->status)
        read_needed(&vtu, THAW_VTU_POINTS, NULL, 3 * vtu.point_count, &grid.x);
    if (!text->status)
        read_needed(&vtu, THAW_VTU_CELLS, "types", vtu.cell_count, &grid.type);
    if (!text->status)
        read_needed(&vtu, THAW_VTU_CELLS, "offsets", vtu.cell_count, &grid.end);
    if (!text->status) {
        const double corners = vtu.cell_count ? grid.end[vtu.cell_count - 1] : 0;
        grid.corner_count = corners >= 0 && corners <= 4.0 * INT32_MAX ? (uint64_t)corners : 0;
        read_needed(&vtu, THAW_VTU_CELLS, "connectivity", grid.corner_count, &grid.corner);
    }
    if (!text->status)
        read_data(&vtu, &grid);
    thaw_vtu_free(&vtu);
    thaw_grid_draft(&grid, text, draft);
    thaw_grid_free(&grid);
    return text->status;
}
