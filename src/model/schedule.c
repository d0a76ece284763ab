// SPDX-License-Identifier: Apache-2.0
// Changes of shapes, from their definitions: checked, in the order of time, and as numbers that a checkpoint stores.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/change.h"

// --- numbers ---------------------------------------------------------------------------------------------------------

void thaw_change_pack(const ThawChange *change, int32_t integers[THAW_CHANGE_INTEGERS],
                      double numbers[THAW_CHANGE_NUMBERS]) {
    const ThawChoice *choice[2] = {&change->where, &change->within};
    integers[0] = change->body;
    integers[1] = change->kind;
    for (int i = 0; i < 2; i++) {
        integers[2 + 2 * i] = choice[i]->select;
        integers[3 + 2 * i] = choice[i]->group;
        memcpy(numbers + 7 * i, choice[i]->a, sizeof choice[i]->a);
        memcpy(numbers + 7 * i + 3, choice[i]->b, sizeof choice[i]->b);
        numbers[7 * i + 6] = choice[i]->radius;
    }
}

void thaw_change_unpack(const int32_t integers[THAW_CHANGE_INTEGERS], const double numbers[THAW_CHANGE_NUMBERS],
                        ThawChange *change) {
    ThawChoice *choice[2] = {&change->where, &change->within};
    change->body = integers[0];
    change->kind = integers[1];
    for (int i = 0; i < 2; i++) {
        choice[i]->select = integers[2 + 2 * i];
        choice[i]->group = integers[3 + 2 * i];
        memcpy(choice[i]->a, numbers + 7 * i, sizeof choice[i]->a);
        memcpy(choice[i]->b, numbers + 7 * i + 3, sizeof choice[i]->b);
        choice[i]->radius = numbers[7 * i + 6];
    }
}

uint64_t thaw_change_hash(uint64_t seed, const ThawChange *change) {
    int32_t integers[THAW_CHANGE_INTEGERS];
    double numbers[THAW_CHANGE_NUMBERS];
    thaw_change_pack(change, integers, numbers);
    return thaw_hash(thaw_hash(seed, integers, sizeof integers), numbers, sizeof numbers);
}

// --- definitions -----------------------------------------------------------------------------------------------------

static ThawStatus compile_choice(const char *where, const char *field, const ThawGroupDef *def, int32_t group,
                                 const ThawShape *base, ThawChoice *choice, ThawError *error) {
    *choice = (ThawChoice){.select = -1, .group = group};
    if (group >= base->group_count)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: group is %d; allowed: -1, or 0 to %d (shape %s has %d "
                              "groups)",
                              where, (int)group, (int)base->group_count - 1, base->name, (int)base->group_count);
    if (group >= 0)
        return THAW_OK;
    choice->group = -1;
    if (def->select != THAW_SELECT_ALL && def->select != THAW_SELECT_BOX && def->select != THAW_SELECT_SPHERE &&
        def->select != THAW_SELECT_PLANE_SIDE)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: %s.select is %d; allowed: THAW_SELECT_ALL, BOX, SPHERE or PLANE_SIDE", where, field,
                              (int)def->select);
    ThawStatus status = thaw_check_group(base->name, field, def, base->dim, error);
    if (status != THAW_OK)
        return status;
    choice->select = (int32_t)def->select;
    if (def->select == THAW_SELECT_ALL)
        return THAW_OK;
    memcpy(choice->a, def->a, sizeof choice->a[0] * (size_t)base->dim);
    if (def->select == THAW_SELECT_SPHERE)
        choice->radius = def->radius;
    else
        memcpy(choice->b, def->b, sizeof choice->b[0] * (size_t)base->dim);
    return THAW_OK;
}

ThawStatus thaw_change_compile(const char *where, const ThawChangeDef *def, int32_t body, const ThawShape *base,
                               ThawChange *change, ThawError *error) {
    *change = (ThawChange){.body = body, .kind = (int32_t)def->kind, .within = {.select = -1, .group = -1}};
    if ((unsigned)def->kind > THAW_CHANGE_CUT)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: kind is %d; allowed: a ThawChangeKind", where,
                              (int)def->kind);
    if (base->pressure != 0) // it would leave by the hole
        return thaw_error_set(error, THAW_ERROR_UNSUPPORTED,
                              "%s: shape %s is a sheet with a pressure of %g Pa inside; allowed: changes of shapes "
                              "without pressure",
                              where, base->name, base->pressure);
    ThawStatus status = compile_choice(where, "where", &def->where, def->group, base, &change->where, error);
    if (status == THAW_OK && def->limited && def->kind != THAW_CHANGE_CUT)
        status = thaw_error_set(error, THAW_ERROR_INPUT, "%s: limited is %d; allowed: 0, but for a cut", where,
                                def->limited);
    if (status == THAW_OK && def->limited)
        status = compile_choice(where, "within", &def->within, -1, base, &change->within, error);
    return status;
}

ThawStatus thaw_change_check(const char *where, const ThawChange *change, const ThawEffect *effect, ThawError *error) {
    if (effect->left == 0)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: all elements of the body would go; allowed: a change that leaves some", where);
    if (change->kind == THAW_CHANGE_REMOVE && effect->removed == 0)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: no element goes; allowed: a region that holds the centre (a group: all vertices) of "
                              "at least one that is there then",
                              where);
    if (change->kind == THAW_CHANGE_CUT && effect->parted == 0)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: no vertex parts; allowed: a region with elements on both sides of its boundary, "
                              "and faces enough to open it",
                              where);
    return THAW_OK;
}

static int earlier(const ThawScheduled *a, const ThawScheduled *b) { return a->time < b->time; }

ThawStatus thaw_changes_schedule(const char *where, const ThawBodyDef *def, int32_t index, double h,
                                 ThawModelBody *body, ThawError *error) {
    if (def->change_count < 0 || (def->change_count > 0 && !def->changes))
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: change_count is %d with changes %s; allowed: >= 0, given",
                              where, (int)def->change_count, def->changes ? "given" : "NULL");
    if (def->change_count == 0)
        return THAW_OK;
    const size_t count = (size_t)def->change_count;
    ThawScheduled *list = body->changes = THAW_NEW(ThawScheduled, count);
    int32_t *number = THAW_NEW(int32_t, count); // in the definition
    ThawChange *changes = THAW_NEW(ThawChange, count);
    ThawEffect *effects = THAW_NEW(ThawEffect, count);
    char place[200];
    ThawStatus status = list && number && changes && effects ? THAW_OK : thaw_error_memory(error, "a body's changes");
    for (int32_t i = 0; i < def->change_count && status == THAW_OK; i++) {
        const ThawChangeDef *from = &def->changes[i];
        ThawScheduled item = {.time = from->time, .wake = from->time - h / 2};
        snprintf(place, sizeof place, "%s: change %d", where, (int)i);
        if (!(from->time > 0) || !isfinite(from->time))
            status = thaw_error_set(error, THAW_ERROR_INPUT, "%s: time is %g s; allowed: > 0", place, from->time);
        if (status == THAW_OK)
            status = thaw_change_compile(place, from, index, body->base, &item.change, error);
        int32_t at = i; // stable: those of one time in their order
        for (; at > 0 && earlier(&item, &list[at - 1]); at--) {
            list[at] = list[at - 1];
            number[at] = number[at - 1];
        }
        list[at] = item;
        number[at] = i;
    }
    for (int32_t i = 0; status == THAW_OK && i < def->change_count; i++)
        changes[i] = list[i].change;
    if (status == THAW_OK)
        status = thaw_changes_foresee(body->base, changes, def->change_count, effects, error);
    for (int32_t i = 0; i < def->change_count && status == THAW_OK; i++) {
        snprintf(place, sizeof place, "%s: change %d", where, (int)number[i]);
        status = thaw_change_check(place, &changes[i], &effects[i], error);
        body->copies += effects[i].parted;
        body->removed += effects[i].removed;
    }
    body->change_count = status == THAW_OK ? def->change_count : 0;
    thaw_free(number);
    thaw_free(changes);
    thaw_free(effects);
    return status;
}
