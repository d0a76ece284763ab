// SPDX-License-Identifier: Apache-2.0
// Random worlds: a number becomes a scene, the same one on every machine (docs/random-worlds.md).
#ifndef THAW_APP_WORLD_RANDOM_H
#define THAW_APP_WORLD_RANDOM_H

#include <stdint.h>

#include "thaw/world.h"

enum { WORLD_BODIES = 5, WORLD_WORDS = 320 };
// Fewer steps, elements and bodies; three of four bodies are sheets.
enum { WORLD_SMALL = 1, WORLD_SHEETS = 2 };

// What can be said of a world without running it.
typedef struct WorldKind {
    int dim, bodies, steps;
    double size, h;          // m, s
    int closed;              // nonzero: nothing acts from outside, so momentum stays what it was
    char words[WORLD_WORDS]; // what was drawn, in words with blanks between them
} WorldKind;

// The text of the scene that belongs to a seed, for thaw_free; NULL without memory. flags: WORLD_SMALL, WORLD_SHEETS;
// integrator: of those that are not iterated, the others have its twin. kind may be NULL.
char *world_random(uint64_t seed, int flags, ThawIntegrator integrator, WorldKind *kind);

#endif
