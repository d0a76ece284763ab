// SPDX-License-Identifier: Apache-2.0
// The list of methods. Checkpoints store indices: new ones go to the end.
#include "registry/method.h"

#include <stdio.h>
#include <string.h>

enum { ROOM = 8 };
static const ThawMethod *methods[ROOM] = {[THAW_METHOD_REFERENCE] = &thaw_method_full,
                                          &thaw_method_rigidify,
                                          &thaw_method_condense,
                                          &thaw_method_frames,
                                          &thaw_method_skeleton};
static int method_count = 5;

int thaw_method_count(void) { return method_count; }

int thaw_method_register(const ThawMethod *method) {
    if (method_count == ROOM || method->options.size > THAW_OPTION_BYTES || method->options.count > THAW_OPTION_ROWS)
        return -1;
    methods[method_count] = method;
    return method_count++;
}

const ThawMethod *thaw_method_at(int index) { return methods[index]; }

int thaw_method_index(const char *name) {
    for (int i = 0; name && i < method_count; i++)
        if (strcmp(name, methods[i]->name) == 0)
            return i;
    return -1;
}

static void say_names(int sleepers, const char *between, char *text, size_t room) {
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < method_count && used < room; i++)
        if (methods[i]->sleeps || !sleepers)
            used += (size_t)snprintf(text + used, room - used, "%s\"%s\"", used ? between : "", methods[i]->name);
}

void thaw_method_say_names(const char *between, char *text, size_t room) { say_names(0, between, text, room); }

void thaw_method_say_sleepers(const char *between, char *text, size_t room) { say_names(1, between, text, room); }

ThawStatus thaw_method_find(const char *where, const char *name, int *index, ThawError *error) {
    const int found = thaw_method_index(name);
    char names[200];
    if (found >= 0) {
        *index = found;
        return THAW_OK;
    }
    thaw_method_say_names(" or ", names, sizeof names);
    return thaw_error_set(error, THAW_ERROR_INPUT, "%s: method is \"%s\"; allowed: %s", where, name ? name : "(NULL)",
                          names);
}

ThawStatus thaw_method_check_unit(const char *where, const ThawMethod *method, ThawError *error) {
    if (method->takes_units)
        return THAW_OK;
    return thaw_error_set(
        error, THAW_ERROR_INPUT,
        "%s: the method \"%s\" moves each body by itself; allowed in a unit: \"full\", or another that "
        "takes units",
        where, method->name);
}

// --- options in definitions ------------------------------------------------------------------------------------------

ThawStatus thaw_option_rows_check(const char *where, const ThawOptionDef *rows, int32_t count, ThawError *error) {
    if (count < 0 || (count > 0 && !rows))
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: options are %s; allowed: as many rows as there are", where,
                              count < 0 ? "fewer than none" : "NULL");
    for (int32_t i = 0; i < count; i++) {
        int index = 0;
        char place[200], allowed[160];
        snprintf(place, sizeof place, "%s: option %d", where, (int)i);
        ThawStatus status = thaw_method_find(place, rows[i].method, &index, error);
        if (status != THAW_OK)
            return status;
        const ThawOptionTable *table = &methods[index]->options;
        const ThawOption *o = rows[i].name ? thaw_option_find(table, rows[i].name) : NULL;
        if (!o)
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "%s: the method \"%s\" has no option \"%s\"; `thaw help %s` lists them", where,
                                  rows[i].method, rows[i].name ? rows[i].name : "(NULL)", rows[i].method);
        if (thaw_option_allows(o, rows[i].value))
            continue;
        thaw_option_say_allowed(o, allowed, sizeof allowed);
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: %s: %s is %g; allowed: %s", where, rows[i].method,
                              rows[i].name, rows[i].value, allowed);
    }
    return THAW_OK;
}

int32_t thaw_option_rows_put(const ThawMethod *method, const ThawOptionDef *rows, int32_t count, void *options) {
    int32_t found = 0;
    for (int32_t i = 0; i < count; i++)
        if (strcmp(rows[i].method, method->name) == 0) {
            thaw_option_set(thaw_option_find(&method->options, rows[i].name), rows[i].value, options);
            found++;
        }
    return found;
}

bool thaw_method_world_options(const ThawMethod *method, const ThawWorldDef *world, ThawOptionBuffer *options) {
    if (method->options.count == 0)
        return false;
    if (method->in_world > 0)
        memcpy(options->bytes, (const char *)world + method->in_world, method->options.size);
    else
        thaw_options_default(&method->options, options->bytes);
    thaw_option_rows_put(method, world->options, world->option_count, options->bytes);
    return true;
}

bool thaw_method_body_options(const ThawMethod *method, const ThawWorldDef *world, const ThawBodyDef *body,
                              ThawOptionBuffer *options) {
    const void *own = NULL;
    if (!thaw_method_world_options(method, world, options))
        return false;
    if (method->in_body > 0)
        memcpy(&own, (const char *)body + method->in_body, sizeof own);
    if (own)
        memcpy(options->bytes, own, method->options.size);
    return thaw_option_rows_put(method, body->options, body->option_count, options->bytes) > 0 || own;
}
