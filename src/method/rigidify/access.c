// SPDX-License-Identifier: Apache-2.0
// Options of the method from outside (thaw/world.h).
#include <stdio.h>
#include <string.h>

#include "method/rigidify/rigidify.h"

static int index_of(void) { return thaw_method_index(thaw_method_rigidify.name); }

static int has_body(const ThawWorld *world, int32_t body) {
    return world && body >= 0 && body < world->model->body_count;
}

ThawStatus thaw_world_get_rigidify(const ThawWorld *world, ThawRigidifyOptions *options) {
    if (!world || !options)
        return THAW_ERROR_INPUT;
    memcpy(options, world->state.options[index_of()].common, sizeof *options);
    return THAW_OK;
}

ThawStatus thaw_world_get_body_rigidify(const ThawWorld *world, int32_t body, ThawRigidifyOptions *options) {
    if (!has_body(world, body) || !options)
        return THAW_ERROR_INPUT;
    *options = *thaw_rigidify_options(world, thaw_world_mover(world, body)->index);
    return THAW_OK;
}

void thaw_rigidify_settle(const ThawWorld *world, const ThawStepper *s, void *options) {
    const ThawScale scale = thaw_rigidify_scale(s);
    const ThawRigidifyOptions settled = thaw_scale_options(&scale, options, world->model->options.h);
    memcpy(options, &settled, sizeof settled);
}

ThawStatus thaw_world_get_thresholds(const ThawWorld *world, int32_t body, ThawRigidifyOptions *options) {
    const ThawStepper *s = has_body(world, body) ? thaw_world_mover(world, body) : NULL;
    if (!s || !options || s->method != &thaw_method_rigidify)
        return THAW_ERROR_INPUT;
    *options = *thaw_rigidify_options(world, s->index);
    thaw_rigidify_settle(world, s, options);
    return THAW_OK;
}

ThawStatus thaw_world_set_rigidify(ThawWorld *world, const ThawRigidifyOptions *options, ThawError *error) {
    if (!world || !options)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_world_set_rigidify: %s is NULL",
                              world ? "options" : "world");
    return thaw_world_give_options(world, index_of(), -1, "world: rigidify", options, error);
}

ThawStatus thaw_world_set_body_rigidify(ThawWorld *world, int32_t body, const ThawRigidifyOptions *options,
                                        ThawError *error) {
    if (!has_body(world, body))
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_world_set_body_rigidify: body is %d; allowed: 0 to %d",
                              (int)body, world ? (int)world->model->body_count - 1 : -1);
    char where[160];
    snprintf(where, sizeof where, "body %d (%.80s): rigidify", (int)body, world->model->bodies[body].name);
    return thaw_world_give_options(world, index_of(), body, where, options, error);
}
