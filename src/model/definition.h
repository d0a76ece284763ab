// SPDX-License-Identifier: Apache-2.0
// A definition that is kept: what a world is made of, copied, so that it can be made again with something added, left
// out or replaced (step/edit.c). A world is a function of its definition and its state.
//
// Each item (a material, a shape, a body, ...) is a struct of include/thaw in a list, and a piece of memory with all
// that it points to. Pieces never change and are shared by copies of the definition, in whatever thread these are; so
// are shapes that have been compiled, as long as their materials stay. So a copy costs a few words an item.
#ifndef THAW_DEFINITION_H
#define THAW_DEFINITION_H

#include "model/attachment.h"
#include "model/model.h"

typedef enum ThawList {
    THAW_LIST_MATERIALS,
    THAW_LIST_SHAPES,
    THAW_LIST_BODIES,
    THAW_LIST_OBSTACLES,
    THAW_LIST_PAIRS,
    THAW_LIST_ATTACHMENTS,
    THAW_LIST_COUNT
} ThawList;

typedef struct ThawPiece ThawPiece;

typedef struct ThawEntry {
    uint64_t id; // no other item of the world has or will have it; ascending in each list
    void *user;
    ThawPiece *piece;
    ThawShape *compiled; // of a shape, unless each body has its own; NULL: not compiled yet
    ThawPiece *held;     // of an attachment: its anchors; NULL: not found yet
} ThawEntry;

typedef struct ThawDefinition {
    ThawWorldDef def; // its pointers lead into the lists
    ThawPiece *piece; // of what is no item
    ThawMaterials *shelf;
    ThawClock clock;
    struct ThawItems {
        void *defs;
        ThawEntry *entries;
        int32_t count, room;
    } lists[THAW_LIST_COUNT];
} ThawDefinition;

// A copy of a definition that `model` was compiled from, whose ids begin at *next.
ThawStatus thaw_definition_create(const ThawWorldDef *def, const ThawModel *model, uint64_t *next,
                                  ThawDefinition **definition, ThawError *error);
ThawStatus thaw_definition_copy(const ThawDefinition *from, ThawDefinition **definition, ThawError *error);
void thaw_definition_free(ThawDefinition **definition);

// Behind the others of its list. item: a struct of that list; what it points to is copied. A failure (here and in
// _replace) leaves the definition as it was.
ThawStatus thaw_definition_add(ThawDefinition *d, ThawList list, const void *item, uint64_t id, ThawError *error);
// In the place of another one, whose id and user data it takes over. What was compiled from the old one is forgotten.
ThawStatus thaw_definition_replace(ThawDefinition *d, ThawList list, int32_t index, const void *item, ThawError *error);
// Attachments that it holds go with a body or an obstacle.
void thaw_definition_remove(ThawDefinition *d, ThawList list, int32_t index);
// Materials are others: what was compiled from them is forgotten, of one of them (-1: of all).
void thaw_definition_forget(ThawDefinition *d, int32_t material);
// The place of an id in a list; -1: it is not there (any more).
int32_t thaw_definition_find(const ThawDefinition *d, ThawList list, uint64_t id);

// The model of a definition. now: of each body NULL, or where the vertices of its base shape are, for attachments that
// are new; NULL: all are where they start. drives: how obstacles move, for the same, or NULL.
ThawStatus thaw_definition_compile(const ThawDefinition *d, double time, const double *const *now,
                                   const ThawDrive *drives, ThawModel **model, ThawError *error);
// What that model has compiled is taken over from now on.
ThawStatus thaw_definition_note(ThawDefinition *d, const ThawModel *model, ThawError *error);

#endif
