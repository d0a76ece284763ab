// SPDX-License-Identifier: Apache-2.0
// From a run's folder to a surface that moves: the outside of every body in the first frame, or a finer surface bound to
// it, and obstacles as they stand. Frames are read one at a time, so a clip takes the room of one frame.
#include "output/clip.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mesh/far.h"

void thaw_clip_free(ThawClip **clip) {
    if (!clip || !*clip)
        return;
    thaw_free((*clip)->triangles);
    thaw_free((*clip)->parts);
    thaw_free((*clip)->anchor);
    thaw_free((*clip)->weight);
    thaw_free(*clip);
    *clip = NULL;
}

// Colours that differ from one to the next: hues a golden angle apart. Obstacles are grey.
static void colour_part(ThawClipPart *part, int32_t number) {
    for (int k = 0; k < 3; k++) {
        double hue = fmod(0.58 + 0.6180339887498949 * number + k / 3.0, 1);
        double wave = 0.5 + 0.5 * cos(2 * M_PI * hue);
        part->colour[k] = part->obstacle ? 0.45f : (float)(0.12 + 0.6 * wave * wave);
    }
}

// Formats have names without spaces and signs: what they do not allow becomes "_".
static void name_part(ThawClipPart *part, const char *name) {
    size_t length = 0;
    if (*name >= '0' && *name <= '9')
        part->name[length++] = '_';
    for (; *name && length + 1 < sizeof part->name; name++) {
        int plain = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || (*name >= '0' && *name <= '9');
        part->name[length++] = plain ? *name : '_';
    }
}

static void make_distinct(ThawClip *c, int32_t part) {
    for (int32_t i = 0; i < part; i++)
        if (strcmp(c->parts[i].name, c->parts[part].name) == 0) {
            char ending[16];
            int length = snprintf(ending, sizeof ending, "_%" PRId32, part);
            size_t at = strlen(c->parts[part].name), most = sizeof c->parts[part].name - 1 - (size_t)length;
            strcpy(c->parts[part].name + (at < most ? at : most), ending);
            return;
        }
}

static ThawStatus make_room(ThawClip *c, int32_t anchored, int32_t points, int32_t triangles, int32_t parts,
                            ThawError *error) {
    c->anchored_count = anchored;
    c->point_count = points;
    c->triangle_count = triangles;
    c->part_count = parts;
    c->triangles = THAW_NEW(int32_t, 3 * (size_t)triangles);
    c->parts = THAW_NEW(ThawClipPart, (size_t)parts + 1);
    c->anchor = THAW_NEW(int32_t, 4 * (size_t)anchored);
    c->weight = THAW_NEW(double, 4 * (size_t)anchored);
    if (!c->triangles || !c->parts || !c->anchor || !c->weight)
        return thaw_error_memory(error, "a moving surface");
    c->parts[parts].first_point = points;
    c->parts[parts].first_triangle = triangles;
    return THAW_OK;
}

// The outside of the bodies. The skin is sorted by body, since elements are; points keep their order.
static ThawStatus take_bodies(ThawClip *c, const ThawFrameData *frame, const ThawFrameData *stage, ThawError *error) {
    ThawSkin skin;
    int32_t *number = NULL, count = 0;
    ThawStatus status =
        thaw_skin_build(frame->point_count, frame->nodes, frame->cells, frame->cell_count, &skin, error);
    if (status == THAW_OK && !(number = THAW_NEW(int32_t, frame->point_count)))
        status = thaw_error_memory(error, "a moving surface");
    if (status == THAW_OK) {
        for (int64_t i = 0; i < 3 * (int64_t)skin.triangle_count; i++)
            number[skin.triangles[i]] = 1;
        for (int32_t p = 0; p < frame->point_count; p++)
            count += number[p];
        status = make_room(c, count, count + (stage ? stage->point_count : 0),
                           skin.triangle_count + (stage ? stage->cell_count : 0),
                           frame->body_count + (stage ? stage->body_count : 0), error);
    }
    if (status == THAW_OK) {
        int32_t at = 0, body = -1;
        for (int32_t p = 0; p < frame->point_count; p++) {
            while (body < frame->body[p])
                c->parts[++body].first_point = at;
            if (!number[p])
                continue;
            c->weight[4 * (int64_t)at] = 1;
            for (int a = 0; a < 4; a++)
                c->anchor[4 * (int64_t)at + a] = p;
            number[p] = at++;
        }
        body = -1;
        for (int32_t t = 0; t < skin.triangle_count; t++) {
            while (body < frame->body[skin.triangles[3 * (int64_t)t]])
                c->parts[++body].first_triangle = t;
            for (int a = 0; a < 3; a++)
                c->triangles[3 * (int64_t)t + a] = number[skin.triangles[3 * (int64_t)t + a]];
        }
        while (body + 1 < frame->body_count) // bodies without any
            c->parts[++body].first_triangle = skin.triangle_count;
        for (int32_t b = 0; b < frame->body_count; b++)
            name_part(&c->parts[b], thaw_replay_body_name(c->replay, b));
    }
    thaw_free(number);
    thaw_skin_clear(&skin);
    return status;
}

static ThawStatus take_skin(ThawClip *c, const ThawFrameData *frame, const ThawTriangleMesh *skin,
                            const ThawFrameData *stage, ThawError *error) {
    ThawStatus status =
        make_room(c, skin->vertex_count, skin->vertex_count + (stage ? stage->point_count : 0),
                  skin->triangle_count + (stage ? stage->cell_count : 0), 1 + (stage ? stage->body_count : 0), error);
    if (status != THAW_OK)
        return status;
    memcpy(c->triangles, skin->triangles, sizeof(int32_t) * 3 * (size_t)skin->triangle_count);
    name_part(&c->parts[0], "skin");
    return thaw_bind_points(frame, skin->vertex_count, skin->x, c->anchor, c->weight, error);
}

// Obstacles come last: points as they are in their own frames.
static void take_stage(ThawClip *c, const ThawFrameData *stage) {
    int32_t triangles = c->triangle_count - stage->cell_count, parts = c->part_count - stage->body_count, body = -1;
    for (int32_t p = 0; p < stage->point_count; p++)
        while (body < stage->body[p])
            c->parts[parts + ++body].first_point = c->anchored_count + p;
    body = -1;
    for (int32_t t = 0; t < stage->cell_count; t++) {
        while (body < stage->body[stage->cells[3 * (int64_t)t]])
            c->parts[parts + ++body].first_triangle = triangles + t;
        for (int a = 0; a < 3; a++)
            c->triangles[3 * (int64_t)(triangles + t) + a] = c->anchored_count + stage->cells[3 * (int64_t)t + a];
    }
    while (body + 1 < stage->body_count)
        c->parts[parts + ++body].first_triangle = triangles + stage->cell_count;
    for (int32_t b = 0; b < stage->body_count; b++) {
        c->parts[parts + b].obstacle = 1;
        name_part(&c->parts[parts + b], thaw_replay_obstacle_name(c->replay, b));
    }
}

ThawStatus thaw_clip_open(ThawReplay *replay, const ThawClipDef *def, ThawClip **clip, ThawError *error) {
    ThawFrameData *frame = NULL, *stage = NULL;
    ThawClip *c = *clip = THAW_NEW(ThawClip, 1);
    if (!c)
        return thaw_error_memory(error, "a moving surface");
    c->replay = replay;
    c->frame_count = thaw_replay_count(replay);
    ThawStatus status = thaw_replay_read(replay, 0, &frame, error);
    if (status == THAW_OK && def->obstacles)
        status = thaw_replay_read_obstacles(replay, 0, &stage, error);
    if (status == THAW_OK && stage && stage->nodes != 3)
        status =
            thaw_error_set(error, THAW_ERROR_INPUT, "the obstacles of %s are no triangles", thaw_replay_path(replay));
    if (status == THAW_OK)
        status = def->skin ? take_skin(c, frame, def->skin, stage, error) : take_bodies(c, frame, stage, error);
    if (status == THAW_OK && stage)
        take_stage(c, stage);
    if (status == THAW_OK) {
        const ThawReach reach = thaw_reach(frame->x, frame->point_count, frame->cells, frame->nodes, frame->cell_count);
        thaw_reach_origin(&reach, c->origin);
        c->far = thaw_reach_is_far(&reach);
        c->moved = c->origin[0] != 0 || c->origin[1] != 0 || c->origin[2] != 0;
    }
    for (int32_t i = 0; status == THAW_OK && i < c->part_count; i++) {
        make_distinct(c, i);
        colour_part(&c->parts[i], i);
    }
    thaw_frame_data_free(&frame);
    thaw_frame_data_free(&stage);
    if (status != THAW_OK)
        thaw_clip_free(clip);
    return status;
}

ThawStatus thaw_clip_read_whole(const ThawClip *clip, int64_t index, double *x, double *time, ThawError *error) {
    ThawFrameData *frame, *stage = NULL;
    int32_t highest = -1, standing = clip->point_count - clip->anchored_count;
    ThawStatus status = thaw_replay_read(clip->replay, index, &frame, error);
    if (status == THAW_OK && standing)
        status = thaw_replay_read_obstacles(clip->replay, index, &stage, error);
    for (int64_t i = 0; i < 4 * (int64_t)clip->anchored_count; i++)
        highest = clip->anchor[i] > highest ? clip->anchor[i] : highest;
    if (status == THAW_OK && (frame->point_count <= highest || (standing && (!stage || stage->point_count < standing))))
        status = thaw_error_set(error, THAW_ERROR_INPUT, "frame %" PRId64 " of %s has fewer points than the first",
                                thaw_replay_number(clip->replay, index), thaw_replay_path(clip->replay));
    for (int64_t i = 0; status == THAW_OK && i < clip->anchored_count; i++)
        for (int k = 0; k < 3; k++) {
            double sum = 0;
            for (int a = 0; a < 4; a++)
                sum += clip->weight[4 * i + a] * frame->x[3 * (int64_t)clip->anchor[4 * i + a] + k];
            x[3 * i + k] = sum;
        }
    for (int64_t i = 0; status == THAW_OK && i < 3 * (int64_t)standing; i++)
        x[3 * (int64_t)clip->anchored_count + i] = stage->x[i];
    if (status == THAW_OK)
        *time = frame->time;
    thaw_frame_data_free(&frame);
    thaw_frame_data_free(&stage);
    return status;
}

ThawStatus thaw_clip_read(const ThawClip *clip, int64_t index, float *x, double *time, ThawError *error) {
    double *whole = THAW_NEW(double, 3 * (size_t)clip->point_count);
    if (!whole)
        return thaw_error_memory(error, "a moving surface");
    ThawStatus status = thaw_clip_read_whole(clip, index, whole, time, error);
    for (int64_t i = 0; status == THAW_OK && i < 3 * (int64_t)clip->point_count; i++)
        x[i] = (float)(whole[i] - clip->origin[i % 3]);
    thaw_free(whole);
    return status;
}
