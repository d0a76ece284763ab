// SPDX-License-Identifier: Apache-2.0
// What a page may turn: options that have a slider, of the methods that move bodies now; where none of these has any,
// of the first method that has.
#include <math.h>
#include <string.h>

#include "registry/method.h"
#include "view_live.h"

// The name all bodies share, or "mixed".
static const char *method_of(const ViewLive *live) {
    const ThawWorld *world = live->runners[live->views - 1].world;
    const char *name = thaw_world_get_method(world, 0);
    for (int32_t b = 1; b < thaw_world_body_count(world); b++)
        if (strcmp(thaw_world_get_method(world, b), name) != 0)
            return "mixed";
    return name ? name : "full";
}

const char *view_settings_method(const ViewLive *live) {
    const int index = thaw_method_index(method_of(live));
    return index > THAW_METHOD_REFERENCE ? thaw_method_at(index)->name : NULL;
}

static const ThawWorld *world_of(const ViewLive *live) { return live->runners[live->views - 1].world; }

static int has_sliders(const ThawMethod *method) {
    for (int i = 0; i < method->options.count; i++)
        if (method->options.rows[i].label)
            return 1;
    return 0;
}

// The first body that is moved by it; -1: none is.
static int32_t body_of(const ViewLive *live, const ThawMethod *method) {
    const ThawWorld *world = world_of(live);
    for (int32_t b = 0; b < thaw_world_body_count(world); b++)
        if (strcmp(thaw_world_get_method(world, b), method->name) == 0)
            return b;
    return -1;
}

static int is_listed(const ViewLive *live, int index) {
    int first = -1;
    for (int m = 0; m < thaw_method_count(); m++) {
        if (!has_sliders(thaw_method_at(m)))
            continue;
        if (body_of(live, thaw_method_at(m)) >= 0)
            return body_of(live, thaw_method_at(index)) >= 0 && has_sliders(thaw_method_at(index));
        first = first < 0 ? m : first;
    }
    return index == first;
}

// What is in force: of the first body of the method, where it was left to others; else what the world has.
static double value_of(const ViewLive *live, const ThawMethod *method, const ThawOption *o) {
    double value = o->value;
    const int32_t body = body_of(live, method);
    if (body < 0 || thaw_world_get_option_in_force(world_of(live), body, o->name, &value) != THAW_OK)
        thaw_world_get_option(world_of(live), -1, method->name, o->name, &value);
    return value;
}

json_t *view_settings(const ViewLive *live) {
    json_t *array = json_array();
    for (int m = 0; m < thaw_method_count(); m++) {
        const ThawMethod *method = thaw_method_at(m);
        for (int i = 0; i < method->options.count && is_listed(live, m); i++) {
            const ThawOption *o = &method->options.rows[i];
            if (o->label)
                json_array_append_new(array,
                                      json_pack("{s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:b, s:b}", "method",
                                                method->name, "name", o->name, "label", o->label, "unit", o->unit,
                                                "help", o->help, "value", fmax(o->slider[0], value_of(live, method, o)),
                                                "low", o->slider[0], "high", o->slider[1], "logarithmic",
                                                o->logarithmic, "whole", o->kind != THAW_OPTION_REAL));
        }
    }
    return json_pack("{s:b, s:f, s:b, s:b, s:s, s:s, s:o}", "playing", live->playing, "speed", live->speed, "split",
                     live->views > 1, "interior", live->interior, "method", method_of(live), "field",
                     thaw_field(live->field)->name, "thresholds", array);
}

// NULL: there is no such slider.
static const ThawOption *find(const ViewLive *live, const char *asked, const char *name, const char **method) {
    for (int m = 0; m < thaw_method_count(); m++) {
        const ThawOption *o = thaw_option_find(&thaw_method_at(m)->options, name);
        *method = thaw_method_at(m)->name;
        if (o && o->label && (asked ? strcmp(asked, *method) == 0 : is_listed(live, m)))
            return o;
    }
    return NULL;
}

ThawStatus view_settings_read(const ViewLive *live, const char *method, const json_t *values, ThawOptionDef *rows,
                              int32_t *count, ThawError *error) {
    const char *name, *found;
    json_t *value;
    *count = 0;
    json_object_foreach((json_t *)values, name, value) {
        const ThawOption *o = find(live, method, name, &found);
        if (!o)
            return thaw_error_set(error, THAW_ERROR_INPUT, "there is no threshold '%.40s'", name);
        double number = json_number_value(value);
        if (!json_is_number(value) || !(number >= o->slider[0] && number <= o->slider[1]) ||
            (o->kind != THAW_OPTION_REAL && number != floor(number)))
            return thaw_error_set(error, THAW_ERROR_INPUT, "%s: allowed are %s from %g to %g", name,
                                  o->kind == THAW_OPTION_REAL ? "numbers" : "whole numbers", o->slider[0],
                                  o->slider[1]);
        if (!thaw_option_allows(o, number)) // on the way from 0 upwards a slider comes by
            number = o->range.lo;
        if (*count == VIEW_SET)
            return thaw_error_set(error, THAW_ERROR_INPUT, "at most %d at once", VIEW_SET);
        rows[(*count)++] = (ThawOptionDef){found, o->name, number};
    }
    return THAW_OK;
}
