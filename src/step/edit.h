// SPDX-License-Identifier: Apache-2.0
// Worlds that change while they run: edit.c collects and carries out, carry.c takes the state over.
#ifndef THAW_EDIT_H
#define THAW_EDIT_H

#include "step/step.h"

// What is being changed.
typedef struct ThawEdit {
    ThawDefinition *next;
    unsigned char *wake; // body_count flags: bodies of the present world that this concerns
    int wake_all;        // all of them
    int anew;            // methods begin anew: time step, materials or the like are others
    int open;            // between thaw_world_begin_edit and thaw_world_end_edit
} ThawEdit;
void thaw_edit_free(ThawWorld *world);

// Exchanges all that a world has for what a model and its definition make of it, in place; *definition becomes the
// world's. fill (may fail) brings the state in, from the world that was. On failure the world is what it was, and model
// and definition are gone.
typedef ThawStatus (*ThawFill)(ThawWorld *world, ThawWorld *before, const void *context, ThawError *error);
ThawStatus thaw_world_remake(ThawWorld *world, ThawModel *model, ThawDefinition *definition, ThawFill fill,
                             const void *context, ThawError *error);

// carry.c: the state of what two worlds have in common, by ids. context: an int, `anew` of the edit.
ThawStatus thaw_carry(ThawWorld *world, ThawWorld *before, const void *context, ThawError *error);

#endif
