// SPDX-License-Identifier: Apache-2.0
// A scene file (JSON, docs/scene-format.md): a world definition and how to run it.
#ifndef THAW_SCENE_H
#define THAW_SCENE_H

#include <stddef.h>
#include <stdint.h>

#include "thaw/mesher.h"
#include "thaw/status.h"
#include "thaw/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// Which files a run writes for each frame; bits, combined.
enum { THAW_FRAMES_VTU = 1, THAW_FRAMES_OBJ = 2, THAW_FRAMES_PLY = 4 };

typedef struct ThawScene {
    ThawWorldDef world;       // everything it points to belongs to the scene
    char *title;              // never NULL
    int64_t steps;            // how many steps a run makes
    int64_t frame_every;      // a frame each so many steps, >= 1
    int64_t checkpoint_every; // a checkpoint each so many steps; 0: each minute of wall time
    unsigned frames;          // THAW_FRAMES_ bits
    uint64_t digest;          // of the definition's content, meshes included: tells whether a checkpoint belongs to it
    const ThawMesherReport *meshed; // of each shape, in the solid's own coordinates; size 0: its mesh was not made here
} ThawScene;

// Reads and validates a scene file; meshes are looked up relative to it. The caller frees *scene with thaw_scene_free.
// An error names the file, the place inside the JSON, the value and what is allowed.
ThawStatus thaw_scene_load(const char *path, ThawScene **scene, ThawError *error);

// The same from text in memory. `name` stands for the file in messages; meshes are looked up relative to `folder` (may
// be NULL).
ThawStatus thaw_scene_parse(const char *text, size_t length, const char *name, const char *folder, ThawScene **scene,
                            ThawError *error);

void thaw_scene_free(ThawScene **scene);

#ifdef __cplusplus
}
#endif
#endif
