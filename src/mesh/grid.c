// SPDX-License-Identifier: Apache-2.0
// From VTK's cells to a draft. VTK has no regions and groups; these conventions carry them:
//     cell data region, gmsh:physical, medit:ref, ...   the tag of each cell (the first found in that order)
//     field data region:NAME = N                        the name of tag N of the elements
//     point data group:NAME                             nonzero for the points of that group
// The first are what other programs write, the last two are ours. Linear.
#include "mesh/grid.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { VTK_VERTEX = 1, VTK_LINE = 3, VTK_TRIANGLE = 5, VTK_TETRA = 10 };

static const char *const tag_names[] = {"region",     "gmsh:physical", "medit:ref",    "tetgen:ref",
                                        "attributes", "Attributes",    "CellEntityIds"};
enum { TAG_NAMES = sizeof tag_names / sizeof *tag_names };
static const char region_prefix[] = "region:", group_prefix[] = "group:";

static int has_prefix(const char *name, const char *prefix) {
    return strncmp(name, prefix, strlen(prefix)) == 0 && name[strlen(prefix)];
}

int thaw_grid_wants(ThawGridPlace place, const char *name) {
    if (place == THAW_GRID_FIELD_DATA)
        return has_prefix(name, region_prefix);
    if (place == THAW_GRID_POINT_DATA)
        return has_prefix(name, group_prefix);
    for (int i = 0; i < TAG_NAMES; i++)
        if (strcmp(name, tag_names[i]) == 0)
            return 1;
    return 0;
}

ThawStatus thaw_grid_add(ThawGrid *grid, ThawGridPlace place, const char *name, double *values, ThawError *error) {
    char *copy = thaw_strdup(name);
    ThawGridArray *more =
        thaw_regrow(grid->arrays, (size_t)grid->array_count, (size_t)grid->array_count + 1, sizeof *more);
    grid->arrays = more ? more : grid->arrays;
    if (!copy || !more) {
        thaw_free(copy);
        thaw_free(values);
        return thaw_error_memory(error, "the arrays of a mesh file");
    }
    more[grid->array_count++] = (ThawGridArray){.place = place, .name = copy, .values = values};
    return THAW_OK;
}

void thaw_grid_free(ThawGrid *grid) {
    for (int i = 0; i < grid->array_count; i++) {
        thaw_free(grid->arrays[i].name);
        thaw_free(grid->arrays[i].values);
    }
    thaw_free(grid->arrays);
    thaw_free(grid->x);
    thaw_free(grid->type);
    thaw_free(grid->end);
    thaw_free(grid->corner);
    *grid = (ThawGrid){0};
}

static const ThawGridArray *find_tags(const ThawGrid *grid) {
    for (int i = 0; i < TAG_NAMES; i++)
        for (int a = 0; a < grid->array_count; a++)
            if (grid->arrays[a].place == THAW_GRID_CELL_DATA && strcmp(grid->arrays[a].name, tag_names[i]) == 0)
                return grid->arrays + a;
    return NULL;
}

static int is_whole(double value) { return value == floor(value) && fabs(value) <= INT32_MAX; }

// The dimension of a cell of that type, -1 for those that cannot be simulated.
static int cell_dim(double type) {
    return type == VTK_TETRA ? 3 : type == VTK_TRIANGLE ? 2 : type == VTK_LINE ? 1 : type == VTK_VERTEX ? 0 : -1;
}

static ThawStatus add_cell(const ThawGrid *grid, const ThawGridArray *tags, uint64_t cell, ThawText *text,
                           ThawDraft *draft) {
    const int dim = cell_dim(grid->type[cell]);
    const double first = cell ? grid->end[cell - 1] : 0, end = grid->end[cell];
    int32_t corners[4], tag = 0;
    if (dim < 0)
        return thaw_text_fail(text,
                              "cell %" PRIu64 " has the type %g; allowed are tetrahedra (10), triangles (5), lines (3) "
                              "and vertices (1), all of them linear",
                              cell, grid->type[cell]);
    if (!(first >= 0 && first == floor(first) && end == first + dim + 1 && end <= (double)grid->corner_count))
        return thaw_text_fail(text, "cell %" PRIu64 " has its corners from %g to %g of %" PRIu64 "; %d are needed",
                              cell, first, end, grid->corner_count, dim + 1);
    for (int k = 0; k <= dim; k++) {
        const double corner = grid->corner[(size_t)first + (size_t)k];
        if (!(corner >= 0 && corner < (double)grid->point_count && is_whole(corner)))
            return thaw_text_fail(text, "cell %" PRIu64 " refers to point %g; allowed are 0 to %" PRIu64, cell, corner,
                                  grid->point_count - 1);
        corners[k] = (int32_t)corner;
    }
    if (tags && !is_whole(tags->values[cell]))
        return thaw_text_fail(text, "cell %" PRIu64 " has the %s %g; allowed are whole numbers", cell, tags->name,
                              tags->values[cell]);
    if (tags)
        tag = (int32_t)tags->values[cell];
    return text->status = thaw_draft_cell(draft, dim, corners, tag, 0, text->error);
}

static ThawStatus add_group(const ThawGrid *grid, const ThawGridArray *group, int32_t tag, ThawText *text,
                            ThawDraft *draft) {
    const char *name = group->name + strlen(group_prefix);
    text->status = thaw_draft_name(draft, 0, tag, name, strlen(name), text->error);
    for (int32_t p = 0; !text->status && p < (int32_t)grid->point_count; p++)
        if (group->values[p] != 0)
            text->status = thaw_draft_cell(draft, 0, &p, tag, 0, text->error);
    return text->status;
}

// The names in field data are those of the elements, whatever their dimension.
static ThawStatus add_name(const ThawGridArray *array, int dim, ThawText *text, ThawDraft *draft) {
    const char *name = array->name + strlen(region_prefix);
    if (!is_whole(array->values[0]))
        return thaw_text_fail(text, "the field %s is %g; allowed are whole numbers", array->name, array->values[0]);
    return text->status = thaw_draft_name(draft, dim, (int32_t)array->values[0], name, strlen(name), text->error);
}

ThawStatus thaw_grid_draft(const ThawGrid *grid, ThawText *text, ThawDraft *draft) {
    const ThawGridArray *tags = find_tags(grid);
    if (text->status)
        return text->status;
    if (grid->point_count > INT32_MAX || grid->cell_count > INT32_MAX)
        return thaw_text_fail(text, "%" PRIu64 " points and %" PRIu64 " cells; allowed are at most 2147483647",
                              grid->point_count, grid->cell_count);
    text->status = thaw_draft_points(draft, (int32_t)grid->point_count, text->error);
    for (size_t i = 0; !text->status && i < 3 * (size_t)grid->point_count; i++) {
        draft->x[i] = grid->x[i];
        if (!isfinite(grid->x[i]))
            thaw_text_fail(text, "point %zu has the coordinate %g; allowed are finite numbers", i / 3, grid->x[i]);
    }
    for (uint64_t c = 0; !text->status && c < grid->cell_count; c++)
        add_cell(grid, tags, c, text, draft);
    const int dim = draft->cells[3].count ? 3 : 2;
    int32_t next = 1;
    for (int32_t i = 0; i < draft->cells[0].count; i++) // groups of points must not mix with tags of vertices
        next = draft->cells[0].tag[i] >= next && draft->cells[0].tag[i] < INT32_MAX / 2 ? draft->cells[0].tag[i] + 1
                                                                                        : next;
    for (int a = 0; !text->status && a < grid->array_count; a++) {
        if (grid->arrays[a].place == THAW_GRID_POINT_DATA)
            add_group(grid, grid->arrays + a, next++, text, draft);
        else if (grid->arrays[a].place == THAW_GRID_FIELD_DATA)
            add_name(grid->arrays + a, dim, text, draft);
    }
    return text->status;
}
