// SPDX-License-Identifier: Apache-2.0
// Surfaces for modelling programs: OBJ (text, one object a body) and PLY (binary, the body as a property). One file a
// frame; vertices keep their order from frame to frame, so that sequences can be read as an animated mesh.
#include <inttypes.h>

#include "output/frame_data.h"
#include "output/output.h"

ThawStatus thaw_obj_write(const char *path, const ThawFrameData *data, const ThawFrameSurface *surface,
                          ThawError *error) {
    ThawFile *file;
    ThawStatus status = thaw_file_create(path, &file, error);
    if (status != THAW_OK)
        return status;
    thaw_file_print(file, "# thaw, t = %.9g s, metres\n", data->time);
    for (int32_t p = 0; p < surface->point_count; p++) {
        const double *x = data->x + 3 * (int64_t)surface->points[p];
        thaw_file_print(file, surface->far ? "v %.17g %.17g %.17g\n" : "v %.9g %.9g %.9g\n", x[0], x[1], x[2]);
    }
    for (int32_t b = 0; b < surface->body_count; b++) {
        thaw_file_print(file, "o %s\n", surface->names[b]);
        for (int32_t t = surface->first[b]; t < surface->first[b + 1]; t++) {
            const int32_t *v = surface->triangles + 3 * (int64_t)t;
            thaw_file_print(file, "f %d %d %d\n", v[0] + 1, v[1] + 1, v[2] + 1);
        }
    }
    return thaw_file_commit(&file, error);
}

ThawStatus thaw_ply_write(const char *path, const ThawFrameData *data, const ThawFrameSurface *surface,
                          ThawError *error) {
    const char *real = surface->far ? "double" : "float";
    ThawFile *file;
    ThawStatus status = thaw_file_create(path, &file, error);
    if (status != THAW_OK)
        return status;
    thaw_file_print(file,
                    "ply\nformat binary_little_endian 1.0\ncomment thaw, t = %.9g s, metres\nelement vertex %d\n"
                    "property %s x\nproperty %s y\nproperty %s z\nproperty int body\nelement face %d\n"
                    "property list uchar int vertex_indices\nend_header\n",
                    data->time, surface->point_count, real, real, real, surface->triangle_count);
    for (int32_t p = 0; p < surface->point_count; p++) {
        const double *x = data->x + 3 * (int64_t)surface->points[p];
        float row[3] = {(float)x[0], (float)x[1], (float)x[2]};
        if (surface->far)
            thaw_file_write(file, x, 3 * sizeof *x);
        else
            thaw_file_write(file, row, sizeof row);
        thaw_file_write(file, data->body + surface->points[p], sizeof(int32_t));
    }
    for (int32_t t = 0; t < surface->triangle_count; t++) {
        thaw_file_write(file, &(uint8_t){3}, 1);
        thaw_file_write(file, surface->triangles + 3 * (int64_t)t, 3 * sizeof(int32_t));
    }
    return thaw_file_commit(&file, error);
}
