// SPDX-License-Identifier: Apache-2.0
// One frame of a clip as an OBJ or PLY file: points keep their order from frame to frame, so that a sequence is an
// animated mesh, and the first one is the mesh that a point cache belongs to.
#include <string.h>
#include <strings.h>

#include "output/clip.h"

typedef struct Copy {
    double *x;
    int32_t *body, *points, *first;
    const char **names;
} Copy;

static void copy_free(Copy *copy) {
    thaw_free(copy->x);
    thaw_free(copy->body);
    thaw_free(copy->points);
    thaw_free(copy->first);
    thaw_free(copy->names);
}

static ThawStatus write_surface(const ThawClip *clip, int64_t frame, const double origin[3], const char *path,
                                ThawError *error) {
    const size_t points = (size_t)clip->point_count, parts = (size_t)clip->part_count;
    Copy copy = {.x = THAW_NEW(double, 3 * points),
                 .body = THAW_NEW(int32_t, points),
                 .points = THAW_NEW(int32_t, points),
                 .first = THAW_NEW(int32_t, parts + 1),
                 .names = THAW_NEW(const char *, parts)};
    if (!copy.x || !copy.body || !copy.points || !copy.first || !copy.names) {
        copy_free(&copy);
        return thaw_error_memory(error, "a surface");
    }
    ThawFrameData data = {.point_count = clip->point_count, .x = copy.x, .body = copy.body};
    ThawStatus status = thaw_clip_read_whole(clip, frame, copy.x, &data.time, error);
    for (size_t p = 0; p <= parts; p++) {
        copy.first[p] = clip->parts[p].first_triangle;
        for (int32_t i = clip->parts[p].first_point; p < parts && i < clip->parts[p + 1].first_point; i++)
            copy.body[i] = (int32_t)p;
        if (p < parts)
            copy.names[p] = clip->parts[p].name;
    }
    for (size_t i = 0; i < points; i++)
        copy.points[i] = (int32_t)i;
    for (size_t i = 0; i < 3 * points; i++)
        copy.x[i] = clip->far && !origin ? copy.x[i] : (double)(float)(copy.x[i] - (origin ? origin[i % 3] : 0));
    const ThawFrameSurface surface = {.point_count = clip->point_count,
                                      .triangle_count = clip->triangle_count,
                                      .body_count = clip->part_count,
                                      .points = copy.points,
                                      .triangles = clip->triangles,
                                      .first = copy.first,
                                      .names = copy.names,
                                      .far = clip->far && !origin};
    const char *ending = strrchr(path, '.');
    if (status == THAW_OK)
        status = ending && strcasecmp(ending, ".ply") == 0 ? thaw_ply_write(path, &data, &surface, error)
                                                           : thaw_obj_write(path, &data, &surface, error);
    copy_free(&copy);
    return status;
}

ThawStatus thaw_export_surface(const ThawClip *clip, int64_t frame, const char *path, ThawError *error) {
    return write_surface(clip, frame, NULL, path, error);
}

ThawStatus thaw_export_cache_mesh(const ThawClip *clip, const char *path, ThawError *error) {
    return write_surface(clip, 0, clip->origin, path, error);
}
