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

// "auto" leaves it to what it follows from, whatever the world says.
static bool read_auto(const ThawPlace *place, const ThawOption *o, double *number) {
    ThawPlace member = thaw_place_member(place, o->name);
    const char *text = member.value ? json_string_value(member.value) : NULL;
    if (!o->derived || !text || strcmp(text, "auto") != 0)
        return false;
    *number = 0;
    return true;
}

static void read_options(const ThawPlace *place, const ThawOptionTable *table, void *options) {
    const char *keys[THAW_OPTION_ROWS + 1] = {NULL};
    for (int i = 0; i < table->count; i++)
        keys[i] = table->rows[i].name;
    if (!thaw_place_is_object(place, keys, 0))
        return;
    for (int i = 0; i < table->count && !place->reader->status; i++) {
        const ThawOption *o = &table->rows[i];
        ThawRange range = o->range;
        double number = thaw_option_get(o, options);
        range.hi = fmin(range.hi, THAW_SCENE_HUGE);
        if (read_auto(place, o, &number)) {
            thaw_option_set(o, number, options);
            continue;
        }
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

// Rows of a method that has no member in the definition, behind those that are there: of what the scene says.
static void keep_rows(const ThawPlace *place, const ThawMethod *method, const void *options, ThawOptionDef *rows,
                      int32_t *count) {
    for (int i = 0; i < method->options.count && !place->reader->status; i++) {
        const ThawOption *o = &method->options.rows[i];
        if (thaw_place_member(place, o->name).value)
            rows[(*count)++] = (ThawOptionDef){method->name, o->name, thaw_option_get(o, options)};
    }
}

// Room for all rows that methods without members can have in this object; NULL: none are given, or out of memory.
static ThawOptionDef *make_rows(const ThawPlace *up) {
    size_t count = 0;
    for (int i = 0; i < thaw_method_count(); i++)
        if (thaw_method_at(i)->in_world == 0 && thaw_place_member(up, thaw_method_at(i)->name).value)
            count += (size_t)thaw_method_at(i)->options.count;
    return count > 0 ? thaw_scene_keep(up->reader, count, sizeof(ThawOptionDef)) : NULL;
}

void thaw_scene_list_keys(const char *const *own, size_t count, const char *keys[THAW_SCENE_KEYS]) {
    memcpy(keys, own, sizeof *keys * count);
    for (int i = 0; i < thaw_method_count(); i++)
        if (thaw_method_at(i)->options.count > 0)
            keys[count++] = thaw_method_at(i)->name;
    keys[count] = NULL;
}

void thaw_scene_read_world_options(const ThawPlace *top) {
    ThawWorldDef *world = &top->reader->store->scene.world;
    ThawOptionDef *rows = make_rows(top);
    int32_t count = 0;
    for (int i = 0; i < thaw_method_count() && !top->reader->status; i++) {
        const ThawMethod *method = thaw_method_at(i);
        ThawPlace place = thaw_place_member(top, method->name);
        ThawOptionBuffer options;
        if (!place.value || !thaw_method_world_options(method, world, &options))
            continue;
        read_options(&place, &method->options, options.bytes);
        if (method->in_world > 0)
            memcpy((char *)world + method->in_world, options.bytes, method->options.size);
        else
            keep_rows(&place, method, options.bytes, rows, &count);
    }
    world->options = rows;
    world->option_count = count;
}

void thaw_scene_read_body_options(const ThawPlace *body_place, ThawBodyDef *body) {
    ThawSceneReader *reader = body_place->reader;
    const ThawWorldDef *world = &reader->store->scene.world;
    ThawOptionDef *rows = make_rows(body_place);
    int32_t count = 0;
    for (int i = 0; i < thaw_method_count() && !reader->status; i++) {
        const ThawMethod *method = thaw_method_at(i);
        ThawPlace place = thaw_place_member(body_place, method->name);
        ThawOptionBuffer options;
        if (!place.value || !thaw_method_world_options(method, world, &options))
            continue;
        read_options(&place, &method->options, options.bytes);
        void *own = method->in_body > 0 ? thaw_scene_keep(reader, 1, method->options.size) : NULL;
        if (own) {
            memcpy(own, options.bytes, method->options.size);
            memcpy((char *)body + method->in_body, &own, sizeof own);
        } else if (method->in_body == 0) {
            keep_rows(&place, method, options.bytes, rows, &count);
        }
    }
    body->options = rows;
    body->option_count = count;
}
