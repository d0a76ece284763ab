// SPDX-License-Identifier: Apache-2.0
// What a page may turn: options of the table of "rigidify" that have a slider.
#include <math.h>
#include <string.h>

#include "registry/method.h"
#include "view_live.h"

static const ThawOptionTable *const table = &thaw_method_rigidify.options;

// The name all bodies share, or "mixed".
static const char *method_of(const ViewLive *live) {
    const ThawWorld *world = live->runners[live->views - 1].world;
    const char *name = thaw_world_get_method(world, 0);
    for (int32_t b = 1; b < thaw_world_body_count(world); b++)
        if (strcmp(thaw_world_get_method(world, b), name) != 0)
            return "mixed";
    return name ? name : "full";
}

// What is in force: of the first body that goes by thresholds, where they were left to the tolerance.
static ThawRigidifyOptions in_force(const ViewLive *live) {
    const ThawWorld *world = live->runners[live->views - 1].world;
    ThawRigidifyOptions options = live->rigidify;
    for (int32_t b = 0; b < thaw_world_body_count(world); b++)
        if (thaw_world_get_thresholds(world, b, &options) == THAW_OK)
            break;
    return options;
}

json_t *view_settings(const ViewLive *live) {
    json_t *array = json_array();
    ThawRigidifyOptions options = in_force(live);
    for (const ThawOption *o = table->rows; o < table->rows + table->count; o++)
        if (o->label)
            json_array_append_new(array, json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:b, s:b}", "name", o->name,
                                                   "label", o->label, "unit", o->unit, "help", o->help, "value",
                                                   fmax(o->slider[0], thaw_option_get(o, &options)), "low",
                                                   o->slider[0], "high", o->slider[1], "logarithmic", o->logarithmic,
                                                   "whole", o->kind != THAW_OPTION_REAL));
    return json_pack("{s:b, s:f, s:b, s:b, s:s, s:s, s:o}", "playing", live->playing, "speed", live->speed, "split",
                     live->views > 1, "interior", live->interior, "method", method_of(live), "field",
                     thaw_field(live->field)->name, "thresholds", array);
}

ThawStatus view_settings_read(const json_t *values, ThawRigidifyOptions *options, ThawError *error) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)values, name, value) {
        const ThawOption *o = thaw_option_find(table, name);
        if (!o || !o->label)
            return thaw_error_set(error, THAW_ERROR_INPUT, "there is no threshold '%.40s'", name);
        double number = json_number_value(value);
        if (!json_is_number(value) || !(number >= o->slider[0] && number <= o->slider[1]) ||
            (o->kind != THAW_OPTION_REAL && number != floor(number)))
            return thaw_error_set(error, THAW_ERROR_INPUT, "%s: allowed are %s from %g to %g", name,
                                  o->kind == THAW_OPTION_REAL ? "numbers" : "whole numbers", o->slider[0],
                                  o->slider[1]);
        if (!thaw_option_allows(o, number)) // on the way from 0 upwards a slider comes by
            number = o->range.lo;
        thaw_option_set(o, number, options);
    }
    return THAW_OK;
}
