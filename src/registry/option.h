// SPDX-License-Identifier: Apache-2.0
// Options of a method as data. A method has a plain struct of options and one table that says all there is to say of
// each member: what it is called, its unit, what it does, what is allowed, its default. All code that deals with
// options walks the table: defaults, validation, scene reader, digest, checkpoint, the web page, `thaw tune`, `thaw
// check`, `thaw help`, docs/scene.schema.json and docs/scene-format.md. An option that is added to the table is in all
// of them.
#ifndef THAW_OPTION_H
#define THAW_OPTION_H

#include <stdbool.h>

#include "base/base.h"

// Bounds of a number.
typedef struct ThawRange {
    double lo, hi;
    bool lo_open, hi_open; // the end itself is not allowed
} ThawRange;

typedef enum ThawOptionKind {
    THAW_OPTION_REAL,   // a double; the others are ints
    THAW_OPTION_COUNT,  // a whole number
    THAW_OPTION_FLAG,   // 0, or anything else
    THAW_OPTION_CHOICE, // one of `names`
} ThawOptionKind;

// What others than the method itself ask of an option, by what it is for.
typedef enum ThawOptionRole {
    THAW_ROLE_NONE,
    THAW_ROLE_TOLERANCE, // the share of a body's diameter by which the method may put it off, about
    THAW_ROLE_SLEEP,     // with 0 bodies of the method never sleep
} ThawOptionRole;

typedef struct ThawOption {
    const char *name;
    const char *unit; // "": none
    const char *help; // a sentence without its full stop
    ThawOptionKind kind;
    size_t offset;   // in the struct of options
    ThawRange range; // what may be given; of a REAL or COUNT
    double value;    // the default
    // What is left out follows from this; the struct then has 0, which cannot be given. NULL: it has the default.
    const char *derived;
    const char *zero;         // 0 is allowed beside the range and means this; NULL: it is a number like any other
    const char *const *names; // of a CHOICE, ends with NULL
    // It is read only where the CHOICE of this name has this value; NULL: always.
    const char *only_with;
    int only_choice;
    ThawOptionRole role;
    double widest; // with more than this, in force, the method is of no use; 0: not known
    int power;     // `thaw tune` multiplies it by its scale to this power; 0: it leaves it alone
    // A slider of the page, with a logarithmic scale or a linear one; NULL: the page does not show it.
    const char *label;
    double slider[2];
    bool logarithmic;
} ThawOption;

typedef struct ThawOptionTable {
    const ThawOption *rows;
    int count;   // 0: there are no options
    size_t size; // bytes of the struct
} ThawOptionTable;

// Room for the struct of any method.
enum { THAW_OPTION_BYTES = 1024, THAW_OPTION_ROWS = 64 };
typedef union ThawOptionBuffer {
    double align;
    char bytes[THAW_OPTION_BYTES];
} ThawOptionBuffer;

// The first of that role; NULL: there is none.
const ThawOption *thaw_option_of_role(const ThawOptionTable *table, ThawOptionRole role);
// NULL: there is none of that name.
const ThawOption *thaw_option_find(const ThawOptionTable *table, const char *name);

// An option's value as a number, whatever its kind; set does not ask whether it is allowed.
double thaw_option_get(const ThawOption *option, const void *options);
void thaw_option_set(const ThawOption *option, double value, void *options);

// Whether the struct may hold this value.
bool thaw_option_allows(const ThawOption *option, double value);
// Whether it is read at all, with the others as they are.
bool thaw_option_is_read(const ThawOptionTable *table, const ThawOption *option, const void *options);
// Tolerances and what follows from them: what a body goes by, and what an error hangs on.
bool thaw_option_is_threshold(const ThawOption *option);

// What is allowed, in words: "a number greater than 0 and at most 1", "0 (never), or 2 to 255".
void thaw_option_say_allowed(const ThawOption *option, char *text, size_t room);
// The same in short, with the unit: "> 0, <= 1, s", "0, 2 to 255".
void thaw_option_say_range(const ThawOption *option, char *text, size_t room);
// "0.1", "true", "paper"; of a derived option where it comes from: "by tolerance".
void thaw_option_say_default(const ThawOption *option, char *text, size_t room);

// The whole struct. `where` begins the message of an error.
void thaw_options_default(const ThawOptionTable *table, void *options);
ThawStatus thaw_options_check(const ThawOptionTable *table, const char *where, const void *options, ThawError *error);
uint64_t thaw_options_hash(const ThawOptionTable *table, uint64_t seed, const void *options);
// As `count` numbers in the order of the table, and back from numbers that may be anything.
void thaw_options_list(const ThawOptionTable *table, const void *options, double *numbers);
ThawStatus thaw_options_take(const ThawOptionTable *table, const char *where, const double *numbers, void *options,
                             ThawError *error);

#endif
