// SPDX-License-Identifier: Apache-2.0
// A surface that moves: what film and modelling formats hold. Triangles stay, points are read frame by frame.
#ifndef THAW_CLIP_H
#define THAW_CLIP_H

#include "output/replay.h"
#include "thaw/triangles.h"

// One thing of a clip: a body, or an obstacle.
typedef struct ThawClipPart {
    char name[64];
    int32_t first_point, first_triangle; // up to those of the next; the last is followed by a part without any
    int obstacle;
    float colour[3]; // linear light
} ThawClipPart;

// A mesh that frames have for a time (clip.c).
typedef struct ThawClipStage {
    int32_t points, cells; // of its frames, by which they are known
    int32_t part;          // its first of the clip
} ThawClipStage;

typedef struct ThawClip {
    ThawReplay *replay; // borrowed
    int64_t frame_count;
    int32_t point_count, triangle_count, part_count;
    int32_t cells;         // of the first frame
    ThawClipStage *stages; // stage_count: one, more where shapes change, none with a skin
    int32_t stage_count;
    int32_t *triangles;  // 3 a triangle: points, seen anticlockwise from outside
    ThawClipPart *parts; // part_count + 1
    // Point i is the weighted mean of four points of the frame, 4 i ... 4 i + 3. Obstacles' points follow, taken as
    // they are.
    int32_t *anchor;
    double *weight;
    int32_t anchored_count;
    double origin[3]; // m: floats count from here; zeros unless the bodies are far from zero (mesh/far.h)
    int far, moved;   // whether they are; whether the origin is another than zero
} ThawClip;

typedef struct ThawClipDef {
    int obstacles;                // nonzero: they are parts, too
    const ThawTriangleMesh *skin; // a finer surface that rides on the bodies instead of their own; NULL: none
} ThawClipDef;

ThawStatus thaw_clip_open(ThawReplay *replay, const ThawClipDef *def, ThawClip **clip, ThawError *error);
void thaw_clip_free(ThawClip **clip);

// Positions in metres from the clip's origin, 3 floats a point, and the frame's time.
ThawStatus thaw_clip_read(const ThawClip *clip, int64_t frame, float *x, double *time, ThawError *error);
// The same from zero, as doubles.
ThawStatus thaw_clip_read_whole(const ThawClip *clip, int64_t frame, double *x, double *time, ThawError *error);

// Hangs each of `count` points (3 doubles each) on the tetrahedron that holds it, or is nearest (bind.c).
ThawStatus thaw_bind_points(const ThawFrameData *frame, int32_t count, const double *x, int32_t *anchor, double *weight,
                            ThawError *error);

// Writers. Files are complete or not there.
ThawStatus thaw_export_usd(const ThawClip *clip, const char *path, ThawError *error);  // .usda, time samples
ThawStatus thaw_export_gltf(const ThawClip *clip, const char *path, ThawError *error); // .glb, a morph target a frame
ThawStatus thaw_export_pc2(const ThawClip *clip, const char *path, ThawError *error);  // point cache, little endian
ThawStatus thaw_export_mdd(const ThawClip *clip, const char *path, ThawError *error);  // point cache, big endian
ThawStatus thaw_export_vtkhdf(const ThawReplay *replay, const char *path,
                              ThawError *error); // the whole mesh with fields
// pattern: a name with %d or %04d for the frame's number; .obj or .ply.
ThawStatus thaw_export_surface(const ThawClip *clip, int64_t frame, const char *path, ThawError *error);
// The mesh that a point cache moves: the first frame, from the clip's origin as the cache is.
ThawStatus thaw_export_cache_mesh(const ThawClip *clip, const char *path, ThawError *error);

#endif
