// SPDX-License-Identifier: Apache-2.0
// What a page may turn, as data: a threshold that is added to the table below appears in the page.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "view_live.h"

typedef struct Threshold {
    const char *name, *label, *unit, *help;
    size_t offset;
    enum { REAL, INT, INT32 } kind;
    double low, high;
    int logarithmic;
} Threshold;

static const Threshold thresholds[] = {
    {"tolerance", "tolerance", "",
     "share of its diameter by which a body may be off; thresholds that were not set follow it",
     offsetof(ThawRigidifyOptions, tolerance), REAL, 1e-6, 0.1, 1},
    {"tau_rigid", "rate to fall asleep", "1/s^2", "an element may become rigid when |E_dot|^2 stays below this",
     offsetof(ThawRigidifyOptions, tau_rigid), REAL, 1e-10, 1e4, 1},
    {"frame_count", "steps to fall asleep", "", "for so many steps in a row",
     offsetof(ThawRigidifyOptions, frame_count), INT, 1, 200, 0},
    {"epsilon", "strain to wake", "", "an element must be elastic when the strain predicted for it is above this",
     offsetof(ThawRigidifyOptions, epsilon), REAL, 1e-8, 1, 1},
    {"horizon", "horizon", "s", "loads are judged by what they do within this time",
     offsetof(ThawRigidifyOptions, horizon), REAL, 1e-3, 10, 1},
    {"hold", "steps to stay awake", "", "a woken element stays elastic for so many steps at least",
     offsetof(ThawRigidifyOptions, hold), INT, 0, 200, 0},
    {"relax", "relaxation", "", "share of the predicted displacement that is taken up a step",
     offsetof(ThawRigidifyOptions, relax), REAL, 0, 1, 0},
    {"smallest", "smallest part", "elements", "parts of fewer elements are not formed",
     offsetof(ThawRigidifyOptions, smallest), INT32, 1, 1000, 0},
    {"sleep", "steps to rest", "",
     "a wholly rigid body that rests for so long sleeps with all that it touches; 0: never",
     offsetof(ThawRigidifyOptions, sleep), INT, 0, 255, 0},
    {"sleep_speed", "speed of rest", "1/s",
     "at rest is what would move by less than this share of its diameter in the next second",
     offsetof(ThawRigidifyOptions, sleep_speed), REAL, 1e-8, 1, 1},
};
enum { THRESHOLDS = sizeof thresholds / sizeof *thresholds };

static double get(const ThawRigidifyOptions *options, const Threshold *t) {
    const char *at = (const char *)options + t->offset;
    return t->kind == REAL ? *(const double *)at : t->kind == INT ? *(const int *)at : *(const int32_t *)at;
}

static void set(ThawRigidifyOptions *options, const Threshold *t, double value) {
    char *at = (char *)options + t->offset;
    if (t->kind == REAL)
        *(double *)at = value;
    else if (t->kind == INT)
        *(int *)at = (int)value;
    else
        *(int32_t *)at = (int32_t)value;
}

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
    for (int i = 0; i < THRESHOLDS; i++) {
        const Threshold *t = &thresholds[i];
        json_array_append_new(array, json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:b, s:b}", "name", t->name,
                                               "label", t->label, "unit", t->unit, "help", t->help, "value",
                                               fmax(t->low, get(&options, t)), "low", t->low, "high", t->high,
                                               "logarithmic", t->logarithmic, "whole", t->kind != REAL));
    }
    return json_pack("{s:b, s:f, s:b, s:b, s:s, s:s, s:o}", "playing", live->playing, "speed", live->speed, "split",
                     live->views > 1, "interior", live->interior, "method", method_of(live), "field",
                     thaw_field(live->field)->name, "thresholds", array);
}

ThawStatus view_settings_read(const json_t *values, ThawRigidifyOptions *options, ThawError *error) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)values, name, value) {
        int i = 0;
        while (i < THRESHOLDS && strcmp(thresholds[i].name, name) != 0)
            i++;
        if (i == THRESHOLDS)
            return thaw_error_set(error, THAW_ERROR_INPUT, "there is no threshold '%.40s'", name);
        const double number = json_number_value(value);
        const Threshold *t = &thresholds[i];
        if (!json_is_number(value) || !(number >= t->low && number <= t->high) ||
            (t->kind != REAL && number != floor(number)))
            return thaw_error_set(error, THAW_ERROR_INPUT, "%s: allowed are %s from %g to %g", name,
                                  t->kind == REAL ? "numbers" : "whole numbers", t->low, t->high);
        set(options, t, number);
    }
    if (options->sleep == 1) // on the way from 0 upwards a slider comes by
        options->sleep = 2;
    return THAW_OK;
}
