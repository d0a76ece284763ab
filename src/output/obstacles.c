// SPDX-License-Identifier: Apache-2.0
// The surfaces of obstacles as a frame, so that viewers and pictures show what bodies lie on.
#include <string.h>

#include "output/frame_data.h"

// Appends a surface to a frame that has room for it.
static void append(const ThawObstacleSurface *surface, int32_t obstacle, int32_t *point, int32_t *cell,
                   ThawFrameData *d) {
    memcpy(d->x + 3 * (size_t)*point, surface->x, sizeof *d->x * 3 * (size_t)surface->vertex_count);
    for (int32_t i = 0; i < surface->vertex_count; i++)
        d->body[*point + i] = obstacle;
    for (int32_t t = 0; t < surface->triangle_count; t++) {
        d->region[*cell + t] = surface->kind;
        for (int k = 0; k < 3; k++)
            d->cells[3 * (size_t)(*cell + t) + (size_t)k] = *point + surface->triangles[3 * (size_t)t + (size_t)k];
    }
    *point += surface->vertex_count;
    *cell += surface->triangle_count;
}

ThawStatus thaw_obstacle_frame(const ThawWorld *world, const double middle[3], double extent, ThawFrameData **data,
                               int *moves, ThawError *error) {
    const int32_t count = thaw_world_obstacle_count(world);
    *data = NULL;
    *moves = 0;
    if (!count)
        return THAW_OK;
    ThawObstacleSurface *surfaces = THAW_NEW(ThawObstacleSurface, count);
    ThawStatus status = surfaces ? THAW_OK : THAW_ERROR_MEMORY;
    int64_t points = 0, cells = 0;
    for (int32_t i = 0; i < count && status == THAW_OK; i++) {
        status = thaw_world_get_obstacle_surface(world, i, middle, extent, &surfaces[i]);
        points += surfaces[i].vertex_count;
        cells += surfaces[i].triangle_count;
        *moves |= surfaces[i].moves;
    }
    if (status == THAW_OK && (points > INT32_MAX || cells > INT32_MAX / 4))
        status = thaw_error_set(error, THAW_ERROR_UNSUPPORTED, "the obstacles have too many triangles to be shown");
    else if (status != THAW_OK)
        thaw_error_memory(error, "the surfaces of obstacles");
    if (status == THAW_OK)
        status = thaw_frame_data_create(3, (int32_t)points, (int32_t)cells, data, error);
    if (status == THAW_OK) {
        int32_t point = 0, cell = 0;
        (*data)->time = thaw_world_time(world);
        (*data)->body_count = count;
        for (int32_t i = 0; i < count; i++)
            append(&surfaces[i], i, &point, &cell, *data);
    }
    for (int32_t i = 0; surfaces && i < count; i++)
        thaw_obstacle_surface_free(&surfaces[i]);
    thaw_free(surfaces);
    return status;
}
