// SPDX-License-Identifier: Apache-2.0
// From a run's folder to a surface that moves: the outside of every body in the first frame, or a finer surface bound
// to it, and obstacles as they stand. Frames are read one at a time, so a clip takes the room of one frame.
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
    thaw_free((*clip)->stages);
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

// Room for so many more, behind those there are.
static ThawStatus make_room(ThawClip *c, int32_t anchored, int32_t points, int32_t triangles, int32_t parts,
                            ThawError *error) {
    const size_t had[4] = {3 * (size_t)c->triangle_count, (size_t)c->part_count, 4 * (size_t)c->anchored_count};
    c->anchored_count += anchored;
    c->point_count += points;
    c->triangle_count += triangles;
    c->part_count += parts;
    int32_t *corners = thaw_regrow(c->triangles, had[0], 3 * (size_t)c->triangle_count, sizeof *corners);
    c->triangles = corners ? corners : c->triangles;
    ThawClipPart *all = thaw_regrow(c->parts, had[1], (size_t)c->part_count + 1, sizeof *all);
    c->parts = all ? all : c->parts;
    int32_t *anchor = thaw_regrow(c->anchor, had[2], 4 * (size_t)c->anchored_count, sizeof *anchor);
    c->anchor = anchor ? anchor : c->anchor;
    double *weight = thaw_regrow(c->weight, had[2], 4 * (size_t)c->anchored_count, sizeof *weight);
    c->weight = weight ? weight : c->weight;
    if (!corners || !all || !anchor || !weight)
        return thaw_error_memory(error, "a moving surface");
    c->parts[c->part_count].first_point = c->point_count;
    c->parts[c->part_count].first_triangle = c->triangle_count;
    return THAW_OK;
}

// The outside of the bodies. The skin is sorted by body, since elements are; points keep their order.
static ThawStatus take_bodies(ThawClip *c, const ThawFrameData *frame, ThawError *error) {
    const int32_t point = c->anchored_count, triangle = c->triangle_count, part = c->part_count;
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
        status = make_room(c, count, count, skin.triangle_count, frame->body_count, error);
    }
    if (status == THAW_OK) {
        int32_t at = point, body = -1;
        ThawClipPart *parts = c->parts + part;
        for (int32_t p = 0; p < frame->point_count; p++) {
            while (body < frame->body[p])
                parts[++body].first_point = at;
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
                parts[++body].first_triangle = triangle + t;
            for (int a = 0; a < 3; a++)
                c->triangles[3 * (int64_t)(triangle + t) + a] = number[skin.triangles[3 * (int64_t)t + a]];
        }
        while (body + 1 < frame->body_count) // bodies without any
            parts[++body].first_triangle = triangle + skin.triangle_count;
        for (int32_t b = 0; b < frame->body_count; b++)
            name_part(&parts[b], thaw_replay_body_name(c->replay, b));
    }
    thaw_free(number);
    thaw_skin_clear(&skin);
    return status;
}

static ThawStatus take_skin(ThawClip *c, const ThawFrameData *frame, const ThawTriangleMesh *skin, ThawError *error) {
    ThawStatus status = make_room(c, skin->vertex_count, skin->vertex_count, skin->triangle_count, 1, error);
    if (status != THAW_OK)
        return status;
    memcpy(c->triangles, skin->triangles, sizeof(int32_t) * 3 * (size_t)skin->triangle_count);
    name_part(&c->parts[0], "skin");
    return thaw_bind_points(frame, skin->vertex_count, skin->x, c->anchor, c->weight, error);
}

// --- shapes that change ----------------------------------------------------------------------------------------------
//
// A clip has one list of triangles. Where bodies change their shapes, the surfaces of all stages are parts of it, and
// in each frame those of other stages are drawn together to a point, where nothing of them is seen.

static ThawStatus add_stage(ThawClip *c, const ThawFrameData *frame, ThawError *error) {
    ThawClipStage *more = thaw_regrow(c->stages, (size_t)c->stage_count, (size_t)c->stage_count + 1, sizeof *more);
    if (!more)
        return thaw_error_memory(error, "a moving surface");
    c->stages = more;
    c->stages[c->stage_count++] = (ThawClipStage){frame->point_count, frame->cell_count, c->part_count};
    return take_bodies(c, frame, error);
}

static const ThawClipStage *stage_of(const ThawClip *c, const ThawFrameData *frame) {
    for (int32_t i = 0; i < c->stage_count; i++)
        if (c->stages[i].points == frame->point_count && c->stages[i].cells == frame->cell_count)
            return &c->stages[i];
    return NULL;
}

// Adds the meshes of frames between lo and hi, of which lo's is known. Points become more and cells fewer, never the
// other way: what is the same at both ends is the same between.
static ThawStatus find_stages(ThawClip *c, int64_t lo, int64_t hi, ThawError *error) {
    ThawFrameData *first = NULL, *last = NULL;
    ThawStatus status = thaw_replay_read(c->replay, lo, &first, error);
    if (status == THAW_OK)
        status = thaw_replay_read(c->replay, hi, &last, error);
    const int same =
        status != THAW_OK || (first->point_count == last->point_count && first->cell_count == last->cell_count);
    const int known = !same && stage_of(c, last) != NULL;
    thaw_frame_data_free(&first);
    if (!same && hi == lo + 1 && !known)
        status = add_stage(c, last, error);
    thaw_frame_data_free(&last);
    if (same || hi == lo + 1)
        return status;
    const int64_t middle = lo + (hi - lo) / 2;
    status = find_stages(c, lo, middle, error);
    return status == THAW_OK ? find_stages(c, middle, hi, error) : status;
}

// Points of surfaces of other stages: at the first point of the same body as it is now.
static void hide_others(const ThawClip *c, const ThawClipStage *now, double *x) {
    const int32_t bodies = c->stage_count > 1 ? c->stages[1].part - c->stages[0].part : 0;
    for (int32_t i = 0; i < c->stage_count * bodies; i++) {
        const ThawClipStage *stage = &c->stages[i / bodies];
        const double *to = x + 3 * (int64_t)c->parts[now->part + i % bodies].first_point;
        for (int32_t p = c->parts[i].first_point; stage != now && p < c->parts[i + 1].first_point; p++)
            memcpy(x + 3 * (int64_t)p, to, 3 * sizeof *x);
    }
}

// Obstacles come last: points as they are in their own frames.
static ThawStatus take_stage(ThawClip *c, const ThawFrameData *stage, ThawError *error) {
    ThawStatus status = make_room(c, 0, stage->point_count, stage->cell_count, stage->body_count, error);
    if (status != THAW_OK)
        return status;
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
    return THAW_OK;
}

ThawStatus thaw_clip_open(ThawReplay *replay, const ThawClipDef *def, ThawClip **clip, ThawError *error) {
    ThawFrameData *frame = NULL, *stage = NULL;
    ThawClip *c = *clip = THAW_NEW(ThawClip, 1);
    if (!c)
        return thaw_error_memory(error, "a moving surface");
    c->replay = replay;
    c->frame_count = thaw_replay_count(replay);
    ThawStatus status = thaw_replay_read(replay, 0, &frame, error);
    c->cells = status == THAW_OK ? frame->cell_count : 0;
    if (status == THAW_OK && def->obstacles)
        status = thaw_replay_read_obstacles(replay, 0, &stage, error);
    if (status == THAW_OK && stage && stage->nodes != 3)
        status =
            thaw_error_set(error, THAW_ERROR_INPUT, "the obstacles of %s are no triangles", thaw_replay_path(replay));
    if (status == THAW_OK)
        status = def->skin ? take_skin(c, frame, def->skin, error) : add_stage(c, frame, error);
    if (status == THAW_OK && !def->skin)
        status = find_stages(c, 0, c->frame_count - 1, error);
    if (status == THAW_OK && stage)
        status = take_stage(c, stage, error);
    if (status == THAW_OK) {
        const ThawReach reach = thaw_reach(frame->x, frame->point_count, frame->cells, frame->nodes, frame->cell_count);
        thaw_reach_origin(&reach, c->origin);
        c->far = thaw_reach_is_far(&reach);
        c->moved = c->origin[0] != 0 || c->origin[1] != 0 || c->origin[2] != 0;
    }
    for (int32_t i = 0; status == THAW_OK && i < c->part_count; i++) {
        make_distinct(c, i);
        colour_part(&c->parts[i], c->stage_count > 1 ? i % c->stages[1].part : i);
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
    for (int64_t i = 0; clip->stage_count < 2 && i < 4 * (int64_t)clip->anchored_count; i++)
        highest = clip->anchor[i] > highest ? clip->anchor[i] : highest;
    if (status == THAW_OK && (frame->point_count <= highest || (standing && (!stage || stage->point_count < standing))))
        status = thaw_error_set(error, THAW_ERROR_INPUT, "frame %" PRId64 " of %s has fewer points than the first",
                                thaw_replay_number(clip->replay, index), thaw_replay_path(clip->replay));
    const ThawClipStage *now = status == THAW_OK ? stage_of(clip, frame) : NULL;
    if (status == THAW_OK && !now && (clip->stage_count > 0 || frame->cell_count != clip->cells))
        status =
            thaw_error_set(error, THAW_ERROR_UNSUPPORTED,
                           "frame %" PRId64 " of %s has %d elements, the first has %d: bodies change their shapes, "
                           "and a skin has one; allowed: runs without such changes, or no skin",
                           thaw_replay_number(clip->replay, index), thaw_replay_path(clip->replay),
                           (int)frame->cell_count, (int)clip->cells);
    for (int64_t i = 0; status == THAW_OK && i < clip->anchored_count; i++)
        for (int k = 0; k < 3; k++) {
            double sum = 0;
            for (int a = 0; a < 4 && clip->anchor[4 * i + a] < frame->point_count; a++) // others are of a later stage
                sum += clip->weight[4 * i + a] * frame->x[3 * (int64_t)clip->anchor[4 * i + a] + k];
            x[3 * i + k] = sum;
        }
    if (status == THAW_OK && clip->stage_count > 1)
        hide_others(clip, now, x);
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
