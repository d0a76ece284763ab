// SPDX-License-Identifier: Apache-2.0
// Options of methods. A scene gives them under the name of the method: "rigidify": {"tolerance": 1e-2}. Which there are
// and what is allowed is the method's table (registry/option.h).
#include <math.h>
#include <string.h>

#include "scene/read.h"

// An absent one leaves the number as it is.
static void read_count(const ThawPlace *place, const ThawOption *o, double *number) {
    int64_t value = (int64_t)*number;
    thaw_place_integer(place, o->name, o->zero ? 0 : (int64_t)o->range.lo, (int64_t)o->range.hi, &value);
    ThawPlace member = thaw_place_member(place, o->name);
    char allowed[160];
    if (member.value && !thaw_option_allows(o, (double)value)) { // between 0 and the range
        thaw_option_say_allowed(o, allowed, sizeof allowed);
        thaw_place_refuse(&member, "out of range", allowed);
    }
    *number = (double)value;
}

static void read_flag(const ThawPlace *place, const ThawOption *o, double *number) {
    ThawPlace member = thaw_place_member(place, o->name);
    if (member.value && !json_is_boolean(member.value))
        thaw_place_refuse(&member, "wrong type", "true or false");
    else if (member.value)
        *number = json_is_true(member.value);
}

static void read_choice(const ThawPlace *place, const ThawOption *o, double *number) {
    size_t count = 0;
    int value = (int)*number;
    while (o->names[count])
        count++;
    thaw_place_choice(place, o->name, o->names, count, &value);
    *number = value;
}

static void read_options(const ThawPlace *place, const ThawOptionTable *table, void *options) {
    const char *keys[THAW_SCENE_KEYS] = {NULL};
    for (int i = 0; i < table->count; i++)
        keys[i] = table->rows[i].name;
    if (!thaw_place_is_object(place, keys, 0))
        return;
    for (int i = 0; i < table->count && !place->reader->status; i++) {
        const ThawOption *o = &table->rows[i];
        ThawRange range = o->range;
        double number = thaw_option_get(o, options);
        range.hi = fmin(range.hi, THAW_SCENE_HUGE);
        if (o->kind == THAW_OPTION_REAL)
            thaw_place_number(place, o->name, range, &number);
        else if (o->kind == THAW_OPTION_COUNT)
            read_count(place, o, &number);
        else if (o->kind == THAW_OPTION_FLAG)
            read_flag(place, o, &number);
        else
            read_choice(place, o, &number);
        thaw_option_set(o, number, options);
    }
}

void thaw_scene_list_keys(const char *const *own, size_t count, const char *keys[THAW_SCENE_KEYS]) {
    memcpy(keys, own, sizeof *keys * count);
    for (int i = 0; i < thaw_method_count(); i++)
        if (thaw_method_at(i)->options.count > 0)
            keys[count++] = thaw_method_at(i)->name;
    keys[count] = NULL;
}

void thaw_scene_read_world_options(const ThawPlace *top) {
    for (int i = 0; i < thaw_method_count(); i++) {
        const ThawMethod *method = thaw_method_at(i);
        ThawPlace place = thaw_place_member(top, method->name);
        if (place.value)
            read_options(&place, &method->options, (char *)&top->reader->store->scene.world + method->in_world);
    }
}

void thaw_scene_read_body_options(const ThawPlace *body_place, ThawBodyDef *body) {
    ThawSceneReader *reader = body_place->reader;
    for (int i = 0; i < thaw_method_count(); i++) {
        const ThawMethod *method = thaw_method_at(i);
        ThawPlace place = thaw_place_member(body_place, method->name);
        void *options = place.value ? thaw_scene_keep(reader, 1, method->options.size) : NULL;
        if (!options)
            continue;
        memcpy(options, thaw_method_world_options(method, &reader->store->scene.world), method->options.size);
        read_options(&place, &method->options, options);
        memcpy((char *)body + method->in_body, &options, sizeof options);
    }
}
