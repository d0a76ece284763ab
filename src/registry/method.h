// SPDX-License-Identifier: Apache-2.0
// The registry of methods: ways to move a body, by name. Scene files, command lines, the page and the C interface name
// methods; the state and checkpoints keep their index. A method is described by one ThawMethod in its folder
// src/method/NAME, and listed in method.c.
#ifndef THAW_METHOD_H
#define THAW_METHOD_H

#include "registry/option.h"
#include "thaw/world.h"

typedef struct ThawMethod {
    const char *name;
    const char *summary; // one line
    const char *page;    // in docs/
    ThawOptionTable options;
    // Where its options are in definitions; of a method that has any.
    size_t in_world; // offset of the struct in a ThawWorldDef
    size_t in_body;  // offset of the pointer to a struct of its own, or NULL, in a ThawBodyDef
} ThawMethod;

// Indices of the methods that the step still asks for by name.
enum { THAW_METHOD_FULL, THAW_METHOD_RIGIDIFY };

extern const ThawMethod thaw_method_full, thaw_method_rigidify;

int thaw_method_count(void);
const ThawMethod *thaw_method_at(int index);
// The index of the method of that name; -1: there is none (or the name is NULL).
int thaw_method_index(const char *name);
// The same, or an error that lists them; `where` begins the message.
ThawStatus thaw_method_find(const char *where, const char *name, int *index, ThawError *error);
// All names, as in: "full" or "rigidify".
void thaw_method_say_names(const char *between, char *text, size_t room);

// A method's options in a definition: the world's, and a body's own (NULL: the world's). NULL if it has no options.
const void *thaw_method_world_options(const ThawMethod *method, const ThawWorldDef *world);
const void *thaw_method_body_options(const ThawMethod *method, const ThawBodyDef *body);

#endif
