// SPDX-License-Identifier: Apache-2.0
// Point caches: positions of all points, frame after frame, for a mesh that the modelling program has already. PC2 is
// little endian and counts frames; MDD is big endian and has a time for each frame.
#include <string.h>

#include "base/file.h"
#include "output/reel.h"

static void write_big_endian(ThawFile *file, const void *values, size_t count) {
    const unsigned char *at = values;
    for (size_t i = 0; i < count; i++, at += 4)
        thaw_file_write(file, (const unsigned char[4]){at[3], at[2], at[1], at[0]}, 4);
}

static ThawStatus write_frames(ThawReel *reel, int big, ThawFile *file, ThawError *error) {
    ThawStatus status = THAW_OK;
    for (int64_t f = 0; f < reel->clip->frame_count; f++)
        for (int32_t p = 0; status == THAW_OK && p < reel->clip->part_count; p++) {
            const ThawClipPart *part = &reel->clip->parts[p];
            size_t count = 3 * (size_t)(part[1].first_point - part[0].first_point);
            status = thaw_reel_read(reel, f, p, error);
            if (status == THAW_OK && big)
                write_big_endian(file, reel->x, count);
            else if (status == THAW_OK)
                thaw_file_write(file, reel->x, sizeof(float) * count);
        }
    return status;
}

static void write_pc2_head(const ThawReel *reel, ThawFile *file) {
    const int32_t version = 1, points = reel->clip->point_count, samples = (int32_t)reel->clip->frame_count;
    const float start = 0, rate = 1; // in frames
    thaw_file_write(file, "POINTCACHE2", 12);
    thaw_file_write(file, &version, 4);
    thaw_file_write(file, &points, 4);
    thaw_file_write(file, &start, 4);
    thaw_file_write(file, &rate, 4);
    thaw_file_write(file, &samples, 4);
}

static void write_mdd_head(const ThawReel *reel, ThawFile *file) {
    const int32_t counts[2] = {(int32_t)reel->clip->frame_count, reel->clip->point_count};
    write_big_endian(file, counts, 2);
    for (int64_t f = 0; f < reel->clip->frame_count; f++)
        write_big_endian(file, &(float){(float)reel->time[f]}, 1);
}

static ThawStatus export_cache(const ThawClip *clip, const char *path, int mdd, ThawError *error) {
    ThawReel *reel;
    ThawFile *file = NULL;
    if (clip->frame_count > INT32_MAX)
        return thaw_error_set(error, THAW_ERROR_UNSUPPORTED, "a point cache holds at most %d frames", INT32_MAX);
    ThawStatus status = thaw_reel_create(clip, &reel, error);
    if (status == THAW_OK)
        status = thaw_file_create(path, &file, error);
    if (status == THAW_OK) {
        (mdd ? write_mdd_head : write_pc2_head)(reel, file);
        status = write_frames(reel, mdd, file, error);
        if (status == THAW_OK)
            status = thaw_file_commit(&file, error);
        else
            thaw_file_discard(&file);
    }
    thaw_reel_free(&reel);
    return status;
}

ThawStatus thaw_export_pc2(const ThawClip *clip, const char *path, ThawError *error) {
    return export_cache(clip, path, 0, error);
}

ThawStatus thaw_export_mdd(const ThawClip *clip, const char *path, ThawError *error) {
    return export_cache(clip, path, 1, error);
}
