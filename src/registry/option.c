// SPDX-License-Identifier: Apache-2.0
// Walks over tables of options: see option.h.
#include "registry/option.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const ThawOption *thaw_option_find(const ThawOptionTable *table, const char *name) {
    for (int i = 0; i < table->count; i++)
        if (strcmp(table->rows[i].name, name) == 0)
            return &table->rows[i];
    return NULL;
}

const ThawOption *thaw_option_of_role(const ThawOptionTable *table, ThawOptionRole role) {
    for (int i = 0; i < table->count; i++)
        if (table->rows[i].role == role)
            return &table->rows[i];
    return NULL;
}

// --- values ----------------------------------------------------------------------------------------------------------

double thaw_option_get(const ThawOption *o, const void *options) {
    const char *at = (const char *)options + o->offset;
    double real;
    int whole;
    if (o->kind == THAW_OPTION_REAL) {
        memcpy(&real, at, sizeof real);
        return real;
    }
    memcpy(&whole, at, sizeof whole);
    return whole;
}

void thaw_option_set(const ThawOption *o, double value, void *options) {
    char *at = (char *)options + o->offset;
    const int whole = o->kind == THAW_OPTION_REAL ? 0 : (int)value;
    if (o->kind == THAW_OPTION_REAL)
        memcpy(at, &value, sizeof value);
    else
        memcpy(at, &whole, sizeof whole);
}

static int count_names(const ThawOption *o) {
    int count = 0;
    while (o->names[count])
        count++;
    return count;
}

bool thaw_option_allows(const ThawOption *o, double value) {
    if (o->kind != THAW_OPTION_REAL && floor(value) != value)
        return false;
    if (o->kind == THAW_OPTION_FLAG) // nonzero is true
        return fabs(value) <= INT32_MAX;
    if (o->kind == THAW_OPTION_CHOICE)
        return value >= 0 && value < count_names(o);
    if (value == 0 && (o->derived || o->zero))
        return true;
    return (o->range.lo_open ? value > o->range.lo : value >= o->range.lo) &&
           (o->range.hi_open ? value < o->range.hi : value <= o->range.hi);
}

bool thaw_option_is_read(const ThawOptionTable *table, const ThawOption *o, const void *options) {
    return !o->only_with || thaw_option_get(thaw_option_find(table, o->only_with), options) == o->only_choice;
}

bool thaw_option_is_threshold(const ThawOption *o) { return o->derived || o->power; }

// --- words -----------------------------------------------------------------------------------------------------------

// A text that grows in a fixed buffer and is cut where that is full.
typedef struct Line {
    char *text;
    size_t used, room;
} Line;

static void append(Line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(Line *line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(line->text + line->used, line->room - line->used, format, arguments);
    va_end(arguments);
    size_t left = line->room - 1 - line->used;
    line->used += wanted < 0 ? 0 : (size_t)wanted < left ? (size_t)wanted : left;
}

static void append_names(Line *line, const ThawOption *o, const char *between) {
    for (int i = 0; o->names[i]; i++)
        append(line, "%s\"%s\"", i ? between : "", o->names[i]);
}

void thaw_option_say_allowed(const ThawOption *o, char *text, size_t room) {
    const ThawRange *r = &o->range;
    Line line = {text, 0, room};
    if (o->kind == THAW_OPTION_FLAG)
        append(&line, "true or false");
    else if (o->kind == THAW_OPTION_CHOICE)
        append_names(&line, o, " or ");
    else if (o->zero)
        append(&line, "0 (%s), or %.12g to %.12g", o->zero, r->lo, r->hi);
    else if (o->kind == THAW_OPTION_COUNT)
        append(&line, "an integer from %.12g to %.12g", r->lo, r->hi);
    else {
        append(&line, "a number %s %.12g", r->lo_open ? "greater than" : "of at least", r->lo);
        if (isfinite(r->hi))
            append(&line, " and %s %.12g", r->hi_open ? "less than" : "at most", r->hi);
        if (o->derived)
            append(&line, ", or 0 (%s)", o->derived);
    }
}

void thaw_option_say_range(const ThawOption *o, char *text, size_t room) {
    const ThawRange *r = &o->range;
    Line line = {text, 0, room};
    if (o->kind == THAW_OPTION_FLAG)
        append(&line, "true, false");
    else if (o->kind == THAW_OPTION_CHOICE)
        append_names(&line, o, ", ");
    else if (o->kind == THAW_OPTION_COUNT)
        append(&line, "%s%.12g to %.12g", o->zero ? "0, " : "", r->lo, r->hi);
    else {
        append(&line, "%s %.12g", r->lo_open ? ">" : ">=", r->lo);
        if (isfinite(r->hi))
            append(&line, ", %s %.12g", r->hi_open ? "<" : "<=", r->hi);
    }
    if (*o->unit)
        append(&line, ", %s", o->unit);
}

void thaw_option_say_default(const ThawOption *o, char *text, size_t room) {
    if (o->derived)
        snprintf(text, room, "%s", o->derived);
    else if (o->kind == THAW_OPTION_FLAG)
        snprintf(text, room, o->value != 0 ? "true" : "false");
    else if (o->kind == THAW_OPTION_CHOICE)
        snprintf(text, room, "\"%s\"", o->names[(int)o->value]);
    else
        snprintf(text, room, "%.12g", o->value);
}

// --- the whole struct ------------------------------------------------------------------------------------------------

void thaw_options_default(const ThawOptionTable *table, void *options) {
    memset(options, 0, table->size);
    for (int i = 0; i < table->count; i++)
        thaw_option_set(&table->rows[i], table->rows[i].value, options);
}

static ThawStatus check_value(const ThawOption *o, const char *where, double value, ThawError *error) {
    if (thaw_option_allows(o, value))
        return THAW_OK;
    char allowed[160];
    thaw_option_say_allowed(o, allowed, sizeof allowed);
    return thaw_error_set(error, THAW_ERROR_INPUT, "%s: %s is %g; allowed: %s", where, o->name, value, allowed);
}

ThawStatus thaw_options_check(const ThawOptionTable *table, const char *where, const void *options, ThawError *error) {
    ThawStatus status = THAW_OK;
    for (int i = 0; i < table->count && status == THAW_OK; i++)
        status = check_value(&table->rows[i], where, thaw_option_get(&table->rows[i], options), error);
    return status;
}

uint64_t thaw_options_hash(const ThawOptionTable *table, uint64_t seed, const void *options) {
    for (int i = 0; i < table->count; i++) {
        const double value = thaw_option_get(&table->rows[i], options);
        seed = thaw_hash(seed, &value, sizeof value);
    }
    return seed;
}

void thaw_options_list(const ThawOptionTable *table, const void *options, double *numbers) {
    for (int i = 0; i < table->count; i++)
        numbers[i] = thaw_option_get(&table->rows[i], options);
}

ThawStatus thaw_options_take(const ThawOptionTable *table, const char *where, const double *numbers, void *options,
                             ThawError *error) {
    ThawStatus status = THAW_OK;
    memset(options, 0, table->size);
    for (int i = 0; i < table->count && status == THAW_OK; i++) {
        status = check_value(&table->rows[i], where, numbers[i], error);
        if (status == THAW_OK)
            thaw_option_set(&table->rows[i], numbers[i], options);
    }
    return status;
}
