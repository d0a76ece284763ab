// SPDX-License-Identifier: Apache-2.0
// Typed values of a JSON document, each refused with its place when the type or the range is wrong. See read.h for how
// errors stick.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/read.h"

const ThawRange thaw_range_any = {-THAW_SCENE_HUGE, THAW_SCENE_HUGE, false, false};
const ThawRange thaw_range_positive = {0, THAW_SCENE_HUGE, true, false};
const ThawRange thaw_range_not_negative = {0, THAW_SCENE_HUGE, false, false};
const ThawRange thaw_range_share = {0, 1, false, false};

static size_t count_keys(const char *const *keys) {
    size_t count = 0;
    while (keys[count])
        count++;
    return count;
}

ThawPlace thaw_place_member(const ThawPlace *up, const char *key) {
    return (ThawPlace){.reader = up->reader, .up = up, .key = key, .value = json_object_get(up->value, key)};
}

ThawPlace thaw_place_item(const ThawPlace *up, size_t index) {
    return (ThawPlace){.reader = up->reader, .up = up, .index = index, .value = json_array_get(up->value, index)};
}

bool thaw_place_is_map(const ThawPlace *place, size_t *count) {
    *count = 0;
    if (place->reader->status)
        return false;
    if (!json_is_object(place->value)) {
        thaw_place_refuse(place, "wrong type", "an object {...}");
        return false;
    }
    *count = json_object_size(place->value);
    return true;
}

bool thaw_place_is_object(const ThawPlace *place, const char *const *keys, size_t required) {
    size_t members, count = count_keys(keys);
    if (!thaw_place_is_map(place, &members))
        return false;
    const char *key;
    json_t *value;
    json_object_foreach(place->value, key, value) {
        bool known = false;
        for (size_t i = 0; i < count && !known; i++)
            known = strcmp(key, keys[i]) == 0;
        if (!known) {
            ThawPlace member = thaw_place_member(place, key);
            thaw_place_refuse_name(&member, "unknown key", key, keys, count);
            return false;
        }
    }
    for (size_t i = 0; i < required; i++)
        if (!json_object_get(place->value, keys[i])) {
            thaw_place_fail(place, THAW_ERROR_INPUT, "the key \"%s\" is missing; it is required here", keys[i]);
            return false;
        }
    return true;
}

bool thaw_place_is_catalogue(const ThawPlace *place, size_t least, size_t *count) {
    if (!thaw_place_is_map(place, count))
        return false;
    if (*count < least)
        thaw_place_refuse(place, "nothing in it", "an object with one or more named members");
    const char *name;
    json_t *value;
    json_object_foreach(place->value, name, value) {
        ThawPlace member = thaw_place_member(place, name);
        if (!*name)
            thaw_place_refuse(&member, "an empty name", "a name of one or more characters");
    }
    return !place->reader->status;
}

bool thaw_place_is_array(const ThawPlace *place, size_t least, size_t *count) {
    *count = 0;
    if (place->reader->status)
        return false;
    if (!json_is_array(place->value)) {
        thaw_place_refuse(place, "wrong type", "an array [...]");
        return false;
    }
    if (json_array_size(place->value) < least) {
        char allowed[64];
        snprintf(allowed, sizeof allowed, "an array of %zu or more items", least);
        thaw_place_refuse(place, "too few items", allowed);
        return false;
    }
    *count = json_array_size(place->value);
    return true;
}

int thaw_place_which(const ThawPlace *place, const char *const *keys) {
    if (place->reader->status)
        return -1;
    int found = -1, many = 0;
    char allowed[320] = "exactly one of ";
    for (int i = 0; keys[i]; i++) {
        size_t used = strlen(allowed);
        snprintf(allowed + used, sizeof allowed - used, "%s%s", i ? ", " : "", keys[i]);
        if (json_object_get(place->value, keys[i])) {
            found = i;
            many++;
        }
    }
    if (many == 1)
        return found;
    thaw_place_refuse(place, many ? "more than one of the keys that exclude each other" : "a key is missing", allowed);
    return -1;
}

static bool is_inside(double value, ThawRange range) {
    return (range.lo_open ? value > range.lo : value >= range.lo) &&
           (range.hi_open ? value < range.hi : value <= range.hi);
}

double thaw_place_own_number(const ThawPlace *place, ThawRange range) {
    if (place->reader->status)
        return 0;
    double value = json_number_value(place->value);
    // The bounds that guard against overflow are worth a word only to whoever meets them.
    bool low = range.lo > -THAW_SCENE_HUGE || value < range.lo, high = range.hi < THAW_SCENE_HUGE || value > range.hi;
    char least[50] = "", most[50] = "", allowed[120];
    if (low)
        snprintf(least, sizeof least, "%s %.12g", range.lo_open ? " greater than" : " of at least", range.lo);
    if (high)
        snprintf(most, sizeof most, "%s%s %.12g", low ? " and" : "", range.hi_open ? " less than" : " at most",
                 range.hi);
    snprintf(allowed, sizeof allowed, "a number%s%s", least, most);
    if (!json_is_number(place->value))
        thaw_place_refuse(place, "wrong type", allowed);
    else if (!is_inside(value, range))
        thaw_place_refuse(place, "out of range", allowed);
    else
        return value;
    return 0;
}

void thaw_place_number(const ThawPlace *up, const char *key, ThawRange range, double *value) {
    ThawPlace place = thaw_place_member(up, key);
    if (place.value)
        *value = thaw_place_own_number(&place, range);
}

// 600 and 600.0 are the same integer, as JSON Schema has it.
static bool get_integer(const json_t *value, int64_t *integer) {
    double real = json_real_value(value);
    bool whole = json_is_integer(value) || (json_is_real(value) && fabs(real) < 0x1p53 && floor(real) == real);
    *integer = json_is_integer(value) ? json_integer_value(value) : whole ? (int64_t)real : 0;
    return whole;
}

static int64_t own_integer(const ThawPlace *place, int64_t lo, int64_t hi) {
    int64_t value = 0;
    if (place->reader->status)
        return 0;
    bool whole = get_integer(place->value, &value);
    if (whole && value >= lo && value <= hi)
        return value;
    char allowed[100];
    if (hi - lo < 2)
        snprintf(allowed, sizeof allowed, hi > lo ? "%lld or %lld" : "%lld", (long long)lo, (long long)hi);
    else
        snprintf(allowed, sizeof allowed, "an integer from %lld to %lld", (long long)lo, (long long)hi);
    thaw_place_refuse(place, whole ? "out of range" : "wrong type", allowed);
    return 0;
}

void thaw_place_integer(const ThawPlace *up, const char *key, int64_t lo, int64_t hi, int64_t *value) {
    ThawPlace place = thaw_place_member(up, key);
    if (place.value)
        *value = own_integer(&place, lo, hi);
}

const char *thaw_place_own_text(const ThawPlace *place) {
    if (place->reader->status)
        return NULL;
    const char *text = json_string_value(place->value);
    if (text && *text)
        return text;
    thaw_place_refuse(place, text ? "empty text" : "wrong type", "a text of one or more characters");
    return NULL;
}

void thaw_place_choice(const ThawPlace *up, const char *key, const char *const *names, size_t count, int *value) {
    ThawPlace place = thaw_place_member(up, key);
    if (!place.value)
        return;
    const char *text = thaw_place_own_text(&place);
    if (!text)
        return;
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, names[i]) == 0) {
            *value = (int)i;
            return;
        }
    thaw_place_refuse_name(&place, "unknown name", text, names, count);
}

static int dimension(const ThawPlace *place) { return place->reader->store->scene.world.dim; }

void thaw_place_own_vector(const ThawPlace *place, double value[3]) {
    size_t dim = (size_t)dimension(place), count = json_array_size(place->value);
    value[0] = value[1] = value[2] = 0;
    if (place->reader->status)
        return;
    if (count != dim && !(dim == 2 && count == 3)) {
        thaw_place_refuse(place, "not a vector", dim == 2 ? "an array of 2 numbers" : "an array of 3 numbers");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        ThawPlace item = thaw_place_item(place, i);
        value[i] = thaw_place_own_number(&item, thaw_range_any);
    }
    if (dim == 2 && value[2] != 0)
        thaw_place_refuse(place, "a vector that leaves the plane of a 2D scene", "2 numbers");
}

void thaw_place_vector(const ThawPlace *up, const char *key, double value[3]) {
    ThawPlace place = thaw_place_member(up, key);
    if (place.value)
        thaw_place_own_vector(&place, value);
}

void thaw_place_rotation(const ThawPlace *up, const char *key, double q[4], double turn[3]) {
    static const char *const keys[] = {"degrees", "axis", NULL}, *const keys_2d[] = {"degrees", NULL};
    static const ThawRange turns = {-36000, 36000, false, false};
    ThawPlace place = thaw_place_member(up, key);
    bool plane = dimension(up) == 2;
    if (json_is_number(place.value)) {
        char allowed[100];
        snprintf(allowed, sizeof allowed, plane ? "{\"degrees\": %g}" : "{\"axis\": [0, 0, 1], \"degrees\": %g}",
                 json_number_value(place.value));
        thaw_place_refuse(&place, "a bare angle", allowed);
        return;
    }
    if (!place.value || !thaw_place_is_object(&place, plane ? keys_2d : keys, plane ? 1 : 2))
        return;
    double axis[3] = {0, 0, 1}, degrees = 0;
    thaw_place_number(&place, "degrees", turns, &degrees);
    thaw_place_vector(&place, "axis", axis);
    double length = hypot(hypot(axis[0], axis[1]), axis[2]);
    if (!up->reader->status && !(length > 0)) {
        ThawPlace culprit = thaw_place_member(&place, "axis");
        thaw_place_refuse(&culprit, "an axis without a direction", "a vector of any length but zero");
    }
    if (up->reader->status)
        return;
    double half = degrees * (M_PI / 360);
    q[0] = cos(half);
    for (int i = 0; i < 3; i++) {
        q[i + 1] = sin(half) * (axis[i] / length);
        if (turn)
            turn[i] = degrees * (axis[i] / length);
    }
}
