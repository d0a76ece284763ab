// SPDX-License-Identifier: Apache-2.0
// Animated glTF in one binary file (.glb). glTF knows no vertex animation but morph targets: each frame is a target,
// its displacement from the first frame, and the animation turns on one after another, so that viewers interpolate
// linearly between frames. Parts that stand still have no targets. z is up in Thaw and y in glTF: the root node turns.
//
// The binary part is, in this order: indices of each part; positions of the first frame of each part; displacements of
// each moving part, frame by frame; times; weights. A description in JSON goes before it, and needs all sizes and
// ranges.
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "output/reel.h"

// A text that grows; what does not fit any more is remembered.
typedef struct Text {
    char *bytes;
    size_t size, room;
    int failed;
} Text;

__attribute__((format(printf, 2, 3))) static void print(Text *text, const char *format, ...) {
    for (int twice = 0; twice < 2 && !text->failed; twice++) {
        va_list arguments;
        va_start(arguments, format);
        const size_t left = text->room - text->size;
        const int length = vsnprintf(left ? text->bytes + text->size : NULL, left, format, arguments);
        va_end(arguments);
        if (length >= 0 && (size_t)length < left) {
            text->size += (size_t)length;
            return;
        }
        const size_t room = 2 * text->room + (size_t)(length < 0 ? 0 : length) + 1024;
        char *grown = length < 0 ? NULL : thaw_regrow(text->bytes, text->size, room, 1);
        text->failed = !grown;
        text->bytes = grown ? grown : text->bytes;
        text->room = grown ? room : text->room;
    }
}

typedef struct Gltf {
    ThawReel *reel;
    int64_t frames, parts;
    unsigned char *moves;    // a part
    int any;                 // something moves
    int64_t bytes;           // of the binary part so far
    int64_t accessors;       // so far
    Text json, views, lists; // all; bufferViews and accessors, which are part of it
} Gltf;

static int32_t points_of(const Gltf *g, int64_t p) {
    const ThawClipPart *part = &g->reel->clip->parts[p];
    return part[1].first_point - part[0].first_point;
}

static int32_t triangles_of(const Gltf *g, int64_t p) {
    const ThawClipPart *part = &g->reel->clip->parts[p];
    return part[1].first_triangle - part[0].first_triangle;
}

// An accessor over a piece of its own; target: 34963 indices, 34962 attributes, 0 neither. range: 6 numbers or NULL.
static void add_accessor(Gltf *g, int64_t count, int components, int type, const char *shape, int target,
                         const float *range) {
    int64_t size = count * components * 4;
    print(&g->views, "%s{\"buffer\":0,\"byteOffset\":%" PRId64 ",\"byteLength\":%" PRId64, g->accessors ? "," : "",
          g->bytes, size);
    if (target)
        print(&g->views, ",\"target\":%d", target);
    print(&g->views, "}");
    print(&g->lists, "%s{\"bufferView\":%" PRId64 ",\"componentType\":%d,\"count\":%" PRId64 ",\"type\":\"%s\"",
          g->accessors ? "," : "", g->accessors, type, count, shape);
    for (int end = 0; range && end < 2; end++) {
        print(&g->lists, ",\"%s\":[", end ? "max" : "min");
        for (int k = 0; k < components; k++)
            print(&g->lists, "%s%.9g", k ? "," : "", (double)range[3 * end + k]);
        print(&g->lists, "]");
    }
    print(&g->lists, "}");
    g->accessors++;
    g->bytes += size;
}

static void range_of(const float *x, int64_t count, float range[6]) {
    for (int k = 0; k < 6; k++)
        range[k] = k < 3 ? INFINITY : -INFINITY;
    for (int64_t i = 0; i < 3 * count; i++) {
        range[i % 3] = fminf(range[i % 3], x[i]);
        range[3 + i % 3] = fmaxf(range[3 + i % 3], x[i]);
    }
}

// Positions of a part; in frames behind the first, displacements from it. base: room for the part's points.
static ThawStatus read_target(Gltf *g, int64_t p, int64_t frame, float *base, ThawError *error) {
    int64_t count = points_of(g, p);
    ThawStatus status = thaw_reel_read(g->reel, frame, (int32_t)p, error);
    if (frame == 0)
        memcpy(base, g->reel->x, sizeof(float) * 3 * (size_t)count);
    for (int64_t i = 0; frame > 0 && i < 3 * count; i++)
        g->reel->x[i] -= base[i];
    return status;
}

// All accessors, or (file) all bytes, in the one order that both must have.
static ThawStatus walk(Gltf *g, float *base, ThawFile *file, ThawError *error) {
    const ThawClip *clip = g->reel->clip;
    float range[6];
    for (int64_t p = 0; p < g->parts; p++) {
        int64_t count = 3 * (int64_t)triangles_of(g, p);
        const int32_t *corner = clip->triangles + 3 * (int64_t)clip->parts[p].first_triangle;
        if (!file)
            add_accessor(g, count, 1, 5125, "SCALAR", 34963, NULL);
        for (int64_t i = 0; file && i < count; i++)
            thaw_file_write(file, &(int32_t){corner[i] - clip->parts[p].first_point}, 4);
    }
    for (int64_t p = 0; p < g->parts; p++)
        for (int64_t f = 0; f < (g->moves[p] ? g->frames : 1); f++) {
            ThawStatus status = read_target(g, p, f, base, error);
            if (status != THAW_OK)
                return status;
            range_of(g->reel->x, points_of(g, p), range);
            if (file)
                thaw_file_write(file, g->reel->x, sizeof(float) * 3 * (size_t)points_of(g, p));
            else
                add_accessor(g, points_of(g, p), 3, 5126, "VEC3", 34962, range);
        }
    if (!g->any)
        return THAW_OK;
    float span[6] = {(float)g->reel->time[0], 0, 0, (float)g->reel->time[g->frames - 1], 0, 0};
    if (!file) {
        add_accessor(g, g->frames, 1, 5126, "SCALAR", 0, span);
        add_accessor(g, g->frames * (g->frames - 1), 1, 5126, "SCALAR", 0, NULL);
        return THAW_OK;
    }
    for (int64_t f = 0; f < g->frames; f++)
        thaw_file_write(file, &(float){(float)g->reel->time[f]}, 4);
    for (int64_t f = 0; f < g->frames; f++)
        for (int64_t k = 1; k < g->frames; k++)
            thaw_file_write(file, &(float){k == f}, 4);
    return THAW_OK;
}

static void describe_parts(Gltf *g) {
    const ThawClip *clip = g->reel->clip;
    int64_t next = g->parts; // accessors of positions follow those of indices
    print(&g->json, "\"meshes\":[");
    for (int64_t p = 0; p < g->parts; p++) {
        print(&g->json,
              "%s{\"name\":\"%s\",\"primitives\":[{\"attributes\":{\"POSITION\":%" PRId64 "},\"indices\":%" PRId64
              ",\"material\":%" PRId64,
              p ? "," : "", clip->parts[p].name, next, p, p);
        next++;
        if (g->moves[p]) {
            print(&g->json, ",\"targets\":[");
            for (int64_t f = 1; f < g->frames; f++)
                print(&g->json, "%s{\"POSITION\":%" PRId64 "}", f > 1 ? "," : "", next++);
            print(&g->json, "]");
        }
        print(&g->json, "}]}");
    }
    print(&g->json, "],\"materials\":[");
    for (int64_t p = 0; p < g->parts; p++) {
        const float *c = clip->parts[p].colour;
        print(&g->json,
              "%s{\"name\":\"%s\",\"doubleSided\":true,\"pbrMetallicRoughness\":{\"baseColorFactor\":[%.4g,%.4g,%.4g,"
              "1],\"metallicFactor\":0,\"roughnessFactor\":0.7}}",
              p ? "," : "", clip->parts[p].name, (double)c[0], (double)c[1], (double)c[2]);
    }
    print(&g->json, "],\"nodes\":[{\"name\":\"thaw\",\"rotation\":[-0.70710678,0,0,0.70710678],");
    if (clip->moved) // turned as the points are
        print(&g->json, "\"translation\":[%.17g,%.17g,%.17g],", clip->origin[0], clip->origin[2], -clip->origin[1]);
    print(&g->json, "\"children\":[");
    for (int64_t p = 0; p < g->parts; p++)
        print(&g->json, "%s%" PRId64, p ? "," : "", p + 1);
    print(&g->json, "]}");
    for (int64_t p = 0; p < g->parts; p++)
        print(&g->json, ",{\"name\":\"%s\",\"mesh\":%" PRId64 "}", clip->parts[p].name, p);
    print(&g->json, "]");
    if (!g->any)
        return;
    print(&g->json,
          ",\"animations\":[{\"name\":\"run\",\"samplers\":[{\"input\":%" PRId64 ",\"output\":%" PRId64
          ",\"interpolation\":\"LINEAR\"}],\"channels\":[",
          g->accessors - 2, g->accessors - 1);
    int first = 1;
    for (int64_t p = 0; p < g->parts; p++)
        if (g->moves[p]) {
            print(&g->json, "%s{\"sampler\":0,\"target\":{\"node\":%" PRId64 ",\"path\":\"weights\"}}",
                  first ? "" : ",", p + 1);
            first = 0;
        }
    print(&g->json, "]}]");
}

static ThawStatus describe(Gltf *g, float *base, ThawError *error) {
    ThawStatus status = walk(g, base, NULL, error);
    if (status == THAW_OK) {
        print(&g->json,
              "{\"asset\":{\"version\":\"2.0\",\"generator\":\"thaw %s\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],",
              thaw_version());
        describe_parts(g);
        print(&g->json, ",\"accessors\":[%s],\"bufferViews\":[%s],\"buffers\":[{\"byteLength\":%" PRId64 "}]}",
              g->lists.bytes ? g->lists.bytes : "", g->views.bytes ? g->views.bytes : "", g->bytes);
    }
    if (status == THAW_OK && (g->json.failed || g->views.failed || g->lists.failed))
        status = thaw_error_memory(error, "the description of a glTF");
    return status;
}

static ThawStatus write_file(Gltf *g, const char *path, ThawError *error) {
    int32_t largest = 0;
    for (int64_t p = 0; p < g->parts; p++)
        largest = points_of(g, p) > largest ? points_of(g, p) : largest;
    float *base = THAW_NEW(float, 3 * (size_t)largest + 1);
    ThawFile *file = NULL;
    ThawStatus status = base ? describe(g, base, error) : thaw_error_memory(error, "a glTF");
    size_t length = g->json.size, padded = (length + 3) / 4 * 4;
    int64_t total = 12 + 8 + (int64_t)padded + 8 + g->bytes;
    if (status == THAW_OK && total > UINT32_MAX)
        status =
            thaw_error_set(error, THAW_ERROR_UNSUPPORTED,
                           "%s would have %" PRId64 " bytes; glTF allows %u. Write fewer frames (thaw run --every)",
                           path, total, UINT32_MAX);
    if (status == THAW_OK)
        status = thaw_file_create(path, &file, error);
    if (status == THAW_OK) {
        const uint32_t head[5] = {0x46546C67, 2, (uint32_t)total, (uint32_t)padded, 0x4E4F534A};
        thaw_file_write(file, head, sizeof head);
        thaw_file_write(file, g->json.bytes, length);
        thaw_file_write(file, "   ", padded - length);
        const uint32_t chunk[2] = {(uint32_t)g->bytes, 0x004E4942};
        thaw_file_write(file, chunk, sizeof chunk);
        status = walk(g, base, file, error);
        if (status == THAW_OK)
            status = thaw_file_commit(&file, error);
        else
            thaw_file_discard(&file);
    }
    thaw_free(g->json.bytes);
    thaw_free(g->views.bytes);
    thaw_free(g->lists.bytes);
    thaw_free(base);
    return status;
}

ThawStatus thaw_export_gltf(const ThawClip *clip, const char *path, ThawError *error) {
    Gltf g = {.frames = clip->frame_count, .parts = clip->part_count};
    ThawStatus status = thaw_reel_create(clip, &g.reel, error);
    g.moves = status == THAW_OK ? THAW_NEW(unsigned char, (size_t)clip->part_count + 1) : NULL;
    if (status == THAW_OK && !g.moves)
        status = thaw_error_memory(error, "a glTF");
    for (int32_t p = 0; status == THAW_OK && p < clip->part_count; p++) {
        int moves;
        status = thaw_reel_moves(g.reel, p, &moves, error);
        g.moves[p] = (unsigned char)(status == THAW_OK && moves);
        g.any |= g.moves[p];
    }
    if (status == THAW_OK)
        status = write_file(&g, path, error);
    thaw_free(g.moves);
    thaw_reel_free(&g.reel);
    return status;
}
