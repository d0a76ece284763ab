// SPDX-License-Identifier: Apache-2.0
// The registry of methods: ways to move a body, by name. Scene files, command lines, the page and the C interface name
// methods; the state and checkpoints keep their index. A method is described by one ThawMethod in its folder
// src/method/NAME, and listed in method.c. What it does is in a table of functions that the step defines
// (step/method.h): folders before the step know names and options only.
#ifndef THAW_METHOD_H
#define THAW_METHOD_H

#include "registry/option.h"
#include "thaw/world.h"

typedef struct ThawMethod {
    const char *name;
    const char *summary;             // one line
    const char *page;                // in docs/
    bool sleeps;                     // its bodies can be asleep
    bool takes_units;                // it can move several bodies as one (model/unit.c), which hang together nowhere
    bool moves_bones;                // it moves bones and what they carry (model/joint.h), and nothing else
    bool moves_sheets;               // it can move triangles in space (model/sheet.h)
    bool has_parts;                  // parts of its bodies may move as rigid ones
    const struct ThawMethodOps *ops; // never NULL
    ThawOptionTable options;
    // Definitions name options in rows (ThawOptionDef). A method may also have its struct as a member there: its
    // offset in a ThawWorldDef, and that of a pointer to a struct of the body's own, or NULL, in a ThawBodyDef. 0:
    // none.
    size_t in_world, in_body;
} ThawMethod;

// The index of the reference, `full`: it needs nothing of its own, so a body can always fall back on it.
enum { THAW_METHOD_REFERENCE };

extern const ThawMethod thaw_method_full, thaw_method_rigidify, thaw_method_condense, thaw_method_frames,
    thaw_method_skeleton;

// Adds a method to the end of the list, for tests: before the first world is made, in one thread. Returns its index;
// -1: there is no more room, or its options are too many.
int thaw_method_register(const ThawMethod *method);

int thaw_method_count(void);
const ThawMethod *thaw_method_at(int index);
// The index of the method of that name; -1: there is none (or the name is NULL).
int thaw_method_index(const char *name);
// The same, or an error that lists them; `where` begins the message.
ThawStatus thaw_method_find(const char *where, const char *name, int *index, ThawError *error);
// All names, as in: "full" or "rigidify".
void thaw_method_say_names(const char *between, char *text, size_t room);

// The same of those whose bodies can be asleep.
void thaw_method_say_sleepers(const char *between, char *text, size_t room);
// An error where it cannot move a unit; `where` begins the message.
ThawStatus thaw_method_check_unit(const char *where, const ThawMethod *method, ThawError *error);

// A method's options by a definition whose rows were found good: the world's, and a body's own. Returns whether there
// are any: of a world whether the method has options, of a body whether some are its own.
bool thaw_method_world_options(const ThawMethod *method, const ThawWorldDef *world, ThawOptionBuffer *options);
bool thaw_method_body_options(const ThawMethod *method, const ThawWorldDef *world, const ThawBodyDef *body,
                              ThawOptionBuffer *options);

// Rows by names: whether there are such methods and options, and whether they allow the values; `where` begins the
// message. And those of one method put into its struct; how many there were.
ThawStatus thaw_option_rows_check(const char *where, const ThawOptionDef *rows, int32_t count, ThawError *error);
int32_t thaw_option_rows_put(const ThawMethod *method, const ThawOptionDef *rows, int32_t count, void *options);

#endif
