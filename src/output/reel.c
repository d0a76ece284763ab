// SPDX-License-Identifier: Apache-2.0
// A run may hold more frames than memory, and reading one costs far more than its surface is large: so every frame is
// read once, its surface goes to a nameless scratch file, and the writers seek in that.
#include "output/reel.h"

#include <errno.h>
#include <string.h>

void thaw_reel_free(ThawReel **reel) {
    if (!reel || !*reel)
        return;
    if ((*reel)->file)
        fclose((*reel)->file);
    thaw_free((*reel)->time);
    thaw_free((*reel)->x);
    thaw_free(*reel);
    *reel = NULL;
}

static ThawStatus fail(ThawError *error) {
    return thaw_error_set(error, THAW_ERROR_IO, "cannot use a scratch file for the export: %s", strerror(errno));
}

ThawStatus thaw_reel_create(const ThawClip *clip, ThawReel **reel, ThawError *error) {
    ThawReel *r = *reel = THAW_NEW(ThawReel, 1);
    if (r) {
        r->clip = clip;
        r->time = THAW_NEW(double, clip->frame_count);
        r->x = THAW_NEW(float, 3 * (size_t)clip->point_count);
    }
    if (!r || !r->time || !r->x) {
        thaw_reel_free(reel);
        return thaw_error_memory(error, "a moving surface");
    }
    ThawStatus status = (r->file = tmpfile()) ? THAW_OK : fail(error);
    for (int64_t f = 0; status == THAW_OK && f < clip->frame_count; f++) {
        status = thaw_clip_read(clip, f, r->x, &r->time[f], error);
        size_t count = 3 * (size_t)clip->point_count;
        if (status == THAW_OK && fwrite(r->x, sizeof *r->x, count, r->file) != count)
            status = fail(error);
    }
    if (status == THAW_OK && fflush(r->file))
        status = fail(error);
    if (status != THAW_OK) {
        thaw_reel_free(reel);
        return status;
    }
    double span = r->time[clip->frame_count - 1] - r->time[0];
    r->rate = span > 0 ? (double)(clip->frame_count - 1) / span : 25;
    return THAW_OK;
}

ThawStatus thaw_reel_read(ThawReel *reel, int64_t frame, int32_t part, ThawError *error) {
    const ThawClipPart *p = &reel->clip->parts[part];
    size_t count = 3 * (size_t)(p[1].first_point - p[0].first_point);
    off_t at = (off_t)sizeof(float) * 3 * ((off_t)frame * reel->clip->point_count + p->first_point);
    if (fseeko(reel->file, at, SEEK_SET) || fread(reel->x, sizeof(float), count, reel->file) != count)
        return fail(error);
    return THAW_OK;
}

ThawStatus thaw_reel_moves(ThawReel *reel, int32_t part, int *moves, ThawError *error) {
    const ThawClipPart *p = &reel->clip->parts[part];
    size_t bytes = sizeof(float) * 3 * (size_t)(p[1].first_point - p[0].first_point);
    float *first = thaw_alloc(bytes + 1, 1);
    if (!first)
        return thaw_error_memory(error, "a moving surface");
    ThawStatus status = THAW_OK;
    *moves = 0;
    for (int64_t f = 0; status == THAW_OK && !*moves && f < reel->clip->frame_count; f++) {
        status = thaw_reel_read(reel, f, part, error);
        if (status == THAW_OK && f == 0)
            memcpy(first, reel->x, bytes);
        else if (status == THAW_OK)
            *moves = memcmp(first, reel->x, bytes) != 0;
    }
    thaw_free(first);
    return status;
}
