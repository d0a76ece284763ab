// SPDX-License-Identifier: Apache-2.0
// What rigidify has of a body, between steps: partition, map, oracle and record agree with each other and with the
// body.
#include "map/rigid/rigid.h"
#include "method/rigidify/rigidify.h"

#define BROKEN(...) thaw_error_set(error, THAW_ERROR_INPUT, __VA_ARGS__)

static ThawStatus blame(const ThawStepper *s, const char *what, const ThawError *found, ThawStatus status,
                        ThawError *error) {
    if (status != THAW_OK)
        BROKEN("%s of body %d (%s): %s", what, (int)s->index, s->body->name, found->message);
    return status;
}

static ThawStatus check_record(const ThawWorld *world, const ThawStepper *s, ThawError *error) {
    const ThawHistory *history = thaw_rigidify_record(s) ? thaw_rigidify_record(s)->history : NULL;
    if (!history)
        return BROKEN("record of body %d (%s): there is none", (int)s->index, s->body->name);
    for (int32_t e = 0; e < s->shape->ne; e++)
        if ((int64_t)history->since[e] > world->state.step)
            return BROKEN("record of body %d (%s): element %d changed at step %u, which is still to come",
                          (int)s->index, s->body->name, (int)e, history->since[e]);
    return THAW_OK;
}

static ThawStatus check_system(const ThawStepper *s, ThawError *error) {
    const ThawRigidifyData *a = thaw_rigidify(s);
    ThawError found = {.message = ""};
    if (s->system && s->system != a->system)
        return BROKEN("map of body %d (%s): the step's system is not the method's", (int)s->index, s->body->name);
    if (!a->system)
        return THAW_OK;
    if (a->partition->part_count > 0 && a->system->map->set->element_count != a->partition->packed_count)
        return BROKEN("map of body %d (%s): its set has %d elements, the partition %d elastic ones", (int)s->index,
                      s->body->name, (int)a->system->map->set->element_count, (int)a->partition->packed_count);
    return blame(s, "map", &found, thaw_map_rigid_validate(a->system->map, a->partition, &found), error);
}

ThawStatus thaw_rigidify_validate(const ThawWorld *world, const ThawStepper *s, ThawError *error) {
    const ThawRigidifyData *a = thaw_rigidify(s);
    ThawError found = {.message = ""};
    ThawStatus status = check_record(world, s, error);
    if (status != THAW_OK || !a)
        return status;
    if (a->partition->shape != s->shape || a->partition->min_elements != a->options.smallest)
        return BROKEN("partition of body %d (%s): parts of %d elements at least, by its options of %d", (int)s->index,
                      s->body->name, (int)a->partition->min_elements, (int)a->options.smallest);
    status = blame(s, "partition", &found, thaw_partition_validate(a->partition, s->x, &found), error);
    return status == THAW_OK ? check_system(s, error) : status;
}
