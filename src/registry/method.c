// SPDX-License-Identifier: Apache-2.0
// The list of methods. Checkpoints store indices: new ones go to the end.
#include "registry/method.h"

#include <stdio.h>
#include <string.h>

static const ThawMethod *const methods[] = {
    [THAW_METHOD_FULL] = &thaw_method_full,
    [THAW_METHOD_RIGIDIFY] = &thaw_method_rigidify,
};
enum { METHODS = sizeof methods / sizeof *methods };

int thaw_method_count(void) { return METHODS; }

const ThawMethod *thaw_method_at(int index) { return methods[index]; }

int thaw_method_index(const char *name) {
    for (int i = 0; name && i < METHODS; i++)
        if (strcmp(name, methods[i]->name) == 0)
            return i;
    return -1;
}

void thaw_method_say_names(const char *between, char *text, size_t room) {
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < METHODS && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s\"%s\"", i ? between : "", methods[i]->name);
}

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

const void *thaw_method_world_options(const ThawMethod *method, const ThawWorldDef *world) {
    return method->options.count > 0 ? (const char *)world + method->in_world : NULL;
}

const void *thaw_method_body_options(const ThawMethod *method, const ThawBodyDef *body) {
    const void *options = NULL;
    if (method->options.count > 0)
        memcpy(&options, (const char *)body + method->in_body, sizeof options);
    return options;
}
