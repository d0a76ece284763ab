// SPDX-License-Identifier: Apache-2.0
// Options of methods as part of the state: those of the world, and of bodies that have their own. They hold for as long
// as nobody changes them; a change wakes the bodies that it concerns, for they were judged by others.
#include <stdio.h>
#include <string.h>

#include "step/adapt.h"
#include "step/step.h"

static void *copy_options(const ThawMethod *method, const void *options, ThawError *error) {
    void *copy = thaw_alloc(1, method->options.size);
    if (!copy)
        thaw_error_memory(error, "options");
    return copy ? memcpy(copy, options, method->options.size) : NULL;
}

ThawStatus thaw_state_create_options(ThawState *state, const ThawWorldDef *def, ThawError *error) {
    state->options = THAW_NEW(ThawStateOptions, thaw_method_count());
    if (!state->options)
        return thaw_error_memory(error, "options");
    for (int m = 0; m < thaw_method_count(); m++) {
        const ThawMethod *method = thaw_method_at(m);
        ThawStateOptions *options = &state->options[m];
        if (method->options.count == 0)
            continue;
        options->common = copy_options(method, thaw_method_world_options(method, def), error);
        options->own = THAW_NEW(void *, def->body_count);
        if (!options->common || !options->own)
            return thaw_error_memory(error, "options");
        for (int32_t b = 0; b < def->body_count; b++) {
            const void *own = thaw_method_body_options(method, &def->bodies[b]);
            if (own && !(options->own[b] = copy_options(method, own, error)))
                return THAW_ERROR_MEMORY;
        }
    }
    return THAW_OK;
}

void thaw_state_free_options(ThawState *state, int32_t body_count) {
    for (int m = 0; state->options && m < thaw_method_count(); m++) {
        for (int32_t b = 0; state->options[m].own && b < body_count; b++)
            thaw_free(state->options[m].own[b]);
        thaw_free(state->options[m].own);
        thaw_free(state->options[m].common);
    }
    thaw_free(state->options);
    state->options = NULL;
}

const void *thaw_state_method_options(const ThawState *state, int method, int32_t body) {
    const ThawStateOptions *options = &state->options[method];
    return options->own && options->own[body] ? options->own[body] : options->common;
}

const void *thaw_state_options(const ThawState *state, int32_t body) {
    return thaw_state_method_options(state, state->method[body], body);
}

void thaw_state_give_own(ThawState *state, int method, int32_t body, void *options) {
    thaw_free(state->options[method].own[body]);
    state->options[method].own[body] = options;
}

// --- from outside ----------------------------------------------------------------------------------------------------

static const ThawRigidifyOptions *rigidify_of(const ThawWorld *world, int32_t body) {
    return thaw_state_method_options(&world->state, THAW_METHOD_RIGIDIFY, body);
}

static int has_body(const ThawWorld *world, int32_t body) {
    return world && body >= 0 && body < world->model->body_count;
}

ThawStatus thaw_world_get_rigidify(const ThawWorld *world, ThawRigidifyOptions *options) {
    if (!world || !options)
        return THAW_ERROR_INPUT;
    memcpy(options, world->state.options[THAW_METHOD_RIGIDIFY].common, sizeof *options);
    return THAW_OK;
}

ThawStatus thaw_world_get_body_rigidify(const ThawWorld *world, int32_t body, ThawRigidifyOptions *options) {
    if (!has_body(world, body) || !options)
        return THAW_ERROR_INPUT;
    *options = *rigidify_of(world, body);
    return THAW_OK;
}

ThawStatus thaw_world_get_thresholds(const ThawWorld *world, int32_t body, ThawRigidifyOptions *options) {
    if (!has_body(world, body) || !options || world->state.method[body] != THAW_METHOD_RIGIDIFY)
        return THAW_ERROR_INPUT;
    *options = thaw_scale_options(&world->steppers[body].scale, rigidify_of(world, body), world->model->options.h);
    return THAW_OK;
}

// The body, awake, goes by options that are others than before.
static void adopt_options(ThawWorld *world, int32_t body) {
    ThawStepper *s = &world->steppers[body];
    world->state.slow[body] = 0;
    if (!s->adaptive)
        return;
    if (rigidify_of(world, body)->oracle == THAW_ORACLE_PAPER)
        thaw_adapt_settle(s, thaw_ledger_of(world));
    thaw_adapt_configure(world, s);
}

ThawStatus thaw_world_set_rigidify(ThawWorld *world, const ThawRigidifyOptions *options, ThawError *error) {
    if (!world || !options)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_world_set_rigidify: %s is NULL",
                              world ? "options" : "world");
    ThawStatus status = thaw_options_check(&thaw_method_rigidify.options, "world: rigidify", options, error);
    for (int32_t i = 0; i < world->model->body_count && status == THAW_OK; i++)
        status = thaw_sleep_wake(world, i, error);
    if (status != THAW_OK)
        return status;
    memcpy(world->state.options[THAW_METHOD_RIGIDIFY].common, options, sizeof *options);
    for (int32_t i = 0; i < world->model->body_count; i++) {
        thaw_state_give_own(&world->state, THAW_METHOD_RIGIDIFY, i, NULL);
        adopt_options(world, i);
    }
    return THAW_OK;
}

ThawStatus thaw_world_set_body_rigidify(ThawWorld *world, int32_t body, const ThawRigidifyOptions *options,
                                        ThawError *error) {
    if (!has_body(world, body))
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_world_set_body_rigidify: body is %d; allowed: 0 to %d",
                              (int)body, world ? (int)world->model->body_count - 1 : -1);
    char where[160];
    snprintf(where, sizeof where, "body %d (%.80s): rigidify", (int)body, world->model->bodies[body].name);
    ThawStatus status = options ? thaw_options_check(&thaw_method_rigidify.options, where, options, error) : THAW_OK;
    void *own = status == THAW_OK && options ? copy_options(&thaw_method_rigidify, options, error) : NULL;
    if (status == THAW_OK && options && !own)
        status = THAW_ERROR_MEMORY;
    if (status == THAW_OK)
        status = thaw_sleep_wake(world, body, error);
    if (status != THAW_OK) {
        thaw_free(own);
        return status;
    }
    thaw_state_give_own(&world->state, THAW_METHOD_RIGIDIFY, body, own);
    adopt_options(world, body);
    return THAW_OK;
}
