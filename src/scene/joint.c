// SPDX-License-Identifier: Apache-2.0
// Bones: the joint of a body, and what bones carry of soft ones. Bodies before it have been read.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/read.h"

static const char *const kinds[] = {
    [THAW_JOINT_FREE] = "free",           [THAW_JOINT_FIXED] = "fixed",         [THAW_JOINT_REVOLUTE] = "revolute",
    [THAW_JOINT_UNIVERSAL] = "universal", [THAW_JOINT_SPHERICAL] = "spherical", [THAW_JOINT_PRISMATIC] = "prismatic"};

// The index of a body before this one, by its name; -1: the world, where that is allowed. INT32_MIN with an error.
static int32_t find_before(const ThawPlace *place, int32_t count, int world) {
    const char *name = thaw_place_own_text(place);
    const char **names = name ? THAW_NEW(const char *, (size_t)count + 1) : NULL;
    int32_t found = INT32_MIN;
    if (!name)
        return INT32_MIN;
    if (!names) {
        thaw_place_fail(place, THAW_ERROR_MEMORY, "out of memory");
        return INT32_MIN;
    }
    for (int32_t i = 0; i < count; i++) {
        names[i] = place->reader->bodies[i].name;
        found = strcmp(names[i], name) == 0 ? i : found;
    }
    names[count] = "world";
    if (found == INT32_MIN && world && strcmp(name, "world") == 0)
        found = -1;
    if (found == INT32_MIN)
        thaw_place_refuse_name(place,
                               world ? "no body of that name before this one, nor \"world\""
                                     : "no body of that name before this one",
                               name, names, (size_t)count + (world != 0));
    thaw_free(names);
    return found;
}

// A number, or as many as the joint has, times unit.
static void read_numbers(const ThawPlace *up, const char *key, double unit, size_t numbers, double value[3]) {
    ThawPlace place = thaw_place_member(up, key);
    size_t count;
    if (!place.value)
        return;
    if (json_is_number(place.value) && numbers == 1) {
        value[0] = unit * thaw_place_own_number(&place, thaw_range_any);
        return;
    }
    if (!thaw_place_is_array(&place, numbers, &count))
        return;
    if (count != numbers || numbers == 0) {
        char allowed[80];
        snprintf(allowed, sizeof allowed, numbers == 1 ? "a number" : "an array of %zu numbers", numbers);
        thaw_place_refuse(&place, "another count of numbers than the joint has", allowed);
        return;
    }
    for (size_t k = 0; k < count; k++) {
        ThawPlace item = thaw_place_item(&place, k);
        value[k] = unit * thaw_place_own_number(&item, thaw_range_any);
    }
}

static void read_motor_keys(const ThawPlace *list, double unit, size_t numbers, ThawMotorDef *motor) {
    static const char *const names[] = {"time", "position", NULL};
    size_t count;
    if (!thaw_place_is_array(list, 1, &count))
        return;
    ThawMotorKey *keys = thaw_scene_keep(list->reader, count, sizeof *keys);
    for (size_t i = 0; i < count && keys && !list->reader->status; i++) {
        ThawPlace item = thaw_place_item(list, i);
        if (!thaw_place_is_object(&item, names, 2))
            return;
        thaw_place_number(&item, "time", thaw_range_not_negative, &keys[i].time);
        read_numbers(&item, "position", unit, numbers, keys[i].position);
        ThawPlace time = thaw_place_member(&item, "time");
        if (i > 0 && !(keys[i].time > keys[i - 1].time))
            thaw_place_refuse(&time, "not after the key before", "times that ascend");
    }
    motor->keys = keys;
    motor->key_count = (int32_t)count;
}

static void read_motor(const ThawPlace *place, double unit, size_t numbers, ThawMotorDef *motor) {
    static const char *const names[] = {"torque", "position", "velocity", "stiffness", "damping", "keys", NULL};
    if (!thaw_place_is_object(place, names, 0))
        return;
    ThawPlace keys = thaw_place_member(place, "keys"), position = thaw_place_member(place, "position");
    read_numbers(place, "torque", 1, numbers, motor->torque);
    read_numbers(place, "position", unit, numbers, motor->position);
    read_numbers(place, "velocity", 1, numbers, motor->velocity);
    thaw_place_number(place, "stiffness", thaw_range_not_negative, &motor->stiffness);
    thaw_place_number(place, "damping", thaw_range_not_negative, &motor->damping);
    if (keys.value && position.value)
        thaw_place_refuse(&position, "a position beside keys", "either of them");
    if (keys.value)
        read_motor_keys(&keys, unit, numbers, motor);
}

static void read_range(const ThawPlace *place, double unit, double *lower, double *upper) {
    size_t count;
    if (!thaw_place_is_array(place, 2, &count))
        return;
    ThawPlace ends[2] = {thaw_place_item(place, 0), thaw_place_item(place, 1)};
    *lower = unit * thaw_place_own_number(&ends[0], thaw_range_any);
    *upper = unit * thaw_place_own_number(&ends[1], thaw_range_any);
    if (count > 2 || (!place->reader->status && !(*lower <= 0 && *upper >= 0 && *lower < *upper)))
        thaw_place_refuse(place, "limits without the start between them",
                          "[lower, upper] with lower <= 0 <= upper, since 0 is how the bones are placed");
}

// [lower, upper]; of universal joints two of them; of spherical ones the largest swing, or [swing, [lower, upper]] with
// the twist. Turns in degrees.
static void read_limits(const ThawPlace *place, ThawJointDef *joint) {
    const double unit = joint->kind == THAW_JOINT_PRISMATIC ? 1 : M_PI / 180;
    const int pair = joint->kind == THAW_JOINT_UNIVERSAL || joint->kind == THAW_JOINT_SPHERICAL;
    static const ThawRange most = {0, 180, true, true};
    size_t count;
    if (joint->kind == THAW_JOINT_FREE || joint->kind == THAW_JOINT_FIXED)
        thaw_place_refuse(place, "limits of a joint that has none", "limits of the other kinds");
    else if (!pair)
        read_range(place, unit, &joint->lower[0], &joint->upper[0]);
    else if (joint->kind == THAW_JOINT_SPHERICAL && json_is_number(place->value))
        joint->upper[0] = thaw_place_own_number(place, most) * unit;
    else if (thaw_place_is_array(place, 2, &count)) {
        ThawPlace first = thaw_place_item(place, 0), second = thaw_place_item(place, 1);
        if (joint->kind == THAW_JOINT_SPHERICAL)
            joint->upper[0] = thaw_place_own_number(&first, most) * unit;
        else
            read_range(&first, unit, &joint->lower[0], &joint->upper[0]);
        read_range(&second, unit, &joint->lower[1], &joint->upper[1]);
    }
}

void thaw_scene_read_joint(const ThawPlace *place, int32_t index, ThawBodyDef *body) {
    static const char *const names[] = {"kind",    "to",        "anchor", "axis",  "second", "limits",
                                        "damping", "stiffness", "rest",   "motor", NULL};
    static const size_t numbers[] = {0, 0, 1, 2, 3, 1};
    ThawSceneReader *reader = place->reader;
    ThawJointDef *joint = thaw_scene_keep(reader, 1, sizeof *joint);
    if (!joint || !thaw_place_is_object(place, names, 1))
        return;
    *joint = thaw_joint_def_default();
    body->joint = joint;
    int kind = 0;
    thaw_place_choice(place, "kind", kinds, THAW_JOINT_KIND_COUNT, &kind);
    joint->kind = (ThawJointKind)kind;
    ThawPlace to = thaw_place_member(place, "to"), anchor = thaw_place_member(place, "anchor");
    ThawPlace limits = thaw_place_member(place, "limits"), motor = thaw_place_member(place, "motor");
    if (to.value)
        joint->parent = find_before(&to, index, 1);
    if (!anchor.value && kind != THAW_JOINT_FREE && kind != THAW_JOINT_FIXED && !reader->status)
        thaw_place_fail(place, THAW_ERROR_INPUT, "\"anchor\" is missing; allowed: where the joint is, in the world");
    if (anchor.value && kind == THAW_JOINT_FREE)
        thaw_place_refuse(&anchor, "an anchor of a free bone", "none: it turns about its centre of mass");
    thaw_place_vector(place, "anchor", joint->anchor);
    ThawPlace axis = thaw_place_member(place, "axis");
    if (limits.value && kind == THAW_JOINT_SPHERICAL && !axis.value)
        thaw_place_refuse(&limits, "limits of a swing without an axis", "\"axis\" beside them: what swings");
    thaw_place_vector(place, "axis", joint->axis);
    thaw_place_vector(place, "second", joint->second);
    thaw_place_number(place, "damping", thaw_range_not_negative, &joint->damping);
    thaw_place_number(place, "stiffness", thaw_range_not_negative, &joint->stiffness);
    const double unit = kind == THAW_JOINT_PRISMATIC ? 1 : M_PI / 180;
    read_numbers(place, "rest", unit, numbers[kind], joint->rest);
    if (limits.value)
        read_limits(&limits, joint);
    if (motor.value)
        read_motor(&motor, unit, numbers[kind], &joint->motor);
}

void thaw_scene_read_carried(const ThawPlace *list, int32_t index, ThawBodyDef *body) {
    static const char *const names[] = {"group", "by", NULL};
    size_t count;
    if (!thaw_place_is_array(list, 1, &count))
        return;
    ThawCarriedDef *carried = thaw_scene_keep(list->reader, count, sizeof *carried);
    for (size_t i = 0; i < count && carried && !list->reader->status; i++) {
        ThawPlace item = thaw_place_item(list, i);
        if (!thaw_place_is_object(&item, names, 2))
            return;
        ThawPlace group = thaw_place_member(&item, "group"), by = thaw_place_member(&item, "by");
        carried[i].group = thaw_scene_find_group(&group, body->shape);
        carried[i].bone = find_before(&by, index, 0);
    }
    body->carried = carried;
    body->carried_count = (int32_t)count;
}
